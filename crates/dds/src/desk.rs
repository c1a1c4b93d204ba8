//! Where samples wait whose octets were left where their writer has them.
//!
//! The reader's cache keeps the small rest of such a payload, in a slot of the desk; the slot has what belongs into it. Whoever
//! takes the sample finds that by the address of the payload: only the desk makes payloads that begin at a slot, so nothing
//! that comes in a datagram can be taken for one. A slot is free when nobody has its payload and nobody looks at
//! its octets; then the writer gets them back.
use crate::lock::{LEAF, Ranked};
use arrayvec::ArrayVec;
use bytes::{Bytes, BytesMut};
use dunlin_shm::{Loan, Trust};
use std::sync::{Arc, OnceLock};

/// Samples at once; further ones are copied.
const SLOTS: usize = 128;
/// Bytes that a payload may have beside what was left where it is.
const ROOM: usize = 1024;
/// What follows the octets is aligned as it was if so many bytes stand for them as remain by this.
const ALIGN: usize = 8;
/// Slots that each arrival looks after.
const LOOKED_AFTER: usize = 4;

/// The samples of a participant whose octets are elsewhere.
#[derive(Default)]
pub(crate) struct Desk(OnceLock<Table>);

struct Table {
    /// The address of each slot, ascending.
    places: Box<[usize]>,
    slots: Ranked<Slots, LEAF>,
}

struct Slots {
    slots: Vec<Slot>,
    free: Vec<usize>,
    taken: Vec<usize>,
    /// Which of the taken ones is looked after next.
    next: usize,
}

/// Nothing but the rest of one payload is ever in its buffer, from the first byte on.
struct Slot {
    buffer: BytesMut,
    aside: Arc<Option<Aside>>,
}

/// What was left where it is.
pub(crate) struct Aside {
    /// Where in the payload it belongs.
    at: usize,
    octets: Octets,
}

/// Octets that were not copied.
pub(crate) enum Octets {
    /// A peer's, who ought not to change them.
    Loan(Loan),
    /// Of this process, which cannot change them.
    #[allow(dead_code, reason = "for readers in the process of the writer")]
    Own(Bytes),
}

/// The peer has used the memory for something else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Withdrawn;

impl Octets {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Loan(loan) => loan.len(),
            Self::Own(bytes) => bytes.len(),
        }
    }

    pub(crate) fn is_valid(&self) -> bool {
        match self {
            Self::Loan(loan) => loan.is_valid(),
            Self::Own(_) => true,
        }
    }

    /// Copies as many as `into` has room for; the caller has checked that they are there.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Withdrawn> {
        match self {
            Self::Loan(loan) => loan.read(offset, into).map_err(|_| Withdrawn),
            Self::Own(bytes) => {
                let range = offset..offset.saturating_add(into.len());
                into.copy_from_slice(bytes.get(range).ok_or(Withdrawn)?);
                Ok(())
            }
        }
    }

    /// The octets themselves, if nobody changes them.
    pub(crate) fn trusted(&self, trust: Option<Trust>) -> Option<&[u8]> {
        match self {
            Self::Loan(loan) => trust.map(|trust| loan.trusted_by(trust)),
            Self::Own(bytes) => Some(bytes),
        }
    }

    fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        out.reserve(self.len());
        match self {
            Self::Loan(loan) => loan.append_to(out).map_err(|_| Withdrawn),
            Self::Own(bytes) => {
                out.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Puts a payload together that lacks them, in `out`.
    pub(crate) fn join(
        &self,
        head: &[u8],
        tail: &[u8],
        out: &mut BytesMut,
    ) -> Result<(), Withdrawn> {
        out.extend_from_slice(head);
        self.append_to(out)?;
        out.extend_from_slice(tail);
        Ok(())
    }
}

impl Aside {
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn octets(&self) -> &Octets {
        &self.octets
    }

    /// How many bytes stand for the octets in the payload of the slot.
    pub(crate) fn filler(&self) -> usize {
        self.octets.len() % ALIGN
    }

    /// What is before the octets in the payload of the slot, and what is behind them.
    pub(crate) fn split<'a>(&self, payload: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let head = payload.get(..self.at).unwrap_or_default();
        let behind = self.at.saturating_add(self.filler());
        (head, payload.get(behind..).unwrap_or_default())
    }
}

impl Desk {
    /// Keeps a payload of which `octets` belong between `head` and `tail`; gives them back if there is no room, and then they
    /// are to be copied.
    pub(crate) fn put(&self, head: &[u8], tail: &[u8], octets: Octets) -> Result<Bytes, Octets> {
        let filler = octets.len() % ALIGN;
        let length = head.len() + filler + tail.len();
        // A slot in use is told by the room that its payload takes.
        if length == 0 || length > ROOM {
            return Err(octets);
        }
        let table = self.0.get_or_init(Table::new);
        // What is not needed any more goes when the lock is free: its end may run code of the application.
        let mut given_back = ArrayVec::<_, SLOTS>::new();
        let mut slots = table.slots.lock();
        slots.tidy(LOOKED_AFTER, &mut given_back);
        if slots.free.is_empty() {
            slots.tidy(SLOTS, &mut given_back);
        }
        let kept = slots.put(head, filler, tail, octets);
        drop(slots);
        kept
    }

    /// What belongs to a payload; `None` if nothing does.
    pub(crate) fn find(self: &Arc<Self>, payload: &[u8]) -> Option<Kept> {
        let table = self.0.get()?;
        let slot = table
            .places
            .binary_search(&(payload.as_ptr() as usize))
            .ok()?;
        let slots = table.slots.lock();
        let aside = Arc::clone(&slots.slots.get(slot)?.aside);
        aside.is_some().then(|| Kept {
            desk: Arc::clone(self),
            slot,
            aside: Some(aside),
        })
    }

    /// Gives back whatever nobody needs.
    pub(crate) fn tidy(&self) {
        if let Some(table) = self.0.get() {
            let mut given_back = ArrayVec::<_, SLOTS>::new();
            table.slots.lock().tidy(SLOTS, &mut given_back);
        }
    }

    /// Gives back what is in a slot, if nobody needs it.
    fn tidy_slot(&self, slot: usize) {
        let Some(table) = self.0.get() else { return };
        let mut slots = table.slots.lock();
        let place = slots.taken.iter().position(|taken| *taken == slot);
        let given_back = place.and_then(|place| slots.clear(place));
        drop(slots);
        drop(given_back);
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.0.get().map_or(0, |t| t.slots.lock().taken.len())
    }
}

impl Table {
    fn new() -> Self {
        let mut slots: Vec<Slot> = (0..SLOTS).map(|_| Slot::new()).collect();
        slots.sort_by_key(|slot| slot.buffer.as_ptr() as usize);
        Self {
            places: slots.iter().map(|s| s.buffer.as_ptr() as usize).collect(),
            slots: Ranked::new(Slots {
                free: (0..SLOTS).rev().collect(),
                taken: Vec::with_capacity(SLOTS),
                slots,
                next: 0,
            }),
        }
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            buffer: BytesMut::with_capacity(ROOM),
            aside: Arc::new(None),
        }
    }

    /// What it has, if nobody needs it any more.
    fn clear(&mut self) -> Option<Aside> {
        self.buffer.clear();
        // All of the room is there only if no part of it is in use.
        if !self.buffer.try_reclaim(ROOM) {
            return None;
        }
        Arc::get_mut(&mut self.aside)?.take()
    }
}

impl Slots {
    fn put(
        &mut self,
        head: &[u8],
        filler: usize,
        tail: &[u8],
        octets: Octets,
    ) -> Result<Bytes, Octets> {
        let Some(index) = self.free.pop() else {
            return Err(octets);
        };
        let slot = self.slots.get_mut(index);
        let Some(slot) = slot.filter(|slot| Arc::strong_count(&slot.aside) == 1) else {
            return Err(octets);
        };
        for part in [head, [0; ALIGN].get(..filler).unwrap_or_default(), tail] {
            slot.buffer.extend_from_slice(part);
        }
        let at = head.len();
        if let Some(aside) = Arc::get_mut(&mut slot.aside) {
            *aside = Some(Aside { at, octets });
        }
        self.taken.push(index);
        Ok(slot.buffer.split().freeze())
    }

    /// Looks after some of the taken slots, in turn.
    fn tidy(&mut self, most: usize, given_back: &mut ArrayVec<Aside, SLOTS>) {
        for _ in 0..most.min(self.taken.len()) {
            if self.next >= self.taken.len() {
                self.next = 0;
            }
            match self.clear(self.next) {
                Some(aside) => given_back.push(aside),
                None => self.next += 1,
            }
        }
    }

    /// Frees the slot at `place` among the taken ones, if nobody needs it.
    fn clear(&mut self, place: usize) -> Option<Aside> {
        let index = *self.taken.get(place)?;
        let aside = self.slots.get_mut(index)?.clear()?;
        self.taken.swap_remove(place);
        self.free.push(index);
        Some(aside)
    }
}

/// What belongs to a payload, for as long as this lives. Let go of the payload before, or it takes until the next arrival that the
/// writer gets its memory back.
pub(crate) struct Kept {
    desk: Arc<Desk>,
    slot: usize,
    aside: Option<Arc<Option<Aside>>>,
}

impl Kept {
    pub(crate) fn aside(&self) -> Option<&Aside> {
        self.aside.as_ref()?.as_ref().as_ref()
    }
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self {
            desk: Arc::clone(&self.desk),
            slot: self.slot,
            aside: self.aside.clone(),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.aside = None;
        self.desk.tidy_slot(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    /// Octets that count their ends.
    struct Counted(Vec<u8>, Arc<AtomicUsize>);

    impl AsRef<[u8]> for Counted {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, SeqCst);
        }
    }

    fn octets(length: usize, ended: &Arc<AtomicUsize>) -> Octets {
        Octets::Own(Bytes::from_owner(Counted(
            vec![7; length],
            Arc::clone(ended),
        )))
    }

    fn joined(kept: &Kept, payload: &Bytes) -> Vec<u8> {
        let aside = kept.aside().unwrap();
        let (head, tail) = aside.split(payload);
        let mut out = BytesMut::new();
        aside.octets().join(head, tail, &mut out).unwrap();
        out.to_vec()
    }

    #[test]
    fn octets_are_found_by_their_payload_and_by_nothing_else() {
        let desk = Arc::new(Desk::default());
        let ended = Arc::default();
        assert!(desk.find(&Bytes::from_static(b"before")).is_none());
        for length in [0, 1, 7, 8, 1000, 1003] {
            let payload = desk
                .put(b"head", b"tail!", octets(length, &ended))
                .ok()
                .unwrap();
            assert_eq!(payload.len() % 8, (length + 9) % 8);
            let kept = desk.find(&payload).unwrap();
            let whole = [b"head", &vec![7; length][..], b"tail!"].concat();
            assert_eq!(joined(&kept, &payload), whole);
            assert!(desk.find(&Bytes::copy_from_slice(&payload)).is_none());
            assert!(desk.find(&payload.slice(1..)).is_none());
            assert!(desk.find(&Bytes::new()).is_none());
        }
    }

    #[test]
    fn octets_go_back_when_the_last_who_needs_them_goes() {
        let desk = Arc::new(Desk::default());
        let ended = Arc::default();
        let payload = desk.put(b"h", b"", octets(64, &ended)).ok().unwrap();
        let (one, other) = (desk.find(&payload).unwrap(), desk.find(&payload).unwrap());
        let copy = payload.clone();
        drop((payload, one));
        assert_eq!((desk.taken(), ended.load(SeqCst)), (1, 0));
        drop((copy, other));
        assert_eq!((desk.taken(), ended.load(SeqCst)), (0, 1));
        // A payload that nobody took is found by the next arrival.
        drop(desk.put(b"h", b"", octets(64, &ended)).ok().unwrap());
        assert_eq!(ended.load(SeqCst), 1);
        let next = desk.put(b"h", b"", octets(64, &ended)).ok().unwrap();
        assert_eq!(ended.load(SeqCst), 2);
        drop(next);
        desk.tidy();
        assert_eq!((desk.taken(), ended.load(SeqCst)), (0, 3));
    }

    #[test]
    fn a_full_desk_gives_octets_back_and_loses_nothing() {
        let desk = Arc::new(Desk::default());
        let ended = Arc::default();
        let payloads: Vec<_> = (0..SLOTS)
            .map(|n| {
                desk.put(&n.to_le_bytes(), b"", octets(9, &ended))
                    .ok()
                    .unwrap()
            })
            .collect();
        assert!(desk.put(b"h", b"", octets(9, &ended)).is_err());
        assert!(desk.put(&[0; ROOM], b"", octets(9, &ended)).is_err());
        for (n, payload) in payloads.iter().enumerate() {
            let kept = desk.find(payload).unwrap();
            assert_eq!(joined(&kept, payload)[..8], n.to_le_bytes());
        }
        assert_eq!(ended.load(SeqCst), 2);
        drop(payloads);
        for _ in 0..1000 {
            drop(
                desk.put(&[1; ROOM - 1], b"", octets(9, &ended))
                    .ok()
                    .unwrap(),
            );
        }
        assert!(desk.taken() < LOOKED_AFTER);
    }

    #[test]
    fn octets_are_read_within_their_bounds() {
        let own = Octets::Own(Bytes::from_static(b"0123456789"));
        let mut some = [0; 3];
        own.read(7, &mut some).unwrap();
        assert_eq!(&some, b"789");
        assert!(own.read(8, &mut some).is_err());
        assert!(own.read(usize::MAX, &mut some).is_err());
    }
}
