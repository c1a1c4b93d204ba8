//! The types of a tree: nodes that refer to each other by index.
//!
//! A type that contains itself needs no pointer that leads back, and nothing that a peer sends can
//! make one. The tree does not change once it is built, so all that use it share it without a lock.

use alloc::boxed::Box;
use alloc::sync::Arc;

pub use dunlin_cdr::TryConstruct;
use dunlin_cdr::{Extensibility, Xcdr};

use crate::annotations::Annotated;
use crate::{Annotations, DynamicType, TypeKind};

/// The place of a type in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeIndex(pub(crate) u32);

macro_rules! primitives {
    ($($name:ident = $index:literal, $kind:ident;)*) => {
        /// The primitive types are at the same places in all trees.
        #[allow(missing_docs, reason = "the primitive types are their names")]
        impl TypeIndex {
            $(pub const $name: Self = Self($index);)*
        }

        /// In the order of their indexes.
        pub(crate) const PRIMITIVES: &[TypeKind] = &[$(TypeKind::$kind),*];
    };
}

primitives!(
    BOOLEAN = 0, Boolean;
    BYTE = 1, Byte;
    INT8 = 2, Int8;
    UINT8 = 3, UInt8;
    INT16 = 4, Int16;
    UINT16 = 5, UInt16;
    INT32 = 6, Int32;
    UINT32 = 7, UInt32;
    INT64 = 8, Int64;
    UINT64 = 9, UInt64;
    FLOAT32 = 10, Float32;
    FLOAT64 = 11, Float64;
    FLOAT128 = 12, Float128;
    CHAR8 = 13, Char8;
    CHAR16 = 14, Char16;
);

/// What a collection, an alias or a member consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// Its type.
    pub ty: TypeIndex,
    /// What happens to values that the type cannot hold.
    pub try_construct: TryConstruct,
    /// `@external`: it is reached by a reference, so a type may contain itself through it.
    pub is_external: bool,
}

impl From<TypeIndex> for Element {
    fn from(ty: TypeIndex) -> Self {
        Self {
            ty,
            try_construct: TryConstruct::default(),
            is_external: false,
        }
    }
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    pub(crate) element: Element,
    pub(crate) is_key: bool,
    pub(crate) is_optional: bool,
    pub(crate) must_understand: bool,
    pub(crate) annotations: Annotated,
}

impl Member {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its member id, 28 bits.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its type, and how it is held.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Part of the key.
    pub fn is_key(&self) -> bool {
        self.is_key
    }

    /// It may be absent.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// A reader that does not know it has to refuse the sample. This is the annotation; headers of
    /// keys have the bit in any case.
    pub fn must_understand(&self) -> bool {
        self.must_understand
    }

    /// Its other annotations, if it has any.
    pub fn annotations(&self) -> Option<&Annotations> {
        self.annotations.as_deref()
    }
}

/// A case of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub(crate) name: Box<str>,
    pub(crate) id: u32,
    pub(crate) element: Option<Element>,
    pub(crate) labels: Box<[i64]>,
    pub(crate) is_default: bool,
    pub(crate) annotations: Annotated,
}

impl Case {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its member id, 28 bits.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its type; `None` if there is no value with these labels, as a variant without data in Rust.
    pub fn element(&self) -> Option<Element> {
        self.element
    }

    /// The discriminators that select it. A `u64` is given as the `i64` of the same bits.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// All discriminators select it that select no other case.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// Its other annotations, if it has any.
    pub fn annotations(&self) -> Option<&Annotations> {
        self.annotations.as_deref()
    }
}

/// A name for a number of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    pub(crate) name: Box<str>,
    pub(crate) value: i32,
}

impl Literal {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number.
    pub fn value(&self) -> i32 {
        self.value
    }
}

/// A bit of a bitmask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub(crate) name: Box<str>,
    pub(crate) position: u16,
}

impl Flag {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which bit it is; 0 is the least significant.
    pub fn position(&self) -> u16 {
        self.position
    }
}

/// Neighbouring bits of a bitset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitfield {
    pub(crate) name: Box<str>,
    pub(crate) position: u16,
    pub(crate) size: u8,
    pub(crate) holder: TypeKind,
}

impl Bitfield {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its least significant bit.
    pub fn position(&self) -> u16 {
        self.position
    }

    /// How many bits it has.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// The type of its value in programs.
    pub fn holder(&self) -> TypeKind {
        self.holder
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) name: Box<str>,
    pub(crate) element: Element,
    pub(crate) annotations: Annotated,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Enumeration {
    pub(crate) name: Box<str>,
    pub(crate) extensibility: Extensibility,
    /// Its TypeObject has no flag for the extensibility, so any other one fits.
    pub(crate) fits_any_extensibility: bool,
    pub(crate) bit_bound: u16,
    pub(crate) literals: Box<[Literal]>,
    pub(crate) default: i32,
    pub(crate) ignores_literal_names: bool,
    /// Ascending.
    pub(crate) values: Box<[i32]>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bitmask {
    pub(crate) name: Box<str>,
    pub(crate) extensibility: Extensibility,
    /// Its TypeObject has no flag for the extensibility, so any other one fits.
    pub(crate) fits_any_extensibility: bool,
    pub(crate) bit_bound: u16,
    pub(crate) flags: Box<[Flag]>,
    pub(crate) mask: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bitset {
    pub(crate) name: Box<str>,
    pub(crate) fields: Box<[Bitfield]>,
    pub(crate) bits: u16,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Structure {
    pub(crate) name: Box<str>,
    pub(crate) extensibility: Extensibility,
    pub(crate) is_nested: bool,
    pub(crate) has_hashed_ids: bool,
    /// A structure, aliases resolved.
    pub(crate) base: Option<TypeIndex>,
    /// In the order of their declaration, without those of the base.
    pub(crate) members: Box<[Member]>,
    /// Ids and the members that have them, ascending by id.
    pub(crate) by_id: Box<[(u32, u32)]>,
    /// Members, ascending by name.
    pub(crate) by_name: Box<[u32]>,
    /// A member of it or of a base is part of the key.
    pub(crate) has_key: bool,
    /// Its first members, as far as they are numbers.
    pub(crate) front: Front,
}

impl Front {
    pub(crate) fn lengths(&self, xcdr: Xcdr) -> &[u32; 8] {
        let [v1, v2] = &self.lengths;
        match xcdr {
            Xcdr::V1 => v1,
            Xcdr::V2 => v2,
        }
    }
}

/// Members that stand one behind the other in any value of their type, and of which every bit
/// pattern is a value: they are passed over, and validated, by one look at the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Front {
    /// How many members; 0 or 1 if that is not worth it.
    pub(crate) members: usize,
    /// Their bytes in XCDR1 and in XCDR2, by the place modulo 8 at which they begin.
    pub(crate) lengths: [[u32; 8]; 2],
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Union {
    pub(crate) name: Box<str>,
    pub(crate) extensibility: Extensibility,
    pub(crate) is_nested: bool,
    pub(crate) has_hashed_ids: bool,
    pub(crate) discriminator: Element,
    pub(crate) is_key: bool,
    /// Those of the discriminator.
    pub(crate) annotations: Annotated,
    pub(crate) cases: Box<[Case]>,
    /// Labels and the cases that they select, ascending by label.
    pub(crate) by_label: Box<[(i64, u32)]>,
    /// Ids and the cases that have them, ascending by id.
    pub(crate) by_id: Box<[(u32, u32)]>,
    pub(crate) default: Option<u32>,
}

impl Union {
    /// The case that a discriminator selects; `None` means that the union has no member then.
    pub(crate) fn select(&self, number: i64) -> Option<&Case> {
        let labelled = self.by_label.binary_search_by_key(&number, |entry| entry.0);
        let index = match labelled {
            Ok(at) => Some(self.by_label.get(at)?.1),
            Err(_) => self.default,
        };
        self.cases.get(index? as usize)
    }

    pub(crate) fn case_by_id(&self, id: u32) -> Option<&Case> {
        let at = self.by_id.binary_search_by_key(&id, |entry| entry.0).ok()?;
        self.cases.get(self.by_id.get(at)?.1 as usize)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Primitive(TypeKind),
    String8 {
        bound: u32,
    },
    String16 {
        bound: u32,
    },
    Sequence {
        element: Element,
        bound: u32,
    },
    Array {
        element: Element,
        dimensions: Box<[u32]>,
    },
    Map {
        key: Element,
        value: Element,
        bound: u32,
    },
    Alias(Alias),
    Enumeration(Enumeration),
    Bitmask(Bitmask),
    Bitset(Bitset),
    Structure(Structure),
    Union(Union),
    /// A structure or union that is not defined yet. A tree that was built has none.
    Declared(Box<str>),
}

/// What the encodings need to know of a node, found when the tree is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The type without its aliases.
    pub(crate) resolved: u32,
    /// Bytes of the number that the value is on the wire; 0 if it is no single number.
    pub(crate) size: u8,
    /// Primitive in the sense of DDS-XTypes 1.3 7.2.2.2: enumerations and bitmasks are not.
    pub(crate) is_primitive: bool,
    /// Values never have a byte, in XCDR1 and in XCDR2.
    pub(crate) is_empty: [bool; 2],
    /// The longest way down without a structure or union behind a sequence, a map, an optional or
    /// an external.
    pub(crate) depth: u8,
}

impl Facts {
    pub(crate) fn is_empty(self, xcdr: Xcdr) -> bool {
        let [v1, v2] = self.is_empty;
        match xcdr {
            Xcdr::V1 => v1,
            Xcdr::V2 => v2,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arena {
    pub(crate) nodes: Box<[Node]>,
    pub(crate) facts: Box<[Facts]>,
}

/// Types that refer to each other by index. Immutable and shared: a clone is a counted reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeTree(pub(crate) Arc<Arena>);

/// Stands for an index that is not in the tree; the builder lets none through.
static NOTHING: Node = Node::Primitive(TypeKind::Boolean);

impl TypeTree {
    /// How many types there are, primitive ones included.
    pub fn len(&self) -> usize {
        self.0.nodes.len()
    }

    /// Never: the primitive types are always there.
    pub fn is_empty(&self) -> bool {
        self.0.nodes.is_empty()
    }

    /// The type at a place; `None` if the tree is not that large.
    pub fn get(&self, index: TypeIndex) -> Option<DynamicType> {
        let is_there = self.0.nodes.get(index.0 as usize).is_some();
        is_there.then(|| DynamicType::new(self.clone(), index))
    }

    /// All types of the tree in the order in which they were added, the primitive ones first.
    pub fn types(&self) -> impl Iterator<Item = DynamicType> {
        let indexes = 0..self.0.nodes.len() as u32;
        indexes.map(|index| DynamicType::new(self.clone(), TypeIndex(index)))
    }

    pub(crate) fn node(&self, index: TypeIndex) -> &Node {
        self.0.nodes.get(index.0 as usize).unwrap_or(&NOTHING)
    }

    pub(crate) fn facts(&self, index: TypeIndex) -> Facts {
        let facts = self.0.facts.get(index.0 as usize);
        facts.copied().unwrap_or_default()
    }

    /// The type behind aliases.
    pub(crate) fn resolve(&self, index: TypeIndex) -> TypeIndex {
        TypeIndex(self.facts(index).resolved)
    }

    /// The type behind aliases.
    pub(crate) fn resolved(&self, index: TypeIndex) -> &Node {
        self.node(self.resolve(index))
    }

    pub(crate) fn structure(&self, index: TypeIndex) -> Option<&Structure> {
        match self.resolved(index) {
            Node::Structure(of) => Some(of),
            _ => None,
        }
    }

    pub(crate) fn extensibility(&self, index: TypeIndex) -> Extensibility {
        match self.resolved(index) {
            Node::Structure(of) => of.extensibility,
            Node::Union(of) => of.extensibility,
            Node::Enumeration(of) => of.extensibility,
            Node::Bitmask(of) => of.extensibility,
            _ => Extensibility::Final,
        }
    }

    /// Whether an array of it is one piece of primitive values.
    pub(crate) fn is_primitive(&self, element: Element) -> bool {
        self.facts(element.ty).is_primitive
    }

    /// The structure and its bases, the outermost base first.
    pub(crate) fn chain<'t>(&'t self, of: &'t Structure) -> Chain<'t> {
        let mut chain = Chain::new();
        let mut next = Some(of);
        while let Some(of) = next {
            if chain.try_push(of).is_err() {
                break;
            }
            next = of.base.and_then(|base| self.structure(base));
        }
        chain.reverse();
        chain
    }

    /// The members of a structure, those of its bases first.
    pub(crate) fn members<'t>(&'t self, of: &'t Structure) -> Members<'t> {
        let mut bases = 0;
        let mut base = of.base;
        while let Some(of) = base.and_then(|base| self.structure(base)) {
            bases += 1;
            base = of.base;
        }
        Members {
            tree: self,
            of,
            bases,
            members: [].iter(),
            is_last: false,
        }
    }

    pub(crate) fn member_by_id<'t>(&'t self, of: &'t Structure, id: u32) -> Option<&'t Member> {
        let mut next = Some(of);
        while let Some(of) = next {
            if let Ok(at) = of.by_id.binary_search_by_key(&id, |entry| entry.0) {
                return of.members.get(of.by_id.get(at)?.1 as usize);
            }
            next = of.base.and_then(|base| self.structure(base));
        }
        None
    }

    pub(crate) fn member_by_name<'t>(
        &'t self,
        of: &'t Structure,
        name: &str,
    ) -> Option<&'t Member> {
        let mut next = Some(of);
        while let Some(of) = next {
            let found = of.by_name.binary_search_by(|index| {
                let member = of.members.get(*index as usize);
                member.map_or("", |member| &member.name).cmp(name)
            });
            if let Ok(at) = found {
                return of.members.get(*of.by_name.get(at)? as usize);
            }
            next = of.base.and_then(|base| self.structure(base));
        }
        None
    }
}

/// The members of a structure, those of its bases first. It is small, for payloads are gone through
/// with it.
#[derive(Clone, Debug)]
pub(crate) struct Members<'t> {
    tree: &'t TypeTree,
    of: &'t Structure,
    /// How many bases are yet to come.
    bases: usize,
    members: core::slice::Iter<'t, Member>,
    /// These are the members of the structure itself.
    is_last: bool,
}

impl<'t> Members<'t> {
    /// Goes on with the next base, and with the structure behind them all.
    fn step(&mut self) -> Option<&'t Member> {
        while !self.is_last {
            let mut of = self.of;
            for _ in 0..self.bases {
                of = of.base.and_then(|base| self.tree.structure(base))?;
            }
            self.is_last = self.bases == 0;
            self.bases = self.bases.saturating_sub(1);
            self.members = of.members.iter();
            if let Some(member) = self.members.next() {
                return Some(member);
            }
        }
        None
    }
}

impl<'t> Iterator for Members<'t> {
    type Item = &'t Member;

    #[inline]
    fn next(&mut self) -> Option<&'t Member> {
        match self.members.next() {
            Some(member) => Some(member),
            None => self.step(),
        }
    }
}

/// A structure behind its bases.
pub(crate) type Chain<'t> = arrayvec::ArrayVec<&'t Structure, { crate::limits::DEPTH + 1 }>;

/// How many elements an array has.
pub(crate) fn length(dimensions: &[u32]) -> usize {
    let lengths = dimensions.iter().map(|length| *length as usize);
    lengths.fold(1, usize::saturating_mul)
}
