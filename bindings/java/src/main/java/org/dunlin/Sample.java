package org.dunlin;

import org.dunlin.type.TypeSupport;

/**
 * A sample of a batch.
 *
 * @param <T> the class of samples
 */
public final class Sample<T> implements Cloneable {
    private final TypeSupport<T> type;
    /** The value; without valid data it has its key only. */
    public final T data;
    /** What DDS says about it. */
    public final SampleInfo info;

    Sample(TypeSupport<T> type, T data, SampleInfo info) {
        this.type = type;
        this.data = data;
        this.info = info;
    }

    /** {@return a copy that stays when the batch is closed} */
    @Override
    public Sample<T> clone() {
        return new Sample<>(type, type.copy(data), info.clone());
    }
}
