using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Dunlin.Status;

namespace Dunlin
{
    public sealed partial class DataReader<T>
    {
        private readonly ReaderHandlers<DataReader<T>> handlers = new ReaderHandlers<DataReader<T>>();

        /// <summary>SUBSCRIPTION_MATCHED.</summary>
        public MatchedStatus SubscriptionMatchedStatus => MatchedStatus(Status(StatusMask.SubscriptionMatched));

        /// <summary>REQUESTED_DEADLINE_MISSED.</summary>
        public CountStatus RequestedDeadlineMissedStatus => CountStatus(StatusMask.RequestedDeadlineMissed);

        /// <summary>SAMPLE_LOST.</summary>
        public CountStatus SampleLostStatus => CountStatus(StatusMask.SampleLost);

        /// <summary>SAMPLE_REJECTED.</summary>
        public SampleRejectedStatus SampleRejectedStatus => RejectedStatus(Status(StatusMask.SampleRejected));

        /// <summary>LIVELINESS_CHANGED.</summary>
        public LivelinessChangedStatus LivelinessChangedStatus => LivelinessStatus(Status(StatusMask.LivelinessChanged));

        /// <summary>REQUESTED_INCOMPATIBLE_QOS.</summary>
        public IncompatibleQosStatus RequestedIncompatibleQosStatus =>
            IncompatibleQosStatus(Status(StatusMask.RequestedIncompatibleQos));

        /// <summary>
        /// There is data to take. Handlers are called on the thread that received, without any lock, one
        /// at a time.
        /// </summary>
        public event Action<DataReader<T>> DataAvailable
        {
            add => Change(() => handlers.Available += value);
            remove => Change(() => handlers.Available -= value);
        }

        /// <summary>A writer came or went.</summary>
        public event Action<DataReader<T>, MatchedStatus> SubscriptionMatched
        {
            add => Change(() => handlers.Matched += value);
            remove => Change(() => handlers.Matched -= value);
        }

        /// <summary>An instance was not written within the deadline.</summary>
        public event Action<DataReader<T>, CountStatus> RequestedDeadlineMissed
        {
            add => Change(() => handlers.DeadlineMissed += value);
            remove => Change(() => handlers.DeadlineMissed -= value);
        }

        /// <summary>Samples were lost.</summary>
        public event Action<DataReader<T>, CountStatus> SampleLost
        {
            add => Change(() => handlers.Lost += value);
            remove => Change(() => handlers.Lost -= value);
        }

        /// <summary>A sample was rejected for a limit.</summary>
        public event Action<DataReader<T>, SampleRejectedStatus> SampleRejected
        {
            add => Change(() => handlers.Rejected += value);
            remove => Change(() => handlers.Rejected -= value);
        }

        /// <summary>Writers live or live no more.</summary>
        public event Action<DataReader<T>, LivelinessChangedStatus> LivelinessChanged
        {
            add => Change(() => handlers.Liveliness += value);
            remove => Change(() => handlers.Liveliness -= value);
        }

        /// <summary>A writer offers less than the reader asks for.</summary>
        public event Action<DataReader<T>, IncompatibleQosStatus> RequestedIncompatibleQos
        {
            add => Change(() => handlers.Incompatible += value);
            remove => Change(() => handlers.Incompatible -= value);
        }

        private protected override StatusMask Wanted => handlers.Wanted;

        internal override void OnDataAvailable(ulong handle)
        {
            if (Handle == 0)
            {
                // The call that makes the reader has not returned yet.
                Handle = handle;
            }
            handlers.Available?.Invoke(this);
        }

        internal override void OnStatus(ulong handle, in NativeStatus status)
        {
            if (Handle == 0)
            {
                Handle = handle;
            }
            handlers.Raise(this, status);
        }

        /// <summary>
        /// Takes samples as they come, each as a value of its own, until it is cancelled. Code behind an
        /// <c>await</c> runs on the thread pool.
        /// </summary>
        public async IAsyncEnumerable<Sample<T>> TakeAsync(
            [EnumeratorCancellation] CancellationToken cancel = default)
        {
            using Arrivals arrivals = new Arrivals(this);
            using CancellationTokenRegistration registration = cancel.Register(arrivals.End);
            for (;;)
            {
                while (!cancel.IsCancellationRequested && Fresh(out Sample<T> sample))
                {
                    yield return sample;
                }
                cancel.ThrowIfCancellationRequested();
                ValueTask next = arrivals.Next();
                if (cancel.IsCancellationRequested)
                {
                    // It was cancelled before there was a wait to be ended.
                    arrivals.End();
                }
                await next.ConfigureAwait(false);
            }
        }

        private bool Fresh(out Sample<T> sample)
        {
            T value = support.Create();
            bool isThere = TakeNext(ref value, out SampleInfo info);
            sample = new Sample<T>(value, info);
            return isThere;
        }
    }
}
