//! The interfaces of this host and their IPv4 addresses.
use std::ffi::CStr;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::AsRawFd;
use std::ptr;

use socket2::{Domain, Protocol, SockAddr, Type};

/// An IPv4 address of an interface with the length of its network prefix in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address of this host.
    pub ip: Ipv4Addr,
    /// 24 means that the first three bytes name the subnet.
    pub prefix: u8,
}

impl Address {
    /// True if `other` is in the subnet of this address.
    pub fn contains(&self, other: Ipv4Addr) -> bool {
        (u32::from(self.ip) ^ u32::from(other)) & self.mask() == 0
    }

    /// True if `other` stands for all hosts of the subnet, by its last address or, as of old, by
    /// its first.
    pub fn is_broadcast(&self, other: Ipv4Addr) -> bool {
        const POINT_TO_POINT: u8 = 31;
        let host = u32::from(other) & !self.mask();
        self.prefix < POINT_TO_POINT && self.contains(other) && (host == 0 || host == !self.mask())
    }

    fn mask(&self) -> u32 {
        let host_bits = 32_u32.saturating_sub(u32::from(self.prefix));
        u32::MAX.checked_shl(host_bits).unwrap_or(0)
    }
}

/// A network interface as it was when [`interfaces`] was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The kernel's number for it, never 0.
    pub index: u32,
    /// Such as `lo` or `eth0`.
    pub name: String,
    /// IPv4 only, in the kernel's order.
    pub addresses: Vec<Address>,
    /// Administratively up.
    pub up: bool,
    /// Its datagrams never leave this host.
    pub loopback: bool,
    /// The flag MULTICAST is set. It is clear on Linux's `lo`, where multicast works all the same
    /// when a datagram names the interface.
    pub multicast: bool,
    /// Largest IP packet in bytes; 0 if unknown.
    pub mtu: u32,
}

/// All interfaces of the network namespace of this process.
pub fn interfaces() -> io::Result<Vec<Interface>> {
    let probe = socket2::Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    let mut found: Vec<Interface> = Vec::new();
    for_each_address(|entry| {
        let known = found.iter_mut().find(|i| i.name == entry.name);
        match known {
            Some(interface) => interface.addresses.extend(entry.address),
            None => found.push(interface_of(&probe, entry)),
        }
    })?;
    found.retain(|i| i.index != 0);
    Ok(found)
}

/// The address that the kernel would send from to reach `to`; fails if there is no route. Nothing
/// is sent.
pub fn source_address(to: Ipv4Addr) -> io::Result<Ipv4Addr> {
    const ANY_PORT: u16 = 9;
    let probe = socket2::Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    probe.connect(&SockAddr::from(SocketAddrV4::new(to, ANY_PORT)))?;
    match probe.local_addr()?.as_socket() {
        Some(SocketAddr::V4(local)) => Ok(*local.ip()),
        _ => Err(io::ErrorKind::AddrNotAvailable.into()),
    }
}

/// One line of what the kernel lists: an interface, perhaps with one of its IPv4 addresses.
struct Entry {
    name: String,
    raw_name: [libc::c_char; libc::IFNAMSIZ],
    flags: u32,
    address: Option<Address>,
}

fn interface_of(probe: &socket2::Socket, entry: Entry) -> Interface {
    let has = |flag: libc::c_int| entry.flags & flag.cast_unsigned() != 0;
    Interface {
        index: index(&entry.raw_name),
        up: has(libc::IFF_UP),
        loopback: has(libc::IFF_LOOPBACK),
        multicast: has(libc::IFF_MULTICAST),
        mtu: mtu(probe, entry.raw_name),
        addresses: entry.address.into_iter().collect(),
        name: entry.name,
    }
}

fn for_each_address(mut visit: impl FnMut(Entry)) -> io::Result<()> {
    let mut list: *mut libc::ifaddrs = ptr::null_mut();
    // SAFETY: `list` outlives the call, which stores one pointer in it.
    if unsafe { libc::getifaddrs(&mut list) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut at = list;
    // SAFETY: `at` is null or a node of the list that getifaddrs returned, which is freed only
    // below.
    while let Some(node) = unsafe { at.as_ref() } {
        // SAFETY: the node's name is a NUL-terminated string that lives as long as the list.
        let name = unsafe { CStr::from_ptr(node.ifa_name) };
        visit(Entry {
            name: name.to_string_lossy().into_owned(),
            raw_name: short_name(name),
            flags: node.ifa_flags,
            address: address(node),
        });
        at = node.ifa_next;
    }
    // SAFETY: `list` came from getifaddrs, and nothing refers to it any more.
    unsafe { libc::freeifaddrs(list) };
    Ok(())
}

fn address(node: &libc::ifaddrs) -> Option<Address> {
    let ip = ip(node.ifa_addr)?;
    let mask = ip_of_mask(node.ifa_netmask);
    let prefix = u32::from(mask).leading_ones();
    Some(Address {
        ip,
        prefix: u8::try_from(prefix).unwrap_or(32),
    })
}

fn ip(address: *const libc::sockaddr) -> Option<Ipv4Addr> {
    // SAFETY: null, or an address in the list of getifaddrs, of which the family is always present.
    let family = unsafe { address.as_ref() }?.sa_family;
    if libc::c_int::from(family) != libc::AF_INET {
        return None;
    }
    // SAFETY: the family says that this is a `sockaddr_in`; read_unaligned asks for no alignment.
    let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
    Some(Ipv4Addr::from(v4.sin_addr.s_addr.to_ne_bytes()))
}

/// An interface without a mask is a subnet of one address.
fn ip_of_mask(address: *const libc::sockaddr) -> Ipv4Addr {
    ip(address).unwrap_or(Ipv4Addr::BROADCAST)
}

/// The name as the kernel's fixed field wants it, with at least one NUL at the end.
fn short_name(name: &CStr) -> [libc::c_char; libc::IFNAMSIZ] {
    let mut field = [0; libc::IFNAMSIZ];
    let room = field.len() - 1;
    for (to, from) in field.iter_mut().take(room).zip(name.to_bytes()) {
        *to = libc::c_char::from_ne_bytes([*from]);
    }
    field
}

fn index(name: &[libc::c_char; libc::IFNAMSIZ]) -> u32 {
    // SAFETY: `short_name` left a NUL at the end of the field.
    unsafe { libc::if_nametoindex(name.as_ptr()) }
}

fn mtu(probe: &socket2::Socket, name: [libc::c_char; libc::IFNAMSIZ]) -> u32 {
    let mut request = libc::ifreq {
        ifr_name: name,
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_mtu: 0 },
    };
    // SAFETY: SIOCGIFMTU reads the name and writes the mtu of this `ifreq`, which outlives the
    // call.
    let result = unsafe { libc::ioctl(probe.as_raw_fd(), libc::SIOCGIFMTU as _, &mut request) };
    if result != 0 {
        return 0;
    }
    // SAFETY: `ifru_mtu` was initialised above and every bit pattern is an int.
    u32::try_from(unsafe { request.ifr_ifru.ifru_mtu }).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_is_listed() {
        let all = interfaces().unwrap();
        let lo = all.iter().find(|i| i.loopback).unwrap();
        assert!(lo.index > 0);
        assert!(lo.mtu >= 1500);
        if lo.up {
            let home = Address {
                ip: Ipv4Addr::LOCALHOST,
                prefix: 8,
            };
            assert!(lo.addresses.contains(&home));
            assert_eq!(
                source_address(Ipv4Addr::LOCALHOST).unwrap(),
                Ipv4Addr::LOCALHOST
            );
        }
    }

    #[test]
    fn a_prefix_decides_what_a_subnet_contains() {
        let address = |prefix| Address {
            ip: Ipv4Addr::new(10, 1, 2, 3),
            prefix,
        };
        assert!(address(24).contains(Ipv4Addr::new(10, 1, 2, 250)));
        assert!(!address(24).contains(Ipv4Addr::new(10, 1, 3, 3)));
        assert!(address(32).contains(Ipv4Addr::new(10, 1, 2, 3)));
        assert!(!address(32).contains(Ipv4Addr::new(10, 1, 2, 2)));
        assert!(address(0).contains(Ipv4Addr::new(192, 168, 0, 1)));
    }
}
