//! Discovery: who is there, what they write and read, and which endpoints match (RTPS 2.5 8.5,
//! 8.4.13).
//!
//! One state machine for the participant: SPDP finds participants, SEDP their endpoints, leases and
//! participant messages tell who lives. It owns the built-in writers and readers, which are the
//! same `Writer` and `Reader` that carry user data.
mod announcer;
mod avoided_participants;
mod builtin;
mod catalog;
mod config;
mod diagnostics;
mod early_messages;
mod endpoints;
mod event;
mod explain;
mod gossip_sender;
mod keyed_hash;
mod liveliness;
mod participants;
mod peer_gossip;
mod proof;
mod registry;
mod room;
mod service_topic;
mod source_addresses;
mod timer_queue;
mod type_lookup;
mod types;
mod unverified_participants;
mod verdict;

pub use config::{DiscoveryConfig, Limits, Source};
pub use event::{Event, LossReason, UnmatchReason};
pub use explain::Explanation;
pub use keyed_hash::Secret;
pub use participants::Heard;
pub use registry::{BUILTIN_TOPICS, BuiltinMatching, BuiltinTopicEntry, BuiltinTopicQos};
pub use source_addresses::SourceAddresses;
pub use types::{KnownTypes, TypeDifference, TypeState, uncompared};
pub use verdict::{Verdict, WriterPredicate, compare};

use crate::{Outbox, Time, To};
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use announcer::{Announcer, detector};
use avoided_participants::AvoidedParticipants;
use builtin::{BuiltinTopic, BuiltinTopics};
use catalog::Catalog;
use diagnostics::Diagnostics;
use dunlin_qos::{DataRepresentation, LivelinessKind};
use dunlin_wire::{
    Data, Error, Guid, GuidPrefix, Locator, ParticipantData, Payload, ReaderData, Submessage,
    Timestamp, VendorId, WriterData,
};
use dunlin_xtypes::LocalType;
use gossip_sender::GossipSender;
use liveliness::LivelinessMonitor;
use participants::{Peer, STANDSTILL};
use peer_gossip::PeerGossip;
use registry::Handler;
use service_topic::ServiceTopics;
use timer_queue::RenewableTimers;
use type_lookup::TypeLookup;
use unverified_participants::UnverifiedParticipants;

/// Everything that a participant knows about the others, and what it tells them.
///
/// Built-in submessages go out to `To::Announce`, and to `To::Endpoint` of a built-in endpoint
/// whose locators `metatraffic_locators` knows; never to `To::Matched`.
pub struct Discovery {
    config: DiscoveryConfig,
    announcer: Announcer,
    peers: BTreeMap<GuidPrefix, Peer>,
    leases: RenewableTimers<GuidPrefix>,
    doubts: RenewableTimers<GuidPrefix>,
    departed: RenewableTimers<GuidPrefix>,
    /// Participants that somebody, perhaps not they themselves, said goodbye for.
    parting: RenewableTimers<GuidPrefix>,
    strangers: UnverifiedParticipants,
    guesses: proof::Guesses,
    heard: Heard,
    /// When to see whether there is room for those who found none.
    forgiveness: Option<Time>,
    /// Before this nobody is looked for who could give way.
    gives_way: Option<Time>,
    crowds_out: Option<Time>,
    crowds_endpoints_out: Option<Time>,
    turns: Option<Time>,
    catalog: Catalog,
    watch: LivelinessMonitor,
    topics: BuiltinTopics,
    services: ServiceTopics,
    introducer: GossipSender,
    hearsay: PeerGossip,
    inquiries: Diagnostics,
    /// The types of local endpoints.
    own_types: BTreeMap<Guid, LocalType>,
    /// Endpoints of whose types somebody is asked, and until when their matches wait.
    awaited_types: RenewableTimers<Guid>,
    type_lookup: TypeLookup,
    /// Participants that the application does not want to hear of.
    ignored: BTreeSet<GuidPrefix>,
    avoided: AvoidedParticipants,
}

impl Discovery {
    /// A participant that has not announced itself yet. Fails if a name or the user data is too
    /// long to announce.
    pub fn new(config: DiscoveryConfig) -> Result<Self, Error> {
        let own = config.prefix;
        let announcement = config.announcement().encode()?;
        Ok(Self {
            announcer: Announcer::new(own, announcement, config.announce_period),
            peers: BTreeMap::new(),
            leases: RenewableTimers::default(),
            doubts: RenewableTimers::default(),
            departed: RenewableTimers::default(),
            parting: RenewableTimers::default(),
            strangers: UnverifiedParticipants::default(),
            guesses: proof::Guesses::default(),
            heard: Heard::default(),
            forgiveness: None,
            gives_way: None,
            crowds_out: None,
            crowds_endpoints_out: None,
            turns: None,
            catalog: Catalog::new(own, &config.default_unicast, &config.default_multicast),
            watch: LivelinessMonitor::new(own),
            topics: BuiltinTopics::new(own),
            services: ServiceTopics::new(own),
            introducer: GossipSender::default(),
            hearsay: PeerGossip::default(),
            inquiries: Diagnostics::default(),
            own_types: BTreeMap::new(),
            awaited_types: RenewableTimers::default(),
            type_lookup: TypeLookup::default(),
            ignored: BTreeSet::new(),
            avoided: AvoidedParticipants::default(),
            config,
        })
    }

    /// Announces the participant, now and periodically.
    pub fn start(&mut self, now: Time, out: &mut impl Outbox) {
        self.announcer.start(now);
        self.announce_if_due(now, out);
    }

    /// Changes what the participant says about itself, all but its prefix, and announces it. Fails,
    /// and changes nothing, if a name or the user data is too long to announce.
    pub fn reconfigure(
        &mut self,
        now: Time,
        config: DiscoveryConfig,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        let prefix = self.config.prefix;
        let config = DiscoveryConfig { prefix, ..config };
        let announcement = config.announcement().encode()?;
        self.announcer.replace(announcement, config.announce_period);
        let (unicast, multicast) = (&config.default_unicast, &config.default_multicast);
        self.catalog.put_home(prefix, unicast, multicast, events);
        match config.is_at(&self.config) {
            true => self.announcer.start(now),
            false => self.announcer.start_elsewhere(now),
        }
        self.config = config;
        self.announce_if_due(now, out);
        Ok(())
    }

    /// Adds a local writer, or changes its description, and tells everybody. Fails, and changes
    /// nothing, if a name or opaque data is too long to announce.
    pub fn add_writer(
        &mut self,
        now: Time,
        writer: WriterData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        self.publish_writer(now, &writer, out)?;
        self.watch.add(now, writer.guid, writer.qos.liveliness);
        self.catalog.put_writer(writer, events);
        self.settle_types(now, out, events);
        Ok(())
    }

    /// Adds a local reader, or changes its description, and tells everybody. An empty list of data
    /// representations means XCDR1 (DDS-XTypes 1.3 7.6.3.1.1). Fails, and changes nothing, if a
    /// name or opaque data is too long to announce.
    pub fn add_reader(
        &mut self,
        now: Time,
        mut reader: ReaderData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        if reader.qos.representation.is_empty() {
            reader.qos.representation.push(DataRepresentation::Xcdr1);
        }
        self.publish_reader(now, &reader, out)?;
        let news = events.len();
        self.catalog.put_reader(reader, events);
        self.report_silent_writers(news, events);
        self.settle_types(now, out, events);
        Ok(())
    }

    /// A local reader that is going to be added accepts these writers only, until it is removed.
    pub fn accept_only(&mut self, reader: Guid, writers: WriterPredicate) {
        self.catalog.accept_only(reader, writers);
    }

    /// Removes a local writer and tells everybody.
    pub fn remove_writer(
        &mut self,
        now: Time,
        writer: Guid,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        self.watch.remove(&writer);
        self.withdraw_type(writer);
        if self
            .catalog
            .remove_writer(writer, UnmatchReason::Deleted, events)
        {
            self.withdraw_writer(now, writer, out);
        }
    }

    /// Removes a local reader and tells everybody.
    pub fn remove_reader(
        &mut self,
        now: Time,
        reader: Guid,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        self.withdraw_type(reader);
        if self
            .catalog
            .remove_reader(reader, UnmatchReason::Deleted, events)
        {
            self.withdraw_reader(now, reader, out);
        }
    }

    /// Takes in a submessage of a built-in endpoint; all others are ignored. Those that INFO_DST
    /// addresses to another participant must not come here.
    pub fn handle(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if source.prefix == self.config.prefix || self.announcer.has_ended() {
            return;
        }
        if self.ignored.contains(&source.prefix) {
            return;
        }
        let topic = registry::topic_of(message);
        let handler = topic.map(|topic| topic.handler);
        if let (Submessage::Data(data), Some(Handler::Announcement)) = (message, handler) {
            return self.handle_announcement(now, source, data, out, events);
        }
        let met = self.peers.get(&source.prefix).is_some_and(|p| p.verified);
        if !self.recognize(now, source, timestamp, message, out, events) {
            return;
        }
        let answers = matches!(message, Submessage::AckNack(_));
        if answers {
            self.note_acknowledgement(source.prefix);
        }
        if !met {
            self.take_in_early(now, source, out, events);
            // What a stranger's answer asks for was just sent, since it answered.
            if answers {
                return;
            }
        }
        match (topic, handler) {
            (Some(entry), Some(Handler::Endpoints { take, .. })) => {
                if entry.matching == BuiltinMatching::Neighbours {
                    self.befriend(now, source.prefix, out);
                }
                if let Some(topic) = self.topics.get_mut(entry.writer) {
                    let samples = topic.handle(now, source, timestamp, message, out);
                    take(self, now, samples, events);
                    self.settle_types(now, out, events);
                }
            }
            (Some(entry), Some(Handler::Service { take })) => {
                let samples = self.hear_service(now, source, timestamp, entry, message, out);
                take(self, now, samples, events);
                self.settle_types(now, out, events);
            }
            (_, Some(Handler::Payloads(take))) => {
                if let Submessage::Data(Data {
                    payload: Payload::Data(bytes),
                    ..
                }) = message
                {
                    take(self, now, source.prefix, bytes, events);
                }
            }
            _ => {}
        }
    }

    /// Does what is due: announcements, assertions, repairs, and leases that have run out.
    pub fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox, events: &mut Vec<Event>) {
        if self.announcer.has_ended() {
            return;
        }
        if self
            .next_timeout()
            .is_some_and(|due| now.since(due) >= STANDSTILL)
        {
            self.put_leases_off(now);
        }
        self.announce_if_due(now, out);
        self.check_leases(now, out, events);
        for writer in self.watch.lapsed(now) {
            self.report_lapse(writer, events);
        }
        self.assert_if_due(now, out);
        for entry in BUILTIN_TOPICS {
            let (samples, take) = match entry.handler {
                Handler::Endpoints { take, .. } => {
                    let topic = self.topics.get_mut(entry.writer);
                    (topic.map(|topic| topic.handle_timeout(now, out)), take)
                }
                Handler::Service { take } => {
                    let topic = self.services.get_mut(entry.writer);
                    (topic.map(|topic| topic.handle_timeout(now, out)), take)
                }
                Handler::Announcement | Handler::Payloads(_) => continue,
            };
            take(self, now, samples.unwrap_or_default(), events);
        }
        self.give_up_types(now, events);
        self.settle_types(now, out, events);
        self.forgive(now, out);
        self.keep_company(now, out);
    }

    /// When to call `handle_timeout`, unless something else happens first.
    pub fn next_timeout(&self) -> Option<Time> {
        if self.announcer.has_ended() {
            return None;
        }
        let times = [
            self.announcer.next_timeout(),
            self.leases.next(),
            self.doubts.next(),
            self.parting.next(),
            self.forgiveness,
            self.watch.next_timeout(),
            self.introducer.next_timeout(),
            self.hearsay.next_timeout(),
            self.awaited_types.next(),
            self.services.next_timeout(),
            self.type_lookup.next_timeout(),
        ];
        let topics = self.topics.iter().map(|topic| topic.next_timeout());
        times.into_iter().chain(topics).flatten().min()
    }

    /// Says goodbye: all endpoints and the participant itself are withdrawn. Nothing is said or
    /// heard any more.
    pub fn goodbye(&mut self, now: Time, out: &mut impl Outbox) {
        let writers: Vec<Guid> = self.catalog.own_writers().map(|w| w.guid).collect();
        for writer in writers {
            self.withdraw_writer(now, writer, out);
        }
        let readers: Vec<Guid> = self.catalog.own_readers().map(|r| r.guid).collect();
        for reader in readers {
            self.withdraw_reader(now, reader, out);
        }
        // A stranger may not be where it says, and has nothing of ours to forget.
        let peers = self.peers.iter().filter(|(_, peer)| peer.verified);
        let peers = peers.map(|(prefix, _)| detector(*prefix));
        let to = core::iter::once(To::Announce).chain(peers);
        self.announcer.goodbye(self.config.timestamp(now), to, out);
    }

    /// A writer showed that it lives. A local one wrote or was asserted by the application; from a
    /// remote one came a sample, or a heartbeat with the liveliness flag (DDS 1.4 2.2.3.11, RTPS
    /// 2.5 8.4.13). Only writers with a finite liveliness lease need it, and not each time: a few
    /// times per lease, and before `handle_timeout`, with the time of the last sign as `now`.
    pub fn assert_writer(
        &mut self,
        now: Time,
        writer: Guid,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let revived = self.watch.assert_writer(now, writer);
        self.report_revival(revived, events);
        let local = (writer.prefix == self.config.prefix).then(|| self.catalog.near_writer(writer));
        if let Some(Some(local)) = local
            && local.qos.liveliness.kind == LivelinessKind::ManualByParticipant
        {
            self.watch.request_manual(now);
            self.assert_if_due(now, out);
        }
    }

    /// The application asserts the participant: all local writers with liveliness
    /// MANUAL_BY_PARTICIPANT live (DDS 1.4 2.2.2.2.1.18).
    pub fn assert_participant(
        &mut self,
        now: Time,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let kind = LivelinessKind::ManualByParticipant;
        let revived = self.watch.assert_all(now, self.config.prefix, kind);
        self.report_revival(revived, events);
        self.watch.request_manual(now);
        self.assert_if_due(now, out);
    }

    /// The ways to a participant are not what they were: reports its matched endpoints as changed,
    /// so that the caller chooses anew among their locators. One that is not known is to hear of us
    /// soon, since it may have forgotten us as we have it.
    pub fn relocate(&mut self, now: Time, prefix: GuidPrefix, events: &mut Vec<Event>) {
        if !self.knows(prefix) {
            self.announcer.hurry(now);
        }
        self.catalog.relocate(Some(prefix), events);
    }

    /// Nothing is heard any more of a participant, as if it were not there (DDS 1.4 2.2.2.2.1.14).
    pub fn ignore_participant(&mut self, now: Time, prefix: GuidPrefix, events: &mut Vec<Event>) {
        if prefix != self.config.prefix {
            self.ignored.insert(prefix);
            self.lose(now, prefix, LossReason::Ignored, events);
        }
    }

    /// Nothing is heard any more of somebody else's writer or reader.
    pub fn ignore_endpoint(&mut self, guid: Guid, events: &mut Vec<Event>) {
        self.catalog.ignore(guid, events);
    }

    /// Nothing is heard any more of others' writers and readers of a topic.
    pub fn ignore_topic(&mut self, name: &str, events: &mut Vec<Event>) {
        self.catalog.ignore_topic(name, events);
    }

    /// From now on `take_endpoint_news` tells which endpoints of others came, changed or went; at
    /// first all that are known. Or no longer.
    pub fn watch_endpoints(&mut self, on: bool) {
        self.catalog.watch(on);
    }

    /// Endpoints of others that came, changed or went since this was asked last.
    pub fn take_endpoint_news(&mut self) -> BTreeSet<Guid> {
        self.catalog.take_news()
    }

    /// What is known of a writer, whoever's it is.
    pub fn writer(&self, guid: Guid) -> Option<Cow<'_, WriterData>> {
        self.catalog.writer(guid)
    }

    /// What is known of a reader, whoever's it is.
    pub fn reader(&self, guid: Guid) -> Option<Cow<'_, ReaderData>> {
        self.catalog.reader(guid)
    }

    /// The process of a participant has ended for sure: nobody need wait for its lease.
    pub fn end(&mut self, now: Time, prefix: GuidPrefix, events: &mut Vec<Event>) {
        self.part(now, prefix, LossReason::Ended, events);
    }

    /// True for a participant that has announced itself.
    pub fn knows(&self, prefix: GuidPrefix) -> bool {
        self.peers.contains_key(&prefix)
    }

    /// True for a participant that has answered what was sent to it alone: it has said which
    /// endpoints it has. One that knows our name may have it from our multicast announcements.
    pub fn has_answered(&self, prefix: GuidPrefix) -> bool {
        let known = self.peers.get(&prefix).is_some_and(|peer| peer.verified);
        known && self.endpoint_topics().any(|topic| topic.hears(prefix))
    }

    /// True if all endpoints are known that a participant has said it has; of one that is heard no
    /// more, those that are let in.
    pub fn knows_all_of(&self, prefix: GuidPrefix) -> bool {
        let Some(peer) = self.peers.get(&prefix).filter(|peer| peer.verified) else {
            return false;
        };
        let has = peer.data.builtin_endpoints;
        let mut topics = self.endpoint_topics();
        let all = topics.all(|topic| !topic.entry.has_writer(has) || topic.has_all_of(prefix));
        peer.refused || all
    }

    /// False for a writer that has not shown its life within its lease, and has not since.
    pub fn is_alive(&self, writer: Guid) -> bool {
        self.watch.is_alive(writer)
    }

    /// Where a participant listens for built-in traffic: unicast and multicast. For one that is not
    /// known it is what others say, which may change from call to call.
    pub fn metatraffic_locators(&self, prefix: GuidPrefix) -> (&[Locator], &[Locator]) {
        match self.peers.get(&prefix) {
            Some(peer) => (
                &peer.data.metatraffic_unicast,
                &peer.data.metatraffic_multicast,
            ),
            None => (self.hearsay.locators(prefix), &[]),
        }
    }

    /// True for a participant that answers by connections of its own and is nowhere that it says to
    /// be: what it says about its places is not known to be true.
    pub fn only_calls(&self, prefix: GuidPrefix) -> bool {
        self.peers.get(&prefix).is_some_and(Peer::only_calls)
    }

    /// Where the datagram came from with which a participant has answered first, or, if it has not
    /// answered yet, with which it was heard first.
    pub fn source(&self, prefix: GuidPrefix) -> Option<Locator> {
        self.peers.get(&prefix).map(Peer::source)
    }

    /// What a participant has said about itself, if it has announced itself.
    pub fn participant(&self, prefix: GuidPrefix) -> Option<&ParticipantData> {
        self.peers.get(&prefix).map(|peer| &peer.data)
    }

    /// Whose product a participant is, as it says itself; of one that is not known nothing is.
    pub fn vendor(&self, prefix: GuidPrefix) -> VendorId {
        match self.peers.get(&prefix) {
            _ if prefix == self.config.prefix => VendorId::DUNLIN,
            Some(peer) => peer.data.vendor,
            None => VendorId::UNKNOWN,
        }
    }

    /// The participants that have shown to be where they are, and where their answers come from.
    pub fn whereabouts(&self) -> impl Iterator<Item = (&ParticipantData, Option<Locator>)> {
        let verified = self.peers.values().filter(|peer| peer.verified);
        verified.map(|peer| (&peer.data, Some(peer.source())))
    }

    /// The other participants.
    pub fn participants(&self) -> impl ExactSizeIterator<Item = &ParticipantData> {
        self.peers.values().map(|peer| &peer.data)
    }

    /// How many writers and readers are known, local ones included.
    pub fn endpoint_count(&self) -> usize {
        self.catalog.len()
    }

    /// All known writers, local ones included. Those of topics that nobody here has are put
    /// together anew each time.
    pub fn writers(&self) -> impl Iterator<Item = Cow<'_, WriterData>> {
        self.catalog.writers()
    }

    /// All known readers, local ones included. Those of topics that nobody here has are put
    /// together anew each time.
    pub fn readers(&self) -> impl Iterator<Item = Cow<'_, ReaderData>> {
        self.catalog.readers()
    }

    /// What the participant says about itself.
    pub fn config(&self) -> &DiscoveryConfig {
        &self.config
    }

    /// What was heard and not taken in.
    pub fn heard(&self) -> Heard {
        self.heard
    }

    /// The topics that describe endpoints.
    fn endpoint_topics(&self) -> impl Iterator<Item = &BuiltinTopic> {
        let topics = self.topics.iter();
        topics.filter(|topic| topic.entry.describes_endpoints)
    }
}
