//! A writer and a reader that match: how far samples come, as both processes tell.
use super::backlog;
use super::participants::{addresses, describe};
use super::{Cause, Endpoints, Finding, Snapshot, suits};
use crate::discovery::observe::{
    DiagnosticFact, DiagnosticReply, DiagnosticRequest, PeerState, vendor_name,
};
use dunlin_qos::{Duration, Ownership, PolicyId, Printable};
use dunlin_rtps::ReaderFilter;
use dunlin_wire::{Guid, ReaderData, VendorId, WriterData};
use std::collections::{BTreeMap, BTreeSet};

/// A listener that takes longer for a call is told of.
const SLOW_LISTENER: Duration = Duration::from_millis(10);

/// What was said already: each reader's counts are told once, whatever the number of its writers.
type EnvironmentPeers = BTreeSet<(String, Guid, Guid)>;

/// A pair with what both sides answered.
struct Look<'a> {
    writer: &'a WriterData,
    reader: &'a ReaderData,
    of_writer: Option<&'a DiagnosticReply>,
    of_reader: Option<&'a DiagnosticReply>,
}

/// Says of each pair that matches what keeps its samples.
pub(super) fn examine(
    scene: &Snapshot<'_>,
    cast: &Endpoints<'_>,
    findings: &mut Vec<Finding>,
    notes: &mut Vec<String>,
) {
    let mut said = EnvironmentPeers::new();
    let answers = scene.answers.iter().map(|answer| (answer.question, answer));
    let answers: BTreeMap<_, _> = answers.collect();
    let answer = |about, other| answers.get(&DiagnosticRequest { about, other }).copied();
    backlog::examine(scene, cast, &answer, findings);
    let mut silent = BTreeSet::new();
    let mut readers = BTreeSet::new();
    for (writer, reader) in cast.asked() {
        let look = Look {
            writer,
            reader,
            of_writer: answer(writer.guid, reader.guid),
            of_reader: answer(reader.guid, writer.guid),
        };
        for (guid, answer) in [(writer.guid, look.of_writer), (reader.guid, look.of_reader)] {
            if answer.is_none() {
                silent.insert(guid.prefix);
            }
        }
        let before = findings.len();
        look.acquaintance(scene, &mut said, findings);
        if findings.len() == before {
            look.counts(cast, &mut said, findings);
        }
        notes.extend(look.given_up_filter());
        if let Some(note) = look.duplicates()
            && readers.insert(reader.guid)
        {
            notes.push(note);
        }
    }
    for prefix in silent {
        let Some(data) = scene.domain.participant(prefix) else {
            continue;
        };
        let who = describe(data);
        notes.push(match data.vendor {
            VendorId::DUNLIN => format!("{who} did not tell how far its samples came"),
            vendor => format!(
                "{who} is of {}, which does not tell how far its samples came",
                vendor_name(vendor).unwrap_or("another product")
            ),
        });
    }
}

impl Look<'_> {
    /// Does each of the two processes know the other?
    fn acquaintance(
        &self,
        scene: &Snapshot<'_>,
        said: &mut EnvironmentPeers,
        findings: &mut Vec<Finding>,
    ) {
        let (w, r) = (self.writer.guid, self.reader.guid);
        let sides = [(self.of_writer, w, r), (self.of_reader, r, w)];
        for (answer, about, other) in sides {
            let known = answer.and_then(|a| PeerState::of(a.fact(DiagnosticFact::PeerState)?));
            let Some(known) = known else { continue };
            if let Some(finding) = self.strange(scene, known, about, other)
                && said.insert((finding.cause.to_string(), key(about), key(other)))
            {
                findings.push(finding);
            }
        }
    }

    fn strange(
        &self,
        scene: &Snapshot<'_>,
        known: PeerState,
        about: Guid,
        other: Guid,
    ) -> Option<Finding> {
        let who = |guid: Guid| match scene.domain.participant(guid.prefix) {
            Some(data) => describe(data),
            None => format!("participant {:?}", guid.prefix),
        };
        let (near, far) = (who(about), who(other));
        let both = [about, other];
        let data = scene.domain.participant(other.prefix);
        let finding = |cause, what: String, cure: &str| Some(Finding::new(cause, both, what, cure));
        match known {
            PeerState::Matched => None,
            PeerState::Stranger => finding(
                Cause::Unheard,
                format!("{near} has not heard of {far}"),
                "Announcements do not get from the one to the other: let multicast through between them (firewalls, switches, DUNLIN_INTERFACES), or name a peer on one side: DUNLIN_PEERS=ADDRESS",
            ),
            PeerState::Ignored => finding(
                Cause::Ignored,
                format!("the application of {near} ignores {other} of {far}"),
                "It asked for that (ignore_participant, ignore_topic, ignore_publication, ignore_subscription); only a new participant hears of it again",
            ),
            PeerState::Announced => finding(
                Cause::Unanswering,
                format!(
                    "{near} hears the announcements of {far}, but no answer by unicast (addresses {})",
                    addresses(data.map_or(&[], |data| &data.metatraffic_unicast))
                ),
                "A firewall may drop unicast UDP between the two: let it through in both directions",
            ),
            PeerState::Participant => finding(
                Cause::Unheard,
                format!("{near} knows {far}, but not yet its endpoint {other}"),
                "Look again in a second; if it stays so, descriptions of endpoints get lost between the two, larger datagrams perhaps (MTU, fragments)",
            ),
            PeerState::Unsuitable => finding(
                Cause::Topic,
                format!(
                    "{near} holds that {about} and {other} do not match, though their announcements do"
                ),
                "Do both processes have the same version of Dunlin? Its log names the policy",
            ),
            PeerState::Unreachable => finding(
                Cause::Unreachable,
                format!(
                    "{near} matches {other}, but none of its addresses can be reached from there"
                ),
                "The two hosts have no network in common: look at the interfaces that they use (DUNLIN_INTERFACES) and at the routes",
            ),
        }
    }

    /// Keeps no sample from arriving: the reader filters by itself.
    fn given_up_filter(&self) -> Option<String> {
        let given_up = self
            .of_writer
            .and_then(|a| a.fact(DiagnosticFact::FilterGivenUp));
        given_up.filter(|is| *is == 1).map(|_| {
            let (w, r) = (self.writer.guid, self.reader.guid);
            let filter = self.reader.content_filter.as_ref();
            let expression = filter.map_or("", |filter| &filter.expression);
            let most = ReaderFilter::STEPS;
            format!(
                "writer {w} sends reader {r} every sample, and the reader filters by itself: for one sample the content filters of the writer's \
                 readers took more than {most} steps, and that of this reader ({expression}) the most; fewer or shorter patterns, or shorter \
                 texts, take fewer"
            )
        })
    }

    /// Keeps no sample from arriving: each is shown once.
    fn duplicates(&self) -> Option<String> {
        let duplicates = self.of_reader?.fact(DiagnosticFact::Duplicate);
        duplicates.filter(|count| *count > 0).map(|count| {
            let r = self.reader.guid;
            format!(
                "reader {r} has left out {count} samples that had come already by another way, such as a second Routing Service"
            )
        })
    }

    /// What the two have counted.
    fn counts(
        &self,
        cast: &Endpoints<'_>,
        said: &mut EnvironmentPeers,
        findings: &mut Vec<Finding>,
    ) {
        let (w, r) = (self.writer.guid, self.reader.guid);
        let of_writer = |fact| self.of_writer.and_then(|a| a.fact(fact));
        let of_reader = |fact| self.of_reader.and_then(|a| a.fact(fact)).unwrap_or(0);
        let before = findings.len();
        let mut tell = |of: (Guid, Guid), finding: Finding| {
            if said.insert((finding.cause.to_string(), of.0, of.1)) {
                findings.push(finding);
            }
        };
        let policy = Cause::Policy;
        if of_writer(DiagnosticFact::Written) == Some(0) {
            let what = format!("writer {w} has written nothing yet");
            let cure = "Look at the program that owns it; it may be waiting for something";
            tell((w, w), Finding::new(Cause::NothingWritten, [w], what, cure));
        }
        if of_writer(DiagnosticFact::Silent) == Some(1) || of_reader(DiagnosticFact::Silent) == 1 {
            let liveliness = self.writer.qos.liveliness;
            let what = format!(
                "writer {w} has not shown its life within its lease ({liveliness}), so to reader {r} its instances have no live writer"
            );
            let cure = "Write or call assert_liveliness more often than the lease, or lengthen it; with AUTOMATIC the process may be stopped or starved";
            tell(
                (w, w),
                Finding::new(policy(PolicyId::Liveliness), [w, r], what, cure),
            );
        }
        if of_reader(DiagnosticFact::NotOwner) > 0
            && let Some(owner) = self.owner(cast)
        {
            let what = format!(
                "reader {r} has passed over {} changes of weaker writers so far: writer {w} has strength {}, writer {} has {}",
                of_reader(DiagnosticFact::NotOwner),
                self.writer.qos.ownership_strength,
                owner.guid,
                owner.qos.ownership_strength
            );
            let cure = "An instance with OWNERSHIP EXCLUSIVE belongs to its strongest live writer: raise the strength, or stop the stronger one";
            let cause = policy(PolicyId::OwnershipStrength);
            tell((w, r), Finding::new(cause, [w, r, owner.guid], what, cure));
        }
        self.filters(&of_reader, &mut tell);
        self.limits(&of_reader, &mut tell);
        let takes = Duration::from_nanos(of_reader(DiagnosticFact::ListenerTakes));
        if takes >= SLOW_LISTENER {
            let what = format!(
                "the listener of reader {r} takes about {} ms for each call, and whatever else its thread receives waits meanwhile",
                takes.as_nanos() / 1_000_000
            );
            let cure = "Hand what takes long to a thread of your own, or take samples there with a WaitSet; for data from writers of the same process \
                 DUNLIN_LISTENERS=receiving keeps it out of write";
            tell((r, r), Finding::new(Cause::SlowListener, [r], what, cure));
        }
        let written = of_writer(DiagnosticFact::Written).unwrap_or(0);
        let taken_in = self.of_reader.and_then(|a| a.fact(DiagnosticFact::TakenIn));
        let explained = findings.len() > before;
        if written > 0 && taken_in == Some(0) && !explained {
            let what = format!(
                "writer {w} has written {written} changes, of which none reached reader {r}: it may have joined after them (it requests {}, the writer offers {})",
                self.reader.qos.durability, self.writer.qos.durability
            );
            let cure = "For what was written before: TRANSIENT_LOCAL on both sides, RELIABLE, and a HISTORY that keeps enough";
            findings.push(Finding::new(Cause::NothingWritten, [w, r], what, cure));
        }
    }

    /// What readers pass over because they were told to.
    fn filters(
        &self,
        count: &dyn Fn(DiagnosticFact) -> i64,
        tell: &mut dyn FnMut((Guid, Guid), Finding),
    ) {
        let (w, r) = (self.writer.guid, self.reader.guid);
        // Both let samples pass and others not, as they were told; of interest is who gets none, or
        // hardly any.
        if count(DiagnosticFact::TooSoon) > 0
            && count(DiagnosticFact::TooSoon) >= count(DiagnosticFact::TakenIn)
        {
            let what = format!(
                "reader {r} takes one sample of an instance in {} and has passed over {} that came sooner",
                self.reader.qos.time_based_filter,
                count(DiagnosticFact::TooSoon)
            );
            let cure = "Shorten the minimum separation if more are wanted";
            let cause = Cause::Policy(PolicyId::TimeBasedFilter);
            tell((r, r), Finding::new(cause, [r], what, cure));
        }
        // Dunlin's writers filter for their readers, so what did not even come cannot be counted
        // there.
        let written = self.of_writer.and_then(|a| a.fact(DiagnosticFact::Written));
        let total = count(DiagnosticFact::Filtered).max(written.unwrap_or(0));
        let filter = self.reader.content_filter.as_ref();
        let filters =
            count(DiagnosticFact::Filtered) > 0 || (filter.is_some() && self.of_reader.is_some());
        if filters && total > 0 && count(DiagnosticFact::TakenIn) == 0 {
            let expression = filter.map_or(String::new(), |filter| {
                let parameters = filter.parameters.join(", ");
                let (expression, parameters) =
                    (Printable(&filter.expression), Printable(&parameters));
                format!(" ({expression} with [{parameters}])")
            });
            let what = format!(
                "the content filter of reader {r}{expression} has let none of {total} samples pass"
            );
            let cure = "Compare its expression and parameters with what is written";
            tell((r, r), Finding::new(Cause::ContentFilter, [r], what, cure));
        }
        if count(DiagnosticFact::Expired) > 0 {
            let what = format!(
                "{} samples expired in reader {r} before anybody took them: writer {w} gives them a lifespan of {}",
                count(DiagnosticFact::Expired),
                self.writer.qos.lifespan
            );
            let cure =
                "Lengthen the lifespan, take more often, and compare the clocks of the two hosts";
            let cause = Cause::Policy(PolicyId::Lifespan);
            tell((r, r), Finding::new(cause, [w, r], what, cure));
        }
        if count(DiagnosticFact::Outdated) > 0 {
            let what = format!(
                "reader {r} orders by source timestamp and has passed over {} samples that were older than what it had",
                count(DiagnosticFact::Outdated)
            );
            let cure = "Compare the clocks of the hosts that write";
            let cause = Cause::Policy(PolicyId::DestinationOrder);
            tell((r, r), Finding::new(cause, [r], what, cure));
        }
    }

    /// What readers could not take in.
    fn limits(
        &self,
        count: &dyn Fn(DiagnosticFact) -> i64,
        tell: &mut dyn FnMut((Guid, Guid), Finding),
    ) {
        let r = self.reader.guid;
        if count(DiagnosticFact::Rejected) > 0 || count(DiagnosticFact::Blocked) == 1 {
            let limits = self.reader.qos.resource_limits;
            let named = [
                (limits.max_samples, "max_samples"),
                (limits.max_instances, "max_instances"),
                (limits.max_samples_per_instance, "max_samples_per_instance"),
            ];
            let named = named
                .iter()
                .filter_map(|(n, name)| n.map(|n| format!("{name} {n}")));
            let what = format!(
                "reader {r} is full: it refused samples {} times ({}) and holds {} that nobody has taken",
                count(DiagnosticFact::Rejected),
                named.collect::<Vec<_>>().join(", "),
                count(DiagnosticFact::Held)
            );
            let cure = "Take samples (read leaves them), or raise the limits; a reliable writer waits for the room";
            let cause = Cause::Policy(PolicyId::ResourceLimits);
            tell((r, r), Finding::new(cause, [r], what, cure));
        }
        if count(DiagnosticFact::Lost) > 0 {
            let dropped = match count(DiagnosticFact::DatagramsDropped) {
                0 => String::new(),
                dropped => format!("; its process did not fetch {dropped} datagrams in time"),
            };
            let what = format!(
                "reader {r} has lost {} samples{dropped}",
                count(DiagnosticFact::Lost)
            );
            let cure = "Request RELIABLE if none may be lost, take more quickly, or raise net.core.rmem_max";
            tell((r, r), Finding::new(Cause::Lost, [r], what, cure));
        }
        if count(DiagnosticFact::DeadlinesMissed) > 0 {
            let what = format!(
                "reader {r} expects a sample of each instance in {} and missed it {} times",
                self.reader.qos.deadline,
                count(DiagnosticFact::DeadlinesMissed)
            );
            let cure = "Look at what the writers do, or lengthen the deadline";
            let cause = Cause::Policy(PolicyId::Deadline);
            tell((r, r), Finding::new(cause, [r], what, cure));
        }
    }

    /// The stronger writer to which the reader listens instead (DDS 1.4 2.2.3.9.2).
    fn owner<'a>(&self, cast: &Endpoints<'a>) -> Option<&'a WriterData> {
        let strength = |w: &WriterData| (w.qos.ownership_strength, w.guid);
        let stronger = cast.writers.iter().copied().filter(|other| {
            other.qos.ownership == Ownership::Exclusive
                && strength(other) > strength(self.writer)
                && suits(other, self.reader, cast.types)
        });
        stronger.max_by_key(|w| strength(w))
    }
}

/// One word for each pair of participants is enough.
fn key(guid: Guid) -> Guid {
    Guid {
        entity: dunlin_wire::EntityId::PARTICIPANT,
        ..guid
    }
}
