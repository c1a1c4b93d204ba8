//! What is asked of a store, and what it answers. Both come from a network.
use super::attachment::take;
use bytes::{BufMut, Bytes, BytesMut};

/// Of a page.
pub(crate) const ITEMS: usize = 256;
/// A page with more is complete.
pub(crate) const BYTES: usize = 1 << 20;

/// What is asked of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The site that asks.
    pub(crate) asker: [u8; 12],
    /// The entity id of the writer.
    pub(crate) writer: [u8; 4],
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Only what HISTORY keeps for late joiners.
    pub(crate) history: bool,
}

impl Request {
    /// Only the number of the last change is of interest.
    pub(crate) fn joins(&self) -> bool {
        self.from == u64::MAX && !self.history
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.asker.to_vec();
        bytes.extend(self.writer);
        bytes.extend(self.from.to_le_bytes());
        bytes.extend(self.to.to_le_bytes());
        bytes.push(u8::from(self.history));
        bytes
    }

    pub(crate) fn parse(mut rest: &[u8]) -> Option<Self> {
        let request = Self {
            asker: take(&mut rest)?,
            writer: take(&mut rest)?,
            from: u64::from_le_bytes(take(&mut rest)?),
            to: u64::from_le_bytes(take(&mut rest)?),
            history: take(&mut rest)? == [1],
        };
        rest.is_empty().then_some(request)
    }
}

/// An answer: what there is, from `from` on, below `next`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) from: u64,
    pub(crate) next: u64,
    /// The number of the last change that was written.
    pub(crate) last: u64,
    /// Attachments and payloads, in the order of their numbers.
    pub(crate) items: Vec<(Bytes, Bytes)>,
}

impl Page {
    pub(crate) fn encode(&self) -> Bytes {
        let mut bytes = BytesMut::new();
        bytes.put_u64_le(self.from);
        bytes.put_u64_le(self.next);
        bytes.put_u64_le(self.last);
        for (attachment, payload) in &self.items {
            for part in [attachment, payload] {
                bytes.put_u32_le(part.len() as u32);
                bytes.put_slice(part);
            }
        }
        bytes.freeze()
    }

    /// Nothing is asked for but the number of the last change, which is this.
    pub(crate) fn joining(last: u64) -> Self {
        Self {
            from: u64::MAX,
            next: u64::MAX,
            last,
            items: Vec::new(),
        }
    }

    pub(crate) fn parse(bytes: &Bytes) -> Option<Self> {
        let mut rest = &bytes[..];
        let mut page = Self {
            from: u64::from_le_bytes(take(&mut rest)?),
            next: u64::from_le_bytes(take(&mut rest)?),
            last: u64::from_le_bytes(take(&mut rest)?),
            items: Vec::new(),
        };
        let part = |rest: &mut &[u8]| {
            let length = u32::from_le_bytes(take(rest)?) as usize;
            let (part, left) = rest.split_at_checked(length)?;
            *rest = left;
            Some(bytes.slice_ref(part))
        };
        while !rest.is_empty() && page.items.len() < ITEMS {
            page.items.push((part(&mut rest)?, part(&mut rest)?));
        }
        (rest.is_empty() && page.next >= page.from).then_some(page)
    }
}
