//! Who can be measured, and what that takes.

use std::path::PathBuf;

use crate::bench::Bench;
use crate::perftest::Perftest;
use crate::record::{Cell, Directory, Measured};
use crate::rivals::{Peer, Rival};
use crate::routed::{Routed, Way};

/// Something that can be measured.
pub trait System {
    /// As [`Cell::system`] names it.
    fn name(&self) -> &'static str;

    /// Whether it does what the cell asks; the error says why not, for one line that all such cells
    /// share ("raw has no TLS").
    fn has(&self, cell: &Cell) -> Result<(), String>;

    /// Makes it ready, while there is still a network: builds what has to be built. The error says
    /// what to install. What is found out is forgotten, for the process is replaced by one in a
    /// namespace.
    fn prepare(&mut self) -> Result<(), String>;

    /// Whether both sides are perftest, which an agent runs too.
    fn is_perftest(&self) -> bool {
        false
    }

    /// Whether something is between the sides.
    fn is_routed(&self) -> bool {
        false
    }

    /// Measures a cell once.
    fn run(&self, turn: &Turn<'_>) -> Result<Measured, Trouble>;
}

/// Everybody who can be asked for by name, in the order of their turns.
pub fn known() -> Vec<Box<dyn System>> {
    let floors = [boxed(Perftest::Raw), boxed(Routed::new(Way::Relay))];
    let perftest = [
        Perftest::Dunlin,
        Perftest::C,
        Perftest::Cpp98,
        Perftest::Java,
        Perftest::Csharp,
    ]
    .map(boxed);
    let routed =
        [Way::Router, Way::TwoRouters, Way::Cpp98Router].map(|way| boxed(Routed::new(way)));
    let own = Rival::OWN.map(|program| boxed(Peer::new(program)));
    let rivals = Rival::ALL.map(|rival| boxed(Peer::new(rival)));
    let all = floors.into_iter().chain(perftest).chain(routed);
    all.chain(own).chain(rivals).collect()
}

/// Whether this is what the same machine does without DDS: it knows neither repair nor keys.
pub(crate) fn is_floor(system: &str) -> bool {
    matches!(
        system,
        "raw" | "raw-relay" | "plain-udp" | "plain-shm" | "sealed-tcp"
    )
}

fn boxed(system: impl System + 'static) -> Box<dyn System> {
    Box::new(system)
}

/// One run: which cell, where, and where its histograms go.
pub struct Turn<'a> {
    /// What is measured.
    pub cell: &'a Cell,
    /// From 0.
    pub repetition: u32,
    /// Of the measurement.
    pub seconds: f64,
    /// Both sides start here.
    pub bench: &'a Bench,
    /// The campaign's.
    pub directory: &'a Directory,
}

impl Turn<'_> {
    /// The name and the place of a histogram log of this run; `kind` is "latency" or "response".
    pub fn histogram(&self, kind: &str) -> (String, PathBuf) {
        let (cell, repetition) = (self.cell.file_name(), self.repetition);
        let name = format!("{cell}-{kind}-{repetition}.hlog");
        let place = self.directory.histogram(&name);
        // Each side may run in a directory of its own choice.
        let place = std::path::absolute(&place).unwrap_or(place);
        (name, place)
    }
}

/// Why a run has no figures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Trouble {
    /// The run failed, which is its result: recorded, and the campaign goes on.
    #[error("{0}")]
    Failed(String),
    /// The user wants to stop; the run will be done again.
    #[error("interrupted")]
    Interrupted,
    /// The place of a side is gone; the run will be done again.
    #[error("{0}")]
    Unreachable(String),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Trouble::Failed(reason)
    }
}
