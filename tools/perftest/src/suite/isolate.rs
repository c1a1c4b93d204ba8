//! A network namespace for the suite, so that discovery never leaves this machine and nothing else disturbs it.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::cell::this_program;

/// Set in the environment of the program that runs inside.
const INSIDE: &str = "DUNLIN_PERFTEST_ISOLATED";

/// Brings loopback up, with multicast, and then becomes what follows.
const SETUP: &str = "ip link set lo up && ip link set lo multicast on && \
                     ip route add 239.255.0.0/16 dev lo && exec \"$@\"";

/// What keeps the traffic on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// A namespace with loopback only.
    Namespace,
    /// Options that restrict both sides to loopback.
    Loopback,
}

/// Starts this program anew in a namespace of its own, in place of this process; returns only where it cannot or is
/// inside already.
pub(super) fn enter(seconds: u64) -> Isolation {
    if std::env::var_os(INSIDE).is_some() {
        return Isolation::Namespace;
    }
    let Ok((program, mut arguments)) = this_program() else {
        return Isolation::Loopback;
    };
    arguments.extend(["-suite".to_string(), seconds.to_string()]);
    // As root a network namespace suffices; others need a user namespace to own it.
    for flags in ["-n", "-Urn"] {
        if possible(flags) {
            let _not_replaced = inside(flags)
                .arg(&program)
                .args(&arguments)
                .env(INSIDE, "1")
                .exec();
        }
    }
    Isolation::Loopback
}

fn inside(flags: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args([flags, "--", "sh", "-c", SETUP, "sh"]);
    command
}

/// Whether a namespace can be made and set up.
fn possible(flags: &str) -> bool {
    inside(flags)
        .arg("true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
