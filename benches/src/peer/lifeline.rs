//! A peer's life ends with that of the program that started it.
use std::io::Read;

/// No orphan stays behind.
pub(crate) fn die_with_parent() {
    let kill = rustix::process::Signal::KILL;
    // A peer started by hand lives on as any program does.
    let _ = rustix::process::set_parent_process_death_signal(Some(kill));
}

/// Returns when standard input is closed by the one who started this process.
pub(crate) fn wait_for_close() {
    let mut rest = Vec::new();
    // An input that cannot be read is closed.
    let _ = std::io::stdin().read_to_end(&mut rest);
}
