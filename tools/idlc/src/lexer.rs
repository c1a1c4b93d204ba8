//! Cuts text into tokens (IDL 4.2 7.2).

use std::sync::Arc;

use crate::report::{Report, Reports, codes};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use crate::token::{Comment, CommentKind, Kind, Token};

/// One file on its way to tokens.
#[derive(Debug)]
pub(crate) struct Lexer {
    text: Arc<str>,
    at: usize,
    /// Where positions of the file begin.
    start: u32,
    /// The next token is the first of its line.
    first: bool,
    /// Nothing is reported: the text is left out by a condition.
    pub(crate) quiet: bool,
    /// Comments since the last token that mean something.
    pub(crate) comments: Vec<Comment>,
}

/// Where a lexer was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    at: usize,
    first: bool,
}

impl Lexer {
    pub(crate) fn new(text: Arc<str>, start: u32) -> Self {
        Self {
            text,
            at: 0,
            start,
            first: true,
            quiet: false,
            comments: Vec::new(),
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            first: self.first,
        }
    }

    pub(crate) fn reset(&mut self, mark: Mark) {
        (self.at, self.first) = (mark.at, mark.first);
    }

    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> u32 {
        self.at as u32
    }

    fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span {
            start: self.start + from as u32,
            end: self.start + to.max(from) as u32,
            expansion: 0,
        }
    }

    /// The rest of a line, for what is no token: the name of a file in `<>`, the text of `#error`.
    pub(crate) fn rest_of_line(&mut self) -> (&str, Span) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find('\n').unwrap_or(rest.len());
        let from = self.at;
        self.at += length;
        (self.slice(from, self.at), self.span(from, self.at))
    }

    /// The name of a file in `<>`, if one is next on the line.
    pub(crate) fn system_name(&mut self) -> Option<(String, Span)> {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
        let rest = self.text.get(self.at..)?.strip_prefix('<')?;
        let line = rest.lines().next().unwrap_or_default();
        let length = line.find('>')?;
        let name = line.get(..length)?.to_string();
        let from = self.at;
        self.at += length + 2;
        Some((name, self.span(from, self.at)))
    }

    /// The next token; [`Kind::End`] for ever at the end.
    pub(crate) fn token(&mut self, symbols: &mut Symbols, reports: &mut Reports) -> Token {
        let spaced = self.skip(reports);
        let from = self.at;
        let (kind, length) = self.kind();
        self.at += length;
        match kind {
            Kind::Char | Kind::WideChar => self.quoted(b'\'', from, reports),
            Kind::Text | Kind::WideText => self.quoted(b'"', from, reports),
            Kind::Other if !self.quiet => self.stray(from, reports),
            Kind::Name if !self.quiet && !self.slice(from, self.at).is_ascii() => {
                self.stray(from, reports);
            }
            _ => {}
        }
        let text = match kind.text() {
            Some(_) => Symbol::EMPTY,
            None => symbols.intern(self.text.get(from..self.at).unwrap_or_default()),
        };
        Token {
            kind,
            text,
            span: self.span(from, self.at),
            spaced,
            first: std::mem::replace(&mut self.first, false),
            painted: false,
        }
    }

    /// The kind of the token that is next, and its length; of a literal that of its beginning.
    fn kind(&self) -> (Kind, usize) {
        let two = |next, long, short| match self.byte(1) == next {
            true => (long, 2),
            false => (short, 1),
        };
        match self.byte(0) {
            _ if self.is_at_end() => (Kind::End, 0),
            b'L' if self.byte(1) == b'\'' => (Kind::WideChar, 2),
            b'L' if self.byte(1) == b'"' => (Kind::WideText, 2),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Name, self.name()),
            b'0'..=b'9' => (Kind::Number, self.number()),
            b'.' if self.byte(1).is_ascii_digit() => (Kind::Number, self.number()),
            b'\'' => (Kind::Char, 1),
            b'"' => (Kind::Text, 1),
            b'{' => (Kind::OpenBrace, 1),
            b'}' => (Kind::CloseBrace, 1),
            b'(' => (Kind::OpenParenthesis, 1),
            b')' => (Kind::CloseParenthesis, 1),
            b'[' => (Kind::OpenBracket, 1),
            b']' => (Kind::CloseBracket, 1),
            b';' => (Kind::Semicolon, 1),
            b',' => (Kind::Comma, 1),
            b'+' => (Kind::Plus, 1),
            b'-' => (Kind::Minus, 1),
            b'*' => (Kind::Star, 1),
            b'/' => (Kind::Slash, 1),
            b'%' => (Kind::Percent, 1),
            b'^' => (Kind::Xor, 1),
            b'~' => (Kind::Tilde, 1),
            b'@' => (Kind::At, 1),
            b'?' => (Kind::Question, 1),
            b':' => two(b':', Kind::Scope, Kind::Colon),
            b'#' => two(b'#', Kind::Paste, Kind::Hash),
            b'=' => two(b'=', Kind::Same, Kind::Equal),
            b'!' => two(b'=', Kind::Different, Kind::Not),
            b'&' => two(b'&', Kind::Both, Kind::And),
            b'|' => two(b'|', Kind::Either, Kind::Or),
            b'<' if self.byte(1) == b'<' => (Kind::ShiftLeft, 2),
            b'<' => two(b'=', Kind::LessEqual, Kind::Less),
            b'>' if self.byte(1) == b'>' => (Kind::ShiftRight, 2),
            b'>' => two(b'=', Kind::GreaterEqual, Kind::Greater),
            b'.' if self.byte(1) == b'.' && self.byte(2) == b'.' => (Kind::Ellipsis, 3),
            b'.' => (Kind::Dot, 1),
            _ if self.foreign_name() > 0 => (Kind::Name, self.name()),
            _ => (Kind::Other, self.other()),
        }
    }

    fn name(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let ascii = rest.iter().take_while(|byte| is_part(byte)).count();
        match rest.get(ascii) {
            Some(0x80..) => self.foreign_name(),
            _ => ascii,
        }
    }

    /// The length of a name with letters that IDL does not have; it is reported as a whole.
    fn foreign_name(&self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        length.unwrap_or(rest.len())
    }

    /// A number of the preprocessor: `1.5e-3`, `0x1F`, `1.5d`.
    fn number(&self) -> usize {
        let mut length = 1;
        loop {
            let before = self.byte(length - 1);
            let is_hex = self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X');
            match self.byte(length) {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => {}
                b'+' | b'-' if !is_hex && matches!(before, b'e' | b'E') => {}
                _ => return length,
            }
            length += 1;
        }
    }

    /// Characters that begin no token, up to the next that may.
    fn other(&self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut length = 0;
        for c in rest.chars() {
            if length > 0 && (c.is_ascii_graphic() && c != '$' || c.is_ascii_whitespace()) {
                break;
            }
            length += c.len_utf8();
        }
        length.max(1)
    }

    fn stray(&self, from: usize, reports: &mut Reports) {
        let span = self.span(from, self.at);
        let found: String = self.slice(from, self.at).chars().take(16).collect();
        let is_name = found.chars().any(char::is_alphabetic);
        let message = match is_name {
            true => format!("names have ASCII letters only, and this is {found:?}"),
            false => format!("{found:?} has no meaning in IDL"),
        };
        reports.add(Report::new(codes::STRAY_CHARACTER, span, message));
    }

    /// Goes behind the closing quote, or to the end of the line if there is none.
    fn quoted(&mut self, quote: u8, from: usize, reports: &mut Reports) {
        loop {
            match self.byte(0) {
                b'\n' | b'\r' => break,
                0 if self.is_at_end() => break,
                b'\\' if self.byte(1) != b'\n' && self.byte(1) != 0 => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        if !self.quiet {
            let span = self.span(from, from + 1);
            let what = match quote {
                b'"' => "string",
                _ => "character",
            };
            let message = format!("this {what} does not end on its line");
            let report = Report::new(codes::OPEN_LITERAL, span, message);
            reports.add(report.note("strings that stand beside each other are joined"));
        }
    }

    /// Skips space and comments; whether there was any.
    fn skip(&mut self, reports: &mut Reports) -> bool {
        let from = self.at;
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    self.first = true;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'\\', b'\n') => self.at += 2,
                (b'\\', b'\r') if self.byte(2) == b'\n' => self.at += 3,
                (b'/', b'/') => self.line_comment(),
                (b'/', b'*') => self.block_comment(reports),
                _ => return self.at > from,
            }
        }
    }

    fn line_comment(&mut self) {
        let from = self.at;
        self.rest_of_line();
        let kind = match self.slice(from + 2, self.at) {
            text if text.starts_with("/<") || text.starts_with("!<") => CommentKind::Trailing,
            // A line of slashes is decoration.
            text if text.starts_with("//") => return,
            text if text.starts_with(['/', '!']) => CommentKind::Documentation,
            text if text.trim_start().starts_with('@') => CommentKind::Annotation,
            _ => return,
        };
        self.keep(from, kind);
    }

    fn block_comment(&mut self, reports: &mut Reports) {
        let from = self.at;
        let rest = self.text.get(from + 2..).unwrap_or_default();
        let Some(length) = rest.find("*/") else {
            self.at = self.text.len();
            if !self.quiet {
                let span = self.span(from, from + 2);
                let message = "this comment does not end";
                reports.add(Report::new(codes::OPEN_COMMENT, span, message));
            }
            return;
        };
        self.at = from + 2 + length + 2;
        let kind = match self.slice(from + 2, self.at) {
            text if text.starts_with("*<") || text.starts_with("!<") => CommentKind::Trailing,
            text if text.starts_with("**") || text == "*/" || text == "**/" => return,
            text if text.starts_with(['*', '!']) => CommentKind::Documentation,
            _ => return,
        };
        self.keep(from, kind);
    }

    fn keep(&mut self, from: usize, kind: CommentKind) {
        if !self.quiet {
            let span = self.span(from, self.at);
            self.comments.push(Comment {
                span,
                kind,
                tokens: 0,
            });
        }
    }
}

/// The words of a documentation comment, without its slashes and stars.
pub(crate) fn documentation(comment: &str) -> String {
    let body = match comment.strip_prefix("/*") {
        Some(body) => body.strip_suffix("*/").unwrap_or(body),
        None => comment.strip_prefix("//").unwrap_or(comment),
    };
    let body = body.strip_prefix(['*', '/', '!']).unwrap_or(body);
    let body = body.strip_prefix('<').unwrap_or(body);
    let is_block = comment.starts_with("/*");
    let lines = body.lines().enumerate().map(|(index, line)| {
        let line = line.trim_end();
        let trimmed = line.trim_start();
        match trimmed.strip_prefix('*') {
            Some(rest) if is_block && index > 0 => rest.strip_prefix(' ').unwrap_or(rest),
            _ if is_block => trimmed,
            _ => line.strip_prefix(' ').unwrap_or(line),
        }
    });
    let lines: Vec<&str> = lines.collect();
    lines.join("\n").trim_matches('\n').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        let (mut symbols, mut reports) = (Symbols::default(), Reports::default());
        let mut lexer = Lexer::new(text.into(), 0);
        let mut found = Vec::new();
        loop {
            let token = lexer.token(&mut symbols, &mut reports);
            if token.kind == Kind::End {
                return found;
            }
            let text = token.kind.text().unwrap_or(symbols.text(token.text));
            found.push((token.kind, text.to_string()));
        }
    }

    #[test]
    fn text_is_cut_into_tokens() {
        let texts = |text| -> Vec<String> { kinds(text).into_iter().map(|t| t.1).collect() };
        assert_eq!(texts("a::b<<1>>c"), ["a", "::", "b", "<<", "1", ">>", "c"]);
        assert_eq!(texts("1.5e-3f 0x1e+1"), ["1.5e-3f", "0x1e", "+", "1"]);
        assert_eq!(
            texts(r#"L"a\"b" 'c' L'\''"#),
            [r#"L"a\"b""#, "'c'", r"L'\''"]
        );
        assert_eq!(texts("a/*x*/b//c\nd"), ["a", "b", "d"]);
        assert_eq!(kinds("L x")[0].0, Kind::Name);
    }

    #[test]
    fn documentation_loses_its_slashes() {
        assert_eq!(documentation("/// one"), "one");
        assert_eq!(documentation("///< one"), "one");
        assert_eq!(
            documentation("/** one\n *  two\n * three */"),
            "one\n two\nthree"
        );
    }
}
