//! Writing serialized samples and keys.
use super::{NewChange, UntypedWriter, WriterCore};
use crate::error::{Error, Result};
use crate::untyped::loan::LoanedBytes;
use crate::untyped::type_support::checks_all;
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{KeyForm, LoanedPart};
use dunlin_qos::{DataRepresentation, WriterDataLifecycle};
use dunlin_rtps::{ChangeKind, InstanceHandle};
use dunlin_wire::{Payload, SampleOrigin, SequenceNumber, Timestamp};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// What may be said of a change beside its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// When it was written; the time of day of the call without.
    pub timestamp: Option<Timestamp>,
    /// Its instance, if the caller knows it. It must be the instance that the key in the payload
    /// makes, so this finds mistakes and saves nothing; only if the type is not known, or a change
    /// comes without payload, it is believed.
    pub instance: Option<InstanceHandle>,
    /// Which samples it repeats or answers: those who forward samples say whose they are, those who
    /// answer requests which ones.
    pub origin: Option<SampleOrigin>,
}

/// A part of a payload.
#[derive(Clone, Debug)]
pub enum Piece<'a> {
    /// Copied by the call.
    Copied(&'a [u8]),
    /// Kept by reference until readers have acknowledged it, if it is worth that.
    Shared(Bytes),
}

impl Piece<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// Why [`UntypedWriter::try_write`] wrote nothing.
#[derive(Debug)]
pub enum TryWriteError {
    /// The history has no room, and some reliable reader has to acknowledge something first:
    /// [`on_room`](crate::untyped::UntypedWriterListener::on_room) tells when to try again.
    Full,
    /// It would fail with room as well.
    Failed(Error),
}

impl fmt::Display for TryWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the history is full until a reader acknowledges something"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TryWriteError {}

impl From<Error> for TryWriteError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl UntypedWriter {
    /// Writes a change: with `ChangeKind::Alive` a sample, otherwise the end of the instance that
    /// the payload has the key of. The payload begins with the four octets of its encapsulation
    /// header (RTPS 2.5 10.2). Sends in the calling thread.
    ///
    /// # Errors
    /// `BadParameter` if the payload is not one of this writer's type and representation, with what
    /// is wrong with it; `PreconditionNotMet` if its key is not that of the instance in the
    /// options; `Timeout` if a reliable KEEP_ALL history had no room within
    /// `RELIABILITY.max_blocking_time`; `OutOfResources`, `NotEnabled`, `AlreadyDeleted`.
    pub fn write(
        &self,
        kind: ChangeKind,
        payload: &[u8],
        options: &WriteOptions,
    ) -> Result<SequenceNumber> {
        self.write_pieces(kind, &[Piece::Copied(payload)], options)
    }

    /// As [`write`](Self::write) of a payload in pieces, in this order: what is shared is kept by
    /// reference, as far as that pays. Where the type has a key that reaches beyond the first piece,
    /// the pieces are joined once to find it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_pieces(
        &self,
        kind: ChangeKind,
        pieces: &[Piece<'_>],
        options: &WriteOptions,
    ) -> Result<SequenceNumber> {
        self.core
            .with_change(kind, pieces, options, |change| {
                let written = self.core.write(change);
                written.map(Some)
            })?
            .ok_or_else(|| self.core.blocked())
    }

    /// As [`write_pieces`](Self::write_pieces), but never waits for room.
    ///
    /// # Errors
    /// `TryWriteError::Full` if there is no room: the listener's
    /// [`on_room`](crate::untyped::UntypedWriterListener::on_room) is called when there may be
    /// some.
    pub fn try_write(
        &self,
        kind: ChangeKind,
        pieces: &[Piece<'_>],
        options: &WriteOptions,
    ) -> std::result::Result<SequenceNumber, TryWriteError> {
        let write = |change: NewChange<'_>| self.core.try_write(change);
        let written = self.core.with_change(kind, pieces, options, write)?;
        written.ok_or(TryWriteError::Full)
    }

    /// Writes a change that the caller serializes straight into the writer's buffer. Nothing of it
    /// is checked: the caller's codec is trusted to make payloads of the writer's type.
    ///
    /// # Errors
    /// `Serialization` if `fill` fails; otherwise as [`write`](Self::write).
    #[inline]
    pub fn write_with(&self, change: NewChange<'_>) -> Result<SequenceNumber> {
        let (kind, instance, key) = (change.kind, change.instance, change.key);
        let sequence = self.core.write(change)?;
        self.core.note_instance(kind, instance, key);
        Ok(sequence)
    }

    /// Memory for a payload of `length` octets, its encapsulation header included, where readers of
    /// this host see it without a copy: serialize into it and write it by
    /// [`write_loan`](Self::write_loan). What follows the header is aligned to 64 octets. It holds
    /// whatever was there before.
    pub fn loan(&self, length: usize) -> PayloadLoan {
        let mut memory = self.loan_bytes(length.max(HEADER) + BEFORE_HEADER);
        memory.truncate(length.max(HEADER) + BEFORE_HEADER);
        PayloadLoan { memory }
    }

    /// As [`loan`](Self::loan), in ordinary memory: of that which readers share there is little, and
    /// it stays in use for as long as the writer keeps the sample. It holds whatever was there
    /// before.
    pub fn private_loan(&self, length: usize) -> PayloadLoan {
        let length = length.max(HEADER) + BEFORE_HEADER;
        let memory = LoanedBytes::private(length, &mut self.core.stock.lock());
        PayloadLoan { memory }
    }

    /// Writes a sample that was serialized into loaned memory. The memory is given back when no
    /// reader needs it any more.
    ///
    /// # Errors
    /// As [`write`](Self::write); the loan is gone then.
    pub fn write_loan(&self, loan: PayloadLoan, options: &WriteOptions) -> Result<SequenceNumber> {
        let memory = loan.memory.freeze_into(&mut self.core.stock.lock());
        let payload = memory.slice(BEFORE_HEADER..);
        let instance = self
            .core
            .check_payload(ChangeKind::Alive, &payload, options)?;
        let (header, body) = payload.split_at(HEADER);
        let pieces = [
            Piece::Copied(header),
            Piece::Shared(payload.slice_ref(body)),
        ];
        let kept = self.core.kept_piece(&pieces);
        self.write_with(NewChange {
            kind: ChangeKind::Alive,
            instance,
            timestamp: options.timestamp,
            origin: options.origin.as_ref(),
            size: size(&pieces, kept),
            key: &|| self.core.key_in(ChangeKind::Alive, &pieces),
            fill: &mut |out| Ok(join(&pieces, kept, out)),
        })
    }

    /// How this writer ends an instance that it unregisters: it disposes it too, if
    /// WRITER_DATA_LIFECYCLE says so.
    pub fn unregister_kind(&self) -> ChangeKind {
        ChangeKind::of_unregister(WriterDataLifecycle {
            autodispose_unregistered_instances: self.core.autodispose.load(Relaxed),
        })
    }

    /// Says that this writer will write the instance of this serialized key, which begins with an
    /// encapsulation header; returns its handle (DDS 1.4 2.2.2.4.2.5). Others hear of it with what
    /// is written first; writing registers as well. For a type without key it does nothing.
    ///
    /// # Errors
    /// `BadParameter` if it is not a key of the writer's type; `NotEnabled`, `AlreadyDeleted`.
    pub fn register_instance(&self, key: &[u8]) -> Result<InstanceHandle> {
        self.core.check_enabled()?;
        if !self.core.type_support.is_keyed() {
            return Ok(InstanceHandle::NIL);
        }
        let instance = self.core.instance_of(Payload::Key(key))?;
        let key = Bytes::copy_from_slice(key);
        self.core.registered.add(instance, key);
        Ok(instance)
    }

    /// Does this writer have the instance (DDS 1.4 2.2.2.4.2.10): is it registered, or does the
    /// history keep something of it?
    pub fn knows(&self, instance: InstanceHandle) -> bool {
        self.core.type_support.is_keyed() && self.core.known(instance).is_some()
    }

    /// The serialized key of the instance (DDS 1.4 2.2.2.4.2.9); `None` if this writer does not
    /// have it.
    pub fn key_value(&self, instance: InstanceHandle) -> Option<Bytes> {
        let ty = &self.core.type_support;
        let known = self.core.known(instance).filter(|_| ty.is_keyed())?;
        Some(match known {
            super::Known::Key(key) => key,
            super::Known::Sample(sample) => ty.key(&sample),
        })
    }

    /// How its samples are encoded.
    pub fn representation(&self) -> DataRepresentation {
        match self.core.is_enabled() {
            true => self.core.fixed().representation,
            false => self.core.qos().representation,
        }
    }

    /// Name for messages to the user.
    pub fn describe(&self) -> String {
        self.core.describe()
    }

    /// How the keys of disposals are to be encoded, so that all matched readers understand them.
    pub fn key_form(&self) -> KeyForm {
        self.core.dialects.key_form()
    }

    /// Is it worth asking [`gathers`](Self::gathers) for a member of so many bytes?
    pub fn may_gather(&self, length: usize) -> bool {
        self.core.may_gather(length)
    }

    /// Would these bytes stay where they are, if `fill` of [`write_with`](Self::write_with) leaves
    /// them out? They are gathered by the kernel, or seen there by peers.
    pub fn gathers(&self, bytes: &[u8]) -> bool {
        self.core.gathers(bytes)
    }

    /// Memory that peers can see.
    pub(crate) fn chunk(&self, size: usize) -> Option<dunlin_shm::Chunk> {
        self.core.shared.transport.chunk(size)
    }
}

/// Octets of an encapsulation header.
const HEADER: usize = 4;
/// So much is before the header of a loaned payload, which aligns what follows it.
const BEFORE_HEADER: usize = 60;

/// Memory of a payload that is being built, for [`UntypedWriter::write_loan`].
#[derive(Debug)]
pub struct PayloadLoan {
    memory: LoanedBytes,
}

impl PayloadLoan {
    /// Whether readers of this host will see this memory, rather than a copy.
    pub fn is_shared(&self) -> bool {
        self.memory.is_shared()
    }

    /// Makes it shorter, if it is longer; the header stays.
    pub fn truncate(&mut self, length: usize) {
        self.memory.truncate(length.max(HEADER) + BEFORE_HEADER);
    }
}

impl std::ops::Deref for PayloadLoan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.memory.get(BEFORE_HEADER..).unwrap_or_default()
    }
}

impl std::ops::DerefMut for PayloadLoan {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.memory.get_mut(BEFORE_HEADER..).unwrap_or_default()
    }
}

/// All pieces in one.
fn whole(pieces: &[Piece<'_>]) -> Vec<u8> {
    let pieces: Vec<&[u8]> = pieces.iter().map(Piece::bytes).collect();
    pieces.concat()
}

/// Octets that are copied.
fn size(pieces: &[Piece<'_>], kept: Option<usize>) -> usize {
    let all = pieces.iter().enumerate();
    let copied = all.filter(|(at, _)| Some(*at) != kept);
    copied.map(|(_, piece)| piece.bytes().len()).sum()
}

/// Puts the pieces together, all but the one that is kept where it is.
fn join(pieces: &[Piece<'_>], kept: Option<usize>, out: &mut BytesMut) -> Option<LoanedPart> {
    let begin = out.len();
    let mut loaned = None;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Shared(bytes) if Some(at) == kept => {
                let (at, bytes) = (out.len() - begin, bytes.clone());
                loaned = Some(LoanedPart { at, bytes });
            }
            piece => dunlin_copy::append(out, piece.bytes()),
        }
    }
    loaned
}

impl WriterCore {
    /// The longest of the pieces that may stay where it is.
    fn kept_piece(&self, pieces: &[Piece<'_>]) -> Option<usize> {
        let shared = pieces.iter().enumerate();
        let shared = shared.filter_map(|(at, piece)| match piece {
            Piece::Shared(bytes) => Some((at, bytes)),
            Piece::Copied(_) => None,
        });
        let longest = shared.max_by_key(|(_, bytes)| bytes.len());
        let (at, bytes) = longest?;
        (self.may_gather(bytes.len()) && self.gathers(bytes)).then_some(at)
    }

    /// Checks a change and hands it to `write`, which says `None` if there is no room.
    fn with_change(
        self: &Arc<Self>,
        kind: ChangeKind,
        pieces: &[Piece<'_>],
        options: &WriteOptions,
        write: impl FnOnce(NewChange<'_>) -> Result<Option<SequenceNumber>>,
    ) -> Result<Option<SequenceNumber>> {
        self.check_enabled()?;
        let instance = match pieces {
            [piece] => self.check_payload(kind, piece.bytes(), options)?,
            // What is looked for may reach beyond the first piece.
            [first, ..] if kind == ChangeKind::Alive && !checks_all() => self
                .check_payload(kind, first.bytes(), options)
                .or_else(|_| self.check_payload(kind, &whole(pieces), options))?,
            pieces => self.check_payload(kind, &whole(pieces), options)?,
        };
        let kept = self.kept_piece(pieces);
        // Readers of other products do not understand all keys that ours do.
        let rewrites = kind != ChangeKind::Alive && self.dialects.has_others();
        let mut fill = |out: &mut BytesMut| match rewrites && self.type_support.is_keyed() {
            false => Ok(join(pieces, kept, out)),
            true => {
                let (key, form) = (whole(pieces).into(), self.dialects.key_form());
                let written = self.type_support.rewrite_key(&key, self.xcdr(), form, out);
                written.map(|()| None)
            }
        };
        let key = || self.key_in(kind, pieces);
        let written = write(NewChange {
            kind,
            instance,
            timestamp: options.timestamp,
            origin: options.origin.as_ref(),
            size: size(pieces, kept),
            key: &key,
            fill: &mut fill,
        })?;
        if written.is_some() {
            self.note_instance(kind, instance, &key);
        }
        Ok(written)
    }

    /// Fails unless the payload is one of this writer's; returns its instance. Of a type that is
    /// not known the instance is what the options say.
    pub(super) fn check_payload(
        &self,
        kind: ChangeKind,
        payload: &[u8],
        options: &WriteOptions,
    ) -> Result<InstanceHandle> {
        let ty = &self.type_support;
        // Readers may know which instance a change without payload is about by its key hash.
        let is_needed = kind == ChangeKind::Alive || !payload.is_empty();
        if is_needed && let Err(fault) = ty.check_payload(kind, payload, self.xcdr()) {
            let entity = self.describe();
            return Err(Error::BadParameter(format!("{entity}: {fault}")));
        }
        if !ty.is_keyed() {
            return Ok(InstanceHandle::NIL);
        }
        let payload = match kind {
            ChangeKind::Alive => Payload::Data(payload),
            _ => Payload::Key(payload),
        };
        let own = match options.instance {
            Some(instance) if ty.dynamic_type().is_none() || !is_needed => return Ok(instance),
            _ => self.instance_of(payload)?,
        };
        match options.instance {
            Some(wanted) if wanted != own => Err(Error::PreconditionNotMet(format!(
                "{}: the key of the value is that of instance {own:?}, and {wanted:?} is given: give the instance of this \
                 key, or none",
                self.describe()
            ))),
            _ => Ok(own),
        }
    }

    /// The instance of a payload.
    fn instance_of(&self, payload: Payload<'_>) -> Result<InstanceHandle> {
        self.type_support.instance(payload).ok_or_else(|| {
            Error::BadParameter(format!(
                "{}: the payload has no key of the type {:?}",
                self.describe(),
                self.type_support.name()
            ))
        })
    }

    /// An instance that is unregistered is not the application's any more; of others the key may be
    /// wanted when the writer ends.
    #[inline]
    pub(super) fn note_instance(
        &self,
        kind: ChangeKind,
        instance: InstanceHandle,
        key: &dyn Fn() -> Option<Bytes>,
    ) {
        if kind.is_unregister() {
            self.registered.remove(instance);
        } else if self.remembers_instances() {
            self.remember(instance, key);
        }
    }

    /// The key in a payload that was found right.
    pub(super) fn key_in(&self, kind: ChangeKind, pieces: &[Piece<'_>]) -> Option<Bytes> {
        let whole = Bytes::from(whole(pieces));
        let key = match kind {
            ChangeKind::Alive => self.type_support.key(&whole),
            _ => whole,
        };
        (!key.is_empty()).then_some(key)
    }
}
