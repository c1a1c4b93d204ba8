/* The benchmark's peer on Eclipse Cyclone DDS.
 *
 * Set up for speed: loopback only, messages as large as UDP allows, socket buffers as large as the system lets it have. */
#include "bench.h"
#include "peer.h"

#include <dds/dds.h>
#include <stdlib.h>

#define BATCH 64

static const char *const configuration =
    "<General><Interfaces><NetworkInterface name='lo' multicast='true'/></Interfaces>"
    "<AllowMulticast>true</AllowMulticast>"
    "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize></General>"
    "<Internal><SocketReceiveBufferSize min='default' max='8MB'/>"
    /* Otherwise a listener that answers with a large sample waits for itself: acknowledgements come by its own thread. */
    "<Watermarks><WhcHigh>64MB</WhcHigh></Watermarks></Internal>";

static const struct peer_options *options;
static dds_entity_t participant, writer, reader, waitset;
static bench_Sample sample;

static dds_entity_t checked(const char *what, dds_entity_t entity) {
    if (entity < 0)
        peer_fail(what, entity);
    return entity;
}

static void take_all(dds_entity_t from) {
    void *samples[BATCH] = {NULL};
    dds_sample_info_t infos[BATCH];
    int32_t count;
    while ((count = dds_take(from, samples, infos, BATCH, BATCH)) > 0) {
        for (int32_t i = 0; i < count; i++)
            if (infos[i].valid_data)
                peer_received(((const bench_Sample *)samples[i])->seq, samples[i]);
        dds_return_loan(from, samples, count);
    }
}

static void on_data(dds_entity_t from, void *unused) {
    (void)unused;
    take_all(from);
}

static void open_reader(const char *name, const dds_qos_t *qos) {
    const dds_entity_t topic = checked("topic", dds_create_topic(participant, &bench_Sample_desc, name, NULL, NULL));
    dds_listener_t *listener = dds_create_listener(NULL);
    if (!options->waitset)
        dds_lset_data_available(listener, on_data);
    reader = checked("reader", dds_create_reader(participant, topic, qos, listener));
    dds_delete_listener(listener);
    if (options->waitset) {
        waitset = checked("waitset", dds_create_waitset(participant));
        const dds_entity_t condition = checked("condition", dds_create_readcondition(reader, DDS_ANY_STATE));
        dds_waitset_attach(waitset, condition, 0);
    }
}

void vendor_open(const struct peer_options *given) {
    const char *name;
    options = given;
    sample.data._length = sample.data._maximum = options->size - PEER_OVERHEAD;
    sample.data._buffer = calloc(options->size, 1);
    setenv("CYCLONEDDS_URI", configuration, 0);
    participant = checked("participant", dds_create_participant(0, NULL, NULL));
    /* Of the domains that exist. */
    dds_write_set_batch(options->batch);
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, options->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_SECS(10));
    if (peer_keeps_all(options))
        dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
    /* The writer last: what it writes once it is matched may be answered at once. */
    if (peer_reads(options, &name))
        open_reader(name, qos);
    if (peer_writes(options, &name)) {
        const dds_entity_t topic = checked("topic", dds_create_topic(participant, &bench_Sample_desc, name, NULL, NULL));
        writer = checked("writer", dds_create_writer(participant, topic, qos, NULL));
    }
    dds_delete_qos(qos);
}

bool vendor_matched(void) {
    dds_publication_matched_status_t out = {.current_count = options->readers};
    dds_subscription_matched_status_t in = {.current_count = 1};
    if (writer)
        dds_get_publication_matched_status(writer, &out);
    if (reader)
        dds_get_subscription_matched_status(reader, &in);
    return out.current_count >= options->readers && in.current_count > 0;
}

static void write_one(const bench_Sample *what) {
    const dds_return_t code = dds_write(writer, what);
    if (code != DDS_RETCODE_OK)
        peer_fail("write", code);
}

void vendor_write(uint64_t seq) {
    sample.seq = seq;
    write_one(&sample);
}

void vendor_echo(const void *received) { write_one(received); }

void vendor_wait(unsigned milliseconds) {
    if (dds_waitset_wait(waitset, NULL, 0, DDS_MSECS(milliseconds)) > 0)
        take_all(reader);
}

void vendor_close(void) { dds_delete(participant); }

void vendor_finish(void) {
    dds_write_flush(writer);
    if (options->reliable && dds_wait_for_acks(writer, DDS_SECS(20)) != DDS_RETCODE_OK)
        peer_fail("acknowledgements", 1);
}
