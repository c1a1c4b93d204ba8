//! Reads sequences and maps.

use dunlin_xtypes::{TryConstruct, TypeKind};

use super::super::names;
use super::super::place::Place;
use super::super::value::ensure;
use super::number::is_octets;
use super::read::{Part, Read, check};
use crate::emit::c::codec::scope;
use crate::emit::code::Code;
use crate::plan::Step;

impl Read<'_, '_> {
    pub(super) fn sequence(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        path: &str,
        bound: u32,
        elements: &[Step],
    ) {
        let place = self.place(part, path);
        if path.is_empty() || path == "key" || path == "value" {
            ensure(self.unit, code, &place);
        }
        let ty = place.resolved();
        let (n, idl) = (self.fresh("n"), place.idl());
        let halves = ty.key_element().into_iter().chain(ty.element());
        let least: u64 = halves
            .map(|of| match of.is_external {
                true => 0,
                false => scope::least(&ty.at(of.ty), self.form, 0),
            })
            .sum();
        let room = match ty.element() {
            Some(of) if ty.kind() == TypeKind::Sequence => {
                ty.at(of.ty).resolved().number_size().unwrap_or(32)
            }
            _ => 64,
        };
        code.braces("", |code| {
            check(code, format_args!("r.Count(out int {n}, {least}, {idl})"));
            check(code, format_args!("r.Charge({n}, {room}, {idl})"));
            match ty.kind() {
                TypeKind::Map => self.map(code, part, (path, &place), (&n, bound), elements),
                _ => self.list(code, part, (path, &place), (&n, bound), elements),
            }
        });
    }

    fn list(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        (n, bound): (&str, u32),
        elements: &[Step],
    ) {
        let idl = place.idl();
        let value = &place.value;
        let is_octets = is_octets(&place.resolved());
        let s = match is_octets {
            true => String::new(),
            false => self.fresh("s"),
        };
        if !is_octets {
            code.line(format_args!("{value}.Resize({n});"));
            code.line(format_args!("var {s} = {value}.Span;"));
        }
        match self.single(&place.element("e"), elements) {
            _ if is_octets => check(code, format_args!("r.Octets({value}, {n}, {idl})")),
            Some(field) => {
                let Some(ty) = place.ty().tree().get(field.ty) else {
                    return;
                };
                check(code, format_args!("r.Numbers({}, {n}, {idl})", field.size));
                self.numbers(code, part, (path, place), &s, "0", (&ty, field.size));
            }
            None => {
                check(code, format_args!("r.Enter({idl})"));
                let i = self.fresh("i");
                code.braces(
                    format_args!("for (int {i} = 0; {i} < {n}; {i}++)"),
                    |code| {
                        self.element(code, part, (path, place), &format!("{s}[{i}]"), elements);
                    },
                );
                code.line("r.Leave();");
            }
        }
        if bound > 0 {
            code.braces(format_args!("if ({n} > {bound})"), |code| {
                let kept = self.too_many(code, part, (path, place), (n, bound));
                code.line(format_args!("{value}.Resize({kept});"));
            });
        }
    }

    /// How many elements are kept of what is over a bound.
    fn too_many(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        (n, bound): (&str, u32),
    ) -> u32 {
        if place.of.try_construct == TryConstruct::Trim {
            return bound;
        }
        let misfit = self.misfit(part, path);
        let wrong = "global::Dunlin.Cdr.CdrError.Bound";
        let idl = place.idl();
        code.line(format_args!(
            "r.Misfit(ref {misfit}, {wrong}, {idl}, {n}, {bound});"
        ));
        0
    }

    /// Of equal keys the last entry stays.
    fn map(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        (n, bound): (&str, u32),
        elements: &[Step],
    ) {
        let ty = place.resolved();
        let (idl, value) = (place.idl(), &place.value);
        let (entry, i) = (self.fresh("entry"), self.fresh("i"));
        code.line(format_args!("{value}.Clear();"));
        check(code, format_args!("r.Enter({idl})"));
        code.braces(format_args!("for (int {i} = 0; {i} < {n}; {i}++)"), |code| {
            let halves = [ty.key_element(), ty.element()];
            let types = halves.map(|of| names::element(self.unit, &ty, of));
            let made = halves.map(|of| of.map_or_else(String::new, |of| names::fresh(self.unit, &ty.at(of.ty), None)));
            let [key, item] = types;
            let [new_key, new_item] = made;
            code.line(format_args!(
                "var {entry} = new global::Dunlin.Cdr.CdrEntry<{key}, {item}> {{ Key = {new_key}, Value = {new_item} }};"
            ));
            self.part_of(code, part, path, place.element(&entry), elements);
            let keep = format!("{value}[{entry}.Key] = {entry}.Value;");
            code.line(match bound {
                0 => keep,
                _ => format!("if ({i} < {bound}) {keep}"),
            });
        });
        code.line("r.Leave();");
        if bound > 0 && place.of.try_construct != TryConstruct::Trim {
            code.braces(format_args!("if ({n} > {bound})"), |code| {
                self.too_many(code, part, (path, place), (n, bound));
                code.line(format_args!("{value}.Clear();"));
            });
        }
    }
}
