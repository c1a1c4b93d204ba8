//! Files that `<types>` includes.
use dunlin_document::{
    Document, Element, Limits, Problem, Problems, SourceId, Sources, Variables, quoted,
};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The most files that are included.
const MOST_FILES: usize = 64;

/// What was included, by the file that says so and the name that it gives.
#[derive(Debug, Default)]
pub(in super::super) struct Includes {
    all: BTreeMap<(SourceId, String), Document>,
    /// Their files.
    pub(in super::super) files: Vec<PathBuf>,
}

impl Includes {
    /// Reads what documents include, and what that includes. A file counts where it is included
    /// first.
    pub(in super::super) fn of(
        documents: &[Document],
        variables: &mut Variables,
        sources: &mut Sources,
        problems: &mut Problems,
    ) -> Self {
        let mut found = Self::default();
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut waiting: Vec<(SourceId, String, PathBuf)> = Vec::new();
        for document in documents {
            waiting.extend(wanted(document, sources, problems));
        }
        while let Some((from, name, path)) = waiting.pop() {
            let same = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.contains(&same) {
                continue;
            }
            if seen.len() >= MOST_FILES {
                let message = format!("<types> includes more than {MOST_FILES} files");
                problems.push(Problem::error(None, message));
                return found;
            }
            seen.push(same);
            found.files.push(path.clone());
            let limits = Limits::default();
            let Some(mut document) = Document::read(sources, &path, &limits, problems) else {
                continue;
            };
            document.expand(sources, variables, problems);
            waiting.extend(wanted(&document, sources, problems));
            found.all.insert((from, name), document);
        }
        found
    }

    /// The types that an `include` stands for.
    pub(super) fn get(&self, include: Element<'_>) -> Vec<Element<'_>> {
        let Some(file) = include.attribute("file") else {
            return Vec::new();
        };
        let key = (include.span().source, file.text.to_owned());
        self.all.get(&key).map_or_else(Vec::new, types_of)
    }
}

/// The `<types>` of a document; of one that is included it may be the outermost element.
pub(super) fn types_of(document: &Document) -> Vec<Element<'_>> {
    let root = document.root();
    if root.name() == "types" {
        return vec![root];
    }
    let all = root.children();
    all.filter(|element| element.name() == "types").collect()
}

/// The files that a document includes.
fn wanted(
    document: &Document,
    sources: &Sources,
    problems: &mut Problems,
) -> Vec<(SourceId, String, PathBuf)> {
    let source = document.source();
    let directory = Path::new(sources.name(source)).parent();
    let directory = directory.map(Path::to_path_buf).unwrap_or_default();
    let children = types_of(document)
        .into_iter()
        .flat_map(|types| types.children());
    let mut all = Vec::new();
    for include in children.filter(|child| child.name() == "include") {
        let Some(file) = include.attribute("file") else {
            problems.push(Problem::error(include.span(), "include has no file"));
            continue;
        };
        let below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(file.text).components().all(below) {
            let message = format!("{} is not below this file", quoted(file.text));
            let help = "a configuration includes files of its directory".to_owned();
            problems.push(Problem::error(file.span, message).help(help));
            continue;
        }
        all.push((source, file.text.to_owned(), directory.join(file.text)));
    }
    // The last one is taken first.
    all.reverse();
    all
}
