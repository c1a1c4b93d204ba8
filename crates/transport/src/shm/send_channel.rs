//! The sending end of a connection.
use crate::panics::log;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dunlin_lock::{Guard, Lock};
use dunlin_shm::{
    ControlSocket, Identity, Pool, Published, SendError, Sender, Violation, Withdrawal,
};
use dunlin_wire::Locator;

use super::pools::Pools;
use crate::traits::Outgoing;

/// Larger datagrams travel in a chunk: from here on one copy costs less than many slots.
const INLINE: usize = 4 * 1024;
/// Less than this is copied though it lies in a chunk, and so is not given one: looking after the
/// chunk costs more.
pub(super) const ATTACHED: usize = 512;
/// How long a patient datagram waits for room, and how often it looks before it lets others run.
const PATIENCE: Duration = Duration::from_millis(5);
const LOOKS: u32 = 100;
/// How long one that may be lost waits: the time in which a reader that keeps up reads several.
const MOMENT: Duration = Duration::from_micros(20);
const NAP: Duration = Duration::from_micros(20);

/// One way to one port of a peer.
#[derive(Debug)]
pub(crate) struct SendChannel {
    pub(super) identity: Identity,
    pub(super) locator: Locator,
    /// Where chunks are from.
    pools: Arc<Pools>,
    /// The reader understands that pools are withdrawn.
    pub(super) heeds_withdrawals: bool,
    end: Lock<End>,
}

#[derive(Debug)]
struct End {
    /// `None` once the connection has ended.
    sender: Option<Sender>,
    /// Somebody has waited in vain for the reader to read: nobody waits again until it has.
    stuck: bool,
}

/// What a datagram consists of.
pub(crate) type Parts<'a> = [&'a [u8]; 3];

/// Why a datagram was not sent.
#[derive(Debug)]
pub(super) enum Refused {
    /// The reader is behind.
    Full,
    /// The connection has ended.
    Closed,
    /// It is longer than any datagram.
    TooLong,
    /// No memory could be had for it.
    NoMemory,
    /// The reader broke the rules.
    Broken(Violation),
}

impl Refused {
    pub(super) fn to_error(&self) -> io::Error {
        let kind = match self {
            Self::Full => io::ErrorKind::WouldBlock,
            Self::Closed | Self::Broken(_) => io::ErrorKind::BrokenPipe,
            Self::TooLong => io::ErrorKind::InvalidInput,
            Self::NoMemory => io::ErrorKind::OutOfMemory,
        };
        kind.into()
    }
}

impl From<SendError> for Refused {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Full => Self::Full,
            SendError::TooLong | SendError::OutOfRange => Self::TooLong,
            SendError::Violation(violation) => Self::Broken(violation),
        }
    }
}

impl SendChannel {
    pub(super) fn new(identity: Identity, sender: Sender, pools: Arc<Pools>) -> Self {
        Self {
            identity,
            pools,
            heeds_withdrawals: sender.heeds_withdrawals(),
            locator: super::locator(&identity),
            end: Lock::new(End {
                sender: Some(sender),
                stuck: false,
            }),
        }
    }

    fn end(&self) -> Guard<'_, End> {
        self.end.lock()
    }

    /// Sends nothing any more, and lets go of what the reader has not read; false if it did before.
    pub(super) fn close(&self) -> bool {
        let sender = self.end().sender.take();
        sender.is_some()
    }

    /// Lets go of what the reader has read.
    pub(super) fn reclaim(&self) -> Result<(), Violation> {
        self.end().sender.as_mut().map_or(Ok(()), Sender::reclaim)
    }

    /// Tells the reader that a pool is withdrawn; `None` if the connection has ended.
    pub(super) fn withdraw(&self, pool: u8) -> Option<Result<Withdrawal, SendError>> {
        let mut end = self.end();
        let sender = end.sender.as_mut()?;
        let withdrawal = sender.try_withdraw(pool);
        sender.notify();
        Some(withdrawal)
    }

    /// As `send`, of a short datagram, or a chunk and little around it, for which there is room;
    /// false if it is not so simple.
    pub(crate) fn put(&self, parts: &Parts<'_>) -> bool {
        let mut end = self.end();
        let End { sender, stuck } = &mut *end;
        let Some(sender) = sender.as_mut().filter(|_| !*stuck) else {
            return false;
        };
        let put = match *parts {
            [head, [], []] => head.len() <= INLINE && sender.try_send(&[head]).is_ok(),
            _ => matches!(attach(sender, &self.pools, parts), Some(Ok(()))),
        };
        if put {
            sender.notify();
        }
        put
    }

    /// Sends one datagram. `filled` is the chunk that was filled for another reader before, and
    /// with what.
    pub(super) fn send<'a>(
        &self,
        datagram: &Outgoing<'a>,
        filled: &mut Option<(Parts<'a>, Published)>,
    ) -> Result<(), Refused> {
        let parts = [datagram.head, datagram.payload, datagram.tail];
        let mut end = self.end();
        let End { sender, stuck } = &mut *end;
        let sender = sender.as_mut().ok_or(Refused::Closed)?;
        let pools = &*self.pools;
        let mut put = try_to(sender, pools, &parts, filled);
        if matches!(put, Err(Refused::Full)) && !*stuck {
            let patience = if datagram.patient { PATIENCE } else { MOMENT };
            put = wait(patience, || try_to(sender, pools, &parts, filled));
            *stuck = matches!(put, Err(Refused::Full));
        } else if put.is_ok() && *stuck {
            // Samples that may be lost are not held up again by a reader that is slow rather than
            // late.
            *stuck = !datagram.patient && !sender.is_drained().map_err(Refused::Broken)?;
        }
        put?;
        sender.notify();
        Ok(())
    }
}

fn try_to<'a>(
    sender: &mut Sender,
    pools: &Pools,
    parts: &Parts<'a>,
    filled: &mut Option<(Parts<'a>, Published)>,
) -> Result<(), Refused> {
    if let Some(put) = attach(sender, pools, parts) {
        return put;
    }
    let [head, payload, tail] = *parts;
    if head.len() + payload.len() + tail.len() <= INLINE {
        let used = match payload.len() + tail.len() {
            0 => &parts[..1],
            _ => parts,
        };
        return Ok(sender.try_send(used)?);
    }
    match filled {
        Some((before, chunk)) if is_same(before, parts) => Ok(sender.try_send_chunk(chunk)?),
        _ => {
            // Before, so that the chunk which is still in the caches is used again.
            sender.reclaim().map_err(Refused::Broken)?;
            let chunk = fill(sender, pools, parts)?;
            sender.try_send_chunk(&chunk)?;
            *filled = Some((*parts, chunk));
            Ok(())
        }
    }
}

/// Sends the descriptor of the chunk that the payload lies in, with what is around it; `None` if it
/// lies in none.
#[inline]
fn attach(sender: &mut Sender, pools: &Pools, parts: &Parts<'_>) -> Option<Result<(), Refused>> {
    let [head, payload, tail] = *parts;
    if head.len() + tail.len() > INLINE || payload.len() < ATTACHED {
        return None;
    }
    let (chunk, range) = pools.find(payload)?;
    let sent = match tail {
        [] => sender.try_send_attached(&[head], head.len(), chunk, range),
        _ => sender.try_send_attached(&[head, tail], head.len(), chunk, range),
    };
    // After sending, when nobody waits for it.
    let mut look_after = || sender.reclaim_some().map_err(Refused::Broken);
    Some(sent.map_err(Refused::from).and_then(|()| look_after()))
}

/// Copies all parts into a chunk.
fn fill(sender: &mut Sender, pools: &Pools, parts: &Parts<'_>) -> Result<Published, Refused> {
    let length = parts.iter().map(|part| part.len()).sum();
    if length > super::MAX_DATAGRAM {
        return Err(Refused::TooLong);
    }
    let mut chunk = pools
        .allocate(length)
        .ok_or_else(|| match pools.has(length) {
            true => Refused::Full,
            false => Refused::NoMemory,
        })?;
    // Before the copy, which would be for nothing.
    sender.has_place_for(&chunk)?;
    let mut at = 0;
    for part in parts {
        chunk.write(at, part).map_err(|_| Refused::TooLong)?;
        at += part.len();
    }
    Ok(chunk.publish())
}

/// Tries again while there is hope that the reader reads.
fn wait(patience: Duration, mut again: impl FnMut() -> Result<(), Refused>) -> Result<(), Refused> {
    let until = Instant::now() + patience;
    loop {
        for _ in 0..LOOKS {
            match again() {
                Err(Refused::Full) => std::hint::spin_loop(),
                other => return other,
            }
        }
        if Instant::now() >= until {
            return Err(Refused::Full);
        }
        if patience > MOMENT {
            std::thread::sleep(NAP);
        }
    }
}

/// The very same bytes, not equal ones.
fn is_same(a: &Parts<'_>, b: &Parts<'_>) -> bool {
    a.iter().zip(b).all(|(a, b)| std::ptr::eq(*a, *b))
}

/// Makes a pool known to a peer.
pub(super) fn announce(line: &ControlSocket, pool: &Pool) {
    if let Err(error) = line.announce(pool) {
        log::debug!(%error, "a peer does not hear of new memory");
    }
}
