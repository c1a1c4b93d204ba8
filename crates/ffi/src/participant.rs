//! Participants, and what a program asks of them.
use crate::callback::{Above, Listener, dunlin_listener};
use crate::config::{self, dunlin_participant_config};
use crate::entity::dunlin_handle;
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::memory::{Array, In, Out, dunlin_block, dunlin_text};
use crate::names::{adopt_participant, adopt_publisher, adopt_subscriber};
use crate::object::{self, New, Object, adopt};
use crate::qos::{dunlin_participant_qos, dunlin_qos, read_as, write_as};
use dunlin::{DomainParticipant, InstanceHandle};
use std::sync::{Mutex, PoisonError};

/// A participant.
pub type dunlin_participant = u64;

/// A participant with the publisher and the subscriber of those who make none.
pub(crate) struct Participant {
    pub(crate) core: DomainParticipant,
    publisher: Mutex<u64>,
    subscriber: Mutex<u64>,
}

impl Participant {
    pub(crate) fn new(core: DomainParticipant) -> Self {
        Self {
            core,
            publisher: Mutex::default(),
            subscriber: Mutex::default(),
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

    /// Whether a handle is that of one of these two.
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
        let core = DomainParticipant::with_config(domain, config)?;
        let handle = adopt(New {
            kind: Kind::Participant,
            parent: 0,
            guid: Some(core.instance_handle()),
            object: Object::Participant(Participant::new(core.clone())),
        })?;
        if let Some((listener, taken)) = listener {
            let mask = listener.mask();
            core.set_listener(Above(listener), mask);
            taken.confirm();
        }
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
pub extern "C" fn dunlin_current_time(participant: dunlin_handle, time: Out<'_, i64>) -> i32 {
    entry(|| {
        let place = time.required("time")?;
        place.put(object::participant(participant)?.core.current_time().0);
        Ok(())
    })
}
