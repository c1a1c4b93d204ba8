// The structures of the C interface. The names are those of dunlin.h in the manner of C#, and the
// layouts are compared with those of the library when it is loaded.
using System;
using System.Runtime.InteropServices;

#pragma warning disable CS0649, CS0169 // The library writes them.

namespace Dunlin
{
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeSample
    {
        /// <summary>A flag: it lies in memory of its writer.</summary>
        internal const uint InPlace = 1;
        internal byte* Data;
        internal ulong Length;
        internal ulong Token;
        internal uint Flags;
        internal uint Reserved;
        internal SampleInfo Info;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeText
    {
        internal byte* Data;
        internal ulong Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBytes
    {
        internal byte* Data;
        internal ulong Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeProperty
    {
        internal NativeText Name;
        internal NativeBytes Value;
        internal byte Binary;
        internal byte Propagate;
        internal fixed byte Reserved[6];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeWriterQos
    {
        internal uint Size;
        internal uint Kind;
        internal long Deadline;
        internal long LatencyBudget;
        internal long Lifespan;
        internal long LeaseDuration;
        internal long MaxBlockingTime;
        internal long ServiceCleanupDelay;
        internal NativeText EntityName;
        internal NativeBytes UserData;
        internal NativeProperty* Properties;
        internal ulong PropertyCount;
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
        internal uint BatchBytes;
        internal byte Autodispose;
        internal fixed byte Reserved[3];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeReaderQos
    {
        internal uint Size;
        internal uint Kind;
        internal long Deadline;
        internal long LatencyBudget;
        internal long LeaseDuration;
        internal long MaxBlockingTime;
        internal long MinimumSeparation;
        internal long AutopurgeNowriter;
        internal long AutopurgeDisposed;
        internal NativeText EntityName;
        internal NativeBytes UserData;
        internal NativeProperty* Properties;
        internal ulong PropertyCount;
        internal uint* Multicast;
        internal ulong MulticastCount;
        internal int Durability;
        internal int Reliability;
        internal int Liveliness;
        internal int Ownership;
        internal int DestinationOrder;
        internal int History;
        internal int Depth;
        internal int MaxSamples;
        internal int MaxInstances;
        internal int MaxSamplesPerInstance;
        internal int Representations;
        internal int TypeConsistency;
        internal byte IgnoreSequenceBounds;
        internal byte IgnoreStringBounds;
        internal byte IgnoreMemberNames;
        internal byte PreventTypeWidening;
        internal byte ForceTypeValidation;
        internal fixed byte Reserved[3];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeGroupQos
    {
        internal uint Size;
        internal uint Kind;
        internal NativeText EntityName;
        internal NativeBytes GroupData;
        internal NativeText* Partitions;
        internal ulong PartitionCount;
        internal int AccessScope;
        internal byte Coherent;
        internal byte Ordered;
        internal byte Autoenable;
        internal byte Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBuiltinData
    {
        internal uint Size;
        internal uint Kind;
        internal InstanceHandle Key;
        internal InstanceHandle ParticipantKey;
        internal NativeText Name;
        internal NativeText TypeName;
        internal NativeBytes UserData;
        internal NativeBytes TopicData;
        internal NativeProperty* Properties;
        internal ulong PropertyCount;
        internal NativeWriterQos* WriterQos;
        internal NativeReaderQos* ReaderQos;
        internal NativeGroupQos* GroupQos;
        internal fixed byte Vendor[2];
        internal fixed byte Reserved[6];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeBlock
    {
        internal byte* Data;
        internal ulong Length;
        internal ulong Token;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeSelect
    {
        /// <summary>A flag: samples stay where they are.</summary>
        internal const uint InPlace = 1;
        /// <summary>A flag: whoever gets the samples decodes each, and rejects what is none of the type.</summary>
        internal const uint Decodes = 4;
        internal uint Size;
        internal uint Max;
        internal uint SampleStates;
        internal uint ViewStates;
        internal uint InstanceStates;
        internal int Which;
        internal InstanceHandle Instance;
        internal ulong Condition;
        internal uint Flags;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeParticipantConfig
    {
        internal uint Size;
        internal uint Waiting;
        internal NativeText Name;
        internal NativeText* Interfaces;
        internal ulong InterfaceCount;
        internal NativeText* Peers;
        internal ulong PeerCount;
        internal NativeText TlsAuthorities;
        internal NativeText TlsCertificates;
        internal NativeText TlsKey;
        internal long Spin;
        internal long LeaseDuration;
        internal long AnnouncePeriod;
        internal long HeartbeatPeriod;
        internal long Linger;
        internal ulong MaxReassemblyBytes;
        internal uint MaxSampleSize;
        internal uint TcpPublicAddress;
        internal ushort TcpPublicPort;
        internal ushort TcpPort;
        internal byte Enabled;
        internal byte Multicast;
        internal byte Udp;
        internal byte Shmem;
        internal byte Tcp;
        internal byte Local;
        internal byte AnnouncesProcess;
        internal byte AnswersQuestions;
        internal byte HasGuidPrefix;
        internal fixed byte GuidPrefix[12];
        internal fixed byte Reserved[7];
        internal long TypeTimeout;
        internal NativeText* IgnoredProperties;
        internal ulong IgnoredPropertyCount;
        internal byte Types;
        internal byte TypeLookup;
        internal fixed byte ReservedBehind[6];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeStatus
    {
        internal uint Kind;
        internal fixed int Count[4];
        internal int Reason;
        internal InstanceHandle Last;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeListener
    {
        internal uint Size;
        internal uint Mask;
        internal void* Context;
        internal IntPtr OnData;
        internal IntPtr OnDataOnReaders;
        internal IntPtr OnStatus;
        internal IntPtr Release;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeQos
    {
        internal uint Size;
        internal uint Kind;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeLoan
    {
        internal byte* Data;
        internal ulong Length;
        internal ulong Token;
        internal uint Shared;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeWriteOptions
    {
        internal uint Size;
        internal uint Flags;
        internal long Timestamp;
        internal byte* Instance;
        internal long Sequence;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeParticipantQos
    {
        internal uint Size;
        internal uint Kind;
        internal NativeText EntityName;
        internal NativeBytes UserData;
        internal NativeProperty* Properties;
        internal ulong PropertyCount;
        internal byte Autoenable;
        internal fixed byte Reserved[7];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeCounters
    {
        internal uint Size;
        internal uint Reserved;
        internal ulong Dropped;
        internal ulong Oversized;
        internal ulong Unsent;
        internal ulong MemoryRefused;
        internal ulong ConnectionsRefused;
        internal ulong Malformed;
        internal ulong Damaged;
        internal ulong ReassemblyDropped;
        internal ulong Misplaced;
        internal ulong Implausible;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativePolicyCount
    {
        internal int Policy;
        internal int Count;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeTopicQos
    {
        internal uint Size;
        internal uint Kind;
        internal long Deadline;
        internal long LatencyBudget;
        internal long Lifespan;
        internal long LeaseDuration;
        internal long MaxBlockingTime;
        internal long ServiceCleanupDelay;
        internal NativeBytes TopicData;
        internal int Durability;
        internal int Reliability;
        internal int Liveliness;
        internal int Ownership;
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
        internal int Representations;
        internal uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativePiece
    {
        internal byte* Data;
        internal ulong Length;
        internal ulong Octets;
    }
}
