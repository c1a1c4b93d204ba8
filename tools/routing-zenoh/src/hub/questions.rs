//! What this site asks of others.
use super::{Hub, Message, lock};
use crate::beat::Beat;
use crate::listing::Question;
use crate::page::Page;
use crate::reader::Reader;
use bytes::Bytes;
use dunlin::{EntityId, Guid};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::time::Duration;
use zenoh::Wait;
use zenoh::qos::Priority;
use zenoh::query::ConsolidationMode;

/// An answer that takes longer is lost.
const ANSWER: Duration = Duration::from_secs(10);

/// No data has it: what is asked, the answers, and news wait for a slow link, and with them all
/// that has the same priority, for other links as well.
pub(super) const PRIORITY: Priority = Priority::DataLow;
/// Writers whose last numbers are asked for at once.
const MOST_JOINS: usize = 1024;

/// What a site was asked. It ends when there will be no other answer.
struct Asked {
    hub: Weak<Hub>,
    zid: String,
    question: Question,
    is_answered: AtomicBool,
}

impl Asked {
    fn answer(&self, hub: &Hub, bytes: Bytes) {
        self.is_answered.store(true, SeqCst);
        let message = Message::Topics(self.zid.clone(), self.question.clone(), bytes);
        hub.push(&self.zid, message);
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.is_answered.load(SeqCst)
            && let Some(hub) = self.hub.upgrade()
        {
            let message = Message::NoAnswer(self.zid.clone(), self.question.clone());
            hub.push(&self.zid, message);
        }
    }
}

impl Hub {
    /// Asks whoever is at this key.
    fn get(
        self: &Arc<Self>,
        key: String,
        payload: Vec<u8>,
        answer: impl Fn(&Hub, Bytes) + Send + Sync + 'static,
    ) {
        let own = Arc::downgrade(self);
        let get = self.session.get(key);
        let get = get
            .payload(payload)
            .priority(PRIORITY)
            .consolidation(ConsolidationMode::None)
            .timeout(ANSWER);
        let get = get.callback(move |reply| {
            if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                let bytes = sample.payload().to_bytes().into_owned();
                answer(&hub, Bytes::from(bytes));
            }
        });
        // It is asked again.
        let _ = get.wait();
    }

    /// Asks a site what it has.
    pub(super) fn ask(self: &Arc<Self>, zid: String, question: Question) {
        let (key, payload) = (self.keys.topics(&zid), question.encode());
        let asked = Asked {
            hub: Arc::downgrade(self),
            zid,
            question,
            is_answered: AtomicBool::new(false),
        };
        self.get(key, payload, move |hub, bytes| asked.answer(hub, bytes));
    }

    /// Asks stores for what is missing; returns when to look again.
    pub(super) fn poll_readers(self: &Arc<Self>, now: Duration) -> Option<Duration> {
        let readers: Vec<Arc<Reader>> = lock(&self.inner).readers.values().cloned().collect();
        let (mut due, mut joins) = (None, BTreeMap::<String, Vec<(EntityId, Guid)>>::new());
        for reader in readers {
            let (asks, next) = reader.poll(now);
            due = [due, next].into_iter().flatten().min();
            for (writer, request) in asks {
                let inner = lock(&self.inner);
                let Some(zid) = inner.directory.site_of(writer.prefix).map(str::to_owned) else {
                    continue;
                };
                drop(inner);
                let entity = reader.guid.entity;
                if request.joins() {
                    joins.entry(zid).or_default().push((entity, writer));
                    continue;
                }
                let key = self.keys.store(&zid);
                self.get(key, request.encode(), move |hub, bytes| {
                    if let Some(page) = Page::parse(&bytes) {
                        hub.push("", Message::Page(entity, writer, page));
                    }
                });
            }
        }
        for (zid, all) in joins {
            for some in all.chunks(MOST_JOINS) {
                self.ask_lasts(&zid, some.to_vec());
            }
        }
        due
    }

    /// Asks a site together for the numbers from which on each of these readers wants all of a
    /// writer.
    fn ask_lasts(self: &Arc<Self>, zid: &str, asked: Vec<(EntityId, Guid)>) {
        let entities = asked.iter().flat_map(|(_, writer)| writer.entity.0);
        let (key, entities) = (self.keys.lasts(zid), entities.collect());
        self.get(key, entities, move |hub, bytes| {
            if let Some(beat) = Beat::parse(&bytes) {
                hub.push("", Message::Lasts(asked.clone(), beat.lasts));
            }
        });
    }
}
