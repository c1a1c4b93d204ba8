//! Subscribers and readers as entities: QoS that changes, enabling, names, and what they belong to
//! (DDS 1.4 2.2.2.1.1, 2.2.2.5).
use super::{DataReader, ReaderGuard, Subscriber};
use crate::entity::any::{AnyDataReader, AnyTopic};
use crate::entity::participant::DomainParticipant;
use crate::error::Result;
use crate::typed::topic::{TopicCore, TopicData};
use crate::untyped::reader::ReaderCore;
use crate::untyped::type_support::TypeSupport;
use dunlin_qos::{DataReaderQos, SubscriberQos};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Guid;
use std::sync::Arc;

impl Subscriber {
    /// Takes over another QoS; what its readers are matched with follows from it at once.
    ///
    /// # Errors
    /// `ImmutablePolicy` if it is enabled and PRESENTATION or ENTITY_NAME differs; `BadParameter`
    /// for what is too long to announce.
    pub fn set_qos(&self, qos: SubscriberQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Enables it, and its readers unless ENTITY_FACTORY says otherwise.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its participant is not enabled; as [`DataReader::enable`].
    pub fn enable(&self) -> Result<()> {
        self.core.enable()
    }

    /// Names it among the entities of its participant.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.core.guid.to_bytes())
    }

    /// Its participant.
    pub fn participant(&self) -> DomainParticipant {
        DomainParticipant {
            guard: Arc::clone(&self.guard),
        }
    }

    /// A reader that is fed by ourselves, and announced to nobody.
    pub(crate) fn create_inner_datareader<T: TopicData>(
        &self,
        name: &str,
        qos: DataReaderQos,
    ) -> DataReader<T> {
        let shared = &self.guard.shared;
        let ty = TypeSupport::of::<T>();
        let topic = TopicCore::new(name, ty.clone(), Default::default(), shared);
        let guid = Guid::new(shared.prefix, shared.new_entity());
        let core = ReaderCore::new(guid, &Arc::new(topic), ty, qos, &self.core);
        let core = Arc::new(core);
        core.enable_unannounced();
        self.core.add(&core);
        let guard = ReaderGuard {
            core: Arc::clone(&core),
            _participant: Arc::clone(&self.guard),
        };
        DataReader {
            guard: Some(Arc::new(guard)),
            ..DataReader::unguarded(core)
        }
    }

    /// Its first reader of this topic, enabled or not.
    pub fn lookup_datareader(&self, topic: &str) -> Option<AnyDataReader> {
        let mut readers = self.core.readers().into_iter();
        let core = readers.find(|reader| reader.topic == topic)?;
        Some(AnyDataReader { core })
    }

    /// The QoS that the application wants for readers if it says nothing else. It is passed to
    /// `create_datareader` by itself.
    pub fn default_datareader_qos(&self) -> DataReaderQos {
        self.core.defaults.lock().clone()
    }

    /// What `default_datareader_qos` says from now on.
    ///
    /// # Errors
    /// `InconsistentPolicy`.
    pub fn set_default_datareader_qos(&self, qos: DataReaderQos) -> Result<()> {
        crate::error::consistent("default QoS of readers", qos.validate())?;
        *self.core.defaults.lock() = qos;
        Ok(())
    }
}

impl<T: TopicData> DataReader<T> {
    /// Takes over another QoS: any before it is enabled, then one that differs in policies only
    /// that may change. What it is matched with follows from it at once, and others are told.
    ///
    /// # Errors
    /// `ImmutablePolicy` with the policy and both values, `InconsistentPolicy`, `BadParameter` for
    /// data that is too long to announce; then nothing has changed.
    pub fn set_qos(&self, qos: DataReaderQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Announces a reader that was created without being enabled. One that is enabled already stays
    /// so. Before, it has no samples.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its subscriber is not enabled; `BadParameter` for what is too long
    /// to announce.
    pub fn enable(&self) -> Result<()> {
        self.core.enable()
    }

    pub(crate) fn core(&self) -> &Arc<ReaderCore> {
        &self.core
    }

    /// Names it among the entities of the domain: its GUID.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.core.guid.to_bytes())
    }

    /// Its topic.
    pub fn topic(&self) -> AnyTopic {
        AnyTopic::new(&self.core.topic_core)
    }

    /// Its subscriber; `None` if the participant is coming to its end.
    pub fn subscriber(&self) -> Option<Subscriber> {
        let guard = self.core.group.participant()?;
        Some(Subscriber::of(Arc::clone(&self.core.group), guard))
    }
}
