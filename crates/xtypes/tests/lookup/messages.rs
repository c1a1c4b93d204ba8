//! Requests and replies, byte by byte and back.
use crate::shape;
use dunlin_cdr::Extensibility::Final;
use dunlin_xtypes::lookup::{
    Call, Dependencies, MessageError, RemoteException, Reply, Request, Return, SampleIdentity,
    TypeObjectPair, Types, limits,
};
use dunlin_xtypes::{
    EquivalenceHash, EquivalenceKind, LocalType, TypeIdentifier, TypeIdentifierWithSize, TypeIndex,
    TypeKind, TypeTreeBuilder,
};
use proptest::collection::vec;
use proptest::prelude::*;

const ID: SampleIdentity = SampleIdentity {
    writer: [7; 16],
    sequence: 0x1_0000_0002,
};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(char::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs
        .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
        .collect()
}

fn hash(byte: u8) -> TypeIdentifier {
    TypeIdentifier::Hash(EquivalenceKind::Complete, EquivalenceHash([byte; 14]))
}

fn request(call: Call) -> Request {
    Request {
        id: ID,
        instance_name: "abc".into(),
        call,
    }
}

/// DDS-XTypes 1.3 7.6.3.3.3, 7.4.3.
#[test]
fn a_request_is_laid_out_as_the_standard_says() {
    let bytes = request(Call::GetTypes(vec![hash(9)])).to_payload().unwrap();
    let mut wanted = vec![0, 7, 0, 1];
    wanted.extend([7; 16]);
    wanted.extend([1, 0, 0, 0, 2, 0, 0, 0]);
    wanted.extend([4, 0, 0, 0, b'a', b'b', b'c', 0]);
    // DHEADER and discriminator of the call, DHEADER of the structure.
    wanted.extend([39, 0, 0, 0, 0xd3, 0x52, 0x82, 0x01, 31, 0, 0, 0]);
    // EMHEADER, length, DHEADER and count of the sequence.
    wanted.extend([0x65, 0x60, 0x53, 0x4c, 23, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0]);
    wanted.push(0xf2);
    wanted.extend([9; 14]);
    // Padding.
    wanted.push(0);
    assert_eq!(bytes, wanted);
}

/// The pairs are as in the type map that idlc of Cyclone DDS 0.10.2 writes for
/// `module M { @final struct A { long x; }; };`.
#[test]
fn a_reply_is_laid_out_as_the_standard_says() {
    let mut types = TypeTreeBuilder::new();
    let ty = types
        .structure("M::A", Final)
        .member("x", TypeIndex::INT32)
        .finish();
    let ty = LocalType::new(&types.build(ty).unwrap()).unwrap();
    let (complete, minimal) = (ty.complete(), ty.minimal());
    let reply = Reply {
        related: ID,
        exception: RemoteException::Ok,
        value: Return::Types(Types {
            types: vec![TypeObjectPair {
                identifier: complete.identifier().clone(),
                object: complete.object(complete.identifier()).unwrap(),
            }],
            complete_to_minimal: vec![(
                complete.identifier().clone(),
                minimal.identifier().clone(),
            )],
        }),
    };
    let mut wanted = vec![0, 7, 0, 2];
    wanted.extend([7; 16]);
    wanted.extend([1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    // DHEADER and discriminator of the return and of the result, DHEADER of the structure.
    wanted.extend([150, 0, 0, 0, 0xd3, 0x52, 0x82, 0x01]);
    wanted.extend([142, 0, 0, 0, 0, 0, 0, 0, 134, 0, 0, 0]);
    wanted.extend([0xd1, 0x4a, 0x80, 0x42, 80, 0, 0, 0]);
    wanted.extend(bytes(
        "4c000000 01000000 f2b6043e 9bab24cd 8dffc315 de1d5600 34000000 f2510100 0d000000 \
         00000000 05000000 4d3a3a41 00000000 18000000 01000000 10000000 00000000 01000400 \
         02000000 78000000",
    ));
    wanted.extend([0x77, 0x65, 0x8e, 0x4b, 38, 0, 0, 0]);
    wanted.extend(bytes(
        "22000000 01000000 f2b6043e 9bab24cd 8dffc315 de1d56f1 c73b470c aafdb605 b2964258 93c0",
    ));
    wanted.extend([0, 0]);
    let written = reply.to_payload().unwrap();
    assert_eq!(written, wanted);
    assert_eq!(Reply::from_payload(&written), Ok(reply));
}

/// What two programs of Cyclone DDS 0.10.2 say to each other: sequences share their length with the
/// member, and GUIDs are in the byte order of the machine, in a reply that of its own writer. So a
/// reply is known by its number and by who sends it.
#[test]
fn messages_of_cyclone_dds_are_understood() {
    let request = bytes(
        "00070001 664d1001 ded1c357 df8ea946 c3000300 00000000 01000000 31000000 6464732e 6275696c \
         74696e2e 544f532e 30313130 39643666 39646563 65663966 61313839 63373664 30303030 30316331 \
         00000000 23000000 d3528201 1b000000 6560535c 13000000 01000000 f19f33de 54e448b9 0fd313a6 \
         fd5fbc00",
    );
    let request = Request::from_payload(&request).unwrap();
    assert_eq!(request.id.sequence, 1);
    let name = "dds.builtin.TOS.01109d6f9decef9fa189c76d000001c1";
    assert_eq!(request.instance_name, name);
    let Call::GetTypes(types) = request.call else {
        panic!("no getTypes");
    };
    let reply = bytes(
        "00070000 6f9d1001 9fefec9d 6dc789a1 c3010300 00000000 01000000 00000000 80000000 d3528201 \
         78000000 00000000 70000000 d14a8052 59000000 01000000 f19f33de 54e448b9 0fd313a6 fd5fbc00 \
         41000000 f1510200 01000000 00000000 31000000 02000000 0b000000 00000000 310004b8 0bb77400 \
         19000000 01000000 0100f1a4 4a43efce 1eca96e1 8936f7d2 4d7b8b96 5a000000 77658e5b 04000000 \
         00000000",
    );
    let reply = Reply::from_payload(&reply).unwrap();
    assert_eq!(reply.exception, RemoteException::Ok);
    assert_eq!(reply.related.sequence, 1);
    let Return::Types(found) = reply.value else {
        panic!("no types");
    };
    let [pair] = found.types.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(types, std::slice::from_ref(&pair.identifier));
    let hash = EquivalenceHash::of(pair.object);
    let identifier = TypeIdentifier::Hash(EquivalenceKind::Minimal, hash);
    assert_eq!(pair.identifier, identifier);
    assert!(found.complete_to_minimal.is_empty());
}

#[test]
fn what_newer_versions_append_is_passed_over() {
    let request = request(Call::GetTypes(vec![hash(1), hash(2)]));
    let mut bytes = request.to_payload().unwrap().to_vec();
    bytes.extend([0xff; 33]);
    assert_eq!(Request::from_payload(&bytes), Ok(request));
    let reply = Reply {
        related: ID,
        exception: RemoteException::Ok,
        value: Return::Types(Types::default()),
    };
    let mut bytes = reply.to_payload().unwrap().to_vec();
    bytes.extend([0xff; 33]);
    assert_eq!(Reply::from_payload(&bytes), Ok(reply));
}

#[test]
fn operations_and_results_that_are_not_known_are_told_as_such() {
    let unknown = request(Call::Unknown(77));
    let bytes = unknown.to_payload().unwrap();
    assert_eq!(Request::from_payload(&bytes), Ok(unknown));
    for exception in [RemoteException::UnknownOperation, RemoteException::Ok] {
        let reply = Reply {
            related: ID,
            exception,
            value: Return::None { operation: 77 },
        };
        let bytes = reply.to_payload().unwrap();
        assert_eq!(Reply::from_payload(&bytes), Ok(reply.clone()));
    }
    // Without a value at all, as some products report an exception.
    let mut bytes = vec![0, 7, 0, 0];
    bytes.extend([7; 16]);
    bytes.extend([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let reply = Reply::from_payload(&bytes).unwrap();
    assert_eq!(reply.exception, RemoteException::OutOfResources);
    assert_eq!(reply.value, Return::None { operation: 0 });
}

#[test]
fn more_than_is_read_is_refused() {
    let many = request(Call::GetTypes(vec![hash(1); limits::IDS + 1]));
    let limit = |what, found, most| Err(MessageError::Limit { what, found, most });
    assert_eq!(
        Request::from_payload(&many.to_payload().unwrap()),
        limit("types", limits::IDS + 1, limits::IDS)
    );
    let most = limits::REQUEST;
    let long = vec![0; most + 1];
    assert_eq!(Request::from_payload(&long), limit("bytes", most + 1, most));
    let name = Request {
        instance_name: "x".repeat(256),
        ..request(Call::GetTypes(Vec::new()))
    };
    assert_eq!(
        Request::from_payload(&name.to_payload().unwrap()),
        limit("bytes of an instance name", 256, 255)
    );
    let big_endian = [0, 6, 0, 0, 0, 0];
    assert_eq!(
        Request::from_payload(&big_endian),
        Err(MessageError::Representation(6))
    );
    // A sequence of 2^31 elements.
    let mut bytes = request(Call::GetTypes(Vec::new()))
        .to_payload()
        .unwrap()
        .to_vec();
    let count = bytes.len() - 4;
    bytes[count..].copy_from_slice(&[0, 0, 0, 0x80]);
    assert!(Request::from_payload(&bytes).is_err());
}

#[test]
fn typeobjects_come_out_as_they_went_in() {
    let ty = shape("Shape");
    let objects = ty.complete().iter();
    let types = objects.map(|(identifier, object)| TypeObjectPair {
        identifier: identifier.clone(),
        object,
    });
    let types: Vec<_> = types.collect();
    let size: usize = types.iter().map(TypeObjectPair::reply_size).sum();
    let reply = Reply {
        related: ID,
        exception: RemoteException::Ok,
        value: Return::Types(Types {
            types,
            complete_to_minimal: vec![(
                ty.complete().identifier().clone(),
                ty.minimal().identifier().clone(),
            )],
        }),
    };
    let bytes = reply.to_payload().unwrap();
    assert!(bytes.len() <= size + 200);
    assert_eq!(Reply::from_payload(&bytes), Ok(reply));
}

fn identifiers() -> impl Strategy<Value = TypeIdentifier> {
    let hashes = any::<(bool, [u8; 14])>().prop_map(|(complete, bytes)| {
        let kind = match complete {
            true => EquivalenceKind::Complete,
            false => EquivalenceKind::Minimal,
        };
        TypeIdentifier::Hash(kind, EquivalenceHash(bytes))
    });
    prop_oneof![
        4 => hashes,
        1 => Just(TypeIdentifier::Primitive(TypeKind::Int32)),
        1 => any::<u32>().prop_map(|bound| TypeIdentifier::String8 { bound }),
    ]
}

fn identities() -> impl Strategy<Value = SampleIdentity> {
    any::<([u8; 16], i64)>().prop_map(|(writer, sequence)| SampleIdentity { writer, sequence })
}

/// Bytes that say their length, as TypeObjects do.
fn objects() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..60).prop_map(|body| {
        let mut object = (body.len() as u32).to_le_bytes().to_vec();
        object.extend(body);
        object
    })
}

proptest! {
    #[test]
    fn requests_are_read_as_they_are_written(
        id in identities(),
        instance_name in "[ -~]{0,255}",
        types in vec(identifiers(), 0..=limits::IDS),
        point in proptest::option::of(vec(any::<u8>(), 0..=32)),
    ) {
        let call = match point {
            Some(continuation_point) => Call::GetTypeDependencies { types, continuation_point },
            None => Call::GetTypes(types),
        };
        let request = Request { id, instance_name, call };
        prop_assert_eq!(Request::from_payload(&request.to_payload().unwrap()), Ok(request));
    }

    #[test]
    fn replies_are_read_as_they_are_written(
        related in identities(),
        pairs in vec((identifiers(), objects()), 0..20),
        complete_to_minimal in vec((identifiers(), identifiers()), 0..20),
    ) {
        let types = pairs.iter().map(|(identifier, object)| TypeObjectPair {
            identifier: identifier.clone(),
            object,
        });
        let types = Types { types: types.collect(), complete_to_minimal };
        let value = Return::Types(types);
        let reply = Reply { related, exception: RemoteException::Ok, value };
        let bytes = reply.to_payload().unwrap();
        prop_assert_eq!(Reply::from_payload(&bytes), Ok(reply));
    }

    #[test]
    fn dependencies_are_read_as_they_are_written(
        related in identities(),
        types in vec((identifiers(), any::<u32>()), 0..limits::PAGE),
        continuation_point in vec(any::<u8>(), 0..=32),
    ) {
        let types = types.into_iter().map(|(type_id, size)| TypeIdentifierWithSize {
            type_id,
            typeobject_serialized_size: size,
        });
        let value = Return::Dependencies(Dependencies { types: types.collect(), continuation_point });
        let reply = Reply { related, exception: RemoteException::Ok, value };
        let bytes = reply.to_payload().unwrap();
        prop_assert_eq!(Reply::from_payload(&bytes), Ok(reply));
    }

    #[test]
    fn nothing_panics(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Request::from_payload(&bytes);
        let _ = Reply::from_payload(&bytes);
    }
}
