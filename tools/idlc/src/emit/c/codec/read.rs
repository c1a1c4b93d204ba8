//! Functions that read, trusting nothing.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, TryConstruct, TypeKind};

use super::super::code::{Code, literal};
use super::super::place::Place;
use super::super::value::Values;
use super::super::{functions, names};
use super::name;
use super::scope::{self, Delimited, Scope};
use super::size::element;
use crate::emit::Unit;
use crate::plan::{Count, Field, Form, Plan, Presence, RoutineId, Run, Step};

mod mutable;
mod number;

pub(super) fn body(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    id: RoutineId,
    ty: &DynamicType,
    steps: &[Step],
) {
    let read = Read {
        unit,
        plan,
        form: id.form,
        names: Cell::new(0),
    };
    let root = Place::root(unit, ty.clone(), "v");
    let of = Part {
        root,
        scope: None,
        is_headed: true,
        flags: RefCell::default(),
        outer: None,
    };
    read.root(code, of, ty, steps);
    code.line("return true;");
}

/// What is read into: the value of a routine, or an element of a collection.
struct Part<'o> {
    root: Place,
    scope: Option<Scope>,
    /// The header of the value is not to come.
    is_headed: bool,
    /// Variables that say that a part at a path does not fit and takes its default.
    flags: RefCell<Vec<(String, String)>>,
    /// The part that the collection at the path is in.
    outer: Option<(&'o Part<'o>, &'o str)>,
}

impl Part<'_> {
    /// The same with another scope.
    fn within(&self, scope: Option<Scope>) -> Part<'_> {
        Part {
            root: self.root.clone(),
            scope,
            is_headed: true,
            flags: RefCell::default(),
            outer: None,
        }
    }
}

struct Read<'u, 'm> {
    unit: &'u Unit<'m>,
    plan: &'u Plan,
    form: Form,
    names: Cell<u32>,
}

/// What ends the function.
fn check(code: &mut Code, call: impl Display) {
    code.line(format_args!("if (!{call}) return false;"));
}

impl Read<'_, '_> {
    fn fresh(&self, word: &str) -> String {
        self.names.set(self.names.get() + 1);
        format!("{word}{}", self.names.get())
    }

    fn values(&self) -> Values<'_, '_> {
        Values(self.unit)
    }

    fn place(&self, part: &Part<'_>, path: &str) -> Place {
        let place = part.root.at(self.unit, path);
        let is_union = part.root.ty.resolved().kind() == TypeKind::Union && part.outer.is_none();
        match is_union && path == "_d" {
            true => Place {
                value: "d".into(),
                ..place
            },
            false => place,
        }
    }

    fn root(&self, code: &mut Code, mut part: Part<'_>, ty: &DynamicType, steps: &[Step]) {
        let grows = ty.extensibility();
        if ty.kind() == TypeKind::Union
            && let Some(of) = ty.discriminator()
        {
            let of = ty.at(of.ty);
            let declared = names::selector(self.unit, &of, "d");
            let place = part.root.part(self.unit, "_d");
            let default = super::super::constant::default(&of, place.default.as_ref());
            code.line(format_args!("{declared} = {default};"));
        }
        if grows == Extensibility::Mutable {
            return self.mutable(code, &part, ty, steps);
        }
        let [Step::Delimited { steps: inner, .. }] = steps else {
            return self.bare(code, &mut part, ty, steps);
        };
        if self.form == Form::Xcdr1 || grows == Extensibility::Final {
            return self.bare(code, &mut part, ty, steps);
        }
        let idl = literal(&part.root.idl);
        code.line("dunlin_cdr_scope whole = {NULL, NULL, NULL};");
        code.line("const bool open = !r->is_undelimited;");
        code.line("bool gone = false;");
        code.line("r->is_undelimited = false;");
        code.line(format_args!(
            "if (open && !dunlin_cdr_begin(r, &whole, {idl})) return false;"
        ));
        code.line("(void)gone;");
        part.scope = Some(Scope {
            prefixes: vec![String::new()],
            gone: "gone".into(),
            open: "open".into(),
        });
        self.mended(code, &part, |code| self.steps(code, &part, inner));
        code.line("if (open) dunlin_cdr_end(r, &whole);");
    }

    /// Without a header.
    fn bare(&self, code: &mut Code, part: &mut Part<'_>, ty: &DynamicType, steps: &[Step]) {
        if self.form == Form::Xcdr1 {
            let open = "r->at == r->region && r->at != r->end";
            part.scope = self.leading(code, ty, "", open);
        }
        self.mended(code, part, |code| self.steps(code, part, steps));
    }

    /// What may be missing of a value that begins where a part with a length begins, in XCDR1.
    fn leading(&self, code: &mut Code, ty: &DynamicType, path: &str, open: &str) -> Option<Scope> {
        let prefixes = scope::leading(ty, path);
        if self.form != Form::Xcdr1 || prefixes.is_empty() {
            return None;
        }
        let scope = Scope {
            prefixes,
            gone: self.fresh("gone"),
            open: self.fresh("open"),
        };
        code.line(format_args!("const bool {} = {open};", scope.open));
        code.line(format_args!("bool {} = false;", scope.gone));
        code.line(format_args!("(void){};", scope.open));
        code.line(format_args!("(void){};", scope.gone));
        Some(scope)
    }

    /// Gives defaults to what did not fit in what `body` reads.
    fn mended(&self, code: &mut Code, part: &Part<'_>, body: impl FnOnce(&mut Code)) {
        let mut inner = Code::at(code.depth());
        body(&mut inner);
        let flags = part.flags.borrow();
        for (name, _) in flags.iter() {
            code.line(format_args!("bool {name} = false;"));
        }
        code.append(inner);
        for (name, path) in flags.iter() {
            code.braces(format_args!("if ({name})"), |code| {
                self.values().reset(code, &self.place(part, path));
                code.line("dunlin_cdr_mended(r);");
            });
        }
    }

    /// Where it is noted that what is at a path does not fit.
    fn misfit(&self, part: &Part<'_>, path: &str) -> String {
        let mut path = path;
        loop {
            let is_entry = path.is_empty() && part.root.ty.resolved().kind() == TypeKind::Map;
            let place = self.place(part, path);
            let is_held = !path.is_empty() || part.outer.is_some();
            if !is_entry && is_held && place.try_construct == TryConstruct::UseDefault {
                let mut flags = part.flags.borrow_mut();
                let known = flags
                    .iter()
                    .find(|flag| flag.1 == path)
                    .map(|flag| flag.0.clone());
                let name = known.unwrap_or_else(|| {
                    let name = self.fresh("misfit");
                    flags.push((name.clone(), path.into()));
                    name
                });
                return format!("&{name}");
            }
            path = match path.rsplit_once('.') {
                Some((above, _)) => above,
                None if path.is_empty() => break,
                None => "",
            };
        }
        match part.outer {
            Some((outer, path)) => self.misfit(outer, path),
            None => "&r->is_misfit".into(),
        }
    }

    fn steps(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
        for step in steps {
            self.step(code, part, step);
        }
    }

    fn step(&self, code: &mut Code, part: &Part<'_>, step: &Step) {
        let path = scope::path(step);
        let scope = match (path, &part.scope, step) {
            (_, _, Step::Run(_) | Step::Switch { .. }) => None,
            (Some(path), Some(scope), _) if scope.has(path) => Some((path, scope)),
            // An empty struct is a member, too.
            (None, Some(scope), Step::Delimited { .. }) => Some(("", scope)),
            _ => None,
        };
        let Some((path, scope)) = scope else {
            return self.present(code, part, step);
        };
        if path.is_empty() || scope.begins(self.unit, &part.root, path) {
            let (gone, open) = (&scope.gone, &scope.open);
            code.line(format_args!(
                "{gone} = {gone} || ({open} && r->at == r->end);"
            ));
        }
        code.braces(format_args!("if ({})", scope.gone), |code| {
            let path = match step {
                Step::Delimited { steps, .. } => match self.kind(part, steps) {
                    Delimited::Collection(path) | Delimited::Struct(path) => path,
                    Delimited::Empty => return,
                },
                _ => path.to_string(),
            };
            self.values().reset(code, &self.place(part, &path));
        });
        code.braces("else", |code| self.present(code, part, step));
    }

    fn kind(&self, part: &Part<'_>, steps: &[Step]) -> Delimited {
        let prefix = part.scope.as_ref().and_then(|scope| scope.prefixes.first());
        let prefix = prefix.map_or("", |prefix| prefix);
        scope::delimited(self.unit, &part.root, (prefix, part.is_headed), steps)
    }

    fn present(&self, code: &mut Code, part: &Part<'_>, step: &Step) {
        match step {
            Step::Run(run) => self.run(code, part, run),
            Step::Text {
                path,
                is_wide,
                bound,
            } => self.text(code, part, path, *is_wide, *bound),
            Step::Loop {
                path,
                count,
                elements,
                stride,
                ..
            } => match count {
                Count::Fixed(count) => self.array(code, part, path, *count, elements),
                Count::Length { bound } => {
                    self.sequence(code, part, path, *bound, (elements, *stride));
                }
            },
            Step::Delimited { steps, .. } => self.delimited(code, part, steps),
            // Mutable types are routines of their own.
            Step::ParameterList { steps } => self.steps(code, part, steps),
            Step::Member(of) => self.steps(code, part, &of.steps),
            Step::Optional {
                presence,
                path,
                steps,
            } => {
                self.optional(code, part, *presence, path, steps);
            }
            Step::External { path, steps } => {
                let place = self.place(part, path);
                code.braces("", |code| {
                    self.held(code, &place, |code| self.steps(code, part, steps));
                });
            }
            Step::Switch { cases } => {
                let ty = part.root.ty.resolved();
                let name = names::global(self.unit, ty.name());
                code.line(format_args!("{name}_select(v, d);"));
                let mut cases = cases.iter();
                functions::cases(code, &ty, "d", |code, _| {
                    if let Some(case) = cases.next() {
                        self.steps(code, part, &case.steps);
                    }
                });
            }
            Step::Call { path, to, .. } => self.call(code, part, path, *to),
        }
    }

    fn call(&self, code: &mut Code, part: &Part<'_>, path: &str, to: RoutineId) {
        let name = name(self.unit, self.plan, to);
        let call = format!("{name}_read(r, {})", self.place(part, path).address());
        let misfit = self.misfit(part, path);
        let Some(flag) = misfit
            .strip_prefix('&')
            .filter(|flag| *flag != "r->is_misfit")
        else {
            return check(code, call);
        };
        let before = self.fresh("before");
        code.braces("", |code| {
            code.line(format_args!("const bool {before} = r->is_misfit;"));
            code.line("r->is_misfit = false;");
            check(code, call);
            code.line(format_args!("{flag} = {flag} || r->is_misfit;"));
            code.line(format_args!("r->is_misfit = {before};"));
        });
    }

    fn text(&self, code: &mut Code, part: &Part<'_>, path: &str, is_wide: bool, bound: u32) {
        let place = self.place(part, path);
        let is_trimmed = place.try_construct == TryConstruct::Trim;
        let misfit = match bound {
            0 => "&r->is_misfit".into(),
            _ => self.misfit(part, path),
        };
        let (function, to) = match (is_wide, place.is_own_text()) {
            (true, _) => ("dunlin_cdr_wide", format!("&{}", place.value)),
            (false, true) => ("dunlin_cdr_text", format!("&{}", place.value)),
            (false, false) => ("dunlin_cdr_text_within", place.value.clone()),
        };
        let idl = literal(&place.idl);
        check(
            code,
            format_args!("{function}(r, {to}, {bound}u, {is_trimmed}, {misfit}, {idl})"),
        );
    }

    fn delimited(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
        let outer = self.fresh("outer");
        let kind = self.kind(part, steps);
        let path = match &kind {
            Delimited::Collection(path) | Delimited::Struct(path) => path.clone(),
            Delimited::Empty => String::new(),
        };
        code.braces("", |code| {
            let idl = literal(&self.place(part, &path).idl);
            code.line(format_args!(
                "dunlin_cdr_scope {outer} = {{NULL, NULL, NULL}};"
            ));
            check(code, format_args!("dunlin_cdr_begin(r, &{outer}, {idl})"));
            let scope = match kind {
                Delimited::Struct(path) => {
                    let gone = self.fresh("gone");
                    code.line(format_args!("bool {gone} = false;"));
                    code.line(format_args!("(void){gone};"));
                    Some(Scope {
                        prefixes: vec![path],
                        gone,
                        open: "true".into(),
                    })
                }
                _ => None,
            };
            self.scoped(code, part, scope, steps);
            code.line(format_args!("dunlin_cdr_end(r, &{outer});"));
        });
    }

    /// Steps of the same value in another scope.
    fn scoped(&self, code: &mut Code, part: &Part<'_>, scope: Option<Scope>, steps: &[Step]) {
        let inner = Part {
            outer: part.outer,
            ..part.within(scope)
        };
        // What does not fit is noted once, for the whole value.
        inner.flags.swap(&part.flags);
        self.steps(code, &inner, steps);
        inner.flags.swap(&part.flags);
    }

    /// What a member points to.
    fn held(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        let idl = literal(&place.idl);
        check(code, format_args!("dunlin_cdr_enter(r, {idl})"));
        if let Some(pointer) = place
            .pointer
            .as_ref()
            .filter(|_| !place.is_pointer_itself())
        {
            let make = match place.has_classes {
                true => "DUNLIN_CDR_OWN",
                false => "DUNLIN_CDR_MAKE",
            };
            code.line(format_args!("{make}(r, {pointer}, {idl});"));
        }
        body(code);
        code.line("r->depth--;");
    }

    fn optional(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        presence: Presence,
        path: &str,
        steps: &[Step],
    ) {
        let place = self.place(part, path);
        let idl = literal(&place.idl);
        code.braces("", |code| match presence {
            Presence::Flag => {
                let there = self.fresh("there");
                code.line(format_args!("bool {there} = false;"));
                check(code, format_args!("dunlin_cdr_flag(r, &{there}, {idl})"));
                code.braces(format_args!("if ({there})"), |code| {
                    self.held(code, &place, |code| self.scoped(code, part, None, steps));
                });
                code.braces("else", |code| self.values().free(code, &place));
            }
            Presence::Parameter { id, .. } => {
                let member = self.fresh("member");
                code.line(format_args!(
                    "dunlin_cdr_member {member} = {{{{NULL, NULL, NULL}}, 0, false, false}};"
                ));
                check(
                    code,
                    format_args!("dunlin_cdr_optional(r, &{member}, {id:#x}u, {idl})"),
                );
                code.braces("if (r->at != r->end)", |code| {
                    self.held(code, &place, |code| self.content(code, part, path, steps));
                });
                code.braces("else", |code| self.values().free(code, &place));
                code.line(format_args!("dunlin_cdr_end(r, &{member}.outer);"));
            }
        });
    }

    /// What is in a part of its own, in which alignment counts anew or not.
    fn content(&self, code: &mut Code, part: &Part<'_>, path: &str, steps: &[Step]) {
        let place = self.place(part, path);
        let scope = self.leading(code, &place.ty, path, "r->at != r->end");
        self.scoped(code, part, scope, steps);
    }

    fn array(&self, code: &mut Code, part: &Part<'_>, path: &str, count: u64, steps: &[Step]) {
        let place = self.place(part, path);
        super::size::each(
            self.unit,
            code,
            &place,
            &format!("{count}u"),
            |code, element| {
                self.element(code, part, path, element, steps);
            },
        );
    }

    fn element(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        path: &str,
        element: &Place,
        steps: &[Step],
    ) {
        let inner = Part {
            root: element.clone(),
            scope: None,
            is_headed: false,
            flags: RefCell::default(),
            outer: Some((part, path)),
        };
        self.mended(code, &inner, |code| self.steps(code, &inner, steps));
    }

    fn sequence(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        path: &str,
        bound: u32,
        (elements, stride): (&[Step], Option<u64>),
    ) {
        let place = self.place(part, path);
        let ty = place.ty.resolved();
        let collection = names::collection(self.unit, &ty);
        let (n, s, e) = (self.fresh("n"), self.fresh("s"), self.fresh("e"));
        let idl = literal(&place.idl);
        let halves = ty.key_element().into_iter().chain(ty.element());
        let least: u64 = halves
            .map(|of| match of.is_external {
                true => 0,
                false => scope::least(&ty.at(of.ty), self.form, 0),
            })
            .sum();
        code.braces("", |code| {
            code.line(format_args!("uint32_t {n} = 0;"));
            code.line(format_args!("{collection} *{s} = {};", place.address()));
            check(
                code,
                format_args!("dunlin_cdr_take_count(r, &{n}, {least}u, {idl})"),
            );
            check(
                code,
                format_args!("dunlin_cdr_charge(r, {n}, sizeof *{s}->_buffer, {idl})"),
            );
            let content = |code: &mut Code| {
                let memory = format!("dunlin_cdr_fail(r->fault, DUNLIN_CDR_MEMORY, {idl}, {n}, 0)");
                let resize = names::of_collection(self.unit, &ty, "resize");
                code.line(format_args!("if (!{resize}({s}, {n})) return {memory};"));
                let one = element(&place, &e);
                match self.numbers(&one, elements) {
                    Some(field) => self.row(code, part, path, (&one, field), (&n, &s, &e)),
                    None => {
                        let fast = self.whole(code, &one, elements, stride, (&n, &s));
                        check(code, format_args!("dunlin_cdr_enter(r, {idl})"));
                        let i = self.fresh("i");
                        code.line(format_args!("uint32_t {i} = {};", fast.unwrap_or("0".into())));
                        code.braces(format_args!("for (; {i} < {n}; {i}++)"), |code| {
                            let pointer = functions::element_pointer(self.unit, &ty, &e);
                            code.line(format_args!("{pointer} = &{s}->_buffer[{i}];"));
                            code.line(format_args!("(void){e};"));
                            self.element(code, part, path, &one, elements);
                        });
                        code.line("r->depth--;");
                    }
                }
                if bound > 0 {
                    code.braces(format_args!("if ({n} > {bound}u)"), |code| {
                        let kept = match place.try_construct {
                            TryConstruct::Trim => bound,
                            _ => {
                                let misfit = self.misfit(part, path);
                                let code_name = "DUNLIN_CDR_BOUND";
                                code.line(format_args!(
                                    "dunlin_cdr_misfit(r, {misfit}, {code_name}, {idl}, {n}, {bound}u);"
                                ));
                                0
                            }
                        };
                        code.line(format_args!("(void){resize}({s}, {kept});"));
                    });
                }
                if ty.kind() == TypeKind::Map {
                    let sort = names::of_collection(self.unit, &ty, "sort");
                    code.line(format_args!("{sort}({s});"));
                }
            };
            if names::are_octets(&ty) {
                let lent = format!("if (!dunlin_cdr_lend(r, {s}, {n}, {bound}u))");
                return code.braces(lent, content);
            }
            content(code);
        });
    }
}
