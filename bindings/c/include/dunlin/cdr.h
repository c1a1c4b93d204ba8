/*
 * Reads and writes XCDR1 and XCDR2 (DDS-XTypes 1.3 7.4) for the files that `dunlin idl gen -l c`
 * makes. The writer knows the size before it begins and does not look at it again. The reader
 * trusts nothing that it reads.
 */
#ifndef DUNLIN_CDR_H
#define DUNLIN_CDR_H

#include <stdlib.h>
#include <string.h>

#include "dunlin/types.h"

#if defined(__GNUC__) || defined(__clang__)
#define DUNLIN_CDR_LOCAL static __attribute__((unused))
#define DUNLIN_CDR_INLINE static inline __attribute__((unused, always_inline))
#define DUNLIN_CDR_APART static __attribute__((unused, noinline))
#define DUNLIN_CDR_COLD static __attribute__((unused, noinline, cold))
#define DUNLIN_CDR_LIKELY(what) __builtin_expect(!!(what), 1)
#else
#define DUNLIN_CDR_LOCAL static
#define DUNLIN_CDR_INLINE static inline
#define DUNLIN_CDR_APART static
#define DUNLIN_CDR_COLD static
#define DUNLIN_CDR_LIKELY(what) (what)
#endif

/* How deep sequences, maps, optional and external members are within each other at most. */
#define DUNLIN_CDR_DEPTH_LIMIT 64
/* So many elements without any bytes are believed. */
#define DUNLIN_CDR_EMPTY_ELEMENTS 65536u
/* A value takes at most so many times the memory of its payload, */
#define DUNLIN_CDR_EXPANSION 16u
/* or so many bytes if that is more. */
#ifndef DUNLIN_CDR_LEAST_BUDGET
#define DUNLIN_CDR_LEAST_BUDGET (16u << 20)
#endif

#define DUNLIN_CDR_PID_MASK 0x3fffu
#define DUNLIN_CDR_PID_UNDERSTAND 0x4000u
#define DUNLIN_CDR_PID_LAST_SHORT 0x3f00u
#define DUNLIN_CDR_PID_EXTENDED 0x3f01u
#define DUNLIN_CDR_PID_SENTINEL 0x3f02u
#define DUNLIN_CDR_PID_IGNORE 0x3f03u
#define DUNLIN_CDR_ID_MASK 0x0fffffffu

#define DUNLIN_CDR_FINAL 0
#define DUNLIN_CDR_APPENDABLE 1
#define DUNLIN_CDR_MUTABLE 2

/* Notes what is wrong, unless something was wrong before. */
DUNLIN_CDR_COLD bool dunlin_cdr_fail(dunlin_cdr_fault *fault, int32_t code, const char *where,
                                     int64_t found, int64_t allowed) {
    if (fault->code == 0) {
        fault->code = code;
        fault->where = where;
        fault->found = found;
        fault->allowed = allowed;
    }
    return false;
}

/* A number is out of its range, which `range` says for as long as the program runs. */
DUNLIN_CDR_COLD bool dunlin_cdr_outside(dunlin_cdr_fault *fault, int32_t code, const char *where,
                                        int64_t found, const char *range) {
    return dunlin_cdr_fail(fault, code, where, found, (int64_t)(intptr_t)range);
}

DUNLIN_CDR_COLD bool dunlin_cdr_real_outside(dunlin_cdr_fault *fault, const char *where,
                                             double found, const char *range) {
    int64_t bits;
    memcpy(&bits, &found, sizeof bits);
    return dunlin_cdr_outside(fault, DUNLIN_CDR_RANGE_REAL, where, bits, range);
}

DUNLIN_CDR_INLINE size_t dunlin_cdr_aligned(size_t at, size_t align) {
    return (at + align - 1) & ~(align - 1);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Whether bytes from the second one on continue a character of UTF-8 that begins with `first`. */
DUNLIN_CDR_INLINE bool dunlin_utf8_goes_on(const uint8_t *at, unsigned first, size_t more) {
    const unsigned second = at[1];
    const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most && (more < 2 || (at[2] & 0xc0) == 0x80)
           && (more < 3 || (at[3] & 0xc0) == 0x80);
}

/* The first byte of a text that is not UTF-8 (RFC 3629); its length if all of it is. */
DUNLIN_CDR_LOCAL size_t dunlin_utf8_valid(const char *text, size_t length) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;
    while (at < length) {
        const unsigned first = bytes[at];
        size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        uint64_t word = 0;
        if (first < 0x80) {
            at++;
            while (length - at >= sizeof word) {
                memcpy(&word, bytes + at, sizeof word);
                if ((word & 0x8080808080808080u) != 0) {
                    break;
                }
                at += sizeof word;
            }
            continue;
        }
        if (first < 0xc2 || first > 0xf4 || length - at <= more
            || !dunlin_utf8_goes_on(bytes + at, first, more)) {
            return at;
        }
        at += more + 1;
    }
    return length;
}

DUNLIN_CDR_LOCAL bool dunlin_cdr_check_utf8(const char *text, size_t length,
                                            dunlin_cdr_fault *fault, const char *where) {
    const size_t valid = dunlin_utf8_valid(text, length);
    if (valid < length) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_UTF8, where, (unsigned char)text[valid],
                               (int64_t)valid);
    }
    return true;
}

/* Whether each half of a surrogate pair of UTF-16 has its other half. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_check_utf16(const uint8_t *units, size_t count, bool swap,
                                             dunlin_cdr_fault *fault, const char *where) {
    bool is_open = false;
    uint16_t unit = 0;
    size_t at;
    for (at = 0; at < count; at++) {
        memcpy(&unit, units + 2 * at, 2);
        unit = swap ? (uint16_t)(unit << 8 | unit >> 8) : unit;
        if (is_open != ((unit & 0xfc00u) == 0xdc00u)) {
            break;
        }
        is_open = (unit & 0xfc00u) == 0xd800u;
    }
    if (at < count || is_open) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_UTF16, where, unit, (int64_t)at);
    }
    return true;
}

/* ---- size ---------------------------------------------------------------------------------- */

/* Where a value ends that begins at `at`, counted from where alignment counts. */
typedef struct dunlin_cdr_size {
    size_t at;
    uint32_t depth;
    dunlin_cdr_fault *fault;
} dunlin_cdr_size;

DUNLIN_CDR_INLINE bool dunlin_cdr_size_enter(dunlin_cdr_size *z, const char *where) {
    if (z->depth == DUNLIN_CDR_DEPTH_LIMIT) {
        return dunlin_cdr_fail(z->fault, DUNLIN_CDR_DEPTH, where, z->depth + 1,
                               DUNLIN_CDR_DEPTH_LIMIT);
    }
    z->depth++;
    return true;
}

DUNLIN_CDR_INLINE bool dunlin_cdr_size_text(dunlin_cdr_size *z, const char *text, size_t bound,
                                            const char *where) {
    size_t length = text == NULL ? 0 : strlen(text);
    if ((bound > 0 && length > bound) || length >= UINT32_MAX) {
        return dunlin_cdr_fail(z->fault, DUNLIN_CDR_BOUND, where, (int64_t)length, (int64_t)bound);
    }
    z->at = dunlin_cdr_aligned(z->at, 4) + 4 + length + 1;
    return length == 0 || dunlin_cdr_check_utf8(text, length, z->fault, where);
}

/* A string within a struct has an end in any case. */
DUNLIN_CDR_INLINE bool dunlin_cdr_size_text_within(dunlin_cdr_size *z, const char *text,
                                                   size_t bound, const char *where) {
    const char *end = (const char *)memchr(text, 0, bound + 1);
    if (end == NULL) {
        return dunlin_cdr_fail(z->fault, DUNLIN_CDR_BOUND, where, (int64_t)bound + 1,
                               (int64_t)bound);
    }
    z->at = dunlin_cdr_aligned(z->at, 4) + 4 + (size_t)(end - text) + 1;
    return dunlin_cdr_check_utf8(text, (size_t)(end - text), z->fault, where);
}

/* A length, and whether it may be. */
DUNLIN_CDR_INLINE bool dunlin_cdr_size_length(dunlin_cdr_size *z, uint32_t length,
                                              const void *buffer, uint32_t bound,
                                              const char *where) {
    if (bound > 0 && length > bound) {
        return dunlin_cdr_fail(z->fault, DUNLIN_CDR_BOUND, where, length, bound);
    }
    if (length > 0 && buffer == NULL) {
        return dunlin_cdr_fail(z->fault, DUNLIN_CDR_MISSING, where, length, 0);
    }
    z->at = dunlin_cdr_aligned(z->at, 4) + 4;
    return true;
}

DUNLIN_CDR_INLINE bool dunlin_cdr_size_wide(dunlin_cdr_size *z, const dunlin_wstring *text,
                                            uint32_t bound, const char *where) {
    if (!dunlin_cdr_size_length(z, text->_length, text->_buffer, bound, where)) {
        return false;
    }
    z->at += 2 * (size_t)text->_length;
    return dunlin_cdr_check_utf16((const uint8_t *)text->_buffer, text->_length, false, z->fault,
                                  where);
}

/* Behind the content of an XCDR1 parameter that began at `begin`. */
DUNLIN_CDR_INLINE void dunlin_cdr_size_parameter(dunlin_cdr_size *z, size_t begin, uint32_t id) {
    size_t content = z->at;
    bool is_short = id <= DUNLIN_CDR_PID_LAST_SHORT && content <= UINT16_MAX;
    z->at = dunlin_cdr_aligned(begin, 4) + (is_short ? 4 : 12) + content;
}

/* ---- copy ---------------------------------------------------------------------------------- */

/* As memcpy. From about 2 KiB to 1 MiB libraries use a string instruction that some processors
 * take sixteen times as long for if the target lies 1 to 15 bytes further in its page than the
 * source: such copies go in pieces that are too short for it. */
DUNLIN_CDR_INLINE void dunlin_cdr_move(void *to, const void *from, size_t length) {
    enum { piece = 1536, large = 1048576, page = 4096, slow = 16 };
    uint8_t *out = (uint8_t *)to;
    const uint8_t *in = (const uint8_t *)from;
    size_t distance = (size_t)((uintptr_t)out - (uintptr_t)in) % page;
    if (distance > 0 && distance < slow && length < large) {
        for (; length > piece; length -= piece, out += piece, in += piece) {
            memcpy(out, in, piece);
        }
    }
    memcpy(out, in, length);
}

/* ---- write --------------------------------------------------------------------------------- */

/* Writes in native byte order into memory that has room for all. */
typedef struct dunlin_cdr_writer {
    uint8_t *at;
    uint8_t *origin;
    dunlin_cdr_fault *fault;
    /* Where counted octets are noted instead of being copied; NULL: all are copied. */
    dunlin_cdr_apart *apart;
} dunlin_cdr_writer;

DUNLIN_CDR_INLINE void dunlin_cdr_put_align(dunlin_cdr_writer *w, size_t align) {
    size_t padding = (0 - (size_t)(w->at - w->origin)) & (align - 1);
    while (padding > 0) {
        *w->at++ = 0;
        padding--;
    }
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_u16(uint8_t *at, uint16_t number) {
    memcpy(at, &number, 2);
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_u32(uint8_t *at, uint32_t number) {
    memcpy(at, &number, 4);
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_u64(uint8_t *at, uint64_t number) {
    memcpy(at, &number, 8);
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_length(dunlin_cdr_writer *w, uint32_t length) {
    dunlin_cdr_put_align(w, 4);
    dunlin_cdr_put_u32(w->at, length);
    w->at += 4;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_bytes(dunlin_cdr_writer *w, const void *bytes,
                                            size_t length) {
    if (length > 0) {
        dunlin_cdr_move(w->at, bytes, length);
        w->at += length;
    }
}

/* Behind their length. Those that are left out have their room in the payload all the same. */
DUNLIN_CDR_INLINE void dunlin_cdr_put_octets(dunlin_cdr_writer *w,
                                             const dunlin_octet_member *octets) {
    dunlin_cdr_apart *apart = w->apart;
    if (apart == NULL || octets->_octets == 0 || octets->_length < DUNLIN_CDR_APART_LEAST
        || apart->count == DUNLIN_CDR_APART_MOST) {
        dunlin_cdr_put_bytes(w, octets->_buffer, octets->_length);
        return;
    }
    apart->parts[apart->count].at = w->at;
    apart->parts[apart->count].data = octets->_buffer;
    apart->parts[apart->count].length = octets->_length;
    apart->parts[apart->count].octets = octets->_octets;
    apart->count++;
    w->at += octets->_length;
}

/* What is behind `from` has moved. */
DUNLIN_CDR_INLINE void dunlin_cdr_moved(dunlin_cdr_apart *apart, const uint8_t *from,
                                        size_t by) {
    uint32_t i;
    for (i = apart == NULL ? 0 : apart->count; i > 0 && apart->parts[i - 1].at >= from; i--) {
        apart->parts[i - 1].at += by;
    }
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_wide(dunlin_cdr_writer *w, const dunlin_wstring *text) {
    dunlin_cdr_put_length(w, text->_length * 2);
    dunlin_cdr_put_bytes(w, text->_buffer, 2 * (size_t)text->_length);
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_text(dunlin_cdr_writer *w, const char *text) {
    size_t length = text == NULL ? 0 : strlen(text);
    dunlin_cdr_put_length(w, (uint32_t)length + 1);
    dunlin_cdr_put_bytes(w, text, length);
    *w->at++ = 0;
}

/* A DHEADER or the like, whose length is written when it is known. */
DUNLIN_CDR_INLINE uint8_t *dunlin_cdr_put_begin(dunlin_cdr_writer *w) {
    dunlin_cdr_put_align(w, 4);
    w->at += 4;
    return w->at;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_end(dunlin_cdr_writer *w, uint8_t *begin) {
    dunlin_cdr_put_u32(begin - 4, (uint32_t)(w->at - begin));
}

/* An XCDR1 parameter: its header is written when its length is known. */
typedef struct dunlin_cdr_parameter {
    uint8_t *begin;
    uint8_t *origin;
} dunlin_cdr_parameter;

DUNLIN_CDR_INLINE dunlin_cdr_parameter dunlin_cdr_put_parameter(dunlin_cdr_writer *w,
                                                                uint32_t id) {
    dunlin_cdr_parameter outer;
    dunlin_cdr_put_align(w, 4);
    outer.begin = w->at;
    outer.origin = w->origin;
    w->at += id <= DUNLIN_CDR_PID_LAST_SHORT ? 4 : 12;
    w->origin = w->at;
    return outer;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_parameter_end(dunlin_cdr_writer *w,
                                                    dunlin_cdr_parameter outer, uint32_t id,
                                                    bool must_understand) {
    size_t length = (size_t)(w->at - w->origin);
    if (id <= DUNLIN_CDR_PID_LAST_SHORT && length <= UINT16_MAX) {
        uint16_t flag = must_understand ? DUNLIN_CDR_PID_UNDERSTAND : 0;
        dunlin_cdr_put_u16(outer.begin, (uint16_t)(flag | id));
        dunlin_cdr_put_u16(outer.begin + 2, (uint16_t)length);
    } else {
        if (id <= DUNLIN_CDR_PID_LAST_SHORT) {
            /* Alignment counts from behind the header, so that nothing but the place changes. */
            memmove(outer.begin + 12, outer.begin + 4, length);
            dunlin_cdr_moved(w->apart, outer.begin + 4, 8);
            w->at += 8;
        }
        dunlin_cdr_put_u16(outer.begin,
                           (uint16_t)(DUNLIN_CDR_PID_UNDERSTAND | DUNLIN_CDR_PID_EXTENDED));
        dunlin_cdr_put_u16(outer.begin + 2, 8);
        dunlin_cdr_put_u32(outer.begin + 4, (must_understand ? 0x40000000u : 0) | id);
        dunlin_cdr_put_u32(outer.begin + 8, (uint32_t)length);
    }
    w->origin = outer.origin;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_sentinel(dunlin_cdr_writer *w) {
    dunlin_cdr_put_align(w, 4);
    dunlin_cdr_put_u16(w->at, (uint16_t)(DUNLIN_CDR_PID_UNDERSTAND | DUNLIN_CDR_PID_SENTINEL));
    dunlin_cdr_put_u16(w->at + 2, 0);
    w->at += 4;
}

/* What a key hash is made of: the same in big endian. */
DUNLIN_CDR_INLINE void dunlin_cdr_put_big(uint8_t *at, const void *numbers, size_t size,
                                          size_t count) {
    const uint8_t *from = (const uint8_t *)numbers;
    size_t i, j;
    for (i = 0; i < count; i++) {
        for (j = 0; j < size; j++) {
            at[i * size + j] = from[i * size + (DUNLIN_IS_BIG_ENDIAN ? j : size - 1 - j)];
        }
    }
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_length_big(dunlin_cdr_writer *w, uint32_t length) {
    dunlin_cdr_put_align(w, 4);
    dunlin_cdr_put_big(w->at, &length, 4, 1);
    w->at += 4;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_wide_big(dunlin_cdr_writer *w, const dunlin_wstring *text) {
    dunlin_cdr_put_length_big(w, text->_length * 2);
    dunlin_cdr_put_big(w->at, text->_buffer, 2, text->_length);
    w->at += 2 * (size_t)text->_length;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_text_big(dunlin_cdr_writer *w, const char *text) {
    size_t length = text == NULL ? 0 : strlen(text);
    dunlin_cdr_put_length_big(w, (uint32_t)length + 1);
    dunlin_cdr_put_bytes(w, text, length);
    *w->at++ = 0;
}

DUNLIN_CDR_INLINE void dunlin_cdr_put_end_big(dunlin_cdr_writer *w, uint8_t *begin) {
    uint32_t length = (uint32_t)(w->at - begin);
    dunlin_cdr_put_big(begin - 4, &length, 4, 1);
}

/* The header of a payload (RTPS 2.5 10.5). */
DUNLIN_CDR_INLINE void dunlin_cdr_put_header(uint8_t *payload, int32_t xcdr, int extensibility) {
    static const uint8_t kinds[2][3] = {{0x00, 0x00, 0x02}, {0x06, 0x08, 0x0a}};
    payload[0] = 0;
    payload[1] = (uint8_t)(kinds[xcdr == DUNLIN_XCDR2][extensibility] | !DUNLIN_IS_BIG_ENDIAN);
    payload[2] = 0;
    payload[3] = 0;
}

/* A writer of what is behind the header. */
DUNLIN_CDR_INLINE dunlin_cdr_writer dunlin_cdr_writer_of(uint8_t *payload,
                                                         dunlin_cdr_fault *fault) {
    dunlin_cdr_writer w;
    w.at = payload + 4;
    w.origin = w.at;
    w.fault = fault;
    w.apart = NULL;
    return w;
}

/* Padding behind the value, which the header counts. */
DUNLIN_CDR_INLINE void dunlin_cdr_put_padding(dunlin_cdr_writer *w, uint8_t *payload) {
    payload[3] = (uint8_t)((0 - (size_t)(w->at - w->origin)) & 3);
    dunlin_cdr_put_align(w, 4);
}

/* The size of the payload of a value that ends at `at`. */
DUNLIN_CDR_INLINE bool dunlin_cdr_payload_size(size_t at, size_t *size, dunlin_cdr_fault *fault,
                                               const char *where) {
    if (at > UINT32_MAX - 8u) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_TOO_LONG, where, (int64_t)at, UINT32_MAX - 8u);
    }
    *size = 4 + dunlin_cdr_aligned(at, 4);
    return true;
}

#include "dunlin/cdr_read.h"

#endif
