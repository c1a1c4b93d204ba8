//! A processor at work: what it sees of the outputs, and what its panics cost.
use super::output::{OutputLane, Passing};
use crate::processor::{Change, Outputs, Processor};
use dunlin::SetPlace;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A processor at work.
pub(super) struct Process {
    processor: Box<dyn Processor>,
    /// How many outputs the plan has.
    outputs: usize,
    /// How often in a row it has panicked.
    strikes: u32,
}

/// After so many panics in a row the route pauses.
pub(super) const MOST_STRIKES: u32 = 100;

/// The outputs as a processor sees them.
pub(super) struct Sink<'a> {
    outputs: &'a mut [OutputLane],
    count: usize,
}

impl Sink<'_> {
    fn write(&mut self, change: &Change, is_wanted: impl Fn(usize) -> bool) {
        let passing = Passing {
            kind: change.kind,
            payload: &change.payload,
            options: &change.options,
            origin: None,
            is_reliable: change.is_reliable,
            // What a processor lets through is not all of a set.
            set: SetPlace::Outside,
        };
        for output in self.outputs.iter_mut() {
            let takes = output.sources.include(change.group, &change.writer);
            if takes && is_wanted(output.slot.index) {
                output.put(&passing);
            }
        }
    }
}

impl Outputs for Sink<'_> {
    fn put(&mut self, change: &Change) {
        self.write(change, |_| true);
    }

    fn put_to(&mut self, output: usize, change: &Change) {
        self.write(change, |index| index == output);
    }

    fn count(&self) -> usize {
        self.count
    }
}

impl Process {
    /// Of a route with so many outputs in its plan.
    pub(super) fn new(processor: Box<dyn Processor>, outputs: usize) -> Self {
        Self {
            processor,
            outputs,
            strikes: 0,
        }
    }

    /// It has panicked too often in a row to go on.
    pub(super) fn is_out(&self) -> bool {
        self.strikes >= MOST_STRIKES
    }

    /// Has the processor do something; a panic costs what it was doing. True if it panicked.
    pub(super) fn call(
        &mut self,
        outputs: &mut [OutputLane],
        work: impl FnOnce(&mut dyn Processor, &mut Sink<'_>),
    ) -> bool {
        let count = self.outputs;
        let mut sink = Sink { outputs, count };
        let processor = &mut *self.processor;
        let done = catch_unwind(AssertUnwindSafe(|| work(processor, &mut sink)));
        self.strikes = match done {
            Ok(()) => 0,
            Err(_) => self.strikes + 1,
        };
        done.is_err()
    }
}
