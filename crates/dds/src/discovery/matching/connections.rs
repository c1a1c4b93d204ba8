//! Where matched endpoints are reached, and what the data path has to know of it.
use super::locator_choice::{multicast_locator_of, unicast_locator_of, whom};
use super::ways::begin_ways;
use super::{MatchedWriter, Matching, OwnParticipant, Sink};
use crate::receive::liveliness::LivelinessAssertion;
use crate::send::destination::Destination;
use crate::send::local_queue::{self, LocalReader};
use dunlin_transport::panics::log;
use dunlin_wire::{EntityId, Guid, Locator, ReaderData, VendorId, WriterData};
use std::collections::BTreeMap;
use std::sync::Weak;

impl<P: OwnParticipant> Matching<P> {
    /// Notes where a reader is reached. `set_destinations` has to follow.
    pub(super) fn add_sink(&mut self, participant: &P, writer: Guid, reader: &ReaderData) {
        let here = local_queue::reader(&reader.guid).filter(|_| participant.delivers_locally());
        if let Some(core) = here {
            let local_readers = self.local_readers.entry(writer.entity).or_default();
            local_readers.insert(reader.guid, core);
            return;
        }
        let transport = participant.transport();
        let whom = whom(transport, &self.discovery, reader.guid.prefix);
        let vendor = self.discovery.vendor(reader.guid.prefix);
        let unicast = unicast_locator_of(transport, whom, &reader.unicast);
        let multicast = multicast_locator_of(transport, whom, &reader.multicast);
        if unicast.is_some_and(|to| to.kind == Locator::KIND_SHMEM) {
            self.put_off.remove(&reader.guid);
        }
        let put_off = self.put_off.get(&reader.guid).copied();
        match (unicast, multicast) {
            (None, None) => {
                // A way by memory may have been put off while the network led there.
                transport.want(&reader.unicast);
                log::warn!(%writer, reader = %reader.guid, locators = ?reader.unicast, "reader matches but none of its locators can be reached");
            }
            (one, other) => {
                let destination = |to: Locator| {
                    let destination = Destination::of(transport, vendor, to);
                    (reader.guid, destination.frequent(transport))
                };
                let sink = |(reader, destination)| {
                    let sink = Sink {
                        destination,
                        put_off,
                    };
                    (reader, sink)
                };
                let sinks = self.sinks.entry(writer.entity).or_default();
                sinks.extend(other.or(one).map(destination).map(sink));
                self.destinations.extend(one.or(other).map(destination));
                self.groups.remove(&reader.guid);
                self.groups.extend(other.map(destination));
            }
        }
        self.change_routes_to(reader.guid.prefix);
    }

    pub(super) fn remove_sink(&mut self, participant: &P, writer: Guid, reader: Guid) {
        if let Some(sinks) = self.sinks.get_mut(&writer.entity) {
            sinks.remove(&reader);
        }
        if let Some(local_readers) = self.local_readers.get_mut(&writer.entity) {
            local_readers.remove(&reader);
        }
        if !self.sinks.values().any(|sinks| sinks.contains_key(&reader)) {
            self.destinations.remove(&reader);
            self.groups.remove(&reader);
            self.put_off.remove(&reader);
        }
        self.change_routes_to(reader.prefix);
        self.set_destinations(participant, writer.entity);
    }

    /// Readers at one place need one datagram.
    pub(super) fn set_destinations(&self, participant: &P, writer: EntityId) {
        let Some(core) = self.writers.get(&writer) else {
            return;
        };
        let sinks = self.sinks.get(&writer).into_iter().flatten();
        let patient = core.is_patient();
        let mut destinations = Vec::with_capacity(self.sinks.get(&writer).map_or(0, BTreeMap::len));
        destinations.extend(sinks.map(|(reader, sink)| Destination {
            wanted: core.wanted(reader),
            // Whoever may not drop samples is held up by a slow reader in any case.
            patient,
            ..sink.destination.clone()
        }));
        destinations.sort_unstable();
        destinations.dedup_by(|one, kept| {
            let same = one == kept;
            kept.wanted |= if same { one.wanted } else { 0 };
            same
        });
        let local_readers = self.local_readers.get(&writer).into_iter().flatten();
        let local_readers = local_readers.map(|(reader, local)| LocalReader {
            core: Weak::clone(local),
            wanted: core.wanted(reader),
        });
        let local_readers: Vec<_> = local_readers.collect();
        let transport = participant.transport();
        let limits = destinations
            .iter()
            .map(|to| transport.max_whole_datagram(&to.locator));
        let limit = limits.min().unwrap_or(match local_readers.is_empty() {
            true => transport.max_datagram(),
            false => usize::MAX,
        });
        let put_off = self.ways_put_off(writer);
        core.set_destinations(destinations, put_off, local_readers, limit);
    }

    pub(super) fn add_source(&mut self, participant: &P, reader: Guid, writer: &WriterData) {
        let transport = participant.transport();
        let vendor = self.discovery.vendor(writer.guid.prefix);
        if !(participant.delivers_locally() && local_queue::is_here(&writer.guid)) {
            // Until a way by memory is there the network will do.
            let known = self.discovery.participants().len();
            begin_ways(transport, &writer.unicast, known);
            let whom = whom(transport, &self.discovery, writer.guid.prefix);
            let destination = unicast_locator_of(transport, whom, &writer.unicast)
                .or_else(|| multicast_locator_of(transport, whom, &writer.multicast));
            let destination = destination.map(|to| Destination::of(transport, vendor, to));
            let destination =
                destination.map(|destination| (writer.guid, destination.frequent(transport)));
            self.destinations.extend(destination);
        }
        // Our own show their life where they write.
        if writer.guid.prefix != self.own() {
            if let Some(before) = self.signs.remove(&writer.guid) {
                self.tell(&before);
            }
            let sign = LivelinessAssertion::new(writer.guid, writer.qos.liveliness);
            self.signs.extend(sign.map(|sign| (writer.guid, sign)));
        }
        // Another vendor's parameter of this number may be anything.
        match writer.autodispose && vendor == VendorId::DUNLIN {
            true => self.disposing.insert(writer.guid),
            false => self.disposing.remove(&writer.guid),
        };
        let sources = self.sources.entry(reader.entity).or_default();
        sources.insert(writer.guid);
        self.change_routes_to(writer.guid.prefix);
    }

    pub(super) fn remove_source(&mut self, reader: Guid, writer: Guid) {
        if let Some(sources) = self.sources.get_mut(&reader.entity) {
            sources.remove(&writer);
        }
        if !self
            .sources
            .values()
            .any(|sources| sources.contains(&writer))
        {
            self.destinations.remove(&writer);
            self.disposing.remove(&writer);
            if writer.prefix != self.own() {
                self.signs.remove(&writer);
            }
        }
        self.change_routes_to(writer.prefix);
    }
}
