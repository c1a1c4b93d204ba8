//! Modules within each other, and their text.

/// What the compiler and its lints would say about names and documentation is said about the IDL.
/// There may be more than the program uses.
const ALLOW: &str = "#[allow(clippy::all, dead_code, missing_docs, nonstandard_style, rustdoc::all, unreachable_pub)]\n";

/// A piece of a module.
pub(super) enum Item {
    /// Lines that are indented with their module; the lints that are silenced stand in front.
    Code(String),
    /// Lines as the IDL has them.
    Verbatim(String),
}

impl Item {
    pub(super) fn code(text: String) -> Self {
        Self::Code(text)
    }

    pub(super) fn verbatim(text: &str) -> Self {
        Self::Verbatim(text.into())
    }
}

/// A module; one that is reopened in the IDL is there once.
#[derive(Default)]
pub(super) struct Module {
    name: String,
    pub(super) docs: Option<String>,
    pub(super) items: Vec<Item>,
    modules: Vec<Module>,
}

impl Module {
    /// The module at a path, which is made if it is not there.
    pub(super) fn at(&mut self, path: &[String]) -> &mut Self {
        let Some((first, rest)) = path.split_first() else {
            return self;
        };
        let known = self.modules.iter().position(|module| module.name == *first);
        let index = known.unwrap_or_else(|| {
            self.modules.push(Self {
                name: first.clone(),
                ..Self::default()
            });
            self.modules.len() - 1
        });
        // The index is that of a module which is there.
        #[allow(clippy::indexing_slicing)]
        self.modules[index].at(rest)
    }

    pub(super) fn extend(&mut self, items: impl Iterator<Item = Item>) {
        self.items.extend(items);
    }

    pub(super) fn print(&self) -> String {
        let mut text = String::new();
        self.content(0, &mut text);
        text
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.modules.iter().all(Self::is_empty)
    }

    fn content(&self, depth: usize, text: &mut String) {
        let mut between = "";
        for item in &self.items {
            text.push_str(between);
            between = "\n";
            match item {
                Item::Verbatim(lines) => {
                    text.push_str(lines);
                    text.push_str(if lines.ends_with('\n') { "" } else { "\n" });
                }
                Item::Code(lines) => item_of(lines, depth, text),
            }
        }
        for module in self.modules.iter().filter(|module| !module.is_empty()) {
            text.push_str(between);
            between = "\n";
            let docs = docs(module.docs.as_deref());
            item_of(&format!("{docs}pub mod {} {{\n", module.name), depth, text);
            module.content(depth + 1, text);
            indent("}\n", depth, text);
        }
    }
}

/// An item that is in no module silences lints, behind its documentation.
fn item_of(lines: &str, depth: usize, text: &mut String) {
    let docs = lines
        .split_inclusive('\n')
        .take_while(|line| line.starts_with("///"));
    let (docs, rest) = lines.split_at(docs.map(str::len).sum());
    indent(docs, depth, text);
    if depth == 0 {
        text.push_str(ALLOW);
    }
    indent(rest, depth, text);
}

fn indent(lines: &str, depth: usize, text: &mut String) {
    for line in lines.lines() {
        if !line.is_empty() {
            text.extend(std::iter::repeat_n("    ", depth));
            text.push_str(line);
        }
        text.push('\n');
    }
}

/// Documentation as comments.
pub(super) fn docs(text: Option<&str>) -> String {
    let lines = text.unwrap_or_default().lines();
    let lines = lines.map(|line| match line.trim_end() {
        "" => "///\n".into(),
        line => format!("/// {}\n", line.replace('\r', " ")),
    });
    lines.collect()
}
