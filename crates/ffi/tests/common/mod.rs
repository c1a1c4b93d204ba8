//! What tests of the ABI share: they call the functions as a program in C does.
#![allow(dead_code, reason = "each test uses a part")]
use dunlin::cdr::Extensibility;
use dunlin::xtypes::{EquivalenceKind, TypeIndex, TypeTreeBuilder};
use dunlin_ffi::*;

#[path = "../../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
pub(crate) mod namespace;

pub(crate) const SECOND: i64 = 1_000_000_000;

/// TypeObjects of `struct Position { @key uint32 bird; float x; sequence<octet> trail; }`.
pub(crate) fn position_objects() -> Vec<u8> {
    let mut types = TypeTreeBuilder::new();
    let trail = types.sequence(TypeIndex::BYTE, 0);
    let position = types
        .structure("Position", Extensibility::Final)
        .member("bird", TypeIndex::UINT32)
        .key()
        .member("x", TypeIndex::FLOAT32)
        .member("trail", trail)
        .finish();
    let position = types.build(position).unwrap();
    let objects = position.type_objects(EquivalenceKind::Complete).unwrap();
    objects.to_sequence()
}

/// A sample in XCDR1, little endian.
pub(crate) fn position(bird: u32, trail: &[u8]) -> Vec<u8> {
    let length = trail.len() as u32;
    let mut payload = vec![0, 1, 0, 0];
    payload.extend(bird.to_le_bytes());
    payload.extend(1.5_f32.to_le_bytes());
    payload.extend(length.to_le_bytes());
    payload.extend(trail);
    payload
}

/// Its key.
pub(crate) fn key(bird: u32) -> Vec<u8> {
    [&[0, 1, 0, 0], &bird.to_le_bytes()[..]].concat()
}

/// The instance of a bird.
pub(crate) fn instance(bird: u32) -> [u8; 16] {
    let mut instance = [0; 16];
    instance[..4].copy_from_slice(&bird.to_be_bytes());
    instance
}

/// What the last failure of this thread was.
pub(crate) fn said() -> String {
    let mut text = dunlin_text::NONE;
    assert_eq!(dunlin_last_error(Out::from(&mut text)), DUNLIN_OK);
    text_of(text)
}

pub(crate) fn text_of(text: dunlin_text) -> String {
    if text.length == 0 {
        return String::new();
    }
    // SAFETY: the library gave the text out, and keeps it until the next failure.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The bytes of a block, which is given back.
pub(crate) fn taken(mut block: dunlin_block) -> Vec<u8> {
    // SAFETY: the block is not given back yet.
    let bytes = unsafe { std::slice::from_raw_parts(block.data, block.length as usize) }.to_vec();
    ok(dunlin_block_free(Out::from(&mut block)));
    bytes
}

/// The payload of a sample.
pub(crate) fn payload(sample: &dunlin_sample) -> &[u8] {
    match sample.data.is_null() {
        true => &[],
        // SAFETY: the sample is not given back yet.
        false => unsafe { std::slice::from_raw_parts(sample.data, sample.length as usize) },
    }
}

#[track_caller]
pub(crate) fn ok(code: i32) {
    assert_eq!(code, DUNLIN_OK, "{}", said());
}

#[track_caller]
pub(crate) fn fails(code: i32, expected: i32, words: &[&str]) {
    assert_eq!(code, expected, "{}", said());
    let said = said();
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {said:?}");
    }
}

pub(crate) const EMPTY: dunlin_sample = dunlin_sample {
    data: std::ptr::null(),
    length: 0,
    token: 0,
    flags: 0,
    reserved: 0,
    info: dunlin_sample_info {
        source_timestamp: 0,
        sequence: 0,
        instance: [0; 16],
        publication: [0; 16],
        sample_state: 0,
        view_state: 0,
        instance_state: 0,
        disposed_generation_count: 0,
        no_writers_generation_count: 0,
        sample_rank: 0,
        generation_rank: 0,
        absolute_generation_rank: 0,
        valid_data: 0,
        reserved: [0; 7],
    },
};

/// A select that says nothing.
pub(crate) fn all() -> dunlin_select {
    dunlin_select {
        size: size_of::<dunlin_select>() as u32,
        max: 0,
        sample_states: 0,
        view_states: 0,
        instance_states: 0,
        which: DUNLIN_ANY_INSTANCE,
        instance: [0; 16],
        condition: 0,
        flags: 0,
        reserved: 0,
    }
}

pub(crate) fn options() -> dunlin_write_options {
    dunlin_write_options {
        size: size_of::<dunlin_write_options>() as u32,
        flags: 0,
        timestamp: i64::MIN,
        instance: std::ptr::null(),
        sequence: 0,
    }
}

/// A participant with a type, a topic, a reliable writer and a reader of it that keep all.
pub(crate) struct World {
    pub(crate) participant: u64,
    pub(crate) ty: u64,
    pub(crate) topic: u64,
    pub(crate) writer: u64,
    pub(crate) reader: u64,
}

pub(crate) fn participant() -> u64 {
    let mut participant = 0;
    ok(dunlin_participant_new(
        0,
        In::NULL,
        In::NULL,
        In::NULL,
        Out::from(&mut participant),
    ));
    participant
}

pub(crate) fn position_type() -> u64 {
    let (objects, mut ty) = (position_objects(), 0);
    ok(dunlin_type_new(
        Array::from(&objects[..]),
        objects.len() as u64,
        dunlin_text::NONE,
        Out::from(&mut ty),
    ));
    ty
}

pub(crate) fn topic(participant: u64, ty: u64) -> u64 {
    let mut topic = 0;
    ok(dunlin_topic_new(
        participant,
        "Positions".into(),
        ty,
        In::NULL,
        In::NULL,
        Out::from(&mut topic),
    ));
    topic
}

pub(crate) fn writer(parent: u64, topic: u64) -> u64 {
    let qos = dunlin_writer_qos {
        history: DUNLIN_KEEP_ALL,
        ..Default::default()
    };
    let mut writer = 0;
    ok(dunlin_writer_new(
        parent,
        topic,
        In::from(&qos),
        In::NULL,
        Out::from(&mut writer),
    ));
    writer
}

pub(crate) fn reader(parent: u64, topic: u64, listener: In<'_, dunlin_listener>) -> u64 {
    let qos = dunlin_reader_qos {
        history: DUNLIN_KEEP_ALL,
        reliability: DUNLIN_RELIABLE,
        ..Default::default()
    };
    let mut reader = 0;
    ok(dunlin_reader_new(
        parent,
        topic,
        In::from(&qos),
        listener,
        Out::from(&mut reader),
    ));
    reader
}

impl World {
    pub(crate) fn new() -> Self {
        let (participant, ty) = (participant(), position_type());
        let topic = topic(participant, ty);
        let writer = writer(participant, topic);
        let reader = reader(participant, topic, In::NULL);
        ok(dunlin_writer_wait_for_matched(writer, 1, 10 * SECOND));
        Self {
            participant,
            ty,
            topic,
            writer,
            reader,
        }
    }

    pub(crate) fn write(&self, bird: u32, trail: &[u8]) {
        let payload = position(bird, trail);
        ok(dunlin_write(
            self.writer,
            Array::from(&payload[..]),
            payload.len() as u64,
            Out::NULL,
        ));
    }

    pub(crate) fn close(self) {
        ok(dunlin_close(self.participant));
        ok(dunlin_close(self.ty));
        assert_eq!(
            leaks(),
            (0, "0 handles, 0 samples, 0 loans, 0 blocks".into())
        );
    }
}

/// What is not given back.
pub(crate) fn leaks() -> (u64, String) {
    let (mut count, mut text) = (0, dunlin_block::NONE);
    ok(dunlin_leaks(Out::from(&mut count), Out::from(&mut text)));
    (count, String::from_utf8(taken(text)).unwrap())
}

/// Takes some; the code of the last call if it took none.
pub(crate) fn take(
    reader: u64,
    select: &dunlin_select,
    room: usize,
) -> Result<Vec<dunlin_sample>, i32> {
    let (mut samples, mut count) = (vec![EMPTY; room], 0);
    match dunlin_take(
        reader,
        In::from(select),
        OutArray::from(&mut samples[..]),
        room as u64,
        Out::from(&mut count),
    ) {
        DUNLIN_OK => {
            samples.truncate(count as usize);
            Ok(samples)
        }
        code => Err(code),
    }
}

/// Waits until there is something to take.
pub(crate) fn wait_for_data(reader: u64) {
    let (mut condition, mut set, mut count) = (0, 0, 0);
    ok(dunlin_read_condition_new(
        reader,
        In::NULL,
        Out::from(&mut condition),
    ));
    ok(dunlin_waitset_new(Out::from(&mut set)));
    ok(dunlin_waitset_attach(set, condition));
    let mut active = [0; 4];
    ok(dunlin_waitset_wait(
        set,
        10 * SECOND,
        OutArray::from(&mut active[..]),
        4,
        Out::from(&mut count),
    ));
    assert_eq!((count, active[0]), (1, condition));
    ok(dunlin_close(set));
    ok(dunlin_close(condition));
}

pub(crate) fn give_back(reader: u64, samples: &mut [dunlin_sample]) -> i32 {
    let count = samples.len() as u64;
    dunlin_give_back(reader, OutArray::from(samples), count)
}
