//! What is wrong, where, and what to do about it.

pub mod codes;
mod json;
mod pages;
mod render;

use std::collections::{HashMap, HashSet};

pub use codes::Code;
pub use json::json;
pub use pages::{Page, page, pages};
pub use render::{Style, render};

pub(crate) use dunlin_document::nearest;

use crate::limits;
use crate::source::Span;

/// How serious a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It is good to know.
    Note,
    /// It works here, and may not be what is meant, or not work elsewhere.
    Warning,
    /// Nothing is made of the file.
    Error,
}

impl Severity {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A change of the text that puts it right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced; may be empty.
    pub span: Span,
    /// What takes its place.
    pub text: String,
}

/// One mistake, or one thing worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What kind of mistake it is: `dunlin idl explain` has a page for it.
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What is said beside the place itself.
    pub label: String,
    /// Other places that have to do with it.
    pub labels: Vec<(Span, String)>,
    /// What helps to understand it.
    pub notes: Vec<String>,
    /// How to put it right, where that is certain.
    pub fix: Option<Fix>,
}

impl Report {
    /// A report of the severity that is usual for its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            span,
            label: String::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            fix: None,
        }
    }

    /// Says something beside the place itself.
    #[must_use]
    pub fn here(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Proposes a change.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Fix {
            span,
            text: text.into(),
        });
        self
    }

    /// Proposes to use another word instead.
    #[must_use]
    pub fn instead(self, text: impl Into<String>) -> Self {
        let span = self.span;
        self.fix(span, text)
    }
}

/// What becomes of warnings.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// All warnings are errors.
    pub warnings_are_errors: bool,
    /// What other compilers refuse is refused.
    pub strict: bool,
    /// Codes that are not reported.
    pub allowed: HashSet<String>,
    /// Codes that are errors.
    pub denied: HashSet<String>,
}

/// All reports of a run, in the order in which the mistakes were found.
#[derive(Debug, Default)]
pub struct Reports {
    levels: Levels,
    list: Vec<Report>,
    /// Places that were reported: a second mistake at the same place follows from the first.
    seen: HashSet<(Code, Span)>,
    counts: HashMap<Severity, usize>,
}

impl Reports {
    /// No reports yet.
    pub fn new(levels: Levels) -> Self {
        Self {
            levels,
            ..Self::default()
        }
    }

    /// Adds a report, unless the same one is there already or there are [`limits::REPORTS`].
    pub fn add(&mut self, mut report: Report) {
        let code = report.code;
        if report.severity != Severity::Error {
            let is_named = self.levels.denied.contains(code.text());
            if self.levels.allowed.contains(code.text()) && !is_named {
                return;
            }
            let is_denied = is_named
                || report.severity == Severity::Warning && self.levels.warnings_are_errors
                || self.levels.strict && code.is_strict();
            if is_denied {
                report.severity = Severity::Error;
            }
        }
        if !self.seen.insert((code, report.span)) {
            return;
        }
        *self.counts.entry(report.severity).or_default() += 1;
        if self.list.len() < limits::REPORTS {
            self.list.push(report);
        } else if report.severity == Severity::Error
            && self.count(Severity::Error) <= limits::REPORTS
        {
            // Notes make room for errors.
            if let Some(at) = self
                .list
                .iter()
                .rposition(|one| one.severity != Severity::Error)
            {
                self.list.remove(at);
                self.list.push(report);
            }
        }
    }

    /// How many there were of a severity, those included that were not kept.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or(0)
    }

    /// Whether something is wrong.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many were not kept.
    pub fn left_out(&self) -> usize {
        let all: usize = self.counts.values().sum();
        all - self.list.len()
    }

    /// Those that were kept.
    pub fn list(&self) -> &[Report] {
        &self.list
    }

    /// Puts them into the order of their places.
    pub fn sort(&mut self) {
        self.list
            .sort_by_key(|report| (report.span.start, report.span.end));
    }
}
