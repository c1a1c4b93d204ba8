//! Campaigns: many runs of perftest and of its rivals, turn by turn, and the report on them.
//!
//! A campaign is a directory ([`record`]): what was planned and on which machine, one line for each
//! run that has ended, and a histogram file for each latency. Whoever measures only adds to it;
//! whoever reports or compares only reads it.

pub mod agent;
pub mod bench;
pub mod builtin;
pub mod calls;
mod certificates;
pub mod command;
pub mod compare;
pub mod drive;
pub mod file;
mod footprint;
mod goals;
pub mod hop;
pub mod host;
mod input;
pub mod isolate;
pub mod knee;
mod lines;
mod live;
pub mod middle;
mod naming;
mod output;
pub mod perftest;
pub mod plan;
pub mod record;
pub mod report;
pub mod rivals;
pub mod routed;
pub mod rows;
pub mod side;
pub mod spelling;
pub mod stats;
pub mod summary;
pub mod switch;
pub mod systems;
mod table;
mod terminal;
pub mod whole;
