//! The expression as it is evaluated: three-valued, as in SQL. `None` is unknown.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::literal::Constant;
use crate::locate::Found;
use crate::pattern::Pattern;
use crate::steps::Steps;
use crate::value::Value;

#[derive(Debug)]
pub(crate) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare {
        member: u8,
        operator: Operator,
        with: Operand,
    },
    Between {
        member: u8,
        low: Constant,
        high: Constant,
    },
    Like {
        member: u8,
        pattern: Pattern,
    },
}

#[derive(Debug)]
pub(crate) enum Operand {
    Member(u8),
    Constant(Constant),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// What it is when the two sides change places.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Unequal => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl Condition {
    /// Says nothing if the steps have run out.
    pub(crate) fn is_true(&self, found: &Found<'_>, steps: &mut Steps) -> Option<bool> {
        if !steps.take(1) {
            return None;
        }
        match self {
            Self::All(all) => all_of(all.iter().map(|one| one.is_true(found, steps)), true),
            Self::Any(any) => all_of(any.iter().map(|one| one.is_true(found, steps)), false),
            Self::Not(one) => one.is_true(found, steps).map(|is| !is),
            Self::Compare {
                member,
                operator,
                with,
            } => {
                let (one, other) = (found.value(*member), with.value(found));
                match compare(&one, &other, steps) {
                    Some(ordering) => Some(operator.holds(ordering)),
                    // What is no number differs from all numbers, itself among them.
                    None if one != Value::Absent && other != Value::Absent => {
                        Some(*operator == Operator::Unequal)
                    }
                    None => None,
                }
            }
            Self::Between { member, low, high } => {
                let value = found.value(*member);
                if value == Value::Absent {
                    return None;
                }
                let within = |low: Option<Ordering>, high: Option<Ordering>| {
                    low.is_some_and(Ordering::is_ge) && high.is_some_and(Ordering::is_le)
                };
                let low = compare(&value, &low.value(), steps);
                let high = compare(&value, &high.value(), steps);
                Some(within(low, high))
            }
            Self::Like { member, pattern } => match found.value(*member) {
                Value::Text(text) => Some(pattern.matches(text, steps)),
                _ => None,
            },
        }
    }
}

fn compare(one: &Value<'_>, other: &Value<'_>, steps: &mut Steps) -> Option<Ordering> {
    if let (Value::Text(one), Value::Text(other)) = (one, other)
        && !steps.take_text(one.len().min(other.len()))
    {
        return None;
    }
    one.compare(other)
}

/// AND if `neutral` is true, else OR: the first that is not neutral decides, else one that is
/// unknown does.
fn all_of(values: impl Iterator<Item = Option<bool>>, neutral: bool) -> Option<bool> {
    let mut whole = Some(neutral);
    for value in values {
        match value {
            Some(value) if value == neutral => {}
            Some(value) => return Some(value),
            None => whole = None,
        }
    }
    whole
}

impl Operand {
    fn value<'a>(&'a self, found: &Found<'a>) -> Value<'a> {
        match self {
            Self::Member(place) => found.value(*place),
            Self::Constant(constant) => constant.value(),
        }
    }
}
