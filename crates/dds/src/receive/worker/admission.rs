//! Whose messages are taken from where: those of endpoints come from the addresses of their
//! participant alone.
use super::Worker;
use crate::receive::participant::ReceivingParticipant;
use dunlin_rtps::discovery::Source;

/// So many participants that take turns need not be looked up each time.
const PLACES: usize = 8;

/// Sources whose messages were taken.
#[derive(Default)]
pub(super) struct Admissions([Option<Source>; PLACES]);

impl Admissions {
    #[inline]
    fn place(&self, source: &Source) -> usize {
        let sum = source.prefix.0.iter().fold(0, |sum, byte| sum ^ byte);
        usize::from(sum) % PLACES
    }

    #[inline]
    fn know(&self, source: &Source) -> bool {
        let known = self.0.get(self.place(source));
        known.is_some_and(|known| {
            known.as_ref().is_some_and(|known| {
                known.prefix == source.prefix
                    && known.called == source.called
                    && known.from.is_same_host(&source.from)
            })
        })
    }

    fn remember(&mut self, source: &Source) {
        let place = self.place(source);
        if let Some(known) = self.0.get_mut(place) {
            *known = Some(*source);
        }
    }
}

impl<P: ReceivingParticipant> Worker<P> {
    /// True if a message may be that of an endpoint of its participant; what is not is counted. Of
    /// participants without matched endpoints nobody hears, so it is not asked where they are.
    #[inline]
    pub(super) fn admits(&mut self, shared: &P, source: &Source) -> bool {
        self.admitted.know(source) || self.admit(shared, source)
    }

    #[inline(never)]
    fn admit(&mut self, shared: &P, source: &Source) -> bool {
        let Some(peer) = self.routes.peers.get(&source.prefix) else {
            return false;
        };
        let admitted = peer.addresses.contain(source);
        match admitted {
            true => self.admitted.remember(source),
            false => shared.counters().misplaced(source),
        }
        admitted
    }
}
