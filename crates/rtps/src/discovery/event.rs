//! What discovery tells its caller.
use super::TypeDifference;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use dunlin_qos::Incompatibility;
use dunlin_wire::{
    DiagnosticReply, DiagnosticRequest, Guid, GuidPrefix, ReaderData, VendorId, WriterData,
};

/// Something changed. Local endpoints are those that the caller added; remote ones may be of the
/// same participant. Locators in the events are complete: an endpoint without any has its
/// participant's default ones filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A local writer has a new reader.
    ReaderMatched {
        /// The local writer.
        writer: Guid,
        /// The reader.
        reader: Box<ReaderData>,
    },
    /// A matched reader changed its QoS or locators and still matches.
    ReaderChanged {
        /// The local writer.
        writer: Guid,
        /// The reader as it is now.
        reader: Box<ReaderData>,
    },
    /// A local writer lost a reader.
    ReaderUnmatched {
        /// The local writer.
        writer: Guid,
        /// The reader.
        reader: Guid,
        /// Why.
        reason: UnmatchReason,
    },
    /// A local reader has a new writer, which counts as alive.
    WriterMatched {
        /// The local reader.
        reader: Guid,
        /// The writer.
        writer: Box<WriterData>,
    },
    /// A matched writer changed its QoS or locators and still matches.
    WriterChanged {
        /// The local reader.
        reader: Guid,
        /// The writer as it is now.
        writer: Box<WriterData>,
    },
    /// A local reader lost a writer.
    WriterUnmatched {
        /// The local reader.
        reader: Guid,
        /// The writer.
        writer: Guid,
        /// Why.
        reason: UnmatchReason,
    },
    /// An endpoint of the same topic and type does not match a local one because of its QoS (DDS
    /// 1.4 2.2.4.1).
    IncompatibleQos {
        /// The local endpoint.
        local: Guid,
        /// The other one.
        remote: Guid,
        /// Each policy that does not fit.
        mismatches: Vec<Incompatibility>,
    },
    /// An endpoint of the same topic name has another type (DDS 1.4 2.2.4.1).
    InconsistentTopic {
        /// The local endpoint.
        local: Guid,
        /// The other one.
        remote: Guid,
        /// Name of the topic.
        topic: String,
        /// How the types differ.
        difference: TypeDifference,
    },
    /// A participant announced itself; it may still be an invention.
    ParticipantFound {
        /// Which.
        prefix: GuidPrefix,
        /// Whose product it is.
        vendor: VendorId,
        /// The name that it gives itself, empty if none.
        name: String,
    },
    /// A participant says something else about itself, such as other locators.
    ParticipantChanged {
        /// Which.
        prefix: GuidPrefix,
    },
    /// A participant is gone, and all its endpoints with it.
    ParticipantLost {
        /// Which.
        prefix: GuidPrefix,
        /// Why.
        reason: LossReason,
    },
    /// A participant that is known wants to know how it is with an endpoint of ours;
    /// `Discovery::answer` answers.
    Asked {
        /// Who wants to know.
        from: GuidPrefix,
        /// What.
        question: DiagnosticRequest,
    },
    /// A participant answered a question, asked or not.
    Answered {
        /// What it says.
        answer: DiagnosticReply,
    },
    /// A participant announces more endpoints than are allowed; its further ones are ignored.
    TooManyEndpoints {
        /// Which.
        prefix: GuidPrefix,
    },
    /// A local writer was not asserted in time (DDS 1.4 2.2.4.1 LIVELINESS_LOST).
    LivelinessLost {
        /// The local writer.
        writer: Guid,
    },
    /// A matched writer fell silent, or is heard again (DDS 1.4 2.2.4.1 LIVELINESS_CHANGED).
    LivelinessChanged {
        /// The local reader.
        reader: Guid,
        /// The writer.
        writer: Guid,
        /// What it is now.
        alive: bool,
    },
}

/// Why two endpoints match no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmatchReason {
    /// One of the two was deleted.
    Deleted,
    /// One of the two changed its QoS, partition or type.
    Changed,
    /// The application ignores the other from now on.
    Ignored,
    /// The other's participant is gone.
    ParticipantLost(LossReason),
}

/// Why a participant is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReason {
    /// It said so.
    Goodbye,
    /// It was silent for longer than its lease.
    LeaseExpired,
    /// A goodbye came in its name that was not from its own socket, and it did not answer whether
    /// it lives. It may come back, as after its lease.
    Silent,
    /// Its process has ended, and the system said so.
    Ended,
    /// The application ignores it from now on.
    Ignored,
    /// It made room for others: nothing but announcements had ever come in its name, or it was
    /// silent and matched with nothing.
    Displaced,
}
