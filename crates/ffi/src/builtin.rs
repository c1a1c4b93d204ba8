//! The readers of the built-in topics (DDS 1.4 2.2.5), and what their samples say.
use crate::entity;
use crate::error::{Failure, Outcome, entry};
use crate::memory::{In, Kept, Out, Sized32, dunlin_block, dunlin_bytes, dunlin_text, list};
use crate::names::{adopt_reader, adopt_subscriber};
use crate::object;
use crate::participant::{Participant, dunlin_participant};
use crate::qos::{
    Qos, Texts, dunlin_group_qos, dunlin_property, dunlin_reader_qos, dunlin_writer_qos,
};
use crate::reader::{dunlin_reader, dunlin_sample};
use dunlin::cdr::{Topic, from_payload, key_from_payload};
use dunlin::{
    BuiltinSubscriber, ParticipantBuiltinTopicData, PublicationBuiltinTopicData,
    SubscriptionBuiltinTopicData, TopicBuiltinTopicData, UntypedReader,
};

/// DCPSParticipant: the other participants.
pub const DUNLIN_BUILTIN_PARTICIPANT: u32 = 1;
/// DCPSTopic: the topics of which others have writers or readers.
pub const DUNLIN_BUILTIN_TOPIC: u32 = 2;
/// DCPSPublication: the writers of others.
pub const DUNLIN_BUILTIN_PUBLICATION: u32 = 3;
/// DCPSSubscription: the readers of others.
pub const DUNLIN_BUILTIN_SUBSCRIPTION: u32 = 4;

/// What others say of a participant, a topic, a writer or a reader. What it points to lies in the
/// block that comes with it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_builtin_data {
    /// `sizeof(dunlin_builtin_data)`.
    pub size: u32,
    /// What it is about: one of `DUNLIN_BUILTIN_*`.
    pub kind: u32,
    /// The GUID; of a topic a number that its name and type have. It is the instance in the
    /// built-in reader.
    pub key: [u8; 16],
    /// Of a writer or reader: the GUID of its participant.
    pub participant_key: [u8; 16],
    /// The name of the topic; of a participant its ENTITY_NAME.
    pub name: dunlin_text,
    /// The name of the topic's type.
    pub type_name: dunlin_text,
    /// USER_DATA.
    pub user_data: dunlin_bytes,
    /// TOPIC_DATA.
    pub topic_data: dunlin_bytes,
    /// Of a participant: PROPERTY, and what its product tells of itself.
    pub properties: *const dunlin_property,
    /// How many.
    pub property_count: u64,
    /// Of a writer: its QoS, as far as others are told. Else null.
    pub writer_qos: *const dunlin_writer_qos,
    /// Of a reader: its QoS, as far as others are told. Else null.
    pub reader_qos: *const dunlin_reader_qos,
    /// Of a writer or reader: the QoS of its publisher or subscriber. Else null.
    pub group_qos: *const dunlin_group_qos,
    /// Of a participant: whose product it is, by the OMG's number.
    pub vendor: [u8; 2],
    /// 0.
    pub reserved: [u8; 6],
}

const _: () = assert!(size_of::<dunlin_builtin_data>() == 152);

// SAFETY: it is `repr(C)`, begins with its size, and has numbers and addresses only.
unsafe impl Sized32 for dunlin_builtin_data {
    const NAME: &'static str = "dunlin_builtin_data";
}

/// What the members of the structure point to.
#[derive(Default)]
struct Held {
    texts: Texts,
    writer: Option<Box<dunlin_writer_qos>>,
    reader: Option<Box<dunlin_reader_qos>>,
    group: Option<Box<dunlin_group_qos>>,
}

impl Kept for Held {}

fn address<T>(kept: &Option<Box<T>>) -> *const T {
    kept.as_deref().map_or(std::ptr::null(), std::ptr::from_ref)
}

impl dunlin_builtin_data {
    fn new(kind: u32, key: [u8; 16]) -> Self {
        Self {
            size: size_of::<Self>() as u32,
            kind,
            key,
            participant_key: [0; 16],
            name: dunlin_text::NONE,
            type_name: dunlin_text::NONE,
            user_data: dunlin_bytes::NONE,
            topic_data: dunlin_bytes::NONE,
            properties: std::ptr::null(),
            property_count: 0,
            writer_qos: std::ptr::null(),
            reader_qos: std::ptr::null(),
            group_qos: std::ptr::null(),
            vendor: [0; 2],
            reserved: [0; 6],
        }
    }
}

/// What is known of an entity of others, of whatever kind.
pub(crate) enum Known {
    Participant(ParticipantBuiltinTopicData),
    Topic(TopicBuiltinTopicData),
    Publication(PublicationBuiltinTopicData),
    Subscription(SubscriptionBuiltinTopicData),
}

impl Known {
    fn describe(&self, held: &mut Held) -> dunlin_builtin_data {
        match self {
            Self::Participant(data) => participant(data, held),
            Self::Topic(data) => topic(data, held),
            Self::Publication(data) => publication(data, held),
            Self::Subscription(data) => subscription(data, held),
        }
    }

    /// Writes it to where the caller has room. Names and lists lie in the block.
    pub(crate) fn put(
        &self,
        into: Out<'_, dunlin_builtin_data>,
        block: Out<'_, dunlin_block>,
    ) -> Outcome {
        let place = into.sized("data")?;
        let place = place.ok_or_else(|| Failure::bad("the argument data is a null pointer"))?;
        let block = block.required("block")?;
        let mut held = Held::default();
        *place = self.describe(&mut held);
        block.put(dunlin_block::keeping(held));
        Ok(())
    }
}

fn participant(data: &ParticipantBuiltinTopicData, held: &mut Held) -> dunlin_builtin_data {
    let texts = &mut held.texts;
    let (properties, property_count) = texts.properties(&data.properties());
    dunlin_builtin_data {
        name: texts.text(&data.name),
        user_data: texts.bytes(&data.user_data),
        properties,
        property_count,
        vendor: data.vendor,
        ..dunlin_builtin_data::new(DUNLIN_BUILTIN_PARTICIPANT, data.key)
    }
}

fn topic(data: &TopicBuiltinTopicData, held: &mut Held) -> dunlin_builtin_data {
    let texts = &mut held.texts;
    dunlin_builtin_data {
        name: texts.text(&data.name),
        type_name: texts.text(&data.type_name),
        topic_data: texts.bytes(&data.topic_data),
        ..dunlin_builtin_data::new(DUNLIN_BUILTIN_TOPIC, data.key)
    }
}

fn publication(data: &PublicationBuiltinTopicData, held: &mut Held) -> dunlin_builtin_data {
    let qos = data.qos();
    held.writer = Some(Box::new(qos.write(&mut held.texts)));
    held.group = Some(Box::new(data.publisher_qos().write(&mut held.texts)));
    dunlin_builtin_data {
        participant_key: data.participant_key,
        name: held.texts.text(&data.topic_name),
        type_name: held.texts.text(&data.type_name),
        user_data: held.texts.bytes(&qos.user_data),
        topic_data: held.texts.bytes(&data.topic_data()),
        writer_qos: address(&held.writer),
        group_qos: address(&held.group),
        ..dunlin_builtin_data::new(DUNLIN_BUILTIN_PUBLICATION, data.key)
    }
}

fn subscription(data: &SubscriptionBuiltinTopicData, held: &mut Held) -> dunlin_builtin_data {
    let qos = data.qos();
    held.reader = Some(Box::new(qos.write(&mut held.texts)));
    held.group = Some(Box::new(data.subscriber_qos().write(&mut held.texts)));
    dunlin_builtin_data {
        participant_key: data.participant_key,
        name: held.texts.text(&data.topic_name),
        type_name: held.texts.text(&data.type_name),
        user_data: held.texts.bytes(&qos.user_data),
        topic_data: held.texts.bytes(&data.topic_data()),
        reader_qos: address(&held.reader),
        group_qos: address(&held.group),
        ..dunlin_builtin_data::new(DUNLIN_BUILTIN_SUBSCRIPTION, data.key)
    }
}

/// A subscriber with the four readers of the built-in topics, and their handles.
pub(crate) struct Builtin {
    _core: BuiltinSubscriber,
    subscriber: u64,
    readers: [u64; 4],
}

impl Builtin {
    fn new(above: &Participant) -> Outcome<Self> {
        let core = above.core.builtin_subscriber();
        let subscriber = adopt_subscriber(core.subscriber())?;
        let adopt = |reader: &UntypedReader| adopt_reader(reader, subscriber);
        Ok(Self {
            subscriber,
            readers: [
                adopt(core.participants())?,
                adopt(core.topics())?,
                adopt(core.publications())?,
                adopt(core.subscriptions())?,
            ],
            _core: core,
        })
    }

    /// Nobody has closed it, or one of its readers.
    fn is_whole(&self) -> bool {
        let mut readers = self.readers.iter();
        object::subscriber(self.subscriber).is_ok()
            && readers.all(|reader| object::reader(*reader).is_ok())
    }

    pub(crate) fn is(&self, handle: u64) -> bool {
        self.subscriber == handle
    }
}

/// Whether there are built-in readers already is asked and answered by one thread at a time.
fn with_builtin<R>(
    handle: dunlin_participant,
    get: impl FnOnce(&Builtin) -> Outcome<R>,
) -> Outcome<R> {
    let above = object::participant(handle)?;
    let mut known = above.builtin();
    let old = match &*known {
        Some(builtin) if builtin.is_whole() => return get(builtin),
        _ => known.take(),
    };
    let got = get(known.insert(Builtin::new(&above)?));
    drop(known);
    if let Some(old) = old {
        // What is left of it; it may be closed as a whole.
        let _ = entity::close(old.subscriber);
    }
    got
}

/// The subscriber of the built-in topics (DDS 1.4 2.2.2.2.1.7), always the same. It is no content of
/// the participant: `dunlin_delete` and `dunlin_delete_contained` pass over it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_builtin_subscriber(
    participant: dunlin_participant,
    subscriber: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let place = subscriber.required("subscriber")?;
        place.put(with_builtin(participant, |builtin| Ok(builtin.subscriber))?);
        Ok(())
    })
}

/// The reader of a built-in topic, one of `DUNLIN_BUILTIN_*`, always the same. What is known is there
/// as samples, and what changes from then on; `dunlin_builtin_decode` says what they mean.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_builtin_reader(
    participant: dunlin_participant,
    kind: u32,
    reader: Out<'_, dunlin_reader>,
) -> i32 {
    entry(|| {
        let place = reader.required("reader")?;
        let at = (kind as usize).checked_sub(1);
        let found = |builtin: &Builtin| {
            let reader = at.and_then(|at| builtin.readers.get(at));
            reader.copied().ok_or_else(|| no_kind(kind))
        };
        place.put(with_builtin(participant, found)?);
        Ok(())
    })
}

#[cold]
pub(crate) fn no_kind(kind: u32) -> Failure {
    Failure::bad(format!(
        "the argument kind is {kind}: it is one of DUNLIN_BUILTIN_*, 1 to 4"
    ))
}

/// What a sample of a built-in reader says. Of one without valid data, whose entity is gone, it is
/// the key alone.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_builtin_decode(
    kind: u32,
    sample: In<'_, dunlin_sample>,
    data: Out<'_, dunlin_builtin_data>,
    block: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let sample = sample.required("sample")?;
        let known = match kind {
            DUNLIN_BUILTIN_PARTICIPANT => Known::Participant(decode(sample)?),
            DUNLIN_BUILTIN_TOPIC => Known::Topic(decode(sample)?),
            DUNLIN_BUILTIN_PUBLICATION => Known::Publication(decode(sample)?),
            DUNLIN_BUILTIN_SUBSCRIPTION => Known::Subscription(decode(sample)?),
            other => return Err(no_kind(other)),
        };
        known.put(data, block)
    })
}

fn decode<T: Topic>(sample: &dunlin_sample) -> Outcome<T> {
    let payload = list(sample.data, sample.length, "sample.data")?;
    let read = match sample.info.valid_data {
        0 => key_from_payload(payload),
        _ => from_payload(payload),
    };
    read.map_err(|error| {
        Failure::bad(format!(
            "the argument sample is none of a built-in reader of this kind: {error}"
        ))
    })
}
