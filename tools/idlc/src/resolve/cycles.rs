//! Types that contain others by value: those have to be complete, and no type contains itself.

use super::Resolver;
use super::types::{NamedKind, Ty};
use crate::ast::Name;
use crate::report::{Report, codes};
use crate::source::Span;

/// A member that contains its type by value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    /// The number of the type that has the member.
    pub(super) ty: usize,
    pub(super) member: Name,
}

/// A type that is used by value before it is defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncompleteUse {
    holder: Holder,
    target: usize,
    span: Span,
}

impl Resolver<'_, '_> {
    /// Notes a use by value of a type that is not complete.
    pub(super) fn use_by_value(&mut self, number: usize, span: Span, holder: &Holder) {
        if let Some(target) = self.incomplete_within(number) {
            self.incomplete.push(IncompleteUse {
                holder: *holder,
                target,
                span,
            });
        }
    }

    /// The type without contents that is behind aliases and arrays.
    fn incomplete_within(&self, number: usize) -> Option<usize> {
        let mut ty = Ty::Named(number);
        loop {
            let next = match &ty {
                Ty::Array(of) => of.0.ty.clone(),
                Ty::Named(number) => match &self.named(*number)?.kind {
                    NamedKind::Forward { .. } => return Some(*number),
                    NamedKind::Alias(alias) if !alias.element.is_external => {
                        alias.element.ty.clone()
                    }
                    _ => return None,
                },
                _ => return None,
            };
            ty = next;
        }
    }

    /// Reports uses by value of types that were not complete. All types are known now.
    pub(super) fn incomplete_uses(&mut self) {
        for found in std::mem::take(&mut self.incomplete) {
            if !self.session.step(found.span) {
                return;
            }
            let Some(target) = self.named(found.target) else {
                continue;
            };
            if matches!(target.kind, NamedKind::Forward { .. } | NamedKind::Bad) {
                // That was or will be reported.
                continue;
            }
            let (name, defined) = (target.qualified.clone(), target.name.span);
            let report = match self.way(found.target, found.holder.ty) {
                Some(way) => {
                    let first = self.step_words(found.holder.ty, found.holder.member);
                    let mut cycle = vec![first];
                    cycle.extend(way.iter().map(|(ty, member)| self.step_words(*ty, *member)));
                    let end = self.named(found.holder.ty);
                    let end = end.map_or_else(String::new, |named| named.qualified.to_string());
                    let message = format!(
                        "`{end}` contains itself by value: {} -> {end}",
                        cycle.join(" -> ")
                    );
                    let mut report = Report::new(codes::CONTAINS_ITSELF, found.span, message);
                    for (_, member) in way {
                        report = report.label(member.span, "and this member goes on");
                    }
                    report.note("use a sequence, @optional or @external for one of these members")
                }
                None => {
                    let message = format!(
                        "`{name}` is not defined yet, so it can be used in a sequence, a map, @external or @optional only"
                    );
                    Report::new(codes::INCOMPLETE, found.span, message)
                        .label(defined, "it is defined here")
                        .note("move its definition in front of this one")
                }
            };
            self.session.report(report);
        }
    }

    fn step_words(&self, ty: usize, member: Name) -> String {
        let qualified = self.named(ty).map_or("", |named| &named.qualified);
        format!("{qualified}.{}", self.text(member.symbol))
    }

    /// The members by which a type contains another one by value; empty if it is the other one.
    fn way(&self, from: usize, to: usize) -> Option<Vec<(usize, Name)>> {
        // Each type with the step that led to it.
        let mut seen: Vec<(usize, Option<(usize, Name)>)> = vec![(from, None)];
        let mut at = 0;
        while let Some((ty, _)) = seen.get(at).copied() {
            if ty == to {
                return Some(self.steps_to(&seen, at));
            }
            for (member, next) in self.parts(ty) {
                if !seen.iter().any(|entry| entry.0 == next) {
                    seen.push((next, Some((at, member))));
                }
            }
            at += 1;
        }
        None
    }

    fn steps_to(&self, seen: &[(usize, Option<(usize, Name)>)], end: usize) -> Vec<(usize, Name)> {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((_, Some((before, member)))) = seen.get(at).copied() {
            let ty = seen.get(before).map_or(0, |entry| entry.0);
            steps.push((ty, member));
            at = before;
        }
        steps.reverse();
        steps
    }

    /// The types that a type contains by value, and by which members.
    fn parts(&self, number: usize) -> Vec<(Name, usize)> {
        let Some(named) = self.named(number) else {
            return Vec::new();
        };
        let mut parts: Vec<(Name, Ty)> = Vec::new();
        match &named.kind {
            NamedKind::Struct(of) => {
                parts.extend(of.base.map(|base| (named.name, Ty::Named(base))));
                let members = of.members.iter();
                let members = members.filter(|m| !m.is_optional && !m.element.is_external);
                parts.extend(members.map(|member| (member.name, member.element.ty.clone())));
            }
            NamedKind::Union(of) => {
                let cases = of.cases.iter().filter(|case| !case.element.is_external);
                parts.extend(cases.map(|case| (case.name, case.element.ty.clone())));
            }
            _ => {}
        }
        let parts = parts.into_iter();
        parts
            .filter_map(|(name, ty)| Some((name, self.contained(ty)?)))
            .collect()
    }

    /// The structure or union that is behind aliases and arrays.
    fn contained(&self, ty: Ty) -> Option<usize> {
        let mut ty = ty;
        loop {
            ty = match self.behind(&ty) {
                Ty::Array(of) => of.0.ty.clone(),
                Ty::Named(number) => return Some(number),
                _ => return None,
            };
        }
    }
}
