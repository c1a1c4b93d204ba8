using System;
using System.Collections.Generic;

namespace Dunlin.Status
{
    /// <summary>The statuses of DDS 1.4.</summary>
    [Flags]
    public enum StatusMask : uint
    {
        /// <summary>None.</summary>
        None = 0,
        /// <summary>Somebody has a topic of this name with another type.</summary>
        InconsistentTopic = 1,
        /// <summary>A writer did not keep its deadline.</summary>
        OfferedDeadlineMissed = 2,
        /// <summary>An instance was not written within the deadline.</summary>
        RequestedDeadlineMissed = 4,
        /// <summary>A reader asks for more than the writer offers.</summary>
        OfferedIncompatibleQos = 32,
        /// <summary>A writer offers less than the reader asks for.</summary>
        RequestedIncompatibleQos = 64,
        /// <summary>Samples were lost.</summary>
        SampleLost = 128,
        /// <summary>Samples were rejected for a limit.</summary>
        SampleRejected = 256,
        /// <summary>Some reader of a subscriber has data.</summary>
        DataOnReaders = 512,
        /// <summary>There is data to take.</summary>
        DataAvailable = 1024,
        /// <summary>A writer did not assert that it lives.</summary>
        LivelinessLost = 2048,
        /// <summary>Writers live or live no more.</summary>
        LivelinessChanged = 4096,
        /// <summary>A reader came or went.</summary>
        PublicationMatched = 8192,
        /// <summary>A writer came or went.</summary>
        SubscriptionMatched = 16384,
        /// <summary>All.</summary>
        All = 0xffffffff,
    }

    /// <summary>A status that counts something.</summary>
    public readonly struct CountStatus
    {
        internal CountStatus(int total, int change, InstanceHandle last)
        {
            TotalCount = total;
            TotalCountChange = change;
            LastHandle = last;
        }

        /// <summary>How often ever.</summary>
        public int TotalCount { get; }

        /// <summary>How often since it was last read.</summary>
        public int TotalCountChange { get; }

        /// <summary>The instance or endpoint that it was about last.</summary>
        public InstanceHandle LastHandle { get; }
    }

    /// <summary>PUBLICATION_MATCHED and SUBSCRIPTION_MATCHED.</summary>
    public readonly struct MatchedStatus
    {
        internal MatchedStatus(int total, int change, int current, int currentChange, InstanceHandle last)
        {
            TotalCount = total;
            TotalCountChange = change;
            CurrentCount = current;
            CurrentCountChange = currentChange;
            LastHandle = last;
        }

        /// <summary>How many ever.</summary>
        public int TotalCount { get; }

        /// <summary>How many since it was last read.</summary>
        public int TotalCountChange { get; }

        /// <summary>How many now.</summary>
        public int CurrentCount { get; }

        /// <summary>The change of that since it was last read.</summary>
        public int CurrentCountChange { get; }

        /// <summary>The endpoint that came or went last.</summary>
        public InstanceHandle LastHandle { get; }
    }

    /// <summary>LIVELINESS_CHANGED.</summary>
    public readonly struct LivelinessChangedStatus
    {
        internal LivelinessChangedStatus(int alive, int change, int notAlive, int notAliveChange, InstanceHandle last)
        {
            AliveCount = alive;
            AliveCountChange = change;
            NotAliveCount = notAlive;
            NotAliveCountChange = notAliveChange;
            LastPublicationHandle = last;
        }

        /// <summary>Writers that live.</summary>
        public int AliveCount { get; }

        /// <summary>The change of that since it was last read.</summary>
        public int AliveCountChange { get; }

        /// <summary>Writers that live no more.</summary>
        public int NotAliveCount { get; }

        /// <summary>The change of that since it was last read.</summary>
        public int NotAliveCountChange { get; }

        /// <summary>The writer that it was about last.</summary>
        public InstanceHandle LastPublicationHandle { get; }
    }

    /// <summary>OFFERED_INCOMPATIBLE_QOS and REQUESTED_INCOMPATIBLE_QOS.</summary>
    public readonly struct IncompatibleQosStatus
    {
        internal IncompatibleQosStatus(int total, int change, int last, IReadOnlyDictionary<int, int> policies)
        {
            TotalCount = total;
            TotalCountChange = change;
            LastPolicyId = last;
            Policies = policies;
        }

        /// <summary>How often ever.</summary>
        public int TotalCount { get; }

        /// <summary>How often since it was last read.</summary>
        public int TotalCountChange { get; }

        /// <summary>The policy that stood in the way last, by the number that the standard gives it.</summary>
        public int LastPolicyId { get; }

        /// <summary>How often each policy stood in the way.</summary>
        public IReadOnlyDictionary<int, int> Policies { get; }
    }

    /// <summary>Which limit a sample was rejected for.</summary>
    public enum SampleRejectedReason
    {
        /// <summary>None was.</summary>
        NotRejected = 0,
        /// <summary>That of instances.</summary>
        InstancesLimit = 1,
        /// <summary>That of samples.</summary>
        SamplesLimit = 2,
        /// <summary>That of samples of one instance.</summary>
        SamplesPerInstanceLimit = 3,
    }

    /// <summary>SAMPLE_REJECTED.</summary>
    public readonly struct SampleRejectedStatus
    {
        internal SampleRejectedStatus(int total, int change, SampleRejectedReason last, InstanceHandle instance)
        {
            TotalCount = total;
            TotalCountChange = change;
            LastReason = last;
            LastInstanceHandle = instance;
        }

        /// <summary>How often ever.</summary>
        public int TotalCount { get; }

        /// <summary>How often since it was last read.</summary>
        public int TotalCountChange { get; }

        /// <summary>Which limit it was last.</summary>
        public SampleRejectedReason LastReason { get; }

        /// <summary>The instance that it was about last.</summary>
        public InstanceHandle LastInstanceHandle { get; }
    }
}
