//! Which structs are written as part of the struct around them.

use std::collections::BTreeMap;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, TypeIndex, TypeKind};

use crate::plan::{Form, Part};

/// A struct with more fields is a routine of its own: code does not grow with the places where a
/// type is used.
const FIELDS: usize = 64;

/// How many fields types have, by what was asked before.
#[derive(Default)]
pub(super) struct Inline {
    known: BTreeMap<(TypeIndex, Form, Part), Option<usize>>,
}

impl Inline {
    /// Whether a struct has few members, all of them of a fixed size.
    pub(super) fn allows(&mut self, ty: &DynamicType, form: Form, part: Part) -> bool {
        self.fields(ty, form, part).is_some()
    }

    /// `None` if they are too many, or of no fixed size. Types are as deep by value as
    /// `dunlin_xtypes` allows.
    fn fields(&mut self, ty: &DynamicType, form: Form, part: Part) -> Option<usize> {
        let ty = ty.resolved();
        if ty.number_size().is_some() {
            return Some(1);
        }
        let id = (ty.index(), form, part);
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let mut of = |element: Element, part: Part| match element.is_external {
            true => None,
            false => self.fields(&ty.at(element.ty), form, part),
        };
        let found = match ty.kind() {
            TypeKind::Array => ty.element().and_then(|element| of(element, Part::Whole)),
            TypeKind::Structure
                if form == Form::KeyHash || ty.extensibility() != Extensibility::Mutable =>
            {
                let is_wanted = |is_key: bool| part == Part::Whole || !ty.has_key() || is_key;
                let mut members = ty.members().filter(|member| is_wanted(member.is_key()));
                members.try_fold(0_usize, |sum, member| match member.is_optional() {
                    true => None,
                    false => Some(sum + of(member.element(), part)?).filter(|sum| *sum <= FIELDS),
                })
            }
            _ => None,
        };
        self.known.insert(id, found);
        found
    }
}
