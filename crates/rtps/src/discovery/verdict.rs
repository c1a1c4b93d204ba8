//! Whether a writer and a reader suit each other.
use super::TypeDifference;
use super::types::{self, Judgement, KnownTypes};
use alloc::vec::Vec;
use dunlin_qos::{Incompatibility, ReaderSide, WriterSide, check};
use dunlin_wire::{ReaderData, WriterData};

/// Whether a writer and a reader of one topic name suit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Matched,
    /// Their types differ.
    Type(TypeDifference),
    /// Both announce types that are not the same, and what these are is not known yet.
    Pending,
    /// They have no partition in common.
    Partition,
    /// Policies do not fit: all of them.
    Qos(Vec<Incompatibility>),
}

/// Whether a writer and a reader of one topic name suit each other (DDS 1.4 2.2.3), by what is known
/// of their types.
pub fn compare(writer: &WriterData, reader: &ReaderData, types: &KnownTypes) -> Verdict {
    match types::judge(writer, reader, types) {
        Judgement::Fits => {}
        Judgement::Differs(difference) => return Verdict::Type(difference),
        Judgement::Pending => return Verdict::Pending,
    }
    if !writer
        .publisher
        .partition
        .matches(&reader.subscriber.partition)
    {
        return Verdict::Partition;
    }
    let offered = WriterSide {
        writer: &writer.qos,
        publisher: &writer.publisher,
    };
    let requested = ReaderSide {
        reader: &reader.qos,
        subscriber: &reader.subscriber,
    };
    match check(&offered, &requested) {
        mismatches if mismatches.is_empty() => Verdict::Matched,
        mismatches => Verdict::Qos(mismatches),
    }
}
