//! What is known of a payload by its type at run time is what the derived code knows: in both
//! encodings, both byte orders, and wherever the payload is cut off.

#[path = "../../../cdr/tests/common/mod.rs"]
mod common;
mod types;
#[path = "../../../cdr/tests/common/values.rs"]
mod values;

use std::time::Duration;

use bytes::BytesMut;
use common::{Big, Pick, WORLDS};
use dunlin_cdr::{
    Endianness, Extensibility, Topic, Xcdr, from_payload, key_hash, key_to_payload_as, reader_of,
    to_payload_as,
};
use dunlin_xtypes::{
    Converter, DynamicType, KeyPlan, Located, Mapping, MemberPath, TypeIndex, TypeTreeBuilder,
    Value,
};
use proptest::prelude::*;
use types::*;
use values::big;

fn payload<T: Topic>(value: &T, xcdr: Xcdr, endianness: Endianness) -> BytesMut {
    let mut out = BytesMut::new();
    to_payload_as(value, xcdr, endianness, &mut out).unwrap();
    out
}

/// A mapping of a type to itself without any assignment changes nothing.
fn maps_to_itself<T: Topic>(value: &T) {
    let ty = DynamicType::of::<T>().unwrap();
    let plan = KeyPlan::new(&ty);
    let mapping = Mapping::new(&ty, &ty, &[]).unwrap();
    assert_eq!(mapping.maps_keys(), plan.has_key());
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        let mut made = BytesMut::new();
        mapping.map(&bytes, Duration::ZERO, &mut made).unwrap();
        assert_eq!(made, payload(value, xcdr, Endianness::NATIVE), "{xcdr:?}");
        let mut key = BytesMut::new();
        plan.key_payload(&bytes, xcdr, endianness, &mut key)
            .unwrap();
        made.clear();
        assert_eq!(mapping.map_key(&key, &mut made), Ok(plan.has_key()));
        if plan.has_key() {
            assert_eq!(plan.key_hash_of_key(&made), plan.key_hash(&bytes));
        }
    }
}

/// Skip, validate, key hash and key payload.
fn agree<T: Topic>(value: &T) {
    maps_to_itself(value);
    let ty = DynamicType::of::<T>().unwrap();
    assert_eq!(ty.extensibility(), T::EXTENSIBILITY);
    let plan = KeyPlan::new(&ty);
    let hash = key_hash(value).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        let mut r = reader_of(&bytes, T::EXTENSIBILITY).unwrap();
        ty.skip(&mut r).unwrap();
        assert_eq!(r.remaining(), 0, "{xcdr:?}");
        ty.validate(&bytes).unwrap();
        assert_eq!(plan.key_hash(&bytes).unwrap(), hash, "{xcdr:?}");
        for (to, order) in WORLDS {
            let mut expected = BytesMut::new();
            key_to_payload_as(value, to, order, &mut expected).unwrap();
            let mut key = BytesMut::new();
            plan.key_payload(&bytes, to, order, &mut key).unwrap();
            assert_eq!(key, expected, "{xcdr:?} {endianness:?} -> {to:?} {order:?}");
            assert_eq!(plan.key_hash_of_key(&key).unwrap(), hash, "{to:?}");
            let converter = Converter::new(&ty, to, order);
            assert_eq!(converter.is_needed(&bytes), to != xcdr);
            let mut converted = BytesMut::new();
            converter.convert(&bytes, &mut converted).unwrap();
            let expected = payload(value, to, order);
            assert_eq!(
                converted, expected,
                "{xcdr:?} {endianness:?} -> {to:?} {order:?}"
            );
            converted.clear();
            converter.convert_key(&key, &mut converted).unwrap();
            assert_eq!(plan.key_hash_of_key(&converted).unwrap(), hash, "{to:?}");
        }
    }
}

/// A payload that is cut off is refused exactly where the derived code refuses it.
fn cut_off<T: Topic>(value: &T) {
    let ty = DynamicType::of::<T>().unwrap();
    let plan = KeyPlan::new(&ty);
    let mapping = Mapping::new(&ty, &ty, &[]).unwrap();
    let hash = key_hash(value).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        for end in 0..bytes.len() {
            let part = &bytes[..end];
            let valid = ty.validate(part);
            assert_eq!(
                valid.is_ok(),
                from_payload::<T>(part).is_ok(),
                "{valid:?} {xcdr:?} {end}"
            );
            // Without a length an appendable type may end behind any member.
            if xcdr == Xcdr::V2 || T::EXTENSIBILITY != Extensibility::Appendable {
                assert!(valid.is_err(), "{xcdr:?} {end}");
                let mut r = reader_of(part, T::EXTENSIBILITY);
                assert!(!r.as_mut().is_ok_and(|r| ty.skip(r).is_ok()), "{end}");
            }
            // What is behind the key does not matter.
            if let Ok(found) = plan.key_hash(part) {
                assert_eq!(found, hash);
            }
            let _ = plan.key_payload(part, Xcdr::V1, Endianness::Big, &mut BytesMut::new());
            let _ = plan.key_hash_of_key(part);
            let mut out = BytesMut::from(&b"before"[..]);
            for (to, order) in WORLDS {
                let converter = Converter::new(&ty, to, order);
                match converter.convert(part, &mut out) {
                    // Nothing may be invented.
                    Ok(()) => assert!(valid.is_ok(), "{xcdr:?} {end}"),
                    Err(_) => assert_eq!(out, &b"before"[..]),
                }
                out.truncate(6);
            }
            if mapping.map(part, Duration::ZERO, &mut out).is_err() {
                assert_eq!(out, &b"before"[..]);
            }
            out.truncate(6);
            if mapping.map_key(part, &mut out).is_err() {
                assert_eq!(out, &b"before"[..]);
            }
        }
    }
}

type Check<'v> = &'v dyn Fn(Option<Located<'_>>, &str);

/// The member is found in each encoding, and nothing else in payloads that are cut off.
fn find<T: Topic>(value: &T, path: &str, check: Check<'_>) {
    let ty = DynamicType::of::<T>().unwrap();
    let member = MemberPath::new(&ty, path).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        let found = member.locate(&bytes).unwrap();
        check(found, &format!("{path} {xcdr:?} {endianness:?}"));
        for end in 0..bytes.len() {
            if let Ok(Some(part)) = member.locate(&bytes[..end]) {
                assert_eq!(Some(part), found, "{path} {end}");
            }
        }
    }
}

fn is<T: Topic>(value: &T, path: &str, expected: Option<Value<'_>>) {
    find(value, path, &|found, world| {
        assert_eq!(found.and_then(|found| found.value()), expected, "{world}");
        assert_eq!(found.is_some(), expected.is_some(), "{world}");
    });
}

fn locate_in_pick<T: Topic>(value: &T, prefix: &str, pick: &Pick) {
    let case = match pick {
        Pick::Byte(_) => -1,
        Pick::Leaf(_) => 0,
        Pick::Numbers(_) => 7,
        Pick::Nothing => 100,
    };
    is(value, &format!("{prefix}._d"), Some(Value::Signed(case)));
    let byte = match pick {
        Pick::Byte(byte) => Some(Value::Unsigned((*byte).into())),
        _ => None,
    };
    is(value, &format!("{prefix}.Byte"), byte);
    let (a, c) = match pick {
        Pick::Leaf(leaf) => (Some(Value::Signed(leaf.a)), leaf.c.map(Value::Float64)),
        _ => (None, None),
    };
    is(value, &format!("{prefix}.Leaf.a"), a);
    is(value, &format!("{prefix}.Leaf.c"), c);
    let second = match pick {
        Pick::Numbers(numbers) => numbers.get(1).map(|number| Value::Signed(*number)),
        _ => None,
    };
    is(value, &format!("{prefix}.Numbers[1]"), second);
}

macro_rules! locate_in_big {
    ($value:expr) => {{
        let value = $value;
        is(value, "key", Some(Value::Text(value.key.as_bytes())));
        is(value, "number", Some(Value::Unsigned(value.number.into())));
        is(
            value,
            "tree.id",
            Some(Value::Unsigned(value.tree.id.into())),
        );
        locate_in_pick(value, "tree.pick", &value.tree.pick);
        let child = value.tree.children.get(1);
        let id = child.map(|child| Value::Unsigned(child.id.into()));
        is(value, "tree.children[1].id", id);
        let next = value.tree.next.as_ref();
        is(
            value,
            "tree.next.id",
            next.map(|next| Value::Unsigned(next.id.into())),
        );
        is(value, "mode", Some(Value::Enumerator(value.mode as i32)));
        is(
            value,
            "bytes[3]",
            value
                .bytes
                .get(3)
                .map(|byte| Value::Unsigned((*byte).into())),
        );
        is(
            value,
            "shorts[2]",
            value.shorts.get(2).map(|n| Value::Unsigned((*n).into())),
        );
        is(value, "flags[2]", Some(Value::Boolean(value.flags[2])));
        is(value, "grid[2][1]", Some(Value::Unsigned(value.grid[2][1])));
        let leaf = value.leaf.as_ref();
        is(value, "leaf.a", leaf.map(|leaf| Value::Signed(leaf.a)));
        is(
            value,
            "leaf.b",
            leaf.map(|leaf| Value::Text(leaf.b.as_bytes())),
        );
        is(
            value,
            "leaf.c",
            leaf.and_then(|leaf| leaf.c).map(Value::Float64),
        );
        let word = value.words.as_ref().and_then(|words| words.get(1));
        is(
            value,
            "words[1]",
            word.map(|word| Value::Text(word.as_bytes())),
        );
        find(value, "map", &|found, world| {
            // The number of entries, behind the DHEADER of XCDR2.
            assert!(found.unwrap().bytes().len() >= 4, "{world}");
        });
    }};
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn appendable_types(value in big(8)) {
        agree(&value);
        locate_in_big!(&value);
    }

    #[test]
    fn final_types(value in big(8)) {
        let value = common::Final(value).into_topic();
        agree(&value);
        locate_in_big!(&value);
    }

    #[test]
    fn mutable_types(value in big(8)) {
        let value = common::Mutable(value).into_topic();
        agree(&value);
        locate_in_big!(&value);
    }

    #[test]
    fn keys_of_every_kind(key in keys()) {
        agree(&key.fixed);
        agree(&key.fixed_mutable);
        agree(&key.deep);
        agree(&key.deep_mutable);
        agree(&key.long);
        agree(&key.collections);
        agree(&key.collections_mutable);
        agree(&key.unions);
        agree(&key.short_text);
        agree(&key.optionals);
        agree(&key.optionals_mutable);
        agree(&key.grids);
    }

    #[test]
    fn payloads_that_are_cut_off(value in big(8), key in keys()) {
        cut_off(&value);
        cut_off(&common::Final(value.clone()).into_topic());
        cut_off(&common::Mutable(value).into_topic());
        cut_off(&key.fixed);
        cut_off(&key.fixed_mutable);
        cut_off(&key.deep);
        cut_off(&key.deep_mutable);
        cut_off(&key.long);
        cut_off(&key.collections);
        cut_off(&key.collections_mutable);
        cut_off(&key.unions);
        cut_off(&key.short_text);
    }

    #[test]
    fn numbers_of_every_kind(value in numbers()) {
        agree(&value);
        cut_off(&value);
        let v = &value;
        is(v, "a", Some(Value::Boolean(v.a)));
        is(v, "b", Some(Value::Unsigned(v.b.into())));
        is(v, "c", Some(Value::Signed(v.c.into())));
        is(v, "d", Some(Value::Unsigned(v.d.into())));
        is(v, "e", Some(Value::Signed(v.e.into())));
        is(v, "f", Some(Value::Unsigned(v.f.into())));
        is(v, "g", Some(Value::Signed(v.g.into())));
        is(v, "h", Some(Value::Unsigned(v.h)));
        is(v, "i", Some(Value::Signed(v.i)));
        is(v, "j", Some(Value::Float32(v.j)));
        is(v, "k", Some(Value::Float64(v.k)));
        is(v, "l", Some(Value::Char8(v.l.0)));
        is(v, "m", Some(Value::Char16(v.m.0)));
        is(v, "n", Some(Value::Enumerator(v.n as i32)));
        is(v, "o", Some(Value::Enumerator(v.o as i32)));
        is(v, "p", Some(Value::Enumerator(v.p as i32)));
    }
}

#[test]
fn which_keys_are_copied_from_a_fixed_place() {
    let fixed = |ty: DynamicType| {
        let plan = KeyPlan::new(&ty);
        (
            plan.fits_hash(),
            plan.is_fixed(Xcdr::V1),
            plan.is_fixed(Xcdr::V2),
        )
    };
    let of = |ty: Result<DynamicType, _>| fixed(ty.unwrap());
    assert_eq!(of(DynamicType::of::<Fixed>()), (true, true, true));
    assert_eq!(of(DynamicType::of::<FixedMutable>()), (true, false, false));
    // An appendable member has a DHEADER in XCDR2.
    assert_eq!(of(DynamicType::of::<Deep>()), (true, true, false));
    assert_eq!(of(DynamicType::of::<Long>()), (false, false, false));
    assert_eq!(of(DynamicType::of::<Big>()), (false, false, false));
    assert_eq!(of(DynamicType::of::<ShortText>()), (true, false, false));
    assert_eq!(of(DynamicType::of::<Grids>()), (true, false, false));
}

/// Work for a key at a fixed place, and for a member at one.
#[test]
fn what_has_a_fixed_place_costs_no_memory() {
    let value = Fixed::default();
    let ty = DynamicType::of::<Fixed>().unwrap();
    let plan = KeyPlan::new(&ty);
    let member = MemberPath::new(&ty, "second").unwrap();
    assert!(member.fixed_offset(Xcdr::V1).is_some() && member.fixed_offset(Xcdr::V2).is_some());
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(&value, xcdr, endianness);
        let counted = allocation_counter::measure(|| {
            plan.key_hash(&bytes).unwrap();
            member.locate(&bytes).unwrap();
            ty.validate(&bytes).unwrap();
        });
        assert_eq!(counted.count_total, 0);
    }
    let big = Big::default();
    let ty = DynamicType::of::<Big>().unwrap();
    let plan = KeyPlan::new(&ty);
    let member = MemberPath::new(&ty, "tree.id").unwrap();
    let bytes = payload(&big, Xcdr::V2, Endianness::Little);
    let counted = allocation_counter::measure(|| {
        plan.key_hash(&bytes).unwrap();
        member.locate(&bytes).unwrap();
        ty.validate(&bytes).unwrap();
    });
    assert_eq!(counted.count_total, 0);
    let mut out = BytesMut::with_capacity(8192);
    for (to, order) in WORLDS {
        let converter = Converter::new(&ty, to, order);
        let counted = allocation_counter::measure(|| {
            out.clear();
            converter.convert(&bytes, &mut out).unwrap();
        });
        assert_eq!(counted.count_total, 0, "{to:?} {order:?}");
    }
    let mapping = Mapping::new(&ty, &ty, &[]).unwrap();
    let counted = allocation_counter::measure(|| {
        out.clear();
        mapping.map(&bytes, Duration::ZERO, &mut out).unwrap();
    });
    assert_eq!(counted.count_total, 0);
}

/// Prints how long it takes:
/// `cargo test --release -p dunlin-xtypes --test derived -- --ignored --nocapture`.
#[test]
#[ignore = "prints times"]
fn times() {
    fn time(what: &str, mut run: impl FnMut()) {
        const TIMES: u32 = 2_000_000;
        let best = (0..5).map(|_| {
            let begin = std::time::Instant::now();
            (0..TIMES).for_each(|_| run());
            begin.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES)
        });
        println!("FIGURE {what}: {:.1} ns", best.fold(f64::MAX, f64::min));
    }
    use std::hint::black_box;
    let ty = DynamicType::of::<Fixed>().unwrap();
    let plan = KeyPlan::new(&ty);
    let member = MemberPath::new(&ty, "second").unwrap();
    let bytes = payload(&Fixed::default(), Xcdr::V1, Endianness::Little);
    time("key hash, five runs of numbers at fixed places", || {
        black_box(plan.key_hash(black_box(&bytes)).unwrap());
    });
    let mut types = TypeTreeBuilder::new();
    let number = types.structure("Number", Extensibility::Final);
    let number = number.member("id", TypeIndex::UINT32).key().finish();
    let number = KeyPlan::new(&types.build(number).unwrap());
    time("key hash, one number at a fixed place", || {
        black_box(number.key_hash(black_box(&bytes)).unwrap());
    });
    time("member, fixed place", || {
        black_box(member.locate(black_box(&bytes)).unwrap());
    });
    time("validate a small type", || {
        black_box(ty.validate(black_box(&bytes))).unwrap();
    });
    let ty = DynamicType::of::<Big>().unwrap();
    let plan = KeyPlan::new(&ty);
    let member = MemberPath::new(&ty, "number").unwrap();
    let bytes = payload(&Big::default(), Xcdr::V1, Endianness::Little);
    time("key hash of a string and a nested key", || {
        black_box(plan.key_hash(black_box(&bytes)).unwrap());
    });
    time("member behind a string", || {
        black_box(member.locate(black_box(&bytes)).unwrap());
    });
    let ty = DynamicType::of::<FixedMutable>().unwrap();
    let member = MemberPath::new(&ty, "second").unwrap();
    let bytes = payload(&FixedMutable::default(), Xcdr::V2, Endianness::Little);
    time("member of a mutable type", || {
        black_box(member.locate(black_box(&bytes)).unwrap());
    });
}
