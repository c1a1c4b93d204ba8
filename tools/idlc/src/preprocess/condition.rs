//! The expressions of `#if` and `#elif`.

use super::{Preprocessor, Waiting};
use crate::limits;
use crate::literal;
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{Kind, Token};

/// Why an expression has no value.
struct Fault(Span, String);

/// An expression that is being computed; nothing of what `&&`, `||` and `?` leave out is an error.
struct Evaluation<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    /// So many operators around leave out what is computed now.
    idle: usize,
    end: Span,
    texts: Vec<String>,
}

impl Preprocessor<'_, '_> {
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.macros.contains_key(&name) || name == self.words.line || name == self.words.file
    }

    /// Whether a condition holds; one with a mistake does not.
    pub(super) fn holds(&mut self, line: &[Token], span: Span) -> bool {
        let line = self.replace_defined(line);
        let line = self.expand_line(line);
        if line.is_empty() {
            let message = "the condition is missing";
            self.session
                .report(Report::new(codes::BAD_CONDITION, span, message));
            return false;
        }
        let texts = line
            .iter()
            .map(|token| self.text(*token).to_string())
            .collect();
        let mut evaluation = Evaluation {
            tokens: &line,
            at: 0,
            depth: 0,
            idle: 0,
            end: line.last().map_or(span, |token| token.span.after()),
            texts,
        };
        let value = evaluation
            .choice()
            .and_then(|value| match evaluation.next() {
                None => Ok(value),
                Some(_) => Err(evaluation.fault("this does not belong to the condition")),
            });
        match value {
            Ok(value) => value != 0,
            Err(Fault(at, message)) => {
                self.session
                    .report(Report::new(codes::BAD_CONDITION, at, message));
                false
            }
        }
    }

    /// `defined X` and `defined(X)` become 1 or 0 before macros are expanded.
    fn replace_defined(&mut self, line: &[Token]) -> Vec<Token> {
        let mut made = Vec::with_capacity(line.len());
        let mut rest = line;
        while let Some((token, behind)) = rest.split_first() {
            rest = behind;
            if token.kind != Kind::Name || token.text != self.words.defined {
                made.push(*token);
                continue;
            }
            let name = match behind {
                [open, name, close, ..]
                    if open.kind == Kind::OpenParenthesis
                        && name.kind == Kind::Name
                        && close.kind == Kind::CloseParenthesis =>
                {
                    rest = behind.get(3..).unwrap_or_default();
                    name.text
                }
                [name, ..] if name.kind == Kind::Name => {
                    rest = behind.get(1..).unwrap_or_default();
                    name.text
                }
                _ => {
                    let message = "`defined` needs the name of a macro";
                    self.session
                        .report(Report::new(codes::BAD_CONDITION, token.span, message));
                    continue;
                }
            };
            let text = match self.is_defined(name) {
                true => "1",
                false => "0",
            };
            made.push(Token {
                kind: Kind::Number,
                text: self.session.symbols.intern(text),
                ..*token
            });
        }
        made
    }

    /// Expands the macros of the line of a directive.
    pub(super) fn expand_line(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let waiting = Waiting {
            tokens,
            next: 0,
            of: None,
        };
        let outer = std::mem::replace(&mut self.waiting, vec![waiting]);
        let files = std::mem::take(&mut self.files);
        let active = std::mem::take(&mut self.active);
        let mut expanded = Vec::new();
        loop {
            let token = self.expanded();
            if token.kind == Kind::End || !self.session.step(token.span) {
                break;
            }
            expanded.push(token);
        }
        self.waiting = outer;
        self.files = files;
        self.active = active;
        expanded
    }
}

impl Evaluation<'_> {
    fn next(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn kind(&self) -> Kind {
        self.next().map_or(Kind::End, |token| token.kind)
    }

    fn fault(&self, message: &str) -> Fault {
        let span = self.next().map_or(self.end, |token| token.span);
        Fault(span, message.into())
    }

    fn choice(&mut self) -> Result<i64, Fault> {
        self.depth += 1;
        if self.depth > limits::NESTING {
            return Err(self.fault("the condition is nested too deep"));
        }
        let mut value = self.binary(0)?;
        if self.kind() == Kind::Question {
            self.at += 1;
            let yes = self.idle_if(value == 0, Self::choice)?;
            if self.kind() != Kind::Colon {
                return Err(self.fault("`:` is missing here"));
            }
            self.at += 1;
            let no = self.idle_if(value != 0, Self::choice)?;
            value = if value != 0 { yes } else { no };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn idle_if(
        &mut self,
        is_idle: bool,
        compute: impl FnOnce(&mut Self) -> Result<i64, Fault>,
    ) -> Result<i64, Fault> {
        self.idle += usize::from(is_idle);
        let value = compute(self);
        self.idle -= usize::from(is_idle);
        value
    }

    fn binary(&mut self, least: u8) -> Result<i64, Fault> {
        let mut left = self.unary()?;
        loop {
            let kind = self.kind();
            let Some(precedence) = precedence(kind).filter(|p| *p >= least) else {
                return Ok(left);
            };
            let at = self.next().map_or(self.end, |token| token.span);
            self.at += 1;
            self.depth += 1;
            if self.depth > limits::NESTING {
                return Err(self.fault("the condition is nested too deep"));
            }
            let is_decided = match kind {
                Kind::Either => left != 0,
                Kind::Both => left == 0,
                _ => false,
            };
            let right = self.idle_if(is_decided, |it| it.binary(precedence + 1))?;
            self.depth -= 1;
            left = match apply(kind, left, right) {
                Some(value) => value,
                None if self.idle > 0 => 0,
                None => return Err(Fault(at, format!("{left} cannot be divided by 0"))),
            };
        }
    }

    fn unary(&mut self) -> Result<i64, Fault> {
        let kind = self.kind();
        if !matches!(kind, Kind::Not | Kind::Minus | Kind::Plus | Kind::Tilde) {
            return self.primary();
        }
        self.at += 1;
        self.depth += 1;
        if self.depth > limits::NESTING {
            return Err(self.fault("the condition is nested too deep"));
        }
        let value = self.unary()?;
        self.depth -= 1;
        Ok(match kind {
            Kind::Not => i64::from(value == 0),
            Kind::Minus => value.wrapping_neg(),
            Kind::Tilde => !value,
            _ => value,
        })
    }

    fn primary(&mut self) -> Result<i64, Fault> {
        let kind = self.kind();
        let text = self.texts.get(self.at).cloned().unwrap_or_default();
        let value = match kind {
            Kind::OpenParenthesis => {
                self.at += 1;
                let value = self.choice()?;
                if self.kind() != Kind::CloseParenthesis {
                    return Err(self.fault("`)` is missing here"));
                }
                value
            }
            Kind::Number => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
                match literal::integer(digits) {
                    Some(value) => value as i64,
                    None => return Err(self.fault("this is no integer")),
                }
            }
            Kind::Char | Kind::WideChar => {
                let decoded = literal::characters(&text);
                match decoded.map(|characters| characters.first().copied()) {
                    Ok(Some(value)) => i64::from(value),
                    _ => return Err(self.fault("this is no character")),
                }
            }
            // A name that is no macro is 0, and `true` is 1.
            Kind::Name => i64::from(matches!(text.as_str(), "true" | "TRUE")),
            _ => return Err(self.fault("a number or a name is missing here")),
        };
        self.at += 1;
        Ok(value)
    }
}

fn precedence(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::Either => 0,
        Kind::Both => 1,
        Kind::Or => 2,
        Kind::Xor => 3,
        Kind::And => 4,
        Kind::Same | Kind::Different => 5,
        Kind::Less | Kind::Greater | Kind::LessEqual | Kind::GreaterEqual => 6,
        Kind::ShiftLeft | Kind::ShiftRight => 7,
        Kind::Plus | Kind::Minus => 8,
        Kind::Star | Kind::Slash | Kind::Percent => 9,
        _ => return None,
    })
}

/// `None`: it is divided by 0.
fn apply(kind: Kind, left: i64, right: i64) -> Option<i64> {
    Some(match kind {
        Kind::Either => i64::from(left != 0 || right != 0),
        Kind::Both => i64::from(left != 0 && right != 0),
        Kind::Or => left | right,
        Kind::Xor => left ^ right,
        Kind::And => left & right,
        Kind::Same => i64::from(left == right),
        Kind::Different => i64::from(left != right),
        Kind::Less => i64::from(left < right),
        Kind::Greater => i64::from(left > right),
        Kind::LessEqual => i64::from(left <= right),
        Kind::GreaterEqual => i64::from(left >= right),
        Kind::ShiftLeft => left.wrapping_shl(right as u32),
        Kind::ShiftRight => left.wrapping_shr(right as u32),
        Kind::Plus => left.wrapping_add(right),
        Kind::Minus => left.wrapping_sub(right),
        Kind::Star => left.wrapping_mul(right),
        Kind::Slash if right != 0 => left.wrapping_div(right),
        Kind::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}
