//! The text of `-help`, from the table of options.

use std::fmt::Write;

use super::table::{Group, OPTIONS, Side};

const USAGE: &str = "\
perftest measures latency and throughput of Dunlin DDS, with the command lines and tables of RTI Perftest.

  perftest                                   both sides here, many runs and tables (perftest campaign quick)
  perftest campaign --help                   other campaigns, and how to write one
  perftest -pub -latencyTest -dataLen 1024   one side; start the other one with the same -dataLen:
  perftest -sub -dataLen 1024
  perftest -relay -domain 1 -outputDomain 2  between -pub -rawTransport -domain 1 and -sub -rawTransport -domain 2

Options may be written in any case, with one dash or two, as -name value or --name=value, and shortened as long as the
beginning is clear. An abbreviation that is not clear means what it means in the original, with a note on stderr.
Tables go to stdout, everything else to stderr. Latency is half of the round trip, cut to whole microseconds as in the
original (-nsResolution shows three decimals). The exit status is 0 when the test ran to its end, 1 when it was cut
short (the row then shows what was measured), 255 when an option is wrong. [ ] encloses defaults.
";

const GROUPS: &[(Group, &str)] = &[
    (Group::General, "General"),
    (Group::Output, "Output"),
    (Group::Publisher, "Publisher only"),
    (Group::Subscriber, "Subscriber only"),
    (Group::Transport, "Transport"),
    (Group::Raw, "Without DDS"),
    (Group::Extra, "Not in the original"),
    (Group::Accepted, "Accepted without effect, with a note"),
    (Group::Refused, "Refused"),
];

/// Columns of the left part, and of the whole text.
const MARGIN: usize = 36;
const WIDTH: usize = 118;

/// The whole help text.
pub(crate) fn help() -> String {
    let mut text = USAGE.to_string();
    for (group, title) in GROUPS {
        let _ = writeln!(text, "\n{title}");
        for spec in OPTIONS.iter().filter(|spec| spec.group == *group) {
            let side = match (group, spec.side) {
                (Group::Publisher | Group::Subscriber, _) | (_, Side::Both) => "",
                (_, Side::Pub) => " (publisher)",
                (_, Side::Sub) => " (subscriber)",
                (_, Side::Relay) => "",
            };
            let allowed = match spec.value {
                super::table::Value::Choice(words) => format!(": {}", words.join(", ")),
                _ => String::new(),
            };
            entry(
                &mut text,
                &spec.usage(),
                &format!("{}{allowed}{side}", spec.help),
            );
        }
    }
    text
}

/// One option, its explanation folded beside it.
fn entry(text: &mut String, usage: &str, explanation: &str) {
    let mut line = format!("  {usage:<width$}", width = MARGIN - 3);
    if line.chars().count() >= MARGIN {
        let _ = writeln!(text, "{line}");
        line = " ".repeat(MARGIN - 1);
    }
    for word in explanation.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = " ".repeat(MARGIN - 1);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_explained_within_the_width() {
        let text = help();
        for spec in OPTIONS {
            assert!(text.contains(&format!("  -{}", spec.name)), "{}", spec.name);
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }
}
