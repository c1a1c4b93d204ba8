//! Peer descriptors: where participants may be that no multicast finds.
//!
//! `[index@][class://]address[:port]`, as RTI Connext has it. The text is parsed here, once, into a
//! [`PeerDescriptor`]; what it stands for on a participant with certain transports is [`place`]'s,
//! where lists of them come from is [`list`]'s, and what has become of them at run time is
//! [`peer_list`]'s.
mod error;
mod initial_peers;
mod name_lookup;
mod peer_list;
mod targets;

pub use error::PeerError;
pub(crate) use initial_peers::InitialPeers;
pub(crate) use name_lookup::{NameLookup, Names};
pub use peer_list::PeerStatus;
pub(crate) use peer_list::{ParticipantAddresses, PeerList};
pub(crate) use targets::{AvailableTransports, neighbours};

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

/// The highest participant index that is ever tried: later participants of a host take any free
/// ports.
const MAX_INDEX: u32 = 119;
/// Longest host name (RFC 1035 2.3.4).
const MAX_NAME: usize = 253;
/// Longest descriptor.
const MAX_TEXT: usize = 300;

/// By which transport a peer is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerClass {
    /// `udpv4`: UDP over IPv4.
    Udpv4,
    /// `shmem`: shared memory with participants of this host; it has no address.
    Shmem,
    /// `tcpv4_lan`: TCP to a server in the same network.
    Tcpv4Lan,
    /// `tcpv4_wan`: TCP to a server behind a public address.
    Tcpv4Wan,
    /// `tlsv4_lan`: as `tcpv4_lan`, through TLS.
    Tlsv4Lan,
    /// `tlsv4_wan`: as `tcpv4_wan`, through TLS.
    Tlsv4Wan,
}

impl PeerClass {
    /// All there are.
    pub const ALL: [Self; 6] = [
        Self::Udpv4,
        Self::Shmem,
        Self::Tcpv4Lan,
        Self::Tcpv4Wan,
        Self::Tlsv4Lan,
        Self::Tlsv4Wan,
    ];

    /// As descriptors have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Udpv4 => "udpv4",
            Self::Shmem => "shmem",
            Self::Tcpv4Lan => "tcpv4_lan",
            Self::Tcpv4Wan => "tcpv4_wan",
            Self::Tlsv4Lan => "tlsv4_lan",
            Self::Tlsv4Wan => "tlsv4_wan",
        }
    }

    /// `builtin.udpv4` is the same as `udpv4`, and upper case the same as lower.
    fn parse(text: &str) -> Option<Self> {
        const ALIAS: &str = "builtin.";
        let alias = text.get(..ALIAS.len());
        let plain = match alias.filter(|alias| alias.eq_ignore_ascii_case(ALIAS)) {
            Some(_) => text.get(ALIAS.len()..)?,
            None => text,
        };
        let is_it = |class: &Self| class.name().eq_ignore_ascii_case(plain);
        Self::ALL.into_iter().find(is_it)
    }
}

/// Participant indexes of a host, which say at which well-known ports (RTPS 2.5 9.6.2.3) its
/// participants are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerIndexes {
    /// The first.
    pub first: u32,
    /// The last, not below the first and at most 119.
    pub last: u32,
}

/// Where a peer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerHost {
    /// By address; it may be a multicast group's.
    Address(Ipv4Addr),
    /// By a name, which is looked up when it is needed, and again while nobody is found there.
    Name(String),
    /// On this host: shared memory has no addresses.
    Here,
}

/// One place, or several of one host, where participants may be:
/// `[index@][class://]address[:port]`.
///
/// ```
/// use dunlin::{PeerClass, PeerDescriptor};
///
/// let peer: PeerDescriptor = "[2-5]@builtin.udpv4://10.0.0.1".parse()?;
/// assert_eq!(peer.class, Some(PeerClass::Udpv4));
/// assert_eq!(peer.indexes.map(|i| (i.first, i.last)), Some((2, 5)));
/// assert_eq!(peer.to_string(), "[2-5]@udpv4://10.0.0.1");
/// # Ok::<(), dunlin::PeerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerDescriptor {
    /// `N@`: 0 to N, `[N]@`: N alone, `[A-B]@`: A to B; without any, 0 to 4.
    pub indexes: Option<PeerIndexes>,
    /// By which transport; without any, by UDP if the participant has it, else by TCP.
    pub class: Option<PeerClass>,
    /// Where.
    pub host: PeerHost,
    /// At this port alone, whatever the indexes.
    pub port: Option<u16>,
}

impl FromStr for PeerDescriptor {
    type Err = PeerError;

    fn from_str(text: &str) -> Result<Self, PeerError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PeerError::new(text, text, "there is nothing"));
        }
        if text.len() > MAX_TEXT {
            let why = format!("{} bytes are more than {MAX_TEXT}", text.len());
            return Err(PeerError::new(text, text, why));
        }
        let (indexes, rest) = match text.split_once('@') {
            Some((indexes, rest)) => (Some(parse_indexes(text, indexes)?), rest),
            None => (None, text),
        };
        let (class, rest) = match rest.split_once("://") {
            Some((class, rest)) => (Some(parse_class(text, class)?), rest),
            None => (None, rest),
        };
        let (host, port) = parse_place(text, class, rest)?;
        Ok(Self {
            indexes,
            class,
            host,
            port,
        })
    }
}

/// `N`, `[N]` or `[A-B]`.
fn parse_indexes(text: &str, part: &str) -> Result<PeerIndexes, PeerError> {
    let within = part.strip_prefix('[').and_then(|p| p.strip_suffix(']'));
    let (first, last) = match within {
        None => (0, index(text, part)?),
        Some(within) => match within.split_once('-') {
            Some((first, last)) => (index(text, first)?, index(text, last)?),
            None => {
                let only = index(text, within)?;
                (only, only)
            }
        },
    };
    if first > last {
        let why = format!("the first index, {first}, is greater than the last, {last}");
        return Err(PeerError::new(text, part, why));
    }
    Ok(PeerIndexes { first, last })
}

fn index(text: &str, part: &str) -> Result<u32, PeerError> {
    let Some(index) = number::<u32>(part) else {
        let why = "is not a participant index, which is a number";
        return Err(PeerError::of(text, part, why));
    };
    if index > MAX_INDEX {
        let why = format!("is too large for a participant index: 0 to {MAX_INDEX} are allowed");
        return Err(PeerError::of(text, part, why));
    }
    Ok(index)
}

/// Digits alone: Rust's own parser takes a sign too.
fn number<T: FromStr>(part: &str) -> Option<T> {
    let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| part.parse().ok()).flatten()
}

fn parse_class(text: &str, part: &str) -> Result<PeerClass, PeerError> {
    PeerClass::parse(part).ok_or_else(|| {
        let names = PeerClass::ALL.map(PeerClass::name).join(", ");
        let why = format!("is not a class of transport; {names} are");
        PeerError::of(text, part, why)
    })
}

/// `address[:port]`, or nothing for shared memory.
fn parse_place(
    text: &str,
    class: Option<PeerClass>,
    part: &str,
) -> Result<(PeerHost, Option<u16>), PeerError> {
    if class == Some(PeerClass::Shmem) {
        return match part.is_empty() {
            true => Ok((PeerHost::Here, None)),
            false => Err(PeerError::of(
                text,
                part,
                "is too much: shared memory has no address; shmem:// is all of this host",
            )),
        };
    }
    let (host, port) = match part.rsplit_once(':') {
        Some((host, port)) => (host, Some(parse_port(text, port)?)),
        None => (part, None),
    };
    Ok((parse_host(text, host)?, port))
}

fn parse_port(text: &str, part: &str) -> Result<u16, PeerError> {
    let port = number(part).filter(|port| *port != 0);
    port.ok_or_else(|| PeerError::of(text, part, "is not a port from 1 to 65535"))
}

fn parse_host(text: &str, part: &str) -> Result<PeerHost, PeerError> {
    if part.is_empty() {
        return Err(PeerError::new(text, part, "there is no address"));
    }
    if let Ok(address) = part.parse::<Ipv4Addr>() {
        if address.is_unspecified() || address.is_broadcast() {
            let why = "is no address of a host or of a multicast group";
            return Err(PeerError::of(text, part, why));
        }
        return Ok(PeerHost::Address(address));
    }
    // Whatever has no letter was meant as an address, and is not sent to a name server.
    let has_letter = part.bytes().any(|b| b.is_ascii_alphabetic());
    let in_names = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    let is_name = part.len() <= MAX_NAME && part.bytes().all(in_names);
    if !has_letter || !is_name {
        let why = "is neither an IPv4 address nor the name of a host";
        return Err(PeerError::of(text, part, why));
    }
    Ok(PeerHost::Name(part.to_owned()))
}

impl fmt::Display for PeerIndexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { first: 0, last } => write!(f, "{last}"),
            Self { first, last } if first == last => write!(f, "[{last}]"),
            Self { first, last } => write!(f, "[{first}-{last}]"),
        }
    }
}

impl fmt::Display for PeerDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(indexes) = self.indexes {
            write!(f, "{indexes}@")?;
        }
        if let Some(class) = self.class {
            write!(f, "{}://", class.name())?;
        }
        match &self.host {
            PeerHost::Address(address) => write!(f, "{address}")?,
            PeerHost::Name(name) => f.write_str(name)?,
            PeerHost::Here => {}
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
