//! Peer programs: one running process each, its lines read as they come.

use crate::namespace::Namespace;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// No peer runs longer than its own time-out and this much for leaving.
const GRACE: Duration = Duration::from_secs(15);

/// Whose DDS a peer program is built on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Vendor {
    Cyclone,
    Dunlin,
    FastDds,
    /// Dunlin by its untyped API, with a type that is built at run time.
    Untyped,
}

impl Vendor {
    fn program(self) -> PathBuf {
        match self {
            Self::Cyclone => vendor_programs().join("cyclone_peer"),
            Self::Dunlin => env!("CARGO_BIN_EXE_dunlin_peer").into(),
            Self::FastDds => vendor_programs().join("fastdds_peer"),
            Self::Untyped => env!("CARGO_BIN_EXE_interop_untyped_peer").into(),
        }
    }
}

/// Builds the peers of other vendors, once in this process; tells what to install if it cannot.
fn vendor_programs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interop-peers");
        let built = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/build.sh"))
            .arg(&out)
            .status();
        let good = built.is_ok_and(|status| status.success());
        assert!(
            good,
            "the interop peers could not be built; run tests/interop/install.sh"
        );
        out
    })
}

/// Where a peer that speaks TCP listens, and where it looks for the other one.
#[derive(Clone, Copy)]
pub(crate) struct Tcp {
    pub(crate) port: u16,
    pub(crate) other: u16,
}

impl Tcp {
    /// Environment variables that make a peer program speak TCP, and nothing else.
    pub(crate) fn settings(self, vendor: Vendor) -> Vec<(&'static str, String)> {
        let Self { port, other } = self;
        match vendor {
            Vendor::Dunlin => vec![
                ("DUNLIN_TRANSPORTS", "tcp".into()),
                ("DUNLIN_TCP_PORT", port.to_string()),
                ("DUNLIN_PEERS", format!("0@tcpv4_lan://127.0.0.1:{other}")),
            ],
            Vendor::Cyclone => vec![(
                "CYCLONEDDS_URI",
                format!(
                    "<General><Transport>tcp</Transport><AllowMulticast>false</AllowMulticast></General>\
                     <TCP><Port>{port}</Port></TCP>\
                     <Discovery><Peers><Peer address=\"127.0.0.1:{other}\"/></Peers></Discovery>"
                ),
            )],
            Vendor::FastDds => panic!("its TCP is framed otherwise"),
            Vendor::Untyped => panic!("it is run over UDP only"),
        }
    }
}

/// A running peer. Dropping it kills it.
pub(crate) struct Peer {
    description: String,
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
    end: Instant,
}

impl Peer {
    pub(crate) fn start(
        namespace: &Namespace,
        vendor: Vendor,
        role: &str,
        arguments: &str,
        environment: &[(&'static str, String)],
    ) -> Self {
        let mut command = namespace.command(vendor.program().to_str().expect("a path in UTF-8"));
        command.envs(environment.iter().cloned());
        let mut child = command
            .arg(role)
            .args(["--topic", "Interop", "--timeout-s", "15", "--hold"])
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("nsenter starts");
        let output = child.stdout.take().expect("the output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            description: format!("{vendor:?} {role} {arguments}"),
            child,
            lines,
            seen: Vec::new(),
            end: Instant::now() + Duration::from_secs(15) + GRACE,
        }
    }

    /// Waits for a line that begins so; false if the peer has ended without it.
    pub(crate) fn wait_for(&mut self, prefix: &str) -> bool {
        self.wait_until(prefix, self.end)
    }

    /// Waits for a line that begins so for at most this many seconds.
    pub(crate) fn wait_for_within(&mut self, prefix: &str, seconds: u64) -> bool {
        self.wait_until(prefix, Instant::now() + Duration::from_secs(seconds))
    }

    fn wait_until(&mut self, prefix: &str, end: Instant) -> bool {
        if self.has(prefix) {
            return true;
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push(line);
                    if self
                        .seen
                        .last()
                        .is_some_and(|line| line.starts_with(prefix))
                    {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Closes its standard input, which a peer that is done takes as leave to go, and waits for its
    /// end.
    pub(crate) fn finish(mut self) -> Report {
        drop(self.child.stdin.take());
        let _ = self.wait_for("never printed");
        let mut errors = String::new();
        let status = self.wait_bounded();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut errors);
        }
        Report {
            description: std::mem::take(&mut self.description),
            lines: std::mem::take(&mut self.seen),
            errors,
            status,
        }
    }

    fn has(&self, prefix: &str) -> bool {
        self.seen.iter().any(|line| line.starts_with(prefix))
    }

    fn wait_bounded(&mut self) -> Option<ExitStatus> {
        while Instant::now() < self.end {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        None
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an ended peer has printed.
pub(crate) struct Report {
    description: String,
    lines: Vec<String>,
    errors: String,
    status: Option<ExitStatus>,
}

impl Report {
    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The line is there, word for word.
    pub(crate) fn has(&self, line: &str) -> bool {
        self.lines.iter().any(|printed| printed == line)
    }

    /// The sequence numbers of the samples, as they came.
    pub(crate) fn sequence(&self) -> Vec<i32> {
        let number = |line: &String| {
            let (seq, _) = line.strip_prefix("sample seq=")?.split_once(' ')?;
            seq.parse().ok()
        };
        self.lines.iter().filter_map(number).collect()
    }

    /// The end of what it printed, for a failed test.
    pub(crate) fn tail(&self) -> String {
        let from = self.lines.len().saturating_sub(12);
        let status = self
            .status
            .map_or("killed".into(), |status| status.to_string());
        let lines = self.lines[from..].join("\n  ");
        format!(
            "{} ({status})\n  {lines}\n{}",
            self.description, self.errors
        )
    }
}
