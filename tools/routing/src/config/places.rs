//! Where the entities of a plan were written.
use crate::plan::Path;
use dunlin_document::Span;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Places of entities, by their path.
#[derive(Clone, Debug, Default)]
pub struct Places {
    spans: BTreeMap<String, Span>,
    files: Vec<PathBuf>,
}

impl Places {
    /// Remembers where an entity, or a part of it, was written.
    pub(super) fn set(&mut self, path: impl Into<String>, span: Span) {
        self.spans.insert(path.into(), span);
    }

    /// A file is read that the configuration names.
    pub(super) fn read(&mut self, file: impl Into<PathBuf>) {
        self.files.push(file.into());
    }

    /// The files that the configuration names, such as those with types and profiles.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Where the entity of a path was written.
    pub fn entity(&self, path: &Path) -> Option<Span> {
        self.at(&path.0)
    }

    /// Where this very path was written.
    pub(super) fn exact(&self, path: &str) -> Option<Span> {
        self.spans.get(path).copied()
    }

    /// Where a path was written, or what it is a part of.
    pub(super) fn at(&self, path: &str) -> Option<Span> {
        let mut path = path;
        loop {
            if let Some(span) = self.spans.get(path) {
                return Some(*span);
            }
            path = path.rsplit_once('/')?.0;
        }
    }
}

/// Paths as RTI has them.
pub(crate) mod path {
    pub(crate) fn service(name: &str) -> String {
        format!("/routing_services/{name}")
    }

    pub(crate) fn domain_route(service: &str, name: &str) -> String {
        format!("{service}/domain_routes/{name}")
    }

    pub(crate) fn connection(domain_route: &str, name: &str) -> String {
        format!("{domain_route}/connections/{name}")
    }

    pub(crate) fn session(domain_route: &str, name: &str) -> String {
        format!("{domain_route}/sessions/{name}")
    }

    pub(crate) fn route(session: &str, name: &str) -> String {
        format!("{session}/routes/{name}")
    }

    pub(crate) fn auto_route(session: &str, name: &str) -> String {
        format!("{session}/auto_routes/{name}")
    }

    pub(crate) fn input(route: &str, name: &str) -> String {
        format!("{route}/inputs/{name}")
    }

    pub(crate) fn output(route: &str, name: &str) -> String {
        format!("{route}/outputs/{name}")
    }
}
