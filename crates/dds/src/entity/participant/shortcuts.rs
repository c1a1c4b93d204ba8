//! A writer or a reader in one call: topic, publisher or subscriber, and endpoint.
use super::DomainParticipant;
use crate::entity::condition::WaitSet;
use crate::error::Result;
use crate::typed::reader::DataReader;
use crate::typed::topic::TopicData;
use crate::typed::writer::DataWriter;
use dunlin_qos::{DataReaderQos, DataWriterQos, Duration};
use dunlin_rtps::{SampleState, Select};

impl DomainParticipant {
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
    /// `Timeout` if none came.
    pub fn wait_for_data(&self, timeout: Duration) -> Result<()> {
        let mut wait_set = WaitSet::new();
        wait_set.attach(self.read_condition(Select {
            sample_states: SampleState::NotRead.mask(),
            ..Select::default()
        }));
        wait_set.wait(timeout)
    }
}
