//! The C edge of perftest: `libdunlin_perftest` and `dunlin/perftest.h`, without any logic. A table
//! of functions becomes a [`Driver`].
#![allow(non_camel_case_types, reason = "the names are those of the header")]

mod table;
mod text;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::Arc;

use dunlin_perftest::driver::{Header, Inbox, Topic};
use dunlin_perftest::main_with;

use table::Table;
pub use table::{
    dunlin_perftest_driver, dunlin_perftest_endpoint, dunlin_perftest_losses, dunlin_perftest_plan,
    dunlin_perftest_progress, dunlin_perftest_settings, dunlin_perftest_traffic,
};

/// The version of the interface.
pub const DUNLIN_PERFTEST_VERSION: u32 = 1;

/// Exit status when a program is no driver, or something in here panicked.
const FAILED: i32 = 1;

/// Runs perftest with the arguments of `main`; returns the status of the process.
///
/// # Safety
/// `argv` has `argc` texts, and `driver` is a table as the header describes it, whose functions and
/// context stay as long as the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dunlin_perftest_run(
    argc: i32,
    argv: *const *const c_char,
    driver: *const dunlin_perftest_driver,
) -> i32 {
    let run = || {
        // SAFETY: the caller passes a table, which begins with its size and version.
        let table = match unsafe { Table::of(driver) } {
            Ok(table) => table,
            Err(reason) => {
                eprintln!("Error: {reason}");
                return FAILED;
            }
        };
        // SAFETY: the caller passes so many texts.
        let arguments = unsafe { texts(argv, argc) };
        i32::from(main_with(
            arguments.into_iter().skip(1),
            Some(Arc::new(table)),
        ))
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(FAILED)
}

/// Takes a sample that the driver itself has no use for, on the thread that received it.
///
/// # Safety
/// `inbox` is that of the settings, `header` is a header, and `data` has `length` octets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dunlin_perftest_sample(
    inbox: *const c_void,
    topic: u32,
    header: *const Header,
    data: *const u8,
    length: u64,
) {
    let topic = match topic {
        0 => Topic::Throughput,
        1 => Topic::Latency,
        2 => Topic::Announcement,
        _ => return,
    };
    // SAFETY: the table keeps the inbox as long as the process, and the caller passes that address.
    let inbox = unsafe { inbox.cast::<Inbox>().as_ref() };
    // SAFETY: the caller passes a header or null.
    let header = unsafe { header.as_ref() };
    let (Some(inbox), Some(header)) = (inbox, header) else {
        return;
    };
    let data = match (data.is_null(), usize::try_from(length)) {
        // SAFETY: the caller says that so many octets lie there.
        (false, Ok(length)) => unsafe { slice::from_raw_parts(data, length) },
        _ => &[],
    };
    // A panic has been printed; the run then ends by its time limits.
    let _ = catch_unwind(AssertUnwindSafe(|| inbox.sample(topic, *header, data)));
}

/// The arguments of a program.
///
/// # Safety
/// `argv` has `argc` texts.
unsafe fn texts(argv: *const *const c_char, argc: i32) -> Vec<String> {
    let count = usize::try_from(argc).unwrap_or(0);
    if argv.is_null() || count == 0 {
        return Vec::new();
    }
    // SAFETY: as above.
    let texts = unsafe { slice::from_raw_parts(argv, count) };
    let text = |text: &&*const c_char| !text.is_null();
    texts
        .iter()
        .filter(text)
        // SAFETY: it is a text that ends with NUL.
        .map(|text| unsafe { CStr::from_ptr(*text) })
        .map(|text| text.to_string_lossy().into_owned())
        .collect()
}
