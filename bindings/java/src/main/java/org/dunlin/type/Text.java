package org.dunlin.type;

import org.dunlin.internal.Memory;

/** UTF-8 and UTF-16. */
final class Text {
    private Text() {
    }

    /** Writes a string from a place on; returns where it ends. */
    static long put(String value, int from, long to, String where) {
        int count = value.length();
        for (int i = from; i < count; i++) {
            int c = value.charAt(i);
            if (c == 0) {
                throw CodecException.encoding(where, "the string has a NUL at " + i);
            }
            if (c < 0x80) {
                Memory.putByte(to++, (byte) c);
                continue;
            }
            if (c < 0x800) {
                Memory.putByte(to++, (byte) (0xc0 | c >> 6));
            } else {
                if (Character.isSurrogate((char) c)) {
                    int point = i + 1 < count ? value.codePointAt(i) : c;
                    if (point < 0x10000) {
                        throw CodecException.encoding(where, "the surrogate at " + i + " of the string is alone");
                    }
                    i++;
                    c = point;
                    Memory.putByte(to++, (byte) (0xf0 | c >> 18));
                    Memory.putByte(to++, (byte) (0x80 | c >> 12 & 0x3f));
                } else {
                    Memory.putByte(to++, (byte) (0xe0 | c >> 12));
                }
                Memory.putByte(to++, (byte) (0x80 | c >> 6 & 0x3f));
            }
            Memory.putByte(to++, (byte) (0x80 | c & 0x3f));
        }
        return to;
    }

    static void checkPairs(String value, String where) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == value.length() || !Character.isSurrogatePair(c, value.charAt(i + 1))) {
                    throw CodecException.encoding(where, "the surrogate at " + i + " of the string is alone");
                }
                i++;
            }
        }
    }

    /** The bytes of a character of UTF-8 at an address; 0 if there is none. */
    static int characterAt(long at, int left) {
        int first = Memory.getByte(at) & 0xff;
        if (first < 0x80) {
            return 1;
        }
        int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        if (first < 0xc2 || first > 0xf4 || left <= more) {
            return 0;
        }
        int second = Memory.getByte(at + 1) & 0xff;
        int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (second < least || second > greatest) {
            return 0;
        }
        for (int i = 2; i <= more; i++) {
            if ((Memory.getByte(at + i) & 0xc0) != 0x80) {
                return 0;
            }
        }
        return more + 1;
    }

    /** A character of UTF-8 that is so many bytes long. */
    static int decoded(long at, int bytes) {
        int first = Memory.getByte(at);
        int c = switch (bytes) {
            case 1 -> first;
            case 2 -> first & 0x1f;
            case 3 -> first & 0x0f;
            default -> first & 0x07;
        };
        for (int i = 1; i < bytes; i++) {
            c = c << 6 | Memory.getByte(at + i) & 0x3f;
        }
        return c;
    }

    /** Whether a string is what is at an address, in UTF-8 that was checked. */
    static boolean isSame(String value, long at, int length) {
        int count = value.length();
        int i = 0;
        int place = 0;
        while (place < length) {
            if (i == count) {
                return false;
            }
            int first = Memory.getByte(at + place);
            if (first >= 0) {
                if (value.charAt(i) != first) {
                    return false;
                }
                i++;
                place++;
                continue;
            }
            int bytes = (first & 0xf0) == 0xf0 ? 4 : (first & 0xe0) == 0xe0 ? 3 : 2;
            int c = decoded(at + place, bytes);
            if (value.codePointAt(i) != c) {
                return false;
            }
            i += Character.charCount(c);
            place += bytes;
        }
        return i == count;
    }
}
