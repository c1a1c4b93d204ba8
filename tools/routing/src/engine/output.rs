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
use dunlin::untyped::{
    OpenSample, Piece, TryWriteError, UntypedWriter, UntypedWriterListener, WriteOptions,
};
use dunlin::{ChangeKind, Guid, SequenceNumber, SetPlace, StatusMask};
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
    /// A sample that is written before it is whole, and whose it is.
    open: Option<(Origin, OpenSample)>,
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
    /// What comes as a coherent set is written as one.
    keeps_sets: bool,
    /// A set was begun and not ended.
    is_in_set: bool,
    /// The last of its source's changes that came before it was made. If the input that took them
    /// is made anew, they come once more.
    had: SequenceNumber,
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

/// Which change of which source.
pub(crate) type Origin = (Guid, SequenceNumber);

/// A change on its way, whose payload several outputs may share.
pub(crate) struct Passing<'a> {
    pub(crate) kind: ChangeKind,
    pub(crate) payload: &'a Bytes,
    pub(crate) options: &'a WriteOptions,
    /// The change that it is, unless it is made by the service.
    pub(crate) origin: Option<Origin>,
    /// Its source may be made to wait.
    pub(crate) is_reliable: bool,
    /// Where it stands in its source's coherent sets.
    pub(crate) set: SetPlace,
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
            open: None,
            tally,
            fault,
            wrote: false,
            transform: None,
            conversion: None,
            refused: 0,
            keeps_sets: false,
            is_in_set: false,
            had: SequenceNumber(0),
        }
    }

    /// Writes what comes as a coherent set as one. Its publisher is its own.
    pub(crate) fn with_sets(self, keeps_sets: bool) -> Self {
        Self { keeps_sets, ..self }
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
        self.abandon();
        self.transform = Some(transform);
    }

    /// As `with_conversion`, from now on.
    pub(crate) fn convert(&mut self, conversion: Conversion) {
        self.abandon();
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
            let ends_set = next.ends_set;
            if self.keeps_sets {
                let set = next.set;
                self.enter(set);
            }
            let Some(next) = self.backlog.front() else {
                break;
            };
            let written = self
                .writer
                .put(next.kind, &next.payload, &next.options, false);
            let (kind, length) = (next.kind, next.payload.len());
            if !self.is_done(written, kind, length) {
                break;
            }
            self.backlog.pop();
            if ends_set {
                self.leave_set();
            }
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

    /// It has its source's changes up to this one.
    pub(crate) fn note_had(&mut self, sequence: SequenceNumber) {
        self.had = self.had.max(sequence);
    }

    /// Has it this change of its source already?
    #[inline]
    pub(crate) fn has(&self, sequence: SequenceNumber) -> bool {
        sequence <= self.had
    }

    /// Begins a sample that is not whole yet, if it passes as it is and nothing waits before it.
    pub(crate) fn begin(&mut self, origin: Origin, size: usize, options: &WriteOptions) {
        self.abandon();
        let Sink::Domain(writer) = &self.writer else {
            return;
        };
        if self.has(origin.1) {
            return;
        }
        if self.transform.is_some() || self.conversion.is_some() || !self.backlog.is_empty() {
            return;
        }
        // What cannot be begun is written when it is whole.
        if let Ok(Some(sample)) = writer.open(size, options) {
            self.open = Some((origin, sample));
        }
    }

    /// More has come of a sample, which may be the one that was begun.
    pub(crate) fn extend(&mut self, origin: Origin, bytes: &Bytes) {
        if let Some((of, sample)) = &self.open
            && *of == origin
        {
            sample.extend(bytes.clone());
        }
    }

    /// No more of a sample comes, which may be the one that was begun.
    pub(crate) fn cut_short(&mut self, origin: Origin) {
        if self.open.as_ref().is_some_and(|(of, _)| *of == origin) {
            self.abandon();
        }
    }

    fn abandon(&mut self) {
        if self.open.take().is_some() {
            add(&self.tally.cut_short, 1);
        }
    }

    /// Completes the sample that was begun, if this is it; otherwise it will not be completed.
    /// False if the change is still to be written.
    #[cold]
    fn complete(&mut self, change: &Passing<'_>) -> bool {
        let is_it = |(of, _): &mut (Origin, OpenSample)| change.origin == Some(*of);
        let Some((_, sample)) = self.open.take_if(is_it) else {
            self.abandon();
            return false;
        };
        let written = sample.complete(change.payload.clone()).map(drop);
        add(&self.tally.cut_through, u64::from(written.is_ok()));
        self.is_done(written, change.kind, change.payload.len())
    }

    #[inline]
    fn pass(&mut self, change: &Passing<'_>) {
        if self.open.is_some() && self.complete(change) {
            return;
        }
        if !self.backlog.is_empty() {
            return self.line_up(change);
        }
        if self.keeps_sets {
            self.enter(change.set);
        }
        let may_copy = change.payload.len() <= SMALL;
        let written = self
            .writer
            .put(change.kind, change.payload, change.options, may_copy);
        if !self.is_done(written, change.kind, change.payload.len()) {
            self.line_up(change);
        }
    }

    /// The next change stands there in its source's sets: one begins or ends, if need be.
    #[cold]
    fn enter(&mut self, place: SetPlace) {
        if place != SetPlace::Following {
            self.leave_set();
        }
        if place != SetPlace::Outside
            && !self.is_in_set
            && let Sink::Domain(writer) = &self.writer
            && let Some(publisher) = writer.publisher()
        {
            publisher.begin_coherent_changes();
            self.is_in_set = true;
        }
    }

    /// Nothing follows of the set that came last.
    pub(crate) fn end_set(&mut self) {
        match self.backlog.back_mut() {
            Some(last) => last.ends_set = true,
            None => self.leave_set(),
        }
    }

    fn leave_set(&mut self) {
        if !std::mem::take(&mut self.is_in_set) {
            return;
        }
        if let Sink::Domain(writer) = &self.writer
            && let Some(publisher) = writer.publisher()
            && let Err(error) = publisher.end_coherent_changes()
        {
            self.note_fault(&error);
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
            set: change.set,
            ends_set: false,
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
