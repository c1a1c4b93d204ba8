//! What we ask others.
//!
//! Several endpoints may be of one type, and be of several participants: each of these is asked, and
//! whoever answers first answers for all, since a TypeObject is known by its hash.
use crate::Time;
use crate::discovery::types::TypeState;
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use dunlin_xtypes::TypeIdentifier;
use dunlin_xtypes::lookup::{
    Call, RemoteException, Reply, Request, Return, SampleIdentity, TypeStore, limits,
};

/// So many requests to one participant wait for a reply; what else it is to be asked waits.
const MOST_OPEN: usize = 4;
/// Without a reply it is asked again after so long ...
const AGAIN: Duration = Duration::from_secs(1);
/// ... and so often in all.
const MOST_TIMES: u32 = 3;

/// The types that verdicts wait for, and what was asked for them.
#[derive(Debug, Default)]
pub(in crate::discovery) struct Client {
    /// The type of each endpoint for which somebody was asked.
    types: BTreeMap<Guid, TypeIdentifier>,
    inquiries: BTreeMap<TypeIdentifier, Inquiry>,
    peers: BTreeMap<GuidPrefix, Asked>,
    /// Inquiries with news.
    news: BTreeSet<TypeIdentifier>,
    /// The number of the last request.
    last: i64,
}

/// A type that is not known yet.
#[derive(Debug, Default)]
struct Inquiry {
    /// Whose type it is.
    endpoints: BTreeSet<Guid>,
    /// Its TypeObjects that are not there yet, as far as is known.
    missing: BTreeSet<TypeIdentifier>,
}

/// What a participant is asked.
#[derive(Debug, Default)]
struct Asked {
    waiting: BTreeSet<TypeIdentifier>,
    open: BTreeMap<i64, OpenRequest>,
    /// What it does not tell, and why, in words.
    refused: BTreeMap<TypeIdentifier, String>,
}

#[derive(Debug)]
struct OpenRequest {
    types: Vec<TypeIdentifier>,
    times: u32,
    /// When it is sent again.
    due: Option<Time>,
}

impl Client {
    /// The type of an endpoint is to be found out, and probably those that it refers to.
    pub(in crate::discovery) fn want(
        &mut self,
        endpoint: Guid,
        root: &TypeIdentifier,
        dependencies: impl Iterator<Item = TypeIdentifier>,
        store: &mut TypeStore<GuidPrefix>,
    ) {
        store.acquire(root);
        self.types.insert(endpoint, root.clone());
        let inquiry = self.inquiries.entry(root.clone()).or_default();
        inquiry.endpoints.insert(endpoint);
        let peer = self.peers.entry(endpoint.prefix).or_default();
        for identifier in dependencies {
            if store.object(&identifier).is_none() {
                peer.ask(&identifier);
            }
        }
        self.news.insert(root.clone());
    }

    /// Whether somebody was asked for the type of an endpoint, and did not tell it yet.
    pub(in crate::discovery) fn awaits(&self, endpoint: Guid) -> bool {
        let inquiry = self.types.get(&endpoint);
        let inquiry = inquiry.and_then(|root| self.inquiries.get(root));
        inquiry.is_some_and(|inquiry| inquiry.endpoints.contains(&endpoint))
    }

    /// Nobody needs to know the type of an endpoint any more.
    pub(in crate::discovery) fn unwant(
        &mut self,
        endpoint: Guid,
        store: &mut TypeStore<GuidPrefix>,
    ) {
        if let Some(root) = self.types.remove(&endpoint) {
            store.release(&root);
            self.settle(endpoint, &root);
        }
    }

    /// What became known of the types of endpoints.
    pub(in crate::discovery) fn take_news(
        &mut self,
        store: &mut TypeStore<GuidPrefix>,
    ) -> Vec<(Guid, TypeState)> {
        let mut settled = Vec::new();
        for root in core::mem::take(&mut self.news) {
            settled.extend(self.progress(&root, store));
        }
        for (endpoint, _) in &settled {
            if let Some(root) = self.types.get(endpoint).cloned() {
                self.settle(*endpoint, &root);
            }
        }
        settled
    }

    /// Whether a participant was asked as often as it may be and said nothing.
    pub(in crate::discovery) fn is_silent(&self, peer: GuidPrefix) -> bool {
        let open = self.peers.get(&peer).map(|peer| &peer.open);
        open.is_some_and(|open| open.values().any(|request| request.due.is_none()))
    }

    /// A reply came.
    pub(super) fn take(
        &mut self,
        from: GuidPrefix,
        reply: Reply<'_>,
        store: &mut TypeStore<GuidPrefix>,
    ) {
        // Cyclone DDS puts its own writer's GUID beside the number: who answers is known anyway.
        let peer = self.peers.get_mut(&from);
        let Some((peer, request)) = peer.and_then(|peer| {
            let request = peer.open.remove(&reply.related.sequence)?;
            Some((peer, request))
        }) else {
            return;
        };
        let mut left: BTreeSet<TypeIdentifier> = request.types.iter().cloned().collect();
        let asked = left.len();
        if let Return::Types(types) = &reply.value {
            for pair in &types.types {
                // What was not asked for is not wanted.
                if left.remove(&pair.identifier)
                    && let Err(why) = store.insert(from, &pair.identifier, pair.object)
                {
                    peer.refused
                        .insert(pair.identifier.clone(), why.to_string());
                }
            }
        }
        // A reply has as much as fits; one with nothing in it says that there is no more.
        if left.len() == asked {
            let why = match reply.exception {
                RemoteException::Ok => "its participant does not have it",
                _ => "its participant could not tell it",
            };
            let refused = left.iter().map(|ty| (ty.clone(), why.to_owned()));
            peer.refused.extend(refused);
        }
        let concerned = self.inquiries.iter().filter(|(_, inquiry)| {
            let mut asked = request.types.iter();
            asked.any(|identifier| inquiry.missing.contains(identifier))
        });
        self.news.extend(concerned.map(|(root, _)| root.clone()));
    }

    /// The requests that are to be sent now.
    pub(super) fn due(&mut self, now: Time, own: GuidPrefix) -> Vec<(GuidPrefix, Bytes)> {
        let mut requests = Vec::new();
        for (prefix, peer) in &mut self.peers {
            while peer.may_ask() {
                self.last = self.last.saturating_add(1);
                peer.open(self.last, now);
            }
            for (number, request) in &mut peer.open {
                if request.due.is_some_and(|due| due <= now) {
                    request.times = request.times.saturating_add(1);
                    request.due = (request.times < MOST_TIMES).then(|| now.after(AGAIN));
                    requests.push((*prefix, request.payload(*number, own, *prefix)));
                }
            }
        }
        requests
    }

    pub(super) fn forget_peer(&mut self, peer: GuidPrefix) {
        self.peers.remove(&peer);
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        let open = self.peers.values().flat_map(|peer| peer.open.values());
        open.filter_map(|request| request.due).min()
    }

    /// Looks what a type lacks, and asks for it or is done.
    fn progress(
        &mut self,
        root: &TypeIdentifier,
        store: &mut TypeStore<GuidPrefix>,
    ) -> Vec<(Guid, TypeState)> {
        let Some(inquiry) = self.inquiries.get_mut(root) else {
            return Vec::new();
        };
        let missing = match store.missing(root) {
            Ok(missing) => missing,
            Err(why) => return inquiry.all(&TypeState::Unavailable(why.to_string())),
        };
        if missing.is_empty() {
            return inquiry.all(&match store.raise(root) {
                Ok(ty) => TypeState::Known(ty),
                Err(why) => TypeState::Unavailable(why.to_string()),
            });
        }
        inquiry.missing = missing.into_iter().collect();
        let mut given_up = Vec::new();
        for endpoint in &inquiry.endpoints {
            let peer = self.peers.entry(endpoint.prefix).or_default();
            let mut missing = inquiry.missing.iter();
            match missing.find_map(|identifier| peer.refused.get(identifier)) {
                Some(why) => given_up.push((*endpoint, TypeState::Unavailable(why.clone()))),
                None => inquiry.missing.iter().for_each(|ty| peer.ask(ty)),
            }
        }
        given_up
    }

    /// An endpoint waits no longer. Its type stays in use until `unwant`.
    fn settle(&mut self, endpoint: Guid, root: &TypeIdentifier) {
        if let Some(inquiry) = self.inquiries.get_mut(root) {
            inquiry.endpoints.remove(&endpoint);
            if inquiry.endpoints.is_empty() {
                self.inquiries.remove(root);
            }
        }
        let mut waiting = self.inquiries.values();
        let of_peer = crate::discovery::catalog::entities(endpoint.prefix);
        if !waiting.any(|inquiry| inquiry.endpoints.range(of_peer.clone()).next().is_some()) {
            self.peers.remove(&endpoint.prefix);
        }
    }
}

impl Inquiry {
    /// The same is known of all.
    fn all(&self, state: &TypeState) -> Vec<(Guid, TypeState)> {
        let all = self.endpoints.iter();
        all.map(|endpoint| (*endpoint, state.clone())).collect()
    }
}

impl Asked {
    /// It is to be asked for a TypeObject, unless it was.
    fn ask(&mut self, identifier: &TypeIdentifier) {
        let mut open = self.open.values();
        let is_open = open.any(|request| request.types.contains(identifier));
        if !is_open && !self.refused.contains_key(identifier) {
            self.waiting.insert(identifier.clone());
        }
    }

    fn may_ask(&self) -> bool {
        self.open.len() < MOST_OPEN && !self.waiting.is_empty()
    }

    /// Makes a request of what waits.
    fn open(&mut self, number: i64, now: Time) {
        let types: Vec<_> = self.waiting.iter().take(limits::IDS).cloned().collect();
        for identifier in &types {
            self.waiting.remove(identifier);
        }
        let request = OpenRequest {
            types,
            times: 0,
            due: Some(now),
        };
        self.open.insert(number, request);
    }
}

impl OpenRequest {
    fn payload(&self, number: i64, own: GuidPrefix, peer: GuidPrefix) -> Bytes {
        let writer = Guid::new(own, EntityId::TYPE_LOOKUP_REQUEST_WRITER);
        let request = Request {
            id: SampleIdentity {
                writer: writer.to_bytes(),
                sequence: number,
            },
            instance_name: super::instance_name(peer),
            call: Call::GetTypes(self.types.clone()),
        };
        // It is far from 4 GiB.
        request.to_payload().unwrap_or_default()
    }
}
