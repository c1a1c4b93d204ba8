//! What is wanted of a sample, as a part of its type's tree.

use alloc::vec::Vec;

use dunlin_cdr::{Error, Extensibility, Reader, Xcdr};
use dunlin_xtypes::{DynamicType, Element, Located, TypeKind, ValueError};

use crate::value::{Number, Value};

/// A step from a type to a part of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// A member of a structure or a case of a union, by its place in the type; an element.
    Part(usize),
    Discriminator,
}

/// What is wanted of a value.
#[derive(Debug)]
pub(crate) enum Want {
    /// Itself; it goes to this place.
    Value(u8, Scalar),
    /// Parts of it.
    Parts(Parts),
}

/// A part of a value that is wanted.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its place in the type, or which element it is.
    pub(crate) at: usize,
    /// Its member id, if it is no element.
    pub(crate) id: u32,
    pub(crate) is_optional: bool,
    pub(crate) want: Want,
}

/// Members of a structure, elements of a collection or cases of a union, ascending by their place
/// in the type.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Without aliases.
    pub(crate) ty: DynamicType,
    pub(crate) kind: TypeKind,
    pub(crate) extensibility: Extensibility,
    pub(crate) parts: Vec<Part>,
    pub(crate) discriminator: Option<u8>,
    /// How the discriminator of a union is read.
    pub(crate) selector: Scalar,
    /// The case and the discriminator that a sender means who lacks the union.
    pub(crate) default_case: (u32, i64),
    /// Whether the elements of a collection are primitive.
    pub(crate) is_flat: bool,
    /// Steps that the label of a member takes: one for each base, in which it may be.
    pub(crate) label_steps: usize,
}

impl Parts {
    /// Nothing yet of this type.
    pub(crate) fn new(ty: DynamicType) -> Self {
        let is_flat = ty.element().is_some_and(|of| ty.at(of.ty).is_primitive());
        let selector = ty.discriminator().map(|of| Scalar::of(&ty.at(of.ty)));
        let mut label_steps = 1;
        let mut base = ty.base();
        while let Some(of) = base {
            label_steps += 1;
            base = of.base();
        }
        Self {
            parts: Vec::new(),
            discriminator: None,
            selector: selector.unwrap_or_default(),
            default_case: default_case(&ty),
            is_flat,
            label_steps,
            kind: ty.kind(),
            extensibility: ty.extensibility(),
            ty,
        }
    }

    /// Wants what the steps lead to; its value goes to this place.
    pub(crate) fn insert(&mut self, steps: &[Step], place: u8) {
        match steps {
            [] => {}
            [Step::Discriminator, ..] => self.discriminator = Some(place),
            [Step::Part(index), rest @ ..] => {
                let at = match self.parts.binary_search_by_key(index, |part| part.at) {
                    Ok(at) => at,
                    Err(at) => {
                        let Some(part) = self.part(*index, rest.is_empty(), place) else {
                            return;
                        };
                        self.parts.insert(at, part);
                        at
                    }
                };
                if let Some(Want::Parts(parts)) = self.parts.get_mut(at).map(|part| &mut part.want)
                {
                    parts.insert(rest, place);
                }
            }
        }
    }

    fn part(&self, at: usize, is_last: bool, place: u8) -> Option<Part> {
        let of = |element: Element| self.ty.at(element.ty).resolved();
        let (id, is_optional, ty) = match self.kind {
            TypeKind::Structure => {
                let member = self.ty.members().nth(at)?;
                (member.id(), member.is_optional(), of(member.element()))
            }
            TypeKind::Union => {
                let case = self.ty.cases().get(at)?;
                (case.id(), false, of(case.element()?))
            }
            _ => (0, false, of(self.ty.element()?)),
        };
        let want = match is_last {
            true => Want::Value(place, Scalar::of(&ty)),
            false => Want::Parts(Self::new(ty)),
        };
        Some(Part {
            at,
            id,
            is_optional,
            want,
        })
    }
}

/// What a sender means that lacks a union: the id of a case, and a discriminator that selects it.
fn default_case(ty: &DynamicType) -> (u32, i64) {
    let cases = ty.cases();
    let default = cases.iter().find(|case| case.is_default());
    let Some(case) = default.or(cases.first()) else {
        return (0, 0);
    };
    let selects = |number: &i64| ty.select(*number).is_some_and(|one| one.id() == case.id());
    let labelled = case.labels().first().copied();
    // The default without labels is selected by one of the first numbers, of which there is one
    // more than labels.
    let labels: usize = cases.iter().map(|case| case.labels().len()).sum();
    let number = labelled.or_else(|| (0..=labels as i64).find(selects));
    (case.id(), number.unwrap_or(0))
}

/// How a value is read that is no other values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scalar {
    kind: TypeKind,
    /// Bytes on the wire, if it is a number.
    size: usize,
    /// The number that a sender means who lacks it.
    default: i32,
}

impl Default for Scalar {
    fn default() -> Self {
        Self {
            kind: TypeKind::Boolean,
            size: 1,
            default: 0,
        }
    }
}

impl Scalar {
    pub(crate) fn of(ty: &DynamicType) -> Self {
        let ty = ty.resolved();
        Self {
            kind: ty.kind(),
            size: ty.number_size().unwrap_or(0),
            default: ty.default_literal().map_or(0, |literal| literal.value()),
        }
    }

    /// Reads a value.
    #[inline]
    pub(crate) fn read<'a>(self, r: &mut Reader<'a>) -> Result<Value<'a>, Error> {
        Ok(match (self.kind, self.size) {
            (TypeKind::String8, _) => Value::Text(text(r)?),
            (TypeKind::Enumeration, size) => signed(r.take_enumerator(size)?),
            (TypeKind::Float32, _) => Value::Float(f32::from_bits(r.take_u32()?).into()),
            (TypeKind::Float64, _) => Value::Float(f64::from_bits(r.take_u64()?)),
            (TypeKind::Int32, _) => signed(r.take_u32()?.cast_signed()),
            (_, 4) => signed(r.take_u32()?),
            (TypeKind::Int64, _) => signed(r.take_u64()?.cast_signed()),
            (_, 8) => Value::Number(Number::from(r.take_u64()?)),
            (TypeKind::Int16, _) => signed(r.take_u16()?.cast_signed()),
            (TypeKind::Char16, _) => Value::Character(r.take_u16()?.into()),
            (_, 2) => signed(r.take_u16()?),
            (kind, 1) => match (kind, r.take()?) {
                (TypeKind::Boolean, [byte @ (0 | 1)]) => Value::Boolean(byte == 1),
                (TypeKind::Boolean, [other]) => return Err(Error::InvalidBool(other)),
                (TypeKind::Char8, [byte]) => Value::Character(byte.into()),
                (TypeKind::Int8, [byte]) => signed(byte.cast_signed()),
                (_, [byte]) => signed(byte),
            },
            // The expression was checked against the type.
            _ => return Err(Error::Undescribed),
        })
    }

    /// The value of a member that is where it always is.
    pub(crate) fn read_located<'a>(self, found: &Located<'a>) -> Result<Value<'a>, ValueError> {
        let mut r = Reader::new(found.bytes(), Xcdr::V2, found.endianness());
        Ok(self.read(&mut r)?)
    }

    /// A discriminator as a value of its type.
    pub(crate) fn selector(self, number: i64) -> Value<'static> {
        match self.kind {
            TypeKind::Boolean => Value::Boolean(number != 0),
            TypeKind::Char8 | TypeKind::Char16 => {
                Value::Character(u32::try_from(number).unwrap_or(0))
            }
            TypeKind::UInt64 => Value::Number(Number::from(number.cast_unsigned())),
            _ => signed(number),
        }
    }

    /// The value of a member that the sender's version of the type lacks (DDS-XTypes 1.3
    /// 7.2.2.4.4.4.7).
    pub(crate) fn default_value(self) -> Value<'static> {
        match self.kind {
            TypeKind::String8 => Value::Text(&[]),
            TypeKind::Float32 | TypeKind::Float64 => Value::Float(0.0),
            _ => self.selector(self.default.into()),
        }
    }
}

fn signed(number: impl Into<i64>) -> Value<'static> {
    Value::Number(Number::Signed(number.into()))
}

fn text<'a>(r: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    let length = r.take_length()?;
    match r.take_slice(length)?.split_last() {
        Some((0, text)) => Ok(text),
        _ => Err(Error::StringTermination),
    }
}
