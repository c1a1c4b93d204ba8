//! Reads mutable types, whose members come in any order.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::cases;
use super::read::{Part, Read, check};
use crate::emit::code::Code;
use crate::plan::{Case, Form, Member, Step, members};

const MEMBER: &str = "global::Dunlin.Cdr.CdrMember";

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
        let is_delimited = self.form != Form::Xcdr1;
        if is_delimited {
            let idl = part.root.idl();
            check(
                code,
                format_args!("r.Begin(out global::Dunlin.Cdr.CdrScope whole, {idl})"),
            );
        }
        self.mended(code, part, |code| match ty.kind() {
            TypeKind::Union => self.labelled_union(code, part, ty, inner),
            _ => self.labelled(code, part, inner),
        });
        if is_delimited {
            code.line("r.End(whole);");
        }
    }

    fn next(&self) -> &'static str {
        match self.form {
            Form::Xcdr1 => "NextParameter",
            _ => "NextLabelled",
        }
    }

    /// A loop over headers; `body` is in a switch over the member id.
    fn headers(&self, code: &mut Code, part: &Part<'_>, body: impl FnOnce(&mut Code)) {
        let idl = part.root.idl();
        let next = self.next();
        code.braces("for (;;)", |code| {
            check(code, format_args!("r.{next}(out {MEMBER} member, {idl})"));
            code.line("if (member.IsLast) break;");
            code.braces("switch (member.Id)", |code| {
                body(code);
                code.line("default:");
                check(code, format_args!("r.Unknown(member, {idl})"));
                code.line("break;");
            });
            code.line("r.End(member.Outer);");
        });
    }

    fn labelled(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
        let members: Vec<&Member> = members(steps).collect();
        for at in 0..members.len() {
            code.line(format_args!("bool seen{at} = false;"));
        }
        self.headers(code, part, |code| {
            for (at, of) in members.iter().enumerate() {
                code.line(format_args!("case {:#x}u:", of.id));
                code.braces("", |code| {
                    code.line(format_args!("seen{at} = true;"));
                    self.one(code, part, of);
                });
                code.line("break;");
            }
        });
        for (at, of) in members.iter().enumerate() {
            code.braces(format_args!("if (!seen{at})"), |code| {
                self.reset(code, &self.place(part, &of.path));
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
        let [Step::Member(selector), Step::Switch { cases: all }] = steps else {
            return;
        };
        let idl = part.root.idl();
        let missing = format!("r.Fail(global::Dunlin.Cdr.CdrError.Missing, {idl}, 0, 0)");
        code.line("long begin = r.Position;");
        code.line("bool isFound = false, isWanted = false;");
        self.headers(code, part, |code| {
            code.line(format_args!("case {:#x}u:", selector.id));
            code.line("isFound = true;");
            code.braces("", |code| {
                self.content(code, part, &selector.path, &selector.steps)
            });
            code.line("break;");
            let mut known = false;
            for of in all.iter().filter_map(Case::member) {
                code.line(format_args!("case {:#x}u:", of.id));
                known = true;
            }
            if known {
                code.line("break;");
            }
        });
        code.line(format_args!("if (!isFound) return {missing};"));
        code.line("v.Select(d);");
        code.line("r.Position = begin;");
        code.line("isFound = false;");
        let next = self.next();
        code.braces("for (;;)", |code| {
            check(code, format_args!("r.{next}(out {MEMBER} member, {idl})"));
            code.line("if (member.IsLast) break;");
            cases(code, ty, "d", |code, at, _| {
                let Some(of) = all.get(at).and_then(Case::member) else {
                    return;
                };
                code.line("isWanted = true;");
                code.braces(format_args!("if (member.Id == {:#x}u)", of.id), |code| {
                    code.line("isFound = true;");
                    self.one(code, part, of);
                });
            });
            code.line("r.End(member.Outer);");
        });
        code.line(format_args!("if (isWanted && !isFound) return {missing};"));
    }
}
