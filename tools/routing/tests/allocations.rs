//! What a routed sample costs in the steady state, counted: no allocation in the publisher, the
//! service and the subscriber together, with and without origins.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Samples of a burst: as many as all that is on the way holds without anybody waiting.
const BURST: u32 = 500;

/// A key that is its own name.
#[derive(Topic, Clone, Debug)]
struct Numbered {
    #[key]
    instance: u32,
    number: u32,
}

/// A sample of a number.
trait Counted: TopicData {
    fn of(number: u32, data: &bytes::Bytes) -> Self;
    fn number(&self) -> u32;
}

impl Counted for Keyless {
    fn of(number: u32, data: &bytes::Bytes) -> Self {
        let data = data.clone();
        Self { number, data }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

impl Counted for Numbered {
    fn of(number: u32, _: &bytes::Bytes) -> Self {
        let instance = number % 50;
        Self { instance, number }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

struct Chain<T> {
    writer: DataWriter<T>,
    reader: DataReader<T>,
    number: u32,
}

impl<T: Counted> Chain<T> {
    /// Each sample arrives; of each instance they are in order.
    fn burst(&mut self, data: &bytes::Bytes, count: u32) {
        for _ in 0..count {
            self.number += 1;
            self.writer.write(&T::of(self.number, data)).unwrap();
        }
        self.writer.flush();
        let (begun, mut taken) = (Instant::now(), 0);
        while taken < count {
            assert!(begun.elapsed().as_secs() < 60, "{taken} of {count} came");
            while let Some(sample) = self.reader.take_next_sample() {
                taken += 1;
                let number = sample.data().unwrap().number();
                assert!(number > self.number - count && number <= self.number);
            }
            std::thread::yield_now();
        }
    }

    /// Allocations while a burst passes.
    fn round(&mut self, data: &bytes::Bytes, count: u32) -> u64 {
        let blocks = dhat::HeapStats::get().total_blocks;
        self.burst(data, count);
        dhat::HeapStats::get().total_blocks - blocks
    }
}

/// Rounds of bursts, until one of them allocates nothing.
fn measure<T: Counted>(settings: RouteSettings, transports: Transports, bursts: &[(usize, u32)]) {
    let mut route = route::<T>("T", 0);
    route.settings = settings;
    measure_route::<T>(route, transports, bursts);
}

fn measure_route<T: Counted>(route: Route, transports: Transports, bursts: &[(usize, u32)]) {
    let service = Service::start(plan(transports, vec![route])).unwrap();
    let (near, far) = (participant(NEAR, transports), participant(FAR, transports));
    let (wqos, rqos) = reliable();
    let mut chain = Chain {
        reader: reader::<T>(&far, "T", rqos),
        writer: writer::<T>(&near, "T", wqos),
        number: 0,
    };
    wait_until_joined(&service, &route_path("T"));
    for &(size, count) in bursts {
        let data = bytes::Bytes::from(vec![7; size]);
        for _ in 0..20 {
            chain.burst(&data, count);
        }
        // Discovery speaks now and then, and the thread of the service looks around: one round must
        // be clean.
        assert!(
            (0..40).any(|_| chain.round(&data, count) == 0),
            "{size} B, {transports:?}: allocations of {count} samples: {}",
            chain.round(&data, count)
        );
    }
    service.stop();
}

#[test]
fn a_routed_sample_costs_no_allocation() {
    in_namespace("a_routed_sample_costs_no_allocation", LOOPBACK, || {
        let _profiler = dhat::Profiler::builder().testing().build();
        let sizes = [(20, BURST), (60_000, 20), (1 << 20, 1)];
        let (xml, toml) = (RouteSettings::xml(), RouteSettings::toml());
        measure::<Keyless>(xml.clone(), Transports::UDP, &sizes);
        measure::<Keyless>(toml.clone(), Transports::UDP, &sizes);
        measure::<Keyless>(xml.clone(), Transports::default(), &sizes);
        // Judged and converted.
        let mut route = route::<Keyless>("T", 0);
        let expression = ("expression".to_owned(), "number > 0".to_owned());
        route.settings.processor = Some(Plugin {
            class: "filter".into(),
            properties: [expression].into(),
        });
        route.outputs[0].representation = Some(DataRepresentation::Xcdr2);
        measure_route::<Keyless>(route, Transports::UDP, &[(20, BURST)]);
        // With instances, of which the service knows who has them.
        measure::<Numbered>(xml, Transports::UDP, &[(0, BURST)]);
        measure::<Numbered>(toml, Transports::default(), &[(0, BURST)]);
    });
}
