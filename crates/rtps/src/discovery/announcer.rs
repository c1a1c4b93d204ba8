//! Announcing our participant (RTPS 2.5 8.5.3).
use super::Discovery;
use crate::{ChangeKind, Outbox, Time, To, crowd};
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_wire::{
    Data, EntityId, Guid, GuidPrefix, InlineQos, Parameters, Payload, SequenceNumber, Submessage,
    Timestamp, participant_key,
};

/// Pauses after the first announcements; they are quick since datagrams get lost and start-up is
/// when it hurts.
const QUICK: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(150),
    Duration::from_millis(250),
    Duration::from_millis(500),
];

/// Whoever has moved announces itself so many times more with the last of these pauses: it is
/// believed only after a while.
const QUICK_IF_MOVED: usize = 4;

/// However short the period, announcements do not fill the network.
const MIN_PAUSE: Duration = Duration::from_millis(10);

/// Strangers that come and go do not make us announce more often than this.
const HURRY_PAUSE: Duration = Duration::from_millis(500);

/// Our announcement and when it is due.
#[derive(Debug)]
pub(super) struct Announcer {
    own: GuidPrefix,
    payload: Bytes,
    /// Stays the same as long as the payload does.
    sequence: SequenceNumber,
    period: Duration,
    sent: usize,
    due: Option<Time>,
    last: Option<Time>,
    /// We are elsewhere than before; those who know us are told.
    moved: bool,
    moved_at: Option<Time>,
    ended: bool,
}

impl Announcer {
    /// `payload` describes our participant.
    pub(super) fn new(own: GuidPrefix, payload: Bytes, period: Duration) -> Self {
        Self {
            own,
            payload,
            sequence: SequenceNumber::FIRST,
            period,
            sent: 0,
            due: None,
            last: None,
            moved: false,
            moved_at: None,
            ended: false,
        }
    }

    /// Announces now, and begins again with the first, quick repetitions.
    pub(super) fn start(&mut self, now: Time) {
        self.due = Some(now);
        self.sent = 0;
    }

    /// Somebody may be there who has not heard us: the next announcement does not wait for its
    /// time.
    pub(super) fn hurry(&mut self, now: Time) {
        let soon = self
            .last
            .map_or(now, |last| last.after(HURRY_PAUSE).max(now));
        self.due = self.due.map(|due| due.min(soon));
    }

    /// From the next announcement on we are something else.
    pub(super) fn replace(&mut self, payload: Bytes, period: Duration) {
        self.payload = payload;
        self.period = period;
        self.sequence.0 = self.sequence.0.saturating_add(1);
    }

    /// We are elsewhere from now on: announces it to all that know us, now and some times more.
    pub(super) fn start_elsewhere(&mut self, now: Time) {
        self.start(now);
        self.moved = true;
        self.moved_at = Some(now);
    }

    /// True while the announcements are those after a move.
    pub(super) fn has_moved(&self) -> bool {
        self.moved
    }

    /// True if we have moved within this time.
    pub(super) fn has_moved_since(&self, now: Time, span: Duration) -> bool {
        self.moved_at.is_some_and(|at| now.since(at) < span)
    }

    /// The sequence number of what is announced.
    pub(super) fn sequence(&self) -> SequenceNumber {
        self.sequence
    }

    /// The number of the last announcement, unless it is one of the first, quick ones.
    fn regular(&self) -> Option<u64> {
        let nth = self.sent.checked_sub(QUICK.len())?;
        u64::try_from(nth).ok()
    }

    /// True after the goodbye.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// True, once, when an announcement is due; the next one follows later. `met` have answered
    /// already. If they are a crowd, the quick announcements end: each would wake all of it for the
    /// sake of a few, whose own announcements bring them to us as well.
    pub(super) fn is_due(&mut self, now: Time, met: usize) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        if due {
            if crowd::is_one(met) && !self.moved {
                self.sent = self.sent.max(QUICK.len());
            }
            self.moved &= self.sent <= QUICK.len() + QUICK_IF_MOVED;
            let last = QUICK.last().filter(|_| self.moved);
            let pause = QUICK.get(self.sent).or(last).unwrap_or(&self.period);
            let pause = (*pause).min(self.period).max(MIN_PAUSE);
            self.due = Some(now.after(pause));
            self.last = Some(now);
            self.sent = self.sent.saturating_add(1);
        }
        due
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.due
    }

    /// Bytes of the submessages with which we announce ourselves.
    pub(super) fn size(&self) -> usize {
        let timestamp = Submessage::InfoTimestamp(Some(Timestamp(0)));
        let data = Data {
            sequence: self.sequence,
            payload: Payload::Data(&self.payload),
            ..self.data(To::Announce)
        };
        timestamp.encoded_len() + Submessage::Data(data).encoded_len()
    }

    /// Says that we are here.
    pub(super) fn announce(&self, timestamp: Timestamp, to: To, out: &mut impl Outbox) {
        let data = Data {
            sequence: self.sequence,
            payload: Payload::Data(&self.payload),
            ..self.data(to)
        };
        out.push(
            to,
            Submessage::InfoTimestamp(Some(timestamp)),
            &Bytes::new(),
        );
        out.push(to, Submessage::Data(data), &self.payload);
    }

    /// Says that we are gone; nothing is announced any more.
    pub(super) fn goodbye(
        &mut self,
        timestamp: Timestamp,
        to: impl IntoIterator<Item = To>,
        out: &mut impl Outbox,
    ) {
        self.due = None;
        self.ended = true;
        self.sequence.0 = self.sequence.0.saturating_add(1);
        let participant = Guid::new(self.own, EntityId::PARTICIPANT);
        let key = participant_key(participant);
        let mut inline = BytesMut::with_capacity(InlineQos::MAX_SIZE);
        InlineQos {
            key_hash: Some(participant.to_bytes()),
            status_info: Some(ChangeKind::DisposedUnregistered.status()),
            ..InlineQos::default()
        }
        .encode(&mut inline);
        for to in to {
            let data = Data {
                sequence: self.sequence,
                inline_qos: Parameters::little_endian(&inline),
                payload: Payload::Key(&key),
                ..self.data(to)
            };
            out.push(
                to,
                Submessage::InfoTimestamp(Some(timestamp)),
                &Bytes::new(),
            );
            out.push(to, Submessage::Data(data), &key);
        }
    }

    fn data(&self, to: To) -> Data<'_> {
        Data {
            reader: match to {
                To::Endpoint(reader) => reader.entity,
                To::Matched | To::Passing(_) | To::Announce => EntityId::UNKNOWN,
            },
            writer: EntityId::SPDP_WRITER,
            sequence: self.sequence,
            inline_qos: Parameters::NONE,
            payload: Payload::None,
        }
    }
}

impl Discovery {
    /// Announces us, if it is time, where announcements go, and alone to those who may not hear
    /// them there.
    pub(super) fn announce_if_due(&mut self, now: Time, out: &mut impl Outbox) {
        let met = self.peers.len().saturating_sub(self.strangers.len());
        if !self.announcer.is_due(now, met) {
            return;
        }
        let timestamp = self.config.timestamp(now);
        self.announcer.announce(timestamp, To::Announce, out);
        let moved = self.announcer.has_moved();
        let (sequence, regular) = (self.announcer.sequence(), self.announcer.regular());
        for (prefix, peer) in &mut self.peers {
            let alone = peer.verified && peer.is_to_be_told(now, sequence, regular);
            if alone || (moved && peer.verified) {
                self.announcer.announce(timestamp, detector(*prefix), out);
            }
        }
    }
}

/// Where a participant listens for announcements that are meant for it alone.
pub(super) fn detector(prefix: GuidPrefix) -> To {
    To::Endpoint(Guid::new(prefix, EntityId::SPDP_READER))
}
