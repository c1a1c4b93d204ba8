//! Topics, writers and readers of Rust types in a participant, and shortcuts: topic, publisher or
//! subscriber, and endpoint in one call.
use crate::entity::participant::DomainParticipant;
use crate::error::{Error, Result};
use crate::typed::content_filter::ContentFilteredTopic;
use crate::typed::reader::DataReader;
use crate::typed::topic::{Topic, TopicData};
use crate::typed::writer::DataWriter;
use crate::untyped::TypeSupport;
use crate::untyped::wait_set::WaitSet;
use dunlin_qos::{DataReaderQos, DataWriterQos, Duration, TopicQos};
use dunlin_rtps::{SampleState, Select};

impl DomainParticipant {
    /// A topic of the type `T`.
    ///
    /// # Errors
    /// `PreconditionNotMet` if this participant has a topic of that name with another type or QoS;
    /// `BadParameter` for a name that is empty or longer than 255 bytes.
    pub fn create_topic<T: TopicData>(&self, name: &str, qos: TopicQos) -> Result<Topic<T>> {
        let topic = self.create_untyped_topic(name, &TypeSupport::of::<T>(), qos)?;
        Ok(Topic::new(topic))
    }

    /// Those samples of a topic that pass a filter, in the SQL of DDS 1.4 annex B:
    /// `color = 'RED' AND size <= %0`, where `%0` is the first of the parameters (DDS 1.4
    /// 2.2.2.2.1.7; `docs/content-filters.md`). Readers are made for it as for a topic.
    ///
    /// # Errors
    /// `BadParameter`, showing what is wrong with the expression, with its parameters or with the
    /// name, and where.
    pub fn create_contentfilteredtopic<T: TopicData>(
        &self,
        name: &str,
        related: &Topic<T>,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<ContentFilteredTopic<T>> {
        let part =
            self.create_untyped_contentfilteredtopic(name, related, expression, parameters)?;
        Ok(ContentFilteredTopic::new(part))
    }

    /// The topic of this name and type, made with the default QoS as soon as some participant has
    /// it (DDS 1.4 2.2.2.2.1.12).
    ///
    /// # Errors
    /// `Timeout` if nobody has it by then; `ParticipantFailed`; as
    /// [`create_topic`](Self::create_topic).
    pub fn find_topic<T: TopicData>(
        &self,
        name: &str,
        timeout: impl Into<Duration>,
    ) -> Result<Topic<T>> {
        let topic = self.find_untyped_topic(name, &TypeSupport::of::<T>(), timeout)?;
        Ok(Topic::new(topic))
    }

    /// A writer of the topic `topic` with the default QoS, in a publisher of its own. The topic is
    /// made, with the default QoS, if the participant does not have it.
    ///
    /// # Errors
    /// Those of [`create_topic`](Self::create_topic) and
    /// [`Publisher::create_datawriter`](crate::Publisher::create_datawriter).
    pub fn writer<T: TopicData>(&self, topic: &str) -> Result<DataWriter<T>> {
        let topic = self.create_topic::<T>(topic, self.default_topic_qos())?;
        let publisher = self.create_publisher(self.default_publisher_qos());
        publisher.create_datawriter(&topic, publisher.default_datawriter_qos())
    }

    /// As [`writer`](Self::writer), with a QoS.
    ///
    /// # Errors
    /// As there.
    pub fn writer_with<T: TopicData>(
        &self,
        topic: &str,
        qos: DataWriterQos,
    ) -> Result<DataWriter<T>> {
        let topic = self.create_topic::<T>(topic, self.default_topic_qos())?;
        let publisher = self.create_publisher(self.default_publisher_qos());
        publisher.create_datawriter(&topic, qos)
    }

    /// A reader of the topic `topic` with the default QoS, in a subscriber of its own. The topic is
    /// made, with the default QoS, if the participant does not have it. The standard's default for
    /// readers is best effort: [`reader_with`](Self::reader_with) takes
    /// [`Reliability::RELIABLE`](crate::Reliability::RELIABLE).
    ///
    /// # Errors
    /// Those of [`create_topic`](Self::create_topic) and
    /// [`Subscriber::create_datareader`](crate::Subscriber::create_datareader).
    pub fn reader<T: TopicData>(&self, topic: &str) -> Result<DataReader<T>> {
        let topic = self.create_topic::<T>(topic, self.default_topic_qos())?;
        let subscriber = self.create_subscriber(self.default_subscriber_qos());
        subscriber.create_datareader(&topic, subscriber.default_datareader_qos())
    }

    /// As [`reader`](Self::reader), with a QoS.
    ///
    /// # Errors
    /// As there.
    pub fn reader_with<T: TopicData>(
        &self,
        topic: &str,
        qos: DataReaderQos,
    ) -> Result<DataReader<T>> {
        let topic = self.create_topic::<T>(topic, self.default_topic_qos())?;
        let subscriber = self.create_subscriber(self.default_subscriber_qos());
        subscriber.create_datareader(&topic, qos)
    }
}

impl<T: TopicData> DataReader<T> {
    /// Waits until there is a sample that was not read yet; at most `timeout`. The calling thread
    /// receives by itself meanwhile, as in a [`WaitSet`]. Who waits often keeps a wait set instead.
    ///
    /// # Errors
    /// `Timeout` if none came, saying what was discovered.
    pub fn wait_for_data(&self, timeout: Duration) -> Result<()> {
        let wait_set = WaitSet::new();
        wait_set.attach(self.read_condition(Select {
            sample_states: SampleState::NotRead.mask(),
            ..Select::default()
        }));
        wait_set.wait(timeout).map_err(|error| match error {
            Error::Timeout { waited, .. } => self.nothing_came(waited),
            error => error,
        })
    }

    #[cold]
    fn nothing_came(&self, waited: Duration) -> Error {
        let why = match self.matched_count() {
            0 => self.explain_matching().join("; "),
            matched => format!("no sample came; writers that match: {matched}"),
        };
        Error::Timeout {
            entity: self.describe(),
            waited,
            why,
        }
    }
}
