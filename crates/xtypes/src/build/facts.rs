//! What follows from a type: no type contains itself by value, how deep it is, and what its
//! encoding looks like.

use alloc::vec;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::check::name;
use crate::tree::{Facts, Node, length};
use crate::{BuildError, Element, TypeIndex, limits};

/// Notes which structures have a key by their bases. None is its own base.
pub(super) fn inherit_keys(nodes: &mut [Node]) {
    let own: Vec<(bool, Option<TypeIndex>)> = nodes
        .iter()
        .map(|node| match node {
            Node::Structure(of) => (of.has_key, of.base),
            _ => (false, None),
        })
        .collect();
    for node in nodes {
        if let Node::Structure(of) = node {
            let mut base = of.base;
            while let Some((has_key, next)) = base.and_then(|base| own.get(base.0 as usize)) {
                of.has_key |= has_key;
                base = *next;
            }
        }
    }
}

/// The facts of all nodes.
pub(super) fn find(nodes: &[Node]) -> Result<Vec<Facts>, BuildError> {
    let mut finder = Finder {
        nodes,
        facts: vec![Facts::default(); nodes.len()],
        states: vec![State::New; nodes.len()],
        within: Vec::new(),
    };
    for index in 0..nodes.len() {
        finder.visit(TypeIndex(index as u32))?;
    }
    Ok(finder.facts)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

struct Finder<'n> {
    nodes: &'n [Node],
    facts: Vec<Facts>,
    states: Vec<State>,
    /// The types that are being looked at, outermost first: never more than [`limits::DEPTH`].
    within: Vec<TypeIndex>,
}

impl Finder<'_> {
    fn visit(&mut self, index: TypeIndex) -> Result<Facts, BuildError> {
        let at = index.0 as usize;
        let (Some(node), Some(state)) = (self.nodes.get(at), self.states.get_mut(at)) else {
            return Ok(Facts::default());
        };
        match *state {
            State::Done => return Ok(self.facts.get(at).copied().unwrap_or_default()),
            State::Open => return Err(self.cycle(index)),
            State::New => *state = State::Open,
        }
        if self.within.len() >= limits::DEPTH {
            return Err(self.too_deep(limits::DEPTH + 1));
        }
        self.within.push(index);
        let facts = self.facts_of(index, node)?;
        self.within.pop();
        if usize::from(facts.depth) > limits::DEPTH {
            return Err(self.too_deep(facts.depth.into()));
        }
        if let (Some(to), Some(state)) = (self.facts.get_mut(at), self.states.get_mut(at)) {
            (*to, *state) = (facts, State::Done);
        }
        Ok(facts)
    }

    fn facts_of(&mut self, index: TypeIndex, node: &Node) -> Result<Facts, BuildError> {
        let mut facts = Facts {
            resolved: index.0,
            depth: 1,
            ..Facts::default()
        };
        match node {
            Node::Primitive(kind) => {
                facts.size = kind.size().unwrap_or(0) as u8;
                facts.is_primitive = true;
            }
            Node::Enumeration(of) => facts.size = number_size(of.bit_bound),
            Node::Bitmask(of) => facts.size = number_size(of.bit_bound),
            Node::Bitset(of) => facts.size = number_size(of.bits),
            Node::Alias(of) => {
                let inner = self.visit(of.element.ty)?;
                let depth = inner.depth.saturating_add(1);
                return Ok(Facts { depth, ..inner });
            }
            Node::Sequence { element, .. } => self.far(&mut facts, *element)?,
            Node::Map { key, value, .. } => {
                self.far(&mut facts, *key)?;
                self.far(&mut facts, *value)?;
            }
            Node::Array {
                element,
                dimensions,
            } => {
                let inner = self.near(&mut facts, *element)?;
                // In XCDR2 there is a DHEADER before elements that are not primitive.
                facts.is_empty = [inner.is_empty[0] || length(dimensions) == 0, false];
            }
            Node::Structure(of) => {
                let mut is_empty = [true; 2];
                let base = of.base.map(Element::from);
                let members = of.members.iter().map(|m| (m.element, m.is_optional));
                for (element, is_optional) in base.map(|e| (e, false)).into_iter().chain(members) {
                    let inner = match is_optional {
                        true => {
                            self.far(&mut facts, element)?;
                            Facts::default()
                        }
                        false => self.near(&mut facts, element)?,
                    };
                    let [v1, v2] = inner.is_empty;
                    is_empty = [is_empty[0] && v1, is_empty[1] && v2];
                }
                facts.is_empty = match of.extensibility {
                    Extensibility::Final => is_empty,
                    Extensibility::Appendable => [is_empty[0], false],
                    Extensibility::Mutable => [false; 2],
                };
            }
            Node::Union(of) => {
                self.near(&mut facts, of.discriminator)?;
                for element in of.cases.iter().filter_map(|case| case.element) {
                    self.near(&mut facts, element)?;
                }
            }
            Node::String8 { .. } | Node::String16 { .. } | Node::Declared(_) => {}
        }
        Ok(facts)
    }

    /// A part of the value itself.
    fn near(&mut self, facts: &mut Facts, element: Element) -> Result<Facts, BuildError> {
        if element.is_external {
            self.far(facts, element)?;
            // It may be the type that is being looked at, which then is not empty: a value of it
            // would have no end.
            return Ok(Facts::default());
        }
        let inner = self.visit(element.ty)?;
        facts.depth = facts.depth.max(inner.depth.saturating_add(1));
        Ok(inner)
    }

    /// A part that may be missing, so that a structure or union may contain itself there.
    fn far(&mut self, facts: &mut Facts, element: Element) -> Result<(), BuildError> {
        if self.is_unnamed(element.ty) {
            let inner = self.visit(element.ty)?;
            facts.depth = facts.depth.max(inner.depth.saturating_add(1));
        }
        Ok(())
    }

    /// Whether no structure or union is behind the aliases.
    fn is_unnamed(&self, index: TypeIndex) -> bool {
        let mut index = index;
        for _ in 0..limits::DEPTH {
            match self.nodes.get(index.0 as usize) {
                Some(Node::Alias(of)) => index = of.element.ty,
                Some(Node::Structure(_) | Node::Union(_)) => return false,
                _ => return true,
            }
        }
        true
    }

    fn cycle(&self, again: TypeIndex) -> BuildError {
        let begin = self.within.iter().position(|index| *index == again);
        let cycle = self.within.get(begin.unwrap_or(0)..).unwrap_or_default();
        let names = cycle.iter().chain([&again]).filter_map(|index| {
            let node = self.nodes.get(index.0 as usize)?;
            Some(name(node))
        });
        let names: Vec<&str> = names.collect();
        BuildError::ContainsItself {
            cycle: names.join(" -> "),
        }
    }

    fn too_deep(&self, found: usize) -> BuildError {
        let outermost = self
            .within
            .first()
            .and_then(|i| self.nodes.get(i.0 as usize));
        BuildError::Limit {
            ty: outermost.map_or("the type", name).into(),
            what: "types inside each other",
            found,
            most: limits::DEPTH,
        }
    }
}

/// Bytes of a number with so many bits (DDS-XTypes 1.3 7.4.3.5.3, rule 7).
fn number_size(bits: u16) -> u8 {
    match bits {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    }
}
