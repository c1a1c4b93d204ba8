//! How a cell is called: for people, for `--only`, and as part of a file name.

use std::fmt;

use crate::record::{Cell, Mode};
use crate::systems::is_floor;

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (transport, mode, size) = (&self.transport, self.mode, self.size);
        if !self.chapter.is_empty() {
            write!(f, "{}: ", self.chapter)?;
        }
        write!(f, "{transport}, {mode}, {size} bytes, ")?;
        // A floor knows neither repair nor keys.
        if !is_floor(&self.system) {
            f.write_str(if self.reliable {
                "reliable, "
            } else {
                "best effort, "
            })?;
            f.write_str(if self.keyed { "keyed, " } else { "unkeyed, " })?;
        }
        if self.zero_copy {
            f.write_str("zero copy, ")?;
        }
        if self.blocking {
            f.write_str("blocking, ")?;
        }
        let how = self.variant.how.name();
        if !how.is_empty() {
            write!(f, "{how}, ")?;
        }
        match (self.variant.readers, self.variant.multicast) {
            (0, _) => {}
            (readers, false) => write!(f, "{readers} readers, ")?,
            (readers, true) => write!(f, "{readers} readers by multicast, ")?,
        }
        f.write_str(&self.system)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Latency => f.write_str("latency"),
            Mode::Throughput { batched: true } => f.write_str("throughput batched"),
            Mode::Throughput { batched: false } => f.write_str("throughput unbatched"),
            Mode::Loaded { rate } => write!(f, "loaded {rate}/s"),
            Mode::Footprint => f.write_str("footprint"),
            Mode::Calls { stream: false } => f.write_str("calls"),
            Mode::Calls { stream: true } => f.write_str("calls of a stream"),
        }
    }
}

impl Cell {
    /// Where the report shows it: its chapter, or without one its transport.
    pub fn page(&self) -> &str {
        match self.chapter.is_empty() {
            true => &self.transport,
            false => &self.chapter,
        }
    }

    /// Its name for a file: letters, digits, dots and dashes. Different cells have different ones.
    pub fn file_name(&self) -> String {
        plain(&self.to_string().replace("/s", " per second"))
    }
}

/// Letters, digits, dots, and dashes in the place of all else.
pub(crate) fn plain(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let words = name.split(|c| !plain(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_what_it_is() {
        let cell = Cell {
            system: "dunlin".into(),
            transport: "SHMEM".into(),
            mode: Mode::Latency,
            reliable: true,
            keyed: true,
            zero_copy: true,
            blocking: false,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        };
        let floor = Cell {
            system: "raw".into(),
            mode: Mode::Loaded { rate: 2.5 },
            zero_copy: false,
            blocking: false,
            ..cell.clone()
        };
        let name = "SHMEM, latency, 32 bytes, reliable, keyed, zero copy, dunlin";
        assert_eq!(cell.to_string(), name);
        assert_eq!(floor.to_string(), "SHMEM, loaded 2.5/s, 32 bytes, raw");
        assert_eq!(
            floor.file_name(),
            "shmem-loaded-2.5-per-second-32-bytes-raw"
        );
        let asleep = Cell {
            system: "raw-relay".into(),
            blocking: true,
            ..floor
        };
        let name = "SHMEM, loaded 2.5/s, 32 bytes, blocking, raw-relay";
        assert_eq!(asleep.to_string(), name);
    }
}
