//! The one table of options: parsing, help and documentation all read it.

use super::table::{Group::*, Side::*, Support::*, Value::*};

/// Largest sample, in bytes.
pub(crate) const MAX_DATA_LEN: u64 = 2_147_482_620;

/// What follows an option on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Flag,
    /// An integer within an inclusive range.
    Number(u64, u64),
    /// As `Number`, and why there are no others.
    Limited(u64, u64, &'static str),
    /// Seconds from a thousandth to the limit, with decimals.
    Seconds(u64),
    /// As `Number`, but may be left out.
    MaybeNumber(u64, u64),
    /// Any text; the word is what help shows.
    Text(&'static str),
    /// Text that may be left out (a list of digits and colons).
    MaybeList(&'static str),
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
}

/// Which side of a run may give the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Both,
    Pub,
    Sub,
    /// What is between them.
    Relay,
}

/// The heading under which help lists the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    General,
    Output,
    Publisher,
    Subscriber,
    Transport,
    Raw,
    Extra,
    Accepted,
    Refused,
}

/// What happens when the option is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    Works,
    /// Accepted, with this note on stderr.
    Ignored(&'static str),
    /// An error with this reason.
    Missing(&'static str),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    pub(crate) side: Side,
    pub(crate) group: Group,
    pub(crate) support: Support,
    pub(crate) help: &'static str,
    /// Not one of the original's options: never the answer to an abbreviation that the original
    /// knows.
    pub(crate) ours: bool,
}

const fn works(
    group: Group,
    side: Side,
    name: &'static str,
    value: Value,
    help: &'static str,
) -> Spec {
    Spec {
        name,
        value,
        side,
        group,
        support: Works,
        help,
        ours: false,
    }
}

const fn extra(side: Side, name: &'static str, value: Value, help: &'static str) -> Spec {
    Spec {
        ours: true,
        ..works(Extra, side, name, value, help)
    }
}

const fn ignored(side: Side, name: &'static str, value: Value, why: &'static str) -> Spec {
    Spec {
        support: Ignored(why),
        ..works(Accepted, side, name, value, why)
    }
}

const fn missing(side: Side, name: &'static str, value: Value, why: &'static str) -> Spec {
    Spec {
        support: Missing(why),
        ..works(Refused, side, name, value, why)
    }
}

pub(super) const MAX_DOMAIN: u64 = dunlin::ParticipantConfig::MAX_DOMAIN as u64;
const PORTS: &str = "the ports of other domains are beyond 65535";
const ANY: u64 = u64::MAX;
const INT: u64 = 2_147_483_647;
const NO_SECURITY: &str = "DDS Security is not available";
const NO_WAN: &str = "the transports WAN and UDPv4_WAN are not available";
const INTERNAL: &str = "no effect here: it tunes the internals of another middleware";

/// Transports that the original knows; what is available is decided in the checks, with a clear
/// line.
pub(crate) const TRANSPORTS: &[&str] = &[
    "UDPv4",
    "UDPv6",
    "SHMEM",
    "TCP",
    "TLS",
    "DTLS",
    "WAN",
    "UDPv4_WAN",
];

/// Every option.
#[rustfmt::skip]
pub(crate) const OPTIONS: &[Spec] = &[
    works(General, Both, "pub", Flag, "act as publisher"),
    works(General, Both, "sub", Flag, "act as subscriber (the default)"),
    works(General, Both, "dataLen", Number(28, MAX_DATA_LEN), "serialized size of a sample in bytes, 28 of them overhead; give it on both sides [100]"),
    works(General, Both, "bestEffort", Flag, "best effort instead of reliable data and echoes; give it on both sides"),
    works(General, Both, "keyed", Flag, "use the keyed type; give it on both sides"),
    works(General, Both, "instances", Number(1, INT), "number of keys that each writer cycles through [1]"),
    works(General, Both, "domain", Limited(0, MAX_DOMAIN, PORTS), "DDS domain, 0 to 232 [1]"),
    works(General, Both, "durability", Number(0, 3), "0 volatile, 1 transient local; 2 and 3 need a persistence service, which is not available [0]"),
    works(General, Both, "unbounded", MaybeNumber(28, 65_470), "use the unbounded type whatever the size; give it on both sides"),
    works(General, Both, "sendQueueSize", Number(1, INT), "send window and writer queue, in samples or, when batching, in batches [50]"),
    works(General, Both, "receiveQueueSize", Number(1, INT), "reader queue in samples [10000]"),
    works(General, Both, "useReadThread", Flag, "receive by a wait set instead of in a listener: the main thread where it does nothing but wait, else a thread of its own"),
    works(General, Both, "waitsetDelayUsec", Number(0, 10_000_000), "with -useReadThread: longest delay before the thread is woken, in microseconds [0]"),
    works(General, Both, "waitsetEventCount", Number(1, INT), "with -useReadThread: samples that wake the thread at once [1]"),
    works(General, Both, "verbosity", Number(0, 3), "messages of the middleware: 0 none, 1 errors, 2 warnings, 3 all [1]"),
    works(General, Both, "qosFile", Text("file"), "QoS profiles in XML; other options go before what it says [perftest_qos_profiles.xml, if it is there]"),
    works(General, Both, "qosLibrary", Text("name"), "the library in it that has BaseProfileQos, ThroughputQos, LatencyQos and AnnouncementQos [PerftestQosLibrary]"),
    works(General, Both, "noXmlQos", Flag, "use the built-in QoS, and read no file"),
    works(General, Both, "flatData", Flag, "build each sample where it is sent from, its payload as it happens to be there"),
    works(General, Both, "zeroCopy", Flag, "as -flatData, and read each sample where it was built, by shared memory"),
    works(General, Both, "checkConsistency", Flag, "with -zeroCopy: look after reading whether the sample stayed the same; what did not is lost"),
    works(General, Both, "asynchronous", Flag, "publish from a thread of the middleware's own"),

    works(Output, Both, "noPrintIntervals", Flag, "print the summary row only; without it there is a row each second"),
    works(Output, Both, "noOutputHeaders", Flag, "print no header rows"),
    works(Output, Both, "outputFormat", Choice(&["csv", "json", "legacy"]), "form of the tables [csv]"),
    works(Output, Both, "outputFile", Text("file"), "append the tables to this file instead of stdout"),
    works(Output, Both, "cpu", Flag, "add a column: CPU time of this process, 100 % being all processors busy"),
    works(Output, Pub, "latencyFile", Text("file"), "append every raw latency to this file, in order of arrival"),

    works(Publisher, Pub, "latencyTest", Flag, "ping-pong: wait for the echo of each ping before the next"),
    works(Publisher, Pub, "executionTime", Seconds(INT), "seconds to run, also parts of one, from the end of the warm-up; the first of this and -numIter ends the test [no limit]"),
    works(Publisher, Pub, "numIter", Number(1, ANY), "samples to send [100000000, in a latency test 10000000]"),
    works(Publisher, Pub, "latencyCount", Number(1, INT), "one ping every so many samples, or batches [10000, in a latency test 1]"),
    works(Publisher, Pub, "initialBurstSize", Number(0, INT), "warm-up samples; never fewer than there are instances [queue size or instances]"),
    works(Publisher, Pub, "batchSize", Number(0, INT), "pack samples into batches of this many bytes; 0 sends each at once [8192, in a latency test 0]"),
    works(Publisher, Pub, "numSubscribers", Number(1, 1_023), "subscribers to wait for; pings go to them in turn [1]"),
    works(Publisher, Pub, "pidMultiPubTest", Number(0, 1_022), "id of this publisher; only publisher 0 pings [0]"),
    works(Publisher, Pub, "pubRate", Text("samples/s[:spin|sleep]"), "send at this rate, 1 to 10000000, on an absolute schedule [no limit, spin]"),
    works(Publisher, Pub, "pubRatebps", Text("bits/s[:spin|sleep]"), "as -pubRate, in bits of -dataLen per second"),
    works(Publisher, Pub, "sleep", Number(0, INT), "milliseconds to sleep before each write [0]"),
    works(Publisher, Pub, "spin", Number(0, INT), "rounds of a busy loop before each write [0]"),
    works(Publisher, Pub, "writeInstance", Number(0, INT), "always write this key [all in turn]"),
    Spec { group: Output, ..extra(Pub, "histogramFile", Text("file"), "write the latencies in nanoseconds to this file, as an HdrHistogram log") },
    Spec { group: Output, ..extra(Pub, "responseHistogramFile", Text("file"), "with -openLoop: likewise, the response times") },
    Spec { group: Publisher, ..extra(Pub, "scan", MaybeList("size:size:.."), "run all sizes one after the other [32 to 32768 doubling, 64900]") },

    works(Subscriber, Sub, "numPublishers", Number(1, 1_023), "publishers to wait for; the test ends when all have finished [1]"),
    works(Subscriber, Sub, "sidMultiSubTest", Number(0, 1_022), "id of this subscriber, unique; it echoes the pings with this id [0]"),
    works(Subscriber, Sub, "cft", Text("key or first:last"), "receive only samples with this key, or with one of this range, keys being 0 to 65534, by a content filtered topic; losses are not counted then, and every ping that comes is echoed [all]"),

    works(Transport, Both, "transport", Choice(TRANSPORTS), "UDPv4, SHMEM, TCP or TLS; without it, shared memory where it reaches and else UDPv4"),
    works(Transport, Both, "nic", Text("name or address"), "use only this network interface, not for SHMEM; may be repeated [all]"),
    works(Transport, Both, "allowInterfaces", Text("name or address"), "the same as -nic"),
    works(Transport, Both, "peer", Text("peer"), "discover this peer, [index@][class://]address[:port], the class being udpv4, tcpv4_lan, tcpv4_wan, tlsv4_lan or tlsv4_wan; may be repeated [multicast; by TCP and TLS, none]"),
    works(Transport, Both, "multicast", Flag, "send data by multicast: 239.255.1.1 throughput, .2 latency, .100 announcements"),
    works(Transport, Both, "multicastAddr", Text("a or a,b,c"), "as -multicast with one address and the two after it, or with three"),
    works(Transport, Both, "transportServerBindPort", Number(0, 65_535), "TCP, TLS: listen at this port; 0 only connects to others [7400]"),
    works(Transport, Both, "transportWan", Flag, "TCP, TLS: this side is reached at -transportPublicAddress, unless it only connects to others"),
    works(Transport, Both, "transportPublicAddress", Text("address:port"), "with -transportWan: where this side is reached from outside"),
    works(Transport, Both, "transportCertAuthority", Text("file"), "TLS: certificates of the authorities of both sides, PEM [./resource/secure/cacert.pem]"),
    works(Transport, Both, "transportCertFile", Text("file"), "TLS: certificate of this side, PEM [./resource/secure/pub.pem or sub.pem]"),
    works(Transport, Both, "transportPrivateKey", Text("file"), "TLS: private key of this side, PEM [./resource/secure/pubkey.pem or subkey.pem]"),
    works(Transport, Both, "messageSizeMax", Number(1_024, INT), "largest RTPS message in bytes; larger samples are cut into fragments [65507, with SHMEM, TCP and TLS any]"),
    works(Transport, Both, "sendBufferSize", Number(1_024, INT), "send buffer of the sockets in bytes"),
    works(Transport, Both, "receiveBufferSize", Number(1_024, INT), "receive buffer of the sockets in bytes"),

    works(Raw, Both, "rawTransport", Flag, "without DDS, the floor: plain UDP sockets, with -transport SHMEM bare slots in shared memory, with -transport TCP one connection; spins unless -rawBlocking; for UDP, -peer is address[:id]"),
    works(Raw, Both, "noBlockingSockets", Flag, "with -rawTransport: sockets never block (always the case unless -rawBlocking)"),
    Spec { group: Raw, ..extra(Both, "rawBlocking", Flag, "with -rawTransport: sleep in the kernel instead of spinning") },

    Spec { group: Raw, ..extra(Relay, "relay", Flag, "be neither side but the floor of a router: pass what comes from the one on to the other, both ways, with one receive and one send for each datagram; -domain and -peer are those of the publisher") },
    Spec { group: Raw, ..extra(Relay, "outputDomain", Limited(0, MAX_DOMAIN, PORTS), "with -relay: the subscriber's domain [-domain + 1]") },
    Spec { group: Raw, ..extra(Relay, "outputPeer", Text("address"), "with -relay: where the subscriber is [127.0.0.1]") },

    extra(Both, "nsResolution", Flag, "microseconds with three decimals instead of cut to whole ones"),
    extra(Both, "discoveryTimeout", Number(0, 1_000_000), "seconds to wait for the other side, 0 for ever [60]"),
    extra(Pub, "openLoop", Text("samples/s"), "latency under load: a ping at each moment of a schedule of this rate, 0.1 to 10000000, whatever the answers do; response time counts from that moment"),
    extra(Both, "pin", Number(0, 1_023), "run this process on this CPU only"),
    extra(Both, "help", Flag, "this text (also -h)"),
    extra(Both, "version", Flag, "the version, and how this program was built"),

    ignored(Both, "dynamicData", Flag, "the generated type is used; the bytes on the wire are the same"),
    ignored(Both, "noPositiveAcks", Flag, "positive acknowledgements stay on"),
    ignored(Both, "keepDurationUsec", Number(1, ANY), "positive acknowledgements stay on"),
    ignored(Both, "flowController", Choice(&["default", "1Gbps", "10Gbps"]), "there is no flow control"),
    ignored(Both, "threadPriorities", Text("X:Y:Z"), "priorities are left as they are"),
    ignored(Both, "threadCPUAffinity", Text("A:B:C:D"), "affinity is left as it is; use -pin"),
    ignored(Both, "showResourceLimits", Flag, INTERNAL),
    ignored(Both, "cacheStats", Flag, INTERNAL),
    ignored(Pub, "writerStats", Flag, INTERNAL),
    ignored(Both, "crc", Flag, "messages carry no checksum of their own"),
    ignored(Both, "crcKind", Choice(&["CRC_32_CUSTOM", "CRC_32_LEGACY"]), "messages carry no checksum of their own"),
    ignored(Both, "enable-message-length", Flag, "messages carry no length extension"),
    ignored(Both, "preallocateFragmentedSamples", Flag, INTERNAL),
    ignored(Both, "networkCapture", Flag, "nothing is captured"),
    ignored(Both, "doNotDropNetworkCapture", Flag, "nothing is captured"),
    ignored(Both, "enableInstanceStateRecovery", Flag, INTERNAL),
    ignored(Both, "enableMonitoring2", Flag, INTERNAL),
    ignored(Both, "collectorPeer", Text("address"), INTERNAL),
    ignored(Both, "instanceHashBuckets", Number(1, 1_000_000), INTERNAL),
    ignored(Both, "loaningSendReceive", Flag, INTERNAL),
    ignored(Pub, "lowResolutionClock", Flag, "the clock has nanoseconds; the usual row is printed"),
    ignored(Pub, "enableAutoThrottle", Flag, INTERNAL),
    ignored(Pub, "enableTurboMode", Flag, INTERNAL),
    ignored(Pub, "showSerializationTime", Flag, "the serialization columns are not printed"),
    ignored(Pub, "maximumAllocableBufferSize", Number(1, ANY), INTERNAL),
    Spec { ours: true, ..ignored(Both, "nomulticast", Flag, "multicast is off unless asked for") },
    Spec { ours: true, ..ignored(Both, "heartbeatPeriod", Text("s:ns"), "the built-in QoS is used") },
    Spec { ours: true, ..ignored(Both, "fastHeartbeatPeriod", Text("s:ns"), "the built-in QoS is used") },
    ignored(Both, "transportVerbosity", Number(0, INT), INTERNAL),

    missing(Both, "noDirectCommunication", Flag, "there is no persistence service"),
    missing(Both, "compressionId", Choice(&["ZLIB", "LZ4", "BZIP2", "MASK_NONE"]), "compression is not available"),
    missing(Both, "compressionLevel", Number(0, 10), "compression is not available"),
    missing(Both, "compressionThreshold", Number(0, ANY), "compression is not available"),
    missing(Pub, "loadDataFromFile", Text("file"), "the payload is always zeros"),
    missing(Both, "transportHostPort", Number(0, 65_535), NO_WAN),
    missing(Both, "transportWanServerAddress", Text("address"), NO_WAN),
    missing(Both, "transportWanServerPort", Number(0, 65_535), NO_WAN),
    missing(Both, "transportWanId", Text("id"), NO_WAN),
    missing(Both, "transportSecureWan", Flag, NO_WAN),
    missing(Both, "secureCertAuthority", Text("file"), NO_SECURITY),
    missing(Both, "secureCertFile", Text("file"), NO_SECURITY),
    missing(Both, "secureDebug", Number(0, 7), NO_SECURITY),
    missing(Both, "secureEnableAAD", Flag, NO_SECURITY),
    missing(Both, "secureEncryptionAlgorithm", Text("name"), NO_SECURITY),
    missing(Both, "secureGovernanceFile", Text("file"), NO_SECURITY),
    missing(Both, "secureLibrary", Text("file"), NO_SECURITY),
    missing(Both, "securePermissionsFile", Text("file"), NO_SECURITY),
    missing(Both, "securePrivateKey", Text("file"), NO_SECURITY),
    missing(Both, "securePSK", Text("seed"), NO_SECURITY),
    missing(Both, "securePSKAlgorithm", Text("name"), NO_SECURITY),
    missing(Both, "secureRtpsHmacOnly", Text("key"), NO_SECURITY),
    missing(Both, "lightWeightSecurity", Flag, NO_SECURITY),
];

/// Spellings of older releases: what was typed, the option that it means, and the value that it
/// brings along.
pub(crate) const ALIASES: &[(&str, &str, Option<&str>)] = &[
    ("h", "help", None),
    ("interface", "nic", None),
    ("qosprofile", "qosFile", None),
    ("debug", "verbosity", Some("3")),
    ("enableSharedMemory", "transport", Some("SHMEM")),
    ("enableTcp", "transport", Some("TCP")),
    ("enableTcpOnly", "transport", Some("TCP")),
    ("enableUdpv6", "transport", Some("UDPv6")),
    ("multicastAddress", "multicastAddr", None),
    ("secureSign", "secureGovernanceFile", Some("")),
    ("secureEncryptBoth", "secureGovernanceFile", Some("")),
    ("secureEncryptData", "secureGovernanceFile", Some("")),
    ("secureEncryptSM", "secureGovernanceFile", Some("")),
    ("secureEncryptDiscovery", "secureGovernanceFile", Some("")),
    ("useLegacyDynamicData", "dynamicData", None),
];

impl Spec {
    /// How help and messages write the option with its value.
    pub(crate) fn usage(&self) -> String {
        let value = match self.value {
            Flag => return format!("-{}", self.name),
            Number(..) | Limited(..) | Seconds(_) => "<n>".into(),
            MaybeNumber(..) => "[<n>]".into(),
            Text(what) => format!("<{what}>"),
            MaybeList(what) => format!("[<{what}>]"),
            Choice(_) => "<kind>".into(),
        };
        format!("-{} {value}", self.name)
    }

    /// The allowed values, for messages.
    pub(crate) fn allowed(&self) -> String {
        match self.value {
            Flag => "no value".into(),
            Number(min, max) | MaybeNumber(min, max) => format!("a number from {min} to {max}"),
            Limited(min, max, why) => format!("a number from {min} to {max}: {why}"),
            Seconds(max) => format!("a number of seconds from 0.001 to {max}"),
            Text(what) | MaybeList(what) => format!("<{what}>"),
            Choice(words) => words.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_aliases_lead_to_an_option() {
        for (i, spec) in OPTIONS.iter().enumerate() {
            let same = |other: &Spec| other.name.eq_ignore_ascii_case(spec.name);
            assert_eq!(OPTIONS.iter().position(same), Some(i), "{}", spec.name);
        }
        for (alias, name, _) in ALIASES {
            assert!(OPTIONS.iter().any(|spec| spec.name == *name), "{alias}");
        }
    }
}
