//! Notices that what a route writes comes back to it by another router that does not say of samples
//! whose they are.
//!
//! One sample in 64 is remembered for a second, by its timestamp, length, instance and first and
//! last octets. Which one is up to the timestamp, so one that comes back is among those that are
//! looked up. If for five seconds more than half of these have been here, they go in a circle.
use dunlin::{Guid, InstanceHandle, Timestamp};
use std::time::Duration;

/// One sample in so many, as a power of two.
const SELECTED: u32 = 6;
/// Samples that are remembered; enough for some thousand samples a second.
const MOST: usize = 128;
/// How long, and how long is judged at once.
const WINDOW: Duration = Duration::from_secs(1);
/// Windows in a row in which more than half came back.
const WINDOWS: u32 = 5;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct EchoWatch {
    seen: Vec<Seen>,
    /// When the window is over in which these are counted.
    end: Duration,
    looked_up: u32,
    returned: u32,
    /// Windows in a row in which more than half came back.
    echoing: u32,
}

/// What tells a sample from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Print {
    timestamp: Timestamp,
    instance: InstanceHandle,
    length: usize,
    first: [u8; 16],
    last: [u8; 16],
}

#[derive(Debug)]
struct Seen {
    print: Print,
    /// Who wrote it when it came first.
    writer: Guid,
    until: Duration,
}

/// The octets at the beginning, filled up.
fn sixteen<'a>(octets: impl Iterator<Item = &'a u8>) -> [u8; 16] {
    let mut some = [0; 16];
    some.iter_mut()
        .zip(octets)
        .for_each(|(to, from)| *to = *from);
    some
}

impl EchoWatch {
    /// Is a sample of this time looked up?
    #[inline]
    pub(crate) fn selects(timestamp: Timestamp) -> bool {
        let scattered = timestamp
            .0
            .cast_unsigned()
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        scattered >> (u64::BITS - SELECTED) == 0
    }

    /// Looks up one that `selects` names. True if samples go in a circle, and by now by this writer.
    #[cold]
    pub(crate) fn look_up(
        &mut self,
        now: Duration,
        (timestamp, instance, writer): (Timestamp, InstanceHandle, Guid),
        payload: &[u8],
    ) -> bool {
        self.judge(now);
        self.looked_up += 1;
        let print = Print {
            timestamp,
            instance,
            length: payload.len(),
            first: sixteen(payload.iter()),
            last: sixteen(payload.iter().rev()),
        };
        self.seen.retain(|seen| seen.until > now);
        if let Some(seen) = self.seen.iter_mut().find(|seen| seen.print == print) {
            seen.until = now + WINDOW;
            // One source may write the same again and again.
            let has_returned = seen.writer != writer;
            self.returned += u32::from(has_returned);
            return has_returned && self.echoing >= WINDOWS;
        }
        if self.seen.len() >= MOST {
            self.seen.remove(0);
        }
        self.seen.push(Seen {
            print,
            writer,
            until: now + WINDOW,
        });
        false
    }

    /// A window may be over.
    fn judge(&mut self, now: Duration) {
        if now < self.end {
            return;
        }
        let is_next = now < self.end + WINDOW;
        self.echoing = match self.returned * 2 > self.looked_up {
            true if is_next => self.echoing + 1,
            _ => 0,
        };
        self.end = now + WINDOW;
        (self.looked_up, self.returned) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::{EntityId, EntityKind, GuidPrefix};

    fn writer(number: u8) -> Guid {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        Guid::new(GuidPrefix([number; 12]), entity)
    }

    /// Times of samples that are looked up.
    fn times() -> impl Iterator<Item = Timestamp> {
        let all = (1_700_000_000_000_000_000..).step_by(1000).map(Timestamp);
        all.filter(|time| EchoWatch::selects(*time))
    }

    fn look(watch: &mut EchoWatch, ms: u64, time: Timestamp, by: u8) -> bool {
        let about = (time, InstanceHandle::NIL, writer(by));
        watch.look_up(Duration::from_millis(ms), about, b"sample")
    }

    #[test]
    fn one_sample_in_some_sixty_is_looked_up() {
        let all = (1_700_000_000_000_000_000..).step_by(12_345).take(64_000);
        let count = all.filter(|t| EchoWatch::selects(Timestamp(*t))).count();
        assert!((700..1300).contains(&count), "{count}");
    }

    #[test]
    fn what_goes_in_a_circle_for_five_seconds_is_an_echo() {
        let mut watch = EchoWatch::default();
        let time = times().next().unwrap();
        assert!(!look(&mut watch, 0, time, 1));
        let noticed = (1..200).find(|round| look(&mut watch, round * 100, time, 2));
        let after = noticed.unwrap() * 100;
        assert!((5000..=7500).contains(&after), "{after}");
    }

    #[test]
    fn repetitions_and_a_second_way_are_none() {
        let mut watch = EchoWatch::default();
        let mut times = times();
        let same = times.next().unwrap();
        for round in 0..300 {
            let ms = round * 50;
            // One source writes the same over and over; of another each sample comes by two ways.
            assert!(!look(&mut watch, ms, same, 1));
            let time = times.next().unwrap();
            assert!(!look(&mut watch, ms, time, 2));
            assert!(!look(&mut watch, ms + 1, time, 3));
        }
        assert!(watch.seen.len() <= MOST);
    }
}
