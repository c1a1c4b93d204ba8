//! Plain types: what lies in memory is what the encoding has. And octets that lie elsewhere.

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{
    Error, Plain, Topic, Xcdr, bytemuck, from_payload, from_payload_around, from_payload_bytes,
    key_hash, key_to_payload, longest_octets, plain_at, plain_to_payload, to_payload,
    to_payload_loaned,
};
use dunlin_derive::{Data, Topic};

const BOTH: [Xcdr; 2] = [Xcdr::V1, Xcdr::V2];

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final", plain)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr", plain)]
#[repr(C)]
struct Growing {
    count: u64,
}

macro_rules! plain {
    ($name:ident, $extensibility:literal, { $($member:ident: $ty:ty = $value:expr),* }) => {
        #[derive(Topic, Debug, Clone, Copy, PartialEq)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility, plain)]
        #[repr(C)]
        struct $name { #[key] id: u32, $($member: $ty),* }

        #[allow(dead_code, reason = "some are of interest for their layout only")]
        impl $name {
            fn some() -> Self { Self { id: 0x0102_0304, $($member: $value),* } }
        }
    };
}

plain!(Flat, "final", { kind: u16 = 7, parts: [u8; 2] = [1, 2], time: u64 = 1 << 60, rows: [[f64; 2]; 3] = [[1.5, -2.0]; 3] });
plain!(Flexible, "appendable", { number: i32 = -3, time: i64 = -1, octets: [i8; 8] = [-4; 8] });
plain!(Short, "final", { kind: i16 = -9, last: [u8; 2] = [3, 4] });
plain!(Nested, "appendable", { point: Point = Point { x: 1.0, y: 2.0 }, rest: u32 = 5 });
plain!(Listed, "final", { points: [Point; 2] = [Point { x: 1.0, y: 2.0 }; 2] });
plain!(Holding, "final", { filler: u32 = 0, growing: Growing = Growing { count: 9 } });

fn payload<T: Topic>(value: &T, xcdr: Xcdr) -> Bytes {
    let mut out = BytesMut::new();
    to_payload(value, xcdr, &mut out).unwrap();
    out.freeze()
}

fn memory<T: Plain>(value: &T) -> Bytes {
    Bytes::copy_from_slice(bytemuck::bytes_of(value))
}

fn is_its_encoding<T: Topic + Plain + PartialEq + std::fmt::Debug>(value: &T, in_xcdr2: bool) {
    let plain = T::PLAIN.unwrap();
    assert_eq!((plain.size, plain.hash), (size_of::<T>(), T::HASH));
    assert_eq!((plain.xcdr1, plain.xcdr2), (true, in_xcdr2));
    for xcdr in BOTH {
        let expected = payload(value, xcdr);
        let mut out = BytesMut::from(&b"12"[..]);
        let written = plain_to_payload::<T>(&memory(value), xcdr, false, &mut out);
        if !plain.is_encoding(xcdr) {
            assert_eq!(written, Err(Error::NotPlain));
            assert_eq!(plain_at::<T>(&expected), None);
            continue;
        }
        assert_eq!(written, Ok(None));
        assert_eq!(out[2..], expected[..], "{value:?} in {xcdr:?}");
        let at = plain_at::<T>(&expected).unwrap();
        assert_eq!(memory(value), expected[at..at + size_of::<T>()]);
        assert_eq!(from_payload::<T>(&expected).as_ref(), Ok(value));
        for memory in [&expected[at..], &[b"0", &expected[at..]].concat()[1..]] {
            assert_eq!(plain.key_hash(memory), key_hash(value));
            let (mut key, mut same) = (BytesMut::new(), BytesMut::new());
            plain.key_to_payload(memory, xcdr, &mut key).unwrap();
            key_to_payload(value, xcdr, &mut same).unwrap();
            assert_eq!(key, same);
        }
        assert_eq!(plain.key_hash(&[0; 3]), Err(Error::NotPlain));

        let mut out = BytesMut::new();
        let loaned = plain_to_payload::<T>(&memory(value), xcdr, true, &mut out)
            .unwrap()
            .unwrap();
        assert_eq!(plain_at::<T>(&out), Some(loaned.at));
        out.extend_from_slice(&[]);
        let (head, tail) = out.split_at(loaned.at);
        assert_eq!([head, &loaned.bytes, tail].concat(), expected);
    }
}

#[test]
fn the_memory_of_a_plain_type_is_its_encoding() {
    is_its_encoding(&Flat::some(), true);
    is_its_encoding(&Flexible::some(), true);
    is_its_encoding(&Short::some(), true);
    is_its_encoding(&Nested::some(), true);
    // XCDR2 puts a length before an array of structs and before an appendable struct.
    is_its_encoding(&Listed::some(), false);
    is_its_encoding(&Holding::some(), false);
}

#[test]
fn memory_of_another_size_is_refused() {
    let short = Bytes::from_static(&[0; 7]);
    let written = plain_to_payload::<Short>(&short, Xcdr::V1, true, &mut BytesMut::new());
    assert_eq!(written, Err(Error::NotPlain));
}

#[test]
fn layouts_that_differ_have_other_hashes() {
    plain!(OtherName, "final", { kind: i16 = 0, final_: [u8; 2] = [0; 2] });
    plain!(OtherType, "final", { kind: u16 = 0, last: [u8; 2] = [0; 2] });
    plain!(OtherOrder, "final", { last: [u8; 2] = [0; 2], kind: i16 = 0 });
    plain!(Same, "final", { kind: i16 = 0, last: [u8; 2] = [0; 2] });
    let hash = Short::HASH;
    for other in [OtherName::HASH, OtherType::HASH, OtherOrder::HASH] {
        assert_ne!(hash, other);
    }
    assert_eq!(hash, Same::HASH);
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Frame {
    #[key]
    camera: u32,
    name: String,
    small: Bytes,
    pixels: Bytes,
    taken: u64,
    note: String,
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
struct Wrapped {
    inner: Inner,
    taken: u64,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Inner {
    number: u16,
    pixels: Bytes,
    time: u64,
}

/// The payload without the octets, which are replaced by as many bytes as keep the alignment.
fn around<T: Topic>(value: &T, xcdr: Xcdr, length: usize) -> (Bytes, usize, usize, Bytes) {
    let mut out = BytesMut::new();
    let loaned = to_payload_loaned(value, xcdr, length, &mut out)
        .unwrap()
        .unwrap();
    let filler = loaned.bytes.len() % 8;
    let (head, tail) = out.split_at(loaned.at);
    let inline = [head, &[0xee; 8][..filler], tail].concat();
    (inline.into(), loaned.at, filler, loaned.bytes)
}

fn is_read_around<T: Topic + PartialEq + std::fmt::Debug>(value: &T, empty: &T, length: usize) {
    for xcdr in BOTH {
        let (inline, at, filler, octets) = around(value, xcdr, length);
        let read = |octets: &Bytes| from_payload_around::<T>(&inline, at, filler, length, octets);
        assert_eq!(read(&octets).as_ref(), Ok(value));
        assert_eq!(read(&Bytes::new()).as_ref(), Ok(empty));
        // Nothing of it goes wrong with hostile ones.
        for cut in 0..inline.len() {
            let _ = from_payload_around::<T>(&inline.slice(..cut), at, filler, length, &octets);
            for length in [0, 8, usize::MAX, usize::MAX - 7] {
                let _ = from_payload_around::<T>(&inline, cut, length % 8, length, &octets);
            }
        }
        // And the same of a payload in one piece.
        let whole = payload(value, xcdr);
        let place = longest_octets::<T>(&whole).unwrap().unwrap();
        assert_eq!(whole[place.clone()], octets[..]);
        let without =
            from_payload_around::<T>(&whole, place.start, place.len(), place.len(), &Bytes::new());
        assert_eq!(without.as_ref(), Ok(empty));
    }
}

#[test]
fn a_sample_is_read_around_octets_that_are_elsewhere() {
    for length in (20..40).chain([5000]) {
        let frame = Frame {
            camera: 7,
            name: "north".into(),
            small: Bytes::from_static(&[5; 3]),
            pixels: vec![9; length].into(),
            taken: 1 << 40,
            note: "x".into(),
        };
        let empty = Frame {
            pixels: Bytes::new(),
            ..frame.clone()
        };
        is_read_around(&frame, &empty, length);
        let inner = |pixels: Bytes| Wrapped {
            inner: Inner {
                number: 2,
                pixels,
                time: 3,
            },
            taken: 4,
        };
        is_read_around(&inner(frame.pixels), &inner(Bytes::new()), length);
    }
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Copied {
    #[key]
    camera: u32,
    name: String,
    small: Bytes,
    pixels: Vec<u8>,
    taken: u64,
    note: String,
}

#[test]
fn a_type_without_octets_there_does_not_take_others_for_them() {
    let frame = Frame {
        camera: 7,
        name: "north".into(),
        small: Bytes::new(),
        pixels: vec![9; 16].into(),
        taken: 5,
        note: "a note that is long enough to be taken for octets".into(),
    };
    let (inline, at, filler, octets) = around(&frame, Xcdr::V1, 16);
    let read = from_payload_around::<Copied>(&inline, at, filler, 16, &octets);
    assert!(read.is_err(), "{read:?}");
    assert!(from_payload_bytes::<Copied>(&payload(&frame, Xcdr::V1)).is_ok());
}
