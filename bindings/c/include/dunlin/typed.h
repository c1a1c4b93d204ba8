/*
 * What the functions that write and take values have in common: `Foo_write`, `Foo_take` and the
 * like of the headers that `dunlin idl gen -l c` makes.
 */
#ifndef DUNLIN_TYPED_H
#define DUNLIN_TYPED_H

#include <stdlib.h>
#include <string.h>

#include "dunlin/dunlin.h"
#include "dunlin/explain.h"
#include "dunlin/types.h"

/* A batch has so many samples at most. */
#define DUNLIN_BATCH 16
/* Payloads and keys up to this size are written on the stack. */
#define DUNLIN_NEAR 4096

/* `dunlin_take` or `dunlin_read`. */
typedef int32_t (*dunlin_getter)(dunlin_reader reader, const dunlin_select *select,
                                 dunlin_sample *samples, uint64_t room, uint64_t *count);

/* The default QoS, to be changed and passed to what makes an entity. */
static inline int32_t dunlin_participant_qos_default(dunlin_participant_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_PARTICIPANT;
    return dunlin_qos_default((dunlin_qos *)qos);
}

static inline int32_t dunlin_topic_qos_default(dunlin_topic_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_TOPIC;
    return dunlin_qos_default((dunlin_qos *)qos);
}

static inline int32_t dunlin_publisher_qos_default(dunlin_group_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_PUBLISHER;
    return dunlin_qos_default((dunlin_qos *)qos);
}

static inline int32_t dunlin_subscriber_qos_default(dunlin_group_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_SUBSCRIBER;
    return dunlin_qos_default((dunlin_qos *)qos);
}

static inline int32_t dunlin_writer_qos_default(dunlin_writer_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_WRITER;
    return dunlin_qos_default((dunlin_qos *)qos);
}

static inline int32_t dunlin_reader_qos_default(dunlin_reader_qos *qos) {
    qos->size = sizeof *qos;
    qos->kind = DUNLIN_QOS_READER;
    return dunlin_qos_default((dunlin_qos *)qos);
}

/* A value cannot be written, or a payload not be read. */
static inline int32_t dunlin_typed_failed(const dunlin_cdr_fault *fault, int32_t otherwise) {
    char text[512];
    (void)dunlin_cdr_explain(fault, text, sizeof text);
    return dunlin_set_last_error(
        fault->code == DUNLIN_CDR_MEMORY ? DUNLIN_OUT_OF_RESOURCES : otherwise,
        dunlin_text_of(text));
}

static inline int32_t dunlin_typed_no_memory(void) {
    return dunlin_set_last_error(DUNLIN_OUT_OF_RESOURCES, dunlin_text_of("there is no memory"));
}

static inline int32_t dunlin_typed_missing(const char *argument) {
    char text[64] = "a null pointer is given for the argument ";
    strncat(text, argument, 16);
    return dunlin_set_last_error(DUNLIN_BAD_PARAMETER, dunlin_text_of(text));
}

static inline int32_t dunlin_typed_type(const uint8_t *objects, size_t size, dunlin_type *type) {
    return dunlin_type_new(objects, size, dunlin_text_of(NULL), type);
}

static inline int32_t dunlin_typed_topic(dunlin_participant participant, const char *name,
                                         const uint8_t *objects, size_t size,
                                         const dunlin_topic_qos *qos, dunlin_topic *topic) {
    dunlin_type type;
    int32_t code;
    DUNLIN_TRY(dunlin_typed_type(objects, size, &type));
    code = dunlin_topic_new(participant, dunlin_text_of(name), type, qos, NULL, topic);
    (void)dunlin_close(type);
    return code;
}

/* Whether a topic is of the type. */
static inline int32_t dunlin_typed_check(dunlin_topic topic, const uint8_t *objects, size_t size) {
    dunlin_type type;
    int32_t code;
    DUNLIN_TRY(dunlin_typed_type(objects, size, &type));
    code = dunlin_type_check(type, topic);
    (void)dunlin_close(type);
    return code;
}

/* Whether a writer or reader knows an instance. */
static inline int32_t dunlin_typed_lookup(dunlin_handle entity, const uint8_t *instance) {
    uint32_t kind;
    DUNLIN_TRY(dunlin_kind(entity, &kind));
    return kind == DUNLIN_KIND_WRITER ? dunlin_writer_lookup(entity, instance)
                                      : dunlin_reader_lookup(entity, instance);
}

/* The serialized key of an instance of a writer or reader. */
static inline int32_t dunlin_typed_key(dunlin_handle entity, const uint8_t *instance,
                                       dunlin_block *key) {
    uint32_t kind;
    DUNLIN_TRY(dunlin_kind(entity, &kind));
    return kind == DUNLIN_KIND_WRITER ? dunlin_writer_key(entity, instance, key)
                                      : dunlin_reader_key(entity, instance, key);
}

/*
 * Fills a batch anew; what was in it is given back before. What stays in memory of its writer cannot
 * be decoded, so nothing does.
 */
static inline int32_t dunlin_typed_fill(dunlin_getter get, dunlin_reader reader,
                                        const dunlin_select *select, dunlin_sample *samples,
                                        dunlin_reader *of, uint64_t *count) {
    dunlin_select wanted;
    if (*of != reader && *count > 0) {
        DUNLIN_TRY(dunlin_give_back(*of, samples, *count));
    }
    if (select == NULL) {
        memset(&wanted, 0, sizeof wanted);
        wanted.size = sizeof wanted;
    } else {
        wanted = *select;
    }
    wanted.flags = (wanted.flags & ~(uint32_t)DUNLIN_IN_PLACE) | DUNLIN_GIVE_BACK_FIRST
                   | DUNLIN_DECODES;
    *of = reader;
    *count = 0;
    return get(reader, &wanted, samples, DUNLIN_BATCH, count);
}

/* Gives a sample back that cannot be decoded; counted as lost, but not where memory was short. */
static inline void dunlin_typed_reject(dunlin_reader reader, dunlin_sample *sample,
                                       const dunlin_cdr_fault *fault) {
    char text[512];
    if (fault->code == DUNLIN_CDR_MEMORY) {
        (void)dunlin_give_back(reader, sample, 1);
        return;
    }
    (void)dunlin_cdr_explain(fault, text, sizeof text);
    (void)dunlin_reject(reader, sample, dunlin_text_of(text));
}

/* The same with one of a batch; those behind it move up. */
static inline void dunlin_typed_drop(dunlin_reader reader, dunlin_sample *samples, uint64_t *count,
                                     uint64_t at, const dunlin_cdr_fault *fault) {
    dunlin_typed_reject(reader, &samples[at], fault);
    *count -= 1;
    memmove(&samples[at], &samples[at + 1], (size_t)(*count - at) * sizeof *samples);
    memset(&samples[*count], 0, sizeof *samples);
}

/* One sample that nobody has looked at. */
static inline int32_t dunlin_typed_next(dunlin_getter get, dunlin_reader reader,
                                        dunlin_sample *sample) {
    dunlin_select unread;
    uint64_t count;
    memset(&unread, 0, sizeof unread);
    unread.size = sizeof unread;
    unread.sample_states = DUNLIN_NOT_READ;
    unread.flags = DUNLIN_DECODES;
    return get(reader, &unread, sample, 1, &count);
}

/* Gives a member counted octets that are sealed. They stay the program's, and outlive the value. */
static inline int32_t dunlin_octet_member_share(dunlin_octet_member *member,
                                                dunlin_octets octets) {
    const uint8_t *data;
    uint64_t length;
    if (member == NULL) return dunlin_typed_missing("member");
    DUNLIN_TRY(dunlin_octets_data(octets, &data, &length));
    if (length > UINT32_MAX) {
        return dunlin_set_last_error(
            DUNLIN_BAD_PARAMETER,
            dunlin_text_of("the octets have more bytes than a sequence of IDL may have"));
    }
    if (member->_release) free(member->_buffer);
    memcpy(&member->_buffer, &data, sizeof data);
    member->_length = member->_maximum = (uint32_t)length;
    member->_release = false;
    member->_octets = octets;
    return DUNLIN_OK;
}

/* Writes a payload from which counted octets are left out. */
static inline int32_t dunlin_typed_write_apart(dunlin_writer writer, const uint8_t *payload,
                                               size_t size, const dunlin_cdr_apart *apart,
                                               dunlin_write_options *options) {
    dunlin_piece pieces[2 * DUNLIN_CDR_APART_MOST + 1];
    const uint8_t *at = payload;
    uint64_t count = 0;
    uint32_t i;
    for (i = 0; i < apart->count; i++) {
        const dunlin_cdr_part *part = &apart->parts[i];
        pieces[count].data = at;
        pieces[count].length = (uint64_t)(part->at - at);
        pieces[count++].octets = 0;
        pieces[count].data = part->data;
        pieces[count].length = part->length;
        pieces[count++].octets = part->octets;
        at = part->at + part->length;
    }
    pieces[count].data = at;
    pieces[count].length = (uint64_t)(payload + size - at);
    pieces[count++].octets = 0;
    return dunlin_write_pieces(writer, pieces, count, options);
}

/* The header of a payload whose content is a plain value (RTPS 2.5 10.5), and the end behind it. */
static inline void dunlin_typed_plain(uint8_t *payload, int32_t xcdr, size_t size) {
    const size_t padding = (0 - size) & 3;
    payload[0] = 0;
    payload[1] = (uint8_t)((xcdr == DUNLIN_XCDR2 ? 6 : 0) | !DUNLIN_IS_BIG_ENDIAN);
    payload[2] = 0;
    payload[3] = (uint8_t)padding;
    memset(payload + 4 + size, 0, padding);
}

static inline int32_t dunlin_typed_not_plain(int32_t xcdr) {
    return dunlin_set_last_error(
        DUNLIN_UNSUPPORTED,
        dunlin_text_of(xcdr == DUNLIN_XCDR2
                           ? "values of this type have to be encoded in XCDR2, which the writer has: "
                             "write them, or give the writer DUNLIN_XCDR1"
                           : "values of this type have to be encoded in XCDR1, which the writer has: "
                             "write them, or give the writer DUNLIN_XCDR2"));
}

#endif
