//! The ring against a model, and against every kind of garbage in either half of it.
use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::pool::{Class, Pool};

const SIZE: LinkSize = LinkSize { slots: 8, loans: 2 };

/// A direction whose memory the test may damage.
struct Wire {
    sender: Sender,
    receiver: Receiver,
    buffer: Vec<u8>,
}

impl Wire {
    fn new(size: LinkSize) -> Self {
        let [(sender, _), (_, receiver)] = pair(size);
        let buffer = vec![0; sender.longest()];
        Self {
            sender,
            receiver,
            buffer,
        }
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        match self.receiver.try_recv(&mut self.buffer).unwrap()? {
            Incoming::Message(length) => Some(self.buffer[..length].to_vec()),
            Incoming::Chunk(_) => panic!("no chunk was sent"),
        }
    }

    fn violation(&mut self) -> Violation {
        let first = match self.receiver.try_recv(&mut self.buffer) {
            Err(Error::Violation(violation)) => violation,
            other => panic!("{other:?}"),
        };
        let again = self.receiver.try_recv(&mut self.buffer);
        assert!(
            matches!(again, Err(Error::Violation(violation)) if violation == first),
            "it stays dead"
        );
        first
    }

    fn slot(&self, position: u64) -> usize {
        self.sender.layout.slot(position)
    }

    fn damage(&self, word: usize, value: u64) {
        self.sender.own.store(word, value, Ordering::Relaxed);
    }
}

#[test]
fn messages_arrive_whole_in_order_and_once() {
    let mut wire = Wire::new(SIZE);
    assert_eq!(wire.receive(), None);
    wire.sender.try_send(&[b"hel", b"", b"lo"]).unwrap();
    wire.sender.try_send(&[]).unwrap();
    assert!(wire.receiver.is_ready());
    assert_eq!(wire.receive().unwrap(), b"hello");
    assert_eq!(wire.receive().unwrap(), b"");
    assert_eq!(wire.receive(), None);
    assert!(!wire.receiver.is_ready());
    assert!(wire.sender.is_drained().unwrap());
}

#[test]
fn a_full_ring_refuses_at_once_and_takes_more_when_the_reader_has_read() {
    let mut wire = Wire::new(SIZE);
    for _ in 0..8 {
        wire.sender.try_send(&[b"x"]).unwrap();
    }
    assert_eq!(wire.sender.try_send(&[b"y"]), Err(SendError::Full));
    assert_eq!(wire.receive().unwrap(), b"x");
    wire.sender.try_send(&[b"y"]).unwrap();
    assert_eq!(
        wire.sender.try_send(&[&vec![0; wire.sender.longest() + 1]]),
        Err(SendError::TooLong)
    );
}

#[test]
fn a_small_buffer_costs_no_message() {
    let mut wire = Wire::new(SIZE);
    wire.sender.try_send(&[b"hello"]).unwrap();
    assert!(matches!(
        wire.receiver.try_recv(&mut [0; 4]),
        Err(Error::Argument(_))
    ));
    assert_eq!(wire.receive().unwrap(), b"hello");
}

#[test]
fn an_unpublished_message_is_invisible() {
    let mut wire = Wire::new(SIZE);
    wire.sender.reserve(600).unwrap();
    wire.sender.write(0, &[7; 600]);
    wire.damage(wire.slot(1), header(1, MORE, 0));
    wire.damage(wire.slot(2), header(2, MORE, 0));
    assert_eq!(
        wire.receive(),
        None,
        "its writer was killed before the first header"
    );
}

#[test]
fn payload_that_looks_like_headers_is_payload() {
    let mut wire = Wire::new(SIZE);
    let mut sent = VecDeque::new();
    for lap in 0..100_u64 {
        let words = (0..90).flat_map(|i| header(lap + i % 16, MESSAGE, 8).to_le_bytes());
        let message: Vec<u8> = words.collect();
        wire.sender.try_send(&[&message]).unwrap();
        sent.push_back(message);
        assert_eq!(wire.receive(), sent.pop_front());
        assert_eq!(wire.receive(), None);
    }
}

#[test]
fn positions_outlive_the_bits_of_a_stamp() {
    let mut wire = Wire::new(SIZE);
    let start = u64::from(u32::MAX) - 20;
    for position in start - 8..start {
        wire.damage(wire.slot(position), header(position, MESSAGE, 0));
    }
    (wire.sender.head, wire.sender.cursor, wire.receiver.tail) = (start, start, start);
    wire.receiver.own.store(CURSOR, start, Ordering::Relaxed);
    for i in 0..60_u64 {
        wire.sender.try_send(&[&i.to_le_bytes()]).unwrap();
        assert_eq!(wire.receive().unwrap(), i.to_le_bytes());
        assert_eq!(wire.receive(), None);
    }
}

#[test]
fn impossible_headers_are_violations() {
    let cases = [
        (header(1, MESSAGE, 5), Violation::Sequence),
        (header(8, MESSAGE, 5), Violation::Sequence),
        (header(u64::MAX, MESSAGE, 5), Violation::Sequence),
        (1, Violation::Sequence),
        (u64::MAX, Violation::Sequence),
        (header(0, MESSAGE, 4 * ROOM + 1), Violation::Length),
        (header(0, MESSAGE, (1 << 24) - 1), Violation::Length),
        (header(0, 0, 5), Violation::Kind),
        (header(0, MORE, 5), Violation::Kind),
        (header(0, 77, 5), Violation::Kind),
        (header(0, CHUNK, 5), Violation::Length),
        (header(0, MESSAGE, ROOM + 1), Violation::Sequence),
    ];
    for (word, expected) in cases {
        let mut wire = Wire::new(SIZE);
        wire.damage(wire.slot(0), word);
        assert!(wire.receiver.is_ready());
        assert_eq!(wire.violation(), expected, "{word:x}");
    }
}

#[test]
fn a_header_of_an_older_lap_is_a_violation() {
    let mut wire = Wire::new(SIZE);
    for _ in 0..20 {
        wire.sender.try_send(&[b"x"]).unwrap();
        wire.receive().unwrap();
    }
    wire.damage(wire.slot(20), header(4, MESSAGE, 1));
    assert_eq!(wire.violation(), Violation::Sequence);
}

#[test]
fn a_cursor_that_goes_back_or_ahead_is_a_violation() {
    for bad in [0, 5, u64::MAX] {
        let mut wire = Wire::new(SIZE);
        for _ in 0..3 {
            wire.sender.try_send(&[b"x"]).unwrap();
            wire.receive().unwrap();
        }
        assert!(wire.sender.is_drained().unwrap());
        wire.receiver.own.store(CURSOR, bad, Ordering::Relaxed);
        assert_eq!(wire.sender.reclaim(), Err(Violation::Cursor));
        let sent = wire.sender.try_send(&[b"x"]);
        assert_eq!(
            sent,
            Err(SendError::Violation(Violation::Cursor)),
            "it stays dead"
        );
    }
}

#[test]
fn a_sleeper_is_woken_once_for_each_sleep() {
    let mut wire = Wire::new(SIZE);
    assert_eq!(wire.sender.sleeper(), None);
    for how in [Sleep::Futex, Sleep::Socket, Sleep::Socket] {
        assert!(!wire.receiver.fall_asleep(how));
        wire.sender.try_send(&[b"x"]).unwrap();
        assert_eq!(wire.sender.sleeper(), Some(how));
        assert_eq!(wire.sender.sleeper(), None);
        wire.receiver.wake_up();
        assert_eq!(wire.sender.sleeper(), None);
        assert!(wire.receiver.fall_asleep(how), "there is something to read");
        wire.receive().unwrap();
        wire.receiver.wake_up();
    }
}

#[test]
fn bad_descriptors_are_violations() {
    let pool = Pool::heap(
        1,
        &[Class {
            capacity: 64,
            count: 2,
        }],
    )
    .unwrap();
    let good = pool.allocate(64).unwrap().publish();
    let bits = good.token().bits();
    let cases = [
        (bits + 2, 64, Violation::Chunk),
        (bits | 0xff_ffff, 64, Violation::Chunk),
        (bits, 65, Violation::Length),
        (bits, u64::MAX, Violation::Length),
        (bits + (1 << 32), 64, Violation::Generation),
        (bits & 0xffff_ffff, 64, Violation::Generation),
        ((bits + 1) & 0xffff_ffff, 64, Violation::Generation),
    ];
    for (token, length, expected) in cases {
        let mut wire = Wire::new(SIZE);
        wire.receiver.add_pool(pool.view()).unwrap();
        wire.damage(wire.slot(0) + 1, token);
        wire.damage(wire.slot(0) + 2, length);
        wire.damage(wire.slot(0), header(0, CHUNK, 16));
        assert_eq!(wire.violation(), expected);
    }
}

#[test]
fn a_chunk_waits_for_its_pool() {
    let pool = Pool::heap(
        1,
        &[Class {
            capacity: 64,
            count: 2,
        }],
    )
    .unwrap();
    let mut wire = Wire::new(SIZE);
    let mut chunk = pool.allocate(5).unwrap();
    chunk.write(0, b"hello").unwrap();
    wire.sender.try_send_chunk(&chunk.publish()).unwrap();
    let incoming = wire.receiver.try_recv(&mut wire.buffer).unwrap();
    assert_eq!(incoming, Some(Incoming::Chunk(5)));
    assert!(matches!(wire.receiver.hold_chunk(), Err(Error::Limit(_))));
    wire.receiver.add_pool(pool.view()).unwrap();
    assert_eq!(wire.receiver.copy_chunk(&mut wire.buffer).unwrap(), 5);
    assert_eq!(&wire.buffer[..5], b"hello");
    assert!(
        wire.receiver.add_pool(pool.view()).is_err(),
        "one pool for each number"
    );
}

#[derive(Clone, Debug)]
enum Step {
    Send(usize),
    Receive,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![(0..1100_usize).prop_map(Step::Send), Just(Step::Receive)]
}

proptest! {
    #[test]
    fn a_ring_is_a_bounded_queue(steps in proptest::collection::vec(step(), 1..300)) {
        let mut wire = Wire::new(SIZE);
        let mut model = VecDeque::new();
        let mut used = 0;
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Send(length) => {
                    let message: Vec<u8> = (0..length).map(|i| (i * 7 + number) as u8).collect();
                    let (one, two) = message.split_at(length / 3);
                    let expected = match slots(length) {
                        _ if length > 4 * ROOM => Err(SendError::TooLong),
                        needed if used + needed > 8 => Err(SendError::Full),
                        _ => Ok(()),
                    };
                    prop_assert_eq!(wire.sender.try_send(&[one, two]), expected);
                    if expected.is_ok() {
                        used += slots(length);
                        model.push_back(message);
                    }
                }
                Step::Receive => {
                    let expected = model.pop_front();
                    used -= expected.as_ref().map_or(0, |message: &Vec<u8>| slots(message.len()));
                    prop_assert_eq!(wire.receive(), expected);
                }
            }
        }
    }

    #[test]
    fn no_garbage_in_the_ring_panics(words in proptest::collection::vec(any::<u64>(), 0..40), kind in 0..5_u8, length in 0..2000_usize) {
        let mut wire = Wire::new(SIZE);
        for (index, word) in words.into_iter().enumerate() {
            wire.damage(wire.slot(0) + index * 7 % 256, word);
        }
        wire.damage(wire.slot(0), header(0, kind, length));
        for _ in 0..10 {
            let _ = wire.receiver.try_recv(&mut wire.buffer);
            let _ = wire.receiver.copy_chunk(&mut wire.buffer);
        }
    }
}
