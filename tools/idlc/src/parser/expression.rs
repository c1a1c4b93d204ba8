//! Constant expressions (IDL 4.2 7.4.1.4.3).

use std::rc::Rc;

use super::{Failed, Parsed, Parser};
use crate::ast::{Expression, Operand, Operator, Step};
use crate::literal;
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Keyword;
use crate::token::{Kind, Token};

impl Parser<'_, '_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.expression_within(false)
    }

    /// A bound in `<>`: there `>>` closes two templates.
    pub(super) fn bound(&mut self) -> Parsed<Expression> {
        self.expression_within(true)
    }

    fn expression_within(&mut self, is_template: bool) -> Parsed<Expression> {
        let mut steps = Vec::with_capacity(1);
        let start = self.span();
        self.binary(&mut steps, 0, is_template)?;
        let span = start.to(self.previous());
        Ok(Expression { steps, span })
    }

    fn binary(&mut self, steps: &mut Vec<Step>, least: u8, is_template: bool) -> Parsed<()> {
        self.unary(steps)?;
        loop {
            let token = self.token();
            let Some((operator, precedence)) = binary(token.kind) else {
                return Ok(());
            };
            if precedence < least || is_template && token.kind == Kind::ShiftRight {
                return Ok(());
            }
            self.bump();
            self.binary(steps, precedence + 1, is_template)?;
            steps.push(Step::Binary(operator, token.span));
        }
    }

    fn unary(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        let token = self.token();
        let operator = match token.kind {
            Kind::Plus => Operator::Keep,
            Kind::Minus => Operator::Negate,
            Kind::Tilde => Operator::Invert,
            _ => return self.primary(steps),
        };
        self.bump();
        self.enter()?;
        let operand = self.unary(steps);
        self.leave();
        operand?;
        steps.push(Step::Unary(operator, token.span));
        Ok(())
    }

    fn primary(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        let token = self.token();
        let (operand, span) = match token.kind {
            Kind::OpenParenthesis => {
                self.bump();
                self.enter()?;
                let inner = self.binary(steps, 0, false);
                self.leave();
                inner?;
                self.expect(Kind::CloseParenthesis, "`)`")?;
                return Ok(());
            }
            Kind::Number => (self.number(token), self.bump().span),
            Kind::Char | Kind::WideChar => (self.character(token), self.bump().span),
            Kind::Text | Kind::WideText => self.text(token),
            Kind::Scope => self.name_operand()?,
            Kind::Name => match self.boolean(token) {
                Some(value) => (Operand::Boolean(value), self.bump().span),
                None => self.name_operand()?,
            },
            _ => return Err(self.expected("a constant")),
        };
        steps.push(Step::Push(operand, span));
        Ok(())
    }

    fn name_operand(&mut self) -> Parsed<(Operand, Span)> {
        if self.keyword().is_some_and(|word| !word.is_unused()) {
            return Err(self.expected("a constant"));
        }
        let name = self.scoped_name()?;
        let span = name.span;
        Ok((Operand::Name(name), span))
    }

    /// `TRUE` and `FALSE`; in lower case they are taken, too.
    fn boolean(&mut self, token: Token) -> Option<bool> {
        let value = match token.text.keyword() {
            Some(Keyword::True) => return Some(true),
            Some(Keyword::False) => return Some(false),
            Some(_) => return None,
            None => match self.session.symbols.text(token.text) {
                "true" | "True" => true,
                "false" | "False" => false,
                _ => return None,
            },
        };
        let word = if value { "TRUE" } else { "FALSE" };
        let message = "booleans are TRUE and FALSE in IDL; others refuse this";
        self.session
            .report(Report::new(codes::BOOLEAN_CASE, token.span, message).instead(word));
        Some(value)
    }

    fn number(&mut self, token: Token) -> Operand {
        let text = self.session.symbols.text(token.text);
        if let Some(value) = literal::integer(text) {
            return Operand::Integer(value);
        }
        if let Some(digits) = literal::float(text) {
            return Operand::Float(digits.into());
        }
        let message = match text.strip_prefix('0') {
            Some(rest) if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) => {
                format!("`{text}` begins with 0, so it is octal, and has digits above 7")
            }
            _ if text
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'x') =>
            {
                "this number has more than 127 bits".to_string()
            }
            _ => format!("`{text}` is no number"),
        };
        self.session
            .report(Report::new(codes::BAD_NUMBER, token.span, message));
        Operand::Bad
    }

    fn decoded(&mut self, token: Token) -> Option<Vec<u32>> {
        let text = self.session.symbols.text(token.text);
        match literal::characters(text) {
            Ok(characters) => Some(characters),
            Err(fault) => {
                let span = match token.span.expansion {
                    0 => Span {
                        start: token.span.start + fault.start as u32,
                        end: token.span.start + fault.end as u32,
                        expansion: 0,
                    },
                    _ => token.span,
                };
                self.session
                    .report(Report::new(codes::BAD_ESCAPE, span, fault.message));
                None
            }
        }
    }

    fn character(&mut self, token: Token) -> Operand {
        let Some(characters) = self.decoded(token) else {
            return Operand::Bad;
        };
        let is_wide = token.kind == Kind::WideChar;
        match characters.as_slice() {
            [value] if is_wide && *value <= 0xffff => Operand::WideChar(*value),
            [value] if !is_wide && *value <= 0xff => Operand::Char(*value),
            [value] => {
                let most = if is_wide { "U+FFFF" } else { "U+00FF" };
                let kind = if is_wide { "wchar" } else { "char" };
                let message =
                    format!("U+{value:04X} does not fit a {kind}, which goes up to {most}");
                self.session
                    .report(Report::new(codes::BAD_CHARACTER, token.span, message));
                Operand::Bad
            }
            other => {
                let message = format!("there is one character in '', and here are {}", other.len());
                self.session
                    .report(Report::new(codes::BAD_CHARACTER, token.span, message));
                Operand::Bad
            }
        }
    }

    /// A string, with its neighbours.
    fn text(&mut self, first: Token) -> (Operand, Span) {
        let is_wide = first.kind == Kind::WideText;
        let mut text = String::new();
        let (mut span, mut is_bad) = (first.span, false);
        while matches!(self.kind(), Kind::Text | Kind::WideText) {
            let token = self.bump();
            span = span.to(token.span);
            if (token.kind == Kind::WideText) != is_wide {
                let message = "a string and a wide string cannot be joined";
                let report = Report::new(codes::BAD_STRING, token.span, message)
                    .label(first.span, "this is the other one");
                self.session.report(report);
                is_bad = true;
            }
            let Some(characters) = self.decoded(token) else {
                is_bad = true;
                continue;
            };
            if characters.contains(&0) {
                let message = "a string cannot contain NUL";
                self.session
                    .report(Report::new(codes::BAD_STRING, token.span, message));
                is_bad = true;
            }
            let characters = characters.into_iter();
            text.extend(
                characters.map(|c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER)),
            );
        }
        let text: Rc<str> = text.into();
        let operand = match (is_bad, is_wide) {
            (true, _) => Operand::Bad,
            (_, true) => Operand::WideText(text),
            (_, false) => Operand::Text(text),
        };
        (operand, span)
    }

    /// `[e]`, as often as it is there.
    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Expression>> {
        let mut dimensions = Vec::new();
        while self.eat(Kind::OpenBracket) {
            if self.kind() == Kind::CloseBracket {
                let span = self.previous().to(self.span());
                let message = "an array needs its length; without one it is a sequence<..>";
                self.session
                    .report(Report::new(codes::UNEXPECTED, span, message));
                self.reported_at = Some(self.at);
                return Err(Failed);
            }
            dimensions.push(self.expression()?);
            self.expect(Kind::CloseBracket, "`]`")?;
        }
        Ok(dimensions)
    }
}

fn binary(kind: Kind) -> Option<(Operator, u8)> {
    Some(match kind {
        Kind::Or => (Operator::Or, 0),
        Kind::Xor => (Operator::Xor, 1),
        Kind::And => (Operator::And, 2),
        Kind::ShiftLeft => (Operator::ShiftLeft, 3),
        Kind::ShiftRight => (Operator::ShiftRight, 3),
        Kind::Plus => (Operator::Add, 4),
        Kind::Minus => (Operator::Subtract, 4),
        Kind::Star => (Operator::Multiply, 5),
        Kind::Slash => (Operator::Divide, 5),
        Kind::Percent => (Operator::Remainder, 5),
        _ => return None,
    })
}
