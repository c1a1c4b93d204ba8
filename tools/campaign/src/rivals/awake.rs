//! Processors that do not halt while nothing is to be done, which is what systems that sleep need
//! to be at their best.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// One idle spinner on each processor; dropping it ends them.
pub(crate) struct Awake(Vec<Child>);

/// Gives way to everything else, and ends with the one who started it.
const SPIN: &str = "exec chrt --idle 0 setpriv --pdeathsig KILL sh -c 'while :; do :; done'";

impl Awake {
    /// Starts them. Where that is not possible the processors halt as they do.
    pub(crate) fn start(pins: [Option<usize>; 2]) -> Self {
        let spinners = pins.into_iter().flatten().map(|cpu| {
            Command::new("taskset")
                .args(["-c", &cpu.to_string(), "sh", "-c", SPIN])
                .process_group(0)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
        });
        Self(spinners.filter_map(Result::ok).collect())
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        for spinner in &mut self.0 {
            // Nothing happens to one that has ended.
            let _ = spinner.kill();
            let _ = spinner.wait();
        }
    }
}
