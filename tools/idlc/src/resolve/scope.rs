//! Scopes: which name means what where (IDL 4.2 7.5).

use std::collections::HashMap;
use std::rc::Rc;

use super::Resolver;
use super::types::AutoIds;
use crate::ast::{Name, ScopedName};
use crate::report::{Report, codes, nearest};
use crate::source::Span;
use crate::symbol::Symbol;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Module(usize),
    Type(usize),
    Constant(usize),
    /// A literal of an enumeration, by the number of its type and its own.
    Literal(usize, usize),
    /// A flag of a bitmask.
    Flag(usize, usize),
    /// An interface, an exception: nothing that DDS can use.
    Skipped,
    /// It was reported.
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) entity: Entity,
    pub(super) span: Span,
}

/// Names that are declared in one place.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) parent: Option<usize>,
    /// Its name with all in front of it.
    pub(super) path: Rc<str>,
    pub(super) names: HashMap<Symbol, Entry>,
    /// By lower case.
    folded: HashMap<Symbol, (Symbol, Span)>,
    pub(super) auto_ids: AutoIds,
    pub(super) default_nested: bool,
    pub(super) data_representation: Option<u32>,
}

impl Resolver<'_, '_> {
    pub(super) fn scope(&self, number: usize) -> &Scope {
        self.scopes.get(number).unwrap_or(&self.nothing)
    }

    pub(super) fn new_scope(&mut self, parent: usize, name: Name) -> usize {
        let path = self.qualify(parent, name.symbol);
        let outer = self.scope(parent);
        let scope = Scope {
            parent: Some(parent),
            path,
            auto_ids: outer.auto_ids,
            default_nested: outer.default_nested,
            data_representation: outer.data_representation,
            ..Scope::default()
        };
        self.scopes.push(scope);
        self.scopes.len() - 1
    }

    pub(super) fn qualify(&self, scope: usize, name: Symbol) -> Rc<str> {
        let (path, text) = (&self.scope(scope).path, self.text(name));
        match path.is_empty() {
            true => text.into(),
            false => format!("{path}::{text}").into(),
        }
    }

    /// Declares a name in a scope.
    pub(super) fn enter_name(&mut self, scope: usize, name: Name, entity: Entity) {
        let folded = self.session.symbols.folded(name.symbol);
        let Some(inner) = self.scopes.get_mut(scope) else {
            return;
        };
        let entry = Entry {
            entity,
            span: name.span,
        };
        if let Some(known) = inner.names.get_mut(&name.symbol) {
            if known.entity == Entity::Bad {
                // What was looked for in vain, or had a mistake, is here now.
                *known = entry;
                return;
            }
            let first = known.span;
            let text = self.session.symbols.text(name.symbol);
            let message = format!("`{text}` is declared twice in one scope");
            let report = Report::new(codes::DUPLICATE_NAME, name.span, message)
                .label(first, "the first is here");
            self.session.report(report);
            return;
        }
        inner.names.insert(name.symbol, entry);
        match inner.folded.get(&folded) {
            Some((other, first)) => {
                let (other, first) = (*other, *first);
                self.near_name(name, other, first);
            }
            None => {
                inner.folded.insert(folded, (name.symbol, name.span));
            }
        }
    }

    /// Two names differ by case alone.
    pub(super) fn near_name(&mut self, name: Name, other: Symbol, first: Span) {
        let (text, other) = (self.text(name.symbol), self.text(other));
        let message = format!("`{text}` and `{other}` differ by case alone; others refuse that");
        let report = Report::new(codes::NEAR_NAME, name.span, message)
            .label(first, "the first is here")
            .note("IDL 4.2 7.2.3: names that differ by case alone collide");
        self.session.report(report);
    }

    /// A name that means nothing any more, without another report.
    pub(super) fn poison(&mut self, scope: usize, name: Name) {
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.names.entry(name.symbol).or_insert(Entry {
                entity: Entity::Bad,
                span: name.span,
            });
        }
    }

    fn find(&self, scope: usize, symbol: Symbol) -> Option<Entry> {
        let mut next = Some(scope);
        while let Some(number) = next {
            let scope = self.scopes.get(number)?;
            if let Some(entry) = scope.names.get(&symbol) {
                return Some(*entry);
            }
            next = scope.parent;
        }
        None
    }

    /// Whether a name is that of something that has no place in DDS, such as an interface.
    pub(super) fn is_skipped(&self, name: &ScopedName, scope: usize) -> bool {
        let Some((first, rest)) = name.parts.split_first() else {
            return false;
        };
        let mut found = match name.is_absolute {
            true => self.scope(0).names.get(&first.symbol).copied(),
            false => self.find(scope, first.symbol),
        };
        for part in rest {
            found = match found.map(|entry| entry.entity) {
                Some(Entity::Module(inner)) => self.scope(inner).names.get(&part.symbol).copied(),
                _ => break,
            };
        }
        found.is_some_and(|entry| matches!(entry.entity, Entity::Skipped))
    }

    /// What a name means; `None` after a report.
    pub(super) fn look_up(
        &mut self,
        name: &ScopedName,
        scope: usize,
        wanted: &str,
    ) -> Option<Entity> {
        let (first, rest) = name.parts.split_first()?;
        let found = match name.is_absolute {
            true => self.scope(0).names.get(&first.symbol).copied(),
            false => self.find(scope, first.symbol),
        };
        let Some(mut entry) = found else {
            self.unknown(*first, name, scope, wanted);
            return None;
        };
        let mut before = *first;
        for part in rest {
            let inner = match entry.entity {
                Entity::Module(inner) => inner,
                Entity::Type(number) => match self.named(number) {
                    Some(named) => named.scope,
                    None => return None,
                },
                Entity::Bad => return None,
                Entity::Skipped => return Some(Entity::Skipped),
                _ => {
                    let text = self.text(before.symbol);
                    let message = format!("`{text}` has no names within it");
                    let report = Report::new(codes::UNKNOWN_NAME, before.span, message)
                        .label(entry.span, "it is declared here");
                    self.session.report(report);
                    return None;
                }
            };
            match self.scope(inner).names.get(&part.symbol).copied() {
                Some(next) => entry = next,
                None => {
                    self.unknown_within(*part, before, inner);
                    return None;
                }
            }
            before = *part;
        }
        match entry.entity {
            Entity::Bad => None,
            entity => Some(entity),
        }
    }

    fn unknown(&mut self, first: Name, name: &ScopedName, scope: usize, wanted: &str) {
        let text = self.text(first.symbol).to_string();
        let message = format!("`{text}` is not known: there is no {wanted} of this name");
        let mut report = Report::new(codes::UNKNOWN_NAME, first.span, message);
        let later = self.declared.get(&first.symbol).copied();
        let later = later.filter(|span| span.start > first.span.start);
        if let Some(later) = later {
            report = report
                .label(later, "it is declared here, behind its use")
                .note("a name has to be declared in front of its use; `struct N;` declares one that is defined later");
        } else if let Some(qualified) = self.qualified.get(&first.symbol)
            && name.parts.len() == 1
        {
            report = report.instead(qualified.to_string());
        } else if let Some(near) = basic(&text, wanted).or_else(|| self.neighbour(&text, scope)) {
            report = report.instead(near);
        }
        self.session.report(report);
        self.poison(scope, first);
    }

    /// The nearest name that can be seen from a scope.
    fn neighbour(&self, text: &str, scope: usize) -> Option<String> {
        let mut next = Some(scope);
        while let Some(number) = next {
            let scope = self.scopes.get(number)?;
            let names = scope.names.iter();
            let names = names.filter(|(_, entry)| entry.entity != Entity::Bad);
            let names = names.map(|(symbol, _)| self.session.symbols.text(*symbol));
            if let Some(near) = nearest(text, names) {
                return Some(near.to_string());
            }
            next = scope.parent;
        }
        None
    }

    fn unknown_within(&mut self, part: Name, outer: Name, inner: usize) {
        let (text, outer) = (self.text(part.symbol), self.text(outer.symbol));
        let message = format!("there is no `{text}` in `{outer}`");
        let mut report = Report::new(codes::UNKNOWN_NAME, part.span, message);
        let names = self.scope(inner).names.keys();
        let names = names.map(|symbol| self.session.symbols.text(*symbol));
        if let Some(near) = nearest(text, names) {
            report = report.instead(near);
        }
        self.session.report(report);
        self.poison(inner, part);
    }
}

/// The basic type that is meant.
fn basic(text: &str, wanted: &str) -> Option<String> {
    const OTHERS: &[(&str, &str)] = &[
        ("int", "long"),
        ("bool", "boolean"),
        ("byte", "octet"),
        ("str", "string"),
        ("i8", "int8"),
        ("u8", "uint8"),
        ("i16", "int16"),
        ("u16", "uint16"),
        ("i32", "int32"),
        ("u32", "uint32"),
        ("i64", "int64"),
        ("u64", "uint64"),
        ("f32", "float"),
        ("f64", "double"),
        ("float32", "float"),
        ("float64", "double"),
        ("int8_t", "int8"),
        ("uint8_t", "uint8"),
        ("int16_t", "int16"),
        ("uint16_t", "uint16"),
        ("int32_t", "int32"),
        ("uint32_t", "uint32"),
        ("int64_t", "int64"),
        ("uint64_t", "uint64"),
    ];
    const BASIC: &[&str] = &[
        "short", "long", "float", "double", "char", "wchar", "boolean", "octet", "string",
        "wstring", "unsigned",
    ];
    if wanted != "type" {
        return None;
    }
    let other = OTHERS.iter().find(|other| other.0 == text);
    let other = other.map(|other| other.1);
    let near = || nearest(text, BASIC.iter().copied());
    other.or_else(near).map(str::to_string)
}
