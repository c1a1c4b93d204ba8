// Writes three numbers.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Count>("Counts");
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        for (uint value = 1; value <= 3; value++)
        {
            writer.Write(new Count { Value = value });
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
