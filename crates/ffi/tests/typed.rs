//! Programs in C that write and take values of the types of their IDL.
mod common;
#[path = "common/program.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod program;
use common::namespace::{LOOPBACK, in_namespace};
use dunlin_idlc::emit::Choices;
use program::{Folder, SANITIZERS, root, succeeds};
use std::process::{Command, Stdio};

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

/// The program that writes and takes levels, with or without a look at their ranges.
fn ranges(range_checks: bool) -> Option<(Folder, Command)> {
    let folder = Folder::new()?;
    let sources = root().join("crates/ffi/tests/c");
    let choices = Choices {
        range_checks,
        ..Choices::default()
    };
    let made = folder.idl_as(&sources.join("tank.idl"), &choices);
    let include = format!("-I{}", sources.display());
    let flags = [&SANITIZERS[..], &[&*include]].concat();
    let program = folder.compile("ranges", &[&sources.join("ranges.c"), &made], &flags);
    let command = folder.command(&program);
    Some((folder, command))
}

#[test]
fn what_is_out_of_its_range_is_lost_for_readers_that_look() {
    let name = "what_is_out_of_its_range_is_lost_for_readers_that_look";
    in_namespace(name, LOOPBACK, || {
        let (Some((_one, mut writer)), Some((_other, mut reader))) = (ranges(false), ranges(true))
        else {
            return;
        };
        let reader = reader.arg("read").stdout(Stdio::piped()).spawn().unwrap();
        writer.arg("write");
        succeeds(writer);
        let output = reader.wait_with_output().unwrap();
        assert!(output.status.success(), "{:?}", output.status);
        let said = String::from_utf8(output.stdout).unwrap();
        let expected = "50\n\
            Tanks::Tank.level: 101 is outside of the range 0 to 100\n\
            60\n\
            Tanks::Tank.level: -1 is outside of the range 0 to 100\n\
            70\n\
            lost: 2\n";
        assert_eq!(said, expected);
    });
}
