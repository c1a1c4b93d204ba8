//! What the participant knows of itself and of others: the entity tree, discovery and matching.
mod announce;
mod apply;
mod builtin_publisher;
mod connections;
mod diagnostics;
mod endpoint;
mod locator_choice;
mod neighbours;
mod observe;
mod registry;
mod routes;
pub(crate) mod watch;
pub(crate) mod ways;

use crate::discovery::peers::PeerList;
use crate::discovery::why::similar;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::participant::ReceivingReader;
use crate::receive::routes::PeerRoute;
use crate::send::datagram::{Datagrams, Joining};
use crate::send::destination::Destination;
use crate::send::local_queue::{self, LocalReaderEndpoint, LocalWriterEndpoint};
use crate::status::{LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus, WriterChange};
use dunlin_qos::{Duration, Incompatibility};
use dunlin_rtps::discovery::{Discovery, Event, Source, WriterPredicate};
use dunlin_rtps::{Time, To};
use dunlin_transport::panics::quietly;
use dunlin_transport::{Transport, nearest};
use dunlin_wire::{
    DiagnosticReply, DiagnosticRequest, EntityId, EntityKind, Guid, GuidPrefix, Locator,
    Submessage, Timestamp, WriterData,
};
pub(crate) use endpoint::{
    MatchedEndpoint, MatchedEntities, MatchedReader, MatchedTopic, MatchedWriter, OwnParticipant,
    WriterEnd,
};
use hashbrown::HashMap;
use locator_choice::{metatraffic_locator_of, whom};
use neighbours::Neighbours;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use ways::WaitingMatches;

/// Where so many participants are told of an endpoint, what is said of those that are made soon
/// after it goes with it. Each would wake all of them.
const MANY: usize = 16;
/// For so long, and no more bytes than this.
const HOLD: Duration = Duration::from_millis(1);
const MOST_HELD: usize = 1 << 20;

pub(crate) struct Matching<P: MatchedEntities> {
    discovery: Discovery,
    datagrams: Datagrams,
    joining: Joining,
    /// What was said of our endpoints waits until then for what is said of others.
    held_until: Option<Time>,
    /// The multicast groups where announcements go.
    groups_met: Vec<Locator>,
    peer_list: PeerList,
    /// Where announcements go: these groups and the peers.
    announce: Vec<Destination>,
    neighbours: Neighbours,
    events: Vec<Event>,
    pub(crate) writers: BTreeMap<EntityId, Arc<P::Writer>>,
    pub(crate) readers: BTreeMap<EntityId, Arc<P::Reader>>,
    topics: BTreeMap<String, Weak<P::Topic>>,
    /// Matched writers of each reader.
    sources: BTreeMap<EntityId, BTreeSet<Guid>>,
    /// Where each matched reader of each writer is reached.
    sinks: BTreeMap<EntityId, BTreeMap<Guid, Sink>>,
    /// Those of them that are in this process and need no place.
    local_readers: BTreeMap<EntityId, BTreeMap<Guid, Weak<dyn LocalReaderEndpoint>>>,
    /// Matches of ours that are carried out when the way to the reader is known.
    waiting: WaitingMatches,
    /// Matched readers to whom a way by memory is made when there is something to be sent.
    put_off: BTreeMap<Guid, Locator>,
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
    builtin_publishers: Vec<builtin_publisher::BuiltinPublisher<P>>,
    watches: watch::Watches,
    /// The routes must be made anew.
    changed: bool,
    /// What the routes say of each participant with matched endpoints ...
    peer_routes: HashMap<GuidPrefix, Arc<PeerRoute<P>>>,
    /// ... as it was before something of these changed.
    changed_peers: BTreeSet<GuidPrefix>,
    last_key: u32,
}

/// Where a matched reader of a writer is reached.
struct Sink {
    destination: Destination,
    /// The way by memory that is made when there is something to be sent.
    put_off: Option<Locator>,
}

/// Something that the application hears of once the lock is released. What it may ask for itself is
/// counted before that, in the order of events and before the first sample of a match can come.
/// Those with a listener carry its status.
pub(crate) enum MatchingEvent<P: MatchedEntities> {
    WriterMatched(Arc<P::Writer>, Option<MatchedStatus>),
    ReaderMatched(Arc<P::Reader>, Option<MatchedStatus>),
    WriterIncompatible(Arc<P::Writer>, Guid, Vec<Incompatibility>),
    ReaderIncompatible(Arc<P::Reader>, Guid, Vec<Incompatibility>),
    Liveliness(Arc<P::Reader>, Option<LivelinessChangedStatus>),
    LivelinessLost(Arc<P::Writer>, Option<LivelinessLostStatus>),
    Data(Arc<P::Reader>),
    InconsistentTopic(Arc<P::Topic>, Guid, String),
    Discovered(Arc<watch::Wake>),
}

impl<P: MatchedEntities> MatchingEvent<P> {
    fn writer_matched(writer: &Arc<P::Writer>, reader: Guid, change: i32) -> Self {
        let status = writer.count_matched(reader, change);
        Self::WriterMatched(Arc::clone(writer), status)
    }

    fn reader_matched(reader: &Arc<P::Reader>, writer: Guid, change: i32) -> Self {
        let status = reader.count_matched(writer, change);
        Self::ReaderMatched(Arc::clone(reader), status)
    }

    /// `None` if it is no news.
    fn liveliness(reader: &Arc<P::Reader>, writer: Guid, life: WriterChange) -> Option<Self> {
        let counted = reader.count_liveliness(writer, life);
        counted.then(|| Self::Liveliness(Arc::clone(reader), reader.liveliness_to_tell()))
    }

    fn liveliness_lost(writer: &Arc<P::Writer>) -> Self {
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
            Self::Data(reader) => ReceivingReader::announce_data(&reader),
            Self::InconsistentTopic(topic, remote, difference) => {
                topic.note_inconsistent(remote, &difference);
            }
            Self::Discovered(wake) => wake(),
        }
    }
}

impl<P: OwnParticipant> Matching<P> {
    /// Announcements go to the groups and to the peers of the book, and to those neighbours that
    /// are not met there.
    pub(crate) fn new(
        discovery: Discovery,
        datagrams: Datagrams,
        groups_met: Vec<Locator>,
        neighbours: Option<Locator>,
        peer_list: PeerList,
    ) -> Self {
        let mut matching = Self {
            discovery,
            datagrams,
            joining: Joining::default(),
            held_until: None,
            groups_met,
            peer_list,
            announce: Vec::new(),
            neighbours: Neighbours::new(neighbours),
            events: Vec::new(),
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            topics: BTreeMap::new(),
            sources: BTreeMap::new(),
            sinks: BTreeMap::new(),
            local_readers: BTreeMap::new(),
            waiting: WaitingMatches::default(),
            put_off: BTreeMap::new(),
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
            peer_routes: HashMap::new(),
            changed_peers: BTreeSet::new(),
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
    pub(crate) fn add_topic(&mut self, topic: &Arc<P::Topic>) -> Arc<P::Topic> {
        if let Some(known) = self.topic(topic.name()) {
            return known;
        }
        let weak = Arc::downgrade(topic);
        self.topics.insert(topic.name().to_owned(), weak);
        Arc::clone(topic)
    }

    /// The topic of that name, if the application has it. To be dropped without the lock.
    pub(crate) fn topic(&self, name: &str) -> Option<Arc<P::Topic>> {
        self.topics.get(name).and_then(Weak::upgrade)
    }

    pub(crate) fn start(&mut self, now: Time) {
        self.discovery.start(now, &mut self.datagrams);
    }

    pub(crate) fn goodbye(&mut self, now: Time) {
        self.neighbours = Neighbours::default();
        self.held_until = None;
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
        self.note_way(source);
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

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let signs = std::mem::take(&mut self.signs);
        signs.values().for_each(|sign| self.tell(sign));
        self.signs = signs;
        self.discovery
            .handle_timeout(now, &mut self.datagrams, &mut self.events);
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        let waiting = self.waiting.next_timeout();
        let all = [self.discovery.next_timeout(), waiting, self.held_until];
        all.into_iter().flatten().min()
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
        core: &Arc<P::Writer>,
    ) -> Result<(), dunlin_wire::Error> {
        let guid = core.guid();
        self.writers.insert(guid.entity, Arc::clone(core));
        if core.is_local() {
            local_queue::enter_writer(Arc::clone(core) as _, core.dynamic_type());
        }
        let sign = core.liveliness_assertion();
        self.signs.extend(sign.map(|sign| (guid, Arc::clone(sign))));
        self.changed = true;
        self.serve_type(guid, core.local_type());
        self.announce_writer(now, core)
    }

    /// Says what a writer is now.
    pub(crate) fn announce_writer(
        &mut self,
        now: Time,
        core: &P::Writer,
    ) -> Result<(), dunlin_wire::Error> {
        self.hold(now);
        self.discovery
            .add_writer(now, core.data(), &mut self.datagrams, &mut self.events)
    }

    /// Says what a reader is now.
    pub(crate) fn announce_reader(
        &mut self,
        now: Time,
        core: &P::Reader,
    ) -> Result<(), dunlin_wire::Error> {
        self.hold(now);
        self.discovery
            .add_reader(now, core.data(), &mut self.datagrams, &mut self.events)
    }

    /// Announces a reader; fails if a name is too long to announce.
    pub(crate) fn add_reader(
        &mut self,
        now: Time,
        core: &Arc<P::Reader>,
    ) -> Result<(), dunlin_wire::Error> {
        let guid = core.guid();
        self.readers.insert(guid.entity, Arc::clone(core));
        if core.is_local() {
            local_queue::enter_reader(Arc::clone(core) as _, core.dynamic_type());
        }
        self.serve_type(guid, core.local_type());
        if let Some(writers) = core.accepted_writers() {
            let accepts =
                move |writer: &WriterData| quietly(|| writers.accepts(writer)).unwrap_or(false);
            self.discovery
                .accept_only(guid, WriterPredicate::new(accepts));
        }
        self.announce_reader(now, core)
    }

    /// Announces that a reader wants something else, unless it is gone meanwhile.
    pub(crate) fn update_reader(
        &mut self,
        now: Time,
        core: &Arc<P::Reader>,
    ) -> Result<(), dunlin_wire::Error> {
        match self.readers.contains_key(&core.guid().entity) {
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
        let sinks = self.sinks.remove(&guid.entity).unwrap_or_default();
        self.changed_peers
            .extend(sinks.keys().map(|reader| reader.prefix));
        self.local_readers.remove(&guid.entity);
        self.waiting.remove_writer(guid);
    }

    pub(crate) fn remove_reader(&mut self, now: Time, guid: Guid) {
        self.discovery
            .remove_reader(now, guid, &mut self.datagrams, &mut self.events);
        local_queue::leave(&guid);
        self.readers.remove(&guid.entity);
        self.changed = true;
        let sources = self.sources.remove(&guid.entity).unwrap_or_default();
        self.changed_peers
            .extend(sources.iter().map(|writer| writer.prefix));
    }

    /// Something is said of an endpoint of ours.
    fn hold(&mut self, now: Time) {
        if self.peers.len() >= MANY {
            self.held_until.get_or_insert(now.after(HOLD));
        }
    }

    /// What is to be said waits still.
    fn holds(&mut self, now: Time) -> bool {
        let waits = self.held_until.is_some_and(|until| now < until);
        if !waits || self.datagrams.len() > MOST_HELD {
            self.held_until = None;
        }
        self.held_until.is_some()
    }

    /// Carries out what discovery has decided.
    pub(crate) fn settle(
        &mut self,
        participant: &P,
        now: Time,
        matching_events: &mut Vec<MatchingEvent<P>>,
    ) {
        self.apply_all(participant, now, matching_events);
        self.serve(now, matching_events);
        if std::mem::take(&mut self.changed) {
            let routes = self.routes();
            participant.set_routes(routes);
        }
        if self.holds(now) {
            return self.datagrams.hand_over();
        }
        self.datagrams.join_builtin(&mut self.joining);
        self.locate_peers(participant.transport());
        let mut announced = self.beside_network(participant);
        if !announced.is_empty() {
            announced.extend_from_slice(&self.announce);
        }
        let Self {
            datagrams,
            announce,
            peers,
            destinations,
            ..
        } = self;
        datagrams.flush(participant.transport(), |to| match to {
            To::Announce if announced.is_empty() => announce,
            To::Announce => &announced,
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
            neighbours,
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
                let whom = whom(transport, discovery, guid.prefix);
                let near = neighbours.are_near(&guid.prefix);
                let destination = metatraffic_locator_of(transport, whom, near, unicast)
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

    fn own(&self) -> GuidPrefix {
        self.discovery.config().prefix
    }
}

fn one(destination: Option<&Destination>) -> &[Destination] {
    destination.map_or(&[], std::slice::from_ref)
}
