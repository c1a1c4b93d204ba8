// A side of perftest in C++98: what the driver (driver.cpp) and the measured loop (loop.hpp) have in common.
#ifndef PERFTEST_SIDE_HPP
#define PERFTEST_SIDE_HPP

#include "TestDataSupport.hpp"
#include "dunlin/perftest.h"

#include <time.h>

typedef dunlin_perftest_header Header;
typedef dunlin_perftest_plan Plan;
typedef dunlin_perftest_progress Progress;
typedef dunlin_perftest_settings Settings;
typedef dunlin_perftest_endpoint Endpoint;
typedef dunlin_perftest_traffic Traffic;

enum {
    TOPICS = 3,
    // Publishers that the numbers of a sample tell from each other.
    PUBLISHERS = DUNLIN_PERFTEST_ID + 1,
    // Octets of a sample before those of its payload; the encapsulation header is 4 of them.
    HEAD = 32,
    // Octets of a sample that are not payload, as perftest counts them.
    OVERHEAD = 28,
    // Control samples have at most so many octets of payload.
    NOTE = 64,
    // Samples up to this size are written and taken as values, larger ones by reference.
    NEAR = 4096,
    // Samples that are taken by reference at a time.
    ROOM = 16
};

template <class T> T load(const T &place) { return __atomic_load_n(&place, __ATOMIC_ACQUIRE); }
template <class T> void store(T &place, T value) {
    __atomic_store_n(&place, value, __ATOMIC_RELEASE);
}
template <class T> void add(T &place, T value) { store(place, static_cast<T>(place + value)); }

// Nanoseconds of CLOCK_MONOTONIC.
inline uint64_t now() {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000u
           + static_cast<uint64_t>(time.tv_nsec);
}

// The keys below a number, in turn.
class Keys {
public:
    Keys() : instances(1), _next(0) {}
    void next(uint8_t *key) {
        put(_next, key);
        _next = _next + 1 < instances ? _next + 1 : 0;
    }
    static void put(uint32_t number, uint8_t *key) {
        for (int i = 0; i < 4; i++) {
            key[i] = static_cast<uint8_t>(number >> (8 * i));
        }
    }
    uint32_t instances;

private:
    uint32_t _next;
};

// A side of any type, as the table of functions knows it.
class Side {
public:
    virtual ~Side() {}
    virtual DDS::ReturnCode_t open(const Settings &settings) = 0;
    virtual DDS::ReturnCode_t make_writer(const Endpoint &endpoint) = 0;
    virtual DDS::ReturnCode_t make_reader(const Endpoint &endpoint) = 0;
    virtual DDS::ReturnCode_t register_instances(uint32_t topic) = 0;
    virtual uint64_t matched(uint32_t topic) const = 0;
    virtual DDS::ReturnCode_t wait(int64_t timeout, bool receives) = 0;
    virtual void wake() = 0;
    virtual DDS::ReturnCode_t control(uint32_t topic, const Header &header, const uint8_t *data,
                                      uint64_t length) = 0;
    virtual DDS::ReturnCode_t flush(uint32_t topic) = 0;
    virtual DDS::ReturnCode_t measure(const Plan &plan, Progress &progress) = 0;
    virtual void attach(uint32_t publisher, int32_t entity_id, uint32_t next_seq) = 0;
    virtual void traffic(uint32_t publisher, Traffic &to) const = 0;
    virtual DDS::String explain() const = 0;
    virtual void losses(dunlin_perftest_losses &to) const = 0;
    virtual void close() = 0;
};

#endif
