//! Another user, who knows our name, gets nothing. Needs root to become another user.
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use dunlin_shm::{Error, Event, Limits, Rendezvous, Violation, neighbours, strangers};
use rustix::net::{AddressFamily, RecvFlags, SocketAddrUnix, SocketType, connect, recv, socket};

const NAME: &str = "DUNLIN_SHM_NAME";
const NOBODY: u32 = 65_534;

/// In a child, connects to a name and waits for what comes: it ends well if nothing does.
#[test]
fn stranger() {
    let Ok(name) = std::env::var(NAME) else {
        return;
    };
    let socket = socket(AddressFamily::UNIX, SocketType::SEQPACKET, None).expect("a socket");
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).expect("a name");
    connect(&socket, &address).expect("a listener");
    let (got, _) = recv(&socket, &mut [0; 512], RecvFlags::empty()).unwrap_or_default();
    assert_eq!(got, 0);
    assert!(
        neighbours(0).expect("proc").is_empty(),
        "only our own user's are listed"
    );
    let mut parts = name.split('.').skip(2);
    let group = parts.next().map(|digits| u32::from_str_radix(digits, 16));
    let group = group.expect("a group").expect("digits");
    assert_eq!(strangers(group).expect("proc"), [[1; 16]]);
}

#[test]
fn another_user_gets_nothing() {
    if std::env::var(NAME).is_ok() {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root can become another user");
        return;
    }
    let group = std::process::id();
    let mut rendezvous = Rendezvous::new(group, [1; 16], Limits::default()).expect("a socket");
    // Somewhere that everybody may read.
    let program = std::env::temp_dir().join(format!("dunlin-stranger-{group}"));
    std::fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    let mut child = Command::new(&program)
        .args(["--exact", "stranger", "--test-threads=1"])
        .env(
            NAME,
            format!(
                "dunlin-shm-1.0.{group:08x}.{:032x}",
                u128::from_be_bytes([1; 16])
            ),
        )
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .spawn()
        .expect("a process");
    let end = Instant::now() + Duration::from_secs(300);
    let mut refused = false;
    while !refused && Instant::now() < end {
        for event in rendezvous.poll(Instant::now()) {
            match event {
                Event::Failed(None, Error::Violation(Violation::User)) => refused = true,
                other => panic!("{other:?}"),
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = child.wait();
    let _ = std::fs::remove_file(&program);
    assert!(refused && status.expect("a child").success());
}
