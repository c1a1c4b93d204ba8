//! Samples that repeat others or answer them: what they say of these comes through, and a sample
//! that comes in two ways is seen once if the reader asks for that.
mod common;

use common::{
    Message, Recorder, end, feed, number_of, proxy_of_reader, proxy_of_writer, reader_guid,
    reliable_reader, reliable_writer, sample, writer_guid,
};
use dunlin_qos::{Duration, History, Ownership, ResourceLimits};
use dunlin_rtps::{
    Change, ChangeKind, InstanceHandle, InstanceState, OriginBounds, Reader, ReaderConfig, Sample,
    Select, Time, Writer, WriterConfig,
};
use dunlin_wire::{
    Guid, Hops, InlineQos, Parameters, SampleIdentity, SampleOrigin, SequenceNumber,
};

const NOW: Time = Time(1_000_000_000);

fn identity(writer: u8, sequence: i64) -> SampleIdentity {
    SampleIdentity {
        writer: writer_guid(writer),
        sequence: SequenceNumber(sequence),
    }
}

fn forwarded(writer: u8, sequence: i64) -> SampleOrigin {
    SampleOrigin {
        original_writer: Some(identity(writer, sequence)),
        ..SampleOrigin::default()
    }
}

/// A change, and what it says of its origin.
struct Told(Change, Option<SampleOrigin>);

impl From<Change> for Told {
    fn from(change: Change) -> Self {
        Self(change, None)
    }
}

fn with(change: Change, origin: SampleOrigin) -> Told {
    Told(change, Some(origin))
}

/// What a writer says when it writes, with nobody else to hear it.
struct Speaker {
    writer: Writer,
    guid: Guid,
}

impl Speaker {
    fn new(config: WriterConfig, reader: &mut Reader) -> Self {
        let mut writer = Writer::new(config.clone());
        let out = &mut Recorder::default();
        reader.add_writer(NOW, proxy_of_writer(&config), out);
        let mut said = Recorder::default();
        writer.add_reader(NOW, proxy_of_reader(&reliable_reader()), &mut said);
        writer.probe(NOW, reader_guid(1), &mut said);
        let mut speaker = Self {
            writer,
            guid: config.guid,
        };
        speaker.tell(reader, &said);
        speaker
    }

    fn numbered(number: u8, reader: &mut Reader) -> Self {
        let config = WriterConfig {
            guid: writer_guid(number),
            ..reliable_writer()
        };
        Self::new(config, reader)
    }

    fn say(&mut self, change: impl Into<Told>) -> Recorder {
        let mut out = Recorder::default();
        let Told(mut change, origin) = change.into();
        self.writer
            .write_in_group(NOW, &mut change, origin.as_ref(), || None, &mut out)
            .unwrap();
        out
    }

    /// Brings the reader what was said, and the writer what it answers, until nobody says more.
    fn tell(&mut self, reader: &mut Reader, said: &Recorder) {
        let mut more = Recorder::default();
        for (_, timestamp, message) in &said.messages {
            let mut answers = Recorder::default();
            feed(reader, NOW, self.guid, *timestamp, message, &mut answers);
            for (_, _, answer) in &answers.messages {
                if let Message::AckNack(answer) = answer {
                    let from = reader_guid(1);
                    self.writer.handle_ack_nack(NOW, from, answer, &mut more);
                }
            }
        }
        if !more.messages.is_empty() {
            self.tell(reader, &more);
        }
    }

    fn write(&mut self, reader: &mut Reader, change: impl Into<Told>) {
        let said = self.say(change);
        self.tell(reader, &said);
    }
}

fn taken(reader: &mut Reader) -> Vec<Sample> {
    let mut samples = Vec::new();
    reader.take(&Select::default(), |sample| samples.push(sample));
    samples
}

fn numbers(reader: &mut Reader) -> Vec<u32> {
    taken(reader).iter().map(number_of).collect()
}

fn once() -> ReaderConfig {
    ReaderConfig {
        duplicates: Some(OriginBounds::default()),
        ..reliable_reader()
    }
}

#[test]
fn what_a_change_says_of_its_origin_comes_with_its_sample() {
    let mut hops = Hops::default();
    assert!(hops.push(7) && hops.push(9));
    let origin = SampleOrigin {
        related: Some(identity(8, 40)),
        hops,
        ..forwarded(9, 12)
    };
    for fragment_size in [None, Some(100)] {
        let mut reader = Reader::new(reliable_reader());
        let config = WriterConfig {
            fragment_size,
            ..reliable_writer()
        };
        let mut speaker = Speaker::new(config, &mut reader);
        let plain = sample(1, 1, 300);
        speaker.write(&mut reader, plain);
        speaker.write(&mut reader, with(sample(1, 2, 300), origin));
        speaker.write(&mut reader, with(end(ChangeKind::Disposed, 1), origin));
        let mut read = Vec::new();
        reader.read(&Select::default(), |sample| read.push(sample));
        let samples = taken(&mut reader);
        let origins = |samples: &[Sample]| -> Vec<_> {
            let origins = samples.iter().map(|s| s.info.origin);
            origins.collect()
        };
        let expected = [None, Some(origin), Some(origin)];
        assert_eq!(origins(&samples), expected, "{fragment_size:?}");
        assert_eq!(origins(&read), expected);
        let [first, second, _] = &samples[..] else {
            unreachable!()
        };
        assert_eq!(first.info.identity(), identity(1, 1));
        assert_eq!(second.info.identity(), identity(9, 12));
        assert_eq!(second.info.original_writer(), Some(identity(9, 12)));
        assert_eq!(second.info.related_sample_identity(), Some(identity(8, 40)));
    }
}

#[test]
fn a_repair_says_it_too_and_so_does_what_comes_too_early() {
    let mut reader = Reader::new(reliable_reader());
    let mut speaker = Speaker::numbered(1, &mut reader);
    let origin = |n| forwarded(9, n);
    let lost = speaker.say(with(sample(1, 1, 8), origin(1)));
    assert_eq!(lost.messages.len(), 1);
    // The reader keeps this one, and asks for the other.
    speaker.write(&mut reader, with(sample(2, 2, 8), origin(2)));
    let origins: Vec<_> = taken(&mut reader)
        .iter()
        .map(|s| s.info.identity())
        .collect();
    assert_eq!(origins, [identity(9, 1), identity(9, 2)]);
}

#[test]
fn a_sample_that_comes_in_two_ways_is_seen_once() {
    let mut reader = Reader::new(once());
    let mut origin = Speaker::numbered(1, &mut reader);
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    // By a router before its writer is heard, by the writer first, and by routers alone.
    routers[0].write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    origin.write(&mut reader, sample(1, 1, 8));
    origin.write(&mut reader, sample(1, 2, 8));
    routers[1].write(&mut reader, with(sample(1, 2, 8), forwarded(1, 2)));
    routers[0].write(&mut reader, with(sample(1, 2, 8), forwarded(1, 2)));
    routers[1].write(&mut reader, with(sample(1, 3, 8), forwarded(1, 3)));
    routers[0].write(&mut reader, with(sample(1, 3, 8), forwarded(1, 3)));
    // What routers write of their own is none of it, nor is the same number of another.
    routers[0].write(&mut reader, sample(1, 50, 8));
    routers[1].write(&mut reader, with(sample(1, 51, 8), forwarded(4, 3)));
    assert_eq!(numbers(&mut reader), [1, 2, 3, 50, 51]);
    assert_eq!(reader.passed_over().duplicate, 4);
    // All of it counts as received.
    assert!(reader.is_complete());
    assert_eq!(reader.standing(writer_guid(2)).unwrap().settled, 4);
}

#[test]
fn what_its_writer_brought_before_any_router_is_known() {
    let mut reader = Reader::new(once());
    let mut origin = Speaker::numbered(1, &mut reader);
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    for number in 1..=3 {
        origin.write(&mut reader, sample(1, number, 8));
    }
    for number in 2..=4 {
        let origin = forwarded(1, i64::from(number));
        routers[0].write(&mut reader, with(sample(1, number, 8), origin));
    }
    // The other router has more of the history of a writer that nobody knew.
    routers[0].write(&mut reader, with(sample(1, 90, 8), forwarded(7, 2000)));
    routers[1].write(&mut reader, with(sample(1, 80, 8), forwarded(7, 3)));
    assert_eq!(numbers(&mut reader), [1, 2, 3, 4, 90, 80]);
    assert_eq!(reader.passed_over().duplicate, 2);
}

#[test]
fn all_ways_count_unless_the_reader_asks() {
    let mut reader = Reader::new(reliable_reader());
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    for router in &mut routers {
        router.write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    }
    assert_eq!(numbers(&mut reader), [1, 1]);
    assert_eq!(reader.passed_over().duplicate, 0);
}

#[test]
fn what_is_rejected_has_not_come() {
    let mut reader = Reader::new(ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(1),
            ..ResourceLimits::default()
        },
        history: History::KeepAll,
        ..once()
    });
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    routers[0].write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    let again = routers[0].say(with(sample(1, 2, 8), forwarded(1, 2)));
    routers[0].tell(&mut reader, &again);
    routers[1].write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    assert_eq!(numbers(&mut reader), [1]);
    // There is room now: the other way brings it, and the first way's repetition is one too many.
    routers[1].write(&mut reader, with(sample(1, 2, 8), forwarded(1, 2)));
    assert_eq!(numbers(&mut reader), [2]);
    let out = &mut Recorder::default();
    reader.handle_timeout(NOW.after(Duration::from_secs(1)), out);
    routers[0].tell(&mut reader, &again);
    assert_eq!(numbers(&mut reader), [0; 0]);
    assert_eq!(reader.passed_over().duplicate, 2);
}

/// What became of instance 1 since this was asked last.
fn states(reader: &mut Reader) -> Vec<InstanceState> {
    let states = taken(reader).into_iter().map(|s| s.info.instance_state);
    states.collect()
}

#[test]
fn an_instance_lives_while_one_of_its_ways_does() {
    let mut reader = Reader::new(once());
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    for router in &mut routers {
        router.write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    }
    assert_eq!(states(&mut reader), [InstanceState::Alive]);
    reader.remove_writer(NOW, writer_guid(2));
    assert_eq!(states(&mut reader), []);
    reader.remove_writer(NOW, writer_guid(3));
    assert_eq!(states(&mut reader), [InstanceState::NotAliveNoWriters]);
}

#[test]
fn an_instance_ends_when_each_way_has_brought_that() {
    let mut reader = Reader::new(once());
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    for (number, change) in [(1, sample(1, 1, 8)), (2, end(ChangeKind::Unregistered, 1))] {
        for router in &mut routers {
            router.write(&mut reader, with(change.clone(), forwarded(1, number)));
        }
    }
    let ended = [InstanceState::NotAliveNoWriters; 2];
    assert_eq!(states(&mut reader), ended);
    // What ended it before comes once more by the slower way, and what followed counts.
    routers[0].write(&mut reader, with(sample(1, 3, 8), forwarded(1, 3)));
    let dispose = end(ChangeKind::Disposed, 1);
    routers[0].write(&mut reader, with(dispose.clone(), forwarded(1, 4)));
    routers[0].write(&mut reader, with(sample(1, 5, 8), forwarded(1, 5)));
    routers[1].write(&mut reader, with(sample(1, 3, 8), forwarded(1, 3)));
    routers[1].write(&mut reader, with(dispose, forwarded(1, 4)));
    let mut last = states(&mut reader);
    assert_eq!(last.pop(), Some(InstanceState::Alive));
}

#[test]
fn what_comes_first_by_a_way_that_is_not_heeded_comes_by_the_other_one() {
    let mut reader = Reader::new(ReaderConfig {
        ownership: Ownership::Exclusive,
        ..once()
    });
    let mut routers = [2, 3].map(|number| Speaker::numbered(number, &mut reader));
    routers[0].write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    // The instance is owned by the other one, that is as strong.
    routers[1].write(&mut reader, with(sample(1, 1, 8), forwarded(1, 1)));
    routers[1].write(&mut reader, with(sample(1, 2, 8), forwarded(1, 2)));
    routers[0].write(&mut reader, with(sample(1, 2, 8), forwarded(1, 2)));
    assert_eq!(numbers(&mut reader), [1, 2]);
}

#[test]
fn a_forwarded_sample_that_came_without_a_key_hash_goes_on_without() {
    let keyed = WriterConfig {
        keyed: true,
        ..reliable_writer()
    };
    let mut reader = Reader::new(reliable_reader());
    let mut speaker = Speaker::new(keyed, &mut reader);
    let hash_of = |said: &Recorder| {
        let data = said
            .messages
            .iter()
            .find_map(|(_, _, message)| match message {
                Message::Data(_, inline, ..) => Some(inline.clone()),
                _ => None,
            });
        let inline = data.expect("a sample is sent");
        let parameters = Parameters::little_endian(&inline);
        InlineQos::parse(parameters).unwrap().key_hash
    };
    let nobody = InstanceHandle::NIL;
    let change = |kind, size| Change {
        kind,
        instance: nobody,
        payload: bytes::Bytes::from(vec![0; size]).into(),
        ..sample(1, 1, 8)
    };
    let foreign = SampleOrigin {
        foreign_key_hash: true,
        ..forwarded(7, 1)
    };
    let alive = change(ChangeKind::Alive, 8);
    assert_eq!(hash_of(&speaker.say(with(alive.clone(), foreign))), None);
    // The hash of a key may be zeros.
    let own = hash_of(&speaker.say(with(alive, forwarded(7, 2))));
    assert_eq!(own, Some(nobody.0));
    // Nothing else says which instance it is.
    let dispose = change(ChangeKind::Disposed, 0);
    let told = hash_of(&speaker.say(with(dispose, foreign)));
    assert_eq!(told, Some(nobody.0));
}
