//! Every pair of products, both directions, each pair in a network namespace of its own.
//!
//! The peer programs share one command line (see `peer.h`); a test says which two meet, with what,
//! and what each must have seen. Rows without Dunlin check the harness itself and are kept few.

mod capture;
mod namespace;
mod pair;
mod peer;
mod refused;
mod routed;
mod router;
mod why;

use pair::Pair;
use peer::Vendor;
use refused::{
    incompatible_deadline, incompatible_durability, incompatible_ownership,
    incompatible_reliability, incompatible_representation, other_domain, other_partition,
    other_topic,
};
use routed::{
    routed, routed_dispose, routed_filter, routed_instances, routed_large, routed_late_joiner,
    routed_map, routed_map_to_keys, routed_to_xcdr1, routed_to_xcdr2, routed_unregister,
};

/// A display filter for what Dunlin sends.
const DUNLIN: &str = "rtps.vendorId == 0x444c";

const RELIABLE: &str = "--reliability reliable --history keep-all";

fn best_effort(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        "--reliability be --count 20 --history keep-last:20",
    )
    .publisher("--period-us 2000 --settle-ms 300")
    .run()
    .assert_received(20);
}

fn reliable(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 500 --size 1000"),
    )
    .run()
    .assert_received(500);
}

fn reliable_xcdr2(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 20 --xcdr 2"),
    )
    .run()
    .assert_received(20);
}

fn appendable_xcdr1(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 9 --type appendable"),
    )
    .run()
    .assert_received(9);
}

fn appendable_xcdr2(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 9 --type appendable --xcdr 2"),
    )
    .run()
    .assert_received(9);
}

fn mutable_xcdr1(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 9 --type mutable --xcdr 1"),
    )
    .run()
    .assert_received(9);
}

fn mutable_xcdr2(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 9 --type mutable --xcdr 2"),
    )
    .run()
    .assert_received(9);
}

fn large(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --count 5 --type big --size 1000000"),
    )
    .run()
    .assert_received(5);
}

fn late_joiner(publisher: Vendor, subscriber: Vendor) {
    Pair::new(
        publisher,
        subscriber,
        &format!("{RELIABLE} --durability transient-local --count 20"),
    )
    .publisher("--wait-match 0")
    .run_late_joiner()
    .assert_received(20);
}

/// Three instances with three samples each, and more options.
fn instances(publisher: Vendor, subscriber: Vendor, more: &str) -> Pair {
    let options = format!("{RELIABLE} --type keyed --instances 3 --count 9{more}");
    Pair::new(publisher, subscriber, &options)
}

/// The subscriber hears that all instances end.
fn assert_ends(pair: &Pair, state: &str) {
    let outcome = pair.run();
    outcome.assert_received_by_instance(9, 3);
    for instance in 0..3 {
        outcome.assert_subscriber_printed(&format!("instance key=bird-{instance} state={state}"));
    }
}

fn dispose(publisher: Vendor, subscriber: Vendor) {
    assert_ends(&instances(publisher, subscriber, " --dispose"), "disposed");
}

fn unregister(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, " --unregister");
    assert_ends(&pair, "no_writers");
}

/// Types are announced, and where their identifiers differ each asks the other what they are.
fn types_told(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, "").tells_types();
    pair.run().assert_received_by_instance(9, 3);
}

/// The writer is deleted, and its instances with it.
fn delete(publisher: Vendor, subscriber: Vendor) {
    let pair = instances(publisher, subscriber, "");
    let pair = pair.publisher("--delete").subscriber("--dispose");
    assert_ends(&pair, "disposed");
}

fn partition_pattern(publisher: Vendor, subscriber: Vendor) {
    let pair = Pair::new(publisher, subscriber, &format!("{RELIABLE} --count 9"));
    let pair = pair
        .publisher("--partition p1")
        .subscriber("--partition p*");
    pair.run().assert_received(9);
}

/// Of each instance as many samples as the history holds.
fn late_joiner_history(publisher: Vendor, subscriber: Vendor) {
    let options = "--reliability reliable --durability transient-local --type keyed --instances 3";
    let pair = Pair::new(publisher, subscriber, options)
        .publisher("--wait-match 0 --history keep-last:2 --count 12")
        .subscriber("--history keep-all --count 6");
    let mut sequence = pair.run_late_joiner().sequence();
    sequence.sort_unstable();
    assert_eq!(sequence, [7, 8, 9, 10, 11, 12]);
}

/// Samples of the weaker writer have another size, which would be taken for corruption.
fn ownership(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --type keyed --count 100 --period-us 10000");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher("--strength 4")
        .subscriber("--strength 0");
    pair.run_with_rival("--strength 3 --size 33")
        .assert_received(100);
}

fn deadline_missed(publisher: Vendor, subscriber: Vendor) {
    let options = format!(
        "{RELIABLE} --type keyed --count 4 --deadline-ms 100 --period-us 400000 --expect-deadline-missed"
    );
    let outcome = Pair::new(publisher, subscriber, &options).run();
    outcome.assert_received(4);
    outcome.assert_publisher_printed("deadline missed");
    outcome.assert_subscriber_printed("deadline missed");
}

/// Not for readers of Fast DDS 2.9, which keep what has expired. Who looks late finds only what is
/// still valid, however much was written.
fn lifespan(publisher: Vendor, subscriber: Vendor) {
    let pair = Pair::new(
        publisher,
        subscriber,
        "--reliability reliable --history keep-all",
    )
    .publisher("--lifespan-ms 400 --count 100 --period-us 50000")
    .subscriber("--take-delay-ms 2000 --count 1");
    let sequence = pair.run().sequence();
    let first = sequence.first().copied().unwrap_or_default();
    assert!(first > 10, "a sample of long ago: {sequence:?}");
}

/// Of these products only Dunlin has it.
fn time_based_filter(publisher: Vendor, subscriber: Vendor) {
    let pair = Pair::new(publisher, subscriber, RELIABLE)
        .publisher("--count 100 --period-us 20000")
        .subscriber("--time-filter-ms 500 --count 4");
    let sequence = pair.run().sequence();
    let all = sequence.windows(2).any(|two| two[1] == two[0] + 1);
    assert!(!all, "two that came one after the other: {sequence:?}");
}

/// A sample that the reader wants is this long on the wire, and nothing else is.
const LONG_SAMPLE: &str = "udp.length > 5000 && udp.length < 5400";

/// The reader gets what passes, and the writer, having heard of the filter, sends nothing else.
/// Both wait for all: what was left out is known to be left out, and is not missing.
fn content_filter(publisher: Vendor, subscriber: Vendor) {
    let name = format!("filter-{publisher:?}-to-{subscriber:?}");
    let options = format!("{RELIABLE} --type keyed --instances 2 --size 5000");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher("--count 40 --period-us 2000 --settle-ms 500")
        .subscriber("--filter seq>20 --count 20");
    let (outcome, capture) = pair.run_captured(&name);
    let mut sequence = outcome.sequence();
    sequence.sort_unstable();
    assert!(sequence.iter().copied().eq(21..41), "{sequence:?}");
    let frames = capture.finish().matching(LONG_SAMPLE);
    // Dunlin with itself has shared memory for it. A busy reader may ask again for a sample that is
    // under way.
    let by_udp = (publisher, subscriber) != (Vendor::Dunlin, Vendor::Dunlin);
    assert!(frames.len() >= 20 || !by_udp, "{frames:?}");
    assert!(
        frames.len() < 40,
        "what does not pass is sent:\n{}",
        frames.join("\n")
    );
}

/// The same for the history of who joins late.
fn content_filter_late(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --durability transient-local");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher("--wait-match 0 --count 40")
        .subscriber("--filter seq>20 --count 20");
    let mut sequence = pair.run_late_joiner().sequence();
    sequence.sort_unstable();
    assert!(sequence.iter().copied().eq(21..41), "{sequence:?}");
}

fn goodbye(publisher: Vendor, subscriber: Vendor) {
    let outcome = Pair::new(publisher, subscriber, RELIABLE).run_goodbye();
    outcome.assert_received(10);
    outcome.assert_publisher_printed("matched 0");
}

fn tcp(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --count 500 --size 1000");
    let outcome = Pair::new(publisher, subscriber, &options).over_tcp().run();
    outcome.assert_received(500);
}

fn tcp_large(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --count 5 --type big --size 1000000");
    let outcome = Pair::new(publisher, subscriber, &options).over_tcp().run();
    outcome.assert_received(5);
}

fn tcp_late_joiner(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --durability transient-local --count 20");
    let pair = Pair::new(publisher, subscriber, &options).publisher("--wait-match 0");
    pair.over_tcp().run_late_joiner().assert_received(20);
}

/// Fragments, keys and the end of instances: tshark finds nothing wrong with what Dunlin sends, or
/// with anything if it is not there.
fn captured(publisher: Vendor, subscriber: Vendor) {
    let name = format!("{publisher:?}-to-{subscriber:?}");
    let options =
        format!("{RELIABLE} --type keyed --instances 2 --count 4 --size 100000 --dispose");
    let (outcome, capture) = Pair::new(publisher, subscriber, &options).run_captured(&name);
    outcome.assert_received_by_instance(4, 2);
    let frames = capture.finish();
    match [publisher, subscriber].contains(&Vendor::Dunlin) {
        true => frames.assert_sound(DUNLIN),
        false => frames.assert_sound("rtps"),
    }
    if (publisher, subscriber) == (Vendor::Dunlin, Vendor::Dunlin) {
        // A receiver is woken by an empty datagram.
        let strange = frames.matching("udp.length > 8 && !rtps");
        assert!(strange.is_empty(), "not RTPS: {}", strange.join("\n"));
    }
}

/// Samples of 1 MiB, with a key, that travel as fragments.
fn keyed_large(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --type keyed --count 5 --size 1048576");
    let outcome = Pair::new(publisher, subscriber, &options).run();
    outcome.assert_received(5);
}

fn keyed_late_joiner(publisher: Vendor, subscriber: Vendor) {
    let options =
        format!("{RELIABLE} --durability transient-local --type keyed --instances 3 --count 21");
    let pair = Pair::new(publisher, subscriber, &options).publisher("--wait-match 0");
    pair.run_late_joiner().assert_received_by_instance(21, 3);
}

/// The reader gets what passes, whichever side looks at the filter.
fn keyed_filter(publisher: Vendor, subscriber: Vendor) {
    let options = format!("{RELIABLE} --type keyed --instances 2");
    let pair = Pair::new(publisher, subscriber, &options)
        .publisher("--count 40")
        .subscriber("--filter seq>20 --count 20");
    let mut sequence = pair.run().sequence();
    sequence.sort_unstable();
    assert!(sequence.iter().copied().eq(21..41), "{sequence:?}");
}

/// Samples of 1 MiB and short ones that the publisher builds in memory of its writer.
fn keyed_loan(publisher: Vendor, subscriber: Vendor) {
    for (count, size) in [(3, 1_048_576), (20, 100)] {
        let options = format!("{RELIABLE} --type keyed --count {count} --size {size}");
        let pair = Pair::new(publisher, subscriber, &options).publisher("--loan");
        pair.run().assert_received(count);
    }
}

/// Others among themselves may fail on a busy machine: it is enough if the harness can bring them
/// together.
const OTHERS_TRIES: usize = 3;

fn act(scenario: fn(Vendor, Vendor), publisher: Vendor, subscriber: Vendor) {
    let of_dunlin = |vendor| matches!(vendor, Vendor::Dunlin | Vendor::Untyped);
    let tries = match of_dunlin(publisher) || of_dunlin(subscriber) {
        true => 1,
        false => OTHERS_TRIES,
    };
    let once = || std::panic::catch_unwind(|| scenario(publisher, subscriber)).is_ok();
    let done = (1..tries).any(|_| once());
    if !done {
        scenario(publisher, subscriber);
    }
}

/// A test for each scenario, in a module named after the pair.
macro_rules! row {
    ($name:ident: $publisher:ident, $subscriber:ident; $($scenario:ident)*) => {
        mod $name {
            use crate::peer::Vendor;
            $(
                #[test]
                fn $scenario() {
                    super::act(super::$scenario, Vendor::$publisher, Vendor::$subscriber);
                }
            )*
        }
    };
}

row!(dunlin_to_cyclone: Dunlin, Cyclone;
    best_effort reliable large late_joiner dispose delete unregister types_told
    reliable_xcdr2 appendable_xcdr2 mutable_xcdr2
    incompatible_reliability incompatible_durability incompatible_deadline incompatible_representation
    incompatible_ownership other_domain other_topic partition_pattern late_joiner_history
    ownership deadline_missed lifespan
    goodbye captured tcp tcp_large tcp_late_joiner);

row!(cyclone_to_dunlin: Cyclone, Dunlin;
    best_effort reliable large late_joiner dispose unregister types_told
    reliable_xcdr2 appendable_xcdr2 mutable_xcdr2
    incompatible_reliability incompatible_durability incompatible_deadline incompatible_representation
    incompatible_ownership other_domain other_topic partition_pattern late_joiner_history
    ownership deadline_missed lifespan time_based_filter
    content_filter_late goodbye captured tcp tcp_large tcp_late_joiner);

row!(dunlin_to_fastdds: Dunlin, FastDds;
    best_effort reliable large late_joiner dispose delete unregister types_told appendable_xcdr1
    incompatible_reliability incompatible_durability incompatible_deadline
    incompatible_ownership other_partition other_domain other_topic partition_pattern late_joiner_history
    ownership deadline_missed
    content_filter content_filter_late goodbye captured);

row!(fastdds_to_dunlin: FastDds, Dunlin;
    best_effort reliable large late_joiner dispose unregister types_told appendable_xcdr1
    incompatible_reliability incompatible_durability incompatible_deadline
    incompatible_ownership other_partition other_domain other_topic partition_pattern late_joiner_history
    ownership deadline_missed lifespan time_based_filter
    content_filter content_filter_late goodbye captured);

row!(dunlin_to_dunlin: Dunlin, Dunlin;
    best_effort reliable large late_joiner dispose delete unregister types_told
    reliable_xcdr2 appendable_xcdr1 appendable_xcdr2 mutable_xcdr1 mutable_xcdr2
    incompatible_reliability incompatible_durability incompatible_deadline incompatible_representation
    incompatible_ownership other_partition other_domain other_topic partition_pattern late_joiner_history
    ownership deadline_missed lifespan time_based_filter
    content_filter content_filter_late goodbye captured tcp tcp_large tcp_late_joiner);

// The untyped API, with a type that is built at run time. Cyclone DDS has content filters that are
// functions only.
row!(untyped_to_cyclone: Untyped, Cyclone; dispose keyed_large keyed_late_joiner keyed_loan);
row!(cyclone_to_untyped: Cyclone, Untyped; dispose keyed_large keyed_late_joiner keyed_filter);
row!(untyped_to_fastdds: Untyped, FastDds;
    dispose keyed_large keyed_late_joiner keyed_filter keyed_loan);
row!(fastdds_to_untyped: FastDds, Untyped; dispose keyed_large keyed_late_joiner keyed_filter);
row!(untyped_to_dunlin: Untyped, Dunlin;
    dispose keyed_large keyed_late_joiner keyed_filter keyed_loan);
row!(dunlin_to_untyped: Dunlin, Untyped; dispose keyed_large keyed_late_joiner keyed_filter);
row!(untyped_to_untyped: Untyped, Untyped; keyed_filter keyed_loan);

// With a Routing Service between the domains of both. Between the other two, disposes and
// unregisters do not arrive without it either.
row!(routed_dunlin_to_dunlin: Dunlin, Dunlin;
    routed routed_large routed_late_joiner routed_dispose routed_unregister
    routed_filter routed_map routed_map_to_keys);
row!(routed_dunlin_to_cyclone: Dunlin, Cyclone;
    routed routed_large routed_late_joiner routed_dispose routed_unregister
    routed_filter routed_map routed_map_to_keys);
row!(routed_cyclone_to_dunlin: Cyclone, Dunlin;
    routed routed_large routed_late_joiner routed_dispose routed_unregister
    routed_filter routed_map routed_map_to_keys);
row!(routed_dunlin_to_fastdds: Dunlin, FastDds;
    routed routed_large routed_late_joiner routed_dispose routed_unregister
    routed_filter routed_map routed_map_to_keys);
row!(routed_fastdds_to_dunlin: FastDds, Dunlin;
    routed routed_large routed_late_joiner routed_dispose routed_unregister
    routed_filter routed_map routed_map_to_keys);
row!(routed_cyclone_to_cyclone: Cyclone, Cyclone; routed routed_dispose
    routed_filter routed_map routed_map_to_keys);
row!(routed_fastdds_to_fastdds: FastDds, FastDds; routed routed_dispose
    routed_filter routed_map routed_map_to_keys);
row!(routed_cyclone_to_fastdds: Cyclone, FastDds; routed routed_instances
    routed_filter routed_map routed_map_to_keys routed_to_xcdr1);
row!(routed_fastdds_to_cyclone: FastDds, Cyclone; routed routed_instances routed_late_joiner
    routed_filter routed_map routed_map_to_keys routed_to_xcdr2);

// Without Dunlin: is it the harness?
row!(cyclone_to_cyclone: Cyclone, Cyclone; mutable_xcdr2 dispose unregister goodbye captured tcp);
row!(cyclone_to_fastdds: Cyclone, FastDds; best_effort incompatible_durability);
row!(fastdds_to_cyclone: FastDds, Cyclone; reliable late_joiner);
