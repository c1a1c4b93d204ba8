//! Where both sides of a run are started, and what they have to know of each other.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::middle::{Between, Watched};
use crate::record::Middle;
use crate::side::{Ended, Place, Running, Task};
use crate::systems::Trouble;

/// Longest time of a run beyond its measurement.
const OVERTIME: Duration = Duration::from_secs(60);

/// How long a side may go on once the other one has ended.
const FAREWELL: Duration = Duration::from_secs(15);

/// Between two looks at the sides.
const LOOK: Duration = Duration::from_millis(10);

/// The publisher's index among sides; the subscriber's is 1.
pub const PUBLISHER: usize = 0;

/// The subscriber's index among sides.
pub const SUBSCRIBER: usize = 1;

/// How the sides reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// A namespace with loopback only, which carries multicast.
    Namespace,
    /// The host's own loopback: both sides are to use nothing else.
    Loopback,
    /// Two hosts, by the addresses of publisher and subscriber.
    Hosts([Ipv4Addr; 2]),
    /// Three hosts at a switch: of the publisher, of the subscriber and of what is between them.
    Switch([Ipv4Addr; 3]),
}

/// Everything that the runs of a campaign have in common.
pub struct Bench {
    /// Of one measurement.
    pub seconds: f64,
    /// How the sides reach each other.
    pub network: Network,
    /// The processors of publisher and subscriber, where they are told.
    pub pins: [Option<usize>; 2],
    /// Publisher and subscriber.
    pub places: [Box<dyn Place>; 2],
    /// Where routers and relays run, if they can.
    pub between: Option<Between>,
    /// Whether system calls are counted too, in runs of their own.
    pub counts_calls: bool,
    /// The user wants to stop.
    pub stop: Arc<AtomicBool>,
}

impl Bench {
    /// Runs both sides to their ends, the subscriber first, and gives what they printed.
    ///
    /// A side that fails gives the other one some seconds to notice; then both are ended.
    pub fn both(&self, tasks: [Task; 2]) -> Result<[String; 2], Trouble> {
        self.all(tasks, &[]).map(|(outputs, _)| outputs)
    }

    /// The same with routers or relays between the sides: they start before these, are watched, and
    /// end after them. Also gives what they spent.
    pub fn all(
        &self,
        tasks: [Task; 2],
        between: &[Task],
    ) -> Result<([String; 2], Option<Middle>), Trouble> {
        let mut watched = Watched::start(self.between.as_ref(), between, self.seconds)?;
        let [publisher, subscriber] = &tasks;
        let subscriber = self.places[SUBSCRIBER].start(subscriber)?;
        let publisher = self.places[PUBLISHER].start(publisher)?;
        let mut sides = [publisher, subscriber];
        let ended = self.wait(&mut sides, &mut watched)?;
        let [publisher, subscriber] = outputs(ended)?.try_into().unwrap_or_default();
        Ok(([publisher, subscriber], watched.finish(self.seconds)?))
    }

    /// The same with several subscribers: what the publisher printed, and what each of them did.
    pub fn many(
        &self,
        publisher: &Task,
        subscribers: &[Task],
    ) -> Result<(String, Vec<String>), Trouble> {
        let mut watched = Watched::start(None, &[], self.seconds)?;
        let place = &self.places[SUBSCRIBER];
        let started: Result<Vec<_>, _> = subscribers.iter().map(|task| place.start(task)).collect();
        let started = started?;
        let mut sides = vec![self.places[PUBLISHER].start(publisher)?];
        sides.extend(started);
        let ended = self.wait(&mut sides, &mut watched)?;
        let mut outputs = outputs(ended)?.into_iter();
        Ok((outputs.next().unwrap_or_default(), outputs.collect()))
    }

    fn wait(
        &self,
        sides: &mut [Box<dyn Running>],
        watched: &mut Watched,
    ) -> Result<Vec<Ended>, Trouble> {
        let measurement = Duration::try_from_secs_f64(self.seconds).unwrap_or_default();
        let mut until = Instant::now() + measurement + OVERTIME;
        let mut ended: Vec<Option<Ended>> = sides.iter().map(|_| None).collect();
        loop {
            let mut one_ended = false;
            for (side, ended) in sides.iter_mut().zip(&mut ended) {
                if ended.is_none() {
                    *ended = side.ended()?;
                    one_ended |= ended.is_some();
                }
            }
            if one_ended {
                until = until.min(Instant::now() + FAREWELL);
                let subscribers = sides.iter_mut().skip(SUBSCRIBER);
                subscribers.for_each(|subscriber| subscriber.release());
            }
            if ended.iter().all(Option::is_some) {
                return Ok(ended.into_iter().flatten().collect());
            }
            watched.look()?;
            if self.stop.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            if Instant::now() >= until {
                let all = ended.into_iter();
                return Ok(all.map(|one| one.unwrap_or_else(hung)).collect());
            }
            thread::sleep(LOOK);
        }
    }
}

fn hung() -> Ended {
    Ended {
        output: String::new(),
        failure: Some("it did not end in time".into()),
    }
}

/// What both printed, or every reason: that of one side is often only that the other one is gone.
fn outputs(ended: Vec<Ended>) -> Result<Vec<String>, Trouble> {
    let name = |side| {
        if side == PUBLISHER {
            "publisher"
        } else {
            "subscriber"
        }
    };
    let sides = ended.iter().enumerate();
    let reasons: Vec<_> = sides
        .map(|(index, side)| (side, name(index)))
        .filter_map(|(side, name)| Some(format!("{name}: {}", side.failure.as_ref()?)))
        .collect();
    match reasons.as_slice() {
        [] => Ok(ended.into_iter().map(|side| side.output).collect()),
        reasons => Err(Trouble::Failed(reasons.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::{Local, Program};

    fn bench(seconds: f64) -> Bench {
        let here = || -> Box<dyn Place> {
            Box::new(Local {
                perftest: vec![],
                before: vec![],
            })
        };
        Bench {
            seconds,
            network: Network::Namespace,
            pins: [None; 2],
            places: [here(), here()],
            between: Some(Between {
                place: here(),
                pins: [None; 2],
            }),
            counts_calls: false,
            stop: Arc::default(),
        }
    }

    fn shell(script: &str) -> Task {
        Task {
            program: Program::Other("sh".into()),
            arguments: vec!["-c".into(), script.into()],
            environment: vec![("WORD".into(), "hello".into())],
            log: None,
        }
    }

    #[test]
    fn what_both_print_is_there_and_the_subscriber_learns_of_the_end() {
        let both = bench(1.0).both([shell("echo $WORD"), shell("cat; echo over")]);
        assert_eq!(both, Ok(["hello\n".to_string(), "over\n".to_string()]));
    }

    #[test]
    fn the_reason_of_neither_side_is_kept_back() {
        let both = bench(1.0).both([shell("echo Error: gone >&2; exit 1"), shell("kill -9 $$")]);
        let reason = "publisher: gone; subscriber: it was ended by signal 9";
        assert_eq!(both, Err(Trouble::Failed(reason.into())));
    }

    #[test]
    fn what_is_between_the_sides_starts_before_them_and_ends_after_them() {
        let place = tempfile::tempdir().unwrap();
        let mark = place.path().join("mark").display().to_string();
        // A shell cannot trap what was ignored when it started, as it is in a job in the
        // background.
        let router = shell(&format!(
            "exec env --default-signal=INT sh -c \"trap 'rm {mark}; exit 0' INT; echo up > {mark}; \
             while :; do sleep 0.02; done\""
        ));
        let sees = format!("until [ -e {mark} ]; do sleep 0.02; done; sleep 0.3; [ -e {mark} ]");
        let sides = || [shell(&sees), shell(&sees)];
        let (_, middle) = bench(0.2).all(sides(), &[router]).unwrap();
        let middle = middle.unwrap();
        assert!(
            middle.processes == 1 && middle.memory > 100_000,
            "{middle:?}"
        );
        assert!(!std::path::Path::new(&mark).exists());
    }

    #[test]
    fn a_router_that_dies_fails_the_run_with_its_last_lines() {
        let place = tempfile::tempdir().unwrap();
        let router = Task {
            log: Some(place.path().join("log")),
            ..shell("for n in 1 2 3 4; do echo line $n >&2; done; exit 2")
        };
        let sleeps = || [shell("exec sleep 600"), shell("exec sleep 600")];
        let all = bench(600.0).all(sleeps(), &[router]);
        let reason = "router: line 2 / line 3 / line 4";
        assert_eq!(all.map(|_| ()), Err(Trouble::Failed(reason.into())));
        let routers = [shell("exec sleep 600"), shell("kill -9 $$")];
        let all = bench(600.0).all(sleeps(), &routers);
        let reason = "router 2: it was ended by signal 9";
        assert_eq!(all.map(|_| ()), Err(Trouble::Failed(reason.into())));
    }

    #[test]
    fn who_wants_to_stop_does_not_wait() {
        let bench = bench(600.0);
        bench.stop.store(true, Ordering::Relaxed);
        let both = bench.both([shell("exec sleep 600"), shell("exec sleep 600")]);
        assert_eq!(both, Err(Trouble::Interrupted));
    }
}
