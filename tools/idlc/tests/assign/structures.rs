//! The rules of structures, S1 to S9.

use dunlin_xtypes::assign::Encoding;

use crate::Found::{Fits, No};
use crate::{DEFAULT, IDS_ONLY, NOT_WIDER, judge, table};

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
