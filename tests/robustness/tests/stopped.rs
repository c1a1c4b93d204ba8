//! Processes that are stopped for longer than their lease (SIGSTOP) and go on: each sample that was
//! written since the match comes once, or is counted as lost.
use dunlin_robustness_tests::{Answer, Place, Process, in_namespace};
use std::thread::JoinHandle;
use std::time::Duration;

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
const LEASE: &str = "lease=2";
const PAUSE: Duration = Duration::from_secs(5);

/// Who is stopped.
#[derive(Clone, Copy, Debug)]
enum Stopped {
    Writer,
    Reader,
    Both,
}

/// One writer and one reader in a domain of their own.
#[derive(Clone, Copy, Debug)]
struct Case {
    domain: u16,
    transport: &'static str,
    stopped: Stopped,
    transient: bool,
}

fn signal(name: &str, process: &Process) {
    Place::HERE.shell(&format!("kill -{name} {}", process.id()));
}

impl Case {
    fn start(&self) -> (Process, Process) {
        let Self {
            domain,
            transport,
            transient,
            ..
        } = self;
        let common =
            format!("domain={domain} transports={transport} transient={transient} {LEASE}");
        let port = 20_000 + domain;
        let (listens, dials) = match *transport {
            "tcp" => (
                format!("port={port}"),
                format!("port=0 peers=127.0.0.1:{port}"),
            ),
            _ => (String::new(), String::new()),
        };
        let reader = Place::HERE.start(PEER, format!("read=T {common} {listens}").trim());
        let writer = Place::HERE.start(PEER, format!("write=T {common} {dials}").trim());
        (writer, reader)
    }

    /// What the reader has seen in the end.
    fn run(&self) -> Answer {
        let (mut writer, mut reader) = self.start();
        writer.wait("matched");
        reader.wait("matched");
        writer.ask("write 1000000 200");
        reader.wait("received 100");
        let stopped: &[&Process] = match self.stopped {
            Stopped::Writer => &[&writer],
            Stopped::Reader => &[&reader],
            Stopped::Both => &[&writer, &reader],
        };
        stopped.iter().for_each(|process| signal("STOP", process));
        std::thread::sleep(PAUSE);
        stopped.iter().for_each(|process| signal("CONT", process));
        // They find each other again while it goes on.
        std::thread::sleep(Duration::from_secs(4));
        writer.wait("matched");
        reader.wait("matched");
        std::thread::sleep(Duration::from_secs(1));
        let wrote = writer.ask("stop");
        assert_eq!(wrote.get("error"), "none", "{self:?}: {}", wrote.text);
        writer.wait("acked");
        let report = reader.ask("report");
        let highest = wrote.number("wrote") - 1;
        assert_eq!(
            report.number("highest"),
            highest,
            "{self:?}: {}",
            report.text
        );
        assert_eq!(report.number("first"), 0, "{self:?}: {}", report.text);
        report
    }

    fn judge(&self) -> Result<String, String> {
        let report = self.run();
        let [missing, lost] = ["missing", "lost"].map(|name| report.number(name));
        let faults = ["doubled", "disordered", "damaged"];
        let well = faults.iter().all(|fault| report.number(fault) == 0) && missing == lost;
        // The history has them still.
        let well = well && (!self.transient || lost == 0);
        let line = format!("{self:?}: {}", report.text);
        if well { Ok(line) } else { Err(line) }
    }
}

fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for transport in ["udp", "shmem", "tcp"] {
        for stopped in [Stopped::Writer, Stopped::Reader, Stopped::Both] {
            for transient in [false, true] {
                if transient && !matches!(stopped, Stopped::Both) {
                    continue;
                }
                let domain = cases.len() as u16;
                cases.push(Case {
                    domain,
                    transport,
                    stopped,
                    transient,
                });
            }
        }
    }
    cases
}

/// They sleep most of the time, so all of them are stopped at once.
#[test]
fn after_a_pause_longer_than_the_lease_each_sample_came_once_or_is_counted() {
    let name = "after_a_pause_longer_than_the_lease_each_sample_came_once_or_is_counted";
    in_namespace(name, || {
        let start = |case: Case| std::thread::spawn(move || case.judge());
        let running: Vec<JoinHandle<_>> = all().into_iter().map(start).collect();
        let mut wrong = Vec::new();
        for case in running {
            match case.join() {
                Ok(Ok(line)) => println!("FIGURE stopped for 5 s, lease 2 s: {line}"),
                Ok(Err(line)) => wrong.push(line),
                Err(_) => wrong.push("a case panicked".into()),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
