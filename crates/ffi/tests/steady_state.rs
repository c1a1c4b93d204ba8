//! What a sample costs in the steady state, counted: no allocation in any call of the ABI.
mod common;
use allocation_counter::measure;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

/// Rounds before counting, and in each count: so few that on a busy machine some count sees no
/// announcement.
const ROUNDS: u32 = 300;
const COUNTS: u32 = 20;

/// One thread writes, waits, takes and gives back: rounds of that allocate nothing.
fn allocates_nothing(size: usize, write: fn(&World, &[u8], &mut dunlin_write_options)) {
    let world = World::new();
    let payload = position(7, &vec![1; size]);
    let (mut condition, mut set) = (0, 0);
    ok(dunlin_read_condition_new(
        world.reader,
        In::NULL,
        Out::from(&mut condition),
    ));
    ok(dunlin_waitset_new(Out::from(&mut set)));
    ok(dunlin_waitset_attach(set, condition));
    let select = dunlin_select {
        flags: DUNLIN_GIVE_BACK_FIRST,
        ..all()
    };
    let mut samples = [EMPTY; 16];
    let mut how = options();
    let mut round = || {
        for _ in 0..ROUNDS {
            write(&world, &payload, &mut how);
            let (mut active, mut count) = ([0; 1], 0);
            ok(dunlin_waitset_wait(
                set,
                10 * SECOND,
                OutArray::from(&mut active[..]),
                1,
                Out::from(&mut count),
            ));
            ok(dunlin_take(
                world.reader,
                In::from(&select),
                OutArray::from(&mut samples[..]),
                16,
                Out::from(&mut count),
            ));
            assert_eq!(count, 1);
        }
    };
    round();
    let counts = (0..COUNTS).map(|_| measure(&mut round).count_total);
    let least = counts.min().unwrap();
    assert_eq!(least, 0, "allocations in {ROUNDS} round trips");
    let mut out: Vec<_> = samples
        .into_iter()
        .filter(|sample| sample.token != 0)
        .collect();
    ok(give_back(world.reader, &mut out));
    ok(dunlin_close(set));
    world.close();
}

#[test]
fn writing_waiting_and_taking_allocate_nothing() {
    in_namespace(
        "writing_waiting_and_taking_allocate_nothing",
        LOOPBACK,
        || {
            allocates_nothing(40, |world, payload, how| {
                let sent = Array::from(payload);
                let length = payload.len() as u64;
                ok(dunlin_write(world.writer, sent, length, Out::from(how)));
            });
        },
    );
}

/// Large payloads are written in memory that the writer lends again and again.
#[test]
fn loans_of_ordinary_memory_allocate_nothing() {
    in_namespace(
        "loans_of_ordinary_memory_allocate_nothing",
        LOOPBACK,
        || {
            allocates_nothing(63_000, |world, payload, how| {
                let mut loan = dunlin_loan {
                    data: std::ptr::null_mut(),
                    length: 0,
                    token: 0,
                    shared: 0,
                    reserved: 0,
                };
                let length = payload.len() as u64;
                let lent = dunlin_loan_new(world.writer, length, 0, Out::from(&mut loan));
                ok(lent);
                // SAFETY: the loan has so many bytes, and nobody else has it.
                unsafe { std::ptr::copy(payload.as_ptr(), loan.data, payload.len()) };
                let written = dunlin_loan_write(world.writer, Out::from(&mut loan), Out::from(how));
                ok(written);
            });
        },
    );
}
