//! What endpoints announce of their type (DDS-XTypes 1.3 7.6.3.2).
use super::TypeSupport;
use crate::entity::type_settings::TypeAnnouncement;
use bytes::Bytes;
use dunlin_cdr::Endianness;
use dunlin_transport::panics::log;
use dunlin_wire::EncodedTypeInformation;
use dunlin_xtypes::{DynamicType, LocalType, TypeInformation};
use std::sync::{Arc, OnceLock};

/// What is announced of a type, and whose words these are.
#[derive(Clone)]
pub(super) enum Announced {
    /// The type is the program's own: it is lowered when the first endpoint wants it.
    Own(Arc<OnceLock<Option<Own>>>),
    /// What an endpoint of another participant said, as it came.
    Foreign(EncodedTypeInformation),
    /// Nothing.
    Nothing,
}

/// A type of the program, lowered.
pub(super) struct Own {
    ty: LocalType,
    encoded: Bytes,
}

impl Announced {
    /// Of a type of the program, if it is known what it is.
    pub(super) fn own(is_known: bool) -> Self {
        match is_known {
            true => Self::Own(Arc::default()),
            false => Self::Nothing,
        }
    }
}

impl TypeSupport {
    /// The type with its TypeObjects. `None` for a type of somebody else, and for one that is not
    /// known or that DDS-XTypes 1.3 cannot describe.
    pub(crate) fn local_type(&self) -> Option<&LocalType> {
        self.own().map(|own| &own.ty)
    }

    /// What endpoints of the type announce of it.
    pub(crate) fn announced(&self, wanted: TypeAnnouncement) -> Option<EncodedTypeInformation> {
        if wanted == TypeAnnouncement::None {
            return None;
        }
        let information = match &self.inner.announced {
            Announced::Own(_) => EncodedTypeInformation::little_endian(self.own()?.encoded.clone()),
            Announced::Foreign(information) => passed_on(information)?,
            Announced::Nothing => return None,
        };
        Some(EncodedTypeInformation {
            for_dunlin: wanted == TypeAnnouncement::Dunlin,
            ..information
        })
    }

    fn own(&self) -> Option<&Own> {
        match &self.inner.announced {
            Announced::Own(own) => own
                .get_or_init(|| lower(self.name(), self.dynamic_type()?))
                .as_ref(),
            _ => None,
        }
    }
}

/// It is done once for each type, so whoever cannot be described is told of once.
fn lower(name: &str, ty: &DynamicType) -> Option<Own> {
    match LocalType::new(ty) {
        Ok(ty) => Some(Own {
            encoded: ty.information().to_bytes(Endianness::Little).into(),
            ty,
        }),
        Err(error) => {
            log::warn!(ty = name, %error, "endpoints of this type do not announce it: names decide about their matches");
            None
        }
    }
}

/// The same in the byte order in which Dunlin writes.
fn passed_on(information: &EncodedTypeInformation) -> Option<EncodedTypeInformation> {
    match information.endianness {
        dunlin_wire::Endianness::Little => Some(information.clone()),
        dunlin_wire::Endianness::Big => {
            let read = TypeInformation::from_bytes(&information.bytes, Endianness::Big).ok()?;
            let bytes = read.to_bytes(Endianness::Little);
            Some(EncodedTypeInformation::little_endian(bytes))
        }
    }
}
