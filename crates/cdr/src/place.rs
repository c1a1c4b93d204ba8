//! Where in a value its encoding fails, by the names of its members.
//!
//! Whoever writes samples pays nothing for it: an error says only what is wrong, and the value is
//! walked through once more to find out where.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::sink::Step;
use crate::{ElementDescriptor, Sink, Topic, Type, Writer, Xcdr};

/// Notes how deep in a value the writer is, and forgets the bytes. A part that fails is never left.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    position: usize,
    steps: Vec<Step>,
}

impl Sink for Trail {
    fn position(&self) -> usize {
        self.position
    }

    fn put<const N: usize>(&mut self, padding: usize, _: [u8; N]) {
        self.position += padding + N;
    }

    fn put_slice(&mut self, bytes: &[u8]) {
        self.position += bytes.len();
    }

    fn put_shared(&mut self, bytes: &Bytes) {
        self.put_slice(bytes);
    }

    fn patch<const N: usize>(&mut self, _: usize, _: [u8; N]) {}

    fn insert<const N: usize>(&mut self, _: usize, _: [u8; N]) {
        self.position += N;
    }

    fn enter(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn leave(&mut self) {
        self.steps.pop();
    }
}

/// The member that cannot be written, with its type, as `points[3].name (string<10>)`; `keys_only`
/// if only the key members are wanted. `None` if all can be written, or if the type's own encoding
/// was written by hand.
pub fn faulty_member<T: Topic>(value: &T, keys_only: bool) -> Option<String> {
    let mut w = Writer::with_sink(Trail::default(), Xcdr::V2, crate::Endianness::NATIVE);
    let written = match keys_only {
        true => value.serialize_key(&mut w),
        false => value.serialize(&mut w),
    };
    written.err()?;
    let steps = &w.sink().steps;
    (!steps.is_empty()).then(|| named(T::describe(), steps))
}

/// The steps by their names.
fn named(mut ty: Option<Type>, steps: &[Step]) -> String {
    let mut path = String::new();
    let mut said: Option<&ElementDescriptor> = None;
    for step in steps {
        ty = match (step, inside(ty)) {
            (Step::Member(id), Some(Type::Structure(of))) => {
                let member = of.members.iter().find(|member| member.id == *id);
                said = member.map(|member| &member.element);
                add(&mut path, member.map(|member| member.name), *id);
                member.and_then(|member| (member.describe)())
            }
            (Step::Member(0), Some(Type::Union(of))) => {
                add(&mut path, Some("discriminator"), 0);
                said = Some(&of.discriminator.element);
                (of.discriminator.describe)()
            }
            (Step::Member(id), Some(Type::Union(of))) => {
                let case = of.cases.iter().find(|case| case.id == *id);
                said = case.map(|case| &case.element);
                add(&mut path, case.map(|case| case.name), *id);
                case.and_then(|case| case.describe.and_then(|describe| describe()))
            }
            (Step::Member(id), _) => {
                said = None;
                add(&mut path, None, *id);
                None
            }
            (Step::Element(index), of) => {
                path += &format!("[{index}]");
                said = said.and_then(|said| said.element);
                match of {
                    Some(Type::Sequence(element) | Type::Array(element, _)) => element(),
                    _ => None,
                }
            }
            (Step::Key(index), of) => {
                path += &format!("[key {index}]");
                said = said.and_then(|said| said.map_key);
                match of {
                    Some(Type::Map(key, _)) => key(),
                    _ => None,
                }
            }
            (Step::Value(index), of) => {
                path += &format!("[value {index}]");
                said = said.and_then(|said| said.element);
                match of {
                    Some(Type::Map(_, value)) => value(),
                    _ => None,
                }
            }
        };
    }
    match inside(ty) {
        Some(ty) => format!("{path} ({})", words(ty, said.and_then(|said| said.bound))),
        None => path,
    }
}

/// What an optional has, if it has something, and what an array with a name is.
fn inside(ty: Option<Type>) -> Option<Type> {
    match ty {
        Some(Type::Optional(of)) => inside(of()),
        Some(Type::Row(of)) => of(),
        other => other,
    }
}

fn add(path: &mut String, name: Option<&str>, id: u32) {
    if !path.is_empty() {
        path.push('.');
    }
    match name {
        Some(name) => path.push_str(name),
        None => *path += &format!("(member {id})"),
    }
}

/// A type as IDL has it.
fn words(ty: Type, bound: Option<usize>) -> String {
    let element = |of: fn() -> Option<Type>| of().map_or("?", |of| of.name());
    match (ty, bound) {
        (Type::Sequence(of), None) => format!("sequence<{}>", element(of)),
        (Type::Sequence(of), Some(bound)) => format!("sequence<{}, {bound}>", element(of)),
        (Type::Map(key, value), None) => format!("map<{}, {}>", element(key), element(value)),
        (Type::Map(key, value), Some(bound)) => {
            format!("map<{}, {}, {bound}>", element(key), element(value))
        }
        (ty, Some(bound)) => format!("{}<{bound}>", ty.name()),
        (ty, None) => ty.name().into(),
    }
}
