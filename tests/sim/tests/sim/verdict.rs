//! What must be true of a run: the promises of RELIABILITY, HISTORY and DURABILITY, matching, and
//! bounds.
use crate::ledger::{ReaderRecord, Sink, Source, WriterRecord};
use crate::sample;
use crate::scenario::{ReaderPlan, WriterPlan};
use crate::world::World;
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_rtps::{ChangeKind, InstanceHandle, InstanceState, Reader, Writer};
use dunlin_wire::{Guid, SequenceNumber};
use std::collections::{BTreeMap, BTreeSet};

/// A writer and a reader that both live.
struct Pair<'a> {
    world: &'a World,
    writer: Guid,
    reader: Guid,
    offered: &'a WriterPlan,
    requested: &'a ReaderPlan,
    written: &'a WriterRecord,
    taken: &'a ReaderRecord,
}

/// What is wrong now and may still come right; nothing if all is well.
pub(crate) fn lacking(world: &World) -> Option<String> {
    pairs(world).find_map(|pair| {
        let what = pair.reliably_lacking()?;
        Some(format!("{} of {}: {what}", pair.reader, pair.writer))
    })
}

/// What is wrong once the network has been perfect for long.
pub(crate) fn wrong_at_the_end(world: &World) -> Option<String> {
    let wrong = pairs(world).find_map(|pair| {
        let wrong = pair.wrongly_matched().or_else(|| pair.lacking_epilogue());
        let what = wrong.or_else(|| pair.wrong_state())?;
        Some(format!("{} and {}: {what}", pair.reader, pair.writer))
    });
    wrong.or_else(|| ghosts(world)).or_else(|| restless(world))
}

fn pairs(world: &World) -> impl Iterator<Item = Pair<'_>> {
    let ledger = &world.ledger;
    let writers = ledger.writers.iter().filter(|(_, w)| w.alive);
    writers.flat_map(move |(writer, written)| {
        let readers = ledger.readers.iter().filter(|(_, r)| r.alive);
        readers.map(move |(reader, taken)| Pair {
            world,
            writer: *writer,
            reader: *reader,
            offered: &world.scenario.writers[written.plan],
            requested: &world.scenario.readers[taken.plan],
            written,
            taken,
        })
    })
}

impl<'a> Pair<'a> {
    fn is_compatible(&self) -> bool {
        self.requested.reliability <= self.offered.reliability
            && self.requested.durability <= self.offered.durability
    }

    fn is_reliable(&self) -> bool {
        self.requested.reliability == ReliabilityKind::Reliable
    }

    fn is_transient(&self) -> bool {
        self.requested.durability != Durability::Volatile
    }

    fn sink(&self) -> Option<&'a Sink> {
        let sink = self.written.readers.get(&self.reader);
        sink.filter(|sink| sink.matched)
    }

    fn source(&self) -> Option<&'a Source> {
        let source = self.taken.writers.get(&self.writer);
        source.filter(|source| source.matched)
    }

    /// They met once and never parted.
    fn is_steady(&self) -> bool {
        self.sink().is_some_and(|s| s.matches == 1) && self.source().is_some_and(|s| s.matches == 1)
    }

    /// A KEEP_ALL writer loses nothing while it knows its reader. What it wrote in between is lost,
    /// and the reader is told of all of it, unless it forgot the writer in the meantime. What a
    /// transient-local writer forgot of unregistered instances it owes to nobody who joins later.
    fn miscounted(&self, sink: &Sink, source: &Source) -> Option<String> {
        if self.offered.history != History::KeepAll {
            return None;
        }
        let reader = self.world.participant_of(self.reader)?;
        let lost = reader.lost(self.reader.entity).into_iter();
        let lost = lost.filter(|(writer, _)| *writer == self.writer);
        let lost: u64 = lost.map(|(_, count)| count).sum();
        let promised_from = match self.is_transient() {
            true => self.written.origin,
            false => sink.first_last,
        };
        let apart = promised_from + 1..=sink.last;
        let missing = apart.clone().filter(|n| !source.taken.contains(n)).count() as u64;
        let most = if sink.matches == 1 { 0 } else { missing };
        if lost > most {
            return Some(format!("{lost} are counted as lost, at most {most} are"));
        }
        let first = sink.first_last.max(*source.taken.first()?);
        let untold =
            apart.filter(|n| *n > first && self.is_sample(*n) && !source.taken.contains(n));
        let untold = untold.count() as u64;
        let forgets = self.is_transient() && self.offered.ends > 0;
        let keeps = self.requested.history == History::KeepAll;
        (keeps && !forgets && lost < untold)
            .then(|| format!("{untold} are lost and only {lost} are counted"))
    }

    fn reliably_lacking(&self) -> Option<String> {
        if !self.is_reliable() || !self.is_compatible() {
            return None;
        }
        let (Some(sink), Some(source)) = (self.sink(), self.source()) else {
            return Some("not matched".into());
        };
        if let Some(what) = self.miscounted(sink, source) {
            return Some(what);
        }
        let missing: Vec<_> = self
            .required(sink)
            .difference(&source.taken)
            .copied()
            .collect();
        if !missing.is_empty() {
            let end = self.written.last();
            let few = &missing[..missing.len().min(8)];
            let many = missing.len();
            return Some(format!("{many} missing of {end}, the first are {few:?}"));
        }
        let last = SequenceNumber(self.written.last());
        let writer = self.world.participant_of(self.writer)?;
        if !writer.writer(self.writer.entity, |w| w.is_acknowledged(last)) {
            return Some(format!("{} is not acknowledged", last.0));
        }
        let reader = self.world.participant_of(self.reader)?;
        let complete = reader.reader(self.reader.entity, |r| r.is_complete());
        (!complete && self.written.last() > sink.last).then(|| "the reader wants more".into())
    }

    /// Numbers of the samples that a reliable reader must have had since its writer matched it.
    fn required(&self, sink: &Sink) -> BTreeSet<i64> {
        let history = self.history_at(sink.last);
        let all = self.written.numbered();
        let all = all.filter(|(n, _)| *n > sink.last || history.contains(n));
        let all: Vec<_> = match self.offered.history {
            History::KeepAll => all.map(|(n, _)| n).collect(),
            History::KeepLast(depth) => {
                let newest = self.newest(self.written.last(), depth as usize);
                all.map(|(n, _)| n).filter(|n| newest.contains(n)).collect()
            }
        };
        let samples = all.into_iter().filter(|n| self.is_sample(*n));
        match (self.requested.history, self.has_own_instances()) {
            (History::KeepAll, _) => samples.collect(),
            (History::KeepLast(_), false) => BTreeSet::new(),
            (History::KeepLast(_), true) => self.last_of_each(samples),
        }
    }

    /// What a reader that joined then is told of the time before.
    fn history_at(&self, last: i64) -> BTreeSet<i64> {
        match self.is_transient() {
            true => self.kept_at(last),
            false => BTreeSet::new(),
        }
    }

    fn is_sample(&self, number: i64) -> bool {
        let change = self.written.change(number);
        change.is_some_and(|c| c.kind == ChangeKind::Alive)
    }

    fn last_of_each(&self, samples: impl Iterator<Item = i64>) -> BTreeSet<i64> {
        let mut last = BTreeMap::new();
        for number in samples {
            last.insert(self.written.change(number).map(|c| c.handle()), number);
        }
        last.into_values().collect()
    }

    /// Nobody else's samples can take the place of this writer's.
    fn has_own_instances(&self) -> bool {
        let scenario = &self.world.scenario;
        scenario.private || (scenario.writers.len() == 1 && scenario.restarts.is_empty())
    }

    /// The last changes of each instance, up to that number.
    fn newest(&self, last: i64, depth: usize) -> BTreeSet<i64> {
        let mut counts: BTreeMap<InstanceHandle, usize> = BTreeMap::new();
        let changes = self.written.numbered().rev().filter(|(n, _)| *n <= last);
        let newest = changes.filter(|(_, change)| {
            let count = counts.entry(change.handle()).or_default();
            *count += 1;
            *count <= depth
        });
        newest.map(|(n, _)| n).collect()
    }

    /// What a transient-local writer certainly kept when its last number was this: not what was
    /// written of an instance before it was unregistered.
    fn kept_at(&self, last: i64) -> BTreeSet<i64> {
        let depth = match self.offered.history {
            History::KeepLast(depth) => depth as usize,
            History::KeepAll => usize::MAX,
        };
        let mut kept = self.newest(last, depth);
        let limit = self.offered.limit.unwrap_or(u32::MAX);
        kept.retain(|n| *n > last - i64::from(limit));
        for (number, change) in self.written.numbered().filter(|(n, _)| *n <= last) {
            if change.kind.is_unregister() {
                let other =
                    |n: &i64| self.written.change(*n).map(|c| c.handle()) != Some(change.handle());
                kept.retain(|n| *n > number || other(n));
            }
        }
        kept
    }

    fn wrongly_matched(&self) -> Option<String> {
        let (sink, source) = (self.sink().is_some(), self.source().is_some());
        let expected = self.is_compatible();
        if (sink, source) != (expected, expected) {
            return Some(format!(
                "the writer has the reader: {sink}, the reader has the writer: {source}, both should be {expected}"
            ));
        }
        let told = (
            self.written.incompatible.contains(&self.reader),
            self.taken.incompatible.contains(&self.writer),
        );
        (told != (!expected, !expected)).then(|| format!("told that they do not match: {told:?}"))
    }

    /// On a perfect network best effort loses nothing either.
    fn lacking_epilogue(&self) -> Option<String> {
        let source = self.source().filter(|_| !self.is_reliable())?;
        let late = (self.written.before_epilogue + 1)..=self.written.last();
        let samples = late.filter(|n| self.is_sample(*n));
        let required: BTreeSet<_> = match (self.requested.history, self.requested.limit) {
            (History::KeepAll, None) => samples.collect(),
            (History::KeepLast(_), _) if self.has_own_instances() => self.last_of_each(samples),
            _ => return None,
        };
        let missing: Vec<_> = required.difference(&source.taken).collect();
        (!missing.is_empty()).then(|| format!("{missing:?} did not arrive on a perfect network"))
    }

    fn wrong_state(&self) -> Option<String> {
        let exclusive = self.world.scenario.private && self.is_reliable() && self.is_steady();
        let sink = self.sink().filter(|_| exclusive)?;
        let known = self.history_at(sink.last);
        self.newest(self.written.last(), 1)
            .into_iter()
            .find_map(|number| {
                let change = self.written.change(number)?;
                let state = self.taken.states.get(&change.handle());
                let alive = state.map(|s| *s == InstanceState::Alive);
                let right = match change.kind {
                    _ if number <= sink.last && !known.contains(&number) => true,
                    ChangeKind::Alive => alive == Some(true),
                    ChangeKind::Disposed => state == Some(&InstanceState::NotAliveDisposed),
                    _ => alive != Some(true),
                };
                let kind = change.kind;
                let instance = change.handle();
                (!right)
                    .then(|| format!("{instance:?} was last {kind:?} by {number} and is {state:?}"))
            })
    }
}

/// Endpoints that are gone and still matched, and instances that they left behind alive.
fn ghosts(world: &World) -> Option<String> {
    let ledger = &world.ledger;
    for (guid, reader) in ledger.readers.iter().filter(|(_, r)| r.alive) {
        for (writer, source) in &reader.writers {
            let record = &ledger.writers[writer];
            if record.alive {
                continue;
            }
            if source.matched {
                return Some(format!("{guid} still has {writer}"));
            }
            let instances = 0..world.scenario.instances.unwrap_or(0);
            let mut handles = instances.map(|n| sample::handle(Some((record.number << 8) + n)));
            let alive = handles.find(|h| reader.states.get(h) == Some(&InstanceState::Alive));
            if let Some(handle) = alive.filter(|_| world.scenario.private) {
                return Some(format!("{guid} believes {handle:?} of {writer} alive"));
            }
        }
    }
    for (guid, writer) in ledger.writers.iter().filter(|(_, w)| w.alive) {
        let gone = |r: &Guid| !ledger.readers[r].alive;
        let mut matched = writer.readers.iter().filter(|(_, sink)| sink.matched);
        if let Some((reader, _)) = matched.find(|(r, _)| gone(r)) {
            return Some(format!("{guid} still has {reader}"));
        }
    }
    None
}

/// What endpoints still hold when there is nothing left to do.
fn restless(world: &World) -> Option<String> {
    for participant in world.participants() {
        for reader in participant.readers() {
            let holdings = participant.reader(reader, Reader::holdings);
            let guid = Guid::new(participant.prefix(), reader);
            let known = &world.ledger.readers[&guid].writers;
            let lost = participant.lost(reader);
            if let Some(stranger) = lost.iter().find(|(w, _)| !known.contains_key(w)) {
                return Some(format!("{guid} lost what it never asked for: {stranger:?}"));
            }
            if (holdings.early, holdings.early_bytes) != (0, 0) || holdings.samples != 0 {
                return Some(format!("{guid} still holds {holdings:?}"));
            }
        }
        for writer in participant.writers() {
            let guid = Guid::new(participant.prefix(), writer);
            let record = &world.ledger.writers[&guid];
            let kept = participant.writer(writer, Writer::kept);
            let plan = &world.scenario.writers[record.plan];
            let most = match plan.durability {
                Durability::Volatile => 0,
                _ => record.changes.len(),
            };
            let most = most.min(plan.limit.map_or(usize::MAX, |limit| limit as usize));
            if kept > most {
                return Some(format!("{guid} still keeps {kept}"));
            }
        }
    }
    None
}

/// Bounds that hold at all times.
pub(crate) fn over_bounds(world: &World) -> Option<String> {
    for participant in world.participants() {
        for reader in participant.readers() {
            let guid = Guid::new(participant.prefix(), reader);
            let plan = &world.scenario.readers[world.ledger.readers[&guid].plan];
            let (holdings, writers) =
                participant.reader(reader, |r| (r.holdings(), r.writers().count()));
            let most = (plan.max_pending as usize + 1) * writers;
            let most_samples = plan.limit.map_or(usize::MAX, |limit| limit as usize);
            if holdings.early > most || holdings.valid_samples > most_samples {
                return Some(format!("{guid} holds {holdings:?}"));
            }
        }
    }
    None
}
