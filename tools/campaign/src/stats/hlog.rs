//! HdrHistogram logs (`.hlog`), as all tools for such histograms read them. Values are nanoseconds.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::whole;

/// Why a log could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct HlogError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// A log has this many bytes at most: thousands of times what a run leaves.
const LONGEST: u64 = 64 << 20;

/// All histograms of the log, added up.
pub fn read(path: &Path) -> Result<Histogram<u64>, HlogError> {
    let error = |reason: String| HlogError {
        path: path.to_owned(),
        reason,
    };
    let bytes = dunlin::transport::file::read(path, LONGEST).map_err(|e| error(e.to_string()))?;
    let mut sum: Option<Histogram<u64>> = None;
    for entry in IntervalLogIterator::new(&bytes) {
        let entry = entry.map_err(|e| error(format!("not a histogram log ({e:?})")))?;
        let LogEntry::Interval(interval) = entry else {
            continue;
        };
        let next = decoded(&interval).map_err(error)?;
        match &mut sum {
            None => sum = Some(next),
            Some(sum) => sum.add(next).map_err(|e| error(e.to_string()))?,
        }
    }
    sum.ok_or_else(|| error("the log holds no histogram".into()))
}

/// Writes a log of one histogram.
pub fn write(
    path: &Path,
    histogram: &Histogram<u64>,
    started: SystemTime,
    duration: Duration,
) -> Result<(), HlogError> {
    written(path, histogram, started, duration).map_err(|reason| HlogError {
        path: path.to_owned(),
        reason: reason.to_string(),
    })
}

fn written(
    path: &Path,
    histogram: &Histogram<u64>,
    started: SystemTime,
    duration: Duration,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let failed = |reason: &dyn std::fmt::Debug| io::Error::other(format!("{reason:?}"));
    let mut log = IntervalLogWriterBuilder::new()
        .with_start_time(started)
        .with_base_time(started)
        .begin_log_with(&mut bytes, &mut serializer)?;
    log.write_histogram(histogram, Duration::ZERO, duration, None)
        .map_err(|reason| failed(&reason))?;
    drop(log);
    whole::write(path, &bytes)
}

fn decoded(interval: &IntervalLogHistogram<'_>) -> Result<Histogram<u64>, String> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(interval.encoded_histogram())
        .map_err(|e| format!("a histogram is damaged ({e})"))?;
    let mut histogram: Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|e| format!("a histogram is damaged ({e:?})"))?;
    histogram.auto(true);
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn histogram(values: &[u64]) -> Histogram<u64> {
        let mut histogram = Histogram::new_with_bounds(1, 60_000_000_000, 4).unwrap();
        values
            .iter()
            .for_each(|value| histogram.record(*value).unwrap());
        histogram
    }

    #[test]
    fn what_was_written_is_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.hlog");
        let written = histogram(&[17, 8_700, 8_701, 31_999, 5_000_000_000]);
        write(
            &path,
            &written,
            SystemTime::UNIX_EPOCH,
            Duration::from_secs(1),
        )
        .unwrap();
        assert_eq!(read(&path).unwrap(), written);
    }

    #[test]
    fn the_intervals_of_a_log_add_up() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.hlog");
        let mut text = Vec::new();
        for value in [100, 200] {
            let one = place.path().join("one.hlog");
            write(
                &one,
                &histogram(&[value]),
                SystemTime::UNIX_EPOCH,
                Duration::from_secs(1),
            )
            .unwrap();
            let lines = fs::read_to_string(&one).unwrap();
            let lines = lines
                .lines()
                .filter(|line| text.is_empty() || !line.starts_with('#'));
            let lines: String = lines.map(|line| format!("{line}\n")).collect();
            text.extend(lines.into_bytes());
        }
        fs::write(&path, text).unwrap();
        let sum = read(&path).unwrap();
        assert_eq!((sum.len(), sum.min(), sum.max()), (2, 100, 200));
    }

    #[test]
    fn what_is_no_log_is_told_with_its_name() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("b.hlog");
        for text in [
            "",
            "#[Histogram log format version 1.3]\n",
            "what?\n",
            "0.0,1.0,1.0,HISTAAAA\n",
            "0.0,1.0,1.0,!\n",
        ] {
            fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("b.hlog: "), "{error}");
        }
        assert!(read(&place.path().join("absent")).is_err());
    }
}
