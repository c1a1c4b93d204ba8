//! When the slowest readers of an output are given up that takes nothing more.
use crate::table::Time;
use dunlin::Guid;
use dunlin::untyped::UntypedWriter;

/// Readers of one output that are given up at once.
const MOST_GIVEN_UP: u64 = 256;

/// The thread of the service looks so often by itself.
const LOOK: Time = super::LOOK;
/// One that is given up sooner than that is looked for so many times until then ...
const LOOKS: u32 = 4;
/// ... but no more often than this.
const SHORTEST: Time = Time::from_millis(10);

/// An output as the thread of the service sees it.
#[derive(Debug, Default)]
pub(super) struct Stall {
    /// When readers were given up last since it stands still.
    relieved: Option<Time>,
}

impl Stall {
    /// It has stood still for this time, or does not. True if readers are to be given up now; and
    /// when to look again.
    pub(super) fn look(
        &mut self,
        now: Time,
        still: Option<Time>,
        patience: Time,
    ) -> (bool, Option<Time>) {
        let Some(still) = still else {
            self.relieved = None;
            // Nobody tells when it begins to stand still.
            let soon = (patience / LOOKS).max(SHORTEST);
            return (false, (patience < LOOK).then_some(now + soon));
        };
        let since = now.saturating_sub(still);
        let since = self.relieved.map_or(since, |relieved| relieved.max(since));
        let is_over = now.saturating_sub(since) >= patience;
        if is_over {
            self.relieved = Some(now);
        }
        let begin = if is_over { now } else { since };
        (is_over, begin.checked_add(patience))
    }
}

/// Readers of one output that were given up, each with what had passed by then.
#[derive(Debug, Default)]
pub(super) struct GivenUp(Vec<(Guid, u64)>);

impl GivenUp {
    /// Gives up the slowest reader, and the next one, until something passes; returns how many.
    pub(super) fn slowest(&mut self, writer: &UntypedWriter, passed: impl Fn() -> u64) -> u64 {
        let (mut count, before) = (0, passed());
        while count < MOST_GIVEN_UP && passed() == before {
            let Some(reader) = writer.backlog_status().slowest else {
                break;
            };
            // Whatever passes from here on it has yet to acknowledge.
            if !writer.give_up(reader) {
                break;
            }
            self.note(reader, before);
            count += 1;
        }
        count
    }

    fn note(&mut self, reader: Guid, passed: u64) {
        self.0.retain(|(known, _)| *known != reader);
        if self.0.len() < MOST_GIVEN_UP as usize {
            self.0.push((reader, passed));
        }
    }

    /// Who has acknowledged nothing since it was given up holds up nobody for as long again: it is
    /// given up once more if the output stands still. Returns how often, and when to look again.
    pub(super) fn again(
        &mut self,
        now: Time,
        writer: &UntypedWriter,
        is_still: bool,
        passed: impl Fn() -> u64,
    ) -> (u64, Option<Time>) {
        if self.0.is_empty() {
            return (0, None);
        }
        let matched = writer.matched_subscriptions();
        self.0.retain(|(known, _)| matched.contains(known));
        let (mut count, before) = (0, passed());
        while count < MOST_GIVEN_UP && !self.0.is_empty() {
            let status = writer.backlog_status();
            let Some(reader) = status.slowest else {
                // All have acknowledged what has passed since.
                self.0.retain(|(_, then)| *then >= before);
                break;
            };
            let mut all = self.0.iter();
            let Some(at) = all.position(|(known, _)| *known == reader) else {
                break;
            };
            let then = self.0.get(at).map_or(0, |(_, then)| *then);
            if status.unacknowledged < passed().saturating_sub(then) {
                self.0.swap_remove(at);
                continue;
            }
            if !is_still || passed() != before || !writer.give_up(reader) {
                break;
            }
            self.note(reader, before);
            count += 1;
        }
        (count, (!self.0.is_empty()).then_some(now + SHORTEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Time {
        Time::from_millis(count)
    }

    #[test]
    fn readers_are_given_up_when_the_time_is_over_and_not_a_look_later() {
        let (mut stall, patience) = (Stall::default(), ms(5000));
        assert_eq!(stall.look(ms(900), None, patience), (false, None));
        // It has begun to stand still between two looks.
        let again = stall.look(ms(1900), Some(ms(800)), patience);
        assert_eq!(again, (false, Some(ms(6100))));
        let again = stall.look(ms(6100), Some(ms(5000)), patience);
        assert_eq!(again, (true, Some(ms(11_100))));
        // That did not help, so the next ones are.
        let again = stall.look(ms(7000), Some(ms(5900)), patience);
        assert_eq!(again, (false, Some(ms(11_100))));
        // Something passed meanwhile.
        let again = stall.look(ms(11_000), Some(ms(500)), patience);
        assert_eq!(again, (false, Some(ms(15_500))));
    }

    #[test]
    fn a_short_patience_is_looked_after_often_and_a_long_one_never_ends() {
        let mut stall = Stall::default();
        assert_eq!(stall.look(ms(0), None, ms(300)), (false, Some(ms(75))));
        assert_eq!(stall.look(ms(0), None, ms(1)), (false, Some(ms(10))));
        assert_eq!(
            stall.look(ms(9), Some(ms(9)), Time::MAX),
            (false, Some(Time::MAX))
        );
    }
}
