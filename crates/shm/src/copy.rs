//! Copies between private and shared memory by instructions that the compiler does not look into.
//!
//! The other process may write what we read: in Rust's memory model an ordinary copy of it would be
//! a data race. Inline assembly is what a device or another process is: bytes come out, whatever
//! they are at that moment. The invariant: both ranges are valid for the length, the caller has
//! checked it, and they do not overlap.
#![cfg(all(not(miri), target_arch = "x86_64"))]
use std::arch::asm;

/// Asks for a cache line that will be read soon; any address will do.
#[inline]
pub(crate) fn fetch(line: *const u8) {
    // SAFETY: a hint, which touches nothing and never faults.
    unsafe {
        asm!("prefetcht0 [{line}]", line = in(reg) line, options(nostack, preserves_flags, readonly))
    };
}

/// Asks for a cache line that will be written soon; any address will do.
#[inline]
pub(crate) fn claim(line: *const u8) {
    // SAFETY: as for `fetch`; processors that do not know it do nothing.
    unsafe { asm!("prefetchw [{line}]", line = in(reg) line, options(nostack, preserves_flags)) };
}

/// From here on the C library's copy is faster, which knows this processor.
const LONG: usize = 256;

/// Copies `length` bytes.
///
/// # Safety
/// `from` can be read and `to` written for `length` bytes, and these do not overlap.
#[inline]
pub(crate) unsafe fn bytes(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the caller's promise; each of these copies exactly `length` bytes, which is in its
    // range.
    unsafe {
        match length {
            0..8 => few(from, to, length),
            8..16 => two_words(from, to, length),
            16..128 => vectors(from, to, length),
            128..LONG => lines(from, to, length),
            _ => by_library(from, to, length),
        }
    }
}

/// Less than eight.
///
/// # Safety
/// As for [`bytes`].
#[inline]
unsafe fn few(mut from: *const u8, mut to: *mut u8, length: usize) {
    for _ in 0..length {
        // SAFETY: volatile accesses to single bytes inside both ranges.
        unsafe {
            to.write_volatile(from.read_volatile());
            from = from.add(1);
            to = to.add(1);
        }
    }
}

/// 8 to 16, as two words that may overlap.
///
/// # Safety
/// As for [`bytes`].
#[inline]
unsafe fn two_words(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the first and the last eight bytes lie inside both ranges, as the length is at least
    // eight.
    unsafe {
        asm!(
            "mov {a}, [{from}]", "mov {b}, [{from} + {last}]",
            "mov [{to}], {a}", "mov [{to} + {last}], {b}",
            from = in(reg) from, to = in(reg) to, last = in(reg) length - 8,
            a = out(reg) _, b = out(reg) _, options(nostack, preserves_flags),
        );
    }
}

/// At least 16: vectors of 16 bytes, the last of which may overlap the one before.
///
/// # Safety
/// As for [`bytes`].
#[inline]
unsafe fn vectors(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: `at` runs over multiples of 16 below `last`, and from each 16 bytes, like those at
    // `last`, lie inside both ranges.
    unsafe {
        asm!(
            "2:",
            "movdqu {v}, [{from} + {at}]", "movdqu [{to} + {at}], {v}",
            "add {at}, 16", "cmp {at}, {last}", "jb 2b",
            "movdqu {v}, [{from} + {last}]", "movdqu [{to} + {last}], {v}",
            from = in(reg) from, to = in(reg) to, last = in(reg) length - 16,
            at = inout(reg) 0_usize => _, v = out(xmm_reg) _, options(nostack),
        );
    }
}

/// At least 64: cache lines, the last of which may overlap the one before.
///
/// # Safety
/// As for [`bytes`].
#[inline]
unsafe fn lines(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: `at` runs over multiples of 64 below `last`, and from each 64 bytes, like those at
    // `last`, lie inside both ranges.
    unsafe {
        asm!(
            "2:",
            "movdqu {a}, [{from} + {at}]", "movdqu {b}, [{from} + {at} + 16]",
            "movdqu {c}, [{from} + {at} + 32]", "movdqu {d}, [{from} + {at} + 48]",
            "movdqu [{to} + {at}], {a}", "movdqu [{to} + {at} + 16], {b}",
            "movdqu [{to} + {at} + 32], {c}", "movdqu [{to} + {at} + 48], {d}",
            "add {at}, 64", "cmp {at}, {last}", "jb 2b",
            "movdqu {a}, [{from} + {last}]", "movdqu {b}, [{from} + {last} + 16]",
            "movdqu {c}, [{from} + {last} + 32]", "movdqu {d}, [{from} + {last} + 48]",
            "movdqu [{to} + {last}], {a}", "movdqu [{to} + {last} + 16], {b}",
            "movdqu [{to} + {last} + 32], {c}", "movdqu [{to} + {last} + 48], {d}",
            from = in(reg) from, to = in(reg) to, last = in(reg) length - 64, at = inout(reg) 0_usize => _,
            a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _, options(nostack),
        );
    }
}

/// Any length, by the C library, which may use the processor's string copy: in pieces where that
/// would be slow.
///
/// # Safety
/// As for [`bytes`].
#[inline]
pub(crate) unsafe fn by_library(from: *const u8, to: *mut u8, length: usize) {
    let piece = dunlin_copy::piece(from, to, length);
    let mut done = 0;
    while done < length {
        let count = piece.min(length - done);
        // SAFETY: `done + count` is at most `length`, for which the caller has promised.
        unsafe { call_library(from.add(done), to.add(done), count) };
        done += count;
    }
}

/// # Safety
/// As for [`bytes`].
#[inline]
unsafe fn call_library(from: *const u8, to: *mut u8, length: usize) {
    unsafe extern "C" {
        fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8;
    }
    // SAFETY: a call by the rules of the C ABI, with the caller's promise about the ranges.
    unsafe {
        asm!(
            "call {memcpy}",
            memcpy = sym memcpy,
            in("rdi") to, in("rsi") from, in("rdx") length,
            lateout("rax") _,
            clobber_abi("C"),
        );
    }
}
