//! Which of the services at a site carries: the one with the lowest id of those that are heard of.
//!
//! Each says twice a second that it is there. One that joins waits until it would have heard of the
//! others; the one that carries goes on until a lower one says that it carries. There is no clock
//! and no network here.
use crate::beat::Claim;
use std::collections::BTreeMap;
use std::time::Duration;

/// A claim is made so often.
const EVERY: Duration = Duration::from_millis(500);
/// One without a claim for so long does not carry.
const SILENCE: Duration = Duration::from_millis(2500);
/// What it has announced to other sites is forgotten by then.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// Services at a site, beside this one.
const MOST: usize = 64;

/// See the module.
#[derive(Debug)]
pub(crate) struct Election {
    own: String,
    begun: Duration,
    carries: bool,
    others: BTreeMap<String, (Duration, Claim)>,
    polled: Duration,
    next: Duration,
}

/// Ids are numbers in hexadecimal without zeros before them.
fn is_lower(one: &str, other: &str) -> bool {
    (one.len(), one) < (other.len(), other)
}

impl Election {
    pub(crate) fn new(now: Duration, own: &str) -> Self {
        Self {
            own: own.to_owned(),
            begun: now,
            carries: false,
            others: BTreeMap::new(),
            polled: now,
            next: now,
        }
    }

    /// Another service of the site says something; true if it was not known.
    pub(crate) fn hear(&mut self, now: Duration, zid: &str, claim: Claim) -> bool {
        let is_new = !self.others.contains_key(zid);
        if is_new && self.others.len() >= MOST {
            return false;
        }
        self.others.insert(zid.to_owned(), (now, claim));
        is_new
    }

    /// What is to be said now, if anything is.
    pub(crate) fn poll(&mut self, now: Duration) -> Option<Claim> {
        self.polled = now;
        self.others.retain(|_, (heard, _)| now < *heard + FORGOTTEN);
        let gives_way = self.others.iter().any(|(zid, (heard, claim))| {
            let is_there = *claim != Claim::Ends && now < *heard + SILENCE;
            let counts = *claim == Claim::Carries || !self.carries;
            is_there && counts && is_lower(zid, &self.own)
        });
        let carries = !gives_way && (self.carries || now >= self.begun + SILENCE);
        let has_changed = std::mem::replace(&mut self.carries, carries) != carries;
        if !has_changed && now < self.next {
            return None;
        }
        self.next = now + EVERY;
        Some(match carries {
            true => Claim::Carries,
            false => Claim::StandsBy,
        })
    }

    /// When to poll again.
    pub(crate) fn due(&self) -> Duration {
        let silent = self.others.values().map(|(heard, _)| *heard + SILENCE);
        let later = silent.chain([self.begun + SILENCE]);
        let later = later.filter(|at| *at > self.polled);
        later.min().map_or(self.next, |at| at.min(self.next))
    }

    pub(crate) fn carries(&self) -> bool {
        self.carries
    }

    /// The other services of the site that may still be believed to be there.
    pub(crate) fn others(&self) -> impl Iterator<Item = &str> {
        self.others.keys().map(|zid| &**zid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Services whose claims arrive at once.
    struct Site(Vec<Election>);

    impl Site {
        fn run(&mut self, from: u64, to: u64) {
            for now in (from..to).step_by(10).map(ms) {
                for one in 0..self.0.len() {
                    let Some(claim) = self.0[one].poll(now) else {
                        continue;
                    };
                    let zid = self.0[one].own.clone();
                    for other in self.0.iter_mut().filter(|other| other.own != zid) {
                        other.hear(now, &zid, claim);
                    }
                }
            }
        }

        fn carries(&self) -> Vec<&str> {
            let those = self.0.iter().filter(|one| one.carries());
            those.map(|one| &*one.own).collect()
        }
    }

    #[test]
    fn one_carries_and_another_one_takes_over() {
        let mut site = Site(["b", "aa", "c"].map(|zid| Election::new(ms(0), zid)).into());
        site.run(0, 2500);
        assert_eq!(site.carries(), [""; 0], "others may be there");
        site.run(2500, 10_000);
        assert_eq!(site.carries(), ["b"]);
        site.0.remove(0);
        site.run(10_000, 12_000);
        assert_eq!(site.carries(), [""; 0]);
        site.run(12_000, 12_600);
        assert_eq!(site.carries(), ["c"], "c is a lower number than aa");
    }

    #[test]
    fn a_lower_one_that_joins_leaves_no_gap() {
        let mut site = Site(vec![Election::new(ms(0), "b")]);
        site.run(0, 5000);
        site.0.push(Election::new(ms(5000), "a"));
        for now in (5000..9000).step_by(10) {
            site.run(now, now + 10);
            assert!(!site.carries().is_empty(), "{now}");
        }
        assert_eq!(site.carries(), ["a"]);
    }

    #[test]
    fn one_that_ends_is_followed_at_once() {
        let mut last = Election::new(ms(0), "b");
        assert!(last.hear(ms(0), "a", Claim::Carries));
        assert_eq!(last.poll(ms(2500)), Some(Claim::Carries));
        let mut last = Election::new(ms(0), "b");
        last.hear(ms(4000), "a", Claim::Carries);
        assert_eq!(last.poll(ms(4000)), Some(Claim::StandsBy));
        assert!(!last.hear(ms(4100), "a", Claim::Ends));
        assert_eq!(last.poll(ms(4100)), Some(Claim::Carries));
        assert_eq!(last.others().count(), 1, "its endpoints may be known yet");
        last.poll(ms(70_000));
        assert_eq!(last.others().count(), 0);
    }

    #[test]
    fn strangers_do_not_fill_it() {
        let mut one = Election::new(ms(0), "b");
        for n in 0..1000 {
            one.hear(ms(0), &format!("f{n:x}"), Claim::StandsBy);
        }
        assert_eq!(one.others().count(), MOST);
        assert!(one.due() <= ms(2500));
        one.poll(ms(2500));
        assert!(one.carries());
    }
}
