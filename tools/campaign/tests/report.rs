//! The report of a campaign that never ran: what is in its files.

mod fixture;

use std::fs;
use std::path::Path;

use dunlin_campaign::record::Mode;
use dunlin_campaign::report;
use dunlin_campaign::summary::{CellSummary, Summary};
use fixture::Plan;

fn small() -> Plan {
    Plan {
        transports: &["SHMEM", "TCP"],
        repetitions: 3,
        samples: 5_000,
        ..Plan::default()
    }
}

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn all_files_are_written_and_hold_the_figures() {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(place.path(), &small());
    let files = report::write(&directory).unwrap();
    assert_eq!(files.len(), 6, "{files:?}");

    let page = read(place.path(), "report.html");
    let data = page.split("type=\"application/json\">").nth(1).unwrap();
    let data: serde_json::Value =
        serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    assert_eq!(
        data["campaign"]["campaign"]["hosts"][0]["name"],
        "bench</script><b>1"
    );
    assert_eq!(data["published"].as_array().unwrap().len(), 184);
    let outside = ["http:", "https:", "@import", "src="];
    let own = page.replace("https://github.com/leeoniya/uPlot", "");
    assert!(
        outside.iter().all(|word| !own.contains(word)),
        "{outside:?}"
    );

    let markdown = read(place.path(), "report.md");
    assert!(markdown.contains("## Shared memory") && markdown.contains("## TCP"));
    assert!(markdown.contains("bench&lt;/script>"), "{markdown}");
    assert!(markdown.contains("fastdds: libfastrtps-dev is not installed"));
    assert!(markdown.contains("repetition 2: publisher: killed by signal 9"));
    assert!(markdown.contains("the 99 % response time stays below 2 times"));

    let csv = read(place.path(), "csv/latency.csv");
    let columns = |line: &str| {
        line.replace("\"spin, then block\"", "spin")
            .replace("\"listener, blocking\"", "listen")
            .split(',')
            .count()
    };
    let head = columns(csv.lines().next().unwrap());
    assert!(
        csv.lines().count() > 50 && csv.lines().all(|line| columns(line) == head),
        "{csv}"
    );
}

#[test]
fn the_page_of_results_tells_machine_build_and_date_before_any_figure() {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(place.path(), &small());
    let file = place.path().join("docs/results.md");
    assert_eq!(report::write_results(&directory, &file).unwrap(), file);
    let page = read(place.path(), "docs/results.md");
    let (head, tables) = page.split_once("\n## ").unwrap();
    let summary = Summary::read(&directory).unwrap();
    let host = &summary.campaign.hosts[0];
    assert!(!host.facts.is_empty());
    for (label, _) in &host.facts {
        assert!(head.contains(label.as_str()), "{label}: {head}");
    }
    assert!(head.contains(&summary.campaign.started) && head.contains("not edited"));
    assert!(
        !page.contains("bench&lt;/script>"),
        "the name of the machine"
    );
    assert!(tables.contains("TCP") && tables.contains("### Latency"));
    assert!(tables.contains("fastdds: libfastrtps-dev is not installed"));
    // The same figures are the same page.
    report::write_results(&directory, &file).unwrap();
    assert_eq!(read(place.path(), "docs/results.md"), page);
}

#[test]
fn what_a_router_adds_is_in_every_form_of_the_report() {
    let place = tempfile::tempdir().unwrap();
    let plan = Plan {
        transports: &["UDPv4"],
        sizes: &[64, 63_000],
        ..small()
    };
    let directory = fixture::write(place.path(), &plan);
    report::write(&directory).unwrap();
    let summary = Summary::read(&directory).unwrap();
    assert_eq!(summary.hops.len(), 8);
    let hop = summary
        .hops
        .iter()
        .find(|hop| hop.size == 64 && hop.reliable && !hop.keyed)
        .unwrap();
    let ratio = hop.median.hop_ratio.unwrap();
    assert!((1.05..1.4).contains(&ratio), "{hop:?}");
    assert_eq!(hop.published, Some(89_000.0));
    let markdown = read(place.path(), "report.md");
    assert!(markdown.contains("### What a router adds") && markdown.contains(" | (90) |"));
    assert!(markdown.contains("| Dunlin, routed | router |"));
    let csv = read(place.path(), "csv/hop.csv");
    assert_eq!(csv.lines().count(), 1 + 2 * 8, "{csv}");
    assert!(csv.contains("\n,UDPv4,true,false,false,64,50,"), "{csv}");
    let page = read(place.path(), "report.html");
    assert!(page.contains("\"hop_ratio\":") && page.contains("hopSection"));
}

#[test]
fn figures_of_a_cell_are_those_of_all_its_samples() {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(place.path(), &small());
    let summary = Summary::read(&directory).unwrap();
    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
    let of = |system: &str, transport: &str| {
        let wanted = |cell: &&CellSummary| {
            let c = &cell.cell;
            (
                c.system.as_str(),
                c.transport.as_str(),
                c.size,
                c.keyed,
                c.mode,
                c.zero_copy,
            ) == (system, transport, 32, false, Mode::Latency, false)
        };
        summary.cells.iter().find(wanted).unwrap()
    };
    let (dunlin, raw) = (of("dunlin", "SHMEM"), of("raw", "SHMEM"));
    let latency = dunlin.latency.as_ref().unwrap();
    assert_eq!(
        (dunlin.measured, latency.samples, latency.medians.len()),
        (3, 15_000, 3)
    );
    let row = latency.percentiles.map(|p| p.nanos);
    assert!(
        row.is_sorted() && latency.min <= row[0] && row[4] <= latency.max,
        "{latency:?}"
    );
    assert_eq!(
        latency.percentiles.map(|p| p.certain),
        [true, true, true, false, false]
    );
    let (low, high) = latency.median.limits.unwrap();
    assert!(low <= latency.median.value && latency.median.value <= high);
    assert_eq!(latency.curve.last().unwrap().1, latency.max);
    assert_eq!(raw.floor, Some(1.0));
    let floor = dunlin.floor.unwrap();
    assert!((1.3..1.4).contains(&floor), "{floor}");
    assert_eq!(dunlin.warm_up, Some((1_000, 1_020)));
}

#[test]
fn a_histogram_that_is_gone_is_said_and_does_not_stop_the_report() {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(
        place.path(),
        &Plan {
            transports: &["TCP"],
            repetitions: 1,
            samples: 500,
            ..Plan::default()
        },
    );
    let logs = fs::read_dir(place.path().join("histograms")).unwrap();
    let log = logs.map(|log| log.unwrap().path()).min().unwrap();
    fs::write(&log, "nothing").unwrap();
    let summary = Summary::read(&directory).unwrap();
    let name = log.file_name().unwrap().to_str().unwrap();
    assert!(
        summary.notes.len() == 1 && summary.notes[0].contains(name),
        "{:?}",
        summary.notes
    );
    report::write(&directory).unwrap();
}

#[test]
fn a_campaign_that_was_interrupted_at_once_has_a_report() {
    let place = tempfile::tempdir().unwrap();
    let directory = fixture::write(
        place.path(),
        &Plan {
            repetitions: 0,
            ..small()
        },
    );
    let files = report::write(&directory).unwrap();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(read(place.path(), "report.md").contains("not measured: Dunlin"));
}

#[test]
fn a_chapter_has_its_own_part_in_every_form_of_the_report_and_a_missing_one_says_why() {
    let place = tempfile::tempdir().unwrap();
    let plan = Plan {
        chapters: &fixture::CHAPTERS,
        sizes: &[32, 63_000],
        ..small()
    };
    let directory = fixture::write(place.path(), &plan);
    report::write(&directory).unwrap();
    let markdown = read(place.path(), "report.md");
    let parts: Vec<_> = markdown
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    let titles = [
        "## TCP, C++98",
        "## UDPv4, Java",
        "## UDPv4, Routing Service",
    ];
    assert_eq!(parts[..3], titles);
    assert!(
        markdown.contains("Not measured: dunlin-java: there is no JDK"),
        "{markdown}"
    );
    assert!(
        markdown.contains("| Dunlin in C++98, routed |"),
        "{markdown}"
    );
    let summary = Summary::read(&directory).unwrap();
    // The floor of a chapter is its own.
    let mine = |title: &str| {
        let cells = summary
            .cells
            .iter()
            .filter(move |one| one.cell.chapter == title);
        cells
            .filter(|one| one.cell.system.starts_with("dunlin"))
            .collect::<Vec<_>>()
    };
    assert!(
        mine("TCP, C++98")
            .iter()
            .all(|one| one.floor.is_some_and(|floor| floor > 1.0))
    );
    let hop = summary
        .hops
        .iter()
        .find(|hop| hop.size == 32 && hop.reliable)
        .unwrap();
    assert_eq!(hop.chapter, "UDPv4, Routing Service");
    assert!(hop.median.hop.is_some_and(|hop| hop > 0.0) && hop.median.floor.is_some());
    let csv = read(place.path(), "csv/latency.csv");
    assert!(
        csv.contains("\n\"TCP, C++98\",dunlin-cpp98,TCP,true,"),
        "{csv}"
    );
}
