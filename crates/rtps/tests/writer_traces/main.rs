//! A writer's conversations, word by word: what comes in, and what goes out.
//!
//! `?` asks for an answer, `!` goes to one endpoint instead of all.
#[path = "../common/mod.rs"]
mod common;
mod fragments;

use common::*;
use dunlin_qos::{Durability, Duration, History, ResourceLimits};
use dunlin_rtps::{Change, ChangeKind, ReaderProxyConfig, Time, WriteError, Writer, WriterConfig};
use dunlin_wire::{AckNack, InlineQos, Parameters, SequenceNumber, SequenceNumberSet, VendorId};

fn ack_nack(base: i64, missing: &[i64], count: u32) -> AckNack {
    let mut state = SequenceNumberSet::new(SequenceNumber(base));
    for n in missing {
        assert!(state.insert(SequenceNumber(*n)));
    }
    AckNack {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        state,
        count,
        is_final: missing.is_empty(),
    }
}

/// A writer whose readers are scripted.
struct Writing {
    writer: Writer,
    out: Recorder,
    now: i64,
}

impl Writing {
    fn new(config: WriterConfig) -> Self {
        Self {
            writer: Writer::new(config),
            out: Recorder::default(),
            now: 0,
        }
    }

    fn join(&mut self, n: u8, reliable: bool, durability: Durability) -> Vec<String> {
        let reader = ReaderProxyConfig {
            guid: reader_guid(n),
            reliable,
            durability,
            expects_inline_qos: false,
            vendor: VendorId::UNKNOWN,
        };
        self.writer
            .add_reader(Time(self.now), reader, &mut self.out);
        self.out.said()
    }

    fn write(&mut self, instance: u32, size: usize) -> Vec<String> {
        let change = sample(instance, 0, size);
        self.writer
            .write(Time(self.now), &change, &mut self.out)
            .unwrap();
        self.out.said()
    }

    fn hear(&mut self, base: i64, missing: &[i64], count: u32) -> (bool, Vec<String>) {
        self.hear_from(1, base, missing, count)
    }

    fn hear_from(&mut self, n: u8, base: i64, missing: &[i64], count: u32) -> (bool, Vec<String>) {
        let message = ack_nack(base, missing, count);
        let now = Time(self.now);
        let result = self
            .writer
            .handle_ack_nack(now, reader_guid(n), &message, &mut self.out);
        (result.room, self.out.said())
    }

    fn wait(&mut self, ms: i64) -> Vec<String> {
        self.now += ms * MS;
        self.writer.handle_timeout(Time(self.now), &mut self.out);
        self.out.said()
    }
}

fn keep_all(limit: u32) -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: Some(limit),
            ..ResourceLimits::default()
        },
        ..reliable_writer()
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_best_effort_writer_only_speaks() {
    let mut w = Writing::new(reliable_writer());
    assert_eq!(w.write(0, 8), NOTHING);
    assert_eq!(w.join(1, false, Durability::Volatile), NOTHING);
    assert_eq!(w.write(0, 8), ["DATA 2"]);
    assert_eq!(w.writer.kept(), 0);
    assert_eq!(w.writer.next_timeout(), None);
    assert!(w.writer.is_acknowledged(SequenceNumber(2)));
}

#[test]
fn a_reliable_writer_asks_after_a_period_and_rests_once_answered() {
    let mut w = Writing::new(keep_all(100));
    assert_eq!(w.join(1, true, Durability::Volatile), ["HEARTBEAT 1..0? !"]);
    assert_eq!(w.write(0, 8), ["DATA 1"]);
    assert_eq!(w.write(0, 8), ["DATA 2"]);
    assert_eq!(w.wait(99), NOTHING);
    assert_eq!(w.wait(1), ["HEARTBEAT 1..2? !"]);
    assert_eq!(w.hear(3, &[], 1), (true, vec![]));
    assert_eq!(w.writer.next_timeout(), None);
    assert_eq!(w.writer.kept(), 0);
    assert!(w.writer.is_acknowledged(SequenceNumber(2)));
}

#[test]
fn it_asks_at_each_quarter_of_the_limit_and_then_is_full() {
    let mut w = Writing::new(keep_all(8));
    w.join(1, true, Durability::Volatile);
    let mut asked = Vec::new();
    for n in 1..=8 {
        asked.extend(w.write(0, 8).len().gt(&1).then_some(n));
    }
    assert_eq!(asked, [2, 4, 6, 8]);
    let full = w.writer.write(Time(0), &sample(0, 0, 8), &mut w.out);
    assert_eq!(full, Err(WriteError::Full));
    assert_eq!(w.writer.last_sequence(), SequenceNumber(8));
    // Now it asks in a hurry, should the answer that is under way be lost.
    w.writer.ask_for_room(Time(0), &mut w.out);
    assert_eq!(w.out.said(), NOTHING);
    assert_eq!(w.wait(10), ["HEARTBEAT 1..8? !"]);
    assert_eq!(w.hear(4, &[], 1), (true, vec![]));
    assert_eq!(w.write(0, 8), ["DATA 9"]);
    assert_eq!(w.write(0, 8), ["DATA 10", "HEARTBEAT 4..10?"]);
}

#[test]
fn a_full_writer_does_not_ask_again_while_an_answer_is_under_way() {
    let mut w = Writing::new(keep_all(8));
    w.join(1, true, Durability::Volatile);
    for _ in 1..=8 {
        w.write(0, 8);
    }
    w.writer.ask_for_room(Time(0), &mut w.out);
    assert_eq!(w.out.said(), NOTHING);
    assert_eq!(w.hear(9, &[], 1), (true, vec![]));
    assert_eq!(w.write(0, 8), ["DATA 9"]);
    w.writer.ask_for_room(Time(0), &mut w.out);
    assert_eq!(w.out.said(), ["HEARTBEAT 9..9?"]);
}

#[test]
fn it_repeats_what_is_missing_to_the_one_who_asked_and_names_what_is_gone() {
    let config = WriterConfig {
        history: History::KeepLast(1),
        ..reliable_writer()
    };
    let mut w = Writing::new(config);
    w.join(1, true, Durability::Volatile);
    w.join(2, true, Durability::Volatile);
    for instance in [1, 2, 2, 2, 3, 1, 4] {
        w.write(instance, 8);
    }
    // 1, 2 and 3 were overwritten by 6 and 4.
    assert_eq!(
        w.hear(1, &[1, 2, 3, 4, 5, 6, 7], 1).1,
        [
            "DATA 4 !",
            "DATA 5 !",
            "DATA 6 !",
            "DATA 7 !",
            "GAP 1..4 [] !",
            "HEARTBEAT 4..7? !"
        ]
    );
    w.write(4, 8);
    assert_eq!(
        w.hear(5, &[5, 7, 8, 9], 2).1,
        ["DATA 5 !", "DATA 8 !", "GAP 7..8 [] !", "HEARTBEAT 5..8? !"]
    );
}

#[test]
fn repeated_stale_and_impossible_acknowledgements_are_ignored() {
    let mut w = Writing::new(keep_all(100));
    w.join(1, true, Durability::Volatile);
    for _ in 0..5 {
        w.write(0, 8);
    }
    assert_eq!(w.hear(7, &[], 1), (false, vec![]));
    assert_eq!(w.hear(2, &[2], 5).1.len(), 2);
    assert_eq!(w.hear(2, &[2], 5), (false, vec![]));
    assert_eq!(w.hear(4, &[], 4), (false, vec![]));
    assert_eq!(w.hear(4, &[], 6), (true, vec![]));
    // An older state in a newer message takes nothing back.
    assert_eq!(w.hear(2, &[], 7), (false, vec![]));
    assert!(w.writer.is_acknowledged(SequenceNumber(3)));
    assert_eq!(w.hear(6, &[], 8), (true, vec![]));
}

#[test]
fn a_greeting_is_answered_with_what_there_is() {
    let mut w = Writing::new(keep_all(100));
    w.join(1, true, Durability::Volatile);
    w.write(0, 8);
    let greeting = AckNack {
        is_final: false,
        ..ack_nack(1, &[], 1)
    };
    let mut greet = |count| {
        let greeting = AckNack { count, ..greeting };
        w.writer
            .handle_ack_nack(Time(0), reader_guid(1), &greeting, &mut w.out);
        w.out.said()
    };
    assert_eq!(greet(1), ["HEARTBEAT 1..1? !"]);
    assert_eq!(greet(2), NOTHING, "not again so soon");
}

#[test]
fn only_the_one_who_lags_is_asked() {
    let mut w = Writing::new(keep_all(100));
    w.join(1, true, Durability::Volatile);
    w.join(2, true, Durability::Volatile);
    w.write(0, 8);
    assert_eq!(w.wait(100), ["HEARTBEAT 1..1?"]);
    w.hear(2, &[], 1);
    assert_eq!(
        w.writer.slowest_reader(),
        Some((reader_guid(2), SequenceNumber(0)))
    );
    assert_eq!(w.wait(150), ["HEARTBEAT 1..1? !"]);
    assert!(w.writer.remove_reader(reader_guid(2)));
    assert_eq!(w.writer.kept(), 0);
}

#[test]
fn where_readers_are_not_reached_together_those_alone_are_asked_who_lag() {
    let mut w = Writing::new(WriterConfig {
        asks_each: true,
        ..keep_all(100)
    });
    for n in 1..=3 {
        w.join(n, true, Durability::Volatile);
    }
    w.write(0, 8);
    w.hear_from(2, 2, &[], 1);
    let alone = "HEARTBEAT 1..1? !";
    assert_eq!(w.wait(100), [alone, alone], "two of three lag");
    w.hear_from(1, 2, &[], 1);
    assert_eq!(w.wait(150), [alone]);
    w.hear_from(3, 2, &[], 1);
    assert_eq!(w.writer.next_timeout(), None);
}

#[test]
fn late_joiners() {
    let config = WriterConfig {
        durability: Durability::TransientLocal,
        history: History::KeepLast(2),
        ..reliable_writer()
    };
    let mut w = Writing::new(config);
    for instance in [1, 1, 1, 2] {
        w.write(instance, 8);
    }
    assert_eq!(
        w.join(1, true, Durability::TransientLocal),
        ["DATA 2 !", "DATA 3 !", "DATA 4 !", "HEARTBEAT 2..4? !"]
    );
    assert_eq!(w.join(2, true, Durability::Volatile), ["HEARTBEAT 5..4? !"]);
    assert_eq!(
        w.join(3, false, Durability::TransientLocal),
        ["DATA 2 !", "DATA 3 !", "DATA 4 !"]
    );
    // A volatile reader that asks for history all the same is told that there is none for it.
    let message = ack_nack(1, &[1, 2, 3, 4], 1);
    w.writer
        .handle_ack_nack(Time(0), reader_guid(2), &message, &mut w.out);
    assert_eq!(w.out.said(), ["GAP 1..5 [] !", "HEARTBEAT 5..4? !"]);
}

#[test]
fn an_answer_is_bounded_and_the_rest_is_asked_for() {
    let config = WriterConfig {
        fragment_size: Some(60_000),
        ..keep_all(100)
    };
    let mut w = Writing::new(config);
    w.join(1, true, Durability::Volatile);
    w.write(0, 10 << 20);
    w.write(0, 100);
    let said = w.hear(1, &[1, 2], 1).1;
    assert_eq!(said.len(), 19);
    assert_eq!(said[17], "FRAG 1.18 !");
    assert_eq!(said[18], "HEARTBEAT 1..2? !");
}

#[test]
fn a_change_says_what_it_is() {
    let mut w = Writing::new(reliable_writer());
    w.join(1, false, Durability::Volatile);
    let mut said = |change| {
        w.writer.write(Time(0), &change, &mut w.out).unwrap();
        let (_, timestamp, message) = w.out.messages.pop().unwrap();
        assert_eq!(timestamp, Some(change.timestamp));
        let Message::Data(_, inline, _, key) = message else {
            panic!("no DATA");
        };
        let inline = InlineQos::parse(Parameters::little_endian(&inline)).unwrap();
        assert_eq!(inline.key_hash, Some(change.instance.0));
        (inline.status_info, key)
    };
    assert_eq!(said(sample(1, 5, 8)), (None, false));
    assert_eq!(said(end(ChangeKind::Disposed, 1)), (Some(1), true));
    assert_eq!(said(end(ChangeKind::Unregistered, 1)), (Some(2), true));
    assert_eq!(
        said(end(ChangeKind::DisposedUnregistered, 1)),
        (Some(3), true)
    );
}

#[test]
fn inline_qos_for_those_who_expect_it() {
    let topic = [5, 0, 8, 0, 2, 0, 0, 0, b'T', 0, 0, 0];
    let config = WriterConfig {
        inline_qos: topic.to_vec(),
        send_key_hash: false,
        ..reliable_writer()
    };
    let mut w = Writing::new(config);
    let reader = ReaderProxyConfig {
        guid: reader_guid(1),
        reliable: false,
        durability: Durability::Volatile,
        expects_inline_qos: true,
        vendor: VendorId::UNKNOWN,
    };
    w.writer.add_reader(Time(0), reader, &mut w.out);
    w.writer
        .write(Time(0), &sample(1, 0, 8), &mut w.out)
        .unwrap();
    let Message::Data(_, inline, ..) = &w.out.messages[0].2 else {
        panic!("no DATA");
    };
    assert_eq!(inline[..12], topic);
    assert_eq!(inline[12..], [1, 0, 0, 0]);
}

#[test]
fn durations_of_silence_lengthen_the_heartbeat_gently() {
    let mut w = Writing::new(WriterConfig {
        heartbeat_period: Duration::from_millis(20),
        ..keep_all(100)
    });
    w.join(1, true, Durability::Volatile);
    w.write(0, 8);
    let mut times = Vec::new();
    for ms in 1..=500 {
        if !w.wait(1).is_empty() {
            times.push(ms);
        }
    }
    let pauses: Vec<_> = times.windows(2).map(|t| t[1] - t[0]).collect();
    assert!(
        pauses.is_sorted() && pauses.last() == Some(&100),
        "{times:?}"
    );
}

#[test]
fn in_a_crowd_those_alone_are_asked_who_lag_if_they_are_few() {
    let mut w = Writing::new(keep_all(100));
    for n in 1..=100 {
        w.join(n, true, Durability::Volatile);
    }
    w.write(0, 8);
    for n in 26..=100 {
        w.hear_from(n, 2, &[], 1);
    }
    assert_eq!(w.wait(100), ["HEARTBEAT 1..1?"]);
    w.hear_from(25, 2, &[], 2);
    assert_eq!(w.wait(150), ["HEARTBEAT 1..1? !"; 24]);
}

#[test]
fn a_reader_is_asked_until_it_shows_that_it_knows_where_it_begins() {
    let mut w = Writing::new(reliable_writer());
    w.write(1, 8);
    let said = w.join(1, true, Durability::Volatile);
    assert_eq!(said, ["HEARTBEAT 2..1? !"]);
    // It did not notice that the writer had forgotten it.
    assert_eq!(w.hear(1, &[], 1).1, NOTHING);
    assert_eq!(w.wait(100), ["HEARTBEAT 2..1? !"]);
    assert_eq!(w.hear(2, &[], 2).1, NOTHING);
    assert_eq!(w.wait(1000), NOTHING);
    assert_eq!(w.writer.next_timeout(), None);
}

#[test]
fn who_found_the_writer_again_gets_the_history_again_and_nothing_of_it_goes_meanwhile() {
    let mut w = Writing::new(WriterConfig {
        durability: Durability::TransientLocal,
        ..keep_all(2)
    });
    w.join(1, true, Durability::TransientLocal);
    w.write(1, 8);
    w.write(2, 8);
    w.hear(3, &[], 1);
    let mut greeting = ack_nack(1, &[], 2);
    greeting.is_final = false;
    let (now, reader) = (Time(w.now), reader_guid(1));
    w.writer.handle_ack_nack(now, reader, &greeting, &mut w.out);
    assert_eq!(w.out.said(), ["HEARTBEAT 1..2? !"]);
    let full = w.writer.write(now, &sample(3, 0, 8), &mut w.out);
    assert_eq!(full, Err(WriteError::Full));
}

#[test]
fn who_is_behind_since_when_and_what_it_last_said_is_remembered() {
    let mut w = Writing::new(keep_all(100));
    w.join(1, true, Durability::Volatile);
    w.join(2, true, Durability::Volatile);
    let seconds = |w: &Writing, n| {
        let progress = w.writer.progress_of(Time(w.now), reader_guid(n)).unwrap();
        let whole = |duration: Duration| duration.as_nanos() / 1_000_000_000;
        (
            progress.acknowledged.0,
            whole(progress.behind_for),
            progress.heard_ago.map(whole),
            progress.asked_for,
        )
    };
    for _ in 0..5 {
        w.write(0, 8);
    }
    assert_eq!(seconds(&w, 1), (0, 0, None, 0));
    w.wait(100);
    w.hear(6, &[], 1); // reader 1 has all
    w.hear_from(2, 3, &[3, 4], 1);
    for _ in 0..20 {
        w.wait(500);
    }
    // What was written long after reader 1 had all does not make it late.
    w.write(0, 8);
    assert_eq!(seconds(&w, 1), (5, 0, Some(10), 0));
    assert_eq!(seconds(&w, 2), (2, 10, Some(10), 2));
    let slowest = w.writer.slowest_progress(Time(w.now)).unwrap();
    assert_eq!(slowest.reader, reader_guid(2));
    // It goes on, but slowly: it is as late as its last answer was.
    w.hear_from(2, 6, &[], 2);
    assert_eq!(seconds(&w, 2), (5, 10, Some(0), 0));
    w.hear_from(2, 7, &[], 3);
    assert_eq!(seconds(&w, 2), (6, 0, Some(0), 0));
    // That is over once it has all.
    w.write(0, 8);
    assert_eq!(seconds(&w, 2), (6, 0, Some(0), 0));
}
