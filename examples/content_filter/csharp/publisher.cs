// Writes five temperatures. The writer does not send its reader those that it does not want.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Reading>("Readings");
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        foreach (double measured in new[] { 20, 35.5, 60, 80.5, 100 })
        {
            writer.Write(new Reading { Sensor = "motor", Celsius = measured });
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
