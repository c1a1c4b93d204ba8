//! The TypeLookup service (DDS-XTypes 1.3 7.6.3.3): asking participants for the types of their
//! endpoints, and telling them those of ours.
//!
//! A verdict that waits for a type names its endpoint ([`settle`](super::types)); the participant
//! that has the endpoint is asked for the TypeObjects that are missing. What it answers is kept in a
//! [`TypeStore`], which checks hashes and has bounds. Requests of others are answered as often as
//! each may ask, and wait beyond that.
mod client;
mod server;

use super::registry::BuiltinTopicEntry;
use super::{Discovery, Event, Source};
use crate::{Outbox, Sample, Time};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use bytes::Bytes;
use client::Client;
use core::fmt::Write as _;
use dunlin_wire::{
    BuiltinEndpoints, EntityId, Guid, GuidPrefix, ParticipantData, Submessage, Timestamp,
};
use dunlin_xtypes::lookup::{Reply, Request, TypeStore};
use server::Server;

/// What a participant's instance of the service is called before its GUID (DDS-XTypes 1.3
/// 7.6.3.3.4).
const INSTANCE_NAME: &str = "dds.builtin.TOS.";

/// What is asked, what is to be answered, and the types.
#[derive(Default)]
pub(super) struct TypeLookup {
    /// The types of our endpoints, and those that others told.
    pub(super) store: TypeStore<GuidPrefix>,
    pub(super) client: Client,
    server: Server,
}

impl TypeLookup {
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let times = [self.client.next_timeout(), self.server.next_timeout()];
        times.into_iter().flatten().min()
    }

    /// A participant is gone.
    pub(super) fn forget_peer(&mut self, peer: GuidPrefix) {
        self.store.forget_peer(peer);
        self.client.forget_peer(peer);
        self.server.forget_peer(peer);
    }
}

impl Discovery {
    /// Requests of participants that are known.
    pub(super) fn take_type_requests(&mut self, _: Time, samples: Vec<Sample>, _: &mut Vec<Event>) {
        for sample in samples.into_iter().filter(|sample| sample.info.valid_data) {
            let from = sample.info.publication.prefix;
            match Request::from_payload(sample.builtin_payload()) {
                Ok(request) if names(&request.instance_name, self.config.prefix) => {
                    let TypeLookup { store, server, .. } = &mut self.type_lookup;
                    server.take(from, request, store);
                }
                // It is for another participant.
                Ok(_) => {}
                Err(_) => self.heard.malformed += 1,
            }
        }
    }

    /// Replies of participants that are known.
    pub(super) fn take_type_replies(&mut self, _: Time, samples: Vec<Sample>, _: &mut Vec<Event>) {
        for sample in samples.into_iter().filter(|sample| sample.info.valid_data) {
            let from = sample.info.publication.prefix;
            match Reply::from_payload(sample.builtin_payload()) {
                Ok(reply) => {
                    let TypeLookup { store, client, .. } = &mut self.type_lookup;
                    client.take(from, reply, store);
                }
                Err(_) => self.heard.malformed += 1,
            }
        }
    }

    /// Sends the requests that are due, and the replies that may go.
    pub(super) fn keep_types_moving(&mut self, now: Time, out: &mut impl Outbox) {
        let requests = self.type_lookup.client.due(now, self.config.prefix);
        for (peer, payload) in requests {
            self.write_to(
                now,
                EntityId::TYPE_LOOKUP_REQUEST_WRITER,
                peer,
                payload,
                out,
            );
        }
        loop {
            let TypeLookup { store, server, .. } = &self.type_lookup;
            let Some((peer, payload)) = server.next(now, store) else {
                break;
            };
            let writer = EntityId::TYPE_LOOKUP_REPLY_WRITER;
            let is_sent = self.write_to(now, writer, peer, payload, out);
            self.type_lookup.server.done(now, peer, is_sent);
        }
    }

    /// Takes in a submessage of the service, if its sender has said that it takes part.
    pub(super) fn hear_service(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        entry: &BuiltinTopicEntry,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) -> Vec<Sample> {
        let peer = self.peers.get(&source.prefix).map(|peer| &peer.data);
        let takes_part = |peer: &&ParticipantData| {
            self.config.type_lookup && entry.is_on_demand(peer.builtin_endpoints, message)
        };
        let (Some(peer), Some(topic)) =
            (peer.filter(takes_part), self.services.get_mut(entry.writer))
        else {
            return Vec::new();
        };
        let who = (source.prefix, peer.vendor);
        let samples = topic.handle(now, who, timestamp, message, out);
        if entry.writer == EntityId::TYPE_LOOKUP_REPLY_WRITER {
            self.type_lookup.server.make_way(source.prefix);
        }
        samples
    }

    /// What hinders asking a participant for types, in words.
    pub(super) fn cannot_be_asked(&self, peer: GuidPrefix) -> Option<&'static str> {
        let needed = BuiltinEndpoints(
            BuiltinEndpoints::TYPE_LOOKUP_REQUEST_READER.0
                | BuiltinEndpoints::TYPE_LOOKUP_REPLY_WRITER.0,
        );
        if !self.config.type_lookup {
            return Some("this participant does not ask for types of other processes");
        }
        match self.peers.get(&peer) {
            Some(peer) if peer.data.builtin_endpoints.contains(needed) => None,
            _ => Some("its participant does not tell types to those who ask"),
        }
    }

    /// False if it cannot be written now.
    fn write_to(
        &mut self,
        now: Time,
        writer: EntityId,
        peer: GuidPrefix,
        payload: Bytes,
        out: &mut impl Outbox,
    ) -> bool {
        let message = (self.config.timestamp(now), payload);
        let (Some(topic), Some(to)) = (self.services.get_mut(writer), self.peers.get(&peer)) else {
            return false;
        };
        topic.write(now, (peer, to.data.vendor), message, out)
    }
}

/// The name of a participant's instance of the service.
fn instance_name(of: GuidPrefix) -> String {
    hex(&Guid::new(of, EntityId::PARTICIPANT).to_bytes())
}

fn hex(guid: &[u8]) -> String {
    guid.iter()
        .fold(String::from(INSTANCE_NAME), |mut name, byte| {
            // Nothing can go wrong with a string.
            let _ = write!(name, "{byte:02x}");
            name
        })
}

/// True if a request is for this participant: by its name; by that with the bytes of each word of
/// the GUID the other way round, as Cyclone DDS writes it on little endian; or by none.
fn names(name: &str, own: GuidPrefix) -> bool {
    let mut swapped = Guid::new(own, EntityId::PARTICIPANT).to_bytes();
    swapped.chunks_mut(4).for_each(<[u8]>::reverse);
    let none = format!("{INSTANCE_NAME}{:032}", 0);
    name.is_empty() || name == instance_name(own) || name == hex(&swapped) || name == none
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participant_hears_to_its_name_however_it_is_written() {
        let own = GuidPrefix([1, 0x16, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let name = "dds.builtin.TOS.0116030405060708090a0b0c000001c1";
        assert_eq!(instance_name(own), name);
        let swapped = "dds.builtin.TOS.04031601080706050c0b0a09c1010000";
        let none = "dds.builtin.TOS.00000000000000000000000000000000";
        for name in [name, swapped, none, ""] {
            assert!(names(name, own), "{name}");
        }
        assert!(!names(name, GuidPrefix([1; 12])));
    }
}
