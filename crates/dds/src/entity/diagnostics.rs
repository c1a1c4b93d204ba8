//! What a participant knows of its domain, asks of others, and finds to be wrong.
use crate::discovery::observe::{Domain, Knowledge, TypeState};
use crate::discovery::why::{Finding, Snapshot, Subject, examine, questions, unknown_types};
use crate::entity::participant::DomainParticipant;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_wire::{DiagnosticReply, DiagnosticRequest, Guid};
use std::time::Duration as Span;

/// How often answers are looked for ...
const LOOK: Span = Span::from_millis(5);
/// ... and questions are repeated, since either may get lost.
const AGAIN: Duration = Duration::from_millis(150);
/// Questions that are asked at once: as many as one participant answers without a pause.
const BATCH: usize = 200;

impl DomainParticipant {
    /// What this participant knows of its domain, now. It takes some hundred milliseconds after it
    /// was made until it knows all.
    pub fn domain(&self) -> Domain {
        let shared = &self.guard.shared;
        shared.matching.lock().domain(&*shared.transport)
    }

    /// How much this participant knows of its domain, now: cheap where [`domain`](Self::domain)
    /// copies everything.
    pub fn knowledge(&self) -> Knowledge {
        self.guard.shared.matching.lock().count_knowledge()
    }

    /// As [`domain`](Self::domain), after it was asked for the types of those endpoints of `subject`
    /// that announce types which are not the same; `timeout` is how long they are waited for.
    ///
    /// Not for listeners, as [`DomainParticipant::ask`].
    pub fn domain_with_types(&self, subject: Subject<'_>, timeout: Duration) -> Domain {
        self.add_types(self.domain(), subject, timeout)
    }

    /// As [`domain_with_types`](Self::domain_with_types), of a domain that was looked at before: it
    /// is copied anew only if types are asked for, so many subjects of one domain cost one copy.
    ///
    /// Not for listeners, as [`DomainParticipant::ask`].
    pub fn add_types(&self, mut domain: Domain, subject: Subject<'_>, timeout: Duration) -> Domain {
        let shared = &self.guard.shared;
        let until = shared.clock.now().after(timeout);
        loop {
            let unknown = unknown_types(&domain, subject);
            if unknown.is_empty() || shared.clock.now() >= until || shared.is_ended() {
                return domain;
            }
            shared.discover(|matching, now| matching.look_up_types(now, &unknown));
            shared.clock.sleep(LOOK);
            domain = self.domain();
        }
    }

    /// What is known of the type of an endpoint of another participant. If nothing is, that
    /// participant is asked (DDS-XTypes 1.3 7.6.3.3), and the answer is here some milliseconds
    /// later; this does not wait for it. `None` also of an endpoint that is not known.
    pub fn look_up_type(&self, endpoint: Guid) -> Option<TypeState> {
        let shared = &self.guard.shared;
        shared.discover(|matching, now| matching.type_of(now, endpoint))
    }

    /// Why nothing arrives on a topic: everything that is found, of own endpoints and of all others
    /// that are known, each with a cure. Processes of Dunlin's other participants are asked how far
    /// samples came; `timeout` is how long their answers are waited for. Nothing is found where
    /// everything matches and flows.
    ///
    /// Not for listeners, as [`DomainParticipant::ask`].
    pub fn why(&self, topic: &str, timeout: Duration) -> Vec<Finding> {
        let subject = Subject::Topic(topic);
        let domain = self.domain_with_types(subject, timeout);
        let answers = self.ask(&questions(&domain, subject), timeout);
        let scene = Snapshot {
            domain: &domain,
            answers: &answers,
            elsewhere: &[],
            group: None,
        };
        examine(&scene, subject).findings
    }

    /// Asks how it is with endpoints, own ones and those of Dunlin's other participants, and waits
    /// for the answers, `timeout` at most for each two hundred of them. What is not answered is
    /// left out: other products do not answer, nor does who was told not to
    /// ([`ParticipantConfig::answers_questions`](crate::ParticipantConfig::answers_questions)).
    ///
    /// Not for listeners: the answers come by threads that may be the caller's own.
    pub fn ask(&self, questions: &[DiagnosticRequest], timeout: Duration) -> Vec<DiagnosticReply> {
        let batches = questions.chunks(BATCH);
        batches
            .flat_map(|batch| self.ask_at_once(batch, timeout))
            .collect()
    }

    fn ask_at_once(
        &self,
        questions: &[DiagnosticRequest],
        timeout: Duration,
    ) -> Vec<DiagnosticReply> {
        let shared = &self.guard.shared;
        let clock = &shared.clock;
        let until = clock.now().after(timeout);
        let mut asked: Option<Time> = None;
        let mut open: Vec<DiagnosticRequest> = questions.to_vec();
        while (clock.now() < until || asked.is_none()) && !shared.is_ended() {
            if asked.is_none_or(|at| clock.now().since(at) >= AGAIN) {
                asked = Some(clock.now());
                shared.discover(|matching, _| {
                    open.retain(|question| matching.ask(&**shared, *question));
                });
            }
            {
                let matching = shared.matching.lock();
                open.retain(|question| matching.answer_to(question).is_none());
            }
            if open.is_empty() {
                break;
            }
            clock.sleep(LOOK);
        }
        let mut matching = shared.matching.lock();
        let answer = |question: &DiagnosticRequest| {
            let answer = matching.answer_to(question).cloned();
            matching.forget_question(question);
            answer
        };
        questions.iter().filter_map(answer).collect()
    }
}
