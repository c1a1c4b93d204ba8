//! What a writer knows of its instances (DDS 1.4 2.2.2.4.2.5 to 2.2.2.4.2.12).
use super::DataWriter;
use crate::error::{Error, Result};
use crate::typed::topic::TopicData;
use bytes::BytesMut;
use dunlin_cdr::{Xcdr, key_to_payload};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::{SequenceNumber, Timestamp};

impl<T: TopicData> DataWriter<T> {
    /// Says that this writer will write the instance of `sample`; returns its handle (DDS 1.4
    /// 2.2.2.4.2.5). Others hear of it with what is written first; writing registers as well.
    pub fn register_instance(&self, sample: &T) -> Result<InstanceHandle> {
        let mut key = BytesMut::new();
        if T::HAS_KEY {
            let serialized = key_to_payload(sample, Xcdr::V2, &mut key);
            serialized.map_err(|error| {
                Error::serialization(self.untyped.describe(), sample, true, error)
            })?;
        }
        self.untyped.register_instance(&key)
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
                self.untyped.describe()
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
        self.untyped.knows(instance).then_some(instance)
    }

    /// A value of which the key members are those of the instance (DDS 1.4 2.2.2.4.2.9); `None` if
    /// this writer does not have it, as with [`lookup_instance`](Self::lookup_instance).
    pub fn key_value(&self, instance: InstanceHandle) -> Option<T> {
        let key = self.untyped.key_value(instance)?;
        dunlin_cdr::key_from_payload(&key).ok()
    }
}
