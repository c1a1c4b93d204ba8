//! The entities of a participant: which there are, and what they say anew when the QoS of what they
//! belong to changes.
use super::{Matching, OwnParticipant};
use dunlin_qos::DomainParticipantQos;
use dunlin_rtps::Time;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig};
use dunlin_wire::{EntityId, EntityKind, Guid, Locator};
use dunlin_xtypes::LocalType;
use std::sync::{Arc, Weak};

impl<P: OwnParticipant> Matching<P> {
    /// Says anew what these writers and readers are. If one cannot be announced the rest stays as
    /// it was.
    pub(crate) fn announce_again(
        &mut self,
        now: Time,
        is_writer: impl Fn(&P::Writer) -> bool,
        is_reader: impl Fn(&P::Reader) -> bool,
    ) -> Result<(), dunlin_wire::Error> {
        let writers: Vec<_> = self
            .writers
            .values()
            .filter(|w| is_writer(w))
            .cloned()
            .collect();
        let readers: Vec<_> = self
            .readers
            .values()
            .filter(|r| is_reader(r))
            .cloned()
            .collect();
        for writer in writers {
            self.announce_writer(now, &writer)?;
        }
        for reader in readers {
            self.announce_reader(now, &reader)?;
        }
        Ok(())
    }

    /// What the type of an endpoint is that is announced next, if others are to know it.
    pub(super) fn serve_type(&mut self, endpoint: Guid, ty: Option<&LocalType>) {
        if let Some(ty) = ty {
            self.discovery.serve_type(endpoint, ty);
        }
    }

    /// From now on this is what the participant says about itself.
    pub(crate) fn set_participant_qos(
        &mut self,
        now: Time,
        qos: DomainParticipantQos,
    ) -> Result<(), dunlin_wire::Error> {
        let config = DiscoveryConfig {
            qos,
            ..self.discovery.config().clone()
        };
        let (out, events) = (&mut self.datagrams, &mut self.events);
        self.discovery.reconfigure(now, config, out, events)
    }

    /// From now on the participant is at these places, and others may be reached another way.
    pub(crate) fn move_to(
        &mut self,
        now: Time,
        metatraffic_unicast: Vec<Locator>,
        default_unicast: Vec<Locator>,
    ) -> Result<(), dunlin_wire::Error> {
        self.peers.clear();
        self.change_all_routes();
        self.discovery.relocate_all(&mut self.events);
        let config = DiscoveryConfig {
            metatraffic_unicast,
            default_unicast,
            ..self.discovery.config().clone()
        };
        let (out, events) = (&mut self.datagrams, &mut self.events);
        self.discovery.reconfigure(now, config, out, events)
    }

    /// From now on nothing is heard of this participant, writer or reader.
    pub(crate) fn ignore(&mut self, now: Time, guid: Guid) {
        let events = &mut self.events;
        match guid.entity {
            EntityId::PARTICIPANT => self.discovery.ignore_participant(now, guid.prefix, events),
            _ => self.discovery.ignore_endpoint(guid, events),
        }
    }

    /// From now on nothing is heard of what others have of this topic.
    pub(crate) fn ignore_topic(&mut self, name: &str) {
        self.discovery.ignore_topic(name, &mut self.events);
    }

    pub(crate) fn knowledge(&self) -> &Discovery {
        &self.discovery
    }

    /// Entities get the numbers that follow this one.
    #[cfg(feature = "simulation")]
    pub(crate) fn count_entities_from(&mut self, last: u32) {
        self.last_key = last;
    }

    /// An entity that nobody else hears of.
    pub(crate) fn new_inner_entity(&mut self) -> EntityId {
        self.new_entity(EntityKind::Other)
    }

    /// The topics that the application has. To be dropped without the lock.
    pub(crate) fn own_topics(&self) -> Vec<Arc<P::Topic>> {
        self.topics.values().filter_map(Weak::upgrade).collect()
    }

    /// The application has this topic no longer.
    pub(crate) fn forget_topic(&mut self, topic: &Arc<P::Topic>) {
        let gone = Arc::downgrade(topic);
        self.topics.retain(|_, known| !known.ptr_eq(&gone));
    }

    /// Does another participant have an endpoint of this topic and type?
    pub(crate) fn hears_of(&self, topic: &str, type_name: &str) -> bool {
        let of = |t: &str, ty: &str| t == topic && ty == type_name;
        let writers = self.discovery.writers();
        let readers = self.discovery.readers();
        writers.into_iter().any(|w| of(&w.topic, &w.type_name))
            || readers.into_iter().any(|r| of(&r.topic, &r.type_name))
    }
}
