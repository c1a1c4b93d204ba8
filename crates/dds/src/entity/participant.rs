//! The participant: the entrance to a domain.
mod counters;
mod discovery_events;
mod entity;
mod factory;
mod knowledge;
mod name_lookup;
mod polling;
mod port_holder;
#[cfg(feature = "simulation")]
mod simulated;
mod sockets;
mod transports;

pub use counters::{ParticipantCounters, ReceiverStatus};
pub use discovery_events::DiscoveryEvents;
pub(crate) use entity::Defaults;

use crate::WaitStrategy;
use crate::discovery::matching::Matching;
use crate::discovery::observe;
use crate::discovery::peers::{
    AvailableTransports, InitialPeers, Names, PeerDescriptor, PeerList, PeerStatus,
};
use crate::entity::config::{ParticipantConfig, Transports};
use crate::entity::identity::same_entity;
use crate::entity::shared::{Shared, whole_datagram};
use crate::error::{Error, Result, consistent};
use crate::receive::role::Role;
use crate::runtime::clock::Clock;
use crate::send::datagram::Datagrams;
use crate::send::local_queue;
use dunlin_rtps::discovery::{Discovery, DiscoveryConfig, Secret};
use dunlin_transport::panics;
use dunlin_transport::threads;
use dunlin_transport::{Listen, Reception, Transport};
use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, VendorId, ports};
use sockets::{Sockets, meeting};
use std::io;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use transports::{is_connected, transport};

/// Bytes of stack of each thread, of which memory is only what was ever used: listeners and samples
/// of any type live there.
const STACK: usize = 2 * 1024 * 1024;

/// A member of a domain (DDS 1.4 2.2.2.2.1). Clones are the same participant; it leaves the domain,
/// saying goodbye, when the last clone and the last of its entities are dropped.
#[derive(Clone)]
pub struct DomainParticipant {
    pub(crate) guard: Arc<ParticipantGuard>,
}

same_entity!(DomainParticipant, guard, |participant| format!(
    "{} ({:?}) of domain {}",
    crate::error::called("participant", &participant.guard.shared.config.name),
    participant.guid().prefix,
    participant.domain_id()
));

/// Ends the participant when the last entity goes.
pub(crate) struct ParticipantGuard {
    pub(crate) shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    groups: Mutex<Groups>,
}

/// The receivers of the multicast groups on which readers want their samples, each with its
/// follower.
type Groups = Vec<(Locator, Arc<Role<Shared>>)>;

impl DomainParticipant {
    /// Joins a domain (0 to 232) with the default configuration, `default_participant_qos` and what
    /// the environment says.
    pub fn new(domain: u32) -> Result<Self> {
        let config = ParticipantConfig {
            qos: Self::default_participant_qos(),
            ..ParticipantConfig::default()
        };
        Self::with_config(domain, config)
    }

    /// Joins a domain (0 to 232).
    ///
    /// # Errors
    /// `BadParameter` for a wrong domain, peer, interface or waiting strategy, `Io` if sockets or
    /// threads cannot be had.
    pub fn with_config(domain: u32, config: ParticipantConfig) -> Result<Self> {
        if domain > ParticipantConfig::MAX_DOMAIN {
            return Err(Error::BadParameter(format!(
                "domain id {domain} is too large: the well-known ports of RTPS allow 0 to {}",
                ParticipantConfig::MAX_DOMAIN
            )));
        }
        let config = config.with_environment()?;
        let prefix = match config.guid_prefix {
            Some(prefix) => prefix,
            None => new_prefix()?,
        };
        Self::join(domain, config, prefix, Clock::default(), |_| ())
    }

    /// Joins a domain under this name and by these clocks; `tune` sees what its threads will share
    /// before they do.
    fn join(
        domain: u32,
        config: ParticipantConfig,
        prefix: GuidPrefix,
        clock: Clock,
        tune: impl FnOnce(&mut Shared),
    ) -> Result<Self> {
        consistent("participant", config.qos.validate())?;
        let transport = match &config.transport {
            Some(transport) => Arc::clone(transport),
            None => transport(&config, domain, prefix)?,
        };
        let peers = InitialPeers::of(&config)?;
        let carriers = AvailableTransports::of(&config);
        let peer_list = PeerList::new(domain, carriers, peers.peers.clone())?;
        let sockets = match is_connected(&*transport) {
            true => Sockets::open_stream(&*transport, config.tcp.port)?,
            false => {
                let groups = meeting(carriers, domain, &peers);
                let mut sockets = Sockets::open(&*transport, domain, &groups)?;
                if transport.properties().iter().any(|way| way.connected) {
                    sockets.add_stream(config.tcp.port)?;
                }
                sockets
            }
        };
        let mut shared = build(
            prefix, domain, config, clock, transport, peer_list, sockets, &peers,
        )?;
        tune(&mut shared);
        let shared = Arc::new(shared);
        let guard = Arc::new(ParticipantGuard {
            threads: Mutex::default(),
            groups: Mutex::default(),
            shared,
        });
        factory::enter(&guard);
        let participant = Self { guard };
        if participant.guard.shared.config.enabled {
            participant.enable()?;
        }
        Ok(participant)
    }

    /// Announces this participant at one more place, now and from now on. A host's name is looked
    /// up by and by, and a multicast group is listened to as well, from now on until the
    /// participant ends.
    ///
    /// # Errors
    /// `BadParameter` for what is no [`PeerDescriptor`], or needs a transport that this participant
    /// is without; `Io` if a group cannot be listened to.
    pub fn add_peer(&self, peer: &str) -> Result<()> {
        let peer = parse_peer(peer)?;
        let shared = &self.guard.shared;
        let group = peer.group();
        let added = shared.discover(|matching, now| matching.add_peer(now, peer))?;
        if let Some(group) = group {
            let kind = shared.transport.kind();
            let port = ports::metatraffic_multicast(shared.domain).unwrap_or(0);
            let group = Locator {
                kind,
                ..Locator::udp_v4(group, port)
            };
            if added && !shared.meta.locators().contains(&group) {
                self.guard.join(&[group])?;
            }
        }
        self.look_up_names();
        Ok(())
    }

    /// Announces this participant there no longer. Participants that were found there stay until
    /// their lease runs out or they say goodbye. A peer that is not there is none the worse for it.
    ///
    /// # Errors
    /// `BadParameter` for what is no [`PeerDescriptor`].
    pub fn remove_peer(&self, peer: &str) -> Result<()> {
        let peer = parse_peer(peer)?;
        let shared = &self.guard.shared;
        shared.discover(|matching, _| matching.remove_peer(&peer));
        Ok(())
    }

    /// The peers that this participant announces itself to, in the order in which they came, and
    /// who was found there.
    pub fn peers(&self) -> Vec<PeerStatus> {
        let shared = &self.guard.shared;
        shared.matching.lock().peers(&*shared.transport)
    }

    fn look_up_names(&self) {
        if self.guard.shared.matching.lock().has_names() {
            Names::look(&self.guard.shared);
        }
    }

    /// Which participant.
    pub fn guid(&self) -> Guid {
        Guid::new(self.guard.shared.prefix, EntityId::PARTICIPANT)
    }

    /// Which domain.
    pub fn domain_id(&self) -> u32 {
        self.guard.shared.domain
    }

    /// How its receivers wait.
    pub fn waiting(&self) -> WaitStrategy {
        self.guard.shared.config.waiting
    }

    /// Says that the application lives: asserts all writers of this participant with LIVELINESS
    /// MANUAL_BY_PARTICIPANT (DDS 1.4 2.2.2.2.1.18). Each write of one of them says so too.
    pub fn assert_liveliness(&self) {
        self.guard
            .shared
            .discover(|matching, now| matching.assert_participant(now));
    }

    /// What was received and dropped, and what could not be sent. Asks the system: some
    /// microseconds, at no cost to the data path.
    pub fn counters(&self) -> ParticipantCounters {
        let shared = &self.guard.shared;
        let counters = &shared.counters;
        let receivers = self.receivers();
        let discovery = shared.matching.lock().misplaced();
        let all = |of: fn(&Reception) -> u64| receivers.iter().map(|r| of(&r.reception)).sum();
        ParticipantCounters {
            dropped: all(|reception| reception.dropped),
            oversized: all(|reception| reception.oversized),
            unsent: shared.transport.failed(),
            memory_refused: shared.transport.refused(),
            connections_refused: shared.transport.refused_connections(),
            malformed: counters.malformed.load(SeqCst),
            damaged: counters.damaged.load(SeqCst),
            reassembly_dropped: shared.memory.budget.dropped(),
            listener_panics: shared.panics.count(),
            slow_listeners: shared.slow_calls.load(SeqCst),
            other_panics: panics::count(),
            misplaced: counters.misplaced.load(SeqCst) + discovery,
            implausible: counters.implausible.load(SeqCst),
        }
    }

    /// Its receivers: user data, discovery, then each multicast group that a reader has asked for.
    pub fn receivers(&self) -> Vec<ReceiverStatus> {
        let transport = &self.guard.shared.transport;
        let status = |role: &Role<Shared>| ReceiverStatus {
            locators: transport.relocated(role.locators()),
            reception: role.reception(),
        };
        let shared = &self.guard.shared;
        let groups = held(&self.guard.groups);
        let groups = groups.iter().map(|(_, role)| &**role);
        [&shared.user, &shared.meta]
            .into_iter()
            .chain(groups)
            .map(status)
            .collect()
    }

    /// What has been discovered, a line each, for people who wonder why nothing matches.
    pub fn describe_discovery(&self) -> Vec<String> {
        let shared = &self.guard.shared;
        let mut lines = shared.matching.lock().describe(shared.prefix);
        if lines.is_empty() {
            lines.extend(self.why_alone());
        }
        lines.extend(shared.transport.hints());
        lines
    }
}

impl DomainParticipant {
    /// What its transports need to find others.
    fn why_alone(&self) -> Option<String> {
        let shared = &self.guard.shared;
        let Transports {
            udp, shmem, tcp, ..
        } = shared.config.transports;
        match (udp, tcp && self.peers().is_empty()) {
            (true, _) => None,
            (false, true) => Some(format!(
                "TCP finds nobody by itself: name peers, for example tcpv4_lan://192.168.1.2:7400 (ParticipantConfig::peers, \
                 NDDS_DISCOVERY_PEERS){}",
                if shmem { "; shared memory finds only participants of this host, user and network namespace" } else { "" }
            )),
            (false, false) if tcp => None,
            (false, false) => Some(
                "shared memory alone finds only participants of this host, user and network namespace".into(),
            ),
        }
    }
}

impl ParticipantGuard {
    fn start_threads(&self) -> Result<()> {
        self.start("dunlin-user", |shared| shared.user.follow(shared))?;
        self.start("dunlin-meta", |shared| shared.meta.follow(shared))?;
        self.start("dunlin-timer", |shared| shared.timer.run(shared))
    }

    /// Starts a thread of the participant, if it has any.
    fn start(&self, name: &str, body: impl FnOnce(&Arc<Shared>) + Send + 'static) -> Result<()> {
        if self.shared.clock.is_stepped() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let called = name.to_owned();
        let thread = threads::spawn(name, STACK, move || shared.run_thread(&called, body))
            .map_err(|error| Error::Io {
                what: format!("starting thread {name}"),
                error,
            })?;
        held(&self.threads).push(thread);
        Ok(())
    }

    /// Receives what is sent to these groups, from now on until the participant ends: readers of
    /// one group share its receiver. A group that this participant listens to already costs
    /// nothing.
    pub(crate) fn join(&self, groups: &[Locator]) -> Result<()> {
        let mut joined = held(&self.groups);
        for group in groups {
            if joined.iter().any(|(known, _)| known == group) {
                continue;
            }
            let receiver = self
                .shared
                .transport
                .open(&[Listen::Multicast { group: *group }])
                .map_err(|error| Error::Io {
                    what: format!("listening to the multicast group {group:?}"),
                    error,
                })?;
            let Shared { config, clock, .. } = &*self.shared;
            let role = Arc::new(Role::new(receiver, clock, config.waiting, false));
            let follower = Arc::clone(&role);
            self.start("dunlin-group", move |shared| follower.follow(shared))?;
            joined.push((*group, role));
        }
        Ok(())
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ParticipantGuard {
    /// Leaves the domain and ends all threads. A second call does nothing.
    pub(crate) fn end(&self) {
        // Whoever was never heard of need not say goodbye, nor who has said it.
        if self.shared.enabled.load(SeqCst) && !self.shared.is_ended() {
            self.shared.discover(|matching, now| matching.goodbye(now));
        }
        self.shared.stop();
        for (_, role) in held(&self.groups).drain(..) {
            role.stop();
        }
        let threads = std::mem::take(&mut *held(&self.threads));
        let this = std::thread::current().id();
        for thread in threads.into_iter().filter(|t| t.thread().id() != this) {
            // What a panic would have to say `run_thread` has said.
            let _ = thread.join();
        }
        // It may own whatever the application likes.
        let listener = self.shared.listener.clear();
        self.shared.wait_for_calls(listener);
        self.shared.user.forget();
        self.shared.meta.forget();
    }
}

impl Drop for ParticipantGuard {
    fn drop(&mut self) {
        self.end();
    }
}

fn parse_peer(text: &str) -> Result<PeerDescriptor> {
    text.parse()
        .map_err(|error: crate::PeerError| Error::BadParameter(error.to_string()))
}

#[allow(
    clippy::too_many_arguments,
    reason = "one call, each argument another kind of thing"
)]
fn build(
    prefix: GuidPrefix,
    domain: u32,
    config: ParticipantConfig,
    clock: Clock,
    transport: Arc<dyn Transport>,
    peer_list: PeerList,
    sockets: Sockets,
    peers: &InitialPeers,
) -> Result<Shared> {
    let is_unicast = |l: &Locator| !l.is_multicast();
    let name = config.name.clone();
    let carriers = AvailableTransports::of(&config);
    let groups = meeting(carriers, domain, peers);
    let is_named = |l: &Locator| l.kind == transport.kind();
    let discovery = Discovery::new(DiscoveryConfig {
        lease_duration: config.lease_duration,
        announce_period: config.announce_period,
        metatraffic_unicast: sockets
            .meta
            .locators()
            .into_iter()
            .filter(is_unicast)
            .collect(),
        metatraffic_multicast: groups.iter().copied().filter(is_named).collect(),
        default_unicast: sockets.user.locators(),
        qos: config.qos.clone(),
        entity_name: config.name.clone(),
        properties: match config.announces_process {
            true => observe::own_process(),
            false => Vec::new(),
        },
        ignored_properties: config.ignored_properties.clone(),
        clock_offset: clock.wall().0 - clock.now().0,
        known_type: match config.transports.local {
            true => local_queue::type_of,
            false => |_| None,
        },
        type_lookup: config.types.asks(),
        type_timeout: config.types.timeout,
        secret: Some(secret(&clock, prefix)?),
        ..DiscoveryConfig::new(prefix, domain)
    });
    let discovery = discovery.map_err(|error| {
        Error::BadParameter(format!("participant {name:?} cannot be announced: {error}"))
    })?;
    // Shared memory alone has no other place to meet; beside UDP it is for those who are not heard.
    let meets = |l: &Locator| l.kind != Locator::KIND_SHMEM || is_named(l);
    let (announce, beside): (Vec<Locator>, Vec<Locator>) = groups.iter().copied().partition(meets);
    let neighbours = beside.first().copied().filter(|_| peers.multicast);
    let limit = whole_datagram(&*transport);
    let mut datagrams = Datagrams::new(prefix, limit, Arc::clone(&transport));
    datagrams.local_queue().switch_on(config.transports.local);
    let user = Role::new(sockets.user, &clock, config.waiting, true);
    let meta = Role::new(sockets.meta, &clock, WaitStrategy::Block, false);
    let matching = Matching::new(discovery, datagrams, announce, neighbours, peer_list);
    Ok(Shared::new(
        prefix, domain, config, clock, transport, user, meta, matching,
    ))
}

/// Two bytes that say Dunlin and ten that nobody else has (RTPS 2.5 9.3.1.5).
fn new_prefix() -> Result<GuidPrefix> {
    let mut bytes = [0; 12];
    fill(&mut bytes)?;
    bytes[..2].copy_from_slice(&VendorId::DUNLIN.0);
    Ok(GuidPrefix(bytes))
}

/// What nobody else knows. By a clock that a test moves it is the same in each run.
fn secret(clock: &Clock, prefix: GuidPrefix) -> Result<Secret> {
    let mut bytes = [0; 16];
    match clock.is_stepped() {
        true => bytes[..12].copy_from_slice(&prefix.0),
        false => fill(&mut bytes)?,
    }
    Ok(Secret::new(bytes))
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| Error::Io {
        what: "asking the system for random bytes".into(),
        error: io::Error::other(error.to_string()),
    })
}
