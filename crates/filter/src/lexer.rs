//! Words, numbers, strings and signs of an expression (DDS 1.4 annex B.2).

use alloc::string::String;
use core::ops::Range;

use crate::FilterError;
use crate::literal::{Literal, number};

/// One of them, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A keyword, a member or an enumerator.
    Word(String),
    Literal(Literal),
    /// `%0` to `%99`.
    Parameter(usize),
    /// A sign: one of `( ) [ ] . , = > >= < <= <> !=`.
    Sign(&'static str),
    End,
}

impl Kind {
    /// Is it this keyword, in whatever case?
    pub(crate) fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// Longer ones first.
const SIGNS: [&str; 13] = [
    ">=", "<=", "<>", "!=", "(", ")", "[", "]", ".", ",", "=", ">", "<",
];

pub(crate) struct Lexer<'a> {
    expression: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(expression: &'a str) -> Self {
        Self { expression, at: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Token, FilterError> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start().len();
        self.at += spaces;
        let start = self.at;
        let kind = self.kind()?;
        Ok(Token {
            kind,
            span: start..self.at,
        })
    }

    fn rest(&self) -> &'a str {
        self.expression.get(self.at..).unwrap_or_default()
    }

    fn kind(&mut self) -> Result<Kind, FilterError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Kind::End);
        };
        match first {
            '\'' | '`' | '"' => self.string(first),
            '%' => self.parameter(),
            '0'..='9' | '+' | '-' => self.number(),
            // The parser says which names with @ there are.
            '@' => {
                let name = rest.split(|c| c != '@' && !is_word(c)).next();
                self.at += name.unwrap_or_default().len();
                Ok(Kind::Word(name.unwrap_or_default().into()))
            }
            c if is_word(c) && !c.is_ascii_digit() => {
                let word = rest.split(|c| !is_word(c)).next().unwrap_or_default();
                self.at += word.len();
                Ok(Kind::Word(word.into()))
            }
            _ => self.sign(),
        }
    }

    fn sign(&mut self) -> Result<Kind, FilterError> {
        let rest = self.rest();
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok(Kind::Sign(sign));
        }
        let length = rest.chars().next().map_or(0, char::len_utf8);
        Err(self.fault("this sign means nothing here", length))
    }

    /// It begins with a quote, or a back quote, and ends with a quote; a quote within it is written
    /// twice.
    fn string(&mut self, first: char) -> Result<Kind, FilterError> {
        let last = if first == '`' { '\'' } else { first };
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != last {
                text.push(c);
            } else if chars.next_if(|(_, next)| *next == last).is_some() {
                text.push(last);
            } else {
                self.at += at + 1;
                return Ok(Kind::Literal(Literal::Text(text)));
            }
        }
        Err(self.fault("the string has no end: a quote is missing", 1))
    }

    fn parameter(&mut self) -> Result<Kind, FilterError> {
        let digits = self.rest().trim_start_matches('%');
        let digits = digits
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default();
        let length = 1 + digits.len();
        match digits.parse() {
            Ok(n) if digits.len() <= 2 && self.rest().get(1..length) == Some(digits) => {
                self.at += length;
                Ok(Kind::Parameter(n))
            }
            _ => Err(self.fault("parameters are %0 to %99", length)),
        }
    }

    fn number(&mut self) -> Result<Kind, FilterError> {
        let rest = self.rest();
        let mut exponent = false;
        let is_hex = rest.trim_start_matches(['+', '-']).starts_with(['0'])
            && rest
                .trim_start_matches(['+', '-', '0'])
                .starts_with(['x', 'X']);
        let belongs = |(at, c): &(usize, char)| {
            let sign = matches!(c, '+' | '-') && (*at == 0 || exponent);
            exponent = !is_hex && matches!(c, 'e' | 'E');
            sign || *c == '.' || is_word(*c)
        };
        let length = rest.char_indices().take_while(belongs).count();
        let text = rest.get(..length).unwrap_or_default();
        match number(text) {
            Some(literal) => {
                self.at += length;
                Ok(Kind::Literal(literal))
            }
            None => Err(self.fault("this is no number", length.max(1))),
        }
    }

    fn fault(&self, message: &str, length: usize) -> FilterError {
        FilterError::new(message, self.expression, self.at..self.at + length)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
