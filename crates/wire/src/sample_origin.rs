//! What a sample says about other samples: which one it repeats, which one it answers (RTPS 2.5
//! 9.6.4, DDS-RPC 1.0 7.8.2).
use crate::cursor::Cursor;
use crate::{EntityId, Error, Guid, GuidPrefix, ParameterId, SequenceNumber};
use bytes::BufMut;

/// One sample of one writer (DDS-RPC 1.0 7.8.2 `SampleIdentity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleIdentity {
    /// Who wrote it.
    pub writer: Guid,
    /// Its number among the changes of that writer. Fast DDS puts `SequenceNumber::UNKNOWN` beside
    /// a request, which stands for the number of the request itself.
    pub sequence: SequenceNumber,
}

impl SampleIdentity {
    /// Bytes of one on the wire: a GUID and a sequence number.
    const SIZE: u16 = 24;

    fn parse(mut value: Cursor<'_>) -> Option<Self> {
        let prefix = GuidPrefix(value.array().ok()?);
        let entity = EntityId(value.array().ok()?);
        let sequence = value.sequence().ok()?;
        let possible = sequence.0 > 0 || sequence == SequenceNumber::UNKNOWN;
        possible.then_some(Self {
            writer: Guid::new(prefix, entity),
            sequence,
        })
    }

    fn encode(&self, id: ParameterId, out: &mut impl BufMut) {
        let [i0, i1] = id.0.to_le_bytes();
        let [l0, l1] = Self::SIZE.to_le_bytes();
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.writer.prefix.0;
        let words = [
            [i0, i1, l0, l1],
            [a, b, c, d],
            [e, f, g, h],
            [i, j, k, l],
            self.writer.entity.0,
            ((self.sequence.0 >> 32) as u32).to_le_bytes(),
            (self.sequence.0 as u32).to_le_bytes(),
        ];
        out.put_slice(words.as_flattened());
    }
}

/// The routers that a sample came through, in order: ids that they give themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Hops {
    ids: [u32; Self::MOST],
    count: u8,
}

impl Hops {
    /// No sample goes through more routers than this.
    pub const MOST: usize = 8;

    /// The ids, the last router's at the end.
    pub fn ids(&self) -> &[u32] {
        self.ids.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// Adds a router at the end; false, and nothing happens, if there are [`Hops::MOST`] already.
    #[must_use]
    pub fn push(&mut self, id: u32) -> bool {
        match self.ids.get_mut(usize::from(self.count)) {
            None => false,
            Some(place) => {
                *place = id;
                self.count = self.count.saturating_add(1);
                true
            }
        }
    }
}

/// What a sample says about other samples, and about its way, if it says anything of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SampleOrigin {
    /// The sample that this one repeats, if its writer forwards what others wrote (RTPS 2.5 9.6.4
    /// ORIGINAL_WRITER_INFO).
    pub original_writer: Option<SampleIdentity>,
    /// The sample that this one answers (DDS-RPC 1.0 7.8.2 RELATED_SAMPLE_IDENTITY).
    pub related: Option<SampleIdentity>,
    /// The key hash beside the sample was computed by another vendor's product. A parameter of
    /// Dunlin's own says so, for samples whose writer is Dunlin's and forwards them.
    pub foreign_key_hash: bool,
    /// The routers that it came through; a parameter of Dunlin's own, as the flag.
    pub hops: Hops,
}

impl SampleOrigin {
    /// The most bytes that they take.
    pub(crate) const MAX_SIZE: usize = 3 * 28 + 8 + 4 * Hops::MOST;
    /// A flag of FORWARDED.
    const FOREIGN_KEY_HASH: u8 = 1;

    /// True if nothing is said.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let names_none = self.original_writer.is_none() && self.related.is_none();
        names_none && !self.foreign_key_hash && self.hops.count == 0
    }

    /// Takes in what a parameter says; nothing if it says what cannot be. None of it is needed to
    /// understand the sample.
    pub(crate) fn read(&mut self, id: ParameterId, value: Cursor<'_>) {
        match id {
            ParameterId::ORIGINAL_WRITER_INFO => {
                self.original_writer = SampleIdentity::parse(value);
            }
            ParameterId::RELATED_SAMPLE_IDENTITY => {
                self.related = SampleIdentity::parse(value).or(self.related);
            }
            // Fast DDS says the same twice, and said it only so before DDS-RPC had a number for it.
            ParameterId::FAST_DDS_RELATED_SAMPLE_IDENTITY => {
                self.related = self.related.or(SampleIdentity::parse(value));
            }
            _ => {
                let _ = self.read_forwarded(value);
            }
        }
    }

    fn read_forwarded(&mut self, mut value: Cursor<'_>) -> Result<(), Error> {
        let [flags, count, ..] = value.array::<4>()?;
        let mut hops = Hops::default();
        for _ in 0..usize::from(count).min(Hops::MOST) {
            let _ = hops.push(u32::from_le_bytes(value.array()?));
        }
        self.foreign_key_hash = flags & Self::FOREIGN_KEY_HASH != 0;
        self.hops = hops;
        Ok(())
    }

    pub(crate) fn encode(&self, out: &mut impl BufMut) {
        if let Some(original) = &self.original_writer {
            original.encode(ParameterId::ORIGINAL_WRITER_INFO, out);
        }
        if let Some(related) = &self.related {
            related.encode(ParameterId::RELATED_SAMPLE_IDENTITY, out);
            related.encode(ParameterId::FAST_DDS_RELATED_SAMPLE_IDENTITY, out);
        }
        let ids = self.hops.ids();
        if self.foreign_key_hash || !ids.is_empty() {
            out.put_u16_le(ParameterId::FORWARDED.0);
            let words = u16::from(self.hops.count).saturating_add(1);
            out.put_u16_le(words.saturating_mul(4));
            out.put_slice(&[u8::from(self.foreign_key_hash), self.hops.count, 0, 0]);
            ids.iter().for_each(|id| out.put_u32_le(*id));
        }
    }
}

impl ParameterId {
    /// Does [`SampleOrigin`] have it?
    pub(crate) fn is_origin(self) -> bool {
        matches!(
            self,
            Self::ORIGINAL_WRITER_INFO
                | Self::RELATED_SAMPLE_IDENTITY
                | Self::FAST_DDS_RELATED_SAMPLE_IDENTITY
                | Self::FORWARDED
        )
    }
}
