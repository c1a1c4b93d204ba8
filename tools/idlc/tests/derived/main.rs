//! A derived type is the type that IDL makes, and its values are written alike.

mod construct;
mod members;
mod numbers;

use std::fmt::Debug;

use bytes::BytesMut;
use dunlin_cdr::{
    Endianness, Layout, Topic, Xcdr, from_payload, key_from_payload, key_hash, key_to_payload_as,
    to_payload_as,
};
use dunlin_idlc::{Options, parse_str};
use dunlin_xtypes::{DynamicType, EquivalenceKind, KeyPlan, idl};

const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

/// The type of that name in IDL.
#[track_caller]
fn parsed(idl: &str, name: &str) -> DynamicType {
    let parsed = parse_str("derived.idl", idl, &Options::default());
    let model = parsed.model.as_ref();
    let model = model.unwrap_or_else(|| panic!("{}", parsed.rendered()));
    model.find(name).expect("it is there")
}

/// The definitions, each of which has a `;` and a line break behind it, in any order.
fn definitions(ty: &DynamicType) -> Vec<String> {
    let text = idl::print(ty.tree());
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// The Rust type is the one in IDL: by its hashes, and by what is in no hash.
#[track_caller]
fn same<T: Layout>(idl: &str) -> DynamicType {
    let derived = DynamicType::of::<T>().unwrap();
    let expected = parsed(idl, derived.name());
    for kind in [EquivalenceKind::Complete, EquivalenceKind::Minimal] {
        let found = derived.type_identifier(kind).unwrap();
        let wanted = expected.type_identifier(kind).unwrap();
        let (one, other) = (definitions(&derived), definitions(&expected));
        assert_eq!(found, wanted, "{kind:?}\n{one:#?}\n{other:#?}");
    }
    assert_eq!(definitions(&derived), definitions(&expected));
    derived
}

/// What is written is read back, and is what the type in IDL has.
#[track_caller]
fn round_trip<T: Topic + Debug + PartialEq>(idl: &str, value: &T) {
    let derived = same::<T>(idl);
    let expected = parsed(idl, derived.name());
    let plan = KeyPlan::new(&expected);
    for (xcdr, endianness) in WORLDS {
        let mut bytes = BytesMut::new();
        to_payload_as(value, xcdr, endianness, &mut bytes).unwrap();
        assert_eq!(&from_payload::<T>(&bytes).unwrap(), value);
        expected.validate(&bytes).unwrap();
        assert_eq!(plan.key_hash(&bytes).unwrap(), key_hash(value).unwrap());
        let mut key = BytesMut::new();
        key_to_payload_as(value, xcdr, endianness, &mut key).unwrap();
        let key: T = key_from_payload(&key).unwrap();
        assert_eq!(key_hash(&key).unwrap(), key_hash(value).unwrap());
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let read = from_payload::<T>(cut)
                .map(|_| ())
                .map_err(|e| e.to_string());
            let valid = expected.validate(cut).map_err(|e| e.to_string());
            assert_eq!(
                read.is_ok(),
                valid.is_ok(),
                "{xcdr:?} {end} {read:?} {valid:?}"
            );
        }
        for more in 1..=9 {
            let mut longer = bytes.to_vec();
            longer.resize(bytes.len() + more, 0x11);
            let (read, valid) = (from_payload::<T>(&longer), expected.validate(&longer));
            assert_eq!(
                read.is_ok(),
                valid.is_ok(),
                "{xcdr:?} {more} {read:?} {valid:?}"
            );
        }
    }
}
