// The primitive types of IDL as C++ has them.
#ifndef DUNLIN_DDS98_BASIC_HPP
#define DUNLIN_DDS98_BASIC_HPP

#include <cstddef>
#include <cstring>
#include <new>

#include "dunlin/cdr.h"
#include "dunlin/key.h"

namespace DDS {

typedef bool Boolean;
typedef char Char;
typedef uint8_t Octet;
typedef int8_t Int8;
typedef uint8_t UInt8;
typedef int16_t Short;
typedef uint16_t UShort;
typedef int32_t Long;
typedef uint32_t ULong;
typedef int64_t LongLong;
typedef uint64_t ULongLong;
typedef float Float;
typedef double Double;
// A unit of UTF-16.
typedef uint16_t WChar;
// IEEE 754 binary128 in the byte order of this machine.
typedef dunlin_float128 LongDouble;

} // namespace DDS

#endif
