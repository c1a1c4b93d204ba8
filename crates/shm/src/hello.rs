//! The first packet in each direction: who speaks, which version, and how large the segments are
//! that come with it.
//!
//! | bytes | |
//! |---|---|
//! | 0..8 | magic |
//! | 8..12 | version of the layout of all shared memory |
//! | 12..16 | group |
//! | 16..32 | identity |
//! | 32.. | a size in bytes, 8 each, for each file descriptor: the link, then pools |
use crate::Violation;
use crate::link::VERSION;
use crate::socket::MAX_FDS;

const MAGIC: &[u8; 8] = b"dunlshm\n";

/// The longest hello in bytes.
pub(crate) const LONGEST: usize = 32 + 8 * MAX_FDS;

/// Who a peer is: opaque here, unique among those that live.
pub type Identity = [u8; 16];

/// What a hello says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub(crate) group: u32,
    pub(crate) identity: Identity,
    pub(crate) sizes: Vec<usize>,
}

impl Announcement {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((VERSION as u32).to_le_bytes());
        bytes.extend(self.group.to_le_bytes());
        bytes.extend(self.identity);
        bytes.extend(
            self.sizes
                .iter()
                .flat_map(|&size| (size as u64).to_le_bytes()),
        );
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Violation> {
        Self::parse(bytes).ok_or(Violation::Header)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (version, rest) = rest.split_first_chunk()?;
        let (group, rest) = rest.split_first_chunk()?;
        let (identity, rest) = rest.split_first_chunk()?;
        if u32::from_le_bytes(*version) != VERSION as u32 || rest.len() > 8 * MAX_FDS {
            return None;
        }
        let (sizes, []) = rest.as_chunks() else {
            return None;
        };
        let size = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
        Some(Self {
            group: u32::from_le_bytes(*group),
            identity: *identity,
            sizes: sizes.iter().map(size).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hello_is_read_as_it_was_written_and_no_prefix_of_it_is() {
        let hello = Announcement {
            group: 7,
            identity: *b"0123456789abcdef",
            sizes: vec![4096, 1 << 20],
        };
        let bytes = hello.to_bytes();
        assert_eq!(Announcement::from_bytes(&bytes).unwrap(), hello);
        for length in (0..bytes.len()).filter(|length| length % 8 != 0 || *length < 32) {
            assert!(Announcement::from_bytes(&bytes[..length]).is_err());
        }
        for byte in 0..12 {
            let mut bad = bytes.clone();
            bad[byte] ^= 1;
            assert!(Announcement::from_bytes(&bad).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Announcement::from_bytes(&bytes);
        }
    }
}
