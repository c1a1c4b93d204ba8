//! The transformation `map`: members of one type from those of another.
//!
//! A property is a member of what is written, and its value what that is made of: a member of what
//! is read, a literal (`5`, `-2.5`, `TRUE`, `'text'`, an enumerator) or `@now`.
use super::path::find;
use super::{Ends, Refusal, Sample, Transformation, Written};
use bytes::BytesMut;
use dunlin::ChangeKind;
use dunlin::xtypes::{
    Assignment, Constant, DynamicType, Mapping, MappingError, MemberPath, Origin, TypeKind,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, SystemTime};

/// Assignments of a map.
const MOST: usize = 256;
/// Bytes of one.
const LONGEST: usize = 1024;
/// Room for samples; taken again as soon as nobody has the ones before.
const ROOM: usize = 4096;

/// What stands on the right side of an assignment.
#[derive(Debug, PartialEq)]
enum Right<'a> {
    Now,
    Constant(Constant),
    /// A text in quotes.
    Text(String),
    /// A member, or an enumerator.
    Name(&'a str),
}

/// What is wrong with an assignment, and which bytes of its right side.
type Fault = (String, Range<usize>);

fn right(text: &str) -> Result<Right<'_>, Fault> {
    let all = 0..text.len();
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match text.chars().next() {
        None => Err(("a member, a literal or @now is missing".to_owned(), all)),
        Some('@') if text == "@now" => Ok(Right::Now),
        Some('@') => Err((format!("there is no {text}: there is @now"), all)),
        Some(quote @ ('\'' | '"')) => quoted(text, quote),
        Some('0'..='9' | '+' | '-' | '.') => match number(text) {
            Some(constant) => Ok(Right::Constant(constant)),
            None => Err(("this is no number".to_owned(), all)),
        },
        _ if is("true") || is("false") => Ok(Right::Constant(Constant::Boolean(is("true")))),
        _ => Ok(Right::Name(text)),
    }
}

/// A quote within the text is written twice.
fn quoted(text: &str, quote: char) -> Result<Right<'_>, Fault> {
    let all = 0..text.len();
    let inner = text.get(1..).and_then(|rest| rest.strip_suffix(quote));
    let Some(inner) = inner else {
        return Err(("the text has no end: a quote is missing".to_owned(), all));
    };
    let twice = [quote, quote].iter().collect::<String>();
    if inner.replace(&twice, "").contains(quote) {
        return Err(("a quote within the text is written twice".to_owned(), all));
    }
    Ok(Right::Text(inner.replace(&twice, &quote.to_string())))
}

fn number(text: &str) -> Option<Constant> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude = match hex {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse::<u64>().ok(),
    };
    if let Some(magnitude) = magnitude.filter(|_| !digits.starts_with(['+', '-'])) {
        return Some(Constant::Integer(i128::from(magnitude) * sign));
    }
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let float: f64 = digits.parse().ok()?;
    let fits = float.is_finite() && digits.chars().all(is_plain);
    fits.then_some(Constant::Float(float * sign as f64))
}

/// Shows an assignment with a mark below what is wrong.
fn shown(target: &str, origin: &str, message: &str, marked: Range<usize>) -> String {
    let line = format!("{target} = {origin}");
    let before = line.get(..marked.start).unwrap_or_default().chars().count();
    let wrong = line.get(marked).unwrap_or_default().chars().count().max(1);
    let is_shown = |c: char| matches!(c, '\'' | '"' | '\\') || c.escape_debug().len() == 1;
    let line: String = line
        .chars()
        .map(|c| if is_shown(c) { c } else { ' ' })
        .collect();
    let (space, rest) = (" ".repeat(before), "~".repeat(wrong - 1));
    format!("map: {message}\n  {line}\n  {space}^{rest}")
}

/// As [`shown`], of the right side.
fn shown_right(target: &str, origin: &str, (message, at): &Fault) -> String {
    let begin = target.len() + " = ".len();
    shown(target, origin, message, begin + at.start..begin + at.end)
}

/// What is wrong whatever the types are.
pub(super) fn check(properties: &BTreeMap<String, String>) -> Result<(), String> {
    if properties.len() > MOST {
        let count = properties.len();
        return Err(format!(
            "map: there are {count} assignments, {MOST} are allowed"
        ));
    }
    for (target, origin) in properties {
        let (target, origin) = (target.trim(), origin.trim());
        let length = target.len() + origin.len();
        if length > LONGEST {
            let begin: String = target.chars().take(40).collect();
            return Err(format!(
                "map: the assignment of {begin:?} has {length} bytes, {LONGEST} are allowed"
            ));
        }
        right(origin).map_err(|fault| shown_right(target, origin, &fault))?;
    }
    Ok(())
}

/// Compiles the assignments against both types.
fn compile(properties: &BTreeMap<String, String>, ends: &Ends) -> Result<Mapping, String> {
    check(properties)?;
    let texts: Vec<(&str, &str)> = properties
        .iter()
        .map(|(target, origin)| (target.trim(), origin.trim()))
        .collect();
    let mut assignments = Vec::new();
    for (target, origin) in &texts {
        let found = find(&ends.output, target);
        let member = found.map_err(|(message, at)| shown(target, origin, &message, at))?;
        let made = right(origin).and_then(|right| resolve(right, &member, &ends.input));
        assignments.push(Assignment {
            target: member,
            origin: made.map_err(|fault| shown_right(target, origin, &fault))?,
        });
    }
    Mapping::new(&ends.input, &ends.output, &assignments).map_err(|error| {
        let at = error.assignment().and_then(|at| texts.get(at));
        match (at, &error) {
            (None, _) => format!("map: {error}"),
            (Some((target, origin)), MappingError::Part { .. } | MappingError::Twice { .. }) => {
                shown(target, origin, &error.to_string(), 0..target.len())
            }
            (Some((target, origin)), _) => {
                shown_right(target, origin, &(error.to_string(), 0..origin.len()))
            }
        }
    })
}

/// What the right side is to a member.
fn resolve(right: Right<'_>, target: &MemberPath, input: &DynamicType) -> Result<Origin, Fault> {
    let to = target.target();
    Ok(match right {
        Right::Now => Origin::Now,
        Right::Constant(constant) => Origin::Constant(constant),
        Right::Text(text) => {
            let all = 0..text.len() + 2;
            let misfit = || (format!("{text:?} does not fit {}", to.words()), all.clone());
            let mut chars = text.chars();
            let only = chars.next().filter(|_| chars.next().is_none());
            let constant = match to.kind() {
                TypeKind::Char8 => only.and_then(|c| u8::try_from(c).ok()).map(Constant::Char8),
                TypeKind::Char16 => {
                    let unit = only.and_then(|c| u16::try_from(u32::from(c)).ok());
                    unit.map(Constant::Char16)
                }
                TypeKind::Enumeration => enumerator(to, &text),
                _ => Some(Constant::String8(text.clone().into())),
            };
            Origin::Constant(constant.ok_or_else(misfit)?)
        }
        Right::Name(name) => match (find(input, name), enumerator(to, name)) {
            (Ok(member), _) => Origin::Member(member),
            (Err(_), Some(constant)) => Origin::Constant(constant),
            (Err(fault), None) => return Err(fault),
        },
    })
}

/// The number of an enumerator.
fn enumerator(of: &DynamicType, name: &str) -> Option<Constant> {
    let mut literals = of.literals().iter();
    let found = literals.find(|literal| literal.name() == name)?;
    Some(Constant::Integer(found.value().into()))
}

pub(super) fn make(
    properties: &BTreeMap<String, String>,
    ends: &Ends,
) -> Result<Box<dyn Transformation>, String> {
    Ok(Box::new(Map {
        mapping: compile(properties, ends)?,
        buffer: BytesMut::with_capacity(ROOM),
    }))
}

struct Map {
    mapping: Mapping,
    buffer: BytesMut,
}

impl Map {
    /// Since 1970; only looked at if something tells it.
    fn now(&self) -> Duration {
        let since = || {
            SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .ok()
        };
        let since = self.mapping.tells_time().then(since).flatten();
        since.unwrap_or_default()
    }
}

impl Transformation for Map {
    fn apply(&mut self, sample: &mut Sample) -> Result<Written, Refusal> {
        let now = self.now();
        self.buffer.clear();
        let made = match sample.kind {
            ChangeKind::Alive => {
                let mapped = self.mapping.map(&sample.payload, now, &mut self.buffer);
                mapped.map(|()| true)
            }
            // Without a key nothing is known of the instance.
            _ if sample.payload.is_empty() => Ok(false),
            _ => self.mapping.map_key(&sample.payload, &mut self.buffer),
        };
        match made {
            Ok(true) => {
                sample.payload = self.buffer.split().freeze();
                Ok(Written::Sample)
            }
            Ok(false) => Ok(Written::Nothing),
            Err(error) => Err(Refusal(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
