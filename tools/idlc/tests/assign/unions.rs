//! The rules of unions, U1 to U9.

use dunlin_xtypes::assign::Encoding;

use crate::Found::{Fits, No};
use crate::{DEFAULT, IDS_ONLY, NOT_WIDER, judge, table};

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
