//! Types whose names have a meaning.

use std::rc::Rc;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{TryConstruct, TypeKind};

use crate::ast::Name;
use crate::value::Value;

/// A type where it is used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// It was reported.
    Bad,
    Primitive(TypeKind),
    /// 0 is no bound.
    Text(u32),
    WideText(u32),
    Sequence(Rc<(Element, u32)>),
    Array(Rc<(Element, Vec<u32>)>),
    Map(Rc<(Element, Element, u32)>),
    Named(usize),
}

/// A type, and how it is held.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    pub(crate) ty: Ty,
    pub(crate) try_construct: TryConstruct,
    pub(crate) is_external: bool,
}

impl From<Ty> for Element {
    fn from(ty: Ty) -> Self {
        Self {
            ty,
            try_construct: TryConstruct::default(),
            is_external: false,
        }
    }
}

/// Where ids come from that are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AutoIds {
    #[default]
    Sequential,
    Hash,
}

/// A text that `@verbatim` gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verbatim {
    pub(crate) language: Rc<str>,
    pub(crate) placement: Rc<str>,
    pub(crate) text: Rc<str>,
}

/// The name and the platform that `@topic` gives.
pub(crate) type Topic = (Option<Rc<str>>, Option<Rc<str>>);

/// What annotations say that is not in the encoding.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extra {
    pub(crate) default: Option<Value>,
    pub(crate) min: Option<Value>,
    pub(crate) max: Option<Value>,
    pub(crate) unit: Option<Rc<str>>,
    pub(crate) hash_id: Option<Rc<str>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) element: Element,
    pub(crate) id: u32,
    pub(crate) is_key: bool,
    pub(crate) is_optional: bool,
    pub(crate) must_understand: bool,
    pub(crate) extra: Extra,
    pub(crate) docs: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) extensibility: Extensibility,
    pub(crate) is_nested: bool,
    pub(crate) has_hashed_ids: bool,
    /// A structure, not its alias.
    pub(crate) base: Option<usize>,
    pub(crate) members: Vec<Member>,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: Name,
    pub(crate) element: Element,
    pub(crate) id: u32,
    pub(crate) labels: Vec<i64>,
    pub(crate) is_default: bool,
    pub(crate) extra: Extra,
    pub(crate) docs: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) extensibility: Extensibility,
    pub(crate) is_nested: bool,
    pub(crate) has_hashed_ids: bool,
    pub(crate) discriminator: Element,
    pub(crate) is_key: bool,
    pub(crate) extra: Extra,
    pub(crate) cases: Vec<Case>,
}

/// A literal of an enumeration, or a flag of a bitmask with its position.
#[derive(Debug)]
pub(crate) struct Literal {
    pub(crate) name: Name,
    pub(crate) value: i64,
    pub(crate) docs: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) extensibility: Extensibility,
    pub(crate) bit_bound: u16,
    pub(crate) literals: Vec<Literal>,
    pub(crate) default: Option<i64>,
    pub(crate) ignores_literal_names: bool,
}

#[derive(Debug)]
pub(crate) struct Bitmask {
    pub(crate) extensibility: Extensibility,
    pub(crate) bit_bound: u16,
    pub(crate) flags: Vec<Literal>,
}

#[derive(Clone, Debug)]
pub(crate) struct Bitfield {
    pub(crate) name: Name,
    pub(crate) position: u16,
    pub(crate) size: u8,
    pub(crate) holder: TypeKind,
    pub(crate) docs: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct Bitset {
    pub(crate) fields: Vec<Bitfield>,
    /// Bits without a name count, too.
    pub(crate) bits: u16,
}

#[derive(Debug)]
pub(crate) struct Alias {
    pub(crate) element: Element,
    pub(crate) extra: Extra,
}

#[derive(Debug)]
pub(crate) enum NamedKind {
    /// Declared, and not defined yet.
    Forward {
        is_union: bool,
    },
    Struct(Struct),
    Union(Union),
    Enumeration(Enumeration),
    Bitmask(Bitmask),
    Bitset(Bitset),
    Alias(Alias),
    /// It was reported.
    Bad,
}

/// A type that has a name.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: Name,
    pub(crate) qualified: Rc<str>,
    /// Its own scope: types within a struct, literals of an enumeration.
    pub(crate) scope: usize,
    /// It comes from an included file.
    pub(crate) is_included: bool,
    pub(crate) docs: Option<Rc<str>>,
    pub(crate) verbatim: Vec<Verbatim>,
    pub(crate) topic: Option<Topic>,
    pub(crate) data_representation: Option<u32>,
    pub(crate) kind: NamedKind,
}

impl Named {
    /// What it is, for people.
    pub(crate) fn what(&self) -> &'static str {
        match &self.kind {
            NamedKind::Forward { is_union: true } | NamedKind::Union(_) => "union",
            NamedKind::Forward { is_union: false } | NamedKind::Struct(_) => "struct",
            NamedKind::Enumeration(_) => "enum",
            NamedKind::Bitmask(_) => "bitmask",
            NamedKind::Bitset(_) => "bitset",
            NamedKind::Alias(_) => "typedef",
            NamedKind::Bad => "type",
        }
    }
}
