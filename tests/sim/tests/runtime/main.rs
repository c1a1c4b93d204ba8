//! What only `dunlin` has, besides the protocol, on virtual time: waits, the receive role, deferred
//! calls, coalescing, delivery within a process.
//!
//! There is one thread: a wait lets the domain go on, so that what ends it happens within it.
#![allow(
    dead_code,
    reason = "the simulation shares its parts, of which each test uses some"
)]

mod crowd;
mod deferred;
mod domain;
mod local;
mod pacing;
mod waiting;

#[path = "../sim/dice.rs"]
mod dice;
#[path = "../sim/link.rs"]
mod link;
#[path = "../sim/sample.rs"]
mod sample;
#[path = "../sim/words.rs"]
mod words;
