//! Wall-clock time and durations as RTPS writes them: seconds and 2^-32 s (RTPS 2.5 9.3.2.1,
//! 9.3.2.3).
use crate::cursor::Cursor;
use crate::{Endianness, Error};
use dunlin_qos::Duration;

const NANOS: i64 = 1_000_000_000;
const NANOS_UNSIGNED: u64 = 1_000_000_000;
/// 2^32 s cannot be written as a time.
const END_OF_TIME: i64 = (1 << 32) * NANOS;
/// 2^31 - 1 s and more are an infinite duration.
const LONGEST: i64 = (i32::MAX as i64) * NANOS;

/// Nanoseconds since 1970-01-01 00:00 UTC; on the wire 32 bits of seconds and 32 bits of 2^-32 s.
///
/// Each nanosecond from 1970 to 2106 comes back as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// No time at all; earlier than all others.
    pub const INVALID: Self = Self(i64::MIN);
    /// Later than all others.
    pub const INFINITE: Self = Self(i64::MAX);

    /// Seconds and 2^-32 s; times before 1970 count as 1970, times after 2106 as infinite.
    #[inline]
    pub fn to_wire(self) -> (u32, u32) {
        if self == Self::INVALID {
            return (u32::MAX, u32::MAX);
        }
        let nanos = self.0.max(0);
        match u32::try_from(nanos / NANOS) {
            Ok(seconds) => (seconds, fraction(nanos % NANOS)),
            Err(_) => (u32::MAX, u32::MAX - 1),
        }
    }

    /// The time that the two words name, to the nearest nanosecond.
    #[inline]
    pub fn from_wire(seconds: u32, fraction: u32) -> Self {
        match (seconds, fraction) {
            (u32::MAX, u32::MAX) => Self::INVALID,
            (u32::MAX, 0xffff_fffe) => Self::INFINITE,
            _ => match nanos(i64::from(seconds), fraction) {
                END_OF_TIME.. => Self::INFINITE,
                nanos => Self(nanos),
            },
        }
    }

    #[inline]
    pub(crate) fn bytes(self, endianness: Endianness) -> [[u8; 4]; 2] {
        let (seconds, fraction) = self.to_wire();
        [endianness.u32(seconds), endianness.u32(fraction)]
    }
}

/// The seconds and 2^-32 s of a policy's duration.
pub(crate) fn duration_to_wire(duration: Duration) -> (i32, u32) {
    let nanos = duration.as_nanos();
    match i32::try_from(nanos / NANOS) {
        Ok(seconds) if nanos < LONGEST => (seconds, fraction(nanos % NANOS)),
        _ => (i32::MAX, u32::MAX),
    }
}

/// `nanos` (below 10^9) in 2^-32 s, rounded up: so the nanosecond comes back from peers that round
/// down as well as from those that round to the nearest.
#[inline]
fn fraction(nanos: i64) -> u32 {
    let scaled = (nanos.cast_unsigned() << 32).div_ceil(NANOS_UNSIGNED);
    u32::try_from(scaled).unwrap_or(u32::MAX)
}

/// Cannot overflow: 2^32 s are 4.3e18 ns.
#[inline]
fn nanos(seconds: i64, fraction: u32) -> i64 {
    let part = u64::from(fraction)
        .saturating_mul(NANOS_UNSIGNED)
        .saturating_add(1 << 31)
        >> 32;
    seconds
        .saturating_mul(NANOS)
        .saturating_add(part.cast_signed())
}

impl Cursor<'_> {
    #[inline]
    pub(crate) fn timestamp(&mut self) -> Result<Timestamp, Error> {
        Ok(Timestamp::from_wire(self.u32()?, self.u32()?))
    }

    /// A policy's duration, never negative. 68 years are infinite, which is how infinite is
    /// written: some put another fraction there than the standard.
    pub(crate) fn duration(&mut self) -> Result<Duration, Error> {
        match (self.i32()?, self.u32()?) {
            (..0, _) => Err(self.invalid_as("duration")),
            (seconds, fraction) => Ok(match nanos(i64::from(seconds), fraction) {
                LONGEST.. => Duration::INFINITE,
                nanos => Duration::from_nanos(nanos),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn special_times_keep_their_meaning() {
        for (time, wire) in [
            (Timestamp(0), (0, 0)),
            (Timestamp::INVALID, (u32::MAX, u32::MAX)),
            (Timestamp::INFINITE, (u32::MAX, 0xffff_fffe)),
            (Timestamp(NANOS / 2), (0, 1 << 31)),
            (Timestamp(NANOS - 1), (0, 4_294_967_292)),
        ] {
            assert_eq!(time.to_wire(), wire);
            assert_eq!(Timestamp::from_wire(wire.0, wire.1), time);
        }
        assert_eq!(Timestamp(-5).to_wire(), (0, 0));
        assert_eq!(Timestamp::from_wire(1, u32::MAX), Timestamp(2 * NANOS));
        assert_eq!(
            Timestamp(5_000_000_000 * NANOS).to_wire(),
            (u32::MAX, 0xffff_fffe)
        );
    }

    #[test]
    fn durations_of_peers_that_round_down_are_read_right() {
        let mut value = Cursor::new(
            &[0, 0, 0, 0, 0x99, 0x99, 0x99, 0x19],
            Endianness::Little,
            "",
        );
        assert_eq!(value.duration(), Ok(Duration::from_millis(100)));
        let mut value = Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], Endianness::Big, "");
        assert!(value.duration().is_err());
        for infinite in [
            [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0],
            [0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff],
            [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] {
            let mut value = Cursor::new(&infinite, Endianness::Big, "");
            assert_eq!(value.duration(), Ok(Duration::INFINITE));
        }
        assert_eq!(duration_to_wire(Duration::INFINITE), (i32::MAX, u32::MAX));
    }

    proptest! {
        #[test]
        fn each_nanosecond_comes_back(nanos in 0..(1_i64 << 32) * NANOS) {
            let (seconds, fraction) = Timestamp(nanos).to_wire();
            prop_assert_eq!(Timestamp::from_wire(seconds, fraction), Timestamp(nanos));
        }

        #[test]
        fn any_two_words_are_a_time(seconds: u32, fraction: u32) {
            let time = Timestamp::from_wire(seconds, fraction);
            let (s, f) = time.to_wire();
            prop_assert_eq!(Timestamp::from_wire(s, f), time);
        }
    }
}
