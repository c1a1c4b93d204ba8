package org.dunlin;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.dunlin.discovery.BuiltinData;
import org.dunlin.internal.Builtin;
import org.dunlin.internal.Counted;
import org.dunlin.internal.Matches;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.QosCodec;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Statuses;
import org.dunlin.internal.Times;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.status.LivelinessLostStatus;
import org.dunlin.status.OfferedDeadlineMissedStatus;
import org.dunlin.status.OfferedIncompatibleQosStatus;
import org.dunlin.status.PublicationMatchedStatus;
import org.dunlin.status.StatusMask;
import org.dunlin.type.CdrReader;
import org.dunlin.type.CdrWriter;
import org.dunlin.type.Octets;
import org.dunlin.type.TypeSupport;
import org.dunlin.type.View;

/**
 * Writes samples of a topic.
 *
 * @param <T> the class of samples
 */
public final class DataWriter<T> extends Entity {
    private final Topic<T> topic;
    private final TypeSupport<T> type;
    /** How samples are encoded. */
    private int version;
    /** A loan that nobody uses. */
    private final AtomicReference<Loan<?>> spareLoan = new AtomicReference<>();

    DataWriter(Topic<T> topic) {
        this.topic = topic;
        type = topic.type();
        version = -1;
    }

    /** Asks how samples are encoded. */
    void prepare() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.WRITER_REPRESENTATION, handle(), scratch.number));
        version = Memory.getInt(scratch.number);
    }

    @Override
    public DomainParticipant participant() {
        return topic.participant();
    }

    /** {@return its topic} */
    public Topic<T> topic() {
        return topic;
    }

    /** {@return the publisher that it belongs to} */
    public Publisher publisher() {
        return (Publisher) participant().entities.parent(this, () -> new Publisher(participant()));
    }

    private CdrWriter encoded(Scratch scratch, T value, boolean isKey) {
        return encoded(scratch, value, isKey, false);
    }

    private CdrWriter encoded(Scratch scratch, T value, boolean isKey, boolean isApart) {
        if (version < 0) {
            // A listener is called before the writer is returned.
            prepare();
        }
        CdrWriter w = scratch.writer;
        w.begin(version, type.extensibility());
        if (isApart) {
            w.apart();
        }
        if (value == null) {
            throw new DdsException.BadParameter("the value is null");
        }
        if (isKey) {
            type.writeKey(w, value);
        } else {
            type.write(w, value);
        }
        w.finish();
        return w;
    }

    /**
     * Writes a sample.
     *
     * @param value the sample; it is free when the call returns
     * @throws DdsException.Timeout if a reliable KEEP_ALL history had no room within the time that RELIABILITY says
     * @throws DdsException.BadParameter if the value cannot be encoded; nothing is sent
     */
    public void write(T value) {
        send(Scratch.get(), value, 0);
    }

    private void send(Scratch scratch, T value, long options) {
        CdrWriter w = encoded(scratch, value, false, true);
        int code = w.pieceCount() == 0 ? Native.write(handle(), w.address(), w.length(), options)
                : Native.call(Native.WRITE_PIECES, handle(), w.pieces(), w.pieceCount(), options);
        // It may be all that refers to octets that are written.
        Reference.reachabilityFence(value);
        Native.check(code);
    }

    /**
     * Writes a sample.
     *
     * @param value the sample
     * @param time when it was written; null for now
     * @param instance its instance, if it is known; null if the value alone says it
     * @throws DdsException.PreconditionNotMet if its key is that of another instance
     */
    public void write(T value, Instant time, InstanceHandle instance) {
        Scratch scratch = Scratch.get();
        send(scratch, value, options(scratch, time, instance));
    }

    /**
     * Gives a member octets that lie where readers of this host see them, if there is such memory, and that are
     * written by reference.
     *
     * @param member the member of a value that this writer will write
     * @param length how many octets
     * @param fill fills them in, for only now may they change; null leaves what happens to be there
     */
    public void place(Octets member, int length, Consumer<MemorySegment> fill) {
        Scratch scratch = Scratch.get();
        long made = Counted.make(scratch, handle(), length);
        long address = Memory.getLong(scratch.number);
        if (fill != null) {
            try {
                fill.accept(Memory.all().asSlice(address, length));
            } catch (RuntimeException | Error error) {
                Native.call(Native.OCTETS_FREE, made);
                throw error;
            }
        }
        Counted.seal(member, made, address, length);
    }

    static long options(Scratch scratch, Instant time, InstanceHandle instance) {
        scratch.clearOptions();
        if (time != null) {
            Memory.putLong(scratch.options + 8, Times.nanos(time));
        }
        if (instance != null) {
            instance.put(scratch.instance);
            Memory.putLong(scratch.options + 16, scratch.instance);
        }
        return scratch.options;
    }

    /**
     * Memory for a sample that readers of this host see without a copy, if there is such memory. It is for types whose
     * memory is their encoding.
     *
     * @param <V> the class of views
     * @param view makes a view of the type: {@code PositionView::new}
     * @return the loan
     * @throws DdsException.Unsupported if memory is not the encoding that the writer has
     */
    public <V extends View<T>> Loan<V> loan(Supplier<V> view) {
        V made = view.get();
        checkPlain(made);
        return new Loan<V>(this, false).open(made, version);
    }

    /**
     * Memory for a sample as {@link #loan(Supplier)} gives it, without new objects: the view is yours, and the loan is
     * the one that was closed before. It is not to be used once it is closed.
     *
     * @param <V> the class of views
     * @param view a view of the type, which may have been that of another loan
     * @return the loan
     * @throws DdsException.Unsupported if memory is not the encoding that the writer has
     */
    public <V extends View<T>> Loan<V> loanWith(V view) {
        checkPlain(view);
        @SuppressWarnings("unchecked") // It has no view now.
        Loan<V> spare = (Loan<V>) spareLoan.getAndSet(null);
        return (spare == null ? new Loan<V>(this, true) : spare).open(view, version);
    }

    void giveBack(Loan<?> loan) {
        spareLoan.set(loan);
    }

    private void checkPlain(View<T> made) {
        if (version < 0) {
            prepare();
        }
        if (!made.isPlain(version)) {
            throw new DdsException.Unsupported("values of " + type.name() + " have to be encoded in "
                    + (version == 0 ? "XCDR1" : "XCDR2") + ", which the writer has: write them, or give the writer "
                    + (version == 0 ? "XCDR2" : "XCDR1"));
        }
    }

    /**
     * Disposes the instance of a value, of which only the key counts.
     *
     * @param value the value
     */
    public void dispose(T value) {
        dispose(value, null);
    }

    /**
     * Disposes the instance of a value, of which only the key counts.
     *
     * @param value the value
     * @param time when; null for now
     */
    public void dispose(T value, Instant time) {
        Scratch scratch = Scratch.get();
        CdrWriter w = encoded(scratch, value, true);
        Native.check(Native.call(Native.DISPOSE, handle(), w.address(), w.length(), options(scratch, time, null)));
    }

    /**
     * Unregisters the instance of a value, of which only the key counts.
     *
     * @param value the value
     */
    public void unregister(T value) {
        unregister(value, null);
    }

    /**
     * Unregisters the instance of a value, of which only the key counts.
     *
     * @param value the value
     * @param time when; null for now
     */
    public void unregister(T value, Instant time) {
        Scratch scratch = Scratch.get();
        CdrWriter w = encoded(scratch, value, true);
        Native.check(
                Native.call(Native.UNREGISTER, handle(), w.address(), w.length(), options(scratch, time, null)));
    }

    /**
     * Says that the instance of a value will be written.
     *
     * @param value the value, of which only the key counts
     * @return the instance
     */
    public InstanceHandle register(T value) {
        Scratch scratch = Scratch.get();
        CdrWriter w = encoded(scratch, value, true);
        Native.check(Native.call(Native.REGISTER, handle(), w.address(), w.length(), scratch.instance));
        return InstanceHandle.at(scratch.instance);
    }

    /**
     * The instance of a value.
     *
     * @param value the value
     * @return the instance; {@link InstanceHandle#NIL} if the writer does not have it
     */
    public InstanceHandle lookupInstance(T value) {
        Scratch scratch = Scratch.get();
        CdrWriter w = encoded(scratch, value, false);
        InstanceHandle found = Types.instance(type, w.address(), w.length());
        found.put(scratch.instance);
        return Native.found(Native.call(Native.WRITER_LOOKUP, handle(), scratch.instance)) ? found
                : InstanceHandle.NIL;
    }

    /**
     * The key of an instance.
     *
     * @param instance the instance
     * @param into what gets the key; all else of it gets its default
     * @return false if the writer does not have the instance
     */
    public boolean keyValue(InstanceHandle instance, T into) {
        return keyValue(Native.WRITER_KEY, handle(), type, instance, into);
    }

    static <T> boolean keyValue(java.lang.invoke.MethodHandle function, long entity, TypeSupport<T> type,
            InstanceHandle instance, T into) {
        Scratch scratch = Scratch.get();
        instance.put(scratch.instance);
        type.reset(into);
        if (!Native.found(Native.call(function, entity, scratch.instance, scratch.block))) {
            return false;
        }
        try {
            CdrReader r = scratch.reader;
            r.begin(Memory.getLong(scratch.block), Memory.getLong(scratch.block + 8), type.extensibility());
            type.readKey(r, into);
            r.finishKey();
        } finally {
            Native.call(Native.BLOCK_FREE, scratch.block);
        }
        return true;
    }

    /**
     * Waits until so many readers match.
     *
     * @param readers how many
     * @param timeout how long at most; 0 looks once
     * @return whether they do
     */
    public boolean waitForMatched(int readers, Duration timeout) {
        return Native.found(Native.call(Native.WRITER_WAIT_FOR_MATCHED, handle(), readers,
                DomainParticipant.timeout(timeout)));
    }

    /**
     * Waits until every matched reliable reader has acknowledged all samples.
     *
     * @param timeout how long at most
     * @return whether they have
     */
    public boolean waitForAcknowledgments(Duration timeout) {
        return Native.found(Native.call(Native.WRITER_WAIT_FOR_ACKNOWLEDGMENTS, handle(),
                DomainParticipant.timeout(timeout)));
    }

    /** {@return the readers that match} */
    public java.util.List<InstanceHandle> matchedSubscriptions() {
        return Matches.of(Native.WRITER_MATCHED, handle());
    }

    /**
     * What a reader that matches says of itself.
     *
     * @param reader its GUID
     * @return what it says
     * @throws DdsException.BadParameter if none that matches has the GUID
     */
    public BuiltinData matchedSubscriptionData(InstanceHandle reader) {
        return Builtin.get((arena, data, block) ->
                Native.call(Native.WRITER_MATCHED_DATA, handle(), reader.struct(arena), data, block));
    }

    /** {@return why readers of the same or a similar topic do not match, a line each} */
    public String explainMatching() {
        return Native.block(Native.WRITER_EXPLAIN, handle());
    }

    /** {@return how many changes the slowest reader has not acknowledged} */
    public long unacknowledged() {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.WRITER_BACKLOG, handle(), scratch.number, scratch.count));
        return Memory.getLong(scratch.number);
    }

    /** Sends samples that batching holds back. */
    public void flush() {
        Native.check(Native.call(Native.FLUSH, handle()));
    }

    /** Says that the writer lives, if its LIVELINESS is manual. */
    public void assertLiveliness() {
        Native.check(Native.call(Native.ASSERT_LIVELINESS, handle()));
    }

    /** {@return the status} */
    public LivelinessLostStatus livelinessLostStatus() {
        return Statuses.ask(handle(), StatusMask.LIVELINESS_LOST);
    }

    /** {@return the status} */
    public OfferedDeadlineMissedStatus offeredDeadlineMissedStatus() {
        return Statuses.ask(handle(), StatusMask.OFFERED_DEADLINE_MISSED);
    }

    /** {@return the status} */
    public OfferedIncompatibleQosStatus offeredIncompatibleQosStatus() {
        return Statuses.ask(handle(), StatusMask.OFFERED_INCOMPATIBLE_QOS);
    }

    /** {@return the status} */
    public PublicationMatchedStatus publicationMatchedStatus() {
        return Statuses.ask(handle(), StatusMask.PUBLICATION_MATCHED);
    }

    /** {@return a copy of its QoS} */
    public DataWriterQos qos() {
        DataWriterQos qos = new DataWriterQos();
        QosCodec.get(Native.QOS_GET, handle(), qos);
        return qos;
    }

    /**
     * Another QoS.
     *
     * @param qos the QoS
     */
    public void setQos(DataWriterQos qos) {
        QosCodec.set(Native.QOS_SET, handle(), qos);
    }

    /**
     * Another listener, or none.
     *
     * @param listener the listener; null for none
     */
    public void setListener(DataWriterListener<T> listener) {
        Entities.listen(this, listener == null ? null : new Dispatch.OfWriter<>(this, listener));
    }
}
