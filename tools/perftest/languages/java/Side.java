import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.DataReaderListener;
import org.dunlin.DomainParticipant;
import org.dunlin.Entity;
import org.dunlin.ParticipantConfig;
import org.dunlin.Publisher;
import org.dunlin.Subscriber;
import org.dunlin.Topic;
import org.dunlin.TopicDescription;
import org.dunlin.WaitSet;
import org.dunlin.qos.AccessScopeKind;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.DurabilityKind;
import org.dunlin.qos.EndpointQos;
import org.dunlin.qos.PublisherQos;
import org.dunlin.qos.SubscriberQos;
import org.dunlin.status.StatusMask;

/** A side of perftest: entities, and what is not measured. */
final class Side<T> {
    private static final String[] NAMES = {"Throughput", "Latency", "Announcement"};

    private final Members<T> members;
    private final Loop<T> loop;
    /** Where the thread does not receive. */
    private final WaitSet bell = new WaitSet();
    private final T control;
    private DomainParticipant participant;
    private Publisher publisher;
    private Subscriber subscriber;

    Side(Members<T> members) {
        this.members = members;
        loop = new Loop<>(members);
        control = members.type.create();
        bell.attach(loop.guard);
    }

    private static int getInt(long settings, String member) {
        return Harness.getInt(Harness.SETTINGS, settings, member);
    }

    private static long getLong(long settings, String member) {
        return Harness.getLong(Harness.SETTINGS, settings, member);
    }

    void open(long settings) {
        loop.setFlags(getInt(settings, "flags"));
        loop.subscriber = getInt(settings, "subscriber");
        loop.instances = getInt(settings, "instances");
        loop.inbox = getLong(settings, "inbox");
        participant = DomainParticipant.create(getInt(settings, "domain"), config(settings), null, null);
        publisher = participant.createPublisher(
                new PublisherQos().accessScope(AccessScopeKind.TOPIC).orderedAccess(true), null);
        subscriber = participant.createSubscriber(
                new SubscriberQos().accessScope(AccessScopeKind.TOPIC).orderedAccess(true), null);
    }

    private ParticipantConfig config(long settings) {
        ParticipantConfig config = new ParticipantConfig();
        config.name = "Perftest Participant";
        config.interfaces = Harness.texts(getLong(settings, "interfaces"), getLong(settings, "interface_count"));
        config.peers = Harness.texts(getLong(settings, "peers"), getLong(settings, "peer_count"));
        config.multicast = is(Harness.MULTICAST);
        config.udp = is(Harness.UDP);
        config.sharedMemory = is(Harness.SHMEM);
        config.tcp = is(Harness.TCP);
        config.local = is(Harness.LOCAL);
        config.tcpPort = Harness.getPort(Harness.SETTINGS, settings, "tcp_port");
        int address = getInt(settings, "tcp_public_address");
        if (address != 0) {
            int port = Harness.getPort(Harness.SETTINGS, settings, "tcp_public_port");
            config.tcpPublicAddress = new InetSocketAddress(address(address), port);
        }
        config.tlsAuthorities = Harness.text(getLong(settings, "tls_authorities"));
        config.tlsCertificates = Harness.text(getLong(settings, "tls_certificates"));
        config.tlsKey = Harness.text(getLong(settings, "tls_key"));
        config.leaseDuration = Duration.ofNanos(getLong(settings, "lease_duration"));
        config.announcePeriod = Duration.ofNanos(getLong(settings, "announce_period"));
        config.heartbeatPeriod = Duration.ofNanos(getLong(settings, "heartbeat_period"));
        config.linger = Duration.ofNanos(getLong(settings, "linger"));
        return config;
    }

    private boolean is(int flag) {
        return loop.is(flag);
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(number).array());
        } catch (UnknownHostException error) {
            throw new IllegalStateException(error);
        }
    }

    private static <Q extends EndpointQos<Q>> Q common(Q qos, long endpoint) {
        if (of(endpoint, "reliable") != 0) {
            long blocking = Harness.getLong(Harness.ENDPOINT, endpoint, "max_blocking_time");
            qos.reliable().maxBlockingTime(Duration.ofNanos(blocking));
        } else {
            qos.bestEffort();
        }
        qos.durability(of(endpoint, "transient_local") != 0 ? DurabilityKind.TRANSIENT_LOCAL : DurabilityKind.VOLATILE);
        int depth = of(endpoint, "depth");
        Q made = depth > 0 ? qos.keepLast(depth) : qos.keepAll();
        int most = of(endpoint, "max_samples");
        return most > 0 ? made.maxSamples(most) : made;
    }

    private static int of(long endpoint, String member) {
        return Harness.getInt(Harness.ENDPOINT, endpoint, member);
    }

    private Topic<T> topic(long endpoint) {
        return participant.createTopic(NAMES[of(endpoint, "topic")], members.type);
    }

    private void watch(Entity entity, int status) {
        entity.statusCondition().setEnabledStatuses(status);
        loop.waits.attach(entity.statusCondition());
    }

    void writer(long endpoint) {
        DataWriterQos qos = common(new DataWriterQos(), endpoint).batchBytes(of(endpoint, "batch_bytes"));
        var writer = publisher.createDataWriter(topic(endpoint), qos, null);
        loop.writers[of(endpoint, "topic")] = writer;
        watch(writer, StatusMask.PUBLICATION_MATCHED);
    }

    void reader(long endpoint) {
        DataReaderQos qos = common(new DataReaderQos(), endpoint);
        int group = of(endpoint, "multicast");
        if (group != 0) {
            qos.multicast(address(group));
        }
        TopicDescription<T> topic = topic(endpoint);
        String filter = Harness.text(Harness.getLong(Harness.ENDPOINT, endpoint, "filter"));
        if (filter != null) {
            List<String> parameters = Harness.texts(Harness.getLong(Harness.ENDPOINT, endpoint, "parameters"),
                    Harness.getLong(Harness.ENDPOINT, endpoint, "parameter_count"));
            topic = participant.createContentFilteredTopic("ThroughputFiltered", topic(endpoint), filter,
                    parameters.toArray(String[]::new));
        }
        int number = of(endpoint, "topic");
        var reader = subscriber.createDataReader(topic, qos, listener(number));
        loop.readers[number] = reader;
        watch(reader, StatusMask.SUBSCRIPTION_MATCHED);
    }

    private DataReaderListener<T> listener(int topic) {
        return switch (topic) {
            case Harness.THROUGHPUT -> loop::onSamples;
            case Harness.LATENCY -> loop::onEchoes;
            default -> loop::onAnnouncement;
        };
    }

    void register(int topic) {
        if (!is(Harness.KEYED)) {
            return;
        }
        T value = members.type.create();
        for (int i = 0; i < loop.instances; i++) {
            Loop.putKey(members.key(value), i);
            loop.writers[topic].register(value);
        }
    }

    long matched(int topic) {
        if (loop.writers[topic] != null) {
            return loop.writers[topic].matchedSubscriptions().size();
        }
        return loop.readers[topic] == null ? 0 : loop.readers[topic].matchedPublications().size();
    }

    void await(long timeout, boolean isReceiving) {
        (isReceiving ? loop.waits : bell).await(Duration.ofNanos(timeout));
        loop.guard.set(false);
        loop.noteMatches();
    }

    void wake() {
        loop.guard.set(true);
    }

    void control(int topic, long header, long data, long length) {
        Harness.copy(header, members.key(control), 4);
        members.set(control, Harness.getInt(header + 4), Harness.getInt(header + 8), Harness.getInt(header + 12),
                Harness.getInt(header + 16), Harness.getInt(header + 20));
        members.data(control).resize(Math.toIntExact(length));
        if (data != 0) {
            Harness.copy(data, members.data(control).array(), (int) length);
        }
        loop.writers[topic].write(control);
    }

    void flush(int topic) {
        loop.writers[topic].flush();
    }

    void measure(long plan, long progress) {
        loop.measure(plan, progress);
    }

    void attach(int publisher, int entityId, int nextSeq) {
        Publication of = loop.publications[publisher & Harness.ID];
        of.entityId = entityId;
        of.set(Publication.EXPECTED, nextSeq);
        of.isBegun = false;
    }

    void traffic(int publisher, long at) {
        loop.publications[publisher & Harness.ID].put(at);
    }

    String explain() {
        List<String> all = new ArrayList<>();
        for (int topic = 0; topic < Harness.TOPICS; topic++) {
            if (loop.writers[topic] != null) {
                all.add(loop.writers[topic].explainMatching());
            }
            if (loop.readers[topic] != null) {
                all.add(loop.readers[topic].explainMatching());
            }
        }
        all.removeIf(String::isEmpty);
        return String.join("\n", all);
    }

    void losses(long at) {
        var counters = participant.counters();
        Harness.putLong(at, counters.dropped());
        Harness.putLong(at + 8, counters.unsent());
    }

    void close() {
        long taken = 0;
        for (Publication of : loop.publications) {
            taken += of.get(Publication.PACKETS);
        }
        String costs = loop.costs.describe(taken);
        if (costs != null) {
            System.err.println(costs);
        }
        if (participant != null) {
            participant.close();
        }
    }
}
