//! Services in a row whose endpoints are made while somebody is there for them: they find out for
//! each other who is, and what they made goes when that one does.
use crate::plans;
use crate::sample::{Keyed, Load, Shape};
use crate::world::{MS, Nature, SECOND, World};
use bytes::Bytes;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, History, Reliability,
};

const SAMPLES: u32 = 10;
/// A row is whole, or gone, after so long: an endpoint that nobody needs lingers for 2 s, and each
/// service needs 250 ms at most to say that something has changed.
const SOON: i64 = 5 * SECOND;

/// When inputs and outputs are made.
const MODES: [&str; 6] = [
    "",
    "creation_mode = \"ON_DOMAIN_MATCH\"",
    "creation_mode = { input = \"ON_DOMAIN_AND_ROUTE_MATCH\", output = \"ON_DOMAIN_MATCH\" }",
    "creation_mode = { input = \"ON_DOMAIN_MATCH\", output = \"ON_DOMAIN_AND_ROUTE_MATCH\" }",
    "creation_mode = { input = \"ON_ROUTE_MATCH\", output = \"ON_DOMAIN_MATCH\" }",
    "creation_mode = { input = \"ON_DOMAIN_MATCH\", output = \"ON_ROUTE_MATCH\" }",
];

struct Row {
    world: World,
    hops: u32,
}

type Source = (DataWriter<Keyed>, DomainParticipant);
type Sink = (DataReader<Keyed>, DomainParticipant);

impl Row {
    fn new(hops: u32, settings: &str) -> Self {
        let world = World::new(Nature::quiet(u64::from(hops)));
        for hop in 0..hops {
            let name = format!("service {hop}");
            world.start(plans::both_ways_by(&name, hop, hop + 1, settings));
        }
        world.run_for(SOON);
        Self { world, hops }
    }

    fn source(&self) -> Source {
        let qos = DataWriterQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..DataWriterQos::default()
        };
        let participant = self.world.join(0);
        (participant.writer_with("Square", qos).unwrap(), participant)
    }

    fn sink(&self) -> Sink {
        let qos = DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..DataReaderQos::default()
        };
        let participant = self.world.join(self.hops);
        (participant.reader_with("Square", qos).unwrap(), participant)
    }

    fn end<T>(&self, (endpoint, participant): (T, DomainParticipant)) {
        drop(endpoint);
        self.world.leave(&participant);
    }

    /// All that is written comes.
    fn passes(&self, (writer, _): &Source, (reader, _): &Sink, why: &str) {
        let is_whole = || writer.matched_count() == 1 && reader.matched_count() == 1;
        let whole = self.world.run_until(SOON, is_whole);
        let counts = [writer.matched_count(), reader.matched_count()];
        assert!(whole, "{why}: matched {counts:?}");
        self.world.run_for(SECOND);
        for number in 0..SAMPLES {
            let load = Load {
                instance: number % 3,
                writer: 0,
                number,
                rest: Bytes::new(),
            };
            writer.write(&Keyed::of(load)).unwrap();
            self.world.run_for(10 * MS);
        }
        self.world.run_for(SECOND);
        let samples = reader.take().into_iter();
        let loads = samples.filter_map(|sample| sample.into_data().map(Shape::load));
        let mut taken: Vec<u32> = loads.map(|load| load.number).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..SAMPLES).collect::<Vec<_>>(), "{why}");
    }

    /// Nothing is said of endpoints any more.
    fn rests(&self, why: &str) {
        self.world.run_for(SOON);
        self.world.listen();
        self.world.heard();
        self.world.run_for(2 * SOON);
        assert_eq!(self.world.heard().of_endpoints, 0, "{why}");
    }
}

fn row(hops: u32, settings: &str, reader_first: bool) {
    let why = format!("{hops} services, {settings:?}, reader first: {reader_first}");
    let row = Row::new(hops, settings);
    let (source, sink) = match reader_first {
        true => {
            let sink = row.sink();
            row.rests(&why);
            assert_eq!(sink.0.matched_count(), 0, "{why}: there is no source");
            (row.source(), sink)
        }
        false => {
            let source = row.source();
            row.rests(&why);
            (source, row.sink())
        }
    };
    row.passes(&source, &sink, &why);
    row.rests(&why);
    // What was made for a source goes with it, and is there again with the next one.
    row.end(source);
    let gone = row.world.run_until(SOON, || sink.0.matched_count() == 0);
    assert!(gone, "{why}: writers of a source that is gone");
    row.rests(&why);
    let source = row.source();
    row.passes(&source, &sink, &why);
    // The same with the reader.
    row.end(sink);
    row.rests(&why);
    let sink = row.sink();
    row.passes(&source, &sink, &why);
    row.end(source);
    row.end(sink);
    let gone = row.world.run_until(SOON, || row.world.routes() == 0);
    assert!(gone, "{why}: {} routes stay", row.world.routes());
    row.rests(&why);
    assert_eq!(row.world.losses(), [""; 0], "{why}");
}

#[test]
fn two_services_in_a_row_ask_each_other() {
    for settings in MODES {
        row(2, settings, true);
        row(2, settings, false);
    }
}

#[test]
fn three_services_in_a_row_ask_each_other() {
    for settings in MODES {
        row(3, settings, true);
        row(3, settings, false);
    }
}

/// The name that a reader beyond has tells what the topic is called here.
#[test]
fn services_in_a_row_that_give_new_names_ask_each_other() {
    for reader_first in [true, false] {
        let world = World::new(Nature::quiet(1));
        for hop in 0..2 {
            let name = format!("service {hop}");
            world.start(plans::renamed(&name, hop, hop + 1, "{ \"*\" = \"a/*\" }"));
        }
        let [near, far] = [0, 2].map(|domain| world.join(domain));
        let writer = || {
            let made = near.writer_with::<Keyed>("Square", DataWriterQos::default());
            made.unwrap()
        };
        let reader = || {
            let made = far.reader_with::<Keyed>("a/a/Square", DataReaderQos::default());
            made.unwrap()
        };
        let (writer, reader) = match reader_first {
            true => {
                let reader = reader();
                world.run_for(SOON);
                (writer(), reader)
            }
            false => {
                let writer = writer();
                world.run_for(SOON);
                (writer, reader())
            }
        };
        let is_whole = || writer.matched_count() == 1 && reader.matched_count() == 1;
        assert!(
            world.run_until(SOON, is_whole),
            "reader first: {reader_first}"
        );
        world.run_for(SECOND);
        let load = Load {
            instance: 1,
            writer: 0,
            number: 1,
            rest: Bytes::new(),
        };
        writer.write(&Keyed::of(load)).unwrap();
        world.run_for(SECOND);
        assert_eq!(reader.take().len(), 1);
        drop((writer, reader));
        world.leave(&near);
        world.leave(&far);
        let gone = world.run_until(2 * SOON, || world.routes() == 0);
        assert!(gone, "{} routes stay", world.routes());
    }
}

/// An application that waits for a reader is not shown those that ask.
#[test]
fn who_asks_is_matched_with_nobody() {
    let row = Row::new(2, "");
    let (sink, local) = (row.sink(), row.world.join(1));
    row.world.run_for(SOON);
    // Between the two services: the one asks there, and reads when it has seen the writer.
    let writer = local
        .writer_with::<Keyed>("Square", DataWriterQos::default())
        .unwrap();
    let matched = row.world.run_until(SOON, || writer.matched_count() > 0);
    assert!(matched && sink.0.matched_count() == 1);
    row.world.run_for(SOON);
    assert_eq!(writer.matched_count(), 1);
    let ever = writer.publication_matched_status().total_count;
    assert_eq!(ever, 1, "the one that asked was matched");
}
