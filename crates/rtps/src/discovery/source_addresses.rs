//! From which addresses a participant's messages may come.
//!
//! Plain RTPS signs nothing: whoever knows a GUID prefix can write it into the header of a message.
//! What somebody on another host cannot do without forging the source address of datagrams is to
//! send from where the participant is. So its messages are taken from the addresses that it has
//! announced, of itself and of its endpoints, and from the one from which it first answered; none
//! of these is believed before the participant has answered from an address that it announces.
use super::{Discovery, Source};
use alloc::vec::Vec;
use dunlin_wire::{GuidPrefix, Locator};

/// So many addresses are remembered of one participant.
const MOST: usize = 256;

/// The addresses of one participant, whatever the ports: other sockets than those that receive may
/// send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceAddresses {
    /// Kinds and addresses, ascending.
    addresses: Vec<(i32, [u8; 16])>,
    /// It has answered by connections of its own alone, and what comes by these is its own.
    only_calls: bool,
}

impl SourceAddresses {
    /// True if a message from there may be the participant's.
    pub fn contain(&self, source: &Source) -> bool {
        if self.only_calls && source.called {
            return true;
        }
        let Locator { kind, address, .. } = source.from;
        let has = |kind| self.addresses.binary_search(&(kind, address)).is_ok();
        // `Locator::may_have_sent` says why.
        let is_connection = kind == Locator::KIND_TCP_V4;
        source.from.is_loopback() || has(kind) || (is_connection && has(Locator::KIND_UDP_V4))
    }

    fn add(&mut self, locators: &[Locator]) {
        for locator in locators.iter().filter(|locator| !locator.is_multicast()) {
            let address = (locator.kind, locator.address);
            if let Err(place) = self.addresses.binary_search(&address)
                && self.addresses.len() < MOST
            {
                self.addresses.insert(place, address);
            }
        }
    }
}

impl Discovery {
    /// From where messages of a participant's endpoints are taken: of its writers and readers, and
    /// of our own. Addresses of this host are always among them, since a neighbour's datagrams may
    /// have any of these; the system lets nobody else use them.
    pub fn source_addresses(&self, prefix: GuidPrefix) -> SourceAddresses {
        let mut all = SourceAddresses::default();
        all.add(&self.config.metatraffic_unicast);
        all.add(&self.config.default_unicast);
        let Some(peer) = self.peers.get(&prefix).filter(|peer| peer.verified) else {
            return all;
        };
        all.only_calls = peer.only_calls();
        all.add(&[peer.source()]);
        if all.only_calls {
            // What it says about its places is not known to be true.
            return all;
        }
        all.add(&peer.data.default_unicast);
        all.add(&peer.data.metatraffic_unicast);
        for locators in self.catalog.unicast_of(prefix) {
            all.add(locators);
        }
        all
    }
}
