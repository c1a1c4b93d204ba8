//! `@kind`, `@writer` and `@age` beside members.

mod common;

use common::{Appendable, WORLDS, payload, sample};
use dunlin_filter::{Facts, Filter};
use dunlin_xtypes::DynamicType;

const NONE: [&str; 0] = [];

fn with_facts(expression: &str) -> Filter {
    let ty = DynamicType::of::<Appendable>().unwrap();
    Filter::with_facts(expression, &NONE, &ty).unwrap_or_else(|error| panic!("{error}"))
}

/// What is said of a sample whose size is 20.
fn of_sample(expression: &str, facts: &Facts<'_>) -> Option<bool> {
    let filter = with_facts(expression);
    let judge = |(xcdr, endianness)| {
        let bytes = payload(&sample(), xcdr, endianness);
        filter.judge_change(Some(&bytes), facts).unwrap()
    };
    let all = WORLDS.map(judge);
    assert!(all.iter().all(|one| *one == all[0]), "{expression}");
    all[0]
}

fn facts(kind: &str, age: Option<f64>) -> Facts<'_> {
    Facts {
        kind,
        writer: "01.02|7",
        age,
    }
}

#[test]
fn facts_are_judged_beside_members() {
    let young = facts("alive", Some(0.25));
    for (expression, expected) in [
        ("@kind = 'alive'", Some(true)),
        ("@kind <> 'alive'", Some(false)),
        ("'alive' = @kind AND size = 20", Some(true)),
        ("@kind = 'dispose' OR size > 20", Some(false)),
        ("@writer LIKE '01.02%'", Some(true)),
        ("NOT @writer LIKE '01.02%' AND size = 20", Some(false)),
        ("@age < 1", Some(true)),
        ("@age < 0.1", Some(false)),
        ("@age BETWEEN 0 AND 1 AND size = 20", Some(true)),
        ("@age < size", Some(true)),
    ] {
        assert_eq!(of_sample(expression, &young), expected, "{expression}");
    }
    let undated = facts("alive", None);
    assert_eq!(of_sample("@age < 1", &undated), None);
    assert_eq!(of_sample("@age < 1 OR size = 20", &undated), Some(true));
}

#[test]
fn what_is_no_sample_is_judged_by_its_facts_alone() {
    let dispose = facts("dispose", Some(5.0));
    for (expression, expected) in [
        ("size > 20", None),
        ("NOT (size > 20)", None),
        ("@kind = 'alive' AND size > 20", Some(false)),
        ("@kind = 'dispose' OR size > 20", Some(true)),
        ("@writer = 'other' AND size > 20", Some(false)),
        ("@writer = '01.02|7' AND size > 20", None),
        ("@age > 1", Some(true)),
    ] {
        let judged = with_facts(expression).judge_change(None, &dispose);
        assert_eq!(judged.unwrap(), expected, "{expression}");
    }
}

#[test]
fn only_what_is_asked_has_to_be_known() {
    let asked = |expression: &str| {
        let filter = with_facts(expression);
        (filter.asks_writer(), filter.asks_age())
    };
    assert_eq!(asked("size > 5"), (false, false));
    assert_eq!(asked("@kind = 'alive'"), (false, false));
    assert_eq!(asked("@writer = 'a' AND @age > 5"), (true, true));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let ty = DynamicType::of::<Appendable>().unwrap();
    for (expression, message, marked) in [
        ("size > 5 AND @kin = 'a'", "there is no @kin", "@kin"),
        ("@kind = 'dead'", "one of alive, dispose", "'dead'"),
        ("@kind = alive", "a text has quotes: 'alive'", "alive"),
        ("@kind > 5", "a string", "5"),
        ("@age = 'old'", "a floating point number", "'old'"),
        ("@ = 5", "there is no @;", "@"),
        ("@kind.x = 5", "no member \"@kind\"", "@kind"),
    ] {
        let error = Filter::with_facts(expression, &NONE, &ty).unwrap_err();
        assert!(error.message().contains(message), "{error}");
        assert_eq!(&expression[error.span()], marked, "{error}");
    }
    // Filters that readers and writers tell each other have members only.
    let error = Filter::new("@age < 1", &NONE, &ty).unwrap_err();
    assert!(error.message().contains("Routing Service"), "{error}");
}
