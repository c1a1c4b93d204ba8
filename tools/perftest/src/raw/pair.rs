//! Two processes and a segment of each: slots of one cache line, and chunks for what does not fit
//! into a slot.
//!
//! A slot is `[message number | length][ack | chunk][members][payload, if it is short]`. The word
//! with the number is written last, and the reader spins on it, so a short message is one cache
//! line from core to core. If nothing is under way a message goes into the first slot, so that of a
//! ping-pong the same lines travel each time. Each message also says how many of the other direction were taken, so
//! that a ping-pong needs no word besides. There are none of the checks and counts that a transport
//! for DDS needs; only what is read from the other process stays inside its segment.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

use dunlin_shm::{Baseline, Segment};

use super::datagram::{Piece, decode, encode};
use super::gathering::Way;
use super::lines::Lines;
use crate::messaging::{OVERHEAD, Sample, Topic};

/// Where in a segment the count of messages is that its owner has taken, and whether it sleeps.
const CURSOR: usize = 0;
const ASLEEP: usize = 64;
const SLOTS: usize = 128;

const LINE: usize = 64;
const PAGE: usize = 4_096;

/// Bytes of a slot behind its first word, and of these, before the payload.
const REST: usize = LINE - 8;
const HEAD: usize = 8 + OVERHEAD;

/// Payload that travels in the slot.
const INLINE: usize = REST - HEAD;

/// Without copies, what is not longer is copied nevertheless: the notes of the protocol, which are
/// read.
const NOTES: usize = 64;

/// Chunks are reused while the processor's own caches still have them.
const CHUNK_BYTES: usize = 512 << 10;

/// The shape of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) slots: u32,
    pub(super) chunks: u32,
    /// Bytes of a chunk.
    pub(super) capacity: u32,
}

impl Shape {
    /// For samples of up to this payload.
    pub(super) fn of(payload: usize) -> Self {
        let capacity = payload.max(LINE).next_multiple_of(LINE);
        Self {
            slots: 256,
            chunks: (CHUNK_BYTES / capacity).clamp(2, 64) as u32,
            capacity: capacity as u32,
        }
    }

    /// Bytes of the segment; `None` for a shape that nobody makes.
    pub(super) fn bytes(self) -> Option<usize> {
        let sane = self.slots.is_power_of_two() && self.slots <= 1 << 16 && self.chunks > 0;
        let chunks = (self.chunks as usize).checked_mul(self.capacity as usize)?;
        sane.then(|| (self.chunks_at() + chunks).next_multiple_of(PAGE))
    }

    fn slot(self, index: u32) -> usize {
        SLOTS + index as usize * LINE
    }

    /// The slot behind this one.
    fn after(self, index: u32) -> u32 {
        (index + 1) & (self.slots - 1)
    }

    fn chunks_at(self) -> usize {
        (SLOTS + self.slots as usize * LINE).next_multiple_of(PAGE)
    }

    fn chunk(self, index: u32) -> usize {
        self.chunks_at() + index as usize * self.capacity as usize
    }
}

/// How one side uses its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) shape: Shape,
    /// It sleeps for messages.
    pub(super) sleeps: bool,
}

/// Memory to send, and to receive.
pub(crate) struct Pair {
    bare: Baseline,
    own: End,
    peer: End,
    /// `-zeroCopy`: payload is neither copied in nor out; a chunk is used as if it had been filled
    /// before.
    copies: bool,
    taken: AtomicU32,
    acknowledged: AtomicU32,
    line: UnixStream,
    id: u32,
}

/// What the sending thread remembers.
pub(super) struct Outlet {
    sent: u64,
    /// For the next message, unless it goes into the first one.
    slot: u32,
    /// The last message that used each chunk.
    used: Vec<u64>,
    next: usize,
}

/// What the receiving thread remembers.
pub(crate) struct Inlet {
    received: u32,
    /// The slot that the next message is in, unless it is in the first one.
    slot: u32,
    buffer: Lines,
}

impl Pair {
    /// Our segment and that of the peer, which has been sent as `fd`; `line` ends with the peer.
    pub(super) fn new(
        own: (&Segment, End),
        peer: (&OwnedFd, End),
        copies: bool,
        line: UnixStream,
        id: u32,
    ) -> Result<Self, String> {
        let bytes = peer
            .1
            .shape
            .bytes()
            .ok_or("a segment of impossible shape")?;
        let view = Segment::map(peer.0, bytes).map_err(|error| error.to_string())?;
        Ok(Self {
            bare: Baseline::new(own.0, view),
            own: own.1,
            peer: peer.1,
            copies,
            taken: AtomicU32::new(0),
            acknowledged: AtomicU32::new(0),
            line,
            id,
        })
    }

    pub(super) fn outlet(&self) -> Outlet {
        Outlet {
            sent: 0,
            slot: 0,
            used: vec![0; self.own.shape.chunks as usize],
            next: 0,
        }
    }

    pub(super) fn inlet(&self) -> Inlet {
        Inlet {
            received: 0,
            slot: 0,
            buffer: Lines::new(self.peer.shape.capacity as usize),
        }
    }

    /// Whether a payload of this length can be sent now.
    pub(super) fn has_room(&self, outlet: &Outlet, length: usize) -> bool {
        if self.room(outlet, length, self.acknowledged.load(Ordering::Acquire)) {
            return true;
        }
        let seen = self.bare.load(CURSOR) as u32;
        self.acknowledged.store(seen, Ordering::Release);
        self.room(outlet, length, seen)
    }

    fn room(&self, outlet: &Outlet, length: usize, acknowledged: u32) -> bool {
        let open = outlet.open(acknowledged);
        open < u64::from(self.own.shape.slots)
            && (length <= INLINE || outlet.chunk(open).is_some_and(|(_, free)| free))
    }

    /// Sends what has room.
    #[inline]
    pub(super) fn send(&self, outlet: &mut Outlet, topic: Topic, sample: &Sample<'_>) {
        let open = outlet.open(self.acknowledged.load(Ordering::Acquire));
        let (number, length) = (outlet.sent + 1, sample.data.len());
        // If nothing is under way it is the first one, which is in the caches. A sleeper watches one
        // word alone, so for it they take turns.
        let index = if open == 0 && !self.peer.sleeps {
            0
        } else {
            outlet.slot
        };
        outlet.slot = self.own.shape.after(index);
        let slot = self.own.shape.slot(index);
        let mut rest = [0; REST];
        rest[..4].copy_from_slice(&self.taken.load(Ordering::Relaxed).to_le_bytes());
        let whole = Piece {
            topic,
            index: 0,
            total: 1,
        };
        rest[8..HEAD].copy_from_slice(&encode(&sample.header, whole));
        let mut used = HEAD;
        if length <= INLINE {
            used += length;
            rest[HEAD..used].copy_from_slice(sample.data);
        } else if let Some((chunk, _)) = outlet.chunk(open) {
            rest[4..8].copy_from_slice(&(chunk as u32).to_le_bytes());
            if self.copies || length <= NOTES {
                self.bare
                    .write(self.own.shape.chunk(chunk as u32), sample.data);
            }
            outlet.used[chunk] = number;
            outlet.next = (chunk + 1) % outlet.used.len();
        }
        self.bare.write(slot + 8, &rest[..used]);
        self.bare
            .store(slot, number & 0xffff_ffff | (length as u64) << 32);
        outlet.sent = number;
        if self.peer.sleeps {
            // Either we see that it sleeps, or it sees the number: the fence in `rest` is the other
            // end.
            fence(Ordering::SeqCst);
            if self.bare.load(ASLEEP) != 0 {
                self.bare.wake(slot);
            }
        }
    }

    /// Takes one message, if there is one.
    #[inline]
    pub(super) fn receive(
        &self,
        inlet: &mut Inlet,
        mut sink: impl FnMut(Topic, &Sample<'_>),
    ) -> Result<bool, String> {
        let number = inlet.received.wrapping_add(1);
        let Some((index, word)) = self.find(inlet.slot, number) else {
            return Ok(false);
        };
        let slot = self.peer.shape.slot(index);
        let length = (word >> 32) as usize;
        let mut rest = [0; REST];
        self.bare.read(slot + 8, &mut rest);
        let wrong = || format!("participant {} sends nonsense", self.id);
        let word =
            |at: usize| u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
        self.acknowledged.store(word(0), Ordering::Release);
        let (header, piece, _) = decode(&rest[8..HEAD]).ok_or_else(wrong)?;
        let data = if length <= INLINE {
            &rest[HEAD..HEAD + length]
        } else {
            let chunk = word(4);
            let into = inlet.buffer.get_mut(..length).ok_or_else(wrong)?;
            if chunk >= self.peer.shape.chunks {
                return Err(wrong());
            }
            if self.copies || length <= NOTES {
                self.bare.read(self.peer.shape.chunk(chunk), into);
            }
            into
        };
        inlet.received = number;
        inlet.slot = self.peer.shape.after(index);
        self.taken.store(number, Ordering::Relaxed);
        self.bare.store(CURSOR, u64::from(number));
        let sample = Sample {
            header,
            data,
            shared: None,
        };
        sink(piece.topic, &sample);
        Ok(true)
    }

    /// Where the message with this number is, and its word: in the slot behind the one before, or in
    /// the first one.
    #[inline]
    fn find(&self, next: u32, number: u32) -> Option<(u32, u64)> {
        [0, next].into_iter().find_map(|index| {
            let word = self.bare.load(self.peer.shape.slot(index));
            (word as u32 == number).then_some((index, word))
        })
    }

    /// Sleeps until a message comes, or for `longest`.
    pub(super) fn rest(&self, inlet: &Inlet, longest: Duration) -> Result<(), String> {
        self.bare.store(ASLEEP, 1);
        // Either the sender sees that we sleep, or we see its message: the fence in `send` is the
        // other end.
        fence(Ordering::SeqCst);
        let slot = self.peer.shape.slot(inlet.slot);
        let word = self.bare.load(slot) as u32;
        let slept = if word == inlet.received.wrapping_add(1) {
            Ok(())
        } else {
            self.bare.sleep(slot, word, longest)
        };
        self.bare.store(ASLEEP, 0);
        slept.map_err(|error| error.to_string())
    }
}

impl Way for Pair {
    fn id(&self) -> u32 {
        self.id
    }

    fn lives(&self) -> bool {
        use rustix::io::Errno;
        use rustix::net::{RecvFlags, recv};
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        let heard = recv(self.line.as_fd(), &mut [0; 1], flags).map(|(length, _)| length);
        matches!(heard, Err(Errno::AGAIN | Errno::INTR) | Ok(1..))
    }
}

impl Outlet {
    /// Messages that the peer has not taken yet.
    fn open(&self, acknowledged: u32) -> u64 {
        u64::from((self.sent as u32).wrapping_sub(acknowledged))
    }

    /// The chunk for the next message, and whether it is free. If nothing is under way it is the
    /// first one, which is in the caches.
    fn chunk(&self, open: u64) -> Option<(usize, bool)> {
        if open == 0 {
            return Some((0, true));
        }
        let used = self.used.get(self.next)?;
        Some((self.next, used + open <= self.sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::Header;

    /// Both sides, in one process.
    pub(super) fn pairs(payload: usize, copies: bool) -> [Pair; 2] {
        let end = End {
            shape: Shape::of(payload),
            sleeps: false,
        };
        let segment = || Segment::new(end.shape.bytes().unwrap()).unwrap();
        let (a, b) = (segment(), segment());
        let fd = |segment: &Segment| segment.as_fd().try_clone_to_owned().unwrap();
        let (here, there) = UnixStream::pair().unwrap();
        let pair =
            |own, peer, line| Pair::new((own, end), (&fd(peer), end), copies, line, 0).unwrap();
        [pair(&a, &b, here), pair(&b, &a, there)]
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

    #[test]
    fn samples_of_all_lengths_arrive_in_order_until_there_is_no_room() {
        for payload in [4, INLINE, INLINE + 1, 996, 62_972, 2 << 20] {
            let [a, b] = pairs(payload, true);
            let data: Vec<u8> = (0..payload).map(|i| (i % 251) as u8).collect();
            let (mut outlet, mut inlet) = (a.outlet(), b.inlet());
            let mut received = 0;
            for sent in 0..3_000u32 {
                while !a.has_room(&outlet, payload) {
                    let taken = b.receive(&mut inlet, |topic, sample| {
                        assert_eq!((topic, sample.header.seq_num), (Topic::Latency, received));
                        assert_eq!(sample.data, data);
                    });
                    assert!(taken.unwrap());
                    received += 1;
                }
                if payload > 1 << 20 && sent > 20 {
                    break;
                }
                a.send(&mut outlet, Topic::Latency, &sample(sent, &data));
            }
            assert!(received > 0);
        }
    }

    #[test]
    fn a_ping_pong_uses_one_chunk_and_no_word_besides() {
        let [a, b] = pairs(1_000, true);
        let (mut out, mut back) = (a.outlet(), b.outlet());
        let (mut here, mut there) = (a.inlet(), b.inlet());
        for seq in 0..1_000 {
            let ping = sample(seq, &[7; 1_000]);
            assert!(a.has_room(&out, 1_000));
            a.send(&mut out, Topic::Throughput, &ping);
            assert!(b.receive(&mut there, |_, _| ()).unwrap());
            assert!(b.has_room(&back, 1_000));
            b.send(&mut back, Topic::Latency, &ping);
            assert!(a.receive(&mut here, |_, _| ()).unwrap());
            assert_eq!(
                (out.next, a.acknowledged.load(Ordering::Relaxed)),
                (1, seq + 1)
            );
            assert_eq!((here.slot, there.slot), (1, 1), "both in the first slot");
        }
    }

    #[test]
    fn garbage_is_noticed_and_death_too() {
        let [a, b] = pairs(1_000, true);
        let mut inlet = b.inlet();
        a.bare.store(a.own.shape.slot(0), 1 | 2_000 << 32);
        assert!(b.receive(&mut inlet, |_, _| ()).is_err());
        assert!(b.lives());
        drop(a);
        assert!(!b.lives());
        let absurd = Shape {
            slots: 3,
            ..Shape::of(8)
        };
        assert_eq!(absurd.bytes(), None);
    }

    #[test]
    fn without_copies_only_notes_are_carried() {
        let [a, b] = pairs(1_000, false);
        let (mut outlet, mut inlet) = (a.outlet(), b.inlet());
        for (length, seen) in [(24, 7), (1_000, 0)] {
            a.send(&mut outlet, Topic::Latency, &sample(0, &vec![7; length]));
            let mut fresh = Inlet {
                received: inlet.received,
                slot: inlet.slot,
                ..b.inlet()
            };
            let taken = b.receive(&mut fresh, |_, sample| {
                assert_eq!((sample.data.len(), sample.data[length - 1]), (length, seen));
            });
            assert!(taken.unwrap());
            (inlet.received, inlet.slot) = (fresh.received, fresh.slot);
        }
    }
}
