//! Many participants on one host, all of which share memory with all others.
use dunlin_robustness_tests::{Idle, Patience, Place, Process, in_namespace, percentile};
use std::time::{Duration, Instant};

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
const COUNT: usize = 50;

/// Ticks of 10 ms that a process has computed (proc(5), `stat`).
fn ticks(process: &Process) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id()));
    let stat = stat.unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// KiB of memory that a process has; what several share counts in equal parts (proc(5),
/// `smaps_rollup`).
fn share(process: &Process) -> i64 {
    let all = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", process.id()));
    let all = all.unwrap_or_default();
    let line = all.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(-1)
}

/// Asks all at once, and waits for all answers.
fn ask_all(peers: &mut [Process], line: &str) -> Duration {
    let begin = Instant::now();
    peers.iter_mut().for_each(|peer| peer.tell(line));
    for peer in peers {
        let answer = peer.hear();
        assert!(!answer.text.starts_with("timeout"), "{line}: {answer:?}");
        assert!(!answer.text.starts_with("error"), "{line}: {answer:?}");
    }
    begin.elapsed()
}

#[test]
fn fifty_participants_share_memory_all_to_all() {
    let name = "fifty_participants_share_memory_all_to_all";
    in_namespace(name, || part(meet("shmem")));
}

/// Most of them have no memory in common before they write.
#[test]
fn fifty_participants_hear_each_other_by_whatever_way_there_is() {
    let name = "fifty_participants_hear_each_other_by_whatever_way_there_is";
    in_namespace(name, || drop(meet("udp,shmem")));
}

/// That many meet, and all hear all others.
fn meet(transports: &str) -> Vec<Process> {
    let begin = Instant::now();
    let mut peers: Vec<_> = (0..COUNT)
        .map(|number| {
            // A lease that never ends here: who is told of a death is not told by it.
            let role = format!("write=T read=T first={number} transports={transports} lease=3600");
            Place::HERE.start(PEER, &role)
        })
        .collect();
    let started = begin.elapsed();
    ask_all(&mut peers, &format!("partners {COUNT}"));
    let matched = begin.elapsed();
    let begin = Instant::now();
    ask_all(&mut peers, "write 1 1000");
    ask_all(&mut peers, &format!("received {COUNT}"));
    let told = begin.elapsed();
    let mut sizes = Vec::new();
    for peer in &mut peers {
        let report = peer.ask("report");
        // Memory may be refused by who is too busy to answer in time, and is offered again: there
        // is no other way here, and all samples came.
        for fault in ["damaged", "doubled", "malformed"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
        sizes.push(report.number("rss"));
    }
    let held = most_descriptors(&peers);
    let before: u64 = peers.iter().map(ticks).sum();
    let idle = Idle::begin();
    std::thread::sleep(Duration::from_secs(2));
    let computed = peers.iter().map(ticks).sum::<u64>() - before;
    println!(
        "FIGURE {COUNT} participants by {transports}: started in {started:.0?}, all matched after {matched:.0?}, a sample of each at all others after {told:.0?}; \
         RSS {} KiB each, {} descriptors each, all together {} % of a processor when there is nothing to do ({:.0} % idle)",
        percentile(&mut sizes, 0.5),
        held,
        computed / 2,
        idle.share() * 100.0
    );
    peers
}

fn most_descriptors(peers: &[Process]) -> usize {
    let held = peers.iter().map(|peer| peer.holdings().descriptors);
    held.max().unwrap_or(0)
}

/// Half of them are killed, which the others notice.
fn part(mut peers: Vec<Process>) {
    let held = most_descriptors(&peers);
    let mut killed = peers.split_off(COUNT / 2);
    killed.iter_mut().for_each(Process::kill);
    let seen = ask_all(&mut peers, &format!("partners {}", COUNT / 2));
    println!("FIGURE half of them killed: all others know after {seen:.0?}");
    let (mut patience, most) = (Patience::begin(), held * 6 / 10);
    loop {
        let held: Vec<_> = peers
            .iter()
            .map(|peer| peer.holdings().descriptors)
            .collect();
        if held.iter().all(|descriptors| *descriptors <= most) {
            return;
        }
        let lasts = patience.lasts(held);
        assert!(lasts, "the connections of the dead are still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Datagrams that sockets of this namespace have received, copies of those to groups included
/// (`/proc/net/snmp`, `Udp`, `InDatagrams`).
fn datagrams() -> u64 {
    let all = std::fs::read_to_string("/proc/net/snmp").unwrap_or_default();
    let mut lines = all.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let numbers = lines.nth(1).unwrap_or_default();
    let first = numbers.split_whitespace().next();
    first.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A number out of the environment.
fn asked(variable: &str, otherwise: usize) -> usize {
    let said = std::env::var(variable).ok();
    said.and_then(|said| said.parse().ok()).unwrap_or(otherwise)
}

/// Prints what it costs that many processes of one host, each with a writer and a reader of one
/// topic, meet: `CROWD_PROCESSES` (100) of them, by `CROWD_TRANSPORTS` (`udp,shmem`).
#[test]
#[ignore = "a measurement: takes minutes and gigabytes"]
fn processes_of_one_host_meet() {
    in_namespace("processes_of_one_host_meet", || {
        let count = asked("CROWD_PROCESSES", 100);
        let transports = std::env::var("CROWD_TRANSPORTS").unwrap_or("udp,shmem".into());
        let lease = asked("CROWD_LEASE", 3600);
        let role = format!("write=T read=T keep=1 lease={lease} transports={transports}");
        let before_all = datagrams();
        let begin = Instant::now();
        let mut peers: Vec<_> = (0..count)
            .map(|number| Place::HERE.start(PEER, &format!("{role} first={number}")))
            .collect();
        let started = begin.elapsed();
        ask_all(&mut peers, &format!("partners {count}"));
        let matched = begin.elapsed();
        let said = datagrams() - before_all;
        let computed: u64 = peers.iter().map(ticks).sum();
        let reports = peers
            .iter_mut()
            .map(|peer| peer.ask("report").number("rss"));
        let mut sizes: Vec<_> = reports.collect();
        let mut shares: Vec<_> = peers.iter().map(share).collect();
        // What is announced at the start has been announced.
        std::thread::sleep(Duration::from_secs(10));
        let before: u64 = peers.iter().map(ticks).sum();
        std::thread::sleep(Duration::from_secs(5));
        let idle = peers.iter().map(ticks).sum::<u64>() - before;
        println!(
            "FIGURE {count} processes by {transports}: started in {started:.1?}, all matched after {matched:.1?}, \
             {:.1} datagrams for each ordered pair, {:.0} ms of a processor each until then, RSS {} KiB each (largest {}), share of memory (PSS) {} KiB each, idle {:.2} % of a processor each",
            said as f64 / (count * (count - 1)) as f64,
            10.0 * computed as f64 / count as f64,
            percentile(&mut sizes, 0.5),
            percentile(&mut sizes, 1.0),
            percentile(&mut shares, 0.5),
            idle as f64 / 5.0 / count as f64
        );
    });
}
