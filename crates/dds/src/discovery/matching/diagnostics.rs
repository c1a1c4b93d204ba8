//! Questions about endpoints: what this participant answers, and what it was answered.
use super::Directory;
use crate::entity::shared::Shared;
use crate::send::local_queue;
use dunlin_wire::{Acquaintance, Answer, Fact, Guid, GuidPrefix, Question};

impl Directory {
    /// Asks, or answers at once if the endpoint is our own; the answer is for `answer_to`. False if nobody can be asked.
    pub(crate) fn ask(&mut self, shared: &Shared, question: Question) -> bool {
        let own = (question.about.prefix == self.own())
            .then(|| self.report(shared, &question))
            .flatten();
        let local = own.is_some();
        let known = self.asked.entry(question).or_default();
        if known.is_some() {
            return true;
        }
        *known = own;
        local || self.discovery.ask(question, &mut self.datagrams)
    }

    /// What has come in answer to a question that was asked.
    pub(crate) fn answer_to(&self, question: &Question) -> Option<&Answer> {
        self.asked.get(question)?.as_ref()
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn forget_question(&mut self, question: &Question) {
        self.asked.remove(question);
    }

    pub(super) fn hear_question(&mut self, shared: &Shared, from: GuidPrefix, question: &Question) {
        if !shared.config.answers_questions {
            return;
        }
        if let Some(answer) = self.report(shared, question) {
            self.discovery.answer(from, &answer, &mut self.datagrams);
        }
    }

    /// Only what was asked for is kept.
    pub(super) fn hear_answer(&mut self, answer: Answer) {
        if let Some(place) = self.asked.get_mut(&answer.question) {
            *place = Some(answer);
        }
    }

    /// What is to be said of an endpoint of ours; `None` if there is none of that name.
    fn report(&self, shared: &Shared, question: &Question) -> Option<Answer> {
        let Question { about, other } = *question;
        let mut facts = match about.entity.is_writer() {
            true => self.writers.get(&about.entity)?.facts(other),
            false => self.readers.get(&about.entity)?.facts(other),
        };
        if other != Guid::UNKNOWN {
            let acquaintance = self.reach(shared, about, other);
            facts.push((Fact::Acquaintance, i64::from(acquaintance as u8)));
        }
        if !about.entity.is_writer() {
            let dropped = shared.user.reception().dropped;
            let dropped = i64::try_from(dropped).unwrap_or(i64::MAX);
            facts.push((Fact::DatagramsDropped, dropped));
        }
        let writer = if about.entity.is_writer() {
            about
        } else {
            other
        };
        let silent = !self.discovery.is_alive(writer);
        facts.push((Fact::Silent, silent.into()));
        Some(Answer {
            question: *question,
            facts,
        })
    }

    /// As discovery says, but for a reader of which no address can be reached.
    fn reach(&self, shared: &Shared, local: Guid, other: Guid) -> Acquaintance {
        let known = self.discovery.acquaintance(local, other);
        let near = shared.config.transports.local && local_queue::is_here(&other);
        match known {
            Acquaintance::Matched if !near && !self.places.contains_key(&other) => {
                Acquaintance::Unreachable
            }
            known => known,
        }
    }
}
