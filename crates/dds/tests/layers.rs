//! The folders of `crates/dds/src` are layers; the sources are read and their imports checked:
//! typed -> untyped -> entity -> discovery -> send, receive -> status -> runtime
//! (docs/architecture.md).
//!
//! What still breaks a rule is listed in `layers/exceptions.txt` with a number. A test fails if
//! there is more than the list says, and if there is less, so that the list only shrinks.
//!
//! Names that `lib.rs` or a `mod.rs` passes on count as imports of the file that has them. Methods
//! need no import: those of `pub(crate)` that `typed` calls are told by their names.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

#[path = "layers/source.rs"]
mod source;
use source::{Import, Sources};

/// The layers from the top. Those of one line may use each other. The first and the last have no
/// folder: they are files beside `lib.rs`.
const LAYERS: [&[&str]; 9] = [
    &["simulation", "builtin_subscriber"],
    &["typed"],
    &["untyped"],
    &["entity"],
    &["discovery"],
    &["send", "receive"],
    &["status"],
    &["runtime"],
    &["error", "return_code"],
];

/// No more files than this shall import each other in a circle.
const CIRCLE_GOAL: usize = 10;

/// No file shall have more lines than this.
const LINES_GOAL: usize = 600;

/// The listed size of a file is a multiple of this, so that the list need not follow each line.
const LINES_STEP: usize = 50;

/// The list of exceptions, from the root of the repository.
const LIST: &str = "crates/dds/tests/layers/exceptions.txt";

/// What is counted, by the place that it is about.
type Counts = BTreeMap<String, usize>;

/// The same with the names of what is counted, as lines of a message.
type Found = BTreeMap<String, (usize, String)>;

#[test]
fn no_folder_imports_from_a_folder_above_it() {
    let sources = Sources::read(&crate_folder().join("src"));
    let upward = sources.imports().into_iter().filter(|import| {
        let (from, to) = (layer(&import.from), layer(&import.to));
        from > to
    });
    compare(
        "arrow",
        &by_folder(upward),
        "Pass what it needs in from above, or let the lower folder have a trait that the upper \
         one implements.",
    );
}

#[test]
fn typed_uses_only_what_untyped_and_entity_show_to_everybody() {
    let sources = Sources::read(&crate_folder().join("src"));
    let public = sources.public_items();
    let imports = sources.imports().into_iter();
    let imports = imports.filter(|import| import.from.starts_with("typed/"));
    let hidden = imports
        .chain(sources.hidden_calls("typed/"))
        .filter(|import| match folder(&import.to) {
            "typed" | "error" | "return_code" => false,
            "untyped" | "entity" | "status" => !public.contains(&import.target()),
            _ => true,
        });
    compare(
        "typed",
        &by_folder(hidden),
        "Use a public item of `untyped` or `entity`; if there is none for this, programs and \
         other languages lack it too.",
    );
}

#[test]
fn no_large_circle_of_files_import_each_other() {
    let sources = Sources::read(&crate_folder().join("src"));
    let circle = largest_circle(&sources.imports());
    let mut found = Found::new();
    if circle.len() > CIRCLE_GOAL {
        let members = circle.iter().map(|file| format!("\n    {file}")).collect();
        found.insert("crates/dds/src".to_owned(), (circle.len(), members));
    }
    compare(
        "circle",
        &found,
        &format!(
            "Do without the import that is new: files that all need each other can only be \
             understood together; the goal is {CIRCLE_GOAL}."
        ),
    );
}

#[test]
fn no_file_has_more_than_600_lines() {
    let crates = crate_folder().join("..");
    let mut found = Found::new();
    for entry in fs::read_dir(&crates).expect("crates/") {
        let entry = entry.expect("an entry of crates/");
        let sources = entry.path().join("src");
        for file in source::files(&sources) {
            let text = fs::read_to_string(sources.join(&file)).expect("a source file");
            let lines = text.lines().count();
            if lines > LINES_GOAL {
                let name = format!("crates/{}/src/{file}", entry.file_name().to_string_lossy());
                let size = lines.next_multiple_of(LINES_STEP);
                found.insert(name, (size, String::new()));
            }
        }
    }
    compare(
        "lines",
        &found,
        &format!(
            "A file above {LINES_GOAL} lines needs a seam: move one noun of it to a file of its \
             own. (Sizes are rounded up to {LINES_STEP} lines.)"
        ),
    );
}

#[test]
fn the_check_sees_what_it_is_for() {
    let sources = Sources::of([
        (
            "lib.rs",
            "mod entity; mod runtime; mod typed; pub use typed::{Sample, view::View};",
        ),
        ("typed/mod.rs", "pub(crate) mod view; pub use view::Sample;"),
        (
            "typed/view.rs",
            "use crate::runtime::Clock as Time; fn own() { x.f(y.g::<Z>()); own() }",
        ),
        (
            "runtime/mod.rs",
            "// use crate::entity::Comment;
             use crate::{View, entity::{self, Group}};
             const TEXT: &str = \"crate::entity::Text\";
             #[cfg(test)] mod tests { use crate::entity::Tested; }
             pub(crate) fn f<'a>(x: &'a str) { let quote = '\"'; crate::Sample::new(); helper::g(x, quote) }",
        ),
        (
            "runtime/helper.rs",
            "use super::Clock; mod inner { use super::super::Clock; }",
        ),
        ("entity/mod.rs", "use std::sync::Arc; use bytes::Bytes;"),
    ]);
    let seen: Vec<String> = sources
        .imports()
        .iter()
        .map(|import| format!("{} {} {}", import.from, import.to, import.item))
        .collect();
    assert_eq!(
        seen,
        [
            "runtime/helper.rs runtime/mod.rs Clock",
            "runtime/mod.rs entity/mod.rs Group",
            "runtime/mod.rs entity/mod.rs self",
            "runtime/mod.rs runtime/helper.rs g",
            "runtime/mod.rs typed/view.rs Sample",
            "runtime/mod.rs typed/view.rs View",
            "typed/view.rs runtime/mod.rs Clock",
        ]
    );
    let calls = sources.hidden_calls("typed/");
    let calls: Vec<&str> = calls.iter().map(|call| call.item.as_str()).collect();
    assert_eq!(calls, ["f()"]);
    let circle = largest_circle(&sources.imports());
    let members: Vec<&str> = circle.iter().map(String::as_str).collect();
    assert_eq!(
        members,
        ["runtime/helper.rs", "runtime/mod.rs", "typed/view.rs"]
    );
    assert!(
        sources
            .public_items()
            .contains(&("typed/view.rs".into(), "View".into()))
    );
    assert!(
        !sources
            .public_items()
            .contains(&("runtime/mod.rs".into(), "Clock".into()))
    );
}

#[test]
fn more_than_listed_is_told_apart_from_less() {
    let found = Found::from([
        ("new".into(), (1, "\n    Item of a.rs".into())),
        ("same".into(), (2, String::new())),
        ("smaller".into(), (1, String::new())),
    ]);
    let listed = [("same", 2), ("smaller", 3), ("gone", 1)];
    let listed = listed.map(|(place, count)| (place.to_owned(), count));
    let (more, fewer) = differences("arrow", &found, &Counts::from(listed));
    assert_eq!(more, "\n  arrow new: 1, listed: 0\n    Item of a.rs");
    assert_eq!(
        fewer,
        "\n  remove the line `arrow gone: 1`\n  `arrow smaller: 3` becomes 1"
    );
}

fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of a file of `src`, or the name of a file that lies beside `lib.rs`.
fn folder(file: &str) -> &str {
    let first = file.split('/').next().unwrap_or(file);
    first.trim_end_matches(".rs")
}

/// The height of a file: 0 is the top.
fn layer(file: &str) -> usize {
    let folder = folder(file);
    let found = LAYERS.iter().position(|layer| layer.contains(&folder));
    found.unwrap_or_else(|| panic!("{file}: `{folder}` has no place in LAYERS; give it one"))
}

/// How many items each file imports from each folder, and which.
fn by_folder(imports: impl Iterator<Item = Import>) -> Found {
    let mut found = Found::new();
    for import in imports {
        let key = format!("{} -> {}", import.from, folder(&import.to));
        let (count, items) = found.entry(key).or_default();
        *count += 1;
        items.push_str(&format!("\n    {} of {}", import.item, import.to));
    }
    found
}

/// The lines of the list that begin with `rule`: `rule PLACE: NUMBER`.
fn listed(rule: &str) -> Counts {
    let text = fs::read_to_string(crate_folder().join("../..").join(LIST))
        .expect("the list of exceptions");
    let mut listed = Counts::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let parts = line.split_once(' ').and_then(|(kind, rest)| {
            let (place, number) = rest.split_once(": ")?;
            Some((kind, place.to_owned(), number.parse().ok()?))
        });
        let (kind, place, number) =
            parts.unwrap_or_else(|| panic!("`{line}` is not of the form `RULE PLACE: NUMBER`"));
        assert!(
            ["arrow", "typed", "circle", "lines"].contains(&kind),
            "`{line}`: no rule has the name `{kind}`"
        );
        if kind == rule {
            assert!(
                listed.insert(place, number).is_none(),
                "`{line}`: listed twice"
            );
        }
    }
    listed
}

/// Fails if what is found is more, or less, than what is listed.
fn compare(rule: &str, found: &Found, remedy: &str) {
    let (more, fewer) = differences(rule, found, &listed(rule));
    assert!(more.is_empty(), "more than {LIST} has. {remedy}{more}");
    assert!(fewer.is_empty(), "less than {LIST} has; tighten it:{fewer}");
}

/// Where more is found than listed, with what it is; and where less.
fn differences(rule: &str, found: &Found, listed: &Counts) -> (String, String) {
    let places: BTreeSet<&String> = found.keys().chain(listed.keys()).collect();
    let (mut more, mut fewer) = (String::new(), String::new());
    for place in places {
        let (count, items) = found.get(place).cloned().unwrap_or_default();
        let allowed = listed.get(place).copied().unwrap_or(0);
        if count > allowed {
            more += &format!("\n  {rule} {place}: {count}, listed: {allowed}{items}");
        }
        if count < allowed {
            fewer += &match count {
                0 => format!("\n  remove the line `{rule} {place}: {allowed}`"),
                _ => format!("\n  `{rule} {place}: {allowed}` becomes {count}"),
            };
        }
    }
    (more, fewer)
}

/// The largest set of files of which each reaches each other by imports.
fn largest_circle(imports: &BTreeSet<Import>) -> BTreeSet<String> {
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for import in imports {
        edges.entry(&import.from).or_default().insert(&import.to);
    }
    let reach: BTreeMap<&str, BTreeSet<&str>> = edges
        .keys()
        .map(|file| (*file, reachable(&edges, file)))
        .collect();
    let circles = reach.iter().map(|(file, others)| {
        let back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(file));
        others
            .iter()
            .filter(back)
            .map(|other| (*other).to_owned())
            .collect::<BTreeSet<_>>()
    });
    circles.max_by_key(BTreeSet::len).unwrap_or_default()
}

fn reachable<'a>(edges: &BTreeMap<&str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(file) = next.pop() {
        for to in edges.get(file).into_iter().flatten() {
            if seen.insert(*to) {
                next.push(to);
            }
        }
    }
    seen
}
