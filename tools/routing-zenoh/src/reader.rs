//! What a route reads from other sites.
use crate::attachment::Attachment;
use crate::hub::{Hub, lock, participant_of};
use crate::keys::Keys;
use crate::page::{Page, Request};
use crate::stream::{Arrived, Ask, Ready, Stream, Want};
use crate::streams::Streams;
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
    streams: Streams,
    ready: Ready,
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
                streams: Streams::default(),
                ready: Ready::default(),
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
            WriterChange::All(all) => (state.streams.writers().collect(), all),
            WriterChange::Some(some) => {
                let known = state.streams.known(some.iter().map(|(guid, _)| *guid));
                let there = some.into_iter().filter_map(|(_, data)| data);
                (known, there.collect())
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
            state.streams.remove(*guid);
        }
        for writer in suits {
            if !state.streams.contains(writer.guid) {
                has_changed = true;
                let want = want(&state.data, &writer);
                let mut stream = Stream::new(now, want);
                if let (Want::Reliable, Some(last)) = (want, lasts.get(&writer.guid)) {
                    stream.begin(*last);
                }
                state.streams.insert(now, writer.guid, stream);
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
        let arrived = streams.with(about.writer, |stream| {
            let payload = Bytes::from(sample.payload().to_bytes().into_owned());
            stream.arrive(hub.now(), Arrived { about, payload }, ready);
        });
        let Some((_, due)) = arrived else {
            return;
        };
        let has_data = !ready.is_empty();
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
        state.streams.with(writer, |stream| stream.hear(now, last));
    }

    /// A store answers.
    pub(crate) fn answer(&self, now: Duration, writer: Guid, page: Page) {
        let mut state = lock(&self.state);
        let State { streams, ready, .. } = &mut *state;
        streams.with(writer, |stream| {
            stream.answer(now, page, |about| about.writer == writer, ready);
        });
        let has_data = !ready.is_empty();
        drop(state);
        if has_data {
            (self.on_data)();
        }
    }

    /// What is to be asked of whom, and when to look again.
    pub(crate) fn poll(&self, now: Duration) -> (Vec<(Guid, Request)>, Option<Duration>) {
        let mut state = lock(&self.state);
        let State { streams, ready, .. } = &mut *state;
        let writers = streams.due_now(now);
        if writers.is_empty() {
            return (Vec::new(), streams.due());
        }
        let mut asks = Vec::new();
        for guid in writers {
            let polled = streams.with(guid, |stream| stream.poll(now, ready));
            if let Some((Some(Ask { from, to, history }), _)) = polled {
                let request = Request {
                    asker: self.guid.prefix.0,
                    writer: guid.entity.0,
                    from,
                    to,
                    history,
                };
                asks.push((guid, request));
            }
        }
        let (has_data, due) = (!ready.is_empty(), streams.due());
        drop(state);
        if has_data {
            (self.on_data)();
        }
        (asks, due)
    }

    /// What was lost, of all writers that there are.
    pub(crate) fn lost(&self) -> u64 {
        lock(&self.state).streams.lost()
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
        let has_room = !into.is_empty() && state.streams.make_room();
        drop(state);
        if has_room && let Some(hub) = self.hub.upgrade() {
            hub.wake();
        }
    }

    fn matched(&self) -> Vec<Guid> {
        lock(&self.state).streams.writers().collect()
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
