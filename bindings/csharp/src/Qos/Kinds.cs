using System.Collections.Generic;

namespace Dunlin.Qos
{
    /// <summary>DURABILITY: what late joiners get.</summary>
    public enum Durability
    {
        /// <summary>Nothing that was written before.</summary>
        Volatile = 0,
        /// <summary>What the writer still keeps.</summary>
        TransientLocal = 1,
        /// <summary>What DURABILITY_SERVICE keeps.</summary>
        Transient = 2,
        /// <summary>The same.</summary>
        Persistent = 3,
    }

    /// <summary>RELIABILITY.</summary>
    public enum Reliability
    {
        /// <summary>Samples may be lost.</summary>
        BestEffort = 0,
        /// <summary>Lost samples are sent again.</summary>
        Reliable = 1,
    }

    /// <summary>LIVELINESS: who asserts that a writer lives.</summary>
    public enum Liveliness
    {
        /// <summary>The library.</summary>
        Automatic = 0,
        /// <summary>Any assertion within the participant.</summary>
        ManualByParticipant = 1,
        /// <summary>Each writer for itself.</summary>
        ManualByTopic = 2,
    }

    /// <summary>OWNERSHIP.</summary>
    public enum Ownership
    {
        /// <summary>All writers of an instance are heard.</summary>
        Shared = 0,
        /// <summary>Only the strongest writer is.</summary>
        Exclusive = 1,
    }

    /// <summary>DESTINATION_ORDER.</summary>
    public enum DestinationOrder
    {
        /// <summary>In the order in which samples were received.</summary>
        ByReceptionTimestamp = 0,
        /// <summary>In the order in which samples were written.</summary>
        BySourceTimestamp = 1,
    }

    /// <summary>HISTORY.</summary>
    public enum History
    {
        /// <summary>The latest samples of each instance.</summary>
        KeepLast = 0,
        /// <summary>All samples, within the limits.</summary>
        KeepAll = 1,
    }

    /// <summary>PRESENTATION: the scope of order and coherence.</summary>
    public enum AccessScope
    {
        /// <summary>An instance.</summary>
        Instance = 0,
        /// <summary>A writer.</summary>
        Topic = 1,
        /// <summary>A publisher.</summary>
        Group = 2,
    }

    /// <summary>DATA_REPRESENTATION.</summary>
    public enum Representation
    {
        /// <summary>XCDR version 1, also the classic CDR.</summary>
        Xcdr1 = 0,
        /// <summary>XCDR version 2.</summary>
        Xcdr2 = 2,
    }

    /// <summary>TYPE_CONSISTENCY_ENFORCEMENT.</summary>
    public enum TypeConsistency
    {
        /// <summary>Types have to be the same.</summary>
        DisallowTypeCoercion = 0,
        /// <summary>A writer's type may be another one that suits.</summary>
        AllowTypeCoercion = 1,
    }

    /// <summary>PROPERTY: a text or bytes by a name.</summary>
    public sealed class Property
    {
        /// <summary>A text.</summary>
        public Property(string name, string value, bool propagate = false)
        {
            Name = name;
            Value = System.Text.Encoding.UTF8.GetBytes(value);
            Propagate = propagate;
        }

        /// <summary>Bytes.</summary>
        public Property(string name, byte[] value, bool propagate = false)
        {
            Name = name;
            Value = (byte[])value.Clone();
            IsBinary = true;
            Propagate = propagate;
        }

        /// <summary>The name.</summary>
        public string Name { get; }

        /// <summary>The bytes; those of a text are UTF-8.</summary>
        public IReadOnlyList<byte> Value { get; }

        /// <summary>The value is bytes.</summary>
        public bool IsBinary { get; }

        /// <summary>Others are told.</summary>
        public bool Propagate { get; }
    }

    /// <summary>RESOURCE_LIMITS.</summary>
    public static class ResourceLimits
    {
        /// <summary>No limit.</summary>
        public const int Unlimited = -1;
    }
}
