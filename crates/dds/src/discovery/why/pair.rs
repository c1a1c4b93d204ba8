//! A writer and a reader that do not match, as their announcements show.
use super::{Cause, Endpoints, Finding, Subject, remedy, similar};
use crate::discovery::observe::{TypeDifference, Verdict, uncompared};
use dunlin_qos::PolicyId;
use dunlin_wire::{ReaderData, WriterData};

/// Findings that the worst are chosen from.
const MOST_FOUND: usize = 4096;
/// Pairs of which it is noted that only their names were compared.
const MOST_NAMES: usize = 16;

/// Says of each pair why it does not match.
pub(super) fn examine(subject: Subject<'_>, cast: &Endpoints<'_>, findings: &mut Vec<Finding>) {
    let company = cast.pairs.company();
    for pair in cast.pairs.unmatched() {
        let (writer, reader) = (pair.writer, pair.reader);
        let mut tell = |finding: Finding| findings.push(finding.alike(pair.count));
        if writer.topic != reader.topic {
            tell(other_topic(writer, reader));
            continue;
        }
        match cast.pairs.verdict(&pair) {
            // Only the reader itself knows whom it declines.
            Verdict::Matched | Verdict::Declined => {}
            Verdict::Type(difference) => tell(other_type(writer, reader, &difference)),
            Verdict::Pending => tell(pending(writer, reader)),
            Verdict::Partition => {
                // Partitions are there to keep endpoints apart: of interest is who is alone.
                if pair.is_lonely(&company) || matches!(subject, Subject::Pair(..)) {
                    tell(other_partition(writer, reader));
                }
            }
            Verdict::Qos(mismatches) => {
                let (w, r) = (writer.guid, reader.guid);
                mismatches.iter().for_each(|m| {
                    let what = format!(
                        "writer {w} offers {}, reader {r} requests {}, so the two do not match",
                        m.offered, m.requested
                    );
                    let cause = Cause::Policy(m.policy);
                    tell(Finding::new(cause, [w, r], what, remedy::of(m)));
                });
            }
        }
        // Each pair of classes has its own: what is told in the end is chosen from so many.
        if findings.len() >= MOST_FOUND {
            break;
        }
    }
}

/// Says of pairs that match by name that their types are others, and why these were not compared.
pub(super) fn uncompared_types(cast: &Endpoints<'_>) -> Vec<String> {
    let uncompared = cast.pairs.matched().filter_map(|pair| {
        let (writer, reader) = (pair.writer, pair.reader);
        let (of, why) = uncompared(writer, reader, cast.types)?;
        Some(format!(
            "writer {} and reader {} match by the name of their type alone: their types are not the same, and that of {of} is not known ({why})",
            writer.guid, reader.guid
        ))
    });
    uncompared.take(MOST_NAMES).collect()
}

fn other_topic(writer: &WriterData, reader: &ReaderData) -> Finding {
    let what = format!(
        "writer {} is of topic {:?}, reader {} of topic {:?}",
        writer.guid, writer.topic, reader.guid, reader.topic
    );
    let cure = "Topic names have to be equal, letter by letter";
    Finding::new(Cause::Topic, [writer.guid, reader.guid], what, cure)
}

fn other_type(writer: &WriterData, reader: &ReaderData, difference: &TypeDifference) -> Finding {
    let what = format!(
        "writer {} and reader {} have topic {:?} in common, but {difference}",
        writer.guid, reader.guid, writer.topic
    );
    let cure = match difference {
        TypeDifference::Members(_) => {
            "Types may grow as their extensibility allows it: give both programs definitions that the rules of DDS-XTypes 1.3 7.2.4 allow, or name the topic otherwise"
        }
        TypeDifference::Unavailable { .. } => {
            "Let both programs announce their types and answer questions for them, or let force_type_validation be false: then the names suffice"
        }
        TypeDifference::Name { writer, reader } if similar(writer, reader) => {
            "The names are alike: did one of them get another module or spelling? Type names have to be equal, letter by letter"
        }
        TypeDifference::Name { .. } => {
            "Use the same type on both sides, or another topic name for one of them"
        }
        TypeDifference::Contents { .. } => {
            "Build both programs from the same definition of the type, or let the reader's TYPE_CONSISTENCY_ENFORCEMENT be ALLOW_TYPE_COERCION without force_type_validation: then the names suffice"
        }
        TypeDifference::Unknown { .. } => {
            "Let both programs announce their types, or let force_type_validation be false: then the names suffice"
        }
        TypeDifference::Keys { .. } => {
            "Mark the same members as key in both programs (@key, #[key]) and build both from the same definition of the type"
        }
    };
    Finding::new(Cause::Type, [writer.guid, reader.guid], what, cure)
}

fn pending(writer: &WriterData, reader: &ReaderData) -> Finding {
    let what = format!(
        "writer {} and reader {} have topic {:?} in common and announce types that are not the same; what these are is being asked",
        writer.guid, reader.guid, writer.topic
    );
    let cure = "Ask again in a few seconds";
    Finding::new(Cause::Type, [writer.guid, reader.guid], what, cure)
}

fn other_partition(writer: &WriterData, reader: &ReaderData) -> Finding {
    let (w, r) = (&writer.publisher.partition, &reader.subscriber.partition);
    let what = format!(
        "writer {} is in partition {w}, reader {} in {r}, so the two share none",
        writer.guid, reader.guid
    );
    let patterns = |names: &[String]| names.iter().any(|name| name.contains(['*', '?', '[']));
    let cure = match patterns(&w.0) && patterns(&r.0) {
        true => "Two patterns never match each other: name the partition on one side",
        false => "Put both into one partition; \"\" is the one of those that name none",
    };
    let cause = Cause::Policy(PolicyId::Partition);
    Finding::new(cause, [writer.guid, reader.guid], what, cure)
}
