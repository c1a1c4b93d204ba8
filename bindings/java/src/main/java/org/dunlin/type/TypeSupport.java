package org.dunlin.type;

import java.util.HexFormat;

/**
 * What the library knows of a type: its description, and how values become payloads. {@code dunlin idl gen -l java}
 * makes one for each structure and union: {@code Position.TYPE}.
 *
 * @param <T> the class of values
 */
public abstract class TypeSupport<T> {
    private final String name;
    private final Extensibility extensibility;
    private final boolean isKeyed;
    private final String[] objects;

    /**
     * What is known of a type.
     *
     * @param name its name with all modules, {@code A::B}
     * @param extensibility how it may grow
     * @param isKeyed whether it has a key
     * @param objects its complete TypeObjects (DDS-XTypes 1.3) in hexadecimal: a
     *     {@code sequence<TypeIdentifierTypeObjectPair>} in XCDR2, little endian, its own first; nothing if no topic
     *     can be of it
     */
    protected TypeSupport(String name, Extensibility extensibility, boolean isKeyed, String... objects) {
        this.name = name;
        this.extensibility = extensibility;
        this.isKeyed = isKeyed;
        this.objects = objects;
    }

    /** {@return the name of the type with all modules} */
    public final String name() {
        return name;
    }

    /** {@return how the type may grow} */
    public final Extensibility extensibility() {
        return extensibility;
    }

    /** {@return whether the type has a key, and so topics of it instances} */
    public final boolean isKeyed() {
        return isKeyed;
    }

    /** {@return the TypeObjects; empty if no topic can be of the type} */
    public final byte[] typeObjects() {
        return HexFormat.of().parseHex(String.join("", objects));
    }

    /** {@return a value whose members have their defaults} */
    public abstract T create();

    /**
     * Gives all members their defaults; memory is used again.
     *
     * @param value the value
     */
    public abstract void reset(T value);

    /**
     * A copy.
     *
     * @param value a value
     * @return one of its own that is equal
     */
    public abstract T copy(T value);

    /**
     * Writes a value.
     *
     * @param w where to
     * @param value the value
     */
    public abstract void write(CdrWriter w, T value);

    /**
     * Reads a value.
     *
     * @param r where from
     * @param value what is read into; its memory is used again
     */
    public abstract void read(CdrReader r, T value);

    /**
     * Writes the key of a value; all of it if no member is marked.
     *
     * @param w where to
     * @param value the value
     */
    public void writeKey(CdrWriter w, T value) {
        write(w, value);
    }

    /**
     * Reads a key; other members stay.
     *
     * @param r where from
     * @param value what is read into
     */
    public void readKey(CdrReader r, T value) {
        read(r, value);
    }
}
