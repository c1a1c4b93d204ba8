//! Writers of a Rust type: they serialize, and call the untyped ones.
mod instances;

use crate::error::{Error, Result};
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus, MatchedStatus, StatusMask,
};
use crate::typed::handle::typed_handle;
use crate::typed::loan::Loan;
use crate::typed::topic::{Topic, TopicData};
use crate::untyped::publisher::Publisher;
use crate::untyped::{NewChange, UntypedWriter, UntypedWriterListener};
use bytes::BytesMut;
use dunlin_cdr::{
    Extent, KeyForm, LoanedPart, Plain, Xcdr, extent, key_hash, key_to_payload, key_to_payload_in,
    plain_to_payload, to_payload, to_payload_loaned,
};
use dunlin_qos::{DataRepresentation, DataWriterQos};
use dunlin_rtps::{ChangeKind, InstanceHandle};
use dunlin_wire::{SequenceNumber, Timestamp};
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Serialized keys are short; a longer one makes its buffer grow.
const KEY_ROOM: usize = 256;
/// What stands around the memory of a plain sample: headers and padding.
const PLAIN_ROOM: usize = 12;

impl Publisher {
    /// A writer without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's.
    pub fn create_datawriter<T: TopicData>(
        &self,
        topic: &Topic<T>,
        qos: DataWriterQos,
    ) -> Result<DataWriter<T>> {
        let writer = self.create_untyped_datawriter(topic, qos)?;
        Ok(DataWriter::new(writer))
    }

    /// A writer with a listener, which is called on Dunlin's threads for the statuses that
    /// [`DataWriterListener::statuses`] names.
    ///
    /// # Errors
    /// As [`create_datawriter`](Self::create_datawriter).
    pub fn create_datawriter_with_listener<T: TopicData>(
        &self,
        topic: &Topic<T>,
        qos: DataWriterQos,
        listener: impl DataWriterListener<T>,
    ) -> Result<DataWriter<T>> {
        let listener = Typed::new(listener);
        let writer = self.create_untyped_datawriter_with_listener(topic, qos, listener)?;
        Ok(DataWriter::new(writer))
    }
}

/// Writes samples of the type `T` (DDS 1.4 2.2.2.4.2). Clones are the same writer.
///
/// It is an [`UntypedWriter`] that serializes: the methods of that one are its methods too.
pub struct DataWriter<T> {
    untyped: UntypedWriter,
    marker: PhantomData<fn(T)>,
}

typed_handle!(DataWriter, UntypedWriter);

impl UntypedWriter {
    /// The same writer with its Rust type; `None` if `T` is another one.
    pub fn typed<T: TopicData>(&self) -> Option<DataWriter<T>> {
        let same = self.core().type_support.is::<T>();
        same.then(|| DataWriter::new(self.clone()))
    }
}

impl<T: TopicData> DataWriter<T> {
    /// Writes a sample, stamped with the time of day. Serializes and sends in the calling thread,
    /// which also calls the listeners of readers of this process: a lock that they take must not be
    /// held around this, unless
    /// [`ParticipantConfig::listener_thread`](crate::ParticipantConfig::listener_thread) leaves
    /// them to the threads that receive.
    ///
    /// # Errors
    /// `Timeout` if a reliable KEEP_ALL history had no room within `RELIABILITY.max_blocking_time`,
    /// `OutOfResources`, `Serialization`.
    pub fn write(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(ChangeKind::Alive, sample, None)
    }

    /// Writes a sample with a time stamp of the caller's.
    pub fn write_with_timestamp(&self, sample: &T, timestamp: Timestamp) -> Result<SequenceNumber> {
        self.change(ChangeKind::Alive, sample, Some(timestamp))
    }

    /// Says that the instance of `sample` does not exist any more.
    pub fn dispose(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(ChangeKind::Disposed, sample, None)
    }

    /// As `dispose` with a time stamp of the caller's.
    pub fn dispose_with_timestamp(
        &self,
        sample: &T,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change(ChangeKind::Disposed, sample, Some(timestamp))
    }

    /// As `unregister_instance` with a time stamp of the caller's.
    pub fn unregister_instance_with_timestamp(
        &self,
        sample: &T,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change(self.unregister_kind(), sample, Some(timestamp))
    }

    /// Says that this writer will not write the instance of `sample` any more; disposes it too if
    /// WRITER_DATA_LIFECYCLE says so.
    pub fn unregister_instance(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(self.unregister_kind(), sample, None)
    }

    /// From now on this one hears of the statuses in `mask`, nobody before it any more.
    pub fn set_listener(&self, listener: impl DataWriterListener<T>, mask: StatusMask) {
        self.untyped.set_listener(Typed::new(listener), mask);
    }

    fn instance(&self, sample: &T) -> Result<InstanceHandle> {
        if !T::HAS_KEY {
            return Ok(InstanceHandle::NIL);
        }
        key_hash(sample)
            .map(InstanceHandle)
            .map_err(|error| Error::serialization(self.untyped.describe(), sample, true, error))
    }

    pub(crate) fn change(
        &self,
        kind: ChangeKind,
        sample: &T,
        timestamp: Option<Timestamp>,
    ) -> Result<SequenceNumber> {
        let instance = self.instance(sample)?;
        let xcdr = xcdr(self.representation());
        let alive = kind == ChangeKind::Alive;
        let (size, loaned) = if alive {
            let Extent { size, longest } = extent(sample, xcdr);
            match self.untyped.may_gather(longest) {
                true => (size - longest, longest),
                false => (size, usize::MAX),
            }
        } else {
            (KEY_ROOM, usize::MAX)
        };
        let form = match alive {
            true => KeyForm::default(),
            false => self.untyped.key_form(),
        };
        let fill = &mut |out: &mut BytesMut| {
            if alive {
                self.serialize(sample, xcdr, loaned, out)
            } else {
                key_to_payload_in(sample, xcdr, form, out).map(|()| None)
            }
        };
        let key = || {
            let mut key = BytesMut::new();
            let serialized = key_to_payload(sample, Xcdr::V2, &mut key);
            serialized.is_ok().then(|| key.freeze())
        };
        let written = self.untyped.write_with(NewChange {
            kind,
            instance,
            timestamp,
            origin: None,
            size,
            key: &key,
            fill,
        });
        written.map_err(|error| error.of_sample(sample, !alive))
    }

    /// Serializes all but a member of `loaned` bytes, if that one is to be gathered.
    fn serialize(
        &self,
        sample: &T,
        xcdr: Xcdr,
        loaned: usize,
        out: &mut BytesMut,
    ) -> std::result::Result<Option<LoanedPart>, dunlin_cdr::Error> {
        let begin = out.len();
        match to_payload_loaned(sample, xcdr, loaned, out)? {
            Some(loaned) if !self.untyped.gathers(&loaned.bytes) => {
                out.truncate(begin);
                to_payload(sample, xcdr, out).map(|()| None)
            }
            loaned => Ok(loaned),
        }
    }
}

impl<T: TopicData + Plain> DataWriter<T> {
    /// A sample of zeros to be filled and written: readers of this host see it where it is, without
    /// any copy.
    ///
    /// # Errors
    /// `OutOfResources` if there is no memory.
    pub fn loan(&self) -> Result<Loan<T>> {
        Ok(self.loan_unset()?.cleared())
    }

    /// As [`loan`](Self::loan) in the same time for any size: the sample holds whatever was there
    /// before, such as an older one.
    ///
    /// # Errors
    /// As [`loan`](Self::loan).
    pub fn loan_unset(&self) -> Result<Loan<T>> {
        Loan::new(&self.untyped)
    }

    /// Writes a sample that was built in loaned memory, stamped with the time of day.
    ///
    /// # Errors
    /// As [`write`](Self::write); the sample is gone then.
    pub fn write_loan(&self, sample: Loan<T>) -> Result<SequenceNumber> {
        self.change_loan(sample, None)
    }

    /// Writes a sample that was built in loaned memory with a time stamp of the caller's.
    ///
    /// # Errors
    /// As [`write`](Self::write); the sample is gone then.
    pub fn write_loan_with_timestamp(
        &self,
        sample: Loan<T>,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change_loan(sample, Some(timestamp))
    }

    fn change_loan(&self, sample: Loan<T>, timestamp: Option<Timestamp>) -> Result<SequenceNumber> {
        let xcdr = xcdr(self.representation());
        if !sample.is_kept() || !T::PLAIN.is_some_and(|plain| plain.is_encoding(xcdr)) {
            return self.change(ChangeKind::Alive, &sample, timestamp);
        }
        let instance = self.instance(&sample)?;
        let memory = sample.freeze();
        let loaned = self.untyped.gathers(&memory);
        let size = if loaned { 0 } else { memory.len() } + PLAIN_ROOM;
        self.untyped.write_with(NewChange {
            kind: ChangeKind::Alive,
            instance,
            timestamp,
            origin: None,
            size,
            key: &|| {
                let mut key = BytesMut::new();
                let serialized = T::PLAIN?.key_to_payload(&memory, Xcdr::V2, &mut key);
                serialized.is_ok().then(|| key.freeze())
            },
            fill: &mut |out| plain_to_payload::<T>(&memory, xcdr, loaned, out),
        })
    }
}

/// Hears of a writer's statuses (DDS 1.4 2.2.2.4.4), on Dunlin's threads; each method does nothing
/// by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait DataWriterListener<T: TopicData>: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a writer at its creation; all of them,
    /// unless it says otherwise.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// A reader came or went.
    fn on_publication_matched(&self, writer: &DataWriter<T>, status: &MatchedStatus) {}
    /// A reader asks for more than this writer offers.
    fn on_offered_incompatible_qos(&self, writer: &DataWriter<T>, status: &IncompatibleQosStatus) {}
    /// An instance was not written within the writer's DEADLINE.
    fn on_offered_deadline_missed(&self, writer: &DataWriter<T>, status: &DeadlineMissedStatus) {}
    /// The writer was not asserted within its lease: to its readers it is not alive now.
    fn on_liveliness_lost(&self, writer: &DataWriter<T>, status: &LivelinessLostStatus) {}
}

impl<T: TopicData> DataWriterListener<T> for () {}

/// Tells a listener of typed writers what it hears of the untyped one.
pub(crate) struct Typed<T: TopicData, L> {
    writer: OnceLock<DataWriter<T>>,
    listener: L,
}

impl<T: TopicData, L> Typed<T, L> {
    pub(crate) fn new(listener: L) -> Self {
        Self {
            writer: OnceLock::new(),
            listener,
        }
    }

    fn writer(&self, untyped: &UntypedWriter) -> &DataWriter<T> {
        self.writer
            .get_or_init(|| DataWriter::new(untyped.unowned()))
    }
}

impl<T: TopicData, L: DataWriterListener<T>> UntypedWriterListener for Typed<T, L> {
    fn statuses(&self) -> StatusMask {
        self.listener.statuses()
    }

    fn on_publication_matched(&self, writer: &UntypedWriter, status: &MatchedStatus) {
        self.listener
            .on_publication_matched(self.writer(writer), status);
    }

    fn on_offered_incompatible_qos(&self, writer: &UntypedWriter, status: &IncompatibleQosStatus) {
        self.listener
            .on_offered_incompatible_qos(self.writer(writer), status);
    }

    fn on_offered_deadline_missed(&self, writer: &UntypedWriter, status: &DeadlineMissedStatus) {
        self.listener
            .on_offered_deadline_missed(self.writer(writer), status);
    }

    fn on_liveliness_lost(&self, writer: &UntypedWriter, status: &LivelinessLostStatus) {
        self.listener
            .on_liveliness_lost(self.writer(writer), status);
    }
}

fn xcdr(representation: DataRepresentation) -> Xcdr {
    match representation {
        DataRepresentation::Xcdr2 => Xcdr::V2,
        DataRepresentation::Xcdr1 | DataRepresentation::Xml => Xcdr::V1,
    }
}
