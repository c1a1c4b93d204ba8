/*
 * Reads lines of a type and a payload in hexadecimal. Says of each that it is no value, or what it
 * is written as: in XCDR1 and XCDR2 in native byte order, the key in both, and the key hash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dunlin/explain.h"

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
        out_ = malloc(size_);                                                                      \
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
        if (!T##_init(&fresh) || !T##_init(&copy)) {                                               \
            return stop("init", &fault);                                                           \
        }                                                                                          \
        /* Into what had other values before, too. */                                              \
        again = T##_cdr_read(&kept, payload, size, NULL);                                          \
        is_read = T##_cdr_read(&fresh, payload, size, &fault);                                     \
        if (again != is_read || (is_read && !T##_equal(&fresh, &kept))) {                          \
            return stop("again", &fault);                                                          \
        }                                                                                          \
        if (!is_read) {                                                                            \
            print_error(&fault);                                                                   \
        } else {                                                                                   \
            if (!T##_copy(&copy, &fresh) || !T##_equal(&copy, &fresh)) {                           \
                return stop("copy", &fault);                                                       \
            }                                                                                      \
            printf("ok");                                                                          \
            WRITTEN(T, cdr, &copy, DUNLIN_XCDR1);                                                  \
            WRITTEN(T, cdr, &kept, DUNLIN_XCDR2);                                                  \
            KEY(T);                                                                                \
            printf("\n");                                                                          \
        }                                                                                          \
        T##_free(&fresh);                                                                          \
        T##_free(&copy);                                                                           \
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
        if (!T##_init(&fresh)) {                                                                   \
            return stop("init", &fault);                                                           \
        }                                                                                          \
        if (T##_key_read(&fresh, payload, size, &fault)) {                                         \
            printf("ok");                                                                          \
            A_KEY(T);                                                                              \
            printf("\n");                                                                          \
        } else {                                                                                   \
            print_error(&fault);                                                                   \
        }                                                                                          \
        T##_free(&fresh);                                                                          \
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
        payload = malloc(size);
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
