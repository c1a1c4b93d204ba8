//! Rust that checks ranges, as the test `emit` makes it of `ranges/ranges.idl`, and what is refused
//! before it is made.

// What is made is for programs with the crate `dunlin`; this one has what it needs of it.
extern crate self as dunlin;

pub use dunlin_cdr as cdr;
pub use dunlin_derive::{Data, Topic};

#[path = "ranges/made.rs"]
#[rustfmt::skip]
#[allow(dead_code)]
mod made;
mod ranges;
mod values;

use bytes::BytesMut;
use dunlin_cdr::{
    Error, Topic as _, Xcdr, faulty_member, from_payload, key_from_payload, key_hash,
};
use dunlin_cdr::{key_to_payload, to_payload};
use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Options, parse_str};
use made::Ranges as types;
use ranges::Question;

/// What is said of a payload, as the drivers of other languages say it.
fn answer<T: dunlin_cdr::Topic>(question: &Question) -> String {
    let read = match question.is_key {
        true => key_from_payload::<T>(&question.payload).map(|value| {
            key_to_payload(&value, Xcdr::V2, &mut BytesMut::new()).unwrap();
            key_hash(&value).unwrap();
        }),
        false => from_payload::<T>(&question.payload).map(|value| {
            for xcdr in [Xcdr::V1, Xcdr::V2] {
                to_payload(&value, xcdr, &mut BytesMut::new()).unwrap();
            }
        }),
    };
    match (read, &question.fault) {
        (Ok(()), _) => "ok ".into(),
        // What is read has no names.
        (Err(error @ Error::OutOfRange { .. }), Some((member, words))) => {
            let (found, wanted) = (error.to_string(), words.split("is outside").next());
            let is_number = found.starts_with(wanted.unwrap().trim_end());
            // Of several typedefs it names the one that says so, and literals by their names.
            match is_number {
                true => format!("error {member}: {words}"),
                false => format!("error {member}: {found}"),
            }
        }
        (Err(error), _) => format!("error: {error}"),
    }
}

#[test]
fn numbers_out_of_their_ranges_are_not_read() {
    let (model, _) = ranges::made("rust");
    let questions = ranges::questions(&model);
    let answers = questions.iter().map(|question| match &*question.ty {
        "Ranges::All" => answer::<types::All>(question),
        "Ranges::Loose" => answer::<types::Loose>(question),
        "Ranges::Derived" => answer::<types::Derived>(question),
        "Ranges::Node" => answer::<types::Node>(question),
        _ => answer::<types::Plain>(question),
    });
    let answers: Vec<String> = answers.collect();
    ranges::ask(&questions, &answers);
}

fn written<T: dunlin_cdr::Topic>(value: &T) -> Result<(), String> {
    let written = to_payload(value, Xcdr::V2, &mut BytesMut::new());
    written.map_err(|error| {
        let member = faulty_member(value, false).unwrap_or_default();
        format!("{member}: {error}")
    })
}

#[test]
fn numbers_out_of_their_ranges_are_not_written() {
    let mut value = types::All::default();
    assert_eq!(types::All::TYPE_NAME, "Ranges::All");
    assert_eq!(written(&value), Ok(()));
    value.i8 = 6;
    let key = |value: &types::All| key_to_payload(value, Xcdr::V1, &mut BytesMut::new());
    assert_eq!(key(&value), Ok(()));
    let said = "i8 (int8): 6 is outside of the range -5 to 5";
    assert_eq!(written(&value), Err(said.into()));
    value.i8 = 5;
    value.twins[1].a = 11;
    let said = "twins[1].a (int32): 11 is outside of the range -10 to 10";
    assert_eq!(written(&value), Err(said.into()));
    value.twins[1].a = 10;
    value.ratios = vec![0.5, f64::NAN];
    let said = "ratios[1] (double): NaN is outside of the range 0.0 to 1.0";
    assert_eq!(written(&value), Err(said.into()));
    value.ratios.clear();
    value.maybe = Some(0);
    let said = "maybe (int32): 0 is outside of the range 1 to 3";
    assert_eq!(written(&value), Err(said.into()));
    value.maybe = None;
    assert_eq!(written(&value), Ok(()));
    value.id = -1;
    assert!(matches!(key(&value), Err(Error::OutOfRange { .. })));
    assert!(matches!(key_hash(&value), Err(Error::OutOfRange { .. })));
}

fn reports(idl: &str, language: &str) -> Vec<String> {
    let options = Options::default();
    let parsed = parse_str("one.idl", idl, &options);
    assert!(parsed.model.is_some(), "{}", parsed.rendered());
    let choices = Choices {
        range_checks: true,
        ..Choices::default()
    };
    let emitted = emit::emit(
        &parsed,
        &options,
        emit::language(language).unwrap(),
        &choices,
    );
    assert_eq!(emitted.files.is_empty(), emitted.reports.has_errors());
    let reports = emitted.reports.list().iter();
    reports
        .map(|one| format!("{} {}", one.code.text(), one.message))
        .collect()
}

#[test]
fn members_begin_within_their_ranges() {
    let idl = "@range(min=1, max=12) typedef octet Month;
        @final struct S {
            Month first;
            @default(2) Month second;
            @optional Month third;
            sequence<Month> fourth;
            Month fifth[2];
            @min(0.5) float sixth;
            @max(1.0) long double seventh;
        };
        @final union U switch (long) { case 1: @min(3) long a; };";
    for language in ["rust", "c", "cpp98", "java", "csharp"] {
        let found = reports(idl, language);
        let expected = [
            "E0906 S.first has the range 1 to 12, and it begins as 0",
            "E0906 S.fifth has the range 1 to 12, and the elements begin as 0",
            "E0906 S.sixth has the range 0.5 and above, and it begins as 0.0",
            "W0905 the range of S.seventh is not checked: it is a long double",
            "E0906 U.a has the range 3 and above, and it begins as 0",
        ];
        assert_eq!(found, expected, "{language}");
    }
}

/// What is made without the choice is what was made before there was one.
#[test]
fn without_ranges_nothing_is_added() {
    let idl = "@final struct S { @key long a; sequence<double> b; };";
    let options = Options::default();
    let parsed = parse_str("one.idl", idl, &options);
    for language in ["rust", "c", "cpp98", "java", "csharp"] {
        let language = emit::language(language).unwrap();
        let texts = [false, true].map(|range_checks| {
            let choices = Choices {
                range_checks,
                ..Choices::default()
            };
            let emitted = emit::emit(&parsed, &options, language, &choices);
            let files = emitted.files.iter();
            // The first lines tell of the options.
            let texts = files.map(|file| file.text.lines().skip(2).collect::<Vec<_>>().join("\n"));
            texts.collect::<Vec<String>>()
        });
        assert_eq!(texts[0], texts[1]);
    }
}
