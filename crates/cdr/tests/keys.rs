//! Keys with arrays of arrays and with members that may be absent.

mod common;

use bytes::BytesMut;
use common::WORLDS;
use dunlin_cdr::{Endianness, Xcdr, key_from_payload, key_hash, key_to_payload_as};
use dunlin_derive::{Data, Topic};

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr")]
enum Side {
    Left = 1,
    Right = 2,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Corner {
    #[key]
    sides: [[Side; 1]; 3],
}

/// An array with two dimensions has one DHEADER (DDS-XTypes 1.3 7.4.3.5.3): 16 bytes in all, and so
/// the key hash is the key itself.
#[test]
fn the_rows_of_an_array_have_no_headers() {
    let corner = Corner {
        sides: [[Side::Left], [Side::Right], [Side::Left]],
    };
    assert_eq!(
        key_hash(&corner).unwrap(),
        [0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1]
    );
}

/// Nothing is marked, so all of it is the key.
#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Place {
    floor: Option<i32>,
    room: Option<u8>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Sensor {
    #[key]
    place: Place,
}

fn sensor(floor: Option<i32>, room: Option<u8>) -> Sensor {
    Sensor {
        place: Place { floor, room },
    }
}

#[test]
fn what_may_be_absent_has_the_length_that_its_header_says() {
    let mut key = BytesMut::new();
    let floor = sensor(Some(7), None);
    key_to_payload_as(&floor, Xcdr::V2, Endianness::Big, &mut key).unwrap();
    let expected = [
        [0, 10, 0, 0],   // parameter list, XCDR2, big endian
        [0, 0, 0, 16],   // DHEADER of Sensor
        [0xd0, 0, 0, 0], // place is a key; its length is its DHEADER
        [0, 0, 0, 8],
        [0x20, 0, 0, 0], // floor has four bytes, and none says that it is there
        [0, 0, 0, 7],
    ];
    assert_eq!(key[..], *expected.as_flattened());
    for value in [
        floor,
        sensor(None, None),
        sensor(None, Some(3)),
        sensor(Some(-1), Some(255)),
    ] {
        for (xcdr, endianness) in WORLDS {
            let mut key = BytesMut::new();
            key_to_payload_as(&value, xcdr, endianness, &mut key).unwrap();
            assert_eq!(key_from_payload::<Sensor>(&key).unwrap(), value, "{xcdr:?}");
        }
    }
}
