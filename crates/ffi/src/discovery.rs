//! What a participant knows of others, entity by entity, and what it does not want to know.
use crate::builtin::{
    DUNLIN_BUILTIN_PARTICIPANT, DUNLIN_BUILTIN_PUBLICATION, DUNLIN_BUILTIN_SUBSCRIPTION,
    DUNLIN_BUILTIN_TOPIC, Known, dunlin_builtin_data, no_kind,
};
use crate::error::{Failure, Outcome, entry};
use crate::memory::{Array, Out, OutArray, dunlin_block, dunlin_text};
use crate::object;
use crate::participant::{Participant, dunlin_participant};
use crate::qos::duration;
use crate::reader::dunlin_reader;
use crate::writer::dunlin_writer;
use dunlin::{Guid, InstanceHandle, TopicBuiltinTopicData};

/// The name and type of the topic of others that has this key.
fn topic_of(above: &Participant, key: [u8; 16]) -> Outcome<(String, String)> {
    let mut topics = above.core.discovered_topics().into_iter();
    let found = topics.find(|(name, ty)| TopicBuiltinTopicData::key_of(name, ty) == key);
    found.ok_or_else(|| {
        Failure::bad("the argument key is that of no topic of which others have writers or readers")
    })
}

/// The keys, of 16 bytes each, of the other participants (`DUNLIN_BUILTIN_PARTICIPANT`) or of the
/// topics of which others have writers or readers (`DUNLIN_BUILTIN_TOPIC`). `count` is how many
/// there are; as many as `room` allows are written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_discovered(
    participant: dunlin_participant,
    kind: u32,
    keys: OutArray<'_, u8>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let place = count.required("count")?;
        let keys = keys.sixteens(room, "keys")?;
        let above = object::participant(participant)?;
        let found: Vec<[u8; 16]> = match kind {
            DUNLIN_BUILTIN_PARTICIPANT => {
                let all = above.core.discovered_participants().into_iter();
                all.map(Guid::to_bytes).collect()
            }
            DUNLIN_BUILTIN_TOPIC => {
                let all = above.core.discovered_topics().into_iter();
                all.map(|(name, ty)| TopicBuiltinTopicData::key_of(&name, &ty))
                    .collect()
            }
            other => return Err(not_listed(other)),
        };
        for (place, key) in keys.iter_mut().zip(&found) {
            *place = *key;
        }
        place.put(found.len() as u64);
        Ok(())
    })
}

#[cold]
fn not_listed(kind: u32) -> Failure {
    match kind {
        DUNLIN_BUILTIN_PUBLICATION | DUNLIN_BUILTIN_SUBSCRIPTION => Failure::bad(
            "the argument kind is that of writers or readers: those of others are samples of \
             dunlin_builtin_reader",
        ),
        other => no_kind(other),
    }
}

/// What is known of one of those that `dunlin_discovered` gave.
///
/// @return NO_DATA if it is gone; BAD_PARAMETER for a topic that nobody has.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_discovered_data(
    participant: dunlin_participant,
    kind: u32,
    key: Array<'_, u8>,
    data: Out<'_, dunlin_builtin_data>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let key = key.sixteen("key")?;
        let above = object::participant(participant)?;
        let known = match kind {
            DUNLIN_BUILTIN_PARTICIPANT => {
                let guid = Guid::from_bytes(key);
                let data = above.core.discovered_participant_data(guid);
                data.map(Known::Participant)
            }
            DUNLIN_BUILTIN_TOPIC => {
                let (name, ty) = topic_of(&above, key)?;
                let data = above.core.discovered_topic_data(&name, &ty);
                data.map(Known::Topic)
            }
            other => return Err(not_listed(other)),
        };
        known.ok_or(Failure::NO_DATA)?.put(data, block)
    })
}

/// From now on nothing is heard of an entity of others, whose key of 16 bytes a sample or a list
/// told, for as long as the participant lives (DDS 1.4 2.2.2.2.1.14 to .17). Ignoring a topic
/// ignores all that others have of its name, of whatever type.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_ignore(
    participant: dunlin_participant,
    kind: u32,
    key: Array<'_, u8>,
) -> i32 {
    entry(|| {
        let key = key.sixteen("key")?;
        let above = object::participant(participant)?;
        let handle = InstanceHandle(key);
        match kind {
            DUNLIN_BUILTIN_PARTICIPANT => above.core.ignore_participant(handle),
            DUNLIN_BUILTIN_TOPIC => above.core.ignore_topic(&topic_of(&above, key)?.0),
            DUNLIN_BUILTIN_PUBLICATION => above.core.ignore_publication(handle),
            DUNLIN_BUILTIN_SUBSCRIPTION => above.core.ignore_subscription(handle),
            other => return Err(no_kind(other)),
        }
        Ok(())
    })
}

/// What a reader that matches says of itself, by its GUID of 16 bytes.
///
/// @return BAD_PARAMETER if none that matches has it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_matched_data(
    writer: dunlin_writer,
    guid: Array<'_, u8>,
    data: Out<'_, dunlin_builtin_data>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let guid = Guid::from_bytes(guid.sixteen("guid")?);
        let writer = object::writer(writer)?;
        let known = writer.core.matched_subscription_data(guid);
        let known = known.ok_or_else(|| {
            let topic = writer.core.topic_name();
            Failure::bad(format!(
                "the writer of topic {topic:?} has no matching reader {guid}"
            ))
        })?;
        Known::Subscription(known).put(data, block)
    })
}

/// What a writer that matches says of itself; as `dunlin_writer_matched_data`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_matched_data(
    reader: dunlin_reader,
    guid: Array<'_, u8>,
    data: Out<'_, dunlin_builtin_data>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let guid = Guid::from_bytes(guid.sixteen("guid")?);
        let reader = object::reader(reader)?;
        let known = reader.core.matched_publication_data(guid);
        let known = known.ok_or_else(|| {
            let topic = reader.core.topic_name();
            Failure::bad(format!(
                "the reader of topic {topic:?} has no matching writer {guid}"
            ))
        })?;
        Known::Publication(known).put(data, block)
    })
}

/// Why nothing arrives on a topic: everything that is found, of own endpoints and of all others that
/// are known, a line each with its cure; empty where all match and flow. Other processes are asked,
/// and `timeout` is how long their answers are waited for. Not for listeners.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_why(
    participant: dunlin_participant,
    topic: dunlin_text,
    timeout: i64,
    text: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let above = object::participant(participant)?;
        let timeout = duration(timeout, "timeout")?;
        let found = above.core.why(topic.get("topic")?, timeout);
        let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
        place.put(dunlin_block::text(&lines.join("\n")));
        Ok(())
    })
}
