//! Matches that wait for a way by memory.
//!
//! Such a way needs an answer of the other process. It is asked for when a writer and a reader
//! match, and nobody is held up until it comes: the match is carried out then, so that the first
//! sample goes by memory, or a little later, by the network. Where there are many ways already, one
//! more is made when the writer writes: most pairs of a large crowd never say anything.
use super::locator_choice::is_possible;
use super::{Matching, OwnParticipant};
use crate::send::local_queue;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_transport::{Begun, Reach, Transport};
use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, ReaderData};
use std::collections::BTreeMap;

/// How long a match waits.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// What has become of the ways to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayChange {
    /// It has answered, or will not: what was asked for is there or never comes.
    Answered,
    /// Some way is not there any more.
    Lost,
    /// What was there has ended for sure.
    Ended,
}

/// Writers of ours with readers that they match, and until when these wait.
#[derive(Default)]
pub(super) struct WaitingMatches(BTreeMap<(Guid, Guid), (Time, Box<ReaderData>)>);

impl WaitingMatches {
    pub(super) fn contains(&self, writer: Guid, reader: Guid) -> bool {
        self.0.contains_key(&(writer, reader))
    }

    /// The match has come to nothing, or is carried out; false if it does not wait.
    pub(super) fn remove(&mut self, writer: Guid, reader: Guid) -> bool {
        self.0.remove(&(writer, reader)).is_some()
    }

    /// The writer is not there any more.
    pub(super) fn remove_writer(&mut self, writer: Guid) {
        self.0.retain(|(of, _), _| *of != writer);
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.0.values().map(|(until, _)| *until).min()
    }

    fn await_way(&mut self, writer: Guid, reader: &ReaderData, until: Time) {
        let key = (writer, reader.guid);
        let until = self.0.get(&key).map_or(until, |(until, _)| *until);
        self.0.insert(key, (until, Box::new(reader.clone())));
    }

    /// Those that have waited long enough.
    fn take_late(&mut self, now: Time) -> Vec<(Guid, Box<ReaderData>)> {
        if self.0.values().all(|(until, _)| *until > now) {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.0).into_iter();
        let (late, others): (BTreeMap<_, _>, _) = all.partition(|(_, (until, _))| *until <= now);
        self.0 = others;
        late.into_iter()
            .map(|((writer, _), (_, reader))| (writer, reader))
            .collect()
    }
}

/// What came of ways by memory that were begun.
#[derive(Default)]
pub(super) struct BegunWays {
    /// One will come, or its refusal.
    is_awaited: bool,
    /// One that is made when it has a use.
    put_off: Option<Locator>,
}

/// Begins to make the ways by memory to these places, if the network leads there as well, so that
/// nobody need wait for the answer. Where there is but memory, whoever wants a way waits for it.
pub(super) fn begin_ways(
    transport: &dyn Transport,
    unicast: &[Locator],
    known: usize,
) -> BegunWays {
    let possible = || {
        unicast
            .iter()
            .filter(|l| !l.is_multicast() && is_possible(l))
    };
    let is_memory = |l: &&Locator| l.kind == Locator::KIND_SHMEM;
    let network = |l: &Locator| l.kind != Locator::KIND_SHMEM && transport.reaches(l) != Reach::No;
    let mut ways = BegunWays::default();
    if !possible().any(network) {
        return ways;
    }
    // All of them are begun.
    for way in possible().filter(is_memory) {
        match transport.begin(way, known) {
            Begun::Awaited => ways.is_awaited = true,
            Begun::PutOff => ways.put_off = Some(*way),
            Begun::Known => {}
        }
    }
    ways
}

impl<P: OwnParticipant> Matching<P> {
    /// A match has to wait for a way to the reader.
    pub(super) fn awaits_way_to(
        &mut self,
        participant: &P,
        now: Time,
        writer: Guid,
        reader: &ReaderData,
    ) -> bool {
        let here = participant.delivers_locally() && local_queue::is_here(&reader.guid);
        let known = self.discovery.participants().len();
        let ways = match here {
            true => BegunWays::default(),
            false => begin_ways(participant.transport(), &reader.unicast, known),
        };
        match ways.put_off {
            Some(way) => self.put_off.insert(reader.guid, way),
            None => self.put_off.remove(&reader.guid),
        };
        if ways.is_awaited {
            let until = now.after(PATIENCE);
            self.waiting.await_way(writer, reader, until);
        }
        ways.is_awaited
    }

    /// The ways to matched readers of a writer that are made when it writes.
    pub(super) fn ways_put_off(&self, writer: EntityId) -> Vec<Locator> {
        if self.put_off.is_empty() {
            return Vec::new();
        }
        let sinks = self.sinks.get(&writer).into_iter().flatten();
        sinks.filter_map(|(_, sink)| sink.put_off).collect()
    }

    /// Whether a writer has matches that wait.
    pub(crate) fn awaits_ways(&self, writer: EntityId) -> bool {
        let mut waiting = self.waiting.0.keys();
        waiting.any(|(of, _)| of.entity == writer)
    }

    /// Matches that have waited long enough, of writers that are still there.
    pub(super) fn late_matches(&mut self, now: Time) -> Vec<(Guid, Box<ReaderData>)> {
        let mut late = self.waiting.take_late(now);
        late.retain(|(writer, _)| self.writers.contains_key(&writer.entity));
        late
    }

    /// The ways to a participant are not what they were, or it has ended.
    pub(crate) fn change_way(&mut self, now: Time, peer: GuidPrefix, change: WayChange) {
        self.peers.remove(&peer);
        if change != WayChange::Answered {
            self.neighbours.forget(&peer);
        }
        match change {
            WayChange::Ended => self.discovery.end(now, peer, &mut self.events),
            WayChange::Answered | WayChange::Lost => {
                self.discovery.relocate(now, peer, &mut self.events);
            }
        }
    }
}
