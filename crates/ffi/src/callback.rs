//! Listeners: functions of the application, called on the thread that received.
use crate::error::{Failure, Outcome};
use crate::memory::{In, Sized32};
use crate::names;
use crate::open_call::within;
use crate::status::{dunlin_status, mask};
use dunlin::{
    DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus, LivelinessChangedStatus,
    LivelinessLostStatus, MatchedStatus, PublisherListener, SampleCountStatus,
    SampleRejectedStatus, StatusKind, StatusMask, Subscriber, SubscriberListener, TopicListener,
    UntypedReader, UntypedReaderListener, UntypedTopic, UntypedWriter, UntypedWriterListener,
};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

/// Functions that are called when something happens to an entity. Each may be null. They are called
/// without any lock, on the thread that received, and may call every function of the library; those
/// of one reader do not overlap. No exception and no `longjmp` may leave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_listener {
    /// `sizeof(dunlin_listener)`.
    pub size: u32,
    /// The statuses that it wants to hear of.
    pub mask: u32,
    /// Passed to each of the functions.
    pub context: *mut c_void,
    /// DATA_AVAILABLE.
    pub on_data:
        Option<unsafe extern "C" fn(context: *mut c_void, reader: crate::reader::dunlin_reader)>,
    /// DATA_ON_READERS, which goes before DATA_AVAILABLE.
    pub on_data_on_readers: Option<
        unsafe extern "C" fn(context: *mut c_void, subscriber: crate::group::dunlin_subscriber),
    >,
    /// Any other status.
    pub on_status: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            entity: crate::entity::dunlin_handle,
            status: *const dunlin_status,
        ),
    >,
    /// Called once, when none of the others is called any more: the context is the library's from
    /// the moment on that the function which took the listener has returned DUNLIN_OK.
    pub release: Option<unsafe extern "C" fn(context: *mut c_void)>,
}

// SAFETY: it is `repr(C)` and begins with its size. A function pointer may be null; that it is one,
// if it is not null, is what the header asks for.
unsafe impl Sized32 for dunlin_listener {
    const NAME: &'static str = "dunlin_listener";
}

/// A listener that the library owns.
struct Owned {
    listener: dunlin_listener,
    /// It was taken: whoever drops it last releases the context.
    taken: AtomicBool,
}

// SAFETY: the header says that the functions are called on any thread with the context.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(release) = self.listener.release
            && *self.taken.get_mut()
        {
            // SAFETY: the function is the application's, for this context; it is called here alone.
            unsafe { release(self.listener.context) };
        }
    }
}

impl Owned {
    fn data(&self, reader: u64) {
        if let Some(call) = self.listener.on_data {
            within(reader, || {
                // SAFETY: the function is the application's, for this context, which is not
                // released before `self` is dropped.
                unsafe { call(self.listener.context, reader) };
            });
        }
    }

    fn data_on_readers(&self, subscriber: u64) {
        if let Some(call) = self.listener.on_data_on_readers {
            within(subscriber, || {
                // SAFETY: as in `data`.
                unsafe { call(self.listener.context, subscriber) };
            });
        }
    }

    fn status(&self, entity: u64, status: &dunlin_status) {
        if let Some(call) = self.listener.on_status {
            within(entity, || {
                // SAFETY: as in `data`; the status lives as long as the call.
                unsafe { call(self.listener.context, entity, status) };
            });
        }
    }
}

/// A listener as an entity has it.
pub(crate) struct Listener {
    owned: Arc<Owned>,
    /// The handle of the entity, if it is the entity's own listener: found at its first call.
    own: OnceLock<u64>,
}

/// Whoever gave the listener to an entity says by it that this has succeeded.
pub(crate) struct Taken(Arc<Owned>);

impl Taken {
    /// From now on the context is the library's.
    pub(crate) fn confirm(self) {
        self.0.taken.store(true, SeqCst);
    }
}

impl Listener {
    pub(crate) fn of(listener: In<'_, dunlin_listener>) -> Outcome<Option<(Self, Taken)>> {
        let Some(listener) = listener.sized("listener")? else {
            return Ok(None);
        };
        let wants =
            |kind: StatusKind| listener.mask != u32::MAX && listener.mask & kind as u32 != 0;
        if wants(StatusKind::DataAvailable) && listener.on_data.is_none() {
            return Err(Failure::bad(
                "the mask of the argument listener has DUNLIN_DATA_AVAILABLE, and its on_data is null",
            ));
        }
        let owned = Arc::new(Owned {
            listener,
            taken: AtomicBool::new(false),
        });
        let taken = Taken(Arc::clone(&owned));
        let own = OnceLock::new();
        Ok(Some((Self { owned, own }, taken)))
    }

    pub(crate) fn mask(&self) -> StatusMask {
        let listener = &self.owned.listener;
        let mut wanted = mask(listener.mask);
        // What has no function is told to the next one above.
        if listener.on_data.is_none() {
            wanted = wanted.without(StatusKind::DataAvailable);
        }
        if listener.on_data_on_readers.is_none() {
            wanted = wanted.without(StatusKind::DataOnReaders);
        }
        if listener.on_status.is_none() {
            let data = [StatusKind::DataAvailable, StatusKind::DataOnReaders];
            let others = StatusKind::ALL
                .into_iter()
                .filter(|kind| !data.contains(kind));
            wanted = others.fold(wanted, StatusMask::without);
        }
        wanted
    }

    fn own(&self, find: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let known = self.own.get().copied();
        known.or_else(|| find().map(|handle| *self.own.get_or_init(|| handle)))
    }
}

/// A listener of an entity above writers and readers: which of them is called for is looked up.
pub(crate) struct Above(pub(crate) Listener);

/// Gives a listener to an entity above writers and readers, which takes it by `set`.
pub(crate) fn give(listener: Option<(Listener, Taken)>, set: impl FnOnce(Above, StatusMask)) {
    if let Some((listener, taken)) = listener {
        let mask = listener.mask();
        set(Above(listener), mask);
        taken.confirm();
    }
}

/// The two ways in which the listeners of writers and readers are told.
trait Tells: Send + Sync + 'static {
    fn owned(&self) -> &Owned;
    fn handle_of_writer(&self, writer: &UntypedWriter) -> Option<u64>;
    fn handle_of_reader(&self, reader: &UntypedReader) -> Option<u64>;

    fn writer_status(&self, writer: &UntypedWriter, status: dunlin_status) {
        if let Some(writer) = self.handle_of_writer(writer) {
            self.owned().status(writer, &status);
        }
    }

    fn reader_status(&self, reader: &UntypedReader, status: dunlin_status) {
        if let Some(reader) = self.handle_of_reader(reader) {
            self.owned().status(reader, &status);
        }
    }
}

impl Tells for Listener {
    fn owned(&self) -> &Owned {
        &self.owned
    }

    fn handle_of_writer(&self, writer: &UntypedWriter) -> Option<u64> {
        self.own(|| names::of_writer(writer))
    }

    fn handle_of_reader(&self, reader: &UntypedReader) -> Option<u64> {
        self.own(|| names::of_reader(reader))
    }
}

impl Tells for Above {
    fn owned(&self) -> &Owned {
        &self.0.owned
    }

    fn handle_of_writer(&self, writer: &UntypedWriter) -> Option<u64> {
        names::of_writer(writer)
    }

    fn handle_of_reader(&self, reader: &UntypedReader) -> Option<u64> {
        names::of_reader(reader)
    }
}

/// The methods that listeners of writers and of publishers share.
macro_rules! tells_of_writers {
    () => {
        fn on_publication_matched(&self, writer: &UntypedWriter, status: &MatchedStatus) {
            let status = dunlin_status::matched(StatusKind::PublicationMatched, status);
            self.writer_status(writer, status);
        }

        fn on_offered_incompatible_qos(
            &self,
            writer: &UntypedWriter,
            status: &IncompatibleQosStatus,
        ) {
            let status = dunlin_status::incompatible(StatusKind::OfferedIncompatibleQos, status);
            self.writer_status(writer, status);
        }

        fn on_offered_deadline_missed(
            &self,
            writer: &UntypedWriter,
            status: &DeadlineMissedStatus,
        ) {
            let status = dunlin_status::deadline(StatusKind::OfferedDeadlineMissed, status);
            self.writer_status(writer, status);
        }

        fn on_liveliness_lost(&self, writer: &UntypedWriter, status: &LivelinessLostStatus) {
            let status = dunlin_status::count(StatusKind::LivelinessLost, status);
            self.writer_status(writer, status);
        }
    };
}

/// The methods that listeners of readers and of subscribers share.
macro_rules! tells_of_readers {
    () => {
        fn on_data_available(&self, reader: &UntypedReader) {
            if let Some(reader) = self.handle_of_reader(reader) {
                self.owned().data(reader);
            }
        }

        fn on_subscription_matched(&self, reader: &UntypedReader, status: &MatchedStatus) {
            let status = dunlin_status::matched(StatusKind::SubscriptionMatched, status);
            self.reader_status(reader, status);
        }

        fn on_requested_incompatible_qos(
            &self,
            reader: &UntypedReader,
            status: &IncompatibleQosStatus,
        ) {
            let status = dunlin_status::incompatible(StatusKind::RequestedIncompatibleQos, status);
            self.reader_status(reader, status);
        }

        fn on_liveliness_changed(&self, reader: &UntypedReader, status: &LivelinessChangedStatus) {
            self.reader_status(reader, dunlin_status::liveliness(status));
        }

        fn on_requested_deadline_missed(
            &self,
            reader: &UntypedReader,
            status: &DeadlineMissedStatus,
        ) {
            let status = dunlin_status::deadline(StatusKind::RequestedDeadlineMissed, status);
            self.reader_status(reader, status);
        }

        fn on_sample_lost(&self, reader: &UntypedReader, status: &SampleCountStatus) {
            let status = dunlin_status::count(StatusKind::SampleLost, status);
            self.reader_status(reader, status);
        }

        fn on_sample_rejected(&self, reader: &UntypedReader, status: &SampleRejectedStatus) {
            self.reader_status(reader, dunlin_status::rejected(status));
        }
    };
}

impl UntypedWriterListener for Listener {
    fn statuses(&self) -> StatusMask {
        self.mask()
    }

    tells_of_writers!();
}

impl UntypedReaderListener for Listener {
    fn statuses(&self) -> StatusMask {
        self.mask()
    }

    tells_of_readers!();
}

impl PublisherListener for Above {
    tells_of_writers!();
}

impl SubscriberListener for Above {
    fn on_data_on_readers(&self, subscriber: &Subscriber) {
        if let Some(subscriber) = names::of_subscriber(subscriber) {
            self.owned().data_on_readers(subscriber);
        }
    }

    tells_of_readers!();
}

impl TopicListener for Above {
    fn on_inconsistent_topic(&self, topic: &UntypedTopic, status: &InconsistentTopicStatus) {
        if let Some(topic) = names::of_topic(topic) {
            let status = dunlin_status::inconsistent(status);
            self.owned().status(topic, &status);
        }
    }
}
