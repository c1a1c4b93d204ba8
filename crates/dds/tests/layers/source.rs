//! Which file of a crate imports what of which other, told from the text alone.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// An item of one file that another one names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    /// The file that names the item.
    pub(crate) from: String,
    /// The file that has the item.
    pub(crate) to: String,
    /// Its name; `self` for the module itself, `*` for everything.
    pub(crate) item: String,
}

impl Import {
    /// The file and the item that are imported.
    pub(crate) fn target(&self) -> (String, String) {
        (self.to.clone(), self.item.clone())
    }
}

/// Names of functions that types of the standard library have too.
const COMMON: [&str; 4] = ["add", "filter", "map", "remove"];

/// The segments of a path or of a module's name.
type Segments = Vec<String>;

/// A path in a file, from the root of the crate.
struct Named {
    path: Segments,
    /// The name under which a `use` item passes it on, and to whom.
    passed_on: Option<(String, Audience)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Audience {
    Crate,
    Everybody,
}

#[derive(Default)]
struct File {
    path: String,
    named: Vec<Named>,
    public_modules: BTreeSet<String>,
    /// Functions and methods, and who may call them.
    functions: Vec<(String, Option<Audience>)>,
    /// Names of what is called, without what stands before them.
    calls: BTreeSet<String>,
}

/// The files of a crate by the names of their modules, without their unit tests.
pub(crate) struct Sources {
    files: BTreeMap<Segments, File>,
}

impl Sources {
    /// Reads all files of a `src` folder.
    pub(crate) fn read(folder: &Path) -> Sources {
        let texts = files(folder).into_iter().map(|file| {
            let text = fs::read_to_string(folder.join(&file)).expect("a source file");
            (file, text)
        });
        Sources::of(texts)
    }

    /// Takes paths below `src`, and texts.
    pub(crate) fn of<P: Into<String>, T: AsRef<str>>(
        texts: impl IntoIterator<Item = (P, T)>,
    ) -> Sources {
        let mut all = BTreeMap::new();
        for (path, text) in texts {
            let path: String = path.into();
            if !path.ends_with("tests.rs") {
                all.insert(module(&path), (path, text));
            }
        }
        let modules: BTreeSet<Segments> = all.keys().cloned().collect();
        let parse = |(name, (path, text)): (Segments, (String, T))| {
            let file = Parser::new(text.as_ref(), &name, &modules).file(path);
            (name, file)
        };
        Sources {
            files: all.into_iter().map(parse).collect(),
        }
    }

    /// Each item that a file takes from another one. What `lib.rs` and others pass on of their own
    /// modules is not an import of theirs.
    pub(crate) fn imports(&self) -> BTreeSet<Import> {
        let mut imports = BTreeSet::new();
        for (module, file) in self.files.iter().filter(|(module, _)| !module.is_empty()) {
            for named in &file.named {
                if named.passed_on.is_some() && named.path.starts_with(module) {
                    continue;
                }
                if let Some((to, item)) =
                    self.resolve(&named.path).filter(|(to, _)| *to != file.path)
                {
                    imports.insert(Import {
                        from: file.path.clone(),
                        to,
                        item,
                    });
                }
            }
        }
        imports
    }

    /// Files and items that a program can name.
    pub(crate) fn public_items(&self) -> BTreeSet<(String, String)> {
        let mut items = BTreeSet::new();
        for (_, file) in self
            .files
            .iter()
            .filter(|(module, _)| self.is_public(module))
        {
            for named in &file.named {
                if let Some((_, Audience::Everybody)) = named.passed_on {
                    items.extend(self.resolve(&named.path));
                }
            }
        }
        items
    }

    /// Functions and methods that files of `folder` call, and that other folders have for this
    /// crate only. Told by name: one that anybody has for everybody, that `folder` has too, or that
    /// is [common](COMMON), is left out.
    pub(crate) fn hidden_calls(&self, folder: &str) -> BTreeSet<Import> {
        let is_inside = |file: &&File| file.path.starts_with(folder);
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        let mut known = BTreeSet::from(COMMON);
        for file in self.files.values().rev() {
            for (name, audience) in &file.functions {
                if *audience == Some(Audience::Crate) && !is_inside(&file) {
                    owners.entry(name).or_insert(&file.path);
                } else if *audience == Some(Audience::Everybody) || is_inside(&file) {
                    known.insert(name);
                }
            }
        }
        let files = self.files.values().filter(is_inside);
        let calls = files.flat_map(|file| file.calls.iter().map(move |name| (file, name)));
        let hidden = calls.filter_map(|(file, name)| {
            let to = owners
                .get(name.as_str())
                .filter(|_| !known.contains(name.as_str()))?;
            Some(Import {
                from: file.path.clone(),
                to: (*to).to_owned(),
                item: format!("{name}()"),
            })
        });
        hidden.collect()
    }

    fn is_public(&self, module: &[String]) -> bool {
        (0..module.len()).all(|depth| {
            let parent = self.files.get(&module[..depth]);
            parent.is_some_and(|parent| parent.public_modules.contains(&module[depth]))
        })
    }

    /// The file that has what `path` names, and the item. Nothing if it is of another crate.
    fn resolve(&self, path: &[String]) -> Option<(String, String)> {
        let mut path = path.to_vec();
        // A name may be passed on several times, but not without end.
        for _ in 0..8 {
            let known = |depth: &usize| self.files.contains_key(&path[..*depth]);
            let depth = (0..=path.len()).rev().find(known)?;
            let file = self.files.get(&path[..depth])?;
            let Some(item) = path.get(depth) else {
                return Some((file.path.clone(), "self".into()));
            };
            let same = |named: &&Named| {
                named
                    .passed_on
                    .as_ref()
                    .is_some_and(|(name, _)| name == item)
            };
            match file.named.iter().find(same) {
                Some(named) => path
                    .splice(..=depth, named.path.iter().cloned())
                    .for_each(drop),
                // The root has no items of its own, only what it passes on, also of other crates.
                None if depth == 0 => return None,
                None => return Some((file.path.clone(), item.clone())),
            }
        }
        None
    }
}

/// The paths below `folder` of all `.rs` files in it.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(below) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&below)) else {
            continue;
        };
        for entry in entries.map(|entry| entry.expect("an entry of a source folder")) {
            let path = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(format!("{path}/"));
            } else if path.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The module that a file is: `send/mod.rs` is `send`, `lib.rs` is the root.
fn module(path: &str) -> Segments {
    let path = path.trim_end_matches(".rs");
    let mut segments: Segments = path.split('/').map(str::to_owned).collect();
    if segments
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        segments.pop();
    }
    segments
}

/// Goes through the tokens of one file.
struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    /// The module in which the tokens stand: that of the file, or one within it.
    module: Segments,
    modules: &'a BTreeSet<Segments>,
    file: File,
}

impl<'a> Parser<'a> {
    fn new(text: &str, module: &[String], modules: &'a BTreeSet<Segments>) -> Parser<'a> {
        let (tokens, module) = (tokens(text), module.to_vec());
        Parser {
            tokens,
            at: 0,
            module,
            modules,
            file: File::default(),
        }
    }

    fn file(mut self, path: String) -> File {
        self.file.path = path;
        let mut depth = 0;
        let mut inline: Vec<usize> = Vec::new();
        let mut audience = None;
        while self.at < self.tokens.len() {
            let token = self.tokens[self.at].clone();
            match token.as_str() {
                "#" if self.is_next(&["#", "[", "cfg", "(", "test", ")", "]"]) => self.skip_item(),
                "pub" => {
                    audience = Some(self.audience());
                    continue;
                }
                "mod" if self.peek(2) == "{" => {
                    self.module.push(self.peek(1).to_owned());
                    inline.push(depth);
                    self.at += 1;
                }
                "mod" if audience == Some(Audience::Everybody) => {
                    let name = self.peek(1).to_owned();
                    self.file.public_modules.insert(name);
                    self.at += 1;
                }
                "use" => {
                    self.at += 1;
                    self.use_tree(Vec::new(), audience);
                }
                "const" | "async" | "unsafe" if self.peek(1) == "fn" => {
                    self.at += 1;
                    continue;
                }
                "fn" => {
                    let name = self.peek(1).to_owned();
                    self.file.functions.push((name, audience));
                    self.at += 2;
                }
                "{" => {
                    depth += 1;
                    self.at += 1;
                }
                "}" => {
                    depth -= 1;
                    if inline.last() == Some(&depth) {
                        inline.pop();
                        self.module.pop();
                    }
                    self.at += 1;
                }
                "." if matches!(self.peek(2), "(" | "::") => {
                    let name = self.peek(1).to_owned();
                    self.file.calls.insert(name);
                    self.at += 2;
                }
                _ if is_name(&token) && self.peek(1) == "::" => self.path_in_code(),
                _ => self.at += 1,
            }
            audience = None;
        }
        self.file
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn is_next(&self, tokens: &[&str]) -> bool {
        tokens
            .iter()
            .enumerate()
            .all(|(ahead, token)| self.peek(ahead) == *token)
    }

    /// `pub`, or `pub(..)`.
    fn audience(&mut self) -> Audience {
        self.at += 1;
        if self.peek(0) != "(" {
            return Audience::Everybody;
        }
        while !matches!(self.peek(0), ")" | "") {
            self.at += 1;
        }
        self.at += 1;
        Audience::Crate
    }

    /// Passes over the item that follows: to its semicolon, or the end of its block.
    fn skip_item(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            let token = self.tokens[self.at].as_str();
            depth += i32::from(matches!(token, "{" | "(" | "["))
                - i32::from(matches!(token, "}" | ")" | "]"));
            self.at += 1;
            if depth == 0 && matches!(token, ";" | "}") {
                return;
            }
        }
    }

    /// One branch of a `use` item; `prefix` stands before it.
    fn use_tree(&mut self, mut prefix: Segments, audience: Option<Audience>) {
        loop {
            match self.peek(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.use_tree(prefix.clone(), audience);
                        if self.peek(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "" => return,
                segment => prefix.push(segment.to_owned()),
            }
            self.at += 1;
            if self.peek(0) != "::" {
                break;
            }
            self.at += 1;
        }
        if prefix.len() > 1 && prefix.last().is_some_and(|last| last == "self") {
            prefix.pop();
        }
        let mut name = prefix.last().cloned().unwrap_or_default();
        if self.peek(0) == "as" {
            name = self.peek(1).to_owned();
            self.at += 2;
        }
        self.add(prefix, audience.map(|audience| (name, audience)));
    }

    /// A path in code, such as `crate::error::called(..)`.
    fn path_in_code(&mut self) {
        let starts = self.at == 0 || self.tokens[self.at - 1] != "::";
        let mut path = vec![self.peek(0).to_owned()];
        self.at += 1;
        while self.peek(0) == "::" && is_name(self.peek(1)) {
            path.push(self.peek(1).to_owned());
            self.at += 2;
        }
        if self.peek(0) == "(" {
            self.file.calls.extend(path.last().cloned());
        }
        if self.peek(0) == "::" {
            self.at += 1;
        }
        if starts {
            self.add(path, None);
        }
    }

    /// Keeps a path if it begins in this crate: with a keyword, or with a module within this one.
    fn add(&mut self, path: Segments, passed_on: Option<(String, Audience)>) {
        let mut from_root = match path[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            child => {
                let mut module = self.module.clone();
                module.push(child.to_owned());
                if !self.modules.contains(&module) {
                    return;
                }
                module
            }
        };
        for segment in &path[..] {
            if segment == "super" {
                from_root.pop();
            }
        }
        let keywords = |segment: &&String| matches!(segment.as_str(), "crate" | "self" | "super");
        let skip = path.iter().take_while(keywords).count().max(1);
        from_root.extend_from_slice(&path[skip..]);
        self.file.named.push(Named {
            path: from_root,
            passed_on,
        });
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single characters; without comments, texts, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_text(rest) {
            length
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' {
            character_or_lifetime(rest)
        } else if is_name(rest) {
            let name = |c: char| !(c.is_alphanumeric() || c == '_');
            let length = rest.find(name).unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of `r"…"` or `r#"…"#` at the start, with or without a `b` before it.
fn raw_text(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let before = rest.len() - body.len();
    Some(
        body.find(&end)
            .map_or(rest.len(), |at| before + at + end.len()),
    )
}

/// The length of what stands between `quote` and the next that is not escaped.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn character_or_lifetime(rest: &str) -> usize {
    let mut chars = rest.chars().skip(1);
    let (first, second) = (chars.next(), chars.next());
    if first == Some('\\') || second == Some('\'') {
        quoted(rest, '\'')
    } else {
        1
    }
}
