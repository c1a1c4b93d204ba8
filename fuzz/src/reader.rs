//! A reader among writers that say anything in any order.
use crate::script::{Script, pattern};
use bytes::{Bytes, BytesMut};
use dunlin_qos::{
    DestinationOrder, Durability, Duration, History, Ownership, ReliabilityKind, ResourceLimits,
};
use dunlin_rtps::{
    Delivery, GroupFront, InstanceHandle, KeyOf, OriginBounds, Outbox, PayloadAllocator, Reader,
    ReaderConfig, Sample, Select, Time, To, Which, WriterProxyConfig,
};
use dunlin_wire::{
    Data, DataFrag, EntityId, EntityKind, FragmentNumber, Gap, GroupInfo, Guid, GuidPrefix,
    Heartbeat, HeartbeatFrag, InlineQos, Parameters, Payload, SampleIdentity, SampleOrigin,
    SequenceNumber, SequenceNumberSet, SetMembership, Submessage, Timestamp, VendorId,
};
use std::collections::{BTreeMap, BTreeSet};

const WRITERS: usize = 3;
const INSTANCES: u8 = 4;
const MOST_INCOMPLETE: usize = 64;
const MOST_GAPS: usize = 256;
/// An ACKNACK and NACK_FRAGs for incomplete samples.
const MOST_ANSWERS: usize = 300;

/// What a writer said and what was made of it since it was matched.
#[derive(Default)]
struct Speaker {
    matched: bool,
    reliable: bool,
    /// Numbers that may be missing for good: from, to before.
    excused: Vec<(i64, i64)>,
    /// Numbers that were taken.
    taken: BTreeSet<i64>,
    /// It went far ahead and then showed that it is not there, as after a forged message: what is
    /// of the numbers ahead may be out of order, or come again.
    contradicted: bool,
    /// Somebody forwarded samples: what others brought does not come again.
    forwarded: bool,
    highest: i64,
}

struct Model {
    config: ReaderConfig,
    speakers: [Speaker; WRITERS],
    /// Which samples came, by who wrote them first.
    came: BTreeSet<SampleIdentity>,
    answers: usize,
}

/// Keeps by copy. The first byte of a sample or key is its instance, unless it is a multiple of 5.
struct Hands;

impl PayloadAllocator for Hands {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, _: usize) -> BytesMut {
        BytesMut::new()
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        let first = payload.bytes().first().filter(|b| *b % 5 != 0)?;
        Some(handle(first % INSTANCES))
    }
}

impl Outbox for Model {
    fn push(&mut self, to: To, message: Submessage<'_>, _: &Bytes) {
        self.answers += 1;
        assert!(matches!(to, To::Endpoint(_)));
        match message {
            Submessage::AckNack(ack_nack) => assert!(ack_nack.state.base().0 >= 1),
            Submessage::NackFrag(nack) => assert!(!nack.state.is_empty() && nack.sequence.0 >= 1),
            other => panic!("not said by a reader: {other:?}"),
        }
    }
}

fn handle(n: u8) -> InstanceHandle {
    let mut bytes = [0; 16];
    bytes[15] = n + 1;
    InstanceHandle(bytes)
}

/// The first writer is of our own kind, whose key hashes count.
fn writer_guid(n: usize) -> Guid {
    let mut prefix = *b"..fuzzwriter";
    prefix[..2].copy_from_slice(if n == 0 { b"DL" } else { b"\x01\x10" });
    let entity = EntityId::user(n as u32, EntityKind::WriterWithKey);
    Guid::new(GuidPrefix(prefix), entity)
}

fn reader_guid() -> Guid {
    let entity = EntityId::user(1, EntityKind::ReaderWithKey);
    Guid::new(GuidPrefix(*b"DLfuzzreader"), entity)
}

/// A configuration, then operations: memory stays bounded, no sample is taken twice, damaged, or
/// out of order, and none of a reliable writer is left out that nothing excuses.
pub fn reader(data: &[u8]) {
    let mut script = Script::new(data);
    let config = config(&mut script);
    let mut reader = Reader::new(config.clone());
    let mut model = Model {
        config,
        speakers: Default::default(),
        came: BTreeSet::new(),
        answers: 0,
    };
    let mut now = Time(0);
    for writer in 0..2 {
        add(&mut script, &mut reader, &mut model, now, writer);
    }
    while !script.is_over() {
        model.answers = 0;
        step(&mut script, &mut reader, &mut model, &mut now);
        assert!(model.answers <= MOST_ANSWERS, "{} answers", model.answers);
        check(&reader, &model.config);
    }
    take(&mut reader, &mut model, &Select::default());
    for speaker in &model.speakers {
        check_complete(speaker, &model.config);
    }
}

fn config(script: &mut Script<'_>) -> ReaderConfig {
    let flags;
    ReaderConfig {
        reliability: match script.choice(4) {
            0 => ReliabilityKind::BestEffort,
            _ => ReliabilityKind::Reliable,
        },
        history: match script.choice(4) {
            0 => History::KeepLast(u32::from(script.choice(4))),
            _ => History::KeepAll,
        },
        resource_limits: ResourceLimits {
            max_samples: script.limit(),
            max_instances: script.limit(),
            max_samples_per_instance: script.limit(),
        },
        keyed: {
            flags = script.byte();
            flags & 1 == 1
        },
        across_instances: flags & 2 == 0,
        coherent: flags & 12 == 12,
        grouped: flags & 28 == 28,
        ordered: flags & 32 == 32,
        key_of: script
            .flag()
            .then(|| KeyOf::new(|sample| sample.slice(..sample.len().min(1)))),
        ownership: match script.choice(8) {
            0 => Ownership::Exclusive,
            _ => Ownership::Shared,
        },
        destination_order: match script.choice(8) {
            0 => DestinationOrder::BySourceTimestamp,
            _ => DestinationOrder::ByReceptionTimestamp,
        },
        max_sample_size: 64 * u32::from(script.byte()),
        max_reassembly_bytes: 128 * usize::from(script.byte()),
        max_pending: u32::from(script.byte()),
        duplicates: (flags & 192 == 192).then_some(OriginBounds {
            max_origins: 64,
            forget_after: Duration::INFINITE,
        }),
        ..ReaderConfig::new(reader_guid())
    }
}

fn step(script: &mut Script<'_>, reader: &mut Reader, model: &mut Model, now: &mut Time) {
    let at = *now;
    let writer = usize::from(script.choice(WRITERS as u8));
    let guid = writer_guid(writer);
    match script.choice(16) {
        kind @ 0..10 => {
            let delivery = match kind {
                0..5 => data(script, reader, model, at, writer),
                5..8 => fragment(script, reader, model, at, writer),
                8 => heartbeat(script, reader, model, at, writer),
                _ => gap(script, reader, model, at, writer),
            };
            model.speakers[writer].contradicted |= delivery.implausible;
        }
        10 => {
            let heartbeat = HeartbeatFrag {
                reader: EntityId::UNKNOWN,
                writer: guid.entity,
                sequence: SequenceNumber(script.number(model.speakers[writer].highest)),
                last: FragmentNumber(script.short()),
                count: script.short(),
            };
            reader.handle_heartbeat_frag(at, guid, &heartbeat, model);
        }
        11 | 12 => {
            *now = Time(at.0.saturating_add(script.pause()));
            for _ in 0..8 {
                reader.handle_timeout(*now, model);
            }
            let rests = reader.next_timeout().is_none_or(|due| due > *now);
            assert!(rests || now.0 == i64::MAX, "a timer that stays due");
        }
        13 => {
            let select = select(script);
            match script.choice(4) {
                0 => drop(reader.read(&select, |_| {})),
                _ => take(reader, model, &select),
            }
        }
        14 => add(script, reader, model, at, writer),
        _ => match script.choice(3) {
            0 => {
                take(reader, model, &Select::default());
                check_complete(&model.speakers[writer], &model.config);
                model.speakers[writer] = Speaker {
                    forwarded: model.speakers[writer].forwarded,
                    ..Speaker::default()
                };
                // Its numbers may begin anew.
                model.came.retain(|sample| sample.writer != guid);
                reader.remove_writer(at, guid);
            }
            1 if model.config.grouped => open_gate(script, reader, at),
            1 => drop(reader.silence_writer(*now, guid)),
            _ => reader.hail(guid, model),
        },
    }
}

/// Lets in the next set of some writers, or drops it, by rule or without.
fn open_gate(script: &mut Script<'_>, reader: &mut Reader, now: Time) {
    let fronts: Vec<_> = reader.group_fronts().collect();
    let broken = script.number(0);
    let seen = script.number(0);
    let writers: Vec<_> = fronts.iter().map(|front| front.writer).collect();
    if let Some(turn) = GroupFront::next_turn(&fronts, broken, seen) {
        reader.release_group(now, &writers, turn.first, turn.whole, 1);
    }
    if let Some((number, silent)) = GroupFront::silent(&fronts, seen) {
        silent.for_each(|writer| reader.want_news(now, writer, number));
    }
    reader.places(&Select::default(), |_| {});
    let writer = writer_guid(usize::from(script.choice(WRITERS as u8)));
    let first = reader.last_group_set(writer).unwrap_or(0);
    reader.release_group(now, &[writer], first, script.flag(), 2);
}

fn add(script: &mut Script<'_>, reader: &mut Reader, model: &mut Model, now: Time, writer: usize) {
    let reliable = script.choice(4) > 0;
    let config = WriterProxyConfig {
        guid: writer_guid(writer),
        reliable,
        durability: Durability::Volatile,
        ownership_strength: i32::from(script.choice(3)),
        lifespan: Duration::INFINITE,
        vendor: match writer {
            0 => VendorId::DUNLIN,
            _ => VendorId::CYCLONE_DDS,
        },
    };
    reader.add_writer(now, config, model);
    let speaker = &mut model.speakers[writer];
    if !speaker.matched {
        speaker.matched = true;
        speaker.reliable = reliable && model.config.reliability == ReliabilityKind::Reliable;
    }
}

/// What may stand beside a change.
struct Label {
    inline: InlineQos,
    timestamp: Option<Timestamp>,
    key: bool,
}

fn label(script: &mut Script<'_>, config: &ReaderConfig, sequence: i64) -> Label {
    let kind = script.byte();
    Label {
        inline: InlineQos {
            key_hash: (kind & 1 == 0).then(|| handle(kind / 64).0),
            status_info: (kind & 0b1110 == 0).then(|| u32::from(script.choice(8))),
            set: match config.coherent {
                true => membership(script, sequence),
                false => SetMembership::NONE,
            },
            origin: (kind % 8 == 5).then(|| SampleOrigin {
                original_writer: Some(SampleIdentity {
                    writer: writer_guid(0),
                    sequence: SequenceNumber(sequence.max(1)),
                }),
                ..SampleOrigin::default()
            }),
        },
        timestamp: (kind & 16 == 0).then(|| Timestamp(script.number(0))),
        key: kind & 0b0110_0000 == 0,
    }
}

/// A set that began a little before, one that makes no sense, or none.
fn membership(script: &mut Script<'_>, sequence: i64) -> SetMembership {
    let kind = script.byte();
    let first = match kind % 8 {
        0 | 1 => 0,
        2 => SequenceNumber::UNKNOWN.0,
        3 => script.number(sequence),
        _ => sequence & !3,
    };
    SetMembership {
        first: SequenceNumber(first),
        group_sequence: SequenceNumber(match kind & 0x30 {
            0 => script.number(sequence),
            _ => 0,
        }),
        group_first: SequenceNumber(match kind & 0xc0 {
            0 => script.number(sequence),
            _ => 0,
        }),
        writers: None,
    }
}

/// A change that may come to nothing: one that is no sample, or of an instance that cannot be told.
fn may_vanish(label: &Label, bytes: &[u8]) -> bool {
    label.key
        || bytes.is_empty()
        || label.inline.status_info.is_some()
        || Hands.instance(Payload::Data(bytes)).is_none()
}

fn data(
    script: &mut Script<'_>,
    reader: &mut Reader,
    model: &mut Model,
    now: Time,
    writer: usize,
) -> Delivery {
    let sequence = script.number(model.speakers[writer].highest);
    let label = label(script, &model.config, sequence);
    let forwarded = label.inline.origin.is_some();
    let others = model.speakers.iter_mut();
    others.for_each(|speaker| speaker.forwarded |= forwarded);
    let bytes = pattern(writer as u8, sequence, script.byte().into());
    let payload = match label.key {
        _ if bytes.is_empty() => Payload::None,
        true => Payload::Key(&bytes),
        false => Payload::Data(&bytes),
    };
    let data = Data {
        reader: EntityId::UNKNOWN,
        writer: writer_guid(writer).entity,
        sequence: SequenceNumber(sequence),
        inline_qos: Parameters::NONE,
        payload,
    };
    if may_vanish(&label, &bytes) || bytes.len() > model.config.max_sample_size as usize {
        model.speakers[writer].excuse(sequence, sequence.saturating_add(1));
    }
    reader.handle_data(
        now,
        writer_guid(writer),
        label.timestamp,
        &data,
        &label.inline,
        &mut Hands,
        model,
    )
}

fn fragment(
    script: &mut Script<'_>,
    reader: &mut Reader,
    model: &mut Model,
    now: Time,
    writer: usize,
) -> Delivery {
    let sequence = script.number(model.speakers[writer].highest);
    let label = label(script, &model.config, sequence);
    let forwarded = label.inline.origin.is_some();
    let others = model.speakers.iter_mut();
    others.for_each(|speaker| speaker.forwarded |= forwarded);
    let sample_size = script.short();
    let fragment_size = u16::from(script.byte());
    let (first, count) = (script.short(), u16::from(script.choice(5)));
    // What lies beyond any real sample is cut: nobody sends more than a datagram.
    let whole = pattern(writer as u8, sequence, sample_size.min(1 << 12) as usize);
    let begin = (first.saturating_sub(1) as usize).saturating_mul(fragment_size.into());
    let length = usize::from(fragment_size) * usize::from(count);
    let bytes = whole.get(begin.min(whole.len())..).unwrap_or_default();
    let bytes = &bytes[..length.min(bytes.len())];
    let limit = model.config.max_sample_size as usize;
    let most = limit.min(model.config.max_reassembly_bytes);
    if may_vanish(&label, &whole) || sample_size as usize > most {
        model.speakers[writer].excuse(sequence, sequence.saturating_add(1));
    }
    let frag = DataFrag {
        reader: EntityId::UNKNOWN,
        writer: writer_guid(writer).entity,
        sequence: SequenceNumber(sequence),
        first: FragmentNumber(first),
        count,
        fragment_size,
        sample_size,
        inline_qos: Parameters::NONE,
        key: label.key,
        payload: bytes,
    };
    reader.handle_data_frag(
        now,
        writer_guid(writer),
        label.timestamp,
        &frag,
        &label.inline,
        &mut Hands,
        model,
    )
}

fn heartbeat(
    script: &mut Script<'_>,
    reader: &mut Reader,
    model: &mut Model,
    now: Time,
    writer: usize,
) -> Delivery {
    let highest = model.speakers[writer].highest;
    let (first, last) = (script.number(highest), script.number(highest));
    let flags = script.byte();
    let heartbeat = Heartbeat {
        reader: match flags & 1 {
            0 => EntityId::UNKNOWN,
            _ => reader_guid().entity,
        },
        writer: writer_guid(writer).entity,
        first: SequenceNumber(first),
        last: SequenceNumber(last),
        count: script.short(),
        is_final: flags & 2 == 0,
        liveliness: flags & 4 == 0,
        group: (flags & 24 == 24).then(|| GroupInfo {
            current: SequenceNumber(script.number(highest)),
            ..GroupInfo::default()
        }),
    };
    model.speakers[writer].excuse(1, first);
    reader.handle_heartbeat(now, writer_guid(writer), &heartbeat, model)
}

fn gap(
    script: &mut Script<'_>,
    reader: &mut Reader,
    model: &mut Model,
    now: Time,
    writer: usize,
) -> Delivery {
    let speaker = &mut model.speakers[writer];
    let (start, base) = (
        script.number(speaker.highest),
        script.number(speaker.highest),
    );
    let mut list = SequenceNumberSet::new(SequenceNumber(base));
    for _ in 0..script.choice(4) {
        list.insert(SequenceNumber(script.number(base)));
    }
    speaker.excuse(start, base);
    for number in list.iter() {
        speaker.excuse(number.0, number.0.saturating_add(1));
    }
    let gap = Gap {
        reader: EntityId::UNKNOWN,
        writer: writer_guid(writer).entity,
        start: SequenceNumber(start),
        list,
    };
    reader.handle_gap(now, writer_guid(writer), &gap, model)
}

fn select(script: &mut Script<'_>) -> Select {
    let mut select = Select::default();
    let kind = script.byte();
    if kind & 1 == 0 {
        select.max = usize::from(script.choice(8));
    }
    if kind & 0b110 == 0 {
        let instance = handle(script.choice(INSTANCES));
        select.instance = Some(match kind & 8 {
            0 => Which::This(instance),
            _ => Which::Next(instance),
        });
    }
    if kind & 0b11_0000 == 0 {
        select.sample_states = u32::from(script.byte());
        select.view_states = u32::from(script.byte());
        select.instance_states = u32::from(script.byte());
    }
    select
}

fn take(reader: &mut Reader, model: &mut Model, select: &Select) {
    let mut samples = Vec::new();
    let count = reader.take(select, |sample| samples.push(sample));
    assert_eq!(count, samples.len());
    assert!(count <= select.max);
    let is_ordered = model.config.destination_order == DestinationOrder::ByReceptionTimestamp;
    let mut before = BTreeMap::new();
    for sample in samples.iter().filter(|s| s.info.valid_data) {
        let writer = model.receive(sample);
        let number = sample.info.sequence.0;
        let of = match model.config.across_instances {
            true => InstanceHandle::NIL,
            false => sample.info.instance,
        };
        let before = before.insert((writer, of), number);
        let in_order = before < Some(number) || model.speakers[writer].contradicted;
        assert!(!is_ordered || in_order, "out of order");
    }
    check_together(&samples, &model.config);
}

/// Samples of an instance are together where nobody asked for the order of all.
fn check_together(samples: &[Sample], config: &ReaderConfig) {
    let instances = samples.iter().map(|sample| sample.info.instance);
    let mut runs: Vec<_> = instances.collect();
    runs.dedup();
    let known: BTreeSet<_> = runs.iter().collect();
    assert!(
        config.across_instances || known.len() == runs.len(),
        "an instance apart"
    );
}

impl Model {
    /// Whose sample it is: each comes once, and as it was sent.
    fn receive(&mut self, sample: &Sample) -> usize {
        let guid = sample.info.publication;
        let writer = (0..WRITERS).find(|n| writer_guid(*n) == guid).unwrap();
        let number = sample.info.sequence.0;
        let sent = pattern(writer as u8, number, sample.payload.len());
        assert_eq!(sample.payload.to_bytes().unwrap(), sent, "damaged");
        let speaker = &mut self.speakers[writer];
        let is_new = speaker.taken.insert(number);
        assert!(is_new || speaker.contradicted, "{number} came twice");
        let identity = sample.info.identity();
        if self.config.duplicates.is_some() && !self.config.coherent {
            let is_first = self.came.insert(identity);
            let contradicted = self.speakers.iter().any(|s| s.contradicted);
            assert!(is_first || contradicted, "{identity:?} came in two ways");
        }
        let speaker = &mut self.speakers[writer];
        speaker.highest = speaker.highest.max(number);
        writer
    }
}

impl Speaker {
    fn excuse(&mut self, from: i64, to: i64) {
        if from < to {
            self.excused.push((from, to));
        }
    }
}

/// Nothing below the highest number that was taken is missing without excuse.
fn check_complete(speaker: &Speaker, config: &ReaderConfig) {
    let loses = config.history != History::KeepAll
        || config.ownership == Ownership::Exclusive
        || config.destination_order == DestinationOrder::BySourceTimestamp
        || config.coherent;
    let others = config.duplicates.is_some() && speaker.forwarded;
    if !speaker.reliable || loses || others {
        return;
    }
    let taken = speaker.taken.iter().map(|n| (*n, *n + 1));
    let mut known: Vec<_> = speaker.excused.iter().copied().chain(taken).collect();
    known.sort_unstable();
    let mut next = 1;
    for (from, to) in known {
        assert!(from <= next || next > speaker.highest, "{next} is missing");
        next = next.max(to);
    }
}

fn check(reader: &Reader, config: &ReaderConfig) {
    let holdings = reader.holdings();
    let writers = reader.writers().count();
    let most = |limit: Option<u32>| limit.map_or(usize::MAX, |limit| limit as usize);
    let limits = config.resource_limits;
    assert!(holdings.valid_samples <= most(limits.max_samples));
    assert!(holdings.instances <= most(limits.max_instances).min(usize::from(INSTANCES) + 1));
    assert!(holdings.samples <= holdings.valid_samples + holdings.instances);
    let per_instance = match config.history {
        History::KeepLast(depth) => depth.max(1) as usize,
        History::KeepAll => most(limits.max_samples_per_instance),
    };
    assert!(holdings.valid_samples <= per_instance.saturating_mul(holdings.instances));
    // One more: what was put together from fragments waits for room.
    assert!(holdings.early <= writers * (config.max_pending as usize + 1));
    assert!(holdings.early_bytes <= writers * config.max_reassembly_bytes);
    assert!(holdings.in_sets_bytes <= writers * config.max_reassembly_bytes);
    assert!(holdings.in_sets * 128 <= writers * config.max_reassembly_bytes);
    assert!(holdings.incomplete <= writers * MOST_INCOMPLETE);
    assert!(holdings.gaps <= writers * MOST_GAPS);
    assert!(holdings.names <= writers * holdings.instances);
}
