//! Which numbers lie in memory as they lie on the wire.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::names;
use super::super::place::{Held, Place};
use crate::emit::Unit;
use crate::plan::Field;

/// Whether all bits of a number are a value, in memory as on the wire.
pub(super) fn is_raw(ty: &DynamicType) -> bool {
    !matches!(
        ty.resolved().kind(),
        TypeKind::Boolean | TypeKind::Enumeration | TypeKind::Bitmask | TypeKind::Bitset
    )
}

/// Size and alignment as C lays numbers out, on most machines. The code that is made asks the
/// compiler for what is so.
fn layout(ty: &DynamicType) -> Option<(u64, u64)> {
    let ty = ty.resolved();
    match ty.kind() {
        TypeKind::Float128 => Some((16, 1)),
        TypeKind::Enumeration => Some((4, 4)),
        TypeKind::Bitset => {
            let holders = ty.fields().iter().map(|field| {
                let size = field.holder().size()? as u64;
                Some((size, size))
            });
            sum(holders)
        }
        TypeKind::Array => {
            let of = ty.element().filter(|of| !of.is_external)?;
            let (size, align) = layout(&ty.at(of.ty))?;
            Some((size.checked_mul(ty.length() as u64)?, align))
        }
        TypeKind::Structure => {
            let members = ty.members().map(|member| held(&ty, Held::member(member)));
            sum(members)
        }
        _ => {
            let size = ty.number_size()? as u64;
            Some((size, size))
        }
    }
}

fn held(ty: &DynamicType, held: Held) -> Option<(u64, u64)> {
    match held.is_pointer {
        true => None,
        false => layout(&ty.at(held.element.ty)),
    }
}

fn sum(parts: impl Iterator<Item = Option<(u64, u64)>>) -> Option<(u64, u64)> {
    let (mut at, mut widest) = (0_u64, 1_u64);
    for part in parts {
        let (size, align) = part?;
        at = at.next_multiple_of(align).checked_add(size)?;
        widest = widest.max(align);
    }
    Some((at.next_multiple_of(widest), widest))
}

/// Fields of a run, one behind the other, that are one piece of memory.
pub(super) struct Piece<'f> {
    pub(super) fields: Vec<&'f Field>,
    pub(super) size: u64,
    /// What has to be so in memory.
    pub(super) conditions: Vec<String>,
}

/// The fields in pieces; one that cannot be copied is alone.
pub(super) fn pieces<'f>(unit: &Unit<'_>, root: &Place, fields: &'f [Field]) -> Vec<Piece<'f>> {
    let mut all: Vec<Piece<'f>> = Vec::new();
    for field in fields {
        let size = field.size * field.count;
        let joined = all
            .last_mut()
            .is_some_and(|last| join(unit, root, last, field));
        match joined {
            true => {}
            false => all.push(Piece {
                fields: vec![field],
                size,
                conditions: Vec::new(),
            }),
        }
    }
    all
}

fn join<'f>(unit: &Unit<'_>, root: &Place, piece: &mut Piece<'f>, field: &'f Field) -> bool {
    let Some(first) = piece.fields.first().copied() else {
        return false;
    };
    let raw = |one: &Field| root.ty.tree().get(one.ty).is_some_and(|ty| is_raw(&ty));
    let ends = first.at + piece.size == field.at;
    if !is_offset_known(unit, &root.ty) || !ends || !raw(first) || !raw(field) {
        return false;
    }
    let (Some(begin), Some(at)) = (offset(&root.ty, &first.path), offset(&root.ty, &field.path))
    else {
        return false;
    };
    if at.checked_sub(begin) != Some(field.at - first.at) {
        return false;
    }
    let ty = names::global(unit, root.ty.resolved().name());
    let (one, other) = (
        member(unit, root, &first.path),
        member(unit, root, &field.path),
    );
    let distance = field.at - first.at;
    piece.conditions.push(format!(
        "offsetof({ty}, {other}) == offsetof({ty}, {one}) + {distance}"
    ));
    piece.size = distance + field.size * field.count;
    piece.fields.push(field);
    true
}

/// A path as `offsetof` takes it.
pub(super) fn member(unit: &Unit<'_>, root: &Place, path: &str) -> String {
    let inner = Place::root(unit, root.ty.clone(), "x").at(unit, path).value;
    inner.strip_prefix("x->").unwrap_or(&inner).to_string()
}

/// Where a part of a struct is in it, if all up to there are numbers.
fn offset(ty: &DynamicType, path: &str) -> Option<u64> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let ty = ty.resolved();
    if ty.kind() != TypeKind::Structure || path.is_empty() {
        return path.is_empty().then_some(0);
    }
    // The distance between two parts is that between them; what is in front is taken as nothing
    // unless it is a number, and that is the same for both.
    let mut at = 0_u64;
    let mut chain = vec![ty.clone()];
    while let Some(base) = chain.last().and_then(DynamicType::base) {
        chain.push(base);
    }
    for level in chain.iter().rev() {
        for own in level.own_members() {
            let part = held(&ty, Held::member(own));
            // What is of unknown size counts as nothing that is aligned to 8.
            let (size, align) = part.unwrap_or((0, 8));
            at = at.next_multiple_of(align);
            if own.name() == first {
                // What is behind a pointer is no part of the memory.
                if Held::member(own).is_pointer && !rest.is_empty() {
                    return None;
                }
                return at.checked_add(offset(&ty.at(own.element().ty), rest)?);
            }
            at = at.checked_add(size)?;
        }
        // What is derived begins behind all of its base.
        let whole = level.index() != ty.index();
        if whole {
            let (_, align) = layout(level).unwrap_or((0, 8));
            at = at.next_multiple_of(align);
        }
    }
    None
}

/// What has to be so if an element in memory is its only run, whole; `None` if it is not.
pub(super) fn copied(
    unit: &Unit<'_>,
    root: &Place,
    fields: &[Field],
    stride: u64,
) -> Option<Vec<String>> {
    if root.pointer.is_some() {
        return None;
    }
    let ty = root.ty.resolved();
    let is_raw = fields.iter().all(|field| is_raw(&root.ty.at(field.ty)));
    if let [field] = fields
        && field.path.is_empty()
    {
        return is_raw.then(Vec::new);
    }
    if !is_raw || ty.kind() != TypeKind::Structure || !is_offset_known(unit, &ty) {
        return None;
    }
    let all = pieces(unit, root, fields);
    let [piece] = all.as_slice() else { return None };
    let first = piece.fields.first()?;
    if piece.size != stride || first.at != 0 {
        return None;
    }
    let name = names::global(unit, ty.name());
    let mut conditions = piece.conditions.clone();
    conditions.push(format!(
        "offsetof({name}, {}) == 0",
        member(unit, root, &first.path)
    ));
    conditions.push(format!("sizeof({name}) == {stride}"));
    Some(conditions)
}

/// Whether `offsetof` may be asked: in C++98 of structs that could be those of C.
fn is_offset_known(unit: &Unit<'_>, ty: &DynamicType) -> bool {
    let ty = ty.resolved();
    let of = |held: Held| !held.is_pointer && is_offset_known(unit, &ty.at(held.element.ty));
    match ty.kind() {
        _ if !names::has_classes(unit) => true,
        TypeKind::Structure => {
            let mut members = ty.own_members().iter().map(Held::member);
            ty.base().is_none() && members.all(of)
        }
        TypeKind::Array => ty.element().map(Held::element).is_some_and(of),
        _ => ty.number_size().is_some(),
    }
}

/// What has to be true when the file is compiled, of a type whose memory is its encoding.
pub(in super::super) fn assertions(unit: &Unit<'_>, ty: &DynamicType) -> Vec<String> {
    let name = names::global(unit, ty.name());
    if !is_offset_known(unit, ty) {
        return Vec::new();
    }
    let root = Place::root(unit, ty.clone(), "x");
    let mut at = 0;
    let members = ty.members().map(|own| {
        let line = format!(
            "offsetof({name}, {}) == {at}",
            member(unit, &root, own.name())
        );
        at += layout(&ty.at(own.element().ty)).map_or(0, |of| of.0);
        line
    });
    let mut all: Vec<String> = members.collect();
    all.push(format!("sizeof({name}) == {at}"));
    let all = all.iter().enumerate();
    all.map(|(at, one)| format!("typedef char {name}_is_plain_{at}[({one}) ? 1 : -1];"))
        .collect()
}
