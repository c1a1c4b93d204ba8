//! Annotations where they are applied (IDL 4.2 7.4.15).

use super::{Parsed, Parser};
use crate::ast::{Annotation, Front, Name};
use crate::report::{Report, codes};
use crate::symbol::Symbol;
use crate::token::Kind;

impl Parser<'_, '_> {
    /// Documentation and annotations in front of a declaration.
    pub(super) fn front(&mut self) -> Parsed<Front> {
        let docs = self.docs();
        let annotations = self.annotations()?;
        // Documentation may stand behind the annotations, too.
        let docs = match (docs, annotations.is_empty()) {
            (None, false) => self.docs(),
            (docs, _) => docs,
        };
        Ok(Front { annotations, docs })
    }

    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.kind() == Kind::At {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }

    fn annotation(&mut self) -> Parsed<Annotation> {
        let at = self.bump().span;
        // `@::OpenDDS::data_representation(..)`
        if self.kind() == Kind::Scope && !self.token().spaced {
            self.bump();
        }
        let mut name = self.annotation_name()?;
        // `@DDS::key`: what stands in front names who defined it. With a space between it is
        // `@key ::A::B b`, an annotation and the type of a member.
        while self.kind() == Kind::Scope && !self.token().spaced {
            self.bump();
            name = self.annotation_name()?;
        }
        let mut arguments = Vec::new();
        if self.eat(Kind::OpenParenthesis) {
            self.enter()?;
            let read = self.arguments(&mut arguments);
            self.leave();
            read?;
        }
        let span = at.to(self.previous());
        Ok(Annotation {
            name,
            span,
            arguments,
            is_comment: false,
        })
    }

    /// Names of annotations are a space of their own: keywords are allowed.
    fn annotation_name(&mut self) -> Parsed<Name> {
        let token = self.token();
        if token.kind != Kind::Name {
            return Err(self.expected("the name of an annotation"));
        }
        self.bump();
        Ok(Name {
            symbol: token.text,
            span: token.span,
        })
    }

    fn arguments(
        &mut self,
        arguments: &mut Vec<(Option<Name>, crate::ast::Expression)>,
    ) -> Parsed<()> {
        while self.kind() != Kind::CloseParenthesis {
            let token = self.token();
            let is_named = token.kind == Kind::Name && self.kind_behind() == Kind::Equal;
            let name = is_named.then_some(Name {
                symbol: token.text,
                span: token.span,
            });
            if is_named {
                self.bump();
                self.bump();
            }
            let value = self.expression()?;
            if !is_named && !arguments.is_empty() {
                let message = "more than one argument: each needs its name, as in `min=1, max=9`";
                let report = Report::new(codes::ANNOTATION_ARGUMENT, value.span, message);
                self.session.report(report);
            }
            arguments.push((name, value));
            if self.kind() != Kind::CloseParenthesis {
                self.expect(Kind::Comma, "`,` or `)`")?;
            }
        }
        self.bump();
        Ok(())
    }

    /// `@annotation N {..}`: the word after `@` is `annotation`.
    pub(super) fn is_annotation_definition(&mut self) -> bool {
        if self.kind() != Kind::At {
            return false;
        }
        let Some(word) = self.tokens.get(self.at + 1).copied() else {
            return false;
        };
        let is_word = |symbol: Symbol| self.session.symbols.text(symbol) == "annotation";
        if word.kind != Kind::Name || !is_word(word.text) {
            return false;
        }
        let behind = self.tokens.get(self.at + 2).map(|token| token.kind);
        behind == Some(Kind::Name)
    }
}
