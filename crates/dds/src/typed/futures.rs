//! Futures beside what blocks (feature `async`): no runtime is needed or preferred, since tasks are
//! woken by whoever receives.
//!
//! A task that waits does not receive by itself, as a thread in a wait set does: the participant's
//! own threads do, so the first sample after a pause costs their wake-up. Time limits are the
//! runtime's business (`tokio::time::timeout` for example).
use crate::error::Result;
use crate::runtime::signal::Signal;
use crate::typed::reader::{DataReader, Sample};
use crate::typed::topic::TopicData;
use crate::typed::writer::DataWriter;
use crate::untyped::condition::Condition;
use crate::untyped::writer::WriterCore;
use dunlin_rtps::Select;
use dunlin_wire::SequenceNumber;
use futures_core::Stream;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Polls until there is something, or the task will be woken for it.
fn poll<R>(signal: &Signal, cx: &Context<'_>, mut look: impl FnMut() -> Option<R>) -> Poll<R> {
    if let Some(found) = look() {
        return Poll::Ready(found);
    }
    // A signal that was raised for what is looked at now is used up; what comes after this raises
    // it anew.
    signal.sleep_task(cx.waker());
    match look() {
        Some(found) => Poll::Ready(found),
        None => Poll::Pending,
    }
}

/// Takes samples as they come; it ends with its reader, or when the participant ends. One stream of
/// several on a reader gets a sample.
pub struct SampleStream<T: TopicData> {
    reader: DataReader<T>,
    signal: Arc<Signal>,
}

impl<T: TopicData> DataReader<T> {
    /// Its samples, taken one by one as they come.
    pub fn stream(&self) -> SampleStream<T> {
        let signal = Signal::new();
        self.core().data.add(&signal);
        SampleStream {
            reader: self.clone(),
            signal,
        }
    }
}

impl<T: TopicData> Stream for SampleStream<T> {
    type Item = Sample<T>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Sample<T>>> {
        let take = || {
            let sample = self.reader.take_one(Select::ANY).map(Some);
            sample.or_else(|| self.reader.core().is_gone().then_some(None))
        };
        poll(&self.signal, cx, take)
    }
}

impl<T: TopicData> Drop for SampleStream<T> {
    fn drop(&mut self) {
        self.reader.core().data.remove(&self.signal);
    }
}

/// Waits until a condition is true.
pub struct Triggered {
    condition: Condition,
    signal: Arc<Signal>,
}

impl Condition {
    /// Waits until it is true, as a wait set does; it fails with `AlreadyDeleted` or
    /// `ParticipantFailed` as soon as that cannot be any more.
    pub fn wait_async(&self) -> Triggered {
        let signal = Signal::new();
        self.waiters().add(&signal);
        Triggered {
            condition: self.clone(),
            signal,
        }
    }
}

impl Future for Triggered {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let outcome = || match self.condition.trigger_value() {
            true => Some(Ok(())),
            false => self.condition.check_present().err().map(Err),
        };
        poll(&self.signal, cx, outcome)
    }
}

impl Drop for Triggered {
    fn drop(&mut self) {
        self.condition.waiters().remove(&self.signal);
    }
}

/// Waits until all matched reliable readers have what was written before.
pub struct Acknowledgments {
    writer: Arc<WriterCore>,
    last: SequenceNumber,
    signal: Arc<Signal>,
}

impl<T: TopicData> DataWriter<T> {
    /// As [`wait_for_acknowledgments`](Self::wait_for_acknowledgments) without a limit.
    ///
    /// # Errors
    /// `NotEnabled`.
    pub fn wait_for_acknowledgments_async(&self) -> Result<Acknowledgments> {
        let writer = Arc::clone(self.core());
        writer.check_enabled()?;
        writer.flush();
        let signal = Signal::new();
        writer.room().add(&signal);
        let last = writer.ask_for_acknowledgments();
        Ok(Acknowledgments {
            writer,
            last,
            signal,
        })
    }
}

impl Future for Acknowledgments {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        // A writer that is gone has no readers, and so nothing that they lack.
        let outcome = || match self.writer.check_present() {
            Err(gone) => Some(Err(gone)),
            Ok(()) => self.writer.is_acknowledged(self.last).then_some(Ok(())),
        };
        poll(&self.signal, cx, outcome)
    }
}

impl Drop for Acknowledgments {
    fn drop(&mut self) {
        self.writer.room().remove(&self.signal);
    }
}
