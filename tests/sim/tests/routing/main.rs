//! Routing Services on virtual time: the product's service and participants, in one thread, over a
//! network in memory that loses, repeats, reorders and parts, as a seed decides.
//!
//! A seed that fails is repeated with `DUNLIN_SIM_SEED=7 cargo test -p dunlin-sim-tests --test
//! routing NAME`; `DUNLIN_SIM_TRACE=1` beside it prints each datagram. `DUNLIN_SIM_SEEDS` says how
//! many are run.
mod circles;
mod crashes;
mod ends;
mod hops;
mod lives;
mod plans;
mod readers;
mod rows;
mod seeds;
mod world;

#[path = "../sim/dice.rs"]
mod dice;
#[allow(dead_code, reason = "the simulation of participants uses the rest")]
#[path = "../sim/link.rs"]
mod link;
#[allow(dead_code, reason = "the simulation of participants uses the rest")]
#[path = "../sim/sample.rs"]
mod sample;
#[path = "../sim/words.rs"]
mod words;
