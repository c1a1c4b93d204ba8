//! Fragments go on before the whole sample is there: what readers hand out of incomplete samples,
//! and what writers say of changes that are not whole.
#[path = "../common/mod.rs"]
mod common;
mod relayed;

use bytes::{Bytes, BytesMut};
use common::*;
use dunlin_qos::{Durability, History};
use dunlin_rtps::{
    Arriving, Change, Reader, ReaderConfig, ReaderProxyConfig, Time, WriteError, Writer,
    WriterConfig,
};
use dunlin_wire::{
    AckNack, FragmentNumber, FragmentNumberSet, Gap, NackFrag, SequenceNumber, SequenceNumberSet,
    VendorId,
};

fn fragmenting(n: u8, size: u16) -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        fragment_size: Some(size),
        ..WriterConfig::new(writer_guid(n))
    }
}

fn passing_on(n: u8) -> ReaderConfig {
    ReaderConfig {
        guid: reader_guid(n),
        keyed: false,
        stream: true,
        arriving: Some(1),
        ..reliable_reader()
    }
}

fn payload(change: &Change) -> Bytes {
    change.payload.whole().unwrap().clone()
}

fn without_payload(change: &Change) -> Change {
    Change {
        payload: Bytes::new().into(),
        ..change.clone()
    }
}

/// A writer whose one reader, or none, is scripted.
struct Writing {
    writer: Writer,
    out: Recorder,
    now: i64,
    answers: u32,
}

impl Writing {
    /// Fragments have 100 bytes.
    fn to(reliable: bool, vendor: VendorId) -> Self {
        let mut one = Self {
            writer: Writer::new(fragmenting(1, 100)),
            out: Recorder::default(),
            now: 0,
            answers: 0,
        };
        one.join(1, reliable, vendor);
        one
    }

    fn join(&mut self, n: u8, reliable: bool, vendor: VendorId) -> Vec<String> {
        let reader = ReaderProxyConfig {
            guid: reader_guid(n),
            reliable,
            durability: Durability::Volatile,
            expects_inline_qos: false,
            vendor,
        };
        let now = Time(self.now);
        self.writer.add_reader(now, reader, &mut self.out);
        self.out.said()
    }

    fn open(&mut self, change: &Change) -> Option<i64> {
        let (size, change) = (change.payload.len(), without_payload(change));
        let opened = self.writer.open(Time(self.now), &change, size, None);
        assert_eq!(self.out.said(), [""; 0]);
        opened.map(|number| number.0)
    }

    fn extend(&mut self, change: &Change, from: usize, until: usize) -> Vec<String> {
        let bytes = payload(change).slice(from..until);
        assert!(self.writer.extend(bytes, &mut self.out));
        self.out.said()
    }

    fn complete(&mut self, change: &Change) -> Vec<String> {
        let now = Time(self.now);
        let payload = change.payload.clone();
        self.writer.complete(now, payload, &mut self.out).unwrap();
        self.out.said()
    }

    fn hear(&mut self, base: i64, missing: &[i64]) -> Vec<String> {
        let mut state = SequenceNumberSet::new(SequenceNumber(base));
        for n in missing {
            assert!(state.insert(SequenceNumber(*n)));
        }
        self.answers += 1;
        let message = AckNack {
            reader: reader_guid(1).entity,
            writer: writer_guid(1).entity,
            state,
            count: self.answers,
            is_final: missing.is_empty(),
        };
        let now = Time(self.now);
        self.writer
            .handle_ack_nack(now, reader_guid(1), &message, &mut self.out);
        self.out.said()
    }

    fn lack(&mut self, sequence: i64, missing: &[u32]) -> Vec<String> {
        let mut state = FragmentNumberSet::new(FragmentNumber(missing[0]));
        for n in missing {
            assert!(state.insert(FragmentNumber(*n)));
        }
        self.answers += 1;
        let message = NackFrag {
            reader: reader_guid(1).entity,
            writer: writer_guid(1).entity,
            sequence: SequenceNumber(sequence),
            state,
            count: self.answers,
        };
        let now = Time(self.now);
        self.writer
            .handle_nack_frag(now, reader_guid(1), &message, &mut self.out);
        self.out.said()
    }

    fn wait(&mut self, ms: i64) -> Vec<String> {
        self.now += ms * MS;
        self.writer.handle_timeout(Time(self.now), &mut self.out);
        self.out.said()
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn each_fragment_is_said_once_when_all_of_it_is_there_and_the_last_one_when_all_is_whole() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 7, 350);
    assert_eq!(w.open(&change), Some(1));
    assert_eq!(w.extend(&change, 0, 99), NOTHING);
    assert_eq!(w.extend(&change, 99, 250), ["FRAG 1.1", "FRAG 1.2"]);
    assert_eq!(w.extend(&change, 250, 350), ["FRAG 1.3"]);
    assert!(!w.writer.extend(Bytes::from_static(b"x"), &mut w.out));
    assert_eq!(w.complete(&change), ["FRAG 1.4"]);
    assert_eq!(w.writer.kept(), 1);
    assert_eq!(w.hear(2, &[]), NOTHING);
    assert_eq!(w.writer.kept(), 0);
    assert!(w.writer.is_acknowledged(SequenceNumber(1)));
}

#[test]
fn what_is_said_of_an_open_change_is_what_is_said_of_it_whole() {
    let mut open = Writing::to(true, VendorId::DUNLIN);
    let mut whole = Writing::to(true, VendorId::DUNLIN);
    let change = sample(3, 9, 1234);
    whole
        .writer
        .write(Time(0), &change, &mut whole.out)
        .unwrap();
    let size = change.payload.len();
    open.writer
        .open(Time(0), &without_payload(&change), size, None);
    for part in payload(&change).chunks(37) {
        let part = Bytes::copy_from_slice(part);
        assert!(open.writer.extend(part, &mut open.out));
    }
    open.writer
        .complete(Time(0), change.payload.clone(), &mut open.out)
        .unwrap();
    let said = |w: &Writing| format!("{:?}", w.out.messages);
    assert_eq!(said(&open), said(&whole));
}

#[test]
fn heartbeats_do_not_name_an_open_change_and_heartbeat_frags_say_what_there_is() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let first = sample(1, 1, 50);
    w.writer.write(Time(0), &first, &mut w.out).unwrap();
    w.out.said();
    let change = sample(1, 2, 500);
    assert_eq!(w.open(&change), Some(2));
    assert_eq!(w.wait(100), ["HEARTBEAT 1..1? !"]);
    assert_eq!(
        w.extend(&change, 0, 320),
        ["FRAG 2.1", "FRAG 2.2", "FRAG 2.3"]
    );
    let both = ["HEARTBEAT 1..1? !", "HEARTBEAT_FRAG 2.3 !"];
    let said = w.wait(150);
    assert!(said.ends_with(&both.map(String::from)), "{said:?}");
    assert_eq!(w.hear(2, &[]), NOTHING);
    assert_eq!(w.wait(100), ["HEARTBEAT_FRAG 2.3"]);
    w.complete(&change);
    let said = w.wait(200);
    assert_eq!(said, ["HEARTBEAT 2..2?"]);
}

#[test]
fn who_lacks_fragments_of_an_open_change_gets_those_that_were_said() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 1, 500);
    w.open(&change);
    w.extend(&change, 0, 250);
    let expected = ["FRAG 1.2 !", "HEARTBEAT_FRAG 1.2 !"];
    assert_eq!(w.lack(1, &[2, 3, 5]), expected);
    assert_eq!(w.lack(1, &[3, 4]), NOTHING);
    assert_eq!(w.lack(2, &[1]), NOTHING);
    let all = w.hear(1, &[1]);
    let expected = ["FRAG 1.1 !", "FRAG 1.2 !", "HEARTBEAT_FRAG 1.2 !"];
    assert_eq!(all[..3], expected);
    // Not again at once.
    let again = w.hear(1, &[1]);
    assert!(
        !again.iter().any(|said| said.contains(" 1.1 ")),
        "{again:?}"
    );
}

#[test]
fn nobody_can_acknowledge_an_open_change() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 1, 500);
    w.open(&change);
    w.extend(&change, 0, 500);
    assert_eq!(w.hear(2, &[]), NOTHING);
    w.complete(&change);
    assert_eq!(w.writer.kept(), 1);
    assert!(!w.writer.is_acknowledged(SequenceNumber(1)));
}

#[test]
fn an_abandoned_change_is_a_gap_or_nothing_if_nobody_heard_of_it() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 1, 500);
    w.open(&change);
    w.extend(&change, 0, 80);
    assert!(w.writer.abandon(Time(0), &mut w.out));
    assert_eq!(w.out.said(), NOTHING);
    assert_eq!(w.open(&change), Some(1));
    w.extend(&change, 0, 180);
    assert!(w.writer.abandon(Time(0), &mut w.out));
    let said = w.out.said();
    assert_eq!(said[0], "GAP 1..2 [] !");
    assert_eq!(said[1], "HEARTBEAT 1..1? !");
    assert!(!w.writer.abandon(Time(0), &mut w.out));
    assert_eq!(w.writer.kept(), 0);
    let next = sample(1, 2, 50);
    let written = w.writer.write(Time(0), &next, &mut w.out);
    assert_eq!(written, Ok(SequenceNumber(2)));
}

#[test]
fn best_effort_readers_of_ours_hear_that_it_will_not_come() {
    for (vendor, gap) in [(VendorId::DUNLIN, true), (VendorId::UNKNOWN, false)] {
        let mut w = Writing::to(false, vendor);
        let change = sample(1, 1, 500);
        w.open(&change);
        assert_eq!(w.extend(&change, 0, 180), ["FRAG 1.1"]);
        assert_eq!(w.wait(1000), NOTHING);
        w.writer.abandon(Time(w.now), &mut w.out);
        assert_eq!(w.out.said().contains(&"GAP 1..2 [] !".into()), gap);
        assert_eq!(w.writer.next_timeout(), None);
    }
}

#[test]
fn nothing_else_is_written_meanwhile() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let (change, other) = (sample(1, 1, 500), sample(1, 2, 50));
    w.open(&change);
    let full = w.writer.write(Time(0), &other, &mut w.out);
    assert_eq!(full, Err(WriteError::Full));
    assert_eq!(w.open(&change), None);
    w.complete(&change);
    assert!(w.writer.write(Time(0), &other, &mut w.out).is_ok());
    let not_open = w
        .writer
        .complete(Time(0), change.payload.clone(), &mut w.out);
    assert_eq!(not_open, Err(WriteError::NotOpen));
}

#[test]
fn a_change_of_another_length_than_was_said_is_abandoned() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 1, 500);
    w.open(&change);
    w.extend(&change, 0, 300);
    let shorter = payload(&change).slice(1..);
    let written = w.writer.complete(Time(0), shorter.into(), &mut w.out);
    assert_eq!(written, Err(WriteError::NotOpen));
    assert!(w.out.said().contains(&"GAP 1..2 [] !".into()));
    assert!(!w.writer.is_open());
}

#[test]
fn what_would_not_go_in_fragments_is_not_opened() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    assert_eq!(w.open(&sample(1, 1, 100)), None);
    w.writer.set_fragment_size(None);
    assert_eq!(w.open(&sample(1, 1, 1000)), None);
    w.writer.set_fragment_size(Some(100));
    w.writer.set_reader_limit(reader_guid(1), Some(600));
    assert_eq!(w.open(&sample(1, 1, 1000)), None);
    w.writer.begin_set();
    assert_eq!(w.open(&sample(1, 1, 500)), None);
}

#[test]
fn the_size_of_its_fragments_stays() {
    let mut w = Writing::to(true, VendorId::DUNLIN);
    let change = sample(1, 1, 350);
    w.open(&change);
    w.extend(&change, 0, 100);
    w.writer.set_fragment_size(Some(170));
    assert_eq!(w.extend(&change, 100, 230), ["FRAG 1.2"]);
    assert_eq!(w.complete(&change), ["FRAG 1.3", "FRAG 1.4"]);
    let next = sample(1, 2, 350);
    w.writer.write(Time(0), &next, &mut w.out).unwrap();
    assert_eq!(w.out.said().len(), 3);
    // All goes whole from now on, what is open too.
    let last = sample(1, 3, 350);
    w.open(&last);
    w.extend(&last, 0, 180);
    w.writer.set_fragment_size(None);
    assert_eq!(w.extend(&last, 180, 345), NOTHING);
    assert_eq!(w.complete(&last), ["DATA 3"]);
}

#[test]
fn who_joins_meanwhile_gets_the_open_change() {
    let mut world = World::new(1, Link::default());
    let (writer, early) = (fragmenting(1, 100), passing_on(1));
    let late = ReaderConfig {
        guid: reader_guid(2),
        ..early.clone()
    };
    world.add_writer(&writer);
    world.add_reader(&early);
    world.add_reader(&late);
    world.connect(&writer, &early);
    let change = sample(1, 5, 1000);
    let mut out = Recorder::default();
    let w = world.writers.get_mut(&writer.guid).unwrap();
    w.open(Time(0), &without_payload(&change), 1000, None);
    w.extend(payload(&change).slice(..450), &mut out);
    world.post(writer.guid, out);
    world.run_for(MS);
    world.connect(&writer, &late);
    world.run_for(50 * MS);
    let mut out = Recorder::default();
    let w = world.writers.get_mut(&writer.guid).unwrap();
    w.complete(world.now, change.payload.clone(), &mut out)
        .unwrap();
    world.post(writer.guid, out);
    world.settle();
    assert_eq!(world.numbers(early.guid), [5]);
    assert_eq!(world.numbers(late.guid), [5]);
}

/// What a reader handed out.
fn news(reader: &mut Reader) -> Vec<String> {
    let mut all = Vec::new();
    reader.take_arriving(BytesMut::with_capacity, |one| {
        all.push(match one {
            Arriving::Begins { info, size } => {
                assert_eq!(info.publication, writer_guid(1));
                format!("BEGINS {} of {size}", info.sequence.0)
            }
            Arriving::Grows {
                sequence, bytes, ..
            } => format!("GROWS {} by {}", sequence.0, bytes.len()),
            Arriving::Ends { sequence, .. } => format!("ENDS {}", sequence.0),
        });
    });
    all
}

/// A reader and what its writer says to it, message by message.
struct Reading {
    reader: Reader,
    out: Recorder,
}

impl Reading {
    fn new(config: ReaderConfig) -> Self {
        let (writer, reader) = (fragmenting(1, 100), Reader::new(config));
        let mut one = Self {
            reader,
            out: Recorder::default(),
        };
        one.reader
            .add_writer(Time(0), proxy_of_writer(&writer), &mut one.out);
        one
    }

    /// Feeds what is said of some changes of 500 bytes: the fragments with these numbers.
    fn feed(&mut self, fragments: &[(i64, u32)]) -> Vec<String> {
        let mut writer = Writer::new(fragmenting(1, 100));
        let reader = ReaderProxyConfig {
            guid: reader_guid(1),
            reliable: true,
            durability: Durability::Volatile,
            expects_inline_qos: false,
            vendor: VendorId::UNKNOWN,
        };
        let mut out = Recorder::default();
        writer.add_reader(Time(0), reader, &mut out);
        for number in 1..10 {
            let change = sample(number, number, 500);
            writer.write(Time(0), &change, &mut out).unwrap();
        }
        let mut announced = false;
        for (sequence, fragment) in fragments {
            for (_, timestamp, message) in &out.messages {
                let Message::Frag(number, _, _, first, ..) = message else {
                    continue;
                };
                if (number.0, *first) == (*sequence, *fragment) {
                    let from = writer_guid(1);
                    let delivery = feed(
                        &mut self.reader,
                        Time(0),
                        from,
                        *timestamp,
                        message,
                        &mut self.out,
                    );
                    announced |= delivery.arriving;
                }
            }
        }
        let news = news(&mut self.reader);
        let says = news.iter().any(|one| one.starts_with("GROWS"));
        assert!(announced || !says, "{news:?} was not announced");
        news
    }

    fn gap(&mut self, number: i64) {
        let gap = Gap {
            reader: reader_guid(1).entity,
            writer: writer_guid(1).entity,
            start: SequenceNumber(number),
            list: SequenceNumberSet::new(SequenceNumber(number + 1)),
        };
        let from = writer_guid(1);
        self.reader.handle_gap(Time(0), from, &gap, &mut self.out);
    }

    fn take(&mut self) -> usize {
        let mut taken = 0;
        self.reader.take(&Default::default(), |_| taken += 1);
        taken
    }
}

#[test]
fn what_has_come_in_front_is_handed_out_until_the_sample_is_whole() {
    let mut r = Reading::new(passing_on(1));
    assert_eq!(r.feed(&[(1, 1)]), ["BEGINS 1 of 500", "GROWS 1 by 100"]);
    assert_eq!(r.feed(&[(1, 1)]), NOTHING);
    assert_eq!(r.feed(&[(1, 3)]), NOTHING);
    assert_eq!(r.feed(&[(1, 2)]), ["GROWS 1 by 200"]);
    assert_eq!(r.feed(&[(1, 4), (1, 5)]), NOTHING);
    assert_eq!(r.take(), 1);
    assert_eq!(news(&mut r.reader), ["ENDS 1"]);
    assert_eq!(news(&mut r.reader), NOTHING);
}

#[test]
fn nothing_is_handed_out_before_its_turn_or_while_something_waits() {
    let mut r = Reading::new(passing_on(1));
    assert_eq!(r.feed(&[(2, 1), (2, 2)]), NOTHING);
    assert_eq!(r.feed(&[(1, 1), (2, 3)]).len(), 2);
    assert_eq!(r.feed(&[(1, 2), (1, 3), (1, 4), (1, 5)]), NOTHING);
    assert_eq!(r.take(), 1);
    let all = ["ENDS 1", "BEGINS 2 of 500", "GROWS 2 by 300"];
    assert_eq!(news(&mut r.reader), all);
}

#[test]
fn what_will_not_come_ends() {
    let mut r = Reading::new(passing_on(1));
    assert_eq!(r.feed(&[(1, 1), (1, 2), (2, 1)]).len(), 2);
    r.gap(1);
    assert_eq!(r.take(), 0);
    let all = ["ENDS 1", "BEGINS 2 of 500", "GROWS 2 by 100"];
    assert_eq!(news(&mut r.reader), all);
    r.reader.remove_writer(Time(0), writer_guid(1));
    assert_eq!(news(&mut r.reader), ["ENDS 2"]);
    assert_eq!(news(&mut r.reader), NOTHING);
}

#[test]
fn only_who_wants_it_gets_it_and_only_of_large_samples() {
    let plain = ReaderConfig {
        arriving: None,
        ..passing_on(1)
    };
    let large = ReaderConfig {
        arriving: Some(5),
        ..passing_on(1)
    };
    let by_instance = ReaderConfig {
        stream: false,
        ..passing_on(1)
    };
    for config in [plain, large, by_instance] {
        let mut r = Reading::new(config);
        assert_eq!(r.feed(&[(1, 1), (1, 2)]), NOTHING);
    }
}
