/* The hash that names an instance (RTPS 2.5 9.6.4.8): MD5 (RFC 1321) of a long key. */
#ifndef DUNLIN_KEY_H
#define DUNLIN_KEY_H

#include "dunlin/cdr.h"

DUNLIN_CDR_INLINE uint32_t dunlin_key_little(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

DUNLIN_CDR_LOCAL void dunlin_key_block(uint32_t state[4], const uint8_t *block) {
    static const uint32_t sines[64] = {
        0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au,
        0xa8304613u, 0xfd469501u, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu,
        0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u, 0xf61e2562u, 0xc040b340u,
        0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
        0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u,
        0x676f02d9u, 0x8d2a4c8au, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu,
        0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u, 0x289b7ec6u, 0xeaa127fau,
        0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
        0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u,
        0xffeff47du, 0x85845dd1u, 0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u,
        0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u,
    };
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    unsigned i;
    for (i = 0; i < 64; i++) {
        uint32_t mixed, sum;
        unsigned word, turn = turns[i / 16][i % 4];
        if (i < 16) {
            mixed = (b & c) | (~b & d);
            word = i;
        } else if (i < 32) {
            mixed = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
        } else if (i < 48) {
            mixed = b ^ c ^ d;
            word = (3 * i + 5) % 16;
        } else {
            mixed = c ^ (b | ~d);
            word = 7 * i % 16;
        }
        sum = a + mixed + sines[i] + dunlin_key_little(block + 4 * word);
        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* Hashes a key in plain big-endian XCDR2. */
DUNLIN_CDR_LOCAL void dunlin_key_md5(const uint8_t *key, size_t length, uint8_t hash[16]) {
    uint32_t state[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
    uint64_t bits = (uint64_t)length * 8;
    uint8_t last[128];
    size_t rest = length % 64, size = rest < 56 ? 64 : 128, i;
    for (i = 0; i + 64 <= length; i += 64) {
        dunlin_key_block(state, key + i);
    }
    memset(last, 0, sizeof last);
    if (rest > 0) {
        memcpy(last, key + i, rest);
    }
    last[rest] = 0x80;
    for (i = 0; i < 8; i++) {
        last[size - 8 + i] = (uint8_t)(bits >> (8 * i));
    }
    for (i = 0; i < size; i += 64) {
        dunlin_key_block(state, last + i);
    }
    for (i = 0; i < 16; i++) {
        hash[i] = (uint8_t)(state[i / 4] >> (8 * (i % 4)));
    }
}

#endif
