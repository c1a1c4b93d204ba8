//! Enumerations, bitmasks and bitsets.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::code::Code;
use super::{head, member_docs, names, tail};
use crate::emit::Unit;
use crate::emit::shape::is_signed;
use crate::model::NamedType;

pub(super) fn enumeration(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, ty: &DynamicType) {
    let (_, class) = names::place(unit, ty.name());
    head(unit, code, entry, &format!("enum {class}"));
    let last = ty.literals().len().saturating_sub(1);
    for (at, literal) in ty.literals().iter().enumerate() {
        code.docs(member_docs(entry, at));
        let end = if at == last { ";" } else { "," };
        let name = names::member(unit, literal.name());
        code.line(format_args!("{name}({}){end}", literal.value()));
    }
    code.line("");
    code.line("private final int _value;");
    code.line("");
    code.braces(format_args!("{class}(int value)"), |code| {
        code.line("_value = value;");
    });
    code.line("");
    code.docs(Some("{@return the number}"));
    code.braces("public int value()", |code| code.line("return _value;"));
    code.line("");
    code.docs(Some(
        "The enumerator of a number.\n\n@param value the number\n@return the enumerator; null if there is none",
    ));
    code.braces(
        format_args!("public static {class} of(int value)"),
        |code| {
            code.line("return switch (value) {");
            code.deeper();
            for literal in ty.literals() {
                let name = names::member(unit, literal.name());
                code.line(format_args!("case {} -> {name};", literal.value()));
            }
            code.line("default -> null;");
            code.shallower();
            code.line("};");
        },
    );
    tail(unit, code, entry);
}

/// The flags of a bitmask as bits.
pub(super) fn mask(ty: &DynamicType) -> u64 {
    let flags = ty.flags().iter();
    flags.fold(0, |mask, flag| mask | 1 << flag.position())
}

pub(super) fn bitmask(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, ty: &DynamicType) {
    let (_, class) = names::place(unit, ty.name());
    head(unit, code, entry, &format!("final class {class}"));
    for (at, flag) in ty.flags().iter().enumerate() {
        code.docs(member_docs(entry, at));
        let name = names::member(unit, flag.name());
        let bit = (1_u64 << flag.position()) as i64;
        code.line(format_args!("public static final long {name} = {bit}L;"));
    }
    code.line("");
    code.docs(Some("The bits: flags with | between them."));
    code.line("public long _bits;");
    code.line("");
    code.docs(Some("No flag."));
    code.braces(format_args!("public {class}()"), |_| {});
    code.line("");
    code.docs(Some("Some flags.\n\n@param bits the flags"));
    code.braces(format_args!("public {class}(long bits)"), |code| {
        code.line("_bits = bits;");
    });
    code.line("");
    code.docs(Some(
        "Whether flags are set.\n\n@param flags the flags\n@return whether all of them are",
    ));
    code.braces("public boolean has(long flags)", |code| {
        code.line("return (_bits & flags) == flags;");
    });
    bits(code, &class);
    tail(unit, code, entry);
}

/// What objects over bits have in common; `_bits` is their field or their method.
fn bits(code: &mut Code, class: &str) {
    code.line("");
    code.docs(Some("{@return a copy}"));
    code.braces(format_args!("public {class} copy()"), |code| {
        code.line(format_args!("return new {class}(_bits);"));
    });
    code.line("");
    code.line("@Override");
    code.braces("public boolean equals(java.lang.Object other)", |code| {
        code.line(format_args!(
            "return other instanceof {class} that && _bits == that._bits;"
        ));
    });
    code.line("");
    code.line("@Override");
    code.braces("public int hashCode()", |code| {
        code.line("return java.lang.Long.hashCode(_bits);");
    });
    code.line("");
    code.line("@Override");
    code.braces("public java.lang.String toString()", |code| {
        code.line(format_args!(
            "return \"{class}{{0x\" + java.lang.Long.toHexString(_bits) + \"}}\";"
        ));
    });
}

pub(super) fn bitset(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, ty: &DynamicType) {
    let (_, class) = names::place(unit, ty.name());
    head(unit, code, entry, &format!("final class {class}"));
    code.docs(Some("The bits of all fields."));
    code.line("public long _bits;");
    code.line("");
    code.docs(Some("All fields are 0."));
    code.braces(format_args!("public {class}()"), |_| {});
    code.line("");
    code.docs(Some("With the bits of all fields.\n\n@param bits the bits"));
    code.braces(format_args!("public {class}(long bits)"), |code| {
        code.line("_bits = bits;");
    });
    for (at, field) in ty.fields().iter().enumerate() {
        if field.name().is_empty() {
            continue;
        }
        let Some((word, _)) = names::number(field.holder()) else {
            continue;
        };
        let name = names::method(unit, field.name());
        let (position, size) = (field.position(), field.size());
        code.line("");
        code.docs(member_docs(entry, at));
        code.braces(format_args!("public {word} {name}()"), |code| {
            code.line(match field.holder() {
                TypeKind::Boolean => format!("return (_bits >>> {position} & 1) != 0;"),
                holder => {
                    let left = 64 - u32::from(position) - u32::from(size);
                    let is_signed = is_signed(holder);
                    let shift = if is_signed { ">>" } else { ">>>" };
                    format!("return ({word}) (_bits << {left} {shift} {});", 64 - size)
                }
            });
        });
        code.line("");
        code.docs(Some("Another value for the field.\n\n@param value the value, of which the lowest bits count"));
        code.braces(format_args!("public void {name}({word} value)"), |code| {
            let mask = (u64::MAX >> (64 - size)) << position;
            let bits = match field.holder() {
                TypeKind::Boolean => "(value ? 1L : 0L)",
                _ => "(long) value",
            };
            let mask = mask as i64;
            code.line(format_args!(
                "_bits = _bits & ~{mask}L | {bits} << {position} & {mask}L;"
            ));
        });
    }
    bits(code, &class);
    tail(unit, code, entry);
}
