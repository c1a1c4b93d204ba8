//! What has to be so before code checks ranges: members begin within them.

pub(super) mod walk;

use dunlin_xtypes::{Annotations, DynamicType, TypeKind};

use super::Unit;
use crate::plan::range::{Limit, Range, default_of, first};
use crate::report::{Report, codes};
use crate::source::Span;

/// Reports members whose first value could not be written, and ranges that are not checked.
pub(super) fn check(unit: &mut Unit<'_>) {
    let mut reports = Vec::new();
    for entry in unit.types() {
        let Some(ty) = unit.model.ty(entry) else {
            continue;
        };
        let span = |at: usize| entry.member_spans.get(at).copied().unwrap_or(entry.span);
        match ty.kind() {
            TypeKind::Structure => {
                for (at, member) in ty.own_members().iter().enumerate() {
                    let of = ty.at(member.element().ty);
                    let name = format!("{}.{}", ty.name(), member.name());
                    let part = (name.as_str(), member.annotations(), span(at));
                    reports.extend(unchecked(&of, part));
                    if !member.is_optional() {
                        reports.extend(outside(&of, part));
                    }
                }
            }
            TypeKind::Union => {
                let by = ty.discriminator().map(|of| ty.at(of.ty));
                let name = format!("the discriminator of {}", ty.name());
                let part = (name.as_str(), ty.annotations(), entry.span);
                reports.extend(by.and_then(|by| outside(&by, part)));
                for (at, case) in ty.cases().iter().enumerate() {
                    let Some(element) = case.element() else {
                        continue;
                    };
                    let of = ty.at(element.ty);
                    let name = format!("{}.{}", ty.name(), case.name());
                    let part = (name.as_str(), case.annotations(), span(at));
                    reports.extend(unchecked(&of, part));
                    reports.extend(outside(&of, part));
                }
            }
            _ => {}
        }
    }
    unit.reports.extend(reports);
}

type Part<'p> = (&'p str, Option<&'p Annotations>, Span);

/// A member that begins outside of its range, or an array of such elements.
fn outside(ty: &DynamicType, (name, annotations, span): Part<'_>) -> Option<Report> {
    let mut ty = ty.clone();
    let mut annotations = annotations;
    let mut is_element = false;
    while ty.resolved().kind() == TypeKind::Array {
        let array = ty.resolved();
        ty = array.at(array.element()?.ty);
        annotations = None;
        is_element = true;
    }
    let range = Range::of(annotations, &ty)?;
    let said = default_of(annotations, &ty).filter(|_| !is_element);
    let begins = first(said.as_ref(), &ty)?;
    if range.has(begins) {
        return None;
    }
    let (what, help) = match is_element {
        true => (
            "the elements begin",
            "make it a sequence, or a range that has this number",
        ),
        false => ("it begins", "say a @default that is in the range"),
    };
    let begins = match begins {
        Limit::Integer(number) => number.to_string(),
        Limit::Float(number) => format!("{number:?}"),
    };
    let text = range.text(&ty);
    let message = format!("{name} has the range {text}, and {what} as {begins}");
    Some(Report::new(codes::BEGINS_OUTSIDE, span, message).note(help))
}

/// A `long double` with a range.
fn unchecked(ty: &DynamicType, (name, annotations, span): Part<'_>) -> Option<Report> {
    let says = |of: Option<&Annotations>| of.is_some_and(|of| of.min.is_some() || of.max.is_some());
    let mut at = ty.clone();
    let mut has_range = says(annotations);
    while at.kind() == TypeKind::Alias {
        has_range |= says(at.annotations());
        at = at.at(at.element()?.ty);
    }
    (has_range && at.kind() == TypeKind::Float128).then(|| {
        let message = format!("the range of {name} is not checked: it is a long double");
        Report::new(codes::NO_EFFECT, span, message)
    })
}
