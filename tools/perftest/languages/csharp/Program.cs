// perftest in C#: entities, and what is not measured.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Dunlin;
using Dunlin.Qos;
using Dunlin.Status;
using static Harness;

/// <summary>A side of perftest: its type does not show.</summary>
internal abstract unsafe class Side
{
    internal abstract void Open(Settings* settings);
    internal abstract void Writer(Endpoint* endpoint);
    internal abstract void Reader(Endpoint* endpoint);
    internal abstract void Register(uint topic);
    internal abstract ulong Matched(uint topic);
    internal abstract void Wait(long timeout, bool isReceiving);
    internal abstract void Wake();
    internal abstract void Control(uint topic, Header* header, byte* data, ulong length);
    internal abstract void Flush(uint topic);
    internal abstract int Measure(Plan* plan, Progress* progress);
    internal abstract void Attach(uint publisher, int entityId, uint nextSeq);
    internal abstract void Traffic(uint publisher, Traffic* traffic);
    internal abstract string Explain();
    internal abstract void Losses(Losses* losses);
    internal abstract ulong Samples { get; }
    internal abstract void Close();
}

internal sealed unsafe class Side<T> : Side where T : class, ISample, new()
{
    private static readonly string[] Names = { "Throughput", "Latency", "Announcement" };

    private readonly Loop<T> loop = new Loop<T>();
    // Where the thread does not receive.
    private readonly WaitSet bell;
    private readonly T control = new T();
    private DomainParticipant? participant;
    private Publisher? publisher;
    private Subscriber? subscriber;

    internal Side()
    {
        bell = new WaitSet(loop.Guard);
    }

    internal override void Open(Settings* settings)
    {
        loop.SetFlags(settings->Flags);
        loop.Subscriber = settings->Subscriber;
        loop.Instances = settings->Instances;
        loop.Inbox = settings->Inbox;
        bool Is(Flags flag) => (loop.Flags & flag) != 0;
        participant = new DomainParticipant((int)settings->Domain, null, new DomainParticipantConfig
        {
            Name = "Perftest Participant",
            Interfaces = Texts(settings->Interfaces, settings->InterfaceCount),
            Peers = Texts(settings->Peers, settings->PeerCount),
            Multicast = Is(Flags.Multicast),
            Udp = Is(Flags.Udp),
            SharedMemory = Is(Flags.Shmem),
            Tcp = Is(Flags.Tcp),
            TcpPort = settings->TcpPort,
            TcpPublicAddress = settings->TcpPublicAddress == 0 ? null : new System.Net.IPEndPoint(
                Address(settings->TcpPublicAddress), settings->TcpPublicPort),
            TlsAuthorities = settings->TlsAuthorities == null ? null : Text(settings->TlsAuthorities),
            TlsCertificates = settings->TlsCertificates == null ? null : Text(settings->TlsCertificates),
            TlsKey = settings->TlsKey == null ? null : Text(settings->TlsKey),
            Local = Is(Flags.Local),
            LeaseDuration = Span(settings->LeaseDuration),
            AnnouncePeriod = Span(settings->AnnouncePeriod),
            HeartbeatPeriod = Span(settings->HeartbeatPeriod),
            Linger = Span(settings->Linger),
        });
        publisher = participant.CreatePublisher(PublisherQos.Default.WithPresentation(AccessScope.Topic, false, true));
        subscriber = participant.CreateSubscriber(SubscriberQos.Default.WithPresentation(AccessScope.Topic, false, true));
    }

    private static TimeSpan Span(long nanoseconds) =>
        nanoseconds == long.MaxValue ? Duration.Infinite : TimeSpan.FromTicks(nanoseconds / 100);

    private static System.Net.IPAddress Address(uint number) => new System.Net.IPAddress(
        new[] { (byte)(number >> 24), (byte)(number >> 16), (byte)(number >> 8), (byte)number });

    private static Q Common<Q>(EndpointQos<Q> qos, Endpoint* endpoint) where Q : EndpointQos<Q>
    {
        Q made = endpoint->Reliable != 0 ? qos.WithReliable(Span(endpoint->MaxBlockingTime)) : qos.WithBestEffort();
        made = made.WithDurability(endpoint->TransientLocal != 0 ? Durability.TransientLocal : Durability.Volatile);
        made = endpoint->Depth > 0 ? made.WithKeepLast((int)endpoint->Depth) : made.WithKeepAll();
        return endpoint->MaxSamples > 0 ? made.WithResourceLimits((int)endpoint->MaxSamples) : made;
    }

    private void Watch(Entity entity, StatusMask mask)
    {
        entity.StatusCondition.EnabledStatuses = mask;
        loop.Waits.Attach(entity.StatusCondition);
    }

    internal override void Writer(Endpoint* endpoint)
    {
        DataWriterQos qos = Common(DataWriterQos.Default, endpoint).WithBatchBytes((int)endpoint->BatchBytes);
        DataWriter<T> writer = publisher!.CreateDataWriter(TopicOf(endpoint), qos);
        loop.Writers[endpoint->Topic] = writer;
        Watch(writer, StatusMask.PublicationMatched);
    }

    private Topic<T> TopicOf(Endpoint* endpoint) => participant!.CreateTopic<T>(Names[endpoint->Topic]);

    internal override void Reader(Endpoint* endpoint)
    {
        int topic = (int)endpoint->Topic;
        DataReaderQos qos = Common(DataReaderQos.Default, endpoint);
        if (endpoint->Multicast != 0)
        {
            qos = qos.WithMulticast(Address(endpoint->Multicast));
        }
        ITopic<T> of = TopicOf(endpoint);
        if (endpoint->Filter != null)
        {
            of = TopicOf(endpoint).CreateContentFilteredTopic(
                "ThroughputFiltered", Text(endpoint->Filter), Texts(endpoint->Parameters, endpoint->ParameterCount));
        }
        DataReader<T> reader = subscriber!.CreateDataReader(of, qos, one => loop.OnData(topic, one));
        loop.Readers[topic] = reader;
        Watch(reader, StatusMask.SubscriptionMatched);
    }

    internal override void Register(uint topic)
    {
        if ((loop.Flags & Flags.Keyed) == 0)
        {
            return;
        }
        T value = new T();
        for (uint i = 0; i < loop.Instances; i++)
        {
            Loop<T>.PutKey(value.Key, i);
            loop.Writers[topic]!.RegisterInstance(value);
        }
    }

    internal override ulong Matched(uint topic)
    {
        return (ulong)(loop.Writers[topic]?.PublicationMatchedStatus.CurrentCount
            ?? loop.Readers[topic]?.SubscriptionMatchedStatus.CurrentCount ?? 0);
    }

    internal override void Wait(long timeout, bool isReceiving)
    {
        WaitSet waits = isReceiving ? loop.Waits : bell;
        waits.Wait(Span(timeout));
        loop.Guard.SetTriggerValue(false);
        loop.NoteMatches();
    }

    internal override void Wake() => loop.Guard.SetTriggerValue(true);

    internal override void Control(uint topic, Header* header, byte* data, ulong length)
    {
        for (int i = 0; i < 4; i++)
        {
            control.Key[i] = header->Key[i];
        }
        control.EntityId = header->EntityId;
        control.SeqNum = header->SeqNum;
        control.TimestampSec = header->TimestampSec;
        control.TimestampUsec = header->TimestampUsec;
        control.LatencyPing = header->LatencyPing;
        control.BinData.Resize((int)length);
        if (data != null)
        {
            new ReadOnlySpan<byte>(data, (int)length).CopyTo(control.BinData.Span);
        }
        loop.Writers[topic]!.Write(control);
    }

    internal override void Flush(uint topic) => loop.Writers[topic]!.Flush();

    internal override int Measure(Plan* plan, Progress* progress)
    {
        Costs.Begin();
        return loop.Measure(plan, progress);
    }

    /// <summary>How many were written or taken.</summary>
    internal override ulong Samples => loop.Written + loop.Publications.Aggregate(
        0ul, (all, one) => all + one.Traffic.Packets + one.Traffic.Others);

    internal override void Attach(uint publisher, int entityId, uint nextSeq)
    {
        Publication of = loop.Publications[publisher & Id];
        of.EntityId = entityId;
        of.Traffic.Expected = nextSeq;
        of.IsBegun = false;
        Costs.Begin();
    }

    internal override void Traffic(uint publisher, Traffic* traffic)
    {
        Thread.MemoryBarrier();
        *traffic = loop.Publications[publisher & Id].Traffic;
    }

    internal override string Explain()
    {
        IEnumerable<string> all = loop.Writers.Select(writer => writer?.Explain() ?? "")
            .Concat(loop.Readers.Select(reader => reader?.Explain() ?? ""));
        return string.Join("\n", all.Where(text => text.Length > 0));
    }

    internal override void Losses(Losses* losses)
    {
        ParticipantCounters counters = participant!.Counters;
        losses->Dropped = counters.Dropped;
        losses->Unsent = counters.Unsent;
    }

    internal override void Close() => participant?.Dispose();
}

internal static unsafe class Program
{
    private static Side? side;
    [ThreadStatic]
    private static string? failure;

    private static int Try(Action action)
    {
        try
        {
            action();
            return 0;
        }
        catch (Exception error)
        {
            return Failed(error);
        }
    }

    private static int Failed(Exception error)
    {
        failure = error is DdsException || error is NotSupportedException ? error.Message : error.ToString();
        return error is DdsException of ? (int)of.Code : error is NotSupportedException ? (int)ReturnCode.Unsupported : 1;
    }

    private static readonly OnOpen Open = (context, settings) => Try(() =>
    {
        bool isKeyed = (settings->Flags & Flags.Keyed) != 0;
        side = (settings->Flags & Flags.Large) != 0
            ? isKeyed ? (Side)new Side<TestDataKeyedLarge_t>() : new Side<TestDataLarge_t>()
            : isKeyed ? (Side)new Side<TestDataKeyed_t>() : new Side<TestData_t>();
        side.Open(settings);
    });

    private static readonly OnEndpoint Writer = (context, endpoint) => Try(() => side!.Writer(endpoint));
    private static readonly OnEndpoint Reader = (context, endpoint) => Try(() => side!.Reader(endpoint));
    private static readonly OnTopic Register = (context, topic) => Try(() => side!.Register(topic));
    private static readonly OnMatched Matched = (context, topic) =>
    {
        try
        {
            return side!.Matched(topic);
        }
        catch (Exception error)
        {
            Failed(error);
            return 0;
        }
    };
    // What is called while samples come allocates nothing.
    private static readonly OnWait Wait = (context, timeout, receives) =>
    {
        try
        {
            side!.Wait(timeout, receives != 0);
            return 0;
        }
        catch (Exception error)
        {
            return Failed(error);
        }
    };

    private static readonly OnContext Wake = context => Try(() => side!.Wake());
    private static readonly OnControl Control = (context, topic, header, data, length) =>
        Try(() => side!.Control(topic, header, data, length));
    private static readonly OnTopic Flush = (context, topic) => Try(() => side!.Flush(topic));
    private static readonly OnMeasure Measure = (context, plan, progress) =>
    {
        try
        {
            return side!.Measure(plan, progress);
        }
        catch (Exception error)
        {
            return Failed(error);
        }
    };

    private static readonly OnAttach Attach = (context, publisher, entityId, nextSeq) =>
        Try(() => side!.Attach(publisher, entityId, nextSeq));
    private static readonly OnTraffic Traffic = (context, publisher, traffic) =>
    {
        try
        {
            side!.Traffic(publisher, traffic);
        }
        catch (Exception error)
        {
            Failed(error);
        }
    };

    private static readonly OnLosses Losses = (context, losses) => Try(() => side!.Losses(losses));
    private static readonly OnContext Close = context => Try(() => side?.Close());

    private static readonly OnExplain Explain = (context, what, text, room) => Try(() =>
    {
        string all = what == 0 ? failure ?? "" : side?.Explain() ?? "";
        byte[] bytes = Encoding.UTF8.GetBytes(all);
        int length = (int)Math.Min((ulong)bytes.Length, room - 1);
        Marshal.Copy(bytes, 0, (IntPtr)text, length);
        text[length] = 0;
    });

    private static IntPtr Pointer(Delegate function) => Marshal.GetFunctionPointerForDelegate(function);

    private static int Main(string[] arguments)
    {
        Driver driver = new Driver
        {
            Size = (uint)sizeof(Driver),
            Version = 1,
            Flags = 1, // it becomes faster while it runs
            Language = Marshal.StringToCoTaskMemUTF8("C#"),
            Open = Pointer(Open),
            Writer = Pointer(Writer),
            Reader = Pointer(Reader),
            RegisterInstances = Pointer(Register),
            Matched = Pointer(Matched),
            Wait = Pointer(Wait),
            Wake = Pointer(Wake),
            Control = Pointer(Control),
            Flush = Pointer(Flush),
            Measure = Pointer(Measure),
            Attach = Pointer(Attach),
            Traffic = Pointer(Traffic),
            Explain = Pointer(Explain),
            Losses = Pointer(Losses),
            Close = Pointer(Close),
        };
        string[] all = arguments.Prepend("perftest_cs").ToArray();
        byte** texts = (byte**)Marshal.AllocHGlobal(sizeof(byte*) * all.Length);
        for (int i = 0; i < all.Length; i++)
        {
            texts[i] = (byte*)Marshal.StringToCoTaskMemUTF8(all[i]);
        }
        int status = dunlin_perftest_run(all.Length, texts, &driver);
        string? costs = Costs.Describe(side?.Samples ?? 0);
        if (costs != null)
        {
            Console.Error.WriteLine(costs);
        }
        return status;
    }
}
