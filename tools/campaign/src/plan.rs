//! From the file of a campaign to its cells, in the order in which they are measured.
//!
//! All systems take their turn at a piece of work before the next piece begins, and all pieces
//! before any of them is repeated: a machine that drifts does so for everybody, and each ratio
//! compares runs that were neighbours.

use std::collections::HashSet;

use crate::file::{Chapter, File, Reliability, Waiting, Work};
use crate::record::{Campaign, Cell, Run};
use crate::report::names;
use crate::rows::{Row, Variant};
use crate::systems::{System, is_floor};

/// The cells of a campaign, and a line for each kind of cell that there is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In order.
    pub cells: Vec<Cell>,
    /// "raw has no batches (12 cells)".
    pub skipped: Vec<String>,
}

/// Lists what the systems can do of what is asked; of that, only the cells whose name contains
/// every word of `only`. `elsewhere`: whether the sides of a chapter ("": of what is in none) are on
/// different hosts. A chapter has no cells where what it is about is absent.
pub fn plan(
    file: &File,
    systems: &[Box<dyn System>],
    only: &[String],
    elsewhere: impl Fn(&str) -> bool,
) -> Plan {
    let mut plan = Plan::default();
    let mut reasons: Vec<(String, usize)> = Vec::new();
    let mut seen = HashSet::new();
    let plain = file
        .all_work()
        .flat_map(|(chapter, work)| cells(file, chapter, work, systems))
        .filter(|(cell, _)| is_wanted(&cell.to_string(), only));
    let grouped = file
        .chapters
        .iter()
        .flat_map(|chapter| grouped(chapter, systems, only));
    for (cell, system) in plain.chain(grouped) {
        if !seen.insert(cell.file_name()) {
            continue;
        }
        let apart = elsewhere(&cell.chapter) && cell.transport == "SHMEM";
        let possible = match apart {
            true => Err("two hosts share no memory".into()),
            false => system.has(&cell),
        };
        match possible {
            Ok(()) => plan.cells.push(cell),
            Err(reason) => match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            },
        }
    }
    let line = |(reason, count)| match count {
        1 => format!("{reason} (1 cell)"),
        count => format!("{reason} ({count} cells)"),
    };
    plan.skipped = reasons.into_iter().map(line).collect();
    plan
}

/// The runs that are missing: indices of cells and repetitions, in the order in which they are
/// measured.
pub fn missing(campaign: &Campaign, runs: &[Run]) -> Vec<(usize, u32)> {
    let done = runs
        .iter()
        .map(|run| (run.cell.file_name(), run.repetition));
    let done: HashSet<_> = done.collect();
    let names: Vec<_> = campaign.cells.iter().map(Cell::file_name).collect();
    let all = (0..campaign.repetitions)
        .flat_map(|repetition| names.iter().enumerate().map(move |one| (one, repetition)));
    let wanted = |index: usize, repetition| {
        let cell = campaign.cells.get(index);
        cell.is_some_and(|cell| repetition < campaign.repetitions_of(cell))
    };
    all.filter(|((index, _), repetition)| wanted(*index, *repetition))
        .filter(|((_, name), repetition)| !done.contains(&((*name).clone(), *repetition)))
        .map(|((index, _), repetition)| (index, repetition))
        .collect()
}

/// All combinations of a work, each with who is to do it.
fn cells<'a>(
    file: &File,
    chapter: Option<&Chapter>,
    work: &Work,
    systems: &'a [Box<dyn System>],
) -> Vec<(Cell, &'a dyn System)> {
    let mut cells = Vec::new();
    let here = |system: &&dyn System| match chapter {
        None => system.name() == "dunlin" || file.with.iter().any(|name| name == system.name()),
        Some(chapter) => chapter.systems.iter().any(|name| name == system.name()),
    };
    let systems: Vec<_> = systems.iter().map(Box::as_ref).filter(here).collect();
    let is_about = |chapter: &Chapter| systems.iter().any(|one| one.name() == chapter.subject());
    if !chapter.is_none_or(is_about) {
        return cells;
    }
    for transport in &work.transports {
        for zero_copy in &work.zero_copy {
            for waiting in &work.waiting {
                for mode in work.all_modes() {
                    for size in &work.sizes {
                        let template = Cell {
                            system: String::new(),
                            transport: transport.name().into(),
                            mode,
                            reliable: false,
                            keyed: false,
                            zero_copy: *zero_copy,
                            blocking: *waiting == Waiting::Block,
                            size: size.0,
                            chapter: chapter.map_or(String::new(), |one| one.title.clone()),
                            variant: Variant::default(),
                        };
                        piece(&mut cells, work, &systems, &template);
                    }
                }
            }
        }
    }
    cells
}

/// One piece of work: the floors first, which know neither repair nor keys, then everybody for each
/// kind of samples.
fn piece<'a>(
    cells: &mut Vec<(Cell, &'a dyn System)>,
    work: &Work,
    systems: &[&'a dyn System],
    template: &Cell,
) {
    let of = |system: &dyn System, reliable, keyed| Cell {
        system: system.name().into(),
        reliable,
        keyed,
        ..template.clone()
    };
    let (floors, others): (Vec<&dyn System>, Vec<&dyn System>) = systems
        .iter()
        .copied()
        .partition(|system| is_floor(system.name()));
    let floors = floors.into_iter();
    cells.extend(floors.map(|floor| (of(floor, false, false), floor)));
    for reliability in &work.reliability {
        for keyed in &work.keyed {
            let reliable = *reliability == Reliability::Reliable;
            let others = others.iter().copied();
            cells.extend(others.map(|system| (of(system, reliable, *keyed), system)));
        }
    }
}

/// The cells of a chapter's groups; a group is measured as a whole if one of its rows is wanted,
/// for they are compared.
fn grouped<'a>(
    chapter: &Chapter,
    systems: &'a [Box<dyn System>],
    only: &[String],
) -> Vec<(Cell, &'a dyn System)> {
    let rows = chapter.rows();
    let name = |row: &Row| format!("{} {} {}", row.cell, names::system(&row.cell), row.name);
    let wanted: HashSet<usize> = rows
        .iter()
        .filter(|row| is_wanted(&name(row), only))
        .map(|row| row.group)
        .collect();
    let of = |row: Row| {
        let mut all = systems.iter().map(Box::as_ref);
        let takes_part = chapter.systems.contains(&row.cell.system);
        let system = all.find(|system| system.name() == row.cell.system);
        let system = system.filter(|_| takes_part)?;
        wanted.contains(&row.group).then_some((row.cell, system))
    };
    rows.into_iter().filter_map(of).collect()
}

fn is_wanted(name: &str, only: &[String]) -> bool {
    let name = name.to_lowercase();
    only.iter().all(|word| name.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;
    use crate::perftest::Perftest;
    use crate::record::{FORMAT, Outcome};

    const TEXT: &str = "[[work]]\ntransports = [\"UDPv4\", \"SHMEM\"]\nsizes = [32, 64]\n\
                        reliability = [\"best effort\", \"reliable\"]\n";

    fn systems() -> Vec<Box<dyn System>> {
        vec![Box::new(Perftest::Raw), Box::new(Perftest::Dunlin)]
    }

    fn names(text: &str, only: &[&str]) -> Vec<String> {
        let only: Vec<_> = only.iter().map(|word| word.to_string()).collect();
        let plan = plan(&parse("test", text).unwrap(), &systems(), &only, |_| false);
        plan.cells.iter().map(Cell::to_string).collect()
    }

    #[test]
    fn systems_take_their_turn_at_each_piece_of_work() {
        let expected = [
            "UDPv4, latency, 32 bytes, raw",
            "UDPv4, latency, 32 bytes, best effort, unkeyed, dunlin",
            "UDPv4, latency, 32 bytes, reliable, unkeyed, dunlin",
            "UDPv4, latency, 64 bytes, raw",
        ];
        assert_eq!(names(TEXT, &[])[..4], expected);
        assert_eq!(names(TEXT, &[]).len(), 12);
    }

    #[test]
    fn no_cell_is_there_twice_and_words_narrow_them_down() {
        assert_eq!(names(&format!("{TEXT}{TEXT}"), &[]).len(), 12);
        let narrow = names(TEXT, &["shmem", "Best Effort"]);
        assert_eq!(narrow.len(), 2, "{narrow:?}");
    }

    #[test]
    fn what_a_system_does_not_have_is_one_line() {
        let text = format!("{TEXT}modes = [\"throughput batched\"]\nzero_copy = [false, true]\n");
        let plan = plan(&parse("test", &text).unwrap(), &systems(), &[], |_| false);
        let expected = [
            "raw has no batches (6 cells)",
            "raw has no zero copy by UDPv4 (2 cells)",
            "dunlin has no zero copy by UDPv4 (4 cells)",
            "dunlin has no batches without copies (4 cells)",
        ];
        assert_eq!(plan.skipped, expected);
        assert_eq!(plan.cells.len(), 8);
    }

    #[test]
    fn a_chapter_has_its_own_systems_and_none_without_those_that_it_is_about() {
        let chapter = |title: &str, systems: &str| {
            format!(
                "[[chapter]]\ntitle = \"{title}\"\nsystems = [{systems}]\n[[chapter.work]]\n\
                 transports = [\"UDPv4\", \"SHMEM\"]\nsizes = [32]\n"
            )
        };
        let text =
            chapter("Rust", "\"raw\", \"dunlin\"") + &chapter("C#", "\"raw\", \"dunlin-cs\"");
        let file = parse("test", &text).unwrap();
        let plan = plan(&file, &systems(), &[], |chapter| chapter == "Rust");
        let names: Vec<_> = plan.cells.iter().map(Cell::to_string).collect();
        let expected = [
            "Rust: UDPv4, latency, 32 bytes, raw",
            "Rust: UDPv4, latency, 32 bytes, reliable, unkeyed, dunlin",
        ];
        assert_eq!(names, expected);
        assert_eq!(plan.skipped, ["two hosts share no memory (2 cells)"]);
        assert_eq!(plan.cells[0].file_name(), "rust-udpv4-latency-32-bytes-raw");
    }

    #[test]
    fn every_repetition_comes_after_the_one_before_it_and_what_is_done_is_not_missing() {
        let cells = plan(&parse("test", TEXT).unwrap(), &systems(), &[], |_| false).cells;
        let run = |index: usize, repetition| Run {
            cell: cells[index].clone(),
            repetition,
            started: String::new(),
            outcome: Outcome::Failed("also counts".into()),
        };
        let campaign = Campaign {
            format: FORMAT,
            name: String::new(),
            started: String::new(),
            version: String::new(),
            seconds: 1.0,
            repetitions: 2,
            cells: cells.clone(),
            skipped: vec![],
            network: String::new(),
            hosts: vec![],
            chapters: vec![],
        };
        let all = missing(&campaign, &[]);
        assert_eq!(all.len(), 24);
        assert_eq!((all[0], all[11], all[12]), ((0, 0), (11, 0), (0, 1)));
        let rest = missing(&campaign, &[run(0, 0), run(11, 1), run(1, 0)]);
        assert_eq!((rest.len(), rest[0]), (21, (2, 0)));
        assert!(!rest.contains(&(11, 1)) && rest.contains(&(11, 0)));
    }
}
