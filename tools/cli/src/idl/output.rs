//! Where reports go, and the exit status that follows.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use dunlin_idlc::Parsed;
use dunlin_idlc::report::{self, Reports, Severity, Style};
use dunlin_idlc::source::Sources;

use super::options::Reading;

/// Reports of all files, those of a file that several include once.
pub(super) struct Output {
    is_json: bool,
    /// Reports are what the command is for, so programs find them in the standard output.
    is_main: bool,
    style: Style,
    seen: HashSet<String>,
    errors: usize,
    warnings: usize,
    has_failed: bool,
    /// Rules for make so far.
    pub(super) rules: String,
}

impl Output {
    pub(super) fn new(reading: &Reading, is_main: bool) -> Self {
        Self {
            is_json: reading.json,
            is_main,
            style: match io::stderr().is_terminal() {
                true => Style::Colored,
                false => Style::Plain,
            },
            seen: HashSet::new(),
            errors: 0,
            warnings: 0,
            has_failed: false,
            rules: String::new(),
        }
    }

    pub(super) fn reports(&mut self, parsed: &Parsed) {
        self.has_failed |= super::is_unreadable(parsed);
        self.reports_on(&parsed.sources, &parsed.reports);
    }

    /// Reports that come from elsewhere than the file itself.
    pub(super) fn reports_on(&mut self, sources: &Sources, reports: &Reports) {
        for one in reports.list() {
            let line = report::json(sources, one);
            if !self.seen.insert(line.clone()) {
                continue;
            }
            match one.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => {}
            }
            match (self.is_json, self.is_main) {
                (true, true) => print(&format!("{line}\n")),
                (true, false) => eprintln!("{line}"),
                (false, _) => {
                    eprint!("{}\n\n", report::render(sources, one, self.style));
                }
            }
        }
        let left_out = reports.left_out();
        if left_out > 0 && !self.is_json {
            eprintln!("{left_out} more are not shown\n");
        }
        // Reports of a file that was seen before are errors of this one, too.
        if reports.has_errors() {
            self.errors = self.errors.max(1);
        }
    }

    pub(super) fn print(&mut self, text: &str) {
        print(text);
    }

    /// Says what is wrong with the usage.
    pub(super) fn complain(&mut self, text: &str) {
        eprintln!("error: {text}");
        self.has_failed = true;
    }

    /// Says what is wrong with a type, where no place in a file is known.
    pub(super) fn refuse(&mut self, text: &str) {
        eprintln!("error: {text}");
        self.errors += 1;
    }

    pub(super) fn summary(&self) {
        let count = |count: usize, word: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{count} {word}s"),
        };
        if !self.is_json && self.errors + self.warnings > 0 {
            eprintln!(
                "{}, {}",
                count(self.errors, "error"),
                count(self.warnings, "warning")
            );
        }
    }

    pub(super) fn status(&self) -> ExitCode {
        match (self.has_failed, self.errors) {
            (true, _) => ExitCode::from(2),
            (false, 0) => ExitCode::SUCCESS,
            (false, _) => ExitCode::FAILURE,
        }
    }
}

/// Prints to the standard output; that nobody reads it is no error.
pub(super) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
