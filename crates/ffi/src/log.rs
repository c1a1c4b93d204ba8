//! The log. Whoever has something to say leaves a line in a queue, and a thread that does nothing else
//! hands it to the application: so its function is never called under a lock, nor holds up a thread
//! that receives.
use crate::error::{Failure, Outcome, entry};
use crate::memory::dunlin_text;
use dunlin::transport::threads;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};
use tracing::field::{Field, Visit};
use tracing::span;

/// Nothing is told.
pub const DUNLIN_LOG_NONE: u32 = 0;
/// Something does not work any more.
pub const DUNLIN_LOG_ERROR: u32 = 1;
/// Something does not work as it should.
pub const DUNLIN_LOG_WARNING: u32 = 2;
/// What was decided.
pub const DUNLIN_LOG_INFO: u32 = 3;
/// What happens.
pub const DUNLIN_LOG_DEBUG: u32 = 4;

/// A function that hears of the log: of one line without an end of line, which is there during the
/// call.
pub type dunlin_log =
    Option<unsafe extern "C" fn(context: *mut c_void, level: u32, line: dunlin_text)>;

/// Lines that wait; further ones are counted.
const MOST: usize = 1024;
/// Bytes of a line.
const LONGEST: usize = 1000;
/// So long the library waits for lines to be heard when it is shut down.
const PATIENCE: Duration = Duration::from_secs(1);
/// Room for what the application's function does.
const STACK: usize = 512 << 10;

/// Lines of a higher number are not told.
static LEVEL: AtomicU32 = AtomicU32::new(DUNLIN_LOG_NONE);
static LOG: Mutex<Log> = Mutex::new(Log {
    lines: VecDeque::new(),
    left_out: 0,
    sink: None,
    thread: None,
    is_telling: false,
    is_heard: false,
});
static CHANGED: Condvar = Condvar::new();

/// The function of the application.
#[derive(Clone, Copy)]
struct Sink {
    call: unsafe extern "C" fn(*mut c_void, u32, dunlin_text),
    context: *mut c_void,
}

// SAFETY: the header says that the function is called on a thread of the library with the context.
unsafe impl Send for Sink {}

impl Sink {
    fn tell(self, (level, line): &(u32, String)) {
        // SAFETY: the function is the application's, for this context; the line lives as long as the
        // call.
        unsafe { (self.call)(self.context, *level, dunlin_text::lasting(line)) };
    }
}

pub(crate) struct Log {
    lines: VecDeque<(u32, String)>,
    left_out: u64,
    sink: Option<Sink>,
    /// That hands lines over.
    thread: Option<ThreadId>,
    /// It is in the application's function.
    is_telling: bool,
    /// The library listens to what is said.
    is_heard: bool,
}

/// The lock that is held around a fork.
pub(crate) fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Log {
    /// In a forked process there is no thread to tell anything.
    pub(crate) fn disinherit(&mut self) {
        LEVEL.store(DUNLIN_LOG_NONE, Relaxed);
        self.lines.clear();
        self.left_out = 0;
        self.sink = None;
        self.thread = None;
        self.is_telling = false;
    }

    fn add(&mut self, level: u32, line: String) {
        if self.sink.is_none() {
            return;
        }
        if self.lines.len() < MOST {
            self.lines.push_back((level, line));
            CHANGED.notify_all();
        } else {
            self.left_out += 1;
        }
    }

    /// What is told next.
    fn next(&mut self) -> Option<(u32, String)> {
        if self.lines.is_empty() && self.left_out > 0 {
            let left_out = std::mem::take(&mut self.left_out);
            let words = format!("{left_out} lines were left out, since {MOST} waited to be heard");
            return Some((DUNLIN_LOG_WARNING, words));
        }
        self.lines.pop_front()
    }

    fn is_quiet(&self) -> bool {
        self.lines.is_empty() && self.left_out == 0 && !self.is_telling
    }
}

/// Hands lines over as long as there is somebody who hears them.
fn tell() {
    let this = std::thread::current().id();
    let mut log = log();
    loop {
        if log.thread != Some(this) {
            return;
        }
        let (Some(sink), Some(line)) = (log.sink, log.next()) else {
            log = CHANGED.wait(log).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        log.is_telling = true;
        drop(log);
        sink.tell(&line);
        log = self::log();
        log.is_telling = false;
        CHANGED.notify_all();
    }
}

/// Waits until all lines are heard; not in the function that hears them.
fn settle(mut log: MutexGuard<'static, Log>, until: Option<Instant>) -> MutexGuard<'static, Log> {
    let is_within = log.thread == Some(std::thread::current().id());
    while !is_within && log.sink.is_some() && !log.is_quiet() {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        log = match left {
            Some(Duration::ZERO) => return log,
            Some(left) => {
                let waited = CHANGED.wait_timeout(log, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => CHANGED.wait(log).unwrap_or_else(PoisonError::into_inner),
        };
    }
    log
}

/// What was said until now is heard, as far as that takes no longer than a second.
pub(crate) fn flush() {
    drop(settle(log(), Some(Instant::now() + PATIENCE)));
}

/// Has the library's messages told to it.
struct Listening;

impl tracing::Subscriber for Listening {
    /// The level may change.
    fn register_callsite(
        &self,
        _: &'static tracing::Metadata<'static>,
    ) -> tracing::subscriber::Interest {
        tracing::subscriber::Interest::sometimes()
    }

    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        number(metadata) <= LEVEL.load(Relaxed)
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let level = number(event.metadata());
        log().add(level, line.finish());
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

fn number(metadata: &tracing::Metadata<'_>) -> u32 {
    match *metadata.level() {
        tracing::Level::ERROR => DUNLIN_LOG_ERROR,
        tracing::Level::WARN => DUNLIN_LOG_WARNING,
        tracing::Level::INFO => DUNLIN_LOG_INFO,
        _ => DUNLIN_LOG_DEBUG,
    }
}

/// The message, then names and values.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Texts take whatever is written.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl Line {
    fn finish(self) -> String {
        let mut line = self.message + &self.fields;
        if line.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| line.is_char_boundary(*at));
            line.truncate(end.unwrap_or(0));
            line.push_str("...");
        }
        line
    }
}

/// Has a function called with each line of the log whose level is at most `level`
/// (`DUNLIN_LOG_ERROR` to `DUNLIN_LOG_DEBUG`), on a thread of its own, one call at a time; or none
/// any more if it is null. Without it nothing is told. When it returns, the function before has heard
/// all lines so far, and is not called any more; unless it is that function itself that calls.
///
/// Up to 1024 lines wait to be heard, further ones are counted.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_set_log(level: u32, call: dunlin_log, context: *mut c_void) -> i32 {
    entry(|| {
        if level > DUNLIN_LOG_DEBUG {
            return Err(Failure::bad(format!(
                "the argument level is {level}: {DUNLIN_LOG_NONE} to {DUNLIN_LOG_DEBUG} are allowed"
            )));
        }
        crate::fork::prepare();
        let mut log = settle(log(), None);
        log.sink = call.map(|call| Sink { call, context });
        LEVEL.store(call.map_or(DUNLIN_LOG_NONE, |_| level), Relaxed);
        match log.sink {
            None => log.thread = None,
            Some(_) => hear(&mut log)?,
        }
        CHANGED.notify_all();
        Ok(())
    })
}

/// What is said is heard, and handed over.
fn hear(log: &mut Log) -> Outcome {
    if !log.is_heard {
        tracing::subscriber::set_global_default(Listening).map_err(|_| {
            Failure::precondition(
                "the program has another reader of what its libraries say: `tracing` allows one",
            )
        })?;
        log.is_heard = true;
    }
    if log.thread.is_none() {
        let thread = threads::spawn("dunlin-log", STACK, tell).map_err(|error| {
            Failure::resources(format!("the thread of the log cannot be started: {error}"))
        })?;
        log.thread = Some(thread.thread().id());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_a_character_ends() {
        let line = Line {
            message: "ä".repeat(LONGEST),
            fields: String::new(),
        };
        let line = line.finish();
        assert_eq!(line.len(), LONGEST + 3);
        assert!(line.ends_with("ä..."));
    }
}
