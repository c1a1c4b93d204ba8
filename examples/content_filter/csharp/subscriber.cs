// Prints the temperatures of the motor that are above a limit.
using System;
using System.Threading;
using System.Threading.Tasks;
using Dunlin;
using Dunlin.Qos;

internal static class Subscriber
{
    private static async Task Main()
    {
        using var participant = new DomainParticipant(0);
        var topic = participant.CreateTopic<Reading>("Readings");
        var hot = topic.CreateContentFilteredTopic("Hot readings", "sensor = 'motor' AND celsius > %0", "50");
        var reader = participant.CreateDataReader(hot, DataReaderQos.Default.WithReliable().WithKeepAll());
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        int seen = 0;
        await foreach (var sample in reader.TakeAsync(limit.Token))
        {
            if (sample.Info.ValidData)
            {
                Console.WriteLine($"{sample.Data.Sensor}: {sample.Data.Celsius}");
                if (++seen == 3)
                {
                    break;
                }
            }
        }
    }
}
