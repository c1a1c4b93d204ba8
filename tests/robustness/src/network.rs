//! Hosts and the cable between them, made of network namespaces.
use crate::process::{Answer, Process};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::process::Command;

const MARK: &str = "DUNLIN_TEST_NAMESPACE";
/// What is left behind in `/dev/shm` is seen, and nobody else's is.
const MEMORY: &str = "mount -t tmpfs tmpfs /dev/shm";
const LOOPBACK: &str =
    "ip link set lo up; ip link set lo multicast on; ip route add 239.255.0.0/16 dev lo";

/// Runs the named test again in namespaces of its own that have nothing but loopback and an empty
/// `/dev/shm`, where it calls `body`.
///
/// Says so on the terminal if this system gives no namespace.
///
/// # Panics
/// If the test fails in there.
pub fn in_namespace(test: &str, body: impl FnOnce()) {
    if std::env::var(MARK).as_deref() == Ok(test) {
        return body();
    }
    let Some(flags) = ["-nm", "-Urnm"].into_iter().find(|f| allowed(f)) else {
        println!("SKIPPED {test}: `unshare -nm` and `unshare -Urnm` both fail here");
        return;
    };
    let script = format!(
        "set -e; {MEMORY}; {LOOPBACK}; exec \"$0\" --exact {test} --include-ignored --nocapture"
    );
    let program = std::env::current_exe().expect("a program knows its path");
    let output = Command::new("unshare")
        .args([flags, "setpriv", "--pdeathsig", "KILL", "sh", "-c", &script])
        .arg(program)
        .env(MARK, test)
        .output()
        .expect("unshare can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{test} in its namespace:\n{said}");
    assert!(
        said.contains("1 passed"),
        "no test is named {test}:\n{said}"
    );
    let figures = said.lines().filter(|line| line.starts_with("FIGURE"));
    figures.for_each(|line| println!("{line}"));
}

fn allowed(flags: &str) -> bool {
    let probe = Command::new("unshare").args([flags, "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// Where a program runs: here, or on a host of a [`Lan`].
#[derive(Clone, Copy, Debug)]
pub struct Place(Option<u32>);

impl Place {
    /// The namespace of the test itself.
    pub const HERE: Self = Self(None);

    /// The host that a process keeps alive.
    pub(crate) fn of(holder: u32) -> Self {
        Self(Some(holder))
    }

    /// A command there; it is killed when the thread that starts it ends.
    pub fn command(&self, program: &str) -> Command {
        let mut command = match self.0 {
            None => Command::new("setpriv"),
            Some(holder) => {
                let mut command = Command::new("nsenter");
                command.args(["--target", &holder.to_string(), "--net", "--", "setpriv"]);
                command
            }
        };
        command.args(["--pdeathsig", "KILL", "--", program]);
        command
    }

    /// Starts a program there, with arguments between blanks.
    pub fn start(&self, program: &str, arguments: &str) -> Process {
        let mut command = self.command(program);
        command.args(arguments.split_whitespace());
        Process::start(arguments, command)
    }

    /// Gives the kernel rules in the language of `nft`. False, and a line that says so, where that
    /// cannot be.
    pub fn filter(&self, rules: &str) -> bool {
        let mut command = self.command("nft");
        let done = command.args(["--", rules]).output();
        match done {
            Ok(output) if output.status.success() => true,
            other => {
                println!(
                    "FIGURE SKIPPED: nftables (Debian package nftables) cannot be had here: {other:?}"
                );
                false
            }
        }
    }

    /// A socket there that sends from this address of the host's, 0.0.0.0 for any.
    ///
    /// # Panics
    /// If there is none to be had: the test expects it.
    pub fn socket(&self, address: &str) -> UdpSocket {
        let place = *self;
        let address = address.to_owned();
        let open = move || {
            if let Self(Some(holder)) = place {
                let path = format!("/proc/{holder}/ns/net");
                let network = File::open(path).expect("the host is there");
                // Of this thread alone, which ends here.
                let kind = Some(LinkNameSpaceType::Network);
                move_into_link_name_space(network.as_fd(), kind).expect("the host lets it in");
            }
            UdpSocket::bind((&*address, 0)).expect("a socket")
        };
        std::thread::spawn(open).join().expect("a thread")
    }

    /// Runs a line of shell there.
    ///
    /// # Panics
    /// If it fails.
    pub fn shell(&self, line: &str) {
        let mut command = self.command("sh");
        let status = command.args(["-ec", line]).status();
        assert!(status.is_ok_and(|s| s.success()), "{line}");
    }
}

/// A process that keeps a new network namespace alive.
pub(crate) fn hold() -> Process {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "unshare", "-n"]);
    command.args(["sh", "-c", "echo up; exec cat >/dev/null"]);
    Process::start("namespace", command)
}

/// Two hosts, 10.77.0.1 and 10.77.0.2, and a cable between them that the test can spoil (see
/// `lossy_wire`).
pub struct Lan {
    /// Keep the namespaces of the hosts alive.
    holders: [Process; 2],
    cable: Process,
}

impl Lan {
    /// Two hosts with a cable that has these faults. `name`, a letter, tells it from others in the
    /// same namespace.
    pub fn new(lossy_wire: &str, name: char, faults: &str) -> Self {
        let holders = [1, 2].map(|host| {
            let holder = hold();
            let pid = holder.id();
            let near = format!("{name}{host}");
            // Large frames that a network card would cut are cut before they come here.
            Place::HERE.shell(&format!(
                "ip link add {near} type veth peer name eth0 netns {pid}; ip link set {near} up"
            ));
            Place(Some(pid)).shell(&format!(
                "{LOOPBACK}; ip link set eth0 gso_max_segs 1; ip addr add 10.77.0.{host}/24 dev eth0; ip link set eth0 up; \
                 ip route replace 239.255.0.0/16 dev eth0"
            ));
            holder
        });
        let cable = Place::HERE.start(lossy_wire, &format!("{name}1 {name}2 {faults}"));
        Self { holders, cable }
    }

    /// One of the hosts, 0 or 1.
    pub fn host(&self, index: usize) -> Place {
        Place(Some(self.holders[index].id()))
    }

    /// Changes the cable: `cut`, `heal`, or new faults.
    pub fn set(&mut self, change: &str) -> Answer {
        self.cable.ask(change)
    }
}
