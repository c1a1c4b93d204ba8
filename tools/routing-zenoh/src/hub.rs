//! A site's door: the session with zenoh, what is made of it, and the threads that attend to it.
//!
//! One thread looks after discovery, gaps and beats, some answer those who ask, and one sends for
//! each priority that is in use. None of them is on the way of a sample that arrives: a thread of
//! zenoh's passes it on.
mod announcements;
mod answers;
mod door;
mod matches;
mod questions;
mod senders;

use crate::beat::{Beat, Claim, Lasts};
use crate::directory::{self, BEAT, Directory, TopicChange};
use crate::election::Election;
use crate::keys::{Keys, Token};
use crate::listing::{Listing, Question};
use crate::page::Page;
use crate::reader::Reader;
use crate::writer::Writer;
use bytes::Bytes;
use dunlin::observe::{DiscoveryEvent, EntityChange};
use dunlin::{EntityId, EntityKind, Guid, GuidPrefix};
use dunlin_routing::adapter::Context;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use zenoh::pubsub::Subscriber;
use zenoh::query::{Query, Queryable};
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use announcements::Announced;
pub(crate) use door::Door;
use senders::Senders;

/// What a site has is announced no more often: it changes several times in a row.
const GATHER: Duration = Duration::from_millis(10);
/// Tokens of sites of another layout that are told of.
const MOST_FOREIGN: usize = 64;
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
    Token(String, Token, bool),
    /// An answer to this question.
    Topics(String, Question, Bytes),
    /// This question ended without an answer.
    NoAnswer(String, Question),
    /// Topics that a site tells to all.
    News(String, Bytes),
    Beat(String, Beat),
    /// Of another service at this site.
    Claim(String, Claim),
    Page(EntityId, Guid, Page),
    /// The numbers of the last changes of these writers, for these readers.
    Lasts(Vec<(EntityId, Guid)>, Lasts),
    /// Does anybody listen to a writer?
    Listens(EntityId, bool),
}

impl Message {
    /// Many sites say again and again that all is as it was.
    fn may_wait(&self) -> bool {
        matches!(self, Self::Beat(_, beat) if beat.hash != 0 && beat.lasts.is_empty())
    }
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
    /// When that is announced, and when something was last.
    announces: Option<Duration>,
    announced: Duration,
    /// Another service of the site carries, or may.
    is_elected_anew: bool,
    is_woken: bool,
    tail: Option<Duration>,
    /// When the directory is to be looked at again; it may be large.
    look: Option<Duration>,
    /// What other sites are told when they ask.
    own: Listing,
    /// Tokens of sites of another layout of keys, and which one.
    foreign: BTreeMap<(String, u64), u32>,
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
        let own = Arc::downgrade(self);
        let news = self.session.declare_subscriber(self.keys.news(None));
        let news = news.callback(move |sample| {
            if let Some(hub) = own.upgrade()
                && let Some((zid, _)) = hub.keys.parse(sample.key_expr().as_str())
            {
                let bytes = Bytes::from(sample.payload().to_bytes().into_owned());
                hub.push(zid, Message::News(zid.to_owned(), bytes));
            }
        });
        declared.push(Declared::Subscriber(news.wait()?));
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
        let tokens = liveliness.declare_subscriber(self.keys.tokens());
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
        let may_wait = message.may_wait();
        // What finds no room heals by beats, and by asking again.
        if inner.inbox.len() < MOST_MESSAGES {
            inner.inbox.push_back(message);
        }
        if may_wait {
            return;
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
        let mut token = None;
        // What comes first are news.
        let mut next_beat = BEAT;
        while !self.ends.load(SeqCst) {
            let now = self.now();
            let has_more_news = self.turn(now, &mut token);
            self.claim(now);
            let tail = lock(&self.inner).tail;
            if now >= next_beat || has_more_news {
                self.beat(true);
                next_beat = now + BEAT * lock(&self.inner).directory.pace();
            } else if tail.is_some_and(|tail| tail <= now) {
                lock(&self.inner).tail = None;
                self.has_tail.store(false, SeqCst);
                self.beat(false);
            }
            let due = self.poll_readers(now);
            let mut inner = lock(&self.inner);
            let claim = inner.election.as_ref().map(Election::due);
            let all = [
                Some(next_beat),
                due,
                inner.tail,
                inner.look,
                inner.announces,
                claim,
            ];
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
        self.tell(&[], &[], &mut token);
        self.beat(false);
        self.put_claim(Claim::Ends);
    }

    /// What arrived, and what follows from it; true if this site has something else than before and
    /// others have to ask for it.
    fn turn(self: &Arc<Self>, now: Duration, token: &mut Option<Announced>) -> bool {
        let mut guard = lock(&self.inner);
        let inner = &mut *guard;
        let news = inner.read(now);
        let readers: Vec<Arc<Reader>> = inner.readers.values().cloned().collect();
        let writers: Vec<Arc<Writer>> = inner.writers.values().cloned().collect();
        let matches = inner.matches(&news, &readers, &writers);
        let has_events = !inner.events.is_empty();
        if news.has_changed {
            // One that begins has all of its endpoints after each other.
            let last = match inner.own.hash() {
                0 => now,
                _ => inner.announced,
            };
            inner.announces.get_or_insert(now.max(last + GATHER));
        }
        let announces = inner.announces.take_if(|at| *at <= now).is_some();
        if announces {
            inner.announced = now;
        }
        let carries = inner.carries();
        drop(guard);
        if has_events {
            self.context.wake.set_trigger_value(true);
        }
        for (zid, question) in news.questions {
            self.ask(zid, question);
        }
        for (reader, changes) in matches {
            reader.match_writers(now, changes, &news.lasts, &self.keys, &self.session);
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
        for (asked, lasts) in news.joins {
            let lasts: HashMap<[u8; 4], u64> = lasts.into_iter().collect();
            for (entity, writer) in asked {
                let reader = readers.iter().find(|reader| reader.guid.entity == entity);
                if let (Some(reader), Some(last)) = (reader, lasts.get(&writer.entity.0)) {
                    reader.answer(now, writer, Page::joining(*last));
                }
            }
        }
        for writer in &writers {
            writer.forget(now);
            self.listen(writer);
        }
        announces
            && match carries {
                true => self.tell(&readers, &writers, token),
                // Another service of the site does.
                false => self.tell(&[], &[], token),
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
    questions: Vec<(String, Question)>,
    heard: Vec<(GuidPrefix, Lasts)>,
    answers: Vec<(EntityId, Guid, Page)>,
    joins: Vec<(Vec<(EntityId, Guid)>, Lasts)>,
    /// What other sites have that they had not before.
    topics: HashMap<String, TopicChange>,
    /// How much is written by writers of which news has just come.
    lasts: HashMap<Guid, u64>,
    /// This site has something else than before.
    has_changed: bool,
    /// Another service of the site carries, or may.
    is_elected_anew: bool,
    /// Other programs listen, or do not any more.
    has_listeners: bool,
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
            is_due |= !matches!(
                message,
                Message::Page(..) | Message::Lasts(..) | Message::Listens(..)
            );
            let directory = &mut self.directory;
            match message {
                Message::Token(zid, Token::Here(hash), is_there) => {
                    directory.token(now, &zid, hash, is_there);
                }
                Message::Token(zid, Token::Other { layout, digest }, is_there) => {
                    if !is_there {
                        self.foreign.remove(&(zid, digest));
                    } else if self.foreign.len() < MOST_FOREIGN {
                        self.foreign.insert((zid, digest), layout);
                    }
                }
                Message::Topics(zid, asked, answer) => {
                    directory.answer(now, &zid, &asked, &answer);
                }
                Message::NoAnswer(zid, asked) => directory.refused(now, &zid, &asked),
                Message::News(zid, news) => directory.news(now, &zid, &news),
                Message::Beat(zid, beat) => {
                    directory.beat(now, &zid, beat.hash);
                    news.heard.push((directory::prefix(&zid), beat.lasts));
                }
                Message::Claim(zid, claim) => {
                    if let Some(election) = &mut self.election {
                        // Its endpoints are none for this site.
                        self.is_elected_anew |= election.hear(now, &zid, claim);
                    }
                }
                Message::Page(reader, writer, page) => news.answers.push((reader, writer, page)),
                Message::Lasts(asked, lasts) => news.joins.push((asked, lasts)),
                Message::Listens(entity, listens) => {
                    if let Some(writer) = self.writers.get(&entity) {
                        writer.is_listened_to.store(listens, SeqCst);
                    }
                    news.has_listeners = true;
                }
            }
        }
        if is_due {
            news.questions = self.directory.poll(now);
            self.events.extend(self.directory.take_events());
            news.topics = self.directory.take_changes();
            news.lasts = self.directory.take_lasts();
            self.look = self.directory.due();
        }
        news.is_elected_anew = std::mem::take(&mut self.is_elected_anew);
        news.has_changed = std::mem::take(&mut self.has_changed) || news.is_elected_anew;
        news
    }
}
