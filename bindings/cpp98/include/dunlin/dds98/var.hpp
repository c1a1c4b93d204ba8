// Pointers as the mapping of IDL to C++ has them: `Foo_ptr` and `Foo_var`.
#ifndef DUNLIN_DDS98_VAR_HPP
#define DUNLIN_DDS98_VAR_HPP

#include "dunlin/dds98/sequence.hpp"

namespace DDS {

// A `Foo_var` of a value: it owns what it points to, which `new` or `create_data` made.
template <class T> class Var {
public:
    Var() : _value(NULL) {}
    Var(T *value) : _value(value) {}
    Var(const Var &other) : _value(NULL) { *this = other; }
    ~Var() { delete _value; }

    Var &operator=(T *value) {
        if (value != _value) {
            delete _value;
            _value = value;
        }
        return *this;
    }
    // Copies the value. Without memory for it there is none.
    Var &operator=(const Var &other) {
        if (this != &other) {
            delete _value;
            _value = other._value == NULL ? NULL : new (std::nothrow) T(*other._value);
        }
        return *this;
    }

    T *operator->() const { return _value; }
    T &operator*() const { return *_value; }
    operator T &() const { return *_value; }
    T *ptr() const { return _value; }
    const T &in() const { return *_value; }
    T &inout() { return *_value; }
    T *&out() {
        delete _value;
        _value = NULL;
        return _value;
    }
    // Gives the value away.
    T *_retn() {
        T *value = _value;
        _value = NULL;
        return value;
    }

private:
    T *_value;
};

// A `Foo_var` of an entity: a pointer. What is created belongs to what created it.
template <class T> class EntityVar {
public:
    EntityVar() : _entity(NULL) {}
    EntityVar(T *entity) : _entity(entity) {}

    T *operator->() const { return _entity; }
    operator T *() const { return _entity; }
    T *ptr() const { return _entity; }
    T *in() const { return _entity; }
    T *&inout() { return _entity; }
    T *&out() {
        _entity = NULL;
        return _entity;
    }
    T *_retn() {
        T *entity = _entity;
        _entity = NULL;
        return entity;
    }

private:
    T *_entity;
};

} // namespace DDS

#endif
