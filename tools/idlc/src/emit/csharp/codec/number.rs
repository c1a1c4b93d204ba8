//! Numbers: how they are read, and which have a method of their own.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, TryConstruct, TypeKind};

use super::super::place::Place;
use super::super::value::span;
use super::super::{constant, names};
use super::flat;
use super::read::{Part, Read, check};
use crate::emit::Unit;
use crate::emit::c::functions::flags;
use crate::emit::code::Code;
use crate::plan::{Field, Form, Run};

/// Whether numbers lie in memory as on the wire, up to their byte order.
pub(super) fn is_raw(ty: &DynamicType) -> bool {
    !matches!(
        ty.resolved().kind(),
        TypeKind::Boolean
            | TypeKind::Char8
            | TypeKind::Float128
            | TypeKind::Enumeration
            | TypeKind::Bitmask
            | TypeKind::Bitset
    )
}

/// Whether a type is a sequence of octets, which may lie elsewhere.
pub(super) fn is_octets(ty: &DynamicType) -> bool {
    let kind = |of: Element| ty.at(of.ty).resolved().kind();
    let element = ty.element().map(kind);
    ty.kind() == TypeKind::Sequence && matches!(element, Some(TypeKind::Byte | TypeKind::UInt8))
}

/// The method for a number.
pub(super) fn accessor(ty: &DynamicType, size: u64) -> &'static str {
    match (ty.kind(), size) {
        (TypeKind::Boolean, _) => "Boolean",
        (TypeKind::Char8, _) => "Char8",
        (TypeKind::Char16, _) => "Char16",
        (TypeKind::Float32, _) => "F32",
        (TypeKind::Float64, _) => "F64",
        (TypeKind::Float128, _) => "F128",
        (TypeKind::Enumeration | TypeKind::Int8, 1) => "I8",
        (TypeKind::Enumeration | TypeKind::Int16, 2) => "I16",
        (TypeKind::Enumeration | TypeKind::Int32, 4) => "I32",
        (TypeKind::Int64, _) => "I64",
        (_, 1) => "U8",
        (_, 2) => "U16",
        (_, 4) => "U32",
        _ => "U64",
    }
}

/// Whether a number is an enumerator.
pub(super) fn is_known(unit: &Unit<'_>, ty: &DynamicType, value: &str) -> String {
    let class = super::local_class(unit);
    format!("{class}.{}_IsKnown((long){value})", flat(unit, ty))
}

impl Read<'_, '_> {
    /// To what the beginning of a run and one of its numbers are aligned, and how far behind a
    /// multiple of that the run begins.
    fn place_of(&self, run: &Run) -> (u64, u64, u64) {
        let max = self.form.max_align();
        let aligned = run
            .fields
            .iter()
            .map(|field| (field.size.min(max), field.at));
        let (align, at) = aligned.max_by_key(|one| one.0).unwrap_or((1, 0));
        (run.align, align, at.wrapping_neg() & (align - 1))
    }

    pub(super) fn run(&self, code: &mut Code, part: &Part<'_>, run: &Run) {
        let (first, align, phase) = self.place_of(run);
        let size = run.size;
        run.fields
            .iter()
            .for_each(|field| self.prepare(code, part, &field.path));
        code.braces(
            format_args!("if (r.Run({first}, {align}, {phase}, {size}))"),
            |code| {
                run.fields
                    .iter()
                    .for_each(|field| self.field(code, part, &field.at.to_string(), field));
            },
        );
        code.braces("else", |code| {
            run.fields
                .iter()
                .for_each(|field| self.slow(code, part, field));
        });
    }

    /// Where the numbers of a run do not stand as usual, or are not all there.
    fn slow(&self, code: &mut Code, part: &Part<'_>, field: &Field) {
        let place = self.place(part, &field.path);
        let read = |code: &mut Code| {
            let idl = place.idl();
            check(
                code,
                format_args!("r.Numbers({}, {}, {idl})", field.size, field.count),
            );
            self.field(code, part, "0", field);
        };
        let scope = part.scope.as_ref().filter(|scope| scope.has(&field.path));
        let Some(scope) = scope else {
            return read(code);
        };
        let (gone, open) = (&scope.gone, &scope.open);
        if scope.begins(self.unit, &part.root.of, &field.path) {
            code.line(format_args!("{gone} = {gone} || ({open} && r.IsAtEnd);"));
        }
        code.braces(format_args!("if ({gone})"), |code| self.reset(code, &place));
        code.braces("else", read);
    }

    /// One number or an array of them that stand at a place in what was found.
    fn field(&self, code: &mut Code, part: &Part<'_>, at: &str, field: &Field) {
        let place = self.place(part, &field.path);
        let Some(ty) = part.root.ty().tree().get(field.ty) else {
            return;
        };
        let of = (&ty, field.size);
        match place.resolved().kind() {
            TypeKind::Array => {
                let to = span(self.unit, &place, true);
                self.numbers(code, part, (&field.path, &place), &to, at, of);
            }
            _ => self.checked(code, part, (&field.path, &place), &place.value, at, of),
        }
    }

    /// Numbers side by side.
    pub(super) fn numbers(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        to: &str,
        at: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = place.idl();
        match ty.kind() {
            TypeKind::Boolean => check(code, format_args!("r.Booleans({at}, {to}, {idl})")),
            TypeKind::Char8 => code.line(format_args!("r.Chars8({at}, {to});")),
            _ if is_raw(ty) => {
                let of = names::typed(self.unit, ty);
                code.line(format_args!("r.Copy<{of}>({at}, {to});"));
            }
            _ => {
                let (n, i) = (self.fresh("n"), self.fresh("i"));
                code.braces("", |code| {
                    code.line(format_args!("var {n} = {to};"));
                    code.braces(
                        format_args!("for (int {i} = 0; {i} < {n}.Length; {i}++)"),
                        |code| {
                            let at = format!("{at} + {size}L * {i}");
                            let value = format!("{n}[{i}]");
                            self.in_array(code, part, (path, place), &value, &at, (ty, size));
                        },
                    );
                });
            }
        }
    }

    /// A number of an array or a sequence, which may have a rule of its own.
    fn in_array(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        value: &str,
        at: &str,
        of: (&DynamicType, u64),
    ) {
        let ty = place.resolved();
        let rule = ty
            .element()
            .map_or(TryConstruct::Discard, |of| of.try_construct);
        match rule {
            TryConstruct::UseDefault => code.braces("", |code| {
                let flag = self.fresh("misfit");
                code.line(format_args!("bool {flag} = false;"));
                self.number(code, (&flag, place), value, at, of);
                code.line(format_args!("if ({flag}) r.Mended();"));
            }),
            _ => self.checked(code, part, (path, place), value, at, of),
        }
    }

    /// A number that is not every number of its size.
    fn checked(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        value: &str,
        at: &str,
        of: (&DynamicType, u64),
    ) {
        let is_selector = value == "d" && path == "_d";
        if is_selector && of.0.kind() == TypeKind::Enumeration {
            return self.selector(code, part, place, at, of);
        }
        // Others always fit, or fail.
        let misfit = match of.0.kind() {
            TypeKind::Enumeration | TypeKind::Bitmask => self.misfit(part, path),
            _ => String::new(),
        };
        self.number(code, (&misfit, place), value, at, of);
    }

    fn number(
        &self,
        code: &mut Code,
        (misfit, place): (&str, &Place),
        value: &str,
        at: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = place.idl();
        let read = format!("r.{}({at})", accessor(ty, size));
        let cast = names::typed(self.unit, ty);
        match ty.kind() {
            TypeKind::Boolean => {
                check(code, format_args!("r.IsBoolean({at}, {idl})"));
                code.line(format_args!("{value} = {read};"));
            }
            TypeKind::Enumeration => code.braces("", |code| {
                let x = self.fresh("x");
                code.line(format_args!("{cast} {x} = ({cast}){read};"));
                let known = is_known(self.unit, ty, &x);
                code.braces(format_args!("if (!{known})"), |code| {
                    let wrong = "global::Dunlin.Cdr.CdrError.Enumerator";
                    code.line(format_args!("r.Misfit(ref {misfit}, {wrong}, {idl}, (long){x}, 0);"));
                    let said = place.of.default.as_ref();
                    let default = constant::number(self.unit, ty, said);
                    code.line(format_args!("{x} = {default};"));
                });
                code.line(format_args!("{value} = {x};"));
            }),
            TypeKind::Bitmask => code.braces("", |code| {
                let x = self.fresh("x");
                let mask = flags(ty);
                code.line(format_args!("ulong {x} = {read};"));
                code.braces(format_args!("if (({x} & ~{mask:#x}ul) != 0)"), |code| {
                    let wrong = "global::Dunlin.Cdr.CdrError.Bits";
                    code.line(format_args!(
                        "r.Misfit(ref {misfit}, {wrong}, {idl}, unchecked((long){x}), unchecked((long){mask:#x}ul));"
                    ));
                    code.line(format_args!("{x} = 0;"));
                });
                code.line(format_args!("{value} = ({cast}){x};"));
            }),
            TypeKind::Bitset => code.line(format_args!("{value} = {cast}.FromBits({read});")),
            _ => code.line(format_args!("{value} = {read};")),
        }
    }

    /// The discriminator of a union: what is unknown selects bytes of which nothing is known.
    fn selector(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        place: &Place,
        at: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = place.idl();
        let cast = names::typed(self.unit, ty);
        let union = part.root.resolved();
        let can_pass =
            self.form != Form::Xcdr1 && union.extensibility() == Extensibility::Appendable;
        code.line(format_args!("d = ({cast})r.{}({at});", accessor(ty, size)));
        let known = is_known(self.unit, ty, "d");
        code.braces(format_args!("if (!{known})"), |code| {
            let default = constant::number(self.unit, ty, place.of.default.as_ref());
            let wrong = format!("global::Dunlin.Cdr.CdrError.Enumerator, {idl}, (long)d, 0");
            match place.of.try_construct {
                TryConstruct::UseDefault => code.line(format_args!("d = {default};")),
                _ if can_pass => {
                    // What is left of the union is passed over.
                    code.line(format_args!("if (!open) return r.Fail({wrong});"));
                    code.line(format_args!("r.Misfit(ref r.IsMisfit, {wrong});"));
                    code.line(format_args!("d = {default};"));
                    code.line("r.SkipToEnd();");
                }
                _ => code.line(format_args!("return r.Fail({wrong});")),
            }
        });
    }

    /// The number that each element is, if elements are single numbers.
    pub(super) fn single<'f>(
        &self,
        one: &Place,
        elements: &'f [crate::plan::Step],
    ) -> Option<&'f Field> {
        let [crate::plan::Step::Run(run)] = elements else {
            return None;
        };
        let [field] = run.fields.as_slice() else {
            return None;
        };
        let is_single = field.path.is_empty() && one.resolved().number_size().is_some();
        is_single.then_some(field)
    }
}
