//! An output as the thread that works the route has it: a writer, and what waits for room in it.
use super::backlog::{Backlog, Waiting};
use super::convert::Conversion;
use super::process::MOST_STRIKES;
use super::route::RouteCore;
use super::tally::{Tally, add};
use super::transform::Transform;
use crate::adapter::AdapterWriter;
use crate::engine::lock;
use crate::table::Slot;
use bytes::Bytes;
use dunlin::untyped::{Piece, TryWriteError, UntypedWriter, UntypedWriterListener, WriteOptions};
use dunlin::{ChangeKind, Guid, StatusMask};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// Payloads up to this size are copied by the writer in any case.
const SMALL: usize = 4096;

/// Whose changes an output takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sources {
    /// Those of all inputs.
    All,
    /// Those of the input of one group of sources.
    Group(u64),
    /// Those of one source writer.
    Writer(Guid),
}

/// Where an output writes to.
pub(crate) enum Sink {
    /// A writer in a domain; the handle is one that does not keep it.
    Domain(UntypedWriter),
    /// One of an adapter.
    Beyond(Arc<dyn AdapterWriter>),
}

impl Sink {
    #[inline]
    fn put(
        &self,
        kind: ChangeKind,
        payload: &Bytes,
        options: &WriteOptions,
        may_copy: bool,
    ) -> Result<(), TryWriteError> {
        match self {
            Self::Domain(writer) => {
                let payload = match may_copy {
                    true => Piece::Copied(payload),
                    false => Piece::Shared(payload.clone()),
                };
                writer.try_write(kind, &[payload], options).map(drop)
            }
            Self::Beyond(writer) => writer.try_write(kind, payload, options),
        }
    }
}

/// An output of a route.
pub(crate) struct OutputLane {
    pub(crate) slot: Slot,
    pub(crate) sources: Sources,
    writer: Sink,
    backlog: Backlog,
    pub(crate) tally: Arc<Tally>,
    fault: Arc<Mutex<Option<String>>>,
    /// Something was written since it was last flushed.
    wrote: bool,
    /// What is made of samples before they are written.
    transform: Option<Box<Transform>>,
    /// What is done to payloads before they are written.
    conversion: Option<Conversion>,
    /// How many in a row it has refused.
    refused: u32,
}

impl Sources {
    /// Do they include a writer of this group?
    pub(crate) fn include(self, group: u64, writer: &Guid) -> bool {
        match self {
            Self::All => true,
            Self::Group(own) => own == group,
            Self::Writer(own) => own == *writer,
        }
    }
}

/// A change on its way, whose payload several outputs may share.
pub(crate) struct Passing<'a> {
    pub(crate) kind: ChangeKind,
    pub(crate) payload: &'a Bytes,
    pub(crate) options: &'a WriteOptions,
    /// Its source may be made to wait.
    pub(crate) is_reliable: bool,
}

impl OutputLane {
    /// `fault` is where the last reason is left
    /// why something could not be written.
    pub(crate) fn new(
        slot: Slot,
        sources: Sources,
        writer: Sink,
        backlog: Backlog,
        tally: Arc<Tally>,
        fault: Arc<Mutex<Option<String>>>,
    ) -> Self {
        Self {
            slot,
            sources,
            writer,
            backlog,
            tally,
            fault,
            wrote: false,
            transform: None,
            conversion: None,
            refused: 0,
        }
    }

    /// Puts samples into another representation.
    pub(crate) fn with_conversion(self, conversion: Option<Conversion>) -> Self {
        Self { conversion, ..self }
    }

    /// Makes something else of samples.
    pub(crate) fn with_transform(self, transform: Option<Transform>) -> Self {
        Self {
            transform: transform.map(Box::new),
            ..self
        }
    }

    /// As `with_transform`, from now on.
    pub(crate) fn transform(&mut self, transform: Box<Transform>) {
        self.transform = Some(transform);
    }

    /// As `with_conversion`, from now on.
    pub(crate) fn convert(&mut self, conversion: Conversion) {
        self.conversion = Some(conversion);
    }

    /// True once if too many payloads in a row could not be transformed or converted.
    pub(crate) fn is_out(&mut self) -> bool {
        let is_out = self.refused >= MOST_STRIKES;
        if is_out {
            self.refused = 0;
        }
        is_out
    }

    /// Writes what waits, as far as there is room.
    pub(crate) fn drain(&mut self) {
        if self.backlog.is_empty() {
            return;
        }
        let before = self.backlog.len();
        while let Some(next) = self.backlog.front() {
            let written = self
                .writer
                .put(next.kind, &next.payload, &next.options, false);
            let (kind, length) = (next.kind, next.payload.len());
            if !self.is_done(written, kind, length) {
                break;
            }
            self.backlog.pop();
        }
        if self.backlog.len() < before {
            self.tally.note_still(!self.backlog.is_empty());
        }
        self.note_backlog();
    }

    /// Does nothing wait for room?
    pub(crate) fn is_empty(&self) -> bool {
        self.backlog.is_empty()
    }

    /// How many more changes it takes, if need be into its backlog.
    pub(crate) fn room(&self) -> usize {
        self.backlog.room()
    }

    /// Takes a change. What cannot be transformed or converted is lost and counted.
    #[inline]
    pub(crate) fn put(&mut self, change: &Passing<'_>) {
        let Some(transform) = &mut self.transform else {
            return self.put_converted(change);
        };
        match transform.apply(change) {
            Ok(Some(made)) => self.put_converted(&Passing {
                payload: &made.payload,
                options: &made.options,
                ..*change
            }),
            Ok(None) => add(&self.tally.held_back, 1),
            Err(why) => self.refuse(format!("a sample cannot be transformed: {why}")),
        }
    }

    #[inline]
    fn put_converted(&mut self, change: &Passing<'_>) {
        let Some(conversion) = &mut self.conversion else {
            self.refused = 0;
            return self.pass(change);
        };
        match conversion.apply(change.kind, change.payload) {
            Ok(payload) => {
                self.refused = 0;
                self.pass(&Passing {
                    payload: &payload,
                    ..*change
                });
            }
            Err(error) => self.refuse(format!("a sample cannot be converted: {error}")),
        }
    }

    #[cold]
    fn refuse(&mut self, why: String) {
        self.refused += 1;
        add(&self.tally.failed, 1);
        *lock(&self.fault) = Some(why);
    }

    #[inline]
    fn pass(&mut self, change: &Passing<'_>) {
        if !self.backlog.is_empty() {
            return self.line_up(change);
        }
        let may_copy = change.payload.len() <= SMALL;
        let written = self
            .writer
            .put(change.kind, change.payload, change.options, may_copy);
        if !self.is_done(written, change.kind, change.payload.len()) {
            self.line_up(change);
        }
    }

    /// False if the change is to be tried again.
    fn is_done(
        &mut self,
        written: Result<(), TryWriteError>,
        kind: ChangeKind,
        length: usize,
    ) -> bool {
        match written {
            Ok(()) => {
                self.tally.note(kind, length);
                self.wrote = true;
            }
            Err(TryWriteError::Full) => return false,
            Err(TryWriteError::Failed(error)) => self.note_fault(&error),
        }
        true
    }

    /// There is no room: what a source can be made to wait for waits here, the rest is lost as on a
    /// network that is too slow.
    #[cold]
    fn line_up(&mut self, change: &Passing<'_>) {
        if !change.is_reliable {
            return add(&self.tally.dropped_full, 1);
        }
        if self.backlog.is_empty() {
            self.tally.note_still(true);
        }
        self.backlog.push(Waiting {
            kind: change.kind,
            payload: change.payload.clone(),
            options: *change.options,
        });
        self.note_backlog();
    }

    fn note_backlog(&self) {
        let (samples, bytes) = (self.backlog.len() as u64, self.backlog.bytes() as u64);
        self.tally.backlog.store(samples, Relaxed);
        self.tally.backlog_bytes.store(bytes, Relaxed);
    }

    #[cold]
    fn note_fault(&self, error: &dunlin::Error) {
        add(&self.tally.failed, 1);
        *lock(&self.fault) = Some(error.to_string());
    }

    /// Sends what the burst has left in the writer.
    pub(crate) fn flush(&mut self) {
        if std::mem::take(&mut self.wrote)
            && let Sink::Domain(writer) = &self.writer
        {
            writer.flush();
        }
    }
}

/// Works the route when there may be room.
pub(crate) struct RoomListener(pub(crate) Arc<RouteCore>);

impl UntypedWriterListener for RoomListener {
    fn statuses(&self) -> StatusMask {
        StatusMask::NONE
    }

    fn on_room(&self, _: &UntypedWriter) {
        self.0.pump();
    }
}
