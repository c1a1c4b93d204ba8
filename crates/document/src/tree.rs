//! XML as a tree of elements.

use std::ops::Range;
use std::path::Path;

use roxmltree::{Error, Node, ParsingOptions};

use crate::scan;
use crate::{Limits, Problem, Problems, SourceId, Sources, Span, Variables, quoted};

/// A text and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'d> {
    /// The text.
    pub text: &'d str,
    /// Where it stands; of a text with variables, where these are.
    pub span: Span,
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'d> {
    /// Its name, without a prefix.
    pub name: &'d str,
    /// Where the name stands.
    pub span: Span,
    /// The namespace of its prefix, if it has one.
    pub namespace: Option<&'d str>,
    /// Its value.
    pub value: Value<'d>,
}

#[derive(Debug)]
struct Text {
    text: String,
    span: Span,
}

#[derive(Debug)]
struct Named {
    name: String,
    span: Span,
    namespace: Option<String>,
    value: Text,
}

#[derive(Debug)]
struct Data {
    name: String,
    span: Span,
    parent: Option<usize>,
    children: Vec<usize>,
    attributes: Vec<Named>,
    text: Option<Text>,
}

/// An XML file that was read.
#[derive(Debug)]
pub struct Document {
    source: SourceId,
    /// The root first, each element before its children.
    elements: Vec<Data>,
}

impl Document {
    /// Reads a text, which gets its place among the sources. `None` after an error.
    pub fn parse(
        sources: &mut Sources,
        name: impl Into<String>,
        text: impl Into<String>,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<Self> {
        let source = sources.add(name, text, limits, problems)?;
        Self::of_source(sources, source, limits, problems)
    }

    /// Reads a file. `None` after an error.
    pub fn read(
        sources: &mut Sources,
        path: &Path,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<Self> {
        let source = sources.read(path, limits, problems)?;
        Self::of_source(sources, source, limits, problems)
    }

    /// Reads a text that has its place. `None` after an error.
    pub fn of_source(
        sources: &Sources,
        source: SourceId,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<Self> {
        let text = sources.text(source);
        let span = |at: usize| Span::new(source, at..at);
        if let Err(excess) = scan::check(text, limits) {
            problems.push(Problem::error(span(excess.at), excess.message));
            return None;
        }
        let options = ParsingOptions {
            allow_dtd: false,
            nodes_limit: limits.nodes,
            ..ParsingOptions::default()
        };
        match roxmltree::Document::parse_with_options(text, options) {
            Ok(parsed) => Self::build(source, text, &parsed, limits, problems),
            Err(error) => {
                let at = span(offset(text, &error));
                problems.push(Problem::error(at, message(&error)));
                None
            }
        }
    }

    fn build(
        source: SourceId,
        text: &str,
        parsed: &roxmltree::Document<'_>,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut elements: Vec<Data> = Vec::new();
        let mut open = vec![(parsed.root_element(), None)];
        while let Some((node, parent)) = open.pop() {
            let index = elements.len();
            let element = Data::of(source, text, node, parent);
            if let Some(long) = element
                .longest()
                .filter(|t| t.text.len() > limits.text_bytes)
            {
                let most = limits.text_bytes;
                let at = Span::new(source, long.span.range().start..long.span.range().start);
                problems.push(Problem::error(
                    at,
                    format!("a text has more than {most} bytes"),
                ));
                return None;
            }
            elements.push(element);
            if let Some(parent) = parent.and_then(|parent: usize| elements.get_mut(parent)) {
                parent.children.push(index);
            }
            let children = node.children().filter(Node::is_element);
            let mut children: Vec<_> = children.map(|child| (child, Some(index))).collect();
            children.reverse();
            open.append(&mut children);
        }
        Some(Self { source, elements })
    }

    /// Its file.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The outermost element.
    pub fn root(&self) -> Element<'_> {
        Element {
            document: self,
            index: 0,
        }
    }

    /// Puts the values of variables into all texts and attributes, but for those within
    /// `<configuration_variables>`.
    pub fn expand(
        &mut self,
        sources: &Sources,
        variables: &mut Variables,
        problems: &mut Problems,
    ) {
        let mut skipped = vec![false; self.elements.len()];
        for index in 0..self.elements.len() {
            let Some(element) = self.elements.get_mut(index) else {
                return;
            };
            let above = element.parent.and_then(|parent| skipped.get(parent));
            let is_skipped =
                above.copied().unwrap_or(false) || element.name == "configuration_variables";
            if let Some(skipped) = skipped.get_mut(index) {
                *skipped = is_skipped;
            }
            if is_skipped {
                continue;
            }
            let attributes = element.attributes.iter_mut().map(|named| &mut named.value);
            for text in attributes.chain(element.text.as_mut()) {
                let written = sources.slice(text.span);
                let expanded = variables.expand(&text.text, text.span, written, problems);
                if let Some(expanded) = expanded {
                    text.text = expanded;
                }
            }
        }
    }
}

impl Data {
    fn of(source: SourceId, text: &str, node: Node<'_, '_>, parent: Option<usize>) -> Self {
        let start = node.range().start + 1;
        let tag = text.get(start..).unwrap_or_default();
        let end = tag.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
        let end = start + end.unwrap_or(tag.len());
        let attributes = node.attributes().map(|attribute| Named {
            name: attribute.name().to_owned(),
            span: Span::new(source, attribute.range_qname()),
            namespace: attribute.namespace().map(str::to_owned),
            value: Text {
                text: attribute.value().to_owned(),
                span: Span::new(source, value_range(text, &attribute)),
            },
        });
        Self {
            name: node.tag_name().name().to_owned(),
            span: Span::new(source, start..end),
            parent,
            children: Vec::new(),
            attributes: attributes.collect(),
            text: Text::of(source, text, node),
        }
    }

    fn longest(&self) -> Option<&Text> {
        let attributes = self.attributes.iter().map(|named| &named.value);
        let all = attributes.chain(&self.text);
        all.max_by_key(|text| text.text.len())
    }
}

impl Text {
    /// The texts of an element, without blanks around them. Comments may stand in between.
    fn of(source: SourceId, written: &str, node: Node<'_, '_>) -> Option<Self> {
        let pieces = node.children().filter(|child| {
            child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty())
        });
        let (mut text, mut range) = (String::new(), None::<Range<usize>>);
        for piece in pieces {
            text.push_str(piece.text().unwrap_or_default());
            let start = range.map_or(piece.range().start, |range| range.start);
            range = Some(start..piece.range().end);
        }
        let range = range?;
        let raw = written.get(range.clone()).unwrap_or_default();
        let start = range.start + (raw.len() - raw.trim_start().len());
        let end = start + raw.trim().len();
        Some(Self {
            text: text.trim().to_owned(),
            span: Span::new(source, start..end),
        })
    }

    fn value(&self) -> Value<'_> {
        Value {
            text: &self.text,
            span: self.span,
        }
    }
}

/// What stands between the quotes. The parser counts long names wrong.
fn value_range(text: &str, attribute: &roxmltree::Attribute<'_, '_>) -> Range<usize> {
    let range = attribute.range();
    let written = text.get(range.clone()).unwrap_or_default();
    let quote = written.find(['"', '\'']).unwrap_or(0);
    let start = (range.start + quote + 1).min(range.end);
    start..range.end.saturating_sub(1).max(start)
}

/// An element of a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    document: &'d Document,
    index: usize,
}

impl<'d> Element<'d> {
    fn data(&self) -> Option<&'d Data> {
        self.document.elements.get(self.index)
    }

    /// Its name, without a prefix.
    pub fn name(&self) -> &'d str {
        self.data().map_or("", |data| &data.name)
    }

    /// Where its name stands in its first tag.
    pub fn span(&self) -> Span {
        let nothing = Span::new(self.document.source, 0..0);
        self.data().map_or(nothing, |data| data.span)
    }

    /// The value of the attribute of this name, which has no prefix.
    pub fn attribute(&self, name: &str) -> Option<Value<'d>> {
        let mut all = self.attributes();
        let found = all.find(|one| one.namespace.is_none() && one.name == name);
        found.map(|attribute| attribute.value)
    }

    /// Its attributes, in the order of the file. Declarations of namespaces are none.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute<'d>> + use<'d> {
        let named = self.data().map_or(&[][..], |data| &data.attributes);
        named.iter().map(|named| Attribute {
            name: &named.name,
            span: named.span,
            namespace: named.namespace.as_deref(),
            value: named.value.value(),
        })
    }

    /// The elements within it, in the order of the file.
    pub fn children(&self) -> impl Iterator<Item = Element<'d>> + use<'d> {
        let document = self.document;
        let children = self.data().map_or(&[][..], |data| &data.children);
        children.iter().map(move |index| Element {
            document,
            index: *index,
        })
    }

    /// The first element within it that has this name.
    pub fn child(&self, name: &str) -> Option<Element<'d>> {
        self.children().find(|child| child.name() == name)
    }

    /// The element that it stands in.
    pub fn parent(&self) -> Option<Element<'d>> {
        let index = self.data()?.parent?;
        Some(Element {
            document: self.document,
            index,
        })
    }

    /// The text within it, without blanks around it; `None` if there is none.
    pub fn text(&self) -> Option<Value<'d>> {
        self.data()?.text.as_ref().map(Text::value)
    }

    /// Where its text stands, or, if it has none, its name.
    pub fn text_span(&self) -> Span {
        self.text().map_or(self.span(), |text| text.span)
    }

    /// The names from the root down to it: `dds/qos_library/qos_profile`.
    pub fn path(&self) -> String {
        let mut names = vec![self.name()];
        let mut parent = self.parent();
        while let Some(element) = parent {
            names.push(element.name());
            parent = element.parent();
        }
        names.reverse();
        names.join("/")
    }
}

/// Where an error is: the parser tells line and column.
fn offset(text: &str, error: &Error) -> usize {
    if matches!(
        error,
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream
    ) {
        return text.trim_end().len();
    }
    let place = error.pos();
    let mut start = 0;
    for _ in 1..place.row {
        let rest = text.get(start..).unwrap_or_default();
        start += rest.find('\n').map_or(0, |at| at + 1);
    }
    let line = text.get(start..).unwrap_or_default();
    let mut columns = line
        .char_indices()
        .skip(place.col.saturating_sub(1) as usize);
    start + columns.next().map_or(0, |(at, _)| at)
}

fn message(error: &Error) -> String {
    match error {
        Error::UnexpectedCloseTag(expected, found, _) => {
            let (expected, found) = (quoted(expected), quoted(found));
            format!("the element {expected} is open, and {found} ends here")
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            "the file ends within an element".into()
        }
        Error::UnknownEntityReference(name, _) => format!(
            "unknown entity {}: there are &amp; &lt; &gt; &apos; &quot; and &#n;",
            quoted(name)
        ),
        Error::NodesLimitReached => "the file has too many elements and texts".into(),
        Error::NoRootNode => "the file has no element".into(),
        Error::DuplicatedAttribute(name, _) => {
            format!("the attribute {} is there twice", quoted(name))
        }
        other => {
            // The position at its end is told in front.
            let text = other.to_string();
            let end = text.rfind(" at ").unwrap_or(text.len());
            format!("not well-formed: {}", text.get(..end).unwrap_or(&text))
        }
    }
}
