//! Publishers (DDS 1.4 2.2.2.4.1).
use crate::entity::group::PublisherCore;
use crate::entity::identity::same_entity;
use crate::entity::participant::{DomainParticipant, ParticipantGuard};
use crate::error::{Error, Result};
use crate::status::StatusMask;
use crate::untyped::listener::PublisherListener;
use crate::untyped::topic::UntypedTopic;
use crate::untyped::writer::{UntypedWriter, UntypedWriterListener, WriterCore, deletion};
use dunlin_qos::{DataWriterQos, Duration, PublisherQos};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::{EntityKind, Guid};
use std::sync::Arc;

/// A group of writers (DDS 1.4 2.2.2.4.1).
#[derive(Clone)]
pub struct Publisher {
    core: Arc<PublisherCore>,
    guard: Arc<ParticipantGuard>,
}

same_entity!(Publisher, core, |publisher| format!(
    "publisher {}",
    publisher.core.guid
));

impl Publisher {
    pub(crate) fn new(qos: PublisherQos, guard: Arc<ParticipantGuard>) -> Self {
        let core = Arc::new(PublisherCore::new(qos, &guard));
        guard.shared.add_publisher(&core);
        Self { core, guard }
    }

    pub(crate) fn of(core: Arc<PublisherCore>, guard: Arc<ParticipantGuard>) -> Self {
        Self { core, guard }
    }

    /// Its QoS.
    pub fn qos(&self) -> PublisherQos {
        self.core.qos()
    }

    /// What this publisher's writers write from now on, until
    /// [`end_coherent_changes`](Self::end_coherent_changes), is a coherent set: readers whose
    /// PRESENTATION asks for coherent access see all of it at once, or nothing (DDS 1.4
    /// 2.2.2.4.1.10). Sets may be nested; the outermost counts. Without coherent access in this
    /// publisher's PRESENTATION it has no effect.
    pub fn begin_coherent_changes(&self) {
        self.core.sets().begin_set();
    }

    /// The set is complete (DDS 1.4 2.2.2.4.1.11).
    ///
    /// # Errors
    /// `PreconditionNotMet` if none was begun.
    pub fn end_coherent_changes(&self) -> Result<()> {
        self.core.sets().end_set()
    }

    /// A hint that much will be written in a row (DDS 1.4 2.2.2.4.1.8). Samples that are written
    /// faster than datagrams go share these anyway, so nothing is held back for it.
    pub fn suspend_publications(&self) {
        self.core.sets().suspend();
    }

    /// Takes the hint back (DDS 1.4 2.2.2.4.1.9).
    ///
    /// # Errors
    /// `PreconditionNotMet` without a call of `suspend_publications` before it.
    pub fn resume_publications(&self) -> Result<()> {
        self.core.sets().resume()
    }

    /// From now on this one hears of the statuses in `mask` that no listener of a writer wants,
    /// nobody before it any more.
    pub fn set_listener(&self, listener: impl PublisherListener, mask: StatusMask) {
        let old = self.core.listener.set(Arc::new(listener), mask);
        self.guard.shared.wait_for_calls(old);
    }

    /// From now on the participant's listener hears of what the writers' own do not want.
    pub fn clear_listener(&self) {
        let old = self.core.listener.clear();
        self.guard.shared.wait_for_calls(old);
    }

    /// A writer of serialized samples, without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's.
    pub fn create_untyped_datawriter(
        &self,
        topic: &UntypedTopic,
        qos: DataWriterQos,
    ) -> Result<UntypedWriter> {
        self.create(topic, qos, None::<()>)
    }

    /// A writer of serialized samples with a listener, which is called on Dunlin's threads for the
    /// statuses that [`UntypedWriterListener::statuses`] names.
    ///
    /// # Errors
    /// As [`create_untyped_datawriter`](Self::create_untyped_datawriter).
    pub fn create_untyped_datawriter_with_listener(
        &self,
        topic: &UntypedTopic,
        qos: DataWriterQos,
        listener: impl UntypedWriterListener,
    ) -> Result<UntypedWriter> {
        self.create(topic, qos, Some(listener))
    }

    fn create(
        &self,
        topic: &UntypedTopic,
        qos: DataWriterQos,
        listener: Option<impl UntypedWriterListener>,
    ) -> Result<UntypedWriter> {
        let entity = format!("writer of topic {:?}", topic.name());
        let shared = &self.guard.shared;
        let core = topic.core();
        if !Arc::ptr_eq(shared, &core.shared) {
            return Err(Error::PreconditionNotMet(format!(
                "{entity}: the topic belongs to another participant; make one of that name in this participant (create_topic)"
            )));
        }
        self.core.check_living()?;
        core.check_living()?;
        shared.check_living(|| entity.clone())?;
        qos.validate()
            .map_err(|error| Error::InconsistentPolicy { entity, error })?;
        let kind = match topic.type_support().is_keyed() {
            true => EntityKind::WriterWithKey,
            false => EntityKind::WriterNoKey,
        };
        let core = shared.discover(|matching, _| {
            let guid = Guid::new(shared.prefix, matching.new_entity(kind));
            let ty = topic.type_support().clone();
            Arc::new(WriterCore::new(guid, core, ty, qos, &self.core, shared))
        });
        if let Some(listener) = listener {
            core.set_first_listener(listener);
        }
        let writer = UntypedWriter::owning(Arc::clone(&core), &self.guard);
        self.core.add(&core);
        if self.core.enables() {
            core.enable()?;
        }
        Ok(writer)
    }

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
    /// `PreconditionNotMet` if its participant is not enabled; as [`UntypedWriter::enable`].
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
    pub fn lookup_datawriter(&self, topic: &str) -> Option<UntypedWriter> {
        let mut writers = self.core.writers().into_iter();
        let core = writers.find(|writer| writer.topic == topic)?;
        Some(UntypedWriter::of(&core))
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

    /// Waits until every matched reliable reader of every writer has acknowledged all samples (DDS
    /// 1.4 2.2.2.4.1.12).
    ///
    /// # Errors
    /// As [`UntypedWriter::wait_for_acknowledgments`], of the first writer that is not through by
    /// then.
    pub fn wait_for_acknowledgments(&self, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        let clock = &self.guard.shared.clock;
        let until = clock.now().after(timeout);
        let writers = self.core.writers();
        for writer in writers.iter().filter(|writer| writer.is_enabled()) {
            let left = match timeout.is_infinite() {
                true => timeout,
                false => until.since(clock.now()),
            };
            writer.wait_for_acknowledgments(left)?;
        }
        Ok(())
    }

    /// Ends a writer of this publisher now, whoever still has handles of it: by these nothing can
    /// be written any more. Without this call it ends with the last handle.
    ///
    /// # Errors
    /// `PreconditionNotMet` for another publisher's writer, `AlreadyDeleted`.
    pub fn delete_datawriter(&self, writer: &UntypedWriter) -> Result<()> {
        let core = writer.core();
        if !Arc::ptr_eq(&core.group, &self.core) {
            let entity = core.describe();
            let what = format!("{entity} belongs to another publisher, which deletes it");
            return Err(Error::PreconditionNotMet(what));
        }
        core.check_living()?;
        deletion::end(core);
        core.empty();
        Ok(())
    }

    /// Ends all writers of this publisher as `delete_datawriter` does.
    pub fn delete_contained_entities(&self) {
        deletion::end_all(&self.core);
    }

    pub(crate) fn core(&self) -> &Arc<PublisherCore> {
        &self.core
    }
}
