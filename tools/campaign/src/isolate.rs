//! A network namespace for a campaign, so that nothing leaves this machine and nothing else is met;
//! with a second one, a cable between them, it is two hosts.

use std::fs;
use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Set in the environment of the program that runs inside.
const INSIDE: &str = "DUNLIN_CAMPAIGN_ISOLATED";

/// Brings loopback up, with multicast; where the file systems are its own too, shared memory begins
/// empty. Then becomes what follows.
const SETUP: &str = "ip link set lo up && ip link set lo multicast on && \
                     ip route add 239.255.0.0/16 dev lo && ";
const MEMORY: &str = "mount -t tmpfs -o mode=1777 dunlin /dev/shm && ";
const BECOME: &str = "exec \"$@\"";

/// Kinds of namespaces, the best first: as root a user namespace is not needed, and some containers
/// allow no mounts.
const FLAGS: [&str; 4] = ["-nm", "-Urnm", "-n", "-Urn"];

/// Longest time in which a namespace comes to be.
const PATIENCE: Duration = Duration::from_secs(20);

/// The addresses of publisher and subscriber on virtual hosts.
pub const HOSTS: [Ipv4Addr; 2] = [Ipv4Addr::new(172, 16, 0, 1), Ipv4Addr::new(172, 16, 0, 2)];

/// Inside of the namespace: the lines that [`enter`] was given.
pub fn inside() -> Option<Vec<String>> {
    let lines = std::env::var(INSIDE).ok()?;
    Some(lines.lines().map(String::from).collect())
}

/// Starts this program anew, with the same arguments, in a namespace of its own and in place of
/// this process; `lines` are passed on. Returns only where there can be no namespace.
pub fn enter(lines: &[String]) {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    for flags in FLAGS {
        if possible(flags) {
            let _not_replaced = within(flags)
                .arg(&program)
                .args(std::env::args_os().skip(1))
                .env(INSIDE, lines.join("\n"))
                .exec();
        }
    }
}

fn within(flags: &str) -> Command {
    let memory = if flags.contains('m') { MEMORY } else { "" };
    let script = format!("{SETUP}{memory}{BECOME}");
    let mut command = Command::new("unshare");
    command.args([flags, "--", "sh", "-c", &script, "sh"]);
    command
}

/// Whether a namespace can be made and set up.
fn possible(flags: &str) -> bool {
    succeeds(within(flags).arg("true"))
}

pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Another host, at the other end of a cable. It goes with this.
pub struct OtherHost(Child);

/// Why there are no virtual hosts.
pub(crate) fn no_hosts(what: &str) -> String {
    format!(
        "{what}; virtual hosts need root or user namespaces, and the commands unshare, nsenter and ip"
    )
}

impl OtherHost {
    /// Made from inside of a namespace; `before` are words that end what follows together with this
    /// process.
    pub fn create(before: &[String]) -> Result<Self, String> {
        let host = Self::without_cable(before)?;
        host.plug_in().map_err(|what| no_hosts(&what))?;
        Ok(host)
    }

    /// Another host that nothing leads to yet.
    pub(crate) fn without_cable(before: &[String]) -> Result<Self, String> {
        let mut words = before
            .iter()
            .map(String::as_str)
            .chain(["unshare", "-n", "cat"]);
        let holder = Command::new(words.next().unwrap_or("unshare"))
            .args(words)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut host = Self(holder.map_err(|error| no_hosts(&error.to_string()))?);
        host.wait().map_err(|what| no_hosts(&what))?;
        Ok(host)
    }

    /// The process that holds it.
    pub(crate) fn process(&self) -> u32 {
        self.0.id()
    }

    /// The words before a command that make it run there.
    pub fn words(&self) -> Vec<String> {
        let process = self.0.id().to_string();
        let words = ["nsenter", "-t", &process, "-n", "--"];
        words.map(String::from).to_vec()
    }

    /// Until the namespace is there.
    fn wait(&mut self) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        let of = |process: &str| fs::read_link(Path::new("/proc").join(process).join("ns/net"));
        let own = of("self").map_err(|error| format!("/proc: {error}"))?;
        let process = self.0.id().to_string();
        loop {
            if let Ok(Some(status)) = self.0.try_wait() {
                return Err(format!("no namespace could be made ({status})"));
            }
            match of(&process) {
                Ok(other) if other != own => return Ok(()),
                _ if Instant::now() > until => return Err("no namespace came to be".into()),
                _ => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn plug_in(&self) -> Result<(), String> {
        let [here, there] = HOSTS;
        let process = self.0.id();
        let enter = self.words().join(" ");
        let script = format!(
            "ip link add dunlin0 type veth peer name dunlin1 netns {process} &&
             ip addr add {here}/24 dev dunlin0 && ip link set dunlin0 up &&
             {enter} ip addr add {there}/24 dev dunlin1 && {enter} ip link set dunlin1 up &&
             {enter} ip link set lo up"
        );
        let done = succeeds(Command::new("sh").args(["-c", &script]));
        done.then_some(())
            .ok_or("no cable could be laid (ip link add type veth)".into())
    }
}

impl Drop for OtherHost {
    fn drop(&mut self) {
        // Nothing happens to one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
