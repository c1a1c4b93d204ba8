//! Types and constants in the namespaces of their modules.

use dunlin_xtypes::{DynamicType, Member, TypeKind};

use super::codec::{cases, switched};
use super::place::Place;
use super::value;
use super::{constant, names};
use crate::emit::Unit;
use crate::emit::code::Code;
use crate::emit::shape::is_signed;
use crate::model::NamedType;

const VALUES: &str = "global::Dunlin.Cdr.Values";

/// Code in the namespace of a name.
pub(super) fn within(
    unit: &Unit<'_>,
    code: &mut Code,
    name: &str,
    body: impl FnOnce(&mut Code, &str),
) {
    within_place(code, names::place(unit, name), body);
}

fn within_place(
    code: &mut Code,
    (modules, local): (Vec<String>, String),
    body: impl FnOnce(&mut Code, &str),
) {
    code.line("");
    match modules.is_empty() {
        true => body(code, &local),
        false => code.braces(format_args!("namespace {}", modules.join(".")), |code| {
            body(code, &local);
        }),
    }
}

/// Documentation, if there is any.
fn docs(code: &mut Code, docs: Option<&str>) {
    let Some(docs) = docs else { return };
    let docs = docs
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    code.line("/// <summary>");
    docs.lines()
        .for_each(|line| code.line(format!("/// {}", line.trim()).trim_end()));
    code.line("/// </summary>");
}

fn member_docs(entry: &NamedType, at: usize) -> Option<&str> {
    entry.member_docs.get(at)?.as_deref()
}

fn verbatim(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, placement: &str) {
    unit.verbatim(entry, placement)
        .for_each(|text| code.verbatim(text));
}

/// All types and constants.
pub(super) fn types(unit: &Unit<'_>, code: &mut Code) {
    for entry in unit.types() {
        let Some(ty) = unit
            .model
            .ty(entry)
            .filter(|ty| ty.kind() != TypeKind::Alias)
        else {
            continue;
        };
        within(unit, code, ty.name(), |code, name| {
            verbatim(unit, code, entry, "before-declaration");
            docs(code, entry.docs.as_deref());
            named(unit, code, (entry, &ty), name);
            verbatim(unit, code, entry, "after-declaration");
        });
    }
    for of in unit.constants() {
        if let Some(line) = constant::constant(unit, of) {
            within_place(code, names::constant(unit, &of.name), |code, name| {
                docs(code, of.docs.as_deref());
                code.braces(format_args!("public static class {name}"), |code| {
                    docs(code, of.docs.as_deref());
                    code.line(line);
                });
            });
        }
    }
}

fn named(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    match ty.kind() {
        TypeKind::Enumeration => enumeration(unit, code, (entry, ty), name),
        TypeKind::Bitmask => bitmask(unit, code, (entry, ty), name),
        TypeKind::Bitset => bitset(unit, code, (entry, ty), name),
        TypeKind::Structure => structure(unit, code, (entry, ty), name),
        TypeKind::Union => union(unit, code, (entry, ty), name),
        _ => {}
    }
}

fn enumeration(
    unit: &Unit<'_>,
    code: &mut Code,
    (entry, ty): (&NamedType, &DynamicType),
    name: &str,
) {
    let number = names::underlying(ty);
    code.braces(format_args!("public enum {name} : {number}"), |code| {
        for (at, one) in ty.literals().iter().enumerate() {
            docs(code, member_docs(entry, at));
            code.line(format_args!("{} = {},", unit.word(one.name()), one.value()));
        }
    });
}

fn bitmask(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    let number = names::underlying(ty);
    code.line("[global::System.Flags]");
    code.braces(format_args!("public enum {name} : {number}"), |code| {
        for (at, flag) in ty.flags().iter().enumerate() {
            docs(code, member_docs(entry, at));
            let bit = 1_u64.checked_shl(flag.position().into()).unwrap_or(0);
            code.line(format_args!("{} = {bit:#x},", unit.word(flag.name())));
        }
    });
}

fn bitset(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    let interfaces = format!("global::System.IEquatable<{name}>");
    code.braces(
        format_args!("public struct {name} : {interfaces}"),
        |code| {
            for (at, field) in ty.fields().iter().enumerate() {
                docs(code, member_docs(entry, at));
                let holder = names::primitive(field.holder()).unwrap_or("ulong");
                let property = names::property(unit, ty, field.name());
                code.line(format_args!("public {holder} {property} {{ get; set; }}"));
            }
            code.line("/// <summary>All fields as one number.</summary>");
            code.braces("public ulong ToBits()", |code| {
                code.line("ulong bits = 0;");
                for field in ty.fields() {
                    let (at, mask) = (field.position(), mask(field.size()));
                    let property = names::property(unit, ty, field.name());
                    let bits = match field.holder() {
                        TypeKind::Boolean => format!("({property} ? 1ul : 0ul)"),
                        _ => format!("unchecked((ulong){property})"),
                    };
                    code.line(format_args!("bits |= ({bits} & {mask}) << {at};"));
                }
                code.line("return bits;");
            });
            code.line("/// <summary>Of all fields as one number.</summary>");
            code.braces(
                format_args!("public static {name} FromBits(ulong bits)"),
                |code| {
                    code.line(format_args!("{name} made = default;"));
                    for field in ty.fields() {
                        let line = unpacked(field);
                        let property = names::property(unit, ty, field.name());
                        code.line(format_args!("made.{property} = {line};"));
                    }
                    code.line("return made;");
                },
            );
            code.line(format_args!(
                "public bool Equals({name} other) => ToBits() == other.ToBits();"
            ));
            code.line(format_args!(
            "public override bool Equals(object? other) => other is {name} value && Equals(value);"
        ));
            code.line("public override int GetHashCode() => ToBits().GetHashCode();");
        },
    );
}

fn unpacked(field: &dunlin_xtypes::Bitfield) -> String {
    let (at, size) = (field.position(), field.size());
    let bits = format!("(bits >> {at} & {})", mask(size));
    let holder = names::primitive(field.holder()).unwrap_or("ulong");
    let is_signed = is_signed(field.holder());
    let sign = 1_u64
        .checked_shl(u32::from(size).saturating_sub(1))
        .unwrap_or(0);
    match (field.holder(), is_signed) {
        (TypeKind::Boolean, _) => format!("{bits} != 0"),
        // The highest bit counts negative.
        (_, true) => format!("unchecked(({holder})(long)(({bits} ^ {sign:#x}ul) - {sign:#x}ul))"),
        _ => format!("unchecked(({holder}){bits})"),
    }
}

fn mask(size: u8) -> String {
    let mask = u64::MAX
        .checked_shr(64_u32.saturating_sub(size.into()))
        .unwrap_or(0);
    format!("{mask:#x}ul")
}

fn structure(
    unit: &Unit<'_>,
    code: &mut Code,
    (entry, ty): (&NamedType, &DynamicType),
    name: &str,
) {
    let base = ty.base().map(|base| names::global(unit, base.name(), ""));
    let first = base
        .iter()
        .map(|base| format!("{base}, "))
        .collect::<String>();
    code.line(format_args!(
        "[global::Dunlin.TypeSupport(typeof({}))]",
        names::global(unit, ty.name(), "Support")
    ));
    let interfaces = format!("{first}global::System.IEquatable<{name}>, global::System.ICloneable");
    code.braces(
        format_args!("public partial class {name} : {interfaces}"),
        |code| {
            verbatim(unit, code, entry, "begin-declaration");
            for (at, member) in ty.own_members().iter().enumerate() {
                docs(code, member_docs(entry, at));
                property(unit, code, ty, member);
            }
            helpers(unit, code, ty, name);
            verbatim(unit, code, entry, "end-declaration");
        },
    );
}

/// A property that is never null, unless its type says so.
fn property(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, member: &Member) {
    let of = ty.at(member.element().ty);
    let name = names::property(unit, ty, member.name());
    let typed = names::typed(unit, &of);
    if names::is_nullable(ty, member) {
        return code.line(format_args!("public {typed}? {name} {{ get; set; }}"));
    }
    let place = Place::root(ty.clone(), "this").part(unit, member.name());
    let made = names::fresh(unit, &of, place.of.default.as_ref());
    if !names::is_reference(&of) {
        return code.line(format_args!(
            "public {typed} {name} {{ get; set; }} = {made};"
        ));
    }
    let field = names::field(&name);
    code.line(format_args!("private {typed} {field} = {made};"));
    code.braces(format_args!("public {typed} {name}"), |code| {
        code.line(format_args!("get => {field};"));
        let checked = checked(&of, &field, &place.idl());
        code.line(format_args!("set => {field} = {checked};"));
    });
}

/// What a property is set to, if it may be.
fn checked(ty: &DynamicType, field: &str, idl: &str) -> String {
    let of = ty.resolved();
    match (of.kind(), of.dimensions()) {
        (TypeKind::Array, [length]) => format!("{VALUES}.OfLength(value, {length}, {idl})"),
        (TypeKind::Array, _) => format!("{VALUES}.OfShape(value, {field}, {idl})"),
        _ => format!("value ?? throw new global::System.ArgumentNullException({idl})"),
    }
}

/// Copies and comparisons.
fn helpers(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, name: &str) {
    let base = ty.base().is_some();
    let members = || {
        ty.own_members().iter().map(|member| {
            let property = names::property(unit, ty, member.name());
            let is_nullable = names::is_nullable(ty, member);
            (property, ty.at(member.element().ty), is_nullable)
        })
    };
    code.line("/// <summary>Makes all members equal to those of another value; it shares nothing with it.</summary>");
    code.braces(format_args!("public void CopyFrom({name} other)"), |code| {
        if base {
            code.line("base.CopyFrom(other);");
        }
        for (property, of, is_nullable) in members() {
            code.line(copied(&property, &of, is_nullable));
        }
    });
    clone(code, name, base);
    code.line(
        "/// <summary>-0 is 0, NaN is NaN, and what is absent is not what is empty.</summary>",
    );
    code.braces(format_args!("public bool Equals({name}? other)"), |code| {
        code.line("if (other is null || other.GetType() != GetType()) return false;");
        if base {
            code.line("if (!base.Equals(other)) return false;");
        }
        for (property, of, is_nullable) in members() {
            code.line(compared(&property, &of, is_nullable));
        }
        code.line("return true;");
    });
    equality(code, name);
    code.braces("public override int GetHashCode()", |code| {
        code.line("var hash = new global::System.HashCode();");
        if base {
            code.line("hash.Add(base.GetHashCode());");
        }
        for (property, _, _) in members() {
            code.line(format_args!("hash.Add({VALUES}.Hash({property}));"));
        }
        code.line("return hash.ToHashCode();");
    });
}

fn clone(code: &mut Code, name: &str, is_derived: bool) {
    let word = if is_derived { "new " } else { "" };
    code.line("/// <summary>A copy that shares nothing with the value.</summary>");
    code.braces(format_args!("public {word}{name} Clone()"), |code| {
        code.line(format_args!("var made = new {name}();"));
        code.line("made.CopyFrom(this);");
        code.line("return made;");
    });
    code.line("object global::System.ICloneable.Clone() => Clone();");
}

fn equality(code: &mut Code, name: &str) {
    code.line(format_args!(
        "public override bool Equals(object? other) => Equals(other as {name});"
    ));
}

fn copied(property: &str, ty: &DynamicType, is_nullable: bool) -> String {
    let of = ty.resolved();
    match of.kind() {
        TypeKind::String8 | TypeKind::String16 => format!("{property} = other.{property};"),
        _ if !names::is_reference(&of) => format!("{property} = other.{property};"),
        TypeKind::Map if is_nullable => format!(
            "{property} = other.{property} == null ? null : {VALUES}.Clone(other.{property});"
        ),
        TypeKind::Map | TypeKind::Array => {
            format!("{property} = {VALUES}.Clone(other.{property});")
        }
        _ if is_nullable => format!("{property} = {VALUES}.Clone(other.{property});"),
        _ => format!("{property}.CopyFrom(other.{property});"),
    }
}

fn compared(property: &str, ty: &DynamicType, is_nullable: bool) -> String {
    let both = format!("{property}, other.{property}");
    match ty.resolved().kind() {
        TypeKind::Map if is_nullable => format!(
            "if ({property} == null || other.{property} == null ? {property} != other.{property} : !{VALUES}.Equal({both})) return false;"
        ),
        _ => format!("if (!{VALUES}.Equal({both})) return false;"),
    }
}

/// A class with all members side by side, of which the discriminator says which one counts.
fn union(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    let Some(by) = ty.discriminator().map(|of| ty.at(of.ty)) else {
        return;
    };
    let d = names::typed(unit, &by);
    let place = Place::root(ty.clone(), "this").part(unit, "_d");
    let default = constant::number(unit, &by, place.of.default.as_ref());
    code.line(format_args!(
        "[global::Dunlin.TypeSupport(typeof({}))]",
        names::global(unit, ty.name(), "Support")
    ));
    let interfaces = format!("global::System.IEquatable<{name}>, global::System.ICloneable");
    code.braces(format_args!("public partial class {name} : {interfaces}"), |code| {
        verbatim(unit, code, entry, "begin-declaration");
        code.line(format_args!("private {d} _discriminator = {default};"));
        code.line("/// <summary>What selects a member. Another member that it selects has its default.</summary>");
        code.braces(format_args!("public {d} Discriminator"), |code| {
            code.line("get => _discriminator;");
            code.line("set => Select(value);");
        });
        for (at, case) in ty.cases().iter().enumerate() {
            if let Some(element) = case.element() {
                docs(code, member_docs(entry, at));
                member_of_union(unit, code, ty, (at, case, element), &d);
            }
        }
        select(unit, code, ty, &d);
        code.braces(format_args!("public {name}()"), |code| {
            code.line("Begin(CaseOf(_discriminator));");
        });
        union_helpers(unit, code, ty, name);
        verbatim(unit, code, entry, "end-declaration");
    });
}

fn case_value(unit: &Unit<'_>, ty: &DynamicType, case: &dunlin_xtypes::Case) -> String {
    let by = ty.discriminator().map(|of| ty.at(of.ty).resolved());
    let Some(by) = by else { return "0".into() };
    let value = case
        .labels()
        .first()
        .copied()
        .unwrap_or_else(|| unused(ty, &by));
    let said = match by.kind() {
        TypeKind::Boolean => dunlin_xtypes::Constant::Boolean(value != 0),
        TypeKind::Char8 => dunlin_xtypes::Constant::Char8(value as u8),
        TypeKind::Char16 => dunlin_xtypes::Constant::Char16(value as u16),
        TypeKind::UInt64 => dunlin_xtypes::Constant::Integer((value as u64).into()),
        _ => dunlin_xtypes::Constant::Integer(value.into()),
    };
    constant::number(unit, &by, Some(&said))
}

/// A discriminator that no label names, for the default case.
fn unused(ty: &DynamicType, by: &DynamicType) -> i64 {
    let is_taken = |value: &i64| ty.cases().iter().any(|case| case.labels().contains(value));
    let mut possible: Vec<i64> = match by.kind() {
        TypeKind::Enumeration => by.literals().iter().map(|one| one.value().into()).collect(),
        TypeKind::Boolean => vec![0, 1],
        _ => (0..=ty
            .cases()
            .iter()
            .map(|case| case.labels().len() as i64)
            .sum())
            .collect(),
    };
    possible.retain(|value| !is_taken(value));
    possible.first().copied().unwrap_or(0)
}

fn member_of_union(
    unit: &Unit<'_>,
    code: &mut Code,
    ty: &DynamicType,
    (at, case, element): (usize, &dunlin_xtypes::Case, dunlin_xtypes::Element),
    d: &str,
) {
    let of = ty.at(element.ty);
    let name = names::property(unit, ty, case.name());
    let field = names::field(&name);
    let null = if names::is_null_at_first(ty, element) {
        "?"
    } else {
        ""
    };
    let typed = names::typed(unit, &of) + null;
    let idl = names::literal(&format!("{}.{}", ty.name(), case.name()));
    let is_checked = names::is_reference(&of) && null.is_empty();
    // What is not selected need not be there.
    let begin = if is_checked { " = null!" } else { "" };
    code.line(format_args!("internal {typed} {field}{begin};"));
    let value = match is_checked {
        true => match of.resolved().dimensions() {
            [length] => format!("{VALUES}.OfLength(value, {length}, {idl})"),
            [] => format!("value ?? throw new global::System.ArgumentNullException({idl})"),
            _ => format!(
                "{VALUES}.OfShape(value, {}, {idl})",
                names::fresh(unit, &of, None)
            ),
        },
        false => "value".into(),
    };
    let own = case_value(unit, ty, case);
    code.braces(format_args!("public {typed} {name}"), |code| {
        code.line(format_args!(
            "get => CaseOf(_discriminator) == {at} ? {field} : throw {VALUES}.NotSelected({idl}, _discriminator);"
        ));
        code.braces("set", |code| {
            code.line(format_args!("{field} = {value};"));
            code.line(format_args!(
                "if (CaseOf(_discriminator) != {at}) _discriminator = {own};"
            ));
        });
    });
    if case.labels().len() + usize::from(case.is_default()) > 1 {
        let discriminator = "discriminator";
        code.line(
            "/// <summary>Sets the member and which of its discriminators selects it.</summary>",
        );
        code.braces(format_args!("public void Set{name}({typed} value, {d} {discriminator})"), |code| {
            code.line(format_args!(
                "if (CaseOf({discriminator}) != {at}) throw {VALUES}.NotSelected({idl}, {discriminator});"
            ));
            code.line(format_args!("{name} = value;"));
            code.line(format_args!("_discriminator = {discriminator};"));
        });
    }
}

fn select(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, d: &str) {
    code.braces(
        format_args!("private static int CaseOf({d} value)"),
        |code| {
            code.braces(format_args!("switch ({})", switched(ty, "value")), |code| {
                let mut otherwise = -1;
                for (at, case) in ty.cases().iter().enumerate() {
                    for one in case.labels() {
                        code.line(format_args!("case {}:", super::codec::label(*one)));
                    }
                    match case.is_default() {
                        true => {
                            otherwise = at as i64;
                            if !case.labels().is_empty() {
                                code.line(format_args!("return {at};"));
                            }
                        }
                        false if !case.labels().is_empty() => {
                            code.line(format_args!("return {at};"))
                        }
                        false => {}
                    }
                }
                code.line("default:");
                code.line(format_args!("return {otherwise};"));
            });
        },
    );
    code.braces(format_args!("internal void Select({d} value)"), |code| {
        code.line("int selected = CaseOf(value);");
        code.line("if (selected != CaseOf(_discriminator)) Begin(selected);");
        code.line("_discriminator = value;");
    });
    let root = Place::root(ty.clone(), "this").inside();
    code.braces("private void Begin(int selected)", |code| {
        code.braces("switch (selected)", |code| {
            for (at, case) in ty.cases().iter().enumerate() {
                if case.element().is_none() {
                    continue;
                }
                let place = root.part(unit, case.name());
                code.line(format_args!("case {at}:"));
                if !place.is_nullable {
                    value::ensure(unit, code, &place);
                }
                value::reset(unit, code, &place);
                code.line("break;");
            }
            code.line("default:");
            code.line("break;");
        });
    });
}

fn union_helpers(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, name: &str) {
    code.line(
        "/// <summary>Makes the value equal to another; it shares nothing with it.</summary>",
    );
    code.braces(format_args!("public void CopyFrom({name} other)"), |code| {
        code.line("Select(other._discriminator);");
        cases(code, ty, "_discriminator", |code, _, case| {
            if let Some(element) = case.element() {
                let property = names::property(unit, ty, case.name());
                let is_null = names::is_null_at_first(ty, element);
                code.line(copied(
                    &names::field(&property),
                    &ty.at(element.ty),
                    is_null,
                ));
            }
        });
    });
    clone(code, name, false);
    code.line("/// <summary>Whether discriminator and member are the same.</summary>");
    code.braces(format_args!("public bool Equals({name}? other)"), |code| {
        code.line("if (other is null || other._discriminator != _discriminator) return false;");
        cases(code, ty, "_discriminator", |code, _, case| {
            if let Some(element) = case.element() {
                let property = names::property(unit, ty, case.name());
                let is_null = names::is_null_at_first(ty, element);
                code.line(compared(
                    &names::field(&property),
                    &ty.at(element.ty),
                    is_null,
                ));
            }
        });
        code.line("return true;");
    });
    equality(code, name);
    code.line("public override int GetHashCode() => _discriminator.GetHashCode();");
}
