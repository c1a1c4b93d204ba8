//! How a service finds out what the types of its routes are.
use super::execution::Execution;
use super::site::Site;
use crate::table::{OpenType, RouteId, Time};
use crate::types::{Knowledge, RouteType, TypeSource};
use dunlin::observe::TypeState;

/// Answers are looked for so often.
const LOOK: Time = Time::from_millis(20);

impl Execution {
    /// Tells the routes that want to know it what their types are, and asks sources; returns when to
    /// do so again.
    pub(super) fn learn_types(&mut self, now: Time) -> Option<Time> {
        let mut waits = false;
        for open in self.table.open_types() {
            let OpenType { route, name, .. } = &open;
            let of_file = name.as_ref().and_then(|n| self.around.plan.types.get(n));
            let knowledge = match of_file {
                Some(ty) => Some(Knowledge::Known(ty)),
                None => self.ask(&open),
            };
            match knowledge {
                Some(knowledge) => self.learn(now, *route, knowledge),
                None => waits |= !open.witnesses.is_empty(),
            }
        }
        waits.then_some(now + LOOK)
    }

    /// What the sources of a route say; `None` if there is none, or no answer yet.
    fn ask(&self, open: &OpenType) -> Option<Knowledge> {
        let mut unknown = None;
        let mut waits = false;
        for (connection, writer) in &open.witnesses {
            let site = self.around.sites.get(*connection);
            let Some(joined) = site.and_then(Site::joined) else {
                continue;
            };
            match joined.participant.look_up_type(*writer) {
                Some(TypeState::Known(ty)) => {
                    let source = TypeSource::Writer(*writer);
                    return Some(Knowledge::Known(RouteType { ty, source }));
                }
                Some(TypeState::Unavailable(why)) => {
                    unknown = Some(format!("{why} (writer {writer})"));
                }
                None => waits = true,
            }
        }
        unknown.filter(|_| !waits).map(Knowledge::Unknown)
    }

    /// Has a route do what it needs its type for, before its inputs are made.
    fn learn(&mut self, now: Time, route: RouteId, knowledge: Knowledge) {
        if let (Knowledge::Known(ty), Some(ends)) = (&knowledge, self.routes.get_mut(&route))
            && let Some(entry) = self.table.route(route)
        {
            ends.learn(&entry.plan, ty, &self.around.plan.types);
        }
        self.table.learn(now, route, knowledge);
    }
}
