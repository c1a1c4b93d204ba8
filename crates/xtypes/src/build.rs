//! Builds a tree of types.

mod check;
mod facts;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;
use md5::{Digest, Md5};

use crate::tree::{Alias, Arena, Bitmask, Bitset, Enumeration, Node, PRIMITIVES, Structure, Union};
use crate::{
    Bitfield, BuildError, Case, DynamicType, Element, Flag, Literal, Member, TryConstruct,
    TypeIndex, TypeKind, TypeTree, limits,
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
        self.push(Node::Alias(Alias {
            name: name.into(),
            element: element.into(),
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
            bit_bound,
            literals: literals.collect(),
            default: default.unwrap_or(first),
            values: values.into(),
        }))
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
    pub fn build(mut self, root: TypeIndex) -> Result<DynamicType, BuildError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        check::indexes(&self.nodes, root)?;
        check::bases(&mut self.nodes)?;
        let facts = facts::find(&self.nodes)?;
        facts::inherit_keys(&mut self.nodes);
        let tree = TypeTree(Arc::new(Arena {
            nodes: self.nodes.into(),
            facts: facts.into(),
        }));
        check::tree(&tree)?;
        Ok(DynamicType::new(tree, root))
    }
}

/// Members of a structure, one after the other. What is said after [`member`](Self::member) is
/// about that member.
#[derive(Debug)]
#[must_use = "`finish` adds it"]
pub struct StructureBuilder<'b> {
    types: &'b mut TypeTreeBuilder,
    index: TypeIndex,
    extensibility: Extensibility,
    base: Option<TypeIndex>,
    auto_id: AutoId,
    is_nested: bool,
    next: u32,
    members: Vec<Member>,
}

impl StructureBuilder<'_> {
    /// Its base; to be said before the first member.
    pub fn base(mut self, base: TypeIndex) -> Self {
        self.base = Some(base);
        self.next = self.types.first_id(base);
        self
    }

    /// Where ids come from; to be said before the first member.
    pub fn auto_id(mut self, auto_id: AutoId) -> Self {
        self.auto_id = auto_id;
        self
    }

    /// `@nested`: no topic is of it.
    pub fn nested(mut self) -> Self {
        self.is_nested = true;
        self
    }

    /// Adds a member.
    pub fn member(mut self, name: &str, element: impl Into<Element>) -> Self {
        let id = match self.auto_id {
            AutoId::Sequential => self.next,
            AutoId::Hash => hash_id(name),
        };
        self.next = id.saturating_add(1);
        self.members.push(Member {
            name: name.into(),
            id,
            element: element.into(),
            is_key: false,
            is_optional: false,
            must_understand: false,
        });
        self
    }

    pub(crate) fn whole_member(mut self, member: Member) -> Self {
        self.next = member.id.saturating_add(1);
        self.members.push(member);
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Member)) -> Self {
        if let Some(member) = self.members.last_mut() {
            change(member);
            self.next = member.id.saturating_add(1);
        }
        self
    }

    /// `@id`.
    pub fn id(self, id: u32) -> Self {
        self.last(|member| member.id = id)
    }

    /// `@hashid`, with the name of the member or another text.
    pub fn hash_id(self, text: Option<&str>) -> Self {
        self.last(|member| member.id = hash_id(text.unwrap_or(&member.name)))
    }

    /// `@key`.
    pub fn key(self) -> Self {
        self.last(|member| member.is_key = true)
    }

    /// `@optional`.
    pub fn optional(self) -> Self {
        self.last(|member| member.is_optional = true)
    }

    /// `@must_understand`.
    pub fn must_understand(self) -> Self {
        self.last(|member| member.must_understand = true)
    }

    /// `@external`.
    pub fn external(self) -> Self {
        self.last(|member| member.element.is_external = true)
    }

    /// `@try_construct`.
    pub fn try_construct(self, rule: TryConstruct) -> Self {
        self.last(|member| member.element.try_construct = rule)
    }

    /// Adds the structure.
    pub fn finish(self) -> TypeIndex {
        let members = self.members;
        let ids = members.iter().map(|member| member.id);
        let by_id = sorted(ids);
        let mut by_name: Vec<u32> = (0..members.len() as u32).collect();
        by_name.sort_by_key(|index| members.get(*index as usize).map(|m| &m.name));
        let (extensibility, is_nested, base) = (self.extensibility, self.is_nested, self.base);
        let has_hashed_ids = self.auto_id == AutoId::Hash;
        self.types.define(self.index, |name| {
            Node::Structure(Structure {
                name,
                extensibility,
                is_nested,
                has_hashed_ids,
                base,
                has_key: members.iter().any(|member| member.is_key),
                members: members.into(),
                by_id,
                by_name: by_name.into(),
            })
        });
        self.index
    }
}

/// What is sorted by, and the place from which it came.
fn sorted<T: Ord>(keys: impl Iterator<Item = T>) -> Box<[(T, u32)]> {
    let mut sorted: Vec<(T, u32)> = keys.zip(0_u32..).collect();
    sorted.sort_unstable();
    sorted.into()
}

/// Cases of a union, one after the other. What is said after [`case`](Self::case) is about that
/// case.
#[derive(Debug)]
#[must_use = "`finish` adds it"]
pub struct UnionBuilder<'b> {
    types: &'b mut TypeTreeBuilder,
    index: TypeIndex,
    extensibility: Extensibility,
    discriminator: Element,
    auto_id: AutoId,
    is_nested: bool,
    is_key: bool,
    cases: Vec<Case>,
}

impl UnionBuilder<'_> {
    /// `@key` of the discriminator.
    pub fn key(mut self) -> Self {
        self.is_key = true;
        self
    }

    /// Where ids come from; to be said before the first case. Sequential ones begin at 1, for 0 is
    /// the discriminator.
    pub fn auto_id(mut self, auto_id: AutoId) -> Self {
        self.auto_id = auto_id;
        self
    }

    /// `@nested`: no topic is of it.
    pub fn nested(mut self) -> Self {
        self.is_nested = true;
        self
    }

    /// Adds a case that has a value.
    pub fn case(self, name: &str, element: impl Into<Element>, labels: &[i64]) -> Self {
        self.add(name, Some(element.into()), labels)
    }

    /// Adds a name for discriminators with which there is no value.
    pub fn case_without_value(self, name: &str, labels: &[i64]) -> Self {
        self.add(name, None, labels)
    }

    fn add(mut self, name: &str, element: Option<Element>, labels: &[i64]) -> Self {
        let id = match (self.auto_id, self.cases.last()) {
            (AutoId::Hash, _) => hash_id(name),
            (AutoId::Sequential, Some(last)) => last.id.saturating_add(1),
            (AutoId::Sequential, None) => 1,
        };
        self.cases.push(Case {
            name: name.into(),
            id,
            element,
            labels: labels.into(),
            is_default: false,
        });
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Case)) -> Self {
        if let Some(case) = self.cases.last_mut() {
            change(case);
        }
        self
    }

    /// The case is selected by all discriminators that select no other.
    pub fn default(self) -> Self {
        self.last(|case| case.is_default = true)
    }

    /// `@id`.
    pub fn id(self, id: u32) -> Self {
        self.last(|case| case.id = id)
    }

    /// `@hashid`, with the name of the case or another text.
    pub fn hash_id(self, text: Option<&str>) -> Self {
        self.last(|case| case.id = hash_id(text.unwrap_or(&case.name)))
    }

    /// `@external`.
    pub fn external(self) -> Self {
        self.last(|case| case.element.iter_mut().for_each(|e| e.is_external = true))
    }

    /// `@try_construct`.
    pub fn try_construct(self, rule: TryConstruct) -> Self {
        self.last(|case| case.element.iter_mut().for_each(|e| e.try_construct = rule))
    }

    /// Adds the union.
    pub fn finish(self) -> TypeIndex {
        let cases = self.cases;
        let labels = cases.iter().zip(0_u32..);
        let labels = labels.flat_map(|(case, index)| case.labels.iter().map(move |l| (*l, index)));
        let mut by_label: Vec<(i64, u32)> = labels.collect();
        by_label.sort_unstable();
        let by_id = sorted(cases.iter().map(|case| case.id));
        let default = cases.iter().position(|case| case.is_default);
        let (extensibility, is_nested, is_key) = (self.extensibility, self.is_nested, self.is_key);
        let discriminator = self.discriminator;
        self.types.define(self.index, |name| {
            Node::Union(Union {
                name,
                extensibility,
                is_nested,
                discriminator,
                is_key,
                cases: cases.into(),
                by_label: by_label.into(),
                by_id,
                default: default.map(|index| index as u32),
            })
        });
        self.index
    }
}
