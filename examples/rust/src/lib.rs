//! What the examples have in common: which side of an example this process plays.
//!
//! Each example runs by itself, `cargo run -p dunlin-examples --bin hello`, with both sides in one
//! process; or as two processes, with `publish` in one terminal and `subscribe` in another.
#![forbid(unsafe_code)]

use std::thread;

/// Runs both sides, or the one that the command line names.
///
/// # Errors
/// What a side returns.
pub fn run(
    publish: fn() -> dunlin::Result<()>,
    subscribe: fn() -> dunlin::Result<()>,
) -> dunlin::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("publish") => publish(),
        Some("subscribe") => subscribe(),
        Some(other) => Err(dunlin::Error::BadParameter(format!(
            "{other:?}: `publish`, `subscribe`, or nothing for both"
        ))),
        None => {
            let subscriber = thread::spawn(subscribe);
            publish()?;
            subscriber.join().expect("the subscriber ends")
        }
    }
}
