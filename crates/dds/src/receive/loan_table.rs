//! Samples of which the longest run of bytes stays in memory of its writer.
//!
//! Such a sample comes as a few bytes in a datagram, and a loan of shared memory that belongs
//! between them. [`LoanTable::put`] makes one payload of both, which readers' caches keep and
//! applications look at. The loan ends when the last of them drops the payload; the few bytes'
//! memory then serves the next sample.
use crate::runtime::lock::{LEAF, Ranked};
use bytes::BytesMut;
use dunlin_rtps::{Loaned, LoanedPayload, Payload, Withdrawn};
use dunlin_shm::{Loan, Trust};
use std::sync::{Arc, Weak};

#[cfg(test)]
mod tests;

/// Samples at once; further ones are copied.
const MAX_SAMPLES: usize = 128;
/// The most bytes that a sample may have beside the loan.
const MAX_REST: usize = 1024;
/// What follows the loan is aligned as in the whole payload if the loan's length modulo this stands
/// for it.
const ALIGN: usize = 8;

/// The loaned samples of a participant: how many there are, and memory for those to come.
#[derive(Default)]
pub(crate) struct LoanTable {
    state: Ranked<State, LEAF>,
}

#[derive(Default)]
struct State {
    /// Samples that no payload refers to.
    unused: Vec<Arc<LoanedSample>>,
    /// How many there are, used or not.
    samples: usize,
}

/// A sample of which the longest run of bytes is loaned.
pub(crate) struct LoanedSample {
    /// The payload with a few bytes in place of the loan.
    rest: Vec<u8>,
    /// Where in the payload the loan belongs.
    at: usize,
    /// `None` only while the sample is not used.
    loan: Option<Loan>,
    /// Where it goes when no payload refers to it.
    table: Weak<LoanTable>,
}

impl LoanTable {
    /// The payload of which `loan` belongs between `head` and `tail`. Gives the loan back if there
    /// is no room; then it is to be copied.
    pub(crate) fn put(
        self: &Arc<Self>,
        head: &[u8],
        tail: &[u8],
        loan: Loan,
    ) -> Result<Loaned, Loan> {
        if head.len() + tail.len() + ALIGN > MAX_REST {
            return Err(loan);
        }
        let Some(mut sample) = self.unused() else {
            return Err(loan);
        };
        // Nobody else refers to it, so this always succeeds.
        let Some(LoanedSample {
            rest,
            at,
            loan: place,
            ..
        }) = Arc::get_mut(&mut sample)
        else {
            return Err(loan);
        };
        rest.clear();
        rest.extend_from_slice(head);
        rest.extend_from_slice([0; ALIGN].get(..loan.len() % ALIGN).unwrap_or_default());
        rest.extend_from_slice(tail);
        *at = head.len();
        *place = Some(loan);
        Ok(Loaned::new(sample))
    }

    /// A sample without a loan; `None` if there are too many.
    fn unused(self: &Arc<Self>) -> Option<Arc<LoanedSample>> {
        let mut state = self.state.lock();
        if let Some(sample) = state.unused.pop() {
            return Some(sample);
        }
        if state.samples >= MAX_SAMPLES {
            return None;
        }
        state.samples += 1;
        drop(state);
        Some(Arc::new(LoanedSample {
            rest: Vec::new(),
            at: 0,
            loan: None,
            table: Arc::downgrade(self),
        }))
    }
}

impl LoanedPayload for LoanedSample {
    fn len(&self) -> usize {
        self.head().len() + self.loan_len() + self.tail().len()
    }

    fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        match &self.loan {
            Some(loan) => join(self.head(), loan, self.tail(), out),
            None => Ok(()),
        }
    }

    /// Ends the loan if this was the last reference.
    fn release(mut self: Arc<Self>) {
        // Of two threads that drop the last two references at the same moment neither may be alone
        // here. The second one then drops the sample, and the loan with it.
        let Some(sample) = Arc::get_mut(&mut self) else {
            return;
        };
        sample.loan = None;
        if let Some(table) = sample.table.upgrade() {
            table.state.lock().unused.push(self);
        }
    }
}

impl LoanedSample {
    /// The loaned sample that a payload is; `None` if it is inline.
    #[inline]
    pub(crate) fn of(payload: &Payload) -> Option<&Self> {
        match payload {
            Payload::Inline(_) => None,
            Payload::Loaned(loaned) => loaned.owner(),
        }
    }

    /// Where in the payload the loan belongs.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The payload with [`filler`](Self::filler) bytes in place of the loan.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// How many bytes stand for the loan in the rest.
    pub(crate) fn filler(&self) -> usize {
        self.loan_len() % ALIGN
    }

    /// What is before the loan in the payload.
    pub(crate) fn head(&self) -> &[u8] {
        self.rest.get(..self.at).unwrap_or_default()
    }

    /// What is behind the loan in the payload.
    fn tail(&self) -> &[u8] {
        let behind = self.at.saturating_add(self.filler());
        self.rest.get(behind..).unwrap_or_default()
    }

    /// Bytes that are loaned.
    pub(crate) fn loan_len(&self) -> usize {
        self.loan.as_ref().map_or(0, Loan::len)
    }

    /// Whether the writer has left the loaned bytes alone so far.
    pub(crate) fn is_valid(&self) -> bool {
        self.loan.as_ref().is_none_or(Loan::is_valid)
    }

    /// Copies as many loaned bytes, from `offset` on, as `into` has room for; the caller has
    /// checked that they are there.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Withdrawn> {
        let loan = self.loan.as_ref().ok_or(Withdrawn)?;
        loan.read(offset, into).map_err(|_| Withdrawn)
    }

    /// Copies as many bytes of the whole payload, from `offset` on, as `into` has room for; the
    /// caller has checked that they are there.
    pub(crate) fn copy_to(&self, offset: usize, into: &mut [u8]) -> Result<(), Withdrawn> {
        let mut at = offset;
        let mut rest = into;
        let (loan_begin, loan_end) = (self.head().len(), self.head().len() + self.loan_len());
        while !rest.is_empty() {
            let (source, left) = match at {
                at if at < loan_begin => (self.head().get(at..), loan_begin - at),
                at if at < loan_end => (None, loan_end - at),
                at => (self.tail().get(at - loan_end..), usize::MAX),
            };
            let count = rest.len().min(left);
            let (part, behind) = rest.split_at_mut(count);
            match source {
                Some(bytes) => dunlin_copy::copy_bytes(part, bytes.get(..count).ok_or(Withdrawn)?),
                None if at < loan_end => self.read(at - loan_begin, part)?,
                None => return Err(Withdrawn),
            }
            at += count;
            rest = behind;
        }
        Ok(())
    }

    /// The loaned bytes where they are.
    pub(crate) fn trusted(&self, trust: Trust) -> Option<&[u8]> {
        self.loan.as_ref().map(|loan| loan.trusted_by(trust))
    }
}

impl Drop for LoanedSample {
    fn drop(&mut self) {
        if let Some(table) = self.table.upgrade() {
            table.state.lock().samples -= 1;
        }
    }
}

/// Appends a copy of a payload of which `loan` belongs between `head` and `tail`.
pub(crate) fn join(
    head: &[u8],
    loan: &Loan,
    tail: &[u8],
    out: &mut BytesMut,
) -> Result<(), Withdrawn> {
    out.reserve(head.len() + loan.len() + tail.len());
    out.extend_from_slice(head);
    loan.append_to(out).map_err(|_| Withdrawn)?;
    out.extend_from_slice(tail);
    Ok(())
}
