//! Large samples as they come: who forwards them says each fragment on before the rest is here.
//!
//! Only those bytes are handed out before which nothing is missing, and only of the sample whose
//! turn it is. So whoever takes them gets a writer's samples in their order, one at a time. The
//! whole sample is delivered as ever, and takes the place of what was handed out of it.
use super::partial::Partial;
use super::writer_proxy::WriterProxy;
use super::{Reader, ReaderConfig};
use crate::{
    ChangeKind, InstanceHandle, InstanceState, SampleInfo, SampleState, SetPlace, ViewState,
};
use bytes::{Bytes, BytesMut};
use dunlin_wire::{Guid, SequenceNumber, SetMembership};

/// A sample is handed out in at most so many parts, and one.
const PARTS: usize = 64;

/// News of a sample of which fragments are missing ([`Reader::take_arriving`]).
#[allow(
    clippy::large_enum_variant,
    reason = "a box for each sample would be an allocation for each"
)]
#[derive(Clone, Debug)]
pub enum Arriving {
    /// The first of it is here.
    Begins {
        /// What is known of it; nothing of it may ever be delivered.
        info: SampleInfo,
        /// Bytes of its payload, encapsulation header included.
        size: usize,
    },
    /// More of the sample that began last of this writer's.
    Grows {
        /// By whom it is.
        writer: Guid,
        /// Its number.
        sequence: SequenceNumber,
        /// What follows the bytes before.
        bytes: Bytes,
    },
    /// Nothing more comes in this way. Unless it was delivered, it will not be, or begins anew.
    Ends {
        /// By whom it is.
        writer: Guid,
        /// Its number.
        sequence: SequenceNumber,
    },
}

impl Reader {
    /// Hands out what has come of samples that are not whole, if `ReaderConfig::arriving` says so
    /// and nothing waits to be taken; look when `Delivery::arriving` says so, and after `take`. The
    /// bytes are copied into what `buffer` gives for so many.
    pub fn take_arriving(
        &mut self,
        mut buffer: impl FnMut(usize) -> BytesMut,
        mut sink: impl FnMut(Arriving),
    ) {
        if self.config.arriving.is_none() || !self.is_empty() {
            return;
        }
        for (writer, sequence) in self.left_off.drain(..) {
            sink(ends(writer, sequence));
        }
        if self.tidies.is_none() && !self.hands_out {
            return;
        }
        self.hands_out = false;
        for proxy in self.writers.iter_mut() {
            proxy.hand_out(&self.config, &mut buffer, &mut sink);
            self.hands_out |= proxy.handed_out.is_some();
        }
    }

    /// Is there something to hand out of a writer's sample with this number?
    pub(super) fn grows(&self, index: usize, sequence: i64) -> bool {
        let partial = self.writers.get(index).and_then(|proxy| {
            let partial = proxy.in_turn(&self.config)?;
            (partial.sequence == sequence).then_some(partial)
        });
        partial.is_some_and(|partial| !partial.to_hand_out().is_empty())
    }

    /// Has something to be told that will not come whole any more?
    pub(super) fn leaves_off(&self) -> bool {
        let ends = |proxy: &WriterProxy| {
            let begun = proxy.handed_out;
            begun.is_some_and(|sequence| !proxy.partials.contains(sequence))
        };
        !self.left_off.is_empty() || self.hands_out && self.writers.iter().any(ends)
    }

    /// A writer is forgotten: what it had begun ends.
    pub(super) fn leave_off(&mut self, proxy: &WriterProxy) {
        if let Some(sequence) = proxy.handed_out {
            self.left_off.push((proxy.author.guid, sequence));
        }
    }
}

impl WriterProxy {
    /// The incomplete sample whose turn it is, if it is one to hand out.
    fn in_turn(&self, config: &ReaderConfig) -> Option<&Partial> {
        let least = config.arriving.filter(|_| config.stream)?;
        let partial = match self.reliable {
            true if self.blocked || self.must_wait() => None,
            true => self.partials.get(self.next),
            false => self.partials.first(),
        }?;
        let is_sample = !partial.key
            && partial.inline.status_info.unwrap_or(0) == 0
            && partial.inline.set == SetMembership::NONE
            && self.sets.is_none();
        let is_new = partial.sequence >= self.had;
        (is_sample && is_new && partial.fragments() > least).then_some(partial)
    }

    fn hand_out(
        &mut self,
        config: &ReaderConfig,
        buffer: &mut impl FnMut(usize) -> BytesMut,
        sink: &mut impl FnMut(Arriving),
    ) {
        let writer = self.author.guid;
        let partial = self.in_turn(config);
        let goes_on = partial.filter(|p| p.handed_out > 0).map(|p| p.sequence);
        if let Some(sequence) = self.handed_out
            && goes_on != Some(sequence)
        {
            self.handed_out = None;
            sink(ends(writer, sequence));
        }
        let Some(partial) = self.in_turn(config) else {
            return;
        };
        let fresh = partial.to_hand_out();
        if fresh.is_empty() {
            return;
        }
        let mut bytes = buffer(fresh.len());
        dunlin_copy::append(&mut bytes, fresh);
        let (sequence, all) = (partial.sequence, partial.front().len());
        if self.handed_out.is_none() {
            let (info, size) = (self.info_of(partial), partial.size);
            sink(Arriving::Begins { info, size });
            self.handed_out = Some(sequence);
        }
        sink(Arriving::Grows {
            writer,
            sequence: SequenceNumber(sequence),
            bytes: bytes.freeze(),
        });
        if let Some(partial) = self.partials.get_mut(sequence) {
            partial.handed_out = all;
        }
    }

    /// As it is told in stream mode when it is whole.
    fn info_of(&self, partial: &Partial) -> SampleInfo {
        let hash = partial.inline.key_hash.map(InstanceHandle);
        let origin = partial.inline.origin;
        let is_foreign = origin.is_some_and(|origin| origin.foreign_key_hash) || !self.is_ours();
        SampleInfo {
            sample_state: SampleState::NotRead,
            view_state: ViewState::New,
            instance_state: InstanceState::Alive,
            disposed_generation_count: 0,
            no_writers_generation_count: 0,
            sample_rank: 0,
            generation_rank: 0,
            absolute_generation_rank: 0,
            source_timestamp: partial.timestamp,
            instance: hash.unwrap_or(InstanceHandle::NIL),
            publication: self.author.guid,
            sequence: SequenceNumber(partial.sequence),
            valid_data: true,
            change_kind: ChangeKind::Alive,
            has_key_hash: hash.is_some(),
            foreign_key_hash: hash.is_some() && is_foreign,
            // What is in one is not handed out before its set is whole.
            set: SetPlace::Outside,
            origin,
        }
    }
}

impl Partial {
    /// What has come in front and was not handed out, unless it is little of much.
    fn to_hand_out(&self) -> &[u8] {
        let fresh = self.front().get(self.handed_out..).unwrap_or_default();
        match fresh.len() >= self.size / PARTS {
            true => fresh,
            false => &[],
        }
    }
}

fn ends(writer: Guid, sequence: i64) -> Arriving {
    Arriving::Ends {
        writer,
        sequence: SequenceNumber(sequence),
    }
}
