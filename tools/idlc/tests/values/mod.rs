//! Values of any type, read out of payloads and written by a codec plan: what generated code does,
//! step by step.

#![allow(dead_code, unreachable_pub)]

pub mod json;
pub mod read;
pub mod write;

use dunlin_cdr::{Endianness, Extensibility, Representation, Xcdr};
use dunlin_idlc::plan::{Form, Part, Plan, RoutineId};
use dunlin_xtypes::DynamicType;

/// All encodings and byte orders.
pub const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The bits of a number.
    Number(u128),
    Text(Vec<u8>),
    Wide(Vec<u16>),
    /// Elements of an array with several dimensions are row by row.
    List(Vec<Value>),
    Structure(Vec<(String, Value)>),
    Union(i64, Option<(String, Box<Value>)>),
    Absent,
}

impl Value {
    /// The part that a path of a plan leads to.
    pub fn at(&self, path: &str) -> Option<Value> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match self {
            _ if path.is_empty() => Some(self.clone()),
            Self::Structure(members) => {
                let mut members = members.iter();
                members.find(|member| member.0 == first)?.1.at(rest)
            }
            Self::Union(number, _) if first == "_d" => Some(Self::Number(*number as u64 as u128)),
            Self::Union(_, Some((name, value))) if name == first => value.at(rest),
            _ => None,
        }
    }
}

pub fn form(xcdr: Xcdr) -> Form {
    match xcdr {
        Xcdr::V1 => Form::Xcdr1,
        Xcdr::V2 => Form::Xcdr2,
    }
}

/// A payload as the plan says.
pub fn payload(
    plan: &Plan,
    ty: &DynamicType,
    value: &Value,
    part: Part,
    (xcdr, endianness): (Xcdr, Endianness),
) -> Vec<u8> {
    let id = RoutineId {
        ty: ty.resolved().index(),
        form: form(xcdr),
        part,
    };
    let body = match plan.routine(id) {
        Some(_) => write::value(plan, id, value, endianness),
        // There is no key.
        None => Vec::new(),
    };
    wrapped(ty.extensibility(), (xcdr, endianness), &body)
}

/// With the header, and padding behind.
pub fn wrapped(
    extensibility: Extensibility,
    (xcdr, endianness): (Xcdr, Endianness),
    body: &[u8],
) -> Vec<u8> {
    let representation = Representation {
        xcdr,
        extensibility,
        endianness,
    };
    let mut payload = representation.header().to_vec();
    payload.extend_from_slice(body);
    let padding = payload.len().wrapping_neg() & 3;
    payload[3] = padding as u8;
    payload.resize(payload.len() + padding, 0);
    payload
}

/// The bytes of a key hash, before they are filled up or hashed.
pub fn key_of_hash(plan: &Plan, ty: &DynamicType, value: &Value) -> Vec<u8> {
    let id = RoutineId {
        ty: ty.resolved().index(),
        form: Form::KeyHash,
        part: Part::Key,
    };
    write::value(plan, id, value, Endianness::Big)
}
