//! What this site tells others: what it has, that it is there, and whether it carries.
use super::questions::PRIORITY;
use super::{Hub, Message, lock};
use crate::beat::{Beat, Claim};
use crate::keys::Direction;
use crate::listing::{Key, News, Question};
use crate::reader::Reader;
use crate::record::{self, Endpoint};
use crate::writer::Writer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use zenoh::Wait;
use zenoh::liveliness::LivelinessToken;
use zenoh::qos::CongestionControl;

/// The hash of what this site has, and the token that names it.
pub(super) type Announced = (u64, LivelinessToken);

impl Hub {
    /// Hears whether anybody listens to a writer.
    pub(super) fn listen(self: &Arc<Self>, writer: &Arc<Writer>) {
        let mut publisher = lock(&writer.publisher);
        if publisher.is_some() {
            return;
        }
        let Ok(new) = self.session.declare_publisher(writer.key()).wait() else {
            return;
        };
        let (own, entity) = (Arc::downgrade(self), writer.guid.entity);
        let listener = new.matching_listener().callback(move |status| {
            if let Some(hub) = own.upgrade() {
                hub.push("", Message::Listens(entity, status.matching()));
            }
        });
        // It lives as long as the publisher.
        let listens = listener.background().wait();
        let matching = new.matching_status().wait();
        if listens.is_ok()
            && let Ok(status) = matching
            && status.matching()
        {
            self.push("", Message::Listens(entity, true));
        }
        *publisher = Some(new);
    }

    /// Tells what this site has; true if that is something else than before, and more than news
    /// have room for.
    pub(super) fn tell(
        &self,
        readers: &[Arc<Reader>],
        writers: &[Arc<Writer>],
        token: &mut Option<Announced>,
    ) -> bool {
        let mut all: BTreeMap<Key, BTreeMap<[u8; 4], Endpoint>> = BTreeMap::new();
        for reader in readers {
            let key = (Direction::Want, reader.topic.clone());
            let data = Endpoint::Reader(Box::new(reader.data()));
            let topic = all.entry(key).or_default();
            topic.insert(reader.guid.entity.0, data);
        }
        for writer in writers {
            let key = (Direction::Offer, writer.topic.clone());
            let data = Endpoint::Writer(Box::new(writer.data()));
            let topic = all.entry(key).or_default();
            topic.insert(writer.guid.entity.0, data);
        }
        let encode = |(key, all): (Key, BTreeMap<_, Endpoint>)| (key, record::encode(all.values()));
        let records = all.into_iter().map(encode).collect();
        let mut inner = lock(&self.inner);
        let known = inner.own.hash();
        let is_new = inner.own.set(records);
        let hash = inner.own.hash();
        drop(inner);
        // Whoever knows what was before has no question when the token comes.
        let has_more = is_new && !self.put_news(known);
        if token.as_ref().map_or(0, |(announced, _)| *announced) != hash {
            // The one before goes when the next one is there.
            let new = (hash != 0).then(|| {
                let key = self.keys.token(&self.zid, hash);
                self.session.liveliness().declare_token(key).wait()
            });
            *token = new.and_then(Result::ok).map(|token| (hash, token));
        }
        has_more
    }

    /// Tells all others what has changed since this hash; false if it is too much.
    fn put_news(&self, known: u64) -> bool {
        let question = Question { known, after: None };
        let answer = self.answer(&question);
        if answer.has_more {
            return false;
        }
        let key = self.keys.news(Some(&self.zid));
        let put = self.session.put(key, News { known, answer }.encode());
        let put = put.priority(PRIORITY);
        // Who misses it asks.
        let _ = put.congestion_control(CongestionControl::Drop).wait();
        true
    }

    /// Shows that this site is there, what it has, and how much it has written.
    pub(super) fn beat(&self, all: bool) {
        let inner = lock(&self.inner);
        let writers: Vec<Arc<Writer>> = inner.writers.values().cloned().collect();
        let hash = inner.own.hash();
        drop(inner);
        let lasts = writers.iter();
        let lasts = lasts.filter_map(|w| Some((w.guid.entity.0, w.last(all)?)));
        let beat = Beat {
            hash,
            lasts: lasts.collect(),
        };
        let put = self
            .session
            .put(self.keys.beat(Some(&self.zid)), beat.encode());
        // The next one comes.
        let _ = put.congestion_control(CongestionControl::Drop).wait();
    }

    /// Says whether this one of the services at a site carries, when it is time.
    pub(super) fn claim(&self, now: Duration) {
        let mut inner = lock(&self.inner);
        let Some(election) = &mut inner.election else {
            return;
        };
        let before = election.carries();
        let claim = election.poll(now);
        if election.carries() != before {
            // What it has is announced, or not any more.
            inner.is_elected_anew = true;
            inner.is_woken = true;
        }
        drop(inner);
        if let Some(claim) = claim {
            self.put_claim(claim);
        }
    }

    pub(super) fn put_claim(&self, claim: Claim) {
        if let Some(site) = &self.site {
            let key = self.keys.claim(Some(&self.zid), site);
            let put = self.session.put(key, claim.encode());
            // The next one comes.
            let _ = put.congestion_control(CongestionControl::Drop).wait();
        }
    }
}
