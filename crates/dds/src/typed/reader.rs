//! Readers of a Rust type: they deserialize, and call the untyped ones.
mod instances;
mod taking;

use crate::error::Result;
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusKind, StatusMask,
};
use crate::typed::content_filter::TopicDescription;
use crate::typed::handle::typed_handle;
use crate::typed::topic::TopicData;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::{UntypedReader, UntypedReaderListener};
use dunlin_qos::DataReaderQos;
use dunlin_rtps::{InstanceHandle, SampleInfo};
use std::marker::PhantomData;
use std::sync::OnceLock;

impl Subscriber {
    /// A reader of a topic, or of the part of it that passes a content filter, without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's, `Io` if a multicast group cannot be joined.
    pub fn create_datareader<T: TopicData>(
        &self,
        topic: &impl TopicDescription<T>,
        qos: DataReaderQos,
    ) -> Result<DataReader<T>> {
        let reader = self.create_untyped_datareader(topic.untyped(), qos)?;
        Ok(DataReader::new(reader))
    }

    /// A reader with a listener for the statuses that [`DataReaderListener::statuses`] names. It is
    /// called on the thread that received, which may be one of the application's that waits in a
    /// wait set; calls for one reader do not overlap. A closure listens for data.
    ///
    /// # Errors
    /// As [`create_datareader`](Self::create_datareader).
    pub fn create_datareader_with_listener<T: TopicData>(
        &self,
        topic: &impl TopicDescription<T>,
        qos: DataReaderQos,
        listener: impl DataReaderListener<T>,
    ) -> Result<DataReader<T>> {
        let (topic, listener) = (topic.untyped(), Typed::new(listener));
        let reader = self.create_untyped_datareader_with_listener(topic, qos, listener)?;
        Ok(DataReader::new(reader))
    }
}

/// A sample as the application gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<T> {
    /// States, time and origin (DDS 1.4 2.2.2.5.5).
    pub info: SampleInfo,
    value: Option<T>,
}

impl<T> Sample<T> {
    pub(crate) fn new(info: SampleInfo, value: Option<T>) -> Self {
        Self { info, value }
    }

    /// The data; `None` if the sample only tells of a change of its instance's state.
    pub fn data(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.info.valid_data)
    }

    /// The data by value.
    pub fn into_data(self) -> Option<T> {
        self.value.filter(|_| self.info.valid_data)
    }

    /// The data, or else a value of which only the key members are set: those that the reader has
    /// seen with an earlier sample of the instance, or that the writer sent along. `None` for an
    /// instance of which neither is known.
    pub fn key(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

/// Reads samples of the type `T` (DDS 1.4 2.2.2.5.3). Clones are the same reader.
///
/// It is an [`UntypedReader`] that deserializes: the methods of that one are its methods too.
pub struct DataReader<T> {
    untyped: UntypedReader,
    marker: PhantomData<fn() -> T>,
}

typed_handle!(DataReader, UntypedReader);

impl UntypedReader {
    /// The same reader with its Rust type; `None` if `T` is another one.
    pub fn typed<T: TopicData>(&self) -> Option<DataReader<T>> {
        let same = self.core().type_support.is::<T>();
        same.then(|| DataReader::new(self.clone()))
    }
}

impl<T: TopicData> DataReader<T> {
    /// The handle of the instance that has the key of `sample`, if this reader knows it (DDS 1.4
    /// 2.2.2.5.3.28).
    pub fn lookup_instance(&self, sample: &T) -> Option<InstanceHandle> {
        let instance = match T::HAS_KEY {
            true => InstanceHandle(dunlin_cdr::key_hash(sample).ok()?),
            false => InstanceHandle::NIL,
        };
        self.untyped.knows(instance).then_some(instance)
    }

    /// A value of which the key members are those of the instance (DDS 1.4 2.2.2.5.3.27); `None` if
    /// this reader does not know it.
    pub fn key_value(&self, instance: InstanceHandle) -> Option<T> {
        let key = self.untyped.key_value(instance)?;
        dunlin_cdr::key_from_payload(&key).ok()
    }

    /// From now on this one hears of the statuses in `mask`, nobody before it any more.
    pub fn set_listener(&self, listener: impl DataReaderListener<T>, mask: StatusMask) {
        self.untyped.set_listener(Typed::new(listener), mask);
    }
}

/// Hears of a reader's data and statuses (DDS 1.4 2.2.2.5.7); each method does nothing by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait DataReaderListener<T: TopicData>: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a reader at its creation; all of them,
    /// unless it says otherwise. What it leaves out is told to the subscriber's listener, or the
    /// participant's.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// There is data to take.
    fn on_data_available(&self, reader: &DataReader<T>) {}
    /// A writer came or went.
    fn on_subscription_matched(&self, reader: &DataReader<T>, status: &MatchedStatus) {}
    /// A writer offers less than this reader asks for.
    fn on_requested_incompatible_qos(
        &self,
        reader: &DataReader<T>,
        status: &IncompatibleQosStatus,
    ) {
    }
    /// A matched writer became alive or not alive.
    fn on_liveliness_changed(&self, reader: &DataReader<T>, status: &LivelinessChangedStatus) {}
    /// No sample of an instance came within the reader's DEADLINE.
    fn on_requested_deadline_missed(&self, reader: &DataReader<T>, status: &DeadlineMissedStatus) {}
    /// Samples were lost.
    fn on_sample_lost(&self, reader: &DataReader<T>, status: &SampleCountStatus) {}
    /// A sample was refused for a resource limit.
    fn on_sample_rejected(&self, reader: &DataReader<T>, status: &SampleRejectedStatus) {}
}

impl<T: TopicData, F: Fn(&DataReader<T>) + Send + Sync + 'static> DataReaderListener<T> for F {
    fn statuses(&self) -> StatusMask {
        StatusKind::DataAvailable.into()
    }

    fn on_data_available(&self, reader: &DataReader<T>) {
        self(reader);
    }
}

impl<T: TopicData> DataReaderListener<T> for () {}

/// Tells a listener of typed readers what it hears of the untyped one.
struct Typed<T: TopicData, L> {
    reader: OnceLock<DataReader<T>>,
    listener: L,
}

impl<T: TopicData, L> Typed<T, L> {
    fn new(listener: L) -> Self {
        Self {
            reader: OnceLock::new(),
            listener,
        }
    }

    #[inline]
    fn reader(&self, untyped: &UntypedReader) -> &DataReader<T> {
        self.reader
            .get_or_init(|| DataReader::new(untyped.unowned()))
    }
}

impl<T: TopicData, L: DataReaderListener<T>> UntypedReaderListener for Typed<T, L> {
    fn statuses(&self) -> StatusMask {
        self.listener.statuses()
    }

    fn on_data_available(&self, reader: &UntypedReader) {
        self.listener.on_data_available(self.reader(reader));
    }

    fn on_subscription_matched(&self, reader: &UntypedReader, status: &MatchedStatus) {
        self.listener
            .on_subscription_matched(self.reader(reader), status);
    }

    fn on_requested_incompatible_qos(
        &self,
        reader: &UntypedReader,
        status: &IncompatibleQosStatus,
    ) {
        self.listener
            .on_requested_incompatible_qos(self.reader(reader), status);
    }

    fn on_liveliness_changed(&self, reader: &UntypedReader, status: &LivelinessChangedStatus) {
        self.listener
            .on_liveliness_changed(self.reader(reader), status);
    }

    fn on_requested_deadline_missed(&self, reader: &UntypedReader, status: &DeadlineMissedStatus) {
        self.listener
            .on_requested_deadline_missed(self.reader(reader), status);
    }

    fn on_sample_lost(&self, reader: &UntypedReader, status: &SampleCountStatus) {
        self.listener.on_sample_lost(self.reader(reader), status);
    }

    fn on_sample_rejected(&self, reader: &UntypedReader, status: &SampleRejectedStatus) {
        self.listener
            .on_sample_rejected(self.reader(reader), status);
    }
}
