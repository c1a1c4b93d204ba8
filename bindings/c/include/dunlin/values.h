/* What strings and sequences in memory need: room, copies, comparisons. */
#ifndef DUNLIN_VALUES_H
#define DUNLIN_VALUES_H

#include "dunlin/cdr.h"

/* Replaces a string; its memory is used again if it was as long. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_set_text(char **to, const char *text, size_t length) {
    char *old = *to;
    if (old == NULL || strlen(old) < length) {
        char *made = (char *)realloc(old, length + 1);
        if (made == NULL) {
            return false;
        }
        *to = old = made;
    }
    memcpy(old, text, length);
    old[length] = 0;
    return true;
}

/* Room for `count` elements; what the sequence owns stays in it. NULL if there is no memory. */
DUNLIN_CDR_LOCAL void *dunlin_cdr_grown(void *owned, size_t count, size_t size) {
    return count > SIZE_MAX / size ? NULL : realloc(owned, count * size);
}

/* Gives a sequence so many elements; those that are new are zero. */
#define DUNLIN_CDR_RESIZE(sequence, count)                                                         \
    do {                                                                                           \
        uint32_t old_ = (sequence)->_release ? (sequence)->_length : 0;                            \
        if ((count) > 0 && (!(sequence)->_release || (count) > (sequence)->_maximum)) {            \
            void *made_ = dunlin_cdr_grown((sequence)->_release ? (sequence)->_buffer : NULL,      \
                                           (count), sizeof *(sequence)->_buffer);                  \
            if (made_ == NULL) {                                                                   \
                return false;                                                                      \
            }                                                                                      \
            memcpy(&(sequence)->_buffer, &made_, sizeof made_);                                    \
            (sequence)->_maximum = (count);                                                        \
            (sequence)->_release = true;                                                           \
        }                                                                                          \
        if ((count) > old_) {                                                                      \
            memset((sequence)->_buffer + old_, 0,                                                  \
                   ((size_t)(count) - old_) * sizeof *(sequence)->_buffer);                        \
        }                                                                                          \
        (sequence)->_length = (count);                                                             \
    } while (0)

DUNLIN_CDR_LOCAL bool dunlin_wstring_resize(dunlin_wstring *text, uint32_t count) {
    DUNLIN_CDR_RESIZE(text, count);
    return true;
}

DUNLIN_CDR_LOCAL void dunlin_wstring_free(dunlin_wstring *text) {
    if (text->_release) {
        free(text->_buffer);
    }
    memset(text, 0, sizeof *text);
}

DUNLIN_CDR_LOCAL bool dunlin_cdr_set_wide(dunlin_wstring *to, const uint16_t *units,
                                          uint32_t count) {
    if (!dunlin_wstring_resize(to, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(to->_buffer, units, 2 * (size_t)count);
    }
    return true;
}

DUNLIN_CDR_LOCAL bool dunlin_wstring_copy(dunlin_wstring *to, const dunlin_wstring *from) {
    return dunlin_cdr_set_wide(to, from->_buffer, from->_length);
}

DUNLIN_CDR_LOCAL bool dunlin_wstring_equal(const dunlin_wstring *one, const dunlin_wstring *other) {
    return one->_length == other->_length
           && (one->_length == 0
               || memcmp(one->_buffer, other->_buffer, 2 * (size_t)one->_length) == 0);
}

DUNLIN_CDR_LOCAL int dunlin_wstring_order(const dunlin_wstring *one, const dunlin_wstring *other) {
    uint32_t i;
    for (i = 0; i < one->_length && i < other->_length; i++) {
        if (one->_buffer[i] != other->_buffer[i]) {
            return one->_buffer[i] < other->_buffer[i] ? -1 : 1;
        }
    }
    return one->_length < other->_length ? -1 : one->_length > other->_length;
}

/* Sorts so that equal elements keep their order, unless there is no memory for that. */
DUNLIN_CDR_LOCAL void dunlin_cdr_sort(void *all, size_t count, size_t size,
                                      int (*order)(const void *, const void *)) {
    uint8_t *from = (uint8_t *)all, *spare = (uint8_t *)malloc(count * size), *to = spare;
    size_t run;
    if (spare == NULL) {
        qsort(all, count, size, order);
        return;
    }
    for (run = 1; run < count; run *= 2) {
        size_t begin, i;
        for (begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t one = begin, other = middle;
            for (i = begin; i < end; i++) {
                bool is_other = one == middle
                                || (other < end && order(from + one * size, from + other * size) > 0);
                memcpy(to + i * size, from + (is_other ? other++ : one++) * size, size);
            }
        }
        to = from;
        from = from == spare ? (uint8_t *)all : spare;
    }
    if (from == spare) {
        memcpy(all, spare, count * size);
    }
    free(spare);
}

/* NULL is the empty string. */
DUNLIN_CDR_LOCAL bool dunlin_cdr_copy_text(char **to, const char *from) {
    return from == NULL ? dunlin_cdr_set_text(to, "", 0)
                        : dunlin_cdr_set_text(to, from, strlen(from));
}

DUNLIN_CDR_LOCAL int dunlin_cdr_compare_text(const char *one, const char *other) {
    return strcmp(one == NULL ? "" : one, other == NULL ? "" : other);
}

/* 0 is -0, and NaN is NaN. */
DUNLIN_CDR_INLINE bool dunlin_cdr_same(double one, double other) {
    return one == other || (one != one && other != other);
}

#endif
