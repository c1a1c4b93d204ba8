//! What this site asks of others.
use super::{Hub, Message, lock};
use crate::directory::Question;
use crate::keys::Summary;
use crate::page::Page;
use crate::reader::Reader;
use crate::record;
use bytes::Bytes;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use zenoh::Wait;
use zenoh::query::ConsolidationMode;

/// An answer that takes longer is lost.
const ANSWER: Duration = Duration::from_secs(5);

impl Hub {
    pub(super) fn ask(self: &Arc<Self>, question: Question) {
        let own = Arc::downgrade(self);
        match question {
            Question::Records(zid, tokens) => {
                let digests = tokens.iter().map(|token| token.digest);
                let get = self.session.get(self.keys.records(&zid));
                let get = get
                    .payload(record::encode_digests(digests))
                    .consolidation(ConsolidationMode::None)
                    .timeout(ANSWER);
                let get = get.callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                        let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                        let message = Message::Records(zid.clone(), tokens.clone(), bytes);
                        hub.push(&zid, message);
                    }
                });
                // It is asked again.
                let _ = get.wait();
            }
            Question::Tokens(zid) => {
                let liveliness = self.session.liveliness();
                let get = liveliness.get(self.keys.tokens(Some(&zid))).timeout(ANSWER);
                let list = Listing {
                    hub: own,
                    zid,
                    tokens: Mutex::default(),
                };
                let get = get.callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (list.hub.upgrade(), reply.result())
                        && let Some((zid, token)) = hub.keys.parse_token(sample.key_expr().as_str())
                        && zid == list.zid
                    {
                        lock(&list.tokens).push(token);
                    }
                });
                let _ = get.wait();
            }
        }
    }

    /// Asks stores for what is missing; returns when to look again.
    pub(super) fn poll_readers(self: &Arc<Self>, now: Duration) -> Option<Duration> {
        let readers: Vec<Arc<Reader>> = lock(&self.inner).readers.values().cloned().collect();
        let mut due = None;
        for reader in readers {
            let (asks, next) = reader.poll(now);
            due = [due, next].into_iter().flatten().min();
            for (writer, request) in asks {
                let inner = lock(&self.inner);
                let Some(zid) = inner.directory.site_of(writer.prefix).map(str::to_owned) else {
                    continue;
                };
                drop(inner);
                let (own, entity) = (Arc::downgrade(self), reader.guid.entity);
                let get = self.session.get(self.keys.store(&zid));
                let get = get
                    .payload(request.encode())
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
        due
    }
}

/// Tokens as they come in; handed over when there are no more.
struct Listing {
    hub: Weak<Hub>,
    zid: String,
    tokens: Mutex<Vec<Summary>>,
}

impl Drop for Listing {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            let tokens = std::mem::take(&mut *lock(&self.tokens));
            hub.push(&self.zid, Message::Tokens(self.zid.clone(), tokens));
        }
    }
}
