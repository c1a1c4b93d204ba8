//! Files that a campaign reads: those that somebody named, and its own, which may have been changed
//! since.

use std::io;
use std::path::Path;

/// The longest text; the runs of the longest campaign have a tenth of it.
const LONGEST: u64 = 256 << 20;

/// The text of a regular file.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let bytes = dunlin::transport::file::read(path, LONGEST)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_pipe_or_what_is_no_text_is_refused_by_its_name() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("campaign.toml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let refused = crate::file::read(&pipe).unwrap_err();
        assert!(
            refused.contains("campaign.toml: not a regular file"),
            "{refused}"
        );
        let binary = place.path().join("binary.toml");
        std::fs::write(&binary, b"name = '\xff'").unwrap();
        let refused = crate::file::read(&binary).unwrap_err();
        assert!(
            refused.contains("binary.toml: the file is not UTF-8"),
            "{refused}"
        );
    }
}
