//! In which order samples of several readers are to be taken (PRESENTATION ordered with scope
//! GROUP, DDS 1.4 2.2.2.5.2.10).
use crate::untyped::reader::ReaderCore;
use dunlin_rtps::Select;
use std::sync::Arc;

/// Each reader once for each of the selected samples: whoever takes one from each gets them in the
/// order of their turns.
pub(super) fn one_by_one<'r>(
    readers: &'r [Arc<ReaderCore>],
    select: &Select,
) -> impl Iterator<Item = &'r Arc<ReaderCore>> {
    let mut all = Vec::new();
    for reader in readers {
        let places = reader.places(select).into_iter();
        all.extend(places.map(|place| (place, reader)));
    }
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, reader)| reader)
}
