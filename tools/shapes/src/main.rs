//! `shape_main`: what the OMG interoperability suite starts and reads.
use std::process::ExitCode;

fn main() -> ExitCode {
    dunlin_shapes::suite(std::env::args().skip(1))
}
