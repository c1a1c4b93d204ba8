//! The rows of a chapter with goals: how a cell is measured beyond what all cells have, what it is
//! compared with, and what is asked of it.

use serde::{Deserialize, Serialize};

use crate::record::Cell;

/// How a cell is measured beyond what all cells have; by default it is measured as any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variant {
    /// How the sides are started and wait.
    pub how: How,
    /// Whether the processors are kept from halting, as it is best for who sleeps.
    pub awake: bool,
    /// Bytes of a batch; 0 for what the system takes by itself.
    pub batch: u32,
    /// Readers of the one writer, each a process of its own; 0 for one.
    pub readers: u32,
    /// Whether these ask for their samples by multicast.
    pub multicast: bool,
}

impl Variant {
    /// Whether it is measured as any other.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// How the sides are started and wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// As they do by themselves.
    #[default]
    #[serde(rename = "own")]
    Own,
    /// The main thread waits by a wait set.
    #[serde(rename = "wait set")]
    WaitSet,
    /// Each side is started by `taskset`.
    #[serde(rename = "taskset")]
    Taskset,
    /// Both.
    #[serde(rename = "wait set, taskset")]
    WaitSetTaskset,
}

impl How {
    /// As a cell's name has it.
    pub fn name(self) -> &'static str {
        match self {
            How::Own => "",
            How::WaitSet => "wait set",
            How::Taskset => "started by taskset",
            How::WaitSetTaskset => "wait set, started by taskset",
        }
    }

    /// Whether a wait set is in it.
    pub fn waits_by_set(self) -> bool {
        matches!(self, How::WaitSet | How::WaitSetTaskset)
    }

    /// Whether `taskset` starts the sides.
    pub fn by_taskset(self) -> bool {
        matches!(self, How::Taskset | How::WaitSetTaskset)
    }
}

/// What a chapter with goals has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goals {
    /// The system whose figures have a column of ratios, beside the first row of each group.
    #[serde(default)]
    pub rival: Option<String>,
    /// What to know of the figures.
    #[serde(default)]
    pub note: String,
    /// Share of the campaign's seconds that a run measures.
    pub share: f64,
    /// Repetitions at most.
    pub repetitions: u32,
    /// In order; rows of systems that are not here too, for others tell them by their place.
    pub rows: Vec<Row>,
}

/// A cell with a name, and what is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Rows of one group take turns and are compared.
    pub group: usize,
    /// As the table shows it.
    pub name: String,
    /// What is measured.
    pub cell: Cell,
    /// The row that it is compared with, by its place in the group.
    #[serde(default)]
    pub against: Option<usize>,
    /// All of them have to be met.
    #[serde(default)]
    pub goals: Vec<Goal>,
}

/// What must be true of a figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Which figure.
    #[serde(default)]
    pub figure: Figure,
    /// No more than this.
    pub at_most: Option<f64>,
    /// No less than this.
    pub at_least: Option<f64>,
    /// The limits are multiples of the figure of this row.
    pub times: Option<usize>,
    /// The limits are what is more than the figure of this row.
    pub beyond: Option<usize>,
    /// Less than the figure of this row; not asked where that is not measured.
    pub below: Option<usize>,
}

/// A figure that can be asked for, in the unit of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Figure {
    /// The median of latencies in microseconds, or samples a second.
    #[default]
    #[serde(rename = "main")]
    Main,
    /// 99 % of the latencies, microseconds.
    #[serde(rename = "99 %")]
    P99,
    /// Processor time of the publisher for a sample and reader, nanoseconds.
    #[serde(rename = "CPU per reader")]
    CpuPerReader,
    /// From the start of a process to its match, milliseconds.
    #[serde(rename = "match")]
    Match,
    /// Memory of an idle participant, MB.
    #[serde(rename = "memory")]
    Memory,
    /// Processor time of an idle participant, percent of one processor.
    #[serde(rename = "idle")]
    Idle,
    /// System calls for a sample that send.
    #[serde(rename = "sends")]
    Sends,
    /// System calls for a sample that receive.
    #[serde(rename = "receives")]
    Receives,
    /// System calls for a sample that do neither.
    #[serde(rename = "other calls")]
    OtherCalls,
    /// All system calls for a sample.
    #[serde(rename = "calls")]
    Calls,
}

impl Figure {
    /// What follows a limit.
    pub(crate) fn unit(self, latency: bool) -> &'static str {
        match self {
            Figure::Main if latency => " us",
            Figure::P99 => " us",
            Figure::Main => "",
            Figure::CpuPerReader => " ns",
            Figure::Match => " ms",
            Figure::Memory => " MB",
            Figure::Idle => " %",
            Figure::Sends => " sends",
            Figure::Receives => " receives",
            Figure::OtherCalls => " others",
            Figure::Calls => " calls",
        }
    }
}
