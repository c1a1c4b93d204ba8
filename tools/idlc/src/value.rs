//! Values of constant expressions.

use std::rc::Rc;

use dunlin_xtypes::TypeKind;

use crate::quad::Quad;

/// A floating point number in the precision of `double` and of `long double`. Both are computed,
/// for to round twice is not to round once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Float {
    pub(crate) double: f64,
    pub(crate) quad: Quad,
    /// It is a `long double`, so all of its bits count.
    pub(crate) is_quad: bool,
}

impl Float {
    pub(crate) fn parse(digits: &str) -> Option<Self> {
        let double: f64 = digits.parse().ok()?;
        let quad = Quad::parse(digits)?;
        Some(Self {
            double,
            quad,
            is_quad: false,
        })
    }
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i128),
    Float(Float),
    Boolean(bool),
    Char(u32),
    WideChar(u32),
    Text(Rc<str>),
    WideText(Rc<str>),
    /// A literal of an enumeration: the number of its type, and its own.
    Literal {
        ty: usize,
        value: i32,
        name: Rc<str>,
    },
    /// Bits of a bitmask: the number of its type, and the bits.
    Bits {
        ty: usize,
        bits: u64,
    },
    /// It was reported.
    Bad,
}

impl Value {
    /// What kind of value it is, for people.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a floating point number",
            Self::Boolean(_) => "a boolean",
            Self::Char(_) => "a character",
            Self::WideChar(_) => "a wide character",
            Self::Text(_) => "a string",
            Self::WideText(_) => "a wide string",
            Self::Literal { .. } => "a literal of an enum",
            Self::Bits { .. } => "a bitmask",
            Self::Bad => "nothing",
        }
    }

    /// The value as people write it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) if value.double.is_infinite() => {
                let bytes = value.quad.to_le_bytes();
                dunlin_xtypes::idl::constant(&dunlin_xtypes::Constant::Float128(bytes))
            }
            Self::Float(value) => format!("{:?}", value.double),
            Self::Boolean(true) => "TRUE".into(),
            Self::Boolean(false) => "FALSE".into(),
            Self::Char(value) => format!("{:?}", char::from_u32(*value).unwrap_or('?')),
            Self::WideChar(value) => format!("L{:?}", char::from_u32(*value).unwrap_or('?')),
            Self::Text(text) => format!("{text:?}"),
            Self::WideText(text) => format!("L{text:?}"),
            Self::Literal { name, .. } => name.to_string(),
            Self::Bits { bits, .. } => format!("{bits:#x}"),
            Self::Bad => "?".into(),
        }
    }
}

/// The least and the most that an integer of a kind can be.
pub(crate) fn range(kind: TypeKind) -> Option<(i128, i128)> {
    Some(match kind {
        TypeKind::Byte | TypeKind::UInt8 => (0, u8::MAX.into()),
        TypeKind::Int8 => (i8::MIN.into(), i8::MAX.into()),
        TypeKind::Int16 => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::UInt16 => (0, u16::MAX.into()),
        TypeKind::Int32 => (i32::MIN.into(), i32::MAX.into()),
        TypeKind::UInt32 => (0, u32::MAX.into()),
        TypeKind::Int64 => (i64::MIN.into(), i64::MAX.into()),
        TypeKind::UInt64 => (0, u64::MAX.into()),
        _ => return None,
    })
}
