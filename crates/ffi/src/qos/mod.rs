//! QoS as structures of the ABI.
mod endpoint;
mod groups;
mod limits;
mod named;
mod policies;
mod structs;
mod topic;

use crate::error::{Failure, Outcome};
use crate::memory::{In, Out, Sized32, dunlin_block};
pub(crate) use limits::{duration, representation_number};
pub(crate) use named::Texts;
pub use structs::*;

/// A QoS that has a structure.
pub(crate) trait Qos: Sized {
    /// Its structure.
    type Raw: Sized32 + Default;

    /// What the structure says.
    fn read(raw: &Self::Raw) -> Outcome<Self>;

    /// The structure, whose lists lie in `texts`.
    fn write(&self, texts: &mut Texts) -> Self::Raw;
}

/// The QoS that an argument has; without argument the one that `otherwise` gives.
pub(crate) fn read_or<Q: Qos>(raw: In<'_, Q::Raw>, otherwise: impl FnOnce() -> Q) -> Outcome<Q> {
    match raw.sized("qos")? {
        Some(raw) => Q::read(&raw),
        None => Ok(otherwise()),
    }
}

/// A structure of any QoS: the first two members of each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_qos {
    /// The size of the whole structure.
    pub size: u32,
    /// Which one it is: one of `DUNLIN_QOS_*`.
    pub kind: u32,
}

// SAFETY: it is `repr(C)`, begins with its size, and has numbers only.
unsafe impl Sized32 for dunlin_qos {
    const NAME: &'static str = "dunlin_qos";
}

/// The kind of a QoS that is given.
pub(crate) fn kind(raw: In<'_, dunlin_qos>) -> Outcome<u32> {
    Ok(raw.required_sized("qos")?.kind)
}

/// Fails unless the QoS is of the kind that is needed.
pub(crate) fn expect_kind(found: u32, needed: u32) -> Outcome {
    match found == needed {
        true => Ok(()),
        false => Err(Failure::bad(format!(
            "the member kind of the argument qos is {}, and {} is needed",
            name(found),
            name(needed)
        ))),
    }
}

fn name(kind: u32) -> String {
    match kind {
        DUNLIN_QOS_PARTICIPANT => "DUNLIN_QOS_PARTICIPANT".into(),
        DUNLIN_QOS_TOPIC => "DUNLIN_QOS_TOPIC".into(),
        DUNLIN_QOS_PUBLISHER => "DUNLIN_QOS_PUBLISHER".into(),
        DUNLIN_QOS_SUBSCRIBER => "DUNLIN_QOS_SUBSCRIBER".into(),
        DUNLIN_QOS_WRITER => "DUNLIN_QOS_WRITER".into(),
        DUNLIN_QOS_READER => "DUNLIN_QOS_READER".into(),
        other => other.to_string(),
    }
}

/// A QoS that the caller has said is of type `Q`.
pub(crate) fn read_as<Q: Qos>(raw: In<'_, dunlin_qos>) -> Outcome<Q> {
    Q::read(&raw.cast::<Q::Raw>().required_sized("qos")?)
}

/// Writes a QoS to where the caller has room for a structure of its kind. Lists lie in the block; a
/// caller who wants none gets none.
pub(crate) fn write_as<Q: Qos>(
    qos: &Q,
    into: Out<'_, dunlin_qos>,
    block: Out<'_, dunlin_block>,
) -> Outcome {
    let place = into.cast::<Q::Raw>().sized("qos")?;
    let place = place.ok_or_else(|| Failure::bad("the argument qos is a null pointer"))?;
    let mut texts = Texts::default();
    let raw = qos.write(&mut texts);
    match block.optional() {
        Some(block) if texts.is_empty() => block.put(dunlin_block::NONE),
        Some(block) => block.put(dunlin_block::keeping(texts)),
        None if texts.is_empty() => {}
        None => {
            return Err(Failure::bad(
                "the argument block is a null pointer, and the QoS has names or lists that need it",
            ));
        }
    }
    *place = raw;
    Ok(())
}

/// The default of a kind, which has no lists.
pub(crate) fn write_default<Q: Qos + Default>(into: Out<'_, dunlin_qos>) -> Outcome {
    write_as(&Q::default(), into, Out::NULL)
}
