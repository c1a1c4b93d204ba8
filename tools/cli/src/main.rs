//! dunlin
fn main() {}
