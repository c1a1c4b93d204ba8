//! Enumerations, bitmasks and bitsets.

use super::{Failed, Parsed, Parser};
use crate::ast::{Bitfield, DefinitionKind, Enumerator, Name};
use crate::report::{Report, codes};
use crate::symbol::Keyword;
use crate::token::Kind;

impl Parser<'_, '_> {
    /// An enum or a bitmask.
    pub(super) fn enumeration(&mut self, what: &str) -> Parsed<(Name, DefinitionKind)> {
        let is_enum = self.bump().text.keyword() == Some(Keyword::Enum);
        let kind = if is_enum { "enum" } else { "bitmask" };
        let name = self.name(&format!("the {kind}"))?;
        if self.kind() == Kind::Semicolon {
            let message = format!("a {kind} cannot be declared before it is defined");
            self.session
                .report(Report::new(codes::UNEXPECTED, name.span, message));
            return Ok((name, DefinitionKind::Bad));
        }
        let open = self.expect(Kind::OpenBrace, "`{` behind the name")?;
        let mut list: Vec<Enumerator> = Vec::new();
        while !matches!(self.kind(), Kind::CloseBrace | Kind::End) {
            let Ok(one) = self.enumerator(what) else {
                self.broken.insert(name.span);
                self.skip_to_comma();
                continue;
            };
            list.push(one);
            let comma = self.span();
            let is_separated = self.eat(Kind::Comma);
            if let Some(last) = list.last_mut() {
                let mut front = std::mem::take(&mut last.front);
                self.behind(&mut front);
                last.front = front;
            }
            match self.kind() {
                Kind::CloseBrace if is_separated => {
                    let message = "a comma behind the last one is no IDL; others refuse it";
                    self.session
                        .report(Report::new(codes::TRAILING_COMMA, comma, message).fix(comma, ""));
                }
                Kind::CloseBrace => {}
                _ if is_separated => {}
                _ => {
                    self.expected("`,` or `}`");
                    self.skip_to_comma();
                }
            }
        }
        self.close_brace(open);
        let kind = match is_enum {
            true => DefinitionKind::Enum(list),
            false => DefinitionKind::Bitmask(list),
        };
        Ok((name, kind))
    }

    fn enumerator(&mut self, what: &str) -> Parsed<Enumerator> {
        let front = self.front()?;
        let name = self.name(what)?;
        let value = match self.kind() {
            Kind::Equal => {
                let equal = self.bump().span;
                let value = self.expression()?;
                let span = equal.to(value.span);
                let message =
                    "`=` gives no value in IDL: that is @value, or @position in a bitmask";
                let report = Report::new(codes::EQUAL_VALUE, span, message);
                let number = self.session.sources.text(value.span).to_string();
                let note = format!("write @value({number}) in front of the name");
                self.session.report(report.note(note));
                Some(value)
            }
            _ => None,
        };
        Ok(Enumerator { front, name, value })
    }

    fn skip_to_comma(&mut self) {
        loop {
            match self.kind() {
                Kind::End | Kind::CloseBrace | Kind::Semicolon => break,
                Kind::Comma => {
                    self.bump();
                    return;
                }
                _ => {
                    self.bump();
                }
            }
        }
        if self.kind() == Kind::Semicolon {
            self.bump();
        }
    }

    pub(super) fn bitset(&mut self) -> Parsed<(Name, DefinitionKind)> {
        self.bump();
        let name = self.name("a bitset")?;
        let base = match self.eat(Kind::Colon) {
            true => Some(self.scoped_name()?),
            false => None,
        };
        let open = self.expect(Kind::OpenBrace, "`{` behind the name of the bitset")?;
        let mut fields = Vec::new();
        while !matches!(self.kind(), Kind::CloseBrace | Kind::End) {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let start = self.at;
            match self.bitfield() {
                Ok(field) => fields.push(field),
                Err(Failed) => {
                    self.broken.insert(name.span);
                    self.recover();
                    if self.at == start {
                        self.bump();
                    }
                }
            }
        }
        self.close_brace(open);
        Ok((name, DefinitionKind::Bitset { base, fields }))
    }

    fn bitfield(&mut self) -> Parsed<Bitfield> {
        let mut front = self.front()?;
        let span = self.span();
        if self.keyword() != Some(Keyword::Bitfield) {
            return Err(self.expected("`bitfield<..>`"));
        }
        self.bump();
        self.expect(Kind::Less, "`<` behind `bitfield`")?;
        let size = self.bound()?;
        let holder = match self.eat(Kind::Comma) {
            true => Some(self.type_use()?),
            false => None,
        };
        self.expect(Kind::Greater, "`>`")?;
        let mut names = Vec::new();
        while self.kind() == Kind::Name {
            names.push(self.name("a bitfield")?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        let span = span.to(self.previous());
        self.semicolon("the bitfield")?;
        self.behind(&mut front);
        Ok(Bitfield {
            front,
            size,
            holder,
            names,
            span,
        })
    }
}
