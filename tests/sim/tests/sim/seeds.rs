//! One seed, one story: run it, judge it, say how to repeat it.
use crate::scenario::{SECOND, Scenario, Seconds};
use crate::verdict;
use crate::world::World;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Seeds that are run unless `DUNLIN_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 3000;
/// So many are run twice.
const TWICE: u64 = 20;
/// Writing takes at most so long, whatever happens.
const LONGEST: i64 = 400 * SECOND;
/// Once all is written, everything arrives within so long on the faulty network.
const SETTLING: i64 = 200 * SECOND;

struct Story {
    world: World,
}

impl Story {
    fn tell(scenario: &Scenario) -> Self {
        let mut story = Self {
            world: World::new(scenario),
        };
        story.write();
        story.settle(SETTLING);
        story.world.heal();
        story.pass(60 * SECOND);
        if !story.is_well() {
            return story;
        }
        story.world.begin_epilogue();
        story.write();
        story.settle(SETTLING);
        story.pass(5 * SECOND);
        story.world.take_all();
        if story.is_well() {
            let wrong = verdict::wrong_at_the_end(&story.world);
            wrong
                .into_iter()
                .for_each(|what| story.world.ledger.fail(what));
            story.listen_to_silence();
        }
        story
    }

    fn is_well(&self) -> bool {
        self.world.ledger.failures.is_empty()
    }

    fn pass(&mut self, time: i64) {
        let end = self.world.now + time;
        while self.world.now < end && self.is_well() {
            let next = end.min(self.world.now + SECOND / 2);
            self.world.run_until(next);
            let over = verdict::over_bounds(&self.world);
            over.into_iter()
                .for_each(|what| self.world.ledger.fail(what));
        }
    }

    fn write(&mut self) {
        let end = self.world.now + LONGEST;
        while !self.world.is_done() && self.is_well() {
            if self.world.now >= end {
                let what = self.world.unwritten();
                return self.world.ledger.fail(format!("after a long time {what}"));
            }
            self.pass(SECOND);
        }
    }

    fn settle(&mut self, time: i64) {
        let end = self.world.now + time;
        while self.is_well() {
            let Some(what) = verdict::lacking(&self.world) else {
                return;
            };
            if self.world.now >= end {
                return self.world.ledger.fail(format!("still {what}"));
            }
            self.pass(SECOND);
        }
    }

    /// Participants that have nothing to do announce themselves now and then, and no more.
    fn listen_to_silence(&mut self) {
        let before = self.world.datagrams();
        self.pass(30 * SECOND);
        let said = self.world.datagrams() - before;
        let pairs = u64::try_from(self.world.participants().count())
            .unwrap()
            .pow(2);
        if said > 30 * pairs {
            let what = format!("{said} datagrams in 30 s of silence");
            self.world.ledger.fail(what);
        }
    }
}

pub(crate) fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().expect("a number"))
}

/// What went wrong with a seed, in words.
fn failure(seed: u64) -> Option<String> {
    let scenario = Scenario::draw(seed);
    let story = Story::tell(&scenario);
    let world = &story.world;
    let failures = &world.ledger.failures;
    if std::env::var_os("DUNLIN_SIM_VERBOSE").is_some() {
        eprintln!(
            "seed {seed}: {} steps, {} datagrams, until {}",
            world.steps,
            world.datagrams(),
            Seconds(world.now)
        );
    }
    (!failures.is_empty()).then(|| report(seed, &scenario, world.now, failures))
}

fn report(seed: u64, scenario: &Scenario, now: i64, failures: &[String]) -> String {
    let (now, failures) = (Seconds(now), failures.join("\n"));
    format!(
        "seed {seed} at {now}: {failures}\n{scenario}repeat it with DUNLIN_SIM_SEED={seed} cargo test -p dunlin-sim-tests seeds\n"
    )
}

#[test]
fn a_seed_takes_the_same_course_each_time() {
    let course = |seed| Story::tell(&Scenario::draw(seed)).world.trace();
    let all: Vec<u64> = (0..TWICE).map(course).collect();
    let again: Vec<u64> = (0..TWICE).map(course).collect();
    assert_eq!(all, again);
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn a_seed_that_fails_says_how_to_repeat_it() {
    let command = "DUNLIN_SIM_SEED=7 cargo test -p dunlin-sim-tests seeds";
    let said = report(7, &Scenario::draw(7), 5 * SECOND, &["it is wrong".into()]);
    assert!(
        said.starts_with("seed 7 at 5.000 s: it is wrong\n"),
        "{said}"
    );
    assert!(said.contains(command), "{said}");
}

/// As `failure`; a panic is one as well.
fn outcome(seed: u64) -> Option<String> {
    catch_unwind(|| failure(seed))
        .unwrap_or_else(|_| Some(format!("seed {seed} panicked\n{}", Scenario::draw(seed))))
}

#[test]
fn seeds() {
    let seeds = match number("DUNLIN_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("DUNLIN_SIM_SEEDS").unwrap_or(SEEDS),
    };
    let next = AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mine = std::iter::from_fn(|| {
                let seed = next.fetch_add(1, SeqCst);
                (seed < seeds.end).then_some(seed)
            });
            mine.filter_map(outcome).collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap())
            .collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
