/* The half of `dunlin/cdr.h` that reads. */
#ifndef DUNLIN_CDR_READ_H
#define DUNLIN_CDR_READ_H

#include "dunlin/cdr.h"
#include "dunlin/values.h"

/* Reads either byte order. */
typedef struct dunlin_cdr_reader {
    const uint8_t *at;
    /* Of the innermost part that has a length. */
    const uint8_t *end;
    /* Where alignment counts from. */
    const uint8_t *origin;
    /* Where the innermost part that has a length begins. */
    const uint8_t *region;
    /* Of the payload, without padding. */
    const uint8_t *last;
    size_t max_align;
    bool swap;
    /* The outermost type has no DHEADER, whatever it is. */
    bool is_undelimited;
    /* A part of the value does not fit its type, but where it ends is known. */
    bool is_misfit;
    /* The payload outlives the value: large octets are lent to it. */
    bool lends;
    /* More than padding may be behind the value: members of a later version, in XCDR1; of a key. */
    bool goes_on;
    uint32_t depth;
    /* Bytes that may still be allocated. */
    size_t budget;
    dunlin_cdr_fault *fault;
} dunlin_cdr_reader;

typedef struct dunlin_cdr_scope {
    const uint8_t *end;
    const uint8_t *origin;
    const uint8_t *region;
} dunlin_cdr_scope;

/* A member of a mutable type, or an optional one in XCDR1. */
typedef struct dunlin_cdr_member {
    dunlin_cdr_scope outer;
    uint32_t id;
    bool must_understand;
    bool is_last;
} dunlin_cdr_member;

DUNLIN_CDR_INLINE size_t dunlin_cdr_left(const dunlin_cdr_reader *r) {
    return (size_t)(r->end - r->at);
}

DUNLIN_CDR_COLD bool dunlin_cdr_truncated(dunlin_cdr_reader *r, const char *where, size_t wanted) {
    return dunlin_cdr_fail(r->fault, DUNLIN_CDR_TRUNCATED, where, (int64_t)wanted,
                           (int64_t)dunlin_cdr_left(r));
}

/* A part does not fit its type; `is_misfit` tells who decides what becomes of that. */
DUNLIN_CDR_COLD void dunlin_cdr_misfit(dunlin_cdr_reader *r, bool *is_misfit, int32_t code,
                                       const char *where, int64_t found, int64_t allowed) {
    *is_misfit = true;
    (void)dunlin_cdr_fail(r->fault, code, where, found, allowed);
}

/* A default took the place of what did not fit. */
DUNLIN_CDR_INLINE void dunlin_cdr_mended(dunlin_cdr_reader *r) {
    if (!r->is_misfit) {
        r->fault->code = 0;
    }
}

DUNLIN_CDR_INLINE void dunlin_cdr_align(dunlin_cdr_reader *r, size_t align) {
    size_t padding = (0 - (size_t)(r->at - r->origin)) & (align - 1);
    size_t left = dunlin_cdr_left(r);
    r->at += padding < left ? padding : left;
}

/*
 * The numbers of a run of `size` bytes, of which one that is aligned to `align` is `phase` bytes
 * behind a multiple of it; NULL if they are to be read one by one, as they stand elsewhere or are
 * not all there. `first` is what the beginning is aligned to.
 */
DUNLIN_CDR_INLINE const uint8_t *dunlin_cdr_run(dunlin_cdr_reader *r, size_t first, size_t align,
                                                size_t phase, size_t size) {
    size_t place = (size_t)(r->at - r->origin);
    size_t padding = (0 - place) & (first - 1);
    const uint8_t *run = r->at;
    if (DUNLIN_CDR_LIKELY(((place + padding) & (align - 1)) == phase
                          && padding + size <= dunlin_cdr_left(r))) {
        run += padding;
        r->at = run + size;
        return run;
    }
    return NULL;
}

/*
 * `count` numbers of `size` bytes where they stand; NULL if they are not all there. Never inline: gcc
 * would warn of what is read when they are not.
 */
DUNLIN_CDR_APART const uint8_t *dunlin_cdr_numbers(dunlin_cdr_reader *r, size_t size, size_t count,
                                                   const char *where) {
    const uint8_t *run;
    if (count == 0) {
        return r->at;
    }
    dunlin_cdr_align(r, size < r->max_align ? size : r->max_align);
    if (dunlin_cdr_left(r) / size < count) {
        (void)dunlin_cdr_truncated(r, where, size * count);
        return NULL;
    }
    run = r->at;
    r->at += size * count;
    return run;
}

DUNLIN_CDR_INLINE uint16_t dunlin_cdr_u16(const uint8_t *at, bool swap) {
    uint16_t number;
    memcpy(&number, at, 2);
    return swap ? (uint16_t)(number << 8 | number >> 8) : number;
}

DUNLIN_CDR_INLINE uint32_t dunlin_cdr_u32(const uint8_t *at, bool swap) {
    uint32_t number;
    memcpy(&number, at, 4);
    if (swap) {
        number = (number << 24) | (number << 8 & 0xff0000u) | (number >> 8 & 0xff00u)
                 | (number >> 24);
    }
    return number;
}

DUNLIN_CDR_INLINE uint64_t dunlin_cdr_u64(const uint8_t *at, bool swap) {
    uint64_t number;
    memcpy(&number, at, 8);
    if (swap) {
        const uint64_t pairs = 0x00ff00ff00ff00ffu, quarters = 0x0000ffff0000ffffu;
        number = (number >> 8 & pairs) | (number & pairs) << 8;
        number = (number >> 16 & quarters) | (number & quarters) << 16;
        number = number >> 32 | number << 32;
    }
    return number;
}

/* Numbers into memory that has them side by side. */
DUNLIN_CDR_INLINE void dunlin_cdr_copy(void *to, const uint8_t *from, size_t size, size_t count,
                                       bool swap) {
    uint8_t *out = (uint8_t *)to;
    size_t i, j;
    if (!swap || size == 1) {
        dunlin_cdr_move(to, from, size * count);
        return;
    }
    for (i = 0; i < count; i++, out += size, from += size) {
        if (size == 2) {
            uint16_t number = dunlin_cdr_u16(from, true);
            memcpy(out, &number, 2);
        } else if (size == 4) {
            uint32_t number = dunlin_cdr_u32(from, true);
            memcpy(out, &number, 4);
        } else if (size == 8) {
            uint64_t number = dunlin_cdr_u64(from, true);
            memcpy(out, &number, 8);
        } else {
            for (j = 0; j < size; j++) {
                out[j] = from[size - 1 - j];
            }
        }
    }
}

DUNLIN_CDR_INLINE bool dunlin_cdr_take_u32(dunlin_cdr_reader *r, uint32_t *number,
                                           const char *where) {
    dunlin_cdr_align(r, 4);
    if (dunlin_cdr_left(r) < 4) {
        return dunlin_cdr_truncated(r, where, 4);
    }
    *number = dunlin_cdr_u32(r->at, r->swap);
    r->at += 4;
    return true;
}

DUNLIN_CDR_INLINE bool dunlin_cdr_take_u16(dunlin_cdr_reader *r, uint16_t *number,
                                           const char *where) {
    if (dunlin_cdr_left(r) < 2) {
        return dunlin_cdr_truncated(r, where, 2);
    }
    *number = dunlin_cdr_u16(r->at, r->swap);
    r->at += 2;
    return true;
}

/* Something is about to be allocated, and may not be more than the payload warrants. */
DUNLIN_CDR_INLINE bool dunlin_cdr_charge(dunlin_cdr_reader *r, size_t count, size_t size,
                                         const char *where) {
    if (count > r->budget / size) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_PROPORTION, where, (int64_t)count,
                               (int64_t)(r->budget / size));
    }
    r->budget -= count * size;
    return true;
}

/* The number of elements of which each takes at least `least` bytes of what is left. */
DUNLIN_CDR_INLINE bool dunlin_cdr_take_count(dunlin_cdr_reader *r, uint32_t *count, size_t least,
                                             const char *where) {
    size_t possible;
    if (!dunlin_cdr_take_u32(r, count, where)) {
        return false;
    }
    possible = least == 0 ? DUNLIN_CDR_EMPTY_ELEMENTS : dunlin_cdr_left(r) / least;
    return *count <= possible ? true : dunlin_cdr_truncated(r, where, *count * least);
}

DUNLIN_CDR_INLINE bool dunlin_cdr_enter(dunlin_cdr_reader *r, const char *where) {
    if (r->depth == DUNLIN_CDR_DEPTH_LIMIT) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_DEPTH, where, r->depth + 1,
                               DUNLIN_CDR_DEPTH_LIMIT);
    }
    r->depth++;
    return true;
}

/* Hides what comes after the next `length` bytes. */
DUNLIN_CDR_INLINE bool dunlin_cdr_narrow(dunlin_cdr_reader *r, size_t length,
                                         dunlin_cdr_scope *outer, const char *where) {
    outer->end = r->end;
    outer->origin = r->origin;
    outer->region = r->region;
    if (length > dunlin_cdr_left(r)) {
        return dunlin_cdr_truncated(r, where, length);
    }
    r->end = r->at + length;
    r->region = r->at;
    return true;
}

/* A DHEADER. */
DUNLIN_CDR_INLINE bool dunlin_cdr_begin(dunlin_cdr_reader *r, dunlin_cdr_scope *outer,
                                        const char *where) {
    uint32_t length = 0;
    return dunlin_cdr_take_u32(r, &length, where) && dunlin_cdr_narrow(r, length, outer, where);
}

/* Passes over what is left of a part. */
DUNLIN_CDR_INLINE void dunlin_cdr_end(dunlin_cdr_reader *r, const dunlin_cdr_scope *outer) {
    r->at = r->end;
    r->end = outer->end;
    r->origin = outer->origin;
    r->region = outer->region;
}

/* The next member of a mutable type in XCDR2. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_labelled(dunlin_cdr_reader *r, dunlin_cdr_member *member,
                                          const char *where) {
    uint32_t header = 0, code, count = 0;
    uint64_t length;
    dunlin_cdr_align(r, 4);
    member->is_last = r->at == r->end;
    if (member->is_last) {
        return true;
    }
    if (!dunlin_cdr_take_u32(r, &header, where)) {
        return false;
    }
    code = header >> 28 & 7;
    if (code < 4) {
        length = (uint64_t)1 << code;
    } else {
        if (!dunlin_cdr_take_u32(r, &count, where)) {
            return false;
        }
        length = count;
        if (code > 4) {
            /* The content begins with it. */
            r->at -= 4;
            length = length * (code == 5 ? 1u : 1u << (code - 4)) + 4;
        }
    }
    member->id = header & DUNLIN_CDR_ID_MASK;
    member->must_understand = header >> 31 != 0;
    if (length > SIZE_MAX) {
        return dunlin_cdr_truncated(r, where, SIZE_MAX);
    }
    return dunlin_cdr_narrow(r, (size_t)length, &member->outer, where);
}

/* The next XCDR1 parameter. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_parameter_next(dunlin_cdr_reader *r, dunlin_cdr_member *member,
                                                const char *where) {
    for (;;) {
        uint16_t pid = 0, length = 0;
        uint32_t id = 0, content = 0;
        size_t more = 0;
        dunlin_cdr_align(r, 4);
        if (!dunlin_cdr_take_u16(r, &pid, where) || !dunlin_cdr_take_u16(r, &length, where)) {
            return false;
        }
        id = pid & DUNLIN_CDR_PID_MASK;
        content = length;
        member->must_understand = (pid & DUNLIN_CDR_PID_UNDERSTAND) != 0;
        member->is_last = id == DUNLIN_CDR_PID_SENTINEL;
        if (member->is_last) {
            return true;
        }
        if (id == DUNLIN_CDR_PID_IGNORE) {
            if (dunlin_cdr_left(r) < length) {
                return dunlin_cdr_truncated(r, where, length);
            }
            r->at += length;
            continue;
        }
        if (id == DUNLIN_CDR_PID_EXTENDED) {
            if (length < 8) {
                return dunlin_cdr_fail(r->fault, DUNLIN_CDR_HEADER, where, length, 8);
            }
            if (!dunlin_cdr_take_u32(r, &id, where) || !dunlin_cdr_take_u32(r, &content, where)) {
                return false;
            }
            member->must_understand = (id & 0x40000000u) != 0;
            id &= DUNLIN_CDR_ID_MASK;
            more = (size_t)length - 8;
            if (dunlin_cdr_left(r) < more) {
                return dunlin_cdr_truncated(r, where, more);
            }
            r->at += more;
        }
        member->id = id;
        if (!dunlin_cdr_narrow(r, content, &member->outer, where)) {
            return false;
        }
        r->origin = r->at;
        return true;
    }
}

/* Whether an optional member of a type without member headers is there, in XCDR1. */
DUNLIN_CDR_INLINE bool dunlin_cdr_optional(dunlin_cdr_reader *r, dunlin_cdr_member *member,
                                           uint32_t id, const char *where) {
    if (!dunlin_cdr_parameter_next(r, member, where)) {
        return false;
    }
    if (member->is_last || member->id != id) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_HEADER, where,
                               member->is_last ? (int64_t)DUNLIN_CDR_PID_SENTINEL
                                               : (int64_t)member->id,
                               id);
    }
    return true;
}

/* The same in XCDR2. */
DUNLIN_CDR_INLINE bool dunlin_cdr_flag(dunlin_cdr_reader *r, bool *is_there, const char *where) {
    if (r->at == r->end) {
        return dunlin_cdr_truncated(r, where, 1);
    }
    if (*r->at > 1) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_BOOLEAN, where, *r->at, 1);
    }
    *is_there = *r->at++ != 0;
    return true;
}

/* The type does not have the member. */
DUNLIN_CDR_INLINE bool dunlin_cdr_unknown(dunlin_cdr_reader *r, const dunlin_cdr_member *member,
                                          const char *where) {
    if (member->must_understand) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_MUST_UNDERSTAND, where, member->id, 0);
    }
    return true;
}

/* The characters of a string. */
DUNLIN_CDR_INLINE bool dunlin_cdr_characters(dunlin_cdr_reader *r, const char **text,
                                             size_t *length, const char *where) {
    uint32_t count = 0;
    if (!dunlin_cdr_take_u32(r, &count, where)) {
        return false;
    }
    if (count > dunlin_cdr_left(r)) {
        return dunlin_cdr_truncated(r, where, count);
    }
    *text = (const char *)r->at;
    r->at += count;
    if (count == 0 || memchr(*text, 0, count) != *text + count - 1) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_TEXT, where, count, 0);
    }
    *length = count - 1;
    return dunlin_cdr_check_utf8(*text, *length, r->fault, where);
}

/* The largest beginning of a UTF-8 text that has at most `bound` bytes. */
DUNLIN_CDR_LOCAL size_t dunlin_cdr_trimmed(const char *text, size_t bound) {
    size_t length = bound;
    while (length > 0 && bound - length < 4 && ((unsigned char)text[length] & 0xc0u) == 0x80u) {
        length--;
    }
    return bound - length < 4 ? length : bound;
}

/* The same with a bound; one that is too long is cut, or does not fit and counts as empty. */
DUNLIN_CDR_INLINE bool dunlin_cdr_fit(dunlin_cdr_reader *r, const char **text, size_t *length,
                                      size_t bound, bool is_trimmed, bool *is_misfit,
                                      const char *where) {
    if (!dunlin_cdr_characters(r, text, length, where)) {
        return false;
    }
    if (bound > 0 && *length > bound) {
        if (is_trimmed) {
            *length = dunlin_cdr_trimmed(*text, bound);
        } else {
            dunlin_cdr_misfit(r, is_misfit, DUNLIN_CDR_BOUND, where, (int64_t)*length,
                              (int64_t)bound);
            *length = 0;
        }
    }
    return true;
}

DUNLIN_CDR_LOCAL bool dunlin_cdr_text(dunlin_cdr_reader *r, char **to, size_t bound,
                                      bool is_trimmed, bool *is_misfit, const char *where) {
    const char *text = NULL;
    size_t length = 0;
    if (!dunlin_cdr_fit(r, &text, &length, bound, is_trimmed, is_misfit, where)
        || !dunlin_cdr_charge(r, length + 1, 1, where)) {
        return false;
    }
    if (!dunlin_cdr_set_text(to, text, length)) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_MEMORY, where, (int64_t)length + 1, 0);
    }
    return true;
}

/* A string that is in the struct. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_text_within(dunlin_cdr_reader *r, char *to, size_t bound,
                                             bool is_trimmed, bool *is_misfit,
                                             const char *where) {
    const char *text = NULL;
    size_t length = 0;
    if (!dunlin_cdr_fit(r, &text, &length, bound, is_trimmed, is_misfit, where)) {
        return false;
    }
    memcpy(to, text, length);
    to[length] = 0;
    return true;
}

DUNLIN_CDR_LOCAL bool dunlin_cdr_wide(dunlin_cdr_reader *r, dunlin_wstring *to, uint32_t bound,
                                      bool is_trimmed, bool *is_misfit, const char *where) {
    uint32_t bytes = 0, count;
    const uint8_t *from;
    if (!dunlin_cdr_take_u32(r, &bytes, where)) {
        return false;
    }
    if (bytes > dunlin_cdr_left(r)) {
        return dunlin_cdr_truncated(r, where, bytes);
    }
    if ((bytes & 1) != 0) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_TEXT, where, bytes, 0);
    }
    from = r->at;
    r->at += bytes;
    count = bytes / 2;
    if (!dunlin_cdr_check_utf16(from, count, r->swap, r->fault, where)) {
        return false;
    }
    if (bound > 0 && count > bound) {
        if (is_trimmed) {
            /* The first half of a pair does not stand alone. */
            uint16_t last = dunlin_cdr_u16(from + 2 * (size_t)(bound - 1), r->swap);
            count = (last & 0xfc00u) == 0xd800u ? bound - 1 : bound;
        } else {
            dunlin_cdr_misfit(r, is_misfit, DUNLIN_CDR_BOUND, where, count, bound);
            count = 0;
        }
    }
    if (!dunlin_cdr_charge(r, count, 2, where)) {
        return false;
    }
    if (!dunlin_wstring_resize(to, count)) {
        return dunlin_cdr_fail(r->fault, DUNLIN_CDR_MEMORY, where, count, 0);
    }
    if (count > 0) {
        dunlin_cdr_copy(to->_buffer, from, 2, count, r->swap);
    }
    return true;
}

/* Makes what a member points to; it is zero. */
#define DUNLIN_CDR_MAKE(r, pointer, where)                                                         \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            if (!dunlin_cdr_charge((r), 1, sizeof *(pointer), (where))) {                          \
                return false;                                                                      \
            }                                                                                      \
            (pointer) = calloc(1, sizeof *(pointer));                                              \
            if ((pointer) == NULL) {                                                               \
                return dunlin_cdr_fail((r)->fault, DUNLIN_CDR_MEMORY, (where),                     \
                                       (int64_t)sizeof *(pointer), 0);                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Reads the header of a payload, and what it says of the extensibility of the type. */
/*
 * Lends a value so many octets of the payload, which has them; false if they are to be copied. `bound`
 * is that of IDL, 0 for none.
 */
DUNLIN_CDR_INLINE bool dunlin_cdr_lend(dunlin_cdr_reader *r, dunlin_octet_member *to,
                                       uint32_t count, uint32_t bound) {
    if (!r->lends || count < DUNLIN_CDR_APART_LEAST || (bound > 0 && count > bound)) {
        return false;
    }
    if (to->_release) {
        free(to->_buffer);
    }
    /* Nobody writes to what is lent. */
    memcpy(&to->_buffer, &r->at, sizeof r->at);
    to->_length = to->_maximum = count;
    to->_release = false;
    to->_octets = 0;
    r->at += count;
    return true;
}

DUNLIN_CDR_LOCAL bool dunlin_cdr_open(dunlin_cdr_reader *r, const uint8_t *payload, size_t length,
                                      int extensibility, dunlin_cdr_fault *fault,
                                      const char *where) {
    unsigned kind;
    int written;
    memset(r, 0, sizeof *r);
    fault->code = 0;
    r->fault = fault;
    if (length < 4 || payload == NULL) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_TRUNCATED, where, 4, (int64_t)length);
    }
    kind = payload[1] & ~1u;
    if (payload[0] != 0 || kind > 0x0a || kind == 0x04) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_REPRESENTATION, where,
                               payload[0] << 8 | payload[1], 0);
    }
    if (length - 4 < (payload[3] & 3u)) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_TRUNCATED, where, payload[3] & 3,
                               (int64_t)length - 4);
    }
    r->at = payload + 4;
    r->end = payload + length - (payload[3] & 3u);
    r->origin = r->at;
    r->region = r->at;
    r->last = r->end;
    r->goes_on = kind < 0x06 && extensibility == DUNLIN_CDR_APPENDABLE;
    r->max_align = kind < 0x06 ? 8 : 4;
    r->swap = (payload[1] & 1) != !DUNLIN_IS_BIG_ENDIAN;
    r->budget = length > DUNLIN_CDR_LEAST_BUDGET / DUNLIN_CDR_EXPANSION
                    ? length * DUNLIN_CDR_EXPANSION
                    : DUNLIN_CDR_LEAST_BUDGET;
    written = kind == 0x02 || kind == 0x0a ? DUNLIN_CDR_MUTABLE
              : kind == 0x08               ? DUNLIN_CDR_APPENDABLE
                                           : DUNLIN_CDR_FINAL;
    if ((written == DUNLIN_CDR_MUTABLE) != (extensibility == DUNLIN_CDR_MUTABLE)) {
        return dunlin_cdr_fail(fault, DUNLIN_CDR_REPRESENTATION, where, payload[1],
                               extensibility);
    }
    /* Products do not agree what a type is that does not say how it grows. */
    r->is_undelimited = kind == 0x06 && extensibility == DUNLIN_CDR_APPENDABLE;
    if (kind == 0x08 && extensibility == DUNLIN_CDR_FINAL) {
        dunlin_cdr_scope outer;
        return dunlin_cdr_begin(r, &outer, where);
    }
    return true;
}

/* Whether the value was read, all of it fits, and nothing but padding is behind it. */
DUNLIN_CDR_INLINE bool dunlin_cdr_close(dunlin_cdr_reader *r, bool is_read, const char *where) {
    if (is_read && !r->is_misfit) {
        r->fault->code = 0;
        if (r->last - r->at > 3 && !r->goes_on) {
            return dunlin_cdr_fail(r->fault, DUNLIN_CDR_TRAILING, where, r->last - r->at, 3);
        }
        return true;
    }
    /* What has no reason of its own got no memory. */
    return dunlin_cdr_fail(r->fault, DUNLIN_CDR_MEMORY, where, 0, 0);
}

#endif
