//! What a run is about to do, for stderr.

use std::fmt::Write;

use super::{
    Carrier, Options, Pace, PublisherOptions, RelayOptions, Role, SubscriberOptions, UNFRAGMENTED,
};
use crate::clock::SECOND;

/// The configuration in a few lines.
pub(crate) fn summary(options: &Options) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<12} {value}");
    };
    line("mode", mode(options));
    line("data", data(options));
    if let Role::Publisher(publisher) = &options.role {
        line("batching", batching(options));
        line("rate", rate(publisher));
        line("length", length(publisher));
        line("warm-up", warm_up(options, publisher));
    }
    if let Role::Subscriber(SubscriberOptions {
        keys: Some(keys), ..
    }) = &options.role
    {
        let (first, last) = (keys.first, keys.last);
        line(
            "filter",
            format!("keys {first} to {last}; losses are not counted"),
        );
    }
    line("receiving", receiving(options));
    line("domain", options.domain.to_string());
    line("transport", transport(options));
    if !options.transport.raw {
        line("qos", qos(options));
    }
    text
}

/// The same of what is between the sides.
pub(crate) fn relay_summary(options: &RelayOptions) -> String {
    let length = match options.execution_time {
        Some(time) => format!(
            "{} s, at most until both sides end",
            time as f64 / SECOND as f64
        ),
        None => "until both sides end".into(),
    };
    let lines = [
        ("mode", "relay between a publisher and a subscriber".into()),
        ("length", length),
        ("receiving", receiving(&options.input)),
        (
            "publisher",
            format!(
                "domain {}, {}",
                options.input.domain,
                transport(&options.input)
            ),
        ),
        (
            "subscriber",
            format!(
                "domain {}, {}",
                options.output.domain,
                transport(&options.output)
            ),
        ),
    ];
    let line = |(name, value): (&str, String)| format!("  {name:<12} {value}\n");
    lines.into_iter().map(line).collect()
}

fn mode(options: &Options) -> String {
    let reliability = if options.reliable {
        "reliable"
    } else {
        "best effort"
    };
    match &options.role {
        Role::Publisher(publisher) if publisher.latency_test => format!(
            "publisher {}, latency test, {reliability}, for {} subscriber(s)",
            publisher.id, publisher.subscribers
        ),
        Role::Publisher(publisher) if publisher.open_loop.is_some() => format!(
            "publisher {}, latency under load, {reliability}, for {} subscriber(s)",
            publisher.id, publisher.subscribers
        ),
        Role::Publisher(publisher) => format!(
            "publisher {}, throughput test, {reliability}, one ping every {} samples or batches, for {} subscriber(s)",
            publisher.id, publisher.latency_count, publisher.subscribers
        ),
        Role::Subscriber(subscriber) => format!(
            "subscriber {}, {reliability}, for {} publisher(s)",
            subscriber.id, subscriber.publishers
        ),
    }
}

fn data(options: &Options) -> String {
    let sizes = match &options.role {
        Role::Publisher(publisher) => publisher.sizes.as_slice(),
        Role::Subscriber(_) => &[],
    };
    let sizes = match sizes {
        [] => format!("{} bytes", options.data_len),
        sizes => {
            let list: Vec<_> = sizes.iter().map(usize::to_string).collect();
            format!("{} bytes", list.join(", "))
        }
    };
    let fragments = match options.transport.carrier {
        _ if options.transport.raw || options.data_len <= UNFRAGMENTED => "",
        Carrier::Udp => ", sent in fragments",
        Carrier::Both => ", by UDPv4 sent in fragments",
        Carrier::Shmem | Carrier::Tcp | Carrier::Tls => "",
    };
    let built = match (options.zero_copy, options.check_consistency) {
        (true, true) => ", zero copy, looked at again after reading",
        (true, false) => ", zero copy",
        _ if options.flat => ", built where they are sent from",
        _ => "",
    };
    format!(
        "{sizes}, type {}, {} instance(s){fragments}{built}",
        options.type_name(),
        options.instances
    )
}

fn batching(options: &Options) -> String {
    match (options.batch_bytes, options.batch_note) {
        (0, "") => "off".into(),
        (0, note) => note.into(),
        (bytes, _) => format!("{bytes} bytes, {} samples", options.samples_per_batch()),
    }
}

fn rate(publisher: &PublisherOptions) -> String {
    match publisher.open_loop {
        Some(rate) => format!("{rate} pings/s on a schedule that waits for no answer"),
        None => pace(publisher.pace),
    }
}

fn pace(pace: Pace) -> String {
    match pace {
        Pace::Unlimited => "as fast as possible".into(),
        Pace::Rate { per_second, spin } => format!(
            "{per_second:.0} samples/s on an absolute schedule, {}",
            if spin { "spinning" } else { "sleeping" }
        ),
        Pace::Pause { sleep_ms, spins } => {
            format!("{sleep_ms} ms sleep and {spins} spins before each write")
        }
    }
}

fn length(publisher: &PublisherOptions) -> String {
    let samples = format!("{} samples", publisher.iterations);
    match publisher.execution_time {
        Some(time) => format!("{} s, at most {samples}", time as f64 / SECOND as f64),
        None => samples,
    }
}

fn warm_up(options: &Options, publisher: &PublisherOptions) -> String {
    format!(
        "{} echoed samples over all instances, then pings of full size; none of them is in the results",
        crate::protocol::burst(options, publisher)
    )
}

fn receiving(options: &Options) -> String {
    match (options.transport.raw, options.read_thread) {
        (true, _) if options.transport.raw_blocking => "asleep in the kernel".into(),
        (true, _) => "spinning".into(),
        (_, Some(thread)) => format!(
            "wait set in a waiting thread, delay {} us, {} event(s)",
            thread.delay_us, thread.events
        ),
        (_, None) => "listener".into(),
    }
}

fn qos(options: &Options) -> String {
    let built_in = || "built-in".to_string();
    options
        .xml
        .as_ref()
        .map_or_else(built_in, |xml| xml.to_string())
}

fn transport(options: &Options) -> String {
    let transport = &options.transport;
    let mut text = match (transport.carrier, transport.raw) {
        (Carrier::Shmem, true) => "bare shared memory without DDS",
        (Carrier::Tcp, true) => "TCP connections without DDS",
        (_, true) => "UDPv4 sockets without DDS",
        (carrier, false) => carrier.name(),
    }
    .to_string();
    if transport.carrier.is_stream() {
        let _ = write!(text, ", {}", transport.stream);
    }
    if !transport.nics.is_empty() {
        let _ = write!(text, ", only {}", transport.nics.join(", "));
    }
    for peer in &transport.peers {
        let _ = write!(text, ", peer {}", peer.descriptor);
    }
    if let Some([throughput, latency, announcement]) = transport.multicast {
        let _ = write!(text, ", multicast {throughput} {latency} {announcement}");
    }
    text
}
