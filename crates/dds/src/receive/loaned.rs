//! A loan that came with a datagram, until it is known who keeps the payload that it belongs to.
use crate::receive::loan_table::{LoanTable, join};
use crate::runtime::pool::Pool;
use bytes::Bytes;
use dunlin_rtps::{ContentFilter, Payload};
use dunlin_shm::Loan;
use dunlin_transport::ReceivedLoan;
use std::sync::Arc;

/// A loan that belongs into one payload of a datagram.
pub(crate) struct PendingLoan {
    /// The address before which its bytes belong.
    place: usize,
    /// Its bytes.
    length: usize,
    /// `None` once a payload was made of it.
    loan: Option<Loan>,
    /// The payload that was made: readers share it.
    payload: Option<Payload>,
}

impl PendingLoan {
    pub(crate) fn new(received: ReceivedLoan, datagram: &[u8]) -> Self {
        Self {
            place: (datagram.as_ptr() as usize).saturating_add(received.at),
            length: received.loan.len(),
            loan: Some(received.loan),
            payload: None,
        }
    }

    /// The two parts of a payload between which it belongs; `None` if that is somewhere else.
    fn split<'a>(&self, payload: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let at = self.place.checked_sub(payload.as_ptr() as usize)?;
        payload.split_at_checked(at)
    }

    /// Bytes of a payload, with the loan if that belongs into it.
    pub(crate) fn length(&self, payload: &[u8]) -> usize {
        match self.split(payload) {
            Some(_) => payload.len().saturating_add(self.length),
            None => payload.len(),
        }
    }

    /// The payload for a reader's cache, which may be that of the `last` reader; `None` if the loan
    /// does not belong into it.
    pub(crate) fn keep(
        &mut self,
        payload: &[u8],
        table: &Arc<LoanTable>,
        pool: &mut Pool,
        last: bool,
    ) -> Option<Payload> {
        let (head, tail) = self.split(payload)?;
        if let Some(loan) = self.loan.take() {
            self.payload = Some(match table.put(head, tail, loan) {
                Ok(loaned) => loaned.into(),
                Err(loan) => copy(head, &loan, tail, pool).into(),
            });
        }
        match last {
            true => self.payload.take(),
            false => self.payload.clone(),
        }
    }

    /// Does a payload pass a reader's filter, with the loan if that belongs into it? The payload is
    /// copied for that, so such a reader, and those that come after it, do not get it as a loan.
    pub(crate) fn passes(
        &mut self,
        filter: &ContentFilter,
        payload: &[u8],
        pool: &mut Pool,
    ) -> bool {
        match self.contiguous(payload, pool) {
            Some(whole) => filter.passes(&whole),
            None => filter.passes(payload),
        }
    }

    /// Whether the payload has been met that it belongs to.
    pub(crate) fn is_done(&self) -> bool {
        self.loan.is_none()
    }

    /// The payload with the loan, for whoever has to read it at once: empty, which is no sample of
    /// any type, if the writer has withdrawn it; `None` if the loan does not belong into it.
    pub(crate) fn contiguous(&mut self, payload: &[u8], pool: &mut Pool) -> Option<Bytes> {
        let (head, tail) = self.split(payload)?;
        if let Some(loan) = self.loan.take() {
            self.payload = Some(copy(head, &loan, tail, pool).into());
        }
        match self.payload.as_ref()? {
            Payload::Inline(bytes) => Some(bytes.clone()),
            // An earlier reader has it as a loan.
            Payload::Loaned(loaned) => {
                let mut out = pool.take(loaned.len());
                let read = loaned.append_to(&mut out);
                Some(read.map_or_else(|_| Bytes::new(), |_| out.freeze()))
            }
        }
    }
}

/// A copy; empty, which is no sample of any type, if the writer has withdrawn the loan.
fn copy(head: &[u8], loan: &Loan, tail: &[u8], pool: &mut Pool) -> Bytes {
    let mut out = pool.take(head.len() + loan.len() + tail.len());
    match join(head, loan, tail, &mut out) {
        Ok(()) => out.freeze(),
        Err(_) => Bytes::new(),
    }
}
