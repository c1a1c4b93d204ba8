//! Readers that do not acknowledge what was written: who, by how much, since when, and what they
//! last said. A writer knows them even if the one who looks does not.
use super::participants::describe;
use super::{Cause, Endpoints, Finding, Snapshot};
use crate::discovery::observe::{DiagnosticFact, DiagnosticReply};
use dunlin_qos::Duration;
use dunlin_wire::Guid;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Who waits for less is on time: readers are asked a few times in a second.
const ON_TIME: Duration = Duration::from_secs(2);
/// Who said nothing for so long does not answer.
const SILENT: Duration = Duration::from_secs(3);

/// Says of each writer who is behind, the furthest first.
pub(super) fn examine<'a>(
    scene: &Snapshot<'_>,
    cast: &Endpoints<'_>,
    answer: &impl Fn(Guid, Guid) -> Option<&'a DiagnosticReply>,
    findings: &mut Vec<Finding>,
) {
    let mut behind: BTreeMap<(Guid, Guid), Backlog> = BTreeMap::new();
    for writer in &cast.writers {
        let Some(told) = answer(writer.guid, Guid::UNKNOWN) else {
            continue;
        };
        if let Some(reader) = told.slowest()
            && let Some(backlog) = Backlog::of(told)
        {
            behind.insert((writer.guid, reader), backlog);
        }
        findings.extend(unheard(scene, cast, writer.guid, told));
    }
    for (writer, reader) in cast.asked() {
        if let Some(backlog) = answer(writer.guid, reader.guid).and_then(Backlog::of) {
            behind.insert((writer.guid, reader.guid), backlog);
        }
    }
    let mut behind: Vec<_> = behind.into_iter().collect();
    behind.sort_by_key(|(_, backlog)| Reverse((backlog.unacknowledged, backlog.behind_for)));
    for ((writer, reader), backlog) in behind {
        findings.push(backlog.finding(scene, writer, reader));
    }
}

/// True if a writer matches readers that are not known here.
pub(super) fn knows_readers(scene: &Snapshot<'_>, cast: &Endpoints<'_>) -> bool {
    let writers: BTreeSet<Guid> = cast.writers.iter().map(|w| w.guid).collect();
    scene.answers.iter().any(|answer| {
        writers.contains(&answer.question.about)
            && answer.question.other == Guid::UNKNOWN
            && answer.slowest().is_some()
    })
}

/// The writer's slowest reader is not known here.
fn unheard(
    scene: &Snapshot<'_>,
    cast: &Endpoints<'_>,
    writer: Guid,
    told: &DiagnosticReply,
) -> Option<Finding> {
    let reader = told.slowest()?;
    let known = cast.readers.iter().any(|r| r.guid == reader);
    if known || scene.domain.readers.iter().any(|r| r.guid == reader) || Backlog::of(told).is_some()
    {
        return None; // what is behind is told of it
    }
    let heard = said(told);
    let what = format!("writer {writer} matches reader {reader}, which is not heard here{heard}");
    let cure = "Its process may be stopped, or its announcements do not get here: look at the process, at firewalls and at multicast";
    Some(Finding::new(Cause::Unheard, [writer, reader], what, cure))
}

/// What a reader has not acknowledged.
#[derive(Clone, Copy)]
struct Backlog {
    unacknowledged: i64,
    written: i64,
    behind_for: Duration,
    heard_ago: Option<Duration>,
    asked_for: i64,
    waited_for: bool,
}

impl Backlog {
    /// `None` of a reader that is on time, or of which the writer says nothing.
    fn of(told: &DiagnosticReply) -> Option<Self> {
        let behind_for = Duration::from_nanos(told.fact(DiagnosticFact::BehindFor)?);
        let unacknowledged = told.fact(DiagnosticFact::Unacknowledged)?;
        if unacknowledged <= 0 || behind_for < ON_TIME {
            return None;
        }
        Some(Self {
            unacknowledged,
            behind_for,
            written: told.fact(DiagnosticFact::Written).unwrap_or(0),
            heard_ago: told
                .fact(DiagnosticFact::HeardAgo)
                .map(Duration::from_nanos),
            asked_for: told.fact(DiagnosticFact::AskedFor).unwrap_or(0),
            waited_for: told.fact(DiagnosticFact::NotWaitedFor) != Some(1),
        })
    }

    fn finding(&self, scene: &Snapshot<'_>, writer: Guid, reader: Guid) -> Finding {
        let who = match scene.domain.participant(reader.prefix) {
            Some(data) => format!("reader {reader} of {}", describe(data)),
            None => format!("reader {reader}, which is not heard here,"),
        };
        let last_said = match self.heard_ago {
            None if self.waited_for => "it has never said anything".to_owned(),
            None => {
                "it has never said anything, and the writer waits for it no longer (silent_reader_timeout)"
                    .to_owned()
            }
            Some(ago) => {
                let has = self.written.saturating_sub(self.unacknowledged);
                let asked_for = match self.asked_for {
                    0 => "asked for nothing".to_owned(),
                    some => format!("asked for {some} changes"),
                };
                format!(
                    "{} ago it last said that it has all up to {has}, and {asked_for}",
                    rounded(ago)
                )
            }
        };
        let what = format!(
            "{who} has not acknowledged {} of {} changes of writer {writer}, some for {}; {last_said}",
            self.unacknowledged,
            self.written,
            rounded(self.behind_for)
        );
        let silent = self.heard_ago.is_none_or(|ago| ago >= SILENT);
        let cure = match silent {
            true => {
                "Its process may be stopped or starved, or nothing that it sends gets to the writer: look at the process and at firewalls"
            }
            false => {
                "It is slower than the writer: let it take more quickly, or write less (HISTORY KEEP_LAST, TIME_BASED_FILTER, a content filter)"
            }
        };
        Finding::new(Cause::Behind, [writer, reader], what, cure)
    }
}

fn said(told: &DiagnosticReply) -> String {
    match told.fact(DiagnosticFact::HeardAgo) {
        Some(ago) => format!(
            " and answered the writer {} ago",
            rounded(Duration::from_nanos(ago))
        ),
        None => " and has never answered the writer".to_owned(),
    }
}

/// In tenths of seconds.
fn rounded(duration: Duration) -> String {
    let tenths = duration.as_nanos() / 100_000_000;
    format!("{}.{} s", tenths / 10, tenths % 10)
}
