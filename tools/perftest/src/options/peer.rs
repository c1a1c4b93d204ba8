//! Peer descriptors, `[index@][udpv4://]address[:port]`, as Dunlin reads them; for raw sockets the port is an id, or a range of them.

use dunlin::{PeerClass, PeerDescriptor, PeerHost, PeerIndexes};
use std::net::{Ipv4Addr, ToSocketAddrs};

/// Where to look for the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Participant indexes to try at this address.
    pub(crate) indexes: Option<PeerIndexes>,
    pub(crate) address: Ipv4Addr,
    /// A port, or for raw sockets the first and last id behind the address.
    pub(crate) port: Option<u16>,
    pub(crate) last: Option<u16>,
}

const FORM: &str = "expected [index@][udpv4://]address[:port], for instance 192.168.1.2 or 4@udpv4://192.168.1.2:7400";

/// Reads one descriptor; the error names it and the expected form.
pub(crate) fn parse(text: &str) -> Result<Peer, String> {
    let wrong = |what: &str| format!("-peer '{text}': {what}; {FORM}");
    let (place, port) = match text.rsplit_once(':') {
        Some((place, port)) if !port.starts_with("//") => (place, Some(port)),
        _ => (text, None),
    };
    let (port, last) = ports(port).ok_or_else(|| wrong("the port is no number from 0 to 65535"))?;
    let peer: PeerDescriptor = place
        .parse()
        .map_err(|error| format!("-peer '{text}': {error}"))?;
    let class = peer.class.unwrap_or(PeerClass::Udpv4);
    if class != PeerClass::Udpv4 {
        let name = class.name();
        return Err(wrong(&format!("the transport '{name}' is not available")));
    }
    let address = match &peer.host {
        PeerHost::Address(address) => Some(*address),
        PeerHost::Name(name) => resolve(name),
        PeerHost::Here => None,
    };
    Ok(Peer {
        indexes: peer.indexes,
        address: address.ok_or_else(|| wrong("the host is not known"))?,
        port,
        last,
    })
}

/// `7400`, or for raw sockets a range `0-3`.
fn ports(text: Option<&str>) -> Option<(Option<u16>, Option<u16>)> {
    let Some(text) = text else {
        return Some((None, None));
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((Some(first), Some(last)))
}

fn resolve(host: &str) -> Option<Ipv4Addr> {
    let mut found = (host, 0u16).to_socket_addrs().ok()?;
    found.find_map(|found| match found.ip() {
        std::net::IpAddr::V4(address) => Some(address),
        std::net::IpAddr::V6(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_parse() {
        let address = Ipv4Addr::new(10, 1, 2, 3);
        let peer = |last: Option<u32>, port| Peer {
            indexes: last.map(|last| PeerIndexes { first: 0, last }),
            address,
            port,
            last: port,
        };
        assert_eq!(parse("10.1.2.3"), Ok(peer(None, None)));
        assert_eq!(parse("udpv4://10.1.2.3"), Ok(peer(None, None)));
        assert_eq!(
            parse("4@UDPv4://10.1.2.3:7400"),
            Ok(peer(Some(4), Some(7400)))
        );
        assert_eq!(parse("builtin.udpv4://10.1.2.3"), Ok(peer(None, None)));
        assert_eq!(
            parse("[2-3]@10.1.2.3").map(|p| p.indexes),
            Ok(Some(PeerIndexes { first: 2, last: 3 }))
        );
        assert_eq!(
            parse("10.1.2.3:0-3").map(|p| (p.port, p.last)),
            Ok((Some(0), Some(3)))
        );
    }

    #[test]
    fn a_wrong_descriptor_is_named_with_the_expected_form() {
        for text in [
            "",
            "x@10.0.0.1",
            "0@tcpv4_lan://10.0.0.1:7400",
            "10.0.0.1:a",
            "10.0.0.300",
            "1.2.3",
            "10.0.0.1:5-2",
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.contains(&format!("'{text}'")) && error.contains("expected"),
                "{error}"
            );
        }
    }
}
