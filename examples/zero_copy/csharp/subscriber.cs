// Looks at three frames where their writer has them, and prints the pixels at both ends.
using System;
using System.Runtime.InteropServices;
using Dunlin;
using Dunlin.Qos;

internal static class Subscriber
{
    private const int Count = 1 << 20;
    private static readonly long Number = Offset(nameof(FramePlain.Number));
    private static readonly long Pixels = Offset(nameof(FramePlain.Pixels));

    // A payload has 4 octets in front of the value.
    private static long Offset(string member) => 4 + (long)Marshal.OffsetOf<FramePlain>(member);

    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Frame>("Frames");
        var reader = participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable().WithKeepAll());
        using var waits = new WaitSet(reader.CreateReadCondition());
        for (int printed = 0; printed < 3;)
        {
            if (waits.Wait(TimeSpan.FromSeconds(20)).Count == 0)
            {
                throw new TimeoutException("no frame comes");
            }
            using var samples = reader.TakeInPlace(); // at its end the memory is the writer's again
            for (int i = 0; i < samples.Count; i++)
            {
                if (samples.IsPlain<FramePlain>(i))
                {
                    byte first = samples.Value<byte>(i, Pixels), last = samples.Value<byte>(i, Pixels + Count - 1);
                    Console.WriteLine(
                        $"frame {samples.Value<uint>(i, Number)}: {Count} pixels from {first} to {last}");
                    printed++;
                }
            }
        }
    }
}
