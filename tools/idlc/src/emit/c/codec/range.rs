//! Functions that look whether numbers are in their ranges.
//!
//! They look at a value in memory: before it is written, when its size has shown that all pointers
//! lead somewhere, and after it was read. So numbers are still copied in one piece.

use dunlin_xtypes::{Case, DynamicType, TypeKind};

use super::super::code::{Code, literal};
use super::super::place::Place;
use super::super::{functions, names};
use super::size::each;
use crate::emit::Unit;
use crate::emit::ranges::walk;
use crate::plan::Part;
use crate::plan::range::{Limit, Range, Ranged, routines};

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
                let root = Place::root(unit, ty.clone(), "v");
                walk::body(&Statements(unit), code, &root, *part);
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

struct Statements<'u, 'm>(&'u Unit<'m>);

impl walk::Statements for Statements<'_, '_> {
    type Place = Place;

    fn ty<'p>(&self, place: &'p Place) -> &'p DynamicType {
        &place.ty
    }

    fn part(&self, place: &Place, name: &str) -> Place {
        place.part(self.0, name)
    }

    fn if_there(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        let pointer = place.pointer.as_ref();
        match pointer.filter(|_| !place.is_pointer_itself()) {
            Some(pointer) => code.braces(format_args!("if ({pointer} != NULL)"), body),
            None => body(code),
        }
    }

    fn cases(
        &self,
        code: &mut Code,
        ty: &DynamicType,
        discriminator: &Place,
        body: impl FnMut(&mut Code, &Case),
    ) {
        functions::cases(code, ty, &discriminator.value, body);
    }

    fn each(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code, &Place)) {
        let ty = place.ty.resolved();
        let count = match ty.kind() {
            TypeKind::Array => format!("{}u", ty.length()),
            _ => format!("{}._length", place.value),
        };
        each(self.0, code, place, &count, body);
    }

    fn number(&self, code: &mut Code, place: &Place, range: Range) {
        number(code, place, range);
    }

    fn call(&self, code: &mut Code, place: &Place, part: Part) {
        let name = name(self.0, &place.ty, part);
        let value = place.address();
        code.line(format_args!("if (!{name}({value}, fault)) return false;"));
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
