//! Entities come and go by the thousand, and leave nothing.
mod common;
#[path = "common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use program::{Folder, root, succeeds};

/// Participants, then writers and readers. `DUNLIN_LONG=1`, as `make languages-long` sets it, takes
/// minutes.
#[test]
fn thousands_of_entities_leave_nothing() {
    in_namespace("thousands_of_entities_leave_nothing", LOOPBACK, || {
        let Some(folder) = Folder::new() else { return };
        let counts = match std::env::var("DUNLIN_LONG").as_deref() {
            Ok("1") => ["10000", "100000"],
            _ => ["200", "2000"],
        };
        let made = folder.idl(&root().join("examples/hello/Position.idl"));
        let source = root().join("crates/ffi/tests/c/many.c");
        let program = folder.compile("many", &[&source, &made], &["-O1"]);
        let mut command = folder.command(&program);
        println!(
            "{}",
            succeeds({
                command.args(counts);
                command
            })
        );
    });
}
