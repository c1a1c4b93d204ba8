//! Endpoints that do not match: a policy is incompatible, or they are not of one another.

use crate::pair::Pair;
use crate::peer::Vendor;

fn incompatible(
    publisher: Vendor,
    subscriber: Vendor,
    offered: &str,
    requested: &str,
    policy: &str,
) {
    let outcome = Pair::new(publisher, subscriber, "--expect-incompatible")
        .publisher(offered)
        .subscriber(requested)
        .run();
    outcome.assert_success();
    outcome.assert_publisher_printed(&format!("incompatible policy={policy}"));
    outcome.assert_subscriber_printed(&format!("incompatible policy={policy}"));
}

pub(crate) fn incompatible_reliability(publisher: Vendor, subscriber: Vendor) {
    incompatible(
        publisher,
        subscriber,
        "--reliability be",
        "--reliability reliable",
        "RELIABILITY",
    );
}

pub(crate) fn incompatible_durability(publisher: Vendor, subscriber: Vendor) {
    incompatible(
        publisher,
        subscriber,
        "--reliability reliable",
        "--reliability reliable --durability transient-local",
        "DURABILITY",
    );
}

pub(crate) fn incompatible_deadline(publisher: Vendor, subscriber: Vendor) {
    incompatible(
        publisher,
        subscriber,
        "--deadline-ms 2000",
        "--deadline-ms 1000",
        "DEADLINE",
    );
}

pub(crate) fn incompatible_ownership(publisher: Vendor, subscriber: Vendor) {
    incompatible(publisher, subscriber, "--strength 3", "", "OWNERSHIP");
}

/// Not for Fast DDS 2.9, which does not look at DATA_REPRESENTATION and matches.
pub(crate) fn incompatible_representation(publisher: Vendor, subscriber: Vendor) {
    incompatible(
        publisher,
        subscriber,
        "--xcdr 1",
        "--xcdr 2",
        "DATA_REPRESENTATION",
    );
}

/// Who must not meet does not, and nobody speaks of policies.
fn strangers(publisher: Vendor, subscriber: Vendor, offered: &str, requested: &str) {
    let pair = Pair::new(publisher, subscriber, "--expect-nothing");
    let outcome = pair.publisher(offered).subscriber(requested).run();
    outcome.assert_success();
}

/// Not for Cyclone DDS 0.10, which takes a partition for a policy that is incompatible.
pub(crate) fn other_partition(publisher: Vendor, subscriber: Vendor) {
    strangers(publisher, subscriber, "--partition p1", "--partition p2");
}

pub(crate) fn other_domain(publisher: Vendor, subscriber: Vendor) {
    strangers(publisher, subscriber, "--domain 0", "--domain 1");
}

pub(crate) fn other_topic(publisher: Vendor, subscriber: Vendor) {
    strangers(publisher, subscriber, "--topic Here", "--topic There");
}
