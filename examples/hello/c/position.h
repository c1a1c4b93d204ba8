/*
 * The type of the hello example, and how a sample of it is written and read:
 *
 *     @final struct Position { @key uint32 bird; float x; };
 *
 * A program with many types has this made of IDL. Here it is written by hand, to show what the
 * library is given: the TypeObject of the type, and payloads.
 */
#ifndef POSITION_H
#define POSITION_H

#include <dunlin/dunlin.h>

#define POSITION_PAYLOAD 12

typedef struct Position {
    uint32_t bird;
    float x;
} Position;

/* sequence<TypeIdentifierTypeObjectPair> in XCDR2, little endian. */
static const uint8_t POSITION_TYPE[] = {
    0x68, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xf2, 0x29, 0xd0, 0xc7,
    0xce, 0xb7, 0x17, 0x29, 0x51, 0x56, 0xf2, 0xfa, 0x4c, 0x2a, 0xc5, 0x00,
    0x50, 0x00, 0x00, 0x00, 0xf2, 0x51, 0x01, 0x00, 0x11, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x50, 0x6f, 0x73, 0x69,
    0x74, 0x69, 0x6f, 0x6e, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x21, 0x00, 0x07, 0x00, 0x05, 0x00, 0x00, 0x00, 0x62, 0x69, 0x72, 0x64,
    0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x09, 0x00, 0x02, 0x00, 0x00, 0x00, 0x78, 0x00, 0x00, 0x00,
};

/* XCDR1 in the byte order of the machine: the second octet of the header tells which. */
static inline void Position_encode(const Position *position, uint8_t *payload) {
    const uint16_t one = 1;
    payload[0] = 0;
    memcpy(payload + 1, &one, 1);
    payload[2] = 0;
    payload[3] = 0;
    memcpy(payload + 4, &position->bird, 4);
    memcpy(payload + 8, &position->x, 4);
}

/* 0 if the payload is none of ours, or in another byte order. */
static inline int Position_decode(Position *position, const uint8_t *payload, uint64_t length) {
    const uint16_t one = 1;
    if (length < POSITION_PAYLOAD || memcmp(payload + 1, &one, 1) != 0) return 0;
    memcpy(&position->bird, payload + 4, 4);
    memcpy(&position->x, payload + 8, 4);
    return 1;
}

static inline int32_t Position_topic(dunlin_participant participant, dunlin_topic *topic) {
    dunlin_type type;
    const dunlin_text name = { NULL, 0 };
    DUNLIN_TRY(dunlin_type_new(POSITION_TYPE, sizeof POSITION_TYPE, name, &type));
    DUNLIN_TRY(dunlin_topic_new(participant, dunlin_text_of("Positions"), type, NULL, NULL, topic));
    return dunlin_close(type);
}

#endif
