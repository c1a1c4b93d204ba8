//! The grammar of IDL 4.2: recursive descent, with a way on behind each mistake.

mod annotation;
mod definition;
mod enumeration;
mod expression;
mod types;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Definition, DefinitionKind, Front, Name, ScopedName};
use crate::dialect;
use crate::lexer::documentation;
use crate::limits;
use crate::preprocess::{Pragma, Preprocessed};
use crate::report::{Report, codes};
use crate::session::Session;
use crate::source::Span;
use crate::symbol::{Keyword, Symbol};
use crate::token::{Comment, CommentKind, Kind, Token};

/// A mistake was reported; the caller looks for the way on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// What the resolver reads.
#[derive(Debug, Default)]
pub(crate) struct Parse {
    pub(crate) definitions: Vec<Definition>,
    /// All names of types and constants, and where they are declared first: for those that are used
    /// before.
    pub(crate) declared: HashMap<Symbol, Span>,
    /// Names of types that lost a part by a mistake.
    pub(crate) broken: HashSet<Span>,
}

#[derive(Debug)]
pub(crate) struct Parser<'s, 'o> {
    session: &'s mut Session<'o>,
    tokens: Vec<Token>,
    at: usize,
    comments: Vec<Comment>,
    next_comment: usize,
    pragmas: Vec<Pragma>,
    depth: usize,
    /// Pragmas since the last definition.
    pending: Vec<Definition>,
    /// Types that are defined where they are used.
    inline: Vec<Definition>,
    declared: HashMap<Symbol, Span>,
    broken: HashSet<Span>,
    /// The last missing token was reported here: what follows from that is not.
    reported_at: Option<usize>,
    /// The file ends within braces.
    is_unclosed: bool,
}

/// Parses what the preprocessor made.
pub(crate) fn parse(session: &mut Session<'_>, preprocessed: Preprocessed) -> Parse {
    let mut parser = Parser {
        session,
        tokens: preprocessed.tokens,
        at: 0,
        comments: preprocessed.comments,
        next_comment: 0,
        pragmas: preprocessed.pragmas,
        depth: 0,
        pending: Vec::new(),
        inline: Vec::new(),
        declared: HashMap::new(),
        broken: HashSet::new(),
        reported_at: None,
        is_unclosed: false,
    };
    let definitions = parser.file();
    parser.leftover_comments();
    Parse {
        definitions,
        declared: parser.declared,
        broken: parser.broken,
    }
}

impl Parser<'_, '_> {
    fn file(&mut self) -> Vec<Definition> {
        let mut definitions = Vec::new();
        loop {
            self.definitions(&mut definitions);
            if self.kind() == Kind::End || self.session.is_over {
                return definitions;
            }
            // A brace that closes nothing.
            let span = self.span();
            let report = Report::new(codes::UNEXPECTED, span, "this `}` closes nothing");
            self.session.report(report.fix(span, ""));
            self.bump();
            if self.kind() == Kind::Semicolon {
                self.bump();
            }
        }
    }

    fn token(&mut self) -> Token {
        loop {
            let token = self.tokens.get(self.at).or(self.tokens.last()).copied();
            match token {
                Some(token) => match token.kind {
                    Kind::Pragma(index) => self.pragma(index, token.span),
                    _ => return token,
                },
                None => {
                    return Token {
                        kind: Kind::End,
                        text: Symbol::EMPTY,
                        span: Span::default(),
                        spaced: false,
                        first: true,
                        painted: false,
                    };
                }
            }
        }
    }

    fn pragma(&mut self, index: u32, span: Span) {
        self.at += 1;
        if let Some(pragma) = self.pragmas.get(index as usize) {
            self.pending.push(Definition {
                front: Front::default(),
                name: Name {
                    symbol: Symbol::EMPTY,
                    span,
                },
                span,
                kind: DefinitionKind::Pragma(pragma.clone()),
            });
        }
    }

    fn kind(&mut self) -> Kind {
        self.token().kind
    }

    fn span(&mut self) -> Span {
        self.token().span
    }

    /// The kind of the token behind the next.
    fn kind_behind(&mut self) -> Kind {
        self.token();
        let mut rest = self.tokens.iter().skip(self.at + 1);
        let next = rest.find(|token| !matches!(token.kind, Kind::Pragma(_)));
        next.map_or(Kind::End, |token| token.kind)
    }

    fn keyword(&mut self) -> Option<Keyword> {
        let token = self.token();
        match token.kind {
            Kind::Name => token.text.keyword(),
            _ => None,
        }
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    /// The span of the token in front of the next.
    fn previous(&self) -> Span {
        let before = self.tokens.iter().take(self.at).rev();
        let mut before = before.filter(|token| !matches!(token.kind, Kind::Pragma(_)));
        before.next().map_or(Span::default(), |token| token.span)
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let is_next = self.kind() == kind;
        if is_next {
            self.bump();
        }
        is_next
    }

    /// What the next token is, for people.
    fn found(&mut self) -> String {
        let token = self.token();
        match token.kind {
            Kind::End => "the end of the file".into(),
            kind => {
                let text = match kind.text() {
                    Some(text) => text,
                    None => self.session.symbols.text(token.text),
                };
                let short: String = text.chars().take(40).collect();
                format!("`{short}`")
            }
        }
    }

    /// Reports what should be here instead.
    fn expected(&mut self, what: &str) -> Failed {
        if self.reported_at != Some(self.at) {
            let found = self.found();
            let span = self.span();
            let message = format!("{what} should be here, and {found} is");
            self.session
                .report(Report::new(codes::UNEXPECTED, span, message));
            self.reported_at = Some(self.at);
        }
        Failed
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Parsed<Span> {
        match self.kind() == kind {
            true => Ok(self.bump().span),
            false => Err(self.expected(what)),
        }
    }

    /// The `;` behind a declaration. One that is missing at the end of a line is taken as written.
    fn semicolon(&mut self, behind: &str) -> Parsed<()> {
        if self.eat(Kind::Semicolon) {
            return Ok(());
        }
        if self.is_open_literal() {
            // The `;` is within the literal, and that was reported.
            return Ok(());
        }
        let token = self.token();
        let is_end = token.first || matches!(token.kind, Kind::End | Kind::CloseBrace);
        if !is_end || self.reported_at == Some(self.at) {
            return Err(self.expected(&format!("`;` behind {behind}")));
        }
        let before = self.previous();
        let message = format!("`;` is missing behind {behind}");
        let report = Report::new(codes::NO_SEMICOLON, before.after(), message);
        self.session.report(report.instead(";"));
        Ok(())
    }

    /// The token in front is a string or character that does not end.
    fn is_open_literal(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let quote = match before.map(|token| token.kind) {
            Some(Kind::Text | Kind::WideText) => '"',
            Some(Kind::Char | Kind::WideChar) => '\'',
            _ => return false,
        };
        let text = before.map_or("", |token| self.session.symbols.text(token.text));
        let text = text.trim_start_matches('L');
        text.len() < 2 || !text.ends_with(quote)
    }

    /// Goes behind the next `;` or in front of the next `}` of this depth. The last name in front
    /// of the `;` may be what would have been declared.
    fn recover(&mut self) -> Option<Name> {
        let (mut depth, mut last) = (0_usize, None);
        loop {
            let token = self.token();
            match token.kind {
                Kind::End => return None,
                Kind::Semicolon if depth == 0 => {
                    self.bump();
                    return last;
                }
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 => return last,
                Kind::CloseBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        self.eat(Kind::Semicolon);
                        return last;
                    }
                }
                Kind::Name if depth == 0 && token.text.keyword().is_none() => {
                    last = Some(self.free(token));
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Enters something that can be nested.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= limits::NESTING {
            return Ok(());
        }
        let span = self.span();
        let message = format!("this is nested more than {} deep", limits::NESTING);
        self.session.exceed(codes::TOO_DEEP, span, message);
        self.tokens.clear();
        Err(Failed)
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// A name without the `_` in front.
    fn free(&mut self, token: Token) -> Name {
        let symbol = match self.session.symbols.text(token.text).strip_prefix('_') {
            Some(rest) if !rest.is_empty() => {
                let rest = rest.to_string();
                self.session.symbols.intern(&rest)
            }
            _ => token.text,
        };
        Name {
            symbol,
            span: token.span,
        }
    }

    /// A name that is declared here.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token();
        if token.kind != Kind::Name {
            return Err(self.expected(&format!("the name of {what}")));
        }
        if let Some(keyword) = token.text.keyword() {
            self.keyword_as_name(keyword, token, what)?;
        }
        self.bump();
        let name = self.free(token);
        self.check_name(name, token);
        Ok(name)
    }

    fn keyword_as_name(&mut self, keyword: Keyword, token: Token, what: &str) -> Parsed<()> {
        let text = keyword.text();
        if self.reported_at == Some(self.at) {
            return Err(Failed);
        }
        let (code, message) = match keyword.is_unused() {
            true => (
                codes::UNUSED_KEYWORD,
                format!(
                    "`{text}` is a keyword of IDL that DDS does not use; others refuse it as a name"
                ),
            ),
            false => (
                codes::KEYWORD,
                format!("`{text}` is a keyword and cannot be the name of {what}"),
            ),
        };
        let report = Report::new(code, token.span, message)
            .instead(format!("_{text}"))
            .note("the `_` is not part of the name: on the wire it is the same");
        self.session.report(report);
        // `long long long b`: it is no name at all.
        match self.kind_behind() == Kind::Name && !keyword.is_unused() {
            true => Err(Failed),
            false => Ok(()),
        }
    }

    fn check_name(&mut self, name: Name, token: Token) {
        let text = self.session.symbols.text(name.symbol);
        if text.len() > limits::NAME {
            let message = format!(
                "this name has {} bytes, at most {} are allowed",
                text.len(),
                limits::NAME
            );
            self.session
                .report(Report::new(codes::LONG_NAME, token.span, message));
        }
        let is_free = name.symbol != token.text;
        if is_free || name.symbol.keyword().is_some() {
            return;
        }
        if let Some(keyword) = self.session.symbols.near_keyword(name.symbol) {
            let text = self.session.symbols.text(name.symbol).to_string();
            let message = format!(
                "`{text}` differs from the keyword `{}` by case alone; others refuse it as a name",
                keyword.text()
            );
            let report = Report::new(codes::NEAR_KEYWORD, token.span, message)
                .instead(format!("_{text}"))
                .note(
                    "IDL 4.2 7.2.3: names that differ from a keyword by case alone are not allowed",
                );
            self.session.report(report);
        }
    }

    /// A name that is used.
    fn scoped_name(&mut self) -> Parsed<ScopedName> {
        let start = self.span();
        let is_absolute = self.eat(Kind::Scope);
        let mut parts = Vec::with_capacity(1);
        loop {
            let token = self.token();
            let is_name =
                token.kind == Kind::Name && token.text.keyword().is_none_or(Keyword::is_unused);
            if !is_name {
                return Err(self.expected("a name"));
            }
            self.bump();
            parts.push(self.free(token));
            if !self.eat(Kind::Scope) {
                break;
            }
        }
        let span = start.to(self.previous());
        Ok(ScopedName {
            is_absolute,
            parts,
            span,
        })
    }

    /// Documentation in front of the next token.
    fn docs(&mut self) -> Option<Rc<str>> {
        self.token();
        let at = self.at as u32;
        let mut found = String::new();
        while let Some(comment) = self.comments.get(self.next_comment) {
            if comment.tokens > at {
                break;
            }
            self.next_comment += 1;
            match comment.kind {
                CommentKind::Documentation if comment.tokens == at => {
                    if !found.is_empty() {
                        found.push('\n');
                    }
                    found.push_str(&documentation(self.session.sources.text(comment.span)));
                }
                CommentKind::Annotation => {
                    let span = comment.span;
                    self.stray_comment(span);
                }
                _ => {}
            }
        }
        (!found.is_empty()).then(|| found.into())
    }

    /// What comments behind a declaration say about it.
    fn behind(&mut self, front: &mut Front) {
        self.token();
        let at = self.at as u32;
        while let Some(comment) = self.comments.get(self.next_comment) {
            let span = comment.span;
            match comment.kind {
                _ if comment.tokens > at => return,
                CommentKind::Documentation if comment.tokens == at => return,
                CommentKind::Trailing if comment.tokens == at => {
                    let text = documentation(self.session.sources.text(span));
                    front.docs = Some(match &front.docs {
                        Some(docs) => format!("{docs}\n{text}").into(),
                        None => text.into(),
                    });
                }
                CommentKind::Annotation if comment.tokens == at => {
                    let found = dialect::comment(self.session, span);
                    front.annotations.extend(found);
                }
                CommentKind::Annotation => self.stray_comment(span),
                _ => {}
            }
            self.next_comment += 1;
        }
    }

    fn leftover_comments(&mut self) {
        while let Some(comment) = self.comments.get(self.next_comment) {
            self.next_comment += 1;
            if comment.kind == CommentKind::Annotation {
                let span = comment.span;
                self.stray_comment(span);
            }
        }
    }

    /// An annotation in a comment that stands behind no declaration.
    fn stray_comment(&mut self, span: Span) {
        if !self.session.options.comment_annotations {
            return;
        }
        if !dialect::is_known_comment(self.session.sources.text(span)) {
            return;
        }
        let message = "this annotation in a comment stands behind no declaration";
        let report = Report::new(codes::STRAY_COMMENT, span, message)
            .note("comments like //@key belong behind the `;` of a member or a type");
        self.session.report(report);
    }

    fn declare(&mut self, name: Name) {
        self.declared.entry(name.symbol).or_insert(name.span);
    }
}
