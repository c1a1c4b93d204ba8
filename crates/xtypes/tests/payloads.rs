//! Payloads byte by byte: of types that Rust has no word for, and made to hurt.

use bytes::BytesMut;
use dunlin_cdr::Extensibility::{self, Appendable, Final, Mutable};
use dunlin_cdr::{Endianness, Error, Reader, Xcdr};
use dunlin_xtypes::{
    DynamicType, KeyPlan, MemberPath, TypeIndex, TypeKind, TypeTreeBuilder, Value, ValueError,
};

const CDR_LE: [u8; 4] = [0, 1, 0, 0];
const CDR2_BE: [u8; 4] = [0, 6, 0, 0];
const CDR2_LE: [u8; 4] = [0, 7, 0, 0];
const D_CDR2_LE: [u8; 4] = [0, 9, 0, 0];
const PL_CDR_LE: [u8; 4] = [0, 3, 0, 0];
const PL_CDR2_LE: [u8; 4] = [0, 11, 0, 0];

fn built(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let root = build(&mut types);
    types.build(root).unwrap()
}

/// A struct of one member.
fn one(
    extensibility: Extensibility,
    member: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex,
) -> DynamicType {
    built(|types| {
        let member = member(types);
        types
            .structure("S", extensibility)
            .member("a", member)
            .key()
            .finish()
    })
}

fn payload(header: [u8; 4], body: &[u8]) -> Vec<u8> {
    [&header, body].concat()
}

fn value<'p>(ty: &DynamicType, path: &str, payload: &'p [u8]) -> Option<Value<'p>> {
    let found = MemberPath::new(ty, path).unwrap().locate(payload).unwrap();
    found.map(|found| found.value().unwrap())
}

#[test]
fn bases_come_first_and_their_keys_count() {
    let ty = built(|types| {
        let base = types
            .structure("Base", Final)
            .member("a", TypeIndex::UINT16)
            .id(9)
            .key()
            .member("b", TypeIndex::UINT8)
            .finish();
        types
            .structure("Derived", Final)
            .base(base)
            .member("c", TypeIndex::UINT32)
            .id(3)
            .key()
            .finish()
    });
    let bytes = payload(CDR2_LE, &[2, 1, 3, 0, 7, 6, 5, 4]);
    ty.validate(&bytes).unwrap();
    assert_eq!(value(&ty, "c", &bytes), Some(Value::Unsigned(0x0405_0607)));
    let plan = KeyPlan::new(&ty);
    assert!(plan.is_fixed(Xcdr::V1) && plan.is_fixed(Xcdr::V2));
    let mut hash = [0; 16];
    hash[..6].copy_from_slice(&[4, 5, 6, 7, 1, 2]);
    assert_eq!(plan.key_hash(&bytes).unwrap(), hash);
    let mut key = BytesMut::new();
    plan.key_payload(&bytes, Xcdr::V2, Endianness::Big, &mut key)
        .unwrap();
    assert_eq!(key[..], payload(CDR2_BE, &[1, 2, 0, 0, 4, 5, 6, 7]));
    assert_eq!(plan.key_hash_of_key(&key).unwrap(), hash);
}

#[test]
fn numbers_that_rust_has_no_word_for() {
    let ty = built(|types| {
        let mask = types.bitmask("M", Final, 9, &[("low", 0), ("high", 8)]);
        let set = types.bitset(
            "B",
            &[("x", 0, 3, TypeKind::UInt8), ("y", 30, 5, TypeKind::UInt8)],
        );
        let mask = types.alias("Alias", mask);
        types
            .structure("S", Final)
            .member("octet", TypeIndex::BYTE)
            .member("mask", mask)
            .member("set", set)
            .member("long", TypeIndex::FLOAT128)
            .finish()
    });
    let long: [u8; 16] = std::array::from_fn(|n| n as u8);
    for (header, padding) in [(CDR_LE, 4), (CDR2_LE, 0)] {
        let mut body = vec![7, 0, 1, 1];
        body.resize(4 + padding, 0);
        body.extend_from_slice(&[1, 0, 0, 0, 2, 0, 0, 0]);
        body.extend_from_slice(&long);
        let bytes = payload(header, &body);
        ty.validate(&bytes).unwrap();
        assert_eq!(value(&ty, "octet", &bytes), Some(Value::Unsigned(7)));
        assert_eq!(value(&ty, "mask", &bytes), Some(Value::Unsigned(0x101)));
        assert_eq!(
            value(&ty, "set", &bytes),
            Some(Value::Unsigned(0x2_0000_0001))
        );
        let mut reversed = long;
        reversed.reverse();
        assert_eq!(value(&ty, "long", &bytes), Some(Value::Float128(reversed)));
        let mut unknown = bytes.clone();
        unknown[6] = 3;
        let error = ValueError::UnknownBits {
            bits: 0x103,
            mask: 0x101,
        };
        assert_eq!(ty.validate(&unknown), Err(error));
    }
}

#[test]
fn wide_strings_are_utf_16_with_their_length_in_bytes() {
    let ty = one(Final, |types| types.wide_string(2));
    let good = payload(CDR2_LE, &[4, 0, 0, 0, 0x3d, 0xd8, 0x00, 0xde]);
    ty.validate(&good).unwrap();
    let mut key = BytesMut::new();
    KeyPlan::new(&ty)
        .key_payload(&good, Xcdr::V2, Endianness::Big, &mut key)
        .unwrap();
    assert_eq!(
        key[..],
        payload(CDR2_BE, &[0, 0, 0, 4, 0xd8, 0x3d, 0xde, 0x00])
    );
    for bad in [&[2, 0, 0, 0, 0x3d, 0xd8][..], &[1, 0, 0, 0, 0x3d]] {
        assert_eq!(
            ty.validate(&payload(CDR2_LE, bad)),
            Err(ValueError::NotUtf16)
        );
    }
    let long = payload(CDR2_LE, &[6, 0, 0, 0, 97, 0, 98, 0, 99, 0]);
    let error = Error::BoundExceeded {
        length: 3,
        bound: 2,
    };
    assert_eq!(ty.validate(&long), Err(error.into()));
}

#[test]
fn an_array_of_an_alias_of_an_array_is_an_array_of_arrays() {
    let ty = one(Final, |types| {
        let row = types.array(TypeIndex::UINT16, &[2]);
        let row = types.alias("Row", row);
        types.array(row, &[2])
    });
    // Its elements are not primitive: there is a DHEADER.
    let bytes = payload(CDR2_LE, &[8, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0]);
    ty.validate(&bytes).unwrap();
    assert_eq!(value(&ty, "a[1][0]", &bytes), Some(Value::Unsigned(3)));
    let flat = one(Final, |types| types.array(TypeIndex::UINT16, &[2, 2]));
    let bytes = payload(CDR2_LE, &[1, 0, 2, 0, 3, 0, 4, 0]);
    flat.validate(&bytes).unwrap();
    assert_eq!(value(&flat, "a[1][0]", &bytes), Some(Value::Unsigned(3)));
}

#[test]
fn values_that_a_type_does_not_have_are_refused() {
    let fails =
        |ty: &DynamicType, header, body: &[u8]| ty.validate(&payload(header, body)).unwrap_err();
    let boolean = one(Final, |_| TypeIndex::BOOLEAN);
    assert_eq!(fails(&boolean, CDR_LE, &[2]), Error::InvalidBool(2).into());
    let color = one(Final, |t| {
        t.enumeration("C", Final, 8, &[("A", 1), ("B", -2)], None)
    });
    boolean.validate(&payload(CDR_LE, &[1])).unwrap();
    color.validate(&payload(CDR_LE, &[0xfe])).unwrap();
    assert_eq!(
        fails(&color, CDR_LE, &[0xff]),
        Error::UnknownEnumerator(-1).into()
    );
    let text = one(Final, |types| types.string(3));
    for (body, error) in [
        (&[0, 0, 0, 0][..], Error::StringTermination),
        (&[2, 0, 0, 0, b'a', b'b'], Error::StringTermination),
        (&[3, 0, 0, 0, b'a', 0, 0], Error::StringTermination),
        (&[2, 0, 0, 0, 0xff, 0], Error::NotUtf8),
        (
            &[5, 0, 0, 0, b'a', b'b', b'c', b'd', 0],
            Error::BoundExceeded {
                length: 4,
                bound: 3,
            },
        ),
    ] {
        assert_eq!(fails(&text, CDR_LE, body), error.into());
    }
    let octets = one(Final, |types| types.sequence(TypeIndex::BYTE, 2));
    let error = Error::BoundExceeded {
        length: 3,
        bound: 2,
    };
    assert_eq!(fails(&octets, CDR_LE, &[3, 0, 0, 0, 1, 2, 3]), error.into());
    let map = one(Final, |types| {
        types.map(TypeIndex::BYTE, TypeIndex::BOOLEAN, 1)
    });
    map.validate(&payload(CDR2_LE, &[1, 0, 0, 0, 9, 1]))
        .unwrap();
    assert_eq!(
        fails(&map, CDR2_LE, &[1, 0, 0, 0, 9, 7]),
        Error::InvalidBool(7).into()
    );
    let error = Error::BoundExceeded {
        length: 2,
        bound: 1,
    };
    assert_eq!(
        fails(&map, CDR2_LE, &[2, 0, 0, 0, 9, 1, 8, 1]),
        error.into()
    );
    // Up to three bytes are padding.
    boolean.validate(&payload(CDR_LE, &[1, 9, 9, 9])).unwrap();
    assert_eq!(
        fails(&boolean, CDR_LE, &[1, 0, 0, 0, 0]),
        ValueError::TrailingBytes(4)
    );
    // In XCDR1 an appendable value of a later version is longer, and nothing says by how much.
    let later = one(Appendable, |_| TypeIndex::BOOLEAN);
    later
        .validate(&payload(CDR_LE, &[1, 0, 0, 0, 7, 0, 0, 0]))
        .unwrap();
    fails(&later, CDR2_LE, &[1, 0, 0, 0, 7, 0, 0, 0]);
}

#[test]
fn unknown_members_pass_unless_they_must_be_understood() {
    let ty = one(Mutable, |_| TypeIndex::UINT8);
    let plan = KeyPlan::new(&ty);
    for (id, is_valid) in [(5, true), (0x4005, false)] {
        let [low, high] = u16::to_le_bytes(id);
        let body = [
            low, high, 4, 0, 1, 2, 3, 4, 0, 0x40, 1, 0, 9, 0, 0, 0, 2, 0x7f, 0, 0,
        ];
        let bytes = payload(PL_CDR_LE, &body);
        assert_eq!(ty.validate(&bytes).is_ok(), is_valid);
        assert_eq!(plan.key_hash(&bytes).is_ok(), is_valid);
        assert_eq!(value(&ty, "a", &bytes), Some(Value::Unsigned(9)));
    }
    let none = payload(PL_CDR2_LE, &[0, 0, 0, 0]);
    assert_eq!(plan.key_hash(&none), Err(ValueError::Missing(0)));
    assert_eq!(value(&ty, "a", &none), None);
}

#[test]
fn a_discriminator_that_selects_nothing_is_legal() {
    let ty = one(Final, |types| {
        types
            .union("U", Appendable, TypeIndex::INT16)
            .case("a", TypeIndex::UINT32, &[1])
            .case("b", TypeIndex::UINT8, &[2, 3])
            .finish()
    });
    let bytes = payload(CDR2_LE, &[2, 0, 0, 0, 9, 0]);
    ty.validate(&bytes).unwrap();
    assert_eq!(value(&ty, "a._d", &bytes), Some(Value::Signed(9)));
    assert_eq!(
        (value(&ty, "a.a", &bytes), value(&ty, "a.b", &bytes)),
        (None, None)
    );
    let bytes = payload(CDR2_LE, &[3, 0, 0, 0, 3, 0, 8]);
    assert_eq!(value(&ty, "a.b", &bytes), Some(Value::Unsigned(8)));
    // The discriminator is kept as it came, also where another label selects the same case.
    let mut key = BytesMut::new();
    KeyPlan::new(&ty)
        .key_payload(&bytes, Xcdr::V2, Endianness::Little, &mut key)
        .unwrap();
    assert_eq!(key[4..11], bytes[4..11]);
}

/// An older version of an appendable type ends early.
#[test]
fn a_member_that_the_sender_does_not_know_is_absent() {
    let ty = built(|types| {
        types
            .structure("S", Appendable)
            .member("a", TypeIndex::UINT32)
            .member("b", TypeIndex::UINT32)
            .finish()
    });
    for bytes in [
        payload(CDR_LE, &[1, 0, 0, 0]),
        payload(D_CDR2_LE, &[4, 0, 0, 0, 1, 0, 0, 0]),
    ] {
        ty.validate(&bytes).unwrap();
        assert_eq!(value(&ty, "a", &bytes), Some(Value::Unsigned(1)));
        assert_eq!(value(&ty, "b", &bytes), None);
    }
    // Vendors do not agree whether a type is appendable.
    let bytes = payload(CDR2_LE, &[1, 0, 0, 0, 2, 0, 0, 0]);
    ty.validate(&bytes).unwrap();
    assert_eq!(value(&ty, "b", &bytes), Some(Value::Unsigned(2)));
}

#[test]
fn a_key_that_is_not_there_is_missed_also_behind_members_that_are_not() {
    let ty = built(|types| {
        types
            .structure("S", Appendable)
            .member("a", TypeIndex::UINT32)
            .member("b", TypeIndex::UINT32)
            .optional()
            .member("c", TypeIndex::UINT32)
            .key()
            .finish()
    });
    let plan = KeyPlan::new(&ty);
    for body in [&[0, 0, 0, 0][..], &[4, 0, 0, 0, 1, 0, 0, 0]] {
        let bytes = payload(D_CDR2_LE, body);
        ty.validate(&bytes).unwrap();
        assert_eq!(plan.key_hash(&bytes), Err(ValueError::Missing(2)));
    }
}

#[test]
fn a_key_without_bytes_is_there_where_nothing_is_left() {
    let ty = built(|types| {
        let nothing = types.structure("Nothing", Final).finish();
        let union = types.union("U", Appendable, TypeIndex::UINT8);
        let union = union.case("a", nothing, &[7]).finish();
        let structure = types.structure("S", Appendable).member("u", union).key();
        structure.member("nothing", nothing).key().finish()
    });
    let plan = KeyPlan::new(&ty);
    for bytes in [
        payload(CDR_LE, &[7]),
        payload(D_CDR2_LE, &[5, 0, 0, 0, 1, 0, 0, 0, 7]),
    ] {
        ty.validate(&bytes).unwrap();
        let mut hash = [0; 16];
        hash[0] = 7;
        assert_eq!(plan.key_hash(&bytes).unwrap(), hash);
        for xcdr in [Xcdr::V1, Xcdr::V2] {
            let mut key = BytesMut::new();
            plan.key_payload(&bytes, xcdr, Endianness::Little, &mut key)
                .unwrap();
            assert_eq!(plan.key_hash_of_key(&key).unwrap(), hash);
        }
    }
}

/// A length of 2^31 and more costs neither memory nor time.
#[test]
fn lengths_that_lie_cost_nothing() {
    let element = |make: fn(&mut TypeTreeBuilder) -> TypeIndex| {
        one(Final, |types| {
            let element = make(types);
            types.sequence(element, 0)
        })
    };
    let nothing = |types: &mut TypeTreeBuilder| types.structure("Nothing", Final).finish();
    let types = [
        element(|_| TypeIndex::UINT64),
        element(|_| TypeIndex::BYTE),
        element(|types| types.string(0)),
        element(|types| types.enumeration("E", Final, 32, &[("A", 0)], None)),
        element(nothing),
        element(|types| types.structure("Later", Appendable).finish()),
        element(|types| types.array(TypeIndex::BYTE, &[u32::MAX, u32::MAX])),
        element(|types| types.map(TypeIndex::BYTE, TypeIndex::BYTE, 0)),
        one(Final, |types| {
            types.map(TypeIndex::BYTE, TypeIndex::BYTE, 0)
        }),
        one(Final, |types| types.string(0)),
        one(Final, |types| types.wide_string(0)),
        one(Final, |types| {
            let nothing = types.structure("Nothing", Appendable).finish();
            types.array(nothing, &[u32::MAX, u32::MAX])
        }),
    ];
    for ty in &types {
        let plan = KeyPlan::new(ty);
        let paths = ["a[2000000000]", "a"].map(|path| MemberPath::new(ty, path));
        for header in [CDR_LE, CDR2_LE] {
            for length in [0x7fff_ffff_u32, 0x8000_0000, u32::MAX] {
                for lead in [&[][..], &[24, 0, 0, 0], &length.to_le_bytes()] {
                    let mut bytes = payload(header, lead);
                    bytes.extend_from_slice(&length.to_le_bytes());
                    bytes.extend_from_slice(&[0; 20]);
                    let counted = allocation_counter::measure(|| {
                        let _ = ty.validate(&bytes);
                        for path in paths.iter().flatten() {
                            let _ = path.locate(&bytes);
                        }
                        let _ = plan.key_hash(&bytes);
                    });
                    assert!(counted.bytes_max < 4096, "{} {counted:?}", ty.words());
                    let xcdr = if header == CDR_LE { Xcdr::V1 } else { Xcdr::V2 };
                    let mut r = Reader::new(&bytes[4..], xcdr, Endianness::Little);
                    r.set_steps(1_000_000);
                    let _ = ty.skip(&mut r);
                    assert!(
                        r.steps() > 1_000_000 - 200,
                        "{} steps",
                        1_000_000 - r.steps()
                    );
                }
            }
        }
    }
}

/// A type that contains itself, and a payload that goes on and on.
#[test]
fn nesting_has_an_end() {
    let recursive = |extensibility, kind: u8| {
        built(|types| {
            let node = types.declare("Node");
            let nodes = types.sequence(node, 0);
            let structure = types.define_structure(node, extensibility);
            match kind {
                0 => structure.member("next", nodes).key().finish(),
                1 => structure.member("next", node).optional().finish(),
                _ => structure.member("next", node).external().key().finish(),
            }
        })
    };
    for kind in 0..3 {
        for extensibility in [Final, Appendable, Mutable] {
            let ty = recursive(extensibility, kind);
            let plan = KeyPlan::new(&ty);
            let long = format!("next{}.next{0}", ["[0]", "", ""][usize::from(kind)]);
            let path = MemberPath::new(&ty, &long).unwrap();
            for header in [CDR_LE, CDR2_LE, D_CDR2_LE, PL_CDR_LE, PL_CDR2_LE] {
                for word in [
                    1_u32,
                    0x0001_0000,
                    0x00ff_0000,
                    0x4000_0000,
                    0xffff_0000,
                    200,
                ] {
                    let mut bytes = header.to_vec();
                    (0..10_000).for_each(|_| bytes.extend_from_slice(&word.to_le_bytes()));
                    let _ = ty.validate(&bytes);
                    let _ = plan.key_hash(&bytes);
                    let _ = path.locate(&bytes);
                }
            }
        }
    }
    let ty = recursive(Final, 0);
    let mut bytes = CDR_LE.to_vec();
    (0..100).for_each(|_| bytes.extend_from_slice(&1_u32.to_le_bytes()));
    assert_eq!(ty.validate(&bytes), Err(Error::TooDeep.into()));
    assert_eq!(
        KeyPlan::new(&ty).key_hash(&bytes),
        Err(Error::TooDeep.into())
    );
}

/// Numbers at the front are passed over by one look at the length: wherever they begin, that leads to
/// the same place as one after the other, and cut off anywhere they are as wrong as before.
#[test]
fn numbers_at_the_front_end_where_they_do_one_by_one() {
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        for before in 0..9_usize {
            let mut types = TypeTreeBuilder::new();
            let three = types.array(TypeIndex::UINT16, &[3]);
            let inner = types
                .structure("Inner", Final)
                .member("a", TypeIndex::UINT8);
            let inner = inner.member("b", TypeIndex::UINT64).member("c", three);
            let inner = inner.member("d", TypeIndex::FLOAT32).finish();
            let pad = types.array(TypeIndex::UINT8, &[before.max(1) as u32]);
            let text = types.string(0);
            let mut outer = types.structure("Outer", Final).member("text", text);
            if before > 0 {
                outer = outer.member("pad", pad);
            }
            let outer = outer
                .member("inner", inner)
                .member("end", TypeIndex::UINT8)
                .finish();
            let ty = types.build(outer).unwrap();
            let align = |at: usize, to: usize| at.next_multiple_of(to.min(xcdr.max_align()));
            // Length 1 and the end of the text, then the numbers.
            let mut end = align(5 + before + 1, 8) + 8;
            end = align(align(end, 2) + 6, 4) + 4 + 1;
            let mut bytes = vec![0_u8; end];
            bytes[0] = 1;
            let mut payload = match xcdr {
                Xcdr::V1 => vec![0, 1, 0, 0],
                Xcdr::V2 => vec![0, 7, 0, 0],
            };
            payload.extend(&bytes);
            assert_eq!(ty.validate(&payload), Ok(()), "{xcdr:?} {before}");
            for length in 4..payload.len() {
                let cut = ty.validate(&payload[..length]);
                assert!(
                    cut.is_err(),
                    "{xcdr:?} {before}: {length} of {}",
                    payload.len()
                );
            }
        }
    }
}
