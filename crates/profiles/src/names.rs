//! Names in documents: of profiles, and of attributes.

use std::collections::HashMap;

use dunlin_document::{Document, Element, Problem, Problems, Span, Value, did_you_mean, quoted};

/// Where names are defined, before they are.
pub(crate) type Defined = HashMap<String, Span>;

/// All names that documents define.
pub(crate) fn definitions(documents: &[&Document]) -> Defined {
    let mut defined = Defined::new();
    for document in documents {
        let libraries = document.root().children();
        for library in libraries.filter(|child| child.name() == "qos_library") {
            let Some(of) = library.attribute("name") else {
                continue;
            };
            for child in library.children() {
                if let Some(name) = child.attribute("name") {
                    let full = format!("{}::{}", of.text, name.text);
                    defined.entry(full).or_insert(name.span);
                }
            }
        }
    }
    defined
}

pub(crate) fn required_name<'d>(
    element: Element<'d>,
    problems: &mut Problems,
) -> Option<Value<'d>> {
    match element.attribute("name") {
        Some(name) if !name.text.is_empty() && !name.text.contains("::") => return Some(name),
        Some(name) => {
            let message = format!(
                "{} cannot be a name: names are not empty, and have no ::",
                quoted(name.text)
            );
            problems.push(Problem::error(name.span, message));
        }
        None => {
            let message = format!("<{}> has no name: write name=\"..\"", element.name());
            problems.push(Problem::error(element.span(), message));
        }
    }
    None
}

/// Attributes that are not known are errors, but for those of other namespaces.
pub(crate) fn attributes(element: Element<'_>, known: &[&str], problems: &mut Problems) {
    let own = element.attributes().filter(|one| one.namespace.is_none());
    for attribute in own.filter(|one| !known.contains(&one.name)) {
        let name = quoted(attribute.name);
        let message = format!("unknown attribute {name} of <{}>", element.name());
        let near = did_you_mean(attribute.name, known.iter().copied());
        problems.push(Problem::error(attribute.span, message).help(near));
    }
}
