//! Which process listens at a TCP port of this host, as far as the system tells.
use std::fs;
use std::io::{BufRead, BufReader};

/// Sockets of the host that are looked at, and open files of all processes: an error need not be
/// explained at any price.
const MOST: usize = 100_000;
/// The state of a socket that listens, as the kernel's table has it.
const LISTENS: &str = "0A";

/// `process 1234 (program)`; `None` if that cannot be told, as of another user's process.
pub(super) fn holder(port: u16) -> Option<String> {
    let socket = format!("socket:[{}]", inode_of(port)?);
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut left = MOST;
    for process in processes {
        let name = process.file_name();
        let Some(id) = name.to_str().filter(|id| id.parse::<u32>().is_ok()) else {
            continue;
        };
        let Ok(files) = fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        for file in files.flatten() {
            left = left.checked_sub(1)?;
            if fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == socket.as_str()) {
                let program = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                return Some(format!("process {id} ({})", program.trim_end()));
            }
        }
    }
    None
}

/// The inode of the socket that listens at a port, by the table of this network namespace.
fn inode_of(port: u16) -> Option<u64> {
    let ending = format!(":{port:04X}");
    let tables = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];
    let tables = tables.iter().filter_map(|path| fs::File::open(path).ok());
    let mut lines = tables.flat_map(|table| BufReader::new(table).lines().map_while(Result::ok));
    let listens = |line: String| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let is_there = words.next()?.ends_with(&ending) && words.nth(1)? == LISTENS;
        is_there.then(|| words.nth(5)?.parse().ok()).flatten()
    };
    lines.by_ref().take(MOST).find_map(listens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn the_process_that_listens_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = holder(port).unwrap();
        let own = format!("process {} (", std::process::id());
        assert!(told.starts_with(&own), "{told}");
        drop(listener);
        assert_eq!(holder(port), None);
    }
}
