// Writes three pictures of three megabytes.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Picture>("Pictures");
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        var picture = new Picture { Width = 2048, Height = 1536 };
        picture.Pixels.Resize(2048 * 1536);
        for (picture.Camera = 1; picture.Camera <= 3; picture.Camera++)
        {
            picture.Pixels.Span.Fill((byte)picture.Camera);
            writer.Write(picture); // the pixels may change again
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
