//! What works, and may still not be what its author wants.

use std::collections::BTreeMap;

use dunlin::{
    DataReaderQos, DataWriterQos, Durability, Duration, History, PublisherQos, ReaderSide,
    ResourceLimits, SubscriberQos, WriterSide, check,
};
use dunlin_document::{Problem, Problems, Span};

use crate::library::{ProfileInfo, ProfileSet};
use crate::settings::Settings;
use crate::{Entity, Profiles};

/// The most that are shown.
const MOST: usize = 200;

/// How often a writer asks silent readers what they have, unless its participant says otherwise.
const HEARTBEAT: Duration = Duration::from_millis(100);

impl Profiles {
    /// Remarks on the files, beside what is wrong with them ([`problems`](Self::problems)):
    /// elements that have no effect here, one remark for each kind and file, and QoS that is
    /// consistent but may surprise.
    pub fn lint(&self) -> Problems {
        let mut remarks = Problems::new(MOST);
        noted(self, &mut remarks);
        let all = self.profiles();
        let files = self.files();
        for info in all.iter().filter(|info| files.contains(&info.span.source)) {
            filters(info, &mut remarks);
            profile(self, info, &mut remarks);
        }
        remarks
    }
}

fn noted(set: &ProfileSet, remarks: &mut Problems) {
    let mut kinds: BTreeMap<_, (Span, &'static str, usize)> = BTreeMap::new();
    for note in set.notes() {
        let key = (note.span.source, note.path.clone());
        kinds
            .entry(key)
            .and_modify(|kind| kind.2 += 1)
            .or_insert((note.span, note.says, 1));
    }
    for ((_, path), (span, says, count)) in kinds {
        let times = match count {
            1 => String::new(),
            count => format!(" ({count} times)"),
        };
        let message = format!("{path} has no effect here{times}: {says}");
        remarks.push(Problem::warning(span, message));
    }
}

/// What stands behind a filter that fits every topic is never asked for.
fn filters(info: &ProfileInfo, remarks: &mut Problems) {
    for entity in Entity::ALL {
        let own = info.own.iter().filter(|(own, _)| *own == entity);
        let mut filters = own.filter_map(|(_, filter)| filter.as_deref());
        if filters.any(|filter| filter == "*")
            && let Some(late) = filters.next()
        {
            let message = format!(
                "<{} topic_filter=\"{late}\"> never applies: \"*\" stands before it",
                entity.element()
            );
            remarks.push(Problem::warning(info.span, message));
        }
    }
}

fn profile(set: &ProfileSet, info: &ProfileInfo, remarks: &mut Problems) {
    let settings = |entity| set.settings(&info.name, entity, None).unwrap_or_default();
    let (writer, reader) = (settings(Entity::Writer), settings(Entity::Reader));
    let (publisher, subscriber) = (settings(Entity::Publisher), settings(Entity::Subscriber));
    let made = (
        writer.writer(),
        reader.reader(),
        publisher.publisher(),
        subscriber.subscriber(),
    );
    // What cannot be made has been reported.
    let (Ok(writer_qos), Ok(reader_qos), Ok(publisher), Ok(subscriber)) = made else {
        return;
    };
    if !writer.is_empty() && !reader.is_empty() {
        mismatch(
            info,
            (&writer_qos, &publisher),
            (&reader_qos, &subscriber),
            remarks,
        );
    }
    if !writer.is_empty() {
        of_writer(info, &writer, &writer_qos, remarks);
    }
    if !reader.is_empty() {
        unlimited(
            info,
            &reader,
            reader_qos.history,
            &reader_qos.resource_limits,
            remarks,
        );
    }
}

fn mismatch(
    info: &ProfileInfo,
    writer: (&DataWriterQos, &PublisherQos),
    reader: (&DataReaderQos, &SubscriberQos),
    remarks: &mut Problems,
) {
    let offered = WriterSide {
        writer: writer.0,
        publisher: writer.1,
    };
    let requested = ReaderSide {
        reader: reader.0,
        subscriber: reader.1,
    };
    for one in check(&offered, &requested) {
        let message = format!("writer and reader of this profile do not match: {one}");
        remarks.push(Problem::warning(info.span, message));
    }
}

fn of_writer(info: &ProfileInfo, settings: &Settings, qos: &DataWriterQos, remarks: &mut Problems) {
    unlimited(info, settings, qos.history, &qos.resource_limits, remarks);
    if qos.reliability.is_reliable() && qos.lifespan < HEARTBEAT {
        let message = format!(
            "samples live {} only, and lost ones are asked for every {HEARTBEAT}: some cannot be \
             repaired in time",
            qos.lifespan
        );
        warn(info, settings, "lifespan", message, remarks);
    }
    if qos.durability >= Durability::Transient {
        let message = format!(
            "{} lasts as long as the writer here: there is no service that keeps samples beyond it",
            qos.durability
        );
        warn(info, settings, "durability", message, remarks);
    }
}

/// Those of this file: what built-in profiles say is well known.
fn unlimited(
    info: &ProfileInfo,
    settings: &Settings,
    history: History,
    limits: &ResourceLimits,
    remarks: &mut Problems,
) {
    let bounded = limits.max_samples.is_some()
        || limits.max_instances.is_some() && limits.max_samples_per_instance.is_some();
    let own = settings.span_below("history");
    let is_own = own.is_some_and(|span| span.source == info.span.source);
    if history == History::KeepAll && !bounded && is_own {
        let message = "KEEP_ALL without resource_limits may take all memory".to_owned();
        warn(info, settings, "history", message, remarks);
    }
}

/// At the element that says so if it stands in the profile's file, else at the profile.
fn warn(
    info: &ProfileInfo,
    settings: &Settings,
    element: &str,
    message: String,
    remarks: &mut Problems,
) {
    let span = settings.span_below(element);
    let span = span.filter(|span| span.source == info.span.source);
    let problem = Problem::warning(span.unwrap_or(info.span), message);
    // Profiles that inherit a line need not all be told of it.
    if !remarks.sorted().contains(&&problem) {
        remarks.push(problem);
    }
}
