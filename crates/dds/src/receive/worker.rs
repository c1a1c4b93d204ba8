//! The receive work: datagram in, caches filled, listeners called, answers out — all in the thread
//! that holds the role.
mod admission;
mod arrivals;
mod builtin;
mod fast_path;
mod gathering;
mod opening;
mod payload_allocator;
mod run;
#[cfg(test)]
mod tests;
mod waiting;

use crate::receive::loaned::PendingLoan;
use crate::receive::participant::{AnsweredWriter, ReceivingParticipant, ReceivingReader};
use crate::receive::routes::Routes;
use crate::runtime::clock::Clock;
use crate::runtime::pool::Pool;
use crate::runtime::signal::Signal;
use crate::runtime::wait_strategy::{AdaptiveSpin, WaitStrategy, YieldPacing};
use crate::send::datagram::Datagrams;
use admission::Admissions;
pub(crate) use arrivals::Arrivals;
use bytes::Bytes;
use dunlin_rtps::discovery::Source;
use dunlin_rtps::{Time, To};
use dunlin_transport::{Receiver, Wait, Waker};
use dunlin_wire::{
    Data, EntityId, Guid, GuidPrefix, Header, HeaderTemplate, Locator, Message, Submessage,
    Submessages, Timestamp,
};
use fast_path::Stream;
use opening::Opener;
use payload_allocator::ReceivedPayloads;
pub(crate) use run::Run;
use std::sync::Arc;

/// Room for the largest datagram.
const LARGEST: usize = 64 * 1024;
/// Received payloads up to this size are copied out of the datagram, so that an unread sample does
/// not pin it.
const COPY_LIMIT: usize = 8 * 1024;
/// Polls between two looks at the clock while spinning: the fewest and the most.
const POLLS: std::ops::RangeInclusive<u32> = 8..=128;
/// So many nanoseconds should lie between two looks: what comes in between counts as having come at
/// the first of them.
const GLANCE: std::ops::RangeInclusive<i64> = 250..=1_000;
/// After so many nanoseconds who spins lets others run that wait for the same CPU. The sender may
/// be one of them. An answer usually takes less, and yielding costs as much as many polls.
const YIELD: i64 = 4_000;
/// Others have run if a yield takes so long. If a datagram is there then, its sender has the same
/// CPU, and yielding is what it takes.
const LONG_YIELD: i64 = 1_000;

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
    /// From there; when the clock was last looked at, if it was.
    Received(Locator, Option<Time>),
    Interrupted,
    /// Nothing came until then.
    Quiet(Time),
}

/// All that one receiver needs; whoever holds the role owns it for the time.
pub(crate) struct Worker<P: ReceivingParticipant> {
    receiver: Box<dyn Receiver>,
    /// Ends its sleep.
    waker: Arc<dyn Waker>,
    clock: Clock,
    waiting: WaitStrategy,
    opener: Opener,
    yielding: YieldPacing,
    /// The last datagram was there when others had run.
    yields: bool,
    /// The last datagram was there before anybody looked.
    behind: bool,
    /// The last datagram brought a part of a sample to a reader that has nothing to take.
    part: bool,
    /// It receives what is for discovery, and nothing that anybody waits for.
    of_discovery: bool,
    /// Something was for discovery, which has not answered yet.
    unsettled: bool,
    /// Some of that came by a group.
    by_group: bool,
    /// What the receiver's datagrams land in.
    buffers: Pool,
    /// Polls between two looks at the clock.
    polls: u32,
    /// Where kept payloads go.
    kept: Pool,
    /// A loan came with the last datagram.
    loaned: bool,
    /// The buffer that the next datagram needs.
    room: usize,
    timeout: AdaptiveSpin,
    routes: Arc<Routes<P>>,
    generation: u64,
    /// Whose messages were taken last, and from where.
    admitted: Admissions,
    /// The stream that the last sample was of.
    stream: Option<Stream<P>>,
    /// Who wrote the last sample that was none of it.
    recent: Option<Guid>,
    answers: Option<Datagrams>,
    /// Boxed, since it goes to who delivers it and comes back.
    arrivals: Option<Box<Arrivals<P>>>,
}

impl<P: ReceivingParticipant> Worker<P> {
    pub(crate) fn new(
        receiver: Box<dyn Receiver>,
        clock: Clock,
        waiting: WaitStrategy,
        of_user: bool,
    ) -> Self {
        Self {
            waker: receiver.waker(),
            receiver,
            clock,
            waiting,
            opener: Opener::new(of_user),
            yielding: YieldPacing::new(),
            yields: false,
            behind: false,
            part: false,
            of_discovery: !of_user,
            unsettled: false,
            by_group: false,
            buffers: Pool::default(),
            polls: *POLLS.start(),
            kept: Pool::default(),
            loaned: false,
            room: LARGEST,
            timeout: AdaptiveSpin::new(waiting),
            routes: Arc::default(),
            generation: 0,
            admitted: Admissions::default(),
            stream: None,
            recent: None,
            answers: None,
            arrivals: None,
        }
    }

    /// Waits for a datagram as the strategy says and works on it: fills caches and sends the
    /// answers it provoked. The caller delivers the news, then gives the container back. Returns
    /// after one datagram (a few, if this thread does not keep up), when interrupted, at the
    /// deadline, or when the receiver was woken.
    pub(crate) fn turn(&mut self, shared: &Arc<P>, pause: &Pause<'_>) -> Option<Box<Arrivals<P>>> {
        match self.spin(pause) {
            Spun::Received(from, seen) => self.take_in_all(shared, seen, from),
            Spun::Interrupted => {}
            Spun::Quiet(since) => {
                let from = self.sleep(pause);
                if from.is_some() || self.receiver.flows() {
                    let now = self.clock.now();
                    self.timeout.woke(since, now);
                    self.timeout.stir(now);
                    if let Some(from) = from {
                        self.take_in(shared, now, from);
                        self.gather_parts(shared);
                        self.gather_discovery(shared);
                    }
                }
            }
        }
        self.arrivals.take_if(|arrivals| !arrivals.is_empty())
    }

    /// As `turn`, but waits for nothing; says whether a datagram was there.
    pub(crate) fn poll(&mut self, shared: &Arc<P>) -> (bool, Option<Box<Arrivals<P>>>) {
        self.behind = true;
        let from = self.receive(Wait::Poll);
        if let Some(from) = from {
            self.take_in_all(shared, None, from);
        }
        let arrivals = self.arrivals.take_if(|arrivals| !arrivals.is_empty());
        (from.is_some(), arrivals)
    }

    /// Works through the datagram that was just received, by the clock as it was `seen` last, and
    /// through some more if this thread is behind.
    fn take_in_all(&mut self, shared: &Arc<P>, seen: Option<Time>, from: Locator) {
        let now = seen.unwrap_or_else(|| self.clock.now());
        let length = self.take_in(shared, now, from);
        if self.behind {
            self.catch_up(shared, now, length);
        }
        self.gather_parts(shared);
        self.gather_discovery(shared);
    }

    /// An application thread begins to wait, so something is expected.
    pub(crate) fn expect(&mut self) {
        self.timeout.stir(self.clock.now());
    }

    /// Lets go of all whom datagrams went to.
    pub(crate) fn forget(&mut self) {
        self.routes = Arc::default();
        self.stream = None;
        self.arrivals = None;
    }

    /// Takes an emptied container back, so that the next datagram need not make one; leaves it
    /// there if it has one.
    pub(crate) fn reuse(&mut self, arrivals: &mut Option<Box<Arrivals<P>>>) {
        if self.arrivals.is_none() {
            self.arrivals = arrivals.take();
        }
    }

    /// Works through the datagram that was just received; says how long it was.
    fn take_in(&mut self, shared: &Arc<P>, now: Time, from: Locator) -> usize {
        self.timeout.stir(now);
        let mut buffer = std::mem::take(self.buffers.reserved(LARGEST));
        let length = buffer.len();
        let whole = (length > COPY_LIMIT).then(|| buffer.split().freeze());
        let datagram = whole.as_deref().unwrap_or(&buffer);
        self.work(shared, now, datagram, whole.as_ref(), from);
        buffer.clear();
        *self.buffers.reserved(LARGEST) = buffer;
        if whole.is_some() {
            self.buffers.trim();
        }
        length
    }
}

/// Who sent the submessages at hand, as the interpreter of a message tracks it (RTPS 2.5 8.3.4).
struct Context<'a> {
    now: Time,
    /// The datagram, if it is so large that parts of it are kept where they are.
    whole: Option<&'a Bytes>,
    /// The loan that came with it.
    loan: &'a mut Option<PendingLoan>,
    source: Source,
    for_us: bool,
    timestamp: Option<Timestamp>,
    /// Something was for discovery, which has not answered yet.
    discovers: bool,
}

impl<P: ReceivingParticipant> Worker<P> {
    /// Works through one datagram: caches first, then the answers it provoked.
    fn work(
        &mut self,
        shared: &Arc<P>,
        now: Time,
        datagram: &[u8],
        whole: Option<&Bytes>,
        from: Locator,
    ) {
        let mut loan = None;
        if std::mem::take(&mut self.loaned)
            && let Some(received) = self.receiver.loan()
        {
            loan = Some(PendingLoan::new(received, datagram));
        }
        self.refresh(shared);
        let opened = self.opener.open::<P>(shared, &self.routes, datagram, &from);
        let Some(message) = opened else { return };
        if !self.sample_of_stream(shared, now, (message, whole), &mut loan, from) {
            self.read(shared, now, (message, whole), &mut loan, from);
        }
        self.answer(shared);
    }

    /// Reads a message one submessage after the other.
    fn read(
        &mut self,
        shared: &Arc<P>,
        now: Time,
        (bytes, whole): (&[u8], Option<&Bytes>),
        loan: &mut Option<PendingLoan>,
        from: Locator,
    ) {
        let message = match Message::parse(bytes) {
            Ok(message) => message,
            Err(error) => return shared.counters().malformed(from, &error),
        };
        let mut context = Context {
            now,
            whole,
            loan,
            source: source(&message.header, from),
            for_us: true,
            timestamp: None,
            discovers: false,
        };
        let mut submessages = message.submessages;
        let mut is_first = true;
        loop {
            // Nearly all that comes.
            if context.for_us
                && let Some((timestamp, data)) = submessages.next_user_sample()
            {
                self.settle_before_user(shared);
                context.timestamp = timestamp.or(context.timestamp);
                if submessages.is_empty() {
                    let admitted = self.sample(shared, &mut context, &data);
                    if admitted && is_first && HeaderTemplate::suits(&data) {
                        let writer = Guid::new(context.source.prefix, data.writer);
                        self.note_stream(bytes, from, writer, data.reader);
                    }
                    break;
                }
                submessages = self.samples(shared, &mut context, data, submessages);
                continue;
            }
            is_first = false;
            match submessages.next() {
                None => break,
                Some(Ok(submessage)) => self.interpret(shared, &mut context, &submessage),
                Some(Err(error)) => {
                    shared.counters().malformed(from, &error);
                    break;
                }
            }
        }
        if context.discovers {
            self.unsettled = true;
            if !self.of_discovery {
                self.settle(shared);
            }
        }
    }

    /// Learns who is connected to whom.
    #[inline]
    fn refresh(&mut self, shared: &P) {
        let before = self.generation;
        shared.refresh(&mut self.routes, &mut self.generation);
        if self.generation != before {
            self.stream = None;
            self.admitted = Admissions::default();
        }
    }

    #[inline(never)]
    fn interpret(&mut self, shared: &Arc<P>, context: &mut Context<'_>, message: &Submessage<'_>) {
        match message {
            Submessage::InfoDestination(prefix) => {
                context.source.addressed = *prefix == shared.prefix();
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
                    called: false,
                    ..context.source
                };
                context.timestamp = None;
            }
            _ if !context.for_us => {}
            _ => match message.endpoints() {
                None => {}
                // Our own announcements come back by multicast.
                Some((_, writer))
                    if writer.is_builtin() && context.source.prefix == shared.prefix() =>
                {
                    self.note_own(shared, &context.source);
                }
                Some((_, writer)) if writer.is_builtin() => self.discover(shared, context, message),
                Some((reader, writer)) => {
                    self.settle_before_user(shared);
                    self.route(shared, context, reader, writer, message);
                }
            },
        }
    }

    /// Hands a submessage of a user endpoint to the readers or the writer it concerns.
    fn route(
        &mut self,
        shared: &Arc<P>,
        context: &mut Context<'_>,
        reader: EntityId,
        writer: EntityId,
        message: &Submessage<'_>,
    ) {
        let now = context.now;
        let source = context.source.prefix;
        match message {
            Submessage::AckNack(_) | Submessage::NackFrag(_) => {
                if !self.admits(shared, &context.source) {
                    return;
                }
                let Self {
                    routes, arrivals, ..
                } = self;
                let answers = self.answers.get_or_insert_with(|| shared.datagrams());
                let Some(core) = routes.writers.get(&writer) else {
                    return;
                };
                if core.handle_answer(now, Guid::new(source, reader), message, answers) {
                    Arrivals::of(arrivals).add_acknowledged(core);
                }
                core.send(answers, |guid| routes.destination(guid));
            }
            _ => {
                let from = Guid::new(source, writer);
                let timestamp = context.timestamp;
                let lives = shows_life(message);
                let is_fragment = matches!(message, Submessage::DataFrag(_));
                let mut part = false;
                self.tell_readers(
                    shared,
                    context,
                    from,
                    reader,
                    lives,
                    |core, allocator, out| {
                        let has_news = core.handle(now, from, timestamp, message, allocator, out);
                        part |= is_fragment && core.has_parts_alone();
                        has_news
                    },
                );
                self.part |= part;
            }
        }
    }

    /// Hands a sample to the readers that it concerns; false if it came from where its participant
    /// is not.
    #[inline]
    fn sample(&mut self, shared: &Arc<P>, context: &mut Context<'_>, data: &Data<'_>) -> bool {
        let (now, timestamp) = (context.now, context.timestamp);
        let from = Guid::new(context.source.prefix, data.writer);
        let to = data.reader;
        self.tell_readers(shared, context, from, to, true, |core, allocator, out| {
            core.handle_sample(now, from, timestamp, data, allocator, out)
        })
    }

    /// As `sample`, with those that follow and concern the same readers; what comes after them.
    #[inline(never)]
    fn samples<'a>(
        &mut self,
        shared: &Arc<P>,
        context: &mut Context<'_>,
        first: Data<'a>,
        rest: Submessages<'a>,
    ) -> Submessages<'a> {
        let now = context.now;
        let from = Guid::new(context.source.prefix, first.writer);
        let to = first.reader;
        let run = Run::new(context.timestamp, first, rest);
        let mut done = None;
        self.tell_readers(shared, context, from, to, true, |core, allocator, out| {
            let mut run = run.clone();
            let available = core.handle_run(now, from, &mut run, allocator, out);
            done = Some(run);
            available
        });
        let rest;
        (rest, context.timestamp) = done.unwrap_or_else(|| run.skipped()).end();
        rest
    }

    /// Has each reader that is meant take something in; `handle` says whether it has something new
    /// then. The writer `lives` if that shows it. False, and nobody hears of it, if it came from
    /// where its participant is not.
    #[inline]
    fn tell_readers(
        &mut self,
        shared: &Arc<P>,
        context: &mut Context<'_>,
        from: Guid,
        reader: EntityId,
        lives: bool,
        mut handle: impl FnMut(
            &Arc<P::Reader>,
            &mut ReceivedPayloads<'_, P::Reader>,
            &mut Datagrams,
        ) -> bool,
    ) -> bool {
        if !self.admits(shared, &context.source) {
            return false;
        }
        let Self {
            routes,
            kept,
            arrivals,
            ..
        } = self;
        let answers = self.answers.get_or_insert_with(|| shared.datagrams());
        if lives
            && routes.watches_life
            && let Some(sign) = routes.sign(&from)
            && sign.note(context.now)
        {
            Arrivals::of(arrivals).alive.push(Arc::clone(sign));
        }
        let mut readers = routes.readers_of(&from, reader).peekable();
        while let Some(core) = readers.next() {
            let mut allocator = ReceivedPayloads {
                pool: kept,
                whole: context.whole,
                loan: context.loan.as_mut(),
                reader: &**core,
                last: readers.peek().is_none(),
            };
            tell(core, arrivals, || handle(core, &mut allocator, answers));
        }
        // Readers have it now; it ends when they drop it.
        if context.loan.as_ref().is_some_and(PendingLoan::is_done) {
            *context.loan = None;
        }
        true
    }

    fn answer(&mut self, shared: &Arc<P>) {
        if let Some(answers) = &mut self.answers
            && !answers.is_empty()
        {
            let routes = &self.routes;
            answers.flush(shared.transport(), |to| match to {
                To::Endpoint(guid) => routes.destination(&guid),
                To::Matched | To::Passing(_) | To::Announce => &[],
            });
        }
    }
}

/// Has a reader take something in; `handle` says whether it has something new then.
#[inline]
fn tell<P: ReceivingParticipant>(
    core: &Arc<P::Reader>,
    arrivals: &mut Option<Box<Arrivals<P>>>,
    handle: impl FnOnce() -> bool,
) {
    if handle() {
        Arrivals::of(arrivals).add_ready(core);
    }
    core.schedule();
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
    let (from, called) = match from.parts_of_called() {
        Some((name, seems)) => (seems, name == prefix.0),
        None => (from, false),
    };
    Source {
        prefix,
        vendor,
        version,
        multicast: false,
        from,
        called,
        addressed: false,
    }
}
