//! Types whose memory is their encoding.

use std::collections::BTreeMap;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, TypeIndex, TypeKind};

use super::Form;

pub(super) fn is_plain(ty: &DynamicType, form: Form) -> bool {
    let ty = ty.resolved();
    let mut layouts = Layouts {
        form,
        known: BTreeMap::new(),
    };
    ty.kind() == TypeKind::Structure
        && ty.extensibility() != Extensibility::Mutable
        && layouts.members(&ty).is_some()
}

/// The size and alignment of a value in memory, if it is as on the wire.
type Layout = Option<(u64, u64)>;

struct Layouts {
    form: Form,
    /// A type may be used in very many places.
    known: BTreeMap<TypeIndex, Layout>,
}

impl Layouts {
    fn part(&mut self, ty: &DynamicType, element: Element) -> Layout {
        if element.is_external {
            return None;
        }
        let ty = ty.at(element.ty).resolved();
        if let Some(known) = self.known.get(&ty.index()) {
            return *known;
        }
        let found = self.layout(&ty);
        self.known.insert(ty.index(), found);
        found
    }

    fn layout(&mut self, ty: &DynamicType) -> Layout {
        let has_headers = self.form != Form::Xcdr1;
        match ty.kind() {
            // Not all bits are a value, or memory is not the same in all languages.
            TypeKind::Boolean
            | TypeKind::Float128
            | TypeKind::Enumeration
            | TypeKind::Bitmask
            | TypeKind::Bitset => None,
            TypeKind::Array => {
                let element = ty.element()?;
                if has_headers && !ty.at(element.ty).is_primitive() {
                    return None;
                }
                let (size, align) = self.part(ty, element)?;
                Some((size.checked_mul(ty.length() as u64)?, align))
            }
            TypeKind::Structure => match ty.extensibility() {
                Extensibility::Mutable => None,
                Extensibility::Appendable if has_headers => None,
                _ => self.members(ty),
            },
            _ => {
                let size = ty.number_size()? as u64;
                Some((size, size))
            }
        }
    }

    /// The members of a structure, without a header in front.
    fn members(&mut self, ty: &DynamicType) -> Layout {
        let (mut at, mut widest) = (0_u64, 1_u64);
        for member in ty.members() {
            if member.is_optional() {
                return None;
            }
            let (size, align) = self.part(ty, member.element())?;
            if at % align != 0 {
                return None;
            }
            at = at.checked_add(size)?;
            widest = widest.max(align);
        }
        (at > 0 && at % widest == 0).then_some((at, widest))
    }
}
