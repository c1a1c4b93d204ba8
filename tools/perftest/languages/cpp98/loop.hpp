// What is measured: the loop that writes, and the listeners.
#ifndef PERFTEST_LOOP_HPP
#define PERFTEST_LOOP_HPP

#include "side.hpp"

// What a listener knows of a sample.
struct Received {
    Header header;
    // NULL for payload that is not looked at.
    const uint8_t *data;
    uint64_t length;
    // The sample, if it was taken by reference.
    const dunlin_sample *sample;
    uint8_t note[NOTE];
};

// `V` is the type of the samples, `W` and `R` are its writer and its reader.
template <class V, class W, class R> class Loop {
public:
    Loop()
        : guard(NULL), payload(NULL), octets(0), flags(0), subscriber(0), inbox(NULL),
          entity_id(0), since(0), sent(0), pings(0), next_ping(0), lost(0), sent_at(0),
          outstanding(0), is_waiting(false), is_blocked(false), is_ping(false), manner(0),
          answers(0), late(0), ring(NULL), ring_size(1), taken(0) {
        std::memset(&header, 0, sizeof header);
        std::memset(publications, 0, sizeof publications);
        for (int i = 0; i < TOPICS; i++) {
            writers[i] = NULL;
            readers[i] = NULL;
            representations[i] = DUNLIN_XCDR1;
        }
    }

    // Writes a sample whose payload is the first octets of that of the side.
    DDS::ReturnCode_t write(uint32_t topic, const Header &of, uint64_t length) {
        if ((flags & DUNLIN_PERFTEST_FLAT) && length > NOTE) {
            return write_flat(topic, of, length);
        }
        return length + HEAD <= NEAR ? write_value(topic, of, payload, length)
                                     : write_octets(topic, of, payload, length, octets);
    }

    // Writes a value whose payload is lent to it.
    DDS::ReturnCode_t write_value(uint32_t topic, const Header &of, const uint8_t *data,
                                  uint64_t length) {
        V value;
        std::memcpy(value.key, of.key, sizeof value.key);
        value.entity_id = of.entity_id;
        value.seq_num = of.seq_num;
        value.timestamp_sec = of.timestamp_sec;
        value.timestamp_usec = of.timestamp_usec;
        value.latency_ping = of.latency_ping;
        (void)value.bin_data.loan_contiguous(const_cast<uint8_t *>(data),
                                             static_cast<DDS::ULong>(length),
                                             static_cast<DDS::ULong>(length));
        return writers[topic]->write(value, DDS::HANDLE_NIL);
    }

    DDS::ReturnCode_t measure(const Plan &plan, Progress &progress) {
        if (plan.flags & DUNLIN_PERFTEST_BEGINS) {
            begin_segment(plan);
        }
        store(taken, plan.taken);
        const DDS::ReturnCode_t code = run_part(plan);
        progress.sent = sent;
        progress.pings = pings;
        progress.lost = lost;
        progress.answers = load(answers);
        progress.late = load(late);
        progress.waiting = is_waiting;
        progress.blocked = is_blocked;
        return code;
    }

    // Takes what a reader has, in the thread that received it, `at` which time the callback began.
    void on_data(uint32_t topic, uint64_t at) {
        if (takes_references()) {
            take_references(topic, at);
        } else {
            take_values(topic, at);
        }
    }

    void attach(uint32_t publisher, int32_t run, uint32_t next_seq) {
        Publication &from = publications[publisher & DUNLIN_PERFTEST_ID];
        from.entity_id = run;
        from.traffic.expected = next_seq;
        from.is_begun = false;
    }
    void traffic(uint32_t publisher, Traffic &to) const {
        const Traffic &of = publications[publisher & DUNLIN_PERFTEST_ID].traffic;
        to.packets = load(of.packets);
        to.bytes = load(of.bytes);
        to.others = load(of.others);
        to.echo_failures = load(of.echo_failures);
        to.lost = load(of.lost);
        to.last_size = load(of.last_size);
        to.expected = load(of.expected);
    }

    void note_matches() {
        DDS::PublicationMatchedStatus published;
        DDS::SubscriptionMatchedStatus subscribed;
        for (int i = 0; i < TOPICS; i++) {
            if (writers[i] != NULL) {
                (void)writers[i]->get_publication_matched_status(published);
            }
            if (readers[i] != NULL) {
                (void)readers[i]->get_subscription_matched_status(subscribed);
            }
        }
    }

    DDS::WaitSet waits;
    DDS::GuardCondition *guard;
    W *writers[TOPICS];
    R *readers[TOPICS];
    int32_t representations[TOPICS];
    Keys keys;
    // Payload that is written by reference.
    uint8_t *payload;
    dunlin_octets octets;
    uint64_t payload_size;
    uint32_t flags;
    uint32_t subscriber;
    void *inbox;

private:
    Loop(const Loop &);
    Loop &operator=(const Loop &);

    // Samples between two looks at the clock, where that would cost more than writing them.
    enum { LOOK = 16 };

    // What a subscriber counts of a publisher, in the listener's thread.
    struct Publication {
        int32_t entity_id;
        bool is_begun;
        Traffic traffic;
    };

    bool takes_references() const {
        return (flags & DUNLIN_PERFTEST_ZERO_COPY) || payload_size + HEAD > NEAR;
    }

    // Writes a sample whose payload is `data` of some octets, or all of them if that is NULL.
    DDS::ReturnCode_t write_octets(uint32_t topic, const Header &of, const uint8_t *data,
                                   uint64_t length, dunlin_octets octets_of) {
        static const uint8_t padding[4] = {0, 0, 0, 0};
        const uint64_t behind = (0 - length) & 3;
        uint8_t before[HEAD];
        TestDataHead_t head;
        dunlin_cdr_fault fault;
        std::memcpy(head.key, of.key, sizeof head.key);
        head.entity_id = of.entity_id;
        head.seq_num = of.seq_num;
        head.timestamp_sec = of.timestamp_sec;
        head.timestamp_usec = of.timestamp_usec;
        head.latency_ping = of.latency_ping;
        head.length = static_cast<uint32_t>(length);
        if (!dunlin_idl::TestDataHead_t_cdr_write(&head, representations[topic], before,
                                                  sizeof before, &fault)) {
            return DDS::RETCODE_ERROR;
        }
        before[3] = static_cast<uint8_t>(behind);
        const dunlin_piece pieces[3] = {
            {before, sizeof before, 0}, {data, length, octets_of}, {padding, behind, 0}};
        return dunlin_write_pieces(writers[topic]->handle(), pieces, behind > 0 ? 3 : 2, NULL);
    }

    // Writes a sample in memory of Dunlin, whose payload is what happens to be there.
    DDS::ReturnCode_t write_flat(uint32_t topic, const Header &of, uint64_t length) {
        dunlin_octets made = 0;
        uint8_t *data = NULL;
        DDS::ReturnCode_t code =
            dunlin_octets_new(writers[topic]->handle(), length, &data, &made);
        if (code != DDS::RETCODE_OK) {
            return code;
        }
        code = dunlin_octets_seal(made);
        if (code == DDS::RETCODE_OK) {
            code = write_octets(topic, of, NULL, length, made);
        }
        (void)dunlin_octets_free(made);
        return code;
    }

    void begin_segment(const Plan &plan) {
        std::memset(&header, 0, sizeof header);
        store(outstanding, static_cast<uint64_t>(0));
        store(answers, static_cast<uint64_t>(0));
        store(late, static_cast<uint64_t>(0));
        sent = pings = lost = 0;
        next_ping = plan.flags & DUNLIN_PERFTEST_PINGS ? 0 : DUNLIN_PERFTEST_NEVER;
        is_waiting = is_blocked = false;
        manner = plan.flags;
        ring = plan.ring;
        ring_size = plan.ring_size;
        store(since, now());
        store(entity_id, plan.entity_id);
    }

    DDS::ReturnCode_t run_part(const Plan &plan) {
        const bool is_watched = (plan.flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
        for (;;) {
            if (is_waiting && !await_echo(plan)) {
                return DDS::RETCODE_OK;
            }
            if (sent >= plan.samples) {
                return DDS::RETCODE_OK;
            }
            if (is_watched || is_blocked || sent % LOOK == 0) {
                if (load(answers) - plan.taken >= plan.ring_size || now() >= plan.until) {
                    return DDS::RETCODE_OK;
                }
            }
            if (!is_blocked) {
                make_sample(plan);
            }
            const DDS::ReturnCode_t code =
                write(DUNLIN_PERFTEST_THROUGHPUT, header, plan.payload);
            is_blocked = code == DDS::RETCODE_TIMEOUT;
            if (is_blocked) {
                continue;
            }
            if (code != DDS::RETCODE_OK) {
                return code;
            }
            note_written(plan);
        }
    }

    // Waits for the echo of the ping under way. False: the part of the segment ends before.
    bool await_echo(const Plan &plan) {
        while (load(outstanding) != 0) {
            const uint64_t time = now();
            uint64_t end = plan.until + DUNLIN_PERFTEST_GRACE;
            if (plan.ping_timeout < DUNLIN_PERFTEST_NEVER - sent_at) {
                const uint64_t lost_at = sent_at + plan.ping_timeout;
                if (time >= lost_at) {
                    lost += __atomic_exchange_n(&outstanding, 0, __ATOMIC_ACQ_REL) != 0;
                    break;
                }
                if (lost_at < end) {
                    end = lost_at;
                }
            }
            if (time >= end) {
                return false;
            }
            (void)waits.wait(active, DDS::to_duration(static_cast<int64_t>(end - time)));
            (void)guard->set_trigger_value(false);
            if (load(outstanding) != 0) {
                note_matches();
            }
        }
        is_waiting = false;
        return true;
    }

    // Makes the next sample, and stamps it if it is a ping.
    void make_sample(const Plan &plan) {
        if (plan.instance < 0) {
            keys.next(header.key);
        } else {
            Keys::put(static_cast<uint32_t>(plan.instance), header.key);
        }
        header.entity_id = plan.entity_id;
        header.seq_num = plan.first_seq + static_cast<uint32_t>(sent);
        is_ping = sent == next_ping;
        if (!is_ping) {
            header.timestamp_sec = 0;
            header.timestamp_usec = 0;
            header.latency_ping = DUNLIN_PERFTEST_NO_PING;
            return;
        }
        header.latency_ping = plan.flags & DUNLIN_PERFTEST_PRACTICE
                                  ? DUNLIN_PERFTEST_WARM_UP
                                  : static_cast<int32_t>(pings % plan.subscribers);
        sent_at = now();
        header.timestamp_sec = static_cast<int32_t>(sent_at >> 32);
        header.timestamp_usec = static_cast<uint32_t>(sent_at);
        if (plan.flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) {
            store(outstanding, static_cast<uint64_t>(header.seq_num) + 1);
        }
    }

    // A sample is written: notes where the next ping is.
    void note_written(const Plan &plan) {
        if (is_ping) {
            const uint64_t batch = sent / plan.per_batch;
            const uint64_t place = (sent % plan.per_batch + 1) % plan.per_batch;
            next_ping = (batch + plan.ping_every) * plan.per_batch + place;
            is_waiting = (plan.flags & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
            pings++;
        }
        sent++;
    }

    // Small samples, as values.
    void take_values(uint32_t topic, uint64_t at) {
        DDS::Sequence<V> values;
        DDS::SampleInfoSeq infos;
        R *reader = readers[topic];
        if (reader == NULL
            || reader->take(values, infos, DDS::LENGTH_UNLIMITED, DDS::ANY_SAMPLE_STATE,
                            DDS::ANY_VIEW_STATE, DDS::ANY_INSTANCE_STATE)
                   != DDS::RETCODE_OK) {
            return;
        }
        for (DDS::ULong i = 0; i < values.length(); i++) {
            const V &value = values[i];
            if (!infos[i].valid_data) {
                continue;
            }
            Received got;
            std::memcpy(got.header.key, value.key, sizeof value.key);
            got.header.entity_id = value.entity_id;
            got.header.seq_num = value.seq_num;
            got.header.timestamp_sec = value.timestamp_sec;
            got.header.timestamp_usec = value.timestamp_usec;
            got.header.latency_ping = value.latency_ping;
            got.data = value.bin_data.get_buffer();
            got.length = value.bin_data.length();
            got.sample = NULL;
            take(topic, got, at);
            at = now();
        }
        (void)reader->return_loan(values, infos);
    }

    // Large samples, whose octets stay where they are.
    void take_references(uint32_t topic, uint64_t at) {
        dunlin_sample samples[ROOM];
        dunlin_select select;
        uint64_t count = 0;
        R *reader = readers[topic];
        std::memset(&select, 0, sizeof select);
        select.size = sizeof select;
        select.flags = DUNLIN_DECODES | (flags & DUNLIN_PERFTEST_ZERO_COPY ? DUNLIN_IN_PLACE : 0);
        do {
            if (reader == NULL
                || dunlin_take(reader->handle(), &select, samples, ROOM, &count) != DUNLIN_OK) {
                return;
            }
            for (uint64_t i = 0; i < count; i++) {
                Received got;
                if (look(reader->handle(), samples[i], got)) {
                    take(topic, got, at);
                    at = now();
                }
            }
            (void)dunlin_give_back(reader->handle(), samples, count);
        } while (count == ROOM);
    }

    // Reads all members but the payload.
    bool look(dunlin_reader reader, const dunlin_sample &sample, Received &got) const {
        uint8_t before[HEAD];
        TestDataHead_t head;
        dunlin_cdr_fault fault;
        if (!sample.info.valid_data || sample.length < HEAD) {
            return false;
        }
        if (sample.data != NULL) {
            std::memcpy(before, sample.data, HEAD);
        } else if (dunlin_sample_copy(reader, &sample, 0, before, HEAD) != DUNLIN_OK) {
            return false;
        }
        // What is behind the payload is not behind the head.
        before[3] = 0;
        if (!dunlin_idl::TestDataHead_t_cdr_read(&head, before, HEAD, &fault)
            || head.length > sample.length - HEAD) {
            return false;
        }
        std::memcpy(got.header.key, head.key, sizeof head.key);
        got.header.entity_id = head.entity_id;
        got.header.seq_num = head.seq_num;
        got.header.timestamp_sec = head.timestamp_sec;
        got.header.timestamp_usec = head.timestamp_usec;
        got.header.latency_ping = head.latency_ping;
        got.sample = &sample;
        got.length = head.length;
        got.data = sample.data == NULL ? NULL : sample.data + HEAD;
        if (got.data == NULL && head.length <= NOTE) {
            if (dunlin_sample_copy(reader, &sample, HEAD, got.note, head.length) != DUNLIN_OK) {
                return false;
            }
            got.data = got.note;
        }
        uint8_t is_valid = 1;
        if (flags & DUNLIN_PERFTEST_CHECKS) {
            (void)dunlin_sample_is_valid(reader, &sample, &is_valid);
        }
        return is_valid != 0;
    }

    void take(uint32_t topic, const Received &got, uint64_t at) {
        if (topic == DUNLIN_PERFTEST_ANNOUNCEMENT) {
            pass_on(topic, got);
        } else if (topic == DUNLIN_PERFTEST_LATENCY) {
            take_echo(got, at);
        } else {
            take_data(got);
        }
    }

    void pass_on(uint32_t topic, const Received &got) {
        dunlin_perftest_sample(inbox, topic, &got.header, got.data,
                               got.data == NULL ? 0 : got.length);
    }

    // An echo, at the publisher.
    void take_echo(const Received &got, uint64_t at) {
        const Header &of = got.header;
        const bool is_one_at_a_time = (manner & DUNLIN_PERFTEST_ONE_AT_A_TIME) != 0;
        const uint64_t number = answers;
        uint64_t begun = sent_at;
        if (of.latency_ping < 0
            && (of.latency_ping < DUNLIN_PERFTEST_WARM_UP
                || !(manner & DUNLIN_PERFTEST_PRACTICE))) {
            pass_on(DUNLIN_PERFTEST_LATENCY, got);
            return;
        }
        if (of.entity_id != load(entity_id)) {
            return;
        }
        bool is_answer = load(outstanding) == static_cast<uint64_t>(of.seq_num) + 1;
        if (!is_one_at_a_time) {
            begun = static_cast<uint64_t>(static_cast<uint32_t>(of.timestamp_sec)) << 32
                    | of.timestamp_usec;
            is_answer = begun >= load(since) && begun <= at
                        && number - load(taken) < ring_size;
        }
        if (!is_answer) {
            add(late, static_cast<uint64_t>(1));
            return;
        }
        ring[number & (ring_size - 1)] = at - begun;
        store(answers, number + 1);
        if (is_one_at_a_time) {
            // Last, so that what was measured is there.
            store(outstanding, static_cast<uint64_t>(0));
            (void)guard->set_trigger_value(true);
        }
    }

    // The same sample back, in full size.
    DDS::ReturnCode_t echo(const Received &got) {
        const uint32_t topic = DUNLIN_PERFTEST_LATENCY;
        Header of = got.header;
        DDS::ReturnCode_t code;
        keys.next(of.key);
        if ((flags & DUNLIN_PERFTEST_FLAT) && got.length > NOTE) {
            code = write_flat(topic, of, got.length);
        } else if (got.sample == NULL || got.length + HEAD <= NEAR) {
            code = write_value(topic, of, got.data == NULL ? payload : got.data, got.length);
        } else {
            dunlin_octets shared = 0;
            code = dunlin_octets_of_sample(readers[DUNLIN_PERFTEST_THROUGHPUT]->handle(),
                                           got.sample, HEAD, got.length, &shared);
            if (code == DDS::RETCODE_OK) {
                code = write_octets(topic, of, NULL, got.length, shared);
                (void)dunlin_octets_free(shared);
            }
        }
        return code == DDS::RETCODE_OK ? writers[topic]->flush() : code;
    }

    // Data, warm-up or control, at the subscriber. Only this thread writes what is counted.
    void take_data(const Received &got) {
        const Header &of = got.header;
        const uint32_t id = static_cast<uint32_t>(of.entity_id) & DUNLIN_PERFTEST_ID;
        const bool is_warm_up = of.latency_ping == DUNLIN_PERFTEST_WARM_UP;
        Publication &from = publications[id];
        Traffic &counted = from.traffic;
        if (of.latency_ping < DUNLIN_PERFTEST_WARM_UP) {
            pass_on(DUNLIN_PERFTEST_THROUGHPUT, got);
            return;
        }
        if (from.entity_id != of.entity_id) {
            return;
        }
        const bool is_ours = (flags & DUNLIN_PERFTEST_ANSWERS_ALL)
                             || of.latency_ping == static_cast<int32_t>(subscriber);
        if (is_warm_up ? id == 0 : of.latency_ping >= 0 && is_ours) {
            if (echo(got) != DDS::RETCODE_OK) {
                add(counted.echo_failures, static_cast<uint64_t>(1));
            }
        }
        if (is_warm_up) {
            add(counted.others, static_cast<uint64_t>(1));
            return;
        }
        if (!from.is_begun) {
            from.is_begun = true;
            pass_on(DUNLIN_PERFTEST_THROUGHPUT, got);
        }
        count_lost(counted, of.seq_num);
        store(counted.last_size, static_cast<uint32_t>(got.length + OVERHEAD));
        add(counted.bytes, got.length + OVERHEAD);
        add(counted.packets, static_cast<uint64_t>(1));
    }

    static void count_lost(Traffic &counted, uint32_t seq) {
        const uint32_t gap = seq - counted.expected;
        if (gap < 0x7fffffffu) {
            counted.lost += gap;
            counted.expected = seq + 1;
        } else {
            // It was passed over before.
            counted.lost--;
        }
    }

    int32_t entity_id;
    uint64_t since;
    uint64_t sent;
    uint64_t pings;
    uint64_t next_ping;
    uint64_t lost;
    uint64_t sent_at;
    // A ping is under way: its number + 1. The listener makes it 0.
    uint64_t outstanding;
    bool is_waiting;
    // The sample that waits for room in the queue.
    bool is_blocked;
    bool is_ping;
    Header header;
    // The flags of the segment's plan.
    uint32_t manner;
    // The listener's own.
    uint64_t answers;
    uint64_t late;
    uint64_t *ring;
    uint64_t ring_size;
    uint64_t taken;
    DDS::ConditionSeq active;
    Publication publications[PUBLISHERS];
};

#endif
