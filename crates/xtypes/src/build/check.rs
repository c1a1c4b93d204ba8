//! What a tree has to be, so that nothing that reads it need ask again.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use crate::tree::{Bitmask, Bitset, Enumeration, Node, Structure, Union};
use crate::{BuildError, Element, TypeIndex, TypeKind, TypeTree, limits};

/// The name of a type in an error.
pub(super) fn name(node: &Node) -> &str {
    match node {
        Node::Alias(of) => &of.name,
        Node::Enumeration(of) => &of.name,
        Node::Bitmask(of) => &of.name,
        Node::Bitset(of) => &of.name,
        Node::Structure(of) => &of.name,
        Node::Union(of) => &of.name,
        Node::Declared(name) => name,
        Node::Primitive(kind) => kind.name(),
        Node::String8 { .. } => "string",
        Node::String16 { .. } => "wstring",
        Node::Sequence { .. } => "sequence",
        Node::Array { .. } => "array",
        Node::Map { .. } => "map",
    }
}

/// Each index leads to a type that is defined.
pub(super) fn indexes(nodes: &[Node], root: TypeIndex) -> Result<(), BuildError> {
    let check = |ty: &str, index: TypeIndex| match nodes.get(index.0 as usize) {
        Some(Node::Declared(name)) => Err(BuildError::Undefined {
            ty: name.to_string(),
        }),
        Some(_) => Ok(()),
        None => Err(BuildError::Index {
            ty: ty.into(),
            index: index.0,
            nodes: nodes.len(),
        }),
    };
    check("the root", root)?;
    for node in nodes {
        let ty = name(node);
        let check = |element: Element| check(ty, element.ty);
        match node {
            Node::Sequence { element, .. } | Node::Array { element, .. } => check(*element)?,
            Node::Map { key, value, .. } => {
                check(*key)?;
                check(*value)?;
            }
            Node::Alias(of) => check(of.element)?,
            Node::Structure(of) => {
                of.base.map(Element::from).map_or(Ok(()), check)?;
                of.members.iter().try_for_each(|m| check(m.element))?;
            }
            Node::Union(of) => {
                check(of.discriminator)?;
                let mut elements = of.cases.iter().filter_map(|case| case.element);
                elements.try_for_each(check)?;
            }
            Node::Declared(name) => {
                return Err(BuildError::Undefined {
                    ty: name.to_string(),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Each base is a structure that grows alike. Its aliases are taken away.
pub(super) fn bases(nodes: &mut [Node]) -> Result<(), BuildError> {
    for at in 0..nodes.len() {
        let Some(Node::Structure(of)) = nodes.get(at) else {
            continue;
        };
        let Some(base) = of.base else {
            continue;
        };
        let resolved = resolve(nodes, base);
        match nodes.get(resolved.0 as usize) {
            Some(Node::Structure(base)) if base.extensibility == of.extensibility => {}
            Some(Node::Structure(base)) => {
                return Err(BuildError::BaseExtensibility {
                    ty: of.name.to_string(),
                    own: words(of.extensibility),
                    base: base.name.to_string(),
                    other: words(base.extensibility),
                });
            }
            other => {
                return Err(BuildError::Base {
                    ty: of.name.to_string(),
                    base: other.map_or("nothing", name).into(),
                });
            }
        }
        if let Some(Node::Structure(of)) = nodes.get_mut(at) {
            of.base = Some(resolved);
        }
    }
    Ok(())
}

fn resolve(nodes: &[Node], index: TypeIndex) -> TypeIndex {
    let mut index = index;
    for _ in 0..limits::DEPTH {
        match nodes.get(index.0 as usize) {
            Some(Node::Alias(of)) => index = of.element.ty,
            _ => break,
        }
    }
    index
}

fn words(extensibility: Extensibility) -> &'static str {
    match extensibility {
        Extensibility::Final => "final",
        Extensibility::Appendable => "appendable",
        Extensibility::Mutable => "mutable",
    }
}

/// All that is left, once no type contains itself.
pub(super) fn tree(tree: &TypeTree) -> Result<(), BuildError> {
    tree.0.nodes.iter().try_for_each(|node| match node {
        Node::Array { dimensions, .. } => array(dimensions),
        Node::Alias(of) => type_name(&of.name),
        Node::Enumeration(of) => enumeration(of),
        Node::Bitmask(of) => bitmask(of),
        Node::Bitset(of) => bitset(of),
        Node::Structure(of) => structure(tree, of),
        Node::Union(of) => union(tree, of),
        _ => Ok(()),
    })
}

fn array(dimensions: &[u32]) -> Result<(), BuildError> {
    let fits = (1..=limits::DIMENSIONS).contains(&dimensions.len());
    if fits && dimensions.iter().all(|length| *length > 0) {
        return Ok(());
    }
    Err(BuildError::Dimensions {
        dimensions: match dimensions.get(limits::DIMENSIONS) {
            Some(_) => format!("({} of them)", dimensions.len()),
            None => format!("{dimensions:?}"),
        },
    })
}

fn long(ty: &str, name: &str) -> BuildError {
    const SHOWN: usize = 32;
    let end = name.char_indices().nth(SHOWN).map_or(name.len(), |c| c.0);
    BuildError::LongName {
        ty: ty.chars().take(SHOWN).collect(),
        name: name.get(..end).unwrap_or_default().into(),
        length: name.len(),
    }
}

fn type_name(name: &str) -> Result<(), BuildError> {
    if name.len() > limits::NAME {
        return Err(long(name, name));
    }
    let is_name = name.split("::").all(|part| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| !c.is_control() && !c.is_whitespace() && c != ':')
    });
    match is_name {
        true => Ok(()),
        false => Err(BuildError::Name {
            ty: name.into(),
            name: name.into(),
        }),
    }
}

/// The name of a member, which has to have a place in a path.
fn member_name(ty: &str, name: &str) -> Result<(), BuildError> {
    if name.len() > limits::NAME {
        return Err(long(ty, name));
    }
    let is_letter = |c: char| !c.is_control() && !c.is_whitespace() && !".[]:".contains(c);
    match !name.is_empty() && name.chars().all(is_letter) {
        true => Ok(()),
        false => Err(BuildError::Name {
            ty: ty.into(),
            name: name.into(),
        }),
    }
}

/// Each name is one, and there is no other like it.
fn names<'t>(ty: &str, names: impl Iterator<Item = &'t str>) -> Result<(), BuildError> {
    let mut names: Vec<&str> = names.collect();
    if names.len() > limits::MEMBERS {
        return Err(BuildError::Limit {
            ty: ty.into(),
            what: "members",
            found: names.len(),
            most: limits::MEMBERS,
        });
    }
    names.iter().try_for_each(|name| member_name(ty, name))?;
    names.sort_unstable();
    let mut pairs = names.iter().zip(names.iter().skip(1));
    match pairs.find(|(one, other)| one == other) {
        Some((name, _)) => Err(BuildError::DuplicateName {
            ty: ty.into(),
            name: (*name).into(),
        }),
        None => Ok(()),
    }
}

fn member_id(ty: &str, member: &str, id: u32) -> Result<(), BuildError> {
    match id < 0x0fff_ffff {
        true => Ok(()),
        false => Err(BuildError::MemberId {
            ty: ty.into(),
            member: member.into(),
            id,
        }),
    }
}

fn structure(tree: &TypeTree, of: &Structure) -> Result<(), BuildError> {
    type_name(&of.name)?;
    names(&of.name, of.members.iter().map(|member| &*member.name))?;
    let ty = || of.name.to_string();
    let named = |index: u32| {
        let member = of.members.get(index as usize);
        member.map_or_else(String::new, |member| member.name.to_string())
    };
    let duplicate = |id, first, second| BuildError::DuplicateId {
        ty: ty(),
        id,
        first,
        second,
    };
    for (one, other) in of.by_id.iter().zip(of.by_id.iter().skip(1)) {
        if one.0 == other.0 {
            return Err(duplicate(one.0, named(one.1), named(other.1)));
        }
    }
    let base = of.base.and_then(|base| tree.structure(base));
    for member in &of.members {
        member_id(&of.name, &member.name, member.id)?;
        if member.is_key && member.is_optional {
            return Err(BuildError::OptionalKey {
                ty: ty(),
                member: member.name.to_string(),
            });
        }
        let Some(base) = base else {
            continue;
        };
        if let Some(first) = tree.member_by_id(base, member.id) {
            let (first, second) = (first.name.to_string(), member.name.to_string());
            return Err(duplicate(member.id, first, second));
        }
        if tree.member_by_name(base, &member.name).is_some() {
            return Err(BuildError::DuplicateName {
                ty: ty(),
                name: member.name.to_string(),
            });
        }
    }
    Ok(())
}

fn union(tree: &TypeTree, of: &Union) -> Result<(), BuildError> {
    type_name(&of.name)?;
    names(&of.name, of.cases.iter().map(|case| &*case.name))?;
    let ty = || of.name.to_string();
    let named = |index: u32| {
        let case = of.cases.get(index as usize);
        case.map_or_else(String::new, |case| case.name.to_string())
    };
    if of.cases.is_empty() {
        return Err(BuildError::Nothing { ty: ty() });
    }
    for (one, other) in of.by_id.iter().zip(of.by_id.iter().skip(1)) {
        if one.0 == other.0 {
            return Err(BuildError::DuplicateId {
                ty: ty(),
                id: one.0,
                first: named(one.1),
                second: named(other.1),
            });
        }
    }
    for (one, other) in of.by_label.iter().zip(of.by_label.iter().skip(1)) {
        if one.0 == other.0 {
            return Err(BuildError::DuplicateLabel {
                ty: ty(),
                label: one.0,
                first: named(one.1),
                second: named(other.1),
            });
        }
    }
    let mut default: Option<&str> = None;
    for case in &of.cases {
        member_id(&of.name, &case.name, case.id)?;
        if case.id == 0 {
            return Err(BuildError::DuplicateId {
                ty: ty(),
                id: 0,
                first: "the discriminator".into(),
                second: case.name.to_string(),
            });
        }
        if case.labels.is_empty() && !case.is_default {
            return Err(BuildError::Unlabelled {
                ty: ty(),
                case: case.name.to_string(),
            });
        }
        if case.is_default
            && let Some(first) = default.replace(&case.name)
        {
            return Err(BuildError::SecondDefault {
                ty: ty(),
                first: first.into(),
                second: case.name.to_string(),
            });
        }
    }
    labels(tree, of)
}

/// The discriminator can be each of the labels.
fn labels(tree: &TypeTree, of: &Union) -> Result<(), BuildError> {
    let node = tree.resolved(of.discriminator.ty);
    let bad = |label: i64| match node {
        Node::Primitive(kind) => kind.range().is_none_or(|(l, m)| label < l || label > m),
        Node::Enumeration(of) => match i32::try_from(label) {
            Ok(label) => of.values.binary_search(&label).is_err(),
            Err(_) => true,
        },
        Node::Bitmask(of) => label.cast_unsigned() & !of.mask != 0,
        _ => true,
    };
    match node {
        Node::Primitive(kind) if kind.range().is_some() => {}
        Node::Enumeration(_) | Node::Bitmask(_) => {}
        other => {
            return Err(BuildError::Discriminator {
                ty: of.name.to_string(),
                found: name(other).into(),
            });
        }
    }
    let Some((label, case)) = of.by_label.iter().find(|entry| bad(entry.0)) else {
        return Ok(());
    };
    let case = of.cases.get(*case as usize);
    Err(BuildError::Label {
        ty: of.name.to_string(),
        case: case.map_or_else(String::new, |case| case.name.to_string()),
        label: *label,
        discriminator: name(node).into(),
    })
}

fn numbers(ty: &str, most: u16, bit_bound: u16, is_mutable: bool) -> Result<(), BuildError> {
    type_name(ty)?;
    if is_mutable {
        return Err(BuildError::Mutable { ty: ty.into() });
    }
    match (1..=most).contains(&bit_bound) {
        true => Ok(()),
        false => Err(BuildError::BitBound {
            ty: ty.into(),
            bit_bound,
            most,
        }),
    }
}

fn enumeration(of: &Enumeration) -> Result<(), BuildError> {
    let ty = || of.name.to_string();
    let is_mutable = of.extensibility == Extensibility::Mutable;
    numbers(&of.name, 32, of.bit_bound, is_mutable)?;
    names(&of.name, of.literals.iter().map(|literal| &*literal.name))?;
    if of.literals.is_empty() {
        return Err(BuildError::Nothing { ty: ty() });
    }
    let most = (1_i64 << of.bit_bound.saturating_sub(1)) - 1;
    let least = -most - 1;
    for literal in &of.literals {
        let value = i64::from(literal.value);
        if !(least..=most).contains(&value) {
            return Err(BuildError::OutOfBitBound {
                ty: ty(),
                literal: literal.name.to_string(),
                value,
                bit_bound: of.bit_bound,
                least,
                most,
            });
        }
    }
    for (one, other) in of.values.iter().zip(of.values.iter().skip(1)) {
        if one == other {
            let mut named = of.literals.iter().filter(|literal| literal.value == *one);
            let mut next = || {
                named
                    .next()
                    .map_or_else(String::new, |l| l.name.to_string())
            };
            return Err(BuildError::DuplicateValue {
                ty: ty(),
                value: (*one).into(),
                first: next(),
                second: next(),
            });
        }
    }
    match of.values.binary_search(&of.default) {
        Ok(_) => Ok(()),
        Err(_) => Err(BuildError::Default {
            ty: ty(),
            value: of.default,
        }),
    }
}

fn bitmask(of: &Bitmask) -> Result<(), BuildError> {
    let ty = || of.name.to_string();
    let is_mutable = of.extensibility == Extensibility::Mutable;
    numbers(&of.name, 64, of.bit_bound, is_mutable)?;
    names(&of.name, of.flags.iter().map(|flag| &*flag.name))?;
    let mut seen = [None; 64];
    for flag in &of.flags {
        let position = usize::from(flag.position);
        let place = seen.get_mut(position);
        let Some(place) = place.filter(|_| flag.position < of.bit_bound) else {
            return Err(BuildError::OutOfBitBound {
                ty: ty(),
                literal: flag.name.to_string(),
                value: flag.position.into(),
                bit_bound: of.bit_bound,
                least: 0,
                most: i64::from(of.bit_bound) - 1,
            });
        };
        if let Some(first) = place.replace(&flag.name) {
            return Err(BuildError::DuplicateValue {
                ty: ty(),
                value: flag.position.into(),
                first: first.to_string(),
                second: flag.name.to_string(),
            });
        }
    }
    Ok(())
}

fn bitset(of: &Bitset) -> Result<(), BuildError> {
    type_name(&of.name)?;
    names(&of.name, of.fields.iter().map(|field| &*field.name))?;
    if of.fields.is_empty() {
        return Err(BuildError::Nothing {
            ty: of.name.to_string(),
        });
    }
    let mut taken = 0_u64;
    for field in &of.fields {
        let size = u16::from(field.size);
        let end = field.position.saturating_add(size);
        let room = match (field.holder, field.holder.size()) {
            (TypeKind::Boolean, _) => 1,
            (TypeKind::Float32 | TypeKind::Float64 | TypeKind::Float128, _) | (_, None) => 0,
            (_, Some(bytes)) => 8 * bytes as u16,
        };
        let bits = match size {
            1..=64 if end <= 64 && size <= room => (u64::MAX >> (64 - size)) << field.position,
            _ => 0,
        };
        if bits == 0 || taken & bits != 0 {
            return Err(BuildError::Bitfield {
                ty: of.name.to_string(),
                field: field.name.to_string(),
                first: field.position,
                last: end.saturating_sub(1),
            });
        }
        taken |= bits;
    }
    Ok(())
}
