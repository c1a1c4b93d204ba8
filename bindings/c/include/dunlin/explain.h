/* Says in words what is wrong with a value or a payload. */
#ifndef DUNLIN_EXPLAIN_H
#define DUNLIN_EXPLAIN_H

#include <stdio.h>

#include "dunlin/types.h"

/*
 * Writes a sentence about a fault into `text`, cut to `capacity` bytes with the NUL. Returns its
 * length, as `snprintf` does.
 */
static inline int dunlin_cdr_explain(const dunlin_cdr_fault *fault, char *text, size_t capacity) {
    static const char *const sentences[] = {
        "%s: nothing is wrong",
        "%s: the data ends early: %ld bytes wanted, %ld left",
        "%s: representation %ld is none of this type",
        "%s: %ld is not a boolean",
        "%s: %ld is not an enumerator of the type",
        "%s: the bits %#lx are not all flags of the type: %#lx",
        "%s: a string of %ld bytes does not end as it should",
        "%s: its length is %ld, at most %ld is allowed",
        "%s: member %ld must be understood and is unknown",
        "%s: a member header is malformed: %ld where %ld should be",
        "%s: it is nested %ld deep, at most %ld is allowed",
        "%s: what has to be there is missing",
        "%s: its size is %ld, at most %ld is allowed",
        "%s: the value is out of proportion: %ld elements for a payload that allows %ld",
        "%s: there is no memory",
    };
    size_t count = sizeof sentences / sizeof *sentences;
    size_t code = fault->code < 0 || (size_t)fault->code >= count ? 0 : (size_t)fault->code;
    const char *where = fault->code == 0 ? "" : fault->where;
    return snprintf(text, capacity, sentences[code], where, (long)fault->found,
                    (long)fault->allowed);
}

#endif
