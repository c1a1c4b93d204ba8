//! Reads values from XCDR1 or XCDR2, trusting nothing that it reads.

mod members;

pub use members::ReadMember;

use alloc::vec::Vec;

use bytes::Bytes;

use crate::layout::{EXPANSION, FULL_DATAGRAM, MAX_DEPTH};
use crate::{Deserialize, Endianness, Error, Extensibility, Xcdr};

/// How many elements a sequence may have whose elements take no bytes at all.
const MAX_EMPTY_ELEMENTS: usize = 1 << 16;

/// Reads values one after the other from a slice.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    /// The data up to the end of the innermost delimited part.
    data: &'a [u8],
    position: usize,
    /// Position from which alignment counts.
    origin: usize,
    /// Where the innermost delimited part begins.
    region: usize,
    xcdr: Xcdr,
    endianness: Endianness,
    depth: u8,
    /// Bytes that may still be allocated.
    budget: usize,
    /// Values that may still be passed over.
    steps: usize,
    /// The encapsulation header says that the outermost type was written without delimiter.
    undelimited: bool,
    /// Keys come without the headers of appendable and mutable types, in the order of their member
    /// ids.
    plain: bool,
    /// The counted bytes behind `data`, and where `data` begins in them.
    owner: Option<(&'a Bytes, usize)>,
    /// Octets that are missing in `data`, until they were read.
    absent: Option<Absent<'a>>,
    /// Whether a value was read whose type cannot hold it, where somebody asks for that.
    pub(crate) is_unfit: Option<bool>,
}

/// The octets of a sequence that lie elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Absent<'a> {
    /// Where they belong.
    pub(crate) at: usize,
    /// How many they are.
    pub(crate) length: usize,
    /// How many bytes stand for them. It differs from `length` by a multiple of 8, so that what
    /// follows is aligned.
    pub(crate) filler: usize,
    /// What is read instead of them.
    pub(crate) octets: &'a Bytes,
}

/// A struct, union or collection that was begun and has to be ended.
#[derive(Debug)]
#[must_use]
pub struct ReadScope<'a> {
    outer: &'a [u8],
    outer_region: usize,
    pub(crate) delimited: bool,
    /// Whether members may be missing at the end.
    pub(crate) tolerant: bool,
}

#[inline]
fn budget(length: usize, expansion: usize) -> usize {
    length.max(FULL_DATAGRAM).saturating_mul(expansion)
}

impl<'a> Reader<'a> {
    /// A reader of `data`, which begins where alignment counts from, and has no encapsulation
    /// header.
    #[inline]
    pub fn new(data: &'a [u8], xcdr: Xcdr, endianness: Endianness) -> Self {
        Self {
            data,
            position: 0,
            origin: 0,
            region: 0,
            xcdr,
            endianness,
            depth: 0,
            budget: budget(data.len(), EXPANSION),
            steps: usize::MAX,
            undelimited: false,
            plain: false,
            owner: None,
            absent: None,
            is_unfit: None,
        }
    }

    /// Says what is missing in the data.
    pub(crate) fn without(mut self, absent: Absent<'a>) -> Self {
        self.absent = Some(absent);
        self
    }

    /// Whether the missing octets were not read, for there was no sequence of octets where they
    /// belong.
    pub(crate) fn lacks(&self) -> bool {
        self.absent.is_some()
    }

    /// Lets a value take `expansion` times the memory of a payload of `length` bytes.
    #[inline]
    pub(crate) fn with_budget(mut self, length: usize, expansion: usize) -> Self {
        self.budget = budget(length, expansion);
        self
    }

    /// Lets fields of type [`Bytes`] be slices of `owner`, in which the data begins at `offset`.
    #[inline]
    pub(crate) fn with_owner(mut self, owner: &'a Bytes, offset: usize) -> Self {
        self.owner = Some((owner, offset));
        self
    }

    /// Makes the outermost type be read as if it were final.
    #[inline]
    pub(crate) fn set_undelimited(&mut self) {
        self.undelimited = true;
    }

    /// Makes keys be read as if all types were final: without headers, as a key hash has them.
    #[inline]
    pub fn set_plain(&mut self) {
        self.plain = true;
    }

    /// Whether keys come without any headers, in the order of their member ids.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Version of the encoding being read.
    #[inline]
    pub fn xcdr(&self) -> Xcdr {
        self.xcdr
    }

    /// Byte order being read.
    #[inline]
    pub fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// Bytes left in the innermost delimited part.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.data.len().saturating_sub(self.position)
    }

    /// Bytes passed over so far, counted from the beginning of the data.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Passes over the padding before a number of `align` bytes.
    #[inline(always)]
    pub fn align(&mut self, align: usize) {
        let align = if align < self.xcdr.max_align() {
            align
        } else {
            self.xcdr.max_align()
        };
        let padding = self.origin.wrapping_sub(self.position) & (align - 1);
        self.position = self.position.saturating_add(padding);
    }

    /// The next `N` bytes, aligned to `N`: one number.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline(always)]
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.align(N);
        let rest = self.data.get(self.position..);
        let Some(bytes) = rest.and_then(|rest| rest.first_chunk::<N>()) else {
            return Err(self.truncated(N));
        };
        self.position += N;
        Ok(*bytes)
    }

    /// The numbers of a run, if they stand in the byte order of this machine, and where
    /// [`Run`](crate::Run) says; otherwise they are to be read one by one.
    #[inline(always)]
    pub fn take_run<const SIZE: usize>(&mut self, align: usize) -> Option<&'a [u8; SIZE]> {
        let is_aligned = self.origin.wrapping_sub(self.position) & (align - 1) == 0;
        if self.endianness != Endianness::NATIVE || align > self.xcdr.max_align() || !is_aligned {
            return None;
        }
        let run = self.data.get(self.position..)?.first_chunk()?;
        self.position += SIZE;
        Some(run)
    }

    /// The next `length` bytes, not aligned.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline]
    pub fn take_slice(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let rest = self.data.get(self.position..);
        let Some(bytes) = rest.and_then(|rest| rest.get(..length)) else {
            return Err(self.truncated(length));
        };
        self.position += length;
        Ok(bytes)
    }

    /// The bytes of `count` numbers of `size` bytes each, in the byte order of the data.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline]
    pub fn take_numbers(&mut self, count: usize, size: usize) -> Result<&'a [u8], Error> {
        if count == 0 {
            return Ok(&[]);
        }
        self.align(size);
        let Some(length) = count.checked_mul(size) else {
            return Err(self.truncated(usize::MAX));
        };
        self.take_slice(length)
    }

    /// Passes over numbers of which is known how many bytes they take: `lengths` says that, padding
    /// included, for each place modulo 8 at which they may begin. False if the data end before, and
    /// nothing is passed over then.
    #[inline]
    pub fn pass_numbers(&mut self, lengths: &[u32; 8]) -> bool {
        let place = self.position.wrapping_sub(self.origin) % lengths.len();
        let length = lengths.get(place).copied().unwrap_or(u32::MAX);
        let end = self.position.saturating_add(length as usize);
        let is_there = end <= self.data.len();
        if is_there {
            self.position = end;
        }
        is_there
    }

    #[cold]
    fn truncated(&self, wanted: usize) -> Error {
        Error::Truncated {
            wanted,
            left: self.remaining(),
        }
    }

    /// A 16-bit number.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline(always)]
    pub fn take_u16(&mut self) -> Result<u16, Error> {
        let bytes = self.take()?;
        Ok(match self.endianness {
            Endianness::Big => u16::from_be_bytes(bytes),
            Endianness::Little => u16::from_le_bytes(bytes),
        })
    }

    /// A 32-bit number.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline(always)]
    pub fn take_u32(&mut self) -> Result<u32, Error> {
        let bytes = self.take()?;
        Ok(match self.endianness {
            Endianness::Big => u32::from_be_bytes(bytes),
            Endianness::Little => u32::from_le_bytes(bytes),
        })
    }

    /// A number of elements or bytes.
    ///
    /// # Errors
    /// [`Error::Truncated`].
    #[inline]
    pub fn take_length(&mut self) -> Result<usize, Error> {
        let length = self.take_u32()?;
        usize::try_from(length).map_err(|_| self.truncated(usize::MAX))
    }

    /// Reads a sequence of octets: a slice of the payload if it is counted, else a copy.
    #[inline]
    pub(crate) fn take_bytes(&mut self) -> Result<Bytes, Error> {
        let length = self.take_length()?;
        let start = self.position;
        if let Some(absent) = self.absent
            && (start, length) == (absent.at, absent.length)
        {
            self.take_slice(absent.filler)?;
            self.absent = None;
            return Ok(absent.octets.clone());
        }
        let bytes = self.take_slice(length)?;
        match self.owner {
            _ if bytes.is_empty() => Ok(Bytes::new()),
            Some((owner, offset)) => Ok(owner.slice(offset + start..offset + start + length)),
            None => {
                self.charge(length)?;
                Ok(dunlin_copy::to_bytes(bytes))
            }
        }
    }

    /// Reads the elements of a sequence one by one.
    #[inline]
    pub(crate) fn elements<T: Deserialize>(&mut self, count: usize) -> Result<Vec<T>, Error> {
        self.check_count(count, T::MIN_SIZE)?;
        // An element may be larger in memory than on the wire.
        self.charge(count.saturating_mul(size_of::<T>()))?;
        self.nested(|r| {
            let mut values = Vec::with_capacity(count);
            for _ in 0..count {
                values.push(T::deserialize(r)?);
            }
            Ok(values)
        })
    }

    /// Takes note that so many bytes are going to be allocated.
    ///
    /// # Errors
    /// [`Error::OutOfProportion`] if that is more than the length of the data warrants.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        let Some(left) = self.budget.checked_sub(bytes) else {
            return Err(Error::OutOfProportion {
                wanted: bytes,
                left: self.budget,
            });
        };
        self.budget = left;
        Ok(())
    }

    /// So many values may be passed over or looked at by those who count them with
    /// [`take_steps`](Self::take_steps); without this there is no end to it but that of the data.
    #[inline]
    pub fn set_steps(&mut self, steps: usize) {
        self.steps = steps;
    }

    /// How many of them are left.
    #[inline]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Takes note that so many values are passed over, or looked at.
    ///
    /// # Errors
    /// [`Error::TooManySteps`] if that is more than may be.
    #[inline]
    pub fn take_steps(&mut self, steps: usize) -> Result<(), Error> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Error::TooManySteps)
    }

    /// Refuses a count of elements that the remaining data cannot hold.
    #[inline]
    pub(crate) fn check_count(&self, count: usize, min_size: usize) -> Result<(), Error> {
        let possible = match min_size {
            0 => MAX_EMPTY_ELEMENTS,
            size => self.remaining() / size,
        };
        if count <= possible {
            Ok(())
        } else {
            Err(self.truncated(count.saturating_mul(min_size)))
        }
    }

    /// Reads something that may contain its own kind.
    ///
    /// # Errors
    /// [`Error::TooDeep`] inside of [`MAX_DEPTH`] others; those of `read`.
    #[inline]
    pub fn nested<T, E: From<Error>>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.depth == MAX_DEPTH {
            return Err(Error::TooDeep.into());
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Begins a struct or union as [`Writer::begin`](crate::Writer::begin) does.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the DHEADER claims more than there is.
    #[inline]
    pub fn begin(&mut self, extensibility: Extensibility) -> Result<ReadScope<'a>, Error> {
        let undelimited = core::mem::take(&mut self.undelimited);
        match (self.xcdr, extensibility) {
            _ if self.plain => Ok(self.open(false)),
            (_, Extensibility::Final) | (Xcdr::V1, Extensibility::Mutable) => Ok(self.open(false)),
            (Xcdr::V2, Extensibility::Appendable) if undelimited => Ok(self.open(false)),
            (Xcdr::V2, _) => self.begin_delimited(),
            // Only the encapsulation or a parameter header tells where an XCDR1 type ends.
            (Xcdr::V1, Extensibility::Appendable) => {
                Ok(self.open(self.position == self.region && self.remaining() > 0))
            }
        }
    }

    /// Begins a collection as [`Writer::begin_collection`](crate::Writer::begin_collection) does.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the DHEADER claims more than there is.
    #[inline]
    pub fn begin_collection(&mut self, primitive: bool) -> Result<ReadScope<'a>, Error> {
        if self.xcdr == Xcdr::V2 && !primitive {
            self.begin_delimited()
        } else {
            Ok(self.open(false))
        }
    }

    #[inline]
    fn open(&self, tolerant: bool) -> ReadScope<'a> {
        ReadScope {
            outer: self.data,
            outer_region: self.region,
            delimited: false,
            tolerant,
        }
    }

    #[inline]
    pub(crate) fn begin_delimited(&mut self) -> Result<ReadScope<'a>, Error> {
        let length = self.take_length()?;
        let scope = ReadScope {
            delimited: true,
            ..self.open(true)
        };
        self.narrow(length)?;
        Ok(scope)
    }

    /// Hides what comes after the next `length` bytes.
    #[inline]
    fn narrow(&mut self, length: usize) -> Result<(), Error> {
        let end = self.position.saturating_add(self.present(length));
        let Some(data) = self.data.get(..end) else {
            return Err(self.truncated(length));
        };
        self.data = data;
        self.region = self.position;
        Ok(())
    }

    /// How many of the next `length` bytes are in the data.
    #[inline]
    fn present(&self, length: usize) -> usize {
        match self.absent {
            Some(absent) if self.position.saturating_add(length) > absent.at => length
                .saturating_add(absent.filler)
                .saturating_sub(absent.length),
            _ => length,
        }
    }

    /// Ends what was begun, and skips what the reader's type does not know of it.
    #[inline]
    pub fn end(&mut self, scope: ReadScope<'a>) {
        if scope.delimited {
            self.position = self.data.len();
            self.data = scope.outer;
            self.region = scope.outer_region;
        }
    }
}
