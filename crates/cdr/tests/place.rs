//! Values that their own type forbids: which member is at fault.
use bytes::BytesMut;
use dunlin_cdr::*;
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;

#[derive(Data, Clone, Default)]
#[topic(crate = "dunlin_cdr")]
struct Point {
    x: i32,
    #[topic(bound = 10)]
    name: String,
}

#[derive(Data, Clone)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
enum Mark {
    #[topic(bound = 3)]
    Words(Vec<String>),
    Nothing,
}

#[derive(Topic, Clone)]
#[topic(crate = "dunlin_cdr", name = "geo::Shape")]
struct Shape {
    #[key]
    #[topic(bound = 4)]
    color: String,
    points: Vec<Point>,
    row: [String; 2],
    mark: Mark,
    #[topic(bound = 2)]
    remark: Option<String>,
    map: BTreeMap<String, Point>,
}

fn good() -> Shape {
    Shape {
        color: "BLUE".into(),
        points: vec![Point::default(); 5],
        row: Default::default(),
        mark: Mark::Nothing,
        remark: None,
        map: BTreeMap::new(),
    }
}

#[track_caller]
fn expect(change: impl Fn(&mut Shape), member: &str, error: &str) {
    let mut shape = good();
    change(&mut shape);
    assert_eq!(faulty_member(&shape, false).as_deref(), Some(member));
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let refused = to_payload(&shape, xcdr, &mut BytesMut::new()).unwrap_err();
        assert_eq!(refused.to_string(), error);
    }
}

#[test]
fn a_fault_is_found_by_the_names_of_members() {
    assert_eq!(faulty_member(&good(), false), None);
    let nul = Error::EmbeddedNul.to_string();
    let long = |length, bound| format!("its length is {length}, at most {bound} is allowed");
    expect(
        |s| s.points[3].name = "twelve bytes".into(),
        "points[3].name (string<10>)",
        &long(12, 10),
    );
    expect(|s| s.row[1] = "\0".into(), "row[1] (string)", &nul);
    expect(
        |s| s.mark = Mark::Words(vec![String::new(); 5]),
        "mark.Words (sequence<string, 3>)",
        &long(5, 3),
    );
    expect(
        |s| s.mark = Mark::Words(vec!["\0".into()]),
        "mark.Words[0] (string)",
        &nul,
    );
    expect(
        |s| s.remark = Some("abc".into()),
        "remark (string<2>)",
        &long(3, 2),
    );
    let nameless = || Point {
        x: 0,
        name: "a\0".into(),
    };
    expect(
        |s| drop(s.map.insert("k".into(), nameless())),
        "map[value 0].name (string<10>)",
        &nul,
    );
    expect(
        |s| drop(s.map.insert("\0".into(), Point::default())),
        "map[key 0] (string)",
        &nul,
    );
}

#[test]
fn a_fault_in_a_key_is_found() {
    let mut shape = good();
    shape.points[0].name = "twelve bytes".into();
    assert_eq!(faulty_member(&shape, true), None);
    shape.color = "YELLOW".into();
    let found = faulty_member(&shape, true);
    assert_eq!(found.as_deref(), Some("color (string<4>)"));
}
