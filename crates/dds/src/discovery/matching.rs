//! What the participant knows of itself and of others: the entity tree, discovery and matching.
mod announce;
mod builtin_publisher;
mod diagnostics;
mod locator_choice;
mod observe;
mod registry;
pub(crate) mod watch;

use crate::discovery::peers::PeerList;
use crate::discovery::why::similar;
use crate::entity::shared::Shared;
use crate::entity::status::{
    LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus, WriterChange,
};
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::routes::{PeerRoute, Routes};
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::{self, LocalReader, LocalReaderEndpoint};
use crate::untyped::reader::{ReaderCore, WriterEnd};
use crate::untyped::topic::TopicCore;
use crate::untyped::writer::WriterCore;
use dunlin_qos::Incompatibility;
use dunlin_rtps::discovery::{
    Discovery, Event, LossReason, Source, UnmatchReason, WriterPredicate,
};
use dunlin_rtps::{ReaderProxyConfig, Time, To, WriterProxyConfig};
use dunlin_transport::panics::{log, quietly};
use dunlin_transport::{Transport, nearest};
use dunlin_wire::{
    DiagnosticReply, DiagnosticRequest, EntityId, EntityKind, Guid, GuidPrefix, Locator,
    ReaderData, Submessage, Timestamp, VendorId, WriterData,
};
use hashbrown::HashMap;
use locator_choice::{multicast_locator_of, unicast_locator_of, whom};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::{Arc, Weak};

pub(crate) struct Matching {
    discovery: Discovery,
    datagrams: Datagrams,
    /// The multicast groups where announcements go.
    groups_met: Vec<Locator>,
    peer_list: PeerList,
    /// Where announcements go: these groups and the peers.
    announce: Vec<Destination>,
    events: Vec<Event>,
    pub(crate) writers: BTreeMap<EntityId, Arc<WriterCore>>,
    pub(crate) readers: BTreeMap<EntityId, Arc<ReaderCore>>,
    topics: BTreeMap<String, Weak<TopicCore>>,
    /// Matched writers of each reader.
    sources: BTreeMap<EntityId, Vec<Guid>>,
    /// Where each matched reader of each writer is reached.
    sinks: BTreeMap<EntityId, BTreeMap<Guid, Destination>>,
    /// Those of them that are in this process and need no place.
    local_readers: BTreeMap<EntityId, BTreeMap<Guid, Weak<dyn LocalReaderEndpoint>>>,
    /// Where each matched endpoint is reached.
    destinations: BTreeMap<Guid, Destination>,
    /// The groups of matched readers that get their samples by multicast.
    groups: BTreeMap<Guid, Destination>,
    /// Of matched writers, and of our own that the application asserts, those with a finite lease.
    signs: BTreeMap<Guid, Arc<LivelinessAssertion>>,
    /// Matched writers that dispose their instances when they are deleted.
    disposing: BTreeSet<Guid>,
    /// Where each participant's discovery is reached.
    peers: BTreeMap<GuidPrefix, Destination>,
    /// Those of them of whom we have only been told.
    passing: Vec<GuidPrefix>,
    /// What somebody of this process has asked others and waits for.
    asked: BTreeMap<DiagnosticRequest, Option<DiagnosticReply>>,
    /// The readers of the built-in topics, if somebody has them.
    builtin_publishers: Vec<builtin_publisher::BuiltinPublisher>,
    watches: watch::Watches,
    /// The routes must be made anew.
    changed: bool,
    last_key: u32,
}

/// Something that the application hears of once the lock is released. What it may ask for itself is
/// counted before that, in the order of events and before the first sample of a match can come.
/// Those with a listener carry its status.
pub(crate) enum MatchingEvent {
    WriterMatched(Arc<WriterCore>, Option<MatchedStatus>),
    ReaderMatched(Arc<ReaderCore>, Option<MatchedStatus>),
    WriterIncompatible(Arc<WriterCore>, Guid, Vec<Incompatibility>),
    ReaderIncompatible(Arc<ReaderCore>, Guid, Vec<Incompatibility>),
    Liveliness(Arc<ReaderCore>, Option<LivelinessChangedStatus>),
    LivelinessLost(Arc<WriterCore>, Option<LivelinessLostStatus>),
    Data(Arc<ReaderCore>),
    InconsistentTopic(Arc<TopicCore>, Guid, String),
    Discovered(Arc<watch::Wake>),
}

impl MatchingEvent {
    fn writer_matched(writer: &Arc<WriterCore>, reader: Guid, change: i32) -> Self {
        let status = writer.count_matched(reader, change);
        Self::WriterMatched(Arc::clone(writer), status)
    }

    fn reader_matched(reader: &Arc<ReaderCore>, writer: Guid, change: i32) -> Self {
        let status = reader.count_matched(writer, change);
        Self::ReaderMatched(Arc::clone(reader), status)
    }

    /// `None` if it is no news.
    fn liveliness(reader: &Arc<ReaderCore>, writer: Guid, life: WriterChange) -> Option<Self> {
        let counted = reader.count_liveliness(writer, life);
        counted.then(|| Self::Liveliness(Arc::clone(reader), reader.liveliness_to_tell()))
    }

    fn liveliness_lost(writer: &Arc<WriterCore>) -> Self {
        Self::LivelinessLost(Arc::clone(writer), writer.count_liveliness_lost())
    }

    pub(crate) fn run(self) {
        match self {
            Self::WriterMatched(writer, status) => writer.tell_matched(status),
            Self::ReaderMatched(reader, status) => reader.tell_matched(status),
            Self::WriterIncompatible(writer, reader, why) => writer.note_incompatible(reader, &why),
            Self::ReaderIncompatible(reader, writer, why) => reader.note_incompatible(writer, &why),
            Self::Liveliness(reader, status) => reader.tell_liveliness(status),
            Self::LivelinessLost(writer, status) => writer.tell_liveliness_lost(status),
            Self::Data(reader) => reader.announce_data(),
            Self::InconsistentTopic(topic, remote, difference) => {
                topic.note_inconsistent(remote, &difference);
            }
            Self::Discovered(wake) => wake(),
        }
    }
}

impl Matching {
    /// Announcements go to the groups and to the peers of the book.
    pub(crate) fn new(
        discovery: Discovery,
        datagrams: Datagrams,
        groups_met: Vec<Locator>,
        peer_list: PeerList,
    ) -> Self {
        let mut matching = Self {
            discovery,
            datagrams,
            groups_met,
            peer_list,
            announce: Vec::new(),
            events: Vec::new(),
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            topics: BTreeMap::new(),
            sources: BTreeMap::new(),
            sinks: BTreeMap::new(),
            local_readers: BTreeMap::new(),
            destinations: BTreeMap::new(),
            groups: BTreeMap::new(),
            signs: BTreeMap::new(),
            disposing: BTreeSet::new(),
            peers: BTreeMap::new(),
            passing: Vec::new(),
            asked: BTreeMap::new(),
            builtin_publishers: Vec::new(),
            watches: Default::default(),
            changed: false,
            last_key: 0,
        };
        matching.set_announce();
        matching
    }

    /// An entity id that this participant has not given before.
    pub(crate) fn new_entity(&mut self, kind: EntityKind) -> EntityId {
        self.last_key += 1;
        EntityId::user(self.last_key, kind)
    }

    /// Remembers a topic, unless there is one of that name.
    pub(crate) fn add_topic(&mut self, topic: &Arc<TopicCore>) -> Arc<TopicCore> {
        if let Some(known) = self.topic(&topic.name) {
            return known;
        }
        let weak = Arc::downgrade(topic);
        self.topics.insert(topic.name.clone(), weak);
        Arc::clone(topic)
    }

    /// The topic of that name, if the application has it. To be dropped without the lock.
    pub(crate) fn topic(&self, name: &str) -> Option<Arc<TopicCore>> {
        self.topics.get(name).and_then(Weak::upgrade)
    }

    pub(crate) fn start(&mut self, now: Time) {
        self.discovery.start(now, &mut self.datagrams);
    }

    pub(crate) fn goodbye(&mut self, now: Time) {
        self.discovery.goodbye(now, &mut self.datagrams);
    }

    pub(crate) fn handle(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    ) {
        self.discovery.handle(
            now,
            source,
            timestamp,
            message,
            &mut self.datagrams,
            &mut self.events,
        );
    }

    /// A writer showed that it lives.
    pub(crate) fn tell(&mut self, sign: &LivelinessAssertion) {
        if let Some(at) = sign.untold() {
            let (out, events) = (&mut self.datagrams, &mut self.events);
            self.discovery.assert_writer(at, sign.writer, out, events);
        }
    }

    /// The application says that it lives.
    pub(crate) fn assert_participant(&mut self, now: Time) {
        self.discovery
            .assert_participant(now, &mut self.datagrams, &mut self.events);
    }

    /// The ways to a participant are not what they were, or it has ended.
    pub(crate) fn change_way(&mut self, now: Time, peer: GuidPrefix, ended: bool) {
        self.peers.remove(&peer);
        if ended {
            self.discovery.end(now, peer, &mut self.events);
        } else {
            self.discovery.relocate(now, peer, &mut self.events);
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let signs = std::mem::take(&mut self.signs);
        signs.values().for_each(|sign| self.tell(sign));
        self.signs = signs;
        self.discovery
            .handle_timeout(now, &mut self.datagrams, &mut self.events);
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        self.discovery.next_timeout()
    }

    /// Why endpoints that might match `local` do not, a line each.
    pub(crate) fn explain(&self, local: Guid) -> Vec<String> {
        self.discovery
            .explain(local, similar)
            .iter()
            .map(|explanation| self.discovery.sentence(explanation))
            .collect()
    }

    /// Announces a writer; fails if a name is too long to announce.
    pub(crate) fn add_writer(
        &mut self,
        now: Time,
        core: &Arc<WriterCore>,
    ) -> Result<(), dunlin_wire::Error> {
        self.writers.insert(core.guid.entity, Arc::clone(core));
        if core.shared.config.transports.local {
            local_queue::enter_writer(Arc::clone(core) as _, core.type_support.dynamic_type());
        }
        self.signs
            .extend(core.sign.get().map(|sign| (core.guid, Arc::clone(sign))));
        self.changed = true;
        self.serve_type(core.guid, core.type_support.local_type());
        self.announce_writer(now, core)
    }

    /// Says what a writer is now.
    pub(crate) fn announce_writer(
        &mut self,
        now: Time,
        core: &WriterCore,
    ) -> Result<(), dunlin_wire::Error> {
        self.discovery
            .add_writer(now, core.data(), &mut self.datagrams, &mut self.events)
    }

    /// Says what a reader is now.
    pub(crate) fn announce_reader(
        &mut self,
        now: Time,
        core: &ReaderCore,
    ) -> Result<(), dunlin_wire::Error> {
        self.discovery
            .add_reader(now, core.data(), &mut self.datagrams, &mut self.events)
    }

    /// Announces a reader; fails if a name is too long to announce.
    pub(crate) fn add_reader(
        &mut self,
        now: Time,
        core: &Arc<ReaderCore>,
    ) -> Result<(), dunlin_wire::Error> {
        self.readers.insert(core.guid.entity, Arc::clone(core));
        if core.shared.config.transports.local {
            local_queue::enter_reader(Arc::clone(core) as _, core.type_support.dynamic_type());
        }
        self.serve_type(core.guid, core.type_support.local_type());
        if let Some(writers) = core.options.accepts.clone() {
            let accepts =
                move |writer: &WriterData| quietly(|| writers.accepts(writer)).unwrap_or(false);
            self.discovery
                .accept_only(core.guid, WriterPredicate::new(accepts));
        }
        self.announce_reader(now, core)
    }

    /// Announces that a reader wants something else, unless it is gone meanwhile.
    pub(crate) fn update_reader(
        &mut self,
        now: Time,
        core: &Arc<ReaderCore>,
    ) -> Result<(), dunlin_wire::Error> {
        match self.readers.contains_key(&core.guid.entity) {
            true => self.announce_reader(now, core),
            false => Ok(()),
        }
    }

    pub(crate) fn remove_writer(&mut self, now: Time, guid: Guid) {
        self.discovery
            .remove_writer(now, guid, &mut self.datagrams, &mut self.events);
        local_queue::leave(&guid);
        self.writers.remove(&guid.entity);
        self.signs.remove(&guid);
        self.changed = true;
        self.sinks.remove(&guid.entity);
        self.local_readers.remove(&guid.entity);
    }

    pub(crate) fn remove_reader(&mut self, now: Time, guid: Guid) {
        self.discovery
            .remove_reader(now, guid, &mut self.datagrams, &mut self.events);
        local_queue::leave(&guid);
        self.readers.remove(&guid.entity);
        self.changed = true;
        self.sources.remove(&guid.entity);
    }

    /// Carries out what discovery has decided.
    pub(crate) fn settle(
        &mut self,
        shared: &Shared,
        now: Time,
        matching_events: &mut Vec<MatchingEvent>,
    ) {
        for event in std::mem::take(&mut self.events) {
            self.apply(shared, now, event, matching_events);
        }
        self.serve(now, matching_events);
        if std::mem::take(&mut self.changed) {
            shared.set_routes(self.routes());
        }
        self.locate_peers(&*shared.transport);
        let Self {
            datagrams,
            announce,
            peers,
            destinations,
            ..
        } = self;
        datagrams.flush(&*shared.transport, |to| match to {
            To::Announce => announce,
            To::Endpoint(guid) if guid.entity.is_builtin() => one(peers.get(&guid.prefix)),
            To::Endpoint(guid) => one(destinations.get(&guid)),
            To::Matched | To::Passing(_) => &[],
        });
        // Where others say that somebody is may be said differently next time.
        for prefix in self.passing.drain(..) {
            self.peers.remove(&prefix);
        }
    }

    /// Finds out where the participants are that something is to be sent to.
    fn locate_peers(&mut self, transport: &dyn Transport) {
        let Self {
            datagrams,
            discovery,
            peers,
            announce,
            passing,
            ..
        } = self;
        for to in datagrams.destinations() {
            if let To::Endpoint(guid) = to
                && guid.entity.is_builtin()
                && !peers.contains_key(&guid.prefix)
            {
                let (unicast, multicast) = discovery.metatraffic_locators(guid.prefix);
                // Of groups only those that we speak to anyway: anybody can name any.
                let groups = multicast
                    .iter()
                    .filter(|group| announce.contains(&Destination::open(**group)));
                let groups: Vec<Locator> = groups.copied().collect();
                let destination =
                    unicast_locator_of(transport, whom(transport, discovery, guid.prefix), unicast)
                        .or_else(|| nearest(transport, &groups).copied());
                if !discovery.knows(guid.prefix) {
                    passing.push(guid.prefix);
                }
                let vendor = discovery.vendor(guid.prefix);
                peers.extend(
                    destination.map(|to| (guid.prefix, Destination::of(transport, vendor, to))),
                );
            }
        }
    }

    fn apply(
        &mut self,
        shared: &Shared,
        now: Time,
        event: Event,
        matching_events: &mut Vec<MatchingEvent>,
    ) {
        match event {
            Event::ReaderMatched { writer, reader } => {
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.note_filter(&reader);
                    core.filters.lock().settle();
                }
                self.add_sink(shared, writer, &reader);
                if let Some(core) = self.writers.get(&writer.entity) {
                    let proxy = ReaderProxyConfig {
                        guid: reader.guid,
                        reliable: reader.qos.reliability.is_reliable(),
                        durability: reader.qos.durability,
                        expects_inline_qos: reader.expects_inline_qos,
                        vendor: self.discovery.vendor(reader.guid.prefix),
                    };
                    if let Some(peer) = self.discovery.participant(reader.guid.prefix) {
                        core.dialects.add(reader.guid, peer);
                    }
                    let limit = reader.max_sample_size;
                    core.add_reader(now, proxy, limit, &mut self.datagrams);
                    matching_events.push(MatchingEvent::writer_matched(core, reader.guid, 1));
                }
            }
            Event::ReaderChanged { writer, reader } => {
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.note_filter(&reader);
                }
                self.add_sink(shared, writer, &reader);
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.change_filter(reader.guid);
                    self.set_destinations(shared, writer.entity);
                }
            }
            Event::ReaderUnmatched {
                writer,
                reader,
                reason,
            } => {
                log::debug!(%writer, %reader, ?reason, "reader unmatched");
                self.remove_sink(shared, writer, reader);
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.remove_reader(reader);
                    matching_events.push(MatchingEvent::writer_matched(core, reader, -1));
                }
            }
            Event::WriterMatched { reader, writer } => {
                self.add_source(shared, reader, &writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let vendor = self.discovery.vendor(writer.guid.prefix);
                    let layout = writer.layout.filter(|_| vendor == VendorId::DUNLIN);
                    core.note_layout(writer.guid, layout);
                    core.group.group_access.know(writer.guid, writer.group);
                    core.add_writer(now, proxy_of(&writer, vendor), &mut self.datagrams);
                    matching_events.push(MatchingEvent::reader_matched(core, writer.guid, 1));
                    matching_events.extend(MatchingEvent::liveliness(
                        core,
                        writer.guid,
                        WriterChange::Matched,
                    ));
                }
            }
            Event::WriterChanged { reader, writer } => {
                self.add_source(shared, reader, &writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let vendor = self.discovery.vendor(writer.guid.prefix);
                    core.add_writer(now, proxy_of(&writer, vendor), &mut self.datagrams);
                }
            }
            Event::WriterUnmatched {
                reader,
                writer,
                reason,
            } => {
                log::debug!(%reader, %writer, ?reason, "writer unmatched");
                let disposes = is_deletion(reason) && self.disposing.contains(&writer);
                self.remove_source(reader, writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let end = match reason {
                        UnmatchReason::ParticipantLost(LossReason::LeaseExpired) => {
                            WriterEnd::Silent
                        }
                        _ if disposes => WriterEnd::Disposes,
                        _ => WriterEnd::Gone,
                    };
                    if core.remove_writer(now, writer, end) {
                        matching_events.push(MatchingEvent::Data(Arc::clone(core)));
                    }
                    matching_events.push(MatchingEvent::reader_matched(core, writer, -1));
                    matching_events.extend(MatchingEvent::liveliness(
                        core,
                        writer,
                        WriterChange::Unmatched,
                    ));
                }
            }
            Event::IncompatibleQos {
                local,
                remote,
                mismatches,
            } => {
                self.note_incompatible(local, remote, mismatches, matching_events);
            }
            Event::LivelinessChanged {
                reader,
                writer,
                alive,
            } => {
                if let Some(core) = self.readers.get(&reader.entity) {
                    let life = if alive {
                        WriterChange::Heard
                    } else {
                        WriterChange::Silent
                    };
                    matching_events.extend(MatchingEvent::liveliness(core, writer, life));
                    if !alive && core.silence_writer(now, writer) {
                        matching_events.push(MatchingEvent::Data(Arc::clone(core)));
                    }
                }
            }
            Event::InconsistentTopic {
                local,
                remote,
                topic,
                difference,
            } => {
                let who = self.discovery.called(remote);
                let difference = difference.seen_by(local.entity.is_writer());
                log::warn!(%local, remote = who, topic, difference, "a topic of this name has another type");
                let core = self.topic(&topic);
                matching_events.extend(
                    core.map(|core| MatchingEvent::InconsistentTopic(core, remote, difference)),
                );
            }
            Event::ParticipantFound {
                prefix,
                vendor,
                name,
            } => {
                log::debug!(?prefix, ?vendor, name, "participant found");
                self.note_participant(prefix, false);
                self.peers.remove(&prefix);
            }
            Event::ParticipantChanged { prefix } => {
                log::debug!(?prefix, "participant changed");
                self.note_participant(prefix, false);
                self.peers.remove(&prefix);
                self.changed = true;
            }
            Event::ParticipantLost { prefix, reason } => {
                log::debug!(?prefix, ?reason, "participant lost");
                self.note_participant(prefix, reason == LossReason::Goodbye);
                self.peers.remove(&prefix);
            }
            Event::TooManyEndpoints { prefix } => {
                log::warn!(
                    ?prefix,
                    "participant announces too many endpoints; the rest is ignored"
                );
            }
            Event::Asked { from, question } => self.hear_question(shared, from, &question),
            Event::Answered { answer } => self.hear_answer(answer),
            Event::LivelinessLost { writer } => {
                log::debug!(%writer, "liveliness lost");
                let core = self.writers.get(&writer.entity);
                matching_events.extend(core.map(MatchingEvent::liveliness_lost));
            }
        }
    }

    fn note_incompatible(
        &self,
        local: Guid,
        remote: Guid,
        mismatches: Vec<Incompatibility>,
        matching_events: &mut Vec<MatchingEvent>,
    ) {
        if let Some(core) = self.writers.get(&local.entity) {
            matching_events.push(MatchingEvent::WriterIncompatible(
                Arc::clone(core),
                remote,
                mismatches,
            ));
        } else if let Some(core) = self.readers.get(&local.entity) {
            matching_events.push(MatchingEvent::ReaderIncompatible(
                Arc::clone(core),
                remote,
                mismatches,
            ));
        }
    }

    fn add_sink(&mut self, shared: &Shared, writer: Guid, reader: &ReaderData) {
        let here = local_queue::reader(&reader.guid).filter(|_| shared.config.transports.local);
        if let Some(core) = here {
            let local_readers = self.local_readers.entry(writer.entity).or_default();
            local_readers.insert(reader.guid, core);
            return self.set_destinations(shared, writer.entity);
        }
        let transport = &*shared.transport;
        let whom = whom(transport, &self.discovery, reader.guid.prefix);
        let vendor = self.discovery.vendor(reader.guid.prefix);
        let unicast = unicast_locator_of(transport, whom, &reader.unicast);
        let multicast = multicast_locator_of(transport, whom, &reader.multicast);
        let sinks = self.sinks.entry(writer.entity).or_default();
        match (unicast, multicast) {
            (None, None) => {
                log::warn!(%writer, reader = %reader.guid, locators = ?reader.unicast, "reader matches but none of its locators can be reached");
            }
            (one, other) => {
                let destination = |to: Locator| {
                    let destination = Destination::of(transport, vendor, to);
                    (reader.guid, destination.frequent(transport))
                };
                sinks.extend(other.or(one).map(destination));
                self.destinations.extend(one.or(other).map(destination));
                self.groups.remove(&reader.guid);
                self.groups.extend(other.map(destination));
            }
        }
        self.changed = true;
        self.set_destinations(shared, writer.entity);
    }

    fn remove_sink(&mut self, shared: &Shared, writer: Guid, reader: Guid) {
        if let Some(sinks) = self.sinks.get_mut(&writer.entity) {
            sinks.remove(&reader);
        }
        if let Some(local_readers) = self.local_readers.get_mut(&writer.entity) {
            local_readers.remove(&reader);
        }
        if !self.sinks.values().any(|sinks| sinks.contains_key(&reader)) {
            self.destinations.remove(&reader);
            self.groups.remove(&reader);
        }
        self.changed = true;
        self.set_destinations(shared, writer.entity);
    }

    /// Readers at one place need one datagram.
    fn set_destinations(&self, shared: &Shared, writer: EntityId) {
        let Some(core) = self.writers.get(&writer) else {
            return;
        };
        let filters = core.filters.lock();
        let sinks = self.sinks.get(&writer).into_iter().flatten();
        let sinks = sinks.map(|(reader, destination)| Destination {
            wanted: filters.wanted(reader),
            ..destination.clone()
        });
        let mut destinations: Vec<_> = sinks.collect();
        destinations.sort_unstable();
        destinations.dedup_by(|one, kept| {
            let same = one == kept;
            kept.wanted |= if same { one.wanted } else { 0 };
            same
        });
        let local_readers = self.local_readers.get(&writer).into_iter().flatten();
        let local_readers = local_readers.map(|(reader, core)| LocalReader {
            core: Weak::clone(core),
            wanted: filters.wanted(reader),
        });
        let local_readers: Vec<_> = local_readers.collect();
        drop(filters);
        let transport = &shared.transport;
        let limits = destinations
            .iter()
            .map(|to| transport.max_whole_datagram(&to.locator));
        let limit = limits.min().unwrap_or(match local_readers.is_empty() {
            true => transport.max_datagram(),
            false => usize::MAX,
        });
        // Whoever may not drop samples is held up by a slow reader in any case.
        let patient = core.is_patient();
        destinations
            .iter_mut()
            .for_each(|destination| destination.patient = patient);
        core.set_destinations(destinations, local_readers, limit);
    }

    fn add_source(&mut self, shared: &Shared, reader: Guid, writer: &WriterData) {
        let transport = &*shared.transport;
        let vendor = self.discovery.vendor(writer.guid.prefix);
        if !(shared.config.transports.local && local_queue::is_here(&writer.guid)) {
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
        if !sources.contains(&writer.guid) {
            sources.push(writer.guid);
        }
        self.changed = true;
    }

    fn remove_source(&mut self, reader: Guid, writer: Guid) {
        if let Some(sources) = self.sources.get_mut(&reader.entity) {
            sources.retain(|w| *w != writer);
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
        self.changed = true;
    }

    fn own(&self) -> GuidPrefix {
        self.discovery.config().prefix
    }

    fn routes(&self) -> Routes {
        let own = self.own();
        let signs = self.signs.iter().filter(|(writer, _)| writer.prefix != own);
        let signs = signs
            .map(|(writer, sign)| (*writer, Arc::clone(sign)))
            .collect();
        let mut readers: HashMap<Guid, Vec<Arc<ReaderCore>>> = HashMap::new();
        for (entity, sources) in &self.sources {
            if let Some(core) = self.readers.get(entity) {
                for writer in sources {
                    readers.entry(*writer).or_default().push(Arc::clone(core));
                }
            }
        }
        let sinks = self.sinks.values().flat_map(BTreeMap::keys);
        let mut peers = HashMap::new();
        for endpoint in readers.keys().chain(sinks) {
            let of = |prefix: &GuidPrefix| PeerRoute {
                addresses: self.discovery.source_addresses(*prefix),
                is_ours: self.discovery.vendor(*prefix) == VendorId::DUNLIN,
            };
            peers.entry(endpoint.prefix).or_insert_with_key(of);
        }
        Routes {
            peers,
            readers,
            writers: all(&self.writers),
            in_order: self.writers.values().cloned().collect(),
            destinations: all(&self.destinations),
            groups: all(&self.groups),
            signs,
        }
    }
}

/// Did the writer's application delete it? A participant that says goodbye has deleted its writers
/// before.
fn is_deletion(reason: UnmatchReason) -> bool {
    matches!(
        reason,
        UnmatchReason::Deleted | UnmatchReason::ParticipantLost(LossReason::Goodbye)
    )
}

/// A writer as a reader has to know it.
fn proxy_of(writer: &WriterData, vendor: VendorId) -> WriterProxyConfig {
    WriterProxyConfig {
        guid: writer.guid,
        reliable: writer.qos.reliability.is_reliable(),
        durability: writer.qos.durability,
        ownership_strength: writer.qos.ownership_strength,
        lifespan: writer.qos.lifespan,
        vendor,
    }
}

/// For the data path, which asks by name.
fn all<K: Copy + Eq + Hash, V: Clone>(map: &BTreeMap<K, V>) -> HashMap<K, V> {
    map.iter()
        .map(|(key, value)| (*key, value.clone()))
        .collect()
}

fn one(destination: Option<&Destination>) -> &[Destination] {
    destination.map_or(&[], std::slice::from_ref)
}
