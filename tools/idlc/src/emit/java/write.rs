//! Statements that write values.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Member, TypeKind};

use super::code::{Code, literal};
use super::types::{Held, has_part};
use super::{names, number};
use crate::emit::Unit;
use crate::plan::Part;

/// Writes a value, or its key.
#[derive(Clone, Copy)]
pub(super) struct Write<'u, 'm> {
    pub(super) unit: &'u Unit<'m>,
    pub(super) part: Part,
}

impl Write<'_, '_> {
    /// The members of a structure.
    pub(super) fn members(self, code: &mut Code, ty: &DynamicType, members: &[&Member]) {
        for member in members {
            let held = Held::member(ty, member);
            let place = format!("v.{}", names::member(self.unit, member.name()));
            let must_understand = member.is_key() || member.must_understand();
            if ty.extensibility() == Extensibility::Mutable {
                let write = |code: &mut Code| {
                    self.labelled(code, &held, (member.id(), must_understand), &place);
                };
                match held.is_optional {
                    true => code.braces(format_args!("if ({place} != null)"), write),
                    false => write(code),
                }
            } else if held.is_optional {
                self.optional(code, &held, (member.id(), must_understand), &place);
            } else {
                self.held(code, &held, &place);
            }
        }
    }

    /// A member with a header.
    pub(super) fn labelled(self, code: &mut Code, held: &Held, id: (u32, bool), place: &str) {
        let (id, must_understand) = id;
        let length_code = held.ty.length_code();
        let begin = format!("m{}", code.fresh());
        code.line(format_args!(
            "long {begin} = w.beginMember({id}, {must_understand}, {length_code});"
        ));
        self.content(code, held, place);
        code.line(format_args!(
            "w.endMember({begin}, {id}, {must_understand}, {length_code});"
        ));
    }

    fn optional(self, code: &mut Code, held: &Held, id: (u32, bool), place: &str) {
        let (id, must_understand) = id;
        // As a part of a key it is what is no member.
        let id = if self.part == Part::Key { 0 } else { id };
        let begin = format!("m{}", code.fresh());
        code.line(format_args!(
            "long {begin} = w.beginOptional({place} != null, {id});"
        ));
        code.braces(format_args!("if ({place} != null)"), |code| {
            self.content(code, held, place);
        });
        code.line(format_args!(
            "w.endOptional({begin}, {id}, {must_understand});"
        ));
    }

    /// What may be optional, and is there.
    fn content(self, code: &mut Code, held: &Held, place: &str) {
        if !held.is_optional {
            return self.held(code, held, place);
        }
        // What is optional is a key as a whole.
        let whole = Self {
            part: Part::Whole,
            ..self
        };
        whole.deeper(code, held, |code| whole.value(code, held, place));
    }

    /// A member, an element or the value of a case.
    pub(super) fn held(self, code: &mut Code, held: &Held, place: &str) {
        match held.is_external {
            true => self.deeper(code, held, |code| self.value(code, held, place)),
            false => self.value(code, held, place),
        }
    }

    fn deeper(self, code: &mut Code, held: &Held, body: impl FnOnce(&mut Code)) {
        code.line(format_args!("w.enter({});", literal(&held.idl)));
        body(code);
        code.line("w.leave();");
    }

    fn delimited(self, code: &mut Code, held: &Held, body: impl FnOnce(&mut Code)) {
        match held.is_delimited() {
            false => body(code),
            true => {
                let begin = format!("d{}", code.fresh());
                code.line(format_args!("int {begin} = w.beginDelimited();"));
                body(code);
                code.line(format_args!("w.end({begin});"));
            }
        }
    }

    fn value(self, code: &mut Code, held: &Held, place: &str) {
        let ty = held.ty.resolved();
        let idl = literal(&held.idl);
        let bound = ty.bound().unwrap_or(0) as i32;
        let size = ty.number_size().unwrap_or(0);
        let required = |code: &mut Code| code.line(format_args!("w.required({place}, {idl});"));
        match ty.kind() {
            TypeKind::Boolean => code.line(format_args!("w.putBoolean({place});")),
            TypeKind::Byte | TypeKind::Int8 | TypeKind::UInt8 => {
                code.line(format_args!("w.putByte({place});"));
            }
            TypeKind::Int16 | TypeKind::UInt16 => code.line(format_args!("w.putShort({place});")),
            TypeKind::Int32 | TypeKind::UInt32 => code.line(format_args!("w.putInt({place});")),
            TypeKind::Int64 | TypeKind::UInt64 => code.line(format_args!("w.putLong({place});")),
            TypeKind::Float32 => code.line(format_args!("w.putFloat({place});")),
            TypeKind::Float64 => code.line(format_args!("w.putDouble({place});")),
            TypeKind::Float128 => code.line(format_args!("w.putFloat128({place}, {idl});")),
            TypeKind::Char8 => code.line(format_args!("w.putChar({place}, {idl});")),
            TypeKind::Char16 => code.line(format_args!("w.putWideChar({place});")),
            TypeKind::String8 => code.line(format_args!("w.putString({place}, {bound}, {idl});")),
            TypeKind::String16 => {
                code.line(format_args!("w.putWideString({place}, {bound}, {idl});"));
            }
            TypeKind::Enumeration => {
                required(code);
                code.line(format_args!("w.putBits({place}.value(), {size});"));
            }
            TypeKind::Bitmask => {
                required(code);
                let mask = number::mask(&ty) as i64;
                code.line(format_args!("w.checkBits({place}._bits, {mask}L, {idl});"));
                code.line(format_args!("w.putBits({place}._bits, {size});"));
            }
            TypeKind::Bitset => {
                required(code);
                code.line(format_args!("w.putBits({place}._bits, {size});"));
            }
            TypeKind::Structure | TypeKind::Union => {
                required(code);
                let class = names::qualified(self.unit, ty.name());
                let word = match self.part == Part::Key && has_part(&ty) {
                    true => "writeKey",
                    false => "write",
                };
                code.line(format_args!("{class}.TYPE.{word}(w, {place});"));
            }
            TypeKind::Array => {
                required(code);
                self.delimited(code, held, |code| {
                    self.rows(code, held, ty.dimensions(), place);
                });
            }
            TypeKind::Sequence if names::row(&ty).is_some() => {
                required(code);
                let element = ty.element().map(|of| ty.at(of.ty).resolved().kind());
                let word = match element {
                    Some(TypeKind::Char16) => "writeWide",
                    _ => "write",
                };
                code.line(format_args!("{place}.{word}(w, {bound}, {idl});"));
            }
            TypeKind::Sequence => {
                required(code);
                self.delimited(code, held, |code| self.sequence(code, held, bound, place));
            }
            TypeKind::Map => {
                required(code);
                self.delimited(code, held, |code| self.map(code, held, bound, place));
            }
            TypeKind::Alias => {}
        }
    }

    /// The elements of collections are written whole.
    fn whole(self) -> Self {
        Self {
            part: Part::Whole,
            ..self
        }
    }

    fn rows(self, code: &mut Code, held: &Held, dimensions: &[u32], place: &str) {
        let (Some((length, rest)), Some(element)) = (dimensions.split_first(), held.element())
        else {
            return;
        };
        let idl = literal(&held.idl);
        if rest.is_empty() && is_copied(&element.ty) {
            return code.line(format_args!("w.putArray({place}, {length}, {idl});"));
        }
        code.line(format_args!(
            "w.checkLength({place}.length, {length}, {idl});"
        ));
        let (i, e) = (code.fresh(), code.fresh());
        let class = names::ty(self.unit, &element.ty);
        let class = format!("{class}{}", "[]".repeat(rest.len()));
        let head = format!("for (int i{i} = 0; i{i} < {length}; i{i}++)");
        code.braces(head, |code| {
            code.line(format_args!("{class} e{e} = {place}[i{i}];"));
            match rest.is_empty() {
                true => self.whole().held(code, &element, &format!("e{e}")),
                false => {
                    code.line(format_args!("w.required(e{e}, {idl});"));
                    self.rows(code, held, rest, &format!("e{e}"));
                }
            }
        });
    }

    fn sequence(self, code: &mut Code, held: &Held, bound: i32, place: &str) {
        let Some(element) = held.element() else {
            return;
        };
        let idl = literal(&held.idl);
        let (i, e) = (code.fresh(), code.fresh());
        let class = names::object(self.unit, &element.ty);
        code.line(format_args!("w.putCount({place}.size(), {bound}, {idl});"));
        self.deeper(code, held, |code| {
            let head = format!("for (int i{i} = 0; i{i} < {place}.size(); i{i}++)");
            code.braces(head, |code| {
                code.line(format_args!("{class} e{e} = {place}.get(i{i});"));
                self.whole().held(code, &element, &format!("e{e}"));
            });
        });
    }

    fn map(self, code: &mut Code, held: &Held, bound: i32, place: &str) {
        let (Some(key), Some(element)) = (held.key(), held.element()) else {
            return;
        };
        let idl = literal(&held.idl);
        let e = code.fresh();
        let object = |of: &Held| names::object(self.unit, &of.ty);
        let (first, second) = (object(&key), object(&element));
        code.line(format_args!("w.putCount({place}.size(), {bound}, {idl});"));
        self.deeper(code, held, |code| {
            let head =
                format!("for (java.util.Map.Entry<{first}, {second}> e{e} : {place}.entrySet())");
            code.braces(head, |code| {
                code.line(format_args!("{first} k{e} = e{e}.getKey();"));
                self.whole().held(code, &key, &format!("k{e}"));
                code.line(format_args!("{second} v{e} = e{e}.getValue();"));
                code.line(format_args!("w.required(v{e}, {idl});"));
                self.whole().held(code, &element, &format!("v{e}"));
            });
        });
    }
}

/// Whether arrays of it are written and read in one piece.
pub(super) fn is_copied(ty: &DynamicType) -> bool {
    let kind = ty.resolved().kind();
    let is_apart = matches!(kind, TypeKind::Boolean | TypeKind::Char8 | TypeKind::Char16);
    names::number(kind).is_some() && !is_apart
}
