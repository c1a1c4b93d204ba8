//! The peer's entities and the commands that move them.
use crate::journal::Journal;
use crate::options::{Options, seconds};
use crate::sample::Numbered;
use crate::writing::Writing;
use dunlin::{DataReader, DataWriter, DomainParticipant, EntityId, Error, Guid};
use dunlin_robustness_tests::Patience;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a state that nobody signals is looked at.
const LOOK: Duration = Duration::from_millis(2);

pub(crate) struct Peer {
    participant: DomainParticipant,
    writer: Option<DataWriter<Numbered>>,
    reader: Option<DataReader<Numbered>>,
    sizes: Vec<usize>,
    next: Arc<AtomicU32>,
    writing: Option<Writing>,
    journal: Arc<Mutex<Journal>>,
}

impl Peer {
    pub(crate) fn new(options: &Options) -> dunlin::Result<Self> {
        let participant = DomainParticipant::with_config(options.domain, options.config())?;
        let journal = Arc::new(Mutex::new(Journal::default()));
        let topic = |name: &String| participant.create_topic::<Numbered>(name, Default::default());
        let mut peer = Self {
            writer: None,
            reader: None,
            sizes: options.sizes.clone(),
            next: Arc::new(AtomicU32::new(options.first)),
            writing: None,
            journal: Arc::clone(&journal),
            participant: participant.clone(),
        };
        if let Some(name) = &options.write {
            let publisher = participant.create_publisher(Default::default());
            peer.writer = Some(publisher.create_datawriter(&topic(name)?, options.writer())?);
        }
        if let Some(name) = &options.read {
            let subscriber = participant.create_subscriber(Default::default());
            let listener = move |reader: &DataReader<Numbered>| {
                let mut journal = lock(&journal);
                while let Some(sample) = reader.take_next_sample() {
                    if let Some(data) = sample.data() {
                        journal.note(data);
                    }
                }
            };
            let reader = subscriber.create_datareader_with_listener(
                &topic(name)?,
                options.reader(),
                listener,
            )?;
            peer.reader = Some(reader);
        }
        if let Some(rate) = options.auto {
            peer.write(u32::MAX, rate, true);
        }
        Ok(peer)
    }

    /// Who it is, in hexadecimal digits.
    pub(crate) fn introduction(&self) -> String {
        let none = Guid::new(self.participant.guid().prefix, EntityId::UNKNOWN);
        let writer = self.writer.as_ref().map_or(none, |one| one.guid());
        let reader = self.reader.as_ref().map_or(none, |one| one.guid());
        format!("writer={} reader={}", hex(&writer), hex(&reader))
    }

    /// Carries out one command and tells how that went.
    ///
    /// `matched S`, `unmatched S`: waits until every endpoint has a partner, or none has;
    /// `partners N S`: until each has exactly so many; `write N RATE`: begins to write; `next`: the
    /// number of the next sample that it writes; `backlog`: who is behind, and how far; `stop`,
    /// `join`: ends writing, or waits for its end; `acked S`: waits for acknowledgements;
    /// `received N S`: waits until there are so many; `restart`: latencies count from now;
    /// `forget`: everything received counts from now; `report`. `S` are seconds; without them a
    /// wait lasts as long as there is progress. Waits answer with `ms=` or `timeout`.
    pub(crate) fn obey(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |place: usize| words.get(place).and_then(|w| w.parse::<f64>().ok());
        match (words.first().copied(), number(1), number(2)) {
            (Some("matched"), s, _) => self.meets(s, |partners| partners > 0),
            (Some("unmatched"), s, _) => self.meets(s, |partners| partners == 0),
            (Some("partners"), Some(n), s) => self.meets(s, |partners| partners as f64 == n),
            (Some("received"), Some(n), s) => {
                let received = || lock(&self.journal).received;
                wait(s, received, |received| *received as f64 >= n)
            }
            (Some("acked"), ..) => self.acked(),
            (Some("write"), Some(count), Some(rate)) => self.write(count as u32, rate, false),
            (Some("stop"), ..) => {
                self.writing.iter().for_each(Writing::stop);
                self.join()
            }
            (Some("join"), ..) => self.join(),
            (Some("restart"), ..) => {
                lock(&self.journal).restart_clock();
                "restarted".into()
            }
            (Some("forget"), ..) => {
                *lock(&self.journal) = Journal::default();
                "forgotten".into()
            }
            (Some("report"), ..) => self.report(),
            (Some("next"), ..) => format!("next={}", self.next.load(Relaxed)),
            (Some("backlog"), ..) => self.backlog(),
            (Some("discovery"), ..) => self.participant.describe_discovery().join(" | "),
            _ => format!("error=unknown command {line:?}"),
        }
    }

    fn partners(&self) -> Vec<usize> {
        let writer = self.writer.as_ref().map(|one| one.matched_count());
        let reader = self.reader.as_ref().map(|one| one.matched_count());
        writer.into_iter().chain(reader).collect()
    }

    /// Waits until each of its endpoints has as many partners as there should be.
    fn meets(&self, timeout: Option<f64>, enough: impl Fn(usize) -> bool) -> String {
        let all = |partners: &Vec<usize>| partners.iter().all(|of| enough(*of));
        wait(timeout, || self.partners(), all)
    }

    fn acked(&self) -> String {
        let Some(writer) = &self.writer else {
            return "error=no writer".into();
        };
        let (start, mut patience) = (Instant::now(), Patience::begin());
        loop {
            match writer.wait_for_acknowledgments(seconds(1.0)) {
                Ok(()) => return format!("ms={}", start.elapsed().as_millis()),
                Err(Error::Timeout { why, .. }) => {
                    if !patience.lasts(writer.backlog_status().unacknowledged) {
                        return format!("timeout {why}");
                    }
                }
                Err(error) => return format!("error={error}"),
            }
        }
    }

    fn backlog(&self) -> String {
        let Some(writer) = &self.writer else {
            return "error=no writer".into();
        };
        let backlog = writer.backlog_status();
        let slowest = backlog.slowest.map_or("none".into(), |reader| hex(&reader));
        let (behind, kept) = (backlog.unacknowledged, backlog.kept);
        format!("slowest={slowest} behind={behind} kept={kept}")
    }

    fn write(&mut self, count: u32, rate: f64, awaited: bool) -> String {
        match &self.writer {
            Some(writer) if self.writing.is_none() => {
                let next = Arc::clone(&self.next);
                let writing =
                    Writing::start(writer.clone(), next, &self.sizes, count, rate, awaited);
                self.writing = Some(writing);
                "writing".into()
            }
            Some(_) => "error=already writing".into(),
            None => "error=no writer".into(),
        }
    }

    fn join(&mut self) -> String {
        match self.writing.take() {
            Some(writing) => writing.join(),
            None => "error=not writing".into(),
        }
    }

    fn report(&self) -> String {
        let lost = self
            .reader
            .as_ref()
            .map_or(0, |r| r.sample_lost_status().total_count);
        let counters = self.participant.counters();
        let (malformed, refused) = (counters.malformed, counters.memory_refused);
        let rss = resident_kib();
        format!(
            "{} lost={lost} malformed={malformed} refused={refused} connections_refused={} misplaced={} implausible={} rss={rss}",
            lock(&self.journal),
            counters.connections_refused,
            counters.misplaced,
            counters.implausible
        )
    }
}

fn hex(guid: &Guid) -> String {
    let bytes = guid.to_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lock(journal: &Mutex<Journal>) -> MutexGuard<'_, Journal> {
    journal.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until what is seen is `enough`: for so many seconds, or as long as it changes.
fn wait<T: PartialEq>(
    timeout: Option<f64>,
    see: impl Fn() -> T,
    enough: impl Fn(&T) -> bool,
) -> String {
    let (start, mut patience) = (Instant::now(), Patience::begin());
    loop {
        let seen = see();
        if enough(&seen) {
            return format!("ms={}", start.elapsed().as_millis());
        }
        let lasts = match timeout {
            Some(seconds) => start.elapsed().as_secs_f64() <= seconds,
            None => patience.lasts(seen),
        };
        if !lasts {
            return "timeout".into();
        }
        // Hundreds that look often would take the time of those that they wait for.
        std::thread::sleep(LOOK.max(start.elapsed() / 16));
    }
}

/// Memory of this process that is in RAM, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}
