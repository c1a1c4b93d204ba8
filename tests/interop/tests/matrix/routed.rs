//! With a Routing Service between the domains of both.

use crate::pair::{Outcome, Pair};
use crate::peer::Vendor;
use crate::{RELIABLE, assert_ends, instances};

pub(crate) fn routed(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --count 500 --size 1000");
    let pair = Pair::new(publisher, subscriber, &options).routed();
    pair.run().assert_received(500);
}

pub(crate) fn routed_large(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --count 5 --type big --size 1000000");
    let pair = Pair::new(publisher, subscriber, &options).routed();
    pair.run().assert_received(5);
}

pub(crate) fn routed_late_joiner(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --durability transient-local --count 20");
    let pair = Pair::new(publisher, subscriber, &options).routed();
    let outcome = pair
        .publisher("--wait-match 0 --domain 0")
        .run_late_joiner();
    outcome.assert_received(20);
}

pub(crate) fn routed_instances(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, "").routed();
    pair.run().assert_received_by_instance(9, 3);
}

pub(crate) fn routed_dispose(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, " --dispose").routed();
    assert_ends(&pair, "disposed");
}

pub(crate) fn routed_unregister(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, " --unregister").routed();
    assert_ends(&pair, "no_writers");
}

/// The service judges what passes, whatever the products on its sides can.
pub(crate) fn routed_filter(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --type keyed --instances 2");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher("--count 40")
        .subscriber("--count 20");
    let filter = "processor = { class = \"filter\", properties = { expression = \
                  \"seq > 20 AND name LIKE 'bird-%'\" } }";
    let mut sequence = pair.routed_by(filter).run().sequence();
    sequence.sort_unstable();
    assert!(sequence.iter().copied().eq(21..41), "{sequence:?}");
}

fn routed_map_by(publisher: Vendor, subscriber: Vendor, types: [&str; 2], map: &str) -> Outcome {
    let [from, to] = types;
    let pair = Pair::new(publisher, subscriber, &format!("{RELIABLE} --count 20"))
        .publisher(&format!("--type {}", from.to_lowercase()))
        .subscriber(&format!("--type {}", to.to_lowercase()));
    let route = format!(
        "types = [\"interop::{from}\"]\noutput_type = \"interop::{to}\"\nmap = {{ {map} }}"
    );
    pair.routed_by(&route).run()
}

/// Instances are no more where the other type has no key.
pub(crate) fn routed_map(publisher: Vendor, subscriber: Vendor) {
    let types = ["Keyed", "Plain"];
    let outcome = routed_map_by(publisher, subscriber, types, "\"seq\" = \"seq\"");
    outcome.assert_received(20);
}

/// The key comes from the map.
pub(crate) fn routed_map_to_keys(publisher: Vendor, subscriber: Vendor) {
    let types = ["Plain", "Keyed"];
    let outcome = routed_map_by(publisher, subscriber, types, "\"name\" = \"'bird-0'\"");
    outcome.assert_received_by_instance(20, 1);
}

/// Two that have no representation in common, for types that are not final.
fn routed_converted(publisher: Vendor, subscriber: Vendor, [from, to]: [u8; 2]) {
    let options = format!("{RELIABLE} --count 9 --type appendable");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher(&format!("--xcdr {from}"))
        .subscriber(&format!("--xcdr {to}"));
    let route = format!("representation = \"xcdr{to}\"");
    pair.routed_by(&route).run().assert_received(9);
}

pub(crate) fn routed_to_xcdr1(publisher: Vendor, subscriber: Vendor) {
    routed_converted(publisher, subscriber, [2, 1]);
}

pub(crate) fn routed_to_xcdr2(publisher: Vendor, subscriber: Vendor) {
    routed_converted(publisher, subscriber, [1, 2]);
}
