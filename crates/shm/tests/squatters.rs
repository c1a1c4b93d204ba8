//! Another user takes thousands of names that say our user. Needs root to become another user.
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod namespace;

use std::io::{BufRead, BufReader, Lines, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use dunlin_shm::{Event, Limits, Rendezvous, neighbours};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};

const GROUP: u32 = 0x5f5f;
const COUNT: &str = "DUNLIN_SHM_SQUATTERS";
const READY: &str = "all names are taken";
/// Names of one process, which may open no more files without further rights.
const MOST_OF_ONE: usize = 15_000;
/// All others lie between the two.
const A: [u8; 16] = [0; 16];
const B: [u8; 16] = [0xff; 16];

/// In a child that is somebody else, takes names until its input ends.
#[test]
fn squatter() {
    let Ok(range) = std::env::var(COUNT) else {
        return;
    };
    let take = |number: u128| {
        let name = format!("dunlin-shm-1.0.{GROUP:08x}.{number:032x}");
        let socket = socket(AddressFamily::UNIX, SocketType::SEQPACKET, None).expect("a socket");
        let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).expect("a name");
        bind(&socket, &address).expect("a free name");
        listen(&socket, 1).expect("a listener");
        socket
    };
    let (first, end) = range.split_once("..").expect("a range");
    let number = |text: &str| text.parse::<u128>().expect("a number");
    let _taken: Vec<_> = (number(first)..number(end)).map(take).collect();
    println!("{READY}");
    let _ = std::io::stdin().read(&mut [0]);
}

/// Somebody else, who has some names.
struct Squatter {
    child: Child,
    /// Kept, since the child goes on to write.
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Squatter {
    fn start(program: &Path, first: usize, end: usize) -> Self {
        let script = format!(
            "ulimit -n {} && exec setpriv --reuid 65534 --regid 65534 --clear-groups \
             \"$0\" --exact squatter --nocapture --test-threads=1",
            end - first + 100
        );
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .arg(program)
            .env(COUNT, format!("{first}..{end}"))
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut said = lines.by_ref().map_while(Result::ok);
        assert!(said.any(|line| line.contains(READY)), "no names are taken");
        Self {
            child,
            _lines: lines,
        }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("a child").success());
    }
}

/// Two of our user's participants meet although somebody else has so many names.
fn meet_beside(count: usize) {
    // Somewhere that everybody may read.
    let program = std::env::temp_dir().join(format!("dunlin-squatter-{}", std::process::id()));
    std::fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    let firsts = (1..=count).step_by(MOST_OF_ONE);
    let squatters: Vec<_> = firsts
        .map(|first| Squatter::start(&program, first, (first + MOST_OF_ONE).min(count + 1)))
        .collect();

    let start = Instant::now();
    let mut a = Rendezvous::new(GROUP, A, Limits::default()).expect("a socket");
    let mut b = Rendezvous::new(GROUP, B, Limits::default()).expect("a socket");
    assert_eq!(neighbours(GROUP).expect("the kernel's list"), [A, B]);
    let now = Instant::now();
    a.dial(B, now).expect("a listener");
    let met = |events: Vec<Event>| matches!(events.as_slice(), [Event::Joined(_)]);
    assert!(met(b.poll(now)) && met(a.poll(now)));
    println!("met beside {count} names in {:?}", start.elapsed());

    squatters.into_iter().for_each(Squatter::end);
    let _ = std::fs::remove_file(&program);
}

fn run(test: &str, count: usize) {
    if std::env::var(COUNT).is_ok() {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED {test}: only root can become another user");
        return;
    }
    namespace::in_namespace(test, namespace::DARK, || meet_beside(count));
}

#[test]
fn names_that_others_take_do_not_hide_ours() {
    run("names_that_others_take_do_not_hide_ours", 10_000);
}

#[test]
#[ignore = "takes some hundred megabytes of the kernel's memory"]
fn a_hundred_thousand_names_that_others_take_do_not_hide_ours() {
    run(
        "a_hundred_thousand_names_that_others_take_do_not_hide_ours",
        100_000,
    );
}
