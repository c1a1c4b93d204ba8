use super::*;
use crate::record::{FORMAT, Latency, Outcome, Throughput};

const FILE: &str = r#"
[[chapter]]
title = "Latency"
part = "latency"
rival = "iceoryx2"

[[chapter.group]]
transport = "SHMEM"
size = 32
rows = [
  { system = "plain-shm", name = "32 B copy" },
  { system = "iceoryx2", name = "32 B copy", reliable = true, against = 0 },
  { system = "dunlin-api", name = "32 B reliable", reliable = true, against = 0, goals = [{ at_most = 2.5, times = 0 }, { below = 1 }] },
  { system = "dunlin-api", name = "32 B best effort", against = 0, goals = [{ at_most = 0.15, beyond = 2 }, { at_most = 1.5, times = 0, figure = "99 %" }] },
]
"#;

const STREAM: &str = r#"
[[chapter]]
title = "Stream"

[[chapter.group]]
transport = "SHMEM"
size = 1000
mode = "throughput unbatched"
reliable = true
rows = [
  { system = "plain-shm", name = "raw" },
  { system = "dunlin-api", name = "reliable", against = 0, goals = [{ at_least = 0.8, times = 0 }] },
]
"#;

/// As planned, without the rows of systems that are not here.
fn campaign(text: &str, absent: &str) -> Campaign {
    let file = crate::file::parse("test", text).unwrap();
    let chapters: Vec<_> = file
        .chapters
        .iter()
        .map(|chapter| Chapter {
            title: chapter.title.clone(),
            network: String::new(),
            subject: chapter.subject().into(),
            missing: None,
            goals: chapter.goals(),
        })
        .collect();
    let rows = chapters
        .iter()
        .flat_map(|one| &one.goals.as_ref().unwrap().rows);
    let cells = rows.map(|row| row.cell.clone());
    Campaign {
        format: FORMAT,
        name: "test".into(),
        started: String::new(),
        version: String::new(),
        seconds: 1.0,
        repetitions: 2,
        cells: cells.filter(|cell| cell.system != absent).collect(),
        skipped: vec![],
        network: String::new(),
        hosts: vec![],
        chapters,
    }
}

fn run(campaign: &Campaign, index: usize, repetition: u32, outcome: Outcome) -> Run {
    Run {
        cell: campaign.cells[index].clone(),
        repetition,
        started: String::new(),
        outcome,
    }
}

fn latency(nanos: u64) -> Outcome {
    Outcome::Measured(Box::new(Measured {
        latency: Some(Latency {
            samples: 10,
            percentiles: [nanos, nanos, 2 * nanos, nanos, nanos],
            ..Latency::default()
        }),
        ..Measured::default()
    }))
}

fn stream(rate: f64, sent: u64, received: u64) -> Outcome {
    Outcome::Measured(Box::new(Measured {
        throughput: Some(Throughput {
            samples_per_second: rate,
            sent: Some(sent),
            received: Some(received),
            ..Throughput::default()
        }),
        ..Measured::default()
    }))
}

fn lines(campaign: &Campaign, runs: &[Run]) -> (Vec<String>, Count) {
    let (text, count) = text(campaign, runs).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    (lines.collect(), count)
}

#[test]
fn ratios_and_differences_are_those_of_neighbours_and_goals_are_judged_by_them() {
    let campaign = campaign(FILE, "");
    // The machine is ten times as slow in the second repetition.
    let figures = [[100, 1_000], [300, 3_000], [200, 2_000], [300, 2_100]];
    let runs: Vec<_> = figures
        .into_iter()
        .enumerate()
        .flat_map(|(index, nanos)| {
            [0, 1].map(|turn| run(&campaign, index, turn, latency(nanos[turn as usize])))
        })
        .collect();
    let (lines, count) = lines(&campaign, &runs);
    assert_eq!(lines[1], "Latency");
    assert_eq!(
        lines[5],
        "32 B reliable Dunlin spin, then block 1.10 2.20 raw, spin 0.55 2.00 2.00 0.67 2.5 x raw, below iceoryx2 - - 20 PASS"
    );
    // 0.1 us more in both; the 99 % value is 2.55 times that of the floor.
    assert!(
        lines[6].ends_with("32 B reliable + 0.15 us - - 20 PASS"),
        "{}",
        lines[6]
    );
    assert_eq!(
        lines[7],
        "32 B best effort, p99 Dunlin spin, then block 2.40 raw, spin p99 1.10 2.55 1.5 x raw miss"
    );
    assert_eq!(count, Count { met: 2, missed: 1 });
    assert_eq!(lines.last().unwrap(), "2 targets met, 1 missed");
}

#[test]
fn an_absent_rival_asks_nothing_and_what_was_not_measured_is_not_met() {
    let campaign = campaign(FILE, "iceoryx2");
    let measured = |index, nanos| run(&campaign, index, 0, latency(nanos));
    let runs = [measured(0, 100), measured(1, 200)];
    let (lines, count) = lines(&campaign, &runs);
    assert!(
        lines[4].starts_with("32 B reliable") && lines[4].ends_with("PASS"),
        "{lines:?}"
    );
    assert!(
        lines[5].ends_with("miss") && lines[6].ends_with("miss"),
        "{lines:?}"
    );
    assert_eq!(count, Count { met: 1, missed: 2 });
}

#[test]
fn a_chapter_of_which_nothing_was_planned_has_no_table() {
    let mut campaign = campaign(FILE, "");
    campaign.cells.clear();
    assert_eq!(text(&campaign, &[]), None);
}

#[test]
fn what_is_lost_misses_every_goal_and_so_does_a_failure() {
    let campaign = campaign(STREAM, "");
    let floor = run(&campaign, 0, 0, stream(1e6, 1_000, 990));
    let own = |outcome| [floor.clone(), run(&campaign, 1, 0, outcome)];
    let (whole, _) = lines(&campaign, &own(stream(9e5, 1_000, 1_000)));
    assert_eq!(whole[3], "raw raw SHM 1.00 M 1000 1.0 % - - 990");
    assert_eq!(
        whole[4],
        "reliable Dunlin 900 k 900 0.90 0.8 x raw 0 - - 1000 PASS"
    );
    let (lossy, _) = lines(&campaign, &own(stream(9e5, 1_000, 999)));
    assert!(
        lossy[4].contains(" 0.1 % ") && lossy[4].ends_with("miss"),
        "{lossy:?}"
    );
    let (failed, _) = lines(&campaign, &own(Outcome::Failed("gone".into())));
    assert!(failed[4].ends_with("0, 1 runs failed miss"), "{failed:?}");
}

#[test]
fn every_row_of_the_bench_can_be_measured_by_its_system_and_is_there_once() {
    let systems = crate::systems::known();
    let mut names = std::collections::HashSet::new();
    for name in ["bench", "bench-full"] {
        let file = crate::file::parse(name, crate::builtin::text(name).unwrap()).unwrap();
        for row in file.chapters.iter().flat_map(|chapter| chapter.rows()) {
            let system = systems.iter().find(|one| one.name() == row.cell.system);
            assert_eq!(system.unwrap().has(&row.cell), Ok(()), "{}", row.cell);
            let new = names.insert((name, row.cell.file_name()));
            // Without goals, one floor does for both reliabilities.
            assert!(new || name == "bench-full", "{}", row.cell);
        }
    }
    let of_bench = names.iter().filter(|(name, _)| *name == "bench");
    assert_eq!(of_bench.count(), 132);
}

#[test]
fn parts_of_the_bench_are_asked_for_by_name_and_groups_stay_whole() {
    let mut file = crate::file::parse("bench", crate::builtin::text("bench").unwrap()).unwrap();
    let only = file.narrow(&["TCP".into(), "tls".into()]);
    assert_eq!(only, ["tls"]);
    assert_eq!(file.chapters.len(), 2);
    let systems = crate::systems::known();
    let plan = crate::plan::plan(&file, &systems, &only, |_| false);
    let sizes: Vec<_> = plan.cells.iter().map(|cell| cell.size).collect();
    assert_eq!(
        sizes,
        [
            32,
            32,
            32,
            32,
            32,
            1 << 20,
            1 << 20,
            1 << 20,
            1 << 20,
            1 << 20
        ]
    );
}
