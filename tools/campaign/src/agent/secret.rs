//! The secret that a campaign and an agent share: a file on each host.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use dunlin::transport::file;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// Longer ones are some other file.
const LONGEST: usize = 4_096;

/// Octets that nobody else knows.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads it; white space at its ends does not count.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let make = format!("make one: head -c 32 /dev/urandom | base64 > {name}; chmod 600 {name}");
        let failed = |error: std::io::Error| format!("--secret-file {name}: {error}; {make}");
        let mut file = file::open(path, LONGEST as u64 + 2).map_err(failed)?;
        let mode = file.metadata().map_err(failed)?.mode();
        if mode & 0o077 != 0 {
            return Err(format!(
                "--secret-file {name} can be read by others (mode {:o}): chmod 600 {name}",
                mode & 0o777
            ));
        }
        let mut bytes = Vec::new();
        let limit = LONGEST as u64 + 2;
        file.by_ref()
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Self::new(bytes.trim_ascii())
            .map_err(|reason| format!("--secret-file {name} {reason}; {make}"))
    }

    /// These octets; the error is what is wrong with them.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        match bytes.len() {
            SHORTEST..=LONGEST => Ok(Self(bytes.to_vec())),
            length => Err(format!("has {length} octets, not {SHORTEST} to {LONGEST}")),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_long_enough_and_ones_own() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("secret");
        let read = |text: &str, mode| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Secret::read(&path)
        };
        let good = read("0123456789abcdef\n", 0o600).unwrap();
        assert_eq!(good.bytes(), b"0123456789abcdef");
        let reason = read("0123456789abcdef", 0o640).err().unwrap();
        assert!(
            reason.contains("mode 640") && reason.contains("chmod 600"),
            "{reason}"
        );
        let reason = read("short", 0o600).err().unwrap();
        assert!(
            reason.contains("has 5 octets") && reason.contains("make one"),
            "{reason}"
        );
        fs::remove_file(&path).unwrap();
        assert!(Secret::read(&path).err().unwrap().contains("make one"));
    }
}
