//! Copies of many bytes that take as long wherever they lie.
//!
//! From about 2 KiB to 1 MiB the C library copies with one string instruction (`rep movsb`) where
//! the processor says that it is fast. AMD's processors with that promise take sixteen times as
//! long for it if the target lies 1 to 15 bytes further in its page than the source: 18 us instead
//! of 1.1 for 63,000 bytes. A sequence of octets lies like this by nature: it follows four bytes of
//! encapsulation and four of length in its payload, and the allocator puts it and the payload at
//! the same place of a page. Such copies are made in pieces for which the library does not use the
//! instruction. They take as long as any other.
#![no_std]
extern crate alloc;

use alloc::vec::Vec;
use bytes::{Bytes, BytesMut};

/// Below each library's threshold for the string instruction, the lowest of which is 2048.
const PIECE: usize = 1536;

/// From here on libraries copy in loops again: the cache that this depends on is not larger on the
/// processors in question.
const LARGE: usize = 1 << 20;

/// The page that the processor compares addresses in.
const PAGE: usize = 4096;

/// The distances that are slow, and zero, which is not.
const SLOW: usize = 16;

/// How many of `length` bytes to copy at once from one address to the other: all, or fewer where
/// one copy of all would be slow.
#[inline]
pub fn piece(from: *const u8, to: *const u8, length: usize) -> usize {
    let distance = to.addr().wrapping_sub(from.addr()) % PAGE;
    if length <= PIECE || length >= LARGE || distance >= SLOW || distance == 0 {
        length
    } else {
        PIECE
    }
}

/// Copies all bytes of `from` to `to`.
///
/// # Panics
/// If they are not of one length.
#[inline]
pub fn copy_bytes(to: &mut [u8], from: &[u8]) {
    let piece = piece(from.as_ptr(), to.as_ptr(), from.len());
    if piece == from.len() {
        return to.copy_from_slice(from);
    }
    assert_eq!(to.len(), from.len(), "lengths of a copy");
    for (to, from) in to.chunks_mut(piece).zip(from.chunks(piece)) {
        to.copy_from_slice(from);
    }
}

/// Appends a copy of `bytes`.
#[inline]
pub fn append(out: &mut BytesMut, bytes: &[u8]) {
    if bytes.len() <= PIECE {
        return out.extend_from_slice(bytes);
    }
    out.reserve(bytes.len());
    let to = out.spare_capacity_mut().as_ptr().cast();
    for piece in bytes.chunks(piece(bytes.as_ptr(), to, bytes.len())) {
        out.extend_from_slice(piece);
    }
}

/// A copy of `bytes`.
#[inline]
pub fn to_vec(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let to = out.spare_capacity_mut().as_ptr().cast();
    for piece in bytes.chunks(piece(bytes.as_ptr(), to, bytes.len()).max(1)) {
        out.extend_from_slice(piece);
    }
    out
}

/// A counted copy of `bytes`.
#[inline]
pub fn to_bytes(bytes: &[u8]) -> Bytes {
    Bytes::from(to_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where in a page nothing depends on the allocator.
    fn at(page: &[u8], offset: usize) -> &[u8] {
        let start = page.as_ptr().align_offset(PAGE) + offset;
        page.get(start..).unwrap_or_default()
    }

    #[test]
    fn only_copies_of_middle_length_at_small_distances_are_made_in_pieces() {
        let memory = [0; 2 * PAGE];
        let from = at(&memory, 100).as_ptr();
        for distance in 0..2 * PAGE {
            let to = from.wrapping_add(distance);
            let slow = (1..16).contains(&(distance % PAGE));
            assert_eq!(piece(from, to, LARGE - 1) == PIECE, slow, "{distance}");
            assert_eq!(piece(from, to, LARGE), LARGE);
            assert_eq!(piece(from, to, PIECE), PIECE);
            assert_eq!(piece(from, to, 100), 100);
        }
        // A target before its source.
        assert_eq!(piece(from, from.wrapping_sub(PAGE - 8), 5000), PIECE);
        assert_eq!(piece(from, from.wrapping_sub(8), 5000), 5000);
    }

    #[test]
    #[should_panic(expected = "length")]
    fn other_lengths_are_refused() {
        copy_bytes(&mut [0; 5000], &[0; 5001]);
    }

    proptest! {
        #[test]
        fn all_bytes_come_along(
            length in prop_oneof![0..40_usize, PIECE - 2..PIECE + 3, 0..9000_usize],
            from in 0..PAGE,
            distance in prop_oneof![0..20_usize, 0..PAGE],
        ) {
            let source: Vec<u8> = (0..4 * PAGE + 9000).map(|n| (n * 7 % 251) as u8).collect();
            let bytes = &at(&source, from)[..length];
            let mut target = alloc::vec![255; 4 * PAGE + 9000];
            let start = target.as_ptr().align_offset(PAGE) + (from + distance) % PAGE;
            copy_bytes(&mut target[start..start + length], bytes);
            prop_assert_eq!(&target[start..start + length], bytes);
            prop_assert!(target[..start].iter().all(|byte| *byte == 255));
            prop_assert!(target[start + length..].iter().all(|byte| *byte == 255));
            let mut appended = BytesMut::from(&source[..distance]);
            append(&mut appended, bytes);
            prop_assert_eq!(&appended[..distance], &source[..distance]);
            prop_assert_eq!(&appended[distance..], bytes);
            prop_assert_eq!(&to_bytes(bytes)[..], bytes);
        }
    }
}
