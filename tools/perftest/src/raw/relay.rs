//! The floor of a router: what comes from the publisher goes to the subscriber, what comes from the
//! subscriber goes to the publisher, and nothing else happens.
//!
//! One thread spins over both sides. Where the sides sleep in the kernel instead, each direction
//! has a thread of its own, so that a message still costs one receive and one send.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::floor::Floor;
use super::{PATIENCE, TEND};
use crate::clock::{MILLISECOND, Nanos, SECOND, coarse, monotonic};
use crate::cost::Usage;
use crate::messaging::{Sample, Topic, WriteError};
use crate::options::{Format, RelayOptions};
use crate::output::Log;

/// What sends to the subscriber, and what sends to the publisher.
const SIDES: [&str; 2] = ["publisher", "subscriber"];

/// Turns of the spinning thread between two looks at the clock: a few microseconds.
const TURNS: u32 = 64;

/// Between two looks at a relay whose threads sleep.
const LOOK: Duration = Duration::from_millis(5);

/// How long the one side may stay when the other one has gone.
const FAREWELL: Nanos = 2 * SECOND;

/// Between two questions whether the sides still live.
const PROBE: Nanos = 100 * MILLISECOND;

/// How long a message waits for room before it is dropped.
const ROOM: Nanos = SECOND;

/// What one side has sent. One thread writes it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
    dropped: AtomicU64,
}

impl Tally {
    /// One more has been passed on.
    #[inline]
    pub(super) fn passed(&self, bytes: usize) {
        add(&self.messages, 1);
        add(&self.bytes, bytes as u64);
    }

    /// One more could not be passed on.
    #[cold]
    pub(super) fn dropped(&self) {
        add(&self.dropped, 1);
    }

    fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    fn heard(&self) -> bool {
        self.messages() + self.dropped.load(Ordering::Relaxed) > 0
    }

    fn json(&self) -> Value {
        json!({
            "messages": self.messages(),
            "bytes": self.bytes.load(Ordering::Relaxed),
            "dropped": self.dropped.load(Ordering::Relaxed),
        })
    }
}

/// There is one writer, so nothing has to be locked.
#[inline]
fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

/// Offers a sample to the other side until there is room.
pub(super) fn forward<F: Floor>(
    to: &F,
    topic: Topic,
    sample: &Sample<'_>,
    tally: &Tally,
) -> Result<(), String> {
    let mut until = None;
    loop {
        match to.send(topic, sample) {
            Ok(()) => {
                tally.passed(sample.data_len());
                return Ok(());
            }
            Err(WriteError::Failed(reason)) => return Err(reason),
            Err(WriteError::Timeout) => {
                let now = monotonic();
                if now > *until.get_or_insert(now + ROOM) {
                    tally.dropped();
                    return Ok(());
                }
                thread::yield_now();
            }
        }
    }
}

/// Both sides, and what has passed.
struct Relay<F: Floor> {
    /// The publisher's and the subscriber's.
    sides: [F; 2],
    tallies: [Tally; 2],
}

/// Runs a relay to its end, and prints what it has passed.
pub(crate) fn relay<F: Floor>(
    options: &RelayOptions,
    log: &Log,
    stop: &AtomicBool,
) -> Result<(), String> {
    let blocking = options.input.transport.raw_blocking;
    let relay = Relay {
        sides: [
            F::open(&options.input, blocking)?,
            F::open(&options.output, blocking)?,
        ],
        tallies: Default::default(),
    };
    let mut watch = Watch::new(options, monotonic());
    let outcome = if blocking {
        relay.sleep(&mut watch, log, stop)
    } else {
        relay.spin(&mut watch, log, stop)
    };
    let printed = match watch.started {
        Some(started) => relay.print(options, &started),
        None => Ok(()),
    };
    outcome.and(printed)
}

impl<F: Floor> Relay<F> {
    fn spin(&self, watch: &mut Watch, log: &Log, stop: &AtomicBool) -> Result<(), String> {
        let [publisher, subscriber] = &self.sides;
        let [from_publisher, from_subscriber] = &self.tallies;
        let mut inlets = [publisher.receive_state(), subscriber.receive_state()];
        let [first, second] = &mut inlets;
        let (mut turn, mut empty) = (0u32, 0u32);
        loop {
            let any = publisher.pass(first, subscriber, from_publisher)?
                | subscriber.pass(second, publisher, from_subscriber)?;
            empty = if any { 0 } else { empty.saturating_add(1) };
            turn = turn.wrapping_add(1);
            if turn.is_multiple_of(TURNS) && self.look(watch, log, stop)? {
                return Ok(());
            }
            if empty > PATIENCE {
                // A side may need this very processor.
                thread::yield_now();
            }
        }
    }

    fn sleep(&self, watch: &mut Watch, log: &Log, stop: &AtomicBool) -> Result<(), String> {
        let [publisher, subscriber] = &self.sides;
        let [from_publisher, from_subscriber] = &self.tallies;
        let over = AtomicBool::new(false);
        let direction = |from: &F, to: &F, tally: &Tally| -> Result<(), String> {
            let mut inlet = from.receive_state();
            while !over.load(Ordering::Relaxed) {
                from.pass(&mut inlet, to, tally)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let ways = [
                scope.spawn(|| direction(publisher, subscriber, from_publisher)),
                scope.spawn(|| direction(subscriber, publisher, from_subscriber)),
            ];
            let outcome = loop {
                match self.look(watch, log, stop) {
                    Ok(false) if ways.iter().all(|way| !way.is_finished()) => thread::sleep(LOOK),
                    outcome => break outcome.map(|_| ()),
                }
            };
            over.store(true, Ordering::Relaxed);
            let ways = ways.map(|way| {
                way.join()
                    .unwrap_or_else(|_| Err("a thread panicked".into()))
            });
            ways.into_iter().fold(outcome, Result::and)
        })
    }

    /// Looks after both sides; true: it is over.
    fn look(&self, watch: &mut Watch, log: &Log, stop: &AtomicBool) -> Result<bool, String> {
        if stop.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let now = coarse();
        if now < watch.next {
            return Ok(false);
        }
        watch.next = now + TEND;
        self.sides.iter().for_each(Floor::tend);
        if watch.started.is_some() && now >= watch.probe {
            watch.probe = now + PROBE;
            self.sides.iter().for_each(Floor::probe);
        }
        let heard = self.tallies.each_ref().map(Tally::heard);
        let there = self.sides.each_ref().map(|side| side.partners() > 0);
        match watch.see(now, heard, there) {
            Seen::Nothing => Ok(false),
            Seen::Both => {
                log.line("Both sides are there.");
                Ok(false)
            }
            Seen::End => Ok(true),
            Seen::Silence(side) => Err(format!(
                "the {} has sent nothing within -discoveryTimeout. {}",
                SIDES[side],
                self.sides[side].describe()
            )),
            Seen::Left(side) => Err(format!(
                "the {} has gone, and the {} has not",
                SIDES[side],
                SIDES[1 - side]
            )),
        }
    }

    fn print(&self, options: &RelayOptions, started: &Started) -> Result<(), String> {
        let seconds = (monotonic() - started.at) as f64 / SECOND as f64;
        let all: u64 = self.tallies.iter().map(Tally::messages).sum();
        let cost = Usage::now().since(started.usage).per_sample(all);
        let output = &options.input.output;
        let text = if output.format == Format::Json {
            let [publisher, subscriber] = self.tallies.each_ref().map(Tally::json);
            let summary = json!({
                "from_publisher": publisher,
                "from_subscriber": subscriber,
                "seconds": seconds,
                "cost": cost,
            });
            format!("{}\n", json!({"perftest": [{"summary": summary}]}))
        } else {
            let mut text = String::new();
            if output.headers {
                text.push_str("        Relayed From,     Messages,            Bytes,      Dropped,   CPU Ns/Message\n");
            }
            let cpu = cost.map_or(0.0, |cost| cost.cpu);
            for (name, tally) in SIDES.iter().zip(&self.tallies) {
                let [messages, bytes, dropped] = [&tally.messages, &tally.bytes, &tally.dropped]
                    .map(|count| count.load(Ordering::Relaxed));
                text.push_str(&format!(
                    "{name:>20}, {messages:>12}, {bytes:>16}, {dropped:>12}, {cpu:>16.0}\n"
                ));
            }
            text
        };
        dunlin_campaign::command::print(&text)
    }
}

/// What a look at both sides has found.
#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    /// For the first time both have sent something.
    Both,
    /// It is over, as it should be.
    End,
    /// This side has never sent anything.
    Silence(usize),
    /// This side has gone without the other one.
    Left(usize),
}

/// When both sides were there.
struct Started {
    at: Nanos,
    usage: Usage,
}

/// When a relay ends.
struct Watch {
    /// Both sides are to be there by then.
    deadline: Nanos,
    execution_time: Option<Nanos>,
    started: Option<Started>,
    /// When the first side was found gone.
    gone: Option<Nanos>,
    /// The next look, and the next question.
    next: Nanos,
    probe: Nanos,
}

impl Watch {
    fn new(options: &RelayOptions, now: Nanos) -> Self {
        Self {
            deadline: now.saturating_add(options.input.discovery_timeout),
            execution_time: options.execution_time,
            started: None,
            gone: None,
            next: 0,
            probe: 0,
        }
    }

    fn see(&mut self, now: Nanos, heard: [bool; 2], there: [bool; 2]) -> Seen {
        let Some(started) = &self.started else {
            return match heard.iter().position(|heard| !heard) {
                Some(silent) if now >= self.deadline => Seen::Silence(silent),
                Some(_) => Seen::Nothing,
                None => {
                    let usage = Usage::now();
                    self.started = Some(Started { at: now, usage });
                    Seen::Both
                }
            };
        };
        if self
            .execution_time
            .is_some_and(|time| now >= started.at + time)
        {
            return Seen::End;
        }
        let missing = there.iter().position(|there| !there);
        let Some(missing) = missing else {
            self.gone = None;
            return Seen::Nothing;
        };
        let since = *self.gone.get_or_insert(now);
        match there {
            [false, false] => Seen::End,
            _ if now >= since + FAREWELL => Seen::Left(missing),
            _ => Seen::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(execution_time: Option<Nanos>) -> Watch {
        Watch {
            deadline: 10 * SECOND,
            execution_time,
            started: None,
            gone: None,
            next: 0,
            probe: 0,
        }
    }

    #[test]
    fn it_ends_when_both_sides_have_gone() {
        let mut watch = watch(None);
        assert_eq!(watch.see(0, [true, false], [true; 2]), Seen::Nothing);
        assert_eq!(watch.see(SECOND, [true; 2], [true; 2]), Seen::Both);
        assert_eq!(watch.see(20 * SECOND, [true; 2], [true; 2]), Seen::Nothing);
        assert_eq!(
            watch.see(21 * SECOND, [true; 2], [true, false]),
            Seen::Nothing
        );
        assert_eq!(watch.see(22 * SECOND, [true; 2], [false; 2]), Seen::End);
    }

    #[test]
    fn it_ends_when_its_time_is_over() {
        let mut watch = watch(Some(2 * SECOND));
        assert_eq!(watch.see(3 * SECOND, [true; 2], [true; 2]), Seen::Both);
        assert_eq!(watch.see(4 * SECOND, [true; 2], [true; 2]), Seen::Nothing);
        assert_eq!(watch.see(5 * SECOND, [true; 2], [true; 2]), Seen::End);
    }

    #[test]
    fn who_never_came_and_who_left_alone_is_named() {
        let mut lonely = watch(None);
        assert_eq!(
            lonely.see(9 * SECOND, [true, false], [true; 2]),
            Seen::Nothing
        );
        assert_eq!(
            lonely.see(10 * SECOND, [true, false], [true; 2]),
            Seen::Silence(1)
        );
        let mut left = watch(None);
        assert_eq!(left.see(0, [true; 2], [true; 2]), Seen::Both);
        assert_eq!(left.see(SECOND, [true; 2], [false, true]), Seen::Nothing);
        assert_eq!(
            left.see(3 * SECOND, [true; 2], [false, true]),
            Seen::Left(0)
        );
        // A side that comes back has not gone.
        assert_eq!(left.see(4 * SECOND, [true; 2], [true; 2]), Seen::Nothing);
        assert_eq!(
            left.see(5 * SECOND, [true; 2], [true, false]),
            Seen::Nothing
        );
    }
}
