//! Which readers can take samples of which writers.

use dunlin_cdr::Extensibility::{self, Appendable, Final, Mutable};
use dunlin_xtypes::assign::{Encoding, Rules, Verdict, assignable};
use dunlin_xtypes::{
    AutoId, DynamicType, EquivalenceHash, EquivalenceKind, TypeIdentifier, TypeIndex,
    TypeTreeBuilder,
};

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

/// The type of a TypeObject that another product might have written: ours with other bytes.
fn foreign(ty: &DynamicType, change: impl Fn(&mut [u8])) -> DynamicType {
    let mut bytes = ty.type_object(EquivalenceKind::Complete).unwrap().unwrap();
    change(&mut bytes);
    let hash = EquivalenceHash::of(&bytes);
    let root = TypeIdentifier::Hash(EquivalenceKind::Complete, hash);
    DynamicType::from_type_objects(&root, |_| Some(&bytes)).unwrap()
}

/// Puts others in place of some bytes, which occur so many times.
fn replace(bytes: &mut [u8], from: &[u8], to: &[u8], times: usize) {
    let mut found = 0;
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..at + from.len()] == *from {
            bytes[at..at + from.len()].copy_from_slice(to);
            found += 1;
        }
    }
    assert_eq!(found, times, "{from:x?}");
}

/// Where the flags of an enumeration are in its TypeObject.
const ENUM_FLAGS: usize = 6;

#[test]
fn an_enumeration_without_flags_fits_any_extensibility() {
    let level = |extensibility, literals: &[(&str, i32)]| {
        let mut types = TypeTreeBuilder::new();
        let level = types.enumeration("Level", extensibility, 32, literals, None);
        types.build(level).unwrap()
    };
    let (low, high) = (("LOW", 3), ("HIGH", 9));
    for extensibility in [Final, Appendable] {
        let ours = level(extensibility, &[low, high]);
        let theirs = foreign(&ours, |bytes| bytes[ENUM_FLAGS] = 0);
        let none_is_default = foreign(&ours, |bytes| {
            replace(bytes, &[3, 0, 0, 0, 0x40, 0], &[3, 0, 0, 0, 0, 0], 1);
        });
        for (reader, writer) in [
            (&ours, &theirs),
            (&theirs, &ours),
            (&theirs, &theirs),
            (&ours, &none_is_default),
        ] {
            let rules = Rules {
                allow_coercion: false,
                ..RULES
            };
            let found = assignable(reader, writer, &rules, Encoding::Xcdr2);
            assert_eq!(found, Ok(Verdict::Same));
        }
        // What is made of it again is what came.
        let object = theirs.type_object(EquivalenceKind::Complete).unwrap();
        assert_eq!(object.unwrap()[ENUM_FLAGS], 0);
        // The extensibility of one side decides.
        let grown = level(extensibility, &[low, high, ("MORE", 10)]);
        let found = assignable(&grown, &theirs, &RULES, Encoding::Xcdr2);
        assert_eq!(found.is_ok(), extensibility == Appendable, "{found:?}");
    }
}

/// Cyclone DDS says of each key that it is to be understood.
#[test]
fn a_key_is_the_same_whether_it_says_that_it_is_to_be_understood_or_not() {
    let keyed = |says_so: bool| {
        let mut types = TypeTreeBuilder::new();
        let shape = types.structure("Shape", Final);
        let shape = shape.member("color", TypeIndex::INT32).key();
        let shape = match says_so {
            true => shape.must_understand(),
            false => shape,
        };
        let shape = shape.member("x", TypeIndex::INT32).finish();
        types.build(shape).unwrap()
    };
    let rules = Rules {
        allow_coercion: false,
        ..RULES
    };
    for (reader, writer) in [(true, false), (false, true)] {
        let found = assignable(&keyed(reader), &keyed(writer), &rules, Encoding::Xcdr1);
        assert_eq!(found, Ok(Verdict::Same));
    }
}

#[test]
fn a_union_of_another_product_differs_in_words_alone() {
    const IDS: [u32; 3] = [0x0a0b_0c01, 0x0a0b_0c02, 0x0a0b_0c03];
    let value = |extensibility, ids: [u32; 3]| {
        let mut types = TypeTreeBuilder::new();
        let text = types.string(0);
        let value = types
            .union("Value", extensibility, TypeIndex::INT32)
            .case("a", TypeIndex::INT32, &[1])
            .id(ids[0])
            .case("b", text, &[2])
            .id(ids[1])
            .case("d", TypeIndex::FLOAT64, &[])
            .default()
            .id(ids[2])
            .finish();
        types.build(value).unwrap()
    };
    // The discriminator: its length, its flags and its kind.
    let marked = |bytes: &mut [u8]| {
        let (ours, theirs) = ([5, 0, 0, 0, 0x01, 0, 4], [5, 0, 0, 0, 0x11, 0, 4]);
        replace(bytes, &ours, &theirs, 1);
    };
    for extensibility in [Final, Appendable] {
        let ours = value(extensibility, [1, 2, 3]);
        let theirs = foreign(&value(extensibility, IDS), |bytes| {
            for (id, theirs) in IDS.iter().zip(0_u32..) {
                replace(bytes, &id.to_le_bytes(), &theirs.to_le_bytes(), 1);
            }
            marked(bytes);
        });
        for (reader, writer) in [(&ours, &theirs), (&theirs, &ours)] {
            let found = assignable(reader, writer, &RULES, Encoding::Xcdr2);
            assert_eq!(found, Ok(Verdict::Same));
        }
        // Ids that are said stay as they are.
        let ours = value(extensibility, [1, 7, 8]);
        let theirs = foreign(&value(extensibility, [IDS[0], 7, 8]), |bytes| {
            replace(bytes, &IDS[0].to_le_bytes(), &[0; 4], 1);
        });
        let found = assignable(&ours, &theirs, &RULES, Encoding::Xcdr2);
        assert_eq!(found, Ok(Verdict::Same));
    }
}

/// Structures of which each has a sequence of the next, and the last one of the first.
fn circle(length: usize, more: &[&str]) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let names = (0..length).map(|n| types.declare(&format!("T{n}")));
    let all: Vec<_> = names.collect();
    for (n, index) in all.iter().enumerate() {
        let next = types.sequence(all[(n + 1) % length], 0);
        let mut ty = types
            .define_structure(*index, Appendable)
            .member("next", next);
        for name in more.iter().take_while(|_| n + 1 == length) {
            ty = ty.member(name, TypeIndex::INT32);
        }
        ty.finish();
    }
    types.build(all[0]).unwrap()
}

#[test]
fn circles_of_types_are_compared_until_the_work_is_too_much() {
    let found = assignable(&circle(3, &[]), &circle(5, &[]), &RULES, Encoding::Xcdr2);
    assert_eq!(found, Ok(Verdict::Same));
    let found = assignable(&circle(3, &["a"]), &circle(5, &[]), &RULES, Encoding::Xcdr2);
    assert_eq!(found, Ok(Verdict::Assignable));
    let (one, other) = (circle(251, &["a"]), circle(257, &["b"]));
    let found = assignable(&one, &other, &RULES, Encoding::Xcdr2).unwrap_err();
    assert!(
        found.to_string().contains("too large to compare"),
        "{found}"
    );
}

#[test]
fn a_long_chain_of_types_is_compared_without_recursion() {
    let chain = |last: TypeIndex| {
        let mut types = TypeTreeBuilder::new();
        let mut inner = last;
        for n in 0..5000 {
            let next = types.sequence(inner, 0);
            let ty = types.structure(&format!("T{n}"), Appendable);
            inner = ty.member("next", next).finish();
        }
        types.build(inner).unwrap()
    };
    let (one, other) = (chain(TypeIndex::INT32), chain(TypeIndex::FLOAT32));
    let found = assignable(&one, &other, &RULES, Encoding::Xcdr2).unwrap_err();
    assert_eq!(found.reader, "int32");
    assert!(found.reader_path.starts_with("T4999.next[].next[]"));
    assert!(found.reader_path.contains("..") && found.reader_path.len() < 300);
    let found = assignable(&one, &chain(TypeIndex::INT32), &RULES, Encoding::Xcdr2);
    assert_eq!(found, Ok(Verdict::Same));
}

#[test]
fn large_types_are_too_large_in_words() {
    let wide = |grown: bool| {
        let mut types = TypeTreeBuilder::new();
        let mut ty = types.structure("Wide", Mutable);
        for n in 0..60_000 + u32::from(grown) {
            ty = ty.member(&format!("m{n}"), TypeIndex::INT32);
        }
        let ty = ty.finish();
        types.build(ty).unwrap()
    };
    let found = assignable(&wide(false), &wide(true), &RULES, Encoding::Xcdr2).unwrap_err();
    assert!(found.to_string().contains("Make them smaller"), "{found}");
}

#[test]
fn a_hundred_members_are_compared_with_few_allocations() {
    let of = |count| {
        let mut types = TypeTreeBuilder::new();
        let kinds = [TypeIndex::INT32, TypeIndex::FLOAT64, types.string(0)];
        let mut ty = types.structure("Plant", Appendable);
        for n in 0..count {
            ty = ty.member(&format!("member_number_{n}"), kinds[n % 3]);
        }
        let ty = ty.finish();
        types.build(ty).unwrap()
    };
    let (old, new) = (of(100), of(101));
    for (reader, writer) in [(&old, &new), (&new, &old), (&old, &of(100))] {
        let mut found = None;
        let work = allocation_counter::measure(|| {
            found = Some(assignable(reader, writer, &RULES, Encoding::Xcdr2));
        });
        assert!(found.unwrap().is_ok());
        assert!(work.count_total < 40, "{}", work.count_total);
    }
}
