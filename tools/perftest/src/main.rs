//! perftest
fn main() {}
