//! A site's door: the session with zenoh, what is made of it, and the threads that attend to it.
//!
//! One thread looks after discovery, gaps and beats, some answer those who ask, and one sends for
//! each priority that is in use. None of them is on the way of a sample that arrives: a thread of
//! zenoh's passes it on.
mod announcements;
mod answers;
mod door;
mod questions;
mod senders;

use crate::beat::{Beat, Claim, Lasts};
use crate::directory::{self, BEAT, Directory, Question};
use crate::election::Election;
use crate::keys::{Keys, Summary};
use crate::page::Page;
use crate::reader::Reader;
use crate::writer::Writer;
use bytes::Bytes;
use dunlin::observe::{DiscoveryEvent, EntityChange, ReaderData, WriterData};
use dunlin::{EntityId, EntityKind, Guid, GuidPrefix};
use dunlin_routing::adapter::Context;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::query::{Query, Queryable};
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

pub(crate) use door::Door;
use senders::Senders;

/// A tail that was lost shows so long after a burst.
const TAIL: Duration = Duration::from_millis(200);
/// The thread looks again after this time in any case.
const LOOK: Duration = Duration::from_secs(1);
/// What arrived and was not looked at.
const MOST_MESSAGES: usize = 65_536;
/// Those who ask and have no answer yet.
const MOST_QUERIES: usize = 1024;
/// Sites that are answered at once.
const SERVERS: usize = 4;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of which an endpoint of a site is.
pub(crate) fn participant_of(endpoint: Guid) -> Guid {
    Guid::new(endpoint.prefix, EntityId::PARTICIPANT)
}

/// What threads of zenoh's leave for the thread of the hub.
enum Message {
    Token(String, Summary, bool),
    Tokens(String, Vec<Summary>),
    /// An answer to the question for the records of these tokens.
    Records(String, Vec<Summary>, Bytes),
    Beat(String, Beat),
    /// Of another service at this site.
    Claim(String, Claim),
    Page(EntityId, Guid, Page),
    /// Does anybody listen to a writer?
    Listens(EntityId, bool),
}

pub(crate) struct Hub {
    session: Session,
    keys: Keys,
    zid: String,
    prefix: GuidPrefix,
    /// The site, if other services of it take over from this one.
    site: Option<String>,
    started: Instant,
    context: Context,
    inner: Mutex<Inner>,
    woken: Condvar,
    senders: Senders,
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
    election: Option<Election>,
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

impl Hub {
    pub(crate) fn start(
        session: Session,
        keys: Keys,
        site: Option<String>,
        context: Context,
    ) -> Result<Arc<Self>, String> {
        let zid = session.zid().to_string();
        let election = site.is_some().then(|| Election::new(Duration::ZERO, &zid));
        let hub = Arc::new(Self {
            prefix: directory::prefix(&zid),
            zid,
            site,
            session,
            keys,
            started: Instant::now(),
            context,
            inner: Mutex::new(Inner {
                election,
                ..Inner::default()
            }),
            woken: Condvar::new(),
            senders: Senders::default(),
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
                && let Some(beat) = Beat::parse(&sample.payload().to_bytes())
            {
                hub.push(zid, Message::Beat(zid.to_owned(), beat));
            }
        });
        declared.push(Declared::Subscriber(beats.wait()?));
        if let Some(site) = &self.site {
            let own = Arc::downgrade(self);
            let claims = self.session.declare_subscriber(self.keys.claim(None, site));
            let claims = claims.callback(move |sample| {
                if let Some(hub) = own.upgrade()
                    && let Some((zid, _)) = hub.keys.parse(sample.key_expr().as_str())
                    && let Some(claim) = Claim::parse(&sample.payload().to_bytes())
                {
                    hub.push(zid, Message::Claim(zid.to_owned(), claim));
                }
            });
            declared.push(Declared::Subscriber(claims.wait()?));
        }
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
        let new = self.senders.push(writer);
        if let Some(sender) = new
            && !self.ends.load(SeqCst)
        {
            let name = format!("dunlin-zenoh-{priority}");
            // Without a thread nothing is sent; the system tells of it elsewhere, too.
            let _ = self.spawn(&name, move |hub| sender.run(&hub.session, &hub.ends));
        }
    }

    /// Looks after discovery, gaps and beats.
    fn attend(self: &Arc<Self>) {
        let mut tokens: BTreeMap<Summary, LivelinessToken> = BTreeMap::new();
        let mut next_beat = Duration::ZERO;
        while !self.ends.load(SeqCst) {
            let now = self.now();
            let is_announced_anew = self.turn(now, &mut tokens);
            self.claim(now);
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
            let claim = inner.election.as_ref().map(Election::due);
            let all = [Some(next_beat), due, inner.tail, inner.look, claim];
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
        self.put_claim(Claim::Ends);
    }

    /// What arrived, and what follows from it; true if this site has something else than before.
    fn turn(
        self: &Arc<Self>,
        now: Duration,
        tokens: &mut BTreeMap<Summary, LivelinessToken>,
    ) -> bool {
        let mut guard = lock(&self.inner);
        let inner = &mut *guard;
        let news = inner.read(now);
        let readers: Vec<Arc<Reader>> = inner.readers.values().cloned().collect();
        let writers: Vec<Arc<Writer>> = inner.writers.values().cloned().collect();
        let matches = inner.matches(&news, &readers, &writers);
        let has_events = !inner.events.is_empty();
        let carries = inner.carries();
        drop(guard);
        if has_events {
            self.context.wake.set_trigger_value(true);
        }
        for question in news.questions {
            self.ask(question);
        }
        for (reader, all) in matches {
            reader.match_writers(now, &all, &self.keys, &self.session);
        }
        for (prefix, lasts) in news.heard {
            for (entity, last) in lasts {
                let writer = Guid::new(prefix, EntityId(entity));
                readers
                    .iter()
                    .for_each(|reader| reader.hear(now, writer, last));
            }
        }
        for (entity, writer, page) in news.answers {
            if let Some(reader) = readers.iter().find(|reader| reader.guid.entity == entity) {
                reader.answer(now, writer, page);
            }
        }
        for writer in &writers {
            writer.forget(now);
            self.listen(writer);
        }
        news.has_changed
            && match carries {
                true => self.announce(&readers, &writers, tokens),
                // Another service of the site does.
                false => self.announce(&[], &[], tokens),
            }
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
        self.senders.wake();
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

/// What arrived, as far as it is not for the directory.
#[derive(Default)]
struct News {
    questions: Vec<Question>,
    heard: Vec<(GuidPrefix, Lasts)>,
    answers: Vec<(EntityId, Guid, Page)>,
    /// Topics of which other sites have something else than before.
    topics: BTreeSet<String>,
    /// This site has something else than before, or another one carries.
    has_changed: bool,
}

impl Inner {
    fn carries(&self) -> bool {
        self.election.as_ref().is_none_or(Election::carries)
    }

    /// Reads what arrived.
    fn read(&mut self, now: Duration) -> News {
        let mut news = News::default();
        let mut is_due = self.look.is_some_and(|look| look <= now);
        for message in std::mem::take(&mut self.inbox) {
            is_due |= !matches!(message, Message::Page(..) | Message::Listens(..));
            let directory = &mut self.directory;
            match message {
                Message::Token(zid, summary, is_there) => {
                    directory.token(now, &zid, summary, is_there);
                }
                Message::Tokens(zid, all) => directory.list(now, &zid, all),
                Message::Records(zid, asked, answer) => {
                    directory.records(now, &zid, &asked, &answer);
                }
                Message::Beat(zid, beat) => {
                    directory.beat(now, &zid, beat.hash);
                    news.heard.push((directory::prefix(&zid), beat.lasts));
                }
                Message::Claim(zid, claim) => {
                    if let Some(election) = &mut self.election {
                        // Its endpoints are none for this site.
                        self.has_changed |= election.hear(now, &zid, claim);
                    }
                }
                Message::Page(reader, writer, page) => news.answers.push((reader, writer, page)),
                Message::Listens(entity, listens) => {
                    if let Some(writer) = self.writers.get(&entity) {
                        writer.is_listened_to.store(listens, SeqCst);
                    }
                    self.has_changed = true;
                }
            }
        }
        if is_due {
            news.questions = self.directory.poll(now);
            self.events.extend(self.directory.take_events());
            news.topics = self.directory.take_topics();
            self.look = self.directory.due();
        }
        news.has_changed = std::mem::take(&mut self.has_changed);
        news
    }

    /// The writers of other sites that readers may hear from now on, where they may be others than
    /// before; writers learn how many sites want them.
    fn matches(
        &mut self,
        news: &News,
        readers: &[Arc<Reader>],
        writers: &[Arc<Writer>],
    ) -> Vec<(Arc<Reader>, Vec<WriterData>)> {
        let is_new = |topic: &str| news.has_changed || news.topics.contains(topic);
        let (carries, election) = (self.carries(), &self.election);
        // Services of one site hear each other in its domain.
        let own = election.iter().flat_map(Election::others);
        let own: BTreeSet<[u8; 12]> = own.map(|zid| directory::prefix(zid).0).collect();
        let counts = |guid: Guid| carries && !own.contains(&guid.prefix.0);
        for writer in writers.iter().filter(|writer| is_new(&writer.topic)) {
            let want = self.directory.readers(&writer.topic);
            let want = want.filter(|reader| counts(reader.guid));
            let sites: BTreeSet<_> = want.map(|reader| reader.guid.prefix.0).collect();
            writer.set_sites(sites.len());
        }
        let mut matches = Vec::new();
        for reader in readers.iter().filter(|reader| is_new(&reader.topic)) {
            let all = self.directory.writers(&reader.topic);
            let all = all.filter(|writer| counts(writer.guid)).cloned();
            matches.push((Arc::clone(reader), all.collect()));
        }
        if news.has_changed || !news.topics.is_empty() {
            self.note_strangers(writers, carries);
        }
        matches
    }

    /// Programs that listen and are no sites want what they listen to.
    fn note_strangers(&mut self, writers: &[Arc<Writer>], carries: bool) {
        for writer in writers {
            let entity = writer.guid.entity;
            // Whoever of the sites listens says so itself.
            let is_listened_to = writer.is_listened_to.load(SeqCst);
            let has_strangers = carries && is_listened_to && writer.sites() == 0;
            writer.has_strangers.store(has_strangers, SeqCst);
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
