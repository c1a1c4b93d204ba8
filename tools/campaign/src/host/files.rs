//! What the kernel tells of the machine in files.

use std::path::PathBuf;

/// The files, below a root.
pub(super) struct Files {
    /// "/", but in tests.
    pub(super) root: PathBuf,
    /// The processors that this process may use.
    pub(super) affinity: Vec<usize>,
}

/// A state in which a processor waits for work.
pub(super) struct IdleState {
    pub(super) name: String,
    /// Microseconds until it works again.
    pub(super) latency: u64,
    pub(super) disabled: bool,
}

impl Files {
    /// Of the machine that this runs on.
    pub(super) fn of_this_machine() -> Self {
        let set = rustix::thread::sched_getaffinity(None);
        let affinity = set.map(|set| {
            let all = 0..rustix::thread::CpuSet::MAX_CPU;
            all.filter(|cpu| set.is_set(*cpu)).collect()
        });
        Self {
            root: "/".into(),
            affinity: affinity.unwrap_or_default(),
        }
    }

    /// A small file without the blanks around; `None` if it cannot be read or is empty.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(path.trim_start_matches('/'))).ok()?;
        Some(text.trim().to_string()).filter(|text| !text.is_empty())
    }

    /// A file with one number.
    pub(super) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Names in a directory, sorted.
    fn names(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(path.trim_start_matches('/')));
        let names = entries.into_iter().flatten().flatten();
        let mut names: Vec<_> = names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn cpuinfo(&self, name: &str) -> Option<String> {
        let text = self.text("/proc/cpuinfo")?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    }

    pub(super) fn processor(&self) -> Option<String> {
        // Some architectures have no name for theirs.
        self.cpuinfo("model name")
            .or_else(|| self.cpuinfo("Processor"))
            .or_else(|| self.text("/sys/devices/virtual/dmi/id/product_name"))
    }

    pub(super) fn processors(&self) -> Option<String> {
        self.text("/sys/devices/system/cpu/online").or_else(|| {
            let text = self.text("/proc/cpuinfo")?;
            let count = text
                .lines()
                .filter(|line| line.starts_with("processor"))
                .count();
            (count > 0).then(|| count.to_string())
        })
    }

    /// Whose virtual machine this is, if it is one.
    pub(super) fn hypervisor(&self) -> Option<String> {
        let named = self.text("/sys/hypervisor/type");
        let vendor = self.text("/sys/devices/virtual/dmi/id/sys_vendor");
        let flagged = self
            .cpuinfo("flags")
            .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
        named.or_else(|| flagged.then(|| vendor.unwrap_or("unknown".into())))
    }

    pub(super) fn container(&self) -> Option<String> {
        let there = |path: &str| self.root.join(path).exists();
        let kinds = [
            (".dockerenv", "Docker"),
            ("run/.containerenv", "Podman"),
            ("dev/lxd", "LXD"),
        ];
        let kind = kinds.into_iter().find(|(path, _)| there(path));
        kind.map(|(_, name)| name.to_string())
    }

    /// The processor that the publisher gets, or whichever there is.
    fn first(&self) -> usize {
        self.affinity.first().copied().unwrap_or_default()
    }

    fn cpu(&self, rest: &str) -> String {
        format!("/sys/devices/system/cpu/cpu{}/{rest}", self.first())
    }

    pub(super) fn governor(&self) -> Option<String> {
        self.text(&self.cpu("cpufreq/scaling_governor"))
    }

    /// In the order of their depth.
    pub(super) fn idle(&self) -> Vec<IdleState> {
        let directory = self.cpu("cpuidle");
        let states = self.names(&directory).into_iter().filter_map(|state| {
            let file = |name: &str| format!("{directory}/{state}/{name}");
            Some(IdleState {
                name: self.text(&file("name"))?,
                latency: self.number(&file("latency")).unwrap_or_default(),
                disabled: self.number(&file("disable")).unwrap_or_default() != 0,
            })
        });
        states.collect()
    }

    pub(super) fn idle_states(&self) -> Option<String> {
        let states = self.idle().into_iter();
        let states: Vec<_> = states
            .map(|state| {
                let off = if state.disabled { ", off" } else { "" };
                format!("{} ({} us{off})", state.name, state.latency)
            })
            .collect();
        match states.is_empty() {
            true => self
                .text("/sys/devices/system/cpu/cpuidle/current_driver")
                .map(|driver| format!("driver {driver}")),
            false => Some(states.join(", ")),
        }
    }

    /// The processors of this process, as ranges.
    pub(super) fn affinity(&self) -> Option<String> {
        let mut ranges: Vec<(usize, usize)> = vec![];
        for cpu in &self.affinity {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
                _ => ranges.push((*cpu, *cpu)),
            }
        }
        let ranges: Vec<_> = ranges
            .into_iter()
            .map(|(first, last)| match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            })
            .collect();
        (!ranges.is_empty()).then(|| ranges.join(","))
    }

    /// Whether the first two processors of this process are threads of one core.
    pub(super) fn shares_core(&self) -> bool {
        let [first, second, ..] = self.affinity.as_slice() else {
            return false;
        };
        let path = format!("/sys/devices/system/cpu/cpu{first}/topology/thread_siblings_list");
        self.text(&path)
            .is_some_and(|list| contains(&list, *second))
    }

    pub(super) fn receive_buffer(&self) -> Option<u64> {
        self.number("/proc/sys/net/core/rmem_max")
    }

    pub(super) fn send_buffer(&self) -> Option<u64> {
        self.number("/proc/sys/net/core/wmem_max")
    }

    pub(super) fn socket_buffers(&self) -> Option<String> {
        let (receive, send) = (self.receive_buffer()?, self.send_buffer()?);
        Some(format!("at most {receive} to receive, {send} to send"))
    }

    /// Processes that ran or wanted to in the last minute.
    pub(super) fn load(&self) -> Option<f64> {
        self.text("/proc/loadavg")?.split(' ').next()?.parse().ok()
    }

    /// Processors that the control group allows, where it limits them.
    pub(super) fn quota(&self) -> Option<f64> {
        let text = self.text("/sys/fs/cgroup/cpu.max")?;
        let (quota, period) = text.split_once(' ')?;
        let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
        (period > 0.0).then_some(quota / period)
    }

    /// Those that are up, and what is known of each.
    pub(super) fn interfaces(&self) -> Vec<(String, String)> {
        let up = |name: &String| {
            let state = self.text(&format!("/sys/class/net/{name}/operstate"));
            matches!(state.as_deref(), Some("up" | "unknown"))
        };
        let names = self.names("/sys/class/net").into_iter().filter(up);
        names
            .map(|name| {
                let description = self.interface(&name);
                (name, description)
            })
            .collect()
    }

    fn interface(&self, name: &str) -> String {
        let file = |what: &str| self.text(&format!("/sys/class/net/{name}/{what}"));
        let mut parts = vec![];
        parts.extend(file("mtu").map(|mtu| format!("MTU {mtu}")));
        let speed = file("speed").and_then(|speed| speed.parse::<u64>().ok());
        parts.extend(speed.map(|speed| format!("{speed} Mb/s")));
        if self.root.as_os_str() == "/" {
            parts.extend(offloads(name));
        }
        parts.join(", ")
    }

    /// Those with hardware of their own.
    pub(super) fn adapters(&self) -> Vec<String> {
        let names = self.names("/sys/class/net").into_iter();
        let real = |name: &String| {
            let device = format!("sys/class/net/{name}/device");
            self.root.join(device).exists()
        };
        names.filter(real).collect()
    }
}

/// Whether a list as `0,2-3` names it.
fn contains(list: &str, cpu: usize) -> bool {
    list.split(',').any(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let bounds = first.trim().parse().ok().zip(last.trim().parse().ok());
        bounds.is_some_and(|(first, last): (usize, usize)| (first..=last).contains(&cpu))
    })
}

/// What the interface does for the kernel, if there is somebody to ask.
fn offloads(name: &str) -> Option<String> {
    let output = std::process::Command::new("ethtool")
        .args(["-k", name])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let wanted = [
        "generic-receive-offload",
        "large-receive-offload",
        "generic-segmentation-offload",
        "tcp-segmentation-offload",
        "rx-checksumming",
        "tx-checksumming",
    ];
    let on: Vec<_> = text
        .lines()
        .filter_map(|line| line.trim().split_once(": "))
        .filter(|(feature, state)| wanted.contains(feature) && state.starts_with("on"))
        .map(|(feature, _)| feature)
        .collect();
    match (output.status.success(), on.is_empty()) {
        (false, _) => None,
        (true, true) => Some("no offloads".into()),
        (true, false) => Some(format!("offloads: {}", on.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_and_written() {
        assert!(contains("0,2-3", 3) && contains("1", 1));
        assert!(!contains("0,2-3", 1) && !contains("", 0));
        let mut files = Files::of_this_machine();
        files.affinity = vec![0, 1, 2, 5, 7, 8];
        assert_eq!(files.affinity().as_deref(), Some("0-2,5,7-8"));
    }
}
