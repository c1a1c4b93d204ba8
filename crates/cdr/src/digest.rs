//! A number that tells types apart: what their descriptions say, in 64 bits.
use crate::Type;
use crate::description::{Describe, EnumerationType, MemberDescriptor, StructureType, UnionType};
use crate::plain::{HASH_BASIS, mix};
use alloc::vec::Vec;

/// Types within types, each counted as often as it occurs: larger ones have no digest. No program
/// has them; they would take too long.
const MAX_PARTS: usize = 1 << 16;

impl Type {
    /// The same for two types if they are the same: kinds, members with names, ids, bounds and
    /// order, keys, how they may grow. The names of the types themselves are left out, as where
    /// DDS-XTypes 1.3 7.3.4 tells whether types are equivalent.
    ///
    /// `None` if a part of the type says nothing about itself. It protects against mistakes, not
    /// against those who search for a type with the digest of another.
    pub fn digest(&self) -> Option<u64> {
        let mut digest = Digest {
            hash: HASH_BASIS,
            within: Vec::new(),
            parts: 0,
        };
        digest.put_type(*self)?;
        Some(digest.hash)
    }
}

struct Digest {
    hash: u64,
    /// The names of the types that are being described, outermost first: one that contains itself
    /// is described once.
    within: Vec<&'static str>,
    parts: usize,
}

impl Digest {
    fn put(&mut self, bytes: &[u8]) {
        self.hash = mix(self.hash, bytes);
    }

    fn put_number(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    /// Its length ends it: "ab" and "c" are not "a" and "bc".
    fn put_name(&mut self, name: &str) {
        self.put(name.as_bytes());
        self.put_number(name.len() as u64);
    }

    fn put_bound(&mut self, bound: Option<usize>) {
        self.put_number(bound.map_or(u64::MAX, |bound| bound as u64));
    }

    fn describe(&mut self, describe: Describe) -> Option<()> {
        self.put_type(describe()?)
    }

    fn put_type(&mut self, ty: Type) -> Option<()> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return None;
        }
        match ty {
            Type::Sequence(element) => self.put_collection("sequence", element, 0),
            Type::Array(element, length) => self.put_collection("array", element, length),
            Type::Optional(value) => self.put_collection("optional", value, 0),
            Type::Map(key, value) => {
                self.put_name("map");
                self.describe(key)?;
                self.describe(value)
            }
            Type::Enumeration(of) => {
                self.put_enumeration(of);
                Some(())
            }
            Type::Structure(of) => self.put_nested(of.name, |digest| digest.put_structure(of)),
            Type::Union(of) => self.put_nested(of.name, |digest| digest.put_union(of)),
            primitive => {
                self.put_name(primitive.name());
                Some(())
            }
        }
    }

    fn put_collection(&mut self, kind: &str, element: Describe, length: usize) -> Option<()> {
        self.put_name(kind);
        self.put_number(length as u64);
        self.describe(element)
    }

    /// Of a type within itself the place of the outer one is noted, counted from the inside.
    fn put_nested(
        &mut self,
        name: &'static str,
        contents: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if let Some(place) = self.within.iter().rev().position(|outer| *outer == name) {
            self.put_name("within");
            self.put_number(place as u64);
            return Some(());
        }
        self.within.push(name);
        contents(self)?;
        self.within.pop();
        Some(())
    }

    fn put_structure(&mut self, of: &StructureType) -> Option<()> {
        self.put_name("structure");
        self.put(&[of.extensibility as u8]);
        self.put_number(of.members.len() as u64);
        of.members.iter().try_for_each(|m| self.put_member(m))
    }

    fn put_member(&mut self, member: &MemberDescriptor) -> Option<()> {
        self.put_name(member.name);
        self.put_number(member.id.into());
        self.put(&[member.is_key.into(), member.must_understand.into()]);
        self.put_bound(member.bound);
        self.describe(member.describe)
    }

    fn put_union(&mut self, of: &UnionType) -> Option<()> {
        self.put_name("union");
        self.put(&[of.extensibility as u8]);
        self.describe(of.discriminator)?;
        self.put_number(of.cases.len() as u64);
        for case in of.cases {
            self.put_name(case.name);
            self.put_number(case.id.into());
            self.put(&[case.is_default.into()]);
            self.put_bound(case.bound);
            (case.labels)(&mut |label| self.put_number(label.cast_unsigned()));
            match case.describe {
                Some(describe) => self.describe(describe)?,
                None => self.put_name("nothing"),
            }
        }
        Some(())
    }

    fn put_enumeration(&mut self, of: &EnumerationType) {
        self.put_name("enumeration");
        self.put_number(of.size as u64);
        self.put_number(of.literals.len() as u64);
        for literal in of.literals {
            self.put_name(literal.name);
            self.put_number(i64::from(literal.value).cast_unsigned());
        }
        self.put_number(i64::from(of.default).cast_unsigned());
    }
}
