//! Files that somebody names: configuration, certificates, keys.
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The bytes of a regular file, at most `limit` of them.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path, limit)?;
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_long(limit)),
        false => Ok(bytes),
    }
}

/// A regular file of at most `limit` bytes, to read.
///
/// Nothing else is opened: a pipe or a device of that name would hold us up for ever, or never end.
///
/// # Errors
/// `InvalidInput` if it is no regular file, or longer than `limit`; else what the system said.
pub fn open(path: &Path, limit: u64) -> io::Result<File> {
    // Looked at first, since opening a device may do something.
    check(&std::fs::metadata(path)?, limit)?;
    // It may be another one by now, which must not hold us up either.
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    check(&file.metadata()?, limit)?;
    Ok(file)
}

fn check(file: &std::fs::Metadata, limit: u64) -> io::Result<()> {
    match file {
        file if !file.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
        file if file.len() > limit => Err(too_long(limit)),
        _ => Ok(()),
    }
}

fn too_long(limit: u64) -> io::Error {
    let text = format!("longer than {limit} bytes");
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A folder of its own, which goes with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("dunlin-file-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = Folder::new("regular");
        let path = folder.0.join("some");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"1234");
        let why = |path: &Path, limit| read(path, limit).unwrap_err().to_string();
        assert_eq!(why(&path, 3), "longer than 3 bytes");
        assert_eq!(why(&folder.0, 4), "not a regular file");
        let pipe = folder.0.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(why(&pipe, 4), "not a regular file");
        assert_eq!(why(Path::new("/dev/zero"), 4), "not a regular file");
    }
}
