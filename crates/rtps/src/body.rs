//! The payload of a change, of which a large part may stay where the application has it.
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use core::ops::Range;

/// A serialized sample or key: one run of bytes, or one with a counted slice of the application's
/// in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    plain: Bytes,
    /// Few bodies have one, and all are moved several times: it would double what is moved.
    loaned: Option<Box<LoanedPart>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LoanedPart {
    /// Where in `plain` it belongs, at most its length.
    at: usize,
    bytes: Bytes,
}

/// Memory in which bodies have had what they refer to, to be used again: a writer that lends
/// allocates nothing for it in the long run.
#[derive(Debug, Default)]
pub struct SpareParts(
    #[expect(clippy::vec_box, reason = "what is used again is the boxes")] Vec<Box<LoanedPart>>,
);

impl SpareParts {
    /// More are given back to the allocator: 200 kB.
    const MOST: usize = 4096;

    /// Takes over what the other one has.
    #[inline]
    pub fn take_from(&mut self, other: &mut Self) {
        if !other.0.is_empty() {
            self.0.append(&mut other.0);
            self.0.truncate(Self::MOST);
        }
    }

    fn keep(&mut self, part: Box<LoanedPart>) {
        if self.0.len() < Self::MOST {
            self.0.push(part);
        }
    }
}

/// Some bytes of a body, and what owns them.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Keeps `bytes` alive.
    pub owner: &'a Bytes,
    /// A slice of `owner`, maybe empty.
    pub bytes: &'a [u8],
}

impl Piece<'_> {
    /// The bytes, counted.
    pub fn share(&self) -> Bytes {
        self.owner.slice_ref(self.bytes)
    }
}

impl From<Bytes> for Body {
    fn from(plain: Bytes) -> Self {
        Self {
            plain,
            loaned: None,
        }
    }
}

impl Body {
    /// `plain` with `bytes` put in at `at`; behind it if it is shorter than that.
    pub fn around(plain: Bytes, at: usize, bytes: Bytes) -> Self {
        Self::around_in(&mut SpareParts::default(), plain, at, bytes)
    }

    /// As [`around`](Self::around), in memory that was used before, if there is some.
    pub fn around_in(spares: &mut SpareParts, plain: Bytes, at: usize, bytes: Bytes) -> Self {
        let loaned = (!bytes.is_empty()).then(|| {
            let mut part = spares.0.pop().unwrap_or_default();
            *part = LoanedPart {
                at: at.min(plain.len()),
                bytes,
            };
            part
        });
        Self { plain, loaned }
    }

    /// Bytes in all.
    #[inline]
    pub fn len(&self) -> usize {
        let loaned = self.loaned.as_ref().map_or(0, |loaned| loaned.bytes.len());
        self.plain.len() + loaned
    }

    /// True if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they are in one piece.
    #[inline]
    pub fn whole(&self) -> Option<&Bytes> {
        match &self.loaned {
            None => Some(&self.plain),
            Some(_) => None,
        }
    }

    /// The pieces that make up `range`, in order; what lies beyond the end is left out.
    pub fn pieces(&self, range: Range<usize>) -> [Piece<'_>; 3] {
        let plain = &self.plain;
        let Some(loaned) = &self.loaned else {
            let nothing = cut(plain, &[], 0, &range);
            return [cut(plain, plain, 0, &range), nothing, nothing];
        };
        let (before, after) = plain.split_at_checked(loaned.at).unwrap_or((plain, &[]));
        let end = loaned.at.saturating_add(loaned.bytes.len());
        [
            cut(plain, before, 0, &range),
            cut(&loaned.bytes, &loaned.bytes, loaned.at, &range),
            cut(plain, after, end, &range),
        ]
    }

    /// Parts with the application's bytes, whose end may run code of the application.
    #[inline]
    pub fn take_loaned(&mut self, spares: &mut SpareParts) -> Option<Bytes> {
        let mut part = self.loaned.take()?;
        let bytes = core::mem::take(&mut part.bytes);
        spares.keep(part);
        Some(bytes)
    }
}

impl PartialEq<Body> for Bytes {
    fn eq(&self, other: &Body) -> bool {
        let mut rest = &self[..];
        let begins = |piece: &Piece<'_>| match rest.strip_prefix(piece.bytes) {
            Some(behind) => {
                rest = behind;
                true
            }
            None => false,
        };
        other.pieces(0..other.len()).iter().all(begins) && rest.is_empty()
    }
}

/// What `range` has of `bytes`, which stand at `position` in the body.
fn cut<'a>(owner: &'a Bytes, bytes: &'a [u8], position: usize, range: &Range<usize>) -> Piece<'a> {
    let within = |at: usize| at.saturating_sub(position).min(bytes.len());
    Piece {
        owner,
        bytes: bytes
            .get(within(range.start)..within(range.end))
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn joined(pieces: &[Piece<'_>]) -> Vec<u8> {
        let bytes = pieces.iter().flat_map(|piece| piece.share());
        bytes.collect()
    }

    proptest! {
        #[test]
        fn pieces_are_what_one_run_of_bytes_would_be(
            plain in prop::collection::vec(any::<u8>(), 0..20),
            loaned in prop::collection::vec(any::<u8>(), 0..20),
            at in 0..20usize,
            start in 0..50usize,
            length in 0..50usize,
        ) {
            let body = Body::around(plain.clone().into(), at, loaned.clone().into());
            let mut whole = plain;
            let at = at.min(whole.len());
            whole.splice(at..at, loaned);
            prop_assert_eq!(body.len(), whole.len());
            prop_assert_eq!(&Bytes::from(whole.clone()), &body);
            let shorter = whole.get(1..).unwrap_or(&[1]).to_vec();
            prop_assert_ne!(&Bytes::from(shorter), &body);
            let cut = whole.iter().copied().skip(start).take(length).collect::<Vec<_>>();
            prop_assert_eq!(joined(&body.pieces(start..start + length)), cut);
            if let Some(bytes) = body.whole() {
                prop_assert_eq!(&bytes[..], &whole[..]);
            }
        }
    }

    #[test]
    fn memory_of_loaned_parts_is_used_again() {
        let (plain, mut spares) = (Bytes::from_static(b"plain"), SpareParts::default());
        let place = |body: &Body| core::ptr::from_ref(&**body.loaned.as_ref().unwrap());
        let mut first = Body::around(plain.clone(), 2, Bytes::from_static(b"one"));
        let used = place(&first);
        assert_eq!(first.take_loaned(&mut spares).unwrap(), "one");
        assert_eq!(first.take_loaned(&mut spares), None);
        assert_eq!(first.whole(), Some(&plain));
        let mut all = SpareParts::default();
        all.take_from(&mut spares);
        let none = Body::around_in(&mut all, plain.clone(), 2, Bytes::new());
        assert_eq!(none.whole(), Some(&plain));
        let second = Body::around_in(&mut all, plain, 9, Bytes::from_static(b" two"));
        assert_eq!((place(&second), all.0.len()), (used, 0));
        assert_eq!(Bytes::from_static(b"plain two"), second);
    }

    #[test]
    fn not_more_memory_is_kept_than_is_likely_to_be_used() {
        let (mut some, mut more) = (SpareParts::default(), SpareParts::default());
        for spares in [&mut some, &mut more] {
            for _ in 0..SpareParts::MOST + 5 {
                let mut body = Body::around(Bytes::new(), 0, Bytes::from_static(b"x"));
                assert!(body.take_loaned(spares).is_some());
            }
            assert_eq!(spares.0.len(), SpareParts::MOST);
        }
        some.take_from(&mut more);
        assert_eq!((some.0.len(), more.0.len()), (SpareParts::MOST, 0));
    }

    #[test]
    fn pieces_are_not_copies() {
        let (plain, loaned) = (
            Bytes::from(Vec::from([1; 8])),
            Bytes::from(Vec::from([2; 9])),
        );
        let body = Body::around(plain.clone(), 3, loaned.clone());
        let shared = body.pieces(1..15).map(|piece| piece.share());
        assert_eq!(shared.each_ref().map(Bytes::len), [2, 9, 3]);
        let places = shared.each_ref().map(|bytes| bytes.as_ptr());
        let expected = [plain.slice(1..), loaned, plain.slice(3..)];
        assert_eq!(places, expected.each_ref().map(|bytes| bytes.as_ptr()));
    }
}
