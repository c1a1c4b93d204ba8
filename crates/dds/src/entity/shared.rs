//! What the threads of one participant share.
mod directory;
mod receiving;

use crate::discovery::matching::Matching;
use crate::discovery::matching::ways::WayChange;
use crate::discovery::peers::Names;
use crate::entity::config::ParticipantConfig;
use crate::entity::contained::ContainedEntities;
use crate::entity::due::Due;
use crate::entity::group::{PublisherCore, SubscriberCore};
use crate::entity::listener::dispatch::{Listener, Of, Panics, Running, wait_until_over};
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::member::{MemberReader, MemberTopic, MemberWriter};
use crate::entity::participant::Defaults;
use crate::error::{Error, Result};
use crate::receive::counters::Counters;
use crate::receive::liveliness::LivelinessAssertion;
use crate::receive::loan_table::LoanTable;
use crate::receive::participant::Endpoints;
use crate::receive::reassembly_budget::Memory;
use crate::receive::role::Role;
use crate::receive::routes::Routes;
use crate::runtime::clock::Clock;
use crate::runtime::lock::{DISCOVERY, LEAF, Ranked};
use crate::runtime::timer::Timer;
use crate::send::datagram::Datagrams;
use crate::status::StatusKind;
use dunlin_qos::DomainParticipantQos;
use dunlin_rtps::{Time, To};
use dunlin_transport::Transport;
use dunlin_transport::panics::{catch, log};
use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, ports};
use std::net::Ipv4Addr;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, OnceLock, Weak};

/// Bytes of headers and inline QoS that may accompany a fragment in its datagram.
const FRAGMENT_OVERHEAD: usize = 160;

/// A reader of a participant.
pub(crate) type Reader = <Shared as Endpoints>::Reader;
/// A writer of a participant.
pub(crate) type Writer = <Shared as Endpoints>::Writer;

pub(crate) struct Shared {
    pub(crate) prefix: GuidPrefix,
    pub(crate) domain: u32,
    pub(crate) config: ParticipantConfig,
    pub(crate) clock: Clock,
    #[cfg(feature = "simulation")]
    pub(crate) tuning: Ranked<crate::runtime::simulated::Tuning, LEAF>,
    pub(crate) transport: Arc<dyn Transport>,
    /// Receives what is addressed to user endpoints.
    pub(crate) user: Role<Self>,
    /// Receives discovery.
    pub(crate) meta: Role<Self>,
    pub(crate) matching: Ranked<Matching<Self>, DISCOVERY>,
    pub(crate) qos: Ranked<DomainParticipantQos, LEAF>,
    pub(crate) defaults: Ranked<Defaults, LEAF>,
    /// It has joined the domain.
    pub(crate) enabled: AtomicBool,
    publishers: Ranked<Vec<Weak<PublisherCore>>, LEAF>,
    subscribers: Ranked<Vec<Weak<SubscriberCore>>, LEAF>,
    /// The participant's own listener.
    pub(crate) listener: ListenerSlot<<Self as ContainedEntities>::ParticipantListener>,
    routes: Ranked<Arc<Routes<Self>>, LEAF>,
    generation: AtomicU64,
    pub(crate) timer: Timer<Due>,
    /// When the timer will look at discovery; `i64::MAX` if it will not.
    pub(crate) discovery_scheduled: AtomicI64,
    /// Datagrams that brought a reader something.
    arrivals: AtomicU64,
    /// Some writer may hold samples back.
    holding: AtomicBool,
    /// Readers whose listeners the thread that receives calls instead of one that has something
    /// else to do.
    deferred: Ranked<Vec<Weak<Reader>>, LEAF>,
    has_deferred: AtomicBool,
    /// Some matched writer has a finite liveliness lease.
    watches_life: AtomicBool,
    /// Its own announcements have come back by multicast.
    hears_itself: AtomicBool,
    pub(crate) counters: Counters,
    /// For samples that its readers cannot show yet.
    pub(crate) memory: Arc<Memory>,
    /// Of callbacks of its entities.
    pub(crate) panics: Panics,
    /// Calls of listeners for data that were timed and took long.
    pub(crate) slow_calls: AtomicU64,
    /// Calls of listeners that run, beside those for data.
    pub(crate) running: Running,
    /// Why it has ended, if it was not the application that ended it.
    failure: OnceLock<String>,
    /// Why the transport cannot go on.
    transport_failure: Ranked<Option<String>, LEAF>,
    pub(crate) names: Names,
    /// Participants to whom the ways have changed, how, and when that is to be heeded.
    ways: Ranked<Vec<(GuidPrefix, WayChange, Time)>, LEAF>,
    /// When to look at the addresses of this host, which have changed.
    addresses_due: Ranked<Option<Time>, LEAF>,
    /// Received samples of which a part stays in memory of their writer.
    pub(crate) loan_table: Arc<LoanTable>,
}

impl Shared {
    #[allow(
        clippy::too_many_arguments,
        reason = "one call, each argument another kind of thing"
    )]
    pub(crate) fn new(
        prefix: GuidPrefix,
        domain: u32,
        config: ParticipantConfig,
        clock: Clock,
        transport: Arc<dyn Transport>,
        user: Role<Self>,
        meta: Role<Self>,
        matching: Matching<Self>,
    ) -> Self {
        Self {
            prefix,
            domain,
            clock,
            #[cfg(feature = "simulation")]
            tuning: Ranked::default(),
            transport,
            user,
            meta,
            matching: Ranked::new(matching),
            qos: Ranked::new(config.qos.clone()),
            defaults: Ranked::default(),
            enabled: AtomicBool::new(false),
            publishers: Ranked::default(),
            subscribers: Ranked::default(),
            memory: Memory::new(config.max_reassembly_bytes),
            config,
            listener: ListenerSlot::default(),
            routes: Ranked::default(),
            generation: AtomicU64::new(0),
            timer: Timer::default(),
            discovery_scheduled: AtomicI64::new(i64::MAX),
            arrivals: AtomicU64::new(0),
            holding: AtomicBool::new(false),
            deferred: Ranked::default(),
            has_deferred: AtomicBool::new(false),
            watches_life: AtomicBool::new(false),
            hears_itself: AtomicBool::new(false),
            counters: Counters::default(),
            panics: Panics::default(),
            slow_calls: AtomicU64::new(0),
            running: Running::default(),
            failure: OnceLock::new(),
            transport_failure: Ranked::default(),
            names: Names::default(),
            ways: Ranked::default(),
            addresses_due: Ranked::default(),
            loan_table: Arc::default(),
        }
    }

    pub(crate) fn add_publisher(&self, core: &Arc<PublisherCore>) {
        let mut publishers = self.publishers.lock();
        publishers.retain(|publisher| publisher.strong_count() > 0);
        publishers.push(Arc::downgrade(core));
    }

    pub(crate) fn add_subscriber(&self, core: &Arc<SubscriberCore>) {
        let mut subscribers = self.subscribers.lock();
        subscribers.retain(|subscriber| subscriber.strong_count() > 0);
        subscribers.push(Arc::downgrade(core));
    }

    pub(crate) fn publishers(&self) -> Vec<Arc<PublisherCore>> {
        let publishers = self.publishers.lock().clone();
        let publishers = publishers.iter().filter_map(Weak::upgrade);
        publishers.filter(|p| !p.is_deleted()).collect()
    }

    pub(crate) fn subscribers(&self) -> Vec<Arc<SubscriberCore>> {
        let subscribers = self.subscribers.lock().clone();
        let subscribers = subscribers.iter().filter_map(Weak::upgrade);
        subscribers.filter(|s| !s.is_deleted()).collect()
    }

    /// Are publishers and subscribers enabled that are created now?
    pub(crate) fn enables(&self) -> bool {
        let factory = self.qos.lock().entity_factory;
        factory.enables(self.enabled.load(SeqCst))
    }

    pub(crate) fn check_enabled(&self, of: &str) -> Result<()> {
        match self.enabled.load(SeqCst) {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "the {of} cannot be enabled before its participant: enable that first"
            ))),
        }
    }

    /// The participant's listener, if it wants to hear of this.
    pub(crate) fn listener_for_subscriber(
        &self,
        kind: StatusKind,
    ) -> Option<Listener<<Self as ContainedEntities>::SubscriberListener>> {
        self.listener
            .for_status(kind)?
            .map(Self::as_subscriber_listener)
    }

    /// The participant's listener, if it wants to hear of this.
    pub(crate) fn listener_for_publisher(
        &self,
        kind: StatusKind,
    ) -> Option<Listener<<Self as ContainedEntities>::PublisherListener>> {
        self.listener
            .for_status(kind)?
            .map(Self::as_publisher_listener)
    }

    /// The participant's listener, if it wants to hear of this.
    pub(crate) fn listener_for_topic(
        &self,
        kind: StatusKind,
    ) -> Option<Listener<<Self as ContainedEntities>::TopicListener>> {
        self.listener.for_status(kind)?.map(Self::as_topic_listener)
    }

    /// A listener above readers is another one: finds out anew who is told of data, once and for
    /// all samples to come.
    pub(crate) fn bind_readers(&self) {
        let subscribers = self.subscribers();
        let readers: Vec<_> = subscribers.iter().map(|s| s.readers()).collect();
        let matching = self.matching.lock();
        let bound: Vec<_> = readers.iter().flatten().map(MemberReader::bind).collect();
        let told: Vec<_> = subscribers.iter().map(|s| s.bind()).collect();
        drop(matching);
        // What listeners own may be an entity.
        drop((bound, told));
    }

    /// Returns when no other thread is in a call of this listener, which nobody finds any more;
    /// then it comes to its end. Called without a lock.
    pub(crate) fn wait_for_calls<L: ?Sized>(&self, old: Option<Listener<L>>) {
        let Some(old) = old else { return };
        wait_until_over(|this| self.thread_in(old.id(), this));
    }

    /// Another thread than `this` that is in a call of the listener with this id.
    fn thread_in(&self, id: u64, this: usize) -> Option<usize> {
        let for_data = || {
            self.subscribers().iter().find_map(|subscriber| {
                let for_one = subscriber.calls_in(id, this);
                for_one.or_else(|| {
                    let readers = subscriber.readers();
                    readers
                        .iter()
                        .find_map(|reader| MemberReader::calls_in(&**reader, id, this))
                })
            })
        };
        let of = Of::Listener(id);
        self.running.thread_in(of, this).or_else(for_data)
    }

    /// How many datagrams have brought a reader something.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals.load(Relaxed)
    }

    /// A writer holds samples back.
    pub(crate) fn note_held(&self) {
        if !self.holding.load(Relaxed) {
            self.holding.store(true, Relaxed);
        }
    }

    /// Sends what writers hold back for the calling thread, which has finished writing for now.
    /// Should one be overlooked because of another thread, the timer finds it.
    pub(crate) fn send_held_back(&self) {
        if !self.holding.load(Relaxed) {
            return;
        }
        self.holding.store(false, Relaxed);
        for writer in &self.routes().in_order {
            if !MemberWriter::send_held_back(&**writer) {
                self.note_held();
            }
        }
    }

    /// Has the thread that receives call the reader's listener.
    pub(crate) fn defer_data(&self, reader: &Arc<Reader>) {
        self.deferred.lock().push(Arc::downgrade(reader));
        self.has_deferred.store(true, SeqCst);
        self.user.nudge();
    }

    /// There are listeners to be called.
    pub(crate) fn has_deferred(&self) -> bool {
        self.has_deferred.load(SeqCst)
    }

    /// The sign of a matched writer that has to show its life.
    pub(crate) fn life_sign(&self, writer: &Guid) -> Option<Arc<LivelinessAssertion>> {
        let watches = self.watches_life.load(Relaxed);
        watches.then(|| self.routes().sign(writer).cloned())?
    }

    /// Ends every thread and every wait of the participant.
    pub(crate) fn stop(&self) {
        self.user.stop();
        self.meta.stop();
        self.timer.stop();
        self.names.stop();
        self.raise_all();
    }

    /// Whoever waits for something looks whether it can still come.
    fn raise_all(&self) {
        let (writers, readers, topics) = {
            let matching = self.matching.lock();
            let writers: Vec<_> = matching.writers.values().cloned().collect();
            let readers: Vec<_> = matching.readers.values().cloned().collect();
            (writers, readers, matching.own_topics())
        };
        writers
            .iter()
            .for_each(|writer| MemberWriter::raise_all(&**writer));
        readers
            .iter()
            .for_each(|reader| MemberReader::raise_all(&**reader));
        topics
            .iter()
            .for_each(|topic| MemberTopic::raise_all(&**topic));
        let subscribers = self.subscribers();
        subscribers.iter().for_each(|s| s.flags.waiters.raise_all());
    }

    /// The participant cannot go on: it leaves the domain, and all who wait are told why. Called
    /// once by whichever of its threads finds out first.
    pub(crate) fn fail(self: &Arc<Self>, why: &str) {
        if self.is_ended() || self.failure.set(why.to_owned()).is_err() {
            return;
        }
        log::error!(participant = ?self.prefix, why, "the participant has ended");
        // What ended a thread may be in the way here as well, and nobody else is there to say it.
        let _ = catch(|| self.discover(|matching, now| matching.goodbye(now)));
        self.stop();
    }

    /// Runs a thread of the participant. It ends when the participant does: otherwise that ends,
    /// too.
    pub(crate) fn run_thread(self: &Arc<Self>, name: &str, body: impl FnOnce(&Arc<Self>)) {
        if let Err(why) = catch(|| body(self)) {
            self.fail(&format!("thread {name} has panicked: {why}"));
        }
    }

    /// Has the participant ended, by the application or by itself?
    pub(crate) fn is_ended(&self) -> bool {
        self.user.is_stopped()
    }

    /// Fails if the participant has ended: nothing that somebody waits for will come any more.
    pub(crate) fn check_living(&self, entity: impl FnOnce() -> String) -> Result<()> {
        match self.failure.get() {
            Some(why) => Err(Error::ParticipantFailed {
                entity: entity(),
                why: why.clone(),
            }),
            None => crate::entity::group::living(entity, self.is_ended()),
        }
    }

    /// Empty datagrams of this participant, for answers and repairs: so short that they travel
    /// whole to anybody.
    pub(crate) fn datagrams(&self) -> Datagrams {
        let limit = whole_datagram(&*self.transport);
        let mut out = Datagrams::new(self.prefix, limit, Arc::clone(&self.transport));
        out.local_queue().switch_on(self.config.transports.local);
        out
    }

    /// Where this participant receives samples that are sent to the groups.
    pub(crate) fn groups(&self, addresses: &[Ipv4Addr]) -> Vec<Locator> {
        let properties = self.transport.properties();
        if properties.first().is_none_or(|way| !way.multicast_data) {
            // One write for each reader is all that it takes, or all that there is.
            return Vec::new();
        }
        let port = ports::user_multicast(self.domain).unwrap_or(0);
        let kind = self.transport.kind();
        let locators = addresses.iter().map(|group| Locator {
            kind,
            ..Locator::udp_v4(*group, port)
        });
        locators.collect()
    }

    pub(crate) fn routes(&self) -> Arc<Routes<Self>> {
        Arc::clone(&self.routes.lock())
    }

    pub(crate) fn set_routes(&self, routes: Routes<Self>) {
        self.watches_life.store(routes.watches_life, Relaxed);
        *self.routes.lock() = Arc::new(routes);
        self.generation.fetch_add(1, SeqCst);
    }

    /// Sends what is addressed to single endpoints.
    pub(crate) fn send_answers(&self, out: &mut Datagrams) {
        if out.is_empty() {
            return;
        }
        let routes = self.routes();
        out.flush(&*self.transport, |to| match to {
            To::Endpoint(guid) => routes.destination(&guid),
            To::Matched | To::Passing(_) | To::Announce => &[],
        });
    }

    /// The name of an entity that nobody else hears of.
    pub(crate) fn new_entity(&self) -> EntityId {
        self.matching.lock().new_inner_entity()
    }
}

/// Bytes of a datagram that no interface cuts, whoever it is for.
pub(crate) fn whole_datagram(transport: &dyn Transport) -> usize {
    let anybody = Locator {
        kind: transport.kind(),
        ..Locator::udp_v4(ports::SPDP_GROUP, 1)
    };
    transport.max_whole_datagram(&anybody)
}

/// Larger payloads travel in fragments of this size if datagrams have `limit` bytes; `None`: they
/// need not.
pub(crate) fn fragment_size(limit: usize) -> Option<u16> {
    let room = limit.saturating_sub(FRAGMENT_OVERHEAD) / 8 * 8;
    u16::try_from(room).ok()
}
