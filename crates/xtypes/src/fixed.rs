//! Where values are that have the same place in every payload of their type.

use dunlin_cdr::{Extensibility, Xcdr};

use crate::tree::{Element, Node, Structure, length};
use crate::{TypeIndex, TypeTree, limits};

/// Types within types that are looked at before a place counts as not fixed.
const PARTS: usize = 1 << 14;
/// The last place that is remembered as fixed.
const FARTHEST: usize = 1 << 24;

/// Adds up the lengths of values that all have the same one.
pub(crate) struct Offsets<'t> {
    tree: &'t TypeTree,
    xcdr: Xcdr,
    parts: usize,
}

impl<'t> Offsets<'t> {
    pub(crate) fn new(tree: &'t TypeTree, xcdr: Xcdr) -> Self {
        Self {
            tree,
            xcdr,
            parts: PARTS,
        }
    }

    fn aligned(&self, at: usize, size: usize) -> usize {
        at.next_multiple_of(size.min(self.xcdr.max_align()).max(1))
    }

    /// Where a number that comes behind `at` begins.
    pub(crate) fn number(&self, at: usize, index: TypeIndex) -> Option<usize> {
        match self.tree.facts(index).size {
            0 => None,
            size => Some(self.aligned(at, size.into())),
        }
    }

    /// Where a value ends that comes behind `at`; `None` if that is not always the same.
    pub(crate) fn end(&mut self, at: usize, element: Element) -> Option<usize> {
        self.parts = self.parts.checked_sub(1)?;
        if element.is_external || at > FARTHEST {
            return None;
        }
        let facts = self.tree.facts(element.ty);
        if facts.size > 0 {
            let size = usize::from(facts.size);
            return Some(self.aligned(at, size).saturating_add(size));
        }
        match self.tree.resolved(element.ty) {
            Node::Array {
                element,
                dimensions,
            } => self.element(at, *element, length(dimensions)),
            Node::Structure(of) if self.is_open(of) => self.members(at, of, None),
            _ => None,
        }
    }

    /// Whether the members follow without a header.
    pub(crate) fn is_open(&self, of: &Structure) -> bool {
        match of.extensibility {
            Extensibility::Final => true,
            Extensibility::Appendable => self.xcdr == Xcdr::V1,
            Extensibility::Mutable => false,
        }
    }

    /// Where the element of this index of an array begins, or the padding before it.
    pub(crate) fn element(&mut self, at: usize, element: Element, index: usize) -> Option<usize> {
        let facts = self.tree.facts(element.ty);
        // There is a DHEADER, which may say otherwise.
        if self.xcdr == Xcdr::V2 && !facts.is_primitive {
            return None;
        }
        if facts.size > 0 {
            let size = usize::from(facts.size);
            let at = self.aligned(at, size);
            return at.checked_add(size.checked_mul(index)?);
        }
        let mut at = at;
        for _ in 0..index {
            at = self.end(at, element)?;
        }
        Some(at)
    }

    /// Where the member of this id begins, or the padding before it; the end of the structure if
    /// none is asked for.
    pub(crate) fn members(&mut self, at: usize, of: &Structure, id: Option<u32>) -> Option<usize> {
        let mut at = at;
        for member in self.tree.members(of) {
            if id == Some(member.id) {
                return Some(at).filter(|_| !member.is_optional);
            }
            if member.is_optional {
                return None;
            }
            at = self.end(at, member.element)?;
        }
        Some(at).filter(|_| id.is_none())
    }
}

/// To what the first byte of a value is aligned.
pub(crate) fn alignment(tree: &TypeTree, index: TypeIndex, xcdr: Xcdr) -> usize {
    let mut index = index;
    for _ in 0..limits::DEPTH {
        let facts = tree.facts(index);
        if facts.size > 0 {
            return usize::from(facts.size).min(xcdr.max_align());
        }
        let has_header = |extensibility| match extensibility {
            Extensibility::Final => false,
            Extensibility::Appendable => xcdr == Xcdr::V2,
            Extensibility::Mutable => true,
        };
        index = match tree.resolved(index) {
            Node::Array { element, .. } if xcdr == Xcdr::V1 || tree.is_primitive(*element) => {
                element.ty
            }
            Node::Structure(of) if !has_header(of.extensibility) => {
                let mut members = tree.members(of);
                let first =
                    members.find(|m| m.is_optional || !tree.facts(m.element.ty).is_empty(xcdr));
                match first {
                    Some(member) if member.is_optional && xcdr == Xcdr::V2 => return 1,
                    Some(member) if member.is_optional => return 4,
                    Some(member) => member.element.ty,
                    None => return 1,
                }
            }
            Node::Union(of) if !has_header(of.extensibility) => of.discriminator.ty,
            _ => return 4,
        };
    }
    1
}

/// Where the value begins and how far it may go, behind the header of a payload of this
/// representation; `None` if the members of the outermost type have headers. XCDR2 writes a DHEADER
/// before an appendable one, and vendors do not agree which types those are.
#[inline]
pub(crate) fn content(id: u16, body: &[u8], is_mutable: bool) -> Option<(Xcdr, usize, &[u8])> {
    if is_mutable {
        return None;
    }
    match id {
        0x00 | 0x01 => Some((Xcdr::V1, 0, body)),
        0x06 | 0x07 => Some((Xcdr::V2, 0, body)),
        0x08 | 0x09 => {
            let length = *body.first_chunk::<4>()?;
            let length = match id & 1 {
                0 => u32::from_be_bytes(length),
                _ => u32::from_le_bytes(length),
            };
            let end = (length as usize).checked_add(4)?;
            Some((Xcdr::V2, 4, body.get(..end)?))
        }
        _ => None,
    }
}
