//! Primitive types, aliases, enumerations, bitmasks and bitsets.

use dunlin_xtypes::assign::Encoding;

use crate::Found::{Fits, No, Same};
use crate::{DEFAULT, NO_OTHER, judge, table};

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
