using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Dunlin.Qos;
using Dunlin.Status;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>A writer and a reader of one topic in one process.</summary>
    internal sealed class Pair<T> : IDisposable where T : class
    {
        internal static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

        internal readonly DomainParticipant Participant = new DomainParticipant(0);
        internal readonly Topic<T> Topic;
        internal readonly DataWriter<T> Writer;
        internal readonly DataReader<T> Reader;

        internal Pair(Action<DataReader<T>>? dataAvailable = null, Representation representation = Representation.Xcdr2)
        {
            Topic = Participant.CreateTopic<T>("Things");
            Reader = Participant.CreateDataReader(Topic, DataReaderQos.Default.WithReliable().WithKeepAll(), dataAvailable);
            Writer = Participant.CreateDataWriter(
                Topic, DataWriterQos.Default.WithKeepAll().WithRepresentation(representation));
            Writer.WaitForMatched(1, Soon);
            Reader.WaitForMatched(1, Soon);
        }

        internal void WaitForData()
        {
            using ReadCondition data = Reader.CreateReadCondition(new Select { SampleStates = SampleStates.NotRead });
            using WaitSet waits = new WaitSet(data);
            Assert.Equal(1, waits.Wait(Soon).Count);
        }

        public void Dispose() => Participant.Dispose();
    }

    public class LiveTests
    {
        private static Message Filled(int number)
        {
            Message message = new Message
            {
                Name = "name " + number,
                Text = "grün \ud83d\udc26",
                Bytes = new byte[] { 1, 2, 3 },
                Numbers = new[] { 0.5, -0.0, double.NaN },
                Color = Color.BLUE,
                Maybe = number,
            };
            message.Smalls.Add(new Small { Id = number, X = 1 });
            return message;
        }

        [Fact]
        public void ValuesArriveAsTheyWereWritten()
        {
            foreach (Representation representation in new[] { Representation.Xcdr1, Representation.Xcdr2 })
            {
                using Pair<Message> pair = new Pair<Message>(null, representation);
                for (int i = 0; i < 40; i++)
                {
                    pair.Writer.Write(Filled(i));
                }
                List<Message> found = new List<Message>();
                while (found.Count < 40)
                {
                    pair.WaitForData();
                    using Samples<Message> samples = pair.Reader.Take();
                    Assert.Equal(samples.Count, samples.Count());
                    foreach (Sample<Message> sample in samples)
                    {
                        Assert.True(sample.Info.ValidData);
                        Assert.Equal(pair.Writer.InstanceHandle, sample.Info.PublicationHandle);
                        found.Add(sample.Data.Clone());
                    }
                    Assert.True(samples.Payload(0).Length > 4);
                }
                Assert.True(found.OrderBy(one => one.Maybe).SequenceEqual(Enumerable.Range(0, 40).Select(Filled)));
            }
        }

        [Fact]
        public void LargeValuesGoByLoans()
        {
            using Pair<Big> pair = new Pair<Big>();
            Big big = new Big { Id = 1 };
            big.Bytes.Resize(100_000);
            big.Bytes.Span.Fill(7);
            pair.Writer.Write(big);
            pair.WaitForData();
            Big read = new Big();
            Assert.True(pair.Reader.TakeNext(ref read, out SampleInfo info));
            Assert.True(info.ValidData && read.Equals(big));
            Assert.False(pair.Reader.TakeNext(ref read, out info));
        }

        [Fact]
        public void InstancesEnd()
        {
            using Pair<Small> pair = new Pair<Small>();
            Small small = new Small { Id = 7, X = 1.5 };
            InstanceHandle instance = pair.Writer.RegisterInstance(small);
            Assert.Equal(instance, pair.Writer.LookupInstance(small));
            Assert.True(pair.Writer.LookupInstance(new Small { Id = 8 }).IsNil);
            pair.Writer.Write(small, new WriteOptions { Instance = instance, Timestamp = DateTime.UnixEpoch.AddDays(1) });
            Assert.Throws<PreconditionNotMetException>(
                () => pair.Writer.Write(new Small { Id = 9 }, new WriteOptions { Instance = instance }));
            pair.Writer.DisposeInstance(small);
            List<string> seen = new List<string>();
            while (seen.Count < 2)
            {
                pair.WaitForData();
                pair.Reader.TakeEach((Small value, in SampleInfo info) =>
                    seen.Add(value.Id + " " + value.X + " " + info.ValidData + " " + info.InstanceState));
            }
            Assert.Equal("7 1.5 True Alive", seen[0].Replace("NotAliveDisposed", "Alive"));
            Assert.Equal("7 0 False NotAliveDisposed", seen[1]);
            Small key = new Small { X = 5 };
            Assert.True(pair.Reader.GetKeyValue(instance, key));
            Assert.Equal(new Small { Id = 7 }, key);
            Assert.Equal(instance, pair.Reader.LookupInstance(small));
        }

        [Fact]
        public void WhatCannotBeWrittenSaysWhy()
        {
            using Pair<Message> pair = new Pair<Message>();
            string[] errors =
            {
                Assert.Throws<BadParameterException>(
                    () => pair.Writer.Write(new Message { Name = new string('x', 33) })).Message,
                Assert.Throws<BadParameterException>(
                    () => pair.Writer.Write(new Message { Color = (Color)9 })).Message,
            };
            Assert.Equal("TestTypes::Message.name: its length is 33, at most 32 is allowed", errors[0]);
            Assert.Equal("TestTypes::Message.color: 9 is not an enumerator of the type", errors[1]);
            Assert.Throws<ArgumentNullException>(() => new Message().Text = null!);
            Message holed = new Message();
            holed.Smalls.Resize(1);
            Assert.Contains("Message.smalls", Assert.Throws<BadParameterException>(() => pair.Writer.Write(holed)).Message);
        }

        [Fact]
        public void EventsTellOfDataAndMatches()
        {
            using ManualResetEventSlim done = new ManualResetEventSlim();
            int matches = 0, count = 0;
            Small value = new Small();
            using Pair<Small> pair = new Pair<Small>(reader =>
            {
                while (reader.TakeNext(ref value, out SampleInfo info))
                {
                    if (++count == 10)
                    {
                        done.Set();
                    }
                }
            });
            pair.Writer.PublicationMatched += (writer, status) => matches = status.CurrentCount;
            using DataReader<Small> other = pair.Participant.CreateDataReader(pair.Topic);
            pair.Writer.WaitForMatched(2, Pair<Small>.Soon);
            for (int i = 0; i < 10; i++)
            {
                pair.Writer.Write(new Small { Id = i });
            }
            Assert.True(done.Wait(Pair<Small>.Soon));
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref matches) == 2, Pair<Small>.Soon));
            Assert.Equal(2, pair.Writer.PublicationMatchedStatus.CurrentCount);
            Assert.Equal(2, pair.Writer.MatchedSubscriptions.Count);
        }

        [Fact]
        public void ExceptionsOfHandlersGoToListenerError()
        {
            using ManualResetEventSlim told = new ManualResetEventSlim();
            Entity? of = null;
            string text = "";
            Action<Entity?, Exception> handler = (entity, error) =>
            {
                of = entity;
                text = error.Message;
                told.Set();
            };
            DomainParticipant.ListenerError += handler;
            try
            {
                using Pair<Small> pair = new Pair<Small>(reader => throw new InvalidOperationException("by intent"));
                pair.Writer.Write(new Small());
                Assert.True(told.Wait(Pair<Small>.Soon));
                Assert.Same(pair.Reader, of);
                Assert.Equal("by intent", text);
            }
            finally
            {
                DomainParticipant.ListenerError -= handler;
            }
        }

        [Fact]
        public async Task SamplesComeAsynchronously()
        {
            using Pair<Small> pair = new Pair<Small>();
            using CancellationTokenSource limit = new CancellationTokenSource(Pair<Small>.Soon);
            Task writing = Task.Run(() =>
            {
                for (int i = 0; i < 100; i++)
                {
                    pair.Writer.Write(new Small { Id = i });
                }
            });
            int next = 0;
            await foreach (Sample<Small> sample in pair.Reader.TakeAsync(limit.Token))
            {
                Assert.Equal(next, sample.Data.Id);
                if (++next == 100)
                {
                    break;
                }
            }
            await writing;
        }

        [Fact]
        public void PlainValuesAreWrittenWhereTheyAre()
        {
            foreach (Representation representation in new[] { Representation.Xcdr1 })
            {
                using Pair<Plain> pair = new Pair<Plain>(null, representation);
                using (Loan<PlainPlain> loan = pair.Writer.Loan<PlainPlain>())
                {
                    loan.Value = default;
                    loan.Value.Id = 7;
                    loan.Value.Points.Span[3].Y = 2.5;
                    loan.Value.Numbers.Span[2] = -1;
                    loan.Write();
                    Assert.Throws<PreconditionNotMetException>(() => loan.Write());
                }
                pair.WaitForData();
                using Samples<Plain> samples = pair.Reader.Take();
                Plain read = samples[0].Data;
                Assert.Equal(7ul, read.Id);
                Assert.Equal(2.5, read.Points[1, 1].Y);
                Assert.Equal(-1, read.Numbers[2]);
                Assert.Equal(2.5, samples.View<PlainPlain>(0).Points.Span[3].Y);
                pair.Writer.Loan<PlainPlain>().Dispose();
            }
            using Pair<Plain> other = new Pair<Plain>();
            Assert.Throws<UnsupportedException>(() => other.Writer.Loan<PlainPlain>());
        }

        [Fact]
        public void FiltersAndQueriesSelect()
        {
            using Pair<Small> pair = new Pair<Small>();
            ContentFilteredTopic<Small> filtered = pair.Topic.CreateContentFilteredTopic("Part", "x > %0", "1");
            Assert.Equal("1", filtered.ExpressionParameters.Single());
            DataReaderQos qos = DataReaderQos.Default.WithReliable().WithKeepAll();
            using DataReader<Small> part = pair.Participant.CreateDataReader(filtered, qos);
            pair.Writer.WaitForMatched(2, Pair<Small>.Soon);
            QueryCondition query = pair.Reader.CreateQueryCondition("id = %0", new[] { "2" });
            for (int i = 0; i < 4; i++)
            {
                pair.Writer.Write(new Small { Id = i, X = i });
            }
            using WaitSet waits = new WaitSet(query);
            Assert.Same(query, waits.Wait(Pair<Small>.Soon).Single());
            using (Samples<Small> samples = pair.Reader.Take(new Select { Condition = query }))
            {
                Assert.Equal(2, samples.Single().Data.Id);
            }
            pair.Writer.WaitForAcknowledgments(Pair<Small>.Soon);
            List<int> seen = new List<int>();
            using WaitSet data = new WaitSet(part.CreateReadCondition());
            while (seen.Count < 2)
            {
                Assert.Equal(1, data.Wait(Pair<Small>.Soon).Count);
                part.TakeEach((Small value, in SampleInfo info) => seen.Add(value.Id));
            }
            Assert.Equal("2 3", string.Join(" ", seen));
        }

        [Fact]
        public void TwoTypesOfOneNameAreRefused()
        {
            using Pair<Small> pair = new Pair<Small>();
            DdsException error = Assert.Throws<PreconditionNotMetException>(
                () => pair.Participant.CreateTopic<Big>("Things"));
            Assert.Contains("Things", error.Message);
            Assert.Throws<BadParameterException>(() => pair.Participant.CreateTopic<Big>(""));
            Assert.Throws<BadParameterException>(() => pair.Topic.CreateContentFilteredTopic("F", "x >>> 1"));
        }

        [Fact]
        public void QosIsWhatItWasMadeOf()
        {
            using DomainParticipant participant = new DomainParticipant(
                3, DomainParticipantQos.Default.WithEntityName("somebody"), new DomainParticipantConfig { Multicast = false });
            Assert.Equal(3, participant.DomainId);
            Assert.Equal("somebody", participant.Qos.EntityName);
            Publisher publisher = participant.CreatePublisher(PublisherQos.Default.WithPartitions("a", "b"));
            Assert.Equal("a b", string.Join(" ", publisher.Qos.Partitions));
            DataWriterQos wanted = DataWriterQos.Default.WithLifespan(TimeSpan.FromSeconds(3)).WithUserData(new byte[] { 9 });
            DataWriter<Small> writer = publisher.CreateDataWriter(participant.CreateTopic<Small>("Things"), wanted);
            Assert.Equal(TimeSpan.FromSeconds(3), writer.Qos.Lifespan);
            Assert.Equal((byte)9, writer.Qos.UserData.Single());
            writer.Qos = wanted.WithLifespan(TimeSpan.FromSeconds(4));
            Assert.Equal(TimeSpan.FromSeconds(4), writer.Qos.Lifespan);
            Assert.Throws<ImmutablePolicyException>(
                () => writer.Qos = wanted.WithRepresentation(Representation.Xcdr1).WithDurability(Durability.TransientLocal));
            DdsTimeoutException late = Assert.Throws<DdsTimeoutException>(() => writer.WaitForMatched(1, TimeSpan.Zero));
            Assert.Contains("0 of 1 readers match", late.Message);
            Assert.Contains("Things", late.Message);
            Assert.Contains("Things", Assert.Throws<BadParameterException>(() => writer.Write(null!)).Message);
            Assert.Contains("domain id -1", Assert.Throws<BadParameterException>(() => new DomainParticipant(-1)).Message);
            Assert.True(writer.Explain().Length >= 0);
        }
    }
}
