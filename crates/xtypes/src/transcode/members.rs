//! Which members of a structure are copied, in which order, and where they are.

use alloc::vec::Vec;

use arrayvec::ArrayVec;
use dunlin_cdr::Error;

use crate::tree::{Member, Structure};
use crate::{TypeTree, ValueError, limits};

/// Members of a structure that are copied.
pub(super) struct Copied<'t> {
    pub(super) tree: &'t TypeTree,
    pub(super) of: &'t Structure,
    /// Those only that are marked as key.
    pub(super) marked: bool,
    pub(super) by_id: bool,
}

impl<'t> Copied<'t> {
    pub(super) fn wants(&self, member: &Member) -> bool {
        member.is_key || !self.marked
    }

    /// In the order in which they are written.
    pub(super) fn members(&self) -> impl Iterator<Item = &'t Member> {
        let (tree, of, by_id, marked) = (self.tree, self.of, self.by_id, self.marked);
        let sorted = by_id.then(|| in_id_order(tree, of)).into_iter().flatten();
        let declared = (!by_id).then(|| tree.members(of)).into_iter().flatten();
        sorted.chain(declared).filter(move |m| m.is_key || !marked)
    }

    /// Whether the order of their declaration is the one in which they are written.
    pub(super) fn is_in_order(&self) -> bool {
        let members = self
            .tree
            .members(self.of)
            .filter(|member| self.wants(member));
        !self.by_id || members.is_sorted_by_key(|member| member.id)
    }
}

/// The members of a structure and its bases, ascending by id.
pub(crate) fn in_id_order<'t>(
    tree: &'t TypeTree,
    of: &'t Structure,
) -> impl Iterator<Item = &'t Member> + use<'t> {
    let chain = tree.chain(of);
    let mut next = ArrayVec::<usize, { limits::DEPTH + 1 }>::new();
    next.extend(chain.iter().map(|_| 0));
    core::iter::from_fn(move || {
        let places = chain.iter().zip(&next).enumerate();
        let firsts = places.filter_map(|(at, (of, next))| {
            let (id, index) = of.by_id.get(*next)?;
            Some((*id, at, *index))
        });
        let (_, at, index) = firsts.min()?;
        *next.get_mut(at)? += 1;
        chain.get(at)?.members.get(index as usize)
    })
}

/// Where members are, by their ids.
#[derive(Default)]
pub(super) struct Marks {
    few: ArrayVec<(u32, u32), 16>,
    /// All of them, once there are more.
    many: Vec<(u32, u32)>,
}

impl Marks {
    pub(super) fn push(&mut self, id: u32, at: usize) -> Result<(), ValueError> {
        let at = u32::try_from(at).map_err(|_| Error::TooLong(at))?;
        if self.many.is_empty() {
            if self.few.try_push((id, at)).is_ok() {
                return Ok(());
            }
            self.many.extend_from_slice(&self.few);
        }
        self.many.push((id, at));
        Ok(())
    }

    fn all(&mut self) -> &mut [(u32, u32)] {
        match self.many.is_empty() {
            true => &mut self.few,
            false => &mut self.many,
        }
    }

    /// By id, and then by place.
    pub(super) fn sort(&mut self) {
        self.all().sort_unstable();
    }

    /// The last one of this id, once they are sorted.
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        let all: &[_] = match self.many.is_empty() {
            true => &self.few,
            false => &self.many,
        };
        let behind = all.partition_point(|mark| mark.0 <= id);
        let (found, at) = all.get(behind.checked_sub(1)?)?;
        (*found == id).then_some(*at as usize)
    }
}
