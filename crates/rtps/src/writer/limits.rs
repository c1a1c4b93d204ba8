//! Which readers take samples of which length: those of Dunlin say so.
//!
//! What no matched reader takes is not written. What some take is written for these. The others are
//! sent it like them, or of it the first bytes alone if they ask for it; either shows them its
//! length, and so they count it as lost and go on.
use super::reader_proxy::ReaderProxy;
use super::{WriteError, Writer};
use dunlin_wire::Guid;

/// The largest samples that the matched readers take.
#[derive(Clone, Copy)]
pub(super) struct SampleLimits {
    /// The most that any of them takes, and who; `None` if nobody sets a limit.
    most: Option<(u32, Guid)>,
    /// The least.
    least: u32,
}

impl Default for SampleLimits {
    fn default() -> Self {
        Self {
            most: None,
            least: u32::MAX,
        }
    }
}

impl SampleLimits {
    pub(super) fn of(readers: &[ReaderProxy]) -> Self {
        let mut limits = readers.iter().map(|r| Some((r.limit?, r.config.guid)));
        let first = limits.next().flatten();
        let most =
            first.and_then(|first| limits.try_fold(first, |most, limit| Some(most.max(limit?))));
        let limits = readers.iter().filter_map(|r| r.limit);
        Self {
            most,
            least: limits.min().unwrap_or(u32::MAX),
        }
    }

    /// Does anybody take a change of so many bytes?
    #[inline]
    pub(super) fn check(&self, length: usize) -> Result<(), WriteError> {
        if length <= self.least as usize {
            return Ok(());
        }
        match self.most {
            Some((limit, reader)) if length > limit as usize => {
                Err(WriteError::TooLarge { reader, limit })
            }
            _ => Ok(()),
        }
    }
}

impl Writer {
    /// The largest sample that a matched reader takes; `None` if it does not say.
    pub fn set_reader_limit(&mut self, reader: Guid, limit: Option<u32>) {
        if let Some(index) = self.index(reader)
            && let Some(proxy) = self.readers.get_mut(index)
            && proxy.limit != limit
        {
            proxy.limit = limit;
            self.limits = SampleLimits::of(&self.readers);
        }
    }

    /// A matched reader that takes no sample of this length, and the most that it takes.
    #[inline]
    pub fn reader_refusing(&self, length: usize) -> Option<(Guid, u32)> {
        if length <= self.limits.least as usize {
            return None;
        }
        let mut readers = self.readers.iter();
        readers.find_map(|r| Some((r.config.guid, r.limit.filter(|_| r.refuses(length))?)))
    }
}
