package org.dunlin.internal;

import java.lang.foreign.Arena;
import java.util.List;
import org.dunlin.InstanceHandle;
import org.dunlin.discovery.BuiltinData;
import org.dunlin.discovery.BuiltinTopic;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;

/** What others say, out of a {@code dunlin_builtin_data}. */
public final class Builtin {
    /** A call that fills one in, with the block that its texts lie in. */
    public interface Call {
        /** Returns its code. */
        int fill(Arena arena, long data, long block);
    }

    private Builtin() {
    }

    /** The number of a built-in topic. */
    public static int kind(BuiltinTopic topic) {
        return topic.ordinal() + 1;
    }

    /** What a call says; null if there is nothing. */
    public static BuiltinData get(Call call) {
        try (Arena arena = Arena.ofConfined()) {
            long data = arena.allocate(Structs.BUILTIN_DATA.size, 8).address();
            long block = arena.allocate(Structs.BLOCK.size, 8).address();
            Memory.putInt(data, Structs.BUILTIN_DATA.size);
            if (!Native.found(call.fill(arena, data, block))) {
                return null;
            }
            try {
                return at(data);
            } finally {
                Native.call(Native.BLOCK_FREE, block);
            }
        }
    }

    private static BuiltinData at(long data) {
        Struct of = Structs.BUILTIN_DATA;
        QosPlace at = new QosPlace(of, data);
        int kind = Math.clamp(at.number("kind"), 1, 4);
        int vendor = (Memory.getByte(data + of.at("vendor")) & 0xff) << 8
                | Memory.getByte(data + of.at("vendor") + 1) & 0xff;
        return new BuiltinData(BuiltinTopic.values()[kind - 1], InstanceHandle.at(data + of.at("key")),
                InstanceHandle.at(data + of.at("participant_key")), at.text("name"), at.text("type_name"),
                at.bytes("user_data"), at.bytes("topic_data"), List.copyOf(at.properties("properties")),
                QosCodec.at(Structs.WRITER_QOS, Memory.getLong(data + of.at("writer_qos")), new DataWriterQos()),
                QosCodec.at(Structs.READER_QOS, Memory.getLong(data + of.at("reader_qos")), new DataReaderQos()),
                vendor);
    }
}
