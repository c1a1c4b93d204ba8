//! The ring against a model, and against every kind of garbage in either half of it.
mod pools;

use std::collections::VecDeque;
use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::Error;
use crate::link::CURSOR;
use crate::memory::Ordering;
use crate::pool::{Class, Pool, Published};

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
            Incoming::Attached { .. } | Incoming::Withdrawal => panic!("no chunk was sent"),
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
        (header(0, CHUNK, 31), Violation::Length),
        (header(0, CHUNK, ROOM + 1), Violation::Sequence),
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
    let max = u64::MAX;
    let cases = [
        (bits + 2, 0, 0, 64, Violation::Chunk),
        (bits | 0xff_ffff, 0, 0, 64, Violation::Chunk),
        (bits, 9, 0, 64, Violation::Length),
        (bits, max, 0, 64, Violation::Length),
        (bits, 8, 0, 65, Violation::Length),
        (bits, 8, 1, 64, Violation::Length),
        (bits, 8, 64, 1, Violation::Length),
        (bits, 8, 65, 0, Violation::Length),
        (bits, 0, 0, max, Violation::Length),
        (bits, 0, max, 1, Violation::Length),
        (bits, 0, max, max, Violation::Length),
        (bits, 0, 1 << 63, 1 << 63, Violation::Length),
        (bits + (1 << 32), 0, 0, 64, Violation::Generation),
        (bits & 0xffff_ffff, 0, 0, 64, Violation::Generation),
        ((bits + 1) & 0xffff_ffff, 0, 0, 64, Violation::Generation),
    ];
    for (token, at, offset, length, expected) in cases {
        for (known, hold) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut wire = Wire::new(SIZE);
            if known {
                wire.receiver.add_pool(pool.view()).unwrap();
            }
            for (word, value) in (wire.slot(0) + 1..).zip([token, at, offset, length]) {
                wire.damage(word, value);
            }
            wire.damage(wire.slot(0), header(0, CHUNK, DESCRIPTOR + 8));
            let late = !known || expected == Violation::Generation;
            if !late || at > 8 {
                assert_eq!(wire.violation(), expected);
                continue;
            }
            // What is wrong with the chunk shows when its pool has come, a wrong generation when it
            // is used.
            assert!(wire.receiver.try_recv(&mut wire.buffer).is_ok());
            if !known {
                wire.receiver.add_pool(pool.view()).unwrap();
            }
            let used = match hold {
                true => wire.receiver.hold_chunk().map(|_| ()),
                false => wire.receiver.copy_chunk(&mut wire.buffer).map(|_| ()),
            };
            assert!(matches!(used, Err(Error::Violation(violation)) if violation == expected));
            assert_eq!(wire.violation(), expected);
        }
    }
}

/// A chunk without inline bytes.
fn alone(length: usize) -> Incoming {
    Incoming::Attached {
        inline: 0,
        at: 0,
        length,
    }
}

/// A pool with a chunk of the bytes 0 to 63.
fn counted() -> (Pool, Published) {
    let class = Class {
        capacity: 64,
        count: 2,
    };
    let pool = Pool::heap(1, &[class]).unwrap();
    let mut chunk = pool.allocate(64).unwrap();
    (0..64).for_each(|i| chunk.bytes_mut()[i] = i as u8);
    (pool, chunk.publish())
}

#[test]
fn an_attachment_comes_with_its_inline_bytes_and_is_the_range_that_was_sent() {
    let (pool, chunk) = counted();
    let mut wire = Wire::new(SIZE);
    wire.receiver.add_pool(pool.view()).unwrap();
    let inline: Vec<u8> = (0..700).map(|i| (i % 251) as u8).collect();
    for round in 0..30 {
        for (length, at, range) in [
            (0, 0, 0..64),
            (5, 5, 3..3),
            (216, 20, 1..64),
            (700, 0, 9..20),
        ] {
            let (one, two) = inline[..length].split_at(length / 2);
            wire.sender
                .try_send_attached(&[one, two], at, chunk.clone(), range.clone())
                .unwrap();
            wire.sender.try_send(&[b"next"]).unwrap();
            let expected = Incoming::Attached {
                inline: length,
                at,
                length: range.len(),
            };
            for _ in 0..2 {
                wire.buffer.fill(0);
                let got = wire.receiver.try_recv(&mut wire.buffer).unwrap();
                assert_eq!(
                    got,
                    Some(expected),
                    "it stays until the chunk is dealt with"
                );
                assert_eq!(wire.buffer[..length], inline[..length]);
            }
            let mut bytes = vec![0; range.len()];
            match round % 3 {
                0 => assert_eq!(wire.receiver.copy_chunk(&mut bytes).unwrap(), range.len()),
                1 => {
                    let loan = wire.receiver.hold_chunk().unwrap();
                    assert_eq!(loan.len(), range.len());
                    assert!(loan.read(1, &mut bytes).is_err(), "beyond the range");
                    loan.read(0, &mut bytes).unwrap();
                }
                _ => {
                    wire.receiver.skip_chunk().unwrap();
                    bytes.copy_from_slice(&chunk.as_ref()[range.clone()]);
                }
            }
            assert_eq!(bytes, chunk.as_ref()[range]);
            assert_eq!(wire.receive().unwrap(), b"next");
            wire.sender.reclaim().unwrap();
        }
    }
    drop((chunk, wire));
    assert_eq!(pool.free(), 2);
}

#[test]
fn what_is_out_of_range_is_not_sent() {
    let (_pool, chunk) = counted();
    let mut wire = Wire::new(SIZE);
    let longest = wire.sender.longest();
    let long = vec![0; longest];
    #[expect(clippy::reversed_empty_ranges)]
    let cases: [(&[u8], usize, Range<usize>, SendError); 6] = [
        (b"hello", 6, 0..64, SendError::OutOfRange),
        (b"", usize::MAX, 0..64, SendError::OutOfRange),
        (b"hello", 5, 0..65, SendError::OutOfRange),
        (b"hello", 5, 1..0, SendError::OutOfRange),
        (b"hello", 5, usize::MAX..usize::MAX, SendError::OutOfRange),
        (&long[31..], 0, 0..64, SendError::TooLong),
    ];
    for (inline, at, range, expected) in cases {
        let sent = wire
            .sender
            .try_send_attached(&[inline], at, chunk.clone(), range);
        assert_eq!(sent, Err(expected));
    }
    assert!(!wire.receiver.is_ready());
    let sent = |wire: &mut Wire| {
        wire.sender
            .try_send_attached(&[&long[32..]], 0, chunk.clone(), 0..64)
    };
    assert_eq!((sent(&mut wire), sent(&mut wire)), (Ok(()), Ok(())));
    assert_eq!(sent(&mut wire), Err(SendError::Full));
}

#[test]
fn a_buffer_too_small_for_the_inline_bytes_costs_no_message() {
    let (pool, chunk) = counted();
    let mut wire = Wire::new(SIZE);
    wire.receiver.add_pool(pool.view()).unwrap();
    wire.sender
        .try_send_attached(&[b"hello"], 2, chunk.clone(), 0..1)
        .unwrap();
    let refused = wire.receiver.try_recv(&mut [0; 4]);
    assert!(matches!(refused, Err(Error::Argument(_))));
    assert!(matches!(
        wire.receiver.hold_chunk(),
        Err(Error::Argument(_))
    ));
    assert!(wire.receiver.try_recv(&mut [0; 5]).unwrap().is_some());
    assert_eq!(wire.receiver.hold_chunk().unwrap().len(), 1);
}

#[derive(Clone, Debug)]
enum Step {
    Send(usize),
    /// Inline bytes, a place among them, the first byte of the chunk, and how many.
    Attach(usize, usize, usize, usize),
    Receive,
}

fn step() -> impl Strategy<Value = Step> {
    let attach = (0..1000_usize, 0..=1000_usize, 0..=64_usize, 0..=64_usize)
        .prop_map(|(inline, at, offset, length)| Step::Attach(inline, at, offset, length));
    prop_oneof![
        (0..1100_usize).prop_map(Step::Send),
        attach,
        Just(Step::Receive)
    ]
}

proptest! {
    #[test]
    fn a_ring_is_a_bounded_queue(steps in proptest::collection::vec(step(), 1..300)) {
        let (pool, chunk) = counted();
        let mut wire = Wire::new(SIZE);
        wire.receiver.add_pool(pool.view()).unwrap();
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
                        model.push_back((message, None));
                    }
                }
                Step::Attach(length, at, offset, count) => {
                    let message: Vec<u8> = (0..length).map(|i| (i * 7 + number) as u8).collect();
                    let needed = slots(DESCRIPTOR + length);
                    let expected = if at > length || offset + count > 64 {
                        Err(SendError::OutOfRange)
                    } else if DESCRIPTOR + length > 4 * ROOM {
                        Err(SendError::TooLong)
                    } else if used + needed > 8 {
                        Err(SendError::Full)
                    } else {
                        Ok(())
                    };
                    let range = offset..offset + count;
                    prop_assert_eq!(wire.sender.try_send_attached(&[&message], at, chunk.clone(), range), expected);
                    if expected.is_ok() {
                        used += needed;
                        model.push_back((message, Some((at, offset, count))));
                    }
                }
                Step::Receive => match model.pop_front() {
                    None => prop_assert_eq!(wire.receive(), None),
                    Some((message, None)) => {
                        used -= slots(message.len());
                        prop_assert_eq!(wire.receive(), Some(message));
                    }
                    Some((message, Some((at, offset, count)))) => {
                        used -= slots(DESCRIPTOR + message.len());
                        let attached = Incoming::Attached { inline: message.len(), at, length: count };
                        prop_assert_eq!(wire.receiver.try_recv(&mut wire.buffer).unwrap(), Some(attached));
                        prop_assert_eq!(&wire.buffer[..message.len()], &message);
                        let mut bytes = [0; 64];
                        prop_assert_eq!(wire.receiver.copy_chunk(&mut bytes).unwrap(), count);
                        prop_assert_eq!(&bytes[..count], &chunk.as_ref()[offset..offset + count]);
                    }
                }
            }
        }
    }

    #[test]
    fn no_garbage_in_the_ring_panics(words in proptest::collection::vec(any::<u64>(), 0..40), kind in 0..6_u8, length in 0..2000_usize) {
        let (pool, chunk) = counted();
        let mut wire = Wire::new(SIZE);
        wire.receiver.add_pool(pool.view()).unwrap();
        for (index, word) in words.into_iter().enumerate() {
            wire.damage(wire.slot(0) + index * 7 % 256, word);
        }
        // Half of the tokens are good, so that the rest of the descriptor is looked at, too.
        if length.is_multiple_of(2) {
            wire.damage(wire.slot(0) + 1, chunk.token().bits());
        }
        wire.damage(wire.slot(0), header(0, kind, length));
        for _ in 0..10 {
            let _ = wire.receiver.try_recv(&mut wire.buffer);
            let _ = wire.receiver.copy_chunk(&mut wire.buffer);
            let _ = wire.receiver.forget_pool();
        }
    }
}
