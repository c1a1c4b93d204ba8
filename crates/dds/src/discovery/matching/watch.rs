//! Tells those who watch the domain which entities of others came, changed or went.
//!
//! Only the names of these entities wait, each once. What is told is how an entity is at the moment
//! when the watcher looks. So a watcher that never looks costs no more memory than the domain has
//! entities.
use crate::discovery::observe::{DiscoveryEvent, EntityChange};
use dunlin_rtps::discovery::Discovery;
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

/// Called without a lock when there is something to look at.
pub(crate) type Wake = dyn Fn() + Send + Sync;

/// Somebody who watches the domain.
pub(super) struct Watch {
    /// Gone when nobody watches any more.
    wake: Weak<Wake>,
    /// Entities that came, changed or went since the watcher looked last.
    fresh: BTreeSet<Guid>,
    /// Entities that the watcher knows.
    told: BTreeSet<Guid>,
    /// There is something new since it was woken last.
    is_due: bool,
}

impl Watch {
    /// Remembers that an entity came or changed, or that it is not there any more.
    fn note(&mut self, guid: Guid, exists: bool) {
        if exists || self.told.contains(&guid) {
            self.fresh.insert(guid);
            self.is_due = true;
        } else {
            self.fresh.remove(&guid);
        }
    }

    /// What is to be told of an entity; `None` if it came and went meanwhile.
    fn change<D: Clone>(&mut self, guid: Guid, data: Option<&D>) -> Option<EntityChange<D>> {
        let is_known = self.told.contains(&guid);
        match data {
            Some(data) if is_known => Some(EntityChange::Changed(Box::new(data.clone()))),
            Some(data) => {
                self.told.insert(guid);
                Some(EntityChange::Added(Box::new(data.clone())))
            }
            None => self.told.remove(&guid).then_some(EntityChange::Gone(guid)),
        }
    }

    fn event(&mut self, guid: Guid, discovery: &Discovery) -> Option<DiscoveryEvent> {
        match guid.entity {
            EntityId::PARTICIPANT => {
                let change = self.change(guid, discovery.participant(guid.prefix));
                change.map(DiscoveryEvent::Participant)
            }
            entity if entity.is_writer() => {
                let change = self.change(guid, discovery.writer(guid).as_deref());
                change.map(DiscoveryEvent::Writer)
            }
            _ => {
                let change = self.change(guid, discovery.reader(guid).as_deref());
                change.map(DiscoveryEvent::Reader)
            }
        }
    }
}

/// All who watch the domain.
#[derive(Default)]
pub(super) struct Watches(Vec<Watch>);

impl Watches {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// From now on `wake` is called when there is something that `take` has not told. At first that
    /// is all that is known of others.
    pub(super) fn add(&mut self, wake: &Arc<Wake>, discovery: &Discovery) {
        let own = discovery.config().prefix;
        let participants = discovery.participants().map(|data| data.guid);
        let writers = discovery.writers().map(|data| data.guid);
        let readers = discovery.readers().map(|data| data.guid);
        let all = participants.chain(writers).chain(readers);
        self.0.push(Watch {
            wake: Arc::downgrade(wake),
            fresh: all.filter(|guid| guid.prefix != own).collect(),
            told: BTreeSet::new(),
            is_due: true,
        });
    }

    /// What the watcher with this `wake` was not told yet. Participants come before their endpoints
    /// and go after them.
    pub(super) fn take(&mut self, wake: &Arc<Wake>, discovery: &Discovery) -> Vec<DiscoveryEvent> {
        let is_its = |watch: &&mut Watch| std::ptr::addr_eq(watch.wake.as_ptr(), Arc::as_ptr(wake));
        let Some(watch) = self.0.iter_mut().find(is_its) else {
            return Vec::new();
        };
        let fresh = std::mem::take(&mut watch.fresh).into_iter();
        let events = fresh.filter_map(|guid| watch.event(guid, discovery));
        let mut events: Vec<DiscoveryEvent> = events.collect();
        events.sort_by_key(DiscoveryEvent::turn);
        events
    }

    /// A participant came, changed or went.
    pub(super) fn note_participant(&mut self, prefix: GuidPrefix, discovery: &Discovery) {
        let exists = discovery.participant(prefix).is_some();
        for watch in &mut self.0 {
            watch.note(Guid::new(prefix, EntityId::PARTICIPANT), exists);
        }
    }

    /// These endpoints came, changed or went.
    pub(super) fn note_endpoints(&mut self, endpoints: &BTreeSet<Guid>, discovery: &Discovery) {
        for guid in endpoints {
            let exists = match guid.entity.is_writer() {
                true => discovery.writer(*guid).is_some(),
                false => discovery.reader(*guid).is_some(),
            };
            self.0
                .iter_mut()
                .for_each(|watch| watch.note(*guid, exists));
        }
    }

    /// Those to be woken, each once for all that is new. Those who watch no more are forgotten.
    pub(super) fn due(&mut self) -> impl Iterator<Item = Arc<Wake>> {
        self.0.retain(|watch| watch.wake.strong_count() > 0);
        let due = self.0.iter_mut();
        let due = due.filter_map(|watch| std::mem::take(&mut watch.is_due).then_some(&watch.wake));
        due.filter_map(Weak::upgrade)
    }
}
