// Conditions and wait sets (DDS 1.4 2.2.2.1.6 to 2.2.2.1.9).
#ifndef DUNLIN_DDS98_CONDITION_HPP
#define DUNLIN_DDS98_CONDITION_HPP

#include "dunlin/dds98/entity.hpp"

namespace DDS {

typedef Sequence<Condition *> ConditionSeq;

class Condition {
public:
    Boolean get_trigger_value() const {
        uint8_t value = 0;
        (void)dunlin_condition_value(_handle, &value);
        return value != 0;
    }
    // For functions of `dunlin.h`.
    dunlin_handle handle() const { return _handle; }

protected:
    Condition() : _handle(0) {}
    virtual ~Condition() {}
    ReturnCode_t begin(dunlin_handle handle) {
        _handle = handle;
        return dunlin98::attach(handle, this);
    }

    dunlin_handle _handle;

private:
    Condition(const Condition &);
    Condition &operator=(const Condition &);

    // Nothing is to be given back before it ends.
    void finish() {}

    friend class WaitSet;
    friend class DataReader;
    template <class T> friend void dunlin98::discard(T *);
};

// A condition that the application sets. It may be on the stack.
class GuardCondition : public Condition {
public:
    GuardCondition() {
        dunlin_handle handle = 0;
        if (dunlin_guard_new(&handle) == DUNLIN_OK) {
            (void)begin(handle);
        }
    }
    ~GuardCondition() { (void)dunlin_close(_handle); }
    ReturnCode_t set_trigger_value(Boolean value) { return dunlin_guard_set(_handle, value); }
};

// True while a status of its mask has changed. It belongs to its entity.
class StatusCondition : public Condition {
public:
    StatusMask get_enabled_statuses() const {
        StatusMask mask = STATUS_MASK_NONE;
        (void)dunlin_status_condition_mask(_handle, NULL, &mask);
        return mask;
    }
    ReturnCode_t set_enabled_statuses(StatusMask mask) {
        return dunlin_status_condition_mask(_handle, &mask, NULL);
    }
    Entity *get_entity() const { return _entity; }

private:
    explicit StatusCondition(Entity *entity) : _entity(entity) {}
    ~StatusCondition() {}

    Entity *_entity;

    friend class Entity;
};

// True while its reader has samples in these states. It belongs to its reader.
class ReadCondition : public Condition {
public:
    DataReader *get_datareader() const { return _reader; }
    SampleStateMask get_sample_state_mask() const { return _select.sample_states; }
    ViewStateMask get_view_state_mask() const { return _select.view_states; }
    InstanceStateMask get_instance_state_mask() const { return _select.instance_states; }

protected:
    ReadCondition(DataReader *reader, const dunlin_select &select)
        : _reader(reader), _next(NULL), _select(select) {}
    ~ReadCondition() {}

    DataReader *_reader;
    ReadCondition *_next;
    dunlin_select _select;

    friend class DataReader;
};

// The same of samples whose content an expression describes.
class QueryCondition : public ReadCondition {
public:
    const char *get_query_expression() const { return _expression.c_str(); }
    ReturnCode_t get_query_parameters(StringSeq &parameters) const {
        return parameters.from_array(_parameters.get_buffer(), _parameters.length())
                   ? RETCODE_OK
                   : RETCODE_OUT_OF_RESOURCES;
    }
    ReturnCode_t set_query_parameters(const StringSeq &parameters) {
        const dunlin98::Texts texts(parameters);
        if (!texts.is_whole) {
            return RETCODE_OUT_OF_RESOURCES;
        }
        const ReturnCode_t code =
            dunlin_query_parameters_set(_handle, texts.data(), texts.count());
        if (code == RETCODE_OK) {
            _parameters = parameters;
        }
        return code;
    }

private:
    QueryCondition(DataReader *reader, const dunlin_select &select, const char *expression,
                   const StringSeq &parameters)
        : ReadCondition(reader, select), _expression(expression), _parameters(parameters) {}
    ~QueryCondition() {}

    String _expression;
    StringSeq _parameters;

    friend class DataReader;
};

// Waits for conditions, and receives meanwhile. It may be on the stack.
class WaitSet {
public:
    WaitSet() : _handle(0) { (void)dunlin_waitset_new(&_handle); }
    ~WaitSet() { (void)dunlin_close(_handle); }

    ReturnCode_t attach_condition(Condition *condition) {
        return condition == NULL ? dunlin98::refuse(RETCODE_BAD_PARAMETER, "the condition is NULL")
                                 : dunlin_waitset_attach(_handle, condition->_handle);
    }
    ReturnCode_t detach_condition(Condition *condition) {
        return condition == NULL ? dunlin98::refuse(RETCODE_BAD_PARAMETER, "the condition is NULL")
                                 : dunlin_waitset_detach(_handle, condition->_handle);
    }
    // Until one of the conditions is true: TIMEOUT if none is by then.
    ReturnCode_t wait(ConditionSeq &active, const Duration_t &timeout) {
        dunlin_condition handles[64];
        uint64_t count = 0;
        active.clear();
        const ReturnCode_t code =
            dunlin_waitset_wait(_handle, to_nanoseconds(timeout), handles, 64, &count);
        // More than there is room for are told by the next call.
        return code != RETCODE_OK ? code : give(active, handles, count < 64 ? count : 64);
    }
    ReturnCode_t get_conditions(ConditionSeq &attached) const {
        Sequence<dunlin_condition> handles;
        uint64_t count = 0;
        attached.clear();
        do {
            if (!handles.length(static_cast<ULong>(count))) {
                return RETCODE_OUT_OF_RESOURCES;
            }
            const ReturnCode_t code = dunlin_waitset_conditions(_handle, handles.get_buffer(),
                                                                handles.length(), &count);
            if (code != RETCODE_OK) {
                return code;
            }
        } while (count > handles.length());
        return give(attached, handles.get_buffer(), count);
    }
    // For functions of `dunlin.h`.
    dunlin_handle handle() const { return _handle; }

private:
    WaitSet(const WaitSet &);
    WaitSet &operator=(const WaitSet &);

    static ReturnCode_t give(ConditionSeq &to, const dunlin_condition *handles, uint64_t count) {
        for (uint64_t i = 0; i < count; i++) {
            Condition *condition = dunlin98::object<Condition>(handles[i]);
            if (condition != NULL && !to.push_back(condition)) {
                return RETCODE_OUT_OF_RESOURCES;
            }
        }
        return RETCODE_OK;
    }

    dunlin_waitset _handle;
};

inline Entity::~Entity() {
    end_all();
    delete _condition;
}

inline ReturnCode_t Entity::enable() {
    const ReturnCode_t code = dunlin_enable(_handle);
    if (code == RETCODE_OK && _autoenable) {
        Entity *child;
        {
            dunlin98::Lock lock(_lock);
            child = _first;
        }
        for (; child != NULL; child = child->_next) {
            (void)child->enable();
        }
    }
    return code;
}

inline StatusCondition *Entity::get_statuscondition() {
    dunlin_handle handle = 0;
    {
        dunlin98::Lock lock(_lock);
        if (_condition != NULL) {
            return _condition;
        }
    }
    if (dunlin_status_condition(_handle, &handle) != DUNLIN_OK) {
        return NULL;
    }
    StatusCondition *made = new (std::nothrow) StatusCondition(this);
    if (made == NULL) {
        return NULL;
    }
    made->_handle = handle;
    StatusCondition *there;
    {
        dunlin98::Lock lock(_lock);
        there = _condition;
        if (there == NULL) {
            _condition = made;
        }
    }
    if (there != NULL) {
        delete made;
        return there;
    }
    return made->begin(handle) == RETCODE_OK ? made : NULL;
}

} // namespace DDS

#endif
