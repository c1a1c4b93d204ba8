//! A thousand endpoints: what discovery says, does and keeps grows with the matched pairs and no
//! faster. All is counted, nothing timed.
use crate::network::{Network, SECOND};
use dunlin_rtps::discovery::Event;

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
