//! A process in a memory cgroup that is too small gets an error; it is not killed.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dunlin_shm::{Class, Error, Limits, Pool, Rendezvous, Segment};

const ROLE: &str = "DUNLIN_SHM_CROWDED";
const LIMIT: usize = 4 << 20;

/// A cgroup of this test's own, gone with it.
struct Group(PathBuf);

impl Group {
    /// Below the cgroup that this process is in; `None` where that cannot be done.
    fn new() -> Option<Self> {
        let memberships = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let of = |line: &str| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            let memory = controllers.split(',').any(|name| name == "memory");
            match controllers {
                "" => Some(("/sys/fs/cgroup".to_owned(), "memory.max", path.to_owned())),
                _ if memory => Some((
                    "/sys/fs/cgroup/memory".to_owned(),
                    "memory.limit_in_bytes",
                    path.to_owned(),
                )),
                _ => None,
            }
        };
        let candidates = memberships.lines().filter_map(of);
        candidates
            .filter_map(|(mount, limit, path)| Self::make(Path::new(&mount), limit, &path))
            .next()
    }

    fn make(mount: &Path, limit: &str, path: &str) -> Option<Self> {
        let name = format!("dunlin-shm-{}", std::process::id());
        let directory = mount.join(path.trim_start_matches('/')).join(name);
        std::fs::create_dir(&directory).ok()?;
        let group = Self(directory);
        std::fs::write(group.0.join(limit), LIMIT.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// In a child, plays its role.
#[test]
fn role() {
    if std::env::var(ROLE).is_err() {
        return;
    }
    let large = Segment::new(2 * LIMIT);
    assert!(matches!(large, Err(Error::Limit(_))), "{large:?}");
    let class = Class {
        capacity: 1 << 20,
        count: 8,
    };
    assert!(matches!(Pool::new(0, &[class]), Err(Error::Limit(_))));
    // Small ones fit until nearly nothing is left, and what there is goes on working.
    let mut segments = Vec::new();
    let refused = loop {
        match Segment::new(64 << 10) {
            Ok(segment) => segments.push(segment),
            Err(error) => break error,
        }
        assert!(segments.len() * (64 << 10) < LIMIT, "more than there is");
    };
    assert!(matches!(refused, Error::Limit(_)), "{refused}");
    let group = std::process::id() << 8;
    let mut rendezvous = Rendezvous::new(group, [1; 16], Limits::default()).expect("no memory");
    let _listener = Rendezvous::new(group, [2; 16], Limits::default()).expect("no memory");
    let dialled = rendezvous.dial([2; 16], std::time::Instant::now());
    assert!(matches!(dialled, Err(Error::Limit(_))), "{dialled:?}");
    drop(segments);
    println!("FIGURE refused {refused}");
}

#[test]
fn a_full_memory_cgroup_is_an_error_and_no_kill() {
    if std::env::var(ROLE).is_ok() {
        return;
    }
    let Some(group) = Group::new() else {
        println!("skipped: no memory cgroup can be made here");
        return;
    };
    // The shell enters the group first, so that all of the child's memory is charged to it.
    let output = Command::new("sh")
        .args(["-c", "echo $$ > \"$1\" && shift && exec \"$@\"", "sh"])
        .arg(group.0.join("cgroup.procs"))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "role", "--test-threads=1", "--nocapture"])
        .env(ROLE, "child")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}{errors}", output.status);
    assert!(text.contains("FIGURE refused"), "{text}{errors}");
}
