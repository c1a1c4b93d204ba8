//! What any interleaving and any allowed order of memory may do to the ring, to loans and to the
//! bell: checked by loom.
use loom::thread;

use crate::link::LinkSize;
use crate::pool::{Class, Pool};
use crate::ring::{Incoming, Receiver, Sleep, pair};

const SIZE: LinkSize = LinkSize { slots: 2, loans: 1 };

fn receive(receiver: &mut Receiver) -> Option<u64> {
    let mut buffer = [0; 8];
    match receiver.try_recv(&mut buffer).expect("no violation")? {
        Incoming::Message(8) => Some(u64::from_le_bytes(buffer)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_are_never_torn_reordered_or_overwritten() {
    loom::model(|| {
        let [(mut sender, _), (_, mut receiver)] = pair(SIZE);
        let writer = thread::spawn(move || {
            let mut sent = 0_u64;
            for _ in 0..4 {
                if sent < 3 && sender.try_send(&[&(sent + 1).to_le_bytes()]).is_ok() {
                    sent += 1;
                }
            }
            sent
        });
        let mut expected = 1;
        for _ in 0..2 {
            if let Some(value) = receive(&mut receiver) {
                assert_eq!(value, expected);
                expected += 1;
            }
        }
        let sent = writer.join().expect("the writer ends");
        while let Some(value) = receive(&mut receiver) {
            assert_eq!(value, expected);
            expected += 1;
        }
        assert_eq!(expected, sent + 1);
    });
}

#[test]
fn a_held_chunk_is_never_written_and_a_returned_one_comes_free() {
    loom::model(|| {
        let pool = Pool::heap(
            0,
            &[Class {
                capacity: 64,
                count: 1,
            }],
        )
        .expect("a pool");
        let view = pool.view();
        let [(mut sender, _), (_, mut receiver)] = pair(SIZE);
        receiver.add_pool(view).expect("one pool");
        let mut chunk = pool.allocate(8).expect("a free chunk");
        chunk.write(4, &1_u32.to_le_bytes()).expect("room");
        sender
            .try_send_attached(&[&7_u16.to_le_bytes()], 1, chunk.publish(), 4..8)
            .expect("room");
        let owner = thread::spawn(move || {
            for _ in 0..2 {
                sender.reclaim().expect("no violation");
                if let Ok(mut again) = pool.allocate(8) {
                    again.write(4, &2_u32.to_le_bytes()).expect("room");
                    return (sender, pool, Some(again));
                }
            }
            (sender, pool, None)
        });
        let mut inline = [0; 2];
        assert_eq!(
            receiver.try_recv(&mut inline).expect("no violation"),
            Some(Incoming::Attached {
                inline: 2,
                at: 1,
                length: 4
            })
        );
        assert_eq!(u16::from_le_bytes(inline), 7);
        let loan = receiver.hold_chunk().expect("a free place");
        let mut bytes = [0; 4];
        loan.read(0, &mut bytes).expect("it is still ours");
        assert_eq!(u32::from_le_bytes(bytes), 1);
        drop(loan);
        let (mut sender, pool, again) = owner.join().expect("the owner ends");
        drop(again);
        sender.reclaim().expect("no violation");
        assert_eq!(pool.free(), 1);
    });
}

#[test]
fn a_sleeper_has_seen_the_message_or_is_woken() {
    loom::model(|| {
        let [(mut sender, _), (_, mut receiver)] = pair(SIZE);
        let writer = thread::spawn(move || {
            sender.try_send(&[&1_u64.to_le_bytes()]).expect("room");
            sender.sleeper()
        });
        let seen = receiver.fall_asleep(Sleep::Futex);
        let woken = writer.join().expect("the writer ends");
        assert!(seen || woken == Some(Sleep::Futex), "asleep for good");
    });
}
