//! Two processes, as the interoperability suite starts and reads them, each pair in a network
//! namespace of its own.
#[path = "../../../crates/transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use namespace::in_namespace;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

/// A process and the lines that it prints.
struct Side {
    child: Child,
    lines: Receiver<String>,
}

impl Side {
    fn start(options: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shape_main"))
            .args(options.split_whitespace())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Reads up to a line that contains `text`.
    fn expect(&self, text: &str) -> String {
        let until = Instant::now() + LONG;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(text) => return line,
                Ok(_) => {}
                Err(error) => panic!("no {text:?}: {error}"),
            }
        }
    }

    /// Nothing of the kind is printed for a while.
    fn expect_none(&self, text: &str) {
        let until = Instant::now() + Duration::from_secs(2);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => assert!(!line.contains(text), "{line}"),
                Err(RecvTimeoutError::Timeout) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Ends it as Ctrl-C does.
    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().unwrap();
        self.expect("Done.");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // Nothing happens to a child that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(out: ChildStdout) -> Receiver<String> {
    let (tell, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[test]
fn shapes_go_from_one_process_to_another_until_each_is_interrupted() {
    let name = "shapes_go_from_one_process_to_another_until_each_is_interrupted";
    in_namespace(name, namespace::LOOPBACK, || {
        let publisher = Side::start("-P -t Square -c RED -w --additional-payload-size 5 -x 2");
        publisher.expect("Create topic: Square");
        publisher.expect("Create writer for topic: Square color: RED");
        let subscriber = Side::start("-S -t Square -x 2");
        subscriber.expect("Create reader for topic: Square");
        let matched = "() topic: 'Square'  type: 'ShapeType' : matched";
        publisher.expect(&format!(
            "on_publication_matched{matched} readers 1 (change = 1)"
        ));
        subscriber.expect(&format!(
            "on_subscription_matched{matched} writers 1 (change = 1)"
        ));
        assert!(
            subscriber
                .expect("Square     RED        ")
                .ends_with(" [20] {255}")
        );
        publisher.expect("Square     RED        ");
        publisher.interrupt();
        subscriber.expect("Square     RED        NOT_ALIVE_NO_WRITERS_INSTANCE_STATE");
        subscriber.interrupt();
    });
}

#[test]
fn what_does_not_suit_is_told_by_both_sides_and_partitions_by_neither() {
    let name = "what_does_not_suit_is_told_by_both_sides_and_partitions_by_neither";
    in_namespace(name, namespace::LOOPBACK, || {
        let publisher = Side::start("-P -t Square -b");
        let subscriber = Side::start("-S -t Square -r");
        publisher.expect(
            "on_offered_incompatible_qos() topic: 'Square'  type: 'ShapeType' : 11 (RELIABILITY)",
        );
        subscriber.expect(
            "on_requested_incompatible_qos() topic: 'Square'  type: 'ShapeType' : 11 (RELIABILITY)",
        );
        let publisher = Side::start("-P -t Circle -p p1");
        let subscriber = Side::start("-S -t Circle -p x*");
        subscriber.expect_none("incompatible");
        publisher.expect_none("incompatible");
    });
}

#[test]
fn instances_that_are_disposed_are_told_of_in_the_end() {
    let name = "instances_that_are_disposed_are_told_of_in_the_end";
    in_namespace(name, namespace::LOOPBACK, || {
        let subscriber = Side::start("-S -t Square");
        subscriber.expect("Create reader");
        let publisher = Side::start(
            "-P -t Square -z 0 --num-instances 3 --num-iterations 60 --final-instance-state d",
        );
        publisher.expect("Done.");
        // A sample that is taken after the end of its instance tells of it, too.
        let mut ended = BTreeSet::new();
        while ended.len() < 3 {
            let line = subscriber.expect("NOT_ALIVE_DISPOSED_INSTANCE_STATE");
            ended.extend(line.split_whitespace().nth(1).map(str::to_owned));
        }
        assert!(ended.iter().eq(["BLUE", "BLUE1", "BLUE2"]), "{ended:?}");
    });
}

#[test]
fn a_subscriber_shows_what_passes_its_filter_alone() {
    let name = "a_subscriber_shows_what_passes_its_filter_alone";
    in_namespace(name, namespace::LOOPBACK, || {
        let publisher = Side::start("-P -t Square -z 0 --num-instances 2 -c RED");
        let red = Side::start("-S -t Square -c RED1");
        red.expect("Create reader for topic: Square_filtered");
        let small = Side::start("-S -t Square --cft shapesize<=9");
        for _ in 0..3 {
            red.expect("Square_filtered RED1       ");
        }
        red.expect_none(" RED  ");
        small.expect("Square_filtered RED ");
        publisher.interrupt();
        let wrong = Side::start("-S -t Square --cft shapsize<=9");
        wrong.expect("failed to create content filtered topic");
        wrong.expect("did you mean \"shapesize\"?");
    });
}

#[test]
fn colors_that_act_on_a_terminal_are_printed_as_escapes() {
    let name = "colors_that_act_on_a_terminal_are_printed_as_escapes";
    in_namespace(name, namespace::LOOPBACK, || {
        let subscriber = Side::start("-S -t Square");
        let publisher = Side::start("-P -t Square -w -c X\u{1b}[2J\u{9b}2J\u{202e}");
        let shown = r"Square     X\u{1b}[2J\u{9b}2J\u{202e} ";
        publisher.expect(shown);
        subscriber.expect(shown);
        publisher.interrupt();
        let end = subscriber.expect("NOT_ALIVE_NO_WRITERS_INSTANCE_STATE");
        assert!(end.contains(shown), "{end}");
        subscriber.interrupt();
    });
}
