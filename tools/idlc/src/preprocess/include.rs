//! `#include`.

use std::path::{Path, PathBuf};

use super::{Open, Preprocessor};
use crate::lexer::Lexer;
use crate::limits;
use crate::report::{Report, codes};
use crate::source::{Span, decode};
use crate::token::Kind;

impl Preprocessor<'_, '_> {
    /// Opens the file that the user named.
    pub(super) fn open_first(&mut self, path: &Path, text: Option<Vec<u8>>) {
        let bytes = match text {
            Some(bytes) => Ok(bytes),
            None => self.session.loader.load(path, limits::FILE),
        };
        let at = Span::default();
        match bytes {
            Ok(bytes) => self.open(path.to_path_buf(), bytes, None),
            Err(error) => {
                // There is no place to show yet.
                self.session
                    .sources
                    .add(&path.display().to_string(), "".into(), None);
                let start = self.session.sources.files().last().map_or(0, |f| f.start);
                let span = Span {
                    start,
                    end: start,
                    ..at
                };
                let message = format!("{} cannot be read: {error}", path.display());
                self.session
                    .report(Report::new(codes::UNREADABLE, span, message));
            }
        }
    }

    fn open(&mut self, path: PathBuf, bytes: Vec<u8>, included_at: Option<Span>) {
        let length = bytes.len();
        let (text, latin) = decode(bytes);
        let name = path.display().to_string();
        let Some(file) = self.session.sources.add(&name, text.into(), included_at) else {
            let message = "all files together have more than 4 GiB";
            let span = included_at.unwrap_or_default();
            self.session
                .exceed(codes::TOO_MUCH_TEXT, span, message.into());
            return;
        };
        let Some(source) = self.session.sources.file(file) else {
            return;
        };
        let (start, text) = (source.start, source.text.clone());
        let at = |offset: usize, length: usize| Span {
            start: start + offset as u32,
            end: start + (offset + length) as u32,
            expansion: 0,
        };
        if length > limits::FILE {
            let message = format!("{name} has more than {} MiB", limits::FILE >> 20);
            let span = included_at.unwrap_or(at(0, 0));
            self.session.exceed(codes::FILE_SIZE, span, message);
            return;
        }
        if let Some(offset) = latin {
            let length = text
                .get(offset..)
                .and_then(|rest| rest.chars().next())
                .map_or(0, char::len_utf8);
            let message = "this file is not UTF-8: its other bytes are taken for Latin-1";
            let report = Report::new(codes::NOT_UTF8, at(offset, length), message)
                .note("save the file as UTF-8");
            self.session.report(report);
        }
        self.output.paths.push(path.clone());
        self.files.push(Open {
            lexer: Lexer::new(text, start),
            file,
            path,
            conditions: Vec::new(),
        });
    }

    pub(super) fn include(&mut self, directive: Span) {
        let Some((name, is_system, span)) = self.included_name(directive) else {
            return;
        };
        if self.files.len() > limits::INCLUDE_DEPTH {
            self.include_depth(span);
            return;
        }
        self.includes += 1;
        if self.includes > limits::INCLUDES {
            let message = format!("more than {} files are included", limits::INCLUDES);
            self.session.exceed(codes::TOO_MANY_INCLUDES, span, message);
            return;
        }
        match self.find(&name, is_system) {
            Ok((path, bytes)) => self.open(path, bytes, Some(span)),
            Err(tried) => {
                let message = format!("there is no file {name:?}");
                let mut report = Report::new(codes::NO_FILE, span, message);
                for path in tried {
                    report = report.note(format!("looked for {path}"));
                }
                let note = "-I names more directories to look in";
                self.session.report(report.note(note));
            }
        }
    }

    /// Files that include each other without end, or nearly so.
    fn include_depth(&mut self, span: Span) {
        let paths: Vec<&Path> = self.files.iter().map(|open| open.path.as_path()).collect();
        let last = paths.last().copied().unwrap_or(Path::new(""));
        let before = paths.iter().rev().skip(1).position(|path| *path == last);
        let message = match before {
            Some(length) => {
                let cycle = paths.iter().rev().take(length + 2).rev();
                let names: Vec<String> = cycle.map(|path| path.display().to_string()).collect();
                format!(
                    "files include each other in a circle: {}",
                    names.join(" -> ")
                )
            }
            None => format!(
                "files include each other more than {} deep",
                limits::INCLUDE_DEPTH
            ),
        };
        // The circle is shown where it begins.
        let first = self.files.get(1).and_then(|open| {
            let file = self.session.sources.file(open.file)?;
            file.included_at
        });
        let span = match before {
            Some(_) => first.unwrap_or(span),
            None => span,
        };
        self.session.exceed(codes::INCLUDE_DEPTH, span, message);
    }

    /// The name, whether it stands in `<>`, and where it is.
    fn included_name(&mut self, directive: Span) -> Option<(String, bool, Span)> {
        if let Some(open) = self.files.last_mut()
            && let Some((name, span)) = open.lexer.system_name()
        {
            self.line();
            return Some((name, true, span));
        }
        let line = self.line();
        let line = self.expand_line(line);
        let (first, last) = (line.first().copied(), line.last().copied());
        let span = first.map_or(directive, |first| first.span);
        match (first, last) {
            (Some(first), _) if first.kind == Kind::Text => {
                let text = self.text(first).trim_matches('"').to_string();
                return Some((text, false, self.session.sources.written(span)));
            }
            (Some(first), Some(last)) if first.kind == Kind::Less && last.kind == Kind::Greater => {
                let inner = line.get(1..line.len() - 1).unwrap_or_default();
                let name: String = inner.iter().map(|token| self.text(*token)).collect();
                return Some((name, true, self.session.sources.written(span)));
            }
            _ => {}
        }
        let message = "#include needs the name of a file, in \"\" or <>";
        self.session
            .report(Report::new(codes::BAD_INCLUDE, span, message));
        None
    }

    /// The file, or all that was looked for.
    fn find(&self, name: &str, is_system: bool) -> Result<(PathBuf, Vec<u8>), Vec<String>> {
        let own = self.files.last().and_then(|open| open.path.parent());
        let own = own.filter(|_| !is_system).map(Path::to_path_buf);
        let options = self.session.options;
        let given = options.include_directories.iter().cloned();
        let ros = options.ros_directories.iter();
        let ros = ros.flat_map(|root| [root.join("share"), root.clone()]);
        let mut tried = Vec::new();
        for directory in own.into_iter().chain(given).chain(ros) {
            let path = directory.join(name);
            match self.session.loader.load(&path, limits::FILE) {
                Ok(bytes) => return Ok((path, bytes)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    tried.push(path.display().to_string());
                }
                Err(error) => tried.push(format!("{}: {error}", path.display())),
            }
        }
        Err(tried)
    }
}
