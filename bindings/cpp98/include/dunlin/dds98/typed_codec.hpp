// What writers and readers of a type have in common. `C` is the codec that is made of its IDL.
#ifndef DUNLIN_DDS98_TYPED_CODEC_HPP
#define DUNLIN_DDS98_TYPED_CODEC_HPP

#include "dunlin/dds98/participant.hpp"
#include "dunlin/explain.h"
#include "dunlin/typed.h"

namespace DDS {

// Gives a sequence counted octets that are sealed (`dunlin_octets_new` and its kin). They stay the
// program's, and outlive what the sequence is in. A write keeps them by reference, and copies of the
// sequence have octets of their own.
inline ReturnCode_t share_octets(OctetSeq &to, dunlin_octets octets) {
    dunlin_octet_member member;
    std::memset(&member, 0, sizeof member);
    const ReturnCode_t code = dunlin_octet_member_share(&member, octets);
    if (code == RETCODE_OK) {
        to.replace(member._maximum, member._length, member._buffer);
        to._octets = octets;
    }
    return code;
}

namespace dunlin98 {

// An address that is a type's own.
template <class C> const void *type_id_of() {
    static const char id = 0;
    return &id;
}

// A codec found that a value or a payload is none of its type.
inline ReturnCode_t failed(const dunlin_cdr_fault &fault, ReturnCode_t otherwise) {
    char text[512];
    (void)dunlin_cdr_explain(&fault, text, sizeof text);
    return dunlin_set_last_error(
        fault.code == DUNLIN_CDR_MEMORY ? RETCODE_OUT_OF_RESOURCES : otherwise,
        dunlin_text_of(text));
}

// Memory for a payload: small ones are on the stack.
class Payload {
public:
    Payload() : data(_near), size(0) {}
    ~Payload() {
        if (data != _near) {
            free(data);
        }
    }
    bool reserve() {
        if (size > sizeof _near) {
            data = static_cast<uint8_t *>(malloc(size));
        }
        return data != NULL;
    }
    uint8_t *data;
    size_t size;

private:
    Payload(const Payload &);
    Payload &operator=(const Payload &);
    uint8_t _near[4096];
};

// Writes a value without its counted octets, which are kept by reference.
template <class C>
ReturnCode_t write_apart(dunlin_writer writer, const typename C::Value &value,
                         int32_t representation, size_t size, dunlin_write_options &options) {
    dunlin_cdr_fault fault;
    dunlin_cdr_apart apart;
    Payload payload;
    payload.size = size;
    if (!payload.reserve()) {
        return dunlin_typed_no_memory();
    }
    return C::write_apart(&value, representation, payload.data, size, &apart, &fault)
               ? dunlin_typed_write_apart(writer, payload.data, size, &apart, &options)
               : failed(fault, RETCODE_BAD_PARAMETER);
}

// The key of a value, as a dispose has it.
template <class C>
ReturnCode_t key_of(const typename C::Value &value, int32_t representation, Payload &key) {
    dunlin_cdr_fault fault;
    if (!C::has_key) {
        return RETCODE_OK;
    }
    if (!C::key_size(&value, representation, &key.size, &fault)) {
        return failed(fault, RETCODE_BAD_PARAMETER);
    }
    if (!key.reserve()) {
        return RETCODE_OUT_OF_RESOURCES;
    }
    return C::key_write(&value, representation, key.data, key.size, &fault)
               ? RETCODE_OK
               : failed(fault, RETCODE_BAD_PARAMETER);
}

// The key of an instance that a writer or reader knows.
template <class C>
ReturnCode_t key_value(typename C::Value &to, dunlin_handle entity,
                       int32_t (*get)(uint64_t, const uint8_t *, dunlin_block *),
                       const InstanceHandle_t &handle) {
    dunlin_block key;
    dunlin_cdr_fault fault;
    std::memset(&key, 0, sizeof key);
    ReturnCode_t code = get(entity, handle.value, &key);
    if (code == RETCODE_OK && !C::key_read(&to, key.data, static_cast<size_t>(key.length), &fault)) {
        code = failed(fault, RETCODE_ERROR);
    }
    (void)dunlin_block_free(&key);
    return code;
}

template <class C>
InstanceHandle_t lookup(const typename C::Value &value, dunlin_handle entity,
                        int32_t (*find)(uint64_t, const uint8_t *)) {
    InstanceHandle_t handle = HANDLE_NIL;
    dunlin_cdr_fault fault;
    return C::key_hash(&value, handle.value, &fault) && find(entity, handle.value) == DUNLIN_OK
               ? handle
               : HANDLE_NIL;
}

inline SampleInfo info_of(const dunlin_sample_info &from) {
    SampleInfo info;
    info.sample_state = from.sample_state;
    info.view_state = from.view_state;
    info.instance_state = from.instance_state;
    info.source_timestamp = to_time(from.source_timestamp);
    info.instance_handle = to_handle(from.instance);
    info.publication_handle = to_handle(from.publication);
    info.disposed_generation_count = from.disposed_generation_count;
    info.no_writers_generation_count = from.no_writers_generation_count;
    info.sample_rank = from.sample_rank;
    info.generation_rank = from.generation_rank;
    info.absolute_generation_rank = from.absolute_generation_rank;
    info.valid_data = from.valid_data != 0;
    return info;
}

} // namespace dunlin98

} // namespace DDS

#endif
