//! Questions about endpoints and their answers, between Dunlin's own participants that know each
//! other.
//!
//! Stateless: a question may get lost, and then the asker asks again. Only who has shown to be
//! where it says is answered, there, and only so often. What is told is the caller's matter
//! (`docs/decisions/inquiries.md`).
use super::{Discovery, Event};
use crate::{Outbox, Time, To};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{
    Data, DiagnosticReply, DiagnosticRequest, EntityId, Guid, GuidPrefix, Parameters, Payload,
    PeerState, SequenceNumber, Submessage, VendorId,
};

/// So many answers at once ...
const MOST: u32 = 256;
/// ... and another one after each of these.
const PAUSE: Duration = Duration::from_millis(10);

/// What was said so far, and how much may be.
#[derive(Debug)]
pub(super) struct Diagnostics {
    questions: i64,
    answers: i64,
    left: u32,
    since: Time,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self {
            questions: 0,
            answers: 0,
            left: MOST,
            since: Time(0),
        }
    }
}

impl Diagnostics {
    /// True if one more answer may go.
    fn spend(&mut self, now: Time) -> bool {
        let earned = now.since(self.since).as_nanos() / PAUSE.as_nanos();
        if earned > 0 {
            self.since = now;
            let earned = u32::try_from(earned).unwrap_or(MOST);
            self.left = self.left.saturating_add(earned).min(MOST);
        }
        let rest = self.left.checked_sub(1);
        self.left = rest.unwrap_or(0);
        rest.is_some()
    }
}

impl Discovery {
    /// Asks the participant that has an endpoint how it is with it; the answer comes as an
    /// [`Event::Answered`], or does not come. False if that participant is not known to answer: of
    /// another vendor, or silent.
    pub fn ask(&mut self, question: DiagnosticRequest, out: &mut impl Outbox) -> bool {
        let prefix = question.about.prefix;
        let peer = self.peers.get(&prefix).filter(|peer| peer.verified);
        if peer.is_none_or(|peer| peer.data.vendor != VendorId::DUNLIN) {
            return false;
        }
        self.inquiries.questions = self.inquiries.questions.saturating_add(1);
        let ends = (EntityId::QUESTIONS_WRITER, EntityId::QUESTIONS_READER);
        push(
            prefix,
            ends,
            self.inquiries.questions,
            &question.encode(),
            out,
        );
        true
    }

    /// Answers what an [`Event::Asked`] brought.
    pub fn answer(&mut self, to: GuidPrefix, answer: &DiagnosticReply, out: &mut impl Outbox) {
        self.inquiries.answers = self.inquiries.answers.saturating_add(1);
        let ends = (EntityId::ANSWERS_WRITER, EntityId::ANSWERS_READER);
        push(to, ends, self.inquiries.answers, &answer.encode(), out);
    }

    /// How well a local endpoint knows another one.
    pub fn acquaintance(&self, local: Guid, other: Guid) -> PeerState {
        let known = self.catalog.contains(other);
        if self.ignored.contains(&other.prefix) || self.catalog.ignores_endpoint(local, other) {
            return PeerState::Ignored;
        }
        if other.prefix != self.config.prefix {
            if !self.peers.contains_key(&other.prefix) {
                return PeerState::Stranger;
            }
            if !known && !self.has_answered(other.prefix) {
                return PeerState::Announced;
            }
        }
        if !known {
            return PeerState::Participant;
        }
        let (writer, reader) = match local.entity.is_writer() {
            true => (local, other),
            false => (other, local),
        };
        match self.catalog.verdict(writer, reader) {
            Some(super::Verdict::Matched) => PeerState::Matched,
            _ => PeerState::Unsuitable,
        }
    }

    /// A reply of a participant that was recognized.
    pub(super) fn take_reply(
        &mut self,
        _: Time,
        from: GuidPrefix,
        bytes: &[u8],
        events: &mut Vec<Event>,
    ) {
        match DiagnosticReply::parse(bytes) {
            Ok(answer) if answer.question.about.prefix == from => {
                events.push(Event::Answered { answer });
            }
            _ => self.heard.malformed += 1,
        }
    }

    /// A request of a participant that was recognized.
    pub(super) fn take_request(
        &mut self,
        now: Time,
        from: GuidPrefix,
        bytes: &[u8],
        events: &mut Vec<Event>,
    ) {
        match DiagnosticRequest::parse(bytes) {
            Ok(question) if question.about.prefix == self.config.prefix => {
                if self.inquiries.spend(now) {
                    events.push(Event::Asked { from, question });
                }
            }
            _ => self.heard.malformed += 1,
        }
    }
}

fn push(
    to: GuidPrefix,
    (writer, reader): (EntityId, EntityId),
    sequence: i64,
    payload: &Bytes,
    out: &mut impl Outbox,
) {
    let data = Data {
        reader,
        writer,
        sequence: SequenceNumber(sequence),
        inline_qos: Parameters::NONE,
        payload: Payload::Data(payload),
    };
    let to = To::Endpoint(Guid::new(to, reader));
    out.push(to, Submessage::Data(data), payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_bounded_and_come_back_with_time() {
        let mut inquiries = Diagnostics::default();
        let now = Time(5);
        let said = (0..1000).filter(|_| inquiries.spend(now)).count();
        assert_eq!(said, MOST as usize);
        assert!(!inquiries.spend(Time(5 + PAUSE.as_nanos() - 6)));
        assert!(inquiries.spend(now.after(PAUSE)));
        assert!(!inquiries.spend(now.after(PAUSE)));
        let later = now.after(Duration::from_secs(3600));
        let said = (0..1000).filter(|_| inquiries.spend(later)).count();
        assert_eq!(said, MOST as usize);
    }
}
