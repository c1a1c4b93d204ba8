//! Built-in topics, discovered entities, matched ones, and those that are ignored.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

/// A place for data.
fn room() -> dunlin_builtin_data {
    // SAFETY: it has numbers and addresses, and is written by the library before it is read.
    let mut data: dunlin_builtin_data = unsafe { std::mem::zeroed() };
    data.size = size_of::<dunlin_builtin_data>() as u32;
    data
}

fn guid(of: u64) -> [u8; 16] {
    let mut guid = [0; 16];
    ok(dunlin_guid(of, OutArray::from(&mut guid[..])));
    guid
}

fn builtin_reader(participant: u64, kind: u32) -> u64 {
    let mut reader = 0;
    ok(dunlin_builtin_reader(
        participant,
        kind,
        Out::from(&mut reader),
    ));
    reader
}

fn free(mut block: dunlin_block) {
    ok(dunlin_block_free(Out::from(&mut block)));
}

/// Waits for samples of a built-in topic until `is_wanted` holds for one, whose data it returns.
fn wait_for(
    participant: u64,
    kind: u32,
    is_wanted: impl Fn(&dunlin_sample, &dunlin_builtin_data) -> bool,
) -> (dunlin_builtin_data, dunlin_block) {
    let reader = builtin_reader(participant, kind);
    loop {
        wait_for_data(reader);
        let mut taken = take(reader, &all(), 16).unwrap();
        let mut found = None;
        for sample in &taken {
            let (mut data, mut block) = (room(), dunlin_block::NONE);
            ok(dunlin_builtin_decode(
                kind,
                In::from(sample),
                Out::from(&mut data),
                Out::from(&mut block),
            ));
            assert_eq!((data.kind, data.key), (kind, sample.info.instance));
            match is_wanted(sample, &data) {
                true => found = Some((data, block)),
                false => free(block),
            }
        }
        ok(give_back(reader, &mut taken));
        if let Some(found) = found {
            return found;
        }
    }
}

fn matched(writer: u64) -> u64 {
    let mut count = 0;
    ok(dunlin_writer_matched(
        writer,
        OutArray::NULL,
        0,
        Out::from(&mut count),
    ));
    count
}

#[test]
fn built_in_readers_tell_of_others() {
    in_namespace("built_in_readers_tell_of_others", LOOPBACK, || {
        let world = World::new();
        let other = participant();
        let of_world =
            |_: &dunlin_sample, data: &dunlin_builtin_data| data.key == guid(world.participant);
        let (data, block) = wait_for(other, DUNLIN_BUILTIN_PARTICIPANT, of_world);
        assert_eq!(data.vendor, *b"DL");
        assert!(data.property_count > 0 && data.writer_qos.is_null());
        free(block);

        let any = |_: &dunlin_sample, _: &dunlin_builtin_data| true;
        let (data, block) = wait_for(other, DUNLIN_BUILTIN_TOPIC, any);
        assert_eq!(
            (text_of(data.name), text_of(data.type_name)),
            ("Positions".into(), "Position".into())
        );
        free(block);

        let (data, block) = wait_for(other, DUNLIN_BUILTIN_PUBLICATION, any);
        assert_eq!(data.key, guid(world.writer));
        assert_eq!(data.participant_key, guid(world.participant));
        assert_eq!(text_of(data.name), "Positions");
        assert!(data.reader_qos.is_null() && !data.group_qos.is_null());
        // SAFETY: the block is not given back yet.
        let qos = unsafe { &*data.writer_qos };
        assert_eq!(
            (qos.kind, qos.reliability),
            (DUNLIN_QOS_WRITER, DUNLIN_RELIABLE)
        );
        free(block);

        let (data, block) = wait_for(other, DUNLIN_BUILTIN_SUBSCRIPTION, any);
        assert_eq!(data.key, guid(world.reader));
        assert!(data.writer_qos.is_null());
        free(block);

        // An entity that is gone leaves its key.
        let writer = guid(world.writer);
        ok(dunlin_close(world.writer));
        let gone = |sample: &dunlin_sample, _: &dunlin_builtin_data| sample.info.valid_data == 0;
        let (data, block) = wait_for(other, DUNLIN_BUILTIN_PUBLICATION, gone);
        assert_eq!((data.key, data.name.length), (writer, 0));
        free(block);
        ok(dunlin_close(other));
        world.close();
    });
}

#[test]
fn built_in_readers_are_always_the_same_and_no_content() {
    in_namespace(
        "built_in_readers_are_always_the_same_and_no_content",
        LOOPBACK,
        || {
            let participant = participant();
            let reader = builtin_reader(participant, DUNLIN_BUILTIN_TOPIC);
            assert_eq!(builtin_reader(participant, DUNLIN_BUILTIN_TOPIC), reader);
            let (mut subscriber, mut found) = (0, 0);
            ok(dunlin_builtin_subscriber(
                participant,
                Out::from(&mut subscriber),
            ));
            ok(dunlin_parent(reader, Out::from(&mut found)));
            assert_eq!(found, subscriber);
            ok(dunlin_subscriber_lookup_reader(
                subscriber,
                "DCPSTopic".into(),
                Out::from(&mut found),
            ));
            assert_eq!(found, reader);
            ok(dunlin_delete_contained(participant));
            assert_eq!(builtin_reader(participant, DUNLIN_BUILTIN_TOPIC), reader);
            // Whoever closes one gets all of them anew.
            ok(dunlin_close(reader));
            let again = builtin_reader(participant, DUNLIN_BUILTIN_TOPIC);
            assert_ne!(again, reader);
            fails(
                dunlin_guid(subscriber, OutArray::from(&mut [0; 16][..])),
                DUNLIN_ALREADY_DELETED,
                &["closed"],
            );
            ok(dunlin_delete(participant));
            fails(
                dunlin_guid(again, OutArray::from(&mut [0; 16][..])),
                DUNLIN_ALREADY_DELETED,
                &["closed"],
            );
            assert_eq!(leaks().0, 0);
        },
    );
}

/// The keys of what others have.
fn discovered(participant: u64, kind: u32) -> Vec<[u8; 16]> {
    let (mut keys, mut count) = ([0; 160], 0);
    ok(dunlin_discovered(
        participant,
        kind,
        OutArray::from(&mut keys[..]),
        10,
        Out::from(&mut count),
    ));
    let (keys, _) = keys.as_chunks();
    keys.iter().take(count as usize).copied().collect()
}

#[test]
fn what_is_discovered_and_what_is_ignored() {
    in_namespace("what_is_discovered_and_what_is_ignored", LOOPBACK, || {
        let world = World::new();
        let other = participant();
        let ty = position_type();
        let far = topic(other, ty);
        let reader = reader(other, far, In::NULL);
        ok(dunlin_reader_wait_for_matched(reader, 1, 10 * SECOND));
        ok(dunlin_writer_wait_for_matched(world.writer, 2, 10 * SECOND));

        let keys = discovered(other, DUNLIN_BUILTIN_PARTICIPANT);
        assert_eq!(keys, [guid(world.participant)]);
        let (mut data, mut block) = (room(), dunlin_block::NONE);
        ok(dunlin_discovered_data(
            other,
            DUNLIN_BUILTIN_PARTICIPANT,
            Array::from(&keys[0][..]),
            Out::from(&mut data),
            Out::from(&mut block),
        ));
        assert_eq!(data.key, keys[0]);
        free(block);
        let topics = discovered(other, DUNLIN_BUILTIN_TOPIC);
        assert_eq!(topics.len(), 1);
        ok(dunlin_discovered_data(
            other,
            DUNLIN_BUILTIN_TOPIC,
            Array::from(&topics[0][..]),
            Out::from(&mut data),
            Out::from(&mut block),
        ));
        assert_eq!(text_of(data.name), "Positions");
        free(block);

        ok(dunlin_reader_matched_data(
            reader,
            Array::from(&guid(world.writer)[..]),
            Out::from(&mut data),
            Out::from(&mut block),
        ));
        assert_eq!(
            (data.kind, data.key),
            (DUNLIN_BUILTIN_PUBLICATION, guid(world.writer))
        );
        free(block);
        ok(dunlin_writer_matched_data(
            world.writer,
            Array::from(&guid(reader)[..]),
            Out::from(&mut data),
            Out::from(&mut block),
        ));
        assert_eq!(
            (data.kind, data.key),
            (DUNLIN_BUILTIN_SUBSCRIPTION, guid(reader))
        );
        free(block);

        ok(dunlin_ignore(
            other,
            DUNLIN_BUILTIN_PUBLICATION,
            Array::from(&guid(world.writer)[..]),
        ));
        let mut count = 0;
        ok(dunlin_reader_matched(
            reader,
            OutArray::NULL,
            0,
            Out::from(&mut count),
        ));
        assert_eq!(count, 0);
        fails(
            dunlin_reader_matched_data(
                reader,
                Array::from(&guid(world.writer)[..]),
                Out::from(&mut data),
                Out::from(&mut block),
            ),
            DUNLIN_BAD_PARAMETER,
            &["Positions", "no matching writer"],
        );
        ok(dunlin_ignore(
            world.participant,
            DUNLIN_BUILTIN_PARTICIPANT,
            Array::from(&guid(other)[..]),
        ));
        assert_eq!(matched(world.writer), 1);
        let mut text = dunlin_block::NONE;
        ok(dunlin_why(
            other,
            "Positions".into(),
            SECOND / 10,
            Out::from(&mut text),
        ));
        let said = String::from_utf8(taken(text)).unwrap();
        assert!(!said.is_empty());

        ok(dunlin_close(other));
        ok(dunlin_close(ty));
        world.close();
    });
}

#[test]
fn kinds_and_keys_that_there_are_not() {
    in_namespace("kinds_and_keys_that_there_are_not", LOOPBACK, || {
        let participant = participant();
        let (mut reader, mut count) = (0, 0);
        for kind in [0, 5, u32::MAX] {
            fails(
                dunlin_builtin_reader(participant, kind, Out::from(&mut reader)),
                DUNLIN_BAD_PARAMETER,
                &["DUNLIN_BUILTIN_"],
            );
            fails(
                dunlin_ignore(participant, kind, Array::from(&[1; 16][..])),
                DUNLIN_BAD_PARAMETER,
                &["DUNLIN_BUILTIN_"],
            );
        }
        fails(
            dunlin_discovered(
                participant,
                DUNLIN_BUILTIN_PUBLICATION,
                OutArray::NULL,
                0,
                Out::from(&mut count),
            ),
            DUNLIN_BAD_PARAMETER,
            &["dunlin_builtin_reader"],
        );
        let (mut data, mut block) = (room(), dunlin_block::NONE);
        assert_eq!(
            dunlin_discovered_data(
                participant,
                DUNLIN_BUILTIN_PARTICIPANT,
                Array::from(&[1; 16][..]),
                Out::from(&mut data),
                Out::from(&mut block),
            ),
            DUNLIN_NO_DATA
        );
        fails(
            dunlin_ignore(participant, DUNLIN_BUILTIN_TOPIC, Array::from(&[1; 16][..])),
            DUNLIN_BAD_PARAMETER,
            &["no topic"],
        );
        // A payload that is none, and a structure that is too small.
        let bytes = [0, 1, 0, 0, 1, 2, 3];
        let mut sample = EMPTY;
        sample.data = bytes.as_ptr();
        sample.length = 7;
        sample.info.valid_data = 1;
        fails(
            dunlin_builtin_decode(
                DUNLIN_BUILTIN_TOPIC,
                In::from(&sample),
                Out::from(&mut data),
                Out::from(&mut block),
            ),
            DUNLIN_BAD_PARAMETER,
            &["sample"],
        );
        data.size = 8;
        sample.length = 0;
        sample.info.valid_data = 0;
        let code = dunlin_builtin_decode(
            DUNLIN_BUILTIN_TOPIC,
            In::from(&sample),
            Out::from(&mut data),
            Out::from(&mut block),
        );
        assert_eq!(code, DUNLIN_BAD_PARAMETER, "{}", said());
        ok(dunlin_delete(participant));
        assert_eq!(leaks().0, 0);
    });
}
