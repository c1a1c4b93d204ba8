//! Files onto the disk.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{File, MARK};

/// Why a file was not written.
#[derive(Debug)]
pub enum WriteError {
    /// There is a file of this name that was not made by `dunlin idl`.
    Foreign(PathBuf),
    /// Another IDL file of the same run makes a file of this name.
    Same(PathBuf),
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
            Self::Same(path) => write!(
                f,
                "two IDL files make {} (E0904): give one of them another name, or make them into \
                 different directories",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "{} cannot be written: {error}", path.display()),
        }
    }
}

impl std::error::Error for WriteError {}

/// Writes the files of a run.
#[derive(Debug)]
pub struct Writer {
    directory: PathBuf,
    force: bool,
    written: HashSet<PathBuf>,
}

impl Writer {
    /// For files below a directory, which is made if it is not there; `force` overwrites files of
    /// others.
    pub fn new(directory: &Path, force: bool) -> Self {
        Self {
            directory: directory.into(),
            force,
            written: HashSet::new(),
        }
    }

    /// Writes a file, unless it has this text already: then build systems see no change. Gives its
    /// path.
    ///
    /// # Errors
    /// [`WriteError`]; the file is as it was.
    pub fn write(&mut self, file: &File) -> Result<PathBuf, WriteError> {
        let path = self.directory.join(&file.name);
        if !self.written.insert(path.clone()) {
            return Err(WriteError::Same(path));
        }
        let failed = |error| WriteError::Io(path.clone(), error);
        match fs::read(&path) {
            Ok(there) if there == file.text.as_bytes() => return Ok(path),
            Ok(there) if !self.force && !is_ours(&there) => return Err(WriteError::Foreign(path)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(failed)?;
                }
            }
            Err(error) => return Err(failed(error)),
        }
        fs::write(&path, &file.text).map_err(failed)?;
        Ok(path)
    }
}

/// An empty file is nobody's.
fn is_ours(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(3);
    let mark = MARK.as_bytes();
    bytes.is_empty() || lines.any(|line| line.windows(mark.len()).any(|window| window == mark))
}
