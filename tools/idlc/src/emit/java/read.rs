//! Statements that read values, trusting nothing.

use dunlin_cdr::{Extensibility, TryConstruct};
use dunlin_xtypes::{DynamicType, Member, TypeKind};

use super::code::{Code, literal};
use super::types::{Held, cost, has_part, least};
use super::write::is_copied;
use super::{LIBRARY, names, number, value};
use crate::emit::Unit;
use crate::plan::Part;

/// Reads a value, or its key.
#[derive(Clone, Copy)]
pub(super) struct Read<'u, 'm> {
    pub(super) unit: &'u Unit<'m>,
    pub(super) part: Part,
}

/// What is read into: what is there, and a statement with `$` for what will be.
#[derive(Clone)]
pub(super) struct Place {
    now: String,
    set: String,
}

impl Place {
    /// A field or variable.
    pub(super) fn variable(name: &str) -> Self {
        Self {
            now: name.into(),
            set: format!("{name} = $;"),
        }
    }

    fn set(&self, code: &mut Code, value: &str) {
        code.line(self.set.replace('$', value));
    }
}

/// Keeps what is around a part in which alignment may count anew.
fn keep(code: &mut Code) -> (String, String) {
    let at = code.fresh();
    let lines =
        format!("long l{at} = r.limit();\nlong o{at} = r.origin();\nlong q{at} = r.region();");
    (lines, format!("l{at}, o{at}, q{at}"))
}

impl<'m> Read<'_, 'm> {
    fn whole(self) -> Self {
        Self {
            part: Part::Whole,
            ..self
        }
    }

    fn field(self, member: &Member) -> String {
        format!("v.{}", names::member(self.unit, member.name()))
    }

    pub(super) fn structure(self, code: &mut Code, ty: &DynamicType, members: &[&Member]) {
        match ty.extensibility() {
            Extensibility::Mutable => self.labelled(code, ty, members),
            Extensibility::Appendable => {
                code.line("long scope = r.begin();");
                for member in members {
                    let held = Held::member(ty, member);
                    code.braces("if (r.more(scope))", |code| {
                        self.member(code, &held, member)
                    });
                    code.braces("else", |code| {
                        value::reset(self.unit, code, &held, &self.field(member));
                    });
                }
                code.line("r.end(scope);");
            }
            Extensibility::Final => {
                for member in members {
                    self.member(code, &Held::member(ty, member), member);
                }
            }
        }
    }

    /// A member without a header.
    fn member(self, code: &mut Code, held: &Held, member: &Member) {
        let field = self.field(member);
        if !held.is_optional {
            return self.held(code, held, &Place::variable(&field));
        }
        let id = match self.part {
            Part::Key => 0,
            Part::Whole => member.id(),
        };
        let idl = literal(&held.idl);
        let (lines, around) = keep(code);
        code.line(lines);
        code.braces(format_args!("if (r.beginOptional({id}, {idl}))"), |code| {
            self.there(code, held, &Place::variable(&field));
        });
        code.braces("else", |code| code.line(format_args!("{field} = null;")));
        code.line(format_args!("r.endOptional({around});"));
    }

    /// What is optional, and is there.
    fn there(self, code: &mut Code, held: &Held, place: &Place) {
        let inner = Held {
            is_external: true,
            ..held.clone()
        };
        self.whole().held(code, &inner, place);
    }

    fn labelled(self, code: &mut Code, ty: &DynamicType, members: &[&Member]) {
        let idl = literal(ty.name());
        code.line("long scope = r.beginDelimited();");
        let words = members.len().div_ceil(64);
        for word in 0..words {
            code.line(format_args!("long seen{word} = 0;"));
        }
        let (lines, around) = keep(code);
        code.line(lines);
        code.braces("while (r.nextMember())", |code| {
            code.braces("switch (r.memberId())", |code| {
                for (at, member) in members.iter().enumerate() {
                    let held = Held::member(ty, member);
                    code.braces(format_args!("case {} ->", member.id()), |code| {
                        code.line(format_args!("seen{} |= 1L << {};", at / 64, at % 64));
                        let place = Place::variable(&self.field(member));
                        match held.is_optional {
                            true => self.there(code, &held, &place),
                            false => self.held(code, &held, &place),
                        }
                    });
                }
                code.line(format_args!("default -> r.unknownMember({idl});"));
            });
            code.line(format_args!("r.endMember({around});"));
        });
        code.line("r.end(scope);");
        for (at, member) in members.iter().enumerate() {
            let held = Held::member(ty, member);
            let unseen = format!("if ((seen{} & 1L << {}) == 0)", at / 64, at % 64);
            code.braces(unseen, |code| {
                value::reset(self.unit, code, &held, &self.field(member));
            });
        }
    }

    /// A member, an element or the value of a case.
    pub(super) fn held(self, code: &mut Code, held: &Held, place: &Place) {
        let read = |code: &mut Code| match held.is_external {
            false => self.value(code, held, place),
            true => {
                code.line(format_args!("r.enter({});", literal(&held.idl)));
                self.value(code, held, place);
                code.line("r.leave();");
            }
        };
        if held.try_construct != TryConstruct::UseDefault {
            return read(code);
        }
        let before = format!("m{}", code.fresh());
        code.line(format_args!("boolean {before} = r.clearMisfit();"));
        read(code);
        code.braces(format_args!("if (r.endMisfit({before}))"), |code| {
            place.set(code, &value::default(self.unit, held));
        });
    }

    fn value(self, code: &mut Code, held: &Held, place: &Place) {
        let ty = held.ty.resolved();
        let idl = literal(&held.idl);
        let now = &place.now;
        let size = ty.number_size().unwrap_or(0);
        let bound = ty.bound().unwrap_or(0) as i32;
        let is_trimmed = held.is_trimmed();
        let word = match ty.kind() {
            TypeKind::Boolean => "getBoolean",
            TypeKind::Byte | TypeKind::Int8 | TypeKind::UInt8 => "getByte",
            TypeKind::Int16 | TypeKind::UInt16 => "getShort",
            TypeKind::Int32 | TypeKind::UInt32 => "getInt",
            TypeKind::Int64 | TypeKind::UInt64 => "getLong",
            TypeKind::Float32 => "getFloat",
            TypeKind::Float64 => "getDouble",
            TypeKind::Char8 => "getChar",
            TypeKind::Char16 => "getWideChar",
            _ => "",
        };
        if !word.is_empty() {
            return place.set(code, &format!("r.{word}()"));
        }
        match ty.kind() {
            TypeKind::Float128 => place.set(code, &format!("r.getFloat128({now})")),
            TypeKind::String8 => {
                place.set(
                    code,
                    &format!("r.getString({now}, {bound}, {is_trimmed}, {idl})"),
                );
            }
            TypeKind::String16 => place.set(
                code,
                &format!("r.getWideString({now}, {bound}, {is_trimmed}, {idl})"),
            ),
            TypeKind::Enumeration => self.enumerator(code, held, size, place),
            TypeKind::Bitmask => {
                let mask = number::mask(&ty) as i64;
                self.object(code, held, place, |code, object| {
                    code.line(format_args!(
                        "{object}._bits = r.getFlags({size}, {mask}L, {idl});"
                    ));
                });
            }
            TypeKind::Bitset => self.object(code, held, place, |code, object| {
                code.line(format_args!("{object}._bits = r.getBits({size});"));
            }),
            TypeKind::Structure | TypeKind::Union => {
                let class = names::qualified(self.unit, ty.name());
                let word = match self.part == Part::Key && has_part(&ty) {
                    true => "readKey",
                    false => "read",
                };
                self.object(code, held, place, |code, object| {
                    code.line(format_args!("{class}.TYPE.{word}(r, {object});"));
                });
            }
            TypeKind::Array => self.whole().array(code, held, place),
            TypeKind::Sequence if names::row(&ty).is_some() => {
                let element = ty.element().map(|of| ty.at(of.ty).resolved().kind());
                let word = match element {
                    Some(TypeKind::Char16) => "readWide",
                    _ => "read",
                };
                self.object(code, held, place, |code, object| {
                    code.line(format_args!(
                        "{object}.{word}(r, {bound}, {is_trimmed}, {idl});"
                    ));
                });
            }
            TypeKind::Sequence => self.object(code, held, place, |code, object| {
                self.whole().sequence(code, held, bound, object);
            }),
            TypeKind::Map => self.object(code, held, place, |code, object| {
                self.whole().map(code, held, bound, object);
            }),
            _ => {}
        }
    }

    /// Reads into an object, which is made if it is not there.
    fn object(
        self,
        code: &mut Code,
        held: &Held,
        place: &Place,
        body: impl FnOnce(&mut Code, &str),
    ) {
        let class = names::object(self.unit, &held.ty);
        let object = format!("x{}", code.fresh());
        let plain = Held {
            default: None,
            ..held.clone()
        };
        let fresh = value::fresh(self.unit, &plain);
        let now = &place.now;
        code.line(format_args!("{class} {object} = {now};"));
        code.braces(format_args!("if ({object} == null)"), |code| {
            code.line(format_args!("{object} = {fresh};"));
            place.set(code, &object);
        });
        // An element that is there has to be put to its place, too.
        if place.set != format!("{now} = $;") {
            place.set(code, &object);
        }
        body(code, &object);
    }

    fn enumerator(self, code: &mut Code, held: &Held, size: usize, place: &Place) {
        let class = names::qualified(self.unit, held.ty.resolved().name());
        let at = code.fresh();
        let idl = literal(&held.idl);
        let plain = value::fresh(self.unit, held);
        code.line(format_args!("int n{at} = r.getEnumerator({size});"));
        code.line(format_args!("{class} e{at} = {class}.of(n{at});"));
        code.braces(format_args!("if (e{at} == null)"), |code| {
            code.line(format_args!("r.unknownEnumerator({idl}, n{at});"));
            code.line(format_args!("e{at} = {plain};"));
        });
        place.set(code, &format!("e{at}"));
    }

    fn delimited(self, code: &mut Code, held: &Held, body: impl FnOnce(&mut Code)) {
        match held.is_delimited() {
            false => body(code),
            true => {
                let scope = format!("d{}", code.fresh());
                code.line(format_args!("long {scope} = r.beginDelimited();"));
                body(code);
                code.line(format_args!("r.end({scope});"));
            }
        }
    }

    fn array(self, code: &mut Code, held: &Held, place: &Place) {
        let ty = held.ty.resolved();
        let Some(element) = held.element() else {
            return;
        };
        if let ([length], true) = (ty.dimensions(), is_copied(&element.ty)) {
            return place.set(code, &format!("r.getArray({}, {length})", place.now));
        }
        let plain = Held {
            is_optional: false,
            is_external: false,
            ..held.clone()
        };
        let (class, array) = (names::object(self.unit, &ty), format!("x{}", code.fresh()));
        let length = ty.dimensions().first().copied().unwrap_or(0);
        code.line(format_args!("{class} {array} = {};", place.now));
        let unfit = format!("if ({array} == null || {array}.length != {length})");
        code.braces(unfit, |code| {
            code.line(format_args!(
                "{array} = {};",
                value::fresh(self.unit, &plain)
            ));
        });
        place.set(code, &array);
        self.delimited(code, held, |code| {
            self.rows(code, &element, ty.dimensions(), &array);
        });
    }

    fn rows(self, code: &mut Code, element: &Held, dimensions: &[u32], array: &str) {
        let Some((length, rest)) = dimensions.split_first() else {
            return;
        };
        let i = code.fresh();
        let one = Place::variable(&format!("{array}[i{i}]"));
        let head = format!("for (int i{i} = 0; i{i} < {length}; i{i}++)");
        code.braces(head, |code| match rest {
            [] => self.held(code, element, &one),
            [last] if is_copied(&element.ty) => {
                one.set(code, &format!("r.getArray({}, {last})", one.now));
            }
            _ => {
                let class = names::ty(self.unit, &element.ty);
                let row = format!("x{}", code.fresh());
                let brackets = "[]".repeat(rest.len());
                code.line(format_args!("{class}{brackets} {row} = {};", one.now));
                self.rows(code, element, rest, &row);
            }
        });
    }

    fn count(self, code: &mut Code, held: &Held, parts: &[&Held]) -> String {
        let n = format!("n{}", code.fresh());
        let sum = |of: &dyn Fn(&Held) -> u64| -> u64 {
            let all = parts.iter().map(|part| of(part));
            all.fold(0, u64::saturating_add).min(1 << 30)
        };
        let least = sum(&|part| match part.is_external {
            true => 0,
            false => least(&part.ty, 0),
        });
        let cost = sum(&|part| cost(&part.ty, 0) + 8);
        let idl = literal(&held.idl);
        code.line(format_args!(
            "int {n} = r.getCount({least}, {cost}, {idl});"
        ));
        n
    }

    fn sequence(self, code: &mut Code, held: &Held, bound: i32, object: &str) {
        let Some(element) = held.element() else {
            return;
        };
        let idl = literal(&held.idl);
        self.delimited(code, held, |code| {
            let n = self.count(code, held, &[&element]);
            let i = format!("i{}", code.fresh());
            code.line(format_args!("r.enter({idl});"));
            code.line(format_args!("{object}.clear();"));
            code.braces(
                format_args!("for (int {i} = 0; {i} < {n}; {i}++)"),
                |code| {
                    let place = Place {
                        now: format!("{object}.spare({i})"),
                        set: format!("{object}.put({i}, $);"),
                    };
                    self.held(code, &element, &place);
                },
            );
            code.line("r.leave();");
            if bound > 0 {
                let is_trimmed = held.is_trimmed();
                code.line(format_args!(
                    "r.fit({object}, {bound}, {is_trimmed}, {idl});"
                ));
            }
        });
    }

    fn map(self, code: &mut Code, held: &Held, bound: i32, object: &str) {
        let (Some(key), Some(element)) = (held.key(), held.element()) else {
            return;
        };
        let idl = literal(&held.idl);
        let is_trimmed = held.is_trimmed();
        self.delimited(code, held, |code| {
            let n = self.count(code, held, &[&key, &element]);
            let at = code.fresh();
            code.line(format_args!(
                "int z{at} = r.fitted({n}, {bound}, {is_trimmed}, {idl});"
            ));
            code.line(format_args!("r.enter({idl});"));
            code.line(format_args!("{object}.clear();"));
            code.braces(
                format_args!("for (int i{at} = 0; i{at} < {n}; i{at}++)"),
                |code| {
                    for (name, of) in [("k", &key), ("v", &element)] {
                        let class = names::object(self.unit, &of.ty);
                        let fresh = value::fresh(self.unit, of);
                        code.line(format_args!("{class} {name}{at} = {fresh};"));
                        self.held(code, of, &Place::variable(&format!("{name}{at}")));
                    }
                    code.braces(format_args!("if (i{at} < z{at})"), |code| {
                        code.line(format_args!("{object}.put(k{at}, v{at});"));
                    });
                },
            );
            code.line("r.leave();");
        });
    }

    /// The discriminator of a union into the variable `d`; what is unknown selects bytes of which
    /// nothing is known.
    pub(super) fn selector(self, code: &mut Code, union: &DynamicType, held: &Held) {
        let ty = held.ty.resolved();
        if ty.kind() != TypeKind::Enumeration {
            return self.held(code, held, &Place::variable("d"));
        }
        let class = names::qualified(self.unit, ty.name());
        let size = ty.number_size().unwrap_or(4);
        let default = value::fresh(self.unit, held);
        let idl = literal(&held.idl);
        code.line(format_args!("int number = r.getEnumerator({size});"));
        code.line(format_args!("d = {class}.of(number);"));
        code.braces("if (d == null)", |code| {
            if held.try_construct == TryConstruct::UseDefault {
                return code.line(format_args!("d = {default};"));
            }
            let fail = format!("throw r.unknownSelector({idl}, number);");
            if union.extensibility() != Extensibility::Appendable {
                return code.line(fail);
            }
            code.braces("if (!r.canPass(scope))", |code| code.line(fail));
            // What is left of the union is passed over.
            code.line(format_args!("r.unknownEnumerator({idl}, number);"));
            code.line(format_args!("d = {default};"));
            code.line("r.pass();");
        });
    }
}

/// The class of readers.
pub(super) fn reader() -> String {
    format!("{LIBRARY}.CdrReader")
}
