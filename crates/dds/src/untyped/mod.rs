//! Endpoints whose type is known at run time: topics, writers and readers of serialized samples.
//!
//! All behaviour is here. The typed endpoints ([`DataWriter`](crate::DataWriter),
//! [`DataReader`](crate::DataReader)) serialize and deserialize, and call these; whoever gets
//! samples as bytes (a router, a recorder, another language) uses these by themselves.
pub(crate) mod condition;
pub(crate) mod content_filter;
mod endpoints;
pub(crate) mod listener;
pub(crate) mod loan;
mod participant;
pub(crate) mod publisher;
pub(crate) mod query_condition;
pub(crate) mod reader;
pub(crate) mod sample;
pub(crate) mod subscriber;
pub(crate) mod topic;
pub(crate) mod type_support;
pub(crate) mod wait_set;
pub(crate) mod writer;

pub use content_filter::{UntypedContentFilteredTopic, UntypedTopicDescription};
pub use dunlin_rtps::discovery::WriterPredicate;
pub use dunlin_rtps::{Arriving, ChangeKind, Origins, Time};
pub use dunlin_wire::EncodedTypeInformation;
pub use loan::LoanedBytes;
pub use reader::{UntypedReader, UntypedReaderListener, UntypedReaderOptions};
pub use sample::{NextPayload, SamplePayload, SoleSample, UntypedSample};
pub use topic::UntypedTopic;
pub use type_support::TypeSupport;
pub(crate) use writer::SERIALIZE_LIMIT;
pub use writer::{
    NewChange, OpenSample, PayloadLoan, Piece, TryWriteError, UntypedWriter, UntypedWriterListener,
    WriteOptions,
};
