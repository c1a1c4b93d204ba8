//! How a change is said: as one DATA or as DATA_FRAGs (RTPS 2.5 8.4.14.1), with its timestamp
//! before it.
use super::WriterConfig;
use super::coherent_sets;
use super::fragments::FragmentSizes;
use super::open_change::OpenChange;
use crate::{Change, ChangeKind, InstanceHandle, Outbox, Piece, To};
use alloc::vec::Vec;
use bytes::Bytes;
use core::ops::Range;
use dunlin_wire::{
    Data, DataFrag, EntityId, FragmentNumber, Guid, InlineQos, Parameters, Payload, SampleOrigin,
    SequenceNumber, SetMembership, Submessage,
};

/// Bytes of a change that tell how long it is.
const LENGTH_ONLY: usize = 1024;

/// What a change says beside its payload about other changes.
#[derive(Clone, Copy)]
pub(super) struct Annotations<'a> {
    /// The sets that it belongs to or ends.
    pub(super) set: Option<&'a SetMembership>,
    /// Which samples it repeats or answers.
    pub(super) origin: Option<&'a SampleOrigin>,
}

impl Annotations<'_> {
    pub(super) const NONE: Self = Self {
        set: None,
        origin: None,
    };

    #[inline]
    fn is_none(self) -> bool {
        self.set.is_none() && self.origin.is_none()
    }
}

/// To whom a change is said.
#[derive(Clone, Copy)]
pub(super) struct Recipients {
    pub(super) to: To,
    pub(super) reader: EntityId,
    pub(super) expects_inline_qos: bool,
}

pub(super) struct DataOutput {
    writer: Guid,
    pub(super) fragments: FragmentSizes,
    send_key_hash: bool,
    keyed: bool,
    policies: Vec<u8>,
    inline: Vec<u8>,
}

impl DataOutput {
    pub(super) fn new(config: &WriterConfig) -> Self {
        Self {
            writer: config.guid,
            fragments: FragmentSizes::new(config.fragment_size),
            send_key_hash: config.send_key_hash,
            keyed: config.keyed,
            policies: config.inline_qos.clone(),
            inline: Vec::new(),
        }
    }

    /// Says the change, or the first fragments of it once these reach `budget` bytes; says how many
    /// bytes it took.
    #[inline]
    pub(super) fn say(
        &mut self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        notes: Annotations<'_>,
        budget: usize,
        out: &mut impl Outbox,
    ) -> usize {
        let size = change.payload.len();
        self.inline_qos(audience, change, notes);
        let sample = |bytes| self.data(audience, sequence, change, bytes);
        let data = |bytes| Submessage::Data(sample(bytes));
        if let Some(fragment_size) = self.splits(sequence, change) {
            let pieces = change.payload.pieces(0..size);
            out.push_whole(audience.to, change.timestamp, data(&[]), &pieces);
            let count = budget.div_ceil(fragment_size).max(1);
            let count = count.min(size.div_ceil(fragment_size));
            return self.say_fragments(audience, sequence, change, notes, 1..=count, out);
        }
        if let Some(bytes) = change.payload.whole() {
            out.push_sample(audience.to, change.timestamp, sample(bytes), bytes);
            return size;
        }
        let pieces = change.payload.pieces(0..size);
        out.push_sample_pieces(audience.to, change.timestamp, sample(&[]), &pieces);
        size
    }

    /// Says these fragments, from 1; numbers beyond the last are skipped.
    pub(super) fn say_fragments(
        &mut self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        notes: Annotations<'_>,
        numbers: impl Iterator<Item = usize>,
        out: &mut impl Outbox,
    ) -> usize {
        self.inline_qos(audience, change, notes);
        out.push(
            audience.to,
            Submessage::InfoTimestamp(Some(change.timestamp)),
            &Bytes::new(),
        );
        match self.fragments.of(sequence) {
            Some(size) => self.push_fragments(audience, sequence, change, size, numbers, out),
            None => 0,
        }
    }

    /// Says what is left of a change of which the first fragments were said while it was open.
    /// Those who get no fragments get it whole.
    pub(super) fn say_rest(
        &mut self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        notes: Annotations<'_>,
        said: usize,
        out: &mut impl Outbox,
    ) {
        let Some(fragment_size) = self.splits(sequence, change).filter(|_| said > 0) else {
            self.say(audience, sequence, change, notes, usize::MAX, out);
            return;
        };
        let size = change.payload.len();
        self.inline_qos(audience, change, notes);
        let whole = Submessage::Data(self.data(audience, sequence, change, &[]));
        let pieces = change.payload.pieces(0..size);
        out.push_whole(audience.to, change.timestamp, whole, &pieces);
        let rest = said + 1..=size.div_ceil(fragment_size);
        self.say_fragments(audience, sequence, change, notes, rest, out);
    }

    /// Says these fragments, from 1, of a change that is open; all of them are here. Says how many
    /// bytes it took.
    pub(super) fn say_open(
        &mut self,
        audience: Recipients,
        sequence: i64,
        open: &OpenChange,
        numbers: impl Iterator<Item = usize>,
        out: &mut impl Outbox,
    ) -> usize {
        let Some(size) = self.fragments.of(sequence) else {
            return 0;
        };
        let mut ranges = numbers
            .filter_map(|number| Some((number, fragment(open.size, number, size)?)))
            .peekable();
        if ranges.peek().is_none() {
            return 0;
        }
        self.inline_qos(audience, &open.change, open.notes());
        let timestamp = Submessage::InfoTimestamp(Some(open.change.timestamp));
        out.push(audience.to, timestamp, &Bytes::new());
        let mut said = 0;
        for (number, range) in ranges {
            said += range.len();
            let message = |bytes| {
                let frag = self.fragment(audience, sequence, (number, size), open.size, bytes);
                Submessage::DataFrag(DataFrag {
                    key: open.change.kind != ChangeKind::Alive,
                    ..frag
                })
            };
            open.with_pieces(&range, |pieces| push(audience.to, message, pieces, out));
        }
        said
    }

    /// Says the first bytes of a change, and so how long it is; says how many bytes it took.
    pub(super) fn say_length(
        &mut self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        notes: Annotations<'_>,
        out: &mut impl Outbox,
    ) -> usize {
        self.inline_qos(audience, change, notes);
        let pieces = change.payload.pieces(0..change.payload.len());
        let whole = Submessage::Data(self.data(audience, sequence, change, &[]));
        out.push_whole(audience.to, change.timestamp, whole, &pieces);
        self.push_fragments(audience, sequence, change, LENGTH_ONLY, 1..=1, out)
    }

    /// A change in one piece, its inline QoS being encoded already.
    #[inline]
    fn data<'a>(
        &'a self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        bytes: &'a [u8],
    ) -> Data<'a> {
        Data {
            reader: audience.reader,
            writer: self.writer.entity,
            sequence: SequenceNumber(sequence),
            inline_qos: Parameters::little_endian(&self.inline),
            payload: match change.kind {
                _ if change.payload.is_empty() => Payload::None,
                ChangeKind::Alive => Payload::Data(bytes),
                _ => Payload::Key(bytes),
            },
        }
    }

    fn push_fragments(
        &mut self,
        audience: Recipients,
        sequence: i64,
        change: &Change,
        size: usize,
        numbers: impl Iterator<Item = usize>,
        out: &mut impl Outbox,
    ) -> usize {
        let mut said = 0;
        for number in numbers {
            let Some(range) = fragment(change.payload.len(), number, size) else {
                continue;
            };
            said += range.len();
            let length = change.payload.len();
            let frag = |bytes| {
                Submessage::DataFrag(DataFrag {
                    key: change.kind != ChangeKind::Alive,
                    ..self.fragment(audience, sequence, (number, size), length, bytes)
                })
            };
            push(audience.to, frag, &change.payload.pieces(range), out);
        }
        said
    }

    /// One fragment of a sample of `length` bytes, its inline QoS being encoded already.
    #[inline]
    fn fragment<'a>(
        &'a self,
        audience: Recipients,
        sequence: i64,
        (number, size): (usize, usize),
        length: usize,
        bytes: &'a [u8],
    ) -> DataFrag<'a> {
        DataFrag {
            reader: audience.reader,
            writer: self.writer.entity,
            sequence: SequenceNumber(sequence),
            first: FragmentNumber(u32::try_from(number).unwrap_or(0)),
            count: 1,
            fragment_size: u16::try_from(size).unwrap_or(u16::MAX),
            sample_size: u32::try_from(length).unwrap_or(u32::MAX),
            inline_qos: Parameters::little_endian(&self.inline),
            key: false,
            payload: bytes,
        }
    }

    /// The size of the fragments that the change goes in, unless it goes whole.
    pub(super) fn splits(&self, sequence: i64, change: &Change) -> Option<usize> {
        let size = self.fragments.of(sequence);
        size.filter(|most| change.payload.len() > *most)
    }

    #[inline]
    fn inline_qos(&mut self, audience: Recipients, change: &Change, notes: Annotations<'_>) {
        self.inline.clear();
        let plain = change.kind == ChangeKind::Alive && !self.send_key_hash;
        if plain && notes.is_none() && !audience.expects_inline_qos {
            return;
        }
        self.special_qos(audience, change, notes);
    }

    #[inline(never)]
    fn special_qos(&mut self, audience: Recipients, change: &Change, notes: Annotations<'_>) {
        if audience.expects_inline_qos {
            self.inline.extend_from_slice(&self.policies);
        }
        let policies = self.inline.len();
        let is_mark = notes.set.is_some_and(coherent_sets::is_mark);
        let named = (self.keyed && !is_mark) || change.instance != InstanceHandle::NIL;
        // Who forwards a change of another vendor's product that came without a hash has none.
        // Zeros in its place would be believed by that vendor's readers; the key is in the payload.
        let is_foreign = notes.origin.is_some_and(|origin| origin.foreign_key_hash);
        let is_unknown = is_foreign && change.instance == InstanceHandle::NIL;
        let has_none = is_unknown && !change.payload.is_empty();
        let is_asked = self.send_key_hash || change.kind != ChangeKind::Alive;
        let wants_hash = is_asked && !has_none;
        InlineQos::encode_parts(
            (named && wants_hash).then_some(&change.instance.0),
            (change.kind != ChangeKind::Alive).then(|| change.kind.status()),
            notes.set.filter(|set| **set != SetMembership::NONE),
            notes.origin,
            &mut self.inline,
        );
        if policies > 0 && self.inline.len() == policies {
            self.inline.extend_from_slice(&[1, 0, 0, 0]);
        }
    }
}

/// Where the fragment with this number, from 1, lies in a payload of `length` bytes.
fn fragment(length: usize, number: usize, size: usize) -> Option<Range<usize>> {
    let start = number.checked_sub(1)?.checked_mul(size)?;
    let end = start.saturating_add(size).min(length);
    (start < end).then_some(start..end)
}

/// Says `message` with these pieces as its payload; usually it is only one.
fn push<'a>(
    to: To,
    message: impl FnOnce(&'a [u8]) -> Submessage<'a>,
    pieces: &[Piece<'a>],
    out: &mut impl Outbox,
) {
    let mut present = pieces.iter().filter(|piece| !piece.bytes.is_empty());
    match (present.next(), present.next()) {
        (Some(only), None) => out.push(to, message(only.bytes), only.owner),
        _ => out.push_pieces(to, message(&[]), pieces),
    }
}
