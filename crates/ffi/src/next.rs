//! One sample at a time, whose payload is copied to the caller's memory.
use crate::error::{Failure, Outcome, entry};
use crate::memory::{In, Out, OutArray};
use crate::object;
use crate::reader::{
    DUNLIN_SAMPLE_COPIED, DUNLIN_SAMPLE_SEVERAL, DUNLIN_SAMPLE_WITHDRAWN, Wanted, Way, address,
    dunlin_reader, dunlin_sample, dunlin_sample_info,
};
use crate::samples::Samples;
use crate::select::{DUNLIN_DECODES, DUNLIN_IF_SOLE, dunlin_select};
use dunlin::SampleInfo;
use dunlin::untyped::{NextPayload, SamplePayload, SoleSample};

fn get_next(
    way: Way,
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    into: OutArray<'_, u8>,
    length: u64,
    sample: Out<'_, dunlin_sample>,
) -> Outcome {
    let reader = object::reader(reader)?;
    let place = sample.required("sample")?;
    let sole = match way {
        Way::Take => DUNLIN_IF_SOLE,
        Way::Read => 0,
    };
    let wanted = Wanted::of(select, DUNLIN_DECODES | sole)?;
    let into = into.slice(length, "into")?;
    reader.samples.check_room()?;
    let (select, takes) = (&wanted.select, way == Way::Take);
    let next = match wanted.condition {
        condition if wanted.flags & DUNLIN_IF_SOLE != 0 => {
            check_no_condition(condition)?;
            match reader.core.take_sole_undecoded(select, into) {
                SoleSample::None => None,
                SoleSample::Taken(info, payload) => Some((info, payload)),
                SoleSample::Several => {
                    place.put(none_of_several());
                    return Ok(());
                }
            }
        }
        0 => reader.core.next_undecoded(takes, select, None, into)?,
        handle => {
            let condition = object::condition(handle)?;
            let condition = condition.read_condition(handle)?;
            let core = &reader.core;
            core.next_undecoded(takes, select, Some(condition), into)?
        }
    };
    let (info, payload) = next.ok_or(Failure::NO_DATA)?;
    let mut told = dunlin_sample {
        data: std::ptr::null(),
        length: 0,
        token: 0,
        flags: DUNLIN_SAMPLE_COPIED,
        reserved: 0,
        info: dunlin_sample_info::of(&info),
    };
    match payload {
        NextPayload::Copied(length) => {
            told.data = address(into.get(..length).unwrap_or_default());
            told.length = length as u64;
        }
        NextPayload::Kept(payload) => lend_alone(&reader.samples, payload, &mut told),
    }
    place.put(told);
    Ok(())
}

fn check_no_condition(condition: u64) -> Outcome {
    match condition {
        0 => Ok(()),
        _ => Err(Failure::bad(
            "the argument select has a condition beside the flag DUNLIN_IF_SOLE: only one of them \
             is possible",
        )),
    }
}

#[cold]
fn none_of_several() -> dunlin_sample {
    dunlin_sample {
        data: std::ptr::null(),
        length: 0,
        token: 0,
        flags: DUNLIN_SAMPLE_SEVERAL,
        reserved: 0,
        info: dunlin_sample_info::of(&SampleInfo::default()),
    }
}

/// A sample for whose payload the caller has no room.
#[cold]
fn lend_alone(samples: &Samples, mut payload: SamplePayload, told: &mut dunlin_sample) {
    told.flags = match payload.as_slice().is_none() && payload.make_contiguous().is_err() {
        true => DUNLIN_SAMPLE_WITHDRAWN,
        false => 0,
    };
    told.data = payload.as_slice().map_or(std::ptr::null(), address);
    told.length = payload.len() as u64;
    samples.lend_one(payload, told);
}

/// Takes one sample for whoever decodes it at once, as with `DUNLIN_DECODES`. `select` may be null.
///
/// A payload of at most `length` bytes is copied to `into`. Such a sample has the flag
/// `DUNLIN_SAMPLE_COPIED`, and there is nothing to give back. One with a larger payload is as those
/// of `dunlin_take`.
///
/// @return NO_DATA if there is none; OUT_OF_RESOURCES while 65536 of the reader's are out.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_take_next(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    into: OutArray<'_, u8>,
    length: u64,
    sample: Out<'_, dunlin_sample>,
) -> i32 {
    entry(|| get_next(Way::Take, reader, select, into, length, sample))
}

/// As `dunlin_take_next`, but leaves the sample in the reader, now read.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_read_next(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    into: OutArray<'_, u8>,
    length: u64,
    sample: Out<'_, dunlin_sample>,
) -> i32 {
    entry(|| get_next(Way::Read, reader, select, into, length, sample))
}
