using System;
using System.Collections.Generic;
using System.Linq;

namespace Dunlin.Qos
{
    /// <summary>The policies of any QoS, and how they are given to the library and had from it.</summary>
    internal sealed unsafe class Settings
    {
        internal long Deadline;
        internal long LatencyBudget;
        internal long Lifespan;
        internal long LeaseDuration;
        internal long MaxBlockingTime;
        internal long ServiceCleanupDelay;
        internal long MinimumSeparation;
        internal long AutopurgeNowriter;
        internal long AutopurgeDisposed;
        internal int Durability;
        internal int Reliability;
        internal int Liveliness;
        internal int Ownership;
        internal int OwnershipStrength;
        internal int DestinationOrder;
        internal int History;
        internal int Depth;
        internal int MaxSamples;
        internal int MaxInstances;
        internal int MaxSamplesPerInstance;
        internal int ServiceHistory;
        internal int ServiceDepth;
        internal int ServiceMaxSamples;
        internal int ServiceMaxInstances;
        internal int ServiceMaxSamplesPerInstance;
        internal int TransportPriority;
        internal int Representation;
        internal int Representations;
        internal int TypeConsistency;
        internal int AccessScope;
        internal bool Autodispose;
        internal bool IgnoreSequenceBounds;
        internal bool IgnoreStringBounds;
        internal bool IgnoreMemberNames;
        internal bool PreventTypeWidening;
        internal bool ForceTypeValidation;
        internal bool Coherent;
        internal bool Ordered;
        internal bool Autoenable;
        internal uint BatchBytes;
        internal string EntityName = "";
        internal byte[] Data = Array.Empty<byte>();
        internal IReadOnlyList<Property> Properties = Array.Empty<Property>();
        internal IReadOnlyList<string> Partitions = Array.Empty<string>();
        internal IReadOnlyList<uint> Multicast = Array.Empty<uint>();

        internal Settings Copy() => (Settings)MemberwiseClone();

        private NativeProperty* PropertiesIn(Arena arena)
        {
            NativeProperty* all = (NativeProperty*)arena.Room((long)sizeof(NativeProperty) * Properties.Count);
            for (int i = 0; i < Properties.Count; i++)
            {
                all[i] = new NativeProperty
                {
                    Name = arena.Text(Properties[i].Name),
                    Value = arena.Bytes(Properties[i].Value.ToArray()),
                    Binary = Properties[i].IsBinary ? (byte)1 : (byte)0,
                    Propagate = Properties[i].Propagate ? (byte)1 : (byte)0,
                };
            }
            return all;
        }

        internal static IReadOnlyList<Property> PropertiesOf(NativeProperty* all, ulong count)
        {
            List<Property> made = new List<Property>();
            for (ulong i = 0; i < count; i++)
            {
                string name = Arena.Read(all[i].Name.Data, all[i].Name.Length);
                bool propagate = all[i].Propagate != 0;
                made.Add(all[i].Binary != 0
                    ? new Property(name, Arena.ReadBytes(all[i].Value.Data, all[i].Value.Length), propagate)
                    : new Property(name, Arena.Read(all[i].Value.Data, all[i].Value.Length), propagate));
            }
            return made;
        }

        private uint* MulticastIn(Arena arena)
        {
            uint* all = (uint*)arena.Room(4 * (long)Multicast.Count);
            for (int i = 0; i < Multicast.Count; i++)
            {
                all[i] = Multicast[i];
            }
            return all;
        }

        private void SetMulticast(uint* all, ulong count)
        {
            List<uint> made = new List<uint>();
            for (ulong i = 0; i < count; i++)
            {
                made.Add(all[i]);
            }
            Multicast = made;
        }

        private void SetPartitions(NativeText* all, ulong count)
        {
            List<string> made = new List<string>();
            for (ulong i = 0; i < count; i++)
            {
                made.Add(Arena.Read(all[i].Data, all[i].Length));
            }
            Partitions = made;
        }

        internal NativeParticipantQos Participant(Arena arena)
        {
            return new NativeParticipantQos
            {
                Size = (uint)sizeof(NativeParticipantQos),
                Kind = 1,
                EntityName = arena.Text(EntityName),
                UserData = arena.Bytes(Data),
                Properties = PropertiesIn(arena),
                PropertyCount = (ulong)Properties.Count,
                Autoenable = Autoenable ? (byte)1 : (byte)0,
            };
        }

        internal static Settings Of(in NativeParticipantQos native)
        {
            Settings made = new Settings
            {
                EntityName = Arena.Read(native.EntityName.Data, native.EntityName.Length),
                Data = Arena.ReadBytes(native.UserData.Data, native.UserData.Length),
                Autoenable = native.Autoenable != 0,
            };
            made.Properties = PropertiesOf(native.Properties, native.PropertyCount);
            return made;
        }

        internal NativeTopicQos Topic(Arena arena)
        {
            return new NativeTopicQos
            {
                Size = (uint)sizeof(NativeTopicQos),
                Kind = 2,
                Deadline = Deadline,
                LatencyBudget = LatencyBudget,
                Lifespan = Lifespan,
                LeaseDuration = LeaseDuration,
                MaxBlockingTime = MaxBlockingTime,
                ServiceCleanupDelay = ServiceCleanupDelay,
                TopicData = arena.Bytes(Data),
                Durability = Durability,
                Reliability = Reliability,
                Liveliness = Liveliness,
                Ownership = Ownership,
                DestinationOrder = DestinationOrder,
                History = History,
                Depth = Depth,
                MaxSamples = MaxSamples,
                MaxInstances = MaxInstances,
                MaxSamplesPerInstance = MaxSamplesPerInstance,
                ServiceHistory = ServiceHistory,
                ServiceDepth = ServiceDepth,
                ServiceMaxSamples = ServiceMaxSamples,
                ServiceMaxInstances = ServiceMaxInstances,
                ServiceMaxSamplesPerInstance = ServiceMaxSamplesPerInstance,
                TransportPriority = TransportPriority,
                Representations = Representations,
            };
        }

        internal static Settings Of(in NativeTopicQos native)
        {
            Settings made = new Settings
            {
                Deadline = native.Deadline,
                LatencyBudget = native.LatencyBudget,
                Lifespan = native.Lifespan,
                LeaseDuration = native.LeaseDuration,
                MaxBlockingTime = native.MaxBlockingTime,
                ServiceCleanupDelay = native.ServiceCleanupDelay,
                Data = Arena.ReadBytes(native.TopicData.Data, native.TopicData.Length),
                Durability = native.Durability,
                Reliability = native.Reliability,
                Liveliness = native.Liveliness,
                Ownership = native.Ownership,
                DestinationOrder = native.DestinationOrder,
                History = native.History,
                Depth = native.Depth,
                MaxSamples = native.MaxSamples,
                MaxInstances = native.MaxInstances,
                MaxSamplesPerInstance = native.MaxSamplesPerInstance,
                ServiceHistory = native.ServiceHistory,
                ServiceDepth = native.ServiceDepth,
                ServiceMaxSamples = native.ServiceMaxSamples,
                ServiceMaxInstances = native.ServiceMaxInstances,
                ServiceMaxSamplesPerInstance = native.ServiceMaxSamplesPerInstance,
                TransportPriority = native.TransportPriority,
                Representations = native.Representations,
            };
            return made;
        }

        internal NativeGroupQos Group(Arena arena, uint kind)
        {
            return new NativeGroupQos
            {
                Size = (uint)sizeof(NativeGroupQos),
                Kind = kind,
                EntityName = arena.Text(EntityName),
                GroupData = arena.Bytes(Data),
                Partitions = arena.Texts(Partitions),
                PartitionCount = (ulong)Partitions.Count,
                AccessScope = AccessScope,
                Coherent = Coherent ? (byte)1 : (byte)0,
                Ordered = Ordered ? (byte)1 : (byte)0,
                Autoenable = Autoenable ? (byte)1 : (byte)0,
            };
        }

        internal static Settings Of(in NativeGroupQos native)
        {
            Settings made = new Settings
            {
                EntityName = Arena.Read(native.EntityName.Data, native.EntityName.Length),
                Data = Arena.ReadBytes(native.GroupData.Data, native.GroupData.Length),
                AccessScope = native.AccessScope,
                Coherent = native.Coherent != 0,
                Ordered = native.Ordered != 0,
                Autoenable = native.Autoenable != 0,
            };
            made.SetPartitions(native.Partitions, native.PartitionCount);
            return made;
        }

        internal NativeWriterQos Writer(Arena arena)
        {
            return new NativeWriterQos
            {
                Size = (uint)sizeof(NativeWriterQos),
                Kind = 5,
                Deadline = Deadline,
                LatencyBudget = LatencyBudget,
                Lifespan = Lifespan,
                LeaseDuration = LeaseDuration,
                MaxBlockingTime = MaxBlockingTime,
                ServiceCleanupDelay = ServiceCleanupDelay,
                EntityName = arena.Text(EntityName),
                UserData = arena.Bytes(Data),
                Properties = PropertiesIn(arena),
                PropertyCount = (ulong)Properties.Count,
                Durability = Durability,
                Reliability = Reliability,
                Liveliness = Liveliness,
                Ownership = Ownership,
                OwnershipStrength = OwnershipStrength,
                DestinationOrder = DestinationOrder,
                History = History,
                Depth = Depth,
                MaxSamples = MaxSamples,
                MaxInstances = MaxInstances,
                MaxSamplesPerInstance = MaxSamplesPerInstance,
                ServiceHistory = ServiceHistory,
                ServiceDepth = ServiceDepth,
                ServiceMaxSamples = ServiceMaxSamples,
                ServiceMaxInstances = ServiceMaxInstances,
                ServiceMaxSamplesPerInstance = ServiceMaxSamplesPerInstance,
                TransportPriority = TransportPriority,
                Representation = Representation,
                BatchBytes = BatchBytes,
                Autodispose = Autodispose ? (byte)1 : (byte)0,
            };
        }

        internal static Settings Of(in NativeWriterQos native)
        {
            Settings made = new Settings
            {
                Deadline = native.Deadline,
                LatencyBudget = native.LatencyBudget,
                Lifespan = native.Lifespan,
                LeaseDuration = native.LeaseDuration,
                MaxBlockingTime = native.MaxBlockingTime,
                ServiceCleanupDelay = native.ServiceCleanupDelay,
                EntityName = Arena.Read(native.EntityName.Data, native.EntityName.Length),
                Data = Arena.ReadBytes(native.UserData.Data, native.UserData.Length),
                Durability = native.Durability,
                Reliability = native.Reliability,
                Liveliness = native.Liveliness,
                Ownership = native.Ownership,
                OwnershipStrength = native.OwnershipStrength,
                DestinationOrder = native.DestinationOrder,
                History = native.History,
                Depth = native.Depth,
                MaxSamples = native.MaxSamples,
                MaxInstances = native.MaxInstances,
                MaxSamplesPerInstance = native.MaxSamplesPerInstance,
                ServiceHistory = native.ServiceHistory,
                ServiceDepth = native.ServiceDepth,
                ServiceMaxSamples = native.ServiceMaxSamples,
                ServiceMaxInstances = native.ServiceMaxInstances,
                ServiceMaxSamplesPerInstance = native.ServiceMaxSamplesPerInstance,
                TransportPriority = native.TransportPriority,
                Representation = native.Representation,
                BatchBytes = native.BatchBytes,
                Autodispose = native.Autodispose != 0,
            };
            made.Properties = PropertiesOf(native.Properties, native.PropertyCount);
            return made;
        }

        internal NativeReaderQos Reader(Arena arena)
        {
            return new NativeReaderQos
            {
                Size = (uint)sizeof(NativeReaderQos),
                Kind = 6,
                Deadline = Deadline,
                LatencyBudget = LatencyBudget,
                LeaseDuration = LeaseDuration,
                MaxBlockingTime = MaxBlockingTime,
                MinimumSeparation = MinimumSeparation,
                AutopurgeNowriter = AutopurgeNowriter,
                AutopurgeDisposed = AutopurgeDisposed,
                EntityName = arena.Text(EntityName),
                UserData = arena.Bytes(Data),
                Properties = PropertiesIn(arena),
                PropertyCount = (ulong)Properties.Count,
                Multicast = MulticastIn(arena),
                MulticastCount = (ulong)Multicast.Count,
                Durability = Durability,
                Reliability = Reliability,
                Liveliness = Liveliness,
                Ownership = Ownership,
                DestinationOrder = DestinationOrder,
                History = History,
                Depth = Depth,
                MaxSamples = MaxSamples,
                MaxInstances = MaxInstances,
                MaxSamplesPerInstance = MaxSamplesPerInstance,
                Representations = Representations,
                TypeConsistency = TypeConsistency,
                IgnoreSequenceBounds = IgnoreSequenceBounds ? (byte)1 : (byte)0,
                IgnoreStringBounds = IgnoreStringBounds ? (byte)1 : (byte)0,
                IgnoreMemberNames = IgnoreMemberNames ? (byte)1 : (byte)0,
                PreventTypeWidening = PreventTypeWidening ? (byte)1 : (byte)0,
                ForceTypeValidation = ForceTypeValidation ? (byte)1 : (byte)0,
            };
        }

        internal static Settings Of(in NativeReaderQos native)
        {
            Settings made = new Settings
            {
                Deadline = native.Deadline,
                LatencyBudget = native.LatencyBudget,
                LeaseDuration = native.LeaseDuration,
                MaxBlockingTime = native.MaxBlockingTime,
                MinimumSeparation = native.MinimumSeparation,
                AutopurgeNowriter = native.AutopurgeNowriter,
                AutopurgeDisposed = native.AutopurgeDisposed,
                EntityName = Arena.Read(native.EntityName.Data, native.EntityName.Length),
                Data = Arena.ReadBytes(native.UserData.Data, native.UserData.Length),
                Durability = native.Durability,
                Reliability = native.Reliability,
                Liveliness = native.Liveliness,
                Ownership = native.Ownership,
                DestinationOrder = native.DestinationOrder,
                History = native.History,
                Depth = native.Depth,
                MaxSamples = native.MaxSamples,
                MaxInstances = native.MaxInstances,
                MaxSamplesPerInstance = native.MaxSamplesPerInstance,
                Representations = native.Representations,
                TypeConsistency = native.TypeConsistency,
                IgnoreSequenceBounds = native.IgnoreSequenceBounds != 0,
                IgnoreStringBounds = native.IgnoreStringBounds != 0,
                IgnoreMemberNames = native.IgnoreMemberNames != 0,
                PreventTypeWidening = native.PreventTypeWidening != 0,
                ForceTypeValidation = native.ForceTypeValidation != 0,
            };
            made.Properties = PropertiesOf(native.Properties, native.PropertyCount);
            made.SetMulticast(native.Multicast, native.MulticastCount);
            return made;
        }
    }
}
