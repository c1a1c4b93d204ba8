/*
 * What the structs that `dunlin idl gen -l c` makes consist of. All memory in them is that of
 * `malloc`, and `free` ends it.
 */
#ifndef DUNLIN_TYPES_H
#define DUNLIN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define DUNLIN_IS_BIG_ENDIAN 1
#else
#define DUNLIN_IS_BIG_ENDIAN 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A sequence has `_length` elements at `_buffer`, and room for `_maximum`. With `_release` the
 * buffer belongs to the sequence; else it is lent and is neither written to nor freed.
 */
#define DUNLIN_SEQUENCE(name, element)                                                             \
    typedef struct name {                                                                          \
        uint32_t _maximum;                                                                         \
        uint32_t _length;                                                                          \
        element *_buffer;                                                                          \
        bool _release;                                                                             \
    } name

/* `long double` of IDL: IEEE 754 binary128 in the byte order of this machine. */
typedef struct dunlin_float128 {
    uint8_t bytes[16];
} dunlin_float128;

/* An initializer of 16 bytes, the least significant first. */
#if DUNLIN_IS_BIG_ENDIAN
#define DUNLIN_FLOAT128(b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF)            \
    {{bF, bE, bD, bC, bB, bA, b9, b8, b7, b6, b5, b4, b3, b2, b1, b0}}
#else
#define DUNLIN_FLOAT128(b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF)            \
    {{b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF}}
#endif

DUNLIN_SEQUENCE(dunlin_sequence_boolean, bool);
DUNLIN_SEQUENCE(dunlin_sequence_int8, int8_t);
DUNLIN_SEQUENCE(dunlin_sequence_uint8, uint8_t);
DUNLIN_SEQUENCE(dunlin_sequence_int16, int16_t);
DUNLIN_SEQUENCE(dunlin_sequence_uint16, uint16_t);
DUNLIN_SEQUENCE(dunlin_sequence_int32, int32_t);
DUNLIN_SEQUENCE(dunlin_sequence_uint32, uint32_t);
DUNLIN_SEQUENCE(dunlin_sequence_int64, int64_t);
DUNLIN_SEQUENCE(dunlin_sequence_uint64, uint64_t);
DUNLIN_SEQUENCE(dunlin_sequence_float, float);
DUNLIN_SEQUENCE(dunlin_sequence_double, double);
DUNLIN_SEQUENCE(dunlin_sequence_float128, dunlin_float128);
DUNLIN_SEQUENCE(dunlin_sequence_char, char);
DUNLIN_SEQUENCE(dunlin_sequence_wchar, uint16_t);
DUNLIN_SEQUENCE(dunlin_sequence_string, char *);

/*
 * `sequence<octet>`. With `_octets` the buffer is that of these counted octets (`dunlin_octets` of
 * `dunlin.h`), which stay the program's: a write keeps them by reference instead of copying them.
 */
typedef struct dunlin_octet_member {
    uint32_t _maximum;
    uint32_t _length;
    uint8_t *_buffer;
    bool _release;
    uint64_t _octets;
} dunlin_octet_member;

/* `wstring`: UTF-16 units without an end. */
DUNLIN_SEQUENCE(dunlin_wstring, uint16_t);
DUNLIN_SEQUENCE(dunlin_sequence_wstring, dunlin_wstring);

/* The encodings of DDS-XTypes 1.3 7.4, by the numbers that `dunlin.h` gives them, too. */
#define DUNLIN_XCDR1 0
#define DUNLIN_XCDR2 2

/* Why a value cannot be written, or a payload not be read. */
#define DUNLIN_CDR_TRUNCATED 1
#define DUNLIN_CDR_REPRESENTATION 2
#define DUNLIN_CDR_BOOLEAN 3
#define DUNLIN_CDR_ENUMERATOR 4
#define DUNLIN_CDR_BITS 5
#define DUNLIN_CDR_TEXT 6
#define DUNLIN_CDR_BOUND 7
#define DUNLIN_CDR_MUST_UNDERSTAND 8
#define DUNLIN_CDR_HEADER 9
#define DUNLIN_CDR_DEPTH 10
#define DUNLIN_CDR_MISSING 11
#define DUNLIN_CDR_TOO_LONG 12
#define DUNLIN_CDR_PROPORTION 13
#define DUNLIN_CDR_MEMORY 14
#define DUNLIN_CDR_UTF8 15
#define DUNLIN_CDR_UTF16 16
/* A number is out of its range: `found` is it, as unsigned, or as the bits of a double. */
#define DUNLIN_CDR_RANGE 17
#define DUNLIN_CDR_RANGE_UNSIGNED 18
#define DUNLIN_CDR_RANGE_REAL 19
/* There is more behind a value than padding. */
#define DUNLIN_CDR_TRAILING 20

/* The first thing that was wrong; `dunlin/explain.h` makes a sentence of it. */
typedef struct dunlin_cdr_fault {
    /* `DUNLIN_CDR_*`; 0 is none. */
    int32_t code;
    /* The type and the member, as in IDL. */
    const char *where;
    /* What was found, and what is allowed; of a range the address of a text that says it. */
    int64_t found;
    int64_t allowed;
} dunlin_cdr_fault;

/* Counted octets of fewer bytes are copied into payloads. */
#define DUNLIN_CDR_APART_LEAST 4096u
/* So many are left out of one payload at most; further ones are copied. */
#define DUNLIN_CDR_APART_MOST 8

/* Octets that are left out of a payload: what belongs at `at`. */
typedef struct dunlin_cdr_part {
    uint8_t *at;
    const uint8_t *data;
    size_t length;
    uint64_t octets;
} dunlin_cdr_part;

typedef struct dunlin_cdr_apart {
    uint32_t count;
    dunlin_cdr_part parts[DUNLIN_CDR_APART_MOST];
} dunlin_cdr_apart;

/* What made files ask of each other. */
struct dunlin_cdr_size;
struct dunlin_cdr_writer;
struct dunlin_cdr_reader;

#ifdef __cplusplus
}
#endif

#endif
