//! A type of a tree as TypeObjects.

mod body;

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Error, Writer, Xcdr};

use super::component::{self, Component};
use super::identifier::{
    EquivalenceHash, EquivalenceKind, PlainElement, StronglyConnectedComponentId, TypeIdentifier,
};
use super::write::Out;
use super::{TypeObjectError, TypeObjects};
use crate::tree::Node;
use crate::{DynamicType, Element, TryConstruct, TypeIndex, TypeTree, limits};

type Lowered<T> = Result<T, TypeObjectError>;

pub(super) fn lower(ty: &DynamicType, kind: EquivalenceKind) -> Lowered<TypeObjects> {
    let tree = ty.tree();
    let mut lowering = Lowering {
        tree,
        kind,
        known: vec![None; tree.len()],
        objects: vec![None; tree.len()],
    };
    for component in component::components(tree, ty.index()) {
        lowering.component(&component)?;
    }
    Ok(TypeObjects {
        kind,
        root: lowering.identifier(ty.index())?,
        objects: lowering.breadth_first(ty.index()),
    })
}

/// The flags of members that a type's element has in all places (DDS-XTypes 1.3 7.3.4.3).
fn element_flags(element: Element) -> u16 {
    let try_construct = match element.try_construct {
        TryConstruct::Discard => 0x01,
        TryConstruct::UseDefault => 0x02,
        TryConstruct::Trim => 0x03,
    };
    try_construct | if element.is_external { 0x04 } else { 0 }
}

fn has_object(node: &Node) -> bool {
    matches!(
        node,
        Node::Alias(_)
            | Node::Enumeration(_)
            | Node::Bitmask(_)
            | Node::Bitset(_)
            | Node::Structure(_)
            | Node::Union(_)
    )
}

struct Lowering<'t> {
    tree: &'t TypeTree,
    kind: EquivalenceKind,
    /// Identifiers, by the places of the types in the tree.
    known: Vec<Option<TypeIdentifier>>,
    objects: Vec<Option<Vec<u8>>>,
}

impl Lowering<'_> {
    fn name(&self, index: TypeIndex) -> &str {
        match self.tree.node(index) {
            Node::Alias(of) => &of.name,
            Node::Enumeration(of) => &of.name,
            Node::Bitmask(of) => &of.name,
            Node::Bitset(of) => &of.name,
            Node::Structure(of) => &of.name,
            Node::Union(of) => &of.name,
            _ => "",
        }
    }

    /// All types that this one refers to outside of the component are known.
    fn component(&mut self, component: &Component) -> Lowered<()> {
        let of = component.types.iter().copied();
        let mut types: Vec<TypeIndex> = of.filter(|ty| has_object(self.tree.node(*ty))).collect();
        match (types.as_slice(), component.is_recursive) {
            // A collection, a string or a primitive type.
            ([], _) => {
                for index in &component.types {
                    let identifier = self.identifier(*index)?;
                    self.set_known(*index, identifier);
                }
            }
            ([only], false) => {
                let object = self.object(*only)?;
                let hash = EquivalenceHash::of(&object);
                self.set_known(*only, TypeIdentifier::Hash(self.kind, hash));
                self.set_object(*only, object);
            }
            _ => {
                types.sort_by(|one, other| {
                    let names = self.name(*one).cmp(self.name(*other));
                    names.then(one.cmp(other))
                });
                self.name_component(&types, EquivalenceHash::default());
                let hash = EquivalenceHash::of(&self.sequence(&types)?);
                self.name_component(&types, hash);
                for index in types {
                    let object = self.object(index)?;
                    self.set_object(index, object);
                }
            }
        }
        Ok(())
    }

    fn name_component(&mut self, types: &[TypeIndex], hash: EquivalenceHash) {
        // A tree has at most 65,536 types.
        let length = types.len() as i32;
        for (ty, index) in types.iter().zip(1..) {
            let id = StronglyConnectedComponentId {
                kind: self.kind,
                hash,
                length,
                index,
            };
            self.set_known(*ty, TypeIdentifier::Component(id));
        }
    }

    fn set_known(&mut self, index: TypeIndex, identifier: TypeIdentifier) {
        if let Some(known) = self.known.get_mut(index.0 as usize) {
            *known = Some(identifier);
        }
    }

    fn set_object(&mut self, index: TypeIndex, object: Vec<u8>) {
        if let Some(known) = self.objects.get_mut(index.0 as usize) {
            *known = Some(object);
        }
    }

    fn identifier(&self, index: TypeIndex) -> Lowered<TypeIdentifier> {
        if let Some(Some(known)) = self.known.get(index.0 as usize) {
            return Ok(known.clone());
        }
        let node = self.tree.node(index);
        let collection = match node {
            Node::Primitive(kind) => return Ok(TypeIdentifier::Primitive(*kind)),
            Node::String8 { bound } => return Ok(TypeIdentifier::String8 { bound: *bound }),
            Node::String16 { bound } => return Ok(TypeIdentifier::String16 { bound: *bound }),
            Node::Sequence { element, bound } => TypeIdentifier::Sequence {
                element: self.plain(*element)?,
                bound: *bound,
            },
            Node::Array {
                element,
                dimensions,
            } => TypeIdentifier::Array {
                element: self.plain(*element)?,
                dimensions: dimensions.clone(),
            },
            Node::Map { key, value, bound } => TypeIdentifier::Map {
                key: self.plain(*key)?,
                element: self.plain(*value)?,
                bound: *bound,
            },
            // Components come in order, so all others are known.
            _ => return Ok(TypeIdentifier::None),
        };
        match collection.parts() <= limits::IDENTIFIER_PARTS {
            true => Ok(collection),
            false => Err(TypeObjectError::Identifier {
                collection: match node {
                    Node::Sequence { .. } => "sequence",
                    Node::Array { .. } => "array",
                    _ => "map",
                },
            }),
        }
    }

    fn plain(&self, element: Element) -> Lowered<PlainElement> {
        Ok(PlainElement {
            flags: element_flags(element),
            identifier: Box::new(self.identifier(element.ty)?),
        })
    }

    fn written(
        &self,
        ty: TypeIndex,
        write: impl FnOnce(&mut Out<'_>) -> Result<(), Fault>,
    ) -> Lowered<Vec<u8>> {
        let mut bytes = BytesMut::new();
        let mut out = Writer::new(&mut bytes, Xcdr::V2, Endianness::Little);
        let written = write(&mut out);
        out.finish();
        match written {
            Ok(()) => Ok(bytes.into()),
            Err(Fault::Type(fault)) => Err(fault),
            Err(Fault::TooLarge) => Err(TypeObjectError::TooLarge {
                ty: self.name(ty).into(),
            }),
        }
    }

    fn object(&self, index: TypeIndex) -> Lowered<Vec<u8>> {
        self.written(index, |out| body::object(self, out, index))
    }

    /// The TypeObjects of types that refer to each other: with the length in bytes in front, for
    /// that is how a sequence of structures is written.
    fn sequence(&self, types: &[TypeIndex]) -> Lowered<Vec<u8>> {
        let first = types.first().copied().unwrap_or(TypeIndex::BOOLEAN);
        self.written(first, |out| {
            let scope = out.begin_collection(false);
            out.put_length(types.len())?;
            for index in types {
                body::object(self, out, *index)?;
            }
            Ok(out.end_collection(scope)?)
        })
    }

    /// Types that are equal have one TypeObject.
    fn breadth_first(mut self, root: TypeIndex) -> Vec<(TypeIdentifier, Vec<u8>)> {
        let mut objects = Vec::new();
        let mut seen = vec![false; self.tree.len()];
        let mut listed = BTreeSet::new();
        let mut queue = VecDeque::from([root]);
        while let Some(index) = queue.pop_front() {
            match seen.get_mut(index.0 as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let place = index.0 as usize;
            let identifier = self.known.get_mut(place).and_then(Option::take);
            let object = self.objects.get_mut(place).and_then(Option::take);
            if let (Some(identifier), Some(object)) = (identifier, object)
                && listed.insert(identifier.clone())
            {
                objects.push((identifier, object));
            }
            let mut n = 0;
            while let Some(to) = component::reference(self.tree, index, n) {
                queue.push_back(to);
                n += 1;
            }
        }
        objects
    }
}

/// What ends the writing of a TypeObject.
enum Fault {
    Type(TypeObjectError),
    TooLarge,
}

impl From<Error> for Fault {
    /// Nothing else can be wrong with what is written.
    fn from(_: Error) -> Self {
        Self::TooLarge
    }
}

impl From<TypeObjectError> for Fault {
    fn from(error: TypeObjectError) -> Self {
        Self::Type(error)
    }
}
