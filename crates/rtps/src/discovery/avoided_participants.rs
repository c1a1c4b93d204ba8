//! Participants that are left alone for what they announce.
use super::Discovery;
use crate::Time;
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{GuidPrefix, ParticipantData};

/// Anybody may announce what they are left alone for, so only so many are remembered.
const MOST: usize = 32;
/// Their leases are nobody's promise: they are remembered for so long at least, and at most.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// What they say of themselves, and until when that counts.
#[derive(Debug, Default)]
pub(super) struct AvoidedParticipants(Vec<(ParticipantData, Time)>);

impl AvoidedParticipants {
    /// One announces itself. Nothing is remembered of it if there are too many.
    pub(super) fn note(&mut self, now: Time, data: ParticipantData) {
        let own = data.guid.prefix;
        self.0
            .retain(|(known, until)| *until > now && known.guid.prefix != own);
        if self.0.len() < MOST {
            let lease = data.lease_duration.clamp(SHORTEST, LONGEST);
            self.0.push((data, now.after(lease)));
        }
    }

    /// One says goodbye.
    pub(super) fn forget(&mut self, prefix: GuidPrefix) {
        self.0.retain(|(known, _)| known.guid.prefix != prefix);
    }

    pub(super) fn there(&self, now: Time) -> impl Iterator<Item = &ParticipantData> {
        let there = self.0.iter().filter(move |(_, until)| *until > now);
        there.map(|(data, _)| data)
    }
}

impl Discovery {
    /// Those that are left alone for a property that they announce, 32 at most.
    pub fn avoided_participants(&self, now: Time) -> impl Iterator<Item = &ParticipantData> {
        self.avoided.there(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(number: u8) -> ParticipantData {
        ParticipantData::new(GuidPrefix([number; 12]))
    }

    #[test]
    fn they_are_remembered_for_their_lease_and_not_without_end() {
        let start = Time(0);
        let mut avoided = AvoidedParticipants::default();
        for number in 0..100 {
            avoided.note(start, data(number));
        }
        avoided.note(start, data(0));
        assert_eq!(avoided.there(start).count(), MOST);
        avoided.forget(GuidPrefix([0; 12]));
        assert_eq!(avoided.there(start).count(), MOST - 1);
        let late = start.after(LONGEST).after(SHORTEST);
        assert_eq!(avoided.there(late).count(), 0);
        avoided.note(late, data(1));
        assert_eq!((avoided.there(late).count(), avoided.0.len()), (1, 1));
    }
}
