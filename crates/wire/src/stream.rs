//! RTPS messages one after the other in a stream of bytes, such as TCP.
//!
//! The standard has no such mapping; this is the one of Cyclone DDS. The first submessage of each
//! message in a stream is a vendor's own, MSG_LEN: its four bytes are the length of the whole
//! message, header and MSG_LEN included. Where the stream begins and ends, MSG_LEN is put in and
//! taken out, so that what travels is the same message as in a datagram.
//!
//! Dunlin's own kind adds two submessages, which all others skip: HELLO, the first message of a
//! connection, and OPAQUE, around a datagram that is no RTPS message.
use crate::{GuidPrefix, Header, ProtocolVersion, VendorId};
use core::fmt;

/// Bytes of a message in a stream until its length is known.
pub const HEAD: usize = Header::SIZE + LENGTH;
/// Bytes of MSG_LEN: so much longer is a message in a stream.
pub const LENGTH: usize = 8;
/// Bytes in front of a datagram that is no RTPS message.
pub const OPAQUE_HEAD: usize = HEAD + 4;

const MAGIC: &[u8; 4] = b"RTPS";
const MSG_LEN: u8 = 0x81;
const HELLO: u8 = 0xd0;
const OPAQUE: u8 = 0xd1;
const LITTLE_ENDIAN: u8 = 0x01;
const HELLO_BODY: u16 = 4;

/// What the head of a message in a stream says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamHead {
    /// The participant that sends.
    pub prefix: GuidPrefix,
    /// Its product.
    pub vendor: VendorId,
    /// Bytes of the message in the stream, [`HEAD`] at least.
    pub length: u32,
}

/// Why bytes are no message in a stream. What follows cannot be understood either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// It does not begin as an RTPS message does.
    Magic,
    /// Another major version of RTPS.
    Version(u8),
    /// The first submessage does not tell the length.
    NoLength,
    /// The message would be shorter than its own head.
    Length(u32),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("the bytes are no RTPS message"),
            Self::Version(major) => write!(f, "RTPS version {major} is not understood"),
            Self::NoLength => f.write_str("the first submessage is not MSG_LEN"),
            Self::Length(length) => write!(f, "MSG_LEN says {length} bytes, fewer than it has"),
        }
    }
}

impl core::error::Error for StreamError {}

impl StreamHead {
    /// Reads the head of the message that `bytes` begin with; `None` if there are too few of them
    /// to say. Wrong ones are found as early as they can be.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, StreamError> {
        let compared = bytes.len().min(MAGIC.len());
        if bytes.get(..compared) != MAGIC.get(..compared) {
            return Err(StreamError::Magic);
        }
        if let Some(major) = bytes.get(4)
            && *major != ProtocolVersion::CURRENT.major
        {
            return Err(StreamError::Version(*major));
        }
        let Some((header, after)) = bytes.split_first_chunk::<{ Header::SIZE }>() else {
            return Ok(None);
        };
        let Some(&[id, flags, a, b, length @ ..]) = after.first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let little = flags & LITTLE_ENDIAN != 0;
        let (octets, length) = match little {
            true => (u16::from_le_bytes([a, b]), u32::from_le_bytes(length)),
            false => (u16::from_be_bytes([a, b]), u32::from_be_bytes(length)),
        };
        if (id, octets) != (MSG_LEN, 4) {
            return Err(StreamError::NoLength);
        }
        if usize::try_from(length).is_ok_and(|length| length < HEAD) {
            return Err(StreamError::Length(length));
        }
        let [_, _, _, _, _, _, v0, v1, prefix @ ..] = *header;
        Ok(Some(Self {
            prefix: GuidPrefix(prefix),
            vendor: VendorId([v0, v1]),
            length,
        }))
    }
}

/// What stands in a stream for the header of an RTPS message of `length` bytes in all.
pub fn head(header: &[u8; Header::SIZE], length: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    let (first, second) = head.split_at_mut(Header::SIZE);
    first.copy_from_slice(header);
    second.copy_from_slice(&message_length(length.saturating_add(LENGTH as u32)));
    head
}

/// What stands in a stream in front of a datagram of `length` bytes that is no RTPS message.
pub fn opaque_head(prefix: GuidPrefix, length: u32) -> [u8; OPAQUE_HEAD] {
    let whole = length.saturating_add(OPAQUE_HEAD as u32);
    own(prefix, whole, [OPAQUE, LITTLE_ENDIAN, 0, 0])
}

/// What a message in a stream was before it got there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried<'a> {
    /// An RTPS message: its header, and what follows it.
    Message(&'a [u8], &'a [u8]),
    /// Any bytes.
    Opaque(&'a [u8]),
}

impl<'a> Carried<'a> {
    /// Takes a whole message of a stream apart, or the beginning of one, [`OPAQUE_HEAD`] bytes or
    /// all that it has.
    pub fn parse(message: &'a [u8]) -> Self {
        let (header, rest) = message.split_at(message.len().min(Header::SIZE));
        let rest = rest.get(LENGTH..).unwrap_or_default();
        let is_own = header.get(6..8) == Some(&VendorId::DUNLIN.0);
        match rest.strip_prefix(&[OPAQUE, LITTLE_ENDIAN, 0, 0]) {
            Some(bytes) if is_own => Self::Opaque(bytes),
            _ => Self::Message(header, rest),
        }
    }

    /// Bytes of what was carried.
    pub fn length(&self) -> usize {
        match self {
            Self::Message(header, rest) => header.len().saturating_add(rest.len()),
            Self::Opaque(bytes) => bytes.len(),
        }
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Discovery, and what has no way of its own.
    Meta,
    /// User data, which does not hold discovery up there.
    User,
}

/// The first message on a connection between two of our own kind, once in each direction. Who hears
/// none talks to another product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The participant that speaks.
    pub name: GuidPrefix,
    /// What the connection is for.
    pub channel: Channel,
    /// Where it can be dialled, at the address that the connection comes from; 0 if it cannot.
    pub port: u16,
}

impl Hello {
    /// Bytes in the stream.
    pub const SIZE: usize = OPAQUE_HEAD + HELLO_BODY as usize;

    /// The message as it stands in the stream.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let [low, high] = HELLO_BODY.to_le_bytes();
        let [p0, p1] = self.port.to_le_bytes();
        let channel = u8::from(self.channel == Channel::User);
        let mut bytes = [0; Self::SIZE];
        let (first, body) = bytes.split_at_mut(OPAQUE_HEAD);
        let submessage = [HELLO, LITTLE_ENDIAN, low, high];
        first.copy_from_slice(&own(self.name, Self::SIZE as u32, submessage));
        body.copy_from_slice(&[channel, 0, p0, p1]);
        bytes
    }

    /// Reads a whole message of a stream; `None` if it is something else. Later versions may say
    /// more behind this.
    pub fn parse(message: &[u8]) -> Option<Self> {
        let head = StreamHead::parse(message).ok()??;
        let rest = message.get(HEAD..)?;
        let [HELLO, LITTLE_ENDIAN, _, _, channel, _, p0, p1] = *rest.first_chunk::<8>()? else {
            return None;
        };
        (head.vendor == VendorId::DUNLIN).then_some(Self {
            name: head.prefix,
            channel: match channel {
                0 => Channel::Meta,
                _ => Channel::User,
            },
            port: u16::from_le_bytes([p0, p1]),
        })
    }
}

fn message_length(whole: u32) -> [u8; LENGTH] {
    let [a, b, c, d] = whole.to_le_bytes();
    [MSG_LEN, LITTLE_ENDIAN, 4, 0, a, b, c, d]
}

/// The head of a message of our own kind, `whole` bytes in the stream, and of the submessage that
/// follows.
fn own(prefix: GuidPrefix, whole: u32, submessage: [u8; 4]) -> [u8; OPAQUE_HEAD] {
    let mut bytes = [0; OPAQUE_HEAD];
    let (mut header, after) = bytes.split_at_mut(Header::SIZE);
    Header::new(prefix).encode(&mut header);
    let (length, first) = after.split_at_mut(LENGTH);
    length.copy_from_slice(&message_length(whole));
    first.copy_from_slice(&submessage);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, Submessage};
    use alloc::vec::Vec;

    const NAME: GuidPrefix = GuidPrefix([0x44, 0x4c, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

    fn datagram(submessages: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Header::new(NAME).encode(&mut bytes);
        bytes.extend_from_slice(submessages);
        bytes
    }

    #[test]
    fn a_message_comes_out_of_the_stream_as_it_went_in() {
        let sent = datagram(&[9, 3, 0, 0]);
        let (header, rest) = sent.split_first_chunk().unwrap();
        let message = [&head(header, 24)[..], rest].concat();
        let parsed = StreamHead::parse(&message).unwrap().unwrap();
        assert_eq!((parsed.length, parsed.prefix), (32, NAME));
        assert_eq!(message.len(), 32);
        let carried = Carried::parse(&message);
        assert_eq!(carried, Carried::Message(header, rest));
        assert_eq!(carried.length(), sent.len());
    }

    #[test]
    fn any_bytes_come_out_as_they_went_in() {
        for sent in [&b"x"[..], b"RTPS, but not really", b""] {
            let length = u32::try_from(sent.len()).unwrap();
            let message = [&opaque_head(NAME, length)[..], sent].concat();
            let parsed = StreamHead::parse(&message).unwrap().unwrap();
            assert_eq!(usize::try_from(parsed.length).unwrap(), message.len());
            assert_eq!(Carried::parse(&message), Carried::Opaque(sent));
            assert_eq!(Hello::parse(&message), None);
        }
    }

    /// As Cyclone DDS 0.10 sends it on a machine of either byte order.
    #[test]
    fn the_length_is_read_in_either_order() {
        for (flags, rest) in [(1, [4, 0, 0x2c, 1, 0, 0]), (0, [0, 4, 0, 0, 1, 0x2c])] {
            let bytes = datagram(&[&[0x81, flags], &rest[..]].concat());
            let parsed = StreamHead::parse(&bytes).unwrap().unwrap();
            assert_eq!(parsed.length, 300);
        }
    }

    #[test]
    fn others_skip_a_hello() {
        for (channel, port) in [(Channel::Meta, 7400), (Channel::User, 0)] {
            let hello = Hello {
                name: NAME,
                channel,
                port,
            };
            let bytes = hello.encode();
            assert_eq!(Hello::parse(&bytes), Some(hello));
            let read: Vec<_> = Message::parse(&bytes).unwrap().into_iter().collect();
            assert_eq!(
                read,
                [Ok(Submessage::Unknown(0x81)), Ok(Submessage::Unknown(0xd0))]
            );
        }
    }

    #[test]
    fn what_is_wrong_is_found_early() {
        assert_eq!(StreamHead::parse(b""), Ok(None));
        assert_eq!(StreamHead::parse(b"GE"), Err(StreamError::Magic));
        assert_eq!(StreamHead::parse(b"RTPS\x01"), Err(StreamError::Version(1)));
        let good = Hello {
            name: NAME,
            channel: Channel::User,
            port: 1,
        };
        let good = good.encode();
        for length in 0..HEAD {
            assert_eq!(StreamHead::parse(&good[..length]), Ok(None));
        }
        let no_length = datagram(&[9, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!(StreamHead::parse(&no_length), Err(StreamError::NoLength));
        let short = datagram(&[0x81, 1, 4, 0, 27, 0, 0, 0]);
        assert_eq!(StreamHead::parse(&short), Err(StreamError::Length(27)));
    }
}
