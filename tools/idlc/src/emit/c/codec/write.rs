//! Functions that write, into memory that has room for all.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::code::{Code, literal};
use super::super::place::Place;
use super::super::{functions, names};
use super::layout::{Piece, copied, pieces};
use super::name;
use super::size::each;
use crate::emit::Unit;
use crate::plan::{Count, Field, Form, Header, Plan, Presence, RoutineId, Run, Step};

pub(super) fn body(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    id: RoutineId,
    ty: &DynamicType,
    steps: &[Step],
) {
    let write = Write {
        unit,
        plan,
        form: id.form,
    };
    write.steps(code, steps, &Place::root(unit, ty.clone(), "v"));
    code.line("return true;");
}

struct Write<'u, 'm> {
    unit: &'u Unit<'m>,
    plan: &'u Plan,
    form: Form,
}

impl Write<'_, '_> {
    /// Key hashes are in big endian on all machines.
    fn order(&self) -> &'static str {
        if self.form == Form::KeyHash {
            "_big"
        } else {
            ""
        }
    }

    fn steps(&self, code: &mut Code, steps: &[Step], root: &Place) {
        steps.iter().for_each(|step| self.step(code, step, root));
    }

    fn step(&self, code: &mut Code, step: &Step, root: &Place) {
        let order = self.order();
        match step {
            Step::Run(run) => self.run(code, run, root),
            Step::Text { path, is_wide, .. } => {
                let value = root.at(self.unit, path).value;
                code.line(match is_wide {
                    true => format!("dunlin_cdr_put_wide{order}(w, &{value});"),
                    false => format!("dunlin_cdr_put_text{order}(w, {value});"),
                });
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
            Step::Delimited { steps, .. } => self.delimited(code, |code| {
                self.steps(code, steps, root);
            }),
            Step::ParameterList { steps } => {
                self.steps(code, steps, root);
                code.line("dunlin_cdr_put_sentinel(w);");
            }
            Step::Member(of) => {
                let place = root.at(self.unit, &of.path);
                self.present(code, &place, of.is_optional, |code| match of.header {
                    Header::Parameter => {
                        self.parameter(code, of.id, of.must_understand, |code| {
                            self.steps(code, &of.steps, root);
                        });
                    }
                    Header::Labelled { length_code } => {
                        let flag = u32::from(of.must_understand) << 31;
                        let header = flag | length_code << 28 | of.id;
                        code.line(format_args!("dunlin_cdr_put_length(w, {header:#x}u);"));
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
                let write = |code: &mut Code| {
                    self.present(code, &place, true, |code| self.steps(code, steps, root));
                };
                match presence {
                    Presence::Flag => {
                        let pointer = place.pointer.clone().unwrap_or_default();
                        code.line(format_args!("*w->at++ = {pointer} != NULL;"));
                        write(code);
                    }
                    Presence::Parameter {
                        id,
                        must_understand,
                    } => {
                        self.parameter(code, *id, *must_understand, write);
                    }
                }
            }
            Step::External { steps, .. } => self.steps(code, steps, root),
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
                    "if (!{name}_write(w, {})) return false;",
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
                code.braces(format_args!("if ({pointer} != NULL)"), body)
            }
            _ => body(code),
        }
    }

    fn delimited(&self, code: &mut Code, body: impl FnOnce(&mut Code)) {
        let begin = format!("begin{}", code.depth());
        code.braces("", |code| {
            code.line(format_args!("uint8_t *{begin} = dunlin_cdr_put_begin(w);"));
            body(code);
            code.line(format_args!(
                "dunlin_cdr_put_end{}(w, {begin});",
                self.order()
            ));
        });
    }

    fn parameter(
        &self,
        code: &mut Code,
        id: u32,
        must_understand: bool,
        body: impl FnOnce(&mut Code),
    ) {
        let outer = format!("outer{}", code.depth());
        code.braces("", |code| {
            let put = "dunlin_cdr_put_parameter";
            code.line(format_args!(
                "dunlin_cdr_parameter {outer} = {put}(w, {id:#x}u);"
            ));
            body(code);
            code.line(format_args!(
                "{put}_end(w, {outer}, {id:#x}u, {must_understand});"
            ));
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
        let (count, buffer) = match count {
            Count::Fixed(count) => (format!("{count}u"), format!("&{}", place.value)),
            Count::Length { .. } => {
                let count = format!("{}._length", place.value);
                code.line(format_args!(
                    "dunlin_cdr_put_length{}(w, {count});",
                    self.order()
                ));
                (count, format!("{}._buffer", place.value))
            }
        };
        let whole = self.whole(place, elements, stride);
        let each = |code: &mut Code| {
            each(self.unit, code, place, &count, |code, element| {
                self.steps(code, elements, element);
            });
        };
        let Some((align, stride, conditions)) = whole else {
            return each(code);
        };
        let copy = |code: &mut Code| {
            code.braces(format_args!("if ({count} > 0)"), |code| {
                if align > 1 {
                    code.line(format_args!("dunlin_cdr_put_align(w, {align});"));
                }
                if names::are_octets(&place.ty) {
                    return code.line(format_args!("dunlin_cdr_put_octets(w, &{});", place.value));
                }
                let size = format!("(size_t){stride} * {count}");
                code.line(format_args!("dunlin_cdr_put_bytes(w, {buffer}, {size});"));
            });
        };
        if conditions.is_empty() {
            return copy(code);
        }
        code.braces(format_args!("if ({})", conditions.join(" && ")), copy);
        code.braces("else", each);
    }

    /// What elements are aligned to, their distance, and what has to be so if all of them are
    /// copied in one go.
    fn whole(
        &self,
        place: &Place,
        elements: &[Step],
        stride: Option<u64>,
    ) -> Option<(u64, u64, Vec<String>)> {
        let (Some(stride), [Step::Run(run)]) = (stride, elements) else {
            return None;
        };
        if self.form == Form::KeyHash {
            return None;
        }
        let element = super::size::element(place, "e");
        let conditions = copied(self.unit, &element, &run.fields, stride)?;
        Some((run.align, stride, conditions))
    }

    fn run(&self, code: &mut Code, run: &Run, root: &Place) {
        if run.align > 1 {
            code.line(format_args!("dunlin_cdr_put_align(w, {});", run.align));
        }
        code.braces("", |code| {
            let p = format!("p{}", code.depth());
            code.line(format_args!("uint8_t *{p} = w->at;"));
            let mut end = 0;
            for piece in pieces(self.unit, root, &run.fields) {
                let Some(first) = piece.fields.first() else {
                    continue;
                };
                gap(code, &p, end, first.at);
                end = first.at + piece.size;
                self.piece(code, &p, &piece, root);
            }
            gap(code, &p, end, run.size);
            code.line(format_args!("w->at = {p} + {};", run.size));
        });
    }

    fn piece(&self, code: &mut Code, p: &str, piece: &Piece<'_>, root: &Place) {
        let each = |code: &mut Code| {
            let mut end = piece.fields.first().map_or(0, |first| first.at);
            for field in &piece.fields {
                gap(code, p, end, field.at);
                end = field.at + field.size * field.count;
                self.field(code, p, field, root);
            }
        };
        let Some(first) = piece.fields.first().filter(|_| piece.fields.len() > 1) else {
            return each(code);
        };
        if self.form == Form::KeyHash {
            return each(code);
        }
        let ty = names::global(self.unit, root.ty.resolved().name());
        let from = super::layout::member(self.unit, root, &first.path);
        code.braces(
            format_args!("if ({})", piece.conditions.join(" && ")),
            |code| {
                let from = format!("(const uint8_t *)v + offsetof({ty}, {from})");
                let from = match root.address() {
                    address if address != "v" => from.replacen(")v +", &format!("){address} +"), 1),
                    _ => from,
                };
                code.line(format_args!(
                    "memcpy({p} + {}, {from}, {});",
                    first.at, piece.size
                ));
            },
        );
        code.braces("else", each);
    }

    fn field(&self, code: &mut Code, p: &str, field: &Field, root: &Place) {
        let place = root.at(self.unit, &field.path);
        let Some(ty) = root.ty.tree().get(field.ty) else {
            return;
        };
        let is_array = place.ty.resolved().kind() == TypeKind::Array;
        let at = format!("{p} + {}", field.at);
        let simple = super::layout::is_raw(&ty);
        if simple {
            let (value, size, count) = (&place.value, field.size, field.count);
            return code.line(match self.form {
                Form::KeyHash => format!("dunlin_cdr_put_big({at}, &{value}, {size}, {count});"),
                _ => format!("memcpy({at}, &{value}, {});", size * count),
            });
        }
        if !is_array {
            return self.checked(code, &at, &place.value, &place.idl, &ty, field.size);
        }
        let number = names::number(self.unit, &ty);
        let depth = code.depth();
        code.braces("", |code| {
            code.line(format_args!(
                "const {number} *n{depth} = (const {number} *)&{};",
                place.value
            ));
            code.line(format_args!("uint32_t i{depth};"));
            let head = format!(
                "for (i{depth} = 0; i{depth} < {}u; i{depth}++)",
                field.count
            );
            code.braces(head, |code| {
                let at = format!("{at} + {} * (size_t)i{depth}", field.size);
                let value = format!("n{depth}[i{depth}]");
                self.checked(code, &at, &value, &place.idl, &ty, field.size);
            });
        });
    }

    /// A number that is not every number of its size.
    fn checked(
        &self,
        code: &mut Code,
        at: &str,
        value: &str,
        idl: &str,
        ty: &DynamicType,
        size: u64,
    ) {
        let name = names::global(self.unit, ty.name());
        let idl = literal(idl);
        let bits = size * 8;
        let number = match ty.kind() {
            TypeKind::Boolean => format!("{value} ? 1 : 0"),
            TypeKind::Enumeration => {
                let fail = "dunlin_cdr_fail(w->fault, DUNLIN_CDR_ENUMERATOR";
                code.line(format_args!(
                    "if (!{name}_is_known({value})) return {fail}, {idl}, {value}, 0);"
                ));
                format!("(uint{bits}_t){value}")
            }
            TypeKind::Bitmask => {
                let mask = functions::flags(ty);
                let fail = "dunlin_cdr_fail(w->fault, DUNLIN_CDR_BITS";
                code.line(format_args!(
                    "if (({value} & ~(uint64_t){mask:#x}u) != 0) return {fail}, {idl}, (int64_t){value}, (int64_t){mask:#x}u);"
                ));
                value.into()
            }
            _ => format!("(uint{bits}_t){name}_packed(&{value})"),
        };
        code.braces("", |code| {
            code.line(format_args!("uint{bits}_t number = {number};"));
            code.line(match self.form {
                Form::KeyHash => format!("dunlin_cdr_put_big({at}, &number, {size}, 1);"),
                _ => format!("memcpy({at}, &number, {size});"),
            });
        });
    }
}

/// Padding is zero.
fn gap(code: &mut Code, p: &str, from: u64, to: u64) {
    if from < to {
        code.line(format_args!("memset({p} + {from}, 0, {});", to - from));
    }
}
