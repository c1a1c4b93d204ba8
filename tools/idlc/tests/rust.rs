//! Rust types that are made of IDL compile without warnings, and are the types of the IDL: the
//! files of `emit/rust`, which the test `emit` writes.
#![deny(warnings)]

// What is made is for programs with the crate `dunlin`; this one has what it needs of it.
extern crate self as dunlin;

pub use dunlin_cdr as cdr;
pub use dunlin_derive::{Data, Topic};

#[path = "emit/rust/mod.rs"]
#[rustfmt::skip]
mod made;

use dunlin_cdr::{Deserialize, Layout};
use dunlin_xtypes::{BuildError, DynamicType, EquivalenceKind, TypeIdentifier};

/// A type, and what the IDL says.
struct Expected {
    ty: fn() -> Result<DynamicType, BuildError>,
    name: &'static str,
    minimal: &'static str,
    complete: &'static str,
}

const fn expected<T: Layout + Deserialize + Default>(
    name: &'static str,
    minimal: &'static str,
    complete: &'static str,
) -> Expected {
    Expected {
        ty: DynamicType::of::<T>,
        name,
        minimal,
        complete,
    }
}

fn hash(ty: &DynamicType, kind: EquivalenceKind) -> String {
    match ty.type_identifier(kind) {
        Ok(TypeIdentifier::Hash(_, hash)) => hash.to_string(),
        Ok(TypeIdentifier::Component(of)) => format!("{} {}/{}", of.hash, of.index, of.length),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_types_are_those_of_the_idl() {
    let mut wrong = Vec::new();
    for expected in made::TYPES {
        let found = (expected.ty)().map(|ty| {
            let hashes =
                [EquivalenceKind::Minimal, EquivalenceKind::Complete].map(|kind| hash(&ty, kind));
            (ty.name().to_string(), hashes)
        });
        let hashes = [expected.minimal, expected.complete].map(String::from);
        match found {
            Ok(found) if found == (expected.name.into(), hashes) => {}
            found => wrong.push(format!("{}: {found:?}", expected.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        made::TYPES.len(),
        wrong.join("\n")
    );
}
