//! `docs/languages.md` has every operation of DDS 1.4 with its name in each language: each name is
//! one that the sources or headers have.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How many operations the standard has (DDS 1.4 2.2.2), each of its own name in its class.
const OPERATIONS: usize = 164;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of all files below a folder that end so.
fn texts(folder: &str, ends: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ends) {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    assert!(!texts.is_empty(), "nothing in {folder} ends in {ends}");
    texts
}

/// The classes of a language, with what each has, and from which others it has more.
#[derive(Default)]
struct Classes {
    members: BTreeSet<(String, String)>,
    bases: BTreeMap<String, Vec<String>>,
}

impl Classes {
    fn has(&self, class: &str, member: &str) -> bool {
        let bases = self.bases.get(class).into_iter().flatten();
        self.members.contains(&(class.into(), member.into()))
            || bases.into_iter().any(|base| self.has(base, member))
    }
}

/// The first word of a text that is a name.
fn word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Public functions by the type of their `impl`, and functions of public traits.
fn rust() -> Classes {
    let mut classes = Classes::default();
    for text in texts("crates/dds/src", ".rs")
        .into_iter()
        .chain(texts("crates/qos/src", ".rs"))
    {
        let mut class: Option<(String, &str)> = None;
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("impl") {
                class = Some((implemented(head), "    pub fn "));
            } else if let Some(head) = line.strip_prefix("pub trait ") {
                class = Some((word(head).into(), "    fn "));
            } else if line == "}" {
                class = None;
            } else if let Some((class, begin)) = &class
                && let Some(function) = line.strip_prefix(begin)
            {
                let function = word(function).to_owned();
                classes.members.insert((class.clone(), function));
            }
        }
    }
    // Typed handles are untyped ones with a codec.
    for typed in ["Topic", "ContentFilteredTopic"] {
        let untyped = vec![format!("Untyped{typed}")];
        classes.bases.insert(typed.into(), untyped);
    }
    for (typed, untyped) in [
        ("DataWriter", "UntypedWriter"),
        ("DataReader", "UntypedReader"),
        ("QueryCondition", "ReadCondition"),
    ] {
        classes.bases.insert(typed.into(), vec![untyped.into()]);
    }
    classes
}

/// Whose members follow: `<T: TopicData> DataReader<T> {` is `DataReader`.
fn implemented(head: &str) -> String {
    let head = match head.strip_prefix('<') {
        None => head,
        Some(_) => {
            let mut depth = 0;
            let end = head.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            });
            &head[end.map_or(0, |end| end + 1)..]
        }
    };
    let of = head.split_once(" for ").map_or(head, |(_, of)| of);
    word(of).into()
}

/// The function that a line within a class begins to declare; the body of one is indented more.
fn declared(line: &str) -> Option<&str> {
    let (before, _) = line.strip_prefix("    ")?.split_once('(')?;
    let name = before.rsplit([' ', '*', '&']).next()?;
    (!before.starts_with(' ') && name != before && word(name) == name).then_some(name)
}

/// Classes of the headers with their members and bases.
fn cpp98() -> Classes {
    let mut classes = Classes::default();
    for text in texts("bindings/cpp98/include", ".hpp") {
        let mut class: Option<String> = None;
        for line in text.lines() {
            let head = line.find("class ").map(|at| &line[at + 6..]);
            let begins = line.starts_with("class ") || line.starts_with("template ");
            if let Some(head) = head.filter(|head| begins && head.contains('{')) {
                // A template begins with the classes that are its parameters.
                let head = head.rsplit("class ").next().unwrap_or(head);
                let (name, rest) = (word(head).to_owned(), &head[word(head).len()..]);
                let bases = rest.split(',').filter_map(|base| {
                    let base = base.split("public ").nth(1)?;
                    Some(word(base.trim_start_matches("virtual ")).to_owned())
                });
                classes.bases.insert(name.clone(), bases.collect());
                class = (!line.ends_with("};")).then_some(name);
            } else if line == "};" {
                class = None;
            } else if let Some(class) = &class
                && let Some(declared) = declared(line)
            {
                classes.members.insert((class.clone(), declared.into()));
            }
        }
    }
    for (made, of) in [
        ("FooDataWriter", "TypedDataWriter"),
        ("FooDataReader", "TypedDataReader"),
        ("FooTypeSupport", "TypedSupport"),
    ] {
        classes.bases.insert(made.into(), vec![of.into()]);
    }
    classes
}

/// Functions of the header, functions that are made of a type, and the functions of a listener.
fn c() -> Classes {
    let header = root().join("crates/ffi/include/dunlin/dunlin.h");
    let header = fs::read_to_string(header).unwrap();
    let made = texts("tools/idlc/src/emit/c/typed", ".h").join("\n");
    let listener = root().join("bindings/c/include/dunlin/listener.h");
    let listener = fs::read_to_string(listener).unwrap();
    let mut classes = Classes::default();
    let mut add = |class: &str, name: &str| {
        let member = (class.to_owned(), name.to_owned());
        classes.members.insert(member);
    };
    for line in header.lines().filter(|line| line.contains(" dunlin_")) {
        if let Some((name, _)) = line.rsplit_once('(') {
            add("", name.rsplit([' ', '*']).next().unwrap_or_default());
        }
    }
    for part in made.split("static inline ").skip(1) {
        let name = part.split('(').next().unwrap_or_default();
        if let Some(name) = name.rsplit(' ').next().and_then(|n| n.strip_prefix("Foo_")) {
            add("", &format!("T_{name}"));
        }
    }
    for part in listener.split("(*").skip(1) {
        add("dunlin_callbacks", word(part));
    }
    classes
}

/// Public members of public classes and interfaces as Java and C# declare them: a class at one
/// indentation, its members at the next.
fn objects(folder: &str, ends: &str, indent: &str) -> Classes {
    let mut classes = Classes::default();
    for text in texts(folder, ends) {
        let mut class: Option<(String, bool)> = None;
        for line in text.lines() {
            let Some(line) = line.strip_prefix(indent) else {
                continue;
            };
            if let Some((name, bases)) = head(line) {
                let all = classes.bases.entry(name.clone()).or_default();
                all.extend(bases);
                class = Some((name, line.contains("interface ")));
            } else if line == "}" {
                class = None;
            } else if let Some((class, is_interface)) = &class
                && let Some(line) = line.strip_prefix("    ")
                && let Some(member) = member(line, *is_interface)
            {
                // One makes an object of a class by a member that has its name.
                let (class, member) = match member == class {
                    true => ("", format!("new {class}")),
                    false => (class.as_str(), member.to_owned()),
                };
                classes.members.insert((class.to_owned(), member));
            }
        }
    }
    classes
}

/// The class that a line begins to declare, and what it extends: `public class A<T> : B<T>`. One
/// that is not public may be the base of one that is.
fn head(line: &str) -> Option<(String, Vec<String>)> {
    let begins = ["public ", "abstract ", "class "];
    if !begins.iter().any(|word| line.starts_with(word)) {
        return None;
    }
    let line = without_parameters(line);
    let kinds = ["class", "interface", "record", "struct"];
    let end = line.find([';', '{', '(', '=']).unwrap_or(line.len());
    let mut words = line[..end].split([' ', ',', ':']).filter(|w| !w.is_empty());
    words.find(|word| kinds.contains(word))?;
    let name = words.next()?.to_owned();
    let bases = words.take_while(|word| !["permits", "where"].contains(word));
    let bases = bases.filter(|word| !["extends", "implements"].contains(word));
    Some((name, bases.map(str::to_owned).collect()))
}

/// A line without what stands between angle brackets.
fn without_parameters(line: &str) -> String {
    let mut depth = 0;
    let outside = line.chars().filter(|&c| {
        depth += i32::from(c == '<');
        let is_outside = depth == 0;
        depth -= i32::from(c == '>');
        is_outside
    });
    outside.collect()
}

/// The member that a line declares: the last word before its parameters, its accessors or its
/// value.
fn member(line: &str, is_interface: bool) -> Option<&str> {
    // All members of an interface are public.
    let is_public = match is_interface {
        true => line.starts_with(char::is_alphabetic),
        false => line.starts_with("public "),
    };
    if !is_public {
        return None;
    }
    let end = line.find(['(', '{', '=', ';']).unwrap_or(line.len());
    let declared = line[..end].trim_end();
    // Of a generic method: `Take<T>`.
    let declared = match declared.strip_suffix('>') {
        Some(_) => declared.rsplit_once('<')?.0,
        None => declared,
    };
    let (before, name) = declared.rsplit_once(' ')?;
    (!before.is_empty() && word(name) == name).then_some(name)
}

/// The tables of the page: a row is what stands under each heading.
fn rows() -> Vec<BTreeMap<String, String>> {
    let page = fs::read_to_string(root().join("docs/languages.md")).unwrap();
    let (mut rows, mut heads) = (Vec::new(), Vec::new());
    for line in page.lines() {
        let Some(cells) = line.strip_prefix("| ") else {
            if !line.starts_with("|-") {
                heads.clear();
            }
            continue;
        };
        let cells = cells.trim_end_matches('|').split(" | ");
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        if heads.is_empty() {
            heads = cells;
        } else {
            assert_eq!(cells.len(), heads.len(), "{line}");
            rows.push(heads.iter().cloned().zip(cells).collect());
        }
    }
    rows
}

/// What stands between backticks.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn each_operation_has_its_names() {
    let languages = [
        ("Rust", rust()),
        ("C", c()),
        ("C++98", cpp98()),
        ("Java", objects("bindings/java/src/main/java", ".java", "")),
        ("C#", objects("bindings/csharp/src", ".cs", "    ")),
    ];
    let mut missing = Vec::new();
    let mut operations = 0;
    for row in rows() {
        let standard = &row["DDS 1.4"];
        operations += names(standard).count();
        for (language, classes) in &languages {
            let cell = &row[*language];
            // Where there is no operation, there is a reason.
            if cell.strip_prefix("no: ").is_some_and(|why| !why.is_empty()) {
                continue;
            }
            let mut found = names(cell).peekable();
            if found.peek().is_none() {
                missing.push(format!(
                    "{standard}: neither a name nor a reason in {language}"
                ));
            }
            for name in found {
                let (class, member) = name
                    .rsplit_once("::")
                    .or_else(|| name.rsplit_once('.'))
                    .unwrap_or(("", name));
                if !classes.has(class, member) {
                    missing.push(format!("{standard}: {language} has no {name}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert_eq!(operations, OPERATIONS, "operations of the standard");
}
