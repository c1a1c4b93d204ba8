//! Chunks and loans: who may use which again, and when.
use proptest::prelude::*;

use super::*;
use crate::Violation;
use crate::link::LinkSize;
use crate::ring::{Incoming, Receiver, SendError, Sender, pair};

const SIZE: LinkSize = LinkSize { slots: 8, loans: 2 };
const CLASSES: [Class; 2] = [
    Class {
        capacity: 64,
        count: 3,
    },
    Class {
        capacity: 256,
        count: 1,
    },
];

fn direction(pool: &Pool) -> (Sender, Receiver) {
    let [(sender, _), (_, mut receiver)] = pair(SIZE);
    receiver.add_pool(pool.view()).unwrap();
    (sender, receiver)
}

fn filled(pool: &Pool, length: usize, with: u8) -> Published {
    let mut chunk = pool.allocate(length).unwrap();
    chunk.bytes_mut().fill(with);
    chunk.publish()
}

fn next(receiver: &mut Receiver) -> Option<usize> {
    match receiver.try_recv(&mut []).unwrap()? {
        Incoming::Attached { length, .. } => Some(length),
        Incoming::Message(_) | Incoming::Withdrawal => panic!("only chunks were sent"),
    }
}

#[test]
fn the_smallest_free_chunk_that_fits_is_taken() {
    let pool = Pool::heap(0, &CLASSES).unwrap();
    let small: Vec<_> = (0..3).map(|_| pool.allocate(10).unwrap()).collect();
    assert_eq!(pool.free(), 1);
    let large = pool.allocate(10).unwrap();
    assert!(matches!(pool.allocate(0), Err(Error::Limit(_))));
    drop(small);
    assert!(matches!(pool.allocate(65), Err(Error::Limit(_))));
    drop(large);
    assert!(pool.allocate(256).is_ok());
    assert!(pool.allocate(257).is_err());
    assert_eq!(pool.free(), 4);
}

#[test]
fn a_chunk_is_free_when_all_readers_have_passed_and_returned_it() {
    let pool = Pool::heap(
        0,
        &[Class {
            capacity: 64,
            count: 1,
        }],
    )
    .unwrap();
    let (mut to_a, mut a) = direction(&pool);
    let (mut to_b, mut b) = direction(&pool);
    let chunk = filled(&pool, 40, 7);
    to_a.try_send_chunk(&chunk).unwrap();
    to_b.try_send_chunk(&chunk).unwrap();
    drop(chunk);
    let reclaim = |a: &mut Sender, b: &mut Sender| {
        a.reclaim().unwrap();
        b.reclaim().unwrap();
        pool.free()
    };
    assert_eq!(reclaim(&mut to_a, &mut to_b), 0);
    assert_eq!(next(&mut a), Some(40));
    let loan = a.hold_chunk().unwrap();
    assert_eq!(next(&mut b), Some(40));
    b.copy_chunk(&mut [0; 40]).unwrap();
    assert_eq!(reclaim(&mut to_a, &mut to_b), 0, "a holds it");
    let mut bytes = [0; 40];
    loan.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [7; 40]);
    assert!(loan.read(1, &mut bytes).is_err());
    drop(loan);
    assert_eq!(reclaim(&mut to_a, &mut to_b), 1);
}

#[test]
fn a_reader_that_has_stopped_leaves_half_of_the_chunks_to_others() {
    for (count, most) in [(2, 1), (3, 2), (6, 3)] {
        let classes = [64, 128].map(|capacity| Class { capacity, count });
        let pool = Pool::heap(0, &classes).unwrap();
        let (mut sender, mut receiver) = direction(&pool);
        let send = |sender: &mut Sender| sender.try_send_chunk(&filled(&pool, 64, 9));
        let large = |sender: &mut Sender| sender.try_send_chunk(&filled(&pool, 65, 9));
        (0..most).for_each(|_| send(&mut sender).unwrap());
        assert_eq!(send(&mut sender), Err(SendError::Full));
        (0..most).for_each(|_| large(&mut sender).unwrap());
        assert_eq!(large(&mut sender), Err(SendError::Full));
        assert_eq!(pool.free(), 2 * (count - most) as usize);
        sender.try_send(&[b"needs no chunk"]).unwrap();
        next(&mut receiver);
        receiver.skip_chunk().unwrap();
        let chunk = pool.allocate(64).unwrap();
        sender.has_place_for(&chunk).unwrap();
        sender.try_send_chunk(&chunk.publish()).unwrap();
        assert_eq!(send(&mut sender), Err(SendError::Full));
    }
}

#[test]
fn the_loans_of_a_dead_reader_vanish_with_its_sender() {
    let pool = Pool::heap(0, &CLASSES).unwrap();
    let (mut sender, mut receiver) = direction(&pool);
    sender.try_send_chunk(&filled(&pool, 1, 1)).unwrap();
    sender.try_send_chunk(&filled(&pool, 1, 2)).unwrap();
    next(&mut receiver);
    let loan = receiver.hold_chunk().unwrap();
    sender.reclaim().unwrap();
    assert_eq!(pool.free(), 2);
    drop(sender);
    assert_eq!(pool.free(), 4);
    drop(loan);
}

#[test]
fn a_full_board_leaves_the_chunk_to_be_copied() {
    let pool = Pool::heap(0, &CLASSES).unwrap();
    let (mut sender, mut receiver) = direction(&pool);
    let mut loans = Vec::new();
    for i in 0..2 {
        sender.try_send_chunk(&filled(&pool, 8, i)).unwrap();
        next(&mut receiver);
        loans.push(receiver.hold_chunk().unwrap());
    }
    sender.try_send_chunk(&filled(&pool, 8, 2)).unwrap();
    next(&mut receiver);
    assert!(matches!(receiver.hold_chunk(), Err(Error::Limit(_))));
    let mut bytes = [0; 8];
    assert_eq!(receiver.copy_chunk(&mut bytes).unwrap(), 8);
    assert_eq!(bytes, [2; 8]);
    sender.reclaim().unwrap();
    assert_eq!(pool.free(), 2, "the two that are held are not");
}

#[test]
fn an_owner_that_uses_a_held_chunk_again_is_found_out() {
    let pool = Pool::heap(
        0,
        &[Class {
            capacity: 64,
            count: 1,
        }],
    )
    .unwrap();
    let (mut sender, mut receiver) = direction(&pool);
    sender.try_send_chunk(&filled(&pool, 8, 1)).unwrap();
    next(&mut receiver);
    let loan = receiver.hold_chunk().unwrap();
    drop(sender);
    let _again = filled(&pool, 8, 2);
    assert!(!loan.is_valid());
    assert!(matches!(
        loan.read(0, &mut [0; 8]),
        Err(Error::Violation(Violation::Generation))
    ));
}

#[test]
fn bytes_are_found_in_the_published_chunk_that_they_lie_in() {
    let pool = Pool::heap(3, &CLASSES).unwrap();
    let other = Pool::heap(3, &CLASSES).unwrap();
    let all: Vec<Published> = (0..4).map(|i| filled(&pool, 50, i)).collect();
    for chunk in &all {
        let bytes = chunk.as_ref();
        for (from, to) in [(0, 50), (0, 1), (49, 50), (7, 30)] {
            let (found, at) = pool.find(&bytes[from..to]).unwrap();
            assert_eq!((found.token(), at), (chunk.token(), from));
            assert_eq!(&found.as_ref()[..50], bytes);
            assert!(found.len() >= 64, "the whole room");
        }
        assert!(pool.contains(bytes) && !other.contains(bytes));
        assert!(other.find(bytes).is_none());
        assert!(pool.find(&bytes[..0]).is_none());
    }
    for stray in [&[1_u8; 10][..], b"static", &[]] {
        assert!(!pool.contains(stray) && pool.find(stray).is_none());
    }
    let (found, _) = pool.find(&all[1].as_ref()[1..]).unwrap();
    drop(all);
    assert_eq!(pool.free(), 3, "what was found is counted");
    assert_eq!(found.as_ref()[..50], [1; 50]);
    drop(found);
    assert_eq!(pool.free(), 4);
}

#[test]
fn a_chunk_that_is_being_written_is_not_found_and_comes_free() {
    let pool = Pool::heap(3, &CLASSES).unwrap();
    for _ in 0..2 {
        let mut chunk = pool.allocate(64).unwrap();
        let bytes: &[u8] = chunk.bytes_mut();
        assert!(pool.contains(bytes) && pool.find(bytes).is_none());
        drop(chunk);
        assert_eq!(pool.free(), 4);
        let chunk = pool.allocate(64).unwrap().publish();
        assert!(pool.find(chunk.as_ref()).is_some());
    }
}

#[test]
fn only_what_lies_in_one_chunk_is_found() {
    let pool = Pool::heap(3, &CLASSES).unwrap();
    let _all: Vec<Published> = (0..4).map(|i| filled(&pool, 50, i)).collect();
    let memory = &pool.inner.owner;
    // SAFETY: the pool's own memory, which nobody writes here.
    let bytes = unsafe { std::slice::from_raw_parts(memory.address(0), memory.len()) };
    // Interpreted, all of them would take minutes.
    let step = if cfg!(miri) { 72 } else { 8 };
    for from in (0..bytes.len()).step_by(step) {
        for to in (from + 8..=bytes.len()).step_by(step) {
            let expected = (0..4).find_map(|index| {
                let (head, capacity) = pool.inner.table.place(index)?;
                let room = head + LINE_BYTES..head + LINE_BYTES + capacity;
                (room.start <= from && to <= room.end).then(|| (index, from - room.start))
            });
            let found = pool.find(&bytes[from..to]);
            let found = found.map(|(chunk, at)| (chunk.token().index(), at));
            assert_eq!(found, expected, "{from}..{to}");
        }
    }
}

#[test]
fn a_published_chunk_can_own_bytes() {
    let pool = Pool::heap(3, &CLASSES).unwrap();
    let bytes = bytes::Bytes::from_owner(filled(&pool, 50, 9));
    let part = bytes.slice(10..20);
    drop(bytes);
    let (found, at) = pool.find(&part).unwrap();
    assert_eq!((&found.as_ref()[10..20], at), (&part[..], 10));
    drop((found, part));
    assert_eq!(pool.free(), 4);
}

#[test]
fn a_malformed_pool_is_refused() {
    let damages = [
        (0, 0),
        (1, 9),
        (2, 16),
        (3, 0),
        (3, 17),
        (4, 0),
        (4, 63),
        (4, u64::MAX),
        (4, 1 << 63),
        (5, 1 << 24),
        (5, u64::MAX),
        (5, 4),
    ];
    for (word, value) in damages {
        let pool = Pool::heap(
            0,
            &[Class {
                capacity: 64,
                count: 1,
            }],
        )
        .unwrap();
        pool.inner.owner.store(word, value, Ordering::Relaxed);
        let opened = PoolView::open(pool.inner.owner.view());
        assert_eq!(
            opened.unwrap_err(),
            Violation::Header,
            "word {word} = {value:x}"
        );
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send(u8, usize),
    Hold(usize),
    Copy(usize),
    Return(usize),
    Reclaim,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..4_u8, 0..65_usize).prop_map(|(to, length)| Step::Send(to, length)),
        (0..2_usize).prop_map(Step::Hold),
        (0..2_usize).prop_map(Step::Copy),
        (0..8_usize).prop_map(Step::Return),
        Just(Step::Reclaim),
    ]
}

proptest! {
    /// Two readers take, hold and return in any order: what they hold never changes, and in the end
    /// all is free.
    #[test]
    fn held_chunks_never_change(steps in proptest::collection::vec(step(), 1..200)) {
        let pool = Pool::heap(3, &[Class { capacity: 64, count: 5 }]).unwrap();
        let mut ends = [direction(&pool), direction(&pool)];
        let mut loans: Vec<(Loan, u8)> = Vec::new();
        let mut queues = [Vec::new(), Vec::new()];
        for (number, step) in steps.into_iter().enumerate() {
            let with = number as u8;
            match step {
                Step::Send(to, length) => {
                    let Ok(mut chunk) = pool.allocate(length) else { continue };
                    chunk.bytes_mut().fill(with);
                    let chunk = chunk.publish();
                    for (index, (sender, _)) in ends.iter_mut().enumerate() {
                        if to >> index & 1 == 1 && sender.try_send_chunk(&chunk).is_ok() {
                            queues[index].push((with, length));
                        }
                    }
                }
                Step::Hold(index) => {
                    let receiver = &mut ends[index].1;
                    if next(receiver).is_some() && let Ok(loan) = receiver.hold_chunk() {
                        let (with, length) = queues[index].remove(0);
                        prop_assert_eq!(loan.len(), length);
                        loans.push((loan, with));
                    }
                }
                Step::Copy(index) => {
                    let receiver = &mut ends[index].1;
                    if let Some(length) = next(receiver) {
                        let mut bytes = vec![0; length];
                        receiver.copy_chunk(&mut bytes).unwrap();
                        prop_assert_eq!((bytes, length), (vec![queues[index][0].0; length], queues[index][0].1));
                        queues[index].remove(0);
                    }
                }
                Step::Return(index) if index < loans.len() => drop(loans.swap_remove(index)),
                Step::Return(_) => {}
                Step::Reclaim => ends.iter_mut().for_each(|(sender, _)| sender.reclaim().unwrap()),
            }
            for (loan, with) in &loans {
                let mut bytes = vec![0; loan.len()];
                loan.read(0, &mut bytes).unwrap();
                prop_assert_eq!(bytes, vec![*with; loan.len()]);
            }
        }
        drop(loans);
        for (sender, receiver) in &mut ends {
            while next(receiver).is_some() {
                receiver.skip_chunk().unwrap();
            }
            sender.reclaim().unwrap();
        }
        prop_assert_eq!(pool.free(), 5);
    }
}

#[test]
fn a_pool_is_withdrawn_only_while_no_chunk_is_in_use() {
    let pool = Pool::heap(0, &CLASSES).unwrap();
    let (mut sender, mut receiver) = direction(&pool);
    let writing = pool.allocate(10).unwrap();
    assert!(!pool.withdraw(), "it is being written");
    let uses = pool.uses();
    let chunk = writing.publish();
    sender.try_send_chunk(&chunk).unwrap();
    drop(chunk);
    assert!(!pool.withdraw(), "it is under way");
    next(&mut receiver).unwrap();
    let loan = receiver.hold_chunk().unwrap();
    sender.reclaim().unwrap();
    assert!(!pool.withdraw(), "a reader holds it");
    assert!(pool.allocate(10).is_ok() && pool.uses() > uses);
    drop(loan);
    sender.reclaim().unwrap();
    assert!(pool.withdraw() && pool.withdraw() && pool.is_withdrawn());
    assert!(matches!(pool.allocate(10), Err(Error::Limit(_))));
    assert_eq!(pool.free(), 0);
}
