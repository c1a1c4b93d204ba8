//! The type of a Rust type, from what its derived code says of it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::{
    AliasDescriptor, AnnotationsDescriptor, BitmaskType, BitsetType, CaseDescriptor, Describe,
    ElementDescriptor, EnumerationType, Layout, MemberDescriptor, StructureType, Type, UnionType,
};

use crate::annotations::annotated;
use crate::tree::{Member, PRIMITIVES};
use crate::{
    Annotations, AutoId, BuildError, DynamicType, Element, TypeIndex, TypeKind, TypeTreeBuilder,
    limits,
};

impl DynamicType {
    /// The type of a Rust type that derives `Topic` or `Data`.
    ///
    /// A name that IDL does not allow for a type has `_` for what is wrong with it.
    ///
    /// A `Box` is `@external` where that is said, and where a type contains itself.
    ///
    /// # Errors
    /// [`BuildError::Undescribed`] if the encoding of a part of it was written by hand;
    /// [`BuildError::OptionalElement`] for an `Option` that is no member of a struct.
    pub fn of<T: Layout>() -> Result<Self, BuildError> {
        let ty = T::describe().ok_or_else(|| undescribed("the type"))?;
        let mut lowering = Lowering {
            types: TypeTreeBuilder::new(),
            named: Vec::new(),
            anonymous: BTreeMap::new(),
            aliases: BTreeMap::new(),
        };
        let root = lowering.lower(ty, Said::NOTHING, "the type")?;
        lowering.types.build(root.ty)
    }
}

/// Types that are known by the place of their descriptions.
struct Named {
    place: *const (),
    index: TypeIndex,
    is_open: bool,
}

/// A type without a name; equal ones are one node.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Anonymous {
    String8(u32),
    String16(u32),
    Sequence(Element, u32),
    Array(Element, Vec<u32>),
    Map(Element, Element, u32),
}

/// What is said of a part of a type, besides what it is.
#[derive(Clone, Copy)]
struct Said<'d> {
    of: &'d ElementDescriptor,
    /// What is said of the bytes in it.
    octet: Option<bool>,
}

impl<'d> Said<'d> {
    const NOTHING: Self = Self {
        of: &ElementDescriptor::NONE,
        octet: None,
    };

    fn of(of: &'d ElementDescriptor) -> Self {
        Self {
            of,
            octet: of.octet,
        }
    }

    /// What is said of a part of the part.
    fn inside(self, of: Option<&'static ElementDescriptor>) -> Said<'static> {
        let of = of.unwrap_or(&ElementDescriptor::NONE);
        Said {
            of,
            octet: of.octet.or(self.octet),
        }
    }

    fn bound(self, part: &str) -> Result<u32, BuildError> {
        match self.of.bound {
            None => Ok(0),
            Some(bound) => match u32::try_from(bound) {
                Ok(bound) if bound > 0 => Ok(bound),
                _ => Err(BuildError::Bound {
                    part: part.into(),
                    bound,
                }),
            },
        }
    }
}

struct Lowering {
    types: TypeTreeBuilder,
    named: Vec<Named>,
    anonymous: BTreeMap<Anonymous, TypeIndex>,
    aliases: BTreeMap<(&'static str, Element), TypeIndex>,
}

impl Lowering {
    /// A type with the names that stand for it. `part` is what an error says is wrong.
    fn lower(&mut self, ty: Type, said: Said<'_>, part: &str) -> Result<Element, BuildError> {
        let mut element = self.unnamed(ty, said, part)?;
        for alias in said.of.aliases.iter().rev() {
            element = self.alias(alias, element).into();
        }
        element.is_external |= said.of.is_external;
        element.try_construct = said.of.try_construct;
        Ok(element)
    }

    fn alias(&mut self, alias: &'static AliasDescriptor, of: Element) -> TypeIndex {
        let of = Element {
            is_external: of.is_external || alias.is_external,
            try_construct: alias.try_construct,
            ..of
        };
        let key = (alias.name, of);
        if let Some(known) = self.aliases.get(&key) {
            return *known;
        }
        let annotations = annotations(&alias.annotations);
        let index = self
            .types
            .annotated_alias(&type_name(alias.name), of, annotations);
        self.aliases.insert(key, index);
        index
    }

    fn unnamed(&mut self, ty: Type, said: Said<'_>, part: &str) -> Result<Element, BuildError> {
        let bound = said.bound(part)?;
        let anonymous = match ty {
            Type::String => Anonymous::String8(bound),
            Type::String16 => Anonymous::String16(bound),
            Type::Sequence(element) => {
                let element = self.element(element, said.inside(said.of.element), part)?;
                Anonymous::Sequence(element, bound)
            }
            Type::Array(element, length) => {
                let (element, dimensions) = self.array(element, length, said, part)?;
                Anonymous::Array(element, dimensions)
            }
            Type::Map(key, value) => {
                let key = self.element(key, said.inside(said.of.map_key), part)?;
                let value = self.element(value, said.inside(said.of.element), part)?;
                Anonymous::Map(key, value, bound)
            }
            Type::Row(of) => {
                let array = self.described(of, part)?;
                return self.unnamed(array, said, part);
            }
            Type::Optional(_) => {
                return Err(BuildError::OptionalElement { part: part.into() });
            }
            Type::Enumeration(of) => return Ok(self.enumeration(of).into()),
            Type::Bitmask(of) => return Ok(self.bitmask(of).into()),
            Type::Bitset(of) => return Ok(self.bitset(of).into()),
            Type::Structure(of) => return self.structure(of),
            Type::Union(of) => return self.union(of),
            ty => return Ok(primitive(ty, said.octet).into()),
        };
        Ok(self.anonymous(anonymous).into())
    }

    fn anonymous(&mut self, key: Anonymous) -> TypeIndex {
        if let Some(known) = self.anonymous.get(&key) {
            return *known;
        }
        let index = match &key {
            Anonymous::String8(bound) => self.types.string(*bound),
            Anonymous::String16(bound) => self.types.wide_string(*bound),
            Anonymous::Sequence(of, bound) => self.types.sequence(*of, *bound),
            Anonymous::Array(of, dimensions) => self.types.array(*of, dimensions),
            Anonymous::Map(key, value, bound) => self.types.map(*key, *value, *bound),
        };
        self.anonymous.insert(key, index);
        index
    }

    fn described(&mut self, describe: Describe, part: &str) -> Result<Type, BuildError> {
        describe().ok_or_else(|| undescribed(part))
    }

    /// What may contain the type that is being described.
    fn element(
        &mut self,
        describe: Describe,
        said: Said<'_>,
        part: &str,
    ) -> Result<Element, BuildError> {
        let ty = self.described(describe, part)?;
        let element = self.lower(ty, said, part)?;
        let is_external = said.of.is_external;
        Ok(Element {
            is_external,
            ..element
        })
    }

    /// One with several dimensions is described as an array of arrays, unless these have a name.
    fn array(
        &mut self,
        element: Describe,
        length: usize,
        said: Said<'_>,
        part: &str,
    ) -> Result<(Element, Vec<u32>), BuildError> {
        let mut dimensions = Vec::new();
        let (mut element, mut length) = (element, length);
        let mut inner = said.inside(said.of.element);
        loop {
            dimensions.push(u32::try_from(length).map_err(|_| BuildError::Dimensions {
                dimensions: format!("[{length}]"),
            })?);
            match self.described(element, part)? {
                Type::Array(of, count) if inner.of.aliases.is_empty() => {
                    (element, length) = (of, count);
                    inner = inner.inside(inner.of.element);
                }
                ty => return Ok((self.lower(ty, inner, part)?, dimensions)),
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

    /// What a type without members is.
    fn number<T>(
        &mut self,
        of: &'static T,
        add: impl FnOnce(&mut TypeTreeBuilder, &'static T) -> TypeIndex,
    ) -> TypeIndex {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return known.ty;
        }
        let index = add(&mut self.types, of);
        self.named.push(Named {
            place,
            index,
            is_open: false,
        });
        index
    }

    fn enumeration(&mut self, of: &'static EnumerationType) -> TypeIndex {
        self.number(of, |types, of| {
            let literals = of.literals.iter().map(|l| (l.name, l.value));
            let literals: Vec<(&str, i32)> = literals.collect();
            let (name, default) = (type_name(of.name), Some(of.default));
            let index =
                types.enumeration(&name, of.extensibility, of.bit_bound, &literals, default);
            if of.ignores_literal_names {
                types.ignore_literal_names(index);
            }
            index
        })
    }

    fn bitmask(&mut self, of: &'static BitmaskType) -> TypeIndex {
        self.number(of, |types, of| {
            let flags = of.flags.iter().map(|flag| (flag.name, flag.position));
            let flags: Vec<(&str, u16)> = flags.collect();
            types.bitmask(&type_name(of.name), of.extensibility, of.bit_bound, &flags)
        })
    }

    fn bitset(&mut self, of: &'static BitsetType) -> TypeIndex {
        self.number(of, |types, of| {
            let fields = of.fields.iter().map(|field| {
                let holder = primitive(field.holder, None);
                let kind = PRIMITIVES.get(holder.0 as usize).copied();
                let kind = kind.unwrap_or(TypeKind::Boolean);
                (field.name, field.position, field.size, kind)
            });
            let fields: Vec<_> = fields.collect();
            types.bitset(&type_name(of.name), &fields)
        })
    }

    fn structure(&mut self, of: &'static StructureType) -> Result<Element, BuildError> {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return Ok(known);
        }
        let index = self.open(place, of.name);
        let base = of.base.map(|base| self.base(of.name, base)).transpose()?;
        let (base, inherited) = base.unzip();
        let own = of.members.iter().skip(inherited.unwrap_or(0));
        let members = own.map(|member| self.member(of.name, member));
        let members: Vec<Member> = members.collect::<Result<_, _>>()?;
        let mut builder = self.types.define_structure(index, of.extensibility);
        builder = builder.auto_id(auto_id(of.has_hashed_ids));
        if of.is_nested {
            builder = builder.nested();
        }
        if let Some(base) = base {
            builder = builder.base(base);
        }
        for member in members {
            builder = builder.whole_member(member);
        }
        builder.finish();
        Ok(self.close(index))
    }

    /// A base, and how many members it has.
    fn base(&mut self, ty: &str, base: Describe) -> Result<(TypeIndex, usize), BuildError> {
        match self.described(base, &format!("the base of {ty:?}"))? {
            Type::Structure(of) => Ok((self.structure(of)?.ty, of.members.len())),
            other => Err(BuildError::Base {
                ty: ty.into(),
                base: other.name().into(),
            }),
        }
    }

    /// The type of a member, and whether it is optional.
    fn part(
        &mut self,
        describe: Describe,
        of: &ElementDescriptor,
        part: &str,
    ) -> Result<(Element, bool), BuildError> {
        let (inner, is_optional) = match self.described(describe, part)? {
            Type::Optional(of) => (self.described(of, part)?, true),
            inner => (inner, false),
        };
        let mut element = self.lower(inner, Said::of(of), part)?;
        // An optional member may be of any type.
        element.is_external &= !is_optional || of.is_external;
        Ok((element, is_optional))
    }

    fn member(&mut self, ty: &str, member: &MemberDescriptor) -> Result<Member, BuildError> {
        let part = format!("member {:?} of {ty:?}", member.name);
        let (element, is_optional) = self.part(member.describe, &member.element, &part)?;
        Ok(Member {
            name: member.name.into(),
            id: member.id,
            element,
            is_key: member.is_key,
            is_optional,
            must_understand: member.must_understand,
            annotations: annotated(annotations(&member.annotations)),
        })
    }

    fn union(&mut self, of: &'static UnionType) -> Result<Element, BuildError> {
        let place = core::ptr::from_ref(of).cast();
        if let Some(known) = self.known(place) {
            return Ok(known);
        }
        let index = self.open(place, of.name);
        let selects = &of.discriminator;
        let part = format!("the discriminator of {:?}", of.name);
        let discriminator = self.element(selects.describe, Said::of(&selects.element), &part)?;
        let cases = of.cases.iter().map(|case| self.case(of.name, case));
        let cases: Vec<Option<Element>> = cases.collect::<Result<_, _>>()?;
        let mut builder = self
            .types
            .define_union(index, of.extensibility, discriminator)
            .auto_id(auto_id(of.has_hashed_ids))
            .discriminator_annotations(annotations(&selects.annotations));
        if of.is_nested {
            builder = builder.nested();
        }
        if selects.is_key {
            builder = builder.key();
        }
        for (case, element) in of.cases.iter().zip(cases) {
            let mut labels = Vec::new();
            (case.labels)(&mut |label| labels.push(label));
            builder = match element {
                Some(element) => builder.case(case.name, element, &labels),
                None => builder.case_without_value(case.name, &labels),
            }
            .id(case.id)
            .annotations(annotations(&case.annotations));
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
        self.lower(inner, Said::of(&case.element), &part).map(Some)
    }
}

/// A primitive type. Bytes are octets, or not, as is said of them.
fn primitive(ty: Type, octet: Option<bool>) -> TypeIndex {
    match ty {
        Type::Octet if octet == Some(false) => TypeIndex::UINT8,
        Type::Octet => TypeIndex::BYTE,
        Type::UInt8 if octet == Some(true) => TypeIndex::BYTE,
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
        Type::Float128 => TypeIndex::FLOAT128,
        Type::Char8 => TypeIndex::CHAR8,
        Type::Char16 => TypeIndex::CHAR16,
        _ => TypeIndex::BOOLEAN,
    }
}

fn auto_id(is_hashed: bool) -> AutoId {
    match is_hashed {
        true => AutoId::Hash,
        false => AutoId::Sequential,
    }
}

fn annotations(of: &AnnotationsDescriptor) -> Annotations {
    Annotations {
        default: of.default.map(|value| value()),
        min: of.min.map(|value| value()),
        max: of.max.map(|value| value()),
        unit: of.unit.map(Into::into),
        hash_id: of.hash_id.map(Into::into),
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
