//! Where the bytes of a received change are.
//!
//! A reader keeps and hands out [`Payload`]. It never looks at the bytes of a loaned one; whoever
//! needs contiguous bytes asks for them, and pays for the copy.
use alloc::sync::Arc;
use bytes::{Bytes, BytesMut};
use core::any::Any;
use core::fmt;

/// The serialized payload of a received change: a sample or a key, encapsulation header included.
/// A clone shares the bytes.
#[derive(Clone)]
pub enum Payload {
    /// Contiguous bytes.
    Inline(Bytes),
    /// Bytes that were not copied: at least a part of them lies in memory of their writer.
    Loaned(Loaned),
}

/// A payload that its writer lends. The writer gets its memory back when the last clone is dropped.
#[derive(Clone)]
pub struct Loaned(
    /// `None` only while it is dropped.
    Option<Arc<dyn LoanedPayload>>,
);

/// Owns a loaned payload. Implemented above this crate, by whoever knows the memory.
pub trait LoanedPayload: Any + Send + Sync {
    /// Bytes of the whole payload, wherever they are.
    fn len(&self) -> usize;

    /// True if there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a copy of the whole payload.
    ///
    /// # Errors
    /// `Withdrawn`; then a part of the payload may have been appended.
    fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn>;

    /// One [`Loaned`] less refers to the payload. An owner that is used for one payload after the
    /// other gives the memory back here if nobody else refers to it (`Arc::get_mut`); by default
    /// the last reference drops the owner. A reader may call this while the caller's lock on it is
    /// held, so it must not run code of the application.
    fn release(self: Arc<Self>) {}
}

/// The writer has used the memory of a loaned payload for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawn;

impl fmt::Display for Withdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its writer has used its memory again")
    }
}

impl core::error::Error for Withdrawn {}

impl Payload {
    /// No bytes.
    #[inline]
    pub const fn new() -> Self {
        Self::Inline(Bytes::new())
    }

    /// Bytes in all, wherever they are.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Inline(bytes) => bytes.len(),
            Self::Loaned(loaned) => loaned.len(),
        }
    }

    /// True if there are no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they are contiguous. Costs nothing.
    #[inline]
    pub fn as_inline(&self) -> Option<&Bytes> {
        match self {
            Self::Inline(bytes) => Some(bytes),
            Self::Loaned(_) => None,
        }
    }

    /// Contiguous bytes. Those of an inline payload are shared; a loaned one is copied into memory
    /// that is allocated for it ([`append_to`](Self::append_to) copies into the caller's).
    ///
    /// # Errors
    /// `Withdrawn` for a loaned payload.
    pub fn to_bytes(&self) -> Result<Bytes, Withdrawn> {
        match self {
            Self::Inline(bytes) => Ok(bytes.clone()),
            Self::Loaned(loaned) => loaned.to_bytes(),
        }
    }

    /// Appends a copy of all bytes.
    ///
    /// # Errors
    /// `Withdrawn` for a loaned payload; then a part of it may have been appended.
    pub fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        match self {
            Self::Inline(bytes) => {
                dunlin_copy::append(out, bytes);
                Ok(())
            }
            Self::Loaned(loaned) => loaned.append_to(out),
        }
    }
}

impl Default for Payload {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Bytes> for Payload {
    #[inline]
    fn from(bytes: Bytes) -> Self {
        Self::Inline(bytes)
    }
}

impl From<Loaned> for Payload {
    fn from(loaned: Loaned) -> Self {
        Self::Loaned(loaned)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline(bytes) => f.debug_tuple("Inline").field(bytes).finish(),
            Self::Loaned(loaned) => loaned.fmt(f),
        }
    }
}

impl Loaned {
    /// The payload of this owner.
    pub fn new(owner: Arc<dyn LoanedPayload>) -> Self {
        Self(Some(owner))
    }

    /// Its owner, if that is a `T`.
    pub fn owner<T: LoanedPayload>(&self) -> Option<&T> {
        let owner: &dyn Any = self.0.as_deref()?;
        owner.downcast_ref()
    }

    /// Bytes of the whole payload.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |owner| owner.len())
    }

    /// True if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A contiguous copy, in memory that is allocated for it.
    ///
    /// # Errors
    /// `Withdrawn`.
    pub fn to_bytes(&self) -> Result<Bytes, Withdrawn> {
        let mut out = BytesMut::with_capacity(self.len());
        self.append_to(&mut out)?;
        Ok(out.freeze())
    }

    /// Appends a copy of the whole payload.
    ///
    /// # Errors
    /// `Withdrawn`; then a part of the payload may have been appended.
    pub fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        self.0.as_ref().map_or(Ok(()), |owner| owner.append_to(out))
    }
}

impl Drop for Loaned {
    fn drop(&mut self) {
        if let Some(owner) = self.0.take() {
            owner.release();
        }
    }
}

impl fmt::Debug for Loaned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loaned({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    /// Two runs of bytes, of which the second can be withdrawn.
    struct Two {
        head: Vec<u8>,
        tail: Option<Vec<u8>>,
        releases: AtomicUsize,
    }

    impl LoanedPayload for Two {
        fn len(&self) -> usize {
            self.head.len() + self.tail.as_ref().map_or(0, Vec::len)
        }

        fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
            out.extend_from_slice(&self.head);
            out.extend_from_slice(self.tail.as_ref().ok_or(Withdrawn)?);
            Ok(())
        }

        fn release(self: Arc<Self>) {
            self.releases.fetch_add(1, SeqCst);
        }
    }

    fn two(tail: Option<&[u8]>) -> Arc<Two> {
        Arc::new(Two {
            head: b"head".to_vec(),
            tail: tail.map(<[u8]>::to_vec),
            releases: AtomicUsize::new(0),
        })
    }

    #[test]
    fn a_payload_is_as_large_as_its_inline_bytes() {
        assert_eq!(size_of::<Payload>(), size_of::<Bytes>());
    }

    #[test]
    fn inline_bytes_are_shared() {
        let bytes = Bytes::from(Vec::from([1; 9]));
        let payload = Payload::from(bytes.clone());
        let place = |payload: &Payload| payload.to_bytes().unwrap().as_ptr();
        assert_eq!(place(&payload), bytes.as_ptr());
        assert_eq!(place(&payload.clone()), bytes.as_ptr());
        assert_eq!(payload.as_inline(), Some(&bytes));
        assert_eq!(payload.len(), 9);
        assert!(Payload::default().is_empty());
    }

    #[test]
    fn a_loaned_payload_has_its_true_length_and_all_of_its_bytes() {
        let payload = Payload::from(Loaned::new(two(Some(b" tail"))));
        assert!(payload.as_inline().is_none());
        assert_eq!((payload.len(), payload.is_empty()), (9, false));
        assert_eq!(payload.to_bytes().unwrap(), "head tail");
        let mut out = BytesMut::from(&b"> "[..]);
        payload.append_to(&mut out).unwrap();
        assert_eq!(out, "> head tail");
    }

    #[test]
    fn withdrawn_bytes_are_an_error() {
        let payload = Payload::from(Loaned::new(two(None)));
        assert_eq!(payload.to_bytes(), Err(Withdrawn));
        assert_eq!(payload.append_to(&mut BytesMut::new()), Err(Withdrawn));
    }

    #[test]
    fn the_owner_hears_of_the_end_of_each_clone() {
        let owner = two(Some(b""));
        let loaned = Loaned::new(Arc::clone(&owner) as Arc<dyn LoanedPayload>);
        let payload = Payload::from(loaned.clone());
        assert_eq!(loaned.owner::<Two>().unwrap().head, b"head");
        drop(payload);
        assert_eq!(owner.releases.load(SeqCst), 1);
        drop(loaned);
        assert_eq!(owner.releases.load(SeqCst), 2);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
