//! From assignments to what becomes of each member.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::fit::{Bits, Moment, Way, constant, way};
use super::{Assignment, Mapping, MappingError, Origin, Part};
use crate::tree::{Element, Node};
use crate::{DynamicType, KeyPlan, Member, MemberPath, TypeKind, limits};

/// Values that a sample may have that come from no other one. This bounds what a small type of a
/// stranger can make of each sample.
const PARTS: usize = 65_536;
/// What it costs of these to compare two types that are no numbers.
const COMPARED: usize = 16;
/// Defaults that may turn out to be too large.
const FAILED: usize = 64;

/// An assignment, what is left of the way to its target, and which one it is.
#[derive(Clone, Copy)]
struct Open<'a> {
    rest: &'a [u32],
    origin: &'a Origin,
    at: usize,
}

struct Compiler<'a> {
    from: &'a DynamicType,
    parts: usize,
    failed: usize,
    tells_time: bool,
}

/// Where in both types the compiler is.
struct Place<'a> {
    /// A structure of the type that is read, if there is one like it.
    from: Option<DynamicType>,
    /// The names that lead to both.
    path: &'a str,
    depth: usize,
}

pub(super) fn compile(
    from: &DynamicType,
    to: &DynamicType,
    assignments: &[Assignment],
) -> Result<Mapping, MappingError> {
    for ty in [from, to] {
        if ty.kind() != TypeKind::Structure {
            return Err(MappingError::NoStructure { ty: ty.words() });
        }
    }
    let mut ways = Vec::new();
    for (at, assignment) in assignments.iter().enumerate() {
        let ids = assignment.target.member_ids();
        ways.push(ids.map_err(|whole| MappingError::Part {
            at,
            whole: whole.words(),
        })?);
    }
    let open: Vec<Open<'_>> = ways
        .iter()
        .zip(assignments)
        .enumerate()
        .map(|(at, (ids, assignment))| Open {
            rest: ids,
            origin: &assignment.origin,
            at,
        })
        .collect();
    let mut compiler = Compiler {
        from,
        parts: PARTS,
        failed: 0,
        tells_time: false,
    };
    let place = Place {
        from: Some(from.clone()),
        path: "",
        depth: 0,
    };
    let parts = compiler.structure(to, &place, &open)?;
    let keys = KeyPlan::new(from);
    let maps_keys = keys.has_key() && to.has_key() && tells_key(to, &parts);
    Ok(Mapping {
        from: from.clone(),
        to: to.clone(),
        parts,
        keys,
        maps_keys,
        tells_time: compiler.tells_time,
    })
}

impl Compiler<'_> {
    fn structure(
        &mut self,
        to: &DynamicType,
        place: &Place<'_>,
        open: &[Open<'_>],
    ) -> Result<Vec<Part>, MappingError> {
        let mut parts = Vec::new();
        for member in to.members() {
            let own: Vec<Open<'_>> = open
                .iter()
                .filter(|one| one.rest.first() == Some(&member.id()))
                .map(|one| Open {
                    rest: one.rest.get(1..).unwrap_or_default(),
                    ..*one
                })
                .collect();
            parts.push(self.member(to, member, place, &own)?);
        }
        Ok(parts)
    }

    fn member(
        &mut self,
        of: &DynamicType,
        member: &Member,
        place: &Place<'_>,
        open: &[Open<'_>],
    ) -> Result<Part, MappingError> {
        let to = of.at(member.element().ty).resolved();
        let path = match place.path {
            "" => member.name().to_string(),
            path => format!("{path}.{}", member.name()),
        };
        let like = place.from.as_ref().and_then(|from| {
            let like = from.member_by_name(member.name())?;
            Some(from.at(like.element().ty).resolved())
        });
        if let Some(whole) = open.iter().find(|one| one.rest.is_empty()) {
            if open.len() > 1 {
                let at = open.iter().map(|one| one.at).max();
                return Err(MappingError::Twice {
                    at: at.unwrap_or(whole.at),
                });
            }
            return self.assigned(of, member, &to, whole);
        }
        let is_nested = !open.is_empty();
        if let Some(like) = like.as_ref().filter(|_| !is_nested) {
            if to.number_size().is_none() {
                self.take(COMPARED, of, member)?;
            }
            let copied = way(like, &to).zip(MemberPath::new(self.from, &path).ok());
            if let Some((way, from)) = copied {
                return Ok(self.copied(of, member, from, way));
            }
        }
        let is_structure = |ty: &DynamicType| ty.kind() == TypeKind::Structure;
        let both = is_structure(&to) && like.as_ref().is_some_and(is_structure);
        let deeper = place.depth < limits::DEPTH;
        if deeper && (is_nested || both && !member.is_optional()) {
            self.take(1, of, member)?;
            let place = Place {
                from: like.filter(is_structure),
                path: &path,
                depth: place.depth + 1,
            };
            return Ok(Part::Members(self.structure(&to, &place, open)?));
        }
        if let (Some(like), Some(from)) = (like, &place.from) {
            return Err(MappingError::Unlike {
                member: path,
                from: like.words(),
                from_type: from.words(),
                to: to.words(),
                to_type: of.words(),
            });
        }
        self.default_of(of, member)
    }

    fn assigned(
        &mut self,
        of: &DynamicType,
        member: &Member,
        to: &DynamicType,
        open: &Open<'_>,
    ) -> Result<Part, MappingError> {
        let at = open.at;
        match open.origin {
            Origin::Member(from) => match way(from.target(), to) {
                Some(way) => Ok(self.copied(of, member, from.clone(), way)),
                None => Err(MappingError::Misfit {
                    at,
                    from: from.target().words(),
                    to: to.words(),
                }),
            },
            Origin::Constant(value) => {
                constant(value, to).ok_or_else(|| MappingError::Constant { at, to: to.words() })
            }
            Origin::Now => {
                self.tells_time = true;
                now(to).ok_or_else(|| MappingError::NoTime { at, to: to.words() })
            }
        }
    }

    fn copied(&mut self, of: &DynamicType, member: &Member, from: MemberPath, way: Way) -> Part {
        Part::Copied {
            from,
            way,
            otherwise: self.default_of(of, member).ok().map(Box::new),
        }
    }

    /// Counts what is made, which has an end.
    fn take(
        &mut self,
        count: usize,
        of: &DynamicType,
        member: &Member,
    ) -> Result<(), MappingError> {
        match self.parts.checked_sub(count) {
            Some(left) => self.parts = left,
            None => {
                return Err(MappingError::NoDefault {
                    member: member.name().to_string(),
                    ty: of.words(),
                });
            }
        }
        Ok(())
    }

    /// What a member is of which a sender says nothing (DDS-XTypes 1.3 7.2.2.4.4.4.7).
    fn default_of(&mut self, of: &DynamicType, member: &Member) -> Result<Part, MappingError> {
        if member.is_optional() {
            return Ok(Part::Absent);
        }
        let ty = of.at(member.element().ty).resolved();
        let said = member.annotations().and_then(|all| all.default.as_ref());
        if let Some(part) = said.and_then(|value| constant(value, &ty)) {
            return Ok(part);
        }
        // What comes first must not use up what the others need.
        let mut left = self.parts;
        let made = match self.failed < FAILED {
            true => default(&ty, &mut left, 0),
            false => None,
        };
        match made {
            Some(part) => {
                self.parts = left;
                Ok(part)
            }
            None => {
                self.failed += 1;
                Err(MappingError::NoDefault {
                    member: member.name().to_string(),
                    ty: of.words(),
                })
            }
        }
    }
}

/// The time as a value of this type.
fn now(to: &DynamicType) -> Option<Part> {
    if to.kind() != TypeKind::Structure {
        return Moment::of(to).map(Part::Now);
    }
    // Seconds and nanoseconds.
    let mut members = to.members();
    let (seconds, nanoseconds) = (members.next()?, members.next()?);
    let kind = |member: &Member| to.at(member.element().ty).resolved().kind();
    let is_whole = members.next().is_none();
    let fits = is_whole
        && matches!(kind(seconds), TypeKind::Int32 | TypeKind::UInt32)
        && matches!(kind(nanoseconds), TypeKind::Int32 | TypeKind::UInt32);
    let seconds = Moment::Seconds {
        is_signed: kind(seconds) == TypeKind::Int32,
    };
    fits.then(|| Part::Members([Part::Now(seconds), Part::Now(Moment::Fraction)].into()))
}

/// The default of a type; `None` if it has too many parts.
fn default(ty: &DynamicType, left: &mut usize, depth: usize) -> Option<Part> {
    *left = left.checked_sub(1)?;
    if depth > limits::DEPTH {
        return None;
    }
    if let Some(size) = ty.number_size() {
        let number = ty.default_literal().map_or(0, |literal| literal.value());
        return Some(Part::Bits(Bits::new(number as u128, size)));
    }
    let tree = ty.tree();
    let of = |element: Element| ty.at(element.ty).resolved();
    Some(match ty.node() {
        Node::String8 { .. } => Part::Text(Box::default()),
        Node::String16 { .. } => Part::Nothing { is_bare: true },
        Node::Sequence { element, .. } => Part::Nothing {
            is_bare: tree.is_primitive(*element),
        },
        Node::Map { key, value, .. } => Part::Nothing {
            is_bare: tree.is_primitive(*key) && tree.is_primitive(*value),
        },
        Node::Array { element, .. } => {
            let before = *left;
            let part = default(&of(*element), left, depth + 1)?;
            let count = ty.length();
            let each = before - *left;
            *left = before.checked_sub(count.checked_mul(each)?)?;
            Part::Repeated(count, Box::new(part))
        }
        Node::Structure(_) => {
            let mut parts = Vec::new();
            for member in ty.members() {
                let said = member.annotations().and_then(|all| all.default.as_ref());
                let inner = of(member.element());
                let said = said.and_then(|value| constant(value, &inner));
                parts.push(match (member.is_optional(), said) {
                    (true, _) => Part::Absent,
                    (false, Some(part)) => part,
                    (false, None) => default(&inner, left, depth + 1)?,
                });
            }
            Part::Members(parts)
        }
        Node::Union(union) => {
            let selector = of(union.discriminator);
            let number = selector.default_literal().map_or(0, |l| l.value());
            let case = match ty.select(number.into()) {
                Some(case) => match case.element() {
                    Some(element) => {
                        let part = default(&of(element), left, depth + 1)?;
                        Some((case.id(), element, Box::new(part)))
                    }
                    None => None,
                },
                None => None,
            };
            Part::Case(Bits::new(number as u128, selector.number_size()?), case)
        }
        _ => return None,
    })
}

/// Whether the keys of a structure are made of keys, or always the same.
fn tells_key(to: &DynamicType, parts: &[Part]) -> bool {
    let marked = to.has_key();
    let mut keys = to.members().zip(parts);
    keys.all(|(member, part)| {
        if marked && !member.is_key() {
            return true;
        }
        match part {
            Part::Copied { from, .. } => from.is_key(),
            Part::Now(_) => false,
            Part::Members(parts) => {
                let inner = to.at(member.element().ty).resolved();
                tells_key(&inner, parts)
            }
            _ => true,
        }
    })
}

impl MemberPath {
    /// The ids of the members on the way.
    ///
    /// # Errors
    /// What lies on the way that has no members.
    fn member_ids(&self) -> Result<Vec<u32>, DynamicType> {
        self.ids().map_err(|at| self.target().at(at))
    }
}
