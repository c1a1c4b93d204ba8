//! What happens in a run: drawn from a seed, told in words.
use crate::dice::Dice;
use crate::sample::SMALLEST;
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_transport::Faults;
use std::fmt;
use std::time::Duration;

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1000 * MS;

/// When wall clocks may begin, in seconds since 1970: now, and when 32 bits overflow in one way or
/// another.
const NOW: i64 = 1_700_000_000;
const NTP_ERA: i64 = 2_085_978_496;
const SIGNED_END: i64 = 1 << 31;
const UNSIGNED_END: i64 = 1 << 32;

/// Participants, endpoints, and what befalls them. Times are nanoseconds from the start.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    pub(crate) participants: usize,
    /// `None`: a topic without keys; else so many instances.
    pub(crate) instances: Option<u32>,
    /// Each writer has instances of its own.
    pub(crate) private: bool,
    pub(crate) send_key_hash: bool,
    pub(crate) multicast: bool,
    pub(crate) fragment_size: u16,
    /// Percent of writes before which the writer changes between samples in fragments and samples
    /// that go whole.
    pub(crate) whole: u64,
    /// The number of each writer's first change.
    pub(crate) first: i64,
    pub(crate) faults: Faults,
    pub(crate) writers: Vec<WriterPlan>,
    pub(crate) readers: Vec<ReaderPlan>,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) restarts: Vec<Restart>,
    pub(crate) pauses: Vec<Pause>,
    /// What wall clocks show at the start, as nanoseconds since 1970.
    pub(crate) epoch: i64,
    pub(crate) jumps: Vec<Jump>,
}

#[derive(Clone, Debug)]
pub(crate) struct WriterPlan {
    pub(crate) at: usize,
    pub(crate) joins: i64,
    pub(crate) reliability: ReliabilityKind,
    pub(crate) durability: Durability,
    pub(crate) history: History,
    /// RESOURCE_LIMITS max_samples of a KEEP_ALL writer.
    pub(crate) limit: Option<u32>,
    pub(crate) samples: u32,
    pub(crate) interval: i64,
    /// Percent of samples that are large, and how large.
    pub(crate) large: (u64, usize),
    /// Percent of changes that end an instance.
    pub(crate) ends: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct ReaderPlan {
    pub(crate) at: usize,
    pub(crate) joins: i64,
    pub(crate) reliability: ReliabilityKind,
    pub(crate) durability: Durability,
    pub(crate) history: History,
    pub(crate) limit: Option<u32>,
    pub(crate) max_pending: u32,
    pub(crate) taking: Taking,
}

/// How an application takes samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taking {
    AtOnce,
    /// Every so many nanoseconds, at most so many samples.
    Every(i64, usize),
}

/// Participants whose bit is set in `side` are cut off from the others.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) side: u32,
}

/// A participant ends and another one takes its place.
#[derive(Clone, Debug)]
pub(crate) struct Restart {
    pub(crate) who: usize,
    pub(crate) from: i64,
    pub(crate) until: i64,
    /// It says goodbye.
    pub(crate) graceful: bool,
    /// The other one has the same GUID prefix; the first one's lease has run out by then.
    pub(crate) same_prefix: bool,
}

/// A participant does nothing for a while.
#[derive(Clone, Debug)]
pub(crate) struct Pause {
    pub(crate) who: usize,
    pub(crate) from: i64,
    pub(crate) until: i64,
    /// Its machine sleeps: its monotonic clock stands still and what is sent to it is lost.
    /// Otherwise its clock runs on and what comes waits for it.
    pub(crate) asleep: bool,
}

/// The wall clock of a participant, or of all, is set.
#[derive(Clone, Debug)]
pub(crate) struct Jump {
    pub(crate) who: Option<usize>,
    pub(crate) at: i64,
    pub(crate) by: i64,
}

impl Scenario {
    pub(crate) fn draw(seed: u64) -> Self {
        let dice = &mut Dice(seed);
        let participants = 2 + dice.up_to(3);
        let span = i64::try_from(dice.within(500, 30_000)).unwrap() * MS;
        let keyed = dice.percent(60);
        let (writers, readers) = match dice.percent(30) {
            true => (1, 4),
            false => (1 + dice.up_to(3), 1 + dice.up_to(3)),
        };
        let mut scenario = Self {
            seed,
            participants,
            instances: keyed.then(|| u32::try_from(dice.within(1, 10)).unwrap()),
            private: keyed && dice.percent(70),
            send_key_hash: dice.percent(70),
            multicast: dice.percent(20),
            fragment_size: u16::try_from(dice.within(1_000, 63_000)).unwrap(),
            whole: dice.one_of(&[0, 0, 3, 30]),
            first: 1,
            faults: faults(dice),
            writers: Vec::new(),
            readers: Vec::new(),
            partitions: Vec::new(),
            restarts: Vec::new(),
            pauses: Vec::new(),
            epoch: 0,
            jumps: Vec::new(),
        };
        for _ in 0..writers {
            let plan = scenario.draw_writer(dice, span);
            scenario.writers.push(plan);
        }
        for _ in 0..readers {
            let plan = scenario.draw_reader(dice, span);
            scenario.readers.push(plan);
        }
        for _ in 0..often_none(dice) {
            let plan = scenario.draw_partition(dice, span);
            scenario.partitions.push(plan);
        }
        for _ in 0..often_none(dice) {
            scenario.restarts.extend(scenario.draw_restart(dice, span));
        }
        if dice.percent(15) {
            let edge = dice.one_of(&[1 << 31, 1 << 32, i64::MAX - 1000]);
            scenario.first = edge - dice.up_to(100) as i64;
        }
        scenario.draw_clocks(dice, span);
        scenario
    }

    /// Wall clocks that are set, machines that sleep, and who returns under its old name.
    fn draw_clocks(&mut self, dice: &mut Dice, span: i64) {
        self.epoch = SECOND * dice.one_of(&[NOW, NOW, NTP_ERA, SIGNED_END, UNSIGNED_END]);
        self.epoch -= i64::try_from(dice.within(0, 20_000)).unwrap() * MS;
        for _ in 0..often_none(dice) {
            let everybody = dice.percent(30);
            let who = dice.up_to(self.participants - 1);
            let longest = dice.one_of(&[10, 3600, 6 * 3600]);
            let by = i64::try_from(dice.within(1, longest)).unwrap() * SECOND;
            self.jumps.push(Jump {
                who: (!everybody).then_some(who),
                at: i64::try_from(dice.within(0, 1_000)).unwrap() * span / 1000,
                by: if dice.percent(50) { by } else { -by },
            });
        }
        for _ in 0..often_none(dice) {
            let plan = self.draw_pause(dice, span);
            let mut others = self.pauses.iter().filter(|p| p.who == plan.who);
            if others.all(|other| plan.until < other.from || other.until < plan.from) {
                self.pauses.push(plan);
            }
        }
        let mut down: Vec<(usize, i64, i64)> = Vec::new();
        // Who sleeps does not notice how long somebody else is away.
        let notices = self.pauses.is_empty();
        for restart in &mut self.restarts {
            let until = restart.from + i64::try_from(dice.within(14_000, 25_000)).unwrap() * MS;
            let (who, from) = (restart.who, restart.from);
            let free = |d: &(usize, i64, i64)| d.0 != who || until < d.1 || d.2 < from;
            if notices && dice.percent(40) && down.iter().all(free) {
                restart.same_prefix = true;
                restart.until = until;
            }
            down.push((who, from, restart.until));
        }
        let overlap = |a: &Restart, b: &Restart| {
            a.who == b.who && a.from != b.from && a.from <= b.until && b.from <= a.until
        };
        let all = self.restarts.clone();
        self.restarts.retain(|a| !all.iter().any(|b| overlap(a, b)));
    }

    fn draw_pause(&self, dice: &mut Dice, span: i64) -> Pause {
        let from = i64::try_from(dice.within(0, 1_000)).unwrap() * span / 1000 + MS;
        let length = match dice.percent(60) {
            true => dice.within(10, 3_000),
            false => dice.within(3_000, 25_000),
        };
        Pause {
            who: dice.up_to(self.participants - 1),
            from,
            until: from + i64::try_from(length).unwrap() * MS,
            asleep: dice.percent(50),
        }
    }

    fn draw_writer(&self, dice: &mut Dice, span: i64) -> WriterPlan {
        let samples = u32::try_from(dice.within(50, 500)).unwrap();
        let history = history(dice);
        let keep_all = history == History::KeepAll;
        let large = match dice.percent(30) {
            // At most some megabytes per writer: a run must not take long.
            true => dice.one_of(&[(5, 3_000), (3, 70_000), (1, 300_000)]),
            false => (0, 0),
        };
        WriterPlan {
            at: dice.up_to(self.participants - 1),
            joins: late(dice, 30, span),
            reliability: reliability(dice, 85),
            durability: durability(dice, 50),
            history,
            limit: (keep_all && dice.percent(50)).then(|| self.draw_limit(dice)),
            samples,
            interval: match dice.percent(15) {
                true => 0,
                false => span / i64::from(samples),
            },
            large,
            ends: if dice.percent(50) {
                dice.within(1, 15)
            } else {
                0
            },
        }
    }

    /// One sample per round trip is slow enough; a long way or much loss needs more under way.
    fn draw_limit(&self, dice: &mut Dice) -> u32 {
        u32::try_from(dice.within(self.least_limit(), 64)).unwrap()
    }

    fn least_limit(&self) -> u64 {
        let far = self.faults.delay.as_millis() / 20;
        1 + u64::try_from(far).unwrap() + (self.faults.drop * 10.0) as u64
    }

    fn draw_reader(&self, dice: &mut Dice, span: i64) -> ReaderPlan {
        let history = history(dice);
        let keep_all = history == History::KeepAll;
        let limit = (keep_all && dice.percent(30)).then(|| dice.within(1, 64));
        let limit = limit.map(|limit| limit.max(self.least_limit()));
        let taking = match dice.percent(60) {
            true => Taking::AtOnce,
            false => {
                // Who has little room must not take so rarely that writing never ends.
                let slowest = limit.map_or(2_000, |limit| 5 * limit);
                let period = i64::try_from(dice.within(1, slowest)).unwrap() * MS;
                let most = dice.one_of(&[10, 100, usize::MAX]);
                // Nor so little at a time that two thousand samples take minutes.
                let period = if most == 10 {
                    period.min(500 * MS)
                } else {
                    period
                };
                Taking::Every(period, most)
            }
        };
        ReaderPlan {
            at: dice.up_to(self.participants - 1),
            joins: late(dice, 40, span),
            reliability: reliability(dice, 75),
            durability: durability(dice, 40),
            history,
            limit: limit.map(|limit| u32::try_from(limit).unwrap()),
            max_pending: dice.one_of(&[16, 256, 8192]),
            taking,
        }
    }

    fn draw_partition(&self, dice: &mut Dice, span: i64) -> Partition {
        let from = i64::try_from(dice.within(0, 1_000)).unwrap() * span / 1000;
        // The lease is 10 s: some are not noticed, some are, some by one side only.
        let length = match dice.within(0, 2) {
            0 => dice.within(100, 4_000),
            1 => dice.within(4_000, 14_000),
            _ => dice.within(14_000, 25_000),
        };
        let all = (1_u64 << self.participants) - 1;
        Partition {
            from,
            until: from + i64::try_from(length).unwrap() * MS,
            side: u32::try_from(dice.within(1, all - 1)).unwrap(),
        }
    }

    /// `None` if the participant is down already.
    fn draw_restart(&self, dice: &mut Dice, span: i64) -> Option<Restart> {
        let from = i64::try_from(dice.within(0, 1_000)).unwrap() * span / 1000 + MS;
        let until = from + i64::try_from(dice.within(10, 15_000)).unwrap() * MS;
        let who = dice.up_to(self.participants - 1);
        let graceful = dice.percent(30);
        let mut others = self.restarts.iter().filter(|r| r.who == who);
        others
            .all(|other| until < other.from || other.until < from)
            .then_some(Restart {
                who,
                from,
                until,
                graceful,
                same_prefix: false,
            })
    }
}

pub(crate) fn faults(dice: &mut Dice) -> Faults {
    let percent = |dice: &mut Dice, most| dice.within(0, most) as f64 / 100.0;
    let millis = |dice: &mut Dice, most: u64| Duration::from_micros(dice.within(10, most * 1000));
    let longest = dice.one_of(&[1, 20, 100, 500]);
    let delay = millis(dice, longest);
    let worst = dice.one_of(&[0, 10, 30, 60]);
    Faults {
        drop: percent(dice, worst),
        duplicate: percent(dice, 20),
        corrupt: 0.0,
        reorder: percent(dice, 30),
        reorder_by: millis(dice, 200),
        delay,
        jitter: match dice.percent(50) {
            true => delay / 2,
            false => Duration::ZERO,
        },
    }
}

fn often_none(dice: &mut Dice) -> u64 {
    match dice.percent(45) {
        true => 0,
        false => dice.within(1, 3),
    }
}

fn late(dice: &mut Dice, chance: u64, span: i64) -> i64 {
    match dice.percent(chance) {
        true => i64::try_from(dice.within(0, 1_000)).unwrap() * span / 1000,
        false => 0,
    }
}

fn reliability(dice: &mut Dice, reliable: u64) -> ReliabilityKind {
    match dice.percent(reliable) {
        true => ReliabilityKind::Reliable,
        false => ReliabilityKind::BestEffort,
    }
}

fn durability(dice: &mut Dice, transient: u64) -> Durability {
    match dice.percent(transient) {
        true => Durability::TransientLocal,
        false => Durability::Volatile,
    }
}

fn history(dice: &mut Dice) -> History {
    match dice.percent(60) {
        true => History::KeepAll,
        false => History::KeepLast(u32::try_from(dice.one_of(&[1, 2, 10])).unwrap()),
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Faults {
            drop,
            duplicate,
            reorder,
            reorder_by,
            delay,
            jitter,
            ..
        } = self.faults;
        write!(f, "{} participants; ", self.participants)?;
        match self.instances {
            None => writeln!(f, "a topic without keys")?,
            Some(n) if self.private => writeln!(f, "{n} instances of each writer")?,
            Some(n) => writeln!(f, "{n} instances, shared by all writers")?,
        }
        writeln!(
            f,
            "network: loses {:.0} %, repeats {:.0} %, holds {:.0} % back by up to {reorder_by:?}, takes {delay:?} and up to {jitter:?} more",
            drop * 100.0,
            duplicate * 100.0,
            reorder * 100.0,
        )?;
        writeln!(
            f,
            "fragments of {} bytes, or none from {} % of all writes on; key hash sent: {}; multicast: {}; changes are numbered from {}",
            self.fragment_size, self.whole, self.send_key_hash, self.multicast, self.first
        )?;
        for (n, w) in self.writers.iter().enumerate() {
            writeln!(
                f,
                "writer {n} at participant {}: {:?}, {:?}, {:?}, limit {:?}; from {} on {} changes, one each {}; {} % are {} bytes, others {SMALLEST} to 200; {} % end an instance",
                w.at,
                w.reliability,
                w.durability,
                w.history,
                w.limit,
                Seconds(w.joins),
                w.samples,
                Seconds(w.interval),
                w.large.0,
                w.large.1,
                w.ends
            )?;
        }
        for (n, r) in self.readers.iter().enumerate() {
            writeln!(
                f,
                "reader {n} at participant {}: {:?}, {:?}, {:?}, limit {:?}, {} early ones; from {} on, taking {:?}",
                r.at,
                r.reliability,
                r.durability,
                r.history,
                r.limit,
                r.max_pending,
                Seconds(r.joins),
                r.taking
            )?;
        }
        for p in &self.partitions {
            let side = (0..self.participants).filter(|n| p.side & (1 << n) != 0);
            let (from, until) = (Seconds(p.from), Seconds(p.until));
            let side: Vec<_> = side.collect();
            writeln!(f, "participants {side:?} cut off from {from} to {until}")?;
        }
        for r in &self.restarts {
            let how = if r.graceful { "leaves" } else { "crashes" };
            let (from, until) = (Seconds(r.from), Seconds(r.until));
            let name = if r.same_prefix {
                " under the same prefix"
            } else {
                ""
            };
            writeln!(
                f,
                "participant {} {how} at {from} and returns at {until}{name}",
                r.who
            )?;
        }
        for p in &self.pauses {
            let how = if p.asleep { "sleeps" } else { "is stopped" };
            let (from, until) = (Seconds(p.from), Seconds(p.until));
            writeln!(f, "participant {} {how} from {from} to {until}", p.who)?;
        }
        writeln!(f, "wall clocks begin at {}", Seconds(self.epoch))?;
        for j in &self.jumps {
            let (at, by) = (Seconds(j.at), Seconds(j.by));
            match j.who {
                Some(who) => writeln!(f, "that of participant {who} is set by {by} at {at}")?,
                None => writeln!(f, "all are set by {by} at {at}")?,
            }
        }
        Ok(())
    }
}

/// Nanoseconds to read.
pub(crate) struct Seconds(pub(crate) i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.0 as f64 / 1e9)
    }
}
