//! What to change, why, and by how much it matters: measured here, or the range that others see.

use super::build::Build;
use super::files::Files;
use super::probe::Probe;

/// Something that costs latency on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is the case.
    pub what: String,
    /// What it costs, and whether that was measured here.
    pub effect: String,
    /// Why.
    pub why: &'static str,
    /// The command that changes it.
    pub command: String,
    /// For the order: microseconds that it may cost a sample.
    pub(super) weight: f64,
}

impl Finding {
    /// In one line.
    pub fn line(&self) -> String {
        format!("{} ({}): {}", self.what, self.effect, self.command)
    }
}

/// Wake-ups that take longer are worth a word.
const SLOW_WAKE: u64 = 5_000;

/// Receive buffers that hold several large samples.
const BUFFER: u64 = 4 << 20;

/// A look at a clock that is read without the kernel's help takes less.
const SLOW_CLOCK: u64 = 150;

/// Longer gaps come from others.
const HELD_UP: u64 = 100_000;

/// Everything that was found, what costs most first.
pub(super) fn findings(build: Build, files: &Files, probe: &Probe) -> Vec<Finding> {
    let all = [
        build.finding(),
        one_processor(files),
        quota(files),
        busy(files, probe),
        wake(probe),
        governor(files),
        idle(files),
        siblings(files),
        clock(files, probe),
        held_up(files, probe),
        receive_buffer(files),
        send_buffer(files),
        adapters(files),
    ];
    let mut findings: Vec<_> = all.into_iter().flatten().collect();
    findings.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    findings
}

fn micros(nanos: u64) -> String {
    format!("{:.1} us", nanos as f64 / 1_000.0)
}

fn one_processor(files: &Files) -> Option<Finding> {
    (files.affinity.len() == 1).then(|| Finding {
        what: "this process may use one processor only".into(),
        effect: "5 to 50 us for each sample between two processes on it".into(),
        why: "Both sides take turns on it, so each sample waits for a switch, and spinning is of no use.",
        command: "taskset -c 0,1 COMMAND, or give the virtual machine or container two processors".into(),
        weight: 50.0,
    })
}

fn quota(files: &Files) -> Option<Finding> {
    let quota = files.quota()?;
    Some(Finding {
        what: format!("the control group allows {quota:.2} processors"),
        effect: "pauses of up to 100 ms".into(),
        why: "A process that spins uses its share up, and is then stopped until the next period begins.",
        command: "run without a limit of processor time (docker run without --cpus; echo max > /sys/fs/cgroup/cpu.max)".into(),
        weight: 10_000.0,
    })
}

fn busy(files: &Files, probe: &Probe) -> Option<Finding> {
    let processors = files.affinity.len().max(1);
    let others = probe.others?;
    (others > 0.25 * processors as f64).then(|| Finding {
        what: format!("others keep {others:.1} of {processors} processors busy"),
        effect: "1 to 10 ms for each sample whose side has to wait for its processor".into(),
        why: "A side that wants to go on waits until another process gives a processor back.",
        command: "stop what else is running (top), or keep it away: isolcpus=... and -pin".into(),
        weight: 5_000.0,
    })
}

fn wake(probe: &Probe) -> Option<Finding> {
    let woken = probe.woken.filter(|woken| *woken > SLOW_WAKE)?;
    let spun = match probe.spun {
        Some(spun) => format!(", one that spins answers after {}", micros(spun)),
        None => String::new(),
    };
    Some(Finding {
        what: format!(
            "a thread that sleeps is woken after {}{spun}",
            micros(woken)
        ),
        effect: "measured here".into(),
        why: "Waking an idle processor costs an interrupt, and on a virtual machine a visit to its host as well.",
        command: "DUNLIN_WAITING=spin (a processor is then busy for each waiting participant)"
            .into(),
        weight: woken as f64 / 1_000.0,
    })
}

fn governor(files: &Files) -> Option<Finding> {
    let governor = files
        .governor()
        .filter(|governor| governor != "performance")?;
    Some(Finding {
        what: format!("the processors' speed follows the governor {governor}"),
        effect: "1.2 to 3 times the latency until they are fast, some milliseconds".into(),
        why: "A processor that was idle is slow at first, and a side that waits is idle most of the time.",
        command: "cpupower frequency-set -g performance".into(),
        weight: 10.0,
    })
}

fn idle(files: &Files) -> Option<Finding> {
    let deep = files.idle().into_iter();
    let deep = deep.filter(|state| !state.disabled && state.latency > 5);
    let deepest = deep.max_by_key(|state| state.latency)?;
    Some(Finding {
        what: format!("idle processors fall into {}", deepest.name),
        effect: format!(
            "up to {} us for each wake-up, as the kernel says",
            deepest.latency
        ),
        why: "The deeper a processor sleeps the longer it takes to come back.",
        command: "cpupower idle-set -D 5 (or boot with processor.max_cstate=1)".into(),
        weight: deepest.latency as f64,
    })
}

fn siblings(files: &Files) -> Option<Finding> {
    files.shares_core().then(|| Finding {
        what: format!(
            "processors {} and {} are two threads of one core",
            files.affinity[0], files.affinity[1]
        ),
        effect: "1.1 to 2 times the latency; less by shared memory, where it may even help".into(),
        why: "Two sides that both work or spin share the core's units and its first cache.",
        command: "-pin on threads of different cores (lscpu -e shows which); or echo off > /sys/devices/system/cpu/smt/control".into(),
        weight: 2.0,
    })
}

fn clock(files: &Files, probe: &Probe) -> Option<Finding> {
    let look = probe.clock.filter(|look| *look > SLOW_CLOCK)?;
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = files.text(path).unwrap_or("unknown".into());
    Some(Finding {
        what: format!("a look at the clock takes {look} ns (clock source {source})"),
        effect: "measured here; two for each sample".into(),
        why: "The kernel does not trust the processor's counter, so each look is a system call.",
        command: "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"
            .into(),
        weight: look as f64 / 500.0,
    })
}

fn held_up(files: &Files, probe: &Probe) -> Option<Finding> {
    let (longest, often) = probe.held_up.filter(|(longest, _)| *longest > HELD_UP)?;
    let command = match files.hypervisor() {
        Some(_) => "give the virtual machine processors of its own on its host",
        None => "keep others away: isolcpus=... nohz_full=... at boot, and -pin",
    };
    Some(Finding {
        what: format!(
            "a thread that never sleeps was held up for {}",
            micros(longest)
        ),
        effect: format!("measured here; {often:.0} times a second for 20 us or more"),
        why: "Interrupts, other processes, or the host of a virtual machine took the processor: that makes the last percentiles.",
        command: command.into(),
        weight: 1.0,
    })
}

fn buffer(name: &str, size: Option<u64>, why: &'static str) -> Option<Finding> {
    let size = size.filter(|size| *size < BUFFER)?;
    Some(Finding {
        what: format!("{name} is {size} bytes"),
        effect: "bursts and samples of megabytes lose datagrams by UDP, and each repair takes 50 us to some ms".into(),
        why,
        command: format!("sysctl -w {name}=8388608"),
        weight: 3.0,
    })
}

fn receive_buffer(files: &Files) -> Option<Finding> {
    buffer(
        "net.core.rmem_max",
        files.receive_buffer(),
        "What comes while the receiver works through the last datagram has to wait in the socket.",
    )
}

fn send_buffer(files: &Files) -> Option<Finding> {
    buffer(
        "net.core.wmem_max",
        files.send_buffer(),
        "A sender that is faster than the network finds the socket full and has to wait.",
    )
}

fn adapters(files: &Files) -> Option<Finding> {
    let name = files.adapters().into_iter().next()?;
    let busy = files
        .number("/proc/sys/net/core/busy_read")
        .unwrap_or_default();
    (busy == 0).then(|| Finding {
        what: format!("samples from {name} and other adapters come by interrupts"),
        effect: "5 to 30 us for each datagram from another host".into(),
        why: "An adapter gathers datagrams for some microseconds before it interrupts, and the interrupt wakes a processor.",
        command: format!("ethtool -C {name} rx-usecs 0; sysctl -w net.core.busy_read=50 net.core.busy_poll=50"),
        weight: 15.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(list: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let place = tempfile::tempdir().unwrap();
        for (path, text) in list {
            let path = place.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = Files {
            root: place.path().into(),
            affinity: vec![0, 1],
        };
        (place, files)
    }

    #[test]
    fn a_machine_that_tells_nothing_needs_nothing() {
        let (_place, files) = machine(&[]);
        assert_eq!(findings(Build::Tuned, &files, &Probe::default()), []);
    }

    #[test]
    fn each_finding_says_how_to_change_it_and_the_worst_comes_first() {
        let cpu = "sys/devices/system/cpu/cpu0";
        let file = |rest: &str| format!("{cpu}/{rest}");
        let (_place, files) = machine(&[
            (&file("cpufreq/scaling_governor"), "powersave\n"),
            (&file("cpuidle/state0/name"), "POLL\n"),
            (&file("cpuidle/state0/latency"), "0\n"),
            (&file("cpuidle/state1/name"), "C6\n"),
            (&file("cpuidle/state1/latency"), "133\n"),
            (&file("topology/thread_siblings_list"), "0-1\n"),
            ("proc/sys/net/core/rmem_max", "212992\n"),
            ("proc/sys/net/core/wmem_max", "8388608\n"),
            ("sys/fs/cgroup/cpu.max", "150000 100000\n"),
        ]);
        let probe = Probe {
            others: Some(1.5),
            woken: Some(28_400),
            spun: Some(200),
            held_up: Some((5_000, 0.0)),
            clock: Some(900),
            ..Probe::default()
        };
        let findings = findings(Build::Tuned, &files, &probe);
        let lines: Vec<_> = findings.iter().map(Finding::line).collect();
        let all = lines.join("\n");
        assert_eq!(lines.len(), 8, "{all}");
        for text in [
            "1.50 processors",
            "others keep 1.5 of 2 processors busy",
            "woken after 28.4 us, one that spins answers after 0.2 us",
            "governor powersave",
            "up to 133 us",
            "threads of one core",
            "takes 900 ns",
            "sysctl -w net.core.rmem_max=8388608",
        ] {
            assert!(all.contains(text), "{text}: {all}");
        }
        assert!(
            lines[0].contains("control group") && lines[2].contains("C6"),
            "{all}"
        );
        assert!(findings.iter().all(|finding| !finding.command.is_empty()));
    }
}
