//! A type of a tree, and what can be asked of it.

use alloc::format;
use alloc::string::String;

use dunlin_cdr::Extensibility;

use crate::tree::{self, Node};
use crate::{
    Annotations, Bitfield, Case, Element, Flag, Literal, Member, TypeIndex, TypeKind, TypeTree,
};

/// A type: a tree and a place in it. A clone is a counted reference.
#[derive(Clone, Debug)]
pub struct DynamicType {
    tree: TypeTree,
    index: TypeIndex,
}

impl DynamicType {
    pub(crate) fn new(tree: TypeTree, index: TypeIndex) -> Self {
        Self { tree, index }
    }

    /// The tree.
    pub fn tree(&self) -> &TypeTree {
        &self.tree
    }

    /// Its place in the tree.
    pub fn index(&self) -> TypeIndex {
        self.index
    }

    /// Another type of the tree: that of a member or an element.
    pub fn at(&self, index: TypeIndex) -> Self {
        Self::new(self.tree.clone(), index)
    }

    pub(crate) fn node(&self) -> &Node {
        self.tree.node(self.index)
    }

    /// Its kind.
    pub fn kind(&self) -> TypeKind {
        match self.node() {
            Node::Primitive(kind) => *kind,
            Node::String8 { .. } => TypeKind::String8,
            Node::String16 { .. } => TypeKind::String16,
            Node::Sequence { .. } => TypeKind::Sequence,
            Node::Array { .. } => TypeKind::Array,
            Node::Map { .. } => TypeKind::Map,
            Node::Alias(_) => TypeKind::Alias,
            Node::Enumeration(_) => TypeKind::Enumeration,
            Node::Bitmask(_) => TypeKind::Bitmask,
            Node::Bitset(_) => TypeKind::Bitset,
            Node::Structure(_) | Node::Declared(_) => TypeKind::Structure,
            Node::Union(_) => TypeKind::Union,
        }
    }

    /// Its name; that of its kind if it has none of its own.
    pub fn name(&self) -> &str {
        match self.node() {
            Node::Alias(of) => &of.name,
            Node::Enumeration(of) => &of.name,
            Node::Bitmask(of) => &of.name,
            Node::Bitset(of) => &of.name,
            Node::Structure(of) => &of.name,
            Node::Union(of) => &of.name,
            Node::Declared(name) => name,
            _ => self.kind().name(),
        }
    }

    /// What people read where the type is meant: `struct Point`, `sequence<string>`, `double`.
    pub fn words(&self) -> String {
        let element = |of: Element| self.at(of.ty);
        match self.node() {
            Node::String8 { bound } | Node::String16 { bound } if *bound > 0 => {
                format!("{}<{bound}>", self.name())
            }
            Node::Sequence { element: of, .. } => format!("sequence<{}>", element(*of).name()),
            Node::Array {
                element: of,
                dimensions,
            } => {
                let lengths = dimensions.iter().map(|length| format!("[{length}]"));
                format!("{}{}", element(*of).name(), lengths.collect::<String>())
            }
            Node::Map { key, value, .. } => {
                format!("map<{}, {}>", element(*key).name(), element(*value).name())
            }
            Node::Alias(_)
            | Node::Enumeration(_)
            | Node::Bitmask(_)
            | Node::Bitset(_)
            | Node::Structure(_)
            | Node::Union(_) => format!("{} {}", self.kind().name(), self.name()),
            _ => self.name().into(),
        }
    }

    /// The type behind aliases; itself if it is none.
    pub fn resolved(&self) -> Self {
        self.at(self.tree.resolve(self.index))
    }

    /// Whether it is primitive in the sense of DDS-XTypes 1.3 7.2.2.2: collections of it have no
    /// DHEADER. Aliases are seen through.
    pub fn is_primitive(&self) -> bool {
        self.tree.facts(self.index).is_primitive
    }

    /// The bytes of the number that a value is on the wire; `None` if it is no single number.
    /// Aliases are seen through.
    pub fn number_size(&self) -> Option<usize> {
        let size = self.tree.facts(self.index).size;
        Some(size.into()).filter(|size| *size > 0)
    }

    /// How it may grow; final for what has no extensibility of its own.
    pub fn extensibility(&self) -> Extensibility {
        self.tree.extensibility(self.index)
    }

    /// The most bytes of a string (characters of a wide one) or elements of a sequence or map;
    /// `None` if there is no bound, or the type has none.
    pub fn bound(&self) -> Option<u32> {
        match self.node() {
            Node::String8 { bound }
            | Node::String16 { bound }
            | Node::Sequence { bound, .. }
            | Node::Map { bound, .. } => Some(*bound).filter(|bound| *bound > 0),
            _ => None,
        }
    }

    /// The dimensions of an array.
    pub fn dimensions(&self) -> &[u32] {
        match self.node() {
            Node::Array { dimensions, .. } => dimensions,
            _ => &[],
        }
    }

    /// The elements of a sequence or array, the values of a map, what an alias stands for.
    pub fn element(&self) -> Option<Element> {
        match self.node() {
            Node::Sequence { element, .. } | Node::Array { element, .. } => Some(*element),
            Node::Map { value, .. } => Some(*value),
            Node::Alias(of) => Some(of.element),
            _ => None,
        }
    }

    /// The keys of a map.
    pub fn key_element(&self) -> Option<Element> {
        match self.node() {
            Node::Map { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// The base of a structure.
    pub fn base(&self) -> Option<Self> {
        match self.node() {
            Node::Structure(of) => of.base.map(|base| self.at(base)),
            _ => None,
        }
    }

    /// The members of a structure in the order of their declaration, those of its bases first.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        let of = match self.node() {
            Node::Structure(of) => Some(of),
            _ => None,
        };
        of.into_iter().flat_map(|of| self.tree.members(of))
    }

    /// The members of a structure, without those of its bases.
    pub fn own_members(&self) -> &[Member] {
        match self.node() {
            Node::Structure(of) => &of.members,
            _ => &[],
        }
    }

    /// The member of a structure or of its bases that has this name.
    pub fn member_by_name(&self, name: &str) -> Option<&Member> {
        match self.node() {
            Node::Structure(of) => self.tree.member_by_name(of, name),
            _ => None,
        }
    }

    /// The member of a structure or of its bases that has this id.
    pub fn member_by_id(&self, id: u32) -> Option<&Member> {
        match self.node() {
            Node::Structure(of) => self.tree.member_by_id(of, id),
            _ => None,
        }
    }

    /// Whether a member of a structure is part of the key.
    pub fn has_key(&self) -> bool {
        match self.node() {
            Node::Structure(of) => of.has_key,
            Node::Union(of) => of.is_key,
            _ => false,
        }
    }

    /// `@nested`: no topic is of it.
    pub fn is_nested(&self) -> bool {
        match self.node() {
            Node::Structure(of) => of.is_nested,
            Node::Union(of) => of.is_nested,
            _ => false,
        }
    }

    /// `@autoid(HASH)`: the ids of members come from their names.
    pub fn has_hashed_ids(&self) -> bool {
        match self.node() {
            Node::Structure(of) => of.has_hashed_ids,
            Node::Union(of) => of.has_hashed_ids,
            _ => false,
        }
    }

    /// The annotations of an alias, or of the discriminator of a union.
    pub fn annotations(&self) -> Option<&Annotations> {
        match self.node() {
            Node::Alias(of) => of.annotations.as_deref(),
            Node::Union(of) => of.annotations.as_deref(),
            _ => None,
        }
    }

    /// `@ignore_literal_names`: literals of an enumeration are compared by value alone.
    pub fn ignores_literal_names(&self) -> bool {
        matches!(self.node(), Node::Enumeration(of) if of.ignores_literal_names)
    }

    /// What selects the case of a union; its member id is 0.
    pub fn discriminator(&self) -> Option<Element> {
        match self.node() {
            Node::Union(of) => Some(of.discriminator),
            _ => None,
        }
    }

    /// The cases of a union.
    pub fn cases(&self) -> &[Case] {
        match self.node() {
            Node::Union(of) => &of.cases,
            _ => &[],
        }
    }

    /// The case of a union that a discriminator selects; with `None` the union has no member, which
    /// is legal.
    pub fn select(&self, discriminator: i64) -> Option<&Case> {
        match self.node() {
            Node::Union(of) => of.select(discriminator),
            _ => None,
        }
    }

    /// The case of a union that has this member id.
    pub fn case_by_id(&self, id: u32) -> Option<&Case> {
        match self.node() {
            Node::Union(of) => of.case_by_id(id),
            _ => None,
        }
    }

    /// The literals of an enumeration in the order of their declaration.
    pub fn literals(&self) -> &[Literal] {
        match self.node() {
            Node::Enumeration(of) => &of.literals,
            _ => &[],
        }
    }

    /// What a member of an enumeration is when the sender lacks it.
    pub fn default_literal(&self) -> Option<&Literal> {
        match self.node() {
            Node::Enumeration(of) => of.literals.iter().find(|one| one.value == of.default),
            _ => None,
        }
    }

    /// The bits of an enumeration or bitmask; those of all fields of a bitset.
    pub fn bit_bound(&self) -> Option<u16> {
        match self.node() {
            Node::Enumeration(of) => Some(of.bit_bound),
            Node::Bitmask(of) => Some(of.bit_bound),
            Node::Bitset(of) => Some(of.bits),
            _ => None,
        }
    }

    /// The flags of a bitmask.
    pub fn flags(&self) -> &[Flag] {
        match self.node() {
            Node::Bitmask(of) => &of.flags,
            _ => &[],
        }
    }

    /// The fields of a bitset.
    pub fn fields(&self) -> &[Bitfield] {
        match self.node() {
            Node::Bitset(of) => &of.fields,
            _ => &[],
        }
    }

    /// How many elements an array has.
    pub fn length(&self) -> usize {
        match self.node() {
            Node::Array { dimensions, .. } => tree::length(dimensions),
            _ => 0,
        }
    }
}
