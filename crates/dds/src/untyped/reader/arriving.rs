//! Large samples are had as they come, before they are whole.
use super::{ReaderCore, UntypedReader};
use dunlin_rtps::Arriving;

impl UntypedReader {
    /// Appends to `into` what has come of samples of which fragments are missing (RTPS 2.5
    /// 8.4.14.1), if [`UntypedReaderOptions::arriving`](crate::untyped::UntypedReaderOptions) asks
    /// for it: of each writer the sample whose turn it is, its bytes in order and without a hole.
    /// Nothing is appended while there is something to [`take`](Self::take), so a writer's samples
    /// keep their order. The whole sample is delivered as ever; who forwarded what came of it
    /// before knows it by its number.
    ///
    /// The listener is called as for data when there is more.
    pub fn take_arriving(&self, into: &mut Vec<Arriving>) {
        self.core.take_arriving(into);
    }
}

impl ReaderCore {
    fn take_arriving(&self, into: &mut Vec<Arriving>) {
        if self.options.arriving.is_none() {
            return;
        }
        let buffer = |length| self.copies.lock().take(length);
        let mut state = self.state.lock();
        state.take_arriving(buffer, |news| into.push(news));
    }
}
