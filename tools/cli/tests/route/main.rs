//! `dunlin route` beside living participants, each test in a network namespace of its own.
#[path = "../common/mod.rs"]
mod common;
mod plan;
mod run;
mod steer;

use common::*;
use dunlin::*;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Longer than anything takes on a machine that has much else to do.
pub(crate) const SOON: Duration = Duration::from_secs(120);

pub(crate) const TOML: &str = "\
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"Square\"]
";

pub(crate) const XML: &str = r#"<dds>
  <types>
    <struct name="ShapeType">
      <member name="color" type="string" key="true"/>
      <member name="x" type="int32"/>
    </struct>
  </types>
  <routing_service name="bridge">
    <domain_route name="d">
      <participant name="near"><domain_id>0</domain_id></participant>
      <participant name="far"><domain_id>1</domain_id></participant>
      <session name="s">
        <topic_route name="square">
          <input participant="near">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
            <datareader_qos base_name="BuiltinQosLib::Generic.StrictReliable"/>
          </input>
          <output participant="far">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
            <datawriter_qos base_name="BuiltinQosLib::Generic.StrictReliable"/>
          </output>
        </topic_route>
      </session>
    </domain_route>
  </routing_service>
</dds>
"#;

pub(crate) fn written(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

pub(crate) fn start(program: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Ends the service as a user does.
pub(crate) fn interrupted(child: Child) -> Output {
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    child.wait_with_output().unwrap()
}

/// A shape crosses from domain 0 to domain 1; returns how often it was written for that.
pub(crate) fn a_shape_crosses() -> u64 {
    let (near, far) = (participant(0, "near"), participant(1, "far"));
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = reader::<Shape>(&far, "Square", qos, Default::default());
    let history = DataWriterQos {
        history: History::KeepAll,
        ..Default::default()
    };
    let writer = writer::<Shape>(&near, "Square", history, Default::default());
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let shape = Shape {
        color: "BLUE".into(),
        x: 7,
    };
    // The reader is volatile, and the service may hear of it later than it hears of the service.
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let mut written = 0;
    loop {
        writer.write(&shape).unwrap();
        written += 1;
        match reader.wait_for_data(Duration::from_millis(500)) {
            Ok(()) => break,
            Err(error) => assert!(std::time::Instant::now() < limit, "{error}"),
        }
    }
    let mut seen = Vec::new();
    reader.take_each(|sample| seen.extend(sample.into_data()));
    assert_eq!((&*seen[0].color, seen[0].x), ("BLUE", 7));
    written
}

/// What a service has written to its log; it is read while it runs, so that the pipe does not fill.
pub(crate) struct Log {
    lines: std::sync::mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Log {
    pub(crate) fn of(child: &mut Child) -> Self {
        use std::io::BufRead;
        let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(|line| line.ok()) {
                let _ = sender.send(line);
            }
        });
        let seen = Vec::new();
        Self { lines, seen }
    }

    /// Waits for a line that has all of these words; lines before it are passed over.
    pub(crate) fn wait_for(&mut self, words: &[&str]) {
        let soon = std::time::Duration::from_secs(120);
        while let Ok(line) = self.lines.recv_timeout(soon) {
            let is_it = words.iter().all(|word| line.contains(word));
            self.seen.push(line);
            if is_it {
                return;
            }
        }
        panic!("no line with {words:?}:\n{}", self.seen.join("\n"));
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let done = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(done.success());
}
