//! Participants, and what a program asks of them.
use crate::builtin::Builtin;
use crate::callback::{Listener, dunlin_listener, give};
use crate::config::{self, dunlin_participant_config};
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::memory::{Array, In, Out, Sized32, dunlin_block, dunlin_text};
use crate::names::{adopt_participant, adopt_publisher, adopt_subscriber};
use crate::object::{self, New, Object, adopt};
use crate::qos::{dunlin_participant_qos, dunlin_qos, read_as, write_as};
use dunlin::{DomainParticipant, InstanceHandle, PeerStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A participant.
pub type dunlin_participant = u64;

/// A participant with the publisher and the subscriber of those who make none.
pub(crate) struct Participant {
    pub(crate) core: DomainParticipant,
    publisher: Mutex<u64>,
    subscriber: Mutex<u64>,
    builtin: Mutex<Option<Builtin>>,
}

impl Participant {
    pub(crate) fn new(core: DomainParticipant) -> Self {
        Self {
            core,
            publisher: Mutex::default(),
            subscriber: Mutex::default(),
            builtin: Mutex::default(),
        }
    }

    /// The publisher of writers whose makers name none; made when it is first needed.
    pub(crate) fn implicit_publisher(&self) -> Outcome<u64> {
        let mut known = self
            .publisher
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if object::publisher(*known).is_err() {
            let qos = self.core.default_publisher_qos();
            *known = adopt_publisher(&self.core.create_publisher(qos))?;
        }
        Ok(*known)
    }

    /// As [`implicit_publisher`](Self::implicit_publisher), for readers.
    pub(crate) fn implicit_subscriber(&self) -> Outcome<u64> {
        let mut known = self
            .subscriber
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if object::subscriber(*known).is_err() {
            let qos = self.core.default_subscriber_qos();
            *known = adopt_subscriber(&self.core.create_subscriber(qos))?;
        }
        Ok(*known)
    }

    /// The readers of the built-in topics, if somebody has asked for them.
    pub(crate) fn builtin(&self) -> MutexGuard<'_, Option<Builtin>> {
        self.builtin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a handle is that of the subscriber of the built-in topics.
    pub(crate) fn is_builtin(&self, handle: u64) -> bool {
        let builtin = self.builtin();
        builtin.as_ref().is_some_and(|builtin| builtin.is(handle))
    }

    /// Whether a handle is that of the publisher or subscriber of those who make none.
    pub(crate) fn is_implicit(&self, handle: u64) -> bool {
        [&self.publisher, &self.subscriber]
            .iter()
            .any(|known| *known.lock().unwrap_or_else(PoisonError::into_inner) == handle)
    }
}

/// Joins a domain. Without `config` the settings are the default ones and what the environment
/// says, without `qos` the QoS is that of `dunlin_participant_default_qos_get`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_new(
    domain: u32,
    config: In<'_, dunlin_participant_config>,
    qos: In<'_, dunlin_participant_qos>,
    listener: In<'_, dunlin_listener>,
    participant: Out<'_, dunlin_participant>,
) -> i32 {
    entry(|| {
        crate::fork::prepare();
        let place = participant.required("participant")?;
        let config = config::config(config, qos)?;
        let listener = Listener::of(listener)?;
        // Languages without unsigned numbers pass negative ones.
        let signed = domain.cast_signed();
        if signed < 0 {
            let text = format!("domain id {signed} is negative: 0 to 232 are allowed");
            return Err(Failure::bad(text));
        }
        let core = DomainParticipant::with_config(domain, config)?;
        let handle = adopt(New {
            kind: Kind::Participant,
            parent: 0,
            guid: Some(core.instance_handle()),
            object: Object::Participant(Participant::new(core.clone())),
        })?;
        give(listener, |listener, mask| core.set_listener(listener, mask));
        place.put(handle);
        Ok(())
    })
}

/// The first participant that this process has in a domain; NO_DATA if it has none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_lookup(
    domain: u32,
    participant: Out<'_, dunlin_participant>,
) -> i32 {
    entry(|| {
        let place = participant.required("participant")?;
        let found = DomainParticipant::lookup(domain).ok_or(Failure::NO_DATA)?;
        place.put(adopt_participant(&found)?);
        Ok(())
    })
}

/// The QoS of participants that are made without one.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_default_qos_get(
    qos: Out<'_, dunlin_qos>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| write_as(&DomainParticipant::default_participant_qos(), qos, block))
}

/// Participants that are made without a QoS have this one from now on.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_default_qos_set(qos: In<'_, dunlin_qos>) -> i32 {
    entry(|| {
        let qos = read_as(qos)?;
        Ok(DomainParticipant::set_default_participant_qos(qos)?)
    })
}

/// Which domain it is in.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_domain(
    participant: dunlin_participant,
    domain: Out<'_, u32>,
) -> i32 {
    entry(|| {
        let place = domain.required("domain")?;
        place.put(object::participant(participant)?.core.domain_id());
        Ok(())
    })
}

/// Announces the participant at one more place.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_add_peer(
    participant: dunlin_participant,
    peer: dunlin_text,
) -> i32 {
    entry(|| {
        let participant = object::participant(participant)?;
        Ok(participant.core.add_peer(peer.get("peer")?)?)
    })
}

/// Announces the participant there no longer.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_remove_peer(
    participant: dunlin_participant,
    peer: dunlin_text,
) -> i32 {
    entry(|| {
        let participant = object::participant(participant)?;
        Ok(participant.core.remove_peer(peer.get("peer")?)?)
    })
}

/// Where it announces itself besides multicast, a line each: the peer, the places that it stands for,
/// who was found there, and what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_peers(
    participant: dunlin_participant,
    text: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let peers = object::participant(participant)?.core.peers();
        let lines: Vec<String> = peers.iter().map(peer_line).collect();
        place.put(dunlin_block::text(&lines.join("\n")));
        Ok(())
    })
}

fn peer_line(peer: &PeerStatus) -> String {
    let places = peer.places.iter().map(|place| format!("{place:?}"));
    let found = peer.participants.iter().map(|guid| guid.to_string());
    let listed = |all: Vec<String>| match all.is_empty() {
        true => "nothing".into(),
        false => all.join(" "),
    };
    let (places, found) = (listed(places.collect()), listed(found.collect()));
    let mut line = format!("{}: at {places}, found {found}", peer.peer);
    if let Some(trouble) = &peer.trouble {
        line.push_str("; ");
        line.push_str(trouble);
    }
    line
}

/// What a participant could not use or do, since it was made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dunlin_counters {
    /// `sizeof(dunlin_counters)`.
    pub size: u32,
    /// 0.
    pub reserved: u32,
    /// Datagrams that the system dropped for want of room in a receive buffer.
    pub dropped: u64,
    /// Datagrams that were longer than any that RTPS over this transport has.
    pub oversized: u64,
    /// Datagrams that could not be sent; of participants that share a transport, all together.
    pub unsent: u64,
    /// How often memory could not be shared with a peer that offered it, or not any longer.
    pub memory_refused: u64,
    /// Connections by TCP that were refused, or closed for what came by them.
    pub connections_refused: u64,
    /// Messages that were not valid RTPS, or whose rest was not.
    pub malformed: u64,
    /// Messages whose checksum was wrong or missing: damaged on the way, or forged.
    pub damaged: u64,
    /// Fragments and samples that were dropped since `max_reassembly_bytes` was used up.
    pub reassembly_dropped: u64,
    /// Messages in the name of a known participant from an address that it does not announce.
    pub misplaced: u64,
    /// What was said about samples that their writer never announced, or that were never written.
    pub implausible: u64,
}

// SAFETY: it is `repr(C)`, begins with its size, and has numbers only.
unsafe impl Sized32 for dunlin_counters {
    const NAME: &'static str = "dunlin_counters";
}

/// Fills in the counters of a participant, whose `size` the caller has set.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_counters(
    participant: dunlin_participant,
    counters: Out<'_, dunlin_counters>,
) -> i32 {
    entry(|| {
        let place = counters.sized("counters")?;
        let place = place.ok_or_else(|| Failure::bad("the argument counters is a null pointer"))?;
        let counters = object::participant(participant)?.core.counters();
        *place = dunlin_counters {
            size: place.size,
            reserved: 0,
            dropped: counters.dropped,
            oversized: counters.oversized,
            unsent: counters.unsent,
            memory_refused: counters.memory_refused,
            connections_refused: counters.connections_refused,
            malformed: counters.malformed,
            damaged: counters.damaged,
            reassembly_dropped: counters.reassembly_dropped,
            misplaced: counters.misplaced,
            implausible: counters.implausible,
        };
        Ok(())
    })
}

/// Says that the application lives, for writers with LIVELINESS MANUAL_BY_PARTICIPANT.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_assert_liveliness(participant: dunlin_participant) -> i32 {
    entry(|| {
        object::participant(participant)?.core.assert_liveliness();
        Ok(())
    })
}

/// Whether an entity, which its GUID of 16 bytes names, was created from the participant.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_participant_contains(
    participant: dunlin_participant,
    guid: Array<'_, u8>,
    contains: Out<'_, u8>,
) -> i32 {
    entry(|| {
        let place = contains.required("contains")?;
        let guid = InstanceHandle(guid.sixteen("guid")?);
        let participant = object::participant(participant)?;
        place.put(participant.core.contains_entity(guid).into());
        Ok(())
    })
}

/// The time by which samples are stamped, in nanoseconds since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_current_time(participant: dunlin_participant, time: Out<'_, i64>) -> i32 {
    entry(|| {
        let place = time.required("time")?;
        place.put(object::participant(participant)?.core.current_time().0);
        Ok(())
    })
}
