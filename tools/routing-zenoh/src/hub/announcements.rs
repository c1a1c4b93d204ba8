//! What this site tells others: what it has, that it is there, and whether it carries.
use super::{Hub, Message, lock};
use crate::beat::{Beat, Claim};
use crate::directory;
use crate::keys::{Direction, Summary};
use crate::reader::Reader;
use crate::record::{self, Endpoint};
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use zenoh::Wait;
use zenoh::liveliness::LivelinessToken;
use zenoh::qos::CongestionControl;

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

    /// Says what this site has; true if that is something else than before.
    pub(super) fn announce(
        &self,
        readers: &[Arc<Reader>],
        writers: &[Arc<Writer>],
        tokens: &mut BTreeMap<Summary, LivelinessToken>,
    ) -> bool {
        let mut all: BTreeMap<(Direction, String), BTreeMap<[u8; 4], Endpoint>> = BTreeMap::new();
        for reader in readers {
            let topic = all
                .entry((Direction::Want, reader.topic.clone()))
                .or_default();
            let data = Endpoint::Reader(Box::new(reader.data()));
            topic.insert(reader.guid.entity.0, data);
        }
        for writer in writers {
            let topic = all
                .entry((Direction::Offer, writer.topic.clone()))
                .or_default();
            let data = Endpoint::Writer(Box::new(writer.data()));
            topic.insert(writer.guid.entity.0, data);
        }
        let mut records = HashMap::new();
        let mut wanted = BTreeSet::new();
        for ((direction, topic), endpoints) in all {
            let bytes = record::encode(endpoints.values());
            let digest = record::digest(&bytes);
            records.insert(digest, bytes);
            wanted.insert(Summary {
                direction,
                topic,
                digest,
            });
        }
        lock(&self.inner).records = records;
        let old: Vec<Summary> = tokens
            .keys()
            .filter(|t| !wanted.contains(t))
            .cloned()
            .collect();
        let mut is_new = !old.is_empty();
        for summary in wanted {
            if !tokens.contains_key(&summary) {
                let key = self.keys.token(&self.zid, &summary);
                let token = self.session.liveliness().declare_token(key).wait();
                tokens.extend(token.map(|token| (summary, token)));
                is_new = true;
            }
        }
        for summary in old {
            drop(tokens.remove(&summary));
        }
        is_new
    }

    /// Shows that this site is there, what it has, and how much it has written.
    pub(super) fn beat(&self, tokens: &BTreeMap<Summary, LivelinessToken>, all: bool) {
        let writers: Vec<Arc<Writer>> = lock(&self.inner).writers.values().cloned().collect();
        let lasts = writers.iter();
        let lasts = lasts.filter_map(|w| Some((w.guid.entity.0, w.last(all)?)));
        let beat = Beat {
            hash: directory::hash(tokens.keys()),
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
            inner.has_changed = true;
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
