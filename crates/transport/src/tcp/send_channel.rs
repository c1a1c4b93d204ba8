//! What waits to be sent on one connection.
use std::collections::VecDeque;
use std::io;

use rustix::event::epoll;
use rustls::{AlertDescription, Error};

use super::frame::Frame;
use super::record::MOST;
use super::session::{Inward, Session};

/// An empty queue keeps no more memory than this.
const KEPT: usize = 64 * 1024;

/// Bytes that are sealed before they are sent: the most whole records that one packet of the
/// loopback carries, since the rest of a fourth would travel by itself.
const STEP: usize = 3 * MOST;

/// The sending end: it is locked by whoever sends.
pub(super) struct SendChannel {
    /// The connection is made.
    pub(super) connected: bool,
    /// ... and keys are agreed, if there are any.
    pub(super) open: bool,
    pub(super) session: Option<Session>,
    /// Records on their way to the socket.
    pub(super) sealed: Vec<u8>,
    /// Nothing more will be sent after the queue.
    pub(super) finishing: bool,
    /// What waits until it is open.
    pub(super) early: VecDeque<u8>,
    /// What waits for room.
    pub(super) queue: VecDeque<u8>,
    /// Messages in it, while the connection is not open.
    pub(super) waiting: usize,
    /// Bytes that it may hold.
    pub(super) most: usize,
    /// Somebody has waited in vain for the peer to read: nobody waits again until it has.
    pub(super) stuck: bool,
    /// What the porter was told to wait for.
    pub(super) watched: epoll::EventFlags,
    /// The porter reads.
    pub(super) reading: bool,
    /// The DiffServ code point that it has: the highest of all that was sent by it.
    pub(super) dscp: u8,
}

impl SendChannel {
    /// What has waited until the connection was open goes into the queue.
    pub(super) fn let_go_early(&mut self) -> io::Result<()> {
        self.open = true;
        self.waiting = 0;
        let mut early = std::mem::take(&mut self.early);
        match &mut self.session {
            None => self.queue.append(&mut early),
            Some(session) => session
                .seal_all(early.make_contiguous(), &mut self.queue)
                .map_err(failed)?,
        }
        Ok(())
    }

    /// The first step towards keys.
    pub(super) fn greet(&mut self) -> io::Result<()> {
        self.proceed(&mut Inward::default())
    }

    /// Steps towards keys, or new ones, after what has come.
    pub(super) fn proceed(&mut self, inward: &mut Inward) -> io::Result<()> {
        let Some(session) = &mut self.session else {
            return Ok(());
        };
        session.proceed(inward, &mut self.queue).map_err(failed)?;
        if !self.open && session.is_ready() {
            self.let_go_early()?;
        }
        Ok(())
    }

    /// Nothing more comes.
    pub(super) fn say_goodbye(&mut self) {
        self.say(AlertDescription::CloseNotify);
    }

    /// Why nothing more is read.
    pub(super) fn complain(&mut self, error: &Error) {
        self.say(match error {
            Error::AlertReceived(_) => return,
            Error::DecryptError => AlertDescription::BadRecordMac,
            Error::PeerSentOversizedRecord => AlertDescription::RecordOverflow,
            _ => AlertDescription::UnexpectedMessage,
        });
    }

    fn say(&mut self, alert: AlertDescription) {
        if let Some(session) = &mut self.session {
            // Who cannot say it ends without.
            let _ = session.say(alert, &mut self.queue);
        }
    }

    /// Seals some of a message, of which `done` bytes are sealed already; returns how much.
    pub(super) fn seal(&mut self, frame: &Frame<'_>, done: usize) -> io::Result<usize> {
        let Some(session) = &mut self.session else {
            return Ok(0);
        };
        self.sealed.clear();
        let mut more = 0;
        while more < STEP && done + more < frame.length() {
            let slices = frame.slices(done + more);
            let parts = slices.each_ref().map(|slice| &**slice);
            more += session.seal(&parts, &mut self.sealed).map_err(failed)?;
        }
        Ok(more)
    }

    pub(super) fn has_place_for(&self, frame: &Frame<'_>) -> bool {
        let waiting = self.queue.len().saturating_add(self.early.len());
        // What is encrypted goes through the queue, however long it is.
        waiting.saturating_add(frame.length()) <= self.most
            || (self.session.is_some() && self.open && self.queue.is_empty())
    }

    /// An empty queue need not stay as large as it was.
    pub(super) fn shrink(&mut self) {
        if self.queue.capacity() > KEPT {
            self.queue = VecDeque::new();
        }
    }
}

/// TLS is at fault, or its peer.
pub(super) fn failed(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {error}"))
}

/// Why a datagram was not sent.
#[derive(Debug)]
pub(super) enum Refused {
    /// The peer is behind.
    Full,
    /// The connection has ended.
    Closed(io::Error),
    /// It is not used any more, and another one is.
    Retired,
    /// It is longer than any datagram that the peer takes.
    TooLong,
}

impl Refused {
    pub(super) fn to_error(&self) -> io::Error {
        match self {
            Self::Full => io::ErrorKind::WouldBlock.into(),
            Self::Closed(error) => error.kind().into(),
            Self::Retired => io::ErrorKind::NotConnected.into(),
            Self::TooLong => io::ErrorKind::InvalidInput.into(),
        }
    }
}
