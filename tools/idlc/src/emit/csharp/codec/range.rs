//! Methods that look whether numbers are in their ranges, before a value is written and after it
//! was read.

use dunlin_xtypes::{Case, DynamicType, TypeKind};

use super::super::names;
use super::super::place::Place;
use super::size::each;
use super::{cases, flat, local_class};
use crate::emit::Unit;
use crate::emit::code::Code;
use crate::emit::ranges::walk;
use crate::plan::Part;
use crate::plan::range::{Limit, Range, Ranged, routines};

fn name(unit: &Unit<'_>, ty: &DynamicType, part: Part) -> String {
    let ty = flat(unit, &ty.resolved());
    match part {
        Part::Whole => format!("{ty}_InRanges"),
        Part::Key => format!("{ty}_KeyInRanges"),
    }
}

/// The method that encodings of a type ask, if it has ranges and they are checked.
pub(in crate::emit::csharp) fn called(
    unit: &Unit<'_>,
    ty: &DynamicType,
    part: Part,
) -> Option<String> {
    let is_wanted = unit.choices.range_checks && Ranged::default().has(ty, part);
    is_wanted.then(|| format!("{}.{}", local_class(unit), name(unit, ty, part)))
}

/// The types that get a method each; a file has its own for all that it needs.
pub(in crate::emit::csharp) fn wanted(
    unit: &Unit<'_>,
    types: &[DynamicType],
) -> Vec<(DynamicType, Part)> {
    match unit.choices.range_checks {
        true => routines(types),
        false => Vec::new(),
    }
}

/// Makes a method.
pub(in crate::emit::csharp) fn define(
    unit: &Unit<'_>,
    code: &mut Code,
    (ty, part): &(DynamicType, Part),
) {
    let (name, class) = (name(unit, ty, *part), names::typed(unit, ty));
    let head =
        format!("internal static bool {name}({class} v, ref global::Dunlin.Cdr.CdrFault fault)");
    code.line("");
    code.braces(head, |code| {
        let root = Place::root(ty.clone(), "v");
        walk::body(&Statements(unit), code, &root, *part);
        code.line("return true;");
    });
}

struct Statements<'u, 'm>(&'u Unit<'m>);

impl walk::Statements for Statements<'_, '_> {
    type Place = Place;

    fn ty<'p>(&self, place: &'p Place) -> &'p DynamicType {
        place.ty()
    }

    fn part(&self, place: &Place, name: &str) -> Place {
        place.part(self.0, name)
    }

    fn if_there(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        match place.is_nullable {
            true => code.braces(format_args!("if ({} != null)", place.value), body),
            false => body(code),
        }
    }

    fn cases(
        &self,
        code: &mut Code,
        ty: &DynamicType,
        discriminator: &Place,
        mut body: impl FnMut(&mut Code, &Case),
    ) {
        cases(code, ty, &discriminator.value, |code, _, case| {
            body(code, case);
        });
    }

    fn each(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code, &Place)) {
        each(self.0, code, place, body);
    }

    fn number(&self, code: &mut Code, place: &Place, range: Range) {
        number(code, place, range);
    }

    fn call(&self, code: &mut Code, place: &Place, part: Part) {
        let name = name(self.0, place.ty(), part);
        let value = place.read();
        code.line(format_args!(
            "if (!{name}({value}, ref fault)) return false;"
        ));
    }
}

/// A comparison; NaN is in no range.
fn number(code: &mut Code, place: &Place, range: Range) {
    let kind = place.resolved().kind();
    let value = match kind {
        TypeKind::Enumeration => format!("(long){}", place.read()),
        _ => place.read(),
    };
    let limit = |limit: Limit| match limit {
        Limit::Integer(number) if number == i128::from(i64::MIN) => "long.MinValue".into(),
        Limit::Integer(number) if kind == TypeKind::UInt64 => format!("{number}ul"),
        Limit::Integer(number) => number.to_string(),
        Limit::Float(number) if kind == TypeKind::Float32 => format!("{:?}f", number as f32),
        Limit::Float(number) => format!("{number:?}"),
    };
    let min = range.min.map(|min| format!("{value} >= {}", limit(min)));
    let max = range.max.map(|max| format!("{value} <= {}", limit(max)));
    let is_in: Vec<String> = min.into_iter().chain(max).collect();
    let cast = match kind {
        TypeKind::Float32 | TypeKind::Float64 => "double",
        TypeKind::UInt64 => "ulong",
        _ => "long",
    };
    let (idl, text) = (place.idl(), names::literal(&range.text(place.ty())));
    code.line(format_args!(
        "if (!({})) return fault.Outside({idl}, ({cast}){}, {text});",
        is_in.join(" && "),
        place.read()
    ));
}
