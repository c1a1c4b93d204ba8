//! Which TypeObjects a TypeObject refers to.

use alloc::collections::BTreeSet;

use super::RaiseError;
use super::body::{self, Body};
use crate::object::identifier::{PlainElement, TypeIdentifier};

/// The identifiers of the TypeObjects that a complete TypeObject refers to itself.
pub(crate) fn references(bytes: &[u8]) -> Result<BTreeSet<TypeIdentifier>, RaiseError> {
    let mut found = BTreeSet::new();
    match body::read(bytes)? {
        Body::Alias(of) => put(&mut found, &of.of.related),
        Body::Structure(of) => {
            put(&mut found, &of.of.base);
            let members = of.of.members.iter();
            members.for_each(|member| put(&mut found, &member.ty));
        }
        Body::Union(of) => {
            put(&mut found, &of.of.discriminator.1);
            let cases = of.of.cases.iter();
            cases.for_each(|case| put(&mut found, &case.member.ty));
        }
        Body::Sequence { element, .. } | Body::Array { element, .. } => {
            put(&mut found, &element.identifier);
        }
        Body::Map { key, element, .. } => {
            put(&mut found, &key.identifier);
            put(&mut found, &element.identifier);
        }
        Body::Enumeration(_) | Body::Bitmask(_) | Body::Bitset(_) => {}
    }
    Ok(found)
}

/// The TypeObjects that are needed to know what an identifier means; itself if it has one.
pub(crate) fn put(found: &mut BTreeSet<TypeIdentifier>, of: &TypeIdentifier) {
    let mut element = |of: &PlainElement| put(found, &of.identifier);
    match of {
        TypeIdentifier::Sequence { element: of, .. }
        | TypeIdentifier::Array { element: of, .. } => element(of),
        TypeIdentifier::Map {
            key, element: of, ..
        } => {
            element(key);
            element(of);
        }
        TypeIdentifier::Component(_) | TypeIdentifier::Hash(..) => {
            found.insert(of.clone());
        }
        _ => {}
    }
}
