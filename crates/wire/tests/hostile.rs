//! Damaged and malicious bytes: no panic, no memory beyond what the input warrants, no time to
//! speak of.
mod common;

use common::counting::peak_of;
use common::{all, read_all, read_payload};
use dunlin_wire::*;
use std::time::Instant;

/// What is held at any moment while discovery data is read, or written again, is at most so many
/// times the input.
const EXPANSION: usize = 16;

/// Reads as each kind of discovery data, too, and holds it to its memory.
fn feed(datagram: &[u8]) {
    let bytes = peak_of(|| read_all(datagram));
    let length = datagram.len();
    assert!(
        bytes <= EXPANSION * length,
        "{bytes} bytes for {length} bytes of input"
    );
}

#[test]
fn each_prefix_of_each_datagram() {
    for golden in all() {
        for end in 0..golden.bytes.len() {
            feed(&golden.bytes[..end]);
        }
        feed(&golden.bytes);
    }
}

/// Each 16-bit and 32-bit field set to what parsers stumble over. Long payloads are changed only
/// where they begin.
#[test]
fn each_field_of_each_datagram() {
    for golden in all() {
        let length = golden.bytes.len();
        let mut bytes = golden.bytes.clone();
        for at in (4..length.min(640)).step_by(2) {
            let left = (length - at) as u32;
            let values = [0, 1, left - 1, left, left + 1, 0x7fff, 0x8000, 0xffff];
            for value in values {
                set(&mut bytes, at, &(value as u16).to_le_bytes());
                set(&mut bytes, at, &(value as u16).to_be_bytes());
            }
            for value in [0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 3, left] {
                set(&mut bytes, at, &value.to_le_bytes());
                set(&mut bytes, at, &value.to_be_bytes());
            }
        }
        assert_eq!(bytes, golden.bytes);
    }
}

fn set(bytes: &mut [u8], at: usize, value: &[u8]) {
    let Some(field) = bytes.get_mut(at..at + value.len()) else {
        return;
    };
    let original: [u8; 4] = core::array::from_fn(|i| field.get(i).copied().unwrap_or(0));
    field.copy_from_slice(value);
    feed(bytes);
    bytes[at..at + value.len()].copy_from_slice(&original[..value.len()]);
}

#[test]
fn each_flag_and_kind_of_each_datagram() {
    for golden in all().iter().filter(|g| g.bytes.len() < 700) {
        let mut bytes = golden.bytes.clone();
        for byte in 0..=255 {
            for at in [20, 21] {
                let original = bytes[at];
                bytes[at] = byte;
                feed(&bytes);
                bytes[at] = original;
            }
        }
    }
}

/// `RTPS` header and one submessage, big endian unless `flags` says otherwise.
fn message(kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"RTPS\x02\x05DL\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c".to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(body);
    bytes
}

fn first(bytes: &[u8]) -> Result<Submessage<'_>, Error> {
    Message::parse(bytes).unwrap().submessages.next().unwrap()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

#[test]
fn what_the_standard_forbids_is_refused() {
    const ID: u32 = 0x0000_0102;
    const MINUS: u32 = u32::MAX;
    for (why, kind, flags, body) in [
        ("DATA: number 0", 0x15, 4, words(&[16, ID, ID, 0, 0])),
        (
            "DATA: negative number",
            0x15,
            4,
            words(&[16, ID, ID, MINUS, 0]),
        ),
        (
            "DATA: data and key",
            0x15,
            12,
            words(&[16, ID, ID, 0, 1, 0]),
        ),
        (
            "DATA: header cut by octetsToInlineQos",
            0x15,
            4,
            words(&[12, ID, ID, 0, 1, 0]),
        ),
        (
            "DATA: octetsToInlineQos too large",
            0x15,
            4,
            words(&[60, ID, ID, 0, 1, 0]),
        ),
        (
            "DATA: inline QoS without sentinel",
            0x15,
            2,
            words(&[16, ID, ID, 0, 1, 0x0070_0004, 7]),
        ),
        (
            "DATA: inline QoS with odd length",
            0x15,
            2,
            words(&[16, ID, ID, 0, 1, 0x0070_0003, 7, 0x0001_0000]),
        ),
        (
            "DATA_FRAG: number 0",
            0x16,
            0,
            words(&[28, ID, ID, 0, 0, 1, 0x0001_0004, 4, 0]),
        ),
        (
            "DATA_FRAG: fragment 0",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 0, 0x0001_0004, 4, 0]),
        ),
        (
            "DATA_FRAG: no fragment",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 1, 0x0000_0004, 4, 0]),
        ),
        (
            "DATA_FRAG: empty fragments",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 1, 0x0001_0000, 4, 0]),
        ),
        (
            "DATA_FRAG: empty sample",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 1, 0x0001_0004, 0, 0]),
        ),
        (
            "DATA_FRAG: beyond the sample",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 2, 0x0001_0004, 4, 0]),
        ),
        (
            "DATA_FRAG: more than the sample",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 1, 0x0002_0004, 4, 0, 0]),
        ),
        (
            "DATA_FRAG: number beyond all",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, MINUS, 0xffff_ffff, MINUS, 0]),
        ),
        (
            "DATA_FRAG: short",
            0x16,
            0,
            words(&[28, ID, ID, 0, 1, 1, 0x0002_0004, 8, 0]),
        ),
        (
            "HEARTBEAT: first 0",
            0x07,
            0,
            words(&[ID, ID, 0, 0, 0, 1, 1]),
        ),
        (
            "HEARTBEAT: last before first",
            0x07,
            0,
            words(&[ID, ID, 0, 5, 0, 3, 1]),
        ),
        (
            "HEARTBEAT: last negative",
            0x07,
            0,
            words(&[ID, ID, 0, 1, MINUS, MINUS, 1]),
        ),
        ("HEARTBEAT: short", 0x07, 0, words(&[ID, ID, 0, 1, 0, 1])),
        (
            "HEARTBEAT_FRAG: number 0",
            0x13,
            0,
            words(&[ID, ID, 0, 0, 1, 1]),
        ),
        (
            "HEARTBEAT_FRAG: fragment 0",
            0x13,
            0,
            words(&[ID, ID, 0, 1, 0, 1]),
        ),
        (
            "ACKNACK: base 0 with bits",
            0x06,
            0,
            words(&[ID, ID, 0, 0, 1, 0, 1]),
        ),
        (
            "ACKNACK: negative base",
            0x06,
            0,
            words(&[ID, ID, MINUS, 1, 0, 1]),
        ),
        (
            "ACKNACK: 257 bits",
            0x06,
            0,
            words(&[ID, ID, 0, 1, 257, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ),
        (
            "ACKNACK: 2^32-1 bits",
            0x06,
            0,
            words(&[ID, ID, 0, 1, MINUS, 0, 1]),
        ),
        (
            "ACKNACK: words missing",
            0x06,
            0,
            words(&[ID, ID, 0, 1, 33, 0, 1]),
        ),
        (
            "ACKNACK: beyond the last number",
            0x06,
            0,
            words(&[ID, ID, 0x7fff_ffff, MINUS, 32, 0, 1]),
        ),
        (
            "NACK_FRAG: fragment 0",
            0x12,
            0,
            words(&[ID, ID, 0, 1, 0, 0, 1]),
        ),
        (
            "NACK_FRAG: 257 bits",
            0x12,
            0,
            words(&[ID, ID, 0, 1, 1, 257, 0, 1]),
        ),
        ("GAP: start 0", 0x08, 0, words(&[ID, ID, 0, 0, 0, 5, 0])),
        ("GAP: base 0", 0x08, 0, words(&[ID, ID, 0, 1, 0, 0, 0])),
        ("INFO_TS: short", 0x09, 0, words(&[1])),
        ("INFO_DST: short", 0x0e, 0, words(&[1, 2])),
        ("INFO_SRC: short", 0x0c, 0, words(&[0, 1, 2, 3])),
        (
            "INFO_REPLY: locators missing",
            0x0f,
            0,
            words(&[2, 1, 7400, 0, 0, 0, 1]),
        ),
        (
            "INFO_REPLY: 2^32-1 locators",
            0x0f,
            0,
            words(&[MINUS, 1, 7400, 0, 0, 0, 1]),
        ),
        (
            "HEADER_EXTENSION: checksum missing",
            0x00,
            0x60,
            words(&[1, 2, 3]),
        ),
        (
            "HEADER_EXTENSION: no sentinel",
            0x00,
            0x80,
            words(&[0x0010_0000]),
        ),
        ("a submessage longer than the message", 0x42, 0, vec![]),
    ] {
        let mut bytes = message(kind, flags, &body);
        if kind == 0x42 {
            bytes[23] = 4;
        }
        assert!(first(&bytes).is_err(), "{why}: {:?}", first(&bytes));
        // The rest of the message is dropped with it.
        bytes.extend_from_slice(&[1, 0, 0, 0]);
        assert_eq!(
            Message::parse(&bytes).unwrap().into_iter().count(),
            1,
            "{why}"
        );
    }
}

#[test]
fn what_is_no_rtps_is_refused_at_once() {
    for bytes in [
        &b""[..],
        b"RTP",
        b"RTPX\x02\x05DL0123456789ab",
        b"RTPS\x03\x00DL0123456789ab",
        b"RTPS\x02\x05DL0123456789a",
    ] {
        assert!(Message::parse(bytes).is_err());
    }
    assert!(
        Message::parse(b"RTPS\x02\xffDL0123456789ab").is_ok(),
        "a later minor version"
    );
}

/// Numbers at the edge of what is allowed: kept as ranges, never gone through.
#[test]
fn huge_ranges_cost_nothing() {
    const MAX: [u32; 2] = [0x7fff_ffff, u32::MAX];
    let begin = Instant::now();
    for _ in 0..1000 {
        let gap = message(0x08, 0, &words(&[1, 2, 0, 1, MAX[0], MAX[1], 0]));
        let Ok(Submessage::Gap(gap)) = first(&gap) else {
            panic!("a gap");
        };
        assert_eq!((gap.start.0, gap.list.base().0), (1, i64::MAX));
        assert!(gap.list.is_empty());
        let heartbeat = message(0x07, 0, &words(&[1, 2, 0, 1, MAX[0], MAX[1], 7]));
        assert!(first(&heartbeat).is_ok());
    }
    // Number by number it would be hours.
    assert!(begin.elapsed().as_secs() < 60);
}

/// A payload of parameters, little endian: id and value.
fn payload(parameters: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0, 3, 0, 0];
    for (id, value) in parameters {
        bytes.extend_from_slice(&id.to_le_bytes());
        bytes.extend_from_slice(&(value.len() as u16).to_le_bytes());
        bytes.extend_from_slice(value);
    }
    bytes.extend_from_slice(&[1, 0, 0, 0]);
    bytes
}

const GUID: &[u8] = b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x00\x00\x01\x02";
const TOPIC: &[u8] = b"\x02\0\0\0T\0\0\0";

/// A writer with one parameter more, which must be refused.
fn refused(id: u16, value: &[u8]) -> Error {
    let bytes = payload(&[(0x5a, GUID), (5, TOPIC), (7, TOPIC), (id, value)]);
    let held = peak_of(|| read_payload(&bytes));
    assert!(held <= EXPANSION * bytes.len(), "{held}");
    WriterData::parse(&bytes).expect_err("malformed parameter")
}

#[test]
fn malformed_parameters_are_refused() {
    assert!(WriterData::parse(&payload(&[(0x5a, GUID), (5, TOPIC), (7, TOPIC)])).is_ok());
    let long = [&[0x2d, 1, 0, 0][..], &[b'x'; 300], &[0; 4]].concat();
    for (why, id, value) in [
        ("string without NUL", 5, &b"\x04\0\0\0abcd"[..]),
        ("string with NUL inside", 5, b"\x04\0\0\0a\0b\0"),
        ("string of no bytes", 5, b"\0\0\0\0"),
        (
            "string longer than its parameter",
            5,
            b"\xff\xff\xff\xffab\0\0",
        ),
        ("name that is no UTF-8", 5, b"\x02\0\0\0\xff\0\0\0"),
        ("name that is too long", 7, &long),
        ("unknown reliability", 0x1a, b"\x07\0\0\0\0\0\0\0\0\0\0\0"),
        ("short reliability", 0x1a, b"\x01\0\0\0"),
        ("unknown durability", 0x1d, b"\xff\xff\xff\xff"),
        ("negative deadline", 0x23, b"\xff\xff\xff\xff\0\0\0\0"),
        (
            "user data longer than its parameter",
            0x2c,
            b"\xff\xff\xff\x7fabcd",
        ),
        (
            "2^32-1 partitions",
            0x29,
            b"\xff\xff\xff\xff\x01\0\0\0\0\0\0\0",
        ),
        ("partitions missing", 0x29, b"\x02\0\0\0\x01\0\0\0\0\0\0\0"),
        (
            "a representation nobody knows",
            0x73,
            b"\x01\0\0\0\x09\0\0\0",
        ),
        (
            "2^32-1 representations",
            0x73,
            b"\xff\xff\xff\xff\0\0\x02\0",
        ),
        ("boolean 2", 0x21, b"\0\0\0\0\x02\0\0\0"),
        ("short locator", 0x2f, b"\x01\0\0\0\xe8\x1c\0\0"),
        (
            "GUID of another participant",
            0x50,
            b"\x09\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\0\0\x01\xc1",
        ),
    ] {
        let error = refused(id, value);
        assert!(!error.to_string().is_empty(), "{why}");
    }
    let id = 0x4fff;
    assert_eq!(refused(id, b""), Error::MustUnderstand { id });
    assert_eq!(refused(0xcfff, b""), Error::MustUnderstand { id: 0xcfff });
    assert!(WriterData::parse(&payload(&[(0x5a, GUID), (5, TOPIC)])).is_err());
    assert!(WriterData::parse(&[0, 3, 0, 0]).is_err(), "no sentinel");
    assert!(
        WriterData::parse(&[0, 1, 0, 0, 1, 0, 0, 0]).is_err(),
        "plain CDR"
    );
}

#[test]
fn lists_are_cut_to_their_limits() {
    let locator = |n: u8| [&[1, 0, 0, 0, n, 28, 0, 0][..], &[0; 16]].concat();
    let locators: Vec<_> = (0..255).map(locator).collect();
    let mut parameters = vec![(0x5a, GUID), (5, TOPIC), (7, TOPIC)];
    parameters.extend(locators.iter().map(|l| (0x2f, &l[..])));
    let writer = WriterData::parse(&payload(&parameters)).unwrap();
    assert_eq!(writer.unicast.len(), MAX_LOCATORS);

    let properties = [
        &10_000_u32.to_le_bytes()[..],
        &b"\x02\0\0\0n\0\0\0\x02\0\0\0v\0\0\0".repeat(4000),
    ]
    .concat();
    let guid = b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x00\x00\x01\xc1";
    let bytes = payload(&[(0x50, guid), (0x59, &properties)]);
    assert_eq!(
        ParticipantData::parse(&bytes)
            .unwrap()
            .properties
            .values
            .len(),
        40
    );
    assert!(peak_of(|| read_payload(&bytes)) <= EXPANSION * bytes.len());

    let partitions = [
        &7000_u32.to_le_bytes()[..],
        &b"\x01\0\0\0\0\0\0\0".repeat(7000),
    ]
    .concat();
    let bytes = payload(&[(0x5a, GUID), (5, TOPIC), (7, TOPIC), (0x29, &partitions)]);
    assert!(peak_of(|| read_payload(&bytes)) <= EXPANSION * bytes.len());
}
