// Prints ten positions, as they come.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Subscriber
{
    private static void Main()
    {
        using var isDone = new GuardCondition();
        using var waits = new WaitSet(isDone);
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Position>("Positions");
        var position = new Position(); // one object for all samples
        int printed = 0;
        // Called on the thread that received.
        participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable().WithKeepAll(), reader =>
        {
            while (reader.TakeNext(ref position, out SampleInfo info))
            {
                if (info.ValidData)
                {
                    Console.WriteLine($"{position.Bird} {position.X} {position.Y}");
                    if (++printed == 10)
                    {
                        isDone.SetTriggerValue(true);
                    }
                }
            }
        });
        waits.Wait(TimeSpan.FromSeconds(20));
    }
}
