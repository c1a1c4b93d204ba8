//! What users call: payloads of values, their keys, and what is known of a type.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, KeyPlan};

use super::code::{Code, literal};
use super::functions::function;
use super::typed::shares;
use super::{codec, names};
use crate::emit::Unit;
use crate::emit::shape::{is_keyed, routine as id};
use crate::plan::{Form, Part, Plan, Routine, RoutineId};

/// Payload functions, by the word in their names.
fn parts(ty: &DynamicType) -> Vec<(&'static str, Part)> {
    let mut all = vec![("cdr", Part::Whole)];
    if is_keyed(ty) {
        all.push(("key", Part::Key));
    }
    all
}

fn extensibility(ty: &DynamicType) -> &'static str {
    match ty.extensibility() {
        Extensibility::Final => "DUNLIN_CDR_FINAL",
        Extensibility::Appendable => "DUNLIN_CDR_APPENDABLE",
        Extensibility::Mutable => "DUNLIN_CDR_MUTABLE",
    }
}

fn max_size(plan: &Plan, ty: &DynamicType, form: Form, part: Part) -> u64 {
    let most = plan
        .routine(id(ty, form, part))
        .and_then(|routine| routine.max_size);
    // The header, and padding behind the value.
    most.map_or(0, |most| 4 + most.next_multiple_of(4))
}

/// Whether the key hash is the key.
fn fits_hash(plan: &Plan, ty: &DynamicType) -> bool {
    let most = plan
        .routine(id(ty, Form::KeyHash, Part::Key))
        .and_then(|routine| routine.max_size);
    KeyPlan::new(ty).fits_hash() && most.is_some_and(|most| most <= 16)
}

pub(super) fn declare(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    for (word, part) in parts(ty) {
        let what = match part {
            Part::Whole => "the payload of a sample",
            Part::Key => "the key, as a dispose has it",
        };
        code.line("");
        code.line(format_args!(
            "/* The size of {what}, `DUNLIN_XCDR1` or `DUNLIN_XCDR2`. */"
        ));
        code.line(format_args!(
            "bool {name}_{word}_size(const {name} *value, int32_t xcdr, size_t *size,"
        ));
        code.line("    dunlin_cdr_fault *fault);");
        code.line("/* Writes it to memory of that size. The value is as it was. */");
        code.line(format_args!(
            "bool {name}_{word}_write(const {name} *value, int32_t xcdr, uint8_t *payload, size_t size,"
        ));
        code.line("    dunlin_cdr_fault *fault);");
        code.line(
            "/* Reads it into a value that was begun. What fails leaves a value of no meaning. */",
        );
        code.line(format_args!(
            "bool {name}_{word}_read({name} *value, const uint8_t *payload, size_t size,"
        ));
        code.line("    dunlin_cdr_fault *fault);");
    }
    if shares(unit, ty) {
        code.line("");
        code.line("/* As `cdr_write`, but counted octets are left out, and noted in `apart`. */");
        code.line(format_args!(
            "bool {name}_cdr_write_apart(const {name} *value, int32_t xcdr, uint8_t *payload, size_t size,"
        ));
        code.line("    dunlin_cdr_apart *apart, dunlin_cdr_fault *fault);");
        code.line(
            "/* As `cdr_read`, but large octets stay in the payload, which outlives the value. */",
        );
        code.line(format_args!(
            "bool {name}_cdr_lend({name} *value, const uint8_t *payload, size_t size,"
        ));
        code.line("    dunlin_cdr_fault *fault);");
    }
    if is_keyed(ty) {
        code.line("");
        code.line("/* The hash that names the instance (RTPS 2.5 9.6.4.8). */");
        code.line(format_args!(
            "bool {name}_key_hash(const {name} *value, uint8_t hash[16], dunlin_cdr_fault *fault);"
        ));
    }
    code.line("");
    code.line("/* The largest payloads; 0: there is no bound. */");
    for (word, part) in parts(ty) {
        let word = word.to_uppercase();
        for (form, number) in [(Form::Xcdr1, 1), (Form::Xcdr2, 2)] {
            let most = max_size(plan, ty, form, part);
            code.line(format_args!(
                "#define {name}_{word}_MAX_SIZE_XCDR{number} {most}u"
            ));
        }
    }
    code.line("/* Whether a value in memory is its encoding. */");
    for (form, number) in [(Form::Xcdr1, 1), (Form::Xcdr2, 2)] {
        let is_plain = i32::from(plan.is_plain(ty, form));
        code.line(format_args!(
            "#define {name}_IS_PLAIN_XCDR{number} {is_plain}"
        ));
    }
    if unit.type_objects(ty).is_some() {
        code.line(
            "/* Complete TypeObjects (DDS-XTypes 1.3), this type first: XCDR2, little endian. */",
        );
        code.line(format_args!("extern const uint8_t {name}_type_objects[];"));
        code.line(format_args!(
            "extern const size_t {name}_type_objects_size;"
        ));
    }
}

pub(super) fn define(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    for (word, part) in parts(ty) {
        size(unit, code, plan, ty, (word, part));
        write(unit, code, plan, ty, (word, part));
        read(unit, code, plan, ty, (word, part));
    }
    if is_keyed(ty) {
        key_hash(unit, code, plan, ty);
    }
    let name = names::global(unit, ty.name());
    if plan.is_plain(ty, Form::Xcdr1) || plan.is_plain(ty, Form::Xcdr2) {
        code.line("");
        codec::assertions(unit, ty)
            .iter()
            .for_each(|line| code.line(line));
    }
    if let Some(blob) = unit.type_objects(ty) {
        let local = names::linkage(unit);
        code.line("");
        code.block(
            format_args!("{local}const uint8_t {name}_type_objects[] = {{"),
            "};",
            |code| code.octets(&blob),
        );
        code.line(format_args!(
            "{local}const size_t {name}_type_objects_size = {};",
            blob.len()
        ));
    }
}

/// A statement for each encoding.
fn each_form(code: &mut Code, mut body: impl FnMut(Form) -> String) {
    code.line("if (xcdr == DUNLIN_XCDR1) {");
    code.line(format_args!("    {}", body(Form::Xcdr1)));
    code.line("} else if (xcdr == DUNLIN_XCDR2) {");
    code.line(format_args!("    {}", body(Form::Xcdr2)));
    code.line("} else {");
    code.line("    return dunlin_cdr_fail(fault, DUNLIN_CDR_REPRESENTATION, where, xcdr, 0);");
    code.line("}");
}

fn begin(code: &mut Code, ty: &DynamicType) {
    code.line(format_args!(
        "static const char *const where = {};",
        literal(ty.name())
    ));
    code.line("dunlin_cdr_fault none;");
    code.line("if (fault == NULL) fault = &none;");
    code.line("fault->code = 0;");
}

fn size(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    (word, part): (&str, Part),
) {
    let name = names::global(unit, ty.name());
    let local = names::linkage(unit);
    let head = format!(
        "{local}bool {name}_{word}_size(const {name} *value, int32_t xcdr, size_t *size, dunlin_cdr_fault *fault)"
    );
    let fixed =
        |form| -> Option<u64> { codec::fixed_size(&plan.routine(id(ty, form, part))?.aligned) };
    function(code, &head, &["value"], |code| {
        begin(code, ty);
        code.line("dunlin_cdr_size z;");
        code.line("memset(&z, 0, sizeof z);");
        code.line("z.fault = fault;");
        each_form(code, |form| match fixed(form) {
            Some(size) => format!("z.at = {size};"),
            None => {
                let name = codec::name(unit, plan, id(ty, form, part));
                format!("if (!{name}_size(&z, value)) return false;")
            }
        });
        code.line("return dunlin_cdr_payload_size(z.at, size, fault, where);");
    });
}

/// Refuses what is out of its range.
fn in_ranges(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, part: Part) {
    if let Some(ranges) = codec::range::called(unit, ty, part) {
        code.line(format_args!("if (!{ranges}(value, fault)) return false;"));
    }
}

fn aligned(ty: &DynamicType, id: RoutineId, routine: Option<&Routine>) -> &'static str {
    match routine {
        Some(routine) if codec::is_apart(ty, id, routine) => "write_aligned",
        _ => "write",
    }
}

fn write(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    (word, part): (&str, Part),
) {
    let name = names::global(unit, ty.name());
    let local = names::linkage(unit);
    let head = format!(
        "{local}bool {name}_{word}_write(const {name} *value, int32_t xcdr, uint8_t *payload, size_t size, dunlin_cdr_fault *fault)"
    );
    let body = |code: &mut Code| {
        begin(code, ty);
        in_ranges(unit, code, ty, part);
        code.line("dunlin_cdr_writer w = dunlin_cdr_writer_of(payload, fault);");
        code.line(format_args!(
            "dunlin_cdr_put_header(payload, xcdr, {});",
            extensibility(ty)
        ));
    };
    let rest = |code: &mut Code| {
        each_form(code, |form| {
            let id = id(ty, form, part);
            let function = aligned(ty, id, plan.routine(id));
            let name = codec::name(unit, plan, id);
            format!("if (!{name}_{function}(&w, value)) return false;")
        });
        code.line("dunlin_cdr_put_padding(&w, payload);");
        code.line("(void)size;");
        code.line("return true;");
    };
    if part == Part::Key || !shares(unit, ty) {
        return function(code, &head, &[], |code| {
            body(code);
            rest(code);
        });
    }
    let apart = head.replace("_write(", "_write_apart(").replace(
        "dunlin_cdr_fault",
        "dunlin_cdr_apart *apart, dunlin_cdr_fault",
    );
    function(code, &apart, &[], |code| {
        body(code);
        code.line("if (apart != NULL) apart->count = 0;");
        code.line("w.apart = apart;");
        rest(code);
    });
    function(code, &head, &[], |code| {
        code.line(format_args!(
            "return {name}_{word}_write_apart(value, xcdr, payload, size, NULL, fault);"
        ));
    });
}

fn read(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    ty: &DynamicType,
    (word, part): (&str, Part),
) {
    let name = names::global(unit, ty.name());
    let local = names::linkage(unit);
    let head = format!(
        "{local}bool {name}_{word}_read({name} *value, const uint8_t *payload, size_t size, dunlin_cdr_fault *fault)"
    );
    let mut each = |head: &str, lends: bool| {
        function(code, head, &[], |code| {
            begin(code, ty);
            code.line("dunlin_cdr_reader r;");
            code.line("bool is_read;");
            let kind = extensibility(ty);
            code.line(format_args!(
                "if (!dunlin_cdr_open(&r, payload, size, {kind}, fault, where)) return false;"
            ));
            if lends {
                code.line("r.lends = true;");
            }
            if part == Part::Key {
                code.line("r.goes_on = true;");
            }
            let [one, two] =
                [Form::Xcdr1, Form::Xcdr2].map(|form| codec::name(unit, plan, id(ty, form, part)));
            code.line(format_args!(
                "is_read = r.max_align == 8 ? {one}_read(&r, value) : {two}_read(&r, value);"
            ));
            if let Some(ranges) = codec::range::called(unit, ty, part) {
                code.line(format_args!(
                    "is_read = is_read && !r.is_misfit && {ranges}(value, fault);"
                ));
            }
            code.line("return dunlin_cdr_close(&r, is_read, where);");
        });
    };
    each(&head, false);
    if part == Part::Whole && shares(unit, ty) {
        each(&head.replace("_read(", "_lend("), true);
    }
}

fn key_hash(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let routine = codec::name(unit, plan, id(ty, Form::KeyHash, Part::Key));
    let local = names::linkage(unit);
    let head = format!(
        "{local}bool {name}_key_hash(const {name} *value, uint8_t hash[16], dunlin_cdr_fault *fault)"
    );
    let function_name = {
        let id = id(ty, Form::KeyHash, Part::Key);
        aligned(ty, id, plan.routine(id))
    };
    function(code, &head, &[], |code| {
        begin(code, ty);
        code.line("dunlin_cdr_size z;");
        code.line("dunlin_cdr_writer w;");
        code.line("uint8_t near[256], *key = near;");
        code.line("bool is_written;");
        code.line("memset(&z, 0, sizeof z);");
        code.line("memset(hash, 0, 16);");
        if fits_hash(plan, ty) {
            // Compilers do not see that there is nothing behind the key.
            code.line("memset(near, 0, 16);");
        }
        code.line("z.fault = fault;");
        code.line(format_args!(
            "if (!{routine}_size(&z, value)) return false;"
        ));
        in_ranges(unit, code, ty, Part::Key);
        code.line("if (z.at > sizeof near) key = (uint8_t *)malloc(z.at);");
        code.line("if (key == NULL) return dunlin_cdr_fail(fault, DUNLIN_CDR_MEMORY, where, (int64_t)z.at, 0);");
        code.line("w.at = key;");
        code.line("w.origin = key;");
        code.line("w.fault = fault;");
        code.line(format_args!(
            "is_written = {routine}_{function_name}(&w, value);"
        ));
        code.line(match fits_hash(plan, ty) {
            true => "if (is_written) memcpy(hash, key, z.at);",
            false => "if (is_written) dunlin_key_md5(key, z.at, hash);",
        });
        code.line("if (key != near) free(key);");
        code.line("return is_written;");
    });
}
