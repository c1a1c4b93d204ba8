//! Reads numbers.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, TryConstruct, TypeKind};

use super::super::super::code::{Code, literal};
use super::super::super::place::Place;
use super::super::super::{constant, functions, names};
use super::super::layout::{Piece, copied, is_raw, member, pieces};
use super::{Field, Form, Part, Read, Run, Step, check};

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
        let p = self.fresh("p");
        let (first, align, phase) = self.place_of(run);
        code.braces("", |code| {
            let all = format!("r, {first}, {align}, {phase}, {}", run.size);
            code.line(format_args!("const uint8_t *{p} = dunlin_cdr_run({all});"));
            code.braces(format_args!("if ({p} != NULL)"), |code| {
                for piece in pieces(self.unit, &part.root, &run.fields) {
                    self.piece(code, part, &p, &piece);
                }
            });
            code.braces("else", |code| {
                run.fields
                    .iter()
                    .for_each(|field| self.slow(code, part, &p, field));
            });
        });
    }

    fn piece(&self, code: &mut Code, part: &Part<'_>, p: &str, piece: &Piece<'_>) {
        let each = |code: &mut Code| {
            for field in &piece.fields {
                self.field(code, part, &format!("({p} + {})", field.at), field);
            }
        };
        let Some(first) = piece.fields.first().filter(|_| piece.fields.len() > 1) else {
            return each(code);
        };
        let ty = names::global(self.unit, part.root.ty.resolved().name());
        let to = member(self.unit, &part.root, &first.path);
        let conditions = piece.conditions.join(" && ");
        code.braces(format_args!("if (!r->swap && {conditions})"), |code| {
            let to = format!("(uint8_t *){} + offsetof({ty}, {to})", part.root.address());
            code.line(format_args!(
                "memcpy({to}, {p} + {}, {});",
                first.at, piece.size
            ));
        });
        code.braces("else", each);
    }

    /// Where the numbers of a run do not stand as usual, or are not all there.
    fn slow(&self, code: &mut Code, part: &Part<'_>, p: &str, field: &Field) {
        let place = self.place(part, &field.path);
        let read = |code: &mut Code| {
            let idl = literal(&place.idl);
            let all = format!("r, {}, {}u, {idl}", field.size, field.count);
            code.line(format_args!("{p} = dunlin_cdr_numbers({all});"));
            check(code, p);
            self.field(code, part, p, field);
        };
        let scope = part.scope.as_ref().filter(|scope| scope.has(&field.path));
        let Some(scope) = scope else {
            return read(code);
        };
        let (gone, open) = (&scope.gone, &scope.open);
        if scope.begins(self.unit, &part.root, &field.path) {
            code.line(format_args!(
                "{gone} = {gone} || ({open} && r->at == r->end);"
            ));
        }
        code.braces(format_args!("if ({gone})"), |code| {
            self.values().reset(code, &place)
        });
        code.braces("else", read);
    }

    /// One number or an array of them that stand at `from`.
    fn field(&self, code: &mut Code, part: &Part<'_>, from: &str, field: &Field) {
        let place = self.place(part, &field.path);
        let Some(ty) = part.root.ty.tree().get(field.ty) else {
            return;
        };
        let (size, count) = (field.size, field.count);
        if is_raw(&ty) {
            let value = &place.value;
            return code.line(format_args!(
                "dunlin_cdr_copy(&{value}, {from}, {size}, {count}u, r->swap);"
            ));
        }
        if place.ty.resolved().kind() != TypeKind::Array {
            return self.checked(
                code,
                part,
                (&field.path, &place),
                &place.value,
                from,
                (&ty, size),
            );
        }
        let (numbers, i) = (self.fresh("numbers"), self.fresh("i"));
        let number = names::number(self.unit, &ty);
        code.braces("", |code| {
            code.line(format_args!(
                "{number} *{numbers} = ({number} *)&{};",
                place.value
            ));
            code.line(format_args!("uint32_t {i};"));
            code.braces(
                format_args!("for ({i} = 0; {i} < {count}u; {i}++)"),
                |code| {
                    let from = format!("({from} + {size} * (size_t){i})");
                    let value = format!("{numbers}[{i}]");
                    self.in_array(
                        code,
                        part,
                        (&field.path, &place),
                        &value,
                        &from,
                        (&ty, size),
                    );
                },
            );
        });
    }

    /// A number of an array or a sequence, which may have a rule of its own.
    fn in_array(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        value: &str,
        from: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let of = place.ty.resolved();
        let rule = of
            .element()
            .map_or(TryConstruct::Discard, |of| of.try_construct);
        match rule {
            TryConstruct::UseDefault => code.braces("", |code| {
                let flag = self.fresh("misfit");
                code.line(format_args!("bool {flag} = false;"));
                self.number(code, (&format!("&{flag}"), place), value, from, (ty, size));
                code.line(format_args!("if ({flag}) dunlin_cdr_mended(r);"));
            }),
            _ => self.checked(code, part, (path, place), value, from, (ty, size)),
        }
    }

    /// A number that is not every number of its size.
    fn checked(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        (path, place): (&str, &Place),
        value: &str,
        from: &str,
        of: (&DynamicType, u64),
    ) {
        let is_selector = value == "d" && path == "_d";
        if is_selector && of.0.kind() == TypeKind::Enumeration {
            return self.selector(code, part, place, from, of);
        }
        // Others always fit, or fail.
        let misfit = match of.0.kind() {
            TypeKind::Enumeration | TypeKind::Bitmask => self.misfit(part, path),
            _ => String::new(),
        };
        self.number(code, (&misfit, place), value, from, of);
    }

    fn bits(from: &str, size: u64) -> String {
        match size {
            1 => format!("*{from}"),
            _ => format!("dunlin_cdr_u{}({from}, r->swap)", size * 8),
        }
    }

    fn number(
        &self,
        code: &mut Code,
        (misfit, place): (&str, &Place),
        value: &str,
        from: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = literal(&place.idl);
        let bits = Self::bits(from, size);
        let name = match ty.kind() {
            TypeKind::Boolean => String::new(),
            _ => names::global(self.unit, ty.name()),
        };
        match ty.kind() {
            TypeKind::Boolean => {
                let fail =
                    format!("dunlin_cdr_fail(r->fault, DUNLIN_CDR_BOOLEAN, {idl}, {bits}, 1)");
                code.line(format_args!("if ({bits} > 1) return {fail};"));
                code.line(format_args!("{value} = {bits} != 0;"));
            }
            TypeKind::Enumeration => code.braces("", |code| {
                let x = self.fresh("x");
                code.line(format_args!("int32_t {x} = (int{}_t){bits};", size * 8));
                code.braces(format_args!("if (!{name}_is_known({x}))"), |code| {
                    let wrong = "DUNLIN_CDR_ENUMERATOR";
                    code.line(format_args!(
                        "dunlin_cdr_misfit(r, {misfit}, {wrong}, {idl}, {x}, 0);"
                    ));
                    let said = place.default.as_ref();
                    code.line(format_args!("{x} = {};", constant::default(ty, said)));
                });
                let cast = names::cast(self.unit, ty);
                code.line(format_args!("{value} = {cast}{x};"));
            }),
            TypeKind::Bitmask => code.braces("", |code| {
                let x = self.fresh("x");
                let mask = functions::flags(ty);
                code.line(format_args!("uint{}_t {x} = {bits};", size * 8));
                code.braces(
                    format_args!("if (({x} & ~(uint64_t){mask:#x}u) != 0)"),
                    |code| {
                        let found = format!("(int64_t){x}, (int64_t){mask:#x}u");
                        code.line(format_args!(
                            "dunlin_cdr_misfit(r, {misfit}, DUNLIN_CDR_BITS, {idl}, {found});"
                        ));
                        code.line(format_args!("{x} = 0;"));
                    },
                );
                code.line(format_args!("{value} = {x};"));
            }),
            _ => code.line(format_args!("{name}_unpack(&{value}, {bits});")),
        }
    }

    /// The discriminator of a union: what is unknown selects bytes of which nothing is known.
    fn selector(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        place: &Place,
        from: &str,
        (ty, size): (&DynamicType, u64),
    ) {
        let idl = literal(&place.idl);
        let bits = Self::bits(from, size);
        let name = names::global(self.unit, ty.name());
        let union = part.root.ty.resolved();
        let can_pass =
            self.form != Form::Xcdr1 && union.extensibility() == Extensibility::Appendable;
        code.line(format_args!("d = (int{}_t){bits};", size * 8));
        code.braces(format_args!("if (!{name}_is_known(d))"), |code| {
            let default = constant::default(ty, place.default.as_ref());
            let wrong = format!("DUNLIN_CDR_ENUMERATOR, {idl}, d, 0");
            match place.try_construct {
                TryConstruct::UseDefault => code.line(format_args!("d = {default};")),
                _ if can_pass => {
                    // What is left of the union is passed over.
                    code.line(format_args!(
                        "if (!open) return dunlin_cdr_fail(r->fault, {wrong});"
                    ));
                    code.line(format_args!(
                        "dunlin_cdr_misfit(r, &r->is_misfit, {wrong});"
                    ));
                    code.line(format_args!("d = {default};"));
                    code.line("r->at = r->end;");
                }
                _ => code.line(format_args!("return dunlin_cdr_fail(r->fault, {wrong});")),
            }
        });
    }

    /// The number that each element is, if elements are single numbers.
    pub(super) fn numbers<'f>(&self, one: &Place, elements: &'f [Step]) -> Option<&'f Field> {
        let [Step::Run(run)] = elements else {
            return None;
        };
        let [field] = run.fields.as_slice() else {
            return None;
        };
        let is_single = field.path.is_empty()
            && one.pointer.is_none()
            && one.ty.resolved().number_size().is_some();
        is_single.then_some(field)
    }

    /// The elements of a sequence of numbers.
    pub(super) fn row(
        &self,
        code: &mut Code,
        part: &Part<'_>,
        path: &str,
        (one, field): (&Place, &Field),
        (n, s, e): (&str, &str, &str),
    ) {
        let place = self.place(part, path);
        let idl = literal(&place.idl);
        let Some(ty) = one.ty.tree().get(field.ty) else {
            return;
        };
        let size = field.size;
        code.line(format_args!(
            "const uint8_t *{e} = dunlin_cdr_numbers(r, {size}, {n}, {idl});"
        ));
        check(code, e);
        code.braces(format_args!("if ({n} > 0)"), |code| {
            if is_raw(&ty) {
                return code.line(format_args!(
                    "dunlin_cdr_copy({s}->_buffer, {e}, {size}, {n}, r->swap);"
                ));
            }
            let i = self.fresh("i");
            code.line(format_args!("uint32_t {i};"));
            code.braces(format_args!("for ({i} = 0; {i} < {n}; {i}++)"), |code| {
                let from = format!("({e} + {size} * (size_t){i})");
                let value = format!("{s}->_buffer[{i}]");
                self.in_array(code, part, (path, &place), &value, &from, (&ty, size));
            });
        });
    }

    /// Copies all elements in one go if memory is as the wire; the variable says how many.
    pub(super) fn whole(
        &self,
        code: &mut Code,
        one: &Place,
        elements: &[Step],
        stride: Option<u64>,
        (n, s): (&str, &str),
    ) -> Option<String> {
        let (Some(stride), [Step::Run(run)]) = (stride, elements) else {
            return None;
        };
        let mut conditions = copied(self.unit, one, &run.fields, stride)?;
        conditions.insert(0, format!("!r->swap && {n} > 0"));
        let (first, align, phase) = self.place_of(run);
        let (done, p) = (self.fresh("done"), self.fresh("p"));
        code.line(format_args!("uint32_t {done} = 0;"));
        code.braces(format_args!("if ({})", conditions.join(" && ")), |code| {
            let all = format!("r, {first}, {align}, {phase}, (size_t){stride} * {n}");
            code.line(format_args!("const uint8_t *{p} = dunlin_cdr_run({all});"));
            code.braces(format_args!("if ({p} != NULL)"), |code| {
                code.line(format_args!(
                    "memcpy({s}->_buffer, {p}, (size_t){stride} * {n});"
                ));
                code.line(format_args!("{done} = {n};"));
            });
        });
        Some(done)
    }
}
