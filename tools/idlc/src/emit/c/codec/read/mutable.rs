//! Reads mutable types, whose members come in any order.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::super::code::{Code, literal};
use super::super::super::functions;
use super::super::super::names;
use super::{Form, Part, Read, Step, check};
use crate::plan::{Case, Member, members};

impl Read<'_, '_> {
    pub(super) fn mutable(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        ty: &DynamicType,
        steps: &[Step],
    ) {
        let inner = match steps {
            [Step::Delimited { steps, .. } | Step::ParameterList { steps }] => steps,
            _ => steps,
        };
        let inner: &[Step] = inner;
        let is_delimited = self.form != Form::Xcdr1;
        if is_delimited {
            let idl = literal(&part.root.idl);
            code.line("dunlin_cdr_scope whole = {NULL, NULL, NULL};");
            check(code, format_args!("dunlin_cdr_begin(r, &whole, {idl})"));
        }
        self.mended(code, part, |code| match ty.kind() {
            TypeKind::Union => self.labelled_union(code, part, ty, inner),
            _ => self.labelled(code, part, inner),
        });
        if is_delimited {
            code.line("dunlin_cdr_end(r, &whole);");
        }
    }

    /// A loop over headers; `body` is in a switch over the member id.
    fn headers(&self, code: &mut Code, part: &Part<'_>, body: impl FnOnce(&mut Code, &str)) {
        let idl = literal(&part.root.idl);
        let next = match self.form {
            Form::Xcdr1 => "dunlin_cdr_parameter_next",
            _ => "dunlin_cdr_labelled",
        };
        code.braces("for (;;)", |code| {
            code.line("dunlin_cdr_member member = {{NULL, NULL, NULL}, 0, false, false};");
            check(code, format_args!("{next}(r, &member, {idl})"));
            code.line("if (member.is_last) break;");
            code.braces("switch (member.id)", |code| {
                body(code, &idl);
                code.line("default:");
                check(code, format_args!("dunlin_cdr_unknown(r, &member, {idl})"));
                code.line("break;");
            });
            code.line("dunlin_cdr_end(r, &member.outer);");
        });
    }

    fn labelled(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
        let members: Vec<&Member> = members(steps).collect();
        if !members.is_empty() {
            code.line(format_args!("bool seen[{}] = {{false}};", members.len()));
        }
        self.headers(code, part, |code, _| {
            for (at, of) in members.iter().enumerate() {
                code.line(format_args!("case {:#x}u:", of.id));
                code.braces("", |code| {
                    code.line(format_args!("seen[{at}] = true;"));
                    self.one(code, part, of);
                });
                code.line("break;");
            }
        });
        for (at, of) in members.iter().enumerate() {
            code.braces(format_args!("if (!seen[{at}])"), |code| {
                self.values().reset(code, &self.place(part, &of.path));
            });
        }
    }

    fn one(&self, code: &mut Code, part: &Part<'_>, of: &Member) {
        match of.is_optional {
            false => self.content(code, part, &of.path, &of.steps),
            true => {
                let place = self.place(part, &of.path);
                self.held(code, &place, |code| {
                    self.content(code, part, &of.path, &of.steps)
                });
            }
        }
    }

    /// The discriminator may come behind what it selects.
    fn labelled_union(&self, code: &mut Code, part: &Part<'_>, ty: &DynamicType, steps: &[Step]) {
        let [Step::Member(selector), Step::Switch { cases }] = steps else {
            return;
        };
        let idl = literal(&part.root.idl);
        let name = names::global(self.unit, ty.name());
        let missing = format!("dunlin_cdr_fail(r->fault, DUNLIN_CDR_MISSING, {idl}, 0, 0)");
        code.line("const uint8_t *begin = r->at;");
        code.line("bool is_found = false, is_wanted = false;");
        self.headers(code, part, |code, _| {
            code.line(format_args!("case {:#x}u:", selector.id));
            code.line("is_found = true;");
            code.braces("", |code| {
                self.content(code, part, &selector.path, &selector.steps)
            });
            code.line("break;");
            let mut known = false;
            for of in cases.iter().filter_map(Case::member) {
                code.line(format_args!("case {:#x}u:", of.id));
                known = true;
            }
            if known {
                code.line("break;");
            }
        });
        code.line(format_args!("if (!is_found) return {missing};"));
        code.line(format_args!("{name}_select(v, d);"));
        code.line("r->at = begin;");
        code.line("is_found = false;");
        let next = match self.form {
            Form::Xcdr1 => "dunlin_cdr_parameter_next",
            _ => "dunlin_cdr_labelled",
        };
        code.braces("for (;;)", |code| {
            code.line("dunlin_cdr_member member = {{NULL, NULL, NULL}, 0, false, false};");
            check(code, format_args!("{next}(r, &member, {idl})"));
            code.line("if (member.is_last) break;");
            let mut all = cases.iter();
            functions::cases(code, ty, "d", |code, _| {
                let Some(of) = all.next().and_then(Case::member) else {
                    return;
                };
                code.line("is_wanted = true;");
                code.braces(format_args!("if (member.id == {:#x}u)", of.id), |code| {
                    code.line("is_found = true;");
                    self.one(code, part, of);
                });
            });
            code.line("dunlin_cdr_end(r, &member.outer);");
        });
        code.line(format_args!(
            "if (is_wanted && !is_found) return {missing};"
        ));
    }
}
