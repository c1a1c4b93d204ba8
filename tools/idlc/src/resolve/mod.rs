//! Gives names their meaning: scopes, types, constants, annotations. What comes out has no names
//! that are not known, and every rule of the language was checked.

mod annotations;
mod collections;
mod constants;
mod cycles;
mod enumerations;
mod fit;
mod keys;
mod places;
mod scope;
mod structures;
pub(crate) mod types;
mod unions;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Definition, DefinitionKind, Name};
use crate::parser::Parse;
use crate::preprocess::Pragma;
use crate::report::{Report, codes};
use crate::session::Session;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::value::Value;

use annotations::Applied;
use cycles::IncompleteUse;
use places::Place;
use scope::{Entity, Scope};
use types::{AutoIds, Named, NamedKind, Ty};

/// A constant with a value that fits its type.
#[derive(Debug)]
pub(crate) struct NamedConstant {
    pub(crate) qualified: Rc<str>,
    pub(crate) ty: Ty,
    pub(crate) value: Value,
    pub(crate) docs: Option<Rc<str>>,
    pub(crate) span: Span,
}

/// A module, reopened ones once.
#[derive(Debug)]
pub(crate) struct NamedModule {
    pub(crate) qualified: Rc<str>,
    pub(crate) docs: Option<Rc<str>>,
    pub(crate) span: Span,
}

/// Everything that has a name.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) types: Vec<Named>,
    /// The numbers of types in the order in which their definitions end.
    pub(crate) order: Vec<usize>,
    pub(crate) constants: Vec<NamedConstant>,
    pub(crate) modules: Vec<NamedModule>,
}

#[derive(Debug)]
pub(crate) struct Resolver<'s, 'o> {
    session: &'s mut Session<'o>,
    scopes: Vec<Scope>,
    /// Stands for a scope that there is not; `new_scope` makes all numbers.
    nothing: Scope,
    result: Resolved,
    /// Names, and where they are declared first.
    declared: HashMap<Symbol, Span>,
    /// Names of types without their modules, for those that are looked for in vain.
    qualified: HashMap<Symbol, Rc<str>>,
    /// Types that lost a part by a mistake.
    broken: HashSet<Span>,
    user_annotations: HashSet<Symbol>,
    reported_annotations: HashSet<Symbol>,
    incomplete: Vec<IncompleteUse>,
    pragmas: Vec<(Pragma, Span, usize)>,
    /// The first type that does not say how it grows, and how many there are.
    unsaid: Option<(Name, usize)>,
}

/// Resolves what was parsed.
pub(crate) fn resolve(session: &mut Session<'_>, parse: Parse) -> Resolved {
    let mut resolver = Resolver {
        session,
        scopes: vec![Scope::default()],
        nothing: Scope::default(),
        result: Resolved::default(),
        declared: parse.declared,
        qualified: HashMap::new(),
        broken: parse.broken,
        user_annotations: HashSet::new(),
        reported_annotations: HashSet::new(),
        incomplete: Vec::new(),
        pragmas: Vec::new(),
        unsaid: None,
    };
    if let Some(global) = resolver.scopes.first_mut() {
        global.default_nested = resolver.session.options.default_nested;
    }
    resolver.definitions(&parse.definitions, 0);
    resolver.forward_declarations();
    resolver.incomplete_uses();
    resolver.apply_pragmas();
    resolver.unsaid_extensibility();
    resolver.result
}

impl Resolver<'_, '_> {
    fn definitions(&mut self, definitions: &[Definition], scope: usize) {
        for definition in definitions {
            if !self.session.step(definition.span) {
                return;
            }
            self.definition(definition, scope);
        }
    }

    fn definition(&mut self, definition: &Definition, scope: usize) {
        let name = definition.name;
        match &definition.kind {
            DefinitionKind::Module(inner) => self.module(definition, inner, scope),
            DefinitionKind::Struct { base, items } => {
                self.structure(definition, base.as_ref(), items, scope);
            }
            DefinitionKind::Union {
                discriminator,
                cases,
                inner,
            } => {
                self.definitions(inner, scope);
                self.union(definition, discriminator, cases, scope);
            }
            DefinitionKind::Enum(list) => self.enumeration(definition, list, scope),
            DefinitionKind::Bitmask(list) => self.bitmask(definition, list, scope),
            DefinitionKind::Bitset { base, fields } => {
                self.bitset(definition, base.as_ref(), fields, scope);
            }
            DefinitionKind::Typedef { ty, declarators } => {
                self.typedef(definition, ty, declarators, scope);
            }
            DefinitionKind::Const { ty, value } => self.constant(definition, ty, value, scope),
            DefinitionKind::ForwardStruct => self.forward(name, false, scope),
            DefinitionKind::ForwardUnion => self.forward(name, true, scope),
            DefinitionKind::Annotation => {
                self.user_annotations.insert(name.symbol);
            }
            DefinitionKind::Skipped if name.symbol != Symbol::EMPTY => {
                self.apply(&definition.front.annotations, Place::Interface, scope);
                let is_forward = self.scope(scope).names.contains_key(&name.symbol);
                if !is_forward {
                    self.enter_name(scope, name, Entity::Skipped);
                }
            }
            DefinitionKind::Skipped => {}
            DefinitionKind::Bad => self.poison(scope, name),
            DefinitionKind::Pragma(pragma) => {
                self.pragmas.push((pragma.clone(), definition.span, scope));
            }
        }
    }

    fn module(&mut self, definition: &Definition, inner: &[Definition], scope: usize) {
        let name = definition.name;
        let applied = self.apply(&definition.front.annotations, Place::Module, scope);
        if inner.is_empty() {
            let text = self.session.symbols.text(name.symbol).to_string();
            let message = format!("the module `{text}` is empty");
            let report = Report::new(codes::EMPTY_MODULE, name.span, message);
            self.session.report(report);
        }
        let known = self
            .scope(scope)
            .names
            .get(&name.symbol)
            .map(|entry| entry.entity);
        let own = match known {
            Some(Entity::Module(own)) => own,
            _ => {
                let own = self.new_scope(scope, name);
                self.enter_name(scope, name, Entity::Module(own));
                let qualified = self.scope(own).path.clone();
                self.result.modules.push(NamedModule {
                    qualified,
                    docs: definition.front.docs.clone(),
                    span: name.span,
                });
                own
            }
        };
        if let Some(scope) = self.scopes.get_mut(own) {
            if let Some((auto_ids, _)) = applied.auto_id {
                scope.auto_ids = auto_ids;
            }
            if let Some((value, _)) = applied.default_nested {
                scope.default_nested = value;
            }
            if let Some((mask, _)) = applied.data_representation {
                scope.data_representation = Some(mask);
            }
        }
        self.definitions(inner, own);
    }

    /// `struct N;`
    fn forward(&mut self, name: Name, is_union: bool, scope: usize) {
        if let Some(Entity::Type(known)) =
            self.scope(scope).names.get(&name.symbol).map(|e| e.entity)
            && let Some(named) = self.result.types.get(known)
        {
            let is_same = match &named.kind {
                NamedKind::Forward { is_union: known } => *known == is_union,
                NamedKind::Struct(_) => !is_union,
                NamedKind::Union(_) => is_union,
                _ => false,
            };
            if is_same {
                return;
            }
        }
        self.add_type(scope, name, NamedKind::Forward { is_union });
    }

    /// Adds a type that gets its contents later.
    fn add_type(&mut self, scope: usize, name: Name, kind: NamedKind) -> usize {
        let number = self.result.types.len();
        let qualified = self.qualify(scope, name.symbol);
        self.check_qualified(&qualified, name);
        self.qualified.insert(name.symbol, qualified.clone());
        let own = self.new_scope(scope, name);
        let is_included = self.is_included(name.span);
        self.result.types.push(Named {
            name,
            qualified,
            scope: own,
            is_included,
            docs: None,
            verbatim: Vec::new(),
            topic: None,
            data_representation: None,
            kind,
        });
        self.enter_name(scope, name, Entity::Type(number));
        if number > crate::limits::TYPES {
            let message = format!("there are more than {} types", crate::limits::TYPES);
            self.session
                .exceed(codes::TOO_MANY_TYPES, name.span, message);
        }
        number
    }

    fn check_qualified(&mut self, qualified: &str, name: Name) {
        if qualified.len() > crate::limits::NAME {
            let message = format!(
                "with its modules this name has {} bytes, at most {} are allowed",
                qualified.len(),
                crate::limits::NAME
            );
            let text = self.session.symbols.text(name.symbol);
            if text.len() <= crate::limits::NAME {
                self.session
                    .report(Report::new(codes::LONG_NAME, name.span, message));
            }
        }
    }

    /// The number of a type that is being defined: that of its forward declaration, if there is one
    /// in the same scope.
    fn begin_type(&mut self, scope: usize, definition: &Definition, is_union: bool) -> usize {
        let name = definition.name;
        let known = self
            .scope(scope)
            .names
            .get(&name.symbol)
            .map(|entry| entry.entity);
        if let Some(Entity::Type(number)) = known
            && let Some(named) = self.result.types.get_mut(number)
            && matches!(named.kind, NamedKind::Forward { is_union: known } if known == is_union)
        {
            named.name = name;
            return number;
        }
        self.add_type(scope, name, NamedKind::Forward { is_union })
    }

    /// The contents of a type are known.
    fn complete(
        &mut self,
        number: usize,
        kind: NamedKind,
        docs: Option<Rc<str>>,
        applied: Applied,
    ) {
        let inherited = self
            .named(number)
            .map(|named| self.scope(named.scope).data_representation);
        if let Some(named) = self.result.types.get_mut(number) {
            named.kind = kind;
            named.docs = docs;
            named.verbatim = applied.verbatim;
            named.topic = applied.topic.map(|topic| topic.0);
            named.data_representation = match applied.data_representation {
                Some((mask, _)) => Some(mask),
                None => inherited.flatten(),
            };
            self.result.order.push(number);
        }
    }

    fn is_included(&self, span: Span) -> bool {
        let span = self.session.sources.written(span);
        let file = self.session.sources.file_at(span.start);
        let file = self.session.sources.file(file);
        file.is_some_and(|file| file.included_at.is_some())
    }

    fn named(&self, number: usize) -> Option<&Named> {
        self.result.types.get(number)
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.session.symbols.text(symbol)
    }

    /// Where member ids come from if the type does not say it.
    fn auto_ids(&self, applied: &Applied, scope: usize) -> AutoIds {
        match applied.auto_id {
            Some((auto_ids, _)) => auto_ids,
            None => self.scope(scope).auto_ids,
        }
    }

    fn is_nested(&self, applied: &Applied, scope: usize) -> bool {
        match (&applied.topic, applied.nested) {
            (Some(_), _) => false,
            (None, Some((value, _))) => value,
            (None, None) => self.scope(scope).default_nested,
        }
    }

    fn extensibility(&mut self, applied: &Applied, name: Name) -> dunlin_cdr::Extensibility {
        if let Some((extensibility, _)) = applied.extensibility {
            return extensibility;
        }
        if !self.is_included(name.span) {
            match &mut self.unsaid {
                Some((_, count)) => *count += 1,
                None => self.unsaid = Some((name, 1)),
            }
        }
        self.session.options.default_extensibility
    }

    /// Said once: other compilers take another default.
    fn unsaid_extensibility(&mut self) {
        use dunlin_cdr::Extensibility;
        let Some((name, count)) = self.unsaid else {
            return;
        };
        if self.session.reports.has_errors() || self.session.options.ros_names {
            return;
        }
        let text = self.text(name.symbol);
        let others = match count {
            1 => String::new(),
            2 => " nor does another type".into(),
            _ => format!(" nor do {} other types", count - 1),
        };
        let (word, other) = match self.session.options.default_extensibility {
            Extensibility::Final => ("final", "Fast DDS and OpenDDS take appendable"),
            Extensibility::Appendable => ("appendable", "Cyclone DDS's idlc takes final"),
            Extensibility::Mutable => ("mutable", "Cyclone DDS's idlc takes final"),
        };
        let message = format!("`{text}` does not say how it grows,{others}: {word} here, {other}")
            .replace("grows,:", "grows:");
        let report = Report::new(codes::NO_EXTENSIBILITY, name.span, message)
            .note("write @final, @appendable or @mutable in front of it");
        self.session.report(report);
    }

    fn forward_declarations(&mut self) {
        let missing: Vec<(Name, &str)> = self
            .result
            .types
            .iter()
            .filter_map(|named| match named.kind {
                NamedKind::Forward { is_union: true } => Some((named.name, "union")),
                NamedKind::Forward { is_union: false } => Some((named.name, "struct")),
                _ => None,
            })
            .collect();
        for (name, what) in missing {
            let text = self.text(name.symbol);
            let message = format!("the {what} `{text}` is declared and never defined");
            let report = Report::new(codes::NEVER_DEFINED, name.span, message).note(
                "its definition has to be in the same module, in this file or an included one",
            );
            self.session.report(report);
        }
    }
}
