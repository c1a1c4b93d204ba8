//! Large pools that nobody uses go back to the system, here and at the peers that have mapped them.
//!
//! The porter looks now and then. A pool is withdrawn when none of its chunks is in use and none
//! was given out since the look before. Each reader is told in its ring, behind all chunks of the
//! pool, so what it has not read stays in order; when its cursor has passed that, it has forgotten
//! the pool, and the number may be announced again. One pool is withdrawn at a time: a reader that
//! stands still keeps one number from being used again, not all of them.
use std::sync::Arc;
use std::time::{Duration, Instant};

use dunlin_shm::{Pool, SendError, Withdrawal};

use super::connection_table::ConnectionTable;
use super::pools::MOST;
use super::send_channel::SendChannel;

/// How often pools are looked at, and so how long one is unused, at least, before it is withdrawn:
/// to make it again takes as long as some copies.
const LOOK: Duration = Duration::from_secs(1);

/// Who has to forget a withdrawn pool before its number can be announced again.
#[derive(Debug, Default)]
pub(super) struct Forgetting {
    number: Option<u8>,
    /// Have no room in their ring, or are just being told.
    untold: Vec<Arc<SendChannel>>,
    told: Vec<Withdrawal>,
}

impl Forgetting {
    pub(super) fn new(number: u8, untold: Vec<Arc<SendChannel>>) -> Self {
        Self {
            number: Some(number),
            untold,
            told: Vec::new(),
        }
    }

    /// Who was not told yet, and of which pool.
    pub(super) fn untold(&self) -> Option<(u8, Vec<Arc<SendChannel>>)> {
        let number = self.number.filter(|_| !self.untold.is_empty())?;
        Some((number, self.untold.clone()))
    }

    /// Nobody knows the pool any more.
    pub(super) fn is_over(&self) -> bool {
        self.untold.is_empty() && self.told.iter().all(Withdrawal::is_heeded)
    }

    /// Whether peers may still know the pool of this number.
    pub(super) fn concerns(&self, number: u8) -> bool {
        self.number == Some(number) && !self.is_over()
    }

    /// These were told, the others were not.
    pub(super) fn note(&mut self, told: Vec<Withdrawal>, untold: Vec<Arc<SendChannel>>) {
        self.told.extend(told);
        self.untold = untold;
    }
}

/// What the porter saw at its last look.
#[derive(Default)]
pub(super) struct Looks {
    next: Option<Instant>,
    uses: [Option<u64>; MOST],
}

impl Looks {
    /// Withdraws a large pool that nobody has used since the last look; returns when to look again,
    /// if there is anything to look at.
    pub(super) fn look(&mut self, table: &ConnectionTable, now: Instant) -> Option<Instant> {
        match self.next {
            Some(next) if now < next => return Some(next),
            Some(_) => {
                table.reclaim_all();
                let large = table.pools.large();
                let unused: Vec<_> = large.filter(|pool| self.is_unused(pool)).collect();
                let _ = unused.into_iter().any(|pool| table.withdraw(pool));
                table.tell_withdrawal();
            }
            None => {}
        }
        self.next = table.pools.are_looked_after().then_some(now + LOOK);
        self.next
    }

    fn is_unused(&mut self, pool: &Pool) -> bool {
        let uses = Some(pool.uses());
        let before = self.uses.get_mut(usize::from(pool.number()));
        before.is_some_and(|before| std::mem::replace(before, uses) == uses)
    }
}

impl ConnectionTable {
    /// Lets go of what readers have read.
    pub(super) fn reclaim_all(&self) {
        for send_channel in self.send_channels() {
            if let Err(violation) = send_channel.reclaim() {
                self.break_with(&send_channel, &violation.to_string());
            }
        }
    }

    /// Withdraws a pool, if nobody uses it and all readers understand that; else false.
    fn withdraw(&self, pool: &Pool) -> bool {
        self.pools.withdraw(pool, || self.leave_out(pool))
    }

    /// Tells the readers of the withdrawn pool; who has no room is told later.
    fn tell_withdrawal(&self) {
        let Some((number, untold)) = self.pools.untold() else {
            return;
        };
        let (mut told, mut later) = (Vec::new(), Vec::new());
        for send_channel in untold {
            match send_channel.withdraw(number) {
                Some(Ok(withdrawal)) => told.push(withdrawal),
                Some(Err(SendError::Violation(violation))) => {
                    self.break_with(&send_channel, &violation.to_string());
                }
                Some(Err(_)) => later.push(send_channel),
                // Its connection has ended.
                None => {}
            }
        }
        self.pools.note_told(told, later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shm::{ShmReceiver, identity_at};
    use crate::{Listen, Outgoing, Receiver, ShmConfig, ShmTransport, Transport, Wait};
    use bytes::BytesMut;
    use dunlin_wire::Locator;

    const LARGE: usize = 8 << 20;

    fn participant(name: u8) -> ShmTransport {
        let group = 0x5000_0000 | std::process::id();
        let name = [name; 12];
        ShmTransport::new(&ShmConfig { group, name }).unwrap()
    }

    fn listen(transport: &ShmTransport) -> (ShmReceiver, Locator) {
        let receiver = transport.listen(&[Listen::Unicast { port: 0 }]).unwrap();
        receiver.wake_by_doorbell();
        let to = receiver.locators()[0];
        (receiver, to)
    }

    fn send(transport: &ShmTransport, to: Locator, bytes: &[u8]) {
        let datagram = Outgoing {
            to,
            lane: None,
            head: bytes,
            payload: &[],
            tail: &[],
            patient: true,
            dscp: 0,
        };
        let sent = transport.send(&[datagram]);
        assert_eq!((sent.datagrams, sent.failed), (1, 0));
    }

    fn receive(receiver: &mut ShmReceiver, expected: &[u8]) {
        let mut buffer = BytesMut::with_capacity(LARGE + 1024);
        let limit = Instant::now() + Duration::from_secs(20);
        let received = receiver.receive(&mut buffer, Wait::Until(Some(limit)));
        assert_eq!(received.unwrap().unwrap().length, expected.len());
        assert!(buffer == expected);
    }

    /// The reader has read all that there is.
    fn settle(receiver: &mut ShmReceiver) {
        let mut buffer = BytesMut::with_capacity(1024);
        assert!(receiver.sweep(&mut buffer).is_none());
    }

    /// As the porter does, at so many seconds.
    fn look(looks: &mut Looks, transport: &ShmTransport, start: Instant, second: u64) {
        looks.look(&transport.table, start + Duration::from_secs(second));
    }

    #[test]
    fn large_memory_that_nobody_uses_goes_and_comes_again() {
        let (a, b) = (participant(0xa6), participant(0xb6));
        let (mut receiver, to) = listen(&b);
        let (large, small) = (vec![7; LARGE], vec![8; 20_000]);
        let (mut looks, start) = (Looks::default(), Instant::now());
        for round in 0..3 {
            send(&a, to, &small);
            send(&a, to, &large);
            receive(&mut receiver, &small);
            receive(&mut receiver, &large);
            assert!(a.table.pools.large().next().is_some());
            (0..4).for_each(|second| look(&mut looks, &a, start, 10 * round + second));
            assert_eq!(a.table.pools.large().count(), 0);
            settle(&mut receiver);
            look(&mut looks, &a, start, 10 * round + 4);
            assert!(!a.table.pools.are_looked_after());
        }
        assert_eq!(a.table.pools.made(), 2, "the same two pools in each round");
        assert_eq!((a.refused(), b.refused()), (0, 0));
    }

    #[test]
    fn a_reader_that_stands_still_keeps_one_number_and_nothing_from_others() {
        let (a, b, c) = (participant(0xa7), participant(0xb7), participant(0xc7));
        let ((mut still, still_at), (mut receiver, to)) = (listen(&b), listen(&c));
        let large = vec![7; LARGE];
        send(&a, still_at, &large);
        receive(&mut still, &large);
        let (mut looks, start) = (Looks::default(), Instant::now());
        for round in 0..3 {
            (0..4).for_each(|second| look(&mut looks, &a, start, 10 * round + second));
            send(&a, to, &large);
            receive(&mut receiver, &large);
        }
        assert_eq!(a.table.pools.made(), 2, "one waits, the other is used");
        settle(&mut still);
        (0..4).for_each(|second| look(&mut looks, &a, start, 100 + second));
        settle(&mut receiver);
        assert_eq!(a.table.pools.large().count(), 0);
        send(&a, still_at, &large);
        receive(&mut still, &large);
    }

    #[test]
    fn what_is_lent_or_unread_stays_and_so_does_all_beside_a_reader_of_before() {
        let (a, b) = (participant(0xa8), participant(0xb8));
        let (mut receiver, to) = listen(&b);
        let large = vec![7; LARGE];
        let (mut looks, start) = (Looks::default(), Instant::now());
        let mut stays = |begin: u64| {
            (0..4).for_each(|second| look(&mut looks, &a, start, begin + second));
            a.table.pools.large().count() == 1
        };
        let lent = a.chunk(LARGE).unwrap();
        assert!(stays(0), "the application writes it");
        drop(lent);
        send(&a, to, &large);
        assert!(stays(10), "the reader has not read it");
        let peer = identity_at(&to).unwrap();
        a.table
            .change_send_channel(&peer, |channel| channel.heeds_withdrawals = false);
        receive(&mut receiver, &large);
        assert!(stays(20), "the reader would not understand");
        settle(&mut receiver);
        assert_eq!((a.refused(), b.refused()), (0, 0));
        a.table
            .change_send_channel(&peer, |channel| channel.heeds_withdrawals = true);
        assert!(!stays(30));
    }
}
