// Writers and readers of a type. `C` is the codec that is made of its IDL.
#ifndef DUNLIN_DDS98_TYPED_HPP
#define DUNLIN_DDS98_TYPED_HPP

#include "dunlin/dds98/participant.hpp"
#include "dunlin/explain.h"

namespace DDS {
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

template <class C> class TypedDataWriter : public DataWriter {
public:
    typedef typename C::Value Value;

    ReturnCode_t write(const Value &value, const InstanceHandle_t &handle) {
        return write_w_timestamp(value, handle, TIME_INVALID);
    }
    ReturnCode_t write_w_timestamp(const Value &value, const InstanceHandle_t &handle,
                                   const Time_t &timestamp) {
        dunlin_cdr_fault fault;
        dunlin_write_options options = options_of(handle, timestamp);
        size_t size = 0;
        uint8_t near[NEAR];
        if (!C::size(&value, _representation, &size, &fault)) {
            return dunlin98::failed(fault, RETCODE_BAD_PARAMETER);
        }
        if (size <= sizeof near) {
            return C::write(&value, _representation, near, size, &fault)
                       ? dunlin_write(_handle, near, size, &options)
                       : dunlin98::failed(fault, RETCODE_BAD_PARAMETER);
        }
        dunlin_loan loan;
        std::memset(&loan, 0, sizeof loan);
        const ReturnCode_t code = dunlin_loan_new(_handle, size, 0, &loan);
        if (code != RETCODE_OK) {
            return code;
        }
        if (!C::write(&value, _representation, loan.data, size, &fault)) {
            (void)dunlin_loan_discard(_handle, &loan);
            return dunlin98::failed(fault, RETCODE_BAD_PARAMETER);
        }
        return dunlin_loan_write(_handle, &loan, &options);
    }

    ReturnCode_t dispose(const Value &value, const InstanceHandle_t &handle) {
        return end_instance(dunlin_dispose, value, handle, TIME_INVALID);
    }
    ReturnCode_t dispose_w_timestamp(const Value &value, const InstanceHandle_t &handle,
                                     const Time_t &timestamp) {
        return end_instance(dunlin_dispose, value, handle, timestamp);
    }
    ReturnCode_t unregister_instance(const Value &value, const InstanceHandle_t &handle) {
        return end_instance(dunlin_unregister, value, handle, TIME_INVALID);
    }
    ReturnCode_t unregister_instance_w_timestamp(const Value &value,
                                                 const InstanceHandle_t &handle,
                                                 const Time_t &timestamp) {
        return end_instance(dunlin_unregister, value, handle, timestamp);
    }

    // HANDLE_NIL for a type without a key, and if it cannot be.
    InstanceHandle_t register_instance(const Value &value) {
        InstanceHandle_t handle = HANDLE_NIL;
        dunlin98::Payload key;
        if (C::has_key && dunlin98::key_of<C>(value, _representation, key) == RETCODE_OK) {
            (void)dunlin_register(_handle, key.data, key.size, handle.value);
        }
        return handle;
    }
    InstanceHandle_t register_instance_w_timestamp(const Value &value, const Time_t &) {
        return register_instance(value);
    }
    ReturnCode_t get_key_value(Value &key, const InstanceHandle_t &handle) {
        return dunlin98::key_value<C>(key, _handle, dunlin_writer_key, handle);
    }
    InstanceHandle_t lookup_instance(const Value &value) const {
        return dunlin98::lookup<C>(value, _handle, dunlin_writer_lookup);
    }

    const void *type_id() const { return dunlin98::type_id_of<C>(); }

private:
    enum { NEAR = 4096 };

    static dunlin_write_options options_of(const InstanceHandle_t &handle,
                                           const Time_t &timestamp) {
        dunlin_write_options options = DUNLIN_WRITE_OPTIONS;
        options.timestamp = to_nanoseconds(timestamp);
        options.instance = handle == HANDLE_NIL ? NULL : handle.value;
        return options;
    }
    ReturnCode_t end_instance(int32_t (*call)(dunlin_writer, const uint8_t *, uint64_t,
                                              dunlin_write_options *),
                              const Value &value, const InstanceHandle_t &handle,
                              const Time_t &timestamp) {
        dunlin_write_options options = options_of(handle, timestamp);
        dunlin98::Payload key;
        if (!C::has_key) {
            // Such a type has one instance.
            options.instance = HANDLE_NIL.value;
            return call(_handle, NULL, 0, &options);
        }
        const ReturnCode_t code = dunlin98::key_of<C>(value, _representation, key);
        return code == RETCODE_OK ? call(_handle, key.data, key.size, &options) : code;
    }
};

template <class C> class TypedDataReader : public DataReader {
public:
    typedef typename C::Value Value;
    typedef Sequence<Value> Values;

    // Sequences that have no memory are lent some, until `return_loan`; others are filled as far as
    // they have room. A call gives at most 8192 samples.
    ReturnCode_t take(Values &values, SampleInfoSeq &infos, Long max_samples,
                      SampleStateMask sample_states, ViewStateMask view_states,
                      InstanceStateMask instance_states) {
        return get(dunlin_take, values, infos, max_samples,
                   dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t read(Values &values, SampleInfoSeq &infos, Long max_samples,
                      SampleStateMask sample_states, ViewStateMask view_states,
                      InstanceStateMask instance_states) {
        return get(dunlin_read, values, infos, max_samples,
                   dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t take_w_condition(Values &values, SampleInfoSeq &infos, Long max_samples,
                                  ReadCondition *condition) {
        return by_condition(dunlin_take, values, infos, max_samples, condition, NULL);
    }
    ReturnCode_t read_w_condition(Values &values, SampleInfoSeq &infos, Long max_samples,
                                  ReadCondition *condition) {
        return by_condition(dunlin_read, values, infos, max_samples, condition, NULL);
    }
    ReturnCode_t take_instance(Values &values, SampleInfoSeq &infos, Long max_samples,
                               const InstanceHandle_t &handle, SampleStateMask sample_states,
                               ViewStateMask view_states, InstanceStateMask instance_states) {
        return of_instance(dunlin_take, values, infos, max_samples, DUNLIN_THIS_INSTANCE, handle,
                           dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t read_instance(Values &values, SampleInfoSeq &infos, Long max_samples,
                               const InstanceHandle_t &handle, SampleStateMask sample_states,
                               ViewStateMask view_states, InstanceStateMask instance_states) {
        return of_instance(dunlin_read, values, infos, max_samples, DUNLIN_THIS_INSTANCE, handle,
                           dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t take_next_instance(Values &values, SampleInfoSeq &infos, Long max_samples,
                                    const InstanceHandle_t &previous,
                                    SampleStateMask sample_states, ViewStateMask view_states,
                                    InstanceStateMask instance_states) {
        return of_instance(dunlin_take, values, infos, max_samples, DUNLIN_NEXT_INSTANCE, previous,
                           dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t read_next_instance(Values &values, SampleInfoSeq &infos, Long max_samples,
                                    const InstanceHandle_t &previous,
                                    SampleStateMask sample_states, ViewStateMask view_states,
                                    InstanceStateMask instance_states) {
        return of_instance(dunlin_read, values, infos, max_samples, DUNLIN_NEXT_INSTANCE, previous,
                           dunlin98::select_of(sample_states, view_states, instance_states));
    }
    ReturnCode_t take_next_instance_w_condition(Values &values, SampleInfoSeq &infos,
                                                Long max_samples,
                                                const InstanceHandle_t &previous,
                                                ReadCondition *condition) {
        return by_condition(dunlin_take, values, infos, max_samples, condition, &previous);
    }
    ReturnCode_t read_next_instance_w_condition(Values &values, SampleInfoSeq &infos,
                                                Long max_samples,
                                                const InstanceHandle_t &previous,
                                                ReadCondition *condition) {
        return by_condition(dunlin_read, values, infos, max_samples, condition, &previous);
    }
    // The next sample that was not read before.
    ReturnCode_t take_next_sample(Value &value, SampleInfo &info) {
        return next(dunlin_take, value, info);
    }
    ReturnCode_t read_next_sample(Value &value, SampleInfo &info) {
        return next(dunlin_read, value, info);
    }

    // Ends the loan of a read or a take. Nothing is to be done for sequences with own memory.
    ReturnCode_t return_loan(Values &values, SampleInfoSeq &infos) {
        if (values.has_ownership() && infos.has_ownership()) {
            return RETCODE_OK;
        }
        Batch *batch = NULL;
        {
            dunlin98::Lock lock(_lock);
            Batch **at = &_lent;
            while (*at != NULL
                   && ((*at)->values.get_buffer() != values.get_buffer()
                       || (*at)->infos.get_buffer() != infos.get_buffer())) {
                at = &(*at)->next;
            }
            batch = *at;
            if (batch == NULL) {
                return RETCODE_PRECONDITION_NOT_MET;
            }
            *at = batch->next;
            batch->next = _free;
            _free = batch;
        }
        (void)values.unloan();
        (void)infos.unloan();
        return RETCODE_OK;
    }

    // Also of an instance that has ended, while samples of it are lent.
    ReturnCode_t get_key_value(Value &key, const InstanceHandle_t &handle) {
        const ReturnCode_t code =
            dunlin98::key_value<C>(key, _handle, dunlin_reader_key, handle);
        const Value *lent = code == RETCODE_NO_DATA ? find_lent(handle) : NULL;
        if (lent == NULL) {
            return code;
        }
        Element<Value>::assign(key, *lent);
        return RETCODE_OK;
    }
    InstanceHandle_t lookup_instance(const Value &value) const {
        return dunlin98::lookup<C>(value, _handle, dunlin_reader_lookup);
    }

    const void *type_id() const { return dunlin98::type_id_of<C>(); }

protected:
    TypedDataReader() : _free(NULL), _lent(NULL) {}
    ~TypedDataReader() {
        end(_free);
        end(_lent);
    }
    bool is_lent() const {
        dunlin98::Lock lock(_lock);
        return _lent != NULL;
    }

private:
    enum { ROOM = 8192 };
    typedef int32_t (*Getter)(dunlin_reader, const dunlin_select *, dunlin_sample *, uint64_t,
                              uint64_t *);

    // What a read or a take is done with; it is used again.
    struct Batch {
        Sequence<dunlin_sample> samples;
        Values values;
        SampleInfoSeq infos;
        Batch *next;
    };

    static void end(Batch *batch) {
        while (batch != NULL) {
            Batch *next = batch->next;
            delete batch;
            batch = next;
        }
    }
    Batch *begin_batch(ULong room) {
        Batch *batch;
        {
            dunlin98::Lock lock(_lock);
            batch = _free;
            if (batch != NULL) {
                _free = batch->next;
            }
        }
        if (batch == NULL) {
            batch = new (std::nothrow) Batch();
        }
        if (batch != NULL && !batch->samples.reserve(room)) {
            end_batch(batch, false);
            return NULL;
        }
        return batch;
    }
    void end_batch(Batch *batch, bool is_lent) {
        dunlin98::Lock lock(_lock);
        Batch *&list = is_lent ? _lent : _free;
        batch->next = list;
        list = batch;
    }

    // A sample of an instance that was lent to the caller.
    const Value *find_lent(const InstanceHandle_t &handle) const {
        dunlin98::Lock lock(_lock);
        for (const Batch *batch = _lent; batch != NULL; batch = batch->next) {
            for (ULong i = 0; i < batch->infos.length(); i++) {
                if (batch->infos[i].instance_handle == handle) {
                    return &batch->values[i];
                }
            }
        }
        return NULL;
    }
    // A sample without valid data has the members of the key, as far as they are known.
    static bool decode(const dunlin_sample &sample, Value &to) {
        const size_t size = static_cast<size_t>(sample.length);
        if (sample.info.valid_data != 0) {
            return C::read(&to, sample.data, size, NULL);
        }
        if (sample.data == NULL || size <= 4 || !C::key_read(&to, sample.data, size, NULL)) {
            (void)C::reset(&to);
        }
        return true;
    }

    ReturnCode_t get(Getter getter, Values &values, SampleInfoSeq &infos, Long max_samples,
                     const dunlin_select &select) {
        const bool is_loan = values.maximum() == 0;
        ULong room = ROOM;
        if (max_samples >= 0 && max_samples < ROOM) {
            room = static_cast<ULong>(max_samples);
        }
        if (values.maximum() != infos.maximum() || values.length() != infos.length()
            || !values.has_ownership() || !infos.has_ownership()
            || (!is_loan && max_samples > 0
                && static_cast<ULong>(max_samples) > values.maximum())) {
            return RETCODE_PRECONDITION_NOT_MET;
        }
        if (!is_loan && values.maximum() < room) {
            room = values.maximum();
        }
        if (room == 0) {
            return RETCODE_NO_DATA;
        }
        Batch *batch = begin_batch(room);
        if (batch == NULL) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        uint64_t count = 0;
        dunlin_sample *samples = batch->samples.get_buffer();
        ReturnCode_t code = getter(_handle, &select, samples, room, &count);
        if (code == RETCODE_OK) {
            Values &into = is_loan ? batch->values : values;
            SampleInfoSeq &about = is_loan ? batch->infos : infos;
            code = fill(samples, static_cast<ULong>(count), into, about);
            (void)dunlin_give_back(_handle, samples, count);
        }
        const bool is_lent = code == RETCODE_OK && is_loan;
        if (is_lent) {
            Values &from = batch->values;
            (void)values.loan_contiguous(from.get_buffer(), from.length(), from.maximum());
            (void)infos.loan_contiguous(batch->infos.get_buffer(), batch->infos.length(),
                                        batch->infos.maximum());
        }
        end_batch(batch, is_lent);
        return code;
    }
    // What is no value of the type is left out.
    static ReturnCode_t fill(const dunlin_sample *samples, ULong count, Values &values,
                             SampleInfoSeq &infos) {
        ULong filled = 0;
        if (!values.length(count) || !infos.length(count)) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        for (ULong i = 0; i < count; i++) {
            if (decode(samples[i], values[filled])) {
                infos[filled++] = dunlin98::info_of(samples[i].info);
            }
        }
        (void)values.length(filled);
        (void)infos.length(filled);
        return filled > 0 ? RETCODE_OK : RETCODE_NO_DATA;
    }
    ReturnCode_t of_instance(Getter getter, Values &values, SampleInfoSeq &infos,
                             Long max_samples, int32_t which, const InstanceHandle_t &handle,
                             dunlin_select select) {
        select.which = which;
        std::memcpy(select.instance, handle.value, sizeof select.instance);
        return get(getter, values, infos, max_samples, select);
    }
    ReturnCode_t by_condition(Getter getter, Values &values, SampleInfoSeq &infos,
                              Long max_samples, ReadCondition *condition,
                              const InstanceHandle_t *previous) {
        if (condition == NULL) {
            return RETCODE_BAD_PARAMETER;
        }
        if (condition->get_datareader() != this) {
            return RETCODE_PRECONDITION_NOT_MET;
        }
        dunlin_select select = dunlin98::select_of(0, 0, 0);
        select.condition = condition->handle();
        return previous == NULL ? get(getter, values, infos, max_samples, select)
                                : of_instance(getter, values, infos, max_samples,
                                              DUNLIN_NEXT_INSTANCE, *previous, select);
    }
    ReturnCode_t next(Getter getter, Value &value, SampleInfo &info) {
        dunlin_select select =
            dunlin98::select_of(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
        dunlin_sample sample;
        uint64_t count = 0;
        for (;;) {
            std::memset(&sample, 0, sizeof sample);
            const ReturnCode_t code = getter(_handle, &select, &sample, 1, &count);
            if (code != RETCODE_OK) {
                return code;
            }
            const bool is_value = decode(sample, value);
            info = dunlin98::info_of(sample.info);
            (void)dunlin_give_back(_handle, &sample, 1);
            if (is_value) {
                return RETCODE_OK;
            }
        }
    }

    Batch *_free;
    Batch *_lent;
};

// What a `FooTypeSupport` does.
template <class C, class W, class R> class TypedSupport {
public:
    static const char *get_type_name() { return C::name(); }
    // Without a name the type has the one of the IDL.
    static ReturnCode_t register_type(DomainParticipant *participant, const char *name) {
        static const TypePlugin plugin = {C::name(), C::objects(), C::objects_size(),
                                          create_writer, create_reader};
        return participant == NULL
                   ? RETCODE_BAD_PARAMETER
                   : participant->register_plugin(&plugin, name == NULL ? C::name() : name);
    }
    // A value with the defaults of its members; NULL: there is no memory.
    static typename C::Value *create_data() {
        typename C::Value *value = new (std::nothrow) typename C::Value();
        if (value != NULL && !C::reset(value)) {
            delete value;
            value = NULL;
        }
        return value;
    }
    static ReturnCode_t delete_data(typename C::Value *value) {
        delete value;
        return RETCODE_OK;
    }

private:
    static DataWriter *create_writer() { return new (std::nothrow) W(); }
    static DataReader *create_reader() { return new (std::nothrow) R(); }
};

} // namespace DDS

#endif
