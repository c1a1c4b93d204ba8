//! Methods that read, trusting nothing.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, TryConstruct, TypeKind};

use super::super::place::Place;
use super::super::value::{self, ensure, span};
use super::super::{constant, names};
use super::{cases, path as routine_path};
use crate::emit::Unit;
use crate::emit::c::codec::scope::{self, Delimited, Scope};
use crate::emit::code::Code;
use crate::plan::{Count, Form, Plan, Presence, RoutineId, Step};

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
    let root = Place::root(ty.clone(), "v").inside();
    let of = Part {
        root,
        scope: None,
        is_headed: true,
        flags: RefCell::default(),
        outer: None,
    };
    read.root(code, of, ty, steps);
}

/// What is read into: the value of a routine, or an element of a collection.
pub(super) struct Part<'o> {
    pub(super) root: Place,
    pub(super) scope: Option<Scope>,
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

pub(super) struct Read<'u, 'm> {
    pub(super) unit: &'u Unit<'m>,
    pub(super) plan: &'u Plan,
    pub(super) form: Form,
    names: Cell<u32>,
}

/// What ends the method.
pub(super) fn check(code: &mut Code, call: impl Display) {
    code.line(format_args!("if (!{call}) return false;"));
}

impl Read<'_, '_> {
    pub(super) fn fresh(&self, word: &str) -> String {
        self.names.set(self.names.get() + 1);
        format!("{word}{}", self.names.get())
    }

    pub(super) fn reset(&self, code: &mut Code, place: &Place) {
        value::reset(self.unit, code, place);
    }

    pub(super) fn place(&self, part: &Part<'_>, path: &str) -> Place {
        let place = part.root.at(self.unit, path);
        let is_union = part.root.resolved().kind() == TypeKind::Union && part.outer.is_none();
        match is_union && path == "_d" {
            true => Place {
                value: "d".into(),
                ..place
            },
            false => place,
        }
    }

    /// The structs within the value that lead to a part are there in each value that is made by its
    /// constructor, and elements are made when their turn comes.
    pub(super) fn prepare(&self, code: &mut Code, part: &Part<'_>, path: &str) {
        if path.is_empty() && part.outer.is_some() {
            let place = self.place(part, path);
            if place.resolved().kind() == TypeKind::Array {
                ensure(self.unit, code, &place);
            }
        }
    }

    fn root(&self, code: &mut Code, mut part: Part<'_>, ty: &DynamicType, steps: &[Step]) {
        let grows = ty.extensibility();
        if ty.kind() == TypeKind::Union
            && let Some(of) = ty.discriminator()
        {
            let of = ty.at(of.ty);
            let place = part.root.part(self.unit, "_d");
            let default = constant::number(self.unit, &of, place.of.default.as_ref());
            code.line(format_args!(
                "{} d = {default};",
                names::typed(self.unit, &of)
            ));
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
        let idl = part.root.idl();
        code.line("global::Dunlin.Cdr.CdrScope whole = default;");
        code.line("bool open = !r.IsUndelimited;");
        code.line("bool gone = false;");
        code.line("r.IsUndelimited = false;");
        code.line(format_args!(
            "if (open && !r.Begin(out whole, {idl})) return false;"
        ));
        code.line("_ = gone;");
        part.scope = Some(Scope {
            prefixes: vec![String::new()],
            gone: "gone".into(),
            open: "open".into(),
        });
        self.mended(code, &part, |code| self.steps(code, &part, inner));
        code.line("if (open) r.End(whole);");
    }

    /// Without a header.
    fn bare(&self, code: &mut Code, part: &mut Part<'_>, ty: &DynamicType, steps: &[Step]) {
        if self.form == Form::Xcdr1 {
            part.scope = self.leading(code, ty, "", "r.IsAtBegin && !r.IsAtEnd");
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
        code.line(format_args!("bool {} = {open};", scope.open));
        code.line(format_args!("bool {} = false;", scope.gone));
        code.line(format_args!("_ = {} || {};", scope.open, scope.gone));
        Some(scope)
    }

    /// Gives defaults to what did not fit in what `body` reads.
    pub(super) fn mended(&self, code: &mut Code, part: &Part<'_>, body: impl FnOnce(&mut Code)) {
        let mut inner = Code::at(code.depth());
        body(&mut inner);
        let flags = part.flags.borrow();
        for (name, _) in flags.iter() {
            code.line(format_args!("bool {name} = false;"));
        }
        code.append(inner);
        for (name, path) in flags.iter() {
            code.braces(format_args!("if ({name})"), |code| {
                self.reset(code, &self.place(part, path));
                code.line("r.Mended();");
            });
        }
    }

    /// Where it is noted that what is at a path does not fit.
    pub(super) fn misfit(&self, part: &Part<'_>, path: &str) -> String {
        let mut path = path;
        loop {
            let is_entry = path.is_empty() && part.root.resolved().kind() == TypeKind::Map;
            let place = self.place(part, path);
            let is_held = !path.is_empty() || part.outer.is_some();
            if !is_entry && is_held && place.of.try_construct == TryConstruct::UseDefault {
                let mut flags = part.flags.borrow_mut();
                let known = flags.iter().find(|flag| flag.1 == path);
                let known = known.map(|flag| flag.0.clone());
                return known.unwrap_or_else(|| {
                    let name = self.fresh("misfit");
                    flags.push((name.clone(), path.into()));
                    name
                });
            }
            path = match path.rsplit_once('.') {
                Some((above, _)) => above,
                None if path.is_empty() => break,
                None => "",
            };
        }
        match part.outer {
            Some((outer, path)) => self.misfit(outer, path),
            None => "r.IsMisfit".into(),
        }
    }

    pub(super) fn steps(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
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
        if path.is_empty() || scope.begins(self.unit, &part.root.of, path) {
            let (gone, open) = (&scope.gone, &scope.open);
            code.line(format_args!("{gone} = {gone} || ({open} && r.IsAtEnd);"));
        }
        code.braces(format_args!("if ({})", scope.gone), |code| {
            let path = match step {
                Step::Delimited { steps, .. } => match self.kind(part, steps) {
                    Delimited::Collection(path) | Delimited::Struct(path) => path,
                    Delimited::Empty => return,
                },
                _ => path.to_string(),
            };
            self.reset(code, &self.place(part, &path));
        });
        code.braces("else", |code| self.present(code, part, step));
    }

    fn kind(&self, part: &Part<'_>, steps: &[Step]) -> Delimited {
        let prefix = part.scope.as_ref().and_then(|scope| scope.prefixes.first());
        let prefix = prefix.map_or("", |prefix| prefix);
        scope::delimited(self.unit, &part.root.of, (prefix, part.is_headed), steps)
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
                ..
            } => match count {
                Count::Fixed(_) => self.array(code, part, path, elements),
                Count::Length { bound } => self.sequence(code, part, path, *bound, elements),
            },
            Step::Delimited { steps, .. } => self.delimited(code, part, steps),
            // Mutable types are routines of their own.
            Step::ParameterList { steps } => self.steps(code, part, steps),
            Step::Member(of) => self.steps(code, part, &of.steps),
            Step::Optional {
                presence,
                path,
                steps,
            } => self.optional(code, part, *presence, path, steps),
            Step::External { path, steps } => {
                let place = self.place(part, path);
                code.braces("", |code| {
                    self.held(code, &place, |code| self.steps(code, part, steps));
                });
            }
            Step::Switch { cases: all } => {
                let ty = part.root.resolved();
                code.line("v.Select(d);");
                cases(code, &ty, "d", |code, at, _| {
                    if let Some(case) = all.get(at) {
                        self.steps(code, part, &case.steps);
                    }
                });
            }
            Step::Call { path, to, .. } => self.call(code, part, path, *to),
        }
    }

    fn call(&self, code: &mut Code, part: &Part<'_>, path: &str, to: RoutineId) {
        let routine = routine_path(self.unit, self.plan, to);
        let place = self.place(part, path);
        if path.is_empty() {
            ensure(self.unit, code, &place);
        }
        let call = format!("{routine}Read(ref r, {})", place.value);
        let flag = self.misfit(part, path);
        if flag == "r.IsMisfit" {
            return check(code, call);
        }
        let before = self.fresh("before");
        code.braces("", |code| {
            code.line(format_args!("bool {before} = r.IsMisfit;"));
            code.line("r.IsMisfit = false;");
            check(code, call);
            code.line(format_args!("{flag} = {flag} || r.IsMisfit;"));
            code.line(format_args!("r.IsMisfit = {before};"));
        });
    }

    fn text(&self, code: &mut Code, part: &Part<'_>, path: &str, is_wide: bool, bound: u32) {
        let place = self.place(part, path);
        let is_trimmed = place.of.try_construct == TryConstruct::Trim;
        let misfit = match bound {
            0 => "r.IsMisfit".into(),
            _ => self.misfit(part, path),
        };
        let function = if is_wide { "Wide" } else { "Text" };
        let (value, idl, text) = (&place.value, place.idl(), self.fresh("text"));
        let all = format!("{value}, {bound}, {is_trimmed}, ref {misfit}, {idl}, out string {text}");
        check(code, format_args!("r.{function}({all})"));
        code.line(format_args!("{value} = {text};"));
    }

    fn delimited(&self, code: &mut Code, part: &Part<'_>, steps: &[Step]) {
        let outer = self.fresh("outer");
        let kind = self.kind(part, steps);
        let path = match &kind {
            Delimited::Collection(path) | Delimited::Struct(path) => path.clone(),
            Delimited::Empty => String::new(),
        };
        code.braces("", |code| {
            let idl = self.place(part, &path).idl();
            check(
                code,
                format_args!("r.Begin(out global::Dunlin.Cdr.CdrScope {outer}, {idl})"),
            );
            let scope = match kind {
                Delimited::Struct(path) => {
                    let gone = self.fresh("gone");
                    code.line(format_args!("bool {gone} = false;"));
                    code.line(format_args!("_ = {gone};"));
                    Some(Scope {
                        prefixes: vec![path],
                        gone,
                        open: "true".into(),
                    })
                }
                _ => None,
            };
            self.scoped(code, part, scope, steps);
            code.line(format_args!("r.End({outer});"));
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

    /// What a member refers to.
    pub(super) fn held(&self, code: &mut Code, place: &Place, body: impl FnOnce(&mut Code)) {
        check(code, format_args!("r.Enter({})", place.idl()));
        if place.is_nullable {
            ensure(self.unit, code, place);
        }
        body(code);
        code.line("r.Leave();");
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
        let (value, idl) = (&place.value, place.idl());
        code.braces("", |code| match presence {
            Presence::Flag => {
                let there = self.fresh("there");
                check(code, format_args!("r.Flag(out bool {there}, {idl})"));
                code.braces(format_args!("if ({there})"), |code| {
                    self.held(code, &place, |code| self.scoped(code, part, None, steps));
                });
                code.braces("else", |code| code.line(format_args!("{value} = null;")));
            }
            Presence::Parameter { id, .. } => {
                let member = self.fresh("member");
                let declared = format!("out global::Dunlin.Cdr.CdrMember {member}");
                check(
                    code,
                    format_args!("r.Optional({declared}, {id:#x}u, {idl})"),
                );
                code.braces("if (!r.IsAtEnd)", |code| {
                    self.held(code, &place, |code| self.content(code, part, path, steps));
                });
                code.braces("else", |code| code.line(format_args!("{value} = null;")));
                code.line(format_args!("r.End({member}.Outer);"));
            }
        });
    }

    /// What is in a part of its own, in which alignment counts anew or not.
    pub(super) fn content(&self, code: &mut Code, part: &Part<'_>, path: &str, steps: &[Step]) {
        let place = self.place(part, path);
        let scope = self.leading(code, place.ty(), path, "!r.IsAtEnd");
        self.scoped(code, part, scope, steps);
    }

    fn array(&self, code: &mut Code, part: &Part<'_>, path: &str, steps: &[Step]) {
        let place = self.place(part, path);
        if path.is_empty() {
            ensure(self.unit, code, &place);
        }
        let (s, i) = (self.fresh("s"), self.fresh("i"));
        code.braces("", |code| {
            code.line(format_args!("var {s} = {};", span(self.unit, &place, true)));
            code.braces(
                format_args!("for (int {i} = 0; {i} < {s}.Length; {i}++)"),
                |code| {
                    self.element(code, part, (path, &place), &format!("{s}[{i}]"), steps);
                },
            );
        });
    }

    /// An element, which is an object or a place in its collection.
    pub(super) fn element(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        value: &str,
        steps: &[Step],
    ) {
        let mut root = place.element(value);
        let kind = root.resolved().kind();
        if matches!(kind, TypeKind::Structure | TypeKind::Union) {
            // What may be null is made where it is known to be there.
            let e = self.fresh("e");
            let made = names::fresh(self.unit, root.ty(), None);
            code.line(format_args!("var {e} = {value} ??= {made};"));
            root.value = e;
        }
        self.part_of(code, part, path, root, steps);
    }

    pub(super) fn part_of(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        path: &str,
        root: Place,
        steps: &[Step],
    ) {
        let inner = Part {
            root,
            scope: None,
            is_headed: false,
            flags: RefCell::default(),
            outer: Some((part, path)),
        };
        self.mended(code, &inner, |code| self.steps(code, &inner, steps));
    }
}
