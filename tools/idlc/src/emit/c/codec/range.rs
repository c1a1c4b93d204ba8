//! Functions that look whether numbers are in their ranges.
//!
//! They look at a value in memory: before it is written, when its size has shown that all pointers
//! lead somewhere, and after it was read. So numbers are still copied in one piece.

use dunlin_xtypes::{Annotations, DynamicType, TypeKind};

use super::super::code::{Code, literal};
use super::super::place::Place;
use super::super::{functions, names};
use super::size::each;
use crate::emit::Unit;
use crate::plan::Part;
use crate::plan::range::{Limit, Range, Ranged, part_of, routines};

/// What the function of a type is called.
fn name(unit: &Unit<'_>, ty: &DynamicType, part: Part) -> String {
    let ty = names::global(unit, ty.resolved().name());
    match part {
        Part::Whole => format!("{ty}_in_ranges"),
        Part::Key => format!("{ty}_key_in_ranges"),
    }
}

/// The function that payloads of a type ask, if it has ranges and they are checked.
pub(in crate::emit::c) fn called(unit: &Unit<'_>, ty: &DynamicType, part: Part) -> Option<String> {
    let is_wanted = unit.choices.range_checks && Ranged::default().has(ty, part);
    is_wanted.then(|| name(unit, ty, part))
}

/// Makes the functions of types, and of all that they consist of; each file has its own.
pub(in crate::emit::c) fn define(unit: &Unit<'_>, code: &mut Code, types: &[DynamicType]) {
    if !unit.choices.range_checks {
        return;
    }
    let all = routines(types);
    let head = |ty: &DynamicType, part| {
        let of = names::global(unit, ty.name());
        let name = name(unit, ty, part);
        format!("DUNLIN_CDR_LOCAL bool {name}(const {of} *v, dunlin_cdr_fault *fault)")
    };
    for (ty, part) in &all {
        guarded(unit, code, ("DECLARED", &name(unit, ty, *part)), |code| {
            code.line(format_args!("{};", head(ty, *part)));
        });
    }
    for (ty, part) in &all {
        guarded(unit, code, ("DEFINED", &name(unit, ty, *part)), |code| {
            functions::function(code, &head(ty, *part), &[], |code| {
                body(unit, code, ty, *part);
                code.line("return true;");
            });
        });
    }
}

/// One program may include several headers of C++ that have the function.
fn guarded(
    unit: &Unit<'_>,
    code: &mut Code,
    (word, name): (&str, &str),
    body: impl FnOnce(&mut Code),
) {
    if !names::has_classes(unit) {
        return body(code);
    }
    code.line(format_args!("#ifndef DUNLIN_{word}_{name}"));
    code.line(format_args!("#define DUNLIN_{word}_{name}"));
    body(code);
    code.line("#endif");
}

fn body(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, part: Part) {
    let mut ranges = Ranges {
        unit,
        ranged: Ranged::default(),
    };
    let root = Place::root(unit, ty.clone(), "v");
    if ty.kind() != TypeKind::Union {
        let is_wanted = |is_key: bool| part == Part::Whole || !ty.has_key() || is_key;
        for member in ty.members().filter(|member| is_wanted(member.is_key())) {
            let inner = match member.is_optional() {
                true => Part::Whole,
                false => part,
            };
            let place = root.part(unit, member.name());
            ranges.part(code, &place, member.annotations(), inner);
        }
        return;
    }
    let d = root.part(unit, "_d");
    ranges.part(code, &d, ty.annotations(), Part::Whole);
    let mut has_case = |case: &dunlin_xtypes::Case| {
        case.element().is_some_and(|of| {
            let held = ty.at(of.ty);
            Range::of(case.annotations(), &held).is_some() || ranges.ranged.has(&held, Part::Whole)
        })
    };
    if !ty.cases().iter().any(&mut has_case) {
        return;
    }
    functions::cases(code, ty, &d.value, |code, case| {
        if case.element().is_some() {
            let place = root.part(unit, case.name());
            ranges.part(code, &place, case.annotations(), Part::Whole);
        }
    });
}

struct Ranges<'u, 'm> {
    unit: &'u Unit<'m>,
    ranged: Ranged,
}

impl Ranges<'_, '_> {
    /// A member, a case or an element, which may be absent.
    fn part(
        &mut self,
        code: &mut Code,
        place: &Place,
        annotations: Option<&Annotations>,
        part: Part,
    ) {
        let range = Range::of(annotations, &place.ty);
        if range.is_none() && !self.ranged.has(&place.ty, part) {
            return;
        }
        let pointer = place.pointer.as_ref();
        match pointer.filter(|_| !place.is_pointer_itself()) {
            Some(pointer) => code.braces(format_args!("if ({pointer} != NULL)"), |code| {
                self.there(code, place, range, part);
            }),
            None => self.there(code, place, range, part),
        }
    }

    fn there(&mut self, code: &mut Code, place: &Place, range: Option<Range>, part: Part) {
        if let Some(range) = range {
            return number(code, place, range);
        }
        let unit = self.unit;
        let ty = place.ty.resolved();
        let count = match ty.kind() {
            TypeKind::Array => format!("{}u", ty.length()),
            TypeKind::Sequence | TypeKind::Map => format!("{}._length", place.value),
            _ => {
                let name = name(unit, &ty, part_of(&ty, part));
                let value = place.address();
                return code.line(format_args!("if (!{name}({value}, fault)) return false;"));
            }
        };
        each(unit, code, place, &count, |code, element| {
            if ty.kind() == TypeKind::Map {
                for half in ["key", "value"] {
                    let half = element.part(unit, half);
                    self.part(code, &half, None, Part::Whole);
                }
                return;
            }
            self.part(code, element, None, Part::Whole);
        });
    }
}

/// A comparison; NaN is in no range.
fn number(code: &mut Code, place: &Place, range: Range) {
    let kind = place.ty.resolved().kind();
    let value = match kind {
        TypeKind::Char8 => format!("(unsigned char){}", place.value),
        TypeKind::Enumeration => format!("(int32_t){}", place.value),
        _ => place.value.clone(),
    };
    let limit = |limit: Limit| match limit {
        Limit::Integer(number) => integer(kind, number),
        Limit::Float(number) => float(kind, number),
    };
    let min = range.min.map(|min| format!("{value} >= {}", limit(min)));
    let max = range.max.map(|max| format!("{value} <= {}", limit(max)));
    let is_in: Vec<String> = min.into_iter().chain(max).collect();
    let (idl, text) = (literal(&place.idl), literal(&range.text(&place.ty)));
    let fail = match kind {
        TypeKind::Float32 | TypeKind::Float64 => {
            format!("dunlin_cdr_real_outside(fault, {idl}, (double){value}, {text})")
        }
        TypeKind::UInt64 => {
            let found = format!("DUNLIN_CDR_RANGE_UNSIGNED, {idl}, (int64_t){value}");
            format!("dunlin_cdr_outside(fault, {found}, {text})")
        }
        _ => {
            let found = format!("DUNLIN_CDR_RANGE, {idl}, (int64_t){value}");
            format!("dunlin_cdr_outside(fault, {found}, {text})")
        }
    };
    code.line(format_args!(
        "if (!({})) return {fail};",
        is_in.join(" && ")
    ));
}

/// A number of the sign that the type has, so that comparisons are between numbers of one kind.
fn integer(kind: TypeKind, number: i128) -> String {
    match kind {
        TypeKind::UInt32 | TypeKind::UInt64 => format!("{number}u"),
        // The digits alone are a number that no type has.
        _ if number == i128::from(i64::MIN) => format!("(-{} - 1)", i64::MAX),
        _ if number == i128::from(i32::MIN) => format!("(-{} - 1)", i32::MAX),
        _ => number.to_string(),
    }
}

fn float(kind: TypeKind, number: f64) -> String {
    match kind {
        TypeKind::Float32 => format!("{:?}f", number as f32),
        _ => format!("{number:?}"),
    }
}
