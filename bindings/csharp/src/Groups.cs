using System;
using System.Collections.Generic;
using Dunlin.Qos;

namespace Dunlin
{
    /// <summary>A group of writers.</summary>
    public sealed unsafe partial class Publisher : Entity
    {
        internal Publisher(DomainParticipant participant, PublisherQos? qos)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeGroupQos native = qos == null ? default : qos.Settings.Group(arena, 3);
            NativeGroupQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_publisher_new(participant.Handle, given, listener, handle));
        }

        internal Publisher(DomainParticipant participant, ulong handle)
        {
            Participant = participant;
            Handle = handle;
        }

        /// <summary>What it was created from.</summary>
        public DomainParticipant Participant { get; }

        private protected override DomainParticipant? Owner => Participant;

        private protected override void Closed() => Participant.Entities.RemoveClosed();

        /// <summary>A writer of the group.</summary>
        public DataWriter<T> CreateDataWriter<T>(Topic<T> topic, DataWriterQos? qos = null) where T : class
        {
            return new DataWriter<T>(this, topic, qos);
        }

        /// <summary>Its first writer of the topic of a name; null if it has none.</summary>
        public DataWriter<T>? LookupDataWriter<T>(string topic) where T : class
        {
            return Participant.Entities.Find<DataWriter<T>>(Native.dunlin_publisher_lookup_writer, Handle, topic);
        }

        /// <summary>Ends all its writers.</summary>
        public void DisposeContainedEntities() => DisposeContained();

        /// <summary>The QoS.</summary>
        public PublisherQos Qos
        {
            get => PublisherQos.Of(QosAccess.Group(Native.dunlin_qos_get, Handle, 3));
            set => QosAccess.SetGroup(Native.dunlin_qos_set, Handle, value.Settings, 3);
        }

        /// <summary>The QoS of writers that are created without one.</summary>
        public DataWriterQos DefaultDataWriterQos
        {
            get => DataWriterQos.Of(QosAccess.Writer(Native.dunlin_default_qos_get, Handle));
            set => QosAccess.SetWriter(Native.dunlin_default_qos_set, Handle, value.Settings);
        }

        /// <summary>A hint that much will be written in a row.</summary>
        public void SuspendPublications() => Check.Ok(Native.dunlin_publisher_suspend(Handle));

        /// <summary>Takes the hint back.</summary>
        public void ResumePublications() => Check.Ok(Native.dunlin_publisher_resume(Handle));

        /// <summary>What its writers write until the end is a coherent set.</summary>
        public void BeginCoherentChanges() => Check.Ok(Native.dunlin_publisher_begin_coherent(Handle));

        /// <summary>The set is complete.</summary>
        public void EndCoherentChanges() => Check.Ok(Native.dunlin_publisher_end_coherent(Handle));

        /// <summary>Waits until every matched reliable reader of every writer has acknowledged all samples.</summary>
        public void WaitForAcknowledgments(TimeSpan timeout) =>
            Check.Ok(Native.dunlin_publisher_wait_for_acknowledgments(Handle, Duration.Of(timeout)));
    }

    /// <summary>A group of readers.</summary>
    public sealed unsafe partial class Subscriber : Entity
    {
        internal Subscriber(DomainParticipant participant, SubscriberQos? qos)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeGroupQos native = qos == null ? default : qos.Settings.Group(arena, 4);
            NativeGroupQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_subscriber_new(participant.Handle, given, listener, handle));
        }

        internal Subscriber(DomainParticipant participant, ulong handle)
        {
            Participant = participant;
            Handle = handle;
        }

        /// <summary>What it was created from.</summary>
        public DomainParticipant Participant { get; }

        private protected override DomainParticipant? Owner => Participant;

        private protected override void Closed() => Participant.Entities.RemoveClosed();

        /// <summary>A reader of the group.</summary>
        public DataReader<T> CreateDataReader<T>(
            ITopic<T> topic, DataReaderQos? qos = null, Action<DataReader<T>>? dataAvailable = null) where T : class
        {
            return new DataReader<T>(this, topic, qos, dataAvailable);
        }

        /// <summary>Its first reader of the topic of a name; null if it has none.</summary>
        public DataReader<T>? LookupDataReader<T>(string topic) where T : class
        {
            return Participant.Entities.Find<DataReader<T>>(Native.dunlin_subscriber_lookup_reader, Handle, topic);
        }

        /// <summary>Ends all its readers.</summary>
        public void DisposeContainedEntities() => DisposeContained();

        /// <summary>The QoS.</summary>
        public SubscriberQos Qos
        {
            get => SubscriberQos.Of(QosAccess.Group(Native.dunlin_qos_get, Handle, 4));
            set => QosAccess.SetGroup(Native.dunlin_qos_set, Handle, value.Settings, 4);
        }

        /// <summary>The QoS of readers that are created without one.</summary>
        public DataReaderQos DefaultDataReaderQos
        {
            get => DataReaderQos.Of(QosAccess.Reader(Native.dunlin_default_qos_get, Handle));
            set => QosAccess.SetReader(Native.dunlin_default_qos_set, Handle, value.Settings);
        }

        /// <summary>Begins to look at several readers, so that what they show together is whole.</summary>
        public void BeginAccess() => Check.Ok(Native.dunlin_subscriber_begin_access(Handle));

        /// <summary>Ends it.</summary>
        public void EndAccess() => Check.Ok(Native.dunlin_subscriber_end_access(Handle));

        /// <summary>Its readers that hold samples; with GROUP access and order once for each sample.</summary>
        public IReadOnlyList<Entity> DataReaders(Select select = default)
        {
            NativeSelect native = select.ToNative();
            ulong count = 64;
            ulong[] found;
            do
            {
                found = new ulong[count];
                fixed (ulong* data = found)
                {
                    Check.Ok(Native.dunlin_subscriber_readers(Handle, &native, data, (ulong)found.Length, &count));
                }
            }
            while (count > (ulong)found.Length);
            List<Entity> all = new List<Entity>();
            for (ulong i = 0; i < count; i++)
            {
                Entity? reader = Participant.Entities.Find(found[i]);
                if (reader != null)
                {
                    all.Add(reader);
                }
            }
            return all;
        }

        /// <summary>Has the handlers of its readers called that have data which nobody has looked at.</summary>
        public void NotifyDataReaders() => Check.Ok(Native.dunlin_subscriber_notify_readers(Handle));
    }
}
