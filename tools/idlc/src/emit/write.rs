//! Files onto the disk.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{File, MARK};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is new, or has another text.
    Changed,
    /// It had this text already and was not touched, so build systems see no change.
    Unchanged,
}

/// Why a file was not written.
#[derive(Debug)]
pub enum WriteError {
    /// There is a file of this name that was not made by `dunlin idl`.
    Foreign(PathBuf),
    /// The system says no.
    Io(PathBuf, io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(path) => write!(
                f,
                "{} was not made by dunlin idl, so it is left as it is (E0903): move it away, choose \
                 another directory, or overwrite it with --force",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "{} cannot be written: {error}", path.display()),
        }
    }
}

impl std::error::Error for WriteError {}

/// Writes a file below a directory, which is made if it is not there.
///
/// # Errors
/// [`WriteError::Foreign`] if something else is in its place and `force` is not set.
pub fn write(directory: &Path, file: &File, force: bool) -> Result<Written, WriteError> {
    let path = directory.join(&file.name);
    let failed = |error| WriteError::Io(path.clone(), error);
    match fs::read(&path) {
        Ok(there) if there == file.text.as_bytes() => return Ok(Written::Unchanged),
        Ok(there) if !force && !is_ours(&there) => return Err(WriteError::Foreign(path)),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
        }
        Err(error) => return Err(failed(error)),
    }
    fs::write(&path, &file.text).map_err(failed)?;
    Ok(Written::Changed)
}

/// An empty file is nobody's.
fn is_ours(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(3);
    let mark = MARK.as_bytes();
    bytes.is_empty() || lines.any(|line| line.windows(mark.len()).any(|window| window == mark))
}
