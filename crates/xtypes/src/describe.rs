//! The type of a Rust type, from what its derived code says of it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::{
    CaseDescriptor, Describe, EnumerationType, Extensibility, Layout, MemberDescriptor,
    StructureType, Type, UnionType,
};

use crate::tree::Member;
use crate::{BuildError, DynamicType, Element, TypeIndex, TypeTreeBuilder, limits};

impl DynamicType {
    /// The type of a Rust type that derives `Topic` or `Data`.
    ///
    /// A name that IDL does not allow for a type has `_` for what is wrong with it.
    ///
    /// A `Box` is told from what is in it only where a type contains itself: there it is
    /// `@external`.
    ///
    /// # Errors
    /// [`BuildError::Undescribed`] if the encoding of a part of it was written by hand;
    /// [`BuildError::OptionalElement`] for an `Option` that is no member of a struct.
    pub fn of<T: Layout>() -> Result<Self, BuildError> {
        let ty = T::describe().ok_or_else(|| undescribed("the type"))?;
        let mut lowering = Lowering {
            types: TypeTreeBuilder::new(),
            named: Vec::new(),
        };
        let root = lowering.lower(ty, None, "the type")?;
        lowering.types.build(root)
    }
}

/// Types that are known by the place of their descriptions.
struct Named {
    place: *const (),
    index: TypeIndex,
    is_open: bool,
}

struct Lowering {
    types: TypeTreeBuilder,
    named: Vec<Named>,
}

impl Lowering {
    /// `part` is what an error says is wrong.
    fn lower(
        &mut self,
        ty: Type,
        bound: Option<usize>,
        part: &str,
    ) -> Result<TypeIndex, BuildError> {
        let bound = match bound {
            None => 0,
            Some(bound) => match u32::try_from(bound) {
                Ok(bound) if bound > 0 => bound,
                _ => {
                    return Err(BuildError::Bound {
                        part: part.into(),
                        bound,
                    });
                }
            },
        };
        Ok(match ty {
            Type::Boolean => TypeIndex::BOOLEAN,
            Type::UInt8 => TypeIndex::UINT8,
            Type::Int8 => TypeIndex::INT8,
            Type::UInt16 => TypeIndex::UINT16,
            Type::Int16 => TypeIndex::INT16,
            Type::UInt32 => TypeIndex::UINT32,
            Type::Int32 => TypeIndex::INT32,
            Type::UInt64 => TypeIndex::UINT64,
            Type::Int64 => TypeIndex::INT64,
            Type::Float32 => TypeIndex::FLOAT32,
            Type::Float64 => TypeIndex::FLOAT64,
            Type::Char8 => TypeIndex::CHAR8,
            Type::Char16 => TypeIndex::CHAR16,
            Type::String => self.types.string(bound),
            Type::Sequence(element) => {
                let element = self.element(element, part)?;
                self.types.sequence(element, bound)
            }
            Type::Array(element, length) => self.array(element, length, part)?,
            Type::Map(key, value) => {
                let (key, value) = (self.element(key, part)?, self.element(value, part)?);
                self.types.map(key, value, bound)
            }
            Type::Optional(_) => {
                return Err(BuildError::OptionalElement { part: part.into() });
            }
            Type::Enumeration(of) => self.enumeration(of),
            Type::Structure(of) => self.structure(of)?.ty,
            Type::Union(of) => self.union(of)?.ty,
        })
    }

    fn described(&mut self, describe: Describe, part: &str) -> Result<Type, BuildError> {
        describe().ok_or_else(|| undescribed(part))
    }

    /// What may contain the type that is being described.
    fn element(&mut self, describe: Describe, part: &str) -> Result<Element, BuildError> {
        let ty = self.described(describe, part)?;
        self.lower(ty, None, part).map(Element::from)
    }

    /// A part of the value itself: only by a `Box` can it be of the type that is being described.
    fn part(&mut self, ty: Type, bound: Option<usize>, part: &str) -> Result<Element, BuildError> {
        match ty {
            Type::Structure(of) => self.structure(of),
            Type::Union(of) => self.union(of),
            ty => self.lower(ty, bound, part).map(Element::from),
        }
    }

    /// One with several dimensions is described as an array of arrays.
    fn array(
        &mut self,
        element: Describe,
        length: usize,
        part: &str,
    ) -> Result<TypeIndex, BuildError> {
        let mut dimensions = Vec::new();
        let (mut element, mut length) = (element, length);
        loop {
            dimensions.push(u32::try_from(length).map_err(|_| BuildError::Dimensions {
                dimensions: format!("[{length}]"),
            })?);
            match self.described(element, part)? {
                Type::Array(inner, count) => (element, length) = (inner, count),
                ty => {
                    let element = self.part(ty, None, part)?;
                    return Ok(self.types.array(element, &dimensions));
                }
            }
        }
    }

    fn known(&self, place: *const ()) -> Option<Element> {
        let known = self.named.iter().find(|known| known.place == place)?;
        Some(Element {
            is_external: known.is_open,
            ..known.index.into()
        })
    }

    fn open(&mut self, place: *const (), name: &str) -> TypeIndex {
        let index = self.types.declare(&type_name(name));
        self.named.push(Named {
            place,
            index,
            is_open: true,
        });
        index
    }

    fn close(&mut self, index: TypeIndex) -> Element {
        let mut named = self.named.iter_mut();
        if let Some(known) = named.find(|known| known.index == index) {
            known.is_open = false;
        }
        index.into()
    }

    fn enumeration(&mut self, of: &'static EnumerationType) -> TypeIndex {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return known.ty;
        }
        let literals: Vec<(&str, i32)> = of.literals.iter().map(|l| (l.name, l.value)).collect();
        let bits = (8 * of.size) as u16;
        let default = Some(of.default);
        let appendable = Extensibility::Appendable;
        let index =
            self.types
                .enumeration(&type_name(of.name), appendable, bits, &literals, default);
        self.named.push(Named {
            place,
            index,
            is_open: false,
        });
        index
    }

    fn structure(&mut self, of: &'static StructureType) -> Result<Element, BuildError> {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return Ok(known);
        }
        let index = self.open(place, of.name);
        let members = of.members.iter().map(|member| self.member(of.name, member));
        let members: Vec<Member> = members.collect::<Result<_, _>>()?;
        let mut builder = self.types.define_structure(index, of.extensibility);
        for member in members {
            builder = builder.whole_member(member);
        }
        builder.finish();
        Ok(self.close(index))
    }

    fn member(&mut self, ty: &str, member: &MemberDescriptor) -> Result<Member, BuildError> {
        let part = format!("member {:?} of {ty:?}", member.name);
        let (inner, is_optional) = match self.described(member.describe, &part)? {
            Type::Optional(of) => (self.described(of, &part)?, true),
            inner => (inner, false),
        };
        let mut element = self.part(inner, member.bound, &part)?;
        // An optional member may be of any type.
        element.is_external &= !is_optional;
        Ok(Member {
            name: member.name.into(),
            id: member.id,
            element,
            is_key: member.is_key,
            is_optional,
            must_understand: member.must_understand && !member.is_key,
            annotations: None,
        })
    }

    fn union(&mut self, of: &'static UnionType) -> Result<Element, BuildError> {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return Ok(known);
        }
        let index = self.open(place, of.name);
        let discriminator = self.element(
            of.discriminator,
            &format!("the discriminator of {:?}", of.name),
        )?;
        let cases = of.cases.iter().map(|case| self.case(of.name, case));
        let cases: Vec<Option<Element>> = cases.collect::<Result<_, _>>()?;
        let mut builder = self
            .types
            .define_union(index, of.extensibility, discriminator);
        for (case, element) in of.cases.iter().zip(cases) {
            let mut labels = Vec::new();
            (case.labels)(&mut |label| labels.push(label));
            builder = match element {
                Some(element) => builder.case(case.name, element, &labels),
                None => builder.case_without_value(case.name, &labels),
            }
            .id(case.id);
            if case.is_default {
                builder = builder.default();
            }
        }
        builder.finish();
        Ok(self.close(index))
    }

    fn case(&mut self, ty: &str, case: &CaseDescriptor) -> Result<Option<Element>, BuildError> {
        let Some(describe) = case.describe else {
            return Ok(None);
        };
        let part = format!("case {:?} of {ty:?}", case.name);
        let inner = self.described(describe, &part)?;
        self.part(inner, case.bound, &part).map(Some)
    }
}

/// A Rust type may have any text as its name in the domain; what no name in IDL has is `_` in the
/// tree.
fn type_name(name: &str) -> String {
    let letter = |c: char| match c.is_control() || c.is_whitespace() || c == ':' {
        true => '_',
        false => c,
    };
    let mut all = String::new();
    for part in name.split("::") {
        if !all.is_empty() {
            all.push_str("::");
        }
        match part.is_empty() {
            true => all.push('_'),
            false => all.extend(part.chars().map(letter)),
        }
    }
    while all.len() > limits::NAME {
        all.pop();
    }
    all
}

fn undescribed(part: &str) -> BuildError {
    BuildError::Undescribed {
        part: String::from(part),
    }
}
