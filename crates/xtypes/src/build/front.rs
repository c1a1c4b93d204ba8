//! Which members of a structure, from the first one on, are numbers that always stand at the same
//! distance from each other.

use alloc::vec::Vec;

use dunlin_cdr::{Extensibility, Xcdr};

use crate::tree::{Facts, Front, Member, Node, length};
use crate::{Element, TypeKind};

/// Longest front, in bytes: anything longer takes more time for itself than for its members.
const MOST: u64 = 1 << 20;

/// Notes the fronts of all structures.
pub(super) fn find(nodes: &mut [Node], facts: &[Facts]) {
    let fronts: Vec<Front> = nodes
        .iter()
        .map(|node| match node {
            Node::Structure(of) if of.extensibility != Extensibility::Mutable => {
                front(&of.members, nodes, facts)
            }
            _ => Front::default(),
        })
        .collect();
    for (node, front) in nodes.iter_mut().zip(fronts) {
        if let Node::Structure(of) = node {
            of.front = front;
        }
    }
}

fn front(members: &[Member], nodes: &[Node], facts: &[Facts]) -> Front {
    let mut front = Front::default();
    for member in members {
        let Some((count, size)) = numbers(member, nodes, facts) else {
            break;
        };
        let mut lengths = front.lengths;
        let mut fits = true;
        for (of_version, xcdr) in lengths.iter_mut().zip([Xcdr::V1, Xcdr::V2]) {
            let align = size.min(xcdr.max_align() as u64);
            for (start, bytes) in (0_u64..).zip(of_version) {
                let begin = (start + u64::from(*bytes)).next_multiple_of(align);
                let longer = begin.saturating_add(count.saturating_mul(size)) - start;
                fits &= longer <= MOST;
                *bytes = u32::try_from(longer).unwrap_or(u32::MAX);
            }
        }
        if !fits {
            break;
        }
        front.lengths = lengths;
        front.members += 1;
    }
    match front.members {
        0 | 1 => Front::default(),
        _ => front,
    }
}

/// How many numbers a member is, and of how many bytes each; `None` if it is anything else.
fn numbers(member: &Member, nodes: &[Node], facts: &[Facts]) -> Option<(u64, u64)> {
    if member.is_optional {
        return None;
    }
    if let Some(size) = any_number(member.element, nodes, facts) {
        return Some((1, size));
    }
    let resolved = of(member.element, facts)?.resolved;
    match nodes.get(resolved as usize)? {
        Node::Array {
            element,
            dimensions,
        } if !member.element.is_external && length(dimensions) > 0 => {
            let count = u64::try_from(length(dimensions)).ok()?;
            Some((count, any_number(*element, nodes, facts)?))
        }
        _ => None,
    }
}

/// Bytes of a number that has no wrong values.
fn any_number(element: Element, nodes: &[Node], facts: &[Facts]) -> Option<u64> {
    let of = of(element, facts).filter(|of| of.size > 0 && !element.is_external)?;
    match nodes.get(of.resolved as usize)? {
        Node::Primitive(kind) if *kind != TypeKind::Boolean => Some(of.size.into()),
        _ => None,
    }
}

fn of(element: Element, facts: &[Facts]) -> Option<Facts> {
    facts.get(element.ty.0 as usize).copied()
}
