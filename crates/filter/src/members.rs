//! Members that an expression names: where they are in the type, and what their values are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

use dunlin_xtypes::{DynamicType, MemberPath, TypeKind};

use crate::facts::{self, Named};
use crate::limits;
use crate::literal::Class;
use crate::plan::{Parts, Step};

/// The discriminator of a union, by the name that vendors give it.
const DISCRIMINATOR: &str = "_d";

/// A part of a member's name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Segment {
    Name(String),
    Index(usize),
}

/// A member's name as it is written, such as `a.b[2].c`, and where each part stands.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) segments: Vec<(Segment, Range<usize>)>,
}

impl Path {
    pub(crate) fn span(&self) -> Range<usize> {
        let start = self.segments.first().map_or(0, |(_, span)| span.start);
        let end = self.segments.last().map_or(0, |(_, span)| span.end);
        start..end
    }

    /// The name, if that is all.
    pub(crate) fn word(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [(Segment::Name(name), _)] => Some(name),
            _ => None,
        }
    }

    /// As [`MemberPath`] reads it.
    fn text(&self) -> String {
        let mut text = String::new();
        for (segment, _) in &self.segments {
            match segment {
                Segment::Name(name) if text.is_empty() => text.push_str(name),
                // Writing to a string does not fail.
                Segment::Name(name) => drop(write!(text, ".{name}")),
                Segment::Index(index) => drop(write!(text, "[{index}]")),
            }
        }
        text
    }
}

/// A member that an expression names.
struct Member {
    path: MemberPath,
    steps: Vec<Step>,
}

/// The members that an expression names, each once.
pub(crate) struct Members {
    root: DynamicType,
    found: Vec<Member>,
    /// Which facts it names; `None` if there are none to name.
    facts: Option<Named>,
}

/// What is wrong, and with which part of the expression.
pub(crate) type Fault = (String, Range<usize>);

impl Members {
    pub(crate) fn new(root: &DynamicType, has_facts: bool) -> Self {
        Self {
            root: root.resolved(),
            found: Vec::new(),
            facts: has_facts.then(Named::default),
        }
    }

    /// Which facts the expression names.
    pub(crate) fn facts(&self) -> Named {
        self.facts.unwrap_or_default()
    }

    /// As `find`, if it is a fact.
    fn fact(&mut self, path: &Path) -> Option<Result<(u8, Class), Fault>> {
        let name = path.word().filter(|name| name.starts_with('@'))?;
        let named = self.facts.as_mut();
        let are_there = named.is_some();
        Some(match (facts::find(name), named) {
            (Some((place, class)), Some(named)) => {
                named.note(place);
                Ok((place, class))
            }
            _ => Err((facts::unknown(name, are_there), path.span())),
        })
    }

    /// Does the type have it, whether it can be compared or not?
    pub(crate) fn has(&self, path: &Path) -> bool {
        let fact = path.word().and_then(facts::find);
        if self.facts.is_some() && fact.is_some() {
            return true;
        }
        let mut at = Place::new(self.root.clone());
        let mut segments = path.segments.iter();
        segments.all(|(segment, _)| at.look_up(segment).is_some())
    }

    /// The place for the values of a member, and of which class they are.
    pub(crate) fn find(&mut self, path: &Path) -> Result<(u8, Class), Fault> {
        if let Some(fact) = self.fact(path) {
            return fact;
        }
        let (steps, class) = walk(&self.root, path)?;
        let known = self.found.iter().position(|known| known.steps == steps);
        if let Some(place) = known {
            return Ok((place as u8, class));
        }
        if self.found.len() >= limits::MEMBERS {
            let most = limits::MEMBERS;
            let fault = format!("an expression names at most {most} different members");
            return Err((fault, path.span()));
        }
        let resolved = MemberPath::new(&self.root, &path.text());
        self.found.push(Member {
            path: resolved.map_err(|error| (format!("{error}"), path.span()))?,
            steps,
        });
        Ok((self.found.len() as u8 - 1, class))
    }

    /// How the members are found in a sample: by one walk, or each by its path, in the order of
    /// their places.
    pub(crate) fn into_plan(self) -> (Parts, Vec<MemberPath>) {
        let mut parts = Parts::new(self.root);
        for (place, member) in self.found.iter().enumerate() {
            parts.insert(&member.steps, place as u8);
        }
        let paths = self.found.into_iter().map(|member| member.path);
        (parts, paths.collect())
    }
}

/// From the type to the member, step by step.
fn walk(root: &DynamicType, path: &Path) -> Result<(Vec<Step>, Class), Fault> {
    if path.segments.len() > limits::PATH {
        let most = limits::PATH;
        return Err((format!("a name has at most {most} parts"), path.span()));
    }
    let mut steps = Vec::new();
    let mut at = Place::new(root.clone());
    for (segment, span) in &path.segments {
        match at.look_up(segment) {
            Some(step) => steps.extend(step),
            None => return Err((at.missing(segment), span.clone())),
        }
    }
    match at.class() {
        Some(class) => Ok((steps, class)),
        None => Err((
            format!(
                "{} has no value to compare: name a part of it",
                kind(&at.ty)
            ),
            path.span(),
        )),
    }
}

/// How far a path has led.
struct Place {
    /// Without aliases.
    ty: DynamicType,
    /// Of an array with several dimensions, the indexes that came.
    indexes: usize,
    /// The element to which they lead.
    element: usize,
}

impl Place {
    fn new(ty: DynamicType) -> Self {
        Self {
            ty,
            indexes: 0,
            element: 0,
        }
    }

    /// Goes to a part of the type; `None` if it has no such part. All indexes of an array together
    /// are one step.
    fn look_up(&mut self, segment: &Segment) -> Option<Option<Step>> {
        let (step, next) = match (self.ty.kind(), segment) {
            (TypeKind::Structure, Segment::Name(name)) => {
                let member = self.ty.member_by_name(name)?;
                let index = self.ty.members().position(|one| one.id() == member.id())?;
                (Step::Part(index), member.element())
            }
            (TypeKind::Union, Segment::Name(name)) => {
                let cases = self.ty.cases();
                match cases.iter().position(|case| case.name() == name) {
                    Some(index) => (Step::Part(index), cases.get(index)?.element()?),
                    None if name == DISCRIMINATOR => {
                        (Step::Discriminator, self.ty.discriminator()?)
                    }
                    None => return None,
                }
            }
            (TypeKind::Sequence, Segment::Index(index)) => (Step::Part(*index), self.ty.element()?),
            (TypeKind::Array, Segment::Index(index)) => {
                let dimensions = self.ty.dimensions();
                let length = *dimensions.get(self.indexes)? as usize;
                if *index >= length {
                    return None;
                }
                self.element = self.element.saturating_mul(length).saturating_add(*index);
                self.indexes += 1;
                if self.indexes < dimensions.len() {
                    return Some(None);
                }
                (Step::Part(self.element), self.ty.element()?)
            }
            _ => return None,
        };
        *self = Self::new(self.ty.at(next.ty).resolved());
        Some(Some(step))
    }

    /// Says that the type has no such part.
    fn missing(&self, segment: &Segment) -> String {
        let ty = &self.ty;
        match (ty.kind(), segment) {
            (TypeKind::Structure, Segment::Name(name)) => {
                unknown(name, ty.name(), ty.members().map(|member| member.name()))
            }
            (TypeKind::Union, Segment::Name(name))
                if ty.cases().iter().any(|case| case.name() == name) =>
            {
                format!(
                    "case {name} of union {} has no value: compare {DISCRIMINATOR}, its discriminator",
                    ty.name()
                )
            }
            (TypeKind::Union, Segment::Name(name)) => {
                let names = ty.cases().iter().map(|case| case.name());
                unknown(name, ty.name(), names.chain([DISCRIMINATOR]))
            }
            (TypeKind::Array, Segment::Index(index)) => {
                let length = ty.dimensions().get(self.indexes).copied().unwrap_or(0);
                format!("element {index} is beyond the array, which has {length} of them")
            }
            (TypeKind::Sequence | TypeKind::Array, Segment::Name(_)) => format!(
                "{} has elements, not members: an index in brackets is expected",
                kind(ty)
            ),
            (_, Segment::Name(name)) => format!("{} has no member {name:?}", kind(ty)),
            (_, Segment::Index(_)) => format!("{} has no elements", kind(ty)),
        }
    }

    fn class(&self) -> Option<Class> {
        Some(match self.ty.kind() {
            TypeKind::Byte
            | TypeKind::UInt8
            | TypeKind::Int8
            | TypeKind::UInt16
            | TypeKind::Int16
            | TypeKind::UInt32
            | TypeKind::Int32
            | TypeKind::UInt64
            | TypeKind::Int64
            | TypeKind::Bitmask
            | TypeKind::Bitset => Class::Integer,
            TypeKind::Float32 => Class::Single,
            TypeKind::Float64 => Class::Double,
            TypeKind::Boolean => Class::Boolean,
            TypeKind::Char8 | TypeKind::Char16 => Class::Character,
            TypeKind::String8 => Class::Text,
            TypeKind::Enumeration => Class::Enumeration(self.ty.clone()),
            _ => return None,
        })
    }
}

/// What a type is to people.
fn kind(ty: &DynamicType) -> String {
    match ty.kind() {
        TypeKind::Structure => format!("struct {}", ty.name()),
        TypeKind::Union => format!("union {}", ty.name()),
        TypeKind::Enumeration => format!("enumeration {}", ty.name()),
        kind => format!("a value of type {}", kind.name()),
    }
}

/// Says that there is no such name, and which may be meant.
pub(crate) fn unknown<'a>(name: &str, of: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let near = names
        .iter()
        .map(|known| (distance(name, known), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= (name.len() / 3).max(1));
    match near {
        Some((_, near)) => format!("no member {name:?} in {of}; did you mean {near:?}?"),
        None => format!("no member {name:?} in {of}; it has {}", listed(&names)),
    }
}

/// The first few of them.
pub(crate) fn listed(names: &[&str]) -> String {
    const FEW: usize = 12;
    let few = names.get(..FEW).unwrap_or(names).join(", ");
    match names.len() {
        0 => "none".into(),
        n if n > FEW => format!("{few}, ..."),
        _ => few,
    }
}

/// How many letters are to be changed, put in or left out; upper and lower case are nearly the
/// same.
fn distance(one: &str, other: &str) -> usize {
    const LONGEST: usize = 64;
    if one.len() > LONGEST || other.len() > LONGEST {
        return usize::MAX;
    }
    let other = other.to_ascii_lowercase();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one
        .bytes()
        .map(|byte| byte.to_ascii_lowercase())
        .enumerate()
    {
        let mut diagonal = n;
        let mut left = n + 1;
        for (b, cell) in other.bytes().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            let changed = diagonal + usize::from(a != b);
            *cell = changed.min(above + 1).min(left + 1);
            (diagonal, left) = (above, *cell);
        }
        if let Some(first) = row.first_mut() {
            *first = n + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
