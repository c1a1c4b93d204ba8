//! What readers of other products do not understand, though the standard lets us say it, and what
//! we say to them instead.
//!
//! They are known by what their participant announces of itself.
use crate::runtime::lock::{LEAF, Ranked};
use dunlin_cdr::KeyForm;
use dunlin_wire::{Guid, ParticipantData, VendorId};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The readers of a writer that are of other products. How they want keys is asked for disposals
/// only.
pub(crate) struct VendorQuirks {
    readers: Ranked<Vec<(Guid, KeyForm)>, LEAF>,
    /// There are some.
    has_others: AtomicBool,
}

impl VendorQuirks {
    pub(crate) fn new() -> Self {
        Self {
            readers: Ranked::new(Vec::new()),
            has_others: AtomicBool::new(false),
        }
    }

    /// A reader matches, of this participant. Called before the reader is sent anything.
    pub(crate) fn add(&self, reader: Guid, participant: &ParticipantData) {
        if participant.vendor != VendorId::DUNLIN {
            let mut readers = self.readers.lock();
            readers.retain(|(known, _)| *known != reader);
            readers.push((reader, key_form(participant)));
            self.has_others.store(true, Relaxed);
        }
    }

    pub(crate) fn remove(&self, reader: Guid) {
        let mut readers = self.readers.lock();
        readers.retain(|(known, _)| *known != reader);
        self.has_others.store(!readers.is_empty(), Relaxed);
    }

    /// Whether some reader is of another product.
    #[inline]
    pub(crate) fn has_others(&self) -> bool {
        self.has_others.load(Relaxed)
    }

    /// How a key is serialized so that all of the readers understand it. Dunlin itself understands
    /// every form.
    pub(crate) fn key_form(&self) -> KeyForm {
        let readers = self.readers.lock();
        KeyForm {
            bare: readers.iter().any(|(_, form)| form.bare),
            long: readers.iter().any(|(_, form)| form.long),
        }
    }
}

/// How readers of this participant want keys.
fn key_form(participant: &ParticipantData) -> KeyForm {
    KeyForm {
        bare: participant.vendor == VendorId::CYCLONE_DDS
            && is_before_eleven(&participant.product_version),
        long: participant.vendor == VendorId::FAST_DDS,
    }
}

/// Of Cyclone DDS "host/0.10.2/Linux/Linux": versions went from 0.10 to 11.
fn is_before_eleven(version: &str) -> bool {
    version
        .split('/')
        .nth(1)
        .is_some_and(|version| version.starts_with("0."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::GuidPrefix;

    fn form(vendor: VendorId, version: &str) -> KeyForm {
        key_form(&ParticipantData {
            vendor,
            product_version: version.into(),
            ..ParticipantData::new(GuidPrefix::UNKNOWN)
        })
    }

    #[test]
    fn who_deviates_is_told_by_product_and_version() {
        let (bare, long) = (true, false);
        let old = form(VendorId::CYCLONE_DDS, "vm/0.10.2/Linux/Linux");
        assert_eq!(old, KeyForm { bare, long });
        let normal = KeyForm::default();
        assert_eq!(form(VendorId::CYCLONE_DDS, "vm/11.0.1/Linux/Linux"), normal);
        assert_eq!(form(VendorId::CYCLONE_DDS, ""), normal);
        assert_eq!(form(VendorId::DUNLIN, "vm/0.10.2"), normal);
        assert!(form(VendorId::FAST_DDS, "").long);
    }
}
