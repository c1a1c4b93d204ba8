//! Two campaigns, of which one is slower by a known factor.

mod fixture;

use std::path::Path;
use std::process::ExitCode;

use dunlin_campaign::command::compare;
use dunlin_campaign::compare::{Comparison, Outcome, Verdict};
use dunlin_campaign::record::Mode;
use dunlin_campaign::summary::Summary;
use fixture::Plan;

fn summary(plan: &Plan) -> (Summary, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(place.path(), plan);
    (Summary::read(&directory).unwrap(), place)
}

fn plan(slower: f64, repetitions: u32) -> Plan {
    Plan {
        slower,
        repetitions,
        transports: &["SHMEM"],
        sizes: &[32, 63_000],
        samples: 2_000,
        ..Plan::default()
    }
}

#[test]
fn a_campaign_compared_with_itself_has_not_changed() {
    let (same, _place) = summary(&plan(1.0, 5));
    let comparison = Comparison::new(&same, &same, 0.05);
    assert_eq!(comparison.outcome(), Outcome::NoRegression);
    assert!(comparison.rows.len() > 20 && comparison.broken.is_empty() && comparison.alone == 0);
    assert!(
        comparison
            .rows
            .iter()
            .all(|row| row.ratio.value == 1.0 && row.chance == 1.0)
    );
}

#[test]
fn what_became_slower_is_found_with_its_factor_and_nothing_else() {
    let (before, _first) = summary(&plan(1.0, 6));
    let (after, _second) = summary(&plan(1.2, 6));
    let comparison = Comparison::new(&before, &after, 0.05);
    assert_eq!(comparison.outcome(), Outcome::Regression);
    for row in &comparison.rows {
        let small = row.cell.size <= 1_024 && matches!(row.cell.mode, Mode::Latency);
        match row.cell.system.as_str() {
            "dunlin" if small => {
                assert_eq!(row.verdict, Verdict::Worse, "{row:?}");
                assert!((1.05..1.25).contains(&row.ratio.value), "{row:?}");
                let (low, high) = row.ratio.limits.unwrap();
                assert!(low <= row.ratio.value && row.ratio.value <= high);
            }
            "dunlin" => {}
            _ => assert_eq!(row.verdict, Verdict::Same, "{row:?}"),
        }
    }
    let backwards = Comparison::new(&after, &before, 0.05);
    assert_eq!(backwards.outcome(), Outcome::NoRegression);
    let better = backwards
        .rows
        .iter()
        .filter(|row| row.verdict == Verdict::Better);
    let worse = comparison
        .rows
        .iter()
        .filter(|row| row.verdict == Verdict::Worse);
    assert_eq!(better.count(), worse.count());
    let text = comparison.text(0.05);
    assert!(
        text.contains("WORSE") && text.contains("cells compared at a threshold of 5.00 %"),
        "{text}"
    );
}

#[test]
fn the_exit_status_is_for_scripts() {
    let (before, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fixture::write(before.path(), &plan(1.0, 6));
    fixture::write(after.path(), &plan(1.2, 6));
    let status = |old: &Path, new: &Path| {
        let words = [old, new].map(|path| path.display().to_string());
        compare(&words)
    };
    assert_eq!(status(before.path(), after.path()), ExitCode::from(1));
    assert_eq!(status(after.path(), before.path()), ExitCode::SUCCESS);
    let nowhere = before.path().join("nowhere");
    assert_eq!(status(before.path(), &nowhere), ExitCode::from(2));
}

#[test]
fn a_change_within_the_threshold_is_none() {
    let (before, _first) = summary(&plan(1.0, 6));
    let (after, _second) = summary(&plan(1.2, 6));
    let comparison = Comparison::new(&before, &after, 0.5);
    assert_eq!(comparison.outcome(), Outcome::NoRegression);
}

#[test]
fn one_repetition_cannot_decide_and_says_so() {
    let (before, _first) = summary(&plan(1.0, 1));
    let (after, _second) = summary(&plan(1.3, 1));
    let comparison = Comparison::new(&before, &after, 0.05);
    assert_eq!(comparison.outcome(), Outcome::Unknown);
    let text = comparison.text(0.05);
    assert!(text.contains("measure both with"), "{text}");
}

#[test]
fn a_cell_that_fails_now_is_no_pass() {
    let plan = |slower| Plan {
        transports: &["TCP"],
        sizes: &[32, 1_048_576],
        samples: 500,
        repetitions: 1,
        slower,
        ..Plan::default()
    };
    let (mut before, _first) = summary(&plan(1.0));
    let (after, _second) = summary(&plan(1.0));
    // Once, all of its cells could be measured.
    for cell in before.cells.iter_mut().filter(|cell| cell.measured == 0) {
        cell.measured = 1;
    }
    let comparison = Comparison::new(&before, &after, 0.05);
    assert_eq!(comparison.outcome(), Outcome::Unknown);
    assert!(
        comparison
            .broken
            .iter()
            .all(|(_, reason)| reason.contains("no answer"))
    );
}

#[test]
fn campaigns_without_a_common_cell_cannot_be_compared() {
    let (before, _first) = summary(&Plan {
        transports: &["TCP"],
        sizes: &[32, 1_048_576],
        samples: 500,
        repetitions: 1,
        ..Plan::default()
    });
    let (after, _second) = summary(&plan(1.0, 1));
    let comparison = Comparison::new(&before, &after, 0.05);
    assert_eq!(comparison.outcome(), Outcome::Unknown);
    assert!(
        comparison
            .text(0.05)
            .contains("No cell was measured in both")
    );
}
