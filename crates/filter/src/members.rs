//! Members that an expression names: where they are in the type, and what their values are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use dunlin_cdr::{Describe, StructureType, Type, UnionType};

use crate::limits;
use crate::literal::Class;

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
}

/// What is wanted of a value.
#[derive(Debug)]
pub(crate) enum Want {
    /// Itself; it goes to this place.
    Value(u8),
    /// Parts of it.
    Parts(Parts),
}

/// Members of a struct, elements of a collection or cases of a union, ascending by their place in
/// the type.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) parts: Vec<(usize, Want)>,
    pub(crate) discriminator: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Part(usize),
    Discriminator,
}

/// The members that an expression names, each once.
pub(crate) struct Members {
    root: &'static StructureType,
    found: Vec<(Vec<Step>, Class)>,
}

/// What is wrong, and with which part of the expression.
pub(crate) type Fault = (String, Range<usize>);

impl Members {
    pub(crate) fn new(root: &'static StructureType) -> Self {
        Self {
            root,
            found: Vec::new(),
        }
    }

    /// Does the type have it, whether it can be compared or not?
    pub(crate) fn has(&self, path: &Path) -> bool {
        let mut ty = Some(Type::Structure(self.root));
        let mut segments = path.segments.iter();
        segments.all(|(segment, _)| {
            let found = ty.and_then(|ty| look_up(ty, segment));
            ty = found.and_then(|(_, inner)| present(inner));
            found.is_some()
        })
    }

    /// The place for the values of a member, and of which class they are.
    pub(crate) fn find(&mut self, path: &Path) -> Result<(u8, Class), Fault> {
        let (steps, class) = walk(Type::Structure(self.root), path)?;
        if let Some(place) = self.found.iter().position(|(known, _)| *known == steps) {
            return Ok((place as u8, class));
        }
        if self.found.len() >= limits::MEMBERS {
            let most = limits::MEMBERS;
            let fault = format!("an expression names at most {most} different members");
            return Err((fault, path.span()));
        }
        self.found.push((steps, class));
        Ok((self.found.len() as u8 - 1, class))
    }

    pub(crate) fn into_want(self) -> Parts {
        let mut want = Parts::default();
        for (place, (steps, _)) in self.found.into_iter().enumerate() {
            want.insert(&steps, place as u8);
        }
        want
    }
}

impl Parts {
    /// How many places there are for values.
    pub(crate) fn count(&self) -> usize {
        let parts = self.parts.iter().map(|(_, want)| match want {
            Want::Value(_) => 1,
            Want::Parts(parts) => parts.count(),
        });
        usize::from(self.discriminator.is_some()) + parts.sum::<usize>()
    }

    fn insert(&mut self, steps: &[Step], place: u8) {
        match steps {
            [] => {}
            [Step::Discriminator, ..] => self.discriminator = Some(place),
            [Step::Part(index), rest @ ..] => {
                let at = match self.parts.binary_search_by_key(index, |(part, _)| *part) {
                    Ok(at) => at,
                    Err(at) => {
                        let want = match rest {
                            [] => Want::Value(place),
                            _ => Want::Parts(Self::default()),
                        };
                        self.parts.insert(at, (*index, want));
                        at
                    }
                };
                if let Some((_, Want::Parts(parts))) = self.parts.get_mut(at) {
                    parts.insert(rest, place);
                }
            }
        }
    }
}

/// From the type to the member, step by step.
fn walk(root: Type, path: &Path) -> Result<(Vec<Step>, Class), Fault> {
    if path.segments.len() > limits::PATH {
        let most = limits::PATH;
        return Err((format!("a name has at most {most} parts"), path.span()));
    }
    let mut steps = Vec::new();
    let mut ty = root;
    for (segment, span) in &path.segments {
        let (step, inner) = step(ty, segment).map_err(|message| (message, span.clone()))?;
        steps.push(step);
        ty = present(inner).ok_or_else(|| (undescribed(), span.clone()))?;
    }
    match class(ty) {
        Some(class) => Ok((steps, class)),
        None => Err((
            format!("{} has no value to compare: name a part of it", kind(ty)),
            path.span(),
        )),
    }
}

fn step(ty: Type, segment: &Segment) -> Result<(Step, Describe), String> {
    look_up(ty, segment).ok_or_else(|| missing(ty, segment))
}

/// A part of a type, and of which type that is.
fn look_up(ty: Type, segment: &Segment) -> Option<(Step, Describe)> {
    match (ty, segment) {
        (Type::Structure(of), Segment::Name(name)) => {
            let index = of.members.iter().position(|member| member.name == name)?;
            Some((Step::Part(index), of.members.get(index)?.describe))
        }
        (Type::Union(of), Segment::Name(name)) => {
            match of.cases.iter().position(|case| case.name == name) {
                Some(index) => Some((Step::Part(index), of.cases.get(index)?.describe?)),
                None if name == DISCRIMINATOR => Some((Step::Discriminator, of.discriminator)),
                None => None,
            }
        }
        (Type::Sequence(element), Segment::Index(index)) => Some((Step::Part(*index), element)),
        (Type::Array(element, length), Segment::Index(index)) if *index < length => {
            Some((Step::Part(*index), element))
        }
        _ => None,
    }
}

/// Says that a type has no such part.
fn missing(ty: Type, segment: &Segment) -> String {
    match (ty, segment) {
        (Type::Structure(of), Segment::Name(name)) => {
            unknown(name, of.name, of.members.iter().map(|m| m.name))
        }
        (Type::Union(of), Segment::Name(name)) if of.cases.iter().any(|c| c.name == name) => {
            format!(
                "case {name} of union {} has no value: compare {DISCRIMINATOR}, its discriminator",
                of.name
            )
        }
        (Type::Union(of), Segment::Name(name)) => {
            let names = of.cases.iter().map(|case| case.name);
            unknown(name, of.name, names.chain([DISCRIMINATOR]))
        }
        (Type::Array(_, length), Segment::Index(index)) => {
            format!("element {index} is beyond the array, which has {length} of them")
        }
        (Type::Sequence(_) | Type::Array(..), Segment::Name(_)) => format!(
            "{} has elements, not members: an index in brackets is expected",
            kind(ty)
        ),
        (ty, Segment::Name(name)) => format!("{} has no member {name:?}", kind(ty)),
        (ty, Segment::Index(_)) => format!("{} has no elements", kind(ty)),
    }
}

/// What a value is of this type when it is there.
fn present(describe: Describe) -> Option<Type> {
    match describe()? {
        Type::Optional(of) => present(of),
        ty => Some(ty),
    }
}

fn class(ty: Type) -> Option<Class> {
    Some(match ty {
        Type::UInt8
        | Type::Int8
        | Type::UInt16
        | Type::Int16
        | Type::UInt32
        | Type::Int32
        | Type::UInt64
        | Type::Int64 => Class::Integer,
        Type::Float32 => Class::Single,
        Type::Float64 => Class::Double,
        Type::Boolean => Class::Boolean,
        Type::Char8 | Type::Char16 => Class::Character,
        Type::String => Class::Text,
        Type::Enumeration(of) => Class::Enumeration(of),
        _ => return None,
    })
}

/// What a type is to people.
fn kind(ty: Type) -> String {
    match ty {
        Type::Structure(of) => format!("struct {}", of.name),
        Type::Union(of) => format!("union {}", of.name),
        Type::Enumeration(of) => format!("enumeration {}", of.name),
        ty => format!("a value of type {}", ty.name()),
    }
}

fn undescribed() -> String {
    "the encoding of this member is written by hand and has no description: derive `Data` for its type, or implement \
     `Layout::describe`"
        .into()
}

/// The first part of a type that has no description; then nothing behind it can be found.
pub(crate) fn find_undescribed(of: &'static StructureType) -> Option<String> {
    let mut seen = Vec::new();
    structure_undescribed(of, &mut seen)
}

type Seen = Vec<*const ()>;

fn structure_undescribed(of: &'static StructureType, seen: &mut Seen) -> Option<String> {
    let place = core::ptr::from_ref(of).cast();
    if seen.contains(&place) {
        return None;
    }
    seen.push(place);
    let mut members = of.members.iter();
    members.find_map(|member| part_undescribed(of.name, member.name, member.describe, seen))
}

fn union_undescribed(of: &'static UnionType, seen: &mut Seen) -> Option<String> {
    let place = core::ptr::from_ref(of).cast();
    if seen.contains(&place) {
        return None;
    }
    seen.push(place);
    let mut cases = of.cases.iter();
    let cases = cases.find_map(|case| part_undescribed(of.name, case.name, case.describe?, seen));
    cases.or_else(|| part_undescribed(of.name, DISCRIMINATOR, of.discriminator, seen))
}

fn part_undescribed(of: &str, name: &str, describe: Describe, seen: &mut Seen) -> Option<String> {
    let mut part = |describe| part_undescribed(of, name, describe, seen);
    match describe() {
        None => Some(format!("member {name:?} of {of}: {}", undescribed())),
        Some(Type::Sequence(inner) | Type::Array(inner, _) | Type::Optional(inner)) => part(inner),
        Some(Type::Map(key, value)) => part(key).or_else(|| part(value)),
        Some(Type::Structure(of)) => structure_undescribed(of, seen),
        Some(Type::Union(of)) => union_undescribed(of, seen),
        Some(_) => None,
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
