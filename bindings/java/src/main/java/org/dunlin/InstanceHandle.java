package org.dunlin;

import org.dunlin.internal.Memory;

/**
 * What names an instance, or an entity of the domain: the 16 bytes of a key hash or a GUID.
 *
 * @param high the first eight bytes, the first one most significant
 * @param low the others
 */
public record InstanceHandle(long high, long low) {
    /** None. */
    public static final InstanceHandle NIL = new InstanceHandle(0, 0);

    /**
     * The one in the memory of the library, for this package's own use.
     *
     * @param address where its bytes are
     * @return the handle
     */
    public static InstanceHandle at(long address) {
        long high = big(Memory.getLong(address));
        long low = big(Memory.getLong(address + 8));
        return high == 0 && low == 0 ? NIL : new InstanceHandle(high, low);
    }

    void put(long address) {
        Memory.putLong(address, big(high));
        Memory.putLong(address + 8, big(low));
    }

    long struct(java.lang.foreign.Arena arena) {
        long at = arena.allocate(16, 8).address();
        put(at);
        return at;
    }

    static long big(long number) {
        return java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.BIG_ENDIAN ? number : Long.reverseBytes(number);
    }

    /** {@return its bytes in hexadecimal} */
    @Override
    public String toString() {
        return String.format("%016x%016x", high, low);
    }
}
