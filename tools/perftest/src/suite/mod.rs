//! x
use crate::output::Log;
pub(crate) fn run(_seconds: Option<u64>, _log: &Log) -> Result<(), String> {
    Ok(())
}
