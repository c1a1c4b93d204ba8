using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;

namespace Dunlin.Qos
{
    /// <summary>QoS of a reader.</summary>
    public sealed class DataReaderQos : EndpointQos<DataReaderQos>
    {
        private DataReaderQos(Settings settings) : base(settings) { }

        /// <summary>The default of the library.</summary>
        public static DataReaderQos Default => new DataReaderQos(Defaults.Reader);

        internal static DataReaderQos Of(Settings settings) => new DataReaderQos(settings);

        private protected override DataReaderQos Made(Settings settings) => new DataReaderQos(settings);

        /// <summary>ENTITY_NAME.</summary>
        public string EntityName => Settings.EntityName;

        /// <summary>USER_DATA.</summary>
        public IReadOnlyList<byte> UserData => Settings.Data;

        /// <summary>PROPERTY.</summary>
        public IReadOnlyList<Property> Properties => Settings.Properties;

        /// <summary>ENTITY_NAME.</summary>
        public DataReaderQos WithEntityName(string name) =>
            With(settings => settings.EntityName = name);

        /// <summary>USER_DATA.</summary>
        public DataReaderQos WithUserData(byte[] data) =>
            With(settings => settings.Data = (byte[])data.Clone());

        /// <summary>PROPERTY: these instead of those that are there.</summary>
        public DataReaderQos WithProperties(params Property[] properties) =>
            With(settings => settings.Properties = properties);

        /// <summary>TIME_BASED_FILTER.</summary>
        public TimeSpan MinimumSeparation => Duration.From(Settings.MinimumSeparation);

        /// <summary>TIME_BASED_FILTER.</summary>
        public DataReaderQos WithMinimumSeparation(TimeSpan separation) =>
            With(settings => settings.MinimumSeparation = Duration.Of(separation));

        /// <summary>READER_DATA_LIFECYCLE: of instances without writers.</summary>
        public TimeSpan AutopurgeNoWriterSamplesDelay => Duration.From(Settings.AutopurgeNowriter);

        /// <summary>READER_DATA_LIFECYCLE: of disposed instances.</summary>
        public TimeSpan AutopurgeDisposedSamplesDelay => Duration.From(Settings.AutopurgeDisposed);

        /// <summary>READER_DATA_LIFECYCLE: when instances without writers and disposed ones are forgotten.</summary>
        public DataReaderQos WithAutopurge(TimeSpan noWriterDelay, TimeSpan disposedDelay) =>
            With(settings =>
            {
                settings.AutopurgeNowriter = Duration.Of(noWriterDelay);
                settings.AutopurgeDisposed = Duration.Of(disposedDelay);
            });

        /// <summary>DATA_REPRESENTATION.</summary>
        public IReadOnlyList<Representation> Representations => new[] { Representation.Xcdr1, Representation.Xcdr2 }
            .Where(one => (Settings.Representations >> (int)one & 1) != 0).ToArray();

        /// <summary>DATA_REPRESENTATION.</summary>
        public DataReaderQos WithRepresentations(params Representation[] representations) =>
            With(settings => settings.Representations =
                representations.Aggregate(0, (bits, one) => bits | 1 << (int)one));

        /// <summary>TYPE_CONSISTENCY_ENFORCEMENT.</summary>
        public TypeConsistency TypeConsistency => (TypeConsistency)Settings.TypeConsistency;

        /// <summary>TYPE_CONSISTENCY_ENFORCEMENT.</summary>
        public DataReaderQos WithTypeConsistency(
            TypeConsistency kind,
            bool ignoreSequenceBounds = true,
            bool ignoreStringBounds = true,
            bool ignoreMemberNames = false,
            bool preventTypeWidening = false,
            bool forceTypeValidation = false) =>
            With(settings =>
            {
                settings.TypeConsistency = (int)kind;
                settings.IgnoreSequenceBounds = ignoreSequenceBounds;
                settings.IgnoreStringBounds = ignoreStringBounds;
                settings.IgnoreMemberNames = ignoreMemberNames;
                settings.PreventTypeWidening = preventTypeWidening;
                settings.ForceTypeValidation = forceTypeValidation;
            });

        /// <summary>Groups on which it wants its samples.</summary>
        public IReadOnlyList<IPAddress> Multicast =>
            Settings.Multicast.Select(one => new IPAddress(Reversed(one))).ToArray();

        /// <summary>Wants its samples on multicast groups of IPv4.</summary>
        public DataReaderQos WithMulticast(params IPAddress[] groups) =>
            With(settings => settings.Multicast = groups.Select(Number).ToArray());

        private static byte[] Reversed(uint number) =>
            new[] { (byte)(number >> 24), (byte)(number >> 16), (byte)(number >> 8), (byte)number };

        private static uint Number(IPAddress address)
        {
            byte[] bytes = address.GetAddressBytes();
            if (bytes.Length != 4)
            {
                throw new BadParameterException(address + " is no address of IPv4, which a multicast group has to be");
            }
            return (uint)bytes[0] << 24 | (uint)bytes[1] << 16 | (uint)bytes[2] << 8 | bytes[3];
        }
    }
}
