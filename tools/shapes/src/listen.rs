//! Prints what entities tell of themselves.
use crate::report;
use crate::shape::ShapeType;
use dunlin::{
    DataReader, DataReaderListener, DataWriter, DataWriterListener, DeadlineMissedStatus,
    IncompatibleQosStatus, LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus,
};

/// Listens to writers and readers of one topic.
pub(crate) struct Listener(pub(crate) String);

impl DataWriterListener<ShapeType> for Listener {
    fn on_publication_matched(&self, _: &DataWriter<ShapeType>, status: &MatchedStatus) {
        report::matched("on_publication_matched", "readers", &self.0, status);
    }

    fn on_offered_incompatible_qos(
        &self,
        _: &DataWriter<ShapeType>,
        status: &IncompatibleQosStatus,
    ) {
        report::incompatible("on_offered_incompatible_qos", &self.0, status);
    }

    fn on_offered_deadline_missed(&self, _: &DataWriter<ShapeType>, status: &DeadlineMissedStatus) {
        report::deadline_missed("on_offered_deadline_missed", &self.0, status);
    }

    fn on_liveliness_lost(&self, _: &DataWriter<ShapeType>, status: &LivelinessLostStatus) {
        let (total, change) = (status.total_count, status.total_count_change);
        report::counted("on_liveliness_lost", &self.0, total, change);
    }
}

impl DataReaderListener<ShapeType> for Listener {
    fn on_subscription_matched(&self, _: &DataReader<ShapeType>, status: &MatchedStatus) {
        report::matched("on_subscription_matched", "writers", &self.0, status);
    }

    fn on_requested_incompatible_qos(
        &self,
        _: &DataReader<ShapeType>,
        status: &IncompatibleQosStatus,
    ) {
        report::incompatible("on_requested_incompatible_qos", &self.0, status);
    }

    fn on_requested_deadline_missed(
        &self,
        _: &DataReader<ShapeType>,
        status: &DeadlineMissedStatus,
    ) {
        report::deadline_missed("on_requested_deadline_missed", &self.0, status);
    }

    fn on_liveliness_changed(&self, _: &DataReader<ShapeType>, status: &LivelinessChangedStatus) {
        report::liveliness(&self.0, status.alive_count, status.not_alive_count);
    }
}
