//! A writer among readers that say anything in any order.
use crate::script::{Script, pattern};
use bytes::Bytes;
use dunlin_qos::{Durability, Duration, History, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{
    Body, Change, ChangeKind, InstanceHandle, Outbox, ReaderProxyConfig, Time, To, WriteError,
    Writer, WriterConfig,
};
use dunlin_wire::{
    AckNack, EntityId, EntityKind, FragmentNumber, FragmentNumberSet, Gap, Guid, GuidPrefix,
    Heartbeat, NackFrag, SampleIdentity, SampleOrigin, SequenceNumber, SequenceNumberSet,
    Submessage, Timestamp, VendorId,
};

const READERS: usize = 3;
const INSTANCES: u8 = 4;
/// Longest payload, in bytes.
const LONGEST: usize = 255;
/// What one answer may say at most: 1 MiB and the change that crosses this line.
const ANSWER_BYTES: usize = (1 << 20) + LONGEST;

/// A reader as the writer must see it.
#[derive(Clone, Copy)]
struct Listener {
    reliable: bool,
    /// It has said something.
    heard: bool,
    /// Changes up to this one were written before it came.
    joined: i64,
    /// It said that it has all up to here.
    has: i64,
}

/// What was written, and what may be said about it.
struct Model {
    guid: Guid,
    keeps_all: bool,
    /// No reader is passed over because it says nothing.
    waits_for_ever: bool,
    /// Payloads from number `first` on.
    written: Vec<Vec<u8>>,
    first: i64,
    readers: [Option<Listener>; READERS],
    messages: usize,
    bytes: usize,
}

fn writer_guid() -> Guid {
    let entity = EntityId::user(1, EntityKind::WriterWithKey);
    Guid::new(GuidPrefix(*b"DLfuzzwriter"), entity)
}

fn reader_guid(n: usize) -> Guid {
    let entity = EntityId::user(n as u32, EntityKind::ReaderWithKey);
    Guid::new(GuidPrefix(*b"DLfuzzreader"), entity)
}

impl Model {
    fn last(&self) -> i64 {
        self.first - 1 + self.written.len() as i64
    }

    fn payload(&self, sequence: SequenceNumber) -> &[u8] {
        let place = usize::try_from(sequence.0 - self.first).ok();
        let payload = place.and_then(|place| self.written.get(place));
        payload.unwrap_or_else(|| panic!("{} was never written", sequence.0))
    }

    /// The changes that a reliable reader has still to get, whatever happens.
    fn owed(&self, reader: usize) -> Option<core::ops::RangeInclusive<i64>> {
        let listener = self.readers[reader].filter(|r| r.reliable && self.keeps_all)?;
        if !listener.heard && !self.waits_for_ever {
            return None;
        }
        Some(listener.joined.max(listener.has) + 1..=self.last())
    }

    fn addressed(&self, to: To) -> Vec<usize> {
        match to {
            To::Matched | To::Passing(_) => (0..READERS).collect(),
            To::Endpoint(guid) => (0..READERS).filter(|n| reader_guid(*n) == guid).collect(),
            To::Announce => panic!("no endpoint announces"),
        }
    }

    fn check_gap(&self, to: To, gap: &Gap) {
        let (start, end) = (gap.start.0, gap.list.base().0);
        // One of nothing says that a reader begins at the first number.
        assert!(1 <= start && (start < end || end == 1) && end <= self.last() + 1);
        for owed in self.addressed(to).into_iter().filter_map(|n| self.owed(n)) {
            let ranged = start.max(*owed.start())..end.min(owed.end() + 1);
            assert!(ranged.is_empty(), "{ranged:?} is owed");
            assert!(gap.list.iter().all(|n| !owed.contains(&n.0)));
        }
    }

    fn check_heartbeat(&self, to: To, heartbeat: &Heartbeat) {
        let (first, last) = (heartbeat.first.0, heartbeat.last.0);
        assert!(1 <= first && first <= last + 1 && last == self.last());
        for owed in self.addressed(to).into_iter().filter_map(|n| self.owed(n)) {
            assert!(owed.is_empty() || first <= *owed.start(), "{first}");
        }
    }
}

impl Outbox for Model {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        self.messages += 1;
        match message {
            Submessage::InfoTimestamp(_) => self.messages -= 1,
            Submessage::Data(data) => {
                assert_eq!(data.payload.bytes(), self.payload(data.sequence));
                self.bytes += payload.len();
            }
            Submessage::DataFrag(frag) => {
                let payload = self.payload(frag.sequence);
                assert_eq!(frag.sample_size as usize, payload.len());
                let begin = (frag.first.0 as usize - 1) * usize::from(frag.fragment_size);
                let end = begin + frag.payload.len();
                assert_eq!(frag.payload, &payload[begin..end]);
                assert!(frag.payload.len() <= frag.fragment_size.into());
                self.bytes += frag.payload.len();
            }
            Submessage::Heartbeat(heartbeat) => self.check_heartbeat(to, &heartbeat),
            Submessage::Gap(gap) => self.check_gap(to, &gap),
            other => panic!("not said by a writer: {other:?}"),
        }
    }
}

/// A configuration, then operations: what is kept stays within the limits, nothing that a reliable
/// reader of a KEEP_ALL writer has not acknowledged is given up, and what is said is what was
/// written.
pub fn writer(data: &[u8]) {
    let mut script = Script::new(data);
    let config = config(&mut script);
    let mut writer = Writer::new(config.clone());
    let mut model = Model {
        guid: config.guid,
        keeps_all: config.history == History::KeepAll,
        waits_for_ever: config.silent_after.is_infinite(),
        written: Vec::new(),
        first: config.first_sequence.0,
        readers: [None; READERS],
        messages: 0,
        bytes: 0,
    };
    let mut now = Time(0);
    while !script.is_over() {
        (model.messages, model.bytes) = (0, 0);
        step(&mut script, &config, &mut writer, &mut model, &mut now);
        assert!(model.bytes <= ANSWER_BYTES, "{} bytes", model.bytes);
        assert!(
            model.messages <= 256 * (LONGEST + 1),
            "{} messages",
            model.messages
        );
        check(now, &writer, &config, &mut model);
    }
}

fn config(script: &mut Script<'_>) -> WriterConfig {
    let history = match script.choice(4) {
        0 => History::KeepLast(u32::from(script.choice(4))),
        _ => History::KeepAll,
    };
    let choice = script.choice(8);
    let first = match choice {
        0 => (1 << 32) - 3,
        1 => (1 << 31) - 3,
        2 => i64::MAX - 9,
        _ => 1,
    };
    WriterConfig {
        history,
        first_sequence: SequenceNumber(first),
        silent_after: match choice % 2 {
            0 => Duration::INFINITE,
            _ => Duration::from_secs(30),
        },
        reliability: match script.choice(8) {
            0 => ReliabilityKind::BestEffort,
            _ => ReliabilityKind::Reliable,
        },
        durability: match script.flag() {
            true => Durability::TransientLocal,
            false => Durability::Volatile,
        },
        resource_limits: ResourceLimits {
            max_samples: script.limit(),
            max_instances: script.limit(),
            max_samples_per_instance: script.limit(),
        },
        fragment_size: size(script),
        heartbeat_window: u32::from(script.byte()),
        heartbeat_bytes: usize::from(script.byte()),
        send_key_hash: script.flag(),
        inline_qos: topic_parameter(),
        ..WriterConfig::new(writer_guid())
    }
}

/// Of fragments; each 256th time there are none.
fn size(script: &mut Script<'_>) -> Option<u16> {
    match script.byte() {
        u8::MAX => None,
        size => Some(size.into()),
    }
}

/// One encoded parameter for readers that expect inline QoS.
fn topic_parameter() -> Vec<u8> {
    vec![0x05, 0, 8, 0, 2, 0, 0, 0, b'T', 0, 0, 0]
}

fn step(
    script: &mut Script<'_>,
    config: &WriterConfig,
    writer: &mut Writer,
    model: &mut Model,
    now: &mut Time,
) {
    let at = *now;
    match script.choice(12) {
        0..4 => write(script, writer, model, at),
        4 | 5 => acknowledge(script, writer, model, at),
        6 => {
            let reader = usize::from(script.choice(READERS as u8 + 1));
            let sequence = SequenceNumber(script.number(model.last()));
            let mut state = FragmentNumberSet::new(FragmentNumber(script.short()));
            for _ in 0..script.choice(4) {
                state.insert(FragmentNumber(script.short()));
            }
            let nack_frag = NackFrag {
                reader: reader_guid(reader).entity,
                writer: model.guid.entity,
                sequence,
                state,
                count: script.short(),
            };
            writer.handle_nack_frag(at, reader_guid(reader), &nack_frag, model);
        }
        7 => add(script, config, writer, model, at),
        8 => {
            let reader = usize::from(script.choice(READERS as u8));
            model.readers[reader] = None;
            writer.remove_reader(reader_guid(reader));
        }
        9 => {
            *now = Time(at.0.saturating_add(script.pause()));
            for _ in 0..4 {
                writer.handle_timeout(*now, model);
            }
            let rests = writer.next_timeout().is_none_or(|due| due > *now);
            assert!(rests || now.0 == i64::MAX, "a timer that stays due");
        }
        10 => writer.set_fragment_size(size(script)),
        _ => match script.choice(4) {
            0 => writer.heartbeat(at, model),
            1 => writer.ask_for_room(at, model),
            2 => writer.assert_liveliness(model),
            _ => {
                let reader = usize::from(script.choice(READERS as u8 + 1));
                writer.probe(at, reader_guid(reader), model);
            }
        },
    }
}

fn write(script: &mut Script<'_>, writer: &mut Writer, model: &mut Model, now: Time) {
    let sequence = model.last().saturating_add(1);
    let size = usize::from(script.byte());
    let how = script.byte();
    let kind = match how % 8 {
        0 => ChangeKind::Disposed,
        1 => ChangeKind::Unregistered,
        2 => ChangeKind::DisposedUnregistered,
        _ => ChangeKind::Alive,
    };
    let mut instance = [0; 16];
    instance[0] = script.choice(INSTANCES);
    let payload = pattern(1, sequence, size);
    let mut change = Change {
        kind,
        instance: InstanceHandle(instance),
        timestamp: Timestamp(now.0),
        payload: body(&payload, usize::from(how / 8)),
    };
    let origin = (how & 0xc0 == 0xc0).then(|| origin(now));
    // What it says while it writes must be known already.
    model.written.push(payload);
    match writer.write_in_group(now, &mut change, origin.as_ref(), || None, model) {
        Ok(number) => assert_eq!(number.0, sequence),
        Err(error) => {
            model.written.pop();
            assert_eq!(model.messages, 0, "an error that says something");
            if error == WriteError::Full {
                let owes = (0..READERS).any(|n| model.readers[n].is_some_and(|r| r.reliable));
                assert!(owes, "full, and nobody lacks anything");
            }
        }
    }
}

/// What a router says of a sample that it forwards.
fn origin(now: Time) -> SampleOrigin {
    let identity = SampleIdentity {
        writer: reader_guid(0),
        sequence: SequenceNumber(now.0.max(1)),
    };
    SampleOrigin {
        original_writer: Some(identity),
        related: Some(identity),
        ..SampleOrigin::default()
    }
}

/// In one piece, or around as many bytes of the application's as stand before them.
fn body(payload: &[u8], apart: usize) -> Body {
    let [begin, end] = [apart, 2 * apart].map(|at| at.min(payload.len()));
    let plain = [&payload[..begin], &payload[end..]].concat();
    let bytes = Bytes::copy_from_slice(&payload[begin..end]);
    Body::around(plain.into(), begin, bytes)
}

fn acknowledge(script: &mut Script<'_>, writer: &mut Writer, model: &mut Model, now: Time) {
    let reader = usize::from(script.choice(READERS as u8 + 1));
    let base = script.number(model.last());
    let mut state = SequenceNumberSet::new(SequenceNumber(base));
    match script.choice(8) {
        7 => {
            for n in 0..256 {
                state.insert(SequenceNumber(base.saturating_add(n)));
            }
        }
        some => {
            for _ in 0..some {
                state.insert(SequenceNumber(script.number(base)));
            }
        }
    }
    let ack_nack = AckNack {
        reader: reader_guid(reader).entity,
        writer: model.guid.entity,
        state,
        count: script.short(),
        is_final: script.flag(),
    };
    let possible = base >= 1 && base - 1 <= model.last();
    if let Some(Some(listener)) = model.readers.get_mut(reader).filter(|_| possible) {
        listener.has = listener.has.max(base - 1);
    }
    writer.handle_ack_nack(now, reader_guid(reader), &ack_nack, model);
}

fn add(
    script: &mut Script<'_>,
    config: &WriterConfig,
    writer: &mut Writer,
    model: &mut Model,
    now: Time,
) {
    let reader = usize::from(script.choice(READERS as u8));
    let proxy = ReaderProxyConfig {
        guid: reader_guid(reader),
        reliable: script.choice(4) > 0,
        durability: match script.flag() {
            true => Durability::TransientLocal,
            false => Durability::Volatile,
        },
        expects_inline_qos: script.choice(4) == 0,
        vendor: VendorId::UNKNOWN,
    };
    let reliable = proxy.reliable && config.reliability == ReliabilityKind::Reliable;
    let known = model.readers[reader].filter(|r| r.reliable && reliable);
    model.readers[reader] = Some(known.unwrap_or(Listener {
        reliable,
        heard: false,
        joined: model.last(),
        has: model.last(),
    }));
    writer.add_reader(now, proxy, model);
}

fn check(now: Time, writer: &Writer, config: &WriterConfig, model: &mut Model) {
    assert_eq!(writer.last_sequence().0, model.last());
    let kept = writer.kept();
    let limits = config.resource_limits;
    let most = |limit: Option<u32>| limit.map_or(usize::MAX, |limit| limit as usize);
    assert!(kept <= model.written.len() && kept <= most(limits.max_samples));
    let instances = most(limits.max_instances).min(INSTANCES.into());
    match config.history {
        History::KeepLast(depth) => assert!(kept <= depth.max(1) as usize * instances),
        History::KeepAll => {
            let per_instance = most(limits.max_samples_per_instance);
            assert!(kept <= per_instance.saturating_mul(instances));
        }
    }
    let last = model.last();
    for (n, listener) in model.readers.iter_mut().enumerate() {
        let Some(listener) = listener.as_mut().filter(|r| r.reliable) else {
            continue;
        };
        let progress = writer.progress_of(now, reader_guid(n));
        let progress = progress.expect("a reliable reader that is matched");
        if !listener.heard && !model.waits_for_ever {
            // If it was passed over, it is as one that joined when it first spoke.
            while listener.joined < last
                && writer.is_acknowledged(SequenceNumber(listener.joined + 1))
            {
                listener.joined += 1;
            }
            listener.heard = progress.heard_ago.is_some();
            // Nor has it to get what the history has replaced by then, whoever else lacks it.
            if listener.heard && !model.keeps_all {
                listener.joined = listener.joined.max(progress.acknowledged.0);
            }
        }
        if !progress.waited_for {
            assert!(!listener.heard && !model.waits_for_ever);
            continue;
        }
        let has = listener.joined.max(listener.has);
        let next = SequenceNumber(has.saturating_add(1));
        assert!(
            next.0 > last || !writer.is_acknowledged(next),
            "{} is acknowledged by nobody",
            next.0
        );
    }
    let matched = model.readers.iter().flatten().count();
    assert_eq!(writer.readers().count(), matched);
}
