// One thread waits for samples, for a change of a status, and for a word of another thread.
using System;
using System.Threading.Tasks;
using Dunlin;
using Dunlin.Qos;
using Dunlin.Status;

internal static class Subscriber
{
    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Count>("Counts");
        var reader = participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable().WithKeepAll());
        var data = reader.CreateReadCondition();
        var matched = reader.StatusCondition;
        matched.EnabledStatuses = StatusMask.SubscriptionMatched;
        using var stop = new GuardCondition();
        using var waits = new WaitSet(data, matched, stop);
        var number = new Count();
        int writers = 0;
        bool isTold = false;
        while (!isTold)
        {
            var active = waits.Wait(TimeSpan.FromSeconds(20));
            if (active.Count == 0)
            {
                throw new TimeoutException("nothing happens");
            }
            foreach (var condition in active)
            {
                if (condition == stop)
                {
                    isTold = true;
                }
                else if (condition == matched)
                {
                    // Asking for the status resets the condition.
                    int total = reader.SubscriptionMatchedStatus.TotalCount;
                    if (total > writers)
                    {
                        Console.WriteLine($"writers so far: {total}");
                    }
                    writers = total;
                }
                else if (writers > 0) // else the status is told first, in the next round
                {
                    while (reader.TakeNext(ref number, out SampleInfo info))
                    {
                        if (!info.ValidData)
                        {
                            continue;
                        }
                        Console.WriteLine($"count {number.Value}");
                        if (number.Value == 3)
                        {
                            Task.Run(() => stop.SetTriggerValue(true)); // any thread may do this
                        }
                    }
                }
            }
        }
        Console.WriteLine("told to stop");
    }
}
