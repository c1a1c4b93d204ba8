//! Which samples a read or a take is about.
use crate::error::{Failure, Outcome};
use crate::memory::Sized32;
use dunlin::{InstanceHandle, Select, Which};

/// The sample was read before.
pub const DUNLIN_READ: u32 = 1;
/// The sample was not read before.
pub const DUNLIN_NOT_READ: u32 = 2;
/// The instance is new to the reader.
pub const DUNLIN_NEW: u32 = 1;
/// The instance is not new to the reader.
pub const DUNLIN_NOT_NEW: u32 = 2;
/// The instance lives.
pub const DUNLIN_ALIVE: u32 = 1;
/// A writer disposed the instance.
pub const DUNLIN_NOT_ALIVE_DISPOSED: u32 = 2;
/// No writer writes the instance any more.
pub const DUNLIN_NOT_ALIVE_NO_WRITERS: u32 = 4;
/// Any state.
pub const DUNLIN_ANY_STATE: u32 = 0xffff;

/// Samples of any instance.
pub const DUNLIN_ANY_INSTANCE: i32 = 0;
/// Samples of the instance of `dunlin_select`.
pub const DUNLIN_THIS_INSTANCE: i32 = 1;
/// Samples of the instance that follows it.
pub const DUNLIN_NEXT_INSTANCE: i32 = 2;

/// Samples that lie in memory of their writer stay there: `data` is null, and `dunlin_sample_copy`
/// reads them.
pub const DUNLIN_IN_PLACE: u32 = 1;
/// The samples that are in the array are given back before it is filled; those with a token of 0
/// are none.
pub const DUNLIN_GIVE_BACK_FIRST: u32 = 2;
/// Whoever gets the samples decodes each at once and tells of those that are not of the type by
/// `dunlin_reject`: none is looked at before, and none left out.
pub const DUNLIN_DECODES: u32 = 4;
/// Only for `dunlin_take_next`, without a condition: where the reader has several samples, of
/// whatever states, none is taken. Then the code is OK, and what was a sample has no more than the
/// flag `DUNLIN_SAMPLE_SEVERAL`. So a take of all that there is may try this first.
pub const DUNLIN_IF_SOLE: u32 = 8;

/// Which samples a read or a take is about. With zeros behind the size it is about all.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_select {
    /// `sizeof(dunlin_select)`.
    pub size: u32,
    /// At most so many; 0 for as many as there is room for.
    pub max: u32,
    /// Bits `DUNLIN_READ`, `DUNLIN_NOT_READ`; 0 for any.
    pub sample_states: u32,
    /// Bits `DUNLIN_NEW`, `DUNLIN_NOT_NEW`; 0 for any.
    pub view_states: u32,
    /// Bits `DUNLIN_ALIVE` and its kin; 0 for any.
    pub instance_states: u32,
    /// Which instance: `DUNLIN_ANY_INSTANCE` and its kin.
    pub which: i32,
    /// That instance.
    pub instance: [u8; 16],
    /// A read or query condition of the reader, whose states and query count instead; 0 for none.
    pub condition: u64,
    /// Bits `DUNLIN_IN_PLACE`, `DUNLIN_GIVE_BACK_FIRST`, `DUNLIN_DECODES`, `DUNLIN_IF_SOLE`.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: it is `repr(C)`, begins with its size, and has numbers only.
unsafe impl Sized32 for dunlin_select {
    const NAME: &'static str = "dunlin_select";
}

const _: () = assert!(size_of::<dunlin_select>() == 56);

fn any(bits: u32) -> u32 {
    match bits {
        0 => Select::ANY,
        bits => bits,
    }
}

/// What is selected, but for the condition and the flags.
#[inline]
pub(crate) fn states(select: Option<&dunlin_select>) -> Outcome<Select> {
    let Some(select) = select else {
        return Ok(Select::default());
    };
    let instance = InstanceHandle(select.instance);
    Ok(Select {
        max: match select.max {
            0 => usize::MAX,
            max => max as usize,
        },
        sample_states: any(select.sample_states),
        view_states: any(select.view_states),
        instance_states: any(select.instance_states),
        instance: match select.which {
            DUNLIN_ANY_INSTANCE => None,
            DUNLIN_THIS_INSTANCE => Some(Which::This(instance)),
            DUNLIN_NEXT_INSTANCE => Some(Which::Next(instance)),
            other => {
                return Err(Failure::bad(format!(
                    "the member which of the argument select is {other}: 0, 1, 2 are allowed"
                )));
            }
        },
    })
}
