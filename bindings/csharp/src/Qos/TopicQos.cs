using System;
using System.Collections.Generic;
using System.Linq;

namespace Dunlin.Qos
{
    /// <summary>QoS of a topic. All but its data is advice for its writers and readers.</summary>
    public sealed class TopicQos : EndpointQos<TopicQos>
    {
        private TopicQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static TopicQos Default => new TopicQos(Defaults.Topic);

        internal static TopicQos Of(Settings settings) => new TopicQos(settings);

        private protected override TopicQos Made(Settings settings) => new TopicQos(settings);

        /// <summary>TOPIC_DATA.</summary>
        public IReadOnlyList<byte> TopicData => Settings.Data;

        /// <summary>TOPIC_DATA.</summary>
        public TopicQos WithTopicData(byte[] data) =>
            With(settings => settings.Data = (byte[])data.Clone());

        /// <summary>DURABILITY_SERVICE: which history.</summary>
        public History ServiceHistory => (History)Settings.ServiceHistory;

        /// <summary>DURABILITY_SERVICE: its depth.</summary>
        public int ServiceDepth => Settings.ServiceDepth;

        /// <summary>DURABILITY_SERVICE: when instances that ended are forgotten.</summary>
        public TimeSpan ServiceCleanupDelay => Duration.From(Settings.ServiceCleanupDelay);

        /// <summary>DURABILITY_SERVICE.</summary>
        public TopicQos WithDurabilityService(
            History history,
            int depth,
            TimeSpan cleanupDelay,
            int maxSamples = ResourceLimits.Unlimited,
            int maxInstances = ResourceLimits.Unlimited,
            int maxSamplesPerInstance = ResourceLimits.Unlimited) =>
            With(settings =>
            {
                settings.ServiceHistory = (int)history;
                settings.ServiceDepth = depth;
                settings.ServiceCleanupDelay = Duration.Of(cleanupDelay);
                settings.ServiceMaxSamples = maxSamples;
                settings.ServiceMaxInstances = maxInstances;
                settings.ServiceMaxSamplesPerInstance = maxSamplesPerInstance;
            });

        /// <summary>LIFESPAN.</summary>
        public TimeSpan Lifespan => Duration.From(Settings.Lifespan);

        /// <summary>LIFESPAN.</summary>
        public TopicQos WithLifespan(TimeSpan duration) =>
            With(settings => settings.Lifespan = Duration.Of(duration));

        /// <summary>TRANSPORT_PRIORITY.</summary>
        public int TransportPriority => Settings.TransportPriority;

        /// <summary>TRANSPORT_PRIORITY.</summary>
        public TopicQos WithTransportPriority(int priority) =>
            With(settings => settings.TransportPriority = priority);

        /// <summary>DATA_REPRESENTATION.</summary>
        public IReadOnlyList<Representation> Representations => new[] { Representation.Xcdr1, Representation.Xcdr2 }
            .Where(one => (Settings.Representations >> (int)one & 1) != 0).ToArray();

        /// <summary>DATA_REPRESENTATION.</summary>
        public TopicQos WithRepresentations(params Representation[] representations) =>
            With(settings => settings.Representations =
                representations.Aggregate(0, (bits, one) => bits | 1 << (int)one));
    }

    /// <summary>QoS of a writer.</summary>
    public sealed class DataWriterQos : EndpointQos<DataWriterQos>
    {
        private DataWriterQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static DataWriterQos Default => new DataWriterQos(Defaults.Writer);

        internal static DataWriterQos Of(Settings settings) => new DataWriterQos(settings);

        private protected override DataWriterQos Made(Settings settings) => new DataWriterQos(settings);

        /// <summary>ENTITY_NAME.</summary>
        public string EntityName => Settings.EntityName;

        /// <summary>USER_DATA.</summary>
        public IReadOnlyList<byte> UserData => Settings.Data;

        /// <summary>PROPERTY.</summary>
        public IReadOnlyList<Property> Properties => Settings.Properties;

        /// <summary>ENTITY_NAME.</summary>
        public DataWriterQos WithEntityName(string name) =>
            With(settings => settings.EntityName = name);

        /// <summary>USER_DATA.</summary>
        public DataWriterQos WithUserData(byte[] data) =>
            With(settings => settings.Data = (byte[])data.Clone());

        /// <summary>PROPERTY: these instead of those that are there.</summary>
        public DataWriterQos WithProperties(params Property[] properties) =>
            With(settings => settings.Properties = properties);

        /// <summary>DURABILITY_SERVICE: which history.</summary>
        public History ServiceHistory => (History)Settings.ServiceHistory;

        /// <summary>DURABILITY_SERVICE: its depth.</summary>
        public int ServiceDepth => Settings.ServiceDepth;

        /// <summary>DURABILITY_SERVICE: when instances that ended are forgotten.</summary>
        public TimeSpan ServiceCleanupDelay => Duration.From(Settings.ServiceCleanupDelay);

        /// <summary>DURABILITY_SERVICE.</summary>
        public DataWriterQos WithDurabilityService(
            History history,
            int depth,
            TimeSpan cleanupDelay,
            int maxSamples = ResourceLimits.Unlimited,
            int maxInstances = ResourceLimits.Unlimited,
            int maxSamplesPerInstance = ResourceLimits.Unlimited) =>
            With(settings =>
            {
                settings.ServiceHistory = (int)history;
                settings.ServiceDepth = depth;
                settings.ServiceCleanupDelay = Duration.Of(cleanupDelay);
                settings.ServiceMaxSamples = maxSamples;
                settings.ServiceMaxInstances = maxInstances;
                settings.ServiceMaxSamplesPerInstance = maxSamplesPerInstance;
            });

        /// <summary>LIFESPAN.</summary>
        public TimeSpan Lifespan => Duration.From(Settings.Lifespan);

        /// <summary>LIFESPAN.</summary>
        public DataWriterQos WithLifespan(TimeSpan duration) =>
            With(settings => settings.Lifespan = Duration.Of(duration));

        /// <summary>TRANSPORT_PRIORITY.</summary>
        public int TransportPriority => Settings.TransportPriority;

        /// <summary>TRANSPORT_PRIORITY.</summary>
        public DataWriterQos WithTransportPriority(int priority) =>
            With(settings => settings.TransportPriority = priority);

        /// <summary>OWNERSHIP_STRENGTH.</summary>
        public int OwnershipStrength => Settings.OwnershipStrength;

        /// <summary>OWNERSHIP_STRENGTH.</summary>
        public DataWriterQos WithOwnershipStrength(int strength) =>
            With(settings => settings.OwnershipStrength = strength);

        /// <summary>DATA_REPRESENTATION.</summary>
        public Representation Representation => (Representation)Settings.Representation;

        /// <summary>DATA_REPRESENTATION.</summary>
        public DataWriterQos WithRepresentation(Representation representation) =>
            With(settings => settings.Representation = (int)representation);

        /// <summary>Samples are gathered until they have so many bytes; 0 sends each at once.</summary>
        public int BatchBytes => (int)Settings.BatchBytes;

        /// <summary>Gathers samples until they have so many bytes; 0 sends each at once.</summary>
        public DataWriterQos WithBatchBytes(int bytes) =>
            With(settings => settings.BatchBytes = (uint)Math.Max(bytes, 0));

        /// <summary>WRITER_DATA_LIFECYCLE: unregistering disposes.</summary>
        public bool AutodisposeUnregisteredInstances => Settings.Autodispose;

        /// <summary>WRITER_DATA_LIFECYCLE: unregistering disposes.</summary>
        public DataWriterQos WithAutodisposeUnregisteredInstances(bool value) =>
            With(settings => settings.Autodispose = value);
    }
}
