//! zenoh's own bridge to DDS beside our service. `DUNLIN_ZENOH_BRIDGE=PROGRAM cargo test --test
//! bridge -- --ignored` runs it; the program is zenoh-bridge-dds 1.10 or such.
mod common;

use common::*;
use std::process::{Child, Command};

struct Bridge(Child);

impl Bridge {
    /// Joins a domain to a node.
    fn start(program: &str, domain: u32, port: u16) -> Self {
        let file = std::env::temp_dir().join(format!("dunlin-bridge-{}.json5", std::process::id()));
        let text = format!(
            "{{ mode: \"client\", connect: {{ endpoints: [\"tcp/127.0.0.1:{port}\"] }}, \
               scouting: {{ multicast: {{ enabled: false }} }}, \
               timestamping: {{ enabled: true }}, plugins_loading: {{ enabled: true }}, \
               plugins: {{ dds: {{ scope: \"yard\", domain: {domain}, localhost_only: true }} }} }}"
        );
        std::fs::write(&file, text).unwrap();
        let option = std::env::var("DUNLIN_ZENOH_BRIDGE_OPTION");
        let child = Command::new(program).args(option.ok()).arg(&file).spawn();
        Self(child.unwrap())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A reader in the domain of the bridge gets what is written in the domain of our service.
#[test]
#[ignore = "needs zenoh's bridge: DUNLIN_ZENOH_BRIDGE"]
fn zenohs_own_bridge_reads_our_data() {
    in_namespace("zenohs_own_bridge_reads_our_data", LOOPBACK, || {
        let program = std::env::var("DUNLIN_ZENOH_BRIDGE").unwrap();
        let _node = node(7447);
        let client = "{ connect = [\"tcp/127.0.0.1:7447\"], mode = \"client\", scope = \"yard\" }";
        let _a = site("a", 0, client);
        let _bridge = Bridge::start(&program, 5, 7447);
        let (near, far) = (participant(0), participant(5));
        let (offered, asked) = reliable();
        let writer = writer(&near, "rt/pose", offered);
        let reader = reader(&far, "rt/pose", asked);
        reader.wait_for_matched(1, SOON).unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..100 {
            writer.write(&pose("p", number)).unwrap();
        }
        let got = take(&reader, 100);
        let numbers = got.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(0..100));
    });
}
