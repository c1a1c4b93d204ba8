// Strings that own their characters.
#ifndef DUNLIN_DDS98_STRING_HPP
#define DUNLIN_DDS98_STRING_HPP

#include "dunlin/dds98/basic.hpp"

namespace DDS {

// `string` of IDL: text that ends with NUL. A string for which there is no memory is empty.
class String {
public:
    String() : _text(NULL) {}
    // Copies the text; NULL is the empty string.
    String(const char *text) : _text(NULL) { assign(text); }
    String(const String &other) : _text(NULL) { assign(other._text); }
    ~String() { free(_text); }

    String &operator=(const String &other) {
        if (this != &other) {
            assign(other._text);
        }
        return *this;
    }
    String &operator=(const char *text) {
        assign(text);
        return *this;
    }

    const char *c_str() const { return _text == NULL ? "" : _text; }
    operator const char *() const { return c_str(); }
    ULong length() const { return static_cast<ULong>(std::strlen(c_str())); }

    // As the mapping of IDL passes strings: to be read, to be changed, and to be filled in with
    // memory of `string_alloc` or `string_dup`.
    const char *in() const { return c_str(); }
    char *&inout() { return _text; }
    char *&out() {
        free(_text);
        _text = NULL;
        return _text;
    }
    // Gives the text away, to be ended by `string_free`.
    char *_retn() {
        char *text = _text;
        _text = NULL;
        return text;
    }

    // False: there is no memory, and the string is empty.
    bool assign(const char *text) { return assign(text, text == NULL ? 0 : std::strlen(text)); }
    bool assign(const char *text, std::size_t length) {
        if (length == 0) {
            if (_text != NULL) {
                *_text = 0;
            }
            return true;
        }
        if (text == _text || dunlin_cdr_set_text(&_text, text, length)) {
            return true;
        }
        (void)out();
        return false;
    }

private:
    char *_text;
};

inline bool operator==(const String &one, const String &other) {
    return std::strcmp(one.c_str(), other.c_str()) == 0;
}
inline bool operator==(const String &one, const char *other) {
    return other != NULL && std::strcmp(one.c_str(), other) == 0;
}
inline bool operator==(const char *one, const String &other) { return other == one; }
inline bool operator!=(const String &one, const String &other) { return !(one == other); }
inline bool operator!=(const String &one, const char *other) { return !(one == other); }
inline bool operator!=(const char *one, const String &other) { return !(other == one); }
inline bool operator<(const String &one, const String &other) {
    return std::strcmp(one.c_str(), other.c_str()) < 0;
}

// Memory for a text of so many characters; NULL: there is none.
inline char *string_alloc(ULong length) {
    char *text = static_cast<char *>(malloc(static_cast<std::size_t>(length) + 1));
    if (text != NULL) {
        *text = 0;
    }
    return text;
}
inline char *string_dup(const char *text) {
    char *copy = text == NULL ? NULL : string_alloc(static_cast<ULong>(std::strlen(text)));
    return copy == NULL ? NULL : std::strcpy(copy, text);
}
inline void string_free(char *text) { free(text); }

// `wstring` of IDL: units of UTF-16, without an end.
class WString : public dunlin_wstring {
public:
    WString() { begin(); }
    WString(const WString &other) : dunlin_wstring() {
        begin();
        *this = other;
    }
    ~WString() { dunlin_wstring_free(this); }

    WString &operator=(const WString &other) {
        if (this != &other) {
            (void)assign(other._buffer, other._length);
        }
        return *this;
    }

    ULong length() const { return _length; }
    // The units; NULL if there are none.
    const WChar *data() const { return _buffer; }
    WChar &operator[](ULong at) { return _buffer[at]; }
    const WChar &operator[](ULong at) const { return _buffer[at]; }

    // False: there is no memory, and the string is empty.
    bool assign(const WChar *units, ULong count) {
        if (dunlin_cdr_set_wide(this, units, count)) {
            return true;
        }
        dunlin_wstring_free(this);
        return false;
    }

private:
    void begin() { std::memset(static_cast<dunlin_wstring *>(this), 0, sizeof(dunlin_wstring)); }
};

inline bool operator==(const WString &one, const WString &other) {
    return dunlin_wstring_equal(&one, &other);
}
inline bool operator!=(const WString &one, const WString &other) { return !(one == other); }
inline bool operator<(const WString &one, const WString &other) {
    return dunlin_wstring_order(&one, &other) < 0;
}

} // namespace DDS

#endif
