//! Changes that are to be seen together or not at all (RTPS 2.5 8.7.5, DDS 1.4 2.2.3.6 coherent
//! access).
//!
//! Each change of a set names the first one of it. The end is told at once, by a DATA without
//! payload that says "no set": it is numbered, kept and repeated as any change is, but it is no
//! sample, so it takes none of the room that QoS limits.
use super::{WriteError, Writer};
use crate::{Body, Change, ChangeKind, InstanceHandle, Outbox, Time};
use alloc::boxed::Box;
use dunlin_wire::{GroupInfo, SequenceNumber, SetMembership, Timestamp};

/// Where a change stands among those of all writers of a publisher (RTPS 2.5 8.7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InGroup {
    /// Its number.
    pub sequence: i64,
    /// The number of the first change of the publisher's set, if it is in one.
    pub first: Option<i64>,
    /// A digest of the publisher's writers; goes with the end of a set.
    pub writers: Option<[u8; 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SetState {
    /// Each change is seen at once.
    None,
    /// The next change is the first of a set.
    Begun,
    /// The set under way began with this number.
    IncompleteSet(i64),
}

impl SetState {
    /// What the change with this number says about sets.
    #[inline]
    pub(super) fn membership(
        &mut self,
        sequence: i64,
        group: Option<InGroup>,
    ) -> Option<Box<SetMembership>> {
        if *self == Self::None && group.is_none() {
            return None;
        }
        let first = match *self {
            Self::None => 0,
            Self::Begun => sequence,
            Self::IncompleteSet(first) => first,
        };
        if first > 0 {
            *self = Self::IncompleteSet(first);
        }
        Some(Box::new(membership(SequenceNumber(first), group)))
    }
}

fn membership(first: SequenceNumber, group: Option<InGroup>) -> SetMembership {
    let number = |n: Option<i64>| SequenceNumber(n.unwrap_or(0));
    SetMembership {
        first,
        group_sequence: number(group.map(|g| g.sequence)),
        group_first: number(group.and_then(|g| g.first)),
        writers: group.and_then(|g| g.writers),
    }
}

/// Does the change only mark the end of a set?
pub(super) fn is_mark(set: &SetMembership) -> bool {
    set.first == SequenceNumber::UNKNOWN
}

impl Writer {
    /// What heartbeats say of the publisher's writers, if all their changes have one numbering.
    #[inline]
    pub(super) fn group_info(&self, first: i64) -> Option<GroupInfo> {
        let group = self.config.group.as_ref()?;
        let (current, writers) = group.current();
        let first = self.history.get(first);
        let first = first.and_then(|kept| kept.set.as_deref());
        Some(GroupInfo {
            current: SequenceNumber(current),
            first: first.map_or(SequenceNumber(0), |set| set.group_sequence),
            last: SequenceNumber(self.last_in_group),
            writers,
            secure_writers: [0; 4],
        })
    }

    /// The changes from the next one on are a set, until `end_set`.
    pub fn begin_set(&mut self) {
        if self.set == SetState::None {
            self.set = SetState::Begun;
        }
    }

    /// The set is complete, which all readers are told at once, if anything was written. With
    /// `group` they are told in any case, since others of the group may have written.
    pub fn end_set(
        &mut self,
        now: Time,
        timestamp: Timestamp,
        group: impl FnOnce() -> Option<InGroup>,
        out: &mut impl Outbox,
    ) -> Result<(), WriteError> {
        let was = core::mem::replace(&mut self.set, SetState::None);
        let group = group();
        if group.is_none() && !matches!(was, SetState::IncompleteSet(_)) {
            return Ok(());
        }
        let mut mark = Change {
            kind: ChangeKind::Alive,
            instance: InstanceHandle::NIL,
            timestamp,
            payload: Body::default(),
        };
        let sequence = self.next_sequence(&mark)?;
        self.expire(now);
        self.history.prune(self.acknowledged);
        let set = membership(SequenceNumber::UNKNOWN, group);
        self.publish(now, sequence, &mut mark, Some(Box::new(set)), None, out);
        Ok(())
    }
}
