//! A Routing Service between the domains 0 and 1 of a namespace.

use crate::namespace::Namespace;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A running service; it ends with this.
pub(crate) struct Router(Child);

impl Router {
    /// Its route says this beside from where to where it leads.
    pub(crate) fn start(namespace: &Namespace, route: &str) -> Self {
        let mut child = namespace
            .command(env!("CARGO_BIN_EXE_interop_router"))
            .arg(route)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("nsenter starts");
        let output = child.stdout.take().expect("the output is a pipe");
        let mut output = BufReader::new(output);
        let mut line = String::new();
        output.read_line(&mut line).expect("the router answers");
        assert_eq!(line.trim(), "up", "the router did not start");
        // What it says at its end is for a failed test.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                println!("router: {line}");
            }
        });
        Self(child)
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        for _ in 0..400 {
            if let Ok(Some(_)) = self.0.try_wait() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
