// Writers of a type. `C` is the codec that is made of its IDL.
#ifndef DUNLIN_DDS98_TYPED_WRITER_HPP
#define DUNLIN_DDS98_TYPED_WRITER_HPP

#include "dunlin/dds98/typed_codec.hpp"

namespace DDS {

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
        if (C::shares(&value)) {
            return dunlin98::write_apart<C>(_handle, value, _representation, size, options);
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

    // Memory for a value that readers of this host see where it is; it holds whatever was there
    // before. `write_loan` or `discard_loan` ends it, one of them once. UNSUPPORTED: in the
    // writer's representation values of the type have to be encoded.
    ReturnCode_t loan(Value *&value) {
        dunlin_loan loan;
        if (!C::is_plain(_representation)) {
            return dunlin_typed_not_plain(_representation);
        }
        const std::size_t size = 4 + ((sizeof(Value) + 3) & ~static_cast<std::size_t>(3));
        std::memset(&loan, 0, sizeof loan);
        ReturnCode_t code = dunlin_loan_new(_handle, size, DUNLIN_SHARED, &loan);
        if (code != RETCODE_OK) {
            return code;
        }
        bool is_kept;
        {
            dunlin98::Lock lock(_lock);
            is_kept = _loans.push_back(loan);
        }
        if (!is_kept) {
            (void)dunlin_loan_discard(_handle, &loan);
            return dunlin_typed_no_memory();
        }
        dunlin_typed_plain(loan.data, _representation, sizeof(Value));
        value = value_of(loan);
        return RETCODE_OK;
    }
    // Writes the value of a loan, which is gone then.
    ReturnCode_t write_loan(Value *value, const InstanceHandle_t &handle) {
        return write_loan_w_timestamp(value, handle, TIME_INVALID);
    }
    ReturnCode_t write_loan_w_timestamp(Value *value, const InstanceHandle_t &handle,
                                        const Time_t &timestamp) {
        dunlin_loan loan;
        dunlin_write_options options = options_of(handle, timestamp);
        return take_loan(value, loan) ? dunlin_loan_write(_handle, &loan, &options) : no_loan();
    }
    // Gives a loan back without writing it.
    ReturnCode_t discard_loan(Value *value) {
        dunlin_loan loan;
        return take_loan(value, loan) ? dunlin_loan_discard(_handle, &loan) : no_loan();
    }

    const void *type_id() const { return dunlin98::type_id_of<C>(); }

protected:
    bool is_lent() const {
        dunlin98::Lock lock(_lock);
        return !_loans.empty();
    }

private:
    enum { NEAR = 4096 };

    static Value *value_of(const dunlin_loan &loan) {
        return static_cast<Value *>(static_cast<void *>(loan.data + 4));
    }
    bool take_loan(const Value *value, dunlin_loan &loan) {
        dunlin98::Lock lock(_lock);
        for (ULong i = 0; i < _loans.length(); i++) {
            if (value_of(_loans[i]) == value) {
                loan = _loans[i];
                _loans[i] = _loans[_loans.length() - 1];
                return _loans.length(_loans.length() - 1);
            }
        }
        return false;
    }
    static ReturnCode_t no_loan() {
        return dunlin98::refuse(RETCODE_PRECONDITION_NOT_MET,
                                "the value is no loan of this writer, or was written or discarded");
    }

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

    Sequence<dunlin_loan> _loans;
};

} // namespace DDS

#endif
