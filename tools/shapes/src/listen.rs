//! Prints what entities tell of themselves: one listener, the participant's, hears of all of them.
use crate::report;
use dunlin::{
    DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus, LivelinessChangedStatus,
    LivelinessLostStatus, MatchedStatus, PublisherListener, StatusKind, StatusMask,
    SubscriberListener, TopicListener, UntypedReader, UntypedTopic, UntypedWriter,
};

/// Listens to the whole participant.
pub(crate) struct Listener;

impl Listener {
    /// Data is looked for from time to time, not listened for.
    pub(crate) const STATUSES: StatusMask = StatusMask::ALL
        .without(StatusKind::DataAvailable)
        .without(StatusKind::DataOnReaders);
}

impl TopicListener for Listener {
    fn on_inconsistent_topic(&self, topic: &UntypedTopic, status: &InconsistentTopicStatus) {
        let (total, change) = (status.total_count, status.total_count_change);
        report::counted("on_inconsistent_topic", topic.name(), total, change);
    }
}

impl PublisherListener for Listener {
    fn on_publication_matched(&self, writer: &UntypedWriter, status: &MatchedStatus) {
        let topic = writer.topic_name();
        report::matched("on_publication_matched", "readers", topic, status);
    }

    fn on_offered_incompatible_qos(&self, writer: &UntypedWriter, status: &IncompatibleQosStatus) {
        let topic = writer.topic_name();
        report::incompatible("on_offered_incompatible_qos", topic, status);
    }

    fn on_offered_deadline_missed(&self, writer: &UntypedWriter, status: &DeadlineMissedStatus) {
        let topic = writer.topic_name();
        report::deadline_missed("on_offered_deadline_missed", topic, status);
    }

    fn on_liveliness_lost(&self, writer: &UntypedWriter, status: &LivelinessLostStatus) {
        let (total, change) = (status.total_count, status.total_count_change);
        report::counted("on_liveliness_lost", writer.topic_name(), total, change);
    }
}

impl SubscriberListener for Listener {
    fn on_subscription_matched(&self, reader: &UntypedReader, status: &MatchedStatus) {
        let topic = reader.topic_name();
        report::matched("on_subscription_matched", "writers", topic, status);
    }

    fn on_requested_incompatible_qos(
        &self,
        reader: &UntypedReader,
        status: &IncompatibleQosStatus,
    ) {
        let topic = reader.topic_name();
        report::incompatible("on_requested_incompatible_qos", topic, status);
    }

    fn on_requested_deadline_missed(&self, reader: &UntypedReader, status: &DeadlineMissedStatus) {
        let topic = reader.topic_name();
        report::deadline_missed("on_requested_deadline_missed", topic, status);
    }

    fn on_liveliness_changed(&self, reader: &UntypedReader, status: &LivelinessChangedStatus) {
        report::liveliness(
            reader.topic_name(),
            status.alive_count,
            status.not_alive_count,
        );
    }
}
