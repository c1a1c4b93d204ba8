//! Why does nothing arrive? What discovery knows and what participants answer, turned into causes
//! and cures.
//!
//! Nothing here asks or waits: [`examine`] looks at a [`Snapshot`] that somebody has gathered, be
//! it a participant that wonders about its own endpoints
//! ([`DomainParticipant::why`](crate::DomainParticipant::why)) or an observer from outside
//! (`dunlin why`). So each cause can be tested with a scene made by hand.
mod backlog;
mod delivery;
mod finding;
mod names;
mod pair;
mod pairs;
mod participants;
mod remedy;

pub use finding::{Cause, Finding};
pub use names::similar;

use crate::discovery::observe::{
    DiagnosticReply, DiagnosticRequest, Domain, KnownTypes, Verdict, compare,
};
use dunlin_wire::{Guid, GuidPrefix, ReaderData, WriterData};
use pairs::Pairs;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of which both sides are asked; what further ones match is told all the same.
const MOST_PAIRS: usize = 128;
/// Writers that are asked who of their readers is furthest behind.
const MOST_WRITERS: usize = 128;
/// Findings of one cause; of more those that concern most pairs are told, and how many there are.
const MOST_FINDINGS: usize = 32;
/// Notes.
const MOST_NOTES: usize = 64;

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
    pairs: Pairs<'a>,
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
        let writers: Vec<_> = writers.filter(|w| wanted(w.guid, &w.topic)).collect();
        let readers: Vec<_> = readers.filter(|r| wanted(r.guid, &r.topic)).collect();
        Self {
            pairs: Pairs::of(&writers, &readers, &domain.types),
            writers,
            readers,
            types: &domain.types,
        }
    }

    /// The pairs of which both sides are asked.
    fn asked(&self) -> Vec<(&'a WriterData, &'a ReaderData)> {
        self.pairs.sample(MOST_PAIRS)
    }
}

/// Do they match, as far as their announcements tell?
fn suits(writer: &WriterData, reader: &ReaderData, types: &KnownTypes) -> bool {
    writer.topic == reader.topic && compare(writer, reader, types) == Verdict::Matched
}

/// The endpoints whose types decide about pairs and are not known: of those that announce the same
/// one.
pub(crate) fn unknown_types(domain: &Domain, subject: Subject<'_>) -> Vec<Guid> {
    let cast = Endpoints::of(domain, subject);
    let pending = cast.pairs.unmatched().filter(|pair| {
        pair.writer.topic == pair.reader.topic && cast.pairs.verdict(pair) == Verdict::Pending
    });
    let both = pending.flat_map(|pair| [pair.writer.guid, pair.reader.guid]);
    let unknown = both.filter(|endpoint| cast.types.state(*endpoint).is_none());
    let unknown: BTreeSet<Guid> = unknown.collect();
    unknown.into_iter().collect()
}

/// What to ask before [`examine`]: each writer who of its readers is furthest behind, and both sides
/// of pairs that match. Of many writers and pairs some are asked, as different ones as possible.
pub fn questions(domain: &Domain, subject: Subject<'_>) -> Vec<DiagnosticRequest> {
    let cast = Endpoints::of(domain, subject);
    let ask = |about, other| DiagnosticRequest { about, other };
    let writers = cast.writers.iter().take(MOST_WRITERS);
    let slowest = writers.map(|w| ask(w.guid, Guid::UNKNOWN));
    let pairs = cast.asked().into_iter();
    let both = pairs.flat_map(|(w, r)| [ask(w.guid, r.guid), ask(r.guid, w.guid)]);
    slowest.chain(both).collect()
}

/// Looks for everything that keeps samples from arriving. Whatever the number of endpoints, it takes
/// little more time and memory than going through them once.
pub fn examine(scene: &Snapshot<'_>, subject: Subject<'_>) -> Report {
    let cast = Endpoints::of(scene.domain, subject);
    let mut findings = Vec::new();
    participants::examine(scene, subject, &cast, &mut findings);
    pair::examine(subject, &cast, &mut findings);
    let mut notes = pair::uncompared_types(&cast);
    delivery::examine(scene, &cast, &mut findings, &mut notes);
    let matched = cast.pairs.count_matched();
    if matched > 0 && findings.iter().all(|f| f.cause == Cause::Multicast) {
        // They have found each other by other means.
        notes.extend(findings.drain(..).map(|finding| finding.to_string()));
    }
    notes.truncate(MOST_NOTES);
    let findings = worst(findings, &mut notes);
    let uncompared = cast.pairs.uncompared();
    if uncompared > 0 {
        notes.push(format!(
            "{uncompared} pairs were not compared: too many endpoints announce something of their own"
        ));
    }
    Report {
        writers: cast.writers.iter().map(|w| w.guid).collect(),
        readers: cast.readers.iter().map(|r| r.guid).collect(),
        matched,
        findings,
        notes,
    }
}

/// Of each cause those that concern most pairs, in the order in which they were found.
fn worst(findings: Vec<Finding>, notes: &mut Vec<String>) -> Vec<Finding> {
    let mut places: BTreeMap<Cause, Vec<(usize, usize)>> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate() {
        let of_cause = places.entry(finding.cause).or_default();
        of_cause.push((finding.alike, place));
    }
    let mut kept = BTreeSet::new();
    for (cause, mut of_cause) in places {
        of_cause.sort_by_key(|(alike, place)| (Reverse(*alike), *place));
        let more = of_cause.len().saturating_sub(MOST_FINDINGS);
        if more > 0 {
            notes.push(format!("{more} further findings of {cause}"));
        }
        kept.extend(
            of_cause
                .into_iter()
                .take(MOST_FINDINGS)
                .map(|(_, place)| place),
        );
    }
    let findings = findings.into_iter().enumerate();
    let findings = findings.filter(|(place, _)| kept.contains(place));
    findings.map(|(_, finding)| finding).collect()
}

#[cfg(test)]
mod crowd_tests;
#[cfg(test)]
mod tests;
