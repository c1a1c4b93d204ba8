//! Constant expressions are computed (IDL 4.2 7.4.1.4.3).

use std::rc::Rc;

use super::places::Place;
use super::scope::Entity;
use super::types::{NamedKind, Ty};
use super::{NamedConstant, Resolver};
use crate::ast::{Definition, Expression, Operand, Operator, ScopedName, Step, TypeUse};
use crate::report::{Report, codes};
use crate::source::Span;
use crate::value::{Float, Value, range};

impl Resolver<'_, '_> {
    pub(super) fn constant(
        &mut self,
        definition: &Definition,
        used: &TypeUse,
        expression: &Expression,
        scope: usize,
    ) {
        let name = definition.name;
        self.apply(&definition.front.annotations, Place::Const, scope);
        let ty = self.ty(used, scope, None);
        let value = match self.is_constant_type(&ty) {
            true => {
                let value = self.evaluate(expression, scope, Some(&ty));
                self.fit(value, &ty, expression.span, "the constant")
            }
            false => {
                let words = self.words(&ty);
                let message = format!(
                    "a constant is a number, boolean, character, string, enum or bitmask, not {words}"
                );
                self.session
                    .report(Report::new(codes::CONSTANT_TYPE, used.span, message));
                None
            }
        };
        let number = self.result.constants.len();
        let qualified = self.qualify(scope, name.symbol);
        self.result.constants.push(NamedConstant {
            qualified,
            ty,
            value: value.unwrap_or(Value::Bad),
            docs: definition.front.docs.clone(),
            span: name.span,
        });
        self.enter_name(scope, name, Entity::Constant(number));
    }

    fn is_constant_type(&self, ty: &Ty) -> bool {
        match self.behind(ty) {
            Ty::Bad | Ty::Primitive(_) | Ty::Text(_) | Ty::WideText(_) => true,
            Ty::Named(number) => matches!(
                self.named(number).map(|named| &named.kind),
                Some(NamedKind::Enumeration(_) | NamedKind::Bitmask(_) | NamedKind::Bad)
            ),
            _ => false,
        }
    }

    /// The value of an expression. Where an enumeration or bitmask is expected, its literals are
    /// known by their names alone.
    pub(super) fn evaluate(
        &mut self,
        expression: &Expression,
        scope: usize,
        expected: Option<&Ty>,
    ) -> Value {
        let expected = expected.map(|ty| self.behind(ty));
        let mut stack: Vec<(Value, Span)> = Vec::new();
        for step in &expression.steps {
            if !self.session.step(expression.span) {
                return Value::Bad;
            }
            let made = match step {
                Step::Push(operand, span) => (
                    self.operand(operand, *span, scope, expected.as_ref()),
                    *span,
                ),
                Step::Unary(operator, at) => {
                    let Some((value, span)) = stack.pop() else {
                        return Value::Bad;
                    };
                    let value = self.unary(*operator, value, *at, expected.as_ref());
                    (value, at.to(span))
                }
                Step::Binary(operator, at) => {
                    let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else {
                        return Value::Bad;
                    };
                    let span = left.1.to(right.1);
                    (self.binary(*operator, left, right, *at), span)
                }
            };
            stack.push(made);
        }
        stack.pop().map_or(Value::Bad, |value| value.0)
    }

    fn operand(
        &mut self,
        operand: &Operand,
        span: Span,
        scope: usize,
        expected: Option<&Ty>,
    ) -> Value {
        match operand {
            Operand::Integer(value) => Value::Integer(*value),
            Operand::Float(digits) => match Float::parse(digits) {
                Some(value) => Value::Float(value),
                None => {
                    let message = "this is larger than any long double";
                    self.session
                        .report(Report::new(codes::OUT_OF_RANGE, span, message));
                    Value::Bad
                }
            },
            Operand::Boolean(value) => Value::Boolean(*value),
            Operand::Char(value) => Value::Char(*value),
            Operand::WideChar(value) => Value::WideChar(*value),
            Operand::Text(text) => Value::Text(text.clone()),
            Operand::WideText(text) => Value::WideText(text.clone()),
            Operand::Name(name) => self.name_value(name, scope, expected),
            Operand::Bad => Value::Bad,
        }
    }

    fn name_value(&mut self, name: &ScopedName, scope: usize, expected: Option<&Ty>) -> Value {
        let entity = match self.own_literal(name, expected) {
            Some(entity) => entity,
            None => match self.look_up(name, scope, "constant") {
                Some(entity) => entity,
                None => return Value::Bad,
            },
        };
        match entity {
            Entity::Constant(number) => match self.result.constants.get(number) {
                Some(constant) => constant.value.clone(),
                None => Value::Bad,
            },
            Entity::Literal(ty, index) | Entity::Flag(ty, index) => self.literal(name, ty, index),
            other => {
                let what = match other {
                    Entity::Module(_) => "a module",
                    Entity::Type(_) => "a type",
                    _ => "no constant",
                };
                let text = name.parts.last().map_or("", |part| self.text(part.symbol));
                let message = format!("a constant should be here, and `{text}` is {what}");
                self.session
                    .report(Report::new(codes::NO_CONSTANT, name.span, message));
                Value::Bad
            }
        }
    }

    /// A literal of the type that is expected.
    fn own_literal(&self, name: &ScopedName, expected: Option<&Ty>) -> Option<Entity> {
        let (Some(Ty::Named(number)), [only]) = (expected, name.parts.as_slice()) else {
            return None;
        };
        let own = self.named(*number)?.scope;
        let entry = self.scope(own).names.get(&only.symbol)?;
        Some(entry.entity)
    }

    fn literal(&self, name: &ScopedName, ty: usize, index: usize) -> Value {
        let text: Rc<str> = match name.parts.last() {
            Some(part) => self.text(part.symbol).into(),
            None => "".into(),
        };
        match self.named(ty).map(|named| &named.kind) {
            Some(NamedKind::Enumeration(of)) => match of.literals.get(index) {
                Some(literal) => Value::Literal {
                    ty,
                    value: i32::try_from(literal.value).unwrap_or_default(),
                    name: text,
                },
                None => Value::Bad,
            },
            Some(NamedKind::Bitmask(of)) => match of.flags.get(index) {
                Some(flag) => Value::Bits {
                    ty,
                    bits: 1_u64.checked_shl(flag.value as u32).unwrap_or_default(),
                },
                None => Value::Bad,
            },
            _ => Value::Bad,
        }
    }

    fn unary(
        &mut self,
        operator: Operator,
        value: Value,
        at: Span,
        expected: Option<&Ty>,
    ) -> Value {
        let made = match (operator, &value) {
            (_, Value::Bad) => return Value::Bad,
            (Operator::Keep, Value::Integer(_) | Value::Float(_)) => Some(value.clone()),
            (Operator::Negate, Value::Integer(value)) => value.checked_neg().map(Value::Integer),
            (Operator::Negate, Value::Float(value)) => Some(Value::Float(Float {
                double: -value.double,
                quad: value.quad.negate(),
                is_quad: false,
            })),
            (Operator::Invert, Value::Integer(value)) => {
                Some(Value::Integer(invert(*value, expected)))
            }
            (Operator::Invert, Value::Bits { ty, bits }) => {
                let (ty, bits) = (*ty, !*bits);
                let all = self.all_bits(ty);
                Some(Value::Bits {
                    ty,
                    bits: bits & all,
                })
            }
            _ => None,
        };
        made.unwrap_or_else(|| {
            let message = format!(
                "`{}` does not apply to {}: {}",
                symbol(operator),
                value.words(),
                value.shown()
            );
            self.session
                .report(Report::new(codes::OPERAND, at, message));
            Value::Bad
        })
    }

    /// All flags of a bitmask.
    pub(super) fn all_bits(&self, ty: usize) -> u64 {
        match self.named(ty).map(|named| &named.kind) {
            Some(NamedKind::Bitmask(of)) => of.flags.iter().fold(0, |all, flag| {
                all | 1_u64.checked_shl(flag.value as u32).unwrap_or_default()
            }),
            _ => 0,
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: (Value, Span),
        right: (Value, Span),
        at: Span,
    ) -> Value {
        let fault = match (&left.0, &right.0) {
            (Value::Bad, _) | (_, Value::Bad) => return Value::Bad,
            (Value::Integer(one), Value::Integer(two)) => match integers(operator, *one, *two) {
                Ok(value) => return Value::Integer(value),
                Err(fault) => fault,
            },
            (Value::Float(one), Value::Float(two)) => match floats(operator, *one, *two) {
                Ok(value) => return Value::Float(value),
                Err(fault) => fault,
            },
            (
                Value::Bits { ty, bits: one },
                Value::Bits {
                    ty: other,
                    bits: two,
                },
            ) if ty == other => {
                let bits = match operator {
                    Operator::Or => Some(one | two),
                    Operator::And => Some(one & two),
                    Operator::Xor => Some(one ^ two),
                    _ => None,
                };
                match bits {
                    Some(bits) => return Value::Bits { ty: *ty, bits },
                    None => Fault::Operands,
                }
            }
            (Value::Integer(_), Value::Float(_)) | (Value::Float(_), Value::Integer(_)) => {
                Fault::Mixed
            }
            _ => Fault::Operands,
        };
        let symbol = symbol(operator);
        let (one, two) = (left.0.shown(), right.0.shown());
        let report = match fault {
            Fault::Zero => {
                let message = format!("{one} {symbol} {two}: this divides by zero");
                Report::new(codes::DIVISION_BY_ZERO, at, message)
            }
            Fault::Shift => {
                let message = format!("{one} {symbol} {two}: a shift is from 0 to 63");
                Report::new(codes::SHIFT, right.1, message)
            }
            Fault::Overflow => {
                let message = format!("{one} {symbol} {two} is too large");
                Report::new(codes::OVERFLOW, at, message)
            }
            Fault::Mixed => {
                let message =
                    format!("{one} {symbol} {two}: integers and floating point numbers do not mix");
                Report::new(codes::MIXED, at, message).note("write the integer with a point: 2.0")
            }
            Fault::Operands => {
                let message = format!(
                    "`{symbol}` does not apply to {} and {}: {one} {symbol} {two}",
                    left.0.words(),
                    right.0.words()
                );
                Report::new(codes::OPERAND, at, message)
            }
        };
        self.session.report(report);
        Value::Bad
    }
}

/// What is wrong with an operation.
enum Fault {
    Zero,
    Shift,
    Overflow,
    Mixed,
    Operands,
}

/// `~` within the bits of the unsigned type that is expected.
fn invert(value: i128, expected: Option<&Ty>) -> i128 {
    let most = match expected {
        Some(Ty::Primitive(kind)) => range(*kind).filter(|range| range.0 == 0),
        _ => None,
    };
    match most {
        Some((_, most)) => !value & most,
        None => !value,
    }
}

fn integers(operator: Operator, one: i128, two: i128) -> Result<i128, Fault> {
    let value = match operator {
        Operator::Or => Some(one | two),
        Operator::Xor => Some(one ^ two),
        Operator::And => Some(one & two),
        Operator::ShiftLeft | Operator::ShiftRight if !(0..=63).contains(&two) => {
            return Err(Fault::Shift);
        }
        Operator::ShiftLeft => one.checked_mul(1_i128 << two),
        Operator::ShiftRight => Some(one >> two),
        Operator::Add => one.checked_add(two),
        Operator::Subtract => one.checked_sub(two),
        Operator::Multiply => one.checked_mul(two),
        Operator::Divide | Operator::Remainder if two == 0 => return Err(Fault::Zero),
        Operator::Divide => one.checked_div(two),
        Operator::Remainder => one.checked_rem(two),
        Operator::Keep | Operator::Negate | Operator::Invert => return Err(Fault::Operands),
    };
    value.ok_or(Fault::Overflow)
}

fn floats(operator: Operator, one: Float, two: Float) -> Result<Float, Fault> {
    let (double, quad) = match operator {
        Operator::Add => (one.double + two.double, one.quad.add(two.quad)),
        Operator::Subtract => (one.double - two.double, one.quad.add(two.quad.negate())),
        Operator::Multiply => (one.double * two.double, one.quad.multiply(two.quad)),
        Operator::Divide if two.quad.is_zero() => return Err(Fault::Zero),
        Operator::Divide => (one.double / two.double, one.quad.divide(two.quad)),
        _ => return Err(Fault::Operands),
    };
    let quad = quad.ok_or(Fault::Overflow)?;
    Ok(Float {
        double,
        quad,
        is_quad: false,
    })
}

fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Or => "|",
        Operator::Xor => "^",
        Operator::And => "&",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
        Operator::Add | Operator::Keep => "+",
        Operator::Subtract | Operator::Negate => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Invert => "~",
    }
}
