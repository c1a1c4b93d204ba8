package org.dunlin;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.dunlin.discovery.BuiltinData;
import org.dunlin.internal.Builtin;
import org.dunlin.internal.Matches;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Statuses;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Upcalls;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.status.LivelinessChangedStatus;
import org.dunlin.status.RequestedDeadlineMissedStatus;
import org.dunlin.status.RequestedIncompatibleQosStatus;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.status.SampleRejectedStatus;
import org.dunlin.status.StatusMask;
import org.dunlin.status.SubscriptionMatchedStatus;
import org.dunlin.type.CdrReader;
import org.dunlin.type.CodecException;
import org.dunlin.type.TypeSupport;

/**
 * Takes samples of a topic.
 *
 * @param <T> the class of samples
 */
public final class DataReader<T> extends Entity {
    private final DomainParticipant participant;
    private final TopicDescription<T> topic;
    private final TypeSupport<T> type;
    /** Batches that nobody uses. */
    private final AtomicReference<Samples<T>> spare = new AtomicReference<>();
    private final AtomicReference<SamplesInPlace<T>> spareInPlace = new AtomicReference<>();
    /** For those who wait without a thread. */
    private ReadCondition unread;
    private final AtomicLong undecodable = new AtomicLong();

    DataReader(DomainParticipant participant, TopicDescription<T> topic) {
        this.participant = participant;
        this.topic = topic;
        type = topic.type();
    }

    @Override
    public DomainParticipant participant() {
        return participant;
    }

    /** {@return its topic, or the part of one} */
    public TopicDescription<T> topicDescription() {
        return topic;
    }

    /** {@return the subscriber that it belongs to} */
    public Subscriber subscriber() {
        return (Subscriber) participant.entities.parent(this, () -> new Subscriber(participant));
    }

    /**
     * Takes one sample that was not read before. It allocates nothing, but for what grows.
     *
     * @param into what becomes the sample; without valid data it has the key, and defaults
     * @param info what becomes its info; null if it is not wanted
     * @return false if there is none
     */
    public boolean takeNext(T into, SampleInfo info) {
        return next(true, into, info);
    }

    /**
     * Reads one sample that was not read before, and leaves it in the reader.
     *
     * @param into what becomes the sample; without valid data it has the key, and defaults
     * @param info what becomes its info; null if it is not wanted
     * @return false if there is none
     */
    public boolean readNext(T into, SampleInfo info) {
        return next(false, into, info);
    }

    private boolean next(boolean isTaken, T into, SampleInfo info) {
        Scratch scratch = Scratch.get();
        long sample = scratch.sample;
        long reader = handle();
        while (true) {
            scratch.clearSelect();
            Memory.putInt(scratch.select + 8, SampleInfo.NOT_READ);
            int code = isTaken ? Native.takeNext(reader, scratch.select, scratch.near, Scratch.NEAR, sample)
                    : Native.readNext(reader, scratch.select, scratch.near, Scratch.NEAR, sample);
            if (!Native.found(code)) {
                return false;
            }
            boolean isDecoded = Memory.getLong(sample + Structs.SAMPLE_TOKEN) == 0 ? decode(scratch, sample, into)
                    : decodeLarge(scratch, sample, into);
            if (isDecoded) {
                if (info != null) {
                    info.get(sample + Structs.SAMPLE_INFO_AT);
                }
                return true;
            }
        }
    }

    /** As {@code decode}, of a sample that is to be given back. */
    private boolean decodeLarge(Scratch scratch, long sample, T into) {
        long reader = handle();
        try {
            return decode(scratch, sample, into);
        } finally {
            if (Memory.getLong(sample + Structs.SAMPLE_TOKEN) != 0) {
                Native.giveBack(reader, sample, 1);
            }
        }
    }

    /** Whether a sample of the library is a value; if not, it is given back, counted, and has no token any more. */
    boolean decode(Scratch scratch, long sample, T into) {
        long data = Memory.getLong(sample + Structs.SAMPLE_DATA);
        long length = Memory.getLong(sample + Structs.SAMPLE_LENGTH);
        boolean isValid = Memory.getByte(sample + VALID) != 0;
        CdrReader r = scratch.reader;
        try {
            if (isValid) {
                r.begin(data, length, type.extensibility());
                r.of(handle(), sample);
                type.read(r, into);
                r.finish();
                return true;
            }
            if (!type.isKeyed() || data == 0) {
                if (type.isKeyed()) {
                    keyValue(InstanceHandle.at(sample + INSTANCE), into);
                } else {
                    type.reset(into);
                }
                return true;
            }
            type.reset(into);
            r.begin(data, length, type.extensibility());
            type.readKey(r, into);
            r.finishKey();
            return true;
        } catch (CodecException error) {
            reject(sample, error);
            return false;
        }
    }

    private static final int VALID = Structs.SAMPLE_INFO_AT + Structs.SAMPLE_INFO.at("valid_data");
    private static final int INSTANCE = Structs.SAMPLE_INFO_AT + Structs.SAMPLE_INFO.at("instance");
    private static final int PUBLICATION = Structs.SAMPLE_INFO_AT + Structs.SAMPLE_INFO.at("publication");

    private void reject(long sample, CodecException error) {
        Native.reject(handle(), sample, error.getMessage());
        long count = undecodable.incrementAndGet();
        // The first one and then fewer and fewer: a peer decides how many there are.
        if (Long.bitCount(count) == 1) {
            System.getLogger("org.dunlin").log(System.Logger.Level.WARNING, "topic " + topic.name() + ": a payload of "
                    + "writer " + InstanceHandle.at(sample + PUBLICATION) + " is no " + type.name()
                    + " and is left out, as " + count + " in all: " + error.getMessage());
        }
    }

    /** {@return how many payloads could not be decoded, and were left out; they count as lost, too} */
    public long undecodable() {
        return undecodable.get();
    }

    /**
     * Takes what is there, sample by sample. It allocates nothing, but for what grows.
     *
     * @param handler gets each sample; the objects are used again for the next one
     * @return how many there were
     */
    public int takeEach(SampleHandler<? super T> handler) {
        int all = 0;
        try (Samples<T> batch = batch()) {
            while (batch.fill(true, null)) {
                for (int i = 0; i < batch.size(); i++) {
                    Sample<T> sample = batch.get(i);
                    handler.accept(sample.data, sample.info);
                }
                all += batch.size();
            }
        }
        return all;
    }

    /** {@return up to {@value Samples#ROOM} samples; a loop calls until there are none} */
    public Samples<T> take() {
        return take(null);
    }

    /**
     * Takes samples.
     *
     * @param select which; null for any
     * @return the samples, which are valid until they are closed; empty if there are none
     */
    public Samples<T> take(Select select) {
        return filled(true, select);
    }

    /** {@return up to {@value Samples#ROOM} samples, which stay in the reader} */
    public Samples<T> read() {
        return read(null);
    }

    /**
     * Reads samples, and leaves them in the reader.
     *
     * @param select which; null for any
     * @return the samples, which are valid until they are closed; empty if there are none
     */
    public Samples<T> read(Select select) {
        return filled(false, select);
    }

    private Samples<T> filled(boolean isTaken, Select select) {
        Samples<T> batch = batch();
        batch.begin(isTaken, select);
        return batch;
    }

    private Samples<T> batch() {
        Samples<T> batch = spare.getAndSet(null);
        return batch == null ? new Samples<>(this, type) : batch;
    }

    void giveBack(Samples<T> batch) {
        spare.set(batch);
    }

    /** {@return up to {@value SamplesInPlace#ROOM} samples, which stay where their writers have them} */
    public SamplesInPlace<T> takeInPlace() {
        return takeInPlace(null);
    }

    /**
     * Takes samples that stay where their writers have them, if that is in memory of this host.
     *
     * @param select which; null for any
     * @return the samples, which are valid until they are closed; empty if there are none
     */
    public SamplesInPlace<T> takeInPlace(Select select) {
        return inPlace(true, select);
    }

    /**
     * Reads samples that stay where their writers have them, and leaves them in the reader.
     *
     * @param select which; null for any
     * @return the samples, which are valid until they are closed; empty if there are none
     */
    public SamplesInPlace<T> readInPlace(Select select) {
        return inPlace(false, select);
    }

    private SamplesInPlace<T> inPlace(boolean isTaken, Select select) {
        SamplesInPlace<T> batch = spareInPlace.getAndSet(null);
        batch = batch == null ? new SamplesInPlace<>(this, type) : batch;
        batch.begin(isTaken, select);
        return batch;
    }

    void giveBack(SamplesInPlace<T> batch) {
        spareInPlace.set(batch);
    }

    /**
     * The instance of a value.
     *
     * @param value the value
     * @return the instance; {@link InstanceHandle#NIL} if the reader does not know it
     */
    public InstanceHandle lookupInstance(T value) {
        Scratch scratch = Scratch.get();
        scratch.writer.begin(2, type.extensibility());
        type.write(scratch.writer, value);
        scratch.writer.finish();
        InstanceHandle found = Types.instance(type, scratch.writer.address(), scratch.writer.length());
        found.put(scratch.instance);
        return Native.found(Native.call(Native.READER_LOOKUP, handle(), scratch.instance)) ? found
                : InstanceHandle.NIL;
    }

    /**
     * The key of an instance.
     *
     * @param instance the instance
     * @param into what gets the key; all else of it gets its default
     * @return false if the reader does not know the instance
     */
    public boolean keyValue(InstanceHandle instance, T into) {
        return DataWriter.keyValue(Native.READER_KEY, handle(), type, instance, into);
    }

    /**
     * A condition: samples of these states.
     *
     * @param select the states; null for any
     * @return the condition
     */
    public ReadCondition createReadCondition(Select select) {
        return ReadCondition.create(this, handle(), select);
    }

    /**
     * A condition: samples of these states whose content an expression describes.
     *
     * @param select the states; null for any
     * @param expression the expression, in the language of content filters
     * @param parameters the values of %0, %1 and so on; texts are in quotes
     * @return the condition
     */
    public QueryCondition createQueryCondition(Select select, String expression, String... parameters) {
        return QueryCondition.create(this, select, expression, parameters);
    }

    /** Ends all its conditions. */
    public void deleteContainedEntities() {
        deleteContained();
        synchronized (this) {
            unread = null;
        }
    }

    /**
     * Waits without a thread.
     *
     * @return a future that is complete once there may be samples that were not read: take, and ask again if there is
     *     nothing. It is complete, too, when the reader is closed. What depends on it runs in the common pool
     */
    public CompletableFuture<Void> dataAvailable() {
        return Upcalls.whenTrue(unread().handle);
    }

    private synchronized ReadCondition unread() {
        if (unread == null) {
            unread = createReadCondition(new Select().sampleStates(SampleInfo.NOT_READ));
        }
        return unread;
    }

    /**
     * Waits until so many writers match.
     *
     * @param writers how many
     * @param timeout how long at most; 0 looks once
     * @return whether they do
     */
    public boolean waitForMatched(int writers, Duration timeout) {
        return Native.found(Native.call(Native.READER_WAIT_FOR_MATCHED, handle(), writers,
                DomainParticipant.timeout(timeout)));
    }

    /**
     * Waits until everything is here that the matched reliable writers had when the reader joined.
     *
     * @param timeout how long at most
     * @return whether it is
     */
    public boolean waitForHistoricalData(Duration timeout) {
        return Native.found(Native.call(Native.READER_WAIT_FOR_HISTORICAL, handle(),
                DomainParticipant.timeout(timeout)));
    }

    /** {@return the writers that match} */
    public java.util.List<InstanceHandle> matchedPublications() {
        return Matches.of(Native.READER_MATCHED, handle());
    }

    /**
     * What a writer that matches says of itself.
     *
     * @param writer its GUID
     * @return what it says
     * @throws DdsException.BadParameter if none that matches has the GUID
     */
    public BuiltinData matchedPublicationData(InstanceHandle writer) {
        return Builtin.get((arena, data, block) ->
                Native.call(Native.READER_MATCHED_DATA, handle(), writer.struct(arena), data, block));
    }

    /** {@return why writers of the same or a similar topic do not match, a line each} */
    public String explainMatching() {
        return Native.block(Native.READER_EXPLAIN, handle());
    }

    /** {@return how many samples came that did not pass the reader's content filter} */
    public long filtered() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.READER_FILTERED, handle(), scratch.number));
        return Memory.getLong(scratch.number);
    }

    /** {@return the status} */
    public LivelinessChangedStatus livelinessChangedStatus() {
        return Statuses.ask(handle(), StatusMask.LIVELINESS_CHANGED);
    }

    /** {@return the status} */
    public RequestedDeadlineMissedStatus requestedDeadlineMissedStatus() {
        return Statuses.ask(handle(), StatusMask.REQUESTED_DEADLINE_MISSED);
    }

    /** {@return the status} */
    public RequestedIncompatibleQosStatus requestedIncompatibleQosStatus() {
        return Statuses.ask(handle(), StatusMask.REQUESTED_INCOMPATIBLE_QOS);
    }

    /** {@return the status} */
    public SampleLostStatus sampleLostStatus() {
        return Statuses.ask(handle(), StatusMask.SAMPLE_LOST);
    }

    /** {@return the status} */
    public SampleRejectedStatus sampleRejectedStatus() {
        return Statuses.ask(handle(), StatusMask.SAMPLE_REJECTED);
    }

    /** {@return the status} */
    public SubscriptionMatchedStatus subscriptionMatchedStatus() {
        return Statuses.ask(handle(), StatusMask.SUBSCRIPTION_MATCHED);
    }

    /** {@return a copy of its QoS} */
    public DataReaderQos qos() {
        DataReaderQos qos = new DataReaderQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(DataReaderQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(DataReaderListener<T> listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfReader<>(this, listener));
    }
}
