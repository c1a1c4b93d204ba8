package org.dunlin.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A structure of dunlin.h: its size and where its members are, which the library confirms when it is loaded. */
public final class Struct {
    /** Its name without {@code dunlin_}. */
    final String name;
    /** Bytes. */
    public final int size;
    /** The bytes that the library gives it, which may be more. */
    private int room;
    final List<Integer> offsets = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    /** Members with commas between them: {@code u32 size, text name, u8*7 reserved}. */
    Struct(String name, String members) {
        this.name = name;
        int at = 0;
        int widest = 1;
        for (String member : members.split(",")) {
            String[] words = member.trim().split(" ");
            String[] of = words[0].split("\\*");
            int bytes = bytes(of[0]);
            int align = Math.min(bytes, 8);
            at = (at + align - 1) & -align;
            offsets.add(at);
            places.put(words[1], at);
            at += bytes * (of.length > 1 ? Integer.parseInt(of[1]) : 1);
            widest = Math.max(widest, align);
        }
        size = (at + widest - 1) & -widest;
        room = size;
    }

    private static int bytes(String type) {
        return switch (type) {
            case "u8" -> 1;
            case "u16" -> 2;
            case "u32", "i32" -> 4;
            case "u64", "i64", "ptr" -> 8;
            case "text", "bytes" -> 16;
            default -> throw new IllegalArgumentException(type);
        };
    }

    /** {@return the bytes that a library which fills in all of it writes} */
    public int room() {
        return room;
    }

    void makeRoom(long bytes) {
        room = Math.max(room, Math.toIntExact(bytes));
    }

    /** Whether its first member is its size. */
    boolean tellsSize() {
        return places.containsKey("size");
    }

    /** Where a member is. */
    public int at(String member) {
        Integer at = places.get(member);
        if (at == null) {
            throw new IllegalArgumentException("dunlin_" + name + " has no " + member);
        }
        return at;
    }
}
