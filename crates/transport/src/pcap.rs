//! Datagrams as packets of a pcap file, with IPv4 and UDP headers made up for them.
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use dunlin_wire::Locator;

/// Times in nanoseconds, and every packet begins with its IPv4 header.
const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const LINKTYPE_IPV4: u32 = 228;
const IP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;

/// What a file begins with.
pub(crate) fn file_header() -> Vec<u8> {
    const VERSION: [u16; 2] = [2, 4];
    const SNAP_LENGTH: u32 = 262_144;
    let mut header = MAGIC_NANOSECONDS.to_le_bytes().to_vec();
    header.extend(VERSION.iter().flat_map(|v| v.to_le_bytes()));
    // Time zone and accuracy, which nobody uses.
    header.extend([0; 8]);
    header.extend(SNAP_LENGTH.to_le_bytes());
    header.extend(LINKTYPE_IPV4.to_le_bytes());
    header
}

/// One datagram, which came or went at `time` since 1970. False if it is too long for a packet;
/// `record` is empty then.
pub(crate) fn record(
    record: &mut Vec<u8>,
    time: Duration,
    from: SocketAddrV4,
    to: SocketAddrV4,
    parts: &[&[u8]],
) -> bool {
    record.clear();
    let payload: usize = parts.iter().map(|p| p.len()).sum();
    let Ok(udp_length) = u16::try_from(UDP_HEADER + payload) else {
        return false;
    };
    let Ok(ip_length) = u16::try_from(IP_HEADER + usize::from(udp_length)) else {
        return false;
    };
    // 32 bits of seconds last until 2106.
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    record.extend(seconds.to_le_bytes());
    record.extend(time.subsec_nanos().to_le_bytes());
    record.extend(u32::from(ip_length).to_le_bytes());
    record.extend(u32::from(ip_length).to_le_bytes());
    record.extend(ip_header(ip_length, *from.ip(), *to.ip()));
    record.extend(from.port().to_be_bytes());
    record.extend(to.port().to_be_bytes());
    record.extend(udp_length.to_be_bytes());
    const NO_CHECKSUM: [u8; 2] = [0; 2];
    record.extend(NO_CHECKSUM);
    parts.iter().for_each(|part| record.extend_from_slice(part));
    true
}

/// The IPv4 address and port that stand for any locator; those of another kind show the end of
/// their address.
pub(crate) fn endpoint(locator: &Locator) -> SocketAddrV4 {
    let [.., a, b, c, d] = locator.address;
    let [.., high, low] = locator.port.to_be_bytes();
    SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), u16::from_be_bytes([high, low]))
}

fn ip_header(length: u16, from: Ipv4Addr, to: Ipv4Addr) -> [u8; IP_HEADER] {
    const VERSION_4_FIVE_WORDS: u8 = 0x45;
    const TTL: u8 = 64;
    const UDP: u8 = 17;
    let [high, low] = length.to_be_bytes();
    let [a, b, c, d] = from.octets();
    let [e, f, g, h] = to.octets();
    let with_sum = |[x, y]: [u8; 2]| {
        [
            VERSION_4_FIVE_WORDS,
            0,
            high,
            low,
            0,
            0,
            0,
            0,
            TTL,
            UDP,
            x,
            y,
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
        ]
    };
    with_sum(checksum(&with_sum([0, 0])).to_be_bytes())
}

/// The Internet checksum (RFC 1071).
fn checksum(header: &[u8; IP_HEADER]) -> u16 {
    let words = header.chunks_exact(2).map(|w| match *w {
        [high, low] => u32::from(u16::from_be_bytes([high, low])),
        _ => 0,
    });
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    !u16::try_from(folded).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_packet() {
        let from = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 0x1234);
        let to = SocketAddrV4::new(Ipv4Addr::new(239, 255, 0, 1), 7400);
        let mut bytes = vec![1, 2, 3];
        assert!(record(
            &mut bytes,
            Duration::new(5, 7),
            from,
            to,
            &[b"ab", b"", b"c"]
        ));
        let expected = [
            &[5, 0, 0, 0, 7, 0, 0, 0, 31, 0, 0, 0, 31, 0, 0, 0][..],
            &[
                0x45, 0, 0, 31, 0, 0, 0, 0, 64, 17, 0x80, 0xcd, 10, 0, 0, 1, 239, 255, 0, 1,
            ],
            &[0x12, 0x34, 0x1c, 0xe8, 0, 11, 0, 0],
            b"abc",
        ]
        .concat();
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_datagram_too_long_for_udp_gives_no_record() {
        let any = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1);
        let mut bytes = Vec::new();
        assert!(record(&mut bytes, Duration::ZERO, any, any, &[&[0; 65507]]));
        assert!(!record(
            &mut bytes,
            Duration::ZERO,
            any,
            any,
            &[&[0; 65508]]
        ));
        assert!(bytes.is_empty());
    }
}
