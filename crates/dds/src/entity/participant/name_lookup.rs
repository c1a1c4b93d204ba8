//! The names of peers' hosts that a participant has looked up.
use crate::discovery::peers::{NameLookup, Names};
use crate::entity::shared::Shared;
use std::net::Ipv4Addr;
use std::sync::Arc;

impl NameLookup for Shared {
    fn names(&self) -> &Names {
        &self.names
    }

    fn doubtful_names(&self) -> Vec<String> {
        self.matching.lock().doubtful_names(&*self.transport)
    }

    fn resolved(self: &Arc<Self>, name: &str, found: &Result<Ipv4Addr, String>) {
        self.discover(|matching, now| matching.resolved(now, name, found));
    }

    fn fail(self: &Arc<Self>, why: &str) {
        Shared::fail(self, why);
    }
}
