//! Pools come, are withdrawn, and are forgotten in the order of messages.
use super::*;

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
    assert_eq!(incoming, Some(alone(5)));
    assert!(matches!(wire.receiver.hold_chunk(), Err(Error::Limit(_))));
    wire.receiver.add_pool(pool.view()).unwrap();
    assert_eq!(wire.receiver.copy_chunk(&mut wire.buffer).unwrap(), 5);
    assert_eq!(&wire.buffer[..5], b"hello");
    assert!(
        wire.receiver.add_pool(pool.view()).is_err(),
        "one pool for each number"
    );
}

#[test]
fn a_withdrawn_pool_is_forgotten_in_order_and_what_is_held_stays() {
    let (pool, chunk) = counted();
    let mut wire = Wire::new(SIZE);
    assert!(wire.sender.heeds_withdrawals());
    wire.receiver.add_pool(pool.view()).unwrap();
    wire.sender.try_send_chunk(&chunk).unwrap();
    let withdrawal = wire.sender.try_withdraw(1).unwrap();
    wire.sender.try_send(&[b"next"]).unwrap();
    assert!(matches!(
        wire.receiver.forget_pool(),
        Err(Error::Argument(_))
    ));
    assert_eq!(
        wire.receiver.try_recv(&mut wire.buffer).unwrap(),
        Some(alone(64))
    );
    assert!(
        matches!(wire.receiver.forget_pool(), Err(Error::Argument(_))),
        "the chunk is before it"
    );
    let loan = wire.receiver.hold_chunk().unwrap();
    for _ in 0..2 {
        let incoming = wire.receiver.try_recv(&mut wire.buffer).unwrap();
        assert_eq!(incoming, Some(Incoming::Withdrawal));
    }
    assert!(!withdrawal.is_heeded());
    assert!(wire.receiver.forget_pool().unwrap());
    assert!(withdrawal.is_heeded());
    let mut bytes = [0; 64];
    loan.read(0, &mut bytes).unwrap();
    assert_eq!(&bytes, chunk.as_ref());
    assert_eq!(wire.receive().unwrap(), b"next");
    // The number is free for another.
    let (again, chunk) = counted();
    wire.receiver.add_pool(again.view()).unwrap();
    wire.sender.try_send_chunk(&chunk).unwrap();
    wire.receiver.try_recv(&mut wire.buffer).unwrap();
    assert_eq!(wire.receiver.copy_chunk(&mut wire.buffer).unwrap(), 64);
}

#[test]
fn a_pool_that_was_never_known_is_not_forgotten_and_the_end_of_a_sender_is_enough() {
    let mut wire = Wire::new(SIZE);
    let withdrawal = wire.sender.try_withdraw(3).unwrap();
    let incoming = wire.receiver.try_recv(&mut wire.buffer).unwrap();
    assert_eq!(incoming, Some(Incoming::Withdrawal));
    assert!(!wire.receiver.forget_pool().unwrap());
    assert!(!withdrawal.is_heeded());
    drop(wire);
    assert!(withdrawal.is_heeded());
}

#[test]
fn a_withdrawal_of_no_pool_is_a_violation() {
    for (length, word, violation) in [
        (WORD, u64::from(crate::pool::MAX_POOLS), Violation::Pool),
        (WORD, u64::MAX, Violation::Pool),
        (WORD - 1, 0, Violation::Length),
        (0, 0, Violation::Length),
        (900, 0, Violation::Length),
    ] {
        let mut wire = Wire::new(SIZE);
        wire.damage(wire.slot(0) + 1, word);
        wire.damage(wire.slot(0), header(0, WITHDRAWAL, length));
        assert_eq!(
            wire.receiver.try_recv(&mut wire.buffer).unwrap(),
            Some(Incoming::Withdrawal)
        );
        let forgotten = wire.receiver.forget_pool();
        assert!(matches!(forgotten, Err(Error::Violation(found)) if found == violation));
        assert_eq!(wire.violation(), violation);
    }
}
