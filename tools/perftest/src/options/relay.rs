//! `-relay`: the floor of a router, which takes the part of a subscriber for the publisher and that
//! of a publisher for the subscriber.

use super::check::{publisher, side};
use super::parse::Parsed;
use super::table::{MAX_DOMAIN, Support};
use super::{Carrier, Options, Role, peer};
use crate::clock::{Nanos, SECOND};

/// What a relay takes; what only one side of a test needs is an error.
const TAKEN: [&str; 22] = [
    "relay",
    "outputDomain",
    "outputPeer",
    "rawTransport",
    "rawBlocking",
    "noBlockingSockets",
    "domain",
    "peer",
    "nic",
    "allowInterfaces",
    "transport",
    "transportServerBindPort",
    "dataLen",
    "sendBufferSize",
    "receiveBufferSize",
    "executionTime",
    "discoveryTimeout",
    "pin",
    "verbosity",
    "outputFormat",
    "noOutputHeaders",
    "noPrintIntervals",
];

/// What a relay needs to know.
#[derive(Clone, Debug)]
pub(crate) struct RelayOptions {
    /// As the subscriber that the publisher sees.
    pub(crate) input: Options,
    /// As the publisher that the subscriber sees.
    pub(crate) output: Options,
    /// Nanoseconds from the moment when both sides are there.
    pub(crate) execution_time: Option<Nanos>,
}

/// Turns parsed arguments into those of a relay; mistakes are added to `parsed.errors`.
pub(crate) fn relay(parsed: &mut Parsed) -> RelayOptions {
    refuse_others(parsed);
    parsed.imply("rawTransport");
    let mut input = side(parsed);
    let mut output = input.clone();
    let sizes = vec![input.data_len];
    output.role = Role::Publisher(publisher(parsed, sizes, 1));
    output.domain = output_domain(parsed, input.domain);
    output.transport.peers = output_peers(parsed, input.transport.carrier);
    if let [first, second] = input.transport.nics.as_slice() {
        (output.transport.nics, input.transport.nics) = (vec![second.clone()], vec![first.clone()]);
    }
    for (name, count) in [
        ("peer", input.transport.peers.len()),
        ("outputPeer", output.transport.peers.len()),
    ] {
        if count > 1 {
            parsed.error(format!(
                "-relay has one publisher and one subscriber: give -{name} once"
            ));
        }
    }
    let one_host = input.transport.peers.is_empty() && output.transport.peers.is_empty();
    let apart = input.transport.carrier == Carrier::Tcp || !one_host;
    if parsed.has("outputDomain") && input.domain == output.domain && !apart {
        parsed.error(format!(
            "-outputDomain {} is the publisher's own domain: on one host a relay has no ports in it beside those of the sides; choose another one for the subscriber, or name the hosts with -peer and -outputPeer",
            output.domain
        ));
    }
    RelayOptions {
        input,
        output,
        execution_time: parsed
            .seconds("executionTime")
            .map(|seconds| (seconds * SECOND as f64) as Nanos),
    }
}

fn refuse_others(parsed: &mut Parsed) {
    let stray: Vec<_> = parsed
        .specs()
        .filter(|spec| spec.support == Support::Works && !TAKEN.contains(&spec.name))
        .map(|spec| spec.name)
        .collect();
    for name in stray {
        parsed.error(match name {
            "pub" | "sub" => {
                format!("-relay and -{name} exclude each other: a relay is neither side")
            }
            _ => format!("-{name} is no option of a relay (-relay)"),
        });
    }
}

/// The subscriber's domain: on one host another one, so that all have ports of their own.
fn output_domain(parsed: &mut Parsed, domain: u32) -> u32 {
    match parsed.number("outputDomain") {
        Some(output) => output as u32,
        None if u64::from(domain) < MAX_DOMAIN => domain + 1,
        None => {
            parsed.error(format!(
                "-relay: there is no domain behind {domain}; say with -outputDomain which one the subscriber is in"
            ));
            domain
        }
    }
}

fn output_peers(parsed: &mut Parsed, carrier: Carrier) -> Vec<peer::Peer> {
    if carrier == Carrier::Shmem {
        return Vec::new();
    }
    let peers: Vec<_> = parsed
        .all("outputPeer")
        .map(|text| peer::parse(text, carrier, true))
        .collect();
    let mut found = Vec::new();
    for peer in peers {
        match peer {
            Ok(peer) => found.push(peer),
            Err(error) => parsed.error(error.replace("-peer", "-outputPeer")),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::parse;

    fn read(line: &str) -> (RelayOptions, Vec<String>) {
        let words: Vec<_> = line.split_whitespace().map(String::from).collect();
        let mut parsed = parse(&words);
        let relay = relay(&mut parsed);
        (relay, parsed.errors)
    }

    fn valid(line: &str) -> RelayOptions {
        let (relay, errors) = read(line);
        assert_eq!(errors, [""; 0], "{line}");
        relay
    }

    fn error(line: &str) -> String {
        let (_, errors) = read(line);
        assert_eq!(errors.len(), 1, "{line}: {errors:?}");
        errors.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn a_relay_is_a_subscriber_in_one_domain_and_a_publisher_in_the_next() {
        let relay = valid("-relay -domain 7 -rawBlocking -exec 2.5");
        assert!(matches!(relay.input.role, Role::Subscriber(_)));
        assert!(matches!(relay.output.role, Role::Publisher(_)));
        assert_eq!((relay.input.domain, relay.output.domain), (7, 8));
        assert_eq!(relay.execution_time, Some(2_500_000_000));
        for side in [&relay.input, &relay.output] {
            assert!(side.transport.raw && side.transport.raw_blocking);
            assert_eq!(side.transport.carrier, Carrier::Udp);
        }
        let hosts = valid("-relay -outputDomain 1 -peer 10.0.0.1 -outputPeer 10.0.0.2");
        assert_eq!((hosts.input.domain, hosts.output.domain), (1, 1));
        assert!(error("-relay -outputDomain 1").contains("own domain"));
        assert!(error("-relay -domain 232").contains("-outputDomain"));
    }

    #[test]
    fn each_side_has_its_own_peer_and_its_own_interface() {
        let relay = valid("-relay -peer 10.0.0.1 -outputPeer 10.0.1.2 -nic 10.0.0.3 -nic 10.0.1.3");
        let of = |side: &Options| {
            let peers: Vec<_> = side.transport.peers.iter().collect();
            (peers[0].descriptor.to_string(), side.transport.nics.clone())
        };
        assert_eq!(
            of(&relay.input),
            ("10.0.0.1".into(), vec!["10.0.0.3".into()])
        );
        assert_eq!(
            of(&relay.output),
            ("10.0.1.2".into(), vec!["10.0.1.3".into()])
        );
        let one = valid("-relay -nic lo");
        assert_eq!(one.input.transport.nics, one.output.transport.nics);
        let twice = error("-relay -outputPeer 10.0.0.1 -outputPeer 10.0.0.2");
        assert_eq!(
            twice,
            "-relay has one publisher and one subscriber: give -outputPeer once"
        );
    }

    #[test]
    fn options_of_a_side_are_no_options_of_a_relay() {
        assert!(error("-relay -pub").contains("neither side"));
        assert!(error("-relay -latencyTest").contains("-latencyTest is no option of a relay"));
        assert!(error("-relay -keyed").contains("-keyed is no option of a relay"));
        assert!(error("-relay -outputPeer nowhere:x").contains("-outputPeer"));
        assert!(error("-relay -transport TLS").contains("not by TLS"));
    }
}
