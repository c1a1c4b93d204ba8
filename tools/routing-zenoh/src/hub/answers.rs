//! What other sites ask of this one.
use super::{Hub, LOOK, lock};
use crate::beat::Beat;
use crate::keys::{Direction, LASTS, TOPICS};
use crate::listing::{Answer, Key, Question};
use crate::page::Request;
use dunlin::EntityId;
use std::collections::BTreeSet;
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
            let Some(payload) = query.payload() else {
                // A program that is no site.
                let key = self.keys.topics(&self.zid);
                let _ = query.reply(key, self.topics()).wait();
                continue;
            };
            let asked = payload.to_bytes();
            let key = query.key_expr().clone();
            let Some((_, rest)) = self.keys.parse(key.as_str()) else {
                continue;
            };
            if rest == TOPICS {
                if let Some(question) = Question::parse(&asked) {
                    let answer = self.answer(&question).encode();
                    // Who gets no answer asks again.
                    let _ = query.reply(key, answer).wait();
                }
                continue;
            }
            if rest == LASTS {
                let _ = query.reply(key, self.lasts(&asked).encode()).wait();
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

    /// The topics of a page, and how much is written of them.
    pub(super) fn answer(&self, question: &Question) -> Answer {
        let inner = lock(&self.inner);
        let mut answer = inner.own.answer(question);
        let offered = answer.topics.iter();
        let offered = offered.filter(|((direction, _), _)| *direction == Direction::Offer);
        let offered: BTreeSet<&str> = offered.map(|((_, topic), _)| &**topic).collect();
        let writers = inner.writers.values();
        let writers = writers.filter(|writer| offered.contains(&*writer.topic));
        let lasts = writers.map(|writer| (writer.guid.entity.0, writer.sent()));
        answer.lasts = lasts.collect();
        answer
    }

    /// As in a beat, of the writers that are asked for.
    fn lasts(&self, asked: &[u8]) -> Beat {
        let inner = lock(&self.inner);
        let (entities, _) = asked.as_chunks();
        let last = |entity: &[u8; 4]| {
            let writer = inner.writers.get(&EntityId(*entity))?;
            Some((*entity, writer.sent()))
        };
        Beat {
            hash: inner.own.hash(),
            lasts: entities.iter().filter_map(last).collect(),
        }
    }

    /// What this site has, in words: a line for each topic.
    fn topics(&self) -> String {
        let inner = lock(&self.inner);
        let line = |(direction, topic): &Key| format!("{} {topic}\n", direction.name());
        inner.own.keys().map(line).collect()
    }
}
