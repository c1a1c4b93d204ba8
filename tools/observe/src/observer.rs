//! Observers: participants without endpoints, one for each domain that is looked at.
use clap::Args;
use dunlin::observe::{Domain, Knowledge};
use dunlin::{DomainParticipant, ParticipantConfig, WaitStrategy};
use std::fmt;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

/// How often an observer looks for news.
const LOOK: Duration = Duration::from_millis(50);
/// Nothing new for so long, and all that answers quickly has answered ...
const QUIET: Duration = Duration::from_millis(700);
/// ... but not before so long: the first announcements may be lost.
const LEAST: Duration = Duration::from_millis(1200);

/// Which domains are looked at, and how.
#[derive(Args, Clone, Debug)]
pub struct Where {
    /// Domain, or several: 3, 0-9, 0,5,7
    #[arg(long, short, value_name = "DOMAINS", default_value = "0")]
    pub domain: Domains,
    /// Longest time to listen, in seconds; it is over earlier when nothing new has come for a while
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub wait: Duration,
    /// Announce the observer there, too, for networks without multicast:
    /// [index@][class://]address[:port]
    #[arg(long, value_name = "PEER")]
    pub peer: Vec<String>,
}

/// Domain ids, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains(pub Vec<u32>);

impl FromStr for Domains {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for part in text.split(',') {
            // A negative number is no range.
            let range = part
                .split_once('-')
                .filter(|(first, _)| !first.trim().is_empty());
            let (first, last) = range.unwrap_or((part, part));
            let (first, last) = (domain_id(first)?, domain_id(last)?);
            if first > last {
                return Err(format!("{part:?}: {first} is greater than {last}"));
            }
            all.extend(first..=last);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Self(all))
    }
}

pub(crate) fn domain_id(text: &str) -> Result<u32, String> {
    const MOST: u32 = ParticipantConfig::MAX_DOMAIN;
    let domain = text.trim().parse().ok().filter(|domain| *domain <= MOST);
    domain.ok_or_else(|| {
        format!("{text:?} is no domain; 0 to {MOST} are, as the ports of others are beyond 65535")
    })
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("{text:?} is no number of seconds from 0"))
}

/// One participant for each domain.
pub struct Observers(Vec<DomainParticipant>);

impl Observers {
    /// Joins the domains; `name` is what the others see.
    pub fn join(name: &str, domains: &Domains, peers: &[String]) -> Result<Self, String> {
        let join = |domain: &u32| {
            let config = ParticipantConfig {
                name: name.to_owned(),
                waiting: WaitStrategy::Block,
                ..ParticipantConfig::default()
            };
            let participant = DomainParticipant::with_config(*domain, config)?;
            peers
                .iter()
                .try_for_each(|peer| participant.add_peer(peer))?;
            Ok(participant)
        };
        let joined: dunlin::Result<_> = domains.0.iter().map(join).collect();
        joined.map(Self).map_err(|error| error.to_string())
    }

    /// The participants, by domain.
    pub fn participants(&self) -> &[DomainParticipant] {
        &self.0
    }

    /// What they know now.
    pub fn look(&self) -> Vec<Domain> {
        self.0.iter().map(DomainParticipant::domain).collect()
    }

    /// Listens until nothing new comes, at most for `wait`.
    pub fn gather(&self, wait: Duration) -> Vec<Domain> {
        let begun = Instant::now();
        let count = || -> Vec<Knowledge> { self.0.iter().map(|p| p.knowledge()).collect() };
        let (mut seen, mut news) = (count(), begun);
        loop {
            let left = wait.saturating_sub(begun.elapsed());
            if left.is_zero() || is_quiet(&seen, begun, news) {
                return self.look();
            }
            thread::sleep(LOOK.min(left));
            let now = count();
            if now != seen {
                (seen, news) = (now, Instant::now());
            }
        }
    }
}

/// Somebody is there, and everybody has said what there is to say.
fn is_quiet(seen: &[Knowledge], begun: Instant, news: Instant) -> bool {
    let heard = seen.iter().any(|of| of.participants > 0)
        && seen.iter().all(|of| of.complete == of.participants);
    heard && begun.elapsed() >= LEAST && news.elapsed() >= QUIET
}

impl fmt::Display for Domains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, domain) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{domain}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_numbers_lists_and_ranges() {
        assert_eq!("3".parse(), Ok(Domains(vec![3])));
        assert_eq!("0-2,7,1".parse(), Ok(Domains(vec![0, 1, 2, 7])));
        for wrong in ["", "x", "3-1", "233", "-1", "0-"] {
            assert!(wrong.parse::<Domains>().is_err(), "{wrong:?}");
        }
        let error = "-1".parse::<Domains>().unwrap_err();
        assert!(error.contains("\"-1\" is no domain; 0 to 232"), "{error}");
        assert!(seconds("-3").is_err() && seconds("nan").is_err());
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
