//! What one large sample by shared memory leaves in the memory of its writer and of its reader,
//! each a process of its own.
use dunlin_robustness_tests::{Holdings, Patience, Place, Process, in_namespace};
use std::time::Duration;

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// The large sample, in bytes.
const LARGE: i64 = 50_000_000;
/// Pools of small chunks, and what allocators keep, in KiB.
const BOUND: i64 = 16 * 1024;

/// A process, and what it had before.
struct Measured {
    process: Process,
    resident: [i64; 2],
    holdings: Holdings,
}

impl Measured {
    fn new(process: Process) -> Self {
        let (resident, holdings) = (process.resident_kib(), process.holdings());
        Self {
            process,
            resident,
            holdings,
        }
    }

    fn more(&self) -> [i64; 2] {
        let now = self.process.resident_kib();
        [now[0] - self.resident[0], now[1] - self.resident[1]]
    }

    /// Waits as long as its memory changes.
    fn comes_back(&self, who: &str) {
        let mut patience = Patience::begin();
        while self.more().iter().any(|kib| *kib > BOUND) {
            let [all, shared] = self.more();
            assert!(
                patience.lasts([all, shared]),
                "{who}: {all} KiB more than before, {shared} of them shared"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn start(transports: &str) -> [Measured; 2] {
    // The first sample is small, each other one is large.
    let common = format!("transports={transports} domain=1 size=32,{LARGE}");
    let mut reader = Place::HERE.start(PEER, &format!("read=T {common}"));
    let mut writer = Place::HERE.start(PEER, &format!("write=T {common}"));
    writer.wait("matched");
    reader.wait("matched");
    writer.ask("write 1 1000");
    writer.ask("join");
    writer.wait("acked");
    reader.wait("received 1");
    [writer, reader].map(Measured::new)
}

fn write(writer: &mut Process, count: u32) {
    writer.ask(&format!("write {count} 1000"));
    let wrote = writer.ask("join");
    assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
    writer.wait("acked");
}

fn one_large_sample_leaves_nothing(transports: &str) {
    let [mut writer, mut reader] = start(transports);
    for round in 1..=2 {
        write(&mut writer.process, 2 - round % 2);
        reader.process.wait(&format!("received {}", 2 * round));
        writer.comes_back("writer");
        reader.comes_back("reader");
    }
    // All of it came by shared memory.
    let report = reader.process.ask("report");
    for fault in [
        "missing",
        "doubled",
        "disordered",
        "damaged",
        "lost",
        "refused",
    ] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
}

#[test]
fn the_memory_of_a_large_sample_is_given_back_by_writer_and_reader() {
    in_namespace(
        "the_memory_of_a_large_sample_is_given_back_by_writer_and_reader",
        || {
            for transports in ["shmem", "udp,shmem,local"] {
                one_large_sample_leaves_nothing(transports);
            }
        },
    );
}

#[test]
fn a_reader_that_is_killed_with_a_large_sample_leaves_nothing() {
    in_namespace(
        "a_reader_that_is_killed_with_a_large_sample_leaves_nothing",
        || {
            let [mut writer, mut reader] = start("shmem");
            write(&mut writer.process, 1);
            reader.process.kill();
            writer.process.wait("unmatched");
            writer.comes_back("writer");
            writer.process.comes_back_to(writer.holdings);
        },
    );
}
