//! Submessages that a reader gets.
use super::arrival::{Arrival, Content};
use super::config::Delivery;
use super::reassembly::Progress;
use super::writer_proxy::{Belief, Ordering};
use super::{MOST_YIELDING, Reader};
use crate::{Outbox, PayloadAllocator, Time};
use dunlin_wire::{Data, DataFrag, Gap, Guid, Heartbeat, HeartbeatFrag, InlineQos, Timestamp};

impl Reader {
    /// A whole change (RTPS 2.5 8.4.10.2). `inline` is `data.inline_qos`, read. One that is too
    /// large for this reader is lost, so that it does not hold back those behind it.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a datagram says and two sinks"
    )]
    #[inline]
    pub fn handle_data(
        &mut self,
        now: Time,
        writer: Guid,
        timestamp: Option<Timestamp>,
        data: &Data<'_>,
        inline: &InlineQos,
        allocator: &mut impl PayloadAllocator,
        out: &mut impl Outbox,
    ) -> Delivery {
        let Some(index) = self.find(writer) else {
            return Delivery::default();
        };
        let length = allocator.length(data.payload.bytes());
        if length > self.config.max_sample_size as usize {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            return self.refuse(now, index, data.sequence.0, length);
        }
        if let Some(proxy) = self.writers.get_mut(index) {
            proxy.questions.came_whole(now, data.sequence.0);
        }
        let arrival = Arrival {
            sequence: data.sequence.0,
            timestamp,
            inline,
            content: Content::Borrowed(data.payload),
        };
        self.arrive(now, index, arrival, allocator, out)
    }

    /// A part of a change (RTPS 2.5 8.3.8.3). Parts that contradict each other are ignored; a
    /// change that is too large for this reader is lost, so that it does not hold back those behind
    /// it.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a datagram says and two sinks"
    )]
    #[inline(never)]
    pub fn handle_data_frag(
        &mut self,
        now: Time,
        writer: Guid,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        allocator: &mut impl PayloadAllocator,
        out: &mut impl Outbox,
    ) -> Delivery {
        let Some(index) = self.find(writer) else {
            return Delivery::default();
        };
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let (turn, implausible) = proxy.turn_on_arrival(frag.sequence.0);
        let is_early = matches!(turn, Ordering::Early);
        let mut delivery =
            self.add_fragment(now, index, turn, timestamp, frag, inline, allocator, out);
        delivery.implausible |= implausible;
        match is_early {
            true => self.let_in_due(now, index, delivery),
            false => delivery,
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "what a datagram says and two sinks"
    )]
    pub(super) fn add_fragment(
        &mut self,
        now: Time,
        index: usize,
        turn: Ordering,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        allocator: &mut impl PayloadAllocator,
        out: &mut impl Outbox,
    ) -> Delivery {
        let sequence = frag.sequence.0;
        let window = i64::from(self.config.max_pending);
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let early = match turn {
            Ordering::Past => {
                let bytes = frag.payload.len();
                proxy.questions.came(now, sequence, bytes, false);
                return Delivery::default();
            }
            Ordering::Now { .. } => false,
            Ordering::Early
                if !proxy.must_wait() && sequence.saturating_sub(proxy.next) > window =>
            {
                proxy.glimpse(sequence);
                return Delivery::default();
            }
            Ordering::Early => true,
        };
        let (reliable, must_wait) = (proxy.reliable, proxy.must_wait());
        if !self.config.can_assemble(frag) {
            return self.refuse(now, index, sequence, frag.sample_size);
        }
        let mut progress = self.assemble(now, index, timestamp, frag, inline, allocator);
        for _ in 0..MOST_YIELDING {
            if !matches!(progress, Progress::Short) || !self.make_way(now, index, sequence) {
                break;
            }
            progress = self.assemble(now, index, timestamp, frag, inline, allocator);
        }
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let bytes = frag.payload.len();
        match progress {
            // As if it had not come: what is asked for next will be less.
            Progress::Short => proxy.share.note_dropped(),
            Progress::Ignored => proxy.questions.came(now, sequence, bytes, false),
            _ => proxy.questions.came(now, sequence, bytes, true),
        }
        match progress {
            Progress::Ignored | Progress::Short => Delivery::default(),
            Progress::Whole(whole) => {
                proxy.questions.assembled(whole.payload.len());
                let arrival = Arrival {
                    sequence,
                    timestamp: whole.timestamp,
                    inline: &whole.inline,
                    content: Content::owned(whole.payload, whole.key),
                };
                self.arrive(now, index, arrival, allocator, out)
            }
            Progress::Piece { last } => {
                if reliable {
                    proxy.saw(sequence);
                    if (last || early) && !must_wait {
                        self.ask(now, index, out);
                    }
                }
                if self.tidies.is_none() {
                    let then = now.after(super::reassembly::LOOK);
                    self.tidies = Some(then);
                    self.wake_at(then);
                }
                let arriving = self.config.arriving.is_some() && self.grows(index, sequence);
                Delivery {
                    arriving,
                    ..Delivery::default()
                }
            }
        }
    }

    /// What a writer has (RTPS 2.5 8.4.12.2). Repeated and impossible ones are ignored.
    #[inline(never)]
    pub fn handle_heartbeat(
        &mut self,
        now: Time,
        writer: Guid,
        heartbeat: &Heartbeat,
        out: &mut impl Outbox,
    ) -> Delivery {
        let (first, last) = (heartbeat.first.0, heartbeat.last.0);
        let possible = first >= 1 && last >= first - 1 && last < i64::MAX;
        let Some(index) = self.find(writer).filter(|_| possible) else {
            return Delivery::default();
        };
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let addressed = heartbeat.reader == self.config.guid.entity;
        if proxy.must_wait() && !addressed {
            self.ask(now, index, out);
            return Delivery::default();
        }
        if !proxy.reliable {
            return Delivery::default();
        }
        let belief = match proxy.believes(now, last, heartbeat.count) {
            Belief::Plausible => proxy.hears(now, last.saturating_add(1), heartbeat.count),
            doubt => doubt,
        };
        match belief {
            Belief::Plausible => {}
            Belief::Repeated => return Delivery::default(),
            Belief::Ask => return self.doubt(now, index, true, out),
            Belief::Wait => return self.doubt(now, index, false, out),
        }
        proxy.check_identity(last);
        let mut implausible = proxy.fall_back(last.saturating_add(1));
        implausible |= !proxy.begin_after_gap(last);
        if addressed {
            proxy.begin(first, last);
            proxy.questions.closed();
        }
        let lost = proxy.starts_at(first);
        implausible |= proxy.announce(last);
        proxy.questions.heard();
        let mut delivery = self.advance(now, index);
        delivery.arriving = self.leaves_off();
        delivery.implausible = implausible;
        delivery.lost = delivery.lost.saturating_add(lost);
        if self.config.grouped
            && let Some(sets) = self.writers.get_mut(index).and_then(|w| w.sets.as_mut())
        {
            sets.hear(last, heartbeat.group.map(|group| group.current.0));
            delivery.gathers = self.config.grouped;
        }
        if !self.put_answer_off(now, index) {
            self.answer(now, index, heartbeat.is_final, out);
        }
        delivery
    }

    /// Which fragments of a change a writer has (RTPS 2.5 8.3.8.7).
    #[inline(never)]
    pub fn handle_heartbeat_frag(
        &mut self,
        now: Time,
        writer: Guid,
        heartbeat: &HeartbeatFrag,
        out: &mut impl Outbox,
    ) -> Delivery {
        let Some(index) = self.find(writer) else {
            return Delivery::default();
        };
        if let Some(proxy) = self.writers.get_mut(index)
            && proxy.reliable
            && proxy.heartbeat_frags.accept(heartbeat.count, now)
        {
            self.ask_fragments(now, index, heartbeat, out);
        }
        Delivery::default()
    }

    /// What a writer will never send (RTPS 2.5 8.3.8.4), or what a best-effort reader's filter
    /// would drop. The range is not gone through, whatever its length. Numbers beyond what the
    /// writer has announced are not passed over before it has.
    #[inline(never)]
    pub fn handle_gap(
        &mut self,
        now: Time,
        writer: Guid,
        gap: &Gap,
        out: &mut impl Outbox,
    ) -> Delivery {
        let (start, end) = (gap.start.0, gap.list.base().0);
        let possible = start >= 1 && end >= start;
        let Some(index) = self.find(writer).filter(|_| possible) else {
            return Delivery::default();
        };
        let addressed = gap.reader == self.config.guid.entity;
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        if !proxy.reliable {
            // Of a set nothing may be missing: what is not for this reader is sent to it all the
            // same.
            if addressed && proxy.sets.is_none() {
                proxy.hear_gap(gap, addressed);
            }
            return Delivery::default();
        }
        // The heartbeat behind it tells what of it is lost.
        if proxy.is_resuming() {
            return Delivery::default();
        }
        proxy.hear_gap(gap, addressed);
        let owes_answer = proxy.owes_answer;
        let mut delivery = self.advance(now, index);
        delivery.arriving = self.leaves_off();
        match owes_answer {
            true => self.answer(now, index, false, out),
            false => self.ask_if_lacking(now, index, out),
        }
        delivery
    }
}
