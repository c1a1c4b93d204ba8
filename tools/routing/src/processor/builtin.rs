//! The processors that are compiled in.
use super::{BuiltIn, Change, Outputs, Processor, ProcessorError, Properties};
use dunlin::{ChangeKind, Guid, InstanceHandle};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Instances that a processor remembers; those of further ones pass as they come.
const MOST_INSTANCES: usize = 100_000;
/// Changes and bytes that a processor keeps.
const MOST_KEPT: usize = 100_000;
const MOST_KEPT_BYTES: usize = 64 << 20;
/// No rate is higher.
const HIGHEST_RATE: f64 = 1e6;
/// No time is longer.
const LONGEST: f64 = 3600.0;

/// All of them.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        class: "forward",
        does: "writes each change to all outputs",
        properties: &[],
        make: |_| Ok(Box::new(Split)),
    },
    BuiltIn {
        class: "merge",
        does: "writes the changes of all inputs to all outputs, in the order in which they came",
        properties: &[],
        make: |_| Ok(Box::new(Split)),
    },
    BuiltIn {
        class: "split",
        does: "writes the changes of the first input to the first output, and so on",
        properties: &[],
        make: |_| Ok(Box::new(Split)),
    },
    BuiltIn {
        class: "rate",
        does: "lets so many samples of each instance through in a second, the latest ones",
        properties: &["per_second"],
        make: rate,
    },
    BuiltIn {
        class: "sample",
        does: "lets one of `of` samples of each source writer through, and all that is no sample",
        properties: &["of"],
        make: sample,
    },
    BuiltIn {
        class: "delay",
        does: "keeps each change for so many seconds",
        properties: &["seconds"],
        make: delay,
    },
    BuiltIn {
        class: "filter",
        does: "lets the samples through of which the expression is true, and all that is no sample",
        properties: &["expression"],
        make: super::filter::filter,
    },
    BuiltIn {
        class: "last",
        does: "writes the last sample of each instance again every so many seconds",
        properties: &["seconds"],
        make: last,
    },
];

/// From each input to the output of the same place.
struct Split;

impl Processor for Split {
    fn on_data(&mut self, _: Duration, change: Change, out: &mut dyn Outputs) {
        if change.input < out.count() {
            out.put_to(change.input, &change);
        }
    }
}

/// At most so many samples a second of each instance, and always the latest.
struct Rate {
    every: Duration,
    instances: HashMap<InstanceHandle, Paced>,
}

struct Paced {
    next: Duration,
    /// The latest, which came too early.
    waiting: Option<Change>,
}

fn rate(properties: &Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError> {
    let expected = "samples of an instance in a second, more than 0 and 1,000,000 at most";
    let per_second = properties.number("per_second", None, expected)?;
    Ok(Box::new(Rate::new(per_second)))
}

impl Rate {
    fn new(per_second: f64) -> Self {
        let per_second = per_second.clamp(1.0 / LONGEST, HIGHEST_RATE);
        Self {
            every: Duration::from_secs_f64(1.0 / per_second),
            instances: HashMap::new(),
        }
    }
}

/// A rate for each input that has one.
pub(super) struct Rates(Vec<Option<Rate>>);

impl Rates {
    /// By input, in samples a second of each instance.
    pub(super) fn new(per_second: impl Iterator<Item = Option<f64>>) -> Self {
        Self(per_second.map(|rate| rate.map(Rate::new)).collect())
    }
}

impl Processor for Rates {
    fn period(&self) -> Option<Duration> {
        self.0.iter().flatten().filter_map(Processor::period).min()
    }

    fn on_data(&mut self, now: Duration, change: Change, out: &mut dyn Outputs) {
        match self.0.get_mut(change.input) {
            Some(Some(rate)) => rate.on_data(now, change, out),
            _ => out.put(&change),
        }
    }

    fn on_period(&mut self, now: Duration, out: &mut dyn Outputs) {
        let rates = self.0.iter_mut().flatten();
        rates.for_each(|rate| rate.on_period(now, out));
    }
}

impl Processor for Rate {
    fn period(&self) -> Option<Duration> {
        // The latest waits no longer than this beyond its turn.
        Some((self.every / 2).max(Duration::from_millis(1)))
    }

    fn on_data(&mut self, now: Duration, change: Change, out: &mut dyn Outputs) {
        let instance = change.instance();
        let is_known = self.instances.contains_key(&instance);
        if !is_known && self.instances.len() >= MOST_INSTANCES {
            return out.put(&change);
        }
        let paced = self.instances.entry(instance).or_insert(Paced {
            next: now,
            waiting: None,
        });
        if change.kind != ChangeKind::Alive {
            // The end of an instance does not wait, and what came before it goes first.
            if let Some(before) = paced.waiting.take() {
                out.put(&before);
            }
            self.instances.remove(&instance);
            return out.put(&change);
        }
        if now < paced.next {
            paced.waiting = Some(change);
            return;
        }
        paced.waiting = None;
        paced.next = now + self.every;
        out.put(&change);
    }

    fn on_period(&mut self, now: Duration, out: &mut dyn Outputs) {
        let every = self.every;
        self.instances.retain(|_, paced| {
            if now < paced.next {
                return true;
            }
            let waiting = paced.waiting.take();
            if let Some(change) = &waiting {
                out.put(change);
                paced.next = now + every;
            }
            waiting.is_some()
        });
    }
}

/// One of so many.
struct Sampled {
    of: u64,
    count: HashMap<Guid, u64>,
}

fn sample(properties: &Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError> {
    let expected = "of how many samples one passes, 1 to 1,000,000";
    let of = properties.number("of", None, expected)?;
    Ok(Box::new(Sampled {
        of: of.clamp(1.0, 1e6) as u64,
        count: HashMap::new(),
    }))
}

impl Processor for Sampled {
    fn on_data(&mut self, _: Duration, change: Change, out: &mut dyn Outputs) {
        if change.kind != ChangeKind::Alive {
            return out.put(&change);
        }
        if self.count.len() >= MOST_INSTANCES && !self.count.contains_key(&change.writer) {
            self.count.clear();
        }
        let count = self.count.entry(change.writer).or_default();
        if count.is_multiple_of(self.of) {
            out.put(&change);
        }
        *count += 1;
    }
}

/// Everything, later.
struct Delay {
    by: Duration,
    waiting: VecDeque<(Duration, Change)>,
    bytes: usize,
}

fn delay(properties: &Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError> {
    let seconds = properties.number("seconds", None, "seconds, more than 0 and 3600 at most")?;
    Ok(Box::new(Delay {
        by: Duration::from_secs_f64(seconds.min(LONGEST)),
        waiting: VecDeque::new(),
        bytes: 0,
    }))
}

impl Delay {
    /// Writes what is due, and what there is no room for.
    fn release(&mut self, now: Duration, out: &mut dyn Outputs) {
        while let Some((at, change)) = self.waiting.front() {
            let is_full = self.waiting.len() > MOST_KEPT || self.bytes > MOST_KEPT_BYTES;
            if *at > now && !is_full {
                break;
            }
            out.put(change);
            self.bytes -= change.payload.len();
            self.waiting.pop_front();
        }
    }
}

impl Processor for Delay {
    fn period(&self) -> Option<Duration> {
        Some((self.by / 10).clamp(Duration::from_millis(1), Duration::from_secs(1)))
    }

    fn on_data(&mut self, now: Duration, change: Change, out: &mut dyn Outputs) {
        self.bytes += change.payload.len();
        self.waiting.push_back((now + self.by, change));
        self.release(now, out);
    }

    fn on_period(&mut self, now: Duration, out: &mut dyn Outputs) {
        self.release(now, out);
    }
}

/// The last sample of each instance, again and again.
struct Last {
    every: Option<Duration>,
    samples: HashMap<InstanceHandle, Change>,
    bytes: usize,
}

fn last(properties: &Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError> {
    let seconds = properties.number("seconds", Some(1.0), "seconds, 0.001 to 3600")?;
    let every = Duration::from_secs_f64(seconds.clamp(0.001, LONGEST));
    Ok(Box::new(Last {
        every: properties.value("seconds").map(|_| every),
        samples: HashMap::new(),
        bytes: 0,
    }))
}

impl Processor for Last {
    fn period(&self) -> Option<Duration> {
        self.every
    }

    fn usual_period(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }

    fn on_data(&mut self, _: Duration, change: Change, out: &mut dyn Outputs) {
        out.put(&change);
        let instance = change.instance();
        if let Some(before) = self.samples.remove(&instance) {
            self.bytes -= before.payload.len();
        }
        let fits = self.samples.len() < MOST_INSTANCES
            && self.bytes + change.payload.len() <= MOST_KEPT_BYTES;
        if change.kind == ChangeKind::Alive && fits {
            self.bytes += change.payload.len();
            self.samples.insert(instance, change);
        }
    }

    fn on_period(&mut self, _: Duration, out: &mut dyn Outputs) {
        self.samples.values().for_each(|change| out.put(change));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Properties as Given, make};
    use super::*;
    use crate::plan::Plugin;
    use dunlin::untyped::WriteOptions;

    /// What was written, and where; `None` for everywhere.
    #[derive(Default)]
    struct Written(Vec<(Option<usize>, Vec<u8>)>);

    impl Outputs for Written {
        fn put(&mut self, change: &Change) {
            self.0.push((None, change.payload.to_vec()));
        }
        fn put_to(&mut self, output: usize, change: &Change) {
            self.0.push((Some(output), change.payload.to_vec()));
        }
        fn count(&self) -> usize {
            2
        }
    }

    impl Written {
        fn take(&mut self) -> Vec<u8> {
            let all = std::mem::take(&mut self.0);
            all.into_iter().flat_map(|(_, payload)| payload).collect()
        }
    }

    fn change(kind: ChangeKind, instance: u8, number: u8) -> Change {
        Change {
            kind,
            payload: vec![number].into(),
            options: WriteOptions {
                instance: Some(InstanceHandle([instance; 16])),
                ..WriteOptions::default()
            },
            written: None,
            input: usize::from(instance),
            writer: Guid::UNKNOWN,
            is_reliable: true,
            group: 0,
        }
    }

    fn alive(instance: u8, number: u8) -> Change {
        change(ChangeKind::Alive, instance, number)
    }

    fn made(class: &str, properties: &[(&str, &str)]) -> Result<Box<dyn Processor>, String> {
        let properties = properties.iter().map(|(n, v)| ((*n).into(), (*v).into()));
        let plugin = Plugin {
            class: class.into(),
            properties: properties.collect(),
        };
        let made = make(&plugin, None).map_err(|error| error.to_string())?;
        made.ok_or_else(|| "it forwards".into())
    }

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_rate_lets_the_latest_of_each_instance_through() {
        let (mut rate, mut out) = (
            made("rate", &[("per_second", "10")]).unwrap(),
            Written::default(),
        );
        for (millis, instance, number) in [(0, 1, 1), (10, 1, 2), (20, 1, 3), (20, 2, 4)] {
            rate.on_data(at(millis), alive(instance, number), &mut out);
        }
        assert_eq!(out.take(), [1, 4]);
        rate.on_period(at(99), &mut out);
        assert!(out.take().is_empty());
        rate.on_period(at(100), &mut out);
        assert_eq!(out.take(), [3]);
        // The end of an instance is told at once, behind what came before it.
        rate.on_data(at(110), alive(1, 5), &mut out);
        rate.on_data(at(110), change(ChangeKind::Disposed, 1, 6), &mut out);
        assert_eq!(out.take(), [5, 6]);
        rate.on_period(at(1000), &mut out);
        assert!(out.take().is_empty());
    }

    #[test]
    fn a_delay_keeps_the_order() {
        let (mut delay, mut out) = (
            made("delay", &[("seconds", "0.5")]).unwrap(),
            Written::default(),
        );
        delay.on_data(at(0), alive(1, 1), &mut out);
        delay.on_data(at(100), change(ChangeKind::Disposed, 1, 2), &mut out);
        delay.on_period(at(499), &mut out);
        assert!(out.take().is_empty());
        delay.on_period(at(500), &mut out);
        assert_eq!(out.take(), [1]);
        delay.on_period(at(600), &mut out);
        assert_eq!(out.take(), [2]);
        for number in 0..=MOST_KEPT {
            delay.on_data(at(700), alive(1, number as u8), &mut out);
        }
        assert_eq!(out.take().len(), 1);
    }

    #[test]
    fn one_of_so_many_the_last_again_and_each_to_its_own() {
        let mut out = Written::default();
        let mut sample = made("sample", &[("of", "3")]).unwrap();
        for number in 0..7 {
            sample.on_data(at(0), alive(1, number), &mut out);
        }
        assert_eq!(out.take(), [0, 3, 6]);
        let mut last = made("last", &[]).unwrap();
        for change in [
            alive(1, 1),
            alive(1, 2),
            alive(2, 3),
            change(ChangeKind::Disposed, 2, 4),
        ] {
            last.on_data(at(0), change, &mut out);
        }
        assert_eq!(
            (out.take(), last.period(), last.usual_period()),
            (vec![1, 2, 3, 4], None, Some(at(1000)))
        );
        last.on_period(at(1000), &mut out);
        assert_eq!(out.take(), [2]);
        let mut split = made("split", &[]).unwrap();
        for instance in [0, 1, 2] {
            split.on_data(at(0), alive(instance, instance), &mut out);
        }
        assert_eq!(out.0, [(Some(0), vec![0]), (Some(1), vec![1])]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |class: &str, properties: &[(&str, &str)]| made(class, properties).err();
        for (class, properties, words) in [
            (
                "raet",
                &[][..],
                "there is no processor \"raet\"; built in are forward, merge",
            ),
            ("rate", &[], "property per_second is missing"),
            (
                "rate",
                &[("per_second", "0")],
                "property per_second is \"0\"",
            ),
            (
                "rate",
                &[("per_second", "inf")],
                "property per_second is \"inf\"",
            ),
            (
                "delay",
                &[("second", "1")],
                "no property second; it has seconds",
            ),
            ("split", &[("x", "1")], "has no properties, so no x"),
        ] {
            let said = wrong(class, properties).unwrap();
            assert!(said.contains(words), "{said}");
        }
        assert_eq!(wrong("forward", &[]).unwrap(), "it forwards");
        let none = Given {
            class: "x",
            values: &Default::default(),
            ty: None,
        };
        assert_eq!(none.number("y", Some(2.0), ""), Ok(2.0));
    }
}
