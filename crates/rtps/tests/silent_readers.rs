//! Reliable readers that are announced and never say anything.
mod common;

use common::*;
use dunlin_qos::{Durability, Duration, History, ResourceLimits};
use dunlin_rtps::{ReaderProxyConfig, Time, WriteError, Writer, WriterConfig};
use dunlin_wire::{AckNack, SequenceNumber, SequenceNumberSet, VendorId};

const LIMIT: u32 = 8;

/// A writer whose limits a reader that does not acknowledge fills.
struct Writing {
    writer: Writer,
    out: Recorder,
    now: i64,
}

impl Writing {
    fn new() -> Self {
        Self {
            writer: Writer::new(WriterConfig {
                history: History::KeepAll,
                resource_limits: ResourceLimits {
                    max_samples: Some(LIMIT),
                    ..ResourceLimits::default()
                },
                silent_after: Duration::from_secs(20),
                ..reliable_writer()
            }),
            out: Recorder::default(),
            now: 0,
        }
    }

    fn join(&mut self, n: u8) {
        let reader = ReaderProxyConfig {
            guid: reader_guid(n),
            reliable: true,
            durability: Durability::Volatile,
            expects_inline_qos: false,
            vendor: VendorId::UNKNOWN,
        };
        let now = Time(self.now);
        self.writer.add_reader(now, reader, &mut self.out);
    }

    fn write(&mut self) -> Result<i64, WriteError> {
        let change = sample(0, 0, 8);
        let now = Time(self.now);
        let written = self.writer.write(now, &change, &mut self.out);
        written.map(|sequence| sequence.0)
    }

    fn write_many(&mut self, count: u32) {
        for _ in 0..count {
            self.write().unwrap();
        }
    }

    /// Reader `n` has all below `base`.
    fn hear(&mut self, n: u8, base: i64, count: u32) -> bool {
        let message = AckNack {
            reader: reader_guid(n).entity,
            writer: writer_guid(1).entity,
            state: SequenceNumberSet::new(SequenceNumber(base)),
            count,
            is_final: true,
        };
        let (now, from) = (Time(self.now), reader_guid(n));
        let answer = self
            .writer
            .handle_ack_nack(now, from, &message, &mut self.out);
        answer.room
    }

    /// Goes on until the timer that would be next is later than so many seconds; true if that made
    /// room.
    fn wait(&mut self, seconds: i64) -> bool {
        let until = self.now + seconds * 1000 * MS;
        let mut room = false;
        while let Some(due) = self.writer.next_timeout().filter(|due| due.0 <= until) {
            self.now = self.now.max(due.0);
            room |= self.writer.handle_timeout(Time(self.now), &mut self.out);
        }
        self.now = until;
        room
    }

    fn waits_for(&self, n: u8) -> bool {
        let progress = self.writer.progress_of(Time(self.now), reader_guid(n));
        progress.unwrap().waited_for
    }
}

#[test]
fn a_reader_that_never_answers_holds_up_a_writer_for_a_while_only() {
    let mut w = Writing::new();
    w.join(1);
    w.write_many(LIMIT);
    assert_eq!(w.write(), Err(WriteError::Full));
    assert!(!w.wait(15), "it may still answer");
    assert_eq!(w.write(), Err(WriteError::Full));
    assert!(w.waits_for(1));
    assert!(w.wait(10), "whoever waits for room is to hear of it");
    assert!(!w.waits_for(1));
    w.write_many(3 * LIMIT);
    assert_eq!(w.writer.kept(), 0);
}

#[test]
fn one_that_is_silent_is_asked_seldom_and_never_without_need() {
    let mut w = Writing::new();
    w.join(1);
    w.write().unwrap();
    w.wait(30);
    w.out.said();
    assert_eq!(w.writer.next_timeout(), None);
    for _ in 0..60 {
        w.write().unwrap();
        w.wait(1);
    }
    let said = w.out.said();
    let asked = said.iter().filter(|word| word.starts_with("HEARTBEAT"));
    assert_eq!(asked.count(), 6, "{said:?}");
}

#[test]
fn one_that_speaks_at_last_is_waited_for_from_then_on() {
    let mut w = Writing::new();
    w.join(1);
    w.write().unwrap();
    w.wait(30);
    w.write_many(10);
    w.hear(1, 1, 1);
    assert!(w.waits_for(1));
    assert!(w.writer.is_acknowledged(SequenceNumber(11)), "it joins now");
    w.write_many(LIMIT);
    assert_eq!(w.write(), Err(WriteError::Full));
    assert!(w.hear(1, 20, 2));
    w.write().unwrap();
    // It has spoken: from now on its lease says how long it is waited for.
    assert!(!w.wait(1000));
    assert!(w.waits_for(1));
}

#[test]
fn others_lose_nothing_by_it() {
    let mut w = Writing::new();
    w.join(1);
    w.join(2);
    w.hear(2, 1, 1);
    w.write_many(LIMIT);
    w.hear(2, 5, 2);
    w.wait(30);
    assert!(!w.waits_for(1) && w.waits_for(2));
    // Reader 2 has 1 to 4.
    assert_eq!(w.writer.kept(), 4);
    assert!(!w.writer.is_acknowledged(SequenceNumber(5)));
    w.write_many(4);
    assert_eq!(w.write(), Err(WriteError::Full));
    // What is there for one is there for the other.
    w.hear(1, 1, 1);
    let has = w.writer.acknowledged_by(reader_guid(1));
    assert_eq!(has, Some(SequenceNumber(4)));
}
