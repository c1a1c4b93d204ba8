using System;
using Dunlin.Status;

namespace Dunlin
{
    // The library tells the innermost entity that has a handler of a status.
    public sealed unsafe partial class Publisher
    {
        private readonly WriterHandlers<Entity> writers = new WriterHandlers<Entity>();

        /// <summary>A reader came or went: of a writer without a handler of it.</summary>
        public event Action<Entity, MatchedStatus> PublicationMatched
        {
            add => Change(() => writers.Matched += value);
            remove => Change(() => writers.Matched -= value);
        }

        /// <summary>A writer did not keep its deadline: of a writer without a handler of it.</summary>
        public event Action<Entity, CountStatus> OfferedDeadlineMissed
        {
            add => Change(() => writers.DeadlineMissed += value);
            remove => Change(() => writers.DeadlineMissed -= value);
        }

        /// <summary>A writer did not assert that it lives: of a writer without a handler of it.</summary>
        public event Action<Entity, CountStatus> LivelinessLost
        {
            add => Change(() => writers.LivelinessLost += value);
            remove => Change(() => writers.LivelinessLost -= value);
        }

        /// <summary>A reader asks for more than the writer offers: of a writer without a handler of it.</summary>
        public event Action<Entity, IncompatibleQosStatus> OfferedIncompatibleQos
        {
            add => Change(() => writers.Incompatible += value);
            remove => Change(() => writers.Incompatible -= value);
        }

        private protected override StatusMask Wanted => writers.Wanted;

        internal override void OnStatus(ulong handle, in NativeStatus status) =>
            Participant.Entities.Tell(handle, status, writers.Raise);
    }

    public sealed unsafe partial class Subscriber
    {
        private readonly ReaderHandlers<Entity> readers = new ReaderHandlers<Entity>();
        private Action<Subscriber>? dataOnReaders;

        /// <summary>Some reader has data. It goes before the events of the readers.</summary>
        public event Action<Subscriber> DataOnReaders
        {
            add => Change(() => dataOnReaders += value);
            remove => Change(() => dataOnReaders -= value);
        }

        /// <summary>There is data to take: of a reader without a handler of it.</summary>
        public event Action<Entity> DataAvailable
        {
            add => Change(() => readers.Available += value);
            remove => Change(() => readers.Available -= value);
        }

        /// <summary>A writer came or went: of a reader without a handler of it.</summary>
        public event Action<Entity, MatchedStatus> SubscriptionMatched
        {
            add => Change(() => readers.Matched += value);
            remove => Change(() => readers.Matched -= value);
        }

        /// <summary>An instance was not written within the deadline: of a reader without a handler of it.</summary>
        public event Action<Entity, CountStatus> RequestedDeadlineMissed
        {
            add => Change(() => readers.DeadlineMissed += value);
            remove => Change(() => readers.DeadlineMissed -= value);
        }

        /// <summary>Samples were lost: of a reader without a handler of it.</summary>
        public event Action<Entity, CountStatus> SampleLost
        {
            add => Change(() => readers.Lost += value);
            remove => Change(() => readers.Lost -= value);
        }

        /// <summary>A sample was rejected for a limit: of a reader without a handler of it.</summary>
        public event Action<Entity, SampleRejectedStatus> SampleRejected
        {
            add => Change(() => readers.Rejected += value);
            remove => Change(() => readers.Rejected -= value);
        }

        /// <summary>Writers live or live no more: of a reader without a handler of it.</summary>
        public event Action<Entity, LivelinessChangedStatus> LivelinessChanged
        {
            add => Change(() => readers.Liveliness += value);
            remove => Change(() => readers.Liveliness -= value);
        }

        /// <summary>A writer offers less than the reader asks for: of a reader without a handler of it.</summary>
        public event Action<Entity, IncompatibleQosStatus> RequestedIncompatibleQos
        {
            add => Change(() => readers.Incompatible += value);
            remove => Change(() => readers.Incompatible -= value);
        }

        private protected override StatusMask Wanted =>
            readers.Wanted | (dataOnReaders == null ? 0 : StatusMask.DataOnReaders);

        internal override void OnDataOnReaders(ulong handle) => dataOnReaders?.Invoke(this);

        internal override void OnDataAvailable(ulong handle) =>
            Participant.Entities.Tell(handle, readers.Available);

        internal override void OnStatus(ulong handle, in NativeStatus status) =>
            Participant.Entities.Tell(handle, status, readers.Raise);
    }

    public sealed unsafe partial class DomainParticipant
    {
        private readonly WriterHandlers<Entity> writers = new WriterHandlers<Entity>();
        private readonly ReaderHandlers<Entity> readers = new ReaderHandlers<Entity>();
        private Action<Subscriber>? dataOnReaders;
        private Action<Entity, CountStatus>? inconsistent;

        /// <summary>Somebody has a topic of the same name with another type: of one without a handler of it.</summary>
        public event Action<Entity, CountStatus> InconsistentTopic
        {
            add => Change(() => inconsistent += value);
            remove => Change(() => inconsistent -= value);
        }

        /// <summary>Some reader has data: of a subscriber without a handler of it. It goes before others.</summary>
        public event Action<Subscriber> DataOnReaders
        {
            add => Change(() => dataOnReaders += value);
            remove => Change(() => dataOnReaders -= value);
        }

        /// <summary>A reader came or went: of a writer without a handler of it.</summary>
        public event Action<Entity, MatchedStatus> PublicationMatched
        {
            add => Change(() => writers.Matched += value);
            remove => Change(() => writers.Matched -= value);
        }

        /// <summary>A writer did not keep its deadline: of a writer without a handler of it.</summary>
        public event Action<Entity, CountStatus> OfferedDeadlineMissed
        {
            add => Change(() => writers.DeadlineMissed += value);
            remove => Change(() => writers.DeadlineMissed -= value);
        }

        /// <summary>A writer did not assert that it lives: of a writer without a handler of it.</summary>
        public event Action<Entity, CountStatus> LivelinessLost
        {
            add => Change(() => writers.LivelinessLost += value);
            remove => Change(() => writers.LivelinessLost -= value);
        }

        /// <summary>A reader asks for more than the writer offers: of a writer without a handler of it.</summary>
        public event Action<Entity, IncompatibleQosStatus> OfferedIncompatibleQos
        {
            add => Change(() => writers.Incompatible += value);
            remove => Change(() => writers.Incompatible -= value);
        }

        /// <summary>There is data to take: of a reader without a handler of it.</summary>
        public event Action<Entity> DataAvailable
        {
            add => Change(() => readers.Available += value);
            remove => Change(() => readers.Available -= value);
        }

        /// <summary>A writer came or went: of a reader without a handler of it.</summary>
        public event Action<Entity, MatchedStatus> SubscriptionMatched
        {
            add => Change(() => readers.Matched += value);
            remove => Change(() => readers.Matched -= value);
        }

        /// <summary>An instance was not written within the deadline: of a reader without a handler of it.</summary>
        public event Action<Entity, CountStatus> RequestedDeadlineMissed
        {
            add => Change(() => readers.DeadlineMissed += value);
            remove => Change(() => readers.DeadlineMissed -= value);
        }

        /// <summary>Samples were lost: of a reader without a handler of it.</summary>
        public event Action<Entity, CountStatus> SampleLost
        {
            add => Change(() => readers.Lost += value);
            remove => Change(() => readers.Lost -= value);
        }

        /// <summary>A sample was rejected for a limit: of a reader without a handler of it.</summary>
        public event Action<Entity, SampleRejectedStatus> SampleRejected
        {
            add => Change(() => readers.Rejected += value);
            remove => Change(() => readers.Rejected -= value);
        }

        /// <summary>Writers live or live no more: of a reader without a handler of it.</summary>
        public event Action<Entity, LivelinessChangedStatus> LivelinessChanged
        {
            add => Change(() => readers.Liveliness += value);
            remove => Change(() => readers.Liveliness -= value);
        }

        /// <summary>A writer offers less than the reader asks for: of a reader without a handler of it.</summary>
        public event Action<Entity, IncompatibleQosStatus> RequestedIncompatibleQos
        {
            add => Change(() => readers.Incompatible += value);
            remove => Change(() => readers.Incompatible -= value);
        }

        private protected override StatusMask Wanted =>
            writers.Wanted | readers.Wanted | (dataOnReaders == null ? 0 : StatusMask.DataOnReaders)
            | (inconsistent == null ? 0 : StatusMask.InconsistentTopic);

        internal override void OnDataOnReaders(ulong handle) =>
            dataOnReaders?.Invoke((Subscriber)Entities.Group(handle, made => new Subscriber(this, made)));

        internal override void OnDataAvailable(ulong handle) => Entities.Tell(handle, readers.Available);

        internal override void OnStatus(ulong handle, in NativeStatus status) => Entities.Tell(handle, status, Raise);

        private void Raise(Entity entity, in NativeStatus status)
        {
            if ((StatusMask)status.Kind == StatusMask.InconsistentTopic)
            {
                inconsistent?.Invoke(entity, CountStatus(status));
                return;
            }
            // Each has what the other has not.
            writers.Raise(entity, status);
            readers.Raise(entity, status);
        }
    }
}
