//! The binary `perftest`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dunlin_perftest::main(std::env::args().skip(1))
}
