package org.dunlin.type;

import java.util.Comparator;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What generated code does with values in memory. */
public final class Values {
    /** The order of strings as keys of a map: that of their characters. */
    public static final Comparator<String> TEXT = Values::compareText;

    private Values() {
    }

    /** Surrogates stand for characters that are behind all others. */
    private static int compareText(String one, String other) {
        int count = Math.min(one.length(), other.length());
        for (int i = 0; i < count; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                boolean isWide = Character.isSurrogate(a);
                return isWide == Character.isSurrogate(b) ? a - b : isWide ? 1 : -1;
            }
        }
        return one.length() - other.length();
    }

    /**
     * Whether numbers are equal: -0 is 0, NaN is NaN.
     *
     * @param one a number
     * @param other another one
     * @return whether they are
     */
    public static boolean same(double one, double other) {
        return one == other || one != one && other != other;
    }

    /**
     * A hash by which equal numbers are equal.
     *
     * @param value a number
     * @return the hash
     */
    public static int hash(double value) {
        return Double.hashCode(value + 0.0);
    }

    /**
     * Puts a value into each place of an array, of several dimensions perhaps.
     *
     * @param <A> the class of the array
     * @param array the array
     * @param dimensions how many dimensions are filled
     * @param make what makes a value
     * @return the array
     */
    public static <A> A fill(A array, int dimensions, Supplier<?> make) {
        Object[] places = (Object[]) array;
        for (int i = 0; i < places.length; i++) {
            if (dimensions > 1) {
                fill(places[i], dimensions - 1, make);
            } else {
                places[i] = make.get();
            }
        }
        return array;
    }

    /**
     * A copy of an array.
     *
     * @param <E> the class of elements
     * @param from the array
     * @param copy what makes a copy of an element
     * @return the copy
     */
    public static <E> E[] copy(E[] from, UnaryOperator<E> copy) {
        E[] made = from.clone();
        for (int i = 0; i < made.length; i++) {
            made[i] = copy.apply(made[i]);
        }
        return made;
    }

    /**
     * A copy of a map.
     *
     * @param <K> the class of keys
     * @param <V> the class of values
     * @param from the map
     * @param copy what makes a copy of a value
     * @return the copy
     */
    public static <K, V> TreeMap<K, V> copy(TreeMap<K, V> from, UnaryOperator<V> copy) {
        TreeMap<K, V> made = new TreeMap<>(from);
        made.replaceAll((key, value) -> copy.apply(value));
        return made;
    }

    /**
     * Whether two values are equal; arrays are if their elements are.
     *
     * @param one a value
     * @param other another one
     * @return whether they are
     */
    public static boolean equal(Object one, Object other) {
        return java.util.Objects.deepEquals(one, other);
    }

    /**
     * A hash by which equal values are equal.
     *
     * @param value a value
     * @return the hash
     */
    public static int hash(Object value) {
        return java.util.Arrays.deepHashCode(new Object[] {value});
    }

    /**
     * A value as text; an array with its elements.
     *
     * @param value a value
     * @return the text
     */
    public static String text(Object value) {
        String text = java.util.Arrays.deepToString(new Object[] {value});
        return text.substring(1, text.length() - 1);
    }
}
