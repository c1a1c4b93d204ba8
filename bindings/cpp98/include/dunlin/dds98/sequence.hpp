// Sequences, entries of maps, and members that are held by a pointer.
#ifndef DUNLIN_DDS98_SEQUENCE_HPP
#define DUNLIN_DDS98_SEQUENCE_HPP

#include "dunlin/dds98/string.hpp"

namespace DDS {

// What is done with an element in memory of its own. Types of IDL may be moved as bytes.
template <class T> struct Element {
    static void construct(T *at) { new (static_cast<void *>(at)) T(); }
    static void destroy(T *at) { at->~T(); }
    static void assign(T &to, const T &from) { to = from; }
};

template <class T, std::size_t N> struct Element<T[N]> {
    static void construct(T (*at)[N]) {
        for (std::size_t i = 0; i < N; i++) {
            Element<T>::construct(&(*at)[i]);
        }
    }
    static void destroy(T (*at)[N]) {
        for (std::size_t i = 0; i < N; i++) {
            Element<T>::destroy(&(*at)[i]);
        }
    }
    static void assign(T (&to)[N], const T (&from)[N]) {
        for (std::size_t i = 0; i < N; i++) {
            Element<T>::assign(to[i], from[i]);
        }
    }
};

// What only octets have beside their elements: the counted octets that these are, 0 for none.
template <class T> struct Counted {
    bool is_counted() const { return false; }
    void count_none() {}
};

template <> struct Counted<Octet> {
    Counted() : _octets(0) {}
    bool is_counted() const { return _octets != 0; }
    void count_none() { _octets = 0; }
    uint64_t _octets;
};

// `sequence<T>` of IDL. It owns its elements, unless they are lent to it: by `loan_contiguous`,
// or by a read or a take, until `return_loan`.
template <class T> class Sequence : public Counted<T> {
public:
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;

    Sequence() : _maximum(0), _length(0), _buffer(NULL), _release(true) {}
    explicit Sequence(ULong maximum) : _maximum(0), _length(0), _buffer(NULL), _release(true) {
        (void)reserve(maximum);
    }
    Sequence(const Sequence &other)
        : Counted<T>(), _maximum(0), _length(0), _buffer(NULL), _release(true) {
        *this = other;
    }
    ~Sequence() { end_own(); }

    // Copies the elements. Without memory for all of them the sequence is empty.
    Sequence &operator=(const Sequence &other) {
        if (this != &other) {
            (void)from_array(other._buffer, other._length);
        }
        return *this;
    }

    ULong length() const { return _length; }
    ULong size() const { return _length; }
    ULong maximum() const { return _maximum; }
    bool empty() const { return _length == 0; }

    // Another length; new elements are zero. False: there is no memory, or what is lent has no
    // room; then the length is as it was.
    bool length(ULong count) {
        uncount();
        if (!_release) {
            if (count > _maximum) {
                return false;
            }
            _length = count;
            return true;
        }
        if (!reserve(count)) {
            return false;
        }
        for (; _length > count; _length--) {
            Element<T>::destroy(&_buffer[_length - 1]);
        }
        for (; _length < count; _length++) {
            Element<T>::construct(&_buffer[_length]);
        }
        return true;
    }
    // The same, with room for at least `maximum` elements.
    bool ensure_length(ULong count, ULong maximum) {
        return (!_release || reserve(maximum)) && length(count);
    }
    // Room for so many elements.
    bool reserve(ULong maximum) {
        uncount();
        if (maximum <= _maximum) {
            return true;
        }
        void *made = _release ? dunlin_cdr_grown(static_cast<void *>(_buffer), maximum, sizeof(T))
                              : NULL;
        if (made == NULL) {
            return false;
        }
        _buffer = static_cast<T *>(made);
        _maximum = maximum;
        return true;
    }
    bool push_back(const T &element) {
        if (_length == _maximum && !reserve(_length < 8 ? 8 : _length * 2)) {
            return false;
        }
        if (!length(_length + 1)) {
            return false;
        }
        Element<T>::assign(_buffer[_length - 1], element);
        return true;
    }
    void clear() { (void)length(0); }

    T &operator[](ULong at) { return _buffer[at]; }
    const T &operator[](ULong at) const { return _buffer[at]; }
    iterator begin() { return _buffer; }
    iterator end() { return _buffer + _length; }
    const_iterator begin() const { return _buffer; }
    const_iterator end() const { return _buffer + _length; }
    // The elements, which stay the sequence's; NULL if there are none.
    T *get_buffer() { return _buffer; }
    const T *get_buffer() const { return _buffer; }
    T *get_contiguous_buffer() { return _buffer; }
    T *get_reference(ULong at) { return at < _length ? &_buffer[at] : NULL; }

    bool from_array(const T *elements, ULong count) {
        if (!length(count)) {
            clear();
            return false;
        }
        for (ULong i = 0; i < count; i++) {
            Element<T>::assign(_buffer[i], elements[i]);
        }
        return true;
    }

    // Elements of the application, which outlive the loan. False if the sequence has some.
    bool loan_contiguous(T *elements, ULong count, ULong maximum) {
        if (_maximum > 0 || count > maximum) {
            return false;
        }
        _buffer = elements;
        _length = count;
        _maximum = maximum;
        _release = false;
        return true;
    }
    bool unloan() {
        if (_release) {
            return false;
        }
        _buffer = NULL;
        _length = 0;
        _maximum = 0;
        _release = true;
        this->count_none();
        return true;
    }
    bool has_ownership() const { return _release; }
    // Ends what the sequence has, and lends it these elements.
    void replace(ULong maximum, ULong count, T *elements) {
        end_own();
        _buffer = elements;
        _length = count;
        _maximum = maximum;
        _release = false;
    }

    // For the codecs, which read into these.
    ULong _maximum;
    ULong _length;
    T *_buffer;
    bool _release;

private:
    // Counted octets are not written to: the sequence has none of them then.
    void uncount() {
        if (this->is_counted()) {
            (void)unloan();
        }
    }
    void end_own() {
        if (_release) {
            clear();
            free(static_cast<void *>(_buffer));
        }
        _buffer = NULL;
        _length = 0;
        _maximum = 0;
        _release = true;
        this->count_none();
    }
};

typedef Sequence<Boolean> BooleanSeq;
typedef Sequence<Char> CharSeq;
typedef Sequence<Octet> OctetSeq;
typedef Sequence<Short> ShortSeq;
typedef Sequence<UShort> UShortSeq;
typedef Sequence<Long> LongSeq;
typedef Sequence<ULong> ULongSeq;
typedef Sequence<LongLong> LongLongSeq;
typedef Sequence<ULongLong> ULongLongSeq;
typedef Sequence<Float> FloatSeq;
typedef Sequence<Double> DoubleSeq;
typedef Sequence<String> StringSeq;

// An entry of `map<K, V>`, which is a sequence of them, ascending by key when it was read.
template <class K, class V> struct MapEntry {
    K key;
    V value;
};

// An `@optional` or `@external` member: a pointer that owns what it points to. NULL is absent.
template <class T> class Owned {
public:
    Owned() : _value(NULL) {}
    Owned(const Owned &other) : _value(NULL) { *this = other; }
    ~Owned() { clear(); }

    // Copies the value. Without memory for it there is none.
    Owned &operator=(const Owned &other) {
        if (this == &other) {
            return *this;
        }
        if (other._value == NULL || !make()) {
            clear();
        } else {
            Element<T>::assign(*_value, *other._value);
        }
        return *this;
    }
    // There is a value, and it is this one.
    Owned &operator=(const T &value) {
        if (make()) {
            Element<T>::assign(*_value, value);
        }
        return *this;
    }

    operator T *() const { return _value; }
    T &operator*() const { return *_value; }
    T *operator->() const { return _value; }
    T *get() const { return _value; }

    // Makes a value of zeros, unless there is one. False: there is no memory.
    bool make() {
        if (_value == NULL) {
            _value = static_cast<T *>(malloc(sizeof(T)));
            if (_value == NULL) {
                return false;
            }
            Element<T>::construct(_value);
        }
        return true;
    }
    void clear() {
        if (_value != NULL) {
            Element<T>::destroy(_value);
            free(static_cast<void *>(_value));
            _value = NULL;
        }
    }

private:
    T *_value;
};

} // namespace DDS

#endif
