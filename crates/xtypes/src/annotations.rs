//! What annotations say about a member that neither its type nor its encoding says.

use alloc::boxed::Box;

/// A value in an annotation: `@default`, `@min`, `@max`.
#[derive(Clone, Debug)]
pub enum Constant {
    /// A boolean.
    Boolean(bool),
    /// An integer or octet, the value of an enumeration's literal, the bits of a bitmask.
    Integer(i128),
    /// A `float` or `double`.
    Float(f64),
    /// A `long double`: IEEE 754 binary128, little endian.
    Float128([u8; 16]),
    /// A `char`.
    Char8(u8),
    /// A `wchar`: a UTF-16 unit.
    Char16(u16),
    /// A `string`.
    String8(Box<str>),
    /// A `wstring`.
    String16(Box<str>),
}

/// Floating point numbers are equal if they have the same bits.
impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits(),
            (Self::Float128(one), Self::Float128(other)) => one == other,
            (Self::Char8(one), Self::Char8(other)) => one == other,
            (Self::Char16(one), Self::Char16(other)) => one == other,
            (Self::String8(one), Self::String8(other)) => one == other,
            (Self::String16(one), Self::String16(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Constant {}

/// Annotations of a member, a case, a discriminator or an alias (DDS-XTypes 1.3 7.2.2.4.8,
/// 7.3.1.2.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `@default`: its value where a sender lacks it.
    pub default: Option<Constant>,
    /// `@min`, or that of `@range`.
    pub min: Option<Constant>,
    /// `@max`, or that of `@range`.
    pub max: Option<Constant>,
    /// `@unit`.
    pub unit: Option<Box<str>>,
    /// `@hashid`: the text that the id comes from; empty if it is the name.
    pub hash_id: Option<Box<str>>,
}

impl Annotations {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Most members have none, so they take a pointer only.
pub(crate) type Annotated = Option<Box<Annotations>>;

pub(crate) fn annotated(annotations: Annotations) -> Annotated {
    (!annotations.is_empty()).then(|| Box::new(annotations))
}
