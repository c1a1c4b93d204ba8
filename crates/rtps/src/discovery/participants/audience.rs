//! Which participants get an announcement of ours for them alone.
use super::{Peer, UNHEARD};
use dunlin_wire::VendorId;

impl Peer {
    /// What we announce to groups reaches it: it listens to some, and its own announcements came by
    /// one. Multicast may go one way only: then Dunlin asks, and of other products we do not know.
    pub(in crate::discovery) fn hears_groups(&self) -> bool {
        self.multicast
            && self.data.vendor == VendorId::DUNLIN
            && !self.data.metatraffic_multicast.is_empty()
    }

    /// Our announcement is due for it alone. One that keeps silent gets fewer and fewer.
    pub(in crate::discovery) fn is_to_be_told(&mut self) -> bool {
        self.unheard = self.unheard.saturating_add(1);
        let (every, some) = UNHEARD;
        self.unheard <= some || self.unheard.is_power_of_two() || self.unheard.is_multiple_of(every)
    }
}
