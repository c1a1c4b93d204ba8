//! The few things that the cable must know of a frame.
use crate::dice::Dice;

const ETHERNET: usize = 14;
const UDP: u8 = 17;
const UDP_HEADER: usize = 8;

/// True for an Ethernet frame with an IPv4 packet.
pub(crate) fn is_ip(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&[0x08, 0x00])
}

/// Says that the UDP datagram has no checksum, if the frame holds the beginning of one.
pub(crate) fn clear_checksum(frame: &mut [u8]) {
    if let Some(udp) = udp(frame)
        && let Some(checksum) = frame.get_mut(udp + 6..udp + 8)
    {
        checksum.fill(0);
    }
}

/// Flips one to four bits of the datagram's payload; false if there is none.
pub(crate) fn corrupt(frame: &mut [u8], dice: &mut Dice) -> bool {
    let flips = 1 + dice.next() % 4;
    let draws: Vec<u64> = (0..flips).map(|_| dice.next()).collect();
    let Some(payload) = udp(frame).and_then(|udp| frame.get_mut(udp + UDP_HEADER..)) else {
        return false;
    };
    if payload.is_empty() {
        return false;
    }
    for draw in draws {
        let bit = (draw % (payload.len() as u64 * 8)) as usize;
        payload[bit / 8] ^= 1 << (bit % 8);
    }
    true
}

/// Where the UDP header begins; `None` for other protocols and for later fragments of a packet.
fn udp(frame: &[u8]) -> Option<usize> {
    let ip = frame.get(ETHERNET..)?;
    let offset = u16::from_be_bytes([*ip.get(6)?, *ip.get(7)?]) & 0x1fff;
    let is_udp = is_ip(frame) && *ip.get(9)? == UDP && offset == 0;
    is_udp.then_some(ETHERNET + usize::from(*ip.first()? & 0xf) * 4)
}
