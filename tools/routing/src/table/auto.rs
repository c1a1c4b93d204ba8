//! Auto routes: a route for each topic and type that passes the patterns.
mod idle;

use super::known::Known;
use super::{Place, RouteId, Side, Time};
use crate::plan::{AutoRoute, Output, Pattern, Route};
use idle::Idle;
use std::collections::BTreeMap;

/// An auto route.
pub(crate) struct Auto {
    pub(crate) place: Place,
    pub(crate) plan: AutoRoute,
    pub(crate) enabled: bool,
    /// By topic and type.
    routes: BTreeMap<(String, String), RouteId>,
    idle: Idle,
}

impl Auto {
    pub(super) fn new(place: Place, plan: AutoRoute, enabled: bool) -> Self {
        Self {
            place,
            plan,
            enabled,
            routes: BTreeMap::new(),
            idle: Idle::default(),
        }
    }

    /// One that is as `known` was goes on waiting, or has said already what it saw.
    pub(super) fn go_on_as(&mut self, known: &Self) {
        if self.plan == known.plan {
            self.idle = known.idle.clone();
        }
    }

    /// Looks once what is there, if it has made no route for a while.
    pub(super) fn look(&mut self, now: Time, connections: &[Known], router: u32) {
        let first = self.place.connections;
        let own = connections.get(first..).unwrap_or_default();
        let input = own.get(self.plan.input.connection);
        if self.enabled && input.is_some_and(|known| known.is_up) {
            self.idle.look(now, || idle::seen(&self.plan, own, router));
        } else if matches!(self.idle, Idle::Until(_)) {
            // It waits anew once its participant is there again.
            self.idle = Idle::New;
        }
    }

    /// When it is to look.
    pub(super) fn due(&self) -> Option<Time> {
        self.idle.due().filter(|_| self.enabled)
    }

    /// What it saw instead of what it is for, if it has found nothing.
    pub(crate) fn note_of_idle(&self) -> Option<&str> {
        self.idle.said()
    }

    /// The route for a topic and type that an endpoint on this side has; `None` if there is one, or
    /// it is not for this auto route.
    pub(super) fn route(
        &self,
        side: Side,
        connection: usize,
        topic: &str,
        type_name: &str,
    ) -> Option<(Place, Route)> {
        let own = connection.checked_sub(self.place.connections)?;
        let names = match side {
            Side::Input if self.plan.input.connection == own => vec![topic.to_owned()],
            // A type of which another is made is not known.
            Side::Output => {
                let mut outputs = self.plan.outputs.iter();
                let is_own =
                    |output: &Output| output.connection == own && output.type_name.is_none();
                match outputs.any(is_own) {
                    true => old_names(topic, &self.plan.renames),
                    false => Vec::new(),
                }
            }
            Side::Input => Vec::new(),
        };
        let mut new = names.into_iter().filter(|name| {
            let key = (name.clone(), type_name.to_owned());
            !self.routes.contains_key(&key)
        });
        new.find_map(|name| self.route_of(&name, type_name))
    }

    /// The route for a topic and type, if these pass.
    pub(super) fn route_of(&self, topic: &str, type_name: &str) -> Option<(Place, Route)> {
        if !self.plan.topics.passes(topic) || !self.plan.types.passes(type_name) {
            return None;
        }
        let named = self.routes.keys().any(|(other, _)| other == topic);
        let name = match named {
            true => format!("{topic} ({type_name})"),
            false => topic.to_owned(),
        };
        let mut input = self.plan.input.clone();
        input.topic = topic.to_owned();
        input.type_name = Some(type_name.to_owned());
        let renamed = rename(topic, &self.plan.renames);
        let outputs = self.plan.outputs.iter().cloned().map(|mut output| {
            output.topic = renamed.clone();
            output
        });
        let route = Route {
            outputs: outputs.collect(),
            name: name.clone(),
            enabled: true,
            settings: self.plan.settings.clone(),
            inputs: vec![input],
        };
        Some((self.place.of(&format!("routes/{name}")), route))
    }

    pub(super) fn note(&mut self, topic: &str, type_name: &str, route: RouteId) {
        let key = (topic.to_owned(), type_name.to_owned());
        self.routes.insert(key, route);
        self.idle = Idle::Over;
    }

    /// Topics and types of its routes.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.routes.keys().map(|(topic, name)| (&**topic, &**name))
    }

    /// Forgets a route; false if it is not one of its own.
    pub(super) fn forget(&mut self, route: RouteId) -> bool {
        let before = self.routes.len();
        self.routes.retain(|_, own| *own != route);
        self.routes.len() < before
    }

    /// Is it a route of its own?
    pub(crate) fn has(&self, route: RouteId) -> bool {
        self.routes.values().any(|own| *own == route)
    }
}

/// The name beyond: that of the first pattern that fits.
pub(crate) fn rename(topic: &str, renames: &[(Pattern, String)]) -> String {
    let found = renames.iter().find(|(pattern, _)| pattern.matches(topic));
    match found {
        None => topic.to_owned(),
        Some((pattern, name)) => name.replacen('*', rest(pattern.text(), topic), 1),
    }
}

/// The names of which that becomes `name` beyond, as far as patterns tell: those that are one name,
/// or have a `*` and no other wildcard.
fn old_names(name: &str, renames: &[(Pattern, String)]) -> Vec<String> {
    let old = renames.iter().filter_map(|(pattern, new)| {
        let text = pattern.text();
        if pattern.is_literally(text) {
            return Some(text.to_owned());
        }
        let (before, after) = new.split_once('*')?;
        let star = name.strip_prefix(before)?.strip_suffix(after)?;
        Some(text.replacen('*', star, 1))
    });
    let mut all: Vec<String> = old.chain([name.to_owned()]).collect();
    // Another pattern may come first.
    all.retain(|old| rename(old, renames) == name);
    all.dedup();
    all
}

/// What the first `*` of a pattern that fits stands for; everything if that is not plain to see.
fn rest<'a>(pattern: &str, topic: &'a str) -> &'a str {
    let Some((before, after)) = pattern.split_once('*') else {
        return topic;
    };
    let rest = topic.strip_prefix(before);
    rest.and_then(|rest| rest.strip_suffix(after))
        .unwrap_or(topic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_takes_over_what_the_star_stands_for() {
        let renames = [("rt/*", "ros/*"), ("[ab]*", "x/*"), ("*", "all")];
        let renames = renames.map(|(p, name)| (Pattern::parse(p).unwrap(), name.to_owned()));
        for (topic, name) in [("rt/scan", "ros/scan"), ("apple", "x/apple"), ("c", "all")] {
            assert_eq!(rename(topic, &renames), name);
        }
        assert_eq!(rename("rt/scan", &[]), "rt/scan");
    }

    #[test]
    fn a_name_beyond_tells_the_old_ones() {
        let renames = [
            ("rt/*", "ros/*"),
            ("one", "x/one"),
            ("[ab]*", "x/*"),
            ("rq/*", "all"),
        ];
        let renames = renames.map(|(p, name)| (Pattern::parse(p).unwrap(), name.to_owned()));
        let old = |name| old_names(name, &renames);
        assert_eq!(old("ros/scan"), ["rt/scan", "ros/scan"]);
        assert_eq!(old("x/one"), ["one", "x/one"]);
        // No topic has these names any more, or too many have.
        assert_eq!((old("rt/scan"), old("apple")), (vec![], vec![]));
        assert_eq!(old("all"), Vec::<String>::new());
        assert_eq!(old("circle"), ["circle"]);
        assert_eq!(old_names("Square", &[]), ["Square"]);
    }
}
