//! Which readers can take samples of which writers (DDS-XTypes 1.3 7.2.4), rule by rule: the types
//! are named `T`, the first one is that of the reader.

mod collections;
mod numbers;
mod structures;
mod unions;

use dunlin_idlc::{Options, parse_str};
use dunlin_xtypes::DynamicType;
use dunlin_xtypes::assign::{Encoding, Rules, Verdict, assignable};

/// What a reader asks by default.
const DEFAULT: Rules = Rules {
    allow_coercion: true,
    ignore_sequence_bounds: true,
    ignore_string_bounds: true,
    ignore_member_names: false,
    prevent_type_widening: false,
};
const IDS_ONLY: Rules = Rules {
    ignore_member_names: true,
    ..DEFAULT
};
const BOUNDED: Rules = Rules {
    ignore_sequence_bounds: false,
    ignore_string_bounds: false,
    ..DEFAULT
};
const NOT_WIDER: Rules = Rules {
    prevent_type_widening: true,
    ..DEFAULT
};
const NO_OTHER: Rules = Rules {
    allow_coercion: false,
    ..DEFAULT
};

/// What comes out: a part of the sentence if it is refused.
enum Found {
    Same,
    Fits,
    No(&'static str),
}
use Found::{Fits, No, Same};

fn ty(idl: &str) -> DynamicType {
    let parsed = parse_str("t.idl", idl, &Options::default());
    let found = parsed.model.as_ref().and_then(|model| model.find("T"));
    found.unwrap_or_else(|| panic!("{idl}\n{}", parsed.rendered()))
}

fn judge(rules: &Rules, encoding: Encoding, reader: &str, writer: &str, expected: &Found) {
    let found = assignable(&ty(reader), &ty(writer), rules, encoding);
    let text = found.as_ref().err().map(ToString::to_string);
    let as_expected = match (expected, &found) {
        (Same, Ok(Verdict::Same)) | (Fits, Ok(Verdict::Assignable)) => true,
        (No(part), Err(_)) => text.as_ref().is_some_and(|text| text.contains(part)),
        _ => false,
    };
    assert!(as_expected, "{reader}\n{writer}\n{found:?}\n{text:?}");
}

fn table(rules: &Rules, rows: &[(&str, &str, Found)]) {
    for (reader, writer, expected) in rows {
        judge(rules, Encoding::Xcdr2, reader, writer, expected);
    }
}

#[test]
fn a_reader_without_coercion_takes_the_same_type_alone() {
    table(
        &NO_OTHER,
        &[
            (
                "struct T {long a;};",
                "module M {struct T {long a;};}; typedef M::T T;",
                Same,
            ),
            (
                "struct T {long a;};",
                "struct T {long a; long b;};",
                No(
                    "T: struct T here, another struct T in the writer, and the reader takes no type but its own",
                ),
            ),
            (
                "struct T {long a;};",
                "@nested struct T {long a;};",
                No("takes no type but its own"),
            ),
            (
                "struct T {long a; long b;};",
                "struct B {long a;}; struct T : B {long b;};",
                No("takes no type but its own"),
            ),
            (
                "struct T {string<3> a;};",
                "struct T {string<4> a;};",
                No("takes no type but its own"),
            ),
            (
                "struct T {@default(3) @unit(\"m\") long a;};",
                "struct T {long a;};",
                Same,
            ),
            (
                "union T switch (long) {case 1: case 2: long a;};",
                "union T switch (long) {case 2: case 1: long a;};",
                Same,
            ),
            (
                "enum E {A, B}; struct T {E a;};",
                "enum E {A, @default_literal B}; struct T {E a;};",
                No("takes no type but its own"),
            ),
            (
                "bitmask M {a, b}; struct T {M m;};",
                "bitmask M {@position(1) b, @position(0) a}; struct T {M m;};",
                Same,
            ),
        ],
    );
}

#[test]
fn types_that_contain_themselves_are_compared() {
    let node = |more: &str| format!("struct T; struct T {{long value; sequence<T> next; {more}}};");
    table(
        &DEFAULT,
        &[
            (&node(""), &node(""), Same),
            (&node(""), &node("long more;"), Fits),
        ],
    );
    let two = |ty: &str| {
        format!(
            "struct T; struct Edge {{sequence<T> to; {ty} weight;}}; struct T {{sequence<Edge> edges;}};"
        )
    };
    let no = No("T.edges[].weight: float here, double in the writer");
    table(&DEFAULT, &[(&two("float"), &two("double"), no)]);
}

#[test]
fn both_sides_read_what_is_theirs() {
    let (reader, writer) = ("struct T {long a;};", "struct W {float b;}; typedef W T;");
    let found = assignable(&ty(reader), &ty(writer), &IDS_ONLY, Encoding::Xcdr2).unwrap_err();
    let rest = "and a reader takes no other kind of type. Give both one type.";
    assert_eq!(
        found.to_string(),
        format!("T.a (T.b in the writer): int32 here, float in the writer, {rest}")
    );
    assert_eq!(
        found.for_writer(),
        format!("T.b (T.a in the reader): float here, int32 in the reader, {rest}")
    );
}
