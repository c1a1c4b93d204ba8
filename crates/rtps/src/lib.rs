//! The RTPS protocol without I/O: what writers, readers and discovery decide, and when.
//!
//! Every state machine is handed the time, what arrived, and a sink; it never sends, sleeps, locks
//! or reads a clock (RTPS 2.5 chapter 8.4).
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod body;
mod budget;
mod change;
mod content_filter;
mod counter;
mod crowd;
mod deadline;
pub mod discovery;
mod handle;
mod instance_map;
mod outbox;
mod payload;
mod proxies;
mod reader;
mod sample;
mod slab;
mod time;
mod timer_queue;
mod writer;

pub use body::{Body, Piece, SpareParts};
pub use budget::{Budgets, PeerBudget, ReassemblyBudget};
pub use change::{Change, ChangeKind};
pub use content_filter::ContentFilter;
pub use deadline::MissedDeadlines;
pub use handle::InstanceHandle;
pub use outbox::{Outbox, PayloadAllocator, To};
pub use payload::{Loaned, LoanedPayload, Payload, Withdrawn};
pub use reader::{
    Arriving, Delivery, GroupFront, GroupOrder, GroupStanding, Holdings, KeyOf, OriginBounds,
    Origins, PassedOver, Reader, ReaderConfig, Rejection, RejectionReason, Standing,
    WriterProxyConfig,
};
pub use sample::{
    InstanceState, Sample, SampleInfo, SampleState, Select, SetPlace, ViewState, Which,
};
pub use time::Time;
pub use writer::{
    Acknowledgement, GroupOf, InGroup, ReaderFilter, ReaderProgress, ReaderProxyConfig, WriteError,
    Writer, WriterConfig,
};
