//! Wrong handles, pointers and orders of calls: the right code, and nothing else.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

/// A function that takes a handle of some kinds as its first argument, with whatever else it needs.
type Call = (&'static str, &'static [u32], fn(u64) -> i32);

const ENTITIES: &[u32] = &[1, 2, 4, 5, 6, 7];
const ANY: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
const PARTICIPANT: &[u32] = &[1];
const PUBLISHER: &[u32] = &[4];
const SUBSCRIBER: &[u32] = &[5];
const WRITER: &[u32] = &[6];
const READER: &[u32] = &[7];
const CONDITION: &[u32] = &[8, 9, 10, 11];

/// Calls that fail for the handle alone, if it is wrong.
const CALLS: &[Call] = &[
    ("enable", ENTITIES, |h| dunlin_enable(h)),
    ("close", ANY, |h| dunlin_close(h)),
    ("delete", ANY, |h| dunlin_delete(h)),
    ("delete_contained", ANY, |h| dunlin_delete_contained(h)),
    ("kind", ANY, |h| dunlin_kind(h, Out::from(&mut 0))),
    ("guid", ENTITIES, |h| {
        dunlin_guid(h, OutArray::from(&mut [0; 16][..]))
    }),
    ("parent", ANY, |h| dunlin_parent(h, Out::from(&mut 0))),
    ("set_listener", ENTITIES, |h| {
        dunlin_set_listener(h, In::NULL)
    }),
    ("status_changes", ENTITIES, |h| {
        dunlin_status_changes(h, Out::from(&mut 0))
    }),
    ("set_attachment", ANY, |h| dunlin_set_attachment(h, 1)),
    ("attachment", ANY, |h| {
        dunlin_attachment(h, Out::from(&mut 0))
    }),
    ("domain", PARTICIPANT, |h| {
        dunlin_participant_domain(h, Out::from(&mut 0))
    }),
    ("add_peer", PARTICIPANT, |h| {
        dunlin_participant_add_peer(h, "127.0.0.1".into())
    }),
    ("assert", PARTICIPANT, |h| {
        dunlin_participant_assert_liveliness(h)
    }),
    ("time", PARTICIPANT, |h| {
        dunlin_current_time(h, Out::from(&mut 0))
    }),
    ("publisher_new", PARTICIPANT, |h| {
        dunlin_publisher_new(h, In::NULL, In::NULL, Out::from(&mut 0))
    }),
    ("subscriber_new", PARTICIPANT, |h| {
        dunlin_subscriber_new(h, In::NULL, In::NULL, Out::from(&mut 0))
    }),
    ("suspend", PUBLISHER, |h| dunlin_publisher_suspend(h)),
    ("begin_coherent", PUBLISHER, |h| {
        dunlin_publisher_begin_coherent(h)
    }),
    ("begin_access", SUBSCRIBER, |h| {
        dunlin_subscriber_begin_access(h)
    }),
    ("notify", SUBSCRIBER, |h| {
        dunlin_subscriber_notify_readers(h)
    }),
    ("write", WRITER, |h| {
        dunlin_write(h, Array::NULL, 0, Out::NULL)
    }),
    ("write_pieces", WRITER, |h| {
        dunlin_write_pieces(h, Array::NULL, 0, Out::NULL)
    }),
    ("dispose", WRITER, |h| {
        dunlin_dispose(h, Array::NULL, 0, Out::NULL)
    }),
    ("unregister", WRITER, |h| {
        dunlin_unregister(h, Array::NULL, 0, Out::NULL)
    }),
    ("wait_for_acknowledgments", WRITER, |h| {
        dunlin_writer_wait_for_acknowledgments(h, 0)
    }),
    ("writer_wait_for_matched", WRITER, |h| {
        dunlin_writer_wait_for_matched(h, 0, 0)
    }),
    ("flush", WRITER, |h| dunlin_flush(h)),
    ("assert_liveliness", WRITER, |h| dunlin_assert_liveliness(h)),
    ("reader_wait_for_matched", READER, |h| {
        dunlin_reader_wait_for_matched(h, 0, 0)
    }),
    ("wait_for_historical", READER, |h| {
        dunlin_reader_wait_for_historical(h, 0)
    }),
    ("reader_filtered", READER, |h| {
        dunlin_reader_filtered(h, Out::from(&mut 0))
    }),
    ("read_condition", READER, |h| {
        dunlin_read_condition_new(h, In::NULL, Out::from(&mut 0))
    }),
    ("condition_value", CONDITION, |h| {
        dunlin_condition_value(h, Out::from(&mut 0))
    }),
    ("guard_set", &[11], |h| dunlin_guard_set(h, 0)),
    ("waitset_wait", &[12], |h| {
        dunlin_waitset_wait(h, 0, OutArray::NULL, 0, Out::NULL)
    }),
    ("octets_seal", &[14], |h| dunlin_octets_seal(h)),
    ("octets_free", &[14], |h| dunlin_octets_free(h)),
];

fn kind(handle: u64) -> u32 {
    (handle >> 56) as u32
}

/// One of each kind but filtered topics and queries.
fn one_of_each(world: &World) -> Vec<u64> {
    let (mut publisher, mut subscriber, mut status, mut guard) = (0, 0, 0, 0);
    let (mut read, mut set, mut octets) = (0, 0, 0);
    ok(dunlin_parent(world.writer, Out::from(&mut publisher)));
    ok(dunlin_parent(world.reader, Out::from(&mut subscriber)));
    ok(dunlin_status_condition(
        world.reader,
        Out::from(&mut status),
    ));
    ok(dunlin_read_condition_new(
        world.reader,
        In::NULL,
        Out::from(&mut read),
    ));
    ok(dunlin_guard_new(Out::from(&mut guard)));
    ok(dunlin_waitset_new(Out::from(&mut set)));
    ok(dunlin_octets_new(
        0,
        8,
        Out::from(&mut std::ptr::null_mut()),
        Out::from(&mut octets),
    ));
    vec![
        world.participant,
        world.topic,
        publisher,
        subscriber,
        world.writer,
        world.reader,
        read,
        status,
        guard,
        set,
        world.ty,
        octets,
    ]
}

#[test]
fn a_handle_of_another_kind_or_none_is_refused_by_each_function() {
    let name = "a_handle_of_another_kind_or_none_is_refused_by_each_function";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let each = one_of_each(&world);
        for (name, kinds, call) in CALLS {
            for handle in each
                .iter()
                .filter(|handle| !kinds.contains(&kind(**handle)))
            {
                fails(call(*handle), DUNLIN_BAD_PARAMETER, &["needed"]);
            }
            for noise in [0, u64::MAX, 1, 1 << 63, u64::from(u32::MAX)] {
                assert_eq!(call(noise), DUNLIN_BAD_PARAMETER, "{name} of {noise:#x}");
            }
        }
        // One bit is wrong: it is another handle's number, an old one's, or none.
        for handle in &each {
            for bit in 0..64 {
                let code = dunlin_attachment(handle ^ 1 << bit, Out::from(&mut 0));
                let allowed = [DUNLIN_BAD_PARAMETER, DUNLIN_ALREADY_DELETED];
                assert!(allowed.contains(&code), "{handle:#x} bit {bit}: {code}");
            }
        }
    });
}

#[test]
fn a_closed_handle_is_refused_by_each_function() {
    in_namespace(
        "a_closed_handle_is_refused_by_each_function",
        LOOPBACK,
        || {
            let world = World::new();
            let each = one_of_each(&world);
            for handle in each.iter().rev().filter(|handle| **handle != world.topic) {
                let code = dunlin_close(*handle);
                assert!(
                    [DUNLIN_OK, DUNLIN_ALREADY_DELETED].contains(&code),
                    "{}",
                    said()
                );
            }
            for (name, kinds, call) in CALLS {
                for handle in each.iter().filter(|handle| kinds.contains(&kind(**handle))) {
                    assert_eq!(call(*handle), DUNLIN_ALREADY_DELETED, "{name}: {}", said());
                }
            }
            assert_eq!(leaks().0, 0);
        },
    );
}

#[test]
fn null_pointers_are_named() {
    in_namespace("null_pointers_are_named", LOOPBACK, || {
        let world = World::new();
        let null = |code: i32, name: &str| fails(code, DUNLIN_BAD_PARAMETER, &[name, "null"]);
        null(
            dunlin_participant_new(0, In::NULL, In::NULL, In::NULL, Out::NULL),
            "participant",
        );
        null(
            dunlin_write(world.writer, Array::NULL, 5, Out::NULL),
            "payload",
        );
        null(
            dunlin_write_pieces(world.writer, Array::NULL, 1, Out::NULL),
            "pieces",
        );
        null(
            dunlin_dispose(world.writer, Array::NULL, 8, Out::NULL),
            "key",
        );
        null(
            dunlin_register(world.writer, Array::NULL, 8, OutArray::NULL),
            "instance",
        );
        null(dunlin_loan_new(world.writer, 8, 0, Out::NULL), "loan");
        null(
            dunlin_loan_write(world.writer, Out::NULL, Out::NULL),
            "loan",
        );
        null(dunlin_writer_lookup(world.writer, Array::NULL), "instance");
        null(
            dunlin_take(world.reader, In::NULL, OutArray::NULL, 1, Out::NULL),
            "count",
        );
        let mut count = 0;
        null(
            dunlin_take(
                world.reader,
                In::NULL,
                OutArray::NULL,
                1,
                Out::from(&mut count),
            ),
            "samples",
        );
        null(dunlin_give_back(world.reader, OutArray::NULL, 1), "samples");
        null(
            dunlin_sample_copy(world.reader, In::NULL, 0, OutArray::NULL, 0),
            "sample",
        );
        null(dunlin_guid(world.reader, OutArray::NULL), "guid");
        null(dunlin_qos_get(world.reader, Out::NULL, Out::NULL), "qos");
        null(dunlin_qos_set(world.reader, In::NULL), "qos");
        null(dunlin_qos_default(Out::NULL), "qos");
        null(dunlin_config_default(Out::NULL), "config");
        null(dunlin_leaks(Out::NULL, Out::NULL), "count");
        null(
            dunlin_type_new(Array::NULL, 9, dunlin_text::NONE, Out::from(&mut 0)),
            "objects",
        );
        let none = dunlin_text {
            data: std::ptr::null(),
            length: 3,
        };
        null(
            dunlin_topic_new(
                world.participant,
                none,
                world.ty,
                In::NULL,
                In::NULL,
                Out::from(&mut 0),
            ),
            "name",
        );
        assert_eq!(dunlin_last_error(Out::NULL), DUNLIN_BAD_PARAMETER);
        ok(dunlin_block_free(Out::NULL));
        world.close();
    });
}

#[test]
fn arguments_are_checked() {
    in_namespace("arguments_are_checked", LOOPBACK, || {
        let world = World::new();
        let topic = |name: &str| {
            dunlin_topic_new(
                world.participant,
                name.into(),
                world.ty,
                In::NULL,
                In::NULL,
                Out::from(&mut 0),
            )
        };
        fails(topic(""), DUNLIN_BAD_PARAMETER, &["1 to 255"]);
        fails(topic(&"x".repeat(256)), DUNLIN_BAD_PARAMETER, &["1 to 255"]);
        fails(
            topic("a\0b"),
            DUNLIN_BAD_PARAMETER,
            &["name", "NUL at byte 1"],
        );
        let timeout = dunlin_writer_wait_for_matched(world.writer, 1, -1);
        fails(timeout, DUNLIN_BAD_PARAMETER, &["timeout", "-1"]);
        assert_eq!(
            dunlin_writer_wait_for_matched(world.writer, 9, 0),
            DUNLIN_TIMEOUT
        );
        let mut how = options();
        how.timestamp = -7;
        let payload = position(1, b"");
        let write = |how: &mut dunlin_write_options, length| {
            dunlin_write(
                world.writer,
                Array::from(&payload[..]),
                length,
                Out::from(how),
            )
        };
        fails(
            write(&mut how, 16),
            DUNLIN_BAD_PARAMETER,
            &["timestamp", "-7"],
        );
        how.timestamp = 0;
        how.size = 31;
        fails(
            write(&mut how, 16),
            DUNLIN_BAD_PARAMETER,
            &["size", "31", "32"],
        );
        how.size = 64;
        ok(write(&mut how, 16));
        for length in 0..8 {
            fails(
                write(&mut how, length),
                DUNLIN_BAD_PARAMETER,
                &["Positions"],
            );
        }
        fails(
            write(&mut how, u64::MAX),
            DUNLIN_BAD_PARAMETER,
            &["payload", "memory"],
        );
        let select = dunlin_select { which: 3, ..all() };
        fails(
            take(world.reader, &select, 1).unwrap_err(),
            DUNLIN_BAD_PARAMETER,
            &["which", "3"],
        );
        let select = dunlin_select { flags: 8, ..all() };
        fails(
            take(world.reader, &select, 1).unwrap_err(),
            DUNLIN_BAD_PARAMETER,
            &["0x8"],
        );
        let select = dunlin_select {
            condition: world.writer,
            ..all()
        };
        fails(
            take(world.reader, &select, 1).unwrap_err(),
            DUNLIN_BAD_PARAMETER,
            &["a writer", "a condition"],
        );
        assert_eq!(
            take(world.reader, &all(), 0).unwrap_err(),
            DUNLIN_BAD_PARAMETER
        );
        world.close();
    });
}

#[test]
fn a_structure_that_is_too_small_is_left_alone() {
    let whole = size_of::<dunlin_participant_config>() as u32;
    for size in [0, 4, whole - 8, whole - 1] {
        let mut config = dunlin_participant_config {
            size,
            waiting: 77,
            ..Default::default()
        };
        fails(
            dunlin_config_default(Out::from(&mut config)),
            DUNLIN_BAD_PARAMETER,
            &["config", &size.to_string(), &whole.to_string(), "sizeof"],
        );
        assert_eq!((config.size, config.waiting), (size, 77));
    }
    // That of a program which was compiled for a library that has more.
    let mut config = dunlin_participant_config {
        size: whole + 8,
        waiting: 77,
        ..Default::default()
    };
    ok(dunlin_config_default(Out::from(&mut config)));
    assert_eq!(
        (config.size, config.waiting),
        (whole, DUNLIN_SPIN_THEN_BLOCK)
    );

    let whole = size_of::<dunlin_writer_qos>() as u32;
    let mut qos = dunlin_writer_qos {
        size: whole - 1,
        kind: DUNLIN_QOS_WRITER,
        depth: 77,
        ..Default::default()
    };
    fails(
        dunlin_qos_default(Out::<dunlin_qos>::of(&mut qos)),
        DUNLIN_BAD_PARAMETER,
        &["qos", &whole.to_string()],
    );
    assert_eq!(qos.depth, 77);
}

#[test]
fn loans_that_are_never_written_go_with_their_writer() {
    in_namespace(
        "loans_that_are_never_written_go_with_their_writer",
        LOOPBACK,
        || {
            let world = World::new();
            let mut loan = dunlin_loan {
                data: std::ptr::null_mut(),
                length: 0,
                token: 0,
                shared: 0,
                reserved: 0,
            };
            for _ in 0..1024 {
                ok(dunlin_loan_new(world.writer, 64, 0, Out::from(&mut loan)));
            }
            fails(
                dunlin_loan_new(world.writer, 64, 0, Out::from(&mut loan)),
                DUNLIN_OUT_OF_RESOURCES,
                &["1024"],
            );
            fails(
                dunlin_loan_new(world.writer, 1 << 40, 0, Out::from(&mut loan)),
                DUNLIN_OUT_OF_RESOURCES,
                &["largest sample"],
            );
            assert_eq!(leaks().1, "7 handles, 0 samples, 1024 loans, 0 blocks");
            world.close();
        },
    );
}

/// Threads write, take, wait and look up while others close what they use.
#[test]
fn closing_beside_calls_crashes_nothing_and_leaks_nothing() {
    let name = "closing_beside_calls_crashes_nothing_and_leaks_nothing";
    in_namespace(name, LOOPBACK, || {
        let allowed = [
            DUNLIN_OK,
            DUNLIN_ALREADY_DELETED,
            DUNLIN_NO_DATA,
            DUNLIN_TIMEOUT,
            DUNLIN_PRECONDITION_NOT_MET,
        ];
        let check = |code: i32| assert!(allowed.contains(&code), "{code}: {}", said());
        for _ in 0..6 {
            let world = World::new();
            let (mut set, mut condition) = (0, 0);
            ok(dunlin_waitset_new(Out::from(&mut set)));
            ok(dunlin_read_condition_new(
                world.reader,
                In::NULL,
                Out::from(&mut condition),
            ));
            ok(dunlin_waitset_attach(set, condition));
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let world = &world;
                    scope.spawn(move || {
                        let payload = position(thread, b"abc");
                        for _ in 0..400 {
                            let sent = Array::from(&payload[..]);
                            check(dunlin_write(world.writer, sent, 19, Out::NULL));
                            match take(world.reader, &all(), 2) {
                                Ok(mut samples) => ok(give_back(world.reader, &mut samples)),
                                Err(code) => check(code),
                            }
                            check(dunlin_waitset_wait(set, 1000, OutArray::NULL, 0, Out::NULL));
                            check(dunlin_status_changes(world.reader, Out::from(&mut 0)));
                        }
                    });
                }
                scope.spawn(|| {
                    for handle in [
                        condition,
                        world.reader,
                        set,
                        world.writer,
                        world.participant,
                    ] {
                        std::thread::yield_now();
                        check(dunlin_close(handle));
                    }
                });
            });
            ok(dunlin_close(world.ty));
            assert_eq!(
                leaks(),
                (0, "0 handles, 0 samples, 0 loans, 0 blocks".into())
            );
        }
    });
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn entities_come_and_go_and_leave_nothing() {
    in_namespace("entities_come_and_go_and_leave_nothing", LOOPBACK, || {
        World::new().close();
        let before = descriptors();
        for _ in 0..20 {
            let world = World::new();
            for handle in one_of_each(&world).into_iter().rev() {
                // The conditions of a reader are closed with it.
                let code = dunlin_close(handle);
                let allowed = [DUNLIN_OK, DUNLIN_ALREADY_DELETED];
                assert!(allowed.contains(&code), "{}", said());
            }
            assert_eq!(
                leaks(),
                (0, "0 handles, 0 samples, 0 loans, 0 blocks".into())
            );
        }
        let (participant, ty) = (participant(), position_type());
        let topic = topic(participant, ty);
        for _ in 0..200 {
            let (writer, reader) = (
                writer(participant, topic),
                reader(participant, topic, In::NULL),
            );
            ok(dunlin_close(writer));
            ok(dunlin_close(reader));
        }
        ok(dunlin_close(participant));
        ok(dunlin_close(ty));
        assert_eq!(leaks().0, 0);
        assert!(
            descriptors() <= before,
            "{} descriptors, {before} before",
            descriptors()
        );
    });
}
