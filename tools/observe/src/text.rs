//! A domain for people to read: three tables, columns as wide as what stands in them.
use crate::view::{DomainView, EndpointView, ParticipantView, TopicView};
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
        t.name.clone(),
        t.type_name.clone(),
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
        e.topic.clone(),
        e.type_name.clone(),
        said.join(", "),
    ]
}

fn table(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            line.push_str(&format!(" {cell:width$} "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
