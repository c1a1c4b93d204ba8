//! Which readers can take samples of which writers.

use dunlin_cdr::Extensibility::{self, Appendable, Final, Mutable};
use dunlin_xtypes::assign::{Encoding, Rules, Verdict, assignable};
use dunlin_xtypes::{AutoId, DynamicType, TypeIndex, TypeTreeBuilder};

const RULES: Rules = Rules {
    allow_coercion: true,
    ignore_sequence_bounds: true,
    ignore_string_bounds: true,
    ignore_member_names: false,
    prevent_type_widening: false,
};

fn numbers(extensibility: Extensibility, ids: AutoId, names: &[&str]) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let mut ty = types.structure("Air", extensibility).auto_id(ids);
    for name in names {
        ty = ty.member(name, TypeIndex::FLOAT64);
    }
    let ty = ty.finish();
    types.build(ty).unwrap()
}

#[test]
fn members_in_another_order_are_refused_by_name_or_assigned_by_id() {
    for extensibility in [Final, Appendable] {
        let reader = numbers(
            extensibility,
            AutoId::Sequential,
            &["pressure", "temperature"],
        );
        let writer = numbers(
            extensibility,
            AutoId::Sequential,
            &["temperature", "pressure"],
        );
        let found = assignable(&reader, &writer, &RULES, Encoding::Xcdr2).unwrap_err();
        let found = found.to_string();
        assert!(
            found.contains("pressure") && found.contains("id"),
            "{found}"
        );
    }
    let reader = numbers(Mutable, AutoId::Hash, &["pressure", "temperature"]);
    let writer = numbers(Mutable, AutoId::Hash, &["temperature", "pressure"]);
    let found = assignable(&reader, &writer, &RULES, Encoding::Xcdr2);
    assert_eq!(found, Ok(Verdict::Assignable));
}

#[test]
fn an_appendable_type_grows_and_a_final_one_does_not() {
    let of = |extensibility, names| numbers(extensibility, AutoId::Sequential, names);
    let (old, new) = (of(Appendable, &["x"]), of(Appendable, &["x", "y"]));
    for (reader, writer) in [(&old, &new), (&new, &old)] {
        let found = assignable(reader, writer, &RULES, Encoding::Xcdr2);
        assert_eq!(found, Ok(Verdict::Assignable));
    }
    assert_eq!(
        assignable(&old, &old, &RULES, Encoding::Xcdr2),
        Ok(Verdict::Same)
    );
    let (old, new) = (of(Final, &["x"]), of(Final, &["x", "y"]));
    assert!(assignable(&old, &new, &RULES, Encoding::Xcdr2).is_err());
}

#[test]
fn string_bounds_count_unless_they_are_ignored() {
    let shape = |bound| {
        let mut types = TypeTreeBuilder::new();
        let color = types.string(bound);
        let ty = types
            .structure("Shape", Final)
            .member("color", color)
            .finish();
        types.build(ty).unwrap()
    };
    let strict = Rules {
        ignore_string_bounds: false,
        ..RULES
    };
    let found = assignable(&shape(64), &shape(128), &strict, Encoding::Xcdr2).unwrap_err();
    assert_eq!(
        found.to_string(),
        "Shape.color: string<64> here, string<128> in the writer, and the reader counts string \
         bounds. Set ignore_string_bounds, or give both one bound."
    );
    let found = assignable(&shape(64), &shape(128), &RULES, Encoding::Xcdr2);
    assert_eq!(found, Ok(Verdict::Assignable));
}

#[test]
fn a_bitmask_fits_the_unsigned_integer_that_holds_it() {
    let mut types = TypeTreeBuilder::new();
    let mask = types.bitmask("Mask", Final, 12, &[("a", 0)]);
    let mask = types.build(mask).unwrap();
    for (integer, fits) in [
        (TypeIndex::UINT16, true),
        (TypeIndex::INT16, false),
        (TypeIndex::UINT32, false),
    ] {
        let integer = mask.at(integer);
        for (reader, writer) in [(&mask, &integer), (&integer, &mask)] {
            let found = assignable(reader, writer, &RULES, Encoding::Xcdr2);
            assert_eq!(found.is_ok(), fits, "{found:?}");
        }
    }
}
