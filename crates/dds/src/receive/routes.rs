//! Which endpoints are connected, as the threads that receive and send look it up.
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::Endpoints;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReaderEndpoint;
use dunlin_rtps::discovery::SourceAddresses;
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use hashbrown::HashMap;
use std::sync::Arc;

/// Who is connected to whom: an immutable snapshot, replaced when something matches. What it says
/// of a participant is shared with the snapshot before, unless something there has changed.
pub(crate) struct Routes<P: Endpoints> {
    pub(crate) writers: HashMap<EntityId, Arc<P::Writer>>,
    /// The same ones, in an order that is always the same.
    pub(crate) in_order: Box<[Arc<P::Writer>]>,
    /// The participants with matched endpoints.
    pub(crate) peers: HashMap<GuidPrefix, Arc<PeerRoute<P>>>,
    /// Some remote writers have a finite liveliness lease.
    pub(crate) watches_life: bool,
}

/// What the data path has to know of a participant with matched endpoints.
pub(crate) struct PeerRoute<P: Endpoints> {
    /// From where its messages are taken.
    pub(crate) addresses: SourceAddresses,
    /// It is one of our own, as its participant data say.
    pub(crate) is_ours: bool,
    /// Its matched writers, each with local readers.
    pub(crate) readers: ByEntity<Vec<Arc<P::Reader>>>,
    /// The one place where each matched endpoint is reached.
    pub(crate) destinations: ByEntity<Destination>,
    /// The multicast group where a matched reader gets its samples, if that is not the same place.
    pub(crate) groups: ByEntity<Destination>,
    /// Of its writers with a finite liveliness lease.
    pub(crate) signs: ByEntity<Arc<LivelinessAssertion>>,
}

/// Something of each endpoint of a participant, ascending.
pub(crate) struct ByEntity<V>(Box<[(EntityId, V)]>);

impl<V> ByEntity<V> {
    #[inline]
    pub(crate) fn of_entity(&self, entity: EntityId) -> Option<&V> {
        let found = self.0.binary_search_by(|(known, _)| known.cmp(&entity));
        let (_, value) = self.0.get(found.ok()?)?;
        Some(value)
    }
}

impl<V> Default for ByEntity<V> {
    fn default() -> Self {
        Self(Box::default())
    }
}

/// Those that ascend already.
impl<V> FromIterator<(EntityId, V)> for ByEntity<V> {
    fn from_iter<I: IntoIterator<Item = (EntityId, V)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl<P: Endpoints> Default for Routes<P> {
    fn default() -> Self {
        Self {
            writers: HashMap::new(),
            in_order: Box::default(),
            peers: HashMap::new(),
            watches_life: false,
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
        let peer = self.peers.get(&writer.prefix);
        let all = peer.and_then(|peer| peer.readers.of_entity(writer.entity));
        all.map_or(&[][..], Vec::as_slice)
            .iter()
            .filter(move |core| reader == EntityId::UNKNOWN || core.guid().entity == reader)
    }

    /// What a writer shows its life by, if it has to.
    pub(crate) fn sign(&self, writer: &Guid) -> Option<&Arc<LivelinessAssertion>> {
        self.peers
            .get(&writer.prefix)?
            .signs
            .of_entity(writer.entity)
    }

    pub(crate) fn destination(&self, endpoint: &Guid) -> &[Destination] {
        let peer = self.peers.get(&endpoint.prefix);
        let place = peer.and_then(|peer| peer.destinations.of_entity(endpoint.entity));
        place.map_or(&[], std::slice::from_ref)
    }

    /// Where a reader gets its samples when they are new.
    pub(crate) fn stream(&self, reader: &Guid) -> &[Destination] {
        let Some(peer) = self.peers.get(&reader.prefix) else {
            return &[];
        };
        let group = peer.groups.of_entity(reader.entity);
        let place = group.or_else(|| peer.destinations.of_entity(reader.entity));
        place.map_or(&[], std::slice::from_ref)
    }
}
