//! Which directory a campaign takes, when it is not told.

use std::path::{Path, PathBuf};

use crate::plan::missing;
use crate::record::{Directory, RecordError};

/// The directory of the first campaign; later ones have a number behind it.
const DEFAULT: &str = "perftest-report";

/// How many default directories are looked at.
const MOST: usize = 10_000;

/// A new directory beneath `place`: the first default name that nothing has. The second is a note
/// on an unfinished campaign that is left alone.
pub(crate) fn fresh(place: &Path) -> Result<(PathBuf, Option<String>), String> {
    let free = names(place).find(|path| !path.exists());
    let free = free
        .ok_or_else(|| format!("there are {MOST} directories {DEFAULT}-* already; remove some"))?;
    let note = unfinished(place).map(|(path, left)| {
        format!(
            "{} holds a campaign of which {left} runs are missing: --resume goes on with it. This one is a new one",
            path.display()
        )
    });
    Ok((free, note))
}

/// The latest unfinished campaign beneath `place`.
pub(crate) fn to_resume(place: &Path) -> Result<PathBuf, String> {
    let (path, _) = unfinished(place).ok_or_else(|| {
        format!("no unfinished campaign is in {DEFAULT} or {DEFAULT}-*; name its directory (--output DIR)")
    })?;
    Ok(path)
}

fn unfinished(place: &Path) -> Option<(PathBuf, usize)> {
    let present = names(place).take_while(|path| path.exists());
    let with_rest = present.filter_map(|path| {
        let left = rest(&path).ok()?;
        (left > 0).then_some((path, left))
    });
    with_rest.last()
}

fn rest(path: &Path) -> Result<usize, RecordError> {
    let (directory, campaign) = Directory::open(path)?;
    Ok(missing(&campaign, &directory.runs()?).len())
}

fn names(place: &Path) -> impl Iterator<Item = PathBuf> {
    let later = (2..MOST).map(|number| format!("{DEFAULT}-{number}"));
    std::iter::once(DEFAULT.to_string())
        .chain(later)
        .map(|name| place.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Campaign, Cell, FORMAT, Mode, Outcome, Run};

    fn campaign() -> Campaign {
        let cell = Cell {
            system: "dunlin".into(),
            transport: "SHMEM".into(),
            mode: Mode::Latency,
            reliable: true,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        };
        Campaign {
            format: FORMAT,
            name: "test".into(),
            started: String::new(),
            version: String::new(),
            seconds: 1.0,
            repetitions: 1,
            cells: vec![cell],
            skipped: vec![],
            network: String::new(),
            hosts: vec![],
            chapters: vec![],
        }
    }

    #[test]
    fn nothing_is_overwritten_and_what_is_unfinished_is_found() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        assert!(to_resume(place.path()).is_err());
        assert_eq!(fresh(place.path()), Ok((at("perftest-report"), None)));
        let first = Directory::create(at("perftest-report"), &campaign()).unwrap();
        let (path, note) = fresh(place.path()).unwrap();
        assert_eq!(path, at("perftest-report-2"));
        assert!(note.unwrap().contains("1 runs are missing"));
        assert_eq!(to_resume(place.path()), Ok(at("perftest-report")));
        first
            .add(&Run {
                cell: campaign().cells[0].clone(),
                repetition: 0,
                started: String::new(),
                outcome: Outcome::Failed("counts".into()),
            })
            .unwrap();
        assert_eq!(fresh(place.path()), Ok((at("perftest-report-2"), None)));
        assert!(to_resume(place.path()).is_err());
    }
}
