//! The XML of RTI Routing Service.
//!
//! [`validate`] goes through a document by the table of elements and reports what does not belong
//! there; what follows reads what it needs and may take names for granted.
use super::elements::Context;
use super::places::{Places, path};
use super::values;
use crate::types::Types;
use dunlin_document::{Document, Element, Problem, Problems, SourceId, Span, Value, quoted};
use dunlin_profiles::ProfileSet;
use std::collections::BTreeMap;

mod domain_route;
mod idl;
mod includes;
mod plugins;
mod qos;
mod route;
mod service;
mod session;
mod types;
mod validate;

pub(super) use includes::Includes;
pub(super) use validate::validate;

/// A service of a document, and its name.
#[derive(Clone, Copy)]
pub(super) struct Named<'d> {
    /// Its name.
    pub(super) name: &'d str,
    /// Where the name stands, or the tag.
    pub(super) span: Span,
    pub(super) element: Element<'d>,
}

/// The services of a document.
pub(super) fn services<'d>(document: &'d Document) -> Vec<Named<'d>> {
    let all = document.root().children();
    let services = all.filter(|element| element.name() == "routing_service");
    let named = services.map(|element| {
        let name = element.attribute("name");
        Named {
            name: name.map_or("routing_service", |name| name.text),
            span: name.map_or(element.span(), |name| name.span),
            element,
        }
    });
    named.collect()
}

/// Values of variables that documents give for when nobody else does.
pub(super) fn variables(document: &Document) -> Vec<(String, String)> {
    let all = document.root().children();
    let variables = all.filter(|element| element.name() == "configuration_variables");
    let children: Vec<_> = variables.flat_map(|element| element.children()).collect();
    let elements = children.into_iter().flat_map(|child| match child.name() {
        "value" => child.children().collect(),
        _ => vec![child],
    });
    let pairs = elements.filter_map(|element| {
        let name = element.child("name")?.text()?;
        let value = element.child("value").and_then(|value| value.text());
        Some((
            name.text.to_owned(),
            value.map_or(String::new(), |value| value.text.to_owned()),
        ))
    });
    pairs.collect()
}

/// Reads the elements of one service.
pub(super) struct Reader<'r> {
    pub(super) documents: &'r [Document],
    pub(super) places: &'r mut Places,
    pub(super) problems: &'r mut Problems,
    /// Is added to the domains of data.
    pub(super) domain_base: u32,
    /// Whether the types of `<types>` have keys.
    pub(super) types: BTreeMap<String, bool>,
    /// What they are, by the names under which they are registered, too.
    pub(super) route_types: Types,
    /// The profiles of all documents.
    pub(super) profiles: ProfileSet,
    /// The text of the built-in profiles.
    pub(super) built_in: Option<SourceId>,
    /// What `<plugin_library>` says, by `Library::Name`.
    pub(super) plugins: BTreeMap<String, plugins::Defined>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(
        (documents, includes): (&'r [Document], &Includes),
        profiles: &Document,
        domain_base: u32,
        places: &'r mut Places,
        problems: &'r mut Problems,
    ) -> Self {
        let mut reader = Self {
            documents,
            places,
            problems,
            domain_base,
            types: types::keyed(documents, includes),
            route_types: Types::default(),
            profiles: ProfileSet::default(),
            built_in: None,
            plugins: BTreeMap::new(),
        };
        let all = std::iter::once(profiles).chain(documents);
        reader.profiles = ProfileSet::load(all, reader.problems);
        reader.built_in = Some(profiles.source());
        reader.plugin_libraries();
        reader.route_types = idl::types(documents, includes, reader.problems);
        reader
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem::error(span, message));
    }

    /// Reports a name that is none of those that are defined.
    fn undefined(&mut self, at: Value<'_>, message: String, help: Option<String>) {
        self.problems
            .push(Problem::error(at.span, message).help(help));
    }

    /// The text of a child. A child without text is reported.
    fn text<'d>(&mut self, element: Element<'d>, name: &str) -> Option<Value<'d>> {
        let child = element.child(name)?;
        let text = child.text();
        if text.is_none() {
            let message = format!("{name} is empty");
            self.error(child.span(), message);
        }
        text
    }

    /// The text of the first of these children that is there.
    fn first_text<'d>(&mut self, element: Element<'d>, names: &[&str]) -> Option<Value<'d>> {
        let name = names.iter().find(|name| element.child(name).is_some())?;
        self.text(element, name)
    }

    fn boolean(&mut self, element: Element<'_>, name: &str, default: bool) -> bool {
        let value = self.text(element, name);
        value.map_or(default, |value| self.truth(value, default))
    }

    /// The attribute `enabled`.
    fn enabled(&mut self, element: Element<'_>) -> bool {
        let value = element.attribute("enabled");
        value.is_none_or(|value| self.truth(value, true))
    }

    fn truth(&mut self, value: Value<'_>, default: bool) -> bool {
        match value.text {
            "true" | "1" | "TRUE" | "yes" | "BOOLEAN_TRUE" | "DDS_BOOLEAN_TRUE" => true,
            "false" | "0" | "FALSE" | "no" | "BOOLEAN_FALSE" | "DDS_BOOLEAN_FALSE" => false,
            // A variable without a value was told already.
            other if other.contains("$(") => default,
            other => {
                let message = format!("{} is neither true nor false", quoted(other));
                self.error(value.span, message);
                default
            }
        }
    }

    /// A whole number within a range.
    fn number(&mut self, value: Value<'_>, most: u64) -> Option<u64> {
        let number: Option<u64> = value.text.parse().ok();
        let number = number.filter(|number| *number <= most);
        if number.is_none() && !value.text.contains("$(") {
            let message = format!("{} is no number from 0 to {most}", quoted(value.text));
            self.error(value.span, message);
        }
        number
    }

    /// A time as `<sec>` and `<nanosec>`, or as seconds.
    fn duration(&mut self, element: Element<'_>) -> Option<dunlin::Duration> {
        const INFINITE: [&str; 4] = [
            "DURATION_INFINITE_SEC",
            "DURATION_INFINITE_NSEC",
            "DURATION_INFINITY_SEC",
            "DURATION_INFINITE",
        ];
        let (sec, nanosec) = (element.child("sec"), element.child("nanosec"));
        let parts = [sec.or(Some(element)), nanosec].map(|part| part.and_then(|part| part.text()));
        if sec.is_none() && nanosec.is_none() && parts[0].is_none() {
            let message = format!("{} has neither sec nor nanosec", element.name());
            self.error(element.span(), message);
            return None;
        }
        let is_infinite =
            |part: &Option<Value<'_>>| part.is_some_and(|p| INFINITE.contains(&p.text));
        if parts.iter().any(is_infinite) {
            return Some(dunlin::Duration::INFINITE);
        }
        let [sec, nanosec] = parts;
        let sec = match sec {
            Some(sec) => self.number(sec, u64::from(u32::MAX))?,
            None => 0,
        };
        let nanosec = match nanosec {
            Some(nanosec) => self.number(nanosec, 999_999_999)?,
            None => 0,
        };
        Some(dunlin::Duration::from_nanos(
            (sec * 1_000_000_000 + nanosec) as i64,
        ))
    }

    /// The name of an entity: its attribute, or one by its position.
    fn name(&mut self, element: Element<'_>, position: usize) -> String {
        let Some(name) = element.attribute("name") else {
            return format!("{}_{}", element.name(), position + 1);
        };
        if let Err(message) = values::name(name.text) {
            self.error(name.span, message);
        }
        name.text.to_owned()
    }

    /// Reports a name that an entity before this one has.
    fn once(&mut self, element: Element<'_>, what: &str, path: &str) {
        let span = element.attribute("name").map(|name| name.span);
        let span = span.unwrap_or(element.span());
        if let Some(first) = self.places.exact(path) {
            let name = path.rsplit('/').next().unwrap_or_default();
            let message = format!("there are two {what}s {}", quoted(name));
            let problem = Problem::error(span, message);
            self.problems.push(problem.note(first, "the first one"));
        } else {
            self.places.set(path, span);
        }
    }
}

/// The children that are of one of these names, each with its position among its like.
fn each<'d>(element: Element<'d>, names: &[&'static str]) -> Vec<(usize, Element<'d>)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let children = element.children();
    let those = children.filter(|child| names.contains(&child.name()));
    let numbered = those.map(|child| {
        let count = counts.entry(child.name()).or_default();
        *count += 1;
        (*count - 1, child)
    });
    numbered.collect()
}
