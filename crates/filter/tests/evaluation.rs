//! What is found in the bytes is what the value says: random values and expressions, against a
//! naive evaluation of the value.

#[path = "common/built.rs"]
mod built;
mod common;
#[path = "evaluation/steps.rs"]
mod steps;

use bytes::{Bytes, BytesMut};
use common::{Appendable, Final, Mode, Mutable, Other, Pick, Point, Tagged, WORLDS, payload};
use dunlin_cdr::{Char8, Extensibility, Topic, from_payload};
use dunlin_derive::Topic;
use dunlin_filter::Filter;
use dunlin_xtypes::DynamicType;
use proptest::prelude::*;

/// A value as the reference sees it.
#[derive(Debug, Clone, PartialEq)]
enum Scalar {
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Character(char),
    Text(String),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Self::Integer(n) => n.to_string(),
            Self::Float(f) => format!("{f:?}"),
            Self::Boolean(b) => b.to_string().to_uppercase(),
            Self::Character(c) => format!("'{c}'"),
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
        }
    }

    /// Small numbers, so that floats are exact.
    fn less(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a < b,
            (Self::Integer(a), Self::Float(b)) => (*a as f64) < *b,
            (Self::Float(a), Self::Integer(b)) => *a < *b as f64,
            (Self::Float(a), Self::Float(b)) => a < b,
            (Self::Boolean(a), Self::Boolean(b)) => a < b,
            (Self::Character(a), Self::Character(b)) => a < b,
            (Self::Text(a), Self::Text(b)) => a.as_bytes() < b.as_bytes(),
            other => panic!("{other:?}"),
        }
    }
}

type Getter = fn(&Appendable) -> Option<Scalar>;

fn integer(n: impl Into<i128>) -> Option<Scalar> {
    Some(Scalar::Integer(n.into()))
}

fn text(text: &str) -> Option<Scalar> {
    Some(Scalar::Text(text.to_owned()))
}

/// Members by name, and how to get them from a value.
const MEMBERS: [(&str, Getter); 33] = [
    ("color", |v| text(&v.color)),
    ("small", |v| integer(v.small)),
    ("signed", |v| integer(v.signed)),
    ("size", |v| integer(v.size)),
    ("huge", |v| integer(v.huge)),
    ("flag", |v| Some(Scalar::Boolean(v.flag))),
    ("letter", |v| Some(Scalar::Character(v.letter.0.into()))),
    ("single", |v| Some(Scalar::Float(v.single.into()))),
    ("double", |v| Some(Scalar::Float(v.double))),
    ("mode", |v| integer(v.mode as i32)),
    ("raw[1]", |v| integer(*v.raw.get(1)?)),
    ("point.x", |v| integer(v.point.x)),
    ("point.name", |v| text(&v.point.name)),
    ("point.weight", |v| v.point.weight.map(Scalar::Float)),
    ("maybe.x", |v| integer(v.maybe.as_ref()?.x)),
    ("maybe.name", |v| text(&v.maybe.as_ref()?.name)),
    ("maybe.weight", |v| {
        v.maybe.as_ref()?.weight.map(Scalar::Float)
    }),
    ("tagged.tag", |v| integer(v.tagged.tag)),
    ("tagged.note", |v| text(v.tagged.note.as_ref()?)),
    ("pick._d", |v| {
        integer(match v.pick {
            Pick::Byte(_) => -1,
            Pick::Point(_) => 0,
            Pick::Numbers(_) => 7,
            Pick::Nothing => 100,
        })
    }),
    ("pick.Byte", |v| match &v.pick {
        Pick::Byte(byte) => integer(*byte),
        _ => None,
    }),
    ("pick.Point.name", |v| match &v.pick {
        Pick::Point(point) => text(&point.name),
        _ => None,
    }),
    ("pick.Numbers[1]", |v| match &v.pick {
        Pick::Numbers(numbers) => integer(*numbers.get(1)?),
        _ => None,
    }),
    ("other._d", |v| {
        integer(match v.other {
            Other::Text(_) => Mode::Slow as i32,
            Other::Level(_) => Mode::Warp as i32,
        })
    }),
    ("other.Text", |v| match &v.other {
        Other::Text(value) => text(value),
        Other::Level(_) => None,
    }),
    ("points[0].x", |v| integer(v.points.first()?.x)),
    ("points[1].name", |v| text(&v.points.get(1)?.name)),
    ("points[1].weight", |v| {
        v.points.get(1)?.weight.map(Scalar::Float)
    }),
    ("grid[1][1]", |v| integer(v.grid[1][1])),
    ("names[1][0]", |v| text(&v.names[1][0])),
    ("pairs[1][1]", |v| text(&v.pairs.get(1)?[1])),
    ("boxed.tag", |v| integer(v.boxed.tag)),
    ("last", |v| integer(v.last)),
];

#[derive(Debug, Clone)]
enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
    Compare(usize, &'static str, Scalar),
    Reverse(Scalar, &'static str, usize),
    Between(usize, bool, Scalar, Scalar),
}

impl Expression {
    fn text(&self) -> String {
        let joined = |all: &[Self], word: &str| {
            let all: Vec<String> = all.iter().map(|one| format!("({})", one.text())).collect();
            all.join(word)
        };
        match self {
            Self::All(all) => joined(all, " AND "),
            Self::Any(any) => joined(any, " OR "),
            Self::Not(one) => format!("NOT ({})", one.text()),
            Self::Compare(at, sign, with) => {
                format!("{} {sign} {}", MEMBERS[*at].0, with.text())
            }
            Self::Reverse(with, sign, at) => {
                format!("{} {sign} {}", with.text(), MEMBERS[*at].0)
            }
            Self::Between(at, not, low, high) => {
                let not = if *not { "NOT " } else { "" };
                let (low, high) = (low.text(), high.text());
                format!("{} {not}BETWEEN {low} AND {high}", MEMBERS[*at].0)
            }
        }
    }

    fn is_true(&self, value: &Appendable) -> Option<bool> {
        let get = |at: &usize| MEMBERS[*at].1(value);
        match self {
            Self::All(all) => {
                let all: Vec<_> = all.iter().map(|one| one.is_true(value)).collect();
                match all {
                    all if all.contains(&Some(false)) => Some(false),
                    all if all.contains(&None) => None,
                    _ => Some(true),
                }
            }
            Self::Any(any) => {
                let any: Vec<_> = any.iter().map(|one| one.is_true(value)).collect();
                match any {
                    any if any.contains(&Some(true)) => Some(true),
                    any if any.contains(&None) => None,
                    _ => Some(false),
                }
            }
            Self::Not(one) => one.is_true(value).map(|is| !is),
            Self::Compare(at, sign, with) => Some(holds(&get(at)?, sign, with)),
            Self::Reverse(with, sign, at) => Some(holds(with, sign, &get(at)?)),
            Self::Between(at, not, low, high) => {
                let value = get(at)?;
                let within = !value.less(low) && !high.less(&value);
                Some(within != *not)
            }
        }
    }
}

fn holds(one: &Scalar, sign: &str, other: &Scalar) -> bool {
    let (less, greater) = (one.less(other), other.less(one));
    match sign {
        "=" => !less && !greater,
        "<>" | "!=" => less || greater,
        "<" => less,
        "<=" => !greater,
        ">" => greater,
        _ => !less,
    }
}

fn word() -> impl Strategy<Value = String> {
    "[ab']{0,2}"
}

fn weight() -> impl Strategy<Value = f64> {
    (-4..4i8).prop_map(|n| f64::from(n) / 2.0)
}

fn point() -> impl Strategy<Value = Point> {
    (-3..3i64, word(), prop::option::of(weight())).prop_map(|(x, name, weight)| Point {
        x,
        name,
        weight,
    })
}

fn tagged() -> impl Strategy<Value = Tagged> {
    (0..4u16, prop::option::of(word())).prop_map(|(tag, note)| Tagged { tag, note })
}

fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::Slow, Mode::Fast, Mode::Warp])
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        (0..3u8).prop_map(Pick::Byte),
        point().prop_map(Pick::Point),
        prop::collection::vec(-2..3i32, 0..3).prop_map(Pick::Numbers),
        Just(Pick::Nothing),
    ]
}

fn other() -> impl Strategy<Value = Other> {
    prop_oneof![
        word().prop_map(Other::Text),
        (0..3u64).prop_map(Other::Level)
    ]
}

fn value() -> impl Strategy<Value = Appendable> {
    let numbers = (0..4u8, -3..3i16, -3..3i32, 0..4u64, any::<bool>());
    let more = ("[a-c]", weight(), weight(), mode());
    let parts = (
        point(),
        prop::option::of(point()),
        tagged(),
        pick(),
        other(),
    );
    let raw = prop::collection::vec(0..3u8, 0..4);
    let points = prop::collection::vec(point(), 0..3);
    let grid = prop::array::uniform3(prop::array::uniform2(0..3u16));
    let names = prop::array::uniform2(prop::array::uniform2(word()));
    let pairs = prop::collection::vec(prop::array::uniform2(word()), 0..3);
    let map = prop::collection::btree_map(word(), 0..9u32, 0..3);
    let many = (raw, points, grid, names, pairs, map, tagged(), 0..4u32);
    (word(), numbers, more, parts, many).prop_map(|(color, numbers, more, parts, many)| {
        let (small, signed, size, huge, flag) = numbers;
        let (letter, single, double, mode) = more;
        let (point, maybe, tagged, pick, other) = parts;
        let (raw, points, grid, names, pairs, map, boxed, last) = many;
        Appendable {
            color,
            small,
            signed,
            size,
            huge,
            flag,
            letter: Char8(letter.as_bytes()[0]),
            single: single as f32,
            double,
            mode,
            raw: Bytes::from(raw),
            point,
            maybe,
            tagged,
            pick,
            other,
            points,
            grid,
            names,
            pairs,
            map,
            boxed: Box::new(boxed),
            last,
        }
    })
}

/// A value that may be compared with the member.
fn scalar(at: usize) -> BoxedStrategy<Scalar> {
    let sample = common::sample();
    let full = Appendable {
        maybe: Some(sample.point.clone()),
        ..sample
    };
    match (MEMBERS[at].0, MEMBERS[at].1(&full)) {
        ("flag", _) => any::<bool>().prop_map(Scalar::Boolean).boxed(),
        ("letter", _) => prop::char::range('a', 'c')
            .prop_map(Scalar::Character)
            .boxed(),
        (name, _) if name.ends_with("ame") || name.ends_with("note") || name.ends_with("Text") => {
            word().prop_map(Scalar::Text).boxed()
        }
        ("pick._d", _) => prop::sample::select(vec![-1i128, 0, 7, 100])
            .prop_map(Scalar::Integer)
            .boxed(),
        ("mode" | "other._d", _) => prop::sample::select(vec![-3i128, 9, 500])
            .prop_map(Scalar::Integer)
            .boxed(),
        (_, Some(Scalar::Text(_))) => word().prop_map(Scalar::Text).boxed(),
        _ => prop_oneof![
            (-3..4i128).prop_map(Scalar::Integer),
            weight().prop_map(Scalar::Float)
        ]
        .boxed(),
    }
}

fn sign() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["=", "<>", "!=", "<", "<=", ">", ">="])
}

fn expression() -> impl Strategy<Value = Expression> {
    let predicate = (0..MEMBERS.len()).prop_flat_map(|at| {
        prop_oneof![
            (sign(), scalar(at)).prop_map(move |(sign, with)| Expression::Compare(at, sign, with)),
            (sign(), scalar(at)).prop_map(move |(sign, with)| Expression::Reverse(with, sign, at)),
            (any::<bool>(), scalar(at), scalar(at))
                .prop_map(move |(not, low, high)| Expression::Between(at, not, low, high)),
        ]
    });
    predicate.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::Any),
            inner.prop_map(|one| Expression::Not(Box::new(one))),
        ]
    })
}

/// For the derived type, and for the same type when it was built.
fn filters<T: Topic>(expression: &Expression) -> [Filter; 2] {
    let (text, none) = (expression.text(), &[] as &[&str]);
    let built = built::everything(T::EXTENSIBILITY);
    [
        Filter::of::<T>(&text, none),
        Filter::new(&text, none, &built),
    ]
    .map(|filter| filter.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn the_type_that_was_built_is_the_derived_one() {
    let derived = |ty: Result<DynamicType, _>| ty.unwrap().digest().unwrap();
    let built = |extensibility| built::everything(extensibility).digest().unwrap();
    let appendable = derived(DynamicType::of::<Appendable>());
    assert_eq!(built(Extensibility::Appendable), appendable);
    let last = derived(DynamicType::of::<Final>());
    assert_eq!(built(Extensibility::Final), last);
    let mutable = derived(DynamicType::of::<Mutable>());
    assert_eq!(built(Extensibility::Mutable), mutable);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_are_judged_as_the_value_would_be(value in value(), expression in expression()) {
        let expected = Ok(expression.is_true(&value) == Some(true));
        let all = filters::<Appendable>(&expression);
        let [last, mutable] = [filters::<Final>(&expression), filters::<Mutable>(&expression)];
        for (xcdr, endianness) in WORLDS {
            let bytes = payload(&value, xcdr, endianness);
            prop_assert_eq!(all.each_ref().map(|filter| filter.evaluate(&bytes)), [expected; 2]);
            let bytes = payload(&Final::from(value.clone()), xcdr, endianness);
            prop_assert_eq!(last.each_ref().map(|filter| filter.evaluate(&bytes)), [expected; 2]);
            let bytes = payload(&Mutable::from(value.clone()), xcdr, endianness);
            prop_assert_eq!(mutable.each_ref().map(|filter| filter.evaluate(&bytes)), [expected; 2]);
        }
    }

    #[test]
    fn joined_expressions_say_what_they_say_together(
        value in value(),
        one in expression(),
        other in expression(),
    ) {
        let (xcdr, endianness) = WORLDS[0];
        let bytes = payload(&value, xcdr, endianness);
        let texts = [one.text(), other.text()];
        let parts = texts.each_ref().map(|text| (&**text, &[] as &[&str]));
        let passes = |text: &str| Filter::of::<Appendable>(text, &[] as &[&str]).unwrap().passes(&bytes);
        let [one, other] = texts.each_ref().map(|text| passes(text));
        let any = dunlin_filter::any_of(&parts).unwrap().0;
        prop_assert_eq!(passes(&any), one || other, "{}", any);
        let all = dunlin_filter::all_of(&parts).unwrap().0;
        prop_assert_eq!(passes(&all), one && other, "{}", all);
    }

    #[test]
    fn damaged_bytes_are_judged_somehow(
        value in value(),
        expression in expression(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let all = [filters::<Appendable>(&expression), filters::<Final>(&expression), filters::<Mutable>(&expression)];
        let filters = all.as_flattened();
        for (xcdr, endianness) in WORLDS {
            let all = [
                payload(&value, xcdr, endianness),
                payload(&Final::from(value.clone()), xcdr, endianness),
                payload(&Mutable::from(value.clone()), xcdr, endianness),
            ];
            for bytes in all {
                let mut bytes = BytesMut::from(bytes);
                for (at, byte) in &flips {
                    let at = at.index(bytes.len());
                    bytes[at] = *byte;
                }
                bytes.truncate(cut.index(2 * bytes.len()));
                for pair in filters.chunks(2) {
                    prop_assert_eq!(pair[0].evaluate(&bytes), pair[1].evaluate(&bytes));
                }
            }
        }
    }

    #[test]
    fn any_text_is_a_filter_or_a_fault(text in "[a-z0-9 ()<>=!'%.\\[\\]-]{0,40}", color in "(size|color|mode|NOT|AND|OR|LIKE|BETWEEN|[ ()=<>0-9'%]){0,12}") {
        for text in [text, color] {
            if let Err(fault) = Filter::of::<Appendable>(&text, &["1"]) {
                prop_assert!(text.get(fault.span()).is_some(), "{}", fault);
                prop_assert!(!fault.to_string().is_empty());
            }
        }
    }
}

#[test]
fn judging_allocates_nothing() {
    let value = common::sample();
    let expression = "color LIKE 'R%' AND points[1].name = 'bb' AND last = 57005 AND maybe.x = 1 OR size BETWEEN 1 AND 30";
    let filter = Filter::of::<Mutable>(expression, &[] as &[&str]).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(&Mutable::from(value.clone()), xcdr, endianness);
        let info = allocation_counter::measure(|| assert!(filter.passes(&bytes)));
        assert_eq!(info.count_total, 0);
    }
}

#[test]
fn members_that_an_older_sender_lacks_have_their_default_values() {
    #[derive(Topic)]
    #[topic(crate = "dunlin_cdr")]
    struct Old {
        color: String,
        small: u8,
    }
    #[derive(Topic)]
    #[topic(crate = "dunlin_cdr", extensibility = "mutable")]
    struct OldMutable {
        color: String,
        small: u8,
    }
    let expression = "small = 7 AND size = 0 AND mode = Fast AND point.name = '' AND pick._d = 100 AND grid[0][1] = 0 AND flag = FALSE";
    let none: [&str; 0] = [];
    for (xcdr, endianness) in WORLDS {
        let color = || "RED".to_owned();
        let old = Old {
            color: color(),
            small: 7,
        };
        let filter = Filter::of::<Appendable>(expression, &none).unwrap();
        assert_eq!(filter.evaluate(&payload(&old, xcdr, endianness)), Ok(true));
        let old = OldMutable {
            color: color(),
            small: 7,
        };
        let filter = Filter::of::<Mutable>(expression, &none).unwrap();
        assert_eq!(filter.evaluate(&payload(&old, xcdr, endianness)), Ok(true));
        let absent = Filter::of::<Mutable>("points[0].x >= 0 OR maybe.x >= 0", &none).unwrap();
        assert_eq!(absent.evaluate(&payload(&old, xcdr, endianness)), Ok(false));
    }
}

#[test]
fn what_is_behind_the_last_member_of_interest_is_not_looked_at() {
    let filter = Filter::of::<Final>("color = 'RED'", &[] as &[&str]).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(&Final::from(common::sample()), xcdr, endianness);
        assert!(filter.passes(&bytes[..12]));
        assert!(!filter.passes(&bytes[..11]));
    }
}

macro_rules! numbers {
    ($name:ident, $extensibility:literal) => {
        #[derive(Topic, Debug, Clone, Copy, PartialEq)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        struct $name {
            flag: bool,
            size: i64,
            grid: [[u16; 2]; 2],
            mode: Mode,
            single: f32,
        }
    };
}

numbers!(FinalNumbers, "final");
numbers!(AppendableNumbers, "appendable");
numbers!(MutableNumbers, "mutable");

/// Members that are at the same place in every sample; the filter for them goes straight there.
fn judge_numbers<T: Topic>(value: &T, expected: bool, flips: &[(prop::sample::Index, u8)]) {
    let expression = "size >= 0 AND grid[1][0] = 1 AND flag = TRUE OR mode = Warp";
    let filter = Filter::of::<T>(expression, &[] as &[&str]).unwrap();
    for (xcdr, endianness) in WORLDS {
        let bytes = payload(value, xcdr, endianness);
        assert_eq!(filter.evaluate(&bytes), Ok(expected));
        for end in 0..bytes.len() {
            // What is behind the last member is not looked at.
            let verdict = filter.evaluate(&bytes[..end]);
            let is_short = from_payload::<T>(&bytes[..end]).is_err();
            assert!(verdict.is_err() || !is_short || verdict == Ok(expected));
        }
        let mut bytes = BytesMut::from(bytes);
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        if from_payload::<T>(&bytes).is_ok() {
            assert!(filter.evaluate(&bytes).is_ok());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_judged_where_they_always_are(
        numbers in (any::<bool>(), -1..2i64, 0..3u16, mode()),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let (flag, size, cell, mode) = numbers;
        let (grid, single) = ([[7, 8], [cell, 9]], 0.5);
        let expected = size >= 0 && cell == 1 && flag || mode == Mode::Warp;
        judge_numbers(&FinalNumbers { flag, size, grid, mode, single }, expected, &flips);
        judge_numbers(&AppendableNumbers { flag, size, grid, mode, single }, expected, &flips);
        judge_numbers(&MutableNumbers { flag, size, grid, mode, single }, expected, &flips);
    }
}
