//! Records of TLS 1.3 (RFC 8446 section 5) once keys are agreed: what is sealed goes from the
//! application's memory straight into a buffer to send, and what comes is opened where it was
//! received.
//!
//! rustls agrees on the keys and makes new ones from them; the records themselves are ours, since
//! every sample would be copied several times on its way through a general library. The two
//! directions share nothing, so that sending and receiving do not wait for each other.
use std::ops::Range;

use ring::aead::{
    AES_128_GCM, AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey,
};
use rustls::{AlertDescription, ConnectionTrafficSecrets, Error, InvalidMessage, PeerMisbehaved};

/// Bytes that one record carries at most.
pub(super) const MOST: usize = 16 * 1024;
/// In front of each: what it is, the version, its length.
pub(super) const HEAD: usize = 5;
/// What a record takes beyond what it carries: its kind and the seal.
const TAIL: usize = 1 + 16;
/// ... at most, since others may fill it up.
const LONGEST_TAIL: usize = 256;
/// The longest record.
pub(super) const LONGEST: usize = HEAD + MOST + LONGEST_TAIL;
/// So many records are sealed with one key: half of what is safe with AES-GCM.
const RENEWAL: u64 = 1 << 23;

const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const DATA: u8 = 23;
const NEW_TICKET: u8 = 4;
const KEY_UPDATE: u8 = 24;
const FATAL: u8 = 2;

/// The keys of one direction.
pub(super) struct Keys {
    key: LessSafeKey,
    iv: [u8; NONCE_LEN],
    /// The number of the next record.
    sequence: u64,
    /// Records until it is time for new ones.
    left: u64,
}

/// What a record turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// Data, at this place in the bytes that were read.
    Data(Range<usize>),
    /// The peer uses new keys from now on; `true`: it wants us to do so, too.
    KeyUpdate(bool),
    /// Nothing of interest.
    Other,
    /// Nothing more will come.
    End,
}

impl Keys {
    pub(super) fn new((sequence, secrets): (u64, ConnectionTrafficSecrets)) -> Result<Self, Error> {
        use ConnectionTrafficSecrets::{Aes128Gcm, Aes256Gcm, Chacha20Poly1305};
        let (algorithm, key, iv) = match &secrets {
            Aes128Gcm { key, iv } => (&AES_128_GCM, key, iv),
            Aes256Gcm { key, iv } => (&AES_256_GCM, key, iv),
            Chacha20Poly1305 { key, iv } => (&CHACHA20_POLY1305, key, iv),
            _ => return Err(Error::General("a cipher that is not known here".into())),
        };
        let key = UnboundKey::new(algorithm, key.as_ref()).map_err(|_| Error::EncryptError)?;
        Ok(Self {
            key: LessSafeKey::new(key),
            iv: iv.as_ref().try_into().map_err(|_| Error::EncryptError)?,
            sequence,
            left: RENEWAL,
        })
    }

    /// Whether it is time for new ones.
    pub(super) fn are_worn(&self) -> bool {
        self.left == 0
    }

    #[cfg(test)]
    pub(super) fn wear(&mut self) {
        self.left = 0;
    }

    /// Never the same twice: the number of the record, mixed with what only the two know.
    fn nonce(&mut self) -> Result<Nonce, Error> {
        let mut nonce = self.iv;
        let number = self.sequence.to_be_bytes();
        for (place, byte) in nonce.iter_mut().rev().zip(number.iter().rev()) {
            *place ^= byte;
        }
        self.sequence = self.sequence.checked_add(1).ok_or(Error::EncryptError)?;
        self.left = self.left.saturating_sub(1);
        Ok(Nonce::assume_unique_for_key(nonce))
    }

    /// Appends a record with data: as much as fits of `parts`, one after the other. Returns how
    /// much that was.
    pub(super) fn seal_data(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<usize, Error> {
        self.seal(DATA, parts, out)
    }

    /// Appends the word that new keys are used from now on.
    pub(super) fn seal_key_update(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.seal(HANDSHAKE, &[&[KEY_UPDATE, 0, 0, 1, 0]], out)
            .map(drop)
    }

    /// Appends the word that nothing more comes, or why.
    pub(super) fn seal_alert(
        &mut self,
        alert: AlertDescription,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let level = match alert {
            AlertDescription::CloseNotify => 1,
            _ => FATAL,
        };
        self.seal(ALERT, &[&[level, alert.into()]], out).map(drop)
    }

    fn seal(&mut self, kind: u8, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<usize, Error> {
        let whole: usize = parts.iter().map(|part| part.len()).sum();
        let length = whole.min(MOST);
        let [.., high, low] = (length + TAIL).to_be_bytes();
        let head = [DATA, 3, 3, high, low];
        out.extend_from_slice(&head);
        let start = out.len();
        let mut left = length;
        for part in parts {
            let some = part.get(..left).unwrap_or(part);
            out.extend_from_slice(some);
            left -= some.len();
        }
        out.push(kind);
        let nonce = self.nonce()?;
        let sealed = out.get_mut(start..).unwrap_or_default();
        let tag = self
            .key
            .seal_in_place_separate_tag(nonce, Aad::from(head), sealed)
            .map_err(|_| Error::EncryptError)?;
        out.extend_from_slice(tag.as_ref());
        Ok(length)
    }

    /// Opens the record that `bytes[start..]` begins with, where it is; `None` if there is no whole
    /// one yet. Also says where the next one begins.
    pub(super) fn open(
        &mut self,
        bytes: &mut [u8],
        start: usize,
    ) -> Result<Option<(Opened, usize)>, Error> {
        let rest = bytes.get_mut(start..).unwrap_or_default();
        let Some((head, rest)) = rest.split_first_chunk_mut::<HEAD>() else {
            return Ok(None);
        };
        let [kind, 3, _, high, low] = *head else {
            return Err(InvalidMessage::UnknownProtocolVersion.into());
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length > LONGEST - HEAD {
            return Err(Error::PeerSentOversizedRecord);
        }
        if kind != DATA {
            return Err(InvalidMessage::InvalidContentType.into());
        }
        let Some(sealed) = rest.get_mut(..length) else {
            return Ok(None);
        };
        let nonce = self.nonce()?;
        let opened = self.key.open_in_place(nonce, Aad::from(*head), sealed);
        let opened = opened.map_err(|_| Error::DecryptError)?;
        let start = start + HEAD;
        Ok(Some((understand(opened, start)?, start + length)))
    }
}

/// What a record is: the last byte that is not 0 says its kind.
fn understand(opened: &[u8], start: usize) -> Result<Opened, Error> {
    let end = opened.iter().rposition(|byte| *byte != 0);
    let end = end.ok_or(PeerMisbehaved::IllegalTlsInnerPlaintext)?;
    let (carried, kind) = opened.split_at(end);
    if carried.len() > MOST {
        return Err(Error::PeerSentOversizedRecord);
    }
    match (kind.first(), carried) {
        (Some(&DATA), _) => Ok(Opened::Data(start..start + end)),
        (Some(&HANDSHAKE), [KEY_UPDATE, 0, 0, 1, wanted @ (0 | 1)]) => {
            Ok(Opened::KeyUpdate(*wanted == 1))
        }
        // There is nothing to resume.
        (Some(&HANDSHAKE), [NEW_TICKET, ..]) => Ok(Opened::Other),
        (Some(&ALERT), [_, alert]) => match AlertDescription::from(*alert) {
            AlertDescription::CloseNotify => Ok(Opened::End),
            AlertDescription::UserCanceled => Ok(Opened::Other),
            alert => Err(Error::AlertReceived(alert)),
        },
        _ => Err(InvalidMessage::UnexpectedMessage("a record").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::crypto::cipher::{AeadKey, Iv};

    fn keys() -> [Keys; 2] {
        let secrets = || ConnectionTrafficSecrets::Aes256Gcm {
            key: AeadKey::from([7; 32]),
            iv: Iv::from([9; 12]),
        };
        [Keys::new((3, secrets())), Keys::new((3, secrets()))].map(Result::unwrap)
    }

    #[test]
    fn what_is_sealed_is_opened_as_it_was_and_in_order() {
        let [mut seal, mut open] = keys();
        let data: Vec<u8> = (0..40_000_u32).map(|n| (n % 251) as u8).collect();
        let mut sealed = Vec::new();
        let mut lengths = Vec::new();
        for length in [0, 1, 100, MOST, MOST + 1] {
            let (a, b) = data[..length].split_at(length / 3);
            lengths.push(seal.seal_data(&[a, &[], b], &mut sealed).unwrap());
        }
        seal.seal_key_update(&mut sealed).unwrap();
        seal.seal_alert(AlertDescription::CloseNotify, &mut sealed)
            .unwrap();
        assert_eq!(lengths, [0, 1, 100, MOST, MOST]);
        let mut start = 0;
        for length in lengths {
            let (opened, next) = open.open(&mut sealed, start).unwrap().unwrap();
            let Opened::Data(place) = opened else {
                panic!("{opened:?}")
            };
            assert_eq!(&sealed[place], &data[..length]);
            start = next;
        }
        let (opened, next) = open.open(&mut sealed, start).unwrap().unwrap();
        assert_eq!(opened, Opened::KeyUpdate(false));
        let (opened, end) = open.open(&mut sealed, next).unwrap().unwrap();
        assert_eq!((opened, end), (Opened::End, sealed.len()));
        assert!(open.open(&mut sealed, end).unwrap().is_none());
    }

    #[test]
    fn a_record_waits_until_it_is_whole_and_is_refused_if_any_byte_is_not_its_own() {
        let [mut seal, _] = keys();
        let mut sealed = Vec::new();
        seal.seal_data(&[b"secret"], &mut sealed).unwrap();
        for length in 0..sealed.len() {
            let [_, mut open] = keys();
            let part = open.open(&mut sealed[..length], 0);
            assert!(part.unwrap().is_none(), "{length}");
        }
        for place in 0..sealed.len() {
            let [_, mut open] = keys();
            let mut other = sealed.clone();
            other[place] ^= 0x10;
            // A length that is not its own may mean that there is more to come.
            let opened = open.open(&mut other, 0);
            assert!(!matches!(opened, Ok(Some(_))), "{place}");
        }
        // The same record twice is not the next one.
        let [_, mut open] = keys();
        assert!(open.open(&mut sealed.clone(), 0).is_ok());
        assert_eq!(open.open(&mut sealed, 0), Err(Error::DecryptError));
    }

    #[test]
    fn nobody_claims_a_record_that_is_longer_than_any() {
        let [_, mut open] = keys();
        let [high, low] = ((LONGEST - HEAD + 1) as u16).to_be_bytes();
        let opened = open.open(&mut [DATA, 3, 3, high, low], 0);
        assert_eq!(opened, Err(Error::PeerSentOversizedRecord));
        assert!(open.open(&mut [HANDSHAKE, 3, 3, 0, 1, 0], 0).is_err());
    }
}
