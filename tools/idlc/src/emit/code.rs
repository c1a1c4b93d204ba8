//! Text of a language, line by line.

use std::fmt::{self, Write};

use super::Unit;

/// Whether a character of a text is itself in literals of all languages; in those of C the question
/// mark is not.
pub(in crate::emit) fn is_itself(one: u8) -> bool {
    matches!(one, b' '..=b'~') && !matches!(one, b'"' | b'\\')
}

/// Lines at their depth.
#[derive(Debug, Default)]
pub(in crate::emit) struct Code {
    text: String,
    depth: usize,
    names: usize,
}

impl Code {
    /// Lines of a file.
    pub(in crate::emit) fn of_file(unit: &Unit<'_>) -> Self {
        Self {
            text: unit.header.clone(),
            ..Self::default()
        }
    }

    /// Lines that go `depth` deep into others.
    pub(in crate::emit) fn at(depth: usize) -> Self {
        Self {
            depth,
            ..Self::default()
        }
    }

    pub(in crate::emit) fn depth(&self) -> usize {
        self.depth
    }

    pub(in crate::emit) fn deeper(&mut self) {
        self.depth += 1;
    }

    pub(in crate::emit) fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// A number that no other name of the text has.
    pub(in crate::emit) fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn indent(&mut self) {
        const DEEP: &str = "                                                                ";
        let mut spaces = 4 * self.depth;
        while spaces > 0 {
            let some = DEEP.get(..spaces).unwrap_or(DEEP);
            self.text.push_str(some);
            spaces -= some.len();
        }
    }

    /// Begins a line with something, which may be nothing. Gives where it begins.
    fn begin(&mut self, line: impl fmt::Display) -> usize {
        let start = self.text.len();
        self.indent();
        let begin = self.text.len();
        // A text takes everything.
        let _ = write!(self.text, "{line}");
        if self.text.len() == begin {
            self.text.truncate(start);
            return start;
        }
        begin
    }

    /// A line, or several that are in one piece.
    pub(in crate::emit) fn line(&mut self, line: impl fmt::Display) {
        let begin = self.begin(line);
        let is_one = |line: &&str| memchr::memchr(b'\n', line.as_bytes()).is_some();
        let several = self.text.get(begin..).filter(is_one);
        if let Some((_, rest)) = several.and_then(|all| all.split_once('\n')) {
            let rest = rest.to_string();
            self.text.truncate(self.text.len() - rest.len());
            rest.lines().for_each(|line| self.line(line));
            return;
        }
        self.text.push('\n');
    }

    /// Whole lines.
    pub(in crate::emit) fn lines(&mut self, text: &str) {
        match self.depth == 0 && text.ends_with('\n') {
            true => self.text.push_str(text),
            false => text.lines().for_each(|line| self.line(line)),
        }
    }

    /// Lines of bytes: `0x01, 0xff,`. A type has hundreds of them, so formatting each by itself
    /// takes longer than all else.
    pub(in crate::emit) fn octets(&mut self, bytes: &[u8]) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| {
            DIGITS
                .get(usize::from(nibble & 15))
                .map(|one| char::from(*one))
        };
        for row in bytes.chunks(16) {
            self.indent();
            for (at, byte) in row.iter().enumerate() {
                self.text.push_str(if at == 0 { "0x" } else { " 0x" });
                self.text
                    .extend([digit(byte >> 4), digit(*byte)].into_iter().flatten());
                self.text.push(',');
            }
            self.text.push('\n');
        }
    }

    /// A text of the user's, whose further lines are as they are.
    pub(in crate::emit) fn verbatim(&mut self, text: &str) {
        self.begin(text);
        self.text.push('\n');
    }

    /// A line with what is within it, and what closes it.
    pub(in crate::emit) fn block(
        &mut self,
        head: impl fmt::Display,
        tail: &str,
        body: impl FnOnce(&mut Self),
    ) {
        self.line(head);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(tail);
    }

    /// What is in braces behind a head: `if (x)`.
    pub(in crate::emit) fn braces(
        &mut self,
        head: impl fmt::Display,
        body: impl FnOnce(&mut Self),
    ) {
        let start = self.text.len();
        self.begin(head);
        match self.text.len() == start {
            true => self.line("{"),
            false => self.text.push_str(" {\n"),
        }
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// A comment that begins with `/*` or the like, which the text does not end.
    pub(in crate::emit) fn comment(&mut self, begin: &str, text: &str) {
        let mut lines = text.lines();
        match (lines.next(), lines.next()) {
            (Some(only), None) => self.line(format_args!("{begin} {} */", only.trim())),
            _ => {
                self.line(begin);
                text.lines()
                    .for_each(|line| self.line(format!(" * {}", line.trim()).trim_end()));
                self.line(" */");
            }
        }
    }

    /// What was made at the same depth.
    pub(in crate::emit) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
    }

    pub(in crate::emit) fn finish(self) -> String {
        self.text
    }
}
