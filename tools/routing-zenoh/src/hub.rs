//! A site's door: the session with zenoh, what is made of it, and the threads that attend to it.
//!
//! One thread looks after discovery, gaps and beats, one answers those who ask, and one sends for
//! each priority that is in use. None of them is on the way of a sample that arrives: a thread of
//! zenoh's passes it on.
use crate::attachment::take;
use crate::directory::{self, BEAT, Directory, Question};
use crate::keys::{Direction, Keys, Summary};
use crate::reader::Reader;
use crate::record::{self, Endpoint};
use crate::store::{Page, Request};
use crate::writer::Writer;
use bytes::Bytes;
use dunlin::observe::{DiscoveryEvent, EntityChange, ReaderData, WriterData};
use dunlin::{EntityId, EntityKind, Guid, GuidPrefix};
use dunlin_routing::adapter::{Accepts, AdapterReader, AdapterWriter, Connection, Context, Notify};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::qos::CongestionControl;
use zenoh::query::{ConsolidationMode, Query, Queryable};
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

/// A tail that was lost shows so long after a burst.
const TAIL: Duration = Duration::from_millis(200);
/// The thread looks again after this time in any case.
const LOOK: Duration = Duration::from_secs(1);
/// Writers in a beat.
const MOST_LASTS: usize = 4096;
/// What arrived and was not looked at.
const MOST_MESSAGES: usize = 65_536;
/// Those who ask and have no answer yet.
const MOST_QUERIES: usize = 1024;
/// Sites that are answered at once.
const SERVERS: usize = 4;
/// An answer that takes longer is lost.
const ANSWER: Duration = Duration::from_secs(5);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of the last changes of writers, by their entity ids.
type Lasts = Vec<([u8; 4], u64)>;

/// What threads of zenoh's leave for the thread of the hub.
enum Message {
    Token(String, Summary, bool),
    Tokens(String, Vec<Summary>),
    Record(String, Summary, Bytes),
    Beat(String, u64, Lasts),
    Page(EntityId, Guid, Page),
    /// Does anybody listen to a writer?
    Listens(EntityId, bool),
}

pub(crate) struct Hub {
    session: Session,
    keys: Keys,
    zid: String,
    prefix: GuidPrefix,
    started: Instant,
    context: Context,
    inner: Mutex<Inner>,
    woken: Condvar,
    senders: Mutex<BTreeMap<u8, Arc<Sender>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Something was written since the last beat.
    has_tail: AtomicBool,
    ends: AtomicBool,
    /// Sites that get an answer just now.
    served: Mutex<BTreeSet<[u8; 12]>>,
    /// Alive as long as the hub is.
    declared: Mutex<Vec<Declared>>,
}

#[allow(dead_code, reason = "held so that it lives")]
enum Declared {
    Subscriber(Subscriber<()>),
    Queryable(Queryable<()>),
}

#[derive(Default)]
struct Inner {
    directory: Directory,
    readers: HashMap<EntityId, Arc<Reader>>,
    writers: HashMap<EntityId, Arc<Writer>>,
    /// Of writers to which programs listen that are no sites.
    strangers: HashMap<EntityId, Guid>,
    events: Vec<DiscoveryEvent>,
    inbox: VecDeque<Message>,
    entities: u32,
    /// Something of what this site has is different.
    has_changed: bool,
    is_woken: bool,
    tail: Option<Duration>,
    /// When the directory is to be looked at again; it may be large.
    look: Option<Duration>,
    records: HashMap<u64, Bytes>,
}

/// The writers of a priority that have something to send, in turns.
#[derive(Default)]
struct Sender {
    queue: Mutex<VecDeque<Arc<Writer>>>,
    woken: Condvar,
}

impl Hub {
    pub(crate) fn start(
        session: Session,
        keys: Keys,
        context: Context,
    ) -> Result<Arc<Self>, String> {
        let zid = session.zid().to_string();
        let hub = Arc::new(Self {
            prefix: directory::prefix(&zid),
            zid,
            session,
            keys,
            started: Instant::now(),
            context,
            inner: Mutex::default(),
            woken: Condvar::new(),
            senders: Mutex::default(),
            threads: Mutex::default(),
            has_tail: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            declared: Mutex::default(),
            served: Mutex::default(),
        });
        let (asked, questions) = sync_channel(MOST_QUERIES);
        hub.declare(&asked).map_err(|error| error.to_string())?;
        hub.spawn("dunlin-zenoh", Self::attend)?;
        let questions = Arc::new(Mutex::new(questions));
        for _ in 0..SERVERS {
            let questions = Arc::clone(&questions);
            hub.spawn("dunlin-zenoh-store", move |hub| hub.serve(&questions))?;
        }
        Ok(hub)
    }

    fn spawn(
        self: &Arc<Self>,
        name: &str,
        work: impl FnOnce(&Arc<Self>) + Send + 'static,
    ) -> Result<(), String> {
        let own = Arc::clone(self);
        let thread = Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&own));
        let thread = thread.map_err(|error| format!("the system gives no thread: {error}"))?;
        lock(&self.threads).push(thread);
        Ok(())
    }

    /// Hears of other sites, and is asked by them.
    fn declare(self: &Arc<Self>, asked: &SyncSender<Query>) -> zenoh::Result<()> {
        let mut declared = Vec::new();
        let own = Arc::downgrade(self);
        let beats = self.session.declare_subscriber(self.keys.beat(None));
        let beats = beats.callback(move |sample| {
            if let Some(hub) = own.upgrade()
                && let Some((zid, _)) = hub.keys.parse(sample.key_expr().as_str())
                && let Some((hash, lasts)) = parse_beat(&sample.payload().to_bytes())
            {
                hub.push(zid, Message::Beat(zid.to_owned(), hash, lasts));
            }
        });
        declared.push(Declared::Subscriber(beats.wait()?));
        for key in self.keys.queries(&self.zid) {
            let asked = asked.clone();
            let queries = self.session.declare_queryable(key);
            // Who gets no answer asks again.
            let queries = queries.callback(move |query| drop(asked.try_send(query)));
            declared.push(Declared::Queryable(queries.wait()?));
        }
        let own = Arc::downgrade(self);
        let liveliness = self.session.liveliness();
        let tokens = liveliness.declare_subscriber(self.keys.tokens(None));
        let tokens = tokens.history(true).callback(move |sample| {
            if let Some(hub) = own.upgrade()
                && let Some((zid, token)) = hub.keys.parse_token(sample.key_expr().as_str())
            {
                let is_there = sample.kind() == SampleKind::Put;
                hub.push(zid, Message::Token(zid.to_owned(), token, is_there));
            }
        });
        declared.push(Declared::Subscriber(tokens.wait()?));
        *lock(&self.declared) = declared;
        Ok(())
    }

    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Leaves something for the thread of the hub, unless it is this site's own.
    fn push(&self, zid: &str, message: Message) {
        if zid == self.zid {
            return;
        }
        let mut inner = lock(&self.inner);
        // What finds no room heals by beats, and by asking again.
        if inner.inbox.len() < MOST_MESSAGES {
            inner.inbox.push_back(message);
        }
        inner.is_woken = true;
        drop(inner);
        self.woken.notify_one();
    }

    /// Has the thread of the hub look again.
    pub(crate) fn wake(&self) {
        lock(&self.inner).is_woken = true;
        self.woken.notify_one();
    }

    /// Something of what this site has is different.
    pub(crate) fn changed(&self) {
        lock(&self.inner).has_changed = true;
        self.wake();
    }

    /// Something was written: a beat says soon how much.
    pub(crate) fn note_tail(&self) {
        if self.has_tail.swap(true, SeqCst) {
            return;
        }
        lock(&self.inner).tail = Some(self.now() + TAIL);
        self.wake();
    }

    pub(crate) fn forget_reader(&self, entity: EntityId) {
        lock(&self.inner).readers.remove(&entity);
        self.changed();
    }

    pub(crate) fn forget_writer(&self, entity: EntityId) {
        let mut inner = lock(&self.inner);
        inner.writers.remove(&entity);
        if let Some(guid) = inner.strangers.remove(&entity) {
            inner
                .events
                .push(DiscoveryEvent::Reader(EntityChange::Gone(guid)));
        }
        drop(inner);
        self.changed();
    }

    /// Has a writer send what waits.
    pub(crate) fn schedule(self: &Arc<Self>, writer: Arc<Writer>) {
        let priority = writer.priority as u8;
        let mut senders = lock(&self.senders);
        let mut is_new = false;
        let sender = senders.entry(priority).or_insert_with(|| {
            is_new = true;
            Arc::default()
        });
        let sender = Arc::clone(sender);
        drop(senders);
        lock(&sender.queue).push_back(writer);
        sender.woken.notify_one();
        if is_new && !self.ends.load(SeqCst) {
            let name = format!("dunlin-zenoh-{}", priority);
            // Without a thread nothing is sent; the system tells of it elsewhere, too.
            let _ = self.spawn(&name, move |hub| hub.send(&sender));
        }
    }

    fn send(&self, sender: &Sender) {
        while !self.ends.load(SeqCst) {
            let mut queue = lock(&sender.queue);
            let Some(writer) = queue.pop_front() else {
                let waited = sender.woken.wait_timeout(queue, LOOK);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
                continue;
            };
            drop(queue);
            if writer.send(&self.session) {
                lock(&sender.queue).push_back(writer);
            }
        }
    }

    /// Answers those who ask.
    fn serve(&self, questions: &Mutex<Receiver<Query>>) {
        while !self.ends.load(SeqCst) {
            let next = lock(questions).recv_timeout(LOOK);
            let Ok(query) = next else {
                continue;
            };
            let key = query.key_expr().clone();
            let Some((_, rest)) = self.keys.parse(key.as_str()) else {
                continue;
            };
            if let Some(digest) = Keys::parse_record(rest) {
                let record = lock(&self.inner).records.get(&digest).cloned();
                if let Some(record) = record {
                    // Who gets no answer asks again.
                    let _ = query.reply(key, record).wait();
                }
                continue;
            }
            let asked = query.payload().map(|payload| payload.to_bytes());
            let Some(request) = asked.and_then(|bytes| Request::parse(&bytes)) else {
                continue;
            };
            // An answer waits for a slow link, and other sites do not: a site has one at a time.
            if !lock(&self.served).insert(request.asker) {
                continue;
            }
            let writers = lock(&self.inner)
                .writers
                .get(&EntityId(request.writer))
                .cloned();
            if let Some(writer) = writers {
                let _ = query.reply(key, writer.page(&request).encode()).wait();
            }
            lock(&self.served).remove(&request.asker);
        }
    }

    /// Looks after discovery, gaps and beats.
    fn attend(self: &Arc<Self>) {
        let mut tokens: BTreeMap<Summary, LivelinessToken> = BTreeMap::new();
        let mut next_beat = Duration::ZERO;
        while !self.ends.load(SeqCst) {
            let now = self.now();
            let (questions, is_announced_anew) = self.turn(now, &mut tokens);
            for question in questions {
                self.ask(question);
            }
            let tail = lock(&self.inner).tail;
            if now >= next_beat || is_announced_anew {
                self.beat(&tokens, true);
                next_beat = now + BEAT;
            } else if tail.is_some_and(|tail| tail <= now) {
                lock(&self.inner).tail = None;
                self.has_tail.store(false, SeqCst);
                self.beat(&tokens, false);
            }
            let due = self.poll_readers(now);
            let mut inner = lock(&self.inner);
            let all = [Some(next_beat), due, inner.tail, inner.look];
            let due = all.into_iter().flatten().min().unwrap_or(now + LOOK);
            if !std::mem::take(&mut inner.is_woken) {
                let wait = due
                    .saturating_sub(self.now())
                    .clamp(Duration::from_millis(1), LOOK);
                let waited = self.woken.wait_timeout(inner, wait);
                let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
                inner.is_woken = false;
            }
        }
        // Others need not wait until they believe it.
        tokens.clear();
        self.beat(&tokens, false);
    }

    /// What arrived, and what follows from it; returns what to ask, and whether tokens are new.
    fn turn(
        self: &Arc<Self>,
        now: Duration,
        tokens: &mut BTreeMap<Summary, LivelinessToken>,
    ) -> (Vec<Question>, bool) {
        let mut guard = lock(&self.inner);
        let inner = &mut *guard;
        let mut answers = Vec::new();
        let mut heard = Vec::new();
        let mut is_due = inner.look.is_some_and(|look| look <= now);
        for message in std::mem::take(&mut inner.inbox) {
            is_due |= !matches!(message, Message::Page(..) | Message::Listens(..));
            let directory = &mut inner.directory;
            match message {
                Message::Token(zid, summary, is_there) => {
                    directory.token(now, &zid, summary, is_there);
                }
                Message::Tokens(zid, all) => directory.list(now, &zid, all),
                Message::Record(zid, summary, bytes) => directory.record(&zid, &summary, &bytes),
                Message::Beat(zid, hash, lasts) => {
                    directory.beat(now, &zid, hash);
                    heard.push((directory::prefix(&zid), lasts));
                }
                Message::Page(reader, writer, page) => answers.push((reader, writer, page)),
                Message::Listens(entity, listens) => {
                    if let Some(writer) = inner.writers.get(&entity) {
                        writer.has_strangers.store(listens, SeqCst);
                    }
                    inner.has_changed = true;
                }
            }
        }
        let mut questions = Vec::new();
        let mut events = Vec::new();
        if is_due {
            questions = inner.directory.poll(now);
            events = inner.directory.take_events();
            inner.look = inner.directory.due();
        }
        let has_changed = std::mem::take(&mut inner.has_changed) || !events.is_empty();
        inner.events.extend(events);
        let readers: Vec<Arc<Reader>> = inner.readers.values().cloned().collect();
        let writers: Vec<Arc<Writer>> = inner.writers.values().cloned().collect();
        let mut matches = Vec::new();
        if has_changed {
            for writer in &writers {
                let want = inner.directory.readers(&writer.topic);
                let sites: BTreeSet<_> = want.map(|reader| reader.guid.prefix.0).collect();
                writer.set_sites(sites.len());
            }
            inner.note_strangers(&writers);
            for reader in &readers {
                let all: Vec<WriterData> =
                    inner.directory.writers(&reader.topic).cloned().collect();
                matches.push((Arc::clone(reader), all));
            }
        }
        let has_events = !inner.events.is_empty();
        drop(guard);
        if has_events {
            self.context.wake.set_trigger_value(true);
        }
        for (reader, all) in matches {
            reader.match_writers(now, &all, &self.keys, &self.session);
        }
        for (prefix, lasts) in heard {
            for (entity, last) in lasts {
                let writer = Guid::new(prefix, EntityId(entity));
                readers
                    .iter()
                    .for_each(|reader| reader.hear(now, writer, last));
            }
        }
        for (entity, writer, page) in answers {
            if let Some(reader) = readers.iter().find(|reader| reader.guid.entity == entity) {
                reader.answer(now, writer, page);
            }
        }
        for writer in &writers {
            writer.forget(now);
            self.listen(writer);
        }
        let is_new = has_changed && self.announce(&readers, &writers, tokens);
        (questions, is_new)
    }

    /// Hears whether anybody listens to a writer.
    fn listen(self: &Arc<Self>, writer: &Arc<Writer>) {
        let mut publisher = lock(&writer.publisher);
        if publisher.is_some() {
            return;
        }
        let Ok(new) = self.session.declare_publisher(writer.key()).wait() else {
            return;
        };
        let (own, entity) = (Arc::downgrade(self), writer.guid.entity);
        let listener = new.matching_listener().callback(move |status| {
            if let Some(hub) = own.upgrade() {
                hub.push("", Message::Listens(entity, status.matching()));
            }
        });
        // It lives as long as the publisher.
        let listens = listener.background().wait();
        let matching = new.matching_status().wait();
        if listens.is_ok()
            && let Ok(status) = matching
            && status.matching()
        {
            self.push("", Message::Listens(entity, true));
        }
        *publisher = Some(new);
    }

    /// Says what this site has; true if that is something else than before.
    fn announce(
        &self,
        readers: &[Arc<Reader>],
        writers: &[Arc<Writer>],
        tokens: &mut BTreeMap<Summary, LivelinessToken>,
    ) -> bool {
        let mut all: BTreeMap<(Direction, String), BTreeMap<[u8; 4], Endpoint>> = BTreeMap::new();
        for reader in readers {
            let topic = all
                .entry((Direction::Want, reader.topic.clone()))
                .or_default();
            let data = Endpoint::Reader(Box::new(reader.data()));
            topic.insert(reader.guid.entity.0, data);
        }
        for writer in writers {
            let topic = all
                .entry((Direction::Offer, writer.topic.clone()))
                .or_default();
            let data = Endpoint::Writer(Box::new(writer.data()));
            topic.insert(writer.guid.entity.0, data);
        }
        let mut records = HashMap::new();
        let mut wanted = BTreeSet::new();
        for ((direction, topic), endpoints) in all {
            let bytes = record::encode(endpoints.values());
            let digest = record::digest(&bytes);
            records.insert(digest, bytes);
            wanted.insert(Summary {
                direction,
                topic,
                digest,
            });
        }
        lock(&self.inner).records = records;
        let old: Vec<Summary> = tokens
            .keys()
            .filter(|t| !wanted.contains(t))
            .cloned()
            .collect();
        let mut is_new = !old.is_empty();
        for summary in wanted {
            if !tokens.contains_key(&summary) {
                let key = self.keys.token(&self.zid, &summary);
                let token = self.session.liveliness().declare_token(key).wait();
                tokens.extend(token.map(|token| (summary, token)));
                is_new = true;
            }
        }
        for summary in old {
            drop(tokens.remove(&summary));
        }
        is_new
    }

    /// Shows that this site is there, what it has, and how much it has written.
    fn beat(&self, tokens: &BTreeMap<Summary, LivelinessToken>, all: bool) {
        let writers: Vec<Arc<Writer>> = lock(&self.inner).writers.values().cloned().collect();
        let lasts = writers.iter();
        let lasts = lasts.filter_map(|w| Some((w.guid.entity.0, w.last(all)?)));
        let mut bytes = vec![1];
        bytes.extend(directory::hash(tokens.keys()).to_le_bytes());
        for (entity, last) in lasts.take(MOST_LASTS) {
            bytes.extend(entity);
            bytes.extend(last.to_le_bytes());
        }
        let put = self.session.put(self.keys.beat(Some(&self.zid)), bytes);
        // The next one comes.
        let _ = put.congestion_control(CongestionControl::Drop).wait();
    }

    fn ask(self: &Arc<Self>, question: Question) {
        let own = Arc::downgrade(self);
        match question {
            Question::Record(zid, summary) => {
                let get = self.session.get(self.keys.record(&zid, summary.digest));
                let get = get.timeout(ANSWER).callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                        let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                        let message = Message::Record(zid.clone(), summary.clone(), bytes);
                        hub.push(&zid, message);
                    }
                });
                // It is asked again.
                let _ = get.wait();
            }
            Question::Tokens(zid) => {
                let liveliness = self.session.liveliness();
                let get = liveliness.get(self.keys.tokens(Some(&zid))).timeout(ANSWER);
                let list = Listing {
                    hub: own,
                    zid,
                    tokens: Mutex::default(),
                };
                let get = get.callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (list.hub.upgrade(), reply.result())
                        && let Some((zid, token)) = hub.keys.parse_token(sample.key_expr().as_str())
                        && zid == list.zid
                    {
                        lock(&list.tokens).push(token);
                    }
                });
                let _ = get.wait();
            }
        }
    }

    /// Asks stores for what is missing; returns when to look again.
    fn poll_readers(self: &Arc<Self>, now: Duration) -> Option<Duration> {
        let readers: Vec<Arc<Reader>> = lock(&self.inner).readers.values().cloned().collect();
        let mut due = None;
        for reader in readers {
            let (asks, next) = reader.poll(now);
            due = [due, next].into_iter().flatten().min();
            for (writer, request) in asks {
                let inner = lock(&self.inner);
                let Some(zid) = inner.directory.site_of(writer.prefix).map(str::to_owned) else {
                    continue;
                };
                drop(inner);
                let (own, entity) = (Arc::downgrade(self), reader.guid.entity);
                let get = self.session.get(self.keys.store(&zid));
                let get = get
                    .payload(request.encode())
                    .consolidation(ConsolidationMode::None)
                    .timeout(ANSWER);
                let get = get.callback(move |reply| {
                    if let (Some(hub), Ok(sample)) = (own.upgrade(), reply.result()) {
                        let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                        if let Some(page) = Page::parse(&bytes) {
                            hub.push("", Message::Page(entity, writer, page));
                        }
                    }
                });
                // It is asked again.
                let _ = get.wait();
            }
        }
        due
    }

    fn guid(&self, kind: EntityKind) -> Guid {
        let mut inner = lock(&self.inner);
        inner.entities = (inner.entities + 1) % 0x00ff_ffff;
        Guid::new(self.prefix, EntityId::user(inner.entities, kind))
    }

    fn end(&self) {
        if self.ends.swap(true, SeqCst) {
            return;
        }
        self.wake();
        lock(&self.senders)
            .values()
            .for_each(|sender| sender.woken.notify_all());
        // Nobody asks from now on.
        drop(std::mem::take(&mut *lock(&self.declared)));
        let threads = std::mem::take(&mut *lock(&self.threads));
        for thread in threads {
            // A panic of that thread was told when it happened.
            let _ = thread.join();
        }
        let mut inner = lock(&self.inner);
        let (readers, writers) = (
            std::mem::take(&mut inner.readers),
            std::mem::take(&mut inner.writers),
        );
        drop(inner);
        drop((readers, writers));
        // There is nobody to whom a failure could be told.
        let _ = self.session.close().wait();
    }
}

/// Tokens as they come in; handed over when there are no more.
struct Listing {
    hub: std::sync::Weak<Hub>,
    zid: String,
    tokens: Mutex<Vec<Summary>>,
}

impl Drop for Listing {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            let tokens = std::mem::take(&mut *lock(&self.tokens));
            hub.push(&self.zid, Message::Tokens(self.zid.clone(), tokens));
        }
    }
}

impl Inner {
    /// Programs that listen and are no sites want what they listen to.
    fn note_strangers(&mut self, writers: &[Arc<Writer>]) {
        for writer in writers {
            let entity = writer.guid.entity;
            // Whoever of the sites listens says so itself.
            let has_strangers = writer.has_strangers.load(SeqCst) && writer.sites() == 0;
            let known = self.strangers.get(&entity).copied();
            match (has_strangers, known) {
                (true, None) => {
                    let WriterData {
                        topic, type_name, ..
                    } = writer.data();
                    let prefix = directory::prefix("stranger");
                    let [a, b, c, kind] = entity.0;
                    // A reader with a key or without, as the writer.
                    let reader = EntityId([a, b, c, if kind & 1 == 0 { 0x07 } else { 0x04 }]);
                    let guid = Guid::new(prefix, reader);
                    self.strangers.insert(entity, guid);
                    let data = Box::new(ReaderData::new(guid, topic, type_name));
                    self.events
                        .push(DiscoveryEvent::Reader(EntityChange::Added(data)));
                }
                (false, Some(guid)) => {
                    self.strangers.remove(&entity);
                    self.events
                        .push(DiscoveryEvent::Reader(EntityChange::Gone(guid)));
                }
                _ => {}
            }
        }
    }
}

fn parse_beat(mut rest: &[u8]) -> Option<(u64, Lasts)> {
    let [version] = take(&mut rest)?;
    let hash = u64::from_le_bytes(take(&mut rest)?);
    let mut lasts = Vec::new();
    while !rest.is_empty() && lasts.len() < MOST_LASTS {
        lasts.push((take(&mut rest)?, u64::from_le_bytes(take(&mut rest)?)));
    }
    (version == 1 && rest.is_empty()).then_some((hash, lasts))
}

/// The hub as a route knows it; it ends with this.
pub(crate) struct Door(pub(crate) Arc<Hub>);

impl Connection for Door {
    fn take_events(&self) -> Vec<DiscoveryEvent> {
        std::mem::take(&mut lock(&self.0.inner).events)
    }

    fn create_reader(
        &self,
        mut data: ReaderData,
        keyed: bool,
        accepts: Accepts,
        events: [Notify; 2],
    ) -> Result<Arc<dyn AdapterReader>, String> {
        data.guid = self.0.guid(match keyed {
            true => EntityKind::ReaderWithKey,
            false => EntityKind::ReaderNoKey,
        });
        data.participant = Guid::new(data.guid.prefix, EntityId::PARTICIPANT);
        let reader = Arc::new(Reader::new(&self.0, data, accepts, events));
        let own = Arc::clone(&reader);
        lock(&self.0.inner).readers.insert(reader.guid.entity, own);
        self.0.changed();
        Ok(reader)
    }

    fn create_writer(
        &self,
        mut data: WriterData,
        keyed: bool,
        on_room: Notify,
    ) -> Result<Arc<dyn AdapterWriter>, String> {
        data.guid = self.0.guid(match keyed {
            true => EntityKind::WriterWithKey,
            false => EntityKind::WriterNoKey,
        });
        data.participant = Guid::new(data.guid.prefix, EntityId::PARTICIPANT);
        let writer = Writer::new(&self.0, data, &self.0.keys, on_room)?;
        let own = Arc::clone(&writer);
        lock(&self.0.inner).writers.insert(writer.guid.entity, own);
        self.0.changed();
        Ok(writer)
    }

    fn note(&self) -> Option<String> {
        let inner = lock(&self.0.inner);
        let sites = inner.directory.sites();
        let lost: u64 = inner.readers.values().map(|reader| reader.lost()).sum();
        let zid = &self.0.zid;
        let mut note = match sites.as_slice() {
            [] => format!("site {zid} sees no other site"),
            [one] => format!("site {zid} sees site {one}"),
            many => format!("site {zid} sees {} sites: {}", many.len(), many.join(", ")),
        };
        if lost > 0 {
            note += &format!("; {lost} samples were lost on the way");
        }
        Some(note)
    }

    fn close(&self) {
        self.0.end();
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.end();
    }
}
