//! A domain for people to read: three tables, columns as wide as what stands in them; and how any
//! text gets to a terminal.
//!
//! Names, properties and filters are what strangers chose. All that is printed for people goes
//! through [`line`] or [`table`], which leave nothing in it that acts on a terminal or begins
//! another line; JSON goes through [`json`].
use crate::view::{DomainView, EndpointView, ParticipantView, TopicView};
use dunlin::{Printable, is_printable};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Prints with headings in bold if `colour`.
pub(crate) fn print(out: &mut dyn Write, view: &DomainView, colour: bool) -> io::Result<()> {
    let (participants, topics) = (view.participants.len(), view.topics.len());
    let title = format!(
        "domain {}: {}, {}, {}",
        view.domain,
        count(participants, "participant"),
        count(topics, "topic"),
        count(view.endpoints.len(), "endpoint"),
    );
    writeln!(out, "{}", bold(&title, colour))?;
    let tables = [
        ("participants", rows(&view.participants, participant)),
        ("topics", rows(&view.topics, topic)),
        ("endpoints", rows(&view.endpoints, endpoint)),
    ];
    for (heading, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
        writeln!(out, "\n{}", bold(heading, colour))?;
        table(out, rows)?;
    }
    Ok(())
}

/// What to end with after printing; `None` to go on. Whoever has closed the other end of a pipe
/// wants no more of it, which is no error.
pub(crate) fn end_of_output(printed: io::Result<()>) -> Option<Result<(), String>> {
    match printed {
        Ok(()) => None,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Some(Ok(())),
        Err(error) => Some(Err(format!("stdout: {error}"))),
    }
}

/// `1 topic`, `2 topics`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn bold(text: &str, colour: bool) -> String {
    match colour {
        true => format!("\x1b[1m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

fn rows<T>(all: &[T], row: impl Fn(&T) -> Vec<String>) -> Vec<Vec<String>> {
    all.iter().map(row).collect()
}

pub(crate) fn participant(p: &ParticipantView) -> Vec<String> {
    let name = if p.name.is_empty() {
        "unnamed"
    } else {
        &p.name
    };
    let host = p.host.as_ref().map(|host| format!("host {host}"));
    let process = p.process.as_ref().map(|id| format!("process {id}"));
    let told: Vec<String> = host.into_iter().chain(process).collect();
    let lease = match p.lease {
        Some(seconds) => format!("lease {seconds} s"),
        None => "lease infinite".into(),
    };
    let silent = if p.answers { "" } else { ", does not answer" };
    vec![
        p.guid.clone(),
        format!("{name:?}"),
        p.vendor.clone(),
        told.join(" "),
        p.addresses.join(" "),
        lease + silent,
    ]
}

pub(crate) fn topic(t: &TopicView) -> Vec<String> {
    vec![
        word(&t.name),
        word(&t.type_name),
        count(t.writers, "writer"),
        count(t.readers, "reader"),
    ]
}

pub(crate) fn endpoint(e: &EndpointView) -> Vec<String> {
    let mut said = Vec::new();
    for (policy, value) in &e.qos {
        said.push(format!("{policy} {value}"));
    }
    vec![
        e.kind.to_owned(),
        e.guid.clone(),
        match &*e.name {
            "" => String::new(),
            name => format!("{name:?}"),
        },
        word(&e.topic),
        word(&e.type_name),
        said.join(", "),
    ]
}

/// A name in a row of words: quoted if it might be taken for several, or for none.
fn word(name: &str) -> String {
    match name.is_empty() || name.contains([' ', '"']) {
        true => format!("{name:?}"),
        false => name.to_owned(),
    }
}

/// One line for people.
pub(crate) fn line(text: &str) -> String {
    format!("{}\n", Printable(text))
}

/// What may have several lines of our own, such as an error with marks under a mistake.
pub(crate) fn lines(before: &str, text: &str) -> String {
    format!("{before}{text}").lines().map(line).collect()
}

/// JSON for a terminal, too: it allows all characters but some in strings, so the others become its
/// escapes.
pub(crate) fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || is_printable(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

fn table(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let printable = |row: &Vec<String>| -> Vec<String> {
        row.iter().map(|cell| Printable(cell).to_string()).collect()
    };
    let rows: Vec<_> = rows.iter().map(printable).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            line.push_str(&format!(" {cell:width$} "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_without_what_acts_on_a_terminal() {
        let name = "a\u{9b}2J\u{202e}\u{7f}\u{1f600}\u{e0001} ä\n\u{1b}";
        let printed = json(&serde_json::to_string_pretty(&[name]).unwrap());
        assert!(printed.chars().all(|c| c == '\n' || is_printable(c)));
        assert!(printed.contains("\u{1f600}") && printed.contains("ä"));
        assert_eq!(
            serde_json::from_str::<[String; 1]>(&printed).unwrap(),
            [name]
        );
    }

    #[test]
    fn a_name_of_several_words_is_quoted() {
        assert_eq!(word("rt/chatter"), "rt/chatter");
        assert_eq!(word("Square  Shape"), "\"Square  Shape\"");
        assert_eq!(word(""), "\"\"");
        assert_eq!(line("a\nb\u{1b}[2J"), "a\\nb\\u{1b}[2J\n");
    }
}
