//! Samples are written, taken, read, kept, copied, and given back by the functions of the ABI.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

#[test]
fn a_sample_goes_from_a_writer_to_a_reader() {
    in_namespace("a_sample_goes_from_a_writer_to_a_reader", LOOPBACK, || {
        let world = World::new();
        let (sent, mut how) = (position(7, b"abc"), options());
        how.timestamp = 5;
        ok(dunlin_write(
            world.writer,
            Array::from(&sent[..]),
            sent.len() as u64,
            Out::from(&mut how),
        ));
        assert_eq!(how.sequence, 1);
        wait_for_data(world.reader);
        let mut samples = take(world.reader, &all(), 4).unwrap();
        let [sample] = &samples[..] else {
            panic!("{samples:?}")
        };
        assert_eq!(payload(sample), sent);
        assert_eq!(sample.info.source_timestamp, 5);
        assert_eq!(sample.info.instance, instance(7));
        assert_eq!((sample.info.valid_data, sample.info.sequence), (1, 1));
        assert_eq!(sample.info.view_state, DUNLIN_NEW);
        assert_eq!(leaks().0, 7 + 1);
        ok(give_back(world.reader, &mut samples));
        assert_eq!(take(world.reader, &all(), 4).unwrap_err(), DUNLIN_NO_DATA);
        world.close();
    });
}

/// Of how many samples the reader has told that they are lost.
fn lost(reader: u64) -> i32 {
    let mut status = dunlin_status::default();
    ok(dunlin_status_get(
        reader,
        DUNLIN_SAMPLE_LOST,
        Out::from(&mut status),
    ));
    status.count[0]
}

#[test]
fn who_decodes_rejects_what_is_not_of_the_type() {
    let name = "who_decodes_rejects_what_is_not_of_the_type";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let good = position(7, b"abc");
        let write = |payload: &[u8]| {
            ok(dunlin_write(
                world.writer,
                Array::from(payload),
                payload.len() as u64,
                Out::NULL,
            ));
            wait_for_data(world.reader);
        };
        let too_short = &good[..good.len() - 2];
        write(too_short);
        assert_eq!(take(world.reader, &all(), 4).unwrap_err(), DUNLIN_NO_DATA);
        assert_eq!(lost(world.reader), 1);
        let decodes = dunlin_select {
            flags: DUNLIN_DECODES,
            ..all()
        };
        write(too_short);
        let mut samples = take(world.reader, &decodes, 4).unwrap();
        assert_eq!((samples.len(), payload(&samples[0])), (1, too_short));
        let reject = |samples: &mut [dunlin_sample], reader| {
            dunlin_reject(reader, OutArray::from(samples), "too short".into())
        };
        ok(reject(&mut samples, world.reader));
        assert_eq!((samples[0].token, lost(world.reader)), (0, 2));
        // Once only, and nothing is counted then.
        let again = reject(&mut samples, world.reader);
        fails(again, DUNLIN_PRECONDITION_NOT_MET, &["given back before"]);
        assert_eq!(lost(world.reader), 2);
        // What is rejected when the reader is gone is given back.
        write(too_short);
        let mut samples = take(world.reader, &decodes, 4).unwrap();
        ok(dunlin_close(world.reader));
        ok(reject(&mut samples, world.reader));
        world.close();
    });
}

#[test]
fn read_leaves_samples_and_states_select_them() {
    in_namespace(
        "read_leaves_samples_and_states_select_them",
        LOOPBACK,
        || {
            let world = World::new();
            (0..3).for_each(|bird| world.write(bird, b""));
            wait_for_data(world.reader);
            let (mut one, mut count) = ([EMPTY], 0);
            let select = dunlin_select {
                which: DUNLIN_THIS_INSTANCE,
                instance: instance(1),
                ..all()
            };
            ok(dunlin_read(
                world.reader,
                In::from(&select),
                OutArray::from(&mut one[..]),
                1,
                Out::from(&mut count),
            ));
            assert_eq!((count, one[0].info.instance), (1, instance(1)));
            ok(give_back(world.reader, &mut one));
            let unread = dunlin_select {
                sample_states: DUNLIN_NOT_READ,
                ..all()
            };
            let mut rest = take(world.reader, &unread, 8).unwrap();
            assert_eq!(rest.len(), 2);
            let mut seen = take(world.reader, &all(), 8).unwrap();
            assert_eq!((seen.len(), seen[0].info.sample_state), (1, DUNLIN_READ));
            ok(give_back(world.reader, &mut rest));
            ok(give_back(world.reader, &mut seen));
            world.close();
        },
    );
}

#[test]
fn each_sample_is_given_back_once_and_by_its_reader() {
    in_namespace(
        "each_sample_is_given_back_once_and_by_its_reader",
        LOOPBACK,
        || {
            let world = World::new();
            let other = reader(world.participant, world.topic, In::NULL);
            ok(dunlin_writer_wait_for_matched(world.writer, 2, 10 * SECOND));
            world.write(1, b"x");
            wait_for_data(world.reader);
            wait_for_data(other);
            let mut samples = take(world.reader, &all(), 1).unwrap();
            let mut others = take(other, &all(), 1).unwrap();
            let mut copy = samples.clone();
            fails(
                give_back(other, &mut samples.clone()),
                DUNLIN_PRECONDITION_NOT_MET,
                &["given back before", "another reader"],
            );
            ok(give_back(world.reader, &mut samples));
            assert_eq!(samples[0].token, 0);
            assert_eq!(
                give_back(world.reader, &mut samples),
                DUNLIN_PRECONDITION_NOT_MET
            );
            assert_eq!(
                give_back(world.reader, &mut copy),
                DUNLIN_PRECONDITION_NOT_MET
            );
            // The reader is gone, its samples are not.
            ok(dunlin_close(other));
            assert_eq!(payload(&others[0]), position(1, b"x"));
            let (mut part, sample) = ([0; 1], others[0]);
            ok(dunlin_sample_copy(
                other,
                In::from(&sample),
                16,
                OutArray::from(&mut part[..]),
                1,
            ));
            assert_eq!(&part, b"x");
            ok(give_back(other, &mut others));
            assert_eq!(give_back(other, &mut others), DUNLIN_ALREADY_DELETED);
            world.close();
        },
    );
}

#[test]
fn one_call_gives_back_and_takes() {
    in_namespace("one_call_gives_back_and_takes", LOOPBACK, || {
        let world = World::new();
        let mut samples = [EMPTY; 2];
        let again = dunlin_select {
            flags: DUNLIN_GIVE_BACK_FIRST,
            ..all()
        };
        for round in 0..3 {
            world.write(round, b"abc");
            wait_for_data(world.reader);
            let mut count = 0;
            ok(dunlin_take(
                world.reader,
                In::from(&again),
                OutArray::from(&mut samples[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!((count, samples[0].info.instance), (1, instance(round)));
            assert_eq!(samples[1].token, 0);
        }
        let mut count = 9;
        let code = dunlin_take(
            world.reader,
            In::from(&again),
            OutArray::from(&mut samples[..]),
            2,
            Out::from(&mut count),
        );
        assert_eq!((code, count, samples[0].token), (DUNLIN_NO_DATA, 9, 0));
        world.close();
    });
}

/// `dunlin_take_next` or `dunlin_read_next`.
type Next = extern "C" fn(
    dunlin_reader,
    In<'_, dunlin_select>,
    OutArray<'_, u8>,
    u64,
    Out<'_, dunlin_sample>,
) -> i32;

/// One sample, whose payload goes to `room` if it fits.
fn next(
    get: Next,
    reader: u64,
    select: &dunlin_select,
    room: &mut [u8],
) -> Result<dunlin_sample, i32> {
    let (mut sample, length) = (EMPTY, room.len() as u64);
    let (select, room) = (In::from(select), OutArray::from(room));
    match get(reader, select, room, length, Out::from(&mut sample)) {
        DUNLIN_OK => Ok(sample),
        code => Err(code),
    }
}

#[test]
fn one_sample_is_copied_to_the_room_of_whoever_takes_it() {
    let name = "one_sample_is_copied_to_the_room_of_whoever_takes_it";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let (sent, mut room) = (position(7, b"abc"), [0; 32]);
        let there = room.as_ptr();
        let out = leaks().0;
        let none = next(dunlin_take_next, world.reader, &all(), &mut room);
        assert_eq!(none.unwrap_err(), DUNLIN_NO_DATA);
        for bird in [7, 8, 9] {
            world.write(bird, b"abc");
        }
        wait_for_data(world.reader);
        let read = next(dunlin_read_next, world.reader, &all(), &mut room).unwrap();
        assert_eq!(
            (read.info.instance, read.flags),
            (instance(7), DUNLIN_SAMPLE_COPIED)
        );
        let sample = next(dunlin_take_next, world.reader, &all(), &mut room).unwrap();
        assert_eq!((payload(&sample), sample.data), (&sent[..], there));
        assert_eq!((sample.token, sample.flags), (0, DUNLIN_SAMPLE_COPIED));
        assert_eq!(sample.info.sample_state, DUNLIN_READ);
        // There is nothing to give back, however often.
        let mut copied = [sample; 2];
        ok(give_back(world.reader, &mut copied));
        ok(give_back(world.reader, &mut copied));
        assert_eq!(leaks().0, out);
        // One byte less: the sample stays the library's.
        let few = &mut room[..sent.len() - 1];
        let mut larger = next(dunlin_take_next, world.reader, &all(), few).unwrap();
        assert_eq!(
            (payload(&larger), larger.flags),
            (&position(8, b"abc")[..], 0)
        );
        assert_eq!(leaks().0, out + 1);
        ok(give_back(world.reader, std::slice::from_mut(&mut larger)));
        let last = next(dunlin_take_next, world.reader, &all(), &mut []).unwrap();
        assert_ne!(last.token, 0);
        ok(give_back(world.reader, &mut [last]));
        for flags in [DUNLIN_IN_PLACE, DUNLIN_GIVE_BACK_FIRST] {
            let select = dunlin_select { flags, ..all() };
            let refused = next(dunlin_take_next, world.reader, &select, &mut room);
            let expected = format!("has {flags:#x}, and this call knows 0xc");
            fails(refused.unwrap_err(), DUNLIN_BAD_PARAMETER, &[&expected]);
        }
        world.close();
    });
}

#[test]
fn only_a_sole_sample_is_taken_if_no_other_is_wanted() {
    let name = "only_a_sole_sample_is_taken_if_no_other_is_wanted";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let (mut room, flags) = ([0; 32], DUNLIN_IF_SOLE);
        let sole = dunlin_select { flags, ..all() };
        let mut take_sole = || next(dunlin_take_next, world.reader, &sole, &mut room);
        assert_eq!(take_sole().unwrap_err(), DUNLIN_NO_DATA);
        world.write(7, b"abc");
        wait_for_data(world.reader);
        let sample = take_sole().unwrap();
        assert_eq!(
            (sample.info.instance, sample.flags),
            (instance(7), DUNLIN_SAMPLE_COPIED)
        );
        for bird in [7, 8] {
            world.write(bird, b"abc");
        }
        for _ in 0..2 {
            let none = take_sole().unwrap();
            assert_eq!((none.flags, none.token), (DUNLIN_SAMPLE_SEVERAL, 0));
            assert!(none.data.is_null());
        }
        let mut samples = take(world.reader, &all(), 4).unwrap();
        assert_eq!(samples.len(), 2);
        ok(give_back(world.reader, &mut samples));
        let refused = next(dunlin_read_next, world.reader, &sole, &mut room).unwrap_err();
        fails(refused, DUNLIN_BAD_PARAMETER, &["has 0x8", "knows 0x4"]);
        let condition = dunlin_select {
            condition: 7,
            ..sole
        };
        let refused = next(dunlin_take_next, world.reader, &condition, &mut room).unwrap_err();
        fails(refused, DUNLIN_BAD_PARAMETER, &["DUNLIN_IF_SOLE"]);
        world.close();
    });
}

#[test]
fn a_copied_sample_that_is_not_of_the_type_is_rejected_once() {
    let name = "a_copied_sample_that_is_not_of_the_type_is_rejected_once";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let good = position(7, b"abc");
        let too_short = &good[..good.len() - 2];
        ok(dunlin_write(
            world.writer,
            Array::from(too_short),
            too_short.len() as u64,
            Out::NULL,
        ));
        wait_for_data(world.reader);
        let mut room = [0; 64];
        let mut sample = next(dunlin_take_next, world.reader, &all(), &mut room).unwrap();
        assert_eq!((payload(&sample), lost(world.reader)), (too_short, 0));
        let mut reject = || {
            let one = OutArray::from(std::slice::from_mut(&mut sample));
            dunlin_reject(world.reader, one, "too short".into())
        };
        ok(reject());
        let again = reject();
        fails(again, DUNLIN_PRECONDITION_NOT_MET, &["given back before"]);
        assert_eq!(lost(world.reader), 1);
        world.close();
    });
}

#[test]
fn instances_end_by_key_and_by_handle() {
    in_namespace("instances_end_by_key_and_by_handle", LOOPBACK, || {
        let world = World::new();
        let mut registered = [0; 16];
        let seven = key(7);
        ok(dunlin_register(
            world.writer,
            Array::from(&seven[..]),
            8,
            OutArray::from(&mut registered[..]),
        ));
        assert_eq!(registered, instance(7));
        ok(dunlin_writer_lookup(
            world.writer,
            Array::from(&registered[..]),
        ));
        let mut block = dunlin_block::NONE;
        ok(dunlin_writer_key(
            world.writer,
            Array::from(&registered[..]),
            Out::from(&mut block),
        ));
        assert_eq!(taken(block), seven);
        world.write(7, b"");
        world.write(8, b"");
        ok(dunlin_dispose(
            world.writer,
            Array::from(&seven[..]),
            8,
            Out::NULL,
        ));
        let (eight, mut how) = (instance(8), options());
        how.instance = eight.as_ptr();
        ok(dunlin_unregister(
            world.writer,
            Array::NULL,
            0,
            Out::from(&mut how),
        ));
        wait_for_data(world.reader);
        let mut samples = take(world.reader, &all(), 8).unwrap();
        let ends: Vec<_> = samples
            .iter()
            .filter(|one| one.info.valid_data == 0)
            .collect();
        assert_eq!(ends.len(), 2);
        assert!(
            ends.iter()
                .all(|end| end.info.instance_state == DUNLIN_NOT_ALIVE_DISPOSED)
        );
        ok(give_back(world.reader, &mut samples));
        // A key that is not that of the instance, and an instance that nobody has.
        let payload = position(9, b"");
        fails(
            dunlin_write(
                world.writer,
                Array::from(&payload[..]),
                16,
                Out::from(&mut how),
            ),
            DUNLIN_PRECONDITION_NOT_MET,
            &["instance"],
        );
        let nine = instance(9);
        assert_eq!(
            dunlin_reader_lookup(world.reader, Array::from(&nine[..])),
            DUNLIN_NO_DATA
        );
        world.close();
    });
}

#[test]
fn loans_and_pieces_arrive_as_one_payload() {
    in_namespace("loans_and_pieces_arrive_as_one_payload", LOOPBACK, || {
        let world = World::new();
        let trail = vec![5; 100_000];
        let sent = position(3, &trail);
        let mut loan = dunlin_loan {
            data: std::ptr::null_mut(),
            length: 0,
            token: 0,
            shared: 0,
            reserved: 0,
        };
        ok(dunlin_loan_new(
            world.writer,
            sent.len() as u64 + 10,
            DUNLIN_SHARED,
            Out::from(&mut loan),
        ));
        // SAFETY: the loan has room for ten bytes more.
        unsafe { std::ptr::copy(sent.as_ptr(), loan.data, sent.len()) };
        loan.length = sent.len() as u64;
        let mut copy = loan;
        ok(dunlin_loan_write(
            world.writer,
            Out::from(&mut loan),
            Out::NULL,
        ));
        fails(
            dunlin_loan_write(world.writer, Out::from(&mut copy), Out::NULL),
            DUNLIN_PRECONDITION_NOT_MET,
            &["written or discarded before"],
        );
        ok(dunlin_loan_new(world.writer, 64, 0, Out::from(&mut loan)));
        ok(dunlin_loan_discard(world.writer, Out::from(&mut loan)));

        let (mut data, mut octets) = (std::ptr::null_mut(), 0);
        ok(dunlin_octets_new(
            world.writer,
            100_000,
            Out::from(&mut data),
            Out::from(&mut octets),
        ));
        // SAFETY: the octets have this length.
        unsafe { std::ptr::copy(trail.as_ptr(), data, trail.len()) };
        let mut pieces = [
            dunlin_piece {
                data: sent.as_ptr(),
                length: 16,
                octets: 0,
            },
            dunlin_piece {
                data: std::ptr::null(),
                length: 0,
                octets,
            },
        ];
        let write = |pieces: &[dunlin_piece]| {
            let count = pieces.len() as u64;
            dunlin_write_pieces(world.writer, Array::from(pieces), count, Out::NULL)
        };
        fails(
            write(&pieces),
            DUNLIN_PRECONDITION_NOT_MET,
            &["dunlin_octets_seal"],
        );
        ok(dunlin_octets_seal(octets));
        ok(write(&pieces));
        // The key is found also if it reaches beyond the first piece.
        let split = [(0, 6), (6, sent.len() - 6)].map(|(from, length)| dunlin_piece {
            data: sent[from..].as_ptr(),
            length: length as u64,
            octets: 0,
        });
        ok(write(&split));
        pieces[1].data = data;
        pieces[1].length = 100_001;
        fails(write(&pieces), DUNLIN_BAD_PARAMETER, &["100001", "100000"]);
        ok(dunlin_octets_free(octets));
        assert_eq!(dunlin_octets_free(octets), DUNLIN_ALREADY_DELETED);

        let mut samples = Vec::new();
        while samples.len() < 3 {
            wait_for_data(world.reader);
            samples.extend(take(world.reader, &all(), 4).unwrap());
        }
        assert!(samples.iter().all(|sample| payload(sample) == sent));
        let instances = samples.iter().map(|sample| sample.info.instance);
        assert!(instances.eq([instance(3); 3]));
        // An echo shares the memory of what it takes.
        let (mut part, mut length, mut at) = (0, 0, std::ptr::null());
        ok(dunlin_octets_of_sample(
            world.reader,
            In::from(&samples[1]),
            16,
            100_000,
            Out::from(&mut part),
        ));
        ok(give_back(world.reader, &mut samples));
        ok(dunlin_octets_data(
            part,
            Out::from(&mut at),
            Out::from(&mut length),
        ));
        // SAFETY: the reference keeps them.
        let kept = unsafe { std::slice::from_raw_parts(at, length as usize) };
        assert_eq!(kept, trail);
        ok(dunlin_octets_free(part));
        world.close();
    });
}
