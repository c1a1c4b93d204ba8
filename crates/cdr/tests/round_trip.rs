//! Whatever is written is read back the same, in each representation and byte order; and types may
//! grow.

mod common;
#[path = "common/values.rs"]
mod values;

use bytes::{Bytes, BytesMut};
use common::{Big, WORLDS};
use dunlin_cdr::{
    Endianness, Error, Extensibility, Topic, Xcdr, extent, from_payload, from_payload_bytes,
    key_from_payload, key_hash, key_to_payload_as, serialized_size, to_payload, to_payload_as,
    to_payload_loaned,
};
use dunlin_derive::{Data, Topic};
use proptest::prelude::*;
use std::fmt::Debug;
use values::big;

fn payload<T: Topic>(value: &T, xcdr: Xcdr, endianness: Endianness) -> Bytes {
    let mut out = BytesMut::new();
    to_payload_as(value, xcdr, endianness, &mut out).unwrap();
    assert_eq!(out.len() % 4, 0);
    assert_eq!(out.len(), serialized_size(value, xcdr));
    out.freeze()
}

fn round_trip<T: Topic + Debug + PartialEq>(value: &T) {
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        assert_eq!(&from_payload::<T>(&bytes).unwrap(), value);
        assert_eq!(&from_payload_bytes::<T>(&bytes).unwrap(), value);
        let mut key = BytesMut::new();
        key_to_payload_as(value, xcdr, endianness, &mut key).unwrap();
        let read: T = key_from_payload(&key).unwrap();
        assert_eq!(key_hash(&read).unwrap(), key_hash(value).unwrap());
    }
}

/// What is left out of the buffer and put back makes the same payload.
fn leave_out<T: Topic>(value: &T, bytes: &Bytes) {
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let whole = payload(value, xcdr, Endianness::NATIVE);
        let extent = extent(value, xcdr);
        assert_eq!((extent.size, extent.longest), (whole.len(), bytes.len()));
        let mut out = BytesMut::from(&b"kept"[..]);
        let none = to_payload_loaned(value, xcdr, bytes.len() + 1, &mut out).unwrap();
        assert_eq!((none, &out[4..]), (None, &whole[..]));
        out.truncate(4);
        let loaned = to_payload_loaned(value, xcdr, bytes.len(), &mut out).unwrap();
        let loaned = loaned.unwrap();
        assert_eq!(loaned.bytes.as_ptr(), bytes.as_ptr(), "copied");
        let (before, after) = out[4..].split_at(loaned.at);
        assert_eq!([before, &loaned.bytes, after].concat(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn final_types_survive(value in big(20)) {
        let value = common::Final(value).into_topic();
        round_trip(&value);
    }

    #[test]
    fn appendable_types_survive(value in big(20)) {
        round_trip(&value);
    }

    #[test]
    fn mutable_types_survive(value in big(20)) {
        let value = common::Mutable(value).into_topic();
        round_trip(&value);
    }

    #[test]
    fn a_damaged_payload_never_panics(value in big(20), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for (xcdr, endianness) in WORLDS {
            let mut bytes = BytesMut::from(payload(&common::Mutable(value.clone()).into_topic(), xcdr, endianness));
            for (at, byte) in &flips {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            common::read_everything(&bytes.freeze());
        }
    }
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Old {
    a: i32,
    b: String,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct New {
    a: i32,
    b: String,
    c: Vec<u16>,
    d: Option<u8>,
}

#[test]
fn an_appendable_type_reads_shorter_and_longer_versions_of_itself() {
    let old = Old {
        a: 1,
        b: "b".into(),
    };
    let new = New {
        a: 1,
        b: "b".into(),
        c: vec![3],
        d: Some(4),
    };
    for (xcdr, endianness) in WORLDS {
        assert_eq!(
            from_payload::<Old>(&payload(&new, xcdr, endianness)),
            Ok(Old {
                a: 1,
                b: "b".into()
            })
        );
        assert_eq!(
            from_payload::<New>(&payload(&old, xcdr, endianness)),
            Ok(New {
                a: 1,
                b: "b".into(),
                c: vec![],
                d: None
            })
        );
    }
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Sparse {
    #[topic(id = 7)]
    kept: i64,
    #[topic(id = 0x3f00)]
    short: u8,
    #[topic(id = 0x3f05)]
    long: u8,
    #[topic(id = 0x0fff_fff0)]
    far: String,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Other {
    gone: String,
    gone_too: Vec<Old>,
    #[topic(id = 7)]
    kept: i64,
    #[topic(id = 9)]
    large: Bytes,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Strict {
    #[topic(id = 7)]
    kept: i64,
    #[topic(id = 8, must_understand)]
    insisted: u8,
}

#[test]
fn a_mutable_type_skips_what_it_does_not_know() {
    let other = Other {
        gone: "xyz".into(),
        gone_too: vec![Old {
            a: 1,
            b: "b".into(),
        }],
        kept: -5,
        large: vec![1; 70_000].into(),
    };
    let sparse = Sparse {
        kept: -5,
        short: 1,
        long: 2,
        far: "far".into(),
    };
    round_trip(&other);
    round_trip(&sparse);
    for (xcdr, endianness) in WORLDS {
        let read: Sparse = from_payload(&payload(&other, xcdr, endianness)).unwrap();
        assert_eq!(read.kept, -5);
        assert_eq!((read.short, read.long, read.far.as_str()), (0, 0, ""));
        let read: Other = from_payload(&payload(&sparse, xcdr, endianness)).unwrap();
        assert_eq!((read.kept, read.large.len()), (-5, 0));
        let strict = Strict {
            kept: 1,
            insisted: 2,
        };
        assert_eq!(
            from_payload::<Sparse>(&payload(&strict, xcdr, endianness)),
            Err(Error::MustUnderstand(8))
        );
    }
}

#[derive(Data, Debug, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    extensibility = "mutable",
    discriminator = "bool"
)]
enum Labelled {
    #[topic(case = true)]
    Text(String),
    #[topic(case = false)]
    Nothing,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Framed {
    first: u8,
    #[topic(bound = 3)]
    text: Option<String>,
    doubles: Vec<f64>,
    union: Labelled,
    last: u8,
}

/// The layout that DDS-XTypes 1.3 7.4.1.2 and table 34 describe, counted by hand.
#[test]
fn an_xcdr1_parameter_list_is_laid_out_as_the_standard_says() {
    let framed = Framed {
        first: 1,
        text: Some("ab".into()),
        doubles: vec![2.0],
        union: Labelled::Text("c".into()),
        last: 9,
    };
    let mut out = BytesMut::new();
    to_payload_as(&framed, Xcdr::V1, Endianness::Big, &mut out).unwrap();
    #[rustfmt::skip]
    let expected = [
        0, 2, 0, 0,
        0, 0, 0, 1,  1, 0, 0, 0, // member 0, its padding is not part of it
        0, 1, 0, 7,  0, 0, 0, 3, b'a', b'b', 0, 0,
        0, 2, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, // aligned from the start of the member
        0, 3, 0, 24,
            0x40, 0, 0, 1, 1, 0, 0, 0,
            0, 1, 0, 6, 0, 0, 0, 2, b'c', 0, 0, 0,
            0x7f, 2, 0, 0,
        0, 4, 0, 1, 9, 0, 0, 0,
        0x7f, 2, 0, 0,
    ];
    assert_eq!(&out[..], &expected[..]);
    round_trip(&framed);
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Optionals {
    a: Option<u8>,
    b: Option<i64>,
    c: u8,
}

#[test]
fn an_xcdr1_optional_has_a_header_and_starts_its_own_alignment() {
    let mut out = BytesMut::new();
    let value = Optionals {
        a: None,
        b: Some(1),
        c: 2,
    };
    to_payload_as(&value, Xcdr::V1, Endianness::Little, &mut out).unwrap();
    #[rustfmt::skip]
    let expected = [
        0, 1, 0, 3,
        0, 0, 0, 0,
        1, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0,
        2, 0, 0, 0,
    ];
    assert_eq!(&out[..], &expected[..]);
    round_trip(&value);
}

#[test]
fn final_and_appendable_are_told_apart_by_the_header() {
    #[derive(Topic, Debug, PartialEq)]
    #[topic(crate = "dunlin_cdr", extensibility = "final")]
    struct Fixed {
        a: i32,
        b: String,
    }
    assert_eq!(Fixed::EXTENSIBILITY, Extensibility::Final);
    let old = payload(
        &Old {
            a: 1,
            b: "b".into(),
        },
        Xcdr::V2,
        Endianness::Little,
    );
    let fixed = payload(
        &Fixed {
            a: 1,
            b: "b".into(),
        },
        Xcdr::V2,
        Endianness::Little,
    );
    assert_ne!(old, fixed);
    assert_eq!(from_payload::<Fixed>(&old).unwrap().b, "b");
    assert_eq!(from_payload::<Old>(&fixed).unwrap().b, "b");
    assert_eq!(
        from_payload::<Framed>(&old),
        Err(Error::WrongExtensibility(9))
    );
}

#[test]
fn a_large_member_can_be_left_out() {
    for length in (0..40).chain([70_000]) {
        let value = Big {
            bytes: Bytes::from(vec![7; length]),
            words: Some(vec!["before and after".into(); 3]),
            ..Big::default()
        };
        leave_out(&value, &value.bytes);
        let bytes = value.bytes.clone();
        leave_out(&common::Final(value.clone()).into_topic(), &bytes);
        leave_out(&common::Mutable(value).into_topic(), &bytes);
    }
}

#[test]
fn bytes_are_slices_of_the_payload() {
    let value = common::Final(Big {
        bytes: Bytes::from(vec![7; 1000]),
        ..Big::default()
    })
    .into_topic();
    let payload = payload(&value, Xcdr::V2, Endianness::NATIVE);
    let read: common::FinalBig = from_payload_bytes(&payload).unwrap();
    let range = payload.as_ptr_range();
    assert!(range.contains(&read.bytes.as_ptr()));
    let read: common::FinalBig = from_payload(&payload).unwrap();
    assert!(!range.contains(&read.bytes.as_ptr()));
}

#[test]
fn values_that_their_type_forbids_are_refused_and_leave_nothing_behind() {
    let mut out = BytesMut::from(&b"kept"[..]);
    let framed = |text: &str| Framed {
        first: 0,
        text: Some(text.into()),
        doubles: vec![],
        union: Labelled::Nothing,
        last: 0,
    };
    assert_eq!(
        to_payload(&framed("abcd"), Xcdr::V2, &mut out),
        Err(Error::BoundExceeded {
            length: 4,
            bound: 3
        })
    );
    assert_eq!(
        to_payload(&framed("a\0"), Xcdr::V1, &mut out),
        Err(Error::EmbeddedNul)
    );
    assert_eq!(&out[..], b"kept");
    round_trip(&framed("abc"));
}

type Octets = [u8; 3];
type Double = f64;
type Short = u16;

/// Numbers that are written together, in three places.
#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct InRuns {
    a: u8,
    b: i16,
    name: String,
    c: [u8; 3],
    d: u16,
    e: f64,
    #[key]
    f: i32,
    rest: Vec<u8>,
    g: [u32; 2],
    h: u8,
}

/// The same, in which no number follows another that can be told by its name.
#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct OneByOne {
    a: u8,
    b: Box<i16>,
    name: String,
    c: Octets,
    d: Short,
    e: Double,
    #[key]
    f: i32,
    rest: Vec<u8>,
    g: Box<[u32; 2]>,
    h: u8,
}

/// Without strings, so that it ends in the middle of a run if it comes from an older sender.
#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
struct Grown {
    a: u16,
    b: u32,
    c: u8,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
struct Young {
    a: u16,
    b: u32,
}

proptest! {
    #[test]
    fn numbers_are_where_they_are_one_by_one(
        (a, b, d, f, h) in any::<(u8, i16, u16, i32, u8)>(),
        (c, e, g) in any::<([u8; 3], i64, [u32; 2])>(),
        name in "[a-z]{0,9}",
        rest in prop::collection::vec(any::<u8>(), 0..9),
    ) {
        let e = e as f64;
        let runs = InRuns { a, b, name: name.clone(), c, d, e, f, rest: rest.clone(), g, h };
        let single = OneByOne { a, b: b.into(), name, c, d, e, f, rest, g: g.into(), h };
        round_trip(&runs);
        for (xcdr, endianness) in WORLDS {
            let bytes = payload(&runs, xcdr, endianness);
            prop_assert_eq!(&bytes, &payload(&single, xcdr, endianness));
            for length in 0..bytes.len() {
                let short = from_payload::<InRuns>(&bytes[..length]).map_err(|e| e.to_string());
                let other = from_payload::<OneByOne>(&bytes[..length]).map_err(|e| e.to_string());
                prop_assert_eq!(short.err(), other.err());
            }
        }
        prop_assert_eq!(key_hash(&runs).unwrap(), key_hash(&single).unwrap());
    }
}

#[test]
fn a_run_may_end_early() {
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(&Young { a: 1, b: 2 }, xcdr, endianness);
        let grown: Grown = from_payload(&bytes).unwrap();
        assert_eq!(grown, Grown { a: 1, b: 2, c: 0 });
        let bytes = payload(&grown, xcdr, endianness);
        assert_eq!(from_payload::<Young>(&bytes).unwrap(), Young { a: 1, b: 2 });
    }
}
