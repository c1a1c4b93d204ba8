//! Two interfaces and the frames that are on their way between them.
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
/// Frames of a line with a rate that arrive sooner are not slept for: a timer would be late by as
/// much.
const SOON: Duration = Duration::from_micros(200);

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

pub(crate) struct Cable {
    ends: [Link; 2],
    dice: [Dice; 2],
    /// To each end.
    lines: [Line; 2],
    flying: BinaryHeap<Reverse<Flying>>,
    number: u64,
    counts: Counts,
}

impl Cable {
    pub(crate) fn open(a: &str, b: &str, seed: u64) -> io::Result<Self> {
        let all = interfaces_by_name();
        let end = |name: &str| {
            let index = all.iter().find(|(known, _)| known == name);
            let index = index.ok_or_else(|| io::Error::other(format!("no interface {name}")))?;
            Link::open(index.1, QUEUE)
        };
        let now = Instant::now();
        Ok(Self {
            ends: [end(a)?, end(b)?],
            dice: [Dice::new(seed), Dice::new(seed ^ 0x5555_5555)],
            lines: [Line::new(now), Line::new(now)],
            flying: BinaryHeap::new(),
            number: 0,
            counts: Counts::default(),
        })
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Waits a little for frames and carries those that came, and those that are due.
    pub(crate) fn turn(&mut self, settings: &Settings) -> io::Result<()> {
        self.wait(settings)?;
        let mut buffer = [0; LONGEST];
        for from in [0, 1] {
            for _ in 0..AT_ONCE {
                match self.ends[from].receive(&mut buffer) {
                    Ok(Some(length)) => self.carry(from, &mut buffer[..length], settings),
                    Ok(None) => break,
                    // The interface is down; it may come up again.
                    Err(error) if error.raw_os_error() == Some(100) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        self.land(Instant::now());
        Ok(())
    }

    fn wait(&self, settings: &Settings) -> io::Result<()> {
        let due = self.flying.peek().map(|Reverse(next)| next.at);
        let pause = due.map_or(ATTENTION, |at| {
            at.saturating_duration_since(Instant::now()).min(ATTENTION)
        });
        let pause = match settings.rate > 0.0 && pause < SOON {
            true => Duration::ZERO,
            false => pause,
        };
        let timeout = Timespec::try_from(pause).map_err(io::Error::other)?;
        let mut ends = [
            PollFd::new(&self.ends[0], PollFlags::IN),
            PollFd::new(&self.ends[1], PollFlags::IN),
        ];
        match poll(&mut ends, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Decides what becomes of one frame. As many numbers are drawn for each, so that one kind of
    /// fault does not shift others.
    fn carry(&mut self, from: usize, frame: &mut [u8], settings: &Settings) {
        let to = 1 - from;
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
