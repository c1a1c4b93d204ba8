//! Peers: descriptors as Dunlin reads them; for raw UDP sockets the port is an id, or a range of
//! them.

use dunlin::{PeerClass, PeerDescriptor};

use super::Carrier;

/// Where to look for the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) descriptor: PeerDescriptor,
    /// For raw UDP sockets: the first and the last id behind the address.
    pub(crate) ids: Option<(u16, u16)>,
}

/// Reads one descriptor for this carrier; the error shows the mistake and the expected form.
pub(super) fn parse(text: &str, carrier: Carrier, raw: bool) -> Result<Peer, String> {
    let (place, ids) = match text.rsplit_once(':') {
        Some((place, ids)) if raw && carrier == Carrier::Udp && !ids.starts_with("//") => {
            let range = range(ids).ok_or_else(|| {
                format!("-peer {text}: without DDS, what follows the address is an id or a range of ids, :2 or :0-3")
            })?;
            (place, Some(range))
        }
        _ => (text, None),
    };
    let descriptor: PeerDescriptor = place.parse().map_err(|error| format!("-peer: {error}"))?;
    if let Some(class) = descriptor.class.filter(|class| !carrier.reaches(*class)) {
        return Err(format!(
            "-peer {text}: {} is not what this run goes by, {}; leave {}:// out, or choose another -transport on both sides",
            class.name(),
            carrier.name(),
            class.name()
        ));
    }
    Ok(Peer { descriptor, ids })
}

/// `2` or `0-3`.
fn range(text: &str) -> Option<(u16, u16)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

impl Carrier {
    fn reaches(self, class: PeerClass) -> bool {
        let shared = class == PeerClass::Shmem;
        match self {
            Carrier::Both => shared || class == PeerClass::Udpv4,
            Carrier::Udp => class == PeerClass::Udpv4,
            Carrier::Shmem => shared,
            Carrier::Tcp => matches!(class, PeerClass::Tcpv4Lan | PeerClass::Tcpv4Wan),
            Carrier::Tls => matches!(class, PeerClass::Tlsv4Lan | PeerClass::Tlsv4Wan),
        }
    }

    /// As `-transport` has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Carrier::Both => "UDPv4 and SHMEM",
            Carrier::Udp => "UDPv4",
            Carrier::Shmem => "SHMEM",
            Carrier::Tcp => "TCP",
            Carrier::Tls => "TLS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, carrier: Carrier) -> Result<String, String> {
        parse(text, carrier, false).map(|peer| peer.descriptor.to_string())
    }

    #[test]
    fn descriptors_are_dunlins() {
        for (text, as_read) in [
            ("10.1.2.3", "10.1.2.3"),
            ("4@UDPv4://10.1.2.3:7400", "4@udpv4://10.1.2.3:7400"),
            ("builtin.udpv4://host", "udpv4://host"),
            ("[2-3]@10.1.2.3", "[2-3]@10.1.2.3"),
        ] {
            assert_eq!(shown(text, Carrier::Udp), Ok(as_read.into()));
        }
        for text in ["0@tcpv4_lan://172.16.0.2:7400", "tcpv4_wan://h:1", "h:7401"] {
            assert_eq!(shown(text, Carrier::Tcp), Ok(text.into()));
        }
    }

    #[test]
    fn raw_udp_sockets_have_ids_for_ports() {
        let ids = |text| parse(text, Carrier::Udp, true).map(|peer| peer.ids);
        assert_eq!(ids("10.1.2.3"), Ok(None));
        assert_eq!(ids("udpv4://10.1.2.3:0"), Ok(Some((0, 0))));
        assert_eq!(ids("10.1.2.3:0-3"), Ok(Some((0, 3))));
        assert!(ids("10.1.2.3:5-2").unwrap_err().contains("range of ids"));
        let port = parse("10.1.2.3:7400", Carrier::Tcp, true);
        assert_eq!(port.map(|peer| peer.descriptor.port), Ok(Some(7400)));
    }

    #[test]
    fn a_mistake_is_shown_and_so_is_a_peer_that_cannot_be_reached() {
        for text in ["", "x@10.0.0.1", "10.0.0.1:a", "10.0.0.300", "10.0.0.1:5-2"] {
            let error = shown(text, Carrier::Udp).unwrap_err();
            assert!(error.contains("expected"), "{error}");
        }
        let error = shown("x@10.0.0.1", Carrier::Tcp).unwrap_err();
        assert!(error.contains("\n  ^"), "{error}");
        let error = shown("0@tcpv4_lan://10.0.0.1:7400", Carrier::Udp).unwrap_err();
        assert!(error.contains("tcpv4_lan is not") && error.contains("UDPv4"));
        assert!(shown("shmem://", Carrier::Tcp).is_err());
        assert!(shown("tcpv4_lan://h", Carrier::Tls).is_err());
        assert!(shown("0@tlsv4_lan://h:7400", Carrier::Tls).is_ok());
        assert!(shown("10.0.0.1", Carrier::Both).is_ok());
    }
}
