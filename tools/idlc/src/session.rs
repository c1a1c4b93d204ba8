//! What all stages of one run share.

use std::time::Instant;

use crate::options::Options;
use crate::report::{Code, Report, Reports, codes};
use crate::source::{Loader, Sources, Span};
use crate::symbol::Symbols;

/// Files, names and reports of one run.
pub(crate) struct Session<'o> {
    pub(crate) options: &'o Options,
    pub(crate) loader: &'o dyn Loader,
    pub(crate) sources: Sources,
    pub(crate) symbols: Symbols,
    pub(crate) reports: Reports,
    end: Instant,
    steps: u32,
    /// A limit was reached: nothing more is looked at.
    pub(crate) is_over: bool,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl<'o> Session<'o> {
    pub(crate) fn new(options: &'o Options, loader: &'o dyn Loader) -> Self {
        Self {
            options,
            loader,
            sources: Sources::default(),
            symbols: Symbols::default(),
            reports: Reports::new(options.levels.clone()),
            end: Instant::now() + options.time_limit,
            steps: 0,
            is_over: false,
        }
    }

    pub(crate) fn report(&mut self, report: Report) {
        // What comes after a limit follows from it.
        if !self.is_over {
            self.reports.add(report);
        }
    }

    /// Reports that a limit is reached, and ends the run.
    pub(crate) fn exceed(&mut self, code: Code, span: Span, message: String) {
        if !self.is_over {
            self.report(Report::new(code, span, message));
            self.is_over = true;
        }
    }

    /// Counts a step; looks at the clock now and then. Whether the run goes on.
    pub(crate) fn step(&mut self, span: Span) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(1 << 12) && Instant::now() > self.end {
            let message = format!(
                "this file takes longer than {} s: it is given up here",
                self.options.time_limit.as_secs_f32()
            );
            self.exceed(codes::TOO_LONG, span, message);
        }
        !self.is_over
    }
}
