//! Which interfaces a transport may use, and what follows from it.
use std::fmt;
use std::io;
use std::net::Ipv4Addr;

use dunlin_udp::{Address, Egress, Interface, source_address};

use crate::traits::Reach;

/// The allowed interfaces and addresses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Nothing was named: everything is allowed.
    everything: bool,
    allowed: Vec<Allowed>,
    /// Never `None` inside: the form that a transport hands to its socket.
    multicast: Vec<Option<Egress>>,
    /// Every address of this host, allowed or not, with the name of its interface.
    local: Vec<(String, Ipv4Addr)>,
    /// Largest IP packet of each interface, by name.
    mtu: Vec<(String, u32)>,
}

#[derive(Debug, PartialEq, Eq)]
struct Allowed {
    name: String,
    address: Address,
    loopback: bool,
}

impl Selection {
    /// `named`: names or addresses; `None` for all that are up. Fails if one of them is not there,
    /// or none is.
    pub(crate) fn new(interfaces: Vec<Interface>, named: Option<&[String]>) -> io::Result<Self> {
        let usable: Vec<Interface> = interfaces.into_iter().filter(|i| i.up).collect();
        if let Some(stranger) = named.and_then(|list| list.iter().find(|n| !exists(&usable, n))) {
            return Err(unknown(&format!("`{stranger}` is no"), &usable));
        }
        let selection = Self::of(usable.clone(), named);
        match selection.allowed.is_empty() {
            true => Err(unknown("found no", &usable)),
            false => Ok(selection),
        }
    }

    /// The same of what is there, be it nothing.
    pub(crate) fn of(interfaces: Vec<Interface>, named: Option<&[String]>) -> Self {
        let usable: Vec<Interface> = interfaces.into_iter().filter(|i| i.up).collect();
        let is_named = |name: &str, address: &Address| {
            named.is_none_or(|list| {
                let ip = address.ip.to_string();
                list.iter().any(|wanted| wanted == name || *wanted == ip)
            })
        };
        let mut selection = Self {
            everything: named.is_none(),
            allowed: Vec::new(),
            multicast: Vec::new(),
            local: addresses(&usable)
                .map(|(i, a)| (i.name.clone(), a.ip))
                .collect(),
            mtu: usable.iter().map(|i| (i.name.clone(), i.mtu)).collect(),
        };
        for (interface, address) in addresses(&usable) {
            if is_named(&interface.name, address) {
                selection.allow(interface, *address);
            }
        }
        selection
    }

    fn allow(&mut self, interface: &Interface, address: Address) {
        self.allowed.push(Allowed {
            name: interface.name.clone(),
            address,
            loopback: interface.loopback,
        });
        let known = self
            .multicast
            .iter()
            .flatten()
            .any(|e| e.index == interface.index);
        if !known && (interface.multicast || interface.loopback) {
            self.multicast.push(Some(Egress {
                index: interface.index,
                source: address.ip,
            }));
        }
    }

    /// The local address for sockets.
    pub(crate) fn bind_to(&self) -> Ipv4Addr {
        match self.allowed.as_slice() {
            [only] if !self.everything => only.address.ip,
            _ => Ipv4Addr::UNSPECIFIED,
        }
    }

    /// An address for sockets that are bound to one.
    pub(crate) fn first_allowed(&self) -> Option<Ipv4Addr> {
        self.allowed.first().map(|a| a.address.ip)
    }

    /// True for an allowed address of this host.
    pub(crate) fn allows(&self, ip: Ipv4Addr) -> bool {
        self.allowed.iter().any(|a| a.address.ip == ip)
    }

    /// The destinations to accept on a socket that is bound to more than is allowed.
    pub(crate) fn accepted(&self) -> Option<Vec<Ipv4Addr>> {
        let filter = !self.everything && self.allowed.len() > 1;
        filter.then(|| self.allowed.iter().map(|a| a.address.ip).collect())
    }

    /// The addresses to tell peers.
    pub(crate) fn announced(&self) -> impl Iterator<Item = Ipv4Addr> {
        let only_loopback = self.only_loopback();
        let offered = self
            .allowed
            .iter()
            .filter(move |a| only_loopback || !a.loopback);
        offered.map(|a| a.address.ip)
    }

    /// The ways out for a multicast datagram: one per interface.
    pub(crate) fn multicast(&self) -> &[Option<Egress>] {
        &self.multicast
    }

    pub(crate) fn reaches(&self, to: Ipv4Addr) -> Reach {
        let near = |a: &Allowed| !a.loopback && a.address.contains(to);
        if to.is_multicast() {
            return if self.multicast.is_empty() {
                Reach::No
            } else {
                Reach::Subnet
            };
        }
        if to.is_loopback() {
            return self.reaches_loopback();
        }
        if self.interface_of(to).is_some() {
            return Reach::Host;
        }
        if to.is_broadcast() || self.allowed.iter().any(|a| a.address.is_broadcast(to)) {
            return Reach::No;
        }
        if !self.is_routed(to) {
            return Reach::No;
        }
        if self.allowed.iter().any(near) {
            Reach::Subnet
        } else {
            Reach::Far
        }
    }

    /// The largest IP packet that leaves for `to` uncut: that of the interface that it leaves by,
    /// of the smallest for a multicast group; nothing limits what stays on this host.
    pub(crate) fn mtu_to(&self, to: Ipv4Addr) -> usize {
        let of = |name: &str| self.mtu.iter().find(|(n, _)| n == name).map(|(_, m)| *m);
        let mtu = if to.is_multicast() {
            let outside = self.allowed.iter().filter(|a| !a.loopback);
            outside.filter_map(|a| of(&a.name)).min()
        } else if to.is_loopback() || self.interface_of(to).is_some() {
            None
        } else {
            let from = source_address(to).ok();
            from.and_then(|from| self.interface_of(from)).and_then(of)
        };
        mtu.and_then(|mtu| usize::try_from(mtu).ok())
            .unwrap_or(usize::MAX)
    }

    fn reaches_loopback(&self) -> Reach {
        if !self.allowed.iter().any(|a| a.loopback) {
            Reach::No
        } else if self.only_loopback() {
            Reach::Host
        } else {
            Reach::Loopback
        }
    }

    /// The kernel would send it by an interface that is allowed.
    fn is_routed(&self, to: Ipv4Addr) -> bool {
        let from = source_address(to).ok();
        let by = from.and_then(|from| self.interface_of(from));
        by.is_some_and(|name| self.allowed.iter().any(|a| a.name == name))
    }

    /// The interface that has this address.
    fn interface_of(&self, ip: Ipv4Addr) -> Option<&str> {
        let found = self.local.iter().find(|(_, own)| *own == ip);
        found.map(|(name, _)| name.as_str())
    }

    fn only_loopback(&self) -> bool {
        self.allowed.iter().all(|a| a.loopback)
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.allowed.iter().map(|a| (&*a.name, a.address.ip)))
    }
}

/// Prints `lo (127.0.0.1), eth0 (192.0.2.2)`.
fn list<'a>(
    f: &mut impl fmt::Write,
    entries: impl Iterator<Item = (&'a str, Ipv4Addr)>,
) -> fmt::Result {
    for (place, (name, ip)) in entries.enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        write!(f, "{comma}{name} ({ip})")?;
    }
    Ok(())
}

fn addresses(interfaces: &[Interface]) -> impl Iterator<Item = (&Interface, &Address)> {
    interfaces
        .iter()
        .flat_map(|i| i.addresses.iter().map(move |a| (i, a)))
}

fn exists(interfaces: &[Interface], wanted: &str) -> bool {
    addresses(interfaces).any(|(i, a)| i.name == wanted || a.ip.to_string() == wanted)
}

fn unknown(what: &str, usable: &[Interface]) -> io::Error {
    let mut known = String::new();
    // Writing to a String cannot fail.
    let _ = list(&mut known, addresses(usable).map(|(i, a)| (&*i.name, a.ip)));
    // Without any interface other names are of no use.
    let known = match known.is_empty() {
        true => {
            "none; bring one up (`ip link set lo up`), or do without UDP (DUNLIN_TRANSPORTS=shmem,local)"
        }
        false => &known,
    };
    io::Error::new(
        io::ErrorKind::NotFound,
        format!("{what} interface that is up with an IPv4 address; there are: {known}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(index: u32, name: &str, ip: [u8; 4], prefix: u8) -> Interface {
        let ip = Ipv4Addr::from(ip);
        Interface {
            index,
            name: name.into(),
            addresses: vec![Address { ip, prefix }],
            up: true,
            loopback: ip.is_loopback(),
            multicast: !ip.is_loopback(),
            mtu: 1500,
        }
    }

    fn host() -> Vec<Interface> {
        let mut down = interface(4, "eth2", [10, 0, 2, 1], 24);
        down.up = false;
        vec![
            interface(1, "lo", [127, 0, 0, 1], 8),
            interface(2, "eth0", [10, 0, 0, 1], 24),
            interface(3, "eth1", [10, 0, 1, 1], 24),
            down,
        ]
    }

    fn named(names: &[&str]) -> io::Result<Selection> {
        let names: Vec<String> = names.iter().map(|n| (*n).into()).collect();
        Selection::new(host(), Some(&names))
    }

    fn announced(selection: &Selection) -> Vec<[u8; 4]> {
        selection.announced().map(|ip| ip.octets()).collect()
    }

    #[test]
    fn everything_that_is_up_is_used_and_loopback_is_not_announced() {
        let all = Selection::new(host(), None).unwrap();
        assert_eq!(announced(&all), [[10, 0, 0, 1], [10, 0, 1, 1]]);
        assert_eq!(all.bind_to(), Ipv4Addr::UNSPECIFIED);
        assert_eq!(all.accepted(), None);
        let ways: Vec<u32> = all.multicast().iter().flatten().map(|e| e.index).collect();
        assert_eq!(ways, [1, 2, 3]);
    }

    #[test]
    fn broadcast_addresses_are_nobodys() {
        let all = Selection::new(host(), None).unwrap();
        for ip in [[255, 255, 255, 255], [10, 0, 0, 255], [10, 0, 1, 0]] {
            assert_eq!(all.reaches(Ipv4Addr::from(ip)), Reach::No, "{ip:?}");
        }
    }

    #[test]
    fn what_stays_on_this_host_is_not_cut() {
        let all = Selection::new(host(), None).unwrap();
        assert_eq!(all.mtu_to(Ipv4Addr::new(10, 0, 0, 1)), usize::MAX);
        assert_eq!(all.mtu_to(Ipv4Addr::LOCALHOST), usize::MAX);
        assert_eq!(all.mtu_to(Ipv4Addr::new(239, 255, 0, 1)), 1500);
        let lo = named(&["lo"]).unwrap();
        assert_eq!(lo.mtu_to(Ipv4Addr::new(239, 255, 0, 1)), usize::MAX);
    }

    #[test]
    fn loopback_alone_is_announced() {
        for name in ["lo", "127.0.0.1"] {
            let lo = named(&[name]).unwrap();
            assert_eq!(announced(&lo), [[127, 0, 0, 1]]);
            assert_eq!(lo.bind_to(), Ipv4Addr::LOCALHOST);
            assert_eq!(lo.multicast().len(), 1);
            assert_eq!(lo.reaches(Ipv4Addr::LOCALHOST), Reach::Host);
        }
    }

    #[test]
    fn several_of_many_are_filtered_by_destination() {
        let two = named(&["lo", "10.0.1.1"]).unwrap();
        assert_eq!(announced(&two), [[10, 0, 1, 1]]);
        assert_eq!(two.bind_to(), Ipv4Addr::UNSPECIFIED);
        assert_eq!(two.accepted().unwrap().len(), 2);
    }

    #[test]
    fn an_own_address_is_nearest_and_loopback_last() {
        let all = Selection::new(host(), None).unwrap();
        assert_eq!(all.reaches(Ipv4Addr::new(10, 0, 0, 1)), Reach::Host);
        assert_eq!(all.reaches(Ipv4Addr::LOCALHOST), Reach::Loopback);
        let eth0 = named(&["eth0"]).unwrap();
        assert_eq!(eth0.reaches(Ipv4Addr::new(10, 0, 1, 1)), Reach::Host);
        assert_eq!(eth0.reaches(Ipv4Addr::LOCALHOST), Reach::No);
    }

    #[test]
    fn who_follows_takes_what_is_there_of_what_was_named() {
        let names: Vec<String> = vec!["eth0".into(), "eth9".into()];
        let some = Selection::of(host(), Some(&names));
        assert_eq!(announced(&some), [[10, 0, 0, 1]]);
        let none = Selection::of(Vec::new(), Some(&names));
        assert!(announced(&none).is_empty() && none.multicast().is_empty());
    }

    #[test]
    fn a_stranger_is_named_beside_those_that_there_are() {
        for stranger in ["eth9", "eth2", "10.0.2.1", ""] {
            let error = named(&["lo", stranger]).unwrap_err().to_string();
            assert_eq!(
                error,
                format!(
                    "`{stranger}` is no interface that is up with an IPv4 address; \
                     there are: lo (127.0.0.1), eth0 (10.0.0.1), eth1 (10.0.1.1)"
                )
            );
        }
        assert!(named(&[]).unwrap_err().to_string().starts_with("found no"));
    }
}
