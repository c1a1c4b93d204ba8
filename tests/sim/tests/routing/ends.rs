//! Writers of a service that end while a reader beyond does not answer: they are waited for
//! together, not one after the other.
use crate::plans;
use crate::sample::{Keyed, Load, Shape};
use crate::world::{MS, Nature, SECOND, ServiceId, World};
use bytes::Bytes;
use dunlin::transport::Faults;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Duration, Reliability,
};
use std::time::Duration as Span;

const TOPICS: usize = 20;
/// What was written has so long to arrive.
const LAST_WORDS: i64 = SECOND;

struct Stage {
    world: World,
    service: ServiceId,
    _near: DomainParticipant,
    _writers: Vec<DataWriter<Keyed>>,
}

fn writer(of: &DomainParticipant, topic: &str) -> DataWriter<Keyed> {
    let qos = DataWriterQos {
        reliability: Reliability::RELIABLE,
        ..DataWriterQos::default()
    };
    of.writer_with(topic, qos).unwrap()
}

fn reader(of: &DomainParticipant, topic: &str) -> DataReader<Keyed> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..DataReaderQos::default()
    };
    of.reader_with(topic, qos).unwrap()
}

impl Stage {
    /// A service with a writer for each source, which a reader beyond owes an answer.
    fn new() -> Self {
        let world = World::new(Nature {
            seed: 1,
            faults: Faults {
                delay: Span::from_micros(200),
                ..Faults::default()
            },
            whole: None,
            lease: Duration::from_secs(100),
        });
        let service = world.start(plans::one_way("service", 0, 1, "writers = \"mirror\""));
        let (near, far) = (world.join(0), world.join(1));
        let names: Vec<_> = (0..TOPICS).map(|at| format!("topic {at}")).collect();
        let writers: Vec<_> = names.iter().map(|name| writer(&near, name)).collect();
        let readers: Vec<_> = names.iter().map(|name| reader(&far, name)).collect();
        let matched = world.run_until(30 * SECOND, || {
            writers.iter().all(|writer| writer.matched_count() == 1)
                && readers.iter().all(|reader| reader.matched_count() == 1)
        });
        assert!(matched, "not all topics are routed");
        world.run_for(SECOND);
        world.crash_application(far);
        std::mem::forget(readers);
        for writer in &writers {
            let load = Load {
                instance: 1,
                writer: 0,
                number: 1,
                rest: Bytes::new(),
            };
            writer.write(&Keyed::of(load)).unwrap();
        }
        world.run_for(100 * MS);
        Self {
            world,
            service,
            _near: near,
            _writers: writers,
        }
    }
}

#[test]
fn a_service_stops_in_time_though_a_reader_beyond_is_silent() {
    let stage = Stage::new();
    let begun = stage.world.now();
    stage.world.stop(stage.service);
    let took = stage.world.now() - begun;
    assert!(took <= LAST_WORDS + 100 * MS, "{took} ns");
}
