//! What each QoS policy does, on virtual time: whole participants that find each other, and a clock
//! that moves by the nanosecond.
//!
//! `docs/testing.md` lists which test shows which policy; `table` sees to it that the list is
//! whole.
#![allow(
    dead_code,
    reason = "the simulation shares its participants, of which each test uses its part"
)]

mod announced;
mod instances;
mod joining;
mod liveliness;
mod looking;
mod table;
mod time;

#[path = "../sim/link.rs"]
mod link;
#[path = "../sim/participant.rs"]
mod participant;
#[path = "../sim/sample.rs"]
mod sample;
#[path = "../sim/stage.rs"]
mod stage;
#[path = "../sim/words.rs"]
mod words;
