//! Pairs of interfaces and the frames that are on their way between the two of each pair.
use crate::dice::Dice;
use crate::frame;
use crate::line::Line;
use crate::settings::Settings;
use dunlin_udp::{Link, interfaces};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Frames that may wait at each end, in bytes.
const QUEUE: usize = 64 << 20;
/// Longer than any frame: interfaces are kept from sending larger ones than their MTU.
const LONGEST: usize = 70_000;
/// Frames that are read from one end before the other has its turn.
const AT_ONCE: usize = 64;
/// A reordered frame is held back for up to so long.
const HOLD: Duration = Duration::from_millis(10);
/// The input is looked at so often at least.
const ATTENTION: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) reordered: u64,
    pub(crate) corrupted: u64,
    /// Frames that the system did not take.
    pub(crate) refused: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            lost,
            doubled,
            reordered,
            corrupted,
            refused,
        } = self;
        write!(
            f,
            "passed={passed} lost={lost} doubled={doubled} reordered={reordered} corrupted={corrupted} refused={refused}"
        )
    }
}

/// A frame that arrives later; the number keeps the order of those that arrive at once.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    at: Instant,
    number: u64,
    to: usize,
    frame: Vec<u8>,
}

/// An interface, as a cable needs it.
pub(crate) trait End: AsFd {
    fn receive(&self, frame: &mut [u8]) -> io::Result<Option<usize>>;
    fn send(&self, frame: &[u8]) -> io::Result<()>;
}

impl End for Link {
    fn receive(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        self.receive(frame)
    }

    fn send(&self, frame: &[u8]) -> io::Result<()> {
        self.send(frame)
    }
}

/// One cable for each pair of ends, whose numbers are 2n and 2n + 1. One thread carries them all,
/// so cables that never sleep take one processor, however many they are.
pub(crate) struct Cables<E = Link> {
    ends: Vec<E>,
    dice: Vec<Dice>,
    /// To each end.
    lines: Vec<Line>,
    flying: BinaryHeap<Reverse<Flying>>,
    number: u64,
    counts: Counts,
}

impl Cables {
    pub(crate) fn open(names: &[String], seed: u64) -> io::Result<Self> {
        let all = interfaces_by_name();
        let end = |name: &String| {
            let index = all.iter().find(|(known, _)| known == name);
            let index = index.ok_or_else(|| io::Error::other(format!("no interface {name}")))?;
            Link::open(index.1, QUEUE)
        };
        let ends = names.iter().map(end).collect::<io::Result<_>>()?;
        Ok(Self::between(ends, seed))
    }
}

impl<E: End> Cables<E> {
    fn between(ends: Vec<E>, seed: u64) -> Self {
        let now = Instant::now();
        let dice = |n| Dice::new(seed ^ (n * 0x5555_5555));
        Self {
            dice: (0..ends.len() as u64).map(dice).collect(),
            lines: ends.iter().map(|_| Line::new(now)).collect(),
            ends,
            flying: BinaryHeap::new(),
            number: 0,
            counts: Counts::default(),
        }
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Waits a little for frames and carries those that came, and those that are due.
    pub(crate) fn turn(&mut self, settings: &Settings) -> io::Result<()> {
        // Who sleeps is late by as much as several frames of a fast line take, and those that came
        // meanwhile would arrive in a bunch.
        if settings.rate <= 0.0 {
            self.wait()?;
        }
        let mut buffer = [0; LONGEST];
        for from in 0..self.ends.len() {
            for _ in 0..AT_ONCE {
                match self.ends[from].receive(&mut buffer) {
                    Ok(Some(length)) => self.carry(from, &mut buffer[..length], settings),
                    Ok(None) => break,
                    // The interface is down; it may come up again.
                    Err(error) if error.raw_os_error() == Some(100) => break,
                    Err(error) => return Err(error),
                }
                // A frame that is due does not wait for all that came at once behind it.
                self.land(Instant::now());
            }
        }
        self.land(Instant::now());
        Ok(())
    }

    fn wait(&self) -> io::Result<()> {
        let due = self.flying.peek().map(|Reverse(next)| next.at);
        let pause = due.map_or(ATTENTION, |at| {
            at.saturating_duration_since(Instant::now()).min(ATTENTION)
        });
        let timeout = Timespec::try_from(pause).map_err(io::Error::other)?;
        let ends = self.ends.iter().map(|end| PollFd::new(end, PollFlags::IN));
        let mut ends = ends.collect::<Vec<_>>();
        match poll(&mut ends, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Decides what becomes of one frame. As many numbers are drawn for each, so that one kind of
    /// fault does not shift others.
    fn carry(&mut self, from: usize, frame: &mut [u8], settings: &Settings) {
        let to = from ^ 1;
        if settings.cut {
            self.counts.lost += 1;
            return;
        }
        frame::clear_checksum(frame);
        if !frame::is_ip(frame) {
            self.send(to, frame);
            return;
        }
        let dice = &mut self.dice[from];
        let lost = dice.percent(settings.loss);
        let doubled = dice.percent(settings.dup);
        let reordered = dice.percent(settings.reorder);
        let corrupted = dice.percent(settings.corrupt);
        let (hold, jitter) = (dice.share(), dice.share());
        let mut own = Dice::new(dice.next());
        if lost {
            self.counts.lost += 1;
            return;
        }
        let mut later = settings.delay + settings.jitter.mul_f64(jitter);
        if reordered {
            self.counts.reordered += 1;
            later += HOLD.mul_f64(hold);
        }
        if corrupted && frame::corrupt(frame, &mut own) {
            self.counts.corrupted += 1;
        }
        self.counts.doubled += u64::from(doubled);
        for _ in 0..=u8::from(doubled) {
            match self.leave(to, frame.len(), settings) {
                None => self.counts.lost += 1,
                Some(took) if (later + took).is_zero() => self.send(to, frame),
                Some(took) => self.launch(to, frame, later + took),
            }
        }
    }

    /// How long it takes until a frame has left; `None` if it finds the queue full.
    fn leave(&mut self, to: usize, length: usize, settings: &Settings) -> Option<Duration> {
        match settings.rate > 0.0 {
            true => self.lines[to].send(Instant::now(), length, settings.rate, settings.queue),
            false => Some(Duration::ZERO),
        }
    }

    fn launch(&mut self, to: usize, frame: &[u8], later: Duration) {
        self.number += 1;
        self.flying.push(Reverse(Flying {
            at: Instant::now() + later,
            number: self.number,
            to,
            frame: frame.to_vec(),
        }));
    }

    fn land(&mut self, now: Instant) {
        while self
            .flying
            .peek()
            .is_some_and(|Reverse(next)| next.at <= now)
        {
            if let Some(Reverse(next)) = self.flying.pop() {
                self.send(next.to, &next.frame);
            }
        }
    }

    fn send(&mut self, to: usize, frame: &[u8]) {
        match self.ends[to].send(frame) {
            Ok(()) => self.counts.passed += 1,
            Err(_) => self.counts.refused += 1,
        }
    }
}

/// By name, with or without an address: a cable's ends have none.
fn interfaces_by_name() -> Vec<(String, u32)> {
    let all = interfaces().unwrap_or_default();
    all.into_iter().map(|i| (i.name, i.index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::fs::File;
    use std::os::fd::BorrowedFd;

    /// At least so long takes the end to read one frame.
    const READS: Duration = Duration::from_micros(20);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Event {
        Read,
        /// To this end, the frame with this last byte.
        Sent(usize, u8),
    }

    /// An end with frames that came at once, and what happened at all ends in turn.
    struct Fake<'e> {
        index: usize,
        waiting: RefCell<Vec<Vec<u8>>>,
        events: &'e RefCell<Vec<Event>>,
        file: File,
    }

    impl AsFd for Fake<'_> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.file.as_fd()
        }
    }

    impl End for Fake<'_> {
        fn receive(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
            let Some(frame) = self.waiting.borrow_mut().pop() else {
                return Ok(None);
            };
            let begun = Instant::now();
            while begun.elapsed() < READS {}
            self.events.borrow_mut().push(Event::Read);
            into[..frame.len()].copy_from_slice(&frame);
            Ok(Some(frame.len()))
        }

        fn send(&self, frame: &[u8]) -> io::Result<()> {
            let last = frame[frame.len() - 1];
            self.events.borrow_mut().push(Event::Sent(self.index, last));
            Ok(())
        }
    }

    /// An IPv4 frame of UDP that takes 12 us at 1 Gb/s.
    fn frame(last: u8) -> Vec<u8> {
        let mut frame = vec![0; 1_476];
        frame[12..15].copy_from_slice(&[8, 0, 0x45]);
        frame[23] = 17;
        frame[1_475] = last;
        frame
    }

    #[test]
    fn frames_that_came_at_once_leave_when_each_is_due() {
        let events = RefCell::default();
        let end = |index: usize| Fake {
            index,
            // What is taken first stands last.
            waiting: RefCell::new(match index {
                0 => (0..20).rev().map(frame).collect(),
                3 => vec![frame(100)],
                _ => Vec::new(),
            }),
            events: &events,
            file: File::open("/dev/null").unwrap(),
        };
        let settings = Settings {
            rate: 1e9,
            ..Settings::default()
        };
        let mut cables = Cables::between((0..4).map(end).collect(), 1);
        while cables.counts().passed < 21 {
            cables.turn(&settings).unwrap();
        }
        let events = events.borrow();
        let at = |event| events.iter().position(|e| *e == event).unwrap();
        let read = events.iter().filter(|e| **e == Event::Read).count();
        assert_eq!(read, 21);
        // The first one's 12 us are over when the second was read, at the latest.
        assert!(at(Event::Sent(1, 0)) <= 2, "{events:?}");
        let sent = |to| {
            events
                .iter()
                .filter(move |e| matches!(e, Event::Sent(end, _) if *end == to))
        };
        assert!((0..20).map(|n| at(Event::Sent(1, n))).is_sorted());
        assert_eq!([0, 1, 2, 3].map(|to| sent(to).count()), [0, 20, 1, 0]);
    }
}
