//! IDL text, and what the preprocessor makes of several files.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dunlin_idlc::dump::{self, Selection};
use dunlin_idlc::source::Memory;
use dunlin_idlc::{Options, Parsed, limits, report};

fn options() -> Options {
    Options {
        // A fuzzer is slow, and so is a machine with many of them.
        time_limit: Duration::from_secs(600),
        ..Options::default()
    }
}

/// Each report can be shown, as text and as JSON, and there are not too many.
fn reported(parsed: &Parsed) {
    assert!(parsed.reports.list().len() <= limits::REPORTS);
    for one in parsed.reports.list().iter().take(8) {
        let text = report::render(&parsed.sources, one, report::Style::Plain);
        assert!(text.contains(one.code.text()));
        let line = report::json(&parsed.sources, one);
        assert!(line.starts_with('{') && !line.contains('\n'));
    }
    assert_eq!(parsed.model.is_none(), parsed.reports.has_errors());
}

/// A file without mistakes is printed as one that means the same.
pub fn idl(data: &[u8]) {
    let path = Path::new("a.idl");
    let nothing = Memory::default();
    let parsed = dunlin_idlc::parse(path, Some(data.to_vec()), &options(), &nothing);
    reported(&parsed);
    let Some(model) = parsed.model else { return };
    let all = Selection {
        all: true,
        name: None,
    };
    let printed = dump::idl(&model, &all);
    let again = dunlin_idlc::parse_str("b.idl", &printed, &options());
    let Some(again) = &again.model else {
        panic!("{printed}\n{}", again.rendered());
    };
    assert_eq!(dump::idl(again, &all), printed);
    assert_eq!(model.types.len(), again.types.len(), "{printed}");
    dump::json(&model, &all);
}

/// Files with NUL between them include each other. What is printed after the preprocessor comes
/// out the same of another run.
pub fn idl_preprocessor(data: &[u8]) {
    let names = ["a.idl", "b.idl", "c.idl"];
    let files = names.iter().zip(data.splitn(3, |byte| *byte == 0));
    let files: HashMap<PathBuf, Vec<u8>> = files
        .map(|(name, text)| (PathBuf::from(name), text.to_vec()))
        .collect();
    let files = Memory(files);
    let (text, parsed) = dunlin_idlc::preprocess(Path::new("a.idl"), None, &options(), &files);
    reported_without_model(&parsed);
    let has_errors = parsed.reports.has_errors();
    reported(&dunlin_idlc::parse(
        Path::new("a.idl"),
        None,
        &options(),
        &files,
    ));
    if has_errors {
        return;
    }
    let again = Some(text.clone().into_bytes());
    let again = dunlin_idlc::preprocess(Path::new("a.idl"), again, &options(), &Memory::default());
    assert!(
        !again.1.reports.has_errors(),
        "{text}\n{}",
        again.1.rendered()
    );
    assert_eq!(words(&again.0), words(&text));
}

fn reported_without_model(parsed: &Parsed) {
    assert!(parsed.reports.list().len() <= limits::REPORTS);
}

/// Text without its lines: a macro may spread what is printed on one line over others.
fn words(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("#line"));
    lines
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect()
}
