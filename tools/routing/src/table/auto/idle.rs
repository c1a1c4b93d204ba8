//! What an auto route saw, if it found nothing that it is for.
use crate::plan::{AutoRoute, Filter, Pattern};
use crate::table::known::Known;
use crate::table::{Side, Time};
use dunlin_document::nearest;

/// An auto route that has made no route for so long says what it saw.
const PATIENCE: Time = Time::from_secs(10);
/// Topics of a connection that are compared with the patterns.
const MOST_COMPARED: usize = 1000;
/// What is told of them.
const MOST_TOLD: usize = 3;

/// How long an auto route has found nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Idle {
    /// Its participant is not there yet.
    #[default]
    New,
    /// Looks then.
    Until(Time),
    /// Has looked, and saw this. It does not look again.
    Said(String),
    /// Has made a route.
    Over,
}

impl Idle {
    pub(super) fn look(&mut self, now: Time, seen: impl FnOnce() -> String) {
        match self {
            Self::New => *self = Self::Until(now + PATIENCE),
            Self::Until(at) if *at <= now => *self = Self::Said(seen()),
            Self::Until(_) | Self::Said(_) | Self::Over => {}
        }
    }

    pub(super) fn due(&self) -> Option<Time> {
        match self {
            Self::Until(at) => Some(*at),
            _ => None,
        }
    }

    pub(super) fn said(&self) -> Option<&str> {
        match self {
            Self::Said(text) => Some(text),
            _ => None,
        }
    }
}

/// What is there, and why it is not what the auto route is for. `connections` are those of its
/// domain route.
pub(super) fn seen(plan: &AutoRoute, connections: &[Known], router: u32) -> String {
    let names = |connection: usize, side: Side| {
        let known = connections.get(connection).into_iter();
        let names = known.flat_map(|known| known.names(|via| via.counts(router)));
        let names = names.filter(move |(of, ..)| *of == side);
        names.map(|(_, topic, name)| (topic, name))
    };
    let written: Vec<_> = names(plan.input.connection, Side::Input)
        .take(MOST_COMPARED)
        .collect();
    let near = written
        .iter()
        .filter_map(|(topic, name)| why_not(plan, topic, name));
    let turned = plan.outputs.iter().flat_map(|output| {
        names(output.connection, Side::Input)
            .take(MOST_COMPARED)
            .filter(|(topic, name)| plan.topics.passes(topic) && plan.types.passes(name))
            .map(|(topic, _)| {
                format!("{topic:?} is written where its output writes, not its input")
            })
    });
    let told: Vec<String> = near.chain(turned).take(MOST_TOLD).collect();
    let found = "its patterns have fitted nothing for 10 s";
    if !told.is_empty() {
        return format!("{found}: {}", told.join("; "));
    }
    let others: Vec<_> = written
        .iter()
        .map(|(topic, _)| format!("{topic:?}"))
        .collect();
    match others.len() {
        0 => format!("{found}: no writer was seen where its input reads"),
        count => {
            let some = others.get(..MOST_TOLD.min(count)).unwrap_or_default();
            format!(
                "{found}: seen where its input reads were {} topics, such as {}",
                count,
                some.join(", ")
            )
        }
    }
}

/// Why a topic and type do not pass that nearly do.
fn why_not(plan: &AutoRoute, topic: &str, type_name: &str) -> Option<String> {
    if plan.topics.passes(topic) {
        let is_denied = !plan.types.passes(type_name);
        return is_denied.then(|| {
            format!("{topic:?} has the type {type_name:?}, which its patterns of types do not let through")
        });
    }
    let all = Filter {
        deny: Vec::new(),
        ..plan.topics.clone()
    };
    if all.passes(topic) {
        let mut deny = plan.topics.deny.iter();
        let pattern = deny.find(|pattern| pattern.matches(topic))?.text();
        return Some(format!("{topic:?} is denied by {pattern:?}"));
    }
    let lower = topic.to_lowercase();
    let in_other_case = |pattern: &&Pattern| {
        let pattern = Pattern::parse(&pattern.text().to_lowercase());
        pattern.is_ok_and(|pattern| pattern.matches(&lower))
    };
    let allow = &plan.topics.allow;
    let near = allow.iter().find(in_other_case).map(Pattern::text);
    let near = near.or_else(|| nearest(topic, allow.iter().map(Pattern::text)))?;
    Some(format!("{topic:?} is not {near:?}, but nearly"))
}

#[cfg(test)]
mod tests {
    use crate::plan::{AutoRoute, CreationMode, Filter, Limits, Pattern, RouteSettings};
    use crate::table::tests::{guid, input, output, plan};
    use crate::table::{Table, Time};
    use dunlin::EntityKind;
    use dunlin::observe::WriterData;

    /// A table with an auto route of these topics (and `!` before those that are denied).
    fn table(topics: &[&str], types: &str) -> Table {
        let parse = |text: &str| Pattern::parse(text).unwrap();
        let (deny, allow): (Vec<&str>, Vec<&str>) = topics.iter().partition(|t| t.starts_with('!'));
        let demand = CreationMode::OnDemand { always: true };
        let auto = AutoRoute {
            name: "all".into(),
            enabled: true,
            settings: RouteSettings::toml(),
            topics: Filter {
                allow: allow.into_iter().map(parse).collect(),
                deny: deny.into_iter().map(|t| parse(&t[1..])).collect(),
            },
            types: Filter {
                allow: vec![parse(types)],
                deny: Vec::new(),
            },
            input: input(0, "", demand),
            outputs: vec![output(1, "", demand)],
            renames: Vec::new(),
        };
        let mut plan = plan(Vec::new(), Limits::default());
        plan.domain_routes[0].sessions[0].auto_routes = vec![auto];
        let mut table = Table::new(&plan, 1);
        table.connections(Time::ZERO, &[0], true);
        table.connections(Time::ZERO, &[1], true);
        table.handle_timeout(Time::ZERO);
        table
    }

    fn write(table: &mut Table, connection: usize, number: u8, topic: &str) {
        let data = WriterData::new(guid(number, EntityKind::WriterWithKey), topic, "Shape");
        table.writer(Time::ZERO, connection, Box::new(data));
    }

    fn note_at(table: &mut Table, seconds: u64) -> Option<String> {
        table.handle_timeout(Time::from_secs(seconds));
        table.autos()[0].note_of_idle().map(str::to_owned)
    }

    #[test]
    fn who_finds_nothing_says_after_ten_seconds_what_nearly_fitted() {
        let cases = [
            (
                vec!["Sqare"],
                "*",
                0,
                "\"Square\" is not \"Sqare\", but nearly",
            ),
            (vec!["sq*"], "*", 0, "\"Square\" is not \"sq*\", but nearly"),
            (vec!["*", "!S*"], "*", 0, "\"Square\" is denied by \"S*\""),
            (
                vec!["Square"],
                "Form",
                0,
                "\"Square\" has the type \"Shape\"",
            ),
            (
                vec!["Square"],
                "*",
                1,
                "\"Square\" is written where its output writes",
            ),
            (
                vec!["a/very/other/*"],
                "*",
                0,
                "1 topics, such as \"Square\"",
            ),
            (vec!["a/very/other/*"], "*", 1, "no writer was seen"),
        ];
        for (topics, types, connection, expected) in cases {
            let mut table = table(&topics, types);
            write(&mut table, connection, 1, "Square");
            assert_eq!(table.next_timeout(), Some(Time::from_secs(10)));
            assert_eq!(note_at(&mut table, 9), None);
            let note = note_at(&mut table, 10).unwrap();
            assert!(note.contains(expected), "{topics:?}: {note}");
            assert_eq!(table.next_timeout(), None, "it looks once");
        }
    }

    #[test]
    fn who_finds_something_says_nothing_and_never_will() {
        let mut table = table(&["Square"], "*");
        write(&mut table, 0, 1, "Square");
        assert_eq!(note_at(&mut table, 10), None);
        table.gone(Time::from_secs(10), 0, guid(1, EntityKind::WriterWithKey));
        assert_eq!(note_at(&mut table, 100), None);
    }

    #[test]
    fn what_was_said_goes_with_the_first_route() {
        let mut table = table(&["Square"], "*");
        assert!(note_at(&mut table, 10).is_some());
        write(&mut table, 0, 1, "Square");
        assert_eq!(note_at(&mut table, 11), None);
    }

    #[test]
    fn nothing_is_due_while_its_participant_is_away() {
        let mut table = table(&["Square"], "*");
        table.connections(Time::from_secs(5), &[0], false);
        assert_eq!(note_at(&mut table, 10), None);
        assert_eq!(table.next_timeout(), None);
        table.connections(Time::from_secs(20), &[0], true);
        assert_eq!(note_at(&mut table, 20), None);
        assert_eq!(table.next_timeout(), Some(Time::from_secs(30)));
        assert!(note_at(&mut table, 30).is_some());
    }

    #[test]
    fn very_many_topics_are_told_in_a_line() {
        let mut table = table(&["Square"], "*");
        for number in 0..=255 {
            write(&mut table, 0, number, &format!("Squar{number}"));
        }
        assert!(note_at(&mut table, 10).unwrap().len() < 300);
    }
}
