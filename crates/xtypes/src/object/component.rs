//! Types that refer to each other.

use alloc::vec;
use alloc::vec::Vec;

use crate::tree::Node;
use crate::{TypeIndex, TypeTree};

/// Types of which each refers to all others, collections included.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Component {
    pub(super) types: Vec<TypeIndex>,
    /// It is several types, or one that refers to itself.
    pub(super) is_recursive: bool,
}

/// The `n`th type that a type refers to itself.
pub(super) fn reference(tree: &TypeTree, from: TypeIndex, n: usize) -> Option<TypeIndex> {
    match tree.node(from) {
        Node::Sequence { element, .. } | Node::Array { element, .. } => {
            (n == 0).then_some(element.ty)
        }
        Node::Map { key, value, .. } => [key.ty, value.ty].get(n).copied(),
        Node::Alias(of) => (n == 0).then_some(of.element.ty),
        Node::Structure(of) => match (of.base, n) {
            (Some(base), 0) => Some(base),
            (Some(_), n) => of.members.get(n - 1).map(|member| member.element.ty),
            (None, n) => of.members.get(n).map(|member| member.element.ty),
        },
        Node::Union(of) if n == 0 => Some(of.discriminator.ty),
        // A case without value refers to nothing; the discriminator stands in for it.
        Node::Union(of) => of
            .cases
            .get(n - 1)
            .map(|case| case.element.map_or(of.discriminator.ty, |of| of.ty)),
        _ => None,
    }
}

/// All types that `root` refers to, and itself, so that each component comes behind those that it
/// refers to (Tarjan). A chain of types may be long, so there is no recursion.
pub(super) fn components(tree: &TypeTree, root: TypeIndex) -> Vec<Component> {
    let mut search = Search {
        places: vec![Place::default(); tree.len()],
        open: Vec::new(),
        found: 0,
    };
    let mut components = Vec::new();
    let mut path = Vec::new();
    search.enter(root);
    path.push((root, 0));
    while let Some((at, n)) = path.last_mut() {
        let from = *at;
        let next = reference(tree, from, *n);
        *n += 1;
        match next {
            Some(to) if search.place(to).order == 0 => {
                search.enter(to);
                path.push((to, 0));
            }
            Some(to) => search.see(from, to),
            None => {
                path.pop();
                components.extend(search.leave(from));
                if let Some((above, _)) = path.last() {
                    search.lower(*above, search.place(from).low);
                }
            }
        }
    }
    components
}

#[derive(Clone, Copy, Default)]
struct Place {
    /// When it was found; 0 before that.
    order: u32,
    /// The first that was found of those that it refers to and that are open.
    low: u32,
    is_open: bool,
    refers_to_itself: bool,
}

struct Search {
    places: Vec<Place>,
    open: Vec<TypeIndex>,
    found: u32,
}

impl Search {
    fn place(&self, at: TypeIndex) -> Place {
        self.places.get(at.0 as usize).copied().unwrap_or_default()
    }

    fn change(&mut self, at: TypeIndex, change: impl FnOnce(&mut Place)) {
        if let Some(place) = self.places.get_mut(at.0 as usize) {
            change(place);
        }
    }

    fn enter(&mut self, at: TypeIndex) {
        self.found += 1;
        let order = self.found;
        self.change(at, |place| {
            *place = Place {
                order,
                low: order,
                is_open: true,
                refers_to_itself: false,
            };
        });
        self.open.push(at);
    }

    fn lower(&mut self, at: TypeIndex, low: u32) {
        self.change(at, |place| place.low = place.low.min(low));
    }

    fn see(&mut self, from: TypeIndex, to: TypeIndex) {
        let seen = self.place(to);
        if from == to {
            self.change(from, |place| place.refers_to_itself = true);
        }
        if seen.is_open {
            self.lower(from, seen.order);
        }
    }

    fn leave(&mut self, at: TypeIndex) -> Option<Component> {
        let place = self.place(at);
        if place.low != place.order {
            return None;
        }
        let first = self.open.iter().rposition(|open| *open == at)?;
        let types = self.open.split_off(first);
        for ty in &types {
            // Nothing that is found later is of this component.
            self.change(*ty, |place| {
                place.is_open = false;
                place.low = u32::MAX;
            });
        }
        Some(Component {
            is_recursive: types.len() > 1 || place.refers_to_itself,
            types,
        })
    }
}
