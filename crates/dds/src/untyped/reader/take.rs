//! Samples are taken, or read and left, as bytes (DDS 1.4 2.2.2.5.3.8 to 2.2.2.5.3.21).
use super::{ReaderCore, UntypedReader};
use crate::error::{Error, Result};
use crate::untyped::condition::ReadCondition;
use crate::untyped::sample::{NextPayload, SoleSample, UntypedSample};
use dunlin_rtps::{ChangeKind, ContentFilter, Sample, SampleInfo, Select};
use dunlin_wire::Guid;
use std::fmt::Display;
use std::sync::Arc;

impl UntypedReader {
    /// Takes the samples that `select` names and appends them to `into`; returns how many.
    /// Allocates nothing if `into` has room. Samples of an instance are together, oldest first,
    /// unless the subscriber's PRESENTATION is ordered with scope TOPIC or GROUP, or the reader is
    /// in stream mode: then all are in the order in which they came.
    ///
    /// A sample that is not one of the reader's type is left out, counted as lost and logged; if
    /// none is left, what is behind is taken. In stream mode, or if the name of the type is all
    /// that is known of it, nobody looks; nor at what lies in memory of its writer, which would
    /// have to be copied.
    pub fn take(&self, select: &Select, into: &mut Vec<UntypedSample>) -> usize {
        let core = &self.core;
        core.take_valid(into, |into| {
            core.take(select, |raw| into.push(UntypedSample::new(core, raw)));
        })
    }

    /// As [`take`](Self::take), but leaves the samples in the reader, now read.
    pub fn read(&self, select: &Select, into: &mut Vec<UntypedSample>) -> usize {
        let before = into.len();
        let core = &self.core;
        core.read(select, |raw| into.push(UntypedSample::new(core, raw)));
        core.leave_out_invalid(into, before)
    }

    /// As [`take`](Self::take), of the samples that a condition of this reader is about (DDS 1.4
    /// 2.2.2.5.3.11), those of a query by their content.
    ///
    /// # Errors
    /// `PreconditionNotMet` for the condition of another reader.
    pub fn take_with_condition(
        &self,
        condition: &ReadCondition,
        into: &mut Vec<UntypedSample>,
    ) -> Result<usize> {
        let (filter, core) = (self.check_own(condition)?, &self.core);
        Ok(core.take_valid(into, |into| {
            core.take_matching(condition.select(), filter.clone(), |raw| {
                into.push(UntypedSample::new(core, raw));
            });
        }))
    }

    /// As [`take_with_condition`](Self::take_with_condition), but leaves the samples in the reader.
    ///
    /// # Errors
    /// As there.
    pub fn read_with_condition(
        &self,
        condition: &ReadCondition,
        into: &mut Vec<UntypedSample>,
    ) -> Result<usize> {
        let filter = self.check_own(condition)?;
        let (before, core) = (into.len(), &self.core);
        core.read_matching(condition.select(), filter, |raw| {
            into.push(UntypedSample::new(core, raw));
        });
        Ok(core.leave_out_invalid(into, before))
    }

    /// As [`take_with_condition`](Self::take_with_condition), of at most as many as `select` says,
    /// and of the instance that it names (DDS 1.4 2.2.2.5.3.18); the states are those of the
    /// condition.
    ///
    /// # Errors
    /// As there.
    pub fn take_some_with_condition(
        &self,
        condition: &ReadCondition,
        select: &Select,
        into: &mut Vec<UntypedSample>,
    ) -> Result<usize> {
        let (filter, core) = (self.check_own(condition)?, &self.core);
        Ok(core.take_valid(into, |into| {
            core.take_matching(&some(condition, select), filter.clone(), |raw| {
                into.push(UntypedSample::new(core, raw));
            });
        }))
    }

    /// As [`take_some_with_condition`](Self::take_some_with_condition), but leaves the samples in
    /// the reader.
    ///
    /// # Errors
    /// As [`take_with_condition`](Self::take_with_condition).
    pub fn read_some_with_condition(
        &self,
        condition: &ReadCondition,
        select: &Select,
        into: &mut Vec<UntypedSample>,
    ) -> Result<usize> {
        let filter = self.check_own(condition)?;
        let (before, core) = (into.len(), &self.core);
        core.read_matching(&some(condition, select), filter, |raw| {
            into.push(UntypedSample::new(core, raw));
        });
        Ok(core.leave_out_invalid(into, before))
    }

    /// As [`take`](Self::take) or [`read`](Self::read), or, with a condition, as
    /// [`take_some_with_condition`](Self::take_some_with_condition) or
    /// [`read_some_with_condition`](Self::read_some_with_condition), for whoever decodes each
    /// sample at once: none is looked at, so none is left out. One that is not of the type is to be
    /// told of by [`reject`](Self::reject).
    ///
    /// # Errors
    /// `PreconditionNotMet` for the condition of another reader.
    pub fn get_undecoded(
        &self,
        takes: bool,
        select: &Select,
        condition: Option<&ReadCondition>,
        into: &mut Vec<UntypedSample>,
    ) -> Result<()> {
        let core = &self.core;
        self.get(takes, select, condition, |raw| {
            into.push(UntypedSample::new(core, raw));
        })
    }

    /// As [`get_undecoded`](Self::get_undecoded), of one sample. Its payload is copied to `room` if
    /// it fits there; then nothing of the sample is kept.
    ///
    /// # Errors
    /// As there.
    pub fn next_undecoded(
        &self,
        takes: bool,
        select: &Select,
        condition: Option<&ReadCondition>,
        room: &mut [u8],
    ) -> Result<Option<(SampleInfo, NextPayload)>> {
        let one = Select {
            max: select.max.min(1),
            ..*select
        };
        let mut found = None;
        self.get(takes, &one, condition, |raw| found = Some(raw))?;
        Ok(found.map(|raw| {
            let Sample { info, payload } = raw;
            (info, NextPayload::of(&self.core, payload, room))
        }))
    }

    /// As [`next_undecoded`](Self::next_undecoded) of the only sample of the reader: where there
    /// are several, nothing is taken.
    pub fn take_sole_undecoded(&self, select: &Select, room: &mut [u8]) -> SoleSample {
        let mut found = None;
        if !self.core.take_sole(select, |raw| found = Some(raw)) {
            return SoleSample::Several;
        }
        match found {
            None => SoleSample::None,
            Some(Sample { info, payload }) => {
                SoleSample::Taken(info, NextPayload::of(&self.core, payload, room))
            }
        }
    }

    /// What `select` and the condition name, as it is.
    #[inline]
    fn get(
        &self,
        takes: bool,
        select: &Select,
        condition: Option<&ReadCondition>,
        sink: impl FnMut(Sample),
    ) -> Result<()> {
        let core = &self.core;
        let Some(condition) = condition else {
            match takes {
                true => core.take(select, sink),
                false => core.read(select, sink),
            };
            return Ok(());
        };
        let filter = self.check_own(condition)?;
        let select = some(condition, select);
        match takes {
            true => core.take_matching(&select, filter, sink),
            false => core.read_matching(&select, filter, sink),
        }
        Ok(())
    }

    /// A sample of this writer is not of the type: it is counted as lost and logged.
    pub fn reject(&self, publication: Guid, why: &dyn Display) {
        self.core.note_undecodable(publication, why);
    }

    /// Which samples of its states a condition of this reader wants.
    fn check_own(&self, condition: &ReadCondition) -> Result<Option<ContentFilter>> {
        match Arc::ptr_eq(&self.core, condition.reader()) {
            true => Ok(condition.filter()),
            false => Err(Error::PreconditionNotMet(format!(
                "{}: the condition is one of {}",
                self.core.describe(),
                condition.reader().describe()
            ))),
        }
    }
}

/// The states of a condition; how many, and of which instance, as `select` says.
fn some(condition: &ReadCondition, select: &Select) -> Select {
    Select {
        max: select.max,
        instance: select.instance,
        ..*condition.select()
    }
}

impl ReaderCore {
    /// Takes until there is one of the reader's type, or nothing at all: whoever hears that there
    /// is nothing does not ask again for what is behind those that are left out. Returns how many
    /// there are.
    #[inline]
    fn take_valid(
        self: &Arc<Self>,
        samples: &mut Vec<UntypedSample>,
        mut take: impl FnMut(&mut Vec<UntypedSample>),
    ) -> usize {
        let before = samples.len();
        loop {
            take(samples);
            let is_empty = samples.len() == before;
            let left = self.leave_out_invalid(samples, before);
            if left > 0 || is_empty {
                return left;
            }
        }
    }

    /// Takes out those behind `before` that are not of the reader's type; returns how many are
    /// left.
    fn leave_out_invalid(
        self: &Arc<Self>,
        samples: &mut Vec<UntypedSample>,
        before: usize,
    ) -> usize {
        if !self.options.stream
            && let Some(ty) = self.type_support.dynamic_type()
        {
            let mut at = 0;
            samples.retain(|sample| {
                at += 1;
                let is_new = at > before && sample.info.change_kind == ChangeKind::Alive;
                // What lies in memory of its writer would have to be copied for this.
                let Some(payload) = sample.as_slice().filter(|_| is_new) else {
                    return true;
                };
                let valid = ty.validate(payload);
                if let Err(fault) = &valid {
                    self.note_undecodable(sample.info.publication, fault);
                }
                valid.is_ok()
            });
        }
        samples.len() - before
    }
}
