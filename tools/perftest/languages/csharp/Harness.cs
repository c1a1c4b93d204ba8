// What tools/perftest-abi/include/dunlin/perftest.h has, in C#.
using System;
using System.Runtime.InteropServices;

#pragma warning disable CS0649 // The library writes them.

internal static unsafe class Harness
{
    internal const int Full = 10;
    internal const ulong Never = ulong.MaxValue;

    /// <summary>
    /// A ping under way at the end of a part is awaited for so long yet, in nanoseconds: what is done between two parts
    /// is none of its round trip.
    /// </summary>
    internal const ulong Grace = 1_000_000;

    internal const int Topics = 3;
    internal const int Throughput = 0, Latency = 1, Announcement = 2;
    internal const int NoPing = -1, WarmUp = -2;
    internal const int Id = 1023;

    [Flags]
    internal enum Flags : uint
    {
        Keyed = 1, Large = 2, Subscribes = 4, AnswersAll = 8, Flat = 16, ZeroCopy = 32, Checks = 64, Multicast = 128,
        Udp = 256, Shmem = 512, Tcp = 1024, Local = 2048,
    }

    [Flags]
    internal enum PlanFlags : uint
    {
        Begins = 1, OneAtATime = 2, Pings = 4, Practice = 8,
    }

    internal struct Header
    {
        internal fixed byte Key[4];
        internal int EntityId;
        internal uint SeqNum;
        internal int TimestampSec;
        internal uint TimestampUsec;
        internal int LatencyPing;
    }

    internal struct Settings
    {
        internal uint Size;
        internal Flags Flags;
        internal uint Domain, Subscriber, Publishers, Instances;
        internal ulong Payload;
        internal long LeaseDuration, AnnouncePeriod, HeartbeatPeriod, Linger;
        internal byte** Interfaces;
        internal ulong InterfaceCount;
        internal byte** Peers;
        internal ulong PeerCount;
        internal byte* TlsAuthorities;
        internal byte* TlsCertificates;
        internal byte* TlsKey;
        internal uint TcpPublicAddress;
        internal ushort TcpPublicPort, TcpPort;
        internal IntPtr Inbox;
    }

    internal struct Endpoint
    {
        internal uint Size, Topic, Reliable, TransientLocal, Depth, MaxSamples, BatchBytes, Multicast;
        internal long MaxBlockingTime;
        internal byte* Filter;
        internal byte** Parameters;
        internal ulong ParameterCount;
    }

    internal struct Plan
    {
        internal uint Size;
        internal PlanFlags Flags;
        internal ulong Payload, Samples, Until, PingTimeout, PerBatch, PingEvery;
        internal int EntityId;
        internal uint FirstSeq;
        internal long Instance;
        internal uint Subscribers, Reserved;
        internal ulong* Ring;
        internal ulong RingSize, Taken;
    }

    internal struct Progress
    {
        internal ulong Sent, Pings, Answers, Lost, Late;
        internal uint Waiting, Blocked;
    }

    internal struct Traffic
    {
        internal ulong Packets, Bytes, Others, EchoFailures;
        internal long Lost;
        internal uint LastSize, Expected;
    }

    internal struct Losses
    {
        internal ulong Dropped, Unsent;
    }

    /// <summary>The program: functions, each of which gets the context first.</summary>
    internal struct Driver
    {
        internal uint Size, Version, Flags, Reserved;
        internal IntPtr Language, Context;
        internal IntPtr Open, Writer, Reader, RegisterInstances, Matched, Wait, Wake, Control, Flush, Measure, Attach,
            Traffic, Explain, Losses, Allocations, Close;
    }

    internal delegate int OnOpen(IntPtr context, Settings* settings);
    internal delegate int OnEndpoint(IntPtr context, Endpoint* endpoint);
    internal delegate int OnTopic(IntPtr context, uint topic);
    internal delegate ulong OnMatched(IntPtr context, uint topic);
    internal delegate int OnWait(IntPtr context, long timeout, uint receives);
    internal delegate void OnContext(IntPtr context);
    internal delegate int OnControl(IntPtr context, uint topic, Header* header, byte* data, ulong length);
    internal delegate int OnMeasure(IntPtr context, Plan* plan, Progress* progress);
    internal delegate void OnAttach(IntPtr context, uint publisher, int entityId, uint nextSeq);
    internal delegate void OnTraffic(IntPtr context, uint publisher, Traffic* traffic);
    internal delegate void OnExplain(IntPtr context, uint what, byte* text, ulong room);
    internal delegate void OnLosses(IntPtr context, Losses* losses);

    [DllImport("dunlin_perftest")]
    internal static extern int dunlin_perftest_run(int count, byte** arguments, Driver* driver);

    [DllImport("dunlin_perftest")]
    internal static extern void dunlin_perftest_sample(IntPtr inbox, uint topic, Header* header, byte* data, ulong length);

    internal static string Text(byte* text) => Marshal.PtrToStringUTF8((IntPtr)text) ?? "";

    internal static string[] Texts(byte** texts, ulong count)
    {
        string[] all = new string[count];
        for (ulong i = 0; i < count; i++)
        {
            all[i] = Text(texts[i]);
        }
        return all;
    }
}
