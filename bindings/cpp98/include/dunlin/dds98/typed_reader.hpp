// Readers of a type. `C` is the codec that is made of its IDL.
#ifndef DUNLIN_DDS98_TYPED_READER_HPP
#define DUNLIN_DDS98_TYPED_READER_HPP

#include "dunlin/dds98/typed_codec.hpp"

namespace DDS {

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
        return next(dunlin_take_next, value, info);
    }
    ReturnCode_t read_next_sample(Value &value, SampleInfo &info) {
        return next(dunlin_read_next, value, info);
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
                return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                        "the sequences were not lent together by this reader");
            }
            *at = batch->next;
        }
        give_back(*batch);
        (void)values.unloan();
        (void)infos.unloan();
        end_batch(batch, false);
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
    enum { ROOM = 8192, NEAR = 4096 };
    typedef int32_t (*Getter)(dunlin_reader, const dunlin_select *, dunlin_sample *, uint64_t,
                              uint64_t *);
    typedef int32_t (*NextGetter)(dunlin_reader, const dunlin_select *, uint8_t *, uint64_t,
                                  dunlin_sample *);

    // What a read or a take is done with; it is used again.
    struct Batch {
        Batch() : held(0), reader(0), next(NULL) {}
        Sequence<dunlin_sample> samples;
        Values values;
        SampleInfoSeq infos;
        // So many samples stay, since large octets of the values lie in them.
        uint64_t held;
        dunlin_reader reader;
        Batch *next;
        // The payload of a sample that was alone.
        uint8_t near[NEAR];
    };

    static void give_back(Batch &batch) {
        if (batch.held > 0) {
            (void)dunlin_give_back(batch.reader, batch.samples.get_buffer(), batch.held);
            batch.held = 0;
        }
    }
    static void end(Batch *batch) {
        while (batch != NULL) {
            Batch *next = batch->next;
            give_back(*batch);
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
    static bool decode(const dunlin_sample &sample, Value &to, bool lends,
                       dunlin_cdr_fault &fault) {
        const size_t size = static_cast<size_t>(sample.length);
        if (sample.info.valid_data != 0) {
            return lends ? C::lend(&to, sample.data, size, &fault)
                         : C::read(&to, sample.data, size, &fault);
        }
        if (sample.data == NULL || size <= 4 || !C::key_read(&to, sample.data, size, NULL)) {
            (void)C::reset(&to);
        }
        return true;
    }

    ReturnCode_t get(Getter getter, Values &values, SampleInfoSeq &infos, Long max_samples,
                     dunlin_select select) {
        const bool is_loan = values.maximum() == 0;
        ULong room = ROOM;
        if (max_samples >= 0 && max_samples < ROOM) {
            room = static_cast<ULong>(max_samples);
        }
        if (values.maximum() != infos.maximum() || values.length() != infos.length()
            || !values.has_ownership() || !infos.has_ownership()
            || (!is_loan && max_samples > 0
                && static_cast<ULong>(max_samples) > values.maximum())) {
            return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                    "the two sequences differ in length or room, are lent, or have "
                                    "less room than max_samples");
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
        select.flags |= DUNLIN_DECODES;
        ReturnCode_t code = pull(getter, select, *batch, room, count);
        if (code == RETCODE_OK) {
            Values &into = is_loan ? batch->values : values;
            SampleInfoSeq &about = is_loan ? batch->infos : infos;
            const bool lends = is_loan && C::lends;
            code = fill(samples, count, into, about, lends);
            const bool is_copied = count == 1 && samples[0].token == 0;
            if (lends && code == RETCODE_OK) {
                batch->held = is_copied ? 0 : count;
                batch->reader = _handle;
            } else if (!is_copied) {
                (void)dunlin_give_back(_handle, samples, count);
            }
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
    // Mostly there is one sample: the library copies it, and there is nothing to give back.
    ReturnCode_t pull(Getter getter, dunlin_select &select, Batch &batch, ULong room,
                      uint64_t &count) {
        dunlin_sample *samples = batch.samples.get_buffer();
        if (getter == dunlin_take && select.which == DUNLIN_ANY_INSTANCE
            && select.condition == 0) {
            select.flags |= DUNLIN_IF_SOLE;
            const ReturnCode_t code =
                dunlin_take_next(_handle, &select, batch.near, sizeof batch.near, samples);
            if (code != RETCODE_OK || (samples[0].flags & DUNLIN_SAMPLE_SEVERAL) == 0) {
                count = 1;
                return code;
            }
            select.flags &= ~static_cast<uint32_t>(DUNLIN_IF_SOLE);
        }
        return getter(_handle, &select, samples, room, &count);
    }
    // What is no value of the type is left out, also of the samples.
    ReturnCode_t fill(dunlin_sample *samples, uint64_t &count, Values &values,
                      SampleInfoSeq &infos, bool lends) const {
        const ULong came = static_cast<ULong>(count);
        ULong filled = 0;
        dunlin_cdr_fault fault;
        if (!values.length(came) || !infos.length(came)) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        for (ULong i = 0; i < came; i++) {
            if (decode(samples[i], values[filled], lends, fault)) {
                infos[filled] = dunlin98::info_of(samples[i].info);
                if (filled != i) {
                    samples[filled] = samples[i];
                }
                filled++;
            } else {
                dunlin_typed_reject(_handle, &samples[i], &fault);
            }
        }
        count = filled;
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
            return dunlin98::refuse(RETCODE_BAD_PARAMETER, "the condition is NULL");
        }
        if (condition->get_datareader() != this) {
            return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                    "the condition is another reader's");
        }
        dunlin_select select = dunlin98::select_of(0, 0, 0);
        select.condition = condition->handle();
        return previous == NULL ? get(getter, values, infos, max_samples, select)
                                : of_instance(getter, values, infos, max_samples,
                                              DUNLIN_NEXT_INSTANCE, *previous, select);
    }
    // Small payloads are copied here, so that there is nothing to give back.
    ReturnCode_t next(NextGetter getter, Value &value, SampleInfo &info) {
        const dunlin_select select =
            dunlin98::select_of(NOT_READ_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE);
        dunlin_sample sample;
        uint8_t near[NEAR];
        for (;;) {
            const ReturnCode_t code = getter(_handle, &select, near, sizeof near, &sample);
            if (code != RETCODE_OK) {
                return code;
            }
            dunlin_cdr_fault fault;
            if (decode(sample, value, false, fault)) {
                info = dunlin98::info_of(sample.info);
                if (sample.token != 0) {
                    (void)dunlin_give_back(_handle, &sample, 1);
                }
                return RETCODE_OK;
            }
            dunlin_typed_reject(_handle, &sample, &fault);
        }
    }

    Batch *_free;
    Batch *_lent;
};

} // namespace DDS

#endif
