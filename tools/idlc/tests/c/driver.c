/*
 * Reads lines of a type and a payload in hexadecimal. Says of each that it is no value, or what it
 * is written as: in XCDR1 and XCDR2 in native byte order, the key in both, and the key hash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dunlin/explain.h"

/* In C++ values begin and end by themselves, and are equal if they are written alike. */
#ifdef __cplusplus
#define INIT(T, value) T##_reset(value)
#define COPY(T, to, from) (*(to) = *(from), true)
#define EQUAL(T, one, other) same(one, other, T##_cdr_size, T##_cdr_write)
#define FREE(T, value) (void)(value)

template <class T>
static bool same(const T *one, const T *other,
                 bool (*size)(const T *, int32_t, size_t *, dunlin_cdr_fault *),
                 bool (*write)(const T *, int32_t, uint8_t *, size_t, dunlin_cdr_fault *)) {
    uint8_t *payloads[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    const T *values[2] = {one, other};
    bool is_same = true;
    for (int i = 0; i < 2; i++) {
        is_same = is_same && size(values[i], DUNLIN_XCDR2, &sizes[i], NULL);
        payloads[i] = (uint8_t *)malloc(sizes[i]);
        is_same = is_same && write(values[i], DUNLIN_XCDR2, payloads[i], sizes[i], NULL);
    }
    is_same = is_same && sizes[0] == sizes[1] && memcmp(payloads[0], payloads[1], sizes[0]) == 0;
    free(payloads[0]);
    free(payloads[1]);
    return is_same;
}
#else
#define INIT(T, value) T##_init(value)
#define COPY(T, to, from) T##_copy(to, from)
#define EQUAL(T, one, other) T##_equal(one, other)
#define FREE(T, value) T##_free(value)
#endif

static void print_hex(const uint8_t *bytes, size_t size) {
    size_t i;
    printf(" ");
    for (i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    if (size == 0) {
        printf("-");
    }
}

static void print_error(const dunlin_cdr_fault *fault) {
    char text[256];
    (void)dunlin_cdr_explain(fault, text, sizeof text);
    printf("error %s\n", text);
}

static int stop(const char *what, const dunlin_cdr_fault *fault) {
    printf("broken %s %d %s\n", what, (int)fault->code, fault->code ? fault->where : "");
    return 1;
}

#define WRITTEN(T, word, value, xcdr)                                                              \
    do {                                                                                           \
        size_t size_ = 0;                                                                          \
        uint8_t *out_;                                                                             \
        if (!T##_##word##_size(value, xcdr, &size_, &fault)) {                                     \
            return stop("size", &fault);                                                           \
        }                                                                                          \
        out_ = (uint8_t *)malloc(size_);                                                           \
        if (!T##_##word##_write(value, xcdr, out_, size_, &fault)) {                               \
            free(out_);                                                                            \
            return stop("write", &fault);                                                          \
        }                                                                                          \
        print_hex(out_, size_);                                                                    \
        free(out_);                                                                                \
    } while (0)

#define DEFINE(T, KEY)                                                                             \
    static int run_##T(const uint8_t *payload, size_t size) {                                      \
        dunlin_cdr_fault fault;                                                                    \
        static T kept;                                                                             \
        T fresh, copy;                                                                             \
        bool is_read, again;                                                                       \
        fault.code = 0;                                                                            \
        if (!INIT(T, &fresh) || !INIT(T, &copy)) {                                                 \
            return stop("init", &fault);                                                           \
        }                                                                                          \
        /* Into what had other values before, too. */                                              \
        again = T##_cdr_read(&kept, payload, size, NULL);                                          \
        is_read = T##_cdr_read(&fresh, payload, size, &fault);                                     \
        if (again != is_read || (is_read && !EQUAL(T, &fresh, &kept))) {                           \
            return stop("again", &fault);                                                          \
        }                                                                                          \
        if (!is_read) {                                                                            \
            print_error(&fault);                                                                   \
        } else {                                                                                   \
            if (!COPY(T, &copy, &fresh) || !EQUAL(T, &copy, &fresh)) {                             \
                return stop("copy", &fault);                                                       \
            }                                                                                      \
            printf("ok");                                                                          \
            WRITTEN(T, cdr, &copy, DUNLIN_XCDR1);                                                  \
            WRITTEN(T, cdr, &kept, DUNLIN_XCDR2);                                                  \
            KEY(T);                                                                                \
            printf("\n");                                                                          \
        }                                                                                          \
        FREE(T, &fresh);                                                                           \
        FREE(T, &copy);                                                                            \
        return 0;                                                                                  \
    }

#define NO_KEY(T)
#define A_KEY(T)                                                                                   \
    do {                                                                                           \
        uint8_t hash_[16];                                                                         \
        WRITTEN(T, key, &fresh, DUNLIN_XCDR1);                                                     \
        WRITTEN(T, key, &fresh, DUNLIN_XCDR2);                                                     \
        if (!T##_key_hash(&fresh, hash_, &fault)) {                                                \
            return stop("hash", &fault);                                                           \
        }                                                                                          \
        print_hex(hash_, 16);                                                                      \
    } while (0)

#define DEFINE_KEY(T)                                                                              \
    static int key_##T(const uint8_t *payload, size_t size) {                                      \
        dunlin_cdr_fault fault;                                                                    \
        T fresh;                                                                                   \
        fault.code = 0;                                                                            \
        if (!INIT(T, &fresh)) {                                                                    \
            return stop("init", &fault);                                                           \
        }                                                                                          \
        if (T##_key_read(&fresh, payload, size, &fault)) {                                         \
            printf("ok");                                                                          \
            A_KEY(T);                                                                              \
            printf("\n");                                                                          \
        } else {                                                                                   \
            print_error(&fault);                                                                   \
        }                                                                                          \
        FREE(T, &fresh);                                                                           \
        return 0;                                                                                  \
    }

struct entry {
    const char *name;
    int (*run)(const uint8_t *, size_t);
};

static int digit(char one) {
    return one <= '9' ? one - '0' : one - 'a' + 10;
}

static int drive(const struct entry *all, size_t count) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *hex = strchr(line, ' ');
        size_t size, i;
        uint8_t *payload;
        *hex++ = 0;
        size = strcspn(hex, "\n") / 2;
        /* Of just this size, so that a byte more is found. */
        payload = (uint8_t *)malloc(size);
        for (i = 0; i < size; i++) {
            payload[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
        }
        for (i = 0; i < count; i++) {
            if (strcmp(all[i].name, line) == 0) {
                if (all[i].run(payload, size) != 0) {
                    return 1;
                }
                break;
            }
        }
        free(payload);
        if (i == count) {
            return 2;
        }
    }
    return 0;
}
