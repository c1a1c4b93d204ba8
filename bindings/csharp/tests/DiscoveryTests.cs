using System;
using System.Collections.Generic;
using System.Linq;
using Dunlin.Discovery;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    public class DiscoveryTests
    {
        private static BuiltinSample Wait(BuiltinReader reader, Func<BuiltinSample, bool> isWanted)
        {
            using WaitSet waits = new WaitSet(reader.CreateReadCondition());
            for (;;)
            {
                Assert.Equal(1, waits.Wait(Pair<Small>.Soon).Count);
                foreach (BuiltinSample sample in reader.Take())
                {
                    if (isWanted(sample))
                    {
                        return sample;
                    }
                }
            }
        }

        [Fact]
        public void OthersAreToldOf()
        {
            using DomainParticipant watching = new DomainParticipant(0);
            BuiltinReader publications = watching.BuiltinReader(BuiltinTopic.Publication);
            BuiltinReader participants = watching.BuiltinReader(BuiltinTopic.Participant);
            using DomainParticipant other = new DomainParticipant(0, DomainParticipantQos.Default.WithEntityName("other"));
            Publisher publisher = other.CreatePublisher(PublisherQos.Default.WithPartitions("part"));
            DataWriter<Small> writer = publisher.CreateDataWriter(
                other.CreateTopic<Small>("Things"), DataWriterQos.Default.WithUserData(new byte[] { 4, 5 }));

            BuiltinData data = Wait(publications, sample => sample.Data?.Name == "Things").Data!;
            Assert.Equal(writer.InstanceHandle, data.Key);
            Assert.Equal("TestTypes::Small", data.TypeName);
            Assert.Equal("part", data.Partitions.Single());
            Assert.True(data.UserData.SequenceEqual(new byte[] { 4, 5 }));
            Assert.Equal(Reliability.Reliable, data.WriterQos!.Reliability);
            Assert.True(watching.DiscoveredTopics.Any(one => one.Name == "Things"));
            Assert.True(watching.DiscoveredParticipants.Any(one => one.Name == "other"));

            Topic<Small> topic = watching.CreateTopic<Small>("Things");
            using (DataReader<Small> apart = watching.CreateDataReader(topic))
            {
                Assert.Contains("partition", watching.Why("Things", TimeSpan.FromSeconds(1)).ToLowerInvariant());
            }
            Subscriber subscriber = watching.CreateSubscriber(SubscriberQos.Default.WithPartitions("p*"));
            DataReader<Small> reader = subscriber.CreateDataReader(topic);
            reader.WaitForMatched(1, Pair<Small>.Soon);
            InstanceHandle matched = reader.MatchedPublications.Single();
            Assert.True(reader.MatchedPublicationData(matched)!.UserData.SequenceEqual(new byte[] { 4, 5 }));

            watching.Ignore(BuiltinTopic.Participant, other.InstanceHandle);
            other.Dispose();
            Assert.Equal(0, watching.DiscoveredParticipants.Count);
            Assert.True(participants.Read().All(sample => sample.Info.SampleState != 0));
        }
    }
}
