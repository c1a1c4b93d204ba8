//! Writers, readers and the support of a type: `FooDataWriter`, `FooDataReader`, `FooTypeSupport`.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::code::{Code, literal};
use super::super::{names, typed};
use super::types::within;
use crate::emit::Unit;
use crate::emit::shape::{is_compound, is_keyed};
use crate::plan::Plan;

/// What is made of each type that topics may have.
pub(super) fn support(unit: &Unit<'_>, code: &mut Code, plan: &Plan, types: &[DynamicType]) {
    let topics: Vec<_> = types.iter().filter(|ty| is_topic(unit, ty)).collect();
    if topics.is_empty() {
        return;
    }
    code.line("");
    code.line("#ifndef DUNLIN_DDS98_CODEC_ONLY");
    code.line("namespace dunlin_idl {");
    for ty in &topics {
        codec(unit, code, plan, ty);
    }
    code.line("");
    code.line("} // namespace dunlin_idl");
    for ty in topics {
        classes(unit, code, ty);
    }
    code.line("");
    code.line("#endif");
}

fn is_topic(unit: &Unit<'_>, ty: &DynamicType) -> bool {
    is_compound(ty) && !ty.is_nested() && unit.type_objects(ty).is_some()
}

/// The functions of a type, under names that templates know.
fn codec(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let has_key = is_keyed(ty);
    let fault = "dunlin_cdr_fault *fault";
    let measure = format!("const Value *value, int32_t xcdr, size_t *size, {fault}");
    let write = format!("const Value *value, int32_t xcdr, uint8_t *payload, size_t size, {fault}");
    let read = format!("Value *value, const uint8_t *payload, size_t size, {fault}");
    let hash = format!("const Value *value, uint8_t hash[16], {fault}");
    code.line("");
    code.block(format_args!("struct {name}_codec {{"), "};", |code| {
        code.line(format_args!("typedef {name} Value;"));
        let lends = i32::from(typed::shares(unit, ty));
        code.line(format_args!(
            "enum {{ has_key = {}, lends = {lends} }};",
            i32::from(has_key)
        ));
        let text = literal(ty.name());
        code.line(format_args!(
            "static const char *name() {{ return {text}; }}"
        ));
        code.line(format_args!(
            "static const uint8_t *objects() {{ return {name}_type_objects; }}"
        ));
        code.line(format_args!(
            "static size_t objects_size() {{ return {name}_type_objects_size; }}"
        ));
        let mut function = |head: &str, body: String| {
            code.braces(format_args!("static bool {head}"), |code| {
                code.line(format_args!("return {body};"));
            });
        };
        function("reset(Value *value)", format!("{name}_reset(value)"));
        // A union is a struct here.
        let is_plain = typed::is_plain(plan, ty);
        match is_plain.filter(|_| ty.kind() == TypeKind::Structure) {
            Some(is_plain) => function("is_plain(int32_t xcdr)", is_plain.into()),
            None => function("is_plain(int32_t)", "false".into()),
        }
        let apart = write.replace(
            ", dunlin_cdr_fault",
            ", dunlin_cdr_apart *apart, dunlin_cdr_fault",
        );
        match typed::shares(unit, ty) {
            true => {
                let shared = typed::shared(unit, ty).join(" || ");
                function("shares(const Value *value)", shared);
                let call =
                    format!("{name}_cdr_write_apart(value, xcdr, payload, size, apart, fault)");
                function(&format!("write_apart({apart})"), call);
                let call = format!("{name}_cdr_lend(value, payload, size, fault)");
                function(&format!("lend({read})"), call);
            }
            false => {
                function("shares(const Value *)", "false".into());
                function(&format!("write_apart({})", unnamed(&apart)), "false".into());
                function(&format!("lend({})", unnamed(&read)), "false".into());
            }
        }
        for (prefix, word) in [("", "cdr"), ("key_", "key")] {
            // The key of a type without one has no octets.
            let is_there = prefix.is_empty() || has_key;
            let call = |part: &str, arguments: &str, otherwise: &str| match is_there {
                true => format!("{name}_{word}_{part}({arguments})"),
                false => otherwise.into(),
            };
            let parameters = |all: &str| match is_there {
                true => all.to_string(),
                false => unnamed(all),
            };
            function(
                &format!("{prefix}size({})", parameters(&measure)),
                call("size", "value, xcdr, size, fault", "true"),
            );
            function(
                &format!("{prefix}write({})", parameters(&write)),
                call("write", "value, xcdr, payload, size, fault", "true"),
            );
            function(
                &format!("{prefix}read({})", parameters(&read)),
                call("read", "value, payload, size, fault", "true"),
            );
        }
        match has_key {
            true => function(
                &format!("key_hash({hash})"),
                format!("{name}_key_hash(value, hash, fault)"),
            ),
            false => function(&format!("key_hash({})", unnamed(&hash)), "true".into()),
        }
    });
}

/// Parameters that are not used.
fn unnamed(parameters: &str) -> String {
    let one = |parameter: &str| {
        let end = parameter.trim_end_matches(|one: char| one.is_ascii_alphanumeric() || one == '_');
        match parameter.ends_with(']') {
            true => "uint8_t *".to_string(),
            false => end.trim_end().to_string(),
        }
    };
    let all: Vec<String> = parameters.split(", ").map(one).collect();
    all.join(", ")
}

fn classes(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let codec = format!("::dunlin_idl::{}_codec", names::global(unit, ty.name()));
    within(unit, code, ty.name(), |code, name| {
        for (class, of) in [("DataWriter", "writer"), ("DataReader", "reader")] {
            code.block(
                format_args!("class {name}{class} : public ::DDS::Typed{class}< {codec}> {{"),
                "};",
                |code| {
                    code.line("public:");
                    code.line(format_args!("// NULL if it is a {of} of another type."));
                    code.braces(
                        format_args!("static {name}{class} *narrow(::DDS::{class} *{of})"),
                        |code| {
                            code.line(format_args!(
                                "return {of} != NULL && {of}->type_id() == ::DDS::dunlin98::type_id_of< {codec}>()"
                            ));
                            code.line(format_args!(
                                "    ? static_cast<{name}{class} *>({of}) : NULL;"
                            ));
                        },
                    );
                    code.line(format_args!(
                        "static {name}{class} *_narrow(::DDS::{class} *{of}) {{ return narrow({of}); }}"
                    ));
                },
            );
            pointers(code, &format!("{name}{class}"));
        }
        code.line(format_args!(
            "class {name}TypeSupport : public ::DDS::TypedSupport< {codec}, {name}DataWriter, {name}DataReader> {{}};"
        ));
        pointers(code, &format!("{name}TypeSupport"));
    });
}

fn pointers(code: &mut Code, name: &str) {
    code.line(format_args!("typedef {name} *{name}_ptr;"));
    code.line(format_args!("typedef ::DDS::EntityVar<{name}> {name}_var;"));
}
