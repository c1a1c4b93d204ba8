//! Memory that writers lend: the application serializes a sample where readers will see it.
use crate::error::{Failure, Outcome, entry};
use crate::library::count_loan;
use crate::memory::{Out, Place};
use crate::object;
use crate::octets::checked_length;
use crate::writer::{Options, dunlin_write_options, dunlin_writer};
use dunlin::untyped::PayloadLoan;
use dunlin_lock::Lock;
use std::collections::VecDeque;

/// The memory is to be where peers map it, if there is such memory.
pub const DUNLIN_SHARED: u32 = 1;

/// Memory for a payload. One thread at a time writes there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_loan {
    /// Where the payload goes, its encapsulation header first; what follows the header is aligned
    /// to 64 bytes. It holds whatever was there before.
    pub data: *mut u8,
    /// Bytes; the application may make them fewer.
    pub length: u64,
    /// Tells loans from each other.
    pub token: u64,
    /// Readers of this host will see this memory, rather than a copy.
    pub shared: u32,
    /// 0.
    pub reserved: u32,
}

const _: () = assert!(size_of::<dunlin_loan>() == 32);

/// Loans of a writer at a time.
const MOST: usize = 1024;

/// What a writer has lent. They are few, so they are looked for one by one.
#[derive(Default)]
pub(crate) struct Loans(Lock<Given>);

#[derive(Default)]
struct Given {
    last: u64,
    loans: VecDeque<(u64, PayloadLoan)>,
}

impl Loans {
    fn add(&self, loan: PayloadLoan) -> Outcome<u64> {
        let mut given = self.0.lock();
        if given.loans.len() >= MOST {
            return Err(Failure::resources(format!(
                "{MOST} loans of the writer are out: write or discard some of them first"
            )));
        }
        given.last += 1;
        let token = given.last;
        given.loans.push_back((token, loan));
        count_loan(1);
        Ok(token)
    }

    fn remove(&self, loan: &dunlin_loan) -> Outcome<PayloadLoan> {
        let mut given = self.0.lock();
        let at = given
            .loans
            .iter()
            .position(|(token, _)| *token == loan.token);
        let Some((_, lent)) = at.and_then(|at| given.loans.swap_remove_back(at)) else {
            return Err(Failure::precondition(
                "the loan was written or discarded before, or is of another writer",
            ));
        };
        count_loan(-1);
        Ok(lent)
    }
}

impl Drop for Loans {
    fn drop(&mut self) {
        let left = self.0.lock().loans.len();
        count_loan(-i64::try_from(left).unwrap_or(0));
    }
}

/// Memory for a payload of `length` bytes, to be written by `dunlin_loan_write` or discarded by
/// `dunlin_loan_discard`: one of them, once.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_loan_new(
    writer: dunlin_writer,
    length: u64,
    flags: u32,
    loan: Out<'_, dunlin_loan>,
) -> i32 {
    entry(|| {
        let place = loan.required("loan")?;
        if flags & !DUNLIN_SHARED != 0 {
            return Err(Failure::bad(format!(
                "flags is {flags:#x}: 0 or DUNLIN_SHARED"
            )));
        }
        let length = checked_length(length)?;
        let writer = object::writer(writer)?;
        let mut memory = match flags & DUNLIN_SHARED {
            0 => writer.core.private_loan(length),
            _ => writer.core.loan(length),
        };
        let data = Place::of(&mut memory).address();
        let (length, shared) = (memory.len() as u64, memory.is_shared());
        let token = writer.loans.add(memory)?;
        place.put(dunlin_loan {
            data,
            length,
            token,
            shared: shared.into(),
            reserved: 0,
        });
        Ok(())
    })
}

/// Writes a sample that was serialized into a loan, which is gone then, whatever comes of it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_loan_write(
    writer: dunlin_writer,
    loan: Out<'_, dunlin_loan>,
    options: Out<'_, dunlin_write_options>,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let options = Options::of(options)?;
        let loan = loan
            .get()
            .ok_or_else(|| Failure::bad("the argument loan is a null pointer"))?;
        let mut memory = writer.loans.remove(loan)?;
        loan.data = std::ptr::null_mut();
        let length = usize::try_from(loan.length).unwrap_or(usize::MAX);
        if length > memory.len() {
            return Err(Failure::bad(format!(
                "the length of the loan is {length}, and it had {} bytes",
                memory.len()
            )));
        }
        memory.truncate(length);
        let written = writer.core.write_loan(memory, &options.options)?;
        options.put(written);
        Ok(())
    })
}

/// Gives a loan back without writing it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_loan_discard(writer: dunlin_writer, loan: Out<'_, dunlin_loan>) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let loan = loan
            .get()
            .ok_or_else(|| Failure::bad("the argument loan is a null pointer"))?;
        drop(writer.loans.remove(loan)?);
        loan.data = std::ptr::null_mut();
        Ok(())
    })
}
