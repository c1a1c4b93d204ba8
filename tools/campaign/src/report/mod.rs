//! The report of a campaign: one page for people, the same figures as Markdown and as CSV.
//!
//! All of it is made anew from the directory each time. The page is one file that asks nothing of a
//! network: style, scripts, the chart library and the figures are in it. What earlier campaigns
//! measured is laid over as theirs, never mixed in.

mod csv;
mod html;
mod markdown;
pub(crate) mod names;
pub(crate) mod published;

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::record::{Directory, RecordError};
use crate::summary::Summary;
use crate::whole;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The campaign could not be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file could not be written.
    #[error("{path}: {source}")]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The figures could not be put into the page.
    #[error("figures for the page: {0}")]
    Figures(#[from] serde_json::Error),
}

/// Writes `report.html`, `report.md` and `csv/` into the campaign's directory, and tells which
/// files there are.
pub fn write(directory: &Directory) -> Result<Vec<PathBuf>, ReportError> {
    write_over(directory, &[])
}

/// As [`write`], with Dunlin's figures from earlier campaigns to be laid over.
pub fn write_over(
    directory: &Directory,
    earlier: &[Directory],
) -> Result<Vec<PathBuf>, ReportError> {
    let summary = Summary::read(directory)?;
    let earlier = earlier.iter().map(Summary::read);
    let earlier: Vec<_> = earlier.collect::<Result<_, _>>()?;
    let mut files = vec![
        ("report.html".to_owned(), html::page(&summary, &earlier)?),
        ("report.md".to_owned(), markdown::text(&summary)),
    ];
    files.extend(csv::files(&summary));
    let files = files.into_iter();
    files
        .map(|(name, text)| written(&directory.path().join(name), &text))
        .collect()
}

/// Writes the figures as one page of documentation, which tells machine, build and date first.
pub fn write_results(directory: &Directory, file: &Path) -> Result<PathBuf, ReportError> {
    written(file, &markdown::results(&Summary::read(directory)?))
}

fn written(path: &Path, text: &str) -> Result<PathBuf, ReportError> {
    let above = path.parent().map_or(Ok(()), fs::create_dir_all);
    match above.and_then(|()| whole::write(path, text.as_bytes())) {
        Ok(()) => Ok(path.to_owned()),
        Err(source) => Err(ReportError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}
