//! Where in two types something is, as paths that are spelled out only if they are asked for.

use alloc::string::String;
use alloc::vec::Vec;

/// A place in both types.
#[derive(Clone, Copy)]
pub(super) struct Place(u32);

impl Place {
    /// The types themselves.
    pub(super) const ROOT: Self = Self(u32::MAX);
}

/// From a type to a part of it.
#[derive(Clone, Copy)]
pub(super) enum Step<'t> {
    /// Members of structures or cases of unions: that of the reader, that of the writer.
    Member(&'t str, &'t str),
    /// `[]`, `{key}` or `._d`.
    Part(&'static str),
}

/// As many steps of a path are shown.
const SHOWN: usize = 32;

pub(super) struct Places<'t> {
    roots: [&'t str; 2],
    steps: Vec<(Place, Step<'t>)>,
}

impl<'t> Places<'t> {
    pub(super) fn new(reader: &'t str, writer: &'t str) -> Self {
        Self {
            roots: [reader, writer],
            steps: Vec::new(),
        }
    }

    /// The place that is a step behind another.
    pub(super) fn push(&mut self, at: Place, step: Step<'t>) -> Place {
        // The budget of work keeps them far below.
        let place = Place(self.steps.len() as u32);
        self.steps.push((at, step));
        place
    }

    /// The paths in the types of the reader and of the writer.
    pub(super) fn paths(&self, at: Place, last: Option<Step<'t>>) -> [String; 2] {
        let mut steps: Vec<Step<'t>> = last.into_iter().collect();
        let mut next = at;
        while let Some((before, step)) = self.steps.get(next.0 as usize) {
            steps.push(*step);
            next = *before;
        }
        steps.reverse();
        let hidden = SHOWN / 2..steps.len().saturating_sub(SHOWN / 2);
        let mut paths = self.roots.map(String::from);
        for (n, step) in steps.iter().enumerate() {
            if n == hidden.start && !hidden.is_empty() {
                paths.iter_mut().for_each(|path| path.push_str(".."));
            }
            if !hidden.contains(&n) {
                step.append(&mut paths);
            }
        }
        paths
    }
}

impl Step<'_> {
    fn append(self, paths: &mut [String; 2]) {
        let parts = match self {
            Self::Member(reader, writer) => [reader, writer],
            Self::Part(part) => [part; 2],
        };
        for (path, part) in paths.iter_mut().zip(parts) {
            if matches!(self, Self::Member(..)) {
                path.push('.');
            }
            path.push_str(part);
        }
    }
}
