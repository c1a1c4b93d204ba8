//! Steps of arrays, sequences and maps.

use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::Builder;
use crate::plan::phase::Phase;
use crate::plan::{Count, Form, Part, Run, Step};

/// In deeper loops nothing is supposed of the position: elements are planned for several positions,
/// so that each loop around would multiply the work.
const LOOPS: usize = 2;

impl Builder<'_> {
    pub(super) fn collection(&mut self, ty: &DynamicType, path: &str) {
        let Some(element) = ty.element() else { return };
        let key = ty.key_element();
        let primitive = |of: Element| ty.at(of.ty).is_primitive();
        let is_primitive = primitive(element) && key.is_none_or(primitive);
        let has_header = self.form != Form::Xcdr1 && !is_primitive;
        let number = ty.at(element.ty).resolved();
        self.delimited(has_header, |inner| {
            match (ty.kind(), number.number_size()) {
                (TypeKind::Array, Some(size)) if !element.is_external => {
                    let count = ty.length() as u64;
                    return inner.numbers(&number, size as u64, count, path);
                }
                (TypeKind::Array, _) => {}
                _ => {
                    inner.align(4);
                    inner.advance(4);
                }
            }
            inner.repeated(ty, key, element, path);
        });
    }

    fn repeated(&mut self, ty: &DynamicType, key: Option<Element>, element: Element, path: &str) {
        let count = match ty.kind() {
            TypeKind::Array => Count::Fixed(ty.length() as u64),
            _ => Count::Length {
                bound: ty.bound().unwrap_or(0),
            },
        };
        let first = self.phase;
        let one = |inner: &mut Self| match key {
            None => inner.element(ty, element, "", Part::Whole),
            Some(key) => {
                inner.element(ty, key, "key", Part::Whole);
                inner.element(ty, element, "value", Part::Whole);
            }
        };
        let outer = self.measured;
        let is_fixed = key.is_none()
            && !element.is_external
            && self.loops < LOOPS
            && self
                .inline
                .allows(&ty.at(element.ty), self.form, Part::Whole);
        self.loops += 1;
        let row = is_fixed.then(|| self.row(first, one)).flatten();
        let (elements, size, stride) = match row {
            Some((run, align)) => {
                let size = run.size;
                let is_known = run.align == 1;
                self.phase = match is_known {
                    true => first,
                    false => Phase::multiple(align),
                };
                (vec![Step::Run(run)], is_known.then_some(size), Some(size))
            }
            None => {
                let first = if is_fixed { first } else { Phase::ANY };
                let (elements, size) = self.stable(first, one);
                (elements, size, None)
            }
        };
        self.loops -= 1;
        self.measured = match (outer, count, size) {
            (Some(so_far), Count::Fixed(count), Some(size)) => size
                .checked_mul(count)
                .and_then(|all| all.checked_add(so_far)),
            _ => None,
        };
        self.phase = match (count, stride) {
            (Count::Fixed(count), Some(stride)) => self.phase.advanced(stride.wrapping_mul(count)),
            (Count::Fixed(_), None) => self.phase,
            // There may be none.
            (Count::Length { .. }, Some(stride)) => {
                first.join(self.phase.join(self.phase.advanced(stride)))
            }
            (Count::Length { .. }, None) => first.join(self.phase),
        };
        self.steps.push(Step::Loop {
            path: path.into(),
            count,
            is_map: key.is_some(),
            elements,
            stride,
        });
    }

    /// An element as one run that follows itself without padding, and its alignment.
    fn row(&mut self, first: Phase, one: impl Fn(&mut Self)) -> Option<(Run, u64)> {
        self.phase = Phase::multiple(self.form.max_align());
        let calls = self.calls.len();
        let (steps, _) = self.within(one);
        let found = match <[Step; 1]>::try_from(steps) {
            Ok([Step::Run(run)]) => self.fit_row(first, run),
            _ => None,
        };
        if found.is_none() {
            self.calls.truncate(calls);
        }
        found
    }

    fn fit_row(&self, first: Phase, mut run: Run) -> Option<(Run, u64)> {
        let max = self.form.max_align();
        let aligns = run.fields.iter().map(|field| field.size.min(max));
        let align = aligns.max()?;
        let leads = run.fields.first()?.size.min(max) == align;
        let is_aligned = first.padding(align) == Some(0);
        if run.align != 1 || !run.size.is_multiple_of(align) || !(leads || is_aligned) {
            return None;
        }
        run.align = if is_aligned { 1 } else { align };
        Some((run, align))
    }

    /// The steps of an element that are right for the first one and for all that follow it.
    fn stable(&mut self, first: Phase, one: impl Fn(&mut Self)) -> (Vec<Step>, Option<u64>) {
        let calls = self.calls.len();
        let mut entry = first;
        // Each turn knows less; there are four things to know.
        loop {
            self.calls.truncate(calls);
            self.phase = entry;
            let (steps, size) = self.within(&one);
            let next = entry.join(self.phase);
            if next == entry {
                return (steps, size);
            }
            entry = next;
        }
    }
}
