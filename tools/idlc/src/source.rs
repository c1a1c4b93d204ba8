//! Files, and places in them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A range of bytes in one of the files of a run. Files lie one after the other in one space of
/// positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The macro expansion that it comes from; 0 is none.
    pub expansion: u32,
}

impl Span {
    /// From here to the end of another one.
    pub fn to(self, other: Self) -> Self {
        match self.expansion == other.expansion && other.end >= self.start {
            true => Self {
                end: other.end,
                ..self
            },
            false => self,
        }
    }

    /// The place behind it.
    pub fn after(self) -> Self {
        Self {
            start: self.end,
            ..self
        }
    }
}

/// Where files come from.
pub trait Loader {
    /// The bytes of a file, at most `limit` and one more.
    ///
    /// # Errors
    /// What the system says.
    fn load(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>>;
}

/// Files of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        use std::io::Read;
        let file = std::fs::File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory",
            ));
        }
        let mut bytes = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Files in memory: for text that is not in a file, and for tests.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub HashMap<PathBuf, Vec<u8>>);

impl Loader for Memory {
    fn load(&self, path: &Path, _: usize) -> io::Result<Vec<u8>> {
        let file = self.0.get(path);
        file.cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such file"))
    }
}

/// A file of a run. One that is included twice is there twice.
#[derive(Debug)]
pub struct SourceFile {
    /// As it was asked for.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Where its positions begin.
    pub start: u32,
    /// The directive that included it.
    pub included_at: Option<Span>,
    /// Offsets from which `#line` renames what follows: the line behind it and the name.
    pub renamed: Vec<(u32, u32, Option<Arc<str>>)>,
    lines: OnceCell<Vec<u32>>,
}

impl SourceFile {
    /// Offsets at which lines begin.
    pub fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate();
            let breaks = breaks.filter(|(_, byte)| *byte == b'\n');
            let starts = breaks.map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(starts).collect()
        })
    }

    /// The line of an offset and where it begins; lines count from 0.
    pub fn line(&self, offset: u32) -> (usize, u32) {
        let lines = self.lines();
        let line = lines.partition_point(|start| *start <= offset);
        let line = line.saturating_sub(1);
        (line, lines.get(line).copied().unwrap_or(0))
    }
}

/// Where something is, for people: lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file, as `#line` calls it.
    pub file: Arc<str>,
    /// The line, as `#line` counts it.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
    /// The column in UTF-16 units.
    pub column_utf16: u32,
}

/// One use of a macro.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is used.
    pub used_at: Span,
    /// Where it is defined.
    pub defined_at: Span,
}

/// All files and macro expansions of a run.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl Sources {
    /// Adds a file; `None` if there is no room for it in the space of positions.
    pub fn add(&mut self, name: &str, text: Arc<str>, included_at: Option<Span>) -> Option<usize> {
        let start = match self.files.last() {
            // A byte apart, so that the end of one file is not the beginning of the next.
            Some(last) => last
                .start
                .checked_add(last.text.len() as u32)?
                .checked_add(1)?,
            None => 0,
        };
        start.checked_add(u32::try_from(text.len()).ok()?)?;
        self.files.push(SourceFile {
            name: name.into(),
            text,
            start,
            included_at,
            renamed: Vec::new(),
            lines: OnceCell::new(),
        });
        Some(self.files.len() - 1)
    }

    /// A file by its number.
    pub fn file(&self, index: usize) -> Option<&SourceFile> {
        self.files.get(index)
    }

    pub(crate) fn file_mut(&mut self, index: usize) -> Option<&mut SourceFile> {
        self.files.get_mut(index)
    }

    /// All files, in the order in which they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The number of the file that has a position.
    pub fn file_at(&self, position: u32) -> usize {
        let next = self.files.partition_point(|file| file.start <= position);
        next.saturating_sub(1)
    }

    pub(crate) fn expand(&mut self, expansion: Expansion) -> u32 {
        self.expansions.push(expansion);
        self.expansions.len() as u32
    }

    /// The expansion of a span.
    pub fn expansion(&self, number: u32) -> Option<&Expansion> {
        self.expansions.get((number as usize).checked_sub(1)?)
    }

    /// How many macros were expanded.
    pub fn expansion_count(&self) -> usize {
        self.expansions.len()
    }

    /// What the user wrote: the outermost use of a macro, or the span itself.
    pub fn written(&self, mut span: Span) -> Span {
        // A macro is used after its text was made, so numbers fall.
        while let Some(expansion) = self.expansion(span.expansion) {
            span = expansion.used_at;
        }
        span
    }

    /// Where a position is.
    pub fn location(&self, position: u32) -> Location {
        let Some(file) = self.file(self.file_at(position)) else {
            return Location {
                file: "".into(),
                line: 1,
                column: 1,
                column_utf16: 1,
            };
        };
        let mut offset = (position - file.start) as usize;
        offset = offset.min(file.text.len());
        let (line, start) = file.line(offset as u32);
        let before = file.text.get(start as usize..offset).unwrap_or_default();
        let (name, number) = self.presumed(file, offset as u32, line as u32 + 1);
        Location {
            file: name,
            line: number,
            column: before.len() as u32 + 1,
            column_utf16: before.encode_utf16().count() as u32 + 1,
        }
    }

    /// The name of the file and the number of the line after `#line`.
    fn presumed(&self, file: &SourceFile, offset: u32, line: u32) -> (Arc<str>, u32) {
        let after = file.renamed.partition_point(|entry| entry.0 <= offset);
        let Some((from, number, _)) = after.checked_sub(1).and_then(|i| file.renamed.get(i)) else {
            return (file.name.clone(), line);
        };
        let named = file.renamed.iter().take(after).rev();
        let name = named.into_iter().find_map(|entry| entry.2.clone());
        let first = file.line(*from).0 as u32 + 1;
        (
            name.unwrap_or_else(|| file.name.clone()),
            number.saturating_add(line.saturating_sub(first)),
        )
    }

    /// The text of a span, as it is in its file.
    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.file(self.file_at(span.start)) else {
            return "";
        };
        let range =
            (span.start - file.start) as usize..span.end.saturating_sub(file.start) as usize;
        file.text.get(range).unwrap_or_default()
    }
}

/// The text of a file: UTF-8, with or without a byte order mark. Bytes that are not UTF-8 become
/// the characters of Latin-1; the offset of the first of them comes beside it.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, Option<usize>) {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, None),
        Err(error) => error.into_bytes(),
    };
    let (mut text, mut first) = (String::with_capacity(bytes.len()), None);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first.get_or_insert(text.len());
            text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
        }
    }
    (text, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_line_and_two_columns() {
        let mut sources = Sources::default();
        sources.add("a.idl", "one\n".into(), None).unwrap();
        let second = sources.add("b.idl", "x\nä𝄞y\n".into(), None).unwrap();
        let start = sources.file(second).unwrap().start;
        let at = sources.location(start + 2 + 6);
        assert_eq!((&*at.file, at.line), ("b.idl", 2));
        assert_eq!((at.column, at.column_utf16), (7, 4));
        assert_eq!(&*sources.location(0).file, "a.idl");
    }

    #[test]
    fn other_bytes_are_latin_1() {
        assert_eq!(decode(b"\xef\xbb\xbfa".to_vec()), ("a".into(), None));
        assert_eq!(decode(b"a\xe9b".to_vec()), ("aéb".into(), Some(1)));
    }
}
