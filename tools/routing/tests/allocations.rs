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

struct Chain {
    writer: DataWriter<Keyless>,
    reader: DataReader<Keyless>,
    number: u32,
}

impl Chain {
    fn burst(&mut self, data: &bytes::Bytes, count: u32) {
        for _ in 0..count {
            self.number += 1;
            let (number, data) = (self.number, data.clone());
            self.writer.write(&Keyless { number, data }).unwrap();
        }
        self.writer.flush();
        let (begun, mut taken) = (Instant::now(), 0);
        while taken < count {
            assert!(begun.elapsed().as_secs() < 60, "{taken} of {count} came");
            while let Some(sample) = self.reader.take_next_sample() {
                taken += 1;
                assert_eq!(sample.data().unwrap().number, self.number - count + taken);
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

#[test]
fn a_routed_sample_costs_no_allocation() {
    in_namespace("a_routed_sample_costs_no_allocation", LOOPBACK, || {
        let _profiler = dhat::Profiler::builder().testing().build();
        for (settings, transports) in [
            (RouteSettings::xml(), Transports::UDP),
            (RouteSettings::toml(), Transports::UDP),
            (RouteSettings::xml(), Transports::default()),
        ] {
            let mut route = route::<Keyless>("T", 0);
            route.settings = settings;
            let service = Service::start(plan(transports, vec![route])).unwrap();
            let (near, far) = (participant(NEAR, transports), participant(FAR, transports));
            let (wqos, rqos) = reliable();
            let mut chain = Chain {
                reader: reader::<Keyless>(&far, "T", rqos),
                writer: writer::<Keyless>(&near, "T", wqos),
                number: 0,
            };
            wait_until_joined(&service, &route_path("T"));
            for (size, count) in [(20, BURST), (60_000, 20), (1 << 20, 1)] {
                let data = bytes::Bytes::from(vec![7; size]);
                for _ in 0..20 {
                    chain.burst(&data, count);
                }
                // Discovery speaks now and then, and the thread of the service looks around: one
                // round must be clean.
                assert!(
                    (0..40).any(|_| chain.round(&data, count) == 0),
                    "{size} B, {transports:?}: allocations of {count} samples: {}",
                    chain.round(&data, count)
                );
            }
            service.stop();
        }
    });
}
