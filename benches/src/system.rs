//! The systems under test, and how each of their programs is called.
use std::path::PathBuf;
use std::process::Command;

use crate::host::Host;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Raw,
    Dunlin,
    Cyclone,
    FastDds,
}

impl System {
    /// As the tables show it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Raw => "raw UDP",
            System::Dunlin => "Dunlin",
            System::Cyclone => "Cyclone DDS",
            System::FastDds => "Fast DDS",
        }
    }

    /// The name of its program, or of its part in `bench-peer`.
    pub(crate) fn program(self) -> &'static str {
        match self {
            System::Raw => "raw",
            System::Dunlin => "dunlin",
            System::Cyclone => "cyclone",
            System::FastDds => "fastdds",
        }
    }

    /// Its peer in a role of `peers/peer.h`.
    pub(crate) fn peer(self, host: &Host, role: &str) -> Command {
        let mut command = match self {
            System::Raw | System::Dunlin => {
                let mut command = Command::new(bench_peer(host));
                command.arg(self.program());
                command
            }
            System::Cyclone | System::FastDds => Command::new(host.peers.join(self.program())),
        };
        command.arg(role);
        command
    }
}

/// The program with the peers in Rust.
pub(crate) fn bench_peer(host: &Host) -> PathBuf {
    host.programs.join("bench-peer")
}
