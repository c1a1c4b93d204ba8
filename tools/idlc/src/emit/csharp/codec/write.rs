//! Methods that write, into memory that has room for all.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::names;
use super::super::place::Place;
use super::super::value::span;
use super::number::{accessor, is_octets, is_raw};
use super::size::each;
use super::{cases, path as routine_path};
use crate::emit::Unit;
use crate::emit::c::functions::flags;
use crate::emit::code::Code;
use crate::plan::{Count, Field, Header, Plan, Presence, Run, Step};

pub(super) fn body(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    steps: &[Step],
) {
    let write = Write { unit, plan };
    write.steps(code, steps, &Place::root(ty.clone(), "v"));
}

struct Write<'u, 'm> {
    unit: &'u Unit<'m>,
    plan: &'u Plan,
}

impl Write<'_, '_> {
    fn steps(&self, code: &mut Code, steps: &[Step], root: &Place) {
        steps.iter().for_each(|step| self.step(code, step, root));
    }

    fn step(&self, code: &mut Code, step: &Step, root: &Place) {
        match step {
            Step::Run(run) => self.run(code, run, root),
            Step::Text { path, is_wide, .. } => {
                let function = if *is_wide { "Wide" } else { "Text" };
                let value = root.at(self.unit, path).read();
                code.line(format_args!("w.{function}({value});"));
            }
            Step::Loop {
                path,
                count,
                elements,
                ..
            } => self.repeated(code, &root.at(self.unit, path), *count, elements),
            Step::Delimited { steps, .. } => self.delimited(code, |code| {
                self.steps(code, steps, root);
            }),
            Step::ParameterList { steps } => {
                self.steps(code, steps, root);
                code.line("w.Sentinel();");
            }
            Step::Member(of) => {
                let place = root.at(self.unit, &of.path);
                self.present(code, &place, of.is_optional, |code| match of.header {
                    Header::Parameter => {
                        self.parameter(code, (of.id, of.must_understand), |code| {
                            self.steps(code, &of.steps, root);
                        })
                    }
                    Header::Labelled { length_code } => {
                        let flag = u32::from(of.must_understand) << 31;
                        let header = flag | length_code << 28 | of.id;
                        code.line(format_args!("w.Length({header:#x}u);"));
                        match length_code {
                            4 => self.delimited(code, |code| self.steps(code, &of.steps, root)),
                            _ => self.steps(code, &of.steps, root),
                        }
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
                        code.line(format_args!("w.Flag({} != null);", place.value));
                        inner(code);
                    }
                    Presence::Parameter {
                        id,
                        must_understand,
                    } => self.parameter(code, (*id, *must_understand), inner),
                }
            }
            Step::External { steps, .. } => self.steps(code, steps, root),
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
                let value = place.read();
                code.line(format_args!(
                    "if (!{routine}Write(ref w, {value})) return false;"
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
        match is_optional {
            true => code.braces(format_args!("if ({} != null)", place.value), body),
            false => body(code),
        }
    }

    fn delimited(&self, code: &mut Code, body: impl FnOnce(&mut Code)) {
        let begin = format!("begin{}", code.depth());
        code.braces("", |code| {
            code.line(format_args!("var {begin} = w.Begin();"));
            body(code);
            code.line(format_args!("w.End({begin});"));
        });
    }

    fn parameter(&self, code: &mut Code, (id, flag): (u32, bool), body: impl FnOnce(&mut Code)) {
        let outer = format!("outer{}", code.depth());
        code.braces("", |code| {
            code.line(format_args!("var {outer} = w.BeginParameter({id:#x}u);"));
            body(code);
            code.line(format_args!("w.EndParameter({outer}, {id:#x}u, {flag});"));
        });
    }

    fn repeated(&self, code: &mut Code, place: &Place, count: Count, elements: &[Step]) {
        if let Count::Length { .. } = count {
            if is_octets(&place.resolved()) {
                return code.line(format_args!("w.Octets({});", place.read()));
            }
            code.line(format_args!("w.Length((uint){}.Count);", place.read()));
            if let Some(field) = number_of(place, elements) {
                return self.row(code, place, field);
            }
        }
        each(self.unit, code, place, |code, element| {
            self.steps(code, elements, element);
        });
    }

    /// The elements of a sequence of numbers, as one run.
    fn row(&self, code: &mut Code, place: &Place, (field, align): (&Field, u64)) {
        let s = format!("s{}", code.depth());
        let Some(ty) = place.ty().tree().get(field.ty) else {
            return;
        };
        code.braces("", |code| {
            let from = Place {
                value: place.read(),
                ..place.clone()
            };
            code.line(format_args!("var {s} = {};", span(self.unit, &from, false)));
            code.line(format_args!("w.Row({align}, {}, {s}.Length);", field.size));
            self.numbers(
                code,
                place,
                &s,
                &format!("{s}.Length"),
                "0",
                (&ty, field.size),
            );
        });
    }

    fn run(&self, code: &mut Code, run: &Run, root: &Place) {
        code.line(format_args!("w.Run({}, {});", run.align, run.size));
        let mut end = 0;
        for field in &run.fields {
            gap(code, end, field.at);
            end = field.at + field.size * field.count;
            self.field(code, field, root);
        }
        gap(code, end, run.size);
    }

    fn field(&self, code: &mut Code, field: &Field, root: &Place) {
        let place = root.at(self.unit, &field.path);
        let Some(ty) = root.ty().tree().get(field.ty) else {
            return;
        };
        let at = field.at.to_string();
        if place.resolved().kind() != TypeKind::Array {
            return self.number(code, &at, &place.read(), &place.idl(), (&ty, field.size));
        }
        let from = Place {
            value: place.read(),
            ..place.clone()
        };
        let from = span(self.unit, &from, false);
        let count = field.count.to_string();
        self.numbers(code, &place, &from, &count, &at, (&ty, field.size));
    }

    /// Numbers side by side.
    fn numbers(
        &self,
        code: &mut Code,
        place: &Place,
        from: &str,
        count: &str,
        at: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = place.idl();
        match ty.kind() {
            TypeKind::Boolean => code.line(format_args!("w.Booleans({at}, {from}, {count});")),
            TypeKind::Char8 => code.line(format_args!(
                "if (!w.Chars8({at}, {from}, {count}, {idl})) return false;"
            )),
            _ if is_raw(ty) => {
                let of = names::typed(self.unit, ty);
                code.line(format_args!("w.Numbers<{of}>({at}, {from}, {count});"));
            }
            _ => {
                let depth = code.depth();
                let (n, i) = (format!("n{depth}"), format!("i{depth}"));
                code.braces("", |code| {
                    code.line(format_args!("var {n} = {from};"));
                    code.braces(
                        format_args!("for (int {i} = 0; {i} < {count}; {i}++)"),
                        |code| {
                            let at = format!("{at} + {size}L * {i}");
                            self.number(code, &at, &format!("{n}[{i}]"), &idl, (ty, size));
                        },
                    );
                });
            }
        }
    }

    fn number(
        &self,
        code: &mut Code,
        at: &str,
        value: &str,
        idl: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let put = accessor(ty, size);
        match ty.kind() {
            TypeKind::Char8 => {
                code.line(format_args!(
                    "if (!w.Char8({at}, {value}, {idl})) return false;"
                ));
            }
            TypeKind::Enumeration => {
                let known = super::number::is_known(self.unit, ty, value);
                let fail = "w.Fail(global::Dunlin.Cdr.CdrError.Enumerator";
                code.line(format_args!(
                    "if (!{known}) return {fail}, {idl}, (long){value}, 0);"
                ));
                let number = names::underlying(ty);
                code.line(format_args!("w.{put}({at}, ({number}){value});"));
            }
            TypeKind::Bitmask => {
                let mask = flags(ty);
                let number = names::underlying(ty);
                let fail = "w.Fail(global::Dunlin.Cdr.CdrError.Bits";
                code.line(format_args!(
                    "if (((ulong){value} & ~{mask:#x}ul) != 0) return {fail}, {idl}, unchecked((long){value}), unchecked((long){mask:#x}ul));"
                ));
                code.line(format_args!("w.{put}({at}, ({number}){value});"));
            }
            TypeKind::Bitset => {
                let number = names::underlying(ty);
                code.line(format_args!("w.{put}({at}, ({number}){value}.ToBits());"));
            }
            _ => code.line(format_args!("w.{put}({at}, {value});")),
        }
    }
}

/// The number that each element is, if elements are single numbers, and its alignment.
fn number_of<'f>(place: &Place, elements: &'f [Step]) -> Option<(&'f Field, u64)> {
    let [Step::Run(run)] = elements else {
        return None;
    };
    let [field] = run.fields.as_slice() else {
        return None;
    };
    let ty = place.resolved();
    let of = ty.element()?;
    let is_single = field.path.is_empty()
        && ty.kind() == TypeKind::Sequence
        && !names::is_reference(&ty.at(of.ty));
    is_single.then_some((field, run.align))
}

/// Padding is zero.
fn gap(code: &mut Code, from: u64, to: u64) {
    if from < to {
        code.line(format_args!("w.Gap({from}, {to});"));
    }
}
