//! What the data path knows of matched endpoints, made anew for those participants alone of which
//! something has changed: in a crowd that is one of hundreds.
use super::{Matching, OwnParticipant};
use crate::receive::routes::{ByEntity, PeerRoute, Routes};
use dunlin_wire::{EntityId, Guid, GuidPrefix, VendorId};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

impl<P: OwnParticipant> Matching<P> {
    /// The routes must be made anew, for something of this participant has changed.
    pub(super) fn change_routes_to(&mut self, peer: GuidPrefix) {
        self.changed = true;
        self.changed_peers.insert(peer);
    }

    /// As `change_routes_to` of all participants.
    pub(super) fn change_all_routes(&mut self) {
        self.changed = true;
        self.changed_peers.extend(self.peer_routes.keys());
    }

    pub(super) fn routes(&mut self) -> Routes<P> {
        for prefix in std::mem::take(&mut self.changed_peers) {
            match self.route_of(prefix) {
                Some(route) => self.peer_routes.insert(prefix, Arc::new(route)),
                None => self.peer_routes.remove(&prefix),
            };
        }
        let own = self.own();
        let writers = self.writers.iter();
        Routes {
            writers: writers.map(|(id, core)| (*id, Arc::clone(core))).collect(),
            in_order: self.writers.values().cloned().collect(),
            watches_life: self.signs.keys().any(|writer| writer.prefix != own),
            peers: self.peer_routes.clone(),
        }
    }

    /// `None` if nothing of that participant is matched.
    fn route_of(&self, prefix: GuidPrefix) -> Option<PeerRoute<P>> {
        let mut readers: BTreeMap<EntityId, Vec<_>> = BTreeMap::new();
        for (entity, sources) in &self.sources {
            let Some(core) = self.readers.get(entity) else {
                continue;
            };
            for writer in sources.range(endpoints_of(prefix)) {
                let readers = readers.entry(writer.entity).or_default();
                readers.push(Arc::clone(core));
            }
        }
        let mut sinks = self.sinks.values();
        let is_matched = !readers.is_empty()
            || sinks.any(|sinks| sinks.range(endpoints_of(prefix)).next().is_some());
        let is_other = prefix != self.own();
        is_matched.then(|| PeerRoute {
            addresses: self.discovery.source_addresses(prefix),
            is_ours: self.discovery.vendor(prefix) == VendorId::DUNLIN,
            readers: readers.into_iter().collect(),
            destinations: of_participant(&self.destinations, prefix),
            groups: of_participant(&self.groups, prefix),
            // Our own show their life where they write.
            signs: match is_other {
                true => of_participant(&self.signs, prefix),
                false => ByEntity::default(),
            },
        })
    }
}

fn endpoints_of(prefix: GuidPrefix) -> RangeInclusive<Guid> {
    Guid::new(prefix, EntityId([0; 4]))..=Guid::new(prefix, EntityId([u8::MAX; 4]))
}

fn of_participant<V: Clone>(all: &BTreeMap<Guid, V>, prefix: GuidPrefix) -> ByEntity<V> {
    let its = all.range(endpoints_of(prefix));
    its.map(|(guid, value)| (guid.entity, value.clone()))
        .collect()
}
