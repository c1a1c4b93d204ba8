//! The receive work: datagram in, caches filled, listeners called, answers out — all in the thread that holds the role.
use crate::checksum::{self, Verdict};
use crate::clock;
use crate::datagram::Datagrams;
use crate::life::LifeSign;
use crate::place::{is_dunlin, leaves_host};
use crate::pool::Pool;
use crate::reader::ReaderCore;
use crate::shared::{Routes, Shared};
use crate::signal::Signal;
use crate::waiting::{Patience, Waiting};
use crate::writer::WriterCore;
use bytes::{Bytes, BytesMut};
use dunlin_rtps::discovery::Source;
use dunlin_rtps::{InstanceHandle, Intake, Time, To};
use dunlin_transport::{Receiver, Wait};
use dunlin_wire::{
    EntityId, Guid, GuidPrefix, Header, Locator, Message, Payload, Submessage, Timestamp,
};
use std::sync::Arc;

/// Room for the largest datagram.
const LARGEST: usize = 64 * 1024;
/// Received payloads up to this size are copied out of the datagram, so that an unread sample does not pin it.
const COPY_LIMIT: usize = 8 * 1024;
/// Polls between two looks at the clock while spinning.
const POLLS: u32 = 8;
/// Looks at the clock before a process with one CPU lets its other threads run: longer than an answer usually takes, since
/// yielding costs as much as several polls.
const LOOKS: u32 = 4;

/// When a turn ends without a datagram.
pub(crate) struct Pause<'a> {
    /// Asked between polls and before sleeping.
    pub(crate) interrupted: &'a dyn Fn() -> bool,
    /// Raised when a sleeping turn is to end.
    pub(crate) signal: Option<&'a Arc<Signal>>,
    /// When the turn ends at the latest.
    pub(crate) deadline: Option<Time>,
}

enum Spun {
    Received(Bytes, Locator),
    Interrupted,
    /// Nothing came until then.
    Quiet(Time),
}

/// All that one receiver needs; whoever holds the role owns it for the time.
pub(crate) struct Worker {
    receiver: Box<dyn Receiver>,
    waiting: Waiting,
    /// Everything that our own kind sends here over a network has a checksum.
    sealed: bool,
    /// The last sender's address, and whether it is another host's.
    neighbour: ([u8; 16], bool),
    alone: bool,
    /// What the receiver's datagrams land in.
    buffers: Pool,
    /// Where kept payloads go.
    kept: Pool,
    patience: Patience,
    routes: Arc<Routes>,
    generation: u64,
    answers: Option<Datagrams>,
    news: News,
}

/// Whom a datagram brought something.
#[derive(Default)]
pub(crate) struct News {
    ready: Vec<Arc<ReaderCore>>,
    acknowledged: Vec<Arc<WriterCore>>,
    /// Writers that showed that they live, of which discovery should hear.
    alive: Vec<Arc<LifeSign>>,
}

impl News {
    fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.acknowledged.is_empty() && self.alive.is_empty()
    }

    /// Tells those who wait or listen; user code runs here.
    pub(crate) fn deliver(&mut self, shared: &Arc<Shared>) {
        for sign in self.alive.drain(..) {
            shared.discover(|directory, _| directory.tell(&sign));
        }
        for writer in self.acknowledged.drain(..) {
            writer.announce_room();
        }
        if self.ready.is_empty() {
            return;
        }
        shared.note_arrival();
        for reader in self.ready.drain(..) {
            reader.announce_data();
        }
        // What listeners wrote and is held back.
        shared.let_go();
    }

    fn add_ready(&mut self, reader: &Arc<ReaderCore>) {
        if !self.ready.iter().any(|r| Arc::ptr_eq(r, reader)) {
            self.ready.push(Arc::clone(reader));
        }
    }

    fn add_acknowledged(&mut self, writer: &Arc<WriterCore>) {
        if !self.acknowledged.iter().any(|w| Arc::ptr_eq(w, writer)) {
            self.acknowledged.push(Arc::clone(writer));
        }
    }
}

impl Worker {
    pub(crate) fn new(receiver: Box<dyn Receiver>, waiting: Waiting, sealed: bool) -> Self {
        Self {
            receiver,
            waiting,
            sealed,
            neighbour: ([0; 16], false),
            alone: std::thread::available_parallelism().is_ok_and(|n| n.get() == 1),
            buffers: Pool::default(),
            kept: Pool::default(),
            patience: Patience::new(waiting),
            routes: Arc::default(),
            generation: 0,
            answers: None,
            news: News::default(),
        }
    }

    /// Waits for one datagram as the strategy says and works on it: fills caches and sends the answers it provoked. The
    /// caller delivers the news, then gives the container back. Returns after one datagram, when interrupted, at the
    /// deadline, or when the receiver was woken.
    pub(crate) fn turn(&mut self, shared: &Arc<Shared>, pause: &Pause<'_>) -> Option<News> {
        let received = match self.spin(pause) {
            Spun::Received(datagram, from) => Some((datagram, from, None)),
            Spun::Interrupted => None,
            Spun::Quiet(now) => self
                .sleep(pause)
                .map(|(datagram, from)| (datagram, from, Some(now))),
        };
        if let Some((datagram, from, asleep)) = received {
            let now = clock::now();
            if let Some(since) = asleep {
                self.patience.woke(since, now);
            }
            self.patience.stir(now);
            self.work(shared, now, &datagram, from);
        }
        (!self.news.is_empty()).then(|| std::mem::take(&mut self.news))
    }

    /// An application thread begins to wait, so something is expected.
    pub(crate) fn expect(&mut self) {
        self.patience.stir(clock::now());
    }

    /// Takes an emptied container back, so that the next datagram need not make one.
    pub(crate) fn reuse(&mut self, news: News) {
        if self.news.is_empty() {
            self.news = news;
        }
    }

    fn sleep(&mut self, pause: &Pause<'_>) -> Option<(Bytes, Locator)> {
        let wait = Wait::Until(pause.deadline.map(clock::instant));
        match pause.signal {
            None => self.receive(wait),
            Some(signal) => {
                let waker = self.receiver.waker();
                signal.while_receiving(&waker, || self.receive(wait))
            }
        }
    }

    /// Polls for as long as the strategy wants.
    fn spin(&mut self, pause: &Pause<'_>) -> Spun {
        if self.waiting == Waiting::Block {
            return if (pause.interrupted)() {
                Spun::Interrupted
            } else {
                Spun::Quiet(clock::now())
            };
        }
        let ends = self.patience.ends();
        let mut looks = 0;
        loop {
            for _ in 0..POLLS {
                if let Some((datagram, from)) = self.receive(Wait::Poll) {
                    return Spun::Received(datagram, from);
                }
                if (pause.interrupted)() {
                    return Spun::Interrupted;
                }
            }
            looks += 1;
            if self.alone && looks >= LOOKS {
                looks = 0;
                std::thread::yield_now();
            }
            let now = clock::now();
            if pause.deadline.is_some_and(|at| now >= at) {
                return Spun::Interrupted;
            }
            if now >= ends {
                return Spun::Quiet(now);
            }
        }
    }

    fn receive(&mut self, wait: Wait) -> Option<(Bytes, Locator)> {
        let buffer = self.buffers.reserve(LARGEST);
        match self.receiver.receive(buffer, wait) {
            Ok(received) => {
                let received = received?;
                Some((buffer.split().freeze(), received.from))
            }
            Err(error) => {
                tracing::warn!(%error, "receiving failed");
                std::thread::sleep(std::time::Duration::from_millis(1));
                None
            }
        }
    }
}

/// Who sent the submessages at hand, as the interpreter of a message tracks it (RTPS 2.5 8.3.4).
struct Context<'a> {
    now: Time,
    datagram: &'a Bytes,
    source: Source,
    for_us: bool,
    timestamp: Option<Timestamp>,
}

impl Worker {
    /// Works through one datagram: caches first, then the answers it provoked.
    fn work(&mut self, shared: &Arc<Shared>, now: Time, datagram: &Bytes, from: Locator) {
        let verdict = checksum::verify(datagram);
        if verdict == Verdict::Damaged {
            return shared.counters.damaged(from);
        }
        let message = match Message::parse(datagram) {
            Ok(message) => message,
            Err(error) => return shared.counters.malformed(from, &error),
        };
        if verdict == Verdict::Absent && self.expects_seal(shared, &message.header, from) {
            return shared.counters.damaged(from);
        }
        shared.refresh(&mut self.routes, &mut self.generation);
        let mut context = Context {
            now,
            datagram,
            source: source(&message.header, from),
            for_us: true,
            timestamp: None,
        };
        for submessage in message.submessages {
            match submessage {
                Ok(submessage) => self.interpret(shared, &mut context, &submessage),
                Err(error) => {
                    shared.counters.malformed(from, &error);
                    break;
                }
            }
        }
        self.answer(shared);
    }

    /// Would the sender have sealed this? Then damage has taken the seal away, or somebody else sent it.
    fn expects_seal(&mut self, shared: &Shared, header: &Header, from: Locator) -> bool {
        if !self.sealed || !is_dunlin(header.prefix) {
            return false;
        }
        let (known, remote) = self.neighbour;
        if known != from.address {
            self.neighbour = (from.address, leaves_host(&*shared.transport, &from));
            return self.neighbour.1;
        }
        remote
    }

    fn interpret(
        &mut self,
        shared: &Arc<Shared>,
        context: &mut Context<'_>,
        message: &Submessage<'_>,
    ) {
        match message {
            Submessage::InfoDestination(prefix) => {
                context.source.addressed = *prefix == shared.prefix;
                context.for_us = context.source.addressed || *prefix == GuidPrefix::UNKNOWN;
            }
            Submessage::InfoTimestamp(timestamp) => context.timestamp = *timestamp,
            Submessage::InfoSource {
                version,
                vendor,
                prefix,
            } => {
                context.source = Source {
                    prefix: *prefix,
                    vendor: *vendor,
                    version: *version,
                    ..context.source
                };
                context.timestamp = None;
            }
            _ if !context.for_us => {}
            _ => match message.endpoints() {
                None => {}
                // Our own announcements come back by multicast.
                Some((_, writer))
                    if writer.is_builtin() && context.source.prefix == shared.prefix => {}
                Some((_, writer)) if writer.is_builtin() => shared.discover(|directory, now| {
                    directory.handle(now, &context.source, context.timestamp, message);
                }),
                Some((reader, writer)) => self.route(shared, context, reader, writer, message),
            },
        }
    }

    /// Hands a submessage of a user endpoint to the readers or the writer it concerns.
    fn route(
        &mut self,
        shared: &Arc<Shared>,
        context: &Context<'_>,
        reader: EntityId,
        writer: EntityId,
        message: &Submessage<'_>,
    ) {
        let now = context.now;
        let source = context.source.prefix;
        let routes = Arc::clone(&self.routes);
        let answers = self.answers.get_or_insert_with(|| shared.datagrams());
        match message {
            Submessage::AckNack(_) | Submessage::NackFrag(_) => {
                let Some(core) = routes.writers.get(&writer) else {
                    return;
                };
                if core.handle_answer(now, Guid::new(source, reader), message, answers) {
                    self.news.add_acknowledged(core);
                }
                core.send(answers, &routes);
            }
            _ => {
                let from = Guid::new(source, writer);
                if !routes.signs.is_empty()
                    && shows_life(message)
                    && let Some(sign) = routes.signs.get(&from)
                    && sign.note(now)
                {
                    self.news.alive.push(Arc::clone(sign));
                }
                for core in routes.readers_of(&from, reader) {
                    let mut intake = Keeper {
                        pool: &mut self.kept,
                        datagram: context.datagram,
                        reader: core,
                    };
                    let news =
                        core.handle(now, from, context.timestamp, message, &mut intake, answers);
                    if news {
                        self.news.add_ready(core);
                    }
                    core.schedule();
                }
            }
        }
    }

    fn answer(&mut self, shared: &Arc<Shared>) {
        if let Some(answers) = &mut self.answers
            && !answers.is_empty()
        {
            let routes = &self.routes;
            answers.flush(&*shared.transport, |to| match to {
                To::Endpoint(guid) => routes.place(&guid),
                To::Matched | To::Announce => &[],
            });
        }
    }
}

/// Does this prove that the writer's application lives? (RTPS 2.5 8.3.8.6.1, 8.4.13.5)
fn shows_life(message: &Submessage<'_>) -> bool {
    match message {
        Submessage::Data(_) | Submessage::DataFrag(_) => true,
        Submessage::Heartbeat(heartbeat) => heartbeat.liveliness,
        _ => false,
    }
}

fn source(header: &Header, from: Locator) -> Source {
    let Header {
        prefix,
        vendor,
        version,
    } = *header;
    Source {
        prefix,
        vendor,
        version,
        multicast: false,
        from,
        addressed: false,
    }
}

/// Keeps payloads beyond their datagram, and knows instances by the reader's type.
struct Keeper<'a> {
    pool: &'a mut Pool,
    datagram: &'a Bytes,
    reader: &'a ReaderCore,
}

impl Intake for Keeper<'_> {
    fn keep(&mut self, bytes: &[u8]) -> Bytes {
        if bytes.len() <= COPY_LIMIT {
            self.pool.copy(bytes)
        } else {
            self.datagram.slice_ref(bytes)
        }
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        self.pool.take(size)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        self.reader.instance(payload)
    }
}
