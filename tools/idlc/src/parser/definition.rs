//! Definitions: modules, types, constants, and what is skipped.

use super::{Failed, Parsed, Parser};
use crate::ast::{Case, Definition, DefinitionKind, Front, Item, Label, Member, Name};
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::{Keyword, Symbol};
use crate::token::Kind;

impl Parser<'_, '_> {
    /// All definitions up to the `}` of the module, or the end of the file.
    pub(super) fn definitions(&mut self, into: &mut Vec<Definition>) {
        loop {
            let kind = self.kind();
            into.append(&mut self.pending);
            if !self.session.step(self.previous()) {
                return;
            }
            match kind {
                Kind::End | Kind::CloseBrace => return,
                // A stray `;` is allowed.
                Kind::Semicolon => {
                    self.bump();
                }
                _ => {
                    let start = self.at;
                    let definition = self.definition();
                    into.append(&mut self.inline);
                    match definition {
                        Ok(definition) => into.push(definition),
                        Err(Failed) => into.extend(self.bad_definition(start)),
                    }
                }
            }
        }
    }

    /// Goes on behind a mistake. The name that would have been declared means nothing from here.
    fn bad_definition(&mut self, start: usize) -> Option<Definition> {
        let named = self.recover();
        if self.at == start {
            self.bump();
        }
        named.map(|name| self.bad(name))
    }

    fn bad(&mut self, name: Name) -> Definition {
        self.declare(name);
        Definition {
            front: Front::default(),
            name,
            span: name.span,
            kind: DefinitionKind::Bad,
        }
    }

    fn definition(&mut self) -> Parsed<Definition> {
        if self.is_annotation_definition() {
            return self.annotation_definition();
        }
        let front = self.front()?;
        let Some(keyword) = self.keyword() else {
            return Err(self.not_a_definition());
        };
        match keyword {
            Keyword::Module => self.module(front),
            Keyword::Typedef => self.typedef(front),
            Keyword::Const => self.constant(front),
            Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Bitmask
            | Keyword::Bitset => {
                let mut definition = self.constructed(front)?;
                let what = self
                    .session
                    .symbols
                    .text(definition.name.symbol)
                    .to_string();
                self.semicolon(&format!("the definition of `{what}`"))
                    .or_else(|_| self.recovered())?;
                self.behind(&mut definition.front);
                Ok(definition)
            }
            Keyword::Interface | Keyword::Exception | Keyword::Native | Keyword::Valuetype => {
                self.skipped(keyword)
            }
            _ if keyword.is_unused() => self.skipped(keyword),
            _ => Err(self.not_a_definition()),
        }
    }

    /// Goes to the end of a declaration whose mistake was reported, and keeps what came before.
    fn recovered(&mut self) -> Parsed<()> {
        self.recover();
        Ok(())
    }

    fn not_a_definition(&mut self) -> Failed {
        let what = "a definition (module, struct, union, enum, bitmask, bitset, typedef, const)";
        self.expected(what)
    }

    fn module(&mut self, front: Front) -> Parsed<Definition> {
        let span = self.bump().span;
        let name = self.name("a module")?;
        let open = self.expect(Kind::OpenBrace, "`{` behind the name of the module")?;
        self.enter()?;
        let mut inner = Vec::new();
        self.definitions(&mut inner);
        self.leave();
        self.close_brace(open);
        let mut front = front;
        self.semicolon("the module").or_else(|_| self.recovered())?;
        self.behind(&mut front);
        Ok(Definition {
            front,
            name,
            span,
            kind: DefinitionKind::Module(inner),
        })
    }

    /// The `}` of what is open. If the file ends before, all that came so far counts.
    pub(super) fn close_brace(&mut self, open: Span) {
        if self.eat(Kind::CloseBrace) || self.session.is_over {
            return;
        }
        if !self.is_unclosed {
            let found = self.found();
            let span = self.span();
            let message = format!("`}}` should be here, and {found} is");
            let report =
                Report::new(codes::UNEXPECTED, span, message).label(open, "this `{` is not closed");
            self.session.report(report);
            // Those around it are not closed either.
            self.is_unclosed = true;
        }
        self.reported_at = Some(self.at);
    }

    /// A struct, union, enum, bitmask or bitset, without its `;`.
    pub(super) fn constructed(&mut self, front: Front) -> Parsed<Definition> {
        let span = self.span();
        self.enter()?;
        let made = match self.keyword() {
            Some(Keyword::Struct) => self.structure(),
            Some(Keyword::Union) => self.union(),
            Some(Keyword::Enum) => self.enumeration("a literal"),
            Some(Keyword::Bitmask) => self.enumeration("a flag"),
            Some(Keyword::Bitset) => self.bitset(),
            _ => Err(self.not_a_definition()),
        };
        self.leave();
        let (name, kind) = made?;
        self.declare(name);
        Ok(Definition {
            front,
            name,
            span,
            kind,
        })
    }

    fn structure(&mut self) -> Parsed<(Name, DefinitionKind)> {
        self.bump();
        let name = self.name("a struct")?;
        if self.kind() == Kind::Semicolon {
            return Ok((name, DefinitionKind::ForwardStruct));
        }
        let base = match self.eat(Kind::Colon) {
            true => Some(self.scoped_name()?),
            false => None,
        };
        let open = self.expect(Kind::OpenBrace, "`{` behind the name of the struct")?;
        let mut items = Vec::new();
        while !matches!(self.kind(), Kind::CloseBrace | Kind::End) {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let start = self.at;
            if self.item(&mut items).is_err() {
                self.inline.clear();
                // A member that is lost may be named in a keylist.
                self.recover();
                if self.at == start {
                    self.bump();
                }
            }
        }
        self.close_brace(open);
        Ok((name, DefinitionKind::Struct { base, items }))
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let front = self.front()?;
        let start = self.span();
        let keyword = self.keyword();
        if matches!(keyword, Some(Keyword::Typedef | Keyword::Const)) {
            let definition = match keyword {
                Some(Keyword::Const) => self.constant(front)?,
                _ => self.typedef(front)?,
            };
            self.inner(start);
            items.extend(self.take_inline().into_iter().map(Item::Definition));
            items.push(Item::Definition(definition));
            return Ok(());
        }
        let is_definition = matches!(
            keyword,
            Some(
                Keyword::Struct
                    | Keyword::Union
                    | Keyword::Enum
                    | Keyword::Bitmask
                    | Keyword::Bitset
            )
        );
        let ty = self.type_use()?;
        let inline = self.take_inline();
        items.extend(inline.into_iter().map(Item::Definition));
        if is_definition && self.eat(Kind::Semicolon) {
            // A type alone, without a member of it.
            if let Some(Item::Definition(definition)) = items.last_mut() {
                definition.front = front;
            }
            return Ok(());
        }
        let declarators = self.declarators("a member")?;
        let mut front = front;
        let last = declarators
            .last()
            .map_or(Symbol::EMPTY, |one| one.name.symbol);
        let last = self.session.symbols.text(last).to_string();
        let is_ended = self.semicolon(&format!("the member `{last}`"));
        if is_ended.is_ok() {
            self.behind(&mut front);
        }
        items.push(Item::Member(Member {
            front,
            ty,
            declarators,
        }));
        is_ended
    }

    fn inner(&mut self, span: Span) {
        let message = "a definition within a struct is no IDL; others refuse it";
        let report = Report::new(codes::INNER_TYPE, span, message);
        self.session
            .report(report.note("define it in front of the struct"));
    }

    fn union(&mut self) -> Parsed<(Name, DefinitionKind)> {
        self.bump();
        let name = self.name("a union")?;
        if self.kind() == Kind::Semicolon {
            return Ok((name, DefinitionKind::ForwardUnion));
        }
        if self.keyword() != Some(Keyword::Switch) {
            return Err(self.expected("`switch` behind the name of the union"));
        }
        self.bump();
        self.expect(Kind::OpenParenthesis, "`(` behind `switch`")?;
        let discriminator = self.type_use()?;
        let mut inner = self.take_inline();
        if self.kind() == Kind::Name {
            let span = self.span();
            let report = Report::new(codes::UNEXPECTED, span, "a discriminator has no name");
            self.session.report(report.fix(span, ""));
            self.bump();
        }
        self.expect(Kind::CloseParenthesis, "`)`")?;
        let open = self.expect(Kind::OpenBrace, "`{` behind the discriminator")?;
        let mut cases = Vec::new();
        while !matches!(self.kind(), Kind::CloseBrace | Kind::End) {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let start = self.at;
            let case = self.case(&mut cases);
            inner.append(&mut self.inline);
            if case.is_err() {
                self.broken.insert(name.span);
                self.recover();
                if self.at == start {
                    self.bump();
                }
            }
        }
        self.close_brace(open);
        let kind = DefinitionKind::Union {
            discriminator,
            cases,
            inner,
        };
        Ok((name, kind))
    }

    fn case(&mut self, cases: &mut Vec<Case>) -> Parsed<()> {
        let docs = self.docs();
        let mut labels = Vec::new();
        loop {
            let start = self.span();
            let value = match self.keyword() {
                Some(Keyword::Case) => {
                    self.bump();
                    Some(self.expression()?)
                }
                Some(Keyword::Default) => {
                    self.bump();
                    None
                }
                _ => break,
            };
            let span = start.to(self.previous());
            self.expect(Kind::Colon, "`:` behind the label")?;
            labels.push(Label { value, span });
        }
        if labels.is_empty() {
            return Err(self.expected("`case` or `default`"));
        }
        let mut front = self.front()?;
        front.docs = front.docs.or(docs);
        let ty = self.type_use()?;
        let declarator = self.declarator("a case")?;
        let text = self
            .session
            .symbols
            .text(declarator.name.symbol)
            .to_string();
        let is_ended = self.semicolon(&format!("the case `{text}`"));
        if is_ended.is_ok() {
            self.behind(&mut front);
        }
        cases.push(Case {
            labels,
            front,
            ty,
            declarator,
        });
        is_ended
    }

    fn typedef(&mut self, front: Front) -> Parsed<Definition> {
        let span = self.bump().span;
        let ty = self.type_use()?;
        let declarators = self.declarators("the new type")?;
        for declarator in &declarators {
            self.declare(declarator.name);
        }
        let Some(first) = declarators.first() else {
            return Err(Failed);
        };
        let name = first.name;
        let mut front = front;
        self.semicolon("the typedef")
            .or_else(|_| self.recovered())?;
        self.behind(&mut front);
        Ok(Definition {
            front,
            name,
            span,
            kind: DefinitionKind::Typedef { ty, declarators },
        })
    }

    fn constant(&mut self, front: Front) -> Parsed<Definition> {
        let span = self.bump().span;
        let ty = self.type_use()?;
        let name = self.name("a constant")?;
        self.declare(name);
        let value = self
            .expect(Kind::Equal, "`=` behind the name of the constant")
            .and_then(|_| self.expression());
        let Ok(value) = value else {
            self.recover();
            return Ok(self.bad(name));
        };
        let mut front = front;
        self.semicolon("the constant")
            .or_else(|_| self.recovered())?;
        self.behind(&mut front);
        Ok(Definition {
            front,
            name,
            span,
            kind: DefinitionKind::Const { ty, value },
        })
    }

    /// `@annotation N {..}`: taken note of; its uses are dropped.
    fn annotation_definition(&mut self) -> Parsed<Definition> {
        let span = self.bump().span;
        self.bump();
        let name = self.annotation_definition_name()?;
        let open = self.expect(Kind::OpenBrace, "`{` behind the name of the annotation")?;
        self.skip_braces();
        self.close_brace(open);
        self.semicolon("the annotation")
            .or_else(|_| self.recovered())?;
        Ok(Definition {
            front: Front::default(),
            name,
            span,
            kind: DefinitionKind::Annotation,
        })
    }

    fn annotation_definition_name(&mut self) -> Parsed<Name> {
        let token = self.token();
        if token.kind != Kind::Name {
            return Err(self.expected("the name of the annotation"));
        }
        self.bump();
        Ok(Name {
            symbol: token.text,
            span: token.span,
        })
    }

    /// Goes in front of the `}` that closes what is open.
    fn skip_braces(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 => return,
                Kind::CloseBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// What DDS has no use for: up to its `;`, or the `}` and `;` behind its body.
    fn skipped(&mut self, keyword: Keyword) -> Parsed<Definition> {
        let start = self.bump().span;
        let is_quiet = matches!(keyword, Keyword::Interface | Keyword::Exception);
        if !is_quiet {
            let message = format!("`{}` is of no use in DDS: it is skipped", keyword.text());
            self.session
                .report(Report::new(codes::SKIPPED, start, message));
        }
        let mut name = None;
        let mut open = None;
        loop {
            let token = self.token();
            match token.kind {
                Kind::End | Kind::CloseBrace => return Err(self.expected("`;`")),
                Kind::Semicolon => break,
                Kind::OpenBrace => {
                    open = Some(self.bump().span);
                    break;
                }
                Kind::Name if token.text.keyword().is_none() && name.is_none() => {
                    name = Some(self.free(token));
                }
                _ => {}
            }
            self.bump();
        }
        if let Some(open) = open {
            self.skip_braces();
            self.close_brace(open);
        }
        self.semicolon("what is skipped")
            .or_else(|_| self.recovered())?;
        let name = name.unwrap_or(Name {
            symbol: Symbol::EMPTY,
            span: start,
        });
        Ok(Definition {
            front: Front::default(),
            name,
            span: start,
            kind: DefinitionKind::Skipped,
        })
    }
}
