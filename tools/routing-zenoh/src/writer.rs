//! What a route writes for other sites.
use crate::attachment::Attachment;
use crate::hub::{Hub, lock, participant_of};
use crate::keys::Keys;
use crate::page::{Page, Request};
use crate::store::{Item, Store};
use bytes::Bytes;
use dunlin::observe::WriterData;
use dunlin::untyped::{TryWriteError, WriteOptions};
use dunlin::{ChangeKind, Durability, Duration as Span, Guid, History, InstanceHandle};
use dunlin_routing::adapter::{AdapterWriter, Notify};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use zenoh::Wait;
use zenoh::key_expr::KeyExpr;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Priority};

/// Of a queue.
const MOST: usize = 1024;
const MOST_BYTES: usize = 8 << 20;
/// So many are sent before it is another one's turn.
const BURST: usize = 32;

pub(crate) struct Writer {
    hub: Weak<Hub>,
    own: Weak<Self>,
    pub(crate) guid: Guid,
    pub(crate) topic: String,
    on_room: Notify,
    is_reliable: bool,
    is_durable: bool,
    keeps_all: bool,
    pub(crate) priority: Priority,
    is_express: bool,
    key: KeyExpr<'static>,
    life: KeyExpr<'static>,
    state: Mutex<State>,
    /// Sites that want it.
    sites: AtomicUsize,
    /// Somebody listens to it.
    pub(crate) is_listened_to: AtomicBool,
    /// Only programs of zenoh's that are no sites listen.
    pub(crate) has_strangers: AtomicBool,
    /// Tells whether anybody listens.
    pub(crate) publisher: Mutex<Option<Publisher<'static>>>,
}

struct State {
    data: WriterData,
    number: u64,
    /// While some wait: the last one that does not.
    sent: u64,
    store: Store,
    queue: VecDeque<Arc<Item>>,
    queued_bytes: usize,
    /// A change was refused since there was room last.
    was_full: bool,
    /// It waits for its turn, or has it.
    is_scheduled: bool,
    /// It has written since the last beat.
    wrote: bool,
    is_closed: bool,
}

/// As zenoh has it what DDS calls TRANSPORT_PRIORITY.
fn priority(transport_priority: i32) -> Priority {
    match transport_priority {
        46.. => Priority::RealTime,
        40..=45 => Priority::InteractiveHigh,
        32..=39 => Priority::InteractiveLow,
        16..=31 => Priority::DataHigh,
        8 => Priority::Background,
        _ => Priority::Data,
    }
}

/// How much is kept of each instance for those who join late.
fn depth(data: &WriterData) -> Option<usize> {
    let keeps = data.qos.durability > Durability::Volatile;
    keeps.then_some(match data.qos.history {
        History::KeepAll => usize::MAX,
        History::KeepLast(depth) => (depth as usize).max(1),
    })
}

impl Writer {
    pub(crate) fn new(
        hub: &Arc<Hub>,
        guid: Guid,
        data: WriterData,
        keys: &Keys,
        on_room: Notify,
    ) -> Result<Arc<Self>, String> {
        let key = keys.data(&data.publisher.partition.0, &data.topic);
        let expression = |key: String| KeyExpr::new(key).map_err(|error| error.to_string());
        let (life, key) = (expression(Keys::life(&key))?, expression(key)?);
        let is_reliable = data.qos.reliability.is_reliable();
        Ok(Arc::new_cyclic(|own| Self {
            hub: Arc::downgrade(hub),
            own: own.clone(),
            guid,
            topic: data.topic.clone(),
            on_room,
            is_reliable,
            is_durable: is_reliable && data.qos.durability > Durability::Volatile,
            keeps_all: is_reliable && data.qos.history == History::KeepAll,
            priority: priority(data.qos.transport_priority),
            is_express: data.qos.latency_budget == Span::ZERO,
            key,
            life,
            state: Mutex::new(State {
                number: 0,
                sent: 0,
                store: Store::new(depth(&data).filter(|_| is_reliable)),
                data,
                queue: VecDeque::new(),
                queued_bytes: 0,
                was_full: false,
                is_scheduled: false,
                wrote: false,
                is_closed: false,
            }),
            sites: AtomicUsize::new(0),
            is_listened_to: AtomicBool::new(false),
            has_strangers: AtomicBool::new(false),
            publisher: Mutex::default(),
        }))
    }

    /// What is announced of it.
    pub(crate) fn data(&self) -> WriterData {
        WriterData {
            guid: self.guid,
            participant: participant_of(self.guid),
            ..lock(&self.state).data.clone()
        }
    }

    pub(crate) fn key(&self) -> KeyExpr<'static> {
        self.key.clone()
    }

    /// So many sites want it.
    pub(crate) fn set_sites(&self, count: usize) {
        self.sites.store(count, SeqCst);
    }

    pub(crate) fn sites(&self) -> usize {
        self.sites.load(SeqCst)
    }

    /// The number of the last change that was sent. Who joins behind it gets all that waits here.
    pub(crate) fn sent(&self) -> u64 {
        let state = lock(&self.state);
        match state.is_scheduled {
            true => state.sent,
            false => state.number,
        }
    }

    /// The number of its last change, if it has written since the last beat or `always`.
    pub(crate) fn last(&self, always: bool) -> Option<u64> {
        let mut state = lock(&self.state);
        let wrote = std::mem::take(&mut state.wrote);
        (self.is_reliable && state.number > 0 && (wrote || always)).then_some(state.number)
    }

    /// Forgets what is not recent any more.
    pub(crate) fn forget(&self, now: Duration) {
        lock(&self.state).store.forget(now);
    }

    /// What another site asks for.
    pub(crate) fn page(&self, request: &Request) -> Page {
        let state = lock(&self.state);
        let mut page = state.store.page(request);
        // Changes that nobody wanted have numbers, too.
        page.last = state.number;
        page.next = page.next.max(match page.items.is_empty() {
            true => request
                .from
                .max(request.to.min(state.number).saturating_add(1)),
            false => 0,
        });
        page
    }

    /// Sends some of what waits; true if more does.
    pub(crate) fn send(&self, session: &zenoh::Session) -> bool {
        let mut burst = Vec::with_capacity(BURST);
        let mut state = lock(&self.state);
        while burst.len() < BURST
            && let Some(item) = state.queue.pop_front()
        {
            state.queued_bytes -= item.payload.len();
            burst.push(item);
        }
        drop(state);
        // Several sites: a slow one holds up nobody, and asks for what it has missed.
        let congestion = match self.is_reliable && self.sites() == 1 {
            true => CongestionControl::Block,
            false => CongestionControl::Drop,
        };
        let last = burst.last().map(|item| item.number);
        for item in burst {
            let key = if item.is_alive { &self.key } else { &self.life };
            let put = session
                .put(key, item.payload.clone())
                .attachment(item.attachment.clone())
                .congestion_control(congestion)
                .priority(self.priority)
                .express(self.is_express);
            // What does not go is asked for, or lost as on any network.
            let _ = put.wait();
        }
        let mut state = lock(&self.state);
        state.sent = last.unwrap_or(state.sent);
        let has_more = !state.queue.is_empty();
        state.is_scheduled = has_more;
        let has_room = state.was_full && state.queue.len() <= MOST / 2;
        if has_room {
            state.was_full = false;
        }
        drop(state);
        if has_room {
            (self.on_room)();
        }
        has_more
    }
}

impl AdapterWriter for Writer {
    fn try_write(
        &self,
        kind: ChangeKind,
        payload: &Bytes,
        options: &WriteOptions,
    ) -> Result<(), TryWriteError> {
        let Some(hub) = self.hub.upgrade() else {
            return Ok(());
        };
        let has_readers = self.sites() > 0 || self.has_strangers.load(SeqCst);
        let mut state = lock(&self.state);
        if state.is_closed {
            return Ok(());
        }
        let is_full = state.queue.len() >= MOST || state.queued_bytes >= MOST_BYTES;
        if is_full && self.keeps_all {
            state.was_full = true;
            return Err(TryWriteError::Full);
        }
        if is_full && !self.is_reliable {
            return Ok(());
        }
        state.number += 1;
        if !has_readers && !self.is_durable {
            return Ok(());
        }
        let about = Attachment {
            writer: self.guid,
            number: state.number,
            kind,
            options: *options,
        };
        let item = Arc::new(Item {
            number: state.number,
            is_alive: kind == ChangeKind::Alive,
            instance: options.instance.unwrap_or(InstanceHandle::NIL),
            attachment: about.encode(),
            payload: payload.clone(),
        });
        if self.is_reliable {
            state.store.push(hub.now(), Arc::clone(&item));
            state.wrote = true;
        }
        if is_full && let Some(oldest) = state.queue.pop_front() {
            // Who lacks it finds it in the store.
            state.queued_bytes -= oldest.payload.len();
        }
        let mut is_new = false;
        if has_readers {
            state.queued_bytes += item.payload.len();
            state.queue.push_back(item);
            is_new = !std::mem::replace(&mut state.is_scheduled, true);
            if is_new {
                state.sent = state.number - 1;
            }
        }
        drop(state);
        if is_new && let Some(own) = self.own.upgrade() {
            hub.schedule(own);
        }
        if self.is_reliable {
            hub.note_tail();
        }
        Ok(())
    }

    fn matched(&self) -> usize {
        self.sites() + usize::from(self.has_strangers.load(SeqCst))
    }

    fn announce(&self, data: WriterData) {
        lock(&self.state).data = data;
        if let Some(hub) = self.hub.upgrade() {
            hub.changed();
        }
    }

    fn finish(&self, most: Duration) {
        let until = Instant::now() + most;
        while lock(&self.state).is_scheduled && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn close(&self) {
        lock(&self.state).is_closed = true;
        if let Some(hub) = self.hub.upgrade() {
            hub.forget_writer(self.guid.entity);
        }
        drop(lock(&self.publisher).take());
    }
}
