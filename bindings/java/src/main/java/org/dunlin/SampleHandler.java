package org.dunlin;

/**
 * Gets samples one by one.
 *
 * @param <T> the class of samples
 */
@FunctionalInterface
public interface SampleHandler<T> {
    /**
     * A sample.
     *
     * @param data the value; without valid data it has its key only. It is used again for another sample
     * @param info what DDS says about it; it is used again, too
     */
    void accept(T data, SampleInfo info);
}
