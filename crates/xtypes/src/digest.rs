//! A number that tells types apart: what they are, in 64 bits.

use alloc::vec::Vec;

use crate::tree::{Bitmask, Bitset, Case, Enumeration, Facts, Member, Node, Structure, Union};
use crate::{DynamicType, Element, TryConstruct, TypeIndex, TypeKind, TypeTree, limits};

/// Types within types, each counted as often as it occurs: larger ones have no digest. No program
/// has them; they would take too long.
const MAX_PARTS: usize = 1 << 16;
/// What the hash of nothing is.
const HASH_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

impl DynamicType {
    /// The same for two types if they are the same: kinds, members with names, ids, bounds and
    /// order, keys, how they may grow. The names of the types themselves are left out, as where
    /// DDS-XTypes 1.3 7.3.4 tells whether types are equivalent; so are aliases and `@external`,
    /// which change no byte, and `octet` is `uint8`.
    ///
    /// `None` for a type that is too large or too deep. The digest protects against mistakes, not
    /// against those who search for a type with the digest of another.
    pub fn digest(&self) -> Option<u64> {
        let mut digest = Digest {
            tree: self.tree(),
            hash: HASH_BASIS,
            within: Vec::new(),
            parts: 0,
            depth: 0,
        };
        digest.put_type(self.index())?;
        Some(digest.hash)
    }
}

struct Digest<'t> {
    tree: &'t TypeTree,
    hash: u64,
    /// The structures and unions that are being described, outermost first: one that contains
    /// itself is described once.
    within: Vec<TypeIndex>,
    parts: usize,
    depth: usize,
}

impl<'t> Digest<'t> {
    /// FNV-1a.
    fn put(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn put_number(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    /// Its length ends it: "ab" and "c" are not "a" and "bc".
    fn put_name(&mut self, name: &str) {
        self.put(name.as_bytes());
        self.put_number(name.len() as u64);
    }

    /// The bound of a member's own type.
    fn put_bound(&mut self, index: TypeIndex) {
        let bound = self.bound(index);
        self.put_number(bound.map_or(u64::MAX, u64::from));
    }

    fn bound(&self, index: TypeIndex) -> Option<u32> {
        match self.tree.resolved(index) {
            Node::String8 { bound }
            | Node::String16 { bound }
            | Node::Sequence { bound, .. }
            | Node::Map { bound, .. } => Some(*bound).filter(|bound| *bound > 0),
            _ => None,
        }
    }

    fn put_type(&mut self, index: TypeIndex) -> Option<()> {
        self.parts += 1;
        self.depth += 1;
        if self.parts > MAX_PARTS || self.depth > limits::WALK {
            return None;
        }
        let index = self.tree.resolve(index);
        match self.tree.node(index) {
            Node::Primitive(TypeKind::Byte) => self.put_name(TypeKind::UInt8.name()),
            Node::Primitive(kind) => self.put_name(kind.name()),
            Node::String8 { .. } => self.put_name("string"),
            Node::String16 { .. } => self.put_name("wstring"),
            Node::Sequence { element, .. } => self.put_collection("sequence", *element, 0)?,
            Node::Array {
                element,
                dimensions,
            } => self.put_array(*element, dimensions)?,
            Node::Map { key, value, .. } => {
                self.put_name("map");
                self.put_element(*key)?;
                self.put_element(*value)?;
            }
            Node::Enumeration(of) => self.put_enumeration(of, self.tree.facts(index)),
            Node::Bitmask(of) => self.put_bitmask(of),
            Node::Bitset(of) => self.put_bitset(of),
            Node::Structure(of) => self.put_nested(index, |digest| digest.put_structure(of))?,
            Node::Union(of) => self.put_nested(index, |digest| digest.put_union(of))?,
            // Aliases are resolved, and a tree that was built has nothing that is only declared.
            Node::Alias(_) | Node::Declared(_) => return None,
        }
        self.depth -= 1;
        Some(())
    }

    /// Each dimension is an array of the next.
    fn put_array(&mut self, element: Element, dimensions: &[u32]) -> Option<()> {
        let (last, outer) = dimensions.split_last()?;
        for length in outer {
            self.put_name("array");
            self.put_number((*length).into());
        }
        self.put_collection("array", element, *last)
    }

    fn put_collection(&mut self, kind: &str, element: Element, length: u32) -> Option<()> {
        self.put_name(kind);
        self.put_number(length.into());
        self.put_element(element)
    }

    fn put_element(&mut self, element: Element) -> Option<()> {
        if let Some(bound) = self.bound(element.ty) {
            self.put_name("bound");
            self.put_number(bound.into());
        }
        self.put_try_construct(element.try_construct);
        self.put_type(element.ty)
    }

    fn put_try_construct(&mut self, try_construct: TryConstruct) {
        match try_construct {
            TryConstruct::Discard => {}
            TryConstruct::UseDefault => self.put_name("use default"),
            TryConstruct::Trim => self.put_name("trim"),
        }
    }

    /// Of a type within itself the place of the outer one is noted, counted from the inside.
    fn put_nested(
        &mut self,
        index: TypeIndex,
        contents: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if let Some(place) = self.within.iter().rev().position(|outer| *outer == index) {
            self.put_name("within");
            self.put_number(place as u64);
            return Some(());
        }
        self.within.push(index);
        contents(self)?;
        self.within.pop();
        Some(())
    }

    fn put_structure(&mut self, of: &'t Structure) -> Option<()> {
        self.put_name("structure");
        self.put(&[of.extensibility as u8]);
        let tree = self.tree;
        self.put_number(tree.members(of).count() as u64);
        tree.members(of).try_for_each(|m| self.put_member(m))
    }

    fn put_member(&mut self, member: &Member) -> Option<()> {
        self.put_name(&member.name);
        self.put_number(member.id.into());
        let must_understand = member.must_understand || member.is_key;
        self.put(&[member.is_key.into(), must_understand.into()]);
        self.put_bound(member.element.ty);
        if member.is_optional {
            self.put_name("optional");
            self.put_number(0);
        }
        self.put_try_construct(member.element.try_construct);
        self.put_type(member.element.ty)
    }

    fn put_union(&mut self, of: &'t Union) -> Option<()> {
        self.put_name("union");
        self.put(&[of.extensibility as u8]);
        if of.is_key {
            self.put_name("key");
        }
        self.put_element(of.discriminator)?;
        self.put_number(of.cases.len() as u64);
        of.cases.iter().try_for_each(|case| self.put_case(case))
    }

    fn put_case(&mut self, case: &Case) -> Option<()> {
        self.put_name(&case.name);
        self.put_number(case.id.into());
        self.put(&[case.is_default.into()]);
        match case.element {
            Some(element) => self.put_bound(element.ty),
            None => self.put_number(u64::MAX),
        }
        for label in &case.labels {
            self.put_number(label.cast_unsigned());
        }
        match case.element {
            Some(element) => {
                self.put_try_construct(element.try_construct);
                self.put_type(element.ty)
            }
            None => {
                self.put_name("nothing");
                Some(())
            }
        }
    }

    fn put_enumeration(&mut self, of: &Enumeration, facts: Facts) {
        self.put_name("enumeration");
        self.put_number(facts.size.into());
        if of.bit_bound != 8 * u16::from(facts.size) {
            self.put_name("bits");
            self.put_number(of.bit_bound.into());
        }
        self.put_number(of.literals.len() as u64);
        for literal in &of.literals {
            self.put_name(&literal.name);
            self.put_number(i64::from(literal.value).cast_unsigned());
        }
        self.put_number(i64::from(of.default).cast_unsigned());
    }

    fn put_bitmask(&mut self, of: &Bitmask) {
        self.put_name("bitmask");
        self.put_number(of.bit_bound.into());
        self.put_number(of.flags.len() as u64);
        for flag in &of.flags {
            self.put_name(&flag.name);
            self.put_number(flag.position.into());
        }
    }

    fn put_bitset(&mut self, of: &Bitset) {
        self.put_name("bitset");
        self.put_number(of.fields.len() as u64);
        for field in &of.fields {
            self.put_name(&field.name);
            self.put_number(field.position.into());
            self.put_number(field.size.into());
        }
    }
}
