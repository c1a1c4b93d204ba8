//! `dunlin why`: what keeps samples from arriving, in words.
use crate::group::Listener;
use crate::observer::{Domains, Observers, domain_id, seconds};
use crate::text::{count, end_of_output, json, line, lines};
use clap::Args;
use dunlin::observe::Domain;
use dunlin::why::{Group, Report, Snapshot, Subject, examine, questions};
use dunlin::{DomainParticipant, EntityId, Guid, GuidPrefix};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Something was found.
const FOUND: u8 = 1;
/// Wrong usage, and what could not be done.
const FAILED: u8 = 2;
/// What the others see.
const NAME: &str = "dunlin why (observer)";
/// Participants of this host are looked for without multicast, too: the first ten of each domain.
const HERE: &str = "9@udpv4://127.0.0.1";
/// How long a process may take to answer.
const PATIENCE: dunlin::Duration = dunlin::Duration::from_millis(1000);

/// Endpoints of one side that are listed, beside those that findings speak of.
const MOST_LISTED: usize = 64;
/// GUIDs of one side in JSON.
const MOST_IN_JSON: usize = 4096;
/// Topics that are looked at if none is named.
const MOST_TOPICS: usize = 256;

/// What is asked.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// A topic; or a writer and a reader by their GUIDs, as `dunlin ls` shows them; without any,
    /// all topics
    #[arg(value_name = "TOPIC | GUID GUID", num_args = 0..=2)]
    subject: Vec<String>,
    /// Domain
    #[arg(long, short, value_name = "DOMAIN", default_value = "0", value_parser = domain_id)]
    domain: u32,
    /// Domains that are looked at, too, when somebody is missing
    #[arg(long, value_name = "DOMAINS", default_value = "0-9")]
    elsewhere: Domains,
    /// Longest time to listen, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    wait: Duration,
    /// Announce the observer there, too, for networks without multicast:
    /// [index@][class://]address[:port]
    #[arg(long, value_name = "PEER")]
    peer: Vec<String>,
    /// Print JSON, as docs/troubleshooting.md describes it
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(options: &Options) -> ExitCode {
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FOUND),
        Err(reason) => {
            eprint!("{}", lines("dunlin why: ", &reason));
            ExitCode::from(FAILED)
        }
    }
}

/// What the user asked for, still without a domain to look in.
enum Wish {
    All,
    Topic(String),
    Pair(Guid, Guid),
}

impl Wish {
    fn of(words: &[String]) -> Result<Self, String> {
        match words {
            [] => Ok(Self::All),
            [topic] => Ok(Self::Topic(topic.clone())),
            [a, b] => Ok(Self::Pair(guid(a)?, guid(b)?)),
            _ => Err("at most two GUIDs".into()),
        }
    }

    /// Each thing to look at; topics that there are if nothing is wished, those with most endpoints
    /// if there are many, and how many are left out.
    fn subjects<'a>(&'a self, domain: &'a Domain) -> (Vec<Subject<'a>>, usize) {
        match self {
            Self::Topic(topic) => (vec![Subject::Topic(topic)], 0),
            Self::Pair(a, b) => (vec![Subject::Pair(*a, *b)], 0),
            Self::All => {
                let writers = domain.writers.iter().map(|w| w.topic.as_str());
                let readers = domain.readers.iter().map(|r| r.topic.as_str());
                let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                for topic in writers.chain(readers) {
                    *counts.entry(topic).or_default() += 1;
                }
                let mut topics: Vec<&str> = counts.keys().copied().collect();
                let left_out = topics.len().saturating_sub(MOST_TOPICS);
                if left_out > 0 {
                    topics.sort_by_key(|topic| Reverse(counts.get(topic)));
                    topics.truncate(MOST_TOPICS);
                    topics.sort_unstable();
                }
                match topics.is_empty() {
                    true => (vec![Subject::Topic("")], 0),
                    false => (topics.into_iter().map(Subject::Topic).collect(), left_out),
                }
            }
        }
    }

    /// Somebody is missing who may be in another domain.
    fn lacks(&self, domain: &Domain) -> bool {
        let has = |topic: &str| {
            let mut writers = domain.writers.iter();
            let mut readers = domain.readers.iter();
            writers.any(|w| w.topic == topic) && readers.any(|r| r.topic == topic)
        };
        match self {
            Self::All => domain.participants.is_empty(),
            Self::Topic(topic) => !has(topic),
            Self::Pair(..) => false,
        }
    }
}

/// Sixteen bytes in hexadecimal digits; a colon may stand before the last four.
fn guid(text: &str) -> Result<Guid, String> {
    let digits: String = text.chars().filter(|c| *c != ':' && *c != '.').collect();
    let number = u128::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| digits.len() == 32);
    let number = number.ok_or_else(|| {
        format!("{text:?} is no GUID: 32 hexadecimal digits, as `dunlin ls` prints them, are")
    })?;
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = number.to_be_bytes();
    Ok(Guid::new(
        GuidPrefix([a, b, c, d, e, f, g, h, i, j, k, l]),
        EntityId([m, n, o, p]),
    ))
}

/// True if nothing was found.
fn run(options: &Options) -> Result<bool, String> {
    let wish = Wish::of(&options.subject)?;
    let only = Domains(vec![options.domain]);
    let observers = Observers::join(NAME, &only, &options.peer)?;
    let [observer] = observers.participants() else {
        return Err("no domain to look at".into());
    };
    // Without UDP there is nobody to be found so.
    let _ = observer.add_peer(HERE);
    let listener = Listener::beside(observer);
    let domains = observers.gather(options.wait);
    let domain = domains.first().ok_or("no domain to look at")?;
    let group = group(observer, listener);
    let elsewhere = match wish.lacks(domain) {
        true => look_elsewhere(options)?,
        false => Vec::new(),
    };
    let mut reports = Vec::new();
    let (subjects, left_out) = wish.subjects(domain);
    if left_out > 0 {
        let these = format!("{left_out} topics with fewer endpoints are left out: name one");
        eprint!("{}", lines("dunlin why: ", &these));
    }
    let mut known = domain.clone();
    for subject in subjects {
        known = observer.add_types(known, subject, PATIENCE);
        let answers = observer.ask(&questions(&known, subject), PATIENCE);
        let scene = Snapshot {
            domain: &known,
            answers: &answers,
            elsewhere: &elsewhere,
            group: group.as_ref(),
        };
        reports.push((subject, examine(&scene, subject)));
    }
    let text = match options.json {
        true => in_json(domain, &reports),
        false => reports
            .iter()
            .map(|(subject, report)| words(domain, *subject, report))
            .collect(),
    };
    let mut out = io::stdout();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    end_of_output(printed).transpose()?;
    Ok(reports.iter().all(|(_, report)| report.findings.is_empty()))
}

/// What came by multicast; `None` if we do not use it, or may not listen.
fn group(observer: &DomainParticipant, listener: std::io::Result<Listener>) -> Option<Group> {
    let announces = observer.domain().own;
    let uses = announces
        .metatraffic_multicast
        .iter()
        .any(|l| l.socket_addr().is_some());
    let listener = listener.ok().filter(|_| uses)?;
    Some(listener.heard(observer.guid().prefix))
}

fn look_elsewhere(options: &Options) -> Result<Vec<Domain>, String> {
    let mut domains = options.elsewhere.clone();
    domains.0.retain(|domain| *domain != options.domain);
    let observers = Observers::join(NAME, &domains, &options.peer)?;
    for observer in observers.participants() {
        let _ = observer.add_peer(HERE);
    }
    Ok(observers.gather(options.wait))
}

/// The report in lines; endpoints are called W1, R1 and so on, as listed above them.
fn words(domain: &Domain, subject: Subject<'_>, report: &Report) -> String {
    let mut text = String::new();
    let title = match subject {
        Subject::Topic(topic) => format!("topic {topic:?}"),
        Subject::Pair(..) => "these two endpoints".into(),
    };
    let (writers, readers) = (&report.writers, &report.readers);
    let index = Index::of(domain);
    text += &line(&format!(
        "{title} in domain {}: {}, {}, {}",
        domain.id,
        count(writers.len(), "writer"),
        count(readers.len(), "reader"),
        match report.matched {
            1 => "1 pair matches".into(),
            pairs => format!("{pairs} pairs match"),
        }
    ));
    // Those that findings speak of are listed in any case.
    let told = report.findings.iter().flat_map(|f| f.endpoints.iter());
    let told: BTreeSet<Guid> = told.copied().collect();
    let mut names = Vec::new();
    for (letter, guids) in [("W", writers), ("R", readers)] {
        let mut left_out = 0;
        for (number, guid) in guids.iter().enumerate() {
            if number >= MOST_LISTED && !told.contains(guid) {
                left_out += 1;
                continue;
            }
            let name = format!("{letter}{}", number + 1);
            let place = index.participant(guid.prefix).map(place);
            let own = index.own_name(*guid);
            let place = place.unwrap_or_default();
            text += &line(&format!("  {name}  {guid}  {own}{place}"));
            names.push((guid.to_string(), name));
        }
        if left_out > 0 {
            text += &line(&format!("  {letter}..  and {left_out} more"));
        }
    }
    let call = |text: &str| {
        names.iter().fold(text.to_owned(), |text, (guid, name)| {
            text.replace(guid, name)
        })
    };
    for finding in &report.findings {
        text += &line(&format!("- {}", call(&finding.to_string())));
    }
    if report.findings.is_empty() {
        text += &line("- nothing stands in the way: all that match hear each other");
    }
    for note in &report.notes {
        text += &line(&format!("  ({})", call(note)));
    }
    text
}

/// Names and participants of a domain, to be found quickly.
struct Index<'a> {
    names: HashMap<Guid, &'a str>,
    participants: HashMap<GuidPrefix, &'a dunlin::observe::ParticipantData>,
}

impl<'a> Index<'a> {
    fn of(domain: &'a Domain) -> Self {
        let writers = domain.writers.iter();
        let readers = domain.readers.iter();
        let writers = writers.map(|w| (w.guid, w.qos.entity_name.as_str()));
        let readers = readers.map(|r| (r.guid, r.qos.entity_name.as_str()));
        let named = writers.chain(readers).filter(|(_, name)| !name.is_empty());
        let others = domain.participants.iter().map(|p| &p.data);
        let all = std::iter::once(&domain.own).chain(others);
        Self {
            names: named.collect(),
            participants: all.map(|data| (data.guid.prefix, data)).collect(),
        }
    }

    fn participant(&self, prefix: GuidPrefix) -> Option<&'a dunlin::observe::ParticipantData> {
        self.participants.get(&prefix).copied()
    }

    /// What an endpoint is called, before what follows it.
    fn own_name(&self, guid: Guid) -> String {
        match self.names.get(&guid) {
            Some(name) => format!("{name:?}  "),
            None => String::new(),
        }
    }
}

/// Where an endpoint lives.
fn place(data: &dunlin::observe::ParticipantData) -> String {
    let said = [
        Some(format!("{:?}", data.entity_name)).filter(|_| !data.entity_name.is_empty()),
        Some(crate::view::vendor(data)),
        dunlin::observe::process(data).map(|id| format!("process {id}")),
        dunlin::observe::host(data).map(|host| format!("host {host}")),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    said.join(" ")
}

/// As many as JSON lists.
fn first(guids: &[Guid]) -> &[Guid] {
    guids.get(..MOST_IN_JSON).unwrap_or(guids)
}

fn in_json(domain: &Domain, reports: &[(Subject<'_>, Report)]) -> String {
    let guids = |guids: &[Guid]| -> Vec<String> { guids.iter().map(Guid::to_string).collect() };
    let reports: Vec<_> = reports
        .iter()
        .map(|(subject, report)| {
            let findings: Vec<_> = report
                .findings
                .iter()
                .map(|finding| {
                    serde_json::json!({
                        "cause": finding.cause.to_string(),
                        "what": finding.what,
                        "cure": finding.cure,
                        "endpoints": guids(&finding.endpoints),
                        "alike": finding.alike,
                    })
                })
                .collect();
            serde_json::json!({
                "topic": match subject {
                    Subject::Topic(topic) => Some(topic),
                    Subject::Pair(..) => None,
                },
                "writers": guids(first(&report.writers)),
                "readers": guids(first(&report.readers)),
                "writer_count": report.writers.len(),
                "reader_count": report.readers.len(),
                "matched": report.matched,
                "findings": findings,
                "notes": report.notes,
            })
        })
        .collect();
    let all = serde_json::json!({ "format": 1, "domain": domain.id, "reports": reports });
    json(&format!("{all:#}")) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_read_as_they_are_printed() {
        let text = "444c2e2a74133a32fe4de89d:00000107";
        assert_eq!(guid(text).unwrap().to_string(), text);
        assert!(guid("444c2e2a74133a32fe4de89d").is_err());
        assert!(guid("Square").is_err());
        assert!(Wish::of(&["Square".into(), text.into()]).is_err());
    }
}
