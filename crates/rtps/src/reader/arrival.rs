//! A change came in: is it its turn, what does it do, and what may follow it now? (RTPS 2.5
//! 8.4.10.2, 8.4.12.2)
use super::cache::{Cache, Header};
use super::coherent_sets::Inside;
use super::origins::Origins;
use super::writer_proxy::{NumberKind, Ordering, Waiting, WriterIdentity, WriterProxy};
use super::{Delivery, Reader, ReaderConfig};
use crate::{
    ChangeKind, ContentFilter, InstanceHandle, Outbox, Payload, PayloadAllocator, SetPlace, Time,
};
use alloc::boxed::Box;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{
    InlineQos, Payload as SerializedPayload, SequenceNumber, SetMembership, Timestamp,
};

/// A change as it came: in a datagram, or put together from fragments.
pub(super) struct Arrival<'a> {
    pub(super) sequence: i64,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) inline: &'a InlineQos,
    pub(super) content: Content<'a>,
}

impl Arrival<'_> {
    /// Is it a sample that does not pass? The end of an instance always does.
    fn is_unwanted(&self, filter: &ContentFilter, allocator: &mut impl PayloadAllocator) -> bool {
        let status = self.inline.status_info.unwrap_or(0);
        let passes = match &self.content {
            _ if ChangeKind::from_status(status) != ChangeKind::Alive => true,
            Content::Borrowed(SerializedPayload::Data(bytes)) => allocator.passes(filter, bytes),
            Content::Sample(bytes) => filter.passes(bytes),
            _ => true,
        };
        !passes
    }
}

pub(super) enum Content<'a> {
    Borrowed(SerializedPayload<'a>),
    Sample(Bytes),
    Key(Bytes),
}

impl Content<'_> {
    pub(super) fn owned(payload: Bytes, key: bool) -> Self {
        match key {
            true => Self::Key(payload),
            false => Self::Sample(payload),
        }
    }

    fn payload(&self) -> SerializedPayload<'_> {
        match self {
            Self::Borrowed(payload) => *payload,
            Self::Sample(bytes) => SerializedPayload::Data(bytes),
            Self::Key(bytes) => SerializedPayload::Key(bytes),
        }
    }

    fn is_sample(&self) -> bool {
        matches!(self.payload(), SerializedPayload::Data(_))
    }

    fn keep(self, allocator: &mut impl PayloadAllocator) -> Payload {
        match self {
            Self::Borrowed(SerializedPayload::Data(bytes) | SerializedPayload::Key(bytes)) => {
                allocator.keep(bytes)
            }
            Self::Borrowed(SerializedPayload::None) => Payload::new(),
            Self::Sample(bytes) | Self::Key(bytes) => Payload::Inline(bytes),
        }
    }
}

impl Reader {
    #[inline]
    pub(super) fn arrive(
        &mut self,
        now: Time,
        index: usize,
        arrival: Arrival<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut impl Outbox,
    ) -> Delivery {
        if let Some(origin) = &arrival.inline.origin
            && origin.original_writer.is_some()
            && self.cache.duplicates.is_none()
        {
            self.heed_origins(now);
        }
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let (turn, implausible) = proxy.turn_on_arrival(arrival.sequence);
        let refused = Delivery {
            implausible,
            ..Delivery::default()
        };
        let lost = match turn {
            Ordering::Past => return refused,
            Ordering::Now { lost } => {
                proxy.note_leap(arrival.sequence);
                lost
            }
            Ordering::Early => {
                self.come_early(now, index, arrival, allocator, out);
                return self.let_in_due(now, index, refused);
            }
        };
        let sequence = arrival.sequence;
        let mut delivery = Delivery {
            lost,
            implausible,
            ..Delivery::default()
        };
        if sequence < proxy.had {
            return self.arrive_again(now, index, arrival, allocator);
        }
        if proxy.sets.is_some() {
            return self.arrive_in_set(now, index, arrival, delivery, allocator);
        }
        if let Some(filter) = &self.config.content_filter
            && arrival.is_unwanted(filter, allocator)
        {
            self.filtered += 1;
            proxy.settle(sequence);
            return self.followed(now, index, delivery);
        }
        // It is large, so it stays where it was made.
        let header = header(now, &arrival, proxy, &self.config, allocator);
        let Some(header) = &header else {
            proxy.settle(sequence);
            return self.followed(now, index, delivery);
        };
        let mut content = Some(sift(arrival.content, header.kind));
        let mut payload = || content.take().map_or(Payload::new(), |c| c.keep(allocator));
        let accepted = self.cache.accept(header, &mut payload);
        match accepted {
            Ok(available) => delivery.available = available,
            Err(rejection) if proxy.reliable => {
                delivery.rejected = Some(rejection);
                proxy.saw(sequence);
                proxy.blocked = true;
                self.blocked = true;
                // Fragments cost too much to come again: what they made waits for room.
                if let Some(Content::Sample(bytes)) = content {
                    let most = self.config.max_reassembly_bytes;
                    let change = waiting(header, Payload::Inline(bytes));
                    proxy.hold(now, sequence, change, usize::MAX, most);
                }
                return delivery;
            }
            Err(rejection) => delivery.rejected = Some(rejection),
        }
        proxy.settle(sequence);
        if proxy.has_backlog() {
            return self.followed(now, index, delivery);
        }
        self.note_due();
        delivery
    }

    /// Somebody forwards samples of others. If they are to come once, they are known from now on,
    /// and all that their writers brought themselves before.
    #[cold]
    fn heed_origins(&mut self, now: Time) {
        let Some(bounds) = self.config.duplicates else {
            return;
        };
        let mut origins = Origins::new(bounds);
        for proxy in self.writers.iter() {
            if let Some(had) = proxy.leaves() {
                origins.note_all(now, proxy.author.guid, 1, had.below);
            }
        }
        self.cache.duplicates = Some(Box::new(origins));
    }

    /// A change that was settled in an earlier match, at its turn: it shows what its writer writes.
    #[cold]
    fn arrive_again(
        &mut self,
        now: Time,
        index: usize,
        arrival: Arrival<'_>,
        allocator: &mut impl PayloadAllocator,
    ) -> Delivery {
        let (mut delivery, sequence) = (Delivery::default(), arrival.sequence);
        let Some(proxy) = self.writers.get_mut(index) else {
            return delivery;
        };
        let filter = self.config.content_filter.as_ref();
        let unwanted = filter.is_some_and(|filter| arrival.is_unwanted(filter, allocator));
        if !unwanted && let Some(header) = header(now, &arrival, proxy, &self.config, allocator) {
            let payload = || sift(arrival.content, header.kind).keep(allocator);
            delivery.available = self.cache.recognize(&header, payload);
        }
        proxy.settle(sequence);
        self.followed(now, index, delivery)
    }

    /// A change of a writer whose sets are to be whole, at its turn.
    #[cold]
    fn arrive_in_set(
        &mut self,
        now: Time,
        index: usize,
        arrival: Arrival<'_>,
        mut delivery: Delivery,
        allocator: &mut impl PayloadAllocator,
    ) -> Delivery {
        let Some(proxy) = self.writers.get_mut(index) else {
            return delivery;
        };
        let sequence = arrival.sequence;
        proxy.saw(sequence);
        proxy.pass_over(sequence);
        let change = in_set(now, arrival, proxy, &self.config, allocator);
        self.filtered += u64::from(change.sort == NumberKind::Unwanted);
        if admit(
            &mut self.cache,
            proxy,
            now,
            sequence,
            &change,
            &mut delivery,
        ) {
            return self.followed(now, index, delivery);
        }
        self.blocked = true;
        let most = self.config.max_reassembly_bytes;
        proxy.hold(now, sequence, change, usize::MAX, most);
        delivery
    }

    /// A change of a reliable writer before its turn: it waits, and what is missing is asked for.
    fn come_early(
        &mut self,
        now: Time,
        index: usize,
        arrival: Arrival<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut impl Outbox,
    ) {
        let most = self.most_waiting(index);
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        let sequence = arrival.sequence;
        let ahead = sequence.saturating_sub(proxy.next);
        let must_wait = proxy.must_wait();
        if must_wait || ahead <= i64::from(self.config.max_pending) {
            proxy.saw(sequence);
            let bytes = self.config.max_reassembly_bytes;
            let filter = self.config.content_filter.as_ref();
            let unwanted = filter.is_some_and(|filter| arrival.is_unwanted(filter, allocator));
            let header = match unwanted {
                true => None,
                false => header(now, &arrival, proxy, &self.config, allocator),
            };
            match header {
                _ if proxy.waiting.len() >= most => {}
                _ if proxy.sets.is_some() => {
                    let change = in_set(now, arrival, proxy, &self.config, allocator);
                    self.filtered += u64::from(change.sort == NumberKind::Unwanted);
                    proxy.hold(now, sequence, change, most, bytes);
                }
                Some(header) => {
                    let payload = sift(arrival.content, header.kind).keep(allocator);
                    proxy.hold(now, sequence, waiting(&header, payload), most, bytes);
                }
                None => {
                    self.filtered += u64::from(unwanted);
                    proxy.gaps.add(sequence, sequence + 1);
                }
            }
        } else {
            proxy.glimpse(sequence);
        }
        // Where to begin is asked for by the timer, and when a heartbeat shows that the writer
        // speaks.
        if !must_wait {
            self.ask_if_lacking(now, index, out);
        }
    }

    /// How many changes may wait: fewer if the application's own limit already holds changes back.
    fn most_waiting(&self, index: usize) -> usize {
        let blocked = self.writers.get(index).is_some_and(|w| w.blocked);
        let most = match self.config.resource_limits.max_samples {
            Some(limit) if blocked => self.config.max_pending.min(limit),
            _ => self.config.max_pending,
        };
        most as usize
    }

    /// Lets in what waited, where an early change showed that its turn has come.
    pub(super) fn let_in_due(&mut self, now: Time, index: usize, delivery: Delivery) -> Delivery {
        match self.writers.get(index).is_some_and(WriterProxy::has_due) {
            true => self.followed(now, index, delivery),
            false => delivery,
        }
    }

    /// Lets in what waited for its turn.
    pub(super) fn advance(&mut self, now: Time, index: usize) -> Delivery {
        self.followed(now, index, Delivery::default())
    }

    fn followed(&mut self, now: Time, index: usize, mut delivery: Delivery) -> Delivery {
        let Some(proxy) = self.writers.get_mut(index) else {
            return delivery;
        };
        if let Some(sets) = &mut proxy.sets {
            let mut inside = Inside {
                cache: &mut self.cache,
                now,
                author: proxy.author,
                reliable: proxy.reliable,
            };
            if !sets.drain(&mut inside, &mut delivery) {
                proxy.blocked = true;
                self.blocked = true;
                return delivery;
            }
        }
        while let Some((sequence, change)) = proxy.take_next() {
            if !admit(
                &mut self.cache,
                proxy,
                now,
                sequence,
                &change,
                &mut delivery,
            ) {
                proxy.hold(now, sequence, change, usize::MAX, usize::MAX);
                self.blocked = true;
                break;
            }
        }
        self.note_due();
        delivery
    }
}

/// Lets in a change whose turn it is, or puts it to its set; false if there is no room for it now.
fn admit(
    cache: &mut Cache,
    proxy: &mut WriterProxy,
    now: Time,
    sequence: i64,
    change: &Waiting,
    delivery: &mut Delivery,
) -> bool {
    let author = proxy.author;
    if sequence < proxy.had {
        if change.sort == NumberKind::Change {
            let header = header_of(now, author, sequence, change);
            delivery.available |= cache.recognize(&header, || change.payload.clone());
        }
        proxy.settle(sequence);
        return true;
    }
    let accepted = match &mut proxy.sets {
        None => let_in(cache, now, author, sequence, change, change.expires),
        Some(sets) => {
            let mut inside = Inside {
                cache,
                now,
                author,
                reliable: proxy.reliable,
            };
            sets.pass(&mut inside, sequence, change).map(|passed| {
                delivery.lost = delivery.lost.saturating_add(passed.lost);
                delivery.rejected = delivery.rejected.or(passed.rejected);
                delivery.gathers |= passed.gathers;
                passed.available
            })
        }
    };
    match accepted {
        Ok(available) => {
            delivery.available |= available;
            proxy.settle(sequence);
        }
        Err(rejection) => {
            delivery.rejected = Some(rejection);
            proxy.blocked = true;
        }
    }
    accepted.is_ok()
}

pub(super) fn let_in(
    cache: &mut Cache,
    now: Time,
    author: WriterIdentity,
    sequence: i64,
    change: &Waiting,
    expires: Time,
) -> Result<bool, super::Rejection> {
    let header = Header {
        expires,
        ..header_of(now, author, sequence, change)
    };
    cache.accept(&header, || change.payload.clone())
}

fn header_of(now: Time, author: WriterIdentity, sequence: i64, change: &Waiting) -> Header<'_> {
    Header {
        author,
        sequence,
        timestamp: change.timestamp,
        arrived: now,
        expires: change.expires,
        kind: change.kind,
        instance: change.instance,
        name: change.name,
        foreign_key_hash: change.foreign_key_hash,
        origin: change.origin.as_deref(),
        set: match change.set.first.0 {
            first if first == sequence => SetPlace::First,
            first if first >= 1 && first < sequence => SetPlace::Following,
            _ => SetPlace::Outside,
        },
    }
}

fn waiting(header: &Header<'_>, payload: Payload) -> Waiting {
    Waiting {
        sort: NumberKind::Change,
        set: SetMembership::NONE,
        kind: header.kind,
        instance: header.instance,
        name: header.name,
        foreign_key_hash: header.foreign_key_hash,
        origin: header.origin.copied().map(Box::new),
        timestamp: header.timestamp,
        expires: header.expires,
        payload,
    }
}

/// What comes from a writer whose sets are to be whole, whatever it is.
fn in_set(
    now: Time,
    arrival: Arrival<'_>,
    proxy: &WriterProxy,
    config: &ReaderConfig,
    allocator: &mut impl PayloadAllocator,
) -> Waiting {
    let set = arrival.inline.set;
    let is_mark = set.first == SequenceNumber::UNKNOWN;
    let filter = config.content_filter.as_ref();
    let unwanted = filter.is_some_and(|filter| arrival.is_unwanted(filter, allocator));
    match header(now, &arrival, proxy, config, allocator) {
        Some(header) if !unwanted => Waiting {
            set,
            ..waiting(&header, sift(arrival.content, header.kind).keep(allocator))
        },
        _ => Waiting {
            sort: match is_mark {
                _ if unwanted => NumberKind::Unwanted,
                true => NumberKind::Mark,
                false => NumberKind::Void,
            },
            set,
            kind: ChangeKind::Alive,
            instance: InstanceHandle::NIL,
            name: None,
            foreign_key_hash: false,
            origin: None,
            timestamp: arrival.timestamp,
            expires: Time::NEVER,
            payload: Payload::new(),
        },
    }
}

/// What the change does to which instance; `None` if that cannot be told.
#[inline]
fn header<'a>(
    now: Time,
    arrival: &Arrival<'a>,
    proxy: &WriterProxy,
    config: &ReaderConfig,
    allocator: &mut impl PayloadAllocator,
) -> Option<Header<'a>> {
    let author = proxy.author;
    let origin = arrival.inline.origin.as_ref();
    let kind = ChangeKind::from_status(arrival.inline.status_info.unwrap_or(0));
    if kind == ChangeKind::Alive && !arrival.content.is_sample() {
        return None;
    }
    let is_ours = || {
        let forwards_others = || origin.is_some_and(|origin| origin.foreign_key_hash);
        proxy.is_ours() && !forwards_others()
    };
    let (instance, name, foreign_key_hash) = match arrival.inline.key_hash.map(InstanceHandle) {
        _ if !config.keyed && !config.stream => (InstanceHandle::NIL, None, false),
        hash if config.stream => (InstanceHandle::NIL, hash, hash.is_some() && !is_ours()),
        Some(hash) if is_ours() => (hash, None, false),
        // Vendors do not agree how a key is hashed, so their hash counts only where there is no
        // key.
        hash => {
            let ours = match arrival.content.payload() {
                SerializedPayload::None => None,
                payload => allocator.instance(payload),
            };
            let name = hash.filter(|_| ours != hash);
            (ours.or(hash)?, name, hash.is_some())
        }
    };
    Some(Header {
        author,
        sequence: arrival.sequence,
        timestamp: arrival.timestamp,
        arrived: now,
        expires: match proxy.lifespan.is_infinite() || kind != ChangeKind::Alive {
            true => Time::NEVER,
            false => expiry(now, proxy.lifespan, arrival.timestamp, allocator),
        },
        kind,
        instance,
        name,
        foreign_key_hash,
        origin,
        // Of a reader that keeps sets together only, by `header_of`.
        set: SetPlace::Outside,
    })
}

/// When a sample ends that lives for `lifespan` from when it was written (DDS 1.4 2.2.3.16), or
/// came, if the former cannot be told.
fn expiry(
    now: Time,
    lifespan: Duration,
    written: Option<Timestamp>,
    allocator: &mut impl PayloadAllocator,
) -> Time {
    let age = written.and_then(|written| allocator.age(written));
    let left = lifespan.as_nanos() - age.unwrap_or_default().as_nanos();
    now.after(Duration::from_nanos(left))
}

/// Of a disposal only the key is of use.
fn sift(content: Content<'_>, kind: ChangeKind) -> Content<'_> {
    if kind != ChangeKind::Alive && content.is_sample() {
        return Content::Borrowed(SerializedPayload::None);
    }
    content
}
