//! The machine of one side, as far as it matters for figures.

use std::fs;

use crate::record::Host;

/// This machine.
pub fn this() -> Host {
    let read = |path: &str| {
        fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_string()
    };
    let model = read("/proc/cpuinfo");
    let model = model
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown", |(_, name)| name.trim());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    Host {
        name: read("/proc/sys/kernel/hostname"),
        facts: vec![
            ("processor".into(), model.into()),
            ("processors".into(), count.to_string()),
            ("kernel".into(), read("/proc/sys/kernel/osrelease")),
        ],
        advice: vec![],
    }
}
