//! TypeObjects of a peer as a tree.

mod body;
mod check;
pub(crate) mod references;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use dunlin_cdr::{Error, Extensibility};

use super::identifier::{EquivalenceHash, EquivalenceKind, PlainElement, TypeIdentifier};
use crate::annotations::{Annotated, annotated};
use crate::tree::{Case, Member};
use crate::{BuildError, DynamicType, Element, TryConstruct, TypeIndex, TypeTreeBuilder, limits};
use body::{Body, Named};

/// Why TypeObjects are no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts say what the fields are")]
pub enum RaiseError {
    /// A TypeObject is missing.
    #[error("the TypeObject of {identifier:?} is missing")]
    Missing { identifier: TypeIdentifier },
    /// The first TypeObject of a sequence is to be that of the type itself.
    #[error("the first TypeObject is named {identifier:?}, which is the name of none")]
    Root { identifier: TypeIdentifier },
    /// Only complete TypeObjects have names.
    #[error("a minimal TypeObject has no names: ask for the complete one")]
    Minimal,
    /// Another TypeObject has this identifier.
    #[error("the TypeObject that came for {identifier:?} has another hash")]
    Hash { identifier: TypeIdentifier },
    /// One is larger than a peer may send.
    #[error("{what}: {found}, at most {most} are allowed")]
    Limit {
        what: &'static str,
        found: usize,
        most: usize,
    },
    /// The bytes are damaged.
    #[error("a TypeObject is damaged: {0}")]
    Damaged(#[from] Error),
    /// A kind of type that is not in DDS-XTypes 1.3, or a kind that is no type.
    #[error("a TypeObject is of the kind {0:#04x}, which is no type")]
    Kind(u8),
    /// Flags that say no extensibility.
    #[error("{ty:?} is neither final nor appendable nor mutable: its flags are {flags:#06x}")]
    Extensibility {
        ty: alloc::string::String,
        flags: u16,
    },
    /// Something has no type.
    #[error("a part of a type is of no type")]
    None,
    /// Together they are no type.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl DynamicType {
    /// The type that complete TypeObjects describe; `object` gives the bytes of that with an
    /// identifier. Each is checked against its hash. Names, ids, flags and annotations are as the
    /// TypeObjects have them; annotations that are not in DDS-XTypes 1.3 are passed over.
    ///
    /// # Errors
    /// What is wrong with them. Nothing is reserved for a length before its elements are there; at
    /// most [`RAISED`](limits::RAISED) types are made, of TypeObjects of at most
    /// [`TYPE_OBJECT`](limits::TYPE_OBJECT) bytes.
    pub fn from_type_objects<'o>(
        root: &TypeIdentifier,
        object: impl Fn(&TypeIdentifier) -> Option<&'o [u8]>,
    ) -> Result<Self, RaiseError> {
        let mut raising = Raising {
            object,
            types: TypeTreeBuilder::new(),
            known: BTreeMap::new(),
            open: Vec::new(),
            made: 0,
            checked: BTreeSet::new(),
        };
        let root = raising.index(root, 0)?;
        while let Some((index, body)) = raising.open.pop() {
            raising.define(index, body)?;
        }
        Ok(raising.types.build(root)?)
    }
}

struct Raising<F> {
    object: F,
    types: TypeTreeBuilder,
    known: BTreeMap<TypeIdentifier, TypeIndex>,
    /// Structures and unions that are declared and not defined: so types may contain each other,
    /// and long chains of them need no stack.
    open: Vec<(TypeIndex, Body)>,
    made: usize,
    /// Components whose hash is right: each is hashed once.
    checked: BTreeSet<(EquivalenceHash, i32)>,
}

fn element(ty: TypeIndex, flags: u16) -> Element {
    Element {
        ty,
        try_construct: match flags & 0x03 {
            0x02 => TryConstruct::UseDefault,
            0x03 => TryConstruct::Trim,
            _ => TryConstruct::Discard,
        },
        is_external: flags & 0x04 != 0,
    }
}

pub(crate) fn limit(what: &'static str, found: usize, most: usize) -> Result<(), RaiseError> {
    match found <= most {
        true => Ok(()),
        false => Err(RaiseError::Limit { what, found, most }),
    }
}

impl<'o, F: Fn(&TypeIdentifier) -> Option<&'o [u8]>> Raising<F> {
    fn index(&mut self, of: &TypeIdentifier, depth: usize) -> Result<TypeIndex, RaiseError> {
        if let Some(known) = self.known.get(of) {
            return Ok(*known);
        }
        limit("types within types", depth, limits::DEPTH)?;
        self.made += 1;
        limit("types", self.made, limits::RAISED)?;
        let index = match of {
            TypeIdentifier::None => return Err(RaiseError::None),
            TypeIdentifier::Primitive(kind) => {
                let mut all = crate::tree::PRIMITIVES.iter().zip(0..);
                let found = all.find(|(primitive, _)| *primitive == kind);
                TypeIndex(found.ok_or(RaiseError::None)?.1)
            }
            TypeIdentifier::String8 { bound } => self.types.string(*bound),
            TypeIdentifier::String16 { bound } => self.types.wide_string(*bound),
            TypeIdentifier::Sequence { element, bound } => {
                let element = self.plain(element, depth)?;
                self.types.sequence(element, *bound)
            }
            TypeIdentifier::Array {
                element,
                dimensions,
            } => {
                let element = self.plain(element, depth)?;
                self.types.array(element, dimensions)
            }
            TypeIdentifier::Map {
                key,
                element,
                bound,
            } => {
                let key = self.plain(key, depth)?;
                let value = self.plain(element, depth)?;
                self.types.map(key, value, *bound)
            }
            TypeIdentifier::Hash(EquivalenceKind::Minimal, _) => return Err(RaiseError::Minimal),
            TypeIdentifier::Component(id) if id.kind == EquivalenceKind::Minimal => {
                return Err(RaiseError::Minimal);
            }
            TypeIdentifier::Hash(..) | TypeIdentifier::Component(_) => {
                let bytes = check::object(of, &self.object, &mut self.checked)?;
                return self.named(of, body::read(bytes)?, depth);
            }
        };
        self.known.insert(of.clone(), index);
        Ok(index)
    }

    fn plain(&mut self, of: &PlainElement, depth: usize) -> Result<Element, RaiseError> {
        let ty = self.index(&of.identifier, depth + 1)?;
        Ok(element(ty, of.flags))
    }

    fn named(
        &mut self,
        of: &TypeIdentifier,
        body: Body,
        depth: usize,
    ) -> Result<TypeIndex, RaiseError> {
        let index = match body {
            Body::Structure(Named { ref name, .. }) | Body::Union(Named { ref name, .. }) => {
                let index = self.types.declare(name);
                self.open.push((index, body));
                index
            }
            Body::Alias(Named { name, of }) => {
                let ty = self.index(&of.related, depth + 1)?;
                let annotations = of.annotations;
                self.types.annotated_alias(&name, ty, annotations)
            }
            Body::Sequence { element, bound } => {
                let element = self.plain(&element, depth)?;
                self.types.sequence(element, bound)
            }
            Body::Array {
                element,
                dimensions,
            } => {
                let element = self.plain(&element, depth)?;
                self.types.array(element, &dimensions)
            }
            Body::Map {
                key,
                element,
                bound,
            } => {
                let key = self.plain(&key, depth)?;
                let value = self.plain(&element, depth)?;
                self.types.map(key, value, bound)
            }
            Body::Enumeration(Named { name, of }) => {
                let literals = of.literals.iter();
                let literals: Vec<_> = literals.map(|(name, n, _)| (name.as_str(), *n)).collect();
                let default = of.literals.iter().find(|literal| literal.2);
                let default = default.map(|literal| literal.1);
                let extensibility = of.extensibility.unwrap_or(Extensibility::Appendable);
                let index =
                    self.types
                        .enumeration(&name, extensibility, of.bit_bound, &literals, default);
                self.bits_type(index, of.extensibility)
            }
            Body::Bitmask(Named { name, of }) => {
                let flags = of.flags.iter();
                let flags: Vec<_> = flags.map(|(name, at)| (name.as_str(), *at)).collect();
                let extensibility = of.extensibility.unwrap_or(Extensibility::Appendable);
                let index = self
                    .types
                    .bitmask(&name, extensibility, of.bit_bound, &flags);
                self.bits_type(index, of.extensibility)
            }
            Body::Bitset(Named { name, of }) => {
                let fields = of
                    .iter()
                    .map(|(name, at, size, of)| (name.as_str(), *at, *size, *of));
                let fields: Vec<_> = fields.collect();
                self.types.bitset(&name, &fields)
            }
        };
        self.known.insert(of.clone(), index);
        Ok(index)
    }

    /// Without a flag for its extensibility, an enumeration or bitmask fits any.
    fn bits_type(&mut self, index: TypeIndex, said: Option<Extensibility>) -> TypeIndex {
        if said.is_none() {
            self.types.fit_any_extensibility(index);
        }
        index
    }

    fn define(&mut self, index: TypeIndex, body: Body) -> Result<(), RaiseError> {
        match body {
            Body::Structure(Named { name, of }) => {
                let extensibility = extensibility(&name, of.flags)?;
                let base = match of.base {
                    TypeIdentifier::None => None,
                    base => Some(self.index(&base, 0)?),
                };
                let mut members = Vec::new();
                for member in of.members {
                    members.push(Member {
                        name: member.name.into(),
                        id: member.id,
                        element: element(self.index(&member.ty, 0)?, member.flags),
                        is_optional: member.flags & 0x08 != 0,
                        must_understand: member.flags & 0x10 != 0,
                        is_key: member.flags & 0x20 != 0,
                        annotations: annotated(member.annotations),
                    });
                }
                let mut builder = self.types.define_structure(index, extensibility);
                if let Some(base) = base {
                    builder = builder.base(base);
                }
                if of.flags & 0x08 != 0 {
                    builder = builder.nested();
                }
                if of.flags & 0x10 != 0 {
                    builder = builder.auto_id(crate::AutoId::Hash);
                }
                for member in members {
                    builder = builder.whole_member(member);
                }
                builder.finish();
            }
            Body::Union(Named { name, of }) => {
                let extensibility = extensibility(&name, of.flags)?;
                let (flags, ty) = of.discriminator;
                let discriminator = element(self.index(&ty, 0)?, flags);
                // A 32-bit label is unsigned if the discriminator is.
                let is_unsigned = self.types.is_unsigned(discriminator.ty);
                let mut cases = Vec::new();
                for case in of.cases {
                    let member = case.member;
                    let label = |label: u32| match is_unsigned {
                        true => i64::from(label),
                        false => i64::from(label.cast_signed()),
                    };
                    let annotations: Annotated = annotated(member.annotations);
                    cases.push(Case {
                        name: member.name.into(),
                        id: member.id,
                        element: Some(element(self.index(&member.ty, 0)?, member.flags)),
                        labels: case.labels.into_iter().map(label).collect(),
                        is_default: member.flags & 0x40 != 0,
                        annotations,
                    });
                }
                if extensibility != Extensibility::Mutable {
                    count_from_one(&mut cases);
                }
                let mut builder = self.types.define_union(index, extensibility, discriminator);
                if flags & 0x20 != 0 {
                    builder = builder.key();
                }
                if of.flags & 0x08 != 0 {
                    builder = builder.nested();
                }
                if of.flags & 0x10 != 0 {
                    builder = builder.auto_id(crate::AutoId::Hash);
                }
                for case in cases {
                    builder = builder.whole_case(case);
                }
                builder.finish();
            }
            // Only structures and unions are declared first.
            _ => {}
        }
        Ok(())
    }
}

/// Some products give the first case of a union the id 0, which is that of the discriminator, and
/// count on from there. Ids of a union that is not mutable are not on the wire.
fn count_from_one(cases: &mut [Case]) {
    for (case, id) in cases.iter_mut().zip(0..) {
        if case.id != id {
            break;
        }
        case.id += 1;
    }
}

fn extensibility(name: &str, flags: u16) -> Result<Extensibility, RaiseError> {
    match flags & 0x07 {
        0x01 => Ok(Extensibility::Final),
        0x02 => Ok(Extensibility::Appendable),
        0x04 => Ok(Extensibility::Mutable),
        _ => Err(RaiseError::Extensibility {
            ty: name.into(),
            flags,
        }),
    }
}
