//! Subscribers (DDS 1.4 2.2.2.5.2).
mod order;

use crate::entity::group::SubscriberCore;
use crate::entity::identity::same_entity;
use crate::entity::participant::{DomainParticipant, ParticipantGuard};
use crate::error::{Error, Result};
use crate::status::StatusMask;
use crate::untyped::UntypedTopicDescription;
use crate::untyped::condition::StatusCondition;
use crate::untyped::listener::SubscriberListener;
use crate::untyped::reader::{
    ReaderCore, UntypedReader, UntypedReaderListener, UntypedReaderOptions, deletion,
};
use crate::untyped::topic::TopicCore;
use dunlin_qos::{DataReaderQos, SubscriberQos};
use dunlin_rtps::{InstanceHandle, Select};
use dunlin_wire::{EntityKind, Guid};
use std::sync::Arc;

/// A group of readers (DDS 1.4 2.2.2.5.2).
#[derive(Clone)]
pub struct Subscriber {
    core: Arc<SubscriberCore>,
    guard: Arc<ParticipantGuard>,
}

same_entity!(Subscriber, core, |subscriber| format!(
    "subscriber {}",
    subscriber.core.guid
));

impl Subscriber {
    pub(crate) fn new(qos: SubscriberQos, guard: Arc<ParticipantGuard>) -> Self {
        let core = Arc::new(SubscriberCore::new(qos, &guard));
        guard.shared.add_subscriber(&core);
        drop(core.bind());
        Self { core, guard }
    }

    pub(crate) fn of(core: Arc<SubscriberCore>, guard: Arc<ParticipantGuard>) -> Self {
        Self { core, guard }
    }

    /// Its QoS.
    pub fn qos(&self) -> SubscriberQos {
        self.core.qos()
    }

    /// From now on this one hears of the statuses in `mask` that no listener of a reader wants,
    /// nobody before it any more. With DATA_ON_READERS in its mask it is told of data instead of
    /// the readers' listeners.
    pub fn set_listener(&self, listener: impl SubscriberListener, mask: StatusMask) {
        let old = self.core.listener.set(Arc::new(listener), mask);
        self.bind();
        self.guard.shared.wait_for_calls(old);
    }

    /// From now on the participant's listener hears of what the readers' own do not want.
    pub fn clear_listener(&self) {
        let old = self.core.listener.clear();
        self.bind();
        self.guard.shared.wait_for_calls(old);
    }

    fn bind(&self) {
        // It may have no reader yet.
        drop(self.core.bind());
        self.guard.shared.bind_readers();
    }

    /// The readers of this subscriber that hold samples which `select` names (DDS 1.4
    /// 2.2.2.5.2.10); all readers of which the application has a handle are asked.
    ///
    /// With ordered access over GROUP in this subscriber's PRESENTATION each reader is named once
    /// for each such sample, in the order in which they were written: take (or read, if `select` is
    /// about samples that were not read) exactly one from each with the same `select`, between
    /// [`begin_access`](Self::begin_access) and [`end_access`](Self::end_access), so that nothing
    /// changes meanwhile.
    pub fn datareaders(&self, select: &Select) -> Vec<UntypedReader> {
        let readers = self.core.readers();
        if self.core.group_access.orders() {
            let in_order = order::one_by_one(&readers, select);
            return in_order.map(UntypedReader::of).collect();
        }
        let having = readers.iter().filter(|reader| reader.has_data(select));
        having.map(UntypedReader::of).collect()
    }

    /// Begins to look at several readers (DDS 1.4 2.2.2.5.2.8). With coherent or ordered access
    /// over GROUP in this subscriber's PRESENTATION nothing becomes visible until
    /// [`end_access`](Self::end_access), so what the readers show together is whole; otherwise it
    /// has no effect. Calls may be nested.
    pub fn begin_access(&self) {
        self.core.group_access.begin_access();
    }

    /// Ends it (DDS 1.4 2.2.2.5.2.9).
    ///
    /// # Errors
    /// `PreconditionNotMet` without a call of `begin_access` before it.
    pub fn end_access(&self) -> Result<()> {
        self.core.group_access.end_access()
    }

    /// Has those listeners called that are told of DATA_AVAILABLE, for each reader whose data
    /// nobody has looked at yet (DDS 1.4 2.2.2.5.2.11).
    pub fn notify_datareaders(&self) {
        for reader in self.core.readers() {
            reader.notify();
        }
    }

    /// Statuses that changed and were not read yet: DATA_ON_READERS, from the first call of this or
    /// of `status_condition` on.
    pub fn status_changes(&self) -> StatusMask {
        self.core.attend();
        self.core.flags.changes()
    }

    /// A condition on DATA_ON_READERS: data has come for one of the readers and nobody has read or
    /// taken anything from any of them since.
    pub fn status_condition(&self) -> StatusCondition {
        self.core.attend();
        StatusCondition::of_subscriber(&self.core)
    }

    /// A reader of serialized samples of a topic, or of the part of it that passes a content
    /// filter, without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's, `Io` if a multicast group cannot be joined.
    pub fn create_untyped_datareader(
        &self,
        topic: &dyn UntypedTopicDescription,
        qos: DataReaderQos,
    ) -> Result<UntypedReader> {
        self.create(topic, qos, UntypedReaderOptions::default(), None::<()>)
    }

    /// A reader of serialized samples with a listener for the statuses that
    /// [`UntypedReaderListener::statuses`] names. It is called on the thread that received, which
    /// may be one of the application's that waits in a wait set; calls for one reader do not
    /// overlap. A closure listens for data.
    ///
    /// # Errors
    /// As [`create_untyped_datareader`](Self::create_untyped_datareader).
    pub fn create_untyped_datareader_with_listener(
        &self,
        topic: &dyn UntypedTopicDescription,
        qos: DataReaderQos,
        listener: impl UntypedReaderListener,
    ) -> Result<UntypedReader> {
        self.create(topic, qos, UntypedReaderOptions::default(), Some(listener))
    }

    /// As
    /// [`create_untyped_datareader_with_listener`](Self::create_untyped_datareader_with_listener),
    /// of a reader in stream mode, or one that takes duplicates. Without a listener: `None::<()>`.
    ///
    /// # Errors
    /// As there.
    pub fn create_untyped_datareader_with_options(
        &self,
        topic: &dyn UntypedTopicDescription,
        qos: DataReaderQos,
        options: UntypedReaderOptions,
        listener: Option<impl UntypedReaderListener>,
    ) -> Result<UntypedReader> {
        self.create(topic, qos, options, listener)
    }

    fn create(
        &self,
        description: &dyn UntypedTopicDescription,
        qos: DataReaderQos,
        options: UntypedReaderOptions,
        listener: Option<impl UntypedReaderListener>,
    ) -> Result<UntypedReader> {
        let topic = description.related_topic();
        let entity = format!("reader of topic {:?}", topic.name());
        let shared = &self.guard.shared;
        let (core, ty) = (topic.core(), topic.type_support());
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
        let kind = match ty.is_keyed() {
            true => EntityKind::ReaderWithKey,
            false => EntityKind::ReaderNoKey,
        };
        let core = shared.discover(|matching, _| {
            let guid = Guid::new(shared.prefix, matching.new_entity(kind));
            Arc::new(ReaderCore::new(
                guid,
                core,
                ty.clone(),
                options,
                qos,
                &self.core,
            ))
        });
        if let Some(part) = description.content_filter() {
            part.adopt(&core);
        }
        self.core.group_access.enter(&core);
        self.guard.join(&core.multicast)?;
        if let Some(listener) = listener {
            core.set_first_listener(listener);
        }
        let reader = UntypedReader::owning(Arc::clone(&core), &self.guard);
        self.core.add(&core);
        if self.core.enables() {
            core.enable()?;
        }
        Ok(reader)
    }

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
    /// `PreconditionNotMet` if its participant is not enabled; as [`UntypedReader::enable`].
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
    pub(crate) fn create_inner_datareader(
        &self,
        topic: &Arc<TopicCore>,
        qos: DataReaderQos,
    ) -> UntypedReader {
        let shared = &self.guard.shared;
        let guid = Guid::new(shared.prefix, shared.new_entity());
        let ty = topic.type_support.clone();
        let core = Arc::new(ReaderCore::new(
            guid,
            topic,
            ty,
            Default::default(),
            qos,
            &self.core,
        ));
        core.enable_unannounced();
        self.core.add(&core);
        UntypedReader::owning(core, &self.guard)
    }

    /// Its first reader of this topic, enabled or not.
    pub fn lookup_datareader(&self, topic: &str) -> Option<UntypedReader> {
        let mut readers = self.core.readers().into_iter();
        let core = readers.find(|reader| reader.topic == topic)?;
        Some(UntypedReader::of(&core))
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

    /// Ends a reader of this subscriber now, whoever still has handles of it: these have no samples
    /// any more. Without this call it ends with the last handle.
    ///
    /// # Errors
    /// `PreconditionNotMet` for another subscriber's reader, `AlreadyDeleted`.
    pub fn delete_datareader(&self, reader: &UntypedReader) -> Result<()> {
        let core = reader.core();
        if !Arc::ptr_eq(&core.group, &self.core) {
            let entity = core.describe();
            let what = format!("{entity} belongs to another subscriber, which deletes it");
            return Err(Error::PreconditionNotMet(what));
        }
        core.check_living()?;
        deletion::end(core);
        Ok(())
    }

    /// Ends all readers of this subscriber as `delete_datareader` does.
    pub fn delete_contained_entities(&self) {
        deletion::end_all(&self.core);
    }

    pub(crate) fn core(&self) -> &Arc<SubscriberCore> {
        &self.core
    }
}
