//! The C ABI of Dunlin: what `dunlin.h` declares (`docs/abi.md`).
//!
//! Each function checks its arguments, finds what its handles stand for, and calls the untyped
//! layer (`dunlin::untyped`). It returns a code of the standard; what a failure was is kept for the
//! thread. No panic leaves a function.
//!
//! What is unsafe is in few places: pointers of callers in `memory`, the slots of handles in
//! `handle`, calls of the application's functions in `callback`, forks in `fork`. Structures that
//! begin with their size say so by an unsafe trait.
#![allow(
    non_camel_case_types,
    reason = "the names are those of the C header, so that one search finds both"
)]

pub mod builtin;
pub mod callback;
pub mod condition;
pub mod config;
pub mod discovery;
pub mod entity;
mod error;
mod fork;
pub mod group;
mod handle;
pub mod hooks;
pub mod layout;
pub mod library;
pub mod loans;
pub mod log;
pub mod memory;
mod names;
pub mod next;
mod object;
pub mod octets;
mod open_call;
pub mod participant;
pub mod qos;
pub mod reader;
mod samples;
pub mod select;
pub mod status;
pub mod topic;
pub mod types;
pub mod writer;

pub use builtin::*;
pub use callback::*;
pub use condition::*;
pub use config::*;
pub use discovery::*;
pub use entity::*;
pub use group::*;
pub use hooks::*;
pub use layout::*;
pub use library::*;
pub use loans::*;
pub use log::*;
pub use memory::*;
pub use next::*;
pub use octets::*;
pub use participant::*;
pub use qos::*;
pub use reader::*;
pub use select::*;
pub use status::*;
pub use topic::*;
pub use types::*;
pub use writer::*;
