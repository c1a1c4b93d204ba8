//! Where the parts of a value are that the paths of a plan lead to.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::names;
use crate::emit::Unit;
use crate::emit::c::codec::size;
use crate::emit::c::place::Place as Part;

/// A part of a value.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its type, and the rules for it, without expressions of C.
    pub(super) of: Part,
    /// The part as an expression that can be assigned to.
    pub(super) value: String,
    /// It may be null.
    pub(super) is_nullable: bool,
    /// Members of unions are where they are kept, not where it is checked which is selected.
    pub(super) is_inside: bool,
}

impl Place {
    /// A value that a name stands for.
    pub(super) fn root(ty: DynamicType, name: &str) -> Self {
        Self {
            of: Part::unexpressed(ty),
            value: name.into(),
            is_nullable: false,
            is_inside: false,
        }
    }

    /// The same, with members of unions where they are kept.
    pub(super) fn inside(self) -> Self {
        Self {
            is_inside: true,
            ..self
        }
    }

    pub(super) fn ty(&self) -> &DynamicType {
        &self.of.ty
    }

    pub(super) fn resolved(&self) -> DynamicType {
        self.of.ty.resolved()
    }

    /// Type and member as in IDL, as a literal.
    pub(super) fn idl(&self) -> String {
        names::literal(&self.of.idl)
    }

    /// The value to be read: of a number that may be absent the number.
    pub(super) fn read(&self) -> String {
        match self.is_nullable && !names::is_reference(self.ty()) {
            true => format!("{}.GetValueOrDefault()", self.value),
            false => self.value.clone(),
        }
    }

    /// An element of the collection, which the expression is.
    pub(super) fn element(&self, value: &str) -> Self {
        let ty = self.resolved();
        let is_nullable = ty
            .element()
            .is_some_and(|of| ty.kind() != TypeKind::Map && names::is_null_at_first(&ty, of));
        Self {
            of: size::element(&self.of, "e"),
            value: value.into(),
            is_nullable,
            is_inside: self.is_inside,
        }
    }

    /// The part that a path leads to.
    pub(super) fn at(&self, unit: &Unit<'_>, path: &str) -> Self {
        let parts = path.split('.').filter(|part| !part.is_empty());
        parts.fold(self.clone(), |place, part| place.part(unit, part))
    }

    pub(super) fn part(&self, unit: &Unit<'_>, name: &str) -> Self {
        let ty = self.resolved();
        let of = self.of.part(unit, name);
        let (value, is_nullable) = match (ty.kind(), name) {
            (TypeKind::Map, "key") => (format!("{}.Key", self.value), false),
            (TypeKind::Map, _) => (
                format!("{}.Value", self.value),
                ty.element()
                    .is_some_and(|of| names::is_null_at_first(&ty, of)),
            ),
            (TypeKind::Union, "_d") => (format!("{}.Discriminator", self.value), false),
            (TypeKind::Union, _) => {
                let property = names::property(unit, &ty, name);
                let member = match self.is_inside {
                    true => names::field(&property),
                    false => property,
                };
                let element = ty.cases().iter().find(|case| case.name() == name);
                let element = element.and_then(|case| case.element());
                (
                    format!("{}.{member}", self.value),
                    element.is_some_and(|of| names::is_null_at_first(&ty, of)),
                )
            }
            _ => self.member(unit, &ty, name),
        };
        Self {
            of,
            value,
            is_nullable,
            is_inside: self.is_inside,
        }
    }

    fn member(&self, unit: &Unit<'_>, ty: &DynamicType, name: &str) -> (String, bool) {
        // The class that has the member may be a base of this one.
        let mut holder = ty.clone();
        while !holder.own_members().iter().any(|own| own.name() == name) {
            match holder.base() {
                Some(base) => holder = base,
                None => break,
            }
        }
        let property = names::property(unit, &holder, name);
        let member = ty.member_by_name(name);
        let is_nullable = member.is_some_and(|member| names::is_nullable(ty, member));
        (format!("{}.{property}", self.value), is_nullable)
    }
}
