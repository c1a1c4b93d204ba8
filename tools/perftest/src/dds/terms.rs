//! What all participants of a test have in common, in whatever language they are made.

use dunlin::{Duration, ParticipantCounters, Transports};

use super::buffers;
use crate::clock::Nanos;
use crate::messaging::KeyRange;
use crate::options::{Carrier, Options};

/// A side that says nothing for this long is gone: much shorter than the standard's default, so
/// that a killed process ends the other one soon.
pub(crate) const LEASE: Duration = Duration::from_secs(4);
pub(crate) const ANNOUNCE: Duration = Duration::from_secs(1);

/// As in the original.
pub(crate) const HEARTBEAT: Duration = Duration::from_millis(10);

/// The end is confirmed by the protocol; only the last confirmation itself may still be under way.
pub(crate) const LINGER: Duration = Duration::from_millis(200);

/// Longest sleep in a wait set before stop flags are looked at.
pub(crate) const NAP: Nanos = 100 * crate::clock::MILLISECOND;

/// Notes of the protocol, which are read, are not longer than this.
pub(crate) const NOTES: usize = 64;

/// Octets of a key, the most significant last, between those of two others; samples that steer the
/// run, and those of the warm-up, are marked below -1.
pub(crate) const KEYS: &str = "latency_ping < -1 OR \
    (key[3] > %3 OR key[3] = %3 AND (key[2] > %2 OR key[2] = %2 AND \
    (key[1] > %1 OR key[1] = %1 AND key[0] >= %0))) AND \
    (key[3] < %7 OR key[3] = %7 AND (key[2] < %6 OR key[2] = %6 AND \
    (key[1] < %5 OR key[1] = %5 AND key[0] <= %4)))";

/// The parameters of [`KEYS`].
pub(crate) fn key_parameters(keys: KeyRange) -> Vec<String> {
    let [first, last] = [keys.first, keys.last].map(|key| u32::from(key).to_le_bytes());
    first.iter().chain(&last).map(u8::to_string).collect()
}

/// The transports of `-transport`.
pub(crate) fn transports(carrier: Carrier) -> Transports {
    match carrier {
        Carrier::Both => Transports::default(),
        Carrier::Udp => Transports::UDP,
        Carrier::Shmem => Transports::SHMEM,
        Carrier::Tcp | Carrier::Tls => Transports::TCP,
    }
}

/// Options that Dunlin cannot follow.
pub(crate) fn without_effect(options: &Options) -> Vec<&'static str> {
    let transport = &options.transport;
    let thread = options.read_thread;
    let notes = [
        (
            transport.message_size_max.is_some(),
            "-messageSizeMax is ignored: Dunlin chooses the size of its messages",
        ),
        (
            transport.send_buffer.is_some() || transport.receive_buffer.is_some(),
            "-sendBufferSize and -receiveBufferSize are ignored: Dunlin makes its buffers as large as it may",
        ),
        (
            thread.is_some_and(|thread| thread.delay_us > 0 || thread.events > 1),
            "-waitsetDelayUsec and -waitsetEventCount are ignored: the thread is woken at once",
        ),
        (
            options.asynchronous,
            "-asynchronous is ignored: samples are sent by the thread that writes them",
        ),
    ];
    notes
        .into_iter()
        .filter(|(given, _)| *given)
        .map(|(_, note)| note)
        .collect()
}

/// What the system could not keep or send, in words.
pub(crate) fn losses(dropped: u64, unsent: u64) -> Option<String> {
    let counters = ParticipantCounters {
        dropped,
        unsent,
        ..ParticipantCounters::default()
    };
    buffers::losses(&[], counters)
}

/// What was found, and why endpoints do not match.
pub(crate) fn describe(
    found: Vec<String>,
    explained: impl Iterator<Item = String>,
    type_name: &str,
) -> String {
    let mut lines = vec![if found.is_empty() {
        "No other participant was discovered: is the other side running, in the same domain, on a network that \
             -nic and -peer reach?"
                .to_string()
    } else {
        "Discovered so far:".to_string()
    }];
    lines.extend(found);
    for line in explained {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.iter().any(|line| line.contains("TestData")) && lines.len() > 1 {
        lines.push(format!(
                "This side has type {type_name}; -keyed, -dataLen (above 65470 bytes) and -unbounded choose it and must be the same on both sides."
        ));
    }
    lines.join("\n  ")
}
