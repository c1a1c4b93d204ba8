//! The samples that steer a run: who belongs to it, what they say, and how that looks in a
//! `TestData`.
//!
//! The original marks them by payload sizes that data may have as well; here they are marked in
//! `latency_ping`, which data never has below -1.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::messaging::{Header, Sample};

/// `latency_ping` of data that nobody echoes.
pub(super) const NO_PING: i32 = -1;

const ID_BITS: u32 = 10;
const RUN_MASK: u32 = (1 << 21) - 1;
const MAGIC: u32 = u32::from_le_bytes(*b"dnln");

/// The key of control samples.
pub(super) const SPECIAL_KEY: [u8; 4] = 65_535u32.to_le_bytes();

/// Which side of which run a sample belongs to; travels as `entity_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(i32);

impl Tag {
    /// The tag of a new run of publisher `id`.
    pub(super) fn new_run(id: u32) -> Self {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.write_u64(crate::clock::monotonic());
        Self::of((hasher.finish() as u32 & RUN_MASK).max(1), id)
    }

    fn of(run: u32, id: u32) -> Self {
        Self((run << ID_BITS | id & ((1 << ID_BITS) - 1)) as i32)
    }

    /// The same run, another member.
    pub(super) fn with_id(self, id: u32) -> Self {
        Self::of(self.run(), id)
    }

    /// The run, from 1.
    pub(super) fn run(self) -> u32 {
        self.0 as u32 >> ID_BITS
    }

    /// The publisher or subscriber id, 0 to 1023.
    pub(super) fn id(self) -> u32 {
        self.0 as u32 & ((1 << ID_BITS) - 1)
    }

    /// As it travels.
    pub(super) fn entity_id(self) -> i32 {
        self.0
    }

    /// From the wire; `None` for what no run sends.
    pub(super) fn from_entity_id(entity_id: i32) -> Option<Self> {
        let tag = Self(entity_id);
        (entity_id > 0 && tag.run() > 0).then_some(tag)
    }
}

/// What a sample is for, told by its `latency_ping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Data, to be echoed by the subscriber with this id.
    Data(Option<u32>),
    /// To be echoed by every subscriber, not counted.
    WarmUp,
    /// Publisher: a run waits for subscribers. Subscriber: here I am.
    Hello,
    /// Publisher: a segment is over. Subscriber: I have seen that.
    End,
    /// Nothing but a sign of life.
    Alive,
}

impl Kind {
    /// As it travels.
    pub(super) fn latency_ping(self) -> i32 {
        match self {
            Kind::Data(None) => NO_PING,
            Kind::Data(Some(id)) => id as i32,
            Kind::WarmUp => -2,
            Kind::Hello => -3,
            Kind::End => -4,
            Kind::Alive => -5,
        }
    }

    /// From the wire; `None` for marks that we do not know.
    pub(super) fn of(latency_ping: i32) -> Option<Self> {
        Some(match latency_ping {
            0.. => Kind::Data(Some(latency_ping as u32)),
            NO_PING => Kind::Data(None),
            -2 => Kind::WarmUp,
            -3 => Kind::Hello,
            -4 => Kind::End,
            -5 => Kind::Alive,
            _ => return None,
        })
    }
}

/// What a publisher says about its run, and a subscriber about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    /// The segment that ended.
    pub(super) segment: u32,
    /// Samples written so far in the run: the next sequence number.
    pub(super) next_seq: u32,
    /// Size of the samples.
    pub(super) data_len: u32,
    /// No segment follows.
    pub(super) last: bool,
    /// The segment ran to its end.
    pub(super) complete: bool,
    /// Each sample waits for its echo; subscribers then keep quiet.
    pub(super) latency_test: bool,
    /// Tells two processes with the same id apart.
    pub(super) nonce: u32,
}

/// Bytes of a note.
pub(super) const NOTE: usize = 24;

impl Note {
    /// As it travels, as the payload of a control sample.
    pub(super) fn encode(&self) -> [u8; NOTE] {
        let flags = u32::from(self.last)
            | u32::from(self.complete) << 1
            | u32::from(self.latency_test) << 2;
        let words = [
            MAGIC,
            flags,
            self.segment,
            self.next_seq,
            self.data_len,
            self.nonce,
        ];
        let mut bytes = [0; NOTE];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// From the wire; `None` if it is no note.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut words = bytes
            .chunks_exact(4)
            .filter_map(|word| word.try_into().ok())
            .map(u32::from_le_bytes);
        (words.next()? == MAGIC).then_some(())?;
        let flags = words.next()?;
        Some(Self {
            last: flags & 1 != 0,
            complete: flags & 2 != 0,
            latency_test: flags & 4 != 0,
            segment: words.next()?,
            next_seq: words.next()?,
            data_len: words.next()?,
            nonce: words.next()?,
        })
    }
}

/// The header of a control sample.
pub(super) fn header(tag: Tag, kind: Kind) -> Header {
    Header {
        key: SPECIAL_KEY,
        entity_id: tag.entity_id(),
        latency_ping: kind.latency_ping(),
        ..Header::default()
    }
}

/// Who sent a sample and what it is for; `None` if it is none of ours.
pub(super) fn read(sample: &Sample<'_>) -> Option<(Tag, Kind)> {
    let tag = Tag::from_entity_id(sample.header.entity_id)?;
    Some((tag, Kind::of(sample.header.latency_ping)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_survive_the_wire_and_nonsense_does_not() {
        let tag = Tag::new_run(1_023);
        assert_eq!(Tag::from_entity_id(tag.entity_id()), Some(tag));
        assert_eq!(
            (tag.id(), tag.with_id(3).id(), tag.with_id(3).run()),
            (1_023, 3, tag.run())
        );
        for entity_id in [-1, 0, 5, i32::MIN] {
            assert_eq!(Tag::from_entity_id(entity_id), None);
        }
    }

    #[test]
    fn kinds_survive_the_wire() {
        let kinds = [
            Kind::Data(None),
            Kind::Data(Some(7)),
            Kind::WarmUp,
            Kind::Hello,
            Kind::End,
            Kind::Alive,
        ];
        for kind in kinds {
            assert_eq!(Kind::of(kind.latency_ping()), Some(kind));
        }
        assert_eq!(Kind::of(-6), None);
    }

    #[test]
    fn notes_survive_the_wire_and_short_ones_do_not() {
        let note = Note {
            segment: 3,
            next_seq: u32::MAX,
            data_len: 1_262,
            last: true,
            complete: false,
            latency_test: true,
            nonce: 99,
        };
        let bytes = note.encode();
        assert_eq!(Note::decode(&bytes), Some(note));
        for length in 0..NOTE {
            assert_eq!(Note::decode(&bytes[..length]), None);
        }
        assert_eq!(Note::decode(&[0; NOTE]), None);
    }
}
