//! A publisher and a subscriber in a namespace of their own.

use crate::capture::Capture;
use crate::namespace::Namespace;
use crate::peer::{Peer, Report, Tcp, Vendor};
use crate::router::Router;

/// Which peers meet, and with which options.
pub(crate) struct Pair {
    publisher: Vendor,
    subscriber: Vendor,
    common: String,
    only_publisher: String,
    only_subscriber: String,
    over_tcp: bool,
    tells_types: bool,
    /// What the route of the service between them says.
    route: Option<String>,
}

/// How a pair ended.
pub(crate) struct Outcome {
    pub(crate) publisher: Report,
    pub(crate) subscriber: Report,
}

impl Pair {
    pub(crate) fn new(publisher: Vendor, subscriber: Vendor, common: &str) -> Self {
        Self {
            publisher,
            subscriber,
            common: common.into(),
            only_publisher: String::new(),
            only_subscriber: String::new(),
            over_tcp: false,
            tells_types: false,
            route: None,
        }
    }

    pub(crate) fn publisher(mut self, options: &str) -> Self {
        self.only_publisher = options.into();
        self
    }

    pub(crate) fn subscriber(mut self, options: &str) -> Self {
        self.only_subscriber = options.into();
        self
    }

    /// Both speak TCP, and each knows where the other listens.
    pub(crate) fn over_tcp(mut self) -> Self {
        self.over_tcp = true;
        self
    }

    /// Dunlin announces its types to other products too, which then compare them.
    pub(crate) fn tells_types(mut self) -> Self {
        self.tells_types = true;
        self
    }

    /// The publisher is in domain 0 and the subscriber in domain 1, with a service between them. It
    /// writes when that has had time to bring them together.
    pub(crate) fn routed(self) -> Self {
        self.routed_by("")
    }

    /// The same, by a route that says this.
    pub(crate) fn routed_by(mut self, route: &str) -> Self {
        self.route = Some(route.into());
        self.only_publisher += " --domain 0 --settle-ms 1500";
        self.only_subscriber += " --domain 1";
        self
    }

    fn router(&self, namespace: &Namespace) -> Option<Router> {
        let route = self.route.as_ref();
        route.map(|route| Router::start(namespace, route))
    }

    /// Both start at once, and both stay until both are done.
    pub(crate) fn run(&self) -> Outcome {
        let namespace = Namespace::new();
        let _router = self.router(&namespace);
        let subscriber = self.start_subscriber(&namespace);
        let publisher = self.start_publisher(&namespace);
        finish(publisher, subscriber)
    }

    /// The subscriber starts when all is written.
    pub(crate) fn run_late_joiner(&self) -> Outcome {
        let namespace = Namespace::new();
        let _router = self.router(&namespace);
        let mut publisher = self.start_publisher(&namespace);
        publisher.wait_for("written");
        let subscriber = self.start_subscriber(&namespace);
        finish(publisher, subscriber)
    }

    /// Another publisher, of the same vendor, joins when the first sample has come, and both write
    /// at once.
    pub(crate) fn run_with_rival(&self, options: &str) -> Outcome {
        let namespace = Namespace::new();
        let mut subscriber = self.start_subscriber(&namespace);
        let publisher = self.start_publisher(&namespace);
        subscriber.wait_for("sample");
        let options = format!("{} {options}", self.common);
        let mut rival = Peer::start(&namespace, self.publisher, "pub", &options, &[]);
        rival.wait_for("written");
        finish(publisher, subscriber)
    }

    /// The subscriber leaves first; the publisher must notice long before a lease of 10 s ends.
    pub(crate) fn run_goodbye(&self) -> Outcome {
        let namespace = Namespace::new();
        let mut subscriber = self.start_subscriber(&namespace);
        let mut publisher = self.start_publisher(&namespace);
        publisher.wait_for("done");
        subscriber.wait_for("done");
        let subscriber = subscriber.finish();
        publisher.wait_for_within("matched 0", 3);
        Outcome {
            publisher: publisher.finish(),
            subscriber,
        }
    }

    /// As `run`, with everything on the wire recorded.
    pub(crate) fn run_captured(&self, name: &str) -> (Outcome, Capture) {
        let namespace = Namespace::new();
        let capture = Capture::start(&namespace, name);
        let subscriber = self.start_subscriber(&namespace);
        let publisher = self.start_publisher(&namespace);
        let outcome = finish(publisher, subscriber);
        (outcome, capture)
    }

    fn start_publisher(&self, namespace: &Namespace) -> Peer {
        let options = format!("{} {}", self.common, self.only_publisher);
        let environment = self.environment(self.publisher, 7400, 7500);
        Peer::start(namespace, self.publisher, "pub", &options, &environment)
    }

    fn start_subscriber(&self, namespace: &Namespace) -> Peer {
        let options = format!("{} {}", self.common, self.only_subscriber);
        let environment = self.environment(self.subscriber, 7500, 7400);
        Peer::start(namespace, self.subscriber, "sub", &options, &environment)
    }

    /// The variables of a peer that listens at a port if it speaks TCP.
    fn environment(&self, vendor: Vendor, port: u16, other: u16) -> Vec<(&'static str, String)> {
        let tcp = self.over_tcp.then_some(Tcp { port, other });
        let tcp = tcp.map_or_else(Vec::new, |tcp| tcp.settings(vendor));
        let types = self.tells_types.then(|| ("DUNLIN_TYPES", "all".into()));
        tcp.into_iter().chain(types).collect()
    }
}

fn finish(mut publisher: Peer, mut subscriber: Peer) -> Outcome {
    publisher.wait_for("done");
    subscriber.wait_for("done");
    Outcome {
        publisher: publisher.finish(),
        subscriber: subscriber.finish(),
    }
}

impl Outcome {
    /// The sequence numbers of what came, as it came; both peers have succeeded.
    #[track_caller]
    pub(crate) fn sequence(&self) -> Vec<i32> {
        self.assert_success();
        self.subscriber.sequence()
    }

    /// Both have exited with success.
    #[track_caller]
    pub(crate) fn assert_success(&self) {
        self.check(
            self.publisher.succeeded() && self.subscriber.succeeded(),
            "a peer failed",
        );
    }

    /// All samples came, once, in order.
    #[track_caller]
    pub(crate) fn assert_received(&self, count: i32) {
        self.assert_success();
        let expected: Vec<i32> = (1..=count).collect();
        self.check(
            self.subscriber.sequence() == expected,
            "samples missing, repeated or out of order",
        );
    }

    /// All samples came, once, in order within their instance; a subscriber takes one instance
    /// after the other.
    #[track_caller]
    pub(crate) fn assert_received_by_instance(&self, count: i32, instances: i32) {
        self.assert_success();
        let sequence = self.subscriber.sequence();
        self.check(
            sequence.len() == count as usize,
            "samples missing or repeated",
        );
        for first in 1..=instances {
            let own = sequence
                .iter()
                .copied()
                .filter(|seq| (seq - first) % instances == 0);
            let expected = (first..=count).step_by(instances as usize);
            self.check(own.eq(expected), "an instance's samples are not in order");
        }
    }

    #[track_caller]
    pub(crate) fn assert_subscriber_printed(&self, line: &str) {
        self.check(
            self.subscriber.has(line),
            &format!("the subscriber did not print '{line}'"),
        );
    }

    #[track_caller]
    pub(crate) fn assert_publisher_printed(&self, line: &str) {
        self.check(
            self.publisher.has(line),
            &format!("the publisher did not print '{line}'"),
        );
    }

    #[track_caller]
    fn check(&self, good: bool, what: &str) {
        assert!(
            good,
            "{what}\n{}\n{}",
            self.publisher.tail(),
            self.subscriber.tail()
        );
    }
}
