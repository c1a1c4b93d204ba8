//! The words of IDL.

use crate::source::Span;
use crate::symbol::Symbol;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The end of the text.
    End,
    /// A name or keyword; also one with `_` in front.
    Name,
    /// A number, as the preprocessor sees it.
    Number,
    /// `'c'`, with its quotes.
    Char,
    /// `L'c'`.
    WideChar,
    /// `"s"`.
    Text,
    /// `L"s"`.
    WideText,
    /// The number of a pragma that the front end keeps.
    Pragma(u32),
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `(`
    OpenParenthesis,
    /// `)`
    CloseParenthesis,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `::`
    Scope,
    /// `,`
    Comma,
    /// `=`
    Equal,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `~`
    Tilde,
    /// `@`
    At,
    /// `#`
    Hash,
    /// `##`
    Paste,
    /// `.`
    Dot,
    /// `...`
    Ellipsis,
    /// `?`
    Question,
    /// `!`
    Not,
    /// `==`
    Same,
    /// `!=`
    Different,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `&&`
    Both,
    /// `||`
    Either,
    /// A character that no token begins with.
    Other,
}

impl Kind {
    /// Its spelling, where it has only one.
    pub(crate) fn text(self) -> Option<&'static str> {
        Some(match self {
            Self::OpenBrace => "{",
            Self::CloseBrace => "}",
            Self::OpenParenthesis => "(",
            Self::CloseParenthesis => ")",
            Self::OpenBracket => "[",
            Self::CloseBracket => "]",
            Self::Less => "<",
            Self::Greater => ">",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Semicolon => ";",
            Self::Colon => ":",
            Self::Scope => "::",
            Self::Comma => ",",
            Self::Equal => "=",
            Self::Or => "|",
            Self::Xor => "^",
            Self::And => "&",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::Percent => "%",
            Self::Tilde => "~",
            Self::At => "@",
            Self::Hash => "#",
            Self::Paste => "##",
            Self::Dot => ".",
            Self::Ellipsis => "...",
            Self::Question => "?",
            Self::Not => "!",
            Self::Same => "==",
            Self::Different => "!=",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Both => "&&",
            Self::Either => "||",
            Self::End
            | Self::Name
            | Self::Number
            | Self::Char
            | Self::WideChar
            | Self::Text
            | Self::WideText
            | Self::Pragma(_)
            | Self::Other => return None,
        })
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: Kind,
    /// Its text, where the kind does not say it.
    pub(crate) text: Symbol,
    /// Where it is.
    pub(crate) span: Span,
    /// Space or a comment is in front of it.
    pub(crate) spaced: bool,
    /// It is the first of its line.
    pub(crate) first: bool,
    /// A macro of this name is not expanded here any more.
    pub(crate) painted: bool,
}

/// A comment that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Where it is, with its slashes.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: CommentKind,
    /// How many tokens are in front of it.
    pub(crate) tokens: u32,
}

/// What a comment means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentKind {
    /// `///`, `//!`, `/** */`: documentation of what follows.
    Documentation,
    /// `///<`: documentation of what is in front.
    Trailing,
    /// `//@`: an annotation as RTI writes it.
    Annotation,
}
