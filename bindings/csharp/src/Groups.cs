using System;
using Dunlin.Qos;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>A group of writers.</summary>
    public sealed unsafe class Publisher : Entity
    {
        internal Publisher(DomainParticipant participant, PublisherQos? qos)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeGroupQos native = qos == null ? default : qos.Settings.Group(arena, 3);
            NativeGroupQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_publisher_new(participant.Handle, given, listener, handle));
        }

        /// <summary>What it was created from.</summary>
        public DomainParticipant Participant { get; }

        /// <summary>A writer of the group.</summary>
        public DataWriter<T> CreateDataWriter<T>(Topic<T> topic, DataWriterQos? qos = null) where T : class
        {
            return new DataWriter<T>(this, topic, qos);
        }

        /// <summary>The QoS.</summary>
        public PublisherQos Qos
        {
            get => PublisherQos.Of(GroupQos.Get(Handle, 3));
            set => GroupQos.Set(Handle, value.Settings, 3);
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
    public sealed unsafe class Subscriber : Entity
    {
        private Action<Subscriber>? dataOnReaders;

        internal Subscriber(DomainParticipant participant, SubscriberQos? qos)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeGroupQos native = qos == null ? default : qos.Settings.Group(arena, 4);
            NativeGroupQos* given = qos == null ? null : &native;
            Make((listener, handle) => Native.dunlin_subscriber_new(participant.Handle, given, listener, handle));
        }

        /// <summary>What it was created from.</summary>
        public DomainParticipant Participant { get; }

        /// <summary>A reader of the group.</summary>
        public DataReader<T> CreateDataReader<T>(
            ITopic<T> topic, DataReaderQos? qos = null, Action<DataReader<T>>? dataAvailable = null) where T : class
        {
            return new DataReader<T>(this, topic, qos, dataAvailable);
        }

        /// <summary>The QoS.</summary>
        public SubscriberQos Qos
        {
            get => SubscriberQos.Of(GroupQos.Get(Handle, 4));
            set => GroupQos.Set(Handle, value.Settings, 4);
        }

        /// <summary>Begins to look at several readers, so that what they show together is whole.</summary>
        public void BeginAccess() => Check.Ok(Native.dunlin_subscriber_begin_access(Handle));

        /// <summary>Ends it.</summary>
        public void EndAccess() => Check.Ok(Native.dunlin_subscriber_end_access(Handle));

        /// <summary>Has the handlers of its readers called that have data which nobody has looked at.</summary>
        public void NotifyDataReaders() => Check.Ok(Native.dunlin_subscriber_notify_readers(Handle));

        /// <summary>Some reader has data. It goes before the events of the readers.</summary>
        public event Action<Subscriber> DataOnReaders
        {
            add => Change(() => dataOnReaders += value);
            remove => Change(() => dataOnReaders -= value);
        }

        private protected override StatusMask Wanted =>
            dataOnReaders == null ? StatusMask.None : StatusMask.DataOnReaders;

        internal override void OnDataOnReaders(ulong handle) => dataOnReaders?.Invoke(this);
    }

    internal static unsafe class GroupQos
    {
        internal static Settings Get(ulong handle, uint kind)
        {
            NativeGroupQos native = new NativeGroupQos { Size = (uint)sizeof(NativeGroupQos), Kind = kind };
            NativeBlock block;
            Check.Ok(Native.dunlin_qos_get(handle, (NativeQos*)&native, &block));
            Settings settings = Settings.Of(native);
            Native.dunlin_block_free(&block);
            return settings;
        }

        internal static void Set(ulong handle, Settings settings, uint kind)
        {
            using Arena arena = new Arena();
            NativeGroupQos native = settings.Group(arena, kind);
            Check.Ok(Native.dunlin_qos_set(handle, (NativeQos*)&native));
        }
    }
}
