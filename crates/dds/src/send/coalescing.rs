//! Whether a sample of a writer without batching leaves at once, or may wait a moment for others
//! (`docs/decisions/pace.md`).
//!
//! A datagram costs a sender microseconds, a sample in it a fraction of one. Whoever writes faster
//! than datagrams can go is better served by full ones; whoever does not must not notice. So
//! samples are held back only while writes follow each other with next to nothing between them, and
//! only for microseconds.
use dunlin_qos::Duration;

/// A sample is held back for so long, nanoseconds, unless LATENCY_BUDGET allows for more.
const HOLD: i64 = 20_000;
/// Whatever LATENCY_BUDGET allows for.
const LONGEST_HOLD: i64 = 1_000_000;
/// So many writes in a row, each close behind the one before, show that the writer is ahead of the
/// network.
const STREAK: u16 = 16;
/// However cheap a send is, writes with less between them are close, nanoseconds.
const NEAR: i64 = 500;
/// But where sends are as cheap as that, only so many in a row show that it is worth it: no burst,
/// but some 100 us of writing.
const LONG_STREAK: u16 = 256;
/// A longer streak outlives a pause, for instance when the thread was preempted: one that is four
/// times as long.
const PAUSE_COSTS: u16 = 4;
/// But not such a one.
const END: i64 = 1_000_000;
/// How often another thread looks whether a busy writer has stopped, nanoseconds.
pub(crate) const LOOK: i64 = 2 * HOLD;
/// A longer time between two writes is a pause, however long a send took: the kernel may have made
/// it wait.
const PAUSE: i64 = HOLD;

/// The pace of one writer. All times are nanoseconds of one clock; should it be set, that counts as
/// a pause.
pub(crate) struct Coalescer {
    hold: i64,
    streak: u16,
    /// When the last write was done, or the last send over.
    done: i64,
    /// Half of what the last send took: the longest time between two writes that are close.
    close: i64,
    /// Arrivals at the participant that were known at the last write.
    arrivals: u64,
    held: Option<Held>,
    /// Something was held since the last look.
    busy: bool,
}

/// Samples that wait.
struct Held {
    since: i64,
    /// Who wrote the last of them.
    by: usize,
}

/// What a look from another thread finds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Something has waited long enough.
    Send,
    /// Look again after so many nanoseconds.
    Later(i64),
    /// Nothing was held since the last look.
    Quiet,
}

impl Coalescer {
    pub(crate) fn new(latency_budget: Duration) -> Self {
        Self {
            hold: latency_budget.as_nanos().clamp(HOLD, LONGEST_HOLD),
            streak: 0,
            done: 0,
            close: 0,
            arrivals: 0,
            held: None,
            busy: false,
        }
    }

    /// From now on samples may wait for so long.
    pub(crate) fn set_budget(&mut self, latency_budget: Duration) {
        self.hold = latency_budget.as_nanos().clamp(HOLD, LONGEST_HOLD);
    }

    /// A sample was written at `now`; true if it may wait. What comes in between writes may be what
    /// the next one answers, so after each of the `arrivals` one leaves at once.
    pub(crate) fn may_wait(&mut self, now: i64, arrivals: u64) -> bool {
        let between = now.saturating_sub(self.done);
        let (most, enough) = match self.close < NEAR {
            true => (NEAR, LONG_STREAK),
            false => (self.close, STREAK),
        };
        let close = (0..=most).contains(&between) && arrivals == self.arrivals;
        self.arrivals = arrivals;
        self.done = now;
        if !close {
            let over = !(0..END).contains(&between);
            self.streak = if over { 0 } else { self.streak / PAUSE_COSTS };
            return false;
        }
        self.streak = self.streak.saturating_add(1).min(PAUSE_COSTS * enough);
        let since = self.held.as_ref().map_or(now, |held| held.since);
        self.streak >= enough && now.saturating_sub(since) < self.hold
    }

    /// The sample waits.
    pub(crate) fn hold(&mut self, now: i64, by: usize) {
        let since = self.held.as_ref().map_or(now, |held| held.since);
        self.held = Some(Held { since, by });
        self.busy = true;
    }

    /// The write had to wait for room, which is no pause: the writer is ahead indeed.
    pub(crate) fn resume(&mut self, now: i64) {
        self.done = now;
    }

    /// Whatever waited is on its way.
    pub(crate) fn sent(&mut self) {
        self.held = None;
    }

    /// How long a send took that a write did.
    pub(crate) fn measure(&mut self, begun: i64, ended: i64) {
        self.close = (ended.saturating_sub(begun) / 2).clamp(0, PAUSE);
        self.done = ended;
    }

    /// Are there samples that wait, and did this thread write the last of them?
    pub(crate) fn holds_for(&self, thread: usize) -> bool {
        self.held.as_ref().is_some_and(|held| held.by == thread)
    }

    /// True if samples wait.
    pub(crate) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// When to look for the first time, nanoseconds from now.
    pub(crate) fn first_look(&self) -> i64 {
        self.hold
    }

    /// Looks whether the writer has stopped and left something behind.
    pub(crate) fn look(&mut self, now: i64) -> Look {
        let busy = std::mem::replace(&mut self.busy, false);
        match &self.held {
            Some(held) => match self.hold.saturating_sub(now.saturating_sub(held.since)) {
                left if (1..=self.hold).contains(&left) => Look::Later(left.max(LOOK)),
                _ => Look::Send,
            },
            None if busy => Look::Later(LOOK),
            None => Look::Quiet,
        }
    }
}

/// A number that no other thread has while this one lives.
pub(crate) fn this_thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|destination| std::ptr::from_ref(destination).addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that sends what it may not hold.
    struct Writer {
        coalescer: Coalescer,
        now: i64,
        arrivals: u64,
        /// How long a send takes.
        send: i64,
    }

    impl Writer {
        fn new() -> Self {
            Self {
                coalescer: Coalescer::new(Duration::ZERO),
                now: 1_000_000,
                arrivals: 0,
                send: 2_000,
            }
        }

        /// Writes `between` nanoseconds after the last write; true if the sample left.
        fn write(&mut self, between: i64) -> bool {
            self.now += between;
            if self.coalescer.may_wait(self.now, self.arrivals) {
                self.coalescer.hold(self.now, 1);
                return false;
            }
            self.coalescer.sent();
            self.coalescer.measure(self.now, self.now + self.send);
            self.now += self.send;
            true
        }

        fn sends(&mut self, writes: usize, between: i64) -> usize {
            (0..writes).filter(|_| self.write(between)).count()
        }
    }

    #[test]
    fn samples_wait_only_after_many_close_writes_and_not_for_long() {
        let mut writer = Writer::new();
        assert_eq!(writer.sends(16, 100), 16);
        // From then on one datagram takes what is written within the hold time.
        assert_eq!(writer.sends(2_020, 100), 10);
        assert!(writer.coalescer.holds());
    }

    #[test]
    fn where_sends_are_cheap_no_burst_waits_but_a_stream_does() {
        let mut writer = Writer::new();
        writer.send = 200;
        assert_eq!(writer.sends(256, 300), 256);
        assert_eq!(writer.sends(210, 300), 3);
        // After a long pause it is a burst again.
        assert!(writer.write(2_000_000));
        assert_eq!(writer.sends(200, 300), 200);
        assert_eq!(writer.sends(1_000, 600), 1_000);
    }

    #[test]
    fn after_a_pause_a_sample_leaves_at_once_with_what_waits() {
        let mut writer = Writer::new();
        writer.sends(200, 100);
        assert!(writer.coalescer.holds());
        assert!(writer.write(1_500) && !writer.coalescer.holds());
        // One short pause does not end a long streak, a second one or a long one does.
        assert!(!writer.write(100));
        for pauses in [[1_500, 1_500], [2_000_000, 100]] {
            assert!(writer.sends(200, 100) < 3);
            assert!(pauses.into_iter().all(|pause| writer.write(pause)));
            assert!(writer.sends(200, 100) > 10);
        }
    }

    #[test]
    fn whoever_pauses_between_writes_never_waits() {
        let mut writer = Writer::new();
        assert_eq!(writer.sends(1_000, 1_100), 1_000);
    }

    #[test]
    fn an_answer_never_waits() {
        let mut writer = Writer::new();
        writer.sends(200, 100);
        for _ in 0..100 {
            writer.arrivals += 1;
            assert!(writer.write(100));
        }
    }

    #[test]
    fn a_clock_that_is_set_counts_as_a_pause() {
        let mut writer = Writer::new();
        writer.sends(200, 100);
        assert!(writer.write(-3_600_000_000_000));
        writer.sends(200, 100);
        assert!(writer.coalescer.holds());
        assert_eq!(
            writer.coalescer.look(writer.now - 3_600_000_000_000),
            Look::Send
        );
    }

    #[test]
    fn a_look_finds_what_a_silent_writer_left() {
        let mut writer = Writer::new();
        writer.sends(100, 100);
        let Look::Later(left) = writer.coalescer.look(writer.now) else {
            panic!("sent too early");
        };
        assert!(left <= LOOK);
        assert_eq!(writer.coalescer.look(writer.now + left), Look::Send);
        writer.coalescer.sent();
        assert_eq!(writer.coalescer.look(writer.now + left), Look::Quiet);
    }

    #[test]
    fn latency_budget_lets_samples_wait_longer() {
        let budget = |nanos| Coalescer::new(Duration::from_nanos(nanos)).first_look();
        assert_eq!([budget(0), budget(50_000)], [HOLD, 50_000]);
        assert_eq!(
            Coalescer::new(Duration::INFINITE).first_look(),
            LONGEST_HOLD
        );
    }
}
