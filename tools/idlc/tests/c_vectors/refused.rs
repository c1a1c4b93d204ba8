//! What `range_checks` makes of C and C++ refuses numbers that are out of their ranges.

use std::fs;
use std::process::Command;

use dunlin_xtypes::{DynamicType, TypeKind};

use crate::{
    C, CPP98, Dialect, FLAGS, SANITIZERS, answers, c_name, driver, empty_folder, has_gcc, include,
    ranges, run, sources,
};

/// With `range_checks` what is out of its range is neither read nor written.
fn are_refused(dialect: &Dialect) {
    let (model, files) = ranges::made(dialect.language);
    let folder = empty_folder();
    let to = folder.path();
    ranges::write(&files, to);
    let types = model.types.iter().filter_map(|entry| model.ty(entry));
    let compound = |ty: &DynamicType| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union);
    let types: Vec<DynamicType> = types.filter(compound).collect();
    let program = driver(dialect, to, "ranges", &types, c_name);
    ranges::ask_all(&model, |lines| answers(&program, lines));
    let text = REFUSED
        .replace("HEADER", dialect.header)
        .replace("IS_PLAIN", "Ranges_Pair_IS_PLAIN_XCDR1");
    let text = match dialect.language {
        "c" => text,
        // The header of C++ has no such macros.
        _ => text.replace("Ranges_Pair_IS_PLAIN_XCDR1", "0"),
    };
    fs::write(to.join(dialect.main), text).unwrap();
    let program = to.join("refused");
    run(Command::new(dialect.compiler)
        .arg(dialect.standard)
        .args(FLAGS)
        .args(SANITIZERS)
        .args(include())
        .arg(to.join(dialect.main))
        .args(sources(to))
        .arg("-o")
        .arg(&program));
    let said = String::from_utf8(run(&mut Command::new(&program))).unwrap();
    ranges::refused(&said);
}

/// Members of a value of C or C++ get values out of their ranges.
const REFUSED: &str = r#"
#define DUNLIN_DDS98_CODEC_ONLY
#include <stdio.h>
#include "rangesHEADER"
#include "dunlin/explain.h"
#ifdef __cplusplus
using namespace dunlin_idl;
#define INIT(value) Ranges_All_reset(value)
#define FREE(value) (void)(value)
#else
#define INIT(value) Ranges_All_init(value)
#define FREE(value) Ranges_All_free(value)
#endif

static void say(bool is_written, const dunlin_cdr_fault *fault) {
    char text[256];
    (void)dunlin_cdr_explain(fault, text, sizeof text);
    printf("%s\n", is_written ? "written" : text);
}

static void write_all(const Ranges_All *value) {
    static uint8_t payload[4096];
    dunlin_cdr_fault fault;
    size_t size = 0;
    bool is_written = Ranges_All_cdr_size(value, DUNLIN_XCDR2, &size, &fault)
                      && Ranges_All_cdr_write(value, DUNLIN_XCDR2, payload, size, &fault);
    say(is_written, &fault);
}

static void write_key(const Ranges_All *value) {
    static uint8_t payload[4096];
    dunlin_cdr_fault fault;
    size_t size = 0;
    bool is_written = Ranges_All_key_size(value, DUNLIN_XCDR1, &size, &fault)
                      && Ranges_All_key_write(value, DUNLIN_XCDR1, payload, size, &fault);
    say(is_written, &fault);
}

int main(void) {
    dunlin_cdr_fault fault;
    uint8_t hash[16];
    Ranges_All value;
    float zero = 0;
    if (!INIT(&value) || IS_PLAIN) return 1;
    write_all(&value);
    value.i8 = 6;
    write_all(&value);
    write_key(&value);
    value.i8 = 5;
    value.twins[1].a = 11;
    write_all(&value);
    value.twins[1].a = 10;
    value.f32 = zero / zero;
    write_all(&value);
    value.f32 = 0;
    value.id = -1;
    write_key(&value);
    say(Ranges_All_key_hash(&value, hash, &fault), &fault);
    FREE(&value);
    return 0;
}
"#;

#[test]
fn numbers_out_of_their_ranges_are_refused_in_c() {
    if has_gcc() {
        are_refused(&C);
    }
}

#[test]
fn numbers_out_of_their_ranges_are_refused_in_cpp98() {
    if has_gcc() {
        are_refused(&CPP98);
    }
}
