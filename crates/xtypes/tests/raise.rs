//! TypeObjects of peers become types again, or are refused.

use dunlin_cdr::Endianness::Little;
use dunlin_cdr::Extensibility::{Appendable, Final, Mutable};
use dunlin_xtypes::EquivalenceKind::{Complete, Minimal};
use dunlin_xtypes::{
    Annotations, AutoId, Constant, DynamicType, Element, EquivalenceHash, RaiseError,
    StronglyConnectedComponentId, TryConstruct, TypeIdentifier, TypeIndex, TypeKind,
    TypeTreeBuilder, limits,
};

fn built(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let root = build(&mut types);
    types.build(root).unwrap()
}

fn raised(ty: &DynamicType) -> Result<DynamicType, RaiseError> {
    let all = ty.type_objects(Complete).unwrap();
    DynamicType::from_type_objects(all.identifier(), |of| all.object(of))
}

/// A type with all that a TypeObject can say, in the order in which it says it.
fn rich(types: &mut TypeTreeBuilder) -> TypeIndex {
    let literals = [("LOW", -3), ("HIGH", 9)];
    let level = types.enumeration("M::Level", Final, 8, &literals, Some(9));
    let mask = types.bitmask("M::Mask", Appendable, 12, &[("a", 1), ("b", 5)]);
    let set = types.bitset("M::Set", &[("x", 0, 3, TypeKind::UInt8)]);
    let text = types.string(300);
    let external = Element {
        ty: text,
        try_construct: TryConstruct::Trim,
        is_external: true,
    };
    let texts = types.sequence(external, 4);
    let grid = types.array(level, &[2, 300]);
    let map = types.map(text, grid, 7);
    let limits = Annotations {
        min: Some(Constant::Integer(-4)),
        max: Some(Constant::Integer(70_000)),
        unit: Some("m".into()),
        hash_id: Some("other".into()),
        default: None,
    };
    let age = types.annotated_alias("M::Age", TypeIndex::INT32, limits.clone());
    let choice = types
        .union("M::Choice", Mutable, level)
        .key()
        .nested()
        .case("a", texts, &[9])
        .case("b", age, &[-3])
        .default()
        .finish();
    let large = types
        .union("M::Large", Final, TypeIndex::UINT32)
        .case("a", TypeIndex::INT8, &[4, i64::from(u32::MAX)])
        .finish();
    let base = types
        .structure("M::Base", Mutable)
        .auto_id(AutoId::Hash)
        .member("choice", choice)
        .key()
        .must_understand()
        .finish();
    types
        .structure("M::Rich", Mutable)
        .base(base)
        .nested()
        .member("age", age)
        .annotations(limits)
        .id(77)
        .member("mask", mask)
        .optional()
        .member("set", set)
        .external()
        .try_construct(TryConstruct::UseDefault)
        .member("map", map)
        .member("large", large)
        .member("wide", TypeIndex::FLOAT128)
        .finish()
}

fn ring(types: &mut TypeTreeBuilder) -> TypeIndex {
    let (b, a) = (types.declare("M::B"), types.declare("M::A"));
    let bs = types.sequence(b, 0);
    types.define_structure(a, Final).member("bs", bs).finish();
    let all = types.define_structure(b, Final).member("a", a);
    all.external().member("b", b).optional().finish();
    types.structure("M::Outside", Final).member("a", a).finish()
}

#[test]
fn what_was_lowered_is_raised_and_lowers_to_the_same() {
    for build in [rich, ring] {
        let ty = built(build);
        let again = raised(&ty).unwrap();
        for kind in [Minimal, Complete] {
            assert_eq!(again.type_objects(kind), ty.type_objects(kind));
        }
        assert_eq!(again.digest(), ty.digest());
        assert_eq!(again.name(), ty.name());
    }
    let rich = raised(&built(rich)).unwrap();
    let age = rich.member_by_name("age").unwrap();
    assert_eq!(age.annotations().unwrap().unit.as_deref(), Some("m"));
    let large = rich.at(rich.member_by_name("large").unwrap().element().ty);
    assert!(large.select(i64::from(u32::MAX)).is_some());
}

#[test]
fn an_object_with_another_hash_is_refused() {
    let ty = built(rich);
    let all = ty.type_objects(Complete).unwrap();
    for (damaged, bytes) in all.iter() {
        let mut other = bytes.to_vec();
        *other.last_mut().unwrap() ^= 1;
        let result = DynamicType::from_type_objects(all.identifier(), |of| match of == damaged {
            true => Some(other.as_slice()),
            false => all.object(of),
        });
        let identifier = damaged.clone();
        assert_eq!(result.err(), Some(RaiseError::Hash { identifier }));
    }
}

#[test]
fn what_is_missing_is_named() {
    let ty = built(ring);
    let all = ty.type_objects(Complete).unwrap();
    for (missing, _) in all.iter() {
        let known = |of: &TypeIdentifier| (of != missing).then(|| all.object(of)).flatten();
        let result = DynamicType::from_type_objects(all.identifier(), known);
        let identifier = missing.clone();
        assert_eq!(result.err(), Some(RaiseError::Missing { identifier }));
    }
}

#[test]
fn a_minimal_object_has_no_names() {
    let all = built(rich).type_objects(Minimal).unwrap();
    let result = DynamicType::from_type_objects(all.identifier(), |of| all.object(of));
    assert_eq!(result.err(), Some(RaiseError::Minimal));
}

/// What comes of any bytes whose hash is right.
fn of_bytes(bytes: &[u8]) -> Result<DynamicType, RaiseError> {
    let root = TypeIdentifier::Hash(Complete, EquivalenceHash::of(bytes));
    DynamicType::from_type_objects(&root, |of| (*of == root).then_some(bytes))
}

#[test]
fn damaged_objects_are_refused_or_are_types() {
    let ty = built(rich);
    for (_, bytes) in ty.type_objects(Complete).unwrap().iter() {
        for end in 0..bytes.len() {
            assert!(of_bytes(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[at] = value;
                if let Ok(ty) = of_bytes(&damaged) {
                    let again = raised(&ty).unwrap();
                    assert_eq!(again.type_objects(Complete), ty.type_objects(Complete));
                }
            }
        }
    }
    assert!(matches!(
        of_bytes(&[2, 0, 0, 0, 0xf2, 0x50]),
        Err(RaiseError::Kind(0x50))
    ));
    assert!(matches!(
        of_bytes(&[0; limits::TYPE_OBJECT + 1]),
        Err(RaiseError::Limit { .. })
    ));
}

#[test]
fn places_outside_of_a_component_are_refused() {
    let ty = built(ring);
    let a = ty.at(ty.member_by_name("a").unwrap().element().ty);
    let TypeIdentifier::Component(id) = a.type_identifier(Complete).unwrap() else {
        panic!("no component");
    };
    let all = ty.type_objects(Complete).unwrap();
    let any = all.iter().next().unwrap().1;
    for (index, length) in [(0, 2), (3, 2), (-1, 2), (1, 1), (1, 0), (1, -1), (1, 101)] {
        let root = TypeIdentifier::Component(StronglyConnectedComponentId {
            index,
            length,
            ..id
        });
        let result = DynamicType::from_type_objects(&root, |of| all.object(of).or(Some(any)));
        assert!(result.is_err(), "{index} of {length}");
    }
}

#[test]
fn a_component_hashed_without_its_length_in_bytes_is_taken() {
    let node = |types: &mut TypeTreeBuilder| {
        let node = types.declare("Node");
        let children = types.sequence(node, 0);
        types
            .define_structure(node, Appendable)
            .member("children", children)
            .finish()
    };
    let ty = built(node);
    let TypeIdentifier::Component(id) = ty.type_identifier(Complete).unwrap() else {
        panic!("no component");
    };
    let mut object = ty.type_object(Complete).unwrap().unwrap();
    let place = object
        .windows(14)
        .position(|found| found == id.hash.0)
        .unwrap();
    object[place..place + 14].fill(0);
    let hash = EquivalenceHash::of(&[&[1, 0, 0, 0], object.as_slice()].concat());
    object[place..place + 14].copy_from_slice(&hash.0);
    let root = TypeIdentifier::Component(StronglyConnectedComponentId { hash, ..id });
    let raised = DynamicType::from_type_objects(&root, |_| Some(&object)).unwrap();
    assert_eq!(raised.digest(), ty.digest());
    assert_eq!(
        raised.type_identifier(Complete),
        ty.type_identifier(Complete)
    );
    assert_ne!(
        root.to_bytes(Little),
        ty.type_identifier(Complete).unwrap().to_bytes(Little)
    );
}
