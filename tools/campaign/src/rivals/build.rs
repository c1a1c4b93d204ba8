//! The programs of rivals, built from the sources of this project when they are asked for.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources are, if they still are where this program was built.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers");

/// Builds the program of that name into the place, or finds it up to date; the error says what is
/// missing.
pub fn build(name: &str, place: &Path) -> Result<(), String> {
    let script = Path::new(SOURCES).join("build.sh");
    if !script.exists() {
        return Err(format!(
            "it is built from Dunlin's sources, which are not at {SOURCES}: run perftest where it was built"
        ));
    }
    let output = Command::new(&script).arg(name).arg(place).output();
    let output = output.map_err(|error| format!("{}: {error}", script.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text
        .lines()
        .last()
        .unwrap_or("its program was not built")
        .into())
}

/// The directory beside this program, which `make bench` uses as well.
pub(super) fn place() -> PathBuf {
    // Without a name of its own it runs from somewhere near.
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("bench-peers")
}
