//! Who is told of a status: the most specific listener that wants it (DDS 1.4 2.2.4.2.3).
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration as Span;

const LONG: Span = Span::from_secs(300);

/// Says who was told what of whom.
#[derive(Clone)]
struct Ear(&'static str, Sender<(&'static str, String)>);

impl Ear {
    fn new() -> (impl Fn(&'static str) -> Self, Told) {
        let (tell, told) = channel();
        (move |who| Self(who, tell.clone()), Told(told))
    }

    fn hear(&self, what: &str, of: &str) {
        let _ = self.1.send((self.0, format!("{what} {of}")));
    }
}

struct Told(Receiver<(&'static str, String)>);

impl Told {
    /// Waits until somebody was told this.
    #[track_caller]
    fn expect(&self, who: &str, what: &str) {
        loop {
            let told = self.0.recv_timeout(LONG);
            let Ok((to, said)) = told else {
                panic!("{who} was not told of {what}")
            };
            if said == what {
                assert_eq!(to, who, "{what}");
                return;
            }
        }
    }

    /// Nobody was told anything, but that a writer lives or not, which comes right after a match.
    #[track_caller]
    fn nothing(&self) {
        let told = self.0.try_iter();
        let told: Vec<_> = told.filter(|(_, said)| !said.starts_with("life")).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}

impl TopicListener for Ear {
    fn on_inconsistent_topic(&self, topic: &UntypedTopic, status: &InconsistentTopicStatus) {
        assert!(status.total_count_change > 0);
        self.hear("inconsistent", topic.name());
    }
}

impl PublisherListener for Ear {
    fn on_publication_matched(&self, writer: &UntypedWriter, _: &MatchedStatus) {
        self.hear("matched", writer.topic_name());
    }
    fn on_offered_incompatible_qos(&self, writer: &UntypedWriter, _: &IncompatibleQosStatus) {
        self.hear("incompatible", writer.topic_name());
    }
    fn on_offered_deadline_missed(&self, writer: &UntypedWriter, _: &DeadlineMissedStatus) {
        self.hear("late", writer.topic_name());
    }
    fn on_liveliness_lost(&self, writer: &UntypedWriter, _: &LivelinessLostStatus) {
        self.hear("silent", writer.topic_name());
    }
}

impl SubscriberListener for Ear {
    fn on_data_on_readers(&self, subscriber: &Subscriber) {
        let readers = subscriber.datareaders(&Select::default());
        let topics: Vec<_> = readers.iter().map(|r| r.topic_name().to_owned()).collect();
        self.hear("data on", &topics.join(","));
    }
    fn on_data_available(&self, reader: &UntypedReader) {
        let samples = reader.typed::<Keyed>().map(|reader| reader.take().len());
        if samples.is_none_or(|samples| samples > 0) {
            self.hear("data", reader.topic_name());
        }
    }
    fn on_subscription_matched(&self, reader: &UntypedReader, _: &MatchedStatus) {
        self.hear("matched", reader.topic_name());
    }
    fn on_requested_incompatible_qos(&self, reader: &UntypedReader, _: &IncompatibleQosStatus) {
        self.hear("incompatible", reader.topic_name());
    }
    fn on_liveliness_changed(&self, reader: &UntypedReader, _: &LivelinessChangedStatus) {
        self.hear("life", reader.topic_name());
    }
    fn on_requested_deadline_missed(&self, reader: &UntypedReader, _: &DeadlineMissedStatus) {
        self.hear("late", reader.topic_name());
    }
    fn on_sample_rejected(&self, reader: &UntypedReader, _: &SampleRejectedStatus) {
        self.hear("rejected", reader.topic_name());
    }
}

impl DataReaderListener<Keyed> for Ear {
    fn on_data_available(&self, reader: &DataReader<Keyed>) {
        if !reader.take().is_empty() {
            self.hear("data", reader.topic_name());
        }
    }
    fn on_subscription_matched(&self, reader: &DataReader<Keyed>, _: &MatchedStatus) {
        self.hear("matched", reader.topic_name());
    }
}

impl DataWriterListener<Keyed> for Ear {
    fn on_publication_matched(&self, writer: &DataWriter<Keyed>, _: &MatchedStatus) {
        self.hear("matched", writer.topic_name());
    }
}

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

fn data_alone() -> StatusMask {
    StatusKind::DataAvailable.into()
}

/// All but DATA_ON_READERS.
fn of_readers() -> StatusMask {
    StatusMask::ALL.without(StatusKind::DataOnReaders)
}

#[test]
fn of_a_reader_its_own_listener_hears_first_then_its_subscribers_then_the_participants() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    b.set_listener(ear("participant"), of_readers());
    let (wqos, rqos) = reliable_all();
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let subscriber = b.create_subscriber(Default::default());
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    let writer = writer::<Keyed>(&a, "T", wqos);
    told.expect("participant", "matched T");
    writer.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    told.expect("participant", "data T");

    subscriber.set_listener(ear("subscriber"), data_alone());
    writer.write(&bird(2)).unwrap();
    told.expect("subscriber", "data T");
    reader.set_listener(ear("reader"), data_alone());
    writer.write(&bird(3)).unwrap();
    told.expect("reader", "data T");
    drop(writer);
    told.expect("participant", "matched T");
    assert_eq!(reader.subscription_matched_status().total_count_change, 0);

    let (wqos, _) = reliable_all();
    reader.clear_listener();
    subscriber.set_listener((), StatusMask::ALL);
    let again = common::writer::<Keyed>(&a, "T", wqos);
    reader.wait_for_matched(1, SOON).unwrap();
    again.wait_for_matched(1, SOON).unwrap();
    again.write(&bird(4)).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
    told.nothing();
    subscriber.clear_listener();
    again.write(&bird(5)).unwrap();
    told.expect("participant", "data T");
    b.clear_listener();
    again.write(&bird(6)).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
    told.nothing();
}

#[test]
fn of_a_writer_its_own_listener_hears_first_then_its_publishers_then_the_participants() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    let moment = Duration::from_millis(20);
    let (mut wqos, rqos) = reliable_all();
    wqos.deadline = moment;
    a.set_listener(ear("participant"), StatusMask::ALL);
    let publisher = a.create_publisher(Default::default());
    publisher.set_listener(
        ear("publisher"),
        StatusMask::NONE
            .with(StatusKind::OfferedDeadlineMissed)
            .with(StatusKind::OfferedIncompatibleQos),
    );
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let writer = publisher.create_datawriter(&topic, wqos).unwrap();
    let heard = reader::<Keyed>(&b, "T", rqos.clone());
    told.expect("participant", "matched T");
    heard.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    told.expect("publisher", "late T");
    let greedy = DataReaderQos {
        durability: Durability::Persistent,
        ..rqos.clone()
    };
    let _greedy = reader::<Keyed>(&b, "T", greedy);
    told.expect("publisher", "incompatible T");
    writer.set_listener(ear("writer"), StatusKind::PublicationMatched.into());
    drop(heard);
    told.expect("writer", "matched T");
    publisher.clear_listener();
    told.expect("participant", "late T");
    writer.clear_listener();
    let _heard = reader::<Keyed>(&b, "T", rqos);
    told.expect("participant", "matched T");
}

#[test]
fn data_on_readers_goes_before_data_available() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    let (wqos, rqos) = reliable_all();
    let subscriber = b.create_subscriber(Default::default());
    subscriber.set_listener(ear("subscriber"), StatusKind::DataOnReaders.into());
    let readers = ["S", "T"].map(|name| {
        let topic = b.create_topic::<Keyed>(name, Default::default()).unwrap();
        let reader = subscriber
            .create_datareader_with_listener(&topic, rqos.clone(), ear("reader"))
            .unwrap();
        told.nothing();
        reader
    });
    let writers = ["S", "T"].map(|name| writer::<Keyed>(&a, name, wqos.clone()));
    told.expect("reader", "matched S");
    told.expect("reader", "matched T");
    for writer in &writers {
        writer.wait_for_matched(1, SOON).unwrap();
    }
    writers[0].write(&bird(1)).unwrap();
    told.expect("subscriber", "data on S");
    writers[1].write(&bird(1)).unwrap();
    told.expect("subscriber", "data on S,T");
    told.nothing();
    subscriber.notify_datareaders();
    told.expect("reader", "data S");
    told.expect("reader", "data T");
    subscriber.notify_datareaders();
    told.nothing();
    assert!(subscriber.datareaders(&Select::default()).is_empty());

    // The participant's comes into play when the subscriber's does not want it.
    b.set_listener(ear("participant"), StatusMask::ALL);
    subscriber.clear_listener();
    writers[1].write(&bird(2)).unwrap();
    told.expect("participant", "data on T");
    b.set_listener(ear("participant"), of_readers());
    writers[1].write(&bird(3)).unwrap();
    told.expect("reader", "data T");
    drop(readers);
}

#[test]
fn a_listener_that_does_not_care_for_data_on_readers_passes_it_on() {
    struct Passing(Ear);
    impl SubscriberListener for Passing {
        fn on_data_available(&self, reader: &UntypedReader) {
            SubscriberListener::on_data_available(&self.0, reader);
        }
    }
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    let (wqos, rqos) = reliable_all();
    let subscriber = b.create_subscriber(Default::default());
    subscriber.set_listener(Passing(ear("subscriber")), StatusMask::ALL);
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    for number in 0..3 {
        writer.write(&bird(number)).unwrap();
        told.expect("subscriber", "data T");
    }
}

#[test]
fn a_wait_set_hears_of_data_on_any_reader_of_a_subscriber() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let subscriber = b.create_subscriber(Default::default());
    let set = WaitSet::new();
    set.attach(subscriber.status_condition());
    let readers = ["S", "T"].map(|name| {
        let topic = b.create_topic::<Keyed>(name, Default::default()).unwrap();
        subscriber.create_datareader(&topic, rqos.clone()).unwrap()
    });
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    readers[1].wait_for_matched(1, SOON).unwrap();
    for number in 0..3 {
        assert!(!subscriber.status_condition().trigger_value());
        writer.write(&bird(number)).unwrap();
        set.wait(SOON).unwrap();
        let readers = subscriber.datareaders(&Select::default());
        let [with_data] = &readers[..] else {
            panic!("{readers:?}")
        };
        assert!(with_data.typed::<Plain>().is_none());
        let samples = with_data.typed::<Keyed>().unwrap().take();
        assert_eq!(samples[0].data(), Some(&bird(number)));
        // The sample may be announced once more by whoever received it.
        while !subscriber.status_changes().eq(&StatusMask::NONE) {
            with_data.typed::<Keyed>().unwrap().take();
            std::thread::yield_now();
        }
    }
}

#[test]
fn another_type_under_the_same_name_is_told_to_the_topic_then_to_the_participant() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    let (wqos, rqos) = reliable_all();
    a.set_listener(ear("participant"), StatusMask::ALL);
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let _writer = writer::<Keyed>(&a, "T", wqos);
    assert_eq!(topic.inconsistent_topic_status().total_count, 0);
    let first = reader::<Plain>(&b, "T", rqos.clone());
    told.expect("participant", "inconsistent T");
    topic.set_listener(ear("topic"), StatusMask::ALL);
    let _second = reader::<Plain>(&b, "T", rqos.clone());
    told.expect("topic", "inconsistent T");
    let status = topic.inconsistent_topic_status();
    assert_eq!((status.total_count, status.total_count_change), (2, 0));
    assert!(status.last_difference.contains("Plain"), "{status:?}");
    topic.set_listener(ear("topic"), StatusMask::NONE);
    a.clear_listener();
    let set = WaitSet::new();
    set.attach(topic.status_condition());
    let _third = reader::<Plain>(&b, "T", rqos);
    set.wait(SOON).unwrap();
    let kind = StatusKind::InconsistentTopic;
    assert!(topic.status_changes().contains(kind));
    assert_eq!(topic.inconsistent_topic_status().total_count_change, 1);
    assert!(!topic.status_changes().contains(kind));
    drop(first);
}

#[test]
fn one_name_is_one_topic_until_nobody_has_it_any_more() {
    let net = Net::new(0.0);
    let a = net.participant();
    let data = TopicQos {
        topic_data: b"x".to_vec(),
        ..Default::default()
    };
    let topic = a.create_topic::<Keyed>("T", data.clone()).unwrap();
    let error = a.create_topic::<Plain>("T", data.clone()).err().unwrap();
    assert!(error.to_string().contains("another type"), "{error}");
    let error = a.create_topic::<Keyed>("T", Default::default());
    assert!(
        error
            .err()
            .unwrap()
            .to_string()
            .contains("another TOPIC_DATA")
    );
    let reader = a
        .create_subscriber(Default::default())
        .create_datareader(&topic, Default::default())
        .unwrap();
    drop(topic);
    assert!(a.create_topic::<Plain>("T", data.clone()).is_err());
    drop(reader);
    assert!(a.create_topic::<Plain>("T", data).is_ok());
}

#[test]
fn listeners_may_own_entities_and_replace_themselves() {
    struct Owner(Subscriber, #[allow(dead_code)] DataReader<Keyed>, Ear);
    impl SubscriberListener for Owner {
        fn on_data_available(&self, reader: &UntypedReader) {
            reader.typed::<Keyed>().unwrap().take();
            self.2.hear("data", "owner");
            self.0.set_listener(self.2.clone(), data_alone());
        }
    }
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (ear, told) = Ear::new();
    let (wqos, rqos) = reliable_all();
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let subscriber = b.create_subscriber(Default::default());
    let other = reader::<Keyed>(&b, "U", rqos.clone());
    let owner = Owner(subscriber.clone(), other, ear("subscriber"));
    subscriber.set_listener(owner, data_alone());
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    told.expect("subscriber", "data owner");
    writer.write(&bird(2)).unwrap();
    told.expect("subscriber", "data T");
}

#[test]
fn data_that_a_listener_took_is_no_news_for_others() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let (tell, told) = channel();
    let listener = move |reader: &DataReader<Keyed>| {
        // Odd ones are left.
        let samples = reader.read();
        let number = samples.last().and_then(Sample::data).map(|d| d.number);
        if number.is_some_and(|number| number % 2 == 0) {
            reader.take();
        }
        let _ = tell.send(number);
    };
    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let subscriber = b.create_subscriber(Default::default());
    let reader = subscriber.create_datareader_with_listener(&topic, rqos, listener);
    let reader = reader.unwrap();
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let set = WaitSet::new();
    let condition = reader.status_condition();
    condition.set_enabled_statuses(data_alone());
    set.attach(condition);
    for number in 0..6 {
        writer.write(&bird(number)).unwrap();
        assert_eq!(told.recv_timeout(LONG), Ok(Some(number)));
        if number % 2 == 0 {
            let raised = set.wait(Duration::from_millis(20));
            assert!(raised.is_err(), "{number}");
        } else {
            set.wait(SOON).unwrap();
            reader.take();
        }
    }
}

#[test]
fn a_slow_listener_is_counted_and_told_to_whoever_asks() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let (tell, told) = channel();
    let slow = move |reader: &DataReader<Keyed>| {
        reader.take();
        std::thread::sleep(Span::from_millis(30));
        let _ = tell.send(());
    };
    let reader = reader::<Keyed>(&b, "T", rqos);
    reader.set_listener(slow, data_alone());
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    assert_eq!(b.counters().slow_listeners, 0);
    writer.write(&bird(1)).unwrap();
    assert_eq!(told.recv_timeout(LONG), Ok(()));
    let until = std::time::Instant::now() + LONG;
    while b.counters().slow_listeners == 0 {
        assert!(std::time::Instant::now() < until, "the call is not counted");
        std::thread::sleep(Span::from_millis(5));
    }
    assert_eq!(a.counters().slow_listeners, 0);
    let question = dunlin::observe::DiagnosticRequest {
        about: reader.guid(),
        other: writer.guid(),
    };
    let answers = b.ask(&[question], Duration::from_secs(1));
    let takes = answers[0].fact(dunlin::observe::DiagnosticFact::ListenerTakes);
    assert!(takes.is_some_and(|takes| takes >= 10_000_000), "{takes:?}");
}
