//! Macros are expanded.

use std::sync::Arc;

use super::macros::Macro;
use super::{Preprocessor, Waiting, end};
use crate::limits;
use crate::report::{Report, codes};
use crate::source::{Expansion, Span};
use crate::symbol::Symbol;
use crate::token::{Kind, Token};

/// An argument of a macro, and what becomes of it when its macros are expanded.
struct Argument {
    raw: Vec<Token>,
    expanded: Vec<Token>,
}

impl Preprocessor<'_, '_> {
    /// The next token after macros.
    pub(super) fn expanded(&mut self) -> Token {
        loop {
            let mut token = self.raw();
            if token.kind != Kind::Name || token.painted {
                return token;
            }
            if token.text == self.words.line || token.text == self.words.file {
                return self.place(token);
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                return token;
            };
            if self.active.contains(&token.text) {
                token.painted = true;
                return token;
            }
            if !self.replace(&found, token) {
                return token;
            }
            if self.session.is_over {
                return end();
            }
        }
    }

    /// `__LINE__` and `__FILE__`.
    fn place(&mut self, token: Token) -> Token {
        let span = self.session.sources.written(token.span);
        let place = self.session.sources.location(span.start);
        let (kind, text) = match token.text == self.words.line {
            true => (Kind::Number, place.line.to_string()),
            false => (Kind::Text, quote(&place.file)),
        };
        Token {
            kind,
            text: self.session.symbols.intern(&text),
            ..token
        }
    }

    /// Puts what a macro stands for in front of all that waits. Whether it is used here: without
    /// arguments a macro that takes some is a plain name.
    fn replace(&mut self, found: &Arc<Macro>, token: Token) -> bool {
        let arguments = match &found.parameters {
            None => Vec::new(),
            Some(_) => {
                let next = self.raw();
                if next.kind != Kind::OpenParenthesis {
                    self.unread(next);
                    return false;
                }
                match self.arguments(found, token) {
                    Some(arguments) => arguments,
                    // It was reported, and its tokens are gone.
                    None => return true,
                }
            }
        };
        if self.active.len() >= limits::EXPANSION_DEPTH {
            self.too_deep(token.span);
            return true;
        }
        if self.session.sources.expansion_count() >= limits::EXPANSIONS {
            let message = format!("more than {} macros are expanded", limits::EXPANSIONS);
            let span = self.session.sources.written(token.span);
            self.session
                .exceed(codes::TOO_MANY_EXPANSIONS, span, message);
            return true;
        }
        let expansion = self.session.sources.expand(Expansion {
            name: self.session.symbols.shared(found.name),
            used_at: token.span,
            defined_at: found.span,
        });
        let tokens = self.body(found, &arguments, token, expansion);
        for token in &tokens {
            self.count(*token);
        }
        self.active.push(found.name);
        self.waiting.push(Waiting {
            tokens,
            next: 0,
            of: Some(found.name),
        });
        true
    }

    fn too_deep(&mut self, span: Span) {
        let message = format!(
            "macros are expanded within each other more than {} deep",
            limits::EXPANSION_DEPTH
        );
        let span = self.session.sources.written(span);
        self.session.exceed(codes::EXPANSION_DEPTH, span, message);
    }

    fn unread(&mut self, token: Token) {
        if token.kind == Kind::End {
            return;
        }
        self.waiting.push(Waiting {
            tokens: vec![token],
            next: 0,
            of: None,
        });
    }

    /// The arguments up to the closing parenthesis.
    fn arguments(&mut self, found: &Macro, name: Token) -> Option<Vec<Argument>> {
        let parameters = found.parameters.as_deref().unwrap_or_default();
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            let token = self.raw();
            let takes_rest = found.is_variadic && arguments.len() == parameters.len();
            match token.kind {
                Kind::End => {
                    let text = self.text(name).to_string();
                    let message = format!("the arguments of the macro `{text}` do not end");
                    self.session
                        .report(Report::new(codes::MACRO_ARGUMENTS, name.span, message));
                    return None;
                }
                Kind::CloseParenthesis if depth == 0 => break,
                Kind::Comma if depth == 0 && !takes_rest => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::OpenParenthesis => depth += 1,
                Kind::CloseParenthesis => depth -= 1,
                _ => {}
            }
            self.count(token);
            if !self.session.step(name.span) {
                return None;
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        let mut given = arguments.len();
        if given == 1 && parameters.is_empty() && arguments.first().is_none_or(Vec::is_empty) {
            (given, arguments) = (0, Vec::new());
        }
        if found.is_variadic && given + 1 == parameters.len() {
            arguments.push(Vec::new());
            given += 1;
        }
        if given != parameters.len() {
            let text = self.text(name).to_string();
            let is = if given == 1 { "is" } else { "are" };
            let message = format!(
                "the macro `{text}` takes {} arguments, and {given} {is} given",
                parameters.len()
            );
            let report = Report::new(codes::MACRO_ARGUMENTS, name.span, message)
                .label(found.span, "it is defined here");
            self.session.report(report);
            return None;
        }
        let arguments = arguments.into_iter().map(|raw| Argument {
            expanded: self.expand_alone(&raw),
            raw,
        });
        Some(arguments.collect())
    }

    /// Expands the macros of an argument as if nothing came behind it.
    fn expand_alone(&mut self, tokens: &[Token]) -> Vec<Token> {
        if !tokens.iter().any(|token| token.kind == Kind::Name) {
            return tokens.to_vec();
        }
        if self.active.len() + self.alone >= limits::EXPANSION_DEPTH {
            let span = tokens.first().map_or(Span::default(), |token| token.span);
            self.too_deep(span);
            return Vec::new();
        }
        let waiting = Waiting {
            tokens: tokens.to_vec(),
            next: 0,
            of: None,
        };
        let outer = std::mem::replace(&mut self.waiting, vec![waiting]);
        let files = std::mem::take(&mut self.files);
        let depth = self.active.len();
        self.alone += 1;
        let mut expanded = Vec::new();
        loop {
            let token = self.expanded();
            if token.kind == Kind::End || !self.session.step(token.span) {
                break;
            }
            self.count(token);
            expanded.push(token);
        }
        self.alone -= 1;
        self.active.truncate(depth);
        self.waiting = outer;
        self.files = files;
        expanded
    }

    /// The tokens of a macro with its arguments in their places.
    fn body(
        &mut self,
        found: &Macro,
        arguments: &[Argument],
        used: Token,
        expansion: u32,
    ) -> Vec<Token> {
        let mut made: Vec<Token> = Vec::with_capacity(found.body.len());
        let mut index = 0;
        while let Some(token) = found.body.get(index).copied() {
            index += 1;
            let next = found.body.get(index).copied();
            if token.kind == Kind::Hash
                && let Some(argument) = next.and_then(|next| found.parameter(next))
            {
                index += 1;
                let text = self.stringified(arguments.get(argument), token);
                made.push(within(text, expansion));
                continue;
            }
            if token.kind == Kind::Paste {
                let Some(right) = next else { break };
                index += 1;
                let argument = found.parameter(right).and_then(|at| arguments.get(at));
                let right = argument.map_or_else(|| vec![right], |argument| argument.raw.clone());
                self.paste(&mut made, &right, expansion, token.span);
                continue;
            }
            let joins = next.is_some_and(|next| next.kind == Kind::Paste);
            match found.parameter(token).and_then(|at| arguments.get(at)) {
                Some(argument) => {
                    let tokens = match joins {
                        true => &argument.raw,
                        false => &argument.expanded,
                    };
                    let start = made.len();
                    made.extend(tokens.iter().copied());
                    if let Some(first) = made.get_mut(start) {
                        first.spaced = token.spaced;
                    } else if joins {
                        // An empty argument joins with nothing.
                        made.push(Token {
                            kind: Kind::Other,
                            text: Symbol::EMPTY,
                            ..within(token, expansion)
                        });
                    }
                }
                None => made.push(within(token, expansion)),
            }
        }
        made.retain(|token| token.kind != Kind::Other);
        if let Some(first) = made.first_mut() {
            first.spaced = used.spaced;
        }
        for token in &mut made {
            token.first = false;
        }
        made
    }

    fn stringified(&mut self, argument: Option<&Argument>, at: Token) -> Token {
        let mut text = String::new();
        for (index, token) in argument.iter().flat_map(|a| a.raw.iter()).enumerate() {
            if token.spaced && index > 0 {
                text.push(' ');
            }
            text.push_str(self.text(*token));
        }
        let text = quote(&text);
        Token {
            kind: Kind::Text,
            text: self.session.symbols.intern(&text),
            ..at
        }
    }

    fn paste(&mut self, made: &mut Vec<Token>, right: &[Token], expansion: u32, at: Span) {
        let Some((first, rest)) = right.split_first() else {
            return;
        };
        let left = made.pop();
        let Some(left) = left else {
            made.extend(right.iter().copied());
            return;
        };
        let left_text = match left.kind {
            Kind::Other => String::new(),
            _ => self.text(left).to_string(),
        };
        let text = format!("{left_text}{}", self.text(*first));
        let mut lexer = crate::lexer::Lexer::new(text.as_str().into(), 0);
        lexer.quiet = true;
        let (symbols, reports) = (&mut self.session.symbols, &mut self.session.reports);
        let joined = lexer.token(symbols, reports);
        let is_whole = lexer.token(symbols, reports).kind == Kind::End;
        if !is_whole || joined.kind == Kind::Other {
            let message = format!("## makes `{text}` here, which is no token");
            let at = Span { expansion, ..at };
            self.session
                .report(Report::new(codes::BAD_PASTE, at, message));
        }
        made.push(Token {
            span: left.span,
            spaced: left.spaced,
            ..joined
        });
        if let Some(last) = made.last_mut() {
            last.span.expansion = expansion;
        }
        made.extend(rest.iter().copied());
    }
}

/// A token of a macro's body, as one of its uses.
fn within(token: Token, expansion: u32) -> Token {
    Token {
        span: Span {
            expansion,
            ..token.span
        },
        ..token
    }
}

/// A text as a string literal.
pub(super) fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
