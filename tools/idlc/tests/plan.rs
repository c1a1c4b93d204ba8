//! Whoever follows a codec plan writes what `dunlin_cdr` writes.

#[path = "../../../crates/cdr/tests/common/values.rs"]
mod bigs;
#[path = "../../../crates/cdr/tests/common/mod.rs"]
mod common;
#[path = "../../../crates/xtypes/tests/derived/types.rs"]
#[allow(dead_code)]
mod types;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use bigs::big;
use bytes::BytesMut;
use common::{Final, Mutable};
use dunlin_cdr::{Topic, Xcdr, key_hash, key_to_payload_as, to_payload_as};
use dunlin_derive::{Data, Topic};
use dunlin_idlc::plan::{Form, Part, Plan, RoutineId, Step};
use dunlin_idlc::{Options, dump, parse_file, parse_str};
use dunlin_xtypes::{DynamicType, KeyPlan};
use proptest::prelude::*;
use types::*;
use values::{WORLDS, form, key_of_hash, payload, read};

/// What the derived code writes is what the plan says: values, keys, hashes and largest sizes.
fn agree<T: Topic>(value: &T) {
    let ty = DynamicType::of::<T>().unwrap();
    let plan = Plan::new(ty.tree(), [ty.index()]);
    for (xcdr, endianness) in WORLDS {
        let mut written = BytesMut::new();
        to_payload_as(value, xcdr, endianness, &mut written).unwrap();
        let found = read::payload(&ty, &written).unwrap();
        let followed = payload(&plan, &ty, &found, Part::Whole, (xcdr, endianness));
        assert_eq!(followed, written, "{xcdr:?} {endianness:?}");
        let mut key = BytesMut::new();
        key_to_payload_as(value, xcdr, endianness, &mut key).unwrap();
        let followed = payload(&plan, &ty, &found, Part::Key, (xcdr, endianness));
        assert_eq!(followed, key, "the key in {xcdr:?} {endianness:?}");
        if ty.has_key() {
            hash(value, &ty, &key_of_hash(&plan, &ty, &found), &plan);
        }
    }
}

fn hash<T: Topic>(value: &T, ty: &DynamicType, key: &[u8], plan: &Plan) {
    let id = RoutineId {
        ty: ty.index(),
        form: Form::KeyHash,
        part: Part::Key,
    };
    let most = plan.routine(id).unwrap().max_size;
    let fits = most.is_some_and(|most| most <= 16);
    assert_eq!(fits, KeyPlan::new(ty).fits_hash());
    if fits {
        let mut filled = key.to_vec();
        filled.resize(16, 0);
        assert_eq!(filled, key_hash(value).unwrap());
    } else {
        use md5::Digest;
        assert_eq!(md5::Md5::digest(key)[..], key_hash(value).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn types_with_everything_in_them(big in big(8)) {
        agree(&Final(big.clone()).into_topic());
        agree(&Mutable(big.clone()).into_topic());
        agree(&big);
    }

    #[test]
    fn numbers_of_all_kinds(value in numbers()) {
        agree(&value);
    }

    #[test]
    fn keys_of_all_kinds(keys in keys()) {
        agree(&keys.fixed);
        agree(&keys.fixed_mutable);
        agree(&keys.deep);
        agree(&keys.deep_mutable);
        agree(&keys.long);
        agree(&keys.collections);
        agree(&keys.collections_mutable);
        agree(&keys.unions);
        agree(&keys.short_text);
        agree(&keys.optionals);
        agree(&keys.optionals_mutable);
        agree(&keys.grids);
    }
}

#[derive(Topic, Debug, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Long {
    bytes: Vec<u8>,
    #[topic(id = 16_128)]
    last_short: Option<u16>,
    #[topic(id = 16_129)]
    first_long: Option<u16>,
}

#[test]
fn parameters_become_long_by_their_id_and_by_their_length() {
    for length in [0, 65_531, 65_532, 70_000] {
        agree(&Long {
            bytes: vec![1; length],
            last_short: Some(2),
            first_long: Some(3),
        });
    }
}

#[derive(Data, Debug, Clone, Copy)]
#[topic(crate = "dunlin_cdr", extensibility = "final", plain)]
#[repr(C)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Topic, Debug, Clone, Copy)]
#[topic(crate = "dunlin_cdr", plain)]
#[repr(C)]
struct Camera {
    #[key]
    id: u32,
    number: u32,
    taken: u64,
    corner: Point,
    pixels: [u8; 16],
}

#[derive(Topic, Debug, Clone, Copy)]
#[topic(crate = "dunlin_cdr", plain)]
#[repr(C)]
struct Corners {
    corners: [Point; 4],
}

fn plain<T: Topic>(value: &T) {
    agree(value);
    let ty = DynamicType::of::<T>().unwrap();
    let plan = Plan::new(ty.tree(), [ty.index()]);
    let layout = T::PLAIN.unwrap();
    assert_eq!(plan.is_plain(&ty, Form::Xcdr1), layout.xcdr1);
    assert_eq!(plan.is_plain(&ty, Form::Xcdr2), layout.xcdr2);
    for (xcdr, is_plain) in [(Xcdr::V1, layout.xcdr1), (Xcdr::V2, layout.xcdr2)] {
        let id = RoutineId {
            ty: ty.index(),
            form: form(xcdr),
            part: Part::Whole,
        };
        let most = plan.routine(id).unwrap().max_size.unwrap();
        let has_dheader = u64::from(xcdr == Xcdr::V2) * 4;
        assert_eq!(is_plain, most == layout.size as u64 + has_dheader);
    }
}

#[test]
fn plain_types_are_those_of_the_derive() {
    let point = Point { x: 1.0, y: -2.0 };
    plain(&Camera {
        id: 1,
        number: 2,
        taken: 3,
        corner: point,
        pixels: [7; 16],
    });
    plain(&Corners {
        corners: [point; 4],
    });
}

fn text(idl: &str) -> String {
    let parsed = parse_str("plan.idl", idl, &Options::default());
    let model = parsed.model.as_ref().expect("it has no mistakes");
    let text = dump::plan(model, &dump::Selection::default());
    let again = dump::plan(model, &dump::Selection::default());
    assert_eq!(text, again);
    text
}

fn planned(idl: &str) -> serde_json::Value {
    serde_json::from_str(&text(idl)).unwrap()
}

/// The routine of a type in a form, and its largest size.
fn routine<'p>(plan: &'p serde_json::Value, name: &str, form: &str) -> &'p serde_json::Value {
    let types = plan["types"].as_array().unwrap();
    let ty = types.iter().find(|ty| ty["name"] == name).unwrap();
    let routines = ty["routines"].as_array().unwrap();
    let mut routines = routines.iter();
    let is_wanted = |of: &&serde_json::Value| of["form"] == form && of["part"] == "whole";
    routines.find(is_wanted).unwrap()
}

#[test]
fn fixed_members_are_one_run_with_those_of_nested_structs() {
    let plan = planned(
        "@final struct P { octet a; double x; };
         @final struct S { long id; P p[2]; P q; short s; string t; long after; };",
    );
    let places = |of: &serde_json::Value| -> BTreeMap<String, u64> {
        let fields = of["fields"].as_array().unwrap().iter();
        let place = |of: &serde_json::Value| (of["path"].to_string(), of["at"].as_u64().unwrap());
        fields.map(place).collect()
    };
    let one = routine(&plan, "S", "xcdr1");
    let steps = one["aligned"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|s| s["step"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["run", "loop", "run", "string", "run"]);
    let expected =
        |places: [(&str, u64); 3]| places.map(|(path, at)| (path.to_string(), at)).into();
    // Each element ends behind a double, so `q` begins at a multiple of 8.
    let found: BTreeMap<String, u64> = expected([("\"q.a\"", 0), ("\"q.x\"", 8), ("\"s\"", 16)]);
    assert_eq!(places(&steps[2]), found);
    let two = routine(&plan, "S", "xcdr2");
    let steps = two["aligned"].as_array().unwrap();
    assert_eq!(steps[1]["step"], "delimited");
    assert_eq!(steps[1]["content"], 24);
    let found = expected([("\"q.a\"", 0), ("\"q.x\"", 4), ("\"s\"", 12)]);
    assert_eq!(places(&steps[2]), found);
    assert_eq!(two["max_size"], serde_json::Value::Null);
    assert_eq!(routine(&plan, "P", "xcdr1")["max_size"], 16);
    assert_eq!(routine(&plan, "P", "xcdr2")["max_size"], 12);
}

#[test]
fn sizes_are_the_largest() {
    let plan = planned(
        "@final struct Text { string<5> s; long a; };
         @final struct Many { sequence<Text, 3> all; octet o; };
         @final union U switch (octet) { case 1: double d; case 2: string<1> s; };
         @final struct Wide { @optional U u; wstring<3> w; map<octet, short, 2> m; };
         @mutable struct Loose { @id(20000) octet a; @id(1) long b; };
         @final struct Endless { sequence<Endless, 1> inner; };",
    );
    let most = |name: &str, form: &str| routine(&plan, name, form)["max_size"].as_u64();
    // 4 + 6 bytes of text, 2 of padding, 4.
    assert_eq!(most("Text", "xcdr1"), Some(16));
    assert_eq!(most("Many", "xcdr1"), Some(4 + 3 * 16 + 1));
    assert_eq!(most("Many", "xcdr2"), Some(8 + 3 * 16 + 1));
    assert_eq!(most("U", "xcdr1"), Some(16));
    assert_eq!(most("U", "xcdr2"), Some(12));
    // A parameter of 16 bytes, a text of 6, the length of a map, and 0, 2..4, 4, 6..8.
    assert_eq!(most("Wide", "xcdr1"), Some(20 + 10 + 2 + 4 + 8));
    // A flag, 3 bytes of padding too: the discriminator is at 1, the double at 4.
    assert_eq!(most("Wide", "xcdr2"), Some(12 + 10 + 2 + 4 + 8));
    // A long header, one byte, a short header, a sentinel.
    assert_eq!(most("Loose", "xcdr1"), Some(12 + 1 + 3 + 4 + 4 + 4));
    assert_eq!(most("Loose", "xcdr2"), Some(4 + 4 + 1 + 3 + 4 + 4));
    assert_eq!(most("Endless", "xcdr2"), None);
}

#[test]
fn types_that_use_each_other_twice_at_every_level_stay_small() {
    let mut idl = String::from("@final struct S0 { long a; };\n");
    for n in 1..60 {
        let inner = n - 1;
        idl.push_str(&format!("@final struct S{n} {{ S{inner} a, b; }};\n"));
    }
    let plan = planned(&idl);
    assert_eq!(routine(&plan, "S20", "xcdr2")["max_size"], 4 << 20);
    assert_eq!(
        routine(&plan, "S59", "xcdr2")["max_size"],
        serde_json::Value::Null
    );
    assert!(plan.to_string().len() < 400_000);
}

#[test]
fn collections_within_collections_take_no_more_work_than_they_have_parts() {
    let mut of = String::from("P");
    let mut idl = String::from("@final struct P { octet a; double x; };\ntypedef P A0[2];\n");
    for n in 1..30 {
        of = format!("sequence<{of}>");
        let inner = n - 1;
        idl.push_str(&format!("typedef A{inner} A{n}[2];\n"));
    }
    idl.push_str(&format!("@final struct S {{ {of} deep; A29 wide; }};\n"));
    let length = text(&idl).len();
    assert!(length < 1_000_000, "{length}");
}

/// Each call leads to a routine, in each of the steps.
fn calls(plan: &Plan, form: Form, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Call { to, .. } => {
                assert_eq!(to.form, form);
                assert!(plan.routine(*to).is_some());
            }
            Step::Loop { elements, .. } => calls(plan, form, elements),
            Step::Delimited { steps, .. }
            | Step::ParameterList { steps }
            | Step::Optional { steps, .. }
            | Step::External { steps, .. } => calls(plan, form, steps),
            Step::Member(of) => calls(plan, form, &of.steps),
            Step::Switch { cases } => cases.iter().for_each(|of| calls(plan, form, &of.steps)),
            Step::Run(_) | Step::Text { .. } => {}
        }
    }
}

#[test]
fn all_types_of_the_corpus_have_a_plan() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good");
    let mut routines = 0;
    for file in fs::read_dir(folder).unwrap() {
        let parsed = parse_file(&file.unwrap().path(), &Options::default());
        let Some(model) = &parsed.model else { continue };
        let plan = Plan::new(&model.tree, model.types.iter().map(|entry| entry.index));
        for (id, routine) in plan.routines() {
            calls(&plan, id.form, &routine.aligned);
            calls(&plan, id.form, &routine.anywhere);
            routines += 1;
        }
        let text = dump::plan(model, &dump::Selection::default());
        let _: serde_json::Value = serde_json::from_str(&text).unwrap();
    }
    assert!(routines > 100, "{routines}");
}

#[derive(Data, Debug, Clone, Copy)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Swapped {
    #[topic(id = 9)]
    left: u8,
    #[topic(id = 3)]
    right: u32,
}

/// By the ids of the members of an element it would be 14 bytes.
#[derive(Topic, Debug)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Seventeen {
    #[key]
    a: u32,
    #[key]
    swapped: [Swapped; 1],
    #[key]
    c: u8,
}

#[test]
fn members_of_elements_are_in_the_order_of_their_declaration_in_keys_too() {
    let value = Seventeen {
        a: 1,
        swapped: [Swapped { left: 2, right: 3 }],
        c: 4,
    };
    let ty = DynamicType::of::<Seventeen>().unwrap();
    let plan = Plan::new(ty.tree(), [ty.index()]);
    let world = (Xcdr::V2, dunlin_cdr::Endianness::Big);
    let mut written = BytesMut::new();
    to_payload_as(&value, world.0, world.1, &mut written).unwrap();
    let found = read::payload(&ty, &written).unwrap();
    let key = key_of_hash(&plan, &ty, &found);
    assert_eq!(key, [0, 0, 0, 1, 0, 0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 3, 4]);
    use md5::Digest;
    assert_eq!(md5::Md5::digest(&key)[..], key_hash(&value).unwrap());
    let idl = "@final struct Swapped { @id(9) octet left; @id(3) unsigned long right; };
        @final struct Seventeen { @key unsigned long a; @key Swapped swapped[1]; @key octet c; };";
    let plan = planned(idl);
    let types = plan["types"].as_array().unwrap();
    let ty = types.iter().find(|ty| ty["name"] == "Seventeen").unwrap();
    assert_eq!(ty["key_fits_hash"], false);
}
