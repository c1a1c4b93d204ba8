using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>Events of publishers, subscribers and participants, and waiting without a thread.</summary>
    public class EventTests
    {
        private static void Eventually(Func<bool> holds) => Assert.True(SpinWait.SpinUntil(holds, Pair<Small>.Soon));

        [Fact]
        public void GroupsHearOfWhatIsInThem()
        {
            using DomainParticipant participant = new DomainParticipant(0);
            Topic<Small> topic = participant.CreateTopic<Small>("Things");
            Publisher publisher = participant.CreatePublisher();
            Subscriber subscriber = participant.CreateSubscriber();
            ConcurrentQueue<Entity> matched = new ConcurrentQueue<Entity>(), available = new ConcurrentQueue<Entity>();
            ConcurrentQueue<string> above = new ConcurrentQueue<string>();
            publisher.PublicationMatched += (writer, status) => matched.Enqueue(writer);
            subscriber.SubscriptionMatched += (reader, status) => matched.Enqueue(reader);
            subscriber.DataAvailable += available.Enqueue;
            participant.PublicationMatched += (writer, status) => above.Enqueue("matched");
            participant.DataAvailable += reader => above.Enqueue("available");
            DataReader<Small> reader = subscriber.CreateDataReader(topic, DataReaderQos.Default.WithReliable());
            // The match is told of while the writer is being made.
            DataWriter<Small> writer = publisher.CreateDataWriter(topic);
            Eventually(() => matched.Contains(writer) && matched.Contains(reader));
            writer.Write(new Small { Id = 7 });
            Eventually(() => available.Contains(reader));
            Small value = new Small();
            Assert.True(reader.TakeNext(ref value, out SampleInfo info) && info.ValidData);
            Assert.Equal(7, value.Id);
            // A reader's own handler goes before that of its subscriber.
            int own = 0, before = available.Count;
            reader.DataAvailable += one => Interlocked.Increment(ref own);
            writer.Write(new Small { Id = 8 });
            Eventually(() => Volatile.Read(ref own) > 0);
            Assert.Equal(before, available.Count);
            Assert.Equal(0, above.Count);
        }

        [Fact]
        public void ParticipantsHearWhatNobodyElseDoes()
        {
            using DomainParticipant participant = new DomainParticipant(0);
            ConcurrentQueue<(Entity, int)> refused = new ConcurrentQueue<(Entity, int)>();
            ConcurrentQueue<Subscriber> groups = new ConcurrentQueue<Subscriber>();
            participant.OfferedIncompatibleQos += (of, status) => refused.Enqueue((of, status.LastPolicyId));
            participant.RequestedIncompatibleQos += (of, status) => refused.Enqueue((of, status.LastPolicyId));
            participant.DataOnReaders += groups.Enqueue;
            Topic<Small> topic = participant.CreateTopic<Small>("Things");
            DataReader<Small> reliable = participant.CreateDataReader(topic, DataReaderQos.Default.WithReliable());
            DataReader<Small> other = participant.CreateDataReader(topic);
            DataWriter<Small> writer = participant.CreateDataWriter(topic, DataWriterQos.Default.WithBestEffort());
            const int Reliability = 11;
            Eventually(() => refused.Contains((writer, Reliability)) && refused.Contains((reliable, Reliability)));
            writer.WaitForMatched(1, Pair<Small>.Soon);
            writer.Write(new Small());
            Eventually(() => groups.Contains(other.Subscriber));
            // Handlers that are taken away again are not called.
            Action<Entity> unwanted = entity => throw new InvalidOperationException();
            participant.DataAvailable += unwanted;
            participant.DataAvailable -= unwanted;
        }

        [Fact]
        public async Task SamplesAreAwaitedBesideEvents()
        {
            int events = 0;
            using Pair<Small> pair = new Pair<Small>(reader => Interlocked.Increment(ref events));
            using CancellationTokenSource limit = new CancellationTokenSource(Pair<Small>.Soon);
            Task writing = Task.Run(() =>
            {
                for (int i = 0; i < 10; i++)
                {
                    pair.Writer.Write(new Small { Id = i });
                }
            });
            int next = 0;
            await foreach (Sample<Small> sample in pair.Reader.TakeAsync(limit.Token))
            {
                Assert.Equal(next, sample.Data.Id);
                if (++next == 10)
                {
                    break;
                }
            }
            await writing;
            Eventually(() => Volatile.Read(ref events) > 0);
        }

        private static async Task<int> Count(DataReader<Small> reader, CancellationToken cancel)
        {
            int count = 0;
            await foreach (Sample<Small> sample in reader.TakeAsync(cancel))
            {
                count++;
            }
            return count;
        }

        [Fact]
        public async Task WhoAwaitsSamplesSeesTheEnd()
        {
            using Pair<Small> pair = new Pair<Small>();
            using CancellationTokenSource cancel = new CancellationTokenSource();
            Task<int> cancelled = Count(pair.Reader, cancel.Token), ended = Count(pair.Reader, default);
            cancel.Cancel();
            Assert.Same(cancelled, await Task.WhenAny(cancelled, Task.Delay(Pair<Small>.Soon)));
            Assert.True(cancelled.IsCanceled);
            Assert.True(!ended.IsCompleted);
            pair.Reader.Dispose();
            Assert.Same(ended, await Task.WhenAny(ended, Task.Delay(Pair<Small>.Soon)));
            Assert.True(ended.Exception?.InnerException is AlreadyDeletedException);
        }
    }
}
