//! Groups of rows in the file of a campaign: what takes turns, what is compared with what, and what
//! is asked of it.

use serde::Deserialize;

use super::{Size, Transport};
use crate::record::{Cell, Mode};
use crate::rows::{Goal, How, Row, Variant};
use crate::systems::is_floor;

/// Readers of one writer, at most.
const MOST_READERS: u32 = 100;

/// Rows that take turns.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What carries the samples.
    pub transport: Transport,
    /// Bytes, as `-dataLen` counts them.
    pub size: Size,
    /// What is asked.
    #[serde(default)]
    pub mode: Asked,
    /// Whether samples are repaired.
    #[serde(default)]
    pub reliable: bool,
    /// Whether samples are built where they are read.
    #[serde(default)]
    pub zero_copy: bool,
    /// Whether everybody sleeps in the kernel for data.
    #[serde(default)]
    pub blocking: bool,
    /// Whether the processors are kept from halting.
    #[serde(default)]
    pub awake: bool,
    /// Bytes of a batch; without it, what the system takes by itself.
    #[serde(default)]
    pub batch: u32,
    /// Who is measured; what a row does not say is as the group says.
    pub rows: Vec<Line>,
}

/// One row of a group.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Who.
    pub system: String,
    /// As the table shows it.
    pub name: String,
    /// Another way than that of the group.
    pub transport: Option<Transport>,
    /// Another question than that of the group.
    pub mode: Option<Asked>,
    /// Unlike the group.
    pub reliable: Option<bool>,
    /// Unlike the group.
    pub blocking: Option<bool>,
    /// Whether the type has a key.
    #[serde(default)]
    pub keyed: bool,
    /// How the sides are started and wait.
    #[serde(default)]
    pub how: How,
    /// Readers, each a process of its own.
    #[serde(default)]
    pub readers: u32,
    /// Whether these ask for their samples by multicast.
    #[serde(default)]
    pub multicast: bool,
    /// The row that it is compared with, by its place in the group.
    pub against: Option<usize>,
    /// What is asked of it.
    #[serde(default)]
    pub goals: Vec<Goal>,
}

/// What a row asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Asked {
    /// One sample in flight.
    #[default]
    #[serde(rename = "latency")]
    Latency,
    /// Samples share messages.
    #[serde(rename = "throughput batched")]
    Batched,
    /// Each sample is sent at once.
    #[serde(rename = "throughput unbatched")]
    Unbatched,
    /// What a participant costs that does nothing.
    #[serde(rename = "footprint")]
    Footprint,
    /// System calls for a round trip.
    #[serde(rename = "calls")]
    Calls,
    /// System calls for a sample of a stream.
    #[serde(rename = "calls of a stream")]
    CallsOfStream,
}

impl From<Asked> for Mode {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Latency => Mode::Latency,
            Asked::Batched => Mode::Throughput { batched: true },
            Asked::Unbatched => Mode::Throughput { batched: false },
            Asked::Footprint => Mode::Footprint,
            Asked::Calls => Mode::Calls { stream: false },
            Asked::CallsOfStream => Mode::Calls { stream: true },
        }
    }
}

/// The rows of a chapter's groups, in order.
pub(super) fn rows(title: &str, groups: &[Group]) -> Vec<Row> {
    let of = |(index, group): (usize, &Group)| {
        let lines = group.rows.iter();
        let rows = lines.map(|line| row(title, index, group, line));
        rows.collect::<Vec<_>>()
    };
    groups.iter().enumerate().flat_map(of).collect()
}

fn row(title: &str, index: usize, group: &Group, line: &Line) -> Row {
    let mode = Mode::from(line.mode.unwrap_or(group.mode));
    let batched = matches!(mode, Mode::Throughput { batched: true });
    let cell = Cell {
        system: line.system.clone(),
        transport: line.transport.unwrap_or(group.transport).name().into(),
        mode,
        // A floor knows no repair.
        reliable: !is_floor(&line.system) && line.reliable.unwrap_or(group.reliable),
        keyed: line.keyed,
        zero_copy: group.zero_copy,
        blocking: line.blocking.unwrap_or(group.blocking),
        size: group.size.0,
        chapter: title.to_owned(),
        variant: Variant {
            how: line.how,
            awake: group.awake,
            batch: if batched { group.batch } else { 0 },
            readers: line.readers,
            multicast: line.multicast,
        },
    };
    Row {
        group: index,
        name: line.name.clone(),
        cell,
        against: line.against,
        goals: line.goals.clone(),
    }
}

/// What is wrong with the groups of a chapter.
pub(super) fn check(groups: &[Group]) -> Result<(), String> {
    for group in groups {
        for line in &group.rows {
            let name = &line.name;
            let rows = group.rows.len();
            let of_goals = line
                .goals
                .iter()
                .flat_map(|goal| [goal.times, goal.beyond, goal.below]);
            let places = of_goals.chain([line.against]).flatten();
            if let Some(place) = places.into_iter().find(|place| *place >= rows) {
                return Err(format!(
                    "the row {name:?} is compared with row {place} of its group, which has {rows}, counted from 0"
                ));
            }
            let aims =
                |goal: &Goal| (goal.at_most.or(goal.at_least)).is_some() || goal.below.is_some();
            if !line.goals.iter().all(aims) {
                return Err(format!(
                    "a goal of the row {name:?} asks nothing; it needs at_most, at_least or below"
                ));
            }
            if line.readers > MOST_READERS {
                return Err(format!(
                    "the row {name:?} has {} readers, and there can be {MOST_READERS}",
                    line.readers
                ));
            }
        }
        if group.rows.is_empty() {
            return Err(
                "a group has no rows; give it rows = [{ system = \"dunlin\", name = \"32 B\" }]"
                    .into(),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::file::parse;
    use crate::record::Mode;

    const GROUP: &str = "[[chapter]]\ntitle = \"Goals\"\npart = \"goals\"\n[[chapter.group]]\n\
                         transport = \"SHMEM\"\nsize = 32\nreliable = true\nbatch = 30000\nrows = [\n\
                         { system = \"plain-shm\", name = \"raw\" },\n\
                         { system = \"dunlin-api\", name = \"own\", mode = \"throughput batched\", goals = [{ at_most = 2, times = 0 }] },\n]\n";

    #[test]
    fn a_row_is_as_its_group_says_but_for_what_it_says_itself() {
        let file = parse("test", GROUP).unwrap();
        let chapter = &file.chapters[0];
        assert_eq!(chapter.systems, ["plain-shm", "dunlin-api"]);
        assert_eq!(chapter.subject(), "dunlin-api");
        let rows = chapter.rows();
        let [floor, own] = [0, 1].map(|index| &rows[index].cell);
        assert_eq!((floor.reliable, floor.variant.batch), (false, 0));
        assert_eq!((own.reliable, own.variant.batch), (true, 30_000));
        assert_eq!(own.mode, Mode::Throughput { batched: true });
        assert_eq!(rows[1].goals[0].times, Some(0));
    }

    #[test]
    fn a_mistake_in_a_group_is_told_with_its_row() {
        let work = "[[chapter.work]]\ntransports = [\"TCP\"]\nsizes = [32]\n";
        let cases = [
            (
                GROUP.replace("times = 0", "times = 2"),
                "\"own\" is compared with row 2",
            ),
            (
                GROUP.replace("at_most = 2, ", ""),
                "a goal of the row \"own\" asks nothing",
            ),
            (
                GROUP.replace("name = \"own\"", "name = \"own\", readers = 101"),
                "101 readers",
            ),
            (GROUP.replace("at_most", "most"), "unknown field `most`"),
            (format!("{GROUP}{work}"), "has both groups and work"),
            (
                GROUP.replace("part", "share = 2\npart"),
                "a share of 2 is not",
            ),
        ];
        for (text, expected) in cases {
            let mistake = parse("test", &text).unwrap_err();
            assert!(mistake.contains(expected), "{mistake}");
        }
    }
}
