//! Publishers and writers as entities: QoS that changes, enabling, names, and what they belong to
//! (DDS 1.4 2.2.2.1.1, 2.2.2.4).
use super::{DataWriter, Publisher};
use crate::entity::any::{AnyDataWriter, AnyTopic};
use crate::entity::participant::DomainParticipant;
use crate::error::Result;
use crate::typed::topic::TopicData;
use crate::untyped::writer::WriterCore;
use dunlin_qos::{DataWriterQos, PublisherQos};
use dunlin_rtps::InstanceHandle;
use std::sync::Arc;

impl Publisher {
    /// Takes over another QoS; what its writers are matched with follows from it at once.
    ///
    /// # Errors
    /// `ImmutablePolicy` if it is enabled and PRESENTATION or ENTITY_NAME differs; `BadParameter`
    /// for what is too long to announce.
    pub fn set_qos(&self, qos: PublisherQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Enables it, and its writers unless ENTITY_FACTORY says otherwise.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its participant is not enabled; as [`DataWriter::enable`].
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

    /// Its first writer of this topic, enabled or not.
    pub fn lookup_datawriter(&self, topic: &str) -> Option<AnyDataWriter> {
        let mut writers = self.core.writers().into_iter();
        let core = writers.find(|writer| writer.topic == topic)?;
        Some(AnyDataWriter { core })
    }

    /// The QoS that the application wants for writers if it says nothing else. It is passed to
    /// `create_datawriter` by itself.
    pub fn default_datawriter_qos(&self) -> DataWriterQos {
        self.core.defaults.lock().clone()
    }

    /// What `default_datawriter_qos` says from now on.
    ///
    /// # Errors
    /// `InconsistentPolicy`.
    pub fn set_default_datawriter_qos(&self, qos: DataWriterQos) -> Result<()> {
        crate::error::consistent("default QoS of writers", qos.validate())?;
        *self.core.defaults.lock() = qos;
        Ok(())
    }
}

impl<T: TopicData> DataWriter<T> {
    /// Takes over another QoS: any before it is enabled, then one that differs in policies only
    /// that may change. What it is matched with follows from it at once, and others are told.
    ///
    /// # Errors
    /// `ImmutablePolicy` with the policy and both values, `InconsistentPolicy`, `BadParameter` for
    /// data that is too long to announce; then nothing has changed.
    pub fn set_qos(&self, qos: DataWriterQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Announces a writer that was created without being enabled. One that is enabled already stays
    /// so.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its publisher is not enabled; `BadParameter` for what is too long to
    /// announce.
    pub fn enable(&self) -> Result<()> {
        self.core.enable()
    }

    pub(crate) fn core(&self) -> &Arc<WriterCore> {
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

    /// Its publisher; `None` if the participant is coming to its end.
    pub fn publisher(&self) -> Option<Publisher> {
        let guard = self.core.group.participant()?;
        let core = Arc::clone(&self.core.group);
        Some(Publisher { core, guard })
    }
}
