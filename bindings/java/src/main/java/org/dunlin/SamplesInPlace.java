package org.dunlin;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Scratch;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Views;
import org.dunlin.type.TypeSupport;
import org.dunlin.type.View;

/**
 * Samples that were taken or read and stay where they are: those of writers of this host in the memory of their writer.
 * Parts of them are read, and nothing else of them is copied:
 *
 * <pre>{@code
 * PictureView picture = new PictureView();
 * try (SamplesInPlace<Picture> samples = reader.takeInPlace()) {
 *     for (int i = 0; i < samples.size(); i++) {
 *         if (samples.info(i).validData) {
 *             System.out.println(samples.view(i, picture).number());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>The batch is valid until it is closed. Then the memory is its writer's again, and the objects are used again for
 * the next batch. A batch that stays open keeps memory of the writer.
 *
 * @param <T> the class of samples
 */
public final class SamplesInPlace<T> extends Batch<T> {
    /** How many samples a batch has at most, unless {@link Select#max} says so. */
    static final int ROOM = 16;
    private static final int HEADER = 4;

    private final List<SampleInfo> infos = new ArrayList<>();
    private final List<View<?>> views = new ArrayList<>();

    SamplesInPlace(DataReader<T> reader, TypeSupport<T> type) {
        super(reader, type, ROOM, Native.IN_PLACE);
    }

    @Override
    boolean fill(boolean isTaken, Select select) {
        size = get(isTaken, select);
        for (int i = 0; i < size; i++) {
            if (i == infos.size()) {
                infos.add(new SampleInfo());
            }
            infos.get(i).get(at(i) + Structs.SAMPLE_INFO_AT);
        }
        return size > 0;
    }

    private long sample(int index) {
        check(index);
        return at(index);
    }

    /**
     * What DDS says about a sample.
     *
     * @param index its place
     * @return what it says; the next batch uses the object again
     */
    public SampleInfo info(int index) {
        sample(index);
        return infos.get(index);
    }

    /**
     * The octets of a payload.
     *
     * @param index the place of the sample
     * @return how many there are, the 4 of the encapsulation header among them
     */
    public long length(int index) {
        return Memory.getLong(sample(index) + Structs.SAMPLE_LENGTH);
    }

    /**
     * Whether a sample lies in memory of its writer.
     *
     * @param index its place
     * @return whether it does; if not, it was copied on its way
     */
    public boolean isInPlace(int index) {
        return (Memory.getInt(sample(index) + Structs.SAMPLE_FLAGS) & Native.SAMPLE_IN_PLACE) != 0;
    }

    /**
     * Whether a writer has left a sample alone so far.
     *
     * @param index the place of the sample
     * @return false if the writer has used its memory again: then what was read may be of another sample
     */
    public boolean isIntact(int index) {
        Scratch scratch = Scratch.get();
        Native.check(Native.call(Native.SAMPLE_IS_VALID, handle, sample(index), scratch.number));
        return Memory.getByte(scratch.number) != 0;
    }

    /**
     * Copies a part of a payload.
     *
     * @param index the place of the sample
     * @param offset the place of the part; the encapsulation header is at 0, and the value behind it at 4
     * @param into what gets it, as many octets as it has: memory that is native
     * @throws DdsException.BadParameter if the payload does not have that part
     * @throws DdsException if the writer has used the memory again: what was copied is not the sample
     */
    public void copy(int index, long offset, MemorySegment into) {
        long sample = sample(index);
        if (!into.isNative() || into.isReadOnly()) {
            throw new DdsException.BadParameter("into is an array or cannot be written: it has to be native memory");
        }
        if (offset < 0 || into.byteSize() > length(index) - offset) {
            throw new DdsException.BadParameter("a part of " + into.byteSize() + " octets at " + offset
                    + " is not within the payload, which has " + length(index));
        }
        Native.check(Native.sampleCopy(handle, sample, offset, into.address(), into.byteSize()));
        java.lang.ref.Reference.reachabilityFence(into);
    }

    /**
     * Lays a view over a sample of a type whose memory is its encoding. What is asked of the view is read where it is.
     * The view is no more than that: it cannot change the sample.
     *
     * @param <V> the class of the view
     * @param index the place of the sample
     * @param view a view of the type, which may have lain over another sample
     * @return the view
     * @throws DdsException.Unsupported if the sample was written in another representation or byte order
     */
    public <V extends View<T>> V view(int index, V view) {
        long sample = sample(index);
        Scratch scratch = Scratch.get();
        boolean isPlain = false;
        if (infos.get(index).validData && length(index) >= HEADER + view.size()) {
            Native.check(Native.sampleCopy(handle, sample, 0, scratch.number, HEADER));
            int kind = Memory.getByte(scratch.number + 1);
            boolean isLittle = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN;
            isPlain = Memory.getByte(scratch.number) == 0 && (kind & 1) == (isLittle ? 1 : 0)
                    && ((kind & 0xfe) == 0 && view.isPlain(0) || (kind & 0xfe) == 6 && view.isPlain(2));
        }
        if (!isPlain) {
            throw new DdsException.Unsupported("sample " + index + " of " + type.name()
                    + " is not as it is in memory: take it as a value");
        }
        long data = Memory.getLong(sample + Structs.SAMPLE_DATA);
        Views.lay(view, data == 0 ? 0 : data + HEADER, handle, sample, HEADER);
        if (!views.contains(view)) {
            views.add(view);
        }
        return view;
    }

    @Override
    void end() {
        for (int i = 0; i < views.size(); i++) {
            Views.lay(views.get(i), 0);
        }
        views.clear();
        giveBack(size);
        size = 0;
        reader.giveBack(this);
    }
}
