using System;
using System.Linq;
using Dunlin.Qos;
using TestTypes;
using Xunit;

namespace Dunlin.Tests
{
    /// <summary>Entities know each other.</summary>
    public class LookupTests
    {
        [Fact]
        public void ParticipantsAreFound()
        {
            Assert.Same(null, DomainParticipant.Lookup(5));
            DomainParticipantQos before = DomainParticipant.DefaultParticipantQos;
            DomainParticipant.DefaultParticipantQos = before.WithEntityName("birds");
            try
            {
                using DomainParticipant participant = new DomainParticipant(5);
                Assert.Equal("birds", participant.Qos.EntityName);
                Assert.Same(participant, DomainParticipant.Lookup(5));
            }
            finally
            {
                DomainParticipant.DefaultParticipantQos = before;
            }
            Assert.Same(null, DomainParticipant.Lookup(5));
            Assert.Equal(before.EntityName, DomainParticipant.DefaultParticipantQos.EntityName);
        }

        [Fact]
        public void EntitiesAreFoundByTheirTopics()
        {
            using DomainParticipant participant = new DomainParticipant(0);
            Assert.Same(null, participant.LookupTopic<Small>("Things"));
            Topic<Small> topic = participant.CreateTopic<Small>("Things");
            Assert.Same(topic, participant.LookupTopic<Small>("Things"));
            Assert.Contains("Things", Assert.Throws<PreconditionNotMetException>(
                () => participant.LookupTopic<Big>("Things")).Message);
            Publisher publisher = participant.CreatePublisher();
            Assert.Same(null, publisher.LookupDataWriter<Small>("Things"));
            DataWriter<Small> writer = publisher.CreateDataWriter(topic);
            Assert.Same(writer, publisher.LookupDataWriter<Small>("Things"));
            Assert.Same(publisher, writer.Publisher);
            Subscriber subscriber = participant.CreateSubscriber();
            Assert.Same(null, subscriber.LookupDataReader<Small>("Things"));
            DataReader<Small> reader = subscriber.CreateDataReader(topic);
            Assert.Same(reader, subscriber.LookupDataReader<Small>("Things"));
            Assert.Same(subscriber, reader.Subscriber);
            Assert.Equal(0, subscriber.DataReaders().Count);
            writer.Write(new Small());
            using WaitSet waits = new WaitSet(reader.CreateReadCondition());
            Assert.Equal(1, waits.Wait(Pair<Small>.Soon).Count);
            Assert.Same(reader, subscriber.DataReaders().Single());
            writer.Dispose();
            Assert.Same(null, publisher.LookupDataWriter<Small>("Things"));
        }

        [Fact]
        public void WritersOfAParticipantHaveAPublisher()
        {
            using Pair<Small> pair = new Pair<Small>();
            Publisher publisher = pair.Writer.Publisher;
            Assert.Same(publisher, pair.Participant.CreateDataWriter(pair.Topic).Publisher);
            Assert.True(publisher.LookupDataWriter<Small>("Things") != null);
            Assert.Same(pair.Participant, publisher.Participant);
            Assert.Same(pair.Reader, pair.Reader.Subscriber.LookupDataReader<Small>("Things"));
        }

        [Fact]
        public void DefaultsAreWhatWasSet()
        {
            using DomainParticipant participant = new DomainParticipant(0);
            participant.DefaultPublisherQos = PublisherQos.Default.WithPartitions("a");
            participant.DefaultSubscriberQos = SubscriberQos.Default.WithPartitions("b");
            participant.DefaultTopicQos = participant.DefaultTopicQos.WithReliable();
            Publisher publisher = participant.CreatePublisher();
            Subscriber subscriber = participant.CreateSubscriber();
            Topic<Small> topic = participant.CreateTopic<Small>("Things");
            Assert.Equal("a", publisher.Qos.Partitions.Single());
            Assert.Equal("b", subscriber.Qos.Partitions.Single());
            Assert.Equal("a", participant.DefaultPublisherQos.Partitions.Single());
            Assert.Equal("b", participant.DefaultSubscriberQos.Partitions.Single());
            Assert.Equal(participant.DefaultTopicQos.Reliability, topic.Qos.Reliability);
            TimeSpan lifespan = TimeSpan.FromSeconds(3), deadline = TimeSpan.FromSeconds(4);
            publisher.DefaultDataWriterQos = publisher.DefaultDataWriterQos.WithLifespan(lifespan);
            subscriber.DefaultDataReaderQos = subscriber.DefaultDataReaderQos.WithDeadline(deadline);
            Assert.Equal(lifespan, publisher.CreateDataWriter(topic).Qos.Lifespan);
            Assert.Equal(deadline, subscriber.CreateDataReader(topic).Qos.Deadline);
        }

        [Fact]
        public void WhatIsContainedEndsAlone()
        {
            using Pair<Small> pair = new Pair<Small>();
            ReadCondition condition = pair.Reader.CreateReadCondition();
            pair.Reader.DisposeContainedEntities();
            Assert.Throws<AlreadyDeletedException>(() => _ = condition.TriggerValue);
            Assert.Equal(1, pair.Reader.MatchedPublications.Count);
            Subscriber subscriber = pair.Reader.Subscriber;
            subscriber.DisposeContainedEntities();
            Assert.Throws<AlreadyDeletedException>(() => pair.Reader.Take());
            Assert.Same(null, subscriber.LookupDataReader<Small>("Things"));
            pair.Writer.Publisher.DisposeContainedEntities();
            Assert.Throws<AlreadyDeletedException>(() => pair.Writer.Write(new Small()));
            Assert.True(pair.Participant.LookupTopic<Small>("Things") == pair.Topic);
        }
    }
}
