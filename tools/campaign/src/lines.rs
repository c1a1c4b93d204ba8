//! Progress as lines, for a file or a pipe.

use std::io::Write;
use std::time::Duration;

use crate::drive::{Progress, View};
use crate::record::{Measured, Outcome, Run};
use crate::terminal;

/// One line for each run that has ended.
pub(crate) struct Lines<W: Write>(pub(crate) W);

impl<W: Write> View for Lines<W> {
    fn begins(&mut self, _: &Progress<'_>) {}

    fn ended(&mut self, progress: &Progress<'_>, run: &Run) {
        let (done, total, cell) = (progress.done, progress.total, progress.cell);
        let left = remaining(progress.remaining);
        let result = short(&run.outcome);
        let text = format!("{done}/{total}, {left} left: {cell}: {result}");
        // A closed stderr does not stop a campaign.
        let _ = writeln!(self.0, "{}", terminal::line(&text));
    }
}

/// Minutes, or seconds where there are few.
pub(crate) fn remaining(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}

/// The result of a run in some words.
pub(crate) fn short(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed(reason) => format!("failed: {reason}"),
        Outcome::Measured(measured) => figures(measured),
    }
}

fn figures(measured: &Measured) -> String {
    if let Some(latency) = measured.response.as_ref().or(measured.latency.as_ref()) {
        let [median, _, p99, ..] = latency.percentiles.map(|value| value as f64 / 1_000.0);
        let samples = latency.samples;
        return format!("50 % {median:.3} μs, 99 % {p99:.3} μs, {samples} samples");
    }
    match &measured.throughput {
        Some(throughput) => format!(
            "{:.0} samples/s, {:.1} Mbit/s, {} lost",
            throughput.samples_per_second, throughput.mbps, throughput.lost
        ),
        None => "nothing was measured".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Latency, Throughput};

    #[test]
    fn the_time_left_is_as_exact_as_it_is_known() {
        let texts = [5, 99, 100, 7_200].map(|seconds| remaining(Duration::from_secs(seconds)));
        assert_eq!(texts, ["5 s", "99 s", "2 min", "2.0 h"]);
    }

    #[test]
    fn a_result_fits_into_a_line() {
        let latency = Measured {
            latency: Some(Latency {
                samples: 7,
                percentiles: [1_500, 2_000, 2_500, 3_000, 3_000],
                ..Latency::default()
            }),
            ..Measured::default()
        };
        let throughput = Measured {
            throughput: Some(Throughput::default()),
            ..Measured::default()
        };
        let text = short(&Outcome::Measured(Box::new(latency)));
        assert_eq!(text, "50 % 1.500 μs, 99 % 2.500 μs, 7 samples");
        let text = short(&Outcome::Measured(Box::new(throughput)));
        assert_eq!(text, "0 samples/s, 0.0 Mbit/s, 0 lost");
        assert_eq!(short(&Outcome::Failed("gone".into())), "failed: gone");
    }
}
