//! Functions that find where a value ends.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::code::{Code, literal};
use super::super::place::Place;
use super::super::{functions, names};
use super::name;
use crate::emit::Unit;
use crate::plan::{Count, Header, Plan, Presence, Step};

pub(super) fn body(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    steps: &[Step],
) {
    let size = Size { unit, plan };
    size.steps(code, steps, &Place::root(unit, ty.clone(), "v"));
    code.line("return true;");
}

struct Size<'u, 'm> {
    unit: &'u Unit<'m>,
    plan: &'u Plan,
}

fn advance(code: &mut Code, align: u64, by: u64) {
    match align {
        1 => code.line(format_args!("z->at += {by};")),
        _ => code.line(format_args!(
            "z->at = dunlin_cdr_aligned(z->at, {align}) + {by};"
        )),
    }
}

impl Size<'_, '_> {
    fn steps(&self, code: &mut Code, steps: &[Step], root: &Place) {
        steps.iter().for_each(|step| self.step(code, step, root));
    }

    fn step(&self, code: &mut Code, step: &Step, root: &Place) {
        match step {
            Step::Run(run) => advance(code, run.align, run.size),
            Step::Text {
                path,
                is_wide,
                bound,
            } => {
                self.text(code, &root.at(self.unit, path), *is_wide, *bound);
            }
            Step::Loop {
                path,
                count,
                elements,
                stride,
                ..
            } => {
                self.repeated(code, &root.at(self.unit, path), *count, elements, *stride);
            }
            Step::Delimited { steps, .. } => {
                advance(code, 4, 4);
                self.steps(code, steps, root);
            }
            Step::ParameterList { steps } => {
                self.steps(code, steps, root);
                advance(code, 4, 4);
            }
            Step::Member(of) => {
                let place = root.at(self.unit, &of.path);
                self.present(code, &place, of.is_optional, |code| match of.header {
                    Header::Parameter => self.parameter(code, of.id, &of.steps, root),
                    Header::Labelled { length_code } => {
                        advance(code, 4, if length_code == 4 { 8 } else { 4 });
                        self.steps(code, &of.steps, root);
                    }
                });
            }
            Step::Optional {
                presence,
                path,
                steps,
            } => {
                let place = root.at(self.unit, path);
                match presence {
                    Presence::Flag => {
                        advance(code, 1, 1);
                        self.present(code, &place, true, |code| self.steps(code, steps, root));
                    }
                    Presence::Parameter { id, .. } => {
                        self.in_parameter(code, *id, |code| {
                            self.present(code, &place, true, |code| self.steps(code, steps, root));
                        });
                    }
                }
            }
            Step::External { path, steps } => {
                let place = root.at(self.unit, path);
                let pointer = place.pointer.clone().unwrap_or_default();
                if !place.is_pointer_itself() && !place.is_optional {
                    let place = literal(&place.idl);
                    let fail = "return dunlin_cdr_fail(z->fault, DUNLIN_CDR_MISSING";
                    code.line(format_args!(
                        "if ({pointer} == NULL) {fail}, {place}, 0, 0);"
                    ));
                }
                self.deeper(code, &place, |code| self.steps(code, steps, root));
            }
            Step::Switch { cases } => {
                let mut cases = cases.iter();
                let d = root.part(self.unit, "_d").value;
                functions::cases(code, &root.ty.resolved(), &d, |code, _| {
                    if let Some(case) = cases.next() {
                        self.steps(code, &case.steps, root);
                    }
                });
            }
            Step::Call { path, to, .. } => {
                let place = root.at(self.unit, path);
                let name = name(self.unit, self.plan, *to);
                code.line(format_args!(
                    "if (!{name}_size(z, {})) return false;",
                    place.address()
                ));
            }
        }
    }

    fn present(
        &self,
        code: &mut Code,
        place: &Place,
        is_optional: bool,
        body: impl FnOnce(&mut Code),
    ) {
        match &place.pointer {
            Some(pointer) if is_optional => {
                code.braces(format_args!("if ({pointer} != NULL)"), |code| {
                    self.deeper(code, place, body);
                });
            }
            _ => body(code),
        }
    }

    fn deeper(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        let place = literal(&place.idl);
        code.line(format_args!(
            "if (!dunlin_cdr_size_enter(z, {place})) return false;"
        ));
        body(code);
        code.line("z->depth--;");
    }

    fn parameter(&self, code: &mut Code, id: u32, steps: &[Step], root: &Place) {
        self.in_parameter(code, id, |code| self.steps(code, steps, root));
    }

    fn in_parameter(&self, code: &mut Code, id: u32, body: impl FnOnce(&mut Code)) {
        let begin = format!("begin{}", code.depth());
        code.braces("", |code| {
            code.line(format_args!("size_t {begin} = z->at;"));
            code.line("z->at = 0;");
            body(code);
            code.line(format_args!(
                "dunlin_cdr_size_parameter(z, {begin}, {id:#x}u);"
            ));
        });
    }

    fn text(&self, code: &mut Code, place: &Place, is_wide: bool, bound: u32) {
        let (value, idl) = (&place.value, literal(&place.idl));
        code.line(match (is_wide, place.is_own_text()) {
            (true, _) => {
                format!("if (!dunlin_cdr_size_wide(z, &{value}, {bound}u, {idl})) return false;")
            }
            (false, true) => {
                format!("if (!dunlin_cdr_size_text(z, {value}, {bound}u, {idl})) return false;")
            }
            (false, false) => format!(
                "if (!dunlin_cdr_size_text_within(z, {value}, {bound}u, {idl})) return false;"
            ),
        });
    }

    fn repeated(
        &self,
        code: &mut Code,
        place: &Place,
        count: Count,
        elements: &[Step],
        stride: Option<u64>,
    ) {
        let (value, idl) = (&place.value, literal(&place.idl));
        let count = match count {
            Count::Fixed(count) => format!("{count}u"),
            Count::Length { bound } => {
                let all = format!("{value}._length, {value}._buffer, {bound}u, {idl}");
                code.line(format_args!(
                    "if (!dunlin_cdr_size_length(z, {all})) return false;"
                ));
                format!("{value}._length")
            }
        };
        if let (Some(stride), [Step::Run(run)]) = (stride, elements) {
            return code.braces(format_args!("if ({count} > 0)"), |code| {
                if run.align > 1 {
                    advance(code, run.align, 0);
                }
                code.line(format_args!("z->at += (size_t){stride} * {count};"));
            });
        }
        let each = |code: &mut Code| {
            each(self.unit, code, place, &count, |code, element| {
                self.steps(code, elements, element);
            });
        };
        match place.ty.resolved().kind() {
            TypeKind::Array => each(code),
            _ => self.deeper(code, place, each),
        }
    }
}

/// A loop over the elements of an array, a sequence or a map.
pub(super) fn each(
    unit: &Unit<'_>,
    code: &mut Code,
    place: &Place,
    count: &str,
    body: impl FnOnce(&mut Code, &Place),
) {
    let ty = place.ty.resolved();
    let depth = code.depth();
    let (e, i) = (format!("e{depth}"), format!("i{depth}"));
    let declared = functions::element_pointer(unit, &ty, &e);
    let begin = match ty.kind() {
        TypeKind::Array => {
            let cast = names::pointer_cast(unit, &declared, &e);
            format!("{cast}&{}", place.value)
        }
        _ => format!("{}._buffer", place.value),
    };
    code.braces("", |code| {
        code.line(format_args!("{declared} = {begin};"));
        code.line(format_args!("uint32_t {i};"));
        code.braces(
            format_args!("for ({i} = 0; {i} < {count}; {i}++, {e}++)"),
            |code| {
                code.line(format_args!("(void){e};"));
                body(code, &element(place, &e));
            },
        );
    });
}

/// The element to which a pointer points.
pub(in crate::emit) fn element(place: &Place, pointer: &str) -> Place {
    let collection = Place {
        ty: place.ty.resolved(),
        ..place.clone()
    };
    match (collection.ty.kind(), collection.ty.element()) {
        (TypeKind::Map, _) => Place {
            value: format!("(*{pointer})"),
            pointer: None,
            ..collection
        },
        (_, Some(element)) => Place::element(&collection, element, pointer),
        _ => collection,
    }
}
