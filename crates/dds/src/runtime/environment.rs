//! What the environment says: its variables, and files that are read by a fixed name or one that
//! somebody gave.
use crate::error::{Error, Result};
use dunlin_transport::file;
use std::path::Path;

/// The variable that names the transports of participants.
pub(crate) const TRANSPORTS: &str = "DUNLIN_TRANSPORTS";

/// The value of a variable; `None` if it is not set or blank.
///
/// # Errors
/// `BadParameter` if it is not UTF-8: what was meant cannot be known, and to go on without it would
/// be something else.
pub(crate) fn variable(name: &str) -> Result<Option<String>> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    match value.into_string() {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Err(value) => Err(Error::BadParameter(format!(
            "environment variable {name}: {value:?} is not UTF-8; set it anew, or unset it"
        ))),
    }
}

/// The text of the file of this name in the working directory; `None` if there is none.
///
/// # Errors
/// `Io` if it cannot be read, is no regular file or is longer than `limit`.
pub(crate) fn file_here(name: &str, limit: u64) -> Result<Option<String>> {
    match file::read(Path::new(name), limit) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let folder = std::env::current_dir().unwrap_or_default();
            Err(Error::Io {
                what: format!(
                    "file {name} in the working directory {folder:?}, which is read if there is one: make it readable, remove \
                     it, or set the environment variable {name} instead"
                ),
                error,
            })
        }
    }
}
