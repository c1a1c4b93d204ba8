//! What an expression may ask of a change beside the members of a sample.

use alloc::format;
use alloc::string::String;

use crate::limits;
use crate::literal::{Class, Constant};
use crate::members::listed;
use crate::value::Value;

/// What is known of a change whether it is a sample or not. An expression names it with `@`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts<'a> {
    /// `@kind`: one of [`KINDS`](Self::KINDS).
    pub kind: &'a str,
    /// `@writer`: who wrote it.
    pub writer: &'a str,
    /// `@age`: seconds since it was written; `None` if nobody knows, or nobody asks.
    pub age: Option<f64>,
}

const NAMES: [&str; 3] = ["@kind", "@writer", "@age"];
/// Their places are behind those of members.
const FIRST: u8 = limits::MEMBERS as u8;
const KIND: u8 = FIRST;
const WRITER: u8 = FIRST + 1;
const AGE: u8 = FIRST + 2;

impl<'a> Facts<'a> {
    /// What `@kind` can be.
    pub const KINDS: [&'static str; 4] = ["alive", "dispose", "unregister", "dispose_unregister"];

    /// By their places.
    pub(crate) fn values(&self) -> [Value<'a>; NAMES.len()] {
        [
            Value::Text(self.kind.as_bytes()),
            Value::Text(self.writer.as_bytes()),
            self.age.map_or(Value::Absent, Value::Float),
        ]
    }
}

/// Which facts an expression names.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Named {
    pub(crate) writer: bool,
    pub(crate) age: bool,
}

impl Named {
    pub(crate) fn note(&mut self, place: u8) {
        self.writer |= place == WRITER;
        self.age |= place == AGE;
    }
}

/// The fact at a place.
pub(crate) fn at<'a>(place: u8, facts: &[Value<'a>]) -> Value<'a> {
    let at = place.checked_sub(FIRST).map(usize::from);
    let value = at.and_then(|at| facts.get(at)).copied();
    value.unwrap_or(Value::Absent)
}

/// The place of a fact, and of which class it is.
pub(crate) fn find(name: &str) -> Option<(u8, Class)> {
    Some(match name {
        "@kind" => (KIND, Class::Text),
        "@writer" => (WRITER, Class::Text),
        "@age" => (AGE, Class::Double),
        _ => return None,
    })
}

/// What to say of a name with `@`.
pub(crate) fn unknown(name: &str, are_there: bool) -> String {
    match are_there {
        true => format!("there is no {name}; there are {}", listed(&NAMES)),
        false => format!(
            "{name} is no member: names with @ are for the processor filter of a Routing Service"
        ),
    }
}

/// What is wrong with a value that a fact is compared with.
pub(crate) fn fault(place: u8, value: &Constant) -> Option<String> {
    match value {
        Constant::Text(kind) if place == KIND && !Facts::KINDS.contains(&kind.as_str()) => {
            let known = listed(&Facts::KINDS);
            Some(format!("@kind is never {kind:?}; it is one of {known}"))
        }
        _ => None,
    }
}
