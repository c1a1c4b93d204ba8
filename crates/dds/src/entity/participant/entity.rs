//! The participant as an entity and as a factory: QoS that changes, enabling, looking things up
//! (DDS 1.4 2.2.2.1.1, 2.2.2.2.1).
use super::{DomainParticipant, ParticipantGuard};
use crate::entity::member::MemberTopic;
use crate::entity::shared::Shared;
use crate::error::{Error, Result, consistent};
use crate::send::local_queue::{LocalReaderEndpoint, LocalWriterEndpoint};
use dunlin_qos::{DomainParticipantQos, PublisherQos, SubscriberQos, TopicQos};
use dunlin_rtps::InstanceHandle;
use dunlin_transport::Watcher;
use dunlin_wire::Guid;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};

/// What the application wants if it says nothing else.
#[derive(Default)]
pub(crate) struct Defaults {
    topic: TopicQos,
    publisher: PublisherQos,
    subscriber: SubscriberQos,
}

impl ParticipantGuard {
    /// Starts to receive and to announce; once.
    pub(super) fn enable(&self) -> Result<()> {
        if self.shared.enabled.swap(true, SeqCst) {
            return Ok(());
        }
        self.start_threads()?;
        let watcher: Weak<dyn Watcher> = Arc::<Shared>::downgrade(&self.shared);
        self.shared.transport.watch(watcher);
        self.shared.discover(|matching, now| matching.start(now));
        Ok(())
    }
}

impl DomainParticipant {
    /// Its QoS.
    pub fn qos(&self) -> DomainParticipantQos {
        self.guard.shared.qos.lock().clone()
    }

    /// Takes over another QoS and announces it.
    ///
    /// # Errors
    /// `ImmutablePolicy` if it is enabled and ENTITY_NAME differs; `InconsistentPolicy` for
    /// properties that cannot be; `BadParameter` for USER_DATA that is too long to announce. Then
    /// nothing has changed.
    pub fn set_qos(&self, qos: DomainParticipantQos) -> Result<()> {
        consistent("participant", qos.validate())?;
        let shared = &self.guard.shared;
        if shared.enabled.load(SeqCst) {
            let allowed = self.qos().check_change(&qos);
            allowed.map_err(|error| Error::ImmutablePolicy {
                entity: "participant".into(),
                error,
            })?;
        }
        let announced = shared.discover(|matching, now| {
            matching.set_participant_qos(now, qos.clone())?;
            *shared.qos.lock() = qos;
            Ok(())
        });
        announced.map_err(|error: dunlin_wire::Error| {
            Error::BadParameter(format!("the participant cannot be announced: {error}"))
        })
    }

    /// Joins the domain, if it was created without
    /// ([`ParticipantConfig::enabled`](crate::ParticipantConfig::enabled)); enables what was
    /// created from it so far unless ENTITY_FACTORY says otherwise.
    ///
    /// # Errors
    /// `Io` if threads cannot be had; as the `enable` of publishers and subscribers.
    pub fn enable(&self) -> Result<()> {
        self.guard.enable()?;
        self.look_up_names();
        let shared = &self.guard.shared;
        if shared.enables() {
            for publisher in shared.publishers() {
                publisher.enable()?;
            }
            for subscriber in shared.subscribers() {
                subscriber.enable()?;
            }
        }
        Ok(())
    }

    /// Names it among the participants of the domain: its GUID.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.guid().to_bytes())
    }

    /// Is this the handle of a topic, publisher, subscriber, writer or reader of this participant?
    /// (DDS 1.4 2.2.2.2.1.28)
    pub fn contains_entity(&self, handle: InstanceHandle) -> bool {
        let guid = Guid::from_bytes(handle.0);
        let shared = &self.guard.shared;
        let topics = shared.matching.lock().own_topics();
        guid.prefix == shared.prefix
            && (topics
                .iter()
                .any(|topic| MemberTopic::guid(&**topic) == guid)
                || shared.publishers().iter().any(|publisher| {
                    let mut writers = publisher.writers().into_iter();
                    publisher.guid == guid || writers.any(|writer| writer.guid() == guid)
                })
                || shared.subscribers().iter().any(|subscriber| {
                    let mut readers = subscriber.readers().into_iter();
                    subscriber.guid == guid || readers.any(|reader| reader.guid() == guid)
                }))
    }

    /// The QoS that the application wants for topics if it says nothing else. It is passed to
    /// `create_topic` by itself, as those of publishers and subscribers are.
    pub fn default_topic_qos(&self) -> TopicQos {
        self.guard.shared.defaults.lock().topic.clone()
    }

    /// What `default_topic_qos` says from now on.
    ///
    /// # Errors
    /// `InconsistentPolicy`.
    pub fn set_default_topic_qos(&self, qos: TopicQos) -> Result<()> {
        consistent("default QoS of topics", qos.validate())?;
        self.guard.shared.defaults.lock().topic = qos;
        Ok(())
    }

    /// The QoS that the application wants for publishers if it says nothing else.
    pub fn default_publisher_qos(&self) -> PublisherQos {
        self.guard.shared.defaults.lock().publisher.clone()
    }

    /// What `default_publisher_qos` says from now on.
    pub fn set_default_publisher_qos(&self, qos: PublisherQos) {
        self.guard.shared.defaults.lock().publisher = qos;
    }

    /// The QoS that the application wants for subscribers if it says nothing else.
    pub fn default_subscriber_qos(&self) -> SubscriberQos {
        self.guard.shared.defaults.lock().subscriber.clone()
    }

    /// What `default_subscriber_qos` says from now on.
    pub fn set_default_subscriber_qos(&self, qos: SubscriberQos) {
        self.guard.shared.defaults.lock().subscriber = qos;
    }
}
