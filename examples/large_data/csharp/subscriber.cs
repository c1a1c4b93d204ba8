// Prints what is in three large pictures.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Subscriber
{
    private static void Print(Picture picture)
    {
        long sum = 0;
        foreach (byte pixel in picture.Pixels)
        {
            sum += pixel;
        }
        Console.WriteLine(
            $"camera {picture.Camera}: {picture.Width} x {picture.Height}, {picture.Pixels.Count} bytes, sum {sum}");
    }

    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Picture>("Pictures");
        var reader = participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable().WithKeepAll());
        using var waits = new WaitSet(reader.CreateReadCondition());
        var picture = new Picture(); // it keeps its memory for the next one
        for (int printed = 0; printed < 3;)
        {
            if (waits.Wait(TimeSpan.FromSeconds(20)).Count == 0)
            {
                throw new TimeoutException("no picture comes");
            }
            while (reader.TakeNext(ref picture, out SampleInfo info))
            {
                if (info.ValidData)
                {
                    Print(picture);
                    printed++;
                }
            }
        }
    }
}
