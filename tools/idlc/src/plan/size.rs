//! The largest encodings of types.
//!
//! Where a value ends never moves forward when it begins earlier or has less in it, so the longest
//! strings and sequences everywhere make the longest encoding.

use std::collections::BTreeMap;

use super::{Count, Header, Presence, Routine, RoutineId, Step};

/// Routines that call each other deeper have no known bound. This bounds the stack.
const DEPTH: usize = 256;
/// An encoding that may be longer has no bound.
const LARGEST: u64 = u32::MAX as u64;
/// Positions are told apart modulo this.
const PERIOD: u64 = 8;
/// The longest header of a parameter.
const EXTENDED: u64 = 12;
const SHORT: u64 = 4;
const MAX_SHORT_ID: u32 = 0x3f00;
const MAX_SHORT_LENGTH: u64 = u16::MAX as u64;

/// Fills in all `max_size`.
pub(super) fn find(routines: &mut BTreeMap<RoutineId, Routine>) {
    let ids: Vec<RoutineId> = routines.keys().copied().collect();
    let sizes: Vec<Option<u64>> = {
        let mut sizes = Sizes {
            routines,
            known: BTreeMap::new(),
            depth: 0,
        };
        ids.iter().map(|id| sizes.routine(*id, 0)).collect()
    };
    for (id, size) in ids.iter().zip(sizes) {
        if let Some(routine) = routines.get_mut(id) {
            routine.max_size = size;
        }
    }
}

struct Sizes<'r> {
    routines: &'r BTreeMap<RoutineId, Routine>,
    /// The bytes from a position modulo [`PERIOD`]; `None` also while they are looked for, for what
    /// contains itself has no bound.
    known: BTreeMap<(RoutineId, u64), Option<u64>>,
    depth: usize,
}

fn aligned(at: u64, to: u64) -> u64 {
    at.next_multiple_of(to)
}

impl Sizes<'_> {
    fn routine(&mut self, id: RoutineId, phase: u64) -> Option<u64> {
        if let Some(known) = self.known.get(&(id, phase)) {
            return *known;
        }
        if self.depth >= DEPTH {
            return None;
        }
        self.known.insert((id, phase), None);
        self.depth += 1;
        let routine = self.routines.get(&id)?;
        let end = self.end(&routine.anywhere, phase, id.form.max_align());
        self.depth -= 1;
        let size = end.and_then(|end| end.checked_sub(phase));
        self.known.insert((id, phase), size);
        size
    }

    fn end(&mut self, steps: &[Step], at: u64, max_align: u64) -> Option<u64> {
        let mut at = at;
        for step in steps {
            at = self.step(step, at, max_align)?;
            if at > LARGEST {
                return None;
            }
        }
        Some(at)
    }

    fn step(&mut self, step: &Step, at: u64, max_align: u64) -> Option<u64> {
        match step {
            Step::Run(run) => aligned(at, run.align).checked_add(run.size),
            Step::Text { bound: 0, .. }
            | Step::Loop {
                count: Count::Length { bound: 0 },
                ..
            } => None,
            Step::Text { is_wide, bound, .. } => {
                let bytes = match is_wide {
                    true => u64::from(*bound) * 2,
                    false => u64::from(*bound) + 1,
                };
                Some(aligned(at, 4) + 4 + bytes)
            }
            Step::Loop {
                count, elements, ..
            } => match count {
                Count::Fixed(count) => self.repeated(elements, at, *count, max_align),
                Count::Length { bound } => {
                    let at = aligned(at, 4) + 4;
                    self.repeated(elements, at, (*bound).into(), max_align)
                }
            },
            Step::Delimited { steps, .. } => self.end(steps, aligned(at, 4) + 4, max_align),
            Step::ParameterList { steps } => {
                let at = self.end(steps, at, max_align)?;
                Some(aligned(at, 4) + SHORT)
            }
            Step::Member(of) => match of.header {
                Header::Parameter => self.parameter(&of.steps, of.id, at, max_align),
                Header::Labelled { length_code } => {
                    let header = if length_code == 4 { 8 } else { 4 };
                    self.end(&of.steps, aligned(at, 4) + header, max_align)
                }
            },
            Step::Optional {
                presence, steps, ..
            } => match presence {
                Presence::Flag => self.end(steps, at + 1, max_align),
                Presence::Parameter { id, .. } => self.parameter(steps, *id, at, max_align),
            },
            Step::External { steps, .. } => self.end(steps, at, max_align),
            Step::Switch { cases } => {
                let mut end = at;
                for case in cases {
                    end = end.max(self.end(&case.steps, at, max_align)?);
                }
                Some(end)
            }
            Step::Call { to, .. } => at.checked_add(self.routine(*to, at % PERIOD)?),
        }
    }

    fn parameter(&mut self, steps: &[Step], id: u32, at: u64, max_align: u64) -> Option<u64> {
        let content = self.end(steps, 0, max_align)?;
        let header = match id <= MAX_SHORT_ID && content <= MAX_SHORT_LENGTH {
            true => SHORT,
            false => EXTENDED,
        };
        Some(aligned(at, 4) + header + content)
    }

    /// Where elements end: after at most [`PERIOD`] of them they repeat.
    fn repeated(&mut self, steps: &[Step], at: u64, count: u64, max_align: u64) -> Option<u64> {
        let mut ends = vec![at];
        let mut at = at;
        for done in 1..=count {
            at = self.end(steps, at, max_align)?;
            let same = ends.iter().position(|end| end % PERIOD == at % PERIOD);
            let Some(from) = same else {
                ends.push(at);
                continue;
            };
            // The elements from `from` on repeat each `turn` elements.
            let turn = done - from as u64;
            let bytes = at - ends.get(from)?;
            let left = count - done;
            let whole = bytes.checked_mul(left / turn)?;
            let rest = ends.get(from + (left % turn) as usize)? - ends.get(from)?;
            return at.checked_add(whole)?.checked_add(rest);
        }
        Some(at)
    }
}
