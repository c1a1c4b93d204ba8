/* Included once for each of the four types, which is `TYPE`: what differs in nothing but names. */
#define JOINED(one, other) one##_##other
#define JOIN(one, other) JOINED(one, other)
#define NAME(name) JOIN(TYPE, name)
#define OWN(name) JOIN(own, NAME(name))

static int32_t OWN(topic)(dunlin_participant participant, const char *name, dunlin_topic *topic) {
    return NAME(topic)(participant, name, NULL, topic);
}

static int32_t OWN(writer)(dunlin_handle parent, dunlin_topic topic, const dunlin_writer_qos *qos,
                           dunlin_writer *writer) {
    return NAME(writer)(parent, topic, qos, NULL, writer);
}

static int32_t OWN(reader)(dunlin_handle parent, dunlin_topic topic, const dunlin_reader_qos *qos,
                           const dunlin_listener *listener, dunlin_reader *reader) {
    return NAME(reader)(parent, topic, qos, listener, reader);
}

static int32_t OWN(write)(dunlin_writer writer, const dunlin_perftest_header *header,
                          const uint8_t *data, size_t length) {
    TYPE value;
    memcpy(value.key, header->key, sizeof value.key);
    value.entity_id = header->entity_id;
    value.seq_num = header->seq_num;
    value.timestamp_sec = header->timestamp_sec;
    value.timestamp_usec = header->timestamp_usec;
    value.latency_ping = header->latency_ping;
    value.bin_data._maximum = (uint32_t)length;
    value.bin_data._length = (uint32_t)length;
    value.bin_data._buffer = (uint8_t *)data;
    value.bin_data._release = false;
    return NAME(write)(writer, &value, NULL);
}

#ifdef IS_KEYED
static int32_t OWN(make_known)(dunlin_writer writer, const uint8_t *key) {
    TYPE value;
    uint8_t instance[16];
    memset(&value, 0, sizeof value);
    memcpy(value.key, key, sizeof value.key);
    return NAME(register)(writer, &value, instance);
}
#define MAKE_KNOWN OWN(make_known)
#else
#define MAKE_KNOWN NULL
#endif

static const data_type OWN(type) = { OWN(topic), OWN(writer), OWN(reader), OWN(write), MAKE_KNOWN };

#undef MAKE_KNOWN
#undef OWN
#undef NAME
#undef JOIN
#undef JOINED
#undef TYPE
#undef IS_KEYED
