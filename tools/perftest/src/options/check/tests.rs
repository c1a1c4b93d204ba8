use super::*;
use crate::options::parse;

fn read(line: &str) -> (Options, Vec<String>) {
    let mut parsed = parse(
        &line
            .split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>(),
    );
    let options = options(&mut parsed);
    (options, parsed.errors)
}

fn valid(line: &str) -> Options {
    let (options, errors) = read(line);
    assert_eq!(errors, [""; 0], "{line}");
    options
}

fn error(line: &str) -> String {
    let (_, errors) = read(line);
    assert_eq!(errors.len(), 1, "{line}: {errors:?}");
    errors.into_iter().next().unwrap()
}

#[test]
fn a_filter_is_a_key_or_a_range_in_either_order() {
    let keys = |line: &str| match valid(line).role {
        Role::Subscriber(subscriber) => subscriber.keys.map(|keys| (keys.first, keys.last)),
        Role::Publisher(_) => panic!("a publisher"),
    };
    assert_eq!(keys("-sub"), None);
    assert_eq!(keys("-cft 7"), Some((7, 7)));
    assert_eq!(keys("-sub -cft 10:20"), Some((10, 20)));
    assert_eq!(keys("-sub -cft 20:10"), Some((10, 20)));
    assert_eq!(keys("-sub -cft 0:65534"), Some((0, 65_534)));
    for wrong in ["65535", "-1", "1:", ":", "1:2:3", "a:b", "1-2"] {
        assert!(
            error(&format!("-sub -cft {wrong}")).contains("-cft"),
            "{wrong}"
        );
    }
    assert!(error("-pub -cft 7").contains("no option of a publisher"));
    assert!(error("-sub -rawTransport -cft 7").contains("needs DDS"));
}

fn publisher_of(options: Options) -> PublisherOptions {
    match options.role {
        Role::Publisher(publisher) => publisher,
        Role::Subscriber(_) => panic!("a subscriber"),
    }
}

#[test]
fn a_latency_test_pings_with_every_sample_and_does_not_batch() {
    let options = valid("-pub -latencyTest");
    assert_eq!(options.batch_bytes, 0);
    let publisher = publisher_of(options);
    assert_eq!(
        (publisher.latency_count, publisher.iterations),
        (1, 10_000_000)
    );
    assert!(error("-pub -latencyTest -batchSize 100").contains("-batchSize"));
    assert!(error("-pub -latencyTest -pidMultiPubTest 1").contains("publisher 0"));
}

#[test]
fn batching_needs_room_for_two_samples() {
    assert_eq!(valid("-pub -dataLen 4096").batch_bytes, 8_192);
    assert_eq!(valid("-pub -dataLen 4097").batch_bytes, 0);
    assert_eq!(valid("-pub -dataLen 32 -batchSize 0").batch_bytes, 0);
    assert_eq!(valid("-pub -dataLen 64970").batch_bytes, 0);
    assert!(error("-pub -dataLen 64970 -batchSize 400000").contains("64969"));
}

#[test]
fn the_type_switches_above_65470_bytes() {
    assert_eq!(valid("-dataLen 65470").type_name(), "TestData_t");
    assert_eq!(valid("-dataLen 65471").type_name(), "TestDataLarge_t");
    assert_eq!(
        valid("-unbounded -keyed").type_name(),
        "TestDataKeyedLarge_t"
    );
}

#[test]
fn each_side_refuses_the_options_of_the_other() {
    assert!(error("-sub -latencyTest").contains("-latencyTest is no option of a subscriber"));
    assert!(error("-executionTime 5").contains("-executionTime"));
    assert!(error("-pub -numPublishers 2").contains("publisher (-pub)"));
    assert!(error("-pub -sub").contains("exclude"));
}

#[test]
fn rates_come_with_and_without_a_method() {
    let pace = |line| publisher_of(valid(line)).pace;
    let rate = |per_second, spin| Pace::Rate { per_second, spin };
    assert_eq!(pace("-pub -pubRate 1000"), rate(1_000.0, true));
    assert_eq!(pace("-pub -pubRate 1000:sleep"), rate(1_000.0, false));
    assert_eq!(
        pace("-pub -dataLen 100 -pubRatebps 8000:spin"),
        rate(10.0, true)
    );
    assert_eq!(
        pace("-pub -sleep 3"),
        Pace::Pause {
            sleep_ms: 3,
            spins: 0
        }
    );
    assert!(error("-pub -pubRate 0").contains("from 1 to 10000000"));
    assert!(error("-pub -pubRate 5:walk").contains("spin"));
}

#[test]
fn an_open_loop_has_its_own_schedule() {
    let options = valid("-pub -openLoop 2500.5 -dataLen 32");
    assert_eq!(options.batch_bytes, 0);
    let publisher = publisher_of(options);
    assert_eq!(
        (publisher.open_loop, publisher.latency_count),
        (Some(2_500.5), 1)
    );
    assert!(error("-pub -openLoop 0").contains("from 0.1 to 10000000"));
    assert!(error("-pub -openLoop fast").contains("fast is no rate"));
    assert!(error("-pub -openLoop 10 -latencyTest").contains("excludes -latencyTest"));
    assert!(error("-pub -openLoop 10 -pubRate 10").contains("excludes -pubRate"));
    assert!(error("-pub -openLoop 10 -batchSize 8192").contains("excludes -openLoop"));
    assert!(error("-pub -openLoop 10 -pid 1").contains("publisher 0"));
    assert!(error("-openLoop 10").contains("subscriber"));
}

#[test]
fn a_scan_names_its_sizes() {
    assert_eq!(publisher_of(valid("-pub -scan")).sizes.len(), 12);
    assert_eq!(publisher_of(valid("-pub -scan 32:64")).sizes, [32, 64]);
    assert!(error("-pub -scan 32:20").contains("list of sizes"));
    assert!(error("-pub -scan 32:100000").contains("-unbounded"));
    assert_eq!(valid("-pub -unbounded -scan 32:100000").data_len, 100_000);
}

#[test]
fn what_is_not_available_is_refused_by_name() {
    assert!(error("-transport udpv6").contains("UDPv6 is not available"));
    assert!(error("-secure x").contains("Security"));
    assert!(error("-durability 2").contains("persistence"));
}

#[test]
fn shared_memory_has_no_network() {
    let mut parsed = parse(
        &"-sub -transport SHMEM -nic lo -peer 10.0.0.1 -peer 5@shmem:// -multicast"
            .split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>(),
    );
    let transport = options(&mut parsed).transport;
    assert_eq!(parsed.errors, [""; 0]);
    assert_eq!(parsed.notes.len(), 3, "{:?}", parsed.notes);
    assert_eq!(transport.carrier, Carrier::Shmem);
    assert!(transport.nics.is_empty() && transport.peers.is_empty());
    assert_eq!(transport.multicast, None);
    let carrier = |line| valid(line).transport.carrier;
    assert_eq!(carrier("-sub"), Carrier::Both);
    assert_eq!(carrier("-sub -transport UDPv4"), Carrier::Udp);
    assert_eq!(carrier("-sub -enableSharedMemory"), Carrier::Shmem);
    assert_eq!(carrier("-sub -rawTransport"), Carrier::Udp);
}

#[test]
fn zero_copy_is_flat_and_needs_shared_memory() {
    let options = valid("-sub -zeroCopy -checkConsistency");
    assert!(options.zero_copy && options.flat && options.check_consistency);
    assert!(!valid("-sub -flatData -transport UDPv4").zero_copy);
    assert!(valid("-sub -zeroCopy -rawTransport -transport SHMEM").zero_copy);
    assert!(error("-sub -zeroCopy -transport UDPv4").contains("shared memory"));
    assert!(error("-sub -zeroCopy -rawTransport").contains("shared memory"));
    assert!(error("-sub -flatData -checkConsistency").contains("-zeroCopy only"));
    assert!(error("-pub -flatData -batchSize 8192").contains("-flatData"));
    assert_eq!(valid("-pub -flatData -dataLen 32").batch_bytes, 0);
}

#[test]
fn messages_in_shared_memory_are_as_long_as_the_sample() {
    let batch = "-pub -dataLen 64970 -batchSize 400000";
    assert_eq!(
        valid(&format!("{batch} -transport SHMEM")).batch_bytes,
        400_000
    );
    assert!(error(batch).contains("64969"));
    assert_eq!(
        valid(&format!("{batch} -transport TCP")).batch_bytes,
        400_000
    );
}

#[test]
fn multicast_addresses_are_one_or_three() {
    let groups = |line| {
        valid(line)
            .transport
            .multicast
            .map(|g| g.map(|a| a.octets()[3]))
    };
    assert_eq!(groups("-sub"), None);
    assert_eq!(groups("-sub -multicast"), Some([1, 2, 100]));
    assert_eq!(groups("-sub -multicastAddr 239.255.1.7"), Some([7, 8, 9]));
    assert_eq!(
        groups("-sub -multicastAddr 239.255.1.7,239.255.1.5,239.255.1.6"),
        Some([7, 5, 6])
    );
    assert!(error("-sub -multicastAddr 10.0.0.1").contains("multicast addresses"));
}

#[test]
fn announcements_stay_reliable_in_a_best_effort_run() {
    use crate::messaging::Topic;
    let options = valid("-sub -best");
    assert!(!options.reader_qos(Topic::Throughput).reliable);
    assert!(options.writer_qos(Topic::Announcement).reliable);
    assert_eq!(options.reader_qos(Topic::Throughput).depth, None);
}
