//! Where samples wait whose octets were left where their writer has them.
//!
//! The reader's cache keeps a token, which says in which slot of the desk the sample is: its
//! octets, and a copy of the small rest of its payload. Tokens are told from payloads by their
//! addresses, so nothing that comes in a datagram can be taken for one. A slot is free when nobody
//! has its token and nobody looks at its octets; then the writer gets them back.
use crate::runtime::lock::{LEAF, Ranked};
use arrayvec::ArrayVec;
use bytes::{Bytes, BytesMut};
use dunlin_shm::{Loan, Trust};
use std::sync::{Arc, OnceLock};

/// Samples at once; further ones are copied.
const SLOTS: usize = u128::BITS as usize;
/// Bytes that a payload may have beside what was left where it is.
const ROOM: usize = 1024;
/// What follows the octets is aligned as it was if so many bytes stand for them as remain by this.
const ALIGN: usize = 8;
/// Slots that each arrival looks after.
const LOOKED_AFTER: u32 = 4;
/// So few bytes beside the octets leave the desk with them: what a plain type has, and some room.
const LITTLE: usize = 32;

/// The samples of a participant whose octets are elsewhere.
#[derive(Default)]
pub(crate) struct Desk(OnceLock<Table>);

struct Table {
    /// One for each slot, with its number, at an address of its own.
    tokens: [Bytes; SLOTS],
    slots: Ranked<Slots, LEAF>,
}

struct Slots {
    entries: [Arc<Entry>; SLOTS],
    /// A bit for each slot.
    taken: u128,
    /// Which is looked after next, if it is taken.
    next: u32,
}

/// What is in a slot.
#[derive(Default)]
struct Entry {
    /// The payload with a few bytes in place of the octets.
    rest: Vec<u8>,
    /// Where in the payload the octets belong.
    at: usize,
    octets: Option<Octets>,
}

/// A payload of which the octets are elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Aside<'a> {
    rest: &'a [u8],
    at: usize,
    octets: &'a Octets,
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

impl<'a> Aside<'a> {
    /// Where in the payload the octets belong.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn octets(&self) -> &'a Octets {
        self.octets
    }

    /// The payload with `filler` bytes in place of the octets.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes stand for the octets in the rest.
    pub(crate) fn filler(&self) -> usize {
        self.octets.len() % ALIGN
    }

    /// What is before the octets in the payload.
    pub(crate) fn head(&self) -> &'a [u8] {
        self.rest.get(..self.at).unwrap_or_default()
    }

    /// What is behind the octets in the payload.
    fn tail(&self) -> &'a [u8] {
        let behind = self.at.saturating_add(self.filler());
        self.rest.get(behind..).unwrap_or_default()
    }

    /// Bytes of the payload.
    pub(crate) fn len(&self) -> usize {
        self.head().len() + self.octets.len() + self.tail().len()
    }

    /// Puts the payload together, in `out`.
    pub(crate) fn join(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        self.octets.join(self.head(), self.tail(), out)
    }
}

impl Desk {
    /// Keeps a payload of which `octets` belong between `head` and `tail`, and says what stands for
    /// it; gives the octets back if there is no room, and then they are to be copied.
    pub(crate) fn put(&self, head: &[u8], tail: &[u8], octets: Octets) -> Result<Bytes, Octets> {
        if head.len() + tail.len() + ALIGN > ROOM {
            return Err(octets);
        }
        let Table { tokens, slots } = self.0.get_or_init(Table::new);
        // What is not needed any more goes when the lock is free: its end may run code of the
        // application.
        let mut given_back = ArrayVec::<_, SLOTS>::new();
        let mut slots = slots.lock();
        if slots.taken != 0 {
            slots.tidy(tokens, LOOKED_AFTER, &mut given_back);
            if slots.taken == u128::MAX {
                slots.tidy(tokens, u128::BITS, &mut given_back);
            }
        }
        let kept = slots.put(head, tail, octets);
        drop(slots);
        kept.map(|slot| tokens[slot].clone())
    }

    /// What a payload stands for; `None` if it is one.
    #[inline]
    pub(crate) fn find(self: &Arc<Self>, payload: &[u8]) -> Option<Kept> {
        let table = self.0.get()?;
        let slot = table.slot(payload)?;
        self.share(slot, &table.slots.lock())
    }

    /// What a payload stands for that is given up for it: if nobody else has it, the octets leave
    /// the desk, so that nobody has to look later whether they are still needed. `None`, and the
    /// payload stays, if it stands for nothing.
    #[inline]
    pub(crate) fn claim(self: &Arc<Self>, payload: &mut Bytes) -> Option<Kept> {
        let Table { tokens, slots } = self.0.get()?;
        let slot = self.0.get()?.slot(payload)?;
        let mut slots = slots.lock();
        // Under the lock, so that meanwhile nobody else finds that the slot can be cleared.
        *payload = Bytes::new();
        let own = slots.remove(tokens, slot).map(Kept::Own);
        own.or_else(|| self.share(slot, &slots))
    }

    fn share(self: &Arc<Self>, slot: usize, slots: &Slots) -> Option<Kept> {
        let entry = slots.entries.get(slot)?;
        entry.octets.is_some().then(|| {
            Kept::Shared(Shared {
                desk: Arc::clone(self),
                slot,
                entry: Some(Arc::clone(entry)),
            })
        })
    }

    /// Gives back whatever nobody needs.
    pub(crate) fn tidy(&self) {
        if let Some(Table { tokens, slots }) = self.0.get() {
            let mut given_back = ArrayVec::<_, SLOTS>::new();
            slots.lock().tidy(tokens, u128::BITS, &mut given_back);
        }
    }

    /// Gives back what is in a slot, if nobody needs it.
    fn tidy_slot(&self, slot: usize) {
        let Some(Table { tokens, slots }) = self.0.get() else {
            return;
        };
        let given_back = slots.lock().clear(tokens, slot);
        drop(given_back);
    }

    #[cfg(test)]
    fn taken(&self) -> u32 {
        self.0
            .get()
            .map_or(0, |t| t.slots.lock().taken.count_ones())
    }
}

impl Table {
    fn new() -> Self {
        Self {
            tokens: std::array::from_fn(|slot| Bytes::from(vec![slot as u8])),
            slots: Ranked::new(Slots {
                entries: std::array::from_fn(|_| Arc::default()),
                taken: 0,
                next: 0,
            }),
        }
    }

    /// The slot that a payload stands for.
    #[inline]
    fn slot(&self, payload: &[u8]) -> Option<usize> {
        let slot = usize::from(*payload.first()?);
        let token = self.tokens.get(slot)?;
        std::ptr::eq(token.as_ptr(), payload.as_ptr()).then_some(slot)
    }
}

impl Slots {
    /// The slot where it is now.
    fn put(&mut self, head: &[u8], tail: &[u8], octets: Octets) -> Result<usize, Octets> {
        let slot = self.taken.trailing_ones() as usize;
        let Some(entry) = self.entries.get_mut(slot).and_then(Arc::get_mut) else {
            return Err(octets);
        };
        let rest = &mut entry.rest;
        rest.clear();
        rest.extend_from_slice(head);
        rest.extend_from_slice([0; ALIGN].get(..octets.len() % ALIGN).unwrap_or_default());
        rest.extend_from_slice(tail);
        entry.at = head.len();
        entry.octets = Some(octets);
        self.taken |= 1 << slot;
        Ok(slot)
    }

    /// Looks after some of the taken slots, in turn.
    fn tidy(&mut self, tokens: &[Bytes], most: u32, given_back: &mut ArrayVec<Octets, SLOTS>) {
        for _ in 0..most.min(self.taken.count_ones()) {
            let behind = self.taken.rotate_right(self.next).trailing_zeros();
            let slot = (self.next + behind) % u128::BITS;
            given_back.extend(self.clear(tokens, slot as usize));
            self.next = (slot + 1) % u128::BITS;
        }
    }

    /// What is in a slot that nobody needs.
    fn entry(&mut self, tokens: &[Bytes], slot: usize) -> Option<&mut Entry> {
        match tokens.get(slot)?.is_unique() {
            true => Arc::get_mut(self.entries.get_mut(slot)?),
            false => None,
        }
    }

    /// Frees a slot if nobody needs it.
    fn clear(&mut self, tokens: &[Bytes], slot: usize) -> Option<Octets> {
        let octets = self.entry(tokens, slot)?.octets.take()?;
        self.taken &= !(1 << slot);
        Some(octets)
    }

    /// Frees a slot for who takes away what is in it, if nobody else needs it, and it is little.
    fn remove(&mut self, tokens: &[Bytes], slot: usize) -> Option<Own> {
        let Entry { rest, at, octets } = self.entry(tokens, slot)?;
        let own = Own {
            rest: ArrayVec::try_from(rest.as_slice()).ok()?,
            at: *at,
            octets: octets.take()?,
        };
        self.taken &= !(1 << slot);
        Some(own)
    }
}

/// What a token stands for, for as long as this lives.
pub(crate) enum Kept {
    /// Gone from the desk.
    Own(Own),
    /// On the desk, for whoever else needs it.
    Shared(Shared),
}

pub(crate) struct Own {
    rest: ArrayVec<u8, LITTLE>,
    at: usize,
    octets: Octets,
}

/// Let go of the token before, or it takes until the next arrival that the writer gets its memory
/// back.
#[derive(Clone)]
pub(crate) struct Shared {
    desk: Arc<Desk>,
    slot: usize,
    entry: Option<Arc<Entry>>,
}

impl Kept {
    #[inline]
    pub(crate) fn aside(&self) -> Option<Aside<'_>> {
        let (rest, &at, octets) = match self {
            Self::Own(Own { rest, at, octets }) => (&rest[..], at, octets),
            Self::Shared(shared) => {
                let Entry { rest, at, octets } = &**shared.entry.as_ref()?;
                (&rest[..], at, octets.as_ref()?)
            }
        };
        Some(Aside { rest, at, octets })
    }

    /// The same for somebody else, if that can be.
    pub(crate) fn share(&self) -> Option<Self> {
        match self {
            Self::Own(_) => None,
            Self::Shared(shared) => Some(Self::Shared(shared.clone())),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.entry = None;
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

    fn joined(kept: &Kept) -> Vec<u8> {
        let aside = kept.aside().unwrap();
        let mut out = BytesMut::new();
        aside.join(&mut out).unwrap();
        assert_eq!(out.len(), aside.len());
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
            let kept = desk.find(&payload).unwrap();
            assert_eq!(kept.aside().unwrap().rest().len() % 8, (length + 9) % 8);
            let whole = [b"head", &vec![7; length][..], b"tail!"].concat();
            assert_eq!(joined(&kept), whole);
            assert!(desk.find(&Bytes::copy_from_slice(&payload)).is_none());
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
    fn octets_that_nobody_else_needs_leave_the_desk() {
        let desk = Arc::new(Desk::default());
        let ended = Arc::default();
        let put = |head: &[u8]| desk.put(head, b"", octets(64, &ended)).ok().unwrap();
        let mut none = Bytes::from_static(b"elsewhere");
        assert!(desk.claim(&mut none).is_none());
        assert_eq!(&none[..], b"elsewhere");
        // Alone, with little beside the octets.
        let mut payload = put(b"h");
        let own = desk.claim(&mut payload).unwrap();
        assert_eq!((desk.taken(), ended.load(SeqCst)), (0, 0));
        assert_eq!(joined(&own), [b"h", &[7; 64][..]].concat());
        drop(own);
        assert_eq!(ended.load(SeqCst), 1);
        // With somebody else who has the payload.
        let mut payload = put(b"h");
        let other = payload.clone();
        let shared = desk.claim(&mut payload).unwrap();
        assert_eq!(joined(&shared), [b"h", &[7; 64][..]].concat());
        drop((other, shared));
        assert_eq!((desk.taken(), ended.load(SeqCst)), (0, 2));
        // With much beside the octets.
        let mut payload = put(&[1; 2 * LITTLE]);
        let long = desk.claim(&mut payload).unwrap();
        assert_eq!(joined(&long), [&[1; 2 * LITTLE][..], &[7; 64]].concat());
        drop(long);
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
            assert_eq!(joined(&kept)[..8], n.to_le_bytes());
        }
        assert_eq!(ended.load(SeqCst), 2);
        drop(payloads);
        for _ in 0..1000 {
            drop(
                desk.put(&[1; ROOM - ALIGN], b"", octets(9, &ended))
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
