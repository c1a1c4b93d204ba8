//! Methods that find where a value ends, and whether it may be written.

use std::fmt::Display;

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::names;
use super::super::place::Place;
use super::super::value::span;
use super::number::is_octets;
use super::{cases, path as routine_path};
use crate::emit::Unit;
use crate::emit::code::Code;
use crate::plan::{Count, Header, Plan, Presence, Step};

pub(super) fn body(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    steps: &[Step],
) {
    let size = Size { unit, plan };
    size.steps(code, steps, &Place::root(ty.clone(), "v"));
}

struct Size<'u, 'm> {
    unit: &'u Unit<'m>,
    plan: &'u Plan,
}

fn advance(code: &mut Code, align: u64, by: u64) {
    match align {
        1 => code.line(format_args!("z.At += {by};")),
        _ => code.line(format_args!("z.Advance({align}, {by});")),
    }
}

fn check(code: &mut Code, call: impl Display) {
    code.line(format_args!("if (!{call}) return false;"));
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
                let place = root.at(self.unit, path);
                let function = if *is_wide { "Wide" } else { "Text" };
                let (value, idl) = (place.read(), place.idl());
                check(code, format_args!("z.{function}({value}, {bound}, {idl})"));
            }
            Step::Loop {
                path,
                count,
                elements,
                stride,
                ..
            } => self.repeated(code, &root.at(self.unit, path), *count, elements, *stride),
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
                    Header::Parameter => self.parameter(code, of.id, |code| {
                        self.steps(code, &of.steps, root);
                    }),
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
                let inner = |code: &mut Code| {
                    self.present(code, &place, true, |code| self.steps(code, steps, root));
                };
                match presence {
                    Presence::Flag => {
                        advance(code, 1, 1);
                        inner(code);
                    }
                    Presence::Parameter { id, .. } => self.parameter(code, *id, inner),
                }
            }
            Step::External { path, steps } => {
                let place = root.at(self.unit, path);
                if place.is_nullable && !place.of.is_optional {
                    let (value, idl) = (&place.value, place.idl());
                    code.line(format_args!(
                        "if ({value} == null) return z.Missing({idl});"
                    ));
                }
                self.deeper(code, &place, |code| self.steps(code, steps, root));
            }
            Step::Switch { cases: all } => {
                let d = root.part(self.unit, "_d").value;
                cases(code, &root.resolved(), &d, |code, at, _| {
                    if let Some(case) = all.get(at) {
                        self.steps(code, &case.steps, root);
                    }
                });
            }
            Step::Call { path, to, .. } => {
                let place = root.at(self.unit, path);
                let routine = routine_path(self.unit, self.plan, *to);
                check(code, format_args!("{routine}Size(ref z, {})", place.read()));
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
        match is_optional {
            true => code.braces(format_args!("if ({} != null)", place.value), |code| {
                self.deeper(code, place, body);
            }),
            false => body(code),
        }
    }

    fn deeper(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        check(code, format_args!("z.Enter({})", place.idl()));
        body(code);
        code.line("z.Leave();");
    }

    fn parameter(&self, code: &mut Code, id: u32, body: impl FnOnce(&mut Code)) {
        let begin = format!("begin{}", code.depth());
        code.braces("", |code| {
            code.line(format_args!("long {begin} = z.BeginParameter();"));
            body(code);
            code.line(format_args!("z.EndParameter({begin}, {id:#x}u);"));
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
        let (value, idl) = (place.read(), place.idl());
        let count = match count {
            Count::Fixed(count) => count.to_string(),
            Count::Length { bound } => {
                check(
                    code,
                    format_args!("z.Length({value}.Count, {bound}, {idl})"),
                );
                if is_octets(&place.resolved()) {
                    code.line(format_args!("z.Octets({value});"));
                }
                format!("{value}.Count")
            }
        };
        let fixed = match (stride, elements) {
            (Some(stride), [Step::Run(run)]) => Some((stride, run.align)),
            _ => None,
        };
        if let Some((stride, align)) = fixed {
            code.braces(format_args!("if ({count} > 0)"), |code| {
                advance(code, align, 0);
                code.line(format_args!("z.At += {stride}L * {count};"));
            });
        }
        let ty = place.resolved();
        let is_number = ty
            .element()
            .is_some_and(|of| !names::is_reference(&ty.at(of.ty)));
        if fixed.is_some() && is_number {
            return;
        }
        let each = |code: &mut Code| {
            each(self.unit, code, place, |code, element| {
                match ty.kind() {
                    TypeKind::Map => self.there(code, &element.part(self.unit, "value")),
                    _ => self.there(code, element),
                }
                if fixed.is_none() {
                    self.steps(code, elements, element);
                }
            });
        };
        match ty.kind() {
            TypeKind::Array => each(code),
            _ => self.deeper(code, place, each),
        }
    }

    /// Elements that are null cannot be written, nor arrays of another length.
    fn there(&self, code: &mut Code, element: &Place) {
        let ty = element.resolved();
        let (value, idl) = (&element.value, element.idl());
        match ty.kind() {
            TypeKind::String8 | TypeKind::String16 => {}
            TypeKind::Array => {
                let length = ty.length();
                code.line(format_args!(
                    "if ({value} == null) return z.Missing({idl});"
                ));
                code.line(format_args!(
                    "if ({value}.Length != {length}) return z.Fail(global::Dunlin.Cdr.CdrError.Bound, {idl}, {value}.Length, {length});"
                ));
            }
            _ if names::is_reference(&ty) => {
                code.line(format_args!(
                    "if ({value} == null) return z.Missing({idl});"
                ));
            }
            _ => {}
        }
    }
}

/// A loop over the elements of an array, a sequence or a map, which are not changed.
pub(super) fn each(
    unit: &Unit<'_>,
    code: &mut Code,
    place: &Place,
    body: impl FnOnce(&mut Code, &Place),
) {
    let ty = place.resolved();
    let depth = code.depth();
    let (s, i, e) = (
        format!("s{depth}"),
        format!("i{depth}"),
        format!("e{depth}"),
    );
    if ty.kind() == TypeKind::Map {
        let head = format!("foreach (var {e} in {})", place.read());
        return code.braces(head, |code| body(code, &place.element(&e)));
    }
    code.braces("", |code| {
        let place = Place {
            value: place.read(),
            ..place.clone()
        };
        code.line(format_args!("var {s} = {};", span(unit, &place, false)));
        code.braces(
            format_args!("for (int {i} = 0; {i} < {s}.Length; {i}++)"),
            |code| {
                code.line(format_args!("var {e} = {s}[{i}];"));
                body(code, &place.element(&e));
            },
        );
    });
}
