//! The machine that figures come from: what a reader of the figures has to know of it, and what
//! would make it faster.
//!
//! Everything is read from files of the kernel below a root that tests replace; in containers and
//! virtual machines many are missing, and what is missing is not said. `doctor` judges it and adds
//! what only a measurement tells.

mod advice;
mod build;
mod doctor;
mod files;
mod probe;

pub use advice::Finding;
pub use doctor::command;
pub use probe::Probe;

use crate::record::Host;
use build::Build;
use files::Files;

/// The version of Dunlin, and how this program was built.
pub const VERSION: &str = Build::VERSION;

/// This machine, as a campaign records it: its facts, and one line for each finding. Takes some
/// tenths of a second.
pub fn this() -> Host {
    let files = Files::of_this_machine();
    let probe = Probe::run(&files.affinity);
    Host {
        name: files.text("/proc/sys/kernel/hostname").unwrap_or_default(),
        facts: facts(Build::THIS, &files),
        advice: advice::findings(Build::THIS, &files, &probe)
            .iter()
            .map(Finding::line)
            .collect(),
    }
}

/// Label and value of what is known, in order.
fn facts(build: Build, files: &Files) -> Vec<(String, String)> {
    let mut facts = vec![
        ("build", Some(build.name().into())),
        ("processor", files.processor()),
        ("processors", files.processors()),
        ("hypervisor", files.hypervisor()),
        ("container", files.container()),
        ("kernel", files.text("/proc/sys/kernel/osrelease")),
        ("governor", files.governor()),
        ("idle states", files.idle_states()),
        ("SMT", files.text("/sys/devices/system/cpu/smt/control")),
        (
            "isolated processors",
            files.text("/sys/devices/system/cpu/isolated"),
        ),
        ("affinity", files.affinity()),
        (
            "clock source",
            files.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ),
        ("socket buffers", files.socket_buffers()),
        ("load", files.load().map(|load| format!("{load:.2}"))),
    ];
    for (name, description) in files.interfaces() {
        facts.push(("interface", Some(format!("{name}: {description}"))));
    }
    facts
        .into_iter()
        .filter_map(|(label, value)| Some((label.to_string(), value?)))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_machine_that_tells_nothing_only_the_build_is_known() {
        let nothing = tempfile::tempdir().unwrap();
        let mut files = Files::of_this_machine();
        files.root = nothing.path().into();
        files.affinity = vec![];
        let build = ("build".to_string(), "debug".to_string());
        assert_eq!(facts(Build::Debug, &files), [build]);
    }

    #[test]
    fn this_machine_has_a_name_a_kernel_and_processors() {
        let host = this();
        let has = |label: &str| host.facts.iter().any(|(name, _)| name == label);
        assert!(!host.name.is_empty() && has("kernel") && has("processors"));
    }
}
