//! What codecs have to know of types.

use dunlin_cdr::{Extensibility, TryConstruct};
use dunlin_xtypes::{Constant, DynamicType, Element, Member, TypeIndex, TypeKind};

use crate::emit::shape::is_endless;
pub(super) use crate::plan::range::default_of;

/// The bytes that each value takes at least, in each encoding. Not all parts of large types are
/// looked at.
pub(super) fn least(ty: &DynamicType, depth: usize) -> u64 {
    let ty = ty.resolved();
    if let Some(size) = ty.number_size() {
        return size as u64;
    }
    let of = |element: Element| match element.is_external || depth > 2 {
        true => 0,
        false => least(&ty.at(element.ty), depth + 1),
    };
    let all = match ty.kind() {
        TypeKind::String8 => 5,
        TypeKind::Array => {
            let one = ty.element().map_or(0, of);
            one.saturating_mul(ty.length() as u64)
        }
        TypeKind::Structure => {
            let members = ty
                .members()
                .take(32)
                .map(|member| match member.is_optional() {
                    true => 1,
                    false => of(member.element()),
                });
            members.fold(0, u64::saturating_add)
        }
        TypeKind::Union => ty.discriminator().map_or(0, of),
        _ => 4,
    };
    let is_compound = matches!(ty.kind(), TypeKind::Structure | TypeKind::Union);
    match ty.extensibility() {
        Extensibility::Mutable => 4,
        Extensibility::Appendable if is_compound => all.min(4),
        _ => all.min(1 << 30),
    }
}

/// About the memory that an element takes.
pub(super) fn cost(ty: &DynamicType, depth: usize) -> u64 {
    let ty = ty.resolved();
    let of = |element: Element| match depth > 3 {
        true => 16,
        false => cost(&ty.at(element.ty), depth + 1),
    };
    let all = match ty.kind() {
        TypeKind::Array => {
            let one = ty.element().map_or(0, of);
            one.saturating_mul(ty.length() as u64).saturating_add(16)
        }
        TypeKind::Structure => {
            let members = ty.members().map(|member| match member.is_optional() {
                true => 4,
                false => of(member.element()),
            });
            members.fold(16, u64::saturating_add)
        }
        TypeKind::Union => 32,
        _ => ty.number_size().map_or(24, |size| size as u64),
    };
    all.min(1 << 30)
}

/// Whether the key of a value is less than the value.
pub(super) fn has_part(ty: &DynamicType) -> bool {
    fn look(ty: &DynamicType, seen: &mut Vec<TypeIndex>) -> bool {
        let ty = ty.resolved();
        if ty.kind() != TypeKind::Structure || seen.contains(&ty.index()) {
            return false;
        }
        seen.push(ty.index());
        if ty.has_key() {
            return true;
        }
        let is_flat = ty.extensibility() != Extensibility::Mutable;
        // What is optional has another header as a part of a key.
        ty.members().any(|member| match member.is_optional() {
            true => is_flat,
            false => look(&ty.at(member.element().ty), seen),
        })
    }
    look(ty, &mut Vec::new())
}

/// A member, or what is like one.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) ty: DynamicType,
    pub(super) try_construct: TryConstruct,
    pub(super) is_external: bool,
    pub(super) is_optional: bool,
    pub(super) default: Option<Constant>,
    /// Type and member as in IDL.
    pub(super) idl: String,
}

impl Held {
    pub(super) fn new(of: &DynamicType, element: Element, idl: String) -> Self {
        let ty = of.at(element.ty);
        Self {
            default: default_of(None, &ty),
            ty,
            try_construct: element.try_construct,
            is_external: element.is_external,
            is_optional: false,
            idl,
        }
    }

    pub(super) fn member(of: &DynamicType, member: &Member) -> Self {
        let idl = format!("{}.{}", of.name(), member.name());
        let held = Self::new(of, member.element(), idl);
        Self {
            default: match member.is_optional() {
                true => None,
                false => default_of(member.annotations(), &held.ty),
            },
            is_optional: member.is_optional(),
            ..held
        }
    }

    /// The element of a collection that this is.
    pub(super) fn element(&self) -> Option<Self> {
        let ty = self.ty.resolved();
        Some(Self::new(&ty, ty.element()?, self.idl.clone()))
    }

    /// The key of a map that this is.
    pub(super) fn key(&self) -> Option<Self> {
        let ty = self.ty.resolved();
        Some(Self::new(&ty, ty.key_element()?, self.idl.clone()))
    }

    /// Whether it begins as null.
    pub(super) fn is_null(&self) -> bool {
        self.is_optional || self.is_external && is_endless(&self.ty)
    }

    pub(super) fn is_trimmed(&self) -> bool {
        self.try_construct == TryConstruct::Trim
    }

    /// Whether it has a DHEADER as a collection, in XCDR2.
    pub(super) fn is_delimited(&self) -> bool {
        let ty = self.ty.resolved();
        let is_apart = |of: Option<Element>| of.is_some_and(|of| !ty.at(of.ty).is_primitive());
        is_apart(ty.element()) || is_apart(ty.key_element())
    }
}
