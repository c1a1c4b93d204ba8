//! What a route reads from other sites.
use crate::attachment::Attachment;
use crate::hub::{Hub, lock, participant_of};
use crate::keys::Keys;
use crate::page::{Page, Request};
use crate::stream::{Arrived, Ask, Ready, Stream, Want};
use bytes::Bytes;
use dunlin::observe::{ReaderData, WriterData};
use dunlin::{
    Durability, Guid, InstanceHandle, InstanceState, ReaderSide, SampleInfo, SampleState,
    SequenceNumber, ViewState, WriterSide, check,
};
use dunlin_routing::adapter::{Accepts, AdapterReader, AdapterSample, Notify};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use zenoh::Wait;
use zenoh::pubsub::Subscriber;
use zenoh::sample::Sample;

/// What became of writers at other sites.
pub(crate) enum WriterChange {
    /// These are all that there are.
    All(Vec<WriterData>),
    /// These are as they are now, or gone.
    Some(Vec<(Guid, Option<WriterData>)>),
}

pub(crate) struct Reader {
    hub: Weak<Hub>,
    pub(crate) guid: Guid,
    pub(crate) topic: String,
    accepts: Accepts,
    on_data: Notify,
    on_matched: Notify,
    /// It has to look at all writers.
    pub(crate) is_new: AtomicBool,
    state: Mutex<State>,
    /// By key. Only the thread of the hub changes it.
    places: Mutex<HashMap<String, Place>>,
}

/// Where writers write.
struct Place {
    writers: HashSet<Guid>,
    _subscribers: [Subscriber<()>; 2],
}

struct State {
    data: ReaderData,
    streams: HashMap<Guid, Stream>,
    ready: Ready,
    /// When to look at the streams again; there may be many.
    due: Option<Duration>,
}

impl State {
    fn look_at(&mut self, due: Option<Duration>) {
        self.due = [self.due, due].into_iter().flatten().min();
    }
}

impl Reader {
    pub(crate) fn new(
        hub: &Arc<Hub>,
        guid: Guid,
        data: ReaderData,
        accepts: Accepts,
        [on_data, on_matched]: [Notify; 2],
    ) -> Self {
        Self {
            hub: Arc::downgrade(hub),
            guid,
            topic: data.topic.clone(),
            accepts,
            on_data,
            on_matched,
            is_new: AtomicBool::new(true),
            state: Mutex::new(State {
                data,
                streams: HashMap::new(),
                ready: Ready::default(),
                due: None,
            }),
            places: Mutex::default(),
        }
    }

    /// What is announced of it.
    pub(crate) fn data(&self) -> ReaderData {
        ReaderData {
            guid: self.guid,
            participant: participant_of(self.guid),
            ..lock(&self.state).data.clone()
        }
    }

    /// Hears those of these writers that suit it; the keys where they write, too.
    pub(crate) fn match_writers(
        self: &Arc<Self>,
        now: Duration,
        change: WriterChange,
        lasts: &HashMap<Guid, u64>,
        keys: &Keys,
        session: &zenoh::Session,
    ) {
        let state = lock(&self.state);
        // There may be many writers of which few have changed.
        let (known, all): (HashSet<Guid>, Vec<WriterData>) = match change {
            WriterChange::All(all) => (state.streams.keys().copied().collect(), all),
            WriterChange::Some(some) => {
                let known = some.iter().map(|(guid, _)| *guid);
                let known = known.filter(|guid| state.streams.contains_key(guid));
                let known = known.collect();
                (
                    known,
                    some.into_iter().filter_map(|(_, data)| data).collect(),
                )
            }
        };
        let suits = all.into_iter().filter(|w| self.suits(&state.data, w));
        let suits: Vec<WriterData> = suits.collect();
        drop(state);
        let mut gone = known.clone();
        for writer in &suits {
            gone.remove(&writer.guid);
        }
        // Subscribed first, so that nothing is missed behind what the store says.
        self.go_to_places(&suits, &known, &gone, keys, session);
        let mut state = lock(&self.state);
        let mut has_changed = !gone.is_empty();
        for guid in &gone {
            state.streams.remove(guid);
        }
        for writer in suits {
            if !state.streams.contains_key(&writer.guid) {
                has_changed = true;
                let want = want(&state.data, &writer);
                let mut stream = Stream::new(now, want);
                if let (Want::Reliable, Some(last)) = (want, lasts.get(&writer.guid)) {
                    stream.begin(*last);
                }
                state.streams.insert(writer.guid, stream);
                state.look_at(Some(now));
            }
        }
        drop(state);
        if has_changed {
            (self.on_matched)();
        }
    }

    /// Subscribes where these write, and nowhere where nobody does.
    fn go_to_places(
        self: &Arc<Self>,
        suits: &[WriterData],
        known: &HashSet<Guid>,
        gone: &HashSet<Guid>,
        keys: &Keys,
        session: &zenoh::Session,
    ) {
        let mut places = lock(&self.places);
        for writer in suits {
            let key = keys.data(&writer.publisher.partition.0, &writer.topic);
            if known.contains(&writer.guid) {
                // It may have written elsewhere.
                for (_, place) in places.iter_mut().filter(|(other, _)| **other != key) {
                    place.writers.remove(&writer.guid);
                }
            }
            if let Some(place) = places.get_mut(&key) {
                place.writers.insert(writer.guid);
            } else if let Ok(subscribers) = self.subscribe(session, &key) {
                let place = Place {
                    writers: [writer.guid].into(),
                    _subscribers: subscribers,
                };
                places.insert(key, place);
            }
        }
        for place in places.values_mut() {
            for guid in gone {
                place.writers.remove(guid);
            }
        }
        places.retain(|_, place| !place.writers.is_empty());
    }

    fn suits(&self, data: &ReaderData, writer: &WriterData) -> bool {
        let offered = WriterSide {
            writer: &writer.qos,
            publisher: &writer.publisher,
        };
        let requested = ReaderSide {
            reader: &data.qos,
            subscriber: &data.subscriber,
        };
        writer.type_name == data.type_name
            && writer
                .publisher
                .partition
                .matches(&data.subscriber.partition)
            && check(&offered, &requested).is_empty()
            && (self.accepts)(writer)
    }

    fn subscribe(
        self: &Arc<Self>,
        session: &zenoh::Session,
        key: &str,
    ) -> zenoh::Result<[Subscriber<()>; 2]> {
        let subscribe = |key: String| {
            let own = Arc::downgrade(self);
            let subscriber = session.declare_subscriber(key);
            let subscriber = subscriber.callback(move |sample| {
                if let Some(reader) = own.upgrade() {
                    reader.arrive(&sample);
                }
            });
            subscriber.wait()
        };
        Ok([subscribe(key.to_owned())?, subscribe(Keys::life(key))?])
    }

    /// A sample arrives, in a thread of zenoh's: it is passed on, and nothing waits.
    fn arrive(&self, sample: &Sample) {
        let Some(hub) = self.hub.upgrade() else {
            return;
        };
        let about = sample.attachment().map(|bytes| bytes.to_bytes());
        let Some(about) = about.and_then(|bytes| Attachment::parse(&bytes)) else {
            return;
        };
        let mut state = lock(&self.state);
        let State { streams, ready, .. } = &mut *state;
        let Some(stream) = streams.get_mut(&about.writer) else {
            return;
        };
        let payload = Bytes::from(sample.payload().to_bytes().into_owned());
        stream.arrive(hub.now(), Arrived { about, payload }, ready);
        let (has_data, due) = (!ready.is_empty(), stream.due());
        state.look_at(due);
        drop(state);
        if has_data {
            (self.on_data)();
        }
        if due.is_some() {
            hub.wake();
        }
    }

    /// A writer says which number was its last.
    pub(crate) fn hear(&self, now: Duration, writer: Guid, last: u64) {
        let mut state = lock(&self.state);
        if let Some(stream) = state.streams.get_mut(&writer) {
            stream.hear(now, last);
            let due = stream.due();
            state.look_at(due);
        }
    }

    /// A store answers.
    pub(crate) fn answer(&self, now: Duration, writer: Guid, page: Page) {
        let mut state = lock(&self.state);
        let State { streams, ready, .. } = &mut *state;
        if let Some(stream) = streams.get_mut(&writer) {
            stream.answer(now, page, |about| about.writer == writer, ready);
            let due = stream.due();
            state.look_at(due);
        }
    }

    /// What is to be asked of whom, and when to look again.
    pub(crate) fn poll(&self, now: Duration) -> (Vec<(Guid, Request)>, Option<Duration>) {
        let mut state = lock(&self.state);
        if state.due.is_none_or(|due| due > now) {
            return (Vec::new(), state.due);
        }
        let State { streams, ready, .. } = &mut *state;
        let mut asks = Vec::new();
        for (guid, stream) in streams.iter_mut() {
            if let Some(Ask { from, to, history }) = stream.poll(now, ready) {
                let request = Request {
                    asker: self.guid.prefix.0,
                    writer: guid.entity.0,
                    from,
                    to,
                    history,
                };
                asks.push((*guid, request));
            }
        }
        let due = streams.values().filter_map(Stream::due).min();
        let has_data = !ready.is_empty();
        state.due = due;
        drop(state);
        if has_data {
            (self.on_data)();
        }
        (asks, due)
    }

    /// What was lost, of all writers that there are.
    pub(crate) fn lost(&self) -> u64 {
        lock(&self.state).streams.values().map(|s| s.lost).sum()
    }
}

/// What a reader wants of a writer that suits it.
fn want(data: &ReaderData, writer: &WriterData) -> Want {
    let keeps = writer.qos.durability > Durability::Volatile;
    let asks = data.qos.durability > Durability::Volatile;
    let offered = writer.qos.reliability.is_reliable();
    match offered && data.qos.reliability.is_reliable() {
        true if keeps && asks => Want::History,
        true => Want::Reliable,
        false => Want::BestEffort,
    }
}

impl AdapterReader for Reader {
    fn take(&self, most: usize, into: &mut Vec<AdapterSample>) {
        let mut state = lock(&self.state);
        for _ in 0..most {
            let Some(Arrived { about, payload }) = state.ready.pop() else {
                break;
            };
            let origin = about.options.origin;
            let info = SampleInfo {
                sample_state: SampleState::NotRead,
                view_state: ViewState::NotNew,
                instance_state: InstanceState::Alive,
                disposed_generation_count: 0,
                no_writers_generation_count: 0,
                sample_rank: 0,
                generation_rank: 0,
                absolute_generation_rank: 0,
                source_timestamp: about.options.timestamp,
                instance: about.options.instance.unwrap_or(InstanceHandle::NIL),
                publication: about.writer,
                sequence: SequenceNumber(about.number as i64),
                valid_data: about.kind == dunlin::ChangeKind::Alive,
                change_kind: about.kind,
                has_key_hash: about.options.instance.is_some(),
                foreign_key_hash: origin.is_some_and(|origin| origin.foreign_key_hash),
                set: dunlin::SetPlace::Outside,
                origin,
            };
            into.push(AdapterSample { info, payload });
        }
        // There is room again for what was missing.
        let has_room = state.due.is_some() && !into.is_empty();
        if has_room {
            state.due = Some(Duration::ZERO);
        }
        drop(state);
        if has_room && let Some(hub) = self.hub.upgrade() {
            hub.wake();
        }
    }

    fn matched(&self) -> Vec<Guid> {
        lock(&self.state).streams.keys().copied().collect()
    }

    fn announce(&self, data: ReaderData) {
        lock(&self.state).data = data;
        self.is_new.store(true, SeqCst);
        if let Some(hub) = self.hub.upgrade() {
            hub.changed();
        }
    }

    fn close(&self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.forget_reader(self.guid.entity);
        }
        // Their callbacks may be at work, and wait for nothing of this.
        drop(std::mem::take(&mut *lock(&self.places)));
    }
}
