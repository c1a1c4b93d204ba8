//! CRC-32C over whole messages, in the header extension of RTPS 2.5 (8.3.7, 9.4.2.15).
//!
//! UDP's own checksum is weak and may be absent, and RTPS has none for payloads. The extension is
//! the first submessage of a sealed message and holds nothing but the checksum, which is computed
//! with its own four bytes zero.
use bytes::{BufMut, BytesMut};
use dunlin_wire::{Checksum, Header, HeaderExtension, Parameters, Submessage};

/// Bytes that a seal adds to a message.
pub(crate) const SEAL: usize = 8;
/// How a seal begins: a little-endian HEADER_EXTENSION of four bytes, which are a 32-bit checksum.
const START: [u8; 4] = [0x00, 0x21, 4, 0];
/// Where the checksum stands.
const FIELD: std::ops::Range<usize> = Header::SIZE + 4..Header::SIZE + SEAL;

/// What a message's checksum says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// There is none that we could check.
    Absent,
    /// The message is as it was sent.
    Whole,
    /// It is not.
    Damaged,
}

/// Writes `head` with a seal behind its header; the message continues with `rest`.
pub(crate) fn seal(head: &[u8], rest: [&[u8]; 2], out: &mut BytesMut) {
    let start = out.len();
    let (header, body) = head.split_at(Header::SIZE.min(head.len()));
    out.put_slice(header);
    extension(0).encode(out);
    out.put_slice(body);
    let sealed = out.get_mut(start..).unwrap_or_default();
    let crc = rest.iter().fold(crc32c::crc32c(sealed), |crc, part| {
        crc32c::crc32c_append(crc, part)
    });
    if let Some(field) = sealed.get_mut(FIELD) {
        field.copy_from_slice(&crc.to_be_bytes());
    }
}

/// Checks a received message.
pub(crate) fn verify(message: &[u8]) -> Verdict {
    let (Some(seal), Some(before), Some(after)) = (
        message.get(Header::SIZE..FIELD.end),
        message.get(..FIELD.start),
        message.get(FIELD.end..),
    ) else {
        return Verdict::Absent;
    };
    if !seal.starts_with(&START) {
        return Verdict::Absent;
    }
    let zeroed = crc32c::crc32c_append(crc32c::crc32c(before), &[0; 4]);
    let crc = crc32c::crc32c_append(zeroed, after);
    match seal.get(4..) == Some(&crc.to_be_bytes()) {
        true => Verdict::Whole,
        false => Verdict::Damaged,
    }
}

fn extension(crc: u32) -> Submessage<'static> {
    Submessage::HeaderExtension(HeaderExtension {
        message_length: None,
        timestamp: None,
        u_extension: None,
        w_extension: None,
        checksum: Some(Checksum::Crc32c(crc.to_be_bytes())),
        parameters: Parameters::NONE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{GuidPrefix, Message};

    fn sealed() -> Vec<u8> {
        let mut head = BytesMut::new();
        Header::new(GuidPrefix([7; 12])).encode(&mut head);
        Submessage::InfoDestination(GuidPrefix([9; 12])).encode(&mut head);
        let (payload, tail) = ([1u8; 300], [2u8; 4]);
        let mut out = BytesMut::new();
        seal(&head, [&payload, &tail], &mut out);
        assert_eq!(out.len(), head.len() + SEAL);
        assert_eq!(out[Header::SIZE..][..4], START);
        [&out[..], &payload, &tail].concat()
    }

    #[test]
    fn a_sealed_message_is_whole_and_still_a_message() {
        let message = sealed();
        assert_eq!(verify(&message), Verdict::Whole);
        let mut parsed = Message::parse(&message).unwrap();
        let first = parsed.submessages.next().unwrap().unwrap();
        assert!(matches!(
            first,
            Submessage::HeaderExtension(HeaderExtension {
                checksum: Some(_),
                ..
            })
        ));
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let message = sealed();
        for bit in 0..message.len() * 8 {
            let mut bad = message.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(verify(&bad), Verdict::Whole, "bit {bit}");
        }
        for cut in 0..message.len() {
            assert_ne!(verify(&message[..cut]), Verdict::Whole);
        }
    }
}
