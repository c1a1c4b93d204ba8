//! Samples that have not been looked at, and instance by instance what a condition is about (DDS
//! 1.4 2.2.2.5.3.12 to 2.2.2.5.3.21).
use super::taking::next_to;
use super::{DataReader, Sample};
use crate::error::Result;
use crate::typed::topic::TopicData;
use crate::untyped::condition::ReadCondition;
use dunlin_rtps::{InstanceHandle, SampleState, Select};

impl<T: TopicData> DataReader<T> {
    /// Reads the oldest sample that has not been read, and leaves it in the reader (DDS 1.4
    /// 2.2.2.5.3.12).
    pub fn read_next_sample(&self) -> Option<Sample<T>> {
        let one = Select {
            max: 1,
            sample_states: SampleState::NotRead.mask(),
            ..Select::default()
        };
        loop {
            let mut raw = None;
            self.core().read(&one, |sample| raw = Some(sample));
            if let Some(sample) = self.decode(raw?) {
                return Some(sample);
            }
        }
    }

    /// Takes the samples that a condition of this reader is about, of the first instance that has
    /// any and comes after `instance` in the order of handles; from the beginning after
    /// [`InstanceHandle::NIL`] (DDS 1.4 2.2.2.5.3.21).
    ///
    /// # Errors
    /// As [`take_with_condition`](Self::take_with_condition).
    pub fn take_next_instance_with_condition(
        &self,
        instance: InstanceHandle,
        condition: &ReadCondition,
    ) -> Result<Vec<Sample<T>>> {
        self.check_own(condition)?;
        let mut raw = Vec::new();
        let sink = |sample| raw.push(sample);
        let select = after(instance, condition);
        self.core().take_matching(&select, condition.filter(), sink);
        Ok(raw.into_iter().filter_map(|s| self.decode(s)).collect())
    }

    /// As `take_next_instance_with_condition`, but leaves the samples in the reader (DDS 1.4
    /// 2.2.2.5.3.20).
    ///
    /// # Errors
    /// As [`take_with_condition`](Self::take_with_condition).
    pub fn read_next_instance_with_condition(
        &self,
        instance: InstanceHandle,
        condition: &ReadCondition,
    ) -> Result<Vec<Sample<T>>> {
        self.check_own(condition)?;
        let mut raw = Vec::new();
        let sink = |sample| raw.push(sample);
        let select = after(instance, condition);
        self.core().read_matching(&select, condition.filter(), sink);
        Ok(raw.into_iter().filter_map(|s| self.decode(s)).collect())
    }
}

fn after(instance: InstanceHandle, condition: &ReadCondition) -> Select {
    Select {
        instance: next_to(instance).instance,
        ..*condition.select()
    }
}
