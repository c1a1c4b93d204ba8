//! The files of one load, and places in them.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use dunlin_qos::Printable;

use crate::{Problem, Problems, quoted};

/// How much is read. What goes beyond is an error that names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub file_bytes: usize,
    /// Bytes of all files of a load.
    pub total_bytes: usize,
    /// How deep elements are nested.
    pub depth: usize,
    /// Attributes of an element.
    pub attributes: usize,
    /// Declarations of namespaces in a file.
    pub namespaces: usize,
    /// Elements, comments and pieces of text in a file.
    pub nodes: u32,
    /// Bytes of the text of an element, or of an attribute.
    pub text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 20,
            total_bytes: 8 << 20,
            depth: 32,
            attributes: 64,
            namespaces: 64,
            nodes: 200_000,
            text_bytes: 64 << 10,
        }
    }
}

/// A file of [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

/// A place: bytes of a file from `start` up to, but without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub source: SourceId,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
}

impl Span {
    /// The bytes of a range.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self {
            source,
            start: offset(range.start),
            end: offset(range.end.max(range.start)),
        }
    }

    /// Its bytes within the text of its file.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place as people name it, and as it is printed: `fleet.xml:31:18`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'s> {
    /// The name of the file.
    pub file: &'s str,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", Printable(self.file), self.line, self.column)
    }
}

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
    /// Where lines begin.
    lines: Vec<u32>,
}

/// All files of one load.
#[derive(Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
    bytes: usize,
}

impl Sources {
    /// Takes a text in. `None` after an error: the text is too long, alone or with the others.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<SourceId> {
        let (name, text) = (name.into(), text.into());
        let problem = match text.len() {
            bytes if bytes > limits.file_bytes => Some(too_long(&name, limits)),
            bytes if bytes > limits.total_bytes.saturating_sub(self.bytes) => {
                let most = limits.total_bytes;
                let message = format!("all files together have more than {most} bytes");
                Some(Problem::of_file(&name, &message))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            problems.push(problem);
            return None;
        }
        self.bytes += text.len();
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1));
        let lines = lines.collect();
        let id = SourceId(u32::try_from(self.list.len()).ok()?);
        self.list.push(Source { name, text, lines });
        Some(id)
    }

    /// Reads a file. `None` after an error: it cannot be read, is no regular file, is too long, or
    /// is not UTF-8.
    pub fn read(
        &mut self,
        path: &Path,
        limits: &Limits,
        problems: &mut Problems,
    ) -> Option<SourceId> {
        let name = path.display().to_string();
        match read(path, limits) {
            Ok(Some(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => return self.add(name, text, limits, problems),
                Err(error) => problems.push(not_utf8(&name, &error)),
            },
            Ok(None) => problems.push(too_long(&name, limits)),
            Err(error) => {
                problems.push(Problem::of_file(&name, &format!("cannot be read: {error}")));
            }
        }
        None
    }

    /// The name of a file.
    pub fn name(&self, id: SourceId) -> &str {
        self.source(id).map_or("", |source| &source.name)
    }

    /// The text of a file, without a byte order mark.
    pub fn text(&self, id: SourceId) -> &str {
        self.source(id).map_or("", |source| &source.text)
    }

    /// The files, in the order in which they came.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.list.len() as u32).map(SourceId)
    }

    /// The text of a place.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source).get(span.range()).unwrap_or_default()
    }

    /// Where a place begins.
    pub fn location(&self, span: Span) -> Location<'_> {
        let (line, start) = self.line_at(span);
        let text = self.text(span.source);
        let before = text.get(start..(span.start as usize).min(text.len()));
        Location {
            file: self.name(span.source),
            line,
            column: 1 + before.map_or(0, |before| before.chars().count()),
        }
    }

    /// `file:line` of a place.
    pub fn file_and_line(&self, span: Span) -> String {
        let location = self.location(span);
        format!("{}:{}", Printable(location.file), location.line)
    }

    /// The number of the line in which a place begins, from 1, and its first byte.
    pub(crate) fn line_at(&self, span: Span) -> (usize, usize) {
        let lines = self.source(span.source).map_or(&[][..], |s| &s.lines);
        let number = lines.partition_point(|start| *start <= span.start).max(1);
        let start = lines.get(number - 1).copied().unwrap_or(0);
        (number, start as usize)
    }

    fn source(&self, id: SourceId) -> Option<&Source> {
        self.list.get(id.0 as usize)
    }
}

/// `None` if it is too long.
fn read(path: &Path, limits: &Limits) -> std::io::Result<Option<Vec<u8>>> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        let message = "it is no regular file";
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            message,
        ));
    }
    let mut bytes = Vec::new();
    let most = limits.file_bytes as u64;
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn too_long(name: &str, limits: &Limits) -> Problem {
    let message = format!("the file has more than {} bytes", limits.file_bytes);
    Problem::of_file(name, &message)
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Problem {
    let valid = error.utf8_error().valid_up_to();
    let before = error.as_bytes().get(..valid).unwrap_or_default();
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let message = format!("line {line} is not UTF-8: save the file as UTF-8");
    Problem::of_file(name, &message)
}

impl Problem {
    fn of_file(name: &str, message: &str) -> Self {
        Self::error(None, format!("{}: {message}", quoted(name)))
    }
}
