//! Why a connection was not made: zenoh says so in its log only.
use std::sync::{Mutex, Once, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static LAST: Mutex<Option<String>> = Mutex::new(None);
static LISTENS: Once = Once::new();

/// Takes the place of the program's log, unless it has one.
struct Listener;

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("zenoh")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        // "Unable to connect to any of" comes last and has no reason.
        if message.0.starts_with("Unable to connect to ") && !message.0.contains("any of") {
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message.0);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Listens from now on.
pub(crate) fn listen() {
    LISTENS.call_once(|| {
        // A program with a log of its own shows what zenoh says there.
        let _ = tracing::subscriber::set_global_default(Listener);
    });
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The last reason, in a line.
pub(crate) fn reason() -> Option<String> {
    let reason = LAST.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    Some(without_places(&reason))
}

/// Places in zenoh's sources tell a user nothing.
fn without_places(reason: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in reason.split_whitespace() {
        match word.contains("/src/") || word.contains(".rs:") {
            true if words.last() == Some(&"at") => drop(words.pop()),
            true => {}
            false => words.push(word),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_places;

    #[test]
    fn a_reason_is_a_line_without_places() {
        let said = "Unable to connect to tls/h:1! Bad\n certificate at /x/src/unicast.rs:7.";
        assert_eq!(
            without_places(said),
            "Unable to connect to tls/h:1! Bad certificate"
        );
    }
}
