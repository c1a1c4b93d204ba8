//! What the caller brings: where messages go, and where received bytes live.
use crate::{ContentFilter, InstanceHandle, Payload, Piece};
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_wire::{Data, DataFrag, Guid, Payload as SerializedPayload, Submessage, Timestamp};

/// Whom a submessage addresses; the caller knows the locators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Every reader matched with the writer that speaks.
    Matched,
    /// Those of them that have no content filter, or one that lets the change pass: a bit for each
    /// filter's place ([`ReaderFilter::bit`](crate::ReaderFilter::bit)). That others at the same
    /// locator get it too does no harm.
    Passing(u64),
    /// One remote endpoint.
    Endpoint(Guid),
    /// Where participants announce themselves (RTPS 2.5 8.5.3).
    Announce,
}

/// Takes what a state machine has to say, in order.
pub trait Outbox {
    /// `payload` owns the bytes that `message` borrows as its payload, so that they can be kept
    /// without a copy (`Bytes::slice_ref`); it is empty if there are none. Whatever else `message`
    /// borrows lives only for the call.
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes);

    /// INFO_TS and a DATA, as by two `push`.
    #[inline]
    fn push_sample(&mut self, to: To, timestamp: Timestamp, data: Data<'_>, payload: &Bytes) {
        self.push(
            to,
            Submessage::InfoTimestamp(Some(timestamp)),
            &Bytes::new(),
        );
        self.push(to, Submessage::Data(data), payload);
    }

    /// As `push` for a DATA or DATA_FRAG whose payload is `pieces`, one after the other; `message`
    /// carries none of it. An outbox that cannot gather them copies them together.
    fn push_pieces(&mut self, to: To, message: Submessage<'_>, pieces: &[Piece<'_>]) {
        let mut whole = BytesMut::new();
        pieces.iter().for_each(|p| whole.extend_from_slice(p.bytes));
        let whole = whole.freeze();
        let message = match message {
            Submessage::Data(data) => Submessage::Data(Data {
                payload: match data.payload {
                    SerializedPayload::Key(_) => SerializedPayload::Key(&whole),
                    _ => SerializedPayload::Data(&whole),
                },
                ..data
            }),
            Submessage::DataFrag(fragment) => Submessage::DataFrag(DataFrag {
                payload: &whole,
                ..fragment
            }),
            other => other,
        };
        self.push(to, message, &whole);
    }

    /// INFO_TS and a DATA, as by `push` and `push_pieces`.
    #[inline]
    fn push_sample_pieces(
        &mut self,
        to: To,
        timestamp: Timestamp,
        data: Data<'_>,
        pieces: &[Piece<'_>; 3],
    ) {
        self.push(
            to,
            Submessage::InfoTimestamp(Some(timestamp)),
            &Bytes::new(),
        );
        self.push_pieces(to, Submessage::Data(data), pieces);
    }

    /// Comes before a change is said in fragments, with the DATA that says all of it at once, as
    /// `push_pieces` would get it. Those who are in reach of the caller's hand take it; by default
    /// nobody is. Those who do are to get none of the fragments.
    fn push_whole(
        &mut self,
        to: To,
        timestamp: Timestamp,
        message: Submessage<'_>,
        pieces: &[Piece<'_>],
    ) {
        let _ = (to, timestamp, message, pieces);
    }
}

/// What a reader needs from its caller while data comes in.
pub trait PayloadAllocator {
    /// Makes a received payload outlive its datagram: by a copy into a pool, by a slice of the
    /// datagram, or with what its writer lends of it.
    fn keep(&mut self, bytes: &[u8]) -> Payload;

    /// Bytes of the payload that `keep` would make of these: more than they are if its writer
    /// lends a part of it.
    #[inline]
    fn length(&self, bytes: &[u8]) -> usize {
        bytes.len()
    }

    /// An empty buffer with room for `size` bytes, in which a fragmented sample is put together.
    fn assemble(&mut self, size: usize) -> BytesMut;

    /// Our hash of the key of a serialized sample or key that came without one, or with one of
    /// another vendor's; `None` if it cannot be decoded, and then the change goes by the hash that
    /// it has, or is dropped.
    fn instance(&mut self, payload: SerializedPayload<'_>) -> Option<InstanceHandle>;

    /// Does a sample pass a filter? Not the caller's business, unless the writer lends a part of
    /// the sample.
    fn passes(&mut self, filter: &ContentFilter, sample: &[u8]) -> bool {
        filter.passes(sample)
    }

    /// How long ago a sample with this source timestamp was written; `None` if the clocks of both
    /// sides cannot be compared. Asked only if the writer's samples do not live for ever.
    fn age(&mut self, _written: Timestamp) -> Option<Duration> {
        None
    }
}
