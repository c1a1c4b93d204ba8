//! Files that are there as a whole or not at all: what a full disk cuts short is no file, and what
//! was there before stays.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file, under another name until it is complete and on disk.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What is no file (a pipe, a terminal) cannot be replaced by one, and a link leads to what is
    // meant.
    let special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if special {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let part = part_of(&path);
    let written = complete(&part, bytes).and_then(|()| fs::rename(&part, &path));
    if written.is_err() {
        // It takes room that others need; if it is not there, there is nothing to remove.
        let _ = fs::remove_file(&part);
    }
    written
}

fn complete(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(part)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The name until it is complete, beside the other one: a rename works within a file system only.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".part");
    path.with_file_name(name)
}

/// Adds to a file all that `fill` writes, or nothing.
pub fn append(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let file = File::options().create(true).append(true).open(path)?;
    append_to(&file, fill)
}

/// As [`append`], to a file that is open for that.
pub fn append_to(
    file: &File,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let before = file.metadata()?;
    let mut out = BufWriter::new(file);
    let filled = fill(&mut out);
    let written = match filled.and_then(|()| out.flush()) {
        // What is still in the buffer must not follow.
        Err(error) => {
            drop(out.into_parts());
            Err(error)
        }
        written => written,
    };
    if written.is_err() && before.is_file() {
        // A part of it may be there. If it cannot be taken away, the first error still is the one
        // to tell.
        let _ = file.set_len(before.len());
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(place: &Path) -> Vec<OsString> {
        let names = fs::read_dir(place).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.csv");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(place.path()), ["a.csv"]);
    }

    #[test]
    fn a_link_stays_one() {
        let place = tempfile::tempdir().unwrap();
        let (path, link) = (place.path().join("a"), place.path().join("b"));
        write(&path, b"one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        assert!(write(Path::new("/dev/full"), b"text").is_err());
        assert!(write(Path::new("/dev/null"), b"text").is_ok());
        assert!(append(Path::new("/dev/full"), |out| out.write_all(b"text")).is_err());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let place = tempfile::tempdir().unwrap();
        assert!(write(place.path(), b"text").is_err());
    }

    #[test]
    fn what_is_added_stands_behind_what_was_there_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("rows");
        append(&path, |out| out.write_all(b"one\n")).unwrap();
        append(&path, |out| out.write_all(b"two\n")).unwrap();
        let fails = |out: &mut dyn Write| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert!(append(&path, fails).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\n");
    }
}
