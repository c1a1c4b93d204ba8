//! Writers.
use crate::callback::{Listener, dunlin_listener};
use crate::error::{Failure, Outcome, entry};
use crate::loans::Loans;
use crate::memory::{Array, In, Out, OutArray, Sized32, dunlin_block, sixteen};
use crate::names::{Creating, adopt_writer, put_guids};
use crate::object;
use crate::octets::dunlin_octets;
use crate::participant::dunlin_participant;
use crate::qos::{dunlin_writer_qos, duration, read_or, representation_number};
use crate::topic::dunlin_topic;
use arrayvec::ArrayVec;
use dunlin::untyped::{ChangeKind, Piece, WriteOptions};
use dunlin::{InstanceHandle, SequenceNumber, Timestamp, UntypedWriter};

/// A writer.
pub type dunlin_writer = u64;

/// A writer with the memory that it has lent.
pub(crate) struct Writer {
    pub(crate) core: UntypedWriter,
    pub(crate) loans: Loans,
}

impl Writer {
    pub(crate) fn new(core: UntypedWriter) -> Self {
        Self {
            core,
            loans: Loans::default(),
        }
    }
}

/// The smallest time: none is given.
const NO_TIME: i64 = i64::MIN;
/// Pieces of a payload.
const MOST_PIECES: usize = 64;

/// What may be said of a change beside its payload. `DUNLIN_WRITE_OPTIONS` has its initial values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_write_options {
    /// `sizeof(dunlin_write_options)`.
    pub size: u32,
    /// 0.
    pub flags: u32,
    /// When it was written, in nanoseconds since 1970; `DUNLIN_NO_TIME` for now.
    pub timestamp: i64,
    /// Its instance, 16 bytes: PRECONDITION_NOT_MET if the key is that of another one. Null if the
    /// payload alone says it.
    pub instance: *const u8,
    /// Written by the call: the number of the change.
    pub sequence: i64,
}

// SAFETY: it is `repr(C)`, begins with its size, and has numbers and addresses only.
unsafe impl Sized32 for dunlin_write_options {
    const NAME: &'static str = "dunlin_write_options";
}

const _: () = assert!(size_of::<dunlin_write_options>() == 32);

/// A part of a payload.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_piece {
    /// The first byte; null for all of the octets.
    pub data: *const u8,
    /// How many.
    pub length: u64,
    /// The octets that they are a part of, which are kept by reference; 0 if they are to be copied.
    pub octets: dunlin_octets,
}

const _: () = assert!(size_of::<dunlin_piece>() == 24);

/// A writer of a topic. Its publisher may be given instead of its participant; with a participant
/// it is that of those who make none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_new(
    parent: dunlin_participant,
    topic: dunlin_topic,
    qos: In<'_, dunlin_writer_qos>,
    listener: In<'_, dunlin_listener>,
    writer: Out<'_, dunlin_writer>,
) -> i32 {
    entry(|| {
        let place = writer.required("writer")?;
        let above = match object::participant(parent) {
            Ok(participant) => participant.implicit_publisher()?,
            Err(_) => parent,
        };
        let publisher = object::publisher(above)?;
        let topic = object::topic(topic)?;
        let qos = read_or(qos, || publisher.default_datawriter_qos())?;
        let creating = Creating::begin();
        let handle = match Listener::of(listener)? {
            None => adopt_writer(&publisher.create_untyped_datawriter(&topic, qos)?, above)?,
            Some((listener, taken)) => {
                let made = publisher.create_untyped_datawriter_with_listener(&topic, qos, listener);
                let handle = adopt_writer(&made?, above)?;
                taken.confirm();
                handle
            }
        };
        drop(creating);
        place.put(handle);
        Ok(())
    })
}

/// What the options say, and where the number of the change goes.
pub(crate) struct Options<'a> {
    pub(crate) options: WriteOptions,
    sequence: Option<&'a mut i64>,
}

impl<'a> Options<'a> {
    pub(crate) fn of(given: Out<'a, dunlin_write_options>) -> Outcome<Self> {
        let Some(given) = given.sized("options")? else {
            return Ok(Self {
                options: WriteOptions::default(),
                sequence: None,
            });
        };
        let timestamp = match given.timestamp {
            NO_TIME => None,
            time if time < 0 => {
                return Err(Failure::bad(format!(
                    "the timestamp of the argument options is {time}: times count from 1970"
                )));
            }
            time => Some(Timestamp(time)),
        };
        Ok(Self {
            options: WriteOptions {
                timestamp,
                instance: sixteen(given.instance).map(InstanceHandle),
                origin: None,
            },
            sequence: Some(&mut given.sequence),
        })
    }

    pub(crate) fn put(self, sequence: SequenceNumber) {
        if let Some(place) = self.sequence {
            *place = sequence.0;
        }
    }
}

/// Writes a sample: its payload, with the encapsulation header. `options` may be null.
///
/// @return TIMEOUT if a reliable KEEP_ALL history had no room within max_blocking_time.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_write(
    writer: dunlin_writer,
    payload: Array<'_, u8>,
    length: u64,
    options: Out<'_, dunlin_write_options>,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let options = Options::of(options)?;
        let payload = payload.slice(length, "payload")?;
        let written = writer
            .core
            .write(ChangeKind::Alive, payload, &options.options)?;
        options.put(written);
        Ok(())
    })
}

/// Writes a sample whose payload lies in several pieces, at most 64. Large octets are kept by
/// reference until readers have acknowledged them.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_write_pieces(
    writer: dunlin_writer,
    pieces: Array<'_, dunlin_piece>,
    count: u64,
    options: Out<'_, dunlin_write_options>,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let options = Options::of(options)?;
        let mut parts = ArrayVec::<_, MOST_PIECES>::new();
        for piece in pieces.slice(count, "pieces")? {
            let piece = piece_of(piece)?;
            let added = parts.try_push(piece);
            added.map_err(|_| Failure::bad(format!("{count} pieces: at most 64 are allowed")))?;
        }
        let written = writer
            .core
            .write_pieces(ChangeKind::Alive, &parts, &options.options)?;
        options.put(written);
        Ok(())
    })
}

fn piece_of(piece: &dunlin_piece) -> Outcome<Piece<'_>> {
    let data = crate::memory::dunlin_bytes {
        data: piece.data,
        length: usize::try_from(piece.length).unwrap_or(usize::MAX),
    };
    if piece.octets == 0 {
        return Ok(Piece::Copied(data.get("pieces.data")?));
    }
    let all = object::octets(piece.octets)?.get()?;
    if piece.data.is_null() {
        return Ok(Piece::Shared(all));
    }
    let offset = (piece.data as usize).checked_sub(all.as_ptr() as usize);
    let offset = offset.ok_or_else(|| Failure::bad("pieces.data is before its octets"))?;
    let part = crate::octets::part(&all, offset as u64, piece.length)?;
    Ok(Piece::Shared(part))
}

/// The end of an instance, which a serialized key names, or the options do.
fn end_instance(
    writer: dunlin_writer,
    kind: impl FnOnce(&UntypedWriter) -> ChangeKind,
    key: Array<'_, u8>,
    length: u64,
    options: Out<'_, dunlin_write_options>,
) -> Outcome {
    let writer = object::writer(writer)?;
    let options = Options::of(options)?;
    let key = key.slice(length, "key")?;
    let kind = kind(&writer.core);
    let written = writer.core.write(kind, key, &options.options)?;
    options.put(written);
    Ok(())
}

/// Disposes an instance: of its serialized key, with the encapsulation header; or without a key of
/// the instance in the options.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_dispose(
    writer: dunlin_writer,
    key: Array<'_, u8>,
    length: u64,
    options: Out<'_, dunlin_write_options>,
) -> i32 {
    entry(|| end_instance(writer, |_| ChangeKind::Disposed, key, length, options))
}

/// Unregisters an instance, and disposes it if `autodispose` says so; as `dunlin_dispose`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_unregister(
    writer: dunlin_writer,
    key: Array<'_, u8>,
    length: u64,
    options: Out<'_, dunlin_write_options>,
) -> i32 {
    entry(|| end_instance(writer, UntypedWriter::unregister_kind, key, length, options))
}

/// Says that the writer will write the instance of a serialized key; `instance` has 16 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_register(
    writer: dunlin_writer,
    key: Array<'_, u8>,
    length: u64,
    instance: OutArray<'_, u8>,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let place = instance.slice(16, "instance")?;
        let key = key.slice(length, "key")?;
        let instance = writer.core.register_instance(key)?;
        place.copy_from_slice(&instance.0);
        Ok(())
    })
}

/// Whether the writer has an instance of 16 bytes: NO_DATA if not.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_lookup(writer: dunlin_writer, instance: Array<'_, u8>) -> i32 {
    entry(|| {
        let instance = InstanceHandle(instance.sixteen("instance")?);
        match object::writer(writer)?.core.knows(instance) {
            true => Ok(()),
            false => Err(Failure::NO_DATA),
        }
    })
}

/// The serialized key of an instance; NO_DATA if the writer does not have it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_key(
    writer: dunlin_writer,
    instance: Array<'_, u8>,
    key: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = key.required("key")?;
        let instance = InstanceHandle(instance.sixteen("instance")?);
        let key = object::writer(writer)?.core.key_value(instance);
        place.put(dunlin_block::bytes(&key.ok_or(Failure::NO_DATA)?));
        Ok(())
    })
}

/// Waits until every matched reliable reader has acknowledged all samples.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_wait_for_acknowledgments(
    writer: dunlin_writer,
    timeout: i64,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let timeout = duration(timeout, "timeout")?;
        Ok(writer.core.wait_for_acknowledgments(timeout)?)
    })
}

/// Waits until so many readers match; a timeout of 0 looks once.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_wait_for_matched(
    writer: dunlin_writer,
    readers: u64,
    timeout: i64,
) -> i32 {
    entry(|| {
        let writer = object::writer(writer)?;
        let timeout = duration(timeout, "timeout")?;
        let readers = usize::try_from(readers).unwrap_or(usize::MAX);
        Ok(writer.core.wait_for_matched(readers, timeout)?)
    })
}

/// How its samples are encoded: `DUNLIN_XCDR1` or `DUNLIN_XCDR2`, whatever its QoS was made of.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_representation(
    writer: dunlin_writer,
    representation: Out<'_, i32>,
) -> i32 {
    entry(|| {
        let place = representation.required("representation")?;
        let writer = object::writer(writer)?;
        place.put(representation_number(writer.core.representation()));
        Ok(())
    })
}

/// The GUIDs of the readers that match, of 16 bytes each. `count` is how many there are; as many as
/// `room` allows are written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_matched(
    writer: dunlin_writer,
    guids: OutArray<'_, u8>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let matched = || Ok(object::writer(writer)?.core.matched_subscriptions());
        put_guids(matched, guids, room, count)
    })
}

/// How many changes the slowest reader has not acknowledged, and how many the writer keeps.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_backlog(
    writer: dunlin_writer,
    unacknowledged: Out<'_, u64>,
    kept: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let unacknowledged = unacknowledged.required("unacknowledged")?;
        let kept = kept.required("kept")?;
        let backlog = object::writer(writer)?.core.backlog_status();
        unacknowledged.put(backlog.unacknowledged);
        kept.put(backlog.kept as u64);
        Ok(())
    })
}

/// Why readers of the same or a similar topic do not match, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_writer_explain(writer: dunlin_writer, text: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let lines = object::writer(writer)?.core.explain_matching();
        place.put(dunlin_block::text(&lines.join("\n")));
        Ok(())
    })
}

/// Sends samples that batching holds back.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_flush(writer: dunlin_writer) -> i32 {
    entry(|| {
        object::writer(writer)?.core.flush();
        Ok(())
    })
}

/// Says that the writer lives, if its LIVELINESS is manual.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_assert_liveliness(writer: dunlin_writer) -> i32 {
    entry(|| {
        object::writer(writer)?.core.assert_liveliness();
        Ok(())
    })
}
