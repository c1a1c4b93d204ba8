package org.dunlin;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.dunlin.discovery.BuiltinData;
import org.dunlin.discovery.BuiltinTopic;
import org.dunlin.internal.Builtin;
import org.dunlin.internal.Matches;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Times;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.DomainParticipantQos;
import org.dunlin.qos.PublisherQos;
import org.dunlin.qos.Qos;
import org.dunlin.qos.SubscriberQos;
import org.dunlin.qos.TopicQos;
import org.dunlin.type.TypeSupport;

/**
 * The membership of this process in a domain. All else is created from it, and ends with it:
 *
 * <pre>{@code
 * try (var participant = DomainParticipant.create(0)) {
 *     var topic = participant.createTopic("Positions", Position.TYPE);
 *     var writer = participant.createDataWriter(topic);
 *     writer.write(new Position(7, 1.0, 2.0));
 * }
 * }</pre>
 *
 * <p>Where a QoS is {@code null}, it is the default of what creates the entity.
 */
public final class DomainParticipant extends Entity {
    final Entities entities = new Entities(this);
    private Participants.Entry entry;

    private DomainParticipant() {
    }

    /**
     * Joins a domain.
     *
     * @param domain its number
     * @return the participant
     */
    public static DomainParticipant create(int domain) {
        return create(domain, null, null, null);
    }

    /**
     * Joins a domain.
     *
     * @param domain its number
     * @param qos the QoS; null for the default
     * @return the participant
     */
    public static DomainParticipant create(int domain, DomainParticipantQos qos) {
        return create(domain, null, qos, null);
    }

    /**
     * Joins a domain.
     *
     * @param domain its number
     * @param config transports, addresses and times; null for the default ones and what the environment says
     * @param qos the QoS; null for the default
     * @param listener what is told of all that has no other listener; null for none
     * @return the participant
     */
    public static DomainParticipant create(int domain, ParticipantConfig config, DomainParticipantQos qos,
            DomainParticipantListener listener) {
        DomainParticipant made = new DomainParticipant();
        made.entities.create(made, qos, listener == null ? null : new Dispatch.OfParticipant(made, listener),
                (arena, qosAt, listenerAt, out) -> Native.callWith(Native.PARTICIPANT_NEW, domain,
                        config == null ? 0L : config.struct(arena), qosAt, listenerAt, out));
        made.entry = Participants.add(made);
        return made;
    }

    /**
     * The first participant that this process has in a domain.
     *
     * @param domain its number
     * @return the participant; null if there is none that was created by this class
     */
    public static DomainParticipant lookup(int domain) {
        Scratch scratch = Scratch.get();
        boolean isFound = Native.found(Native.callWith(Native.PARTICIPANT_LOOKUP, domain, scratch.number));
        return isFound ? Participants.find(Memory.getLong(scratch.number)) : null;
    }

    /** {@return the QoS of participants that are created without one} */
    public static DomainParticipantQos defaultParticipantQos() {
        DomainParticipantQos qos = new DomainParticipantQos();
        QosCodec.get(Native.PARTICIPANT_DEFAULT_QOS_GET, qos);
        return qos;
    }

    /**
     * Participants that are created without a QoS have this one from now on.
     *
     * @param qos the QoS
     */
    public static void setDefaultParticipantQos(DomainParticipantQos qos) {
        QosCodec.set(Native.PARTICIPANT_DEFAULT_QOS_SET, qos);
    }

    @Override
    public DomainParticipant participant() {
        return this;
    }

    @Override
    public void close() {
        entry.close();
        super.close();
        entities.clear();
    }

    /**
     * Creates a topic, or finds the one of this name and type.
     *
     * @param <T> the class of samples
     * @param name its name
     * @param type its type
     * @return the topic
     */
    public <T> Topic<T> createTopic(String name, TypeSupport<T> type) {
        return createTopic(name, type, null);
    }

    /**
     * Creates a topic, or finds the one of this name, type and QoS.
     *
     * @param <T> the class of samples
     * @param name its name
     * @param type its type
     * @param qos the QoS; null for the default
     * @return the topic
     */
    @SuppressWarnings("unchecked")
    public <T> Topic<T> createTopic(String name, TypeSupport<T> type, TopicQos qos) {
        Objects.requireNonNull(name, "name");
        Topic<T> made = new Topic<>(this, name, type);
        Entity topic = entities.create(made, qos, null, (arena, qosAt, listenerAt, out) -> {
            long handle = Types.create(arena, type);
            try {
                return Native.callWith(Native.TOPIC_NEW, handle(), Native.text(arena, name), handle, qosAt,
                        listenerAt, out);
            } finally {
                Native.call(Native.CLOSE, handle);
            }
        });
        Topic<?> known = (Topic<?>) topic;
        if (known.type() != type) {
            throw new DdsException.PreconditionNotMet("topic " + name + " has values of "
                    + known.type().create().getClass() + " in this process, " + type.create().getClass()
                    + " is another class");
        }
        return (Topic<T>) known;
    }

    /**
     * Creates a part of a topic.
     *
     * @param <T> the class of samples
     * @param name its name
     * @param topic the topic
     * @param expression the filter, in the SQL of DDS 1.4 annex B: {@code color = 'RED' AND size <= %0}
     * @param parameters the values of %0, %1 and so on; texts are in quotes
     * @return the part
     */
    public <T> ContentFilteredTopic<T> createContentFilteredTopic(String name, Topic<T> topic, String expression,
            String... parameters) {
        ContentFilteredTopic<T> made = new ContentFilteredTopic<>(topic, name, expression);
        entities.create(made, null, null, (arena, qosAt, listenerAt, out) -> Native.callWith(Native.FILTERED_TOPIC_NEW,
                topic.handle(), Native.text(arena, name), Native.text(arena, expression),
                Native.texts(arena, List.of(parameters)), (long) parameters.length, out));
        return made;
    }

    /** {@return a publisher} */
    public Publisher createPublisher() {
        return createPublisher(null, null);
    }

    /**
     * Creates a publisher.
     *
     * @param qos the QoS; null for the default
     * @param listener what is told of its writers; null for none
     * @return the publisher
     */
    public Publisher createPublisher(PublisherQos qos, PublisherListener listener) {
        Publisher made = new Publisher(this);
        entities.create(made, qos, listener == null ? null : new Dispatch.OfPublisher(this, listener),
                (arena, qosAt, listenerAt, out) ->
                        Native.call(Native.PUBLISHER_NEW, handle(), qosAt, listenerAt, out));
        return made;
    }

    /** {@return a subscriber} */
    public Subscriber createSubscriber() {
        return createSubscriber(null, null);
    }

    /**
     * Creates a subscriber.
     *
     * @param qos the QoS; null for the default
     * @param listener what is told of its readers; null for none
     * @return the subscriber
     */
    public Subscriber createSubscriber(SubscriberQos qos, SubscriberListener listener) {
        Subscriber made = new Subscriber(this);
        entities.create(made, qos, listener == null ? null : new Dispatch.OfSubscriber(this, listener),
                (arena, qosAt, listenerAt, out) ->
                        Native.call(Native.SUBSCRIBER_NEW, handle(), qosAt, listenerAt, out));
        return made;
    }

    /**
     * Creates a writer. It belongs to a publisher that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic
     * @return the writer
     */
    public <T> DataWriter<T> createDataWriter(Topic<T> topic) {
        return writer(this, topic, null, null);
    }

    /**
     * Creates a writer. It belongs to a publisher that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic
     * @param qos the QoS; null for the default
     * @return the writer
     */
    public <T> DataWriter<T> createDataWriter(Topic<T> topic, DataWriterQos qos) {
        return writer(this, topic, qos, null);
    }

    /**
     * Creates a writer. It belongs to a publisher that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic
     * @param qos the QoS; null for the default
     * @param listener what is told of it; null for none
     * @return the writer
     */
    public <T> DataWriter<T> createDataWriter(Topic<T> topic, DataWriterQos qos, DataWriterListener<T> listener) {
        return writer(this, topic, qos, listener);
    }

    /**
     * Creates a reader. It belongs to a subscriber that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic, or a part of one
     * @return the reader
     */
    public <T> DataReader<T> createDataReader(TopicDescription<T> topic) {
        return reader(this, topic, null, null);
    }

    /**
     * Creates a reader. It belongs to a subscriber that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic, or a part of one
     * @param qos the QoS; null for the default
     * @return the reader
     */
    public <T> DataReader<T> createDataReader(TopicDescription<T> topic, DataReaderQos qos) {
        return reader(this, topic, qos, null);
    }

    /**
     * Creates a reader. It belongs to a subscriber that the participant has for that.
     *
     * @param <T> the class of samples
     * @param topic its topic, or a part of one
     * @param qos the QoS; null for the default
     * @param listener what is told of it; null for none
     * @return the reader
     */
    public <T> DataReader<T> createDataReader(TopicDescription<T> topic, DataReaderQos qos,
            DataReaderListener<T> listener) {
        return reader(this, topic, qos, listener);
    }

    <T> DataWriter<T> writer(Entity parent, Topic<T> topic, DataWriterQos qos, DataWriterListener<T> listener) {
        DataWriter<T> made = new DataWriter<>(topic);
        entities.create(made, qos, listener == null ? null : new Dispatch.OfWriter<>(made, listener),
                (arena, qosAt, listenerAt, out) -> Native.call(Native.WRITER_NEW, parent.handle(), topic.handle(),
                        qosAt, listenerAt, out));
        made.prepare();
        return made;
    }

    <T> DataReader<T> reader(Entity parent, TopicDescription<T> topic, DataReaderQos qos,
            DataReaderListener<T> listener) {
        DataReader<T> made = new DataReader<>(this, topic);
        entities.create(made, qos, listener == null ? null : new Dispatch.OfReader<>(made, listener),
                (arena, qosAt, listenerAt, out) -> Native.call(Native.READER_NEW, parent.handle(), topic.handle(),
                        qosAt, listenerAt, out));
        return made;
    }

    /**
     * The topic of a name and a type, as soon as some participant has it.
     *
     * @param <T> the class of samples
     * @param name its name
     * @param type its type
     * @param timeout how long at most; 0 looks once
     * @return the topic; null if nobody has it by then
     */
    @SuppressWarnings("unchecked")
    public <T> Topic<T> findTopic(String name, TypeSupport<T> type, Duration timeout) {
        Topic<T> made = new Topic<>(this, name, type);
        try (Arena arena = Arena.ofConfined()) {
            long handle = Types.create(arena, type);
            try {
                long out = arena.allocate(8, 8).address();
                if (!Native.found(Native.callWith(Native.TOPIC_FIND, handle(), Native.text(arena, name), handle,
                        timeout(timeout), out))) {
                    return null;
                }
                made.bind(Memory.getLong(out));
            } finally {
                Native.call(Native.CLOSE, handle);
            }
        }
        return (Topic<T>) entities.add(made);
    }

    /**
     * The topic of a name that was created from the participant.
     *
     * @param name its name
     * @return the topic; null if there is none
     */
    public Topic<?> lookupTopic(String name) {
        return (Topic<?>) entities.lookup(Native.TOPIC_LOOKUP, this, name);
    }

    /**
     * The reader of a built-in topic.
     *
     * @param topic which one
     * @return the reader, which ends with the participant
     */
    public BuiltinReader builtinReader(BuiltinTopic topic) {
        return new BuiltinReader(this, topic);
    }

    /**
     * The other participants, or the topics of which others have writers or readers.
     *
     * @param what {@link BuiltinTopic#PARTICIPANT} or {@link BuiltinTopic#TOPIC}
     * @return their keys
     */
    public List<InstanceHandle> discovered(BuiltinTopic what) {
        return Matches.of((handles, room, count) ->
                Native.callWith(Native.DISCOVERED, handle(), Builtin.kind(what), handles, room, count));
    }

    /**
     * What is known of one that {@link #discovered} gave.
     *
     * @param what what it is
     * @param key its key
     * @return what is known; null if it is gone
     */
    public BuiltinData discoveredData(BuiltinTopic what, InstanceHandle key) {
        return Builtin.get((arena, data, block) -> Native.callWith(Native.DISCOVERED_DATA, handle(),
                Builtin.kind(what), key.struct(arena), data, block));
    }

    /**
     * From now on nothing is heard of an entity of others, for as long as the participant lives. Ignoring a topic
     * ignores all that others have of its name.
     *
     * @param what what it is
     * @param key its key
     */
    public void ignore(BuiltinTopic what, InstanceHandle key) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(
                    Native.callWith(Native.IGNORE, handle(), Builtin.kind(what), key.struct(arena)));
        }
    }

    /**
     * Why nothing arrives on a topic: everything that is found, of own endpoints and of all others that are known.
     * Other processes are asked. It is not for listeners.
     *
     * @param topic its name
     * @param timeout how long answers are waited for
     * @return a line each with its cure; empty where all match and flow
     */
    public String why(String topic, Duration timeout) {
        try (Arena arena = Arena.ofConfined()) {
            long block = arena.allocate(Structs.BLOCK.size, 8).address();
            Native.check(Native.callWith(Native.WHY, handle(), Native.text(arena, topic), timeout(timeout), block));
            String text = Native.string(Memory.getLong(block), Memory.getLong(block + 8));
            Native.call(Native.BLOCK_FREE, block);
            return text;
        }
    }

    /**
     * Whether an entity was created from the participant.
     *
     * @param entity its GUID
     * @return whether it was, and is not closed
     */
    public boolean containsEntity(InstanceHandle entity) {
        Scratch scratch = Scratch.get();
        entity.put(scratch.instance);
        Native.check(Native.call(Native.PARTICIPANT_CONTAINS, handle(), scratch.instance, scratch.number));
        return Memory.getByte(scratch.number) != 0;
    }

    /** {@return which domain it is in} */
    public int domain() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.PARTICIPANT_DOMAIN, handle(), scratch.number));
        return Memory.getInt(scratch.number);
    }

    /** {@return the time by which samples are stamped} */
    public Instant currentTime() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.CURRENT_TIME, handle(), scratch.number));
        return Times.instant(Memory.getLong(scratch.number));
    }

    /**
     * Announces the participant at one more place.
     *
     * @param peer an address, with a port perhaps
     */
    public void addPeer(String peer) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.callWith(Native.PARTICIPANT_ADD_PEER, handle(), Native.text(arena, peer)));
        }
    }

    /**
     * Announces the participant there no longer.
     *
     * @param peer the place
     */
    public void removePeer(String peer) {
        try (Arena arena = Arena.ofConfined()) {
            Native.check(Native.callWith(Native.PARTICIPANT_REMOVE_PEER, handle(), Native.text(arena, peer)));
        }
    }

    /** {@return where it announces itself besides multicast, and who was found there, a line each} */
    public String peers() {
        return Native.block(Native.PARTICIPANT_PEERS, handle());
    }

    /** Says that the application lives, for writers with MANUAL_BY_PARTICIPANT. */
    public void assertLiveliness() {
        Native.check(Native.call(Native.PARTICIPANT_ASSERT_LIVELINESS, handle()));
    }

    /** {@return what it could not use or do so far} */
    public ParticipantCounters counters() {
        return ParticipantCounters.of(handle());
    }

    /** Ends all that was created from it. */
    public void deleteContainedEntities() {
        deleteContained();
    }

    /** {@return a copy of its QoS} */
    public DomainParticipantQos qos() {
        DomainParticipantQos qos = new DomainParticipantQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(DomainParticipantQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /** {@return the QoS of topics that are created without one} */
    public TopicQos defaultTopicQos() {
        TopicQos qos = new TopicQos();
        QosCodec.get(Native.DEFAULT_QOS_GET, handle(), qos);
        return qos;
    }

    /** {@return the QoS of publishers that are created without one} */
    public PublisherQos defaultPublisherQos() {
        PublisherQos qos = new PublisherQos();
        QosCodec.get(Native.DEFAULT_QOS_GET, handle(), qos);
        return qos;
    }

    /** {@return the QoS of subscribers that are created without one} */
    public SubscriberQos defaultSubscriberQos() {
        SubscriberQos qos = new SubscriberQos();
        QosCodec.get(Native.DEFAULT_QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Topics, publishers or subscribers that are created without a QoS have this one from now on.
     *
     * @param qos the QoS, whose class says of what
     */
    public void setDefaultQos(Qos qos) {
        QosCodec.set(Native.DEFAULT_QOS_SET, handle(), qos);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(DomainParticipantListener listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfParticipant(this, listener));
    }

    /** Waits no longer than the library can count. */
    static long timeout(Duration timeout) {
        return Times.nanos(Objects.requireNonNull(timeout, "timeout"));
    }
}
