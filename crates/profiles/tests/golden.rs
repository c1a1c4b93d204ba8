//! Files in `golden/`, and beside each what comes of it: its problems, and the effective settings
//! of its profiles. `DUNLIN_BLESS=1` writes the latter anew.

use std::fmt::Write;
use std::path::Path;

use dunlin_document::Variables;
use dunlin_profiles::{Entity, Loader};

fn outcome(name: &str, text: &str) -> String {
    let variables = Variables::with_environment([]);
    let profiles = Loader::with_variables(variables).text(name, text).inspect();
    let mut out = profiles.problems().render(profiles.sources());
    let file = profiles.files().first().copied();
    let infos = profiles.profiles();
    for info in infos.iter().filter(|info| Some(info.span.source) == file) {
        let _ = writeln!(out, "{}", info.name);
        for base in &info.bases {
            let _ = writeln!(out, "  on {base}");
        }
        for (entity, topic) in cases(info) {
            let settings = profiles
                .settings(&info.name, entity, topic.as_deref())
                .unwrap();
            let topic = topic.map_or_else(String::new, |topic| format!(" of topic {topic}"));
            let _ = writeln!(out, "  {}{topic}", entity.element());
            for (path, setting) in settings.iter() {
                let at = profiles.sources().file_and_line(setting.span);
                let _ = writeln!(out, "    {path} = {} ({at})", setting.value);
            }
        }
    }
    for note in profiles.notes() {
        let at = profiles.sources().file_and_line(note.span);
        let _ = writeln!(out, "{at}: noted: {}: {}", note.path, note.says);
    }
    let _ = writeln!(out, "{}", profiles.summary());
    out
}

/// Each entity that a profile says something of, and topics that its filters fit.
fn cases(info: &dunlin_profiles::ProfileInfo) -> Vec<(Entity, Option<String>)> {
    let mut cases: Vec<(Entity, Option<String>)> = Vec::new();
    for entity in Entity::ALL {
        let filters = info.own.iter().filter(|(own, _)| *own == entity);
        let filters: Vec<_> = filters.filter_map(|(_, filter)| filter.clone()).collect();
        let is_own = info.own.iter().any(|(own, _)| *own == entity);
        if is_own || !info.bases.is_empty() && matches!(entity, Entity::Writer | Entity::Reader) {
            cases.push((entity, None));
        }
        if !filters.is_empty() {
            let topics = ["RawImage", "Range", "S1", "Other"];
            cases.extend(topics.map(|topic| (entity, Some(topic.to_owned()))));
        }
    }
    cases
}

#[test]
fn each_file_comes_out_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "xml"))
        .collect();
    files.sort();
    assert!(files.len() >= 60, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let found = outcome(&name, &std::fs::read_to_string(&file).unwrap());
        let expected_file = file.with_extension("txt");
        if std::env::var_os("DUNLIN_BLESS").is_some() {
            std::fs::write(&expected_file, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&expected_file).unwrap_or_default();
        if found != expected {
            wrong.push(format!(
                "--- {name}: expected\n{expected}--- found\n{found}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
