//! The file of a campaign, TOML: what it may say, and what is said about mistakes.

mod groups;
mod numbers;

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use crate::record::Mode;
use crate::rows::{Goals, Row};
use crate::systems::is_floor;
use crate::{builtin, naming, spelling};
use groups::Group;
use numbers::STEPS;
pub use numbers::{Rate, Repetitions, Seconds, Share, Size, Sweep};

/// A campaign as its author wrote it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Of the campaign; without it, that of the file.
    pub name: Option<String>,
    /// For `--list`.
    #[serde(default)]
    pub about: String,
    /// Of one measurement.
    #[serde(default)]
    pub seconds: Seconds,
    /// How often each cell is measured.
    #[serde(default)]
    pub repetitions: Repetitions,
    /// Who is measured beside Dunlin.
    #[serde(default = "floors")]
    pub with: Vec<String>,
    /// Where the sides run; without it, in one network namespace.
    #[serde(default)]
    pub network: Layout,
    /// What is measured: all combinations of each entry.
    #[serde(default)]
    pub work: Vec<Work>,
    /// What is measured and reported under a heading of its own.
    #[serde(default, rename = "chapter")]
    pub chapters: Vec<Chapter>,
}

/// A part of a campaign with its own heading, systems and network.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chapter {
    /// Its heading. That of a published page shows the figures of that page alone.
    pub title: String,
    /// Who is measured, and nobody else. The first one that is no floor is what it is about. With
    /// groups, those of their rows.
    #[serde(default)]
    pub systems: Vec<String>,
    /// Where the sides run; without it, where those of the campaign do.
    pub network: Option<Layout>,
    /// What is measured: all combinations of each entry.
    #[serde(default)]
    pub work: Vec<Work>,
    /// What is measured row by row instead, and what is asked of the rows.
    #[serde(default, rename = "group")]
    pub groups: Vec<Group>,
    /// The name by which `--only` asks for all of it; several chapters may share one.
    pub part: Option<String>,
    /// With groups: who has a column of ratios in the table.
    pub rival: Option<String>,
    /// With groups: what to know of the figures.
    #[serde(default)]
    pub note: String,
    /// With groups: share of the seconds that each run measures.
    pub share: Option<Share>,
    /// With groups: repetitions at most.
    pub repetitions: Option<Repetitions>,
}

/// All combinations of these.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// What carries the samples.
    pub transports: Vec<Transport>,
    /// Bytes, as `-dataLen` counts them.
    pub sizes: Vec<Size>,
    /// What is asked.
    #[serde(default = "latency")]
    pub modes: Vec<Kind>,
    /// Samples a second, for [`Kind::Loaded`].
    #[serde(default)]
    pub rates: Vec<Rate>,
    /// More of them, evenly apart on a logarithmic scale.
    #[serde(default)]
    pub sweep: Option<Sweep>,
    /// Whether samples are repaired.
    #[serde(default = "reliable")]
    pub reliability: Vec<Reliability>,
    /// Whether the type has a key.
    #[serde(default = "no")]
    pub keyed: Vec<bool>,
    /// Whether samples are built where they are read.
    #[serde(default = "no")]
    pub zero_copy: Vec<bool>,
    /// How everybody waits for data.
    #[serde(default = "own")]
    pub waiting: Vec<Waiting>,
}

/// Where the sides of a campaign run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Layout {
    /// On one host.
    #[default]
    #[serde(rename = "one host")]
    OneHost,
    /// On two hosts with a cable between them, or with something between the sides on three at a
    /// switch.
    #[serde(rename = "hosts")]
    Hosts,
}

/// How everybody waits for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Waiting {
    /// As they do by themselves: the floors spin, Dunlin spins and then sleeps.
    #[serde(rename = "own")]
    Own,
    /// Asleep in the kernel.
    #[serde(rename = "block")]
    Block,
}

/// Of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Transport {
    /// UDP on IPv4.
    #[serde(rename = "UDPv4")]
    Udp,
    /// Shared memory.
    #[serde(rename = "SHMEM")]
    Shmem,
    /// TCP on IPv4.
    #[serde(rename = "TCP")]
    Tcp,
    /// TLS upon that.
    #[serde(rename = "TLS")]
    Tls,
    /// Both, as a participant has them by itself; for footprints.
    #[serde(rename = "UDPv4+SHMEM")]
    UdpAndShmem,
}

/// Of a campaign: a mode without its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Kind {
    /// One sample in flight.
    #[serde(rename = "latency")]
    Latency,
    /// Samples share messages.
    #[serde(rename = "throughput batched")]
    Batched,
    /// Each sample is sent at once.
    #[serde(rename = "throughput unbatched")]
    Unbatched,
    /// Latency at fixed rates.
    #[serde(rename = "loaded")]
    Loaded,
}

/// Of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Reliability {
    /// What is lost stays lost.
    #[serde(rename = "best effort")]
    BestEffort,
    /// What is lost is repeated.
    #[serde(rename = "reliable")]
    Reliable,
}

impl Transport {
    /// As `-transport` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Udp => "UDPv4",
            Transport::Shmem => "SHMEM",
            Transport::Tcp => "TCP",
            Transport::Tls => "TLS",
            Transport::UdpAndShmem => "UDPv4+SHMEM",
        }
    }
}

impl Work {
    /// Every mode, each rate being one.
    pub fn all_modes(&self) -> Vec<Mode> {
        let listed = self.rates.iter().map(|rate| rate.0);
        let all: Vec<f64> = listed
            .chain(self.sweep.into_iter().flat_map(Sweep::rates))
            .collect();
        let rates = || all.iter().map(|rate| Mode::Loaded { rate: *rate });
        let modes = self.modes.iter().flat_map(|kind| match kind {
            Kind::Latency => vec![Mode::Latency],
            Kind::Batched => vec![Mode::Throughput { batched: true }],
            Kind::Unbatched => vec![Mode::Throughput { batched: false }],
            Kind::Loaded => rates().collect(),
        });
        modes.collect()
    }
}

impl Chapter {
    /// The system that it is about; empty if it has floors only.
    pub fn subject(&self) -> &str {
        let own = self
            .systems
            .iter()
            .find(|system| system.starts_with("dunlin"));
        let own = own.filter(|_| !self.groups.is_empty());
        let subject = own.or_else(|| self.systems.iter().find(|system| !is_floor(system)));
        subject.map_or("", String::as_str)
    }

    /// The rows of its groups.
    pub fn rows(&self) -> Vec<Row> {
        groups::rows(&self.title, &self.groups)
    }

    /// What is asked of its rows, if it has any.
    pub fn goals(&self) -> Option<Goals> {
        (!self.groups.is_empty()).then(|| Goals {
            rival: self.rival.clone(),
            note: self.note.clone(),
            share: self.share.map_or(1.0, |share| share.0),
            repetitions: self.repetitions.map_or(u32::MAX, |count| count.0),
            rows: self.rows(),
        })
    }

    /// Those of its rows take part.
    fn ask_systems_of_rows(&mut self) {
        for line in self.groups.iter().flat_map(|group| &group.rows) {
            if !self.systems.contains(&line.system) {
                self.systems.push(line.system.clone());
            }
        }
    }
}

impl File {
    /// Everybody who is measured.
    pub fn systems(&self) -> Vec<String> {
        let mut all: Vec<String> = match self.work.is_empty() {
            true => vec![],
            false => ["dunlin".to_owned()]
                .into_iter()
                .chain(self.with.clone())
                .collect(),
        };
        all.extend(
            self.chapters
                .iter()
                .flat_map(|chapter| chapter.systems.clone()),
        );
        all
    }

    /// Others beside Dunlin; of Dunlin, a chapter keeps the programs that it names.
    pub fn measure_with(&mut self, with: &[String]) {
        self.with = with.to_vec();
        for chapter in &mut self.chapters {
            chapter
                .systems
                .retain(|system| system.starts_with("dunlin"));
            let systems = &chapter.systems;
            let more: Vec<_> = with
                .iter()
                .filter(|system| !systems.contains(system))
                .cloned()
                .collect();
            chapter.systems.extend(more);
        }
    }

    /// Leaves out what is in none of the parts that these words name; gives the other words.
    pub fn narrow(&mut self, only: &[String]) -> Vec<String> {
        let is_part = |word: &&String| {
            let mut parts = self.chapters.iter().filter_map(|one| one.part.as_ref());
            parts.any(|part| part.eq_ignore_ascii_case(word))
        };
        let (parts, words): (Vec<_>, Vec<_>) = only.iter().partition(is_part);
        let asked = |chapter: &Chapter| {
            let part = chapter.part.as_deref().unwrap_or_default();
            parts.iter().any(|word| word.eq_ignore_ascii_case(part))
        };
        if !parts.is_empty() {
            self.chapters.retain(asked);
            self.work.clear();
        }
        words.into_iter().cloned().collect()
    }

    /// Each work, with the chapter that it is in.
    pub fn all_work(&self) -> impl Iterator<Item = (Option<&Chapter>, &Work)> {
        let own = self.work.iter().map(|work| (None, work));
        own.chain(
            self.chapters
                .iter()
                .flat_map(|chapter| chapter.work.iter().map(move |work| (Some(chapter), work))),
        )
    }

    /// Where the sides of a chapter run.
    pub fn layout(&self, chapter: &Chapter) -> Layout {
        chapter.network.unwrap_or(self.network)
    }
}

/// Reads the file of a campaign.
pub fn read(path: &Path) -> Result<File, String> {
    parse(&path.display().to_string(), &text(path)?)
}

/// The text of a campaign's file.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    crate::input::text(path).map_err(|error| {
        let path = path.display().to_string();
        let names = builtin::ALL.iter().map(|(name, _)| *name);
        match spelling::similar(&path, names).as_slice() {
            [] => format!("{path}: {error}; the built-in campaigns are listed by --list"),
            similar => format!("{path}: {error}; {}", spelling::hint(similar, "")),
        }
    })
}

/// Reads the text of a campaign; mistakes are told with `source`, their line, and what would be
/// right.
pub fn parse(source: &str, text: &str) -> Result<File, String> {
    let mut file: File = toml::from_str(text)
        .map_err(|error| format!("{source}: {}", error.to_string().trim_end()))?;
    for chapter in &mut file.chapters {
        chapter.ask_systems_of_rows();
    }
    check(&file).map_err(|mistake| format!("{source}: {mistake}"))?;
    Ok(file)
}

fn check(file: &File) -> Result<(), String> {
    let grouped = file
        .chapters
        .iter()
        .any(|chapter| !chapter.groups.is_empty());
    if file.all_work().next().is_none() && !grouped {
        return Err("there is nothing to measure; add [[work]] with transports and sizes, as in docs/campaigns.md".into());
    }
    let mut names = HashSet::new();
    for chapter in &file.chapters {
        let title = &chapter.title;
        if naming::plain(title).is_empty() || !names.insert(naming::plain(title)) {
            return Err(format!(
                "two chapters have the name {title:?}, or it has no letters; histograms have it in their names, so give each one of its own"
            ));
        }
        if !chapter.groups.is_empty() && !chapter.work.is_empty() {
            return Err(format!(
                "the chapter {title:?} has both groups and work; make two of it"
            ));
        }
        groups::check(&chapter.groups)
            .map_err(|wrong| format!("the chapter {title:?}: {wrong}"))?;
        if chapter.systems.is_empty() || chapter.work.is_empty() && chapter.groups.is_empty() {
            return Err(format!(
                "the chapter {title:?} measures nobody or nothing; it needs systems = [\"raw\", \"dunlin\"] and [[chapter.work]]"
            ));
        }
    }
    for (index, (chapter, work)) in file.all_work().enumerate() {
        let place = match chapter {
            None => format!("[[work]] number {}", index + 1),
            Some(chapter) => format!("a [[chapter.work]] of {:?}", chapter.title),
        };
        let loaded = work.modes.contains(&Kind::Loaded);
        if let Some(sweep) = work.sweep
            && !(STEPS.contains(&sweep.steps) && sweep.from.0 < sweep.to.0)
        {
            return Err(format!(
                "{place} sweeps from {} to {} in {} steps; it needs a higher rate to end at, and {} to {} steps",
                sweep.from.0,
                sweep.to.0,
                sweep.steps,
                STEPS.start(),
                STEPS.end()
            ));
        }
        match (loaded, work.rates.is_empty() && work.sweep.is_none()) {
            (true, true) => {
                return Err(format!(
                    "{place} is \"loaded\" at no rate; add rates = [1000, 10000] or sweep = {{ from = 1000, to = 100000, steps = 5 }}"
                ));
            }
            (false, false) => {
                return Err(format!(
                    "{place} has rates, which only \"loaded\" uses; add it to modes"
                ));
            }
            _ => {}
        }
        let lists = [
            ("transports", work.transports.len()),
            ("sizes", work.sizes.len()),
            ("modes", work.modes.len()),
            ("reliability", work.reliability.len()),
            ("keyed", work.keyed.len()),
            ("zero_copy", work.zero_copy.len()),
            ("waiting", work.waiting.len()),
        ];
        if let Some((name, _)) = lists.iter().find(|(_, length)| *length == 0) {
            return Err(format!(
                "{place} has an empty list of {name}; leave it out or fill it"
            ));
        }
    }
    Ok(())
}

fn floors() -> Vec<String> {
    vec!["raw".into()]
}

fn latency() -> Vec<Kind> {
    vec![Kind::Latency]
}

fn reliable() -> Vec<Reliability> {
    vec![Reliability::Reliable]
}

fn no() -> Vec<bool> {
    vec![false]
}

fn own() -> Vec<Waiting> {
    vec![Waiting::Own]
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: &str = "[[work]]\ntransports = [\"SHMEM\"]\nsizes = [32]\n";

    const CHAPTER: &str = "[[chapter]]\ntitle = \"UDPv4, C\"\nsystems = [\"raw\", \"dunlin-c\"]\n\
                           [[chapter.work]]\ntransports = [\"UDPv4\"]\nsizes = [32]\n";

    #[test]
    fn a_chapter_says_who_is_measured_and_others_may_be_asked_for() {
        let mut file = parse("night.toml", CHAPTER).unwrap();
        assert_eq!(file.systems(), ["raw", "dunlin-c"]);
        file.measure_with(&["cyclone".into()]);
        assert_eq!(file.systems(), ["dunlin-c", "cyclone"]);
        let both = parse("night.toml", &format!("{WORK}{CHAPTER}")).unwrap();
        assert_eq!(both.systems(), ["dunlin", "raw", "raw", "dunlin-c"]);
        assert_eq!(both.all_work().count(), 2);
        assert_eq!(both.layout(&both.chapters[0]), Layout::OneHost);
    }

    fn mistake(text: &str) -> String {
        parse("night.toml", text).unwrap_err()
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let file = parse("night.toml", WORK).unwrap();
        assert_eq!((file.seconds.0, file.repetitions.0), (1.0, 5));
        assert_eq!(file.with, ["raw"]);
        assert_eq!(file.work[0].modes, [Kind::Latency]);
        assert_eq!(file.work[0].reliability, [Reliability::Reliable]);
    }

    #[test]
    fn each_rate_is_a_mode() {
        let text = format!("{WORK}modes = [\"loaded\", \"latency\"]\nrates = [10, 2.5]\n");
        let modes = parse("night.toml", &text).unwrap().work[0].all_modes();
        let loaded = |rate| Mode::Loaded { rate };
        assert_eq!(modes, [loaded(10.0), loaded(2.5), Mode::Latency]);
    }

    #[test]
    fn a_sweep_goes_from_its_lowest_to_its_highest_rate_in_equal_factors() {
        let text = format!(
            "{WORK}modes = [\"loaded\"]\nrates = [7]\nsweep = {{ from = 1000, to = 1e5, steps = 5 }}\n"
        );
        let modes = parse("night.toml", &text).unwrap().work[0].all_modes();
        let rates = [7.0, 1_000.0, 3_162.0, 10_000.0, 31_623.0, 100_000.0];
        assert_eq!(modes, rates.map(|rate| Mode::Loaded { rate }));
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_what_would_be_right() {
        let cases = [
            (
                "seconds = 0\n".to_string() + WORK,
                "0 seconds are not from 0.01",
            ),
            (
                "repetitions = 0\n".to_string() + WORK,
                "0 repetitions are not",
            ),
            ("second = 1\n".to_string() + WORK, "unknown field `second`"),
            (WORK.replace("32", "7"), "7 bytes is not from 28"),
            (
                WORK.replace("SHMEM", "shm"),
                "expected one of `UDPv4`, `SHMEM`, `TCP`",
            ),
            (WORK.to_string() + "modes = [\"loaded\"]", "add rates"),
            (WORK.to_string() + "rates = [5]", "only \"loaded\" uses"),
            (WORK.to_string() + "keyed = []", "empty list of keyed"),
            (
                WORK.to_string() + "waiting = [\"sleep\"]",
                "expected `own` or `block`",
            ),
            (
                "network = \"switch\"\n".to_string() + WORK,
                "expected `one host` or `hosts`",
            ),
            (
                WORK.to_string() + "modes = [\"loaded\"]\nsweep = { from = 9, to = 9, steps = 3 }",
                "needs a higher rate to end at",
            ),
            (
                WORK.to_string() + "modes = [\"loaded\"]\nsweep = { from = 1, to = 9, steps = 1 }",
                "2 to 100 steps",
            ),
            ("seconds = 1".to_string(), "nothing to measure"),
            (
                CHAPTER.replace("[\"raw\", \"dunlin-c\"]", "[]"),
                "the chapter \"UDPv4, C\" measures nobody",
            ),
            (
                CHAPTER.to_string() + &CHAPTER.replace("UDPv4, C\"", "UDPv4, C#\""),
                "two chapters have the name \"UDPv4, C#\"",
            ),
            (
                CHAPTER.replace("[32]", "[]"),
                "a [[chapter.work]] of \"UDPv4, C\" has an empty list of sizes",
            ),
        ];
        for (text, expected) in cases {
            let mistake = mistake(&text);
            assert!(mistake.starts_with("night.toml: "), "{mistake}");
            assert!(mistake.contains(expected), "{mistake}");
        }
        let mistake = mistake(&WORK.replace("32", "32, 7"));
        assert!(mistake.contains("line 3"), "{mistake}");
    }
}
