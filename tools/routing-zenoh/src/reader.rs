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
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use zenoh::Wait;
use zenoh::pubsub::Subscriber;
use zenoh::sample::Sample;

pub(crate) struct Reader {
    hub: Weak<Hub>,
    pub(crate) guid: Guid,
    pub(crate) topic: String,
    accepts: Accepts,
    on_data: Notify,
    on_matched: Notify,
    state: Mutex<State>,
    /// Only the thread of the hub changes it.
    subscribers: Mutex<HashMap<String, [Subscriber<()>; 2]>>,
}

struct State {
    data: ReaderData,
    streams: HashMap<Guid, Stream>,
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
            state: Mutex::new(State {
                data,
                streams: HashMap::new(),
                ready: Ready::default(),
            }),
            subscribers: Mutex::default(),
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

    /// Hears these of the writers of its topic that there are; the keys where they write, too.
    pub(crate) fn match_writers(
        self: &Arc<Self>,
        now: Duration,
        all: &[WriterData],
        keys: &Keys,
        session: &zenoh::Session,
    ) {
        let mut state = lock(&self.state);
        let suits: Vec<&WriterData> = all.iter().filter(|w| self.suits(&state.data, w)).collect();
        let wanted: BTreeSet<String> = suits
            .iter()
            .map(|writer| keys.data(&writer.publisher.partition.0, &writer.topic))
            .collect();
        drop(state);
        // Subscribed first, so that nothing is missed behind what the store says.
        let mut subscribers = lock(&self.subscribers);
        subscribers.retain(|key, _| wanted.contains(key));
        for key in wanted {
            if !subscribers.contains_key(&key)
                && let Ok(both) = self.subscribe(session, &key)
            {
                subscribers.insert(key, both);
            }
        }
        drop(subscribers);
        state = lock(&self.state);
        let before = state.streams.len();
        let State { data, streams, .. } = &mut *state;
        streams.retain(|guid, _| suits.iter().any(|writer| writer.guid == *guid));
        let mut has_changed = streams.len() != before;
        for writer in suits {
            let keeps = writer.qos.durability > Durability::Volatile;
            let asks = data.qos.durability > Durability::Volatile;
            let want = match writer.qos.reliability.is_reliable() {
                true if data.qos.reliability.is_reliable() => match keeps && asks {
                    true => Want::History,
                    false => Want::Reliable,
                },
                _ => Want::BestEffort,
            };
            streams.entry(writer.guid).or_insert_with(|| {
                has_changed = true;
                Stream::new(now, want)
            });
        }
        drop(state);
        if has_changed {
            (self.on_matched)();
        }
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
        let (has_data, waits) = (!ready.is_empty(), stream.due().is_some());
        drop(state);
        if has_data {
            (self.on_data)();
        }
        if waits {
            hub.wake();
        }
    }

    /// A writer says which number was its last.
    pub(crate) fn hear(&self, now: Duration, writer: Guid, last: u64) {
        if let Some(stream) = lock(&self.state).streams.get_mut(&writer) {
            stream.hear(now, last);
        }
    }

    /// A store answers.
    pub(crate) fn answer(&self, now: Duration, writer: Guid, page: Page) {
        let mut state = lock(&self.state);
        let State { streams, ready, .. } = &mut *state;
        if let Some(stream) = streams.get_mut(&writer) {
            stream.answer(now, page, |about| about.writer == writer, ready);
        }
    }

    /// What is to be asked of whom, and when to look again.
    pub(crate) fn poll(&self, now: Duration) -> (Vec<(Guid, Request)>, Option<Duration>) {
        let mut state = lock(&self.state);
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
                foreign_key_hash: origin.is_some_and(|origin| origin.foreign_key_hash),
                set: dunlin::SetPlace::Outside,
                origin,
            };
            into.push(AdapterSample { info, payload });
        }
        let waits = state.streams.values().any(|stream| stream.due().is_some());
        drop(state);
        // There is room again for what was missing.
        if waits
            && !into.is_empty()
            && let Some(hub) = self.hub.upgrade()
        {
            hub.wake();
        }
    }

    fn matched(&self) -> Vec<Guid> {
        lock(&self.state).streams.keys().copied().collect()
    }

    fn announce(&self, data: ReaderData) {
        lock(&self.state).data = data;
        if let Some(hub) = self.hub.upgrade() {
            hub.changed();
        }
    }

    fn close(&self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.forget_reader(self.guid.entity);
        }
        // Their callbacks may be at work, and wait for nothing of this.
        drop(std::mem::take(&mut *lock(&self.subscribers)));
    }
}
