//! Peer descriptors: `[N@][udpv4://]address[:port]`.

use std::net::{Ipv4Addr, ToSocketAddrs};

/// Where to look for the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Highest participant index to try at this address.
    pub(crate) max_index: Option<u32>,
    pub(crate) address: Ipv4Addr,
    /// A port, or for raw sockets the first and last id behind the address.
    pub(crate) port: Option<u16>,
    pub(crate) last: Option<u16>,
}

const FORM: &str =
    "expected [N@][udpv4://]address[:port], for instance 192.168.1.2 or 4@udpv4://192.168.1.2:7400";

/// Reads one descriptor; the error names it and the expected form.
pub(crate) fn parse(text: &str) -> Result<Peer, String> {
    let wrong = |what: &str| format!("-peer '{text}': {what}; {FORM}");
    let (index, rest) = match text.split_once('@') {
        Some((index, rest)) => (Some(index), rest),
        None => (None, text),
    };
    let max_index = index
        .map(|digits| digits.parse().map_err(|_| wrong("the index is no number")))
        .transpose()?;
    let rest = match rest.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("udpv4") => rest,
        Some((scheme, _)) => {
            return Err(wrong(&format!("the transport '{scheme}' is not available")));
        }
        None => rest,
    };
    let (host, port) = match rest.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (rest, None),
    };
    let (port, last) = ports(port).ok_or_else(|| wrong("the port is no number from 0 to 65535"))?;
    let address =
        resolve(host).ok_or_else(|| wrong("the address is no IPv4 address or known host"))?;
    Ok(Peer {
        max_index,
        address,
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
    if let Ok(address) = host.parse() {
        return Some(address);
    }
    // Only names are looked up: 1.2.3 or 300.1.1.1 would otherwise go out to a name server.
    host.starts_with(|c: char| c.is_ascii_alphabetic())
        .then(|| (host, 0u16).to_socket_addrs().ok())
        .flatten()?
        .find_map(|found| match found.ip() {
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
        let peer = |max_index, port| Peer {
            max_index,
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
