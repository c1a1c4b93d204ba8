//! What the directory shows to those who look at the domain from outside.
use super::locator_choice::{metatraffic_locator_of, whom};
use super::watch::Wake;
use super::{Matching, OwnParticipant};
use crate::discovery::observe::{DiscoveryEvent, Domain, Knowledge, Participant, TypeState};
use dunlin_rtps::Time;
use dunlin_transport::Transport;
use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, ParticipantData};
use std::borrow::Cow;
use std::sync::Arc;

impl<P: OwnParticipant> Matching<P> {
    /// Participants and their endpoints that are known, a line each.
    pub(crate) fn describe(&self, own: GuidPrefix) -> Vec<String> {
        let participants = self.discovery.participants().map(|p| {
            let name = if p.entity_name.is_empty() {
                "unnamed"
            } else {
                &p.entity_name
            };
            format!(
                "participant {name:?} {:?}, vendor {:?}, at {:?}",
                p.guid.prefix, p.vendor, p.metatraffic_unicast
            )
        });
        let writers = self
            .discovery
            .writers()
            .filter(|w| w.guid.prefix != own)
            .map(|w| {
                format!(
                    "writer {} of topic {:?} (type {:?})",
                    w.guid, w.topic, w.type_name
                )
            });
        let readers = self
            .discovery
            .readers()
            .filter(|r| r.guid.prefix != own)
            .map(|r| {
                format!(
                    "reader {} of topic {:?} (type {:?})",
                    r.guid, r.topic, r.type_name
                )
            });
        participants.chain(writers).chain(readers).collect()
    }

    /// How many messages of discovery came in a participant's name from where it is not.
    pub(crate) fn misplaced(&self) -> u64 {
        self.discovery.heard().misplaced
    }

    /// From now on `wake` is called when there is something that `take_discovery_events` has not
    /// told.
    pub(crate) fn watch(&mut self, wake: &Arc<Wake>) {
        self.begin_watching();
        self.watches.add(wake, &self.discovery);
    }

    /// What the watcher with this `wake` was not told yet.
    pub(crate) fn take_discovery_events(&mut self, wake: &Arc<Wake>) -> Vec<DiscoveryEvent> {
        self.watches.take(wake, &self.discovery)
    }

    /// Asks for the types of endpoints of others.
    pub(crate) fn look_up_types(&mut self, now: Time, endpoints: &[Guid]) {
        let (out, events) = (&mut self.datagrams, &mut self.events);
        self.discovery.look_up_types(now, endpoints, out, events);
    }

    /// What is known of the type of an endpoint of others, which is asked for if nothing is.
    pub(crate) fn type_of(&mut self, now: Time, endpoint: Guid) -> Option<TypeState> {
        self.look_up_types(now, &[endpoint]);
        self.discovery.looked_up_type(endpoint).cloned()
    }

    /// How much is known of the domain.
    pub(crate) fn count_knowledge(&self) -> Knowledge {
        let discovery = &self.discovery;
        let mut counts = Knowledge {
            endpoints: discovery.endpoint_count(),
            ..Knowledge::default()
        };
        for data in discovery.participants() {
            let prefix = data.guid.prefix;
            counts.participants += 1;
            counts.complete += usize::from(discovery.knows_all_of(prefix));
            counts.answering += usize::from(discovery.has_answered(prefix));
        }
        counts
    }

    /// Where samples for a participant go, or, while it is matched with nothing here, discovery.
    fn way_to(&self, transport: &dyn Transport, data: &ParticipantData) -> Option<Locator> {
        let prefix = data.guid.prefix;
        let from = Guid::new(prefix, EntityId::UNKNOWN);
        let next = self.destinations.range(from..).next();
        let matched = next.filter(|(guid, to)| guid.prefix == prefix && !to.locator.is_multicast());
        matched.map(|(_, to)| to.locator).or_else(|| {
            let whom = whom(transport, &self.discovery, prefix);
            let near = self.neighbours.are_near(&prefix);
            metatraffic_locator_of(transport, whom, near, &data.metatraffic_unicast)
        })
    }

    /// Everything that is known of the domain, this participant included.
    pub(crate) fn domain(&self, transport: &dyn Transport) -> Domain {
        let discovery = &self.discovery;
        let own = discovery.config().announcement();
        let others = discovery.participants().map(|data| Participant {
            answers: discovery.has_answered(data.guid.prefix),
            is_complete: discovery.knows_all_of(data.guid.prefix),
            way: self.way_to(transport, data),
            data: data.clone(),
        });
        Domain {
            id: discovery.config().domain,
            participants: others.collect(),
            writers: discovery.writers().map(Cow::into_owned).collect(),
            readers: discovery.readers().map(Cow::into_owned).collect(),
            types: discovery.known_types(),
            heard: discovery.heard(),
            own,
        }
    }
}
