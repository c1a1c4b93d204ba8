//! How is it with an endpoint of yours? What Dunlin's participants ask each other when a person
//! wants to know why nothing arrives.
use super::value;
use crate::{EntityId, Error, Guid, ParameterId, ParameterWriter};
use alloc::vec::Vec;
use bytes::Bytes;

/// Most facts of an answer, known or not.
const MOST_FACTS: usize = 64;
/// Bytes of one: a number and a value.
const FACT_SIZE: usize = 12;

/// What is asked of a participant about one of its endpoints. Dunlin's own; the list of parameters
/// is like those of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiagnosticRequest {
    /// The endpoint; the participant that has it is asked.
    pub about: Guid,
    /// The endpoint on the other side that it should hear or reach; [`Guid::UNKNOWN`] for none in
    /// particular.
    pub other: Guid,
}

/// What a participant says of one of its endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticReply {
    /// What was asked.
    pub question: DiagnosticRequest,
    /// Each fact at most once; those that this version does not know are left out.
    pub facts: Vec<(DiagnosticFact, i64)>,
}

/// One thing that only the process knows. All are counts of changes unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum DiagnosticFact {
    /// How well it knows the other endpoint: a number of [`PeerState`].
    PeerState = 1,
    /// Matched endpoints.
    Matched = 2,
    /// A writer has written.
    Written = 3,
    /// A reliable reader has not acknowledged.
    Unacknowledged = 4,
    /// A writer keeps, or a reader holds and nobody has taken.
    Held = 5,
    /// The writer did not show life within its lease: 1 if it has not since, else 0.
    Silent = 6,
    /// Leases of the writer that ran out.
    LeasesLost = 7,
    /// A reader has all of the other up to this number, or knows that it will not get it.
    Settled = 8,
    /// A reader's limits do not let the next change of the other in: 1, else 0.
    Blocked = 9,
    /// A reader refused for its limits.
    Rejected = 10,
    /// A reader lost.
    Lost = 11,
    /// A reader passed over since a stronger writer owns the instance.
    NotOwner = 12,
    /// A reader passed over since they came too soon after another.
    TooSoon = 13,
    /// A reader passed over since a later one was there.
    Outdated = 14,
    /// A reader let go of before anybody had seen them, since they were not valid any more.
    Expired = 15,
    /// A reader passed over since they do not suit its content filter.
    Filtered = 16,
    /// Deadlines that were missed.
    DeadlinesMissed = 17,
    /// Datagrams that the system dropped since the process did not fetch them in time.
    DatagramsDropped = 18,
    /// A reader has let its application see.
    TakenIn = 19,
    /// A writer sends the reader everything since its content filter takes too many steps to judge
    /// by: 1, else 0.
    FilterGivenUp = 20,
    /// Nanoseconds for which something has waited for the reader's acknowledgement.
    BehindFor = 21,
    /// Nanoseconds since the reader last said anything; left out if it never did.
    HeardAgo = 22,
    /// A reader asked for when it last said anything.
    AskedFor = 23,
    /// Of a writer that is asked about no reader in particular: the GUID of the reliable reader
    /// that has acknowledged least, its first eight bytes as a big-endian number ...
    SlowestHigh = 24,
    /// ... and its last eight. Facts of a reader are then that one's.
    SlowestLow = 25,
    /// The writer waits no longer for the reader, which has never said anything: 1, else left out.
    NotWaitedFor = 26,
    /// Nanoseconds that a call of the reader's listener for data takes, as some of them showed;
    /// left out before the first.
    ListenerTakes = 27,
    /// A reader passed over since they had come already by another way.
    Duplicate = 28,
}

impl DiagnosticFact {
    const ALL: [Self; 28] = [
        Self::PeerState,
        Self::Matched,
        Self::Written,
        Self::Unacknowledged,
        Self::Held,
        Self::Silent,
        Self::LeasesLost,
        Self::Settled,
        Self::Blocked,
        Self::Rejected,
        Self::Lost,
        Self::NotOwner,
        Self::TooSoon,
        Self::Outdated,
        Self::Expired,
        Self::Filtered,
        Self::DeadlinesMissed,
        Self::DatagramsDropped,
        Self::TakenIn,
        Self::FilterGivenUp,
        Self::BehindFor,
        Self::HeardAgo,
        Self::AskedFor,
        Self::SlowestHigh,
        Self::SlowestLow,
        Self::NotWaitedFor,
        Self::ListenerTakes,
        Self::Duplicate,
    ];

    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|fact| *fact as u32 == number)
    }
}

/// How well a participant knows an endpoint of another one; each is more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PeerState {
    /// It does not even know the participant.
    Stranger = 0,
    /// The application wants to hear nothing of it.
    Ignored = 1,
    /// The participant announces itself, but has not answered.
    Announced = 2,
    /// The participant answers; of the endpoint nothing is known.
    Participant = 3,
    /// The endpoint is known and does not suit.
    Unsuitable = 4,
    /// The two match, but none of the endpoint's addresses can be reached.
    Unreachable = 5,
    /// The two match.
    Matched = 6,
}

impl PeerState {
    /// What a number stands for.
    pub fn of(number: i64) -> Option<Self> {
        let all = [
            Self::Stranger,
            Self::Ignored,
            Self::Announced,
            Self::Participant,
            Self::Unsuitable,
            Self::Unreachable,
            Self::Matched,
        ];
        all.into_iter().find(|one| i64::from(*one as u8) == number)
    }
}

impl DiagnosticRequest {
    /// Reads a payload, encapsulation header included.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let (mut about, mut other) = (None, Guid::UNKNOWN);
        for parameter in value::parameters(payload)? {
            let mut parameter = parameter?;
            match parameter.id {
                ParameterId::ENDPOINT_GUID => about = Some(parameter.value.guid()?),
                ParameterId::OTHER_ENDPOINT => other = parameter.value.guid()?,
                _ => parameter.skip()?,
            }
        }
        let what = "GUID of a question";
        let about = about.ok_or(Error::Missing { what })?;
        Ok(Self { about, other })
    }

    /// The payload, encapsulation header included.
    pub fn encode(&self) -> Bytes {
        self.begin().finish().unwrap_or_default()
    }

    fn begin(&self) -> ParameterWriter {
        let mut out = ParameterWriter::payload();
        out.guid(ParameterId::ENDPOINT_GUID, self.about);
        out.guid(ParameterId::OTHER_ENDPOINT, self.other);
        out
    }
}

impl DiagnosticReply {
    /// The value of a fact, if it was told.
    pub fn fact(&self, fact: DiagnosticFact) -> Option<i64> {
        let told = self.facts.iter().find(|(told, _)| *told == fact);
        told.map(|(_, value)| *value)
    }

    /// The reader that is named as the slowest, if one is.
    pub fn slowest(&self) -> Option<Guid> {
        let half = |fact| Some(self.fact(fact)?.to_be_bytes());
        let high = half(DiagnosticFact::SlowestHigh)?;
        let low = half(DiagnosticFact::SlowestLow)?;
        let mut bytes = [0; 16];
        let (first, last) = bytes.split_at_mut(8);
        first.copy_from_slice(&high);
        last.copy_from_slice(&low);
        Some(Guid::from_bytes(bytes))
    }

    /// The facts that name a reader as the slowest.
    pub fn name_slowest(reader: Guid) -> [(DiagnosticFact, i64); 2] {
        let [a, b, c, d, e, f, g, h, rest @ ..] = reader.to_bytes();
        let high = i64::from_be_bytes([a, b, c, d, e, f, g, h]);
        [
            (DiagnosticFact::SlowestHigh, high),
            (DiagnosticFact::SlowestLow, i64::from_be_bytes(rest)),
        ]
    }

    /// Reads a payload, encapsulation header included.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let question = DiagnosticRequest::parse(payload)?;
        let mut facts = Vec::new();
        for parameter in value::parameters(payload)? {
            let parameter = parameter?;
            if parameter.id != ParameterId::FACTS {
                continue;
            }
            let mut list = parameter.value;
            for _ in 0..MOST_FACTS.min(list.rest().len() / FACT_SIZE) {
                let number = list.u32()?;
                let value = list.sequence()?.0;
                if let Some(fact) = DiagnosticFact::of(number)
                    && facts.iter().all(|(told, _)| *told != fact)
                {
                    facts.push((fact, value));
                }
            }
        }
        Ok(Self { question, facts })
    }

    /// The payload, encapsulation header included.
    pub fn encode(&self) -> Bytes {
        let mut out = self.question.begin();
        out.put(ParameterId::FACTS, |out| {
            for (fact, value) in self.facts.iter().take(MOST_FACTS) {
                let [high, low] = [value >> 32, *value].map(|half| (half as u32).to_le_bytes());
                out.extend_from_slice(&(*fact as u32).to_le_bytes());
                out.extend_from_slice(&high);
                out.extend_from_slice(&low);
            }
        });
        out.finish().unwrap_or_default()
    }
}

impl EntityId {
    /// Dunlin's own: writer of questions about endpoints.
    pub const QUESTIONS_WRITER: Self = Self([0x4c, 0, 2, 0x43]);
    /// Dunlin's own: reader of questions about endpoints.
    pub const QUESTIONS_READER: Self = Self([0x4c, 0, 2, 0x44]);
    /// Dunlin's own: writer of answers to them.
    pub const ANSWERS_WRITER: Self = Self([0x4c, 0, 3, 0x43]);
    /// Dunlin's own: reader of answers to them.
    pub const ANSWERS_READER: Self = Self([0x4c, 0, 3, 0x44]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GuidPrefix;
    use alloc::vec;

    fn question() -> DiagnosticRequest {
        let of = |byte| Guid::new(GuidPrefix([byte; 12]), EntityId([0, 0, 1, 2]));
        DiagnosticRequest {
            about: of(1),
            other: of(2),
        }
    }

    #[test]
    fn questions_and_answers_are_read_as_they_were_written() {
        let question = question();
        assert_eq!(DiagnosticRequest::parse(&question.encode()), Ok(question));
        let facts = vec![
            (DiagnosticFact::Written, i64::MAX),
            (DiagnosticFact::Silent, 0),
            (DiagnosticFact::Lost, -1),
        ];
        let answer = DiagnosticReply { question, facts };
        assert_eq!(DiagnosticReply::parse(&answer.encode()), Ok(answer.clone()));
        assert_eq!(answer.fact(DiagnosticFact::Written), Some(i64::MAX));
        assert_eq!(answer.fact(DiagnosticFact::Held), None);
        assert_eq!(answer.slowest(), None);
        let facts = DiagnosticReply::name_slowest(question.other).to_vec();
        let named = DiagnosticReply { question, facts };
        assert_eq!(named.slowest(), Some(question.other));
        for fact in DiagnosticFact::ALL {
            assert_eq!(DiagnosticFact::of(fact as u32), Some(fact));
        }
    }

    #[test]
    fn unknown_facts_and_repeated_ones_are_left_out_and_many_are_bounded() {
        let mut out = question().begin();
        out.put(ParameterId::FACTS, |out| {
            for number in [3_u32, 999, 3].into_iter().chain([1000; 500]) {
                out.extend_from_slice(&number.to_le_bytes());
                out.extend_from_slice(&[0, 0, 0, 0, 7, 0, 0, 0]);
            }
        });
        let answer = DiagnosticReply::parse(&out.finish().unwrap()).unwrap();
        assert_eq!(answer.facts, [(DiagnosticFact::Written, 7)]);
    }
}
