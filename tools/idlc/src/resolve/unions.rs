//! Unions.

use std::collections::HashMap;

use dunlin_xtypes::TypeKind;

use super::Resolver;
use super::cycles::Holder;
use super::places::Place;
use super::structures::Ids;
use super::types::{AutoIds, Case, Element, NamedKind, Ty, Union};
use crate::ast::{self, Definition, TypeUse};
use crate::report::{Report, codes};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::value::{Value, range};

/// What is known of the labels so far.
#[derive(Default)]
struct Labels {
    used: HashMap<i64, Span>,
    default: Option<Span>,
}

impl Resolver<'_, '_> {
    pub(super) fn union(
        &mut self,
        definition: &Definition,
        discriminator: &TypeUse,
        cases: &[ast::Case],
        scope: usize,
    ) {
        let name = definition.name;
        let applied = self.apply(&definition.front.annotations, Place::Union, scope);
        let number = self.begin_type(scope, definition, true);
        let extensibility = self.extensibility(&applied, name);
        let auto_ids = self.auto_ids(&applied, scope);
        let by = self.apply(&discriminator.annotations, Place::Discriminator, scope);
        let ty = self.ty(discriminator, scope, None);
        let ty = match self.is_discriminator(&ty) {
            true => ty,
            false => {
                let words = self.words(&ty);
                let message = format!(
                    "a union is switched by an integer, octet, char, boolean, enum or bitmask, not by {words}"
                );
                let report = Report::new(codes::DISCRIMINATOR, discriminator.span, message);
                self.session.report(report);
                Ty::Bad
            }
        };
        // 0 is the id of the discriminator.
        let mut ids = Ids::new(auto_ids, 1);
        ids.reserve(
            0,
            ast::Name {
                symbol: self.session.symbols.intern("the discriminator"),
                span: discriminator.span,
            },
        );
        let mut labels = Labels::default();
        let mut names: HashMap<Symbol, (Symbol, Span)> = HashMap::new();
        let mut made = Vec::new();
        for case in cases {
            if !self.session.step(case.ty.span) {
                return;
            }
            let case = self.case(case, number, &ty, scope, &mut ids, &mut labels);
            self.member_name(case.name, &mut names);
            made.push(case);
        }
        self.check_filled(name, cases.len(), "union", "case");
        self.useless_default(&ty, &labels);
        self.check_count(name, made.len(), "cases");
        let extra = self.extra(&by, &ty, scope);
        let kind = NamedKind::Union(Union {
            extensibility,
            is_nested: self.is_nested(&applied, scope),
            has_hashed_ids: auto_ids == AutoIds::Hash,
            discriminator: Element {
                ty,
                try_construct: by.try_construct.map_or_else(Default::default, |t| t.0),
                is_external: false,
            },
            is_key: by.key.is_some_and(|key| key.0),
            extra,
            cases: made,
        });
        self.complete(number, kind, definition.front.docs.clone(), applied);
    }

    fn is_discriminator(&self, ty: &Ty) -> bool {
        match self.behind(ty) {
            Ty::Bad => true,
            Ty::Primitive(kind) => {
                range(kind).is_some()
                    || matches!(kind, TypeKind::Boolean | TypeKind::Char8 | TypeKind::Char16)
            }
            Ty::Named(number) => matches!(
                self.named(number).map(|named| &named.kind),
                Some(NamedKind::Enumeration(_) | NamedKind::Bitmask(_) | NamedKind::Bad)
            ),
            _ => false,
        }
    }

    fn case(
        &mut self,
        case: &ast::Case,
        number: usize,
        discriminator: &Ty,
        scope: usize,
        ids: &mut Ids,
        labels: &mut Labels,
    ) -> Case {
        let name = case.declarator.name;
        let mut own = Vec::new();
        let mut is_default = false;
        for label in &case.labels {
            let Some(expression) = &label.value else {
                is_default = true;
                if let Some(first) = labels.default.replace(label.span) {
                    let message = "a union has one default";
                    let report = Report::new(codes::DUPLICATE_LABEL, label.span, message)
                        .label(first, "the first is here");
                    self.session.report(report);
                }
                continue;
            };
            let value = self.evaluate(expression, scope, Some(discriminator));
            let value = self.fit(value, discriminator, expression.span, "the label");
            let Some(number) = value.and_then(|value| number_of(&value)) else {
                continue;
            };
            if let Some(first) = labels.used.insert(number, expression.span) {
                let text = self.session.sources.text(expression.span).to_string();
                let message = format!("the label `{text}` is there twice");
                let report = Report::new(codes::DUPLICATE_LABEL, expression.span, message)
                    .label(first, "the first is here");
                self.session.report(report);
                continue;
            }
            own.push(number);
        }
        let applied = self.apply(&case.front.annotations, Place::Case, scope);
        let is_external = applied.external.is_some_and(|external| external.0);
        let holder = Holder {
            ty: number,
            member: name,
        };
        let ty = self.ty(&case.ty, scope, (!is_external).then_some(&holder));
        let ty = self.declared_type(ty, &case.declarator, scope);
        let extra = self.extra(&applied, &ty, scope);
        Case {
            name,
            element: Element {
                ty,
                try_construct: applied.try_construct.map_or_else(Default::default, |t| t.0),
                is_external,
            },
            id: self.id(&applied, name, ids),
            labels: own,
            is_default,
            extra,
            docs: case.front.docs.clone(),
        }
    }

    /// A default that nothing selects, for all values have a case.
    fn useless_default(&mut self, discriminator: &Ty, labels: &Labels) {
        let Some(default) = labels.default else {
            return;
        };
        let all = match self.behind(discriminator) {
            Ty::Primitive(TypeKind::Boolean) => 2,
            Ty::Primitive(TypeKind::Byte | TypeKind::UInt8 | TypeKind::Int8 | TypeKind::Char8) => {
                256
            }
            Ty::Primitive(TypeKind::Int16 | TypeKind::UInt16 | TypeKind::Char16) => 65_536,
            Ty::Named(number) => match self.named(number).map(|named| &named.kind) {
                Some(NamedKind::Enumeration(of)) => of.literals.len(),
                _ => return,
            },
            _ => return,
        };
        if labels.used.len() >= all {
            let message = "nothing selects this default: each value has a case of its own";
            self.session
                .report(Report::new(codes::USELESS_DEFAULT, default, message));
        }
    }
}

/// A label as the number that it is; a `uint64` as the `i64` of the same bits.
fn number_of(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => {
            let large = || u64::try_from(*value).ok().map(u64::cast_signed);
            i64::try_from(*value).ok().or_else(large)
        }
        Value::Boolean(value) => Some(i64::from(*value)),
        Value::Char(value) | Value::WideChar(value) => Some(i64::from(*value)),
        Value::Literal { value, .. } => Some(i64::from(*value)),
        Value::Bits { bits, .. } => Some(bits.cast_signed()),
        _ => None,
    }
}
