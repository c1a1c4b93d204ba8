//! Whether a writer and a reader suit each other.
use super::TypeDifference;
use super::types::{self, Judgement, KnownTypes};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
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
    /// The reader's application does not accept the writer ([`WriterPredicate`]).
    Declined,
}

/// Which writers a local reader accepts, beyond what QoS and types say. It is asked when a writer
/// appears and when what it announces of itself changes.
#[derive(Clone)]
pub struct WriterPredicate(Arc<dyn Fn(&WriterData) -> bool + Send + Sync>);

impl WriterPredicate {
    /// `accepts` is called while discovery is locked: it must not call an entity.
    pub fn new(accepts: impl Fn(&WriterData) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(accepts))
    }

    /// True if the reader accepts the writer.
    pub fn accepts(&self, writer: &WriterData) -> bool {
        (self.0)(writer)
    }
}

impl fmt::Debug for WriterPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriterPredicate")
    }
}

/// Whether a writer and a reader of one topic name suit each other (DDS 1.4 2.2.3), by what is
/// known of their types.
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
