//! `#define`.

use std::sync::Arc;

use super::Preprocessor;
use crate::lexer::Lexer;
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Kind, Token};

/// What a name stands for.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    pub(super) span: Span,
    /// `None`: it has no parentheses.
    pub(super) parameters: Option<Vec<Symbol>>,
    /// The last parameter takes all arguments that are left.
    pub(super) is_variadic: bool,
    pub(super) body: Vec<Token>,
}

impl Macro {
    pub(super) fn parameter(&self, token: Token) -> Option<usize> {
        let parameters = self.parameters.as_ref()?;
        if token.kind != Kind::Name {
            return None;
        }
        parameters.iter().position(|one| *one == token.text)
    }

    fn is_same(&self, other: &Self) -> bool {
        let body = |of: &Self| -> Vec<(Kind, Symbol)> {
            of.body
                .iter()
                .map(|token| (token.kind, token.text))
                .collect()
        };
        self.parameters == other.parameters
            && self.is_variadic == other.is_variadic
            && body(self) == body(other)
    }
}

impl Preprocessor<'_, '_> {
    /// `__DUNLIN_IDL__` and what the user defines.
    pub(super) fn define_given(&mut self) {
        self.define_text("__DUNLIN_IDL__", Some("1"));
        let options = self.session.options;
        for (name, value) in &options.defines {
            self.define_text(name, value.as_deref());
        }
        for name in &options.undefines {
            let name = self.session.symbols.intern(name);
            self.macros.remove(&name);
        }
    }

    fn define_text(&mut self, name: &str, value: Option<&str>) {
        let text: Arc<str> = format!("{name} {}", value.unwrap_or("1")).into();
        let Some(file) = self.session.sources.add("command line", text.clone(), None) else {
            return;
        };
        let start = self.session.sources.file(file).map_or(0, |file| file.start);
        let mut lexer = Lexer::new(text, start);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.token(&mut self.session.symbols, &mut self.session.reports);
            if token.kind == Kind::End {
                break;
            }
            tokens.push(token);
        }
        self.define(&tokens, Span::default());
    }

    /// `#define`, behind the word.
    pub(super) fn define(&mut self, line: &[Token], directive: Span) {
        let Some((name, rest)) = line
            .split_first()
            .filter(|(name, _)| name.kind == Kind::Name)
        else {
            let span = line.first().map_or(directive, |token| token.span);
            let message = "a macro needs a name behind #define";
            self.session
                .report(Report::new(codes::BAD_DEFINE, span, message));
            return;
        };
        if name.text == self.words.defined {
            let message = "`defined` cannot be a macro";
            self.session
                .report(Report::new(codes::BAD_DEFINE, name.span, message));
            return;
        }
        let has_parameters = rest
            .first()
            .is_some_and(|token| token.kind == Kind::OpenParenthesis && !token.spaced);
        let (parameters, is_variadic, body) = match has_parameters {
            false => (None, false, rest),
            true => match self.parameters(rest) {
                Some((names, is_variadic, length)) => (
                    Some(names),
                    is_variadic,
                    rest.get(length..).unwrap_or_default(),
                ),
                None => return,
            },
        };
        let made = Macro {
            name: name.text,
            span: name.span,
            parameters,
            is_variadic,
            body: body.to_vec(),
        };
        if !self.is_body(&made) {
            return;
        }
        self.warn_of_change(&made);
        self.macros.insert(name.text, Arc::new(made));
    }

    /// The names in parentheses, whether `...` is there, and how many tokens it all has.
    fn parameters(&mut self, tokens: &[Token]) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut names = Vec::new();
        let mut is_variadic = false;
        let mut expects_name = true;
        for (index, token) in tokens.iter().enumerate().skip(1) {
            match token.kind {
                Kind::CloseParenthesis if !expects_name || names.is_empty() => {
                    return Some((names, is_variadic, index + 1));
                }
                Kind::Name if expects_name && !is_variadic && !names.contains(&token.text) => {
                    names.push(token.text);
                    expects_name = false;
                }
                Kind::Ellipsis if expects_name => {
                    names.push(self.words.variadic);
                    (is_variadic, expects_name) = (true, false);
                }
                // `rest...` gives the arguments that are left a name.
                Kind::Ellipsis if !is_variadic => is_variadic = true,
                Kind::Comma if !expects_name && !is_variadic => expects_name = true,
                _ => {
                    let text = self.text(*token).to_string();
                    let message =
                        format!("`{text}` does not belong into the parameters of a macro");
                    self.session
                        .report(Report::new(codes::BAD_DEFINE, token.span, message));
                    return None;
                }
            }
        }
        let span = tokens.first().map_or(Span::default(), |token| token.span);
        let message = "the parameters of this macro do not end";
        self.session
            .report(Report::new(codes::BAD_DEFINE, span, message));
        None
    }

    fn is_body(&mut self, made: &Macro) -> bool {
        let ends = [made.body.first(), made.body.last()];
        if let Some(token) = ends.into_iter().flatten().find(|t| t.kind == Kind::Paste) {
            let message = "## joins two tokens, so there has to be one on either side";
            self.session
                .report(Report::new(codes::BAD_DEFINE, token.span, message));
            return false;
        }
        if made.parameters.is_none() {
            return true;
        }
        for (index, token) in made.body.iter().enumerate() {
            let next = made.body.get(index + 1);
            if token.kind == Kind::Hash && next.and_then(|next| made.parameter(*next)).is_none() {
                let message = "behind # a parameter of the macro has to stand";
                self.session
                    .report(Report::new(codes::BAD_DEFINE, token.span, message));
                return false;
            }
        }
        true
    }

    fn warn_of_change(&mut self, made: &Macro) {
        let Some(old) = self.macros.get(&made.name) else {
            return;
        };
        if old.is_same(made) || old.span == Span::default() {
            return;
        }
        let name = self.session.symbols.text(made.name);
        let message = format!("the macro `{name}` gets another meaning");
        let report = Report::new(codes::MACRO_CHANGED, made.span, message)
            .label(old.span, "it has this one so far")
            .note("write #undef in front if that is meant");
        self.session.report(report);
    }
}
