/* Says in words what is wrong with a value or a payload. */
#ifndef DUNLIN_EXPLAIN_H
#define DUNLIN_EXPLAIN_H

#include "dunlin/types.h"

/* A text that is cut where its room ends. */
typedef struct dunlin_cdr_sentence {
    char *text;
    size_t capacity;
    size_t length;
} dunlin_cdr_sentence;

static inline void dunlin_cdr_say_one(dunlin_cdr_sentence *said, char one) {
    if (said->length + 1 < said->capacity) {
        said->text[said->length] = one;
        said->text[said->length + 1] = 0;
    }
    said->length++;
}

static inline void dunlin_cdr_say(dunlin_cdr_sentence *said, const char *words) {
    while (*words != 0) {
        dunlin_cdr_say_one(said, *words++);
    }
}

static inline void dunlin_cdr_say_number(dunlin_cdr_sentence *said, int64_t number, bool is_hex) {
    char digits[20];
    uint64_t rest = number < 0 && !is_hex ? 0 - (uint64_t)number : (uint64_t)number;
    const unsigned base = is_hex ? 16 : 10;
    unsigned count = 0;
    dunlin_cdr_say(said, is_hex ? "0x" : number < 0 ? "-" : "");
    do {
        digits[count++] = "0123456789abcdef"[rest % base];
        rest /= base;
    } while (rest != 0);
    while (count > 0) {
        dunlin_cdr_say_one(said, digits[--count]);
    }
}

/*
 * Writes a sentence about a fault into `text`, cut to `capacity` bytes with the NUL. Returns the
 * length that it has if it is not cut.
 */
static inline int dunlin_cdr_explain(const dunlin_cdr_fault *fault, char *text, size_t capacity) {
    /* `#` is what was found and `$` what is allowed, both in hexadecimal behind `bits`. */
    static const char *const sentences[] = {
        "nothing is wrong",
        "the data ends early: # bytes wanted, $ left",
        "representation # is none of this type",
        "# is not a boolean",
        "# is not an enumerator of the type",
        "the bits # are not all flags of the type: $",
        "a string of # bytes does not end as it should",
        "its length is #, at most $ is allowed",
        "member # must be understood and is unknown",
        "a member header is malformed: # where $ should be",
        "it is nested # deep, at most $ is allowed",
        "what has to be there is missing",
        "its size is #, at most $ is allowed",
        "the value is out of proportion: # elements for a payload that allows $",
        "there is no memory",
        "a string is not UTF-8: byte # at $",
        "a wide string is not UTF-16: the surrogate # before or at $ is alone",
    };
    const size_t count = sizeof sentences / sizeof *sentences;
    const size_t code = fault->code < 0 || (size_t)fault->code >= count ? 0 : (size_t)fault->code;
    const bool is_hex = fault->code == DUNLIN_CDR_BITS;
    const char *word = sentences[code];
    dunlin_cdr_sentence said;
    said.text = text;
    said.capacity = capacity;
    said.length = 0;
    if (capacity > 0) {
        *text = 0;
    }
    if (code != 0) {
        dunlin_cdr_say(&said, fault->where);
        dunlin_cdr_say(&said, ": ");
    }
    for (; *word != 0; word++) {
        switch (*word) {
        case '#':
            dunlin_cdr_say_number(&said, fault->found, is_hex);
            break;
        case '$':
            dunlin_cdr_say_number(&said, fault->allowed, is_hex);
            break;
        default:
            dunlin_cdr_say_one(&said, *word);
        }
    }
    return (int)said.length;
}

#endif
