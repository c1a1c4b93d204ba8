//! Settings of participants, and QoS before an entity is enabled.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;

fn parent(of: u64) -> u64 {
    let mut parent = 0;
    ok(dunlin_parent(of, Out::from(&mut parent)));
    parent
}

/// A program that encodes before it enables.
#[test]
fn a_writer_that_is_not_enabled_says_how_its_samples_will_be_encoded() {
    let name = "a_writer_that_is_not_enabled_says_how_its_samples_will_be_encoded";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let publisher = parent(world.writer);
        let group = dunlin_group_qos {
            autoenable: 0,
            ..Default::default()
        };
        ok(dunlin_qos_set(publisher, In::<dunlin_qos>::of(&group)));
        let qos = dunlin_writer_qos {
            representation: DUNLIN_XCDR2,
            ..Default::default()
        };
        let (mut writer, mut representation) = (0, DUNLIN_XCDR1);
        ok(dunlin_writer_new(
            publisher,
            world.topic,
            In::from(&qos),
            In::NULL,
            Out::from(&mut writer),
        ));
        for _ in 0..2 {
            let place = Out::from(&mut representation);
            ok(dunlin_writer_representation(writer, place));
            assert_eq!(representation, DUNLIN_XCDR2);
            ok(dunlin_enable(writer));
        }
        world.close();
    });
}

/// A participant with this configuration.
fn configured(config: &dunlin_participant_config) -> Result<u64, i32> {
    let mut participant = 0;
    let code = dunlin_participant_new(
        0,
        In::from(config),
        In::NULL,
        In::NULL,
        Out::from(&mut participant),
    );
    match code {
        DUNLIN_OK => Ok(participant),
        code => Err(code),
    }
}

#[test]
fn settings_of_types_and_of_who_is_ignored_are_heeded() {
    let name = "settings_of_types_and_of_who_is_ignored_are_heeded";
    in_namespace(name, LOOPBACK, || {
        let mut config = dunlin_participant_config::default();
        assert_eq!((config.types, config.type_lookup), (DUNLIN_TYPES_DUNLIN, 1));
        config.types = 9;
        fails(
            configured(&config).unwrap_err(),
            DUNLIN_BAD_PARAMETER,
            &["types", "9"],
        );
        config.types = DUNLIN_TYPES_NONE;
        config.type_timeout = -1;
        fails(
            configured(&config).unwrap_err(),
            DUNLIN_BAD_PARAMETER,
            &["type_timeout", "-1"],
        );
        config.type_timeout = SECOND;
        let value = "left";
        let router = dunlin_property {
            name: "router".into(),
            value: dunlin_bytes {
                data: value.as_ptr(),
                length: value.len(),
            },
            binary: 0,
            propagate: 1,
            reserved: [0; 6],
        };
        config.ignored_properties = &raw const router;
        config.ignored_property_count = 1;
        // It ignores whoever says that it is of the router, and is so itself.
        let qos = dunlin_participant_qos {
            properties: &raw const router,
            property_count: 1,
            ..Default::default()
        };
        let mut own = 0;
        ok(dunlin_participant_new(
            0,
            In::from(&config),
            In::from(&qos),
            In::NULL,
            Out::from(&mut own),
        ));
        let other = configured(&config).unwrap();
        let ty = position_type();
        let written = writer(own, topic(own, ty));
        let topic_of_other = topic(other, ty);
        let read = reader(other, topic_of_other, In::NULL);
        // The other one is heard of, and hears of nothing.
        let third = participant();
        let theirs = reader(third, topic(third, ty), In::NULL);
        ok(dunlin_writer_wait_for_matched(written, 1, 20 * SECOND));
        ok(dunlin_reader_wait_for_matched(theirs, 1, 20 * SECOND));
        assert_eq!(dunlin_reader_wait_for_matched(read, 1, 0), DUNLIN_TIMEOUT);
        for participant in [own, other, third] {
            ok(dunlin_close(participant));
        }
        ok(dunlin_close(ty));
        assert_eq!(leaks().0, 0);
    });
}
