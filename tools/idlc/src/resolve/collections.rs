//! Types where they are used: strings, sequences, maps, arrays, names; and typedefs.

use std::rc::Rc;

use dunlin_xtypes::TypeKind;

use super::Resolver;
use super::cycles::Holder;
use super::places::Place;
use super::scope::Entity;
use super::types::{Alias, Element, NamedKind, Ty};
use crate::ast::{Declarator, Definition, Expression, ScopedName, Spec, TypeUse};
use crate::limits;
use crate::report::{Report, codes};
use crate::value::Value;

impl Resolver<'_, '_> {
    /// A type where it is used; `holder` says what contains it by value.
    pub(super) fn ty(&mut self, used: &TypeUse, scope: usize, holder: Option<&Holder>) -> Ty {
        match &used.spec {
            Spec::Primitive(kind) => Ty::Primitive(*kind),
            Spec::Text { is_wide, bound } => {
                let bound = self.bound(bound.as_ref(), scope);
                match is_wide {
                    true => Ty::WideText(bound),
                    false => Ty::Text(bound),
                }
            }
            Spec::Sequence { element, bound } => {
                let element = self.element(element, scope);
                let bound = self.bound(bound.as_ref(), scope);
                Ty::Sequence(Rc::new((element, bound)))
            }
            Spec::Map { key, value, bound } => {
                let key_element = self.element(key, scope);
                self.check_map_key(&key_element, key);
                let value = self.element(value, scope);
                let bound = self.bound(bound.as_ref(), scope);
                Ty::Map(Rc::new((key_element, value, bound)))
            }
            Spec::Named(name) => self.named_type(name, scope, holder),
            Spec::Unencodable(word) => {
                let message = format!("`{word}` has no encoding in DDS");
                let report = Report::new(codes::NO_ENCODING, used.span, message);
                self.session.report(report);
                Ty::Bad
            }
        }
    }

    /// The element of a collection, with its annotations.
    fn element(&mut self, used: &TypeUse, scope: usize) -> Element {
        let applied = self.apply(&used.annotations, Place::Element, scope);
        Element {
            ty: self.ty(used, scope, None),
            try_construct: applied.try_construct.map_or_else(Default::default, |t| t.0),
            is_external: applied.external.is_some_and(|external| external.0),
        }
    }

    fn check_map_key(&mut self, key: &Element, used: &TypeUse) {
        let is_key = match self.behind(&key.ty) {
            Ty::Primitive(kind) => !matches!(
                kind,
                TypeKind::Float32 | TypeKind::Float64 | TypeKind::Float128
            ),
            Ty::Text(_) | Ty::WideText(_) | Ty::Bad => true,
            Ty::Named(number) => matches!(
                self.named(number).map(|named| &named.kind),
                Some(NamedKind::Enumeration(_) | NamedKind::Bitmask(_) | NamedKind::Bad)
            ),
            _ => false,
        };
        if !is_key {
            let message = "the keys of a map are integers, booleans, characters, strings or enums";
            self.session
                .report(Report::new(codes::MAP_KEY, used.span, message));
        }
    }

    fn named_type(&mut self, name: &ScopedName, scope: usize, holder: Option<&Holder>) -> Ty {
        let number = match self.look_up(name, scope, "type") {
            None => return Ty::Bad,
            Some(Entity::Type(number)) => number,
            Some(other) => {
                self.no_type(name, other);
                return Ty::Bad;
            }
        };
        if let Some(holder) = holder {
            self.use_by_value(number, name.span, holder);
        }
        match self.named(number).map(|named| &named.kind) {
            Some(NamedKind::Bad) | None => Ty::Bad,
            Some(_) => Ty::Named(number),
        }
    }

    fn no_type(&mut self, name: &ScopedName, found: Entity) {
        let what = match found {
            Entity::Module(_) => "a module",
            Entity::Constant(_) => "a constant",
            Entity::Literal(..) => "a literal of an enum",
            Entity::Flag(..) => "a flag of a bitmask",
            Entity::Skipped => "an interface or exception, which has no encoding in DDS",
            Entity::Type(_) | Entity::Bad => return,
        };
        let text = name.parts.last().map_or("", |part| self.text(part.symbol));
        let message = format!("a type should be here, and `{text}` is {what}");
        self.session
            .report(Report::new(codes::NO_TYPE, name.span, message));
    }

    /// The bound of a string, sequence or map; 0 is no bound, also after a report.
    fn bound(&mut self, bound: Option<&Expression>, scope: usize) -> u32 {
        bound.map_or(0, |bound| self.length(bound, scope, "a bound"))
    }

    /// A bound or dimension: 1 to 2^32 - 1; 0 after a report.
    fn length(&mut self, expression: &Expression, scope: usize, what: &str) -> u32 {
        let value = self.evaluate(expression, scope, None);
        let message = match value {
            Value::Bad => return 0,
            Value::Integer(value) => match u32::try_from(value) {
                Ok(value) if value > 0 => return value,
                _ => format!("{what} is 1 to 4294967295, and this is {value}"),
            },
            other => format!(
                "{what} is an integer, and this is {}: {}",
                other.words(),
                other.shown()
            ),
        };
        self.session
            .report(Report::new(codes::BAD_BOUND, expression.span, message));
        0
    }

    /// A type with the dimensions of a declarator.
    pub(super) fn declared_type(&mut self, ty: Ty, declarator: &Declarator, scope: usize) -> Ty {
        if declarator.dimensions.is_empty() {
            return ty;
        }
        if declarator.dimensions.len() > limits::DIMENSIONS {
            let message = format!(
                "an array has at most {} dimensions, and this has {}",
                limits::DIMENSIONS,
                declarator.dimensions.len()
            );
            let report = Report::new(codes::TOO_MANY_DIMENSIONS, declarator.name.span, message);
            self.session.report(report);
            return Ty::Bad;
        }
        let lengths = declarator.dimensions.iter();
        let lengths: Vec<u32> = lengths
            .map(|length| self.length(length, scope, "a dimension"))
            .collect();
        match ty == Ty::Bad || lengths.contains(&0) {
            true => Ty::Bad,
            false => Ty::Array(Rc::new((ty.into(), lengths))),
        }
    }

    /// The type behind aliases.
    pub(super) fn behind(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        // An alias refers to types in front of it, so this has an end.
        while let Ty::Named(number) = ty {
            match self.named(number).map(|named| &named.kind) {
                Some(NamedKind::Alias(alias)) => ty = alias.element.ty.clone(),
                Some(NamedKind::Bad) | None => return Ty::Bad,
                Some(_) => return Ty::Named(number),
            }
        }
        ty
    }

    /// A type for people.
    pub(super) fn words(&self, ty: &Ty) -> String {
        let bounded = |name: &str, bound: u32| match bound {
            0 => name.to_string(),
            _ => format!("{name}<{bound}>"),
        };
        match ty {
            Ty::Bad => "?".into(),
            Ty::Primitive(kind) => kind.name().into(),
            Ty::Text(bound) => bounded("string", *bound),
            Ty::WideText(bound) => bounded("wstring", *bound),
            Ty::Sequence(of) => format!("sequence<{}>", self.words(&of.0.ty)),
            Ty::Array(of) => {
                let lengths = of.1.iter().map(|length| format!("[{length}]"));
                format!("{}{}", self.words(&of.0.ty), lengths.collect::<String>())
            }
            Ty::Map(of) => format!("map<{}, {}>", self.words(&of.0.ty), self.words(&of.1.ty)),
            Ty::Named(number) => match self.named(*number) {
                Some(named) => format!("{} {}", named.what(), named.qualified),
                None => "?".into(),
            },
        }
    }

    /// Whether it is made of an interface or the like: sequences of these are common in files of
    /// CORBA, and mean as little to DDS.
    fn has_skipped(&self, used: &TypeUse, scope: usize) -> bool {
        match &used.spec {
            Spec::Named(name) => self.is_skipped(name, scope),
            Spec::Sequence { element, .. } => self.has_skipped(element, scope),
            _ => false,
        }
    }

    pub(super) fn typedef(
        &mut self,
        definition: &Definition,
        used: &TypeUse,
        declarators: &[Declarator],
        scope: usize,
    ) {
        let applied = self.apply(&definition.front.annotations, Place::Typedef, scope);
        if self.has_skipped(used, scope) {
            for declarator in declarators {
                self.enter_name(scope, declarator.name, Entity::Skipped);
            }
            return;
        }
        let ty = self.ty(used, scope, None);
        for declarator in declarators {
            let name = declarator.name;
            let ty = self.declared_type(ty.clone(), declarator, scope);
            let extra = self.extra(&applied, &ty, scope);
            let kind = match ty {
                Ty::Bad => NamedKind::Bad,
                ty => NamedKind::Alias(Alias {
                    element: Element {
                        ty,
                        try_construct: applied.try_construct.map_or_else(Default::default, |t| t.0),
                        is_external: applied.external.is_some_and(|external| external.0),
                    },
                    extra,
                }),
            };
            let number = self.add_type(scope, name, NamedKind::Bad);
            let docs = definition.front.docs.clone();
            self.complete(number, kind, docs, applied.clone());
        }
    }
}
