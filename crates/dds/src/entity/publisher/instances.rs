//! What a writer knows of its instances (DDS 1.4 2.2.2.4.2.5 to 2.2.2.4.2.12).
use super::{DataWriter, Publisher};
use crate::error::{Error, Result};
use crate::runtime::clock;
use crate::typed::topic::TopicData;
use crate::untyped::writer::Known;
use bytes::BytesMut;
use dunlin_cdr::{Xcdr, key_to_payload};
use dunlin_qos::Duration;
use dunlin_rtps::InstanceHandle;
use dunlin_wire::{SequenceNumber, Timestamp};

impl Publisher {
    /// Waits until every matched reliable reader of every writer has acknowledged all samples (DDS
    /// 1.4 2.2.2.4.1.12).
    ///
    /// # Errors
    /// As [`DataWriter::wait_for_acknowledgments`], of the first writer that is not through by
    /// then.
    pub fn wait_for_acknowledgments(&self, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        let until = clock::now().after(timeout);
        let writers = self.core.writers();
        for writer in writers.iter().filter(|writer| writer.is_enabled()) {
            let left = match timeout.is_infinite() {
                true => timeout,
                false => until.since(clock::now()),
            };
            writer.wait_for_acknowledgments(left)?;
        }
        Ok(())
    }
}

impl<T: TopicData> DataWriter<T> {
    /// Says that this writer will write the instance of `sample`; returns its handle (DDS 1.4
    /// 2.2.2.4.2.5). Others hear of it with what is written first; writing registers as well.
    pub fn register_instance(&self, sample: &T) -> Result<InstanceHandle> {
        self.core.check_enabled()?;
        let instance = self.instance(sample)?;
        if T::HAS_KEY {
            let mut key = BytesMut::new();
            let serialized = key_to_payload(sample, Xcdr::V2, &mut key);
            serialized
                .map_err(|error| Error::serialization(self.core.describe(), sample, true, error))?;
            self.core.registered.add(instance, key.freeze());
        }
        Ok(instance)
    }

    /// As `register_instance` (DDS 1.4 2.2.2.4.2.6). The time goes nowhere, since nobody is told
    /// before something is written.
    pub fn register_instance_with_timestamp(
        &self,
        sample: &T,
        _timestamp: Timestamp,
    ) -> Result<InstanceHandle> {
        self.register_instance(sample)
    }

    /// As `write` (DDS 1.4 2.2.2.4.2.11), and makes sure that the sample is of this instance.
    /// `write` finds the instance by itself and costs the same.
    ///
    /// # Errors
    /// `PreconditionNotMet` if the key of the sample is that of another instance; as
    /// [`write`](Self::write).
    pub fn write_instance(&self, instance: InstanceHandle, sample: &T) -> Result<SequenceNumber> {
        let own = self.instance(sample)?;
        if own != instance {
            return Err(Error::PreconditionNotMet(format!(
                "{}: the sample is of instance {own:?}, not of {instance:?}",
                self.core.describe()
            )));
        }
        self.write(sample)
    }

    /// The handle of the instance that has the key of `sample`, if this writer has it (DDS 1.4
    /// 2.2.2.4.2.10): if it is registered, or the history keeps something of it. A writer that is
    /// to know what it wrote long ago registers its instances.
    pub fn lookup_instance(&self, sample: &T) -> Option<InstanceHandle> {
        if !T::HAS_KEY {
            return None;
        }
        let instance = self.instance(sample).ok()?;
        self.core.known(instance).map(|_| instance)
    }

    /// A value of which the key members are those of the instance (DDS 1.4 2.2.2.4.2.9); `None` if
    /// this writer does not have it, as with [`lookup_instance`](Self::lookup_instance).
    pub fn key_value(&self, instance: InstanceHandle) -> Option<T> {
        let key = match self.core.known(instance).filter(|_| T::HAS_KEY)? {
            Known::Key(key) => key,
            Known::Sample(sample) => self.core.type_support.key(&sample),
        };
        dunlin_cdr::key_from_payload(&key).ok()
    }
}
