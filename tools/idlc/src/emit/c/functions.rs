//! Functions of types: `_init`, `_reset`, `_free`, `_copy`, `_equal`, and those that they need.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::code::{Code, integer};
use super::place::Place;
use super::value::Values;
use super::{constant, names};
use crate::emit::Unit;
use crate::emit::shape::is_signed;

/// What all structs and unions have.
pub(super) fn declare(code: &mut Code, name: &str) {
    code.line("");
    code.line("/* Gives all members their defaults. Whatever was there is forgotten. False: no memory. */");
    code.line(format_args!("bool {name}_init({name} *value);"));
    code.line("/* The same for a value that was begun before; its memory is used again. */");
    code.line(format_args!("bool {name}_reset({name} *value);"));
    code.line("/* Ends what the members own. */");
    code.line(format_args!("void {name}_free({name} *value);"));
    code.line("/* Makes a value that was begun before equal to another. False: no memory. */");
    code.line(format_args!(
        "bool {name}_copy({name} *to, const {name} *from);"
    ));
    code.line("/* -0 is 0, NaN is NaN, and what is absent is not what is empty. */");
    code.line(format_args!(
        "bool {name}_equal(const {name} *one, const {name} *other);"
    ));
}

/// Defines them for a struct.
pub(super) fn structure(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let values = Values(unit);
    let all = |root: &str| -> Vec<Place> {
        let place = Place::root(unit, ty.clone(), root);
        let members = ty.own_members().iter();
        members
            .map(|member| place.part(unit, member.name()))
            .collect()
    };
    let base = ty.base().map(|base| names::global(unit, base.name()));
    init(code, &name);
    function(
        code,
        &format!("bool {name}_reset({name} *value)"),
        &["value"],
        |code| {
            if let Some(base) = &base {
                code.line(format_args!(
                    "if (!{base}_reset(&value->parent)) return false;"
                ));
            }
            all("value")
                .iter()
                .for_each(|place| values.reset(code, place));
            code.line("return true;");
        },
    );
    function(
        code,
        &format!("void {name}_free({name} *value)"),
        &["value"],
        |code| {
            if let Some(base) = &base {
                code.line(format_args!("{base}_free(&value->parent);"));
            }
            all("value")
                .iter()
                .for_each(|place| values.free(code, place));
        },
    );
    let head = format!("bool {name}_copy({name} *to, const {name} *from)");
    function(code, &head, &["to", "from"], |code| {
        if let Some(base) = &base {
            code.line(format_args!(
                "if (!{base}_copy(&to->parent, &from->parent)) return false;"
            ));
        }
        for (to, from) in all("to").iter().zip(all("from")) {
            values.copy(code, to, &from);
        }
        code.line("return true;");
    });
    let head = format!("bool {name}_equal(const {name} *one, const {name} *other)");
    function(code, &head, &["one", "other"], |code| {
        if let Some(base) = &base {
            code.line(format_args!(
                "if (!{base}_equal(&one->parent, &other->parent)) return false;"
            ));
        }
        for (one, other) in all("one").iter().zip(all("other")) {
            values.compare(code, one, &other);
        }
        code.line("return true;");
    });
}

fn init(code: &mut Code, name: &str) {
    function(
        code,
        &format!("bool {name}_init({name} *value)"),
        &[],
        |code| {
            code.line("memset(value, 0, sizeof *value);");
            code.line(format_args!("return {name}_reset(value);"));
        },
    );
}

/// A function. Parameters that a type without members does not use are used here.
pub(super) fn function(
    code: &mut Code,
    head: &str,
    parameters: &[&str],
    body: impl FnOnce(&mut Code),
) {
    code.line("");
    code.braces(head, |code| {
        parameters
            .iter()
            .for_each(|one| code.line(format_args!("(void){one};")));
        body(code);
    });
}

/// What a switch over the discriminator is about: a number that all labels are constants of.
pub(super) fn switched(ty: &DynamicType, value: &str) -> String {
    match discriminator(ty).kind() {
        TypeKind::Boolean | TypeKind::Enumeration => format!("(int){value}"),
        TypeKind::Char8 => format!("(unsigned char){value}"),
        _ => value.into(),
    }
}

/// The type that selects the case of a union, behind aliases.
pub(super) fn discriminator(ty: &DynamicType) -> DynamicType {
    let found = ty.discriminator().map(|of| ty.at(of.ty).resolved());
    found.unwrap_or_else(|| ty.clone())
}

/// A label as a constant.
pub(super) fn label(ty: &DynamicType, label: i64) -> String {
    let is_unsigned = matches!(
        discriminator(ty).kind(),
        TypeKind::UInt64 | TypeKind::Bitmask
    );
    match is_unsigned {
        true => integer((label as u64).into()),
        false => integer(label.into()),
    }
}

/// A switch over the cases of a union.
pub(super) fn cases(
    code: &mut Code,
    ty: &DynamicType,
    value: &str,
    mut body: impl FnMut(&mut Code, &dunlin_xtypes::Case),
) {
    code.braces(format_args!("switch ({})", switched(ty, value)), |code| {
        let mut has_default = false;
        for case in ty.cases() {
            for one in case.labels() {
                code.line(format_args!("case {}:", label(ty, *one)));
            }
            if case.is_default() {
                code.line("default:");
                has_default = true;
            }
            if case.labels().is_empty() && !case.is_default() {
                continue;
            }
            code.braces("", |code| body(code, case));
            code.line("break;");
        }
        if !has_default {
            code.line("default:");
            code.line("break;");
        }
    });
}

/// Defines what selects the case of a union, which a file has for itself.
pub(super) fn select(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let has_value = ty.cases().iter().any(|case| case.element().is_some());
    let by = unit
        .model
        .tree
        .get(ty.discriminator().map_or(ty.index(), |of| of.ty));
    let by = by.map_or_else(String::new, |by| names::selector(unit, &by, "by"));
    let head = format!("DUNLIN_CDR_LOCAL int {name}_case({by})");
    function(code, &head, &[], |code| {
        let mut at = 0;
        code.line("int found = -1;");
        cases(code, ty, "by", |code, _| {
            code.line(format_args!("found = {at};"));
            at += 1;
        });
        code.line("return found;");
    });
    code.line("");
    code.line("/* Another case begins as zero. */");
    code.braces(
        format_args!("DUNLIN_CDR_LOCAL void {name}_select({name} *value, {by})"),
        |code| {
            code.braces(
                format_args!("if ({name}_case(value->_d) != {name}_case(by))"),
                |code| {
                    if names::has_classes(unit) {
                        if has_value {
                            code.line(format_args!("value->_u = {name}::Members();"));
                        }
                        return;
                    }
                    code.line(format_args!("{name}_free(value);"));
                    if has_value {
                        code.line("memset(&value->_u, 0, sizeof value->_u);");
                    }
                },
            );
            code.line(format_args!(
                "value->_d = {}by;",
                names::cast(unit, &discriminator(ty))
            ));
        },
    );
}

/// Defines them for a union.
pub(super) fn union(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let values = Values(unit);
    let place = |root: &str, part: &str| Place::root(unit, ty.clone(), root).part(unit, part);
    init(code, &name);
    function(
        code,
        &format!("void {name}_free({name} *value)"),
        &["value"],
        |code| {
            cases(code, ty, "value->_d", |code, case| {
                if case.element().is_some() {
                    values.free(code, &place("value", case.name()));
                }
            });
        },
    );
    function(
        code,
        &format!("bool {name}_reset({name} *value)"),
        &[],
        |code| {
            let d = place("value", "_d");
            let default = constant::default(&d.ty, d.default.as_ref());
            code.line(format_args!("{name}_select(value, {default});"));
            cases(code, ty, "value->_d", |code, case| {
                if case.element().is_some() {
                    values.reset(code, &place("value", case.name()));
                }
            });
            code.line("return true;");
        },
    );
    function(
        code,
        &format!("bool {name}_copy({name} *to, const {name} *from)"),
        &[],
        |code| {
            code.line(format_args!("{name}_select(to, from->_d);"));
            cases(code, ty, "to->_d", |code, case| {
                if case.element().is_some() {
                    values.copy(code, &place("to", case.name()), &place("from", case.name()));
                }
            });
            code.line("return true;");
        },
    );
    let head = format!("bool {name}_equal(const {name} *one, const {name} *other)");
    function(code, &head, &[], |code| {
        code.line("if (one->_d != other->_d) return false;");
        cases(code, ty, "one->_d", |code, case| {
            if case.element().is_some() {
                values.compare(
                    code,
                    &place("one", case.name()),
                    &place("other", case.name()),
                );
            }
        });
        code.line("return true;");
    });
}

/// Which numbers an enumeration or bitmask has, and how a bitset is one number.
pub(super) fn number(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    match ty.kind() {
        TypeKind::Enumeration => {
            let head = format!("DUNLIN_CDR_LOCAL bool {name}_is_known(int32_t value)");
            function(code, &head, &[], |code| {
                code.braces("switch (value)", |code| {
                    for one in ty.literals() {
                        code.line(format_args!("case {}:", integer(one.value().into())));
                    }
                    code.line("return true;");
                    code.line("default:");
                    code.line("return false;");
                });
            });
        }
        TypeKind::Bitset => {
            let head = format!("DUNLIN_CDR_LOCAL uint64_t {name}_packed(const {name} *value)");
            function(code, &head, &["value"], |code| {
                code.line("uint64_t bits = 0;");
                for field in ty.fields() {
                    let (at, mask) = (field.position(), mask(field.size()));
                    let field = unit.word(field.name());
                    code.line(format_args!(
                        "bits |= ((uint64_t)value->{field} & {mask}) << {at};"
                    ));
                }
                code.line("return bits;");
            });
            let head = format!("DUNLIN_CDR_LOCAL void {name}_unpack({name} *value, uint64_t bits)");
            function(code, &head, &["value", "bits"], |code| {
                for field in ty.fields() {
                    let (at, size) = (field.position(), field.size());
                    let holder = names::primitive(field.holder()).unwrap_or("uint64_t");
                    let bits = format!("(bits >> {at} & {})", mask(size));
                    let is_signed = is_signed(field.holder());
                    let sign = 1_u64
                        .checked_shl(u32::from(size).saturating_sub(1))
                        .unwrap_or(0);
                    let bits = match is_signed {
                        // The highest bit counts negative.
                        true => format!("(int64_t)(({bits} ^ {sign:#x}u) - {sign:#x}u)"),
                        false => bits,
                    };
                    let field = unit.word(field.name());
                    code.line(match holder {
                        "bool" => format!("value->{field} = {bits} != 0;"),
                        _ => format!("value->{field} = ({holder}){bits};"),
                    });
                }
            });
        }
        _ => {}
    }
}

fn mask(size: u8) -> String {
    let mask = u64::MAX.checked_shr(64 - u32::from(size)).unwrap_or(0);
    format!("{mask:#x}u")
}

/// The bits that a bitmask has.
pub(in crate::emit) fn flags(ty: &DynamicType) -> u64 {
    let bits = ty.flags().iter();
    bits.fold(0, |all, flag| {
        all | 1_u64.checked_shl(flag.position().into()).unwrap_or(0)
    })
}

/// Declares the functions of a sequence or map, which a file has for itself.
pub(super) fn declare_collection(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::collection(unit, ty);
    code.line(format_args!(
        "DUNLIN_CDR_LOCAL void {name}_free({name} *value);"
    ));
    code.line(format_args!(
        "DUNLIN_CDR_LOCAL bool {name}_resize({name} *value, uint32_t count);"
    ));
    code.line(format_args!(
        "DUNLIN_CDR_LOCAL bool {name}_copy({name} *to, const {name} *from);"
    ));
    code.line(format_args!(
        "DUNLIN_CDR_LOCAL bool {name}_equal(const {name} *one, const {name} *other);"
    ));
    if ty.kind() == TypeKind::Map {
        code.line(format_args!(
            "DUNLIN_CDR_LOCAL void {name}_sort({name} *value);"
        ));
    }
}

/// The parts of an element to which `pointer` points.
pub(super) fn element_parts(unit: &Unit<'_>, ty: &DynamicType, pointer: &str) -> Vec<Place> {
    let root = Place::root(unit, ty.clone(), pointer);
    match (ty.kind(), ty.element()) {
        (TypeKind::Map, _) => vec![root.part(unit, "key"), root.part(unit, "value")],
        (_, Some(element)) => vec![Place::element(&root, element, pointer)],
        _ => Vec::new(),
    }
}

/// Declares a pointer to an element.
pub(super) fn element_pointer(unit: &Unit<'_>, ty: &DynamicType, name: &str) -> String {
    match (ty.kind(), ty.element()) {
        (TypeKind::Map, _) => {
            let entry = if names::has_classes(unit) {
                "::value_type"
            } else {
                "_entry"
            };
            format!("{}{entry} *{name}", names::collection(unit, ty))
        }
        (_, Some(element)) => names::declare_element(unit, ty, element, &format!("*{name}")),
        _ => format!("void *{name}"),
    }
}

/// Defines them.
pub(super) fn collection(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::collection(unit, ty);
    let values = Values(unit);
    let parts = |pointer: &str| element_parts(unit, ty, pointer);
    let has_memory = parts("e")
        .iter()
        .any(|part| part.pointer.is_some() || names::has_memory(&part.ty));
    let free_from = |code: &mut Code, from: &str| {
        if !has_memory {
            return;
        }
        code.line("uint32_t i;");
        code.braces(
            format_args!("for (i = {from}; i < value->_length; i++)"),
            |code| {
                code.line(format_args!(
                    "{} = &value->_buffer[i];",
                    element_pointer(unit, ty, "e")
                ));
                parts("e").iter().for_each(|part| values.free(code, part));
            },
        );
    };
    function(
        code,
        &format!("DUNLIN_CDR_LOCAL void {name}_free({name} *value)"),
        &[],
        |code| {
            code.braces("if (value->_release)", |code| {
                free_from(code, "0");
                code.line("free(value->_buffer);");
            });
            code.line("memset(value, 0, sizeof *value);");
        },
    );
    let head = format!("DUNLIN_CDR_LOCAL bool {name}_resize({name} *value, uint32_t count)");
    function(code, &head, &[], |code| {
        if has_memory {
            code.braces("if (value->_release)", |code| free_from(code, "count"));
        }
        code.line("DUNLIN_CDR_RESIZE(value, count);");
        if names::are_octets(ty) {
            code.line("value->_octets = 0;");
        }
        code.line("return true;");
    });
    let head = format!("DUNLIN_CDR_LOCAL bool {name}_copy({name} *to, const {name} *from)");
    function(code, &head, &[], |code| {
        code.line("uint32_t i;");
        code.line(format_args!(
            "if (!{name}_resize(to, from->_length)) return false;"
        ));
        code.braces("for (i = 0; i < from->_length; i++)", |code| {
            code.line(format_args!(
                "{} = &to->_buffer[i];",
                element_pointer(unit, ty, "e")
            ));
            code.line(format_args!(
                "{} = &from->_buffer[i];",
                element_pointer(unit, ty, "f")
            ));
            for (to, from) in parts("e").iter().zip(parts("f")) {
                values.copy(code, to, &from);
            }
        });
        code.line("return true;");
    });
    let head =
        format!("DUNLIN_CDR_LOCAL bool {name}_equal(const {name} *one, const {name} *other)");
    function(code, &head, &[], |code| {
        code.line("uint32_t i;");
        code.line("if (one->_length != other->_length) return false;");
        code.braces("for (i = 0; i < one->_length; i++)", |code| {
            code.line(format_args!(
                "{} = &one->_buffer[i];",
                element_pointer(unit, ty, "e")
            ));
            code.line(format_args!(
                "{} = &other->_buffer[i];",
                element_pointer(unit, ty, "f")
            ));
            for (one, other) in parts("e").iter().zip(parts("f")) {
                values.compare(code, one, &other);
            }
        });
        code.line("return true;");
    });
    if ty.kind() == TypeKind::Map {
        sort(unit, code, ty, &name);
    }
}

/// Entries of a map are ascending by key; of equal keys the last entry stays.
fn sort(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, name: &str) {
    let root = |pointer: &str| Place::root(unit, ty.clone(), pointer);
    let key = |pointer: &str| root(pointer).part(unit, "key").value;
    let kind = root("a").part(unit, "key").ty.resolved().kind();
    let values = Values(unit);
    let head = format!("DUNLIN_CDR_LOCAL int {name}_order(const void *one, const void *other)");
    function(code, &head, &[], |code| {
        code.line(format_args!("const {name}_entry *a = one, *b = other;"));
        let (first, second) = (key("a"), key("b"));
        code.line(match kind {
            TypeKind::String8 => format!("return dunlin_cdr_compare_text({first}, {second});"),
            TypeKind::String16 => format!("return dunlin_wstring_order(&{first}, &{second});"),
            _ => format!("return {first} < {second} ? -1 : {first} > {second};"),
        });
    });
    function(
        code,
        &format!("DUNLIN_CDR_LOCAL void {name}_sort({name} *value)"),
        &[],
        |code| {
            code.line("uint32_t i, kept = 0;");
            code.line("bool is_sorted = true;");
            code.line(format_args!("{name}_entry *e = value->_buffer;"));
            code.braces("for (i = 1; i < value->_length; i++)", |code| {
                code.line(format_args!(
                    "is_sorted = is_sorted && {name}_order(&e[i - 1], &e[i]) < 0;"
                ));
            });
            code.line("if (is_sorted) return;");
            code.line(format_args!(
                "dunlin_cdr_sort(e, value->_length, sizeof *e, {name}_order);"
            ));
            code.braces("for (i = 1; i < value->_length; i++)", |code| {
                code.braces(
                    format_args!("if ({name}_order(&e[kept], &e[i]) == 0)"),
                    |code| {
                        code.line(format_args!("{name}_entry *last = &e[kept];"));
                        code.line("(void)last;");
                        for part in element_parts(unit, ty, "last") {
                            values.free(code, &part);
                        }
                    },
                );
                code.braces("else", |code| code.line("kept++;"));
                code.line("e[kept] = e[i];");
            });
            code.line("value->_length = kept + 1;");
        },
    );
}
