//! Which endpoints are connected, as the threads that receive and send look it up.
use crate::receive::liveliness::LivelinessAssertion;
use crate::send::destination::Destination;
use crate::untyped::reader::ReaderCore;
use crate::untyped::writer::WriterCore;
use dunlin_rtps::discovery::SourceAddresses;
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use hashbrown::HashMap;
use std::sync::Arc;

/// Who is connected to whom: an immutable snapshot, replaced when something matches.
#[derive(Default)]
pub(crate) struct Routes {
    /// Matched remote writer to local readers.
    pub(crate) readers: HashMap<Guid, Vec<Arc<ReaderCore>>>,
    pub(crate) writers: HashMap<EntityId, Arc<WriterCore>>,
    /// The same ones, in an order that is always the same.
    pub(crate) in_order: Box<[Arc<WriterCore>]>,
    /// Matched remote endpoint to the one place where it is reached.
    pub(crate) destinations: HashMap<Guid, Destination>,
    /// Matched remote reader to the multicast group where it gets its samples, if that is not the
    /// same place.
    pub(crate) groups: HashMap<Guid, Destination>,
    /// Of remote writers with a finite liveliness lease.
    pub(crate) signs: HashMap<Guid, Arc<LivelinessAssertion>>,
    /// The participants with matched endpoints.
    pub(crate) peers: HashMap<GuidPrefix, PeerRoute>,
}

/// What the receive path has to know of a participant with matched endpoints.
pub(crate) struct PeerRoute {
    /// From where its messages are taken.
    pub(crate) addresses: SourceAddresses,
    /// It is one of our own, as its participant data say.
    pub(crate) is_ours: bool,
}

impl Routes {
    /// The local readers of `writer` that `reader` names, all of them if it is unknown.
    pub(crate) fn readers_of(
        &self,
        writer: &Guid,
        reader: EntityId,
    ) -> impl Iterator<Item = &Arc<ReaderCore>> {
        let all = self.readers.get(writer).map_or(&[][..], Vec::as_slice);
        all.iter()
            .filter(move |core| reader == EntityId::UNKNOWN || core.guid.entity == reader)
    }

    pub(crate) fn destination(&self, endpoint: &Guid) -> &[Destination] {
        self.destinations
            .get(endpoint)
            .map_or(&[], std::slice::from_ref)
    }

    /// Where a reader gets its samples when they are new.
    pub(crate) fn stream(&self, reader: &Guid) -> &[Destination] {
        match self.groups.get(reader) {
            Some(group) => std::slice::from_ref(group),
            None => self.destination(reader),
        }
    }
}
