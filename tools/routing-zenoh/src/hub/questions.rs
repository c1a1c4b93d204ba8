//! What this site asks of others.
use super::{Hub, Message, lock};
use crate::beat::Beat;
use crate::listing::Question;
use crate::page::Page;
use crate::reader::Reader;
use bytes::Bytes;
use dunlin::{EntityId, Guid};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use zenoh::Wait;
use zenoh::qos::Priority;
use zenoh::query::ConsolidationMode;

/// An answer that takes longer is lost.
const ANSWER: Duration = Duration::from_secs(5);

/// No data has it: what is asked, and the answers, wait for a slow link, and with them all that has
/// the same priority, for other links as well.
const PRIORITY: Priority = Priority::DataLow;
/// Writers whose last numbers are asked for at once.
const MOST_JOINS: usize = 1024;

impl Hub {
    /// Asks a site what it has.
    pub(super) fn ask(self: &Arc<Self>, zid: String, question: Question) {
        let own = Arc::downgrade(self);
        let get = self.session.get(self.keys.topics(&zid));
        let get = get
            .payload(question.encode())
            .priority(PRIORITY)
            .consolidation(ConsolidationMode::None)
            .timeout(ANSWER);
        let get = get.callback(move |reply| {
            if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                let message = Message::Topics(zid.clone(), question.clone(), bytes);
                hub.push(&zid, message);
            }
        });
        // It is asked again.
        let _ = get.wait();
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
                if request.joins() {
                    let all = joins.entry(zid).or_default();
                    all.push((reader.guid.entity, writer));
                    continue;
                }
                let (own, entity) = (Arc::downgrade(self), reader.guid.entity);
                let get = self.session.get(self.keys.store(&zid));
                let get = get
                    .payload(request.encode())
                    .priority(PRIORITY)
                    .consolidation(ConsolidationMode::None)
                    .timeout(ANSWER);
                let get = get.callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                        let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                        if let Some(page) = Page::parse(&bytes) {
                            hub.push("", Message::Page(entity, writer, page));
                        }
                    }
                });
                // It is asked again.
                let _ = get.wait();
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
        let entities: Vec<u8> = asked
            .iter()
            .flat_map(|(_, writer)| writer.entity.0)
            .collect();
        let own = Arc::downgrade(self);
        let get = self.session.get(self.keys.lasts(zid));
        let get = get
            .payload(entities)
            .priority(PRIORITY)
            .consolidation(ConsolidationMode::None)
            .timeout(ANSWER);
        let get = get.callback(move |reply| {
            if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result())
                && let Some(beat) = Beat::parse(&sample.payload().to_bytes())
            {
                hub.push("", Message::Lasts(asked.clone(), beat.lasts));
            }
        });
        // It is asked again.
        let _ = get.wait();
    }
}
