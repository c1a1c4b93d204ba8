//! How a reader becomes enabled, and what of its QoS changes while it lives (DDS 1.4 2.2.2.1.1,
//! 2.2.3).
use super::{ReaderCore, config};
use crate::error::{Error, Result};
use dunlin_qos::DataReaderQos;
use dunlin_rtps::{Reader, ReaderConfig};
use dunlin_wire::ReaderData;
use std::sync::Arc;

impl ReaderCore {
    /// Its QoS as it is now.
    pub(crate) fn qos(&self) -> DataReaderQos {
        self.live.lock().clone()
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.fixed.get().is_some()
    }

    pub(crate) fn check_living(&self) -> Result<()> {
        match self.is_closed() {
            false => Ok(()),
            true => Err(Error::AlreadyDeleted {
                entity: self.describe(),
            }),
        }
    }

    /// Nothing comes any more: it is deleted, or its participant has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_closed() || self.shared.is_ended()
    }

    /// Fails if it is gone: nothing that somebody waits for will come any more.
    pub(crate) fn check_present(&self) -> Result<()> {
        self.check_living()?;
        self.shared.check_living(|| self.describe())
    }

    pub(crate) fn check_enabled(&self) -> Result<()> {
        self.check_living()?;
        match self.is_enabled() {
            true => Ok(()),
            false => Err(Error::NotEnabled {
                entity: self.describe(),
            }),
        }
    }

    /// Announces the reader; once.
    pub(crate) fn enable(self: &Arc<Self>) -> Result<()> {
        self.check_living()?;
        self.group.check_enabled(&self.describe())?;
        let ty = &self.type_support;
        ty.check_representation(|| self.describe(), &self.qos().representation)?;
        let (announced, told) = self.shared.discover(|matching, now| {
            if self.is_enabled() {
                return (Ok(()), None);
            }
            let qos = self.qos();
            {
                let mut state = self.state.lock();
                *state = Reader::new(ReaderConfig {
                    content_filter: state.content_filter(),
                    ..config(
                        self.guid,
                        &self.type_support,
                        &self.options,
                        &qos,
                        &self.group,
                    )
                });
            }
            let told = (self.bind(), self.group.bind());
            let announced = matching.add_reader(now, self);
            if announced.is_ok() {
                let _ = self.fixed.set(qos);
            }
            (announced, Some(told))
        });
        // What listeners own may be an entity.
        drop(told);
        announced.map_err(|error| self.unannounced(&error))
    }

    /// Is enabled without anybody's being told.
    pub(crate) fn enable_unannounced(self: &Arc<Self>) {
        let _ = self.fixed.set(self.qos());
        drop(self.bind());
    }

    /// Takes over another QoS: all of it before it is enabled, then what may change.
    pub(crate) fn set_qos(self: &Arc<Self>, qos: DataReaderQos) -> Result<()> {
        self.check_living()?;
        let entity = || self.describe();
        qos.validate().map_err(|error| Error::InconsistentPolicy {
            entity: entity(),
            error,
        })?;
        let Some(fixed) = self.fixed.get() else {
            *self.live.lock() = qos;
            return Ok(());
        };
        let allowed = fixed.check_change(&qos);
        allowed.map_err(|error| Error::ImmutablePolicy {
            entity: entity(),
            error,
        })?;
        let announced = self.shared.discover(|matching, now| {
            let before = std::mem::replace(&mut *self.live.lock(), qos.clone());
            let announced = matching.announce_reader(now, self);
            if announced.is_err() {
                *self.live.lock() = before;
            }
            announced
        });
        announced.map_err(|error| self.unannounced(&error))?;
        self.adapt(&qos);
        Ok(())
    }

    /// What may change is changed.
    fn adapt(self: &Arc<Self>, qos: &DataReaderQos) {
        let mut state = self.state.lock();
        let lifecycle = qos.reader_data_lifecycle;
        let (deadline, filter) = (qos.deadline, qos.time_based_filter);
        state.set_timing(self.shared.clock.now(), deadline, filter, lifecycle);
        self.note_next(&state);
        drop(state);
        self.schedule();
    }

    fn unannounced(&self, error: &dunlin_wire::Error) -> Error {
        Error::BadParameter(format!("{} cannot be announced: {error}", self.describe()))
    }

    /// What others are told of it.
    pub(crate) fn data(&self) -> ReaderData {
        ReaderData {
            qos: self.qos(),
            subscriber: self.group.qos(),
            topic_data: self.topic_core.qos().topic_data,
            multicast: self.multicast.clone(),
            content_filter: self.content_filter.lock().clone(),
            layout: self.type_support.plain_layout(),
            type_information: self
                .type_support
                .announced(self.shared.config.types.announce),
            max_sample_size: Some(self.shared.config.max_sample_size),
            ..ReaderData::new(self.guid, &*self.topic, self.type_support.name())
        }
    }
}
