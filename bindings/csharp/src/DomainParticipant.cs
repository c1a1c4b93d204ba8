using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using Dunlin.Discovery;
using Dunlin.Qos;

namespace Dunlin
{
    /// <summary>
    /// A member of a domain, from which topics, publishers and subscribers are made, writers and readers
    /// also without those. It ends by <see cref="Entity.Dispose"/>, with all that is in it.
    /// </summary>
    public sealed unsafe partial class DomainParticipant : Entity
    {
        private static readonly ConcurrentDictionary<ulong, WeakReference<DomainParticipant>> All =
            new ConcurrentDictionary<ulong, WeakReference<DomainParticipant>>();

        private readonly string madeAt = "";

        /// <summary>Joins a domain.</summary>
        public DomainParticipant(
            int domainId, DomainParticipantQos? qos = null, DomainParticipantConfig? config = null)
        {
            Library.EnsureLoaded();
            madeAt = Environment.GetEnvironmentVariable("DUNLIN_TRACE_ENTITIES") == "1" ? Environment.StackTrace : "";
            using Arena arena = new Arena();
            NativeParticipantQos native = qos == null ? default : qos.Settings.Participant(arena);
            NativeParticipantConfig* settings = config == null ? null : config.ToNative(arena);
            ulong handle;
            Check.Ok(Native.dunlin_participant_new(
                (uint)domainId, settings, qos == null ? null : &native, null, &handle));
            Handle = handle;
            All[handle] = new WeakReference<DomainParticipant>(this);
        }

        /// <summary>Says that a participant was forgotten, which lives on until the process ends.</summary>
        ~DomainParticipant()
        {
            if (Handle != 0)
            {
                All.TryRemove(Handle, out _);
                Console.Error.WriteLine("dunlin: a DomainParticipant was not disposed"
                    + (madeAt.Length == 0 ? "; DUNLIN_TRACE_ENTITIES=1 tells where it was made" : ", made " + madeAt));
            }
        }

        private protected override void Closed()
        {
            All.TryRemove(Handle, out _);
            Entities.RemoveClosed();
        }

        internal Entities Entities { get; } = new Entities();

        private protected override DomainParticipant? Owner => this;

        /// <summary>The first participant that this process has in a domain; null if it has none.</summary>
        public static DomainParticipant? Lookup(int domainId)
        {
            Library.EnsureLoaded();
            ulong handle;
            int code = Native.dunlin_participant_lookup((uint)domainId, &handle);
            if (code == (int)ReturnCode.NoData)
            {
                return null;
            }
            Check.Ok(code);
            return All.TryGetValue(handle, out WeakReference<DomainParticipant>? known)
                && known.TryGetTarget(out DomainParticipant? found) ? found : null;
        }

        /// <summary>The QoS of participants that are created without one.</summary>
        public static DomainParticipantQos DefaultParticipantQos
        {
            get
            {
                Library.EnsureLoaded();
                return DomainParticipantQos.Of(QosAccess.Participant(
                    (none, qos, block) => Native.dunlin_participant_default_qos_get(qos, block), 0));
            }
            set
            {
                Library.EnsureLoaded();
                QosAccess.SetParticipant(
                    (none, qos) => Native.dunlin_participant_default_qos_set(qos), 0, value.Settings);
            }
        }

        /// <summary>
        /// Gets the exceptions of handlers and listeners, which must not leave them. Without a handler
        /// they are written to the standard error.
        /// </summary>
        public static event Action<Entity?, Exception>? ListenerError;

        internal static void RaiseListenerError(Entity? entity, Exception error)
        {
            Action<Entity?, Exception>? handler = ListenerError;
            if (handler == null)
            {
                Console.Error.WriteLine("dunlin: a listener failed: " + error);
                return;
            }
            handler(entity, error);
        }

        /// <summary>The domain.</summary>
        public int DomainId
        {
            get
            {
                uint domain;
                Check.Ok(Native.dunlin_participant_domain(Handle, &domain));
                return (int)domain;
            }
        }

        /// <summary>The time by which samples are stamped.</summary>
        public DateTime CurrentTime
        {
            get
            {
                long time;
                Check.Ok(Native.dunlin_current_time(Handle, &time));
                return DateTime.UnixEpoch.AddTicks(time / 100);
            }
        }

        /// <summary>The QoS.</summary>
        public DomainParticipantQos Qos
        {
            get => DomainParticipantQos.Of(QosAccess.Participant(Native.dunlin_qos_get, Handle));
            set => QosAccess.SetParticipant(Native.dunlin_qos_set, Handle, value.Settings);
        }

        /// <summary>The QoS of topics that are created without one.</summary>
        public TopicQos DefaultTopicQos
        {
            get => TopicQos.Of(QosAccess.Topic(Native.dunlin_default_qos_get, Handle));
            set => QosAccess.SetTopic(Native.dunlin_default_qos_set, Handle, value.Settings);
        }

        /// <summary>The QoS of publishers that are created without one.</summary>
        public PublisherQos DefaultPublisherQos
        {
            get => PublisherQos.Of(QosAccess.Group(Native.dunlin_default_qos_get, Handle, 3));
            set => QosAccess.SetGroup(Native.dunlin_default_qos_set, Handle, value.Settings, 3);
        }

        /// <summary>The QoS of subscribers that are created without one.</summary>
        public SubscriberQos DefaultSubscriberQos
        {
            get => SubscriberQos.Of(QosAccess.Group(Native.dunlin_default_qos_get, Handle, 4));
            set => QosAccess.SetGroup(Native.dunlin_default_qos_set, Handle, value.Settings, 4);
        }

        /// <summary>A topic. One of that name that is there already is the same, if it is of the same type.</summary>
        public Topic<T> CreateTopic<T>(string name, TopicQos? qos = null) where T : class
        {
            return new Topic<T>(this, name, qos);
        }

        /// <summary>The topic of this name and type, as soon as some participant has it.</summary>
        /// <exception cref="DdsTimeoutException">Nobody has it by then.</exception>
        public Topic<T> FindTopic<T>(string name, TimeSpan timeout) where T : class
        {
            return new Topic<T>(this, name, timeout);
        }

        /// <summary>The topic of this name that was created from the participant; null if there is none.</summary>
        /// <exception cref="PreconditionNotMetException">It is of another class.</exception>
        public Topic<T>? LookupTopic<T>(string name) where T : class
        {
            return Entities.Find<Topic<T>>(Native.dunlin_topic_lookup, Handle, name);
        }

        /// <summary>A group of writers.</summary>
        public Publisher CreatePublisher(PublisherQos? qos = null) => new Publisher(this, qos);

        /// <summary>A group of readers.</summary>
        public Subscriber CreateSubscriber(SubscriberQos? qos = null) => new Subscriber(this, qos);

        /// <summary>A writer, whose publisher is that of writers that are made so.</summary>
        public DataWriter<T> CreateDataWriter<T>(Topic<T> topic, DataWriterQos? qos = null) where T : class
        {
            return new DataWriter<T>(this, topic, qos);
        }

        /// <summary>
        /// A reader, whose subscriber is that of readers that are made so. <paramref name="dataAvailable"/>
        /// is a first handler of <see cref="DataReader{T}.DataAvailable"/>.
        /// </summary>
        public DataReader<T> CreateDataReader<T>(
            ITopic<T> topic, DataReaderQos? qos = null, Action<DataReader<T>>? dataAvailable = null) where T : class
        {
            return new DataReader<T>(this, topic, qos, dataAvailable);
        }

        /// <summary>Announces the participant at one more place.</summary>
        public void AddPeer(string peer)
        {
            using Arena arena = new Arena();
            Check.Ok(Native.dunlin_participant_add_peer(Handle, arena.Text(peer)));
        }

        /// <summary>Announces the participant there no longer.</summary>
        public void RemovePeer(string peer)
        {
            using Arena arena = new Arena();
            Check.Ok(Native.dunlin_participant_remove_peer(Handle, arena.Text(peer)));
        }

        /// <summary>Where it announces itself besides multicast, and who was found there, a line each.</summary>
        public string Peers
        {
            get
            {
                NativeBlock block;
                Check.Ok(Native.dunlin_participant_peers(Handle, &block));
                return Arena.Take(&block);
            }
        }

        /// <summary>What the participant could not use or do, since it was made.</summary>
        public ParticipantCounters Counters
        {
            get
            {
                NativeCounters native = new NativeCounters { Size = (uint)sizeof(NativeCounters) };
                Check.Ok(Native.dunlin_participant_counters(Handle, &native));
                return new ParticipantCounters(native);
            }
        }

        /// <summary>Says that the application lives, for writers with MANUAL_BY_PARTICIPANT.</summary>
        public void AssertLiveliness() => Check.Ok(Native.dunlin_participant_assert_liveliness(Handle));

        /// <summary>Whether an entity was created from the participant.</summary>
        public bool ContainsEntity(InstanceHandle entity)
        {
            byte contains;
            Check.Ok(Native.dunlin_participant_contains(Handle, &entity, &contains));
            return contains != 0;
        }

        /// <summary>The reader of a built-in topic.</summary>
        public BuiltinReader BuiltinReader(BuiltinTopic topic) => new BuiltinReader(this, topic);

        /// <summary>What is known of the other participants.</summary>
        public IReadOnlyList<BuiltinData> DiscoveredParticipants => Discovered(BuiltinTopic.Participant);

        /// <summary>What is known of the topics of which others have writers or readers.</summary>
        public IReadOnlyList<BuiltinData> DiscoveredTopics => Discovered(BuiltinTopic.Topic);

        private IReadOnlyList<BuiltinData> Discovered(BuiltinTopic topic)
        {
            uint kind = (uint)topic;
            List<BuiltinData> all = new List<BuiltinData>();
            foreach (InstanceHandle key in Matches.Of(
                (keys, room, count) => Native.dunlin_discovered(Handle, kind, keys, room, count)))
            {
                InstanceHandle one = key;
                InstanceHandle* at = &one;
                BuiltinData? data = BuiltinData.Of(
                    (into, block) => Native.dunlin_discovered_data(Handle, kind, (byte*)at, into, block));
                if (data != null)
                {
                    all.Add(data);
                }
            }
            return all;
        }

        /// <summary>
        /// From now on nothing is heard of something of others, whose key a sample or a list told (DDS 1.4
        /// 2.2.2.2.1.14 to .17).
        /// </summary>
        public void Ignore(BuiltinTopic topic, InstanceHandle key) =>
            Check.Ok(Native.dunlin_ignore(Handle, (uint)topic, (byte*)&key));

        /// <summary>
        /// Why nothing arrives on a topic: all that is found, a line each with its cure; empty where all
        /// match and flow. Other processes are asked. Not for handlers of events.
        /// </summary>
        public string Why(string topic, TimeSpan timeout)
        {
            using Arena arena = new Arena();
            NativeBlock block;
            Check.Ok(Native.dunlin_why(Handle, arena.Text(topic), Duration.Of(timeout), &block));
            return Arena.Take(&block);
        }

        /// <summary>Ends all that was created from it.</summary>
        public void DisposeContainedEntities() => DisposeContained();

        /// <summary>Closes everything of this process; what is used later was closed.</summary>
        public static void Shutdown()
        {
            Library.EnsureLoaded();
            Check.Ok(Native.dunlin_shutdown());
        }

        /// <summary>How many handles, samples, loans and blocks of the process are not given back.</summary>
        public static long Leaks(out string text)
        {
            Library.EnsureLoaded();
            ulong count;
            NativeBlock block;
            Check.Ok(Native.dunlin_leaks(&count, &block));
            text = Arena.Take(&block);
            return (long)count;
        }
    }

    /// <summary>How receivers wait.</summary>
    public enum Waiting
    {
        /// <summary>They spin for a moment, then sleep.</summary>
        SpinThenBlock = 0,
        /// <summary>They sleep.</summary>
        Block = 1,
        /// <summary>They spin for ever: one processor is always busy.</summary>
        Spin = 2,
    }

    /// <summary>
    /// Settings of a participant that are no QoS. What is null is as the library and its environment
    /// variables say.
    /// </summary>
    public sealed unsafe class DomainParticipantConfig
    {
        /// <summary>How receivers wait.</summary>
        public Waiting? Waiting { get; set; }

        /// <summary>The name that others see.</summary>
        public string? Name { get; set; }

        /// <summary>Only these interfaces, by name or address.</summary>
        public string[]? Interfaces { get; set; }

        /// <summary>Where to announce besides multicast.</summary>
        public string[]? Peers { get; set; }

        /// <summary>How long <see cref="Dunlin.Waiting.SpinThenBlock"/> spins.</summary>
        public TimeSpan? Spin { get; set; }

        /// <summary>Silence longer than this means that the participant is gone.</summary>
        public TimeSpan? LeaseDuration { get; set; }

        /// <summary>The longest time between two announcements.</summary>
        public TimeSpan? AnnouncePeriod { get; set; }

        /// <summary>How often a writer asks silent readers what they have.</summary>
        public TimeSpan? HeartbeatPeriod { get; set; }

        /// <summary>How long a deleted writer waits for acknowledgements.</summary>
        public TimeSpan? Linger { get; set; }

        /// <summary>The largest sample that its readers take, in bytes.</summary>
        public uint? MaxSampleSize { get; set; }

        /// <summary>The most bytes of samples that its readers keep though they cannot be shown yet.</summary>
        public ulong? MaxReassemblyBytes { get; set; }

        /// <summary>Announces and listens at the group that the standard gives.</summary>
        public bool? Multicast { get; set; }

        /// <summary>Uses UDP.</summary>
        public bool? Udp { get; set; }

        /// <summary>Uses shared memory.</summary>
        public bool? SharedMemory { get; set; }

        /// <summary>Uses TCP.</summary>
        public bool? Tcp { get; set; }

        /// <summary>The port that TCP listens at.</summary>
        public ushort? TcpPort { get; set; }

        /// <summary>Where others find it behind a translator of addresses.</summary>
        public System.Net.IPEndPoint? TcpPublicAddress { get; set; }

        /// <summary>TLS for TCP: file of the authorities' certificates, in PEM. All three or none.</summary>
        public string? TlsAuthorities { get; set; }

        /// <summary>TLS for TCP: file of the own certificates.</summary>
        public string? TlsCertificates { get; set; }

        /// <summary>TLS for TCP: file of the private key.</summary>
        public string? TlsKey { get; set; }

        /// <summary>Hands samples over within the process.</summary>
        public bool? Local { get; set; }

        /// <summary>Joins the domain at once; else by <see cref="Entity.Enable"/>.</summary>
        public bool? Enabled { get; set; }

        internal NativeParticipantConfig* ToNative(Arena arena)
        {
            // A later library has more at the end, which keeps its defaults.
            byte* room = arena.Room(Library.ConfigSize);
            new Span<byte>(room, (int)Library.ConfigSize).Clear();
            NativeParticipantConfig* made = (NativeParticipantConfig*)room;
            made->Size = (uint)Library.ConfigSize;
            Check.Ok(Native.dunlin_config_default(made));
            Fill(ref *made, arena);
            return made;
        }

        private void Fill(ref NativeParticipantConfig native, Arena arena)
        {
            native.Waiting = (uint?)Waiting ?? native.Waiting;
            if (Name != null)
            {
                native.Name = arena.Text(Name);
            }
            if (Interfaces != null)
            {
                native.Interfaces = arena.Texts(Interfaces);
                native.InterfaceCount = (ulong)Interfaces.Length;
            }
            if (Peers != null)
            {
                native.Peers = arena.Texts(Peers);
                native.PeerCount = (ulong)Peers.Length;
            }
            native.TlsAuthorities = TlsAuthorities == null ? native.TlsAuthorities : arena.Text(TlsAuthorities);
            native.TlsCertificates = TlsCertificates == null ? native.TlsCertificates : arena.Text(TlsCertificates);
            native.TlsKey = TlsKey == null ? native.TlsKey : arena.Text(TlsKey);
            if (TcpPublicAddress != null)
            {
                byte[] bytes = TcpPublicAddress.Address.MapToIPv4().GetAddressBytes();
                native.TcpPublicAddress = (uint)bytes[0] << 24 | (uint)bytes[1] << 16 | (uint)bytes[2] << 8 | bytes[3];
                native.TcpPublicPort = (ushort)TcpPublicAddress.Port;
            }
            native.Spin = Time(Spin, native.Spin);
            native.LeaseDuration = Time(LeaseDuration, native.LeaseDuration);
            native.AnnouncePeriod = Time(AnnouncePeriod, native.AnnouncePeriod);
            native.HeartbeatPeriod = Time(HeartbeatPeriod, native.HeartbeatPeriod);
            native.Linger = Time(Linger, native.Linger);
            native.MaxSampleSize = MaxSampleSize ?? native.MaxSampleSize;
            native.MaxReassemblyBytes = MaxReassemblyBytes ?? native.MaxReassemblyBytes;
            native.Multicast = Flag(Multicast, native.Multicast);
            native.Udp = Flag(Udp, native.Udp);
            native.Shmem = Flag(SharedMemory, native.Shmem);
            native.Tcp = Flag(Tcp, native.Tcp);
            native.TcpPort = TcpPort ?? native.TcpPort;
            native.Local = Flag(Local, native.Local);
            native.Enabled = Flag(Enabled, native.Enabled);
        }

        private static long Time(TimeSpan? said, long otherwise)
        {
            return said.HasValue ? Duration.Of(said.Value) : otherwise;
        }

        private static byte Flag(bool? said, byte otherwise)
        {
            return said.HasValue ? (byte)(said.Value ? 1 : 0) : otherwise;
        }
    }

    /// <summary>What a participant could not use or do.</summary>
    public readonly struct ParticipantCounters
    {
        internal ParticipantCounters(in NativeCounters native)
        {
            Dropped = native.Dropped;
            Oversized = native.Oversized;
            Unsent = native.Unsent;
            MemoryRefused = native.MemoryRefused;
            ConnectionsRefused = native.ConnectionsRefused;
            Malformed = native.Malformed;
            Damaged = native.Damaged;
            ReassemblyDropped = native.ReassemblyDropped;
            Misplaced = native.Misplaced;
            Implausible = native.Implausible;
        }

        /// <summary>Datagrams that the system dropped for want of room in a receive buffer.</summary>
        public ulong Dropped { get; }

        /// <summary>Datagrams that were longer than any that RTPS over this transport has.</summary>
        public ulong Oversized { get; }

        /// <summary>Datagrams that could not be sent.</summary>
        public ulong Unsent { get; }

        /// <summary>How often memory could not be shared with a peer that offered it.</summary>
        public ulong MemoryRefused { get; }

        /// <summary>Connections by TCP that were refused, or closed for what came by them.</summary>
        public ulong ConnectionsRefused { get; }

        /// <summary>Messages that were not valid RTPS, or whose rest was not.</summary>
        public ulong Malformed { get; }

        /// <summary>Messages whose checksum was wrong or missing.</summary>
        public ulong Damaged { get; }

        /// <summary>Fragments and samples that were dropped since the room for reassembly was used up.</summary>
        public ulong ReassemblyDropped { get; }

        /// <summary>Messages in the name of a known participant from an address that it does not announce.</summary>
        public ulong Misplaced { get; }

        /// <summary>What was said about samples that were never announced, or never written.</summary>
        public ulong Implausible { get; }
    }
}
