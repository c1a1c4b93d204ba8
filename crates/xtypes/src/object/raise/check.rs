//! Whether TypeObjects are those that were asked for.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::{RaiseError, limit};
use crate::limits;
use crate::object::identifier::{EquivalenceHash, StronglyConnectedComponentId, TypeIdentifier};

/// The bytes of a TypeObject whose hash is right.
pub(super) fn object<'o>(
    of: &TypeIdentifier,
    object: &impl Fn(&TypeIdentifier) -> Option<&'o [u8]>,
    checked: &mut BTreeSet<(EquivalenceHash, i32)>,
) -> Result<&'o [u8], RaiseError> {
    let bytes = found(of, object)?;
    let is_right = match of {
        TypeIdentifier::Hash(_, hash) => EquivalenceHash::of(bytes) == *hash,
        TypeIdentifier::Component(id) => {
            (1..=id.length).contains(&id.index)
                && (checked.contains(&(id.hash, id.length))
                    || component(id, object)? && checked.insert((id.hash, id.length)))
        }
        _ => false,
    };
    match is_right {
        true => Ok(bytes),
        false => Err(RaiseError::Hash {
            identifier: of.clone(),
        }),
    }
}

fn found<'o>(
    of: &TypeIdentifier,
    object: &impl Fn(&TypeIdentifier) -> Option<&'o [u8]>,
) -> Result<&'o [u8], RaiseError> {
    let bytes = object(of).ok_or_else(|| RaiseError::Missing {
        identifier: of.clone(),
    })?;
    limit("bytes of a TypeObject", bytes.len(), limits::TYPE_OBJECT)?;
    Ok(bytes)
}

/// The objects of a component were hashed with zeros where the hash is now. Some products hash the
/// sequence without its length in bytes.
fn component<'o>(
    id: &StronglyConnectedComponentId,
    object: &impl Fn(&TypeIdentifier) -> Option<&'o [u8]>,
) -> Result<bool, RaiseError> {
    let length = usize::try_from(id.length).unwrap_or(0);
    limit("types that refer to each other", length, limits::COMPONENT)?;
    let mut all: Vec<u8> = id.length.to_le_bytes().into();
    for index in 1..=id.length {
        let other = TypeIdentifier::Component(StronglyConnectedComponentId { index, ..*id });
        all.resize(all.len().next_multiple_of(4), 0);
        all.extend_from_slice(found(&other, object)?);
    }
    let mut rest = all.as_mut_slice();
    while let Some(at) = rest.windows(14).position(|window| window == id.hash.0) {
        let (_, from) = rest.split_at_mut(at);
        let (hash, behind) = from.split_at_mut(14);
        hash.fill(0);
        rest = behind;
    }
    let size = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let delimited = [&size.to_le_bytes(), all.as_slice()].concat();
    Ok(EquivalenceHash::of(&delimited) == id.hash || EquivalenceHash::of(&all) == id.hash)
}
