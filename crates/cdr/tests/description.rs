//! Derived types say what they are.

mod common;

use common::{Big, Mode, MutableBig, Pick, Tree};
use dunlin_cdr::{EnumeratedLiteral, Extensibility, Layout, StructureType, Type};
use dunlin_derive::{Data, Topic};

fn structure<T: Layout>() -> &'static StructureType {
    match T::describe() {
        Some(Type::Structure(of)) => of,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_struct_names_its_members_with_their_ids_keys_and_bounds() {
    let members = structure::<Big>().members.iter();
    let told: Vec<_> = members
        .map(|m| {
            let ty = (m.describe)().unwrap();
            (m.name, m.id, m.is_key, m.element.bound, ty.name())
        })
        .collect();
    let none = |name, id, ty| (name, id, false, None, ty);
    assert_eq!(
        told,
        [
            ("key", 0, true, Some(200), "string"),
            ("number", 2, true, None, "uint32"),
            ("tree", 3, true, None, "Tree"),
            none("mode", 4, "Mode"),
            none("bytes", 5, "sequence"),
            none("shorts", 6, "sequence"),
            none("flags", 7, "array"),
            none("grid", 8, "array"),
            none("leaf", 9, "optional"),
            none("words", 10, "optional"),
            none("map", 11, "map"),
        ]
    );
    assert_eq!(structure::<Big>().extensibility, Extensibility::Appendable);
    assert_eq!(
        structure::<MutableBig>().extensibility,
        Extensibility::Mutable
    );
}

#[test]
fn types_may_contain_themselves() {
    let next = structure::<Tree>().members.last().unwrap();
    let Some(Type::Optional(tree)) = (next.describe)() else {
        panic!("{next:?}");
    };
    assert!(matches!(tree(), Some(Type::Structure(of)) if core::ptr::eq(of, structure::<Tree>())));
}

#[test]
fn an_enumeration_names_its_numbers() {
    let Some(Type::Enumeration(mode)) = Mode::describe() else {
        panic!("no enumeration");
    };
    let literal = |name, value| EnumeratedLiteral { name, value };
    assert_eq!(mode.literals, [literal("Slow", -3), literal("Fast", 500)]);
    assert_eq!((mode.bit_bound, mode.default), (16, 500));
}

#[test]
fn a_union_names_its_cases_and_what_selects_them() {
    let Some(Type::Union(pick)) = Pick::describe() else {
        panic!("no union");
    };
    let told: Vec<_> = pick
        .cases
        .iter()
        .map(|case| {
            let mut labels = Vec::new();
            (case.labels)(&mut |label| labels.push(label));
            (case.name, case.id, labels, case.is_default)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("Byte", 1, vec![-1], false),
            ("Leaf", 2, vec![0], false),
            ("Numbers", 3, vec![7], false),
            ("Nothing", 4, vec![100], true),
        ]
    );
    assert!(matches!((pick.discriminator.describe)(), Some(Type::Int16)));
}

#[test]
fn labels_may_be_enumerators_characters_and_booleans() {
    #[derive(Data, Clone, Copy, PartialEq)]
    #[topic(crate = "dunlin_cdr")]
    enum Kind {
        One = 1,
        Six = 6,
    }

    #[derive(Data)]
    #[topic(crate = "dunlin_cdr", discriminator = "Kind")]
    #[allow(dead_code)]
    enum Choice {
        #[topic(case = Kind::Six)]
        Number(u8),
        #[topic(case = Kind::One)]
        Nothing,
    }

    #[derive(Topic)]
    #[topic(crate = "dunlin_cdr", name = "a::B")]
    struct Holder {
        r#type: Choice,
    }

    let Some(Type::Union(choice)) = Choice::describe() else {
        panic!("no union");
    };
    let mut labels = Vec::new();
    for case in choice.cases {
        (case.labels)(&mut |label| labels.push(label));
    }
    assert_eq!(labels, [6, 1]);
    let holder = structure::<Holder>();
    assert_eq!((holder.name, holder.members[0].name), ("a::B", "type"));
}

#[test]
fn types_within_topics_have_the_names_that_they_are_given() {
    #[derive(Data)]
    #[topic(crate = "dunlin_cdr", name = "geo::Point")]
    struct Point {
        #[allow(dead_code)]
        x: f64,
    }

    #[derive(Clone, Copy, Data)]
    #[topic(crate = "dunlin_cdr", name = "geo::Color")]
    #[allow(dead_code)]
    enum Color {
        Red,
        Green,
    }

    #[derive(Data)]
    #[topic(crate = "dunlin_cdr", name = "geo::Shape")]
    #[allow(dead_code)]
    enum Shape {
        At(Point),
        Plain(Color),
    }

    let names = [Point::describe(), Color::describe(), Shape::describe()];
    let names = names.map(|ty| ty.map(|ty| ty.name()));
    let expected = ["geo::Point", "geo::Color", "geo::Shape"];
    assert_eq!(names, expected.map(Some));
}
