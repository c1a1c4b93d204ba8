//! The tables of chapters with goals: every figure is the median over the repetitions, every ratio
//! and every difference the median of those within a repetition, in which both were neighbours.

mod figures;
mod grid;

use crate::calls::Calls;
use crate::record::{Campaign, Cell, Chapter, Measured, Mode, Run};
use crate::report::names;
use crate::rows::{Figure, Goal, Goals};
use crate::systems::is_floor;
use figures::{Figures, RECEIVES, SENDS};
pub(crate) use grid::Grid;
use grid::{Verdict, large, short};

/// A call in more samples than this is not named.
const RARE: f64 = 0.001;

/// The tables of all chapters that have goals and figures, in order, by the titles of these.
pub(crate) fn grids(campaign: &Campaign, runs: &[Run]) -> Vec<(String, Grid)> {
    let of = |chapter: &Chapter| {
        let goals = chapter.goals.as_ref()?;
        let table = Table {
            goals,
            rows: goals
                .rows
                .iter()
                .map(|row| Figures::of(row, campaign, runs))
                .collect(),
        };
        let grid = table.grid(&chapter.title);
        (!grid.is_empty()).then(|| (chapter.title.clone(), grid))
    };
    campaign.chapters.iter().filter_map(of).collect()
}

/// The tables as text and how many goals were met, if the campaign has any.
pub(crate) fn text(campaign: &Campaign, runs: &[Run]) -> Option<(String, Count)> {
    let grids = grids(campaign, runs);
    let count = grids.iter().fold(Count::default(), |sum, (_, grid)| Count {
        met: sum.met + grid.met(),
        missed: sum.missed + grid.missed(),
    });
    let text: String = grids.iter().map(|(_, grid)| grid.text()).collect();
    (!grids.is_empty()).then(|| (format!("{text}\n{count}\n"), count))
}

/// Of rows with goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) met: usize,
    pub(crate) missed: usize,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} targets met, {} missed", self.met, self.missed)
    }
}

/// A chapter and its figures, row by row.
struct Table<'a> {
    goals: &'a Goals,
    rows: Vec<Figures<'a>>,
}

/// Of a system in these tables.
fn system(cell: &Cell) -> String {
    let way = match cell.transport.as_str() {
        "UDPv4" => "UDP",
        "SHMEM" => "SHM",
        other => other,
    };
    match cell.system.as_str() {
        "raw" | "plain-udp" | "plain-shm" => format!("raw {way}"),
        "sealed-tcp" => "raw TCP, AES".into(),
        "dunlin" | "dunlin-api" if way == "TLS" => "Dunlin, TLS".into(),
        "dunlin-api" => "Dunlin".into(),
        _ => names::system(&Cell {
            zero_copy: false,
            ..cell.clone()
        }),
    }
}

fn is_dunlin(cell: &Cell) -> bool {
    cell.system.starts_with("dunlin")
}

fn waits(cell: &Cell) -> &'static str {
    match cell.system.as_str() {
        _ if cell.blocking => "block",
        "cyclone" | "fastdds" => "block",
        _ if is_dunlin(cell) => "spin, then block",
        _ => "spin",
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| short(Some(value)))
}

impl<'a> Table<'a> {
    /// The row at a place of the same group.
    fn at(&self, own: &Figures<'_>, place: usize) -> Option<&Figures<'a>> {
        let mut group = self
            .rows
            .iter()
            .filter(|one| one.row.group == own.row.group);
        group.nth(place)
    }

    /// The rival's row in the same group, if that is another one.
    fn rival(&self, own: &Figures<'_>) -> Option<&Figures<'a>> {
        let name = self.goals.rival.as_deref()?;
        let mut group = self
            .rows
            .iter()
            .filter(|one| one.row.group == own.row.group);
        let rival = group.find(|one| one.cell().system == name)?;
        (!std::ptr::eq(rival.row, own.row)).then_some(rival)
    }

    /// "of iceoryx2", if there is to be such a column.
    fn rival_column(&self) -> Option<String> {
        let name = self.goals.rival.as_deref()?;
        let mut rows = self.goals.rows.iter().map(|row| &row.cell);
        Some(format!(
            "of {}",
            system(rows.find(|cell| cell.system == name)?)
        ))
    }

    fn grid(&self, title: &str) -> Grid {
        let first = self.goals.rows.first().map(|row| &row.cell);
        let several = self
            .goals
            .rows
            .iter()
            .any(|row| row.cell.variant.readers > 1);
        let mode = first.map_or(Mode::Latency, |cell| cell.mode);
        let (columns, fill): (Vec<&str>, Fill<'a>) = match mode {
            Mode::Latency | Mode::Loaded { .. } => (LATENCY.to_vec(), Self::latency),
            Mode::Throughput { .. } if several => (FAN_OUT.to_vec(), Self::fan_out),
            Mode::Throughput { .. } => (THROUGHPUT.to_vec(), Self::throughput),
            Mode::Footprint => (FOOTPRINT.to_vec(), Self::footprint),
            Mode::Calls { .. } => (CALLS.to_vec(), Self::calls),
        };
        let mut columns: Vec<String> = columns.into_iter().map(String::from).collect();
        if let (Some(name), Some(place)) = (
            self.rival_column(),
            columns
                .iter()
                .position(|column| column == "at most" || column == "at least"),
        ) {
            columns.insert(place, name);
        }
        let mut grid = Grid::new(title, columns);
        for figures in self.rows.iter().filter(|figures| figures.planned) {
            fill(self, &mut grid, figures);
        }
        if !self.goals.note.is_empty() {
            grid.note(self.goals.note.as_str());
        }
        grid
    }

    fn latency(&self, grid: &mut Grid, own: &Figures<'_>) {
        let cell = own.cell();
        let mut cells = vec![
            own.row.name.clone(),
            system(cell),
            waits(cell).into(),
            short(own.typical(|run| own.value(Figure::Main, run, 0))),
            short(own.typical(|run| own.value(Figure::P99, run, 0))),
        ];
        match own.row.against.and_then(|place| self.at(own, place)) {
            Some(other) => cells.extend([
                name_of(other),
                short(other.typical(|run| other.value(Figure::Main, run, 0))),
                short(own.ratio(other, Figure::Main)),
                short(own.ratio(other, Figure::P99)),
            ]),
            None => cells.extend(std::iter::repeat_n(String::new(), 4)),
        }
        cells.extend(self.of_rival(own));
        let (tails, others): (Vec<&Goal>, Vec<&Goal>) = own
            .row
            .goals
            .iter()
            .partition(|goal| goal.figure == Figure::P99);
        cells.push(self.limits(own, &others));
        let samples = own.sum(|run| Some(run.latency.as_ref()?.samples));
        let lost = own.sum(|run| Some(run.latency.as_ref()?.lost));
        let lost = match lost > 0.0 {
            true => format!(", {lost} lost"),
            false => String::new(),
        };
        cells.extend([
            own.cpu(0, 1e3),
            own.cpu(1, 1e3),
            format!("{}{lost}{}", large(samples), own.failures()),
        ]);
        grid.push(cells, self.verdict(own, &others, &[0]));
        self.tail(grid, own, &tails);
    }

    /// The 99 % value in a row of its own, where something is asked of it.
    fn tail(&self, grid: &mut Grid, own: &Figures<'_>, goals: &[&Goal]) {
        let Some(goal) = goals.first() else { return };
        let p99 = |one: &Figures<'_>| short(one.typical(|run| one.value(Figure::P99, run, 0)));
        let mut cells = vec![
            format!("{}, p99", own.row.name),
            system(own.cell()),
            waits(own.cell()).into(),
            String::new(),
            p99(own),
        ];
        match goal.times.and_then(|place| self.at(own, place)) {
            Some(other) => cells.extend([
                name_of(other),
                format!("p99 {}", p99(other)),
                String::new(),
                short(own.ratio(other, Figure::P99)),
            ]),
            None => cells.extend(std::iter::repeat_n(String::new(), 4)),
        }
        cells.extend(self.rival_column().map(|_| String::new()));
        cells.push(self.limits(own, goals));
        cells.extend(std::iter::repeat_n(String::new(), 3));
        grid.push(cells, self.verdict(own, goals, &[0]));
    }

    fn throughput(&self, grid: &mut Grid, own: &Figures<'_>) {
        let rate = own.typical(|run| own.value(Figure::Main, run, 0));
        let of_raw = own.row.against.and_then(|place| self.at(own, place));
        let of_raw = of_raw.and_then(|other| own.ratio(other, Figure::Main));
        let goals: Vec<&Goal> = own.row.goals.iter().collect();
        let mut cells = vec![
            own.row.name.clone(),
            system(own.cell()),
            rate.map_or("-".into(), large),
            short(rate.map(|rate| rate * own.cell().size as f64 / 1e6)),
            optional(of_raw),
        ];
        cells.extend(self.of_rival(own));
        cells.extend([self.limits(own, &goals), self.lost(own), drops(own)]);
        cells.extend([own.cpu(0, 1.0), own.cpu(1, 1.0), received(own)]);
        grid.push(cells, self.verdict(own, &goals, &[0]));
    }

    fn fan_out(&self, grid: &mut Grid, own: &Figures<'_>) {
        let rate = own.typical(|run| own.value(Figure::Main, run, 0));
        let readers = f64::from(own.cell().variant.readers.max(1));
        let single = own.row.against.and_then(|place| self.at(own, place));
        let goals: Vec<&Goal> = own.row.goals.iter().collect();
        let mut cells = vec![
            own.row.name.clone(),
            system(own.cell()),
            rate.map_or("-".into(), large),
            rate.map_or("-".into(), |rate| large(rate * readers)),
            self.lost(own),
            drops(own),
            own.cpu(0, 1.0),
            own.cpu(0, readers),
            optional(single.and_then(|single| own.ratio(single, Figure::CpuPerReader))),
        ];
        cells.extend(self.of_rival(own));
        cells.extend([self.limits(own, &goals), own.cpu(1, 1.0)]);
        grid.push(cells, self.verdict(own, &goals, &[0]));
    }

    fn footprint(&self, grid: &mut Grid, own: &Figures<'_>) {
        let typical = |figure| own.typical(|run| own.value(figure, run, 0));
        let threads = own.typical(|run| Some(run.footprint.as_ref()?.threads as f64));
        let goals: Vec<&Goal> = own.row.goals.iter().collect();
        let mut cells = vec![
            own.row.name.clone(),
            system(own.cell()),
            short(typical(Figure::Match)),
            short(typical(Figure::Memory)),
            threads.map_or("-".into(), |threads| threads.to_string()),
            typical(Figure::Idle).map_or("-".into(), |idle| format!("{idle:.3}")) + &own.failures(),
        ];
        cells.extend(self.of_rival(own));
        cells.push(self.limits(own, &goals));
        grid.push(cells, self.verdict(own, &goals, &[0]));
    }

    /// A row for each side.
    fn calls(&self, grid: &mut Grid, own: &Figures<'_>) {
        let goals: Vec<&Goal> = own.row.goals.iter().collect();
        for (side, name) in ["publisher", "subscriber"].into_iter().enumerate() {
            let typical = |figure| own.typical(|run| own.value(figure, run, side));
            let run = own.runs.values().next_back();
            let calls = run.and_then(|run| Some(&run.calls.as_ref()?[side]));
            let all = typical(Figure::Calls).map_or("-".into(), |all| format!("{all:.4}"));
            let mut cells = vec![own.row.name.clone(), system(own.cell()), name.into()];
            cells.extend(
                [Figure::Sends, Figure::Receives, Figure::OtherCalls]
                    .map(|figure| short(typical(figure))),
            );
            cells.extend([all, calls.map_or(String::new(), which) + &own.failures()]);
            cells.extend(self.of_rival(own));
            cells.push(self.limits(own, &goals));
            grid.push(cells, self.verdict(own, &goals, &[side]));
        }
    }

    fn of_rival(&self, own: &Figures<'_>) -> Option<String> {
        self.rival_column()?;
        let rival = self.rival(own);
        Some(optional(
            rival.and_then(|rival| own.ratio(rival, Figure::Main)),
        ))
    }

    fn lost(&self, own: &Figures<'_>) -> String {
        let sent = own.sum(|run| run.throughput.as_ref()?.sent);
        match (own.missing(), sent > 0.0) {
            (0.0, _) => "0".into(),
            (lost, true) => format!("{:.1} %", lost / sent * 100.0),
            (lost, false) => large(lost),
        }
    }

    /// What is asked, as the table shows it.
    fn limits(&self, own: &Figures<'_>, goals: &[&Goal]) -> String {
        let texts: Vec<String> = goals.iter().map(|goal| self.limit(own, goal)).collect();
        texts.join(", ")
    }

    fn limit(&self, own: &Figures<'_>, goal: &Goal) -> String {
        let name = |place| match self.at(own, place) {
            Some(other) if is_floor(&other.cell().system) => "raw".to_owned(),
            Some(other) if is_dunlin(other.cell()) => other.row.name.clone(),
            other => other.map_or(String::new(), |other| system(other.cell())),
        };
        if let Some(place) = goal.below {
            return format!("below {}", name(place));
        }
        let unit = goal.figure.unit(own.cell().mode == Mode::Latency);
        let number = |value: f64| match value >= 1e4 {
            true => large(value),
            false => value.to_string(),
        };
        let limits: Vec<_> = [goal.at_least, goal.at_most]
            .into_iter()
            .flatten()
            .map(number)
            .collect();
        let limits = limits.join(" to ");
        match (goal.times, goal.beyond) {
            (Some(place), _) => format!("{limits} x {}", name(place)),
            (None, Some(place)) => format!("{} + {limits}{unit}", name(place)),
            (None, None) => format!("{limits}{unit}"),
        }
    }

    /// Of all goals on these sides of a row.
    fn verdict(&self, own: &Figures<'_>, goals: &[&Goal], sides: &[usize]) -> Verdict {
        let stream = matches!(own.cell().mode, Mode::Throughput { .. });
        // Nothing may be lost even where no speed is asked for.
        let incomplete = stream && (own.missing() != 0.0 || own.failed > 0);
        if incomplete && own.cell().reliable && is_dunlin(own.cell()) {
            return Verdict::Miss;
        }
        if goals.is_empty() {
            return Verdict::None;
        }
        let met = |goal: &&Goal| sides.iter().all(|side| self.met(own, goal, *side));
        Verdict::of(goals.iter().all(met))
    }

    /// Whether it is met. What was not measured is not met, but an absent rival asks nothing.
    fn met(&self, own: &Figures<'_>, goal: &Goal, side: usize) -> bool {
        if let Some(other) = goal.below.map(|place| self.at(own, place)) {
            let Some(other) = other.filter(|other| other.planned) else {
                return true;
            };
            return own
                .ratio(other, goal.figure)
                .is_some_and(|ratio| ratio < 1.0);
        }
        let figure = |one: &Figures<'_>, run: &Measured| one.value(goal.figure, run, side);
        let value = match (goal.times, goal.beyond) {
            (Some(place), _) => self
                .at(own, place)
                .and_then(|other| own.with(other, figure, |own, theirs| own / theirs)),
            (None, Some(place)) => self
                .at(own, place)
                .and_then(|other| own.with(other, figure, |own, theirs| own - theirs)),
            (None, None) => own.typical(|run| figure(own, run)),
        };
        value.is_some_and(|value| {
            goal.at_most.is_none_or(|limit| value <= limit)
                && goal.at_least.is_none_or(|limit| value >= limit)
        })
    }
}

/// Adds a row.
type Fill<'a> = fn(&Table<'a>, &mut Grid, &Figures<'_>);

const LATENCY: [&str; 13] = [
    "case",
    "system",
    "waits",
    "p50",
    "p99",
    "compared with",
    "its p50",
    "ratio",
    "p99 ratio",
    "at most",
    "CPU pub",
    "CPU sub",
    "samples",
];
const THROUGHPUT: [&str; 11] = [
    "case",
    "system",
    "samples/s",
    "MB/s",
    "of raw",
    "at least",
    "lost",
    "kernel drops",
    "CPU pub",
    "CPU sub",
    "samples",
];
const FAN_OUT: [&str; 11] = [
    "case",
    "system",
    "samples/s",
    "to all/s",
    "lost",
    "kernel drops",
    "CPU pub",
    "CPU pub per reader",
    "of a single one's",
    "at most",
    "CPU sub",
];
const FOOTPRINT: [&str; 7] = [
    "case",
    "system",
    "start to matched ms",
    "RSS MB",
    "threads",
    "idle CPU %",
    "at most",
];
const CALLS: [&str; 9] = [
    "case", "system", "side", "send", "receive", "others", "all", "which", "at most",
];

fn name_of(figures: &Figures<'_>) -> String {
    let cell = figures.cell();
    match is_floor(&cell.system) {
        true => format!("raw, {}", waits(cell)),
        false => figures.row.name.clone(),
    }
}

/// Datagrams for which the kernel had no room, where they were counted.
fn drops(own: &Figures<'_>) -> String {
    let counted = |run: &Measured| run.throughput.as_ref()?.dropped;
    let any = own.runs.values().any(|run| counted(run).is_some());
    if any {
        large(own.sum(counted))
    } else {
        String::new()
    }
}

fn received(own: &Figures<'_>) -> String {
    let all = own.sum(|run| {
        let stream = run.throughput.as_ref()?;
        Some(stream.received.unwrap_or(stream.samples))
    });
    large(all) + &own.failures()
}

/// The calls that neither send nor receive, the most frequent ones first.
fn which(calls: &Calls) -> String {
    let known = |name: &str| SENDS.contains(&name) || RECEIVES.contains(&name);
    let mut all: Vec<_> = calls
        .iter()
        .filter(|(name, count)| **count >= RARE && !known(name))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(a.1));
    let texts = all
        .into_iter()
        .map(|(name, count)| format!("{name} {count:.4}"));
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
