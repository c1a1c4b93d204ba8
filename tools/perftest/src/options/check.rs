//! What the options mean together: sides, conflicts, defaults that depend on each other.

use std::net::Ipv4Addr;

use super::parse::Parsed;
use super::table::{MAX_DATA_LEN, Side};
use super::{
    BOUNDED_PAYLOAD, Carrier, Format, Options, OutputOptions, Pace, PublisherOptions, ReadThread,
    Role, SubscriberOptions, TransportOptions, UNFRAGMENTED, peer, stream, xml,
};
use crate::clock::{MILLISECOND, SECOND};
use crate::messaging::{Durability, KeyRange, OVERHEAD};

const SCAN: &str = "32:64:128:256:512:1024:2048:4096:8192:16384:32768:64900";
const MAX_PEERS: usize = 1_023;
/// The one above is that of control samples.
const MAX_KEY: u16 = 65_534;

/// Turns parsed arguments into options; mistakes are added to `parsed.errors`.
pub(crate) fn options(parsed: &mut Parsed) -> Options {
    check_sides(parsed);
    side(parsed)
}

/// The same, whichever side may give what was given.
pub(super) fn side(parsed: &mut Parsed) -> Options {
    check_durability(parsed);
    let latency_test = parsed.has("latencyTest");
    let sizes = sizes(parsed);
    let data_len = sizes.iter().copied().max().unwrap_or(OVERHEAD);
    let instances = parsed.number("instances").unwrap_or(1) as u32;
    let transport = transport(parsed, data_len);
    check_copies(parsed, &transport);
    let (batch_bytes, batch_note) = batching(parsed, data_len, latency_test, transport.carrier);
    let role = if parsed.has("pub") {
        Role::Publisher(publisher(parsed, sizes, instances))
    } else {
        Role::Subscriber(SubscriberOptions {
            id: parsed.number("sidMultiSubTest").unwrap_or(0) as u32,
            publishers: parsed.number("numPublishers").unwrap_or(1) as u32,
            keys: keys(parsed),
        })
    };
    Options {
        role,
        domain: parsed.number("domain").unwrap_or(1) as u32,
        data_len,
        // Plain sockets repair nothing, so nothing may wait for that.
        reliable: !parsed.has("bestEffort") && !transport.raw,
        keyed: parsed.has("keyed"),
        unbounded: parsed.has("unbounded"),
        instances,
        durability: match parsed.number("durability") {
            Some(1) => Durability::TransientLocal,
            _ => Durability::Volatile,
        },
        send_queue: parsed.number("sendQueueSize").unwrap_or(50) as u32,
        receive_queue: parsed.number("receiveQueueSize").unwrap_or(10_000) as u32,
        batch_bytes,
        batch_note,
        asynchronous: parsed.has("asynchronous"),
        flat: parsed.has("flatData") || parsed.has("zeroCopy"),
        zero_copy: parsed.has("zeroCopy"),
        check_consistency: parsed.has("checkConsistency"),
        read_thread: read_thread(parsed),
        verbosity: parsed.number("verbosity").unwrap_or(1),
        discovery_timeout: discovery_timeout(parsed),
        pin: parsed.number("pin").map(|cpu| cpu as usize),
        output: output(parsed),
        transport,
        xml: xml::qos(parsed),
    }
}

/// The keys of `-cft`: one, or a range in either order.
fn keys(parsed: &mut Parsed) -> Option<KeyRange> {
    let text = parsed.text("cft")?.to_string();
    if parsed.has("rawTransport") {
        parsed.error("-cft needs DDS: plain sockets have no content filters".into());
    }
    let (one, other) = text.split_once(':').unwrap_or((&text, &text));
    let key = |text: &str| text.parse().ok().filter(|key: &u16| *key <= MAX_KEY);
    let (Some(one), Some(other)) = (key(one), key(other)) else {
        parsed.error(format!(
            "-cft {text} is no key and no range of keys from 0 to {MAX_KEY}, for instance 7 or 10:20"
        ));
        return None;
    };
    Some(KeyRange {
        first: one.min(other),
        last: one.max(other),
    })
}

fn check_sides(parsed: &mut Parsed) {
    let publisher = parsed.has("pub");
    if publisher && parsed.has("sub") {
        parsed.error("-pub and -sub exclude each other".into());
        return;
    }
    let (wrong, here) = if publisher {
        (Side::Sub, "a publisher (-pub)")
    } else {
        (Side::Pub, "a subscriber (-sub, the default)")
    };
    let misplaced: Vec<_> = parsed
        .specs()
        .filter(|spec| spec.side == wrong || spec.side == Side::Relay)
        .collect();
    for spec in misplaced {
        let hint = match spec.side {
            Side::Relay => "; it is for -relay",
            _ => "",
        };
        parsed.error(format!("-{} is no option of {here}{hint}", spec.name));
    }
}

fn check_durability(parsed: &mut Parsed) {
    if parsed.number("durability").is_some_and(|kind| kind > 1) {
        parsed.error(
            "-durability 2 and 3 need a persistence service, which is not available; 0 and 1 are"
                .into(),
        );
    }
}

/// The sizes to run: `-scan`, or the one of `-dataLen`.
fn sizes(parsed: &mut Parsed) -> Vec<usize> {
    let single = parsed.number("dataLen").unwrap_or(100) as usize;
    let Some(list) = parsed.text("scan") else {
        return vec![single];
    };
    let list = if list.is_empty() { SCAN } else { list }.to_string();
    let allowed = OVERHEAD as u64..=MAX_DATA_LEN;
    let sizes: Option<Vec<usize>> = list
        .split(':')
        .map(|size| size.parse().ok().filter(|size| allowed.contains(size)))
        .map(|size| size.map(|size: u64| size as usize))
        .collect();
    let Some(sizes) = sizes else {
        parsed.error(format!(
            "-scan {list} is no list of sizes from {OVERHEAD} to {MAX_DATA_LEN}, for instance 32:64:128"
        ));
        return vec![single];
    };
    let types: Vec<bool> = sizes.iter().map(|size| *size > BOUNDED_PAYLOAD).collect();
    if types.contains(&true) && types.contains(&false) && !parsed.has("unbounded") {
        parsed.error(format!(
            "-scan {list} mixes sizes up to and above {BOUNDED_PAYLOAD} bytes, which have different types; add -unbounded on both sides"
        ));
    }
    sizes
}

/// Zero copy needs memory that both sides see.
fn check_copies(parsed: &mut Parsed, transport: &TransportOptions) {
    let zero_copy = parsed.has("zeroCopy");
    let shared = match transport.carrier {
        Carrier::Shmem => true,
        Carrier::Both => !transport.raw,
        Carrier::Udp | Carrier::Tcp | Carrier::Tls => false,
    };
    if zero_copy && !shared {
        parsed.error(
            "-zeroCopy needs shared memory: add -transport SHMEM, or leave -transport out".into(),
        );
    }
    if parsed.has("checkConsistency") && !zero_copy {
        parsed.error("-checkConsistency is for -zeroCopy only".into());
    }
    if transport.raw && !zero_copy && parsed.has("flatData") {
        parsed
            .notes
            .push("-flatData has no effect with -rawTransport".into());
    }
}

fn batching(
    parsed: &mut Parsed,
    data_len: usize,
    latency_test: bool,
    carrier: Carrier,
) -> (u32, &'static str) {
    let asked = parsed.number("batchSize");
    let explicit = asked.is_some_and(|bytes| bytes > 0);
    if !parsed.has("pub") {
        return (0, "");
    }
    if latency_test {
        if explicit {
            parsed.error("-batchSize excludes -latencyTest".into());
        }
        return (0, "off in a latency test");
    }
    if parsed.has("openLoop") {
        if explicit {
            parsed
                .error("-batchSize excludes -openLoop: each ping goes out at its own time".into());
        }
        return (0, "off: each ping goes out at its own time");
    }
    if asked == Some(0) {
        return (0, "");
    }
    if parsed.has("rawTransport") {
        return (0, "off: without DDS each sample is sent at once");
    }
    let flat = parsed.has("flatData") || parsed.has("zeroCopy");
    if flat {
        if explicit {
            parsed.error("-batchSize excludes -flatData and -zeroCopy: they send each sample where it was built".into());
        }
        return (0, "off: each sample is sent where it was built");
    }
    if data_len > UNFRAGMENTED && !carrier.takes_any_length() {
        if explicit {
            parsed.error(format!(
                "-batchSize needs samples of at most {UNFRAGMENTED} bytes; larger ones are sent in fragments"
            ));
        }
        return (0, "off because the samples are sent in fragments");
    }
    let bytes = asked.unwrap_or(8_192);
    if bytes < 2 * data_len as u64 {
        return (0, "off because a batch would hold less than two samples");
    }
    (bytes as u32, "")
}

pub(super) fn publisher(
    parsed: &mut Parsed,
    sizes: Vec<usize>,
    instances: u32,
) -> PublisherOptions {
    let latency_test = parsed.has("latencyTest");
    let id = parsed.number("pidMultiPubTest").unwrap_or(0) as u32;
    if latency_test && id != 0 {
        parsed.error("-latencyTest is for publisher 0; only it pings".into());
    }
    let open_loop = open_loop(parsed);
    let every = latency_test || open_loop.is_some();
    let latency_count = parsed
        .number("latencyCount")
        .unwrap_or(if every { 1 } else { 10_000 });
    let iterations = parsed.number("numIter").unwrap_or(if latency_test {
        10_000_000
    } else {
        100_000_000
    });
    if parsed.has("numIter") && parsed.has("latencyCount") && iterations < latency_count {
        parsed.error(format!(
            "-numIter {iterations} is less than -latencyCount {latency_count}: there would be no ping"
        ));
    }
    let write_instance = parsed.number("writeInstance").map(|key| key as u32);
    if let Some(key) = write_instance.filter(|key| *key >= instances) {
        parsed.error(format!(
            "-writeInstance {key} is not below -instances {instances}"
        ));
    }
    let data_len = sizes.iter().copied().max().unwrap_or(OVERHEAD);
    PublisherOptions {
        id,
        subscribers: parsed.number("numSubscribers").unwrap_or(1) as u32,
        latency_test,
        iterations,
        latency_count: latency_count.min(iterations),
        execution_time: parsed
            .seconds("executionTime")
            .map(|seconds| (seconds * SECOND as f64) as u64),
        initial_burst: parsed.number("initialBurstSize"),
        pace: pace(parsed, data_len),
        open_loop,
        write_instance,
        sizes,
        latency_file: parsed.text("latencyFile").map(Into::into),
        histogram_file: parsed.text("histogramFile").map(Into::into),
        response_histogram_file: parsed.text("responseHistogramFile").map(Into::into),
    }
}

fn pace(parsed: &mut Parsed, data_len: usize) -> Pace {
    let sleep_ms = parsed.number("sleep").unwrap_or(0);
    let spins = parsed.number("spin").unwrap_or(0);
    let bits = 8.0 * data_len as f64;
    let rate = rate(parsed, "pubRate", 1.0, 1.0, 1e7)
        .or_else(|| rate(parsed, "pubRatebps", bits, 1.0, 1e15));
    match rate {
        Some(rate) => {
            if sleep_ms > 0 || spins > 0 {
                parsed
                    .notes
                    .push("-sleep and -spin are ignored: the rate decides".into());
            }
            rate
        }
        None if sleep_ms > 0 || spins > 0 => Pace::Pause { sleep_ms, spins },
        None => Pace::Unlimited,
    }
}

/// The rate of `-openLoop`, which has its own way with everything that says when to send.
fn open_loop(parsed: &mut Parsed) -> Option<f64> {
    if parsed.has("responseHistogramFile") && !parsed.has("openLoop") {
        parsed
            .error("-responseHistogramFile is for -openLoop: only a schedule has responses".into());
    }
    let text = parsed.text("openLoop")?.to_string();
    for other in [
        "latencyTest",
        "latencyCount",
        "pubRate",
        "pubRatebps",
        "sleep",
        "spin",
    ] {
        if parsed.has(other) {
            parsed.error(format!(
                "-openLoop excludes -{other}: every sample is a ping, sent when the schedule says so"
            ));
        }
    }
    if parsed.number("pidMultiPubTest").unwrap_or(0) != 0 {
        parsed.error("-openLoop is for publisher 0; only it pings".into());
    }
    let rate = text.parse().ok();
    let rate = rate.filter(|rate: &f64| (0.1..=1e7).contains(rate));
    if rate.is_none() {
        parsed.error(format!(
            "-openLoop {text} is no rate in samples per second from 0.1 to 10000000"
        ));
    }
    rate
}

/// `n`, `n:spin` or `n:sleep`.
fn rate(parsed: &mut Parsed, name: &str, unit: f64, min: f64, max: f64) -> Option<Pace> {
    let text = parsed.text(name)?.to_string();
    let (number, method) = text.split_once(':').unwrap_or((&text, "spin"));
    let number = number
        .parse::<u64>()
        .ok()
        .map(|number| number as f64)
        .filter(|number| (min..=max).contains(number));
    let spin = match method.to_ascii_lowercase().as_str() {
        "spin" => Some(true),
        "sleep" => Some(false),
        _ => None,
    };
    let (Some(number), Some(spin)) = (number, spin) else {
        parsed.error(format!(
            "-{name} {text} is not <n>, <n>:spin or <n>:sleep with n from {min} to {max}"
        ));
        return None;
    };
    Some(Pace::Rate {
        per_second: (number / unit).max(1.0),
        spin,
    })
}

fn read_thread(parsed: &mut Parsed) -> Option<ReadThread> {
    let asked = parsed.has("useReadThread");
    for name in ["waitsetDelayUsec", "waitsetEventCount"] {
        if !asked && parsed.has(name) {
            parsed
                .notes
                .push(format!("-{name} has no effect without -useReadThread"));
        }
    }
    asked.then(|| ReadThread {
        delay_us: parsed.number("waitsetDelayUsec").unwrap_or(0),
        events: parsed.number("waitsetEventCount").unwrap_or(1),
    })
}

fn discovery_timeout(parsed: &Parsed) -> u64 {
    match parsed.number("discoveryTimeout") {
        Some(0) => u64::MAX,
        Some(seconds) => seconds * SECOND,
        None => 60_000 * MILLISECOND,
    }
}

fn output(parsed: &Parsed) -> OutputOptions {
    OutputOptions {
        format: match parsed.text("outputFormat") {
            Some("json") => Format::Json,
            Some("legacy") => Format::Legacy,
            _ => Format::Csv,
        },
        intervals: !parsed.has("noPrintIntervals"),
        headers: !parsed.has("noOutputHeaders"),
        cpu: parsed.has("cpu"),
        nanoseconds: parsed.has("nsResolution"),
        file: parsed.text("outputFile").map(Into::into),
    }
}

fn transport(parsed: &mut Parsed, data_len: usize) -> TransportOptions {
    let carrier = carrier(parsed);
    let raw = parsed.has("rawTransport");
    let mut multicast = multicast(parsed);
    if raw && carrier == Carrier::Udp && multicast.is_some() {
        parsed.error("-rawTransport excludes -multicast".into());
    }
    if raw && data_len > crate::raw::MAX_DATA_LEN {
        parsed.error(format!(
            "-rawTransport sends samples of at most {} bytes",
            crate::raw::MAX_DATA_LEN
        ));
    }
    let mut nics: Vec<String> = parsed.all("allowInterfaces").map(Into::into).collect();
    if nics.is_empty() {
        nics = parsed.all("nic").map(Into::into).collect();
    }
    let peers = peers(parsed, carrier);
    if carrier.is_stream() && multicast.take().is_some() {
        let note = format!("-multicast is ignored: {} has no multicast", carrier.name());
        parsed.notes.push(note);
    }
    if carrier == Carrier::Shmem {
        // Participants of one host find each other by themselves.
        let without_effect = [
            ("nic", !nics.is_empty()),
            ("peer", parsed.has("peer")),
            ("multicast", multicast.is_some()),
        ];
        for (name, _) in without_effect.iter().filter(|(_, given)| *given) {
            parsed.notes.push(format!(
                "-{name} is ignored: -transport SHMEM uses no network"
            ));
        }
        (nics, multicast) = (Vec::new(), None);
    }
    TransportOptions {
        carrier,
        raw,
        raw_blocking: parsed.has("rawBlocking"),
        nics,
        peers,
        multicast,
        stream: stream::options(parsed, carrier, raw),
        message_size_max: parsed.number("messageSizeMax").map(|size| size as usize),
        send_buffer: parsed.number("sendBufferSize").map(|size| size as usize),
        receive_buffer: parsed.number("receiveBufferSize").map(|size| size as usize),
    }
}

fn carrier(parsed: &mut Parsed) -> Carrier {
    match parsed.text("transport").map(String::from).as_deref() {
        // Bare sockets are the floor of what other hosts can be reached by.
        None if parsed.has("rawTransport") => Carrier::Udp,
        None => Carrier::Both,
        Some("UDPv4") => Carrier::Udp,
        Some("SHMEM") => Carrier::Shmem,
        Some("TCP") => Carrier::Tcp,
        Some("TLS") => Carrier::Tls,
        Some(kind) => {
            parsed.error(format!(
                "-transport {kind} is not available; UDPv4, SHMEM, TCP and TLS are"
            ));
            Carrier::Both
        }
    }
}

fn peers(parsed: &mut Parsed, carrier: Carrier) -> Vec<peer::Peer> {
    if carrier == Carrier::Shmem {
        return Vec::new();
    }
    let raw = parsed.has("rawTransport");
    let (peers, errors): (Vec<_>, Vec<_>) = parsed
        .all("peer")
        .map(|text| peer::parse(text, carrier, raw))
        .partition(Result::is_ok);
    for error in errors.into_iter().filter_map(Result::err) {
        parsed.error(error);
    }
    if peers.len() > MAX_PEERS {
        parsed.error(format!("more than {MAX_PEERS} times -peer"));
    }
    peers.into_iter().filter_map(Result::ok).collect()
}

fn multicast(parsed: &mut Parsed) -> Option<[Ipv4Addr; 3]> {
    let default = [1, 2, 100].map(|last| Ipv4Addr::new(239, 255, 1, last));
    let Some(text) = parsed.text("multicastAddr").map(String::from) else {
        return parsed.has("multicast").then_some(default);
    };
    let addresses: Option<Vec<Ipv4Addr>> = text.split(',').map(|one| one.parse().ok()).collect();
    let groups = match addresses.as_deref() {
        Some([first]) => {
            let next = |n| Ipv4Addr::from(u32::from(*first).saturating_add(n));
            Some([*first, next(1), next(2)])
        }
        Some([a, b, c]) => Some([*a, *b, *c]),
        _ => None,
    };
    let groups = groups.filter(|groups| groups.iter().all(Ipv4Addr::is_multicast));
    if groups.is_none() {
        parsed.error(format!(
            "-multicastAddr {text} is neither one nor three IPv4 multicast addresses (224.0.0.0 to 239.255.255.255)"
        ));
    }
    groups
}

#[cfg(test)]
mod tests;
