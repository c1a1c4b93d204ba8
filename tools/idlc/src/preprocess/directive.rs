//! Lines that begin with `#`.

use super::{Condition, Pragma, Preprocessor};
use crate::limits;
use crate::report::{Report, codes, nearest};
use crate::source::Span;
use crate::token::{Kind, Token};

/// All directives, for neighbours of what is none.
const DIRECTIVES: &[&str] = &[
    "include", "define", "undef", "if", "elif", "else", "endif", "ifdef", "ifndef", "error",
    "warning", "line", "pragma",
];

/// Pragmas that others have and that say nothing about types.
const OTHER_PRAGMAS: &[&str] = &["prefix", "ID", "version", "once"];

impl Preprocessor<'_, '_> {
    /// Obeys a directive; `hash` was read.
    pub(super) fn directive(&mut self, hash: Token) {
        let Some(open) = self.files.last_mut() else {
            return;
        };
        let mark = open.lexer.mark();
        let word = open
            .lexer
            .token(&mut self.session.symbols, &mut self.session.reports);
        if word.first || word.kind == Kind::End {
            // A # alone on its line does nothing.
            open.lexer.reset(mark);
            return;
        }
        let span = hash.span.to(word.span);
        match self.text(word).to_string().as_str() {
            "include" => self.include(span),
            "define" => {
                let line = self.line();
                self.define(&line, span);
            }
            "undef" => self.undefine(span),
            "if" => {
                let line = self.line();
                let holds = self.holds(&line, span);
                self.condition(span, holds);
            }
            name @ ("ifdef" | "ifndef") => {
                let holds = self.is_defined_next(span) == (name == "ifdef");
                self.condition(span, holds);
            }
            "elif" | "else" => self.otherwise(span),
            "endif" => self.end_condition(span),
            name @ ("error" | "warning") => self.say(name == "error", span),
            "line" => self.rename(span),
            "pragma" => self.pragma(span),
            // `# 12 "file"`: what other preprocessors write.
            _ if word.kind == Kind::Number => {
                if let Some(open) = self.files.last_mut() {
                    open.lexer.reset(mark);
                }
                self.rename(span);
            }
            name => {
                let message = format!("there is no directive #{name}");
                let mut report = Report::new(codes::UNKNOWN_DIRECTIVE, word.span, message);
                if let Some(near) = nearest(name, DIRECTIVES.iter().copied()) {
                    report = report.instead(near);
                }
                self.session.report(report);
                self.line();
            }
        }
    }

    fn undefine(&mut self, span: Span) {
        let line = self.line();
        match line.first() {
            Some(name) if name.kind == Kind::Name => {
                self.macros.remove(&name.text);
            }
            _ => {
                let message = "#undef needs the name of a macro";
                self.session
                    .report(Report::new(codes::BAD_DEFINE, span, message));
            }
        }
    }

    fn is_defined_next(&mut self, span: Span) -> bool {
        let line = self.line();
        match line.first() {
            Some(name) if name.kind == Kind::Name => self.is_defined(name.text),
            _ => {
                let message = "the name of a macro is missing";
                self.session
                    .report(Report::new(codes::BAD_CONDITION, span, message));
                false
            }
        }
    }

    fn condition(&mut self, span: Span, holds: bool) {
        let Some(open) = self.files.last_mut() else {
            return;
        };
        if open.conditions.len() >= limits::NESTING {
            let message = format!("conditions are nested more than {} deep", limits::NESTING);
            self.session.exceed(codes::TOO_DEEP, span, message);
            return;
        }
        open.conditions.push(Condition {
            span,
            taken: holds,
            has_else: None,
        });
        if !holds {
            self.skip();
        }
    }

    /// `#elif` or `#else` behind a branch that was taken.
    fn otherwise(&mut self, span: Span) {
        self.line();
        let is_open = self
            .files
            .last()
            .is_some_and(|open| !open.conditions.is_empty());
        match is_open {
            true => self.skip(),
            false => self.without_if(span),
        }
    }

    fn without_if(&mut self, span: Span) {
        let message = "there is no #if that this belongs to";
        self.session
            .report(Report::new(codes::WITHOUT_IF, span, message));
    }

    fn end_condition(&mut self, span: Span) {
        self.line();
        if let Some(open) = self.files.last_mut()
            && open.conditions.pop().is_none()
        {
            self.without_if(span);
        }
    }

    /// Skips text up to the branch that is taken, or the end of the condition.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        loop {
            let Some(open) = self.files.last_mut() else {
                return;
            };
            open.lexer.quiet = true;
            let token = open
                .lexer
                .token(&mut self.session.symbols, &mut self.session.reports);
            open.lexer.quiet = false;
            if token.kind == Kind::End || !self.session.step(token.span) {
                return;
            }
            if token.kind != Kind::Hash || !token.first {
                continue;
            }
            let Some(open) = self.files.last_mut() else {
                return;
            };
            let mark = open.lexer.mark();
            open.lexer.quiet = true;
            let word = open
                .lexer
                .token(&mut self.session.symbols, &mut self.session.reports);
            open.lexer.quiet = false;
            if word.first {
                open.lexer.reset(mark);
                continue;
            }
            let span = token.span.to(word.span);
            match self.session.symbols.text(word.text) {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.end_condition(span);
                    return;
                }
                "else" if depth == 0 => {
                    self.line();
                    if self.takes_else(span) {
                        return;
                    }
                }
                "elif" if depth == 0 => {
                    let line = self.line();
                    if self.takes_elif(&line, span) {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn takes_else(&mut self, span: Span) -> bool {
        let open = self.files.last_mut();
        let Some(condition) = open.and_then(|open| open.conditions.last_mut()) else {
            return true;
        };
        if let Some(first) = condition.has_else.replace(span) {
            let message = "this condition has a second #else";
            let report =
                Report::new(codes::WITHOUT_IF, span, message).label(first, "the first is here");
            self.session.report(report);
            return false;
        }
        !std::mem::replace(&mut condition.taken, true)
    }

    fn takes_elif(&mut self, line: &[Token], span: Span) -> bool {
        let condition = self.files.last().and_then(|open| open.conditions.last());
        let Some(condition) = condition else {
            return true;
        };
        if let Some(first) = condition.has_else {
            let message = "#elif comes behind #else";
            let report =
                Report::new(codes::WITHOUT_IF, span, message).label(first, "#else is here");
            self.session.report(report);
            return false;
        }
        if condition.taken || !self.holds(line, span) {
            return false;
        }
        let open = self.files.last_mut();
        if let Some(condition) = open.and_then(|open| open.conditions.last_mut()) {
            condition.taken = true;
        }
        true
    }

    /// `#error` and `#warning`.
    fn say(&mut self, is_error: bool, span: Span) {
        let Some(open) = self.files.last_mut() else {
            return;
        };
        let (text, _) = open.lexer.rest_of_line();
        let text = text.trim().trim_matches('"').to_string();
        let code = match is_error {
            true => codes::ERROR_DIRECTIVE,
            false => codes::WARNING_DIRECTIVE,
        };
        let message = match text.is_empty() {
            true => "the file says no more than that".to_string(),
            false => text,
        };
        self.session.report(Report::new(code, span, message));
    }

    /// `#line 12 "file"`.
    fn rename(&mut self, span: Span) {
        let line = self.line();
        let line = self.expand_line(line);
        let number = line.first().filter(|token| token.kind == Kind::Number);
        let number = number.and_then(|token| self.text(*token).parse::<u32>().ok());
        let Some(number) = number else {
            let message = "#line needs the number of a line";
            self.session
                .report(Report::new(codes::BAD_LINE, span, message));
            return;
        };
        let name = line.get(1).filter(|token| token.kind == Kind::Text);
        let name = name.map(|token| self.text(*token).trim_matches('"').to_string());
        let Some(open) = self.files.last() else {
            return;
        };
        let at = open.lexer.offset();
        if let Some(file) = self.session.sources.file_mut(open.file) {
            // It is about the line behind the directive.
            let next = file
                .text
                .get(at as usize..)
                .and_then(|rest| rest.find('\n'));
            let from = at + next.map_or(0, |length| length as u32 + 1);
            file.renamed.push((from, number, name.map(Into::into)));
        }
    }

    fn pragma(&mut self, span: Span) {
        let line = self.line();
        let Some((word, rest)) = line.split_first() else {
            return;
        };
        let name = self.text(*word).to_string();
        match name.as_str() {
            "keylist" => self.keylist(rest, span),
            "DCPS_DATA_TYPE" | "DCPS_DATA_KEY" => self.dcps(&name, rest, span),
            name if OTHER_PRAGMAS.contains(&name) => {}
            name => {
                let message = format!("the pragma `{name}` is not known, and has no effect");
                self.session
                    .report(Report::new(codes::UNKNOWN_PRAGMA, word.span, message));
            }
        }
    }

    /// `keylist T f g.h`: tokens that touch belong together.
    fn keylist(&mut self, rest: &[Token], span: Span) {
        let mut words: Vec<(String, Span)> = Vec::new();
        for token in rest {
            let text = self.text(*token).to_string();
            match words.last_mut() {
                Some((word, span)) if !token.spaced => {
                    word.push_str(&text);
                    *span = span.to(token.span);
                }
                _ if text == "," => {}
                _ => words.push((text, token.span)),
            }
        }
        let mut words = words.into_iter();
        match words.next() {
            Some(ty) => {
                let fields = words.collect();
                self.keep(Pragma::Keys { ty, fields }, span);
            }
            None => self.bad_pragma(
                span,
                "keylist needs the name of a type, and of its key fields",
            ),
        }
    }

    /// `DCPS_DATA_TYPE "T"` and `DCPS_DATA_KEY "T f"`.
    fn dcps(&mut self, name: &str, rest: &[Token], span: Span) {
        let text = rest.first().filter(|token| token.kind == Kind::Text);
        let Some(token) = text.copied() else {
            self.bad_pragma(span, "the name of a type in quotes is missing");
            return;
        };
        let text = self.text(token).trim_matches('"').to_string();
        let mut words = text
            .split_whitespace()
            .map(|word| (word.to_string(), token.span));
        match (words.next(), name) {
            (Some(ty), "DCPS_DATA_TYPE") => self.keep(Pragma::Topic { ty }, span),
            (Some(ty), _) => {
                let fields = words.collect();
                self.keep(Pragma::Keys { ty, fields }, span);
            }
            (None, _) => self.bad_pragma(span, "the name of a type in quotes is missing"),
        }
    }

    fn bad_pragma(&mut self, span: Span, message: &str) {
        self.session
            .report(Report::new(codes::BAD_PRAGMA, span, message));
    }

    fn keep(&mut self, pragma: Pragma, span: Span) {
        let index = self.output.pragmas.len() as u32;
        self.output.pragmas.push(pragma);
        self.output.tokens.push(Token {
            kind: Kind::Pragma(index),
            span,
            ..super::end()
        });
    }
}
