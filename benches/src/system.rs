//! The systems under test, and how each of their programs is called.
use std::path::PathBuf;
use std::process::Command;

use crate::host::Host;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Raw,
    /// One TCP connection with the seals of TLS.
    RawSealed,
    Dunlin,
    Cyclone,
    FastDds,
    /// Bare slots in shared memory.
    RawMemory,
    Iceoryx,
}

impl System {
    /// As the tables show it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Raw => "raw UDP",
            System::RawSealed => "raw TCP, AES",
            System::Dunlin => "Dunlin",
            System::Cyclone => "Cyclone DDS",
            System::FastDds => "Fast DDS",
            System::RawMemory => "raw SHM",
            System::Iceoryx => "iceoryx2",
        }
    }

    /// The name of its program, or of its part in `bench-peer`.
    pub(crate) fn program(self) -> &'static str {
        match self {
            System::Raw => "raw",
            System::RawSealed => "sealed",
            System::Dunlin => "dunlin",
            System::Cyclone => "cyclone",
            System::FastDds => "fastdds",
            System::RawMemory => "raw_shm",
            System::Iceoryx => "iceoryx2",
        }
    }

    /// Whether it is compared over UDP; the others are compared over shared memory, and Dunlin over
    /// both.
    pub(crate) fn uses_udp(self) -> bool {
        !matches!(
            self,
            System::RawSealed | System::RawMemory | System::Iceoryx
        )
    }

    /// Its peer in a role of `peers/peer.h`; Dunlin's over UDP, if the caller says nothing else.
    pub(crate) fn peer(self, host: &Host, role: &str) -> Command {
        let mut command = match self {
            System::Raw | System::RawSealed | System::Dunlin => {
                let mut command = Command::new(bench_peer(host));
                command.arg(self.program());
                command.env(TRANSPORTS, "udp");
                command
            }
            _ => Command::new(host.peers.join(self.program())),
        };
        command.arg(role);
        command
    }
}

/// The environment variable that says by what ways Dunlin's participants reach each other.
pub(crate) const TRANSPORTS: &str = "DUNLIN_TRANSPORTS";

/// The program with the peers in Rust.
pub(crate) fn bench_peer(host: &Host) -> PathBuf {
    host.programs.join("bench-peer")
}
