//! TypeObjects: what a type is in the words of DDS-XTypes 1.3, so that other products know it.
//!
//! A type is *lowered* into one TypeObject for itself and one for each type that it refers to. A
//! TypeObject refers to others by [`TypeIdentifier`]: what is fully described by its identifier
//! (primitive types, strings, collections of them) has no TypeObject, all others are known by the
//! hash of theirs. There are two of each: the complete one has names and annotations, the minimal
//! one only what decides whether a reader can take the samples of a writer.
//!
//! Aliases stay, in minimal TypeObjects too. Collections never have a TypeObject of their own: no
//! annotation of an element is in the tree but `@external` and `@try_construct`, and those are in
//! the identifier of the collection (DDS-XTypes 1.3 7.3.4.1).

mod component;
mod identifier;
pub(crate) mod information;
mod local;
mod lower;
pub(crate) mod raise;
pub(crate) mod read;
mod sequence;
pub(crate) mod write;

use alloc::string::String;
use alloc::vec::Vec;

pub use identifier::{
    EquivalenceHash, EquivalenceKind, PlainElement, StronglyConnectedComponentId, TypeIdentifier,
};
pub use information::{TypeIdentifierWithDependencies, TypeIdentifierWithSize, TypeInformation};
pub use local::LocalType;
pub use raise::RaiseError;

use crate::{DynamicType, limits};

/// Why a type has no TypeObject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts say what the fields are")]
pub enum TypeObjectError {
    /// A label of a union has more than 32 bits.
    #[error(
        "case {case:?} of union {ty:?} has the label {label}, and labels in a TypeObject have 32 bits: use a smaller one, or announce the topic without its type"
    )]
    Label {
        ty: String,
        case: String,
        label: i64,
    },
    /// A case without value in a union whose other labels select a value.
    #[error(
        "case {case:?} of union {ty:?} has no value, and another case is the default: a TypeObject has no word for that; give it a value, or announce the topic without its type"
    )]
    NoValue { ty: String, case: String },
    /// Collections within collections are too many for an identifier.
    #[error(
        "the identifier of a {collection} has more than {} collections within collections: give some of them a name by typedef",
        limits::IDENTIFIER_PARTS
    )]
    Identifier { collection: &'static str },
    /// A TypeObject of 4 GiB.
    #[error("the TypeObject of {ty:?} is larger than 4 GiB")]
    TooLarge { ty: String },
}

/// The TypeObjects of a type and of all types that it refers to, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeObjects {
    kind: EquivalenceKind,
    root: TypeIdentifier,
    objects: Vec<(TypeIdentifier, Vec<u8>)>,
}

impl TypeObjects {
    /// Whether they are minimal or complete.
    pub fn kind(&self) -> EquivalenceKind {
        self.kind
    }

    /// The identifier of the type itself.
    pub fn identifier(&self) -> &TypeIdentifier {
        &self.root
    }

    /// All of them, breadth first from the type itself: identifiers and the bytes of the
    /// TypeObjects (XCDR2, little endian, without encapsulation header). The type itself is the
    /// first, unless its identifier says all.
    pub fn iter(&self) -> impl Iterator<Item = (&TypeIdentifier, &[u8])> {
        let objects = self.objects.iter();
        objects.map(|(identifier, bytes)| (identifier, bytes.as_slice()))
    }

    /// The bytes of the TypeObject with this identifier.
    pub fn object(&self, identifier: &TypeIdentifier) -> Option<&[u8]> {
        let mut all = self.iter();
        all.find(|(known, _)| *known == identifier)
            .map(|(_, bytes)| bytes)
    }
}

impl DynamicType {
    /// The TypeObjects of the type and of all types that it refers to.
    ///
    /// # Errors
    /// [`TypeObjectError`] if the type is one that DDS-XTypes 1.3 cannot describe.
    pub fn type_objects(&self, kind: EquivalenceKind) -> Result<TypeObjects, TypeObjectError> {
        lower::lower(self, kind)
    }

    /// What the type is known by: its description if it is short, else the hash of its TypeObject
    /// (DDS-XTypes 1.3 7.3.4.2).
    ///
    /// # Errors
    /// [`TypeObjectError`] if the type is one that DDS-XTypes 1.3 cannot describe.
    pub fn type_identifier(
        &self,
        kind: EquivalenceKind,
    ) -> Result<TypeIdentifier, TypeObjectError> {
        Ok(self.type_objects(kind)?.root)
    }

    /// The bytes of its TypeObject (DDS-XTypes 1.3 7.3.4.5): XCDR2, little endian, without
    /// encapsulation header. `None` if the identifier says all, as those of primitive types,
    /// strings and collections do.
    ///
    /// # Errors
    /// [`TypeObjectError`] if the type is one that DDS-XTypes 1.3 cannot describe.
    pub fn type_object(&self, kind: EquivalenceKind) -> Result<Option<Vec<u8>>, TypeObjectError> {
        let all = self.type_objects(kind)?;
        let mut objects = all.objects.into_iter();
        Ok(objects
            .next()
            .filter(|(identifier, _)| *identifier == all.root)
            .map(|(_, bytes)| bytes))
    }

    /// What an endpoint announces of its type (DDS-XTypes 1.3 7.6.3.2.1): both identifiers, and
    /// those of the types that it refers to.
    ///
    /// # Errors
    /// [`TypeObjectError`] if the type is one that DDS-XTypes 1.3 cannot describe.
    pub fn type_information(&self) -> Result<TypeInformation, TypeObjectError> {
        Ok(LocalType::new(self)?.information().clone())
    }
}
