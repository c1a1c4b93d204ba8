//! Values and the types that they are for.

use dunlin_xtypes::TypeKind;

use super::Resolver;
use super::types::{NamedKind, Ty};
use crate::report::{Report, codes};
use crate::source::Span;
use crate::value::{Float, Value, range};

impl Resolver<'_, '_> {
    /// The value as one of the type; `None` after a report, and for types that are not known.
    pub(super) fn fit(&mut self, value: Value, ty: &Ty, span: Span, what: &str) -> Option<Value> {
        let behind = self.behind(ty);
        if value == Value::Bad || behind == Ty::Bad {
            return None;
        }
        let fault = match self.fitted(&value, &behind) {
            Ok(value) => return Some(value),
            Err(fault) => fault,
        };
        let words = self.words(ty);
        let report = match fault {
            Misfit::Range(least, most) => {
                let message = format!(
                    "{what} is {}, and {words} is from {least} to {most}",
                    value.shown()
                );
                Report::new(codes::OUT_OF_RANGE, span, message)
            }
            Misfit::Length(length, bound) => {
                let message =
                    format!("{what} has {length} characters, and {words} at most {bound}");
                Report::new(codes::OUT_OF_RANGE, span, message)
            }
            Misfit::Large => {
                let message = format!(
                    "{what} is {}, which is too large for {words}",
                    value.shown()
                );
                Report::new(codes::OUT_OF_RANGE, span, message)
            }
            Misfit::Kind => {
                let message = format!(
                    "{what} is {}, {}, and should be {words}",
                    value.words(),
                    value.shown()
                );
                self.kind_report(span, message, &value, &behind)
            }
        };
        self.session.report(report);
        None
    }

    fn kind_report(&self, span: Span, message: String, value: &Value, ty: &Ty) -> Report {
        let report = Report::new(codes::WRONG_KIND, span, message);
        match (value, ty) {
            (Value::Integer(value @ (0 | 1)), Ty::Primitive(TypeKind::Boolean)) => {
                report.instead(if *value == 1 { "TRUE" } else { "FALSE" })
            }
            (Value::Text(text), Ty::Named(_)) => report.instead(text.to_string()),
            _ => report,
        }
    }

    fn fitted(&self, value: &Value, ty: &Ty) -> Result<Value, Misfit> {
        match (value, ty) {
            (_, Ty::Primitive(kind)) => primitive(value, *kind),
            (Value::Text(text), Ty::Text(bound)) => {
                within(text.len(), *bound)?;
                Ok(value.clone())
            }
            (Value::WideText(text) | Value::Text(text), Ty::WideText(bound)) => {
                within(text.encode_utf16().count(), *bound)?;
                Ok(Value::WideText(text.clone()))
            }
            (Value::Literal { ty, .. }, Ty::Named(number)) if ty == number => Ok(value.clone()),
            (Value::Bits { ty, .. }, Ty::Named(number)) if ty == number => Ok(value.clone()),
            (Value::Integer(number), Ty::Named(ty)) => self.numbered(*number, *ty),
            _ => Err(Misfit::Kind),
        }
    }

    /// A number where a literal or flags are expected.
    fn numbered(&self, value: i128, ty: usize) -> Result<Value, Misfit> {
        match self.named(ty).map(|named| &named.kind) {
            Some(NamedKind::Enumeration(of)) => {
                let literal = of
                    .literals
                    .iter()
                    .find(|one| i128::from(one.value) == value);
                let literal = literal.ok_or(Misfit::Kind)?;
                Ok(Value::Literal {
                    ty,
                    value: i32::try_from(literal.value).map_err(|_| Misfit::Kind)?,
                    name: self.text(literal.name.symbol).into(),
                })
            }
            Some(NamedKind::Bitmask(_)) => {
                let all = self.all_bits(ty);
                match u64::try_from(value) {
                    Ok(bits) if bits & !all == 0 => Ok(Value::Bits { ty, bits }),
                    _ => Err(Misfit::Range(0, all.into())),
                }
            }
            _ => Err(Misfit::Kind),
        }
    }
}

/// Why a value is none of a type.
enum Misfit {
    Kind,
    Large,
    Range(i128, i128),
    Length(usize, u32),
}

fn within(length: usize, bound: u32) -> Result<(), Misfit> {
    match bound == 0 || length <= bound as usize {
        true => Ok(()),
        false => Err(Misfit::Length(length, bound)),
    }
}

fn primitive(value: &Value, kind: TypeKind) -> Result<Value, Misfit> {
    if let Some((least, most)) = range(kind) {
        return match value {
            Value::Integer(number) if (least..=most).contains(number) => Ok(value.clone()),
            Value::Integer(_) => Err(Misfit::Range(least, most)),
            // An octet may be written as a character.
            Value::Char(number) if kind == TypeKind::Byte => Ok(Value::Integer((*number).into())),
            _ => Err(Misfit::Kind),
        };
    }
    match (kind, value) {
        (TypeKind::Boolean, Value::Boolean(_)) => Ok(value.clone()),
        (TypeKind::Char8, Value::Char(_)) => Ok(value.clone()),
        (TypeKind::Char16, Value::WideChar(number) | Value::Char(number)) => {
            Ok(Value::WideChar(*number))
        }
        (TypeKind::Float32 | TypeKind::Float64 | TypeKind::Float128, Value::Float(float)) => {
            floating(*float, kind)
        }
        (TypeKind::Float32 | TypeKind::Float64 | TypeKind::Float128, Value::Integer(number)) => {
            let float = Float::parse(&number.unsigned_abs().to_string()).ok_or(Misfit::Kind)?;
            let float = match *number < 0 {
                true => Float {
                    double: -float.double,
                    quad: float.quad.negate(),
                    is_quad: false,
                },
                false => float,
            };
            floating(float, kind)
        }
        _ => Err(Misfit::Kind),
    }
}

/// A number in the precision of its type.
fn floating(float: Float, kind: TypeKind) -> Result<Value, Misfit> {
    let double = match kind {
        TypeKind::Float32 => f64::from(float.double as f32),
        _ => float.double,
    };
    match kind != TypeKind::Float128 && double.is_infinite() {
        true => Err(Misfit::Large),
        false => Ok(Value::Float(Float {
            double,
            quad: float.quad,
            is_quad: kind == TypeKind::Float128,
        })),
    }
}
