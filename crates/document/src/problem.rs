//! What is wrong in a file, told to the person who wrote it.

use dunlin_qos::Printable;

use crate::render;
use crate::{Sources, Span};

/// How serious a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is made of the files.
    Error,
    /// Something has no effect, or another one than its author may think.
    Warning,
}

/// A mistake, or something that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How serious it is.
    pub severity: Severity,
    /// Where; `None` if it is about a file as a whole, or about none.
    pub span: Option<Span>,
    /// What is wrong, in one line.
    pub message: String,
    /// What helps: a few words that stand behind the carets.
    pub help: Option<String>,
    /// The place that `help` speaks of.
    pub help_at: Option<Span>,
    /// Further places, and what they have to do with it.
    pub notes: Vec<(Span, String)>,
}

impl Problem {
    /// An error.
    pub fn error(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span.into(), message.into())
    }

    /// A warning.
    pub fn warning(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span.into(), message.into())
    }

    fn new(severity: Severity, span: Option<Span>, message: String) -> Self {
        Self {
            severity,
            span,
            message,
            help: None,
            help_at: None,
            notes: Vec::new(),
        }
    }

    /// With a few words on what helps, if there are any; [`did_you_mean`](crate::did_you_mean)
    /// makes them of a misspelt name.
    pub fn help(mut self, help: impl Into<Option<String>>) -> Self {
        self.help = help.into();
        self
    }

    /// With the place that the help speaks of.
    pub fn help_at(mut self, span: Span) -> Self {
        self.help_at = Some(span);
        self
    }

    /// With a further place.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }
}

/// The problems of one load: so many as a person may want to read, and how many more there are.
#[derive(Clone, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    most: usize,
    errors: usize,
    warnings: usize,
}

impl Problems {
    /// None yet; `most` are kept.
    pub fn new(most: usize) -> Self {
        Self {
            list: Vec::new(),
            most,
            errors: 0,
            warnings: 0,
        }
    }

    /// Takes one in. If there are enough, an error takes the place of a warning, and everything
    /// else is counted only.
    pub fn push(&mut self, problem: Problem) {
        let is_error = problem.severity == Severity::Error;
        match is_error {
            true => self.errors += 1,
            false => self.warnings += 1,
        }
        if self.list.len() >= self.most {
            let mut kept = self.list.iter();
            let warning = kept.rposition(|kept| kept.severity == Severity::Warning);
            match warning {
                Some(at) if is_error => drop(self.list.remove(at)),
                _ => return,
            }
        }
        self.list.push(problem);
    }

    /// Whether something is wrong.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors came, those included that were not kept.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// How many warnings came, those included that were not kept.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// How many were not kept.
    pub fn left_out(&self) -> usize {
        self.errors + self.warnings - self.list.len()
    }

    /// Those that were kept, by position; those without one go first.
    pub fn sorted(&self) -> Vec<&Problem> {
        let mut sorted: Vec<_> = self.list.iter().collect();
        sorted.sort_by_key(|problem| (problem.span, problem.severity));
        sorted
    }

    /// All as text, by position:
    ///
    /// ```text
    /// bridge.xml:41:27: error: participant "domian0" is not one of this domain route's
    ///    41 |         <input participant="domian0">
    ///       |                             ^~~~~~~ did you mean "domain0"? (bridge.xml:18)
    /// ```
    ///
    /// What would act on a terminal is shown as an escape.
    pub fn render(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for problem in self.sorted() {
            render::problem(&mut text, sources, problem);
        }
        if self.left_out() > 0 {
            text.push_str(&format!("... and {} more\n", self.left_out()));
        }
        text
    }
}

/// Text from a file in quotes, as a message may have it: without what would act on a terminal, and
/// at most 80 characters of it.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let end = text.char_indices().nth(MOST);
    match end.and_then(|(at, _)| text.get(..at)) {
        Some(begin) => format!("\"{}...\"", Printable(begin)),
        None => format!("\"{}\"", Printable(text)),
    }
}
