//! Whole participants on virtual time: discovery, writers and readers over a network in memory that
//! loses, repeats, delays and parts, as a seed decides.
//!
//! A seed that fails is repeated with `DUNLIN_SIM_SEED=7 cargo test -p dunlin-sim-tests seeds`;
//! `DUNLIN_SIM_TRACE=1` beside it prints each datagram. `DUNLIN_SIM_SEEDS` says how many are run.
mod dice;
mod ledger;
#[allow(dead_code, reason = "other tests use the rest")]
mod link;
#[allow(dead_code, reason = "policies use the rest")]
mod participant;
#[allow(dead_code, reason = "policies use the rest")]
mod sample;
mod scenario;
mod seeds;
mod sets;
mod soak;
#[allow(dead_code, reason = "policies use the rest")]
mod stage;
mod verdict;
mod words;
mod world;
