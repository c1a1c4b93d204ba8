//! How a writer becomes enabled, and what of its QoS changes while it lives (DDS 1.4 2.2.2.1.1,
//! 2.2.3).
use super::WriterCore;
use crate::entity::group::PublisherCore;
use crate::entity::shared::{Shared, fragment_size};
use crate::error::{Error, Result};
use crate::receive::liveliness::LivelinessAssertion;
use dunlin_qos::{DataWriterQos, Durability, Duration, LivelinessKind};
use dunlin_rtps::{Writer, WriterConfig};
use dunlin_wire::{Guid, WriterData};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Does time do something to its samples or instances?
pub(super) fn is_timed(qos: &DataWriterQos) -> bool {
    let cleans_up = qos.durability > Durability::TransientLocal
        && qos.durability_service.service_cleanup_delay != Duration::ZERO;
    !qos.lifespan.is_infinite() || !qos.deadline.is_infinite() || cleans_up
}

pub(super) fn autodisposes(qos: &DataWriterQos) -> bool {
    qos.writer_data_lifecycle.autodispose_unregistered_instances
}

/// Datagrams have six bits for it (RFC 2474).
const LARGEST_CODE_POINT: i32 = 63;

/// What its datagrams are marked with: of what does not fit the nearest that does, since any
/// priority is one (DDS 1.4 2.2.3.15).
pub(super) fn code_point(qos: &DataWriterQos) -> u8 {
    let priority = qos.transport_priority.clamp(0, LARGEST_CODE_POINT);
    u8::try_from(priority).unwrap_or(0)
}

/// How the protocol's writer behaves.
pub(super) fn config(
    guid: Guid,
    keyed: bool,
    qos: &DataWriterQos,
    shared: &Shared,
    group: &PublisherCore,
) -> WriterConfig {
    let config = WriterConfig {
        guid,
        reliability: qos.reliability.kind,
        durability: qos.durability,
        durability_service: qos.durability_service,
        history: qos.history,
        resource_limits: qos.resource_limits,
        fragment_size: fragment_size(shared.transport.max_datagram()),
        heartbeat_period: shared.config.heartbeat_period,
        silent_after: shared.config.silent_reader_timeout,
        send_key_hash: keyed,
        keyed,
        lifespan: qos.lifespan,
        deadline: qos.deadline,
        group: group.sets().current(),
        ..WriterConfig::new(guid)
    };
    #[cfg(feature = "simulation")]
    let config = shared.tuning.lock().tune_writer(config);
    config
}

impl WriterCore {
    /// Its QoS as it is now.
    pub(crate) fn qos(&self) -> DataWriterQos {
        self.live.lock().clone()
    }

    /// Its QoS as far as it cannot change. Nobody asks before it is enabled; should they, they get
    /// the defaults.
    #[inline]
    pub(crate) fn fixed(&self) -> &DataWriterQos {
        static DEFAULT: std::sync::LazyLock<DataWriterQos> =
            std::sync::LazyLock::new(DataWriterQos::default);
        self.fixed.get().unwrap_or_else(|| &DEFAULT)
    }

    #[inline]
    pub(crate) fn is_enabled(&self) -> bool {
        self.fixed.get().is_some()
    }

    /// Nothing comes any more: it is deleted, or its participant has ended.
    #[inline]
    pub(crate) fn is_gone(&self) -> bool {
        self.is_closed() || self.shared.is_ended()
    }

    /// Fails if it is gone: nothing that somebody waits for will come any more.
    pub(crate) fn check_present(&self) -> Result<()> {
        self.check_living()?;
        self.shared.check_living(|| self.describe())
    }

    pub(crate) fn check_enabled(&self) -> Result<()> {
        match self.is_enabled() && !self.closed.load(Relaxed) {
            true => Ok(()),
            false => Err(self.unusable()),
        }
    }

    #[cold]
    fn unusable(&self) -> Error {
        let entity = self.describe();
        match self.is_closed() {
            true => Error::AlreadyDeleted { entity },
            false => Error::NotEnabled { entity },
        }
    }

    pub(crate) fn check_living(&self) -> Result<()> {
        match self.is_closed() {
            true => Err(self.unusable()),
            false => Ok(()),
        }
    }

    /// Forgets everything: it is deleted, and somebody may have a handle for long.
    pub(crate) fn empty(&self) {
        let config = config(
            self.guid,
            self.type_support.is_keyed(),
            &self.qos(),
            &self.shared,
            &self.group,
        );
        let new = Writer::new(config);
        let old = std::mem::replace(&mut *self.state.lock(), new);
        // It may hold bytes of the application.
        drop(old);
        self.registered.clear();
        self.wake_for_room();
    }

    /// Announces the writer; once.
    pub(crate) fn enable(self: &Arc<Self>) -> Result<()> {
        self.check_enablable()?;
        let announced = self.shared.discover(|matching, now| {
            if self.announced.load(Relaxed) {
                return Ok(());
            }
            let new = (!self.is_enabled()).then(|| self.begin());
            matching.add_writer(now, self)?;
            if let Some(qos) = new {
                self.fix(qos);
            }
            self.announced.store(true, Relaxed);
            Ok(())
        });
        self.shared.await_ways(self.guid.entity);
        announced.map_err(|error| self.unannounced(&error))
    }

    /// Lets it be written to before it is announced.
    pub(crate) fn prepare(self: &Arc<Self>) -> Result<()> {
        self.check_enablable()?;
        // Others prepare or enable it at the same time, if at all, under the same lock.
        self.shared.discover(|_, _| {
            if !self.is_enabled() {
                let qos = self.begin();
                self.fix(qos);
            }
        });
        Ok(())
    }

    fn check_enablable(&self) -> Result<()> {
        self.check_living()?;
        self.group.check_enabled(&self.describe())?;
        let ty = &self.type_support;
        ty.check_representation(|| self.describe(), &[self.qos().representation])
    }

    /// Has the protocol's writer be what the QoS says, which is returned.
    fn begin(self: &Arc<Self>) -> DataWriterQos {
        let qos = self.qos();
        let manual = qos.liveliness.kind != LivelinessKind::Automatic;
        if let Some(sign) = LivelinessAssertion::new(self.guid, qos.liveliness).filter(|_| manual) {
            let _ = self.sign.set(sign);
        }
        *self.state.lock() = Writer::new(config(
            self.guid,
            self.type_support.is_keyed(),
            &qos,
            &self.shared,
            &self.group,
        ));
        self.group.sets().enter(self);
        qos
    }

    /// It is enabled: most of its QoS does not change any more.
    fn fix(&self, qos: DataWriterQos) {
        let _ = self.fixed.set(qos);
    }

    /// Takes over another QoS: all of it before it is enabled, then what may change.
    pub(crate) fn set_qos(self: &Arc<Self>, qos: DataWriterQos) -> Result<()> {
        self.check_living()?;
        let entity = || self.describe();
        qos.validate().map_err(|error| Error::InconsistentPolicy {
            entity: entity(),
            error,
        })?;
        if let Some(fixed) = self.fixed.get() {
            let allowed = fixed.check_change(&qos);
            allowed.map_err(|error| Error::ImmutablePolicy {
                entity: entity(),
                error,
            })?;
            let announced = self.shared.discover(|matching, now| {
                let before = std::mem::replace(&mut *self.live.lock(), qos.clone());
                if !self.announced.load(Relaxed) {
                    return Ok(());
                }
                let announced = matching.announce_writer(now, self);
                if announced.is_err() {
                    *self.live.lock() = before;
                }
                announced
            });
            announced.map_err(|error| self.unannounced(&error))?;
        } else {
            *self.live.lock() = qos.clone();
        }
        self.adapt(&qos);
        Ok(())
    }

    /// What may change is changed.
    fn adapt(self: &Arc<Self>, qos: &DataWriterQos) {
        self.publish.lock().coalescer.set_budget(qos.latency_budget);
        self.timed.store(is_timed(qos), Relaxed);
        self.autodispose.store(autodisposes(qos), Relaxed);
        self.dscp.store(code_point(qos), Relaxed);
        let next = {
            let mut state = self.state.lock();
            state.set_timing(self.shared.clock.now(), qos.lifespan, qos.deadline);
            state.next_timeout()
        };
        self.schedule(next);
    }

    fn unannounced(&self, error: &dunlin_wire::Error) -> Error {
        Error::BadParameter(format!("{} cannot be announced: {error}", self.describe()))
    }

    /// What others are told of it.
    pub(crate) fn data(&self) -> WriterData {
        WriterData {
            qos: self.qos(),
            publisher: self.group.qos(),
            topic_data: self.topic_core.qos().topic_data,
            layout: self.type_support.plain_layout(),
            type_information: self
                .type_support
                .announced(self.shared.config.types.announce),
            group: self.sets.as_ref().and_then(|sets| sets.id()),
            autodispose: autodisposes(&self.qos()),
            ..WriterData::new(self.guid, &*self.topic, self.type_support.name())
        }
    }
}
