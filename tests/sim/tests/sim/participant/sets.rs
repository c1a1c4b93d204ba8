//! What the writers of a participant have in common as those of one publisher, and its readers as
//! those of one subscriber: coherent sets, one numbering, and the gate that lets in what is
//! complete, as `dunlin` has them.
use super::{News, Participant, note};
use dunlin_qos::{AccessScope, Presentation};
use dunlin_rtps::{Change, GroupFront, GroupOf, InGroup, Time, WriteError};
use dunlin_wire::{EntityId, Guid, GuidPrefix, SequenceNumber, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// Of all writers of the participant.
#[derive(Default)]
pub(super) struct Publisher {
    presentation: Presentation,
    last: Arc<AtomicI64>,
    /// A set is under way.
    begun: bool,
    /// The number of its first change.
    first: Option<i64>,
}

/// Before all readers of the participant.
#[derive(Default)]
pub(super) struct Gate {
    broken: BTreeMap<GuidPrefix, i64>,
    seen: BTreeMap<GuidPrefix, i64>,
    turns: u64,
    /// The application is looking.
    shut: bool,
}

impl Publisher {
    fn is_numbered(&self) -> bool {
        let Presentation {
            access_scope,
            coherent_access,
            ordered_access,
        } = self.presentation;
        access_scope == AccessScope::Group && (coherent_access || ordered_access)
    }

    pub(super) fn number(&mut self) -> Option<InGroup> {
        if !self.is_numbered() {
            return None;
        }
        let sequence = self.last.fetch_add(1, SeqCst) + 1;
        if self.begun && self.presentation.coherent_access {
            self.first.get_or_insert(sequence);
        }
        Some(InGroup {
            sequence,
            first: self.first,
            writers: None,
        })
    }
}

impl Participant {
    /// What its publisher offers; before it has writers.
    pub(crate) fn present(&mut self, presentation: Presentation) {
        self.publisher.presentation = presentation;
    }

    /// For the configuration of a writer.
    pub(crate) fn group(&self) -> Option<GroupOf> {
        let last = Arc::clone(&self.publisher.last);
        let numbered = self.publisher.is_numbered();
        numbered.then(|| GroupOf::new(move || (last.load(SeqCst), [7; 4])))
    }

    pub(crate) fn begin_set(&mut self) {
        self.publisher.begun = true;
        if self.publisher.presentation.coherent_access {
            for local in self.writers.values_mut() {
                local.writer.begin_set();
            }
        }
    }

    pub(crate) fn end_set(&mut self, now: Time, timestamp: Timestamp) {
        self.publisher.begun = false;
        if !self.publisher.presentation.coherent_access {
            return;
        }
        let first = self.publisher.first.take();
        let writers: Vec<_> = self.writers.keys().copied().collect();
        for writer in writers {
            let Self {
                publisher,
                writers,
                datagrams,
                ..
            } = self;
            let local = writers.get_mut(&writer).unwrap();
            let mark = || {
                first?;
                let number = publisher.number()?;
                Some(InGroup {
                    first,
                    writers: Some([7; 4]),
                    ..number
                })
            };
            local
                .writer
                .end_set(now, timestamp, mark, datagrams)
                .unwrap();
            self.send(now, Some(writer));
        }
    }

    pub(super) fn write_numbered(
        &mut self,
        now: Time,
        writer: EntityId,
        change: &Change,
    ) -> Result<SequenceNumber, WriteError> {
        let Self {
            publisher,
            writers,
            datagrams,
            ..
        } = self;
        let local = writers.get_mut(&writer).unwrap();
        let number = || publisher.number();
        local
            .writer
            .write_in_group(now, &mut change.clone(), number, datagrams)
    }

    /// While the application looks, nothing new is let in.
    pub(crate) fn begin_access(&mut self) {
        self.gate.shut = true;
    }

    pub(crate) fn end_access(&mut self, now: Time) {
        self.gate.shut = false;
        self.open_gate(now);
    }

    /// A writer is leaving a reader.
    pub(super) fn note_leaving(&mut self, reader: Guid, writer: Guid) {
        let local = &self.readers[&reader.entity];
        if let Some(last) = local.reader.last_group_set(writer) {
            let broken = self.gate.broken.entry(writer.prefix).or_insert(last);
            *broken = last.max(*broken);
        }
    }

    /// Lets in what is complete.
    pub(super) fn open_gate(&mut self, now: Time) {
        while !self.gate.shut && self.open_once(now) {}
    }

    fn open_once(&mut self, now: Time) -> bool {
        let mut publishers: BTreeMap<GuidPrefix, Vec<(EntityId, GroupFront)>> = BTreeMap::new();
        for (entity, local) in &self.readers {
            for front in local.reader.group_fronts() {
                let all = publishers.entry(front.writer.prefix).or_default();
                all.push((*entity, front));
            }
        }
        let mut opened = false;
        for (publisher, places) in publishers {
            let fronts: Vec<_> = places.iter().map(|(_, front)| *front).collect();
            let broken = self.gate.broken.get(&publisher).copied().unwrap_or(0);
            let seen = self.gate.seen.get(&publisher).copied().unwrap_or(0);
            let Some(turn) = GroupFront::next_turn(&fronts, broken, seen) else {
                self.ask(now, &places, &fronts, seen);
                continue;
            };
            if !turn.whole {
                self.gate.broken.insert(publisher, broken.max(turn.first));
            }
            self.gate.seen.insert(publisher, seen.max(turn.last));
            self.gate.turns += 1;
            for (entity, local) in &mut self.readers {
                let own = places.iter().filter(|(reader, _)| reader == entity);
                let writers: Vec<_> = own.map(|(_, front)| front.writer).collect();
                let (first, whole) = (turn.first, turn.whole);
                let reader = &mut local.reader;
                let delivery = reader.release_group(now, &writers, first, whole, self.gate.turns);
                note(&mut self.news, reader.guid(), Guid::UNKNOWN, &delivery);
            }
            opened = true;
        }
        opened
    }

    fn ask(
        &mut self,
        now: Time,
        places: &[(EntityId, GroupFront)],
        fronts: &[GroupFront],
        seen: i64,
    ) {
        let Some((number, silent)) = GroupFront::silent(fronts, seen) else {
            return;
        };
        let silent: Vec<_> = silent.collect();
        for (entity, front) in places {
            let reader = self.readers.get_mut(entity).unwrap();
            if silent.contains(&front.writer) {
                reader.reader.want_news(now, front.writer, number);
            }
        }
    }

    /// The readers in the order in which one sample is to be taken from each.
    pub(crate) fn readers_in_order(&self) -> Vec<EntityId> {
        let mut all = Vec::new();
        for (entity, local) in &self.readers {
            let any = dunlin_rtps::Select::default();
            local
                .reader
                .places(&any, |place| all.push((place, *entity)));
        }
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, entity)| entity).collect()
    }
}

impl News {
    /// Which pair matches from now on, and whether the writer says so.
    pub(crate) fn matched(&self) -> Option<(Guid, Guid, bool)> {
        match *self {
            Self::ReaderMatched { writer, reader, .. } => Some((writer, reader, true)),
            Self::WriterMatched { writer, reader } => Some((writer, reader, false)),
            _ => None,
        }
    }

    /// The same for a pair that matches no longer.
    pub(crate) fn unmatched(&self) -> Option<(Guid, Guid, bool)> {
        match *self {
            Self::ReaderUnmatched { writer, reader } => Some((writer, reader, true)),
            Self::WriterUnmatched { writer, reader } => Some((writer, reader, false)),
            _ => None,
        }
    }
}
