//! An output as the thread that works the route has it: a writer, and what waits for room in it.
use super::backlog::{Backlog, Waiting};
use super::route::RouteCore;
use super::tally::{Tally, add};
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

/// An output of a route.
pub(crate) struct OutputLane {
    pub(crate) slot: Slot,
    pub(crate) sources: Sources,
    writer: UntypedWriter,
    backlog: Backlog,
    pub(crate) tally: Arc<Tally>,
    fault: Arc<Mutex<Option<String>>>,
    /// Something was written since it was last flushed.
    wrote: bool,
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
    /// The writer's handle is one that does not keep it; `fault` is where the last reason is left
    /// why something could not be written.
    pub(crate) fn new(
        slot: Slot,
        sources: Sources,
        writer: UntypedWriter,
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
        }
    }

    /// Writes what waits, as far as there is room.
    pub(crate) fn drain(&mut self) {
        if self.backlog.is_empty() {
            return;
        }
        while let Some(next) = self.backlog.front() {
            let payload = [Piece::Shared(next.payload.clone())];
            let written = self.writer.try_write(next.kind, &payload, &next.options);
            let (kind, length) = (next.kind, next.payload.len());
            if !self.is_done(written, kind, length) {
                break;
            }
            self.backlog.pop();
        }
        self.note_backlog();
    }

    /// How many more changes it takes, if need be into its backlog.
    pub(crate) fn room(&self) -> usize {
        self.backlog.room()
    }

    /// Takes a change.
    #[inline]
    pub(crate) fn put(&mut self, change: &Passing<'_>) {
        if !self.backlog.is_empty() {
            return self.line_up(change);
        }
        let payload = match change.payload.len() <= SMALL {
            true => Piece::Copied(change.payload),
            false => Piece::Shared(change.payload.clone()),
        };
        let written = self
            .writer
            .try_write(change.kind, &[payload], change.options);
        if !self.is_done(written, change.kind, change.payload.len()) {
            self.line_up(change);
        }
    }

    /// False if the change is to be tried again.
    fn is_done<T>(
        &mut self,
        written: Result<T, TryWriteError>,
        kind: ChangeKind,
        length: usize,
    ) -> bool {
        match written {
            Ok(_) => {
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
        if std::mem::take(&mut self.wrote) {
            self.writer.flush();
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
