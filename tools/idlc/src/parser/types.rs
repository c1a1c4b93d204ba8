//! Types where they are used.

use dunlin_xtypes::TypeKind;

use super::{Failed, Parsed, Parser};
use crate::ast::{Declarator, Definition, ScopedName, Spec, TypeUse};
use crate::report::{Report, codes, nearest};
use crate::symbol::Keyword;
use crate::token::Kind;

impl Parser<'_, '_> {
    /// A type, with annotations in front if it is an element.
    pub(super) fn type_use(&mut self) -> Parsed<TypeUse> {
        let annotations = self.annotations()?;
        let start = self.span();
        self.enter()?;
        let spec = self.spec();
        self.leave();
        let spec = spec?;
        let span = start.to(self.previous());
        Ok(TypeUse {
            annotations,
            spec,
            span,
        })
    }

    fn spec(&mut self) -> Parsed<Spec> {
        let Some(keyword) = self.keyword().filter(|word| !word.is_unused()) else {
            return match self.kind() {
                Kind::Name | Kind::Scope => self.named(),
                _ => Err(self.expected("a type")),
            };
        };
        use TypeKind::*;
        match keyword {
            Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Bitmask
            | Keyword::Bitset => {
                return self.defined_here();
            }
            Keyword::Unsigned => {
                self.bump();
                return self.unsigned();
            }
            Keyword::Long => {
                self.bump();
                return Ok(Spec::Primitive(match self.keyword() {
                    Some(Keyword::Long) => self.take(Int64),
                    Some(Keyword::Double) => self.take(Float128),
                    _ => Int32,
                }));
            }
            Keyword::String | Keyword::Wstring => {
                self.bump();
                let bound = self.text_bound()?;
                let is_wide = keyword == Keyword::Wstring;
                return Ok(Spec::Text { is_wide, bound });
            }
            Keyword::Sequence => return self.sequence(),
            Keyword::Map => return self.map(),
            Keyword::Any | Keyword::Fixed | Keyword::Object | Keyword::ValueBase => {
                return self.unencodable(keyword);
            }
            _ => {}
        }
        let kind = match keyword {
            Keyword::Short | Keyword::Int16 => Int16,
            Keyword::Int8 => Int8,
            Keyword::Int32 => Int32,
            Keyword::Int64 => Int64,
            Keyword::Uint8 => UInt8,
            Keyword::Uint16 => UInt16,
            Keyword::Uint32 => UInt32,
            Keyword::Uint64 => UInt64,
            Keyword::Float => Float32,
            Keyword::Double => Float64,
            Keyword::Char => Char8,
            Keyword::Wchar => Char16,
            Keyword::Boolean => Boolean,
            Keyword::Octet => Byte,
            _ => return Err(self.expected("a type")),
        };
        self.bump();
        Ok(Spec::Primitive(kind))
    }

    fn take(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }

    fn unsigned(&mut self) -> Parsed<Spec> {
        let kind = match self.keyword() {
            Some(Keyword::Short) => TypeKind::UInt16,
            Some(Keyword::Long) => TypeKind::UInt32,
            _ => return Err(self.expected("`short` or `long` behind `unsigned`")),
        };
        self.bump();
        if kind == TypeKind::UInt32 && self.keyword() == Some(Keyword::Long) {
            return Ok(Spec::Primitive(self.take(TypeKind::UInt64)));
        }
        Ok(Spec::Primitive(kind))
    }

    fn named(&mut self) -> Parsed<Spec> {
        let name = self.scoped_name()?;
        if let [only] = name.parts.as_slice()
            && self.kind() == Kind::Less
        {
            let text = self.session.symbols.text(only.symbol).to_string();
            let message = format!("there is no template `{text}`");
            let mut report = Report::new(codes::UNEXPECTED, only.span, message);
            if let Some(near) = nearest(&text, ["string", "wstring", "sequence", "map"]) {
                report = report.instead(near);
            }
            self.session.report(report);
            self.reported_at = Some(self.at);
            return Err(Failed);
        }
        Ok(Spec::Named(name))
    }

    fn text_bound(&mut self) -> Parsed<Option<crate::ast::Expression>> {
        if !self.eat(Kind::Less) {
            return Ok(None);
        }
        let bound = self.bound()?;
        self.close_template()?;
        Ok(Some(bound))
    }

    /// `>`, also the first half of `>>`.
    fn close_template(&mut self) -> Parsed<()> {
        if self.kind() == Kind::ShiftRight {
            if let Some(token) = self.tokens.get_mut(self.at) {
                token.kind = Kind::Greater;
                token.span.start += u32::from(token.span.expansion == 0);
            }
            return Ok(());
        }
        self.expect(Kind::Greater, "`>`").map(|_| ())
    }

    fn sequence(&mut self) -> Parsed<Spec> {
        self.bump();
        self.expect(Kind::Less, "`<` behind `sequence`")?;
        let element = Box::new(self.type_use()?);
        let bound = match self.eat(Kind::Comma) {
            true => Some(self.bound()?),
            false => None,
        };
        self.close_template()?;
        Ok(Spec::Sequence { element, bound })
    }

    fn map(&mut self) -> Parsed<Spec> {
        self.bump();
        self.expect(Kind::Less, "`<` behind `map`")?;
        let key = Box::new(self.type_use()?);
        self.expect(Kind::Comma, "`,` and the type of the values")?;
        let value = Box::new(self.type_use()?);
        let bound = match self.eat(Kind::Comma) {
            true => Some(self.bound()?),
            false => None,
        };
        self.close_template()?;
        Ok(Spec::Map { key, value, bound })
    }

    fn unencodable(&mut self, keyword: Keyword) -> Parsed<Spec> {
        self.bump();
        if keyword == Keyword::Fixed && self.eat(Kind::Less) {
            self.bound()?;
            if self.eat(Kind::Comma) {
                self.bound()?;
            }
            self.close_template()?;
        }
        Ok(Spec::Unencodable(keyword.text()))
    }

    /// A type that is defined where it is used: `struct A {..} a;`.
    fn defined_here(&mut self) -> Parsed<Spec> {
        let start = self.span();
        // `struct A a;`, as in C.
        let behind = self.tokens.get(self.at + 2).map(|token| token.kind);
        if self.kind_behind() == Kind::Name && behind == Some(Kind::Name) {
            let word = self.bump();
            let text = self.session.symbols.text(word.text).to_string();
            let message =
                format!("the name of a type is enough where it is used, without `{text}`");
            let mut span = word.span;
            span.end = self.span().start.max(span.end);
            self.session
                .report(Report::new(codes::C_STYLE, span, message).fix(span, ""));
            return self.named();
        }
        if self.kind_behind() == Kind::OpenBrace {
            self.bump();
            let what = self.session.sources.text(start).to_string();
            return Err(self.expected(&format!("the name of the {what}")));
        }
        let definition = self.constructed(Default::default())?;
        let name = definition.name;
        let message =
            "a type that is defined where it is used cannot be reused well; others refuse it";
        self.session
            .report(Report::new(codes::INNER_TYPE, start, message));
        self.inline.push(definition);
        Ok(Spec::Named(ScopedName {
            is_absolute: false,
            parts: vec![name],
            span: name.span,
        }))
    }

    pub(super) fn declarator(&mut self, what: &str) -> Parsed<Declarator> {
        let name = self.name(what)?;
        let dimensions = self.dimensions()?;
        Ok(Declarator { name, dimensions })
    }

    pub(super) fn declarators(&mut self, what: &str) -> Parsed<Vec<Declarator>> {
        let mut declarators = vec![self.declarator(what)?];
        while self.eat(Kind::Comma) {
            declarators.push(self.declarator(what)?);
        }
        Ok(declarators)
    }

    pub(super) fn take_inline(&mut self) -> Vec<Definition> {
        std::mem::take(&mut self.inline)
    }
}
