//! Finding out what types are that a verdict waits for.
use super::{KnownTypes, TypeState};
use crate::Time;
use crate::discovery::{Discovery, Event};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;
use dunlin_wire::Guid;
use dunlin_xtypes::LocalType;

impl Discovery {
    /// A local endpoint, which is added next, is of this type.
    pub fn serve_type(&mut self, endpoint: Guid, ty: &LocalType) {
        self.own_types.insert(endpoint, ty.clone());
    }

    /// What is known here of the types of all endpoints that announce theirs. None is asked for; of
    /// one that a match waits for nothing is said.
    pub fn known_types(&self) -> KnownTypes {
        let mut known = self.catalog.types().clone();
        let writers = self.writers().map(|w| (w.guid, &w.type_information));
        let readers = self.readers().map(|r| (r.guid, &r.type_information));
        for (endpoint, information) in writers.chain(readers) {
            let is_open = known.state(endpoint).is_none() && !self.awaits_type(endpoint);
            if is_open
                && information.is_some()
                && let Some(state) = self.find_type(endpoint)
            {
                known.insert(endpoint, state);
            }
        }
        known
    }

    fn awaits_type(&self, endpoint: Guid) -> bool {
        self.awaited_types.contains(&endpoint)
    }

    /// Decides what can be decided now of the verdicts that wait for types, and asks for what is
    /// missing.
    pub(in crate::discovery) fn settle_types(&mut self, now: Time, events: &mut Vec<Event>) {
        for endpoint in self.catalog.take_unwanted() {
            self.awaited_types.remove(&endpoint);
        }
        let news = events.len();
        loop {
            let wanted = self.catalog.take_wanted();
            if wanted.is_empty() {
                break;
            }
            for endpoint in wanted {
                if self.awaited_types.contains(&endpoint) {
                    continue;
                }
                match self.find_type(endpoint) {
                    Some(state) => self.catalog.put_type(endpoint, state, events),
                    None => {
                        let until = now.after(self.config.type_timeout);
                        self.awaited_types.set(endpoint, until);
                    }
                }
            }
        }
        self.report_silent_writers(news, events);
    }

    /// Waits no longer for types that are overdue.
    pub(in crate::discovery) fn give_up_types(&mut self, now: Time, events: &mut Vec<Event>) {
        for endpoint in self.awaited_types.expired(now) {
            let waited = self.config.type_timeout;
            let why = format!("it did not come within {waited}");
            self.catalog
                .put_type(endpoint, TypeState::Unavailable(why), events);
        }
    }

    /// `None` if it may come.
    fn find_type(&self, endpoint: Guid) -> Option<TypeState> {
        let own = self.own_types.get(&endpoint);
        let known = own.map(|local| local.ty().clone());
        let known = known.or_else(|| (self.config.known_type)(endpoint));
        if let Some(ty) = known {
            return Some(TypeState::Known(ty));
        }
        let why = match endpoint.prefix == self.config.prefix {
            true => "this participant only passes on what another one said of it",
            false => "types of other processes are not asked for",
        };
        Some(TypeState::Unavailable(why.to_owned()))
    }
}
