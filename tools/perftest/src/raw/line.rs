//! One connection: messages in a stream, each `[bytes that follow: 4][members: 28][payload]`.
//!
//! Nothing is queued here as long as the other side reads. Of a message that has gone out in part
//! when it stops reading, the rest is kept, since a stream cannot be taken back: otherwise two
//! sides that both send would wait for each other.

use std::io::IoSlice;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg};

use super::datagram::{MAX_DATA_LEN, Piece, decode, encode};
use super::gathering::Way;
use crate::clock::{MILLISECOND, Nanos, monotonic};
use crate::messaging::{OVERHEAD, Sample, Topic, WriteError};

/// The length in front of each message.
const LENGTH: usize = 4;
const HEAD: usize = LENGTH + OVERHEAD;

/// What is received at once if messages are short.
const GULP: usize = 64 << 10;

/// Without progress for so long, the rest of a message is kept.
const PATIENCE: Nanos = MILLISECOND;

/// How long the end waits for what the other side still has to say: to close before it was read
/// would take back what we said.
const FAREWELL: Nanos = 200 * MILLISECOND;

/// A connection to one partner.
pub(crate) struct Line {
    stream: TcpStream,
    id: u32,
    /// It has ended.
    gone: AtomicBool,
}

/// What the sending thread remembers.
#[derive(Default)]
pub(super) struct Outlet {
    /// Of a message that has gone out in part.
    rest: Vec<u8>,
    sent: usize,
}

/// What the receiving thread remembers.
pub(crate) struct Inlet {
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
}

impl Line {
    /// Over a connection on which both sides have said who they are.
    pub(super) fn new(stream: TcpStream, id: u32) -> Self {
        Self {
            stream,
            id,
            gone: AtomicBool::new(false),
        }
    }

    pub(super) fn outlet(&self) -> Outlet {
        Outlet::default()
    }

    pub(super) fn inlet(&self) -> Inlet {
        Inlet {
            buffer: vec![0; GULP],
            begin: 0,
            end: 0,
        }
    }

    /// Sends what was kept; false: there is no room for all of it.
    #[inline]
    pub(super) fn flush(&self, outlet: &mut Outlet) -> bool {
        while let Some(rest) = outlet.rest.get(outlet.sent..).filter(|r| !r.is_empty()) {
            match self.write(&[IoSlice::new(rest)]) {
                Some(0) => return false,
                Some(sent) => outlet.sent += sent,
                None => break,
            }
        }
        outlet.rest.clear();
        outlet.sent = 0;
        true
    }

    /// Sends a message after what was kept is out. `must`: even if nothing of it can be sent now.
    /// True: some of it is kept.
    #[inline]
    pub(super) fn send(
        &self,
        outlet: &mut Outlet,
        topic: Topic,
        sample: &Sample<'_>,
        must: bool,
    ) -> Result<bool, WriteError> {
        let whole = Piece {
            topic,
            index: 0,
            total: 1,
        };
        let mut head = [0; HEAD];
        let length = (OVERHEAD + sample.data.len()) as u32;
        head[..LENGTH].copy_from_slice(&length.to_le_bytes());
        head[LENGTH..].copy_from_slice(&encode(&sample.header, whole));
        let (mut sent, total) = (0, HEAD + sample.data.len());
        let mut stuck: Option<Nanos> = None;
        while sent < total {
            let before = head.get(sent..).unwrap_or_default();
            let data = &sample.data[sent.saturating_sub(HEAD)..];
            match self.write(&[IoSlice::new(before), IoSlice::new(data)]) {
                None => return Ok(false),
                Some(0) if sent == 0 && !must => return Err(WriteError::Timeout),
                Some(0) => {
                    let now = monotonic();
                    if now - *stuck.get_or_insert(now) > PATIENCE {
                        outlet.rest.extend_from_slice(before);
                        outlet.rest.extend_from_slice(data);
                        return Ok(true);
                    }
                    thread::yield_now();
                }
                Some(more) => {
                    sent += more;
                    stuck = None;
                }
            }
        }
        Ok(false)
    }

    /// How much was sent, 0 if there is no room; `None` if the connection has ended: what is lost
    /// with nobody there is lost.
    #[inline]
    fn write(&self, parts: &[IoSlice<'_>]) -> Option<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match sendmsg(
            &self.stream,
            parts,
            &mut SendAncillaryBuffer::default(),
            flags,
        ) {
            Ok(sent) => Some(sent),
            Err(Errno::AGAIN | Errno::INTR | Errno::NOBUFS) => Some(0),
            Err(_) => {
                self.gone.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Takes one message, if there is one; sleeps for it as long as the stream's time-out says if
    /// `blocking`.
    #[inline]
    pub(super) fn receive(
        &self,
        inlet: &mut Inlet,
        blocking: bool,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        if self.deliver(inlet, &mut sink)? {
            return Ok(true);
        }
        if !self.read(inlet, blocking) {
            return Ok(false);
        }
        self.deliver(inlet, &mut sink)?;
        Ok(true)
    }

    /// Hands out a message that is there as a whole; makes room for one that is not.
    #[inline]
    fn deliver(
        &self,
        inlet: &mut Inlet,
        sink: &mut impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        let there = inlet.buffer.get(inlet.begin..inlet.end).unwrap_or_default();
        let Some((length, there)) = there.split_first_chunk::<LENGTH>() else {
            inlet.make_room(HEAD);
            return Ok(false);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if !(OVERHEAD..=MAX_DATA_LEN).contains(&length) {
            return Err(self.nonsense());
        }
        let Some(message) = there.get(..length) else {
            inlet.make_room(LENGTH + length);
            return Ok(false);
        };
        let (header, piece, data) = decode(message).ok_or_else(|| self.nonsense())?;
        let sample = Sample {
            header,
            data,
            shared: None,
        };
        sink(piece.topic, &sample);
        inlet.begin += LENGTH + length;
        Ok(true)
    }

    fn nonsense(&self) -> String {
        format!("participant {} sends nonsense", self.id)
    }

    #[inline]
    fn read(&self, inlet: &mut Inlet, blocking: bool) -> bool {
        let flags = match blocking {
            true => RecvFlags::empty(),
            false => RecvFlags::DONTWAIT,
        };
        let room = inlet.buffer.get_mut(inlet.end..).unwrap_or_default();
        match recv(&self.stream, room, flags) {
            Ok((received @ 1.., _)) => {
                inlet.end += received;
                true
            }
            Err(Errno::AGAIN | Errno::INTR) => false,
            Ok(_) | Err(_) => {
                self.gone.store(true, Ordering::Relaxed);
                if blocking {
                    // Nothing makes this thread wait until somebody has noticed.
                    thread::sleep(std::time::Duration::from_millis(1));
                }
                false
            }
        }
    }
}

impl Inlet {
    /// For a message of this length from its first byte on, and for what comes with it.
    #[inline]
    fn make_room(&mut self, length: usize) {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.begin + length > self.buffer.len() {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        if length > self.buffer.len() {
            self.buffer.resize(length + GULP, 0);
        }
    }
}

impl Way for Line {
    fn id(&self) -> u32 {
        self.id
    }

    fn lives(&self) -> bool {
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        let heard = recv(&self.stream, &mut [0; 1], flags).map(|(length, _)| length);
        !self.gone.load(Ordering::Relaxed)
            && matches!(heard, Err(Errno::AGAIN | Errno::INTR) | Ok(1..))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let until = monotonic() + FAREWELL;
        // Fails only if it has ended already.
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut unread = vec![0; GULP];
        while monotonic() < until {
            match recv(&self.stream, &mut *unread, RecvFlags::DONTWAIT) {
                Ok((1.., _)) => {}
                Err(Errno::AGAIN | Errno::INTR) => {
                    thread::sleep(std::time::Duration::from_millis(1))
                }
                Ok(_) | Err(_) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::Header;
    use std::net::TcpListener;

    fn lines() -> [Line; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let a = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (b, _) = listener.accept().unwrap();
        [Line::new(a, 7), Line::new(b, 8)]
    }

    fn sample(seq_num: u32, data: &[u8]) -> Sample<'_> {
        Sample {
            header: Header {
                seq_num,
                ..Header::default()
            },
            data,
            shared: None,
        }
    }

    /// Sends without ever blocking, and reads when that does not go on.
    fn exchange(payload: usize, count: u32) {
        let [a, b] = lines();
        let data: Vec<u8> = (0..payload).map(|i| (i % 251) as u8).collect();
        let (mut outlet, mut inlet) = (a.outlet(), b.inlet());
        let (mut sent, mut received) = (0, 0);
        while received < count {
            if sent < count && a.flush(&mut outlet) {
                let offered = a.send(&mut outlet, Topic::Latency, &sample(sent, &data), false);
                sent += u32::from(offered.is_ok());
            }
            a.flush(&mut outlet);
            b.receive(&mut inlet, false, |topic, sample| {
                assert_eq!((topic, sample.header.seq_num), (Topic::Latency, received));
                assert!(sample.data == data);
                received += 1;
            })
            .unwrap();
        }
    }

    #[test]
    fn messages_of_all_lengths_arrive_in_order() {
        for (payload, count) in [
            (0, 30_000),
            (4, 30_000),
            (996, 5_000),
            (GULP, 200),
            (12 << 20, 4),
        ] {
            exchange(payload, count);
        }
    }

    #[test]
    fn a_message_without_room_is_refused_as_a_whole_and_one_that_has_begun_is_kept() {
        let [a, b] = lines();
        let mut outlet = a.outlet();
        let data = vec![7; 32 << 20];
        let kept = a.send(
            &mut outlet,
            Topic::Latency,
            &sample(0, &data[HEAD..]),
            false,
        );
        assert_eq!((kept, a.flush(&mut outlet)), (Ok(true), false));
        let refused = a.send(&mut outlet, Topic::Latency, &sample(1, &[1]), false);
        assert_eq!(refused, Err(WriteError::Timeout));
        let (mut inlet, mut whole) = (b.inlet(), 0);
        while whole == 0 {
            a.flush(&mut outlet);
            b.receive(&mut inlet, false, |_, sample| whole = sample.data.len())
                .unwrap();
        }
        assert_eq!(whole, data.len() - HEAD);
    }

    #[test]
    fn garbage_is_noticed_and_the_end_too() {
        let [a, b] = lines();
        assert!(b.lives());
        a.write(&[IoSlice::new(&u32::MAX.to_le_bytes())]);
        let mut inlet = b.inlet();
        let heard = std::iter::repeat_with(|| b.receive(&mut inlet, false, |_, _| ()));
        let fault = heard.take(100_000).find_map(Result::err);
        assert!(fault.is_some_and(|fault| fault.contains("participant 8")));
        let end = thread::spawn(move || drop(a));
        while b.lives() {
            thread::yield_now();
        }
        drop(b);
        end.join().unwrap();
    }
}
