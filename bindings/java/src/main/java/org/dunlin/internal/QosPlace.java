package org.dunlin.internal;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.dunlin.DdsException;
import org.dunlin.qos.Property;
import org.dunlin.qos.Representation;

/** A structure of dunlin.h in memory, by the names of its members. */
final class QosPlace {
    private final Arena arena;
    private final Struct struct;
    private final long base;

    QosPlace(Arena arena, Struct struct, int kind) {
        this.arena = arena;
        this.struct = struct;
        base = arena.allocate(struct.size, 8).address();
        Memory.putInt(base, struct.size);
        Memory.putInt(base + 4, kind);
    }

    /** One that is there. */
    QosPlace(Struct struct, long base) {
        arena = null;
        this.struct = struct;
        this.base = base;
    }

    long address() {
        return base;
    }

    private long at(String member) {
        return base + struct.at(member);
    }

    void duration(String member, Duration value) {
        Memory.putLong(at(member), Times.nanos(value));
    }

    Duration duration(String member) {
        return Duration.ofNanos(Memory.getLong(at(member)));
    }

    void number(String member, int value) {
        Memory.putInt(at(member), value);
    }

    int number(String member) {
        return Memory.getInt(at(member));
    }

    void flag(String member, boolean value) {
        Memory.putByte(at(member), (byte) (value ? 1 : 0));
    }

    boolean flag(String member) {
        return Memory.getByte(at(member)) != 0;
    }

    void kind(String member, Enum<?> value) {
        number(member, java.util.Objects.requireNonNull(value, member).ordinal());
    }

    <E> E kind(String member, E[] values) {
        int number = number(member);
        if (number < 0 || number >= values.length) {
            throw new DdsException.Unsupported(member + " is " + number + ", which this package does not know");
        }
        return values[number];
    }

    void representation(String member, Representation value) {
        number(member, value == Representation.XCDR1 ? 0 : 2);
    }

    Representation representation(String member) {
        return number(member) == 0 ? Representation.XCDR1 : Representation.XCDR2;
    }

    void representations(String member, Set<Representation> value) {
        number(member, (value.contains(Representation.XCDR1) ? 1 : 0)
                | (value.contains(Representation.XCDR2) ? 4 : 0));
    }

    Set<Representation> representations(String member) {
        Set<Representation> all = EnumSet.noneOf(Representation.class);
        if ((number(member) & 1) != 0) {
            all.add(Representation.XCDR1);
        }
        if ((number(member) & 4) != 0) {
            all.add(Representation.XCDR2);
        }
        return all;
    }

    void text(String member, String value) {
        Native.putText(arena, at(member), value);
    }

    String text(String member) {
        return Native.string(Memory.getLong(at(member)), Memory.getLong(at(member) + 8));
    }

    void bytes(String member, byte[] value) {
        Native.putBytes(arena, at(member), value);
    }

    byte[] bytes(String member) {
        return Native.bytes(Memory.getLong(at(member)), Memory.getLong(at(member) + 8));
    }

    /** A pointer is followed by the number of what is there. */
    private void list(String member, long address, int count) {
        Memory.putLong(at(member), address);
        Memory.putLong(at(member) + 8, count);
    }

    private int count(String member) {
        return Math.toIntExact(Memory.getLong(at(member) + 8));
    }

    void texts(String member, List<String> value) {
        list(member, Native.texts(arena, value), value.size());
    }

    List<String> texts(String member) {
        List<String> all = new ArrayList<>();
        long from = Memory.getLong(at(member));
        for (int i = 0; i < count(member); i++, from += 16) {
            all.add(Native.string(Memory.getLong(from), Memory.getLong(from + 8)));
        }
        return all;
    }

    void addresses(String member, List<InetAddress> value) {
        long to = value.isEmpty() ? 0 : arena.allocate(4L * value.size(), 4).address();
        list(member, to, value.size());
        for (InetAddress one : value) {
            byte[] bytes = one.getAddress();
            if (bytes.length != 4) {
                throw new DdsException.BadParameter(member + ": " + one + " is no IPv4 address");
            }
            Memory.putInt(to, (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8
                    | bytes[3] & 0xff);
            to += 4;
        }
    }

    List<InetAddress> addresses(String member) {
        List<InetAddress> all = new ArrayList<>();
        long from = Memory.getLong(at(member));
        for (int i = 0; i < count(member); i++, from += 4) {
            int number = Memory.getInt(from);
            byte[] bytes = {(byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number};
            try {
                all.add(InetAddress.getByAddress(bytes));
            } catch (UnknownHostException error) {
                throw new IllegalStateException(error);
            }
        }
        return all;
    }

    void properties(String member, List<Property> value) {
        int size = Structs.PROPERTY.size;
        long to = value.isEmpty() ? 0 : arena.allocate((long) size * value.size(), 8).address();
        list(member, to, value.size());
        for (Property one : value) {
            Native.putText(arena, to, one.name());
            Native.putBytes(arena, to + 16, one.value().getBytes(StandardCharsets.UTF_8));
            Memory.putByte(to + 33, (byte) (one.propagate() ? 1 : 0));
            to += size;
        }
    }

    List<Property> properties(String member) {
        List<Property> all = new ArrayList<>();
        long from = Memory.getLong(at(member));
        for (int i = 0; i < count(member); i++, from += Structs.PROPERTY.size) {
            all.add(new Property(Native.string(Memory.getLong(from), Memory.getLong(from + 8)),
                    Native.string(Memory.getLong(from + 16), Memory.getLong(from + 24)),
                    Memory.getByte(from + 33) != 0));
        }
        return all;
    }
}
