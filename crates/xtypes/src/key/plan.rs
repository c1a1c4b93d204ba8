//! What is known of a key before there is a payload.

use arrayvec::ArrayVec;
use dunlin_cdr::{KEY_HASH_SIZE, Xcdr};

use crate::fixed::Offsets;
use crate::transcode::{Part, in_id_order};
use crate::tree::{Node, Structure, length};
use crate::{Element, Member, TypeIndex, TypeTree, limits};

/// Types within types that are looked at before a key counts as unbounded.
const PARTS: usize = 1 << 16;

/// Where the key of a value ends at most, in bytes of plain XCDR2; `None` if it has no bound. Once
/// past 16 the result may be too small, but stays past 16.
pub(super) fn key_end(tree: &TypeTree, index: TypeIndex) -> Option<usize> {
    let mut ends = Ends {
        tree,
        parts: PARTS,
        depth: 0,
    };
    ends.end(0, index.into(), Part::Key)
}

struct Ends<'t> {
    tree: &'t TypeTree,
    parts: usize,
    depth: usize,
}

/// Where a number of `size` bytes ends in XCDR2 when the one before ended at `at`.
fn number_end(at: usize, size: usize) -> usize {
    at.next_multiple_of(size.min(4)).saturating_add(size)
}

impl Ends<'_> {
    fn end(&mut self, at: usize, element: Element, part: Part) -> Option<usize> {
        let facts = self.tree.facts(element.ty);
        if facts.is_empty(Xcdr::V2) || at > KEY_HASH_SIZE {
            return Some(at);
        }
        if facts.size > 0 {
            return Some(number_end(at, facts.size.into()));
        }
        self.parts = self.parts.checked_sub(1)?;
        self.depth += 1;
        if self.depth > limits::WALK {
            return None;
        }
        let tree = self.tree;
        let end = match tree.resolved(element.ty) {
            Node::String8 { bound } => bounded(*bound, |bound| {
                Some(number_end(at, 4).saturating_add(bound).saturating_add(1))
            }),
            Node::String16 { bound } => bounded(*bound, |bound| {
                Some(number_end(at, 4).saturating_add(bound.saturating_mul(2)))
            }),
            Node::Sequence { element, bound } => bounded(*bound, |bound| {
                let header = if tree.is_primitive(*element) { 4 } else { 8 };
                self.repeated(at.next_multiple_of(4) + header, *element, bound)
            }),
            Node::Array {
                element,
                dimensions,
            } => {
                let at = match tree.is_primitive(*element) {
                    true => at,
                    false => number_end(at, 4),
                };
                self.repeated(at, *element, length(dimensions))
            }
            Node::Structure(of) => self.structure(at, of, part),
            Node::Union(of) => {
                let start = self.end(at, of.discriminator, Part::Whole)?;
                let mut end = start;
                for element in of.cases.iter().filter_map(|case| case.element) {
                    end = end.max(self.end(start, element, Part::Whole)?);
                }
                Some(end)
            }
            _ => None,
        };
        self.depth -= 1;
        end
    }

    fn repeated(&mut self, at: usize, element: Element, count: usize) -> Option<usize> {
        let mut end = at;
        for _ in 0..count {
            let before = end;
            end = self.end(end, element, Part::Whole)?;
            if end > KEY_HASH_SIZE || end == before {
                break;
            }
        }
        Some(end)
    }

    /// All of an element of a collection is in the key, in the order of declaration.
    fn structure(&mut self, at: usize, of: &Structure, part: Part) -> Option<usize> {
        let tree = self.tree;
        let mut at = at;
        let mut member = |member: &Member| {
            if member.is_optional {
                return None;
            }
            at = self.end(at, member.element, part)?;
            Some(())
        };
        match part {
            Part::Whole => tree.members(of).try_for_each(&mut member)?,
            Part::Key => in_id_order(tree, of)
                .filter(|member| member.is_key || !of.has_key)
                .try_for_each(&mut member)?,
        }
        Some(at)
    }
}

fn bounded(bound: u32, end: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
    match bound {
        0 => None,
        bound => end(bound as usize),
    }
}

/// Numbers of one size that lie one behind the other.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: u32,
    to: u8,
    size: u8,
    length: u8,
}

/// A key of numbers that have the same place in each payload.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    runs: ArrayVec<Run, KEY_HASH_SIZE>,
    end: usize,
}

impl Fixed {
    /// `None` if it is not such a key, or too long for a key hash.
    pub(super) fn find(tree: &TypeTree, index: TypeIndex, xcdr: Xcdr) -> Option<Self> {
        let Node::Structure(of) = tree.resolved(index) else {
            return None;
        };
        let mut fixed = Self {
            runs: ArrayVec::new(),
            end: 0,
        };
        fixed.structure(tree, &mut Offsets::new(tree, xcdr), of, 0)?;
        Some(fixed)
    }

    /// The key members of a structure whose members follow without a header from `at`.
    fn structure(
        &mut self,
        tree: &TypeTree,
        offsets: &mut Offsets<'_>,
        of: &Structure,
        at: usize,
    ) -> Option<()> {
        let is_wanted = |is_key: bool| is_key || !of.has_key;
        let mut left = tree.members(of).filter(|m| is_wanted(m.is_key)).count();
        let mut keys = ArrayVec::<(u32, usize, Element), KEY_HASH_SIZE>::new();
        let mut at = at;
        for member in tree.members(of) {
            if left == 0 {
                break;
            }
            if member.is_optional || member.element.is_external {
                return None;
            }
            if is_wanted(member.is_key) {
                left -= 1;
                keys.try_push((member.id, at, member.element)).ok()?;
            }
            if left > 0 {
                at = offsets.end(at, member.element)?;
            }
        }
        keys.sort_unstable_by_key(|key| key.0);
        keys.iter()
            .try_for_each(|(_, at, element)| self.value(tree, offsets, *element, *at))
    }

    fn value(
        &mut self,
        tree: &TypeTree,
        offsets: &mut Offsets<'_>,
        element: Element,
        at: usize,
    ) -> Option<()> {
        if let Some(at) = offsets.number(at, element.ty) {
            return self.run(at, tree.facts(element.ty).size, 1);
        }
        match tree.resolved(element.ty) {
            Node::Structure(of) if offsets.is_open(of) => self.structure(tree, offsets, of, at),
            Node::Array {
                element,
                dimensions,
            } if tree.is_primitive(*element) => {
                let at = offsets.number(at, element.ty)?;
                self.run(at, tree.facts(element.ty).size, length(dimensions))
            }
            _ => None,
        }
    }

    fn run(&mut self, from: usize, size: u8, count: usize) -> Option<()> {
        let to = self.end.next_multiple_of(usize::from(size).clamp(1, 4));
        let length = count.checked_mul(size.into())?;
        self.end = to.checked_add(length)?;
        if self.end > KEY_HASH_SIZE {
            return None;
        }
        let run = Run {
            from: u32::try_from(from).ok()?,
            to: to as u8,
            size,
            length: length as u8,
        };
        self.runs.try_push(run).ok()
    }

    /// The key of a value, if the value has all of it.
    #[inline]
    pub(super) fn copy(&self, value: &[u8], is_little: bool) -> Option<[u8; KEY_HASH_SIZE]> {
        let mut hash = [0; KEY_HASH_SIZE];
        for run in &self.runs {
            let (from, to) = (run.from as usize, usize::from(run.to));
            let length = usize::from(run.length);
            let from = value.get(from..from + length)?;
            let to = hash.get_mut(to..to + length)?;
            match (is_little, run.size) {
                (true, 2) => swap::<2>(from, to),
                (true, 4) => swap::<4>(from, to),
                (true, 8) => swap::<8>(from, to),
                (true, 16) => swap::<16>(from, to),
                _ => to.copy_from_slice(from),
            }
        }
        Some(hash)
    }
}

/// Copies numbers and turns their bytes around.
#[inline(always)]
fn swap<const SIZE: usize>(from: &[u8], to: &mut [u8]) {
    let (from, _) = from.as_chunks::<SIZE>();
    let (to, _) = to.as_chunks_mut::<SIZE>();
    for (from, to) in from.iter().zip(to) {
        *to = *from;
        to.reverse();
    }
}
