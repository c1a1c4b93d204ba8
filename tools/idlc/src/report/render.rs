//! Reports for people.

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet,
    renderer::DecorStyle,
};

use crate::report::{Report, Severity};
use crate::source::{SourceFile, Sources, Span};

/// How reports look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Characters only.
    #[default]
    Plain,
    /// With the colours of a terminal.
    Colored,
}

/// The lines around a span.
struct Window<'s> {
    file: &'s SourceFile,
    name: String,
    text: &'s str,
    /// Where the text begins in the space of positions.
    start: u32,
    first_line: usize,
    /// The column, if the beginning of the line is left out.
    column: Option<usize>,
}

/// How far apart two places may be to be shown in one piece.
const NEAR: u32 = 4_096;

/// So much of a line is shown on either side of a place; lines may be as long as files.
const SHOWN: usize = 200;

/// Lines longer than that are cut.
const LONG: usize = 1_000;

impl<'s> Window<'s> {
    fn new(sources: &'s Sources, from: u32, to: u32) -> Option<Self> {
        let file = sources.file(sources.file_at(from))?;
        let offset = from.checked_sub(file.start)?;
        let (_, begin) = file.line(offset);
        let end_offset = (to.saturating_sub(file.start)).min(file.text.len() as u32) as usize;
        let rest = file.text.get(end_offset..).unwrap_or_default();
        let end = end_offset + rest.find('\n').unwrap_or(rest.len());
        let location = sources.location(file.start + begin);
        let window = Self {
            file,
            name: location.file.to_string(),
            text: file.text.get(begin as usize..end)?,
            start: file.start + begin,
            first_line: location.line as usize,
            column: None,
        };
        let is_long = window.text.lines().any(|line| line.len() > LONG);
        match is_long {
            true => window.cut(from, sources.location(from).column as usize),
            false => Some(window),
        }
    }

    /// The part of its first line around a place.
    fn cut(self, at: u32, column: usize) -> Option<Self> {
        let line = self.text.lines().next()?;
        let offset = (at - self.start) as usize;
        let mut first = offset.saturating_sub(SHOWN);
        let mut last = (offset + SHOWN).min(line.len());
        while !line.is_char_boundary(first) {
            first += 1;
        }
        while !line.is_char_boundary(last) {
            last -= 1;
        }
        Some(Self {
            text: line.get(first..last)?,
            start: self.start + first as u32,
            column: (first > 0).then_some(column),
            ..self
        })
    }

    fn range(&self, span: Span) -> Option<std::ops::Range<usize>> {
        let start = span.start.checked_sub(self.start)? as usize;
        let end = span.end.checked_sub(self.start)? as usize;
        let end = match self.text.len() < LONG {
            true => end.min(self.text.len()).max(start),
            false => end,
        };
        (start <= end && end <= self.text.len()).then_some(start..end)
    }
}

/// One report as text, without a line break at its end.
pub fn render(sources: &Sources, report: &Report, style: Style) -> String {
    let mut places = vec![(sources.written(report.span), report.label.clone(), true)];
    for (span, label) in &report.labels {
        places.push((sources.written(*span), label.clone(), false));
    }
    expansions(sources, report.span, &mut places);
    let windows = windows(sources, &places);
    let level = match report.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(report.message.as_str())
        .id(report.code.text())
        .elements(windows.iter().filter_map(|(window, _)| {
            let column = window.column?;
            let origin = Origin::path(window.name.as_str()).line(window.first_line);
            Some(origin.char_column(column))
        }))
        .elements(windows.iter().map(|(window, marks)| {
            let marks = marks.iter().filter_map(|index| {
                let (span, label, is_primary) = places.get(*index)?;
                mark(window, *span, label, *is_primary)
            });
            Snippet::source(window.text)
                .line_start(window.first_line)
                .path(window.column.is_none().then_some(window.name.as_str()))
                .annotations(marks)
        }));
    for note in chain(sources, report.span)
        .into_iter()
        .chain(report.notes.iter().cloned())
    {
        group = group.element(Level::NOTE.message(note));
    }
    let fixed = report.fix.as_ref().and_then(|fix| {
        let span = fix.span;
        let window = (span.expansion == 0).then(|| Window::new(sources, span.start, span.end));
        let window = window.flatten()?;
        let range = window.range(span)?;
        Some((window, range, fix.text.as_str()))
    });
    let mut groups = vec![group];
    if let Some((window, range, text)) = &fixed {
        let title = match (range.is_empty(), text.is_empty()) {
            (true, _) => format!("add `{}`", text.trim()),
            (_, true) => "leave it out".into(),
            _ => format!("write `{text}`"),
        };
        let patch = Snippet::source(window.text)
            .line_start(window.first_line)
            .path(window.name.as_str())
            .patch(Patch::new(range.clone(), *text));
        groups.push(Group::with_title(Level::HELP.secondary_title(title)).element(patch));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled(),
    };
    renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(120)
        .render(&groups)
}

fn mark<'l>(
    window: &Window<'_>,
    span: Span,
    label: &'l str,
    is_primary: bool,
) -> Option<Annotation<'l>> {
    let kind = match is_primary {
        true => AnnotationKind::Primary,
        false => AnnotationKind::Context,
    };
    let annotation = kind.span(window.range(span)?);
    Some(match label.is_empty() {
        true => annotation,
        false => annotation.label(label),
    })
}

/// Places that are near each other in a file share a window.
fn windows<'s>(
    sources: &'s Sources,
    places: &[(Span, String, bool)],
) -> Vec<(Window<'s>, Vec<usize>)> {
    let mut parts: Vec<(u32, u32, Vec<usize>)> = Vec::new();
    for (index, (span, ..)) in places.iter().enumerate() {
        let near = parts.iter_mut().find(|(from, to, _)| {
            sources.file_at(*from) == sources.file_at(span.start)
                && is_near(sources, (*from).min(span.start), (*to).max(span.end))
        });
        match near {
            Some((from, to, marks)) => {
                *from = (*from).min(span.start);
                *to = (*to).max(span.end);
                marks.push(index);
            }
            None => parts.push((span.start, span.end, vec![index])),
        }
    }
    let parts = parts.into_iter();
    parts
        .filter_map(|(from, to, marks)| Some((Window::new(sources, from, to)?, marks)))
        .collect()
}

/// Whether two places can be shown in one piece.
fn is_near(sources: &Sources, from: u32, to: u32) -> bool {
    let span = Span {
        start: from,
        end: to,
        expansion: 0,
    };
    to - from <= NEAR
        && sources
            .text(span)
            .lines()
            .all(|line| line.len() <= LONG / 2)
}

/// The macros that a span comes from, the innermost first.
fn expansions(sources: &Sources, span: Span, places: &mut Vec<(Span, String, bool)>) {
    let mut number = span.expansion;
    for _ in 0..3 {
        let Some(expansion) = sources.expansion(number) else {
            return;
        };
        let label = format!("macro `{}` is defined here", expansion.name);
        places.push((sources.written(expansion.defined_at), label, false));
        number = expansion.used_at.expansion;
    }
}

/// The directives by which the file of a span is included.
fn chain(sources: &Sources, span: Span) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = sources.written(span).start;
    for _ in 0..8 {
        let file = sources.file(sources.file_at(at));
        let Some(included_at) = file.and_then(|file| file.included_at) else {
            break;
        };
        let location = sources.location(included_at.start);
        lines.push(format!("included from {}:{}", location.file, location.line));
        at = included_at.start;
    }
    lines
}

impl std::fmt::Debug for Window<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.name, self.first_line)
    }
}
