//! What things are called in a report, and how figures are printed.

use crate::record::{Cell, Mode};
use crate::summary::CellSummary;

/// Of a system, as its own project writes it.
pub(crate) fn system(cell: &Cell) -> String {
    let name = match cell.system.as_str() {
        "dunlin" => "Dunlin",
        "dunlin-c" => "Dunlin in C",
        "dunlin-cpp98" => "Dunlin in C++98",
        "dunlin-java" => "Dunlin in Java",
        "dunlin-cs" => "Dunlin in C#",
        "dunlin-routed" => "Dunlin, routed",
        "dunlin-cpp98-routed" => "Dunlin in C++98, routed",
        "dunlin-routed-twice" => "Dunlin, two routers",
        "raw" => "Raw floor",
        "raw-relay" => "Raw relay",
        "cyclone" => "Cyclone DDS",
        "fastdds" => "Fast DDS",
        "iceoryx2" => "iceoryx2",
        "zenoh" => "Zenoh",
        "dunlin-api" => "Dunlin by its API",
        "plain-udp" => "Plain UDP",
        "plain-shm" => "Plain shared memory",
        "sealed-tcp" => "TCP with seals",
        other => other,
    };
    match cell.zero_copy {
        true => format!("{name}, zero copy"),
        false => name.to_owned(),
    }
}

/// Of a transport.
pub(crate) fn transport(name: &str) -> &str {
    match name {
        "SHMEM" => "Shared memory",
        other => other,
    }
}

/// "reliable, keyed".
pub(crate) fn kind(cell: &Cell) -> String {
    let reliability = if cell.reliable {
        "reliable"
    } else {
        "best effort"
    };
    let key = if cell.keyed { "keyed" } else { "unkeyed" };
    let batched = match cell.mode {
        Mode::Throughput { batched: true } => ", batched",
        _ => "",
    };
    let blocking = if cell.blocking { ", blocking" } else { "" };
    format!("{key}, {reliability}{batched}{blocking}")
}

/// Everything that tells a cell from others, on one line.
pub(crate) fn cell(cell: &Cell) -> String {
    let mode = match cell.mode {
        Mode::Latency => "latency".into(),
        Mode::Throughput { .. } => "throughput".into(),
        Mode::Loaded { rate } => format!("latency at {rate} samples/s"),
        Mode::Footprint | Mode::Calls { .. } => cell.mode.to_string(),
    };
    let chapter = match cell.chapter.is_empty() {
        true => String::new(),
        false => format!("{}: ", cell.chapter),
    };
    format!(
        "{chapter}{}: {mode}, {}, {}, {} B",
        system(cell),
        transport(&cell.transport),
        kind(cell),
        cell.size
    )
}

/// Nanoseconds as microseconds: three digits that count, never fewer than those before the point.
pub(crate) fn micros(nanos: f64) -> String {
    digits(nanos / 1_000.0)
}

/// Three digits that count.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        v if v < 0.001 => "<0.001".into(),
        v if v < 0.9995 => format!("{value:.3}"),
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Fewest and most samples of the warm-up.
pub(crate) fn warm_up(summary: &CellSummary) -> String {
    match summary.warm_up {
        Some((least, most)) if least == most => least.to_string(),
        Some((least, most)) => format!("{least} to {most}"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let printed = [0.0, 0.0001, 0.5, 9.99, 9.996, 99.9, 100.4, 12_345.6].map(digits);
        let expected = [
            "0", "<0.001", "0.500", "9.99", "10.0", "99.9", "100", "12346",
        ];
        assert_eq!(printed, expected);
        assert_eq!(micros(2_834.0), "2.83");
    }
}
