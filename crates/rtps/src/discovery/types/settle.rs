//! Finding out what types are that a verdict waits for.
use super::{KnownTypes, TypeState};
use crate::discovery::type_lookup::TypeLookup;
use crate::discovery::{Discovery, Event};
use crate::{Outbox, Time};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;
use dunlin_wire::Guid;
use dunlin_xtypes::{LocalType, TypeIdentifier, TypeIdentifierWithDependencies};

impl Discovery {
    /// A local endpoint, which is added next, is of this type.
    pub fn serve_type(&mut self, endpoint: Guid, ty: &LocalType) {
        self.withdraw_type(endpoint);
        self.type_lookup.store.add_local(ty);
        self.own_types.insert(endpoint, ty.clone());
    }

    /// A local endpoint is gone.
    pub(in crate::discovery) fn withdraw_type(&mut self, endpoint: Guid) {
        if let Some(ty) = self.own_types.remove(&endpoint) {
            self.type_lookup.store.remove_local(&ty);
        }
    }

    /// What is known here of the types of all endpoints that announce theirs. None is asked for;
    /// nothing is said of one that is asked for, or could be.
    pub fn known_types(&self) -> KnownTypes {
        let mut known = self.catalog.types().clone();
        let writers = self
            .writers()
            .map(|w| (w.guid, w.type_information.is_some()));
        let readers = self
            .readers()
            .map(|r| (r.guid, r.type_information.is_some()));
        for (endpoint, has_information) in writers.chain(readers) {
            let is_open = known.state(endpoint).is_none() && !self.awaits_type(endpoint);
            if is_open
                && has_information
                && let Some(state) = self.find_type(endpoint)
            {
                known.insert(endpoint, state);
            }
        }
        known
    }

    /// What was found out of the type of an endpoint by [`look_up_types`](Self::look_up_types), or
    /// for a match.
    pub fn looked_up_type(&self, endpoint: Guid) -> Option<&TypeState> {
        self.catalog.types().state(endpoint)
    }

    /// Finds out what the types of these endpoints are, whether a match waits for them or not. What
    /// becomes known is in `known_types`.
    pub fn look_up_types(
        &mut self,
        now: Time,
        endpoints: &[Guid],
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        self.forget_unwanted_types();
        for endpoint in endpoints {
            let is_known = self.catalog.types().state(*endpoint).is_some();
            if !is_known && !self.awaits_type(*endpoint) {
                self.find_out(now, *endpoint, events);
            }
        }
        self.settle_types(now, out, events);
    }

    fn awaits_type(&self, endpoint: Guid) -> bool {
        self.type_lookup.client.awaits(endpoint)
    }

    /// Decides what can be decided now of the verdicts that wait for types, asks for what is
    /// missing, and answers who asks.
    pub(in crate::discovery) fn settle_types(
        &mut self,
        now: Time,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        self.forget_unwanted_types();
        let news = events.len();
        loop {
            for endpoint in self.catalog.take_wanted() {
                if !self.awaits_type(endpoint) {
                    self.find_out(now, endpoint, events);
                }
            }
            let TypeLookup { store, client, .. } = &mut self.type_lookup;
            let settled = client.take_news(store);
            if settled.is_empty() {
                break;
            }
            for (endpoint, state) in settled {
                self.awaited_types.remove(&endpoint);
                self.catalog.put_type(endpoint, state, events);
            }
        }
        self.report_silent_writers(news, events);
        self.keep_types_moving(now, out);
    }

    fn forget_unwanted_types(&mut self) {
        for endpoint in self.catalog.take_unwanted() {
            self.awaited_types.remove(&endpoint);
            let TypeLookup { store, client, .. } = &mut self.type_lookup;
            client.unwant(endpoint, store);
        }
    }

    /// Waits no longer for types that are overdue.
    pub(in crate::discovery) fn give_up_types(&mut self, now: Time, events: &mut Vec<Event>) {
        for endpoint in self.awaited_types.expired(now) {
            let waited = self.config.type_timeout;
            let TypeLookup { store, client, .. } = &mut self.type_lookup;
            let why = match client.is_silent(endpoint.prefix) {
                true => format!(
                    "its participant was asked several times and did not answer within {waited}"
                ),
                false => format!("it did not come within {waited}"),
            };
            client.unwant(endpoint, store);
            self.catalog
                .put_type(endpoint, TypeState::Unavailable(why), events);
        }
    }

    /// The type of an endpoint, at once or after its participant was asked.
    fn find_out(&mut self, now: Time, endpoint: Guid, events: &mut Vec<Event>) {
        if let Some(state) = self.find_type(endpoint) {
            return self.catalog.put_type(endpoint, state, events);
        }
        let Some(half) = self.announced_type(endpoint) else {
            return;
        };
        let dependencies = half.dependent_typeids.into_iter();
        let dependencies = dependencies.map(|with_size| with_size.type_id);
        let TypeLookup { store, client, .. } = &mut self.type_lookup;
        client.want(
            endpoint,
            &half.typeid_with_size.type_id,
            dependencies,
            store,
        );
        let until = now.after(self.config.type_timeout);
        self.awaited_types.set(endpoint, until);
    }

    /// `None` if its participant can be asked.
    fn find_type(&self, endpoint: Guid) -> Option<TypeState> {
        let own = self.own_types.get(&endpoint);
        let known = own.map(|local| local.ty().clone());
        let known = known.or_else(|| (self.config.known_type)(endpoint));
        let announced = self.announced_type(endpoint);
        let known = known.or_else(|| {
            let root = &announced.as_ref()?.typeid_with_size.type_id;
            self.type_lookup.store.known(root)
        });
        if let Some(ty) = known {
            return Some(TypeState::Known(ty));
        }
        let why = match (announced, self.cannot_be_asked(endpoint.prefix)) {
            _ if endpoint.prefix == self.config.prefix => {
                "this participant only passes on what another one said of it"
            }
            (Some(_), None) => return None,
            (Some(_), Some(why)) => why,
            (None, _) => "a minimal TypeObject has no names of members, and it has no other",
        };
        Some(TypeState::Unavailable(why.to_owned()))
    }

    /// What an endpoint announces of its complete type, which has the names of its members.
    fn announced_type(&self, endpoint: Guid) -> Option<TypeIdentifierWithDependencies> {
        let (writer, reader) = (self.writer(endpoint), self.reader(endpoint));
        let writer = writer.as_deref().map(|w| &w.type_information);
        let reader = reader.as_deref().map(|r| &r.type_information);
        let complete = super::announced(writer.or(reader)?.as_ref()?)?.complete;
        let is_there = complete.typeid_with_size.type_id != TypeIdentifier::None;
        is_there.then_some(complete)
    }
}
