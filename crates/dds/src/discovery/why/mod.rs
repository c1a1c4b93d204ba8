//! Why does nothing arrive? What discovery knows and what participants answer, turned into causes
//! and cures.
//!
//! Nothing here asks or waits: [`examine`] looks at a [`Snapshot`] that somebody has gathered, be
//! it a participant that wonders about its own endpoints
//! ([`DomainParticipant::why`](crate::DomainParticipant::why)) or an observer from outside
//! (`dunlin why`). So each cause can be tested with a scene made by hand.
mod delivery;
mod finding;
mod names;
mod pair;
mod participants;
mod remedy;

pub use finding::{Cause, Finding};
pub use names::similar;

use crate::discovery::observe::{
    DiagnosticReply, DiagnosticRequest, Domain, KnownTypes, Verdict, compare,
};
use dunlin_wire::{Guid, GuidPrefix, ReaderData, WriterData};
use std::collections::BTreeSet;

/// Pairs of which both sides are asked; what further ones match is told all the same.
const MOST_PAIRS: usize = 256;

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The domain as the looking participant knows it.
    pub domain: &'a Domain,
    /// What processes told of their endpoints.
    pub answers: &'a [DiagnosticReply],
    /// Other domains, if they were looked at.
    pub elsewhere: &'a [Domain],
    /// What came by the domain's multicast group, if somebody listened to it.
    pub group: Option<&'a Group>,
}

/// What came by a multicast group.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Group {
    /// Announcements of the participant that looks: it hears itself if multicast works on its own
    /// host.
    pub own: bool,
    /// Others that were heard.
    pub heard: BTreeSet<GuidPrefix>,
}

/// What the question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// All endpoints of a topic.
    Topic(&'a str),
    /// A writer and a reader, in either order.
    Pair(Guid, Guid),
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Report {
    /// The writers that were looked at.
    pub writers: Vec<Guid>,
    /// The readers that were looked at.
    pub readers: Vec<Guid>,
    /// How many of their pairs match.
    pub matched: usize,
    /// What stands in the way, the most general first.
    pub findings: Vec<Finding>,
    /// What could not be looked at, and what is as it was asked for, but keeps nothing from
    /// arriving.
    pub notes: Vec<String>,
}

/// The endpoints in question.
struct Endpoints<'a> {
    writers: Vec<&'a WriterData>,
    readers: Vec<&'a ReaderData>,
    types: &'a KnownTypes,
}

impl<'a> Endpoints<'a> {
    fn of(domain: &'a Domain, subject: Subject<'_>) -> Self {
        let wanted = |guid: Guid, topic: &str| match subject {
            Subject::Topic(name) => name == topic,
            Subject::Pair(a, b) => guid == a || guid == b,
        };
        let writers = domain.writers.iter();
        let readers = domain.readers.iter();
        Self {
            writers: writers.filter(|w| wanted(w.guid, &w.topic)).collect(),
            readers: readers.filter(|r| wanted(r.guid, &r.topic)).collect(),
            types: &domain.types,
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a WriterData, &'a ReaderData)> {
        let readers = &self.readers;
        let with_all = |w: &&'a WriterData| {
            let w = *w;
            readers.iter().map(move |r| (w, *r))
        };
        self.writers.iter().flat_map(with_all)
    }

    fn matched(&self) -> impl Iterator<Item = (&'a WriterData, &'a ReaderData)> {
        let types = self.types;
        self.pairs().filter(|(w, r)| suits(w, r, types))
    }
}

/// Do they match, as far as their announcements tell?
fn suits(writer: &WriterData, reader: &ReaderData, types: &KnownTypes) -> bool {
    writer.topic == reader.topic && compare(writer, reader, types) == Verdict::Matched
}

/// The endpoints whose types decide about pairs and are not known.
pub(crate) fn unknown_types(domain: &Domain, subject: Subject<'_>) -> Vec<Guid> {
    let cast = Endpoints::of(domain, subject);
    let pending = cast
        .pairs()
        .filter(|(w, r)| w.topic == r.topic && compare(w, r, cast.types) == Verdict::Pending);
    let both = pending.flat_map(|(w, r)| [w.guid, r.guid]);
    let unknown = both.filter(|endpoint| cast.types.state(*endpoint).is_none());
    let unknown: BTreeSet<Guid> = unknown.collect();
    unknown.into_iter().collect()
}

/// What to ask both sides of each pair that matches, before [`examine`].
pub fn questions(domain: &Domain, subject: Subject<'_>) -> Vec<DiagnosticRequest> {
    let cast = Endpoints::of(domain, subject);
    let both = |(w, r): (&WriterData, &ReaderData)| {
        let ask = |about, other| DiagnosticRequest { about, other };
        [ask(w.guid, r.guid), ask(r.guid, w.guid)]
    };
    cast.matched().take(MOST_PAIRS).flat_map(both).collect()
}

/// Looks for everything that keeps samples from arriving.
pub fn examine(scene: &Snapshot<'_>, subject: Subject<'_>) -> Report {
    let cast = Endpoints::of(scene.domain, subject);
    let mut findings = Vec::new();
    participants::examine(scene, subject, &cast, &mut findings);
    pair::examine(subject, &cast, &mut findings);
    let mut notes = pair::uncompared_types(&cast);
    delivery::examine(scene, &cast, &mut findings, &mut notes);
    let matched = cast.matched().count();
    if matched > 0 && findings.iter().all(|f| f.cause == Cause::Multicast) {
        // They have found each other by other means.
        notes.extend(findings.drain(..).map(|finding| finding.to_string()));
    }
    Report {
        writers: cast.writers.iter().map(|w| w.guid).collect(),
        readers: cast.readers.iter().map(|r| r.guid).collect(),
        matched,
        findings,
        notes,
    }
}

#[cfg(test)]
mod tests;
