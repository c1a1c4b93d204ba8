//! Which readers can take samples of which writers (DDS-XTypes 1.3 7.2.4), rule by rule: the types
//! are named `T`, the first one is that of the reader.

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
fn primitive_types_are_of_one_kind() {
    let kinds = [
        "octet",
        "uint8",
        "int8",
        "char",
        "boolean",
        "int16",
        "uint16",
        "wchar",
        "int32",
        "uint32",
        "float",
        "int64",
        "uint64",
        "double",
        "long double",
    ];
    for reader in kinds {
        for writer in kinds {
            let idl = |kind| format!("struct T {{{kind} a;}};");
            let expected = match reader == writer {
                true => Same,
                false => No("T.a: "),
            };
            judge(
                &DEFAULT,
                Encoding::Xcdr2,
                &idl(reader),
                &idl(writer),
                &expected,
            );
        }
    }
}

#[test]
fn aliases_are_seen_through() {
    table(
        &NO_OTHER,
        &[
            (
                "typedef double Meters; @final struct T {Meters a;};",
                "@final struct T {double a;};",
                Same,
            ),
            (
                "typedef double Meters; @final struct T {Meters a;};",
                "@final struct T {float a;};",
                No("takes no type but its own"),
            ),
        ],
    );
}

#[test]
fn strings_have_one_width_and_bounds_that_may_count() {
    let rows = [
        ("struct T {string<8> a;};", "struct T {string<8> a;};", Same),
        ("struct T {string<8> a;};", "struct T {string<7> a;};", Fits),
        ("struct T {string a;};", "struct T {string<7> a;};", Fits),
        (
            "struct T {string<8> a;};",
            "struct T {string<9> a;};",
            No("T.a: string<8> here, string<9> in the writer, and the reader counts string bounds"),
        ),
        (
            "struct T {wstring<8> a;};",
            "struct T {wstring a;};",
            No("T.a: wstring<8> here, wstring in the writer"),
        ),
        (
            "struct T {string a;};",
            "struct T {wstring a;};",
            No("no other kind"),
        ),
    ];
    table(&BOUNDED, &rows);
    table(
        &DEFAULT,
        &[
            ("struct T {string<8> a;};", "struct T {string<9> a;};", Fits),
            (
                "struct T {@key string<8> a;};",
                "struct T {@key string a;};",
                Fits,
            ),
            (
                "struct T {string a;};",
                "struct T {wstring a;};",
                No("no other kind"),
            ),
        ],
    );
}

#[test]
fn sequences_and_maps_have_bounds_that_may_count() {
    let rows = [
        (
            "struct T {sequence<long, 8> a;};",
            "struct T {sequence<long, 7> a;};",
            Fits,
        ),
        (
            "struct T {sequence<long> a;};",
            "struct T {sequence<long, 7> a;};",
            Fits,
        ),
        (
            "struct T {sequence<long, 8> a;};",
            "struct T {sequence<long> a;};",
            No(
                "T.a: sequence<int32> of at most 8 here, sequence<int32> without bound in the writer, and the reader counts sequence bounds. Set ignore_sequence_bounds",
            ),
        ),
        (
            "struct T {map<long, char, 8> a;};",
            "struct T {map<long, char, 9> a;};",
            No("counts sequence bounds"),
        ),
    ];
    table(&BOUNDED, &rows);
    table(
        &DEFAULT,
        &[
            (
                "struct T {sequence<long, 8> a;};",
                "struct T {sequence<long> a;};",
                Fits,
            ),
            (
                "struct T {map<long, char, 8> a;};",
                "struct T {map<long, char, 9> a;};",
                Fits,
            ),
            (
                "struct T {map<long, char> a;};",
                "struct T {map<short, char> a;};",
                No("T.a{key}: int32 here, int16 in the writer"),
            ),
            (
                "struct T {map<long, char> a;};",
                "struct T {map<long, octet> a;};",
                No("T.a[]: char here, octet in the writer"),
            ),
            (
                "struct T {sequence<sequence<long>> a;};",
                "struct T {sequence<sequence<float>> a;};",
                No("T.a[][]: int32 here, float in the writer"),
            ),
            (
                "struct T {sequence<long> a;};",
                "struct T {long a[3];};",
                No("no other kind"),
            ),
        ],
    );
}

#[test]
fn arrays_have_the_same_dimensions() {
    table(
        &DEFAULT,
        &[
            (
                "struct T {string<3> a[2][3];};",
                "struct T {string<4> a[2][3];};",
                Fits,
            ),
            (
                "struct T {long a[2][3];};",
                "struct T {long a[3][2];};",
                No(
                    "T.a: int32[2][3] here, int32[3][2] in the writer, and arrays need the same dimensions",
                ),
            ),
            (
                "struct T {long a[6];};",
                "struct T {long a[2][3];};",
                No("same dimensions"),
            ),
        ],
    );
}

#[test]
fn elements_end_where_the_reader_can_see_it() {
    let of = |inner: &str, holder: &str| format!("{inner} struct T {{{holder} a;}};");
    let grown = |ext: &str| {
        [
            format!("{ext} struct I {{long x;}};"),
            format!("{ext} struct I {{long x; long y;}};"),
        ]
    };
    for holder in [
        "I",
        "sequence<I>",
        "map<long, I>",
        "sequence<sequence<I>>",
        "@optional I",
    ] {
        for ext in ["@appendable", "@mutable"] {
            let [old, new] = grown(ext);
            judge(
                &DEFAULT,
                Encoding::Xcdr2,
                &of(&old, holder),
                &of(&new, holder),
                &Fits,
            );
            judge(
                &DEFAULT,
                Encoding::Xcdr2,
                &of(&new, holder),
                &of(&old, holder),
                &Fits,
            );
        }
        let [old, new] = grown("@appendable");
        let expected = No("in XCDR1 its values have no length");
        judge(
            &DEFAULT,
            Encoding::Xcdr1,
            &of(&old, holder),
            &of(&new, holder),
            &expected,
        );
        let [old, new] = grown("@mutable");
        judge(
            &DEFAULT,
            Encoding::Xcdr1,
            &of(&old, holder),
            &of(&new, holder),
            &Fits,
        );
        // Names alone differ.
        let [one, other] = ["x", "y"].map(|name| format!("@final struct I {{long {name};}};"));
        let expected = No("values of a final type have no length");
        judge(
            &IDS_ONLY,
            Encoding::Xcdr2,
            &of(&one, holder),
            &of(&other, holder),
            &expected,
        );
        let [one, other] = ["x", "y"].map(|name| format!("@appendable struct I {{long {name};}};"));
        for encoding in [Encoding::Xcdr1, Encoding::Xcdr2] {
            judge(
                &IDS_ONLY,
                encoding,
                &of(&one, holder),
                &of(&other, holder),
                &Fits,
            );
        }
    }
    // What the reader knows to the last byte needs no length.
    let point = "@final struct P {double x; double y;};";
    for encoding in [Encoding::Xcdr1, Encoding::Xcdr2] {
        let [some, more] = [10, 20].map(|n| of(point, &format!("sequence<P, {n}>")));
        judge(&DEFAULT, encoding, &some, &more, &Fits);
    }
}

#[test]
fn a_member_of_a_mutable_type_may_be_final() {
    let of = |name: &str| format!("@final struct I {{long {name};}}; @mutable struct T {{I a;}};");
    judge(&IDS_ONLY, Encoding::Xcdr1, &of("x"), &of("y"), &Fits);
    judge(&IDS_ONLY, Encoding::Xcdr2, &of("x"), &of("y"), &Fits);
}

#[test]
fn enumerations() {
    let of = |idl: &str| format!("{idl} struct T {{E a;}};");
    let rows = [
        ("enum E {A, B};", "enum E {B = 1, A = 0};", "", "Same"),
        ("enum E {A, B};", "enum E {A, B, C};", "", ""),
        ("enum E {A, B, C};", "enum E {A, B};", "", ""),
        (
            "@final enum E {A, B};",
            "@final enum E {A, B, C};",
            "B = 1 | no such literal here, C = 2 in the writer, and final enumerations need the same literals",
            "",
        ),
        (
            "@final enum E {A, B, C};",
            "@final enum E {A, B};",
            "C = 2 here, no such literal in the writer",
            "",
        ),
        (
            "@final enum E {A, B};",
            "enum E {A, B};",
            "T.a: final here, appendable in the writer, and both enumerations need one extensibility",
            "",
        ),
        (
            "enum E {A, B};",
            "enum E {B, A};",
            "A = 0 here, B = 0 in the writer, and a literal needs one name and one value",
            "",
        ),
        (
            "enum E {A, B};",
            "enum E {A, @value(3) B};",
            "B = 1 here, B = 3 in the writer",
            "",
        ),
        (
            "@ignore_literal_names enum E {A, B};",
            "enum E {X, Y};",
            "",
            "",
        ),
        (
            "@bit_bound(8) enum E {A, B};",
            "enum E {A, B};",
            "@bit_bound(8) here, @bit_bound(32) in the writer, and enumerations need one bit bound",
            "",
        ),
        ("enum E {A, B};", "enum E {A, @default_literal B};", "", ""),
    ];
    for (reader, writer, refused, same) in rows {
        let reader = of(&reader.replace("B = 1, A = 0", "@value(1) B, @value(0) A"));
        let writer =
            of(&writer.replace("B = 1, A = 0", "@value(1) B, @default_literal @value(0) A"));
        let part = refused.rsplit(" | ").next().unwrap_or_default();
        let expected = match (part, same) {
            ("", "") => Fits,
            ("", _) => Same,
            (part, _) => No(part),
        };
        judge(&DEFAULT, Encoding::Xcdr2, &reader, &writer, &expected);
    }
}

#[test]
fn bitmasks_and_bitsets() {
    let mut rows = vec![
        (
            "@bit_bound(8) bitmask M {a};",
            "M",
            "@bit_bound(8) bitmask M {b};",
            "M",
            "",
        ),
        (
            "@bit_bound(8) bitmask M {a};",
            "M",
            "@bit_bound(7) bitmask M {a};",
            "M",
            "bitmasks need one bit bound",
        ),
        (
            "@bit_bound(8) bitmask M {a};",
            "M",
            "",
            "octet",
            "a bitmask fits a bitmask and the unsigned integer",
        ),
        (
            "bitset B {bitfield<3, short> a;};",
            "B",
            "bitset B {bitfield<3, short> b;};",
            "B",
            "",
        ),
        (
            "bitset B {bitfield<3, short> a;};",
            "B",
            "bitset B {bitfield<3, long> a;};",
            "B",
            "a of 3 bits from bit 0 (int16) here, a of 3 bits from bit 0 (int32) in the writer",
        ),
        (
            "bitset B {bitfield<3> a; bitfield<2> b;};",
            "B",
            "bitset B {bitfield<3> a;};",
            "B",
            "no such field in the writer",
        ),
        (
            "bitset B {bitfield<3> a;};",
            "B",
            "",
            "octet",
            "no other kind",
        ),
    ];
    let widths = [
        (1, 8),
        (8, 8),
        (9, 16),
        (16, 16),
        (17, 32),
        (32, 32),
        (33, 64),
        (64, 64),
    ];
    let masks: Vec<(String, String)> = widths
        .iter()
        .flat_map(|(bits, width)| {
            let mask = format!("@bit_bound({bits}) bitmask M {{a}};");
            [8, 16, 32, 64].map(|other| {
                let is = if other == *width { "fits" } else { "" };
                (mask.clone(), format!("uint{other} {is}"))
            })
        })
        .collect();
    for (mask, integer) in &masks {
        let (integer, fits) = integer.split_once(' ').unwrap();
        let refused = if fits.is_empty() { "as many bytes" } else { "" };
        rows.push((mask, "M", "", integer, refused));
        rows.push(("", integer, mask, "M", refused));
    }
    for element in ["sequence<uint16>", "map<char, uint16>"] {
        let mask = "@bit_bound(12) bitmask M {a};";
        let masks = element.replace("uint16", "M");
        let reader = format!("{mask} struct T {{{masks} a;}};");
        let writer = format!("struct T {{{element} a;}};");
        let no = No("in XCDR2 a collection of bitmasks has its length in bytes in front");
        judge(&DEFAULT, Encoding::Xcdr2, &reader, &writer, &no);
        judge(&DEFAULT, Encoding::Xcdr1, &reader, &writer, &Fits);
    }
    for (one, member, other, others, refused) in rows {
        let reader = format!("{one} struct T {{{member} a;}};");
        let writer = format!("{other} struct T {{{others} a;}};");
        let expected = match refused {
            "" => Fits,
            part => No(part),
        };
        judge(&DEFAULT, Encoding::Xcdr2, &reader, &writer, &expected);
    }
}

#[test]
fn s1_structures_have_one_extensibility() {
    table(
        &DEFAULT,
        &[
            (
                "@final struct T {long a;};",
                "struct T {long a;};",
                No(
                    "T: final here, appendable in the writer, and both need one extensibility. Write @final, @appendable or @mutable in both: Cyclone DDS takes final",
                ),
            ),
            (
                "@mutable struct T {long a;};",
                "struct T {long a;};",
                No("T: mutable here, appendable in the writer"),
            ),
        ],
    );
}

#[test]
fn s2_a_member_has_one_name_and_one_id() {
    let rows = [
        (
            "@mutable struct T {long a; long b;};",
            "@mutable struct T {@id(1) long b; @id(0) long a;};",
            Fits,
        ),
        (
            "@mutable struct T {long a;};",
            "@mutable struct T {@id(5) long a;};",
            No(
                "T.a: a with id 0 here, a with id 5 in the writer, and a member needs one name and one id",
            ),
        ),
        (
            "@mutable struct T {long a;};",
            "@mutable struct T {long b;};",
            No("T.a (T.b in the writer): a with id 0 here, b with id 0 in the writer"),
        ),
        (
            "struct B {long a;}; struct T : B {long b;};",
            "struct T {long a; long b;};",
            Fits,
        ),
    ];
    table(&DEFAULT, &rows);
    table(
        &IDS_ONLY,
        &[
            (
                "@mutable struct T {long a;};",
                "@mutable struct T {long b;};",
                Fits,
            ),
            (
                "@mutable struct T {long a; long c;};",
                "@mutable struct T {@id(5) long a; @id(1) long c;};",
                Fits,
            ),
            (
                "@final struct T {long a;};",
                "@final struct T {long b;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn s3_members_of_one_id_are_assignable_whatever_is_a_key_within() {
    table(
        &DEFAULT,
        &[
            (
                "@mutable struct T {long a;};",
                "@mutable struct T {float a;};",
                No("T.a: int32 here, float in the writer"),
            ),
            (
                "struct I {long x; @key long k;}; @mutable struct T {I a;};",
                "struct I {long x;}; @mutable struct T {I a;};",
                Fits,
            ),
            (
                "struct I {long x;}; @mutable struct T {I a;};",
                "struct I {long x; @key long k;}; @mutable struct T {I a;};",
                Fits,
            ),
            (
                "@mutable struct I {long x; @key long k;}; @mutable struct T {I a;};",
                "@mutable struct I {long x;}; @mutable struct T {I a;};",
                Fits,
            ),
            // The header of the key says that the reader has to understand it.
            (
                "@mutable struct I {long x;}; @mutable struct T {I a;};",
                "@mutable struct I {long x; @key long k;}; @mutable struct T {I a;};",
                No(
                    "T.a.k: no such member here, @key k with id 1 in the writer, and both need each key",
                ),
            ),
            // Members that are told apart by their place are not erased.
            (
                "struct I {long x;}; struct T {I a;};",
                "struct I {long x; @key long k;}; struct T {I a;};",
                No("both need each key"),
            ),
            (
                "struct I {@key long x;}; struct T {I a;};",
                "struct I {long x;}; struct T {I a;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn s4_keys_and_what_must_be_understood_are_on_both_sides() {
    table(
        &DEFAULT,
        &[
            (
                "struct T {long a; @key long k;};",
                "struct T {long a;};",
                No(
                    "T.k: @key k with id 1 here, no such member in the writer, and both need each key",
                ),
            ),
            (
                "struct T {long a;};",
                "struct T {long a; @key long k;};",
                No("T.k: no such member here, @key k with id 1 in the writer"),
            ),
            (
                "struct T {long a; @key long k;};",
                "struct T {long a; long k;};",
                No(
                    "T.k: @key k with id 1 here, k with id 1 in the writer, and both need the same keys",
                ),
            ),
            (
                "struct T {long a; long k;};",
                "struct T {long a; @key long k;};",
                No("both need the same keys"),
            ),
            (
                "@mutable struct T {long a; @must_understand long b;};",
                "@mutable struct T {long a;};",
                No(
                    "T.b: @must_understand b with id 1 here, no such member in the writer, and both need each @must_understand member",
                ),
            ),
            (
                "@mutable struct T {long a;};",
                "@mutable struct T {long a; @must_understand long b;};",
                No("no such member here"),
            ),
            (
                "@mutable struct T {long a;};",
                "@mutable struct T {long a; @must_understand @optional long b;};",
                Fits,
            ),
            (
                "@mutable struct T {long a; long b;};",
                "@mutable struct T {long a; @must_understand long b;};",
                Fits,
            ),
            (
                "struct B {@key long k;}; struct T : B {long a;};",
                "struct B {@key long k;}; struct T : B {long a; long b;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn s5_a_member_is_common() {
    table(
        &DEFAULT,
        &[
            (
                "@mutable struct T {long a;};",
                "@mutable struct T {@id(1) long b;};",
                No("T: struct T here, another struct T in the writer, and no member is in both"),
            ),
            (
                "struct T {long a;};",
                "struct T {};",
                No("no member is in both"),
            ),
        ],
    );
}

#[test]
fn s6_and_s7_members_without_headers_come_in_one_order() {
    let rows = [
        ("struct T {long a;};", "struct T {long a; long b;};", Fits),
        ("struct T {long a; long b;};", "struct T {long a;};", Fits),
        (
            "struct T {long a; long b;};",
            "struct T {@id(1) long b; @id(0) long a;};",
            No(
                "T.a (T.b in the writer): a with id 0 here, b with id 1 in the writer, and members at one place need one id",
            ),
        ),
        (
            "struct T {long a; @optional long b;};",
            "struct T {long a; long b;};",
            No("T.b: @optional b with id 1 here, b with id 1 in the writer"),
        ),
        (
            "@mutable struct T {long a; @optional long b;};",
            "@mutable struct T {long a; long b;};",
            Fits,
        ),
        (
            "@final struct T {long a;};",
            "@final struct T {long a; long b;};",
            No("T: 1 members here, 2 members in the writer, and a final type cannot grow"),
        ),
        (
            "@final struct T {string<3> a;};",
            "@final struct T {string<4> a;};",
            Fits,
        ),
        ("struct T {long a;};", "@nested struct T {long a;};", Fits),
    ];
    table(&DEFAULT, &rows);
    let top = ("struct T {long a;};", "struct T {long a; long b;};");
    judge(&DEFAULT, Encoding::Xcdr1, top.0, top.1, &Fits);
    judge(&DEFAULT, Encoding::Xcdr1, top.1, top.0, &Fits);
}

#[test]
fn s8_a_reader_may_prevent_widening() {
    table(
        &NOT_WIDER,
        &[
            (
                "struct T {long a; long b;};",
                "struct T {long a;};",
                No(
                    "T.b: b with id 1 here, no such member in the writer, and the reader prevents type widening",
                ),
            ),
            (
                "struct T {long a; @optional long b;};",
                "struct T {long a;};",
                Fits,
            ),
            ("struct T {long a;};", "struct T {long a; long b;};", Fits),
            (
                "struct I {long x; long y;}; @mutable struct T {I a;};",
                "struct I {long x;}; @mutable struct T {I a;};",
                No("T.a.y: "),
            ),
        ],
    );
}

#[test]
fn s9_keys_within_keys_are_the_same() {
    table(
        &DEFAULT,
        &[
            (
                "struct I {@key long x; long y;}; struct T {@key I a;};",
                "struct I {@key long x; long y; long z;}; struct T {@key I a;};",
                Fits,
            ),
            (
                "struct I {@key long x; long y;}; struct T {@key I a;};",
                "struct I {long x; @key long y;}; struct T {@key I a;};",
                No(
                    "T.a.x: @key x with id 0 here, x with id 0 in the writer, and both need the same keys",
                ),
            ),
            (
                "struct I {@key long x; long y;}; @mutable struct T {@key I a;};",
                "struct I {long x; long y;}; @mutable struct T {@key I a;};",
                No("T.a.x: @key x"),
            ),
            (
                "@mutable struct I {long x; @key long y;}; @mutable struct T {@key I a;};",
                "@mutable struct I {long x;}; @mutable struct T {@key I a;};",
                No("T.a.y: @key y with id 1 here, no such member"),
            ),
            (
                "struct I {@key long x; long y;}; struct T {@key long k; I a;};",
                "struct I {long x; @key long y;}; struct T {@key long k; I a;};",
                Fits,
            ),
            (
                "struct K {@key long x; long y;}; struct I {K k;}; struct T {@key I a;};",
                "struct K {long x; @key long y;}; struct I {K k;}; struct T {@key I a;};",
                No("T.a.k.x: "),
            ),
            (
                "union U switch (@key long) {case 1: long x;}; struct T {@key U a;};",
                "union U switch (long) {case 1: long x;}; struct T {@key U a;};",
                No("T.a._d: @key here, no @key in the writer"),
            ),
            // More literals, labels and larger bounds in keys are fine.
            (
                "enum E {A}; struct T {@key E a;};",
                "enum E {A, B}; struct T {@key E a;};",
                Fits,
            ),
            (
                "union U switch (long) {case 1: long x;}; struct T {@key U a;};",
                "union U switch (long) {case 1: long x; case 2: short y;}; struct T {@key U a;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn u1_to_u3_the_frame_of_a_union() {
    let rows = [
        (
            "@final union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: long a;};",
            No("T: final here, appendable in the writer"),
        ),
        (
            "union T switch (long) {case 1: long a;};",
            "union T switch (short) {case 1: long a;};",
            No("T._d: int32 here, int16 in the writer"),
        ),
        (
            "union T switch (@key long) {case 1: long a;};",
            "union T switch (long) {case 1: long a;};",
            No(
                "T._d: @key here, no @key in the writer, and both discriminators are keys, or neither is",
            ),
        ),
        (
            "union T switch (long) {case 1: long a; case 2: short b;};",
            "union T switch (long) {case 1: long a; case 2: @id(7) short b;};",
            No(
                "T.b: b with id 2 here, b with id 7 in the writer, and a member needs one name and one id",
            ),
        ),
        (
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: long b;};",
            No("T.a (T.b in the writer): "),
        ),
        (
            "union T switch (long) {case 1: long a; case 2: long b;};",
            "union T switch (long) {case 2: @id(2) long b; case 1: @id(1) long a;};",
            Fits,
        ),
        (
            "enum E {A, B}; union T switch (E) {case A: long a;};",
            "enum E {A, B, C}; union T switch (E) {case A: long a;};",
            Fits,
        ),
    ];
    table(&DEFAULT, &rows);
    table(
        &IDS_ONLY,
        &[(
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: long b;};",
            Fits,
        )],
    );
}

#[test]
fn u4_labels_of_the_writer_select_what_fits() {
    let of = |hfitser: &str, inner: &str| {
        format!("struct I {{{inner}}}; {hfitser} union T switch (long) {{case 1: I a;}};")
    };
    for (hfitser, fits) in [
        ("@final", false),
        ("@appendable", false),
        ("@mutable", true),
    ] {
        let (one, other) = (of(hfitser, "long x;"), of(hfitser, "long x; long y;"));
        let expected = if fits {
            Fits
        } else {
            No("in XCDR1 its values have no length")
        };
        judge(&DEFAULT, Encoding::Xcdr1, &one, &other, &expected);
        judge(&DEFAULT, Encoding::Xcdr2, &one, &other, &Fits);
    }
    let rows = [
        (
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: long a; case 2: string b;};",
            Fits,
        ),
        (
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: float a;};",
            No("T.a: int32 here, float in the writer"),
        ),
        (
            "union T switch (long) {case 1: long a; default: short d;};",
            "union T switch (long) {case 1: long a; case 2: @id(3) string b;};",
            No("T.d (T.b in the writer): int16 here, string in the writer"),
        ),
        (
            "union T switch (long) {case 1: long a; default: short d;};",
            "union T switch (long) {case 1: long a; case 2: @id(3) short b;};",
            Fits,
        ),
        (
            "@mutable union T switch (long) {case 1: long a; default: short d;};",
            "@mutable union T switch (long) {case 1: long a; case 2: @id(3) short b;};",
            No("cases of one label need one id in a mutable union"),
        ),
        // A union is appendable, so what a case selects need not be delimited.
        (
            "@final struct I {string<3> x;}; union T switch (long) {case 1: I a;};",
            "@final struct I {string<4> x;}; union T switch (long) {case 1: I a;};",
            Fits,
        ),
    ];
    table(&DEFAULT, &rows);
    let no = No(
        "T.a: a with id 1 here, a with id 4 in the writer, and cases of one label and one name need one id",
    );
    table(
        &IDS_ONLY,
        &[(
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: @id(4) long a;};",
            no,
        )],
    );
    table(
        &IDS_ONLY,
        &[(
            "union T switch (long) {case 1: long a;};",
            "union T switch (long) {case 1: @id(4) long b;};",
            Fits,
        )],
    );
}

#[test]
fn u5_and_u6_what_the_default_of_the_writer_is_for_the_reader() {
    table(
        &DEFAULT,
        &[
            (
                "union T switch (long) {case 1: long a; case 2: short b;};",
                "union T switch (long) {case 1: long a; default: @id(3) float d;};",
                No("T.b (T.d in the writer): int16 here, float in the writer"),
            ),
            (
                "union T switch (long) {case 1: long a; case 2: short b;};",
                "union T switch (long) {case 1: long a; default: @id(3) short d;};",
                Fits,
            ),
            (
                "union T switch (long) {case 1: long a; default: short d;};",
                "union T switch (long) {case 1: long a; default: float d;};",
                No("T.d: int16 here, float in the writer"),
            ),
            (
                "union T switch (long) {case 1: long a; default: short d;};",
                "union T switch (long) {case 1: long a; default: short d; case 3: @id(3) short e;};",
                Fits,
            ),
            (
                "union T switch (long) {case 1: long a;};",
                "union T switch (long) {case 1: long a; default: float d;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn u7_labels_of_unions() {
    table(
        &DEFAULT,
        &[
            (
                "@final union T switch (long) {case 1: long a;};",
                "@final union T switch (long) {case 1: long a; case 2: long b;};",
                No(
                    "T: labels 1 here, labels 1, 2 in the writer, and final unions need the same labels",
                ),
            ),
            (
                "@final union T switch (long) {case 1: long a;};",
                "@final union T switch (long) {case 1: long a; default: long d;};",
                No("T: no default here, default: d in the writer"),
            ),
            (
                "@final union T switch (long) {case 1: string<3> a;};",
                "@final union T switch (long) {case 1: string<4> a;};",
                Fits,
            ),
            (
                "union T switch (long) {case 1: long a;};",
                "union T switch (long) {case 2: long a;};",
                No("T: labels 1 here, labels 2 in the writer, and no label is in both"),
            ),
            (
                "union T switch (long) {case 1: long a; default: long d;};",
                "union T switch (long) {case 2: @id(3) long b; default: @id(2) long d;};",
                No("no label is in both"),
            ),
        ],
    );
}

#[test]
fn u8_a_reader_may_prevent_widening_of_unions() {
    table(
        &NOT_WIDER,
        &[
            (
                "union T switch (long) {case 1: long a; case 2: long b;};",
                "union T switch (long) {case 1: long a;};",
                No(
                    "T: case 2 here, no case of this label in the writer, and the reader prevents type widening",
                ),
            ),
            (
                "union T switch (long) {case 1: long a;};",
                "union T switch (long) {case 1: long a; case 2: long b;};",
                Fits,
            ),
        ],
    );
}

#[test]
fn u9_an_unknown_discriminator_may_be_the_default() {
    let reader = |annotation: &str| {
        format!(
            "enum E {{A, B}}; union T switch ({annotation} E) {{case A: long a; case B: short b;}};"
        )
    };
    let fitting =
        "enum E {A, B, C}; union T switch (E) {case A: long a; case B: short b; case C: long c;};";
    let other =
        "enum E {A, B, C}; union T switch (E) {case A: long a; case B: short b; case C: float c;};";
    let default = "enum E {A, B, C}; union T switch (E) {case A: long a; case B: short b; default: float c;};";
    let use_default = reader("@try_construct(USE_DEFAULT)");
    judge(&DEFAULT, Encoding::Xcdr2, &use_default, fitting, &Fits);
    let no = No("T.a (T.c in the writer): int32 here, float in the writer");
    judge(&DEFAULT, Encoding::Xcdr2, &use_default, other, &no);
    judge(&DEFAULT, Encoding::Xcdr2, &use_default, default, &no);
    for writer in [fitting, other, default] {
        judge(&DEFAULT, Encoding::Xcdr2, &reader(""), writer, &Fits);
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
