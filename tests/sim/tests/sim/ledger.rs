//! What was written, who was matched with whom, and what was taken; each sample is checked as it is
//! taken.
use crate::participant::Taken;
use crate::sample::Written;
use dunlin_rtps::{ChangeKind, InstanceHandle, InstanceState};
use dunlin_wire::{Guid, SequenceNumber, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

/// Every check that looks at what was written before needs it to the end, but for a very long run.
#[derive(Default)]
pub(crate) struct Ledger {
    /// How many changes of each writer are remembered at least, and nobody who is gone; all if
    /// `None`.
    pub(crate) memory: Option<usize>,
    /// A fingerprint of what was taken, in order.
    pub(crate) course: DefaultHasher,
    pub(crate) writers: BTreeMap<Guid, WriterRecord>,
    pub(crate) readers: BTreeMap<Guid, ReaderRecord>,
    pub(crate) failures: Vec<String>,
}

/// One writer in one life of its participant.
pub(crate) struct WriterRecord {
    pub(crate) plan: usize,
    /// Distinguishes it from all others, also from those before it.
    pub(crate) number: u32,
    pub(crate) alive: bool,
    /// The number before that of the first change.
    pub(crate) origin: i64,
    /// All but so many that are forgotten.
    pub(crate) changes: Vec<Written>,
    pub(crate) forgotten: usize,
    pub(crate) readers: BTreeMap<Guid, Sink>,
    pub(crate) incompatible: BTreeSet<Guid>,
    /// The last number before the time when the network became perfect.
    pub(crate) before_epilogue: i64,
}

/// What a writer knows of a reader.
#[derive(Default)]
pub(crate) struct Sink {
    pub(crate) matched: bool,
    pub(crate) matches: u32,
    /// The writer's last number when the present match began.
    pub(crate) last: i64,
    /// The same when the first match began.
    pub(crate) first_last: i64,
}

/// One reader in one life of its participant.
pub(crate) struct ReaderRecord {
    pub(crate) plan: usize,
    pub(crate) alive: bool,
    pub(crate) writers: BTreeMap<Guid, Source>,
    pub(crate) states: BTreeMap<InstanceHandle, InstanceState>,
    pub(crate) incompatible: BTreeSet<Guid>,
}

/// What a reader had from a writer.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) matched: bool,
    pub(crate) matches: u32,
    /// The last number taken, whatever matches began and ended since.
    pub(crate) last: i64,
    /// Samples with data.
    pub(crate) taken: BTreeSet<i64>,
}

impl WriterRecord {
    pub(crate) fn last(&self) -> i64 {
        self.origin + i64::try_from(self.forgotten + self.changes.len()).unwrap()
    }

    pub(crate) fn change(&self, sequence: i64) -> Option<&Written> {
        let index = usize::try_from(sequence - self.origin - 1).ok()?;
        self.changes.get(index.checked_sub(self.forgotten)?)
    }

    /// All changes with their numbers.
    pub(crate) fn numbered(&self) -> impl DoubleEndedIterator<Item = (i64, &Written)> {
        let first = self.origin + 1 + self.forgotten as i64;
        let changes = self.changes.iter().enumerate();
        changes.map(move |(n, change)| (first + n as i64, change))
    }
}

impl Ledger {
    pub(crate) fn fail(&mut self, what: String) {
        if self.failures.len() < 10 {
            self.failures.push(what);
        }
    }

    pub(crate) fn reader_matched(&mut self, writer: Guid, reader: Guid, last: SequenceNumber) {
        let Some(record) = self.writers.get_mut(&writer) else {
            return self.fail(format!("{writer} is unknown and matched"));
        };
        let sink = record.readers.entry(reader).or_default();
        let twice = std::mem::replace(&mut sink.matched, true);
        sink.matches += 1;
        sink.last = last.0;
        if sink.matches == 1 {
            sink.first_last = last.0;
        }
        if twice {
            self.fail(format!("{writer} matched {reader} twice"));
        }
    }

    pub(crate) fn reader_unmatched(&mut self, writer: Guid, reader: Guid) {
        let record = self.writers.get_mut(&writer);
        let sink = record.and_then(|w| w.readers.get_mut(&reader));
        if !sink.is_some_and(|s| std::mem::replace(&mut s.matched, false)) {
            self.fail(format!("{writer} lost {reader}, which it did not have"));
        }
    }

    pub(crate) fn writer_matched(&mut self, reader: Guid, writer: Guid) {
        let Some(record) = self.readers.get_mut(&reader) else {
            return self.fail(format!("{reader} is unknown and matched"));
        };
        let source = record.writers.entry(writer).or_default();
        let twice = std::mem::replace(&mut source.matched, true);
        source.matches += 1;
        if twice {
            self.fail(format!("{reader} matched {writer} twice"));
        }
    }

    pub(crate) fn writer_unmatched(&mut self, reader: Guid, writer: Guid) {
        let record = self.readers.get_mut(&reader);
        let source = record.and_then(|r| r.writers.get_mut(&writer));
        if !source.is_some_and(|s| std::mem::replace(&mut s.matched, false)) {
            self.fail(format!("{reader} lost {writer}, which it did not have"));
        }
    }

    /// Forgets what is old, if it may.
    pub(crate) fn forget(&mut self) {
        let Some(most) = self.memory else {
            return;
        };
        let writers = &self.writers;
        let known = |guid: &Guid| {
            let mut sinks = writers.values().filter_map(|w| w.readers.get(guid));
            sinks.any(|sink| sink.matched)
        };
        self.readers.retain(|guid, r| r.alive || known(guid));
        let readers = &self.readers;
        let known = |guid: &Guid| {
            let mut sources = readers.values().filter_map(|r| r.writers.get(guid));
            sources.any(|source| source.matched)
        };
        self.writers.retain(|guid, w| w.alive || known(guid));
        for writer in self.writers.values_mut() {
            let readers = &self.readers;
            writer.readers.retain(|guid, _| readers.contains_key(guid));
            if writer.changes.len() > 2 * most {
                let old = writer.changes.len() - most;
                writer.changes.drain(..old);
                writer.changes.shrink_to(4 * most);
                writer.forgotten += old;
            }
        }
        for reader in self.readers.values_mut() {
            let writers = &self.writers;
            reader.writers.retain(|guid, _| writers.contains_key(guid));
        }
    }

    pub(crate) fn took(&mut self, reader: Guid, sample: &Taken) {
        if let Err(what) = self.check(reader, sample) {
            let number = sample.info.sequence.0;
            let writer = sample.info.publication;
            self.fail(format!("{reader} took {number} of {writer}: {what}"));
        }
    }

    fn check(&mut self, reader: Guid, sample: &Taken) -> Result<(), String> {
        let info = &sample.info;
        let record = self.readers.get_mut(&reader).ok_or("unknown reader")?;
        record.states.insert(info.instance, info.instance_state);
        let writer = self.writers.get(&info.publication);
        let writer = writer.ok_or("unknown writer")?;
        if info.sequence.0 == 0 {
            return match info.valid_data {
                true => Err("data without a number".into()),
                false => Ok(()),
            };
        }
        let change = writer.change(info.sequence.0).ok_or("never written")?;
        if change.handle() != info.instance {
            return Err("another instance".into());
        }
        if info.valid_data != (change.kind == ChangeKind::Alive) {
            return Err(format!("written as {:?}", change.kind));
        }
        if sample.load.as_ref().is_some_and(|load| !change.is(load)) {
            return Err("another payload".into());
        }
        let (seconds, fraction) = change.timestamp.to_wire();
        if info.source_timestamp != Some(Timestamp::from_wire(seconds, fraction)) {
            return Err(format!("source time {:?}", info.source_timestamp));
        }
        let source = record.writers.get_mut(&info.publication);
        let source = source.ok_or("never matched")?;
        if info.sequence.0 <= source.last {
            return Err(format!("after {}", source.last));
        }
        source.last = info.sequence.0;
        if info.valid_data {
            source.taken.insert(info.sequence.0);
        }
        self.course.write(&reader.to_bytes());
        self.course.write_i64(info.sequence.0);
        if let Some(most) = self.memory
            && source.taken.len() > 4 * most
        {
            let old = info.sequence.0 - 3 * most as i64;
            source.taken = source.taken.split_off(&old);
        }
        Ok(())
    }
}
