//! A writer's samples, one in each datagram: what is the same in all is read once.
use super::payload_allocator::ReceivedPayloads;
use super::{Worker, tell};
use crate::receive::loaned::PendingLoan;
use crate::receive::participant::{Endpoints, ReceivingParticipant, ReceivingReader};
use bytes::Bytes;
use dunlin_rtps::Time;
use dunlin_wire::{EntityId, Guid, HeaderTemplate, Locator};
use std::sync::Arc;

/// Samples of one writer for one reader, each alone in its datagram.
pub(super) struct Stream<P: Endpoints> {
    opening: HeaderTemplate,
    from: Locator,
    writer: Guid,
    reader: Arc<P::Reader>,
}

#[cfg(test)]
impl<P: Endpoints> Stream<P> {
    /// Is this one of its samples?
    pub(super) fn reads(&self, message: &[u8], from: Locator) -> bool {
        self.from == from && self.opening.read(message).is_some()
    }
}

impl<P: ReceivingParticipant> Worker<P> {
    /// Takes in the sample if it is the next one of the stream, without reading again what is the
    /// same in all; false if it is not.
    #[inline]
    pub(super) fn sample_of_stream(
        &mut self,
        shared: &Arc<P>,
        now: Time,
        (datagram, whole): (&[u8], Option<&Bytes>),
        loan: &mut Option<PendingLoan>,
        from: Locator,
    ) -> bool {
        let Self {
            stream,
            kept,
            arrivals,
            ..
        } = self;
        let Some(stream) = stream.as_ref().filter(|stream| stream.from == from) else {
            return false;
        };
        let Some((timestamp, data)) = stream.opening.read(datagram) else {
            return false;
        };
        let answers = self.answers.get_or_insert_with(|| shared.datagrams());
        let core = &stream.reader;
        let mut allocator = ReceivedPayloads {
            pool: kept,
            whole,
            loan: loan.as_mut(),
            reader: &**core,
            last: true,
        };
        let (writer, timestamp) = (stream.writer, Some(timestamp));
        tell(core, arrivals, || {
            core.handle_sample(now, writer, timestamp, &data, &mut allocator, answers)
        });
        true
    }

    /// A datagram had one sample and nothing else, for this reader or all: if that was so before,
    /// it is a stream.
    #[inline(never)]
    pub(super) fn note_stream(
        &mut self,
        datagram: &[u8],
        from: Locator,
        writer: Guid,
        reader: EntityId,
    ) {
        // Who takes turns with others is not worth it.
        let is_second = self.recent.replace(writer) == Some(writer);
        if !is_second || self.routes.watches_life {
            return;
        }
        let mut readers = self.routes.readers_of(&writer, reader);
        if let (Some(reader), None) = (readers.next(), readers.next())
            && let Some(opening) = HeaderTemplate::of(datagram)
        {
            self.stream = Some(Stream {
                opening,
                from,
                writer,
                reader: Arc::clone(reader),
            });
        }
    }
}
