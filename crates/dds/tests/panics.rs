//! Code of the application that panics while Dunlin runs it: the call ends, and nothing else.
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::transport::*;
use dunlin::*;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::{Duration as Span, Instant};

const LONG: Span = Span::from_secs(20);

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// Two participants with a network between them, and two that share the process, with another one.
fn pairs() -> [[DomainParticipant; 2]; 2] {
    let (one, other) = (Net::new(0.0), Net::new(0.0));
    let local = || other.within(ParticipantConfig::default());
    [[one.participant(), one.participant()], [local(), local()]]
}

#[test]
fn a_listener_that_panics_ends_neither_the_thread_nor_other_readers_nor_its_own_later_calls() {
    for [a, b] in &pairs() {
        let (mut wqos, rqos) = reliable_all();
        wqos.resource_limits.max_samples = Some(4);
        let writer = writer::<Keyed>(a, "T", wqos);
        let healthy = reader::<Keyed>(b, "T", rqos.clone());
        let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
        let (tell, told) = channel();
        let listener = move |reader: &DataReader<Keyed>| {
            let numbers = reader.take().into_iter().filter_map(Sample::into_data);
            for bird in numbers {
                tell.send(bird.number).unwrap();
                assert!(bird.number % 2 == 0, "an odd bird");
            }
        };
        let subscriber = b.create_subscriber(Default::default());
        let _panics = subscriber
            .create_datareader_with_listener(&topic, rqos, listener)
            .unwrap();
        writer.wait_for_matched(2, SOON).unwrap();
        let before = b.counters().listener_panics;
        for number in 0..20 {
            writer.write(&bird(number)).unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
            assert_eq!(told.recv_timeout(LONG), Ok(number));
        }
        assert_eq!(take(&healthy, 20).len(), 20);
        soon("all panics are counted", || {
            b.counters().listener_panics - before == 10
        });
    }
}

/// Says what it was told, and panics.
struct Bomb(Sender<&'static str>);

impl Bomb {
    fn explode(&self, what: &'static str) {
        let _ = self.0.send(what);
        panic!("told of {what}");
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.explode("the end");
    }
}

impl TopicListener for Bomb {
    fn on_inconsistent_topic(&self, _: &UntypedTopic, _: &InconsistentTopicStatus) {
        self.explode("inconsistent topic");
    }
}

impl PublisherListener for Bomb {
    fn on_publication_matched(&self, _: &UntypedWriter, _: &MatchedStatus) {
        self.explode("publication matched");
    }
}

impl SubscriberListener for Bomb {
    fn on_data_on_readers(&self, _: &Subscriber) {
        self.explode("data on readers");
    }
    fn on_subscription_matched(&self, _: &UntypedReader, _: &MatchedStatus) {
        self.explode("subscription matched");
    }
    fn on_liveliness_changed(&self, _: &UntypedReader, _: &LivelinessChangedStatus) {
        self.explode("liveliness changed");
    }
    fn on_requested_deadline_missed(&self, _: &UntypedReader, _: &DeadlineMissedStatus) {
        self.explode("deadline missed");
    }
}

impl DataWriterListener<Keyed> for Bomb {
    fn on_publication_matched(&self, _: &DataWriter<Keyed>, _: &MatchedStatus) {
        self.explode("own publication matched");
    }
    fn on_offered_deadline_missed(&self, _: &DataWriter<Keyed>, _: &DeadlineMissedStatus) {
        self.explode("own deadline missed");
    }
}

#[test]
fn listeners_of_all_entities_may_panic_for_any_status_and_at_their_end() {
    for [a, b] in &pairs() {
        let (tell, told) = channel();
        let bomb = || Bomb(tell.clone());
        let mut heard = Vec::new();
        let mut expect = |what| {
            let begun = Instant::now();
            while !heard.contains(&what) && begun.elapsed() < LONG {
                heard.extend(told.recv_timeout(LONG));
            }
            assert!(heard.contains(&what), "not told of {what}");
        };
        b.set_listener(bomb(), StatusMask::ALL);
        let (mut wqos, mut rqos) = reliable_all();
        let deadline = Duration::from_millis(50);
        (wqos.deadline, rqos.deadline) = (deadline, deadline);
        let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
        let publisher = a.create_publisher(Default::default());
        publisher.set_listener(bomb(), StatusMask::ALL);
        let writer = publisher
            .create_datawriter_with_listener(&topic, wqos.clone(), bomb())
            .unwrap();
        let other = publisher.create_datawriter(&topic, wqos).unwrap();
        let reader = reader::<Keyed>(b, "T", rqos.clone());
        expect("own publication matched");
        expect("publication matched");
        expect("subscription matched");
        expect("liveliness changed");
        writer.write(&bird(1)).unwrap();
        expect("data on readers");
        expect("own deadline missed");
        expect("deadline missed");
        // Another type of this name.
        let strange = b.create_topic::<Plain>("U", Default::default()).unwrap();
        let subscriber = b.create_subscriber(Default::default());
        let _strange = subscriber.create_datareader(&strange, rqos).unwrap();
        let mine = a.create_topic::<Keyed>("U", Default::default()).unwrap();
        let _mine = publisher
            .create_datawriter(&mine, Default::default())
            .unwrap();
        expect("inconsistent topic");
        publisher.set_listener((), StatusMask::ALL);
        expect("the end");
        b.set_listener((), StatusMask::ALL);
        writer.clear_listener();
        // All threads are there.
        let number = |reader: &DataReader<Keyed>| {
            let samples = reader.take();
            samples.last().and_then(|s| s.data().map(|d| d.number))
        };
        other.write(&bird(7)).unwrap();
        soon("data still comes", || number(&reader) == Some(7));
        assert!(a.counters().listener_panics >= 3 && b.counters().listener_panics >= 5);
        assert!(a.counters().other_panics >= 3);
        drop(writer);
        soon("unmatching is noticed", || reader.matched_count() == 1);
    }
}

#[test]
fn a_listener_is_taken_away_when_no_call_of_it_runs_any_more() {
    for [a, b] in &pairs() {
        for way in 0..4 {
            let (wqos, rqos) = reliable_all();
            let topic = format!("T{way}");
            let writer = writer::<Keyed>(a, &topic, wqos);
            let topic = b.create_topic::<Keyed>(&topic, Default::default()).unwrap();
            let (begun, begins) = channel();
            let running = Arc::new(AtomicBool::new(false));
            let runs = Arc::clone(&running);
            let listener = move |_: &DataReader<Keyed>| {
                runs.store(true, SeqCst);
                begun.send(()).unwrap();
                std::thread::sleep(Span::from_millis(50));
                runs.store(false, SeqCst);
            };
            let subscriber = b.create_subscriber(Default::default());
            let reader = subscriber
                .create_datareader_with_listener(&topic, rqos, listener)
                .unwrap();
            writer.wait_for_matched(1, SOON).unwrap();
            let writing = std::thread::spawn({
                let writer = writer.clone();
                move || drop(writer.write(&bird(1)))
            });
            begins.recv_timeout(LONG).unwrap();
            match way {
                0 => reader.clear_listener(),
                1 => reader.set_listener((), StatusMask::ALL),
                2 => subscriber.delete_datareader(&reader).unwrap(),
                _ => drop(reader),
            }
            assert!(!running.load(SeqCst), "way {way}");
            writing.join().unwrap();
        }
    }
}

#[test]
fn listeners_may_take_themselves_and_each_other_away() {
    let net = Net::new(0.0);
    let [a, b, c] = [(); 3].map(|()| net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    // Both are in their calls before either takes the other one away.
    let both = Arc::new(Barrier::new(2));
    let (tell, told) = channel();
    let readers = [b, c].map(|participant| {
        let subscriber = participant.create_subscriber(Default::default());
        let topic = participant.create_topic::<Keyed>("T", Default::default());
        let reader = subscriber.create_datareader(&topic.unwrap(), rqos.clone());
        (reader.unwrap(), participant)
    });
    for (own, other) in [(0, 1), (1, 0)] {
        let (both, tell) = (Arc::clone(&both), tell.clone());
        let [own, other] = [own, other].map(|n: usize| readers[n].0.clone());
        let listener = {
            let own = own.clone();
            move |_: &DataReader<Keyed>| {
                both.wait();
                other.clear_listener();
                own.clear_listener();
                tell.send(()).unwrap();
            }
        };
        own.set_listener(listener, StatusKind::DataAvailable.into());
    }
    writer.wait_for_matched(2, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    for _ in 0..2 {
        told.recv_timeout(LONG)
            .expect("both calls come to their end");
    }
}

/// A transport whose receivers panic when they are told to.
struct Broken {
    inner: MemoryTransport,
    opened: AtomicU64,
    /// Which of them, from 1 on.
    breaks: Arc<AtomicU64>,
}

struct BrokenReceiver {
    inner: Box<dyn Receiver>,
    number: u64,
    breaks: Arc<AtomicU64>,
}

impl Transport for Broken {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }
    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        self.inner.send(datagrams)
    }
    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        let number = self.opened.fetch_add(1, SeqCst) + 1;
        let breaks = Arc::clone(&self.breaks);
        let inner = self.inner.open(listen)?;
        Ok(Box::new(BrokenReceiver {
            inner,
            number,
            breaks,
        }))
    }
    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }
    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }
    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

impl Receiver for BrokenReceiver {
    fn receive(
        &mut self,
        buffer: &mut bytes::BytesMut,
        wait: Wait,
    ) -> io::Result<Option<Received>> {
        let received = self.inner.receive(buffer, wait);
        assert!(self.breaks.load(SeqCst) != self.number, "broken");
        received
    }
    fn waker(&self) -> Arc<dyn Waker> {
        self.inner.waker()
    }
    fn locators(&self) -> Vec<Locator> {
        self.inner.locators()
    }
    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        self.inner.statistics()
    }
}

#[track_caller]
fn failed<T: std::fmt::Debug>(result: Result<T>) {
    assert!(
        matches!(&result, Err(Error::ParticipantFailed { why, .. }) if why.contains("broken")),
        "{result:?}"
    );
}

#[test]
fn a_participant_of_which_a_thread_has_ended_says_goodbye_and_why() {
    let net = MemoryNetwork::new(1, Faults::default());
    let join = |transport| {
        let config = ParticipantConfig {
            transport: Some(transport),
            transports: Transports {
                local: false,
                ..Default::default()
            },
            ..Default::default()
        };
        DomainParticipant::with_config(0, config).unwrap()
    };
    // For user data, and for discovery.
    for number in [1, 2] {
        let breaks = Arc::new(AtomicU64::new(0));
        let a = join(Arc::new(Broken {
            inner: net.host(),
            opened: AtomicU64::new(0),
            breaks: Arc::clone(&breaks),
        }));
        let b = join(Arc::new(net.host()));
        let (mut wqos, rqos) = reliable_all();
        wqos.resource_limits.max_samples = Some(1);
        wqos.reliability.max_blocking_time = Duration::INFINITE;
        let healthy = writer::<Keyed>(&b, "T", wqos.clone());
        let (deaf, quiet) = (
            reader::<Keyed>(&a, "T", rqos.clone()),
            writer::<Keyed>(&a, "U", wqos),
        );
        let slow = reader::<Keyed>(&b, "U", rqos);
        healthy.wait_for_matched(1, SOON).unwrap();
        quiet.wait_for_matched(1, SOON).unwrap();
        slow.wait_for_matched(1, SOON).unwrap();
        let waiting = std::thread::spawn({
            let condition = deaf.read_condition(Select::default());
            move || {
                let set = WaitSet::new();
                set.attach(condition);
                set.wait(Duration::INFINITE)
            }
        });
        let matching = std::thread::spawn({
            let deaf = deaf.clone();
            move || deaf.wait_for_matched(2, Duration::INFINITE)
        });
        std::thread::sleep(Span::from_millis(50));
        breaks.store(number, SeqCst);
        // Whatever comes to that receiver.
        if number == 1 {
            let _ = healthy.write(&bird(1));
        }
        let _more = writer::<Keyed>(&b, "V", Default::default());
        failed(waiting.join().unwrap());
        failed(matching.join().unwrap());
        failed(deaf.wait_for_historical_data(SOON));
        failed(deaf.wait_for_matched(2, SOON));
        failed(quiet.wait_for_matched(2, SOON));
        soon("the others know", || {
            healthy.matched_count() == 0 && slow.matched_count() == 0
        });
        // Nobody holds a writer up that keeps all.
        healthy.write(&bird(2)).unwrap();
        healthy.write(&bird(3)).unwrap();
    }
}
