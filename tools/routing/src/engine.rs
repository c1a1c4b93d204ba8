//! Forwarding: who receives takes from the inputs of a route and writes to its outputs.
//!
//! A [`RouteCore`] is worked by one thread at a time: by that which received something for one of
//! its inputs, or by that which received an acknowledgement that made room in one of its outputs.
//! Another one with news leaves word and goes on with its own work ([`RouteCore::pump`]). Nothing
//! here waits, and no lock is held while the readers, the writers and a processor do their work.
mod admission;
mod backlog;
mod convert;
mod cut_through;
mod echo;
mod input;
mod last_samples;
mod output;
mod process;
mod registry;
mod route;
mod rules;
mod strays;
mod tally;
mod transform;

pub(crate) use admission::Admission;
pub(crate) use backlog::{Backlog, Budget};
pub(crate) use convert::Conversion;
pub(crate) use input::{DataListener, InputLane, Source};
pub(crate) use output::{OutputLane, RoomListener, Sink, Sources};
pub(crate) use route::{Edit, RouteCore};
pub(crate) use rules::Rules;
pub(crate) use tally::Tally;
pub(crate) use transform::Transform;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a panic under the lock has spoiled nothing that matters here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
