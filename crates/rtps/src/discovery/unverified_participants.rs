//! Participants of which nothing but announcements was heard. Anybody can invent them, and give
//! anybody's address as theirs: so they cost little, the oldest make room for newer ones, and they
//! are sent at most three times the bytes that came.
use alloc::collections::BTreeMap;
use dunlin_qos::Duration;
use dunlin_wire::GuidPrefix;

/// Bytes that their announcements may take, all together.
const MOST_BYTES: usize = 4 << 20;
/// For each byte that came in a participant's name so many may go where it says that it is.
const RETURN: usize = 3;
/// One that announces itself again is not asked again within so long for each of them ...
const PATIENCE_OF_EACH: Duration = Duration::from_millis(5);
/// ... and not longer than this.
const MOST_PATIENCE: Duration = Duration::from_secs(1);
/// Headers of a message to one participant: the message's own and INFO_DST (RTPS 2.5 9.4.4,
/// 9.4.5.9).
pub(super) const HEADERS: usize = 20 + 16;

/// What may be sent to a participant that has not shown to be where it says.
#[derive(Debug, Default)]
pub(super) struct Credit(usize);

impl Credit {
    /// So many bytes came in its name.
    pub(super) fn earn(&mut self, received: usize) {
        self.0 = self.0.saturating_add(received.saturating_mul(RETURN));
    }

    /// Pays for one datagram with so many bytes of submessages; false if that is too much.
    pub(super) fn pay(&mut self, bytes: usize) -> bool {
        let rest = self.0.checked_sub(bytes.saturating_add(HEADERS));
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Pays for two datagrams, or for none.
    pub(super) fn pay_both(&mut self, one: usize, other: usize) -> bool {
        self.pay(one.saturating_add(HEADERS).saturating_add(other))
    }
}

/// The order in which strangers came, and what they take.
#[derive(Debug, Default)]
pub(super) struct UnverifiedParticipants {
    by_age: BTreeMap<u64, (GuidPrefix, usize)>,
    next: u64,
    bytes: usize,
}

impl UnverifiedParticipants {
    /// One more, with an announcement of so many bytes; the number is its age.
    pub(super) fn add(&mut self, prefix: GuidPrefix, bytes: usize) -> u64 {
        let age = self.next;
        self.next = self.next.wrapping_add(1);
        self.by_age.insert(age, (prefix, bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        age
    }

    /// So many bytes more are kept of what one says; false if that is too much beside the others.
    /// Announcements have half of the room for themselves.
    pub(super) fn keeps(&mut self, age: u64, bytes: usize) -> bool {
        let all = self.bytes.saturating_add(bytes);
        let stranger = self.by_age.get_mut(&age);
        let Some((_, size)) = stranger.filter(|_| all <= MOST_BYTES / 2) else {
            return false;
        };
        *size = size.saturating_add(bytes);
        self.bytes = all;
        true
    }

    /// So many bytes of what one said are kept no longer.
    pub(super) fn give_back(&mut self, age: u64, bytes: usize) {
        if let Some((_, size)) = self.by_age.get_mut(&age) {
            *size = size.saturating_sub(bytes);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }

    /// It is no stranger any more, or gone.
    pub(super) fn remove(&mut self, age: u64) {
        if let Some((_, bytes)) = self.by_age.remove(&age) {
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.by_age.len()
    }

    /// While many have not answered all are busy, and another question only waits behind the
    /// others: nobody is asked again sooner.
    pub(super) fn patience(&self) -> Duration {
        let all = i64::try_from(self.len()).unwrap_or(i64::MAX);
        let patience = PATIENCE_OF_EACH.as_nanos().saturating_mul(all);
        Duration::from_nanos(patience).min(MOST_PATIENCE)
    }

    /// The one that has been one for longest.
    pub(super) fn oldest(&self) -> Option<GuidPrefix> {
        self.by_age.values().next().map(|(prefix, _)| *prefix)
    }

    /// True if an announcement of so many bytes fits beside the others.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.bytes.saturating_add(bytes) <= MOST_BYTES
    }
}
