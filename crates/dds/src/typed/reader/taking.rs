//! Samples are taken, or read and left (DDS 1.4 2.2.2.5.3.8 to 2.2.2.5.3.11).
use super::{DataReader, Sample};
use crate::error::{Error, Result};
use crate::typed::topic::TopicData;
use crate::typed::view::{View, decode};
use crate::untyped::condition::ReadCondition;
use arrayvec::ArrayVec;
use dunlin_rtps::{InstanceHandle, Payload, SampleInfo, SampleState, Select, Which};
use std::sync::Arc;

/// Mostly there is one, so many are taken at once only behind so many.
const ALONE: usize = 2;
/// Samples that leave the cache together.
const AT_ONCE: usize = 16;
const ANY_SAMPLE: u32 = SampleState::Read.mask() | SampleState::NotRead.mask();

impl<T: TopicData> DataReader<T> {
    /// Takes all samples; an empty vector if there are none. Those of an instance are together,
    /// oldest first, unless the subscriber's PRESENTATION is ordered with scope TOPIC or GROUP:
    /// then all are in the order in which they came (DDS 1.4 2.2.2.5.3.8).
    pub fn take(&self) -> Vec<Sample<T>> {
        self.take_with(&Select::default())
    }

    /// Takes the oldest sample that was not read yet (DDS 1.4 2.2.2.5.3.11). Allocates nothing but
    /// what `T` itself does.
    pub fn take_next_sample(&self) -> Option<Sample<T>> {
        self.take_one(SampleState::NotRead.mask())
    }

    /// Takes all samples that were not read yet, oldest first, and hands each to `each`, which may
    /// use the reader in any way. What comes meanwhile is taken too. As
    /// [`take_next_sample`](Self::take_next_sample) until there is none, but cheaper where there
    /// are many; allocates nothing either.
    pub fn take_each(&self, mut each: impl FnMut(Sample<T>)) {
        let unread = SampleState::NotRead.mask();
        loop {
            for _ in 0..ALONE {
                // What is said about a sample is large: `each` gets it where it was put.
                let mut sample = Sample::new(SampleInfo::default(), None);
                if !self.take_into(unread, &mut sample) {
                    return;
                }
                each(sample);
            }
            self.take_many(&oldest(unread), |raw| {
                if let Some(sample) = self.decode(raw) {
                    each(sample);
                }
            });
        }
    }

    #[inline(never)]
    fn take_many(&self, oldest: &Select, mut each: impl FnMut(dunlin_rtps::Sample)) {
        loop {
            let mut raw = ArrayVec::<_, AT_ONCE>::new();
            self.core().take_repeatedly(oldest, &mut raw);
            if raw.is_empty() {
                return;
            }
            raw.into_iter().for_each(&mut each);
        }
    }

    /// Takes the oldest sample in one of these states.
    pub(crate) fn take_one(&self, sample_states: u32) -> Option<Sample<T>> {
        let mut sample = Sample::new(SampleInfo::default(), None);
        self.take_into(sample_states, &mut sample).then_some(sample)
    }

    /// As `take_one`, to where the sample is to be; false if there is none.
    #[inline]
    fn take_into(&self, sample_states: u32, sample: &mut Sample<T>) -> bool {
        while let Some(payload) = self.core().take_oldest(sample_states, &mut sample.info) {
            if self.put_value(&sample.info, payload, &mut sample.value) {
                return true;
            }
        }
        false
    }

    /// Takes the oldest sample, read before or not, and leaves it where it is.
    pub fn take_next_view(&self) -> Option<View<T>> {
        let mut info = SampleInfo::default();
        let payload = self.core().take_oldest(ANY_SAMPLE, &mut info)?;
        let raw = dunlin_rtps::Sample { info, payload };
        Some(View::new(self.core(), raw))
    }

    /// Takes all samples, read before or not, oldest first, and hands each to `each` as a view of
    /// where it is. As [`take_next_view`](Self::take_next_view) until there is none, but cheaper
    /// where there are many.
    pub fn take_each_view(&self, mut each: impl FnMut(View<T>)) {
        loop {
            for _ in 0..ALONE {
                let Some(view) = self.take_next_view() else {
                    return;
                };
                each(view);
            }
            self.take_many(&oldest(ANY_SAMPLE), |raw| {
                each(View::new(self.core(), raw));
            });
        }
    }

    /// Takes up to `max` samples, in order as `take` does, and leaves them where they are. Their
    /// writers get the memory back when the views are dropped; until then others go without it.
    pub fn take_views(&self, max: usize) -> Vec<View<T>> {
        let select = Select {
            max,
            ..Select::default()
        };
        let mut raw = Vec::new();
        self.core().take(&select, |sample| raw.push(sample));
        let views = raw.into_iter().map(|raw| View::new(self.core(), raw));
        views.collect()
    }

    /// Takes the samples that `select` names.
    pub fn take_with(&self, select: &Select) -> Vec<Sample<T>> {
        let mut raw = Vec::new();
        self.core().take(select, |sample| raw.push(sample));
        raw.into_iter()
            .filter_map(|sample| self.decode(sample))
            .collect()
    }

    /// Takes the samples of the instance that comes after `instance` in the order of handles; the
    /// first one after [`InstanceHandle::NIL`] (DDS 1.4 2.2.2.5.3.18).
    pub fn take_next_instance(&self, instance: InstanceHandle) -> Vec<Sample<T>> {
        self.take_with(&next_to(instance))
    }

    /// As `take_next_instance`, but leaves the samples in the reader.
    pub fn read_next_instance(&self, instance: InstanceHandle) -> Vec<Sample<T>> {
        self.read_with(&next_to(instance))
    }

    /// Takes the samples of one instance (DDS 1.4 2.2.2.5.3.16).
    pub fn take_instance(&self, instance: InstanceHandle) -> Vec<Sample<T>> {
        self.take_with(&of(instance))
    }

    /// As `take_instance`, but leaves the samples in the reader.
    pub fn read_instance(&self, instance: InstanceHandle) -> Vec<Sample<T>> {
        self.read_with(&of(instance))
    }

    /// Reads all samples and leaves them in the reader.
    pub fn read(&self) -> Vec<Sample<T>> {
        self.read_with(&Select::default())
    }

    /// Reads the samples that `select` names and leaves them in the reader.
    pub fn read_with(&self, select: &Select) -> Vec<Sample<T>> {
        let mut raw = Vec::new();
        self.core().read(select, |sample| raw.push(sample));
        raw.into_iter()
            .filter_map(|sample| self.decode(sample))
            .collect()
    }

    /// Takes the samples that a condition of this reader is about (DDS 1.4 2.2.2.5.3.11); those of
    /// a [`QueryCondition`](crate::QueryCondition) by their content.
    ///
    /// # Errors
    /// `PreconditionNotMet` for the condition of another reader.
    pub fn take_with_condition(&self, condition: &ReadCondition) -> Result<Vec<Sample<T>>> {
        self.check_own(condition)?;
        let mut raw = Vec::new();
        let sink = |sample| raw.push(sample);
        self.core()
            .take_matching(condition.select(), condition.filter(), sink);
        Ok(raw.into_iter().filter_map(|s| self.decode(s)).collect())
    }

    /// Reads the samples that a condition of this reader is about, and leaves them in the reader
    /// (DDS 1.4 2.2.2.5.3.10).
    ///
    /// # Errors
    /// As [`take_with_condition`](Self::take_with_condition).
    pub fn read_with_condition(&self, condition: &ReadCondition) -> Result<Vec<Sample<T>>> {
        self.check_own(condition)?;
        let mut raw = Vec::new();
        let sink = |sample| raw.push(sample);
        self.core()
            .read_matching(condition.select(), condition.filter(), sink);
        Ok(raw.into_iter().filter_map(|s| self.decode(s)).collect())
    }

    pub(super) fn check_own(&self, condition: &ReadCondition) -> Result<()> {
        match Arc::ptr_eq(self.core(), condition.reader()) {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "{}: the condition is one of {}",
                self.core().describe(),
                condition.reader().describe()
            ))),
        }
    }

    /// A sample that is no valid `T` is left out, counted and logged: its writer is at fault, not
    /// this application.
    pub(super) fn decode(&self, raw: dunlin_rtps::Sample) -> Option<Sample<T>> {
        let dunlin_rtps::Sample { info, payload } = raw;
        let mut value = None;
        self.put_value(&info, payload, &mut value)
            .then(|| Sample { info, value })
    }

    /// As `decode`, to where the value is to be; false if there is none.
    fn put_value(&self, info: &SampleInfo, payload: Payload, into: &mut Option<T>) -> bool {
        let value = decode(self.core(), info, &payload);
        // The writer gets back what it lent before the application has the sample.
        drop(payload);
        match value {
            Ok(value) => {
                *into = value;
                true
            }
            Err(fault) => {
                self.core().note_undecodable(info.publication, &fault);
                false
            }
        }
    }
}

/// The first sample in one of these states.
fn oldest(sample_states: u32) -> Select {
    Select {
        max: 1,
        sample_states,
        ..Select::default()
    }
}

pub(super) fn next_to(instance: InstanceHandle) -> Select {
    Select {
        instance: Some(Which::Next(instance)),
        ..Select::default()
    }
}

fn of(instance: InstanceHandle) -> Select {
    Select {
        instance: Some(Which::This(instance)),
        ..Select::default()
    }
}
