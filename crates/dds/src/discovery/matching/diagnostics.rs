//! Questions about endpoints: what this participant answers, and what it was answered.
use super::{MatchedEndpoint, Matching, OwnParticipant};
use crate::send::local_queue;
use dunlin_wire::{
    DiagnosticFact, DiagnosticReply, DiagnosticRequest, Guid, GuidPrefix, PeerState,
};

impl<P: OwnParticipant> Matching<P> {
    /// Asks, or answers at once if the endpoint is our own; the answer is for `answer_to`. False if
    /// nobody can be asked.
    pub(crate) fn ask(&mut self, participant: &P, question: DiagnosticRequest) -> bool {
        let own = (question.about.prefix == self.own())
            .then(|| self.report(participant, &question))
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
    pub(crate) fn answer_to(&self, question: &DiagnosticRequest) -> Option<&DiagnosticReply> {
        self.asked.get(question)?.as_ref()
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn forget_question(&mut self, question: &DiagnosticRequest) {
        self.asked.remove(question);
    }

    pub(super) fn hear_question(
        &mut self,
        participant: &P,
        from: GuidPrefix,
        question: &DiagnosticRequest,
    ) {
        if !participant.answers_questions() {
            return;
        }
        if let Some(answer) = self.report(participant, question) {
            self.discovery.answer(from, &answer, &mut self.datagrams);
        }
    }

    /// Only what was asked for is kept.
    pub(super) fn hear_answer(&mut self, answer: DiagnosticReply) {
        if let Some(destination) = self.asked.get_mut(&answer.question) {
            *destination = Some(answer);
        }
    }

    /// What is to be said of an endpoint of ours; `None` if there is none of that name.
    fn report(&self, participant: &P, question: &DiagnosticRequest) -> Option<DiagnosticReply> {
        let DiagnosticRequest { about, other } = *question;
        let mut facts = match about.entity.is_writer() {
            true => self.writers.get(&about.entity)?.facts(other),
            false => self.readers.get(&about.entity)?.facts(other),
        };
        if other != Guid::UNKNOWN {
            let acquaintance = self.reach(participant, about, other);
            facts.push((DiagnosticFact::PeerState, i64::from(acquaintance as u8)));
        }
        if !about.entity.is_writer() {
            let dropped = participant.dropped();
            let dropped = i64::try_from(dropped).unwrap_or(i64::MAX);
            facts.push((DiagnosticFact::DatagramsDropped, dropped));
        }
        let writer = if about.entity.is_writer() {
            about
        } else {
            other
        };
        let silent = !self.discovery.is_alive(writer);
        facts.push((DiagnosticFact::Silent, silent.into()));
        Some(DiagnosticReply {
            question: *question,
            facts,
        })
    }

    /// As discovery says, but for a reader of which no address can be reached.
    fn reach(&self, participant: &P, local: Guid, other: Guid) -> PeerState {
        let known = self.discovery.acquaintance(local, other);
        let local_readers = participant.delivers_locally() && local_queue::is_here(&other);
        match known {
            PeerState::Matched
                if !local_readers
                    && !self.destinations.contains_key(&other)
                    && !self.waiting.contains(local, other) =>
            {
                PeerState::Unreachable
            }
            known => known,
        }
    }
}
