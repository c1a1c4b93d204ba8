//! What takes minutes: `cargo test --test figures -- --ignored --nocapture --test-threads 1` in
//! this folder prints the figures of docs/sites.md.
mod common;

use bytes::Bytes;
use common::*;
use dunlin::observe::{DiscoveryEvent, EntityChange, ReaderData, WriterData};
use dunlin::*;
use dunlin_routing::adapter::{Adapter, AdapterReader, AdapterWriter, Connection, Context};
use dunlin_routing_zenoh::Zenoh;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread::{sleep, spawn};
use std::time::Instant;

type Span = std::time::Duration;

#[test]
#[ignore = "a process of other tests"]
fn site_process() {
    be_site();
}

/// What a test in its namespace says to the terminal.
struct Figures(PathBuf);

impl Figures {
    fn say(&self, line: &str) {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.0);
        writeln!(file.unwrap(), "{line}").unwrap();
    }
}

fn measured(test: &str, body: impl FnOnce(&Figures)) {
    let figures = Figures(std::env::temp_dir().join(format!("dunlin-figures-{test}")));
    let is_outside = std::env::var("DUNLIN_TEST_NAMESPACE").as_deref() != Ok(test);
    if is_outside {
        let _ = std::fs::remove_file(&figures.0);
    }
    in_namespace(test, LOOPBACK, || body(&figures));
    if is_outside {
        let said = std::fs::read_to_string(&figures.0).unwrap_or_default();
        print!("{test}\n{said}");
        let _ = std::fs::remove_file(&figures.0);
    }
}

/// Passes connections from one port of this host on to another one.
#[derive(Clone, Default)]
struct Link {
    /// Nothing passes, and nobody is told.
    is_cut: Arc<AtomicBool>,
    bytes_per_second: Option<usize>,
    /// So much time has passed, as a link with a rate has it.
    turns: Arc<AtomicU32>,
}

/// Of a link with a rate.
const TURN: Span = Span::from_millis(20);

impl Link {
    fn start(&self, port: u16, to: u16) {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let turns = Arc::clone(&self.turns);
        spawn(move || {
            loop {
                sleep(TURN);
                turns.fetch_add(1, SeqCst);
            }
        });
        let own = self.clone();
        spawn(move || {
            for inbound in listener.incoming() {
                let (Ok(inbound), Ok(outbound)) = (inbound, TcpStream::connect(("127.0.0.1", to)))
                else {
                    continue;
                };
                let back = (outbound.try_clone().unwrap(), inbound.try_clone().unwrap());
                for (from, into) in [(inbound, outbound), back] {
                    let own = own.clone();
                    spawn(move || own.pass(from, into));
                }
            }
        });
    }

    fn wait(&self, turn: u32) {
        while self.turns.load(SeqCst) < turn {
            sleep(TURN / 10);
        }
    }

    fn pass(&self, mut from: TcpStream, mut into: TcpStream) {
        let mut piece = vec![0; self.bytes_per_second.map_or(65_536, |rate| rate / 50)];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            while self.is_cut.load(SeqCst) {
                sleep(TURN);
            }
            if into.write_all(&piece[..length]).is_err() {
                return;
            }
            if self.bytes_per_second.is_some() {
                self.wait(self.turns.load(SeqCst) + 1);
            }
        }
    }
}

#[derive(Topic, Clone, Debug, PartialEq)]
struct Load {
    #[key]
    id: u32,
    number: u32,
    data: Bytes,
}

/// A link is away for 60 s under load: memory stays as it is, the mirror of the source goes, and
/// afterwards all that is kept is there.
#[test]
#[ignore = "takes two minutes"]
fn sixty_seconds_apart() {
    measured("sixty_seconds_apart", |figures| {
        const INSTANCES: u32 = 1000;
        let listen = configuration("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        let connect = configuration("b", 1, "{ connect = [\"tcp/127.0.0.1:7448\"] }");
        let link = Link::default();
        link.start(7448, 7447);
        let (a, b) = (site_apart(&listen), site_apart(&connect));
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = durable();
        let writer = near.writer_with::<Load>("T", offered).unwrap();
        let reader = far.reader_with::<Load>("T", asked).unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&ends);
        let writing = spawn(move || {
            let data = Bytes::from(vec![7; 256]);
            let mut number = 0;
            while !own.load(SeqCst) {
                let (id, data) = (number % INSTANCES, data.clone());
                writer.write(&Load { id, number, data }).unwrap();
                number += 1;
                sleep(Span::from_millis(1));
            }
            (writer, number)
        });
        let mut last = vec![None; INSTANCES as usize];
        let mut most = Vec::new();
        for (phase, seconds) in [("to begin", 30), ("before", 10), ("cut", 60), ("after", 30)] {
            link.is_cut.store(phase == "cut", SeqCst);
            let (begun, mut memory, mut mirrored) = (Instant::now(), [0, 0], true);
            while begun.elapsed().as_secs() < seconds {
                for sample in reader.take() {
                    if let Some(load) = sample.data() {
                        last[load.id as usize] = Some(load.number);
                    }
                }
                for (most, site) in memory.iter_mut().zip([&a, &b]) {
                    *most = site.resident().max(*most);
                }
                mirrored = reader.matched_count() > 0;
                sleep(Span::from_millis(100));
            }
            if phase == "cut" {
                assert!(
                    !mirrored,
                    "the mirror of a source that is not heard of stays"
                );
            }
            let [a, b] = memory;
            figures.say(&format!(
                "{phase} ({seconds} s): {a} KiB at the source, {b} KiB beyond"
            ));
            most.push(memory);
        }
        ends.store(true, SeqCst);
        let (_writer, count) = writing.join().unwrap();
        let begun = Instant::now();
        let is_right = |last: &[Option<u32>]| {
            (count - INSTANCES..count)
                .all(|number| last[(number % INSTANCES) as usize] == Some(number))
        };
        while !is_right(&last) {
            assert!(begun.elapsed().as_secs() < 60, "history is not complete");
            let _ = reader.wait_for_data(Duration::from_secs(1));
            for sample in reader.take() {
                if let Some(load) = sample.data() {
                    last[load.id as usize] = Some(load.number);
                }
            }
        }
        figures.say(&format!(
            "{count} written; {INSTANCES} instances are as at the source"
        ));
        let [_, before, cut, after] = most[..] else {
            panic!("{most:?}");
        };
        for ((before, cut), after) in before.into_iter().zip(cut).zip(after) {
            let bound = before + before / 4;
            assert!(cut <= bound && after <= bound, "{before} {cut} {after} KiB");
        }
    });
}

#[derive(Topic, Clone, Debug, PartialEq)]
struct Blob {
    number: u32,
    data: Bytes,
}

/// A site at 1 Mb/s reads the same topic as one at 20 Mb/s, or does not: how many turns of the fast
/// link go by until the fast one has all of a source of 3 Mb/s. The source writes by these turns,
/// too, so that a machine with much else to do makes both slower.
#[test]
#[ignore = "takes two minutes"]
fn a_slow_site_costs_a_fast_one_little() {
    measured("a_slow_site_costs_a_fast_one_little", |figures| {
        const ROUNDS: usize = 3;
        // What waits in a link is not megabytes.
        for buffers in ["tcp_rmem", "tcp_wmem"] {
            let file = format!("/proc/sys/net/ipv4/{buffers}");
            std::fs::write(file, "4096 65536 131072").unwrap();
        }
        let listen = configuration("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        let fast = configuration("b", 1, "{ connect = [\"tcp/127.0.0.1:7448\"] }");
        let slow = configuration("c", 2, "{ connect = [\"tcp/127.0.0.1:7449\"] }");
        let links = [(7448, 2_500_000), (7449, 125_000)].map(|(port, bytes_per_second)| {
            let link = Link {
                bytes_per_second: Some(bytes_per_second),
                ..Link::default()
            };
            link.start(port, 7447);
            link
        });
        let _sites = [&listen, &fast, &slow].map(|text| site_apart(text));
        let (near, far, slow) = (participant(0), participant(1), participant(2));
        let mut all = [Vec::new(), Vec::new()];
        for round in 0..2 * ROUNDS {
            let beside = (round % 2 == 1).then_some(&slow);
            let topic = format!("T{round}");
            all[round % 2].push(turns(&links[0], [&near, &far], beside, &topic));
            // The slow link has to become empty.
            sleep(Span::from_secs(5));
        }
        for turns in &mut all {
            turns.sort_unstable();
        }
        let [alone, beside] = &all;
        let ratio = f64::from(alone[ROUNDS / 2]) / f64::from(beside[ROUNDS / 2]);
        figures.say(&format!(
            "turns until the fast site has all: alone {alone:?}, beside a site at 1 Mb/s \
             {beside:?}, medians {ratio:.3}"
        ));
        assert!(ratio >= 0.95, "{ratio}");
    });
}

/// Turns of a link until all samples are at a site, while another one reads beside it.
fn turns(
    link: &Link,
    [near, far]: [&DomainParticipant; 2],
    beside: Option<&DomainParticipant>,
    topic: &str,
) -> u32 {
    const COUNT: u32 = 4000;
    const A_TURN: u32 = 8;
    let (offered, asked) = reliable();
    let writer = near.writer_with::<Blob>(topic, offered).unwrap();
    let reader = far.reader_with::<Blob>(topic, asked.clone()).unwrap();
    let beside = beside.map(|site| site.reader_with::<Blob>(topic, asked).unwrap());
    for reader in [&reader].into_iter().chain(&beside) {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    writer.wait_for_matched(1, SOON).unwrap();
    // Each site joins before it counts.
    sleep(Span::from_secs(1));
    let begun = link.turns.load(SeqCst);
    let own = link.clone();
    let writing = spawn(move || {
        let data = Bytes::from(vec![7; 1024]);
        for number in 0..COUNT {
            let data = data.clone();
            own.wait(begun + number / A_TURN);
            writer.write(&Blob { number, data }).unwrap();
        }
        writer
    });
    let mut count = 0;
    while count < COUNT as usize {
        reader.wait_for_data(SOON).unwrap();
        count += reader.take().len();
    }
    let turns = link.turns.load(SeqCst) - begun;
    if let Some(beside) = beside {
        let count = beside.take().len();
        assert!(count < COUNT as usize / 2, "the slow link is not slow");
    }
    drop(writing.join().unwrap());
    turns
}

/// A site of many in this process.
struct Crowd {
    connection: Box<dyn Connection>,
    readers: Vec<Arc<dyn AdapterReader>>,
    _writers: Vec<Arc<dyn AdapterWriter>>,
    known: usize,
    /// So many writers the readers of it have to hear.
    heard: usize,
}

impl Crowd {
    /// One of so many. Half of its topics it offers, half of them it wants; all are reliable.
    fn start(number: u32, count: u32, topics: u32) -> Self {
        let properties = [("connect", "tcp/127.0.0.1:7447"), ("mode", "client")];
        let properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let context = Context {
            service: format!("site{number}"),
            connection: "sites".to_owned(),
            router: number + 1,
            wake: GuardCondition::new(),
        };
        let connection = Zenoh.connect(&properties.into(), context).unwrap();
        let (mut readers, mut writers, mut heard) = (Vec::new(), Vec::new(), 0);
        for topic in 0..topics {
            let name = format!("rt/topic{topic}");
            if (number + topic).is_multiple_of(2) {
                let data = WriterData::new(Guid::UNKNOWN, name, "Pose");
                let made = connection.create_writer(data, true, Arc::new(|| {}));
                writers.push(made.unwrap());
            } else {
                let mut data = ReaderData::new(Guid::UNKNOWN, name, "Pose");
                data.qos.reliability = Reliability::RELIABLE;
                let offers = |other: &u32| (other + topic).is_multiple_of(2);
                heard += (0..count).filter(offers).count();
                let events: [dunlin_routing::adapter::Notify; 2] =
                    [Arc::new(|| {}), Arc::new(|| {})];
                let made = connection.create_reader(data, true, Box::new(|_| true), events);
                readers.push(made.unwrap());
            }
        }
        Self {
            connection,
            readers,
            _writers: writers,
            known: 0,
            heard,
        }
    }

    /// Its readers hear all writers.
    fn hears(&self) -> bool {
        let heard = self.readers.iter().map(|reader| reader.matched().len());
        heard.sum::<usize>() == self.heard
    }

    /// So many endpoints of others are known.
    fn known(&mut self) -> usize {
        for event in self.connection.take_events() {
            match event {
                DiscoveryEvent::Writer(EntityChange::Added(_))
                | DiscoveryEvent::Reader(EntityChange::Added(_)) => self.known += 1,
                DiscoveryEvent::Writer(EntityChange::Gone(_))
                | DiscoveryEvent::Reader(EntityChange::Gone(_)) => self.known -= 1,
                _ => {}
            }
        }
        self.known
    }
}

/// What so many sites in a process of their own cost: seconds until each knows all, seconds of a
/// processor, KiB, and seconds of a processor at the node.
fn costs(count: u32, topics: u32) -> [f64; 4] {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("costs");
    let node = start_node("node_process");
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sites_process", "--ignored", "--nocapture"])
        .env("DUNLIN_TEST_SITES", format!("{count},{topics}"))
        .env("DUNLIN_TEST_FIGURES", &file)
        .status();
    assert!(status.unwrap().success());
    let at_node = node.processor_time();
    let said = std::fs::read_to_string(&file).unwrap();
    let costs = said
        .split_whitespace()
        .map(|number| number.parse().unwrap());
    let costs: Vec<f64> = costs.chain([at_node]).collect();
    costs.try_into().unwrap()
}

/// Sites with 20 topics each are clients of one node, all in one process. DUNLIN_SITES says how
/// many there are, after each other.
#[test]
#[ignore = "takes minutes"]
fn many_sites_at_one_node() {
    const TOPICS: u32 = 20;
    measured("many_sites_at_one_node", |figures| {
        let all = std::env::var("DUNLIN_SITES").unwrap_or_else(|_| "100,200".to_owned());
        let mut before: Option<(u32, [f64; 2])> = None;
        for count in all.split(',').map(|count| count.parse::<u32>().unwrap()) {
            let [wall, processor, memory, node] = costs(count, TOPICS);
            let each = [processor, memory / 1024.0].map(|cost| cost / f64::from(count));
            figures.say(&format!(
                "{count} sites, {TOPICS} topics each: {wall:.1} s until each knows all; \
                 {:.3} s of a processor and {:.2} MiB a site; at the node {:.3} s a site",
                each[0],
                each[1],
                node / f64::from(count)
            ));
            if let Some((few, least)) = before {
                let [time, memory] = [each[0] / least[0], each[1] / least[1]];
                figures.say(&format!(
                    "from {few} to {count}: time {time:.2}, memory {memory:.2}"
                ));
            }
            before = Some((count, each));
        }
    });
}

#[test]
#[ignore = "a process of other tests"]
fn node_process() {
    be_node();
}

/// The same in small.
#[test]
fn some_sites_at_one_node() {
    measured("some_sites_at_one_node", |figures| {
        figures.say(&format!("12 sites: {:.1?}", costs(12, 5)));
    });
}

#[test]
#[ignore = "a process of another test"]
fn sites_process() {
    let Ok(asked) = std::env::var("DUNLIN_TEST_SITES") else {
        return;
    };
    let (count, topics) = asked.split_once(',').unwrap();
    let (count, topics): (u32, u32) = (count.parse().unwrap(), topics.parse().unwrap());
    let (memory, begun, processor) = (resident("self"), Instant::now(), processor_time("self"));
    let mut sites: Vec<Crowd> = (0..count).map(|n| Crowd::start(n, count, topics)).collect();
    let expected = ((count - 1) * topics) as usize;
    let mut said = Instant::now();
    loop {
        let known: Vec<usize> = sites.iter_mut().map(Crowd::known).collect();
        let knows_all = known.iter().all(|known| *known == expected);
        if knows_all && sites.iter().all(Crowd::hears) {
            break;
        }
        let total: usize = known.iter().sum();
        if said.elapsed().as_secs() >= 10 {
            eprintln!(
                "{:?}: {total} of {}",
                begun.elapsed(),
                expected * count as usize
            );
            said = Instant::now();
        }
        assert!(begun.elapsed().as_secs() < 1200, "{total}");
        sleep(Span::from_millis(50));
    }
    let costs = format!(
        "{} {} {}\n",
        begun.elapsed().as_secs_f64(),
        processor_time("self") - processor,
        resident("self") - memory
    );
    std::fs::write(std::env::var("DUNLIN_TEST_FIGURES").unwrap(), costs).unwrap();
    // To close each of them in turn takes long.
    std::process::exit(0);
}
