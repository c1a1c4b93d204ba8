//! What the language can say (DDS 1.4 annex B), and what is said about mistakes.

mod common;

use common::{Appendable, Final, Mutable, WORLDS, payload, sample};
use dunlin_cdr::{Extensibility, Layout};
use dunlin_filter::{Filter, FilterError, limits};
use dunlin_xtypes::{TypeIndex, TypeTreeBuilder};

const NONE: [&str; 0] = [];

/// Whether the sample passes; the same in each encoding, byte order and extensibility.
#[track_caller]
fn passes(expression: &str, parameters: &[&str]) -> bool {
    let filters = [
        Filter::of::<Appendable>(expression, parameters),
        Filter::of::<Final>(expression, parameters),
        Filter::of::<Mutable>(expression, parameters),
    ];
    let [appendable, last, mutable] = filters.map(|f| f.unwrap_or_else(|e| panic!("{e}")));
    let mut all = Vec::new();
    for (xcdr, endianness) in WORLDS {
        let value = sample();
        let verdict = |filter: &Filter, bytes: &[u8]| filter.evaluate(bytes).unwrap();
        all.push(verdict(&appendable, &payload(&value, xcdr, endianness)));
        let value = Final::from(value);
        all.push(verdict(&last, &payload(&value, xcdr, endianness)));
        let value = Mutable::from(sample());
        all.push(verdict(&mutable, &payload(&value, xcdr, endianness)));
    }
    assert!(
        all.iter().all(|one| *one == all[0]),
        "{expression}: {all:?}"
    );
    all[0]
}

#[track_caller]
fn table(rows: &[(&str, bool)]) {
    for (expression, expected) in rows {
        assert_eq!(passes(expression, &NONE), *expected, "{expression}");
    }
}

#[test]
fn comparisons() {
    table(&[
        ("size = 20", true),
        ("size <> 20", false),
        ("size != 21", true),
        ("size < 20", false),
        ("size <= 20", true),
        ("size > 19", true),
        ("size >= 21", false),
        ("20 = size", true),
        ("19 < size", true),
        ("size<=0x14", true),
        ("size = +20", true),
        ("size < 20.5", true),
        ("size = 2e1", true),
        ("signed = -5", true),
        ("signed > -0x6", true),
        ("small > 300", false),
        ("huge = 18446744073709551615", true),
        ("huge > 1e19", true),
        ("huge > -1", true),
        ("single = 0.1", true),
        ("double = 2.5", true),
        ("double > 2", true),
        ("flag = TRUE", true),
        ("flag = false", false),
        ("flag = 1", true),
        ("letter = 'k'", true),
        ("letter >= 'l'", false),
        ("color = 'RED'", true),
        ("color = `RED'", true),
        ("color = \"RED\"", true),
        ("color = 'red'", false),
        ("color < 'REDD'", true),
        ("color > 'BLUE'", true),
        ("size > signed", true),
        ("size = small", false),
        ("color <> point.name", true),
    ]);
}

#[test]
fn enumerators_by_name_or_number() {
    table(&[
        ("mode = 'Warp'", true),
        ("mode = Warp", true),
        ("Fast <> mode", true),
        ("mode = 9", true),
        ("mode > Slow", true),
        ("mode BETWEEN Slow AND 'Fast'", true),
        ("other._d = 'Warp'", true),
    ]);
}

#[test]
fn conditions_join_as_in_sql() {
    table(&[
        ("size = 1 OR size = 20", true),
        ("size = 1 AND size = 20", false),
        ("size = 20 OR size = 20 AND size = 1", true),
        ("(size = 20 OR size = 20) AND size = 1", false),
        ("NOT size = 1", true),
        ("not not size = 20", true),
        ("NOT (size = 20 AND color = 'RED')", false),
        (
            "NOT size = 1 And nOT (color LIKE 'B%' or flag = FALSE)",
            true,
        ),
        ("((((size=20))))", true),
    ]);
}

#[test]
fn ranges_and_patterns() {
    table(&[
        ("size BETWEEN 20 AND 30", true),
        ("size BETWEEN 10 AND 20", true),
        ("size NOT BETWEEN 10 AND 20", false),
        ("size between 21 and 30 or size between 0 and 20", true),
        ("color BETWEEN 'A' AND 'S'", true),
        ("double BETWEEN 2 AND 2.6", true),
        ("color LIKE 'R%'", true),
        ("color LIKE '_E_'", true),
        ("color LIKE '*D'", true),
        ("color NOT LIKE 'R?'", true),
        ("color LIKE '%'", true),
        ("color MATCH 'RED'", true),
        ("color MATCH 'R_D'", false),
        ("color NOT MATCH 'dark-blue 2'", true),
    ]);
}

#[test]
fn parts_of_members() {
    table(&[
        ("point.x = 7", true),
        ("point.name LIKE 'ori%' AND point.weight > 1", true),
        ("points[0].name = 'a'", true),
        ("points[1].weight = -1.0", true),
        (
            "points[1].x = 2 AND points[0].x = 1 AND last = 0xdead",
            true,
        ),
        ("grid[2][1] = 6 AND grid[0][0] = 1", true),
        ("names[0][1] = 'qq' AND names[1][0] = ''", true),
        ("names[1][1] = 'it''s'", true),
        ("pairs[1][0] = 'w' AND pairs[0][1] = 'vvv'", true),
        ("raw[2] = 3", true),
        ("tagged.tag = 3 AND tagged.note = 'hi'", true),
        ("boxed.tag = 9", true),
        ("pick._d = 7", true),
        ("pick.Numbers[1] = 2", true),
        ("other.Level = 12", true),
        ("last = 57005", true),
    ]);
}

#[test]
fn what_is_absent_is_neither_equal_nor_unequal() {
    table(&[
        ("maybe.x = 0", false),
        ("maybe.x <> 0", false),
        ("NOT maybe.x = 0", false),
        ("maybe.x = 0 OR size = 20", true),
        ("maybe.x = 0 AND size = 20", false),
        ("NOT (maybe.x = 0 AND size = 1)", true),
        ("points[0].weight = 0 OR points[0].weight <> 0", false),
        ("points[2].x >= 0", false),
        ("points[2].name NOT LIKE '%'", false),
        ("points[2].x NOT BETWEEN 0 AND 1", false),
        ("pick.Byte <> 0", false),
        ("other.Text LIKE '%'", false),
        ("boxed.note <> ''", false),
        ("raw[3] = 0", false),
    ]);
}

#[test]
fn parameters_are_values_of_their_members() {
    for (expression, parameters, expected) in [
        ("size = %0", &["20"][..], true),
        ("size BETWEEN %0 AND %1", &["19", " 21 "], true),
        ("size = %1", &["", "0x14"], true),
        ("color = %0", &["'RED'"], true),
        ("color = %0", &["RED"], true),
        ("color LIKE %0", &["'R%'"], true),
        ("color MATCH %0", &["'RED'"], true),
        ("color = %0", &["20"], false),
        ("letter = %0", &["'k'"], true),
        ("letter = %0", &["k"], true),
        ("mode = %0", &["Warp"], true),
        ("mode = %0", &["'Warp'"], true),
        ("mode = %0", &["9"], true),
        ("flag = %0", &["TRUE"], true),
        ("single = %0", &["0.1"], true),
        ("%0 < size", &["3"], true),
        ("last = %99", &["57005"; 100], true),
    ] {
        assert_eq!(passes(expression, parameters), expected, "{expression}");
    }
}

/// To find out which member may be meant takes long, and a stranger may name many enumerators.
#[test]
fn enumerators_are_not_looked_for_among_misspelt_members() {
    let expression = vec!["mode = Fast OR Warp <> mode"; limits::PREDICATES / 2].join(" OR ");
    let info = allocation_counter::measure(|| {
        Filter::of::<Appendable>(&expression, &NONE).unwrap();
    });
    let each = info.count_total as usize / limits::PREDICATES;
    assert!(each < 20, "{each} allocations for each comparison");
}

fn fault(expression: &str, parameters: &[&str]) -> FilterError {
    Filter::of::<Appendable>(expression, parameters).unwrap_err()
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    for (expression, parameters, shown) in [
        (
            "color = 'RED' AND sise <= 20",
            &[][..],
            "no member \"sise\" in Appendable; did you mean \"size\"?\n  \
             color = 'RED' AND sise <= 20\n                    ^~~~",
        ),
        (
            "point.y = 1",
            &[],
            "no member \"y\" in Point; did you mean \"x\"?\n  point.y = 1\n        ^",
        ),
        (
            "point.somewhere = 1",
            &[],
            "no member \"somewhere\" in Point; it has x, name, weight\n  point.somewhere = 1\n        ^~~~~~~~~",
        ),
        (
            "size = 'big'",
            &[],
            "an integer is expected here\n  size = 'big'\n         ^~~~~",
        ),
        (
            "color = RED",
            &[],
            "no member \"RED\" in Appendable; it has color, small, signed, size, huge, flag, letter, single, double, mode, \
             raw, point, ...; a text has quotes: 'RED'\n  color = RED\n          ^~~",
        ),
        (
            "mode = 'Wrap'",
            &[],
            "\"Wrap\" is no enumerator of Mode: Slow, Fast, Warp\n  mode = 'Wrap'\n         ^~~~~~",
        ),
        (
            "size = %1",
            &["1"],
            "parameter %1 has no value (1 given)\n  size = %1\n         ^~",
        ),
        (
            "size = %0",
            &["many"],
            "parameter %0 is \"many\": an integer is expected\n  size = %0\n         ^~",
        ),
        (
            "point = 1",
            &[],
            "struct Point has no value to compare: name a part of it\n  point = 1\n  ^~~~~",
        ),
        (
            "grid[3][0] = 1",
            &[],
            "element 3 is beyond the array, which has 3 of them\n  grid[3][0] = 1\n      ^~~",
        ),
        (
            "color = 'RED",
            &[],
            "the string has no end: a quote is missing\n  color = 'RED\n          ^",
        ),
        (
            "size = 20 color = 'RED'",
            &[],
            "the expression should have ended here, or gone on with AND or OR\n  size = 20 color = 'RED'\n            ^~~~~",
        ),
        (
            "(size = 20",
            &[],
            "a closing parenthesis is missing\n  (size = 20\n            ^",
        ),
        (
            "size",
            &[],
            "expected =, <>, <, <=, >, >=, LIKE or BETWEEN\n  size\n      ^",
        ),
        (
            "1 = 2",
            &[],
            "one side of a comparison has to be a member\n  1 = 2\n  ^~~~~",
        ),
        (
            "color < size",
            &[],
            "a string, such as 'text' cannot be compared with an integer\n  color < size\n  ^~~~~~~~~~~~",
        ),
        (
            "size LIKE '2%'",
            &[],
            "LIKE is for strings, and this is an integer\n  size LIKE '2%'\n  ^~~~",
        ),
        (
            "size = 12abc",
            &[],
            "this is no number\n  size = 12abc\n         ^~~~~",
        ),
        (
            "size = %100",
            &[],
            "parameters are %0 to %99\n  size = %100\n         ^~~~",
        ),
        (
            "size = 1 ORDER BY size",
            &[],
            "ORDER BY is not there: samples come in the order of the reader\n  size = 1 ORDER BY size\n           ^~~~~",
        ),
    ] {
        assert_eq!(fault(expression, parameters).to_string(), shown);
    }
    assert!(fault("color MATCH 'R.*'", &NONE).message().contains("LIKE"));
    assert!(fault("map.k = 1", &NONE).message().contains("map"));
    assert!(fault("  ", &NONE).message().contains("empty"));
}

#[test]
fn a_type_without_a_description_is_refused_in_words() {
    struct Inner;
    impl Layout for Inner {
        const MIN_SIZE: usize = 0;
        fn key_end(at: usize) -> Option<usize> {
            Some(at)
        }
    }
    let none = Filter::of::<Inner>("a = 1", &NONE).unwrap_err();
    assert!(none.message().contains("derive `Data`"), "{none}");
}

#[test]
fn members_of_any_kind_are_compared_or_refused() {
    let mut types = TypeTreeBuilder::new();
    let appendable = Extensibility::Appendable;
    let flags = types.bitmask("Flags", appendable, 8, &[("A", 0), ("B", 3)]);
    let wide = types.wide_string(0);
    let row = types.array(TypeIndex::UINT8, &[2]);
    let row = types.alias("Row", row);
    let rows = types.array(row, &[2]);
    let thing = types
        .structure("Thing", appendable)
        .member("octet", TypeIndex::BYTE)
        .member("flags", flags)
        .member("rows", rows)
        .member("wide", wide)
        .member("long", TypeIndex::FLOAT128)
        .finish();
    let thing = types.build(thing).unwrap();
    // XCDR1: numbers of one byte, then the length of the wide string.
    let payload = [0, 1, 0, 0, 5, 9, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0];
    for (expression, expected) in [
        ("octet = 5 AND flags = 9", true),
        ("flags > 9", false),
        ("rows[1][0] = 3 AND rows[0][1] = 2", true),
        ("rows[1][1] BETWEEN 5 AND 6", false),
    ] {
        let filter = Filter::new(expression, &NONE, &thing).unwrap();
        assert_eq!(filter.evaluate(&payload), Ok(expected), "{expression}");
    }
    for (expression, fault) in [
        ("wide = 'a'", "wstring"),
        ("long = 1", "long double"),
        ("rows[1] = 1", "name a part of it"),
        ("rows[2][0] = 1", "beyond the array"),
        ("rows.x = 1", "an index in brackets"),
    ] {
        let error = Filter::new(expression, &NONE, &thing).unwrap_err();
        assert!(error.message().contains(fault), "{error}");
    }
    let mut types = TypeTreeBuilder::new();
    let numbers = types.sequence(TypeIndex::INT32, 0);
    let numbers = types.build(numbers).unwrap();
    let error = Filter::new("a = 1", &NONE, &numbers).unwrap_err();
    assert!(error.message().contains("sequence<int32>"), "{error}");
}

#[test]
fn a_union_may_have_no_member() {
    let mut types = TypeTreeBuilder::new();
    let union = types
        .union("Choice", Extensibility::Final, TypeIndex::UINT8)
        .case("one", TypeIndex::UINT8, &[1])
        .finish();
    let union = types.build(union).unwrap();
    let judge = |expression: &str, payload: &[u8]| {
        let filter = Filter::new(expression, &NONE, &union).unwrap();
        filter.evaluate(payload)
    };
    let (one, none) = ([0, 1, 0, 0, 1, 7], [0, 1, 0, 0, 2]);
    assert_eq!(judge("one = 7 AND _d = 1", &one), Ok(true));
    assert_eq!(judge("_d = 2", &none), Ok(true));
    assert_eq!(judge("one <> 7", &none), Ok(false));
}

#[test]
fn everything_has_a_limit() {
    let nested = |n| format!("{}size = 1{}", "(".repeat(n), ")".repeat(n));
    assert!(Filter::of::<Appendable>(&nested(limits::DEPTH), &NONE).is_ok());
    assert!(
        fault(&nested(limits::DEPTH + 1), &NONE)
            .message()
            .contains("deep")
    );
    let negated = "NOT ".repeat(limits::DEPTH + 1) + "size = 1";
    assert!(fault(&negated, &NONE).message().contains("deep"));

    let many = |n| vec!["size = 1"; n].join(" OR ");
    assert!(Filter::of::<Appendable>(&many(limits::PREDICATES), &NONE).is_ok());
    assert!(
        fault(&many(limits::PREDICATES + 1), &NONE)
            .message()
            .contains("comparisons")
    );

    let members: Vec<String> = (0..=limits::MEMBERS)
        .map(|n| format!("raw[{n}] = 1"))
        .collect();
    assert!(Filter::of::<Appendable>(&members[1..].join(" OR "), &NONE).is_ok());
    assert!(
        fault(&members.join(" OR "), &NONE)
            .message()
            .contains("members")
    );

    let long = format!("size = 1{}", " ".repeat(limits::EXPRESSION));
    assert!(fault(&long, &NONE).message().contains("bytes"));
    let pattern = format!("color LIKE '{}'", "a".repeat(limits::PATTERN + 1));
    assert!(fault(&pattern, &NONE).message().contains("pattern"));
    let path = format!("point{} = 1", ".x".repeat(limits::PATH));
    assert!(fault(&path, &NONE).message().contains("parts"));
    assert!(
        fault("size = %0", &[&*"1".repeat(limits::PARAMETER + 1)])
            .message()
            .contains("bytes")
    );
    assert!(
        fault("size = %0", &["1"; limits::PARAMETERS + 1])
            .message()
            .contains("allowed")
    );
}
