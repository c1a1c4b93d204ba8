//! Readers.
use crate::callback::{Listener, dunlin_listener};
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::memory::{Array, In, Out, OutArray, dunlin_block, dunlin_text};
use crate::names::{Creating, adopt_reader, put_guids};
use crate::object;
use crate::participant::dunlin_participant;
use crate::qos::{dunlin_reader_qos, duration, read_or};
use crate::samples::{Samples, keep_taken, lender, taken};
use crate::select::{
    DUNLIN_DECODES, DUNLIN_GIVE_BACK_FIRST, DUNLIN_IN_PLACE, dunlin_select, states,
};
use crate::topic::dunlin_topic;
use dunlin::untyped::{SamplePayload, UntypedSample, UntypedTopicDescription};
use dunlin::{Guid, InstanceHandle, SampleInfo, Select, Timestamp, UntypedReader};
use std::sync::Arc;

/// A reader.
pub type dunlin_reader = u64;

/// A reader with the samples that it has handed out.
pub(crate) struct Reader {
    pub(crate) core: UntypedReader,
    pub(crate) samples: Arc<Samples>,
}

impl Reader {
    pub(crate) fn new(core: UntypedReader) -> Self {
        Self {
            core,
            samples: Arc::default(),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.samples.orphan();
    }
}

/// What DDS says about a sample.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct dunlin_sample_info {
    /// When it was written, in nanoseconds since 1970; `DUNLIN_NO_TIME` if its writer did not say.
    pub source_timestamp: i64,
    /// Its number among the changes of its writer.
    pub sequence: i64,
    /// Its instance.
    pub instance: [u8; 16],
    /// Its writer.
    pub publication: [u8; 16],
    /// `DUNLIN_READ` or `DUNLIN_NOT_READ`.
    pub sample_state: u32,
    /// `DUNLIN_NEW` or `DUNLIN_NOT_NEW`.
    pub view_state: u32,
    /// `DUNLIN_ALIVE` or one of its kin.
    pub instance_state: u32,
    /// How often the instance had come back from being disposed.
    pub disposed_generation_count: i32,
    /// How often it had come back from having no writers.
    pub no_writers_generation_count: i32,
    /// How many samples of the instance follow in this call.
    pub sample_rank: i32,
    /// Generations between this one and the last of the instance in this call.
    pub generation_rank: i32,
    /// Generations between this one and the newest of the instance in the reader.
    pub absolute_generation_rank: i32,
    /// 1 for a sample; 0 for a change of the instance alone, whose payload is the key or nothing.
    pub valid_data: u8,
    /// 0.
    pub reserved: [u8; 7],
}

/// A sample that was taken or read. It is the reader's until it is given back.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_sample {
    /// The payload, with its encapsulation header: private memory. Null if there is none, or with
    /// `DUNLIN_IN_PLACE` if it stays where its writer has it.
    pub data: *const u8,
    /// Bytes of the payload.
    pub length: u64,
    /// Tells samples from each other; 0 if there is none.
    pub token: u64,
    /// Bits `DUNLIN_SAMPLE_IN_PLACE`, `DUNLIN_SAMPLE_WITHDRAWN`, `DUNLIN_SAMPLE_COPIED`,
    /// `DUNLIN_SAMPLE_SEVERAL`.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
    /// What DDS says about it.
    pub info: dunlin_sample_info,
}

const _: () = assert!(size_of::<dunlin_sample_info>() == 88 && size_of::<dunlin_sample>() == 120);

/// The sample lies in memory of its writer.
pub const DUNLIN_SAMPLE_IN_PLACE: u32 = 1;
/// Its writer used the memory again before it could be copied: there is no payload.
pub const DUNLIN_SAMPLE_WITHDRAWN: u32 = 2;
/// The payload lies in memory of the caller's: there is nothing to give back.
pub const DUNLIN_SAMPLE_COPIED: u32 = 4;
/// It is none: the reader has several, and only a sole one was wanted.
pub const DUNLIN_SAMPLE_SEVERAL: u32 = 8;

impl dunlin_sample_info {
    pub(crate) fn of(info: &SampleInfo) -> Self {
        Self {
            source_timestamp: info.source_timestamp.unwrap_or(Timestamp::INVALID).0,
            sequence: info.sequence.0,
            instance: info.instance.0,
            publication: info.publication.to_bytes(),
            sample_state: info.sample_state.mask(),
            view_state: info.view_state.mask(),
            instance_state: info.instance_state.mask(),
            disposed_generation_count: info.disposed_generation_count,
            no_writers_generation_count: info.no_writers_generation_count,
            sample_rank: info.sample_rank,
            generation_rank: info.generation_rank,
            absolute_generation_rank: info.absolute_generation_rank,
            valid_data: info.valid_data.into(),
            reserved: [0; 7],
        }
    }
}

/// A reader of a topic, or of a part of one. Its subscriber may be given instead of its
/// participant; with a participant it is that of those who make none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_new(
    parent: dunlin_participant,
    topic: dunlin_topic,
    qos: In<'_, dunlin_reader_qos>,
    listener: In<'_, dunlin_listener>,
    reader: Out<'_, dunlin_reader>,
) -> i32 {
    entry(|| {
        let place = reader.required("reader")?;
        let above = match object::participant(parent) {
            Ok(participant) => participant.implicit_subscriber()?,
            Err(_) => parent,
        };
        let subscriber = object::subscriber(above)?;
        let (whole, part);
        let topic: &dyn UntypedTopicDescription = if Kind::of(topic) == Some(Kind::FilteredTopic) {
            part = object::filtered_topic(topic)?;
            &*part
        } else {
            whole = object::topic(topic)?;
            &*whole
        };
        let qos = read_or(qos, || subscriber.default_datareader_qos())?;
        let creating = Creating::begin();
        let handle = match Listener::of(listener)? {
            None => adopt_reader(&subscriber.create_untyped_datareader(topic, qos)?, above)?,
            Some((listener, taken)) => {
                let made = subscriber.create_untyped_datareader_with_listener(topic, qos, listener);
                let handle = adopt_reader(&made?, above)?;
                taken.confirm();
                handle
            }
        };
        drop(creating);
        place.put(handle);
        Ok(())
    })
}

/// How samples leave a reader.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Take,
    Read,
}

/// What is asked for.
pub(crate) struct Wanted {
    pub(crate) select: Select,
    pub(crate) condition: u64,
    pub(crate) flags: u32,
}

impl Wanted {
    /// `known` are the flags that the call understands.
    #[inline]
    pub(crate) fn of(select: In<'_, dunlin_select>, known: u32) -> Outcome<Self> {
        let given = select.sized_in_place("select")?;
        let wanted = Self {
            select: states(given)?,
            condition: given.map_or(0, |select| select.condition),
            flags: given.map_or(0, |select| select.flags),
        };
        match wanted.flags & !known {
            0 => Ok(wanted),
            unknown => Err(Failure::bad(format!(
                "the member flags of the argument select has {unknown:#x}, and this call knows \
                 {known:#x}"
            ))),
        }
    }
}

fn get_samples(
    way: Way,
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    samples: OutArray<'_, dunlin_sample>,
    room: u64,
    count: Out<'_, u64>,
) -> Outcome {
    let held = object::reader(reader)?;
    let reader = &*held;
    let place = count.required("count")?;
    let known = DUNLIN_IN_PLACE | DUNLIN_GIVE_BACK_FIRST | DUNLIN_DECODES;
    let mut wanted = Wanted::of(select, known)?;
    let samples = samples.slice(room, "samples")?;
    if wanted.flags & DUNLIN_GIVE_BACK_FIRST != 0 {
        reader.samples.give_back_any(samples)?;
    }
    if samples.is_empty() {
        return Err(Failure::bad("room for 0 samples: 1 is needed at least"));
    }
    let reserved = reader
        .samples
        .reserve(samples.len().min(wanted.select.max))?;
    wanted.select.max = reserved;
    let mut found = taken();
    let got = pull(way, reader, &wanted, &mut found);
    let filled = found.len();
    reader.samples.unreserve(reserved.saturating_sub(filled));
    let in_place = wanted.flags & DUNLIN_IN_PLACE != 0;
    // Copies are made here, without a lock; nearly always there are none to be made.
    for (sample, place) in found.iter_mut().zip(samples.iter_mut()) {
        describe(sample, in_place, place);
    }
    if filled > 0 {
        let payloads = found.drain(..).map(UntypedSample::into_payload);
        reader.samples.lend(payloads.zip(samples));
    }
    keep_taken(found);
    got?;
    match filled {
        0 => Err(Failure::NO_DATA),
        filled => {
            place.put(filled as u64);
            Ok(())
        }
    }
}

pub(crate) fn address(payload: &[u8]) -> *const u8 {
    match payload {
        [] => std::ptr::null(),
        payload => payload.as_ptr(),
    }
}

/// Gets samples out of the reader.
fn pull(way: Way, reader: &Reader, wanted: &Wanted, into: &mut Vec<UntypedSample>) -> Outcome {
    let core = &reader.core;
    let decodes = wanted.flags & DUNLIN_DECODES != 0;
    let takes = way == Way::Take;
    if wanted.condition == 0 {
        match way {
            _ if decodes => core.get_undecoded(takes, &wanted.select, None, into)?,
            Way::Take => drop(core.take(&wanted.select, into)),
            Way::Read => drop(core.read(&wanted.select, into)),
        };
        return Ok(());
    }
    let condition = object::condition(wanted.condition)?;
    let condition = condition.read_condition(wanted.condition)?;
    let select = &wanted.select;
    match way {
        _ if decodes => core.get_undecoded(takes, select, Some(condition), into)?,
        Way::Take => drop(core.take_some_with_condition(condition, select, into)?),
        Way::Read => drop(core.read_some_with_condition(condition, select, into)?),
    };
    Ok(())
}

/// All but its token. What its writer has in memory of its own is copied unless it may stay there.
#[inline]
fn describe(sample: &mut UntypedSample, in_place: bool, place: &mut dunlin_sample) {
    let mut flags = 0;
    if sample.as_slice().is_none() {
        flags = match in_place {
            true if sample.is_in_place() => DUNLIN_SAMPLE_IN_PLACE,
            true => 0,
            false if sample.make_contiguous().is_err() => DUNLIN_SAMPLE_WITHDRAWN,
            false => 0,
        };
    }
    *place = dunlin_sample {
        data: sample.as_slice().map_or(std::ptr::null(), address),
        length: sample.len() as u64,
        token: 0,
        flags,
        reserved: 0,
        info: dunlin_sample_info::of(&sample.info),
    };
}

/// Takes samples out of a reader: as many as `select` names and `room` allows. `select` may be null.
///
/// @return NO_DATA if there are none; OUT_OF_RESOURCES while 65536 of the reader's are out.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_take(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    samples: OutArray<'_, dunlin_sample>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| get_samples(Way::Take, reader, select, samples, room, count))
}

/// As `dunlin_take`, but leaves the samples in the reader, now read.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_read(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    samples: OutArray<'_, dunlin_sample>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| get_samples(Way::Read, reader, select, samples, room, count))
}

/// Does something with the samples of a reader that are out; it may be closed.
fn with_samples<R>(reader: dunlin_reader, work: impl FnOnce(&Samples) -> Outcome<R>) -> Outcome<R> {
    match object::reader(reader) {
        Ok(reader) => work(&reader.samples),
        Err(refused) => work(&*lender(reader).ok_or(refused)?),
    }
}

/// Looks at a sample that is out.
pub(crate) fn with_sample<R>(
    reader: dunlin_reader,
    token: u64,
    look: impl FnOnce(&SamplePayload) -> R,
) -> Outcome<R> {
    with_samples(reader, |samples| samples.with(token, look))
}

/// Gives samples back, each once; the reader may be closed. Their tokens become 0.
///
/// @return PRECONDITION_NOT_MET for the first that was given back before or is of another reader;
/// those before it are given back.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_give_back(
    reader: dunlin_reader,
    samples: OutArray<'_, dunlin_sample>,
    count: u64,
) -> i32 {
    entry(|| {
        let samples = samples.slice(count, "samples")?;
        with_samples(reader, |lender| lender.give_back(samples))
    })
}

/// Gives a sample back that is not of the reader's type, as `dunlin_give_back` does, and has it
/// counted as lost and logged with the reason. Of a reader that is closed it is given back alone.
///
/// @return As `dunlin_give_back`.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reject(
    reader: dunlin_reader,
    sample: OutArray<'_, dunlin_sample>,
    why: dunlin_text,
) -> i32 {
    entry(|| {
        let samples = sample.slice(1, "sample")?;
        let publication = samples.first().map(|sample| sample.info.publication);
        let why = why.get("why")?;
        match samples {
            [one] if one.flags & DUNLIN_SAMPLE_COPIED != 0 => {
                object::reader(reader)?;
                one.flags = 0;
            }
            samples => with_samples(reader, |lender| lender.give_back(samples))?,
        }
        if let (Ok(reader), Some(publication)) = (object::reader(reader), publication) {
            reader.core.reject(Guid::from_bytes(publication), &why);
        }
        Ok(())
    })
}

/// Copies a part of the payload of a sample.
///
/// @return ERROR if the writer has used the memory again: what was copied is not the sample.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_sample_copy(
    reader: dunlin_reader,
    sample: In<'_, dunlin_sample>,
    offset: u64,
    into: OutArray<'_, u8>,
    length: u64,
) -> i32 {
    entry(|| {
        let token = sample.required("sample")?.token;
        let into = into.slice(length, "into")?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(with_sample(reader, token, |sample| {
            sample.copy_to(offset, into)
        })??)
    })
}

/// Whether the writer has left the sample alone so far.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_sample_is_valid(
    reader: dunlin_reader,
    sample: In<'_, dunlin_sample>,
    valid: Out<'_, u8>,
) -> i32 {
    entry(|| {
        let place = valid.required("valid")?;
        let token = sample.required("sample")?.token;
        place.put(with_sample(reader, token, SamplePayload::is_valid)?.into());
        Ok(())
    })
}

/// Whether the reader knows an instance of 16 bytes: NO_DATA if not.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_lookup(reader: dunlin_reader, instance: Array<'_, u8>) -> i32 {
    entry(|| {
        let instance = InstanceHandle(instance.sixteen("instance")?);
        match object::reader(reader)?.core.knows(instance) {
            true => Ok(()),
            false => Err(Failure::NO_DATA),
        }
    })
}

/// The serialized key of an instance; NO_DATA if the reader does not know it.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_key(
    reader: dunlin_reader,
    instance: Array<'_, u8>,
    key: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = key.required("key")?;
        let instance = InstanceHandle(instance.sixteen("instance")?);
        let key = object::reader(reader)?.core.key_value(instance);
        place.put(dunlin_block::bytes(&key.ok_or(Failure::NO_DATA)?));
        Ok(())
    })
}

/// Waits until so many writers match; a timeout of 0 looks once.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_wait_for_matched(
    reader: dunlin_reader,
    writers: u64,
    timeout: i64,
) -> i32 {
    entry(|| {
        let reader = object::reader(reader)?;
        let timeout = duration(timeout, "timeout")?;
        let writers = usize::try_from(writers).unwrap_or(usize::MAX);
        Ok(reader.core.wait_for_matched(writers, timeout)?)
    })
}

/// Waits until everything is here that the matched reliable writers had when the reader joined.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_wait_for_historical(reader: dunlin_reader, timeout: i64) -> i32 {
    entry(|| {
        let reader = object::reader(reader)?;
        Ok(reader
            .core
            .wait_for_historical_data(duration(timeout, "timeout")?)?)
    })
}

/// The GUIDs of the writers that match, of 16 bytes each. `count` is how many there are; as many as
/// `room` allows are written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_matched(
    reader: dunlin_reader,
    guids: OutArray<'_, u8>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let matched = || Ok(object::reader(reader)?.core.matched_publications());
        put_guids(matched, guids, room, count)
    })
}

/// How many samples came that did not pass the reader's content filter.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_filtered(reader: dunlin_reader, count: Out<'_, u64>) -> i32 {
    entry(|| {
        let place = count.required("count")?;
        place.put(object::reader(reader)?.core.filtered_sample_count());
        Ok(())
    })
}

/// Why writers of the same or a similar topic do not match, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_reader_explain(reader: dunlin_reader, text: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let lines = object::reader(reader)?.core.explain_matching();
        place.put(dunlin_block::text(&lines.join("\n")));
        Ok(())
    })
}
