//! Handles without a type: how a listener above writers, readers and topics is told whom a status
//! is about.
//!
//! Such a handle does not keep its entity alive.
use crate::entity::identity::same_entity;
use crate::entity::publisher::DataWriter;
use crate::entity::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus, LivelinessChangedStatus,
    LivelinessLostStatus, MatchedStatus, SampleCountStatus, SampleRejectedStatus, StatusMask,
};
use crate::entity::subscriber::DataReader;
use crate::typed::topic::{TopicCore, TopicData};
use crate::untyped::reader::ReaderCore;
use crate::untyped::writer::WriterCore;
use dunlin_qos::{DataReaderQos, DataWriterQos};
use dunlin_wire::Guid;
use std::sync::Arc;

/// A reader whose type is not known at compile time.
#[derive(Clone)]
pub struct AnyDataReader {
    pub(crate) core: Arc<ReaderCore>,
}

/// A writer whose type is not known at compile time.
#[derive(Clone)]
pub struct AnyDataWriter {
    pub(crate) core: Arc<WriterCore>,
}

/// A topic whose type is not known at compile time.
#[derive(Clone)]
pub struct AnyTopic {
    pub(crate) core: Arc<TopicCore>,
}

impl AnyDataReader {
    pub(crate) fn new(core: &Arc<ReaderCore>) -> Self {
        let core = Arc::clone(core);
        Self { core }
    }

    /// Which reader.
    pub fn guid(&self) -> Guid {
        self.core.guid
    }

    /// Name of its topic.
    pub fn topic_name(&self) -> &str {
        &self.core.topic
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.core.type_support.name()
    }

    /// Its QoS.
    pub fn qos(&self) -> DataReaderQos {
        self.core.qos()
    }

    /// The same reader with its type; `None` if `T` is another one.
    pub fn typed<T: TopicData>(&self) -> Option<DataReader<T>> {
        let same = self.core.type_support.is::<T>();
        same.then(|| DataReader::unguarded(Arc::clone(&self.core)))
    }

    /// SUBSCRIPTION_MATCHED; resets its changes.
    pub fn subscription_matched_status(&self) -> MatchedStatus {
        self.core.matched_status()
    }

    /// REQUESTED_INCOMPATIBLE_QOS; resets its change.
    pub fn requested_incompatible_qos_status(&self) -> IncompatibleQosStatus {
        self.core.incompatible_status()
    }

    /// LIVELINESS_CHANGED; resets its changes.
    pub fn liveliness_changed_status(&self) -> LivelinessChangedStatus {
        self.core.liveliness_status()
    }

    /// REQUESTED_DEADLINE_MISSED; resets its change.
    pub fn requested_deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.core.deadline_missed_status()
    }

    /// SAMPLE_LOST; resets its change.
    pub fn sample_lost_status(&self) -> SampleCountStatus {
        self.core.lost_status()
    }

    /// SAMPLE_REJECTED; resets its change.
    pub fn sample_rejected_status(&self) -> SampleRejectedStatus {
        self.core.rejected_status()
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
    }
}

impl AnyDataWriter {
    pub(crate) fn new(core: &Arc<WriterCore>) -> Self {
        let core = Arc::clone(core);
        Self { core }
    }

    /// Which writer.
    pub fn guid(&self) -> Guid {
        self.core.guid
    }

    /// Name of its topic.
    pub fn topic_name(&self) -> &str {
        &self.core.topic
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.core.type_support.name()
    }

    /// Its QoS.
    pub fn qos(&self) -> DataWriterQos {
        self.core.qos()
    }

    /// The same writer with its type; `None` if `T` is another one.
    pub fn typed<T: TopicData>(&self) -> Option<DataWriter<T>> {
        let same = self.core.type_support.is::<T>();
        same.then(|| DataWriter::unguarded(Arc::clone(&self.core)))
    }

    /// PUBLICATION_MATCHED; resets its changes.
    pub fn publication_matched_status(&self) -> MatchedStatus {
        self.core.matched_status()
    }

    /// OFFERED_INCOMPATIBLE_QOS; resets its change.
    pub fn offered_incompatible_qos_status(&self) -> IncompatibleQosStatus {
        self.core.incompatible_status()
    }

    /// OFFERED_DEADLINE_MISSED; resets its change.
    pub fn offered_deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.core.deadline_missed_status()
    }

    /// LIVELINESS_LOST; resets its change.
    pub fn liveliness_lost_status(&self) -> LivelinessLostStatus {
        self.core.liveliness_lost_status()
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
    }
}

impl AnyTopic {
    pub(crate) fn new(core: &Arc<TopicCore>) -> Self {
        let core = Arc::clone(core);
        Self { core }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.core.type_support.name()
    }

    /// INCONSISTENT_TOPIC; resets its change.
    pub fn inconsistent_topic_status(&self) -> InconsistentTopicStatus {
        self.core.inconsistent_status()
    }
}

same_entity!(AnyDataReader, core, |reader| reader.core.describe());
same_entity!(AnyDataWriter, core, |writer| writer.core.describe());
same_entity!(AnyTopic, core, |topic| topic.core.describe());
