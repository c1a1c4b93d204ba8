using System;
using System.Collections.Generic;

namespace Dunlin.Qos
{
    /// <summary>Policies that do not change: each <c>With</c> gives others.</summary>
    public abstract class PolicySet<TSelf> where TSelf : PolicySet<TSelf>
    {
        private protected PolicySet(Settings settings)
        {
            Settings = settings;
        }

        internal Settings Settings { get; }

        private protected abstract TSelf Made(Settings settings);

        private protected TSelf With(Action<Settings> change)
        {
            Settings settings = Settings.Copy();
            change(settings);
            return Made(settings);
        }
    }

    /// <summary>The policies that topics, writers and readers have.</summary>
    public abstract class EndpointQos<TSelf> : PolicySet<TSelf> where TSelf : EndpointQos<TSelf>
    {
        private protected EndpointQos(Settings settings) : base(settings) { }

        /// <summary>DURABILITY.</summary>
        public Durability Durability => (Durability)Settings.Durability;

        /// <summary>DURABILITY.</summary>
        public TSelf WithDurability(Durability durability) =>
            With(settings => settings.Durability = (int)durability);

        /// <summary>RELIABILITY.</summary>
        public Reliability Reliability => (Reliability)Settings.Reliability;

        /// <summary>RELIABILITY: how long a write waits for room.</summary>
        public TimeSpan MaxBlockingTime => Duration.From(Settings.MaxBlockingTime);

        /// <summary>RELIABILITY: lost samples are sent again.</summary>
        public TSelf WithReliable() =>
            With(settings => settings.Reliability = (int)Reliability.Reliable);

        /// <summary>The same, and a write waits so long for room.</summary>
        public TSelf WithReliable(TimeSpan maxBlockingTime) =>
            With(settings =>
            {
                settings.Reliability = (int)Reliability.Reliable;
                settings.MaxBlockingTime = Duration.Of(maxBlockingTime);
            });

        /// <summary>RELIABILITY: samples may be lost.</summary>
        public TSelf WithBestEffort() =>
            With(settings => settings.Reliability = (int)Reliability.BestEffort);

        /// <summary>HISTORY.</summary>
        public History History => (History)Settings.History;

        /// <summary>HISTORY: how many samples of an instance KEEP_LAST keeps.</summary>
        public int Depth => Settings.Depth;

        /// <summary>HISTORY: the latest samples of each instance.</summary>
        public TSelf WithKeepLast(int depth) =>
            With(settings =>
            {
                settings.History = (int)History.KeepLast;
                settings.Depth = depth;
            });

        /// <summary>HISTORY: all samples, within the limits.</summary>
        public TSelf WithKeepAll() =>
            With(settings => settings.History = (int)History.KeepAll);

        /// <summary>RESOURCE_LIMITS.</summary>
        public int MaxSamples => Settings.MaxSamples;

        /// <summary>RESOURCE_LIMITS.</summary>
        public int MaxInstances => Settings.MaxInstances;

        /// <summary>RESOURCE_LIMITS.</summary>
        public int MaxSamplesPerInstance => Settings.MaxSamplesPerInstance;

        /// <summary>RESOURCE_LIMITS; <see cref="ResourceLimits.Unlimited"/> is none.</summary>
        public TSelf WithResourceLimits(
            int maxSamples = ResourceLimits.Unlimited,
            int maxInstances = ResourceLimits.Unlimited,
            int maxSamplesPerInstance = ResourceLimits.Unlimited) =>
            With(settings =>
            {
                settings.MaxSamples = maxSamples;
                settings.MaxInstances = maxInstances;
                settings.MaxSamplesPerInstance = maxSamplesPerInstance;
            });

        /// <summary>DEADLINE.</summary>
        public TimeSpan Deadline => Duration.From(Settings.Deadline);

        /// <summary>DEADLINE.</summary>
        public TSelf WithDeadline(TimeSpan period) =>
            With(settings => settings.Deadline = Duration.Of(period));

        /// <summary>LATENCY_BUDGET.</summary>
        public TimeSpan LatencyBudget => Duration.From(Settings.LatencyBudget);

        /// <summary>LATENCY_BUDGET.</summary>
        public TSelf WithLatencyBudget(TimeSpan duration) =>
            With(settings => settings.LatencyBudget = Duration.Of(duration));

        /// <summary>LIVELINESS.</summary>
        public Liveliness Liveliness => (Liveliness)Settings.Liveliness;

        /// <summary>LIVELINESS: the lease.</summary>
        public TimeSpan LeaseDuration => Duration.From(Settings.LeaseDuration);

        /// <summary>LIVELINESS.</summary>
        public TSelf WithLiveliness(Liveliness kind, TimeSpan leaseDuration) =>
            With(settings =>
            {
                settings.Liveliness = (int)kind;
                settings.LeaseDuration = Duration.Of(leaseDuration);
            });

        /// <summary>OWNERSHIP.</summary>
        public Ownership Ownership => (Ownership)Settings.Ownership;

        /// <summary>OWNERSHIP.</summary>
        public TSelf WithOwnership(Ownership ownership) =>
            With(settings => settings.Ownership = (int)ownership);

        /// <summary>DESTINATION_ORDER.</summary>
        public DestinationOrder DestinationOrder => (DestinationOrder)Settings.DestinationOrder;

        /// <summary>DESTINATION_ORDER.</summary>
        public TSelf WithDestinationOrder(DestinationOrder order) =>
            With(settings => settings.DestinationOrder = (int)order);
    }
}
