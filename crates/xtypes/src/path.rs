//! Members by their path: found in a type once, and then in payloads.

mod key;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use dunlin_cdr::{Endianness, Extensibility, Reader, Xcdr};

use crate::fixed::{Offsets, alignment, content};
use crate::payload::{body, open, representation};
use crate::skip::{skip, skip_elements, skip_member, take_discriminator};
use crate::transcode::Part;
use crate::tree::{Node, Structure, length};
use crate::{DynamicType, PathError, TypeIndex, TypeKind, ValueError, limits};

/// The discriminator of a union, by the name that vendors give it.
const DISCRIMINATOR: &str = "_d";
/// Names that an error lists.
const LISTED: usize = 12;

/// The way from a type to a member of it, such as `a.b[3].c`. A discriminator is `_d`.
///
/// It is looked up in the type once. Where all that comes before the member has a fixed length, its
/// place in a payload is a constant.
#[derive(Clone, Debug)]
pub struct MemberPath {
    root: DynamicType,
    target: DynamicType,
    kind: TypeKind,
    steps: Vec<Step>,
    is_mutable: bool,
    /// The bytes of the value, if it is a number.
    size: usize,
    /// Where the value always is, in XCDR1 and XCDR2.
    fixed: [Option<usize>; 2],
}

/// A step down from a type, whose aliases are resolved.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: TypeIndex,
    to: To,
}

#[derive(Clone, Copy, Debug)]
enum To {
    Member(u32),
    Case(u32),
    Discriminator,
    Element(usize),
}

#[derive(Clone, Copy)]
enum Segment<'s> {
    Name(&'s str),
    Index(u64),
}

impl MemberPath {
    /// Looks a member up.
    ///
    /// # Errors
    /// [`PathError`] if there is no such member.
    pub fn new(ty: &DynamicType, path: &str) -> Result<Self, PathError> {
        let segments = parse(path)?;
        let mut segments = segments.iter().copied();
        let mut at = ty.resolved();
        let mut steps = Vec::new();
        while let Some(segment) = segments.next() {
            let (to, next) = match segment {
                Segment::Name(name) => by_name(&at, name)?,
                Segment::Index(index) => by_index(&at, index, &mut segments)?,
            };
            let from = at.index();
            steps.push(Step { from, to });
            at = at.at(next).resolved();
        }
        let fixed = [Xcdr::V1, Xcdr::V2].map(|xcdr| fixed(ty, &steps, at.index(), xcdr));
        Ok(Self {
            root: ty.clone(),
            kind: at.kind(),
            size: ty.tree().facts(at.index()).size.into(),
            is_mutable: ty.extensibility() == Extensibility::Mutable,
            target: at,
            steps,
            fixed,
        })
    }

    /// The type of the member, without aliases.
    pub fn target(&self) -> &DynamicType {
        &self.target
    }

    /// Where the member is in every payload, counted from behind the encapsulation header (and
    /// behind the DHEADER of the outermost type, if it has one); `None` if that differs between
    /// payloads.
    pub fn fixed_offset(&self, xcdr: Xcdr) -> Option<usize> {
        let [v1, v2] = self.fixed;
        match xcdr {
            Xcdr::V1 => v1,
            Xcdr::V2 => v2,
        }
    }

    /// Finds the member in a payload of the type; `None` if it is absent, beyond the end of a
    /// sequence, in a case that is not selected, or unknown to the older version of the type that
    /// the sender has. Of a member of a mutable type that comes twice the last counts; else nothing
    /// behind the member is looked at. Does not allocate.
    ///
    /// # Errors
    /// Whatever makes it impossible to tell where the member is.
    #[inline]
    pub fn locate<'a>(&self, payload: &'a [u8]) -> Result<Option<Located<'a>>, ValueError> {
        match self.locate_at_fixed_offset(payload) {
            Some(found) => Ok(Some(found)),
            None => self.search(payload),
        }
    }

    /// Finds the member if it is where [`fixed_offset`](Self::fixed_offset) says, and nothing is
    /// odd with the payload; otherwise [`locate`](Self::locate) may find it still.
    #[inline]
    pub fn locate_at_fixed_offset<'a>(&self, payload: &'a [u8]) -> Option<Located<'a>> {
        let (id, body) = body(payload).ok()?;
        let (xcdr, begin, data) = content(id, body, self.is_mutable)?;
        let begin = begin + self.fixed_offset(xcdr)?;
        Some(Located {
            bytes: data.get(begin..begin + self.size)?,
            kind: self.kind,
            endianness: match id & 1 {
                0 => Endianness::Big,
                _ => Endianness::Little,
            },
        })
    }

    /// The ids of the members on the way.
    ///
    /// # Errors
    /// The type on the way that is no structure.
    pub(crate) fn ids(&self) -> Result<Vec<u32>, TypeIndex> {
        let ids = self.steps.iter().map(|step| match step.to {
            To::Member(id) => Ok(id),
            _ => Err(step.from),
        });
        ids.collect()
    }

    /// A reader at the member, in a payload of the type or, `from_key`, in that of a dispose
    /// message with the headers of its members; `None` as [`locate`](Self::locate) has it.
    #[inline]
    pub(crate) fn reader<'a>(
        &self,
        payload: &'a [u8],
        from_key: bool,
    ) -> Result<Option<Reader<'a>>, ValueError> {
        let mut r = open(payload, self.root.extensibility())?.reader;
        let mut part = match from_key {
            true => Part::Key,
            false => Part::Whole,
        };
        for step in &self.steps {
            let is_there = match part {
                Part::Whole => self.enter(&mut r, *step)?,
                Part::Key => self.enter_key(&mut r, *step, &mut part)?,
            };
            if !is_there {
                return Ok(None);
            }
        }
        Ok(Some(r))
    }

    /// The value of a number of these bytes.
    pub(crate) fn read<'a>(&self, bytes: &'a [u8], endianness: Endianness) -> Option<Value<'a>> {
        let kind = self.kind;
        let located = Located {
            bytes,
            kind,
            endianness,
        };
        located.value()
    }

    fn search<'a>(&self, payload: &'a [u8]) -> Result<Option<Located<'a>>, ValueError> {
        let mut r = open(payload, self.root.extensibility())?.reader;
        for step in &self.steps {
            if !self.enter(&mut r, *step)? {
                return Ok(None);
            }
        }
        let (tree, index) = (self.root.tree(), self.target.index());
        r.align(alignment(tree, index, r.xcdr()));
        let mut begin = r.clone();
        skip(tree, &mut r, index)?;
        let length = r.position().saturating_sub(begin.position());
        Ok(Some(Located {
            bytes: begin.take_slice(length)?,
            kind: self.kind,
            endianness: representation(payload)?.endianness,
        }))
    }

    /// Goes to a part of the value that the reader is at; false if there is none.
    fn enter(&self, r: &mut Reader<'_>, step: Step) -> Result<bool, ValueError> {
        let tree = self.root.tree();
        match (tree.node(step.from), step.to) {
            (Node::Structure(of), To::Member(id)) => self.enter_member(r, of, id),
            (Node::Union(of), to) => {
                let id = match to {
                    To::Case(case) => of.cases.get(case as usize).map_or(0, |case| case.id),
                    _ => 0,
                };
                let scope = r.begin(of.extensibility)?;
                if of.extensibility == Extensibility::Mutable {
                    return self.enter_labelled_union(r, of, id);
                }
                if !r.has_more(&scope) {
                    return Ok(false);
                }
                if id == 0 {
                    return Ok(true);
                }
                let number = take_discriminator(tree, r, of)?;
                let is_selected = of.select(number).is_some_and(|case| case.id == id);
                Ok(is_selected && r.has_more(&scope))
            }
            (Node::Sequence { element, .. }, To::Element(index)) => {
                let _scope = r.begin_collection(tree.is_primitive(*element))?;
                if r.take_length()? <= index {
                    return Ok(false);
                }
                skip_elements(tree, r, *element, index)?;
                Ok(true)
            }
            (Node::Array { element, .. }, To::Element(index)) => {
                let _scope = r.begin_collection(tree.is_primitive(*element))?;
                skip_elements(tree, r, *element, index)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn enter_member(
        &self,
        r: &mut Reader<'_>,
        of: &Structure,
        id: u32,
    ) -> Result<bool, ValueError> {
        let tree = self.root.tree();
        let scope = r.begin(of.extensibility)?;
        if of.extensibility == Extensibility::Mutable {
            return find_labelled(r, id);
        }
        for member in tree.members(of) {
            if !r.has_more(&scope) {
                return Ok(false);
            }
            if member.id != id {
                skip_member(tree, r, member)?;
            } else if member.is_optional {
                let present = r.begin_optional(id)?;
                return Ok(present.is_some());
            } else {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The discriminator may come behind the member.
    fn enter_labelled_union(
        &self,
        r: &mut Reader<'_>,
        of: &crate::tree::Union,
        id: u32,
    ) -> Result<bool, ValueError> {
        if id != 0 {
            let mut r = r.clone();
            if !find_labelled(&mut r, 0)? {
                return Ok(false);
            }
            let number = take_discriminator(self.root.tree(), &mut r, of)?;
            if of.select(number).is_none_or(|case| case.id != id) {
                return Ok(false);
            }
        }
        find_labelled(r, id)
    }
}

/// Goes to the member of this id of a mutable type. Of those that come twice the last counts, as
/// for whoever reads the whole value, so that nobody is shown another value than the others see.
fn find_labelled(r: &mut Reader<'_>, id: u32) -> Result<bool, ValueError> {
    let mut found = None;
    while let Some(member) = r.next_member()? {
        r.take_steps(1)?;
        if member.id() == id {
            found = Some(r.clone());
        }
        r.end_member(member);
    }
    let Some(mut found) = found else {
        return Ok(false);
    };
    found.set_steps(r.steps());
    *r = found;
    Ok(true)
}

/// Where the number at the end of the steps always is.
fn fixed(ty: &DynamicType, steps: &[Step], target: TypeIndex, xcdr: Xcdr) -> Option<usize> {
    let tree = ty.tree();
    let mut offsets = Offsets::new(tree, xcdr);
    let mut at = 0;
    for (depth, step) in steps.iter().enumerate() {
        at = match (tree.node(step.from), step.to) {
            (Node::Structure(of), To::Member(id)) => {
                let is_root = depth == 0 && of.extensibility != Extensibility::Mutable;
                if !is_root && !offsets.is_open(of) {
                    return None;
                }
                if tree.member_by_id(of, id)?.element.is_external {
                    return None;
                }
                offsets.members(at, of, Some(id))?
            }
            (Node::Array { element, .. }, To::Element(index)) => {
                offsets.element(at, *element, index)?
            }
            _ => return None,
        };
    }
    offsets.number(at, target)
}

fn by_name(at: &DynamicType, name: &str) -> Result<(To, TypeIndex), PathError> {
    match at.node() {
        Node::Structure(of) => {
            if let Some(member) = at.tree().member_by_name(of, name) {
                return Ok((To::Member(member.id), member.element.ty));
            }
        }
        Node::Union(of) => match of.cases.iter().position(|case| &*case.name == name) {
            Some(index) => {
                let element = of.cases.get(index).and_then(|case| case.element);
                let element = element.ok_or_else(|| PathError::NoValue {
                    ty: at.words(),
                    name: name.into(),
                })?;
                return Ok((To::Case(index as u32), element.ty));
            }
            None if name == DISCRIMINATOR => return Ok((To::Discriminator, of.discriminator.ty)),
            None => {}
        },
        _ => {}
    }
    Err(PathError::NoMember {
        ty: at.words(),
        name: name.into(),
        members: listed(at),
    })
}

/// The first few members.
fn listed(of: &DynamicType) -> String {
    let members = of.members().map(|member| member.name());
    let cases = of.cases().iter().map(|case| case.name());
    let mut names: Vec<&str> = members.chain(cases).take(LISTED + 1).collect();
    if names.len() > LISTED {
        names.truncate(LISTED);
        names.push("...");
    }
    match names.is_empty() {
        true => "none".into(),
        false => names.join(", "),
    }
}

fn by_index<'s>(
    at: &DynamicType,
    index: u64,
    more: &mut impl Iterator<Item = Segment<'s>>,
) -> Result<(To, TypeIndex), PathError> {
    let beyond = |index: u64, length: u64| PathError::OutOfRange {
        ty: at.words(),
        index,
        length,
    };
    match at.node() {
        Node::Sequence { element, bound } => {
            let length = match bound {
                0 => u32::MAX.into(),
                bound => u64::from(*bound),
            };
            match usize::try_from(index) {
                Ok(place) if index < length => Ok((To::Element(place), element.ty)),
                _ => Err(beyond(index, length)),
            }
        }
        Node::Array {
            element,
            dimensions,
        } => {
            let mut place = 0_usize;
            let mut next = Some(index);
            for dimension in dimensions {
                let Some(index) = next.take().or_else(|| match more.next() {
                    Some(Segment::Index(index)) => Some(index),
                    _ => None,
                }) else {
                    return Err(PathError::TooFewIndexes {
                        ty: at.words(),
                        dimensions: dimensions.len(),
                    });
                };
                if index >= u64::from(*dimension) {
                    return Err(beyond(index, (*dimension).into()));
                }
                place = place
                    .saturating_mul(*dimension as usize)
                    .saturating_add(index as usize);
            }
            Ok((To::Element(place.min(length(dimensions))), element.ty))
        }
        _ => Err(PathError::NoElements {
            ty: at.words(),
            index,
        }),
    }
}

/// A name, and what follows it: indexes, and further names behind dots.
fn parse(path: &str) -> Result<Vec<Segment<'_>>, PathError> {
    let mut segments = Vec::new();
    let mut rest = path;
    loop {
        let syntax = |rest: &str| PathError::Syntax {
            path: path.to_string(),
            at: path.len() - rest.len(),
        };
        let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if name.is_empty() {
            return Err(syntax(rest));
        }
        segments.push(Segment::Name(name));
        rest = behind;
        while let Some(inner) = rest.strip_prefix('[') {
            let (digits, behind) = inner.split_once(']').ok_or_else(|| syntax(rest))?;
            let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
            let index = digits.parse().ok().filter(|_| is_number);
            segments.push(Segment::Index(index.ok_or_else(|| syntax(inner))?));
            rest = behind;
        }
        if segments.len() > limits::PATH {
            return Err(PathError::TooLong {
                path: path.chars().take(limits::NAME).collect(),
            });
        }
        if rest.is_empty() {
            return Ok(segments);
        }
        rest = rest.strip_prefix('.').ok_or_else(|| syntax(rest))?;
    }
}

/// A member in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<'a> {
    bytes: &'a [u8],
    kind: TypeKind,
    endianness: Endianness,
}

/// What a member is. Text is not checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A boolean: all but 0 is true.
    Boolean(bool),
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer, an octet, a bitmask or a bitset.
    Unsigned(u64),
    /// A float.
    Float32(f32),
    /// A double.
    Float64(f64),
    /// A long double, IEEE binary128, most significant byte first.
    Float128([u8; 16]),
    /// A character of 8 bits, in whatever character set the two sides agreed on.
    Char8(u8),
    /// A UTF-16 code unit.
    Char16(u16),
    /// The number of an enumerator.
    Enumerator(i32),
    /// The bytes of a string without NUL.
    Text(&'a [u8]),
}

impl<'a> Located<'a> {
    /// The bytes of the value, without the padding before it: with the length and the NUL of a
    /// string, and with the headers of what has some.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The byte order of the bytes.
    pub fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// The value of a number, character or string; `None` if it consists of others, or is a wide
    /// string.
    #[inline]
    pub fn value(&self) -> Option<Value<'a>> {
        if self.kind == TypeKind::String8 {
            let text = self.bytes.get(4..)?;
            return text.split_last().map(|(_, text)| Value::Text(text));
        }
        if let Ok(mut bytes) = <[u8; 16]>::try_from(self.bytes) {
            if self.endianness == Endianness::Little {
                bytes.reverse();
            }
            return Some(Value::Float128(bytes)).filter(|_| self.kind == TypeKind::Float128);
        }
        let bits = self.bits()?;
        Some(match self.kind {
            TypeKind::Boolean => Value::Boolean(bits != 0),
            TypeKind::Int8 => Value::Signed((bits as u8).cast_signed().into()),
            TypeKind::Int16 => Value::Signed((bits as u16).cast_signed().into()),
            TypeKind::Int32 => Value::Signed((bits as u32).cast_signed().into()),
            TypeKind::Int64 => Value::Signed(bits.cast_signed()),
            TypeKind::Float32 => Value::Float32(f32::from_bits(bits as u32)),
            TypeKind::Float64 => Value::Float64(f64::from_bits(bits)),
            TypeKind::Char8 => Value::Char8(bits as u8),
            TypeKind::Char16 => Value::Char16(bits as u16),
            TypeKind::Enumeration => Value::Enumerator(match self.bytes.len() {
                1 => (bits as u8).cast_signed().into(),
                2 => (bits as u16).cast_signed().into(),
                _ => (bits as u32).cast_signed(),
            }),
            TypeKind::Byte
            | TypeKind::UInt8
            | TypeKind::UInt16
            | TypeKind::UInt32
            | TypeKind::UInt64
            | TypeKind::Bitmask
            | TypeKind::Bitset => Value::Unsigned(bits),
            _ => return None,
        })
    }

    #[inline]
    fn bits(&self) -> Option<u64> {
        let is_big = self.endianness == Endianness::Big;
        macro_rules! number {
            ($type:ty) => {
                match <[u8; size_of::<$type>()]>::try_from(self.bytes) {
                    Ok(bytes) if is_big => Some(<$type>::from_be_bytes(bytes).into()),
                    Ok(bytes) => Some(<$type>::from_le_bytes(bytes).into()),
                    Err(_) => None,
                }
            };
        }
        match self.bytes.len() {
            1 => number!(u8),
            2 => number!(u16),
            4 => number!(u32),
            8 => number!(u64),
            _ => None,
        }
    }
}
