//! Samples that wait for each other while a writer is ahead of the network: none waits for longer
//! than LATENCY_BUDGET allows, nor while its thread does something else than to write.
use crate::domain::{Domain, SECOND, US, numbers, of_instance, reliable};
use crate::link::Link;
use crate::sample::Keyed;
use dunlin::{DataReader, DataWriter, Duration, EntityId, Select, WaitSet};
use dunlin_wire::{Message, Submessage};

/// A look at what waits comes this much later at most (`send/coalescing.rs`).
const LOOK: i64 = 40 * US;

fn pair(domain: &Domain, budget: i64) -> (DataWriter<Keyed>, DataReader<Keyed>, Link) {
    let (here, there) = (domain.join(false), domain.join(false));
    let (mut writes, mut reads) = reliable();
    writes.latency_budget = Duration::from_nanos(budget);
    reads.latency_budget = writes.latency_budget;
    let writer = here.writer_with::<Keyed>("Square", writes).unwrap();
    let reader = there.reader_with::<Keyed>("Square", reads).unwrap();
    domain.run_for(5 * SECOND);
    let link = domain.link(&here);
    (writer, reader, link)
}

/// The numbers of a writer's samples in a datagram.
fn samples(datagram: &[u8], writer: EntityId) -> Vec<i64> {
    let message = Message::parse(datagram).unwrap();
    let numbers = message
        .submessages
        .filter_map(|submessage| match submessage.unwrap() {
            Submessage::Data(data) if data.writer == writer => Some(data.sequence.0),
            _ => None,
        });
    numbers.collect()
}

/// Writes so many samples, a tenth of a microsecond apart; says when each was written.
fn burst(domain: &Domain, writer: &DataWriter<Keyed>, count: u32) -> Vec<i64> {
    let write = |number| {
        domain.compute(100);
        writer.write(&of_instance(0, number)).unwrap();
        let written = domain.now();
        // The timer has a processor of its own.
        domain.step_timers();
        written
    };
    (1..=count).map(write).collect()
}

#[test]
fn no_sample_waits_for_longer_than_its_time_and_most_share_a_datagram() {
    for (budget, hold) in [(0, 20 * US), (50 * US, 50 * US), (SECOND, 1_000 * US)] {
        let domain = Domain::new(0);
        let (writer, reader, link) = pair(&domain, budget);
        link.record();
        let count = 5_000;
        let written = burst(&domain, &writer, count);
        domain.run_for(SECOND);
        let mut sent = vec![None; written.len()];
        let mut datagrams = 0;
        for (at, datagram) in link.record() {
            let samples = samples(&datagram, writer.guid().entity);
            datagrams += usize::from(!samples.is_empty());
            for number in samples {
                let index = usize::try_from(number - 1).unwrap();
                sent[index].get_or_insert(at);
            }
        }
        for (n, (written, sent)) in written.iter().zip(sent).enumerate() {
            let waited = sent.expect("it is sent") - written;
            assert!(waited <= hold + LOOK, "{n} waited for {waited} ns");
        }
        // Until the writer is known to be ahead each has one of its own.
        assert!(datagrams < 600, "{datagrams}");
        assert!(numbers(&reader).into_iter().eq(1..=count));
    }
}

/// What a thread does that does not write.
type Act = fn(&Domain, &DataWriter<Keyed>);

#[test]
fn who_does_something_else_than_to_write_leaves_nothing_behind() {
    let something: [(&str, Act); 3] = [
        ("wait for data", |domain, writer| {
            let wait_set = WaitSet::new();
            let reader = domain.of(writer.guid()).reader::<Keyed>("Circle").unwrap();
            wait_set.attach(reader.read_condition(Select::default()));
            let now = domain.now();
            let _ = wait_set.wait(Duration::ZERO);
            assert_eq!(domain.now(), now);
        }),
        ("wait for acknowledgments", |_, writer| {
            let _ = writer.wait_for_acknowledgments(Duration::ZERO);
        }),
        ("poll", |domain, writer| {
            domain.of(writer.guid()).poll_once();
        }),
    ];
    for (what, act) in something {
        let domain = Domain::new(0);
        let (writer, _reader, link) = pair(&domain, SECOND);
        link.record();
        let count = burst(&domain, &writer, 1_000).len();
        let sent = || {
            let record = link.record().into_iter();
            let numbers = record.flat_map(|(_, d)| samples(&d, writer.guid().entity));
            numbers.max()
        };
        let last = i64::try_from(count).unwrap();
        assert!(sent() < Some(last), "nothing is held back before: {what}");
        act(&domain, &writer);
        assert_eq!(sent(), Some(last), "{what}");
    }
}
