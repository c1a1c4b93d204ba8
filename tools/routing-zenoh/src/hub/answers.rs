//! What other sites ask of this one.
use super::{Hub, LOOK, lock};
use crate::keys::RECORDS;
use crate::page::Request;
use crate::record;
use bytes::Bytes;
use dunlin::EntityId;
use std::sync::Mutex;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::Receiver;
use zenoh::Wait;
use zenoh::query::Query;

impl Hub {
    /// Answers those who ask.
    pub(super) fn serve(&self, questions: &Mutex<Receiver<Query>>) {
        while !self.ends.load(SeqCst) {
            let next = lock(questions).recv_timeout(LOOK);
            let Ok(query) = next else {
                continue;
            };
            let key = query.key_expr().clone();
            let Some((_, rest)) = self.keys.parse(key.as_str()) else {
                continue;
            };
            let asked = query.payload().map(|payload| payload.to_bytes());
            let asked = asked.unwrap_or_default();
            if rest == RECORDS {
                // Who gets no answer asks again.
                let _ = query.reply(key, self.records(&asked)).wait();
                continue;
            }
            let Some(request) = Request::parse(&asked) else {
                continue;
            };
            // An answer waits for a slow link, and other sites do not: a site has one at a time.
            if !lock(&self.served).insert(request.asker) {
                continue;
            }
            let writers = lock(&self.inner)
                .writers
                .get(&EntityId(request.writer))
                .cloned();
            if let Some(writer) = writers {
                let _ = query.reply(key, writer.page(&request).encode()).wait();
            }
            lock(&self.served).remove(&request.asker);
        }
    }

    /// Those of the records that are asked for and that there are.
    fn records(&self, asked: &[u8]) -> Bytes {
        let inner = lock(&self.inner);
        let there = record::parse_digests(asked)
            .filter_map(|digest| Some((digest, &inner.records.get(&digest)?[..])));
        record::encode_all(there)
    }
}
