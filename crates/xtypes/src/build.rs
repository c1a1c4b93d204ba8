//! Builds a tree of types.

mod check;
mod facts;
mod front;
mod structure;
mod union;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;
use md5::{Digest, Md5};

pub use structure::StructureBuilder;
pub use union::UnionBuilder;

use crate::annotations::annotated;
use crate::tree::{Alias, Arena, Bitmask, Bitset, Enumeration, Node, PRIMITIVES};
use crate::{
    Annotations, Bitfield, BuildError, DynamicType, Element, Flag, Literal, TypeIndex, TypeKind,
    TypeTree, limits,
};

/// Where members get their ids from that have none of their own (DDS-XTypes 1.3 7.3.1.2.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AutoId {
    /// One more than that of the member before.
    #[default]
    Sequential,
    /// From the name, by [`hash_id`].
    Hash,
}

/// The member id that a name stands for: the first 4 bytes of its MD5, little endian, without the
/// highest 4 bits (DDS-XTypes 1.3 7.3.1.2.1.1).
pub fn hash_id(name: &str) -> u32 {
    let hash: [u8; 16] = Md5::digest(name.as_bytes()).into();
    let [a, b, c, d, ..] = hash;
    u32::from_le_bytes([a, b, c, d]) & 0x0fff_ffff
}

/// Collects types. What is wrong with them comes out when the tree is [built](Self::build).
#[derive(Debug)]
pub struct TypeTreeBuilder {
    nodes: Vec<Node>,
    /// The first thing that was wrong while types were added.
    fault: Option<BuildError>,
}

impl Default for TypeTreeBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TypeTreeBuilder {
    /// With the primitive types, which are constants of [`TypeIndex`].
    pub fn new() -> Self {
        Self {
            nodes: PRIMITIVES.iter().copied().map(Node::Primitive).collect(),
            fault: None,
        }
    }

    fn push(&mut self, node: Node) -> TypeIndex {
        let index = self.nodes.len();
        if index >= limits::NODES {
            self.fault(BuildError::Limit {
                ty: "the tree".into(),
                what: "types",
                found: limits::NODES + 1,
                most: limits::NODES,
            });
            return TypeIndex::BOOLEAN;
        }
        self.nodes.push(node);
        TypeIndex(index as u32)
    }

    pub(crate) fn fault(&mut self, fault: BuildError) {
        self.fault.get_or_insert(fault);
    }

    /// A string of 8-bit characters, of at most `bound` bytes without NUL; 0 is no bound.
    pub fn string(&mut self, bound: u32) -> TypeIndex {
        self.push(Node::String8 { bound })
    }

    /// A string of 16-bit characters, at most `bound` of them; 0 is no bound.
    pub fn wide_string(&mut self, bound: u32) -> TypeIndex {
        self.push(Node::String16 { bound })
    }

    /// At most `bound` elements; 0 is no bound.
    pub fn sequence(&mut self, element: impl Into<Element>, bound: u32) -> TypeIndex {
        let element = element.into();
        self.push(Node::Sequence { element, bound })
    }

    /// A fixed number of elements. An array of arrays is not the same as an array of several
    /// dimensions.
    pub fn array(&mut self, element: impl Into<Element>, dimensions: &[u32]) -> TypeIndex {
        self.push(Node::Array {
            element: element.into(),
            dimensions: dimensions.into(),
        })
    }

    /// At most `bound` entries; 0 is no bound.
    pub fn map(
        &mut self,
        key: impl Into<Element>,
        value: impl Into<Element>,
        bound: u32,
    ) -> TypeIndex {
        self.push(Node::Map {
            key: key.into(),
            value: value.into(),
            bound,
        })
    }

    /// Another name for a type.
    pub fn alias(&mut self, name: &str, element: impl Into<Element>) -> TypeIndex {
        self.annotated_alias(name, element, Annotations::default())
    }

    /// Another name for a type, with annotations.
    pub fn annotated_alias(
        &mut self,
        name: &str,
        element: impl Into<Element>,
        annotations: Annotations,
    ) -> TypeIndex {
        self.push(Node::Alias(Alias {
            name: name.into(),
            element: element.into(),
            annotations: annotated(annotations),
        }))
    }

    /// Names for numbers. The default is the first of them, or `default`.
    pub fn enumeration(
        &mut self,
        name: &str,
        extensibility: Extensibility,
        bit_bound: u16,
        literals: &[(&str, i32)],
        default: Option<i32>,
    ) -> TypeIndex {
        let first = literals.first().map_or(0, |literal| literal.1);
        let mut values: Vec<i32> = literals.iter().map(|literal| literal.1).collect();
        values.sort_unstable();
        let literals = literals.iter().map(|(name, value)| Literal {
            name: (*name).into(),
            value: *value,
        });
        self.push(Node::Enumeration(Enumeration {
            name: name.into(),
            extensibility,
            fits_any_extensibility: false,
            bit_bound,
            literals: literals.collect(),
            default: default.unwrap_or(first),
            ignores_literal_names: false,
            values: values.into(),
        }))
    }

    /// `@ignore_literal_names` of an enumeration: values alone count in the comparison with others.
    pub fn ignore_literal_names(&mut self, enumeration: TypeIndex) {
        if let Some(Node::Enumeration(of)) = self.nodes.get_mut(enumeration.0 as usize) {
            of.ignores_literal_names = true;
        }
    }

    /// An enumeration or bitmask whose TypeObject has no flag for its extensibility.
    pub(crate) fn fit_any_extensibility(&mut self, index: TypeIndex) {
        match self.nodes.get_mut(index.0 as usize) {
            Some(Node::Enumeration(of)) => of.fits_any_extensibility = true,
            Some(Node::Bitmask(of)) => of.fits_any_extensibility = true,
            _ => {}
        }
    }

    /// Bits with names, and their positions.
    pub fn bitmask(
        &mut self,
        name: &str,
        extensibility: Extensibility,
        bit_bound: u16,
        flags: &[(&str, u16)],
    ) -> TypeIndex {
        let bits = flags.iter().map(|(_, position)| {
            let bit = 1_u64.checked_shl((*position).into());
            bit.unwrap_or_default()
        });
        let mask = bits.fold(0, |mask, bit| mask | bit);
        let flags = flags.iter().map(|(name, position)| Flag {
            name: (*name).into(),
            position: *position,
        });
        self.push(Node::Bitmask(Bitmask {
            name: name.into(),
            extensibility,
            fits_any_extensibility: false,
            bit_bound,
            flags: flags.collect(),
            mask,
        }))
    }

    /// Numbers within a number: names, positions, sizes in bits, and the types of their values in
    /// programs.
    pub fn bitset(&mut self, name: &str, fields: &[(&str, u16, u8, TypeKind)]) -> TypeIndex {
        let ends = fields
            .iter()
            .map(|field| field.1.saturating_add(field.2.into()));
        let bits = ends.max().unwrap_or(0);
        let fields = fields
            .iter()
            .map(|(name, position, size, holder)| Bitfield {
                name: (*name).into(),
                position: *position,
                size: *size,
                holder: *holder,
            });
        self.push(Node::Bitset(Bitset {
            name: name.into(),
            fields: fields.collect(),
            bits,
        }))
    }

    /// A structure or union that is defined later, by [`define_structure`](Self::define_structure)
    /// or [`define_union`](Self::define_union). So types can contain each other.
    pub fn declare(&mut self, name: &str) -> TypeIndex {
        self.push(Node::Declared(name.into()))
    }

    /// A structure.
    pub fn structure(&mut self, name: &str, extensibility: Extensibility) -> StructureBuilder<'_> {
        let index = self.declare(name);
        self.define_structure(index, extensibility)
    }

    /// What was declared is a structure.
    pub fn define_structure(
        &mut self,
        index: TypeIndex,
        extensibility: Extensibility,
    ) -> StructureBuilder<'_> {
        StructureBuilder {
            types: self,
            index,
            extensibility,
            base: None,
            auto_id: AutoId::Sequential,
            is_nested: false,
            next: 0,
            members: Vec::new(),
        }
    }

    /// A union.
    pub fn union(
        &mut self,
        name: &str,
        extensibility: Extensibility,
        discriminator: impl Into<Element>,
    ) -> UnionBuilder<'_> {
        let index = self.declare(name);
        self.define_union(index, extensibility, discriminator)
    }

    /// What was declared is a union.
    pub fn define_union(
        &mut self,
        index: TypeIndex,
        extensibility: Extensibility,
        discriminator: impl Into<Element>,
    ) -> UnionBuilder<'_> {
        UnionBuilder {
            types: self,
            index,
            extensibility,
            discriminator: discriminator.into(),
            auto_id: AutoId::Sequential,
            is_nested: false,
            is_key: false,
            annotations: None,
            cases: Vec::new(),
        }
    }

    fn define(&mut self, index: TypeIndex, define: impl FnOnce(Box<str>) -> Node) {
        let fault = match self.nodes.get_mut(index.0 as usize) {
            Some(node) => match node {
                Node::Declared(name) => {
                    *node = define(core::mem::take(name));
                    return;
                }
                _ => BuildError::Redefined {
                    ty: check::name(node).into(),
                },
            },
            None => BuildError::Index {
                ty: "a definition".into(),
                index: index.0,
                nodes: self.nodes.len(),
            },
        };
        self.fault(fault);
    }

    /// Whether numbers of the type, seen through aliases, are never negative.
    pub(crate) fn is_unsigned(&self, ty: TypeIndex) -> bool {
        let mut index = ty;
        for _ in 0..=limits::DEPTH {
            match self.nodes.get(index.0 as usize) {
                Some(Node::Alias(of)) => index = of.element.ty,
                Some(Node::Primitive(kind)) => {
                    return matches!(kind, TypeKind::UInt32 | TypeKind::UInt64);
                }
                Some(Node::Bitmask(_)) => return true,
                _ => return false,
            }
        }
        false
    }

    /// The id of the first member that has none, behind those of a base.
    fn first_id(&self, base: TypeIndex) -> u32 {
        let mut index = base;
        for _ in 0..=limits::DEPTH {
            match self.nodes.get(index.0 as usize) {
                Some(Node::Alias(of)) => index = of.element.ty,
                Some(Node::Structure(of)) => match (of.members.last(), of.base) {
                    (Some(last), _) => return last.id.saturating_add(1),
                    (None, Some(base)) => index = base,
                    (None, None) => return 0,
                },
                _ => return 0,
            }
        }
        0
    }

    /// Checks all of it and gives the type at `root`. Nothing that was added can change any more.
    ///
    /// # Errors
    /// The first thing that is wrong with any of the types.
    pub fn build(self, root: TypeIndex) -> Result<DynamicType, BuildError> {
        let tree = self.finish(root)?;
        Ok(DynamicType::new(tree, root))
    }

    /// Checks all of it and gives the tree, for several types without a root.
    ///
    /// # Errors
    /// The first thing that is wrong with any of the types.
    pub fn build_tree(self) -> Result<TypeTree, BuildError> {
        self.finish(TypeIndex::BOOLEAN)
    }

    fn finish(mut self, root: TypeIndex) -> Result<TypeTree, BuildError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        check::indexes(&self.nodes, root)?;
        check::bases(&mut self.nodes)?;
        let facts = facts::find(&self.nodes)?;
        facts::inherit_keys(&mut self.nodes);
        front::find(&mut self.nodes, &facts);
        let tree = TypeTree(Arc::new(Arena {
            nodes: self.nodes.into(),
            facts: facts.into(),
        }));
        check::tree(&tree)?;
        Ok(tree)
    }
}

/// What is sorted by, and the place from which it came.
fn sorted<T: Ord>(keys: impl Iterator<Item = T>) -> Box<[(T, u32)]> {
    let mut sorted: Vec<(T, u32)> = keys.zip(0_u32..).collect();
    sorted.sort_unstable();
    sorted.into()
}
