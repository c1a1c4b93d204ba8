//! What came with a datagram and is not in it, until it is known who keeps it.
use crate::receive::loan_table::{Desk, Octets};
use crate::runtime::pool::Pool;
use crate::untyped::reader::ReaderCore;
use bytes::Bytes;
use dunlin_rtps::ContentFilter;
use dunlin_transport::Attached;

/// Octets that belong into a datagram's one payload.
pub(crate) struct Beside {
    /// The address before which they belong.
    place: usize,
    octets: Option<Octets>,
    /// What was made of the payload: readers share it.
    kept: Option<Bytes>,
}

impl Beside {
    pub(crate) fn new(attached: Attached, datagram: &[u8]) -> Self {
        Self {
            place: (datagram.as_ptr() as usize).saturating_add(attached.at),
            octets: Some(Octets::Loan(attached.loan)),
            kept: None,
        }
    }

    /// The two parts of a payload between which they belong; `None` if that is somewhere else.
    fn split<'a>(&self, payload: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let at = self.place.checked_sub(payload.as_ptr() as usize)?;
        payload.split_at_checked(at)
    }

    /// The payload for a reader's cache, which may be that of the `last` reader; `None` if it is
    /// all there.
    pub(crate) fn keep(
        &mut self,
        payload: &[u8],
        desk: &Desk,
        pool: &mut Pool,
        last: bool,
    ) -> Option<Bytes> {
        let (head, tail) = self.split(payload)?;
        if self.kept.is_none() {
            self.kept = match desk.put(head, tail, self.octets.take()?) {
                Ok(kept) => Some(kept),
                Err(octets) => Some(join(&octets, head, tail, pool)),
            };
        }
        match last {
            true => self.kept.take(),
            false => self.kept.clone(),
        }
    }

    /// Does a payload pass a reader's filter, with what belongs into it? It is copied for that, so
    /// such a reader, and those that come after it, have no part in what is shared.
    pub(crate) fn passes(
        &mut self,
        filter: &ContentFilter,
        payload: &[u8],
        reader: &ReaderCore,
        pool: &mut Pool,
    ) -> bool {
        let Some(whole) = self.whole(payload, pool) else {
            return filter.passes(payload);
        };
        // Another reader may have laid it on the desk already.
        let kept = reader.shared.desk.find(&whole);
        match kept.as_ref().and_then(|kept| kept.aside()) {
            Some(aside) => reader.whole(aside).is_ok_and(|whole| filter.passes(&whole)),
            None => filter.passes(&whole),
        }
    }

    /// Whether the payload has been met to which it belongs.
    pub(crate) fn is_done(&self) -> bool {
        self.octets.is_none()
    }

    /// The payload with what belongs into it, for whoever has to read it at once; `None` if it is
    /// all there.
    pub(crate) fn whole(&mut self, payload: &[u8], pool: &mut Pool) -> Option<Bytes> {
        let (head, tail) = self.split(payload)?;
        if let Some(octets) = self.octets.take() {
            self.kept = Some(join(&octets, head, tail, pool));
        }
        self.kept.clone()
    }
}

/// A copy; empty, which is no sample of any type, if the peer has withdrawn it.
fn join(octets: &Octets, head: &[u8], tail: &[u8], pool: &mut Pool) -> Bytes {
    let mut out = pool.take(head.len() + octets.len() + tail.len());
    match octets.join(head, tail, &mut out) {
        Ok(()) => out.freeze(),
        Err(_) => Bytes::new(),
    }
}
