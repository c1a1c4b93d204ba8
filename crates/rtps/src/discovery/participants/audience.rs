//! Which participants get an announcement of ours for them alone.
use super::{Peer, UNHEARD};

impl Peer {
    /// Our announcement is due for it alone. One that keeps silent gets fewer and fewer.
    pub(in crate::discovery) fn is_to_be_told(&mut self) -> bool {
        self.unheard = self.unheard.saturating_add(1);
        let (every, some) = UNHEARD;
        self.unheard <= some || self.unheard.is_power_of_two() || self.unheard.is_multiple_of(every)
    }
}
