//! One JSON document per process, written piece by piece and closed also when the run is cut short.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{
    LatencyInterval, LatencyRow, Layout, Loaded, Micros, Style, TrafficInterval, TrafficRow,
    lost_percent,
};

/// Where in the document we are.
#[derive(Default, PartialEq)]
enum Place {
    #[default]
    Start,
    /// Between the elements of the outer array.
    Elements,
    /// In an element whose interval array is open, with or without a row.
    Intervals { rows: bool },
}

/// The writer of the document.
#[derive(Default)]
pub(super) struct Json {
    place: Place,
    elements: usize,
}

impl Layout for Json {
    fn latency_title(&mut self, out: &mut dyn Write, _: &Style, size: usize) -> io::Result<()> {
        self.open(out, size)
    }

    fn latency_interval(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyInterval,
    ) -> io::Result<()> {
        let us = style.micros(&row.summary);
        let mut object = Map::new();
        object.insert("latency".into(), number(us.last));
        extremes(&mut object, &us);
        cpu(&mut object, row.cpu);
        self.interval(out, row.size, object)
    }

    fn latency_summary(
        &mut self,
        out: &mut dyn Write,
        style: &Style,
        row: &LatencyRow,
    ) -> io::Result<()> {
        let mut object = latencies(&style.micros(&row.summary));
        cpu(&mut object, row.cpu);
        object.extend(entries(json!({
            "unit": "us",
            "samples": row.summary.count,
            "sent": row.sent,
            "lost_pings": row.lost,
            "late_pongs": row.late,
            "warm_up_samples": row.warm_up,
            "cost": row.cost,
            "complete": row.complete,
        })));
        if let Some(loaded) = &row.loaded {
            object.extend(under_load(style, loaded));
        }
        self.summary(out, row.size, object)
    }

    fn traffic_title(&mut self, out: &mut dyn Write, _: &Style, size: usize) -> io::Result<()> {
        self.open(out, size)
    }

    fn traffic_interval(
        &mut self,
        out: &mut dyn Write,
        _: &Style,
        row: &TrafficInterval,
    ) -> io::Result<()> {
        let mut object = entries(json!({
            "length": row.size,
            "packets": row.packets,
            "packets/s": number(row.packets_per_second),
            "packets/s_ave": number(row.average_packets),
            "mbps": number(row.mbps),
            "mbps_ave": number(row.average_mbps),
            "lost": row.lost,
            "lost_percent": number(lost_percent(row.lost, row.packets)),
        }));
        cpu(&mut object, row.cpu);
        self.interval(out, row.size, object)
    }

    fn traffic_summary(
        &mut self,
        out: &mut dyn Write,
        _: &Style,
        row: &TrafficRow,
    ) -> io::Result<()> {
        let mut object = entries(json!({
            "packets": row.packets,
            "packets/sAve": number(row.packets_per_second),
            "mbpsAve": number(row.mbps),
            "lost": row.lost,
            "lostPercent": number(lost_percent(row.lost, row.packets)),
        }));
        cpu(&mut object, row.cpu);
        object.extend(entries(json!({"cost": row.cost, "complete": row.complete})));
        self.summary(out, row.size, object)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.place {
            Place::Start => out.write_all(b"{\"perftest\":[")?,
            Place::Elements => {}
            Place::Intervals { .. } => out.write_all(b"]}")?,
        }
        self.place = Place::Elements;
        out.write_all(b"\n]}\n")
    }
}

impl Json {
    /// Begins an element, if none is open.
    fn open(&mut self, out: &mut dyn Write, size: usize) -> io::Result<()> {
        match self.place {
            Place::Intervals { .. } => return Ok(()),
            Place::Start => out.write_all(b"{\"perftest\":[")?,
            Place::Elements => {}
        }
        let comma = if self.elements > 0 { "," } else { "" };
        self.elements += 1;
        self.place = Place::Intervals { rows: false };
        write!(out, "{comma}\n{{\"length\":{size},\"intervals\":[")
    }

    fn interval(
        &mut self,
        out: &mut dyn Write,
        size: usize,
        object: Map<String, Value>,
    ) -> io::Result<()> {
        self.open(out, size)?;
        let comma = if self.place == (Place::Intervals { rows: true }) {
            ","
        } else {
            ""
        };
        self.place = Place::Intervals { rows: true };
        write!(out, "{comma}\n  {}", Value::Object(object))
    }

    fn summary(
        &mut self,
        out: &mut dyn Write,
        size: usize,
        object: Map<String, Value>,
    ) -> io::Result<()> {
        self.open(out, size)?;
        self.place = Place::Elements;
        write!(out, "],\n \"summary\":{}}}", Value::Object(object))
    }
}

/// Average, extremes and percentiles.
fn latencies(us: &Micros) -> Map<String, Value> {
    let mut object = Map::new();
    extremes(&mut object, us);
    let names = ["50", "90", "99", "99.99", "99.9999"];
    for (name, value) in names.iter().zip(us.percentiles) {
        object.insert(format!("latency_{name}"), number(value));
    }
    object
}

/// What an open loop adds.
fn under_load(style: &Style, loaded: &Loaded) -> Map<String, Value> {
    let mut response = latencies(&style.micros(&loaded.response));
    response.insert("samples".into(), loaded.response.count.into());
    entries(json!({
        "rate": number(loaded.rate),
        "unsent": loaded.unsent,
        "response": response,
    }))
}

fn extremes(object: &mut Map<String, Value>, us: &Micros) {
    object.insert("latency_ave".into(), number(us.average));
    object.insert("latency_std".into(), number(us.deviation));
    object.insert("latency_min".into(), number(us.min));
    object.insert("latency_max".into(), number(us.max));
}

fn cpu(object: &mut Map<String, Value>, cpu: Option<f64>) {
    if let Some(cpu) = cpu {
        object.insert("CPU".into(), number(cpu));
    }
}

fn entries(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// A number with at most three decimals, whole if it is whole.
fn number(value: f64) -> Value {
    let rounded = (value * 1_000.0).round() / 1_000.0;
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        (rounded as i64).into()
    } else {
        rounded.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::options::{Format, OutputOptions};
    use crate::output::tests::{latency_row, loaded_row, plain, traffic_row, written};
    use crate::output::{LatencyInterval, Report, TrafficInterval};

    fn document(rows: impl FnOnce(&mut Report)) -> Value {
        let options = OutputOptions {
            intervals: true,
            ..plain(Format::Json)
        };
        serde_json::from_str(&written(&options, rows)).unwrap()
    }

    #[test]
    fn two_sizes_with_intervals_are_one_valid_document() {
        let document = document(|report| {
            for size in [32, 64] {
                report.latency_title(size);
                for _ in 0..2 {
                    report.latency_interval(&LatencyInterval {
                        size,
                        summary: latency_row().summary,
                        cpu: Some(1.0),
                    });
                }
                report.latency_summary(&latency_row());
            }
        });
        let runs = document["perftest"].as_array().unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[1]["length"], 64);
        assert_eq!(runs[0]["intervals"].as_array().unwrap().len(), 2);
        assert_eq!(runs[0]["summary"]["latency_99.99"], 124);
        assert_eq!(runs[0]["summary"]["samples"], 3);
        assert_eq!(runs[0]["summary"]["lost_pings"], 1);
    }

    #[test]
    fn throughput_has_its_own_keys() {
        let document = document(|report| {
            report.traffic_interval(&TrafficInterval {
                size: 32,
                packets: 3,
                packets_per_second: 1.5,
                average_packets: 1.5,
                mbps: 1.0,
                average_mbps: 1.0,
                lost: 0,
                cpu: None,
            });
            report.traffic_summary(&traffic_row());
        });
        let run = &document["perftest"][0];
        assert_eq!(run["intervals"][0]["packets/s"], 1.5);
        assert_eq!(run["summary"]["lostPercent"], 1);
    }

    #[test]
    fn latency_under_load_has_response_times_beside_service_times() {
        let document = document(|report| report.latency_summary(&loaded_row()));
        let summary = &document["perftest"][0]["summary"];
        assert_eq!(summary["latency_50"], 9);
        assert_eq!(summary["response"]["latency_50"], 5_000);
        assert_eq!(summary["response"]["samples"], 1);
        assert_eq!(
            (&summary["rate"], &summary["unsent"]),
            (&2_500.5.into(), &2.into())
        );
    }

    #[test]
    fn a_run_without_a_result_is_still_valid() {
        assert_eq!(document(|_| {})["perftest"].as_array().unwrap().len(), 0);
        let cut = document(|report| report.latency_title(32));
        assert_eq!(cut["perftest"][0]["length"], 32);
    }
}
