//! Entities: what contains what, how they end, their QoS, statuses and conditions.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

fn name(of: u64) -> String {
    let mut block = dunlin_block::NONE;
    ok(dunlin_name(of, Out::from(&mut block)));
    String::from_utf8(taken(block)).unwrap()
}

fn parent(of: u64) -> u64 {
    let mut parent = 0;
    ok(dunlin_parent(of, Out::from(&mut parent)));
    parent
}

#[test]
fn entities_are_within_each_other_and_end_from_outside() {
    in_namespace(
        "entities_are_within_each_other_and_end_from_outside",
        LOOPBACK,
        || {
            let world = World::new();
            let publisher = parent(world.writer);
            assert_eq!(parent(publisher), world.participant);
            assert_eq!(parent(world.participant), 0);
            assert_eq!(
                (&*name(world.topic), &*name(world.writer)),
                ("Positions", "Positions")
            );
            assert_eq!(name(world.ty), "Position");
            let mut kind = 0;
            ok(dunlin_kind(publisher, Out::from(&mut kind)));
            assert_eq!(kind, DUNLIN_KIND_PUBLISHER);

            fails(
                dunlin_delete(world.participant),
                DUNLIN_PRECONDITION_NOT_MET,
                &["a participant", "all that it contains at once"],
            );
            fails(
                dunlin_close(world.topic),
                DUNLIN_PRECONDITION_NOT_MET,
                &["topic"],
            );
            let (mut again, mut found) = (0, 0);
            ok(dunlin_participant_lookup(0, Out::from(&mut again)));
            assert_eq!(again, world.participant);
            ok(dunlin_topic_lookup(
                world.participant,
                "Positions".into(),
                Out::from(&mut found),
            ));
            assert_eq!(found, world.topic);
            ok(dunlin_publisher_lookup_writer(
                publisher,
                "Positions".into(),
                Out::from(&mut found),
            ));
            assert_eq!(found, world.writer);

            ok(dunlin_delete_contained(world.participant));
            for handle in [world.writer, world.reader, world.topic, publisher] {
                fails(
                    dunlin_guid(handle, OutArray::from(&mut [0; 16][..])),
                    DUNLIN_ALREADY_DELETED,
                    &["closed"],
                );
            }
            let topic = topic(world.participant, world.ty);
            let writer = writer(world.participant, topic);
            ok(dunlin_delete(writer));
            ok(dunlin_delete(topic));
            ok(dunlin_delete(world.participant));
            assert_eq!(dunlin_delete(world.participant), DUNLIN_ALREADY_DELETED);
            ok(dunlin_close(world.ty));
            assert_eq!(leaks().0, 0);
        },
    );
}

#[test]
fn qos_comes_back_as_it_was_given() {
    in_namespace("qos_comes_back_as_it_was_given", LOOPBACK, || {
        let world = World::new();
        let data = [1, 2, 3];
        let properties = [
            dunlin_property {
                name: "unit".into(),
                value: dunlin_bytes {
                    data: b"metre".as_ptr(),
                    length: 5,
                },
                binary: 0,
                propagate: 1,
                reserved: [0; 6],
            },
            dunlin_property {
                name: "key".into(),
                value: dunlin_bytes {
                    data: data.as_ptr(),
                    length: 3,
                },
                binary: 1,
                propagate: 0,
                reserved: [0; 6],
            },
        ];
        let groups = [0xef01_0203];
        let qos = dunlin_reader_qos {
            entity_name: "gauge".into(),
            user_data: dunlin_bytes {
                data: data.as_ptr(),
                length: 3,
            },
            properties: properties.as_ptr(),
            property_count: 2,
            multicast: groups.as_ptr(),
            multicast_count: 1,
            durability: DUNLIN_TRANSIENT_LOCAL,
            history: DUNLIN_KEEP_LAST,
            depth: 7,
            max_samples: 70,
            max_samples_per_instance: 9,
            lease_duration: SECOND,
            ..Default::default()
        };
        let mut reader = 0;
        ok(dunlin_reader_new(
            world.participant,
            world.topic,
            In::from(&qos),
            In::NULL,
            Out::from(&mut reader),
        ));
        let (mut back, mut block) = (dunlin_reader_qos::default(), dunlin_block::NONE);
        ok(dunlin_qos_get(
            reader,
            Out::of(&mut back),
            Out::from(&mut block),
        ));
        assert_eq!(
            (back.depth, back.max_samples, back.max_instances),
            (7, 70, -1)
        );
        assert_eq!((back.durability, back.lease_duration), (1, SECOND));
        assert_eq!(text_of(back.entity_name), "gauge");
        assert_eq!(
            (
                back.property_count,
                back.multicast_count,
                back.user_data.length
            ),
            (2, 1, 3)
        );
        // SAFETY: the block keeps them.
        let (property, group) = unsafe { (*back.properties.add(1), *back.multicast) };
        assert_eq!(
            (text_of(property.name), property.binary, group),
            ("key".into(), 1, groups[0])
        );
        ok(dunlin_block_free(Out::from(&mut block)));
        fails(
            dunlin_qos_get(reader, Out::of(&mut back), Out::NULL),
            DUNLIN_BAD_PARAMETER,
            &["block"],
        );

        let wrong = dunlin_reader_qos {
            durability: DUNLIN_VOLATILE,
            ..qos
        };
        fails(
            dunlin_qos_set(reader, In::of(&wrong)),
            DUNLIN_IMMUTABLE_POLICY,
            &["DURABILITY"],
        );
        let wrong = dunlin_reader_qos { history: 2, ..qos };
        fails(
            dunlin_qos_set(reader, In::of(&wrong)),
            DUNLIN_BAD_PARAMETER,
            &["history is 2"],
        );
        let wrong = dunlin_reader_qos { size: 8, ..qos };
        fails(
            dunlin_qos_set(reader, In::of(&wrong)),
            DUNLIN_BAD_PARAMETER,
            &["size", "8", "184", "dunlin_reader_qos"],
        );
        let wrong = dunlin_reader_qos {
            deadline: -1,
            ..qos
        };
        fails(
            dunlin_qos_set(reader, In::of(&wrong)),
            DUNLIN_BAD_PARAMETER,
            &["deadline", "-1"],
        );
        fails(
            dunlin_qos_set(world.writer, In::of(&qos)),
            DUNLIN_BAD_PARAMETER,
            &["DUNLIN_QOS_READER", "DUNLIN_QOS_WRITER"],
        );

        // What a publisher says of its writers.
        let mut qos = dunlin_writer_qos {
            depth: 0,
            ..Default::default()
        };
        ok(dunlin_qos_default(Out::of(&mut qos)));
        assert_eq!(qos.depth, 1);
        qos.depth = 5;
        let publisher = parent(world.writer);
        ok(dunlin_default_qos_set(publisher, In::of(&qos)));
        let mut writer = 0;
        ok(dunlin_writer_new(
            publisher,
            world.topic,
            In::NULL,
            In::NULL,
            Out::from(&mut writer),
        ));
        ok(dunlin_qos_get(writer, Out::of(&mut qos), Out::NULL));
        assert_eq!(qos.depth, 5);
        world.close();
    });
}

#[test]
fn statuses_say_who_matched_and_what_stood_in_the_way() {
    in_namespace(
        "statuses_say_who_matched_and_what_stood_in_the_way",
        LOOPBACK,
        || {
            let world = World::new();
            let (mut status, mut guid) = (dunlin_status::default(), [0; 16]);
            ok(dunlin_status_get(
                world.writer,
                DUNLIN_PUBLICATION_MATCHED,
                Out::from(&mut status),
            ));
            ok(dunlin_guid(world.reader, OutArray::from(&mut guid[..])));
            assert_eq!(
                (status.kind, status.count),
                (DUNLIN_PUBLICATION_MATCHED, [1, 1, 1, 1])
            );
            assert_eq!(status.last, guid);
            let (mut matched, mut count) = ([0; 32], 0);
            ok(dunlin_writer_matched(
                world.writer,
                OutArray::from(&mut matched[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!((count, &matched[..16]), (1, &guid[..]));

            // A status condition of the writer wakes for what a reader asks for in vain.
            let (mut condition, mut set, mut found) = (0, 0, 0);
            ok(dunlin_status_condition(
                world.writer,
                Out::from(&mut condition),
            ));
            let (wanted, mut before) = (DUNLIN_OFFERED_INCOMPATIBLE_QOS, 0);
            ok(dunlin_status_condition_mask(
                condition,
                In::from(&wanted),
                Out::from(&mut before),
            ));
            assert_ne!(before & DUNLIN_LIVELINESS_LOST, 0);
            ok(dunlin_waitset_new(Out::from(&mut set)));
            ok(dunlin_waitset_attach(set, condition));
            assert_eq!(
                dunlin_waitset_wait(set, 0, OutArray::NULL, 0, Out::NULL),
                DUNLIN_TIMEOUT
            );
            let qos = dunlin_reader_qos {
                durability: DUNLIN_PERSISTENT,
                ..Default::default()
            };
            let mut demanding = 0;
            ok(dunlin_reader_new(
                world.participant,
                world.topic,
                In::from(&qos),
                In::NULL,
                Out::from(&mut demanding),
            ));
            ok(dunlin_waitset_wait(
                set,
                10 * SECOND,
                OutArray::from(std::slice::from_mut(&mut found)),
                1,
                Out::from(&mut count),
            ));
            assert_eq!((count, found), (1, condition));
            let mut text = dunlin_block::NONE;
            ok(dunlin_status_reasons(world.writer, Out::from(&mut text)));
            let text = String::from_utf8(taken(text)).unwrap();
            assert!(text.contains("DURABILITY"), "{text}");
            let mut policies = [dunlin_policy_count::default(); 2];
            ok(dunlin_status_policies(
                world.writer,
                OutArray::from(&mut policies[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!((count, policies[0].policy, policies[0].count), (1, 2, 1));
            fails(
                dunlin_status_get(world.writer, DUNLIN_SAMPLE_LOST, Out::from(&mut status)),
                DUNLIN_ILLEGAL_OPERATION,
                &["a writer", "SAMPLE_LOST"],
            );
            fails(
                dunlin_status_get(world.writer, 3, Out::from(&mut status)),
                DUNLIN_BAD_PARAMETER,
                &["0x3"],
            );
            ok(dunlin_close(set));
            world.close();
        },
    );
}

#[test]
fn a_query_selects_by_content_and_a_guard_wakes() {
    in_namespace(
        "a_query_selects_by_content_and_a_guard_wakes",
        LOOPBACK,
        || {
            let world = World::new();
            let (mut query, mut guard, mut set) = (0, 0, 0);
            let parameters: [dunlin_text; 1] = ["2".into()];
            ok(dunlin_query_condition_new(
                world.reader,
                In::NULL,
                "bird = %0".into(),
                Array::from(&parameters[..]),
                1,
                Out::from(&mut query),
            ));
            ok(dunlin_guard_new(Out::from(&mut guard)));
            ok(dunlin_waitset_new(Out::from(&mut set)));
            ok(dunlin_waitset_attach(set, query));
            ok(dunlin_waitset_attach(set, guard));
            (0..6).for_each(|bird| world.write(bird % 3, b""));
            ok(dunlin_guard_set(guard, 1));
            ok(dunlin_writer_wait_for_acknowledgments(
                world.writer,
                10 * SECOND,
            ));
            let (mut active, mut count) = ([0; 2], 0);
            ok(dunlin_waitset_wait(
                set,
                10 * SECOND,
                OutArray::from(&mut active[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!((count, active), (2, [query, guard]));
            let select = dunlin_select {
                condition: query,
                max: 1,
                ..all()
            };
            let mut one = take(world.reader, &select, 8).unwrap();
            assert_eq!((one.len(), one[0].info.instance), (1, instance(2)));
            ok(give_back(world.reader, &mut one));
            let parameters: [dunlin_text; 1] = ["7".into()];
            ok(dunlin_query_parameters_set(
                query,
                Array::from(&parameters[..]),
                1,
            ));
            assert_eq!(take(world.reader, &select, 8).unwrap_err(), DUNLIN_NO_DATA);
            let wrong = dunlin_query_condition_new(
                world.reader,
                In::NULL,
                "bird ? 3".into(),
                Array::NULL,
                0,
                Out::from(&mut guard),
            );
            assert_eq!(wrong, DUNLIN_BAD_PARAMETER);

            // What is closed leaves the wait set.
            ok(dunlin_close(guard));
            ok(dunlin_waitset_conditions(
                set,
                OutArray::from(&mut active[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!((count, active[0]), (1, query));
            assert_eq!(
                dunlin_waitset_wait(set, 1, OutArray::NULL, 0, Out::NULL),
                DUNLIN_TIMEOUT
            );
            ok(dunlin_waitset_detach(set, query));
            assert_eq!(
                dunlin_waitset_detach(set, query),
                DUNLIN_PRECONDITION_NOT_MET
            );
            ok(dunlin_close(set));
            world.close();
        },
    );
}

#[test]
fn closing_a_wait_set_ends_the_wait_in_it() {
    let mut set = 0;
    ok(dunlin_waitset_new(Out::from(&mut set)));
    let waiting = std::thread::spawn(move || {
        loop {
            let code = dunlin_waitset_wait(set, i64::MAX, OutArray::NULL, 0, Out::NULL);
            // The thread that looks was in it.
            if code != DUNLIN_PRECONDITION_NOT_MET {
                return (code, said());
            }
            std::thread::yield_now();
        }
    });
    // Until the other thread is in it, this one is not refused.
    while dunlin_waitset_wait(set, 0, OutArray::NULL, 0, Out::NULL) == DUNLIN_TIMEOUT {
        std::thread::yield_now();
    }
    ok(dunlin_close(set));
    let (code, said) = waiting.join().unwrap();
    assert_eq!(code, DUNLIN_ALREADY_DELETED, "{said}");
}

#[test]
fn a_filtered_topic_lets_a_part_through() {
    in_namespace("a_filtered_topic_lets_a_part_through", LOOPBACK, || {
        let world = World::new();
        let (mut part, parameters) = (0, [dunlin_text::from("4")]);
        ok(dunlin_filtered_topic_new(
            world.topic,
            "Some".into(),
            "bird >= %0".into(),
            Array::from(&parameters[..]),
            1,
            Out::from(&mut part),
        ));
        let reader = reader(world.participant, part, In::NULL);
        ok(dunlin_writer_wait_for_matched(world.writer, 2, 10 * SECOND));
        (3..6).for_each(|bird| world.write(bird, b""));
        ok(dunlin_writer_wait_for_acknowledgments(
            world.writer,
            10 * SECOND,
        ));
        let mut samples = take(reader, &all(), 8).unwrap();
        let birds: Vec<_> = samples.iter().map(|sample| sample.info.instance).collect();
        assert_eq!(birds, [instance(4), instance(5)]);
        ok(give_back(reader, &mut samples));
        world.close();
    });
}

#[test]
fn types_are_described_and_find_keys() {
    let ty = position_type();
    let mut text = dunlin_block::NONE;
    ok(dunlin_type_describe(ty, Out::from(&mut text)));
    let text = String::from_utf8(taken(text)).unwrap();
    assert!(
        text.contains("struct Position") && text.contains("@key"),
        "{text}"
    );
    let (sample, mut hash, mut key_block) = (position(9, b"ab"), [0; 16], dunlin_block::NONE);
    ok(dunlin_type_key(
        ty,
        Array::from(&sample[..]),
        sample.len() as u64,
        OutArray::from(&mut hash[..]),
        Out::from(&mut key_block),
    ));
    assert_eq!((hash, taken(key_block)), (instance(9), key(9)));
    fails(
        dunlin_type_key(
            ty,
            Array::from(&sample[..]),
            6,
            OutArray::from(&mut hash[..]),
            Out::NULL,
        ),
        DUNLIN_BAD_PARAMETER,
        &["Position"],
    );
    let (objects, mut none) = (position_objects(), 0);
    for length in 0..objects.len() as u64 {
        let cut = dunlin_type_new(
            Array::from(&objects[..]),
            length,
            dunlin_text::NONE,
            Out::from(&mut none),
        );
        assert_eq!(cut, DUNLIN_BAD_PARAMETER);
    }
    ok(dunlin_close(ty));
}

/// What other languages check first.
#[test]
fn structures_are_laid_out_as_the_library_says() {
    let (mut size, mut count, mut offsets) = (0, 0, [0; 64]);
    ok(dunlin_abi_layout(
        "dunlin_sample".into(),
        Out::from(&mut size),
        OutArray::from(&mut offsets[..]),
        64,
        Out::from(&mut count),
    ));
    assert_eq!(
        (size, count, &offsets[..6]),
        (120, 6, &[0, 8, 16, 24, 28, 32][..])
    );
    let version = DUNLIN_ABI_MAJOR << 16 | DUNLIN_ABI_MINOR;
    assert_eq!(dunlin_abi_version(), version);
}

#[test]
fn a_participant_tells_its_peers_and_what_it_could_not_use() {
    let name = "a_participant_tells_its_peers_and_what_it_could_not_use";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let mut peers = dunlin_block::NONE;
        let mut told = || {
            let code = dunlin_participant_peers(world.participant, Out::from(&mut peers));
            ok(code);
            String::from_utf8(taken(peers)).unwrap()
        };
        let before = told();
        ok(dunlin_participant_add_peer(
            world.participant,
            "127.0.0.9".into(),
        ));
        let after = told();
        assert!(!before.contains("127.0.0.9"), "{before}");
        assert!(
            after.contains("127.0.0.9: at ") && after.contains("found nothing"),
            "{after}"
        );
        let mut counters = dunlin_counters::default();
        fails(
            dunlin_participant_counters(world.participant, Out::from(&mut counters)),
            DUNLIN_BAD_PARAMETER,
            &["size", "counters"],
        );
        counters.size = size_of::<dunlin_counters>() as u32;
        // Datagrams that nobody of RTPS sends.
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        for _ in 0..1000 {
            socket.send_to(b"RTPS\x02\x05no", "127.0.0.1:7410").unwrap();
            ok(dunlin_participant_counters(
                world.participant,
                Out::from(&mut counters),
            ));
            if counters.malformed > 0 {
                break;
            }
            std::thread::yield_now();
        }
        assert!(counters.malformed > 0, "{counters:?}");
        world.close();
    });
}
