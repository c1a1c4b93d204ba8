//! What a site says again and again: that it is there, what it has, and which service carries.
use super::attachment::take;

const VERSION: u8 = 1;
/// Writers in a beat.
const MOST: usize = 4096;

/// The numbers of the last changes of writers, by their entity ids.
pub(crate) type Lasts = Vec<([u8; 4], u64)>;

/// A site is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beat {
    /// Of all its tokens.
    pub(crate) hash: u64,
    pub(crate) lasts: Lasts,
}

impl Beat {
    /// Writers beyond a bound are left out.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(self.hash.to_le_bytes());
        for (entity, last) in self.lasts.iter().take(MOST) {
            bytes.extend(entity);
            bytes.extend(last.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn parse(mut rest: &[u8]) -> Option<Self> {
        let [version] = take(&mut rest)?;
        let hash = u64::from_le_bytes(take(&mut rest)?);
        let mut lasts = Vec::new();
        while !rest.is_empty() && lasts.len() < MOST {
            lasts.push((take(&mut rest)?, u64::from_le_bytes(take(&mut rest)?)));
        }
        (version == VERSION && rest.is_empty()).then_some(Self { hash, lasts })
    }
}

/// What one of several services at a site says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It would carry if nobody else did.
    StandsBy,
    Carries,
    /// It is not there any more.
    Ends,
}

impl Claim {
    const ALL: [Self; 3] = [Self::StandsBy, Self::Carries, Self::Ends];

    pub(crate) fn encode(self) -> [u8; 2] {
        [VERSION, self as u8]
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let [VERSION, claim] = *bytes else {
            return None;
        };
        Self::ALL.get(usize::from(claim)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_and_claims_arrive_or_are_nothing() {
        let lasts = vec![([1, 2, 3, 4], 5), ([6, 7, 8, 9], u64::MAX)];
        let beat = Beat { hash: 7, lasts };
        let bytes = beat.encode();
        assert_eq!(Beat::parse(&bytes), Some(beat));
        for end in (0..bytes.len()).filter(|end| ![9, 21].contains(end)) {
            assert_eq!(Beat::parse(&bytes[..end]), None, "{end}");
        }
        let lasts = vec![([0; 4], 1); 2 * MOST];
        let parsed = Beat::parse(&Beat { hash: 0, lasts }.encode());
        assert_eq!(parsed.unwrap().lasts.len(), MOST);
        for claim in Claim::ALL {
            assert_eq!(Claim::parse(&claim.encode()), Some(claim));
        }
        for wrong in [&[][..], &[1], &[1, 3], &[2, 0], &[1, 0, 0]] {
            assert_eq!(Claim::parse(wrong), None, "{wrong:?}");
        }
    }
}
