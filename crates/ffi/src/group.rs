//! Publishers and subscribers.
use crate::callback::{Listener, dunlin_listener, give};
use crate::error::{Failure, entry};
use crate::memory::{In, Out, OutArray, dunlin_text};
use crate::names::{adopt_publisher, adopt_reader, adopt_subscriber, adopt_writer};
use crate::object;
use crate::participant::dunlin_participant;
use crate::qos::{dunlin_group_qos, duration, read_or};
use crate::reader::dunlin_reader;
use crate::select::{dunlin_select, states};
use crate::writer::dunlin_writer;

/// A publisher.
pub type dunlin_publisher = u64;
/// A subscriber.
pub type dunlin_subscriber = u64;

/// A group of writers.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_new(
    participant: dunlin_participant,
    qos: In<'_, dunlin_group_qos>,
    listener: In<'_, dunlin_listener>,
    publisher: Out<'_, dunlin_publisher>,
) -> i32 {
    entry(|| {
        let place = publisher.required("publisher")?;
        let above = object::participant(participant)?;
        let qos = read_or(qos, || above.core.default_publisher_qos())?;
        let listener = Listener::of(listener)?;
        let core = above.core.create_publisher(qos);
        let handle = adopt_publisher(&core)?;
        give(listener, |listener, mask| core.set_listener(listener, mask));
        place.put(handle);
        Ok(())
    })
}

/// A hint that much will be written in a row.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_suspend(publisher: dunlin_publisher) -> i32 {
    entry(|| {
        object::publisher(publisher)?.suspend_publications();
        Ok(())
    })
}

/// Takes the hint back.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_resume(publisher: dunlin_publisher) -> i32 {
    entry(|| Ok(object::publisher(publisher)?.resume_publications()?))
}

/// What its writers write until `dunlin_publisher_end_coherent` is a coherent set.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_begin_coherent(publisher: dunlin_publisher) -> i32 {
    entry(|| {
        object::publisher(publisher)?.begin_coherent_changes();
        Ok(())
    })
}

/// The set is complete.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_end_coherent(publisher: dunlin_publisher) -> i32 {
    entry(|| Ok(object::publisher(publisher)?.end_coherent_changes()?))
}

/// Waits until every matched reliable reader of every writer has acknowledged all samples.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_wait_for_acknowledgments(
    publisher: dunlin_publisher,
    timeout: i64,
) -> i32 {
    entry(|| {
        let publisher = object::publisher(publisher)?;
        Ok(publisher.wait_for_acknowledgments(duration(timeout, "timeout")?)?)
    })
}

/// Its first writer of this topic; NO_DATA if it has none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_publisher_lookup_writer(
    publisher: dunlin_publisher,
    topic: dunlin_text,
    writer: Out<'_, dunlin_writer>,
) -> i32 {
    entry(|| {
        let place = writer.required("writer")?;
        let core = object::publisher(publisher)?;
        let found = core.lookup_datawriter(topic.get("topic")?);
        place.put(adopt_writer(&found.ok_or(Failure::NO_DATA)?, publisher)?);
        Ok(())
    })
}

/// A group of readers.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_new(
    participant: dunlin_participant,
    qos: In<'_, dunlin_group_qos>,
    listener: In<'_, dunlin_listener>,
    subscriber: Out<'_, dunlin_subscriber>,
) -> i32 {
    entry(|| {
        let place = subscriber.required("subscriber")?;
        let above = object::participant(participant)?;
        let qos = read_or(qos, || above.core.default_subscriber_qos())?;
        let listener = Listener::of(listener)?;
        let core = above.core.create_subscriber(qos);
        let handle = adopt_subscriber(&core)?;
        give(listener, |listener, mask| core.set_listener(listener, mask));
        place.put(handle);
        Ok(())
    })
}

/// Begins to look at several readers, so that what they show together is whole.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_begin_access(subscriber: dunlin_subscriber) -> i32 {
    entry(|| {
        object::subscriber(subscriber)?.begin_access();
        Ok(())
    })
}

/// Ends it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_end_access(subscriber: dunlin_subscriber) -> i32 {
    entry(|| Ok(object::subscriber(subscriber)?.end_access()?))
}

/// Its readers that hold samples which `select` names by their states. `count` is how many there
/// are; as many as `room` allows are written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_readers(
    subscriber: dunlin_subscriber,
    select: In<'_, dunlin_select>,
    readers: OutArray<'_, dunlin_reader>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let place = count.required("count")?;
        let readers = readers.slice(room, "readers")?;
        let core = object::subscriber(subscriber)?;
        let select = states(select.sized("select")?.as_ref())?;
        let found = core.datareaders(&select);
        for (place, reader) in readers.iter_mut().zip(&found) {
            *place = adopt_reader(reader, subscriber)?;
        }
        place.put(found.len() as u64);
        Ok(())
    })
}

/// Has the listeners of its readers called that have data which nobody has looked at.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_notify_readers(subscriber: dunlin_subscriber) -> i32 {
    entry(|| {
        object::subscriber(subscriber)?.notify_datareaders();
        Ok(())
    })
}

/// Its first reader of this topic; NO_DATA if it has none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_subscriber_lookup_reader(
    subscriber: dunlin_subscriber,
    topic: dunlin_text,
    reader: Out<'_, dunlin_reader>,
) -> i32 {
    entry(|| {
        let place = reader.required("reader")?;
        let core = object::subscriber(subscriber)?;
        let found = core.lookup_datareader(topic.get("topic")?);
        place.put(adopt_reader(&found.ok_or(Failure::NO_DATA)?, subscriber)?);
        Ok(())
    })
}
