//! The types of `interop.idl`, and the rules that make each member a function of the sample's
//! number (see `peer.c`).

use bytes::Bytes;
use dunlin::{Data, Topic, TopicData};

#[derive(Topic, Debug, Clone)]
#[topic(name = "interop::Plain", extensibility = "final")]
pub(crate) struct Plain {
    seq: i32,
    data: Bytes,
}

#[derive(Topic, Debug, Clone)]
#[topic(name = "interop::Keyed", extensibility = "final")]
pub(crate) struct Keyed {
    #[key]
    #[topic(bound = 64)]
    name: String,
    seq: i32,
    data: Bytes,
}

#[derive(Topic, Debug, Clone)]
#[topic(name = "interop::Big", extensibility = "final")]
pub(crate) struct Big {
    seq: i32,
    data: Bytes,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(extensibility = "appendable")]
struct Inner {
    a: i16,
    b: i64,
}

#[derive(Topic, Debug, Clone)]
#[topic(name = "interop::Appendable", extensibility = "appendable")]
pub(crate) struct Appendable {
    seq: i32,
    value: f64,
    label: String,
    nested: Inner,
    numbers: Vec<i32>,
    data: Bytes,
}

#[derive(Topic, Debug, Clone)]
#[topic(name = "interop::Mutable", extensibility = "mutable")]
pub(crate) struct Mutable {
    #[topic(id = 1)]
    seq: i32,
    #[topic(id = 20)]
    value: f64,
    #[topic(id = 3)]
    label: String,
    #[topic(id = 257)]
    nested: Inner,
    #[topic(id = 5)]
    numbers: Vec<i32>,
    #[topic(id = 6)]
    data: Bytes,
}

/// What the peer has to know of a type.
pub(crate) trait PeerSample: TopicData {
    /// The sample number `seq` of the instance `name`.
    fn make(seq: i32, name: &str, data: Bytes) -> Self;
    fn seq(&self) -> i32;
    fn data(&self) -> &Bytes;

    /// Name of the instance; empty for types without a key.
    fn name(&self) -> &str {
        ""
    }

    /// The members that only this type has follow their rule.
    fn members_good(&self) -> bool {
        true
    }
}

/// Name of the instance number `instance`.
pub(crate) fn instance_name(instance: i32) -> String {
    format!("bird-{instance}")
}

/// Bytes of the sample number `seq`.
pub(crate) fn payload(seq: i32, size: u32) -> Bytes {
    let start = (seq as u32).wrapping_mul(131);
    (0..size)
        .map(|i| start.wrapping_add(i.wrapping_mul(7)).wrapping_add(i / 251) as u8)
        .collect()
}

macro_rules! peer_sample_without_key {
    ($($name:ident)*) => {$(
        impl PeerSample for $name {
            fn make(seq: i32, _: &str, data: Bytes) -> Self {
                Self { seq, data }
            }
            fn seq(&self) -> i32 {
                self.seq
            }
            fn data(&self) -> &Bytes {
                &self.data
            }
        }
    )*};
}

peer_sample_without_key!(Plain Big);

impl PeerSample for Keyed {
    fn make(seq: i32, name: &str, data: Bytes) -> Self {
        let name = name.to_owned();
        Self { name, seq, data }
    }
    fn seq(&self) -> i32 {
        self.seq
    }
    fn data(&self) -> &Bytes {
        &self.data
    }
    fn name(&self) -> &str {
        &self.name
    }
}

macro_rules! peer_sample_with_members {
    ($($name:ident)*) => {$(
        impl PeerSample for $name {
            fn make(seq: i32, _: &str, data: Bytes) -> Self {
                Self {
                    seq,
                    value: value(seq),
                    label: label(seq),
                    nested: nested(seq),
                    numbers: numbers(seq),
                    data,
                }
            }
            fn seq(&self) -> i32 {
                self.seq
            }
            fn data(&self) -> &Bytes {
                &self.data
            }
            fn members_good(&self) -> bool {
                self.value == value(self.seq)
                    && self.label == label(self.seq)
                    && self.nested == nested(self.seq)
                    && self.numbers == numbers(self.seq)
            }
        }
    )*};
}

peer_sample_with_members!(Appendable Mutable);

fn value(seq: i32) -> f64 {
    f64::from(seq) * 0.5
}

fn label(seq: i32) -> String {
    format!("label-{seq}")
}

fn nested(seq: i32) -> Inner {
    Inner {
        a: seq.wrapping_neg() as i16,
        b: i64::from(seq) * 10_000_000_019,
    }
}

fn numbers(seq: i32) -> Vec<i32> {
    let count = (seq as u32 % 4) as i32;
    let first = seq.wrapping_mul(1000);
    (0..count).map(|i| first.wrapping_sub(i)).collect()
}
