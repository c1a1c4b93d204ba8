//! Strings, sequences, maps and arrays, and their elements.

use dunlin_xtypes::assign::Encoding;

use crate::Found::{Fits, No, Same};
use crate::{BOUNDED, DEFAULT, IDS_ONLY, judge, table};

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
