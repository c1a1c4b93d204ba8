//! What a router between the sides adds to a latency, beside what a relay adds to the raw floor.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::record::{Campaign, Cell, Mode, Outcome, Run};
use crate::report::published;
use crate::stats::median;

/// Which of the percentiles.
const MEDIAN: usize = 0;
const P99: usize = 2;

/// One kind of samples, with a router and without. Nanoseconds, half of the round trip; medians
/// over the repetitions, differences and ratios within them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Hop {
    /// The title of the chapter; empty if there are none.
    pub chapter: String,
    /// As `-transport` takes it.
    pub transport: String,
    /// Bytes of a sample.
    pub size: u64,
    /// Whether samples are repaired.
    pub reliable: bool,
    /// Whether the type has a key.
    pub keyed: bool,
    /// Whether everybody sleeps in the kernel.
    pub blocking: bool,
    /// At 50 %.
    pub median: Figures,
    /// At 99 %.
    pub p99: Figures,
    /// At 50 %, as published of RTI Connext with its Routing Service on other machines.
    pub published: Option<f64>,
    /// Whether that is known to be wrong.
    pub published_doubtful: bool,
}

/// What was measured at one percentile.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Dunlin without a router.
    pub direct: Option<f64>,
    /// Dunlin with one.
    pub routed: Option<f64>,
    /// With two in a row.
    pub twice: Option<f64>,
    /// The floor without a relay.
    pub raw: Option<f64>,
    /// The floor with one.
    pub relayed: Option<f64>,
    /// What a router adds to Dunlin.
    pub hop: Option<f64>,
    /// What the second one adds.
    pub second: Option<f64>,
    /// What a relay adds to the floor.
    pub floor: Option<f64>,
    /// `hop` as a multiple of `floor`.
    pub hop_ratio: Option<f64>,
    /// Dunlin with a router as a multiple of the floor with a relay.
    pub relay_ratio: Option<f64>,
}

/// Those that are measured with routers and without.
const ENDS: [&str; 2] = ["dunlin", "dunlin-cpp98"];

/// Value by repetition.
type Turns = BTreeMap<u32, f64>;

/// Of each kind of samples that was measured with something between the sides.
pub fn hops(campaign: &Campaign, runs: &[Run]) -> Vec<Hop> {
    let mut kinds: Vec<Cell> = vec![];
    for cell in &campaign.cells {
        let ends = ENDS
            .into_iter()
            .find(|ends| [ends, &*routed(ends)].contains(&cell.system.as_str()));
        if let Some(ends) = ends
            && let kind = of_system(cell, ends)
            && !kinds.contains(&kind)
            && cell.mode == Mode::Latency
            && is_routed(campaign, &kind)
        {
            kinds.push(kind);
        }
    }
    kinds.iter().map(|kind| hop(kind, runs)).collect()
}

/// The system with these ends and a router between them.
fn routed(ends: &str) -> String {
    format!("{ends}-routed")
}

fn hop(kind: &Cell, runs: &[Run]) -> Hop {
    let published = published::routed_median(kind);
    Hop {
        chapter: kind.chapter.clone(),
        transport: kind.transport.clone(),
        size: kind.size,
        reliable: kind.reliable,
        keyed: kind.keyed,
        blocking: kind.blocking,
        median: figures(kind, runs, MEDIAN),
        p99: figures(kind, runs, P99),
        published: published.map(|(nanos, _)| nanos),
        published_doubtful: published.is_some_and(|(_, wrong)| wrong),
    }
}

fn figures(kind: &Cell, runs: &[Run], percentile: usize) -> Figures {
    let of = |system: &str| turns(kind, runs, system, percentile);
    let with_one = routed(&kind.system);
    let (direct, routed) = (of(&kind.system), of(&with_one));
    let twice = of(&format!("{with_one}-twice"));
    let (raw, relayed) = (of("raw"), of("raw-relay"));
    let hop = within(&routed, &direct, |with, without| with - without);
    let floor = within(&relayed, &raw, |with, without| with - without);
    Figures {
        hop,
        floor,
        second: within(&twice, &routed, |two, one| two - one),
        hop_ratio: hop
            .zip(floor.filter(|floor| *floor > 0.0))
            .map(|(hop, floor)| hop / floor),
        relay_ratio: within(&routed, &relayed, |routed, relayed| routed / relayed),
        direct: typical(&direct),
        routed: typical(&routed),
        twice: typical(&twice),
        raw: typical(&raw),
        relayed: typical(&relayed),
    }
}

/// Of a system on this kind of samples; a floor has one kind only.
fn turns(kind: &Cell, runs: &[Run], system: &str, percentile: usize) -> Turns {
    let wanted = of_system(kind, system);
    let mut turns = Turns::new();
    for run in runs.iter().filter(|run| run.cell == wanted) {
        // What was measured again counts once: the last line of a repetition.
        turns.remove(&run.repetition);
        if let Outcome::Measured(measured) = &run.outcome
            && let Some(latency) = &measured.latency
            && let Some(nanos) = latency.percentiles.get(percentile)
        {
            turns.insert(run.repetition, *nanos as f64);
        }
    }
    turns
}

fn of_system(kind: &Cell, system: &str) -> Cell {
    let floor = crate::systems::is_floor(system);
    Cell {
        system: system.into(),
        reliable: kind.reliable && !floor,
        keyed: kind.keyed && !floor,
        ..kind.clone()
    }
}

fn is_routed(campaign: &Campaign, kind: &Cell) -> bool {
    let one = routed(&kind.system);
    let systems = [&format!("{one}-twice"), &one, "raw-relay"];
    let wanted = systems.map(|system| of_system(kind, system));
    campaign.cells.iter().any(|cell| wanted.contains(cell))
}

fn typical(turns: &Turns) -> Option<f64> {
    median(&mut turns.values().copied().collect::<Vec<_>>())
}

/// The median of what comes of both within the repetitions that both have.
fn within(with: &Turns, without: &Turns, of: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let both = with
        .iter()
        .filter_map(|(turn, with)| Some(of(*with, *without.get(turn)?)));
    median(&mut both.filter(|value| value.is_finite()).collect::<Vec<_>>())
}

impl Hop {
    /// As [`Cell::page`].
    pub(crate) fn page(&self) -> &str {
        match self.chapter.is_empty() {
            true => &self.transport,
            false => &self.chapter,
        }
    }

    /// Whole microseconds, in brackets if they are known to be wrong.
    pub(crate) fn published_micros(&self) -> Option<String> {
        let micros = self.published? / 1_000.0;
        Some(match self.published_doubtful {
            true => format!("({micros:.0})"),
            false => format!("{micros:.0}"),
        })
    }

    /// "reliable, keyed, blocking".
    pub(crate) fn kind(&self) -> String {
        let mut words = vec![if self.reliable {
            "reliable"
        } else {
            "best effort"
        }];
        words.push(if self.keyed { "keyed" } else { "unkeyed" });
        words.extend(self.blocking.then_some("blocking"));
        words.join(", ")
    }
}

/// The table for a terminal.
pub(crate) fn table(hops: &[Hop]) -> String {
    let mut text = String::new();
    for page in pages(hops) {
        let _ = writeln!(
            text,
            "\nWhat a router adds over {page}: half of the round trip at 50 %, us\n\
             {:>9}  {:<32}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>11}{:>11}{:>11}",
            "size",
            "",
            "direct",
            "routed",
            "hop",
            "2nd hop",
            "raw",
            "relay",
            "hop R",
            "hop/hop R",
            "of relay",
            "published"
        );
        for hop in hops.iter().filter(|hop| hop.page() == page) {
            let median = &hop.median;
            let us = |value: Option<f64>| {
                value.map_or("-".into(), |nanos| format!("{:.2}", nanos / 1_000.0))
            };
            let _ = write!(text, "{:>9}  {:<32}", hop.size, hop.kind());
            for value in [
                median.direct,
                median.routed,
                median.hop,
                median.second,
                median.raw,
                median.relayed,
                median.floor,
            ] {
                let _ = write!(text, "{:>9}", us(value));
            }
            let times =
                |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
            let (ratio, of_relay) = (times(median.hop_ratio), times(median.relay_ratio));
            let published = hop.published_micros().unwrap_or_else(|| "-".into());
            let _ = writeln!(text, "{ratio:>11}{of_relay:>11}{published:>11}");
        }
    }
    if !text.is_empty() {
        text.push_str(
            "hop: routed - direct; hop R: raw relay - raw; of relay: routed / raw relay; published: of Connext with Routing Service, on other machines, ( ) known to be wrong.\n",
        );
    }
    text
}

/// Each one once, in order.
fn pages(hops: &[Hop]) -> Vec<&str> {
    let mut all: Vec<_> = hops.iter().map(Hop::page).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FORMAT, Latency, Measured};

    fn cell(system: &str, reliable: bool) -> Cell {
        Cell {
            system: system.into(),
            transport: "UDPv4".into(),
            mode: Mode::Latency,
            reliable,
            keyed: false,
            zero_copy: false,
            blocking: true,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        }
    }

    fn run(cell: &Cell, repetition: u32, nanos: u64) -> Run {
        let latency = Latency {
            percentiles: [nanos, nanos, 2 * nanos, nanos, nanos],
            ..Latency::default()
        };
        Run {
            cell: cell.clone(),
            repetition,
            started: String::new(),
            outcome: Outcome::Measured(Box::new(Measured {
                latency: Some(latency),
                ..Measured::default()
            })),
        }
    }

    fn campaign(cells: &[Cell]) -> Campaign {
        Campaign {
            format: FORMAT,
            name: String::new(),
            started: String::new(),
            version: String::new(),
            seconds: 1.0,
            repetitions: 3,
            cells: cells.to_vec(),
            skipped: vec![],
            network: String::new(),
            hosts: vec![],
            chapters: vec![],
        }
    }

    #[test]
    fn a_hop_is_what_a_router_adds_in_the_same_turn() {
        let cells = [
            cell("raw", false),
            cell("raw-relay", false),
            cell("dunlin", true),
            cell("dunlin-routed", true),
        ];
        // The machine becomes slower from turn to turn, the hop does not.
        let mut runs = vec![];
        for (turn, drift) in [(0, 0), (1, 5_000), (2, 9_000)] {
            for (cell, nanos) in cells.iter().zip([2_000, 4_000, 3_000, 6_000]) {
                runs.push(run(cell, turn, nanos + drift));
            }
        }
        runs.push(Run {
            outcome: Outcome::Failed("gone".into()),
            ..run(&cells[3], 2, 0)
        });
        let hops = hops(&campaign(&cells), &runs);
        assert_eq!(hops.len(), 1);
        let median = &hops[0].median;
        assert_eq!((median.hop, median.floor), (Some(3_000.0), Some(2_000.0)));
        assert_eq!((median.hop_ratio, median.second), (Some(1.5), None));
        assert_eq!(hops[0].p99.hop, Some(6_000.0));
        assert_eq!(hops[0].published, Some(88_000.0));
        assert_eq!(
            (median.direct, median.routed),
            (Some(8_000.0), Some(8_500.0))
        );
        let text = table(&hops);
        assert!(
            text.contains("reliable, unkeyed, blocking") && text.contains(" 1.50 "),
            "{text}"
        );
    }

    #[test]
    fn without_anything_between_there_is_no_hop() {
        let cells = [cell("raw", false), cell("dunlin", true)];
        assert_eq!(hops(&campaign(&cells), &[]), []);
        let relay = [cells.to_vec(), vec![cell("raw-relay", false)]].concat();
        assert_eq!(hops(&campaign(&relay), &[])[0].median, Figures::default());
        assert_eq!(table(&[]), "");
    }
}
