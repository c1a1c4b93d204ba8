//! Runs a test in a network namespace of its own, so that nothing it sends leaves this machine.
use std::process::Command;

/// `lo` as a fresh namespace has it: no flag MULTICAST, no route.
pub(crate) const BARE: &str = "ip link set lo up";
/// `lo` as other products need it.
pub(crate) const LOOPBACK: &str =
    "ip link set lo up; ip link set lo multicast on; ip route add 239.255.0.0/16 dev lo";
/// An Ethernet of two ends, of which `va` has an address.
pub(crate) const ETHERNET: &str = "ip link set lo up; ip link add va type veth peer name vb; \
    ip addr add 10.9.0.1/24 dev va; ip link set va up; ip link set vb up";
/// Nothing at all is up.
pub(crate) const DARK: &str = "true";

/// Runs the named test again in a namespace that the shell commands `setup` prepared, where it
/// calls `body`.
///
/// Says so on the terminal if this system gives no namespace.
pub(crate) fn in_namespace(test: &str, setup: &str, body: impl FnOnce()) {
    const MARK: &str = "DUNLIN_TEST_NAMESPACE";
    if std::env::var(MARK).as_deref() == Ok(test) {
        return body();
    }
    let Some(flags) = ["-n", "-Urn"].into_iter().find(|f| allowed(f)) else {
        println!("SKIPPED {test}: `unshare -n` and `unshare -Urn` both fail here");
        return;
    };
    let script =
        format!("set -e; {setup}; exec \"$0\" --exact {test} --nocapture --include-ignored");
    let output = Command::new("unshare")
        .args([flags, "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(MARK, test)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{test} in its namespace:\n{said}");
    assert!(
        said.contains("1 passed"),
        "no test is named {test}:\n{said}"
    );
    print!("{said}");
}

fn allowed(flags: &str) -> bool {
    let probe = Command::new("unshare").args([flags, "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}
