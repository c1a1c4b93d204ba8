//! The thread that publishes.
use super::{
    EVENTS_TOPIC, EntityEvent, EntityState, EntityStatistics, Hop, ProcessUse, STATE_TOPIC,
    STATISTICS_TOPIC,
};
use crate::plan::Monitoring;
use crate::show::{kind, state};
use crate::state::{EntityKind, HopLatency, Node, State, Tree};
use dunlin::{
    DataWriter, DataWriterQos, DomainParticipant, Durability, History, ParticipantConfig,
    Reliability, TopicData,
};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often the state is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// Looking and publishing take a hundredth of a processor at most.
const SHARE: u32 = 100;
/// Events of one entity that late subscribers get.
const EVENTS: u32 = 8;

/// Publishes what there is of a service until it is dropped.
pub(crate) struct Monitor {
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Monitor {
    /// Joins the domain and begins; `look` tells what there is.
    ///
    /// # Errors
    /// Why the domain cannot be joined, or why the system gives no thread.
    pub(crate) fn start(
        plan: &Monitoring,
        config: ParticipantConfig,
        look: impl Fn() -> Tree + Send + 'static,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let publisher = Publisher::new(plan, config)?;
        let stops = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stops);
        let thread = Builder::new()
            .name("dunlin-monitor".into())
            .spawn(move || publisher.run(&stopped, look))?;
        Ok(Self {
            stops,
            thread: Some(thread),
        })
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.stops.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of that thread was told when it happened.
            let _ = thread.join();
        }
    }
}

/// What is known of an entity.
struct Known {
    state: &'static str,
    reason: String,
    /// The last look that saw it.
    look: u64,
    /// What had passed at the last sampling.
    samples: u64,
    bytes: u64,
    /// Of the periods of sampling.
    samples_per_second: f64,
    bytes_per_second: f64,
    most_samples_per_second: f64,
}

struct Publisher {
    states: DataWriter<EntityState>,
    statistics: DataWriter<EntityStatistics>,
    events: DataWriter<EntityEvent>,
    sampling: Duration,
    publication: Duration,
    known: BTreeMap<String, Known>,
    look: u64,
    /// When it was sampled, published, and how much processor time there had been then.
    sampled: Instant,
    published: Instant,
    busy: Duration,
    // Behind the writers, which are in it.
    _participant: DomainParticipant,
}

impl Publisher {
    fn new(plan: &Monitoring, config: ParticipantConfig) -> dunlin::Result<Self> {
        let participant = DomainParticipant::with_config(plan.domain, config)?;
        let now = Instant::now();
        Ok(Self {
            states: writer(&participant, STATE_TOPIC, 1)?,
            statistics: writer(&participant, STATISTICS_TOPIC, 1)?,
            events: writer(&participant, EVENTS_TOPIC, EVENTS)?,
            sampling: period(plan.sampling_period),
            publication: period(plan.publication_period),
            known: BTreeMap::new(),
            look: 0,
            sampled: now,
            published: now,
            busy: processor_time(),
            _participant: participant,
        })
    }

    fn run(mut self, stops: &AtomicBool, look: impl Fn() -> Tree) {
        while !stops.load(SeqCst) {
            let begun = Instant::now();
            self.publish(&look());
            let wait = LOOK.min(self.sampling).max(begun.elapsed() * SHARE);
            park_timeout(wait);
        }
    }

    /// A sample that cannot be written, such as one that a reader has no room for, is followed by
    /// others.
    fn publish(&mut self, tree: &Tree) {
        self.look += 1;
        let nodes = tree.walk();
        let time = epoch();
        for node in &nodes {
            self.state(node, time);
        }
        self.forget(time);
        let since = self.sampled.elapsed();
        if since >= self.sampling {
            self.sampled = Instant::now();
            nodes.iter().for_each(|node| self.sample(node, since));
        }
        let since = self.published.elapsed();
        if since >= self.publication {
            self.published = Instant::now();
            nodes
                .iter()
                .for_each(|node| self.publish_statistics(node, time, since));
        }
    }

    fn state(&mut self, node: &Node, time: i64) {
        let path = &node.path.0;
        let state = state(&node.state);
        let reason = reason(node);
        let before = match self.known.get_mut(path) {
            Some(known) => {
                known.look = self.look;
                if known.state == state && known.reason == reason {
                    return;
                }
                known.reason.clone_from(&reason);
                std::mem::replace(&mut known.state, state)
            }
            None => {
                let known = Known {
                    state,
                    reason: reason.clone(),
                    look: self.look,
                    samples: node.counters.samples,
                    bytes: node.counters.bytes,
                    samples_per_second: 0.0,
                    bytes_per_second: 0.0,
                    most_samples_per_second: 0.0,
                };
                self.known.insert(path.clone(), known);
                ""
            }
        };
        let kind = kind(node.kind).to_owned();
        let _ = self.states.write(&EntityState {
            path: path.clone(),
            kind: kind.clone(),
            state: state.to_owned(),
            reason: reason.clone(),
            since: time,
        });
        let _ = self.events.write(&EntityEvent {
            path: path.clone(),
            time,
            kind,
            before: before.to_owned(),
            after: state.to_owned(),
            reason,
        });
    }

    /// Tells of entities that are there no more.
    fn forget(&mut self, time: i64) {
        let look = self.look;
        let gone = self.known.iter().filter(|(_, known)| known.look != look);
        let gone: Vec<String> = gone.map(|(path, _)| path.clone()).collect();
        for path in gone {
            let before = self.known.remove(&path).map_or("", |known| known.state);
            let _ = self.events.write(&EntityEvent {
                path: path.clone(),
                time,
                before: before.to_owned(),
                after: "gone".to_owned(),
                ..Default::default()
            });
            let _ = self.statistics.dispose(&EntityStatistics {
                path: path.clone(),
                ..Default::default()
            });
            let _ = self.states.dispose(&EntityState {
                path,
                ..Default::default()
            });
        }
    }

    fn sample(&mut self, node: &Node, since: Duration) {
        let Some(known) = self.known.get_mut(&node.path.0) else {
            return;
        };
        let now = (node.counters.samples, node.counters.bytes);
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / since.as_secs_f64();
        known.samples_per_second = rate(now.0, known.samples);
        known.bytes_per_second = rate(now.1, known.bytes);
        known.most_samples_per_second = known.most_samples_per_second.max(known.samples_per_second);
        (known.samples, known.bytes) = now;
    }

    fn publish_statistics(&mut self, node: &Node, time: i64, since: Duration) {
        let process = match node.kind {
            EntityKind::Service => {
                let busy = processor_time();
                let before = std::mem::replace(&mut self.busy, busy);
                let busy = busy.saturating_sub(before).as_secs_f64();
                Some(ProcessUse {
                    processors: busy / since.as_secs_f64(),
                    resident_bytes: resident_bytes(),
                })
            }
            EntityKind::Route | EntityKind::Input | EntityKind::Output => None,
            _ => return,
        };
        let Some(known) = self.known.get_mut(&node.path.0) else {
            return;
        };
        let counters = &node.counters;
        let _ = self.statistics.write(&EntityStatistics {
            path: node.path.0.clone(),
            time,
            samples: counters.samples,
            bytes: counters.bytes,
            disposes: counters.disposes,
            unregisters: counters.unregisters,
            duplicates: counters.duplicates,
            held_back: counters.held_back,
            dropped_full: counters.dropped_full,
            failed: counters.failed,
            given_up: counters.given_up,
            backlog: counters.backlog,
            backlog_bytes: counters.backlog_bytes,
            matched: u32::try_from(node.matched).unwrap_or(u32::MAX),
            samples_per_second: known.samples_per_second,
            bytes_per_second: known.bytes_per_second,
            most_samples_per_second: std::mem::take(&mut known.most_samples_per_second),
            hop: node.hop.as_ref().map(hop),
            process,
        });
    }
}

/// Not shorter than there are looks; without end is never.
fn period(of: dunlin::Duration) -> Duration {
    Duration::try_from(of).map_or(Duration::MAX, |period| period.max(LOOK))
}

/// For late subscribers, the last `depth` samples of each entity stay.
fn writer<T: TopicData>(
    participant: &DomainParticipant,
    topic: &str,
    depth: u32,
) -> dunlin::Result<DataWriter<T>> {
    let qos = DataWriterQos {
        reliability: Reliability::RELIABLE,
        durability: Durability::TransientLocal,
        history: History::KeepLast(depth),
        ..Default::default()
    };
    participant.writer_with(topic, qos)
}

fn reason(node: &Node) -> String {
    match &node.state {
        State::Failed(reason) => reason.clone(),
        _ => node.note.clone().unwrap_or_default(),
    }
}

fn hop(of: &HopLatency) -> Hop {
    let micros = |time: Duration| time.as_nanos() as f64 / 1_000.0;
    Hop {
        count: of.count,
        p50: micros(of.p50),
        p99: micros(of.p99),
        p9999: micros(of.p9999),
        max: micros(of.max),
    }
}

/// Nanoseconds of the Unix epoch.
fn epoch() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    i64::try_from(nanos).unwrap_or(i64::MAX)
}

/// Of this process, all its threads.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Of this process; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1);
    let pages = pages.and_then(|pages| pages.parse::<u64>().ok());
    let size = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    pages.unwrap_or_default() * size
}
