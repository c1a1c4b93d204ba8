//! Keys: what they are in a type, found once, and taken out of payloads.

mod plan;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Extensibility, KEY_HASH_SIZE, KeyForm, Reader, Representation, Xcdr};
use md5::{Digest, Md5};

use crate::fixed::content;
use crate::output::{Output, Staged, Writer};
use crate::payload::{append, body, open};
use crate::transcode::{Part, Transcoder};
use crate::{DynamicType, ValueError, limits};
use plan::Fixed;

/// How the key of a type is found in its payloads.
///
/// Lengths are checked, and where text ends; what booleans, enumerations and text are is not:
/// [`DynamicType::validate`] does that. A key of numbers that takes at most 16 bytes and has the
/// same place in each payload is copied; others are written anew, member by member.
#[derive(Clone, Debug)]
pub struct KeyPlan {
    ty: DynamicType,
    has_key: bool,
    is_mutable: bool,
    /// All keys fit a key hash, so it is the key itself.
    fits: bool,
    /// In XCDR1 and in XCDR2.
    fixed: [Option<Fixed>; 2],
}

impl KeyPlan {
    /// Of a type of topics.
    pub fn new(ty: &DynamicType) -> Self {
        let ty = ty.resolved();
        let has_key = ty.has_key() && ty.kind() == crate::TypeKind::Structure;
        let end = plan::key_end(ty.tree(), ty.index());
        let fits = has_key && end.is_some_and(|end| end <= KEY_HASH_SIZE);
        let is_mutable = ty.extensibility() == Extensibility::Mutable;
        let fixed = [Xcdr::V1, Xcdr::V2].map(|xcdr| {
            let wanted = fits && !is_mutable;
            wanted
                .then(|| Fixed::find(ty.tree(), ty.index(), xcdr))
                .flatten()
        });
        Self {
            ty,
            has_key,
            is_mutable,
            fits,
            fixed,
        }
    }

    /// Whether the type has a key.
    pub fn has_key(&self) -> bool {
        self.has_key
    }

    /// Whether the key hash is the key itself, filled up with zeros, and not its MD5.
    pub fn fits_hash(&self) -> bool {
        self.fits
    }

    /// Whether keys are copied from a place that is the same in all payloads of this encoding.
    pub fn is_fixed(&self, xcdr: Xcdr) -> bool {
        self.fixed_of(xcdr).is_some()
    }

    fn fixed_of(&self, xcdr: Xcdr) -> Option<&Fixed> {
        let [v1, v2] = &self.fixed;
        match xcdr {
            Xcdr::V1 => v1.as_ref(),
            Xcdr::V2 => v2.as_ref(),
        }
    }

    /// The hash that names the instance of a sample (RTPS 2.5 9.6.4.8, DDS-XTypes 1.3 7.6.8): the
    /// key members in the order of their ids as plain big-endian XCDR2, filled up with zeros if
    /// they always fit 16 bytes, else their MD5. All zeros if the type has no key. Allocates only
    /// for keys of more than 256 bytes, and where more than 16 key members of a structure are in
    /// another order.
    ///
    /// # Errors
    /// Whatever makes it impossible to tell what the key is.
    #[inline]
    pub fn key_hash(&self, payload: &[u8]) -> Result<[u8; KEY_HASH_SIZE], ValueError> {
        match self.copied(payload) {
            Some(hash) => Ok(hash),
            None => self.transcoded(payload),
        }
    }

    #[inline]
    fn copied(&self, payload: &[u8]) -> Option<[u8; KEY_HASH_SIZE]> {
        let (id, body) = body(payload).ok()?;
        let (xcdr, begin, data) = content(id, body, self.is_mutable)?;
        let fixed = self.fixed_of(xcdr)?;
        fixed.copy(data.get(begin..)?, id & 1 == 1)
    }

    #[cold]
    fn transcoded(&self, payload: &[u8]) -> Result<[u8; KEY_HASH_SIZE], ValueError> {
        if !self.has_key {
            return Ok([0; KEY_HASH_SIZE]);
        }
        let mut r = open(payload, self.ty.extensibility())?.reader;
        self.hash(&mut r, false)
    }

    fn hash(&self, r: &mut Reader<'_>, from_key: bool) -> Result<[u8; KEY_HASH_SIZE], ValueError> {
        let mut out = Staged::new();
        let w = Writer::new(&mut out, Xcdr::V2, Endianness::Big, true);
        self.write(r, w, from_key)?;
        let key = out.bytes();
        let mut hash = [0; KEY_HASH_SIZE];
        match hash.get_mut(..key.len()) {
            Some(prefix) if self.fits => prefix.copy_from_slice(key),
            _ => hash = Md5::digest(key).into(),
        }
        Ok(hash)
    }

    fn write<O: Output>(
        &self,
        r: &mut Reader<'_>,
        w: Writer<'_, O>,
        from_key: bool,
    ) -> Result<(), ValueError> {
        let mut transcoder = Transcoder {
            tree: self.ty.tree(),
            w,
            from_key,
            depth: 0,
        };
        transcoder.value(r, self.ty.index(), Part::Key)
    }

    /// [`key_hash`](Self::key_hash) of the payload of a dispose or unregister message, which has
    /// the key members only.
    ///
    /// Cyclone DDS 0.10 writes the XCDR2 keys of appendable and mutable types without their
    /// headers; those are understood too.
    ///
    /// # Errors
    /// As [`key_hash`](Self::key_hash).
    pub fn key_hash_of_key(&self, payload: &[u8]) -> Result<[u8; KEY_HASH_SIZE], ValueError> {
        match self.has_key {
            true => self.read_key(payload, |r| self.hash(r, true)),
            false => Ok([0; KEY_HASH_SIZE]),
        }
    }

    /// Reads a key payload, with or without the headers of its members.
    fn read_key<R>(
        &self,
        payload: &[u8],
        mut read: impl FnMut(&mut Reader<'_>) -> Result<R, ValueError>,
    ) -> Result<R, ValueError> {
        let (id, body) = body(payload)?;
        let representation = Representation::from_id(id)?;
        let reader = || {
            let mut r = Reader::new(body, representation.xcdr, representation.endianness);
            r.set_steps(limits::steps(payload.len()));
            r
        };
        if representation.xcdr == Xcdr::V1 || representation.extensibility == Extensibility::Final {
            return read(&mut open(payload, self.ty.extensibility())?.reader);
        }
        let mut r = reader();
        // A DHEADER covers all but the padding, which not all vendors announce.
        let rest = r
            .take_length()
            .map(|length| r.remaining().checked_sub(length));
        let is_bare = !matches!(rest, Ok(Some(0..=3)));
        let regular = |read: &mut dyn FnMut(&mut Reader<'_>) -> Result<R, ValueError>| {
            read(&mut open(payload, self.ty.extensibility())?.reader)
        };
        let bare = |read: &mut dyn FnMut(&mut Reader<'_>) -> Result<R, ValueError>| {
            let mut r = reader();
            r.set_plain();
            let value = read(&mut r)?;
            match r.remaining() {
                0..=3 => Ok(value),
                left => Err(ValueError::TrailingBytes(left)),
            }
        };
        match is_bare {
            false => regular(&mut read).or_else(|error| bare(&mut read).map_err(|_| error)),
            true => bare(&mut read).or_else(|_| regular(&mut read)),
        }
    }

    /// Appends the payload of a dispose or unregister message for the instance of a sample: the key
    /// members only, in the representation that samples of the type have (RTPS 2.5 9.6.3.9).
    /// Nothing but the header if the type has no key.
    ///
    /// # Errors
    /// As [`key_hash`](Self::key_hash); `out` is then as before.
    pub fn key_payload(
        &self,
        payload: &[u8],
        xcdr: Xcdr,
        endianness: Endianness,
        out: &mut BytesMut,
    ) -> Result<(), ValueError> {
        self.append(xcdr, endianness, false, out, |w| {
            let mut r = open(payload, self.ty.extensibility())?.reader;
            self.write(&mut r, w, false)
        })
    }

    /// Appends the payload of a dispose or unregister message that another such payload makes: in
    /// this version of XCDR, in native byte order, and in a form that other products understand.
    ///
    /// # Errors
    /// As [`key_hash`](Self::key_hash); `out` is then as before.
    pub fn rewrite_key(
        &self,
        key: &[u8],
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> Result<(), ValueError> {
        let begin = out.len();
        let is_bare = form.bare && xcdr == Xcdr::V2;
        let mut whole = BytesMut::new();
        // The key is read with and without headers, so that it is written from its beginning.
        let written = self.read_key(key, |r| {
            whole.clear();
            let w = Writer::new(&mut whole, xcdr, Endianness::NATIVE, is_bare);
            self.write(r, w, true)
        });
        if self.has_key {
            written?;
        }
        self.append(xcdr, Endianness::NATIVE, is_bare, out, |mut w| {
            w.slice(&whole);
            Ok(())
        })?;
        form.lengthen(xcdr, begin, out);
        Ok(())
    }

    /// Appends header, key and padding; nothing on error.
    fn append(
        &self,
        xcdr: Xcdr,
        endianness: Endianness,
        is_plain: bool,
        out: &mut BytesMut,
        key: impl FnOnce(Writer<'_, BytesMut>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        let representation = Representation {
            xcdr,
            extensibility: self.ty.extensibility(),
            endianness,
        };
        append(&representation, out, |out| match self.has_key {
            true => key(Writer::new(out, xcdr, endianness, is_plain)),
            false => Ok(()),
        })
    }
}
