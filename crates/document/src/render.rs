//! Problems as text.

use std::fmt::Write;

use dunlin_qos::Printable;

use crate::problem::{Problem, Severity};
use crate::{Sources, Span};

/// So many characters of a line are shown in front of a place, and from it on.
const BEFORE: usize = 60;
const AFTER: usize = 100;

pub(crate) fn problem(out: &mut String, sources: &Sources, problem: &Problem) {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    if let Some(span) = problem.span {
        let _ = write!(out, "{}: ", sources.location(span));
    }
    let _ = writeln!(out, "{severity}: {}", Printable(&problem.message));
    let help = problem.help.as_ref().map(|help| match problem.help_at {
        Some(at) => format!("{help} ({})", sources.file_and_line(at)),
        None => help.clone(),
    });
    match problem.span {
        Some(span) => excerpt(out, sources, span, help.as_deref()),
        None => {
            if let Some(help) = help {
                let _ = writeln!(out, "      {}", Printable(&help));
            }
        }
    }
    for (span, text) in &problem.notes {
        let _ = writeln!(
            out,
            "{}: note: {}",
            sources.location(*span),
            Printable(text)
        );
        excerpt(out, sources, *span, None);
    }
}

/// The line of a place, and carets below it.
fn excerpt(out: &mut String, sources: &Sources, span: Span, help: Option<&str>) {
    let (number, start) = sources.line_at(span);
    let text = sources.text(span.source);
    let line = text.get(start..).unwrap_or_default();
    let line = line.split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let from = (span.start as usize).saturating_sub(start);
    let length = span.range().len();
    let before = line.get(..from).unwrap_or(line);
    let rest = line.get(from..).unwrap_or_default();
    let marked = rest.get(..length).unwrap_or(rest);
    let before = last(before, BEFORE);
    let shown = first(rest, AFTER);
    let width = before.chars().count();
    let marks = first(marked, AFTER).chars().count().max(1);
    let _ = writeln!(out, "{number:>5} | {before}{shown}");
    let more = "~".repeat(marks - 1);
    let _ = write!(out, "      | {:width$}^{more}", "");
    match help {
        Some(help) => drop(writeln!(out, " {}", Printable(help))),
        None => out.push('\n'),
    }
}

/// The end of a text, with dots in front if it is longer.
fn last(text: &str, most: usize) -> String {
    let count = text.chars().count();
    let kept: String = text.chars().skip(count.saturating_sub(most)).collect();
    let dots = if count > most { "..." } else { "" };
    format!("{dots}{}", shown(&kept))
}

/// The beginning of a text, with dots behind if it is longer.
fn first(text: &str, most: usize) -> String {
    let kept: String = text.chars().take(most).collect();
    let dots = if kept.len() < text.len() { "..." } else { "" };
    format!("{}{dots}", shown(&kept))
}

/// A tab takes one column, so that carets stand where they should.
fn shown(text: &str) -> String {
    Printable(&text.replace('\t', " ")).to_string()
}
