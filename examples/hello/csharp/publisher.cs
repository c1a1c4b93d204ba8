// Writes ten positions of one bird.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0); // and all in it ends with it
        var topic = participant.CreateTopic<Position>("Positions");
        // Else the next position may take the place of one not yet sent.
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        var here = new Position { Bird = 7, Y = 0.5 };
        for (here.X = 0; here.X < 10; here.X++)
        {
            writer.Write(here);
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
