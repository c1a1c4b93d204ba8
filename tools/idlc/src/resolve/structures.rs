//! Structures.

use std::collections::HashMap;

use dunlin_cdr::Extensibility;

use super::Resolver;
use super::annotations::Applied;
use super::cycles::Holder;
use super::places::Place;
use super::scope::Entity;
use super::types::{AutoIds, Element, Member, NamedKind, Struct, Ty};
use crate::ast::{self, Definition, Item, Name, ScopedName};
use crate::limits;
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Symbol;

/// The largest member id (DDS-XTypes 1.3 7.2.2.4.4.4.4).
const LAST_ID: u32 = 0x0fff_fffe;

/// Ids of members as they are given.
#[derive(Debug)]
pub(super) struct Ids {
    auto_ids: AutoIds,
    next: u32,
    used: HashMap<u32, Name>,
}

impl Ids {
    pub(super) fn new(auto_ids: AutoIds, next: u32) -> Self {
        Self {
            auto_ids,
            next,
            used: HashMap::new(),
        }
    }

    pub(super) fn reserve(&mut self, id: u32, name: Name) {
        self.used.insert(id, name);
    }
}

impl Resolver<'_, '_> {
    pub(super) fn structure(
        &mut self,
        definition: &Definition,
        base: Option<&ScopedName>,
        items: &[Item],
        scope: usize,
    ) {
        let name = definition.name;
        let applied = self.apply(&definition.front.annotations, Place::Struct, scope);
        let number = self.begin_type(scope, definition, false);
        let own = self.named(number).map_or(scope, |named| named.scope);
        let made_from = base.and_then(|base| self.base(base, number, scope));
        let grows = made_from.and_then(|base| self.growth(base));
        let extensibility = match (applied.extensibility, grows) {
            (None, Some(grows)) => grows,
            _ => self.extensibility(&applied, name),
        };
        if let (Some(base), Some(made_from)) = (base, made_from) {
            self.check_growth(base, made_from, extensibility);
        }
        let base = made_from;
        let auto_ids = self.auto_ids(&applied, scope);
        let mut ids = Ids::new(auto_ids, 0);
        let mut names: HashMap<Symbol, (Symbol, Span)> = HashMap::new();
        if let Some(base) = base {
            self.inherit(base, &mut ids, &mut names);
        }
        let mut members = Vec::new();
        for item in items {
            match item {
                Item::Definition(inner) => self.definition(inner, own),
                Item::Member(member) => {
                    if !self.session.step(member.ty.span) {
                        return;
                    }
                    let made = self.member(member, number, own, base.is_some(), &mut ids);
                    for made in made {
                        self.member_name(made.name, &mut names);
                        members.push(made);
                    }
                }
            }
        }
        self.check_count(name, members.len(), "members");
        let kind = NamedKind::Struct(Struct {
            extensibility,
            is_nested: self.is_nested(&applied, scope),
            has_hashed_ids: auto_ids == AutoIds::Hash,
            base,
            members,
        });
        self.complete(number, kind, definition.front.docs.clone(), applied);
    }

    pub(super) fn check_count(&mut self, name: Name, count: usize, what: &str) {
        if count > limits::MEMBERS {
            let text = self.text(name.symbol);
            let message = format!(
                "`{text}` has {count} {what}, at most {} are allowed",
                limits::MEMBERS
            );
            self.session
                .report(Report::new(codes::TOO_MANY_MEMBERS, name.span, message));
        }
    }

    fn growth(&self, base: usize) -> Option<Extensibility> {
        match &self.named(base)?.kind {
            NamedKind::Struct(of) => Some(of.extensibility),
            _ => None,
        }
    }

    /// A struct has the extensibility of its base (DDS-XTypes 1.3 7.2.2.4.5).
    fn check_growth(&mut self, base: &ScopedName, made_from: usize, own: Extensibility) {
        let (Some(theirs), Some(named)) = (self.growth(made_from), self.named(made_from)) else {
            return;
        };
        if theirs == own {
            return;
        }
        let message = format!(
            "a struct grows as its base does: `{}` is {}, and this one {}",
            named.qualified,
            word(theirs),
            word(own)
        );
        let report = Report::new(codes::BASE_EXTENSIBILITY, base.span, message)
            .label(named.name.span, "the base is here")
            .note(format!("write @{} in front of this struct", word(theirs)));
        self.session.report(report);
    }

    fn base(&mut self, base: &ScopedName, number: usize, scope: usize) -> Option<usize> {
        let found = match self.look_up(base, scope, "struct")? {
            Entity::Type(found) => found,
            _ => {
                self.no_base(base, "no type");
                return None;
            }
        };
        let resolved = match self.behind(&Ty::Named(found)) {
            Ty::Named(resolved) => resolved,
            Ty::Bad => return None,
            other => {
                let words = self.words(&other);
                self.no_base(base, &words);
                return None;
            }
        };
        let named = self.named(resolved)?;
        match &named.kind {
            NamedKind::Struct(_) => Some(resolved),
            NamedKind::Forward { .. } => {
                let holder = Holder {
                    ty: number,
                    member: self.named(number)?.name,
                };
                self.use_by_value(resolved, base.span, &holder);
                None
            }
            NamedKind::Bad => None,
            _ => {
                let words = match named.what() {
                    "enum" => "an enum".to_string(),
                    what => format!("a {what}"),
                };
                self.no_base(base, &words);
                None
            }
        }
    }

    fn no_base(&mut self, base: &ScopedName, found: &str) {
        let text = base.parts.last().map_or("", |part| self.text(part.symbol));
        let message = format!("the base of a struct is a struct, and `{text}` is {found}");
        self.session
            .report(Report::new(codes::BAD_BASE, base.span, message));
    }

    /// Names and ids of all bases are taken.
    fn inherit(&mut self, base: usize, ids: &mut Ids, names: &mut HashMap<Symbol, (Symbol, Span)>) {
        let mut next = Some(base);
        let mut has_next_id = false;
        while let Some(Some(named)) = next.map(|number| self.named(number)) {
            let NamedKind::Struct(of) = &named.kind else {
                return;
            };
            if !has_next_id && let Some(last) = of.members.last() {
                ids.next = last.id.saturating_add(1);
                has_next_id = true;
            }
            for member in &of.members {
                ids.used.insert(member.id, member.name);
                let folded = self.session.symbols.folded(member.name.symbol);
                names.insert(folded, (member.name.symbol, member.name.span));
            }
            next = of.base;
        }
    }

    /// A member's name is the only one of its kind.
    pub(super) fn member_name(&mut self, name: Name, names: &mut HashMap<Symbol, (Symbol, Span)>) {
        let folded = self.session.symbols.folded(name.symbol);
        let Some((other, first)) = names.insert(folded, (name.symbol, name.span)) else {
            return;
        };
        if other != name.symbol {
            self.near_name(name, other, first);
            return;
        }
        let text = self.text(name.symbol);
        let message = format!("there are two members `{text}`");
        let report = Report::new(codes::DUPLICATE_MEMBER, name.span, message)
            .label(first, "the first is here");
        self.session.report(report);
    }

    /// A member for each declarator.
    fn member(
        &mut self,
        member: &ast::Member,
        number: usize,
        scope: usize,
        is_derived: bool,
        ids: &mut Ids,
    ) -> Vec<Member> {
        let mut applied = self.apply(&member.front.annotations, Place::Member, scope);
        let is_key = applied.key.is_some_and(|key| key.0);
        let is_optional = applied.optional.is_some_and(|optional| optional.0);
        self.check_key(&applied, is_derived);
        let is_external = applied.external.is_some_and(|external| external.0);
        let first = member.declarators.first().map(|one| one.name);
        let holder = first.map(|first| Holder {
            ty: number,
            member: first,
        });
        let holder = holder.filter(|_| !is_optional && !is_external);
        let ty = self.ty(&member.ty, scope, holder.as_ref());
        let mut made = Vec::new();
        for declarator in &member.declarators {
            let ty = self.declared_type(ty.clone(), declarator, scope);
            let extra = self.extra(&applied, &ty, scope);
            let id = self.id(&applied, declarator.name, ids);
            // The next declarator has the same annotations: an id that is given is of the first.
            if member.declarators.len() > 1 && applied.id.is_some() {
                self.shared_id(&mut applied);
            }
            made.push(Member {
                name: declarator.name,
                element: Element {
                    ty,
                    try_construct: applied.try_construct.map_or_else(Default::default, |t| t.0),
                    is_external,
                },
                id,
                is_key,
                is_optional,
                must_understand: applied.must_understand.is_some_and(|must| must.0),
                extra,
                docs: member.front.docs.clone(),
            });
        }
        made
    }

    fn shared_id(&mut self, applied: &mut Applied) {
        if let Some((_, span)) = applied.id.take() {
            let message = "@id in front of several members: it is that of the first";
            let report =
                Report::new(codes::SHARED_ID, span, message).note("declare the members one by one");
            self.session.report(report);
        }
    }

    fn check_key(&mut self, applied: &Applied, is_derived: bool) {
        let Some((true, key)) = applied.key else {
            return;
        };
        if let Some((true, optional)) = applied.optional {
            let message =
                "a member cannot be @key and @optional: every sample belongs to an instance";
            let report = Report::new(codes::OPTIONAL_KEY, optional, message)
                .label(key, "it is a key by this");
            self.session.report(report);
        }
        if let Some((false, must)) = applied.must_understand {
            let message = "a key is always understood: @must_understand(FALSE) contradicts @key";
            let report = Report::new(codes::KEY_NOT_UNDERSTOOD, must, message)
                .label(key, "it is a key by this");
            self.session.report(report);
        }
        if is_derived {
            let message = "a key in a struct with a base: Fast DDS refuses that";
            let report = Report::new(codes::DERIVED_KEY, key, message)
                .note("declare the keys in the outermost base");
            self.session.report(report);
        }
    }

    /// The id of a member or case. It has to differ from all others.
    pub(super) fn id(&mut self, applied: &Applied, name: Name, ids: &mut Ids) -> u32 {
        let hashed = |text: &str| dunlin_xtypes::hash_id(text);
        let is_hashed =
            applied.id.is_none() && (applied.hash_id.is_some() || ids.auto_ids == AutoIds::Hash);
        let id = match (&applied.id, &applied.hash_id) {
            (Some((id, span)), Some((_, other))) => {
                let message = "a member has @id or @hashid, not both";
                let report =
                    Report::new(codes::TWO_IDS, *other, message).label(*span, "this is the other");
                self.session.report(report);
                *id
            }
            (Some((id, _)), None) => *id,
            (None, Some((Some(text), _))) if !text.is_empty() => hashed(text),
            (None, Some(_)) => hashed(self.text(name.symbol)),
            (None, None) if ids.auto_ids == AutoIds::Hash => hashed(self.text(name.symbol)),
            (None, None) => ids.next,
        };
        ids.next = id.saturating_add(1);
        if id > LAST_ID {
            let message = format!("the id would be {id:#x}; ids go up to {LAST_ID:#x}");
            let note = "give the member another one by @id";
            let report = Report::new(codes::BAD_ID, name.span, message).note(note);
            self.session.report(report);
            return id;
        }
        if let Some(first) = ids.used.insert(id, name) {
            let (one, two) = (self.text(first.symbol), self.text(name.symbol));
            let note = match is_hashed {
                true => "ids that come from names may collide: give one of them another by @id",
                false => {
                    "an id that is not given is one more than that before it; give one of them another by @id"
                }
            };
            let message = format!("`{one}` and `{two}` both have the id {id} ({id:#x})");
            let report = Report::new(codes::DUPLICATE_ID, name.span, message)
                .label(first.span, "the first is here")
                .note(note);
            self.session.report(report);
        }
        id
    }
}

pub(super) fn word(extensibility: Extensibility) -> &'static str {
    match extensibility {
        Extensibility::Final => "final",
        Extensibility::Appendable => "appendable",
        Extensibility::Mutable => "mutable",
    }
}
