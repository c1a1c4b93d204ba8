//! A thousand endpoints: what discovery says, does and keeps grows with the matched pairs and no
//! faster. All is counted, nothing timed.
use crate::network::{Network, SECOND};
use dunlin_qos::Duration;
use dunlin_rtps::discovery::{DiscoveryConfig, Event};

/// Participants, over which the endpoints are spread.
const PARTICIPANTS: usize = 25;
/// Endpoints of a topic, a fifth of them writers: each size has as many pairs for each endpoint.
const WRITERS: usize = 2;
const READERS: usize = 8;

/// What it takes until everybody knows everything, beyond what the participants say without
/// endpoints.
#[derive(Debug)]
struct Cost {
    endpoints: usize,
    pairs: usize,
    datagrams: usize,
    bytes: usize,
    /// Submessages that were taken in.
    work: usize,
    /// Bytes that the participants hold in the end.
    held: u64,
}

/// A domain with so many endpoints from its first moment on.
fn domain(endpoints: usize) -> (Network, Vec<usize>) {
    let mut network = Network::of(PARTICIPANTS);
    network.run(5 * SECOND);
    let before = vec![network.datagrams, network.bytes, network.submessages];
    let mut place = 0;
    for topic in 0..endpoints / (WRITERS + READERS) {
        let name = format!("Topic{topic}");
        for _ in 0..WRITERS {
            network.writer(place % PARTICIPANTS, |w| w.topic.clone_from(&name));
            place += 1;
        }
        for _ in 0..READERS {
            network.reader(place % PARTICIPANTS, |r| r.topic.clone_from(&name));
            place += 1;
        }
    }
    network.run(2 * SECOND);
    (network, before)
}

fn cost(endpoints: usize) -> Cost {
    let mut made = None;
    let memory = allocation_counter::measure(|| {
        let (mut network, before) = domain(endpoints);
        let pairs = matched_pairs(&mut network);
        made = Some((network, before, pairs));
    });
    let (network, before, pairs) = made.unwrap();
    Cost {
        endpoints,
        pairs,
        datagrams: network.datagrams - before[0],
        bytes: network.bytes - before[1],
        work: network.submessages - before[2],
        held: u64::try_from(memory.bytes_current).unwrap(),
    }
}

/// Pairs as the writers' side was told; the readers' side was told of as many. The events are
/// forgotten.
fn matched_pairs(network: &mut Network) -> usize {
    let (mut readers, mut writers) = (0, 0);
    for node in &mut network.nodes {
        for event in node.news() {
            match event {
                Event::ReaderMatched { .. } => readers += 1,
                Event::WriterMatched { .. } => writers += 1,
                Event::ReaderUnmatched { .. } | Event::WriterUnmatched { .. } => {
                    panic!("somebody went")
                }
                _ => {}
            }
        }
    }
    assert_eq!(readers, writers);
    readers
}

#[test]
fn discovery_of_a_thousand_endpoints_grows_with_their_pairs() {
    let nothing = cost(0);
    let costs = [250, 500, 1000].map(cost);
    for cost in &costs {
        let topics = cost.endpoints / (WRITERS + READERS);
        assert_eq!(cost.pairs, topics * WRITERS * READERS);
        let Cost {
            endpoints,
            pairs,
            datagrams,
            bytes,
            work,
            held,
        } = cost;
        println!(
            "FIGURE discovery: {endpoints} endpoints in {PARTICIPANTS} participants, {pairs} pairs: {datagrams} datagrams, {} kB, {work} submessages taken in, {} kB held in all",
            bytes / 1000,
            held / 1000
        );
    }
    for two in costs.windows(2) {
        let [small, large] = two else { continue };
        // Twice the pairs: not more than twice the cost, with a tenth for what is rounded up;
        // tables grow in steps of two.
        let at_most = |less: usize, more: usize| more * 10 <= less * 21;
        let held = |cost: &Cost| usize::try_from(cost.held - nothing.held).unwrap();
        assert_eq!(large.pairs, 2 * small.pairs);
        assert!(
            at_most(small.datagrams, large.datagrams),
            "{small:?} {large:?}"
        );
        assert!(at_most(small.bytes, large.bytes), "{small:?} {large:?}");
        assert!(at_most(small.work, large.work), "{small:?} {large:?}");
        assert!(held(large) * 2 <= held(small) * 5, "{small:?} {large:?}");
    }
    let [.., thousand] = &costs;
    // Each participant knows each endpoint: about 1.3 kB, all of discovery's state included.
    let each = thousand.held / (PARTICIPANTS * thousand.endpoints) as u64;
    assert!(
        each < 4_000,
        "{each} bytes for each endpoint in each participant"
    );
}

/// What one participant of a large domain says and keeps. What others say to each other costs as
/// much for each two of them, so one is enough: it meets all others, one after the other.
///
/// `cargo test -p dunlin-rtps --test discovery -- --ignored --nocapture a_thousand_participants`
#[test]
#[ignore = "prints figures; takes some seconds"]
fn a_thousand_participants_with_a_hundred_thousand_endpoints() {
    let of = |name: &str, usual: usize| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let participants = of("CROWD_PARTICIPANTS", 1000);
    let endpoints = of("CROWD_ENDPOINTS", 100_000);
    let each = endpoints / participants;
    let topics = endpoints / (WRITERS + READERS);
    // The endpoints of a topic lie in participants that follow each other, and each participant has
    // writers and readers.
    let deal = |network: &mut Network, index: usize, place: usize| {
        let global = place * participants + (index + place) % participants;
        let (topic, role) = (global / (WRITERS + READERS), global % (WRITERS + READERS));
        let name = format!("Topic{topic}");
        match role < WRITERS {
            true => network.writer(index, |w| w.topic = name),
            false => network.reader(index, |r| r.topic = name),
        };
    };
    let settle = |c: &mut DiscoveryConfig| {
        c.lease_duration = Duration::INFINITE;
        c.announce_period = Duration::from_secs(100_000);
        c.limits.endpoints = 2 * endpoints.max(1000);
        c.limits.unmatched_lease = Duration::INFINITE;
    };
    let mut network = Network::new();
    network.join(settle);
    (0..each).for_each(|place| deal(&mut network, 0, place));
    network.run(5 * SECOND);
    let before = (network.datagrams, network.bytes);
    let (mut matches, mut silent) = (0, 0);
    let mut spent = std::time::Duration::ZERO;
    let mut made = None;
    let memory = allocation_counter::measure(|| {
        for index in 1..participants {
            network.join(settle);
            (0..each).for_each(|place| deal(&mut network, index, place));
            let begin = std::time::Instant::now();
            network.run(SECOND / 4);
            spent += begin.elapsed();
            let known = network.nodes[0]
                .discovery
                .knows_all_of(crate::network::prefix(index));
            silent += usize::from(!known);
            for event in network.nodes[0].news() {
                let is_match = matches!(
                    event,
                    Event::ReaderMatched { .. } | Event::WriterMatched { .. }
                );
                matches += usize::from(is_match);
            }
            network.bury(index);
        }
        made = Some(network);
    });
    let network = made.unwrap();
    assert_eq!(silent, 0, "somebody was not heard");
    let known = network.nodes[0].discovery.endpoint_count();
    assert_eq!(known, each * participants);
    let (datagrams, bytes) = (network.datagrams - before.0, network.bytes - before.1);
    // Each of ours is told to whom it matches, and each of those to us.
    let guid = network.nodes[0].discovery.writers().next().unwrap().guid;
    let sample = dunlin_wire::WriterData::new(guid, "Topic12345", "Shape");
    let size = sample.encode().unwrap().len() + 24;
    let needed = 2 * matches * size;
    let links = participants - 1;
    println!(
        "FIGURE crowd: {participants} participants, {endpoints} endpoints, {topics} topics; of one participant: {matches} matches"
    );
    println!(
        "FIGURE crowd: wire {} kB in {datagrams} datagrams; each matched pair told once: {} kB; {:.0} times as much",
        bytes / 1000,
        needed / 1000,
        bytes as f64 / needed.max(1) as f64
    );
    // Standard SEDP tells each participant of each endpoint.
    let told = 2 * each * links * size;
    println!(
        "FIGURE crowd: each endpoint told once to each participant, as SEDP does: {} kB; {:.2} times as much",
        told / 1000,
        bytes as f64 / told as f64
    );
    println!(
        "FIGURE crowd: in the whole domain {} MB in {} datagrams",
        bytes * participants / 2 / 1_000_000,
        datagrams * participants / 2
    );
    println!(
        "FIGURE crowd: memory {} kB, {} bytes for each endpoint; processor time of both sides {:.1} ms for each newcomer",
        memory.bytes_current / 1000,
        memory.bytes_current / endpoints as i64,
        spent.as_secs_f64() * 1000.0 / links as f64
    );
}
