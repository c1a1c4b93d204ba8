//! Gathers numbers that will never come into as few GAPs as possible (RTPS 2.5 8.3.8.4).
use dunlin_wire::{EntityId, Gap, SequenceNumber, SequenceNumberSet};

/// More single numbers than this are said by a GAP of their own.
const LONGEST_LIST: i64 = 32;

pub(super) struct GapList {
    reader: EntityId,
    writer: EntityId,
    open: Option<Gap>,
}

impl GapList {
    pub(super) fn new(reader: EntityId, writer: EntityId) -> Self {
        Self {
            reader,
            writer,
            open: None,
        }
    }

    /// Adds `start .. end`, which lies above all that was added before; calls `push` for a GAP that
    /// is complete.
    pub(super) fn add(&mut self, start: i64, end: i64, push: impl FnOnce(Gap)) {
        if start >= end {
            return;
        }
        if let Some(open) = &mut self.open
            && end - start <= LONGEST_LIST
            && end - open.list.base().0 <= 256
        {
            for n in start..end {
                open.list.insert(SequenceNumber(n));
            }
            return;
        }
        self.finish(push);
        self.open = Some(Gap {
            reader: self.reader,
            writer: self.writer,
            start: SequenceNumber(start),
            list: SequenceNumberSet::new(SequenceNumber(end)),
        });
    }

    pub(super) fn finish(&mut self, push: impl FnOnce(Gap)) {
        if let Some(gap) = self.open.take() {
            push(gap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn ranges_and_single_numbers_share_a_gap_while_they_can() {
        let mut said = Vec::new();
        let mut list = GapList::new(EntityId::UNKNOWN, EntityId::UNKNOWN);
        for (start, end) in [(1, 100), (102, 103), (110, 112), (113, 113), (400, 9000)] {
            list.add(start, end, |gap| said.push(gap));
        }
        list.finish(|gap| said.push(gap));
        let told: Vec<_> = said
            .iter()
            .map(|g| {
                let list: Vec<_> = g.list.iter().map(|n| n.0).collect();
                (g.start.0, g.list.base().0, list)
            })
            .collect();
        assert_eq!(
            told,
            [
                (1, 100, Vec::from([102, 110, 111])),
                (400, 9000, Vec::new())
            ]
        );
    }
}
