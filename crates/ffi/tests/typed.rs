//! Programs in C that write and take values of the types of their IDL.
mod common;
#[path = "common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use program::{Folder, SANITIZERS, root, succeeds};

/// Compiles a program of the folder `c`, and says what it prints.
fn output(name: &str, flags: &[&str]) -> Option<String> {
    let folder = Folder::new()?;
    let sources = root().join("crates/ffi/tests/c");
    let made = folder.idl(&sources.join("flock.idl"));
    let source = sources.join(name).with_extension("c");
    let include = format!("-I{}", sources.display());
    let flags = [flags, &[&*include]].concat();
    let mut command = folder.command(&folder.compile(name, &[&source, &made], &flags));
    // The library looks at each payload that C has encoded.
    command.env("DUNLIN_CHECK_PAYLOADS", "1");
    Some(succeeds(command))
}

#[test]
fn values_are_written_and_taken_by_the_functions_of_their_type() {
    let name = "values_are_written_and_taken_by_the_functions_of_their_type";
    in_namespace(name, LOOPBACK, || {
        output("typed", &SANITIZERS);
    });
}

#[test]
fn large_octets_are_written_and_taken_without_a_copy() {
    let name = "large_octets_are_written_and_taken_without_a_copy";
    in_namespace(name, LOOPBACK, || {
        output("octets", &SANITIZERS);
    });
}

#[test]
fn a_longjmp_out_of_a_callback_is_told() {
    in_namespace("a_longjmp_out_of_a_callback_is_told", LOOPBACK, || {
        output("longjmp", &[]);
    });
}

#[test]
fn each_status_has_a_callback_of_its_own() {
    in_namespace("each_status_has_a_callback_of_its_own", LOOPBACK, || {
        output("listener", &SANITIZERS);
    });
}

#[test]
fn writing_and_taking_values_allocates_nothing() {
    let name = "writing_and_taking_values_allocates_nothing";
    in_namespace(name, LOOPBACK, || {
        if let Some(said) = output("steady", &["-O2"]) {
            assert_eq!(said, "0\n", "allocations in 300 round trips");
        }
    });
}
