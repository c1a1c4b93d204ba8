using System.Collections.Generic;

namespace Dunlin.Qos
{
    /// <summary>The policies of publishers and subscribers.</summary>
    public abstract class GroupQos<TSelf> : PolicySet<TSelf> where TSelf : GroupQos<TSelf>
    {
        private protected GroupQos(Settings settings) : base(settings) { }

        /// <summary>GROUP_DATA.</summary>
        public IReadOnlyList<byte> GroupData => Settings.Data;

        /// <summary>PARTITION.</summary>
        public IReadOnlyList<string> Partitions => Settings.Partitions;

        /// <summary>PRESENTATION: the scope.</summary>
        public AccessScope AccessScope => (AccessScope)Settings.AccessScope;

        /// <summary>PRESENTATION: coherent access.</summary>
        public bool CoherentAccess => Settings.Coherent;

        /// <summary>PRESENTATION: ordered access.</summary>
        public bool OrderedAccess => Settings.Ordered;

        /// <summary>ENTITY_NAME.</summary>
        public string EntityName => Settings.EntityName;

        /// <summary>ENTITY_FACTORY: what it creates is enabled at once.</summary>
        public bool AutoenableCreatedEntities => Settings.Autoenable;

        /// <summary>GROUP_DATA.</summary>
        public TSelf WithGroupData(byte[] data) =>
            With(settings => settings.Data = (byte[])data.Clone());

        /// <summary>PARTITION: these instead of those that are there.</summary>
        public TSelf WithPartitions(params string[] names) =>
            With(settings => settings.Partitions = names);

        /// <summary>PRESENTATION.</summary>
        public TSelf WithPresentation(AccessScope scope, bool coherent, bool ordered) =>
            With(settings =>
            {
                settings.AccessScope = (int)scope;
                settings.Coherent = coherent;
                settings.Ordered = ordered;
            });

        /// <summary>ENTITY_NAME.</summary>
        public TSelf WithEntityName(string name) =>
            With(settings => settings.EntityName = name);

        /// <summary>ENTITY_FACTORY.</summary>
        public TSelf WithAutoenable(bool value) =>
            With(settings => settings.Autoenable = value);
    }

    /// <summary>QoS of a publisher.</summary>
    public sealed class PublisherQos : GroupQos<PublisherQos>
    {
        private PublisherQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static PublisherQos Default => new PublisherQos(Defaults.Publisher);

        internal static PublisherQos Of(Settings settings) => new PublisherQos(settings);

        private protected override PublisherQos Made(Settings settings) => new PublisherQos(settings);
    }

    /// <summary>QoS of a subscriber.</summary>
    public sealed class SubscriberQos : GroupQos<SubscriberQos>
    {
        private SubscriberQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static SubscriberQos Default => new SubscriberQos(Defaults.Subscriber);

        internal static SubscriberQos Of(Settings settings) => new SubscriberQos(settings);

        private protected override SubscriberQos Made(Settings settings) => new SubscriberQos(settings);
    }

    /// <summary>QoS of a participant.</summary>
    public sealed class DomainParticipantQos : PolicySet<DomainParticipantQos>
    {
        private DomainParticipantQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static DomainParticipantQos Default => new DomainParticipantQos(Defaults.Participant);

        internal static DomainParticipantQos Of(Settings settings) => new DomainParticipantQos(settings);

        private protected override DomainParticipantQos Made(Settings settings) => new DomainParticipantQos(settings);

        /// <summary>ENTITY_NAME.</summary>
        public string EntityName => Settings.EntityName;

        /// <summary>USER_DATA.</summary>
        public IReadOnlyList<byte> UserData => Settings.Data;

        /// <summary>PROPERTY.</summary>
        public IReadOnlyList<Property> Properties => Settings.Properties;

        /// <summary>ENTITY_NAME.</summary>
        public DomainParticipantQos WithEntityName(string name) =>
            With(settings => settings.EntityName = name);

        /// <summary>USER_DATA.</summary>
        public DomainParticipantQos WithUserData(byte[] data) =>
            With(settings => settings.Data = (byte[])data.Clone());

        /// <summary>PROPERTY: these instead of those that are there.</summary>
        public DomainParticipantQos WithProperties(params Property[] properties) =>
            With(settings => settings.Properties = properties);

        /// <summary>ENTITY_FACTORY: what it creates is enabled at once.</summary>
        public bool AutoenableCreatedEntities => Settings.Autoenable;

        /// <summary>ENTITY_FACTORY.</summary>
        public DomainParticipantQos WithAutoenable(bool value) =>
            With(settings => settings.Autoenable = value);
    }
}
