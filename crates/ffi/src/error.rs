//! What functions return, and what is said of the last failure.
use crate::handle::{Kind, Refused};
use crate::memory::dunlin_text;
use dunlin::{Error, ReturnCode};
use std::any::Any;
use std::cell::RefCell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a function did not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Expected by whoever called: it has no text and costs nothing.
    Quiet(ReturnCode),
    /// A mistake, or something that went wrong.
    Told(ReturnCode, String),
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// There is nothing to take or to read.
    pub(crate) const NO_DATA: Self = Self::Quiet(ReturnCode::NoData);
    /// No condition of a wait set became true in time.
    pub(crate) const TIMEOUT: Self = Self::Quiet(ReturnCode::Timeout);

    #[cold]
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::Told(ReturnCode::BadParameter, text.into())
    }

    #[cold]
    pub(crate) fn precondition(text: impl Into<String>) -> Self {
        Self::Told(ReturnCode::PreconditionNotMet, text.into())
    }

    #[cold]
    pub(crate) fn resources(text: impl Into<String>) -> Self {
        Self::Told(ReturnCode::OutOfResources, text.into())
    }

    #[cold]
    pub(crate) fn deleted(text: impl Into<String>) -> Self {
        Self::Told(ReturnCode::AlreadyDeleted, text.into())
    }

    #[cold]
    pub(crate) fn illegal(text: impl Into<String>) -> Self {
        Self::Told(ReturnCode::IllegalOperation, text.into())
    }

    /// A handle that is not one of what is needed.
    #[cold]
    pub(crate) fn handle(handle: u64, needed: &str, refused: Option<Refused>) -> Self {
        let is = Kind::of(handle).map(Kind::name);
        match (handle, is, refused) {
            (0, ..) => Self::bad(format!("the handle is 0, and {needed} is needed")),
            (_, Some(is), Some(Refused::Closed)) => Self::deleted(format!(
                "the handle {handle:#x} was that of {is}, which has been closed"
            )),
            (_, Some(is), Some(Refused::BeforeFork)) => Self::deleted(format!(
                "the handle {handle:#x} is that of {is} of the process before the fork: make one in this process"
            )),
            (_, Some(is), None) => Self::bad(format!(
                "the handle {handle:#x} is that of {is}, and {needed} is needed"
            )),
            _ => Self::bad(format!(
                "the number {handle:#x} is no handle that this process was given, and {needed} is needed"
            )),
        }
    }

    #[cold]
    fn report(self) -> i32 {
        match self {
            Self::Quiet(code) => code as i32,
            Self::Told(code, text) => {
                remember(&text);
                code as i32
            }
        }
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Self {
        match error.return_code() {
            code @ ReturnCode::NoData => Self::Quiet(code),
            code => Self::Told(code, error.to_string()),
        }
    }
}

/// The text of a thread in which nothing has failed: as all others it ends with NUL.
const NOTHING: &str = "\0";

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What `dunlin_last_error` says from now on. A thread that is ending remembers nothing.
pub(crate) fn remember(text: &str) {
    let _ = LAST.try_with(|last| {
        let mut last = last.borrow_mut();
        last.clear();
        last.push_str(text);
        // For those who take it for a text that ends with NUL.
        last.push('\0');
    });
}

/// The text of this thread's last failure.
pub(crate) fn last() -> dunlin_text {
    let text = LAST.try_with(|last| {
        let last = last.borrow();
        let text = if last.is_empty() { NOTHING } else { &last };
        dunlin_text::lasting(text.strip_suffix('\0').unwrap_or(text))
    });
    text.unwrap_or(dunlin_text::NONE)
}

/// Runs the body of a function of the ABI: no panic leaves it.
#[inline]
pub(crate) fn entry(body: impl FnOnce() -> Outcome) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ReturnCode::Ok as i32,
        Ok(Err(failure)) => failure.report(),
        Err(panic) => panicked(&*panic),
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> i32 {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let mut text = String::from("a fault of Dunlin: ");
    let _ = write!(text, "{}", said.unwrap_or("a panic without words"));
    remember(&text);
    ReturnCode::Error as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> String {
        last().get("text").unwrap().to_owned()
    }

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        let code = entry(|| panic!("{} is odd", 7));
        assert_eq!(code, ReturnCode::Error as i32);
        assert!(said().contains("7 is odd"), "{}", said());
    }

    #[test]
    fn what_is_expected_leaves_the_last_text() {
        assert_eq!(entry(|| Err(Failure::bad("first"))), 3);
        assert_eq!(entry(|| Err(Failure::NO_DATA)), 11);
        assert_eq!(entry(|| Err(Failure::TIMEOUT)), 10);
        assert_eq!(said(), "first");
    }

    #[test]
    fn a_text_ends_with_nul_also_before_the_first_failure() {
        let text = std::thread::spawn(|| {
            let text = last();
            // SAFETY: the text is that of a thread which has not ended, and has a NUL behind it.
            let as_c = unsafe { std::ffi::CStr::from_ptr(text.data) };
            (text.length, as_c.to_bytes().len())
        });
        assert_eq!(text.join().unwrap(), (0, 0));
    }

    #[test]
    fn a_wait_for_an_entity_that_takes_too_long_says_for_what() {
        let late = Error::Timeout {
            entity: "writer of topic \"Reports\"".into(),
            waited: dunlin::Duration::from_secs(1),
            why: "no reader was discovered".into(),
        };
        assert_eq!(entry(|| Err(late.into())), 10);
        assert!(said().contains("no reader was discovered"), "{}", said());
    }

    #[test]
    fn each_thread_has_its_own_text() {
        assert_eq!(entry(|| Err(Failure::bad("mine"))), 3);
        std::thread::spawn(|| assert_eq!(said(), ""))
            .join()
            .unwrap();
        assert_eq!(said(), "mine");
    }
}
