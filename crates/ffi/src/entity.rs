//! What can be done with every entity.
use crate::callback::{Above, Listener, dunlin_listener};
use crate::error::{Failure, Outcome, entry};
use crate::handle::{Kind, Pin};
use crate::memory::{In, Out, OutArray, dunlin_block};
use crate::object::{self, Entry, Object};
use crate::qos::{self, dunlin_qos, expect_kind, read_as, write_as, write_default};
use crate::qos::{
    DUNLIN_QOS_PARTICIPANT, DUNLIN_QOS_PUBLISHER, DUNLIN_QOS_READER, DUNLIN_QOS_SUBSCRIBER,
    DUNLIN_QOS_TOPIC, DUNLIN_QOS_WRITER,
};
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipantQos, PublisherQos, SubscriberQos, TopicQos,
};
use std::sync::atomic::Ordering::Relaxed;

/// Whatever the library gives out by number. 0 is none.
pub type dunlin_handle = u64;

/// The kind of a participant.
pub const DUNLIN_KIND_PARTICIPANT: u32 = 1;
/// The kind of a topic.
pub const DUNLIN_KIND_TOPIC: u32 = 2;
/// The kind of a content filtered topic.
pub const DUNLIN_KIND_FILTERED_TOPIC: u32 = 3;
/// The kind of a publisher.
pub const DUNLIN_KIND_PUBLISHER: u32 = 4;
/// The kind of a subscriber.
pub const DUNLIN_KIND_SUBSCRIBER: u32 = 5;
/// The kind of a writer.
pub const DUNLIN_KIND_WRITER: u32 = 6;
/// The kind of a reader.
pub const DUNLIN_KIND_READER: u32 = 7;
/// The kind of a read condition.
pub const DUNLIN_KIND_READ_CONDITION: u32 = 8;
/// The kind of a query condition.
pub const DUNLIN_KIND_QUERY_CONDITION: u32 = 9;
/// The kind of a status condition.
pub const DUNLIN_KIND_STATUS_CONDITION: u32 = 10;
/// The kind of a guard condition.
pub const DUNLIN_KIND_GUARD_CONDITION: u32 = 11;
/// The kind of a wait set.
pub const DUNLIN_KIND_WAITSET: u32 = 12;
/// The kind of a type.
pub const DUNLIN_KIND_TYPE: u32 = 13;
/// The kind of octets.
pub const DUNLIN_KIND_OCTETS: u32 = 14;

/// For messages to the user.
pub(crate) fn kind_of(handle: dunlin_handle) -> &'static str {
    Kind::of(handle).map_or("this", Kind::name)
}

const ENTITY: &str = "an entity";

#[cold]
fn other(handle: dunlin_handle) -> Failure {
    Failure::handle(handle, ENTITY, None)
}

/// Joins the domain, or is announced, if it was created without that.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_enable(entity: dunlin_handle) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        match &pin.object {
            Object::Participant(participant) => participant.core.enable()?,
            Object::Publisher(publisher) => publisher.enable()?,
            Object::Subscriber(subscriber) => subscriber.enable()?,
            Object::Writer(writer) => writer.core.enable()?,
            Object::Reader(reader) => reader.core.enable()?,
            Object::Topic(_) => {}
            _ => return Err(other(entity)),
        }
        Ok(())
    })
}

/// Ends something with all that was created from it: entities, conditions, wait sets, types. Calls
/// that are in it end as soon as they can; its handle, and those of what was within it, are refused
/// from now on. It returns when no listener of it runs in another thread.
///
/// @return PRECONDITION_NOT_MET for a topic that has writers or readers.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_close(handle: dunlin_handle) -> i32 {
    entry(|| close(handle))
}

pub(crate) fn close(handle: dunlin_handle) -> Outcome {
    let pin = object::any(handle, "what can be closed")?;
    match &pin.object {
        Object::Topic(topic) => {
            if let Some(participant) = topic.participant() {
                participant.delete_topic(topic)?;
            }
        }
        Object::Type(_) | Object::Octets(_) => {
            pin.close();
            return Ok(());
        }
        _ => {}
    }
    let closed = object::close(pin);
    if closed.is_empty() {
        let refusal = Some(crate::handle::Refused::Closed);
        return Err(Failure::handle(handle, "what can be closed", refusal));
    }
    // A participant ends all that is within it at once.
    closed.iter().rev().for_each(end);
    Ok(())
}

/// What an object stands for ends, whoever is in it.
fn end(pin: &Pin<'static, Entry>) {
    match &pin.object {
        Object::Participant(participant) => participant.core.close(),
        Object::Publisher(publisher) => {
            publisher.delete_contained_entities();
            // It has no writer any more, and may have ended before.
            let _ = publisher.participant().delete_publisher(publisher);
        }
        Object::Subscriber(subscriber) => {
            subscriber.delete_contained_entities();
            let _ = subscriber.participant().delete_subscriber(subscriber);
        }
        Object::Writer(writer) => writer.core.close(),
        Object::Reader(reader) => reader.core.close(),
        Object::Condition(condition) | Object::Guard(condition, _) => condition.end(),
        Object::Set(set) => set.close(),
        Object::Topic(_) | Object::FilteredTopic(_) | Object::Type(_) | Object::Octets(_) => {}
    }
}

/// What makes that a handle contains something: conditions of entities do not count, nor do the
/// groups of those who made none and the readers of the built-in topics.
fn content(handle: dunlin_handle) -> Option<u64> {
    let above = object::participant(handle).ok();
    let counts = |child: &u64| match (Kind::of(*child), &above) {
        (Some(Kind::StatusCondition), _) => false,
        (Some(Kind::Subscriber), Some(above)) if above.is_builtin(*child) => false,
        (Some(Kind::Publisher | Kind::Subscriber), Some(above)) if above.is_implicit(*child) => {
            content(*child).is_some()
        }
        _ => true,
    };
    object::children(handle).into_iter().find(counts)
}

/// Ends something that contains nothing any more.
///
/// @return PRECONDITION_NOT_MET if it still contains something.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_delete(handle: dunlin_handle) -> i32 {
    entry(|| {
        drop(object::any(handle, "what can be deleted")?);
        match content(handle) {
            None => close(handle),
            Some(child) => Err(Failure::precondition(format!(
                "{} still contains {}: delete that first, or all that it contains at once",
                kind_of(handle),
                kind_of(child)
            ))),
        }
    })
}

/// Ends all that was created from something, and leaves that itself.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_delete_contained(handle: dunlin_handle) -> i32 {
    entry(|| {
        drop(object::any(handle, ENTITY)?);
        let above = object::participant(handle).ok();
        let is_builtin = |child: &u64| above.as_ref().is_some_and(|above| above.is_builtin(*child));
        let (topics, others): (Vec<_>, Vec<_>) = object::children(handle)
            .into_iter()
            .filter(|child| !is_builtin(child))
            .partition(|child| Kind::of(*child) == Some(Kind::Topic));
        for child in others.into_iter().chain(topics) {
            // What somebody else closes meanwhile is closed, too.
            match close(child) {
                Err(Failure::Told(dunlin::ReturnCode::AlreadyDeleted, _)) | Ok(()) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    })
}

/// What kind of thing a handle stands for: one of `DUNLIN_KIND_*`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_kind(handle: dunlin_handle, kind: Out<'_, u32>) -> i32 {
    entry(|| {
        let place = kind.required("kind")?;
        drop(object::any(handle, "a handle")?);
        place.put((handle >> 56) as u32);
        Ok(())
    })
}

/// The GUID of an entity, of 16 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_guid(entity: dunlin_handle, guid: OutArray<'_, u8>) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        let handle = match &pin.object {
            Object::Participant(participant) => participant.core.instance_handle(),
            Object::Topic(topic) => topic.instance_handle(),
            Object::Publisher(publisher) => publisher.instance_handle(),
            Object::Subscriber(subscriber) => subscriber.instance_handle(),
            Object::Writer(writer) => writer.core.instance_handle(),
            Object::Reader(reader) => reader.core.instance_handle(),
            _ => return Err(other(entity)),
        };
        guid.put16(handle.0, "guid")
    })
}

/// What something was created from; 0 for nothing.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_parent(handle: dunlin_handle, parent: Out<'_, dunlin_handle>) -> i32 {
    entry(|| {
        let place = parent.required("parent")?;
        drop(object::any(handle, "a handle")?);
        place.put(object::parent(handle));
        Ok(())
    })
}

/// The name of a topic or type; of a writer or reader that of its topic; of others ENTITY_NAME.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_name(entity: dunlin_handle, name: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let place = name.required("name")?;
        let pin = object::any(entity, ENTITY)?;
        let name = match &pin.object {
            Object::Participant(participant) => participant.core.qos().entity_name,
            Object::Topic(topic) => topic.name().to_owned(),
            Object::FilteredTopic(topic) => topic.name().to_owned(),
            Object::Publisher(publisher) => publisher.qos().entity_name,
            Object::Subscriber(subscriber) => subscriber.qos().entity_name,
            Object::Writer(writer) => writer.core.topic_name().to_owned(),
            Object::Reader(reader) => reader.core.topic_name().to_owned(),
            Object::Type(ty) => ty.support.name().to_owned(),
            _ => return Err(other(entity)),
        };
        place.put(dunlin_block::text(&name));
        Ok(())
    })
}

/// Another listener, or none if it is null. Returns when no call of the old one runs in another
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_set_listener(
    entity: dunlin_handle,
    listener: In<'_, dunlin_listener>,
) -> i32 {
    entry(|| {
        crate::open_call::check()?;
        let pin = object::any(entity, ENTITY)?;
        let Some((listener, taken)) = Listener::of(listener)? else {
            return clear_listener(entity, &pin.object);
        };
        let mask = listener.mask();
        match &pin.object {
            Object::Participant(it) => it.core.set_listener(Above(listener), mask),
            Object::Topic(it) => it.set_listener(Above(listener), mask),
            Object::Publisher(it) => it.set_listener(Above(listener), mask),
            Object::Subscriber(it) => it.set_listener(Above(listener), mask),
            Object::Writer(it) => it.core.set_listener(listener, mask),
            Object::Reader(it) => it.core.set_listener(listener, mask),
            _ => return Err(other(entity)),
        }
        taken.confirm();
        Ok(())
    })
}

fn clear_listener(entity: dunlin_handle, object: &Object) -> Outcome {
    match object {
        Object::Participant(it) => it.core.clear_listener(),
        Object::Topic(it) => it.clear_listener(),
        Object::Publisher(it) => it.clear_listener(),
        Object::Subscriber(it) => it.clear_listener(),
        Object::Writer(it) => it.core.clear_listener(),
        Object::Reader(it) => it.core.clear_listener(),
        _ => return Err(other(entity)),
    }
    Ok(())
}

/// Fills in the default of a QoS, by the size and the kind that the caller has set.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_qos_default(qos: Out<'_, dunlin_qos>) -> i32 {
    entry(|| match qos::kind(qos.reading())? {
        DUNLIN_QOS_PARTICIPANT => write_default::<DomainParticipantQos>(qos),
        DUNLIN_QOS_TOPIC => write_default::<TopicQos>(qos),
        DUNLIN_QOS_PUBLISHER => write_default::<PublisherQos>(qos),
        DUNLIN_QOS_SUBSCRIBER => write_default::<SubscriberQos>(qos),
        DUNLIN_QOS_WRITER => write_default::<DataWriterQos>(qos),
        DUNLIN_QOS_READER => write_default::<DataReaderQos>(qos),
        other => Err(Failure::bad(format!(
            "the member kind of the argument qos is {other}: it is one of DUNLIN_QOS_*"
        ))),
    })
}

/// The QoS of an entity, by the size and the kind that the caller has set. Names and lists lie in
/// the block.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_qos_get(
    entity: dunlin_handle,
    qos: Out<'_, dunlin_qos>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        let wants = |kind| expect_kind(qos::kind(qos.reading())?, kind);
        match &pin.object {
            Object::Participant(it) => {
                wants(DUNLIN_QOS_PARTICIPANT)?;
                write_as(&it.core.qos(), qos, block)
            }
            Object::Topic(it) => {
                wants(DUNLIN_QOS_TOPIC)?;
                write_as(&it.qos(), qos, block)
            }
            Object::Publisher(it) => {
                wants(DUNLIN_QOS_PUBLISHER)?;
                write_as(&it.qos(), qos, block)
            }
            Object::Subscriber(it) => {
                wants(DUNLIN_QOS_SUBSCRIBER)?;
                write_as(&it.qos(), qos, block)
            }
            Object::Writer(it) => {
                wants(DUNLIN_QOS_WRITER)?;
                write_as(&it.core.qos(), qos, block)
            }
            Object::Reader(it) => {
                wants(DUNLIN_QOS_READER)?;
                write_as(&it.core.qos(), qos, block)
            }
            _ => Err(other(entity)),
        }
    })
}

/// Another QoS for an entity.
///
/// @return IMMUTABLE_POLICY, INCONSISTENT_POLICY with the policy and both values; then nothing has
/// changed.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_qos_set(entity: dunlin_handle, qos: In<'_, dunlin_qos>) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        let wants = |kind| expect_kind(qos::kind(qos)?, kind);
        match &pin.object {
            Object::Participant(it) => {
                wants(DUNLIN_QOS_PARTICIPANT)?;
                it.core.set_qos(read_as(qos)?)?;
            }
            Object::Topic(it) => {
                wants(DUNLIN_QOS_TOPIC)?;
                it.set_qos(read_as(qos)?)?;
            }
            Object::Publisher(it) => {
                wants(DUNLIN_QOS_PUBLISHER)?;
                it.set_qos(read_as(qos)?)?;
            }
            Object::Subscriber(it) => {
                wants(DUNLIN_QOS_SUBSCRIBER)?;
                it.set_qos(read_as(qos)?)?;
            }
            Object::Writer(it) => {
                wants(DUNLIN_QOS_WRITER)?;
                it.core.set_qos(read_as(qos)?)?;
            }
            Object::Reader(it) => {
                wants(DUNLIN_QOS_READER)?;
                it.core.set_qos(read_as(qos)?)?;
            }
            _ => return Err(other(entity)),
        }
        Ok(())
    })
}

/// The QoS of what is created from an entity without one, by the kind: from a participant topics,
/// publishers and subscribers, from a publisher writers, from a subscriber readers.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_default_qos_get(
    entity: dunlin_handle,
    qos: Out<'_, dunlin_qos>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        let kind = qos::kind(qos.reading())?;
        match (&pin.object, kind) {
            (Object::Participant(it), DUNLIN_QOS_TOPIC) => {
                write_as(&it.core.default_topic_qos(), qos, block)
            }
            (Object::Participant(it), DUNLIN_QOS_PUBLISHER) => {
                write_as(&it.core.default_publisher_qos(), qos, block)
            }
            (Object::Participant(it), DUNLIN_QOS_SUBSCRIBER) => {
                write_as(&it.core.default_subscriber_qos(), qos, block)
            }
            (Object::Publisher(it), DUNLIN_QOS_WRITER) => {
                write_as(&it.default_datawriter_qos(), qos, block)
            }
            (Object::Subscriber(it), DUNLIN_QOS_READER) => {
                write_as(&it.default_datareader_qos(), qos, block)
            }
            _ => Err(no_default(entity, kind)),
        }
    })
}

#[cold]
fn no_default(entity: dunlin_handle, kind: u32) -> Failure {
    Failure::bad(format!(
        "nothing with a QoS of the kind {kind} is created from {}",
        kind_of(entity)
    ))
}

/// What is created from an entity without a QoS has this one from now on; as
/// `dunlin_default_qos_get`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_default_qos_set(entity: dunlin_handle, qos: In<'_, dunlin_qos>) -> i32 {
    entry(|| {
        let pin = object::any(entity, ENTITY)?;
        let kind = qos::kind(qos)?;
        match (&pin.object, kind) {
            (Object::Participant(it), DUNLIN_QOS_TOPIC) => {
                it.core.set_default_topic_qos(read_as(qos)?)?;
            }
            (Object::Participant(it), DUNLIN_QOS_PUBLISHER) => {
                it.core.set_default_publisher_qos(read_as(qos)?);
            }
            (Object::Participant(it), DUNLIN_QOS_SUBSCRIBER) => {
                it.core.set_default_subscriber_qos(read_as(qos)?);
            }
            (Object::Publisher(it), DUNLIN_QOS_WRITER) => {
                it.set_default_datawriter_qos(read_as(qos)?)?;
            }
            (Object::Subscriber(it), DUNLIN_QOS_READER) => {
                it.set_default_datareader_qos(read_as(qos)?)?;
            }
            _ => return Err(no_default(entity, kind)),
        }
        Ok(())
    })
}

/// Attaches a number of the application to something, such as the index of an object of its own.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_set_attachment(handle: dunlin_handle, attachment: u64) -> i32 {
    entry(|| {
        object::any(handle, "a handle")?
            .attachment
            .store(attachment, Relaxed);
        Ok(())
    })
}

/// The number that the application attached to something; 0 at first.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_attachment(handle: dunlin_handle, attachment: Out<'_, u64>) -> i32 {
    entry(|| {
        let place = attachment.required("attachment")?;
        place.put(object::any(handle, "a handle")?.attachment.load(Relaxed));
        Ok(())
    })
}
