//! Where datagrams come in: what protected a datagram on its way is checked here and nowhere else.
//!
//! All that reads datagrams, the ways for the most frequent ones included, gets what comes out.
use crate::receive::participant::ReceivingParticipant;
use crate::receive::routes::Routes;
use crate::send::checksum::{self, Verdict};
use crate::send::destination::needs_checksum;
use dunlin_wire::{GuidPrefix, Header, Locator};

/// Opens the datagrams of one receiver.
pub(super) struct Opener {
    /// Everything that our own kind sends here over a network has a checksum.
    insists: bool,
    /// The last sender's address, and whether bytes can change on the way from there.
    neighbour: (i32, [u8; 16], bool),
}

impl Opener {
    pub(super) fn new(insists: bool) -> Self {
        Self {
            insists,
            neighbour: (Locator::KIND_INVALID, [0; 16], false),
        }
    }

    /// The message in a datagram; `None`, and it is counted, if it was damaged on its way, or may
    /// have been.
    #[inline]
    pub(super) fn open<'a, P: ReceivingParticipant>(
        &mut self,
        shared: &P,
        routes: &Routes<P>,
        datagram: &'a [u8],
        from: &Locator,
    ) -> Option<&'a [u8]> {
        let verdict = checksum::verify(datagram);
        // Nearly all that comes without a checksum.
        let needs_none = !self.insists || (self.knows(from) && !self.neighbour.2);
        if verdict == Verdict::Absent && needs_none {
            return Some(datagram);
        }
        self.judge(shared, routes, verdict, datagram, from)
    }

    /// Whether the last sender was at this address, whatever its port.
    #[inline]
    fn knows(&self, from: &Locator) -> bool {
        let (kind, address, _) = self.neighbour;
        (kind, address) == (from.kind, from.address)
    }

    #[inline(never)]
    fn judge<'a, P: ReceivingParticipant>(
        &mut self,
        shared: &P,
        routes: &Routes<P>,
        verdict: Verdict,
        datagram: &'a [u8],
        from: &Locator,
    ) -> Option<&'a [u8]> {
        let whole = match verdict {
            Verdict::Whole => true,
            Verdict::Damaged => false,
            Verdict::Absent => !self.expects_checksum(shared, routes, datagram, from),
        };
        if !whole {
            shared.counters().damaged(*from);
        }
        whole.then_some(datagram)
    }

    /// Would the sender have put a checksum on? Then damage has taken it away, or somebody else
    /// sent this. Of participants without matched endpoints nothing is taken here, so it is not
    /// asked whose products they are.
    fn expects_checksum<P: ReceivingParticipant>(
        &mut self,
        shared: &P,
        routes: &Routes<P>,
        datagram: &[u8],
        from: &Locator,
    ) -> bool {
        if !self.insists {
            return false;
        }
        if !self.knows(from) {
            let needs = needs_checksum(shared.transport(), from);
            self.neighbour = (from.kind, from.address, needs);
        }
        let prefix = datagram.get(Header::SIZE - 12..Header::SIZE);
        let prefix = prefix.and_then(|bytes| bytes.try_into().ok());
        let peer = prefix.and_then(|prefix| routes.peers.get(&GuidPrefix(prefix)));
        self.neighbour.2 && peer.is_some_and(|peer| peer.is_ours)
    }
}
