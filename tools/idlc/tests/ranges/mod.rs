//! Values in and out of their ranges, for code that was made with `range_checks`.

#![allow(dead_code, unreachable_pub)]

use std::path::Path;

use dunlin_idlc::emit::{self, Choices, File};
use dunlin_idlc::plan::{Part, Plan};
use dunlin_idlc::{Model, Options, parse_str};
use serde_json::{Value as Json, json};

use crate::values::{self, Value, WORLDS};

/// The types, and the files that are made of them.
pub fn made(language: &str) -> (Model, Vec<File>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ranges");
    let idl = std::fs::read_to_string(folder.join("ranges.idl")).unwrap();
    let options = Options::default();
    let parsed = parse_str("ranges.idl", &idl, &options);
    let model = parsed.model.clone();
    let model = model.unwrap_or_else(|| panic!("{}", parsed.rendered()));
    let choices = Choices {
        all: true,
        range_checks: true,
        ..Choices::default()
    };
    let emitted = emit::emit(
        &parsed,
        &options,
        emit::language(language).unwrap(),
        &choices,
    );
    let reports = emitted.reports.list();
    assert!(!emitted.files.is_empty(), "{reports:#?}");
    (model, emitted.files)
}

/// A payload, and what is said of it: `None` if it is a value.
pub struct Question {
    pub ty: String,
    /// It is a key.
    pub is_key: bool,
    pub payload: Vec<u8>,
    /// The member, and what is wrong with it.
    pub fault: Option<(String, String)>,
}

impl Question {
    /// Whether an answer of a driver is right.
    pub fn is_answered_by(&self, answer: &str) -> bool {
        match &self.fault {
            None => answer.starts_with("ok "),
            Some((member, words)) => {
                answer.starts_with(&format!("error {member}")) && answer.contains(words.as_str())
            }
        }
    }

    /// A line for a driver.
    pub fn line(&self) -> String {
        let hex: String = self
            .payload
            .iter()
            .map(|one| format!("{one:02x}"))
            .collect();
        match self.is_key {
            true => format!("key:{} {hex}", self.ty),
            false => format!("{} {hex}", self.ty),
        }
    }
}

/// The member that is out of its range, if one is, and what is said of it.
type Fault = Option<(&'static str, &'static str)>;

/// A value of `All`, in which all is at an end of its range.
fn all() -> Json {
    json!({
        "id": 1000, "i8": -5, "u8": 200, "o": 9, "i16": -300, "u16": 60000,
        "i32": -2147483647, "u32": 4000000000_u32, "i64": "9223372036854775806",
        "u64": "18446744073709551614", "f32": -1.5, "f64": 2.5, "c": "Z", "w": "š",
        "level": "MIDDLE", "maybe": 3, "mild": 20.0, "ratio": 1.0, "ratios": [0.0, 1.0],
        "rows": [[0.0, 1.0], [0.5, 0.25]], "shares": [[1, 0.0], [12, 1.0]], "months": [1, 12],
        "pair": {"a": -10, "b": 100}, "pairs": [{"a": 10, "b": 0}],
        "twins": [{"a": 0, "b": 0}, {"a": 10, "b": 100}], "held": {"a": 1, "b": 2},
        "choice": {"_d": 1, "a": 7}, "few": {"_d": 1, "a": 4}, "any": 4294967295_u32,
        "free": {"a": -2147483648, "b": 4294967295_u32},
    })
}

fn loose() -> Json {
    json!({"place": {"a": 1, "b": 2}, "k": 9, "v": 5, "r": 0.5})
}

fn with(of: Json, member: &str, value: Json) -> Json {
    let mut of = of;
    of[member] = value;
    of
}

/// Values, each with the member that is out of its range, if one is.
fn cases() -> Vec<(&'static str, Json, Fault)> {
    let mut cases = vec![
        ("Ranges::All", all(), None),
        ("Ranges::Loose", loose(), None),
        ("Ranges::Derived", json!({"a": 10, "b": 0, "c": 3}), None),
        (
            "Ranges::Plain",
            json!({"a": -2147483648, "free": {"a": 5, "b": 5}}),
            None,
        ),
    ];
    let mut without = all();
    without.as_object_mut().unwrap().remove("maybe");
    cases.push(("Ranges::All", without, None));
    let of_all = [
        (
            "id",
            json!(1001),
            "id",
            "1001 is outside of the range 0 to 1000",
        ),
        (
            "id",
            json!(-1),
            "id",
            "-1 is outside of the range 0 to 1000",
        ),
        ("i8", json!(6), "i8", "6 is outside of the range -5 to 5"),
        ("i8", json!(-6), "i8", "-6 is outside of the range -5 to 5"),
        (
            "u8",
            json!(255),
            "u8",
            "255 is outside of the range 200 and below",
        ),
        (
            "o",
            json!(10),
            "o",
            "10 is outside of the range 9 and below",
        ),
        (
            "i16",
            json!(-301),
            "i16",
            "-301 is outside of the range -300 and above",
        ),
        (
            "u16",
            json!(65535),
            "u16",
            "65535 is outside of the range 60000 and below",
        ),
        (
            "i32",
            json!(-2147483648_i64),
            "i32",
            "-2147483648 is outside of the range -2147483647 to 2147483646",
        ),
        (
            "u32",
            json!(4294967295_u32),
            "u32",
            "4294967295 is outside of the range 2 to 4000000000",
        ),
        (
            "u32",
            json!(1),
            "u32",
            "1 is outside of the range 2 to 4000000000",
        ),
        (
            "i64",
            json!("-9223372036854775808"),
            "i64",
            "-9223372036854775808 is outside of the range -9223372036854775807 to 9223372036854775806",
        ),
        (
            "u64",
            json!("18446744073709551615"),
            "u64",
            "18446744073709551615 is outside of the range 18446744073709551614 and below",
        ),
        (
            "f32",
            json!(1.75),
            "f32",
            "1.75 is outside of the range -1.5 to 1.5",
        ),
        (
            "f64",
            json!(-3.5),
            "f64",
            "-3.5 is outside of the range -2.5 to 2.5",
        ),
        (
            "c",
            json!("["),
            "c",
            "91 is outside of the range 90 and below",
        ),
        (
            "w",
            json!("\u{162}"),
            "w",
            "354 is outside of the range 353 and below",
        ),
        (
            "level",
            json!("HIGH"),
            "level",
            "6 is outside of the range 5 and below",
        ),
        (
            "maybe",
            json!(4),
            "maybe",
            "4 is outside of the range 1 to 3",
        ),
        (
            "mild",
            json!(-2.0),
            "mild",
            " is outside of the range -1.5 to 20.0",
        ),
        (
            "mild",
            json!(20.5),
            "mild",
            "20.5 is outside of the range -1.5 to 20.0",
        ),
        (
            "ratio",
            json!(1.25),
            "ratio",
            "1.25 is outside of the range 0.0 to 1.0",
        ),
        (
            "ratios",
            json!([0.5, -0.5]),
            "ratios",
            "-0.5 is outside of the range 0.0 to 1.0",
        ),
        (
            "rows",
            json!([[0.0, 0.0], [0.0, 1.5]]),
            "rows",
            "1.5 is outside of the range 0.0 to 1.0",
        ),
        (
            "shares",
            json!([[13, 0.5]]),
            "shares",
            "13 is outside of the range 1 to 12",
        ),
        (
            "shares",
            json!([[12, 2.5]]),
            "shares",
            "2.5 is outside of the range 0.0 to 1.0",
        ),
        (
            "months",
            json!([3, 0]),
            "months",
            "0 is outside of the range 1 to 12",
        ),
    ];
    for (member, value, named, words) in of_all {
        let named = format!("Ranges::All.{named}");
        let fault: (&'static str, &'static str) = (named.leak(), words);
        cases.push(("Ranges::All", with(all(), member, value), Some(fault)));
    }
    let pair = "11 is outside of the range -10 to 10";
    let in_pair = Some(("Ranges::Pair.a", pair));
    let wrong = json!({"a": 11, "b": 0});
    for (member, value) in [
        ("pair", wrong.clone()),
        ("pairs", json!([{"a": 0, "b": 0}, wrong])),
        ("twins", json!([{"a": 0, "b": 0}, wrong])),
        ("held", wrong.clone()),
        ("choice", json!({"_d": 3, "p": wrong})),
    ] {
        cases.push(("Ranges::All", with(all(), member, value), in_pair));
    }
    for (member, value, fault) in [
        (
            "choice",
            json!({"_d": 1, "a": 8}),
            ("Ranges::Choice.a", "8 is outside of the range 7 and below"),
        ),
        (
            "choice",
            json!({"_d": 2, "r": 1.5}),
            ("Ranges::Choice.r", "1.5 is outside of the range 0.0 to 1.0"),
        ),
        (
            "few",
            json!({"_d": 1, "a": 3}),
            ("Ranges::Few.a", "3 is outside of the range 4 and above"),
        ),
        (
            "few",
            json!({"_d": 3, "b": 3}),
            ("Ranges::Few._d", "3 is outside of the range 2 and below"),
        ),
    ] {
        cases.push(("Ranges::All", with(all(), member, value), Some(fault)));
    }
    cases.extend([
        (
            "Ranges::Loose",
            with(loose(), "k", json!(0)),
            Some(("Ranges::Loose.k", "0 is outside of the range 1 to 9")),
        ),
        (
            "Ranges::Loose",
            with(loose(), "v", json!(6)),
            Some(("Ranges::Loose.v", "6 is outside of the range 5 and below")),
        ),
        (
            "Ranges::Loose",
            with(loose(), "r", json!(-1.0)),
            Some(("Ranges::Loose.r", " is outside of the range 0.0 to 1.0")),
        ),
        (
            "Ranges::Loose",
            with(loose(), "place", wrong.clone()),
            in_pair,
        ),
        (
            "Ranges::Derived",
            json!({"a": 10, "b": 0, "c": 4}),
            Some(("Ranges::Derived.c", "4 is outside of the range 3 and below")),
        ),
        (
            "Ranges::Node",
            json!({"value": 9, "children": [{"value": 1, "children": [
                {"value": 10, "children": []}]}]}),
            Some((
                "Ranges::Node.value",
                "10 is outside of the range 9 and below",
            )),
        ),
    ]);
    cases
}

/// Payloads in all encodings, of values and of their keys.
pub fn questions(model: &Model) -> Vec<Question> {
    let mut all_of_them = Vec::new();
    let plan = Plan::new(&model.tree, model.types.iter().map(|entry| entry.index));
    let mut values: Vec<(&str, Value, Fault)> = cases()
        .into_iter()
        .map(|(name, json, fault)| {
            let ty = model.find(name).unwrap();
            (name, values::json::value(&ty, &json), fault)
        })
        .collect();
    // JSON has no such numbers.
    let ty = model.find("Ranges::All").unwrap();
    let nan = "is outside of the range";
    for (member, bits, named) in [
        ("f32", u128::from(f32::NAN.to_bits()), "Ranges::All.f32"),
        ("f64", u128::from(f64::NAN.to_bits()), "Ranges::All.f64"),
        ("mild", u128::from(f32::NAN.to_bits()), "Ranges::All.mild"),
        (
            "ratio",
            u128::from(f64::INFINITY.to_bits()),
            "Ranges::All.ratio",
        ),
    ] {
        let mut value = values::json::value(&ty, &all());
        if let Value::Structure(members) = &mut value {
            let found = members.iter_mut().find(|one| one.0 == member);
            found.unwrap().1 = Value::Number(bits);
        }
        values.push(("Ranges::All", value, Some((named, nan))));
    }
    for (name, value, fault) in values {
        let ty = model.find(name).unwrap();
        for world in WORLDS {
            let owned = |(one, other): (&str, &str)| (one.to_string(), other.to_string());
            all_of_them.push(Question {
                ty: name.into(),
                is_key: false,
                payload: values::payload(&plan, &ty, &value, Part::Whole, world),
                fault: fault.map(owned),
            });
            if !ty.has_key() {
                continue;
            }
            // What is no key is not there, so nothing is wrong with it.
            let of_key = ["Ranges::All.id", "Ranges::Loose.k", "Ranges::Pair.a"];
            let is_of_all = name == "Ranges::All";
            let fault = fault.filter(|fault| {
                of_key.contains(&fault.0) && !(is_of_all && fault.0 == "Ranges::Pair.a")
            });
            all_of_them.push(Question {
                ty: name.into(),
                is_key: true,
                payload: values::payload(&plan, &ty, &value, Part::Key, world),
                fault: fault.map(owned),
            });
        }
    }
    all_of_them
}

/// Writes the files into a folder.
pub fn write(files: &[File], to: &Path) {
    for file in files {
        let path = to.join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

/// Asks a driver all questions; `answers` is what it says to lines.
pub fn ask_all(model: &Model, answers: impl FnOnce(&[String]) -> Vec<String>) {
    let questions = questions(model);
    let lines: Vec<String> = questions.iter().map(Question::line).collect();
    ask(&questions, &answers(&lines));
}

/// What a program of each language has to say that writes a value, changes one of its members, and
/// so on; the last line is about a key hash, which Java leaves to the library.
pub fn refused(said: &str) {
    let expected = [
        "written",
        "Ranges::All.i8: 6 is outside of the range -5 to 5",
        "written",
        "Ranges::Pair.a: 11 is outside of the range -10 to 10",
        "Ranges::All.f32: nan is outside of the range -1.5 to 1.5",
        "Ranges::All.id: -1 is outside of the range 0 to 1000",
        "Ranges::All.id: -1 is outside of the range 0 to 1000",
    ];
    // Each language has its own name for what is no number.
    let said = said.replace("-nan", "nan").replace("NaN", "nan");
    let said: Vec<&str> = said.lines().map(str::trim).collect();
    assert!(said.len() >= expected.len() - 1, "{said:?}");
    assert_eq!(said, expected[..said.len().min(expected.len())]);
}

/// Asks a driver.
pub fn ask(questions: &[Question], answers: &[String]) {
    assert!(questions.len() > 200 && questions.len() == answers.len());
    let mut wrong = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        if !question.is_answered_by(answer) {
            wrong.push(format!(
                "{}\n{:?}\n{answer}\n",
                question.line(),
                question.fault
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.concat()
    );
}
