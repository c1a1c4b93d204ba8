//! What an administrator has said of entities. It stays so when the configuration is read again,
//! and counts for what is made later.
use super::execution::{Ended, Execution};
use super::{Action, UnknownPath};
use crate::plan::{DomainRoute, Plan, Session};
use crate::table::RouteId;
use std::collections::BTreeMap;

/// What counts of it.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// In the order in which it was said: what comes later counts.
    enabled: Vec<Enabled>,
    /// Entities that are paused or not, other than what contains them.
    paused: BTreeMap<String, bool>,
}

/// An entity, and all that it contains, is to be enabled or not.
#[derive(Debug)]
struct Enabled {
    path: String,
    on: bool,
    /// What the configuration said then: when that changes, it counts.
    configured: bool,
}

/// Something of a plan that may be enabled.
struct Flag<'p> {
    path: String,
    enabled: &'p mut bool,
    /// The path of what contains it; the service's is empty.
    within: String,
}

/// Is it the entity at `path`, or in it?
fn is_in(place: &str, path: &str) -> bool {
    let rest = place.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn flags(plan: &mut Plan) -> Vec<Flag<'_>> {
    let service = plan.path().0;
    let mut all = vec![Flag {
        path: service.clone(),
        enabled: &mut plan.enabled,
        within: String::new(),
    }];
    for domain_route in &mut plan.domain_routes {
        let DomainRoute {
            name,
            enabled,
            sessions,
            ..
        } = domain_route;
        let path = format!("{service}/domain_routes/{name}");
        all.push(Flag {
            path: path.clone(),
            enabled,
            within: service.clone(),
        });
        sessions
            .iter_mut()
            .for_each(|one| flags_of(one, &path, &mut all));
    }
    all
}

fn flags_of<'p>(session: &'p mut Session, within: &str, all: &mut Vec<Flag<'p>>) {
    let path = format!("{within}/sessions/{}", session.name);
    all.push(Flag {
        path: path.clone(),
        enabled: &mut session.enabled,
        within: within.to_owned(),
    });
    let routes = session.routes.iter_mut();
    let routes = routes.map(|one| (format!("{path}/routes/{}", one.name), &mut one.enabled));
    let autos = session.auto_routes.iter_mut();
    let autos = autos.map(|one| (format!("{path}/auto_routes/{}", one.name), &mut one.enabled));
    all.extend(routes.chain(autos).map(|(path_of_one, enabled)| Flag {
        path: path_of_one,
        enabled,
        within: path.clone(),
    }));
}

/// Does it start, with all that contains it? `None` if there is no such entity.
fn starts(plan: &mut Plan, path: &str) -> Option<bool> {
    let all = flags(plan);
    let exists = all.iter().any(|flag| flag.path == path);
    let mut above = all.iter().filter(|flag| is_in(path, &flag.path));
    exists.then(|| above.all(|flag| *flag.enabled))
}

/// Enables or disables an entity and all that it contains. What contains it starts with it, but
/// nothing else that has not started.
fn enable(plan: &mut Plan, path: &str, on: bool) {
    let mut all = flags(plan);
    if on {
        // What contains the entity and has not started, from the outermost on.
        let mut closed: Vec<String> = Vec::new();
        let above = all.iter_mut();
        for flag in above.filter(|flag| flag.path != path && is_in(path, &flag.path)) {
            if !std::mem::replace(flag.enabled, true) || !closed.is_empty() {
                closed.push(flag.path.clone());
            }
        }
        let others = all.iter_mut().filter(|flag| !is_in(path, &flag.path));
        for flag in others.filter(|flag| closed.contains(&flag.within)) {
            *flag.enabled = false;
        }
    }
    let own = all.iter_mut().filter(|flag| is_in(&flag.path, path));
    own.for_each(|flag| *flag.enabled = on);
}

impl Words {
    fn enable(&mut self, path: &str, on: bool, configured: bool) {
        self.enabled.retain(|word| !is_in(&word.path, path));
        self.enabled.push(Enabled {
            path: path.to_owned(),
            on,
            configured,
        });
    }

    fn pause(&mut self, path: &str, paused: bool) {
        self.paused.retain(|other, _| !is_in(other, path));
        if self.have_paused(path) != paused {
            self.paused.insert(path.to_owned(), paused);
        }
    }

    /// Was it paused, or what contains it?
    pub(super) fn have_paused(&self, place: &str) -> bool {
        let mut places = std::iter::successors(Some(place), |path| Some(path.rsplit_once('/')?.0));
        let said = places.find_map(|path| self.paused.get(path));
        said.is_some_and(|paused| *paused)
    }

    /// A configuration as it is after what was said.
    pub(super) fn over(&self, configured: &Plan) -> Plan {
        let (mut read, mut plan) = (configured.clone(), configured.clone());
        for word in &self.enabled {
            if starts(&mut read, &word.path) == Some(word.configured) {
                enable(&mut plan, &word.path, word.on);
            }
        }
        plan
    }

    /// Forgets what does not count any more for a configuration that is taken over.
    pub(super) fn forget(&mut self, configured: &Plan) {
        let mut read = configured.clone();
        self.enabled
            .retain(|word| starts(&mut read, &word.path) == Some(word.configured));
    }
}

impl Execution {
    /// What an administrator wants.
    pub(super) fn act(&mut self, path: &str, action: Action) -> Result<Ended, UnknownPath> {
        let all = self.table.routes();
        let named = all.filter(|(_, entry)| is_in(&entry.place.path.0, path));
        let named: Vec<RouteId> = named.map(|(id, _)| id).collect();
        let configured = starts(&mut self.configured, path);
        // A route that an auto route made may be gone, and come again.
        let is_paused = self.words.paused.contains_key(path);
        if named.is_empty() && configured.is_none() && !is_paused {
            return Err(UnknownPath(path.to_owned()));
        }
        match action {
            Action::Enable | Action::Disable => {
                let on = action == Action::Enable;
                if let Some(configured) = configured {
                    self.words.enable(path, on, configured);
                    enable(&mut self.around.plan, path, on);
                    self.enable_sites();
                }
                self.table.enable_autos(|place| is_in(place, path), on);
                let now = self.now();
                for route in named {
                    self.table.enable(now, route, on);
                }
            }
            Action::Pause | Action::Resume => {
                let pauses = action == Action::Pause;
                self.words.pause(path, pauses);
                for route in named {
                    if let Some(ends) = self.routes.get(&route) {
                        ends.core.pause(pauses);
                    }
                }
            }
        }
        Ok(self.carried_out())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Input, Options, load};

    const SERVICE: &str = "/routing_services/s";
    const SESSION: &str = "/routing_services/s/domain_routes/default/sessions/default";

    fn configured(start: &str) -> Plan {
        let text = format!(
            "name = \"s\"\n{start}\nparticipants = {{ a = {{ domain = 0 }}, b = {{ domain = 1 }} }}\n\
             [[routes]]\nfrom = \"a\"\nto = \"b\"\ntopics = [\"A\"]\n\
             [[routes]]\nfrom = \"a\"\nto = \"b\"\ntopics = [\"B\"]\n"
        );
        let name = "s.toml".to_owned();
        let loaded = load(&[Input::Text { name, text }], &Options::default());
        loaded.plan.unwrap()
    }

    fn both(plan: &mut Plan) -> [bool; 2] {
        ["route_1", "route_2"]
            .map(|name| starts(plan, &format!("{SESSION}/auto_routes/{name}")).unwrap())
    }

    #[test]
    fn an_entity_is_enabled_with_what_contains_it_and_nothing_else() {
        let plan = configured("enabled = false");
        let mut words = Words::default();
        assert_eq!(both(&mut words.over(&plan)), [false, false]);
        words.enable(&format!("{SESSION}/auto_routes/route_2"), true, false);
        assert_eq!(both(&mut words.over(&plan)), [false, true]);
        words.enable(SERVICE, true, false);
        assert_eq!(both(&mut words.over(&plan)), [true, true]);
        words.enable(SESSION, false, false);
        assert_eq!(both(&mut words.over(&plan)), [false, false]);
        // The configuration says something else now.
        words.forget(&configured(""));
        assert_eq!(both(&mut words.over(&configured(""))), [true, true]);
    }

    #[test]
    fn what_is_paused_is_so_for_what_comes_later() {
        let mut words = Words::default();
        words.pause(SESSION, true);
        let later = format!("{SESSION}/auto_routes/route_1/routes/Square");
        assert!(words.have_paused(&later) && !words.have_paused(SERVICE));
        words.pause(&format!("{SESSION}/auto_routes/route_1"), false);
        assert!(!words.have_paused(&later) && words.have_paused(SESSION));
        words.pause(SERVICE, false);
        assert!(!words.have_paused(SESSION) && words.paused.is_empty());
    }
}
