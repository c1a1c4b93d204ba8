// Writes positions of two birds, one after the other, and disposes both.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Position>("Positions");
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        for (int step = 0; step < 3; step++)
        {
            for (uint bird = 1; bird <= 2; bird++)
            {
                writer.Write(new Position { Bird = bird, X = step, Y = bird });
            }
        }
        for (uint bird = 1; bird <= 2; bird++)
        {
            writer.DisposeInstance(new Position { Bird = bird }); // only the key counts
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
