//! Which addresses `-nic` and `-peer` mean.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

use dunlin::PeerHost;

use crate::options::{Peer, TransportOptions};

/// The address of `-nic`, else loopback if all peers are there.
pub(super) fn bind_address(
    transport: &TransportOptions,
    mut peers: impl Iterator<Item = Ipv4Addr>,
) -> Result<Ipv4Addr, String> {
    match transport.nics.as_slice() {
        [] if peers.all(|peer| peer.is_loopback()) => Ok(Ipv4Addr::LOCALHOST),
        [] => Ok(Ipv4Addr::UNSPECIFIED),
        [nic] => nic_address(nic),
        _ => Err("-rawTransport takes one -nic only".into()),
    }
}

fn nic_address(nic: &str) -> Result<Ipv4Addr, String> {
    if let Ok(address) = nic.parse() {
        return Ok(address);
    }
    let interfaces =
        dunlin_udp::interfaces().map_err(|error| format!("listing interfaces: {error}"))?;
    let address = |name: &str| {
        interfaces
            .iter()
            .find(|interface| interface.name == name)
            .and_then(|interface| interface.addresses.first())
            .map(|address| address.ip)
    };
    address(nic).ok_or_else(|| {
        let names: Vec<_> = interfaces.iter().map(|one| one.name.as_str()).collect();
        format!(
            "-nic {nic} is neither an IPv4 address nor an interface with one; there are {}",
            names.join(", ")
        )
    })
}

/// Where a peer is. A name is looked up once: raw runs do not wait for hosts to come.
pub(super) fn peer_address(peer: &Peer) -> Result<Ipv4Addr, String> {
    let name = match &peer.descriptor.host {
        PeerHost::Address(address) => return Ok(*address),
        PeerHost::Name(name) => name,
        PeerHost::Here => return Ok(Ipv4Addr::LOCALHOST),
    };
    let found = (name.as_str(), 0u16)
        .to_socket_addrs()
        .map_err(|error| format!("-peer {name}: {error}"))?;
    let v4 = |address: IpAddr| match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    };
    found
        .map(|found| found.ip())
        .find_map(v4)
        .ok_or_else(|| format!("-peer {name} has no IPv4 address"))
}
