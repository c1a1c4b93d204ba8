//! The types of a participant: its own, and those that it got from others.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use bytes::Bytes;

use super::limits;
use crate::object::raise::references;
use crate::{
    DynamicType, EquivalenceHash, EquivalenceKind, LocalType, RaiseError,
    StronglyConnectedComponentId, TypeIdentifier, TypeIdentifierWithSize, TypeObjects,
};

/// Why a TypeObject of a peer was not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It is none, not the one that was asked for, or larger than it may be.
    #[error(transparent)]
    Refused(#[from] RaiseError),
    /// The peer's types take more memory than one peer's may.
    #[error(
        "the types of one participant have more than {} bytes or {} TypeObjects",
        limits::PEER_BYTES,
        limits::PEER_TYPES
    )]
    PeerFull,
    /// The types of all peers that are used take more memory than they may.
    #[error(
        "the types of other participants that are used have more than {} bytes",
        limits::BYTES
    )]
    Full,
}

/// The types of the own endpoints, and those of others' that were asked for; `P` names a peer.
///
/// Own types stay until they are removed as often as they were added. A foreign type that is
/// [acquired](Self::acquire) stays until it is released; the other TypeObjects are forgotten, oldest
/// first, when there is no room for new ones. Everybody may use what one peer sent, since it is
/// known by its hash.
#[derive(Debug)]
pub struct TypeStore<P> {
    /// The own types, by their complete identifiers, and how often each was added.
    local: BTreeMap<TypeIdentifier, (LocalType, usize)>,
    /// The own types that each of their TypeObjects is in.
    holders: BTreeMap<TypeIdentifier, Vec<LocalType>>,
    foreign: BTreeMap<TypeIdentifier, Foreign<P>>,
    roots: BTreeMap<TypeIdentifier, Root>,
    /// Bytes and TypeObjects of each peer.
    peers: BTreeMap<P, (usize, usize)>,
    bytes: usize,
    /// Counts what was kept.
    age: u64,
}

/// A TypeObject of a peer.
#[derive(Debug)]
struct Foreign<P> {
    object: Bytes,
    references: BTreeSet<TypeIdentifier>,
    /// `None` if the peer is gone.
    from: Option<P>,
    age: u64,
}

/// A type that somebody wants to know.
#[derive(Debug, Default)]
struct Root {
    users: usize,
    ty: Option<DynamicType>,
    /// All TypeObjects of it, as far as they are known.
    closure: BTreeSet<TypeIdentifier>,
}

impl<P> Foreign<P> {
    /// What it costs to keep it.
    fn cost(&self) -> usize {
        let each = size_of::<TypeIdentifier>();
        self.object.len() + size_of::<Self>() + each * (1 + self.references.len())
    }
}

impl<P> Default for TypeStore<P> {
    fn default() -> Self {
        Self {
            local: BTreeMap::new(),
            holders: BTreeMap::new(),
            foreign: BTreeMap::new(),
            roots: BTreeMap::new(),
            peers: BTreeMap::new(),
            bytes: 0,
            age: 0,
        }
    }
}

impl<P: Ord + Copy> TypeStore<P> {
    /// An own endpoint has this type.
    pub fn add_local(&mut self, ty: &LocalType) {
        let key = ty.complete().identifier();
        if let Some((_, users)) = self.local.get_mut(key) {
            *users += 1;
            return;
        }
        self.local.insert(key.clone(), (ty.clone(), 1));
        for (identifier, _) in ty.minimal().iter().chain(ty.complete().iter()) {
            let holders = self.holders.entry(identifier.clone()).or_default();
            holders.push(ty.clone());
        }
    }

    /// An own endpoint has this type no longer.
    pub fn remove_local(&mut self, ty: &LocalType) {
        let key = ty.complete().identifier();
        let Some((_, users)) = self.local.get_mut(key) else {
            return;
        };
        *users -= 1;
        if *users > 0 {
            return;
        }
        self.local.remove(key);
        for (identifier, _) in ty.minimal().iter().chain(ty.complete().iter()) {
            if let Some(holders) = self.holders.get_mut(identifier) {
                holders.retain(|holder| holder.complete().identifier() != key);
                if holders.is_empty() {
                    self.holders.remove(identifier);
                }
            }
        }
    }

    /// The own type with this identifier, minimal or complete.
    pub fn local(&self, identifier: &TypeIdentifier) -> Option<&LocalType> {
        let kind = identifier.equivalence_kind()?;
        let mut holders = self.holders.get(identifier)?.iter();
        holders.find(|ty| objects(ty, kind).identifier() == identifier)
    }

    /// A TypeObject of the own types.
    pub fn local_object(&self, identifier: &TypeIdentifier) -> Option<&[u8]> {
        let kind = identifier.equivalence_kind()?;
        let holder = self.holders.get(identifier)?.first()?;
        objects(holder, kind).object(identifier)
    }

    /// The types that own types refer to, directly and through others, from the `from`th on.
    pub fn local_dependencies(
        &self,
        of: &[TypeIdentifier],
        from: usize,
    ) -> impl Iterator<Item = TypeIdentifierWithSize> {
        let mut seen = BTreeSet::new();
        let mut all: Vec<TypeIdentifierWithSize> = Vec::new();
        for identifier in of {
            let Some(kind) = identifier.equivalence_kind() else {
                continue;
            };
            let Some(ty) = self.local(identifier) else {
                continue;
            };
            let objects = objects(ty, kind).iter();
            for (dependency, object) in objects.filter(|(other, _)| *other != identifier) {
                if seen.insert(dependency) {
                    all.push(TypeIdentifierWithSize {
                        type_id: dependency.clone(),
                        typeobject_serialized_size: u32::try_from(object.len()).unwrap_or(u32::MAX),
                    });
                }
            }
        }
        all.into_iter().skip(from)
    }

    /// A TypeObject, whoever's.
    pub fn object(&self, identifier: &TypeIdentifier) -> Option<&[u8]> {
        let local = self.local_object(identifier);
        local.or_else(|| Some(&*self.foreign.get(identifier)?.object))
    }

    /// Somebody needs the foreign type with this identifier: what came of it, and will come, stays
    /// until it is released as often as it was acquired.
    pub fn acquire(&mut self, root: &TypeIdentifier) {
        let entry = self.roots.entry(root.clone()).or_default();
        entry.users += 1;
        references::put(&mut entry.closure, root);
    }

    /// Somebody needs it no more.
    pub fn release(&mut self, root: &TypeIdentifier) {
        if let Some(entry) = self.roots.get_mut(root) {
            entry.users = entry.users.saturating_sub(1);
            // An unfinished one is nothing that could be used again.
            if entry.users == 0 && entry.ty.is_none() {
                self.roots.remove(root);
            }
        }
    }

    /// The TypeObjects that an acquired type lacks; none if it is complete.
    ///
    /// # Errors
    /// [`RaiseError::Limit`] if there are more than [`RAISED`](crate::limits::RAISED), or too many
    /// refer to each other.
    pub fn missing(&mut self, root: &TypeIdentifier) -> Result<Vec<TypeIdentifier>, RaiseError> {
        let mut closure = BTreeSet::new();
        references::put(&mut closure, root);
        let mut open: Vec<TypeIdentifier> = closure.iter().cloned().collect();
        let mut missing = Vec::new();
        while let Some(identifier) = open.pop() {
            let mut next = siblings(&identifier)?;
            match self.foreign.get(&identifier) {
                // All that an own type refers to is known.
                None if self.local_object(&identifier).is_some() => next.clear(),
                None => missing.push(identifier),
                Some(known) => next.extend(known.references.iter().cloned()),
            }
            for identifier in next {
                if closure.insert(identifier.clone()) {
                    open.push(identifier);
                }
            }
            crate::object::raise::limit("types", closure.len(), crate::limits::RAISED)?;
        }
        if let Some(entry) = self.roots.get_mut(root) {
            entry.closure = closure;
        }
        Ok(missing)
    }

    /// Keeps a TypeObject that a peer sent for an identifier.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is kept then. The hash of types that refer to each other is checked
    /// by [`raise`](Self::raise), when all of them are there.
    pub fn insert(
        &mut self,
        peer: P,
        identifier: &TypeIdentifier,
        object: &[u8],
    ) -> Result<(), StoreError> {
        if self.object(identifier).is_some() {
            return Ok(());
        }
        check(identifier, object)?;
        let foreign = Foreign {
            object: Bytes::copy_from_slice(object),
            references: references::references(object)?,
            from: Some(peer),
            age: self.age,
        };
        self.make_room(peer, foreign.cost())?;
        self.age += 1;
        self.bytes += foreign.cost();
        let (bytes, count) = self.peers.entry(peer).or_default();
        *bytes += foreign.cost();
        *count += 1;
        self.foreign.insert(identifier.clone(), foreign);
        Ok(())
    }

    /// The type with this identifier, of which nothing is missing. An own type is itself. A foreign
    /// one that is acquired is made once.
    ///
    /// # Errors
    /// What is wrong with its TypeObjects; if they do not fit together, they are forgotten.
    pub fn raise(&mut self, root: &TypeIdentifier) -> Result<DynamicType, RaiseError> {
        if let Some(local) = self.local(root) {
            return Ok(local.ty().clone());
        }
        if let Some(known) = self.roots.get(root).and_then(|entry| entry.ty.clone()) {
            return Ok(known);
        }
        let raised = DynamicType::from_type_objects(root, |identifier| self.object(identifier));
        match &raised {
            Ok(ty) => {
                if let Some(entry) = self.roots.get_mut(root) {
                    entry.ty = Some(ty.clone());
                }
            }
            // No single one of them is known to be wrong.
            Err(RaiseError::Hash {
                identifier: TypeIdentifier::Component(id),
            }) => self.forget_component(id),
            Err(_) => {}
        }
        raised
    }

    /// The type with this identifier, if it is known without asking anybody.
    pub fn known(&self, root: &TypeIdentifier) -> Option<DynamicType> {
        let local = self.local(root).map(|local| local.ty().clone());
        local.or_else(|| self.roots.get(root)?.ty.clone())
    }

    /// A peer is gone. What it sent stays as long as somebody else needs it.
    pub fn forget_peer(&mut self, peer: P) {
        if self.peers.remove(&peer).is_some() {
            let of_peer = self.foreign.values_mut();
            for foreign in of_peer.filter(|foreign| foreign.from == Some(peer)) {
                foreign.from = None;
            }
        }
    }

    /// Bytes that foreign types take.
    pub fn foreign_bytes(&self) -> usize {
        self.bytes
    }

    /// How many TypeObjects of others there are.
    pub fn foreign_types(&self) -> usize {
        self.foreign.len()
    }

    fn make_room(&mut self, peer: P, cost: usize) -> Result<(), StoreError> {
        let has_room = |store: &Self| {
            let (bytes, count) = store.peers.get(&peer).copied().unwrap_or_default();
            if bytes + cost > limits::PEER_BYTES || count >= limits::PEER_TYPES {
                return Err(StoreError::PeerFull);
            }
            match store.bytes + cost > limits::BYTES {
                true => Err(StoreError::Full),
                false => Ok(()),
            }
        };
        let Err(first) = has_room(self) else {
            return Ok(());
        };
        let only = (first == StoreError::PeerFull).then_some(peer);
        for identifier in self.unused(only) {
            self.remove(&identifier);
            if has_room(self).is_ok() {
                break;
            }
        }
        // A peer's room may have come without that of all.
        match (has_room(self), only) {
            (Err(StoreError::Full), Some(_)) => self.make_room(peer, cost),
            (result, _) => result,
        }
    }

    /// The TypeObjects that no acquired type needs, of one peer or of all, the oldest first.
    fn unused(&self, of: Option<P>) -> Vec<TypeIdentifier> {
        let roots = self.roots.values().filter(|root| root.users > 0);
        let used: BTreeSet<&TypeIdentifier> = roots.flat_map(|root| &root.closure).collect();
        let all = self.foreign.iter();
        let unused = all.filter(|(id, foreign)| {
            !used.contains(id) && of.is_none_or(|peer| foreign.from == Some(peer))
        });
        let mut unused: Vec<_> = unused.map(|(id, foreign)| (foreign.age, id)).collect();
        unused.sort();
        unused.into_iter().map(|(_, id)| id.clone()).collect()
    }

    fn remove(&mut self, identifier: &TypeIdentifier) {
        let Some(foreign) = self.foreign.remove(identifier) else {
            return;
        };
        self.bytes -= foreign.cost();
        if let Some(peer) = foreign.from
            && let Some((bytes, count)) = self.peers.get_mut(&peer)
        {
            *bytes -= foreign.cost();
            *count -= 1;
            if *count == 0 {
                self.peers.remove(&peer);
            }
        }
        self.roots
            .retain(|_, root| root.users > 0 || !root.closure.contains(identifier));
    }

    fn forget_component(&mut self, id: &StronglyConnectedComponentId) {
        for index in 1..=id.length.min(crate::limits::COMPONENT as i32) {
            let id = StronglyConnectedComponentId { index, ..*id };
            self.remove(&TypeIdentifier::Component(id));
        }
    }
}

fn objects(of: &LocalType, kind: EquivalenceKind) -> &TypeObjects {
    match kind {
        EquivalenceKind::Minimal => of.minimal(),
        EquivalenceKind::Complete => of.complete(),
    }
}

/// The types that are known together with this one.
fn siblings(of: &TypeIdentifier) -> Result<Vec<TypeIdentifier>, RaiseError> {
    let TypeIdentifier::Component(id) = of else {
        return Ok(Vec::new());
    };
    let length = usize::try_from(id.length).unwrap_or(0);
    let most = crate::limits::COMPONENT;
    crate::object::raise::limit("types that refer to each other", length, most)?;
    if !(1..=id.length).contains(&id.index) {
        return Err(RaiseError::Hash {
            identifier: of.clone(),
        });
    }
    let all = (1..=id.length).map(|index| StronglyConnectedComponentId { index, ..*id });
    Ok(all.map(TypeIdentifier::Component).collect())
}

/// A TypeObject of a single type is checked at once.
fn check(identifier: &TypeIdentifier, object: &[u8]) -> Result<(), RaiseError> {
    let most = crate::limits::TYPE_OBJECT;
    crate::object::raise::limit("bytes of a TypeObject", object.len(), most)?;
    siblings(identifier)?;
    let is_right = match identifier {
        TypeIdentifier::Hash(_, hash) => EquivalenceHash::of(object) == *hash,
        other => other.has_type_object(),
    };
    match is_right {
        true => Ok(()),
        false => Err(RaiseError::Hash {
            identifier: identifier.clone(),
        }),
    }
}
