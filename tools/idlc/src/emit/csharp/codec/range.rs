//! Methods that look whether numbers are in their ranges, before a value is written and after it
//! was read.

use dunlin_xtypes::{Annotations, DynamicType, TypeKind};

use super::super::names;
use super::super::place::Place;
use super::size::each;
use super::{cases, flat, local_class};
use crate::emit::Unit;
use crate::emit::code::Code;
use crate::plan::Part;
use crate::plan::range::{Limit, Range, Ranged, part_of, routines};

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
        body(unit, code, ty, *part);
        code.line("return true;");
    });
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
    cases(code, ty, &d.value, |code, _, case| {
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
        let range = Range::of(annotations, place.ty());
        if range.is_none() && !self.ranged.has(place.ty(), part) {
            return;
        }
        match place.is_nullable {
            true => code.braces(format_args!("if ({} != null)", place.value), |code| {
                self.there(code, place, range, part);
            }),
            false => self.there(code, place, range, part),
        }
    }

    fn there(&mut self, code: &mut Code, place: &Place, range: Option<Range>, part: Part) {
        if let Some(range) = range {
            return number(code, place, range);
        }
        let unit = self.unit;
        let ty = place.resolved();
        if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
            let name = name(unit, &ty, part_of(&ty, part));
            let value = place.read();
            return code.line(format_args!(
                "if (!{name}({value}, ref fault)) return false;"
            ));
        }
        each(unit, code, place, |code, element| {
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
