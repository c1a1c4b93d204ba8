//! A network namespace with nothing but loopback, alive as long as the value.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The namespace belongs to a process that ends when its standard input closes, thus also when this
/// test is killed.
pub(crate) struct Namespace {
    holder: Child,
    own_user: bool,
}

impl Namespace {
    pub(crate) fn new() -> Self {
        let mut holder = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/netns.sh"))
            .args(["sh", "-c", "echo up; exec cat >/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("netns.sh starts");
        let mut answer = String::new();
        let output = holder.stdout.take().expect("the output is a pipe");
        BufReader::new(output)
            .read_line(&mut answer)
            .expect("netns.sh answers");
        assert_eq!(answer.trim(), "up", "no network namespace; see above");
        let user = |process: &str| std::fs::read_link(format!("/proc/{process}/ns/user")).ok();
        let own_user = user(&holder.id().to_string()) != user("self");
        Self { holder, own_user }
    }

    /// A command inside; it is killed when the thread that starts it ends.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg("--target").arg(self.holder.id().to_string());
        command.arg("--net");
        if self.own_user {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.args(["--", "setpriv", "--pdeathsig", "KILL", "--", program]);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
