//! Frames that go out, at once or by way of the queue.
use super::super::frame::{Frame, SHORT, SLICES};
use super::super::send_channel::{Refused, SendChannel};
use super::super::socket;
use super::{BATCH, Connection, EAGER, LONGEST, PATIENCE, Peer, STRANGERS_MOST};
use crate::traits::{Outgoing, Sent};
use dunlin_wire::GuidPrefix;
use std::io::{self, IoSlice};
use std::time::Instant;

/// How long somebody has tried to send one message.
pub(super) struct Effort {
    patient: bool,
    start: Option<Instant>,
}

impl Effort {
    fn new(patient: bool) -> Self {
        Self {
            patient,
            start: None,
        }
    }
}

impl Connection {
    /// Sends these datagrams; stops at the first that finds the connection ended, and returns how
    /// many it has dealt with.
    pub(in crate::tcp) fn send(
        &self,
        name: GuidPrefix,
        datagrams: &[Outgoing<'_>],
        sent: &mut Sent,
    ) -> (usize, Result<(), Refused>) {
        let mut out = self.out();
        let mut done = 0;
        if let Some(first) = datagrams.first().filter(|first| first.dscp > out.dscp) {
            out.dscp = first.dscp;
            socket::mark(&self.fd, first.dscp);
        }
        while let Some(first) = datagrams.get(done) {
            let (count, result) = match datagrams.get(done..).unwrap_or_default() {
                [_] => (1, self.send_one(&mut out, name, first, &mut 0)),
                rest => self.send_batch(&mut out, name, rest),
            };
            match result {
                Ok(()) => sent.datagrams += count,
                Err(refused @ (Refused::Closed(_) | Refused::Retired)) => {
                    return (done, Err(refused));
                }
                Err(refused) => {
                    sent.datagrams += count.saturating_sub(1);
                    sent.fail(refused.to_error());
                }
            }
            done += count;
        }
        (done, Ok(()))
    }

    /// As many as go with one system call; of those dealt with, only the last may be refused.
    #[inline(never)]
    pub(super) fn send_batch(
        &self,
        out: &mut SendChannel,
        name: GuidPrefix,
        datagrams: &[Outgoing<'_>],
    ) -> (usize, Result<(), Refused>) {
        let mut written = 0;
        let usable = !self.is_closed() && !out.finishing;
        if out.open && out.queue.is_empty() && !self.is_secret() && usable {
            let mut slices = [IoSlice::new(&[]); BATCH * SLICES];
            let frames: [Option<Frame<'_>>; BATCH] =
                std::array::from_fn(|at| Frame::new(name, datagrams.get(at)?));
            let fitting = frames.iter().map_while(Option::as_ref);
            let fitting = fitting.take_while(|frame| frame.length() <= self.longest());
            let mut used = 0;
            for (place, frame) in slices.chunks_exact_mut(SLICES).zip(fitting) {
                place.copy_from_slice(&frame.slices(0));
                used += SLICES;
            }
            written = match socket::send(&self.fd, slices.get(..used).unwrap_or_default()) {
                Ok(written) => written,
                Err(error) => return (0, Err(Refused::Closed(error))),
            };
        }
        let mut count = 0;
        for datagram in datagrams.iter().take(BATCH) {
            count += 1;
            if let Err(refused) = self.send_one(out, name, datagram, &mut written) {
                return (count, Err(refused));
            }
        }
        (count, Ok(()))
    }

    /// Sends one datagram, of which and of those behind it `written` bytes are sent already.
    pub(super) fn send_one(
        &self,
        out: &mut SendChannel,
        name: GuidPrefix,
        datagram: &Outgoing<'_>,
        written: &mut usize,
    ) -> Result<(), Refused> {
        let frame = Frame::new(name, datagram).ok_or(Refused::TooLong)?;
        if frame.length() > self.longest() {
            return Err(Refused::TooLong);
        }
        let before = (*written).min(frame.length());
        *written -= before;
        if before == frame.length() {
            return Ok(());
        }
        if self.is_closed() {
            return Err(Refused::Closed(io::ErrorKind::BrokenPipe.into()));
        }
        if out.finishing && before == 0 {
            return Err(Refused::Retired);
        }
        if before == 0 && !out.queue.is_empty() && out.open {
            self.flush(out)?;
            self.await_place(out, &frame, datagram.patient)?;
        }
        if out.open && self.is_secret() {
            return self.send_secret(out, &frame, datagram.patient);
        }
        let mut done = before;
        if out.open && out.queue.is_empty() {
            done = self.push(out, &frame, before, datagram.patient)?;
        }
        if done < frame.length() {
            self.put_by(out, &frame, done)?;
        }
        Ok(())
    }

    /// Seals a message and sends what there is room for.
    pub(super) fn send_secret(
        &self,
        out: &mut SendChannel,
        frame: &Frame<'_>,
        patient: bool,
    ) -> Result<(), Refused> {
        if !out.has_place_for(frame) {
            return Err(Refused::Full);
        }
        let mut effort = Effort::new(patient);
        let mut done = 0;
        while done < frame.length() {
            done += out.seal(frame, done).map_err(Refused::Closed)?;
            let sealed = std::mem::take(&mut out.sealed);
            let mut sent = 0;
            if out.queue.is_empty() {
                let write = |done| socket::send_piece(&self.fd, sealed.get(done..).unwrap_or(&[]));
                sent = write(0).map_err(Refused::Closed)?;
                sent = self.persist(out, &mut effort, sent, sealed.len(), write)?;
            }
            out.queue.extend(sealed.get(sent..).unwrap_or_default());
            out.sealed = sealed;
        }
        self.watch(out);
        Ok(())
    }

    /// Waits a little for room in the queue, if that is worth waiting for.
    pub(super) fn await_place(
        &self,
        out: &mut SendChannel,
        frame: &Frame<'_>,
        patient: bool,
    ) -> Result<(), Refused> {
        let until = Instant::now() + PATIENCE;
        while patient && !out.stuck && !out.has_place_for(frame) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                out.stuck = true;
            } else {
                socket::await_room(&self.fd, left);
                self.flush(out)?;
            }
        }
        Ok(())
    }

    /// The longest message that the peer takes.
    pub(super) fn longest(&self) -> usize {
        match self.peer() {
            Some(Peer::Own(_)) => crate::tcp::MAX_FRAME,
            _ => STRANGERS_MOST,
        }
    }

    /// Writes as much of a message as it can; returns how much.
    pub(super) fn push(
        &self,
        out: &mut SendChannel,
        frame: &Frame<'_>,
        mut done: usize,
        patient: bool,
    ) -> Result<usize, Refused> {
        done += self.begin(frame, done).map_err(Refused::Closed)?;
        let write = |done| socket::send(&self.fd, &frame.slices(done));
        self.persist(out, &mut Effort::new(patient), done, frame.length(), write)
    }

    /// Goes on writing while there is progress; returns how much is written.
    pub(super) fn persist(
        &self,
        out: &mut SendChannel,
        effort: &mut Effort,
        mut done: usize,
        length: usize,
        write: impl Fn(usize) -> io::Result<usize>,
    ) -> Result<usize, Refused> {
        if done == length || out.stuck || !(effort.patient || done > 0) {
            return Ok(done);
        }
        let start = *effort.start.get_or_insert_with(Instant::now);
        let mut progress = Instant::now();
        while done < length {
            let now = Instant::now();
            if now >= progress + PATIENCE || now >= start + LONGEST {
                out.stuck = now >= progress + PATIENCE;
                break;
            }
            match now < progress + EAGER {
                true => std::thread::yield_now(),
                false => socket::await_room(&self.fd, PATIENCE),
            }
            let more = write(done).map_err(Refused::Closed)?;
            if more > 0 {
                progress = Instant::now();
            }
            done += more;
        }
        Ok(done)
    }

    /// Writes what there is room for, without a look at how much that is.
    #[inline]
    pub(super) fn begin(&self, frame: &Frame<'_>, done: usize) -> io::Result<usize> {
        if done == 0
            && frame.length() <= SHORT
            && let Some(piece) = frame.gather(&mut [0; SHORT])
        {
            return socket::send_piece(&self.fd, piece);
        }
        socket::send(&self.fd, &frame.slices(done))
    }

    /// Puts what is left of a message into the queue; one that has not begun only if there is room.
    #[cold]
    pub(super) fn put_by(
        &self,
        out: &mut SendChannel,
        frame: &Frame<'_>,
        done: usize,
    ) -> Result<(), Refused> {
        if done == 0 && !out.has_place_for(frame) {
            return Err(Refused::Full);
        }
        let waiting = match out.open {
            true => &mut out.queue,
            false => &mut out.early,
        };
        for slice in frame.slices(done) {
            waiting.extend(&*slice);
        }
        out.waiting += usize::from(!out.open);
        self.watch(out);
        Ok(())
    }
}
