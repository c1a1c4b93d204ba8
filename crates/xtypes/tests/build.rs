//! What is a type and what is not; errors say which type, which member, and what to do.

use dunlin_cdr::Extensibility::{Appendable, Final, Mutable};
use dunlin_xtypes::{
    AutoId, BuildError, DynamicType, Element, PathError, TypeIndex, TypeKind, TypeTreeBuilder,
    hash_id, limits,
};

fn refused(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> BuildError {
    let mut types = TypeTreeBuilder::new();
    let root = build(&mut types);
    types.build(root).unwrap_err()
}

fn built(build: impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let root = build(&mut types);
    types.build(root).unwrap()
}

#[track_caller]
fn says(error: BuildError, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }
}

#[test]
fn member_ids_are_those_of_the_standard() {
    assert_eq!(hash_id("c"), 0x0008_8a4a);
    assert_eq!(hash_id("shapesize"), 0x0477_90da);
    let ty = built(|types| {
        let base = types
            .structure("Base", Final)
            .member("a", TypeIndex::INT32)
            .member("b", TypeIndex::INT32)
            .id(7)
            .member("c", TypeIndex::INT32)
            .finish();
        let base = types.alias("Alias", base);
        types
            .structure("Derived", Final)
            .base(base)
            .member("d", TypeIndex::INT16)
            .member("e", TypeIndex::INT16)
            .hash_id(Some("shapesize"))
            .member("f", TypeIndex::INT16)
            .finish()
    });
    let ids: Vec<_> = ty.members().map(|m| (m.name(), m.id())).collect();
    let hashed = 0x0477_90da;
    assert_eq!(
        ids,
        [
            ("a", 0),
            ("b", 7),
            ("c", 8),
            ("d", 9),
            ("e", hashed),
            ("f", hashed + 1)
        ]
    );
    assert_eq!(ty.member_by_id(8).unwrap().name(), "c");
    assert_eq!(ty.member_by_name("a").unwrap().id(), 0);
    assert_eq!((ty.member_by_id(5), ty.member_by_name("g")), (None, None));
    assert_eq!(ty.own_members().len(), 3);

    let hashed = built(|types| {
        types
            .structure("Hashed", Mutable)
            .auto_id(AutoId::Hash)
            .member("c", TypeIndex::INT32)
            .finish()
    });
    assert_eq!(hashed.member_by_name("c").unwrap().id(), 0x0008_8a4a);
    let union = built(|types| {
        types
            .union("U", Appendable, TypeIndex::INT32)
            .case("a", TypeIndex::INT32, &[1])
            .case("b", TypeIndex::INT32, &[2])
            .default()
            .finish()
    });
    let ids: Vec<_> = union.cases().iter().map(|case| case.id()).collect();
    assert_eq!(ids, [1, 2], "0 is the discriminator");
    assert_eq!(union.select(77).unwrap().name(), "b");
}

#[test]
fn a_type_may_contain_itself_where_there_is_an_end_to_it() {
    let node = built(|types| {
        let node = types.declare("Node");
        let nodes = types.sequence(node, 0);
        let by_name = types.map(TypeIndex::INT32, node, 0);
        types
            .define_structure(node, Appendable)
            .member("children", nodes)
            .member("by_name", by_name)
            .member("next", node)
            .optional()
            .member("other", node)
            .external()
            .finish()
    });
    let next = node.member_by_name("next").unwrap();
    assert_eq!(node.at(next.element().ty).name(), "Node");
    assert!(node.member_by_name("other").unwrap().element().is_external);
}

#[test]
fn no_type_contains_itself_by_value() {
    let error = refused(|types| {
        let (a, b) = (types.declare("A"), types.declare("B"));
        let array = types.array(a, &[2, 3]);
        let alias = types.alias("C", array);
        types.define_structure(a, Final).member("b", b).finish();
        types.define_structure(b, Final).member("c", alias).finish();
        a
    });
    says(
        error,
        &["A -> B -> C -> array -> A", "contains itself", "@external"],
    );
    let error = refused(|types| {
        let a = types.declare("A");
        types.define_structure(a, Final).base(a).finish()
    });
    says(error, &["A -> A"]);
    let error = refused(|types| {
        let u = types.declare("U");
        types
            .define_union(u, Final, TypeIndex::INT32)
            .case("again", u, &[1])
            .finish()
    });
    says(error, &["U -> U"]);
}

#[test]
fn what_is_no_type_is_refused_with_names_and_values() {
    let pair = |types: &mut TypeTreeBuilder, one: (&str, u32), other: (&str, u32)| {
        let one = types
            .structure("S", Final)
            .member(one.0, TypeIndex::INT8)
            .id(one.1);
        one.member(other.0, TypeIndex::INT8).id(other.1).finish()
    };
    says(
        refused(|t| pair(t, ("a", 5), ("b", 5))),
        &["\"a\"", "\"b\"", "\"S\"", "0x5", "@id"],
    );
    says(
        refused(|t| pair(t, ("a", 5), ("a", 6))),
        &["\"a\"", "\"S\"", "rename"],
    );
    says(
        refused(|t| pair(t, ("a", 5), ("b", 0x0fff_ffff))),
        &["\"b\"", "0xfffffff"],
    );
    says(
        refused(|t| pair(t, ("a", 5), ("b.c", 6))),
        &["\"b.c\"", "letters"],
    );
    says(refused(|t| pair(t, ("a", 5), ("", 6))), &["\"\""]);
    says(
        refused(|t| pair(t, ("a", 5), (&"x".repeat(256), 6))),
        &["256", "255"],
    );
    let key = |types: &mut TypeTreeBuilder| {
        let structure = types.structure("S", Final).member("a", TypeIndex::INT8);
        structure.key().optional().finish()
    };
    says(refused(key), &["\"a\"", "\"S\"", "@key", "@optional"]);
    let derived = |name: &'static str, id| {
        move |types: &mut TypeTreeBuilder| {
            let base = types
                .structure("B", Final)
                .member("a", TypeIndex::INT8)
                .finish();
            let derived = types.structure("D", Final).base(base);
            derived.member(name, TypeIndex::INT8).id(id).finish()
        }
    };
    says(refused(derived("a", 9)), &["\"a\"", "\"D\""]);
    says(refused(derived("b", 0)), &["\"a\"", "\"b\"", "0x0"]);
    says(
        refused(|types| types.structure("D", Final).base(TypeIndex::INT32).finish()),
        &["\"D\"", "int32", "struct"],
    );
    says(
        refused(|types| {
            let base = types.structure("B", Mutable).finish();
            types.structure("D", Final).base(base).finish()
        }),
        &["\"D\"", "final", "\"B\"", "mutable"],
    );
    says(
        refused(|types| types.declare("Later")),
        &["\"Later\"", "not defined"],
    );
    says(
        refused(|types| {
            let s = types.structure("S", Final).finish();
            types.define_structure(s, Final).finish()
        }),
        &["\"S\"", "defined already"],
    );
    says(
        refused(|types| types.enumeration("E", Final, 8, &[("A", 0), ("B", 128)], None)),
        &["\"B\"", "\"E\"", "128", "@bit_bound(8)", "127"],
    );
    says(
        refused(|types| types.enumeration("E", Final, 8, &[("A", 1), ("B", 1)], None)),
        &["\"A\"", "\"B\"", "1"],
    );
    says(
        refused(|t| t.enumeration("E", Final, 33, &[("A", 1)], None)),
        &["33", "32"],
    );
    says(
        refused(|t| t.enumeration("E", Mutable, 32, &[("A", 1)], None)),
        &["mutable"],
    );
    says(
        refused(|t| t.enumeration("E", Final, 32, &[("A", 1)], Some(2))),
        &["\"E\"", "2"],
    );
    says(
        refused(|t| t.enumeration("E", Final, 32, &[], None)),
        &["\"E\"", "no literals"],
    );
    says(
        refused(|t| t.bitmask("M", Final, 8, &[("a", 8)])),
        &["\"a\"", "8", "7"],
    );
    says(
        refused(|t| t.bitmask("M", Final, 8, &[("a", 1), ("b", 1)])),
        &["\"a\"", "\"b\""],
    );
    let overlapping = [("a", 0, 4, TypeKind::UInt8), ("b", 3, 2, TypeKind::UInt8)];
    says(
        refused(|t| t.bitset("B", &overlapping)),
        &["\"b\"", "3 to 4"],
    );
    says(
        refused(|t| t.bitset("B", &[("a", 0, 9, TypeKind::UInt8)])),
        &["\"a\"", "0 to 8"],
    );
    says(refused(|t| t.array(TypeIndex::INT8, &[3, 0])), &["[3, 0]"]);
    says(
        refused(|t| t.array(TypeIndex::INT8, &[1; 65])),
        &["65", "64"],
    );
}

#[test]
fn unions_are_checked() {
    fn of(
        discriminator: TypeIndex,
        first: &'static [i64],
        second: &'static [i64],
    ) -> impl FnOnce(&mut TypeTreeBuilder) -> TypeIndex {
        move |types| {
            let union = types.union("U", Final, discriminator);
            let union = union.case("a", TypeIndex::INT8, first);
            union.case("b", TypeIndex::INT8, second).finish()
        }
    }
    says(
        refused(of(TypeIndex::INT32, &[1, 3], &[3])),
        &["\"a\"", "\"b\"", "label 3"],
    );
    says(
        refused(of(TypeIndex::BYTE, &[1], &[300])),
        &["\"b\"", "300", "octet"],
    );
    says(
        refused(of(TypeIndex::BOOLEAN, &[0], &[2])),
        &["\"b\"", "2", "boolean"],
    );
    says(refused(of(TypeIndex::FLOAT32, &[0], &[2])), &["float"]);
    says(
        refused(of(TypeIndex::INT32, &[0], &[])),
        &["\"b\"", "no label"],
    );
    says(
        refused(|t| t.union("U", Final, TypeIndex::INT8).finish()),
        &["\"U\"", "cases"],
    );
    let two = |types: &mut TypeTreeBuilder| {
        let union = types.union("U", Final, TypeIndex::INT8);
        let union = union.case("a", TypeIndex::INT8, &[]).default();
        union.case("b", TypeIndex::INT8, &[]).default().finish()
    };
    says(refused(two), &["\"a\"", "\"b\"", "default"]);
    let literal = |types: &mut TypeTreeBuilder| {
        let color = types.enumeration("Color", Final, 32, &[("RED", 1)], None);
        types
            .union("U", Final, color)
            .case("a", TypeIndex::INT8, &[2])
            .finish()
    };
    says(refused(literal), &["\"a\"", "2", "Color"]);
    let id = |types: &mut TypeTreeBuilder| {
        let union = types.union("U", Final, TypeIndex::INT8);
        union.case("a", TypeIndex::INT8, &[1]).id(0).finish()
    };
    says(refused(id), &["discriminator", "\"a\"", "0x0"]);
}

#[test]
fn types_have_limits() {
    fn nested(depth: usize) -> Result<DynamicType, BuildError> {
        let mut types = TypeTreeBuilder::new();
        let mut at = TypeIndex::INT8;
        for _ in 1..depth {
            at = types.sequence(at, 0);
        }
        types.build(at)
    }
    nested(limits::DEPTH).unwrap();
    says(nested(limits::DEPTH + 1).unwrap_err(), &["65", "64"]);
    says(nested(10_000).unwrap_err(), &["65", "64"]);
    let many = |types: &mut TypeTreeBuilder| {
        for _ in 0..limits::NODES {
            types.string(0);
        }
        types.string(0)
    };
    says(refused(many), &["65537", "65536"]);
    let members = |count: usize| {
        let mut types = TypeTreeBuilder::new();
        let mut structure = types.structure("Wide", Final);
        for member in 0..count {
            structure = structure.member(&format!("m{member}"), TypeIndex::INT8);
        }
        let root = structure.finish();
        types.build(root)
    };
    members(limits::MEMBERS).unwrap();
    says(
        members(limits::MEMBERS + 1).unwrap_err(),
        &["\"Wide\"", "65537", "65536"],
    );
}

/// Each type contains the one before twice: 2^60 of them, had anything to look at each.
#[test]
fn a_type_that_multiplies_is_walked_once() {
    let ty = built(|types| {
        let mut at = types.structure("Nothing", Appendable).finish();
        for n in 0..60 {
            let outer = types.structure(&format!("S{n}"), Final);
            at = outer.member("a", at).member("b", at).finish();
        }
        let key = types.structure("Key", Final).member("nothing", at).key();
        key.member("number", TypeIndex::INT32).key().finish()
    });
    let plan = dunlin_xtypes::KeyPlan::new(&ty);
    for header in [[0, 1, 0, 0], [0, 7, 0, 0]] {
        for length in [4_usize, 100, 6_000] {
            let mut payload = header.to_vec();
            payload.resize(length, 0);
            let _ = ty.validate(&payload);
            let _ = plan.key_hash(&payload);
            let _ = dunlin_xtypes::MemberPath::new(&ty, "number")
                .unwrap()
                .locate(&payload);
        }
    }
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    let ty = built(|types| {
        let grid = types.array(TypeIndex::INT8, &[2, 3]);
        let list = types.sequence(grid, 10);
        let union = types.union("U", Final, TypeIndex::INT8);
        let union = union
            .case("a", grid, &[1])
            .case_without_value("b", &[2])
            .finish();
        let structure = types.structure("S", Final).member("grid", grid);
        structure.member("list", list).member("u", union).finish()
    });
    let fails = |path: &str| dunlin_xtypes::MemberPath::new(&ty, path).unwrap_err();
    for path in [
        "", ".", "a.", ".a", "grid[", "grid]", "grid[]", "grid[x]", "grid[+1]", "grid[1]x",
        "grid..a",
    ] {
        assert!(
            matches!(fails(path), PathError::Syntax { .. }),
            "{path}: {:?}",
            fails(path)
        );
    }
    let far = "grid[99999999999999999999]";
    assert!(matches!(fails(far), PathError::Syntax { .. }));
    assert!(matches!(fails("x"), PathError::NoMember { .. }));
    assert_eq!(
        fails("u.x").to_string(),
        "union U has no member \"x\"; it has a, b"
    );
    assert!(matches!(fails("u.b"), PathError::NoValue { .. }));
    assert!(matches!(fails("u[1]"), PathError::NoElements { .. }));
    assert!(matches!(fails("grid[0]"), PathError::TooFewIndexes { .. }));
    assert!(matches!(fails("grid[2][0]"), PathError::OutOfRange { .. }));
    assert!(matches!(fails("list[10]"), PathError::OutOfRange { .. }));
    assert!(matches!(
        fails("list[9][0][0][0]"),
        PathError::NoElements { .. }
    ));
    assert!(matches!(
        fails(&"a.".repeat(1000)),
        PathError::TooLong { .. }
    ));
    dunlin_xtypes::MemberPath::new(&ty, "list[9][1][2]").unwrap();
}

#[test]
fn elements_can_be_said_in_full() {
    let rule = dunlin_xtypes::TryConstruct::Trim;
    let ty = built(|types| {
        let element = Element {
            try_construct: rule,
            ..types.string(8).into()
        };
        types.sequence(element, 4)
    });
    assert_eq!(
        (ty.kind(), ty.bound(), ty.words().as_str()),
        (TypeKind::Sequence, Some(4), "sequence<string>")
    );
    let element = ty.element().unwrap();
    assert_eq!(
        (element.try_construct, ty.at(element.ty).bound()),
        (rule, Some(8))
    );
}
