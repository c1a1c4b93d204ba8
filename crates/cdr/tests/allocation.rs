//! How much memory a payload may cost: what is held at any moment while it is read, beyond what was
//! held before.

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{
    Endianness, Error, Topic, Xcdr, from_payload, from_payload_bytes, key_from_payload,
    to_payload_as,
};
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;

/// The promise: so many times the payload.
const EXPANSION: usize = 16;
/// Shorter payloads count as one that fills a datagram.
const FULL_DATAGRAM: usize = 65_536;

const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Point {
    x: f32,
    y: f32,
    name: String,
    mark: Option<u16>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr")]
enum Shape {
    Dot(u32),
    Path(Vec<u16>),
}

/// As sparse as types get: an absent value takes a byte or four of a payload and a kilobyte of
/// memory.
#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Hollow {
    covariance: Option<[u64; 64]>,
    boxed: Box<[u64; 64]>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
struct Late {
    boxed: Box<[u64; 128]>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
#[allow(clippy::large_enum_variant, reason = "what a reader has to bear with")]
enum Unequal {
    Small(u8),
    Large([u64; 128]),
}

macro_rules! once_per_extensibility {
    ($module:ident, $extensibility:literal) => {
        mod $module {
            use super::*;

            #[derive(Topic, Debug, Clone, PartialEq, Default)]
            #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
            struct Dense {
                bytes: Vec<u8>,
                shared: Bytes,
                truths: Vec<bool>,
                doubles: Vec<f64>,
                words: Vec<String>,
                lists: Vec<Vec<u8>>,
                deep: Vec<Vec<Vec<String>>>,
                points: Vec<Point>,
                shapes: Vec<Shape>,
                maybe: Vec<Option<u16>>,
                rows: Vec<[u32; 20]>,
                numbers: BTreeMap<u32, u32>,
                named: BTreeMap<String, String>,
                one: Option<Box<Point>>,
            }

            #[derive(Topic, Debug, Clone, PartialEq, Default)]
            #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
            struct Sparse {
                hollow: Vec<Hollow>,
                late: Vec<Late>,
                unequal: Vec<Unequal>,
                absent: Vec<Option<[u64; 128]>>,
                maps: Vec<BTreeMap<u8, [u64; 32]>>,
            }

            #[derive(Topic, Debug, Clone, PartialEq, Default)]
            #[topic(crate = "dunlin_cdr", extensibility = $extensibility, expansion = 2000)]
            struct Allowed {
                hollow: Vec<Hollow>,
                late: Vec<Late>,
                unequal: Vec<Unequal>,
                absent: Vec<Option<[u64; 128]>>,
                maps: Vec<BTreeMap<u8, [u64; 32]>>,
            }

            #[test]
            fn what_is_no_larger_in_memory_stays_within_sixteen_times_the_payload() {
                let n = 100;
                let point = |name: &str| Point {
                    x: 1.0,
                    y: 2.0,
                    name: name.into(),
                    mark: None,
                };
                let none = Dense::default;
                let values = [
                    none(),
                    Dense {
                        bytes: vec![7; n],
                        ..none()
                    },
                    Dense {
                        shared: Bytes::from(vec![7; n]),
                        ..none()
                    },
                    Dense {
                        truths: vec![true; n],
                        ..none()
                    },
                    Dense {
                        doubles: vec![0.5; n],
                        ..none()
                    },
                    Dense {
                        words: vec![String::new(); n],
                        ..none()
                    },
                    Dense {
                        words: vec!["a word".into(); n],
                        ..none()
                    },
                    Dense {
                        lists: vec![vec![]; n],
                        ..none()
                    },
                    Dense {
                        lists: vec![vec![1]; n],
                        ..none()
                    },
                    Dense {
                        deep: vec![vec![vec![]; 1]; n],
                        ..none()
                    },
                    Dense {
                        deep: vec![vec![vec![String::new()]; 1]; n],
                        ..none()
                    },
                    Dense {
                        points: vec![point(""); n],
                        ..none()
                    },
                    Dense {
                        shapes: vec![Shape::Dot(1); n],
                        ..none()
                    },
                    Dense {
                        shapes: vec![Shape::Path(vec![2]); n],
                        ..none()
                    },
                    Dense {
                        maybe: vec![None; n],
                        ..none()
                    },
                    Dense {
                        maybe: vec![Some(5); n],
                        ..none()
                    },
                    Dense {
                        rows: vec![[1; 20]; n],
                        ..none()
                    },
                    Dense {
                        numbers: (0..n as u32).map(|k| (k, k)).collect(),
                        ..none()
                    },
                    Dense {
                        numbers: [(1, 2)].into(),
                        ..none()
                    },
                    Dense {
                        named: (0..n).map(|k| (k.to_string(), "".into())).collect(),
                        ..none()
                    },
                    Dense {
                        one: Some(Box::new(point("p"))),
                        ..none()
                    },
                ];
                for value in &values {
                    for payload in payloads(value) {
                        let (read, peak) = reading::<Dense>(&payload);
                        assert_eq!(read.as_ref(), Ok(value));
                        assert!(
                            peak <= EXPANSION * payload.len(),
                            "{peak} for {}: {value:?}",
                            payload.len()
                        );
                        damaged::<Dense>(&payload, |peak, length| peak <= EXPANSION * length);
                    }
                }
            }

            #[test]
            fn a_value_out_of_proportion_is_refused_before_it_is_made() {
                let none = Sparse::default;
                let n = 20_000;
                let maps = vec![BTreeMap::from([(1, [0; 32])]); n / 50];
                let values = [
                    Sparse {
                        unequal: vec![Unequal::Small(1); n],
                        ..none()
                    },
                    Sparse {
                        absent: vec![None; n],
                        ..none()
                    },
                ];
                for payload in values.iter().flat_map(payloads) {
                    let (read, peak) = reading::<Sparse>(&payload);
                    assert!(
                        matches!(read, Err(Error::OutOfProportion { .. })),
                        "{:?}",
                        read.err()
                    );
                    assert!(
                        peak <= EXPANSION * payload.len().max(FULL_DATAGRAM),
                        "{peak} for {}",
                        payload.len()
                    );
                }
                // Nodes of maps have room for eleven: these come near the bound, and are within it.
                for payload in payloads(&Sparse { maps, ..none() }) {
                    let (read, peak) = reading::<Sparse>(&payload);
                    assert!(
                        read.is_ok() && peak <= EXPANSION * payload.len(),
                        "{peak} for {}",
                        payload.len()
                    );
                }
                for payload in empty_elements(n) {
                    for length in [payload.len(), 1000] {
                        let (read, peak) = reading::<Sparse>(&payload[..length]);
                        assert!(read.is_err());
                        assert!(
                            peak <= EXPANSION * FULL_DATAGRAM.max(payload.len()),
                            "{peak}"
                        );
                    }
                }
            }

            #[test]
            fn what_a_datagram_may_cost_is_not_refused_and_a_type_may_ask_for_more() {
                let value = Sparse {
                    absent: vec![None; 1000],
                    ..Sparse::default()
                };
                for payload in payloads(&value) {
                    assert_eq!(reading::<Sparse>(&payload).0, Ok(value.clone()));
                }
                let value = Allowed {
                    absent: vec![None; 20_000],
                    ..Allowed::default()
                };
                for payload in payloads(&value) {
                    assert_eq!(reading::<Allowed>(&payload).0, Ok(value.clone()));
                }
            }
        }
    };
}

once_per_extensibility!(final_types, "final");
once_per_extensibility!(appendable_types, "appendable");
once_per_extensibility!(mutable_types, "mutable");

/// In each representation that the type has, in both byte orders.
fn payloads<T: Topic>(value: &T) -> Vec<Bytes> {
    WORLDS
        .map(|(xcdr, endianness)| {
            let mut payload = BytesMut::new();
            to_payload_as(value, xcdr, endianness, &mut payload).unwrap();
            payload.freeze()
        })
        .into()
}

/// A sequence of elements of which nothing is there but delimiters: as first member of each
/// extensibility.
fn empty_elements(count: usize) -> Vec<Vec<u8>> {
    let body = vec![0; 4 * count];
    let length = (body.len() as u32 + 4).to_le_bytes();
    let sequence = [&length[..], &(count as u32).to_le_bytes(), &body].concat();
    let all = (sequence.len() as u32).to_le_bytes();
    let member = 0x5000_0000_u32.to_le_bytes();
    let labelled = (sequence.len() as u32 + 4).to_le_bytes();
    vec![
        [&[0, 7, 0, 0][..], &sequence].concat(),
        [&[0, 9, 0, 0][..], &all, &sequence].concat(),
        [&[0, 11, 0, 0][..], &labelled, &member, &sequence].concat(),
    ]
}

fn peak(work: impl FnOnce()) -> usize {
    usize::try_from(allocation_counter::measure(work).bytes_max).unwrap()
}

/// What the payload says, and the most memory that it took to find out, by copy or by slices.
fn reading<T: Topic>(payload: &[u8]) -> (Result<T, Error>, usize) {
    let mut read = None;
    let copying = peak(|| read = Some(from_payload::<T>(payload)));
    let owner = Bytes::copy_from_slice(payload);
    let slicing = peak(|| drop(from_payload_bytes::<T>(&owner)));
    let key = peak(|| drop(key_from_payload::<T>(payload)));
    (read.unwrap(), copying.max(slicing).max(key))
}

/// Cut off and with large numbers in it, the payload is held to the same.
fn damaged<T: Topic>(payload: &[u8], allows: impl Fn(usize, usize) -> bool) {
    for end in (0..payload.len()).step_by(1 + payload.len() / 40) {
        let (_, peak) = reading::<T>(&payload[..end]);
        assert!(allows(peak, end), "{peak} for the first {end} bytes");
    }
    for at in (4..payload.len().saturating_sub(4).min(120)).step_by(4) {
        for number in [1, 255, 4096, 65_536, u32::MAX] {
            let mut bad = payload.to_vec();
            let bytes = if payload[1] & 1 == 1 {
                number.to_le_bytes()
            } else {
                u32::to_be_bytes(number)
            };
            bad[at..at + 4].copy_from_slice(&bytes);
            let (_, peak) = reading::<T>(&bad);
            assert!(
                allows(peak, bad.len()),
                "{peak} for {} bytes with {number} at {at}",
                bad.len()
            );
        }
    }
}
