// Prints where two birds are, bird by bird, until both are gone.
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Subscriber
{
    // Prints samples; returns how many birds are gone.
    private static uint Print(Samples<Position> samples)
    {
        uint gone = 0;
        foreach (var sample in samples)
        {
            var position = sample.Data;
            if (sample.Info.ValidData)
            {
                Console.WriteLine($"bird {position.Bird}: {position.X} {position.Y}");
            }
            else if (sample.Info.InstanceState == InstanceStates.NotAliveDisposed)
            {
                Console.WriteLine($"bird {position.Bird} is gone"); // it has a key, and nothing else
                gone++;
            }
        }
        return gone;
    }

    private static void Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Position>("Positions");
        var reader = participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable().WithKeepAll());
        using var waits = new WaitSet(reader.CreateReadCondition());
        var key = new Position { Bird = 1 };
        while (key.Bird <= 2)
        {
            if (waits.Wait(TimeSpan.FromSeconds(20)).Count == 0)
            {
                throw new TimeoutException("no bird comes");
            }
            // The samples of one bird; those of others stay in the reader.
            var instance = reader.LookupInstance(key);
            if (!instance.IsNil)
            {
                using var samples = reader.Take(new Select { Instance = instance });
                key.Bird += Print(samples);
            }
        }
    }
}
