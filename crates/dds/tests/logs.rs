//! What the log says of strangers: names that they choose neither act on a terminal nor look like
//! lines of the log.
mod common;

use common::{Keyed, Net, SOON};
use dunlin::*;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span;

const HOSTILE: &str = "a\u{1b}[2J\u{9b}2J\u{202e}\u{2028}\r\nFAKE";

/// As `Keyed`, under a name of its own.
#[derive(Topic, Clone, Debug, Default)]
#[topic(name = "b\u{1b}[2J\u{9b}2J\u{202e}\u{2028}\r\nFAKE")]
struct Stranger {
    #[key]
    name: String,
}

/// Writes each event to a line, as those subscribers do that print: texts quoted, what is displayed
/// as it is.
struct Log(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

#[test]
fn names_of_strangers_stay_within_their_line() {
    let lines = Arc::default();
    tracing::subscriber::set_global_default(Log(Arc::clone(&lines))).unwrap();
    let net = Net::new(0.0);
    let stranger = net.configured(ParticipantConfig {
        name: HOSTILE.into(),
        // So names decide.
        types: TypeSettings {
            announce: TypeAnnouncement::None,
            ..Default::default()
        },
        ..Default::default()
    });
    let own = net.participant();
    // A type of another name, and a filter that cannot be understood here.
    let _theirs = common::writer::<Stranger>(&stranger, HOSTILE, Default::default());
    let ours = common::reader::<Keyed>(&own, HOSTILE, Default::default());
    let topic = stranger
        .create_topic::<Stranger>("filtered", Default::default())
        .unwrap();
    let expression = format!("name <> '{HOSTILE}'");
    let part = stranger
        .create_contentfilteredtopic("part", &topic, &expression, &[] as &[&str])
        .unwrap();
    let subscriber = stranger.create_subscriber(Default::default());
    let reader = subscriber.create_datareader(&part, Default::default());
    let writer = common::writer::<Stranger>(&own, "filtered", Default::default());
    writer.wait_for_matched(1, SOON).unwrap();
    let set = WaitSet::new();
    let condition = own
        .create_topic::<Keyed>(HOSTILE, Default::default())
        .unwrap()
        .status_condition();
    condition.set_enabled_statuses(StatusKind::InconsistentTopic.into());
    set.attach(condition);
    set.wait(SOON).unwrap();
    drop((ours, reader));
    let lines = lines.lock().unwrap();
    let told = |words: &str| lines.iter().any(|line| line.contains(words));
    assert!(told("participant found"), "{lines:#?}");
    assert!(told("has another type"), "{lines:#?}");
    for line in lines.iter() {
        assert!(line.chars().all(is_printable), "{line}");
    }
}
