//! Participants of one machine that cannot share memory: other users, other network namespaces, no
//! memory to be had. They go on by UDP, by themselves, and say so.
use dunlin_robustness_tests::{Answer, Idle, Lan, Place, Process, in_namespace};
use std::path::{Path, PathBuf};
use std::process::Command;

const WIRE: &str = env!("CARGO_BIN_EXE_lossy_wire");
const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");

/// A directory that everybody may read, gone with the value.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let name = format!("dunlin-apart-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    /// Starts a peer whose log goes to a file.
    fn start(&self, mut command: Command, log: &str, role: &str) -> Process {
        let file = std::fs::File::create(self.log(log)).expect("a file");
        command.args(role.split_whitespace());
        command.env("RUST_LOG", "info").stderr(file);
        Process::start(role, command)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn lines_about_memory(&self, name: &str) -> usize {
        let text = std::fs::read_to_string(self.log(name)).unwrap_or_default();
        let about = |line: &&str| line.contains("memory");
        text.lines().filter(about).count()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A sample of some bytes, and one of several datagrams of UDP.
const ROLE: &str = "size=100,200000";

fn flows(writer: &mut Process, reader: &mut Process, most: i64) -> Answer {
    let idle = Idle::begin();
    let matched = reader.wait("matched").max(writer.wait("matched"));
    assert_eq!(idle.in_time("matched", matched, most), Ok(()));
    writer.ask("write 100 1000");
    assert_eq!(writer.ask("join").get("error"), "none");
    reader.wait("received 100");
    let report = reader.ask("report");
    for fault in ["damaged", "doubled", "missing"] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
    report
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs the program as somebody else.
fn stranger(program: &Path) -> Command {
    let mut command = Place::HERE.command("setpriv");
    command.args(["--reuid", "1000", "--regid", "1000", "--clear-groups", "--"]);
    command.arg(program);
    command
}

#[test]
fn another_user_is_reached_by_udp() {
    in_namespace("another_user_is_reached_by_udp", || {
        if !is_root() {
            return println!("FIGURE SKIPPED: only root can become another user");
        }
        let directory = Directory::new();
        let program = directory.log("peer");
        std::fs::copy(PEER, &program).expect("a copy");
        let role = |role: &str| format!("{role} {ROLE}");
        let ours = Place::HERE.command(PEER);
        let mut writer = directory.start(ours, "ours", &role("write=T"));
        let mut reader = directory.start(stranger(&program), "theirs", &role("read=T"));
        let report = flows(&mut writer, &mut reader, 1000);
        assert!(report.number("refused") > 0, "{}", report.text);
        let refused = writer.ask("report").number("refused");
        assert!(refused > 0);
        for log in ["ours", "theirs"] {
            let lines = directory.lines_about_memory(log);
            assert!((1..=3).contains(&lines), "{lines} lines of {log}");
        }
        println!("FIGURE another user: by UDP, {refused} refusals counted");
    });
}

#[test]
fn memory_alone_finds_no_other_user_and_says_why() {
    in_namespace("memory_alone_finds_no_other_user_and_says_why", || {
        if !is_root() {
            return println!("FIGURE SKIPPED: only root can become another user");
        }
        let directory = Directory::new();
        let program = directory.log("peer");
        std::fs::copy(PEER, &program).expect("a copy");
        let ours = Place::HERE.command(PEER);
        let mut reader = directory.start(ours, "ours", "read=T transports=shmem");
        let role = "write=T transports=shmem";
        let mut writer = directory.start(stranger(&program), "theirs", role);
        writer.ask("write 20 100");
        writer.ask("join");
        assert_eq!(reader.ask("report").number("received"), 0);
        for peer in [&mut reader, &mut writer] {
            let told = peer.ask("discovery").text;
            assert!(told.contains("another user"), "{told}");
        }
        assert!(directory.lines_about_memory("theirs") >= 1);
        println!(
            "FIGURE another user, memory alone: {}",
            reader.ask("discovery").text
        );
    });
}

#[test]
fn another_network_namespace_is_reached_by_udp() {
    in_namespace("another_network_namespace_is_reached_by_udp", || {
        let lan = Lan::new(WIRE, 'n', "seed=7");
        let directory = Directory::new();
        let role = |role: &str| format!("{role} {ROLE}");
        let mut writer = directory.start(lan.host(0).command(PEER), "one", &role("write=T"));
        let mut reader = directory.start(lan.host(1).command(PEER), "other", &role("read=T"));
        let report = flows(&mut writer, &mut reader, 1000);
        assert!(report.number("refused") > 0, "{}", report.text);
        let lines = directory.lines_about_memory("one");
        assert!((1..=3).contains(&lines), "{lines} lines");
        // Else there would be one to share memory with.
        drop(reader);
        let mut alone = lan.host(1).start(PEER, "read=T transports=shmem");
        let told = alone.ask("discovery").text;
        assert!(
            told.contains("network namespace") && !told.contains("writer"),
            "{told}"
        );
    });
}

/// A memory cgroup of this test's own, gone with it.
struct Group(PathBuf);

impl Group {
    /// Below the cgroup that this process is in; `None` where that cannot be done.
    fn new(name: &str, limit: usize) -> Option<Self> {
        let memberships = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let candidates = memberships.lines().filter_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let memory = controllers.split(',').any(|name| name == "memory");
            let (mount, file) = match controllers {
                "" => ("/sys/fs/cgroup", "memory.max"),
                _ if memory => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                _ => return None,
            };
            let name = format!("dunlin-{name}-{}", std::process::id());
            let path = path.trim_start_matches('/');
            let directory = Path::new(mount).join(path).join(name);
            Some((directory, file))
        });
        candidates
            .filter_map(|(directory, file)| {
                std::fs::create_dir(&directory).ok()?;
                let group = Self(directory);
                std::fs::write(group.0.join(file), limit.to_string()).ok()?;
                Some(group)
            })
            .next()
    }

    /// The shell enters the group first, so that all of the program's memory is charged to it.
    fn command(&self, program: &str) -> Command {
        // The program's file is in memory already, charged to this process: reading it ahead would
        // fill a group of a few MiB before the program has begun.
        std::fs::read(program).expect("the program is there");
        let mut command = Place::HERE.command("sh");
        let script = "echo $$ > \"$1\" && shift && exec \"$@\"";
        command.args(["-c", script, "sh"]);
        command.arg(self.0.join("cgroup.procs")).arg(program);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_full_memory_cgroup_means_udp() {
    in_namespace("a_full_memory_cgroup_means_udp", || {
        let Some(group) = Group::new("full", 4 << 20) else {
            return println!("FIGURE SKIPPED: no memory cgroup can be made here");
        };
        let directory = Directory::new();
        // Smaller samples than elsewhere: what the process itself keeps of them must have room.
        let role = "write=T size=100,70000 limit=8";
        let mut writer = directory.start(group.command(PEER), "poor", role);
        let rich = Place::HERE.command(PEER);
        let mut reader = directory.start(rich, "rich", "read=T");
        flows(&mut writer, &mut reader, 3000);
        let lines = directory.lines_about_memory("poor");
        assert!((1..=4).contains(&lines), "{lines} lines");
        let refused = writer.ask("report").number("refused");
        assert!(refused > 0, "there was memory");
        println!(
            "FIGURE memory cgroup of 4 MiB: by UDP, {refused} refusals counted, {lines} lines logged"
        );
        drop(writer);
    });
}

#[test]
fn memory_alone_in_a_full_memory_cgroup_says_why_nothing_arrives() {
    let name = "memory_alone_in_a_full_memory_cgroup_says_why_nothing_arrives";
    in_namespace(name, || {
        let Some(group) = Group::new("alone", 4 << 20) else {
            return println!("FIGURE SKIPPED: no memory cgroup can be made here");
        };
        let directory = Directory::new();
        let role = "write=T size=100,70000 limit=8 block=100 transports=shmem";
        let mut writer = directory.start(group.command(PEER), "poor", role);
        let mut reader =
            directory.start(Place::HERE.command(PEER), "rich", "read=T transports=shmem");
        writer.ask("write 100 1000");
        // A reader that is known and cannot be reached does not acknowledge, and the write says so
        // in time.
        let wrote = writer.ask("join");
        let held_up = "timed out after 100 ms: the history is full and reader";
        let said = wrote.get("error") == "none" || wrote.text.contains(held_up);
        assert!(said, "{}", wrote.text);
        assert_eq!(reader.ask("report").number("damaged"), 0);
        let told = writer.ask("discovery").text;
        assert!(told.contains("memory could not be shared"), "{told}");
        let refused = writer.ask("report").number("refused");
        assert!(refused > 0, "there was memory");
        let lines = directory.lines_about_memory("poor");
        assert!((1..=6).contains(&lines), "{lines} lines");
        println!(
            "FIGURE memory cgroup of 4 MiB, memory alone: {refused} refusals counted; {}; {told}",
            wrote.text
        );
        drop(writer);
    });
}

#[test]
fn large_samples_for_which_no_memory_can_be_had_go_by_udp() {
    let name = "large_samples_for_which_no_memory_can_be_had_go_by_udp";
    in_namespace(name, || {
        let Some(group) = Group::new("large", 48 << 20) else {
            return println!("FIGURE SKIPPED: no memory cgroup can be made here");
        };
        let directory = Directory::new();
        let role = "write=T size=32,10485760 keep=1";
        let mut writer = directory.start(group.command(PEER), "poor", role);
        let rich = Place::HERE.command(PEER);
        let mut reader = directory.start(rich, "rich", "read=T");
        reader.wait("matched");
        writer.wait("matched");
        writer.ask("write 2 2");
        assert_eq!(writer.ask("join").get("error"), "none");
        let after = reader.wait("received 2");
        assert_eq!(reader.ask("report").number("damaged"), 0);
        let refused = writer.ask("report").number("refused");
        assert!(refused > 0, "there was memory");
        println!("FIGURE 10 MiB without memory for it: by UDP, there after {after} ms");
        drop(writer);
    });
}
