//! A type of the program itself with all that others may ask of it.

use alloc::sync::Arc;

use super::{EquivalenceKind, TypeInformation, TypeObjectError, TypeObjects};
use crate::DynamicType;

/// A type of the program with its TypeObjects, minimal and complete: what its endpoints announce,
/// and what others get who ask. A clone is a counted reference.
#[derive(Clone, Debug)]
pub struct LocalType {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    ty: DynamicType,
    minimal: TypeObjects,
    complete: TypeObjects,
    information: TypeInformation,
}

impl LocalType {
    /// Lowers a type. That is work: once for each type is enough.
    ///
    /// # Errors
    /// [`TypeObjectError`] if the type is one that DDS-XTypes 1.3 cannot describe.
    pub fn new(ty: &DynamicType) -> Result<Self, TypeObjectError> {
        let minimal = ty.type_objects(EquivalenceKind::Minimal)?;
        let complete = ty.type_objects(EquivalenceKind::Complete)?;
        let inner = Inner {
            ty: ty.clone(),
            information: TypeInformation::new(&minimal, &complete),
            minimal,
            complete,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The type.
    pub fn ty(&self) -> &DynamicType {
        &self.inner.ty
    }

    /// What its endpoints announce.
    pub fn information(&self) -> &TypeInformation {
        &self.inner.information
    }

    /// Its minimal TypeObjects.
    pub fn minimal(&self) -> &TypeObjects {
        &self.inner.minimal
    }

    /// Its complete TypeObjects.
    pub fn complete(&self) -> &TypeObjects {
        &self.inner.complete
    }
}
