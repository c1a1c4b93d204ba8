/* Says in words what is wrong with a value or a payload. */
#ifndef DUNLIN_EXPLAIN_H
#define DUNLIN_EXPLAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static inline void dunlin_cdr_say_digits(dunlin_cdr_sentence *said, uint64_t number, unsigned base) {
    char digits[20];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (count > 0) {
        dunlin_cdr_say_one(said, digits[--count]);
    }
}

/* Bits in hexadecimal, the numbers of a range as they are, all else with a sign. */
static inline void dunlin_cdr_say_number(dunlin_cdr_sentence *said, int64_t number, int32_t code) {
    char digits[40];
    double real;
    int precision = 5;
    switch (code) {
    case DUNLIN_CDR_BITS:
        dunlin_cdr_say(said, "0x");
        dunlin_cdr_say_digits(said, (uint64_t)number, 16);
        return;
    case DUNLIN_CDR_RANGE_UNSIGNED:
        dunlin_cdr_say_digits(said, (uint64_t)number, 10);
        return;
    case DUNLIN_CDR_RANGE_REAL:
        /* As few digits as tell the number from others. */
        memcpy(&real, &number, sizeof real);
        do {
            precision++;
            (void)sprintf(digits, "%.*g", precision, real);
        } while (precision < 17 && (strtod(digits, NULL) < real || strtod(digits, NULL) > real));
        dunlin_cdr_say(said, digits);
        return;
    default:
        dunlin_cdr_say(said, number < 0 ? "-" : "");
        dunlin_cdr_say_digits(said, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
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
        "# is outside of the range $",
        "# is outside of the range $",
        "# is outside of the range $",
        "# bytes are left behind the value, at most $ are padding",
    };
    const size_t count = sizeof sentences / sizeof *sentences;
    const size_t code = fault->code < 0 || (size_t)fault->code >= count ? 0 : (size_t)fault->code;
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
            dunlin_cdr_say_number(&said, fault->found, fault->code);
            break;
        case '$':
            if (fault->code >= DUNLIN_CDR_RANGE && fault->code <= DUNLIN_CDR_RANGE_REAL) {
                dunlin_cdr_say(&said, (const char *)(intptr_t)fault->allowed);
            } else {
                dunlin_cdr_say_number(&said, fault->allowed, fault->code);
            }
            break;
        default:
            dunlin_cdr_say_one(&said, *word);
        }
    }
    return (int)said.length;
}

#endif
