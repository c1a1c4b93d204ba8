//! The preprocessor: includes, macros, conditions. Tokens go in, tokens come out.

mod condition;
mod directive;
mod expand;
mod include;
mod macros;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lexer::Lexer;
use crate::limits;
use crate::report::{Report, codes};
use crate::session::Session;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Comment, Kind, Token};

use macros::Macro;

/// A pragma that says something about types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pragma {
    /// `keylist T f g.h`, and OpenDDS's `DCPS_DATA_KEY "T f"`.
    Keys {
        ty: (String, Span),
        fields: Vec<(String, Span)>,
    },
    /// `DCPS_DATA_TYPE "T"`: a topic is of it.
    Topic { ty: (String, Span) },
}

/// What comes out of the preprocessor.
#[derive(Debug, Default)]
pub(crate) struct Preprocessed {
    /// The last one is [`Kind::End`].
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) pragmas: Vec<Pragma>,
    /// All files that were read, the first one included.
    pub(crate) paths: Vec<PathBuf>,
}

/// A condition that is open.
#[derive(Debug)]
struct Condition {
    span: Span,
    /// A branch was taken already.
    taken: bool,
    /// `#else` was there.
    has_else: Option<Span>,
}

/// A file that is being read.
#[derive(Debug)]
struct Open {
    lexer: Lexer,
    file: usize,
    path: PathBuf,
    conditions: Vec<Condition>,
}

/// Tokens of a macro that wait.
#[derive(Debug)]
struct Waiting {
    tokens: Vec<Token>,
    next: usize,
    /// The macro that is not expanded before they are gone.
    of: Option<Symbol>,
}

/// Words that mean something to the preprocessor.
#[derive(Debug)]
struct Words {
    defined: Symbol,
    file: Symbol,
    line: Symbol,
    variadic: Symbol,
}

#[derive(Debug)]
pub(crate) struct Preprocessor<'s, 'o> {
    session: &'s mut Session<'o>,
    files: Vec<Open>,
    waiting: Vec<Waiting>,
    macros: HashMap<Symbol, Arc<Macro>>,
    /// Macros that are being expanded.
    active: Vec<Symbol>,
    words: Words,
    /// Arguments that are being expanded within each other.
    alone: usize,
    includes: usize,
    bytes: usize,
    output: Preprocessed,
}

/// Preprocesses a file, with all that it includes.
pub(crate) fn preprocess(
    session: &mut Session<'_>,
    path: &Path,
    text: Option<Vec<u8>>,
) -> Preprocessed {
    let words = Words {
        defined: session.symbols.intern("defined"),
        file: session.symbols.intern("__FILE__"),
        line: session.symbols.intern("__LINE__"),
        variadic: session.symbols.intern("__VA_ARGS__"),
    };
    let mut preprocessor = Preprocessor {
        session,
        files: Vec::new(),
        waiting: Vec::new(),
        macros: HashMap::new(),
        active: Vec::new(),
        words,
        alone: 0,
        includes: 0,
        bytes: 0,
        output: Preprocessed::default(),
    };
    preprocessor.define_given();
    preprocessor.open_first(path, text);
    preprocessor.run();
    preprocessor.output
}

impl Preprocessor<'_, '_> {
    fn run(&mut self) {
        loop {
            let token = self.expanded();
            if !self.session.step(token.span) {
                break;
            }
            if token.kind == Kind::End {
                self.output.tokens.push(token);
                return;
            }
            self.emit(token);
        }
        // A limit was reached. What came so far is good enough to find more mistakes in it, but
        // not to say that something is missing.
        self.output.tokens.clear();
        self.output.tokens.push(end());
    }

    fn emit(&mut self, token: Token) {
        self.count(token);
        self.output.tokens.push(token);
    }

    /// Counts a token against the limit of preprocessed text.
    fn count(&mut self, token: Token) {
        let length = (token.span.end - token.span.start) as usize + 1;
        self.bytes += match token.span.expansion {
            0 => length,
            _ => length.max(32),
        };
        if self.bytes > limits::PREPROCESSED {
            let message = format!(
                "there are more than {} MiB after preprocessing",
                limits::PREPROCESSED >> 20
            );
            let span = self.session.sources.written(token.span);
            self.session.exceed(codes::TOO_MUCH_TEXT, span, message);
        }
    }

    /// The next token, macros not expanded; directives are obeyed.
    fn raw(&mut self) -> Token {
        loop {
            if let Some(token) = self.next_waiting() {
                return token;
            }
            if self.session.is_over {
                return end();
            }
            let Some(open) = self.files.last_mut() else {
                return end();
            };
            let token = open
                .lexer
                .token(&mut self.session.symbols, &mut self.session.reports);
            self.collect_comments();
            match token.kind {
                Kind::End => {
                    if self.close(token) {
                        return token;
                    }
                }
                Kind::Hash if token.first => self.directive(token),
                Kind::Other => {}
                _ => return token,
            }
            if !self.session.step(token.span) {
                return end();
            }
        }
    }

    fn next_waiting(&mut self) -> Option<Token> {
        while let Some(waiting) = self.waiting.last_mut() {
            if let Some(token) = waiting.tokens.get(waiting.next) {
                waiting.next += 1;
                return Some(*token);
            }
            if let Some(waiting) = self.waiting.pop()
                && waiting.of.is_some()
            {
                self.active.pop();
            }
        }
        None
    }

    fn collect_comments(&mut self) {
        let tokens = self.output.tokens.len() as u32;
        if let Some(open) = self.files.last_mut()
            && !open.lexer.comments.is_empty()
        {
            for mut comment in open.lexer.comments.drain(..) {
                comment.tokens = tokens;
                self.output.comments.push(comment);
            }
        }
    }

    /// Ends a file. Whether it was the last.
    fn close(&mut self, at: Token) -> bool {
        let Some(open) = self.files.last() else {
            return true;
        };
        if let Some(condition) = open.conditions.last() {
            let message = "this condition has no #endif";
            self.session
                .report(Report::new(codes::OPEN_CONDITION, condition.span, message));
        }
        if self.files.len() > 1 {
            self.files.pop();
            return false;
        }
        debug_assert_eq!(at.kind, Kind::End, "only the end closes a file");
        true
    }

    /// The tokens up to the end of the line of a directive.
    fn line(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let Some(open) = self.files.last_mut() else {
            return tokens;
        };
        loop {
            let mark = open.lexer.mark();
            let token = open
                .lexer
                .token(&mut self.session.symbols, &mut self.session.reports);
            if token.first || token.kind == Kind::End {
                // Comments of the next line are seen again with its first token.
                open.lexer.comments.clear();
                open.lexer.reset(mark);
                return tokens;
            }
            tokens.push(token);
        }
    }

    fn text(&self, token: Token) -> &str {
        match token.kind.text() {
            Some(text) => text,
            None => self.session.symbols.text(token.text),
        }
    }
}

fn end() -> Token {
    Token {
        kind: Kind::End,
        text: Symbol::EMPTY,
        span: Span::default(),
        spaced: false,
        first: false,
        painted: false,
    }
}

/// Text that reads as the same tokens again, with a `#line` where the place jumps.
pub(crate) fn print(session: &Session<'_>, tokens: &[Token]) -> String {
    let mut text = String::new();
    let (mut file, mut line) = (None, 0);
    for token in tokens {
        if token.kind == Kind::End || matches!(token.kind, Kind::Pragma(_)) {
            continue;
        }
        let span = session.sources.written(token.span);
        let place = session.sources.location(span.start);
        let is_same = file.as_ref() == Some(&place.file);
        if is_same && place.line == line {
            if token.spaced {
                text.push(' ');
            }
        } else {
            if !text.is_empty() {
                text.push('\n');
            }
            if is_same && (line..line + 8).contains(&place.line) {
                (line + 1..place.line).for_each(|_| text.push('\n'));
            } else {
                text.push_str(&format!("#line {} \"{}\"\n", place.line, place.file));
            }
            (file, line) = (Some(place.file), place.line);
        }
        text.push_str(match token.kind.text() {
            Some(text) => text,
            None => session.symbols.text(token.text),
        });
    }
    text.push('\n');
    text
}
