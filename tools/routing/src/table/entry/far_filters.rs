//! What the readers beyond want of a topic, to be asked of the sources: a route that propagates
//! filters has its inputs say which samples somebody wants at all.
//!
//! A wider filter is said at once, since somebody waits for what it lets through. A narrower one
//! only saves what nobody takes: it waits for others that change, a while.
use super::{Entry, View};
use crate::plan::{ContentFilter, FilterPropagation, passes_all_on};
use crate::table::Time;
use dunlin::observe::{ContentFilterProperty, ReaderData};
use std::collections::BTreeSet;

/// So many filters are asked for at most; more of them leave little out.
const MOST: usize = 32;

/// The samples that pass one of these filters; `None`: all of them.
pub(crate) type Asked = Option<BTreeSet<ContentFilter>>;

#[derive(Debug, Default)]
pub(super) struct FarFilters {
    /// What the readers want now.
    wanted: Asked,
    /// What the sources are asked for: that, and what is not taken back yet.
    asked: Asked,
    /// Changes that wait, and since when.
    waits: Option<(u32, Time)>,
}

impl FarFilters {
    /// The readers want this now.
    fn see(&mut self, now: Time, propagation: FilterPropagation, wanted: Asked) {
        let delay = Time::try_from(propagation.max_event_delay).unwrap_or(Time::MAX / 4);
        if self.wanted != wanted {
            let (count, since) = self.waits.unwrap_or((0, now));
            self.waits = Some((count.saturating_add(1), since));
            match (&mut self.asked, &wanted) {
                (asked, None) => *asked = None,
                (Some(asked), Some(wanted)) => asked.extend(wanted.iter().cloned()),
                (None, Some(_)) => {}
            }
            self.wanted = wanted;
        }
        let is_over = |(count, since): (u32, Time)| {
            count >= propagation.max_event_count || now >= since + delay
        };
        if self.waits.is_some_and(is_over) || self.asked == self.wanted {
            self.asked.clone_from(&self.wanted);
            self.waits = None;
        }
    }

    /// When to look again.
    pub(super) fn due(&self, propagation: Option<FilterPropagation>) -> Option<Time> {
        let delay = Time::try_from(propagation?.max_event_delay).ok()?;
        self.waits.map(|(_, since)| since + delay)
    }
}

impl Entry {
    /// Looks at the filters of the readers beyond.
    pub(super) fn see_filters(&mut self, now: Time, view: View<'_>) {
        let Some(propagation) = self.plan.settings.filter_propagation else {
            return;
        };
        let wanted = match passes_all_on(&self.plan.settings, &self.plan.outputs) {
            true => asked_by(self.all_readers(view)),
            // What comes out is not what the filters speak of.
            false => None,
        };
        self.far_filters.see(now, propagation, wanted);
    }

    /// What the sources are asked for.
    pub(super) fn asked(&self) -> Asked {
        self.far_filters.asked.clone()
    }
}

/// Nobody knows what a reader wants that is not there yet.
fn asked_by<'a>(readers: impl Iterator<Item = &'a ReaderData>) -> Asked {
    let mut all = BTreeSet::new();
    for reader in readers {
        let filter = reader.content_filter.as_ref();
        let filter = filter.filter(|filter| filter.class == ContentFilterProperty::SQL)?;
        all.insert(ContentFilter {
            expression: filter.expression.clone(),
            parameters: filter.parameters.clone(),
        });
        if all.len() > MOST {
            return None;
        }
    }
    // What cannot be put together is not asked for either.
    (!all.is_empty() && ContentFilter::any_of(&all).is_some()).then_some(all)
}

/// Does one let through what the other does not?
pub(super) fn is_wider(asked: &Asked, before: &Asked) -> bool {
    match (asked, before) {
        (None, before) => before.is_some(),
        (Some(_), None) => false,
        (Some(asked), Some(before)) => !asked.is_subset(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CreationMode, Limits, Plugin, Route};
    use crate::table::tests::{guid, plan, route, typed};
    use crate::table::{Command, Side, Table};
    use dunlin::EntityKind;

    const PROPAGATION: FilterPropagation = FilterPropagation {
        max_event_count: 3,
        max_event_delay: dunlin::Duration::from_millis(400),
    };

    fn reader(number: u8, filter: Option<&str>) -> Box<ReaderData> {
        let guid = guid(number, EntityKind::ReaderWithKey);
        let mut data = ReaderData::new(guid, "Square", "Shape");
        data.content_filter = filter.map(|expression| ContentFilterProperty {
            topic: "part".into(),
            related_topic: "Square".into(),
            class: ContentFilterProperty::SQL.into(),
            expression: expression.into(),
            parameters: Vec::new(),
        });
        Box::new(data)
    }

    /// A service whose route has its endpoints, and what its input asks for.
    struct Asking(Table, Vec<String>);

    impl Asking {
        fn new(change: impl FnOnce(&mut Route)) -> Self {
            let mode = CreationMode::Immediate;
            let mut route = typed(route("Square", 0, (mode, mode)));
            route.settings.filter_propagation = Some(PROPAGATION);
            change(&mut route);
            let mut table = Table::new(&plan(vec![route], Limits::default()), 5);
            table.connections(Time::ZERO, &[0, 1], true);
            Self(table, Vec::new())
        }

        fn come(&mut self, millis: u64, number: u8, filter: Option<&str>) {
            let now = Time::from_millis(millis);
            self.0.reader(now, 1, reader(number, filter));
        }

        fn go(&mut self, millis: u64, number: u8) {
            let guid = guid(number, EntityKind::ReaderWithKey);
            self.0.gone(Time::from_millis(millis), 1, guid);
        }

        /// What it asks for then; nothing is everything.
        fn at(&mut self, millis: u64) -> &[String] {
            let now = Time::from_millis(millis);
            self.0.handle_timeout(now);
            loop {
                let commands = self.0.take_commands();
                if commands.is_empty() {
                    return &self.1;
                }
                for command in commands {
                    let (slot, design) = match command {
                        Command::Make(route, slot, design) => {
                            self.0.made(now, route, slot);
                            (slot, design)
                        }
                        Command::Change(_, slot, design) => (slot, design),
                        _ => continue,
                    };
                    if slot.side == Side::Input {
                        let all = design.asked.unwrap_or_default();
                        self.1 = all.into_iter().map(|filter| filter.expression).collect();
                    }
                }
            }
        }
    }

    const ALL: [&str; 0] = [];

    #[test]
    fn wider_filters_are_asked_for_at_once_and_narrower_ones_after_a_while() {
        let mut asking = Asking::new(|_| {});
        asking.come(1_000, 1, Some("x > 5"));
        assert_eq!(asking.at(1_000), ALL);
        assert_eq!(asking.at(1_399), ALL);
        assert_eq!(asking.at(1_400), ["x > 5"]);
        asking.come(1_410, 2, Some("x < 2"));
        assert_eq!(asking.at(1_410), ["x < 2", "x > 5"]);
        // One wants everything, and goes.
        asking.come(1_500, 3, None);
        assert_eq!(asking.at(1_500), ALL);
        asking.go(3_000, 3);
        assert_eq!(asking.at(3_399), ALL);
        assert_eq!(asking.at(3_400), ["x < 2", "x > 5"]);
        asking.go(4_000, 1);
        assert_eq!(asking.at(4_399), ["x < 2", "x > 5"]);
        assert_eq!(asking.at(4_400), ["x < 2"]);
        // Nobody is left: it is not known what the next one wants.
        asking.go(5_000, 2);
        assert_eq!(asking.at(5_000), ALL);
    }

    #[test]
    fn many_changes_are_not_waited_for() {
        let mut asking = Asking::new(|_| {});
        asking.come(500, 9, None);
        assert_eq!(asking.at(500), ALL);
        asking.come(1_000, 1, Some("x > 5"));
        asking.go(1_000, 9);
        asking.come(1_000, 2, Some("x > 6"));
        assert_eq!(asking.at(1_000), ALL);
        asking.come(1_000, 3, Some("x > 7"));
        assert_eq!(asking.at(1_000), ["x > 5", "x > 6", "x > 7"]);
    }

    #[test]
    fn what_cannot_be_put_together_is_everything() {
        for bad in ["x > 1) OR (y > 2", "", "x = %0"] {
            let mut asking = Asking::new(|_| {});
            asking.come(1_000, 1, Some("x > 5"));
            assert_eq!(asking.at(2_000), ["x > 5"]);
            asking.come(3_000, 2, Some(bad));
            assert_eq!(asking.at(3_000), ALL, "{bad}");
        }
        let mut asking = Asking::new(|_| {});
        for number in 0..40 {
            let expression = format!("x = {number}");
            asking.come(1_000, number + 1, Some(&expression));
        }
        assert_eq!(asking.at(2_000), ALL);
    }

    #[test]
    fn a_processor_may_make_something_else_of_samples() {
        let mut asking = Asking::new(|route| {
            route.settings.processor = Some(Plugin {
                class: "forward".into(),
                properties: Default::default(),
            });
        });
        asking.come(1_000, 1, Some("x > 5"));
        assert_eq!(asking.at(2_000), ALL);
    }
}
