//! Values that an expression or its parameters state, and what they are to a member.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use dunlin_xtypes::DynamicType;

use crate::value::{Number, Value};

/// A value as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Integer(Number),
    Float(f64),
    Boolean(bool),
    /// A string, a character or the name of an enumerator, without its quotes.
    Text(String),
}

/// A number as the grammar has it: decimal, `0x` and hexadecimal, or with a point or an exponent.
pub(crate) fn number(text: &str) -> Option<Literal> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let hex = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hex {
        Some(hex) if hex.starts_with('+') => return None,
        Some(hex) => Some(u64::from_str_radix(hex, 16).ok()?),
        None => digits.parse::<u64>().ok(),
    };
    if let Some(magnitude) = magnitude {
        let number = match negative {
            true => Number::negative(magnitude)?,
            false => Number::from(magnitude),
        };
        return Some(Literal::Integer(number));
    }
    let float: f64 = digits.parse().ok()?;
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let finite = float.is_finite() && digits.chars().all(plain);
    finite.then_some(Literal::Float(if negative { -float } else { float }))
}

/// What kind of values a member has.
#[derive(Debug, Clone)]
pub(crate) enum Class {
    Integer,
    /// Of 32 bits.
    Single,
    /// Of 64 bits.
    Double,
    Boolean,
    Character,
    Text,
    /// Of one tree with all others.
    Enumeration(DynamicType),
}

impl Class {
    /// May values of both be compared with each other?
    pub(crate) fn suits(&self, other: &Self) -> bool {
        use Class::{Boolean, Character, Double, Enumeration, Integer, Single, Text};
        match (self, other) {
            (Integer | Single | Double, Integer | Single | Double)
            | (Boolean, Boolean)
            | (Character, Character)
            | (Text, Text) => true,
            (Enumeration(one), Enumeration(other)) => one.index() == other.index(),
            (Enumeration(_), Integer) | (Integer, Enumeration(_)) => true,
            _ => false,
        }
    }

    /// What it is to people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Integer => "an integer".to_owned(),
            Self::Single | Self::Double => "a floating point number".to_owned(),
            Self::Boolean => "a boolean (TRUE or FALSE)".to_owned(),
            Self::Character => "a character, such as 'a'".to_owned(),
            Self::Text => "a string, such as 'text'".to_owned(),
            Self::Enumeration(of) => format!("an enumerator of {}", of.name()),
        }
    }

    /// The value that the literal is to such a member.
    pub(crate) fn constant(&self, literal: &Literal) -> Option<Constant> {
        Some(match (self, literal) {
            (Self::Integer | Self::Single | Self::Double, Literal::Integer(n)) => {
                Constant::Number(*n)
            }
            // In the precision of the member, or nothing would be equal to 0.1.
            (Self::Single, Literal::Float(float)) => Constant::Float(f64::from(*float as f32)),
            (Self::Integer | Self::Double, Literal::Float(float)) => Constant::Float(*float),
            (Self::Boolean, Literal::Boolean(boolean)) => Constant::Boolean(*boolean),
            (Self::Boolean, Literal::Integer(n)) => Constant::Boolean(match n {
                Number::Signed(0) => false,
                Number::Signed(1) => true,
                _ => return None,
            }),
            (Self::Character, Literal::Text(text)) => {
                let mut chars = text.chars();
                let only = chars.next().filter(|_| chars.next().is_none())?;
                Constant::Character(only.into())
            }
            (Self::Text, Literal::Text(text)) => Constant::Text(text.clone()),
            (Self::Enumeration(_), Literal::Integer(n)) => Constant::Number(*n),
            (Self::Enumeration(of), Literal::Text(name)) => enumerator(of, name)?,
            _ => return None,
        })
    }

    /// The value that a parameter is to such a member; strings may have quotes or not.
    pub(crate) fn parameter(&self, text: &str) -> Option<Constant> {
        let trimmed = text.trim();
        let literal = match self {
            Self::Character | Self::Text => Literal::Text(unquoted(text).into()),
            Self::Enumeration(_) => match number(trimmed) {
                Some(literal) => literal,
                None => Literal::Text(unquoted(trimmed).into()),
            },
            Self::Boolean if trimmed.eq_ignore_ascii_case("true") => Literal::Boolean(true),
            Self::Boolean if trimmed.eq_ignore_ascii_case("false") => Literal::Boolean(false),
            _ => number(trimmed)?,
        };
        self.constant(&literal)
    }
}

/// The enumerator of this name.
pub(crate) fn enumerator(of: &DynamicType, name: &str) -> Option<Constant> {
    let mut literals = of.literals().iter();
    let literal = literals.find(|literal| literal.name() == name)?;
    Some(Constant::Number(Number::Signed(literal.value().into())))
}

fn unquoted(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = |first, last| trimmed.strip_prefix(first)?.strip_suffix(last);
    inner('\'', '\'')
        .or_else(|| inner('`', '\''))
        .or_else(|| inner('"', '"'))
        .unwrap_or(text)
}

/// A literal or parameter as a value of its member's class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Constant {
    Number(Number),
    Float(f64),
    Boolean(bool),
    Character(u32),
    Text(String),
}

impl Constant {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Number(number) => Value::Number(*number),
            Self::Float(float) => Value::Float(*float),
            Self::Boolean(boolean) => Value::Boolean(*boolean),
            Self::Character(character) => Value::Character(*character),
            Self::Text(text) => Value::Text(text.as_bytes()),
        }
    }
}
