package org.dunlin.type;

/**
 * A {@code long double} of IDL: the bits of a binary128 (IEEE 754).
 *
 * @param high its sign, its exponent, the beginning of its fraction
 * @param low the rest of its fraction
 */
public record Float128(long high, long low) {
    /** Zero. */
    public static final Float128 ZERO = new Float128(0, 0);

    /**
     * The same number.
     *
     * @param value a number
     * @return it with more bits
     */
    public static Float128 of(double value) {
        long bits = Double.doubleToRawLongBits(value);
        long sign = bits & Long.MIN_VALUE;
        int exponent = (int) (bits >>> 52 & 0x7ff);
        long fraction = bits & 0xfffffffffffffL;
        if (exponent == 0 && fraction == 0) {
            return new Float128(sign, 0);
        }
        int wide = exponent == 0x7ff ? 0x7fff : exponent - 1023 + 16383;
        if (exponent == 0) {
            int shift = Long.numberOfLeadingZeros(fraction) - 11;
            fraction = fraction << shift & 0xfffffffffffffL;
            wide = 1 - shift - 1023 + 16383;
        }
        return new Float128(sign | (long) wide << 48 | fraction >>> 4, fraction << 60);
    }

    /** {@return the number, cut to the bits of a {@code double}; one that is too small is 0} */
    public double doubleValue() {
        int wide = (int) (high >>> 48 & 0x7fff);
        long sign = high & Long.MIN_VALUE;
        long fraction = (high & 0xffffffffffffL) << 4 | low >>> 60;
        if (wide == 0x7fff) {
            boolean isNumber = (high & 0xffffffffffffL | low) == 0;
            return isNumber ? Double.longBitsToDouble(sign | 0x7ffL << 52) : Double.NaN;
        }
        int exponent = wide - 16383 + 1023;
        if (exponent >= 0x7ff) {
            return Double.longBitsToDouble(sign | 0x7ffL << 52);
        }
        if (exponent <= 0) {
            return Double.longBitsToDouble(sign);
        }
        return Double.longBitsToDouble(sign | (long) exponent << 52 | fraction);
    }
}
