//! The handles of entities that the library itself comes by: in listeners, and when they are looked
//! up. An entity has one handle.
use crate::error::Outcome;
use crate::handle::Kind;
use crate::memory::{Out, OutArray};
use crate::object::{New, Object, adopt, known};
use crate::participant::Participant;
use crate::reader::Reader;
use crate::writer::Writer;
use dunlin::{
    DomainParticipant, Guid, Publisher, Subscriber, UntypedReader, UntypedTopic, UntypedWriter,
};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

pub(crate) fn adopt_participant(participant: &DomainParticipant) -> Outcome<u64> {
    let guid = participant.instance_handle();
    if let Some(known) = known(guid) {
        return Ok(known);
    }
    adopt(New {
        kind: Kind::Participant,
        parent: 0,
        guid: Some(guid),
        object: Object::Participant(Participant::new(participant.clone())),
    })
}

pub(crate) fn adopt_topic(topic: &UntypedTopic, participant: u64) -> Outcome<u64> {
    adopt(New {
        kind: Kind::Topic,
        parent: participant,
        guid: Some(topic.instance_handle()),
        object: Object::Topic(topic.clone()),
    })
}

pub(crate) fn adopt_publisher(publisher: &Publisher) -> Outcome<u64> {
    let guid = publisher.instance_handle();
    if let Some(known) = known(guid) {
        return Ok(known);
    }
    adopt(New {
        kind: Kind::Publisher,
        parent: adopt_participant(&publisher.participant())?,
        guid: Some(guid),
        object: Object::Publisher(publisher.clone()),
    })
}

pub(crate) fn adopt_subscriber(subscriber: &Subscriber) -> Outcome<u64> {
    let guid = subscriber.instance_handle();
    if let Some(known) = known(guid) {
        return Ok(known);
    }
    adopt(New {
        kind: Kind::Subscriber,
        parent: adopt_participant(&subscriber.participant())?,
        guid: Some(guid),
        object: Object::Subscriber(subscriber.clone()),
    })
}

pub(crate) fn adopt_writer(writer: &UntypedWriter, publisher: u64) -> Outcome<u64> {
    adopt(New {
        kind: Kind::Writer,
        parent: publisher,
        guid: Some(writer.instance_handle()),
        object: Object::Writer(Box::new(Writer::new(writer.clone()))),
    })
}

pub(crate) fn adopt_reader(reader: &UntypedReader, subscriber: u64) -> Outcome<u64> {
    adopt(New {
        kind: Kind::Reader,
        parent: subscriber,
        guid: Some(reader.instance_handle()),
        object: Object::Reader(Reader::new(reader.clone())),
    })
}

/// Tells the GUIDs of endpoints, as many as there is room for, and how many there are.
pub(crate) fn put_guids(
    matched: impl FnOnce() -> Outcome<Vec<Guid>>,
    guids: OutArray<'_, u8>,
    room: u64,
    count: Out<'_, u64>,
) -> Outcome {
    let place = count.required("count")?;
    let guids = guids.sixteens(room, "guids")?;
    let matched = matched()?;
    for (place, guid) in guids.iter_mut().zip(&matched) {
        *place = guid.to_bytes();
    }
    place.put(matched.len() as u64);
    Ok(())
}

/// How many writers and readers are being created now.
static CREATING: AtomicUsize = AtomicUsize::new(0);

/// A writer or reader is being created while this lives: a listener may be told of it before its
/// maker has the handle.
pub(crate) struct Creating(());

impl Creating {
    pub(crate) fn begin() -> Self {
        CREATING.fetch_add(1, SeqCst);
        Self(())
    }

    /// What is not known and is not being created has been closed.
    fn is_under_way() -> bool {
        CREATING.load(SeqCst) > 0
    }
}

impl Drop for Creating {
    fn drop(&mut self) {
        CREATING.fetch_sub(1, SeqCst);
    }
}

/// Of what a listener is told; nothing if it has been closed.
pub(crate) fn of_writer(writer: &UntypedWriter) -> Option<u64> {
    known(writer.instance_handle()).or_else(|| {
        // One that is closed fails at once, one that lives has these many readers.
        let lives = Creating::is_under_way() && writer.wait_for_matched(0, Duration::ZERO).is_ok();
        let publisher = known(writer.publisher().filter(|_| lives)?.instance_handle())?;
        adopt_writer(writer, publisher).ok()
    })
}

/// As [`of_writer`].
pub(crate) fn of_reader(reader: &UntypedReader) -> Option<u64> {
    known(reader.instance_handle()).or_else(|| {
        let lives = Creating::is_under_way() && reader.wait_for_matched(0, Duration::ZERO).is_ok();
        let subscriber = known(reader.subscriber().filter(|_| lives)?.instance_handle())?;
        adopt_reader(reader, subscriber).ok()
    })
}

/// As [`of_writer`]: each subscriber has a handle from its creation on.
pub(crate) fn of_subscriber(subscriber: &Subscriber) -> Option<u64> {
    known(subscriber.instance_handle())
}

/// As [`of_subscriber`].
pub(crate) fn of_topic(topic: &UntypedTopic) -> Option<u64> {
    known(topic.instance_handle())
}
