//! `-histogramFile` and `-responseHistogramFile`: logs of HdrHistograms in nanoseconds, one
//! interval per size.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dunlin_campaign::whole;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

/// The log, whose file is there from the beginning: that it cannot be written is told before
/// anything is measured.
pub(super) struct Histograms {
    path: PathBuf,
    started: SystemTime,
    sizes: Vec<(usize, Histogram<u64>, Duration)>,
}

impl Histograms {
    pub(super) fn create(path: &Path) -> Result<Self, String> {
        // An empty log of no size yet.
        whole::write(path, b"").map_err(|error| failed(path, error))?;
        Ok(Self {
            path: path.into(),
            started: SystemTime::now(),
            sizes: Vec::new(),
        })
    }

    /// Adds the latencies of one size and writes the log anew; it has one interval per size, so it
    /// stays small.
    pub(super) fn add(&mut self, size: usize, histogram: &Histogram<u64>) -> Result<(), String> {
        // A clock that was put back makes an interval of length zero, which is no reason to fail.
        let passed = self.started.elapsed().unwrap_or_default();
        self.sizes.push((size, histogram.clone(), passed));
        let written = self
            .bytes()
            .and_then(|bytes| whole::write(&self.path, &bytes).map_err(|error| error.to_string()));
        written.map_err(|error| failed(&self.path, error))
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment("Latencies of perftest in nanoseconds; the tag is the size in bytes")
            .with_start_time(self.started)
            .with_base_time(self.started)
            .begin_log_with(&mut bytes, &mut serializer)
            .map_err(|error| error.to_string())?;
        let mut since = Duration::ZERO;
        for (size, histogram, passed) in &self.sizes {
            let (tag, length) = (size.to_string(), passed.saturating_sub(since));
            log.write_histogram(histogram, since, length, Tag::new(&tag))
                .map_err(|error| format!("{error:?}"))?;
            since = *passed;
        }
        drop(log);
        Ok(bytes)
    }
}

fn failed(path: &Path, error: impl std::fmt::Display) -> String {
    format!("the histogram {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn what_was_recorded_is_in_the_log_size_by_size() {
        let place = std::env::temp_dir().join(format!("dunlin-histograms-{}", std::process::id()));
        let mut log = Histograms::create(&place).unwrap();
        for (size, latency) in [(32, 2_800u64), (1_024, 31_999)] {
            let mut histogram = Histogram::new_with_bounds(1, 60_000_000_000, 4).unwrap();
            histogram.record_n(latency, 7).unwrap();
            log.add(size, &histogram).unwrap();
        }
        let bytes = std::fs::read(&place).unwrap();
        std::fs::remove_file(&place).unwrap();
        let mut seen = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            if let LogEntry::Interval(interval) = entry.unwrap() {
                let coded = interval.encoded_histogram();
                let coded = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, coded);
                let read: Histogram<u64> = Deserializer::new()
                    .deserialize(&mut coded.unwrap().as_slice())
                    .unwrap();
                let size = interval.tag().unwrap().as_str().to_string();
                seen.push((size, read.min(), read.len()));
            }
        }
        let expected = [("32".to_string(), 2_800, 7), ("1024".into(), 31_999, 7)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let error = Histograms::create(Path::new("/nowhere/at/all"))
            .err()
            .unwrap();
        assert!(
            error.starts_with("the histogram /nowhere/at/all: "),
            "{error}"
        );
    }
}
