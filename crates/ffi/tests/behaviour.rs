//! Programs in C about what the library calls beside listeners (hooks of threads, the log, functions
//! that wait for conditions), about wrong orders of calls, and about a parent that has forked.
mod common;
#[path = "common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use program::{Folder, SANITIZERS, root, succeeds};

/// Compiles a program of the folder `c` with the type of the example hello, and runs it.
fn runs(name: &str, flags: &[&str]) {
    let Some(folder) = Folder::new() else { return };
    let made = folder.idl(&root().join("examples/hello/Position.idl"));
    let source = root()
        .join("crates/ffi/tests/c")
        .join(name)
        .with_extension("c");
    succeeds(folder.command(&folder.compile(name, &[&source, &made], flags)));
}

#[test]
fn threads_the_log_and_conditions_call_functions_of_the_program() {
    let name = "threads_the_log_and_conditions_call_functions_of_the_program";
    in_namespace(name, LOOPBACK, || runs("hooks", &SANITIZERS));
}

#[test]
fn wrong_orders_of_calls_have_their_codes_and_leave_nothing() {
    let name = "wrong_orders_of_calls_have_their_codes_and_leave_nothing";
    in_namespace(name, LOOPBACK, || runs("misuse", &SANITIZERS));
}

/// Its child lives on, and keeps nothing that would show the parent alive.
#[test]
fn peers_see_the_end_of_a_parent_that_has_forked() {
    let name = "peers_see_the_end_of_a_parent_that_has_forked";
    in_namespace(name, LOOPBACK, || runs("forked_parent", &[]));
}
