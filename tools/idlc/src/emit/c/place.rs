//! Where the parts of a value are that the paths of a plan lead to.

use dunlin_xtypes::{Constant, DynamicType, Element, Member, TryConstruct, TypeKind};

use super::names;
use crate::emit::Unit;

/// A part of a value.
#[derive(Clone, Debug)]
pub(in crate::emit) struct Place {
    /// The part as an expression that can be assigned to; empty for languages that have their own.
    pub(in crate::emit) value: String,
    /// The pointer to it, if it is held by one.
    pub(in crate::emit) pointer: Option<String>,
    pub(in crate::emit) ty: DynamicType,
    pub(in crate::emit) try_construct: TryConstruct,
    /// What `@default` says.
    pub(in crate::emit) default: Option<Constant>,
    /// Type and member as in IDL.
    pub(in crate::emit) idl: String,
    /// It may be absent.
    pub(in crate::emit) is_optional: bool,
    /// It is the first member of a struct, or all of a value.
    pub(in crate::emit) is_first: bool,
    /// [`names::has_classes`] of the language.
    pub(in crate::emit) has_classes: bool,
}

/// What is held, and how.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Held {
    pub(in crate::emit) element: Element,
    pub(in crate::emit) is_pointer: bool,
}

impl Held {
    pub(in crate::emit) fn member(member: &Member) -> Self {
        let element = member.element();
        Self {
            element,
            is_pointer: element.is_external || member.is_optional(),
        }
    }

    pub(in crate::emit) fn element(element: Element) -> Self {
        Self {
            element,
            is_pointer: element.is_external,
        }
    }
}

impl Place {
    /// What a pointer points to.
    pub(in crate::emit) fn root(unit: &Unit<'_>, ty: DynamicType, pointer: &str) -> Self {
        Self::pointed(names::has_classes(unit), ty, pointer)
    }

    /// A value of which no expressions are made.
    pub(in crate::emit) fn unexpressed(ty: DynamicType) -> Self {
        Self {
            value: String::new(),
            ..Self::pointed(false, ty, "")
        }
    }

    fn pointed(has_classes: bool, ty: DynamicType, pointer: &str) -> Self {
        Self {
            value: format!("(*{pointer})"),
            pointer: None,
            try_construct: TryConstruct::Discard,
            default: None,
            is_optional: false,
            idl: ty.name().to_string(),
            ty,
            is_first: true,
            has_classes,
        }
    }

    /// An element to which `pointer` points, or to the pointer to it.
    pub(in crate::emit) fn element(of: &Self, element: Element, pointer: &str) -> Self {
        let ty = of.ty.at(element.ty);
        let place = match of.value.is_empty() {
            true => Self::unexpressed(ty),
            false => Self::pointed(of.has_classes, ty, pointer),
        };
        let place = Self {
            idl: of.idl.clone(),
            ..place
        };
        Self {
            try_construct: element.try_construct,
            ..place.held(Held::element(element))
        }
    }

    /// The same behind a pointer, if it is held by one.
    pub(in crate::emit) fn held(self, held: Held) -> Self {
        if !held.is_pointer {
            return self;
        }
        let value = match self.value.is_empty() || self.is_pointer_itself() {
            true => self.value.clone(),
            false => format!("(*{})", self.value),
        };
        Self {
            pointer: Some(self.value),
            value,
            ..self
        }
    }

    /// The address of the value.
    pub(in crate::emit) fn address(&self) -> String {
        let inner = self.value.strip_prefix("(*");
        let inner = inner.and_then(|rest| rest.strip_suffix(')'));
        match inner.filter(|inner| is_word(inner)) {
            Some(pointer) => pointer.into(),
            None => format!("&{}", self.value),
        }
    }

    fn dot(&self, name: &str) -> String {
        dot(&self.value, name)
    }

    /// Whether it is a string that has memory of its own.
    pub(in crate::emit) fn is_own_text(&self) -> bool {
        let is_apart = self.has_classes || self.pointer.is_some();
        names::is_text(&self.ty) && (is_apart || !names::is_text_within(&self.ty))
    }

    /// Whether the pointer to the value is the value: a string in C.
    pub(in crate::emit) fn is_pointer_itself(&self) -> bool {
        !self.has_classes && names::is_text(&self.ty)
    }

    /// The part that a path leads to.
    pub(in crate::emit) fn at(&self, unit: &Unit<'_>, path: &str) -> Self {
        let mut parts = path.split('.').filter(|part| !part.is_empty());
        match parts.next() {
            Some(first) => parts.fold(self.part(unit, first), |place, part| place.part(unit, part)),
            None => self.clone(),
        }
    }

    pub(in crate::emit) fn part(&self, unit: &Unit<'_>, name: &str) -> Self {
        let ty = self.ty.resolved();
        let found = match ty.kind() {
            TypeKind::Structure => self.member(unit, &ty, name),
            TypeKind::Union => self.case(unit, &ty, name),
            TypeKind::Map => {
                let half = match name {
                    "key" => ty.key_element(),
                    _ => ty.element(),
                };
                half.map(|of| self.child(&ty, Held::element(of), self.dot(name), name))
            }
            _ => None,
        };
        // A plan has paths of its types only.
        found.unwrap_or_else(|| self.clone())
    }

    fn child(&self, ty: &DynamicType, held: Held, value: String, name: &str) -> Self {
        let place = Self {
            value,
            pointer: None,
            ty: ty.at(held.element.ty),
            try_construct: held.element.try_construct,
            default: None,
            is_optional: false,
            idl: [&*self.idl, ".", name].concat(),
            is_first: false,
            has_classes: self.has_classes,
        };
        place.held(held)
    }

    fn member(&self, unit: &Unit<'_>, ty: &DynamicType, name: &str) -> Option<Self> {
        let member = ty.member_by_name(name)?;
        let mut parent: Option<String> = None;
        let mut holder = ty.base().map(|_| ty.clone());
        while let Some(of) = &holder
            && !of.own_members().iter().any(|own| own.name() == name)
        {
            // Members of a base class are members.
            if !self.has_classes && !self.value.is_empty() {
                let inner = parent.as_ref().unwrap_or(&self.value);
                parent = Some(dot(inner, "parent"));
            }
            holder = of.base();
        }
        let value = match self.value.is_empty() {
            true => String::new(),
            false => dot(parent.as_ref().unwrap_or(&self.value), &unit.word(name)),
        };
        let place = self.child(ty, Held::member(member), value, name);
        let default = member.annotations().and_then(|all| all.default.clone());
        Some(Self {
            default: default.or_else(|| alias_default(&place.ty)),
            is_optional: member.is_optional(),
            is_first: ty
                .members()
                .next()
                .is_some_and(|first| first.name() == name),
            ..place
        })
    }

    fn case(&self, unit: &Unit<'_>, ty: &DynamicType, name: &str) -> Option<Self> {
        if name == "_d" {
            let element = ty.discriminator()?;
            let place = self.child(ty, Held::element(element), self.dot("_d"), name);
            let default = ty.annotations().and_then(|all| all.default.clone());
            return Some(Self {
                default,
                is_first: true,
                ..place
            });
        }
        let case = ty.cases().iter().find(|case| case.name() == name)?;
        let value = match self.value.is_empty() {
            true => String::new(),
            false => self.dot(&format!("_u.{}", unit.word(name))),
        };
        let place = self.child(ty, Held::element(case.element()?), value, name);
        let default = case.annotations().and_then(|all| all.default.clone());
        Some(Self {
            default: default.or_else(|| alias_default(&place.ty)),
            ..place
        })
    }
}

/// A part of a value.
fn dot(value: &str, name: &str) -> String {
    if value.is_empty() {
        return String::new();
    }
    let inner = value.strip_prefix("(*");
    let inner = inner.and_then(|rest| rest.strip_suffix(')'));
    match inner.filter(|inner| !inner.starts_with('*')) {
        Some(pointer) => [pointer, "->", name].concat(),
        None => [value, ".", name].concat(),
    }
}

/// `@default` of a typedef.
fn alias_default(ty: &DynamicType) -> Option<Constant> {
    let mut at = ty.clone();
    while at.kind() == TypeKind::Alias {
        if let Some(default) = at.annotations().and_then(|all| all.default.clone()) {
            return Some(default);
        }
        at = at.at(at.element()?.ty);
    }
    None
}

fn is_word(text: &str) -> bool {
    text.chars()
        .all(|one| one.is_ascii_alphanumeric() || one == '_')
}
