//! Files of our own: what is good is dumped, what is bad is reported, as it is written beside it.
//!
//! `DUNLIN_BLESS=1 cargo test -p dunlin-idlc --test corpus` writes what comes out into the expected
//! files; look at the difference before it is kept.

mod files;

use std::fs;
use std::path::Path;

use dunlin_idlc::dump::{self, Selection};
use dunlin_idlc::report::{self, Severity};
use dunlin_idlc::{Options, parse_str};
use files::{Beside, corpus, options, parse};

#[track_caller]
fn compare(path: &Path, extension: &str, found: &str) -> bool {
    let expected = path.with_extension(extension);
    if std::env::var_os("DUNLIN_BLESS").is_some() {
        fs::write(&expected, found).unwrap();
        return true;
    }
    let text = fs::read_to_string(&expected).unwrap_or_default();
    if text == found {
        return true;
    }
    eprintln!("{} is not as expected. It is:\n{found}", path.display());
    false
}

#[test]
fn good_files_become_the_expected_trees() {
    let mut wrong = Vec::new();
    for path in corpus("good") {
        let parsed = parse(&path);
        let reports = parsed.rendered();
        let Some(model) = &parsed.model else {
            eprintln!("{} is not good:\n{reports}", path.display());
            wrong.push(path);
            continue;
        };
        let tree = dump::tree(model, &Selection::default());
        if !compare(
            &path,
            "tree",
            &format!(
                "{tree}{}{reports}",
                if reports.is_empty() { "" } else { "\n" }
            ),
        ) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn bad_files_are_reported_as_expected() {
    let mut wrong = Vec::new();
    for path in corpus("bad") {
        let parsed = parse(&path);
        assert!(parsed.model.is_none(), "{} is good", path.display());
        if !compare(&path, "reports", &parsed.rendered()) {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn ten_mistakes_are_ten_reports() {
    let mut files = 0;
    for path in corpus("bad") {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("ten_") {
            continue;
        }
        files += 1;
        let parsed = parse(&path);
        let errors = parsed.reports.count(Severity::Error);
        assert_eq!(errors, 10, "{name}:\n{}", parsed.rendered());
    }
    assert!(files >= 3);
}

#[test]
fn what_is_printed_reads_as_an_equal_tree() {
    for path in corpus("good") {
        let parsed = parse(&path);
        let model = parsed.model.unwrap();
        let all = Selection {
            all: true,
            name: None,
        };
        let printed = dump::idl(&model, &all);
        let again = parse_str("printed.idl", &printed, &Options::default());
        let reports = again.rendered();
        let again = again
            .model
            .unwrap_or_else(|| panic!("{}:\n{printed}\n{reports}", path.display()));
        let (one, other) = (dump::tree(&model, &all), dump::tree(&again, &all));
        assert_eq!(
            sorted(&one),
            sorted(&other),
            "{}:\n{printed}",
            path.display()
        );
        let twice = dump::idl(&again, &all);
        assert_eq!(printed, twice, "{}", path.display());
        let last = parse_str("printed.idl", &twice, &Options::default())
            .model
            .unwrap();
        assert_eq!(again.tree, last.tree, "{}", path.display());
    }
}

/// Types and what is within them, in an order that does not depend on that of the file. Topics and
/// representations are not part of the tree.
fn sorted(tree: &str) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for line in tree.lines() {
        match line.starts_with(' ') {
            // A constant within a struct has no place in IDL that is printed.
            false if line.starts_with("const") && line.contains(" Outer::") => {}
            true if line.starts_with("    topic") || line.starts_with("    data rep") => {}
            true => {
                let last = types.last_mut().unwrap();
                last.push('\n');
                last.push_str(line);
            }
            false => types.push(line.to_string()),
        }
    }
    types.sort();
    types
}

#[test]
fn what_is_preprocessed_reads_as_an_equal_tree() {
    for path in corpus("good") {
        let bytes = fs::read(&path).unwrap();
        let options = options(&String::from_utf8_lossy(&bytes));
        let beside = Beside(path.parent().unwrap().into());
        let name = Path::new(path.file_name().unwrap());
        let (text, parsed) = dunlin_idlc::preprocess(name, Some(bytes), &options, &beside);
        assert!(!parsed.reports.has_errors(), "{}", path.display());
        let all = Selection {
            all: true,
            name: None,
        };
        let one = parse(&path).model.unwrap();
        // Comments are gone, and with them annotations in them; pragmas, too.
        if dump::idl(&one, &all).contains("///") || text.is_empty() {
            continue;
        }
        let Some(other) = parse_str("again.idl", &text, &options).model else {
            panic!("{}:\n{text}", path.display());
        };
        let source = fs::read_to_string(&path).unwrap_or_default();
        if !source.contains("//@") && !source.contains("#pragma") {
            assert_eq!(
                dump::tree(&one, &all),
                dump::tree(&other, &all),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn reports_are_json_too() {
    for path in corpus("bad") {
        let parsed = parse(&path);
        for one in parsed.reports.list() {
            let line = report::json(&parsed.sources, one);
            assert!(!line.contains('\n'));
            let object: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(object["code"], one.code.text());
            assert!(object["line"].as_u64().unwrap() > 0);
            assert!(object["labels"].is_array() && object["notes"].is_array());
        }
    }
}

/// Each code is the outcome of a file of the corpus or of a test of limits.
#[test]
fn each_code_has_a_file() {
    let mut text = String::new();
    for folder in ["good", "bad"] {
        for path in corpus(folder) {
            text.push_str(&parse(&path).rendered());
        }
    }
    for page in report::pages() {
        let code = page.code.text();
        // Limits, what only a file of the system can be, and what is said of code that is made have
        // tests of their own.
        if matches!(&code[1..3], "08" | "09") || code == "E0201" || code == "E0615" {
            continue;
        }
        assert!(
            text.contains(&format!("[{code}]")),
            "no file of the corpus makes {code}: {}",
            page.title
        );
    }
}
