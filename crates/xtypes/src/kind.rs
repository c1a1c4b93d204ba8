//! The kinds of types.

/// The kind of a type (DDS-XTypes 1.3 7.2.2, 7.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the kinds are their names")]
pub enum TypeKind {
    Boolean,
    /// IDL's `octet`: 8 bits without a meaning. It differs from `UInt8`.
    Byte,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float32,
    Float64,
    Float128,
    Char8,
    Char16,
    /// UTF-8.
    String8,
    /// UTF-16.
    String16,
    Sequence,
    Array,
    Map,
    Alias,
    Enumeration,
    Bitmask,
    Bitset,
    Structure,
    Union,
}

impl TypeKind {
    /// The bytes of a primitive value; `None` if the kind is not primitive (DDS-XTypes 1.3
    /// 7.2.2.2).
    pub const fn size(self) -> Option<usize> {
        Some(match self {
            Self::Boolean | Self::Byte | Self::Int8 | Self::UInt8 | Self::Char8 => 1,
            Self::Int16 | Self::UInt16 | Self::Char16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 => 8,
            Self::Float128 => 16,
            _ => return None,
        })
    }

    /// The number of the kind in a TypeObject: `TK_BOOLEAN` and its kin. Strings and collections
    /// have those of the large bound.
    pub const fn octet(self) -> u8 {
        match self {
            Self::Boolean => 0x01,
            Self::Byte => 0x02,
            Self::Int16 => 0x03,
            Self::Int32 => 0x04,
            Self::Int64 => 0x05,
            Self::UInt16 => 0x06,
            Self::UInt32 => 0x07,
            Self::UInt64 => 0x08,
            Self::Float32 => 0x09,
            Self::Float64 => 0x0a,
            Self::Float128 => 0x0b,
            Self::Int8 => 0x0c,
            Self::UInt8 => 0x0d,
            Self::Char8 => 0x10,
            Self::Char16 => 0x11,
            Self::Alias => 0x30,
            Self::Enumeration => 0x40,
            Self::Bitmask => 0x41,
            Self::Structure => 0x51,
            Self::Union => 0x52,
            Self::Bitset => 0x53,
            Self::String8 => 0x71,
            Self::String16 => 0x73,
            Self::Sequence => 0x81,
            Self::Array => 0x91,
            Self::Map => 0xa1,
        }
    }

    /// Its name in IDL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Byte => "octet",
            Self::Int8 => "int8",
            Self::UInt8 => "uint8",
            Self::Int16 => "int16",
            Self::UInt16 => "uint16",
            Self::Int32 => "int32",
            Self::UInt32 => "uint32",
            Self::Int64 => "int64",
            Self::UInt64 => "uint64",
            Self::Float32 => "float",
            Self::Float64 => "double",
            Self::Float128 => "long double",
            Self::Char8 => "char",
            Self::Char16 => "wchar",
            Self::String8 => "string",
            Self::String16 => "wstring",
            Self::Sequence => "sequence",
            Self::Array => "array",
            Self::Map => "map",
            Self::Alias => "typedef",
            Self::Enumeration => "enum",
            Self::Bitmask => "bitmask",
            Self::Bitset => "bitset",
            Self::Structure => "struct",
            Self::Union => "union",
        }
    }

    /// The least and the largest number that an integer of the kind can be, as
    /// [`Case::labels`](crate::Case::labels) have it; `None` if it is no integer, boolean or
    /// character.
    pub(crate) const fn range(self) -> Option<(i64, i64)> {
        Some(match self {
            Self::Boolean => (0, 1),
            Self::Byte | Self::UInt8 | Self::Char8 => (0, u8::MAX as i64),
            Self::Int8 => (i8::MIN as i64, i8::MAX as i64),
            Self::UInt16 | Self::Char16 => (0, u16::MAX as i64),
            Self::Int16 => (i16::MIN as i64, i16::MAX as i64),
            Self::UInt32 => (0, u32::MAX as i64),
            Self::Int32 => (i32::MIN as i64, i32::MAX as i64),
            Self::Int64 | Self::UInt64 => (i64::MIN, i64::MAX),
            _ => return None,
        })
    }
}
