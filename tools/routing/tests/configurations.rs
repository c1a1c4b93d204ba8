//! Right and wrong configurations, and what is said of them.
//!
//! Beside each file that is not without problems is a `.txt` of its name with the report. With
//! `DUNLIN_UPDATE=1` in the environment the reports are written anew.
use dunlin_routing::config::convert::{Language, convert};
use dunlin_routing::config::{Configuration, Input, Options, load};
use std::fs;
use std::path::{Path, PathBuf};

fn files(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(directory);
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_report = |path: &PathBuf| path.extension().is_some_and(|end| end == "txt");
    let mut files: Vec<_> = paths.filter(|path| !is_report(path)).collect();
    files.sort();
    files
}

fn read(path: &Path) -> Configuration {
    let name = path.file_name().unwrap().to_string_lossy();
    let text = fs::read_to_string(path).unwrap();
    let name = name.into_owned();
    load(&[Input::Text { name, text }], &Options::default())
}

/// Compares a report with that beside the file; says how they differ.
fn compare(path: &Path, report: &str) -> Result<(), String> {
    let mut name = path.as_os_str().to_owned();
    name.push(".txt");
    let beside = PathBuf::from(name);
    if std::env::var_os("DUNLIN_UPDATE").is_some() {
        match report.is_empty() {
            true => drop(fs::remove_file(&beside)),
            false => fs::write(&beside, report).unwrap(),
        }
        return Ok(());
    }
    let expected = fs::read_to_string(&beside).unwrap_or_default();
    match expected == report {
        true => Ok(()),
        false => Err(format!(
            "{}:\n{report}expected:\n{expected}",
            path.display()
        )),
    }
}

#[test]
fn right_configurations_become_plans() {
    let mut wrong = Vec::new();
    let files = files("right");
    for path in &files {
        let read = read(path);
        if read.plan.is_none() {
            wrong.push(format!("{}:\n{}", path.display(), read.report()));
        } else {
            wrong.extend(compare(path, &read.report()).err());
        }
    }
    assert!(files.len() >= 40, "{}", files.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_configurations_are_refused_with_these_words() {
    let mut wrong = Vec::new();
    let files = files("wrong");
    for path in &files {
        let read = read(path);
        if read.plan.is_some() {
            wrong.push(format!("{} becomes a plan", path.display()));
        }
        wrong.extend(compare(path, &read.report()).err());
    }
    assert!(files.len() >= 60, "{}", files.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads what a conversion has written.
fn read_again(path: &Path, text: &str) -> Result<dunlin_routing::plan::Plan, String> {
    let text = text.to_owned();
    let name = "converted".to_owned();
    let read = load(&[Input::Text { name, text }], &Options::default());
    let report = read.report();
    read.plan
        .ok_or_else(|| format!("{}:\n{report}", path.display()))
}

#[test]
fn converting_twice_changes_nothing() {
    let mut wrong = Vec::new();
    for path in files("right") {
        let Some(plan) = read(&path).plan else {
            continue;
        };
        for language in [Language::Xml, Language::Toml] {
            let once = convert(&plan, language).text;
            let twice = read_again(&path, &once).map(|plan| convert(&plan, language).text);
            let again = twice.as_deref().map(|text| read_again(&path, text));
            match again {
                Ok(Ok(plan)) => {
                    let again = convert(&plan, language);
                    // What has no counterpart is not there the second time.
                    if Ok(&again.text) != twice.as_ref() || !again.lost.is_empty() {
                        wrong.push(format!("{}:\n{once}again:\n{}", path.display(), again.text));
                    }
                }
                Ok(Err(report)) => wrong.push(format!("{report}{once}")),
                Err(report) => wrong.push(format!("{report}{once}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
