//! Which endpoints are connected, as the threads that receive and send look it up.
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::Endpoints;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReaderEndpoint;
use dunlin_rtps::discovery::SourceAddresses;
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use hashbrown::HashMap;
use std::sync::Arc;

/// Who is connected to whom: an immutable snapshot, replaced when something matches.
pub(crate) struct Routes<P: Endpoints> {
    /// Matched remote writer to local readers.
    pub(crate) readers: HashMap<Guid, Vec<Arc<P::Reader>>>,
    pub(crate) writers: HashMap<EntityId, Arc<P::Writer>>,
    /// The same ones, in an order that is always the same.
    pub(crate) in_order: Box<[Arc<P::Writer>]>,
    /// Matched remote endpoint to the one place where it is reached.
    pub(crate) destinations: HashMap<Guid, Destination>,
    /// Matched remote reader to the multicast group where it gets its samples, if that is not the
    /// same place.
    pub(crate) groups: HashMap<Guid, Destination>,
    /// Of remote writers with a finite liveliness lease.
    pub(crate) signs: HashMap<Guid, Arc<LivelinessAssertion>>,
    /// The participants with matched endpoints.
    pub(crate) peers: HashMap<GuidPrefix, Arc<PeerRoute>>,
}

/// What the receive path has to know of a participant with matched endpoints.
pub(crate) struct PeerRoute {
    /// From where its messages are taken.
    pub(crate) addresses: SourceAddresses,
    /// It is one of our own, as its participant data say.
    pub(crate) is_ours: bool,
}

impl<P: Endpoints> Default for Routes<P> {
    fn default() -> Self {
        Self {
            readers: HashMap::new(),
            writers: HashMap::new(),
            in_order: Box::default(),
            destinations: HashMap::new(),
            groups: HashMap::new(),
            signs: HashMap::new(),
            peers: HashMap::new(),
        }
    }
}

impl<P: Endpoints> Routes<P> {
    /// The local readers of `writer` that `reader` names, all of them if it is unknown.
    pub(crate) fn readers_of(
        &self,
        writer: &Guid,
        reader: EntityId,
    ) -> impl Iterator<Item = &Arc<P::Reader>> {
        let all = self.readers.get(writer).map_or(&[][..], Vec::as_slice);
        all.iter()
            .filter(move |core| reader == EntityId::UNKNOWN || core.guid().entity == reader)
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
