//! `perftest doctor`: what to change on this machine, for somebody at a terminal.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Parser;

use super::advice::{Finding, findings};
use super::build::Build;
use super::files::Files;
use super::probe::Probe;
use crate::command::{parse, print, status};

/// Says what to change on this machine for low latency, why, and by how much it matters. Takes half
/// a second, in which it measures; changes nothing.
#[derive(Parser)]
#[command(name = "perftest doctor", version = super::VERSION)]
struct Doctor {}

/// Runs it with these arguments.
pub fn command(arguments: &[String]) -> ExitCode {
    match parse::<Doctor>("perftest doctor", arguments) {
        Ok(Doctor {}) => status(print(&doctor()).map(|()| ExitCode::SUCCESS)),
        Err(code) => code,
    }
}

/// What was found, as text: findings first, what costs most at the top, then what was looked at.
fn doctor() -> String {
    let files = Files::of_this_machine();
    let probe = Probe::run(&files.affinity);
    text(
        &findings(Build::THIS, &files, &probe),
        &probe,
        &super::facts(Build::THIS, &files),
    )
}

fn text(findings: &[Finding], probe: &Probe, facts: &[(String, String)]) -> String {
    let mut text = match findings.len() {
        0 => "Nothing on this machine stands in the way of low latency, as far as it tells.\n"
            .to_string(),
        1 => "One thing costs latency on this machine.\n".to_string(),
        many => format!("{many} things cost latency on this machine, what costs most first.\n"),
    };
    for (index, finding) in findings.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n{}. {}\n   costs   {}\n   why     {}\n   change  {}\n",
            index + 1,
            capitalized(&finding.what),
            finding.effect,
            finding.why,
            finding.command
        );
    }
    text.push_str("\nMeasured\n");
    for (name, value) in measured(probe) {
        let _ = writeln!(text, "  {name:<34} {value}");
    }
    text.push_str("\nMachine\n");
    for (name, value) in facts {
        let _ = writeln!(text, "  {name:<20} {value}");
    }
    text
}

fn measured(probe: &Probe) -> Vec<(&'static str, String)> {
    let micros = |nanos: u64| format!("{:.1} us", nanos as f64 / 1_000.0);
    let held_up = probe.held_up.map(|(longest, often)| {
        let longest = micros(longest);
        format!("{longest} at most; 20 us or more {often:.0} times a second")
    });
    let all = [
        ("to a thread that sleeps", probe.woken.map(micros)),
        ("to a thread that spins", probe.spun.map(micros)),
        ("a sleep takes longer by", probe.overslept.map(micros)),
        (
            "a look at the clock",
            probe.clock.map(|nanos| format!("{nanos} ns")),
        ),
        (
            "a system call",
            probe.call.map(|nanos| format!("{nanos} ns")),
        ),
        ("a thread that never sleeps waited", held_up),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_faults_and_figures_is_told_so() {
        let text = text(&[], &Probe::default(), &[]);
        assert!(text.starts_with("Nothing on this machine"));
        assert_eq!(capitalized(""), "");
    }

    #[test]
    fn this_machine_is_examined() {
        let text = doctor();
        assert!(
            text.contains("a thread that sleeps") && text.contains("kernel"),
            "{text}"
        );
    }
}
