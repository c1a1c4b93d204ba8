using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Dunlin.Status;

namespace Dunlin
{
    public sealed partial class DataReader<T>
    {
        private Action<DataReader<T>>? available;
        private Action<DataReader<T>>? released;
        private Action<DataReader<T>, MatchedStatus>? matched;
        private Action<DataReader<T>, CountStatus>? deadlineMissed;
        private Action<DataReader<T>, CountStatus>? lost;
        private Action<DataReader<T>, SampleRejectedStatus>? rejected;
        private Action<DataReader<T>, LivelinessChangedStatus>? liveliness;
        private Action<DataReader<T>, IncompatibleQosStatus>? incompatible;

        /// <summary>SUBSCRIPTION_MATCHED.</summary>
        public MatchedStatus SubscriptionMatchedStatus => MatchedStatus(Status(StatusMask.SubscriptionMatched));

        /// <summary>REQUESTED_DEADLINE_MISSED.</summary>
        public CountStatus RequestedDeadlineMissedStatus => CountStatus(StatusMask.RequestedDeadlineMissed);

        /// <summary>SAMPLE_LOST.</summary>
        public CountStatus SampleLostStatus => CountStatus(StatusMask.SampleLost);

        /// <summary>SAMPLE_REJECTED.</summary>
        public SampleRejectedStatus SampleRejectedStatus => Rejected(Status(StatusMask.SampleRejected));

        /// <summary>LIVELINESS_CHANGED.</summary>
        public LivelinessChangedStatus LivelinessChangedStatus => Liveliness(Status(StatusMask.LivelinessChanged));

        /// <summary>REQUESTED_INCOMPATIBLE_QOS.</summary>
        public IncompatibleQosStatus RequestedIncompatibleQosStatus =>
            IncompatibleQosStatus(Status(StatusMask.RequestedIncompatibleQos));

        private static SampleRejectedStatus Rejected(in NativeStatus status)
        {
            return new SampleRejectedStatus(
                Count(status, 0), Count(status, 1), (SampleRejectedReason)status.Reason, status.Last);
        }

        private static LivelinessChangedStatus Liveliness(in NativeStatus status)
        {
            return new LivelinessChangedStatus(
                Count(status, 0), Count(status, 1), Count(status, 2), Count(status, 3), status.Last);
        }

        /// <summary>
        /// There is data to take. Handlers are called on the thread that received, without any lock, one
        /// at a time.
        /// </summary>
        public event Action<DataReader<T>> DataAvailable
        {
            add => Change(() => available += value);
            remove => Change(() => available -= value);
        }

        /// <summary>A writer came or went.</summary>
        public event Action<DataReader<T>, MatchedStatus> SubscriptionMatched
        {
            add => Change(() => matched += value);
            remove => Change(() => matched -= value);
        }

        /// <summary>An instance was not written within the deadline.</summary>
        public event Action<DataReader<T>, CountStatus> RequestedDeadlineMissed
        {
            add => Change(() => deadlineMissed += value);
            remove => Change(() => deadlineMissed -= value);
        }

        /// <summary>Samples were lost.</summary>
        public event Action<DataReader<T>, CountStatus> SampleLost
        {
            add => Change(() => lost += value);
            remove => Change(() => lost -= value);
        }

        /// <summary>A sample was rejected for a limit.</summary>
        public event Action<DataReader<T>, SampleRejectedStatus> SampleRejected
        {
            add => Change(() => rejected += value);
            remove => Change(() => rejected -= value);
        }

        /// <summary>Writers live or live no more.</summary>
        public event Action<DataReader<T>, LivelinessChangedStatus> LivelinessChanged
        {
            add => Change(() => liveliness += value);
            remove => Change(() => liveliness -= value);
        }

        /// <summary>A writer offers less than the reader asks for.</summary>
        public event Action<DataReader<T>, IncompatibleQosStatus> RequestedIncompatibleQos
        {
            add => Change(() => incompatible += value);
            remove => Change(() => incompatible -= value);
        }

        private protected override StatusMask Wanted =>
            (available == null ? 0 : StatusMask.DataAvailable)
            | (matched == null ? 0 : StatusMask.SubscriptionMatched)
            | (deadlineMissed == null ? 0 : StatusMask.RequestedDeadlineMissed)
            | (lost == null ? 0 : StatusMask.SampleLost)
            | (rejected == null ? 0 : StatusMask.SampleRejected)
            | (liveliness == null ? 0 : StatusMask.LivelinessChanged)
            | (incompatible == null ? 0 : StatusMask.RequestedIncompatibleQos);

        internal override void OnDataAvailable(ulong handle)
        {
            if (Handle == 0)
            {
                // The call that makes the reader has not returned yet.
                Handle = handle;
            }
            available?.Invoke(this);
        }

        internal override void OnStatus(ulong handle, in NativeStatus status)
        {
            if (Handle == 0)
            {
                Handle = handle;
            }
            switch ((StatusMask)status.Kind)
            {
                case StatusMask.SubscriptionMatched:
                    matched?.Invoke(this, MatchedStatus(status));
                    break;
                case StatusMask.RequestedDeadlineMissed:
                    deadlineMissed?.Invoke(this, CountStatus(status));
                    break;
                case StatusMask.SampleLost:
                    lost?.Invoke(this, CountStatus(status));
                    break;
                case StatusMask.SampleRejected:
                    rejected?.Invoke(this, Rejected(status));
                    break;
                case StatusMask.LivelinessChanged:
                    liveliness?.Invoke(this, Liveliness(status));
                    break;
                case StatusMask.RequestedIncompatibleQos:
                    incompatible?.Invoke(this, IncompatibleQosStatus(status));
                    break;
            }
        }

        /// <summary>
        /// Takes samples as they come, each as a value of its own, until it is cancelled. Code behind an
        /// <c>await</c> runs on the thread pool.
        /// </summary>
        public async IAsyncEnumerable<Sample<T>> TakeAsync(
            [EnumeratorCancellation] CancellationToken cancel = default)
        {
            SemaphoreSlim wake = new SemaphoreSlim(1);
            Action<DataReader<T>> woken = reader =>
            {
                if (wake.CurrentCount == 0)
                {
                    wake.Release();
                }
            };
            DataAvailable += woken;
            Change(() => released += woken);
            try
            {
                for (;;)
                {
                    await wake.WaitAsync(cancel).ConfigureAwait(false);
                    while (!cancel.IsCancellationRequested && Fresh(out Sample<T> sample))
                    {
                        yield return sample;
                    }
                    cancel.ThrowIfCancellationRequested();
                }
            }
            finally
            {
                Change(() => released -= woken);
                Forget(woken);
            }
        }

        // A reader that has ended has no handlers any more.
        private void Forget(Action<DataReader<T>> woken)
        {
            try
            {
                DataAvailable -= woken;
            }
            catch (AlreadyDeletedException)
            {
            }
        }

        // Whoever waits sees that the reader has ended.
        internal override void OnReleased() => released?.Invoke(this);

        private bool Fresh(out Sample<T> sample)
        {
            T value = support.Create();
            bool isThere = TakeNext(ref value, out SampleInfo info);
            sample = new Sample<T>(value, info);
            return isThere;
        }
    }
}
