//! A sample that is written while its bytes still come.
use super::write::{TryWriteError, WriteOptions};
use super::{Publish, UntypedWriter, WriterCore};
use crate::error::{Error, Result};
use crate::receive::deferred;
use bytes::Bytes;
use dunlin_rtps::{Body, Change, ChangeKind, InstanceHandle, WriteError};
use dunlin_wire::SequenceNumber;
use std::fmt;
use std::sync::Arc;

/// A sample of which the first bytes are sent before the last are there, by
/// [`UntypedWriter::open`]. If it is dropped before it is complete, no reader is shown anything of
/// it.
pub struct OpenSample {
    /// `None` once it is complete.
    core: Option<Arc<WriterCore>>,
    options: WriteOptions,
}

impl UntypedWriter {
    /// Begins a sample of `size` octets, its encapsulation header included. What
    /// [`OpenSample::extend`] adds is sent in fragments (RTPS 2.5 8.4.14.1) as soon as it fills
    /// some: who forwards large samples need not wait for all of one. Readers in this process and
    /// those that are sent no fragments get it when it is complete.
    ///
    /// Other writes wait meanwhile as if the history was full. The options count as for `write`; of
    /// a type with a key they have to name the instance, which is compared with the payload when
    /// that is complete.
    ///
    /// `None` if it has to be written whole: it fits into one fragment, no reader is sent
    /// fragments, readers filter by content or do not take so large a sample, the publisher's QoS
    /// has coherent or ordered access in a group, there is no room in the history, or another
    /// sample is open.
    ///
    /// # Errors
    /// `NotEnabled`, `AlreadyDeleted`.
    pub fn open(&self, size: usize, options: &WriteOptions) -> Result<Option<OpenSample>> {
        let opened = self.core.open(size, options)?;
        Ok(opened.then(|| OpenSample {
            core: Some(Arc::clone(&self.core)),
            options: *options,
        }))
    }
}

impl OpenSample {
    /// The next octets; complete fragments are sent at once, in the calling thread. They are kept
    /// by reference until the sample is complete.
    pub fn extend(&self, bytes: Bytes) {
        if let Some(core) = &self.core {
            core.extend(bytes);
        }
    }

    /// All of the sample, from its encapsulation header on: what was not sent is sent, and the
    /// sample is one like any other.
    ///
    /// # Errors
    /// As of [`UntypedWriter::try_write`]; no reader is shown anything of the sample then, and it
    /// may be written whole instead.
    pub fn complete(
        mut self,
        payload: Bytes,
    ) -> std::result::Result<SequenceNumber, TryWriteError> {
        match self.core.take() {
            Some(core) => core.complete(payload, &self.options),
            None => Err(TryWriteError::Full),
        }
    }
}

impl Drop for OpenSample {
    fn drop(&mut self) {
        if let Some(core) = self.core.take() {
            core.abandon();
        }
    }
}

impl fmt::Debug for OpenSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenSample").finish_non_exhaustive()
    }
}

impl WriterCore {
    fn open(self: &Arc<Self>, size: usize, options: &WriteOptions) -> Result<bool> {
        self.check_enabled()?;
        let instance = match (self.type_support.is_keyed(), options.instance) {
            (false, _) => InstanceHandle::NIL,
            (true, Some(instance)) => instance,
            (true, None) => return Ok(false),
        };
        let stamp = || self.shared.clock.wall();
        let change = Change {
            kind: ChangeKind::Alive,
            instance,
            timestamp: options.timestamp.unwrap_or_else(stamp),
            payload: Body::default(),
        };
        let turn = self.publish.lock();
        let mut state = self.state.lock();
        let now = self.shared.clock.now();
        // The timer has nothing to do before the first fragment was said, and to wake its thread
        // first would make that one late.
        let opened = state.open(now, &change, size, options.origin.as_ref());
        drop(state);
        drop(turn);
        Ok(opened.is_some())
    }

    fn extend(self: &Arc<Self>, bytes: Bytes) {
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        self.prepare_to_say(&mut turn);
        let mut state = self.state.lock();
        state.extend(bytes, &mut turn.datagrams);
        let next = state.next_timeout();
        drop(state);
        self.flush_turn(&mut turn);
        self.note_waiting(&turn);
        drop(turn);
        self.schedule(next);
    }

    fn complete(
        self: &Arc<Self>,
        payload: Bytes,
        options: &WriteOptions,
    ) -> std::result::Result<SequenceNumber, TryWriteError> {
        let checked = self.check_enabled().and_then(|()| {
            let kind = ChangeKind::Alive;
            self.check_payload(kind, &payload, options)
        });
        let instance = match checked {
            Ok(instance) => instance,
            Err(error) => {
                self.abandon();
                return Err(error.into());
            }
        };
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        self.prepare_to_say(&mut turn);
        let mut state = self.state.lock();
        turn.spares.take_from(state.spares());
        // Shared with the caller, whose code the end of it may run.
        let body = Body::around_in(&mut turn.spares, Bytes::new(), 0, payload.clone());
        let now = self.shared.clock.now();
        let written = state.complete(now, body, &mut turn.datagrams);
        let next = state.next_timeout();
        drop(state);
        self.flush_turn(&mut turn);
        self.note_waiting(&turn);
        drop(turn);
        self.closed_open(next);
        match written {
            Ok(sequence) => {
                let pieces = [super::Piece::Shared(payload)];
                let key = || self.key_in(ChangeKind::Alive, &pieces);
                self.note_instance(ChangeKind::Alive, instance, &key);
                if let Some(sign) = self.sign.get() {
                    self.show_life(sign);
                }
                Ok(sequence)
            }
            Err(WriteError::OutOfResources(limit)) => Err(self.exhausted(limit).into()),
            Err(WriteError::NotOpen) => Err(Error::BadParameter(format!(
                "{}: the payload has another length than was said when the sample was begun",
                self.describe()
            ))
            .into()),
            Err(WriteError::Full | WriteError::TooLarge { .. }) => Err(TryWriteError::Full),
        }
    }

    fn abandon(self: &Arc<Self>) {
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        self.prepare_to_say(&mut turn);
        let mut state = self.state.lock();
        let now = self.shared.clock.now();
        state.abandon(now, &mut turn.datagrams);
        let next = state.next_timeout();
        drop(state);
        self.flush_turn(&mut turn);
        self.note_waiting(&turn);
        drop(turn);
        self.closed_open(next);
    }

    /// Whoever found no room because a sample was open looks again.
    fn closed_open(self: &Arc<Self>, next: Option<dunlin_rtps::Time>) {
        self.release_retired();
        self.schedule(next);
        self.announce_room();
    }

    fn prepare_to_say(&self, turn: &mut Publish) {
        let limit = self.datagram_limit.load(super::SeqCst);
        turn.datagrams.set_limit(limit);
        self.refresh(turn);
        self.want_ways(turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::untyped::TypeSupport;
    use crate::{
        DataReaderQos, DataWriterQos, DomainParticipant, History, ParticipantConfig, PublisherQos,
        Reliability, Topic, TopicQos, Transports,
    };
    use dunlin_transport::{Faults, MemoryNetwork};
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Duration;

    #[derive(Topic)]
    #[topic(crate = "dunlin_cdr")]
    struct Large {
        _data: bytes::Bytes,
    }

    fn participant(network: &MemoryNetwork) -> DomainParticipant {
        let config = ParticipantConfig {
            transport: Some(Arc::new(network.host())),
            transports: Transports::UDP,
            ..ParticipantConfig::default()
        };
        DomainParticipant::with_config(0, config).unwrap()
    }

    #[test]
    fn the_first_fragment_is_sent_before_the_timer_is_told() {
        let network = MemoryNetwork::new(1, Faults::default());
        let (a, b) = (participant(&network), participant(&network));
        let reading = DataReaderQos {
            reliability: Reliability::RELIABLE,
            ..DataReaderQos::default()
        };
        let reader = b.reader_with::<Large>("T", reading).unwrap();
        let writing = DataWriterQos {
            history: History::KeepAll,
            ..DataWriterQos::default()
        };
        let ty = TypeSupport::of::<Large>();
        let topic = a.create_untyped_topic("T", &ty, TopicQos::default());
        let publisher = a.create_publisher(PublisherQos::default());
        let writer = publisher.create_untyped_datawriter(&topic.unwrap(), writing);
        let writer = writer.unwrap();
        writer.wait_for_matched(1, Duration::from_secs(60)).unwrap();
        let scheduled = || writer.core.scheduled.load(SeqCst);
        // What matching has to do is done.
        let limit = std::time::Instant::now() + Duration::from_secs(60);
        while scheduled() != i64::MAX {
            assert!(std::time::Instant::now() < limit);
            std::thread::sleep(Duration::from_millis(1));
        }
        let size = 1_000_000;
        let open = writer.open(size, &WriteOptions::default()).unwrap();
        let open = open.unwrap();
        assert_eq!(scheduled(), i64::MAX);
        open.extend(Bytes::from(vec![0; size / 2]));
        assert_ne!(scheduled(), i64::MAX);
        drop((open, reader));
    }
}
