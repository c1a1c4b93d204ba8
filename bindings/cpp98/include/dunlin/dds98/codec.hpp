// What the codecs that are made of IDL need beside `dunlin/cdr.h`: the same for classes.
#ifndef DUNLIN_DDS98_CODEC_HPP
#define DUNLIN_DDS98_CODEC_HPP

#include "dunlin/dds98/var.hpp"

inline bool dunlin_cdr_set_text(DDS::String *to, const char *text, size_t length) {
    return to->assign(text, length);
}

inline bool dunlin_cdr_text(dunlin_cdr_reader *r, DDS::String *to, size_t bound, bool is_trimmed,
                            bool *is_misfit, const char *where) {
    return dunlin_cdr_text(r, &to->inout(), bound, is_trimmed, is_misfit, where);
}

// A sequence that was lent its elements gets others when it is read into.
template <class T> bool dunlin_cdr_resize(DDS::Sequence<T> *sequence, uint32_t count) {
    (void)sequence->unloan();
    return sequence->length(count);
}

// Counted octets may be left out of a payload.
inline void dunlin_cdr_put_octets(dunlin_cdr_writer *w, const DDS::OctetSeq *octets) {
    dunlin_octet_member same;
    same._maximum = same._length = octets->_length;
    same._buffer = octets->_buffer;
    same._release = false;
    same._octets = octets->_octets;
    dunlin_cdr_put_octets(w, &same);
}

// Lends a value so many octets of the payload; false if they are to be copied.
inline bool dunlin_cdr_lend(dunlin_cdr_reader *r, DDS::OctetSeq *to, uint32_t count,
                            uint32_t bound) {
    dunlin_octet_member lent;
    std::memset(&lent, 0, sizeof lent);
    if (!dunlin_cdr_lend(r, &lent, count, bound)) {
        return false;
    }
    to->replace(lent._maximum, lent._length, lent._buffer);
    return true;
}

// Makes what a member points to.
#define DUNLIN_CDR_OWN(r, pointer, where)                                                          \
    do {                                                                                           \
        if ((pointer).get() == NULL) {                                                             \
            if (!dunlin_cdr_charge((r), 1, sizeof(*(pointer).get()), (where))) {                   \
                return false;                                                                      \
            }                                                                                      \
            if (!(pointer).make()) {                                                               \
                return dunlin_cdr_fail((r)->fault, DUNLIN_CDR_MEMORY, (where),                     \
                                       (int64_t)sizeof(*(pointer).get()), 0);                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

template <class E> int dunlin_cdr_order(const void *one, const void *other) {
    const E &first = *static_cast<const E *>(one), &second = *static_cast<const E *>(other);
    return first.key < second.key ? -1 : second.key < first.key;
}

// Entries of a map are ascending by key; of equal keys the last entry stays.
template <class E> void dunlin_cdr_sort(DDS::Sequence<E> *map) {
    uint32_t i, kept = 0;
    bool is_sorted = true;
    E *e = map->_buffer;
    for (i = 1; i < map->_length; i++) {
        is_sorted = is_sorted && dunlin_cdr_order<E>(&e[i - 1], &e[i]) < 0;
    }
    if (is_sorted) {
        return;
    }
    dunlin_cdr_sort(static_cast<void *>(e), map->_length, sizeof(E), dunlin_cdr_order<E>);
    for (i = 1; i < map->_length; i++) {
        // Entries are moved as bytes: what is passed over goes to the end, and ends there.
        kept += dunlin_cdr_order<E>(&e[kept], &e[i]) != 0;
        if (kept != i) {
            uint8_t moved[sizeof(E)];
            std::memcpy(moved, static_cast<void *>(&e[kept]), sizeof(E));
            std::memcpy(static_cast<void *>(&e[kept]), static_cast<void *>(&e[i]), sizeof(E));
            std::memcpy(static_cast<void *>(&e[i]), moved, sizeof(E));
        }
    }
    (void)map->length(kept + 1);
}

#endif
