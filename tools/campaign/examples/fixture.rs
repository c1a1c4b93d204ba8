//! Writes three campaigns that never ran, and the reports of two, one with the first laid over it
//! and one with chapters: for the browser's test and for whoever works on the report.
//! `cargo run -p dunlin-campaign --example fixture -- DIRECTORY`

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use std::path::PathBuf;

use dunlin_campaign::report;
use fixture::Plan;

fn main() {
    let place = PathBuf::from(std::env::args().nth(1).expect("usage: fixture DIRECTORY"));
    let earlier = Plan {
        name: "earlier",
        slower: 1.3,
        transports: &["SHMEM"],
        repetitions: 2,
        samples: 20_000,
        ..Plan::default()
    };
    let earlier = fixture::write(&place.join("earlier"), &earlier);
    let directory = fixture::write(&place.join("campaign"), &Plan::default());
    let files = report::write_over(&directory, &[earlier]).expect("a report");
    let published = Plan {
        name: "published",
        chapters: &fixture::CHAPTERS,
        sizes: &[32, 1_024, 63_000],
        repetitions: 2,
        samples: 20_000,
        ..Plan::default()
    };
    let directory = fixture::write(&place.join("published"), &published);
    report::write(&directory).expect("a report");
    files.iter().for_each(|file| println!("{}", file.display()));
}
