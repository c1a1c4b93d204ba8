//! The library itself: its version, its errors, what it has given out.
use crate::entity;
use crate::error::{entry, last, remember};
use crate::memory::{Out, dunlin_block, dunlin_text};
use crate::object::{OBJECTS, roots};
use dunlin::ReturnCode;
use std::ffi::c_char;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// The major number of the ABI: it is that of the shared library's name.
pub const DUNLIN_ABI_MAJOR: u32 = 0;
/// The minor number of the ABI: it grows when something is added.
pub const DUNLIN_ABI_MINOR: u32 = 5;

/// It succeeded.
pub const DUNLIN_OK: i32 = 0;
/// Something else than the codes below.
pub const DUNLIN_ERROR: i32 = 1;
/// The library does not have this.
pub const DUNLIN_UNSUPPORTED: i32 = 2;
/// An argument makes no sense.
pub const DUNLIN_BAD_PARAMETER: i32 = 3;
/// It is not possible now.
pub const DUNLIN_PRECONDITION_NOT_MET: i32 = 4;
/// A limit is reached.
pub const DUNLIN_OUT_OF_RESOURCES: i32 = 5;
/// The entity has not been enabled.
pub const DUNLIN_NOT_ENABLED: i32 = 6;
/// The policy cannot be changed while the entity lives.
pub const DUNLIN_IMMUTABLE_POLICY: i32 = 7;
/// The policies contradict each other.
pub const DUNLIN_INCONSISTENT_POLICY: i32 = 8;
/// It has been closed.
pub const DUNLIN_ALREADY_DELETED: i32 = 9;
/// It took longer than allowed.
pub const DUNLIN_TIMEOUT: i32 = 10;
/// There is nothing to take, to read or to find.
pub const DUNLIN_NO_DATA: i32 = 11;
/// It is not for this kind of thing.
pub const DUNLIN_ILLEGAL_OPERATION: i32 = 12;

static LOANS: AtomicI64 = AtomicI64::new(0);
static BLOCKS: AtomicI64 = AtomicI64::new(0);

/// So many more loans are out.
pub(crate) fn count_loan(more: i64) {
    LOANS.fetch_add(more, Relaxed);
}

/// So many more blocks are out.
pub(crate) fn count_block(more: i64) {
    BLOCKS.fetch_add(more, Relaxed);
}

/// In a forked process nothing of what belongs to handles is out.
pub(crate) fn disinherit() {
    LOANS.store(0, Relaxed);
}

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The version of the ABI: major << 16 | minor.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_abi_version() -> u32 {
    DUNLIN_ABI_MAJOR << 16 | DUNLIN_ABI_MINOR
}

/// The name of a return code; "?" if it is none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_retcode_name(code: i32) -> *const c_char {
    const CODES: [(ReturnCode, &str); 13] = [
        (ReturnCode::Ok, "OK\0"),
        (ReturnCode::Error, "ERROR\0"),
        (ReturnCode::Unsupported, "UNSUPPORTED\0"),
        (ReturnCode::BadParameter, "BAD_PARAMETER\0"),
        (ReturnCode::PreconditionNotMet, "PRECONDITION_NOT_MET\0"),
        (ReturnCode::OutOfResources, "OUT_OF_RESOURCES\0"),
        (ReturnCode::NotEnabled, "NOT_ENABLED\0"),
        (ReturnCode::ImmutablePolicy, "IMMUTABLE_POLICY\0"),
        (ReturnCode::InconsistentPolicy, "INCONSISTENT_POLICY\0"),
        (ReturnCode::AlreadyDeleted, "ALREADY_DELETED\0"),
        (ReturnCode::Timeout, "TIMEOUT\0"),
        (ReturnCode::NoData, "NO_DATA\0"),
        (ReturnCode::IllegalOperation, "ILLEGAL_OPERATION\0"),
    ];
    let found = CODES.iter().find(|(known, _)| *known as i32 == code);
    found.map_or("?\0", |(_, name)| name).as_ptr().cast()
}

/// What the last failure of this thread was: which entity or argument, which values, what to do. The
/// text, which ends with NUL, is there until the thread's next failure. NO_DATA and the TIMEOUT of
/// `dunlin_waitset_wait` have no text and leave that of the failure before.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_last_error(text: Out<'_, dunlin_text>) -> i32 {
    match text.optional() {
        Some(place) => {
            place.put(last());
            DUNLIN_OK
        }
        None => DUNLIN_BAD_PARAMETER,
    }
}

/// Keeps a text for `dunlin_last_error` and returns the code: for what is built upon the library and
/// fails by itself, such as a codec.
///
/// @return BAD_PARAMETER if the text is not UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_set_last_error(code: i32, text: dunlin_text) -> i32 {
    match text.get("text") {
        Ok(text) => {
            remember(text);
            code
        }
        Err(wrong) => entry(|| Err(wrong)),
    }
}

/// Gives a block back; it is empty then. A null pointer and an empty block are nothing to do.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_block_free(block: Out<'_, dunlin_block>) -> i32 {
    entry(|| match block.get() {
        None => Ok(()),
        Some(block) => {
            block.free()?;
            *block = dunlin_block::NONE;
            Ok(())
        }
    })
}

/// How much of the library's is not given back: handles, samples, loans and blocks. `text`, which
/// may be null, says how many of each.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_leaks(count: Out<'_, u64>, text: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let place = count.required("count")?;
        let handles = OBJECTS.living() as u64;
        let samples = crate::samples::out();
        let [loans, blocks] =
            [&LOANS, &BLOCKS].map(|count| count.load(Relaxed).max(0).cast_unsigned());
        place.put(handles + samples + loans + blocks);
        if let Some(place) = text.optional() {
            place.put(dunlin_block::text(&format!(
                "{handles} handles, {samples} samples, {loans} loans, {blocks} blocks"
            )));
        }
        Ok(())
    })
}

/// Closes everything: participants say goodbye, and no listener is called any more. For exit hooks.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_shutdown() -> i32 {
    entry(|| {
        for root in roots() {
            // Somebody else may close it, too.
            let _ = entity::close(root);
        }
        crate::log::flush();
        Ok(())
    })
}
