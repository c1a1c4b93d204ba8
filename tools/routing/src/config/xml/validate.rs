//! A document by the table of elements.
use super::super::elements::{self, Class, Inside};
use super::Context;
use dunlin_document::{Attribute, Document, Element, Problem, Problems, did_you_mean, quoted};
use std::collections::BTreeSet;

/// Reports what does not belong where it stands. What is unknown is an error, or a warning if
/// `lenient`.
pub(in super::super) fn validate(document: &Document, lenient: bool, problems: &mut Problems) {
    let root = document.root();
    let mut validator = Validator {
        lenient,
        problems,
        told: BTreeSet::new(),
    };
    match root.name() {
        "dds" => validator.element(root, Context::Dds),
        name => {
            let message = format!("the outermost element is {}", quoted(name));
            let help = "a configuration begins with <dds>".to_owned();
            let problem = Problem::error(root.span(), message).help(help);
            validator.problems.push(problem);
        }
    }
}

struct Validator<'v> {
    lenient: bool,
    problems: &'v mut Problems,
    /// What was said that is ignored: once is enough.
    told: BTreeSet<(Context, &'static str)>,
}

impl Validator<'_> {
    fn element(&mut self, element: Element<'_>, context: Context) {
        for attribute in element.attributes() {
            self.attribute(element, attribute, context);
        }
        if let Some(text) = element.text() {
            let message = format!("there is text in {}", element.name());
            let help = "only elements stand here".to_owned();
            self.problems
                .push(Problem::error(text.span, message).help(help));
        }
        for child in element.children() {
            self.child(element, child, context);
        }
    }

    fn child(&mut self, element: Element<'_>, child: Element<'_>, context: Context) {
        let Some(row) = elements::find(context, child.name()) else {
            return self.unknown_element(element, child, context);
        };
        match (row.class, row.inside) {
            (Class::Ignored, _) => {
                if self.told.insert((context, row.name)) {
                    let message = format!("{} is ignored: {}", row.name, row.says);
                    self.problems.push(Problem::warning(child.span(), message));
                }
            }
            (Class::Refused, _) => {
                let message = format!("{} is not supported", quoted(row.name));
                let problem = Problem::error(child.span(), message);
                self.problems.push(problem.help(refusal(row)));
            }
            (Class::Read, Inside::Elements(inside)) => self.element(child, inside),
            (Class::Read, Inside::Text) => self.leaf(child),
            (Class::Read, Inside::Other) => {}
        }
    }

    /// An element that has text only.
    fn leaf(&mut self, element: Element<'_>) {
        if let Some(child) = element.children().next() {
            let message = format!("{} has an element in it", quoted(element.name()));
            let help = "only text stands here".to_owned();
            self.problems
                .push(Problem::error(child.span(), message).help(help));
        }
    }

    fn unknown_element(&mut self, element: Element<'_>, child: Element<'_>, context: Context) {
        let name = child.name();
        let message = format!("unknown element {} in {}", quoted(name), element.name());
        let allowed = || elements::names(context).map(|row| row.name);
        let help = did_you_mean(name, allowed()).unwrap_or_else(|| {
            let allowed: Vec<_> = allowed().collect();
            format!("allowed are {}", allowed.join(", "))
        });
        self.unknown(child.span(), message, help);
    }

    fn attribute(&mut self, element: Element<'_>, attribute: Attribute<'_>, context: Context) {
        let known = elements::attributes(context);
        let name = attribute.name;
        if attribute.namespace.is_some() || known.contains(&name) {
            return;
        }
        let message = format!("unknown attribute {} of {}", quoted(name), element.name());
        let help = did_you_mean(name, known.iter().copied());
        let help = help.unwrap_or_else(|| match known {
            [] => "it has none".to_owned(),
            known => format!("it has {}", known.join(", ")),
        });
        self.unknown(attribute.span, message, help);
    }

    fn unknown(&mut self, span: dunlin_document::Span, message: String, help: String) {
        let problem = match self.lenient {
            true => Problem::warning(span, message),
            false => Problem::error(span, message),
        };
        self.problems.push(problem.help(help));
    }
}

/// Why an element is refused, and what takes its place.
fn refusal(row: &elements::Element) -> String {
    match row.within {
        Context::DomainRoute => {
            let (kind, _) = row.name.split_once('_').unwrap_or((row.name, ""));
            format!("{}: write <{kind} name=\"..\">", row.says)
        }
        _ => row.says.to_owned(),
    }
}
