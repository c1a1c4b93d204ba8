//! TypeObjects and identifiers, byte by byte. Hashes that other products compute are in
//! `tests/vectors/types`.

use dunlin_cdr::Endianness::{Big, Little};
use dunlin_cdr::Extensibility::{Appendable, Final, Mutable};
use dunlin_xtypes::EquivalenceKind::{Complete, Minimal};
use dunlin_xtypes::{
    AutoId, DynamicType, Element, EquivalenceHash, EquivalenceKind, TryConstruct, TypeIdentifier,
    TypeIndex, TypeKind, TypeObjectError, TypeTreeBuilder, limits,
};

fn built(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let root = build(&mut types);
    types.build(root).unwrap()
}

fn identifier(ty: &DynamicType, kind: EquivalenceKind) -> TypeIdentifier {
    ty.type_identifier(kind).unwrap()
}

fn hash(ty: &DynamicType, kind: EquivalenceKind) -> String {
    match identifier(ty, kind) {
        TypeIdentifier::Hash(of, hash) if of == kind => hash.to_string(),
        TypeIdentifier::Component(of) if of.kind == kind => of.hash.to_string(),
        other => panic!("{other:?} has no hash of its own"),
    }
}

fn object(ty: &DynamicType, kind: EquivalenceKind) -> Vec<u8> {
    ty.type_object(kind).unwrap().unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(char::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs
        .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
        .collect()
}

fn ou(types: &mut TypeTreeBuilder) -> TypeIndex {
    types
        .structure("ou", Final)
        .member("id", TypeIndex::INT32)
        .key()
        .member("ts", TypeIndex::UINT64)
        .member("s", TypeIndex::UINT32)
        .finish()
}

fn node(types: &mut TypeTreeBuilder) -> TypeIndex {
    let node = types.declare("Node");
    let children = types.sequence(node, 0);
    types
        .define_structure(node, Appendable)
        .member("value", TypeIndex::INT32)
        .member("children", children)
        .finish()
}

#[test]
fn ou_is_what_others_write() {
    assert_eq!(
        object(&built(ou), Minimal),
        bytes(
            "43000000 f1510100 01000000 00 000000 33000000 03000000
             0b000000 00000000 2100 04 b80bb774 00
             0b000000 01000000 0100 08 4d682ec4 00
             0b000000 02000000 0100 07 03c7c0ac"
        )
    );
}

fn value(types: &mut TypeTreeBuilder) -> TypeIndex {
    let text = types.string(0);
    types
        .union("Golden::Value", Appendable, TypeIndex::INT32)
        .case("a", TypeIndex::INT32, &[1])
        .case("b", text, &[2])
        .case("d", TypeIndex::FLOAT64, &[])
        .default()
        .finish()
}

#[test]
fn a_union_as_cyclone_writes_it_differs_in_flags_and_ids_alone() {
    // The flags of the discriminator, and the ids of three members that begin with 1 here.
    for (kind, expected) in [
        (Minimal, "62dac6a9b0e7765899c6f3daecac"),
        (Complete, "ae1e960449b58b802cc81b7a8942"),
    ] {
        let mut bytes = object(&built(value), kind);
        let mut places = Vec::new();
        for (id, flags, type_id) in [(1_u8, 1_u8, 4_u8), (2, 1, 0x70), (3, 0x41, 0x0a)] {
            let common = [id, 0, 0, 0, flags, 0, type_id];
            let at = bytes.windows(7).position(|found| found == common).unwrap();
            places.push((at, id - 1));
        }
        let discriminator = bytes
            .windows(3)
            .position(|found| found == [1, 0, 4])
            .unwrap();
        assert!(discriminator < places[0].0);
        bytes[discriminator] = 0x11;
        for (at, id) in places {
            bytes[at] = id;
        }
        assert_eq!(EquivalenceHash::of(&bytes).to_string(), expected);
    }
}

#[test]
fn a_type_that_refers_to_itself_is_a_component_of_one() {
    let TypeIdentifier::Component(of) = identifier(&built(node), Complete) else {
        panic!("no component");
    };
    assert_eq!((of.length, of.index), (1, 1));
}

fn id_bytes(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> Vec<u8> {
    identifier(&built(build), Minimal).to_bytes(Little)
}

#[test]
fn small_bounds_are_one_octet_and_no_bound_is_small() {
    assert_eq!(id_bytes(|_| TypeIndex::INT8), [0x0c]);
    assert_eq!(id_bytes(|types| types.string(0)), [0x70, 0]);
    assert_eq!(id_bytes(|types| types.string(255)), [0x70, 255]);
    assert_eq!(
        id_bytes(|types| types.string(256)),
        [0x71, 0, 0, 0, 0, 1, 0, 0]
    );
    assert_eq!(id_bytes(|types| types.wide_string(9)), [0x72, 9]);
    assert_eq!(
        id_bytes(|types| types.wide_string(300)),
        [0x73, 0, 0, 0, 0x2c, 1, 0, 0]
    );
}

#[test]
fn collections_of_what_is_fully_described_are_so_too() {
    // The kind is EK_BOTH, and the flags of an element are never 0.
    assert_eq!(
        id_bytes(|types| types.sequence(TypeIndex::INT32, 10)),
        [0x80, 0xf3, 1, 0, 10, 4]
    );
    assert_eq!(
        id_bytes(|types| types.sequence(TypeIndex::INT32, 1000)),
        bytes("81f30100 e8030000 04")
    );
    assert_eq!(
        id_bytes(|types| {
            let key = types.string(0);
            types.map(key, TypeIndex::FLOAT64, 0)
        }),
        bytes("a0f3 0100 00 0a 0100 7000")
    );
    for kind in [Minimal, Complete] {
        let ty = built(|types| types.sequence(TypeIndex::INT32, 0));
        assert_eq!(identifier(&ty, kind).equivalence_kind(), None);
        assert_eq!(ty.type_object(kind), Ok(None));
    }
}

#[test]
fn an_array_is_small_only_if_all_dimensions_are() {
    assert_eq!(
        id_bytes(|types| types.array(TypeIndex::INT32, &[2, 255])),
        bytes("90f30100 02000000 02ff 04")
    );
    assert_eq!(
        id_bytes(|types| types.array(TypeIndex::INT32, &[2, 256])),
        bytes("91f30100 02000000 02000000 00010000 04")
    );
}

#[test]
fn collections_of_hashed_types_are_of_the_kind_of_the_hash() {
    let ty = built(|types| {
        let of = ou(types);
        types.sequence(of, 0)
    });
    let hash = "5a3c0c46e4529da3ac2f9f6e5b40";
    assert_eq!(
        identifier(&ty, Minimal).to_bytes(Little),
        bytes(&format!("80f1 0100 00 f1 {hash}"))
    );
    assert_eq!(identifier(&ty, Complete).equivalence_kind(), Some(Complete));
    // The sequence has no TypeObject, but what it is of has.
    let all = ty.type_objects(Minimal).unwrap();
    let identifiers: Vec<_> = all.iter().map(|(of, _)| of.to_bytes(Big)).collect();
    assert_eq!(identifiers, [bytes(&format!("f1 {hash}"))]);
}

#[test]
fn external_and_try_construct_of_elements_are_in_the_identifier() {
    let element = Element {
        ty: TypeIndex::INT32,
        try_construct: TryConstruct::Trim,
        is_external: true,
    };
    assert_eq!(
        id_bytes(|types| types.sequence(element, 0)),
        [0x80, 0xf3, 7, 0, 0, 4]
    );
}

#[test]
fn aliases_stay_and_their_empty_header_has_a_length() {
    let ty = built(|types| types.alias("Age", TypeIndex::UINT16));
    assert_eq!(
        object(&ty, Minimal),
        bytes("0f000000 f1 30 0000 00000000 03000000 0000 06")
    );
    let holder = built(|types| {
        let age = types.alias("Age", TypeIndex::UINT16);
        types.structure("S", Final).member("age", age).finish()
    });
    let alias = hash(&ty, Minimal);
    let all = object(&holder, Minimal);
    let within = bytes(&alias);
    assert!(all.windows(14).any(|found| found == within));
}

#[test]
fn nested_and_hashed_ids_are_said_in_minimal_objects_too() {
    let ty = built(|types| {
        types
            .structure("S", Mutable)
            .nested()
            .auto_id(AutoId::Hash)
            .member("a", TypeIndex::INT32)
            .finish()
    });
    for kind in [Minimal, Complete] {
        assert_eq!(object(&ty, kind)[6..8], [0x1c, 0]);
    }
}

/// Places of name hashes in a minimal TypeObject, in the order of the bytes.
fn order(object: &[u8], names: &[&str]) -> Vec<usize> {
    let place = |name: &str| {
        let hash = {
            use md5::Digest as _;
            md5::Md5::digest(name.as_bytes())
        };
        object.windows(4).position(|found| found == &hash[..4])
    };
    names.iter().map(|name| place(name).unwrap()).collect()
}

#[test]
fn members_are_in_the_order_of_their_declaration() {
    let ty = built(|types| {
        types
            .structure("S", Mutable)
            .member("late", TypeIndex::INT32)
            .id(9)
            .member("early", TypeIndex::INT32)
            .id(3)
            .finish()
    });
    assert!(order(&object(&ty, Minimal), &["late", "early"]).is_sorted());
}

#[test]
fn literals_are_in_the_order_of_their_values_and_one_is_the_default() {
    let literals = [("HIGH", 9), ("LOW", -3), ("MIDDLE", 4)];
    let of = |default| {
        let ty = built(|types| types.enumeration("E", Appendable, 32, &literals, default));
        object(&ty, Minimal)
    };
    let first = of(None);
    let places = order(&first, &["LOW", "MIDDLE", "HIGH"]);
    assert!(places.is_sorted());
    let flags = |object: &[u8]| places.iter().map(|at| object[at - 2]).collect::<Vec<_>>();
    assert_eq!(flags(&first), [0, 0, 0x40]);
    assert_eq!(flags(&of(Some(-3))), [0x40, 0, 0]);
    assert_eq!(first[6..8], [2, 0]);
}

#[test]
fn flags_are_in_the_order_of_their_positions() {
    let ty = built(|types| types.bitmask("B", Appendable, 8, &[("b", 5), ("a", 1)]));
    // The bitmask itself is appendable, and so are its header and its flags.
    assert_eq!(
        object(&ty, Minimal),
        bytes(
            "34000000 f1 41 0000 2c000000 0200 0000 02000000 0800 0000
             1c000000 02000000
             08000000 0100 0000 0cc175b9
             08000000 0500 0000 92eb5ffe"
        )
    );
}

#[test]
fn a_bitset_says_positions_sizes_and_holders() {
    let ty = built(|types| types.bitset("B", &[("a", 0, 3, TypeKind::UInt8)]));
    assert_eq!(
        object(&ty, Minimal),
        bytes(
            "26000000 f1 53 0000 1e000000 0000 0000 00000000
             12000000 01000000 0a000000 0000 0000 03 0d 0cc175b9"
        )
    );
}

#[test]
fn a_key_does_not_say_must_understand() {
    let ty = built(|types| {
        types
            .structure("S", Mutable)
            .member("a", TypeIndex::INT32)
            .key()
            .member("b", TypeIndex::INT32)
            .must_understand()
            .optional()
            .finish()
    });
    let all = object(&ty, Minimal);
    let places = order(&all, &["a", "b"]);
    let flags: Vec<u8> = places.iter().map(|at| all[at - 3]).collect();
    assert_eq!(flags, [0x21, 0x19]);
}

fn ring(types: &mut TypeTreeBuilder) -> [TypeIndex; 3] {
    let (b, a) = (types.declare("M::B"), types.declare("M::A"));
    let many = types.sequence(b, 0);
    types.define_structure(a, Final).member("bs", many).finish();
    let many = types.array(a, &[1]);
    let optional = types.define_structure(b, Final).member("as", many);
    optional.optional().finish();
    let outside = types.structure("M::Outside", Final).member("a", a).finish();
    [a, b, outside]
}

#[test]
fn types_that_refer_to_each_other_have_one_hash_whichever_is_asked_for() {
    let component = |n: usize, kind| match identifier(&built(|types| ring(types)[n]), kind) {
        TypeIdentifier::Component(of) => of,
        other => panic!("{other:?}"),
    };
    for kind in [Minimal, Complete] {
        let (a, b) = (component(0, kind), component(1, kind));
        assert_eq!((a.length, a.index, b.length, b.index), (2, 1, 2, 2));
        assert_eq!((a.kind, a.hash), (kind, b.hash));
        assert_ne!(a.hash, EquivalenceHash::default());
        // The objects refer to each other by the hash, not by the zeros that were hashed.
        let ty = built(|types| ring(types)[0]);
        let within = identifier(&ty, kind);
        let all = ty.type_objects(kind).unwrap();
        assert_eq!(all.iter().count(), 2);
        for (_, object) in all.iter() {
            assert!(object.windows(14).any(|found| found == a.hash.0));
        }
        assert!(all.object(&within).is_some());
    }
    // What refers to them and to which they do not refer is none of them.
    let outside = built(|types| ring(types)[2]);
    assert!(matches!(
        identifier(&outside, Minimal),
        TypeIdentifier::Hash(Minimal, _)
    ));
    let count = outside.type_information().unwrap();
    assert_eq!(count.minimal.dependent_typeid_count, 2);
}

#[test]
fn type_information_is_mutable_and_has_both_halves() {
    let information = built(|types| {
        let of = ou(types);
        types.structure("S", Final).member("o", of).finish()
    })
    .type_information()
    .unwrap();
    let little = information.to_bytes(Little);
    // A length, then two members with their lengths behind their headers.
    assert_eq!(little[..4], (little.len() as u32 - 4).to_le_bytes());
    assert_eq!(little[4..8], [0x01, 0x10, 0, 0x40]);
    let first = u32::from_le_bytes(little[8..12].try_into().unwrap());
    // The structure has a length of its own: it is appendable. So is the identifier with its size.
    assert_eq!(little[12..16], (first - 4).to_le_bytes());
    assert_eq!(little[16..20], [20, 0, 0, 0]);
    assert_eq!(little[20], 0xf1);
    let at = (12 + first as usize).next_multiple_of(4);
    assert_eq!(little[at..at + 4], [0x02, 0x10, 0, 0x40]);

    let dependencies = &information.minimal.dependent_typeids;
    assert_eq!(information.minimal.dependent_typeid_count, 1);
    assert_eq!(dependencies[0].typeobject_serialized_size, 0x47);
    assert_eq!(dependencies[0].type_id.equivalence_kind(), Some(Minimal));
    let big = information.to_bytes(Big);
    assert_eq!(
        (big.len(), &big[4..8]),
        (little.len(), &[0x40, 0, 0x10, 0x01][..])
    );
}

#[test]
fn dependencies_are_counted_beyond_those_that_are_listed() {
    let ty = built(|types| {
        let members: Vec<_> = (0..200)
            .map(|n| {
                let name = format!("m{n}");
                let ty = types.structure(&name, Final).member(&name, TypeIndex::INT8);
                ty.finish()
            })
            .collect();
        let mut all = types.structure("All", Final);
        for (n, member) in members.into_iter().enumerate() {
            all = all.member(&format!("m{n}"), member);
        }
        all.finish()
    });
    let complete = ty.type_information().unwrap().complete;
    assert_eq!(complete.dependent_typeid_count, 200);
    assert_eq!(complete.dependent_typeids.len(), limits::DEPENDENCIES);
    let all = ty.type_objects(Complete).unwrap();
    let listed = complete.dependent_typeids.iter().map(|one| &one.type_id);
    assert!(
        listed.eq(all
            .iter()
            .skip(1)
            .map(|(of, _)| of)
            .take(limits::DEPENDENCIES))
    );
}

#[test]
fn labels_beyond_32_bits_are_refused_by_name() {
    let of = |label| {
        let ty = built(|types| {
            types
                .union("U", Final, TypeIndex::INT64)
                .case("far", TypeIndex::INT8, &[label])
                .finish()
        });
        ty.type_identifier(Minimal)
    };
    assert!(of(i64::from(u32::MAX)).is_ok());
    assert!(of(i64::from(i32::MIN)).is_ok());
    let error = of(1 << 32).unwrap_err();
    for words in ["\"far\"", "\"U\"", "4294967296"] {
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_case_without_value_is_left_out_unless_it_would_select_the_default() {
    let of = |has_default| {
        built(|types| {
            let of = types
                .union("U", Appendable, TypeIndex::INT32)
                .case_without_value("nothing", &[0])
                .case("some", TypeIndex::INT8, &[1]);
            if has_default { of.default() } else { of }.finish()
        })
    };
    let without = built(|types| {
        types
            .union("U", Appendable, TypeIndex::INT32)
            .case("some", TypeIndex::INT8, &[1])
            .id(2)
            .finish()
    });
    assert_eq!(object(&of(false), Complete), object(&without, Complete));
    assert!(matches!(
        of(true).type_identifier(Minimal),
        Err(TypeObjectError::NoValue { .. })
    ));
}

#[test]
fn an_identifier_that_would_not_end_is_refused() {
    let ty = built(|types| {
        let mut of = TypeIndex::INT32;
        for _ in 0..60 {
            of = types.map(of, of, 0);
        }
        of
    });
    assert_eq!(
        ty.type_identifier(Minimal),
        Err(TypeObjectError::Identifier { collection: "map" })
    );
}

#[test]
fn a_long_chain_of_types_is_lowered_without_recursion() {
    let ty = built(|types| {
        let mut of = TypeIndex::INT32;
        for n in 0..20_000 {
            let many = types.sequence(of, 0);
            of = types
                .structure(&format!("T{n}"), Final)
                .member("next", many)
                .finish();
        }
        of
    });
    let all = ty.type_objects(Minimal).unwrap();
    assert_eq!(all.iter().count(), 20_000);
}

#[test]
fn identifiers_and_information_read_as_they_were_written() {
    let ty = built(|types| {
        let [a, _, outside] = ring(types);
        let text = types.string(300);
        let many = types.sequence(outside, 1000);
        let grid = types.array(many, &[2, 300]);
        let map = types.map(text, grid, 7);
        types
            .structure("S", Final)
            .member("a", a)
            .member("m", map)
            .finish()
    });
    let information = ty.type_information().unwrap();
    let map = ty.member_by_name("m").unwrap().element().ty;
    for endianness in [Little, Big] {
        let bytes = information.to_bytes(endianness);
        let again = dunlin_xtypes::TypeInformation::from_bytes(&bytes, endianness);
        assert_eq!(again, Ok(information.clone()));
        for end in 0..bytes.len() {
            let cut = dunlin_xtypes::TypeInformation::from_bytes(&bytes[..end], endianness);
            assert!(cut.is_err(), "{end}");
        }
        let map = identifier(&ty.at(map), Complete);
        let bytes = map.to_bytes(endianness);
        assert_eq!(TypeIdentifier::from_bytes(&bytes, endianness), Ok(map));
    }
}

#[test]
fn identifiers_that_lead_nowhere_are_refused() {
    let refused = |bytes: &[u8]| TypeIdentifier::from_bytes(bytes, Little).is_err();
    assert!(refused(&[]));
    assert!(refused(&[0x60]));
    assert!(refused(&bytes("90f30100 ffffffff 01")));
    assert!(refused(&[0x80].repeat(60_000)));
    assert!(refused(&[0xa0].repeat(60_000)));
}

#[test]
fn lengths_of_members_may_be_those_of_the_structures() {
    // As length code 5 says: the length behind the header is the DHEADER.
    let half =
        "24000000 14000000 f1 5a3c0c46e4529da3ac2f9f6e5b40 00 47000000 00000000 04000000 00000000";
    let mut all = bytes(&format!("2c000000 01100050 {half}"));
    assert_eq!(all.len(), 48);
    let read = dunlin_xtypes::TypeInformation::from_bytes(&all, Little).unwrap();
    assert_eq!(
        read.minimal.typeid_with_size.type_id,
        identifier(&built(ou), Minimal)
    );
    assert_eq!(read.complete.typeid_with_size.type_id, TypeIdentifier::None);
    // A count of -1, as OpenDDS sends, is no error.
    all[36..40].fill(0xff);
    let read = dunlin_xtypes::TypeInformation::from_bytes(&all, Little).unwrap();
    assert_eq!(read.minimal.dependent_typeid_count, -1);
}
