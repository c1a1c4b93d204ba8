//! TCP and TLS: where this side listens, how it is reached from outside, and by which certificate
//! it is known.

use std::fmt;
use std::net::SocketAddrV4;
use std::path::PathBuf;

use super::Carrier;
use super::parse::Parsed;

/// Where TCP listens unless it is told otherwise.
pub(crate) const DEFAULT_PORT: u16 = 7_400;

/// What only these have an effect on.
const OPTIONS: [&str; 3] = [
    "transportServerBindPort",
    "transportWan",
    "transportPublicAddress",
];

/// Likewise, for TLS: each with the default of a publisher and of a subscriber.
const CERTIFICATES: [(&str, [&str; 2]); 3] = [
    ("transportCertAuthority", ["cacert.pem", "cacert.pem"]),
    ("transportCertFile", ["pub.pem", "sub.pem"]),
    ("transportPrivateKey", ["pubkey.pem", "subkey.pem"]),
];

/// Where the defaults are.
const SECURE: &str = "./resource/secure";

/// What `-transport TCP` and `TLS` need to know beyond peers and interfaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamOptions {
    /// `-transportServerBindPort`; 0 does not listen.
    pub(crate) port: Option<u16>,
    /// `-transportWan`: where others reach us, who cannot see our own address.
    pub(crate) public: Option<SocketAddrV4>,
    /// For TLS: the certificates of the authorities, that of this side, and its key.
    pub(crate) certificates: Option<[PathBuf; 3]>,
}

impl StreamOptions {
    /// Where to listen; 0: nowhere.
    pub(crate) fn bind_port(&self) -> u16 {
        self.port.unwrap_or(DEFAULT_PORT)
    }
}

/// Checks the options of TCP and TLS; without these, they have no effect.
pub(super) fn options(parsed: &mut Parsed, carrier: Carrier, raw: bool) -> StreamOptions {
    if carrier != Carrier::Tls {
        ignore(parsed, &CERTIFICATES.map(|(name, _)| name), "TLS");
    }
    if !carrier.is_stream() {
        ignore(parsed, &OPTIONS, "TCP and TLS");
        return StreamOptions::default();
    }
    if raw && carrier == Carrier::Tls {
        parsed.error("-rawTransport goes by UDPv4, SHMEM or TCP, not by TLS".into());
    }
    let port = parsed.number("transportServerBindPort");
    let port = port.and_then(|port| u16::try_from(port).ok());
    let public = public(parsed, port == Some(0));
    if !raw && !parsed.has("peer") && std::env::var_os("NDDS_DISCOVERY_PEERS").is_none() {
        parsed.notes.push(format!(
            "-transport {} without -peer calls nobody: the other side has to name this one by -peer address:port",
            carrier.name()
        ));
    }
    StreamOptions {
        port,
        public,
        certificates: (carrier == Carrier::Tls).then(|| certificates(parsed)),
    }
}

fn ignore(parsed: &mut Parsed, names: &[&str], carriers: &str) {
    for name in names {
        if parsed.has(name) {
            let note = format!("-{name} is ignored: it is for -transport {carriers}");
            parsed.notes.push(note);
        }
    }
}

fn certificates(parsed: &Parsed) -> [PathBuf; 3] {
    let publisher = parsed.has("pub");
    CERTIFICATES.map(|(name, [of_publisher, of_subscriber])| {
        let default = if publisher {
            of_publisher
        } else {
            of_subscriber
        };
        let given = parsed.text(name).map(PathBuf::from);
        given.unwrap_or_else(|| PathBuf::from(SECURE).join(default))
    })
}

/// `-transportPublicAddress`, which goes with `-transportWan`; who only calls needs none.
fn public(parsed: &mut Parsed, only_calls: bool) -> Option<SocketAddrV4> {
    let wan = parsed.has("transportWan");
    let Some(text) = parsed.text("transportPublicAddress").map(String::from) else {
        if wan && !only_calls {
            parsed.error("-transportWan needs -transportPublicAddress address:port, where this side is reached from outside, or -transportServerBindPort 0 if it only connects to others".into());
        }
        return None;
    };
    if !wan {
        let note = "-transportPublicAddress is ignored without -transportWan";
        parsed.notes.push(note.into());
        return None;
    }
    let public: Option<SocketAddrV4> = text.parse().ok();
    let public = public.filter(|at| at.port() != 0 && !at.ip().is_unspecified());
    if public.is_none() {
        parsed.error(format!("-transportPublicAddress {text} is not an IPv4 address and a port, for instance 203.0.113.7:7400"));
    }
    public
}

impl fmt::Display for StreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bind_port() {
            0 => f.write_str("connects to others only")?,
            port => write!(f, "port {port}")?,
        }
        if let Some(public) = self.public {
            write!(f, ", known as {public}")?;
        }
        match &self.certificates {
            Some([_, own, _]) => write!(f, ", certificate {}", own.display()),
            None => Ok(()),
        }
    }
}

impl Carrier {
    /// Whether a message may be as long as it has to be.
    pub(crate) fn takes_any_length(self) -> bool {
        self == Carrier::Shmem || self.is_stream()
    }

    /// Whether samples go by connections.
    pub(crate) fn is_stream(self) -> bool {
        matches!(self, Carrier::Tcp | Carrier::Tls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Options, parse};

    fn read(line: &str) -> (Options, Vec<String>, Vec<String>) {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let mut parsed = parse(&words);
        let options = super::super::options(&mut parsed);
        (options, parsed.errors, parsed.notes)
    }

    fn stream(line: &str) -> StreamOptions {
        let (options, errors, _) = read(line);
        assert_eq!(errors, [""; 0], "{line}");
        options.transport.stream
    }

    #[test]
    fn the_published_command_lines_are_for_tcp_at_the_usual_port() {
        let line = "-best -keyed -instances 100000 -datalen 63000 -pub -transport TCP -peer 0@tcpv4_lan://172.16.0.2:7400 \
                    -nic 172.16.0.1 -noPrint -noOutputHeaders -exec 30 -initialBurst 100 -noXML -latencyTest";
        let (options, errors, notes) = read(line);
        assert_eq!((errors, notes), (vec![], vec![]));
        let transport = options.transport;
        assert_eq!(transport.carrier, Carrier::Tcp);
        assert_eq!(transport.stream.bind_port(), 7400);
        assert_eq!(transport.peers[0].descriptor.port, Some(7400));
        let summary = crate::options::summary(&read(line).0);
        let expected = "TCP, port 7400, only 172.16.0.1, peer 0@tcpv4_lan://172.16.0.2:7400";
        assert!(summary.contains(expected), "{summary}");
    }

    #[test]
    fn a_public_address_goes_with_wan() {
        let wan = "-sub -transport TCP -peer a -transportWan";
        assert_eq!(
            stream(&format!("{wan} -transportServerBindPort 0")).bind_port(),
            0
        );
        let public = stream(&format!("{wan} -transportPublicAddress 203.0.113.7:7411")).public;
        assert_eq!(public, "203.0.113.7:7411".parse().ok());
        assert!(read(wan).1[0].contains("-transportPublicAddress"));
        let wrong = read(&format!("{wan} -transportPublicAddress 203.0.113.7"));
        assert!(wrong.1[0].contains("and a port"));
        let (_, errors, notes) =
            read("-sub -transport TCP -peer a -transportPublicAddress 1.2.3.4:5");
        assert_eq!((errors.len(), notes.len()), (0, 1));
    }

    #[test]
    fn tls_has_certificates_which_are_where_the_original_has_them_unless_told() {
        let names = |line: &str| stream(line).certificates.unwrap_or_default();
        let plain = names("-pub -transport TLS -peer a");
        let files = ["cacert.pem", "pub.pem", "pubkey.pem"];
        assert_eq!(plain, files.map(|file| PathBuf::from(SECURE).join(file)));
        let own = names(
            "-sub -transport tls -peer a -transportCertAuthority c -transportCertFile f -transportPrivateKey k",
        );
        assert_eq!(own, ["c", "f", "k"].map(PathBuf::from));
        assert_eq!(stream("-sub -transport TCP -peer a").certificates, None);
        assert!(read("-sub -rawTransport -transport TLS").1[0].contains("not by TLS"));
        let summary = crate::options::summary(&read("-sub -transport TLS -peer a").0);
        assert!(
            summary.contains("TLS, port 7400, certificate ./resource/secure/sub.pem"),
            "{summary}"
        );
    }

    #[test]
    fn what_is_of_no_use_is_reported() {
        let notes = |line: &str| read(line).2.join("; ");
        assert!(notes("-sub -transport TCP -multicast -peer a").contains("-multicast is ignored"));
        assert!(notes("-sub -transport TCP").contains("calls nobody"));
        assert!(notes("-sub -transportServerBindPort 7401").contains("for -transport TCP"));
        assert!(
            notes("-sub -transport TCP -peer a -transportCertFile x")
                .contains("for -transport TLS")
        );
        assert!(notes("-sub -rawTransport -transport TCP").is_empty());
    }
}
