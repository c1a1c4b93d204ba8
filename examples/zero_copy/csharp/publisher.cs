// Writes three frames into memory that readers of this host see where it is.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Publisher
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Frame>("Frames");
        var writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithKeepAll());
        writer.WaitForMatched(1, TimeSpan.FromSeconds(20));
        for (uint number = 1; number <= 3; number++)
        {
            using var loan = writer.Loan<FramePlain>();
            loan.Value.Number = number;
            loan.Value.Pixels.Span.Fill((byte)number);
            loan.Write(); // the frame is the library's now
        }
        writer.WaitForAcknowledgments(TimeSpan.FromSeconds(20));
    }
}
