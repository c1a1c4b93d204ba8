//! A reader's conversations, word by word: what comes in, and what goes out.
//!
//! `?` asks for an answer, `!` goes to one endpoint instead of all.
mod common;

use common::*;
use dunlin_qos::{Durability, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{Reader, ReaderConfig, Time, WriterConfig, WriterProxyConfig};
use dunlin_wire::{FragmentNumber, Heartbeat, HeartbeatFrag, InlineQos, SequenceNumber, VendorId};

const NOTHING: [&str; 0] = [];

fn heartbeat(first: i64, last: i64, count: u32, is_final: bool) -> Message {
    Message::Heartbeat(Heartbeat {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        first: SequenceNumber(first),
        last: SequenceNumber(last),
        count,
        is_final,
        liveliness: false,
        group: None,
    })
}

/// A reader whose writer is scripted.
struct Reading {
    reader: Reader,
    out: Recorder,
    now: i64,
}

impl Reading {
    fn new(config: ReaderConfig) -> Self {
        let mut reading = Self {
            reader: Reader::new(config),
            out: Recorder::default(),
            now: 0,
        };
        let writer = proxy_of_writer(&reliable_writer());
        reading.reader.add_writer(Time(0), writer, &mut reading.out);
        reading
    }

    /// Matches 199 more writers; says how often writers were asked so far.
    fn meet_199_more(&mut self, vendor: VendorId) -> usize {
        for n in 2..=200 {
            let writer = proxy_of_writer(&WriterConfig {
                guid: writer_guid(n),
                durability: Durability::TransientLocal,
                ..reliable_writer()
            });
            let writer = WriterProxyConfig { vendor, ..writer };
            self.reader.add_writer(Time(0), writer, &mut self.out);
        }
        self.out.said().len()
    }

    /// How often writers are asked in so many milliseconds.
    fn asked_within(&mut self, ms: usize) -> usize {
        (0..ms).map(|_| self.wait(1).len()).sum()
    }

    fn hear(&mut self, message: Message) -> Vec<String> {
        let (now, writer) = (Time(self.now), writer_guid(1));
        feed(&mut self.reader, now, writer, None, &message, &mut self.out);
        self.out.said()
    }

    fn data(&mut self, sequence: i64) -> Vec<String> {
        let payload = vec![0; 8].into();
        self.hear(Message::Data(
            SequenceNumber(sequence),
            hash(),
            payload,
            false,
        ))
    }

    fn frag(&mut self, sequence: i64, number: u32) -> Vec<String> {
        let payload = vec![number as u8; 10].into();
        let number_of_last = SequenceNumber(sequence);
        self.hear(Message::Frag(
            number_of_last,
            hash(),
            payload,
            number,
            10,
            50,
            false,
        ))
    }

    fn wait(&mut self, ms: i64) -> Vec<String> {
        self.now += ms * MS;
        self.reader.handle_timeout(Time(self.now), &mut self.out);
        self.out.said()
    }

    fn taken(&mut self) -> Vec<i64> {
        let mut all = Vec::new();
        let select = dunlin_rtps::Select::default();
        self.reader.take(&select, |s| all.push(s.info.sequence.0));
        all
    }
}

fn hash() -> Vec<u8> {
    let mut bytes = Vec::new();
    let qos = InlineQos {
        key_hash: Some(handle(1).0),
        status_info: None,
        ..InlineQos::default()
    };
    qos.encode(&mut bytes);
    bytes
}

#[test]
fn a_reader_greets_until_it_is_answered() {
    let mut r = Reading::new(reliable_reader());
    assert_eq!(r.out.said(), ["ACKNACK 1 []? !"]);
    assert_eq!(r.reader.next_timeout(), Some(Time(10 * MS)));
    assert_eq!(r.wait(10), ["ACKNACK 1 []? !"]);
    assert_eq!(r.wait(20), ["ACKNACK 1 []? !"]);
    assert_eq!(r.hear(heartbeat(1, 0, 1, true)), NOTHING);
    assert_eq!(r.wait(1000), NOTHING);
    assert_eq!(r.reader.next_timeout(), None);
}

#[test]
fn in_a_crowd_a_writer_with_history_is_asked_only_if_it_does_not_speak_first() {
    let mut r = Reading::new(ReaderConfig {
        durability: Durability::TransientLocal,
        ..reliable_reader()
    });
    assert_eq!(r.meet_199_more(VendorId::DUNLIN), 15);
    let soon = r.asked_within(100);
    assert!(soon < 60, "not all are asked so soon: {soon}");
    let later = r.asked_within(2_900);
    assert!((200..1_500).contains(&later), "{later}");
}

#[test]
fn in_a_crowd_a_patient_reader_repeats_its_question_late() {
    for (patient, soon) in [(false, 5..8), (true, 0..1)] {
        let mut r = Reading::new(ReaderConfig {
            patient,
            ..reliable_reader()
        });
        r.meet_199_more(VendorId::DUNLIN);
        r.wait(6);
        assert_eq!(r.hear(heartbeat(1, 1, 1, true)), ["ACKNACK 1 [1]? !"]);
        let questions = |said: Vec<String>| said.iter().filter(|one| one.contains("[1]")).count();
        let again: usize = (0..499).map(|_| questions(r.wait(1))).sum();
        assert!(soon.contains(&again), "patient: {patient}, {again} times");
        assert_eq!(questions(r.wait(200)), 1, "patient: {patient}");
    }
}

#[test]
fn other_products_writers_are_asked_at_once_however_many_there_are() {
    let mut r = Reading::new(reliable_reader());
    assert_eq!(r.meet_199_more(VendorId([1, 16])), 200);
    let again = r.asked_within(100);
    assert!(again < 60, "not all are asked again so soon: {again}");
}

#[test]
fn what_is_early_waits_and_what_is_missing_is_asked_for_at_once_but_not_too_often() {
    let mut r = Reading::new(reliable_reader());
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    assert_eq!(r.data(1), NOTHING);
    assert_eq!(r.data(3), ["ACKNACK 2 [2]? !"]);
    assert_eq!(r.data(5), NOTHING);
    assert_eq!(r.data(5), NOTHING);
    assert_eq!(r.taken(), [1]);
    assert_eq!(r.wait(5), ["ACKNACK 2 [2, 4]? !"]);
    assert_eq!(r.data(2), NOTHING);
    assert_eq!(r.taken(), [2, 3]);
    assert_eq!(r.data(2), NOTHING);
    assert_eq!(r.data(4), NOTHING);
    assert_eq!(r.taken(), [4, 5]);
    assert_eq!(r.hear(heartbeat(1, 5, 2, false)), ["ACKNACK 6 [] !"]);
}

#[test]
fn a_heartbeat_is_answered_once() {
    let mut r = Reading::new(reliable_reader());
    r.out.said();
    r.now = 20 * MS;
    assert_eq!(r.hear(heartbeat(1, 2, 1, false)), ["ACKNACK 1 [1, 2]? !"]);
    r.now += 20 * MS;
    assert_eq!(r.hear(heartbeat(1, 2, 1, false)), NOTHING);
    r.data(1);
    r.data(2);
    assert_eq!(r.hear(heartbeat(1, 2, 2, true)), NOTHING);
    assert_eq!(r.hear(heartbeat(1, 2, 3, false)), ["ACKNACK 3 [] !"]);
    assert_eq!(r.hear(heartbeat(1, 2, 4, false)), ["ACKNACK 3 [] !"]);
    assert!(r.reader.is_complete());
}

#[test]
fn what_the_writer_let_go_is_lost_and_the_rest_comes_in_order() {
    let mut r = Reading::new(reliable_reader());
    let Message::Heartbeat(nothing) = heartbeat(1, 0, 0, true) else {
        unreachable!()
    };
    let reader = reader_guid(1).entity;
    r.hear(Message::Heartbeat(Heartbeat { reader, ..nothing }));
    r.data(1);
    r.data(4);
    let now = Time(50 * MS);
    let Message::Heartbeat(h) = heartbeat(6, 7, 1, false) else {
        unreachable!()
    };
    let delivery = r
        .reader
        .handle_heartbeat(now, writer_guid(1), &h, &mut r.out);
    assert_eq!((delivery.available, delivery.lost), (true, 3));
    assert_eq!(r.taken(), [1, 4]);
    assert_eq!(r.out.said().last().unwrap(), "ACKNACK 6 [6, 7]? !");
}

#[test]
fn incomplete_samples_are_asked_for_by_fragment() {
    let mut r = Reading::new(reliable_reader());
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    assert_eq!(r.frag(1, 1), NOTHING);
    assert_eq!(r.frag(1, 4), NOTHING);
    // The last one shows that the others were sent.
    assert_eq!(r.frag(1, 5), ["ACKNACK 1 [] !", "NACK_FRAG 1 [2, 3] !"]);
    assert_eq!(r.frag(1, 2), NOTHING);
    r.now += 10 * MS;
    assert_eq!(
        r.hear(heartbeat(1, 2, 2, false)),
        ["ACKNACK 1 [2]? !", "NACK_FRAG 1 [3] !"]
    );
    r.frag(1, 3);
    assert_eq!(r.taken(), [1]);
    r.now += 10 * MS;
    let frag = HeartbeatFrag {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        sequence: SequenceNumber(2),
        last: FragmentNumber(2),
        count: 1,
    };
    assert_eq!(
        r.hear(Message::HeartbeatFrag(frag)),
        ["NACK_FRAG 2 [1, 2] !"]
    );
}

#[test]
fn a_sample_of_which_some_is_here_is_taken_whole_too() {
    let mut r = Reading::new(reliable_reader());
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    r.frag(1, 1);
    r.frag(2, 1);
    r.frag(3, 1);
    assert_eq!(r.reader.holdings().incomplete, 3);
    // Before its turn it waits; nothing of it is asked for any more.
    r.data(2);
    assert_eq!(r.reader.holdings().incomplete, 2);
    r.data(1);
    assert_eq!(r.taken(), [1, 2]);
    assert_eq!(r.reader.holdings().incomplete, 1);
    r.frag(2, 2);
    r.data(3);
    assert_eq!(r.taken(), [3]);
    let holdings = r.reader.holdings();
    assert_eq!((holdings.incomplete, holdings.early_bytes), (0, 0));
}

#[test]
fn a_whole_sample_beyond_the_limit_is_lost_and_holds_nothing_back() {
    let config = ReaderConfig {
        max_sample_size: 7,
        ..reliable_reader()
    };
    let mut r = Reading::new(config.clone());
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    r.data(1);
    assert_eq!(r.hear(heartbeat(1, 1, 2, false)), ["ACKNACK 2 [] !"]);
    let mut r = Reading::new(ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..config
    });
    r.data(1);
    assert!(r.taken().is_empty());
}

#[test]
fn a_sample_beyond_the_limit_is_lost_and_holds_nothing_back() {
    let mut r = Reading::new(ReaderConfig {
        max_sample_size: 49,
        ..reliable_reader()
    });
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    r.data(2);
    assert_eq!(r.frag(1, 1), NOTHING);
    assert_eq!(r.taken(), [2]);
    assert_eq!(r.hear(heartbeat(1, 2, 2, false)), ["ACKNACK 3 [] !"]);
}

#[test]
fn a_full_reader_acknowledges_nothing_more_and_goes_on_after_take() {
    let mut r = Reading::new(ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(2),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    });
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    for n in 1..=4 {
        assert_eq!(r.data(n), NOTHING);
    }
    assert_eq!(r.hear(heartbeat(1, 4, 2, false)), ["ACKNACK 3 [] !"]);
    assert_eq!(r.taken(), [1, 2]);
    assert_eq!(r.reader.next_timeout(), Some(Time::PAST));
    assert_eq!(r.wait(0), ["ACKNACK 3 [3]? !"]);
    assert_eq!(r.data(3), NOTHING);
    assert_eq!(r.taken(), [3, 4]);
}

#[test]
fn a_heartbeat_between_take_and_time_out_does_not_make_the_reader_forget_that_there_is_room() {
    let mut r = Reading::new(ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(2),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    });
    r.hear(heartbeat(1, 0, 1, true));
    r.out.said();
    for n in 1..=3 {
        assert_eq!(r.data(n), NOTHING);
    }
    assert_eq!(r.taken(), [1, 2]);
    assert_eq!(r.hear(heartbeat(1, 3, 2, false)), ["ACKNACK 3 [] !"]);
    assert_eq!(r.wait(0), ["ACKNACK 3 [3]? !"]);
}

#[test]
fn a_best_effort_reader_takes_what_is_newer() {
    let mut r = Reading::new(ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..reliable_reader()
    });
    for n in [5, 4, 7, 7, 6, 9] {
        assert_eq!(r.data(n), NOTHING);
    }
    assert_eq!(r.taken(), [5, 7, 9]);
    assert_eq!(r.hear(heartbeat(1, 20, 1, false)), NOTHING);
    for (sequence, number) in [(20, 1), (20, 2), (21, 1), (20, 4), (20, 5)] {
        assert_eq!(r.frag(sequence, number), NOTHING);
    }
    assert_eq!(r.data(30), NOTHING);
    assert_eq!(r.frag(20, 3), NOTHING);
    assert_eq!(r.taken(), [30]);
    // What is left of an incomplete sample goes after a while.
    r.frag(31, 1);
    assert!(r.reader.next_timeout().is_some());
    r.wait(2_000);
    assert_eq!(r.reader.next_timeout(), None);
}

#[test]
fn a_missing_sample_is_asked_for_ever_more_slowly() {
    let mut r = Reading::new(reliable_reader());
    r.now = 20 * MS;
    r.hear(heartbeat(1, 1, 1, false));
    let mut asked = 0;
    for _ in 0..1_000 {
        asked += r.wait(10).len();
    }
    assert!((10..20).contains(&asked), "{asked}");
    assert_eq!(r.hear(heartbeat(1, 1, 2, false)), ["ACKNACK 1 [1]? !"]);
}

#[test]
fn a_reader_asks_for_no_more_than_fits() {
    let mut r = Reading::new(ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(3),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    });
    r.out.said();
    r.now = 20 * MS;
    assert_eq!(
        r.hear(heartbeat(1, 100, 1, false)),
        ["ACKNACK 1 [1, 2, 3]? !"]
    );
    (1..=3).for_each(|n| drop(r.data(n)));
    r.now += 10 * MS;
    // It may be the end of an instance, which needs no room.
    assert_eq!(r.hear(heartbeat(1, 100, 2, false)), ["ACKNACK 4 [4]? !"]);
    r.data(4);
    r.now += 10 * MS;
    assert_eq!(r.hear(heartbeat(1, 100, 3, false)), ["ACKNACK 4 [] !"]);
    assert_eq!(r.taken(), [1, 2, 3]);
    assert_eq!(r.wait(10), ["ACKNACK 4 [4, 5, 6]? !"]);
}

#[test]
fn what_waits_for_an_earlier_change_takes_room_as_well() {
    let mut r = Reading::new(ReaderConfig {
        max_pending: 4,
        ..reliable_reader()
    });
    r.data(3);
    r.now = 20 * MS;
    assert_eq!(
        r.hear(heartbeat(1, 100, 1, false)),
        ["ACKNACK 1 [1, 2, 4, 5]? !"]
    );
}
