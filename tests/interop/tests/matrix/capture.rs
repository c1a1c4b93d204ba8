//! What tcpdump saw on a namespace's loopback, judged by tshark.

use crate::namespace::Namespace;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A recording that runs until it is read.
pub(crate) struct Capture {
    file: PathBuf,
    tcpdump: Child,
}

impl Capture {
    pub(crate) fn start(namespace: &Namespace, name: &str) -> Self {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcap"));
        let mut tcpdump = namespace
            .command("tcpdump")
            .args(["-Z", "root", "-i", "lo", "--immediate-mode"])
            .args(["-U", "-B", "16384", "-s", "0", "-w"])
            .arg(&file)
            .arg("udp")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tcpdump starts");
        let errors = tcpdump.stderr.take().expect("the errors are a pipe");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let listening = lines.any(|line| line.contains("listening on"));
        assert!(listening, "tcpdump does not listen; is it installed?");
        // Nobody reads what it says at its end, and it must not stop on a closed pipe.
        std::thread::spawn(move || lines.count());
        Self { file, tcpdump }
    }

    /// Ends the recording and gives it to tshark.
    pub(crate) fn finish(mut self) -> Frames {
        std::thread::sleep(Duration::from_millis(200));
        let pid = self.tcpdump.id().to_string();
        let _ = Command::new("kill").arg(pid).status();
        let _ = self.tcpdump.wait();
        Frames {
            file: self.file.clone(),
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = self.tcpdump.kill();
        let _ = self.tcpdump.wait();
    }
}

/// The recorded frames.
pub(crate) struct Frames {
    file: PathBuf,
}

impl Frames {
    /// One line for each frame that a display filter of tshark lets through.
    pub(crate) fn matching(&self, filter: &str) -> Vec<String> {
        let output = Command::new("tshark")
            .arg("-r")
            .arg(&self.file)
            .args(["-Y", filter])
            .output()
            .expect("tshark starts; is it installed?");
        assert!(
            output.status.success(),
            "tshark refused '{filter}': {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// What tshark finds wrong with the frames that `sender`, a display filter, selects.
    #[track_caller]
    pub(crate) fn assert_sound(&self, sender: &str) {
        let frames = self.matching(sender);
        assert!(frames.len() > 5, "only {} frames of {sender}", frames.len());
        let wrong = self.matching(&format!(
            "({sender}) && (_ws.malformed || _ws.expert.severity == error)"
        ));
        assert!(
            wrong.is_empty(),
            "{}:\n{}",
            self.file.display(),
            wrong.join("\n")
        );
    }
}
