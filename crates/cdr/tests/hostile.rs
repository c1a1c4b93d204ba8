//! Payloads made to hurt: each is refused, at once and for the right reason.

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{
    Error, MAX_DEPTH, Topic, Xcdr, from_payload, from_payload_bytes, key_from_payload, to_payload,
};
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;

macro_rules! topic {
    ($name:ident, $field:ty, $extensibility:literal) => {
        #[derive(Topic, Debug, PartialEq)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        struct $name {
            #[key]
            value: $field,
        }
    };
}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Empty {}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
enum Letter {
    A,
    B,
}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
enum Either {
    Left(u8),
    Right(u8),
}

#[derive(Topic, Debug, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
struct Chain {
    next: Vec<Chain>,
}

topic!(Text, String, "final");
topic!(Octets, Bytes, "final");
topic!(Doubles, Vec<f64>, "final");
topic!(Texts, Vec<String>, "final");
topic!(Empties, Vec<Empty>, "final");
topic!(Truths, Vec<bool>, "final");
topic!(Chosen, Letter, "final");
topic!(Sided, Either, "final");
topic!(Map, BTreeMap<u8, u8>, "final");
topic!(Loose, Vec<u64>, "mutable");

const CDR_LE: [u8; 4] = [0, 1, 0, 0];
const CDR2_LE: [u8; 4] = [0, 7, 0, 0];
const PL_CDR2_LE: [u8; 4] = [0, 11, 0, 0];
const PL_CDR_LE: [u8; 4] = [0, 3, 0, 0];

fn read<T: Topic>(header: [u8; 4], words: &[u32]) -> Result<T, Error> {
    let mut payload = header.to_vec();
    words
        .iter()
        .for_each(|word| payload.extend_from_slice(&word.to_le_bytes()));
    let _ = key_from_payload::<T>(&payload);
    let _ = from_payload_bytes::<T>(&Bytes::from(payload.clone()));
    from_payload(&payload)
}

fn truncated<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::Truncated { .. })), "{result:?}");
}

#[test]
fn a_length_beyond_the_data_reserves_nothing() {
    for length in [2, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
        truncated(read::<Text>(CDR_LE, &[length.max(5), 0]));
        truncated(read::<Octets>(CDR_LE, &[length.max(5), 0]));
        truncated(read::<Doubles>(CDR_LE, &[length, 0, 0]));
        truncated(read::<Doubles>(CDR2_LE, &[length, 0, 0]));
        truncated(read::<Texts>(CDR_LE, &[length, 0, 0]));
        truncated(read::<Texts>(CDR2_LE, &[8, length, 0]));
        truncated(read::<Texts>(CDR2_LE, &[length.max(9), 1, 0]));
        truncated(read::<Map>(CDR_LE, &[length.max(3), 0]));
        truncated(read::<Truths>(CDR_LE, &[length.max(5), 0]));
    }
    truncated(read::<Empties>(CDR_LE, &[u32::MAX]));
    assert_eq!(read::<Empties>(CDR_LE, &[9]).unwrap().value.len(), 9);
}

#[test]
fn a_member_longer_than_its_surroundings_is_refused() {
    for code in [4, 5, 6, 7] {
        for length in [17, 0x1fff_ffff, 0x2000_0000, 0x7fff_ffff, u32::MAX] {
            let header = code << 28;
            assert!(read::<Loose>(PL_CDR2_LE, &[24, header, length, 0, 0, 0, 0]).is_err());
            truncated(read::<Loose>(
                PL_CDR2_LE,
                &[24, header | 99, length, 0, 0, 0, 0],
            ));
        }
    }
    truncated(read::<Loose>(PL_CDR2_LE, &[5, 0]));
    truncated(read::<Loose>(PL_CDR_LE, &[0x0008_0000, 0]));
    truncated(read::<Loose>(PL_CDR_LE, &[0x0008_3f01, 0, u32::MAX, 0]));
    assert_eq!(
        read::<Loose>(PL_CDR_LE, &[0x0004_3f01, 0, 0, 0]),
        Err(Error::MemberHeader)
    );
    // Without sentinel the list is cut.
    truncated(read::<Loose>(PL_CDR_LE, &[0x0000_3f03, 0x0004_3f03, 7]));
    assert_eq!(
        read::<Loose>(PL_CDR_LE, &[0x0000_3f03, 0x0000_3f02]),
        Ok(Loose { value: vec![] })
    );
}

#[test]
fn nesting_ends_somewhere() {
    let chain =
        |depth: usize| (0..depth).fold(Chain::default(), |chain, _| Chain { next: vec![chain] });
    let deepest = usize::from(MAX_DEPTH) - 1;
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let mut payload = BytesMut::new();
        to_payload(&chain(deepest), xcdr, &mut payload).unwrap();
        assert_eq!(from_payload::<Chain>(&payload), Ok(chain(deepest)));
        payload.clear();
        to_payload(&chain(deepest + 1), xcdr, &mut payload).unwrap();
        assert_eq!(from_payload::<Chain>(&payload), Err(Error::TooDeep));
    }
    truncated(read::<Chain>(CDR_LE, &[1; 60]));
    assert_eq!(read::<Chain>(CDR_LE, &[1; 100]), Err(Error::TooDeep));
}

#[test]
fn strings_end_with_their_only_nul() {
    for words in [
        [0, 0],
        [1, u32::from_le_bytes(*b"abcd")],
        [4, u32::from_le_bytes(*b"abcd")],
        [4, u32::from_le_bytes(*b"a\0c\0")],
        [4, u32::from_le_bytes(*b"abc ")],
    ] {
        assert_eq!(read::<Text>(CDR_LE, &words), Err(Error::StringTermination));
    }
    assert_eq!(read::<Text>(CDR_LE, &[3, 0x0000_ffff]), Err(Error::NotUtf8));
    assert_eq!(read::<Text>(CDR_LE, &[1, 0]).unwrap().value, "");
}

#[test]
fn values_outside_their_type_are_refused() {
    assert_eq!(
        read::<Truths>(CDR_LE, &[2, 0x0201]),
        Err(Error::InvalidBool(2))
    );
    assert_eq!(
        read::<Chosen>(CDR_LE, &[1]),
        Ok(Chosen { value: Letter::B })
    );
    assert_eq!(
        read::<Chosen>(CDR_LE, &[u32::MAX]),
        Err(Error::UnknownEnumerator(-1))
    );
    assert_eq!(read::<Sided>(CDR_LE, &[2, 0]), Err(Error::UnknownCase));
    assert_eq!(
        read::<Sided>(CDR_LE, &[1, 5]).unwrap().value,
        Either::Right(5)
    );
}

#[test]
fn headers_are_checked() {
    truncated(from_payload::<Text>(&[]));
    truncated(from_payload::<Text>(&[0, 1, 0]));
    assert_eq!(
        read::<Text>([0, 4, 0, 0], &[1, 0]),
        Err(Error::UnknownRepresentation(4))
    );
    assert_eq!(
        read::<Text>([0x80, 1, 0, 0], &[1, 0]),
        Err(Error::UnknownRepresentation(0x8001))
    );
    assert_eq!(
        read::<Text>(PL_CDR_LE, &[1, 0]),
        Err(Error::WrongExtensibility(3))
    );
    assert_eq!(from_payload::<Text>(&[0, 1, 0, 1]), Err(Error::Padding));
    // Reserved bits of the options mean nothing.
    assert_eq!(read::<Text>([0, 1, 0xff, 0xff], &[1, 0]).unwrap().value, "");
}

#[test]
fn more_than_padding_behind_a_value_is_refused() {
    let longer = |header: [u8; 4], more: usize| {
        let mut payload = [&header[..], &[1, 0, 0, 0, 0]].concat();
        payload.resize(payload.len() + more, 7);
        Bytes::from(payload)
    };
    for header in [CDR_LE, CDR2_LE] {
        for more in 0..20 {
            let expected = match more {
                0..=3 => Ok(Text {
                    value: String::new(),
                }),
                _ => Err(Error::TrailingBytes(more)),
            };
            let payload = longer(header, more);
            assert_eq!(from_payload::<Text>(&payload), expected);
            assert_eq!(from_payload_bytes::<Text>(&payload), expected);
            // Fast DDS makes keys longer than they are.
            assert!(key_from_payload::<Text>(&payload).is_ok());
        }
    }
    // Padding that is announced is none of them.
    assert!(from_payload::<Text>(&longer([0, 1, 0, 3], 6)).is_ok());
    assert_eq!(
        from_payload::<Text>(&longer([0, 1, 0, 3], 7)),
        Err(Error::TrailingBytes(4))
    );
    // Members of a later version.
    let grown = [&CDR_LE[..], &[0; 24]].concat();
    assert!(from_payload::<Chain>(&grown).is_ok());
    // A DHEADER of the type, one of the sequence, and its length.
    let whole = [0, 9, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
    let grown = [&whole[..], &[0; 20]].concat();
    assert_eq!(from_payload::<Chain>(&grown), Err(Error::TrailingBytes(20)));
}
