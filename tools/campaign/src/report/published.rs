//! Published latencies of RTI Connext, as context: other hardware, other years, whole microseconds,
//! and known defects.

use serde::Serialize;

use crate::record::Cell;

const ROWS: &str = include_str!("../../data/connext_latency.csv");

/// The columns of a row from `avg_us` on.
pub(super) const COLUMNS: usize = 9;

/// Of the rows that were measured through a router.
const ROUTED: &str = "Connext Routing Service";

const AVERAGE: usize = 0;
const DEVIATION: usize = 1;
const MIN: usize = 2;
const MAX: usize = 3;
const MEDIAN: usize = 4;
const P99: usize = 6;
const P9999: usize = 7;
const P999999: usize = 8;

/// One row as printed, microseconds.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    /// As `-transport` takes it.
    pub(super) transport: &'static str,
    /// Of the page that it is on: a chapter of this title shows it.
    pub(super) page: &'static str,
    /// For the reader.
    pub(super) label: &'static str,
    pub(super) hardware: &'static str,
    pub(super) keyed: bool,
    pub(super) reliable: bool,
    pub(super) size: u64,
    /// Average, deviation, minimum, maximum, 50, 90, 99, 99.99 and 99.9999 %.
    pub(super) micros: [f64; COLUMNS],
    /// Which of them are not what their heading says, and why.
    pub(super) defects: Vec<(usize, &'static str)>,
}

/// All rows; a line that is none is left out (the test counts them).
pub(super) fn rows() -> Vec<Row> {
    ROWS.lines().skip(1).filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(',').collect();
    let [transport, api, path, keyed, reliability, size, figures @ ..] = fields.as_slice() else {
        return None;
    };
    let mut micros = [0.0; COLUMNS];
    for (place, figure) in micros.iter_mut().zip(figures) {
        *place = figure.parse().ok()?;
    }
    let (page, label, hardware) = source(transport, api, path)?;
    Some(Row {
        transport: match *transport {
            "udpv4" => "UDPv4",
            "shmem" => "SHMEM",
            "tcp" => "TCP",
            _ => return None,
        },
        page,
        label,
        hardware,
        keyed: *keyed == "keyed",
        reliable: *reliability == "reliable",
        size: size.parse().ok()?,
        micros,
        defects: defects(api, &micros),
    })
}

/// Page, label and hardware.
fn source(
    transport: &str,
    api: &str,
    path: &str,
) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match (transport, api, path) {
        ("tcp", "cpp98", _) => ("TCP, C++98", "Connext C++98", "Xeon E-2186G, 10 GbE"),
        ("shmem", "cpp98", _) => ("Shared memory, C++98", "Connext C++98", "Xeon E-2278G"),
        ("udpv4", "java", _) => ("UDPv4, Java", "Connext Java", "Xeon E-2278G, 10 GbE"),
        ("udpv4", "csharp", _) => ("UDPv4, C#", "Connext C#", "Xeon E-2186G, 10 GbE"),
        ("udpv4", _, "routing_service") => {
            ("UDPv4, Routing Service", ROUTED, "Core i7 3.33 GHz, 1 GbE")
        }
        _ => return None,
    })
}

/// The median of the same samples through Routing Service in nanoseconds, and whether it is known
/// to be wrong.
pub(crate) fn routed_median(cell: &Cell) -> Option<(f64, bool)> {
    let row = rows().into_iter().find(|row| {
        (row.label, row.transport) == (ROUTED, cell.transport.as_str())
            && (row.keyed, row.reliable, row.size) == (cell.keyed, cell.reliable, cell.size)
    })?;
    let wrong = row.defects.iter().any(|(column, _)| *column == MEDIAN);
    Some((row.micros[MEDIAN] * 1_000.0, wrong))
}

/// What is known to be wrong in a row.
fn defects(api: &str, micros: &[f64; COLUMNS]) -> Vec<(usize, &'static str)> {
    let mut defects = vec![];
    if api == "java" {
        let reason = "holds the minimum, not the percentile";
        defects.extend([(P9999, reason), (P999999, reason)]);
        if micros[MAX] > 100_000.0 {
            let reason = "counts answers that came after the time-out of 100 ms";
            defects.extend([(AVERAGE, reason), (DEVIATION, reason), (MAX, reason)]);
        }
    } else if micros[P999999] == micros[MAX] {
        defects.push((P999999, "is the maximum: fewer than a million samples"));
    }
    if api == "csharp" {
        defects.push((AVERAGE, "is truncated"));
        defects.push((DEVIATION, "is inflated"));
    }
    if micros[P99] > micros[P9999] && api != "java" {
        defects.push((P99, "is a misprint: about 99 is meant"));
    }
    if micros[MEDIAN] < micros[MIN] {
        defects.push((MEDIAN, "is below the minimum"));
    }
    defects.sort_by_key(|(column, _)| *column);
    defects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_is_there() {
        let rows = rows();
        assert_eq!((rows.len(), ROWS.lines().count()), (184, 185));
        let of = |transport| rows.iter().filter(|row| row.transport == transport).count();
        assert_eq!([of("UDPv4"), of("SHMEM"), of("TCP")], [92, 54, 38]);
    }

    #[test]
    fn each_page_is_a_chapter_of_the_campaign_of_all_of_them() {
        let text = crate::builtin::text("published").unwrap();
        let file = crate::file::parse("published", text).unwrap();
        let rows = rows();
        let of_page = |title: &str| {
            rows.iter()
                .filter(|row| row.page == title)
                .collect::<Vec<_>>()
        };
        let counts: Vec<_> = file
            .chapters
            .iter()
            .map(|one| of_page(&one.title).len())
            .collect();
        assert_eq!(counts, [38, 54, 48, 24, 20]);
        // Each row is measured.
        for chapter in &file.chapters {
            for row in of_page(&chapter.title) {
                let has = |work: &crate::file::Work| {
                    let reliability = match row.reliable {
                        true => crate::file::Reliability::Reliable,
                        false => crate::file::Reliability::BestEffort,
                    };
                    work.sizes.iter().any(|size| size.0 == row.size)
                        && work.keyed.contains(&row.keyed)
                        && work.reliability.contains(&reliability)
                        && work
                            .transports
                            .iter()
                            .any(|one| one.name() == row.transport)
                };
                let title = &chapter.title;
                assert!(chapter.work.iter().any(has), "{title}: {} bytes", row.size);
            }
        }
    }

    #[test]
    fn every_row_that_descends_has_its_defect_marked() {
        let rows = rows();
        let descends = |row: &&Row| {
            let [_, _, min, max, percentiles @ ..] = row.micros;
            let line = [&[min], &percentiles[..], &[max]].concat();
            !line.is_sorted()
        };
        let descending: Vec<_> = rows.iter().filter(descends).collect();
        assert_eq!(descending.len(), 51);
        for row in descending {
            let marked = |column| row.defects.iter().any(|(defect, _)| *defect == column);
            assert!(
                marked(P9999) || marked(P99) || marked(MEDIAN),
                "{} {}",
                row.label,
                row.size
            );
        }
    }

    #[test]
    fn defects_are_where_they_were_found() {
        let rows = rows();
        let count = |column, reason: &str| {
            let has = |row: &&Row| {
                row.defects
                    .iter()
                    .any(|(c, r)| *c == column && r.contains(reason))
            };
            rows.iter().filter(has).count()
        };
        assert_eq!(count(P9999, "minimum"), 48);
        assert_eq!(count(AVERAGE, "truncated"), 24);
        assert_eq!(count(MAX, "100 ms"), 4);
        assert_eq!(count(P99, "misprint"), 1);
        assert_eq!(count(MEDIAN, "below"), 2);
    }
}
